// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: commit of placements
 *
 * A submission gets its places in two steps. What may fail comes first and
 * changes nothing: resources are acquired, with ranges (vsplit_bo_acquire()) or
 * without (a plan decides), and a layout allocates the ranges that its resources
 * will get. The commit cannot fail: CPU mappings of what moves are zapped, old
 * resources freed, new ones assigned.
 *
 * A plan owns its segments while place_sem is held for writing. It sees as free
 * what no foreign allocation occupies (vsplit_mm_fixed_ranges()) and depends on
 * the fences of all ranges that are pending after that where its steps read or
 * write (vsplit_layout_for_each_fence()). A foreign range that is given back
 * later is not touched by the plan, and its fence is kept.
 */
#include <linux/slab.h>

#include "mm/vsplit_mm_internal.h"
#include "debug/vsplit_trace.h"

/**
 * struct vsplit_layout - What a plan's places need at the commit, allocated before.
 * @mm: memory management.
 * @segments: bit mask of segments that the plan may touch.
 * @covers: for each of them a range that becomes pending with the program's fence:
 *	all that its steps touch, see vsplit_layout_touch().
 * @spares: struct vsplit_range.link; one for each allocation that gets a place.
 *
 * The submitter's alone, under place_sem for writing.
 */
struct vsplit_layout {
	struct vsplit_mm *mm;
	u32 segments;
	struct vsplit_range *covers[VSPLIT_MAX_SEGMENTS];
	struct list_head spares;
};

/* The part of a commit that is the same with and without a layout. */
static void vsplit_reloc_apply(struct vsplit_mm *mm, struct vsplit_reloc *reloc,
			       struct dma_fence *fence, bool covered)
{
	struct vsplit_bo *vbo = reloc->vbo;

	dma_resv_assert_held(vbo->tbo.base.resv);

	if (reloc->moved || reloc->res) {
		trace_vsplit_bo_move(mm->vdev, vbo->id, vsplit_bo_segment(vbo),
				     reloc->res ? vsplit_resource_segment(mm, reloc->res) :
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
		vsplit_swizzle_left(vbo, fence);
	if (reloc->res)
		vsplit_bo_settle(vbo, reloc->res, covered ? NULL : fence);
	else if (reloc->moved)
		vbo->moves++;
}

static void vsplit_reloc_bump(struct vsplit_mm *mm, struct vsplit_reloc *reloc)
{
	reloc->vbo->lru = atomic64_inc_return(&mm->lru_clock);
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

void vsplit_relocs_commit(struct vsplit_mm *mm, struct vsplit_reloc *relocs, u32 nr,
			  struct dma_fence *fence)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!relocs[i].vbo)
			continue;
		vsplit_reloc_apply(mm, &relocs[i], fence, false);
		vsplit_reloc_bump(mm, &relocs[i]);
	}
}

void vsplit_layout_cancel(struct vsplit_layout *layout)
{
	struct vsplit_range *range, *next;
	u32 i;

	if (!layout)
		return;
	for (i = 0; i < ARRAY_SIZE(layout->covers); i++)
		vsplit_range_destroy(layout->covers[i]);
	list_for_each_entry_safe(range, next, &layout->spares, link)
		vsplit_range_destroy(range);
	kfree(layout);
}

static int vsplit_layout_fill(struct vsplit_layout *layout, u32 nr_new)
{
	unsigned long segments = layout->segments;
	struct vsplit_range *range;
	u32 i;

	for_each_set_bit(i, &segments, layout->mm->nr_segments) {
		layout->covers[i] = vsplit_range_create();
		if (!layout->covers[i])
			return -ENOMEM;
	}
	for (i = 0; i < nr_new; i++) {
		range = vsplit_range_create();
		if (!range)
			return -ENOMEM;
		list_add(&range->link, &layout->spares);
	}
	return 0;
}

struct vsplit_layout *vsplit_layout_prepare(struct vsplit_mm *mm, u32 segments, u32 nr_new)
{
	struct vsplit_layout *layout;
	int ret;

	lockdep_assert_held_write(&mm->place_sem);

	if (vsplit_fault("mm.layout"))
		return ERR_PTR(-ENOMEM);
	layout = kzalloc(sizeof(*layout), GFP_KERNEL);
	if (!layout)
		return ERR_PTR(-ENOMEM);
	layout->mm = mm;
	layout->segments = segments;
	INIT_LIST_HEAD(&layout->spares);

	ret = vsplit_layout_fill(layout, nr_new);
	if (ret) {
		vsplit_layout_cancel(layout);
		return ERR_PTR(ret);
	}
	return layout;
}

static void vsplit_layout_place(struct vsplit_layout *layout, struct vsplit_reloc *reloc)
{
	struct vsplit_segment *segment = vsplit_resource_owner(layout->mm, reloc->res);
	struct vsplit_range *range;

	if (!segment || to_vsplit_res(reloc->res)->range)
		return;
	range = list_first_entry_or_null(&layout->spares, struct vsplit_range, link);
	if (!range) {
		drm_err(&layout->mm->vdev->drm, "layout prepared for fewer allocations\n");
		return;
	}
	list_del_init(&range->link);
	vsplit_segment_place_at(segment, reloc->res, range, reloc->offset);
}

void vsplit_layout_touch(struct vsplit_layout *layout, u32 segment, u64 start, u64 size)
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

/* Is its old range part of what will be busy with the program as a whole? */
static bool vsplit_layout_covers(const struct vsplit_layout *layout,
				 const struct vsplit_reloc *reloc)
{
	u32 segment = vsplit_bo_segment(reloc->vbo);
	u64 offset = vsplit_bo_offset(reloc->vbo);
	const struct vsplit_range *cover;

	if (segment == VSPLIT_SEG_SYSTEM)
		return false;
	cover = layout->covers[segment];
	return cover && offset >= cover->node.start &&
	       offset + reloc->vbo->tbo.base.size <= cover->node.start + cover->node.size;
}

void vsplit_layout_commit(struct vsplit_layout *layout, struct vsplit_reloc *relocs, u32 nr,
			  struct dma_fence *fence)
{
	unsigned long segments = layout->segments;
	struct vsplit_mm *mm = layout->mm;
	u32 i;

	lockdep_assert_held_write(&mm->place_sem);

	/* All old ranges go before any new one comes: they may overlap. */
	for (i = 0; i < nr; i++)
		if (relocs[i].vbo)
			vsplit_reloc_apply(mm, &relocs[i], fence,
					   vsplit_layout_covers(layout, &relocs[i]));
	for (i = 0; i < nr; i++) {
		if (!relocs[i].vbo)
			continue;
		if (relocs[i].res)
			vsplit_layout_place(layout, &relocs[i]);
		vsplit_reloc_bump(mm, &relocs[i]);
	}
	for_each_set_bit(i, &segments, mm->nr_segments) {
		if (!layout->covers[i]->node.size)
			continue;
		vsplit_segment_cover(&mm->segments[i], layout->covers[i], fence);
		layout->covers[i] = NULL;
	}
	vsplit_layout_cancel(layout);
}

/* ---- what a plan has to know ---- */

/* Visit a part of a segment; the fences are the callback's, or nobody's. */
static int vsplit_segment_visit_fences(struct vsplit_segment *segment, u64 start, u64 end,
				       bool mark,
				       int (*add)(void *priv, struct dma_fence *fence), void *priv)
{
	struct dma_fence **fences;
	int ret;
	u32 nr, i;

	ret = vsplit_segment_get_fences(segment, start, end, mark, &fences, &nr);
	for (i = 0; i < nr; i++) {
		if (ret)
			dma_fence_put(fences[i]);
		else
			ret = add(priv, fences[i]);
	}
	kvfree(fences);
	return ret;
}

/* checkpatch takes it for a loop without the parentheses. */
int (vsplit_segments_for_each_fence)(struct vsplit_mm *mm, u32 segments,
				     int (*add)(void *priv, struct dma_fence *fence), void *priv)
{
	unsigned long mask = segments;
	int ret;
	u32 i;

	lockdep_assert_held_write(&mm->place_sem);

	for_each_set_bit(i, &mask, mm->nr_segments) {
		ret = vsplit_segment_visit_fences(&mm->segments[i], 0, mm->segments[i].size, false,
						  add, priv);
		if (ret)
			return ret < 0 ? ret : 0;
	}
	return 0;
}

int (vsplit_layout_for_each_fence)(struct vsplit_layout *layout,
				   int (*add)(void *priv, struct dma_fence *fence), void *priv)
{
	unsigned long segments = layout->segments;
	struct vsplit_mm *mm = layout->mm;
	int ret;
	u32 i;

	lockdep_assert_held_write(&mm->place_sem);

	for_each_set_bit(i, &segments, mm->nr_segments) {
		const struct drm_mm_node *touched = &layout->covers[i]->node;

		if (!touched->size)
			continue;
		ret = vsplit_segment_visit_fences(&mm->segments[i], touched->start,
						  touched->start + touched->size, true, add, priv);
		if (ret)
			return ret < 0 ? ret : 0;
	}
	return 0;
}

/* Ranges of one segment, as many as there is room for; says how many there are. */
static u32 vsplit_segment_fixed(struct vsplit_segment *segment, struct vsplit_fixed_range *ranges,
				u32 nr, u32 max)
{
	struct drm_mm_node *node;

	mutex_lock(&segment->lock);
	drm_mm_for_each_node(node, &segment->ranges) {
		const struct vsplit_bo *vbo = to_vsplit_bo(node_to_range(node)->bo);

		if (READ_ONCE(vbo->list_index) >= 0)
			continue;
		if (nr < max) {
			ranges[nr].segment = segment->index;
			ranges[nr].start = node->start;
			ranges[nr].size = node->size;
		}
		nr++;
	}
	mutex_unlock(&segment->lock);
	return nr;
}

struct vsplit_fixed_range *vsplit_mm_fixed_ranges(struct vsplit_mm *mm, u32 segments, u32 *nr)
{
	struct vsplit_fixed_range *ranges = NULL;
	unsigned long mask = segments;
	u32 max = 0, found, i;

	lockdep_assert_held_write(&mm->place_sem);

	for (;;) {
		found = 0;
		for_each_set_bit(i, &mask, mm->nr_segments)
			found = vsplit_segment_fixed(&mm->segments[i], ranges, found, max);
		if (found <= max)
			break;
		kvfree(ranges);
		max = found;
		ranges = vsplit_fault("mm.fixed") ? NULL :
			 kvmalloc_array(max, sizeof(*ranges), GFP_KERNEL | __GFP_NOWARN);
		if (!ranges)
			return ERR_PTR(-ENOMEM);
	}
	*nr = found;
	return ranges;
}
