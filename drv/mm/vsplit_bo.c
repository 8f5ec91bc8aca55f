// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: allocations
 *
 * An allocation begins in system memory with all of its backing store, zeroed. Its place and two
 * flags, all under its dma_resv, say where its bytes are:
 *
 *  in system memory    the backing store is the truth.
 *  in an aperture      likewise; the segment only maps it.
 *  in a memory segment the segment is the truth, and if the allocation is not *dirty* the
 *                      backing store has the same bytes.
 *
 * An allocation that is *clear* was never written and is all zeros: a fill pages it in. Clear
 * allocations are not dirty.
 *
 * A *swizzled* allocation has its bytes in tiles while it is in a memory segment, see
 * vsplit_swizzle_range.c. It is never in an aperture.
 *
 * The driver learns of writes in three ways: submissions say which allocations they write (struct
 * vsplit_reloc); CPU mappings become writable by a fault (vsplit_cpu.c); and allocations count as
 * written that have a kernel mapping, an importer, a head that writes them, or a virtual address
 * through which the GPU may write them.
 */
#include <linux/dma-resv.h>

#include "mm/vsplit_mm_internal.h"

u64 vsplit_bo_offset(const struct vsplit_bo *vbo)
{
	dma_resv_assert_held(vbo->tbo.base.resv);

	return vsplit_resource_offset(vbo->tbo.resource);
}

struct page **vsplit_bo_pages(const struct vsplit_bo *vbo)
{
	dma_resv_assert_held(vbo->tbo.base.resv);

	return vbo->tbo.ttm->pages;
}

/*
 * Kernel mapping of the bytes of an allocation (of its first run, if it is in several); NULL: it is
 * not in a memory segment. resv held.
 */
void *vsplit_bo_memory(const struct vsplit_bo *vbo)
{
	struct vsplit_segment *segment = vsplit_resource_owner(vbo_to_mm(vbo), vbo->tbo.resource);

	dma_resv_assert_held(vbo->tbo.base.resv);

	if (!segment || segment->aperture)
		return NULL;
	return segment->memory + vsplit_resource_offset(vbo->tbo.resource);
}

/* Offset, in its memory segment, of a byte of an allocation; resv held. */
u64 vsplit_bo_at(const struct vsplit_bo *vbo, u64 offset)
{
	const struct vsplit_gpu_runs *runs = vsplit_resource_runs(vbo->tbo.resource);
	u64 address;

	dma_resv_assert_held(vbo->tbo.base.resv);

	if (!runs)
		return vsplit_bo_offset(vbo) + offset;
	vsplit_gpu_runs_find(runs, offset, &address);
	return address - vsplit_segment_address(vbo_to_mm(vbo), vsplit_bo_segment(vbo), 0);
}

/* Position of a segment in the order of preference; @nr_segs: the segment is not allowed. */
static u32 vsplit_bo_preference(const struct vsplit_bo *vbo, u32 segment)
{
	u32 i = 0;

	while (i < vbo->nr_segs && vbo->segs[i] != segment)
		i++;
	return i;
}

bool vsplit_bo_lock_allows(const struct vsplit_bo *vbo, u32 segment)
{
	return !vbo->locks || vbo_to_mm(vbo)->segments[segment].aperture;
}

/** vsplit_bo_arrived() - An allocation has another place, or left and has returned; resv held. */
void vsplit_bo_arrived(struct vsplit_bo *vbo)
{
	vbo->moves++;
	vbo->ranges_lost = 0;
	/* Through writable virtual addresses the GPU may have written it. */
	if (vbo->maps && vbo->maps->written)
		vsplit_bo_written(vbo);
}

/* May the GPU use it in a segment? */
static bool vsplit_bo_is_used_in(const struct vsplit_bo *vbo, u32 segment, bool write)
{
	u32 i = vsplit_bo_preference(vbo, segment);

	return i < vbo->nr_segs && vsplit_bo_allows(vbo, i, write);
}

bool vsplit_bo_is_best(const struct vsplit_bo *vbo, bool write)
{
	u32 segment = vbo->segs[0];

	return vsplit_bo_segment(vbo) == segment && vsplit_bo_allows(vbo, 0, write) &&
	       vsplit_bo_lock_allows(vbo, segment);
}

bool vsplit_bo_can_stay(const struct vsplit_bo *vbo, bool write)
{
	return vsplit_bo_is_used_in(vbo, vsplit_bo_segment(vbo), write);
}

void vsplit_bo_written(struct vsplit_bo *vbo)
{
	dma_resv_assert_held(vbo->tbo.base.resv);

	vbo->clear = false;
	if (vsplit_bo_memory(vbo))
		vbo->dirty = true;
}

/* A task of a client is about to wait for an allocation; the resv need not be held. */
void vsplit_bo_hurry(struct vsplit_bo *vbo, enum dma_resv_usage usage,
		     const struct vsplit_account *client)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;

	dma_resv_iter_begin(&cursor, vbo->tbo.base.resv, usage);
	dma_resv_for_each_fence_unlocked(&cursor, fence)
		vsplit_fence_hurry(vbo_to_vdev(vbo), fence, client);
	dma_resv_iter_end(&cursor);
}

/*
 * Wait until an allocation is idle, as a task of a client. It waits for programs of others, also
 * for later ones, no longer than the adapter's timeout for each. A reference is held; the resv is
 * not. Return: > 0 or -ERESTARTSYS.
 */
long vsplit_bo_wait_as(struct vsplit_bo *vbo, enum dma_resv_usage usage,
		       const struct vsplit_account *client)
{
	long left, slice = msecs_to_jiffies(vbo_to_vdev(vbo)->config.timeout_ms) ?: 1;

	do {
		vsplit_bo_hurry(vbo, usage, client);
		left = dma_resv_wait_timeout(vbo->tbo.base.resv, usage, true, slice);
	} while (!left);
	return left;
}

/*
 * Beyond its limit of pages TTM swaps out before it allocates new ones. It holds a lock meanwhile
 * that all of its drivers share. With no_wait_gpu it passes over allocations that are in use; else
 * it would wait up to fifteen seconds for each.
 */
int vsplit_bo_populate(struct vsplit_bo *vbo, struct ttm_operation_ctx *ctx)
{
	struct ttm_buffer_object *tbo = &vbo->tbo;
	bool no_wait_gpu = ctx->no_wait_gpu;
	int ret;

	dma_resv_assert_held(tbo->base.resv);

	if (vsplit_bo_has_pages(vbo))
		return 0;
	if (!tbo->ttm)
		tbo->ttm = vsplit_tt_create(tbo, 0);
	if (!tbo->ttm)
		return -ENOMEM;
	ctx->no_wait_gpu = true;
	ret = vsplit_compat_populate(tbo, ctx);
	ctx->no_wait_gpu = no_wait_gpu;
	if (!ret && vbo->offer)
		vsplit_offer_moved(vbo);
	return ret;
}

/*
 * Make a resource the allocation's own; resv held, CPU mappings are zapped. @fence: signalled when
 * nothing uses the old resource any more; NULL: nothing does, or a layout takes care of its range.
 */
void vsplit_bo_settle(struct vsplit_bo *vbo, struct ttm_resource *res, struct dma_fence *fence)
{
	struct ttm_buffer_object *tbo = &vbo->tbo;

	dma_resv_assert_held(tbo->base.resv);

	if (fence)
		vsplit_resource_set_busy(tbo->resource, fence);
	ttm_resource_free(tbo, &tbo->resource);
	ttm_bo_assign_mem(tbo, res);
	if (vbo->offer)
		vsplit_offer_moved(vbo);
	vsplit_bo_arrived(vbo);
}

/*
 * Tell requirement lists where an allocation is, which has left, has come, stays after all, or was
 * offered or reclaimed; resv held.
 */
void vsplit_bo_tell_lists(struct vsplit_bo *vbo)
{
	struct vsplit_resid_domain *domain = &vbo_to_mm(vbo)->resid;

	if (vbo->offer)
		vsplit_resid_waive(domain, &vbo->resid);
	else if (!vsplit_bo_is_resident(vbo))
		vsplit_resid_gone(domain, &vbo->resid);
}

bool vsplit_bo_address(const struct vsplit_bo *vbo, u64 *address, struct vsplit_gpu_runs **runs)
{
	u32 segment = vsplit_bo_segment(vbo);

	if (!vsplit_bo_is_used_in(vbo, segment, false))
		return false;
	*runs = vsplit_gpu_runs_get(vsplit_resource_runs(vbo->tbo.resource));
	*address = *runs ? 0 : vsplit_segment_address(vbo_to_mm(vbo), segment,
						      vsplit_bo_offset(vbo));
	return true;
}

void vsplit_bo_map_step(const struct vsplit_bo *vbo, u32 to, struct vsplit_gpu_step *step)
{
	dma_resv_assert_held(vbo->tbo.base.resv);

	if (!vbo->maps)
		return;
	kref_get(&vbo->maps->ref);
	step->maps = vbo->maps;
	if (vsplit_bo_is_used_in(vbo, to, false))
		step->flags |= VSPLIT_GPU_STEP_ARRIVES;
}

/* ---- priority ---- */

/* TTM's priority for one of the driver's: TTM has four levels, and evicts the lower ones first. */
unsigned int vsplit_bo_lru_level(u32 priority)
{
	if (priority < VSPLIT_PRIORITY_NORMAL)
		return 0;
	if (priority < VSPLIT_PRIORITY_HIGH)
		return 1;
	return priority < VSPLIT_PRIORITY_MAX ? 2 : 3;
}

bool vsplit_bo_priority_ok(u32 priority)
{
	return !priority || (priority >= VSPLIT_PRIORITY_MIN && priority <= VSPLIT_PRIORITY_MAX);
}

/* ---- placing ---- */

/** vsplit_places_init() - Begin with no place. */
void vsplit_places_init(struct vsplit_places *places)
{
	memset(places, 0, sizeof(*places));
	places->base.placement = places->places;
}

/** vsplit_places_add() - Add a part of a segment as the next place to try. */
void vsplit_places_add(struct vsplit_places *places, const struct vsplit_segment *segment,
		       u64 start, u64 end, u32 flags)
{
	struct ttm_place *place = &places->places[places->base.num_placement++];

	place->fpfn = start >> PAGE_SHIFT;
	place->lpfn = end >> PAGE_SHIFT;
	place->mem_type = TTM_PL_VRAM + segment->index;
	place->flags = flags;
}

/*
 * Add the places in the allocation's i-th segment. If the CPU sees only a part of the segment (a
 * small BAR), an allocation that the CPU will map prefers that part, so that no access has to move
 * it. All others leave the part free while there is room elsewhere. An allocation that cannot be
 * moved when the CPU wants it has to be in that part.
 */
static void vsplit_bo_places_in(const struct vsplit_bo *vbo, u32 i, u32 flags,
				struct vsplit_places *places)
{
	const struct vsplit_segment *segment = &vbo_to_mm(vbo)->segments[vbo->segs[i]];
	u64 seen = vsplit_segment_seen(segment);
	u64 size = vbo->tbo.base.size;

	flags |= vbo->topdown & BIT(i) ? TTM_PL_FLAG_TOPDOWN : 0;
	if (vbo->flags & VSPLIT_GEM_CPU_ACCESS) {
		bool pinned = vbo->flags & VSPLIT_GEM_PINNED;

		if (size <= seen)
			vsplit_places_add(places, segment, 0, seen, flags);
		if (pinned || seen == segment->size)
			return;
	} else if (seen && seen < segment->size && size <= segment->size - seen) {
		vsplit_places_add(places, segment, seen, segment->size,
				  flags | TTM_PL_FLAG_DESIRED);
	}
	vsplit_places_add(places, segment, 0, segment->size, flags);
}

/*
 * Add places in order of preference: in all allowed segments, or in one of them. The more important
 * an allocation is, the stricter is its preference (EXT-28): from VSPLIT_PRIORITY_HIGH on it evicts
 * another allocation from its first segment rather than take a hole in another segment. Without
 * eviction, only holes are added that it would take anyway.
 */
static bool vsplit_bo_places(const struct vsplit_bo *vbo, u32 only, bool write, bool evict,
			     struct vsplit_places *places)
{
	const struct vsplit_mm *mm = vbo_to_mm(vbo);
	u32 i;

	vsplit_places_init(places);
	for (i = 0; i < vbo->nr_segs; i++) {
		const struct vsplit_segment *segment = &mm->segments[vbo->segs[i]];
		bool fallback = i && vbo->priority >= VSPLIT_PRIORITY_HIGH &&
				only == VSPLIT_SEG_SYSTEM;

		if (only == VSPLIT_SEG_SYSTEM ? !vsplit_bo_lock_allows(vbo, segment->index) :
						segment->index != only)
			continue;
		if (!vsplit_bo_allows(vbo, i, write) ||
		    vbo->tbo.base.size > segment->commit_limit || (fallback && !evict))
			continue;
		vsplit_bo_places_in(vbo, i, (fallback ? TTM_PL_FLAG_FALLBACK : 0) |
					    (evict ? 0 : TTM_PL_FLAG_DESIRED), places);
	}
	return places->base.num_placement;
}

/* Error if no segment can take an allocation, because of its size or as its pages are in use. */
static int vsplit_bo_no_place(const struct vsplit_bo *vbo)
{
	return vbo->pages_pinned ? -EBUSY : -ENOSPC;
}

/*
 * Must an allocation go to a place through system memory? Between an aperture and another segment
 * it must. resv held.
 */
bool vsplit_bo_needs_stop(const struct vsplit_bo *vbo, const struct ttm_resource *res)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	struct vsplit_segment *from = vsplit_resource_owner(mm, vbo->tbo.resource);
	struct vsplit_segment *to = vsplit_resource_owner(mm, res);

	return from && to && (from->aperture || to->aperture);
}

/*
 * Move an allocation to its next resource by a job of its own; one job must be able to do it. resv
 * held; populated. Return: as for vsplit_bo_page(); on success @res belongs to the allocation.
 */
int vsplit_bo_move_to(struct vsplit_bo *vbo, struct ttm_resource *res,
		      struct ttm_operation_ctx *ctx)
{
	int ret;

	ret = dma_resv_reserve_fences(vbo->tbo.base.resv, 1);
	if (ret)
		return ret;
	ttm_bo_unmap_virtual(&vbo->tbo);
	vsplit_sync_point("mm.move");
	return vsplit_bo_page(vbo, res, false, ctx);
}

/*
 * Get a place for an allocation and move it there by paging jobs; resv held; pinned only for a
 * reset of the bus device.
 * Return: 0; -ENOSPC: it is where it was; -ENOMEM; -ENOBUFS, -E2BIG: the client of the transaction
 * may not hold more; -ERESTARTSYS; -EINTR also as vsplit_txn.refused says. After other errors than
 * -ENOSPC the allocation may be in system memory.
 */
int vsplit_bo_move_into(struct vsplit_bo *vbo, struct ttm_placement *placement,
			struct ttm_operation_ctx *ctx)
{
	struct ttm_resource *res;
	int ret;

	ret = vsplit_bo_populate(vbo, ctx);
	if (ret)
		return ret;
	ret = ttm_bo_mem_space(&vbo->tbo, placement, &res, ctx);
	if (ret)
		return ret;
	if (vsplit_bo_needs_stop(vbo, res))
		ret = vsplit_bo_move_into(vbo, &vsplit_system_placement, ctx);
	if (!ret)
		ret = vsplit_bo_move_to(vbo, res, ctx);
	if (ret)
		ttm_resource_free(&vbo->tbo, &res);
	return ret;
}

int vsplit_bo_evict(struct vsplit_bo *vbo, struct ttm_operation_ctx *ctx)
{
	if (vsplit_bo_segment(vbo) == VSPLIT_SEG_SYSTEM)
		return 0;
	if (vbo->tbo.pin_count)
		return -EBUSY;

	return vsplit_bo_move_into(vbo, &vsplit_system_placement, ctx);
}

int vsplit_bo_evict_to_set(struct vsplit_bo *vbo, u32 closed, struct ttm_operation_ctx *ctx)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);

	if (vsplit_bo_segment(vbo) == VSPLIT_SEG_SYSTEM)
		return 0;
	if (vbo->tbo.pin_count)
		return -EBUSY;
	if (!vsplit_bo_memory(vbo))
		return ttm_bo_validate(&vbo->tbo, &vsplit_system_placement, ctx);
	return ttm_bo_validate(&vbo->tbo, &mm->evictions[vbo->evict_set & ~closed].base, ctx);
}

/* Keep only the places where the CPU sees all of the allocation. Return: true if any is left. */
static bool vsplit_places_clip(const struct vsplit_bo *vbo, struct vsplit_places *places)
{
	const struct vsplit_mm *mm = vbo_to_mm(vbo);
	u32 nr = places->base.num_placement, i;

	places->base.num_placement = 0;
	for (i = 0; i < nr; i++) {
		struct ttm_place place = places->places[i];
		u64 seen = vsplit_segment_seen(&mm->segments[place.mem_type - TTM_PL_VRAM]);

		place.lpfn = min_t(u64, place.lpfn, PHYS_PFN(seen));
		if (place.fpfn + PHYS_PFN(vbo->tbo.base.size) <= place.lpfn)
			places->places[places->base.num_placement++] = place;
	}
	return places->base.num_placement;
}

int vsplit_bo_page_in(struct vsplit_bo *vbo, u32 segment, bool seen)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct vsplit_places places;
	bool stays;
	int ret;

	if (segment != VSPLIT_SEG_SYSTEM && vsplit_bo_preference(vbo, segment) == vbo->nr_segs)
		return -EINVAL;
	stays = segment == VSPLIT_SEG_SYSTEM ? vsplit_bo_can_stay(vbo, false) :
					       segment == vsplit_bo_segment(vbo);
	if (stays && (!seen || vsplit_bo_visible(vbo)))
		return 0;
	if (vbo->tbo.pin_count)
		return -EBUSY;
	if (!vsplit_bo_places(vbo, segment, false, true, &places) ||
	    (seen && !vsplit_places_clip(vbo, &places)))
		return vsplit_bo_no_place(vbo);
	/* Its own old place may be in the way. */
	ret = stays ? vsplit_bo_evict(vbo, &ctx) : 0;
	return ret ?: vsplit_bo_move_into(vbo, &places.base, &ctx);
}

int vsplit_bo_acquire(struct vsplit_bo *vbo, bool write, bool evict,
		      struct ttm_operation_ctx *ctx, struct ttm_resource **res)
{
	struct vsplit_places places;
	int ret;

	*res = NULL;
	if (vsplit_bo_can_stay(vbo, write))
		return 0;
	if (vbo->tbo.pin_count)
		return -EBUSY;
	if (!vsplit_bo_places(vbo, VSPLIT_SEG_SYSTEM, write, true, &places))
		return vsplit_bo_no_place(vbo);
	if (!evict && !vsplit_bo_places(vbo, VSPLIT_SEG_SYSTEM, write, false, &places))
		return -ENOSPC;
	ret = vsplit_bo_populate(vbo, ctx);
	if (ret)
		return ret;
	return ttm_bo_mem_space(&vbo->tbo, &places.base, res, ctx);
}

/* Holes in the segments that it prefers to its present one, without eviction. */
static bool vsplit_bo_better_places(const struct vsplit_bo *vbo, bool write,
				    struct vsplit_places *places)
{
	const struct vsplit_mm *mm = vbo_to_mm(vbo);
	u64 size = vbo->tbo.base.size;
	u32 current_segment = vsplit_bo_segment(vbo);
	u32 i;

	vsplit_places_init(places);
	for (i = 0; i < vbo->nr_segs && vbo->segs[i] != current_segment; i++) {
		const struct vsplit_segment *segment = &mm->segments[vbo->segs[i]];

		/* Most often there is no room; for this a check without the lock is good enough. */
		if (vsplit_bo_allows(vbo, i, write) &&
		    READ_ONCE(segment->committed) + size <= segment->commit_limit)
			vsplit_bo_places_in(vbo, i, TTM_PL_FLAG_DESIRED, places);
	}
	return places->base.num_placement;
}

int vsplit_bo_must_leave(const struct vsplit_bo *vbo, bool write)
{
	u32 segment = vsplit_bo_segment(vbo);

	if (vbo->locks && !vbo->apertures)
		return -EBUSY;
	if (segment == VSPLIT_SEG_SYSTEM)
		return 0;
	if (vsplit_bo_lock_allows(vbo, segment) &&
	    (vsplit_bo_can_stay(vbo, write) || vbo->tbo.pin_count))
		return 0;
	return vbo->tbo.pin_count ? -EBUSY : 1;
}

int vsplit_bo_leave(struct vsplit_bo *vbo, bool write, struct ttm_operation_ctx *ctx)
{
	int ret;

	ret = vsplit_bo_must_leave(vbo, write);
	if (ret <= 0)
		return ret;
	ret = vsplit_bo_evict(vbo, ctx);
	return ret ?: dma_resv_reserve_fences(vbo->tbo.base.resv, VSPLIT_RESV_SLOTS);
}

int vsplit_bo_promote(struct vsplit_bo *vbo, bool write, struct ttm_operation_ctx *ctx)
{
	struct vsplit_places places;
	int ret;

	dma_resv_assert_held(vbo->tbo.base.resv);

	if (vsplit_bo_segment(vbo) == vbo->segs[0] || !vsplit_bo_can_stay(vbo, write) ||
	    vbo->tbo.pin_count || vbo->locks || !vsplit_bo_better_places(vbo, write, &places))
		return 0;
	/* The move would have to wait for work that uses the allocation: do it another time. */
	if (!dma_resv_test_signaled(vbo->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP))
		return 0;

	ret = vsplit_bo_move_into(vbo, &places.base, ctx);
	if (ret)
		return ret == -ENOSPC ? 0 : ret;
	return dma_resv_reserve_fences(vbo->tbo.base.resv, VSPLIT_RESV_SLOTS);
}

int vsplit_bo_acquire_unplaced(struct vsplit_bo *vbo, u32 segment,
			       struct ttm_operation_ctx *ctx, struct ttm_resource **res)
{
	struct ttm_place place = { .mem_type = TTM_PL_SYSTEM };
	struct ttm_placement placement = { .num_placement = 1, .placement = &place };

	dma_resv_assert_held(vbo->tbo.base.resv);

	*res = NULL;
	if (segment != VSPLIT_SEG_SYSTEM) {
		place.mem_type = TTM_PL_VRAM + segment;
		place.flags = VSPLIT_PL_FLAG_UNPLACED;
	}
	return ttm_bo_mem_space(&vbo->tbo, &placement, res, ctx);
}

void vsplit_bo_unacquire(struct vsplit_bo *vbo, struct ttm_resource *res)
{
	dma_resv_assert_held(vbo->tbo.base.resv);

	ttm_resource_free(&vbo->tbo, &res);
}
