// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit offer
 * Description: Offered allocations, whose bytes are not needed: they leave first, without a
 *   transfer, and are not used until they are reclaimed: EXT-47; Documentation/residency.rst has
 *   the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: residency
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"

IGT_TEST_DESCRIPTION("Offered allocations, whose bytes are not needed: they leave first, without a "
		     "transfer, and are not used until they are reclaimed: EXT-47; "
		     "Documentation/residency.rst has the table.");

#define U 16384ull

/* The adapter has eight units of memory. */
static struct vsplit_adapter *ad;
static int fd;
static uint32_t ctx;
static struct vsplit_cs *cs;
static struct vsplit_bo *a, *b, *c;

static void setup_segment(uint32_t mode, struct vsplit_seg_opts segment)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { segment }, .slots = 16, .contexts = "patch,explicit", .test = true,
	};

	ad = vsplit_adapter_create(&opts);
	fd = vsplit_adapter_open(ad);
	ctx = vsplit_ctx_mode(fd, mode, 0);
	cs = vsplit_cs(fd);
}

static void setup(uint32_t mode)
{
	setup_segment(mode, (struct vsplit_seg_opts) { "vram", .size = 8 * U, .cpu = "none" });
}

/* Also makes @a, @b and @c with so many units each; with 0 units there is no @c. */
static void setup_three(uint32_t mode, unsigned int units_a, unsigned int units_b,
			unsigned int units_c)
{
	setup(mode);
	a = vsplit_bo(fd, 'A', units_a * U);
	b = vsplit_bo(fd, 'B', units_b * U);
	c = units_c ? vsplit_bo(fd, 'C', units_c * U) : NULL;
}

static void offer(const struct vsplit_bo *bo, uint32_t priority)
{
	igt_assert_eq(__vsplit_offer(fd, &bo->handle, 1, priority), 0);
}

static bool reclaim(const struct vsplit_bo *bo)
{
	return vsplit_reclaim(fd, bo);
}

/* The GPU writes all of the allocation. */
static void fill(struct vsplit_bo *bo, uint32_t pattern)
{
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, bo->size, pattern);
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	vsplit_cs_reference(cs, 0);
}

static uint64_t transferred(void)
{
	struct drm_vsplit_statistics stats;

	vsplit_query_statistics(fd, &stats);
	return stats.evicted_copied_bytes;
}

static int use(struct vsplit_bo *bo)
{
	struct vsplit_cs *uses = vsplit_cs(fd);
	int ret;

	vsplit_cs_bind(uses, 0, bo);
	ret = __vsplit_cs_submit(uses, ctx, 0);
	if (!ret)
		vsplit_cs_wait(uses);
	return ret;
}

/**
 * SUBTEST: ext-47-first-victim
 * Description: An offered allocation leaves before one that was used longer ago, and nothing is
 *   transferred.
 */
static void test_first(void)
{
	uint64_t before;

	setup_three(VSPLIT_CTX_MODE_PATCH, 4, 4, 4);
	fill(a, 0x11111111);
	fill(b, 0x22222222);
	offer(b, VSPLIT_OFFER_HIGH);
	before = transferred();
	fill(c, 0x33333333);
	igt_assert(vsplit_bo_resident(a) && !vsplit_bo_resident(b));
	igt_assert_eq_u64(transferred(), before);
	igt_assert(reclaim(b));
	igt_assert(!reclaim(b));
	vsplit_bo_check(a);
	vsplit_bo_check(c);
	/* It can be used, and has no bytes of other clients: zeros, as before the GPU wrote. */
	for (uint64_t i = 0; i < b->size; i++)
		igt_assert(b->map[i] == 0);
	memset(b->shadow, 0, b->size);
	fill(b, 0x44444444);
	vsplit_bo_check(b);
}

/**
 * SUBTEST: ext-47-kept
 * Description: An offered allocation whose memory was not needed meanwhile keeps its bytes, even if
 *   it leaves after it was reclaimed.
 */
static void test_kept(void)
{
	setup_three(VSPLIT_CTX_MODE_PATCH, 4, 4, 8);
	fill(a, 0x11111111);
	offer(a, VSPLIT_OFFER_LOW);
	fill(b, 0x22222222);
	igt_assert(!reclaim(a));
	fill(c, 0x33333333);
	igt_assert(!vsplit_bo_resident(a));
	vsplit_bo_check(a);
	vsplit_bo_check(b);
	/* Its backing store is up to date, so nothing is lost when it leaves. */
	fill(a, 0x55555555);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
	igt_assert_eq(use(a), 0);
	offer(a, VSPLIT_OFFER_LOW);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
	vsplit_bo_check(a);
}

/**
 * SUBTEST: ext-47-order
 * Description: The allocation with the lowest offer priority leaves first. AUTO is the highest,
 *   ordered by the allocation's own priority. No more leave than needed.
 */
static void test_order(void)
{
	static const uint32_t priorities[] = {
		VSPLIT_OFFER_AUTO, VSPLIT_OFFER_HIGH, VSPLIT_OFFER_LOW, VSPLIT_OFFER_NORMAL,
		VSPLIT_OFFER_AUTO,
	};
	/* The order in which they leave. */
	static const unsigned int order[] = { 2, 3, 1, 4, 0 };
	struct vsplit_bo *bos[8], *more[5];
	struct drm_vsplit_gem_priority high = { .priority = VSPLIT_PRIORITY_HIGH };

	setup(VSPLIT_CTX_MODE_PATCH);
	for (unsigned int i = 0; i < 8; i++) {
		bos[i] = vsplit_bo(fd, 'A' + i, U);
		fill(bos[i], i);
	}
	high.handle = bos[0]->handle;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_PRIORITY, &high), 0);
	for (unsigned int i = 0; i < 5; i++)
		offer(bos[i], priorities[i]);
	for (unsigned int n = 0; n < 5; n++) {
		more[n] = vsplit_bo(fd, 'a' + n, U);
		fill(more[n], 0x77777777);
		for (unsigned int i = 0; i < 5; i++)
			igt_assert_eq(vsplit_bo_resident(bos[order[i]]), i > n);
		for (unsigned int i = 5; i < 8; i++)
			igt_assert(vsplit_bo_resident(bos[i]));
	}
	for (unsigned int i = 0; i < 5; i++)
		igt_assert(reclaim(bos[i]));
	for (unsigned int i = 5; i < 8; i++)
		vsplit_bo_check(bos[i]);
}

/**
 * SUBTEST: ext-47-refused
 * Description: If a list has no place even if all others leave, no offered allocation leaves for
 *   it.
 */
static void test_refused(void)
{
	setup_three(VSPLIT_CTX_MODE_PATCH, 4, 5, 5);
	fill(a, 0x11111111);
	offer(a, VSPLIT_OFFER_LOW);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, b);
	vsplit_cs_bind(cs, 1, c);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	igt_assert(vsplit_bo_resident(a));
	igt_assert(!reclaim(a));
	vsplit_bo_check(a);
	fill(a, 0x33333333);
	/* An allocation that has a place takes it. */
	offer(a, VSPLIT_OFFER_LOW);
	fill(b, 0x22222222);
	igt_assert(reclaim(a));
}

/**
 * SUBTEST: ext-47-refused-in-pieces
 * Description: If MakeResident is refused because the memory that is not pinned is in pieces, no
 *   offered allocation has left for it. One that helps leaves, even if the same device requires
 *   it.
 */
static void test_refused_in_pieces(void)
{
	struct drm_vsplit_gem_create pins[2] = {
		{ .size = 4 * U, .flags = VSPLIT_GEM_PINNED },
		{ .size = U, .flags = VSPLIT_GEM_PINNED },
	};

	setup(VSPLIT_CTX_MODE_EXPLICIT);
	for (unsigned int i = 0; i < 2; i++)
		igt_assert_eq(__vsplit_create(fd, &pins[i]), 0);
	igt_assert_eq(__vsplit_gem_close(fd, pins[0].handle), 0);
	/* Four units are left before the pin, and three behind it. */
	a = vsplit_bo(fd, 'A', 2 * U);
	b = vsplit_bo(fd, 'B', 5 * U);
	c = vsplit_bo(fd, 'C', 4 * U);
	vsplit_require(a);
	fill(a, 0x11111111);
	offer(a, VSPLIT_OFFER_LOW);
	igt_assert_eq(__vsplit_make_resident(fd, &b->handle, 1, 0, NULL), -ENOSPC);
	igt_assert(vsplit_bo_resident(a));
	igt_assert(!reclaim(a));
	vsplit_bo_check(a);
	fill(a, 0x22222222);
	offer(a, VSPLIT_OFFER_LOW);
	vsplit_require(c);
	fill(c, 0x33333333);
	igt_assert(reclaim(a));
	fill(a, 0x44444444);
	vsplit_bo_check(a);
	vsplit_bo_check(c);
}

/**
 * SUBTEST: ext-47-not-used
 * Description: An offered allocation can be neither locked, nor named by a list, nor made resident.
 *   Work that was submitted before uses it.
 */
static void test_not_used(void)
{
	setup_three(VSPLIT_CTX_MODE_PATCH, 1, 1, 0);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_spin(cs, 50000);
	vsplit_cs_set(cs, 0, 0, U, 0x12121212);
	vsplit_cs_submit(cs, ctx, 0);
	offer(a, VSPLIT_OFFER_NORMAL);
	igt_assert_eq(use(a), -EINVAL);
	igt_assert_eq(__vsplit_lock(a, 0), -EINVAL);
	igt_assert_eq(use(b), 0);
	vsplit_cs_wait(cs);
	vsplit_cs_reference(cs, 0);
	igt_assert(!reclaim(a));
	vsplit_bo_check(a);
	igt_assert_eq(use(a), 0);
	vsplit_lock(a, 0);
	vsplit_unlock(a);
	vsplit_cleanup();

	setup(VSPLIT_CTX_MODE_EXPLICIT);
	a = vsplit_bo(fd, 'A', U);
	offer(a, VSPLIT_OFFER_NORMAL);
	igt_assert_eq(__vsplit_make_resident(fd, &a->handle, 1, 0, NULL), -EINVAL);
	reclaim(a);
	vsplit_require(a);
}

/**
 * SUBTEST: ext-47-required
 * Description: An offered member does not hold up its device. After it is reclaimed, it is resident
 *   for the next submission.
 */
static void test_required(void)
{
	uint32_t handles[2];

	setup_three(VSPLIT_CTX_MODE_EXPLICIT, 4, 4, 4);
	handles[0] = a->handle;
	handles[1] = b->handle;
	igt_assert_eq(__vsplit_make_resident(fd, handles, 2, 0, NULL), 0);
	fill(a, 0x11111111);
	fill(b, 0x22222222);
	offer(a, VSPLIT_OFFER_LOW);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
	fill(b, 0x33333333);
	igt_assert(!vsplit_bo_resident(a) && vsplit_bo_resident(b));
	igt_assert(reclaim(a));
	fill(b, 0x44444444);
	igt_assert(vsplit_bo_resident(a) && vsplit_bo_resident(b));
	vsplit_bo_check(b);
	vsplit_bo_check(c);
}

/**
 * SUBTEST: ext-47-swizzled
 * Description: An offered allocation that stays keeps its bytes, even if it loses or acquires a
 *   swizzling range meanwhile. One that leaves with its range loses them.
 */
static void test_swizzled(void)
{
	struct drm_vsplit_gem_create args[2] = {
		{ .size = 2 * U, .flags = VSPLIT_GEM_SWIZZLED | VSPLIT_GEM_CPU_ACCESS, .pitch = 1024 },
	};

	setup_segment(VSPLIT_CTX_MODE_PATCH,
		      (struct vsplit_seg_opts) { "vram", .size = 8 * U, .ranges = 1 });
	args[1] = args[0];
	a = vsplit_bo_args(fd, 'A', &args[0]);
	b = vsplit_bo_args(fd, 'B', &args[1]);
	fill(a, 0x11111111);
	fill(b, 0x22222222);
	/*
	 * It is written in place, and offered with its range, which the check of the other one
	 * takes.
	 */
	vsplit_bo_check(a);
	vsplit_bo_pattern(a, 3);
	offer(a, VSPLIT_OFFER_LOW);
	vsplit_bo_check(b);
	igt_assert(vsplit_bo_resident(a) && vsplit_bo_resident(b));
	igt_assert(!reclaim(a));
	vsplit_bo_check(a);
	/* Offered without a range, and then read. */
	fill(b, 0x44444444);
	offer(b, VSPLIT_OFFER_LOW);
	vsplit_bo_check(b);
	igt_assert(!reclaim(b));
	vsplit_bo_check(b);
	vsplit_bo_pattern(b, 5);
	offer(b, VSPLIT_OFFER_LOW);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, b->handle, 0);
	igt_assert(reclaim(b));
	vsplit_bo_check(a);
}

/**
 * SUBTEST: ext-47-not-shared
 * Description: An offered allocation gets no second handle, by a name or a dma-buf. It gets one if
 *   it has none, and a dma-buf still leads to the handle that its file has.
 */
static void test_not_shared(void)
{
	struct drm_gem_flink name = {};
	struct drm_gem_open opened;
	uint32_t handle, other;
	int file, dmabuf;

	setup(VSPLIT_CTX_MODE_EXPLICIT);
	file = vsplit_adapter_open_primary(ad);
	fd = vsplit_adapter_open_primary(ad);
	a = vsplit_bo(fd, 'A', U);
	handle = a->handle;
	offer(a, VSPLIT_OFFER_LOW);
	name.handle = handle;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_GEM_FLINK, &name), 0);
	dmabuf = vsplit_bo_export(a);
	for (unsigned int i = 0; i < 2; i++) {
		opened = (struct drm_gem_open) { .name = name.name };
		igt_assert_eq(__vsplit_ioctl(i ? fd : file, DRM_IOCTL_GEM_OPEN, &opened), -EINVAL);
	}
	igt_assert_eq(__vsplit_import(file, dmabuf, &other), -EINVAL);
	igt_assert_eq(__vsplit_import(fd, dmabuf, &other), 0);
	igt_assert_eq(other, handle);
	/* Its file has the only handle, and may close it. */
	igt_assert_eq(__vsplit_gem_close(fd, handle), 0);
	a->handle = 0;
	igt_assert_eq(__vsplit_import(file, dmabuf, &other), 0);
	igt_assert_eq(__vsplit_import(fd, dmabuf, &handle), -EINVAL);
	igt_assert_eq(__vsplit_make_resident(file, &other, 1, 0, NULL), -EINVAL);
	vsplit_reclaim(file, &(struct vsplit_bo) { .handle = other });
	igt_assert_eq(__vsplit_import(fd, dmabuf, &handle), 0);
	igt_assert_eq(__vsplit_make_resident(file, &other, 1, 0, NULL), 0);
	igt_assert_eq(__vsplit_offer(fd, &handle, 1, VSPLIT_OFFER_LOW), -EBUSY);
	close(dmabuf);
	/* One that others could open by its name is not offered. */
	b = vsplit_bo(fd, 'B', U);
	name.handle = b->handle;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_GEM_FLINK, &name), 0);
	igt_assert_eq(__vsplit_offer(fd, &b->handle, 1, VSPLIT_OFFER_LOW), -EBUSY);
}

/**
 * SUBTEST: errors
 * Description: The call does all or nothing: if one allocation is locked, pinned, shared or
 *   unknown, it is refused, and none is offered.
 */
static void test_errors(void)
{
	struct drm_vsplit_gem_create pinned = { .size = U, .flags = VSPLIT_GEM_PINNED };
	uint32_t handles[2];
	int dmabuf;

	setup_three(VSPLIT_CTX_MODE_PATCH, 1, 1, 0);
	handles[0] = a->handle;
	handles[1] = b->handle;
	igt_assert_eq(__vsplit_offer(fd, handles, 0, VSPLIT_OFFER_LOW), -EINVAL);
	igt_assert_eq(__vsplit_offer(fd, handles, 2, 0), -EINVAL);
	igt_assert_eq(__vsplit_offer(fd, handles, 2, VSPLIT_OFFER_AUTO + 1), -EINVAL);
	vsplit_lock(b, 0);
	igt_assert_eq(__vsplit_offer(fd, handles, 2, VSPLIT_OFFER_LOW), -EBUSY);
	igt_assert_eq(use(a), 0);
	vsplit_unlock(b);
	igt_assert_eq(__vsplit_create(fd, &pinned), 0);
	handles[1] = pinned.handle;
	igt_assert_eq(__vsplit_offer(fd, handles, 2, VSPLIT_OFFER_LOW), -EBUSY);
	handles[1] = 0x7777;
	igt_assert_eq(__vsplit_offer(fd, handles, 2, VSPLIT_OFFER_LOW), -ENOENT);
	dmabuf = vsplit_bo_export(b);
	handles[1] = b->handle;
	igt_assert_eq(__vsplit_offer(fd, handles, 2, VSPLIT_OFFER_LOW), -EBUSY);
	close(dmabuf);
	igt_assert_eq(use(a), 0);
	/* Twice in one call counts once. */
	handles[1] = handles[0];
	igt_assert_eq(__vsplit_offer(fd, handles, 2, VSPLIT_OFFER_LOW), 0);
	igt_assert_eq(use(a), -EINVAL);
	igt_assert(!reclaim(a));
	/* An allocation that is closed while it is offered. */
	fill(b, 0x66666666);
	fill(a, 0x66666666);
	offer(a, VSPLIT_OFFER_LOW);
	vsplit_bo_free(a);
	fill(vsplit_bo(fd, 'C', 6 * U), 1);
	vsplit_bo_check(b);
}

/**
 * SUBTEST: ext-47-first-after-failures
 * Description: An offered allocation is about to leave when host memory runs short, at any site, or
 *   a signal interrupts any wait. It remains the first to leave.
 */
static void test_failures(void)
{
	static const enum vsplit_inject kinds[] = { VSPLIT_INJECT_SITE, VSPLIT_INJECT_WAIT };

	for (unsigned int kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		unsigned int n = 0, moves = 0, waits = 0;
		char site[64];
		bool fired;
		int ret;

		vsplit_inject_require(kinds[kind]);
		do {
			setup_three(VSPLIT_CTX_MODE_PATCH, 4, 4, 4);
			fill(b, 0x22222222);
			fill(a, 0x11111111);
			offer(a, VSPLIT_OFFER_HIGH);
			vsplit_cs_reset(cs);
			vsplit_cs_bind(cs, 0, c);
			vsplit_inject_arm(kinds[kind], ++n);
			ret = __vsplit_cs_submit(cs, ctx, 0);
			fired = vsplit_inject_disarm(kinds[kind], site);
			igt_assert_f(!ret || fired, "failure %u: %d\n", n, ret);
			if (fired && !strcmp(site, "mm.page")) {
				moves++;
				igt_assert_eq(ret, -ENOMEM);
			}
			waits += fired && !strcmp(site, "offer.evict");
			if (ret)
				vsplit_cs_submit(cs, ctx, 0);
			vsplit_cs_wait(cs);
			igt_assert_f(vsplit_bo_resident(b) && !vsplit_bo_resident(a),
				     "failure %u at %s\n", n, fired ? site : "none");
			vsplit_bo_check(b);
			vsplit_cleanup();
		} while (fired);
		igt_assert(kinds[kind] == VSPLIT_INJECT_SITE ? moves : waits);
	}
}

static const struct vsplit_subtest subtests[] = {
	{ "ext-47-first-victim", test_first,
	  "An offered allocation leaves before one that was used longer ago, and nothing is "
	  "transferred" },
	{ "ext-47-kept", test_kept,
	  "An offered allocation whose memory was not needed meanwhile keeps its bytes, even if it "
	  "leaves after it was reclaimed" },
	{ "ext-47-order", test_order,
	  "The allocation with the lowest offer priority leaves first. AUTO is the highest, "
	  "ordered by the allocation's own priority. No more leave than needed." },
	{ "ext-47-refused", test_refused,
	  "If a list has no place even if all others leave, no offered allocation leaves for it" },
	{ "ext-47-refused-in-pieces", test_refused_in_pieces,
	  "If MakeResident is refused because the memory that is not pinned is in pieces, no "
	  "offered allocation has left for it. One that helps leaves, even if the same device "
	  "requires it." },
	{ "ext-47-not-used", test_not_used,
	  "An offered allocation can be neither locked, nor named by a list, nor made resident. "
	  "Work that was submitted before uses it." },
	{ "ext-47-required", test_required,
	  "An offered member does not hold up its device. After it is reclaimed, it is resident "
	  "for the next submission." },
	{ "ext-47-swizzled", test_swizzled,
	  "An offered allocation that stays keeps its bytes, even if it loses or acquires a "
	  "swizzling range meanwhile. One that leaves with its range loses them." },
	{ "ext-47-first-after-failures", test_failures,
	  "An offered allocation remains the first to leave if host memory runs short or a wait is "
	  "interrupted as it leaves" },
	{ "ext-47-not-shared", test_not_shared,
	  "An offered allocation gets no second handle, by a name or a dma-buf. It gets one if "
	  "it has none, and a dma-buf still leads to the handle that its file has." },
	{ "errors", test_errors,
	  "The call does all or nothing: if one allocation is locked, pinned, shared or unknown, "
	  "it is refused, and none is offered" },
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
