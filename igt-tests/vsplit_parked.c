// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit parked
 * Description: Submissions that begin with waits for monitored fences are parked until these waits
 *   are over: EXT-48; Documentation/residency.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: synchronisation
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_setup.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Submissions that begin with waits for monitored fences are parked until "
		     "these waits are over: EXT-48; Documentation/residency.rst has the table.");

#define U 16384ull
#define PAGE 4096

/* An adapter with sixteen units of memory. */
static void setup(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 16 * U } }, .slots = 16, .engines = 2,
		.contexts = "patch,explicit,va",
	};

	setup_opts(&opts);
}

/* Whether the submission is parked: its syncobj has no fence yet. */
static bool is_parked(struct vsplit_cs *c)
{
	struct drm_vsplit_record args = { .ctx = c->ctx, .submission = c->submission };
	int ret = __vsplit_syncobj_wait(c->fd, c->out, 0, 0);

	if (ret == -EINVAL)
		igt_assert_eq(__vsplit_record(c->fd, &args), -ENOENT);
	return ret == -EINVAL;
}

/* A buffer that waits for a value, and then fills a page of slot 0. */
static struct vsplit_cs *waits(int file, uint32_t f, uint64_t value, struct vsplit_bo *bo,
			       uint32_t pattern)
{
	struct vsplit_cs *c = vsplit_cs(file);

	if (f)
		vsplit_cs_wait_fence(c, f, value);
	if (bo) {
		vsplit_cs_bind(c, 0, bo);
		vsplit_cs_set(c, 0, 0, 4096, pattern);
	} else {
		vsplit_cs_nop(c, 8);
	}
	return c;
}

/**
 * SUBTEST: ext-48-leading-wait
 * Description: A buffer that begins with waits is not executed, and has no fence, until all its
 *   waits are over. Later submissions of its context come after it; other contexts go on.
 */
static void test_leading(void)
{
	struct vsplit_cs *first, *second, *beside, *both;
	struct vsplit_bo *bo;
	uint32_t f, g;
	uint32_t ctx2;

	setup();
	f = vsplit_fence(fd, 0);
	g = vsplit_fence(fd, 0);
	ctx2 = vsplit_ctx(fd, 0);
	bo = vsplit_bo(fd, 'A', U);
	first = waits(fd, f, 1, bo, 0x11111111);
	vsplit_cs_submit(first, ctx, 0);
	igt_assert(is_parked(first));
	igt_assert_eq_u32(first->portions, 0);
	second = waits(fd, 0, 0, bo, 0x22222222);
	vsplit_cs_submit(second, ctx, 0);
	igt_assert(is_parked(second));
	igt_assert_eq_u64(second->submission, first->submission + 1);
	/* Errors in a list are reported at once. */
	both = waits(fd, f, 1, bo, 0x44444444);
	vsplit_cs_null(both);
	both->allocs[1].handle = bo->handle;
	vsplit_cs_refused(both, ctx, 0, -EINVAL);
	/* Jobs are freed after the call has returned. */
	igt_assert(vsplit_soon(vsplit_fdinfo(fd, "vsplit-unfinished:") == 2));
	both = vsplit_cs(fd);
	vsplit_cs_wait_fence(both, f, 1);
	vsplit_cs_wait_fence(both, g, 7);
	vsplit_cs_bind(both, 0, bo);
	vsplit_cs_copy(both, 0, 4096, 0, 0, 4096);
	vsplit_cs_submit(both, ctx, 0);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-parked:"), 3);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-unfinished:"), 3);
	/* Nothing waits for parked work: neither a lock, nor another context. */
	igt_assert_eq(__vsplit_lock(bo, VSPLIT_LOCK_DONOT_WAIT), 0);
	igt_assert_eq(__vsplit_unlock(bo), 0);
	beside = waits(fd, 0, 0, bo, 0x33333333);
	vsplit_cs_submit_and_wait(beside, ctx2, 0);
	vsplit_cs_reference(beside, 0);
	vsplit_bo_check(bo);
	igt_assert(is_parked(first) && is_parked(second) && is_parked(both));

	igt_assert_eq(__vsplit_fence_signal(fd, f, 1), 0);
	igt_assert_eq(vsplit_cs_result(first), 0);
	igt_assert_eq(vsplit_cs_result(second), 0);
	igt_assert(is_parked(both));
	vsplit_cs_reset(beside);
	vsplit_cs_signal_fence(beside, g, 7);
	vsplit_cs_submit(beside, ctx2, 0);
	igt_assert_eq(vsplit_cs_result(both), 0);
	vsplit_cs_reference(first, 0);
	vsplit_cs_reference(second, 0);
	vsplit_cs_reference(both, 0);
	vsplit_bo_check(bo);
	igt_assert(vsplit_soon(!vsplit_fdinfo(fd, "vsplit-parked:")));
	/* A wait for a value that has been reached does not park. */
	vsplit_cs_reset(first);
	vsplit_cs_wait_fence(first, f, 1);
	vsplit_cs_nop(first, 8);
	vsplit_cs_submit(first, ctx, 0);
	igt_assert_eq_u32(first->portions, 1);
	vsplit_cs_wait(first);
}

/*
 * The bytes that a submission of 1000 equal packets holds while it is parked, of which @nr are
 * waits.
 */
static uint64_t parked_bytes(uint32_t f, uint64_t value, unsigned int nr)
{
	uint64_t before = vsplit_fdinfo(fd, "vsplit-unfinished-memory:");
	struct vsplit_cs *c = vsplit_cs(fd);

	for (unsigned int i = 0; i < 1000; i++)
		if (i < nr)
			vsplit_cs_wait_fence(c, f, value - (i * 7) % nr);
		else
			vsplit_cs_nop(c, sizeof(struct vsplit_packet_fence));
	vsplit_cs_submit(c, ctx, 0);
	igt_assert(is_parked(c));
	return (vsplit_fdinfo(fd, "vsplit-unfinished-memory:") - before) << 10;
}

/**
 * SUBTEST: many-values-of-one
 * Description: A buffer that waits for a thousand values of one fence waits for the largest, and
 *   holds no more memory than a buffer that waits once. This matters because raising a value has to
 *   visit all waits.
 */
static void test_many_values(void)
{
	uint64_t once, often;
	uint32_t f;

	setup();
	f = vsplit_fence(fd, 0);
	once = parked_bytes(f, 1000, 1);
	often = parked_bytes(f, 2000, 1000);
	igt_assert_f(often <= once + 4096, "%" PRIu64 " bytes, and %" PRIu64 "\n", once, often);
	igt_assert_eq(__vsplit_fence_signal(fd, f, 1999), 0);
	igt_assert(vsplit_soon(vsplit_fdinfo(fd, "vsplit-parked:") == 1));
	igt_assert_eq(__vsplit_fence_signal(fd, f, 2000), 0);
	igt_assert(vsplit_soon(!vsplit_fdinfo(fd, "vsplit-parked:")));
}

/**
 * SUBTEST: ext-48-kinds
 * Description: Contexts of all modes can be parked: one whose list has to be resident, and one with
 *   virtual addresses.
 */
static void test_kinds(void)
{
	struct vsplit_cs *c[2];
	struct vsplit_bo *bo;
	uint32_t f;
	uint32_t va, expl;

	setup();
	fd = vsplit_adapter_open(ad);
	expl = vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_EXPLICIT, 0);
	va = vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_VA, 0);
	f = vsplit_fence(fd, 0);
	bo = vsplit_bo(fd, 'A', U);
	vsplit_require(bo);
	c[0] = waits(fd, f, 5, bo, 0x44444444);
	vsplit_cs_submit(c[0], expl, 0);
	c[1] = waits(fd, f, 5, NULL, 0);
	vsplit_cs_submit(c[1], va, 0);
	igt_assert(is_parked(c[0]) && is_parked(c[1]));
	igt_assert_eq(__vsplit_fence_signal(fd, f, 5), 0);
	igt_assert_eq(vsplit_cs_result(c[0]), 0);
	igt_assert_eq(vsplit_cs_result(c[1]), 0);
	vsplit_cs_reference(c[0], 0);
	vsplit_bo_check(bo);
	/* Errors are reported before a submission is parked. */
	bo = vsplit_bo(fd, 'B', U);
	c[0] = waits(fd, f, 6, bo, 0);
	igt_assert_eq(__vsplit_cs_submit(c[0], expl, 0), -EINVAL);
	igt_assert_eq(__vsplit_cs_submit(c[1], va, 0), -EIO);
}

/* Imports a syncobj of one device into another one, which stays. */
static uint32_t elsewhere(int from, uint32_t handle, int to)
{
	uint32_t there;
	int share;

	igt_assert_eq(drmSyncobjHandleToFD(from, handle, &share), 0);
	igt_assert_eq(drmSyncobjFDToHandle(to, share, &there), 0);
	close(share);
	return there;
}

static int status_there(int there, uint32_t handle)
{
	igt_assert_eq(drmSyncobjWait(there, &handle, 1,
				     vsplit_now_ns() + VSPLIT_SOON_MS * 1000000ll,
				     DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, NULL), 0);
	return vsplit_syncobj_status(there, handle);
}

/**
 * SUBTEST: ends
 * Description: Parked work ends without being executed, and its fence has an error, when a fence or
 *   the context is destroyed, the context is lost, the file is closed, or the adapter is removed.
 */
static void test_ends(void)
{
	const struct vsplit_adapter_opts opts = { .segs = { { "vram", .size = 4 * U } } };
	uint32_t ctx2, ctx3, closed, gone;
	struct vsplit_adapter *ad2;
	struct vsplit_cs *c[4];
	struct vsplit_bo *bo;
	uint32_t f, g;
	int fd2, other;

	setup();
	ad2 = vsplit_adapter_create(&opts);
	other = vsplit_adapter_open(ad2);
	f = vsplit_fence(fd, 0);
	g = vsplit_fence(fd, 0);
	ctx2 = vsplit_ctx(fd, 0);
	ctx3 = vsplit_ctx(fd, 0);
	bo = vsplit_bo(fd, 'A', U);

	/* A fence is destroyed; the work behind it goes on. */
	c[0] = waits(fd, f, 1, bo, 1);
	vsplit_cs_submit(c[0], ctx, 0);
	c[1] = waits(fd, 0, 0, bo, 2);
	vsplit_cs_submit(c[1], ctx, 0);
	igt_assert_eq(__vsplit_fence_destroy(fd, f), 0);
	igt_assert_eq(vsplit_cs_result(c[0]), -ECANCELED);
	igt_assert_eq(vsplit_cs_result(c[1]), 0);
	vsplit_cs_reference(c[1], 0);
	vsplit_bo_check(bo);
	igt_assert_eq(vsplit_syncobj_status(fd, c[0]->out), -ECANCELED);
	/* A context is destroyed. */
	c[0] = waits(fd, g, 1, bo, 3);
	vsplit_cs_submit(c[0], ctx2, 0);
	igt_assert(is_parked(c[0]));
	igt_assert_eq(__vsplit_ctx_destroy(fd, ctx2), 0);
	igt_assert_eq(status_there(fd, c[0]->out), -ECANCELED);
	/* A context is lost: its work writes without a bind. */
	c[0] = waits(fd, g, 1, bo, 4);
	c[1] = vsplit_cs(fd);
	vsplit_cs_set(c[1], 0, 0, 64, 0);
	/* Not before the other submission is behind it. */
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(c[1], ctx3, 0);
	vsplit_cs_submit(c[0], ctx3, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(__vsplit_cs_wait(c[1]), -EFAULT);
	igt_assert_eq(vsplit_cs_result(c[0]), -EIO);
	vsplit_bo_check(bo);
	/* A file is closed. */
	fd2 = vsplit_adapter_open(ad);
	c[2] = waits(fd2, vsplit_fence(fd2, 0), 1, NULL, 0);
	vsplit_cs_submit(c[2], vsplit_ctx(fd2, 0), 0);
	closed = elsewhere(fd2, c[2]->out, other);
	vsplit_cleanup_file(fd2);
	igt_assert_eq(status_there(other, closed), -ECANCELED);
	/* The adapter is removed. */
	c[3] = waits(fd, g, 1, bo, 5);
	vsplit_cs_submit(c[3], ctx, 0);
	gone = elsewhere(fd, c[3]->out, other);
	vsplit_adapter_disable(ad);
	igt_assert_eq(status_there(other, gone), -ENODEV);
}

/**
 * SUBTEST: fails
 * Description: If there is no room for a submission when its waits are over, its fence has the
 *   error that the call would have returned. The context goes on.
 */
static void test_fails(void)
{
	struct drm_vsplit_gem_create pinned = {
		.size = 4 * U, .flags = VSPLIT_GEM_PINNED,
	};
	struct vsplit_cs *c[2];
	struct vsplit_bo *bo, *small;
	uint32_t f;

	setup();
	f = vsplit_fence(fd, 0);
	bo = vsplit_bo(fd, 'A', 16 * U);
	small = vsplit_bo(fd, 'B', U);
	c[0] = waits(fd, f, 1, bo, 1);
	c[1] = waits(fd, 0, 0, small, 2);
	vsplit_cs_submit(c[0], ctx, 0);
	vsplit_cs_submit(c[1], ctx, 0);
	igt_assert_eq(__vsplit_create(fd, &pinned), 0);
	igt_assert_eq(__vsplit_fence_signal(fd, f, 1), 0);
	igt_assert_eq(vsplit_cs_result(c[0]), -ENOSPC);
	igt_assert_eq(vsplit_cs_result(c[1]), 0);
	vsplit_cs_reference(c[1], 0);
	vsplit_bo_check(bo);
	vsplit_bo_check(small);
}

/**
 * SUBTEST: fails-late
 * Description: A large parked submission fails after its program was made, because memory is short.
 *   Its record tells the error, no portions and no steps, and takes no memory for them.
 */
static void test_fails_late(void)
{
	enum { GROUPS = 2000 };
	struct vsplit_record *rec;
	struct vsplit_bo *bo;
	struct vsplit_cs *c;
	uint64_t kib;
	uint32_t f;

	setup();
	f = vsplit_fence(fd, 0);
	bo = vsplit_bo(fd, 'A', U);
	c = waits(fd, f, 1, NULL, 0);
	for (unsigned int i = 0; i < GROUPS; i++) {
		vsplit_cs_bind(c, 0, bo);
		vsplit_cs_nop(c, 8);
	}
	vsplit_adapter_knob(ad, "expect_preparation_failure", "1");
	vsplit_cs_submit(c, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert(is_parked(c));
	igt_assert_eq(__vsplit_fence_signal(fd, f, 1), 0);
	igt_assert_eq(vsplit_cs_result(c), -ENOMEM);
	kib = vsplit_fdinfo(fd, "vsplit-record-memory:");
	igt_assert_f(kib < 4, "%" PRIu64 " KiB\n", kib);
	rec = vsplit_record(fd, ctx, c->submission);
	igt_assert_eq(rec->info.error, ENOMEM);
	igt_assert_eq(rec->info.num_portions, 0);
	igt_assert_eq(rec->info.num_events, 0);
}

/**
 * SUBTEST: limit
 * Description: Parked submissions count as unfinished: a file can have as many as max_unfinished,
 *   and other files submit at the same time.
 */
static void test_parked_limit(void)
{
	struct drm_vsplit_adapter_info info;
	struct vsplit_cs *c, *beside;
	uint64_t was, left;
	uint32_t f;
	int fd2;

	setup();
	vsplit_query_adapter(fd, &info);
	left = info.max_unfinished;
	f = vsplit_fence(fd, 0);
	fd2 = vsplit_adapter_open(ad);
	c = waits(fd, f, 1, NULL, 0);
	for (uint32_t i = 0; i < info.max_unfinished; i++)
		vsplit_cs_submit(c, ctx, 0);
	igt_assert_eq(__vsplit_cs_submit(c, ctx, 0), -ENOBUFS);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-parked:"), info.max_unfinished);
	beside = waits(fd2, 0, 0, NULL, 0);
	vsplit_cs_submit_and_wait(beside, vsplit_ctx(fd2, 0), 0);
	igt_assert_eq(__vsplit_fence_signal(fd, f, 1), 0);
	/* This may take long; wait as long as the number gets smaller. */
	do
		was = left;
	while (left && vsplit_soon((left = vsplit_fdinfo(fd, "vsplit-parked:")) < was));
	igt_assert_eq_u64(left, 0);
	igt_assert_eq(vsplit_cs_result(c), 0);
	vsplit_cs_submit_and_wait(c, ctx, 0);
}

/**
 * SUBTEST: paced
 * Description: Another client needs memory that a client's work uses, so the latter may have only a
 *   few unfinished submissions. Parked submissions do not count for this.
 */
static void test_paced(void)
{
	pid_t pid;
	struct vsplit_cs *parked, *uses, *needs;
	uint32_t behind;
	uint32_t f;
	int fd2;

	setup();
	f = vsplit_fence(fd, 0);
	behind = vsplit_ctx(fd, 0);
	parked = waits(fd, f, 1, NULL, 0);
	uses = waits(fd, 0, 0, vsplit_bo(fd, 'A', 12 * U), 1);
	fd2 = vsplit_adapter_open(ad);
	needs = waits(fd2, 0, 0, vsplit_bo(fd2, 'B', 12 * U), 2);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(uses, ctx, 0);
	for (unsigned int i = 0; i < 8; i++)
		vsplit_cs_submit(parked, behind, 0);
	vsplit_cs_submit(needs, vsplit_ctx(fd2, 0), 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(uses);
	vsplit_cs_wait(needs);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-paced:"), 1);
	pid = vsplit_fork();
	if (!pid)
		_exit(!!__vsplit_cs_submit(uses, ctx, 0));
	igt_assert_f(vsplit_soon(vsplit_task_state(pid) == 'Z'), "it waits for what is parked\n");
	igt_assert_eq(vsplit_reap(pid), 0);
	vsplit_cs_submit_and_wait(uses, ctx, 0);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-parked:"), 8);
	igt_assert_eq(__vsplit_fence_signal(fd, f, 1), 0);
	/* Until the last one is published, their syncobj has the fence of an earlier one. */
	igt_assert(vsplit_soon(!vsplit_fdinfo(fd, "vsplit-parked:")));
	igt_assert_eq(vsplit_cs_result(parked), 0);
	igt_assert(vsplit_soon(!vsplit_fdinfo(fd, "vsplit-paced:")));
}

/**
 * SUBTEST: killed
 * Description: A killed client leaves nothing parked.
 */
static void test_killed(void)
{
	struct vsplit_counters counters;
	pid_t pid;

	setup();
	vsplit_close(fd);
	pid = vsplit_fork();
	if (!pid) {
		uint32_t f;

		fd = vsplit_adapter_open(ad);
		f = vsplit_fence(fd, 0);
		ctx = vsplit_ctx(fd, 0);
		for (unsigned int i = 0; i < 20; i++)
			vsplit_cs_submit(waits(fd, f, 1 + i / 10, vsplit_bo(fd, 'A', U), i), ctx, 0);
		kill(getpid(), SIGKILL);
	}
	vsplit_reap(pid);
	igt_assert(vsplit_soon(vsplit_counters(ad, &counters) && !counters.jobs &&
			       !counters.queues && !counters.bos));
}

/**
 * SUBTEST: published-at-the-end
 * Description: A parked submission whose waits are over is executed when its context is destroyed,
 *   even if a signal interrupts the destroying task.
 */
static void test_last(void)
{
	bool interrupted = false;
	struct vsplit_bo *bo;
	uint32_t f;

	setup();
	vsplit_require_sync_points();
	vsplit_inject_require(VSPLIT_INJECT_WAIT);
	f = vsplit_fence(fd, 0);
	bo = vsplit_bo(fd, 'A', U);
	for (unsigned int n = 1; n == 1 || interrupted; n++) {
		struct vsplit_cs *c = waits(fd, f, n, bo, n);

		ctx = vsplit_ctx(fd, 0);
		vsplit_cs_submit(c, ctx, 0);
		vsplit_hold("park.work");
		igt_assert_eq(__vsplit_fence_signal(fd, f, n), 0);
		igt_assert(vsplit_wait_held("park.work"));
		vsplit_inject_arm(VSPLIT_INJECT_WAIT, n);
		igt_assert_eq(__vsplit_ctx_destroy(fd, ctx), 0);
		interrupted = vsplit_inject_disarm(VSPLIT_INJECT_WAIT, NULL);
		vsplit_release("park.work");
		igt_assert_eq(vsplit_cs_result(c), 0);
		vsplit_cs_reference(c, 0);
	}
	vsplit_bo_check(bo);
}

/**
 * SUBTEST: killed-late
 * Description: A client is killed, and the waits of its parked submission end while its file is
 *   being closed. The submission is not executed.
 */
static void test_killed_late(void)
{
	uint32_t *out;
	uint32_t f;
	pid_t pid;

	setup();
	vsplit_require_sync_points();
	f = vsplit_fence(fd, 0);
	out = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(out != MAP_FAILED);
	vsplit_hold("exec.close");
	pid = vsplit_fork();
	if (!pid) {
		int file = vsplit_adapter_open(ad);
		struct vsplit_cs *c = waits(file, vsplit_fence_share(fd, f, file), 1, NULL, 0);

		vsplit_cs_submit(c, vsplit_ctx(file, 0), 0);
		*out = elsewhere(file, c->out, fd);
		kill(getpid(), SIGKILL);
	}
	igt_assert(vsplit_wait_held("exec.close"));
	igt_assert_eq(__vsplit_fence_signal(fd, f, 1), 0);
	vsplit_release("exec.close");
	vsplit_reap(pid);
	igt_assert_eq(status_there(fd, *out), -ECANCELED);
	munmap(out, PAGE);
}

/**
 * SUBTEST: gives-back-first
 * Description: A parked submission fails. When a client that waits for it sees that, the memory and
 *   the count of the submission have already been given back.
 */
static void test_gives_back(void)
{
	struct vsplit_cs *c;
	uint32_t f;

	setup();
	vsplit_require_sync_points();
	f = vsplit_fence(fd, 0);
	c = waits(fd, f, 1, NULL, 0);
	vsplit_cs_submit(c, ctx, 0);
	vsplit_hold("park.failed");
	igt_assert_eq(__vsplit_fence_destroy(fd, f), 0);
	igt_assert_eq(vsplit_cs_result(c), -ECANCELED);
	igt_assert(vsplit_wait_held("park.failed"));
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-unfinished:"), 0);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-unfinished-memory:"), 0);
	vsplit_release("park.failed");
}

static void *submit_thread(void *arg)
{
	struct vsplit_cs *c = arg;

	return (void *)(intptr_t)__vsplit_cs_submit(c, ctx, 0);
}

/**
 * SUBTEST: ends-meanwhile
 * Description: A fence is destroyed while a submission that waits for it is being parked, or is
 *   examined for a submission behind it. It is not executed, and the one behind it is.
 */
static void test_meanwhile(void)
{
	struct vsplit_cs *c, *behind;
	struct vsplit_bo *bo;
	pthread_t thread;
	void *ret;
	uint32_t f;

	setup();
	vsplit_require_sync_points();
	bo = vsplit_bo(fd, 'A', U);
	/* While it is being parked. */
	f = vsplit_fence(fd, 0);
	c = waits(fd, f, 1, bo, 1);
	vsplit_hold("park.waits");
	igt_assert_eq(pthread_create(&thread, NULL, submit_thread, c), 0);
	igt_assert(vsplit_wait_held("park.waits"));
	igt_assert_eq(__vsplit_fence_destroy(fd, f), 0);
	vsplit_release("park.waits");
	pthread_join(thread, &ret);
	igt_assert(!ret);
	igt_assert_eq(vsplit_cs_result(c), -ECANCELED);
	vsplit_bo_check(bo);
	/* While it is examined. */
	f = vsplit_fence(fd, 0);
	c = waits(fd, f, 1, bo, 2);
	behind = waits(fd, 0, 0, bo, 3);
	vsplit_cs_submit(c, ctx, 0);
	vsplit_hold("park.met");
	vsplit_cs_submit(behind, ctx, 0);
	igt_assert(vsplit_wait_held("park.met"));
	igt_assert_eq(__vsplit_fence_destroy(fd, f), 0);
	vsplit_release("park.met");
	igt_assert_eq(vsplit_cs_result(c), -ECANCELED);
	igt_assert_eq(vsplit_cs_result(behind), 0);
	vsplit_cs_reference(behind, 0);
	vsplit_bo_check(bo);
}

/*
 * A thread that parks submissions on a context while it is destroyed, with a signaller beside it.
 */
static void *park_thread(void *arg)
{
	struct drm_vsplit_sync syncs[VSPLIT_CS_SYNCS + 1];
	struct drm_vsplit_submit args;

	for (unsigned int i = 0; i < 200; i++) {
		vsplit_cs_args(cs, ctx, 0, &args, syncs);
		if (__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_SUBMIT, &args) == -ENOENT)
			break;
	}
	return NULL;
}

/**
 * SUBTEST: races
 * Description: Submitting, signalling and destroying the context at the same time leaves nothing
 *   behind.
 */
static void test_races(void)
{
	struct vsplit_counters counters;

	setup();
	for (unsigned int round = 0; round < 30; round++) {
		uint32_t f = vsplit_fence(fd, 0);
		pthread_t thread;

		ctx = vsplit_ctx(fd, 0);
		vsplit_cs_reset(cs);
		vsplit_cs_wait_fence(cs, f, 1);
		vsplit_cs_signal_fence(cs, f, 2);
		igt_assert_eq(pthread_create(&thread, NULL, park_thread, NULL), 0);
		usleep(round * 50);
		igt_assert_eq(__vsplit_fence_signal(fd, f, 1), 0);
		usleep(round * 20);
		igt_assert_eq(__vsplit_ctx_destroy(fd, ctx), 0);
		pthread_join(thread, NULL);
		igt_assert_eq(__vsplit_fence_destroy(fd, f), 0);
	}
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-parked:"), 0);
	igt_assert(vsplit_soon(vsplit_counters(ad, &counters) && !counters.jobs));
}

static const struct vsplit_subtest subtests[] = {
	{ "ext-48-leading-wait", test_leading,
	  "A buffer that begins with waits is not executed, and has no fence, until all its waits "
	  "are over" },
	{ "many-values-of-one", test_many_values,
	  "A buffer that waits for a thousand values of one fence waits for the largest, and holds "
	  "no more memory than a buffer that waits once" },
	{ "ext-48-kinds", test_kinds,
	  "Contexts of all modes can be parked: one whose list has to be resident, and one with "
	  "virtual addresses" },
	{ "ends", test_ends,
	  "Parked work ends without being executed, and its fence has an error, when a fence or "
	  "the context is destroyed, the context is lost, the file is closed, or the adapter is "
	  "removed" },
	{ "fails", test_fails,
	  "If there is no room for a submission when its waits are over, its fence has the error "
	  "that the call would have returned. The context goes on." },
	{ "fails-late", test_fails_late,
	  "The record of a large submission that failed after its program was made takes no memory "
	  "for the program" },
	{ "limit", test_parked_limit,
	  "Parked submissions count as unfinished: a file can have as many as max_unfinished, and "
	  "other files submit at the same time" },
	{ "paced", test_paced,
	  "Where a client may have only a few unfinished submissions, parked submissions do not "
	  "count" },
	{ "killed", test_killed, "A killed client leaves nothing parked" },
	{ "published-at-the-end", test_last,
	  "A parked submission whose waits are over is executed when its context is destroyed, "
	  "even if a signal interrupts the destroying task" },
	{ "gives-back-first", test_gives_back,
	  "The memory and the count of a parked submission that fails are given back before its "
	  "client can see the failure" },
	{ "killed-late", test_killed_late,
	  "A killed client's parked submission whose waits end while the file is being closed is "
	  "not executed" },
	{ "ends-meanwhile", test_meanwhile,
	  "A submission that is being parked when its fence is destroyed is not executed, and the "
	  "one behind it is" },
	{ "races", test_races,
	  "Submitting, signalling and destroying the context at the same time leaves nothing "
	  "behind" },
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
