// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: commit of placements
 *
 * A submission gets its places in two steps. The first step may fail, and changes nothing:
 * resources are acquired, with ranges (vsplit_bo_acquire()), or without (if a plan decides). The
 * second, the commit, cannot fail: CPU mappings of the allocations that move are zapped, old
 * resources freed, new ones assigned.
 *
 * A plan was made on a snapshot (vsplit_mm_snapshot()) without any lock. Its layout knows the
 * places that its steps enter, the *windows*, and takes these from the segments in three stages:
 *
 *  lock_victims  other allocations that lie in the windows, or that the commit limits leave no
 *                room for, are locked beside the plan's own (vsplit_victim.c).
 *  claim         every allocation that lies in a window now must be locked by this transaction,
 *                or the plan is outdated. The gaps are filled with ranges of no allocation.
 *  evict         each victim leaves by vsplit_bo_page(), and the place that it leaves is claimed
 *                too: no other allocation gets in between.
 *
 * From then on the commit needs only the segments' locks. In each segment it replaces the claimed
 * ranges by the final places, under one hold of the lock. The program depends on the fences of all
 * pending ranges where its steps read or write (vsplit_layout_visit_fences()). The plan does not
 * touch a range that is given back there later, and the fence of that range is kept.
 *
 * Final places take effect together, at the commit. TTM has no call for this: it places one buffer
 * at a time, at once. TTM does the rest: the victims leave by ttm_bo_validate(), resources come
 * from ttm_bo_mem_space().
 */
#include <linux/slab.h>

#include "mm/vsplit_layout_internal.h"
#include "debug/vsplit_trace.h"

/* ---- what a plan does ---- */

int vsplit_layout_add_spares(struct vsplit_layout *layout, u32 nr)
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

/* Return: the first window of the layout in a segment. @nr: out: how many there are. */
struct vsplit_span *vsplit_layout_windows(struct vsplit_layout *layout, u32 segment, u32 *nr)
{
	u32 first = 0, end;

	while (first < layout->nr_windows && layout->windows[first].segment < segment)
		first++;
	for (end = first; end < layout->nr_windows && layout->windows[end].segment == segment;)
		end++;
	*nr = end - first;
	return layout->windows + first;
}

/* ---- claiming ---- */

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

/* Check that everything in a window belongs to this transaction, and fill the gaps. */
static int vsplit_layout_claim_window(struct vsplit_layout *layout, struct vsplit_segment *segment,
				      const struct vsplit_span *window)
{
	u64 at = window->start, end = window->start + window->size;
	struct drm_mm_node *node;
	int ret;

	lockdep_assert_held(&segment->lock);

	/* A gap is filled before @node, so the loop does not visit the new range. */
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
	/* Allocations of the plan that leave for good are charged until the commit. */
	if (!ret && more) {
		layout->extra[i] = layout->peak[i] - layout->begins[i];
		segment->committed += layout->extra[i];
	}
	return ret;
}

/*
 * Take over the place that an allocation, a victim or the plan's own, leaves; segment->lock is
 * held. @range is no longer placed afterwards.
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
		/* The old node was just removed from there, so this cannot fail. */
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

/* Evict the victims, one by one, as vsplit_bo_page() does it. */
static int vsplit_layout_evict(struct vsplit_layout *layout)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < layout->nr_victims; i++) {
		struct vsplit_bo *vbo = layout->victims[i].vbo;
		const struct vsplit_gpu_runs *runs = vsplit_resource_runs(vbo->tbo.resource);

		/* Each victim has one spare for its place, but may leave several runs. */
		ret = runs ? vsplit_layout_add_spares(layout, runs->nr - 1) : 0;
		if (ret)
			break;
		vsplit_bo_set_heir(vbo, layout);
		ret = vsplit_bo_evict_to_set(vbo, layout->emptied, &layout->txn->ctx);
		if (ret)
			vsplit_bo_set_heir(vbo, NULL);
		/* Imports may share a resv, and the fence may have taken a slot of the program. */
		else if (vbo->import)
			ret = dma_resv_reserve_fences(vbo->tbo.base.resv, VSPLIT_RESV_SLOTS);
	}
	return ret;
}

int vsplit_layout_claim(struct vsplit_layout *layout)
{
	s64 more = max_t(s64, vsplit_layout_more_apertures(layout), 0);
	unsigned long segments = layout->segments;
	struct vsplit_mm *mm = layout->mm;
	int ret;
	u32 i;

	atomic_inc(&mm->claims);
	layout->claimed = true;
	ret = !more || vsplit_add_below(&mm->aperture_committed, more,
					vsplit_layout_most_in_apertures(layout)) ? 0 : -EAGAIN;
	layout->extra_apertures = ret ? 0 : more;
	for_each_set_bit(i, &segments, mm->nr_segments) {
		if (ret)
			break;
		scoped_guard(mutex, &mm->segments[i].lock)
			ret = vsplit_layout_claim_in(layout, &mm->segments[i]);
	}
	return ret ?: vsplit_layout_evict(layout);
}

/* Give back the ranges that are claimed in a segment, and the bytes charged for the peak. */
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
	/* The commit has charged the final places: too much for a moment, but never too little. */
	atomic64_sub(layout->extra_apertures, &layout->mm->aperture_committed);
	if (layout->claimed) {
		/* Transactions that wait for the windows look again. */
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

/* Is the old place inside the cover that will be busy with the program? */
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

/* Place a run of @res, or all of it; the runs behind it are placed already. @offset is free. */
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

/* Go from the last run to the first, so that they are linked in their order. */
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

/* Replace the claims by the final places, under one hold of the lock so that nothing gets in. */
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

/* @covered: the cover of a layout includes the place that the allocation leaves. */
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
		/* Writable CPU mappings are gone: assume no further writes through them. */
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

/* Note that the allocation is the last one that was used, after it was applied. */
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

	/* Old and new ranges may overlap, so all old ranges go before any new one comes. */
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

/*
 * Give a claimed place, in a window, to an unplaced resource before the commit; resv held, victims
 * evicted. There is no program: the allocation moves by a job of its own. The layout has no claims
 * in that segment afterwards. Return: as for vsplit_segment_inherit().
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
