// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: allocations in several runs, in a plan
 *
 * An allocation that may be in several runs (VSPLIT_GEM_RUNS) fits wherever there are as many free
 * bytes. So the walk of split/ does not place it. The walk places the other allocations, under a
 * commit limit that is reduced by the bytes of the runs; then runs take the holes that are left. It
 * makes no difference where these holes are.
 *
 * If an allocation in runs is resident already, it stays unless other allocations of the list enter
 * its runs. If they do, it leaves before all others move, and comes back after them. As long as not
 * everything that the device requires is packed anew, this concerns only allocations that the
 * client's call names. The others are not on the list, and their ranges are fixed.
 */
#include <linux/bsearch.h>
#include <linux/slab.h>

#include "exec/vsplit_plan.h"
#include "debug/vsplit_fault.h"

void vsplit_plan_free_runs(struct vsplit_plan *plan)
{
	u32 i;

	for (i = 0; i < plan->nr_runs; i++) {
		vsplit_gpu_runs_put(plan->runs[i].from);
		vsplit_gpu_runs_put(plan->runs[i].to);
	}
	kvfree(plan->runs);
	kvfree(plan->run_of);
}

/* ---- the problem ---- */

static void vsplit_plan_describe_run(const struct vsplit_submit *s,
				     const struct vsplit_list_alloc *item,
				     struct vsplit_plan_run *run)
{
	const struct vsplit_bo *vbo = item->vbo;

	run->alloc = item->plan;
	run->segment = vbo->segs[0];
	run->base = vsplit_segment_address(&s->vdev->mm, run->segment, 0);
	run->size = vbo->tbo.base.size;
	run->from = vsplit_gpu_runs_get(vsplit_resource_runs(vbo->tbo.resource));
	run->named = item->named;
	run->fixed = run->from && vsplit_bo_stays(vbo);
}

/*
 * Find allocations that may be in runs, and leave room for them. Allocations are locked; the plan's
 * segments and allocations are described. Return: 0, -ENOMEM, -ENOBUFS, -E2BIG.
 */
int vsplit_plan_describe_runs(struct vsplit_submit *s, struct vsplit_plan *plan)
{
	struct vsplit_list_alloc *item = NULL;
	u32 nr = 0, i;
	int ret;

	while ((item = vsplit_submit_next(s, item)))
		nr += !!(item->vbo->flags & VSPLIT_GEM_RUNS);
	if (!nr)
		return 0;
	ret = vsplit_submit_hold(s, &s->plan_bytes, s->plan_bytes +
				 array_size(nr, sizeof(*plan->runs)) +
				 array_size(s->nr_bos, sizeof(*plan->run_of)));
	if (ret)
		return ret;
	plan->runs = kvcalloc(nr, sizeof(*plan->runs), VSPLIT_GFP_ARRAY);
	plan->run_of = kvcalloc(s->nr_bos, sizeof(*plan->run_of), VSPLIT_GFP_ARRAY);
	if (!plan->runs || !plan->run_of)
		return -ENOMEM;
	while ((item = vsplit_submit_next(s, item))) {
		struct vsplit_plan_run *run = &plan->runs[plan->nr_runs];

		if (!(item->vbo->flags & VSPLIT_GEM_RUNS))
			continue;
		vsplit_plan_describe_run(s, item, run);
		plan->run_of[run->alloc] = run;
		plan->nr_runs++;
		/* The walk sees a fixed allocation as a range. */
		if (run->named && !run->fixed)
			plan->taken[run->segment] += run->size;
	}
	for (i = 0; i < plan->in.nr_segments; i++)
		plan->segments[i].commit_limit -= min(plan->taken[i],
						      plan->segments[i].commit_limit);
	return 0;
}

/*
 * Keep an allocation, as described, out of segments that need room for runs. It is unchanged if it
 * may be in no other segment.
 */
void vsplit_plan_go_elsewhere(const struct vsplit_plan *plan, struct vsplit_split_alloc *alloc)
{
	u32 kept = 0, i;

	if (alloc->flags & VSPLIT_SPLIT_ALLOC_PINNED)
		return;
	for (i = 0; i < alloc->nr_segs; i++)
		kept += !plan->taken[alloc->segs[i]];
	if (!kept || kept == alloc->nr_segs)
		return;
	for (i = 0, kept = 0; i < alloc->nr_segs; i++)
		if (!plan->taken[alloc->segs[i]])
			alloc->segs[kept++] = alloc->segs[i];
	memset(alloc->segs + kept, 0, (alloc->nr_segs - kept) * sizeof(*alloc->segs));
	alloc->nr_segs = kept;
}

/* ---- holes ---- */

/* Ranges of the segments that are taken, merged, and a cursor to the next hole. */
struct vsplit_plan_holes {
	struct vsplit_span *ranges; /* @nr elements */
	u32 nr;
	u32 next; /* the first range that the cursor has not passed */
	u64 at; /* offset of the cursor */
};

static void vsplit_plan_take_range(struct vsplit_plan_holes *holes, u32 segment, u64 start,
				   u64 size)
{
	holes->ranges[holes->nr++] = (struct vsplit_span) {
		.segment = segment, .start = start, .size = size,
	};
}

/* Find the ranges that the walk's operations enter. */
static void vsplit_plan_find_ways(const struct vsplit_plan *plan, struct vsplit_plan_holes *ways)
{
	u32 i;

	for (i = 0; i < plan->out.nr_ops; i++) {
		const struct vsplit_split_op *op = &plan->out.ops[i];

		if (op->to_seg != VSPLIT_SEG_SYSTEM)
			vsplit_plan_take_range(ways, op->to_seg, op->to,
					       plan->allocs[op->alloc].size);
	}
	ways->nr = vsplit_spans_merge(ways->ranges, ways->nr);
}

/* Which of two ranges comes first? 0: they overlap. */
static int vsplit_plan_overlap_cmp(const void *a, const void *b)
{
	const struct vsplit_span *x = a, *y = b;

	return cmp_int(x->segment, y->segment) ?:
	       (x->start >= y->start + y->size) - (y->start >= x->start + x->size);
}

static bool vsplit_plan_is_in_the_way(const struct vsplit_plan_holes *ways,
				      const struct vsplit_plan_run *run)
{
	u32 i;

	for (i = 0; i < run->from->nr; i++) {
		const struct vsplit_span span = {
			.segment = run->segment,
			.start = run->from->run[i].address - run->base,
			.size = run->from->run[i].bytes,
		};

		if (bsearch(&span, ways->ranges, ways->nr, sizeof(span), vsplit_plan_overlap_cmp))
			return true;
	}
	return false;
}

/* Find all ranges that are taken when the first portion begins, apart from the new runs. */
static void vsplit_plan_find_taken(const struct vsplit_plan *plan, struct vsplit_plan_holes *holes)
{
	u32 i, k;

	for (i = 0; i < plan->in.nr_fixed; i++)
		vsplit_plan_take_range(holes, plan->in.fixed[i].seg, plan->in.fixed[i].start,
				       plan->in.fixed[i].size);
	for (i = 0; i < plan->in.nr_allocs; i++)
		if (plan->out.final[i].seg != VSPLIT_SEG_SYSTEM)
			vsplit_plan_take_range(holes, plan->out.final[i].seg,
					       plan->out.final[i].offset, plan->allocs[i].size);
	for (i = 0; i < plan->nr_runs; i++) {
		const struct vsplit_plan_run *run = &plan->runs[i];

		for (k = 0; run->from && !run->fixed && !run->leaves && k < run->from->nr; k++)
			vsplit_plan_take_range(holes, run->segment,
					       run->from->run[k].address - run->base,
					       run->from->run[k].bytes);
	}
	holes->nr = vsplit_spans_merge(holes->ranges, holes->nr);
}

static bool vsplit_plan_take_holes(const struct vsplit_plan *plan, u32 segment,
				   struct vsplit_plan_holes *holes,
				   struct vsplit_runs_search *search)
{
	while (search->found < search->size) {
		const struct vsplit_span *range = &holes->ranges[holes->next];
		bool more = holes->next < holes->nr && range->segment == segment;

		search->at = holes->at;
		vsplit_runs_take(search, more ? range->start : plan->segments[segment].size);
		holes->at = search->at;
		if (search->found == search->size)
			return true;
		if (!more)
			return false;
		holes->at = max(holes->at, range->start + range->size);
		holes->next++;
	}
	return true;
}

static int vsplit_plan_place_run(const struct vsplit_plan *plan, struct vsplit_plan_holes *holes,
				 struct vsplit_plan_run *run)
{
	struct vsplit_runs_search search = {
		.base = run->base,
		.size = run->size,
	};
	struct vsplit_plan_holes seen = *holes;

	if (!vsplit_plan_take_holes(plan, run->segment, &seen, &search))
		return -ENOSPC;
	run->to = vsplit_fault("plan.runs") ? NULL : vsplit_gpu_runs_create(search.nr);
	if (!run->to)
		return -ENOMEM;
	search.runs = run->to;
	search.nr = 0;
	search.found = 0;
	vsplit_plan_take_holes(plan, run->segment, holes, &search);
	return 0;
}

static bool vsplit_plan_run_needs_place(const struct vsplit_plan_run *run, u32 segment)
{
	return run->segment == segment && run->named && (!run->from || run->leaves);
}

/* Place the runs of one segment, in the order of the list. */
static int vsplit_plan_place_runs_in(struct vsplit_plan *plan, struct vsplit_plan_holes *holes,
				     u32 segment)
{
	u64 bytes = 0;
	int ret = 0;
	u32 i;

	for (i = 0; i < plan->nr_runs; i++)
		if (vsplit_plan_run_needs_place(&plan->runs[i], segment))
			bytes += plan->runs[i].size;
	if (!bytes)
		return 0;
	holes->at = 0;
	holes->next = 0;
	for (i = 0; i < holes->nr; i++) {
		holes->next += holes->ranges[i].segment < segment;
		bytes += holes->ranges[i].segment == segment ? holes->ranges[i].size : 0;
	}
	/* The walk has checked the limit only if it has placed something. */
	if (bytes > plan->s->vdev->mm.segments[segment].commit_limit)
		return -ENOSPC;
	for (i = 0; !ret && i < plan->nr_runs; i++) {
		if (vsplit_plan_run_needs_place(&plan->runs[i], segment))
			ret = vsplit_plan_place_run(plan, holes, &plan->runs[i]);
	}
	return ret;
}

/*
 * Give holes to the allocations that have to be in runs; the walk has placed the others. May be
 * called any number of times. Return: 0, -ENOSPC, -ENOMEM, -ENOBUFS, -E2BIG.
 */
int vsplit_plan_place_runs(struct vsplit_plan *plan)
{
	struct vsplit_plan_holes holes = {}, ways = {};
	u64 most = (u64)plan->out.nr_ops + plan->in.nr_allocs;
	struct vsplit_submit *s = plan->s;
	u64 held = s->plan_bytes, others = plan->in.nr_fixed;
	int ret = 0;
	u32 i;

	for (i = 0; i < plan->nr_runs; i++) {
		struct vsplit_plan_run *run = &plan->runs[i];

		vsplit_gpu_runs_put(run->to);
		run->to = NULL;
		most += run->from ? run->from->nr : 0;
	}
	if (!plan->nr_runs)
		return 0;
	ret = vsplit_submit_hold(s, &s->plan_bytes, held +
				 array_size(most + (s->crowded ? 0 : others),
					    sizeof(*holes.ranges)));
	if (ret)
		return ret;
	holes.ranges = kvmalloc_array(most + others, sizeof(*holes.ranges), VSPLIT_GFP_ARRAY);
	if (!holes.ranges)
		return -ENOMEM;
	ways.ranges = holes.ranges;
	vsplit_plan_find_ways(plan, &ways);
	for (i = 0; i < plan->nr_runs; i++) {
		struct vsplit_plan_run *run = &plan->runs[i];

		run->leaves = run->from && !run->fixed &&
			      (!run->named || vsplit_plan_is_in_the_way(&ways, run));
	}
	vsplit_plan_find_taken(plan, &holes);
	for (i = 0; !ret && i < plan->in.nr_segments; i++)
		ret = vsplit_plan_place_runs_in(plan, &holes, i);
	kvfree(holes.ranges);
	return vsplit_submit_hold(s, &s->plan_bytes, held) ?: ret;
}

/* ---- the answer ---- */

static void vsplit_plan_run_leaves(struct vsplit_plan *plan, const struct vsplit_plan_run *run,
				   u32 at, struct vsplit_split_op *op)
{
	struct vsplit_split_final *final = &plan->out.final[run->alloc];
	u32 was = plan->allocs[run->alloc].flags;

	*op = (struct vsplit_split_op) {
		.type = VSPLIT_SPLIT_EVICT,
		.flags = was & VSPLIT_SPLIT_ALLOC_DIRTY ? VSPLIT_SPLIT_OP_TRANSFER : 0,
		.alloc = run->alloc,
		.from_seg = run->segment,
		.from = run->from->run[0].address - run->base,
		.to_seg = VSPLIT_SEG_SYSTEM,
	};
	final->seg = VSPLIT_SEG_SYSTEM;
	final->last_op = at;
	final->flags = was & VSPLIT_SPLIT_ALLOC_CLEAR;
}

static void vsplit_plan_run_comes(struct vsplit_plan *plan, const struct vsplit_plan_run *run,
				  u32 at, struct vsplit_split_op *op)
{
	struct vsplit_split_final *final = &plan->out.final[run->alloc];
	u32 was = plan->allocs[run->alloc].flags;

	*op = (struct vsplit_split_op) {
		.type = VSPLIT_SPLIT_PAGE_IN,
		.flags = was & (VSPLIT_SPLIT_ALLOC_CLEAR | VSPLIT_SPLIT_ALLOC_DISCARD) ?
			 VSPLIT_SPLIT_OP_FILL : VSPLIT_SPLIT_OP_TRANSFER,
		.alloc = run->alloc,
		.from_seg = VSPLIT_SEG_SYSTEM,
		.to_seg = run->segment,
		.to = run->to->run[0].address - run->base,
	};
	final->seg = run->segment;
	final->offset = op->to;
	final->last_op = at;
	/* A discarded allocation has no valid bytes in its backing store. */
	if (was & VSPLIT_SPLIT_ALLOC_WRITE)
		final->flags = VSPLIT_SPLIT_ALLOC_DIRTY;
	else if (was & VSPLIT_SPLIT_ALLOC_CLEAR)
		final->flags = VSPLIT_SPLIT_ALLOC_CLEAR;
	else
		final->flags = was & VSPLIT_SPLIT_ALLOC_DISCARD ? VSPLIT_SPLIT_ALLOC_DIRTY : 0;
}

static void vsplit_plan_run_stays(struct vsplit_plan *plan, const struct vsplit_plan_run *run)
{
	struct vsplit_split_final *final = &plan->out.final[run->alloc];
	u32 was = plan->allocs[run->alloc].flags;

	final->last_op = VSPLIT_SPLIT_NONE;
	final->flags = was & (VSPLIT_SPLIT_ALLOC_CLEAR | VSPLIT_SPLIT_ALLOC_DIRTY);
	if (was & VSPLIT_SPLIT_ALLOC_WRITE)
		final->flags = run->from ? VSPLIT_SPLIT_ALLOC_DIRTY : 0;
}

/*
 * Add operations for allocations in runs, which are placed, to a plan that was solved without a
 * split; once. Allocations leave before all other operations, and come behind the operations of the
 * first portion. Return: 0, -ENOMEM, -ENOBUFS, -E2BIG.
 */
int vsplit_plan_add_runs(struct vsplit_plan *plan)
{
	struct vsplit_split_output *out = &plan->out;
	u32 front, leave = 0, come = 0, nr = 0, i;
	struct vsplit_split_op *ops;
	int ret;

	for (i = 0; i < plan->nr_runs; i++) {
		leave += plan->runs[i].leaves;
		come += !!plan->runs[i].to;
		vsplit_plan_run_stays(plan, &plan->runs[i]);
	}
	if (!leave && !come)
		return 0;
	while (out->max_ops < out->nr_ops + leave + come) {
		ret = vsplit_plan_grow_ops(out);
		if (ret)
			return ret;
	}
	ops = out->ops;
	front = out->nr_portions ? out->portions[0].nr_ops : out->nr_ops;
	memmove(ops + leave + front + come, ops + front, (out->nr_ops - front) * sizeof(*ops));
	memmove(ops + leave, ops, front * sizeof(*ops));
	for (i = 0; i < plan->in.nr_allocs; i++)
		if (out->final[i].last_op != VSPLIT_SPLIT_NONE)
			out->final[i].last_op += leave + (out->final[i].last_op < front ? 0 : come);
	for (i = 0; i < plan->nr_runs; i++)
		if (plan->runs[i].leaves) {
			vsplit_plan_run_leaves(plan, &plan->runs[i], nr, &ops[nr]);
			nr++;
		}
	for (i = 0, nr += front; i < plan->nr_runs; i++)
		if (plan->runs[i].to) {
			vsplit_plan_run_comes(plan, &plan->runs[i], nr, &ops[nr]);
			nr++;
		}
	out->nr_ops += leave + come;
	if (out->nr_portions)
		out->portions[0].nr_ops += leave + come;
	return 0;
}

/* ---- the layout ---- */

/* The most layout steps that allocations in runs need, one for each run; the plan is solved. */
u32 vsplit_plan_count_runs(const struct vsplit_plan *plan)
{
	u32 nr = 0, i;

	for (i = 0; i < plan->nr_runs; i++) {
		nr += plan->runs[i].from ? plan->runs[i].from->nr : 0;
		nr += plan->runs[i].to ? plan->runs[i].to->nr : 0;
	}
	return nr;
}

/* Tell a layout what one of the plan's operations, on an allocation in runs, does. */
void vsplit_plan_layout_runs(const struct vsplit_plan *plan, const struct vsplit_split_op *op,
			     struct vsplit_layout *layout)
{
	const struct vsplit_plan_run *run = vsplit_plan_run_of(plan, op->alloc);
	bool comes = op->to_seg != VSPLIT_SEG_SYSTEM;
	const struct vsplit_gpu_runs *runs = comes ? run->to : run->from;
	u32 i;

	for (i = 0; i < runs->nr; i++) {
		u64 at = runs->run[i].address - run->base;

		vsplit_layout_step(layout, op->from_seg, comes ? 0 : at, op->to_seg, comes ? at : 0,
				   runs->run[i].bytes);
	}
}
