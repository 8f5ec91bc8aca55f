// SPDX-License-Identifier: MIT
/*
 * What the tests of segments, swizzling, locks and surfaces share: see the header.
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_memory.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* A memory segment of 256 units with @ranges swizzling ranges, and an aperture. */
void setup(unsigned int ranges)
{
	const struct vsplit_seg_opts segs[] = {
		{ "vram", .size = 256 * U, .ranges = ranges },
		{ "aper", true, .size = 128 * U },
	};

	setup_segs(segs, 2);
}

struct vsplit_bo *swizzled(char name, uint64_t size)
{
	struct drm_vsplit_gem_create args = {
		.size = size, .flags = VSPLIT_GEM_SWIZZLED | VSPLIT_GEM_CPU_ACCESS, .pitch = PITCH,
	};

	return vsplit_bo_args(fd, name, &args);
}

struct vsplit_bo *in(char name, uint64_t size, uint8_t segment)
{
	const uint8_t segments[] = { segment, 0 };

	return vsplit_bo_in(fd, name, size, 0, segments);
}

void page_in(struct vsplit_bo *bo, uint32_t segment)
{
	vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, bo->handle, segment);
}

void evict(struct vsplit_bo *bo)
{
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, bo->handle, 0);
}

bool has_range(const struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(bo, &info);
	return info.flags & VSPLIT_GEM_INFO_RANGE;
}

struct drm_vsplit_statistics stats(void)
{
	struct drm_vsplit_statistics s;

	vsplit_query_statistics(fd, &s);
	return s;
}

/* The GPU's offset of a linear byte of a swizzled surface, straight from the definition. */
uint64_t tiled(uint64_t size, uint64_t at)
{
	uint64_t band = PITCH * 64ull, y = at / PITCH, x = at % PITCH;

	if (at >= size / band * band)
		return at;
	return y / 64 * band + x / 64 * 4096 + y % 64 * 64 + x % 64;
}

/* The GPU copies the raw bytes of @from to @to, as it sees them. */
void gpu_copy(struct vsplit_bo *to, struct vsplit_bo *from)
{
	vsplit_cs_reset(cs);
	vsplit_cs_alloc(cs, from, 0);
	vsplit_cs_bind(cs, 0, from);
	vsplit_cs_bind(cs, 1, to);
	vsplit_cs_copy(cs, 1, 0, 0, 0, from->size);
	vsplit_cs_submit_and_wait(cs, ctx, 0);
}

/* Checks that the GPU sees the surface tiled: the plain allocation @raw gets its raw bytes. */
void check_tiled(struct vsplit_bo *surface, struct vsplit_bo *raw)
{
	gpu_copy(raw, surface);
	for (uint64_t i = 0; i < surface->size; i++)
		raw->shadow[tiled(surface->size, i)] = surface->shadow[i];
	vsplit_bo_check(raw);
}

/* The GPU writes a word at the linear offset @at. */
void gpu_write(struct vsplit_bo *surface, uint64_t at, uint64_t word)
{
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, surface);
	vsplit_cs_store(cs, 0, tiled(surface->size, at), word);
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	memcpy(surface->shadow + at, &word, 8);
}

/*
 * Notes in the trace, which is on, the page frame of each of the first pages of segment 1, seen
 * through one allocation. Each page is faulted in separately.
 */
struct vsplit_bo *touch_segment(uint64_t size)
{
	struct vsplit_bo *all;

	vsplit_not_under("random_placement", "it does not come to the segment's start");
	all = in('Z', size, 1);

	for (uint64_t i = 0; i < size / 4096; i++) {
		page_in(all, 1);
		((volatile uint8_t *)all->map)[i * 4096] = i;
		all->shadow[i * 4096] = i;
		evict(all);
	}
	return all;
}

/* The pages of @bo, at @offset of the segment, are the pages that @all had there. */
void check_frames(const char *trace, const struct vsplit_bo *all,
			 const struct vsplit_bo *bo, uint64_t offset)
{
	unsigned int checked = 0;

	for (uint64_t i = 0; i < bo->size / 4096; i++) {
		uint64_t frame = vsplit_trace_frame(trace, bo, 1, i);

		if (!frame)
			continue;	/* mapped by the fault of another page */
		igt_assert_eq_u64(frame, vsplit_trace_frame(trace, all, 1, offset / 4096 + i));
		checked++;
	}
	igt_assert(checked);
}

uint64_t offset_of(const struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(bo, &info);
	igt_assert_eq(info.segment, 1);
	return info.offset;
}

/* ---- stopping the engine, failing steps --------------------------------- */

volatile bool resumed;

void *resume_later(void *arg)
{
	usleep(20000);
	resumed = true;
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	return NULL;
}

/* Repeats @op with its first, second, … step failing, until no step fails. */
void sweep(const char *what, int (*op)(void), void (*check)(int ret))
{
	unsigned int n, failed = 0;

	for (n = 1; n < 200; n++) {
		int ret;

		vsplit_inject_arm(VSPLIT_INJECT_SITE, n);
		ret = op();
		if (!vsplit_inject_disarm(VSPLIT_INJECT_SITE, NULL)) {
			igt_assert_eq(ret, 0);
			check(ret);
			break;
		}
		failed += ret != 0;
		check(ret);
	}
	igt_assert(n < 200);
	igt_info("%s: %u places that can fail, %u calls failed\n", what, n - 1, failed);
	igt_assert(n > 1);
}
