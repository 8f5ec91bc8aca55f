/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* The plan of a submission: a problem and its answer. Included only by code that plans. */
#ifndef _VSPLIT_PLAN_H_
#define _VSPLIT_PLAN_H_

#include "exec/vsplit_submit.h"
#include "mm/vsplit_layout.h"

/**
 * struct vsplit_plan_run - An allocation of the list that may be in several runs.
 * @alloc: index of the allocation among the allocations.
 * @segment: index of the only segment in which it may be.
 * @base: GPU address of @segment.
 * @size: size of the allocation in bytes.
 * @from: its runs when the plan is described, a reference; NULL: it is in system memory.
 * @to: its new runs, a reference; NULL: it gets none.
 * @named: it has to be resident.
 * @fixed: it stays where it is; it is one of the plan's fixed ranges.
 * @leaves: it leaves, because other allocations of the list enter its runs, or because it need not
 *	be resident.
 */
struct vsplit_plan_run {
	u32 alloc;
	u32 segment;
	u64 base;
	u64 size;
	struct vsplit_gpu_runs *from;
	struct vsplit_gpu_runs *to;
	bool named;
	bool fixed;
	bool leaves;
};

/**
 * struct vsplit_plan - A planning problem, its answer and their memory.
 * @s: the submission, to which the memory of the plan is charged.
 * @in: the problem.
 * @out: the answer.
 * @segments: segments of @in.
 * @allocs: allocations of @in.
 * @nr_fixed: number of ranges of @in that stay; they come first.
 * @nr_spans: number of all ranges that the walk may have to know, with those that can be evicted or
 *	are claimed for a moment.
 * @runs: allocations of the list that may be in several runs, @nr_runs of them; the walk does not
 *	place them, see vsplit_plan_runs.c.
 * @run_of: element of @runs by index of the allocation, NULL for other allocations; NULL if there
 *	are no runs.
 * @nr_runs: length of @runs.
 * @taken: the part of each segment's commit limit that the walk leaves for runs.
 * @nr_elsewhere: allocations with an index below this are kept out of the segments of runs, if they
 *	may be elsewhere.
 * @prefix: the answer has only the first portions (WDDM error semantics).
 * @solved: it has an answer; @workspace and the ranges of @in are gone.
 * @workspace: memory for the walk.
 * @workspace_bytes: size of @workspace.
 * @walk_bytes: the part of @workspace and the ranges of @in that is charged.
 */
struct vsplit_plan {
	struct vsplit_submit *s;
	struct vsplit_split_input in;
	struct vsplit_split_output out;
	struct vsplit_split_segment segments[VSPLIT_SPLIT_MAX_SEGMENTS];
	struct vsplit_split_alloc *allocs;
	u32 nr_fixed;
	u32 nr_spans;
	struct vsplit_plan_run *runs;
	struct vsplit_plan_run **run_of;
	u32 nr_runs;
	u64 taken[VSPLIT_SPLIT_MAX_SEGMENTS];
	u32 nr_elsewhere;
	bool prefix;
	bool solved;
	void *workspace;
	size_t workspace_bytes;
	size_t walk_bytes;
};

/* The element of @plan->runs for an allocation, or NULL. */
static inline struct vsplit_plan_run *vsplit_plan_run_of(const struct vsplit_plan *plan, u32 alloc)
{
	return plan && plan->run_of ? plan->run_of[alloc] : NULL;
}

/* vsplit_plan.c; the rest is in vsplit_submit.h */
int vsplit_plan_grow_ops(struct vsplit_split_output *out);

/* vsplit_plan_runs.c */
int vsplit_plan_describe_runs(struct vsplit_submit *s, struct vsplit_plan *plan);
void vsplit_plan_go_elsewhere(const struct vsplit_plan *plan, struct vsplit_split_alloc *alloc);
int vsplit_plan_place_runs(struct vsplit_plan *plan);
int vsplit_plan_add_runs(struct vsplit_plan *plan);
u32 vsplit_plan_count_runs(const struct vsplit_plan *plan);
void vsplit_plan_layout_runs(const struct vsplit_plan *plan, const struct vsplit_split_op *op,
			     struct vsplit_layout *layout);
void vsplit_plan_free_runs(struct vsplit_plan *plan);

#endif /* _VSPLIT_PLAN_H_ */
