/* SPDX-License-Identifier: MIT */
/*
 * Planning problems for tests: their storage, making them by hand or at random, running the planner
 * on them, and printing them.
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

/* An empty problem: no segment, pages of PAGE bytes, an empty list. */
void problem_init(struct problem *p, u32 length);
/* Each adds something and returns its index. Sizes and offsets are in pages. */
u32 problem_segment(struct problem *p, u64 pages, u64 commit, u32 flags);
u32 problem_alloc(struct problem *p, u64 pages, u32 flags);
u32 problem_resident(struct problem *p, u64 pages, u32 flags, u32 seg, u64 offset);
u32 problem_fixed(struct problem *p, u32 seg, u64 offset, u64 pages);
u32 problem_entry(struct problem *p, u32 slot, u32 alloc, u32 split);
/* Run the planner; the workspace has exactly the size that the planner asked for. */
int problem_plan(struct problem *p);
/* How often the planner may ask before it is told that the process is killed; 0: no limit. */
extern u32 problem_kill_after;
/* How often the planner has asked. */
extern u32 problem_asked;
/* Byte with which a workspace is filled before. */
extern u8 problem_fill;
/* Print problem and plan to stderr. */
void problem_print(const struct problem *p);

/*
 * Source of random decisions: bytes of a fuzzer, or a generator if there are none.
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
 * Judge a plan by carrying it out: invariants, contents, and whether each cut and each failure was
 * justified. Returns NULL, or what is wrong. @packed, if not NULL, counts failures that were
 * confirmed by an exhaustive search.
 */
const char *split_check(const struct problem *p, u32 *packed);

/*
 * Judge everything. First plan with the walk alone, and compare it with the reference; then make
 * the whole plan, which must be the same unless everything fits together. @p holds the plan that
 * was judged last. Then judge the plan with VSPLIT_SPLIT_LOOK_AHEAD; @ahead, if not NULL, counts
 * lists that only this plan serves. @legal_only: skip the reference, for a planner that chooses
 * other windows.
 */
const char *split_judge(struct problem *p, u32 *packed, u32 *ahead, bool legal_only);

/*
 * Walk the list with a naive implementation of the rules, and compare everything that the rules
 * determine. Not for random placement, and only for plans with VSPLIT_SPLIT_WALK_ONLY.
 */
const char *split_reference(const struct problem *p);

/*
 * Exhaustive packing by dynamic programming over all subsets: do @nr items fit into the free pages
 * of @busy (a flag for each page of each segment), with at most @room[seg] pages in each segment?
 * @nr <= SUBSET_MAX.
 */
#define SUBSET_MAX 13
struct subset_item {
	u32 pages;
	u32 align;	/* pages */
	u32 segs;	/* mask */
};

/*
 * The number of steps that subset_packs() would take with these arguments. It grows exponentially,
 * so ask first: more than SUBSET_STEPS is too long for one of many problems.
 */
#define SUBSET_STEPS 4000000u
u64 subset_steps(u32 nr, u32 nr_segs, const u32 *seg_pages, const u8 *const *busy);

bool subset_packs(u32 nr, const struct subset_item *items, u32 nr_segs, const u32 *seg_pages,
		  const u8 *const *busy, const u64 *room);

#endif /* _SPLIT_PROBLEM_H_ */
