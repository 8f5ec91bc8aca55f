/* SPDX-License-Identifier: MIT */
/*
 * Planning problems for tests: storage, building them by hand or at random,
 * running the planner on them, printing them.
 */
#ifndef _SPLIT_PROBLEM_H_
#define _SPLIT_PROBLEM_H_

#include "../drv/split/vsplit_split.h"

#define PAGE		4096ull
#define MAX_ALLOCS	64
#define MAX_ENTRIES	256
#define MAX_FIXED	8
#define MAX_SLOTS	32
#define MAX_OPS		8192
#define SYSTEM		VSPLIT_SPLIT_SYSTEM
#define NONE		VSPLIT_SPLIT_NONE

struct problem {
	struct vsplit_split_input in;
	struct vsplit_split_output out;
	int ret;
	struct vsplit_split_segment segments[VSPLIT_SPLIT_MAX_SEGMENTS];
	struct vsplit_split_alloc allocs[MAX_ALLOCS];
	struct vsplit_split_entry entries[MAX_ENTRIES];
	struct vsplit_split_range fixed[MAX_FIXED];
	struct vsplit_split_op ops[MAX_OPS];
	struct vsplit_split_portion portions[MAX_ENTRIES + 1];
	struct vsplit_split_bind binds[MAX_ENTRIES];
	struct vsplit_split_final final[MAX_ALLOCS];
};

/* An empty problem: no segment, pages of PAGE bytes, nothing to do. */
void problem_init(struct problem *p, u32 length);
/* Each returns the index of what it added. Sizes and offsets are in pages. */
u32 problem_segment(struct problem *p, u64 pages, u64 commit, u32 flags);
u32 problem_alloc(struct problem *p, u64 pages, u32 flags);
u32 problem_resident(struct problem *p, u64 pages, u32 flags, u32 seg, u64 offset);
u32 problem_fixed(struct problem *p, u32 seg, u64 offset, u64 pages);
u32 problem_entry(struct problem *p, u32 slot, u32 alloc, u32 split);
/* Run the planner; the workspace has exactly the size that was asked for. */
int problem_plan(struct problem *p);
/* How often the planner may ask before it is told that it is being killed; 0: never. */
extern u32 problem_kill_after;
/* How often it has asked. */
extern u32 problem_asked;
/* What a workspace has in it before. */
extern u8 problem_fill;
/* Print problem and plan to stderr. */
void problem_print(const struct problem *p);

/*
 * Where random decisions come from: bytes of a fuzzer, or, where there are
 * none, a generator.
 */
struct source {
	const u8 *data;
	size_t size;
	u64 seed;
};

/* 0 <= result < below; @below > 0. */
u32 source_below(struct source *s, u32 below);
/* A valid random problem of at most a few dozen pages. */
void problem_random(struct problem *p, struct source *s);

/*
 * Judge a plan against the rules, by carrying it out: invariants, contents, and
 * whether each cut and each failure was justified. Returns NULL or what is
 * wrong. @packed counts re-plans that failed and were compared with an exhaustive
 * search, if not NULL.
 */
const char *split_check(const struct problem *p, u32 *packed);

/*
 * All of it: the plan of the walk alone, judged and compared with the reference;
 * then the plan, which must be the same unless everything fits together. @p holds
 * the one that was judged last. Then what VSPLIT_SPLIT_LOOK_AHEAD makes of it; @ahead
 * counts those that it serves and the walk does not, if not NULL. @legal_only: without the reference, for a planner that
 * chooses other windows.
 */
const char *split_judge(struct problem *p, u32 *packed, u32 *ahead, bool legal_only);

/*
 * Walk the same list with a naive implementation of the rules and compare
 * everything that they determine. Not for random placement, and only for plans
 * with VSPLIT_SPLIT_WALK_ONLY.
 */
const char *split_reference(const struct problem *p);

/*
 * Exhaustive packing, by dynamic programming over all subsets: can @nr items be
 * put into what is free in @busy (per segment, a flag per page) with at most
 * @room[seg] pages per segment? @nr <= SUBSET_MAX.
 */
#define SUBSET_MAX 13
struct subset_item {
	u32 pages;
	u32 align;	/* pages */
	u32 segs;	/* mask */
};

/*
 * What it costs grows exponentially, so it is asked first: the steps that the same
 * arguments would take. More than SUBSET_STEPS is too long for one of many problems.
 */
#define SUBSET_STEPS 4000000u
u64 subset_steps(u32 nr, u32 nr_segs, const u32 *seg_pages, const u8 *const *busy);

bool subset_packs(u32 nr, const struct subset_item *items, u32 nr_segs, const u32 *seg_pages,
		  const u8 *const *busy, const u64 *room);

#endif /* _SPLIT_PROBLEM_H_ */
