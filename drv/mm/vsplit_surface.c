// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: surfaces of several allocations
 *
 * A surface that the GPU uses as tiles and the CPU directly, and that may be in an aperture, cannot
 * be one allocation: in an aperture both see the same pages. Such a surface consists of two
 * allocations (SEG-18): one of tiles for the GPU, and one of rows for the CPU. The client's own
 * jobs copy between them. One call creates all allocations or none (SEG-19).
 *
 * Private data tells the purpose of an allocation. Only this file reads the private data, as the
 * part of the driver that would know about formats (SEG-20), and uses it only to keep the CPU away
 * from tiles (SEG-17). The rest of memory management knows only size, alignment and segments of
 * either allocation. The driver never copies between them by itself (SEG-23).
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "mm/vsplit_mm_internal.h"

/* A surface in the making, with the copy of the client's array. */
struct vsplit_surface {
	struct drm_vsplit_gem_surface *args;
	struct drm_vsplit_surface_alloc allocs[VSPLIT_MAX_SURFACE_ALLOCS];
	u32 formats[VSPLIT_MAX_SURFACE_ALLOCS];	/* enum drm_vsplit_surface_format */
	struct vsplit_bo *vbos[VSPLIT_MAX_SURFACE_ALLOCS]; /* references; NULL: not created yet */
	u32 nr_handles;	/* how many were made */
};

/* As WDDM's create callback does: find what the private data means for the driver. */
static int vsplit_surface_format(struct vsplit_device *vdev,
				 const struct drm_vsplit_surface_alloc *alloc, u32 *format)
{
	const u32 not_tiled = VSPLIT_GEM_SWIZZLED | VSPLIT_GEM_CPU_ACCESS;
	struct drm_vsplit_surface_private head;

	if (vsplit_refuse(vdev, alloc->pad) ||
	    vsplit_refuse(vdev, alloc->private_bytes < sizeof(head)) ||
	    vsplit_refuse(vdev, alloc->private_bytes > VSPLIT_MAX_PRIVATE_BYTES))
		return -EINVAL;
	if (copy_from_user(&head, u64_to_user_ptr(alloc->private_data), sizeof(head)))
		return -EFAULT;
	if (vsplit_refuse(vdev, head.format > VSPLIT_SURFACE_TILED) ||
	    vsplit_refuse(vdev, head.format == VSPLIT_SURFACE_TILED &&
			  (alloc->create.flags & not_tiled)))
		return -EINVAL;
	*format = head.format;
	return 0;
}

static int vsplit_surface_copy(struct vsplit_device *vdev, struct vsplit_surface *surface)
{
	u32 nr = surface->args->num_allocs;
	int ret = 0;
	u32 i;

	if (copy_from_user(surface->allocs, u64_to_user_ptr(surface->args->allocs),
			   array_size(nr, sizeof(surface->allocs[0]))))
		return -EFAULT;
	for (i = 0; !ret && i < nr; i++)
		ret = vsplit_surface_format(vdev, &surface->allocs[i], &surface->formats[i]);
	return ret;
}

static int vsplit_surface_create(struct drm_file *file, struct vsplit_surface *surface)
{
	struct vsplit_device *vdev = to_vsplit_device(file->minor->dev);
	int ret = 0, idx;
	u32 i;

	if (!drm_dev_enter(&vdev->drm, &idx))
		return -ENODEV;
	for (i = 0; !ret && i < surface->args->num_allocs; i++) {
		struct drm_vsplit_surface_alloc *alloc = &surface->allocs[i];
		struct vsplit_bo *vbo = vsplit_bo_create(vdev, vsplit_file_account(file),
							 &alloc->create);

		if (IS_ERR(vbo)) {
			ret = PTR_ERR(vbo);
			continue;
		}
		vbo->gpu_only = surface->formats[i] == VSPLIT_SURFACE_TILED;
		surface->vbos[i] = vbo;
		alloc->create.size = vbo->tbo.base.size;
		alloc->create.id = vbo->id;
	}
	drm_dev_exit(idx);
	return ret;
}

/*
 * Make the handles last: as soon as there is one, another thread may close it, and get its number
 * again for another allocation. So everything is copied to the client before, and no failure of the
 * copy has to close a handle.
 */
static int vsplit_surface_publish(struct drm_file *file, struct vsplit_surface *surface)
{
	u32 nr = surface->args->num_allocs;
	int ret = 0;
	u32 i;

	if (vsplit_fault("mm.surface_copy") ||
	    copy_to_user(u64_to_user_ptr(surface->args->allocs), surface->allocs,
			 array_size(nr, sizeof(surface->allocs[0]))))
		return -EFAULT;
	vsplit_sync_point("mm.surface");
	for (i = 0; !ret && i < nr; i++) {
		ret = vsplit_fault("mm.surface_handle") ? -ENOMEM :
		      drm_gem_handle_create(file, &surface->vbos[i]->tbo.base,
					    &surface->args->handles[i]);
		surface->nr_handles += !ret;
	}
	return ret;
}

/* There was no memory for all handles: close this one, unless the client has closed it. */
static void vsplit_surface_close(struct drm_file *file, struct vsplit_bo *vbo, u32 handle)
{
	struct drm_gem_object *gem = drm_gem_object_lookup(file, handle);

	if (gem == &vbo->tbo.base)
		drm_gem_handle_delete(file, handle);
	drm_gem_object_put(gem);
}

static void vsplit_surface_drop(struct drm_file *file, struct vsplit_surface *surface, int error)
{
	u32 i;

	for (i = 0; error && i < surface->nr_handles; i++)
		vsplit_surface_close(file, surface->vbos[i], surface->args->handles[i]);
	for (i = 0; i < ARRAY_SIZE(surface->vbos); i++)
		if (surface->vbos[i])
			drm_gem_object_put(&surface->vbos[i]->tbo.base);
}

int vsplit_gem_surface_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_gem_surface *args = data;
	struct vsplit_surface *surface __free(kfree) = NULL;
	int ret;

	if (vsplit_refuse(vdev, args->pad) || vsplit_refuse(vdev, !args->num_allocs))
		return -EINVAL;
	if (vsplit_refuse(vdev, args->num_allocs > VSPLIT_MAX_SURFACE_ALLOCS))
		return -E2BIG;
	surface = vsplit_fault("mm.surface") ? NULL : kzalloc(sizeof(*surface), GFP_KERNEL_ACCOUNT);
	if (!surface)
		return -ENOMEM;
	surface->args = args;
	ret = vsplit_surface_copy(vdev, surface);
	if (!ret)
		ret = vsplit_surface_create(file, surface);
	if (!ret)
		ret = vsplit_surface_publish(file, surface);
	vsplit_surface_drop(file, surface, ret);
	return ret;
}
