/* SPDX-License-Identifier: MIT */
/*
 * Declarations of the part of the IGT API that these tests use.
 *
 * Distributions package libigt.so without its headers. This file declares, in
 * our own words, the functions of libigt.so.0 that the tests call, and has its
 * own versions of the macros around them, in the form of the newest IGT
 * ("int igt_main()", "igt_fixture()", "igt_subtest_group()"). Inside an IGT
 * tree this file isn't used: there "igt.h" is IGT's own.
 */
#ifndef _VSPLIT_IGT_SHIM_H_
#define _VSPLIT_IGT_SHIM_H_

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <xf86drm.h>

enum igt_log_level {
	IGT_LOG_DEBUG,
	IGT_LOG_INFO,
	IGT_LOG_WARN,
	IGT_LOG_CRITICAL,
	IGT_LOG_NONE,
};

#define IGT_EXIT_SUCCESS 0
#define IGT_EXIT_SKIP 77
#define IGT_EXIT_INVALID 79
#define IGT_EXIT_FAILURE 98

#ifndef IGT_LOG_DOMAIN
#define IGT_LOG_DOMAIN NULL
#endif

/* jmp_buf and sigjmp_buf are one type in glibc. */
extern jmp_buf igt_subtest_jmpbuf;
extern jmp_buf igt_dynamic_jmpbuf;

int igt_subtest_init_parse_opts(int *argc, char **argv, const char *short_opts,
				const struct option *long_opts, const char *help,
				int (*handler)(int opt, int index, void *data), void *data);
bool __igt_fixture(void);
void __igt_fixture_complete(void);
bool __igt_run_subtest(const char *name, const char *file, const int line);
bool __igt_enter_dynamic_container(void);
bool __igt_run_dynamic_subtest(const char *name);
void __igt_subtest_group_save(int *save, int *describe);
void __igt_subtest_group_restore(int save, int describe);
const char *igt_subtest_name(void);
bool igt_only_list_subtests(void);

void igt_success(void);
void igt_exit(void) __attribute__((noreturn));
void igt_fail(int exitcode) __attribute__((noreturn));
void igt_skip(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));
void __igt_skip_check(const char *file, const int line, const char *func,
		      const char *check, const char *format, ...)
	__attribute__((noreturn, format(printf, 5, 6)));
void __igt_fail_assert(const char *domain, const char *file, const int line,
		       const char *func, const char *assertion, const char *format, ...)
	__attribute__((noreturn, format(printf, 6, 7)));
void igt_log(const char *domain, enum igt_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void igt_describe_f(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool __igt_fork(void);
void igt_waitchildren(void);
void igt_waitchildren_timeout(int seconds, const char *reason);
typedef void (*igt_exit_handler_t)(int sig);
void igt_install_exit_handler(igt_exit_handler_t fn);
uint64_t igt_nsec_elapsed(struct timespec *start);
void igt_set_timeout(unsigned int seconds, const char *op);
void igt_reset_timeout(void);
void igt_fork_signal_helper(void);
void igt_stop_signal_helper(void);

#include "igt_forms.h"

#define igt_subtest(name) \
	for (; __igt_run_subtest((name), __FILE__, __LINE__) && \
	     sigsetjmp(igt_subtest_jmpbuf, 1) == 0; igt_success())

#define __igt_subtest_named(buffer, ...) \
	for (char buffer[256]; \
	     snprintf(buffer, sizeof(buffer), __VA_ARGS__), \
	     __igt_run_subtest(buffer, __FILE__, __LINE__) && \
	     sigsetjmp(igt_subtest_jmpbuf, 1) == 0; igt_success())
#define igt_subtest_f(...) __igt_subtest_named(__igt_paste(name, __LINE__), __VA_ARGS__)

#define igt_subtest_with_dynamic(name) \
	for (; __igt_run_subtest((name), __FILE__, __LINE__) && \
	     __igt_enter_dynamic_container() && \
	     sigsetjmp(igt_subtest_jmpbuf, 1) == 0; igt_success())

#define __igt_dynamic_named(buffer, ...) \
	for (char buffer[256]; \
	     snprintf(buffer, sizeof(buffer), __VA_ARGS__), \
	     __igt_run_dynamic_subtest(buffer) && \
	     sigsetjmp(igt_dynamic_jmpbuf, 1) == 0; igt_success())
#define igt_dynamic_f(...) __igt_dynamic_named(__igt_paste(name, __LINE__), __VA_ARGS__)

#define igt_fork(child, count) \
	for (int child = 0; child < (count); child++) \
		for (; __igt_fork(); exit(0))

#define IGT_TEST_DESCRIPTION(text) \
	extern const char *__igt_test_description; \
	const char *__igt_test_description = text
#define igt_describe(text) igt_describe_f("%s", text)

#define igt_debug(...) igt_log(IGT_LOG_DOMAIN, IGT_LOG_DEBUG, __VA_ARGS__)
#define igt_info(...) igt_log(IGT_LOG_DOMAIN, IGT_LOG_INFO, __VA_ARGS__)
#define igt_warn(...) igt_log(IGT_LOG_DOMAIN, IGT_LOG_WARN, __VA_ARGS__)

#define igt_assert(expr) \
	do { \
		if (!(expr)) \
			__igt_fail_assert(IGT_LOG_DOMAIN, __FILE__, __LINE__, __func__, \
					  #expr, NULL); \
	} while (0)
#define igt_assert_f(expr, ...) \
	do { \
		if (!(expr)) \
			__igt_fail_assert(IGT_LOG_DOMAIN, __FILE__, __LINE__, __func__, \
					  #expr, __VA_ARGS__); \
	} while (0)
#define __igt_assert_compare(type, fmt, a, op, not_op, b) \
	do { \
		type __a = (a), __b = (b); \
		if (!(__a op __b)) \
			__igt_fail_assert(IGT_LOG_DOMAIN, __FILE__, __LINE__, __func__, \
					  #a " " #op " " #b, "error: " fmt " " #not_op " " fmt "\n", \
					  __a, __b); \
	} while (0)
#define igt_assert_eq(a, b) __igt_assert_compare(int, "%d", a, ==, !=, b)
#define igt_assert_neq(a, b) __igt_assert_compare(int, "%d", a, !=, ==, b)
#define igt_assert_lt(a, b) __igt_assert_compare(int, "%d", a, <, >=, b)
#define igt_assert_lte(a, b) __igt_assert_compare(int, "%d", a, <=, >, b)
#define igt_assert_eq_u32(a, b) __igt_assert_compare(uint32_t, "%#x", a, ==, !=, b)
#define igt_assert_eq_u64(a, b) __igt_assert_compare(unsigned long long, "%#llx", a, ==, !=, b)
#define igt_assert_fd(fd) \
	igt_assert_f((fd) >= 0, "file descriptor " #fd " is %d\n", (int)(fd))

#define igt_require(expr) \
	do { \
		if (!(expr)) \
			__igt_skip_check(__FILE__, __LINE__, __func__, #expr, NULL); \
	} while (0)
#define igt_require_f(expr, ...) \
	do { \
		if (!(expr)) \
			__igt_skip_check(__FILE__, __LINE__, __func__, #expr, __VA_ARGS__); \
	} while (0)
#define igt_skip_on_f(expr, ...) \
	do { \
		if (expr) \
			__igt_skip_check(__FILE__, __LINE__, __func__, "!(" #expr ")", \
					 __VA_ARGS__); \
	} while (0)

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif
#ifndef min
#define min(a, b) ({ __typeof__(a) __x = (a); __typeof__(b) __y = (b); __x < __y ? __x : __y; })
#define max(a, b) ({ __typeof__(a) __x = (a); __typeof__(b) __y = (b); __x > __y ? __x : __y; })
#endif

#endif /* _VSPLIT_IGT_SHIM_H_ */
