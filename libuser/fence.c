// SPDX-License-Identifier: MIT
/* Monitored fences. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

/*
 * @dev: a reference to the device.
 * @value: the fence's page, mapped from the kernel.
 */
struct vsplit_mfence {
	struct vsplit_device *dev;
	uint32_t handle;
	const _Atomic uint64_t *value;
};

static int destroy_handle(struct vsplit_device *dev, uint32_t handle)
{
	struct drm_vsplit_fence_destroy args = { .handle = handle };

	return vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_FENCE_DESTROY, &args);
}

/* On failure the handle is destroyed. */
static int wrap_handle(struct vsplit_device *dev, uint32_t handle, uint64_t offset,
		       struct vsplit_mfence **fence)
{
	struct vsplit_mfence *made = calloc(1, sizeof(*made));
	int ret = -ENOMEM;
	void *map;

	if (!made)
		goto err;
	map = mmap(NULL, dev->info.page_size, PROT_READ, MAP_SHARED, vsplit_device_fd(dev), offset);
	if (map == MAP_FAILED) {
		ret = -errno;
		goto err;
	}
	made->dev = vsplit__device_get(dev);
	made->handle = handle;
	made->value = map;
	*fence = made;
	return 0;
err:
	free(made);
	destroy_handle(dev, handle);
	return ret;
}

int vsplit_mfence_create(struct vsplit_device *dev, uint64_t value, struct vsplit_mfence **fence)
{
	struct drm_vsplit_fence_create args = { .value = value };
	int ret = fence ? vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_FENCE_CREATE, &args) : -EINVAL;

	return ret ? ret : wrap_handle(dev, args.handle, args.offset, fence);
}

int vsplit_mfence_export(struct vsplit_mfence *fence, int *fd)
{
	struct drm_vsplit_fence_export args = { .handle = fence->handle };
	int ret = fd ? vsplit__ioctl(fence->dev, DRM_IOCTL_VSPLIT_FENCE_EXPORT, &args) : -EINVAL;

	if (!ret)
		*fd = args.fd;
	return ret;
}

int vsplit_mfence_import(struct vsplit_device *dev, int fd, struct vsplit_mfence **fence)
{
	struct drm_vsplit_fence_import args = { .fd = fd };
	int ret = fence ? vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_FENCE_IMPORT, &args) : -EINVAL;

	return ret ? ret : wrap_handle(dev, args.handle, args.offset, fence);
}

void vsplit_mfence_destroy(struct vsplit_mfence *fence)
{
	if (!fence)
		return;
	destroy_handle(fence->dev, fence->handle);
	munmap((void *)(uintptr_t)fence->value, fence->dev->info.page_size);
	vsplit__device_put(fence->dev);
	free(fence);
}

uint32_t vsplit_mfence_handle(const struct vsplit_mfence *fence)
{
	return fence->handle;
}

uint64_t vsplit_mfence_value(const struct vsplit_mfence *fence)
{
	return atomic_load_explicit(fence->value, memory_order_acquire);
}

int vsplit_mfence_signal(struct vsplit_mfence *fence, uint64_t value)
{
	struct drm_vsplit_fence_signal args = { .handle = fence->handle, .value = value };

	return vsplit__ioctl(fence->dev, DRM_IOCTL_VSPLIT_FENCE_SIGNAL, &args);
}

int vsplit_mfence_wait(struct vsplit_mfence *fence, uint64_t value, int64_t timeout_ms)
{
	struct drm_vsplit_fence_wait args = {
		.handle = fence->handle,
		.value = value,
		.timeout_ns = vsplit__deadline(timeout_ms),
	};

	/* Without a system call if the value has been reached already. */
	if (vsplit_mfence_value(fence) >= value)
		return 0;
	return vsplit__ioctl(fence->dev, DRM_IOCTL_VSPLIT_FENCE_WAIT, &args);
}

int vsplit_mfence_eventfd(struct vsplit_mfence *fence, uint64_t value, int eventfd)
{
	struct drm_vsplit_fence_wait args = {
		.handle = fence->handle,
		.flags = VSPLIT_FENCE_WAIT_EVENTFD,
		.value = value,
		.fd = eventfd,
	};

	return vsplit__ioctl(fence->dev, DRM_IOCTL_VSPLIT_FENCE_WAIT, &args);
}
