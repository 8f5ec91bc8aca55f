// SPDX-License-Identifier: MIT
/*
 * Random lists: each plan is carried out and judged (split_check.c). Unless placement is random, it
 * is also compared with a naive walk (split_reference.c).
 *
 * test_split_random [--seed SEED] [--runs RUNS] [--print]
 * (with VSPLIT_NIGHTLY in the environment, twenty times as many)
 *
 * List i of a run has the seed SEED + i; a failure prints its own, and
 * "--seed THAT --runs 1 --print" shows it.
 */
#include <errno.h>

#include "harness.h"
#include "split_problem.h"

#ifndef NAME
#define NAME "split-random"
#define SEED 20240601
#define RUNS 100000
#define LEGAL_ONLY false
#endif

static struct problem p;

static struct {
	unsigned long lists, one, split, unsolvable, compared, leaks, portions, moves, bounced,
		      ahead;
} count;

static bool judge(unsigned long long seed, bool print)
{
	struct source s = { .seed = seed };
	const char *bad;
	u32 packed = 0, ahead = 0;
	u32 i;

	problem_random(&p, &s);
	bad = split_judge(&p, &packed, &ahead, LEGAL_ONLY);
	if (bad) {
		fprintf(stderr, "seed %llu: %s\n", seed, bad);
		problem_print(&p);
		t_fail("seed %llu: %s", seed, bad);
		return false;
	}
	if (print)
		problem_print(&p);
	count.lists++;
	count.one += !p.ret && p.out.nr_portions == 1;
	count.split += !p.ret && p.out.nr_portions > 1;
	count.unsolvable += p.ret == -ENOSPC;
	count.compared += packed;
	count.ahead += ahead;
	count.leaks += p.ret == -EPERM;
	count.portions += p.out.nr_portions;
	for (i = 0; i < p.out.nr_ops; i++) {
		count.moves += p.ops[i].type == VSPLIT_SPLIT_MOVE;
		if (p.ops[i].type == VSPLIT_SPLIT_PAGE_IN && i) {
			u32 j = i;

			while (j-- && p.ops[j].portion == p.ops[i].portion)
				count.bounced += p.ops[j].type == VSPLIT_SPLIT_EVICT &&
						 p.ops[j].alloc == p.ops[i].alloc;
		}
	}
	return true;
}

/*
 * A plan depends only on its input, not on the previous contents of the workspace. If the process
 * is killed, there is no plan, however late that happens.
 */
static bool stable(unsigned long long seed)
{
	static const u32 flags[] = {
		0, VSPLIT_SPLIT_LOOK_AHEAD, VSPLIT_SPLIT_PLANNED,
		VSPLIT_SPLIT_PLANNED | VSPLIT_SPLIT_AHEAD,
	};
	static struct vsplit_split_op ops[ARRAY_SIZE(p.ops)];
	struct source s = { .seed = seed };
	u32 nr, asked, i;
	int ret;

	problem_random(&p, &s);
	p.in.flags |= flags[source_below(&s, ARRAY_SIZE(flags))];
	problem_asked = 0;
	ret = problem_plan(&p);
	asked = problem_asked;
	nr = p.out.nr_ops;
	memcpy(ops, p.ops, sizeof(ops));
	problem_fill = 0;
	if (problem_plan(&p) != ret ||
	    (!ret && (p.out.nr_ops != nr || memcmp(ops, p.ops, nr * sizeof(*ops)))))
		t_fail("seed %llu: another plan in another workspace", seed);
	problem_fill = 0xa5;
	for (i = 0; i < 2 && asked && !t_failed; i++) {
		problem_kill_after = i ? asked : 1 + source_below(&s, asked);
		ret = problem_plan(&p);
		if (ret != -EINTR)
			t_fail("seed %llu: result %d, killed at question %u", seed, ret, asked);
	}
	return !t_failed;
}

int main(int argc, char **argv)
{
	unsigned long long seed = SEED;
	unsigned long runs = getenv("VSPLIT_NIGHTLY") ? 20 * RUNS : RUNS;
	bool print = false;
	char note[400];
	unsigned long i;
	int a;

	for (a = 1; a < argc; a++) {
		if (!strcmp(argv[a], "--print"))
			print = true;
		else if (!strcmp(argv[a], "--seed") && a + 1 < argc)
			seed = strtoull(argv[++a], NULL, 0);
		else if (!strcmp(argv[a], "--runs") && a + 1 < argc)
			runs = strtoul(argv[++a], NULL, 0);
		else
			return fprintf(stderr, "usage: %s [--seed N] [--runs N] [--print]\n",
				       argv[0]), 2;
	}
	t_begin();
	for (i = 0; i < runs && judge(seed + i, print) && (i % 4 || stable(seed + i)); i++)
		;
	snprintf(note, sizeof(note),
		 "seed %llu: %lu lists; %lu in one portion, %lu split, %lu unsolvable (%lu confirmed by exhaustive packing, %lu served where it may be planned again), %lu leaks; %lu portions, %lu moves, %lu through system memory",
		 seed, count.lists, count.one, count.split, count.unsolvable, count.compared,
		 count.ahead, count.leaks, count.portions, count.moves, count.bounced);
	t_end(NAME, note);
	return t_status;
}
