/* SPDX-License-Identifier: MIT */
/*
 * A test program prints "ok NAME" or "not ok NAME" for each of its tests. Lines that start with '#'
 * come before it and say what went wrong.
 */
#ifndef _VSPLIT_CHECK_H_
#define _VSPLIT_CHECK_H_

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Weak: the files of a program share them. */
__attribute__((weak)) int check_failures;
__attribute__((weak)) int check_total_failures;

#define CHECK(cond) do { \
	if (!(cond)) { \
		printf("# %s:%d: not true: %s\n", __FILE__, __LINE__, #cond); \
		check_failures++; \
	} \
} while (0)

#define CHECK_EQ(a, b) do { \
	long long check_a = (long long)(a), check_b = (long long)(b); \
	if (check_a != check_b) { \
		printf("# %s:%d: %s is %lld (0x%llx), not %lld (0x%llx)\n", \
		       __FILE__, __LINE__, #a, check_a, \
		       (unsigned long long)check_a, check_b, \
		       (unsigned long long)check_b); \
		check_failures++; \
	} \
} while (0)

#define CHECK_STR(a, b) do { \
	const char *check_a = (a), *check_b = (b); \
	if (!check_a || strcmp(check_a, check_b)) { \
		printf("# %s:%d: %s is\n# <%s>, not\n# <%s>\n", __FILE__, \
		       __LINE__, #a, check_a ? check_a : "(null)", check_b); \
		check_failures++; \
	} \
} while (0)

static inline void check_done(const char *name)
{
	printf("%sok %s\n", check_failures ? "not " : "", name);
	fflush(stdout);
	check_total_failures += check_failures;
	check_failures = 0;
}

#define RUN(fn) do { fn(); check_done(#fn); } while (0)

#endif /* _VSPLIT_CHECK_H_ */
