// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: GEM
 *
 * The ioctls about single allocations. The functions that GEM calls are in vsplit_prime.c.
 */
#include <linux/dma-resv.h>
#include <linux/overflow.h>

#include <drm/drm_file.h>

#include "mm/vsplit_mm_internal.h"

#define VSPLIT_DUMB_PITCH_ALIGN	64u

int vsplit_gem_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsplit_gem_create *args = data;
	struct vsplit_bo *vbo;
	int ret;

	vbo = vsplit_bo_create(to_vsplit_device(drm), vsplit_file_account(file), args);
	if (IS_ERR(vbo))
		return PTR_ERR(vbo);

	/* Another thread may close the handle at once, and free the allocation: copy first. */
	args->size = vbo->tbo.base.size;
	args->id = vbo->id;
	ret = drm_gem_handle_create(file, &vbo->tbo.base, &args->handle);
	drm_gem_object_put(&vbo->tbo.base);
	vsplit_sync_point("gem.created");
	return ret;
}

int vsplit_gem_mmap_offset_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsplit_gem_mmap_offset *args = data;
	struct drm_gem_object *gem __free(vsplit_gem) = NULL;

	if (vsplit_refuse(to_vsplit_device(drm), args->pad))
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	if (vsplit_refuse(to_vsplit_device(drm), vsplit_bo_hidden(gem_to_vsplit_bo(gem))))
		return -EACCES;
	args->offset = drm_vma_node_offset_addr(&gem->vma_node);
	return 0;
}

static void vsplit_bo_info(const struct vsplit_bo *vbo, struct drm_vsplit_gem_info *args)
{
	u32 segment = vsplit_bo_segment(vbo);

	args->flags = 0;
	if (vbo->dirty)
		args->flags |= VSPLIT_GEM_INFO_DIRTY;
	if (vbo->tbo.pin_count)
		args->flags |= VSPLIT_GEM_INFO_PINNED;
	if (vbo->clear)
		args->flags |= VSPLIT_GEM_INFO_CLEAR;
	if (!dma_resv_test_signaled(vbo->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP))
		args->flags |= VSPLIT_GEM_INFO_BUSY;
	if (vbo->import)
		args->flags |= VSPLIT_GEM_INFO_IMPORTED;
	else if (vbo->pages_pinned)
		args->flags |= VSPLIT_GEM_INFO_SHARED;
	if (vbo->resid.group == VSPLIT_GROUP_NONLOCAL)
		args->flags |= VSPLIT_GEM_INFO_NONLOCAL;
	args->segment = segment == VSPLIT_SEG_SYSTEM ? 0 : segment + 1;
	args->locks = vbo->locks;
	if (vbo->range != VSPLIT_NO_RANGE)
		args->flags |= VSPLIT_GEM_INFO_RANGE;
	args->offset = vsplit_bo_offset(vbo);
	args->size = vbo->tbo.base.size;
	args->id = vbo->id;
}

int vsplit_gem_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsplit_gem_info *args = data;
	struct drm_gem_object *gem __free(vsplit_gem) = NULL;
	int ret;

	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	ret = vsplit_interrupted("mm.info_reserve") ? -ERESTARTSYS :
	      ttm_bo_reserve(&gem_to_vsplit_bo(gem)->tbo, true, false, NULL);
	if (ret)
		return ret;
	vsplit_bo_info(gem_to_vsplit_bo(gem), args);
	dma_resv_unlock(gem->resv);
	return 0;
}

/* Copy as many runs as there is room for. Without @runs, the allocation is one piece at @offset. */
static int vsplit_gem_copy_runs(struct drm_vsplit_gem_runs *args,
				const struct vsplit_gpu_runs *runs, u64 base, u64 offset, u64 bytes)
{
	struct drm_vsplit_run __user *to = u64_to_user_ptr(args->runs);
	u32 i, there = runs ? runs->nr : 1, nr = min(args->num_runs, there);

	for (i = 0; i < nr; i++) {
		const struct drm_vsplit_run run = {
			.offset = runs ? runs->run[i].address - base : offset,
			.bytes = runs ? runs->run[i].bytes : bytes,
		};

		if (copy_to_user(&to[i], &run, sizeof(run)))
			return -EFAULT;
	}
	args->num_runs = there;
	return 0;
}

/* Copy to userspace without the allocation's lock: a page fault of its own mapping takes it. */
int vsplit_gem_runs_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_gem_runs *args = data;
	struct drm_gem_object *gem __free(vsplit_gem) = NULL;
	struct vsplit_gpu_runs *runs;
	struct vsplit_bo *vbo;
	u32 segment;
	u64 offset;
	int ret;

	if (vsplit_refuse(vdev, args->pad))
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	vbo = gem_to_vsplit_bo(gem);
	ret = vsplit_interrupted("mm.runs_reserve") ? -ERESTARTSYS :
	      ttm_bo_reserve(&vbo->tbo, true, false, NULL);
	if (ret)
		return ret;
	segment = vsplit_bo_segment(vbo);
	offset = vsplit_bo_offset(vbo);
	runs = vsplit_gpu_runs_get(vsplit_resource_runs(vbo->tbo.resource));
	dma_resv_unlock(gem->resv);

	if (segment == VSPLIT_SEG_SYSTEM)
		args->num_runs = 0;
	else
		ret = vsplit_gem_copy_runs(args, runs,
					   vsplit_segment_address(vbo_to_mm(vbo), segment, 0),
					   offset, gem->size);
	if (!ret)
		args->segment = segment == VSPLIT_SEG_SYSTEM ? 0 : segment + 1;
	vsplit_gpu_runs_put(runs);
	return ret;
}

static void vsplit_bo_set_priority(struct vsplit_bo *vbo, u32 priority)
{
	struct ttm_buffer_object *tbo = &vbo->tbo;
	unsigned int level;

	dma_resv_assert_held(tbo->base.resv);

	vbo->priority = priority ?: VSPLIT_PRIORITY_NORMAL;
	level = vsplit_bo_lru_level(vbo->priority);
	if (level == tbo->priority)
		return;
	/* TTM has an LRU list for each level: leave the old list and enter the new one at once. */
	guard(spinlock)(&tbo->bdev->lru_lock);
	tbo->priority = level;
	ttm_bo_move_to_lru_tail(tbo);
}

int vsplit_gem_priority_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsplit_gem_priority *args = data;
	struct drm_gem_object *gem __free(vsplit_gem) = NULL;
	int ret;

	if (vsplit_refuse(to_vsplit_device(drm), !vsplit_bo_priority_ok(args->priority)))
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	ret = vsplit_interrupted("mm.priority_reserve") ? -ERESTARTSYS :
	      ttm_bo_reserve(&gem_to_vsplit_bo(gem)->tbo, true, false, NULL);
	if (ret)
		return ret;
	vsplit_bo_set_priority(gem_to_vsplit_bo(gem), args->priority);
	dma_resv_unlock(gem->resv);
	return 0;
}

/* struct drm_driver.dumb_create; DRM has checked that sizes fit 32 bits, and that nothing is 0. */
int vsplit_gem_dumb_create(struct drm_file *file, struct drm_device *drm,
			   struct drm_mode_create_dumb *args)
{
	struct drm_vsplit_gem_create create = { .flags = VSPLIT_GEM_CPU_ACCESS };
	u64 pitch = ALIGN((u64)args->width * DIV_ROUND_UP(args->bpp, 8), VSPLIT_DUMB_PITCH_ALIGN);
	int idx, ret;

	if (pitch > U32_MAX || check_mul_overflow(pitch, (u64)args->height, &create.size))
		return -EINVAL;
	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	ret = vsplit_gem_create_ioctl(drm, &create, file);
	drm_dev_exit(idx);
	if (ret)
		return ret;
	args->pitch = pitch;
	args->size = create.size;
	args->handle = create.handle;
	return 0;
}
