// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: what is in the way of a plan
 *
 * A plan is made on a snapshot of the segments (vsplit_mm_snapshot()): the allocations that are
 * fixed there, and those that would leave if the plan needed their places. Nothing is locked
 * meanwhile, so before the plan is carried out its layout looks again
 * (vsplit_layout_lock_victims()): an allocation that is in the plan's windows now has to leave, and
 * is a *victim*; if it is fixed, the plan is outdated.
 *
 * A segment also has a commit limit, and all apertures together may have one. A plan may have more
 * bytes of its own in a segment before some portion than when it begins. If these exceed the limit,
 * other allocations leave, wherever in the segment they are: first those that no device requires,
 * then by priority, the oldest first among equals. vsplit_layout.c charges the peak for the time
 * until the commit.
 */
#include <linux/slab.h>

#include <drm/drm_exec.h>

#include "mm/vsplit_layout_internal.h"
#include "debug/vsplit_fault.h"

/* ---- what a plan has to know ---- */

static struct vsplit_span vsplit_range_span(const struct vsplit_range *range, u32 segment,
					    const struct vsplit_txn *txn)
{
	struct vsplit_span span = {
		.segment = segment, .start = range->node.start, .size = range->node.size,
		.rank = VSPLIT_RESID_NONE,
	};
	struct vsplit_bo *vbo;

	if (!range->bo)
		return span;
	vbo = to_vsplit_bo(range->bo);
	span.rank = vsplit_resid_rank(&txn->mm->resid, &vbo->resid, txn->resid);
	span.priority = READ_ONCE(vbo->priority);
	span.lru = READ_ONCE(vbo->lru);
	return span;
}

/* Will the owner keep the range? If not, it can be evicted, or leaves by itself. */
static bool vsplit_range_is_fixed(const struct vsplit_range *range, bool emptied,
				  enum vsplit_resid_rank rank)
{
	/* A claimed window soon belongs to an allocation, or is free again. */
	if (!range->bo)
		return false;
	return !emptied || READ_ONCE(range->bo->pin_count) || rank == VSPLIT_RESID_OWN ||
	       vsplit_bo_is_stuck(to_vsplit_bo(range->bo));
}

/* The walk does not place allocations in runs. Those that cannot move are in its way. */
static bool vsplit_range_stays(const struct vsplit_range *range)
{
	const struct vsplit_bo *vbo = to_vsplit_bo(range->bo);

	return (vbo->flags & VSPLIT_GEM_RUNS) && vsplit_bo_stays(vbo);
}

u32 vsplit_mm_emptied(const struct vsplit_mm *mm, u32 segments)
{
	u32 apertures = mm->resid.apertures;

	return mm->vdev->config.aperture_limit && segments & apertures ? segments | apertures :
									  segments;
}

/* Add the spans of a segment: fixed ones at the front, others from the end, while there is room. */
static u32 vsplit_segment_snapshot(struct vsplit_segment *segment, const struct vsplit_txn *txn,
				   bool emptied, struct vsplit_span *spans, u32 max,
				   u32 *nr_fixed, u32 *nr_soft)
{
	struct drm_mm_node *node;
	u32 found = 0;

	guard(mutex)(&segment->lock);
	drm_mm_for_each_node(node, &segment->ranges) {
		struct vsplit_range *range = node_to_range(node);
		bool own = vsplit_range_is_own(range, txn);
		struct vsplit_span span;

		if (own && !vsplit_range_stays(range))
			continue;
		found++;
		if (*nr_fixed + *nr_soft == max)
			continue;
		span = vsplit_range_span(range, segment->index, txn);
		if (own || vsplit_range_is_fixed(range, emptied, span.rank))
			spans[(*nr_fixed)++] = span;
		else
			spans[max - ++(*nr_soft)] = span;
	}
	return found;
}

struct vsplit_span *vsplit_mm_snapshot(struct vsplit_mm *mm, const struct vsplit_txn *txn,
				       u32 segments, u32 emptied, u32 *nr_fixed, u32 *nr)
{
	struct vsplit_span *spans = NULL;
	unsigned long mask = segments;
	u32 max = 0, soft, found, i;

	for (;;) {
		*nr_fixed = 0;
		soft = 0;
		found = 0;
		for_each_set_bit(i, &mask, mm->nr_segments)
			found += vsplit_segment_snapshot(&mm->segments[i], txn, emptied & BIT(i),
							 spans, max, nr_fixed, &soft);
		if (found <= max)
			break;
		kvfree(spans);
		max = found + 16;
		spans = vsplit_fault("mm.snapshot") ? NULL :
			kvmalloc_array(max, sizeof(*spans), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!spans)
			return ERR_PTR(-ENOMEM);
	}
	if (soft)
		memmove(&spans[*nr_fixed], &spans[max - soft], array_size(soft, sizeof(*spans)));
	*nr = *nr_fixed + soft;
	return spans;
}

/* ---- limits ---- */

/* Bytes that other allocations have to leave in a segment for the plan's peak; may be negative. */
s64 vsplit_layout_over(const struct vsplit_layout *layout, const struct vsplit_segment *segment)
{
	return (s64)(READ_ONCE(segment->committed) + layout->peak[segment->index]) -
	       (s64)(layout->begins[segment->index] + segment->commit_limit);
}

/* How many more bytes of its own the plan has in all apertures at its peak than at its begin. */
s64 vsplit_layout_more_apertures(const struct vsplit_layout *layout)
{
	s64 more = layout->peak_apertures;
	u32 i;

	for (i = 0; i < layout->mm->nr_segments; i++)
		if (layout->mm->segments[i].aperture)
			more -= layout->begins[i];
	return more;
}

static s64 vsplit_layout_over_apertures(const struct vsplit_layout *layout)
{
	const struct vsplit_mm *mm = layout->mm;
	u64 limit = mm->vdev->config.aperture_limit;

	return limit ? atomic64_read(&mm->aperture_committed) - (s64)limit +
		       vsplit_layout_more_apertures(layout) : S64_MIN;
}

/* Bytes that the victims, which are locked, will leave in a segment. Some may have left before. */
u64 vsplit_layout_victim_bytes(const struct vsplit_layout *layout, u32 segment)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < layout->nr_victims; i++) {
		const struct vsplit_victim *victim = &layout->victims[i];

		if (victim->at.segment == segment && vsplit_bo_segment(victim->vbo) == segment)
			bytes += victim->at.size;
	}
	return bytes;
}

/* Bytes that may be in all apertures together, before the victims, which are locked, leave. */
s64 vsplit_layout_most_in_apertures(const struct vsplit_layout *layout)
{
	const struct vsplit_mm *mm = layout->mm;
	s64 most = mm->vdev->config.aperture_limit;
	u32 i;

	if (!most)
		return S64_MAX;
	for (i = 0; i < mm->nr_segments; i++)
		if (mm->segments[i].aperture)
			most += vsplit_layout_victim_bytes(layout, i);
	return most;
}

/* ---- victims ---- */

void vsplit_layout_forget(struct vsplit_layout *layout)
{
	u32 i;

	for (i = 0; i < layout->nr_found; i++)
		drm_gem_object_put(&layout->victims[i].vbo->tbo.base);
	layout->nr_found = 0;
	layout->nr_victims = 0;
}

/*
 * Look at one range: its owner is a victim (@in_window), may become one (@more), or does not
 * matter. The caller has made room for it in layout->victims.
 */
static int vsplit_layout_consider(struct vsplit_layout *layout, struct vsplit_segment *segment,
				  struct vsplit_range *range, bool in_window, bool more)
{
	struct vsplit_victim *victim = &layout->victims[layout->nr_found];
	bool emptied = layout->emptied & BIT(segment->index);

	lockdep_assert_held(&segment->lock);

	if (vsplit_range_is_own(range, layout->txn) || !(in_window || more))
		return 0;
	victim->at = vsplit_range_span(range, segment->index, layout->txn);
	if (!range->bo || vsplit_range_is_fixed(range, emptied, victim->at.rank) ||
	    !kref_get_unless_zero(&range->bo->base.refcount))
		return in_window ? -EAGAIN : 0;
	victim->vbo = to_vsplit_bo(range->bo);
	victim->needed = in_window;
	layout->nr_found++;
	return 0;
}

/* Walk over the ranges of a segment and over the windows, both in the order of addresses. */
static int vsplit_layout_scan(struct vsplit_layout *layout, struct vsplit_segment *segment,
			      bool more)
{
	const struct vsplit_span *window, *end;
	struct drm_mm_node *node;
	int ret;
	u32 nr;

	lockdep_assert_held(&segment->lock);

	window = vsplit_layout_windows(layout, segment->index, &nr);
	end = window + nr;
	drm_mm_for_each_node(node, &segment->ranges) {
		while (window < end && window->start + window->size <= node->start)
			window++;
		if (window == end && !more)
			break;
		ret = vsplit_layout_consider(layout, segment, node_to_range(node),
					     window < end && window->start <
					     node->start + node->size, more);
		if (ret)
			return ret;
	}
	return 0;
}

static int vsplit_layout_find_in(struct vsplit_layout *layout, struct vsplit_segment *segment,
				 bool more)
{
	struct vsplit_victim *bigger;
	struct drm_mm_node *node;
	u32 nr;
	int ret;

	for (;;) {
		nr = layout->nr_found;
		mutex_lock(&segment->lock);
		drm_mm_for_each_node(node, &segment->ranges)
			nr++;
		if (nr <= layout->max_victims)
			break;
		mutex_unlock(&segment->lock);
		nr += 16;
		bigger = vsplit_fault("mm.victims") ? NULL :
			 kvrealloc(layout->victims, array_size(nr, sizeof(*bigger)),
				   GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!bigger)
			return -ENOMEM;
		layout->victims = bigger;
		layout->max_victims = nr;
	}
	ret = vsplit_layout_scan(layout, segment, more);
	mutex_unlock(&segment->lock);
	return ret;
}

/* First those that no device requires, then by lowest priority, then the oldest. */
static int vsplit_victim_cmp(const void *a, const void *b)
{
	const struct vsplit_victim *x = a, *y = b;

	return cmp_int(x->at.rank, y->at.rank) ?: cmp_int(x->at.priority, y->at.priority) ?:
	       cmp_int(x->at.lru, y->at.lru) ?: cmp_int(x->vbo->id, y->vbo->id);
}

/* Choose as many victims as the limits require; the other candidates come behind them. */
static int vsplit_layout_choose(struct vsplit_layout *layout)
{
	struct vsplit_mm *mm = layout->mm;
	s64 over[VSPLIT_MAX_SEGMENTS], over_apertures = vsplit_layout_over_apertures(layout);
	u32 kept = 0, spares, i;

	for (i = 0; i < mm->nr_segments; i++)
		over[i] = layout->peak[i] > layout->begins[i] ?
			  vsplit_layout_over(layout, &mm->segments[i]) : 0;
	for (i = 0; i < layout->nr_found; i++) {
		const struct vsplit_victim *victim = &layout->victims[i];

		if (!victim->needed)
			continue;
		over[victim->at.segment] -= victim->at.size;
		if (mm->segments[victim->at.segment].aperture && over_apertures > 0)
			over_apertures -= victim->at.size;
	}
	vsplit_sort(layout->victims, layout->nr_found, sizeof(*layout->victims), vsplit_victim_cmp);
	for (i = 0; i < layout->nr_found; i++) {
		struct vsplit_victim *victim = &layout->victims[i];
		bool aperture = mm->segments[victim->at.segment].aperture;

		if (!victim->needed && (over[victim->at.segment] > 0 ||
					(aperture && over_apertures > 0))) {
			victim->needed = true;
			over[victim->at.segment] -= victim->at.size;
			if (aperture && over_apertures > 0)
				over_apertures -= victim->at.size;
		}
		if (!victim->needed)
			continue;
		swap(layout->victims[kept], *victim);
		kept++;
	}
	layout->nr_victims = kept;
	/* One for each window; two for each victim: the gap behind it, the place that it leaves. */
	spares = layout->nr_windows + 2 * kept;
	if (spares <= layout->nr_found_spares)
		return 0;
	swap(spares, layout->nr_found_spares);
	return vsplit_layout_add_spares(layout, layout->nr_found_spares - spares);
}

static int vsplit_layout_find_victims(struct vsplit_layout *layout)
{
	bool apertures = vsplit_layout_over_apertures(layout) > 0;
	struct vsplit_mm *mm = layout->mm;
	int ret;
	u32 i;

	layout->nr_windows = vsplit_spans_merge(layout->windows, layout->nr_windows);
	for (i = 0; i < mm->nr_segments; i++) {
		struct vsplit_segment *segment = &mm->segments[i];
		bool more = (apertures && segment->aperture) ||
			    (layout->peak[i] > layout->begins[i] &&
			     vsplit_layout_over(layout, segment) > 0);
		u32 nr;

		vsplit_layout_windows(layout, i, &nr);
		if (!nr && !more)
			continue;
		ret = vsplit_layout_find_in(layout, segment, more);
		if (ret)
			return ret;
	}
	return vsplit_layout_choose(layout);
}

void vsplit_layout_unmark(struct vsplit_layout *layout)
{
	u32 i;

	for (i = 0; i < layout->nr_victims; i++)
		if (READ_ONCE(layout->victims[i].vbo->txn) == layout->txn)
			WRITE_ONCE(layout->victims[i].vbo->txn, NULL);
}

static int vsplit_layout_lock_victim(struct vsplit_layout *layout, struct drm_exec *exec,
				     struct vsplit_bo *vbo)
{
	struct drm_gem_object *gem = &vbo->tbo.base;
	int ret;

	ret = vsplit_interrupted("mm.victim") ? -EINTR :
	      drm_exec_prepare_obj(exec, gem, VSPLIT_RESV_SLOTS);
	if (ret == -EDEADLK && gem != layout->contended) {
		/* drm_exec holds a reference to the old one, too, so this put is not the last. */
		drm_gem_object_put(layout->contended);
		drm_gem_object_get(gem);
		layout->contended = gem;
	}
	/* A victim may be found again, in another run; imports may share a dma_resv. */
	return ret == -EALREADY ? dma_resv_reserve_fences(gem->resv, VSPLIT_RESV_SLOTS) : ret;
}

int vsplit_layout_lock_victims(struct vsplit_layout *layout, struct drm_exec *exec)
{
	int ret;
	u32 i;

	ret = vsplit_layout_find_victims(layout);
	vsplit_sync_point("mm.victims");
	for (i = 0; !ret && i < layout->nr_victims; i++) {
		struct vsplit_bo *vbo = layout->victims[i].vbo;

		ret = vsplit_layout_lock_victim(layout, exec, vbo);
		if (ret)
			break;
		WRITE_ONCE(vbo->txn, layout->txn);
		/* It was found without its lock: a head may have pinned it since. */
		if (vbo->tbo.pin_count)
			ret = -EAGAIN;
	}
	return ret;
}

struct vsplit_bo *vsplit_layout_victim(const struct vsplit_layout *layout, u32 i)
{
	return i < layout->nr_victims ? layout->victims[i].vbo : NULL;
}
