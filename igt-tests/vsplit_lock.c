// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit lock
 * Description: Locks and their flags: EXT-34 to EXT-37; Documentation/segments.rst has the
 *   table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: locks
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_memory.h"

#include <pthread.h>
#include <signal.h>

IGT_TEST_DESCRIPTION("Locks and their flags: EXT-34 to EXT-37; Documentation/segments.rst has the "
		     "table.");

/* ---- locks --------------------------------------------------------------- */

/* Submits work that uses @bo on a stopped engine, so that @bo stays busy. */
static void make_busy(struct vsplit_bo *bo, bool write)
{
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_reset(cs);
	vsplit_cs_alloc(cs, bo, write ? VSPLIT_ALLOC_WRITE : 0);
	vsplit_cs_bind(cs, 0, bo);
	if (write)
		vsplit_cs_store(cs, 0, 0, 7);
	else
		vsplit_cs_nop(cs, 8);
	vsplit_cs_submit(cs, ctx, 0);
}

static void make_idle(void)
{
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
}

/**
 * SUBTEST: ext-34-lock-waits
 * Description: Which locks wait for which work: READ_ONLY and IGNORE_READ_SYNC ignore readers, and
 *   IGNORE_SYNC ignores readers and writers. With DONOT_WAIT the lock gives -EBUSY ("still
 *   drawing").
 */
static void test_waits(void)
{
	const struct {
		uint32_t flags;
		int reader, writer;
	} cases[] = {
		{ 0, -EBUSY, -EBUSY },
		{ VSPLIT_LOCK_WRITE_ONLY, -EBUSY, -EBUSY },
		{ VSPLIT_LOCK_DISCARD, -EBUSY, -EBUSY },
		{ VSPLIT_LOCK_READ_ONLY, 0, -EBUSY },
		{ VSPLIT_LOCK_IGNORE_READ_SYNC, 0, -EBUSY },
		{ VSPLIT_LOCK_IGNORE_READ_SYNC | VSPLIT_LOCK_WRITE_ONLY, 0, -EBUSY },
		{ VSPLIT_LOCK_IGNORE_SYNC, 0, 0 },
	};
	struct vsplit_bo *a;

	setup(1);
	a = vsplit_bo(fd, 'A', U);
	page_in(a, 1);
	vsplit_bo_check(a);
	for (unsigned int write = 0; write < 2; write++) {
		make_busy(a, write);
		for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
			int expected = write ? cases[i].writer : cases[i].reader;

			igt_assert_eq(__vsplit_lock(a, cases[i].flags | VSPLIT_LOCK_DONOT_WAIT),
				      expected);
			if (!expected)
				vsplit_unlock(a);
		}
		make_idle();
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		vsplit_lock(a, cases[i].flags | VSPLIT_LOCK_DONOT_WAIT);
		vsplit_unlock(a);
	}
}

static struct {
	struct vsplit_bo *bo;
	bool done;
	int ret;
} waiter;

static void *wait_for_lock(void *arg)
{
	struct drm_vsplit_gem_lock args = { .handle = waiter.bo->handle };

	/* Not drmIoctl(), because that would hide interruptions. */
	waiter.ret = ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &args) ? -errno : 0;
	__atomic_store_n(&waiter.done, true, __ATOMIC_RELEASE);
	return NULL;
}

static void on_signal(int nr)
{
}

/* Sends signals to a thread that waits in LOCK: @max of them, or until it is done. */
static void disturb(pthread_t thread, unsigned int max)
{
	for (unsigned int i = 0; i < max; i++) {
		usleep(10000);
		if (__atomic_load_n(&waiter.done, __ATOMIC_ACQUIRE))
			return;
		pthread_kill(thread, SIGUSR1);
	}
}

/**
 * SUBTEST: ext-34-interrupted
 * Description: If a signal interrupts a lock that waits for the GPU, the allocation is not locked.
 *   If the call is restarted, however often, it is locked once.
 */
static void test_interrupted(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct drm_vsplit_gem_info info;
	struct vsplit_bo *a;
	pthread_t thread;

	setup(1);
	a = in('A', U, 1);
	page_in(a, 1);
	waiter.bo = a;
	for (unsigned int restart = 0; restart < 2; restart++) {
		action.sa_flags = restart ? SA_RESTART : 0;
		igt_assert_eq(sigaction(SIGUSR1, &action, NULL), 0);
		make_busy(a, true);
		waiter.done = false;
		igt_assert_eq(pthread_create(&thread, NULL, wait_for_lock, NULL), 0);
		disturb(thread, restart ? 5 : 1000);
		if (restart)
			make_idle();
		igt_assert_eq(pthread_join(thread, NULL), 0);
		if (!restart)
			make_idle();
		igt_assert_eq(waiter.ret, restart ? 0 : -EINTR);
		vsplit_info(a, &info);
		igt_assert_eq(info.locks, restart);
		if (restart)
			vsplit_unlock(a);
		igt_assert_eq(__vsplit_unlock(a), -EINVAL);
		/*
		 * The allocation may only be in memory: if it were locked, this would be refused.
		 */
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_store(cs, 0, 8, restart);
		vsplit_cs_submit_and_wait(cs, ctx, 0);
	}
	action.sa_handler = SIG_DFL;
	sigaction(SIGUSR1, &action, NULL);
}

/**
 * SUBTEST: ext-34-ignore-sync-not-swizzled
 * Description: IGNORE_SYNC, the no-overwrite lock, is refused for a swizzled allocation, and for
 *   one that may not be in an aperture segment. Nothing is locked then.
 */
static void test_ignore_sync(void)
{
	struct drm_vsplit_gem_info info;
	struct vsplit_bo *a, *b;

	setup(1);
	a = swizzled('A', U);
	b = vsplit_bo(fd, 'B', U);
	igt_assert_eq(__vsplit_lock(a, VSPLIT_LOCK_IGNORE_SYNC), -EINVAL);
	vsplit_lock(a, VSPLIT_LOCK_IGNORE_READ_SYNC);
	vsplit_lock(b, VSPLIT_LOCK_IGNORE_SYNC);
	for (uint8_t segment = 1; segment <= 2; segment++) {
		struct vsplit_bo *one = in('C', U, segment);

		igt_assert_eq(__vsplit_lock(one, VSPLIT_LOCK_IGNORE_SYNC), segment == 2 ? 0 : -EINVAL);
		vsplit_info(one, &info);
		igt_assert_eq(info.locks, segment == 2);
	}
}

/**
 * SUBTEST: ext-34-donot-evict
 * Description: With DONOT_EVICT, a lock that would have to move the allocation fails, and nothing
 *   has moved. A lock that need not move it succeeds.
 */
static void test_donot_evict(void)
{
	const struct vsplit_seg_opts segs[] = {
		{ "vram", .size = 64 * U, .ranges = 1 },
		{ "hidden", .size = 64 * U, .cpu = "none" },
	};
	struct vsplit_bo *a, *b, *hidden;

	setup_segs(segs, 2);
	hidden = in('H', U, 2);
	page_in(hidden, 2);
	igt_assert_eq(__vsplit_lock(hidden, VSPLIT_LOCK_DONOT_EVICT), -EADDRNOTAVAIL);
	igt_assert_eq(segment_of(hidden), 2);
	evict(hidden);
	vsplit_lock(hidden, VSPLIT_LOCK_DONOT_EVICT);

	a = swizzled('A', U);
	b = swizzled('B', U);
	page_in(a, 1);
	page_in(b, 1);
	vsplit_lock(a, APER | VSPLIT_LOCK_DONOT_EVICT);
	igt_assert(has_range(a));
	igt_assert_eq(__vsplit_lock(b, VSPLIT_LOCK_DONOT_EVICT), -EADDRNOTAVAIL);
	igt_assert_eq(segment_of(b), 1);
	vsplit_unlock(a);
	vsplit_lock(b, VSPLIT_LOCK_DONOT_EVICT);
	igt_assert_eq(segment_of(b), 1);
	igt_assert(has_range(b) && !has_range(a));
}

/**
 * SUBTEST: ext-34-acquire-aperture
 * Description: A lock through the aperture does not nest with other locks of its file, and is
 *   refused if there can be no aperture. It is released when the file is closed.
 */
static void test_aperture_lock(void)
{
	struct vsplit_bo *a, *b, *aper;
	struct drm_vsplit_gem_info info;
	int other;

	setup(1);
	a = swizzled('A', U);
	b = swizzled('B', U);
	aper = in('P', U, 2);
	page_in(a, 1);
	page_in(b, 1);
	igt_assert_eq(__vsplit_lock(aper, APER), -EINVAL);
	vsplit_lock(a, 0);
	igt_assert_eq(__vsplit_lock(a, APER), -EINVAL);
	vsplit_lock(a, 0);
	vsplit_unlock(a);
	vsplit_unlock(a);
	igt_assert_eq(__vsplit_unlock(a), -EINVAL);
	vsplit_lock(a, APER);
	igt_assert_eq(__vsplit_lock(a, APER), -EINVAL);
	igt_assert_eq(__vsplit_lock(a, 0), -EINVAL);
	vsplit_info(a, &info);
	igt_assert_eq(info.locks, 1);
	vsplit_unlock(a);
	igt_assert_eq(__vsplit_unlock(a), -EINVAL);

	/* Another file holds the only range; after it is closed, the range can be taken. */
	other = vsplit_adapter_open(ad);
	{
		int prime;
		uint32_t handle;
		struct drm_vsplit_gem_lock lock = { .flags = APER };

		igt_assert_eq(drmPrimeHandleToFD(fd, a->handle, DRM_CLOEXEC, &prime), 0);
		igt_assert_eq(drmPrimeFDToHandle(other, prime, &handle), 0);
		close(prime);
		lock.handle = handle;
		igt_assert_eq(__vsplit_ioctl(other, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), 0);
	}
	igt_assert_eq(__vsplit_lock(b, VSPLIT_LOCK_DONOT_EVICT), -EADDRNOTAVAIL);
	vsplit_info(a, &info);
	igt_assert_eq(info.locks, 1);
	vsplit_close(other);
	vsplit_info(a, &info);
	igt_assert_eq(info.locks, 0);
	vsplit_lock(b, VSPLIT_LOCK_DONOT_EVICT);
	igt_assert(has_range(b));
}

/**
 * SUBTEST: ext-34-discard
 * Description: A lock with DISCARD that has to move the allocation transfers nothing. What the CPU
 *   writes then is kept.
 */
static void test_discard(void)
{
	const struct vsplit_seg_opts segs[] = { { "hidden", .size = 64 * U, .cpu = "none" } };
	struct vsplit_bo *a;

	setup_segs(segs, 1);
	a = vsplit_bo(fd, 'A', 4 * U);
	for (unsigned int discard = 0; discard < 2; discard++) {
		uint64_t before;

		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_set(cs, 0, 0, a->size, 0xabcdef);
		vsplit_cs_submit_and_wait(cs, ctx, 0);
		before = stats().evicted_copied_bytes;
		vsplit_lock(a, discard ? VSPLIT_LOCK_DISCARD : 0);
		vsplit_bo_pattern(a, discard);
		vsplit_bo_check(a);
		vsplit_unlock(a);
		igt_assert_eq_u64(stats().evicted_copied_bytes - before, discard ? 0 : a->size);
		page_in(a, 1);
		vsplit_bo_check(a);
	}
}

/**
 * SUBTEST: ext-35-nested-locks
 * Description: Plain locks nest and are counted, over files as well. Each needs an unlock by its own
 *   file.
 */
static void test_nested(void)
{
	struct drm_vsplit_gem_info info;
	struct vsplit_bo *a, *b;

	setup(1);
	a = vsplit_bo(fd, 'A', U);
	b = vsplit_bo_share(vsplit_adapter_open(ad), 'A', a);
	for (unsigned int i = 1; i <= 5; i++) {
		vsplit_lock(a, i & 1 ? VSPLIT_LOCK_READ_ONLY : 0);
		vsplit_info(a, &info);
		igt_assert_eq(info.locks, i);
	}
	igt_assert_eq(__vsplit_unlock(b), -EINVAL);
	vsplit_lock(b, 0);
	vsplit_info(a, &info);
	igt_assert_eq(info.locks, 6);
	for (unsigned int i = 5; i > 0; i--)
		vsplit_unlock(a);
	igt_assert_eq(__vsplit_unlock(a), -EINVAL);
	vsplit_info(a, &info);
	igt_assert_eq(info.locks, 1);
	vsplit_unlock(b);
	vsplit_info(b, &info);
	igt_assert_eq(info.locks, 0);
}

/**
 * SUBTEST: ext-36-pinned
 * Description: An allocation that is pinned where the CPU cannot access it cannot be locked: the
 *   call gives -EBUSY, and nothing is locked.
 */
static void test_pinned(void)
{
	const struct vsplit_seg_opts segs[] = { { "hidden", .size = 64 * U, .cpu = "none" } };
	struct drm_vsplit_gem_create args = { .size = U, .flags = VSPLIT_GEM_PINNED };
	struct drm_vsplit_gem_lock lock = {};
	struct drm_vsplit_gem_info info;

	setup_segs(segs, 1);
	igt_assert_eq(__vsplit_create(fd, &args), 0);
	lock.handle = args.handle;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), -EBUSY);
	igt_assert_eq(__vsplit_info(fd, args.handle, &info), 0);
	igt_assert_eq(info.locks, 0);
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock), -EINVAL);
}

/*
 * Checks that a locked allocation went from memory to the aperture, by steps that are the record's
 * own.
 */
static void check_leaves_memory(const struct vsplit_record *rec, const struct vsplit_bo *bo)
{
	const struct drm_vsplit_event *out = vsplit_step(rec, VSPLIT_EVENT_EVICT, bo, 0);

	igt_assert(vsplit_step(rec, VSPLIT_EVENT_MAP, bo, 0));
	igt_assert_eq(segment_of(bo), 2);
	/* It left by a job of its own, which an attempt that failed late has done already. */
	if (vsplit_knob("expect_preparation_failure") && !out)
		return;
	igt_assert(out);
	igt_assert_eq(out->handle, bo->handle);
	igt_assert(!(out->flags & VSPLIT_EVENT_FOREIGN));
}

/**
 * SUBTEST: ext-37-locked-and-not-used
 * Description: An allocation that is in the allocation list, but in no entry, is not used. If the
 *   CPU has locked it, this hinders no submission, split or not.
 */
static void test_not_used(void)
{
	struct vsplit_bo *vram, *pinned, *used;

	setup(1);
	vram = in('V', 8 * U, 1);
	pinned = vsplit_bo_in(fd, 'P', 8 * U, VSPLIT_GEM_PINNED, (uint8_t []) { 1, 2, 0 });
	used = in('A', 8 * U, 1);
	page_in(vram, 1);
	vsplit_bo_pattern(vram, 1);
	vsplit_lock(vram, 0);
	vsplit_lock(pinned, 0);
	for (unsigned int round = 0; round < 4; round++) {
		vsplit_cs_reset(cs);
		vsplit_cs_alloc(cs, round & 2 ? vram : pinned, VSPLIT_ALLOC_WRITE);
		vsplit_cs_bind(cs, 0, used);
		vsplit_cs_set(cs, 0, 0, 64, round);
		vsplit_cs_bind(cs, 0, used);
		vsplit_cs_set(cs, 0, 4096, 64, round);
		vsplit_cs_run(cs, ctx, round & 1 ? VSPLIT_SUBMIT_FORCE_SPLIT : 0);
	}
	vsplit_bo_check(vram);
	igt_assert_eq(segment_of(pinned), 1);
	/* If an entry names it, the submission is refused. */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, pinned);
	vsplit_cs_set(cs, 0, 0, 64, 1);
	vsplit_cs_refused(cs, ctx, 0, -EBUSY);
	vsplit_cs_refused(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT, -EBUSY);
}

/**
 * SUBTEST: ext-37-rendering-from-locked
 * Description: A submission that uses a locked allocation uses it in an aperture, and moves it
 *   there if needed. If the allocation may only be in memory, the submission is refused, and
 *   accepted after the unlock. This holds for split and unsplit submissions.
 */
static void test_rendering(void)
{
	struct vsplit_bo *vram, *both, *surface, *big[2];

	setup(1);
	vram = in('V', 8 * U, 1);
	both = vsplit_bo(fd, 'B', 8 * U);
	surface = swizzled('S', 8 * U);
	page_in(vram, 1);
	page_in(both, 1);
	vsplit_bo_pattern(both, 3);
	vsplit_lock(vram, 0);
	vsplit_lock(both, 0);
	vsplit_lock(surface, 0);

	vsplit_cs_bind(cs, 0, vram);
	vsplit_cs_set(cs, 0, 0, 64, 1);
	vsplit_cs_refused(cs, ctx, 0, -EBUSY);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, surface);
	vsplit_cs_nop(cs, 8);
	vsplit_cs_refused(cs, ctx, 0, -EBUSY);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, both);
	vsplit_cs_set(cs, 0, 0, 64, 2);
	check_leaves_memory(vsplit_cs_run(cs, ctx, 0), both);

	/* Planned: two that do not fit together, and the locked one. */
	for (unsigned int i = 0; i < 2; i++)
		big[i] = in('X' + i, 200 * U, 1);
	for (unsigned int round = 0; round < 2; round++) {
		page_in(both, 1);
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, both);
		for (unsigned int i = 0; i < 2; i++) {
			vsplit_cs_bind(cs, 1, big[i]);
			vsplit_cs_set(cs, 0, 4096 * i, 64, 3 + i);
		}
		check_leaves_memory(vsplit_cs_run(cs, ctx, round ? VSPLIT_SUBMIT_FORCE_SPLIT : 0),
				    both);
		igt_assert(cs->portions > 1);
	}

	vsplit_unlock(vram);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, vram);
	vsplit_cs_set(cs, 0, 0, 64, 1);
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	vsplit_cs_reference(cs, 0);
	igt_assert_eq(segment_of(vram), 1);
	vsplit_bo_check(vram);
}

/* ---- errors -------------------------------------------------------------- */

static struct vsplit_bo *swept[2];

/* A has the only range, and B takes it. */
static int sweep_lock(void)
{
	return __vsplit_lock(swept[1], APER);
}

static void sweep_lock_check(int ret)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(swept[1], &info);
	igt_assert_eq(info.locks, !ret);
	if (!ret)
		vsplit_unlock(swept[1]);
	vsplit_bo_check(swept[1]);
	page_in(swept[0], 1);
	vsplit_bo_check(swept[0]);	/* this takes the range back */
	page_in(swept[1], 1);
}

/* Its bytes may be lost by the lock, but not if the lock fails. */
static int sweep_discard(void)
{
	return __vsplit_lock(swept[1], APER | VSPLIT_LOCK_DISCARD);
}

static void sweep_discard_check(int ret)
{
	if (!ret) {
		vsplit_bo_pattern(swept[1], 3);
		vsplit_unlock(swept[1]);
	}
	vsplit_bo_check(swept[1]);
	page_in(swept[0], 1);
	vsplit_bo_check(swept[0]);
	page_in(swept[1], 1);
	gpu_write(swept[1], 8, 1);
}

static int sweep_touch(void)
{
	swept[1]->map[77] = swept[1]->shadow[77];
	return 0;
}

static void sweep_touch_check(int ret)
{
	vsplit_bo_check(swept[1]);
	page_in(swept[0], 1);
	vsplit_bo_check(swept[0]);
	page_in(swept[1], 1);
}

/**
 * SUBTEST: errors-change-nothing
 * Description: Whatever fails while a range is acquired or taken, by a lock or by a touch: bytes
 *   are right, nothing is locked, and nothing is left.
 */
static void test_errors(void)
{
	vsplit_inject_require(VSPLIT_INJECT_SITE);
	setup(1);
	for (unsigned int i = 0; i < 2; i++) {
		swept[i] = swizzled('A' + i, 4 * U);
		vsplit_bo_pattern(swept[i], i);
		page_in(swept[i], 1);
	}
	vsplit_bo_check(swept[0]);
	sweep("lock", sweep_lock, sweep_lock_check);
	vsplit_bo_check(swept[0]);
	gpu_write(swept[1], 8, 1);
	sweep("discard", sweep_discard, sweep_discard_check);
	vsplit_bo_check(swept[0]);
	sweep("touch", sweep_touch, sweep_touch_check);
}

static const struct vsplit_subtest tests[] = {
	{ "ext-34-lock-waits", test_waits,
	  "READ_ONLY and IGNORE_READ_SYNC ignore readers, IGNORE_SYNC ignores all work, and "
	  "DONOT_WAIT fails" },
	{ "ext-34-interrupted", test_interrupted,
	  "If a signal interrupts a lock that waits for the GPU, the allocation is not locked. If "
	  "the call is restarted, however often, it is locked once." },
	{ "ext-34-ignore-sync-not-swizzled", test_ignore_sync,
	  "IGNORE_SYNC, the no-overwrite lock, is refused for a swizzled allocation, and for one "
	  "that may not be in an aperture segment. Nothing is locked then." },
	{ "ext-34-donot-evict", test_donot_evict,
	  "With DONOT_EVICT, a lock that would have to move the allocation fails, and nothing has "
	  "moved. A lock that need not move it succeeds." },
	{ "ext-34-acquire-aperture", test_aperture_lock,
	  "A lock through the aperture does not nest with other locks of its file, and is refused "
	  "if there can be no aperture" },
	{ "ext-34-discard", test_discard,
	  "A lock with DISCARD that has to move the allocation transfers nothing. What the CPU "
	  "writes then is kept." },
	{ "ext-35-nested-locks", test_nested,
	  "Plain locks nest and are counted, over files as well. Each needs an unlock by its own "
	  "file." },
	{ "ext-36-pinned", test_pinned,
	  "An allocation that is pinned where the CPU cannot access it cannot be locked: the call "
	  "gives -EBUSY, and nothing is locked" },
	{ "ext-37-locked-and-not-used", test_not_used,
	  "An allocation that is in the allocation list, but in no entry, is not used. If the CPU "
	  "has locked it, this hinders no submission, split or not." },
	{ "ext-37-rendering-from-locked", test_rendering,
	  "A submission that uses a locked allocation uses it in an aperture, and moves it there "
	  "if needed" },
	{ "errors-change-nothing", test_errors,
	  "If a range cannot be acquired or taken, by a lock or by a touch, bytes are right, and "
	  "nothing is locked or left" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
