// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/dma-resv.h>
#include <linux/idr.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_print.h>

#include "debug/vsplit_debug.h"
#include "debug/vsplit_fault.h"
#include "fence/vsplit_mfence.h"
#include "exec/vsplit_exec.h"
#include "vsplit_device.h"

/**
 * DOC: fdinfo
 *
 * ``/proc/PID/fdinfo/FD`` of a DRM file, in the format of drm-usage-stats: time on
 * the engines, of programs that still run, too; time of paging outside programs that was done for
 * the file's submissions; and for system memory and each segment the bytes of the file's
 * allocations that are there. An allocation's backing store is committed for its life, wherever
 * the allocation is, and is not counted again while the allocation is in a segment. Keys of
 * vsplit's own:
 *
 * ``vsplit-unfinished``, ``vsplit-parked``, ``vsplit-paced``
 *	submissions, binds and MakeResidents of the file that are not done; those of them that
 *	are parked; 1 while others wait for them and so such calls wait, too.
 * ``vsplit-unfinished-memory``, ``vsplit-record-memory``
 *	kernel memory of these submissions and of evictions for them; that of the records
 *	that are kept.
 * ``vsplit-user-work-memory``, ``vsplit-user-work-limit``
 *	the same of all files of the user together, and its limit.
 * ``vsplit-user-allocations``, ``vsplit-user-allocations-limit``
 *	memory of the allocations of all files of the user, and its limit.
 * ``vsplit-required``, ``vsplit-required-missing``
 *	allocations on the requirement list; those of them that are missing.
 * ``vsplit-required-local``, ``vsplit-required-nonlocal``
 *	their bytes, by group of segments.
 * ``vsplit-reserved-local``, ``vsplit-reserved-nonlocal``
 *	bytes that the file has reserved.
 * ``vsplit-trims``
 *	how often the file was asked to give back memory.
 * ``vsplit-fences``
 *	monitored fences of the file.
 */

/* The allocation with the lowest handle from @id on, with a reference; or NULL. */
static struct drm_gem_object *vsplit_fdinfo_next(struct drm_file *file, unsigned long *id)
{
	struct drm_gem_object *gem;

	spin_lock(&file->table_lock);
	gem = idr_get_next_ul(&file->object_idr, id);
	if (gem)
		drm_gem_object_get(gem);
	spin_unlock(&file->table_lock);
	return gem;
}

static void vsplit_fdinfo_add(struct drm_memory_stats *stats, struct drm_gem_object *gem)
{
	if (drm_gem_object_is_shared_for_memory_stats(gem))
		stats->shared += gem->size;
	else
		stats->private += gem->size;
	stats->resident += gem->size;
	if (!dma_resv_test_signaled(gem->resv, DMA_RESV_USAGE_BOOKKEEP))
		stats->active += gem->size;
}

void vsplit_fdinfo_show(struct drm_printer *p, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(file->minor->dev);
	struct drm_memory_stats stats[VSPLIT_MAX_SEGMENTS + 1] = {};
	struct drm_gem_object *gem;
	/* No int: by DRM_IOCTL_GEM_CHANGE_HANDLE a client may have the handle INT_MAX. */
	unsigned long id = 0;
	u32 segment, i;

	vsplit_exec_show_fdinfo(vdev, vsplit_file_exec(file), p);
	vsplit_mfences_show_fdinfo(vsplit_file_mfences(file), p);

	for (; (gem = vsplit_fdinfo_next(file, &id)); id++) {
		if (vsplit_interrupted("fdinfo.reserve") ||
		    dma_resv_lock_interruptible(gem->resv, NULL)) {
			drm_gem_object_put(gem);
			return;
		}
		segment = vsplit_bo_segment(gem_to_vsplit_bo(gem));
		dma_resv_unlock(gem->resv);
		i = segment == VSPLIT_SEG_SYSTEM ? VSPLIT_MAX_SEGMENTS : segment;
		vsplit_fdinfo_add(&stats[i], gem);
		drm_gem_object_put(gem);
	}

	drm_print_memory_stats(p, &stats[VSPLIT_MAX_SEGMENTS], DRM_GEM_OBJECT_RESIDENT, "system");
	for (i = 0; i < vdev->mm.nr_segments; i++)
		drm_print_memory_stats(p, &stats[i], DRM_GEM_OBJECT_RESIDENT,
				       vdev->config.segments[i].name);
}
