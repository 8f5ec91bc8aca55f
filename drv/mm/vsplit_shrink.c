// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: host memory is short
 *
 * A shrinker for each adapter gives back pages of allocations in system memory. Pages of offered
 * allocations go first, at no cost: their bytes are not needed (vsplit_offer.c). Then, if there is
 * swap, TTM swaps out idle allocations; these are populated again before their pages are needed.
 * Pages of allocations that are in a segment stay: an eviction must not allocate.
 *
 * The shrinker runs when any task allocates memory, and any locks of others may be held. So it
 * waits for no fence, takes locks of allocations only if they are free, and allocates from the
 * reserves that the kernel keeps for reclaim. It does not serve memory cgroups: a cgroup at its
 * limit gets -ENOMEM.
 */
#include <linux/sched/mm.h>
#include <linux/shrinker.h>
#include <linux/swap.h>

#include <drm/drm_managed.h>

#include "mm/vsplit_mm_internal.h"

/* In pages: one huge page. Allocations go as a whole, so a scan may give back more. */
#define VSPLIT_SHRINK_BATCH	(SZ_2M >> PAGE_SHIFT)

/* Too much is counted if pages are swapped out already; a scan that finds nothing stops. */
static unsigned long vsplit_shrink_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct vsplit_mm *mm = shrinker->private_data;
	unsigned long pages = READ_ONCE(mm->offered_pages);

	if (get_nr_swap_pages() > 0)
		pages = ttm_resource_manager_usage(ttm_manager_type(&mm->bdev, TTM_PL_SYSTEM)) >>
			PAGE_SHIFT;
	return pages ?: SHRINK_EMPTY;
}

/*
 * Give back host memory, for the shrinker, and for tests. Any locks of others may be held; does not
 * wait. @swap: also pages of allocations that are not offered. Return: number of pages given back:
 * more than @pages if the last allocation has more.
 */
unsigned long vsplit_mm_shrink(struct vsplit_mm *mm, unsigned long pages, bool swap)
{
	const gfp_t gfp = GFP_HIGHUSER | __GFP_NORETRY | __GFP_NOWARN;
	struct ttm_operation_ctx ctx = { .no_wait_gpu = true };
	unsigned int noreclaim = memalloc_noreclaim_save();
	unsigned long discarded, swapped = 0;
	int ret;

	discarded = vsplit_offers_discard(mm, pages, &ctx);
	while (swap && discarded + swapped < pages) {
		ret = ttm_device_swapout(&mm->bdev, &ctx, gfp);
		if (ret <= 0)
			break;
		swapped += ret;
	}
	memalloc_noreclaim_restore(noreclaim);
	atomic64_add((u64)discarded << PAGE_SHIFT, &mm->vdev->stats.discarded);
	atomic64_add((u64)swapped << PAGE_SHIFT, &mm->vdev->stats.swapped);
	return discarded + swapped;
}

static unsigned long vsplit_shrink_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	/* Swap may be a file, so do not swap out if a lock of a file system may be held. */
	bool swap = (sc->gfp_mask & __GFP_FS) && get_nr_swap_pages() > 0;

	return vsplit_mm_shrink(shrinker->private_data, sc->nr_to_scan, swap) ?: SHRINK_STOP;
}

static void vsplit_shrink_fini(struct drm_device *drm, void *priv)
{
	shrinker_free(priv);
}

/* Begin to give back memory, until the last reference is gone. Return: 0 or -ENOMEM. */
int vsplit_shrink_init(struct vsplit_mm *mm)
{
	struct drm_device *drm = &mm->vdev->drm;
	struct shrinker *shrinker = vsplit_fault("mm.shrinker") ? NULL :
				    shrinker_alloc(0, "drm-vsplit:%s", drm->unique);

	if (!shrinker)
		return -ENOMEM;
	shrinker->count_objects = vsplit_shrink_count;
	shrinker->scan_objects = vsplit_shrink_scan;
	shrinker->batch = VSPLIT_SHRINK_BATCH;
	shrinker->private_data = mm;
	shrinker_register(shrinker);
	return drmm_add_action_or_reset(drm, vsplit_shrink_fini, shrinker);
}
