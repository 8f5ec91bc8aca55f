// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit segments
 * Description: Segments, CPU access and swizzling: the statements SEG-1 to SEG-23 and
 *   what belongs to them of EXT-29 to EXT-37; Documentation/segments.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: segments, CPU access, swizzling
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"

#include <pthread.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Segments, CPU access and swizzling, statement by statement.");

#define U 16384ull
#define PITCH 512u	/* a band is 32 KiB */
#define APER VSPLIT_LOCK_ACQUIRE_APERTURE

static struct vsplit_adapter *ad;
static int fd;
static uint32_t ctx;
static struct vsplit_cs *cs;

static void setup_opts(struct vsplit_adapter_opts *opts)
{
	opts->slots = 64;
	opts->test = true;
	ad = vsplit_adapter_create(opts);
	fd = vsplit_adapter_open(ad);
	ctx = vsplit_ctx(fd, 0);
	cs = vsplit_cs(fd);
}

static void setup_segs(const struct vsplit_seg_opts *segs, unsigned int n)
{
	struct vsplit_adapter_opts opts = {};

	memcpy(opts.segs, segs, n * sizeof(*segs));
	setup_opts(&opts);
}

/* A memory segment of 256 units with as many ranges, and an aperture. */
static void setup(unsigned int ranges)
{
	const struct vsplit_seg_opts segs[] = {
		{ "vram", .size = 256 * U, .ranges = ranges },
		{ "aper", true, .size = 128 * U },
	};

	setup_segs(segs, 2);
}

static struct vsplit_bo *swizzled(char name, uint64_t size)
{
	struct drm_vsplit_gem_create args = {
		.size = size, .flags = VSPLIT_GEM_SWIZZLED | VSPLIT_GEM_CPU_ACCESS, .pitch = PITCH,
	};

	return vsplit_bo_args(fd, name, &args);
}

static struct vsplit_bo *in(char name, uint64_t size, uint8_t segment)
{
	const uint8_t segments[] = { segment, 0 };

	return vsplit_bo_in(fd, name, size, 0, segments);
}

static void page_in(struct vsplit_bo *bo, uint32_t segment)
{
	vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, bo->handle, segment);
}

static void evict(struct vsplit_bo *bo)
{
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, bo->handle, 0);
}

static uint32_t segment_of(const struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(bo, &info);
	return info.segment;
}

static bool has_range(const struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(bo, &info);
	return info.flags & VSPLIT_GEM_INFO_RANGE;
}

static struct drm_vsplit_statistics stats(void)
{
	struct drm_vsplit_statistics s;

	vsplit_query_statistics(fd, &s);
	return s;
}

/* Where a linear byte of a swizzled surface is for the GPU: straight from the definition. */
static uint64_t tiled(uint64_t size, uint64_t at)
{
	uint64_t band = PITCH * 64ull, y = at / PITCH, x = at % PITCH;

	if (at >= size / band * band)
		return at;
	return y / 64 * band + x / 64 * 4096 + y % 64 * 64 + x % 64;
}

/* The GPU copies the raw bytes of @from, as it sees them, to @to. */
static void gpu_copy(struct vsplit_bo *to, struct vsplit_bo *from)
{
	vsplit_cs_reset(cs);
	vsplit_cs_alloc(cs, from, 0);
	vsplit_cs_bind(cs, 0, from);
	vsplit_cs_bind(cs, 1, to);
	vsplit_cs_copy(cs, 1, 0, 0, 0, from->size);
	vsplit_cs_submit(cs, ctx, 0);
	vsplit_cs_wait(cs);
}

/* The GPU sees the surface tiled: @raw, a plain allocation, gets its bytes. */
static void check_tiled(struct vsplit_bo *surface, struct vsplit_bo *raw)
{
	gpu_copy(raw, surface);
	for (uint64_t i = 0; i < surface->size; i++)
		raw->shadow[tiled(surface->size, i)] = surface->shadow[i];
	vsplit_bo_check(raw);
}

/* A word written by the GPU at the linear offset @at. */
static void gpu_write(struct vsplit_bo *surface, uint64_t at, uint64_t word)
{
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, surface);
	vsplit_cs_store(cs, 0, tiled(surface->size, at), word);
	vsplit_cs_submit(cs, ctx, 0);
	vsplit_cs_wait(cs);
	memcpy(surface->shadow + at, &word, 8);
}

/* ---- CPU visibility ------------------------------------------------------ */

/**
 * SUBTEST: seg-1-visible-stays
 * Description: What the CPU can see is mapped where it is: touching and locking moves
 *   nothing.
 */
static void test_visible(void)
{
	const struct vsplit_seg_opts segs[] = { { "vram", .size = 64 * U, .cpu = "all" } };
	struct drm_vsplit_segment_info info[VSPLIT_MAX_SEGMENTS];
	struct vsplit_bo *a;

	setup_segs(segs, 1);
	igt_assert_eq(vsplit_query_segments(fd, info), 1);
	igt_assert(info[0].flags & VSPLIT_SEGMENT_CPU_VISIBLE);
	a = vsplit_bo(fd, 'A', 16 * U);
	page_in(a, 1);
	vsplit_bo_pattern(a, 1);
	vsplit_lock(a, 0);
	vsplit_bo_check(a);
	igt_assert_eq(segment_of(a), 1);
	igt_assert_eq_u64(stats().evicted_bytes, 0);
	vsplit_unlock(a);
}

/**
 * SUBTEST: seg-1-hidden-moves
 * Description: An allocation in a segment that the CPU cannot see, or outside of the part
 *   that it sees, is elsewhere before the CPU gets a page of it, with its bytes.
 */
static void test_hidden(void)
{
	const struct vsplit_seg_opts segs[] = {
		{ "hidden", .size = 64 * U, .cpu = "none" },
		{ "small", .size = 64 * U, .cpu = "65536" },
	};
	struct drm_vsplit_segment_info info[VSPLIT_MAX_SEGMENTS];
	struct vsplit_bo *a;

	setup_segs(segs, 2);
	igt_assert_eq(vsplit_query_segments(fd, info), 2);
	igt_assert(!(info[0].flags & VSPLIT_SEGMENT_CPU_VISIBLE));
	igt_assert_eq_u64(info[1].cpu_visible_size, 65536);
	for (unsigned int by_lock = 0; by_lock < 2; by_lock++) {
		for (uint8_t s = 1; s <= 2; s++) {
			a = in('A', 16 * U, s);
			vsplit_bo_pattern(a, s);
			page_in(a, s);
			igt_assert_eq(segment_of(a), s);
			if (by_lock)
				vsplit_lock(a, 0);
			else
				igt_assert_eq(((volatile uint8_t *)a->map)[5], a->shadow[5]);
			igt_assert_eq(segment_of(a), 0);
			vsplit_bo_check(a);
			if (by_lock)
				vsplit_unlock(a);
			vsplit_bo_free(a);
		}
	}
}

/**
 * SUBTEST: seg-1-lock-moves-to-visible
 * Description: A lock brings an allocation from where the CPU does not see it to a hole
 *   that it sees in another of its segments, by the engine, or to system memory if there
 *   is no hole.
 */
static void test_lock_moves(void)
{
	const struct vsplit_seg_opts segs[] = {
		{ "hidden", .size = 64 * U, .cpu = "none" },
		{ "seen", .size = 32 * U },
	};
	struct vsplit_bo *a, *b;

	setup_segs(segs, 2);
	a = vsplit_bo(fd, 'A', 16 * U);
	vsplit_bo_pattern(a, 1);
	page_in(a, 1);
	vsplit_lock(a, 0);
	igt_assert_eq(segment_of(a), 2);
	igt_assert_eq_u64(stats().moved_bytes, a->size);
	vsplit_bo_check(a);
	vsplit_unlock(a);

	b = vsplit_bo(fd, 'B', 24 * U);
	vsplit_bo_pattern(b, 2);
	page_in(b, 1);
	vsplit_lock(b, 0);
	igt_assert_eq(segment_of(b), 0);
	igt_assert_eq(segment_of(a), 2);
	vsplit_bo_check(b);
}

/*
 * Note which page frame is at each of the first pages of segment 1, seen through one
 * allocation; a trace is on. Each page is faulted in by itself.
 */
static struct vsplit_bo *touch_segment(uint64_t size)
{
	struct vsplit_bo *all = in('Z', size, 1);

	for (uint64_t i = 0; i < size / 4096; i++) {
		page_in(all, 1);
		((volatile uint8_t *)all->map)[i * 4096] = i;
		all->shadow[i * 4096] = i;
		evict(all);
	}
	return all;
}

/* The pages that @bo got at @offset of the segment are those that @all had there. */
static void check_frames(const char *trace, const struct vsplit_bo *all,
			 const struct vsplit_bo *bo, uint64_t offset)
{
	unsigned int checked = 0;

	for (uint64_t i = 0; i < bo->size / 4096; i++) {
		uint64_t frame = vsplit_trace_frame(trace, bo, 1, i);

		if (!frame)
			continue;	/* came with another one's fault */
		igt_assert_eq_u64(frame, vsplit_trace_frame(trace, all, 1, offset / 4096 + i));
		checked++;
	}
	igt_assert(checked);
}

static uint64_t offset_of(const struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(bo, &info);
	igt_assert_eq(info.segment, 1);
	return info.offset;
}

/**
 * SUBTEST: seg-2-offset-is-the-aperture-s
 * Description: The page that the CPU maps depends on the offset in the segment alone:
 *   every allocation that is ever at an offset is seen at the same page; and what the GPU
 *   writes at an offset the CPU finds there.
 */
/**
 * SUBTEST: seg-3-base-and-offset-suffice
 * Description: Mapping asks nobody where the allocation is: segment and offset, as the
 *   query tells them, say which page it is, before it is mapped.
 */
static void test_offset(void)
{
	struct vsplit_bo *bo[4], *all;
	uint64_t at[4];
	const char *trace;

	setup(0);
	vsplit_trace_begin();
	all = touch_segment(40 * U);
	for (unsigned int i = 0; i < 4; i++) {
		bo[i] = in('A' + i, (5 + 3 * i) * U, 1);
		page_in(bo[i], 1);
		at[i] = offset_of(bo[i]);
		if (i == 2) {
			vsplit_bo_free(bo[0]);
			bo[0] = in('E', 2 * U, 1);
			page_in(bo[0], 1);
			at[0] = offset_of(bo[0]);
			vsplit_bo_pattern(bo[0], 9);
		}
		vsplit_bo_pattern(bo[i], i);
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, bo[i]);
		vsplit_cs_set(cs, 0, 4096, 8192, 0x1000 + i);
		vsplit_cs_run(cs, ctx, 0);
		igt_assert_eq_u64(offset_of(bo[i]), at[i]);
	}
	trace = vsplit_trace_end();
	for (unsigned int i = 0; i < 4; i++)
		check_frames(trace, all, bo[i], at[i]);
}

/**
 * SUBTEST: seg-4-aperture-shares-pages
 * Description: In an aperture the CPU maps the system pages themselves, the same ones as
 *   outside: both sides see each other's writes, and nothing is copied.
 */
static void test_aperture(void)
{
	struct drm_vsplit_statistics before, after;
	struct vsplit_bo *a;
	const char *trace;

	setup(0);
	a = in('A', 2 * U, 2);
	vsplit_trace_begin();
	vsplit_bo_pattern(a, 1);
	before = stats();
	for (unsigned int round = 0; round < 5; round++) {
		uint64_t word = round;

		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_copy(cs, 0, 8192, 0, 64 * round, 64);
		vsplit_cs_run(cs, ctx, 0);
		igt_assert_eq(segment_of(a), 2);
		vsplit_bo_write(a, 64 * round, &word, 8);
		vsplit_cs_run(cs, ctx, 0);
		if (round & 1)
			evict(a);
		vsplit_bo_check(a);
	}
	after = stats();
	trace = vsplit_trace_end();
	igt_assert(vsplit_trace_frame(trace, a, 0, 0));
	igt_assert_eq_u64(vsplit_trace_frame(trace, a, 2, 0), vsplit_trace_frame(trace, a, 0, 0));
	igt_assert_eq_u64(after.paged_in_copied_bytes, before.paged_in_copied_bytes);
	igt_assert_eq_u64(after.evicted_copied_bytes, before.evicted_copied_bytes);
}

/* ---- swizzling ranges ---------------------------------------------------- */

/**
 * SUBTEST: swizzled-for-the-gpu
 * Description: The GPU finds a swizzled surface in the stated layout, the CPU in linear
 *   order, whoever wrote it and wherever it is, with ranges and without.
 */
static void test_swizzled(void)
{
	for (unsigned int ranges = 0; ranges < 2; ranges++) {
		struct vsplit_bo *a, *raw;

		setup(ranges);
		a = swizzled('A', 9 * U);
		raw = in('R', 9 * U, 1);
		vsplit_bo_check(a);
		check_tiled(a, raw);
		for (unsigned int round = 0; round < 6; round++) {
			vsplit_bo_pattern(a, round);
			check_tiled(a, raw);
			if (round & 1)
				evict(a);
			gpu_write(a, 4096 * round + 8, round + 77);
			if (round & 2)
				vsplit_bo_check(a);
			check_tiled(a, raw);
			vsplit_bo_check(a);
		}
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: swizzled-2d-copies
 * Description: COPY_2D with its tiled flags between a swizzled surface and linear ones
 *   gives what the CPU sees, row by row.
 */
static void test_copy_2d(void)
{
	struct vsplit_bo *a, *linear;

	setup(2);
	a = swizzled('A', 8 * U);
	linear = in('L', 8 * U, 1);
	for (unsigned int round = 0; round < 2; round++) {
		vsplit_bo_pattern(a, round);
		if (round)
			page_in(a, 1);
		for (unsigned int out = 0; out < 2; out++) {
			vsplit_bo_pattern(out ? linear : a, 3 + out);
			vsplit_cs_reset(cs);
			vsplit_cs_bind(cs, 0, a);
			vsplit_cs_bind(cs, 1, linear);
			vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, PITCH);
			vsplit_cs_state(cs, VSPLIT_STATE_DST_PITCH, PITCH);
			vsplit_cs_copy_2d(cs, out ? 0 : 1, 0, out ? 1 : 0, 0, PITCH, a->size / PITCH,
					  out ? VSPLIT_COPY_2D_DST_TILED : VSPLIT_COPY_2D_SRC_TILED);
			vsplit_cs_submit(cs, ctx, 0);
			vsplit_cs_wait(cs);
			memcpy(out ? a->shadow : linear->shadow, out ? linear->shadow : a->shadow,
			       a->size);
			vsplit_bo_check(a);
			vsplit_bo_check(linear);
		}
	}
}

/**
 * SUBTEST: seg-5-acquired-before-mapped
 * Description: A swizzling range is acquired before the first page of a swizzled
 *   allocation in a segment is mapped; once for the allocation, however often it is
 *   touched and locked; linear allocations acquire none.
 */
static void test_acquire(void)
{
	struct vsplit_bo *a, *plain;
	const char *trace, *acquire, *fault;
	char what[64];

	setup(2);
	a = swizzled('A', 8 * U);
	plain = in('P', 8 * U, 1);
	vsplit_bo_pattern(a, 1);
	page_in(a, 1);
	page_in(plain, 1);
	vsplit_trace_begin();
	vsplit_bo_check(a);
	vsplit_bo_check(plain);
	vsplit_lock(a, APER);
	vsplit_bo_pattern(a, 2);
	vsplit_unlock(a);
	vsplit_lock(plain, APER);
	trace = vsplit_trace_end();
	acquire = vsplit_trace_find(trace, NULL, "acquire_range", "bo=%" PRIu64 " segment=0", a->id);
	fault = vsplit_trace_find(trace, NULL, "cpu_fault", "bo=%" PRIu64 " ", a->id);
	igt_assert(acquire && fault && acquire < fault);
	snprintf(what, sizeof(what), "bo=%" PRIu64 " ", a->id);
	igt_assert_eq(vsplit_trace_count(trace, "acquire_range", what), 1);
	igt_assert_eq(vsplit_trace_count(trace, "acquire_range", ""), 1);
	igt_assert(has_range(a) && !has_range(plain));
	igt_assert_eq(segment_of(a), 1);
	igt_assert_eq_u64(stats().ranges_acquired, 1);
}

/**
 * SUBTEST: seg-6-same-offset-and-size
 * Description: Through a range the CPU maps the same pages at the same offsets as any
 *   allocation there: nothing of the place changes.
 */
static void test_same_place(void)
{
	struct drm_vsplit_gem_info before, after;
	struct vsplit_bo *hole, *a, *all;
	const char *trace;

	setup(1);
	vsplit_trace_begin();
	all = touch_segment(16 * U);
	hole = in('H', 5 * U, 1);
	page_in(hole, 1);
	a = swizzled('A', 8 * U);
	page_in(a, 1);
	vsplit_info(a, &before);
	igt_assert(before.offset);
	vsplit_bo_pattern(a, 1);
	vsplit_info(a, &after);
	igt_assert(after.flags & VSPLIT_GEM_INFO_RANGE);
	igt_assert_eq(after.segment, before.segment);
	igt_assert_eq_u64(after.offset, before.offset);
	igt_assert_eq_u64(after.size, before.size);
	trace = vsplit_trace_end();
	check_frames(trace, all, a, after.offset);
}

/**
 * SUBTEST: seg-7-no-range-is-left
 * Description: When no range can be had (there are none, all are locked, the driver
 *   fails), the allocation is evicted, and the lock or access succeeds on linear bytes in
 *   system memory.
 */
static void test_exhausted(void)
{
	struct vsplit_bo *a, *b, *raw;

	for (unsigned int how = 0; how < 4; how++) {
		setup(how > 0);
		a = swizzled('A', 8 * U);
		b = swizzled('B', 4 * U);
		raw = in('R', 4 * U, 1);
		vsplit_bo_pattern(b, 5);
		page_in(a, 1);
		page_in(b, 1);
		if (how == 1 || how == 2)
			vsplit_lock(a, APER);
		if (how == 3)
			vsplit_adapter_knob(ad, "fail_acquire_swizzling_range", "1");
		if (how == 2)
			vsplit_lock(b, APER);
		vsplit_bo_check(b);
		igt_assert_eq(segment_of(b), 0);
		igt_assert(!has_range(b));
		igt_assert_eq(segment_of(a), 1);
		igt_assert_eq(has_range(a), how == 1 || how == 2);
		if (how == 2)
			vsplit_unlock(b);
		check_tiled(b, raw);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: ext-29-ranges-are-taken
 * Description: When all ranges are in use, the one that was acquired first is taken from
 *   its allocation, which stays where it is, tiled again; whose range is locked keeps it.
 *   Everybody's bytes stay right, on both sides.
 */
static void test_steal(void)
{
	struct vsplit_bo *a[5], *raw;
	const char *trace;

	setup(3);
	for (unsigned int i = 0; i < 5; i++) {
		a[i] = swizzled('A' + i, 8 * U);
		vsplit_bo_pattern(a[i], i);
		page_in(a[i], 1);
	}
	raw = in('R', 8 * U, 1);
	vsplit_lock(a[0], APER);
	vsplit_bo_check(a[1]);
	vsplit_bo_check(a[2]);
	igt_assert(has_range(a[0]) && has_range(a[1]) && has_range(a[2]));
	vsplit_trace_begin();
	vsplit_bo_check(a[3]);
	trace = vsplit_trace_end();
	igt_assert(vsplit_trace_find(trace, NULL, "release_range", "bo=%" PRIu64 " segment=0 range=1 "
				     "why=stolen", a[1]->id));
	igt_assert(has_range(a[0]) && !has_range(a[1]) && has_range(a[2]) && has_range(a[3]));
	for (unsigned int round = 0; round < 40; round++) {
		unsigned int i = (round * 7 + 3) % 5;
		uint64_t word = round;

		vsplit_bo_write(a[i], 8 * round, &word, 8);
		if (i)
			gpu_write(a[i], 32768 + 8 * round, ~word);
		vsplit_bo_check(a[(i + 2) % 5]);
		check_tiled(a[1 + round % 4], raw);
	}
	for (unsigned int i = 0; i < 5; i++) {
		igt_assert_eq(segment_of(a[i]), 1);
		vsplit_bo_check(a[i]);
	}
}

/**
 * SUBTEST: ext-29-released-when-it-leaves
 * Description: Eviction and destruction give the range back: the next allocation gets it
 *   without taking it from anybody, also on the same place.
 */
static void test_release(void)
{
	struct vsplit_bo *a, *b;
	const char *trace;

	setup(1);
	a = swizzled('A', 8 * U);
	page_in(a, 1);
	vsplit_trace_begin();
	vsplit_bo_pattern(a, 1);
	evict(a);
	igt_assert(!has_range(a));
	vsplit_bo_check(a);
	b = swizzled('B', 8 * U);
	page_in(b, 1);
	vsplit_bo_pattern(b, 2);
	igt_assert(has_range(b));
	vsplit_bo_free(b);
	b = swizzled('C', 16 * U);
	page_in(b, 1);
	vsplit_bo_pattern(b, 3);
	igt_assert(has_range(b));
	trace = vsplit_trace_end();
	igt_assert_eq(vsplit_trace_count(trace, "acquire_range", ""), 3);
	igt_assert_eq(vsplit_trace_count(trace, "release_range", "why=left"), 1);
	igt_assert_eq(vsplit_trace_count(trace, "release_range", "why=destroyed"), 1);
	igt_assert_eq(vsplit_trace_count(trace, "release_range", "why=stolen"), 0);
	/* A page that a range covered is an ordinary one again. */
	vsplit_bo_free(b);
	a = in('D', 16 * U, 1);
	b = in('E', 16 * U, 1);
	vsplit_bo_pattern(a, 4);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_copy(cs, 1, 0, 0, 0, a->size);
	vsplit_cs_run(cs, ctx, 0);
}

/**
 * SUBTEST: ranges-follow-plans
 * Description: Surfaces whose bytes are linear under a range are evicted, moved and paged
 *   in by split buffers, and are right on both sides afterwards.
 */
static void test_plans(void)
{
	struct vsplit_bo *a[3], *big[2];

	setup(2);
	for (unsigned int i = 0; i < 3; i++) {
		a[i] = swizzled('A' + i, (30 + 3 * i) * U);
		vsplit_bo_pattern(a[i], i);
	}
	big[0] = in('X', 150 * U, 1);
	big[1] = in('Y', 200 * U, 1);
	for (unsigned int round = 0; round < 12; round++) {
		vsplit_cs_reset(cs);
		for (unsigned int step = 0; step < 6; step++) {
			struct vsplit_bo *s = a[(round + step) % 3];
			uint64_t at = 8 * (6 * round + step);

			vsplit_cs_bind(cs, 0, s);
			if (step & 1)
				vsplit_cs_bind(cs, 1, big[step >> 1 & 1]);
			else
				vsplit_cs_unbind(cs, 1);
			vsplit_cs_store(cs, 0, tiled(s->size, at), at);
			memcpy(s->shadow + at, &at, 8);
		}
		vsplit_cs_submit(cs, ctx, round & 1 ? VSPLIT_SUBMIT_FORCE_SPLIT : 0);
		vsplit_cs_wait(cs);
		for (unsigned int i = 0; i < 3; i++)
			if ((round + i) % 3)
				vsplit_bo_check(a[i]);
	}
	for (unsigned int i = 0; i < 3; i++)
		vsplit_bo_check(a[i]);
	igt_assert(stats().ranges_acquired > 3);
	igt_assert(stats().evicted_copied_bytes);
}

/* ---- system memory ------------------------------------------------------- */

/**
 * SUBTEST: seg-8-lock-in-system-memory
 * Description: Content that is in system memory already is there after the lock, too, on
 *   the same pages.
 */
/**
 * SUBTEST: seg-9-driver-not-involved
 * Description: Such a lock acquires nothing and pages nothing, nor does the access.
 */
/**
 * SUBTEST: seg-10-linear-in-system-memory
 * Description: What is in system memory is what was written, in linear order, of swizzled
 *   surfaces, too.
 */
static void test_system(void)
{
	struct drm_vsplit_statistics before, after;
	struct vsplit_bo *a;
	const char *trace;

	setup(2);
	a = swizzled('A', 8 * U);
	vsplit_bo_pattern(a, 1);
	page_in(a, 1);
	gpu_write(a, 1000 * 8, 4711);
	evict(a);
	igt_assert_eq(segment_of(a), 0);
	vsplit_bo_check(a);
	before = stats();
	vsplit_trace_begin();
	for (unsigned int i = 0; i < 2; i++) {
		/* Without its pages: the accesses fault. */
		madvise(a->map, a->size, MADV_DONTNEED);
		vsplit_lock(a, i ? VSPLIT_LOCK_ACQUIRE_APERTURE : VSPLIT_LOCK_DONOT_EVICT);
		vsplit_bo_check(a);
		vsplit_unlock(a);
	}
	trace = vsplit_trace_end();
	after = stats();
	igt_assert_eq(vsplit_trace_count(trace, "acquire_range", ""), 0);
	igt_assert_eq(vsplit_trace_count(trace, "paging", ""), 0);
	igt_assert_eq(vsplit_trace_count(trace, "bo_move", ""), 0);
	igt_assert_eq(memcmp(&before, &after, sizeof(after)), 0);
	igt_assert_eq(segment_of(a), 0);
	igt_assert(!has_range(a));
	vsplit_bo_check(a);
}

/**
 * SUBTEST: seg-11-eviction-unswizzles
 * Description: The bytes that the CPU reads after an eviction are those that it read
 *   through the aperture before; and those that the GPU wrote as tiles are linear.
 */
static void test_unswizzle(void)
{
	struct vsplit_bo *a, *raw;

	setup(1);
	a = swizzled('A', 21 * 4096);	/* two bands and a tail */
	raw = in('R', a->size, 1);
	vsplit_bo_pattern(raw, 6);
	gpu_copy(a, raw);		/* never touched by the CPU: tiles */
	for (uint64_t i = 0; i < a->size; i++)
		a->shadow[i] = raw->shadow[tiled(a->size, i)];
	evict(a);
	vsplit_bo_check(a);
	page_in(a, 1);
	vsplit_bo_check(a);		/* through the aperture */
	igt_assert(has_range(a));
	gpu_copy(a, raw);
	vsplit_bo_check(a);
	evict(a);
	vsplit_bo_check(a);
}

/**
 * SUBTEST: seg-12-same-pointer
 * Description: A pointer that was got before works through every eviction and page-in,
 *   while the medium behind it changes; swizzled and linear.
 */
static void test_pointer(void)
{
	const char *trace;

	for (unsigned int kind = 0; kind < 2; kind++) {
		struct vsplit_bo *a;

		setup(1);
		a = kind ? swizzled('A', 8 * U) : in('A', 8 * U, 1);
		vsplit_bo_pattern(a, kind);
		vsplit_trace_begin();
		for (unsigned int round = 0; round < 20; round++) {
			uint64_t word = round;

			if (round & 1)
				evict(a);
			else
				page_in(a, 1);
			vsplit_bo_write(a, 808 * round, &word, 8);
			vsplit_bo_check(a);
		}
		trace = vsplit_trace_end();
		/* Another medium, and the same one again each time. */
		igt_assert(vsplit_trace_frame(trace, a, 1, 0));
		igt_assert(vsplit_trace_frame(trace, a, 0, 0));
		igt_assert(vsplit_trace_frame(trace, a, 1, 0) != vsplit_trace_frame(trace, a, 0, 0));
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: seg-13-by-the-engine
 * Description: Bytes cross by paging buffers: an eviction is built, submitted and executed
 *   by the engine; while the engine is stopped, nothing crosses, and the CPU waits.
 */
static void test_engine(void)
{
	struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 256 * U, .ranges = 2 } },
	};
	const char *trace, *build, *begin, *end;
	struct drm_vsplit_gem_info info;
	struct vsplit_bo *a;

	setup_opts(&opts);
	a = swizzled('A', 8 * U);
	vsplit_bo_pattern(a, 1);
	page_in(a, 1);
	gpu_write(a, 8, 1);
	vsplit_trace_begin();
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	evict(a);
	usleep(20000);
	vsplit_info(a, &info);
	igt_assert(info.flags & VSPLIT_GEM_INFO_BUSY);
	igt_assert_eq(__vsplit_lock(a, VSPLIT_LOCK_DONOT_WAIT), -EBUSY);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_bo_check(a);
	trace = vsplit_trace_end();
	build = vsplit_trace_find(trace, NULL, "paging", "type=evict bo=%" PRIu64 " ", a->id);
	igt_assert(build);
	begin = vsplit_trace_find(trace, build, "step_begin", "type=transfer");
	igt_assert(begin);
	end = vsplit_trace_find(trace, begin, "fence", "error=0");
	igt_assert(end);
	igt_assert_eq_u64(stats().evicted_copied_bytes, a->size);
}

/* ---- threads ------------------------------------------------------------- */

struct stress {
	struct vsplit_bo *bo;
	unsigned int first;
	unsigned int step;
	uint64_t rounds;
	uint64_t bad;
};

static volatile bool stop;

static uint64_t stress_value(uint64_t word, uint64_t round)
{
	uint64_t v = (round << 20 | word) * 0x9e3779b97f4a7c15ull;

	return v ^ v >> 29;
}

/* Reads back what it wrote last, then writes anew: stale and torn words show. */
static void *stress_thread(void *arg)
{
	struct stress *s = arg;
	volatile uint64_t *words = (volatile uint64_t *)s->bo->map;
	uint64_t n = s->bo->size / 8;

	for (uint64_t w = s->first; w < n; w += s->step)
		words[w] = stress_value(w, 0);
	while (!stop) {
		for (uint64_t w = s->first; w < n; w += s->step) {
			s->bad += words[w] != stress_value(w, s->rounds);
			words[w] = stress_value(w, s->rounds + 1);
		}
		s->rounds++;
	}
	return NULL;
}

/* Threads use words while the allocation changes its place, or its range, @times times. */
static void stress(struct vsplit_bo *a, struct vsplit_bo *thief, unsigned int times)
{
	enum { THREADS = 2 };
	struct stress s[THREADS];
	pthread_t threads[THREADS];
	uint64_t rounds = 0, wrong = 0;

	stop = false;
	for (unsigned int i = 0; i < THREADS; i++) {
		s[i] = (struct stress) { .bo = a, .first = i, .step = THREADS };
		igt_assert_eq(pthread_create(&threads[i], NULL, stress_thread, &s[i]), 0);
	}
	for (unsigned int i = 0; i < times; i++) {
		if (thief && i % 4 == 2) {
			page_in(thief, 1);
			((volatile uint8_t *)thief->map)[i % thief->size] = i;
			thief->shadow[i % thief->size] = i;
		}
		if (i & 1)
			evict(a);
		else
			page_in(a, 1);
		((volatile uint8_t *)a->map)[8 * i % a->size];
	}
	stop = true;
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		rounds += s[i].rounds;
		igt_assert_eq_u64(s[i].bad, 0);
	}
	for (uint64_t w = 0; w < a->size / 8; w++)
		wrong += ((uint64_t *)a->map)[w] != stress_value(w, s[w % THREADS].rounds);
	igt_assert_eq_u64(wrong, 0);
	if (thief)
		vsplit_bo_check(thief);
	igt_info("%u changes of place, %" PRIu64 " rounds of the threads\n", times, rounds);
}

static unsigned int stress_times(unsigned int normally)
{
	return getenv("VSPLIT_NIGHTLY") ? 10000 : normally;
}

static volatile bool resumed;

static void *resume_later(void *arg)
{
	usleep(20000);
	resumed = true;
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	return NULL;
}

/**
 * SUBTEST: seg-14-access-waits-for-the-bytes
 * Description: An access while the bytes are on their way, either way and also when a
 *   range is being set, returns when they have arrived, and sees them.
 */
static void test_access_waits(void)
{
	struct vsplit_bo *a;
	pthread_t thread;

	setup(1);
	a = swizzled('A', 8 * U);
	for (unsigned int round = 0; round < 4; round++) {
		uint64_t seen, word = 0x1111 * (round + 1);

		page_in(a, 1);
		gpu_write(a, 8 * round, word);	/* newer than what system memory has */
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		if (round & 1)
			evict(a);
		resumed = false;
		igt_assert_eq(pthread_create(&thread, NULL, resume_later, NULL), 0);
		seen = ((volatile uint64_t *)a->map)[round];
		igt_assert(resumed);
		pthread_join(thread, NULL);
		igt_assert_eq_u64(seen, word);
		vsplit_bo_check(a);
	}
}

/**
 * SUBTEST: seg-14-threads-see-no-change
 * Description: Threads that read and write words of a mapped allocation never see a stale
 *   or torn one while it is evicted and paged in, 10,000 times with VSPLIT_NIGHTLY set,
 *   else 400 times.
 */
static void test_threads(void)
{
	setup(0);
	stress(in('A', 4 * U, 1), NULL, stress_times(400));
}

/**
 * SUBTEST: seg-14-threads-and-swizzling
 * Description: The same of a swizzled allocation, while another one takes its range.
 */
static void test_threads_swizzled(void)
{
	struct vsplit_bo *a;

	setup(1);
	a = swizzled('A', 4 * U);
	stress(a, swizzled('B', 4 * U), stress_times(400));
	igt_assert(stats().ranges_acquired > 10);
}

/**
 * SUBTEST: seg-15-byte-order
 * Description: Random words keep their place in the surface through cycles of eviction,
 *   page-in, acquired and lost ranges, written by both sides.
 */
static void test_order(void)
{
	struct vsplit_rng rng = { 5 };
	struct vsplit_bo *a, *b, *raw;

	setup(1);
	a = swizzled('A', 19 * 4096);
	b = swizzled('B', 19 * 4096);
	raw = in('R', a->size, 1);
	for (unsigned int round = 0; round < 150; round++) {
		struct vsplit_bo *s = vsplit_rng_below(&rng, 2) ? a : b;
		uint64_t word = vsplit_rng_next(&rng);
		uint64_t at = 8 * vsplit_rng_below(&rng, s->size / 8);

		switch (vsplit_rng_below(&rng, 6)) {
		case 0:
			evict(s);
			break;
		case 1:
			page_in(s, 1);
			break;
		case 2:
			vsplit_bo_write(s, at, &word, 8);
			break;
		case 3:
			gpu_write(s, at, word);
			break;
		case 4:
			check_tiled(s, raw);
			break;
		default:
			vsplit_bo_check(s);
		}
	}
	vsplit_bo_check(a);
	vsplit_bo_check(b);
}

/**
 * SUBTEST: swizzled-64m-round-trip
 * Description: A swizzled surface of 64 MiB is byte for byte the same after it was
 *   evicted and paged in.
 */
static void test_large(void)
{
	const struct vsplit_seg_opts segs[] = { { "vram", .size = 64ull << 20, .ranges = 1 } };
	struct drm_vsplit_gem_create args = {
		.size = 64ull << 20, .flags = VSPLIT_GEM_SWIZZLED, .pitch = 8192,
	};
	struct vsplit_bo *a;
	uint64_t t0;

	setup_segs(segs, 1);
	a = vsplit_bo_args(fd, 'A', &args);
	vsplit_bo_pattern(a, 9);
	page_in(a, 1);
	/* One word that makes it dirty, so that all of it crosses. */
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_store(cs, 0, 0, 0x1122334455667788);
	vsplit_cs_submit(cs, ctx, 0);
	vsplit_cs_wait(cs);
	memcpy(a->shadow, &(uint64_t){ 0x1122334455667788 }, 8);
	t0 = vsplit_now_ns();
	evict(a);
	vsplit_lock(a, VSPLIT_LOCK_READ_ONLY);
	igt_info("evicted and unswizzled at %" PRIu64 " MB/s\n",
		 a->size * 1000 / (vsplit_now_ns() - t0));
	vsplit_unlock(a);
	vsplit_bo_check(a);
	page_in(a, 1);
	vsplit_bo_check(a);
	igt_assert(has_range(a));
	evict(a);
	vsplit_bo_check(a);
	igt_assert_eq_u64(stats().evicted_copied_bytes, a->size);
}

/* ---- apertures ----------------------------------------------------------- */

/**
 * SUBTEST: seg-16-aperture-eviction-moves-nothing
 * Description: Leaving an aperture is an unmap: no byte is transferred, the pages are the
 *   same, and what the GPU wrote is in them.
 */
static void test_unmap(void)
{
	struct drm_vsplit_statistics before, after;
	const struct vsplit_record *rec;
	struct vsplit_bo *a;
	const char *trace;

	setup(0);
	a = in('A', 8 * U, 2);
	vsplit_trace_begin();
	vsplit_bo_pattern(a, 1);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 4096, 8192, 0x1234567);
	before = stats();
	rec = vsplit_cs_run(cs, ctx, 0);
	igt_assert_eq(vsplit_count(rec, VSPLIT_EVENT_MAP), 1);
	evict(a);
	vsplit_bo_check(a);
	trace = vsplit_trace_end();
	after = stats();
	igt_assert(vsplit_trace_find(trace, NULL, "paging", "type=unmap bo=%" PRIu64 " ", a->id));
	igt_assert(!vsplit_trace_find(trace, NULL, "step_begin", "type=transfer"));
	igt_assert_eq_u64(after.evicted_bytes - before.evicted_bytes, a->size);
	igt_assert_eq_u64(after.evicted_copied_bytes, before.evicted_copied_bytes);
	igt_assert_eq_u64(after.paged_in_copied_bytes, before.paged_in_copied_bytes);
	igt_assert(vsplit_trace_frame(trace, a, 0, 0));
	igt_assert_eq_u64(vsplit_trace_frame(trace, a, 2, 0), vsplit_trace_frame(trace, a, 0, 0));
}

/**
 * SUBTEST: seg-16-stray-write
 * Description: A GPU write to an aperture page that nothing is mapped to goes nowhere: it
 *   is a GPU fault, is counted, and changes no byte of anybody.
 */
static void test_stray(void)
{
	struct drm_vsplit_ctx_query q;
	struct vsplit_bo *a, *b;

	setup(0);
	a = in('A', 8 * U, 2);
	b = in('B', 8 * U, 2);
	vsplit_bo_pattern(a, 1);
	vsplit_bo_pattern(b, 2);
	vsplit_adapter_knob(ad, "lose_aperture_maps", "1");
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 4096, 64, 0xdddddddd);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(__vsplit_cs_wait(cs), -EFAULT);
	vsplit_adapter_knob(ad, "lose_aperture_maps", "0");
	vsplit_ctx_query(fd, ctx, &q);
	igt_assert_eq(q.state, VSPLIT_STATE_LOST_FAULT);
	igt_assert_eq(q.fault, VSPLIT_FAULT_DECODE);
	igt_assert(stats().stray_writes >= 1);
	vsplit_bo_check(a);
	vsplit_bo_check(b);
	/* And a mapped one reads zeros of nobody: the dummy page was not written. */
	ctx = vsplit_ctx(fd, 0);
	evict(a);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 4096, 64, 0x5555);
	vsplit_cs_run(cs, ctx, 0);
}

/**
 * SUBTEST: seg-17-not-in-an-aperture
 * Description: A swizzled allocation that names an aperture segment is refused, and one
 *   that names none never gets there, also under pressure.
 */
static void test_no_aperture(void)
{
	struct drm_vsplit_gem_create args = {
		.size = U, .flags = VSPLIT_GEM_SWIZZLED, .pitch = PITCH,
		.num_segments = 2, .segments = { 1, 2 },
	};
	struct vsplit_bo *a, *b;

	setup(1);
	igt_assert_eq(__vsplit_create(fd, &args), -EINVAL);
	args.num_segments = 1;
	args.segments[0] = 2;
	args.segments[1] = 0;
	igt_assert_eq(__vsplit_create(fd, &args), -EINVAL);
	a = swizzled('A', 100 * U);
	b = in('B', 200 * U, 1);
	vsplit_bo_pattern(a, 1);
	igt_assert_eq(__vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 2), -EINVAL);
	for (unsigned int round = 0; round < 4; round++) {
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, round & 1 ? a : b);
		vsplit_cs_nop(cs, 8);
		vsplit_cs_submit(cs, ctx, 0);
		vsplit_cs_wait(cs);
		igt_assert_eq(segment_of(round & 1 ? a : b), 1);
		igt_assert_eq(segment_of(a), round & 1);
	}
	vsplit_bo_check(a);
}

/**
 * SUBTEST: swizzled-arguments
 * Description: What a swizzled allocation cannot be, and what the query says of ranges.
 */
static void test_arguments(void)
{
	const uint32_t pitches[] = { 0, 1, 63, 65, 96, ~0u };
	struct drm_vsplit_segment_info info[VSPLIT_MAX_SEGMENTS];
	struct drm_vsplit_gem_create args;

	setup(5);
	igt_assert_eq(vsplit_query_segments(fd, info), 2);
	igt_assert_eq(info[0].swizzling_ranges, 5);
	igt_assert_eq(info[1].swizzling_ranges, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(pitches); i++) {
		args = (struct drm_vsplit_gem_create) {
			.size = U, .flags = VSPLIT_GEM_SWIZZLED, .pitch = pitches[i],
		};
		igt_assert_eq(__vsplit_create(fd, &args), -EINVAL);
	}
	args = (struct drm_vsplit_gem_create) { .size = U, .pitch = 64 };
	igt_assert_eq(__vsplit_create(fd, &args), -EINVAL);
	args = (struct drm_vsplit_gem_create) {
		.size = U, .pitch = 64, .flags = VSPLIT_GEM_SWIZZLED | VSPLIT_GEM_PINNED,
	};
	igt_assert_eq(__vsplit_create(fd, &args), -EINVAL);
	args = (struct drm_vsplit_gem_create) { .size = U, .pad = 1 };
	igt_assert_eq(__vsplit_create(fd, &args), -EINVAL);
	args = (struct drm_vsplit_gem_create) {
		.size = 1, .pitch = ~63u, .flags = VSPLIT_GEM_SWIZZLED,
	};
	igt_assert_eq(__vsplit_create(fd, &args), 0);
	/* Configurations that cannot be. */
	vsplit_cleanup();
	for (unsigned int i = 0; i < 2; i++) {
		const struct vsplit_adapter_opts opts = {
			.segs = { { "s", .aperture = i, .size = 64 * U, .ranges = i ? 1 : 17 } },
		};

		ad = vsplit_adapter_prepare(&opts);
		igt_assert_eq(__vsplit_adapter_enable(ad), -EINVAL);
		vsplit_cleanup();
	}
}

/* ---- locks --------------------------------------------------------------- */

/* A submission that keeps the GPU busy with @bo, until the engine goes on. */
static void make_busy(struct vsplit_bo *bo, bool write)
{
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_reset(cs);
	vsplit_cs_alloc(cs, bo, write ? VSPLIT_ALLOC_WRITE : 0);
	vsplit_cs_bind(cs, 0, bo);
	if (write)
		vsplit_cs_store(cs, 0, 0, 7);
	else
		vsplit_cs_nop(cs, 8);
	vsplit_cs_submit(cs, ctx, 0);
}

static void make_idle(void)
{
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
}

/**
 * SUBTEST: ext-34-lock-waits
 * Description: Which lock waits for whom: readers are ignored with READ_ONLY and
 *   IGNORE_READ_SYNC, everybody with IGNORE_SYNC; DONOT_WAIT tells "still drawing".
 */
static void test_waits(void)
{
	const struct {
		uint32_t flags;
		int reader, writer;
	} cases[] = {
		{ 0, -EBUSY, -EBUSY },
		{ VSPLIT_LOCK_WRITE_ONLY, -EBUSY, -EBUSY },
		{ VSPLIT_LOCK_DISCARD, -EBUSY, -EBUSY },
		{ VSPLIT_LOCK_READ_ONLY, 0, -EBUSY },
		{ VSPLIT_LOCK_IGNORE_READ_SYNC, 0, -EBUSY },
		{ VSPLIT_LOCK_IGNORE_READ_SYNC | VSPLIT_LOCK_WRITE_ONLY, 0, -EBUSY },
		{ VSPLIT_LOCK_IGNORE_SYNC, 0, 0 },
	};
	struct vsplit_bo *a;

	setup(1);
	a = vsplit_bo(fd, 'A', U);
	page_in(a, 1);
	vsplit_bo_check(a);
	for (unsigned int write = 0; write < 2; write++) {
		make_busy(a, write);
		for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
			int expected = write ? cases[i].writer : cases[i].reader;

			igt_assert_eq(__vsplit_lock(a, cases[i].flags | VSPLIT_LOCK_DONOT_WAIT),
				      expected);
			if (!expected)
				vsplit_unlock(a);
		}
		make_idle();
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		vsplit_lock(a, cases[i].flags | VSPLIT_LOCK_DONOT_WAIT);
		vsplit_unlock(a);
	}
}

/**
 * SUBTEST: ext-34-ignore-sync-not-swizzled
 * Description: IGNORE_SYNC, the no-overwrite lock, is refused for a swizzled allocation.
 */
static void test_ignore_sync(void)
{
	struct vsplit_bo *a, *b;

	setup(1);
	a = swizzled('A', U);
	b = vsplit_bo(fd, 'B', U);
	igt_assert_eq(__vsplit_lock(a, VSPLIT_LOCK_IGNORE_SYNC), -EINVAL);
	vsplit_lock(a, VSPLIT_LOCK_IGNORE_READ_SYNC);
	vsplit_lock(b, VSPLIT_LOCK_IGNORE_SYNC);
}

/**
 * SUBTEST: ext-34-donot-evict
 * Description: With DONOT_EVICT a lock that would have to move the allocation fails, and
 *   nothing has moved; one that need not succeeds.
 */
static void test_donot_evict(void)
{
	const struct vsplit_seg_opts segs[] = {
		{ "vram", .size = 64 * U, .ranges = 1 },
		{ "hidden", .size = 64 * U, .cpu = "none" },
	};
	struct vsplit_bo *a, *b, *hidden;

	setup_segs(segs, 2);
	hidden = in('H', U, 2);
	page_in(hidden, 2);
	igt_assert_eq(__vsplit_lock(hidden, VSPLIT_LOCK_DONOT_EVICT), -EADDRNOTAVAIL);
	igt_assert_eq(segment_of(hidden), 2);
	evict(hidden);
	vsplit_lock(hidden, VSPLIT_LOCK_DONOT_EVICT);

	a = swizzled('A', U);
	b = swizzled('B', U);
	page_in(a, 1);
	page_in(b, 1);
	vsplit_lock(a, APER | VSPLIT_LOCK_DONOT_EVICT);
	igt_assert(has_range(a));
	igt_assert_eq(__vsplit_lock(b, VSPLIT_LOCK_DONOT_EVICT), -EADDRNOTAVAIL);
	igt_assert_eq(segment_of(b), 1);
	vsplit_unlock(a);
	vsplit_lock(b, VSPLIT_LOCK_DONOT_EVICT);
	igt_assert_eq(segment_of(b), 1);
	igt_assert(has_range(b) && !has_range(a));
}

/**
 * SUBTEST: ext-34-acquire-aperture
 * Description: A lock through the aperture does not nest with others of its file, nor is
 *   it possible where there can be no aperture; it is given back with the file.
 */
static void test_aperture_lock(void)
{
	struct vsplit_bo *a, *b, *aper;
	struct drm_vsplit_gem_info info;
	int other;

	setup(1);
	a = swizzled('A', U);
	b = swizzled('B', U);
	aper = in('P', U, 2);
	page_in(a, 1);
	page_in(b, 1);
	igt_assert_eq(__vsplit_lock(aper, APER), -EINVAL);
	vsplit_lock(a, 0);
	igt_assert_eq(__vsplit_lock(a, APER), -EINVAL);
	vsplit_lock(a, 0);
	vsplit_unlock(a);
	vsplit_unlock(a);
	igt_assert_eq(__vsplit_unlock(a), -EINVAL);
	vsplit_lock(a, APER);
	igt_assert_eq(__vsplit_lock(a, APER), -EINVAL);
	igt_assert_eq(__vsplit_lock(a, 0), -EINVAL);
	vsplit_info(a, &info);
	igt_assert_eq(info.locks, 1);
	vsplit_unlock(a);
	igt_assert_eq(__vsplit_unlock(a), -EINVAL);

	/* Another file holds the only range; when it is closed, it can be taken. */
	other = vsplit_adapter_open(ad);
	{
		int prime;
		uint32_t handle;
		struct drm_vsplit_gem_lock lock = { .flags = APER };

		igt_assert_eq(drmPrimeHandleToFD(fd, a->handle, DRM_CLOEXEC, &prime), 0);
		igt_assert_eq(drmPrimeFDToHandle(other, prime, &handle), 0);
		close(prime);
		lock.handle = handle;
		igt_assert_eq(__vsplit_ioctl(other, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), 0);
	}
	igt_assert_eq(__vsplit_lock(b, VSPLIT_LOCK_DONOT_EVICT), -EADDRNOTAVAIL);
	vsplit_info(a, &info);
	igt_assert_eq(info.locks, 1);
	vsplit_close(other);
	vsplit_info(a, &info);
	igt_assert_eq(info.locks, 0);
	vsplit_lock(b, VSPLIT_LOCK_DONOT_EVICT);
	igt_assert(has_range(b));
}

/**
 * SUBTEST: ext-34-discard
 * Description: A lock with DISCARD that has to move the allocation transfers nothing;
 *   what the CPU writes then is there.
 */
static void test_discard(void)
{
	const struct vsplit_seg_opts segs[] = { { "hidden", .size = 64 * U, .cpu = "none" } };
	struct vsplit_bo *a;

	setup_segs(segs, 1);
	a = vsplit_bo(fd, 'A', 4 * U);
	for (unsigned int discard = 0; discard < 2; discard++) {
		uint64_t before;

		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_set(cs, 0, 0, a->size, 0xabcdef);
		vsplit_cs_submit(cs, ctx, 0);
		vsplit_cs_wait(cs);
		before = stats().evicted_copied_bytes;
		vsplit_lock(a, discard ? VSPLIT_LOCK_DISCARD : 0);
		vsplit_bo_pattern(a, discard);
		vsplit_bo_check(a);
		vsplit_unlock(a);
		igt_assert_eq_u64(stats().evicted_copied_bytes - before, discard ? 0 : a->size);
		page_in(a, 1);
		vsplit_bo_check(a);
	}
}

/**
 * SUBTEST: ext-35-nested-locks
 * Description: Plain locks nest and are counted, over files, too; each needs its unlock.
 */
static void test_nested(void)
{
	struct drm_vsplit_gem_info info;
	struct vsplit_bo *a;

	setup(1);
	a = vsplit_bo(fd, 'A', U);
	for (unsigned int i = 1; i <= 5; i++) {
		vsplit_lock(a, i & 1 ? VSPLIT_LOCK_READ_ONLY : 0);
		vsplit_info(a, &info);
		igt_assert_eq(info.locks, i);
	}
	for (unsigned int i = 5; i > 0; i--)
		vsplit_unlock(a);
	igt_assert_eq(__vsplit_unlock(a), -EINVAL);
}

/**
 * SUBTEST: ext-36-pinned
 * Description: What is pinned where the CPU cannot get at it cannot be locked: -EBUSY.
 */
static void test_pinned(void)
{
	const struct vsplit_seg_opts segs[] = { { "hidden", .size = 64 * U, .cpu = "none" } };
	struct drm_vsplit_gem_create args = { .size = U, .flags = VSPLIT_GEM_PINNED };
	struct drm_vsplit_gem_lock lock = {};

	setup_segs(segs, 1);
	igt_assert_eq(__vsplit_create(fd, &args), 0);
	lock.handle = args.handle;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), -EBUSY);
}

/**
 * SUBTEST: ext-37-rendering-from-locked
 * Description: A submission that names a locked allocation uses it in an aperture, to
 *   where it goes silently; if it can be in memory only, the submission is refused, and
 *   accepted after the unlock. Split or not.
 */
static void test_rendering(void)
{
	struct vsplit_bo *vram, *both, *surface, *big[2];

	setup(1);
	vram = in('V', 8 * U, 1);
	both = vsplit_bo(fd, 'B', 8 * U);
	surface = swizzled('S', 8 * U);
	page_in(vram, 1);
	page_in(both, 1);
	vsplit_bo_pattern(both, 3);
	vsplit_lock(vram, 0);
	vsplit_lock(both, 0);
	vsplit_lock(surface, 0);

	vsplit_cs_bind(cs, 0, vram);
	vsplit_cs_set(cs, 0, 0, 64, 1);
	vsplit_cs_refused(cs, ctx, 0, -EBUSY);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, surface);
	vsplit_cs_nop(cs, 8);
	vsplit_cs_refused(cs, ctx, 0, -EBUSY);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, both);
	vsplit_cs_set(cs, 0, 0, 64, 2);
	vsplit_cs_submit(cs, ctx, 0);
	vsplit_cs_wait(cs);
	vsplit_cs_reference(cs, 0);
	igt_assert_eq(segment_of(both), 2);
	vsplit_bo_check(both);

	/* Planned: two that do not fit together, and the locked one. */
	evict(both);
	for (unsigned int i = 0; i < 2; i++)
		big[i] = in('X' + i, 200 * U, 1);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, both);
	for (unsigned int i = 0; i < 2; i++) {
		vsplit_cs_bind(cs, 1, big[i]);
		vsplit_cs_set(cs, 0, 4096 * i, 64, 3 + i);
	}
	vsplit_cs_submit(cs, ctx, 0);
	vsplit_cs_wait(cs);
	vsplit_cs_reference(cs, 0);
	igt_assert(cs->portions > 1);
	igt_assert_eq(segment_of(both), 2);
	vsplit_bo_check(both);

	vsplit_unlock(vram);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, vram);
	vsplit_cs_set(cs, 0, 0, 64, 1);
	vsplit_cs_submit(cs, ctx, 0);
	vsplit_cs_wait(cs);
	vsplit_cs_reference(cs, 0);
	igt_assert_eq(segment_of(vram), 1);
	vsplit_bo_check(vram);
}

/* ---- surfaces of two allocations ----------------------------------------- */

/*
 * Two allocations by one call: tiles, which the CPU cannot map, and rows. Tiles have no
 * shadow that the CPU could compare: it is that of the rows.
 */
struct surface {
	struct drm_vsplit_surface_alloc allocs[2];
	uint8_t private[2][64];
	struct vsplit_bo tiles;
	struct vsplit_bo *rows;
};

static int __surface(struct surface *s, uint64_t size)
{
	struct drm_vsplit_gem_surface args = {
		.allocs = (uintptr_t)s->allocs, .num_allocs = 2,
	};

	for (unsigned int i = 0; i < 2; i++) {
		struct drm_vsplit_surface_private *head = (void *)s->private[i];

		head->format = i ? VSPLIT_SURFACE_LINEAR : VSPLIT_SURFACE_TILED;
		s->allocs[i].create.size = size;
		s->allocs[i].private_data = (uintptr_t)s->private[i];
		s->allocs[i].private_bytes = sizeof(s->private[i]);
	}
	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args);
}

static void surface(struct surface *s, uint64_t size)
{
	igt_assert_eq(__surface(s, size), 0);
	s->tiles = (struct vsplit_bo) {
		.fd = fd, .handle = s->allocs[0].create.handle, .name = 'T',
		.size = s->allocs[0].create.size, .id = s->allocs[0].create.id,
	};
	s->rows = vsplit_bo_take(fd, 'L', &s->allocs[1].create);
}

/* The client's job: from tiles to rows, or back. */
static void surface_copy(struct surface *s, bool to_tiles)
{
	vsplit_cs_reset(cs);
	vsplit_cs_alloc(cs, to_tiles ? s->rows : &s->tiles, 0);
	vsplit_cs_bind(cs, 0, to_tiles ? &s->tiles : s->rows);
	vsplit_cs_bind(cs, 1, to_tiles ? s->rows : &s->tiles);
	vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, PITCH);
	vsplit_cs_state(cs, VSPLIT_STATE_DST_PITCH, PITCH);
	vsplit_cs_copy_2d(cs, 0, 0, 1, 0, PITCH, s->rows->size / PITCH,
			  to_tiles ? VSPLIT_COPY_2D_DST_TILED : VSPLIT_COPY_2D_SRC_TILED);
	vsplit_cs_submit(cs, ctx, 0);
}

/* The GPU's own rendering: one word of each row, in tiles. */
static void surface_render(struct surface *s, uint64_t seed)
{
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, &s->tiles);
	for (uint64_t y = 0; y < s->rows->size / PITCH; y++) {
		uint64_t at = y * PITCH + 8 * (y % (PITCH / 8)), word = seed * 1000 + y;

		vsplit_cs_store(cs, 0, tiled(s->rows->size, at), word);
		memcpy(s->rows->shadow + at, &word, 8);
	}
	vsplit_cs_submit(cs, ctx, 0);
}

/**
 * SUBTEST: seg-18-two-allocations
 * Description: A surface that the CPU uses directly and the GPU as tiles, in an aperture:
 *   both allocations are mapped there at once, the CPU reaches the rows and not the tiles.
 */
static void test_two(void)
{
	struct drm_vsplit_gem_mmap_offset offset = {};
	struct surface s = {};

	setup(0);
	for (unsigned int i = 0; i < 2; i++) {
		s.allocs[i].create.num_segments = 1;
		s.allocs[i].create.segments[0] = 2;
	}
	surface(&s, 4 * U);
	vsplit_bo_pattern(s.rows, 1);
	surface_copy(&s, true);
	vsplit_cs_wait(cs);
	igt_assert_eq(segment_of(s.rows), 2);
	igt_assert_eq(segment_of(&s.tiles), 2);
	vsplit_bo_set(s.rows, 0);
	vsplit_bo_pattern(s.rows, 2);
	surface_copy(&s, true);
	surface_render(&s, 5);
	vsplit_cs_wait(cs);
	memset(s.rows->map, 0, s.rows->size);
	surface_copy(&s, false);
	vsplit_lock(s.rows, 0);
	vsplit_bo_check(s.rows);
	vsplit_unlock(s.rows);

	offset.handle = s.tiles.handle;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET, &offset), -EACCES);
	igt_assert_eq(__vsplit_lock(&s.tiles, 0), -EACCES);
}

/**
 * SUBTEST: seg-19-one-call
 * Description: One call creates all allocations, each as its private data and arguments
 *   say, or none: whichever of them fails, no handle and no allocation is left.
 */
static void test_one_call(void)
{
	const struct {
		uint64_t size;
		uint32_t flags, bytes, pad;
		int error;
	} bad[] = {
		{ 0, 0, 64, 0, -EINVAL },
		{ 1ull << 40, 0, 64, 0, -E2BIG },
		{ U, 1u << 31, 64, 0, -EINVAL },
		{ U, 0, 4, 0, -EINVAL },
		{ U, 0, 257, 0, -EINVAL },
		{ U, 0, 64, 1, -EINVAL },
		{ 200 * U, VSPLIT_GEM_PINNED, 64, 0, -ENOSPC },
	};
	struct drm_vsplit_gem_surface args = {};
	struct surface s = {};
	struct vsplit_bo *pinned;
	uint32_t next;

	setup(0);
	pinned = vsplit_bo_in(fd, 'P', 100 * U, VSPLIT_GEM_PINNED, (uint8_t[]){ 1, 0 });
	surface(&s, 3 * U);
	igt_assert(s.allocs[0].create.handle != s.allocs[1].create.handle);
	igt_assert(s.allocs[0].create.id != s.allocs[1].create.id);
	igt_assert_eq_u64(s.allocs[0].create.size, 3 * U);
	next = pinned->handle + 3;
	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(bad); i++) {
		struct surface t = {};
		struct drm_vsplit_surface_private head = {};
		struct drm_vsplit_gem_info info;

		for (unsigned int j = 0; j < 2; j++) {
			t.allocs[j].create.size = U;
			t.allocs[j].private_data = (uintptr_t)&head;
			t.allocs[j].private_bytes = sizeof(head);
		}
		t.allocs[i % 2].create.size = bad[i / 2].size;
		t.allocs[i % 2].create.flags = bad[i / 2].flags;
		t.allocs[i % 2].private_bytes = bad[i / 2].bytes;
		t.allocs[i % 2].private_data = (uintptr_t)s.private[1];
		t.allocs[i % 2].pad = bad[i / 2].pad;
		args.allocs = (uintptr_t)t.allocs;
		args.num_allocs = 2;
		igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args), bad[i / 2].error);
		igt_assert_eq(__vsplit_info(fd, next, &info), -ENOENT);
	}
	args.num_allocs = 0;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args), -EINVAL);
	args.num_allocs = VSPLIT_MAX_SURFACE_ALLOCS + 1;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args), -E2BIG);
	args.num_allocs = 2;
	args.allocs = 8;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args), -EFAULT);
	args.allocs = (uintptr_t)s.allocs;
	args.pad = 1;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args), -EINVAL);
}

/**
 * SUBTEST: seg-20-formats-are-not-interpreted
 * Description: Whatever the private data says, sizes, places, paging and its cost are the
 *   same: memory management knows size and alignment.
 */
static void test_private(void)
{
	struct drm_vsplit_statistics first = {}, now;
	uint64_t offsets[3][2] = {};

	for (unsigned int blob = 0; blob < 6; blob++) {
		struct surface s = {};

		setup(0);
		for (unsigned int i = 0; i < 2; i++) {
			memset(s.private[i], blob * 0x33, sizeof(s.private[i]));
			s.allocs[i].create.alignment = 65536;
		}
		surface(&s, 6 * U);
		for (unsigned int round = 0; round < 3; round++) {
			surface_copy(&s, round & 1);
			vsplit_cs_wait(cs);
			for (unsigned int i = 0; i < 2; i++) {
				struct drm_vsplit_gem_info info;

				vsplit_info(i ? s.rows : &s.tiles, &info);
				igt_assert_eq(info.segment, 1);
				igt_assert_eq_u64(info.offset % 65536, 0);
				if (!blob)
					offsets[round][i] = info.offset;
				igt_assert_eq_u64(info.offset, offsets[round][i]);
			}
			evict(&s.tiles);
			evict(s.rows);
		}
		now = stats();
		if (!blob)
			first = now;
		igt_assert_eq_u64(now.paged_in_copied_bytes, first.paged_in_copied_bytes);
		igt_assert_eq_u64(now.evicted_copied_bytes, first.evicted_copied_bytes);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: seg-21-lock-waits-for-the-job
 * Description: The client submits its unswizzle job and locks the rows: the lock returns
 *   when the job is done, and the rows are what the GPU drew.
 */
/**
 * SUBTEST: seg-22-still-drawing
 * Description: With DONOT_WAIT such a lock is -EBUSY while the job is pending, and holds
 *   nothing; it succeeds afterwards.
 */
static void test_job(void)
{
	struct surface s = {};
	struct drm_vsplit_gem_info info;
	pthread_t thread;

	setup(0);
	surface(&s, 4 * U);
	for (unsigned int round = 0; round < 3; round++) {
		surface_render(&s, round);
		vsplit_cs_wait(cs);
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		surface_copy(&s, false);
		igt_assert_eq(__vsplit_lock(s.rows, VSPLIT_LOCK_DONOT_WAIT), -EBUSY);
		vsplit_info(s.rows, &info);
		igt_assert_eq(info.locks, 0);
		resumed = false;
		igt_assert_eq(pthread_create(&thread, NULL, resume_later, NULL), 0);
		vsplit_lock(s.rows, 0);
		igt_assert(resumed);
		igt_assert(!vsplit_syncobj_busy(fd, cs->out));
		pthread_join(thread, NULL);
		vsplit_bo_check(s.rows);
		vsplit_unlock(s.rows);
		vsplit_lock(s.rows, VSPLIT_LOCK_DONOT_WAIT);
		vsplit_unlock(s.rows);
	}
}

/**
 * SUBTEST: seg-23-nothing-by-itself
 * Description: What the CPU writes into the rows is not in the tiles, and conversely, until
 *   the client's job has copied it.
 */
static void test_by_itself(void)
{
	struct surface s = {};
	uint8_t *old;

	setup(0);
	surface(&s, 4 * U);
	old = malloc(s.rows->size);
	vsplit_bo_pattern(s.rows, 1);
	surface_copy(&s, true);
	vsplit_cs_wait(cs);
	memcpy(old, s.rows->shadow, s.rows->size);
	vsplit_lock(s.rows, 0);
	vsplit_bo_pattern(s.rows, 2);
	vsplit_unlock(s.rows);
	evict(s.rows);
	evict(&s.tiles);
	vsplit_bo_check(s.rows);
	/* The tiles still have the old ones. */
	surface_copy(&s, false);
	vsplit_cs_wait(cs);
	igt_assert(!memcmp(s.rows->map, old, s.rows->size));
	vsplit_bo_pattern(s.rows, 3);
	surface_copy(&s, true);
	vsplit_cs_wait(cs);
	memset(s.rows->map, 0, s.rows->size);
	surface_copy(&s, false);
	vsplit_cs_wait(cs);
	vsplit_bo_check(s.rows);
	free(old);
}

/* ---- errors -------------------------------------------------------------- */

#define NTH "/sys/kernel/debug/vsplit/fault/nth"

/* Did what was armed happen? Disarms it. */
static bool fault_fired(void)
{
	char text[128] = "";
	unsigned int pid = 0, left = 1;

	igt_assert_eq(__vsplit_read_file(NTH, text, sizeof(text)), 0);
	igt_assert(sscanf(text, "%u %u", &pid, &left) == 2);
	igt_assert_eq(__vsplit_write_file(NTH, "0"), 0);
	return !left;
}

/* @op with its first, second, … step failing, until all of them are past. */
static void sweep(const char *what, int (*op)(void), void (*check)(int ret))
{
	unsigned int n, failed = 0;
	char text[16];

	for (n = 1; n < 200; n++) {
		int ret;

		snprintf(text, sizeof(text), "%u", n);
		igt_assert_eq(__vsplit_write_file(NTH, text), 0);
		ret = op();
		if (!fault_fired()) {
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

static struct vsplit_bo *swept[2];
static struct surface swept_surface;

/* A has the only range; B takes it. */
static int sweep_lock(void)
{
	return __vsplit_lock(swept[1], APER);
}

static void sweep_lock_check(int ret)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(swept[1], &info);
	igt_assert_eq(info.locks, !ret);
	if (!ret)
		vsplit_unlock(swept[1]);
	vsplit_bo_check(swept[1]);
	page_in(swept[0], 1);
	vsplit_bo_check(swept[0]);	/* which takes it back */
	page_in(swept[1], 1);
}

/* Its bytes may go with the lock, and not without one. */
static int sweep_discard(void)
{
	return __vsplit_lock(swept[1], APER | VSPLIT_LOCK_DISCARD);
}

static void sweep_discard_check(int ret)
{
	if (!ret) {
		vsplit_bo_pattern(swept[1], 3);
		vsplit_unlock(swept[1]);
	}
	vsplit_bo_check(swept[1]);
	page_in(swept[0], 1);
	vsplit_bo_check(swept[0]);
	page_in(swept[1], 1);
	gpu_write(swept[1], 8, 1);
}

static int sweep_touch(void)
{
	swept[1]->map[77] = swept[1]->shadow[77];
	return 0;
}

static void sweep_touch_check(int ret)
{
	vsplit_bo_check(swept[1]);
	page_in(swept[0], 1);
	vsplit_bo_check(swept[0]);
	page_in(swept[1], 1);
}

static int sweep_surface(void)
{
	memset(&swept_surface, 0, sizeof(swept_surface));
	return __surface(&swept_surface, U);
}

static void sweep_surface_check(int ret)
{
	for (unsigned int i = 0; !ret && i < 2; i++)
		igt_assert_eq(__vsplit_gem_close(fd, swept_surface.allocs[i].create.handle), 0);
}

/**
 * SUBTEST: errors-change-nothing
 * Description: Whatever fails while a range is acquired or taken, by a lock or a touch, or
 *   while a surface is created: bytes are right, nothing is locked, nothing is left.
 */
static void test_errors(void)
{
	igt_require_f(access(NTH, W_OK) == 0, "needs a test build\n");
	setup(1);
	for (unsigned int i = 0; i < 2; i++) {
		swept[i] = swizzled('A' + i, 4 * U);
		vsplit_bo_pattern(swept[i], i);
		page_in(swept[i], 1);
	}
	vsplit_bo_check(swept[0]);
	sweep("lock", sweep_lock, sweep_lock_check);
	vsplit_bo_check(swept[0]);
	gpu_write(swept[1], 8, 1);
	sweep("discard", sweep_discard, sweep_discard_check);
	vsplit_bo_check(swept[0]);
	sweep("touch", sweep_touch, sweep_touch_check);
	sweep("surface", sweep_surface, sweep_surface_check);
}

static const struct vsplit_subtest tests[] = {
	{ "seg-1-visible-stays", test_visible, "What the CPU sees stays" },
	{ "seg-1-hidden-moves", test_hidden, "What it does not see moves" },
	{ "seg-1-lock-moves-to-visible", test_lock_moves, "To where it sees it" },
	{ "seg-2-offset-is-the-aperture-s", test_offset, "Offsets are the aperture's" },
	{ "seg-3-base-and-offset-suffice", test_offset, "Base and offset suffice" },
	{ "seg-4-aperture-shares-pages", test_aperture, "One set of pages" },
	{ "swizzled-for-the-gpu", test_swizzled, "Tiles for the GPU, rows for the CPU" },
	{ "swizzled-2d-copies", test_copy_2d, "2D copies" },
	{ "seg-5-acquired-before-mapped", test_acquire, "A range first" },
	{ "seg-6-same-offset-and-size", test_same_place, "The place stays" },
	{ "seg-7-no-range-is-left", test_exhausted, "No range is left" },
	{ "ext-29-ranges-are-taken", test_steal, "Ranges are taken from others" },
	{ "ext-29-released-when-it-leaves", test_release, "Ranges are given back" },
	{ "ranges-follow-plans", test_plans, "Ranges and split buffers" },
	{ "seg-8-lock-in-system-memory", test_system, "Locks in system memory" },
	{ "seg-9-driver-not-involved", test_system, "No call, no paging" },
	{ "seg-10-linear-in-system-memory", test_system, "Linear in system memory" },
	{ "seg-11-eviction-unswizzles", test_unswizzle, "Evicting unswizzles" },
	{ "seg-12-same-pointer", test_pointer, "One pointer" },
	{ "seg-13-by-the-engine", test_engine, "The engine moves the bytes" },
	{ "seg-14-access-waits-for-the-bytes", test_access_waits, "Accesses wait for the bytes" },
	{ "seg-14-threads-see-no-change", test_threads, "Threads and evictions" },
	{ "seg-14-threads-and-swizzling", test_threads_swizzled, "Threads, ranges and evictions" },
	{ "seg-15-byte-order", test_order, "Byte order" },
	{ "swizzled-64m-round-trip", test_large, "64 MiB there and back" },
	{ "seg-16-aperture-eviction-moves-nothing", test_unmap, "Unmapping" },
	{ "seg-16-stray-write", test_stray, "Stray writes" },
	{ "seg-17-not-in-an-aperture", test_no_aperture, "No tiles in apertures" },
	{ "swizzled-arguments", test_arguments, "Arguments" },
	{ "seg-18-two-allocations", test_two, "Tiles and rows" },
	{ "seg-19-one-call", test_one_call, "All or none" },
	{ "seg-20-formats-are-not-interpreted", test_private, "Any private data" },
	{ "seg-21-lock-waits-for-the-job", test_job, "The lock waits for the job" },
	{ "seg-22-still-drawing", test_job, "Still drawing" },
	{ "seg-23-nothing-by-itself", test_by_itself, "Nothing by itself" },
	{ "errors-change-nothing", test_errors, "Whatever fails" },
	{ "ext-34-lock-waits", test_waits, "Who waits for whom" },
	{ "ext-34-ignore-sync-not-swizzled", test_ignore_sync, "No no-overwrite lock" },
	{ "ext-34-donot-evict", test_donot_evict, "Not available" },
	{ "ext-34-acquire-aperture", test_aperture_lock, "Locks through the aperture" },
	{ "ext-34-discard", test_discard, "Discarding" },
	{ "ext-35-nested-locks", test_nested, "Nested locks" },
	{ "ext-36-pinned", test_pinned, "Pinned out of sight" },
	{ "ext-37-rendering-from-locked", test_rendering, "Locked and rendered from" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
