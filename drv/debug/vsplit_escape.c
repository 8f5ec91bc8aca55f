// SPDX-License-Identifier: GPL-2.0 OR MIT
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/dma-resv.h>
#include <linux/nospec.h>

#include <drm/drm_file.h>
#include <drm/drm_gem.h>

#include "debug/vsplit_debug.h"
#include "debug/vsplit_fault.h"
#include "vsplit_drv.h"

/**
 * DOC: escapes
 *
 * Test hooks after WDDM's VIDMM_ESCAPE, on an adapter in test mode and for root
 * only: they page allocations in and out at the test's will, and stop engines. They
 * go through the same functions as everything else, so what they do is traced,
 * counted and safe.
 */

static int vsplit_escape_evict_all(struct vsplit_device *vdev)
{
	struct vsplit_txn txn;
	int ret;

	vsplit_txn_init(&txn, &vdev->mm, NULL, true);
	ret = vsplit_txn_begin(&txn);
	if (!ret)
		ret = vsplit_mm_evict_all(&vdev->mm, &txn.ctx);
	vsplit_txn_end(&txn);
	return ret;
}

/* Evicts or pages in one allocation. */
static int vsplit_escape_page(struct vsplit_device *vdev, const struct drm_vsplit_escape *args,
			      struct drm_file *file)
{
	struct drm_gem_object *gem __free(vsplit_gem) = NULL;
	struct vsplit_txn txn;
	int ret;

	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	vsplit_txn_init(&txn, &vdev->mm, NULL, true);
	ret = vsplit_txn_begin(&txn);
	if (!ret)
		ret = vsplit_interrupted("escape.reserve") ? -ERESTARTSYS :
		      dma_resv_lock_interruptible(gem->resv, NULL);
	if (!ret) {
		ret = args->op == VSPLIT_ESCAPE_EVICT ?
		      vsplit_bo_evict_to_set(gem_to_vsplit_bo(gem), 0, &txn.ctx) :
		      vsplit_bo_page_in(gem_to_vsplit_bo(gem), args->value ? args->value - 1 :
								VSPLIT_SEG_SYSTEM, false);
		dma_resv_unlock(gem->resv);
	}
	vsplit_txn_end(&txn);
	return ret;
}

static int vsplit_escape_suspend(struct vsplit_device *vdev, const struct drm_vsplit_escape *args,
				 struct vsplit_file *vfile)
{
	bool suspend = args->op == VSPLIT_ESCAPE_SUSPEND;
	int ret;

	ret = vsplit_exec_suspend(vdev, args->value, suspend);
	if (!ret)
		assign_bit(args->value, &vfile->suspended, suspend);
	return ret;
}

int vsplit_escape_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_escape *args = data;
	struct vsplit_file *vfile = file->driver_priv;

	if (!vdev->config.test)
		return -EOPNOTSUPP;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (vsplit_fault("escape"))
		return -ENOMEM;

	switch (args->op) {
	case VSPLIT_ESCAPE_EVICT:
		if (vsplit_refuse(vdev, args->value))
			return -EINVAL;
		return vsplit_escape_page(vdev, args, file);
	case VSPLIT_ESCAPE_EVICT_ALL:
		if (vsplit_refuse(vdev, args->handle || args->value))
			return -EINVAL;
		return vsplit_escape_evict_all(vdev);
	case VSPLIT_ESCAPE_PAGE_IN:
		if (vsplit_refuse(vdev, args->value > vdev->mm.nr_segments))
			return -EINVAL;
		return vsplit_escape_page(vdev, args, file);
	case VSPLIT_ESCAPE_SUSPEND:
	case VSPLIT_ESCAPE_RESUME:
		if (vsplit_refuse(vdev, args->handle || args->value >= vdev->config.engines +
						vdev->config.paging_own))
			return -EINVAL;
		return vsplit_escape_suspend(vdev, args, vfile);
	case VSPLIT_ESCAPE_TRIM:
		if (vsplit_refuse(vdev, args->handle || !args->value))
			return -EINVAL;
		vsplit_resid_ask(vfile->exec.resid, args->value);
		return 0;
	case VSPLIT_ESCAPE_BUDGET:
		if (vsplit_refuse(vdev, args->handle >= VSPLIT_NUM_GROUPS))
			return -EINVAL;
		vsplit_resid_set_budget(vfile->exec.resid,
					array_index_nospec(args->handle, VSPLIT_NUM_GROUPS),
					args->value);
		return 0;
	case VSPLIT_ESCAPE_PERIOD:
		if (vsplit_refuse(vdev, args->handle || args->value))
			return -EINVAL;
		vsplit_resid_end_period(&vdev->mm.resid);
		return 0;
	default:
		return -EINVAL;
	}
}

/** vsplit_escape_close() - Resume the engines that a file suspended; the file is being closed. */
void vsplit_escape_close(struct vsplit_device *vdev, struct vsplit_file *vfile)
{
	unsigned int engine;

	for_each_set_bit(engine, &vfile->suspended, VSPLIT_GPU_MAX_ENGINES)
		vsplit_exec_suspend(vdev, engine, false);
}
