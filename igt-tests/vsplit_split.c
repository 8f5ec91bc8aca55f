// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit split
 * Description: Splitting of DMA buffers: the worked examples; when and where a buffer is cut:
 *   SPLIT-1, SPLIT-2, SPLIT-24, SPLIT-25, SPLIT-29, SPLIT-39; Documentation/splitting.rst has the
 *   table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: splitting
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_split.h"

#include <pthread.h>

IGT_TEST_DESCRIPTION("Splitting of DMA buffers: the worked examples; when and where a buffer is "
		     "cut: SPLIT-1, SPLIT-2, SPLIT-24, SPLIT-25, SPLIT-29, SPLIT-39; "
		     "Documentation/splitting.rst has the table.");

/* ---- the worked examples ----------------------------------------------- */

/**
 * SUBTEST: example-w0-no-split
 * Description: Everything fits: there is one portion, with lowest-fit places in list order.
 */
static void test_w0(void)
{
	struct vsplit_bo *a, *b, *c;

	setup_vram();
	a = bo('A', 64);
	b = bo('B', 64);
	c = bo('C', 128);
	group(0, a, 1);
	vsplit_cs_pad(cs, 0x100);
	group(1, b, 2);
	vsplit_cs_pad(cs, 0x200);
	group(2, c, 3);
	vsplit_cs_pad(cs, 0x300);
	check_text(run(), "in A@0; in B@64; in C@128; "
		   "[0,300) p[0:3] {0:A@0 1:B@64 2:C@128}");
}

/**
 * SUBTEST: example-w1-fails
 * Description: After two portions the third cannot fit beside the kept rows: -ENOSPC, and nothing
 *   was executed.
 */
static void test_w1(void)
{
	setup_vram();
	build_w1(false, false);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_ACTIVE);
}

/**
 * SUBTEST: example-w1-wddm-errors
 * Description: The same with WDDM's error semantics: the two portions before the failing group run,
 *   and the device is lost for lack of memory.
 */
static void test_w1_wddm(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *d;

	setup_vram();
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
	vsplit_cs_check(cs);
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
	setup_vram();
	build_w1(true, false);
	check_text(run(), "in A@0; in B@128; [0,400) p[0:2] {0:A@0 1:B@128}; "
		   "out B@128; in C@128; [400,800) p[2:3] {0:A@0 1:C@128}; "
		   "out A@0; in D@0; [800,c00) p[3:5] {1:C@128 2:D@0}");
}

/**
 * SUBTEST: example-w3a-fragmentation-fails
 * Description: A kept row in the middle leaves no hole that is large enough.
 */
static void test_w3a(void)
{
	setup_vram();
	build_w3(false, U);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
}

/**
 * SUBTEST: example-w3b-rebound-moves
 * Description: The same with the row bound again: its allocation moves out of the way, and its new
 *   address is the one that is patched.
 */
static void test_w3b(void)
{
	struct vsplit_record *rec;

	setup_vram();
	build_w3(true, U);
	rec = run();
	check_portions(rec, 2);
	check_text(rec, "in P@0; in X@96; in Q@160; [0,400) p[0:3] {0:P@0 1:X@96 2:Q@160}; "
		   "out P@0; out Q@160; move X@96>@0; in R@64; "
		   "[400,800) p[3:7] {1:X@0 3:R@64}");
}

/**
 * SUBTEST: example-w4-group
 * Description: Several entries have the same SplitOffset: the cut is before all of them.
 */
static void test_w4(void)
{
	struct vsplit_record *rec;

	setup_vram();
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
	/* D was paged in while the group was tried; it is not bound in portion 0. */
	check_text(rec, "in A@0; in B@64; in C@128; in D@192; "
		   "[0,400) p[0:3] {0:A@0 1:B@64 2:C@128}; "
		   "out B@64; out C@128; in E@64; in F@128; "
		   "[400,800) p[3:6] {0:A@0 1:D@192 2:E@64 3:F@128}");
}

static void build_w5(bool split)
{
	if (split) {
		group(0, bo('A', 64), 1);
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
 * Description: A group is larger than memory: the list fails, and with WDDM's error semantics it
 *   fails after portion 0.
 */
static void test_w5(void)
{
	struct vsplit_record *rec;

	setup_vram();
	build_w5(true);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	ctx = vsplit_ctx(fd, VSPLIT_CTX_WDDM_ERRORS);
	vsplit_place_before(cs);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(__vsplit_cs_wait(cs), -ENOMEM);
	rec = vsplit_record(fd, ctx, cs->submission);
	vsplit_record_check(rec, cs);
	/* If every split point is taken, the unbind ends a portion of its own. */
	if (vsplit_exact()) {
		igt_assert_eq(rec->info.num_portions, 1);
		check_cut(rec, 0, 0, 0x400);
		igt_assert_eq(vsplit_portion(rec, 0)->patch_count, 2);
		igt_assert_eq(vsplit_portion(rec, 0)->row_count, 0);
	}
	vsplit_cs_reference(cs, 0x400);
	vsplit_cs_check(cs);
	igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_LOST_OOM);
}

/**
 * SUBTEST: example-w5b-first-group-cannot-fit
 * Description: The same group is at offset 0: the list fails, and there is no portion at all (A15).
 */
static void test_w5b(void)
{
	struct vsplit_record *rec;

	setup_vram();
	build_w5(false);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	ctx = vsplit_ctx(fd, VSPLIT_CTX_WDDM_ERRORS);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(cs->portions, 0);
	igt_assert_eq(__vsplit_cs_wait(cs), -ENOMEM);
	rec = vsplit_record(fd, ctx, cs->submission);
	igt_assert_eq(rec->info.num_portions, 0);
	igt_assert_eq(vsplit_count(rec, VSPLIT_EVENT_PORTION), 0);
	vsplit_cs_check(cs);
	igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_LOST_OOM);
}

/* A resident, idle allocation of another client. */
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
 * Description: Idle allocations of other clients leave before a buffer is split (A9).
 */
static void test_w6(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *o;

	setup_vram();
	o = foreign(128);
	group(0, bo('A', 64), 1);
	vsplit_cs_pad(cs, 0x100);
	group(1, bo('B', 64), 2);
	vsplit_cs_pad(cs, 0x200);
	group(2, bo('C', 64), 3);
	vsplit_cs_pad(cs, 0x300);
	rec = run();
	check_portions(rec, 1);
	vsplit_bo_check(o);
	igt_assert(!vsplit_bo_resident(o));
}

/* ---- SPLIT-1, 2 -------------------------------------------------------- */

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

	setup_vram();
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

/* Memory of 128 units, and an aperture of 64. */
static void setup_both(void)
{
	static const struct vsplit_seg_opts segs[] = {
		{ "vram", .size = 128 * U }, { "aper", true, .size = 64 * U },
	};

	setup_segs(segs, 2);
}

/**
 * SUBTEST: split-2-too-large-for-every-segment
 * Description: A list needs more than each segment, and more than all segments together: it
 *   succeeds with at least two portions.
 */
static void test_split_2(void)
{
	struct vsplit_record *rec;

	setup_both();
	for (unsigned int i = 0; i < 8; i++)
		group(0, bo('A' + i, 50), i);
	rec = run();
	igt_assert(rec->info.num_portions >= 2);
	/* 400 units do not go through 192 in two portions. */
	igt_assert(rec->info.num_portions >= 3);
}

/**
 * SUBTEST: split-2-fits-with-both-kinds-of-memory
 * Description: A list is too large for the memory segment, but not for both it and the aperture
 *   segment: one portion.
 */
static void test_split_2_both(void)
{
	struct vsplit_record *rec;

	setup_both();
	for (unsigned int i = 0; i < 6; i++)
		group(i, bo('A' + i, 30), i);
	rec = run();
	check_portions(rec, 1);
	if (vsplit_exact())
		igt_assert(vsplit_count(rec, VSPLIT_EVENT_MAP) >= 1);
}

/**
 * SUBTEST: split-2-one-portion-when-idle-ones-leave
 * Description: Everything fits after idle allocations have left, those of other clients and those
 *   of the list itself: exactly one portion, whatever was resident.
 */
static void test_split_2_converse(void)
{
	struct vsplit_bo *a[8], *o;

	setup_vram();
	for (unsigned int i = 0; i < 8; i++)
		a[i] = bo('A' + i, 32);
	for (unsigned int round = 0; round < 6; round++) {
		struct vsplit_rng rng = { round };

		/* Leave a random layout behind. */
		for (unsigned int i = 0; i < 8; i++) {
			vsplit_cs_reset(cs);
			group(0, a[vsplit_rng_below(&rng, 8)], i);
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
			/* One group, or a group for each. */
			if (round & 1)
				work(i, i);
		}
		for (unsigned int i = 0; i < 8; i++)
			work(i, i + 1);
		check_portions(run(), 1);
		vsplit_bo_check(o);
		/* The same for a list that a split would have helped as well. */
		vsplit_bo_free(o);
		o = foreign(100);
		vsplit_cs_reset(cs);
		for (unsigned int i = 0; i < 8; i++)
			group(0, a[(i * 5 + round) % 8], i);
		check_portions(run(), 1);
		vsplit_bo_check(o);
		vsplit_bo_free(o);
	}
}

/* ---- SPLIT-24, 25, 29: the cut ----------------------------------------- */

/**
 * SUBTEST: split-24-one-portion-per-shortage
 * Description: Each time memory is short for a group, exactly one portion is handed over; if it is
 *   not short, none is.
 */
static void test_split_24(void)
{
	struct vsplit_bo *small;
	struct vsplit_record *rec;

	setup_vram();
	small = bo('Z', 8);
	for (unsigned int i = 0; i < 8; i++) {
		group(0, bo('A' + i, 200), i);
		/* This one always fits: no cut. */
		group(1, small, i);
	}
	rec = run();
	check_portions(rec, 8);
	for (unsigned int i = 0; vsplit_exact() && i < 8; i++)
		igt_assert_eq(vsplit_portion(rec, i)->patch_count, 2);
}

static volatile bool stop;
static unsigned int rounds_of_others;

/* Makes allocations of other clients busy, locked and contended. */
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
 * Description: Busy, locked and contended allocations of other clients cause neither a split nor a
 *   failure (A10). Bad arguments cause no split, either.
 */
static void test_split_24_only(void)
{
	struct vsplit_bo *a[4];
	pthread_t threads[3];
	int fds[3];
	void *ret[3];
	unsigned int worst = 0, rounds;

	setup_vram();
	vsplit_not_under("take_split_point", "no split may be taken");
	for (unsigned int i = 0; i < 4; i++) {
		a[i] = bo('A' + i, 64);
		/* All in one slot, so that splitting would help. */
		vsplit_cs_bind(cs, 0, a[i]);
		vsplit_cs_set(cs, 0, 0, 4096, i);
	}
	/* Memory is not short: the buffer is refused, not split. */
	cs->allocs[2].handle = 12345;
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -ENOENT);
	cs->allocs[2].handle = a[2]->handle;

	stop = false;
	rounds_of_others = 0;
	for (unsigned int i = 0; i < 3; i++) {
		fds[i] = vsplit_adapter_open(ad);
		igt_assert_eq(pthread_create(&threads[i], NULL, disturb, &fds[i]), 0);
	}
	for (rounds = 0; rounds < 200 || rounds_of_others < 300; rounds++) {
		int err = __vsplit_cs_submit(cs, ctx, 0);

		if (err) {
			worst = 1000 - err;
			break;
		}
		worst = max(worst, cs->portions);
		if (rounds % 16 == 0 && __vsplit_cs_wait(cs))
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
 * Description: The portion ends exactly at the SplitOffset of the group that does not fit, not at
 *   an earlier split point.
 */
static void test_split_25(void)
{
	struct vsplit_record *rec;

	setup_vram();
	group(0, bo('A', 64), 1);
	vsplit_cs_pad(cs, 0x100);
	group(1, bo('B', 64), 2);
	vsplit_cs_pad(cs, 0x200);
	group(2, bo('C', 64), 3);
	vsplit_cs_pad(cs, 0x300);
	group(2, bo('D', 80), 4);
	vsplit_cs_pad(cs, 0x400);
	group(1, bo('E', 16), 5);
	vsplit_cs_pad(cs, 0x500);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x300);
	check_cut(rec, 1, 0x300, 0x500);
}

/**
 * SUBTEST: split-25-a2-cut-before-the-whole-group
 * Description: If an entry in the middle of a group does not fit, the cut is before the group.
 *   Members in front of it take effect no earlier (A2).
 */
static void test_split_25_a2(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *d;

	setup_vram();
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
 * Description: Portions follow each other from 0 to the length, and none is empty, for every list.
 */
static void test_split_25_tile(void)
{
	struct vsplit_bo *a[12];
	unsigned int split = 0;

	setup_vram();
	for (unsigned int i = 0; i < 12; i++)
		a[i] = bo('A' + i, 20 + 4 * i);
	for (unsigned int round = 0; round < 40; round++) {
		struct vsplit_rng rng = { 77 + round };
		int ret;

		vsplit_cs_reset(cs);
		build_random(&rng, a, 12, 4, 20);
		/* The record's check does the work; some lists have no solution. */
		vsplit_place_before(cs);
		ret = __vsplit_cs_submit(cs, ctx, 0);
		igt_assert(ret == 0 || ret == -ENOSPC);
		if (ret)
			continue;
		vsplit_cs_wait(cs);
		vsplit_record_check(vsplit_record(fd, ctx, cs->submission), cs);
		vsplit_cs_reference(cs, 0);
		split += cs->portions > 1;
		vsplit_cs_check(cs);
	}
	igt_assert(split >= 10);
}

/**
 * SUBTEST: split-29-any-number-of-splits
 * Description: A list can be split as often as needed, at most once for each distinct SplitOffset.
 */
static void test_split_29(void)
{
	enum { N = 100 };
	struct vsplit_bo *a[4];
	struct vsplit_record *rec;

	setup_vram();
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

/* ---- SPLIT-39, EXT-11 -------------------------------------------------- */

/**
 * SUBTEST: split-39-submission-does-not-wait
 * Description: All portions are prepared and handed to the scheduler before the first of them runs.
 */
static void test_split_39(void)
{
	struct vsplit_record *rec;
	bool beside = false;
	uint32_t us;

	setup_vram();
	for (unsigned int i = 0; i < 6; i++)
		group(0, bo('A' + i, 200), i + 1);
	/* An engine that takes nothing. */
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
	/* The CPU must not look at allocations that are about to move: it would wait. */
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	vsplit_cs_reference(cs, 0);
	for (unsigned int i = 0; i < 6; i++)
		vsplit_bo_check(cs->bos[i]);
	vsplit_record_check(vsplit_record(fd, ctx, cs->submission), cs);
	/* An engine that is busy for twice as long as the submission takes on this machine. */
	vsplit_for_longer(us, beside) {
		struct vsplit_cs *busy = vsplit_cs(fd);
		uint64_t t0;

		for (unsigned int i = 0; i < 6; i++) {
			vsplit_cs_bind(busy, 0, cs->bos[i]);
			vsplit_cs_spin(busy, us);
			vsplit_cs_nop(busy, 8);
		}
		vsplit_cs_submit(busy, ctx, 0);
		t0 = vsplit_now_ns();
		vsplit_cs_submit(cs, ctx, 0);
		beside = vsplit_now_ns() - t0 < 3000ull * us && vsplit_syncobj_busy(fd, busy->out);
		vsplit_cs_wait(cs);
	}
	igt_assert_f(beside, "a submission waits for the engine\n");
}

/**
 * SUBTEST: ext-11-leak-detection
 * Description: With leak detection, a taken split that leaves a row neither unbound nor programmed
 *   again is refused with -EPERM. Without kept rows the split is taken.
 */
static void test_leak_detection(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 256 * U } },
		.leak_detection = true,
	};

	setup_opts(&opts);
	vsplit_not_under("take_split_point", "all splits are refused");
	build_w1(false, false);		/* A is kept at the first split */
	vsplit_cs_refused(cs, ctx, 0, -EPERM);
	igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_ACTIVE);
	vsplit_cs_reset(cs);
	build_w3(true, U);		/* no row is kept */
	check_portions(run(), 2);
	vsplit_cs_reset(cs);
	group(0, bo('A', 100), 1);
	group(1, bo('B', 100), 2);
	check_portions(run(), 1);	/* no split, no leak */
	vsplit_cs_refused(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT, -EPERM);
}

/**
 * SUBTEST: split-24-host-memory-cuts-nothing
 * Description: If the host has no memory for a submission, the submission is refused, not cut
 *   (A10), whichever allocation fails, because memory of segments is not short.
 */
static void test_split_24_host(void)
{
	unsigned int n, failed = 0;
	struct vsplit_bo *a[4];

	setup_vram();
	vsplit_not_under("take_split_point", "no split may be taken");
	vsplit_inject_require(VSPLIT_INJECT_SITE);
	for (unsigned int i = 0; i < 4; i++) {
		a[i] = bo('A' + i, 64);
		vsplit_cs_bind(cs, 0, a[i]);
		vsplit_cs_set(cs, 0, 64 * i, 64, i);
	}
	for (n = 1; n < 200; n++) {
		bool injected;
		int ret;

		vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
		vsplit_inject_arm(VSPLIT_INJECT_SITE, n);
		ret = __vsplit_cs_submit(cs, ctx, 0);
		injected = vsplit_inject_disarm(VSPLIT_INJECT_SITE, NULL);
		igt_assert_f(ret == 0 || ret == -ENOMEM || ret == -EFAULT, "site %u: %s\n", n,
			     strerror(-ret));
		failed += ret == -ENOMEM;
		if (!ret) {
			vsplit_cs_wait(cs);
			vsplit_cs_reference(cs, 0);
			igt_assert_eq(cs->portions, 1);
		}
		if (!injected)
			break;
	}
	igt_assert(n < 200 && failed > 1);
	for (unsigned int i = 0; i < 4; i++)
		vsplit_bo_check(a[i]);
}

static const struct vsplit_subtest tests[] = {
	{ "example-w0-no-split", test_w0,
	  "Worked example 0: everything fits, so there is one portion, with lowest-fit places in "
	  "list order" },
	{ "example-w1-fails", test_w1,
	  "Worked example 1: the third portion does not fit beside the kept rows, so the list is "
	  "refused as a whole" },
	{ "example-w1-wddm-errors", test_w1_wddm,
	  "Worked example 1 with WDDM's error semantics: two portions run, and then the device is "
	  "lost for lack of memory" },
	{ "example-w2-unbind", test_w2,
	  "Worked example 2: with a NULL entry first in its last group, the list of example 1 has "
	  "three portions" },
	{ "example-w3a-fragmentation-fails", test_w3a,
	  "Worked example 3a: a kept row in the middle leaves no hole that is large enough" },
	{ "example-w3b-rebound-moves", test_w3b,
	  "Worked example 3b: a row that is bound again moves out of the way, and its new address "
	  "is patched" },
	{ "example-w4-group", test_w4,
	  "Worked example 4: the cut is before all entries with the same SplitOffset" },
	{ "example-w5-group-cannot-fit", test_w5,
	  "Worked example 5: a group that is larger than memory fails the list, after portion 0 "
	  "with WDDM's error semantics" },
	{ "example-w5b-first-group-cannot-fit", test_w5b,
	  "Worked example 5b: a group at offset 0 that is larger than memory fails the list, "
	  "without any portion (A15)" },
	{ "example-w6-idle-first", test_w6,
	  "Worked example 6: idle allocations of other clients leave before a buffer is split "
	  "(A9)" },
	{ "split-1-all-commands-once-in-order", test_split_1,
	  "Every command of a buffer of four times the memory is executed exactly once and in "
	  "order" },
	{ "split-2-too-large-for-every-segment", test_split_2,
	  "A list that needs more than all segments together succeeds with at least two portions" },
	{ "split-2-fits-with-both-kinds-of-memory", test_split_2_both,
	  "A list that fits into the memory segment and the aperture segment together has one "
	  "portion" },
	{ "split-2-one-portion-when-idle-ones-leave", test_split_2_converse,
	  "A list that fits after idle allocations have left has exactly one portion, whatever was "
	  "resident" },
	{ "split-24-one-portion-per-shortage", test_split_24,
	  "Each time memory is short for a group, exactly one portion is handed over; if it is not "
	  "short, none is" },
	{ "split-24-only-shortage-of-video-memory-cuts", test_split_24_only,
	  "Busy, locked and contended allocations of other clients cause neither a split nor a "
	  "failure (A10). Bad arguments cause no split, either." },
	{ "split-24-host-memory-cuts-nothing", test_split_24_host,
	  "If the host has no memory for a submission, the submission is refused, not cut (A10), "
	  "whichever allocation fails, because memory of segments is not short" },
	{ "split-25-boundary-is-failing-group", test_split_25,
	  "The portion ends exactly at the SplitOffset of the group that does not fit, not at an "
	  "earlier split point" },
	{ "split-25-a2-cut-before-the-whole-group", test_split_25_a2,
	  "If an entry in the middle of a group does not fit, the cut is before the group. Members "
	  "in front of it take effect no earlier (A2)." },
	{ "split-25-portions-tile-the-buffer", test_split_25_tile,
	  "Portions follow each other from 0 to the length, and none is empty, for every list" },
	{ "split-29-any-number-of-splits", test_split_29,
	  "A list can be split as often as needed, at most once for each distinct SplitOffset" },
	{ "split-39-submission-does-not-wait", test_split_39,
	  "All portions are prepared and handed to the scheduler before the first of them runs" },
	{ "ext-11-leak-detection", test_leak_detection,
	  "With leak detection, a taken split that leaves a row neither unbound nor programmed "
	  "again is refused with -EPERM. Without kept rows the split is taken." },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
