// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: memory management
 *
 * The TTM device, the segments, and what concerns all of them. Files:
 *
 *  vsplit_segment.c  TTM's resource manager: ranges, pending ranges, limits
 *  vsplit_shrink.c   memory for the host when it is short
 *  vsplit_ttm.c      what TTM calls: backing store, eviction, addresses
 *  vsplit_bo.c       allocations: placing, paging on their own
 *  vsplit_bo_create.c  checks and creation of allocations
 *  vsplit_release.c  the end of allocations
 *  vsplit_txn.c      transactions: changes of places, as TTM and the paging queue know them
 *  vsplit_pin.c      allocations that are pinned for life
 *  vsplit_scanout.c  allocations that are pinned while a head shows them
 *  vsplit_layout.c   commit of a submission's places
 *  vsplit_victim.c   snapshots of the segments for plans, and the victims of plans
 *  vsplit_reuse.c    choice of victims by their next use
 *  vsplit_offer.c    allocations that clients offer
 *  vsplit_reset.c    contents of a BAR while it is reset
 *  vsplit_swizzle_range.c  swizzled allocations, and the CPU's access to them
 *  vsplit_cpu.c      CPU mappings
 *  vsplit_lock.c     CPU locks
 *  vsplit_gem.c      ioctls
 *  vsplit_prime.c    exports, imports, kernel mappings; the functions of GEM
 *  vsplit_surface.c  surfaces of several allocations
 *
 * Everything lives until the last reference of the DRM device is gone, since
 * files and mappings may outlive the adapter.
 */

#include <drm/drm_managed.h>
#include <drm/drm_vma_manager.h>

#include "mm/vsplit_mm_internal.h"

/* Undo as much of vsplit_mm_init() as was done. */
static void vsplit_mm_fini(struct drm_device *drm, void *priv)
{
	struct vsplit_mm *mm = priv;

	/* With init_on_free, TTM's work destroys allocations: wait for it, as imports use ours. */
	if (mm->import_wq) {
		drain_workqueue(mm->bdev.wq);
		destroy_workqueue(mm->import_wq);
	}
	while (mm->nr_segments)
		vsplit_segment_fini(&mm->segments[--mm->nr_segments]);
	if (mm->bdev.funcs)
		ttm_device_fini(&mm->bdev);
	vsplit_resid_domain_fini(&mm->resid);
}

/* For each set of aperture segments: the first that has room, else system memory. */
static int vsplit_mm_init_evictions(struct vsplit_mm *mm)
{
	u32 nr = 1u << mm->nr_segments;
	struct vsplit_places *places;
	u32 set, i;

	mm->evictions = vsplit_fault("mm.evictions") ? NULL :
			drmm_kcalloc(&mm->vdev->drm, nr, sizeof(*places), GFP_KERNEL);
	if (!mm->evictions)
		return -ENOMEM;
	for (set = 0; set < nr; set++) {
		places = &mm->evictions[set];
		vsplit_places_init(places);
		for (i = 0; i < mm->nr_segments; i++)
			if ((set & BIT(i)) && mm->segments[i].aperture)
				vsplit_places_add(places, &mm->segments[i], 0, 0,
						  TTM_PL_FLAG_DESIRED);
		places->places[places->base.num_placement++].mem_type = TTM_PL_SYSTEM;
	}
	return 0;
}

int vsplit_mm_init(struct vsplit_device *vdev)
{
	struct drm_device *drm = &vdev->drm;
	struct vsplit_mm *mm = &vdev->mm;
	int ret;
	u32 i;

	mm->vdev = vdev;
	spin_lock_init(&mm->turn_lock);
	vsplit_offers_init(mm);
	spin_lock_init(&mm->reuse_lock);
	INIT_LIST_HEAD(&mm->turns);
	init_waitqueue_head(&mm->turn_wait);
	INIT_LIST_HEAD(&mm->parked);
	xa_init(&mm->imports);
	vsplit_resid_domain_init(&mm->resid, vdev->config.trim_period_ms);
	ret = drmm_add_action_or_reset(drm, vsplit_mm_fini, mm);
	if (ret)
		return ret;

	ret = vsplit_fault("mm.ttm") ? -ENOMEM :
	      vsplit_compat_ttm_device_init(&mm->bdev, &vsplit_ttm_funcs, drm->dev,
					    drm->anon_inode->i_mapping, drm->vma_offset_manager);
	if (ret)
		return ret;

	for (i = 0; i < vdev->config.nr_segments; i++) {
		ret = vsplit_segment_init(mm, i);
		if (ret)
			return ret;
		mm->nr_segments++;
		/* Requirement lists may count on this, less the pinned bytes. */
		mm->resid.limits[i] = mm->segments[i].commit_limit;
		if (mm->segments[i].aperture)
			mm->resid.apertures |= BIT(i);
		if (mm->segments[i].bus)
			mm->in_bar |= BIT(i);
	}
	mm->resid.nr_segments = mm->nr_segments;
	mm->resid.aperture_limit = vdev->config.aperture_limit;
	vsplit_mm_tell_capacity(mm);
	ret = vsplit_mm_init_evictions(mm);
	if (ret)
		return ret;
	mm->import_wq = vsplit_fault("mm.import_wq") ? NULL :
			alloc_workqueue("vsplit-import", WQ_UNBOUND, 0);
	return mm->import_wq ? vsplit_shrink_init(mm) : -ENOMEM;
}

/* ---- parts of segments ---- */

static int vsplit_span_cmp(const void *a, const void *b)
{
	const struct vsplit_span *x = a, *y = b;

	return cmp_int(x->segment, y->segment) ?: cmp_int(x->start, y->start);
}

u32 vsplit_spans_merge(struct vsplit_span *spans, u32 nr)
{
	struct vsplit_span *last = NULL;
	u32 kept = 0, i;

	vsplit_sort(spans, nr, sizeof(*spans), vsplit_span_cmp);
	for (i = 0; i < nr; i++) {
		const struct vsplit_span *span = &spans[i];

		if (last && last->segment == span->segment &&
		    span->start <= last->start + last->size) {
			last->size = max(last->start + last->size, span->start + span->size) -
				     last->start;
			continue;
		}
		last = &spans[kept++];
		*last = *span;
	}
	return kept;
}

/* ---- evicting everything ---- */

/*
 * The next allocation that has a place in a segment from @start on, which becomes the end of the
 * place. Return: a TTM reference to the allocation, which may have no user any more; or NULL.
 */
struct vsplit_bo *vsplit_segment_next(struct vsplit_segment *segment, u64 *start)
{
	struct drm_mm_node *node;

	guard(mutex)(&segment->lock);
	drm_mm_for_each_node_in_range(node, &segment->ranges, *start, segment->size) {
		struct ttm_buffer_object *tbo = node_to_range(node)->bo;

		*start = node->start + node->size;
		if (tbo && kref_get_unless_zero(&tbo->kref))
			return to_vsplit_bo(tbo);
	}
	return NULL;
}

static int vsplit_evict_one(struct vsplit_bo *vbo, u32 segment, struct ttm_operation_ctx *ctx)
{
	int ret;

	ret = vsplit_interrupted("mm.evict_reserve") ? -ERESTARTSYS :
	      ttm_bo_reserve(&vbo->tbo, true, false, NULL);
	if (ret)
		return ret;
	/* An allocation without users gives its place back by itself. */
	if (kref_read(&vbo->tbo.base.refcount) && !vbo->tbo.pin_count &&
	    vsplit_bo_segment(vbo) == segment)
		ret = vsplit_bo_evict_to_set(vbo, U32_MAX, ctx);
	dma_resv_unlock(vbo->tbo.base.resv);
	return ret;
}

int vsplit_mm_evict_all(struct vsplit_mm *mm, struct ttm_operation_ctx *ctx)
{
	struct vsplit_bo *vbo;
	int ret = 0;
	u64 start;
	u32 i;

	for (i = 0; i < mm->nr_segments; i++) {
		start = 0;
		while (!ret && (vbo = vsplit_segment_next(&mm->segments[i], &start))) {
			ret = vsplit_evict_one(vbo, i, ctx);
			vsplit_compat_tbo_put(&vbo->tbo);
		}
	}
	return ret;
}
