// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: GEM
 *
 * Allocations as userspace holds them: handles, creation, where they are, kernel
 * mappings, and export to other drivers. Debian's kernel does not tell importers
 * when a buffer moves, so an exported allocation is pinned in system memory
 * while somebody is attached to it; submissions that need it in a memory segment
 * then fail.
 */
#include <drm/drm_file.h>
#include <drm/drm_gem_ttm_helper.h>
#include <drm/drm_prime.h>
#include <linux/dma-resv.h>

#include "mm/vsplit_mm_internal.h"

/* ---- object functions ---- */

static void vsplit_gem_free(struct drm_gem_object *gem)
{
	struct ttm_buffer_object *tbo = &gem_to_vsplit_bo(gem)->tbo;

	/* What is pinned for life is so until here. */
	if (tbo->pin_count) {
		dma_resv_lock(tbo->base.resv, NULL);
		ttm_bo_unpin(tbo);
		dma_resv_unlock(tbo->base.resv);
	}
	ttm_bo_put(tbo);
}

static int vsplit_gem_pin(struct drm_gem_object *gem)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(gem);
	int ret;

	dma_resv_assert_held(gem->resv);

	if (vbo->flags & VSPLIT_GEM_PINNED)
		return -EBUSY;
	ret = vsplit_bo_evict(vbo, true);
	if (!ret)
		ret = vsplit_bo_wait_moved(vbo);
	if (ret)
		return ret;
	/* Whoever attaches may write. */
	vsplit_bo_written(vbo);
	ttm_bo_pin(&vbo->tbo);
	return 0;
}

static void vsplit_gem_unpin(struct drm_gem_object *gem)
{
	dma_resv_assert_held(gem->resv);

	ttm_bo_unpin(&gem_to_vsplit_bo(gem)->tbo);
}

static struct sg_table *vsplit_gem_get_sg_table(struct drm_gem_object *gem)
{
	struct ttm_tt *tt = gem_to_vsplit_bo(gem)->tbo.ttm;

	return drm_prime_pages_to_sg(gem->dev, tt->pages, tt->num_pages);
}

static int vsplit_gem_vmap(struct drm_gem_object *gem, struct iosys_map *map)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(gem);
	int ret;

	dma_resv_assert_held(gem->resv);

	ret = vsplit_bo_wait_moved(vbo);
	if (ret)
		return ret;
	ttm_bo_pin(&vbo->tbo);
	ret = ttm_bo_vmap(&vbo->tbo, map);
	if (ret)
		ttm_bo_unpin(&vbo->tbo);
	else
		vsplit_bo_written(vbo);
	return ret;
}

static void vsplit_gem_vunmap(struct drm_gem_object *gem, struct iosys_map *map)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(gem);

	dma_resv_assert_held(gem->resv);

	ttm_bo_vunmap(&vbo->tbo, map);
	ttm_bo_unpin(&vbo->tbo);
}

const struct drm_gem_object_funcs vsplit_gem_funcs = {
	.free = vsplit_gem_free,
	.print_info = drm_gem_ttm_print_info,
	.pin = vsplit_gem_pin,
	.unpin = vsplit_gem_unpin,
	.get_sg_table = vsplit_gem_get_sg_table,
	.vmap = vsplit_gem_vmap,
	.vunmap = vsplit_gem_vunmap,
	.mmap = drm_gem_ttm_mmap,
	.vm_ops = &vsplit_vm_ops,
};

/* ---- ioctls ---- */

/**
 * vsplit_gem_create_ioctl() - DRM_IOCTL_VSPLIT_GEM_CREATE.
 * @drm: the adapter.
 * @data: struct drm_vsplit_gem_create, which lists the error codes.
 * @file: the caller.
 *
 * Return: 0 or a negative error.
 */
int vsplit_gem_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_gem_create *args = data;
	struct vsplit_bo *vbo;
	int ret;

	vbo = vsplit_bo_create(vdev, args);
	if (IS_ERR(vbo))
		return PTR_ERR(vbo);
	/* Once there is a handle, somebody else may close it: copy first. */
	args->size = vbo->tbo.base.size;
	args->id = vbo->id;
	ret = drm_gem_handle_create(file, &vbo->tbo.base, &args->handle);
	drm_gem_object_put(&vbo->tbo.base);
	return ret;
}

/**
 * vsplit_gem_mmap_offset_ioctl() - DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET.
 * @drm: the adapter.
 * @data: struct drm_vsplit_gem_mmap_offset.
 * @file: the caller.
 *
 * Return: 0, -EINVAL, -ENOENT.
 */
int vsplit_gem_mmap_offset_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_gem_mmap_offset *args = data;

	if (vsplit_refuse(vdev, args->pad))
		return -EINVAL;
	return drm_gem_ttm_dumb_map_offset(file, drm, args->handle, &args->offset);
}

static void vsplit_gem_fill_info(struct vsplit_bo *vbo, struct drm_vsplit_gem_info *args)
{
	u32 segment = vsplit_bo_segment(vbo);

	args->segment = segment == VSPLIT_SEG_SYSTEM ? 0 : segment + 1;
	args->offset = vsplit_bo_offset(vbo);
	args->size = vbo->tbo.base.size;
	args->locks = vbo->locks;
	args->id = vbo->id;
	args->flags = (vbo->dirty ? VSPLIT_GEM_INFO_DIRTY : 0) |
		      (vbo->tbo.pin_count ? VSPLIT_GEM_INFO_PINNED : 0) |
		      (vbo->clear ? VSPLIT_GEM_INFO_CLEAR : 0);
	if (!dma_resv_test_signaled(vbo->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP))
		args->flags |= VSPLIT_GEM_INFO_BUSY;
}

/**
 * vsplit_gem_info_ioctl() - DRM_IOCTL_VSPLIT_GEM_INFO.
 * @drm: the adapter.
 * @data: struct drm_vsplit_gem_info.
 * @file: the caller.
 *
 * Return: 0, -EINVAL, -ENOENT, -ERESTARTSYS.
 */
int vsplit_gem_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsplit_gem_info *args = data;
	struct drm_gem_object *gem;
	int ret;

	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	ret = dma_resv_lock_interruptible(gem->resv, NULL);
	if (!ret) {
		vsplit_gem_fill_info(gem_to_vsplit_bo(gem), args);
		dma_resv_unlock(gem->resv);
	}
	drm_gem_object_put(gem);
	return ret == -EINTR ? -ERESTARTSYS : ret;
}

/**
 * vsplit_gem_dumb_create() - DRM_IOCTL_MODE_CREATE_DUMB.
 * @file: the caller.
 * @drm: the adapter.
 * @args: size in, handle, pitch and bytes out.
 *
 * Return: 0, -EINVAL, or what vsplit_bo_create() returns.
 */
int vsplit_gem_dumb_create(struct drm_file *file, struct drm_device *drm,
			   struct drm_mode_create_dumb *args)
{
	struct drm_vsplit_gem_create create = { .flags = VSPLIT_GEM_CPU_ACCESS };
	u64 pitch = ALIGN((u64)args->width * DIV_ROUND_UP(args->bpp, 8), 64);
	struct vsplit_bo *vbo;
	int ret;

	if (!pitch || pitch > U32_MAX || check_mul_overflow(pitch, (u64)args->height, &create.size))
		return -EINVAL;
	vbo = vsplit_bo_create(to_vsplit_device(drm), &create);
	if (IS_ERR(vbo))
		return PTR_ERR(vbo);
	args->pitch = pitch;
	args->size = vbo->tbo.base.size;
	ret = drm_gem_handle_create(file, &vbo->tbo.base, &args->handle);
	drm_gem_object_put(&vbo->tbo.base);
	return ret;
}
