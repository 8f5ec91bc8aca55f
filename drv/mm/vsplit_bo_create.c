// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: creation of allocations
 *
 * The request of a client is checked as a whole before anything is made: flags, segments in order
 * of preference, layout, size. An allocation begins in system memory; a pinned one goes to its
 * first segment at once.
 *
 * vsplit_bo_alloc() makes only the object. An import completes it in another way (vsplit_prime.c).
 */
#include <linux/log2.h>
#include <linux/memcontrol.h>
#include <linux/nospec.h>
#include <linux/slab.h>

#include "mm/vsplit_mm_internal.h"
#include "drm/vsplit_isa.h"
#include "vsplit_user.h"

/* Up to this alignment a GPU address is aligned if its offset is. */
#define VSPLIT_BO_MAX_ALIGN	BIT_ULL(40)

/* Bytes that its user is charged for beside the pages: the array of pages, and the structures. */
static u64 vsplit_bo_cost(const struct vsplit_bo *vbo)
{
	u64 pages = vbo->tbo.base.size >> PAGE_SHIFT, runs = 0;

	/* In the worst case each page is a run of its own. */
	if (vbo->flags & VSPLIT_GEM_RUNS)
		runs = pages * (sizeof(struct vsplit_range) + sizeof(struct vsplit_gpu_run));
	return pages * sizeof(struct page *) + runs + sizeof(struct ttm_tt) + sizeof(*vbo);
}

/** vsplit_bo_free() - Free an allocation without references, resource and backing store. */
void vsplit_bo_free(struct vsplit_bo *vbo)
{
	struct vsplit_device *vdev = to_vsplit_device(vbo->tbo.base.dev);

	if (vbo->dummy)
		__free_page(vbo->dummy);
	vsplit_gpu_maps_put(vbo->maps);
	vsplit_bo_fini_release(vbo);
	vsplit_pin_uncharge(vbo);
	if (vbo->user)
		vsplit_user_uncharge(vbo->user, VSPLIT_USER_PAGES, vbo->charged);
	vsplit_user_put(vbo->user);
	vsplit_account_put(vbo->account);
	mem_cgroup_put(vbo->memcg);
	vsplit_bo_drop_writers(vbo);
	drm_gem_object_release(&vbo->tbo.base);
	kfree(vbo);
	atomic_dec(&vdev->stats.nr_bos);
}

/** vsplit_bo_destroy() - TTM's destroy: the last reference, the resource and the pages are gone. */
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
	return args->segments[i] & ~(VSPLIT_GEM_SEGMENT_READ_ONLY | VSPLIT_GEM_SEGMENT_TOPDOWN);
}

/* Index of the i-th allowed segment; @args were checked before. */
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

/* Only evictable allocations that are not tiled (SEG-17) have an eviction set, of apertures. */
static bool vsplit_bo_bad_eviction(const struct vsplit_mm *mm,
				   const struct drm_vsplit_gem_create *args)
{
	return args->eviction_set & ~mm->resid.apertures ||
	       (args->eviction_set && (args->flags & (VSPLIT_GEM_PINNED | VSPLIT_GEM_SWIZZLED)));
}

/* A swizzled surface may be in memory segments only (SEG-17). */
static bool vsplit_bo_bad_layout(const struct vsplit_mm *mm,
				 const struct drm_vsplit_gem_create *args)
{
	u32 i;

	if (!(args->flags & VSPLIT_GEM_SWIZZLED))
		return args->pitch;
	if (!args->pitch || args->pitch % VSPLIT_TILE_WIDTH ||
	    (args->flags & VSPLIT_GEM_PINNED))
		return true;
	for (i = 0; i < args->num_segments; i++)
		if (mm->segments[vsplit_bo_segment_index(mm, args, i)].aperture)
			return true;
	return hweight32(mm->resid.apertures) == mm->nr_segments;
}

/* An allocation in runs has one memory segment, and no flag that needs one piece. */
static bool vsplit_bo_bad_runs(const struct vsplit_mm *mm, const struct drm_vsplit_gem_create *args)
{
	if (!(args->flags & VSPLIT_GEM_RUNS))
		return false;
	return args->flags & ~VSPLIT_GEM_RUNS || args->alignment > PAGE_SIZE ||
	       args->eviction_set || args->num_segments != 1 ||
	       (args->segments[0] & VSPLIT_GEM_SEGMENT_TOPDOWN) ||
	       mm->segments[vsplit_bo_segment_index(mm, args, 0)].aperture;
}

static void vsplit_bo_set_segments(struct vsplit_bo *vbo, const struct vsplit_mm *mm,
				   const struct drm_vsplit_gem_create *args)
{
	u32 nr = args->num_segments ?: mm->nr_segments;
	u32 i;

	for (i = 0; i < nr; i++) {
		u32 index = vsplit_bo_segment_index(mm, args, i);

		if ((args->flags & VSPLIT_GEM_SWIZZLED) && mm->segments[index].aperture)
			continue;
		if (args->segments[i] & VSPLIT_GEM_SEGMENT_READ_ONLY)
			vbo->read_only |= BIT(vbo->nr_segs);
		if (mm->segments[index].aperture)
			vbo->apertures |= BIT(vbo->nr_segs);
		if ((args->flags & VSPLIT_GEM_TOPDOWN) ||
		    (args->segments[i] & VSPLIT_GEM_SEGMENT_TOPDOWN))
			vbo->topdown |= BIT(vbo->nr_segs);
		vbo->segs[vbo->nr_segs++] = index;
	}
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
	    vsplit_refuse(vdev, vsplit_bo_bad_runs(&vdev->mm, args)) ||
	    vsplit_refuse(vdev, vsplit_bo_bad_eviction(&vdev->mm, args)))
		return -EINVAL;
	return vsplit_refuse(vdev, args->size > U64_MAX - PAGE_SIZE) ? -E2BIG : 0;
}

/* Set of the segments that can take it, if it is alone there. */
static u32 vsplit_bo_segments(const struct vsplit_bo *vbo, const struct vsplit_mm *mm)
{
	u32 segments = 0, i;

	for (i = 0; i < vbo->nr_segs; i++)
		if (vbo->tbo.base.size <= mm->segments[vbo->segs[i]].commit_limit)
			segments |= BIT(vbo->segs[i]);
	return segments;
}

/*
 * Charge the user of the calling task, until the allocation is freed: @pages, and the cost beside
 * them. None of this memory has been allocated yet.
 */
static int vsplit_bo_charge(struct vsplit_bo *vbo, u64 pages)
{
	u64 bytes = pages + vsplit_bo_cost(vbo);
	int ret;

	vbo->user = vsplit_user_get_current();
	if (!vbo->user)
		return -ENOMEM;
	ret = vsplit_user_charge(vbo->user, VSPLIT_USER_PAGES, bytes);
	if (!ret)
		vbo->charged = bytes;
	return ret;
}

/*
 * Make an allocation, as checked @args say, that TTM does not know yet. @pages: it will have pages
 * of its own, and the user is charged for them.
 * Return: the allocation, for vsplit_bo_free() or TTM; or ERR_PTR(): -E2BIG: no segment can take
 * it, or not the one that it is to be pinned in; -ENOMEM.
 */
struct vsplit_bo *vsplit_bo_alloc(struct vsplit_device *vdev,
				  const struct drm_vsplit_gem_create *args, bool pages)
{
	struct vsplit_bo *vbo;
	u32 segments;
	int ret;

	vbo = vsplit_fault("mm.create") ? NULL : kzalloc(sizeof(*vbo), GFP_KERNEL_ACCOUNT);
	if (!vbo || vsplit_bo_init_release(vbo)) {
		kfree(vbo);
		return ERR_PTR(-ENOMEM);
	}

	drm_gem_private_object_init(&vdev->drm, &vbo->tbo.base, PAGE_ALIGN(args->size));
	vbo->tbo.base.funcs = &vsplit_gem_funcs;
	vbo->id = atomic64_inc_return(&vdev->mm.next_id);
	vbo->paging_context = dma_fence_context_alloc(1);
	vbo->flags = args->flags;
	vbo->priority = args->priority ?: VSPLIT_PRIORITY_NORMAL;
	vbo->tbo.priority = vsplit_bo_lru_level(vbo->priority);
	vbo->align = max_t(u64, args->alignment, PAGE_SIZE);
	vbo->clear = true;
	INIT_LIST_HEAD(&vbo->offer_link);
	RB_CLEAR_NODE(&vbo->reuse);
	xa_init_flags(&vbo->writers, XA_FLAGS_ACCOUNT);
	vbo->pitch = args->pitch;
	vbo->range = VSPLIT_NO_RANGE;
	vbo->evict_set = args->eviction_set;
	vbo->memcg = get_mem_cgroup_from_mm(current->mm);
	vsplit_bo_set_segments(vbo, &vdev->mm, args);
	segments = vsplit_bo_segments(vbo, &vdev->mm);
	vsplit_resid_object_init(&vbo->resid, vbo->id, vbo->tbo.base.size,
				 vbo->apertures & BIT(0) ? VSPLIT_GROUP_NONLOCAL :
							   VSPLIT_GROUP_LOCAL, segments);
	atomic_inc(&vdev->stats.nr_bos);
	if (vbo->flags & VSPLIT_GEM_PINNED)
		segments &= BIT(vbo->segs[0]);
	ret = vsplit_refuse(vdev, !segments) ? -E2BIG :
	      vsplit_bo_charge(vbo, pages ? vbo->tbo.base.size : 0);
	if (ret) {
		vsplit_bo_free(vbo);
		return ERR_PTR(ret);
	}
	return vbo;
}

struct vsplit_bo *vsplit_bo_create(struct vsplit_device *vdev, struct vsplit_account *account,
				   const struct drm_vsplit_gem_create *args)
{
	struct ttm_operation_ctx ctx = { .interruptible = true, .gfp_retry_mayfail = true };
	struct vsplit_bo *vbo;
	int ret;

	ret = vsplit_bo_check(vdev, args);
	if (ret)
		return ERR_PTR(ret);
	vbo = vsplit_bo_alloc(vdev, args, true);
	if (IS_ERR(vbo))
		return vbo;
	vbo->account = vsplit_account_get(account);

	/* On failure, TTM destroys the allocation. */
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
