// SPDX-License-Identifier: MIT
/*
 * libFuzzer target for the planner: any bytes are a planning problem. If a plan breaks a rule, the
 * problem is printed and the program crashes.
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
	/* Small lists take steps that split_work() does not count. */
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
