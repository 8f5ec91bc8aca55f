// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit swizzle
 * Description: Swizzled allocations and swizzling ranges: SEG-5 to SEG-7, SEG-15, SEG-17
 *   and EXT-29; Documentation/segments.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: swizzling
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_memory.h"

IGT_TEST_DESCRIPTION("Swizzled allocations and swizzling ranges: SEG-5 to SEG-7, SEG-15, SEG-17 "
		     "and EXT-29; Documentation/segments.rst has the table.");

/* ---- swizzling ranges ---------------------------------------------------- */

/**
 * SUBTEST: swizzled-for-the-gpu
 * Description: The GPU sees a swizzled surface in the documented layout, and the CPU sees it in
 *   linear order, whichever of them wrote it, wherever it is, with ranges and without.
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
 * Description: COPY_2D with its tiled flags between a swizzled surface and linear ones gives the
 *   bytes that the CPU sees, row by row.
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
			vsplit_cs_submit_and_wait(cs, ctx, 0);
			memcpy(out ? a->shadow : linear->shadow, out ? linear->shadow : a->shadow,
			       a->size);
			vsplit_bo_check(a);
			vsplit_bo_check(linear);
		}
	}
}

/**
 * SUBTEST: seg-5-acquired-before-mapped
 * Description: A swizzling range is acquired before the first page of a swizzled allocation in a
 *   segment is mapped. It is acquired once, however often the allocation is touched and locked.
 *   Linear allocations acquire none.
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
 * Description: Through a range the CPU maps the same pages at the same offsets as for any
 *   allocation there: the place does not change.
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
 * Description: If no range can be had (there are none, all are locked, or the driver fails), the
 *   allocation is evicted. The lock or access succeeds on linear bytes in system memory.
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
 * Description: If all ranges are in use, the one that was acquired first is taken from its
 *   allocation, which stays where it is, tiled again. A locked allocation keeps its range. All
 *   bytes stay right for the CPU and the GPU.
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
 * SUBTEST: more-at-once-than-ranges
 * Description: An instruction that uses more swizzled allocations than there are ranges finishes:
 *   an allocation that loses its range again and again is used in system memory, until it gets
 *   another place.
 */
static void test_at_once(void)
{
	struct vsplit_bo *a, *b;

	setup(1);
	a = swizzled('A', 8 * U);
	b = swizzled('B', 8 * U);
	vsplit_bo_pattern(a, 1);
	vsplit_bo_pattern(b, 2);
	for (unsigned int round = 0; round < 3; round++) {
		page_in(a, 1);
		page_in(b, 1);
		vsplit_copy_at_once((uint8_t *)b->map + round, (uint8_t *)a->map + U);
		((uint8_t *)b->shadow)[round] = ((uint8_t *)a->shadow)[U];
		igt_assert_eq((segment_of(a) == 1) + (segment_of(b) == 1), 1);
		vsplit_bo_check(a);
		vsplit_bo_check(b);
		/* In its new place, an allocation takes back a range that was taken from it. */
		evict(a);
		evict(b);
		page_in(a, 1);
		page_in(b, 1);
		for (unsigned int i = 0; i < 4; i++) {
			vsplit_bo_check(i & 1 ? a : b);
			igt_assert(has_range(i & 1 ? a : b) && !has_range(i & 1 ? b : a));
		}
		evict(a);
		evict(b);
	}
}

/**
 * SUBTEST: ranges-are-paged-for-their-client
 * Description: The work of acquiring a range, for a lock or because the CPU touches the allocation,
 *   is counted in the fdinfo of the file.
 */
static void test_client(void)
{
	setup(2);
	for (unsigned int i = 0; i < 2; i++) {
		struct vsplit_bo *bo = swizzled('A' + i, 8 * U);
		uint64_t before;

		page_in(bo, 1);
		before = vsplit_fdinfo(fd, "drm-engine-paging:");
		if (i)
			igt_assert_eq(*(volatile uint8_t *)bo->map, 0);
		else
			vsplit_lock(bo, 0);
		igt_assert(has_range(bo));
		igt_assert(vsplit_soon(vsplit_fdinfo(fd, "drm-engine-paging:") > before));
	}
}

/**
 * SUBTEST: ext-29-released-when-it-leaves
 * Description: Eviction and destruction give the range back: the next allocation gets it without
 *   taking it from another one, even at the same place.
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
	igt_assert_eq(vsplit_trace_count(trace, "release_range", "why=released"), 1);
	igt_assert_eq(vsplit_trace_count(trace, "release_range", "why=stolen"), 0);
	/* A page that a range covered is an ordinary page again. */
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
 * Description: Surfaces whose bytes are linear under a range are evicted, moved and paged in by
 *   split buffers. They are right for the CPU and the GPU afterwards.
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
		vsplit_cs_submit_and_wait(cs, ctx, round & 1 ? VSPLIT_SUBMIT_FORCE_SPLIT : 0);
		for (unsigned int i = 0; i < 3; i++)
			if ((round + i) % 3)
				vsplit_bo_check(a[i]);
	}
	for (unsigned int i = 0; i < 3; i++)
		vsplit_bo_check(a[i]);
	igt_assert(stats().ranges_acquired > 3);
	igt_assert(stats().evicted_copied_bytes);
}

/**
 * SUBTEST: seg-15-byte-order
 * Description: Random words keep their place in the surface through eviction, page-in, and acquired
 *   and lost ranges, written by the CPU and the GPU.
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
 * Description: A swizzled surface of 64 MiB is the same, byte for byte, after it was evicted and
 *   paged in.
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
	/* A word that makes it dirty, so that all bytes are transferred. */
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_store(cs, 0, 0, 0x1122334455667788);
	vsplit_cs_submit_and_wait(cs, ctx, 0);
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

/**
 * SUBTEST: seg-17-not-in-an-aperture
 * Description: A swizzled allocation that names an aperture segment is refused. One that names none
 *   never gets there, even if memory is short.
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
		vsplit_cs_submit_and_wait(cs, ctx, 0);
		igt_assert_eq(segment_of(round & 1 ? a : b), 1);
		igt_assert_eq(segment_of(a), round & 1);
	}
	vsplit_bo_check(a);
}

/**
 * SUBTEST: swizzled-arguments
 * Description: Invalid arguments of swizzled allocations, and the query's answer about ranges.
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
	args = (struct drm_vsplit_gem_create) {
		.size = U, .pitch = 64, .flags = VSPLIT_GEM_SWIZZLED, .eviction_set = 2,
	};
	igt_assert_eq(__vsplit_create(fd, &args), -EINVAL);
	args = (struct drm_vsplit_gem_create) {
		.size = 1, .pitch = ~63u, .flags = VSPLIT_GEM_SWIZZLED,
	};
	igt_assert_eq(__vsplit_create(fd, &args), 0);
	/* Invalid configurations. */
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

static const struct vsplit_subtest tests[] = {
	{ "swizzled-for-the-gpu", test_swizzled,
	  "The GPU sees a swizzled surface in the documented layout, and the CPU sees it in linear "
	  "order, whichever of them wrote it, wherever it is, with ranges and without" },
	{ "swizzled-2d-copies", test_copy_2d,
	  "COPY_2D with its tiled flags between a swizzled surface and linear ones gives the bytes "
	  "that the CPU sees, row by row" },
	{ "seg-5-acquired-before-mapped", test_acquire,
	  "A swizzling range is acquired before the first page of a swizzled allocation in a "
	  "segment is mapped" },
	{ "seg-6-same-offset-and-size", test_same_place,
	  "Through a range the CPU maps the same pages at the same offsets as for any allocation "
	  "there: the place does not change" },
	{ "seg-7-no-range-is-left", test_exhausted,
	  "If no range can be had (there are none, all are locked, or the driver fails), the "
	  "allocation is evicted" },
	{ "ext-29-ranges-are-taken", test_steal,
	  "If all ranges are in use, the one that was acquired first is taken from its allocation, "
	  "which stays where it is, tiled again" },
	{ "more-at-once-than-ranges", test_at_once,
	  "An instruction that uses more swizzled allocations than there are ranges finishes: an "
	  "allocation that loses its range again and again is used in system memory, until it gets "
	  "another place" },
	{ "ranges-are-paged-for-their-client", test_client,
	  "The work of acquiring a range, for a lock or because the CPU touches the allocation, is "
	  "counted in the fdinfo of the file" },
	{ "ext-29-released-when-it-leaves", test_release,
	  "Eviction and destruction give the range back: the next allocation gets it without "
	  "taking it from another one, even at the same place" },
	{ "ranges-follow-plans", test_plans,
	  "Surfaces whose bytes are linear under a range are evicted, moved and paged in by split "
	  "buffers. They are right for the CPU and the GPU afterwards." },
	{ "seg-15-byte-order", test_order,
	  "Random words keep their place in the surface through eviction, page-in, and acquired "
	  "and lost ranges, written by the CPU and the GPU" },
	{ "swizzled-64m-round-trip", test_large,
	  "A swizzled surface of 64 MiB is the same, byte for byte, after it was evicted and paged "
	  "in" },
	{ "seg-17-not-in-an-aperture", test_no_aperture,
	  "A swizzled allocation that names an aperture segment is refused. One that names none "
	  "never gets there, even if memory is short." },
	{ "swizzled-arguments", test_arguments,
	  "Invalid arguments of swizzled allocations are refused, and the query tells about "
	  "ranges" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
