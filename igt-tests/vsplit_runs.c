// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit runs
 * Description: Allocations that may be in several runs of a segment (VSPLIT_GEM_RUNS, EXT-49). They
 *   fit if there are enough free bytes, wherever these are. Virtual addresses and the CPU show them
 *   as one piece; see Documentation/virtual-addresses.rst.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: virtual addresses
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_va.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

IGT_TEST_DESCRIPTION("Allocations that may be in several runs of a segment (VSPLIT_GEM_RUNS, "
		     "EXT-49).");

#define AT	(1ull << 32)	/* where allocations are mapped, APART bytes from each other */
#define APART	(1ull << 24)

static struct device dev;
/*
 * @pages: of video memory. @visible: bytes that the CPU sees, NULL: all. @limit: pages that may be
 *   resident, 0: all.
 */
static void setup_limit(uint64_t pages, const char *visible, uint64_t limit)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = pages * PAGE, .cpu = visible, .commit = limit * PAGE },
			  { "aper", true, .size = pages * PAGE } },
		.slots = 16, .test = true, .contexts = "patch,explicit,va,hw",
	};

	ad = vsplit_adapter_create(&opts);
	device_open(&dev, 0);
}

static void setup(uint64_t pages, const char *visible)
{
	setup_limit(pages, visible, 0);
}

static struct vsplit_bo *in_runs(char name, uint64_t pages)
{
	return vsplit_bo_in(dev.fd, name, pages * PAGE, VSPLIT_GEM_RUNS, in_first);
}

static struct vsplit_bo *in_one(char name, uint64_t pages)
{
	return vsplit_bo_in(dev.fd, name, pages * PAGE, 0, in_first);
}

/*
 * Makes holes of @each pages, with a pinned page behind each hole, all over a segment of @pages
 * pages.
 */
static void holes(uint64_t pages, uint64_t each)
{
	struct vsplit_bo *fillers[64];
	unsigned int n = 0;

	for (uint64_t at = 0; at + each + 1 <= pages; at += each + 1) {
		struct drm_vsplit_gem_info info;
		struct vsplit_bo *pinned;

		igt_assert(n < ARRAY_SIZE(fillers));
		fillers[n] = vsplit_bo_in(dev.fd, 'f', each * PAGE, VSPLIT_GEM_CPU_ACCESS,
					  in_first);
		require(&dev, fillers[n++]);
		pinned = vsplit_bo_in(dev.fd, 'p', PAGE,
				      VSPLIT_GEM_PINNED | VSPLIT_GEM_CPU_ACCESS, in_first);
		vsplit_info(pinned, &info);
		igt_assert_eq_u64(info.offset, (at + each) * PAGE);
	}
	while (n--) {
		release(&dev, fillers[n]);
		vsplit_bo_free(fillers[n]);
	}
}

static uint64_t address_of(const struct vsplit_bo *bo)
{
	return AT + bo->handle * APART;
}

/* The GPU fills the allocation, each page with another byte. */
static void fill_pages(const struct vsplit_bo *bo, uint8_t first)
{
	for (uint64_t i = 0; i < bo->size / PAGE; i++)
		fill_at(&dev, address_of(bo) + i * PAGE, PAGE, first + i);
	run(&dev);
	for (uint64_t i = 0; i < bo->size / PAGE; i++)
		memset(bo->shadow + i * PAGE, first + i, PAGE);
}

/* Checks the bytes by a GPU copy to an allocation in one piece. */
static void check_by_gpu(const struct vsplit_bo *bo, struct vsplit_bo *out)
{
	copy_at(&dev, address_of(out), address_of(bo), bo->size);
	run(&dev);
	igt_assert(!memcmp(out->map, bo->shadow, bo->size));
}

static bool is_resident(const struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(bo, &info);
	return info.segment == 1;
}

#define MAX_RUNS	40

/* The runs of the whole allocation; returns their number. */
static uint32_t runs_of(const struct vsplit_bo *bo, uint32_t room, struct drm_vsplit_run *runs,
			uint32_t *segment)
{
	struct drm_vsplit_gem_runs args = {
		.handle = bo->handle, .num_runs = room, .runs = (uintptr_t)runs,
	};

	igt_assert_eq(__vsplit_ioctl(dev.fd, DRM_IOCTL_VSPLIT_GEM_RUNS, &args), 0);
	*segment = args.segment;
	return args.num_runs;
}

/* ---- subtests ----------------------------------------------------------- */

/**
 * SUBTEST: fit-into-holes
 * Description: Free memory is in holes of three pages between pinned pages. An allocation of twelve
 *   pages in one piece is refused; one in runs becomes resident in all holes. The GPU and the CPU
 *   find its bytes, even after it has left and come back. With one page more it is refused.
 */
static void test_holes(void)
{
	struct vsplit_bo *one, *runs, *more;

	setup(16, NULL);
	holes(16, 3);
	one = in_one('O', 12);
	igt_assert_eq(__require(&dev, one), -ENOSPC);
	runs = in_runs('R', 12);
	require(&dev, runs);
	igt_assert(is_resident(runs));
	map(&dev, runs, address_of(runs));
	fill_pages(runs, 1);
	vsplit_bo_check(runs);
	runs->map[5 * PAGE] = runs->shadow[5 * PAGE] = 0xaa;
	release(&dev, runs);
	igt_assert(!is_resident(runs));
	vsplit_bo_check(runs);
	require(&dev, runs);
	fill_at(&dev, address_of(runs) + 7 * PAGE, PAGE, 0xbb);
	run(&dev);
	memset(runs->shadow + 7 * PAGE, 0xbb, PAGE);
	vsplit_bo_check(runs);
	igt_assert(is_resident(runs));
	more = in_runs('M', 1);
	igt_assert_eq(__require(&dev, more), -ENOSPC);
}

/**
 * SUBTEST: page-by-page
 * Description: Every other page is pinned, so that each run is a page. Parts of the allocation are
 *   mapped at several addresses, read-only, and at addresses of large pages.
 */
static void test_pages(void)
{
	struct vsplit_bo *runs, *out;

	setup(80, NULL);
	holes(64, 1);
	out = in_one('O', 16);
	require(&dev, out);
	map(&dev, out, address_of(out));
	runs = in_runs('R', 32);
	require(&dev, runs);
	map(&dev, runs, address_of(runs));
	map_part(&dev, runs, 3 * AT, 5 * PAGE, 16 * PAGE, VSPLIT_VA_OP_READ_ONLY);
	fill_pages(runs, 0x40);
	vsplit_bo_check(runs);
	copy_at(&dev, address_of(out), 3 * AT, 16 * PAGE);
	run(&dev);
	igt_assert(!memcmp(out->map, runs->shadow + 5 * PAGE, 16 * PAGE));
	/* After it has moved, both addresses show it in its new place. */
	release(&dev, runs);
	require(&dev, runs);
	fill_at(&dev, address_of(runs) + 9 * PAGE + 100, 2 * PAGE, 0x99);
	copy_at(&dev, address_of(out), 3 * AT, 16 * PAGE);
	run(&dev);
	memset(runs->shadow + 9 * PAGE + 100, 0x99, 2 * PAGE);
	igt_assert(!memcmp(out->map, runs->shadow + 5 * PAGE, 16 * PAGE));
	vsplit_bo_check(runs);
}

/**
 * SUBTEST: make-room-for-one-piece
 * Description: Required allocations in runs are all over the segment when an allocation in one
 *   piece has to be beside them. The runs leave, and come back elsewhere with their bytes. Runs
 *   that the CPU has locked stay, and then the allocation is refused. It is also refused if there
 *   are too few bytes.
 */
static void test_packed(void)
{
	struct vsplit_bo *runs[3], *fillers[3], *one, *big;
	struct drm_vsplit_gem_info before, after;

	setup(32, NULL);
	for (unsigned int i = 0; i < 3; i++) {
		runs[i] = in_runs('A' + i, 4);
		require(&dev, runs[i]);
		map(&dev, runs[i], address_of(runs[i]));
		fill_pages(runs[i], 0x10 * (i + 1));
		fillers[i] = in_one('f', 6);
		require(&dev, fillers[i]);
	}
	for (unsigned int i = 0; i < 3; i++)
		release(&dev, fillers[i]);
	one = in_one('O', 20);
	map(&dev, one, address_of(one));
	expect(__vsplit_lock(runs[1], 0), 0);
	igt_assert_eq(__require(&dev, one), -ENOSPC);
	expect(__vsplit_unlock(runs[1]), 0);
	vsplit_info(runs[1], &before);
	require(&dev, one);
	for (unsigned int i = 0; i < 3; i++) {
		igt_assert(is_resident(runs[i]));
		check_by_gpu(runs[i], one);
		vsplit_bo_check(runs[i]);
	}
	vsplit_info(runs[1], &after);
	igt_assert(before.offset != after.offset || !vsplit_exact());
	big = in_one('B', 1);
	igt_assert_eq(__require(&dev, big), -ENOSPC);
}

/**
 * SUBTEST: others-make-room
 * Description: Allocations that may be elsewhere leave the segment for a required allocation in
 *   runs. The commit limit is never exceeded, even if there are more holes.
 */
static void test_room(void)
{
	static const uint8_t anywhere[] = { 1, 2, 0 };
	struct vsplit_bo *one, *runs, *more;
	struct drm_vsplit_gem_info info;

	setup_limit(16, NULL, 12);
	one = vsplit_bo_in(dev.fd, 'O', 10 * PAGE, 0, anywhere);
	map(&dev, one, address_of(one));
	require(&dev, one);
	igt_assert(is_resident(one));
	fill_pages(one, 0x60);
	runs = in_runs('R', 9);
	map(&dev, runs, address_of(runs));
	require(&dev, runs);
	igt_assert(is_resident(runs));
	vsplit_info(one, &info);
	igt_assert_eq(info.segment, 2);
	fill_pages(runs, 0x70);
	check_by_gpu(runs, one);
	vsplit_bo_check(runs);
	more = in_runs('M', 4);
	igt_assert_eq(__require(&dev, more), -ENOSPC);
	more = in_runs('N', 3);
	require(&dev, more);
	igt_assert(is_resident(more));
}

/**
 * SUBTEST: leave-for-others
 * Description: Another client's buffer, which is split, needs room. An allocation in runs that no
 *   device requires leaves as a whole. So does one that a device requires, which then waits for its
 *   turn. No byte is lost.
 */
static void test_others(void)
{
	struct vsplit_bo *runs, *bos[2];
	struct vsplit_cs *cs;
	uint32_t ctx;
	int other;

	setup(32, NULL);
	holes(16, 3);
	runs = in_runs('R', 20);
	other = vsplit_adapter_open(ad);
	ctx = vsplit_ctx(other, 0);
	for (unsigned int i = 0; i < 2; i++)
		bos[i] = vsplit_bo_in(other, 'a' + i, 15 * PAGE, 0, in_first);
	for (unsigned int i = 0; i < 4; i++) {
		require(&dev, runs);
		if (!i)
			map(&dev, runs, address_of(runs));
		fill_pages(runs, 0x20 * (i + 1));
		if (i & 1)
			release(&dev, runs);
		cs = vsplit_cs(other);
		for (unsigned int k = 0; k < 2; k++) {
			vsplit_cs_bind(cs, 0, bos[k]);
			vsplit_cs_set(cs, 0, 0, PAGE, 16 * i + k);
		}
		igt_assert_eq(vsplit_cs_run(cs, ctx, 0)->info.num_portions, 2);
		vsplit_cs_free(cs);
		vsplit_bo_check(runs);
		fill_pages(runs, 0x20 * (i + 1) + 1);
		vsplit_bo_check(runs);
	}
}

/**
 * SUBTEST: seen-by-the-cpu
 * Description: The CPU sees only the first pages of the segment. It sees runs that are there. An
 *   allocation with other runs goes to where the CPU sees it; mappings stay valid.
 */
static void test_cpu(void)
{
	struct vsplit_bo *seen, *behind;

	setup(32, "65536");
	holes(16, 3);
	/* Behind the visible part there is more room, in one piece. */
	behind = in_runs('B', 16);
	require(&dev, behind);
	map(&dev, behind, address_of(behind));
	fill_pages(behind, 0x30);
	seen = in_runs('S', 12);
	require(&dev, seen);
	map(&dev, seen, address_of(seen));
	fill_pages(seen, 0x50);
	vsplit_bo_check(seen);
	igt_assert(is_resident(seen));
	vsplit_bo_check(behind);
	igt_assert(!is_resident(behind));
	seen->map[3 * PAGE + 7] = seen->shadow[3 * PAGE + 7] = 1;
	fill_pages(behind, 0x31);
	vsplit_bo_check(behind);
	vsplit_bo_check(seen);
}

/**
 * SUBTEST: told
 * Description: GEM_RUNS tells the place of each run, in the order of the bytes, for as many runs as
 *   the caller has room. An allocation in one piece has one run; one in system memory has none.
 */
static void test_told(void)
{
	struct drm_vsplit_run told[MAX_RUNS], few[3];
	struct drm_vsplit_gem_runs args = {};
	struct vsplit_bo *one, *runs;
	uint32_t segment;

	setup(36, NULL);
	holes(32, 3);
	one = in_one('O', 3);
	runs = in_runs('R', 20);
	igt_assert_eq(runs_of(runs, MAX_RUNS, told, &segment), 0);
	igt_assert_eq(segment, 0);
	require(&dev, one);
	require(&dev, runs);
	igt_assert_eq(runs_of(one, MAX_RUNS, told, &segment), 1);
	igt_assert_eq(segment, 1);
	igt_assert_eq_u64(told[0].bytes, one->size);
	if (vsplit_exact())
		igt_assert_eq_u64(told[0].offset, 0);
	igt_assert_eq(runs_of(runs, MAX_RUNS, told, &segment), 7);
	igt_assert_eq(segment, 1);
	/* The lowest holes: @one has the first, and between two holes there is a pinned page. */
	for (unsigned int i = 0; i < 7 && vsplit_exact(); i++) {
		igt_assert_eq_u64(told[i].offset, 4 * (i + 1) * PAGE);
		igt_assert_eq_u64(told[i].bytes, (i < 6 ? 3 : 2) * PAGE);
	}
	memset(few, 0xee, sizeof(few));
	igt_assert_eq(runs_of(runs, 2, few, &segment), 7);
	igt_assert(!memcmp(few, told, 2 * sizeof(few[0])));
	igt_assert_eq_u64(few[2].offset, 0xeeeeeeeeeeeeeeeeull);
	args.handle = runs->handle;
	igt_assert_eq(__vsplit_ioctl(dev.fd, DRM_IOCTL_VSPLIT_GEM_RUNS, &args), 0);
	igt_assert_eq(args.num_runs, 7);
	release(&dev, runs);
	igt_assert_eq(runs_of(runs, MAX_RUNS, told, &segment), 0);
	igt_assert_eq(segment, 0);
	/* Into its own mapping, for which a page fault has to find the runs. */
	args = (struct drm_vsplit_gem_runs) {
		.handle = one->handle, .num_runs = 1, .runs = (uintptr_t)one->map,
	};
	igt_assert_eq(__vsplit_ioctl(dev.fd, DRM_IOCTL_VSPLIT_GEM_RUNS, &args), 0);
	igt_assert_eq_u64(((struct drm_vsplit_run *)one->map)->bytes, one->size);
}

/**
 * SUBTEST: bad-arguments
 * Description: With another flag, an alignment, an eviction set, no segment or several segments, an
 *   aperture, or placement from the end, creation gives -EINVAL. An allocation that is larger than
 *   its segment gives -E2BIG. A list of a patch or explicit context that names an allocation in
 *   runs gives -EINVAL.
 */
static void test_bad(void)
{
	static const struct drm_vsplit_gem_create bad[] = {
		{ .flags = VSPLIT_GEM_PINNED, .num_segments = 1, .segments = { 1 } },
		{ .flags = VSPLIT_GEM_CPU_ACCESS, .num_segments = 1, .segments = { 1 } },
		{ .flags = VSPLIT_GEM_TOPDOWN, .num_segments = 1, .segments = { 1 } },
		{ .flags = VSPLIT_GEM_SWIZZLED, .pitch = 256, .num_segments = 1, .segments = { 1 } },
		{ .alignment = 2 * PAGE, .num_segments = 1, .segments = { 1 } },
		{ .eviction_set = 2, .num_segments = 1, .segments = { 1 } },
		{ .num_segments = 0 },
		{ .num_segments = 2, .segments = { 1, 2 } },
		{ .num_segments = 1, .segments = { 2 } },
		{ .num_segments = 1, .segments = { 1 | VSPLIT_GEM_SEGMENT_TOPDOWN } },
		{ .num_segments = 1, .segments = { 1 | VSPLIT_GEM_SEGMENT_READ_ONLY } },
	};
	struct drm_vsplit_gem_create args;
	struct vsplit_bo *runs;
	struct vsplit_cs *cs;
	int other;

	setup(16, NULL);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		args = bad[i];
		args.size = PAGE;
		args.flags |= VSPLIT_GEM_RUNS;
		igt_assert_f(__vsplit_create(dev.fd, &args) == -EINVAL, "element %u\n", i);
	}
	args = (struct drm_vsplit_gem_create) {
		.size = 17 * PAGE, .flags = VSPLIT_GEM_RUNS, .num_segments = 1, .segments = { 1 },
	};
	igt_assert_eq(__vsplit_create(dev.fd, &args), -E2BIG);
	for (unsigned int mode = VSPLIT_CTX_MODE_PATCH; mode <= VSPLIT_CTX_MODE_EXPLICIT; mode++) {
		other = vsplit_adapter_open(ad);
		runs = vsplit_bo_in(other, 'R', 4 * PAGE, VSPLIT_GEM_RUNS, in_first);
		cs = vsplit_cs(other);
		vsplit_cs_bind(cs, 0, runs);
		vsplit_cs_set(cs, 0, 0, PAGE, 1);
		vsplit_cs_refused(cs, vsplit_ctx_mode(other, mode, 0), 0, -EINVAL);
		vsplit_bo_check(runs);
	}
}

/* ---- random ------------------------------------------------------------- */

#define BOS	10
#define ROOM	48

/**
 * SUBTEST: random
 * Description: Allocations in runs are required and released at random between pinned pages.
 *   Requiring succeeds exactly if there are enough bytes. The GPU fills and copies, the CPU writes,
 *   and in the end each allocation has its bytes. VSPLIT_SEED in the environment is the seed.
 */
static void test_random(void)
{
	const char *seed = getenv("VSPLIT_SEED");
	struct vsplit_rng rng = { .state = seed ? strtoull(seed, NULL, 0) : 1 };
	bool required[BOS] = {};
	struct vsplit_bo *bos[BOS];
	uint64_t room = ROOM, used = 0;

	setup(ROOM, NULL);
	holes(32, 3);
	room -= 8;
	for (unsigned int i = 0; i < BOS; i++) {
		bos[i] = in_runs('A' + i, 1 + vsplit_rng_below(&rng, 16));
		map(&dev, bos[i], address_of(bos[i]));
	}
	for (unsigned int round = 0; round < vsplit_rounds(200, 20000); round++) {
		unsigned int a = vsplit_rng_below(&rng, BOS), b = vsplit_rng_below(&rng, BOS);
		uint64_t pages = bos[a]->size / PAGE, page = vsplit_rng_below(&rng, pages);
		int ret;

		switch (vsplit_rng_below(&rng, 5)) {
		case 0:
		case 1:
			if (required[a])
				break;
			ret = __require(&dev, bos[a]);
			igt_assert_eq(ret, used + pages <= room ? 0 : -ENOSPC);
			required[a] = !ret;
			used += ret ? 0 : pages;
			break;
		case 2:
			if (!required[a])
				break;
			release(&dev, bos[a]);
			required[a] = false;
			used -= pages;
			break;
		case 3:
			if (!required[a] || !required[b] || a == b)
				break;
			pages = (bos[b]->size < bos[a]->size ? bos[b]->size : bos[a]->size) - 12;
			fill_at(&dev, address_of(bos[a]) + page * PAGE, PAGE, round);
			copy_at(&dev, address_of(bos[b]) + 8, address_of(bos[a]) + 4, pages);
			memset(bos[a]->shadow + page * PAGE, round, PAGE);
			memcpy(bos[b]->shadow + 8, bos[a]->shadow + 4, pages);
			submit(&dev);
			vsplit_cs_reset(dev.cs);
			break;
		default:
			if (dev.cs->submission)
				vsplit_cs_wait(dev.cs);
			bos[a]->map[page * PAGE] = round;
			bos[a]->shadow[page * PAGE] = round;
		}
	}
	if (dev.cs->submission)
		vsplit_cs_wait(dev.cs);
	for (unsigned int i = 0; i < BOS; i++)
		vsplit_bo_check(bos[i]);
}

static const struct vsplit_subtest subtests[] = {
	{ "fit-into-holes", test_holes,
	  "An allocation in runs is resident in all holes, to the last page, where one in one "
	  "piece is refused" },
	{ "page-by-page", test_pages,
	  "An allocation whose runs are single pages is mapped in parts, read-only, and at "
	  "addresses of large pages" },
	{ "make-room-for-one-piece", test_packed,
	  "Runs leave for a required allocation in one piece and come back with their bytes, "
	  "unless the CPU locked them" },
	{ "others-make-room", test_room,
	  "Allocations that may be elsewhere leave the segment for a required allocation in runs" },
	{ "leave-for-others", test_others,
	  "An allocation in runs leaves as a whole for another client's buffer, and loses no "
	  "byte" },
	{ "seen-by-the-cpu", test_cpu,
	  "Runs that the CPU does not see come to where it sees them, and mappings stay valid" },
	{ "told", test_told,
	  "GEM_RUNS tells the place of each run, in the order of the bytes, for as many runs as "
	  "the caller has room" },
	{ "bad-arguments", test_bad,
	  "With another flag, an alignment, an eviction set, no segment or several segments, an "
	  "aperture, or placement from the end, creation gives -EINVAL" },
	{ "random", test_random,
	  "Requiring random allocations in runs succeeds exactly if there are enough bytes, and "
	  "each keeps its bytes" },
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
