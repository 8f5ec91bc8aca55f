// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: commit of placements
 *
 * A submission gets its places in two steps. What may fail comes first and
 * changes nothing: resources are acquired, with ranges (vsplit_bo_acquire()) or
 * without (a plan decides). The commit cannot fail: CPU mappings of what moves are
 * zapped, old resources freed, new ones assigned.
 *
 * A plan was made on a snapshot (vsplit_mm_snapshot()) without any lock. Its layout knows
 * what its steps enter, the *windows*, and takes these from the segments in three stages:
 *
 *  lock_victims  other allocations that lie in the windows, or that the commit limits
 *                leave no room for, are locked beside its own.
 *  claim         whatever lies in a window now is locked by this transaction, or the plan
 *                is outdated. The gaps are filled with ranges of no allocation.
 *  evict         each victim leaves by vsplit_bo_page(), and what it leaves is
 *                claimed too: no other allocation gets in between.
 *
 * From then on the segments' lock is all that the commit needs. In one piece for each
 * segment it replaces what is claimed by the final places. The program depends on the
 * fences of all pending ranges where its steps read or write
 * (vsplit_layout_visit_fences()). A range that is given back there later is not touched
 * by the plan, and its fence is kept.
 *
 * Final places take effect together, at the commit, and this is what TTM has no call
 * for: it places one buffer at a time, at once. All else is TTM's: the victims leave by
 * ttm_bo_validate(), resources come from ttm_bo_mem_space().
 */
#include <linux/slab.h>

#include <drm/drm_exec.h>

#include "mm/vsplit_mm_internal.h"
#include "debug/vsplit_trace.h"

/**
 * struct vsplit_victim - An allocation that a layout evicts, or may.
 * @vbo: GEM reference.
 * @at: where it is, and what is known of it, as it was found; its rank is never VSPLIT_RESID_OWN.
 * @needed: it has to leave.
 */
struct vsplit_victim {
	struct vsplit_bo *vbo;
	struct vsplit_span at;
	bool needed;
};

/**
 * struct vsplit_layout - Places that a plan has decided.
 * @txn: the transaction.
 * @mm: memory management.
 * @segments: bit mask of segments that the plan may touch.
 * @emptied: bit mask of those that other allocations are evicted from.
 * @covers: for each of them a range that becomes pending with the program's fence:
 *	all that its steps touch.
 * @spares: struct vsplit_range.link: empty ones.
 * @for_victims: of @spares, those that were made for victims.
 * @held: struct vsplit_range.link by segment: what it has claimed; under its lock.
 * @windows: what its steps enter, @nr_windows; from lock_victims on sorted and disjoint.
 * @nr_windows: how many.
 * @max_windows: room.
 * @sorted: @windows are.
 * @begins: bytes of its own by segment, when the plan begins.
 * @bytes: while steps are said: as they are after the last one.
 * @peak: the most that are there before any portion.
 * @peak_apertures: the same of all aperture segments together.
 * @extra: bytes by segment that were charged for the peak; under its lock.
 * @extra_apertures: those that were charged to all aperture segments together.
 * @kept: bytes by segment of its own that left during the commit; under its lock.
 * @committing: own ranges are coming, not victims'.
 * @claimed: it has, or has had, windows in the segments.
 * @victims: @nr_found of them, of which the first @nr_victims have to leave; one in several
 *	runs is found once for each.
 * @nr_found: how many references it has.
 * @nr_victims: how many have to leave.
 * @max_victims: room.
 * @contended: the last victim that drm_exec has to wait for, a reference; or NULL. It may be no
 *	victim any more when drm_exec has it, and lockdep complains if the last reference is
 *	dropped while others are locked by the same ticket.
 *
 * The transaction's task's alone, but for what is under a segment's lock.
 */
struct vsplit_layout {
	struct vsplit_txn *txn;
	struct vsplit_mm *mm;
	u32 segments;
	u32 emptied;
	struct vsplit_range *covers[VSPLIT_MAX_SEGMENTS];
	struct list_head spares;
	u32 for_victims;
	struct list_head held[VSPLIT_MAX_SEGMENTS];
	struct vsplit_span *windows;
	u32 nr_windows;
	u32 max_windows;
	bool sorted;
	u64 begins[VSPLIT_MAX_SEGMENTS];
	u64 bytes[VSPLIT_MAX_SEGMENTS];
	u64 peak[VSPLIT_MAX_SEGMENTS];
	u64 peak_apertures;
	u64 extra[VSPLIT_MAX_SEGMENTS];
	u64 extra_apertures;
	u64 kept[VSPLIT_MAX_SEGMENTS];
	bool committing;
	bool claimed;
	struct vsplit_victim *victims;
	u32 nr_found;
	u32 nr_victims;
	u32 max_victims;
	struct drm_gem_object *contended;
};

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

/* Can what has the range be made to leave it, or does it leave by itself? */
static bool vsplit_range_is_fixed(const struct vsplit_range *range, bool emptied,
				  enum vsplit_resid_rank rank)
{
	/* A claimed window is some allocation's soon, or free again. */
	if (!range->bo)
		return false;
	return !emptied || READ_ONCE(range->bo->pin_count) || rank == VSPLIT_RESID_OWN ||
	       vsplit_bo_is_stuck(to_vsplit_bo(range->bo));
}

static bool vsplit_range_is_own(const struct vsplit_range *range, const struct vsplit_txn *txn)
{
	return range->bo && READ_ONCE(to_vsplit_bo(range->bo)->txn) == txn;
}

/* What is in runs is no allocation of the walk's. If it cannot move, it is in the way. */
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

/* Spans of one segment: fixed ones in front, the others from the end, as far as there is room. */
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

/* ---- what a plan does ---- */

static int vsplit_layout_add_spares(struct vsplit_layout *layout, u32 nr)
{
	struct vsplit_range *range;

	while (nr--) {
		range = vsplit_range_create();
		if (!range)
			return -ENOMEM;
		list_add(&range->link, &layout->spares);
	}
	return 0;
}

static struct vsplit_range *vsplit_layout_take_spare(struct vsplit_layout *layout)
{
	struct vsplit_range *range;

	range = list_first_entry_or_null(&layout->spares, struct vsplit_range, link);
	if (range)
		list_del_init(&range->link);
	else
		drm_err(&layout->mm->vdev->drm, "layout prepared for fewer allocations\n");
	return range;
}

u64 vsplit_layout_bytes(u32 nr_spares, u32 nr_steps)
{
	return array_size(nr_spares, sizeof(struct vsplit_range)) +
	       array_size(nr_steps, sizeof(struct vsplit_span));
}

struct vsplit_layout *vsplit_layout_prepare(struct vsplit_txn *txn, u32 segments, u32 emptied,
					    u32 nr_spares, u32 nr_steps)
{
	unsigned long mask = segments;
	struct vsplit_layout *layout;
	u32 i;

	layout = vsplit_fault("mm.layout") ? NULL : kzalloc(sizeof(*layout), GFP_KERNEL);
	if (!layout)
		return ERR_PTR(-ENOMEM);
	layout->txn = txn;
	layout->mm = txn->mm;
	layout->segments = segments;
	layout->emptied = emptied;
	layout->max_windows = nr_steps;
	INIT_LIST_HEAD(&layout->spares);
	for (i = 0; i < ARRAY_SIZE(layout->held); i++)
		INIT_LIST_HEAD(&layout->held[i]);

	for_each_set_bit(i, &mask, txn->mm->nr_segments) {
		layout->covers[i] = vsplit_range_create();
		if (!layout->covers[i])
			goto no_memory;
	}
	layout->windows = kvmalloc_array(max(nr_steps, 1u), sizeof(*layout->windows),
					 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (layout->windows && !vsplit_layout_add_spares(layout, nr_spares))
		return layout;
no_memory:
	vsplit_layout_end(layout);
	return ERR_PTR(-ENOMEM);
}

void vsplit_layout_begin(struct vsplit_layout *layout, u32 segment, u64 size)
{
	if (segment == VSPLIT_SEG_SYSTEM)
		return;
	layout->begins[segment] += size;
	layout->bytes[segment] += size;
}

static void vsplit_layout_touch(struct vsplit_layout *layout, u32 segment, u64 start, u64 size)
{
	struct vsplit_range *cover = layout->covers[segment];
	u64 end = start + size;

	if (!cover)
		return;
	if (cover->node.size) {
		end = max(end, cover->node.start + cover->node.size);
		start = min(start, cover->node.start);
	}
	cover->node.start = start;
	cover->node.size = end - start;
}

void vsplit_layout_step(struct vsplit_layout *layout, u32 from, u64 from_at, u32 to, u64 to_at,
			u64 size)
{
	if (from != VSPLIT_SEG_SYSTEM) {
		vsplit_layout_touch(layout, from, from_at, size);
		layout->bytes[from] -= size;
	}
	if (to != VSPLIT_SEG_SYSTEM) {
		vsplit_layout_touch(layout, to, to_at, size);
		layout->bytes[to] += size;
		if (layout->nr_windows < layout->max_windows)
			layout->windows[layout->nr_windows++] = (struct vsplit_span) {
				.segment = to, .start = to_at, .size = size,
			};
	}
}

void vsplit_layout_settled(struct vsplit_layout *layout)
{
	u64 apertures = 0;
	u32 i;

	for (i = 0; i < layout->mm->nr_segments; i++) {
		layout->peak[i] = max(layout->peak[i], layout->bytes[i]);
		if (layout->mm->segments[i].aperture)
			apertures += layout->bytes[i];
	}
	layout->peak_apertures = max(layout->peak_apertures, apertures);
}

/* The first of its windows in a segment, and how many there are. */
static struct vsplit_span *vsplit_layout_windows(struct vsplit_layout *layout, u32 segment,
						 u32 *nr)
{
	u32 first = 0, end;

	while (first < layout->nr_windows && layout->windows[first].segment < segment)
		first++;
	for (end = first; end < layout->nr_windows && layout->windows[end].segment == segment;)
		end++;
	*nr = end - first;
	return layout->windows + first;
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

/* Bytes that have to leave a segment beside what lies in the windows; may be negative. */
static s64 vsplit_layout_over(const struct vsplit_layout *layout,
			      const struct vsplit_segment *segment)
{
	return (s64)(READ_ONCE(segment->committed) + layout->peak[segment->index]) -
	       (s64)(layout->begins[segment->index] + segment->commit_limit);
}

/* Bytes of its own in all apertures together, at most, beyond those when it begins. */
static s64 vsplit_layout_more_apertures(const struct vsplit_layout *layout)
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

/*
 * Look at one range: a victim, perhaps one (@more), or nothing of interest. The caller has
 * made room for it.
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

/* What there is in a segment, in the order of addresses, beside the windows. */
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

/* What no device requires first, then lowest priority, of these the oldest. */
static int vsplit_victim_cmp(const void *a, const void *b)
{
	const struct vsplit_victim *x = a, *y = b;

	return cmp_int(x->at.rank, y->at.rank) ?: cmp_int(x->at.priority, y->at.priority) ?:
	       cmp_int(x->at.lru, y->at.lru) ?: cmp_int(x->vbo->id, y->vbo->id);
}

/* As many as the limits ask for; the others come behind them. */
static int vsplit_layout_choose(struct vsplit_layout *layout)
{
	struct vsplit_mm *mm = layout->mm;
	s64 over[VSPLIT_MAX_SEGMENTS], over_apertures = vsplit_layout_over_apertures(layout);
	u32 kept = 0, i;

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
	if (kept <= layout->for_victims)
		return 0;
	/* For each: a gap behind it, and what it leaves. */
	i = layout->for_victims;
	layout->for_victims = kept;
	return vsplit_layout_add_spares(layout, 2 * (kept - i));
}

static int vsplit_layout_find_victims(struct vsplit_layout *layout)
{
	bool apertures = vsplit_layout_over_apertures(layout) > 0;
	struct vsplit_mm *mm = layout->mm;
	int ret;
	u32 i;

	if (!layout->sorted) {
		layout->nr_windows = vsplit_spans_merge(layout->windows, layout->nr_windows);
		layout->sorted = true;
		ret = vsplit_layout_add_spares(layout, layout->nr_windows);
		if (ret)
			return ret;
	}
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
		/* drm_exec still has that. */
		drm_gem_object_put(layout->contended);
		drm_gem_object_get(gem);
		layout->contended = gem;
	}
	/* An import may have the dma_resv of another one that is locked already. */
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
		/* It was found without its lock: a head may show it since. */
		if (vbo->tbo.pin_count)
			ret = -EAGAIN;
	}
	return ret;
}

struct vsplit_bo *vsplit_layout_victim(const struct vsplit_layout *layout, u32 i)
{
	return i < layout->nr_victims ? layout->victims[i].vbo : NULL;
}

/* ---- claiming ---- */

static u64 vsplit_layout_victim_bytes(const struct vsplit_layout *layout, u32 segment)
{
	u64 bytes = 0;
	u32 i;

	for (i = 0; i < layout->nr_victims; i++)
		if (layout->victims[i].at.segment == segment)
			bytes += layout->victims[i].at.size;
	return bytes;
}

static int vsplit_layout_hold(struct vsplit_layout *layout, struct vsplit_segment *segment,
			      u64 start, u64 end)
{
	struct vsplit_range *range;
	int ret;

	lockdep_assert_held(&segment->lock);

	if (start >= end)
		return 0;
	range = vsplit_layout_take_spare(layout);
	if (!range)
		return -EAGAIN;
	range->node.start = start;
	range->node.size = end - start;
	ret = drm_mm_reserve_node(&segment->ranges, &range->node);
	if (ret) {
		vsplit_range_destroy(range);
		return -EAGAIN;
	}
	list_add(&range->link, &layout->held[segment->index]);
	return 0;
}

/* Everything in a window is this transaction's; the gaps become so. */
static int vsplit_layout_claim_window(struct vsplit_layout *layout, struct vsplit_segment *segment,
				      const struct vsplit_span *window)
{
	u64 at = window->start, end = window->start + window->size;
	struct drm_mm_node *node;
	int ret;

	lockdep_assert_held(&segment->lock);

	/* What is put into a gap is behind the node that is looked at next. */
	drm_mm_for_each_node_in_range(node, &segment->ranges, window->start, end) {
		if (!vsplit_range_is_own(node_to_range(node), layout->txn))
			return -EAGAIN;
		ret = vsplit_layout_hold(layout, segment, at, min(node->start, end));
		if (ret)
			return ret;
		at = node->start + node->size;
	}
	return vsplit_layout_hold(layout, segment, at, end);
}

static int vsplit_layout_claim_in(struct vsplit_layout *layout, struct vsplit_segment *segment)
{
	u32 i = segment->index, nr;
	const struct vsplit_span *windows = vsplit_layout_windows(layout, i, &nr);
	u64 leave = vsplit_layout_victim_bytes(layout, i);
	bool more = layout->peak[i] > layout->begins[i];
	int ret = 0;
	u32 w;

	lockdep_assert_held(&segment->lock);

	if (nr && segment->closed)
		return -EAGAIN;
	if (more && vsplit_layout_over(layout, segment) > (s64)leave)
		return -EAGAIN;
	for (w = 0; !ret && w < nr; w++)
		ret = vsplit_layout_claim_window(layout, segment, &windows[w]);
	/* What leaves for good is there until the commit. */
	if (!ret && more) {
		layout->extra[i] = layout->peak[i] - layout->begins[i];
		segment->committed += layout->extra[i];
	}
	return ret;
}

/* Are all apertures together within their limit when the victims have left? @now: bytes there. */
static bool vsplit_layout_apertures_fit(const struct vsplit_layout *layout, s64 now)
{
	const struct vsplit_mm *mm = layout->mm;
	u64 limit = mm->vdev->config.aperture_limit;
	u32 i;

	for (i = 0; i < mm->nr_segments; i++)
		if (mm->segments[i].aperture)
			now -= (s64)vsplit_layout_victim_bytes(layout, i);
	return !limit || now <= (s64)limit;
}

int vsplit_layout_claim(struct vsplit_layout *layout)
{
	s64 more = max_t(s64, vsplit_layout_more_apertures(layout), 0), now;
	unsigned long segments = layout->segments;
	struct vsplit_mm *mm = layout->mm;
	int ret;
	u32 i;

	atomic_inc(&mm->claims);
	layout->claimed = true;
	/* Others that claim at the same time find it taken. */
	now = atomic64_add_return(more, &mm->aperture_committed);
	layout->extra_apertures = more;
	ret = !more || vsplit_layout_apertures_fit(layout, now) ? 0 : -EAGAIN;
	for_each_set_bit(i, &segments, mm->nr_segments) {
		if (ret)
			break;
		scoped_guard(mutex, &mm->segments[i].lock)
			ret = vsplit_layout_claim_in(layout, &mm->segments[i]);
	}
	return ret;
}

/**
 * vsplit_layout_inherit() - An allocation leaves a place that a layout takes over.
 * @layout: claimed; the allocation is a victim of it or its own.
 * @segment: locked.
 * @range: of the allocation; no longer placed afterwards.
 */
void vsplit_layout_inherit(struct vsplit_layout *layout, struct vsplit_segment *segment,
			   struct vsplit_range *range)
{
	struct vsplit_range *spare = vsplit_layout_take_spare(layout);

	lockdep_assert_held(&segment->lock);

	range->heir = NULL;
	drm_mm_remove_node(&range->node);
	if (spare) {
		spare->node.start = range->node.start;
		spare->node.size = range->node.size;
		/* It was just taken from there, so this cannot fail. */
		if (drm_mm_reserve_node(&segment->ranges, &spare->node))
			vsplit_range_destroy(spare);
		else
			list_add(&spare->link, &layout->held[segment->index]);
	}
	if (layout->committing)
		layout->kept[segment->index] += range->node.size;
	else
		vsplit_segment_commit(segment, -(s64)range->node.size);
}

static void vsplit_bo_set_heir(struct vsplit_bo *vbo, struct vsplit_layout *heir)
{
	struct ttm_resource *res = vbo->tbo.resource;
	struct vsplit_range *range;

	dma_resv_assert_held(vbo->tbo.base.resv);

	if (!vsplit_resource_owner(vbo_to_mm(vbo), res))
		return;
	for (range = to_vsplit_res(res)->range; range; range = range->next)
		range->heir = heir;
}

int vsplit_layout_evict(struct vsplit_layout *layout)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < layout->nr_victims; i++) {
		struct vsplit_bo *vbo = layout->victims[i].vbo;
		const struct vsplit_gpu_runs *runs = vsplit_resource_runs(vbo->tbo.resource);

		/* One spare was made for what a victim leaves; it may leave several runs. */
		ret = runs ? vsplit_layout_add_spares(layout, runs->nr - 1) : 0;
		if (ret)
			break;
		vsplit_bo_set_heir(vbo, layout);
		ret = vsplit_bo_evict_to_set(vbo, layout->emptied, &layout->txn->ctx);
		if (ret)
			vsplit_bo_set_heir(vbo, NULL);
		/* Its fence may have taken a slot of the program's: one resv for all imports. */
		else if (vbo->import)
			ret = dma_resv_reserve_fences(vbo->tbo.base.resv, VSPLIT_RESV_SLOTS);
	}
	return ret;
}

/* What it has claimed in a segment, and charged for its peak, is free again. */
static void vsplit_layout_release(struct vsplit_layout *layout, struct vsplit_segment *segment)
{
	struct vsplit_range *range;

	lockdep_assert_held(&segment->lock);

	list_for_each_entry(range, &layout->held[segment->index], link)
		drm_mm_remove_node(&range->node);
	list_splice_init(&layout->held[segment->index], &layout->spares);
	segment->committed -= layout->extra[segment->index];
	layout->extra[segment->index] = 0;
}

void vsplit_layout_end(struct vsplit_layout *layout)
{
	struct vsplit_range *range, *next;
	u32 i;

	if (!layout)
		return;
	for (i = 0; i < layout->mm->nr_segments; i++) {
		struct vsplit_segment *segment = &layout->mm->segments[i];

		guard(mutex)(&segment->lock);
		vsplit_layout_release(layout, segment);
	}
	/* Those of the final places are charged beside it: rather too much than too little. */
	atomic64_sub(layout->extra_apertures, &layout->mm->aperture_committed);
	if (layout->claimed) {
		/* What waits for its windows looks again. */
		atomic_dec(&layout->mm->claims);
		atomic_inc(&layout->mm->windows);
		wake_up_all(&layout->mm->turn_wait);
	}
	vsplit_layout_forget(layout);
	drm_gem_object_put(layout->contended);
	for (i = 0; i < ARRAY_SIZE(layout->covers); i++)
		vsplit_range_destroy(layout->covers[i]);
	list_for_each_entry_safe(range, next, &layout->spares, link)
		vsplit_range_destroy(range);
	kvfree(layout->victims);
	kvfree(layout->windows);
	kfree(layout);
}

/* ---- the commit ---- */

/* Is its old range part of what will be busy with the program as a whole? */
static bool vsplit_layout_covers(const struct vsplit_layout *layout,
				 const struct vsplit_reloc *reloc)
{
	const struct vsplit_range *range, *cover;

	if (vsplit_bo_segment(reloc->vbo) == VSPLIT_SEG_SYSTEM)
		return false;
	cover = layout->covers[vsplit_bo_segment(reloc->vbo)];
	for (range = to_vsplit_res(reloc->vbo->tbo.resource)->range; range; range = range->next)
		if (!cover || range->node.start < cover->node.start ||
		    range->node.start + range->node.size > cover->node.start + cover->node.size)
			return false;
	return true;
}

/* @res is unplaced, but for the runs that lie behind; @offset is free. */
static void vsplit_layout_place(struct vsplit_layout *layout, struct vsplit_segment *segment,
				struct ttm_resource *res, u64 offset, u64 size)
{
	struct vsplit_range *range = vsplit_layout_take_spare(layout);

	dma_resv_assert_held(res->bo->base.resv);
	lockdep_assert_held(&segment->lock);

	if (!range)
		return;
	range->bo = res->bo;
	range->node.start = offset;
	range->node.size = size;
	if (drm_mm_reserve_node(&segment->ranges, &range->node)) {
		drm_err(&segment->mm->vdev->drm, "the plan's place is taken: %llu+%llu in segment %u\n",
			offset, size, segment->index + 1);
		vsplit_range_destroy(range);
		return;
	}
	vsplit_segment_commit(segment, size);
	range->next = to_vsplit_res(res)->range;
	to_vsplit_res(res)->range = range;
	res->placement &= ~VSPLIT_PL_FLAG_UNPLACED;
	res->start = offset >> PAGE_SHIFT;
}

/* From the last one to the first, so that they are linked in their order. */
static void vsplit_layout_place_runs(struct vsplit_layout *layout, struct vsplit_segment *segment,
				     struct ttm_resource *res, struct vsplit_gpu_runs *runs)
{
	u32 i;

	lockdep_assert_held(&segment->lock);

	for (i = runs->nr; i--; )
		vsplit_layout_place(layout, segment, res, runs->run[i].address - segment->base,
				    runs->run[i].bytes);
	to_vsplit_res(res)->runs = vsplit_gpu_runs_get(runs);
}

/* In one piece, so that nothing else gets in: what was claimed becomes the final places. */
static void vsplit_layout_commit_in(struct vsplit_layout *layout, struct vsplit_segment *segment,
				    struct vsplit_reloc *relocs, u32 nr, struct dma_fence *fence)
{
	u32 i, index = segment->index;

	guard(mutex)(&segment->lock);
	vsplit_layout_release(layout, segment);
	vsplit_segment_commit(segment, -(s64)layout->kept[index]);
	for (i = 0; i < nr; i++) {
		struct ttm_resource *res = relocs[i].res;

		if (!relocs[i].vbo || !res ||
		    vsplit_resource_owner(layout->mm, res) != segment || to_vsplit_res(res)->range)
			continue;
		if (relocs[i].vbo->flags & VSPLIT_GEM_RUNS)
			vsplit_layout_place_runs(layout, segment, res, relocs[i].runs);
		else
			vsplit_layout_place(layout, segment, res, relocs[i].offset,
					    res->bo->base.size);
	}
	if (layout->covers[index] && layout->covers[index]->node.size) {
		vsplit_segment_cover(segment, layout->covers[index], layout, fence);
		layout->covers[index] = NULL;
	}
}

/* @covered: a layout takes care of the place that it leaves. */
static void vsplit_reloc_apply(struct vsplit_mm *mm, struct vsplit_reloc *reloc,
			       struct dma_fence *fence, bool covered)
{
	struct vsplit_bo *vbo = reloc->vbo;

	dma_resv_assert_held(vbo->tbo.base.resv);

	if (reloc->moved || reloc->res) {
		trace_vsplit_bo_move(mm->vdev, vbo->id, vsplit_bo_segment(vbo),
				     reloc->res ? vsplit_resource_segment(reloc->res) :
						  vsplit_bo_segment(vbo),
				     vbo->tbo.base.size, false);
		/* Writable CPU mappings are gone: their writes need not be assumed any more. */
		vbo->dirty = reloc->dirty;
		vbo->clear = reloc->clear;
	} else {
		vbo->dirty |= reloc->dirty;
		vbo->clear &= reloc->clear;
	}
	if (reloc->unranged)
		vsplit_swizzle_lose(vbo, fence, "left");
	if (reloc->res)
		vsplit_bo_settle(vbo, reloc->res, covered ? NULL : fence);
	else if (reloc->moved)
		vsplit_bo_arrived(vbo);
	if (reloc->res || reloc->moved)
		vsplit_bo_tell_lists(vbo);
}

/* It was applied: it is the last one that was used. */
static void vsplit_reloc_bump(struct vsplit_mm *mm, struct vsplit_reloc *reloc)
{
	u64 now = atomic64_inc_return(&mm->lru_clock);

	if (mm->vdev->config.planned)
		vsplit_reuse_used(reloc->vbo, now);
	reloc->vbo->lru = now;
	if (!reloc->bumped)
		ttm_bo_move_to_lru_tail_unlocked(&reloc->vbo->tbo);
}

void vsplit_relocs_zap(struct vsplit_reloc *relocs, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!relocs[i].vbo || !(relocs[i].moved || relocs[i].res))
			continue;
		dma_resv_assert_held(relocs[i].vbo->tbo.base.resv);
		ttm_bo_unmap_virtual(&relocs[i].vbo->tbo);
	}
}

void vsplit_relocs_commit(struct vsplit_mm *mm, struct vsplit_layout *layout,
			  struct vsplit_reloc *relocs, u32 nr, struct dma_fence *fence)
{
	u32 i;

	/* All old ranges go before any new one comes: they may overlap. */
	if (layout)
		layout->committing = true;
	for (i = 0; i < nr; i++) {
		if (!relocs[i].vbo)
			continue;
		if (layout && relocs[i].res)
			vsplit_bo_set_heir(relocs[i].vbo, layout);
		vsplit_reloc_apply(mm, &relocs[i], fence,
				   layout && vsplit_layout_covers(layout, &relocs[i]));
		vsplit_reloc_bump(mm, &relocs[i]);
	}
	for (i = 0; layout && i < mm->nr_segments; i++)
		vsplit_layout_commit_in(layout, &mm->segments[i], relocs, nr, fence);
}

/**
 * vsplit_layout_settle() - A place that is claimed becomes that of a resource, before the
 * commit, and without a program: the allocation moves by a job of its own.
 * @layout: claimed, victims evicted; claims nothing in that segment afterwards.
 * @vbo: resv held.
 * @res: unplaced.
 * @offset: in the segment; in a window.
 *
 * Return: 0 or -ENOMEM.
 */
int vsplit_layout_settle(struct vsplit_layout *layout, struct vsplit_bo *vbo,
			 struct ttm_resource *res, u64 offset)
{
	struct vsplit_segment *segment = vsplit_resource_owner(layout->mm, res);
	struct vsplit_range *range;

	mutex_lock(&segment->lock);
	vsplit_layout_release(layout, segment);
	vsplit_layout_place(layout, segment, res, offset, vbo->tbo.base.size);
	mutex_unlock(&segment->lock);
	range = to_vsplit_res(res)->range;
	return range ? vsplit_segment_inherit(segment, &vbo->tbo, range) : -ENOMEM;
}

/* ---- fences ---- */

int vsplit_layout_visit_fences(struct vsplit_layout *layout,
			       int (*add)(void *priv, struct dma_fence *fence), void *priv)
{
	unsigned long segments = layout->segments;
	struct vsplit_mm *mm = layout->mm;
	int ret;
	u32 i;

	for_each_set_bit(i, &segments, mm->nr_segments) {
		const struct vsplit_range *touched = layout->covers[i];

		if (!touched->node.size)
			continue;
		ret = vsplit_segment_visit_fences(&mm->segments[i], touched, layout->txn, layout,
						  add, priv);
		if (ret)
			return ret;
	}
	return 0;
}
