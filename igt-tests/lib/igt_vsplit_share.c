// SPDX-License-Identifier: MIT
/*
 * What the tests of sharing have in common: see the header.
 */
#include "igt.h"
#include "igt_vsplit_share.h"

#include <string.h>

struct side one, two;

void side_on(struct side *side, const struct vsplit_seg_opts *segs, unsigned int n)
{
	struct vsplit_adapter_opts opts = { .slots = 16, .engines = 2, .test = true };

	memcpy(opts.segs, segs, n * sizeof(*segs));
	side->ad = vsplit_adapter_create(&opts);
	side->fd = vsplit_adapter_open(side->ad);
	side->ctx = vsplit_ctx(side->fd, 0);
}

void side_new(struct side *side)
{
	static const struct vsplit_seg_opts segs[] = {
		{ "vram", .size = 32 * U },
		{ "aper", true, .size = 32 * U },
	};

	side_on(side, segs, 2);
}

void setup_sides(void)
{
	side_new(&one);
	side_new(&two);
}

struct vsplit_cs *build_set(struct side *side, struct vsplit_bo *bo, uint32_t pattern)
{
	struct vsplit_cs *cs = vsplit_cs(side->fd);

	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, bo->size, pattern);
	return cs;
}

void gpu_set(struct side *side, struct vsplit_bo *bo, uint32_t pattern)
{
	struct vsplit_cs *cs = build_set(side, bo, pattern);

	vsplit_cs_run(cs, side->ctx, 0);
	vsplit_cs_free(cs);
}

void gpu_check(struct side *side, struct vsplit_bo *bo)
{
	struct vsplit_bo *to = vsplit_bo(side->fd, 'T', bo->size);
	struct vsplit_cs *cs = vsplit_cs(side->fd);

	vsplit_cs_alloc(cs, bo, 0);
	vsplit_cs_bind(cs, 0, to);
	vsplit_cs_bind(cs, 1, bo);
	vsplit_cs_copy(cs, 0, 0, 1, 0, bo->size);
	vsplit_cs_run(cs, side->ctx, 0);
	vsplit_cs_free(cs);
	vsplit_bo_free(to);
}

void same_bytes(const struct vsplit_bo *a, const struct vsplit_bo *b)
{
	igt_assert_eq_u64(a->size, b->size);
	igt_assert(!memcmp(a->map, b->map, a->size));
}

uint32_t info_flags(const struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(bo, &info);
	return info.flags;
}

bool becomes_unshared(const struct vsplit_bo *bo)
{
	return vsplit_soon(!(info_flags(bo) & VSPLIT_GEM_INFO_SHARED));
}
