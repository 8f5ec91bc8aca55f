// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit ahead
 * Description: Paging that overlaps running, on adapters with splits=planned and paging=own: the
 *   paging engine works while portions run, and takes nothing away from a portion that uses it.
 *   Also: when allocations leave for another submission, those that are used again are the last to
 *   leave.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: splitting
 * Test category: functionality test
 *
 * The adapters use the model clock, whose times do not depend on the host. vsplit_record_check()
 * checks the times of each step against those of the portions that used its allocation, and of the
 * steps before it.
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"

#include <poll.h>

IGT_TEST_DESCRIPTION("Paging that overlaps running, on adapters with splits=planned and "
		     "paging=own: the paging engine works while portions run, and takes nothing "
		     "away from a portion that uses it.");

#define U 65536ull
#define MS ((uint64_t)1000000)
/* By the model, one allocation of 8 units takes about 5 ms. */
#define PAGING_BYTES_PER_US 128
#define SPIN_US 5000
/*
 * A host that is slower than the model makes times longer, never shorter. If this hides the effect
 * that a test looks for, the test tries again with a model of half the speed.
 */
#define TRIES 6
#define ROUNDS 6

static struct vsplit_adapter *ad;
static int fd;

/*
 * @memory_speed: how many times faster bytes move inside memory than they are paged in; 0: default.
 */
static void setup_model(bool paging_own, const char *preemption, unsigned int slower,
			unsigned int memory_speed)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 64 * U } },
		.slots = 64,
		.engines = 1,
		.paging_own = paging_own,
		.preemption = preemption,
		.model_clock = true,
		.planned = true,
		.test = true,
	};
	char rate[16];

	snprintf(rate, sizeof(rate), "%u", PAGING_BYTES_PER_US / slower);
	vsplit_cleanup();
	vsplit_not_under("take_split_point,evict_between,random_placement,delay_paging",
			 "it decides where the cuts are, and how long paging takes");
	ad = vsplit_adapter_prepare(&opts);
	igt_assert_eq(__vsplit_adapter_write(ad, "model_paging_bytes_per_us", rate), 0);
	if (memory_speed) {
		/* A move reads and writes each byte. */
		snprintf(rate, sizeof(rate), "%u", 2 * memory_speed * PAGING_BYTES_PER_US);
		igt_assert_eq(__vsplit_adapter_write(ad, "model_bytes_per_us", rate), 0);
	}
	vsplit_adapter_enable(ad);
	fd = vsplit_adapter_open(ad);
}

static void setup_slower(bool paging_own, const char *preemption, unsigned int slower)
{
	setup_model(paging_own, preemption, slower, 0);
}

static void setup(bool paging_own, const char *preemption)
{
	setup_slower(paging_own, preemption, 1);
}

/* Uses @n allocations one after the other, and spins for @spin_us with each. */
static struct vsplit_cs *build(int file, unsigned int n, unsigned int spin_us)
{
	struct vsplit_cs *cs = vsplit_cs(file);

	for (unsigned int i = 0; i < n; i++) {
		struct vsplit_bo *bo = vsplit_bo(file, 'A' + i, 8 * U);

		vsplit_bo_pattern(bo, i + 1);
		vsplit_cs_bind(cs, 0, bo);
		vsplit_cs_add(cs, 0, 8 * i, i + 1);
		vsplit_cs_spin(cs, spin_us);
	}
	return cs;
}

/* The time from the first step to the end of the last one. */
static uint64_t makespan(const struct vsplit_record *rec)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (uint32_t i = 0; i < rec->info.num_events; i++) {
		first = min(first, (uint64_t)rec->events[i].t0_ns);
		last = max(last, (uint64_t)rec->events[i].t1_ns);
	}
	return last - first;
}

/* The sum of the times of all steps. */
static uint64_t work(const struct vsplit_record *rec)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < rec->info.num_events; i++)
		sum += rec->events[i].t1_ns - rec->events[i].t0_ns;
	return sum;
}

/**
 * SUBTEST: paging-overlaps-running
 * Description: A buffer uses sixteen allocations in memory for eight: while a portion runs, the
 *   next ones are paged in. The buffer takes less than two thirds of the sum of its steps' times
 *   (if the host is slower than the model, on a slower model). If the engine pages itself, it takes
 *   at least that sum. Results are the same.
 */
static void test_overlap(void)
{
	for (int own = 0; own < 2; own++) {
		bool less = false;

		for (unsigned int i = 0; i < (own ? TRIES : 1) && !less; i++) {
			struct vsplit_record *rec;

			setup_slower(own, NULL, 1 << i);
			rec = vsplit_cs_run(build(fd, 16, SPIN_US << i), vsplit_ctx(fd, 0), 0);
			igt_info("paging %s: %u portions, %" PRIu64 " ms of work in %" PRIu64 " ms\n",
				 own ? "own" : "same", rec->info.num_portions, work(rec) / MS,
				 makespan(rec) / MS);
			igt_assert(work(rec) > (16 * 8 * MS) << i);
			less = makespan(rec) < work(rec) * 2 / 3;
			igt_assert(own || makespan(rec) >= work(rec));
		}
		igt_assert_eq(less, own);
	}
}

/**
 * SUBTEST: what-fits-is-one-portion
 * Description: A buffer that fits is one portion, however large it is. The portion begins when all
 *   allocations are resident.
 */
static void test_fits(void)
{
	struct vsplit_record *rec;

	setup(true, NULL);
	rec = vsplit_cs_run(build(fd, 8, 100), vsplit_ctx(fd, 0), 0);
	igt_assert_eq(rec->info.num_portions, 1);
}

/**
 * SUBTEST: moves-where-memory-is-fast
 * Description: The room for an allocation is in two pieces, with an allocation between them that is
 *   used again. If memory is much faster than the bus, that allocation moves, in the time that
 *   memory takes for it; if memory is no faster, it leaves.
 */
static void test_moves(void)
{
	static const unsigned int order[] = { 0, 1, 2, 3, 4, 0, 2 };
	static const unsigned int speeds[] = { 1, 64 };

	for (unsigned int s = 0; s < ARRAY_SIZE(speeds); s++) {
		const struct drm_vsplit_event *move = NULL, *load = NULL;
		struct vsplit_bo *bo[5];
		struct vsplit_record *rec;
		struct vsplit_cs *cs;

		setup_model(false, NULL, 1, speeds[s]);
		cs = vsplit_cs(fd);
		for (unsigned int i = 0; i < ARRAY_SIZE(bo); i++)
			bo[i] = vsplit_bo(fd, 'A' + i, (i < 4 ? 16 : 32) * U);
		for (unsigned int i = 0; i < ARRAY_SIZE(order); i++) {
			vsplit_cs_bind(cs, 0, bo[order[i]]);
			vsplit_cs_add(cs, 0, 8 * i, i + 1);
		}
		rec = vsplit_cs_run(cs, vsplit_ctx(fd, 0), 0);
		for (uint32_t i = 0; i < rec->info.num_events; i++) {
			const struct drm_vsplit_event *e = &rec->events[i];

			if (e->id == bo[2]->id && e->type == VSPLIT_EVENT_MOVE)
				move = e;
			else if (e->id == bo[2]->id && e->type == VSPLIT_EVENT_PAGE_IN)
				load = e;
		}
		igt_assert(load);
		igt_assert_eq(!!move, speeds[s] > 1);
		igt_assert(!move || 16 * (move->t1_ns - move->t0_ns) < load->t1_ns - load->t0_ns);
	}
}

/* Returns how many of the random lists overlapped. */
static unsigned int random_lists(unsigned int slower)
{
	struct vsplit_rng rng = { 7 };
	struct vsplit_bo *bos[24];
	unsigned int overlaps = 0;
	uint32_t ctx;

	setup_slower(true, NULL, slower);
	ctx = vsplit_ctx(fd, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(bos); i++) {
		bos[i] = vsplit_bo(fd, 'A' + i, (1 + vsplit_rng_below(&rng, 15)) * U);
		vsplit_bo_pattern(bos[i], i + 1);
	}
	for (unsigned int round = 0; round < ROUNDS; round++) {
		struct vsplit_cs *cs = vsplit_cs(fd);
		struct vsplit_record *rec;
		uint32_t bound = 0;

		for (unsigned int i = 0; i < 60; i++) {
			uint32_t slot = vsplit_rng_below(&rng, 3);

			vsplit_cs_bind(cs, slot, bos[vsplit_rng_below(&rng, ARRAY_SIZE(bos))]);
			bound |= 1 << slot;
			vsplit_cs_add(cs, slot, 8 * vsplit_rng_below(&rng, 64), i + 1);
			slot = vsplit_rng_below(&rng, 3);
			if (bound & 1 << slot)
				vsplit_cs_add(cs, slot, 8 * vsplit_rng_below(&rng, 64), i + 1);
			vsplit_cs_spin(cs, vsplit_rng_below(&rng, 3) * 1000 * slower);
		}
		rec = vsplit_cs_run(cs, ctx, 0);
		igt_assert(rec->info.num_portions > 4);
		overlaps += makespan(rec) < work(rec);
		vsplit_cs_free(cs);
	}
	return overlaps;
}

/**
 * SUBTEST: nothing-is-taken-from-what-runs
 * Description: Random lists over three times the memory, with kept rows, written contents, long
 *   portions and slow paging. Bytes are right. Each step begins after the portions that use what it
 *   takes away, and each portion begins after the steps before it.
 */
static void test_nothing_is_taken(void)
{
	unsigned int overlaps = 0;

	for (unsigned int i = 0; i < TRIES && overlaps < ROUNDS; i++)
		overlaps = random_lists(1 << i);
	igt_assert_eq(overlaps, ROUNDS);
}

/**
 * SUBTEST: the-first-waits-for-a-portion
 * Description: The first portion finds all that it uses in memory, so the program's first paging
 *   step comes after it. What has to leave for the second portion leaves when the first one is
 *   over, with all bytes that it has written.
 */
static void test_first_waits(void)
{
	struct vsplit_bo *bos[2];
	uint32_t ctx;

	setup(true, NULL);
	ctx = vsplit_ctx(fd, 0);
	for (unsigned int i = 0; i < 2; i++) {
		bos[i] = vsplit_bo(fd, 'A' + i, 40 * U);
		vsplit_bo_pattern(bos[i], i + 1);
	}
	for (unsigned int round = 0; round < 12; round++) {
		struct vsplit_bo *there = bos[round % 2], *comes = bos[(round + 1) % 2];
		struct vsplit_cs *cs = vsplit_cs(fd);
		const struct drm_vsplit_event *e;
		struct vsplit_record *rec;

		if (!round) {
			vsplit_cs_bind(cs, 0, there);
			vsplit_cs_add(cs, 0, 0, 1);
			vsplit_cs_run(cs, ctx, 0);
			vsplit_cs_free(cs);
			cs = vsplit_cs(fd);
		}
		vsplit_cs_bind(cs, 0, there);
		for (unsigned int i = 0; i < 20; i++)
			vsplit_cs_set(cs, 0, 0, 40 * U, round * 16 + i);
		vsplit_cs_spin(cs, SPIN_US);
		vsplit_cs_add(cs, 0, 8 * round, 1);
		vsplit_cs_bind(cs, 0, comes);
		vsplit_cs_add(cs, 0, 8 * round, 1);
		rec = vsplit_cs_run(cs, ctx, 0);
		e = rec->events;
		igt_assert_eq(rec->info.num_portions, 2);
		igt_assert_eq(e[0].type, VSPLIT_EVENT_PORTION);
		igt_assert_eq(e[1].type, VSPLIT_EVENT_EVICT);
		igt_assert_eq(e[1].id, there->id);
		igt_assert(e[0].t1_ns <= e[1].t0_ns);
		vsplit_cs_free(cs);
	}
}

static bool comes_in_beside(unsigned int us)
{
	struct vsplit_record *first, *second;
	struct vsplit_cs *cs[2];
	bool beside = true;
	int other;
	uint32_t ctx[2];

	setup(true, "none");
	other = vsplit_adapter_open(ad);
	cs[0] = build(fd, 1, us);
	cs[1] = build(other, 4, 100);
	ctx[0] = vsplit_ctx(fd, 0);
	ctx[1] = vsplit_ctx(other, 0);
	vsplit_cs_submit(cs[0], ctx[0], 0);
	vsplit_cs_submit(cs[1], ctx[1], 0);
	for (unsigned int i = 0; i < 2; i++) {
		vsplit_cs_wait(cs[i]);
		vsplit_cs_reference(cs[i], cs[i]->bytes);
		vsplit_cs_check(cs[i]);
	}
	first = vsplit_record(fd, ctx[0], cs[0]->submission);
	second = vsplit_record(other, ctx[1], cs[1]->submission);
	igt_assert_eq(vsplit_count(second, VSPLIT_EVENT_PAGE_IN), 4);
	for (uint32_t i = 0; i < second->info.num_events; i++) {
		const struct drm_vsplit_event *e = &second->events[i];

		if (e->type == VSPLIT_EVENT_PAGE_IN)
			beside &= e->t1_ns < vsplit_portion(first, 0)->t1_ns;
		else
			igt_assert(e->t0_ns >= vsplit_portion(first, 0)->t1_ns);
	}
	vsplit_cleanup();
	return beside;
}

/**
 * SUBTEST: comes-in-beside-another-program
 * Description: A program's paging does not wait for the program's turn: it is done while another
 *   client's program runs on the engine, which runs to its end.
 */
static void test_beside(void)
{
	bool beside = false;

	/*
	 * If the host is quick enough, the second program is submitted while the first one spins.
	 */
	for (unsigned int us = 500000; !beside && us <= 8000000; us *= 2)
		beside = comes_in_beside(us);
	igt_assert(beside);
}

/**
 * SUBTEST: behind-its-own-context
 * Description: Programs of one context rely on their order: the paging of the second program takes
 *   nothing from the first one before that has ended, and bytes are right.
 */
static void test_behind(void)
{
	struct vsplit_cs *first, *second;
	const struct vsplit_record *rec;
	uint64_t end;
	uint32_t ctx;

	setup(true, NULL);
	ctx = vsplit_ctx(fd, 0);
	first = build(fd, 8, 5000);
	second = build(fd, 8, 0);
	for (unsigned int i = 0; i < 8; i++) {
		vsplit_cs_bind(second, 0, first->bos[i]);
		vsplit_cs_add(second, 0, 8 * i, 100);
	}
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	vsplit_cs_submit(first, ctx, 0);
	vsplit_cs_submit_and_wait(second, ctx, 0);
	end = vsplit_cs_portion(first)->t1_ns;
	rec = vsplit_record(fd, ctx, second->submission);
	igt_assert(rec->info.num_portions > 1);
	for (uint32_t i = 0; i < rec->info.num_events; i++)
		igt_assert(rec->events[i].t0_ns >= end);
	vsplit_cs_reference(first, first->bytes);
	vsplit_cs_reference(second, second->bytes);
	vsplit_cs_check(second);
}

/**
 * SUBTEST: two-that-take-turns
 * Description: Two clients with split buffers use one engine and one paging engine, under each kind
 *   of preemption. Each buffer ends with the right bytes.
 */
static void test_turns(void)
{
	static const char *const preemptions[] = { "none", "split-point", "packet" };

	for (unsigned int i = 0; i < ARRAY_SIZE(preemptions); i++) {
		struct vsplit_cs *cs[4];
		uint32_t ctx[4];
		int file[4];

		setup(true, preemptions[i]);
		for (unsigned int j = 0; j < ARRAY_SIZE(cs); j++) {
			file[j] = j % 2 ? vsplit_adapter_open(ad) : fd;
			cs[j] = build(file[j], 10, 500);
			ctx[j] = vsplit_ctx(file[j], 0);
		}
		for (unsigned int round = 0; round < 2; round++) {
			for (unsigned int j = 0; j < ARRAY_SIZE(cs); j++)
				vsplit_cs_submit(cs[j], ctx[j], 0);
			for (unsigned int j = 0; j < ARRAY_SIZE(cs); j++) {
				vsplit_cs_wait(cs[j]);
				vsplit_cs_reference(cs[j], cs[j]->bytes);
				vsplit_cs_check(cs[j]);
			}
		}
	}
}

/**
 * SUBTEST: a-fault-does-not-stop-paging
 * Description: A program faults in its first portion. Later portions are skipped, all paging is
 *   done, the fence tells the fault, and every allocation has the bytes of before.
 */
static void test_fault(void)
{
	struct vsplit_cs *cs, *again;
	struct vsplit_record *rec;
	unsigned int skipped = 0;
	uint32_t ctx;

	setup(true, NULL);
	ctx = vsplit_ctx(fd, 0);
	cs = vsplit_cs(fd);
	again = build(fd, 16, 0);
	for (unsigned int i = 0; i < 16; i++) {
		vsplit_cs_bind(cs, 0, again->bos[i]);
		if (!i)
			vsplit_cs_store(cs, 0, 8 * U, 1);
		vsplit_cs_add(cs, 0, 0, 1);
	}
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(__vsplit_cs_wait(cs), -EFAULT);
	rec = vsplit_record(fd, ctx, cs->submission);
	for (uint32_t i = 0; i < rec->info.num_events; i++) {
		const struct drm_vsplit_event *e = &rec->events[i];

		if (e->type == VSPLIT_EVENT_PORTION)
			skipped += !!(e->flags & VSPLIT_EVENT_SKIPPED);
		else
			igt_assert(!(e->flags & VSPLIT_EVENT_SKIPPED));
	}
	igt_assert_eq(skipped, rec->info.num_portions);
	igt_assert(vsplit_count(rec, VSPLIT_EVENT_PAGE_IN) >= 16);
	vsplit_cs_run(again, vsplit_ctx(fd, 0), 0);
}

/**
 * SUBTEST: unplugged
 * Description: The adapter is removed while a program runs and its next portions are paged in. The
 *   program ends at once, and its fence has an error.
 */
static void test_unplugged(void)
{
	struct pollfd pfd = { .events = POLLIN };
	struct vsplit_cs *cs;

	setup(true, NULL);
	cs = build(fd, 16, 2000000);
	vsplit_cs_submit(cs, vsplit_ctx(fd, 0), 0);
	igt_assert_eq(drmSyncobjExportSyncFile(fd, cs->out, &pfd.fd), 0);
	igt_assert_eq(poll(&pfd, 1, 50), 0);
	vsplit_adapter_disable(ad);
	igt_assert_eq(poll(&pfd, 1, VSPLIT_SOON_MS), 1);
	igt_assert_eq(vsplit_fence_status(pfd.fd), -ENODEV);
	close(pfd.fd);
}

/* Uses each of @n allocations in a submission of its own. Returns bytes paged in. */
static uint64_t use_each(uint32_t ctx, struct vsplit_bo **bos, unsigned int n)
{
	struct drm_vsplit_statistics before, after;
	vsplit_query_statistics(fd, &before);
	for (unsigned int i = 0; i < n; i++) {
		struct vsplit_cs *cs = vsplit_cs(fd);

		vsplit_cs_bind(cs, 0, bos[i]);
		vsplit_cs_add(cs, 0, 0, 1);
		vsplit_cs_run(cs, ctx, 0);
	}
	vsplit_query_statistics(fd, &after);
	return after.paged_in_bytes - before.paged_in_bytes;
}

/**
 * SUBTEST: a-loop-keeps-what-fits
 * Description: 24 allocations, of which 16 fit, are used one in each submission, in a loop. From
 *   the second round on only the 8 or 9 missing ones are paged in, not all of them.
 */
static void test_loop(void)
{
	struct vsplit_bo *bos[24];
	uint32_t ctx;

	setup(true, "packet");
	ctx = vsplit_ctx(fd, 0);
	for (unsigned int i = 0; i < 24; i++)
		bos[i] = vsplit_bo(fd, 'A' + i, 4 * U);
	igt_assert_eq_u64(use_each(ctx, bos, 24), 24 * 4 * U);
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t bytes = use_each(ctx, bos, 24);

		igt_info("paged in: %u of 24\n", (unsigned int)(bytes / (4 * U)));
		igt_assert(bytes <= 9 * 4 * U);
	}
}

/**
 * SUBTEST: a-stream-leaves-what-is-used-again
 * Description: Allocations that are used once replace others that were used once, not those that
 *   were used again. When the latter are no longer used, they leave as well, for newer ones.
 */
static void test_stream(void)
{
	struct vsplit_bo *kept[12], *once[12], *next[16];
	uint32_t ctx;

	setup(true, "packet");
	ctx = vsplit_ctx(fd, 0);
	for (unsigned int i = 0; i < 12; i++) {
		kept[i] = vsplit_bo(fd, 'A' + i, 4 * U);
		once[i] = vsplit_bo(fd, 'a' + i, 4 * U);
	}
	use_each(ctx, kept, 12);
	igt_assert_eq_u64(use_each(ctx, kept, 12), 0);
	igt_assert_eq_u64(use_each(ctx, once, 12), 12 * 4 * U);
	igt_assert_eq_u64(use_each(ctx, kept, 12), 0);
	for (unsigned int i = 0; i < 16; i++)
		next[i] = vsplit_bo(fd, 'A' + i, 4 * U);
	/* Overdue allocations count as no longer used, so all that follows fits then. */
	for (unsigned int i = 0; i < 6; i++)
		use_each(ctx, next, 16);
	igt_assert_eq_u64(use_each(ctx, next, 16), 0);
}

static const struct vsplit_subtest tests[] = {
	{ "paging-overlaps-running", test_overlap,
	  "Portions are paged in while earlier ones run, which saves a third of the time, unless "
	  "the engine pages itself" },
	{ "what-fits-is-one-portion", test_fits,
	  "A buffer that fits is one portion, however large it is. The portion begins when all "
	  "allocations are resident." },
	{ "moves-where-memory-is-fast", test_moves,
	  "An allocation between two holes moves if memory is much faster than the bus; if memory "
	  "is no faster, it leaves" },
	{ "nothing-is-taken-from-what-runs", test_nothing_is_taken,
	  "Each paging step of random lists begins after the portions that use what it takes away, "
	  "and bytes are right" },
	{ "the-first-waits-for-a-portion", test_first_waits,
	  "What leaves for the second portion leaves after the first portion, with the bytes that "
	  "this has written" },
	{ "comes-in-beside-another-program", test_beside,
	  "A program's paging does not wait for the program's turn: it is done while another "
	  "client's program runs on the engine, which runs to its end" },
	{ "behind-its-own-context", test_behind,
	  "Programs of one context rely on their order: the paging of the second program takes "
	  "nothing from the first one before that has ended, and bytes are right" },
	{ "two-that-take-turns", test_turns,
	  "Two clients with split buffers use one engine and one paging engine, under each kind of "
	  "preemption. Each buffer ends with the right bytes." },
	{ "a-fault-does-not-stop-paging", test_fault,
	  "After a fault in the first portion later portions are skipped, all paging is done, and "
	  "no byte is lost" },
	{ "unplugged", test_unplugged,
	  "The adapter is removed while a program runs and its next portions are paged in. The "
	  "program ends at once, and its fence has an error." },
	{ "a-loop-keeps-what-fits", test_loop,
	  "24 allocations, of which 16 fit, are used one in each submission, in a loop" },
	{ "a-stream-leaves-what-is-used-again", test_stream,
	  "Allocations that are used once replace others that were used once, not those that were "
	  "used again" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
