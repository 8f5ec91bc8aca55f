/* SPDX-License-Identifier: MIT */
/*
 * Three of IGT's macros in their newest form: "int igt_main()", "igt_fixture()",
 * "igt_subtest_group()". Releases before that form spell them without parentheses.
 *
 * Our own igt.h includes this file. In the tree of an older IGT, the compiler reads this file
 * before each source, with VSPLIT_OLD_FORMS (see meson.build): the macros here then replace those
 * of the tree's igt.h. The functions behind the macros are the same in all releases.
 */
#ifndef IGT_FORMS_H
#define IGT_FORMS_H

#ifdef VSPLIT_OLD_FORMS
#include "igt.h"
#undef igt_main
#undef igt_fixture
#undef igt_subtest_group
#endif

#define __igt_paste2(a, b) a##b
#define __igt_paste(a, b) __igt_paste2(a, b)

/* int igt_main() { ... } */
#define igt_main() \
	__igt_main_shape(void); \
	static void __igt_main_body(void); \
	int main(int argc, char **argv) \
	{ \
		igt_subtest_init_parse_opts(&argc, argv, NULL, NULL, NULL, NULL, NULL); \
		__igt_main_body(); \
		igt_exit(); \
	} \
	static void __igt_main_body(void)

#define igt_fixture() \
	for (volatile int __igt_paste(once, __LINE__) = 0; \
	     __igt_paste(once, __LINE__) < 1 && __igt_fixture() && \
	     sigsetjmp(igt_subtest_jmpbuf, 1) == 0; \
	     __igt_paste(once, __LINE__)++, __igt_fixture_complete())

#define igt_subtest_group() \
	for (int __igt_paste(once, __LINE__) = 0, __igt_paste(save, __LINE__) = 0, \
	     __igt_paste(text, __LINE__) = 0; \
	     __igt_paste(once, __LINE__) < 1 && \
	     (__igt_subtest_group_save(&__igt_paste(save, __LINE__), \
				       &__igt_paste(text, __LINE__)), true); \
	     __igt_paste(once, __LINE__)++, \
	     __igt_subtest_group_restore(__igt_paste(save, __LINE__), \
					 __igt_paste(text, __LINE__)))

#endif /* IGT_FORMS_H */
