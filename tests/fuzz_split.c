// SPDX-License-Identifier: MIT
/*
 * The planner on problems decoded from the fuzzer's bytes. A plan that breaks a
 * rule is a crash; the problem is printed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "split_problem.h"
#include "split_work.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct problem p;
	struct source s = { .data = data, .size = size };
	const char *bad;

	problem_random(&p, &s);
	bad = split_judge(&p, NULL, NULL, false);
	/* Small lists have steps that the work does not show. */
	if (!bad && p.out.steps - p.out.searched > 2000 + STEPS * split_work(&p.in, &p.out))
		bad = "the plan took too many steps";
	if (!bad && !split_granted(&p.in, &p.out))
		bad = "the search took too many steps";
	if (bad) {
		fprintf(stderr, "%s\n", bad);
		problem_print(&p);
		abort();
	}
	return 0;
}
