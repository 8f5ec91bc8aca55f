/* SPDX-License-Identifier: MIT */
/*
 * Output of test programs: a line "ok NAME", "not ok NAME" or "skip NAME" for each test; the reason
 * follows after " # ". tests/run collects the lines of all programs.
 */
#ifndef _HARNESS_H_
#define _HARNESS_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool t_failed;
static char t_why[4096];
static int t_status;

/* Only the first reason is kept. */
__attribute__((unused, format(printf, 1, 2)))
static void t_fail(const char *fmt, ...)
{
	va_list ap;

	if (t_failed)
		return;
	t_failed = true;
	va_start(ap, fmt);
	vsnprintf(t_why, sizeof(t_why), fmt, ap);
	va_end(ap);
}

#define t_check(cond)							\
	do {								\
		if (!(cond))						\
			t_fail("%s:%d: %s", __FILE__, __LINE__, #cond);	\
	} while (0)

#define t_equal(is, should)						\
	do {								\
		long long t_is = (is), t_should = (should);		\
									\
		if (t_is != t_should)					\
			t_fail("%s:%d: %s is %lld (0x%llx), not %lld",	\
			       __FILE__, __LINE__, #is, t_is, t_is,	\
			       t_should);				\
	} while (0)

__attribute__((unused))
static void t_begin(void)
{
	t_failed = false;
	t_why[0] = 0;
}

__attribute__((unused))
static void t_end(const char *name, const char *note)
{
	const char *why = t_failed ? t_why : note;

	printf("%s %s%s%s\n", t_failed ? "not ok" : "ok", name, why && *why ? " # " : "",
	       why ? why : "");
	fflush(stdout);
	if (t_failed)
		t_status = 1;
}

__attribute__((unused))
static void t_skip(const char *name, const char *why)
{
	printf("skip %s # %s\n", name, why);
	fflush(stdout);
}

/* Run a test: a function without arguments, which has the test's name. */
#define t_run(function)							\
	do {								\
		t_begin();						\
		function();						\
		t_end(#function, NULL);					\
	} while (0)

#define t_run_as(name, function)					\
	do {								\
		t_begin();						\
		function();						\
		t_end(name, NULL);					\
	} while (0)

#endif /* _HARNESS_H_ */
