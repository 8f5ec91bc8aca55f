/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A planning problem of a submission, and its answer; inside the planning alone.
 */
#ifndef _VSPLIT_PLAN_H_
#define _VSPLIT_PLAN_H_

#include "exec/vsplit_submit.h"
#include "mm/vsplit_layout.h"

/**
 * struct vsplit_plan_run - An allocation of the list that may be in several runs.
 * @alloc: its index among the allocations.
 * @segment: the one that it may be in, by index.
 * @base: GPU address of @segment.
 * @size: bytes.
 * @from: where it is when the plan is described, a reference; NULL: in system memory.
 * @to: where it comes to, a reference; NULL: nowhere.
 * @named: it has to be resident.
 * @fixed: it stays where it is; it is one of the plan's fixed ranges.
 * @leaves: others of the list come to where it is, or it need not be there.
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
 * @s: whose; what it takes is charged to that.
 * @in: the problem.
 * @out: the answer.
 * @segments: of @in.
 * @allocs: of @in.
 * @entries: of @in.
 * @fixed: of @in: first what stays, then what can be evicted or is claimed for a moment.
 * @nr_fixed: what stays.
 * @nr_spans: all of them.
 * @runs: allocations of the list that may be in several runs, @nr_runs; the walk does not place
 *	them, see vsplit_plan_runs.c.
 * @run_of: each of these by its index among the allocations, NULL for the others; NULL: there
 *	are none.
 * @nr_runs: how many.
 * @taken: of the commit limit of each segment, what the walk leaves for them.
 * @nr_elsewhere: so many of the allocations, by index, are not where something is in runs, if they
 *	may be elsewhere.
 * @prefix: it solves the first portions alone (WDDM error semantics).
 * @workspace: of the walk.
 * @workspace_bytes: its size.
 */
struct vsplit_plan {
	struct vsplit_submit *s;
	struct vsplit_split_input in;
	struct vsplit_split_output out;
	struct vsplit_split_segment segments[VSPLIT_SPLIT_MAX_SEGMENTS];
	struct vsplit_split_alloc *allocs;
	struct vsplit_split_entry *entries;
	struct vsplit_split_range *fixed;
	u32 nr_fixed;
	u32 nr_spans;
	struct vsplit_plan_run *runs;
	struct vsplit_plan_run **run_of;
	u32 nr_runs;
	u64 taken[VSPLIT_SPLIT_MAX_SEGMENTS];
	u32 nr_elsewhere;
	bool prefix;
	void *workspace;
	size_t workspace_bytes;
};

/* One of an allocation's that may be in several runs, or NULL. */
static inline struct vsplit_plan_run *vsplit_plan_run_of(const struct vsplit_plan *plan, u32 alloc)
{
	return plan && plan->run_of ? plan->run_of[alloc] : NULL;
}

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
