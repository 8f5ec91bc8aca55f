// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit sharers
 * Description: Explicit residency: what requirement lists of several devices, pins and contexts
 *   that split take from each other, and what many of them cost; Documentation/residency.rst.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: residency
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_resid.h"

IGT_TEST_DESCRIPTION("Explicit residency: what requirement lists of several devices, pins and "
		     "contexts that split take from each other, and what many of them cost; "
		     "Documentation/residency.rst.");

/* Pins @units units of vram. */
static int __pin(int file, unsigned int units, uint32_t *handle)
{
	struct drm_vsplit_gem_create args = {
		.size = units * U, .flags = VSPLIT_GEM_PINNED, .num_segments = 1, .segments = { 1 },
	};
	int ret = __vsplit_create(file, &args);

	*handle = args.handle;
	return ret;
}

/**
 * SUBTEST: res-6-pins-leave-room
 * Description: A pin that would take the room of admitted lists is refused, and nothing has left
 *   for it. Allocations that are on no list, may be elsewhere, are offered, or are pinned
 *   themselves need no room. Lists, in turn, do not get the room of pinned allocations.
 */
static void test_res_6_pins(void)
{
	static const uint32_t last = VSPLIT_RESIDENT_CANT_TRIM_FURTHER;
	static const uint8_t anywhere[] = { 2, 1, 0 };
	struct drm_vsplit_make_resident args;
	struct vsplit_bo *a, *b, *c;
	uint32_t pins[3];

	setup_devices();
	a = bo_on(fd, 'A', 6);
	b = bo_on(fd, 'B', 7);
	make(a);
	make(b);
	make(vsplit_bo_in(fd, 'E', 8 * U, 0, anywhere));
	make(bo_on(fd2, 'D', 3));
	igt_assert_eq(__pin(fd2, 4, &pins[0]), -ENOSPC);
	igt_assert(vsplit_bo_resident(a) && vsplit_bo_resident(b));
	igt_assert_eq(__pin(fd2, 3, &pins[0]), 0);
	fills(cs, a, 3);
	run_one(cs, ctx);
	igt_assert(vsplit_bo_resident(a) && vsplit_bo_resident(b));
	c = bo_on(fd, 'C', 1);
	igt_assert_eq(__vsplit_make_resident(fd, &c->handle, 1, last, &args), -ENOSPC);
	igt_assert_eq_u64(args.trim_bytes, U);
	/* Its own pins count once. */
	take(b);
	igt_assert_eq(__pin(fd, 7, &pins[1]), 0);
	igt_assert_eq(__vsplit_make_resident(fd, &pins[1], 1, last, NULL), 0);
	igt_assert_eq(__pin(fd, 1, &pins[2]), -ENOSPC);
	/* An allocation that is offered, and is reclaimed. */
	igt_assert_eq(__vsplit_offer(fd, &a->handle, 1, VSPLIT_OFFER_LOW), 0);
	igt_assert_eq(__pin(fd, 1, &pins[2]), 0);
	igt_assert_eq(__vsplit_gem_close(fd, pins[2]), 0);
	vsplit_reclaim(fd, a);
	igt_assert_eq(__pin(fd, 1, &pins[2]), -ENOSPC);
	/* Closed allocations and files give their room back. */
	igt_assert_eq(__vsplit_gem_close(fd, pins[1]), 0);
	igt_assert_eq(__vsplit_make_resident(fd, &b->handle, 1, last, NULL), 0);
	igt_assert_eq(__pin(fd, 1, &pins[2]), -ENOSPC);
	vsplit_cleanup_file(fd);
	igt_assert_eq(__pin(fd2, 10, &pins[2]), 0);
}

/* Lets @nr more devices require the allocation. */
static void share(const struct vsplit_bo *b, int *files, uint32_t *handles, unsigned int nr)
{
	int dmabuf = vsplit_bo_export(b);

	for (unsigned int i = 0; i < nr; i++) {
		files[i] = vsplit_adapter_open(ad);
		igt_assert_eq(__vsplit_import(files[i], dmabuf, &handles[i]), 0);
		igt_assert_eq(__vsplit_make_resident(files[i], &handles[i], 1, 0, NULL), 0);
	}
	close(dmabuf);
}

/**
 * SUBTEST: sharers-are-bounded
 * Description: As many devices as allowed require an allocation. One more is refused, and changes
 *   nothing, until one of them no longer requires the allocation and its work is done.
 */
static void test_sharers(void)
{
	uint32_t handles[VSPLIT_MAX_SHARERS];
	int files[VSPLIT_MAX_SHARERS];
	struct vsplit_bo *a;
	int dmabuf;

	setup_devices();
	a = bo_on(fd, 'A', 1);
	make(a);
	share(a, files, handles, VSPLIT_MAX_SHARERS - 1);
	dmabuf = vsplit_bo_export(a);
	igt_assert_eq(__vsplit_import(fd2, dmabuf, &handles[VSPLIT_MAX_SHARERS - 1]), 0);
	close(dmabuf);
	for (unsigned int i = 0; i < 2; i++) {
		expect(__vsplit_make_resident(fd2, &handles[VSPLIT_MAX_SHARERS - 1], 1, 0, NULL), -E2BIG);
		igt_assert_eq(residency(fd2, handles[VSPLIT_MAX_SHARERS - 1]).count, 0);
		igt_assert_eq_u64(usage(fd2), 0);
	}
	/* A device that requires it may require it again. */
	make(a);
	igt_assert_eq(residency(fd, a->handle).count, 2);
	take(a);
	/* Its place in the limit is free after its work is done. */
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 0, a->size, 1);
	vsplit_cs_spin(cs, 50000);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(__vsplit_evict(fd, &a->handle, 1, VSPLIT_EVICT_IF_NECESSARY), 0);
	vsplit_cs_wait(cs);
	expect(__vsplit_make_resident(fd2, &handles[VSPLIT_MAX_SHARERS - 1], 1, 0, NULL), 0);
	igt_assert_eq_u64(usage(fd2), U);
	expect(__vsplit_make_resident(fd, &a->handle, 1, 0, NULL), -E2BIG);
	vsplit_cleanup_file(files[0]);
	expect(__vsplit_make_resident(fd, &a->handle, 1, 0, NULL), 0);
}

/**
 * SUBTEST: plans-pass-sharers-by
 * Description: A plan costs the same, however many devices require the allocations in its segments.
 */
static void test_plans(void)
{
	uint32_t handles[VSPLIT_MAX_SHARERS - 1];
	int files[ARRAY_SIZE(handles)];
	struct vsplit_bo *a, *b[2];
	uint64_t steps;

	setup_devices();
	a = bo_on(fd, 'A', 1);
	make(a);
	share(a, files, handles, ARRAY_SIZE(handles));
	for (unsigned int i = 0; i < 2; i++)
		b[i] = bo_on(fd2, 'B' + i, 10);
	steps = vsplit_adapter_stat(ad, "list_steps");
	for (unsigned int i = 0; i < 2; i++) {
		make(b[i]);
		igt_assert(vsplit_bo_resident(b[i]));
		igt_assert_eq(__vsplit_evict(fd2, &b[i]->handle, 1, VSPLIT_EVICT_IF_NECESSARY), 0);
	}
	steps = vsplit_adapter_stat(ad, "list_steps") - steps;
	igt_assert_f(steps < ARRAY_SIZE(files), "%" PRIu64 " steps\n", steps);
	igt_assert(vsplit_bo_resident(a) && !vsplit_bo_resident(b[0]));
}

/**
 * SUBTEST: lost-ones-keep-nothing
 * Description: Allocations that a lost device requires leave before those that others require, even
 *   if they were used later.
 */
static void test_lost(void)
{
	struct vsplit_bo *a, *b, *c;
	int file;

	setup_devices();
	file = vsplit_adapter_open(ad);
	c = bo_on(file, 'C', 8);
	make(c);
	a = bo_on(fd, 'A', 8);
	make(a);
	fills(cs, bo_on(fd, 'D', 1), 1);
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -EINVAL);
	b = bo_on(fd2, 'B', 8);
	igt_assert_eq(__vsplit_make_resident(fd2, &b->handle, 1, 0, NULL), 0);
	igt_assert(vsplit_bo_resident(b) && vsplit_bo_resident(c) && !vsplit_bo_resident(a));
	igt_assert(!residency(file, 0).trims && !residency(fd, 0).trims);
	/* A lost device has no missing allocations. */
	vsplit_escape(fd2, VSPLIT_ESCAPE_EVICT, b->handle, 0);
	igt_assert_eq_u64(vsplit_fdinfo(fd2, "vsplit-required-missing:"), 1);
	fills(cs2, bo_on(fd2, 'E', 1), 1);
	igt_assert_eq(__vsplit_cs_submit(cs2, ctx2, 0), -EINVAL);
	igt_assert_eq_u64(vsplit_fdinfo(fd2, "vsplit-required-missing:"), 0);
}

/**
 * SUBTEST: pins-pass-lists-by
 * Description: A pin costs the same, however many devices have lists that it does not break.
 */
static void test_pins(void)
{
	struct vsplit_adapter_opts opts = options();
	const unsigned int devices = 24;
	uint64_t steps;
	uint32_t pin;

	opts.segs[0].size = 4 * devices * U;
	setup_adapter(&opts);
	for (unsigned int i = 0; i < devices; i++)
		make(bo_on(vsplit_adapter_open(ad), 'L', 1));
	steps = vsplit_adapter_stat(ad, "list_steps");
	igt_assert_eq(__pin(fd2, 1, &pin), 0);
	steps = vsplit_adapter_stat(ad, "list_steps") - steps;
	igt_assert_f(steps < devices / 4, "%" PRIu64 " steps\n", steps);
	/* A list that the pin would break is found among them: it needs all but 20 units. */
	make(bo_on(fd, 'A', 3 * devices - 10));
	make(bo_on(fd, 'B', devices - 10));
	igt_assert_eq(__pin(fd2, 20, &pin), -ENOSPC);
	igt_assert_eq(__pin(fd2, 5, &pin), 0);
}

/**
 * SUBTEST: idle-contexts-are-looked-at-once
 * Description: An allocation leaves after the work of all contexts of a device. Contexts without
 *   new work since the last time that it left cost nothing.
 */
static void test_idle(void)
{
	const unsigned int contexts = 20;
	struct vsplit_bo *a;
	uint64_t steps;

	setup_devices();
	a = bo_on(fd, 'A', 1);
	make(a);
	for (unsigned int i = 0; i < contexts; i++) {
		fills(cs, a, i);
		run_one(cs, vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_EXPLICIT, 0));
		vsplit_cs_reset(cs);
	}
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
	fills(cs, a, 7);
	run_one(cs, ctx);
	steps = vsplit_adapter_stat(ad, "list_steps");
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
	steps = vsplit_adapter_stat(ad, "list_steps") - steps;
	igt_assert(!vsplit_bo_resident(a));
	igt_assert_f(steps < contexts, "%" PRIu64 " steps\n", steps);
	vsplit_bo_check(a);
}

/**
 * SUBTEST: beside-wddm-1
 * Description: A device with a list and a device that splits share memory. Each gets what it needs.
 *   The device that splits may take memory that the other one requires while that does not run.
 */
static void test_beside(void)
{
	struct vsplit_bo *a, *b[3];
	struct vsplit_cs *c;
	uint32_t patch;
	int file;

	setup_devices();
	file = vsplit_adapter_open(ad);
	patch = vsplit_ctx_mode(file, VSPLIT_CTX_MODE_PATCH, 0);
	c = vsplit_cs(file);
	a = bo_on(fd, 'A', 12);
	vsplit_bo_pattern(a, 1);
	make(a);
	for (unsigned int i = 0; i < 3; i++)
		b[i] = bo_on(file, 'x' + i, 8);
	for (unsigned int round = 0; round < 3; round++) {
		vsplit_cs_reset(c);
		for (unsigned int i = 0; i < 3; i++) {
			vsplit_cs_bind(c, 0, b[i]);
			vsplit_cs_set(c, 0, 0, 8192, i + 3 * round);
		}
		vsplit_cs_submit_and_wait(c, patch, 0);
		vsplit_cs_reference(c, 0);
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_set(cs, 0, 4096 * round, 4096, round);
		run_one(cs, ctx);
	}
	vsplit_bo_check(a);
	for (unsigned int i = 0; i < 3; i++)
		vsplit_bo_check(b[i]);
}

static const struct vsplit_subtest subtests[] = {
	{ "res-6-pins-leave-room", test_res_6_pins,
	  "A pin that would take the room of admitted lists is refused, and nothing has left for "
	  "it" },
	{ "sharers-are-bounded", test_sharers,
	  "No more devices than allowed can require an allocation, until one of them no longer "
	  "does and its work is done" },
	{ "plans-pass-sharers-by", test_plans,
	  "A plan costs the same, however many devices require the allocations in its segments" },
	{ "lost-ones-keep-nothing", test_lost,
	  "Allocations that a lost device requires leave before those that others require, even if "
	  "they were used later" },
	{ "pins-pass-lists-by", test_pins,
	  "A pin costs the same, however many devices have lists that it does not break" },
	{ "idle-contexts-are-looked-at-once", test_idle,
	  "An allocation leaves after the work of all contexts of a device, and contexts without "
	  "new work cost nothing" },
	{ "beside-wddm-1", test_beside,
	  "A device with a requirement list and a device that splits share memory, and each gets "
	  "what it needs" },
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
