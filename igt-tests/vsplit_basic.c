// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit basic
 * Description: Opening, queries, allocations, mappings, a first submission.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: basics
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"

IGT_TEST_DESCRIPTION("Opening, queries, allocations, mappings, a first submission.");

#define U 4096ull

static const struct vsplit_adapter_opts plain = {
	.segs = { { "vram", .size = 256 * U }, { "aper", true, .size = 128 * U } },
	.slots = 16,
	.test = true,
};

static int open_plain(void)
{
	return vsplit_adapter_open(vsplit_adapter_create(&plain));
}

/**
 * SUBTEST: open
 * Description: Both nodes open, and the driver gives its name.
 */
static void test_open(void)
{
	struct vsplit_adapter *ad = vsplit_adapter_create(&plain);
	int fds[] = { vsplit_adapter_open(ad), vsplit_adapter_open_primary(ad) };

	for (unsigned int i = 0; i < ARRAY_SIZE(fds); i++) {
		drmVersionPtr v = drmGetVersion(fds[i]);

		igt_assert(v);
		igt_assert(!strcmp(v->name, "vsplit"));
		drmFreeVersion(v);
	}
}

/**
 * SUBTEST: default-adapter
 * Description: Loading the module makes a useful adapter without any setting.
 */
static void test_default_adapter(void)
{
	int fd = vsplit_open_any(true);
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];
	struct vsplit_bo *a = vsplit_bo(fd, 'A', U);
	struct vsplit_cs *cs = vsplit_cs(fd);

	igt_assert(vsplit_query_segments(fd, segs) >= 1);
	igt_assert(segs[0].size >= 16 << 20);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 0, U, 0x01020304);
	vsplit_cs_run(cs, vsplit_ctx(fd, 0), 0);
}

/**
 * SUBTEST: query-adapter
 * Description: Caps and limits are what the adapter was made with.
 */
static void test_query_adapter(void)
{
	struct vsplit_adapter_opts opts = plain;
	struct drm_vsplit_adapter_info info;
	int fd;

	opts.slots = 37;
	opts.engines = 2;
	opts.timeout_ms = 1234;
	fd = vsplit_adapter_open(vsplit_adapter_create(&opts));
	vsplit_query_adapter(fd, &info);
	igt_assert_eq(info.num_segments, 2);
	igt_assert_eq(info.num_engines, 2);
	igt_assert_eq(info.num_slots, 37);
	igt_assert_eq(info.timeout_ms, 1234);
	igt_assert_eq(info.page_size, 4096);
	igt_assert(info.max_stream_bytes && info.max_allocs && info.max_patches && info.max_syncs);
	igt_assert_eq_u32(info.caps, VSPLIT_CAP_TEST);
	igt_assert(memchr(info.name, 0, sizeof(info.name)));
	igt_assert(info.name[0]);

	opts.save_restore = true;
	opts.paging_own = true;
	opts.lenient = true;
	opts.model_clock = true;
	opts.leak_detection = true;
	fd = vsplit_adapter_open(vsplit_adapter_create(&opts));
	vsplit_query_adapter(fd, &info);
	igt_assert_eq_u32(info.caps, VSPLIT_CAP_TEST | VSPLIT_CAP_SAVE_RESTORE |
			  VSPLIT_CAP_PAGING_ENGINE | VSPLIT_CAP_LENIENT |
			  VSPLIT_CAP_MODEL_CLOCK | VSPLIT_CAP_LEAK_DETECTION);
}

/**
 * SUBTEST: query-size
 * Description: Sizes are negotiated. A short buffer gets the front part, a long buffer is not
 *   written beyond what the kernel knows, and a call without a buffer returns the size.
 */
static void test_query_size(void)
{
	static const uint32_t known[] = {
		[VSPLIT_QUERY_ADAPTER] = sizeof(struct drm_vsplit_adapter_info),
		[VSPLIT_QUERY_SEGMENTS] = 2 * sizeof(struct drm_vsplit_segment_info),
		[VSPLIT_QUERY_STATISTICS] = sizeof(struct drm_vsplit_statistics),
	};
	int fd = open_plain();
	uint8_t full[1024], part[1024];

	for (uint32_t type = 0; type < ARRAY_SIZE(known); type++) {
		uint32_t size = 0;

		igt_assert_eq(__vsplit_query(fd, type, NULL, &size), 0);
		igt_assert_eq(size, known[type]);
		memset(full, 0xa5, sizeof(full));
		size = sizeof(full);
		igt_assert_eq(__vsplit_query(fd, type, full, &size), 0);
		igt_assert_eq(size, known[type]);
		for (uint32_t i = size; i < sizeof(full); i++)
			igt_assert_eq(full[i], 0xa5);
		for (uint32_t n = 1; n < known[type]; n += 7) {
			memset(part, 0xa5, sizeof(part));
			size = n;
			igt_assert_eq(__vsplit_query(fd, type, part, &size), 0);
			igt_assert_eq(size, known[type]);
			igt_assert(!memcmp(part, full, n));
			igt_assert_eq(part[n], 0xa5);
		}
	}
}

/**
 * SUBTEST: query-segments
 * Description: Descriptors carry 1-based ids, flags, limits and names, and their
 *   address ranges do not overlap (EXT-25).
 */
static void test_query_segments(void)
{
	struct vsplit_adapter_opts opts = {
		.segs = {
			{ "fast", .size = 64 * U, .cpu = "none" },
			{ "big", .size = 256 * U, .commit = 200 * U, .cpu = "all" },
			{ "small_bar", .size = 128 * U, .cpu = "65536" },
			{ "aper", true, .size = 512 * U, .commit = 100 * U },
		},
	};
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];
	int fd = vsplit_adapter_open(vsplit_adapter_create(&opts));

	igt_assert_eq(vsplit_query_segments(fd, segs), 4);
	for (unsigned int i = 0; i < 4; i++) {
		const struct vsplit_seg_opts *o = &opts.segs[i];

		igt_assert_eq(segs[i].id, i + 1);
		igt_assert_eq_u64(segs[i].size, o->size);
		igt_assert_eq_u64(segs[i].commit_limit, o->commit ?: o->size);
		igt_assert_eq(!!(segs[i].flags & VSPLIT_SEGMENT_APERTURE), o->aperture);
		igt_assert(!strcmp((char *)segs[i].name, o->name));
		igt_assert_eq_u64(segs[i].resident, 0);
		for (unsigned int j = 0; j < i; j++)
			igt_assert(segs[i].base_address >= segs[j].base_address + segs[j].size ||
				   segs[j].base_address >= segs[i].base_address + segs[i].size);
	}
	igt_assert(!(segs[0].flags & VSPLIT_SEGMENT_CPU_VISIBLE));
	igt_assert_eq_u64(segs[0].cpu_visible_size, 0);
	igt_assert(segs[1].flags & VSPLIT_SEGMENT_CPU_VISIBLE);
	igt_assert_eq_u64(segs[1].cpu_visible_size, 256 * U);
	igt_assert(segs[2].flags & VSPLIT_SEGMENT_CPU_VISIBLE);
	igt_assert_eq_u64(segs[2].cpu_visible_size, 65536);
}

/**
 * SUBTEST: query-statistics
 * Description: Totals and residency count what is submitted, paged and freed.
 */
static void test_query_statistics(void)
{
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];
	struct drm_vsplit_statistics s0, s1;
	int fd = open_plain();
	struct vsplit_bo *a = vsplit_bo_in(fd, 'A', 8 * U, 0, (uint8_t []) { 1, 0 });
	struct vsplit_cs *cs = vsplit_cs(fd);

	vsplit_query_statistics(fd, &s0);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 0, U, 1);
	vsplit_cs_run(cs, vsplit_ctx(fd, 0), 0);
	vsplit_query_statistics(fd, &s1);
	igt_assert_eq_u64(s1.submissions, s0.submissions + 1);
	igt_assert_eq_u64(s1.portions, s0.portions + cs->portions);
	igt_assert_eq_u64(s1.paged_in_bytes, s0.paged_in_bytes + 8 * U);
	igt_assert_eq_u64(s1.paged_in_copied_bytes, s0.paged_in_copied_bytes);
	vsplit_query_segments(fd, segs);
	igt_assert_eq_u64(segs[0].resident, 8 * U);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
	vsplit_query_statistics(fd, &s1);
	igt_assert_eq_u64(s1.evicted_bytes, s0.evicted_bytes + 8 * U);
	igt_assert_eq_u64(s1.evicted_copied_bytes, s0.evicted_copied_bytes + 8 * U);
	vsplit_query_segments(fd, segs);
	igt_assert_eq_u64(segs[0].resident, 0);
}

/**
 * SUBTEST: create
 * Description: Sizes are rounded up to pages, ids are unique, new allocations are
 *   in system memory and clear.
 */
static void test_create(void)
{
	static const uint64_t sizes[] = { 1, 4095, 4096, 4097, 65536, 100001 };
	uint64_t last = 0;
	int fd = open_plain();

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct vsplit_bo *a = vsplit_bo(fd, 'A', sizes[i]);
		struct drm_vsplit_gem_info info;

		igt_assert_eq_u64(a->size, (sizes[i] + 4095) / 4096 * 4096);
		igt_assert(a->handle);
		igt_assert(a->id > last);
		last = a->id;
		vsplit_info(a, &info);
		igt_assert_eq(info.segment, 0);
		igt_assert_eq(info.locks, 0);
		igt_assert_eq_u64(info.size, a->size);
		igt_assert_eq_u64(info.id, a->id);
		igt_assert_eq_u32(info.flags & ~VSPLIT_GEM_INFO_CLEAR, 0);
	}
}

/**
 * SUBTEST: create-zeroed
 * Description: A new allocation reads as zeros, even where another client's bytes were before. It
 *   does so for the CPU and the GPU, in system memory and in a segment.
 */
static void test_create_zeroed(void)
{
	struct vsplit_adapter *ad = vsplit_adapter_create(&plain);
	uint8_t in_vram[] = { 1, 0 };

	for (unsigned int round = 0; round < 4; round++) {
		int fd = vsplit_adapter_open(ad);
		uint32_t ctx = vsplit_ctx(fd, 0);
		struct vsplit_bo *a = vsplit_bo_in(fd, 'A', 200 * U, 0, in_vram);
		struct vsplit_bo *b = vsplit_bo_in(fd, 'B', 40 * U, 0, in_vram);
		struct vsplit_cs *cs = vsplit_cs(fd);

		if (round & 1)
			vsplit_bo_check(a);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_bind(cs, 1, b);
		/* The content of A, as the GPU sees it, goes to B. */
		vsplit_cs_copy(cs, 1, 0, 0, round * 40 * U, 40 * U);
		vsplit_cs_run(cs, ctx, 0);
		vsplit_bo_set(b, 0xee);
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_set(cs, 0, 0, a->size, 0xdeadbeef);
		vsplit_cs_run(cs, ctx, 0);
		vsplit_cleanup_file(fd);
	}
}

/**
 * SUBTEST: create-errors
 * Description: Bad sizes, alignments, flags and segments are refused with the
 *   documented errno.
 */
static void test_create_errors(void)
{
	static const struct {
		struct drm_vsplit_gem_create args;
		int error;
		const char *why;
	} cases[] = {
		{ { .size = 0 }, -EINVAL, "size 0" },
		{ { .size = U, .flags = ~VSPLIT_GEM_FLAGS }, -EINVAL, "unknown flags" },
		{ { .size = U, .alignment = 3 * U }, -EINVAL, "alignment 3 pages" },
		{ { .size = U, .alignment = 12345 }, -EINVAL, "odd alignment" },
		{ { .size = U, .num_segments = 1, .segments = { 0 } }, -EINVAL, "segment 0" },
		{ { .size = U, .num_segments = 1, .segments = { 3 } }, -EINVAL, "no such segment" },
		{ { .size = U, .num_segments = 2, .segments = { 1, 1 } }, -EINVAL, "a segment twice" },
		{ { .size = U, .num_segments = 9 }, -EINVAL, "too many segments" },
		{ { .size = U, .num_segments = 1, .segments = { 1, 2 } }, -EINVAL, "segment beyond the count" },
		{ { .size = 257 * U }, -E2BIG, "larger than every segment" },
		{ { .size = 129 * U, .num_segments = 1, .segments = { 2 } }, -E2BIG,
			"larger than the one it is allowed in" },
		{ { .size = ~0ull }, -E2BIG, "size wraps" },
		{ { .size = ~0ull - 4095 }, -E2BIG, "largest page-aligned size" },
		{ { .size = 1ull << 40 }, -E2BIG, "a tebibyte" },
	};
	int fd = open_plain();

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drm_vsplit_gem_create args = cases[i].args;
		int ret = __vsplit_create(fd, &args);

		igt_assert_f(ret == cases[i].error, "%s: %d, expected %d\n", cases[i].why, ret,
			     cases[i].error);
	}
}

/**
 * SUBTEST: split-a16-too-large-refused-at-create
 * Description: An allocation larger than every segment that it may be in is
 *   refused when it is created; the largest that fits is not (A16).
 */
static void test_a16(void)
{
	struct drm_vsplit_gem_create args = { .size = 256 * U };
	int fd = open_plain();

	igt_assert_eq(__vsplit_create(fd, &args), 0);
	args = (struct drm_vsplit_gem_create) { .size = 256 * U + 1 };
	igt_assert_eq(__vsplit_create(fd, &args), -E2BIG);
	args = (struct drm_vsplit_gem_create) { .size = 128 * U, .num_segments = 1, .segments = { 2 } };
	igt_assert_eq(__vsplit_create(fd, &args), 0);
	args = (struct drm_vsplit_gem_create) { .size = 129 * U, .num_segments = 1, .segments = { 2 } };
	igt_assert_eq(__vsplit_create(fd, &args), -E2BIG);
}

/**
 * SUBTEST: alignment
 * Description: Placements respect the alignment that was asked for.
 */
static void test_alignment(void)
{
	static const unsigned int pages[] = { 1, 2, 8, 16, 64 };
	int fd = open_plain();
	struct vsplit_cs *cs = vsplit_cs(fd);
	struct vsplit_bo *bos[ARRAY_SIZE(pages)];
	uint8_t fill = 1;

	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++) {
		struct drm_vsplit_gem_create args = {
			.size = 3 * U, .alignment = pages[i] * U, .num_segments = 1, .segments = { 1 },
		};

		bos[i] = vsplit_bo_args(fd, 'A' + i, &args);
		vsplit_cs_bind(cs, i, bos[i]);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++)
		vsplit_cs_set(cs, i, 0, 3 * U, fill++);
	vsplit_cs_run(cs, vsplit_ctx(fd, 0), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++) {
		struct drm_vsplit_gem_info info;

		vsplit_info(bos[i], &info);
		igt_assert_eq(info.segment, 1);
		igt_assert_eq_u64(info.offset % (pages[i] * U), 0);
	}
}

/**
 * SUBTEST: topdown
 * Description: With TOPDOWN an allocation is placed at the end of the segment (EXT-27); without it,
 *   at the start.
 */
static void test_topdown(void)
{
	int fd = open_plain();
	struct vsplit_bo *a = vsplit_bo_in(fd, 'A', 8 * U, 0, NULL);
	struct vsplit_bo *b = vsplit_bo_in(fd, 'B', 8 * U, VSPLIT_GEM_TOPDOWN, NULL);
	struct vsplit_cs *cs = vsplit_cs(fd);
	struct drm_vsplit_gem_info info;

	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_copy(cs, 0, 0, 1, 0, U);
	vsplit_cs_run(cs, vsplit_ctx(fd, 0), 0);
	if (!vsplit_exact())
		return;
	vsplit_info(a, &info);
	igt_assert_eq_u64(info.offset, 0);
	vsplit_info(b, &info);
	igt_assert_eq_u64(info.offset, 248 * U);
}

/**
 * SUBTEST: pinned
 * Description: A pinned allocation is resident from its creation on, and cannot be evicted. If
 *   there is no room, its creation gives -ENOSPC.
 */
static void test_pinned(void)
{
	struct drm_vsplit_gem_create args = { .size = 128 * U, .flags = VSPLIT_GEM_PINNED,
					      .num_segments = 1, .segments = { 1 } };
	int fd = open_plain();
	struct drm_vsplit_gem_info before, after;
	struct vsplit_bo *a = vsplit_bo_args(fd, 'A', &args), *b;
	struct vsplit_cs *cs = vsplit_cs(fd);

	vsplit_info(a, &before);
	igt_assert_eq(before.segment, 1);
	igt_assert(before.flags & VSPLIT_GEM_INFO_PINNED);
	vsplit_bo_pattern(a, 1);
	args.handle = 0;
	args.id = 0;
	args.size = 136 * U;
	igt_assert_eq(__vsplit_create(fd, &args), -ENOSPC);
	igt_assert_eq(__vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0), -EBUSY);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	b = vsplit_bo_in(fd, 'B', 128 * U, 0, (uint8_t []) { 1, 0 });
	vsplit_cs_bind(cs, 0, b);
	vsplit_cs_bind(cs, 1, a);
	vsplit_cs_copy(cs, 0, 0, 1, 0, 128 * U);
	vsplit_cs_run(cs, vsplit_ctx(fd, 0), 0);
	vsplit_info(a, &after);
	igt_assert_eq(after.segment, 1);
	igt_assert_eq_u64(after.offset, before.offset);
}

/**
 * SUBTEST: info-states
 * Description: The flags for clear, dirty and resident follow an allocation through its life.
 */
static void test_info_states(void)
{
	int fd = open_plain();
	uint32_t ctx = vsplit_ctx(fd, 0);
	struct vsplit_bo *a = vsplit_bo_in(fd, 'A', 8 * U, 0, (uint8_t []) { 1, 0 });
	struct vsplit_cs *cs = vsplit_cs(fd);
	struct drm_vsplit_gem_info info;
	struct vsplit_record *rec;

	vsplit_info(a, &info);
	igt_assert(info.flags & VSPLIT_GEM_INFO_CLEAR);

	/* read only: resident, not dirty, paged in without a transfer */
	vsplit_cs_alloc(cs, a, 0);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_nop(cs, 64);
	rec = vsplit_cs_run(cs, ctx, 0);
	igt_assert(vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, a, 0));
	igt_assert(vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, a, 0)->flags & VSPLIT_EVENT_FILLED);
	igt_assert_eq_u64(vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, a, 0)->copied, 0);
	vsplit_info(a, &info);
	igt_assert_eq(info.segment, 1);
	igt_assert(!(info.flags & VSPLIT_GEM_INFO_DIRTY));

	/* written by the GPU: dirty, no longer clear */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 0, U, 0x11111111);
	rec = vsplit_cs_run(cs, ctx, 0);
	igt_assert_eq(vsplit_count_bo(rec, a), 0);
	vsplit_info(a, &info);
	igt_assert(info.flags & VSPLIT_GEM_INFO_DIRTY);
	igt_assert(!(info.flags & VSPLIT_GEM_INFO_CLEAR));

	/* evicted: its bytes are in the backing store */
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
	vsplit_info(a, &info);
	igt_assert_eq(info.segment, 0);
	igt_assert(!(info.flags & VSPLIT_GEM_INFO_DIRTY));
	vsplit_bo_check(a);

	/* It comes back with a transfer. */
	vsplit_cs_reset(cs);
	vsplit_cs_alloc(cs, a, 0);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_nop(cs, 8);
	rec = vsplit_cs_run(cs, ctx, 0);
	igt_assert_eq_u64(vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, a, 0)->copied, 8 * U);
}

/**
 * SUBTEST: clean-eviction-copies-nothing
 * Description: An allocation that the GPU only read leaves a segment without a transfer.
 */
static void test_clean_eviction(void)
{
	struct drm_vsplit_statistics s0, s1;
	int fd = open_plain();
	struct vsplit_bo *a = vsplit_bo_in(fd, 'A', 16 * U, 0, (uint8_t []) { 1, 0 });
	struct vsplit_cs *cs = vsplit_cs(fd);

	vsplit_bo_pattern(a, 7);
	vsplit_cs_alloc(cs, a, 0);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_nop(cs, 8);
	vsplit_cs_run(cs, vsplit_ctx(fd, 0), 0);
	igt_assert(vsplit_bo_resident(a));
	vsplit_query_statistics(fd, &s0);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
	vsplit_query_statistics(fd, &s1);
	igt_assert_eq_u64(s1.evicted_bytes - s0.evicted_bytes, 16 * U);
	igt_assert_eq_u64(s1.evicted_copied_bytes, s0.evicted_copied_bytes);
	vsplit_bo_check(a);
}

/**
 * SUBTEST: discard-loads-nothing
 * Description: With DISCARD the first page-in transfers nothing.
 */
static void test_discard(void)
{
	int fd = open_plain();
	struct vsplit_bo *a = vsplit_bo_in(fd, 'A', 16 * U, 0, (uint8_t []) { 1, 0 });
	struct vsplit_cs *cs = vsplit_cs(fd);
	const struct drm_vsplit_event *in;
	struct vsplit_record *rec;

	vsplit_bo_pattern(a, 7);
	vsplit_cs_alloc(cs, a, VSPLIT_ALLOC_WRITE | VSPLIT_ALLOC_DISCARD);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 0, a->size, 0x5a5a5a5a);
	rec = vsplit_cs_run(cs, vsplit_ctx(fd, 0), 0);
	in = vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, a, 0);
	igt_assert(in);
	igt_assert_eq_u64(in->copied, 0);
}

/**
 * SUBTEST: aperture-moves-no-bytes
 * Description: An allocation that enters or leaves an aperture segment is mapped or unmapped,
 *   without a transfer (SEG-16).
 */
static void test_aperture(void)
{
	struct drm_vsplit_statistics s0, s1;
	int fd = open_plain();
	struct vsplit_bo *a = vsplit_bo_in(fd, 'A', 16 * U, 0, (uint8_t []) { 2, 0 });
	struct vsplit_cs *cs = vsplit_cs(fd);
	const struct drm_vsplit_event *map;
	struct vsplit_record *rec;

	vsplit_bo_pattern(a, 7);
	vsplit_query_statistics(fd, &s0);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_copy(cs, 0, 0, 0, 8 * U, 8 * U);
	rec = vsplit_cs_run(cs, vsplit_ctx(fd, 0), 0);
	map = vsplit_step(rec, VSPLIT_EVENT_MAP, a, 0);
	igt_assert(map);
	igt_assert_eq(map->segment, 2);
	igt_assert_eq_u64(map->copied, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
	vsplit_query_statistics(fd, &s1);
	igt_assert_eq_u64(s1.evicted_copied_bytes, s0.evicted_copied_bytes);
	igt_assert_eq_u64(s1.paged_in_copied_bytes, s0.paged_in_copied_bytes);
	igt_assert(!vsplit_bo_resident(a));
	vsplit_bo_check(a);
}

/**
 * SUBTEST: submit-simple
 * Description: One buffer, one allocation: it is paged in, filled and recorded.
 */
static void test_submit_simple(void)
{
	int fd = open_plain();
	uint32_t ctx = vsplit_ctx(fd, 0);
	struct vsplit_bo *a = vsplit_bo_in(fd, 'A', 4 * U, 0, (uint8_t []) { 1, 0 });
	struct vsplit_cs *cs = vsplit_cs(fd);
	const struct drm_vsplit_event *p;
	struct vsplit_record *rec;

	vsplit_cs_bind(cs, 3, a);
	vsplit_cs_set(cs, 3, 16, 4096, 0xcafef00d);
	rec = vsplit_cs_run(cs, ctx, 0);
	igt_assert_eq(cs->portions, 1);
	igt_assert_eq_u64(cs->submission, 1);
	igt_assert_eq(rec->info.done, 1);
	igt_assert_eq(rec->info.error, 0);
	igt_assert_eq(rec->info.fault, 0);
	p = vsplit_portion(rec, 0);
	igt_assert(p);
	igt_assert_eq(p->begin, 0);
	igt_assert_eq(p->end, cs->bytes);
	igt_assert(p->t0_ns && p->t1_ns >= p->t0_ns);
	vsplit_cs_run(cs, ctx, 0);
	igt_assert_eq_u64(cs->submission, 2);
}

/**
 * SUBTEST: submissions-in-order
 * Description: Submissions of one context execute in order.
 */
static void test_in_order(void)
{
	int fd = open_plain();
	uint32_t ctx = vsplit_ctx(fd, 0);
	struct vsplit_bo *a = vsplit_bo(fd, 'A', U);
	struct vsplit_cs *cs = vsplit_cs(fd);

	for (unsigned int i = 1; i <= 200; i++) {
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_copy(cs, 0, 8, 0, 0, 1024);
		vsplit_cs_add(cs, 0, 0, i);
		vsplit_cs_submit(cs, ctx, VSPLIT_SUBMIT_NO_IMPLICIT);
		igt_assert_eq_u64(cs->submission, i);
		vsplit_cs_reference(cs, 0);
	}
	vsplit_cs_wait(cs);
	vsplit_bo_check(a);
}

/**
 * SUBTEST: record-kept
 * Description: The last 64 records of a context can be read; older records and those of other
 *   contexts give -ENOENT. If the reader has little room, as much as fits is written.
 */
static void test_record(void)
{
	int fd = open_plain();
	uint32_t ctx = vsplit_ctx(fd, 0), other = vsplit_ctx(fd, 0);
	struct vsplit_bo *a = vsplit_bo(fd, 'A', U);
	struct vsplit_cs *cs = vsplit_cs(fd);
	struct drm_vsplit_event events[8];
	struct drm_vsplit_record args;

	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 0, U, 3);
	for (unsigned int i = 0; i < 70; i++)
		vsplit_cs_submit(cs, ctx, 0);
	vsplit_cs_wait(cs);
	for (unsigned int i = 7; i <= 70; i++) {
		args = (struct drm_vsplit_record) { .ctx = ctx, .submission = i };
		igt_assert_eq(__vsplit_record(fd, &args), 0);
		igt_assert_eq(args.num_portions, 1);
		igt_assert(args.num_events >= 1);
		igt_assert_eq(args.done, 1);
	}
	args = (struct drm_vsplit_record) { .ctx = ctx, .submission = 71 };
	igt_assert_eq(__vsplit_record(fd, &args), -ENOENT);
	args = (struct drm_vsplit_record) { .ctx = ctx, .submission = 0 };
	igt_assert_eq(__vsplit_record(fd, &args), -ENOENT);
	args = (struct drm_vsplit_record) { .ctx = other, .submission = 1 };
	igt_assert_eq(__vsplit_record(fd, &args), -ENOENT);
	args = (struct drm_vsplit_record) { .ctx = 12345, .submission = 1 };
	igt_assert_eq(__vsplit_record(fd, &args), -ENOENT);

	memset(events, 0xa5, sizeof(events));
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	args = (struct drm_vsplit_record) {
		.ctx = ctx, .submission = 71, .events = (uintptr_t)events, .num_events = 1,
	};
	igt_assert_eq(__vsplit_record(fd, &args), 0);
	igt_assert_eq(args.num_events, 2);
	igt_assert_eq(events[0].type, VSPLIT_EVENT_PAGE_IN);
	igt_assert_eq_u32(events[1].type, 0xa5a5a5a5);
}

/**
 * SUBTEST: lock
 * Description: Locks are counted. They wait for the GPU, or fail if they must not wait. When a file
 *   is closed, its allocations are unlocked.
 */
static void test_lock(void)
{
	int fd = open_plain();
	uint32_t ctx = vsplit_ctx(fd, 0);
	struct vsplit_bo *a = vsplit_bo(fd, 'A', U);
	struct drm_vsplit_gem_lock lock = { .handle = a->handle };
	struct vsplit_cs *cs = vsplit_cs(fd);
	struct drm_vsplit_gem_info info;
	uint32_t locks = 0;

	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock), -EINVAL);
	for (unsigned int i = 0; i < 3; i++) {
		igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), 0);
		vsplit_info(a, &info);
		igt_assert_eq(info.locks, ++locks);
	}
	while (locks) {
		igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock), 0);
		vsplit_info(a, &info);
		igt_assert_eq(info.locks, --locks);
	}
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock), -EINVAL);

	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_spin(cs, 100000);
	vsplit_cs_set(cs, 0, 0, U, 0x77777777);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs, ctx, 0);
	vsplit_info(a, &info);
	igt_assert(info.flags & VSPLIT_GEM_INFO_BUSY);
	lock.flags = VSPLIT_LOCK_DONOT_WAIT;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), -EBUSY);
	lock.flags = VSPLIT_LOCK_IGNORE_SYNC;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), 0);
	igt_assert(vsplit_syncobj_busy(fd, cs->out));
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	lock.flags = 0;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), 0);
	igt_assert(!vsplit_syncobj_busy(fd, cs->out));
	igt_assert_eq(a->map[0], 0x77);
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock), 0);
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock), 0);
	vsplit_info(a, &info);
	igt_assert(!(info.flags & VSPLIT_GEM_INFO_BUSY));

	/* Readers do not wait for readers. */
	vsplit_cs_reset(cs);
	vsplit_cs_alloc(cs, a, 0);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_nop(cs, 8);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs, ctx, 0);
	lock.flags = VSPLIT_LOCK_READ_ONLY | VSPLIT_LOCK_DONOT_WAIT;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), 0);
	lock.flags = VSPLIT_LOCK_WRITE_ONLY | VSPLIT_LOCK_DONOT_WAIT;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), -EBUSY);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
}

/**
 * SUBTEST: many-contexts
 * Description: Contexts have distinct ids, and may be destroyed while work is queued; unknown ids
 *   give -ENOENT.
 */
static void test_contexts(void)
{
	int fd = open_plain();
	struct vsplit_bo *a = vsplit_bo(fd, 'A', U);
	struct vsplit_cs *cs = vsplit_cs(fd);
	uint32_t ctx[32];

	for (unsigned int i = 0; i < ARRAY_SIZE(ctx); i++) {
		ctx[i] = vsplit_ctx(fd, 0);
		for (unsigned int j = 0; j < i; j++)
			igt_assert(ctx[i] != ctx[j]);
		igt_assert_eq(vsplit_ctx_state(fd, ctx[i], NULL), VSPLIT_STATE_ACTIVE);
	}
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_spin(cs, 5000);
	vsplit_cs_add(cs, 0, 0, 1);
	for (unsigned int i = 0; i < ARRAY_SIZE(ctx); i++) {
		vsplit_cs_submit(cs, ctx[i], 0);
		vsplit_cs_reference(cs, 0);
		igt_assert_eq(__vsplit_ctx_destroy(fd, ctx[i]), 0);
		igt_assert_eq(__vsplit_ctx_destroy(fd, ctx[i]), -ENOENT);
	}
	igt_assert_eq(__vsplit_syncobj_wait(fd, cs->out, 0, VSPLIT_SOON_MS), 0);
	vsplit_bo_check(a);
}

static const struct vsplit_subtest tests[] = {
	{ "open", test_open, "Both nodes open, and the driver gives its name" },
	{ "default-adapter", test_default_adapter,
	  "Loading the module makes a useful adapter without any setting" },
	{ "query-adapter", test_query_adapter,
	  "Caps and limits are what the adapter was made with" },
	{ "query-size", test_query_size,
	  "A query with a short, a long or no buffer gets the front part, the whole, or the size" },
	{ "query-segments", test_query_segments,
	  "Descriptors carry 1-based ids, flags, limits and names, and their address ranges do not "
	  "overlap (EXT-25)" },
	{ "query-statistics", test_query_statistics,
	  "Totals and residency count what is submitted, paged and freed" },
	{ "create", test_create,
	  "Sizes are rounded up to pages, ids are unique, new allocations are in system memory and "
	  "clear" },
	{ "create-zeroed", test_create_zeroed,
	  "A new allocation reads as zeros, even where another client's bytes were before. It does "
	  "so for the CPU and the GPU, in system memory and in a segment." },
	{ "create-errors", test_create_errors,
	  "Bad sizes, alignments, flags and segments are refused with the documented errno" },
	{ "split-a16-too-large-refused-at-create", test_a16,
	  "An allocation larger than every segment that it may be in is refused when it is "
	  "created; the largest that fits is not (A16)" },
	{ "alignment", test_alignment, "Placements respect the alignment that was asked for" },
	{ "topdown", test_topdown,
	  "With TOPDOWN an allocation is placed at the end of the segment (EXT-27); without it, at "
	  "the start" },
	{ "pinned", test_pinned,
	  "A pinned allocation is resident from its creation on, and cannot be evicted. If there "
	  "is no room, its creation gives -ENOSPC." },
	{ "info-states", test_info_states,
	  "The flags for clear, dirty and resident follow an allocation through its life" },
	{ "clean-eviction-copies-nothing", test_clean_eviction,
	  "An allocation that the GPU only read leaves a segment without a transfer" },
	{ "discard-loads-nothing", test_discard,
	  "With DISCARD the first page-in transfers nothing" },
	{ "aperture-moves-no-bytes", test_aperture,
	  "An allocation that enters or leaves an aperture segment is mapped or unmapped, without "
	  "a transfer (SEG-16)" },
	{ "submit-simple", test_submit_simple,
	  "A buffer with one allocation is paged in, filled and recorded" },
	{ "submissions-in-order", test_in_order, "Submissions of one context execute in order" },
	{ "record-kept", test_record,
	  "The last 64 records of a context can be read; older records and those of other contexts "
	  "give -ENOENT" },
	{ "lock", test_lock,
	  "Locks are counted, wait for the GPU or fail if they must not wait, and end with their "
	  "file" },
	{ "many-contexts", test_contexts,
	  "Contexts have distinct ids, and may be destroyed while work is queued; unknown ids give "
	  "-ENOENT" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
