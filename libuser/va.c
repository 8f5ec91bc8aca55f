// SPDX-License-Identifier: MIT
/* GPU virtual addresses and their mappings. */
#include <errno.h>
#include <stdlib.h>
#include <xf86drm.h>

#include "internal.h"

/* Appends to @syncs the device's syncobj, which receives the fence of the last change. */
static int bind_locked(struct vsplit_device *dev, struct drm_vsplit_va_bind *args,
		       struct drm_vsplit_sync *syncs)
{
	int fd = vsplit_device_fd(dev);

	if (fd < 0)
		return -EBADF;
	/*
	 * It begins signalled, so that a wait before the first successful change returns at once.
	 */
	if (!dev->va_done && drmSyncobjCreate(fd, DRM_SYNCOBJ_CREATE_SIGNALED, &dev->va_done))
		return -errno;
	syncs[args->num_syncs++] = (struct drm_vsplit_sync){
		.handle = dev->va_done,
		.flags = VSPLIT_SYNC_SIGNAL,
	};
	args->syncs = (uintptr_t)syncs;
	return vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_VA_BIND, args);
}

int vsplit_va_bind(struct vsplit_device *dev, const struct drm_vsplit_va_op *ops, uint32_t num_ops,
		   const struct drm_vsplit_sync *syncs, uint32_t num_syncs)
{
	struct drm_vsplit_va_bind args = {
		.ops = (uintptr_t)ops,
		.num_ops = num_ops,
		.num_syncs = num_syncs,
	};
	struct drm_vsplit_sync few[FEW_SYNCS], *all;
	int ret;

	if (num_syncs && !syncs)
		return -EINVAL;
	ret = vsplit__copy_syncs(syncs, num_syncs, few, &all);
	if (ret)
		return ret;
	pthread_mutex_lock(&dev->va_lock);
	ret = bind_locked(dev, &args, all);
	pthread_mutex_unlock(&dev->va_lock);
	if (all != few)
		free(all);
	return ret;
}

int vsplit_va_wait(struct vsplit_device *dev, int64_t timeout_ms)
{
	uint32_t done;
	int fd;

	pthread_mutex_lock(&dev->va_lock);
	fd = vsplit_device_fd(dev);
	done = dev->va_done;
	pthread_mutex_unlock(&dev->va_lock);
	if (fd < 0)
		return -EBADF;
	return done ? drmSyncobjWait(fd, &done, 1, vsplit__deadline(timeout_ms), 0, NULL) : 0;
}

int vsplit_va_map(struct vsplit_device *dev, const struct vsplit_bo *bo, uint64_t address,
		  uint64_t bytes, uint64_t offset, uint32_t flags)
{
	const struct drm_vsplit_va_op op = {
		.type = VSPLIT_VA_MAP,
		.flags = flags,
		.handle = bo->handle,
		.address = address,
		.bytes = bytes,
		.offset = offset,
	};

	return vsplit_va_bind(dev, &op, 1, NULL, 0);
}

int vsplit_va_unmap(struct vsplit_device *dev, uint64_t address, uint64_t bytes)
{
	const struct drm_vsplit_va_op op = {
		.type = VSPLIT_VA_UNMAP,
		.address = address,
		.bytes = bytes,
	};

	return vsplit_va_bind(dev, &op, 1, NULL, 0);
}

int vsplit_va_sparse(struct vsplit_device *dev, uint64_t address, uint64_t bytes)
{
	const struct drm_vsplit_va_op op = {
		.type = VSPLIT_VA_SPARSE,
		.address = address,
		.bytes = bytes,
	};

	return vsplit_va_bind(dev, &op, 1, NULL, 0);
}
