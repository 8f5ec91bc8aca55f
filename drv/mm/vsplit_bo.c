// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: allocations
 *
 * An allocation begins in system memory with all of its backing store, zeroed.
 * Three flags say what its bytes are, all under its dma_resv:
 *
 *  in system memory    the backing store is the truth.
 *  in an aperture      so it is; the segment only maps it.
 *  in a memory segment the segment is the truth, and if it is not *dirty* the
 *                      backing store has the same bytes.
 *
 * An allocation that is *clear* was never written by anybody and is all zeros:
 * it is paged in by a fill. Clear allocations are not dirty.
 *
 * A *swizzled* allocation has its bytes in tiles while it is in a memory segment, see
 * vsplit_swizzle_range.c. It is never in an aperture.
 *
 * Writes are noticed in three ways: submissions say which allocations they
 * write (struct vsplit_reloc), CPU mappings become writable by a fault
 * (vsplit_cpu.c), and kernel mappings and exports count as written.
 */
#include <linux/dma-resv.h>
#include <linux/log2.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include "mm/vsplit_mm_internal.h"
#include "drm/vsplit_isa.h"

/* GPU addresses are as aligned as offsets are, up to this. */
#define VSPLIT_BO_MAX_ALIGN	BIT_ULL(40)

u32 vsplit_bo_segment(const struct vsplit_bo *vbo)
{
	dma_resv_assert_held(vbo->tbo.base.resv);

	return vsplit_resource_segment(vbo_to_mm(vbo), vbo->tbo.resource);
}

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

/**
 * vsplit_bo_memory() - Kernel mapping of its bytes in a memory segment.
 * @vbo: resv held.
 *
 * Return: the mapping, or NULL if it is not in a memory segment.
 */
void *vsplit_bo_memory(const struct vsplit_bo *vbo)
{
	struct vsplit_segment *segment;

	dma_resv_assert_held(vbo->tbo.base.resv);

	segment = vsplit_resource_owner(vbo_to_mm(vbo), vbo->tbo.resource);
	if (!segment || segment->aperture)
		return NULL;
	return segment->memory + vsplit_resource_offset(vbo->tbo.resource);
}

static bool vsplit_bo_knows(const struct vsplit_bo *vbo, u32 segment)
{
	u32 i;

	for (i = 0; i < vbo->nr_segs; i++)
		if (vbo->segs[i] == segment)
			return true;
	return false;
}

bool vsplit_bo_lock_allows(const struct vsplit_bo *vbo, u32 segment)
{
	return !vbo->locks || vbo_to_mm(vbo)->segments[segment].aperture;
}

bool vsplit_bo_can_stay(const struct vsplit_bo *vbo, bool write)
{
	u32 segment = vsplit_bo_segment(vbo);
	u32 i;

	for (i = 0; i < vbo->nr_segs; i++)
		if (vbo->segs[i] == segment && vsplit_bo_allows(vbo, i, write))
			return true;
	return false;
}

/**
 * vsplit_bo_written() - Note that its bytes are, or may from now on be, written.
 * @vbo: resv held.
 */
void vsplit_bo_written(struct vsplit_bo *vbo)
{
	dma_resv_assert_held(vbo->tbo.base.resv);

	vbo->clear = false;
	if (vsplit_bo_memory(vbo))
		vbo->dirty = true;
}

/**
 * vsplit_bo_is_written() - Would vsplit_bo_written() change nothing?
 * @vbo: resv held.
 */
bool vsplit_bo_is_written(const struct vsplit_bo *vbo)
{
	return vsplit_bo_memory(vbo) ? vbo->dirty : !vbo->clear;
}

/**
 * vsplit_bo_wait_moved() - Wait until its bytes are where its resource says.
 * @vbo: resv held.
 *
 * Return: 0 or -ERESTARTSYS.
 */
int vsplit_bo_wait_moved(struct vsplit_bo *vbo)
{
	long ret;

	if (vsplit_interrupted("mm.wait_moved"))
		return -ERESTARTSYS;
	ret = dma_resv_wait_timeout(vbo->tbo.base.resv, DMA_RESV_USAGE_KERNEL, true,
				    MAX_SCHEDULE_TIMEOUT);
	return ret < 0 ? ret : 0;
}

int vsplit_bo_populate(struct vsplit_bo *vbo, struct ttm_operation_ctx *ctx)
{
	struct ttm_buffer_object *tbo = &vbo->tbo;

	dma_resv_assert_held(tbo->base.resv);

	if (!tbo->ttm)
		tbo->ttm = vsplit_tt_create(tbo, 0);
	if (!tbo->ttm)
		return -ENOMEM;
	return ttm_tt_populate(tbo->bdev, tbo->ttm, ctx);
}

/**
 * vsplit_bo_settle() - Let a resource become that of the allocation.
 * @vbo: resv held; CPU mappings are zapped.
 * @res: its next resource.
 * @fence: signalled when nobody uses the old one any more; NULL if a layout
 *	takes care of it.
 */
void vsplit_bo_settle(struct vsplit_bo *vbo, struct ttm_resource *res, struct dma_fence *fence)
{
	struct ttm_buffer_object *tbo = &vbo->tbo;

	dma_resv_assert_held(tbo->base.resv);

	if (fence)
		vsplit_resource_set_busy(tbo->resource, fence);
	ttm_resource_free(tbo, &tbo->resource);
	ttm_bo_assign_mem(tbo, res);
	WRITE_ONCE(vbo->segment, vsplit_bo_segment(vbo));
	vbo->moves++;
}

/* ---- priority ---- */

/* TTM has four levels of priority, and evicts the lower ones first. */
static unsigned int vsplit_bo_lru_level(u32 priority)
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

void vsplit_bo_set_priority(struct vsplit_bo *vbo, u32 priority)
{
	struct ttm_buffer_object *tbo = &vbo->tbo;
	unsigned int level;

	dma_resv_assert_held(tbo->base.resv);

	vbo->priority = priority ?: VSPLIT_PRIORITY_NORMAL;
	level = vsplit_bo_lru_level(vbo->priority);
	if (level == tbo->priority)
		return;
	/* Lists are chosen by level: leave the old one and enter the new one at once. */
	spin_lock(&tbo->bdev->lru_lock);
	tbo->priority = level;
	ttm_bo_move_to_lru_tail(tbo);
	spin_unlock(&tbo->bdev->lru_lock);
}

/* ---- placing ---- */

/* Does the CPU see a part of the segment, but not all of it? */
static bool vsplit_segment_is_partly_visible(const struct vsplit_segment *segment)
{
	return segment->cpu_visible && segment->cpu_visible < segment->size;
}

static void vsplit_places_add(struct vsplit_places *places, const struct vsplit_bo *vbo,
			      const struct vsplit_segment *segment, u64 start, u64 end, u32 flags)
{
	struct ttm_place *place = &places->places[places->base.num_placement++];

	place->fpfn = start >> PAGE_SHIFT;
	place->lpfn = end >> PAGE_SHIFT;
	place->mem_type = segment->mem_type;
	place->flags = flags | (vbo->flags & VSPLIT_GEM_TOPDOWN ? TTM_PL_FLAG_TOPDOWN : 0);
}

/*
 * Places in a segment. Where the CPU sees a part only (a small BAR), what it
 * will map prefers that part, so that no access has to move it, and everything
 * else leaves it free while there is room elsewhere. What cannot be moved when
 * the CPU wants it has to be in that part.
 */
static void vsplit_bo_places_in(const struct vsplit_bo *vbo, const struct vsplit_segment *segment,
				u32 flags, struct vsplit_places *places)
{
	u64 size = vbo->tbo.base.size;

	if (vbo->flags & VSPLIT_GEM_CPU_ACCESS) {
		bool pinned = vbo->flags & VSPLIT_GEM_PINNED;

		if (size <= segment->cpu_visible)
			vsplit_places_add(places, vbo, segment, 0, segment->cpu_visible, flags);
		if (pinned || segment->cpu_visible == segment->size)
			return;
	} else if (vsplit_segment_is_partly_visible(segment) &&
		   size <= segment->size - segment->cpu_visible) {
		vsplit_places_add(places, vbo, segment, segment->cpu_visible, segment->size,
				  flags | TTM_PL_FLAG_DESIRED);
	}
	vsplit_places_add(places, vbo, segment, 0, segment->size, flags);
}

/*
 * Places in order of preference: in all segments that are allowed, or in one of
 * them. The more important an allocation is, the harder its preference is
 * honoured (EXT-28): from VSPLIT_PRIORITY_HIGH on it rather evicts somebody
 * from its first segment than it takes a hole in another one.
 */
static bool vsplit_bo_places(const struct vsplit_bo *vbo, u32 only, bool write,
			     struct vsplit_places *places)
{
	const struct vsplit_mm *mm = vbo_to_mm(vbo);
	u32 i;

	memset(places, 0, sizeof(*places));
	places->base.placement = places->places;
	for (i = 0; i < vbo->nr_segs; i++) {
		const struct vsplit_segment *segment = &mm->segments[vbo->segs[i]];
		bool fallback = i && vbo->priority >= VSPLIT_PRIORITY_HIGH;

		if (only == VSPLIT_SEG_SYSTEM ? !vsplit_bo_lock_allows(vbo, segment->index) :
						segment->index != only)
			continue;
		if (!vsplit_bo_allows(vbo, i, write) ||
		    vbo->tbo.base.size > segment->commit_limit)
			continue;
		vsplit_bo_places_in(vbo, segment,
				    fallback && only == VSPLIT_SEG_SYSTEM ?
				    TTM_PL_FLAG_FALLBACK : 0, places);
	}
	return places->base.num_placement;
}

/* No segment can take it, because of its size or because its pages are in use. */
static int vsplit_bo_no_place(const struct vsplit_bo *vbo)
{
	return vbo->pages_pinned ? -EBUSY : -ENOSPC;
}

/* Between an aperture and anything else the way is over system memory. */
static bool vsplit_bo_needs_stop(const struct vsplit_bo *vbo, const struct ttm_resource *res)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	struct vsplit_segment *from = vsplit_resource_owner(mm, vbo->tbo.resource);
	struct vsplit_segment *to = vsplit_resource_owner(mm, res);

	return from && to && (from->aperture || to->aperture);
}

/* Change places by a job of its own, where one job can do it. */
static int vsplit_bo_move_to(struct vsplit_bo *vbo, struct ttm_resource *res)
{
	int ret;

	ret = dma_resv_reserve_fences(vbo->tbo.base.resv, 1);
	if (ret)
		return ret;
	ttm_bo_unmap_virtual(&vbo->tbo);
	vsplit_sync_point("mm.move");
	return vsplit_bo_page(vbo, res, false);
}

/**
 * vsplit_bo_move_into() - Get a place and go there by paging jobs of its own.
 * @vbo: resv held; not pinned.
 * @placement: where to; unless it is system memory, place_sem is held, too.
 * @ctx: TTM's.
 *
 * Return: 0; -ENOSPC, nothing was done; -ENOMEM; -ERESTARTSYS.
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
		ret = vsplit_bo_evict(vbo, ctx->interruptible);
	if (!ret)
		ret = vsplit_bo_move_to(vbo, res);
	if (ret)
		ttm_resource_free(&vbo->tbo, &res);
	return ret;
}

int vsplit_bo_evict(struct vsplit_bo *vbo, bool interruptible)
{
	struct ttm_operation_ctx ctx = { .interruptible = interruptible };

	dma_resv_assert_held(vbo->tbo.base.resv);

	if (vsplit_bo_segment(vbo) == VSPLIT_SEG_SYSTEM)
		return 0;
	if (vbo->tbo.pin_count)
		return -EBUSY;

	return vsplit_bo_move_into(vbo, &vsplit_system_placement, &ctx);
}

int vsplit_bo_page_in(struct vsplit_bo *vbo, u32 segment, bool interruptible)
{
	struct ttm_operation_ctx ctx = { .interruptible = interruptible };
	struct vsplit_places places;
	u32 current_segment = vsplit_bo_segment(vbo);

	dma_resv_assert_held(vbo->tbo.base.resv);
	lockdep_assert_held(&vbo_to_mm(vbo)->place_sem);

	if (segment != VSPLIT_SEG_SYSTEM && !vsplit_bo_knows(vbo, segment))
		return -EINVAL;
	if (segment == VSPLIT_SEG_SYSTEM ? vsplit_bo_can_stay(vbo, false) :
					   segment == current_segment)
		return 0;
	if (vbo->tbo.pin_count)
		return -EBUSY;
	if (!vsplit_bo_places(vbo, segment, false, &places))
		return vsplit_bo_no_place(vbo);
	return vsplit_bo_move_into(vbo, &places.base, &ctx);
}

/**
 * vsplit_bo_page_in_at() - Bring it from system memory to a certain place.
 * @vbo: resv held, and outside it place_sem for writing; in system memory, and not
 *	pinned.
 * @segment: index.
 * @offset: in @segment; free.
 *
 * Return: 0, -ENOMEM.
 */
int vsplit_bo_page_in_at(struct vsplit_bo *vbo, u32 segment, u64 offset)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	struct ttm_operation_ctx ctx = {};
	struct ttm_place place = {
		.mem_type = mm->segments[segment].mem_type,
		.fpfn = PHYS_PFN(offset),
		.lpfn = PHYS_PFN(offset + vbo->tbo.base.size),
	};
	struct ttm_placement placement = { .num_placement = 1, .placement = &place };

	dma_resv_assert_held(vbo->tbo.base.resv);
	lockdep_assert_held_write(&mm->place_sem);

	return vsplit_bo_move_into(vbo, &placement, &ctx);
}

int vsplit_bo_acquire(struct vsplit_bo *vbo, bool write, struct ttm_operation_ctx *ctx,
		      struct ttm_resource **res)
{
	struct vsplit_places places;
	int ret;

	dma_resv_assert_held(vbo->tbo.base.resv);

	*res = NULL;
	if (vsplit_bo_can_stay(vbo, write))
		return 0;
	if (vbo->tbo.pin_count)
		return -EBUSY;
	if (!vsplit_bo_places(vbo, VSPLIT_SEG_SYSTEM, write, &places))
		return vsplit_bo_no_place(vbo);
	ret = vsplit_bo_populate(vbo, ctx);
	if (ret)
		return ret;
	return ttm_bo_mem_space(&vbo->tbo, &places.base, res, ctx);
}

/* Holes in the segments that it prefers to where it is, and nobody evicted for it. */
static bool vsplit_bo_better_places(const struct vsplit_bo *vbo, bool write,
				    struct vsplit_places *places)
{
	const struct vsplit_mm *mm = vbo_to_mm(vbo);
	u64 size = vbo->tbo.base.size;
	u32 current_segment = vsplit_bo_segment(vbo);
	u32 i;

	memset(places, 0, sizeof(*places));
	places->base.placement = places->places;
	for (i = 0; i < vbo->nr_segs && vbo->segs[i] != current_segment; i++) {
		const struct vsplit_segment *segment = &mm->segments[vbo->segs[i]];

		/* Most often there is no room; a look without the lock is good enough. */
		if (vsplit_bo_allows(vbo, i, write) &&
		    READ_ONCE(segment->committed) + size <= segment->commit_limit)
			vsplit_bo_places_in(vbo, segment, TTM_PL_FLAG_DESIRED, places);
	}
	return places->base.num_placement;
}

int vsplit_bo_leave(struct vsplit_bo *vbo, bool write, struct ttm_operation_ctx *ctx)
{
	u32 segment = vsplit_bo_segment(vbo);
	int ret;

	dma_resv_assert_held(vbo->tbo.base.resv);

	if (vbo->locks && !vbo->apertures)
		return -EBUSY;
	if (segment == VSPLIT_SEG_SYSTEM)
		return 0;
	if (vsplit_bo_lock_allows(vbo, segment) &&
	    (vsplit_bo_can_stay(vbo, write) || vbo->tbo.pin_count))
		return 0;
	ret = vsplit_bo_evict(vbo, ctx->interruptible);
	return ret ?: dma_resv_reserve_fences(vbo->tbo.base.resv, VSPLIT_RESV_SLOTS);
}

int vsplit_bo_promote(struct vsplit_bo *vbo, bool write, struct ttm_operation_ctx *ctx)
{
	struct vsplit_places places;
	int ret;

	dma_resv_assert_held(vbo->tbo.base.resv);
	lockdep_assert_held(&vbo_to_mm(vbo)->place_sem);

	if (vsplit_bo_segment(vbo) == vbo->segs[0] || !vsplit_bo_can_stay(vbo, write) ||
	    vbo->tbo.pin_count || vbo->locks || !vsplit_bo_better_places(vbo, write, &places))
		return 0;
	/* Work that uses it would have to be waited for: another time. */
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
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	struct ttm_place place = { .mem_type = TTM_PL_SYSTEM };
	struct ttm_placement placement = { .num_placement = 1, .placement = &place };
	int ret;

	dma_resv_assert_held(vbo->tbo.base.resv);

	*res = NULL;
	if (segment != VSPLIT_SEG_SYSTEM) {
		place.mem_type = mm->segments[segment].mem_type;
		place.flags = VSPLIT_PL_FLAG_UNPLACED;
	}
	ret = vsplit_bo_populate(vbo, ctx);
	if (ret)
		return ret;
	return ttm_bo_mem_space(&vbo->tbo, &placement, res, ctx);
}

void vsplit_bo_unacquire(struct vsplit_bo *vbo, struct ttm_resource *res)
{
	dma_resv_assert_held(vbo->tbo.base.resv);

	ttm_resource_free(&vbo->tbo, &res);
}

/* ---- creation ---- */

/**
 * vsplit_bo_free() - Free an allocation that nobody knows any more.
 * @vbo: without resource and backing store.
 */
void vsplit_bo_free(struct vsplit_bo *vbo)
{
	struct vsplit_device *vdev = to_vsplit_device(vbo->tbo.base.dev);

	if (vbo->dummy)
		__free_page(vbo->dummy);
	drm_gem_object_release(&vbo->tbo.base);
	kfree(vbo);
	atomic_dec(&vdev->stats.nr_bos);
}

/**
 * vsplit_bo_destroy() - The last reference is gone; TTM's destroy.
 * @tbo: the allocation; without resource and backing store.
 */
void vsplit_bo_destroy(struct ttm_buffer_object *tbo)
{
	struct vsplit_bo *vbo = to_vsplit_bo(tbo);

	if (vbo->import)
		vsplit_import_destroy(vbo);
	else
		vsplit_bo_free(vbo);
}

/* The id in an element of drm_vsplit_gem_create.segments. */
static u32 vsplit_bo_segment_id(const struct drm_vsplit_gem_create *args, u32 i)
{
	return args->segments[i] & ~VSPLIT_GEM_SEGMENT_READ_ONLY;
}

/* The i-th segment that it may live in; checked before. */
static u32 vsplit_bo_segment_index(const struct vsplit_mm *mm,
				   const struct drm_vsplit_gem_create *args, u32 i)
{
	if (!args->num_segments)
		return i;
	return array_index_nospec(vsplit_bo_segment_id(args, i) - 1, mm->nr_segments);
}

static bool vsplit_bo_bad_segments(const struct vsplit_mm *mm,
				   const struct drm_vsplit_gem_create *args)
{
	u32 seen = 0, writable = 0, i;

	if (args->num_segments > mm->nr_segments)
		return true;
	for (i = 0; i < ARRAY_SIZE(args->segments); i++) {
		u32 id = vsplit_bo_segment_id(args, i);

		if (i >= args->num_segments) {
			if (args->segments[i])
				return true;
			continue;
		}
		if (id < 1 || id > mm->nr_segments || (seen & BIT(id)))
			return true;
		seen |= BIT(id);
		if (!(args->segments[i] & VSPLIT_GEM_SEGMENT_READ_ONLY))
			writable |= BIT(i);
	}
	if (!args->num_segments)
		return false;
	return !(args->flags & VSPLIT_GEM_PINNED ? writable & BIT(0) : writable);
}

/* A swizzled surface is nowhere but in memory segments (SEG-17). */
static bool vsplit_bo_bad_layout(const struct vsplit_mm *mm,
				 const struct drm_vsplit_gem_create *args)
{
	bool memory = false;
	u32 i;

	if (!(args->flags & VSPLIT_GEM_SWIZZLED))
		return args->pitch;
	if (!args->pitch || args->pitch % VSPLIT_TILE_WIDTH ||
	    (args->flags & VSPLIT_GEM_PINNED))
		return true;
	for (i = 0; i < args->num_segments; i++)
		if (mm->segments[vsplit_bo_segment_index(mm, args, i)].aperture)
			return true;
	for (i = 0; i < mm->nr_segments; i++)
		memory |= !mm->segments[i].aperture;
	return !memory;
}

/* Segment index of a place in the order of preference, or VSPLIT_SEG_SYSTEM to skip it. */
static u32 vsplit_bo_arg_segment(const struct vsplit_mm *mm,
				 const struct drm_vsplit_gem_create *args, u32 i)
{
	u32 index = vsplit_bo_segment_index(mm, args, i);

	if ((args->flags & VSPLIT_GEM_SWIZZLED) && mm->segments[index].aperture)
		return VSPLIT_SEG_SYSTEM;
	return index;
}

static void vsplit_bo_set_segments(struct vsplit_bo *vbo, const struct vsplit_mm *mm,
				   const struct drm_vsplit_gem_create *args)
{
	u32 nr = args->num_segments ?: mm->nr_segments;
	u32 i;

	for (i = 0; i < nr; i++) {
		u32 index = vsplit_bo_arg_segment(mm, args, i);

		if (index == VSPLIT_SEG_SYSTEM)
			continue;
		if (args->segments[i] & VSPLIT_GEM_SEGMENT_READ_ONLY)
			vbo->read_only |= BIT(vbo->nr_segs);
		if (mm->segments[index].aperture)
			vbo->apertures |= BIT(vbo->nr_segs);
		vbo->segs[vbo->nr_segs++] = index;
	}
}

/* Does the allocation fit, if it is alone? */
static bool vsplit_bo_fits(const struct vsplit_mm *mm, const struct drm_vsplit_gem_create *args,
			   u64 size)
{
	u32 nr = args->num_segments ?: mm->nr_segments;
	u32 i;

	if (args->flags & VSPLIT_GEM_PINNED)
		nr = 1;
	for (i = 0; i < nr; i++) {
		u32 index = vsplit_bo_arg_segment(mm, args, i);

		if (index != VSPLIT_SEG_SYSTEM && size <= mm->segments[index].commit_limit)
			return true;
	}
	return false;
}

static int vsplit_bo_check(struct vsplit_device *vdev, const struct drm_vsplit_gem_create *args)
{
	if (vsplit_refuse(vdev, !args->size) ||
	    vsplit_refuse(vdev, args->flags & ~VSPLIT_GEM_FLAGS) ||
	    vsplit_refuse(vdev, args->alignment && !is_power_of_2(args->alignment)) ||
	    vsplit_refuse(vdev, args->alignment > VSPLIT_BO_MAX_ALIGN) ||
	    vsplit_refuse(vdev, !vsplit_bo_priority_ok(args->priority)) ||
	    vsplit_refuse(vdev, vsplit_bo_bad_segments(&vdev->mm, args)) ||
	    vsplit_refuse(vdev, vsplit_bo_bad_layout(&vdev->mm, args)) ||
	    vsplit_refuse(vdev, args->pad))
		return -EINVAL;
	if (vsplit_refuse(vdev, args->size > U64_MAX - PAGE_SIZE) ||
	    vsplit_refuse(vdev, !vsplit_bo_fits(&vdev->mm, args, PAGE_ALIGN(args->size))))
		return -E2BIG;
	return 0;
}

/**
 * vsplit_bo_alloc() - An allocation that TTM does not know yet.
 * @vdev: the adapter.
 * @args: checked.
 *
 * Return: the allocation, for vsplit_bo_free() or TTM; or NULL.
 */
struct vsplit_bo *vsplit_bo_alloc(struct vsplit_device *vdev,
				  const struct drm_vsplit_gem_create *args)
{
	struct vsplit_bo *vbo;

	if (vsplit_fault("mm.create"))
		return NULL;
	vbo = kzalloc(sizeof(*vbo), GFP_KERNEL_ACCOUNT);
	if (!vbo)
		return NULL;

	drm_gem_private_object_init(&vdev->drm, &vbo->tbo.base, PAGE_ALIGN(args->size));
	vbo->tbo.base.funcs = &vsplit_gem_funcs;
	vbo->id = atomic64_inc_return(&vdev->mm.next_id);
	vbo->flags = args->flags;
	vbo->priority = args->priority ?: VSPLIT_PRIORITY_NORMAL;
	vbo->tbo.priority = vsplit_bo_lru_level(vbo->priority);
	vbo->align = max_t(u64, args->alignment, PAGE_SIZE);
	vbo->clear = true;
	vbo->list_index = -1;
	vbo->segment = VSPLIT_SEG_SYSTEM;
	vbo->pitch = args->pitch;
	vbo->range = VSPLIT_NO_RANGE;
	vsplit_bo_set_segments(vbo, &vdev->mm, args);
	atomic_inc(&vdev->stats.nr_bos);
	return vbo;
}

/* With a ticket, for then TTM waits for what is locked and evicts it. */
static int vsplit_bo_pin_first(struct vsplit_bo *vbo)
{
	struct ttm_buffer_object *tbo = &vbo->tbo;
	struct ww_acquire_ctx ticket;
	int ret;

	ww_acquire_init(&ticket, &reservation_ww_class);
	ret = vsplit_interrupted("mm.pin_reserve") ? -ERESTARTSYS :
	      ttm_bo_reserve(tbo, true, false, &ticket);
	if (ret)
		goto fini;
	ret = vsplit_bo_page_in(vbo, vbo->segs[0], true);
	if (!ret)
		ttm_bo_pin(tbo);
	ttm_bo_unreserve(tbo);
fini:
	ww_acquire_fini(&ticket);
	return ret;
}

/*
 * Of two who wait for each other's locks one is told that there is no room: only
 * when nobody else places anything is that the truth.
 */
static int vsplit_bo_pin(struct vsplit_bo *vbo)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	int ret;

	if (vsplit_interrupted("mm.pin_shared") || down_read_interruptible(&mm->place_sem))
		return -ERESTARTSYS;
	ret = vsplit_bo_pin_first(vbo);
	up_read(&mm->place_sem);
	if (ret != -ENOSPC)
		return ret;

	if (vsplit_interrupted("mm.pin_exclusive") || down_write_killable(&mm->place_sem))
		return -ERESTARTSYS;
	ret = vsplit_bo_pin_first(vbo);
	up_write(&mm->place_sem);
	return ret;
}

struct vsplit_bo *vsplit_bo_create(struct vsplit_device *vdev,
				   const struct drm_vsplit_gem_create *args)
{
	struct ttm_operation_ctx ctx = { .interruptible = true, .gfp_retry_mayfail = true };
	struct vsplit_bo *vbo;
	int ret;

	ret = vsplit_bo_check(vdev, args);
	if (ret)
		return ERR_PTR(ret);
	vbo = vsplit_bo_alloc(vdev, args);
	if (!vbo)
		return ERR_PTR(-ENOMEM);

	/* Destroys it when it fails. */
	ret = ttm_bo_init_reserved(&vdev->mm.bdev, &vbo->tbo, ttm_bo_type_device,
				   &vsplit_system_placement, 1, &ctx, NULL, NULL,
				   vsplit_bo_destroy);
	if (ret)
		return ERR_PTR(ret);
	ret = vsplit_bo_populate(vbo, &ctx);
	ttm_bo_unreserve(&vbo->tbo);
	if (!ret && (vbo->flags & VSPLIT_GEM_PINNED))
		ret = vsplit_bo_pin(vbo);
	if (ret) {
		drm_gem_object_put(&vbo->tbo.base);
		return ERR_PTR(ret);
	}
	return vbo;
}
