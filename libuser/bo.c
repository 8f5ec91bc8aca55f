// SPDX-License-Identifier: MIT
/* Allocations: create, map once, lock, wait. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <xf86drm.h>

#include "internal.h"

#define WAIT_FIRST_NS	50000
#define WAIT_LONGEST_NS	5000000

static void gem_close(struct vsplit_device *dev, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	vsplit__ioctl(dev, DRM_IOCTL_GEM_CLOSE, &args);
}

/* The caller holds the device's lock. */
static void link_bo(struct vsplit_bo *bo)
{
	struct vsplit_device *dev = bo->dev;

	bo->next = dev->bos;
	bo->prev = &dev->bos;
	if (bo->next)
		bo->next->prev = &bo->next;
	dev->bos = bo;
	dev->imports += bo->imported;
}

/*
 * The caller holds the device's lock. If the file already has a handle of an imported dma-buf, the
 * kernel returns the same handle again. So the handle is closed with the last object that has it.
 */
static void unlink_bo(struct vsplit_bo *bo)
{
	struct vsplit_device *dev = bo->dev;
	const struct vsplit_bo *other = dev->imports ? dev->bos : NULL;

	while (other && (other == bo || other->handle != bo->handle))
		other = other->next;
	if (!other)
		gem_close(dev, bo->handle);
	*bo->prev = bo->next;
	if (bo->next)
		bo->next->prev = bo->prev;
	dev->imports -= bo->imported;
}

static void bo_init(struct vsplit_bo *bo, struct vsplit_device *dev,
		    const struct drm_vsplit_gem_create *args)
{
	bo->dev = vsplit__device_get(dev);
	bo->handle = args->handle;
	bo->size = args->size;
	bo->id = args->id;
	atomic_init(&bo->refs, 1);
	pthread_mutex_init(&bo->lock, NULL);
	pthread_mutex_lock(&dev->lock);
	link_bo(bo);
	pthread_mutex_unlock(&dev->lock);
}

int vsplit_bo_create_surface(struct vsplit_device *dev,
			     const struct drm_vsplit_surface_alloc *allocs, uint32_t num,
			     struct vsplit_bo **bos)
{
	struct drm_vsplit_surface_alloc copy[VSPLIT_MAX_SURFACE_ALLOCS];
	struct drm_vsplit_gem_surface args = { .num_allocs = num };
	struct vsplit_bo *made[VSPLIT_MAX_SURFACE_ALLOCS] = { NULL };
	uint32_t i;
	int ret = 0;

	if (!allocs || !bos || !num)
		return -EINVAL;
	if (num > VSPLIT_MAX_SURFACE_ALLOCS)
		return -E2BIG;
	args.allocs = (uintptr_t)copy;
	for (i = 0; i < num; i++) {
		copy[i] = allocs[i];
		copy[i].create.handle = 0;
		copy[i].create.id = 0;
		made[i] = calloc(1, sizeof(*made[i]));
		if (!made[i])
			ret = -ENOMEM;
	}
	if (!ret)
		ret = vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args);
	for (i = 0; i < num; i++) {
		if (ret) {
			free(made[i]);
			continue;
		}
		copy[i].create.handle = args.handles[i];
		bo_init(made[i], dev, &copy[i].create);
		bos[i] = made[i];
	}
	return ret;
}

int vsplit_bo_create_from(struct vsplit_device *dev,
			  const struct drm_vsplit_gem_create *params,
			  struct vsplit_bo **out)
{
	struct drm_vsplit_gem_create args;
	struct vsplit_bo *bo;
	int ret;

	if (!params || !out)
		return -EINVAL;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	args = *params;
	args.handle = 0;
	args.id = 0;
	ret = vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_GEM_CREATE, &args);
	if (ret) {
		free(bo);
		return ret;
	}
	bo_init(bo, dev, &args);
	*out = bo;
	return 0;
}

int vsplit_bo_create(struct vsplit_device *dev, uint64_t size, uint32_t flags,
		     struct vsplit_bo **out)
{
	struct drm_vsplit_gem_create params = { .size = size, .flags = flags };

	return vsplit_bo_create_from(dev, &params, out);
}

struct vsplit_bo *vsplit_bo_ref(struct vsplit_bo *bo)
{
	atomic_fetch_add_explicit(&bo->refs, 1, memory_order_relaxed);
	return bo;
}

void vsplit_bo_destroy(struct vsplit_bo *bo)
{
	struct vsplit_device *dev;

	if (!bo || atomic_fetch_sub_explicit(&bo->refs, 1, memory_order_acq_rel) != 1)
		return;
	dev = bo->dev;
	if (bo->map)
		munmap(bo->map, bo->size);
	pthread_mutex_lock(&dev->lock);
	if (dev->manager)
		vsplit__manager_forget(dev->manager, bo);
	unlink_bo(bo);
	pthread_mutex_unlock(&dev->lock);
	pthread_mutex_destroy(&bo->lock);
	vsplit__device_put(dev);
	free(bo);
}

int vsplit_bo_export(struct vsplit_bo *bo, int *dmabuf)
{
	struct drm_prime_handle args = { .handle = bo->handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	int ret;

	if (!dmabuf)
		return -EINVAL;
	ret = vsplit__ioctl(bo->dev, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);
	if (!ret)
		*dmabuf = args.fd;
	return ret;
}

/* The caller holds the device's lock. */
static int import_locked(struct vsplit_bo *bo, int dmabuf)
{
	struct drm_prime_handle args = { .fd = dmabuf };
	struct drm_vsplit_gem_info info;
	int ret;

	ret = vsplit__ioctl(bo->dev, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);
	if (ret)
		return ret;
	bo->handle = args.handle;
	bo->imported = true;
	link_bo(bo);
	ret = vsplit_bo_info(bo, &info);
	if (ret) {
		unlink_bo(bo);
		return ret;
	}
	bo->size = info.size;
	bo->id = info.id;
	return 0;
}

int vsplit_bo_import(struct vsplit_device *dev, int dmabuf, struct vsplit_bo **out)
{
	struct vsplit_bo *bo;
	int ret;

	if (!out)
		return -EINVAL;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	bo->dev = vsplit__device_get(dev);
	atomic_init(&bo->refs, 1);
	pthread_mutex_init(&bo->lock, NULL);
	pthread_mutex_lock(&dev->lock);
	ret = import_locked(bo, dmabuf);
	pthread_mutex_unlock(&dev->lock);
	if (ret) {
		pthread_mutex_destroy(&bo->lock);
		vsplit__device_put(dev);
		free(bo);
		return ret;
	}
	*out = bo;
	return 0;
}

uint32_t vsplit_bo_handle(const struct vsplit_bo *bo)
{
	return bo->handle;
}

uint64_t vsplit_bo_size(const struct vsplit_bo *bo)
{
	return bo->size;
}

uint64_t vsplit_bo_id(const struct vsplit_bo *bo)
{
	return bo->id;
}

static int map_locked(struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_mmap_offset args = { .handle = bo->handle };
	void *map;
	int ret;

	if (bo->map)
		return 0;
	if (bo->size > SIZE_MAX)
		return -ENOMEM;
	ret = vsplit__ioctl(bo->dev, DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET, &args);
	if (ret)
		return ret;
	map = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED,
		   vsplit_device_fd(bo->dev), (off_t)args.offset);
	if (map == MAP_FAILED)
		return -errno;
	bo->map = map;
	return 0;
}

int vsplit_bo_map(struct vsplit_bo *bo, void **ptr)
{
	int ret;

	if (!ptr)
		return -EINVAL;
	pthread_mutex_lock(&bo->lock);
	ret = map_locked(bo);
	if (!ret)
		*ptr = bo->map;
	pthread_mutex_unlock(&bo->lock);
	return ret;
}

void vsplit_bo_unmap(struct vsplit_bo *bo)
{
	pthread_mutex_lock(&bo->lock);
	if (bo->map)
		munmap(bo->map, bo->size);
	bo->map = NULL;
	pthread_mutex_unlock(&bo->lock);
}

int vsplit_bo_info_sized(struct vsplit_bo *bo, struct drm_vsplit_gem_info *info, size_t size)
{
	struct drm_vsplit_gem_info args = { .handle = bo->handle };
	int ret;

	if (!info)
		return -EINVAL;
	ret = vsplit__ioctl(bo->dev, DRM_IOCTL_VSPLIT_GEM_INFO, &args);
	if (!ret)
		vsplit__give(info, size, &args, sizeof(args));
	return ret;
}

int vsplit_bo_runs(struct vsplit_bo *bo, struct drm_vsplit_run *runs, uint32_t *num,
		   uint32_t *segment)
{
	struct drm_vsplit_gem_runs args = { .handle = bo->handle, .runs = (uintptr_t)runs };
	int ret;

	if (!num || (*num && !runs))
		return -EINVAL;
	args.num_runs = *num;
	ret = vsplit__ioctl(bo->dev, DRM_IOCTL_VSPLIT_GEM_RUNS, &args);
	if (ret)
		return ret;
	*num = args.num_runs;
	if (segment)
		*segment = args.segment;
	return 0;
}

int vsplit_bo_lock(struct vsplit_bo *bo, uint32_t flags)
{
	struct drm_vsplit_gem_lock args = { .handle = bo->handle, .flags = flags };

	return vsplit__ioctl(bo->dev, DRM_IOCTL_VSPLIT_GEM_LOCK, &args);
}

int vsplit_bo_unlock(struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_lock args = { .handle = bo->handle };

	return vsplit__ioctl(bo->dev, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &args);
}

int vsplit_bo_set_priority(struct vsplit_bo *bo, uint32_t priority)
{
	struct drm_vsplit_gem_priority args = { .handle = bo->handle, .priority = priority };

	return vsplit__ioctl(bo->dev, DRM_IOCTL_VSPLIT_GEM_PRIORITY, &args);
}

/* Poll the state of the allocation: a lock would move an allocation that the CPU cannot see. */
int vsplit_bo_wait(struct vsplit_bo *bo, int64_t timeout_ms)
{
	struct timespec pause = { .tv_nsec = WAIT_FIRST_NS };
	int64_t deadline = vsplit__deadline(timeout_ms);
	struct drm_vsplit_gem_info info;
	int ret;

	for (;;) {
		ret = vsplit_bo_info(bo, &info);
		if (ret || !(info.flags & VSPLIT_GEM_INFO_BUSY))
			return ret;
		if (timeout_ms >= 0 && vsplit__deadline(0) >= deadline)
			return -ETIME;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < WAIT_LONGEST_NS)
			pause.tv_nsec *= 2;
	}
}
