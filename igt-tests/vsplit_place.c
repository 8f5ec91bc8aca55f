// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit place
 * Description: The segment in which an allocation is placed, its offset there, and when it returns
 *   to its preferred segment. What leaves for it is tested by vsplit_victims.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: placement
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_place.h"

IGT_TEST_DESCRIPTION("The segment in which an allocation is placed, its offset there, and when it "
		     "returns to its preferred segment.");

static void expect_at(const struct vsplit_bo *bo, uint32_t segment, uint64_t offset)
{
	struct drm_vsplit_gem_info info;

	expect_in(bo, segment);
	vsplit_info(bo, &info);
	igt_assert_f(info.offset == offset, "%c is at %" PRIu64 ", not %" PRIu64 "\n", bo->name,
		     (uint64_t)info.offset, offset);
}

/**
 * SUBTEST: ext-27-order-of-preference
 * Description: An allocation takes the first segment of its list that has a large enough hole. Only
 *   if there is none does another allocation leave.
 */
static void test_order(void)
{
	struct vsplit_bo *a, *b, *c;

	setup_two(4 * U, 4 * U, false);
	a = vsplit_bo_in(fd, 'A', 4 * U, 0, vram_first);
	b = vsplit_bo_in(fd, 'B', 4 * U, 0, vram_first);
	c = vsplit_bo_in(fd, 'C', 4 * U, 0, vram_first);
	use(a);
	expect_at(a, VRAM, 0);
	use(b);
	expect_in(a, VRAM);
	expect_at(b, SECOND, 0);
	use(c);
	expect_in(a, 0);
	expect_in(b, SECOND);
	expect_at(c, VRAM, 0);
}

/**
 * SUBTEST: ext-27-from-the-end
 * Description: VSPLIT_GEM_TOPDOWN takes the end of the highest hole, whether everything fits or the
 *   list is planned.
 */
static void test_topdown(void)
{
	struct vsplit_bo *a, *b, *c;

	setup_one(16 * U);
	a = vsplit_bo(fd, 'A', 2 * U);
	b = vsplit_bo_in(fd, 'B', 2 * U, VSPLIT_GEM_TOPDOWN, NULL);
	use2(a, b);
	expect_at(a, VRAM, 0);
	expect_at(b, VRAM, 14 * U);

	/* Planned: A and B, then C, which does not fit beside both. */
	vsplit_cleanup();
	setup_one(16 * U);
	a = vsplit_bo(fd, 'A', 2 * U);
	b = vsplit_bo_in(fd, 'B', 2 * U, VSPLIT_GEM_TOPDOWN, NULL);
	c = vsplit_bo(fd, 'C', 14 * U);
	cs->access = VSPLIT_ALLOC_WRITE;
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_add(cs, 1, 0, 1);
	vsplit_cs_unbind(cs, 1);
	vsplit_cs_bind(cs, 0, c);
	vsplit_cs_add(cs, 0, 0, 1);
	vsplit_cs_run(cs, ctx, 0);
	igt_assert_eq(cs->portions, 2);
	expect_at(b, VRAM, 14 * U);
	expect_at(c, VRAM, 0);
}

/**
 * SUBTEST: returns-to-the-preferred-segment
 * Description: An allocation went to a less preferred segment because its preferred one was full.
 *   It returns with its bytes when it is used and there is room, from memory and from an aperture.
 *   Nothing is evicted for that.
 */
static void test_returns(void)
{
	for (unsigned int aperture = 0; aperture < 2; aperture++) {
		struct drm_vsplit_statistics before, after;
		struct vsplit_bo *x, *a, *b;

		setup_two(4 * U, 8 * U, aperture);
		x = vsplit_bo_in(fd, 'X', 4 * U, 0, in_first);
		a = vsplit_bo_in(fd, 'A', 2 * U, 0, vram_first);
		b = vsplit_bo_in(fd, 'B', 3 * U, 0, vram_first);
		use(x);
		vsplit_bo_pattern(a, 1);
		vsplit_bo_pattern(b, 2);
		use2(a, b);
		expect_in(a, SECOND);
		expect_in(b, SECOND);

		/* X is idle, but occupies the segment that they prefer. */
		use2(a, b);
		expect_in(x, VRAM);
		expect_in(a, SECOND);

		/* Now there is room for one of them. */
		vsplit_bo_free(x);
		vsplit_query_statistics(fd, &before);
		use2(a, b);
		vsplit_query_statistics(fd, &after);
		expect_at(a, VRAM, 0);
		expect_in(b, SECOND);
		igt_assert_eq_u64(after.evicted_copied_bytes, before.evicted_copied_bytes);
		vsplit_bo_check(a);

		/* It stays there, however often it is used. */
		vsplit_query_statistics(fd, &before);
		for (unsigned int i = 0; i < 3; i++)
			use2(a, b);
		vsplit_query_statistics(fd, &after);
		igt_assert_eq_u64(after.moved_bytes, before.moved_bytes);
		igt_assert_eq_u64(after.paged_in_bytes, before.paged_in_bytes);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: returns-not-while-busy
 * Description: An allocation that submitted work still uses stays where it is.
 */
static void test_returns_busy(void)
{
	struct vsplit_bo *x, *a;
	struct vsplit_cs *slow;
	bool busy = false;

	/* While the work spins the effect shows, if the test is quick enough. */
	for (uint32_t us = 50000; !busy && us < 2000000; us *= 2) {
		vsplit_cleanup();
		setup_two(4 * U, 8 * U, false);
		x = vsplit_bo_in(fd, 'X', 4 * U, 0, in_first);
		a = vsplit_bo_in(fd, 'A', 2 * U, 0, vram_first);
		use(x);
		use(a);
		expect_in(a, SECOND);

		slow = vsplit_cs(fd);
		slow->access = VSPLIT_ALLOC_WRITE;
		vsplit_cs_bind(slow, 0, a);
		vsplit_cs_add(slow, 0, 0, 1);
		vsplit_cs_spin(slow, us);
		vsplit_cs_submit(slow, ctx, 0);
		vsplit_cs_reference(slow, 0);
		vsplit_bo_free(x);
		vsplit_cs_submit(cs, ctx, 0);
		vsplit_cs_reference(cs, 0);
		busy = vsplit_syncobj_busy(fd, slow->out);
		if (busy)
			expect_in(a, SECOND);
		vsplit_cs_wait(cs);
	}
	igt_assert(busy);
	vsplit_bo_check(a);
	use(a);
	expect_in(a, VRAM);
}

/**
 * SUBTEST: small-bar-preferences
 * Description: If the CPU sees only a part of a segment, allocations with VSPLIT_GEM_CPU_ACCESS go
 *   there, and others go to the rest. They go to the other part only if their own is full.
 */
static void test_small_bar(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 16 * U, .cpu = "65536" } },
	};
	struct vsplit_bo *cpu, *gpu, *more, *late;

	igt_assert_eq_u64(4 * U, 65536);
	setup_plan(&opts);
	gpu = vsplit_bo(fd, 'G', 2 * U);
	cpu = vsplit_bo_in(fd, 'C', 2 * U, VSPLIT_GEM_CPU_ACCESS, NULL);
	use_unseen(gpu);
	expect_at(gpu, VRAM, 4 * U);
	use_unseen(cpu);
	expect_at(cpu, VRAM, 0);
	/* The rest has not enough room, and nothing leaves for a preference. */
	more = vsplit_bo(fd, 'M', 9 * U);
	use_unseen(more);
	expect_at(more, VRAM, 6 * U);
	late = vsplit_bo(fd, 'L', 2 * U);
	use_unseen(late);
	expect_at(late, VRAM, 2 * U);
	expect_at(cpu, VRAM, 0);
	vsplit_bo_check(cpu);
	vsplit_bo_check(gpu);
	expect_in(cpu, VRAM);
	/* The CPU cannot see it there, so it leaves when it is read. */
	expect_in(gpu, 0);
}

/**
 * SUBTEST: small-bar-in-a-plan
 * Description: A planned buffer places allocations in the same way: those that the CPU will map go
 *   to the part that it sees, even if others have to leave it, and the rest go elsewhere.
 */
static void test_small_bar_plan(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 16 * U, .cpu = "65536" } },
	};
	struct vsplit_bo *cpu, *gpu, *more;

	setup_plan(&opts);
	gpu = vsplit_bo(fd, 'G', 2 * U);
	cpu = vsplit_bo_in(fd, 'C', 3 * U, VSPLIT_GEM_CPU_ACCESS, NULL);
	more = vsplit_bo(fd, 'M', 12 * U);
	vsplit_cs_bind(cs, 0, gpu);
	vsplit_cs_set(cs, 0, 0, 64, 1);
	vsplit_cs_bind(cs, 1, cpu);
	vsplit_cs_set(cs, 1, 0, 64, 2);
	vsplit_cs_submit_and_wait(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	vsplit_cs_reference(cs, 0);
	expect_at(gpu, VRAM, 4 * U);
	expect_at(cpu, VRAM, 0);

	/* When both have left, 12 units fit at either end of the segment. */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, more);
	vsplit_cs_set(cs, 0, 0, 64, 3);
	vsplit_cs_bind(cs, 0, cpu);
	vsplit_cs_set(cs, 0, 0, 64, 4);
	vsplit_cs_submit_and_wait(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	vsplit_cs_reference(cs, 0);
	expect_at(cpu, VRAM, 0);
	vsplit_bo_check(cpu);
	expect_at(cpu, VRAM, 0);
	vsplit_bo_check(more);
	vsplit_bo_check(gpu);
}

/**
 * SUBTEST: ext-27-direction-of-a-preference
 * Description: Each preference has its own direction: from the end of one segment, and from the
 *   start of the next, alone and in a planned buffer.
 */
static void test_direction(void)
{
	for (unsigned int plan = 0; plan < 2; plan++) {
		for (unsigned int which = 0; which < 2; which++) {
			struct drm_vsplit_gem_create args = {
				.size = 2 * U, .num_segments = 2, .segments = { VRAM, SECOND },
			};
			struct vsplit_bo *a[2];

			setup_two(3 * U, 8 * U, true);
			args.segments[which] |= VSPLIT_GEM_SEGMENT_TOPDOWN;
			for (unsigned int i = 0; i < 2; i++) {
				a[i] = vsplit_bo_args(fd, 'A' + i, &args);
				vsplit_cs_bind(cs, i, a[i]);
				vsplit_cs_set(cs, i, 0, 64, i);
			}
			vsplit_cs_submit_and_wait(cs, ctx, plan ? VSPLIT_SUBMIT_FORCE_SPLIT : 0);
			vsplit_cs_reference(cs, 0);
			expect_at(a[0], VRAM, which ? 0 : U);
			expect_at(a[1], SECOND, which ? 6 * U : 0);
			vsplit_cleanup();
		}
	}
}

/* The segments of the eviction set tests: vram, a small aperture and a large one. */
enum { SMALL = 2, LARGE = 3 };

static void setup_eviction(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = {
			{ "vram", .size = 8 * U },
			{ "small", true, .size = 4 * U },
			{ "large", true, .size = 16 * U },
		},
	};
	setup_plan(&opts);
}

static struct vsplit_bo *bo_evicted_to(char name, uint64_t size, uint32_t set, uint8_t second)
{
	struct drm_vsplit_gem_create args = {
		.size = size, .num_segments = second ? 2 : 1, .segments = { VRAM, second },
		.eviction_set = set,
	};

	return vsplit_bo_args(fd, name, &args);
}

static struct drm_vsplit_statistics stats(void)
{
	struct drm_vsplit_statistics s;

	vsplit_query_statistics(fd, &s);
	return s;
}

/**
 * SUBTEST: ext-27-eviction-set
 * Description: An allocation is evicted by another buffer, at the end of a planned one, to make
 *   room for a planned one, or by the test hook. Each time it goes to the first aperture segment of
 *   its eviction set that has room, and its bytes are transferred once. Without a set, or without
 *   room, it goes to system memory.
 */
static void test_eviction_set(void)
{
	for (unsigned int how = 0; how < 4; how++) {
		struct vsplit_bo *bo[3], *d, *full;
		const struct vsplit_record *rec;
		uint64_t copied;

		setup_eviction();
		bo[0] = bo_evicted_to('A', 3 * U, 1 << (LARGE - 1) | 1 << (SMALL - 1), 0);
		bo[1] = bo_evicted_to('B', 2 * U, 1 << (LARGE - 1) | 1 << (SMALL - 1), 0);
		bo[2] = bo_evicted_to('C', 2 * U, 0, 0);
		d = vsplit_bo_in(fd, 'D', 7 * U, 0, in_first);
		full = bo_evicted_to('F', 8 * U, 0, 0);
		for (unsigned int i = 0; i < 3; i++)
			use(bo[i]);
		copied = stats().evicted_copied_bytes;
		vsplit_cs_reset(cs);
		if (how == 1) {
			/* All allocations in one buffer, which is split. */
			for (unsigned int i = 0; i < 3; i++) {
				vsplit_cs_bind(cs, i, bo[i]);
				vsplit_cs_set(cs, i, 64, 64, 9 + i);
			}
			for (unsigned int i = 0; i < 3; i++)
				vsplit_cs_unbind(cs, i);
		}
		if (how == 2) {
			vsplit_cs_bind(cs, 1, full);
			vsplit_cs_set(cs, 1, 0, 64, 12);
			vsplit_cs_unbind(cs, 1);
		}
		if (how < 3) {
			vsplit_cs_bind(cs, 0, d);
			vsplit_cs_set(cs, 0, 0, 64, 13);
			rec = vsplit_cs_run(cs, ctx, 0);
			igt_assert_eq(cs->portions, how == 0 ? 1 : 2);
			igt_assert_eq(vsplit_count(rec, VSPLIT_EVENT_MAP), 2);
			if (how == 1) {
				/* After the last portion. */
				const struct drm_vsplit_event *e =
					&rec->events[rec->info.num_events - 1];

				igt_assert_eq(e->type, VSPLIT_EVENT_MAP);
				igt_assert_eq(e->portion, 2);
			}
		} else {
			for (unsigned int i = 0; i < 3; i++)
				vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, bo[i]->handle, 0);
		}
		expect_in(bo[0], SMALL);
		expect_in(bo[1], LARGE);
		expect_in(bo[2], 0);
		copied = stats().evicted_copied_bytes - copied;
		igt_assert_eq_u64(copied, 7 * U + (how == 2) * full->size);
		for (unsigned int i = 0; i < 3; i++)
			vsplit_bo_check(bo[i]);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: ext-27-out-of-the-eviction-set
 * Description: An allocation leaves the segment that took it without a transfer when others need
 *   the room (SEG-16), and goes to system memory. When it is used, it goes to its own segments. If
 *   the segment that took it is one of its own, it is used there.
 */
static void test_eviction_set_left(void)
{
	struct vsplit_bo *a, *b, *big, *d;
	struct drm_vsplit_statistics before, after;

	setup_eviction();
	a = bo_evicted_to('A', 6 * U, 1 << (LARGE - 1), 0);
	b = bo_evicted_to('B', 6 * U, 1 << (LARGE - 1), LARGE);
	d = vsplit_bo_in(fd, 'D', 7 * U, 0, in_first);
	big = vsplit_bo_in(fd, 'X', 16 * U, 0, (uint8_t[]){ LARGE, 0 });
	use(a);
	use(d);
	expect_in(a, LARGE);
	before = stats();
	use(big);
	after = stats();
	expect_in(a, 0);
	expect_in(big, LARGE);
	igt_assert_eq_u64(after.evicted_copied_bytes, before.evicted_copied_bytes);
	igt_assert_eq_u64(after.paged_in_copied_bytes, before.paged_in_copied_bytes);
	vsplit_bo_check(a);

	/* From there it goes straight to a segment where it may be used, with its bytes. */
	use(d);
	vsplit_bo_free(big);
	use(a);
	use(d);
	expect_in(a, LARGE);
	use(a);
	expect_in(a, VRAM);
	expect_in(d, 0);
	vsplit_bo_check(a);

	/* It prefers VRAM, but need not be there. */
	vsplit_bo_free(a);
	use(b);
	expect_in(b, VRAM);
	use(d);
	expect_in(b, LARGE);
	before = stats();
	use(b);
	after = stats();
	expect_in(b, LARGE);
	igt_assert_eq_u64(after.paged_in_bytes, before.paged_in_bytes);
	vsplit_bo_check(b);
}

/* The most bytes that are mapped at any time of a record, with @mapped at its beginning. */
static uint64_t mapped_at_most(const struct vsplit_record *rec, uint64_t mapped)
{
	uint64_t most = mapped;

	for (unsigned int i = 0; i < rec->info.num_events; i++) {
		const struct drm_vsplit_event *e = &rec->events[i];

		if (e->type == VSPLIT_EVENT_MAP)
			mapped += e->bytes;
		else if (e->type == VSPLIT_EVENT_UNMAP)
			mapped -= e->bytes;
		if (mapped > most)
			most = mapped;
	}
	return most;
}

/* Two apertures, with a limit for both together that is as large as one. */
static void setup_apertures(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "one", true, .size = 8 * U }, { "two", true, .size = 8 * U } },
		.aperture_limit = 8 * U,
	};

	setup_plan(&opts);
}

/**
 * SUBTEST: ext-26-global-aperture-limit
 * Description: All apertures together never hold more than the adapter's limit, although each of
 *   them could. Others leave, and a buffer that needs more at once is split. It is refused if even
 *   that does not help.
 */
static void test_aperture_limit(void)
{
	struct drm_vsplit_segment_info info[VSPLIT_MAX_SEGMENTS];
	const struct vsplit_record *rec;
	struct vsplit_bo *a, *b, *c;

	setup_apertures();
	a = vsplit_bo_in(fd, 'A', 5 * U, 0, (uint8_t[]){ 1, 0 });
	b = vsplit_bo_in(fd, 'B', 5 * U, 0, (uint8_t[]){ 2, 0 });
	c = vsplit_bo_in(fd, 'C', 3 * U, 0, (uint8_t[]){ 2, 1, 0 });
	use(a);
	use(c);
	expect_in(a, 1);
	expect_in(c, 2);
	use(b);				/* there is a hole, but the limit forbids it */
	expect_in(b, 2);
	vsplit_query_segments(fd, info);
	igt_assert_lte(info[0].resident + info[1].resident, 8 * U);

	/* They fit one after the other. */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 0, 64, 1);
	vsplit_cs_bind(cs, 1, c);
	vsplit_cs_set(cs, 1, 0, 64, 2);
	vsplit_cs_unbind(cs, 0);
	vsplit_cs_bind(cs, 0, b);
	vsplit_cs_set(cs, 0, 0, 64, 3);
	rec = vsplit_cs_run(cs, ctx, 0);
	igt_assert_eq(cs->portions, 2);
	igt_assert_lte(mapped_at_most(rec, 5 * U), 8 * U);
	vsplit_query_segments(fd, info);
	igt_assert_lte(info[0].resident + info[1].resident, 8 * U);

	/* They do not fit together. */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_set(cs, 0, 0, 64, 1);
	vsplit_cs_set(cs, 1, 0, 64, 1);
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -ENOSPC);
	vsplit_bo_check(a);
	vsplit_bo_check(b);
	vsplit_bo_check(c);
}

/**
 * SUBTEST: ext-26-limit-for-what-is-pinned
 * Description: Allocations pinned in another aperture leave no room below the limit of all
 *   apertures. A pin is then refused, without endless attempts. Idle allocations there leave for
 *   it.
 */
static void test_aperture_limit_pinned(void)
{
	struct drm_vsplit_gem_create args = {
		.size = U, .flags = VSPLIT_GEM_PINNED, .num_segments = 1, .segments = { 1 },
	};
	struct vsplit_bo *elsewhere, *idle;
	pid_t pid;

	setup_apertures();
	vsplit_bo_in(fd, 'P', 4 * U, VSPLIT_GEM_PINNED, (uint8_t[]){ 1, 0 });
	elsewhere = vsplit_bo_in(fd, 'Q', 4 * U, VSPLIT_GEM_PINNED, (uint8_t[]){ 2, 0 });
	pid = vsplit_fork();
	if (!pid)
		_exit(ioctl(fd, DRM_IOCTL_VSPLIT_GEM_CREATE, &args) ? errno : 0);
	igt_assert_f(vsplit_soon(vsplit_task_state(pid) == 'Z'), "it tries for ever\n");
	igt_assert_eq(WEXITSTATUS(vsplit_reap(pid)), ENOSPC);

	vsplit_bo_free(elsewhere);
	idle = vsplit_bo_in(fd, 'D', 4 * U, 0, (uint8_t[]){ 2, 0 });
	use(idle);
	expect_in(idle, 2);
	igt_assert_eq(ioctl(fd, DRM_IOCTL_VSPLIT_GEM_CREATE, &args), 0);
	expect_in(idle, 0);
	vsplit_bo_check(idle);
}

/**
 * SUBTEST: ext-27-read-and-write-sets
 * Description: An allocation that is not written may be in a segment of its read set. When it is
 *   written, it moves to a segment of its write set with its bytes, whether everything fits or the
 *   list is planned.
 */
static void test_write_set(void)
{
	for (unsigned int aperture = 0; aperture < 2; aperture++) {
		for (unsigned int plan = 0; plan < 2; plan++) {
			struct drm_vsplit_gem_create args = {
				.size = 4 * U,
				.num_segments = 2,
				.segments = { SECOND | VSPLIT_GEM_SEGMENT_READ_ONLY, VRAM },
			};
			struct vsplit_bo *a, *b;

			setup_two(8 * U, 8 * U, aperture);
			a = vsplit_bo_args(fd, 'A', &args);
			b = vsplit_bo_in(fd, 'B', 6 * U, 0, in_first);
			vsplit_bo_pattern(a, 1);
			vsplit_bo_pattern(b, 2);
			cs->access = 0;
			vsplit_cs_bind(cs, 0, a);
			vsplit_cs_nop(cs, 64);
			vsplit_cs_run(cs, ctx, 0);
			expect_in(a, SECOND);

			vsplit_cs_reset(cs);
			cs->access = VSPLIT_ALLOC_WRITE;
			vsplit_cs_bind(cs, 0, a);
			vsplit_cs_add(cs, 0, 0, 1);
			if (plan) {
				vsplit_cs_bind(cs, 0, b);
				vsplit_cs_add(cs, 0, 0, 1);
			}
			vsplit_cs_run(cs, ctx, 0);
			igt_assert_eq(cs->portions, 1 + plan);
			expect_in(a, plan ? 0 : VRAM);

			/* When it is only read again, it returns to its preferred segment. */
			vsplit_cs_reset(cs);
			cs->access = 0;
			vsplit_cs_bind(cs, 0, a);
			vsplit_cs_nop(cs, 64);
			vsplit_cs_run(cs, ctx, 0);
			expect_in(a, SECOND);
			vsplit_cleanup();
		}
	}
}

/**
 * SUBTEST: ext-27-bad-sets
 * Description: Refused: no segment in which it may be written, pinned into a read-only segment,
 *   evicted to a segment that is no aperture.
 */
static void test_bad_sets(void)
{
	const uint8_t ro = VSPLIT_GEM_SEGMENT_READ_ONLY;
	struct drm_vsplit_gem_create args = { .size = U, .num_segments = 2 };

	setup_two(8 * U, 8 * U, false);
	args.segments[0] = VRAM | ro;
	args.segments[1] = SECOND | ro;
	igt_assert_eq(__vsplit_create(fd, &args), -EINVAL);
	args.segments[1] = VRAM;
	igt_assert_eq(__vsplit_create(fd, &args), -EINVAL);
	args.segments[1] = SECOND;
	args.flags = VSPLIT_GEM_PINNED;
	igt_assert_eq(__vsplit_create(fd, &args), -EINVAL);
	args.segments[0] = SECOND;
	args.segments[1] = VRAM | ro;
	igt_assert_eq(__vsplit_create(fd, &args), 0);
	args.num_segments = 1;
	igt_assert_eq(__vsplit_create(fd, &args), -EINVAL);
	/*
	 * Memory segments cannot be in an eviction set, and pinned allocations are never evicted.
	 */
	vsplit_cleanup();
	setup_eviction();
	for (unsigned int i = 0; i < 3; i++) {
		args = (struct drm_vsplit_gem_create) { .size = U, .eviction_set = 1u << i };
		igt_assert_eq(__vsplit_create(fd, &args), i ? 0 : -EINVAL);
		args.flags = VSPLIT_GEM_PINNED;
		igt_assert_eq(__vsplit_create(fd, &args), -EINVAL);
	}
	args = (struct drm_vsplit_gem_create) { .size = U, .eviction_set = 8 };
	igt_assert_eq(__vsplit_create(fd, &args), -EINVAL);
}

static const struct vsplit_subtest tests[] = {
	{ "ext-26-global-aperture-limit", test_aperture_limit,
	  "All apertures together never hold more than the adapter's limit, although each of them "
	  "could" },
	{ "ext-26-limit-for-what-is-pinned", test_aperture_limit_pinned,
	  "Allocations pinned in another aperture leave no room below the limit of all apertures" },
	{ "ext-27-order-of-preference", test_order,
	  "An allocation takes the first segment of its list that has a large enough hole. Only if "
	  "there is none does another allocation leave." },
	{ "ext-27-from-the-end", test_topdown,
	  "VSPLIT_GEM_TOPDOWN takes the end of the highest hole, whether everything fits or the "
	  "list is planned" },
	{ "ext-27-direction-of-a-preference", test_direction,
	  "Each preference has its own direction: from the end of one segment, and from the start "
	  "of the next, alone and in a planned buffer" },
	{ "ext-27-eviction-set", test_eviction_set,
	  "An evicted allocation goes to the first aperture segment of its eviction set that has "
	  "room, else to system memory" },
	{ "ext-27-out-of-the-eviction-set", test_eviction_set_left,
	  "An allocation leaves the segment that took it without a transfer when others need the "
	  "room (SEG-16), and goes to system memory" },
	{ "ext-27-read-and-write-sets", test_write_set,
	  "An allocation that is not written may be in a segment of its read set" },
	{ "ext-27-bad-sets", test_bad_sets,
	  "An allocation is refused that could be written in no segment, is pinned read-only, or "
	  "is evicted to memory" },
	{ "returns-to-the-preferred-segment", test_returns,
	  "An allocation returns to its preferred segment when it is used and there is room; "
	  "nothing is evicted for that" },
	{ "returns-not-while-busy", test_returns_busy,
	  "An allocation that submitted work still uses stays where it is" },
	{ "small-bar-preferences", test_small_bar,
	  "If the CPU sees only a part of a segment, allocations with VSPLIT_GEM_CPU_ACCESS go "
	  "there, and others go to the rest" },
	{ "small-bar-in-a-plan", test_small_bar_plan,
	  "A planned buffer places allocations in the same way: those that the CPU will map go to "
	  "the part that it sees, even if others have to leave it, and the rest go elsewhere" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
