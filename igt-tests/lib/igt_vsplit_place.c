// SPDX-License-Identifier: MIT
/*
 * Adapters and buffers for the tests of placement: see the header.
 */
#include "igt.h"
#include "igt_vsplit_place.h"

const uint8_t vram_first[3] = { VRAM, SECOND, 0 };

void setup_plan(const struct vsplit_adapter_opts *opts)
{
	vsplit_not_under("take_split_point,evict_between,random_placement",
			 "it decides where allocations go");
	setup_opts(opts);
}

void setup_one(uint64_t vram)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = vram } },
	};

	setup_plan(&opts);
}

void setup_two(uint64_t vram, uint64_t second, bool aperture)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = vram }, { "second", aperture, .size = second } },
	};

	setup_plan(&opts);
}

struct vsplit_record *use2(struct vsplit_bo *a, struct vsplit_bo *b)
{
	vsplit_cs_reset(cs);
	cs->access = VSPLIT_ALLOC_WRITE;
	vsplit_cs_bind(cs, 0, a);
	if (b)
		vsplit_cs_bind(cs, 1, b);
	vsplit_cs_add(cs, 0, 0, 1);
	if (b)
		vsplit_cs_add(cs, 1, 0, 1);
	return vsplit_cs_run(cs, ctx, 0);
}

void use_unseen(struct vsplit_bo *a)
{
	vsplit_cs_reset(cs);
	cs->access = VSPLIT_ALLOC_WRITE;
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_add(cs, 0, 0, 1);
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	vsplit_cs_reference(cs, 0);
}

struct vsplit_record *use(struct vsplit_bo *a)
{
	return use2(a, NULL);
}

void expect_in(const struct vsplit_bo *bo, uint32_t segment)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(bo, &info);
	igt_assert_f(info.segment == segment, "%c is in segment %u, not %u\n", bo->name,
		     info.segment, segment);
}
