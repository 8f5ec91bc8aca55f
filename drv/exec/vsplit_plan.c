// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: planning a split
 *
 * This file connects memory management and the walk of split/: it describes the problem (the
 * segments, the places of other allocations, the list's allocations where they are now), lets the
 * walk decide, and prepares what the commit of the decision needs.
 *
 *  snapshot  describe, with the list locked
 *  solve     decide, with nothing locked, so that no other client waits
 *  layout    tell the layout what the plan does to the segments
 *  compare   with the list locked again: is the description still right?
 *  finish    populate, make the program, get resources
 *
 * The plan is a model: nothing moves while it is made. Intermediate places exist only as steps of
 * the program; TTM learns of the final places, all at once, at the commit (vsplit_relocs_commit()).
 * So a plan can be dropped at any time before the commit. An error leaves no trace, except that
 * victims may have left.
 */
#include <linux/slab.h>

#include "exec/vsplit_plan.h"
#include "debug/vsplit_fault.h"

/* With these a walk first decides as if all others stayed. */
#define VSPLIT_PLAN_KNOBS (VSPLIT_SPLIT_TAKE_SPLIT_POINT | VSPLIT_SPLIT_EVICT_BETWEEN | \
			   VSPLIT_SPLIT_RANDOM_PLACEMENT)

/** vsplit_plan_drop() - Drop the plan of a submission, if it has a plan. */
void vsplit_plan_drop(struct vsplit_submit *s)
{
	struct vsplit_plan *plan = s->plan;

	if (!plan)
		return;
	kvfree(plan->allocs);
	kvfree(plan->in.entries);
	kvfree(plan->in.fixed);
	kvfree(plan->workspace);
	kvfree(plan->out.ops);
	kvfree(plan->out.portions);
	kvfree(plan->out.binds);
	kvfree(plan->out.final);
	vsplit_plan_free_runs(plan);
	kfree(plan);
	s->plan = NULL;
}

/* ---- the problem ---- */

static u32 vsplit_plan_emptied(const struct vsplit_submit *s)
{
	return vsplit_mm_emptied(&s->vdev->mm, s->segments);
}

static void vsplit_plan_segments(struct vsplit_submit *s, struct vsplit_plan *plan)
{
	const struct vsplit_mm *mm = &s->vdev->mm;
	u64 limit = s->vdev->config.aperture_limit;
	u32 seen = vsplit_submit_planned_segments(s) | vsplit_plan_emptied(s);
	u64 elsewhere = 0;
	u32 i;

	for (i = 0; i < mm->nr_segments; i++) {
		plan->segments[i].size = mm->segments[i].size;
		plan->segments[i].commit_limit = mm->segments[i].commit_limit;
		plan->segments[i].visible = vsplit_segment_seen(&mm->segments[i]);
		if (!mm->segments[i].aperture)
			continue;
		plan->segments[i].flags = VSPLIT_SPLIT_SEG_APERTURE;
		if (!(seen & BIT(i)))
			elsewhere += READ_ONCE(mm->segments[i].committed);
	}
	/* The common limit includes what is committed in apertures that the plan does not see. */
	if (limit)
		plan->in.aperture_limit = limit > elsewhere ? limit - elsewhere : 1;
	plan->in.segments = plan->segments;
	plan->in.nr_segments = mm->nr_segments;
}

static void vsplit_plan_alloc(const struct vsplit_submit *s, const struct vsplit_list_alloc *item,
			      struct vsplit_split_alloc *alloc)
{
	struct vsplit_bo *vbo = item->vbo;
	bool settled = vsplit_submit_settled(s, item);
	/* A separate job evicts such an allocation before the plan begins. */
	bool leaves = item->named && !settled &&
		      vsplit_bo_must_leave(vbo, vsplit_submit_writes(s, item)) > 0;
	u32 i;

	alloc->size = vbo->tbo.base.size;
	alloc->align = vbo->align;
	alloc->lru = vbo->lru;
	alloc->priority = vbo->priority;
	alloc->seg = leaves ? VSPLIT_SEG_SYSTEM : vsplit_bo_segment(vbo);
	alloc->offset = leaves ? 0 : vsplit_bo_offset(vbo);
	alloc->evict_set = vbo->evict_set;
	for (i = 0; i < vbo->nr_segs; i++) {
		/* An allocation that no entry names is not used: it may stay in any segment. */
		if (item->named &&
		    (!vsplit_bo_allows(vbo, i, vsplit_submit_writes(s, item)) ||
		     !(settled || vsplit_bo_lock_allows(vbo, vbo->segs[i]))))
			continue;
		alloc->segs[alloc->nr_segs++] = vbo->segs[i];
		if (vbo->topdown & BIT(i))
			alloc->topdown |= BIT(vbo->segs[i]);
	}
	/*
	 * A required allocation that the CPU has locked stays where it is. A pinned allocation that
	 * lost its place in a reset is not pinned to any place.
	 */
	if ((vbo->tbo.pin_count && alloc->seg != VSPLIT_SEG_SYSTEM) || (settled && vbo->locks))
		alloc->flags |= VSPLIT_SPLIT_ALLOC_PINNED;
	if (item->flags & VSPLIT_ALLOC_WRITE)
		alloc->flags |= VSPLIT_SPLIT_ALLOC_WRITE;
	if (item->flags & VSPLIT_ALLOC_DISCARD)
		alloc->flags |= VSPLIT_SPLIT_ALLOC_DISCARD;
	if (vbo->flags & VSPLIT_GEM_CPU_ACCESS)
		alloc->flags |= VSPLIT_SPLIT_ALLOC_CPU;
	if (vbo->dirty && !leaves)
		alloc->flags |= VSPLIT_SPLIT_ALLOC_DIRTY;
	if (vbo->clear)
		alloc->flags |= VSPLIT_SPLIT_ALLOC_CLEAR;
	if (!(vbo->flags & VSPLIT_GEM_RUNS))
		return;
	/* The walk does not move it. Only its state and the number of its moves are compared. */
	alloc->size = PAGE_SIZE;
	alloc->seg = VSPLIT_SEG_SYSTEM;
	alloc->offset = vbo->moves;
	alloc->flags &= ~VSPLIT_SPLIT_ALLOC_PINNED;
	if (vsplit_bo_stays(vbo))
		alloc->offset |= BIT_ULL(63);
}

/* Return: true if an allocation may neither be used where it is nor leave. */
static bool vsplit_plan_is_stuck(const struct vsplit_submit *s,
				 const struct vsplit_list_alloc *item)
{
	bool writes = vsplit_submit_writes(s, item);

	if (!item->named || vsplit_submit_settled(s, item))
		return false;
	return vsplit_bo_must_leave(item->vbo, writes) < 0 ||
	       (item->vbo->tbo.pin_count && !vsplit_bo_can_stay(item->vbo, writes));
}

static int vsplit_plan_allocs(struct vsplit_submit *s, struct vsplit_plan *plan)
{
	struct vsplit_list_alloc *item = NULL;

	plan->allocs = kvcalloc(max(s->nr_bos, 1u), sizeof(*plan->allocs), VSPLIT_GFP_ARRAY);
	if (!plan->allocs)
		return -ENOMEM;
	while ((item = vsplit_submit_next(s, item))) {
		if (vsplit_plan_is_stuck(s, item))
			return -EBUSY;
		vsplit_plan_alloc(s, item, &plan->allocs[item->plan]);
		/* A lock of the CPU lets it be used only in an aperture, and it may be in none. */
		if (!plan->allocs[item->plan].nr_segs)
			return -EBUSY;
	}
	plan->in.allocs = plan->allocs;
	plan->in.nr_allocs = s->nr_bos;
	return 0;
}

static int vsplit_plan_entries(struct vsplit_submit *s, struct vsplit_plan *plan)
{
	/* WDDM 2: all allocations are needed at once, so they are one group with a row for each. */
	u32 nr = s->resid ? s->nr_order : s->args->num_patches;
	struct vsplit_split_entry *entries;
	u32 kept = 0, i;
	int ret = 0;

	entries = kvcalloc(max(nr, 1u), sizeof(*entries), VSPLIT_GFP_ARRAY);
	plan->in.entries = entries;
	if (!entries)
		return -ENOMEM;
	for (i = 0; s->resid && i < nr; i++) {
		if (vsplit_plan_run_of(plan, s->order[i]->plan))
			continue;
		entries[kept].alloc = s->order[i]->plan;
		entries[kept].slot = kept;
		kept++;
	}
	for (i = 0; !ret && !s->resid && i < nr; i++) {
		const struct drm_vsplit_patch *patch = &s->patches[i];
		const struct vsplit_list_alloc *item = vsplit_submit_item(s, patch);

		if (i % VSPLIT_AT_ONCE == 0)
			ret = vsplit_exec_relax();
		entries[i].alloc = item->vbo ? item->plan : VSPLIT_SPLIT_NONE;
		entries[i].slot = patch->slot;
		entries[i].split = patch->split_offset;
	}
	plan->in.nr_entries = s->resid ? kept : nr;
	return ret;
}

/* Sort spans that leave first to the end: required by no device, of low priority, old. */
static int vsplit_plan_span_cmp(const void *a, const void *b)
{
	const struct vsplit_span *x = a, *y = b;

	return cmp_int(y->rank, x->rank) ?: cmp_int(y->priority, x->priority) ?:
	       cmp_int(y->lru, x->lru);
}

static int vsplit_plan_spans(struct vsplit_submit *s, struct vsplit_plan *plan)
{
	struct vsplit_span *spans __free(kvfree) = NULL;
	struct vsplit_split_range *fixed;
	int ret;
	u32 i;

	spans = vsplit_mm_snapshot(&s->vdev->mm, &s->txn,
				   vsplit_submit_planned_segments(s) | vsplit_plan_emptied(s),
				   vsplit_plan_emptied(s), &plan->nr_fixed, &plan->nr_spans);
	if (IS_ERR(spans))
		return PTR_ERR(spans);
	/* A walk that decides as if all that can leave had left need not know where that is. */
	if (s->crowded || !(s->resid || plan->in.flags & VSPLIT_PLAN_KNOBS))
		plan->nr_spans = plan->nr_fixed;
	plan->walk_bytes = s->crowded ? 0 : array_size(plan->nr_spans, sizeof(*fixed));
	ret = vsplit_submit_hold(s, &s->plan_bytes, s->plan_bytes + plan->walk_bytes);
	if (ret)
		return ret;
	if (s->resid)
		vsplit_sort(spans + plan->nr_fixed, plan->nr_spans - plan->nr_fixed,
			    sizeof(*spans), vsplit_plan_span_cmp);
	fixed = kvcalloc(max(plan->nr_spans, 1u), sizeof(*fixed), VSPLIT_GFP_ARRAY);
	for (i = 0; fixed && i < plan->nr_spans; i++) {
		fixed[i].seg = spans[i].segment;
		fixed[i].start = spans[i].start;
		fixed[i].size = spans[i].size;
	}
	plan->in.fixed = fixed;
	plan->in.nr_fixed = plan->nr_spans;
	return fixed ? 0 : -ENOMEM;
}

static void vsplit_plan_flags(const struct vsplit_submit *s, struct vsplit_split_input *in)
{
	if (s->vdev->config.next_use)
		in->flags |= VSPLIT_SPLIT_NEXT_USE;
	if (s->vdev->config.planned)
		in->flags |= VSPLIT_SPLIT_PLANNED;
	if (s->resid)
		return;
	if ((s->args->flags & VSPLIT_SUBMIT_FORCE_SPLIT) || s->knobs.take_split_point)
		in->flags |= VSPLIT_SPLIT_TAKE_SPLIT_POINT;
	if (s->knobs.evict_between)
		in->flags |= VSPLIT_SPLIT_EVICT_BETWEEN;
	if (s->knobs.random_placement) {
		in->flags |= VSPLIT_SPLIT_RANDOM_PLACEMENT;
		in->seed = s->knobs.random_placement;
	}
	if (s->vdev->config.look_ahead)
		in->flags |= VSPLIT_SPLIT_LOOK_AHEAD;
	if (vsplit_exec_pages_ahead(s->vdev))
		in->flags |= VSPLIT_SPLIT_AHEAD;
	if (s->vdev->config.leak_detection)
		in->flags |= VSPLIT_SPLIT_LEAK_DETECTION;
}

static int vsplit_plan_describe(struct vsplit_submit *s, struct vsplit_plan *plan)
{
	struct vsplit_split_input *in = &plan->in;
	int ret;

	ret = vsplit_submit_hold(s, &s->plan_bytes,
				 array_size(s->nr_bos, sizeof(*plan->allocs)) +
				 array_size(max(s->nr_order, s->args->num_patches),
					    sizeof(*plan->in.entries)));
	if (ret)
		return ret;
	vsplit_plan_segments(s, plan);
	ret = vsplit_plan_allocs(s, plan);
	if (!ret)
		ret = vsplit_plan_describe_runs(s, plan);
	if (!ret)
		ret = vsplit_plan_entries(s, plan);
	if (ret)
		return ret;

	in->nr_slots = s->resid ? max(s->nr_order, 1u) : s->vdev->config.slots;
	in->length = max(s->args->stream_bytes, 8u);
	in->page = PAGE_SIZE;
	in->memory_speed = vsplit_gpu_memory_speed(s->vdev->gpu);
	vsplit_plan_flags(s, in);
	return vsplit_plan_spans(s, plan);
}

/*
 * Describe the problem for a plan, which the submission gets; it has to be solved. The allocations
 * are locked.
 * Return: 0; -ENOMEM; -EBUSY: a lock of the CPU or a pin keeps an allocation from each place where
 * it could be used; -E2BIG, -ENOBUFS; -EINTR.
 */
int vsplit_plan_snapshot(struct vsplit_submit *s)
{
	int ret;

	s->plan = kzalloc(sizeof(*s->plan), GFP_KERNEL_ACCOUNT);
	if (!s->plan)
		return -ENOMEM;
	s->plan->s = s;
	ret = vsplit_plan_describe(s, s->plan);
	if (ret)
		vsplit_plan_drop(s);
	return ret;
}

static bool vsplit_plan_same(const struct vsplit_split_alloc *a,
			     const struct vsplit_split_alloc *b)
{
	/* The last use and the priority only order victims: without them the plan stays valid. */
	return a->seg == b->seg && a->offset == b->offset && a->flags == b->flags &&
	       a->nr_segs == b->nr_segs && !memcmp(a->segs, b->segs, sizeof(a->segs));
}

/*
 * Are the list's allocations still as the plan describes them? They are locked, and those that
 * cannot be used where they are have left. Return: 0 or -EAGAIN.
 */
int vsplit_plan_compare(struct vsplit_submit *s)
{
	const struct vsplit_plan *plan = s->plan;
	struct vsplit_list_alloc *item = NULL;

	while ((item = vsplit_submit_next(s, item))) {
		struct vsplit_split_alloc now = {};

		vsplit_plan_alloc(s, item, &now);
		if (item->plan < plan->nr_elsewhere)
			vsplit_plan_go_elsewhere(plan, &now);
		if (!vsplit_plan_same(&now, &plan->allocs[item->plan]))
			return -EAGAIN;
	}
	return 0;
}

/* ---- the answer ---- */

/*
 * Make room for more operations, which are charged before. Unlike the number of portions, their
 * number has no useful bound before the plan. Return: 0, -ENOMEM, -ENOBUFS, -E2BIG.
 */
int vsplit_plan_grow_ops(struct vsplit_split_output *out)
{
	struct vsplit_plan *plan = container_of(out, struct vsplit_plan, out);
	u32 bigger = max(out->max_ops * 2, 64u);
	struct vsplit_split_op *ops;
	int ret;

	ret = vsplit_submit_hold(plan->s, &plan->s->plan_bytes, plan->s->plan_bytes +
				 array_size(bigger, sizeof(*ops)));
	if (ret)
		return ret;
	ops = kvrealloc(out->ops, array_size(bigger, sizeof(*ops)), VSPLIT_GFP_ARRAY);
	if (!ops)
		return -ENOMEM;
	out->ops = ops;
	/* The old array is gone. */
	ret = vsplit_submit_hold(plan->s, &plan->s->plan_bytes, plan->s->plan_bytes -
				 array_size(out->max_ops, sizeof(*ops)));
	out->max_ops = bigger;
	return ret;
}

static int vsplit_plan_alloc_out(struct vsplit_plan *plan)
{
	struct vsplit_split_input *in = &plan->in;
	struct vsplit_split_output *out = &plan->out;
	struct vsplit_submit *s = plan->s;
	/* On a WDDM 2 device vsplit_plan_bind_patches() sets the binds of the client's entries. */
	u32 nr_binds = max(in->nr_entries, s->args->num_patches);
	size_t charged;
	int ret;

	in->nr_fixed = s->crowded ? 0 : plan->nr_spans;
	charged = vsplit_split_workspace(in);
	in->nr_fixed = plan->nr_spans;
	plan->workspace_bytes = vsplit_split_workspace(in);
	out->max_portions = min(vsplit_split_portions(in), VSPLIT_MAX_PORTIONS);
	ret = vsplit_submit_hold(s, &s->plan_bytes, s->plan_bytes + charged +
				 array_size(out->max_portions, sizeof(*out->portions)) +
				 array_size(nr_binds, sizeof(*out->binds)) +
				 array_size(in->nr_allocs, sizeof(*out->final)));
	if (ret)
		return ret;
	plan->walk_bytes += charged;
	plan->workspace = kvmalloc(plan->workspace_bytes, VSPLIT_GFP_ARRAY);
	out->portions = kvcalloc(out->max_portions, sizeof(*out->portions), VSPLIT_GFP_ARRAY);
	out->binds = kvcalloc(max(nr_binds, 1u), sizeof(*out->binds), VSPLIT_GFP_ARRAY);
	out->final = kvcalloc(max(in->nr_allocs, 1u), sizeof(*out->final), VSPLIT_GFP_ARRAY);
	out->grow_ops = vsplit_plan_grow_ops;
	if (!plan->workspace || !out->portions || !out->binds || !out->final)
		return -ENOMEM;
	return 0;
}

/* The plan is complete: what only the walk needs goes. */
static int vsplit_plan_end_walk(struct vsplit_plan *plan)
{
	struct vsplit_submit *s = plan->s;

	kvfree(plan->workspace);
	kvfree(plan->in.fixed);
	plan->workspace = NULL;
	plan->in.fixed = NULL;
	plan->solved = true;
	return vsplit_submit_hold(s, &s->plan_bytes, s->plan_bytes - plan->walk_bytes);
}

static int vsplit_plan_try(struct vsplit_plan *plan)
{
	return vsplit_split_plan(&plan->in, &plan->out, plan->workspace, plan->workspace_bytes);
}

/*
 * Does the plan split although allocations of others have not left yet (A9)? They may stay if all
 * split points are taken anyway.
 */
static bool vsplit_plan_is_early(const struct vsplit_plan *plan, bool last, int ret)
{
	if (last || (plan->in.flags & VSPLIT_SPLIT_TAKE_SPLIT_POINT))
		return false;
	return ret == -EPERM || ret == -E2BIG || (!ret && plan->out.nr_portions > 1);
}

static int vsplit_plan_run(struct vsplit_plan *plan, bool last)
{
	int ret;

	plan->in.nr_fixed = last ? plan->nr_fixed : plan->nr_spans;
	/* The first run only asks whether a split is needed. The workspace fits both runs. */
	if (!last)
		plan->in.flags &= ~VSPLIT_SPLIT_PLANNED;
	else if (plan->s->vdev->config.planned)
		plan->in.flags |= VSPLIT_SPLIT_PLANNED;
	ret = vsplit_plan_try(plan);
	if (ret == -ENOSPC && last && (plan->in.flags & VSPLIT_SPLIT_RANDOM_PLACEMENT)) {
		/* The knob changes plans, but must not make a solvable problem fail. */
		plan->in.flags &= ~VSPLIT_SPLIT_RANDOM_PLACEMENT;
		ret = vsplit_plan_try(plan);
	}
	if (ret == -ENOSPC && last) {
		/* The choice of victims must not make it fail, either: try the other policy. */
		plan->in.flags ^= VSPLIT_SPLIT_NEXT_USE;
		ret = vsplit_plan_try(plan);
	}
	atomic64_add(plan->out.steps, &plan->s->vdev->stats.plan_steps);
	return vsplit_plan_is_early(plan, last, ret) ? -ENOSPC : ret;
}

/*
 * Decide where the DMA buffer is cut and what moves: as if all other allocations that can be
 * evicted had left. If a knob or a flag asks for a split of a submission that may well fit, the
 * walk first decides as if all stayed.
 */
static int vsplit_plan_solve_split(struct vsplit_submit *s, struct vsplit_plan *plan)
{
	int ret;

	ret = plan->in.flags & VSPLIT_PLAN_KNOBS ? vsplit_plan_run(plan, false) : -ENOSPC;
	if (ret == -ENOSPC)
		ret = vsplit_plan_run(plan, true);
	if (ret == -ENOSPC && (s->queue->flags & VSPLIT_CTX_WDDM_ERRORS)) {
		plan->prefix = true;
		ret = 0;
	}
	if (ret)
		drm_dbg_core(&s->vdev->drm, "plan failed: %d at patch %u\n", ret,
			     plan->out.fail_entry);
	return ret;
}

/* Solve as if the first @victims of the allocations that can leave had left. */
static int vsplit_plan_run_required(struct vsplit_plan *plan, u32 victims)
{
	int ret;

	plan->in.nr_fixed = plan->nr_spans - victims;
	ret = vsplit_plan_try(plan);
	if (!ret)
		ret = vsplit_plan_place_runs(plan);
	atomic64_add(plan->out.steps, &plan->s->vdev->stats.plan_steps);
	return ret;
}

/*
 * In the walk an allocation that has a place stays there, even if an allocation in runs needs the
 * room and the first one may be in another segment. So put more and more of such allocations into
 * other segments.
 */
static int vsplit_plan_solve_elsewhere(struct vsplit_plan *plan, u32 victims)
{
	u32 more = 1, i;
	int ret = -ENOSPC;

	while (plan->nr_runs && ret == -ENOSPC && plan->nr_elsewhere < plan->in.nr_allocs) {
		more = min(2 * more, plan->in.nr_allocs - plan->nr_elsewhere);
		for (i = 0; i < more; i++)
			vsplit_plan_go_elsewhere(plan, &plan->allocs[plan->nr_elsewhere++]);
		ret = vsplit_plan_run_required(plan, victims);
	}
	return ret;
}

/* Set the places of the client's entries: the plan was solved with entries of its own. */
static int vsplit_plan_bind_patches(struct vsplit_submit *s, struct vsplit_plan *plan)
{
	struct vsplit_split_output *out = &plan->out;
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < s->args->num_patches; i++) {
		const struct vsplit_list_alloc *item = vsplit_submit_item(s, &s->patches[i]);

		if (i % VSPLIT_AT_ONCE == 0)
			ret = vsplit_exec_relax();
		out->binds[i] = (struct vsplit_split_bind) { .seg = VSPLIT_SEG_SYSTEM };
		if (!item->vbo)
			continue;
		out->binds[i].seg = out->final[item->plan].seg;
		out->binds[i].offset = out->final[item->plan].offset;
	}
	if (out->nr_portions)
		out->portions[0].nr_entries = s->args->num_patches;
	return ret;
}

/*
 * Decide where all allocations that a device requires are, at once. About as few victims leave as
 * possible: first those that no device requires, and of these first those of the lowest priority,
 * least recently used first.
 */
static int vsplit_plan_solve_required(struct vsplit_submit *s, struct vsplit_plan *plan)
{
	u32 soft = plan->nr_spans - plan->nr_fixed, few = 0, victims = 0;
	int ret;

	while ((ret = vsplit_plan_run_required(plan, victims)) == -ENOSPC && victims < soft) {
		few = victims + 1;
		victims = min(2 * few, soft);
	}
	if (ret == -ENOSPC && s->whole) {
		few = victims;
		ret = vsplit_plan_solve_elsewhere(plan, victims);
	}
	while (!ret && few < victims) {
		u32 middle = few + (victims - few) / 2;

		ret = vsplit_plan_run_required(plan, middle);
		if (!ret)
			victims = middle;
		else if (ret == -ENOSPC)
			few = middle + 1;
		if (ret == -ENOSPC)
			ret = 0;
	}
	if (!ret && plan->in.nr_fixed != plan->nr_spans - victims)
		ret = vsplit_plan_run_required(plan, victims);
	if (!ret)
		ret = vsplit_plan_add_runs(plan);
	if (!ret)
		ret = vsplit_plan_bind_patches(s, plan);
	return ret;
}

/*
 * Let the walk decide what moves, and where the DMA buffer is cut; nothing is locked. A plan that
 * was solved without an error is not solved again. With WDDM error semantics a DMA buffer that
 * cannot be completed is not an error here: then the plan is the feasible prefix.
 * Return: 0; -ENOSPC: a group, or what a WDDM 2 device requires, does not fit even alone; -E2BIG:
 * the plan takes more than VSPLIT_MAX_PORTIONS, or more memory than a file may have; -ENOBUFS;
 * -EPERM: leak detection refuses a split; -ENOMEM; -EINTR.
 */
int vsplit_plan_solve(struct vsplit_submit *s)
{
	struct vsplit_plan *plan = s->plan;
	int ret;

	if (plan->solved)
		return 0;
	ret = vsplit_plan_alloc_out(plan);
	if (!ret)
		ret = s->resid ? vsplit_plan_solve_required(s, plan) :
				 vsplit_plan_solve_split(s, plan);
	return ret ?: vsplit_plan_end_walk(plan);
}

/** vsplit_plan_is_whole() - Does a plan need no split? */
bool vsplit_plan_is_whole(const struct vsplit_plan *plan)
{
	return !plan->prefix && plan->out.nr_portions == 1;
}

/* ---- making it so ---- */

/* Populate all allocations that move, even those that come back: steps name their pages. */
static int vsplit_plan_populate(struct vsplit_submit *s, const struct vsplit_plan *plan)
{
	struct vsplit_list_alloc *item = NULL;
	int ret;

	while ((item = vsplit_submit_next(s, item))) {
		if (plan->out.final[item->plan].last_op == VSPLIT_SPLIT_NONE)
			continue;
		ret = vsplit_bo_populate(item->vbo, &s->txn.ctx);
		if (ret)
			return ret;
	}
	return 0;
}

static int vsplit_plan_reloc(struct vsplit_submit *s, const struct vsplit_plan *plan,
			     struct vsplit_list_alloc *item)
{
	const struct vsplit_split_final *final = &plan->out.final[item->plan];
	const struct vsplit_plan_run *run = vsplit_plan_run_of(plan, item->plan);
	struct vsplit_reloc *reloc = &s->relocs[item->plan];

	reloc->vbo = item->vbo;
	reloc->unranged = item->range != item->vbo->range;
	reloc->moved = final->last_op != VSPLIT_SPLIT_NONE;
	item->early = reloc->moved && !plan->out.ops[final->last_op].portion;
	reloc->dirty = final->flags & VSPLIT_SPLIT_ALLOC_DIRTY;
	reloc->clear = final->flags & VSPLIT_SPLIT_ALLOC_CLEAR;
	if (run)
		reloc->runs = run->to;
	else
		reloc->offset = final->offset;
	if (run ? !reloc->moved : final->seg == vsplit_bo_segment(item->vbo) &&
	    (final->seg == VSPLIT_SEG_SYSTEM || final->offset == vsplit_bo_offset(item->vbo)))
		return 0;
	return vsplit_bo_acquire_unplaced(item->vbo, final->seg, &s->txn.ctx, &reloc->res);
}

/*
 * A move needs ranges: two if it leaves a segment, for a gap and the old place, and one if it
 * enters a segment.
 */
static u32 vsplit_plan_spares(const struct vsplit_plan *plan, u32 runs)
{
	u32 spares = 3 * runs, i;

	for (i = 0; i < plan->in.nr_allocs; i++) {
		const struct vsplit_split_final *final = &plan->out.final[i];

		if (final->last_op == VSPLIT_SPLIT_NONE || vsplit_plan_run_of(plan, i))
			continue;
		spares += (plan->allocs[i].seg != VSPLIT_SEG_SYSTEM ? 2 : 0) +
			  (final->seg != VSPLIT_SEG_SYSTEM);
	}
	return spares;
}

/*
 * Make the layout, which knows what the plan does to the segments; nothing is locked. Return: 0,
 * -ENOMEM, -ENOBUFS, -E2BIG.
 */
int vsplit_plan_layout(struct vsplit_submit *s)
{
	const struct vsplit_plan *plan = s->plan;
	u32 nr_ops = plan->out.nr_ops, runs = vsplit_plan_count_runs(plan);
	u32 spares = vsplit_plan_spares(plan, runs), portion = 0, i;
	struct vsplit_layout *layout;
	int ret;

	ret = vsplit_submit_hold(s, &s->plan_bytes, s->plan_bytes +
				 vsplit_layout_bytes(spares, nr_ops + runs));
	if (ret)
		return ret;
	layout = vsplit_layout_prepare(&s->txn, vsplit_submit_planned_segments(s),
				       vsplit_plan_emptied(s), spares, nr_ops + runs);
	if (IS_ERR(layout))
		return PTR_ERR(layout);
	for (i = 0; i < s->nr_bos; i++)
		vsplit_layout_begin(layout, plan->allocs[i].seg, plan->allocs[i].size);
	for (i = 0; i < plan->nr_runs; i++)
		if (plan->runs[i].from)
			vsplit_layout_begin(layout, plan->runs[i].segment, plan->runs[i].size);
	for (i = 0; i < nr_ops; i++) {
		const struct vsplit_split_op *op = &plan->out.ops[i];

		if (op->portion != portion)
			vsplit_layout_settled(layout);
		portion = op->portion;
		if (vsplit_plan_run_of(plan, op->alloc))
			vsplit_plan_layout_runs(plan, op, layout);
		else
			vsplit_layout_step(layout, op->from_seg, op->from, op->to_seg, op->to,
					   plan->allocs[op->alloc].size);
	}
	vsplit_layout_settled(layout);
	s->layout = layout;
	return 0;
}

static int vsplit_plan_relocs(struct vsplit_submit *s, const struct vsplit_plan *plan)
{
	struct vsplit_list_alloc *item = NULL;
	int ret;

	if (vsplit_fault("plan.relocs"))
		return -ENOMEM;
	while ((item = vsplit_submit_next(s, item))) {
		ret = vsplit_plan_reloc(s, plan, item);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Make the program of a plan that is still valid, and get the resources for its commit. The
 * allocations are locked, the places are claimed. Return: 0, -ENOMEM, -ENOBUFS, -E2BIG,
 * -ERESTARTSYS, -EINTR.
 */
int vsplit_plan_finish(struct vsplit_submit *s)
{
	const struct vsplit_plan *plan = s->plan;
	u32 nr_portions = plan->out.nr_portions;
	int ret;

	if (!s->args->stream_bytes)
		nr_portions = 0;
	if (plan->prefix)
		s->job->result = -ENOMEM;
	ret = vsplit_plan_populate(s, plan);
	if (ret)
		return ret;
	ret = vsplit_program_planned(s, nr_portions);
	return ret ?: vsplit_plan_relocs(s, plan);
}
