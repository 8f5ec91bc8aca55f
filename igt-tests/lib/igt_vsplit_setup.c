// SPDX-License-Identifier: MIT
/*
 * What most subtests begin with: see the header.
 */
#include "igt.h"
#include "igt_vsplit_setup.h"

#include <string.h>

struct vsplit_adapter *ad;
int fd;
uint32_t ctx;
struct vsplit_cs *cs;

void setup_opts(const struct vsplit_adapter_opts *opts)
{
	struct vsplit_adapter_opts o = *opts;

	if (!o.slots)
		o.slots = 64;
	o.test = true;
	ad = vsplit_adapter_create(&o);
	fd = vsplit_adapter_open(ad);
	ctx = vsplit_ctx(fd, 0);
	cs = vsplit_cs(fd);
}

void setup_plain(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 1 << 20 }, { "aper", true, .size = 1 << 20 } },
		.slots = 16,
		.engines = 2,
	};

	setup_opts(&opts);
}

void setup_segs(const struct vsplit_seg_opts *segs, unsigned int n)
{
	struct vsplit_adapter_opts opts = {};

	memcpy(opts.segs, segs, n * sizeof(*segs));
	setup_opts(&opts);
}

struct vsplit_bo *build_good(void)
{
	struct vsplit_bo *a = vsplit_bo(fd, 'A', 16384);

	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 64, 128, 0x11223344);
	return a;
}

uint32_t segment_of(const struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(bo, &info);
	return info.segment;
}
