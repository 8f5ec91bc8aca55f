// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit portions
 * Description: Portions of a DMA buffer: any split point may end a portion, state does not survive
 *   into the next one, and knobs change where portions end, but no result: SPLIT-8, SPLIT-9, EXT-4,
 *   EXT-5, EXT-8, EXT-14; Documentation/splitting.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: splitting
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_split.h"

IGT_TEST_DESCRIPTION("Portions of a DMA buffer: any split point may end a portion, state does not "
		     "survive into the next one, and knobs change where portions end, but no "
		     "result: SPLIT-8, SPLIT-9, EXT-4, EXT-5, EXT-8, EXT-14; "
		     "Documentation/splitting.rst has the table.");

/* ---- SPLIT-8, 9 -------------------------------------------------------- */

/**
 * SUBTEST: split-8-every-split-point-is-a-legal-cut
 * Description: If every split point is taken, each distinct SplitOffset ends a portion, and no
 *   other offset does. The output is the same.
 */
static void test_split_8(void)
{
	struct vsplit_bo *a[10];

	setup_vram();
	for (unsigned int i = 0; i < 10; i++)
		a[i] = bo('A' + i, 4 + i);
	for (unsigned int round = 0; round < 20; round++) {
		struct vsplit_rng rng = { round };
		struct vsplit_record *rec;

		vsplit_cs_reset(cs);
		build_random(&rng, a, 10, 12, 12);
		rec = vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
		igt_assert_eq(rec->info.num_portions, distinct_cuts() + 1);
		for (uint32_t i = 1; i < rec->info.num_portions; i++) {
			uint32_t at = vsplit_portion(rec, i)->begin, j = 0;

			while (j < cs->nr_patches && cs->patches[j].split_offset != at)
				j++;
			igt_assert(j < cs->nr_patches);
		}
		/* Without the cuts the bytes are the same, by the same reference. */
		rec = run();
		check_portions(rec, 1);
	}
}

/**
 * SUBTEST: split-9-state-set-again-survives
 * Description: A stream that sets its state after each split point gives the right result, although
 *   paging runs in between.
 */
static void test_split_9(void)
{
	struct vsplit_bo *a[6];

	setup_vram();
	for (unsigned int i = 0; i < 6; i++) {
		a[i] = bo('A' + i, 100);
		vsplit_cs_bind(cs, 0, a[i]);
		vsplit_cs_state(cs, VSPLIT_STATE_FILL, 0x11111111 * (i + 1));
		vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, 128);
		vsplit_cs_state(cs, VSPLIT_STATE_DST_PITCH, 64);
		vsplit_cs_fill(cs, 0, 8192, 8192);
		vsplit_cs_copy_2d(cs, 0, 0, 0, 8192, 48, 32, 0);
	}
	igt_assert(run()->info.num_portions >= 3);
}

static void build_stale(void)
{
	vsplit_cs_bind(cs, 0, bo('A', 8));
	vsplit_cs_state(cs, VSPLIT_STATE_FILL, 0x22222222);
	vsplit_cs_fill(cs, 0, 0, 4096);
	vsplit_cs_bind(cs, 1, bo('B', 8));
	vsplit_cs_fill(cs, 1, 0, 4096);
	vsplit_cs_fill(cs, 0, 4096, 4096);
}

/**
 * SUBTEST: split-9-state-not-set-again-faults
 * Description: Strict mode: using state from before a taken split is a GPU fault. The context is
 *   lost, and the adapter works on.
 */
static void test_split_9_strict(void)
{
	struct drm_vsplit_ctx_query q;
	struct vsplit_bo *c;

	setup_vram();
	build_stale();
	vsplit_cs_submit(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert_eq(cs->portions, 2);
	igt_assert(__vsplit_cs_wait(cs) != 0);
	vsplit_ctx_query(fd, ctx, &q);
	igt_assert_eq(q.state, VSPLIT_STATE_LOST_FAULT);
	igt_assert_eq(q.fault, VSPLIT_FAULT_STATE);
	igt_assert_eq(q.fault_portion, 1);
	/* The fill after the second bind. */
	igt_assert_eq_u32(q.fault_offset, cs->patches[1].split_offset +
			  sizeof(struct vsplit_packet_bind));
	vsplit_cs_reference(cs, cs->patches[1].split_offset);
	vsplit_bo_check(cs->bos[0]);
	vsplit_bo_check(cs->bos[1]);

	ctx = vsplit_ctx(fd, 0);
	vsplit_cs_reset(cs);
	c = bo('C', 8);
	group(0, c, 1);
	run();
}

/**
 * SUBTEST: split-9-state-survives-a-split-point-not-taken
 * Description: If a split point is not taken, the state is kept.
 */
static void test_split_9_not_taken(void)
{
	struct vsplit_record *rec;

	setup_vram();
	vsplit_not_under("take_split_point", "no split may be taken");
	build_stale();
	rec = run();
	check_portions(rec, 1);
}

/**
 * SUBTEST: split-9-lenient-garbage
 * Description: Lenient mode: state from before a taken split is garbage, which affects only the
 *   bytes written with it, and is no error.
 */
static void test_split_9_lenient(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 256 * U } },
		.lenient = true,
	};
	struct vsplit_bo *a, *b;
	uint32_t pattern;

	setup_opts(&opts);
	build_stale();
	vsplit_cs_submit(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert_eq(__vsplit_cs_wait(cs), 0);
	igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_ACTIVE);
	a = cs->bos[0];
	b = cs->bos[1];
	memcpy(&pattern, b->map, 4);
	/* Whatever the garbage is, it is the same in all these bytes, and in no others. */
	igt_assert(pattern != 0x22222222);
	for (unsigned int i = 0; i < 4096; i += 4) {
		igt_assert(!memcmp(b->map + i, &pattern, 4));
		igt_assert(!memcmp(a->map + 4096 + i, &pattern, 4));
		igt_assert_eq(a->map[i], 0x22);
	}
	for (unsigned int i = 8192; i < a->size; i++)
		igt_assert_eq(a->map[i], 0);
}

/* ---- EXT-4: windows ---------------------------------------------------- */

/**
 * SUBTEST: ext-4-portions-are-windows-on-one-buffer
 * Description: A portion is a window on the whole buffer: its offsets are offsets in the buffer,
 *   and entries are counted from the start of the list.
 */
static void test_windows(void)
{
	struct vsplit_record *rec;
	uint32_t patches = 0;

	setup_vram();
	for (unsigned int i = 0; i < 5; i++) {
		for (unsigned int j = 0; j <= i; j++)
			vsplit_cs_bind(cs, j, bo('A' + i * 5 + j, 20));
		for (unsigned int j = 0; j <= i; j++)
			work(j, i * 5 + j);
	}
	rec = vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert_eq(rec->info.num_portions, 5);
	for (uint32_t i = 0; i < 5; i++) {
		const struct drm_vsplit_event *p = vsplit_portion(rec, i);

		igt_assert_eq(p->patch_first, patches);
		igt_assert_eq(p->patch_count, i + 1);
		igt_assert_eq(p->begin, cs->patches[patches].split_offset);
		patches += i + 1;
	}
	igt_assert_eq(patches, cs->nr_patches);
}

/* ---- EXT-5, 8, 14: knobs ----------------------------------------------- */

/* Effects that a knob may have, counted over the same buffers with and without it. */
struct knob_effect {
	unsigned int portions;
	unsigned int cuts;		/* possible cuts, one for each distinct SplitOffset */
	unsigned int evictions;
	uint64_t places;		/* a hash of the places of rows */
	uint64_t shortest_step_ns;	/* of paging steps that move bytes */
};

static struct knob_effect knob_run(const char *knob, const char *value)
{
	struct knob_effect effect = { .shortest_step_ns = UINT64_MAX };
	struct vsplit_bo *a[8];

	setup_vram();
	if (knob)
		vsplit_adapter_knob(ad, knob, value);
	for (unsigned int i = 0; i < 8; i++) {
		a[i] = bo('A' + i, 24 + 3 * i);
		vsplit_bo_pattern(a[i], i);
	}
	for (unsigned int round = 0; round < 12; round++) {
		struct vsplit_rng rng = { round * 31 + 7 };
		struct vsplit_record *rec;

		vsplit_cs_reset(cs);
		build_random(&rng, a, 8, 3, 16);
		rec = run();
		effect.portions += rec->info.num_portions;
		effect.cuts += distinct_cuts() + 1;
		effect.evictions += vsplit_count(rec, VSPLIT_EVENT_EVICT);
		for (uint32_t i = 0; i < rec->info.num_rows; i++)
			effect.places = effect.places * 31 + rec->rows[i].offset;
		for (uint32_t i = 0; i < rec->info.num_events; i++) {
			const struct drm_vsplit_event *e = &rec->events[i];

			if (e->type != VSPLIT_EVENT_PORTION && e->bytes)
				effect.shortest_step_ns = min(effect.shortest_step_ns,
							      e->t1_ns - e->t0_ns);
		}
	}
	return effect;
}

/* Runs with and without the knob. Results must be the same: knob_run() compares all bytes. */
static void test_knob(const char *knob, const char *value, struct knob_effect *with,
		      struct knob_effect *without)
{
	vsplit_not_under("take_split_point,evict_between,random_placement",
			 "it changes what this one shows");
	*without = knob_run(NULL, NULL);
	vsplit_cleanup();
	*with = knob_run(knob, value);
}

/*
 * How often a submission was patched, before it was handed over (@early) and when its program
 * started (@late).
 */
static void patched(const char *knob, unsigned int *early, unsigned int *late)
{
	const char *trace;

	setup_vram();
	vsplit_adapter_knob(ad, knob, "1");
	vsplit_cs_bind(cs, 0, bo('A', 8));
	vsplit_cs_set(cs, 0, 0, 64, 1);
	vsplit_trace_begin();
	run();
	trace = vsplit_trace_end();
	*early = vsplit_trace_count(trace, "patch", " late=0");
	*late = vsplit_trace_count(trace, "patch", " late=1");
	vsplit_cleanup();
}

/**
 * SUBTEST: ext-14-take-split-point
 * Description: The knob takes every split point as a cut; results do not change.
 */
static void test_knob_take(void)
{
	struct knob_effect with, without;

	test_knob("take_split_point", "1", &with, &without);
	igt_assert_eq(with.portions, with.cuts);
	igt_assert_lt(without.portions, with.portions);
}

/**
 * SUBTEST: ext-14-evict-between
 * Description: All allocations that are not kept leave between portions; results do not change.
 */
static void test_knob_evict(void)
{
	struct knob_effect with, without;

	test_knob("evict_between", "1", &with, &without);
	igt_assert_lt(without.evictions, with.evictions);
}

/**
 * SUBTEST: ext-14-random-placement
 * Description: With random placement, allocations are at other places; results do not change.
 */
static void test_knob_random(void)
{
	struct knob_effect with, without;

	test_knob("random_placement", "12345", &with, &without);
	igt_assert(with.places != without.places);
}

/**
 * SUBTEST: ext-14-delay-paging
 * Description: Each paging step takes at least as long as the knob says; neither results nor the
 *   plan change.
 */
static void test_knob_delay(void)
{
	struct knob_effect with, without;

	test_knob("delay_paging", "2000", &with, &without);
	igt_assert(with.shortest_step_ns >= 2000000);
	igt_assert_eq(with.portions, without.portions);
	igt_assert_eq_u64(with.places, without.places);
}

/**
 * SUBTEST: ext-5-always-repatch
 * Description: A program is patched again when it starts, as the trace shows. This changes nothing,
 *   because patching is idempotent.
 */
static void test_knob_repatch(void)
{
	struct knob_effect with, without;
	unsigned int early, late;

	vsplit_not_under("never_prepatch", "nothing is patched early");
	patched("always_repatch", &early, &late);
	igt_assert_eq(early, 1);
	igt_assert_eq(late, 1);
	test_knob("always_repatch", "1", &with, &without);
	igt_assert_eq(with.portions, without.portions);
	igt_assert_eq_u64(with.places, without.places);
}

/**
 * SUBTEST: ext-8-never-prepatch
 * Description: A program is patched only when it starts, as the trace shows. The results are the
 *   same.
 */
static void test_knob_prepatch(void)
{
	struct knob_effect with, without;
	unsigned int early, late;

	patched("never_prepatch", &early, &late);
	igt_assert_eq(early, 0);
	igt_assert_eq(late, 1);
	test_knob("never_prepatch", "1", &with, &without);
	igt_assert_eq(with.portions, without.portions);
	igt_assert_eq_u64(with.places, without.places);
}

/**
 * SUBTEST: ext-14-expect-preparation-failure
 * Description: A preparation that fails late gives -ENOMEM, and leaves nothing behind. The next
 *   attempt succeeds.
 */
static void test_knob_fail(void)
{
	unsigned int failed = 0;
	struct vsplit_bo *a[6];

	setup_vram();
	vsplit_adapter_knob(ad, "expect_preparation_failure", "2");
	for (unsigned int i = 0; i < 6; i++)
		a[i] = bo('A' + i, 90);
	for (unsigned int round = 0; round < 30; round++) {
		struct drm_vsplit_sync syncs[VSPLIT_CS_SYNCS + 1];
		struct drm_vsplit_statistics s0, s1;
		struct drm_vsplit_submit args;
		int ret;

		vsplit_cs_reset(cs);
		for (unsigned int i = 0; i < 6; i++) {
			vsplit_cs_bind(cs, 0, a[(i + round) % 6]);
			vsplit_cs_add(cs, 0, 0, i);
		}
		vsplit_query_statistics(fd, &s0);
		vsplit_cs_args(cs, ctx, 0, &args, syncs);
		ret = __vsplit_submit(fd, &args);
		vsplit_query_statistics(fd, &s1);
		igt_assert(ret == 0 || ret == -ENOMEM);
		igt_assert_eq_u64(s1.submissions - s0.submissions, ret == 0);
		if (ret) {
			failed++;
			continue;
		}
		cs->ctx = ctx;
		cs->submission = args.submission;
		vsplit_cs_wait(cs);
		vsplit_cs_reference(cs, 0);
	}
	for (unsigned int i = 0; i < 6; i++)
		vsplit_bo_check(a[i]);
	igt_assert(failed > 0 && failed < 30);
	vsplit_adapter_knob(ad, "expect_preparation_failure", "0");
}

static const struct vsplit_subtest tests[] = {
	{ "split-8-every-split-point-is-a-legal-cut", test_split_8,
	  "If every split point is taken, each distinct SplitOffset ends a portion, and no other "
	  "offset does. The output is the same." },
	{ "split-9-state-set-again-survives", test_split_9,
	  "A stream that sets its state after each split point gives the right result, although "
	  "paging runs in between" },
	{ "split-9-state-not-set-again-faults", test_split_9_strict,
	  "Strict mode: using state from before a taken split is a GPU fault. The context is lost, "
	  "and the adapter works on." },
	{ "split-9-state-survives-a-split-point-not-taken", test_split_9_not_taken,
	  "If a split point is not taken, the state is kept" },
	{ "split-9-lenient-garbage", test_split_9_lenient,
	  "Lenient mode: state from before a taken split is garbage, which affects only the bytes "
	  "written with it, and is no error" },
	{ "ext-4-portions-are-windows-on-one-buffer", test_windows,
	  "A portion is a window on the whole buffer: its offsets are offsets in the buffer, and "
	  "entries are counted from the start of the list" },
	{ "ext-14-take-split-point", test_knob_take,
	  "The knob takes every split point as a cut; results do not change" },
	{ "ext-14-evict-between", test_knob_evict,
	  "All allocations that are not kept leave between portions; results do not change" },
	{ "ext-14-random-placement", test_knob_random,
	  "With random placement, allocations are at other places; results do not change" },
	{ "ext-14-delay-paging", test_knob_delay,
	  "Each paging step takes at least as long as the knob says; neither results nor the plan "
	  "change" },
	{ "ext-5-always-repatch", test_knob_repatch,
	  "A program is patched again when it starts, as the trace shows. This changes nothing, "
	  "because patching is idempotent." },
	{ "ext-8-never-prepatch", test_knob_prepatch,
	  "A program is patched only when it starts, as the trace shows. The results are the "
	  "same." },
	{ "ext-14-expect-preparation-failure", test_knob_fail,
	  "A preparation that fails late gives -ENOMEM, and leaves nothing behind. The next "
	  "attempt succeeds." },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
