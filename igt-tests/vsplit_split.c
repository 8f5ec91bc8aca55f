// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit split
 * Description: Splitting of DMA buffers: every statement, one after the other.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: splitting
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"

#include <pthread.h>
#include <sys/wait.h>

IGT_TEST_DESCRIPTION("Splitting of DMA buffers: every statement, one after the other.");

/*
 * Sizes are in units; video memory has 256 of them unless a subtest says
 * otherwise, so that the worked examples (in MiB there) can be followed.
 */
#define U 16384ull

static struct vsplit_adapter *ad;
static int fd;
static uint32_t ctx;
static struct vsplit_cs *cs;

static void setup_opts(const struct vsplit_adapter_opts *opts)
{
	ad = vsplit_adapter_create(opts);
	fd = vsplit_adapter_open(ad);
	ctx = vsplit_ctx(fd, 0);
	cs = vsplit_cs(fd);
}

static void setup(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 256 * U } },
		.slots = 64,
		.test = true,
	};

	setup_opts(&opts);
}

static struct vsplit_bo *bo(char name, unsigned int units)
{
	return vsplit_bo(fd, name, units * U);
}

/* Something to see: 64 bytes at a place that the tag chooses. */
static void work(uint32_t slot, uint8_t tag)
{
	vsplit_cs_set(cs, slot, tag * 64, 64, 0x01010101u * tag);
}

static struct vsplit_record *run(void)
{
	return vsplit_cs_run(cs, ctx, 0);
}

/* The whole story, where knobs don't change it. */
static void check_text(const struct vsplit_record *rec, const char *expected)
{
	const char *got = vsplit_record_text(rec, cs, U);

	if (!vsplit_exact())
		return;
	igt_assert_f(!strcmp(got, expected), "record\n  %s\nexpected\n  %s\n", got, expected);
}

static void check_portions(const struct vsplit_record *rec, unsigned int n)
{
	if (!vsplit_exact())
		return;
	igt_assert_f(rec->info.num_portions == n, "%u portions, expected %u: %s\n",
		     rec->info.num_portions, n, vsplit_record_text(rec, cs, U));
}

static void check_cut(const struct vsplit_record *rec, unsigned int portion, uint32_t begin,
		      uint32_t end)
{
	const struct drm_vsplit_event *p = vsplit_portion(rec, portion);

	if (!vsplit_exact())
		return;
	igt_assert_f(p && p->begin == begin && p->end == end,
		     "portion %u is not [%#x,%#x): %s\n", portion, begin, end,
		     vsplit_record_text(rec, cs, U));
}

/* The buffer runs into this fault at packet @offset, on @slot. */
static void check_fault(uint32_t fault, uint32_t offset, uint32_t slot)
{
	struct drm_vsplit_ctx_query q;

	vsplit_cs_submit(cs, ctx, 0);
	igt_assert(__vsplit_cs_wait(cs) != 0);
	vsplit_ctx_query(fd, ctx, &q);
	igt_assert_eq(q.state, VSPLIT_STATE_LOST_FAULT);
	igt_assert_eq(q.fault, fault);
	igt_assert_eq_u32(q.fault_offset, offset);
	igt_assert_eq_u32(q.fault_slot, slot);
	igt_assert_eq_u64(q.submission, cs->submission);
}

/* ---- the worked examples ------------------------------------------------ */

/**
 * SUBTEST: example-w0-no-split
 * Description: Everything fits: one portion, lowest-fit places in list order.
 */
static void test_w0(void)
{
	struct vsplit_bo *a, *b, *c;

	setup();
	a = bo('A', 64);
	b = bo('B', 64);
	c = bo('C', 128);
	vsplit_cs_bind(cs, 0, a);
	work(0, 1);
	vsplit_cs_pad(cs, 0x100);
	vsplit_cs_bind(cs, 1, b);
	work(1, 2);
	vsplit_cs_pad(cs, 0x200);
	vsplit_cs_bind(cs, 2, c);
	work(2, 3);
	vsplit_cs_pad(cs, 0x300);
	check_text(run(), "in A@0; in B@64; in C@128; "
		   "[0,300) p[0:3] {0:A@0 1:B@64 2:C@128}");
}

static void build_w1(bool null_first, bool null_last)
{
	struct vsplit_bo *a = bo('A', 128), *b = bo('B', 96), *c = bo('C', 96), *d = bo('D', 64);

	vsplit_cs_bind(cs, 0, a);
	work(0, 1);
	vsplit_cs_pad(cs, 0x100);
	vsplit_cs_bind(cs, 1, b);
	work(0, 2);
	work(1, 3);
	vsplit_cs_copy(cs, 1, 4096, 0, 0, 4096);
	vsplit_cs_pad(cs, 0x400);
	vsplit_cs_bind(cs, 1, c);
	work(0, 4);
	work(1, 5);
	vsplit_cs_copy(cs, 1, 4096, 0, 0, 4096);
	vsplit_cs_pad(cs, 0x800);
	if (null_first)
		vsplit_cs_unbind(cs, 0);
	vsplit_cs_bind(cs, 2, d);
	if (null_last)
		vsplit_cs_unbind(cs, 0);
	work(1, 6);
	work(2, 7);
	vsplit_cs_copy(cs, 2, 4096, 1, 4096, 4096);
	vsplit_cs_pad(cs, 0xc00);
}

/**
 * SUBTEST: example-w1-fails
 * Description: After two portions the third cannot fit beside the kept rows:
 *   -ENOSPC, and nothing was executed.
 */
static void test_w1(void)
{
	setup();
	build_w1(false, false);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_ACTIVE);
}

/**
 * SUBTEST: example-w1-wddm-errors
 * Description: The same with WDDM's error semantics: the two portions before the
 *   failing group run, the device is lost for lack of memory.
 */
static void test_w1_wddm(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *d;

	setup();
	ctx = vsplit_ctx(fd, VSPLIT_CTX_WDDM_ERRORS);
	build_w1(false, false);
	d = cs->bos[3];
	vsplit_place_before(cs);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(__vsplit_cs_wait(cs), -ENOMEM);
	rec = vsplit_record(fd, ctx, cs->submission);
	vsplit_record_check(rec, cs);
	check_text(rec, "in A@0; in B@128; [0,400) p[0:2] {0:A@0 1:B@128}; "
		   "out B@128; in C@128; [400,800) p[2:3] {0:A@0 1:C@128}");
	vsplit_cs_reference(cs, 0x800);
	for (unsigned int i = 0; i < cs->nr_allocs; i++)
		vsplit_bo_check(cs->bos[i]);
	igt_assert(!vsplit_bo_resident(d));
	igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_LOST_OOM);
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -EIO);
}

/**
 * SUBTEST: example-w2-unbind
 * Description: W1 with a NULL entry listed first in the last group: three portions.
 */
static void test_w2(void)
{
	setup();
	build_w1(true, false);
	check_text(run(), "in A@0; in B@128; [0,400) p[0:2] {0:A@0 1:B@128}; "
		   "out B@128; in C@128; [400,800) p[2:3] {0:A@0 1:C@128}; "
		   "out A@0; in D@0; [800,c00) p[3:5] {1:C@128 2:D@0}");
}

static void build_w3(bool rebind, uint64_t unit)
{
	struct vsplit_bo *p = vsplit_bo(fd, 'P', 96 * unit);
	struct vsplit_bo *x = vsplit_bo(fd, 'X', 64 * unit);
	struct vsplit_bo *q = vsplit_bo(fd, 'Q', 96 * unit);
	struct vsplit_bo *r = vsplit_bo(fd, 'R', 128 * unit);

	vsplit_cs_bind(cs, 0, p);
	vsplit_cs_bind(cs, 1, x);
	vsplit_cs_bind(cs, 2, q);
	work(0, 1);
	work(1, 2);
	work(2, 3);
	/* words that tell where they are, for the move */
	vsplit_cs_set(cs, 1, 4096, x->size - 4096, 0x12345678);
	for (uint64_t at = 8192; at < x->size; at += x->size / 8)
		vsplit_cs_store(cs, 1, at, at);
	vsplit_cs_pad(cs, 0x400);
	vsplit_cs_unbind(cs, 0);
	vsplit_cs_unbind(cs, 2);
	if (rebind)
		vsplit_cs_bind(cs, 1, x);
	vsplit_cs_bind(cs, 3, r);
	work(1, 4);
	work(3, 5);
	vsplit_cs_copy(cs, 3, 8192, 1, 0, x->size);
	vsplit_cs_pad(cs, 0x800);
}

/**
 * SUBTEST: example-w3a-fragmentation-fails
 * Description: A kept row in the middle leaves no hole that is large enough.
 */
static void test_w3a(void)
{
	setup();
	build_w3(false, U);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
}

/**
 * SUBTEST: example-w3b-rebound-moves
 * Description: The same, re-bound: it moves out of the way, and its new address
 *   is the one that is patched.
 */
static void test_w3b(void)
{
	struct vsplit_record *rec;

	setup();
	build_w3(true, U);
	rec = run();
	check_portions(rec, 2);
	check_text(rec, "in P@0; in X@96; in Q@160; [0,400) p[0:3] {0:P@0 1:X@96 2:Q@160}; "
		   "out P@0; out Q@160; move X@96>@0; in R@64; "
		   "[400,800) p[3:7] {1:X@0 3:R@64}");
}

/**
 * SUBTEST: example-w4-group
 * Description: Several entries at one SplitOffset: the cut is before all of them.
 */
static void test_w4(void)
{
	struct vsplit_record *rec;

	setup();
	vsplit_cs_bind(cs, 0, bo('A', 64));
	vsplit_cs_bind(cs, 1, bo('B', 64));
	vsplit_cs_bind(cs, 2, bo('C', 64));
	for (unsigned int i = 0; i < 3; i++)
		work(i, i + 1);
	vsplit_cs_pad(cs, 0x400);
	vsplit_cs_bind(cs, 1, bo('D', 32));
	vsplit_cs_bind(cs, 2, bo('E', 64));
	vsplit_cs_bind(cs, 3, bo('F', 64));
	for (unsigned int i = 0; i < 4; i++)
		work(i, i + 5);
	vsplit_cs_pad(cs, 0x800);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x400);
	check_cut(rec, 1, 0x400, 0x800);
	/* D came in while the group was tried; it is not bound in portion 0 */
	check_text(rec, "in A@0; in B@64; in C@128; in D@192; "
		   "[0,400) p[0:3] {0:A@0 1:B@64 2:C@128}; "
		   "out B@64; out C@128; in E@64; in F@128; "
		   "[400,800) p[3:6] {0:A@0 1:D@192 2:E@64 3:F@128}");
}

static void build_w5(bool split)
{
	if (split) {
		vsplit_cs_bind(cs, 0, bo('A', 64));
		work(0, 1);
		vsplit_cs_pad(cs, 0x200);
		vsplit_cs_unbind(cs, 0);
		vsplit_cs_pad(cs, 0x400);
	}
	vsplit_cs_bind(cs, 0, bo('G', 96));
	vsplit_cs_bind(cs, 1, bo('H', 96));
	vsplit_cs_bind(cs, 2, bo('I', 96));
	work(0, 2);
	vsplit_cs_pad(cs, 0x800);
}

/**
 * SUBTEST: example-w5-group-cannot-fit
 * Description: A group that is larger than memory: failure, with WDDM's error
 *   semantics after portion 0.
 */
static void test_w5(void)
{
	struct vsplit_record *rec;

	setup();
	build_w5(true);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	ctx = vsplit_ctx(fd, VSPLIT_CTX_WDDM_ERRORS);
	vsplit_place_before(cs);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(__vsplit_cs_wait(cs), -ENOMEM);
	rec = vsplit_record(fd, ctx, cs->submission);
	vsplit_record_check(rec, cs);
	/* with every split point taken, the unbind ends a portion of its own */
	if (vsplit_exact()) {
		igt_assert_eq(rec->info.num_portions, 1);
		check_cut(rec, 0, 0, 0x400);
		igt_assert_eq(vsplit_portion(rec, 0)->patch_count, 2);
		igt_assert_eq(vsplit_portion(rec, 0)->row_count, 0);
	}
	vsplit_cs_reference(cs, 0x400);
	for (unsigned int i = 0; i < cs->nr_allocs; i++)
		if (cs->bos[i])
			vsplit_bo_check(cs->bos[i]);
	igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_LOST_OOM);
}

/**
 * SUBTEST: example-w5b-first-group-cannot-fit
 * Description: The same group at offset 0: failure, and no portion at all (A15).
 */
static void test_w5b(void)
{
	struct vsplit_record *rec;

	setup();
	build_w5(false);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	ctx = vsplit_ctx(fd, VSPLIT_CTX_WDDM_ERRORS);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(cs->portions, 0);
	igt_assert_eq(__vsplit_cs_wait(cs), -ENOMEM);
	rec = vsplit_record(fd, ctx, cs->submission);
	igt_assert_eq(rec->info.num_portions, 0);
	igt_assert_eq(vsplit_count(rec, VSPLIT_EVENT_PORTION), 0);
	for (unsigned int i = 0; i < cs->nr_allocs; i++)
		vsplit_bo_check(cs->bos[i]);
	igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_LOST_OOM);
}

/* Another client's idle allocation, resident. */
static struct vsplit_bo *foreign(unsigned int units)
{
	int other = vsplit_adapter_open(ad);
	struct vsplit_bo *o = vsplit_bo(other, 'O', units * U);
	struct vsplit_cs *ocs = vsplit_cs(other);

	vsplit_cs_bind(ocs, 0, o);
	vsplit_cs_set(ocs, 0, 0, o->size, 0x0f0f0f0f);
	vsplit_cs_run(ocs, vsplit_ctx(other, 0), 0);
	return o;
}

/**
 * SUBTEST: example-w6-idle-first
 * Description: Idle allocations of others leave before a buffer is split (A9).
 */
static void test_w6(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *o;

	setup();
	o = foreign(128);
	vsplit_cs_bind(cs, 0, bo('A', 64));
	work(0, 1);
	vsplit_cs_pad(cs, 0x100);
	vsplit_cs_bind(cs, 1, bo('B', 64));
	work(1, 2);
	vsplit_cs_pad(cs, 0x200);
	vsplit_cs_bind(cs, 2, bo('C', 64));
	work(2, 3);
	vsplit_cs_pad(cs, 0x300);
	rec = run();
	check_portions(rec, 1);
	vsplit_bo_check(o);
	igt_assert(!vsplit_bo_resident(o));
}

/* ---- SPLIT-1, 2 --------------------------------------------------------- */

/**
 * SUBTEST: split-1-all-commands-once-in-order
 * Description: A buffer of four times the memory: every command is executed
 *   exactly once and in order.
 */
static void test_split_1(void)
{
	enum { N = 16 };
	struct vsplit_bo *count, *a[N];
	struct vsplit_record *rec;
	uint64_t seen;

	setup();
	count = bo('Z', 1);
	vsplit_cs_bind(cs, 1, count);
	for (unsigned int i = 0; i < N; i++) {
		a[i] = bo('A' + i, 64);
		vsplit_cs_bind(cs, 0, a[i]);
		vsplit_cs_set(cs, 0, 0, a[i]->size, i * 0x9e3779b9);
		vsplit_cs_add(cs, 1, 0, 1);
		vsplit_cs_copy(cs, 0, 8 * i, 1, 0, 8);
	}
	rec = run();
	igt_assert(rec->info.num_portions >= 2);
	memcpy(&seen, count->map, 8);
	igt_assert_eq_u64(seen, N);
	for (unsigned int i = 0; i < N; i++) {
		memcpy(&seen, a[i]->map + 8 * i, 8);
		igt_assert_eq_u64(seen, i + 1);
	}
}

/**
 * SUBTEST: split-2-too-large-for-every-segment
 * Description: More than fits into any and all of the segments together: at
 *   least two portions, and success.
 */
static void test_split_2(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 128 * U }, { "aper", true, .size = 64 * U } },
		.slots = 64,
		.test = true,
	};
	struct vsplit_record *rec;

	setup_opts(&opts);
	for (unsigned int i = 0; i < 8; i++) {
		vsplit_cs_bind(cs, 0, bo('A' + i, 50));
		work(0, i);
	}
	rec = run();
	igt_assert(rec->info.num_portions >= 2);
	/* 400 units through 192: two portions cannot do it */
	igt_assert(rec->info.num_portions >= 3);
}

/**
 * SUBTEST: split-2-fits-with-both-kinds-of-memory
 * Description: Too large for the memory segment, but not for it and the aperture
 *   segment: one portion.
 */
static void test_split_2_both(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 128 * U }, { "aper", true, .size = 64 * U } },
		.slots = 64,
		.test = true,
	};
	struct vsplit_record *rec;

	setup_opts(&opts);
	for (unsigned int i = 0; i < 6; i++) {
		vsplit_cs_bind(cs, i, bo('A' + i, 30));
		work(i, i);
	}
	rec = run();
	check_portions(rec, 1);
	if (vsplit_exact())
		igt_assert(vsplit_count(rec, VSPLIT_EVENT_MAP) >= 1);
}

/**
 * SUBTEST: split-2-one-portion-when-idle-ones-leave
 * Description: Everything fits once idle allocations left, those of others and
 *   those of the list itself: exactly one portion, whatever was resident.
 */
static void test_split_2_converse(void)
{
	struct vsplit_bo *a[8], *o;

	setup();
	for (unsigned int i = 0; i < 8; i++)
		a[i] = bo('A' + i, 32);
	for (unsigned int round = 0; round < 6; round++) {
		struct vsplit_rng rng = { round };

		/* leave a random mess behind */
		for (unsigned int i = 0; i < 8; i++) {
			vsplit_cs_reset(cs);
			vsplit_cs_bind(cs, 0, a[vsplit_rng_below(&rng, 8)]);
			work(0, i);
			run();
			if (i == 4) {
				o = foreign(40 + 10 * round);
				vsplit_bo_free(o);
			}
		}
		o = foreign(100);
		vsplit_cs_reset(cs);
		for (unsigned int i = 0; i < 8; i++) {
			vsplit_cs_bind(cs, i, a[(i * 3 + round) % 8]);
			/* one group, or a group for each */
			if (round & 1)
				work(i, i);
		}
		for (unsigned int i = 0; i < 8; i++)
			work(i, i + 1);
		check_portions(run(), 1);
		vsplit_bo_check(o);
		/* and so it is where a split would have helped as well */
		vsplit_bo_free(o);
		o = foreign(100);
		vsplit_cs_reset(cs);
		for (unsigned int i = 0; i < 8; i++) {
			vsplit_cs_bind(cs, 0, a[(i * 5 + round) % 8]);
			work(0, i);
		}
		check_portions(run(), 1);
		vsplit_bo_check(o);
		vsplit_bo_free(o);
	}
}

/* ---- SPLIT-8, 9 --------------------------------------------------------- */

/* A buffer that binds, unbinds and copies at random among @n allocations. */
static void build_random(struct vsplit_rng *rng, struct vsplit_bo **a, unsigned int n,
			 unsigned int slots, unsigned int groups)
{
	struct vsplit_bo *bound[64] = {};

	for (unsigned int g = 0; g < groups; g++) {
		unsigned int binds = 1 + vsplit_rng_below(rng, 3);

		for (unsigned int i = 0; i < binds; i++) {
			unsigned int slot = vsplit_rng_below(rng, slots);

			if (vsplit_rng_below(rng, 5) == 0) {
				vsplit_cs_unbind(cs, slot);
				bound[slot] = NULL;
			} else {
				bound[slot] = a[vsplit_rng_below(rng, n)];
				vsplit_cs_bind(cs, slot, bound[slot]);
			}
		}
		for (unsigned int i = 0; i < 3; i++) {
			unsigned int s = vsplit_rng_below(rng, slots), t = vsplit_rng_below(rng, slots);

			if (bound[s])
				vsplit_cs_set(cs, s, 8 * vsplit_rng_below(rng, 500), 512,
					      vsplit_rng_next(rng));
			if (bound[s] && bound[t])
				vsplit_cs_copy(cs, s, 8 * vsplit_rng_below(rng, 500), t,
					       8 * vsplit_rng_below(rng, 500), 1024);
		}
		vsplit_cs_nop(cs, 8);
	}
}

static unsigned int distinct_cuts(void)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < cs->nr_patches; i++) {
		uint32_t s = cs->patches[i].split_offset;

		n += s && s < cs->bytes && (!i || cs->patches[i - 1].split_offset != s);
	}
	return n;
}

/**
 * SUBTEST: split-8-every-split-point-is-a-legal-cut
 * Description: With every split point taken, each distinct SplitOffset is a
 *   boundary, nothing else is, and the output is the same.
 */
static void test_split_8(void)
{
	struct vsplit_bo *a[10];

	setup();
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
		/* and the same without: the same bytes, by the same reference */
		rec = run();
		check_portions(rec, 1);
	}
}

/**
 * SUBTEST: split-9-state-set-again-survives
 * Description: A stream that sets its state after each split point gives the right
 *   result though paging runs in between.
 */
static void test_split_9(void)
{
	struct vsplit_bo *a[6];

	setup();
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
 * Description: Strict mode: state from before a taken split is a GPU fault, the
 *   context is lost, the adapter goes on.
 */
static void test_split_9_strict(void)
{
	struct drm_vsplit_ctx_query q;
	struct vsplit_bo *c;

	setup();
	build_stale();
	vsplit_cs_submit(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert_eq(cs->portions, 2);
	igt_assert(__vsplit_cs_wait(cs) != 0);
	vsplit_ctx_query(fd, ctx, &q);
	igt_assert_eq(q.state, VSPLIT_STATE_LOST_FAULT);
	igt_assert_eq(q.fault, VSPLIT_FAULT_STATE);
	igt_assert_eq(q.fault_portion, 1);
	/* the fill after the second bind */
	igt_assert_eq_u32(q.fault_offset, cs->patches[1].split_offset +
			  sizeof(struct vsplit_packet_bind));
	vsplit_cs_reference(cs, cs->patches[1].split_offset);
	vsplit_bo_check(cs->bos[0]);
	vsplit_bo_check(cs->bos[1]);

	ctx = vsplit_ctx(fd, 0);
	vsplit_cs_reset(cs);
	c = bo('C', 8);
	vsplit_cs_bind(cs, 0, c);
	work(0, 1);
	run();
}

/**
 * SUBTEST: split-9-state-survives-a-split-point-not-taken
 * Description: Where no split is taken the state is as it was.
 */
static void test_split_9_not_taken(void)
{
	struct vsplit_record *rec;

	setup();
	vsplit_not_under("take_split_point", "no split may be taken");
	build_stale();
	rec = run();
	check_portions(rec, 1);
}

/**
 * SUBTEST: split-9-lenient-garbage
 * Description: Lenient mode: such state is garbage, of defined extent, and no
 *   error.
 */
static void test_split_9_lenient(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 256 * U } },
		.slots = 64,
		.lenient = true,
		.test = true,
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
	/* whatever it is, it is the same everywhere, and nowhere else */
	igt_assert(pattern != 0x22222222);
	for (unsigned int i = 0; i < 4096; i += 4) {
		igt_assert(!memcmp(b->map + i, &pattern, 4));
		igt_assert(!memcmp(a->map + 4096 + i, &pattern, 4));
		igt_assert_eq(a->map[i], 0x22);
	}
	for (unsigned int i = 8192; i < a->size; i++)
		igt_assert_eq(a->map[i], 0);
}

/* ---- SPLIT-10 … 23: lists and tables ------------------------------------ */

/**
 * SUBTEST: split-10-index-outside-the-list
 * Description: AllocationIndex beyond the allocation list: -EINVAL, nothing runs.
 */
static void test_split_10(void)
{
	static const uint32_t bad[] = { 2, 3, 100, 0x7fffffff, 0xffffffff };

	setup();
	vsplit_cs_bind(cs, 0, bo('A', 8));
	work(0, 1);
	vsplit_cs_bind(cs, 1, bo('B', 8));
	work(1, 2);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		cs->patches[1].alloc = bad[i];
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	cs->patches[1].alloc = 1;
	run();
	/* the index, not the position, says which: entries out of list order */
	vsplit_cs_reset(cs);
	for (unsigned int i = 0; i < 4; i++)
		vsplit_cs_alloc(cs, bo('C' + i, 4), VSPLIT_ALLOC_WRITE);
	for (unsigned int i = 0; i < 4; i++) {
		vsplit_cs_bind(cs, i, cs->bos[(i * 3 + 1) % 4]);
		work(i, i + 3);
	}
	run();
}

/**
 * SUBTEST: split-11-table-size-from-the-cap
 * Description: SlotIds below the published count are valid, others are not, and
 *   neither are reserved bits (A3).
 */
static void test_split_11(void)
{
	static const unsigned int caps[] = { 1, 2, 16, 255, VSPLIT_MAX_SLOTS };
	struct drm_vsplit_adapter_info info;

	for (unsigned int i = 0; i < ARRAY_SIZE(caps); i++) {
		const struct vsplit_adapter_opts opts = {
			.segs = { { "vram", .size = 256 * U } },
			.slots = caps[i],
			.test = true,
		};
		const uint32_t bad[] = { caps[i], caps[i] + 1, 0xffffff, 0x1000000, 0x80000000u };

		setup_opts(&opts);
		vsplit_query_adapter(fd, &info);
		igt_assert_eq(info.num_slots, caps[i]);
		vsplit_cs_bind(cs, caps[i] - 1, bo('A', 8));
		work(caps[i] - 1, 1);
		run();
		for (unsigned int j = 0; j < ARRAY_SIZE(bad); j++) {
			/* in the entry and in the packet, so that they agree */
			cs->patches[0].slot = bad[j];
			((struct vsplit_packet *)cs->stream)->arg = bad[j];
			vsplit_cs_refused(cs, ctx, 0, -EINVAL);
		}
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: split-12-table-is-per-buffer
 * Description: What an earlier buffer bound is not bound in the next: neither
 *   kept nor usable.
 */
static void test_split_12(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *a;
	uint32_t at;

	setup();
	a = bo('A', 200);
	vsplit_cs_bind(cs, 0, a);
	work(0, 1);
	run();
	/* A's memory is needed, and nobody keeps A */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 1, bo('B', 200));
	work(1, 2);
	vsplit_cs_bind(cs, 2, bo('C', 50));
	work(2, 3);
	rec = run();
	check_portions(rec, 1);
	igt_assert(!vsplit_bo_resident(a));
	igt_assert(!vsplit_row(rec, rec->info.num_portions - 1, 0));
	vsplit_bo_check(a);
	/* and slot 0 is empty */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 1, bo('D', 8));
	vsplit_cs_state(cs, VSPLIT_STATE_FILL, 1);
	at = cs->bytes;
	vsplit_cs_fill(cs, 0, 0, 64);
	check_fault(VSPLIT_FAULT_EMPTY_ROW, at, 0);
	vsplit_bo_check(a);
}

/**
 * SUBTEST: split-13-table-starts-empty
 * Description: Before the first entry the table is empty; a buffer without entries
 *   is one portion that needs no memory.
 */
static void test_split_13(void)
{
	const struct drm_vsplit_event *p;
	struct vsplit_record *rec;

	setup();
	vsplit_cs_nop(cs, 256);
	rec = run();
	igt_assert_eq(rec->info.num_portions, 1);
	igt_assert_eq(rec->info.num_events, 1);
	igt_assert_eq(rec->info.num_rows, 0);
	/* a cut at the first bind: the portion before it has no rows */
	vsplit_cs_bind(cs, 5, bo('A', 8));
	work(5, 1);
	rec = vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert_eq(rec->info.num_portions, 2);
	p = vsplit_portion(rec, 0);
	igt_assert_eq(p->end, 256);
	igt_assert_eq(p->row_count, 0);
	igt_assert_eq(p->patch_count, 0);
	igt_assert_eq(vsplit_portion(rec, 1)->row_count, 1);
	igt_assert(vsplit_row(rec, 1, 5));
	/* an allocation that is in the list but in no entry is not bound anywhere */
	vsplit_cs_reset(cs);
	vsplit_cs_alloc(cs, bo('B', 8), VSPLIT_ALLOC_WRITE);
	vsplit_cs_state(cs, VSPLIT_STATE_FILL, 1);
	vsplit_cs_fill(cs, 0, 0, 64);
	check_fault(VSPLIT_FAULT_EMPTY_ROW, sizeof(struct vsplit_packet_state), 0);
}

/**
 * SUBTEST: split-14-table-is-the-fold
 * Description: At each boundary the table is the fold of the entries before it.
 */
static void test_split_14(void)
{
	struct vsplit_bo *a[12];

	setup();
	for (unsigned int i = 0; i < 12; i++)
		a[i] = bo('A' + i, 16);
	/* by hand */
	vsplit_cs_bind(cs, 0, a[0]);
	vsplit_cs_bind(cs, 7, a[1]);
	vsplit_cs_nop(cs, 16);
	vsplit_cs_bind(cs, 7, a[2]);
	vsplit_cs_bind(cs, 3, a[0]);
	vsplit_cs_nop(cs, 16);
	vsplit_cs_unbind(cs, 0);
	vsplit_cs_nop(cs, 16);
	vsplit_cs_bind(cs, 0, a[3]);
	vsplit_cs_nop(cs, 16);
	check_text(vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT),
		   "in A@0; in B@16; [0,40) p[0:2] {0:A@0 7:B@16}; "
		   "in C@32; [40,80) p[2:4] {0:A@0 3:A@0 7:C@32}; "
		   "[80,a8) p[4:5] {3:A@0 7:C@32}; "
		   "in D@48; [a8,d0) p[5:6] {0:D@48 3:A@0 7:C@32}");
	/* at random, against the fold that the record's check computes */
	for (unsigned int round = 0; round < 30; round++) {
		struct vsplit_rng rng = { 1000 + round };

		vsplit_cs_reset(cs);
		build_random(&rng, a, 12, 16, 20);
		vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	}
}

/**
 * SUBTEST: split-15-slot-chooses-the-row
 * Description: Binding to one slot leaves all other rows as they are.
 */
static void test_split_15(void)
{
	struct vsplit_record *rec;

	setup();
	for (unsigned int i = 0; i < 5; i++)
		vsplit_cs_bind(cs, i == 3 ? 9 : i, bo('A' + i, 8));
	for (unsigned int i = 0; i < 5; i++)
		work(i == 3 ? 9 : i, 1 + i);
	vsplit_cs_bind(cs, 3, bo('X', 8));
	for (unsigned int i = 0; i < 5; i++)
		work(i, 10 + i);
	work(9, 20);
	rec = vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert_eq(rec->info.num_portions, 2);
	for (uint32_t slot = 0; slot < 16; slot++) {
		const struct drm_vsplit_row *r0 = vsplit_row(rec, 0, slot);
		const struct drm_vsplit_row *r1 = vsplit_row(rec, 1, slot);

		if (slot == 3) {
			igt_assert(!r0 && r1);
			continue;
		}
		igt_assert_eq(!r0, !r1);
		if (r0)
			igt_assert(!memcmp(r0, r1, sizeof(*r0)));
	}
}

/**
 * SUBTEST: split-16-resident-and-patched-at-portion-start
 * Description: What a SplitOffset names is resident, at the address that the
 *   portion uses, before the portion begins.
 */
static void test_split_16(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *a[4];

	setup();
	for (unsigned int i = 0; i < 4; i++) {
		a[i] = bo('A' + i, 150);
		vsplit_bo_pattern(a[i], i);
	}
	/* twice round, so that each comes back with what it had */
	for (unsigned int i = 0; i < 8; i++) {
		vsplit_cs_bind(cs, 0, a[i % 4]);
		vsplit_cs_copy(cs, 0, 4096 * (i + 1), 0, 0, 4096);
	}
	rec = run();
	check_portions(rec, 8);
	for (uint32_t p = 0; vsplit_exact() && p < 8; p++) {
		const struct drm_vsplit_event *in = vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, a[p % 4], p);
		const struct drm_vsplit_row *row = vsplit_row(rec, p, 0);

		igt_assert(in && row);
		igt_assert(in->t1_ns <= vsplit_portion(rec, p)->t0_ns);
		igt_assert_eq(row->handle, a[p % 4]->handle);
		igt_assert_eq(row->segment, in->segment);
		igt_assert_eq_u64(row->offset, in->at);
	}
}

/**
 * SUBTEST: split-17-earlier-commands-run-while-it-is-absent
 * Description: The portion before the split runs while what the split waits for is
 *   not in memory.
 */
static void test_split_17(void)
{
	const struct drm_vsplit_event *p0, *in;
	struct vsplit_record *rec;
	struct vsplit_bo *c;

	setup();
	c = bo('C', 200);
	vsplit_cs_bind(cs, 0, bo('A', 200));
	work(0, 1);
	vsplit_cs_spin(cs, 20000);
	work(0, 2);
	vsplit_cs_pad(cs, 0x400);
	vsplit_cs_bind(cs, 0, c);
	work(0, 3);
	rec = run();
	check_portions(rec, 2);
	if (!vsplit_exact())
		return;
	p0 = vsplit_portion(rec, 0);
	in = vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, c, 1);
	igt_assert(p0 && in);
	igt_assert_eq(p0->end, 0x400);
	igt_assert(!vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, c, 0));
	igt_assert(p0->t1_ns - p0->t0_ns >= 20000000);
	igt_assert(in->t0_ns >= p0->t1_ns);
	igt_assert(vsplit_portion(rec, 1)->t0_ns >= in->t1_ns);
}

/**
 * SUBTEST: split-18-later-entry-replaces
 * Description: A later entry with the same slot takes the row.
 */
static void test_split_18(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *b;

	setup();
	vsplit_cs_bind(cs, 0, bo('A', 8));
	work(0, 1);
	b = bo('B', 8);
	vsplit_cs_bind(cs, 0, b);
	work(0, 2);
	rec = run();
	check_portions(rec, 1);
	igt_assert_eq(vsplit_row(rec, rec->info.num_portions - 1, 0)->handle, b->handle);
}

/**
 * SUBTEST: split-18-a4-same-slot-twice-in-a-group
 * Description: The last entry of a group wins the slot, and every allocation that
 *   the group names is resident (A4).
 */
static void test_split_18_a4(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *a, *b, *c;

	setup();
	a = bo('A', 100);
	b = bo('B', 100);
	c = bo('C', 100);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 0, b);
	work(0, 1);
	vsplit_cs_pad(cs, 0x200);
	/* A and B are both in the working set, so this is a cut */
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 0, c);
	work(0, 2);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x200);
	if (!vsplit_exact())
		return;
	igt_assert(vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, a, 0));
	igt_assert(vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, b, 0));
	igt_assert_eq(vsplit_row(rec, 0, 0)->handle, b->handle);
	igt_assert_eq(vsplit_row(rec, 1, 0)->handle, c->handle);
	igt_assert(vsplit_bo_resident(a));
	/* a group whose replaced member does not fit beside the others fails */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 0, b);
	vsplit_cs_bind(cs, 0, c);
	work(0, 3);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
}

/**
 * SUBTEST: split-19-replaced-stays-until-a-split
 * Description: A replaced allocation is still in the portion's working set: its
 *   memory is not taken without a split (A5).
 */
static void test_split_19(void)
{
	const struct drm_vsplit_event *out;
	struct vsplit_record *rec;
	struct vsplit_bo *a;

	setup();
	a = bo('A', 128);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_spin(cs, 20000);
	vsplit_cs_set(cs, 0, 0, a->size, 0x33333333);
	vsplit_cs_pad(cs, 0x400);
	vsplit_cs_bind(cs, 0, bo('B', 64));
	work(0, 2);
	vsplit_cs_pad(cs, 0x800);
	vsplit_cs_bind(cs, 1, bo('C', 96));
	work(1, 3);
	work(0, 4);
	vsplit_cs_pad(cs, 0xc00);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x800);
	check_cut(rec, 1, 0x800, 0xc00);
	if (!vsplit_exact())
		return;
	igt_assert(!vsplit_step(rec, VSPLIT_EVENT_EVICT, a, 0));
	out = vsplit_step(rec, VSPLIT_EVENT_EVICT, a, 1);
	igt_assert(out);
	igt_assert(out->t0_ns >= vsplit_portion(rec, 0)->t1_ns);
}

/**
 * SUBTEST: split-19-replaced-leaves-at-the-split
 * Description: At a taken split a replaced allocation no longer counts, though it
 *   was replaced before it.
 */
static void test_split_19_leaves(void)
{
	struct vsplit_record *rec;

	setup();
	/* 256 only fit beside each other if all that was replaced is gone */
	vsplit_cs_bind(cs, 0, bo('A', 100));
	work(0, 1);
	vsplit_cs_bind(cs, 0, bo('B', 100));
	work(0, 2);
	vsplit_cs_bind(cs, 0, bo('C', 50));
	work(0, 3);
	vsplit_cs_pad(cs, 0x400);
	vsplit_cs_bind(cs, 0, bo('D', 256));
	work(0, 4);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x400);
}

/* The page-ins of one portion, as a string of names. */
static void page_ins(const struct vsplit_record *rec, uint32_t portion, char *names)
{
	for (uint32_t i = 0; i < rec->info.num_events; i++) {
		const struct drm_vsplit_event *e = &rec->events[i];

		if ((e->type != VSPLIT_EVENT_PAGE_IN && e->type != VSPLIT_EVENT_MAP) ||
		    e->portion != portion)
			continue;
		for (uint32_t j = 0; j < cs->nr_allocs; j++)
			if (cs->bos[j] && cs->bos[j]->id == e->id)
				*names++ = cs->bos[j]->name;
	}
	*names = 0;
}

/**
 * SUBTEST: split-20-entries-first-to-last
 * Description: Entries are processed in the order of the patch-location list, not
 *   of the allocation list, whether the buffer is split or not.
 */
static void test_split_20(void)
{
	struct vsplit_bo *a[6];
	struct vsplit_record *rec;
	char names[16];

	setup();
	for (unsigned int i = 0; i < 6; i++)
		a[i] = bo('A' + i, 40);
	for (unsigned int i = 6; i--;)
		vsplit_cs_alloc(cs, a[i], VSPLIT_ALLOC_WRITE);
	vsplit_cs_bind(cs, 0, a[2]);
	vsplit_cs_bind(cs, 1, a[0]);
	work(0, 1);
	vsplit_cs_bind(cs, 2, a[5]);
	work(2, 1);
	vsplit_cs_bind(cs, 3, a[1]);
	vsplit_cs_bind(cs, 4, a[3]);
	work(3, 1);
	work(4, 1);
	rec = run();
	check_portions(rec, 1);
	if (vsplit_exact()) {
		page_ins(rec, 0, names);
		igt_assert_f(!strcmp(names, "CAFBD"), "paged in as %s, the list says CAFBD\n", names);
	}

	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	vsplit_cs_pad(cs, 0x400);
	for (unsigned int i = 0; i < 5; i++)
		vsplit_cs_unbind(cs, i);
	vsplit_cs_bind(cs, 6, a[4]);
	vsplit_cs_bind(cs, 7, a[0]);
	vsplit_cs_bind(cs, 8, bo('G', 100));
	work(6, 2);
	work(7, 2);
	work(8, 2);
	rec = run();
	check_portions(rec, 2);
	if (!vsplit_exact())
		return;
	/* E still found room before the cut; A may have stayed */
	page_ins(rec, 0, names);
	page_ins(rec, 1, names + strlen(names));
	igt_assert_f(!strcmp(names, "CAFBDEG") || !strcmp(names, "CAFBDEAG"),
		     "paged in as %s, the list says CAFBDE(A)G\n", names);
}

/**
 * SUBTEST: split-21-offset-must-be-a-command-boundary
 * Description: A SplitOffset outside the buffer or inside a packet: -EINVAL.
 */
static void test_split_21(void)
{
	uint32_t at, good;

	setup();
	vsplit_cs_nop(cs, 64);
	vsplit_cs_nop(cs, 64);
	vsplit_cs_bind(cs, 0, bo('A', 8));
	work(0, 1);
	good = cs->patches[0].split_offset;
	for (at = 0; at <= good; at++) {
		cs->patches[0].split_offset = at;
		if (at == 0 || at == 64 || at == 128)
			run();
		else
			vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	for (at = good + 1; at <= cs->bytes + 16; at++) {
		cs->patches[0].split_offset = at;
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	cs->patches[0].split_offset = 0xffffffff;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->patches[0].split_offset = 0xfffffff8;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
}

/**
 * SUBTEST: split-21-a13-patch-before-its-split-point
 * Description: A PatchOffset before its SplitOffset, outside the buffer or not on
 *   an address operand: -EINVAL (A13).
 */
static void test_split_21_a13(void)
{
	uint32_t good;

	setup();
	vsplit_cs_bind(cs, 0, bo('A', 8));
	work(0, 1);
	vsplit_cs_nop(cs, 64);
	good = cs->patches[0].patch_offset;
	for (uint32_t at = 0; at <= cs->bytes + 8; at++) {
		if (at == good)
			continue;
		cs->patches[0].patch_offset = at;
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	cs->patches[0].patch_offset = 0xfffffff8;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->patches[0].patch_offset = good;
	run();
	/* the operand stands before the split point of its entry */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, bo('B', 8));
	work(0, 1);
	cs->patches[0].split_offset = sizeof(struct vsplit_packet_bind);
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->patches[0].split_offset = 0;
	run();
}

/**
 * SUBTEST: split-21-a12-offset-at-the-end
 * Description: SplitOffset equal to the length: an unbind may have it, a bind may
 *   not (A12).
 */
static void test_split_21_a12(void)
{
	const struct drm_vsplit_event *p;
	struct vsplit_record *rec;

	setup();
	vsplit_cs_bind(cs, 0, bo('A', 8));
	work(0, 1);
	vsplit_cs_patch(cs, vsplit_cs_null(cs), 0, 0, cs->bytes, cs->bytes);
	rec = run();
	check_portions(rec, 1);
	p = vsplit_portion(rec, rec->info.num_portions - 1);
	igt_assert_eq(p->end, cs->bytes);
	igt_assert_eq(p->row_count, 0);
	rec = vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert_eq(rec->info.num_portions, 1);
	cs->patches[1].alloc = 0;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	vsplit_cs_refused(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT, -EINVAL);
}

/**
 * SUBTEST: split-22-decreasing-offsets-are-refused
 * Description: SplitOffsets must not decrease; a list in which one does is refused
 *   whole (A1).
 */
static void test_split_22(void)
{
	struct drm_vsplit_patch p;

	setup();
	for (unsigned int i = 0; i < 4; i++) {
		vsplit_cs_bind(cs, i, bo('A' + i, 8));
		work(i, i);
	}
	run();
	for (unsigned int i = 0; i < 3; i++) {
		p = cs->patches[i];
		cs->patches[i] = cs->patches[i + 1];
		cs->patches[i + 1] = p;
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
		p = cs->patches[i];
		cs->patches[i] = cs->patches[i + 1];
		cs->patches[i + 1] = p;
	}
	run();
}

/**
 * SUBTEST: split-22-equal-offsets-are-one-group
 * Description: Equal SplitOffsets are accepted and cut together (A1).
 */
static void test_split_22_equal(void)
{
	struct vsplit_record *rec;

	setup();
	vsplit_cs_nop(cs, 8);
	for (unsigned int i = 0; i < 10; i++)
		vsplit_cs_bind(cs, i, bo('A' + i, 8));
	for (unsigned int i = 0; i < 10; i++)
		work(i, i);
	rec = vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert_eq(rec->info.num_portions, 2);
	igt_assert_eq(vsplit_portion(rec, 1)->begin, 8);
	igt_assert_eq(vsplit_portion(rec, 1)->patch_count, 10);
}

/**
 * SUBTEST: split-23-page-ins-in-list-order
 * Description: Page-ins are a subsequence of the list: what is resident already
 *   causes none, the others come in its order.
 */
static void test_split_23(void)
{
	struct vsplit_bo *a[8];
	struct vsplit_record *rec;
	char names[16];

	setup();
	for (unsigned int i = 0; i < 8; i++)
		a[i] = bo('A' + i, 30);
	vsplit_cs_bind(cs, 0, a[5]);
	vsplit_cs_bind(cs, 1, a[1]);
	work(0, 1);
	run();
	vsplit_cs_reset(cs);
	for (unsigned int i = 0; i < 8; i++) {
		vsplit_cs_bind(cs, i, a[(i * 5 + 2) % 8]);
		work(i, 2);
	}
	rec = run();
	check_portions(rec, 1);
	if (!vsplit_exact())
		return;
	/* C H E B G D A F without B and F */
	page_ins(rec, 0, names);
	igt_assert_f(!strcmp(names, "CHEGDA"), "paged in as %s, expected CHEGDA\n", names);
	rec = run();
	page_ins(rec, 0, names);
	igt_assert_f(!*names, "%s paged in though resident\n", names);
}

/* ---- SPLIT-24 … 29: the cut --------------------------------------------- */

/**
 * SUBTEST: split-24-one-portion-per-shortage
 * Description: Each time that memory is short for a group, exactly one portion is
 *   handed over; where it is not short, none.
 */
static void test_split_24(void)
{
	struct vsplit_bo *small;
	struct vsplit_record *rec;

	setup();
	small = bo('Z', 8);
	for (unsigned int i = 0; i < 8; i++) {
		vsplit_cs_bind(cs, 0, bo('A' + i, 200));
		work(0, i);
		/* this one always fits: no cut */
		vsplit_cs_bind(cs, 1, small);
		work(1, i);
	}
	rec = run();
	check_portions(rec, 8);
	for (unsigned int i = 0; vsplit_exact() && i < 8; i++)
		igt_assert_eq(vsplit_portion(rec, i)->patch_count, 2);
}

static volatile bool stop;
static unsigned int rounds_of_others;

/* Makes foreign allocations busy, locked and contended. */
static void *disturb(void *arg)
{
	int other = *(int *)arg;
	struct drm_vsplit_ctx_create ctx_args = { .priority = VSPLIT_CTX_PRIORITY_NORMAL };
	struct drm_vsplit_gem_create create;
	struct drm_vsplit_submit args;
	struct vsplit_packet_bind bind = {
		.head = { .op = VSPLIT_OP_BIND, .size = sizeof(bind) },
	};
	struct drm_vsplit_alloc alloc = {};
	struct drm_vsplit_patch patch = { .patch_offset = offsetof(struct vsplit_packet_bind, address) };
	unsigned int bad = 0;
	int err;
	uint32_t handles[4];
	uint8_t *maps[4];
	void *map;

	if (__vsplit_ctx_create(other, &ctx_args))
		return "context";
	for (unsigned int i = 0; i < 4; i++) {
		create = (struct drm_vsplit_gem_create) { .size = 20 * U };
		if (__vsplit_create(other, &create) ||
		    __vsplit_mmap(other, create.handle, create.size, &map))
			return "create";
		handles[i] = create.handle;
		maps[i] = map;
	}
	for (unsigned int round = 0; !stop; round++) {
		unsigned int i = round % 4;
		struct drm_vsplit_gem_lock lock = { .handle = handles[i] };

		alloc.handle = handles[i];
		alloc.flags = VSPLIT_ALLOC_WRITE;
		memset(&args, 0, sizeof(args));
		args.ctx = ctx_args.ctx;
		args.stream = (uintptr_t)&bind;
		args.stream_bytes = sizeof(bind);
		args.allocs = (uintptr_t)&alloc;
		args.num_allocs = 1;
		args.patches = (uintptr_t)&patch;
		args.num_patches = 1;
		err = __vsplit_submit(other, &args);
		bad += err && !vsplit_injected(err);
		maps[(i + 1) % 4][round % (20 * U)] = round;
		if (!__vsplit_ioctl(other, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock)) {
			lock.flags = 0;
			__vsplit_ioctl(other, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock);
		}
		__atomic_add_fetch(&rounds_of_others, 1, __ATOMIC_RELAXED);
	}
	for (unsigned int i = 0; i < 4; i++)
		munmap(maps[i], 20 * U);
	return bad ? "submissions refused" : NULL;
}

/**
 * SUBTEST: split-24-only-shortage-of-video-memory-cuts
 * Description: Busy, locked and contended allocations of others cause neither a
 *   split nor a failure (A10); neither do bad arguments.
 */
static void test_split_24_only(void)
{
	struct vsplit_bo *a[4];
	pthread_t threads[3];
	int fds[3];
	void *ret[3];
	unsigned int worst = 0, rounds;
	uint64_t t0;

	setup();
	vsplit_not_under("take_split_point", "no split may be taken");
	for (unsigned int i = 0; i < 4; i++) {
		a[i] = bo('A' + i, 64);
		/* one slot, so that splitting would help */
		vsplit_cs_bind(cs, 0, a[i]);
		vsplit_cs_set(cs, 0, 0, 4096, i);
	}
	/* not short of memory: refused, not split */
	cs->allocs[2].handle = 12345;
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -ENOENT);
	cs->allocs[2].handle = a[2]->handle;

	stop = false;
	rounds_of_others = 0;
	for (unsigned int i = 0; i < 3; i++) {
		fds[i] = vsplit_adapter_open(ad);
		igt_assert_eq(pthread_create(&threads[i], NULL, disturb, &fds[i]), 0);
	}
	t0 = vsplit_now_ns();
	for (rounds = 0; rounds < 200 || rounds_of_others < 300; rounds++) {
		int err = __vsplit_cs_submit(cs, ctx, 0);

		if (err) {
			worst = 1000 - err;
			break;
		}
		worst = max(worst, cs->portions);
		if (rounds % 16 == 0 && __vsplit_cs_wait(cs))
			break;
		if (vsplit_now_ns() - t0 > 60000000000ull)
			break;
	}
	stop = true;
	for (unsigned int i = 0; i < 3; i++)
		pthread_join(threads[i], &ret[i]);
	igt_assert_f(worst < 1000, "submission %u: %s\n", rounds, strerror(worst - 1000));
	igt_assert_eq(worst, 1);
	vsplit_cs_wait(cs);
	vsplit_cs_reference(cs, 0);
	for (unsigned int i = 0; i < 4; i++)
		vsplit_bo_check(a[i]);
	igt_info("%u submissions against %u rounds of others\n", rounds, rounds_of_others);
	for (unsigned int i = 0; i < 3; i++)
		igt_assert_f(!ret[i], "disturber: %s\n", (char *)ret[i]);
}

/**
 * SUBTEST: split-25-boundary-is-failing-group
 * Description: The portion ends exactly at the SplitOffset of the group that does
 *   not fit, not at an earlier split point.
 */
static void test_split_25(void)
{
	struct vsplit_record *rec;

	setup();
	vsplit_cs_bind(cs, 0, bo('A', 64));
	work(0, 1);
	vsplit_cs_pad(cs, 0x100);
	vsplit_cs_bind(cs, 1, bo('B', 64));
	work(1, 2);
	vsplit_cs_pad(cs, 0x200);
	vsplit_cs_bind(cs, 2, bo('C', 64));
	work(2, 3);
	vsplit_cs_pad(cs, 0x300);
	vsplit_cs_bind(cs, 2, bo('D', 80));
	work(2, 4);
	vsplit_cs_pad(cs, 0x400);
	vsplit_cs_bind(cs, 1, bo('E', 16));
	work(1, 5);
	vsplit_cs_pad(cs, 0x500);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x300);
	check_cut(rec, 1, 0x300, 0x500);
}

/**
 * SUBTEST: split-25-a2-cut-before-the-whole-group
 * Description: When the entry that does not fit is in the middle of a group, the cut
 *   is before the group: members in front of it do not take effect earlier (A2).
 */
static void test_split_25_a2(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *d;

	setup();
	vsplit_cs_bind(cs, 0, bo('A', 100));
	vsplit_cs_bind(cs, 1, bo('B', 100));
	work(0, 1);
	work(1, 2);
	vsplit_cs_pad(cs, 0x200);
	d = bo('D', 20);
	vsplit_cs_bind(cs, 0, d);
	vsplit_cs_bind(cs, 1, bo('E', 200));
	vsplit_cs_bind(cs, 2, bo('F', 20));
	work(0, 3);
	work(1, 4);
	work(2, 5);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x200);
	if (!vsplit_exact())
		return;
	igt_assert_eq(vsplit_portion(rec, 0)->patch_count, 2);
	igt_assert_eq(vsplit_portion(rec, 1)->patch_count, 3);
	igt_assert(vsplit_row(rec, 0, 0)->handle != d->handle);
	igt_assert_eq(vsplit_row(rec, 1, 0)->handle, d->handle);
}

/**
 * SUBTEST: split-25-portions-tile-the-buffer
 * Description: Portions follow each other from 0 to the length, none empty, whatever
 *   the list.
 */
static void test_split_25_tile(void)
{
	struct vsplit_bo *a[12];
	unsigned int split = 0;

	setup();
	for (unsigned int i = 0; i < 12; i++)
		a[i] = bo('A' + i, 20 + 4 * i);
	for (unsigned int round = 0; round < 40; round++) {
		struct vsplit_rng rng = { 77 + round };
		int ret;

		vsplit_cs_reset(cs);
		build_random(&rng, a, 12, 4, 20);
		/* the record's check does the work; some have no solution */
		vsplit_place_before(cs);
		ret = __vsplit_cs_submit(cs, ctx, 0);
		igt_assert(ret == 0 || ret == -ENOSPC);
		if (ret)
			continue;
		vsplit_cs_wait(cs);
		vsplit_record_check(vsplit_record(fd, ctx, cs->submission), cs);
		vsplit_cs_reference(cs, 0);
		split += cs->portions > 1;
		for (unsigned int i = 0; i < cs->nr_allocs; i++)
			if (cs->bos[i])
				vsplit_bo_check(cs->bos[i]);
	}
	igt_assert(split >= 10);
}

/**
 * SUBTEST: split-26-kept-set-is-the-table-minus-the-group
 * Description: Kept at a split is what the table holds in slots that the group
 *   doesn't name, neither more nor less.
 */
static void test_split_26(void)
{
	struct vsplit_bo *a, *b, *c, *r;
	struct vsplit_record *rec;

	setup();
	a = bo('A', 64);
	b = bo('B', 64);
	c = bo('C', 64);
	r = bo('R', 60);
	vsplit_cs_bind(cs, 3, r);	/* replaced below: not in the table */
	work(3, 1);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 2, c);
	work(0, 2);
	work(2, 3);
	vsplit_cs_unbind(cs, 3);
	vsplit_cs_bind(cs, 1, b);
	work(1, 4);
	vsplit_cs_pad(cs, 0x400);
	/* fits only if B and R go, and is correct only if A and C stay */
	vsplit_cs_bind(cs, 1, bo('D', 68));
	vsplit_cs_bind(cs, 4, bo('E', 60));
	for (unsigned int slot = 0; slot < 5; slot++)
		if (slot != 3)
			work(slot, 5 + slot);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x400);
	if (!vsplit_exact())
		return;
	igt_assert_eq(vsplit_count_bo(rec, a), 1);
	igt_assert_eq(vsplit_count_bo(rec, c), 1);
	igt_assert(vsplit_step(rec, VSPLIT_EVENT_EVICT, b, 1));
	igt_assert(vsplit_step(rec, VSPLIT_EVENT_EVICT, r, 1));
}

/**
 * SUBTEST: split-26-kept-while-any-slot-holds-it
 * Description: An allocation in two slots is kept unless the group names both.
 */
static void test_split_26_two_slots(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *a;

	setup();
	a = bo('A', 100);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, a);
	work(0, 1);
	vsplit_cs_bind(cs, 2, bo('B', 100));
	work(2, 2);
	vsplit_cs_pad(cs, 0x200);
	vsplit_cs_bind(cs, 0, bo('C', 40));
	vsplit_cs_bind(cs, 2, bo('D', 110));
	work(1, 3);
	work(0, 4);
	work(2, 5);
	vsplit_cs_pad(cs, 0x400);
	rec = run();
	check_portions(rec, 2);
	igt_assert_eq(vsplit_row(rec, rec->info.num_portions - 1, 1)->handle, a->handle);
	if (vsplit_exact())
		igt_assert_eq(vsplit_count_bo(rec, a), 1);
	/* now a group that needs A's memory: fails if one slot keeps it … */
	vsplit_cs_bind(cs, 0, bo('E', 200));
	vsplit_cs_unbind(cs, 2);
	work(0, 6);
	vsplit_cs_pad(cs, 0x600);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	/* … and works once both are named */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, a);
	work(0, 1);
	vsplit_cs_bind(cs, 0, bo('F', 200));
	vsplit_cs_unbind(cs, 1);
	work(0, 2);
	rec = run();
	check_portions(rec, 2);
}

/**
 * SUBTEST: split-27-kept-rows-keep-their-address
 * Description: Over many splits a kept row stays at its segment and offset, and the
 *   GPU reaches it there without a new bind.
 */
static void test_split_27(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *a, *b;
	uint64_t at;

	setup();
	/* not at the start of memory */
	vsplit_cs_bind(cs, 0, bo('Y', 33));
	work(0, 1);
	a = bo('A', 32);
	b = bo('B', 7);
	vsplit_cs_bind(cs, 5, a);
	vsplit_cs_bind(cs, 6, b);
	vsplit_cs_set(cs, 5, 0, a->size, 0x44444444);
	for (unsigned int i = 0; i < 10; i++) {
		vsplit_cs_bind(cs, 0, bo('C' + i, 100 + 5 * i));
		work(0, i);
		vsplit_cs_add(cs, 5, 8 * i, i);
		vsplit_cs_copy(cs, 6, 64 * i, 5, 0, 64);
	}
	rec = run();
	igt_assert(rec->info.num_portions >= 5);
	at = vsplit_row(rec, vsplit_exact() ? 0 : 2, 5)->offset;
	for (uint32_t p = vsplit_exact() ? 0 : 2; p < rec->info.num_portions; p++) {
		igt_assert_eq_u64(vsplit_row(rec, p, 5)->offset, at);
		igt_assert_eq(vsplit_row(rec, p, 5)->segment, 1);
	}
	igt_assert_eq(vsplit_count_bo(rec, a), 1);
	igt_assert_eq(vsplit_count_bo(rec, b), 1);
}

/**
 * SUBTEST: split-28-unused-may-stay
 * Description: What is no longer in use may be evicted but need not; what is in use
 *   is not. Either way its bytes are right when it is used again (A6).
 */
static void test_split_28(void)
{
	struct vsplit_bo *a, *b, *c;
	struct vsplit_record *rec;

	setup();
	a = bo('A', 96);
	b = bo('B', 64);
	c = bo('C', 64);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_bind(cs, 2, c);
	for (unsigned int i = 0; i < 3; i++)
		work(i, i + 1);
	vsplit_cs_pad(cs, 0x400);
	/* one of B and C must go for this, not both */
	vsplit_cs_bind(cs, 1, bo('D', 64));
	vsplit_cs_unbind(cs, 2);
	work(0, 4);
	work(1, 5);
	vsplit_cs_pad(cs, 0x600);
	vsplit_cs_bind(cs, 2, c);
	work(2, 6);
	rec = run();
	igt_assert_eq(vsplit_count_bo(rec, a), 1);
	igt_assert(vsplit_count_bo(rec, c) == 1 || vsplit_step(rec, VSPLIT_EVENT_EVICT, c, 1));
	if (vsplit_exact())
		igt_assert_eq(!!vsplit_step(rec, VSPLIT_EVENT_EVICT, b, 1) +
			      !!vsplit_step(rec, VSPLIT_EVENT_EVICT, c, 1), 1);
}

/**
 * SUBTEST: split-29-any-number-of-splits
 * Description: A list can be split as often as it takes, at most once per distinct
 *   SplitOffset.
 */
static void test_split_29(void)
{
	enum { N = 100 };
	struct vsplit_bo *a[4];
	struct vsplit_record *rec;

	setup();
	for (unsigned int i = 0; i < 4; i++)
		a[i] = bo('A' + i, 130);
	for (unsigned int i = 0; i < N; i++) {
		vsplit_cs_bind(cs, 0, a[i % 4]);
		vsplit_cs_add(cs, 0, 0, i);
	}
	rec = run();
	check_portions(rec, N);
	igt_assert(rec->info.num_portions <= distinct_cuts() + 1);
	for (uint32_t p = 1; vsplit_exact() && p < N; p++)
		igt_assert_eq(vsplit_portion(rec, p)->begin, cs->patches[p].split_offset);
}

/* ---- SPLIT-30 … 38: what the client can do ------------------------------- */

/**
 * SUBTEST: split-30-a-split-point-at-every-bind
 * Description: A group for each bind and unbind is accepted, tens of thousands of
 *   them in one list.
 */
static void test_split_30(void)
{
	enum { N = 40000 };
	struct vsplit_bo *a[5];

	setup();
	vsplit_not_under("take_split_point", "forty thousand portions take too long");
	for (unsigned int i = 0; i < 5; i++)
		a[i] = bo('A' + i, 64);
	for (unsigned int i = 0; i < N; i++) {
		vsplit_cs_group(cs);
		if (i % 3 == 2)
			vsplit_cs_unbind(cs, (i - 1) % 64);
		else
			vsplit_cs_bind(cs, i % 64, a[i * 4 / N]);
	}
	work((N - 1) % 64, 9);
	igt_assert_eq(cs->nr_patches, N);
	run();
}

/**
 * SUBTEST: split-31-unbind-clears-the-row
 * Description: After a NULL entry the row is empty: a command that uses it faults,
 *   and no stale address is left (A14).
 */
static void test_split_31(void)
{
	struct vsplit_bo *a;
	uint32_t at;

	setup();
	a = bo('A', 8);
	vsplit_cs_bind(cs, 2, a);
	work(2, 1);
	vsplit_cs_unbind(cs, 2);
	vsplit_cs_state(cs, VSPLIT_STATE_FILL, 1);
	at = cs->bytes;
	vsplit_cs_fill(cs, 2, 0, 64);
	check_fault(VSPLIT_FAULT_EMPTY_ROW, at, 2);
	vsplit_cs_reference(cs, at - sizeof(struct vsplit_packet_state) -
			    sizeof(struct vsplit_packet_bind));
	vsplit_bo_check(a);
	/* the same across a cut */
	ctx = vsplit_ctx(fd, 0);
	vsplit_cs_submit(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert(__vsplit_cs_wait(cs) != 0);
	igt_assert(!vsplit_row(vsplit_record(fd, ctx, cs->submission), 1, 2));
}

/**
 * SUBTEST: split-31-unbind-needs-no-memory
 * Description: An unbind never needs memory, never fails, never cuts, even where
 *   memory is full of what cannot move.
 */
static void test_split_31_memory(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *pin;

	setup();
	pin = vsplit_bo_in(fd, 'P', 256 * U, VSPLIT_GEM_PINNED, NULL);
	for (unsigned int i = 0; i < 20; i++) {
		vsplit_cs_unbind(cs, i);
		vsplit_cs_nop(cs, 8);
	}
	vsplit_cs_bind(cs, 0, pin);
	work(0, 1);
	for (unsigned int i = 0; i < 20; i++) {
		vsplit_cs_unbind(cs, i);
		vsplit_cs_nop(cs, 8);
	}
	rec = run();
	check_portions(rec, 1);
	igt_assert_eq(rec->info.num_events, rec->info.num_portions);

	/* nor does it where the buffer is cut for another reason */
	vsplit_cs_reset(cs);
	vsplit_bo_free(pin);
	vsplit_cs_bind(cs, 20, bo('A', 200));
	work(20, 1);
	for (unsigned int i = 0; i < 20; i++) {
		vsplit_cs_unbind(cs, i);
		vsplit_cs_nop(cs, 8);
	}
	vsplit_cs_pad(cs, 0x800);
	vsplit_cs_bind(cs, 20, bo('B', 200));
	work(20, 2);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x800);
}

/**
 * SUBTEST: split-31-unbound-is-not-kept-later
 * Description: What was unbound is kept neither at a split there nor at a later one.
 */
static void test_split_31_later(void)
{
	struct vsplit_record *rec;

	setup();
	vsplit_cs_bind(cs, 0, bo('A', 200));
	work(0, 1);
	vsplit_cs_pad(cs, 0x100);
	vsplit_cs_unbind(cs, 0);
	vsplit_cs_pad(cs, 0x200);
	vsplit_cs_bind(cs, 1, bo('B', 20));
	work(1, 2);
	vsplit_cs_pad(cs, 0x300);
	/* exactly where A was */
	vsplit_cs_bind(cs, 2, bo('C', 200));
	work(1, 3);
	work(2, 4);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x300);
}

/**
 * SUBTEST: split-32-unbinding-widens-what-fits
 * Description: The same list fails without and works with an unbind of what is no
 *   longer needed.
 */
static void test_split_32(void)
{
	setup();
	build_w1(false, false);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	vsplit_cs_reset(cs);
	build_w1(true, false);
	check_portions(run(), 3);
}

/**
 * SUBTEST: split-33-rebinding-costs-nothing
 * Description: A large allocation bound anew at every split point is accepted, and
 *   not transferred as long as it need not move.
 */
static void test_split_33(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *a;

	setup();
	a = bo('A', 64);
	for (unsigned int i = 0; i < 8; i++) {
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_bind(cs, 1, bo('B' + i, 128));
		work(0, i + 1);
		work(1, i + 1);
	}
	rec = run();
	check_portions(rec, 8);
	if (vsplit_exact())
		igt_assert_eq(vsplit_count_bo(rec, a), 1);
}

/**
 * SUBTEST: split-34-not-rebound-stays-in-place
 * Description: Bound and not bound anew, an allocation stays where it is even where
 *   moving it would let the rest fit; bound anew, it moves.
 */
static void test_split_34(void)
{
	struct vsplit_record *rec;

	setup();
	build_w3(false, U);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	/* smaller, it fits beside X, and X stays */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, bo('P', 96));
	vsplit_cs_bind(cs, 1, bo('X', 64));
	vsplit_cs_bind(cs, 2, bo('Q', 96));
	work(1, 1);
	vsplit_cs_unbind(cs, 0);
	vsplit_cs_unbind(cs, 2);
	vsplit_cs_bind(cs, 3, bo('R', 90));
	work(1, 2);
	work(3, 3);
	rec = run();
	check_portions(rec, 2);
	if (vsplit_exact())
		igt_assert_eq_u64(vsplit_row(rec, 1, 1)->offset, 96 * U);
}

/**
 * SUBTEST: split-35-fragmentation-is-a-failure
 * Description: Free memory in pieces does not help: the sum fits, the set does not.
 *   At the size that fits into the largest hole it works.
 */
static void test_split_35(void)
{
	setup();
	vsplit_not_under("random_placement", "free memory is in other pieces");
	for (unsigned int size = 95; size <= 98; size++) {
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, bo('P', 96));
		vsplit_cs_bind(cs, 1, bo('X', 64));
		vsplit_cs_bind(cs, 2, bo('Q', 96));
		work(1, 1);
		vsplit_cs_unbind(cs, 0);
		vsplit_cs_unbind(cs, 2);
		/* another small one, so that what fits is two pieces */
		vsplit_cs_bind(cs, 3, bo('R', size));
		vsplit_cs_bind(cs, 4, bo('S', 64));
		work(3, 3);
		work(4, 3);
		vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
		if (size <= 96)
			check_portions(run(), 2);
		else
			vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
		for (unsigned int i = 0; i < cs->nr_allocs; i++)
			if (cs->bos[i])
				vsplit_bo_free(cs->bos[i]);
	}
}

/**
 * SUBTEST: split-36-whole-group-is-reprogrammed
 * Description: Slots named later in the group than the entry that does not fit count
 *   as reprogrammed too.
 */
static void test_split_36(void)
{
	struct vsplit_record *rec;

	setup();
	/* the unbind stands behind the bind that fails */
	build_w1(false, true);
	rec = run();
	check_portions(rec, 3);
	check_cut(rec, 1, 0x400, 0x800);
	check_cut(rec, 2, 0x800, 0xc00);
	/* and so does the re-bind of the one that must move */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, bo('P', 96));
	vsplit_cs_bind(cs, 1, bo('X', 64));
	vsplit_cs_bind(cs, 2, bo('Q', 96));
	vsplit_cs_set(cs, 1, 0, 4096, 0x55555555);
	vsplit_cs_bind(cs, 3, bo('R', 128));
	vsplit_cs_bind(cs, 1, cs->bos[1]);
	vsplit_cs_unbind(cs, 0);
	vsplit_cs_unbind(cs, 2);
	work(1, 1);
	work(3, 2);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	rec = run();
	check_portions(rec, 2);
}

/**
 * SUBTEST: split-37-rebound-may-move
 * Description: An allocation that the group binds anew may move at that split; its
 *   bytes move with it, and commands of the next portion reach it there.
 */
static void test_split_37(void)
{
	const struct drm_vsplit_event *move;
	struct vsplit_record *rec;
	struct vsplit_bo *x;

	setup();
	build_w3(true, U);
	x = cs->bos[1];
	rec = run();
	check_portions(rec, 2);
	if (!vsplit_exact())
		return;
	move = vsplit_step(rec, VSPLIT_EVENT_MOVE, x, 1);
	igt_assert(move);
	igt_assert_eq_u64(move->from, 96 * U);
	igt_assert(move->at != move->from);
	igt_assert_eq_u64(vsplit_row(rec, 0, 1)->offset, move->from);
	igt_assert_eq_u64(vsplit_row(rec, 1, 1)->offset, move->at);
	igt_assert(move->t0_ns >= vsplit_portion(rec, 0)->t1_ns);
	igt_assert(move->t1_ns <= vsplit_portion(rec, 1)->t0_ns);
}

/*
 * Memory is full of pieces. Every other one is unbound, the rest is bound anew in
 * an order of its own, and what then is free in pieces is needed as a whole, so
 * that several move at once, onto where others are.
 */
static void overlap_many(unsigned int round)
{
	enum { N = 8 };
	struct vsplit_rng rng = { 3700 + round };
	unsigned int size[N], order[N / 2], rest = 256;
	struct vsplit_bo *a[N];

	vsplit_cs_reset(cs);
	for (unsigned int i = 0; i < N; i++) {
		size[i] = i == N - 1 ? rest : 16 + vsplit_rng_below(&rng, 32);
		rest -= size[i];
		a[i] = bo('A' + i, size[i]);
		vsplit_bo_pattern(a[i], 10 * round + i);
		vsplit_cs_bind(cs, i, a[i]);
	}
	for (unsigned int i = 0; i < N; i++)
		vsplit_cs_set(cs, i, 4096, 64, i);
	for (unsigned int i = 0; i < N / 2; i++) {
		unsigned int j = vsplit_rng_below(&rng, i + 1);

		order[i] = order[j];
		order[j] = 2 * i + 1;
		rest += size[2 * i];
	}
	for (unsigned int i = 0; i < N; i += 2)
		vsplit_cs_unbind(cs, i);
	for (unsigned int i = 0; i < N / 2; i++)
		vsplit_cs_bind(cs, order[i], a[order[i]]);
	vsplit_cs_bind(cs, N, bo('R', rest));
	for (unsigned int i = 0; i < N / 2; i++)
		vsplit_cs_copy(cs, N, 4096 * i, order[i], 4096, 4096);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	check_portions(run(), 2);
	for (unsigned int i = 0; i < cs->nr_allocs; i++)
		if (cs->bos[i])
			vsplit_bo_free(cs->bos[i]);
}

/**
 * SUBTEST: split-37-overlapping-move
 * Description: A move by less than the allocation's size keeps its bytes.
 */
static void test_split_37_overlap(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *x;

	setup();
	x = bo('X', 120);
	vsplit_bo_pattern(x, 3);
	vsplit_cs_bind(cs, 0, bo('P', 40));
	vsplit_cs_bind(cs, 1, x);
	vsplit_cs_bind(cs, 2, bo('Q', 96));
	vsplit_cs_set(cs, 1, 4096, 4096, 0x66666666);
	vsplit_cs_unbind(cs, 0);
	vsplit_cs_unbind(cs, 2);
	vsplit_cs_bind(cs, 1, x);
	vsplit_cs_bind(cs, 3, bo('R', 136));
	vsplit_cs_copy(cs, 3, 0, 1, 0, x->size);
	rec = run();
	check_portions(rec, 2);
	if (vsplit_exact())
		igt_assert(vsplit_step(rec, VSPLIT_EVENT_MOVE, x, 1) ||
			   vsplit_step(rec, VSPLIT_EVENT_EVICT, x, 1));
	for (unsigned int round = 0; round < 12; round++)
		overlap_many(round);
}

/* Blocks of 16 in memory of @blocks; what has no slot anew at the split leaves holes. */
static void setup_blocks(unsigned int blocks)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = blocks * 16 * U } },
		.slots = 64,
		.test = true,
	};

	setup_opts(&opts);
}

static struct vsplit_bo *block(char name, unsigned int blocks, unsigned int align)
{
	struct drm_vsplit_gem_create args = { .size = blocks * 16 * U, .alignment = align * 16 * U };
	struct vsplit_bo *b;

	igt_assert_eq(__vsplit_create(fd, &args), 0);
	b = vsplit_bo_take(fd, name, &args);
	vsplit_bo_pattern(b, name);
	vsplit_cs_alloc(cs, b, VSPLIT_ALLOC_WRITE);
	return b;
}

/**
 * SUBTEST: split-37-moves-wait-for-each-other
 * Description: What moves to where another one still is goes after it, whatever the
 *   order of the list.
 */
static void test_split_37_wait(void)
{
	struct vsplit_bo *a, *b, *c;
	struct vsplit_record *rec;

	setup_blocks(12);
	a = block('A', 2, 1);
	b = block('B', 4, 1);
	c = block('C', 2, 1);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, block('F', 2, 1));
	vsplit_cs_bind(cs, 2, b);
	vsplit_cs_bind(cs, 3, c);
	vsplit_cs_bind(cs, 4, block('G', 2, 1));
	work(3, 1);
	/* Blocks: A A . . B B B B C C . .; list order wants C C A A B B B B D D D D. */
	vsplit_cs_unbind(cs, 1);
	vsplit_cs_unbind(cs, 4);
	vsplit_cs_bind(cs, 3, c);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 2, b);
	vsplit_cs_bind(cs, 5, block('D', 4, 1));
	work(5, 2);
	rec = run();
	check_portions(rec, 2);
	if (vsplit_exact()) {
		const struct drm_vsplit_event *first = vsplit_step(rec, VSPLIT_EVENT_MOVE, a, 1);
		const struct drm_vsplit_event *second = vsplit_step(rec, VSPLIT_EVENT_MOVE, c, 1);

		igt_assert_f(first && second && first < second && first->at == 32 * U &&
			     second->at == 0, "%s\n", vsplit_record_text(rec, cs, U));
	}
}

/**
 * SUBTEST: split-37-moves-in-a-circle
 * Description: Of those that would take each other's places one goes through system
 *   memory.
 */
static void test_split_37_circle(void)
{
	struct vsplit_bo *a, *b;
	struct vsplit_record *rec;

	setup_blocks(10);
	a = block('A', 4, 1);
	b = block('B', 4, 1);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, block('F', 1, 1));
	vsplit_cs_bind(cs, 2, b);
	vsplit_cs_bind(cs, 3, block('G', 1, 1));
	work(0, 1);
	work(2, 2);
	/* Blocks: A A A A . B B B B .; C has to be at 8, and list order wants B at 0. */
	vsplit_cs_unbind(cs, 1);
	vsplit_cs_unbind(cs, 3);
	vsplit_cs_bind(cs, 2, b);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 4, block('C', 2, 4));
	work(4, 3);
	rec = run();
	check_portions(rec, 2);
	if (vsplit_exact())
		igt_assert_f(vsplit_step(rec, VSPLIT_EVENT_EVICT, a, 1) &&
			     vsplit_step(rec, VSPLIT_EVENT_MOVE, b, 1) &&
			     vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, a, 1),
			     "%s\n", vsplit_record_text(rec, cs, U));
}

/**
 * SUBTEST: split-38-64-mib-texture
 * Description: At full scale: a 64 MiB allocation bound anew at a split point moves
 *   between the portions.
 */
static void test_split_38(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 256ull << 20 } },
		.slots = 64,
		.timeout_ms = 60000,
		.test = true,
	};
	struct vsplit_record *rec;
	struct vsplit_bo *x;

	setup_opts(&opts);
	build_w3(true, 1 << 20);
	x = cs->bos[1];
	igt_assert_eq_u64(x->size, 64 << 20);
	rec = run();
	check_portions(rec, 2);
	if (vsplit_exact())
		igt_assert(vsplit_step(rec, VSPLIT_EVENT_MOVE, x, 1));
}

/**
 * SUBTEST: split-39-submission-does-not-wait
 * Description: All portions are prepared and handed to the scheduler before the
 *   first of them runs.
 */
static void test_split_39(void)
{
	struct vsplit_record *rec;
	uint64_t t0, t1;

	setup();
	for (unsigned int i = 0; i < 6; i++) {
		vsplit_cs_bind(cs, 0, bo('A' + i, 200));
		vsplit_cs_spin(cs, 100000);
		work(0, i + 1);
	}
	/* an engine that takes nothing */
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_place_before(cs);
	vsplit_cs_submit(cs, ctx, 0);
	if (vsplit_exact())
		igt_assert_eq(cs->portions, 6);
	igt_assert(vsplit_syncobj_busy(fd, cs->out));
	rec = vsplit_record(fd, ctx, cs->submission);
	igt_assert_eq(rec->info.done, 0);
	igt_assert_eq(rec->info.num_portions, cs->portions);
	for (uint32_t p = 0; p < cs->portions; p++)
		igt_assert_eq_u64(vsplit_portion(rec, p)->t0_ns, 0);
	/* (the CPU cannot look into what is about to move: it would wait) */
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	vsplit_cs_reference(cs, 0);
	for (unsigned int i = 0; i < 6; i++)
		vsplit_bo_check(cs->bos[i]);
	vsplit_record_check(vsplit_record(fd, ctx, cs->submission), cs);
	/* an engine that is busy for 600 ms */
	vsplit_cs_submit(cs, ctx, 0);
	t0 = vsplit_now_ns();
	vsplit_cs_submit(cs, ctx, 0);
	t1 = vsplit_now_ns();
	igt_assert_f(t1 - t0 < 300000000, "a submission took %" PRIu64 " ms\n",
		     (t1 - t0) / 1000000);
	igt_assert(vsplit_syncobj_busy(fd, cs->out));
	vsplit_cs_wait(cs);
}

/* ---- placement and segments --------------------------------------------- */

/**
 * SUBTEST: segments-preference-and-fallback
 * Description: An allocation goes to the first of its segments that has room, to the
 *   next when the first is full of what is needed, never to one it is not allowed in.
 */
static void test_segments(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = {
			{ "fast", .size = 64 * U },
			{ "slow", .size = 128 * U },
			{ "aper", true, .size = 128 * U },
		},
		.slots = 64,
		.test = true,
	};
	struct vsplit_bo *a, *b, *c, *d;
	struct vsplit_record *rec;
	uint32_t last;

	setup_opts(&opts);
	a = vsplit_bo_in(fd, 'A', 48 * U, 0, (uint8_t []) { 1, 2, 0 });
	b = vsplit_bo_in(fd, 'B', 48 * U, 0, (uint8_t []) { 1, 2, 3, 0 });
	c = vsplit_bo_in(fd, 'C', 48 * U, 0, (uint8_t []) { 3, 1, 0 });
	d = vsplit_bo_in(fd, 'D', 48 * U, 0, (uint8_t []) { 2, 0 });
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_bind(cs, 2, c);
	vsplit_cs_bind(cs, 3, d);
	for (unsigned int i = 0; i < 4; i++)
		vsplit_cs_set(cs, i, 0, 48 * U, i + 1);
	rec = run();
	check_portions(rec, 1);
	if (!vsplit_exact())
		return;
	igt_assert_eq(vsplit_row(rec, 0, 0)->segment, 1);
	igt_assert_eq(vsplit_row(rec, 0, 1)->segment, 2);
	igt_assert_eq(vsplit_row(rec, 0, 2)->segment, 3);
	igt_assert_eq(vsplit_row(rec, 0, 3)->segment, 2);
	/* one more for "fast" alone: others make room, for there is enough of it */
	vsplit_cs_bind(cs, 0, vsplit_bo_in(fd, 'E', 40 * U, 0, (uint8_t []) { 1, 0 }));
	work(0, 9);
	rec = run();
	check_portions(rec, 1);
	igt_assert_eq(vsplit_row(rec, 0, 0)->segment, 1);
	/* and another one: not both at once, so only by a split */
	vsplit_cs_bind(cs, 0, vsplit_bo_in(fd, 'F', 40 * U, 0, (uint8_t []) { 1, 0 }));
	work(0, 10);
	rec = run();
	check_portions(rec, 2);
	last = rec->info.num_portions - 1;
	igt_assert_eq(vsplit_row(rec, last, 0)->segment, 1);
	igt_assert_neq(vsplit_row(rec, last, 1)->segment, 1);
}

/**
 * SUBTEST: segments-commit-limit
 * Description: No more than the commit limit is resident at once, though there is
 *   address space; where it is reached the buffer is split.
 */
static void test_commit_limit(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "aper", true, .size = 256 * U, .commit = 100 * U } },
		.slots = 64,
		.test = true,
	};
	struct vsplit_record *rec;

	setup_opts(&opts);
	for (unsigned int i = 0; i < 8; i++) {
		vsplit_cs_bind(cs, 0, bo('A' + i, 30));
		vsplit_cs_set(cs, 0, 0, 30 * U, i);
	}
	rec = run();
	check_portions(rec, 3);
	igt_assert_eq(vsplit_count(rec, VSPLIT_EVENT_PAGE_IN), 0);
	vsplit_cs_reset(cs);
	for (unsigned int i = 0; i < 4; i++)
		vsplit_cs_bind(cs, i, bo('a' + i, 30));
	work(0, 1);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
}

/**
 * SUBTEST: segments-aperture-split
 * Description: A buffer that goes through an aperture segment is split like one
 *   through memory, and moves no byte.
 */
static void test_aperture_split(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "aper", true, .size = 64 * U } },
		.slots = 64,
		.test = true,
	};
	struct drm_vsplit_statistics s0, s1;
	struct vsplit_record *rec;

	setup_opts(&opts);
	vsplit_query_statistics(fd, &s0);
	vsplit_cs_bind(cs, 1, bo('Z', 10));
	for (unsigned int i = 0; i < 6; i++) {
		struct vsplit_bo *a = bo('A' + i, 50);

		vsplit_bo_pattern(a, i);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_copy(cs, 1, i * 4096, 0, 8192, 4096);
		vsplit_cs_set(cs, 0, 0, 4096, i);
	}
	rec = run();
	check_portions(rec, 6);
	vsplit_query_statistics(fd, &s1);
	igt_assert_eq_u64(s1.evicted_copied_bytes, s0.evicted_copied_bytes);
	igt_assert_eq_u64(s1.paged_in_copied_bytes, s0.paged_in_copied_bytes);
	igt_assert_eq_u64(s1.moved_bytes, s0.moved_bytes);
}

/**
 * SUBTEST: place-packs-what-can-be-packed
 * Description: A group that fits only without gaps is placed without gaps, whatever
 *   was resident before and where.
 */
static void test_pack(void)
{
	static const unsigned int sizes[] = { 7, 64, 31, 2, 100, 52 };
	struct vsplit_bo *a[ARRAY_SIZE(sizes)], *mess[8];

	setup();
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		a[i] = bo('A' + i, sizes[i]);	/* 256 in all */
	for (unsigned int i = 0; i < 8; i++)
		mess[i] = bo('a' + i, 11 + 7 * i);
	for (unsigned int round = 0; round < 12; round++) {
		struct vsplit_rng rng = { 500 + round };

		for (unsigned int i = 0; i < 10; i++) {
			struct vsplit_bo *x = vsplit_rng_below(&rng, 2) ?
				mess[vsplit_rng_below(&rng, 8)] :
				a[vsplit_rng_below(&rng, ARRAY_SIZE(sizes))];

			vsplit_cs_reset(cs);
			vsplit_cs_bind(cs, 0, x);
			work(0, i);
			run();
		}
		vsplit_cs_reset(cs);
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
			vsplit_cs_bind(cs, i, a[i]);
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
			work(i, round + i);
		check_portions(run(), 1);
	}
}

/**
 * SUBTEST: place-around-pinned
 * Description: Pinned allocations stay where they are and are placed around, also
 *   when the list names them.
 */
static void test_around_pinned(void)
{
	struct vsplit_bo *p1, *p2, *pin;
	struct drm_vsplit_gem_info before, after;
	struct vsplit_record *rec;

	setup();
	p1 = vsplit_bo_in(fd, 'p', 60 * U, VSPLIT_GEM_PINNED, NULL);
	pin = vsplit_bo_in(fd, 'P', 40 * U, VSPLIT_GEM_PINNED, NULL);
	p2 = vsplit_bo_in(fd, 'q', 60 * U, VSPLIT_GEM_PINNED, NULL);
	vsplit_info(pin, &before);
	vsplit_bo_pattern(pin, 5);
	vsplit_bo_free(p1);
	vsplit_bo_free(p2);
	for (unsigned int i = 0; i < 6; i++) {
		if (i & 1)
			vsplit_cs_bind(cs, 1, pin);
		vsplit_cs_bind(cs, 0, bo('A' + i, 100));
		if (i & 1)
			vsplit_cs_copy(cs, 0, 0, 1, 0, 40 * U);
		else
			work(0, i);
	}
	rec = run();
	igt_assert(rec->info.num_portions >= 5);
	igt_assert_eq(vsplit_count_bo(rec, pin), 0);
	vsplit_info(pin, &after);
	igt_assert_eq_u64(after.offset, before.offset);
}

/* ---- EXT items around splitting ----------------------------------------- */

/**
 * SUBTEST: ext-11-leak-detection
 * Description: With leak detection a taken split that leaves a row neither unbound
 *   nor programmed anew is refused with -EPERM; without kept rows it is taken.
 */
static void test_leak_detection(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 256 * U } },
		.slots = 64,
		.leak_detection = true,
		.test = true,
	};

	setup_opts(&opts);
	vsplit_not_under("take_split_point", "all splits are refused");
	build_w1(false, false);		/* A is kept at the first split */
	vsplit_cs_refused(cs, ctx, 0, -EPERM);
	igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_ACTIVE);
	vsplit_cs_reset(cs);
	build_w3(true, U);		/* nothing is */
	check_portions(run(), 2);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, bo('A', 100));
	work(0, 1);
	vsplit_cs_bind(cs, 1, bo('B', 100));
	work(1, 2);
	check_portions(run(), 1);	/* no split, no leak */
	vsplit_cs_refused(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT, -EPERM);
}

static void test_knob(const char *knob, const char *value, bool each_cut)
{
	struct vsplit_bo *a[8];

	setup();
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
		if (each_cut)
			igt_assert_eq(rec->info.num_portions, distinct_cuts() + 1);
	}
}

/**
 * SUBTEST: ext-14-take-split-point
 * Description: The knob makes every split point a cut; results don't change.
 */
static void test_knob_take(void)
{
	test_knob("take_split_point", "1", true);
}

/**
 * SUBTEST: ext-14-evict-between
 * Description: Everything that is not kept leaves between portions; results don't
 *   change.
 */
static void test_knob_evict(void)
{
	test_knob("evict_between", "1", false);
}

/**
 * SUBTEST: ext-14-random-placement
 * Description: Placement at random; results don't change.
 */
static void test_knob_random(void)
{
	test_knob("random_placement", "12345", false);
}

/**
 * SUBTEST: ext-14-delay-paging
 * Description: Slow paging; results don't change.
 */
static void test_knob_delay(void)
{
	test_knob("delay_paging", "2000", false);
}

/**
 * SUBTEST: ext-5-always-repatch
 * Description: Patching again when the program starts changes nothing: patching is
 *   idempotent.
 */
static void test_knob_repatch(void)
{
	test_knob("always_repatch", "1", false);
}

/**
 * SUBTEST: ext-8-never-prepatch
 * Description: Patching only when the program starts gives the same.
 */
static void test_knob_prepatch(void)
{
	test_knob("never_prepatch", "1", false);
}

/**
 * SUBTEST: ext-14-expect-preparation-failure
 * Description: A preparation that fails late gives -ENOMEM and leaves no trace; the
 *   next try succeeds.
 */
static void test_knob_fail(void)
{
	unsigned int failed = 0;
	struct vsplit_bo *a[6];

	setup();
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

/**
 * SUBTEST: ext-4-portions-are-windows-on-one-buffer
 * Description: A portion is a window on the whole buffer: its offsets are the
 *   buffer's, and entries are counted from the list's start.
 */
static void test_windows(void)
{
	struct vsplit_record *rec;
	uint32_t patches = 0;

	setup();
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

/**
 * SUBTEST: ext-1-address-operands
 * Description: AllocationOffset is added to the address, for binds and for address
 *   operands inside commands; DriverId is opaque.
 */
static void test_address_operands(void)
{
	struct vsplit_bo *a, *b;

	setup();
	a = bo('A', 8);
	b = bo('B', 8);
	vsplit_bo_pattern(a, 1);
	vsplit_cs_bind_at(cs, 0, a, 4096);
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_copy(cs, 1, 0, 0, 0, 4096);
	/* the same by an address, two pages on */
	vsplit_cs_copy(cs, 1, 8192, 0, 0, 4096);
	((struct vsplit_packet_copy *)(cs->stream + cs->bytes -
		sizeof(struct vsplit_packet_copy)))->src.flags = VSPLIT_OPERAND_ADDRESS;
	vsplit_cs_patch(cs, 0, 0, 3 * 4096, cs->bytes - sizeof(struct vsplit_packet_copy) +
			offsetof(struct vsplit_packet_copy, src.value),
			cs->patches[0].split_offset);
	cs->patches[2].driver_id = 0xdeadbeef;
	run();
	igt_assert(!memcmp(b->map, a->map + 4096, 4096));
	igt_assert(!memcmp(b->map + 8192, a->map + 3 * 4096, 4096));
	/* beyond the allocation */
	cs->patches[2].alloc_offset = a->size;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
}

static const struct vsplit_subtest tests[] = {
	{ "example-w0-no-split", test_w0, "Worked example 0" },
	{ "example-w1-fails", test_w1, "Worked example 1, atomic" },
	{ "example-w1-wddm-errors", test_w1_wddm, "Worked example 1, WDDM's error semantics" },
	{ "example-w2-unbind", test_w2, "Worked example 2" },
	{ "example-w3a-fragmentation-fails", test_w3a, "Worked example 3a" },
	{ "example-w3b-rebound-moves", test_w3b, "Worked example 3b" },
	{ "example-w4-group", test_w4, "Worked example 4" },
	{ "example-w5-group-cannot-fit", test_w5, "Worked example 5" },
	{ "example-w5b-first-group-cannot-fit", test_w5b, "Worked example 5b" },
	{ "example-w6-idle-first", test_w6, "Worked example 6" },
	{ "split-1-all-commands-once-in-order", test_split_1, "Every command once, in order" },
	{ "split-2-too-large-for-every-segment", test_split_2, "Too large for all segments: split" },
	{ "split-2-fits-with-both-kinds-of-memory", test_split_2_both, "Fits all segments: one portion" },
	{ "split-2-one-portion-when-idle-ones-leave", test_split_2_converse, "Idle ones leave first" },
	{ "split-8-every-split-point-is-a-legal-cut", test_split_8, "Cut at every split point" },
	{ "split-9-state-set-again-survives", test_split_9, "State set again" },
	{ "split-9-state-not-set-again-faults", test_split_9_strict, "Strict mode faults" },
	{ "split-9-state-survives-a-split-point-not-taken", test_split_9_not_taken,
	  "No split, no loss" },
	{ "split-9-lenient-garbage", test_split_9_lenient, "Lenient mode" },
	{ "split-10-index-outside-the-list", test_split_10, "AllocationIndex is checked" },
	{ "split-11-table-size-from-the-cap", test_split_11, "SlotId is checked" },
	{ "split-12-table-is-per-buffer", test_split_12, "The table is of one buffer" },
	{ "split-13-table-starts-empty", test_split_13, "The table starts empty" },
	{ "split-14-table-is-the-fold", test_split_14, "The table at each boundary" },
	{ "split-15-slot-chooses-the-row", test_split_15, "One slot, one row" },
	{ "split-16-resident-and-patched-at-portion-start", test_split_16, "Resident when it starts" },
	{ "split-17-earlier-commands-run-while-it-is-absent", test_split_17, "Absent before" },
	{ "split-18-later-entry-replaces", test_split_18, "The later entry wins" },
	{ "split-18-a4-same-slot-twice-in-a-group", test_split_18_a4, "The last of a group wins" },
	{ "split-19-replaced-stays-until-a-split", test_split_19, "Replaced, still in use" },
	{ "split-19-replaced-leaves-at-the-split", test_split_19_leaves, "Replaced, gone at the split" },
	{ "split-20-entries-first-to-last", test_split_20, "Order of the list" },
	{ "split-21-offset-must-be-a-command-boundary", test_split_21, "SplitOffset is checked" },
	{ "split-21-a13-patch-before-its-split-point", test_split_21_a13, "PatchOffset is checked" },
	{ "split-21-a12-offset-at-the-end", test_split_21_a12, "SplitOffset at the end" },
	{ "split-22-decreasing-offsets-are-refused", test_split_22, "Offsets don't decrease" },
	{ "split-22-equal-offsets-are-one-group", test_split_22_equal, "Equal offsets" },
	{ "split-23-page-ins-in-list-order", test_split_23, "Order of page-ins" },
	{ "split-24-one-portion-per-shortage", test_split_24, "One portion per shortage" },
	{ "split-24-only-shortage-of-video-memory-cuts", test_split_24_only, "Nothing else cuts" },
	{ "split-25-boundary-is-failing-group", test_split_25, "Where the cut is" },
	{ "split-25-a2-cut-before-the-whole-group", test_split_25_a2, "Groups are not torn" },
	{ "split-25-portions-tile-the-buffer", test_split_25_tile, "No gap, no overlap" },
	{ "split-26-kept-set-is-the-table-minus-the-group", test_split_26, "Who is kept" },
	{ "split-26-kept-while-any-slot-holds-it", test_split_26_two_slots, "Kept by one of two slots" },
	{ "split-27-kept-rows-keep-their-address", test_split_27, "Kept in place" },
	{ "split-28-unused-may-stay", test_split_28, "Unused may stay" },
	{ "split-29-any-number-of-splits", test_split_29, "A hundred splits" },
	{ "split-30-a-split-point-at-every-bind", test_split_30, "Forty thousand groups" },
	{ "split-31-unbind-clears-the-row", test_split_31, "Unbind clears" },
	{ "split-31-unbind-needs-no-memory", test_split_31_memory, "Unbind never cuts" },
	{ "split-31-unbound-is-not-kept-later", test_split_31_later, "Unbound is not kept" },
	{ "split-32-unbinding-widens-what-fits", test_split_32, "Unbinding helps" },
	{ "split-33-rebinding-costs-nothing", test_split_33, "Re-binding is free" },
	{ "split-34-not-rebound-stays-in-place", test_split_34, "Not re-bound: in place" },
	{ "split-35-fragmentation-is-a-failure", test_split_35, "Pieces don't add up" },
	{ "split-36-whole-group-is-reprogrammed", test_split_36, "Listed after the failing one" },
	{ "split-37-rebound-may-move", test_split_37, "Re-bound: may move" },
	{ "split-37-overlapping-move", test_split_37_overlap, "Moves that overlap" },
	{ "split-37-moves-wait-for-each-other", test_split_37_wait, "Moves in an order that works" },
	{ "split-37-moves-in-a-circle", test_split_37_circle, "Through system memory" },
	{ "split-38-64-mib-texture", test_split_38, "At full scale" },
	{ "split-39-submission-does-not-wait", test_split_39, "Asynchronous" },
	{ "segments-preference-and-fallback", test_segments, "Several segments" },
	{ "segments-commit-limit", test_commit_limit, "Commit limits" },
	{ "segments-aperture-split", test_aperture_split, "Splits in an aperture" },
	{ "place-packs-what-can-be-packed", test_pack, "Packing" },
	{ "place-around-pinned", test_around_pinned, "Around pinned ones" },
	{ "ext-1-address-operands", test_address_operands, "AllocationOffset and addresses" },
	{ "ext-4-portions-are-windows-on-one-buffer", test_windows, "Windows" },
	{ "ext-5-always-repatch", test_knob_repatch, "Patching is idempotent" },
	{ "ext-8-never-prepatch", test_knob_prepatch, "Late patching" },
	{ "ext-11-leak-detection", test_leak_detection, "Leak detection" },
	{ "ext-14-take-split-point", test_knob_take, "Knob: every split point" },
	{ "ext-14-evict-between", test_knob_evict, "Knob: evict between portions" },
	{ "ext-14-random-placement", test_knob_random, "Knob: random placement" },
	{ "ext-14-delay-paging", test_knob_delay, "Knob: slow paging" },
	{ "ext-14-expect-preparation-failure", test_knob_fail, "Knob: late failures" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
