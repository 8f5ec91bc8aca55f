// SPDX-License-Identifier: MIT
/*
 * Helpers for tests of the vsplit driver: the calls of WDDM 2: residency, virtual addresses, offers
 * and monitored fences. If a knob makes a call fail, the helper repeats it.
 */
#include "igt.h"
#include "igt_vsplit.h"

#define until_not_injected(call) ({ \
	int ret_; \
	do \
		ret_ = (call); \
	while (vsplit_injected(ret_)); \
	ret_; \
})

uint32_t vsplit_ctx_mode(int fd, uint32_t mode, uint32_t engine)
{
	struct drm_vsplit_ctx_create args = {
		.mode = mode, .priority = VSPLIT_CTX_PRIORITY_NORMAL, .engine = engine,
	};

	igt_assert_eq(__vsplit_ctx_create(fd, &args), 0);
	return args.ctx;
}

int __vsplit_make_resident(int fd, const uint32_t *handles, uint32_t nr, uint32_t flags,
			   struct drm_vsplit_make_resident *args)
{
	struct drm_vsplit_make_resident none;

	if (!args)
		args = &none;
	*args = (struct drm_vsplit_make_resident) {
		.handles = (uintptr_t)handles, .num_handles = nr, .flags = flags,
	};
	return until_not_injected(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_MAKE_RESIDENT, args));
}

void vsplit_require(const struct vsplit_bo *bo)
{
	igt_assert_eq(__vsplit_make_resident(bo->fd, &bo->handle, 1, 0, NULL), 0);
}

int __vsplit_evict(int fd, const uint32_t *handles, uint32_t nr, uint32_t flags)
{
	struct drm_vsplit_evict args = {
		.handles = (uintptr_t)handles, .num_handles = nr, .flags = flags,
	};

	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_EVICT, &args);
}

int __vsplit_va_bind(int fd, const struct drm_vsplit_va_op *ops, uint32_t nr,
		     const struct drm_vsplit_sync *syncs, uint32_t nr_syncs)
{
	struct drm_vsplit_va_bind args = {
		.ops = (uintptr_t)ops, .num_ops = nr,
		.syncs = (uintptr_t)syncs, .num_syncs = nr_syncs,
	};

	return until_not_injected(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_VA_BIND, &args));
}

void vsplit_va_map(int fd, const struct vsplit_bo *bo, uint64_t address)
{
	const struct drm_vsplit_va_op op = {
		.type = VSPLIT_VA_MAP, .handle = bo->handle, .address = address, .bytes = bo->size,
	};
	struct drm_vsplit_sync sync = {
		.handle = vsplit_syncobj(fd), .flags = VSPLIT_SYNC_SIGNAL,
	};

	igt_assert_eq(__vsplit_va_bind(fd, &op, 1, &sync, 1), 0);
	/* Packets in a ring are not ordered with the bind, so wait for it. */
	igt_assert_eq(__vsplit_syncobj_wait(fd, sync.handle, 0, VSPLIT_SOON_MS), 0);
}

int __vsplit_offer(int fd, const uint32_t *handles, uint32_t nr, uint32_t priority)
{
	struct drm_vsplit_offer args = {
		.handles = (uintptr_t)handles, .num_handles = nr, .priority = priority,
	};

	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_OFFER, &args);
}

bool vsplit_reclaim(int fd, const struct vsplit_bo *bo)
{
	uint32_t discarded = 7;
	struct drm_vsplit_reclaim args = {
		.handles = (uintptr_t)&bo->handle, .num_handles = 1,
		.discarded = (uintptr_t)&discarded,
	};

	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RECLAIM, &args), 0);
	igt_assert(discarded <= 1);
	return discarded;
}

uint32_t vsplit_fence(int fd, uint64_t value)
{
	struct drm_vsplit_fence_create args = { .value = value };

	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_FENCE_CREATE, &args), 0);
	return args.handle;
}

uint32_t vsplit_fence_share(int fd, uint32_t fence, int to)
{
	struct drm_vsplit_fence_export from = { .handle = fence };
	struct drm_vsplit_fence_import args;

	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_FENCE_EXPORT, &from), 0);
	args = (struct drm_vsplit_fence_import) { .fd = from.fd };
	igt_assert_eq(__vsplit_ioctl(to, DRM_IOCTL_VSPLIT_FENCE_IMPORT, &args), 0);
	close(from.fd);
	return args.handle;
}

int __vsplit_fence_signal(int fd, uint32_t fence, uint64_t value)
{
	struct drm_vsplit_fence_signal args = { .handle = fence, .value = value };

	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_FENCE_SIGNAL, &args);
}

int __vsplit_fence_destroy(int fd, uint32_t fence)
{
	struct drm_vsplit_fence_destroy args = { .handle = fence };

	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_FENCE_DESTROY, &args);
}
