// SPDX-License-Identifier: MIT
/*
 * The planner on problems decoded from the fuzzer's bytes. A plan that breaks a
 * rule is a crash; the problem is printed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "split_problem.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct problem p;
	struct source s = { .data = data, .size = size };
	const char *bad;

	problem_random(&p, &s);
	bad = split_judge(&p, NULL);
	if (bad) {
		fprintf(stderr, "%s\n", bad);
		problem_print(&p);
		abort();
	}
	return 0;
}
