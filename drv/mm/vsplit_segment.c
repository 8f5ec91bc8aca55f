// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: segments
 *
 * Every segment, memory-space or aperture-space, is a TTM resource manager of the one type in this
 * file. An allocation occupies one contiguous range of it: the lowest that fits (or the highest,
 * VSPLIT_GEM_TOPDOWN), so that segments fragment as real ones do and the same history gives the
 * same addresses. An allocation with VSPLIT_GEM_RUNS occupies as many of the lowest holes as it
 * needs.
 *
 * A range that is given back may still be in use by work that was submitted. It is free at once all
 * the same, else addresses would depend on timing. It stays in the segment's tree of *pending*
 * ranges, with the fence of that work, until the fence has signalled (not longer, since fences pin
 * the module). An allocation whose place overlaps a pending range gets the fence into its dma_resv
 * as KERNEL. TTM's own manager-wide move fence is never set: it orders only fences of one context.
 *
 * After a planned layout, one pending range with the program's fence covers everything that the
 * steps touch, from the first byte to the last, since the program may use any of these bytes on the
 * way.
 *
 * The ranges of pinned allocations are in a tree of their own, by place, so that the widest gap
 * between them is found without a look at all other ranges.
 *
 * Host memory is never allocated with the segment's lock held, because ranges are given back while
 * fences are being published.
 */
#include <linux/hash.h>
#include <linux/interval_tree_generic.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "mm/vsplit_mm_internal.h"
#include "debug/vsplit_kcov.h"

#define VSPLIT_SEGMENT_BASE_SHIFT	40

static_assert(VSPLIT_MAX_SEGMENTS <= VSPLIT_GPU_MAX_REGIONS);

static struct vsplit_segment *to_segment(struct ttm_resource_manager *man)
{
	return container_of(man, struct vsplit_segment, man);
}

/** vsplit_range_create() - Get an empty range. Return: the range, or NULL. */
struct vsplit_range *vsplit_range_create(void)
{
	struct vsplit_range *range;

	range = vsplit_fault("mm.range") ? NULL : kzalloc(sizeof(*range), GFP_KERNEL_ACCOUNT);
	if (!range)
		return NULL;
	INIT_LIST_HEAD(&range->link);
	RB_CLEAR_NODE(&range->rb);
	return range;
}

/** vsplit_range_destroy() - Free a range that is neither placed nor pending; NULL is fine. */
void vsplit_range_destroy(struct vsplit_range *range)
{
	if (!range)
		return;
	dma_fence_put(range->busy);
	kfree(range);
}

/* The segment that a resource is in; NULL for system memory, and for NULL. */
struct vsplit_segment *vsplit_resource_owner(struct vsplit_mm *mm, const struct ttm_resource *res)
{
	if (!res || res->mem_type == TTM_PL_SYSTEM)
		return NULL;
	return &mm->segments[res->mem_type - TTM_PL_VRAM];
}

u64 vsplit_resource_offset(const struct ttm_resource *res)
{
	return res ? (u64)res->start << PAGE_SHIFT : 0;
}

struct vsplit_gpu_runs *vsplit_resource_runs(const struct ttm_resource *res)
{
	return res && res->mem_type != TTM_PL_SYSTEM ? to_vsplit_res(res)->runs : NULL;
}

/*
 * Set the fence until which the ranges of a resource, which is about to be freed, are in use. It
 * may be NULL, not placed, or in system memory.
 */
void vsplit_resource_set_busy(struct ttm_resource *res, struct dma_fence *fence)
{
	struct vsplit_range *range;

	if (!res || res->mem_type == TTM_PL_SYSTEM)
		return;
	for (range = to_vsplit_res(res)->range; range; range = range->next) {
		dma_fence_put(range->busy);
		range->busy = dma_fence_get(fence);
	}
}

/*
 * Add bytes to a sum of all aperture segments, which no lock protects, if a limit allows. What is
 * refused is never in the sum, so that it makes no other task find the limit reached. Return: true
 * if they were added.
 */
bool vsplit_add_below(atomic64_t *sum, s64 bytes, s64 limit)
{
	s64 now = atomic64_read(sum);

	do {
		if (bytes > limit - now) {
			vsplit_sync_point("mm.above_limit");
			return false;
		}
	} while (!atomic64_try_cmpxchg(sum, &now, now + bytes));
	return true;
}

/* Would @size more bytes exceed the commit limit? */
static bool vsplit_segment_is_full(const struct vsplit_segment *segment, u64 size)
{
	lockdep_assert_held(&segment->lock);

	return segment->committed + size > segment->commit_limit;
}

/* Account for a range, if the limits allow. */
static bool vsplit_segment_charge(struct vsplit_segment *segment, u64 size)
{
	u64 limit = segment->mm->vdev->config.aperture_limit;

	lockdep_assert_held(&segment->lock);

	/* A BAR that is being reset takes only allocations that the reset brings back. */
	if (segment->closed && segment->closed != current)
		return false;
	if (vsplit_segment_is_full(segment, size))
		return false;
	if (segment->aperture &&
	    !vsplit_add_below(&segment->mm->aperture_committed, size, limit ?: S64_MAX))
		return false;
	segment->committed += size;
	return true;
}

/** vsplit_segment_commit() - Account for bytes (negative: given back) without limits; lock held. */
void vsplit_segment_commit(struct vsplit_segment *segment, s64 size)
{
	lockdep_assert_held(&segment->lock);

	if (segment->aperture)
		atomic64_add(size, &segment->mm->aperture_committed);
	segment->committed += size;
}

/* ---- trees of ranges, by place ---- */

static u64 vsplit_range_first(const struct vsplit_range *range)
{
	return range->node.start;
}

static u64 vsplit_range_last(const struct vsplit_range *range)
{
	return range->node.start + range->node.size - 1;
}

INTERVAL_TREE_DEFINE(struct vsplit_range, rb, u64, rb_last, vsplit_range_first, vsplit_range_last,
		     static, vsplit_ranges)

/* ---- what is pinned ---- */

/* Note that an allocation is pinned in its segment, or not any more; resv held. */
void vsplit_segment_pin(struct vsplit_mm *mm, const struct ttm_resource *res, bool pinned)
{
	struct vsplit_segment *segment = vsplit_resource_owner(mm, res);
	struct vsplit_range *range;

	guard(mutex)(&segment->lock);
	for (range = to_vsplit_res(res)->range; range; range = range->next) {
		if (pinned) {
			vsplit_ranges_insert(range, &segment->pins);
		} else {
			vsplit_ranges_remove(range, &segment->pins);
			RB_CLEAR_NODE(&range->rb);
		}
	}
	segment->room = U64_MAX;
}

static void vsplit_segment_find_room(struct vsplit_segment *segment)
{
	u64 seen = vsplit_segment_seen(segment), at = 0, room = 0, pinned = 0, left;
	struct vsplit_range *range;

	lockdep_assert_held(&segment->lock);

	left = seen;
	for (range = vsplit_ranges_iter_first(&segment->pins, 0, U64_MAX); range;
	     range = vsplit_ranges_iter_next(range, 0, U64_MAX)) {
		room = max(room, range->node.start - at);
		at = range->node.start + range->node.size;
		pinned += range->node.size;
		left -= min(at, seen) - min(range->node.start, seen);
	}
	room = max(room, segment->size - at);
	pinned = min(segment->commit_limit, pinned);
	segment->room = min(room, segment->commit_limit - pinned);
	segment->unpinned = min(left, segment->commit_limit - pinned);
}

/* Read @room or @unpinned. They are computed anew only after pins have changed. */
static u64 vsplit_segment_beside_pins(struct vsplit_segment *segment, const u64 *bytes)
{
	guard(mutex)(&segment->lock);
	if (segment->room == U64_MAX)
		vsplit_segment_find_room(segment);
	return *bytes;
}

u64 vsplit_segment_room(struct vsplit_segment *segment)
{
	return vsplit_segment_beside_pins(segment, &segment->room);
}

u64 vsplit_segment_unpinned(struct vsplit_segment *segment)
{
	return vsplit_segment_beside_pins(segment, &segment->unpinned);
}

bool vsplit_segment_suits(struct vsplit_segment *segment, u64 size, u64 align)
{
	u64 seen = vsplit_segment_seen(segment), at = 0;
	struct vsplit_range *range;

	if (size > vsplit_segment_unpinned(segment))
		return false;
	guard(mutex)(&segment->lock);
	for (range = vsplit_ranges_iter_first(&segment->pins, 0, U64_MAX); range;
	     range = vsplit_ranges_iter_next(range, 0, U64_MAX)) {
		if (ALIGN(at, align) + size <= min(range->node.start, seen))
			return true;
		at = range->node.start + range->node.size;
	}
	return ALIGN(at, align) + size <= seen;
}

/* ---- pending ranges ---- */

/* Called by a pending range's fence, under the fence's lock. The range waits for nothing else. */
static void vsplit_range_idle(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct vsplit_range *range = container_of(cb, struct vsplit_range, idle);
	struct vsplit_segment *segment = range->segment;

	if (llist_add(&range->idle_link, &segment->idle))
		schedule_work(&segment->prune);
}

/* Fences pin the module, so drop them soon after they have signalled. */
static void vsplit_segment_prune(struct work_struct *work)
{
	struct vsplit_segment *segment = container_of(work, struct vsplit_segment, prune);
	struct vsplit_range *range, *next;
	bool covered = vsplit_kcov_begin(READ_ONCE(segment->coverage));

	mutex_lock(&segment->lock);
	llist_for_each_entry_safe(range, next, llist_del_all(&segment->idle), idle_link) {
		if (!RB_EMPTY_NODE(&range->rb))
			vsplit_ranges_remove(range, &segment->pending);
		vsplit_range_destroy(range);
	}
	vsplit_swizzle_prune(segment);
	mutex_unlock(&segment->lock);
	vsplit_kcov_end(covered);
}

/* The range is free, but its next owner waits for its fence. */
static void vsplit_segment_pend(struct vsplit_segment *segment, struct vsplit_range *range)
{
	lockdep_assert_held(&segment->lock);

	vsplit_kcov_note(&segment->coverage);
	range->segment = segment;
	range->seen = NULL;
	if (dma_fence_add_callback(range->busy, &range->idle, vsplit_range_idle))
		vsplit_range_destroy(range);
	else
		vsplit_ranges_insert(range, &segment->pending);
}

static void vsplit_segment_unpend(struct vsplit_segment *segment, struct vsplit_range *range)
{
	lockdep_assert_held(&segment->lock);

	vsplit_ranges_remove(range, &segment->pending);
	RB_CLEAR_NODE(&range->rb);
	/* If the callback has run already, the work frees the range. */
	if (dma_fence_remove_callback(range->busy, &range->idle))
		vsplit_range_destroy(range);
}

/* Take references to unsignalled fences, up to @max. Return: number of all of them. */
static u32 vsplit_segment_take_fences(struct vsplit_segment *segment,
				      const struct vsplit_range *parts, const void *mark,
				      struct dma_fence **fences, u32 max)
{
	struct vsplit_range *range;
	u64 first, last;
	u32 nr = 0;

	lockdep_assert_held(&segment->lock);

	for (; parts; parts = parts->next) {
		first = vsplit_range_first(parts);
		last = vsplit_range_last(parts);
		for (range = vsplit_ranges_iter_first(&segment->pending, first, last); range;
		     range = vsplit_ranges_iter_next(range, first, last)) {
			if (mark)
				range->seen = mark;
			if (dma_fence_is_signaled(range->busy))
				continue;
			if (nr < max)
				fences[nr] = dma_fence_get(range->busy);
			nr++;
		}
	}
	return nr;
}

/**
 * vsplit_segment_visit_fences() - Visit unsignalled fences of pending ranges in parts of a segment.
 * @segment: not locked.
 * @parts: a list of ranges, linked by @next.
 * @txn: the transaction that will depend on them, or NULL.
 * @mark: the layout of @txn, for vsplit_range.seen; or NULL.
 * @add: gets a reference that it owns; an error ends the walk. May sleep.
 * @priv: for @add.
 *
 * At most VSPLIT_MAX_FENCES are visited: every allocation that left may have a fence of another
 * context, and a dma_resv is searched for each fence that is added.
 *
 * Return: 0; -ENOMEM; -ENOBUFS, -E2BIG: the client of @txn may not hold more; or what @add
 * returned.
 */
int vsplit_segment_visit_fences(struct vsplit_segment *segment, const struct vsplit_range *parts,
				const struct vsplit_txn *txn, const void *mark,
				int (*add)(void *priv, struct dma_fence *fence), void *priv)
{
	struct dma_fence **fences = NULL;
	u32 max = 0, nr, i;
	int ret = 0;

	for (;;) {
		scoped_guard(mutex, &segment->lock)
			nr = vsplit_segment_take_fences(segment, parts, mark, fences, max);
		if (nr <= max)
			break;
		while (max--)
			dma_fence_put(fences[max]);
		kvfree(fences);
		max = nr;
		fences = vsplit_fault("mm.fences") ? NULL :
			 kvmalloc_array(max, sizeof(*fences), GFP_KERNEL | __GFP_NOWARN);
		if (!fences)
			return -ENOMEM;
	}
	nr = vsplit_fences_latest(fences, nr, sizeof(*fences));
	if (nr > VSPLIT_MAX_FENCES) {
		fences[0] = vsplit_paging_merge(segment->mm->vdev, txn, fences, nr);
		ret = PTR_ERR_OR_ZERO(fences[0]);
		nr = ret ? 0 : 1;
	}
	for (i = 0; i < nr; i++) {
		if (ret)
			dma_fence_put(fences[i]);
		else
			ret = add(priv, fences[i]);
	}
	kvfree(fences);
	return ret;
}

static int vsplit_resv_inherit(void *resv, struct dma_fence *fence)
{
	int ret = dma_resv_reserve_fences(resv, 1 + VSPLIT_RESV_SLOTS);

	if (!ret)
		dma_resv_add_fence(resv, fence, DMA_RESV_USAGE_KERNEL);
	dma_fence_put(fence);
	return ret;
}

/*
 * Make the next owner of ranges wait for their last users; its resv is held. @range: its place, or
 * its first run. Return: 0; -ENOMEM; otherwise as for vsplit_segment_visit_fences().
 */
int vsplit_segment_inherit(struct vsplit_segment *segment, struct ttm_buffer_object *bo,
			   const struct vsplit_range *range)
{
	return vsplit_segment_visit_fences(segment, range, READ_ONCE(to_vsplit_bo(bo)->txn), NULL,
					   vsplit_resv_inherit, bo->base.resv);
}

/*
 * Fault knob: where to begin the search, at random, but the same for the same seed and history.
 * Pinned allocations are left alone: they would be in the way for ever, and lists that can be
 * solved without the knob would have no solution.
 */
static u64 vsplit_segment_random(const struct vsplit_segment *segment, const struct vsplit_bo *vbo,
				 u64 first, u64 last)
{
	u64 seed = READ_ONCE(segment->mm->vdev->knobs.random_placement);
	u64 pages;

	if (!seed || (vbo->flags & VSPLIT_GEM_PINNED) || last - first <= vbo->tbo.base.size)
		return first;
	pages = (last - first - vbo->tbo.base.size) >> PAGE_SHIFT;
	seed = hash_64(seed + vbo->id * GOLDEN_RATIO_64 + vbo->moves, 32);
	return first + (((pages + 1) * seed) >> 32 << PAGE_SHIFT);
}

static int vsplit_segment_insert(struct vsplit_segment *segment, const struct vsplit_bo *vbo,
				 const struct ttm_place *place, struct vsplit_range *range)
{
	enum drm_mm_insert_mode mode = place->flags & TTM_PL_FLAG_TOPDOWN ? DRM_MM_INSERT_HIGH :
									    DRM_MM_INSERT_LOW;
	u64 first = (u64)place->fpfn << PAGE_SHIFT;
	u64 last = place->lpfn ? min((u64)place->lpfn << PAGE_SHIFT, segment->size) :
				 segment->size;
	u64 size = vbo->tbo.base.size;
	u64 start;

	lockdep_assert_held(&segment->lock);

	if (first >= last)
		return -ENOSPC;
	start = vsplit_segment_random(segment, vbo, first, last);
	if (start > first &&
	    !drm_mm_insert_node_in_range(&segment->ranges, &range->node, size, vbo->align, 0,
					 start, last, DRM_MM_INSERT_LOW))
		return 0;
	return drm_mm_insert_node_in_range(&segment->ranges, &range->node, size, vbo->align, 0,
					   first, last, mode);
}

static void vsplit_segment_unplace_one(struct vsplit_segment *segment, struct vsplit_range *range)
{
	lockdep_assert_held(&segment->lock);

	if (range->heir) {
		vsplit_layout_inherit(range->heir, segment, range);
	} else {
		vsplit_segment_commit(segment, -(s64)range->node.size);
		drm_mm_remove_node(&range->node);
	}
	range->bo = NULL;
	range->next = NULL;
	if (range->busy)
		vsplit_segment_pend(segment, range);
	else
		vsplit_range_destroy(range);
}

static void vsplit_segment_unplace(struct vsplit_segment *segment, struct vsplit_range *range)
{
	struct vsplit_range *next;

	if (!range)
		return;
	guard(mutex)(&segment->lock);
	for (; range; range = next) {
		next = range->next;
		vsplit_segment_unplace_one(segment, range);
	}
}

/* ---- places ---- */

static void vsplit_segment_drop_ranges(struct vsplit_res *res)
{
	struct vsplit_range *range, *next;

	for (range = res->range; range; range = next) {
		next = range->next;
		vsplit_range_destroy(range);
	}
	res->range = NULL;
	vsplit_gpu_runs_put(res->runs);
	res->runs = NULL;
}

/* Allocate @nr empty ranges, and, if the allocation may be in several runs, as many runs. */
static int vsplit_segment_alloc_ranges(struct vsplit_res *res, bool runs, u32 nr)
{
	struct vsplit_range *range;

	if (runs) {
		res->runs = vsplit_fault("mm.runs") ? NULL : vsplit_gpu_runs_create(nr);
		if (!res->runs)
			return -ENOMEM;
	}
	while (nr--) {
		range = vsplit_range_create();
		if (!range)
			return -ENOMEM;
		range->next = res->range;
		res->range = range;
	}
	return 0;
}

/*
 * Take a hole, which ends at @end and begins at search->at, or the part of it that is still needed.
 */
void vsplit_runs_take(struct vsplit_runs_search *search, u64 end)
{
	u64 bytes = end > search->at ? min(end - search->at, search->size - search->found) : 0;

	if (!bytes)
		return;
	if (search->runs && search->nr < search->runs->nr)
		search->runs->run[search->nr] = (struct vsplit_gpu_run) {
			.offset = search->found,
			.address = search->base + search->at,
			.bytes = bytes,
		};
	search->nr++;
	search->found += bytes;
	search->at += bytes;
}

/* Find the lowest holes in a part of the segment that have room for the allocation together. */
static void vsplit_segment_find_runs(struct vsplit_segment *segment, const struct ttm_place *place,
				     struct vsplit_runs_search *search)
{
	u64 last = place->lpfn ? min((u64)place->lpfn << PAGE_SHIFT, segment->size) :
				 segment->size;
	struct drm_mm_node *node;

	lockdep_assert_held(&segment->lock);

	search->at = (u64)place->fpfn << PAGE_SHIFT;
	drm_mm_for_each_node(node, &segment->ranges) {
		vsplit_runs_take(search, min(node->start, last));
		search->at = max(search->at, node->start + node->size);
		if (search->found == search->size || search->at >= last)
			return;
	}
	vsplit_runs_take(search, last);
}

static int vsplit_segment_try_runs(struct vsplit_segment *segment, struct ttm_buffer_object *bo,
				   const struct ttm_place *place, struct vsplit_res *res, u32 *nr)
{
	struct vsplit_runs_search search = {
		.base = segment->base, .size = bo->base.size, .runs = res->runs,
	};
	struct vsplit_range *range = res->range;
	int ret = 0;
	u32 i;

	lockdep_assert_held(&segment->lock);

	vsplit_segment_find_runs(segment, place, &search);
	if (search.found < search.size)
		return -ENOSPC;
	*nr = search.nr;
	if (res->runs->nr != *nr)
		return -EAGAIN;
	for (i = 0; i < *nr; i++, range = range->next) {
		range->bo = bo;
		range->node.start = res->runs->run[i].address - segment->base;
		range->node.size = res->runs->run[i].bytes;
		/* The run is a hole, so this cannot fail. */
		ret |= drm_mm_reserve_node(&segment->ranges, &range->node);
	}
	return ret;
}

/* @nr: out: with -EAGAIN, the number of runs to allocate memory for. */
static int vsplit_segment_try_place(struct vsplit_segment *segment, struct ttm_buffer_object *bo,
				    const struct ttm_place *place, struct vsplit_res *res, u32 *nr)
{
	int ret;

	lockdep_assert_held(&segment->lock);

	if (!vsplit_segment_charge(segment, bo->base.size))
		return -ENOSPC;
	res->range->bo = bo;
	ret = res->runs ? vsplit_segment_try_runs(segment, bo, place, res, nr) :
			  vsplit_segment_insert(segment, to_vsplit_bo(bo), place, res->range);
	if (ret)
		vsplit_segment_commit(segment, -(s64)bo->base.size);
	return ret;
}

/* The lock is dropped to get memory. If holes have changed then, another task has progressed. */
static int vsplit_segment_place(struct vsplit_segment *segment, struct ttm_buffer_object *bo,
				const struct ttm_place *place, struct vsplit_res *res)
{
	bool runs = to_vsplit_bo(bo)->flags & VSPLIT_GEM_RUNS;
	int ret = vsplit_segment_alloc_ranges(res, runs, 1);
	u32 nr;

	while (!ret) {
		scoped_guard(mutex, &segment->lock)
			ret = vsplit_segment_try_place(segment, bo, place, res, &nr);
		if (ret != -EAGAIN)
			break;
		vsplit_segment_drop_ranges(res);
		ret = vsplit_segment_alloc_ranges(res, runs, nr);
	}
	if (!ret) {
		ret = vsplit_segment_inherit(segment, bo, res->range);
		if (!ret) {
			res->base.start = res->range->node.start >> PAGE_SHIFT;
			return 0;
		}
		vsplit_segment_unplace(segment, res->range);
		res->range = NULL;
	}
	vsplit_segment_drop_ranges(res);
	return ret;
}

/* Is the commit limit reached, so that no hole need be looked for? */
static bool vsplit_segment_lacks_room(struct vsplit_segment *segment, u64 size)
{
	guard(mutex)(&segment->lock);
	return vsplit_segment_is_full(segment, size);
}

static int vsplit_segment_alloc(struct ttm_resource_manager *man, struct ttm_buffer_object *bo,
				const struct ttm_place *place, struct ttm_resource **out)
{
	struct vsplit_res *res;
	int ret;

	dma_resv_assert_held(bo->base.resv);

	if (vsplit_fault("mm.resource"))
		return -ENOMEM;
	/* TTM calls this before it evicts, and after each eviction. */
	if (!(place->flags & VSPLIT_PL_FLAG_UNPLACED) &&
	    vsplit_segment_lacks_room(to_segment(man), bo->base.size))
		return -ENOSPC;
	res = kzalloc(sizeof(*res), GFP_KERNEL);
	if (!res)
		return -ENOMEM;

	ttm_resource_init(bo, place, &res->base);
	if (!(place->flags & VSPLIT_PL_FLAG_UNPLACED)) {
		ret = vsplit_segment_place(to_segment(man), bo, place, res);
		if (ret) {
			ttm_resource_fini(man, &res->base);
			kfree(res);
			return ret;
		}
	}
	*out = &res->base;
	return 0;
}

static void vsplit_segment_free(struct ttm_resource_manager *man, struct ttm_resource *base)
{
	struct vsplit_res *res = to_vsplit_res(base);

	vsplit_segment_unplace(to_segment(man), res->range);
	vsplit_gpu_runs_put(res->runs);
	ttm_resource_fini(man, base);
	kfree(res);
}

static bool vsplit_segment_intersects(struct ttm_resource_manager *man, struct ttm_resource *res,
				      const struct ttm_place *place, size_t size)
{
	const struct vsplit_range *range;

	for (range = to_vsplit_res(res)->range; range; range = range->next)
		if (PHYS_PFN(range->node.start + range->node.size) > place->fpfn &&
		    (!place->lpfn || PHYS_PFN(range->node.start) < place->lpfn))
			return true;
	return false;
}

static bool vsplit_segment_compatible(struct ttm_resource_manager *man, struct ttm_resource *res,
				      const struct ttm_place *place, size_t size)
{
	const struct vsplit_gpu_runs *runs = vsplit_resource_runs(res);
	u64 end = res->start + PFN_UP(size);
	const struct vsplit_gpu_run *last;

	if (runs) {
		last = &runs->run[runs->nr - 1];
		end = PHYS_PFN(last->address + last->bytes - to_segment(man)->base);
	}
	return res->start >= place->fpfn && (!place->lpfn || end <= place->lpfn);
}

void vsplit_segment_print(struct vsplit_segment *segment, struct drm_printer *p)
{
	struct vsplit_range *range;

	guard(mutex)(&segment->lock);
	drm_printf(p, "committed %llu of %llu, size %llu\n", segment->committed,
		   segment->commit_limit, segment->size);
	drm_mm_print(&segment->ranges, p);
	for (range = vsplit_ranges_iter_first(&segment->pending, 0, U64_MAX); range;
	     range = vsplit_ranges_iter_next(range, 0, U64_MAX))
		drm_printf(p, "%#018llx-%#018llx: %llu: pending on %llu:%llu%s\n",
			   range->node.start, range->node.start + range->node.size,
			   range->node.size, range->busy->context, range->busy->seqno,
			   dma_fence_is_signaled(range->busy) ? ", done" : "");
	vsplit_swizzle_print(segment, p);
}

static void vsplit_segment_debug(struct ttm_resource_manager *man, struct drm_printer *p)
{
	vsplit_segment_print(to_segment(man), p);
}

static const struct ttm_resource_manager_func vsplit_segment_func = {
	.alloc = vsplit_segment_alloc,
	.free = vsplit_segment_free,
	.intersects = vsplit_segment_intersects,
	.compatible = vsplit_segment_compatible,
	.debug = vsplit_segment_debug,
};

/*
 * Make a part of a segment busy with a planned program; segment->lock is held. The part is the
 * place of @cover, not empty; @cover belongs to the segment afterwards. The program depends on
 * every pending range with this @mark (vsplit_segment_visit_fences()), so such ranges inside of the
 * part are forgotten; ranges that were given back since then stay pending.
 */
void vsplit_segment_cover(struct vsplit_segment *segment, struct vsplit_range *cover,
			  const void *mark, struct dma_fence *fence)
{
	u64 first = vsplit_range_first(cover), last = vsplit_range_last(cover);
	struct vsplit_range *range, *next;

	lockdep_assert_held(&segment->lock);

	for (range = vsplit_ranges_iter_first(&segment->pending, first, last); range;
	     range = next) {
		next = vsplit_ranges_iter_next(range, first, last);
		if (range->seen == mark && vsplit_range_first(range) >= first &&
		    vsplit_range_last(range) <= last)
			vsplit_segment_unpend(segment, range);
	}
	cover->busy = dma_fence_get(fence);
	vsplit_segment_pend(segment, cover);
}

static int vsplit_segment_add(struct vsplit_segment *segment)
{
	const struct vsplit_device *vdev = segment->mm->vdev;
	struct vsplit_gpu *gpu = vdev->gpu;

	if (segment->aperture)
		return vsplit_gpu_add_gart(gpu, segment->base, segment->size);

	if (vdev->config.segments[segment->index].bar) {
		segment->memory = vdev->bar.memory;
		segment->bus = vdev->bar.address;
	} else {
		segment->memory = vsplit_fault("mm.segment") ? NULL :
				  __vmalloc(segment->size, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	}
	if (!segment->memory)
		return -ENOMEM;
	return vsplit_gpu_add_memory(gpu, segment->base, segment->size, segment->memory);
}

/* The mapping of a BAR belongs to its device. */
static void vsplit_segment_free_memory(struct vsplit_segment *segment)
{
	if (!segment->bus)
		vfree(segment->memory);
	segment->memory = NULL;
}

/*
 * Fences are published and ranges change hands under the lock, and the changes of places of all
 * clients share it. So tell lockdep that under it no fence may be waited for; this also forbids to
 * allocate memory, and to copy from or to userspace.
 */
static void vsplit_segment_prime(struct vsplit_segment *segment)
{
	bool cookie = dma_fence_begin_signalling();

	mutex_lock(&segment->lock);
	mutex_unlock(&segment->lock);
	dma_fence_end_signalling(cookie);
}

/*
 * Make a segment as configured, and add it to the GPU; the TTM device is ready. Return: 0 or a
 * negative error.
 */
int vsplit_segment_init(struct vsplit_mm *mm, u32 index)
{
	const struct vsplit_segment_config *config = &mm->vdev->config.segments[index];
	struct vsplit_segment *segment = &mm->segments[index];
	int ret;

	segment->mm = mm;
	segment->index = index;
	segment->aperture = config->aperture;
	segment->base = (u64)(index + 1) << VSPLIT_SEGMENT_BASE_SHIFT;
	segment->size = config->size;
	segment->commit_limit = config->commit_limit;
	segment->cpu_visible = config->cpu_visible;

	ret = vsplit_swizzle_init(segment, config->ranges);
	if (ret)
		return ret;
	ret = vsplit_segment_add(segment);
	if (ret) {
		vsplit_swizzle_fini(segment);
		vsplit_segment_free_memory(segment);
		return ret;
	}

	mutex_init(&segment->lock);
	vsplit_segment_prime(segment);
	segment->pending = RB_ROOT_CACHED;
	segment->pins = RB_ROOT_CACHED;
	segment->room = U64_MAX;
	init_llist_head(&segment->idle);
	INIT_WORK(&segment->prune, vsplit_segment_prune);
	drm_mm_init(&segment->ranges, 0, segment->size);

	segment->man.use_tt = segment->aperture;
	segment->man.func = &vsplit_segment_func;
	ttm_resource_manager_init(&segment->man, &mm->bdev, segment->size);
	ttm_set_driver_manager(&mm->bdev, TTM_PL_VRAM + index, &segment->man);
	ttm_resource_manager_set_used(&segment->man, true);
	return 0;
}

/** vsplit_segment_fini() - Undo vsplit_segment_init(). It is empty; the GPU is idle or dead. */
void vsplit_segment_fini(struct vsplit_segment *segment)
{
	struct vsplit_range *range;

	ttm_resource_manager_set_used(&segment->man, false);
	ttm_resource_manager_cleanup(&segment->man);
	ttm_set_driver_manager(&segment->mm->bdev, TTM_PL_VRAM + segment->index, NULL);

	mutex_lock(&segment->lock);
	while ((range = vsplit_ranges_iter_first(&segment->pending, 0, U64_MAX)))
		vsplit_segment_unpend(segment, range);
	vsplit_swizzle_fini(segment);
	mutex_unlock(&segment->lock);
	flush_work(&segment->prune);
	drm_mm_takedown(&segment->ranges);
	mutex_destroy(&segment->lock);
	vsplit_segment_free_memory(segment);
}
