// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit sched
 * Description: The times at which portions and paging run: back to back without save/restore;
 *   switching at split points with it.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: scheduling
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_engine.h"

#include <xf86drm.h>

IGT_TEST_DESCRIPTION("The times at which portions and paging run: back to back without "
		     "save/restore; switching at split points with it.");

#define MS 1000000ull
/* Offset of the engine's time stamps, in an allocation that stays resident. */
#define STAMPS 8192

static void setup(bool save_restore, bool paging_own, unsigned int engines)
{
	struct vsplit_adapter_opts opts = engine_opts(paging_own, engines);

	opts.save_restore = save_restore;
	setup_engines(&opts);
}

static void work(struct vsplit_cs *cs, uint32_t slot, uint8_t tag)
{
	vsplit_cs_set(cs, slot, tag * 64, 64, 0x01010101u * tag);
}

/* A buffer that is cut @n - 1 times, and that spins in every portion. */
static struct vsplit_cs *build_split(char name, unsigned int n, unsigned int spin_us)
{
	struct vsplit_cs *cs = vsplit_cs(fd);
	struct vsplit_bo *kept = vsplit_bo(fd, name, 8 * U);

	vsplit_cs_bind(cs, 9, kept);
	work(cs, 9, 1);
	for (unsigned int i = 0; i < n; i++) {
		vsplit_cs_bind(cs, 0, vsplit_bo(fd, name + 1 + i, 180 * U));
		work(cs, 0, i + 1);
		vsplit_cs_timestamp(cs, 9, STAMPS + 16 * i);
		vsplit_cs_spin(cs, spin_us);
		vsplit_cs_copy(cs, 9, 1024 + 64 * i, 0, 64 * (i + 1), 64);
		work(cs, 0, i + 2);
		vsplit_cs_timestamp(cs, 9, STAMPS + 16 * i + 8);
	}
	return cs;
}

/* The engine's own clock at begin or end of portion @i of a split buffer. */
static uint64_t stamp(const struct vsplit_cs *cs, unsigned int i, bool end)
{
	uint64_t ns;

	memcpy(&ns, cs->bos[0]->map + STAMPS + 16 * i + 8 * end, 8);
	igt_assert(ns);
	return ns;
}

/* The same for a small buffer. */
static uint64_t small_stamp(const struct vsplit_cs *cs)
{
	return stamp(cs, 0, false);
}

/*
 * Checks by the engine's clock, not by the driver's record: the @n portions of a buffer are in
 * order, and none of @others ran between the first and the last one.
 */
static void check_stamps(const struct vsplit_cs *cs, unsigned int n,
			 struct vsplit_cs *const *others, unsigned int nr_others)
{
	for (unsigned int i = 0; i < n; i++) {
		igt_assert(stamp(cs, i, false) < stamp(cs, i, true));
		igt_assert(!i || stamp(cs, i - 1, true) < stamp(cs, i, false));
	}
	for (unsigned int i = 0; i < nr_others; i++)
		igt_assert(small_stamp(others[i]) < stamp(cs, 0, false) ||
			   small_stamp(others[i]) > stamp(cs, n - 1, true));
}

/* Checks that no paging step of the record overlaps a portion by the engine's own clock. */
static void check_paging_stamps(const struct vsplit_cs *cs, const struct vsplit_record *rec,
				unsigned int n)
{
	for (uint32_t e = 0; e < rec->info.num_events; e++) {
		const struct drm_vsplit_event *event = &rec->events[e];

		for (unsigned int i = 0; event->type != VSPLIT_EVENT_PORTION && i < n; i++)
			igt_assert(event->t1_ns <= stamp(cs, i, false) ||
				   event->t0_ns >= stamp(cs, i, true));
	}
}

/* The same with room for many beside each other, for buffers that take every split. */
static struct vsplit_cs *build_beside(char name, unsigned int n, unsigned int spin_us)
{
	struct vsplit_cs *cs = vsplit_cs(fd);

	for (unsigned int i = 0; i < n; i++) {
		vsplit_cs_bind(cs, 0, vsplit_bo(fd, name + i, 4 * U));
		work(cs, 0, i + 1);
		vsplit_cs_spin(cs, spin_us);
	}
	return cs;
}

/* The memory of this buffer is resident: it waits for no paging. */
static struct vsplit_cs *build_small(char name, unsigned int spin_us)
{
	struct vsplit_cs *cs = vsplit_cs(fd);

	vsplit_cs_bind(cs, 0, vsplit_bo_in(fd, name, 4 * U,
					     VSPLIT_GEM_PINNED | VSPLIT_GEM_TOPDOWN, NULL));
	work(cs, 0, 5);
	vsplit_cs_timestamp(cs, 0, STAMPS);
	vsplit_cs_spin(cs, spin_us);
	return cs;
}

static struct vsplit_record *record(struct vsplit_cs *cs)
{
	return vsplit_record(fd, cs->ctx, cs->submission);
}

static uint64_t first_ns(const struct vsplit_record *rec)
{
	return vsplit_portion(rec, 0)->t0_ns;
}

static uint64_t last_ns(const struct vsplit_record *rec)
{
	return vsplit_portion(rec, rec->info.num_portions - 1)->t1_ns;
}

/* Checks the parts of two records of one list that must be the same. */
static void check_same_plan(const struct vsplit_record *a, const struct vsplit_record *b)
{
	igt_assert_eq(a->info.num_portions, b->info.num_portions);
	igt_assert_eq(a->info.num_events, b->info.num_events);
	igt_assert_eq(a->info.num_rows, b->info.num_rows);
	for (uint32_t i = 0; i < a->info.num_events; i++) {
		const struct drm_vsplit_event *x = &a->events[i], *y = &b->events[i];

		igt_assert_eq(x->type, y->type);
		igt_assert_eq(x->portion, y->portion);
		igt_assert_eq(x->begin, y->begin);
		igt_assert_eq(x->end, y->end);
		igt_assert_eq(x->patch_first, y->patch_first);
		igt_assert_eq(x->patch_count, y->patch_count);
		igt_assert_eq(x->segment, y->segment);
		igt_assert_eq_u64(x->at, y->at);
		igt_assert_eq_u64(x->from, y->from);
		igt_assert_eq_u64(x->bytes, y->bytes);
	}
	for (uint32_t i = 0; i < a->info.num_rows; i++) {
		igt_assert_eq(a->rows[i].slot, b->rows[i].slot);
		igt_assert_eq_u64(a->rows[i].offset, b->rows[i].offset);
	}
}

/**
 * SUBTEST: split-3-same-portions-with-and-without-preemption
 * Description: The same list is cut and paged in the same way whether or not the engine can save
 *   and restore contexts, and whichever engine pages, while other contexts have work for the same
 *   engine.
 */
static void test_split_3(void)
{
	for (unsigned int seed = 0; seed < 8; seed++) {
		struct vsplit_record *rec[4];

		for (unsigned int mode = 0; mode < 4; mode++) {
			struct vsplit_rng rng = { seed };
			struct vsplit_cs *cs, *others[4];
			struct vsplit_bo *a[10];

			setup(mode & 1, mode & 2, 1);
			cs = vsplit_cs(fd);
			for (unsigned int i = 0; i < 4; i++)
				others[i] = build_small('a' + i, 500);
			for (unsigned int i = 0; i < 10; i++)
				a[i] = vsplit_bo(fd, 'A' + i, (20 + vsplit_rng_below(&rng, 60)) * U);
			for (unsigned int i = 0; i < 30; i++) {
				unsigned int slot = vsplit_rng_below(&rng, 2);

				vsplit_cs_bind(cs, slot, a[vsplit_rng_below(&rng, 10)]);
				work(cs, slot, i);
			}
			/* All of them are ready when the engine begins. */
			vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
			for (unsigned int i = 0; i < 2; i++)
				vsplit_cs_submit(others[i], vsplit_ctx(fd, 0), 0);
			vsplit_place_before(cs);
			vsplit_cs_submit(cs, vsplit_ctx(fd, 0), 0);
			for (unsigned int i = 2; i < 4; i++)
				vsplit_cs_submit(others[i], vsplit_ctx(fd, 0), 0);
			vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
			vsplit_cs_ends_well(cs);
			for (unsigned int i = 0; i < 4; i++)
				vsplit_cs_ends_well(others[i]);
			rec[mode] = record(cs);
			vsplit_record_check(rec[mode], cs);
		}
		igt_assert(rec[0]->info.num_portions > 1);
		for (unsigned int mode = 1; mode < 4; mode++)
			check_same_plan(rec[0], rec[mode]);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: split-4-splits-without-preemption
 * Description: An engine that cannot preempt executes a split buffer to its end.
 */
static void test_split_4(void)
{
	struct drm_vsplit_adapter_info info;
	struct vsplit_cs *cs;

	setup(false, false, 1);
	vsplit_query_adapter(fd, &info);
	igt_assert(!(info.caps & VSPLIT_CAP_SAVE_RESTORE));
	cs = build_split('A', 6, 1000);
	vsplit_cs_run(cs, vsplit_ctx(fd, 0), 0);
	igt_assert(cs->portions >= 6);
}

/* Number of portions of the others that ran inside the time of the outer record. */
static unsigned int portions_inside(const struct vsplit_record *outer, struct vsplit_cs **others,
				    unsigned int n)
{
	unsigned int inside = 0;

	for (unsigned int i = 0; i < n; i++) {
		struct vsplit_record *rec = record(others[i]);

		for (uint32_t p = 0; p < rec->info.num_portions; p++) {
			const struct drm_vsplit_event *e = vsplit_portion(rec, p);

			igt_assert(e->t0_ns && e->t1_ns);
			inside += e->t0_ns >= first_ns(outer) && e->t1_ns <= last_ns(outer);
		}
	}
	return inside;
}

/* Portions of two records never overlap in time. */
static void check_disjoint(const struct vsplit_record *a, const struct vsplit_record *b)
{
	for (uint32_t i = 0; i < a->info.num_portions; i++) {
		const struct drm_vsplit_event *x = vsplit_portion(a, i);

		for (uint32_t j = 0; j < b->info.num_portions; j++) {
			const struct drm_vsplit_event *y = vsplit_portion(b, j);

			igt_assert_f(x->t1_ns <= y->t0_ns || y->t1_ns <= x->t0_ns,
				     "portions of two contexts ran at the same time\n");
		}
	}
}

/* One split buffer, then many small ones of other contexts, all ready. */
static unsigned int run_against_others(bool save_restore, bool paging_own, uint32_t us)
{
	struct vsplit_cs *split, *others[8];
	struct vsplit_record *rec;

	setup(save_restore, paging_own, 1);
	split = build_split('A', 5, us);
	for (unsigned int i = 0; i < 8; i++)
		others[i] = build_small('a' + i, 1000);
	/* All are queued before the first begins. */
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(split, vsplit_ctx(fd, 0), 0);
	for (unsigned int i = 0; i < 8; i++)
		vsplit_cs_submit(others[i], vsplit_ctx(fd, 0), 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_ends_well(split);
	for (unsigned int i = 0; i < 8; i++)
		vsplit_cs_ends_well(others[i]);
	rec = record(split);
	igt_assert(rec->info.num_portions >= 5);
	for (unsigned int i = 0; i < 8; i++)
		check_disjoint(rec, record(others[i]));
	if (!save_restore)
		check_stamps(split, 5, others, 8);
	return portions_inside(rec, others, 8);
}

/**
 * SUBTEST: split-5-back-to-back
 * Description: Without save/restore, no portion of another context runs between the first and the
 *   last portion of a split buffer, although other work is ready on the engine.
 */
static void test_split_5(void)
{
	igt_assert_eq(run_against_others(false, false, 20000), 0);
}

/**
 * SUBTEST: split-5-back-to-back-own-paging-engine
 * Description: The same with a paging engine of its own: while that pages, the render engine takes
 *   no other work.
 */
static void test_split_5_own(void)
{
	igt_assert_eq(run_against_others(false, true, 20000), 0);
}

/**
 * SUBTEST: split-5-two-split-buffers
 * Description: Two contexts have many split buffers: each buffer runs as a block.
 */
static void run_split_5_two(struct vsplit_cs **cs, uint32_t flags)
{
	struct vsplit_record *rec[8];
	uint32_t ctx[2];

	ctx[0] = vsplit_ctx(fd, 0);
	ctx[1] = vsplit_ctx(fd, 0);
	/* A buffer that has to wait for memory cannot be queued before the engine goes on. */
	if (flags & VSPLIT_SUBMIT_FORCE_SPLIT)
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	for (unsigned int i = 0; i < 8; i++)
		vsplit_cs_submit(cs[i], ctx[i & 1], flags);
	if (flags & VSPLIT_SUBMIT_FORCE_SPLIT)
		vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	for (unsigned int i = 0; i < 8; i++) {
		vsplit_cs_ends_well(cs[i]);
		rec[i] = record(cs[i]);
		igt_assert(rec[i]->info.num_portions >= 3);
	}
	for (unsigned int i = 0; i < 8; i++)
		for (unsigned int j = 0; j < i; j++)
			igt_assert(last_ns(rec[i]) <= first_ns(rec[j]) ||
				   last_ns(rec[j]) <= first_ns(rec[i]));
}

static void test_split_5_two(void)
{
	struct vsplit_cs *cs[8];

	setup(false, false, 1);
	/* All fit side by side: no buffer waits for memory of another. */
	for (unsigned int i = 0; i < 8; i++)
		cs[i] = build_beside('A', 4, 2000);
	run_split_5_two(cs, VSPLIT_SUBMIT_FORCE_SPLIT);
	for (unsigned int i = 0; i < 8; i++)
		cs[i] = build_split('A', 3, 2000);
	run_split_5_two(cs, 0);
}

/**
 * SUBTEST: example-w7-scheduling
 * Description: Worked example 7: portion 0 runs, then the paging for portion 1, then portion 1, and
 *   only then the other context. Kept allocations stay where they are.
 */
static void test_w7(void)
{
	struct vsplit_cs *one, *two;
	const struct drm_vsplit_event *p0, *p1, *out, *in;
	struct vsplit_bo *a, *b, *c;
	struct vsplit_record *r1;
	uint32_t ctx1, ctx2;

	setup(false, false, 1);
	ctx1 = vsplit_ctx(fd, 0);
	ctx2 = vsplit_ctx(fd, 0);
	one = vsplit_cs(fd);
	a = vsplit_bo(fd, 'A', 128 * U);
	b = vsplit_bo(fd, 'B', 96 * U);
	c = vsplit_bo(fd, 'C', 96 * U);
	vsplit_cs_bind(one, 0, a);
	work(one, 0, 1);
	vsplit_cs_pad(one, 0x100);
	vsplit_cs_bind(one, 1, b);
	work(one, 1, 2);
	vsplit_cs_spin(one, 30000);
	vsplit_cs_pad(one, 0x400);
	vsplit_cs_bind(one, 1, c);
	work(one, 0, 3);
	work(one, 1, 4);
	vsplit_cs_spin(one, 30000);
	vsplit_cs_pad(one, 0x800);
	two = build_small('S', 100);
	vsplit_place_before(one);
	vsplit_cs_submit(one, ctx1, 0);
	vsplit_cs_submit(two, ctx2, 0);
	vsplit_cs_ends_well(one);
	vsplit_cs_ends_well(two);
	r1 = record(one);
	vsplit_record_check(r1, one);
	igt_assert(first_ns(record(two)) >= last_ns(r1));
	if (!vsplit_exact())
		return;
	igt_assert_eq(r1->info.num_portions, 2);
	p0 = vsplit_portion(r1, 0);
	p1 = vsplit_portion(r1, 1);
	out = vsplit_step(r1, VSPLIT_EVENT_EVICT, b, 1);
	in = vsplit_step(r1, VSPLIT_EVENT_PAGE_IN, c, 1);
	igt_assert(out && in);
	igt_assert(p0->t1_ns <= out->t0_ns && out->t1_ns <= in->t0_ns && in->t1_ns <= p1->t0_ns);
	igt_assert_eq_u64(vsplit_row(r1, 1, 0)->offset, 0);
	igt_assert_eq_u64(in->at, 128 * U);
}

/* Paging for portion k+1 is between portions k and k+1, in order and in time. */
static void check_paging_between(const struct vsplit_record *rec)
{
	unsigned int between = 0;
	uint32_t portion = 0;
	uint64_t end = 0;

	for (uint32_t i = 0; i < rec->info.num_events; i++) {
		const struct drm_vsplit_event *e = &rec->events[i];

		igt_assert_eq(e->portion, portion);
		igt_assert_f(e->t0_ns >= end, "step %u began before the one in front of it ended\n", i);
		igt_assert(e->t1_ns >= e->t0_ns);
		end = e->t1_ns;
		if (e->type == VSPLIT_EVENT_PORTION)
			portion++;
		else if (portion)
			between++;
	}
	igt_assert(between > 0);
}

/**
 * SUBTEST: split-6-paging-between-portions
 * Description: The paging for a portion runs after the previous portion and before the portion
 *   itself, while other contexts are still kept out.
 */
static void test_split_6(void)
{
	for (unsigned int own = 0; own < 2; own++) {
		struct vsplit_cs *split, *other;
		struct vsplit_record *rec;

		setup(false, own, 1);
		split = build_split('A', 5, 5000);
		other = build_small('a', 100);
		vsplit_cs_submit(split, vsplit_ctx(fd, 0), 0);
		vsplit_cs_submit(other, vsplit_ctx(fd, 0), 0);
		vsplit_cs_ends_well(split);
		vsplit_cs_ends_well(other);
		rec = record(split);
		check_paging_between(rec);
		check_stamps(split, 5, &other, 1);
		check_paging_stamps(split, rec, 5);
		igt_assert(vsplit_count(rec, VSPLIT_EVENT_PAGE_IN) >= 5);
		igt_assert(vsplit_count(rec, VSPLIT_EVENT_EVICT) >= 4);
		igt_assert(first_ns(record(other)) >= last_ns(rec));
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: split-7-nothing-is-taken-from-a-running-portion
 * Description: No transfer that takes away memory of portion k begins before k has ended. Portion
 *   k+1 begins only when its page-ins are complete, even with slow paging.
 */
static void test_split_7(void)
{
	for (unsigned int mode = 0; mode < 4; mode++) {
		struct vsplit_record *rec;
		struct vsplit_cs *cs;

		setup(mode & 1, mode & 2, 1);
		vsplit_adapter_knob(ad, "delay_paging", "3000");
		cs = build_split('A', 4, 3000);
		rec = vsplit_cs_run(cs, vsplit_ctx(fd, 0), 0);
		check_paging_between(rec);
		check_stamps(cs, 4, NULL, 0);
		check_paging_stamps(cs, rec, 4);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: one-paging-engine
 * Description: Several engines and the kernel itself use the paging engine. It does one step after
 *   the other, whichever thread executes it, and it does all of them.
 */
static void test_one_paging_engine(void)
{
	struct drm_vsplit_event in[4] = {};
	struct vsplit_bo *other;
	struct vsplit_cs *cs[5];

	setup(false, true, 2);
	other = vsplit_bo(fd, 'x', U);
	vsplit_bo_pattern(other, 1);
	for (unsigned int i = 0; i < 5; i++) {
		cs[i] = vsplit_cs(fd);
		vsplit_cs_bind(cs[i], 0, vsplit_bo(fd, 'A' + i, U));
		work(cs[i], 0, i + 1);
	}
	/* The first step finds the paging engine idle; the others come while it works. */
	vsplit_adapter_knob(ad, "delay_paging", "150000");
	for (unsigned int i = 0; i < 4; i++)
		vsplit_cs_submit(cs[i], vsplit_ctx_on(fd, 0, i % 2), 0);
	for (unsigned int i = 0; i < 4; i++) {
		const struct vsplit_record *rec;

		vsplit_cs_ends_well(cs[i]);
		rec = record(cs[i]);
		igt_assert_eq(vsplit_count(rec, VSPLIT_EVENT_PAGE_IN), 1);
		for (uint32_t e = 0; e < rec->info.num_events; e++)
			if (rec->events[e].type == VSPLIT_EVENT_PAGE_IN)
				in[i] = rec->events[e];
		igt_assert(in[i].t1_ns > in[i].t0_ns);
		for (unsigned int j = 0; j < i; j++)
			igt_assert(in[i].t0_ns >= in[j].t1_ns || in[i].t1_ns <= in[j].t0_ns);
	}

	/* The last step is done, too, although nothing behind it wakes the engine. */
	vsplit_cs_submit(cs[4], vsplit_ctx(fd, 0), 0);
	usleep(50000);
	vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, other->handle, 0);
	vsplit_cs_ends_well(cs[4]);
	vsplit_bo_check(other);
}

/**
 * SUBTEST: split-5-a17-other-engines-go-on
 * Description: Back to back is a rule for each engine separately: another engine runs its work
 *   meanwhile (A17). This includes planned work, as long as its plan moves nothing.
 */
static void test_a17(void)
{
	unsigned int inside[2] = {};
	uint32_t us;

	vsplit_for_longer(us, inside[0] && inside[1]) {
		struct vsplit_cs *split, *other;
		uint32_t ctx2;

		setup(false, false, 2);
		split = build_split('A', 5, us);
		other = build_small('a', 1000);
		ctx2 = vsplit_ctx_on(fd, 0, 1);
		vsplit_cs_submit(split, vsplit_ctx_on(fd, 0, 0), 0);
		for (unsigned int i = 0; i < 20; i++) {
			struct vsplit_record *rec;

			vsplit_cs_submit_and_wait(other, ctx2, i & 1 ? VSPLIT_SUBMIT_FORCE_SPLIT : 0);
			rec = record(other);
			inside[i & 1] += vsplit_syncobj_busy(fd, split->out) && rec->info.num_portions;
		}
		vsplit_cs_ends_well(split);
		vsplit_cs_reference(other, 0);
		vsplit_bo_check(other->bos[0]);
		igt_assert(record(split)->info.num_portions >= 5);
		vsplit_cleanup();
	}
	igt_assert_f(inside[0] > 0, "the other engine waited\n");
	igt_assert_f(inside[1] > 0, "the other engine waited for memory that it does not touch\n");
}

/**
 * SUBTEST: ext-10-switch-at-split-points
 * Description: With save/restore, portions of other contexts may run at split points: between
 *   portions, never inside one. Rows that the split buffer keeps are unharmed.
 */
static void test_ext_10(void)
{
	struct drm_vsplit_adapter_info info;
	unsigned int inside = 0;
	uint32_t us;

	setup(true, false, 1);
	vsplit_query_adapter(fd, &info);
	igt_assert(info.caps & VSPLIT_CAP_SAVE_RESTORE);
	vsplit_cleanup();
	vsplit_for_longer(us, inside) {
		inside = run_against_others(true, false, us);
		vsplit_cleanup();
	}
	igt_info("%u portions of others ran at split points\n", inside);
	igt_assert_f(inside > 0, "an engine with save/restore never switched\n");
}

/**
 * SUBTEST: ext-10-kept-rows-while-others-page
 * Description: With save/restore, page-ins of another context do not take memory that a split
 *   buffer keeps or is about to use, even if both need all of memory.
 */
static void test_ext_10_kept(void)
{
	for (unsigned int own = 0; own < 2; own++) {
		struct vsplit_cs *cs[6];
		uint32_t ctx[6];

		setup(true, own, 1);
		for (unsigned int i = 0; i < 6; i++) {
			cs[i] = build_split('A' + i, 5, 1000);
			ctx[i] = vsplit_ctx(fd, 0);
		}
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		for (unsigned int i = 0; i < 6; i++)
			vsplit_cs_submit(cs[i], ctx[i], 0);
		vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
		for (unsigned int i = 0; i < 6; i++)
			vsplit_cs_ends_well(cs[i]);
		for (unsigned int i = 0; i < 6; i++)
			for (unsigned int j = 0; j < i; j++)
				check_disjoint(record(cs[i]), record(cs[j]));
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: engines-in-parallel
 * Description: Several engines execute at the same time, even while their allocations compete for
 *   memory.
 */
static void test_parallel(void)
{
	struct vsplit_cs *cs[3];
	unsigned int beside = 0;
	uint32_t us;

	vsplit_for_longer(us, beside) {
		uint64_t first[3], last[3];

		setup(false, false, 3);
		for (unsigned int i = 0; i < 3; i++)
			cs[i] = build_small('A' + i, us);
		for (unsigned int i = 0; i < 3; i++)
			vsplit_cs_submit(cs[i], vsplit_ctx_on(fd, 0, i), 0);
		for (unsigned int i = 0; i < 3; i++) {
			vsplit_cs_ends_well(cs[i]);
			first[i] = first_ns(record(cs[i]));
			last[i] = last_ns(record(cs[i]));
		}
		beside = first[1] < last[0] && first[2] < last[0] && first[2] < last[1];
		vsplit_cleanup();
	}
	igt_assert_f(beside, "engines waited for each other\n");
	setup(false, false, 3);
	/* With memory for only one of them at a time. */
	for (unsigned int round = 0; round < 4; round++) {
		for (unsigned int i = 0; i < 3; i++) {
			cs[i] = build_split('A' + i, 3, 1000);
			vsplit_cs_submit(cs[i], vsplit_ctx_on(fd, 0, i), 0);
		}
		for (unsigned int i = 0; i < 3; i++)
			vsplit_cs_ends_well(cs[i]);
	}
}

/**
 * SUBTEST: priorities
 * Description: Work of a high-priority context overtakes queued work of a low-priority one. It does
 *   not tear a split buffer apart.
 */
static void test_priorities(void)
{
	struct drm_vsplit_ctx_create low = { .priority = VSPLIT_CTX_PRIORITY_LOW };
	struct drm_vsplit_ctx_create high = { .priority = VSPLIT_CTX_PRIORITY_HIGH };
	struct vsplit_cs *first, *slow[4], *fast;
	bool meanwhile = false;
	uint32_t us;

	vsplit_for_longer(us, meanwhile) {
		setup(false, false, 1);
		igt_assert_eq(__vsplit_ctx_create(fd, &low), 0);
		igt_assert_eq(__vsplit_ctx_create(fd, &high), 0);
		first = build_split('A', 3, us);
		for (unsigned int i = 0; i < 4; i++)
			slow[i] = build_small('a' + i, 1000);
		fast = build_small('z', 100);
		vsplit_cs_submit(first, low.ctx, 0);
		igt_assert(vsplit_soon(first_ns(record(first))));
		/* All further work is queued before the engine looks at any of it. */
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		for (unsigned int i = 0; i < 4; i++)
			vsplit_cs_submit(slow[i], low.ctx, 0);
		vsplit_cs_submit(fast, high.ctx, 0);
		meanwhile = vsplit_syncobj_busy(fd, first->out);
		vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
		vsplit_cs_ends_well(fast);
		vsplit_cs_ends_well(first);
		for (unsigned int i = 0; i < 4; i++)
			vsplit_cs_ends_well(slow[i]);
		igt_assert_eq(portions_inside(record(first), &fast, 1), 0);
		igt_assert(first_ns(record(fast)) < first_ns(record(slow[0])));
		vsplit_cleanup();
	}
	igt_assert(meanwhile);
}

/**
 * SUBTEST: progress-under-contention
 * Description: Clients of which only one fits at a time all make progress together, and none is
 *   ever refused.
 */
static void test_progress(void)
{
	enum { N = 4 };

	setup(false, false, 2);
	igt_fork(child, N) {
		int mine = vsplit_adapter_open(ad);
		uint32_t ctx = vsplit_ctx_on(mine, 0, child & 1);
		struct vsplit_cs *cs = vsplit_cs(mine);
		struct vsplit_bo *a = vsplit_bo(mine, 'A', 120 * U);
		struct vsplit_bo *b = vsplit_bo(mine, 'B', 110 * U);

		for (unsigned int i = 0; i < 40; i++) {
			vsplit_cs_reset(cs);
			vsplit_cs_bind(cs, 0, a);
			vsplit_cs_bind(cs, 1, b);
			vsplit_cs_set(cs, 0, 64 * i, 64, child * 1000 + i);
			vsplit_cs_copy(cs, 1, 64 * i, 0, 64 * i, 64);
			vsplit_cs_submit_and_wait(cs, ctx, 0);
			if (vsplit_exact())
				igt_assert_eq(cs->portions, 1);
			vsplit_cs_reference(cs, 0);
		}
		vsplit_bo_check(a);
		vsplit_bo_check(b);
	}
	igt_waitchildren();
}

/**
 * SUBTEST: model-clock
 * Description: With the model clock, times are declared: the same buffer takes the same time twice,
 *   whatever the host does.
 */
static void test_model(void)
{
	struct vsplit_adapter_opts opts = engine_opts(false, 1);
	uint64_t took[3];

	opts.model_clock = true;
	ad = vsplit_adapter_create(&opts);
	fd = vsplit_adapter_open(ad);
	for (unsigned int i = 0; i < 3; i++) {
		struct vsplit_cs *cs = build_split('A', 3, 2000);
		struct vsplit_record *rec;

		vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
		vsplit_cs_submit(cs, vsplit_ctx(fd, 0), 0);
		vsplit_cs_ends_well(cs);
		rec = record(cs);
		took[i] = last_ns(rec) - first_ns(rec);
		igt_assert(took[i] >= 3 * 2 * MS);
	}
	igt_assert_eq_u64(took[0], took[1]);
	igt_assert_eq_u64(took[1], took[2]);
}

static const struct vsplit_subtest tests[] = {
	{ "split-3-same-portions-with-and-without-preemption", test_split_3,
	  "The same list is cut and paged in the same way whether or not the engine can save and "
	  "restore contexts, and whichever engine pages, while other contexts have work for the "
	  "same engine" },
	{ "split-4-splits-without-preemption", test_split_4,
	  "An engine that cannot preempt executes a split buffer to its end" },
	{ "split-5-back-to-back", test_split_5,
	  "Without save/restore, no portion of another context runs between the first and the last "
	  "portion of a split buffer, although other work is ready on the engine" },
	{ "split-5-back-to-back-own-paging-engine", test_split_5_own,
	  "While a paging engine of its own pages for a split buffer, the render engine takes no "
	  "other work" },
	{ "split-5-two-split-buffers", test_split_5_two,
	  "Each split buffer runs as a block beside the many split buffers of another context" },
	{ "split-5-a17-other-engines-go-on", test_a17,
	  "Back to back is a rule for each engine separately: another engine runs its work "
	  "meanwhile (A17)" },
	{ "one-paging-engine", test_one_paging_engine,
	  "Several engines and the kernel itself use the paging engine. It does one step after the "
	  "other, whichever thread executes it, and it does all of them." },
	{ "split-6-paging-between-portions", test_split_6,
	  "The paging for a portion runs after the previous portion and before the portion itself, "
	  "while other contexts are still kept out" },
	{ "split-7-nothing-is-taken-from-a-running-portion", test_split_7,
	  "No transfer that takes away memory of portion k begins before k has ended" },
	{ "example-w7-scheduling", test_w7,
	  "Worked example 7: portion 0 runs, then the paging for portion 1, then portion 1, and "
	  "only then the other context. Kept allocations stay where they are." },
	{ "ext-10-switch-at-split-points", test_ext_10,
	  "With save/restore, portions of other contexts may run at split points: between "
	  "portions, never inside one" },
	{ "ext-10-kept-rows-while-others-page", test_ext_10_kept,
	  "With save/restore, page-ins of another context do not take memory that a split buffer "
	  "keeps or is about to use, even if both need all of memory" },
	{ "engines-in-parallel", test_parallel,
	  "Several engines execute at the same time, even while their allocations compete for "
	  "memory" },
	{ "priorities", test_priorities,
	  "Work of a high-priority context overtakes queued work of a low-priority one. It does "
	  "not tear a split buffer apart." },
	{ "progress-under-contention", test_progress,
	  "Clients of which only one fits at a time all make progress together, and none is ever "
	  "refused" },
	{ "model-clock", test_model,
	  "With the model clock, times are declared: the same buffer takes the same time twice, "
	  "whatever the host does" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
