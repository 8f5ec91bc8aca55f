// SPDX-License-Identifier: MIT
/*
 * What the tests of explicit residency share: see the header.
 */
#include "igt.h"
#include "igt_vsplit_resid.h"

int fd2;
uint32_t ctx2;
struct vsplit_cs *cs2;

struct vsplit_adapter_opts options(void)
{
	return (struct vsplit_adapter_opts) {
		.segs = { { "vram", .size = 16 * U }, { "aper", true, .size = 16 * U } },
		.slots = 16,
		.engines = 2,
		.paging_own = true,
		.contexts = "patch,explicit",
		.test = true,
	};
}

int __context(int file, uint32_t mode, uint32_t engine, uint32_t *id)
{
	struct drm_vsplit_ctx_create args = {
		.priority = VSPLIT_CTX_PRIORITY_NORMAL, .engine = engine, .mode = mode,
	};
	int ret = __vsplit_ctx_create(file, &args);

	*id = args.ctx;
	return ret;
}

void setup_adapter(const struct vsplit_adapter_opts *opts)
{
	ad = vsplit_adapter_create(opts);
	fd = vsplit_adapter_open(ad);
	fd2 = vsplit_adapter_open(ad);
	ctx = vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_EXPLICIT, 0);
	ctx2 = vsplit_ctx_mode(fd2, VSPLIT_CTX_MODE_EXPLICIT, 0);
	cs = vsplit_cs(fd);
	cs2 = vsplit_cs(fd2);
}

void setup_devices(void)
{
	const struct vsplit_adapter_opts opts = options();

	setup_adapter(&opts);
}

struct vsplit_bo *bo_on(int file, char name, unsigned int units)
{
	return vsplit_bo_in(file, name, units * U, 0, in_first);
}

struct drm_vsplit_residency residency(int file, uint32_t handle)
{
	struct drm_vsplit_residency args = { .handle = handle };

	igt_assert_eq(__vsplit_ioctl(file, DRM_IOCTL_VSPLIT_RESIDENCY, &args), 0);
	return args;
}

uint64_t usage(int file)
{
	return residency(file, 0).groups[VSPLIT_GROUP_LOCAL].usage;
}

void wait_point(int file, uint64_t point)
{
	if (point)
		igt_assert_eq(__vsplit_syncobj_wait(file, residency(file, 0).syncobj, point,
						    VSPLIT_SOON_MS), 0);
}

void make(struct vsplit_bo *b)
{
	struct drm_vsplit_make_resident args;

	igt_assert_eq(__vsplit_make_resident(b->fd, &b->handle, 1, 0, &args), 0);
	wait_point(b->fd, args.point);
}

void take(struct vsplit_bo *b)
{
	igt_assert_eq(__vsplit_evict(b->fd, &b->handle, 1, 0), 0);
}

void fills(struct vsplit_cs *c, struct vsplit_bo *b, uint32_t pattern)
{
	vsplit_cs_bind(c, 0, b);
	vsplit_cs_set(c, 0, 0, b->size, pattern);
}

void run_one(struct vsplit_cs *c, uint32_t id)
{
	vsplit_cs_submit_and_wait(c, id, 0);
	vsplit_cs_reference(c, 0);
	igt_assert_eq(c->portions, 1);
}
