// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit victims
 * Description: Which allocations leave when others need room, by priority and by policy, and when
 *   that takes a paging job.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: placement
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_place.h"

IGT_TEST_DESCRIPTION("Which allocations leave when others need room, by priority and by policy, "
		     "and when that takes a paging job.");

static struct vsplit_bo *bo_prio(char name, uint64_t size, uint32_t priority,
				 const uint8_t *segments)
{
	struct drm_vsplit_gem_create args = { .size = size, .priority = priority };

	for (; segments && segments[args.num_segments]; args.num_segments++)
		args.segments[args.num_segments] = segments[args.num_segments];
	return vsplit_bo_args(fd, name, &args);
}

static void set_priority(struct vsplit_bo *bo, uint32_t priority)
{
	struct drm_vsplit_gem_priority args = { bo->handle, priority };

	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_PRIORITY, &args), 0);
}

/**
 * SUBTEST: ext-28-lower-priority-leaves-first
 * Description: The allocation with the lowest priority is evicted, even if it was used last; among
 *   equals, the oldest one.
 */
static void test_priority(void)
{
	static const uint32_t prio[][3] = {
		{ VSPLIT_PRIORITY_LOW, VSPLIT_PRIORITY_NORMAL, VSPLIT_PRIORITY_HIGH },
		{ VSPLIT_PRIORITY_NORMAL, VSPLIT_PRIORITY_MIN, VSPLIT_PRIORITY_NORMAL },
		{ VSPLIT_PRIORITY_MAX, VSPLIT_PRIORITY_HIGH, VSPLIT_PRIORITY_NORMAL + 1 },
		{ VSPLIT_PRIORITY_NORMAL, VSPLIT_PRIORITY_NORMAL, VSPLIT_PRIORITY_NORMAL },
	};
	static const unsigned int leaves[] = { 0, 1, 2, 1 };

	for (unsigned int i = 0; i < ARRAY_SIZE(prio); i++) {
		struct vsplit_bo *bo[3], *d;

		setup_one(12 * U);
		for (unsigned int j = 0; j < 3; j++)
			bo[j] = bo_prio('A' + j, 4 * U, prio[i][j], NULL);
		/* B is the oldest, then C, then A. */
		use(bo[1]);
		use(bo[2]);
		use(bo[0]);
		d = vsplit_bo(fd, 'D', 4 * U);
		use(d);
		for (unsigned int j = 0; j < 3; j++)
			expect_in(bo[j], j == leaves[i] ? 0 : VRAM);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: ext-28-priority-in-a-plan
 * Description: Among the allocations of one buffer, too, the one with the lowest priority leaves.
 */
static void test_priority_plan(void)
{
	for (unsigned int low = 0; low < 2; low++) {
		struct vsplit_bo *bo[2], *c;

		setup_one(10 * U);
		for (unsigned int j = 0; j < 2; j++)
			bo[j] = bo_prio('A' + j, 4 * U, j == low ? VSPLIT_PRIORITY_LOW :
					VSPLIT_PRIORITY_NORMAL + j, NULL);
		c = vsplit_bo(fd, 'C', 4 * U);
		cs->access = VSPLIT_ALLOC_WRITE;
		vsplit_cs_bind(cs, 0, bo[0]);
		vsplit_cs_bind(cs, 1, bo[1]);
		vsplit_cs_add(cs, 0, 0, 1);
		vsplit_cs_add(cs, 1, 0, 1);
		vsplit_cs_bind(cs, 0, c);
		vsplit_cs_unbind(cs, 1);
		vsplit_cs_add(cs, 0, 0, 1);
		vsplit_cs_run(cs, ctx, 0);
		igt_assert_eq(cs->portions, 2);
		expect_in(bo[low], 0);
		expect_in(bo[!low], VRAM);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: ext-28-priority-changes
 * Description: A new priority counts from then on. Invalid priorities are refused, and change
 *   nothing.
 */
static void test_priority_changes(void)
{
	static const uint32_t bad[] = { 1, VSPLIT_PRIORITY_MIN - 1, VSPLIT_PRIORITY_MAX + 1, ~0u };
	struct drm_vsplit_gem_priority args;
	struct vsplit_bo *a, *b, *c;

	setup_one(8 * U);
	a = vsplit_bo(fd, 'A', 4 * U);
	b = vsplit_bo(fd, 'B', 4 * U);
	c = vsplit_bo(fd, 'C', 4 * U);
	use(a);
	use(b);
	set_priority(a, VSPLIT_PRIORITY_HIGH);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		args = (struct drm_vsplit_gem_priority) { a->handle, bad[i] };
		igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_PRIORITY, &args), -EINVAL);
	}
	args = (struct drm_vsplit_gem_priority) { 12345, VSPLIT_PRIORITY_LOW };
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_PRIORITY, &args), -ENOENT);
	use(c);
	expect_in(a, VRAM);
	expect_in(b, 0);
	/* Back to normal: A's use counts like any other, so that C is older now. */
	set_priority(a, 0);
	use(b);
	expect_in(a, VRAM);
	expect_in(c, 0);
}

/**
 * SUBTEST: ext-28-high-priority-insists
 * Description: An allocation with a high priority prefers evicting another one from its preferred
 *   segment to taking a hole in another segment.
 */
static void test_priority_insists(void)
{
	struct vsplit_bo *x, *normal, *high;

	setup_two(4 * U, 8 * U, false);
	x = vsplit_bo_in(fd, 'X', 4 * U, 0, in_first);
	use(x);
	normal = bo_prio('N', 4 * U, VSPLIT_PRIORITY_HIGH - 1, vram_first);
	use(normal);
	expect_in(x, VRAM);
	expect_in(normal, SECOND);
	high = bo_prio('H', 4 * U, VSPLIT_PRIORITY_HIGH, vram_first);
	use(high);
	expect_in(x, 0);
	expect_in(high, VRAM);
}

/* Bytes paged in by a buffer that loops over allocations that do not fit together. */
static uint64_t bytes_of_rounds(bool by_lru)
{
	struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 6 * U } },
		.slots = 64,
		.lru = by_lru,
	};
	struct drm_vsplit_statistics before, after;
	struct vsplit_bo *bo[4];

	setup_plan(&opts);
	cs->access = VSPLIT_ALLOC_WRITE;
	for (unsigned int i = 0; i < 4; i++) {
		bo[i] = vsplit_bo(fd, 'A' + i, 2 * U);
		vsplit_bo_pattern(bo[i], i);
	}
	for (unsigned int round = 0; round < 5; round++) {
		for (unsigned int i = 0; i < 4; i++) {
			vsplit_cs_bind(cs, 0, bo[i]);
			vsplit_cs_add(cs, 0, 8 * i, round + 1);
		}
	}
	vsplit_query_statistics(fd, &before);
	vsplit_cs_run(cs, ctx, 0);
	vsplit_query_statistics(fd, &after);
	return after.paged_in_bytes - before.paged_in_bytes;
}

/**
 * SUBTEST: victims-next-use
 * Description: The planner evicts the allocation that the list needs last, unless the option
 *   victims=lru is set. In a loop over a little more than fits this pages in less, with the same
 *   result.
 */
static void test_next_use(void)
{
	uint64_t lru, next_use;

	lru = bytes_of_rounds(true);
	vsplit_cleanup();
	next_use = bytes_of_rounds(false);
	igt_info("paged in: %" PRIu64 " bytes with lru, %" PRIu64 " with next-use\n", lru,
		 next_use);
	/* With lru, the victim is always the allocation that is used next. */
	igt_assert_eq_u64(lru, 20 * 2 * U);
	igt_assert(next_use < lru * 2 / 3);
}

/*
 * Runs a buffer that uses A and B before X, which is resident from the beginning. Returns the
 * number of portions.
 */
static uint32_t cut_of_three(bool planned, uint64_t vram, uint64_t *paged_in)
{
	struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = vram } },
		.slots = 64,
		.planned = planned,
	};
	struct drm_vsplit_statistics before, after;
	struct vsplit_record *record;
	struct vsplit_bo *x, *bo;
	uint32_t portions;

	vsplit_cleanup();
	setup_plan(&opts);
	x = vsplit_bo(fd, 'X', U);
	use2(x, NULL);
	vsplit_cs_reset(cs);
	vsplit_query_statistics(fd, &before);
	for (unsigned int i = 0; i < 3; i++) {
		bo = i < 2 ? vsplit_bo(fd, 'A' + i, U) : x;
		if (i < 2)
			vsplit_bo_pattern(bo, i);
		vsplit_cs_bind(cs, 0, bo);
		vsplit_cs_add(cs, 0, 8 * i, 2);
	}
	record = vsplit_cs_run(cs, ctx, 0);
	portions = record->info.num_portions;
	vsplit_query_statistics(fd, &after);
	*paged_in = after.paged_in_bytes - before.paged_in_bytes;
	return portions;
}

/**
 * SUBTEST: splits-planned
 * Description: With the option splits=planned, a buffer is cut one group earlier if then
 *   allocations that are not needed again make room, instead of those that are. Results are the
 *   same. A buffer that fits is one portion.
 */
static void test_splits_planned(void)
{
	uint64_t wddm, planned;

	igt_assert_eq(cut_of_three(false, 2 * U, &wddm), 2);
	igt_assert_eq(cut_of_three(true, 2 * U, &planned), 2);
	igt_info("paged in: %" PRIu64 " bytes with wddm, %" PRIu64 " with planned\n", wddm, planned);
	igt_assert_eq_u64(wddm, 3 * U);
	igt_assert_eq_u64(planned, 2 * U);
	igt_assert_eq(cut_of_three(true, 3 * U, &planned), 1);
}

/**
 * SUBTEST: victims-decide-no-refusal
 * Description: If B, which is not used again, leaves for K, then K stays in the middle, and there
 *   is no place for L. The list is not refused, because a plan with other victims exists.
 */
static void test_other_victims(void)
{
	static const struct { char name; unsigned int slot, units; } binds[] = {
		{ 'A', 0, 2 }, { 'B', 0, 2 }, { 'C', 0, 2 }, { 'K', 1, 2 }, { 'L', 0, 4 },
	};
	struct vsplit_bo *a = NULL, *b;

	setup_one(6 * U);
	for (unsigned int i = 0; i < ARRAY_SIZE(binds); i++) {
		b = vsplit_bo(fd, binds[i].name, binds[i].units * U);
		a = a ?: b;
		vsplit_cs_bind(cs, binds[i].slot, b);
		vsplit_cs_add(cs, binds[i].slot, 8 * i, i + 1);
	}
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_add(cs, 0, 0, 7);
	vsplit_cs_run(cs, ctx, 0);
}

/**
 * SUBTEST: clean-leaves-at-once
 * Description: An idle allocation that is in step with its backing store leaves in no time, because
 *   no engine has to do anything. An allocation that has to be written back takes a while.
 */
static void test_clean(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *a, *b;

	vsplit_not_under("expect_preparation_failure",
			 "what is evicted for an attempt that fails is in no record");
	setup_one(2 * U);
	a = vsplit_bo(fd, 'A', 2 * U);
	b = vsplit_bo(fd, 'B', 2 * U);
	vsplit_bo_pattern(a, 1);
	vsplit_bo_pattern(b, 2);
	for (unsigned int round = 0; round < 4; round++) {
		const struct drm_vsplit_event *out;

		vsplit_cs_reset(cs);
		cs->access = round < 2 ? 0 : VSPLIT_ALLOC_WRITE;
		vsplit_cs_bind(cs, 0, round % 2 ? b : a);
		if (cs->access)
			vsplit_cs_add(cs, 0, 8, 1);
		rec = vsplit_cs_run(cs, ctx, 0);
		out = vsplit_step(rec, VSPLIT_EVENT_EVICT, round % 2 ? a : b, 0);
		igt_assert_eq(!out, !round);
		if (!out)
			continue;
		igt_assert_eq_u64(out->copied, round < 3 ? 0 : out->bytes);
		igt_assert(out->t0_ns);
		igt_assert_eq(out->t0_ns == out->t1_ns, !out->copied);
		vsplit_record_free(rec);
	}
}

/**
 * SUBTEST: clean-leaves-after-its-readers
 * Description: An allocation that is in step with its backing store does not leave before the work
 *   that reads it is done.
 */
static void test_clean_in_use(void)
{
	struct vsplit_record *reads, *evicts;
	const struct drm_vsplit_event *out;
	struct vsplit_bo *a, *b;
	uint64_t reader;

	setup_one(2 * U);
	a = vsplit_bo(fd, 'A', 2 * U);
	b = vsplit_bo(fd, 'B', 2 * U);
	vsplit_bo_pattern(a, 1);
	cs->access = 0;
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_spin(cs, 300000);
	vsplit_cs_submit(cs, ctx, 0);
	reader = cs->submission;
	use_unseen(b);
	reads = vsplit_record(fd, ctx, reader);
	evicts = vsplit_record(fd, ctx, cs->submission);
	out = vsplit_step(evicts, VSPLIT_EVENT_EVICT, a, 0);
	igt_assert(out && vsplit_portion(reads, 0));
	igt_assert(vsplit_portion(reads, 0)->t1_ns <= out->t0_ns);
	vsplit_record_free(reads);
	vsplit_record_free(evicts);
}

/**
 * SUBTEST: leaves-where-room-is-needed
 * Description: An allocation is written, so it cannot be in its preferred segment, which is
 *   read-only for it. Allocations in that segment stay there, even if victims are chosen by use.
 */
static void test_needed_there(void)
{
	struct drm_vsplit_gem_create args = {
		.size = 4 * U,
		.num_segments = 2,
		.segments = { VRAM | VSPLIT_GEM_SEGMENT_READ_ONLY, SECOND },
	};
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 8 * U }, { "second", .size = 8 * U } },
		.planned = true,
	};
	struct vsplit_bo *a, *b, *c;

	setup_plan(&opts);
	a = vsplit_bo_args(fd, 'A', &args);
	b = vsplit_bo_in(fd, 'B', 6 * U, 0, in_first);
	c = vsplit_bo_in(fd, 'C', 6 * U, 0, (uint8_t[]){ SECOND, 0 });
	use2(b, c);
	use(a);
	expect_in(a, SECOND);
	expect_in(b, VRAM);
	expect_in(c, 0);
}

static const struct vsplit_subtest tests[] = {
	{ "ext-28-lower-priority-leaves-first", test_priority,
	  "The allocation with the lowest priority is evicted, even if it was used last; among "
	  "equals, the oldest one" },
	{ "ext-28-priority-in-a-plan", test_priority_plan,
	  "Among the allocations of one buffer, too, the one with the lowest priority leaves" },
	{ "ext-28-priority-changes", test_priority_changes,
	  "A new priority counts from then on. Invalid priorities are refused, and change "
	  "nothing." },
	{ "ext-28-high-priority-insists", test_priority_insists,
	  "An allocation with a high priority prefers evicting another one from its preferred "
	  "segment to taking a hole in another segment" },
	{ "victims-next-use", test_next_use,
	  "The planner evicts the allocation that the list needs last, unless the option "
	  "victims=lru is set" },
	{ "splits-planned", test_splits_planned,
	  "With the option splits=planned, a buffer is cut one group earlier if then allocations "
	  "that are not needed again make room, instead of those that are" },
	{ "leaves-where-room-is-needed", test_needed_there,
	  "An allocation that cannot be in its preferred segment makes no allocation leave that "
	  "segment" },
	{ "victims-decide-no-refusal", test_other_victims,
	  "A list is not refused if the preferred victims leave no place, and a plan with other "
	  "victims exists" },
	{ "clean-leaves-at-once", test_clean,
	  "An idle allocation that is in step with its backing store leaves in no time, because no "
	  "engine has to do anything" },
	{ "clean-leaves-after-its-readers", test_clean_in_use,
	  "An allocation that is in step with its backing store does not leave before the work "
	  "that reads it is done" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
