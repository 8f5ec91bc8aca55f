// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit sync
 * Description: Syncobjs in and out, implicit synchronisation, order between contexts.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: synchronisation
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Syncobjs in and out, implicit synchronisation, order between contexts.");

#define U 4096ull

static struct vsplit_adapter *ad;
static int fd;
static uint32_t ctx[2];

static void setup(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 64 * U } },
		.slots = 16,
		.engines = 2,
		.test = true,
	};

	ad = vsplit_adapter_create(&opts);
	fd = vsplit_adapter_open(ad);
	/* On two engines, so that only synchronisation orders them. */
	ctx[0] = vsplit_ctx_on(fd, 0, 0);
	ctx[1] = vsplit_ctx_on(fd, 0, 1);
}

/* Writes @byte into all of @bo after a while. */
static struct vsplit_cs *build_slow(struct vsplit_bo *bo, unsigned int us, uint8_t byte)
{
	struct vsplit_cs *cs = vsplit_cs(fd);

	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_spin(cs, us);
	vsplit_cs_set(cs, 0, 0, bo->size, byte * 0x01010101u);
	return cs;
}

static struct vsplit_cs *build_copy(struct vsplit_bo *to, struct vsplit_bo *from)
{
	struct vsplit_cs *cs = vsplit_cs(fd);

	vsplit_cs_alloc(cs, from, 0);
	vsplit_cs_bind(cs, 0, to);
	vsplit_cs_bind(cs, 1, from);
	vsplit_cs_copy(cs, 0, 0, 1, 0, to->size);
	return cs;
}

/**
 * SUBTEST: out-binary
 * Description: A binary syncobj is signalled when the buffer is done, and not before.
 */
static void test_out_binary(void)
{
	struct vsplit_bo *a;
	struct vsplit_cs *cs;
	uint32_t extra;

	setup();
	a = vsplit_bo(fd, 'A', U);
	cs = build_slow(a, 20000, 0x11);
	extra = vsplit_syncobj(fd);
	vsplit_cs_signal(cs, extra, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs, ctx[0], 0);
	igt_assert(vsplit_syncobj_busy(fd, extra));
	igt_assert(vsplit_syncobj_busy(fd, cs->out));
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(__vsplit_syncobj_wait(fd, extra, 0, VSPLIT_SOON_MS), 0);
	igt_assert_eq(a->map[0], 0x11);
	vsplit_cs_wait(cs);
	vsplit_cs_reference(cs, 0);
	vsplit_bo_check(a);
}

/**
 * SUBTEST: out-timeline
 * Description: Timeline points are signalled one by one.
 */
static void test_out_timeline(void)
{
	struct vsplit_cs *cs[4];
	uint32_t timeline;
	uint64_t value;

	setup();
	timeline = vsplit_syncobj(fd);
	for (unsigned int i = 0; i < 4; i++) {
		cs[i] = build_slow(vsplit_bo(fd, 'A' + i, U), 50000, i + 1);
		vsplit_cs_signal(cs[i], timeline, 10 * (i + 1));
		vsplit_cs_submit(cs[i], ctx[0], 0);
	}
	for (unsigned int i = 0; i < 4; i++) {
		igt_assert_eq(__vsplit_syncobj_wait(fd, timeline, 10 * (i + 1), VSPLIT_SOON_MS), 0);
		igt_assert_eq(cs[i]->bos[0]->map[0], i + 1);
		igt_assert_eq(drmSyncobjQuery(fd, &timeline, &value, 1), 0);
		igt_assert(value >= 10 * (i + 1));
	}
	igt_assert_eq_u64(value, 40);
}

/**
 * SUBTEST: in-binary
 * Description: A buffer waits for a binary syncobj of another context.
 */
static void test_in_binary(void)
{
	struct vsplit_bo *a, *b;
	struct vsplit_cs *slow, *copy;

	setup();
	a = vsplit_bo(fd, 'A', U);
	b = vsplit_bo(fd, 'B', U);
	slow = build_slow(a, 200000, 0x21);
	copy = build_copy(b, a);
	vsplit_cs_submit(slow, ctx[0], VSPLIT_SUBMIT_NO_IMPLICIT);
	vsplit_cs_wait_for(copy, slow->out, 0);
	vsplit_cs_submit_and_wait(copy, ctx[1], VSPLIT_SUBMIT_NO_IMPLICIT);
	igt_assert(!vsplit_syncobj_busy(fd, slow->out));
	igt_assert_eq(b->map[0], 0x21);
	/* A syncobj that is signalled already costs nothing. */
	copy->nr_syncs = 0;
	vsplit_cs_wait_for(copy, vsplit_syncobj_signaled(fd), 0);
	vsplit_cs_submit_and_wait(copy, ctx[1], 0);
}

/**
 * SUBTEST: in-timeline
 * Description: A buffer waits for a timeline point; this works for a point that has been passed,
 *   too.
 */
static void test_in_timeline(void)
{
	struct vsplit_bo *a, *b;
	struct vsplit_cs *slow, *copy;
	uint32_t timeline;

	setup();
	a = vsplit_bo(fd, 'A', U);
	b = vsplit_bo(fd, 'B', U);
	slow = build_slow(a, 200000, 0x31);
	copy = build_copy(b, a);
	timeline = vsplit_syncobj(fd);
	vsplit_cs_signal(slow, timeline, 5);
	vsplit_cs_submit(slow, ctx[0], VSPLIT_SUBMIT_NO_IMPLICIT);
	vsplit_cs_wait_for(copy, timeline, 5);
	vsplit_cs_submit_and_wait(copy, ctx[1], VSPLIT_SUBMIT_NO_IMPLICIT);
	igt_assert_eq(b->map[0], 0x31);
	for (uint64_t point = 1; point <= 5; point++) {
		copy->nr_syncs = 0;
		vsplit_cs_wait_for(copy, timeline, point);
		vsplit_cs_submit_and_wait(copy, ctx[1], 0);
	}
}

/**
 * SUBTEST: in-and-out-same-syncobj
 * Description: The same submission waits for a syncobj and signals it.
 */
static void test_in_out(void)
{
	struct vsplit_bo *a;
	struct vsplit_cs *cs;
	uint32_t chain;

	setup();
	a = vsplit_bo(fd, 'A', U);
	chain = vsplit_syncobj_signaled(fd);
	cs = vsplit_cs(fd);
	for (unsigned int i = 0; i < 20; i++) {
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_copy(cs, 0, 8, 0, 0, 2048);
		vsplit_cs_add(cs, 0, 0, i);
		vsplit_cs_wait_for(cs, chain, 0);
		vsplit_cs_signal(cs, chain, 0);
		vsplit_cs_submit(cs, ctx[i & 1], VSPLIT_SUBMIT_NO_IMPLICIT);
		vsplit_cs_reference(cs, 0);
	}
	igt_assert_eq(__vsplit_syncobj_wait(fd, chain, 0, VSPLIT_SOON_MS), 0);
	vsplit_bo_check(a);
}

/**
 * SUBTEST: implicit-write-then-read
 * Description: A reader waits for the writer, which is on another engine.
 */
static void test_implicit(void)
{
	struct vsplit_bo *a, *b;
	struct vsplit_cs *slow, *copy;

	setup();
	a = vsplit_bo(fd, 'A', U);
	b = vsplit_bo(fd, 'B', U);
	slow = build_slow(a, 200000, 0x41);
	copy = build_copy(b, a);
	vsplit_cs_submit(slow, ctx[0], 0);
	vsplit_cs_submit_and_wait(copy, ctx[1], 0);
	igt_assert(!vsplit_syncobj_busy(fd, slow->out));
	igt_assert_eq(b->map[0], 0x41);
}

/**
 * SUBTEST: implicit-read-then-write
 * Description: A writer waits for the reader.
 */
static void test_implicit_war(void)
{
	struct vsplit_bo *a, *b;
	struct vsplit_cs *copy, *write;

	setup();
	a = vsplit_bo(fd, 'A', U);
	b = vsplit_bo(fd, 'B', U);
	vsplit_bo_set(a, 0x51);
	copy = vsplit_cs(fd);
	vsplit_cs_alloc(copy, a, 0);
	vsplit_cs_bind(copy, 0, b);
	vsplit_cs_bind(copy, 1, a);
	vsplit_cs_spin(copy, 200000);
	vsplit_cs_copy(copy, 0, 0, 1, 0, U);
	write = build_slow(a, 0, 0x52);
	vsplit_cs_submit(copy, ctx[0], 0);
	vsplit_cs_submit_and_wait(write, ctx[1], 0);
	igt_assert(!vsplit_syncobj_busy(fd, copy->out));
	igt_assert_eq(b->map[0], 0x51);
	igt_assert_eq(a->map[0], 0x52);
}

/**
 * SUBTEST: implicit-readers-run-together
 * Description: Readers do not wait for each other.
 */
static void test_readers(void)
{
	bool beside = false;
	uint32_t us;

	vsplit_for_longer(us, beside) {
		struct vsplit_cs *cs[2];
		struct vsplit_bo *a;

		setup();
		a = vsplit_bo(fd, 'A', U);
		/* Resident already, because a page-in would have to be waited for. */
		vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 0);
		for (unsigned int i = 0; i < 2; i++) {
			cs[i] = vsplit_cs(fd);
			vsplit_cs_alloc(cs[i], a, 0);
			vsplit_cs_bind(cs[i], 0, a);
			vsplit_cs_spin(cs[i], i ? 1 : us);
			vsplit_cs_submit(cs[i], ctx[i], 0);
		}
		vsplit_cs_wait(cs[1]);
		beside = vsplit_syncobj_busy(fd, cs[0]->out);
		vsplit_cs_wait(cs[0]);
		vsplit_cleanup();
	}
	igt_assert_f(beside, "a reader waits for a reader\n");
}

/**
 * SUBTEST: no-implicit
 * Description: With NO_IMPLICIT a reader does not wait for the writer.
 */
static void test_no_implicit(void)
{
	bool beside = false;
	uint32_t us;

	vsplit_for_longer(us, beside) {
		struct vsplit_cs *slow, *read;
		struct vsplit_bo *a;

		setup();
		a = vsplit_bo(fd, 'A', U);
		vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 0);
		slow = build_slow(a, us, 0x61);
		read = vsplit_cs(fd);
		vsplit_cs_alloc(read, a, 0);
		vsplit_cs_bind(read, 0, a);
		vsplit_cs_nop(read, 8);
		vsplit_cs_submit(slow, ctx[0], 0);
		vsplit_cs_submit_and_wait(read, ctx[1], VSPLIT_SUBMIT_NO_IMPLICIT);
		beside = vsplit_syncobj_busy(fd, slow->out);
		vsplit_cs_wait(slow);
		vsplit_cleanup();
	}
	igt_assert_f(beside, "a reader waits for the writer\n");
}

/**
 * SUBTEST: no-implicit-never-moves-what-is-in-use
 * Description: With NO_IMPLICIT a submission does not wait for contents, but residency still holds:
 *   memory that running work uses is not moved or evicted.
 */
static void test_no_implicit_residency(void)
{
	struct vsplit_cs *slow, *big;
	struct vsplit_bo *a, *b;

	setup();
	a = vsplit_bo(fd, 'A', 40 * U);
	b = vsplit_bo(fd, 'B', 60 * U);
	slow = vsplit_cs(fd);
	vsplit_cs_bind(slow, 0, a);
	for (unsigned int i = 0; i < 10; i++) {
		vsplit_cs_spin(slow, 20000);
		vsplit_cs_set(slow, 0, 64 * i, 64, i + 1);
	}
	vsplit_cs_submit(slow, ctx[0], 0);
	big = vsplit_cs(fd);
	vsplit_cs_bind(big, 0, b);
	vsplit_cs_set(big, 0, 0, b->size, 0x71717171);
	/* This needs A's memory. */
	vsplit_cs_submit_and_wait(big, ctx[1], VSPLIT_SUBMIT_NO_IMPLICIT);
	igt_assert(!vsplit_syncobj_busy(fd, slow->out));
	vsplit_cs_wait(slow);
	vsplit_cs_reference(slow, 0);
	vsplit_cs_reference(big, 0);
	vsplit_bo_check(a);
	vsplit_bo_check(b);
}

/**
 * SUBTEST: order-within-a-context
 * Description: Submissions of one context never overtake each other, whatever they wait for.
 */
static void test_order(void)
{
	struct vsplit_cs *blocker, *first, *second;
	struct vsplit_record *r1, *r2;

	setup();
	blocker = build_slow(vsplit_bo(fd, 'A', U), 200000, 1);
	first = build_slow(vsplit_bo(fd, 'B', U), 100, 2);
	second = build_slow(vsplit_bo(fd, 'C', U), 100, 3);
	vsplit_cs_submit(blocker, ctx[1], 0);
	vsplit_cs_wait_for(first, blocker->out, 0);
	vsplit_cs_submit(first, ctx[0], 0);
	vsplit_cs_submit_and_wait(second, ctx[0], 0);
	igt_assert(!vsplit_syncobj_busy(fd, first->out));
	r1 = vsplit_record(fd, ctx[0], first->submission);
	r2 = vsplit_record(fd, ctx[0], second->submission);
	igt_assert(vsplit_portion(r1, 0)->t1_ns <= vsplit_portion(r2, 0)->t0_ns);
}

/**
 * SUBTEST: sync-file
 * Description: The fence can be exported, polled, imported and waited for.
 */
static void test_sync_file(void)
{
	struct vsplit_cs *slow, *copy;
	struct pollfd pfd = { .events = POLLIN };
	struct vsplit_bo *a, *b;
	uint32_t again;

	setup();
	a = vsplit_bo(fd, 'A', U);
	b = vsplit_bo(fd, 'B', U);
	slow = build_slow(a, 100000, 0x81);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(slow, ctx[0], 0);
	igt_assert_eq(vsplit_syncobj_status(fd, slow->out), 0);
	igt_assert_eq(drmSyncobjExportSyncFile(fd, slow->out, &pfd.fd), 0);
	igt_assert_eq(poll(&pfd, 1, 0), 0);
	again = vsplit_syncobj(fd);
	igt_assert_eq(drmSyncobjImportSyncFile(fd, again, pfd.fd), 0);
	copy = build_copy(b, a);
	vsplit_cs_wait_for(copy, again, 0);
	vsplit_cs_submit(copy, ctx[1], VSPLIT_SUBMIT_NO_IMPLICIT);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(poll(&pfd, 1, VSPLIT_SOON_MS), 1);
	igt_assert_eq(vsplit_syncobj_status(fd, slow->out), 1);
	vsplit_cs_wait(copy);
	igt_assert_eq(b->map[0], 0x81);
	close(pfd.fd);
}

/**
 * SUBTEST: fence-outlives-context-and-file
 * Description: Fences of queued work signal after context and file are gone.
 */
static void test_outlive(void)
{
	struct pollfd pfd = { .events = POLLIN };
	struct vsplit_cs *slow;

	/* One job that runs, and one that the engine does not take before the file is closed. */
	for (unsigned int queued = 0; queued < 2; queued++) {
		setup();
		slow = build_slow(vsplit_bo(fd, 'A', U), 100000, 0x91);
		if (queued)
			vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		vsplit_cs_submit(slow, ctx[0], 0);
		igt_assert_eq(drmSyncobjExportSyncFile(fd, slow->out, &pfd.fd), 0);
		igt_assert_eq(__vsplit_ctx_destroy(fd, ctx[0]), 0);
		vsplit_cleanup_file(fd);
		igt_assert_eq(poll(&pfd, 1, VSPLIT_SOON_MS), 1);
		igt_assert_eq(vsplit_fence_status(pfd.fd), 1);
		close(pfd.fd);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: error-reaches-the-fence
 * Description: The error of a fault is in the fence, and work that waits for the fence still runs.
 */
static void test_error(void)
{
	struct vsplit_cs *bad, *copy;
	struct vsplit_bo *a, *b;

	setup();
	a = vsplit_bo(fd, 'A', U);
	b = vsplit_bo(fd, 'B', U);
	vsplit_bo_set(a, 0xa1);
	bad = vsplit_cs(fd);
	vsplit_cs_bind(bad, 0, a);
	vsplit_cs_copy(bad, 0, 0, 0, U, 64);	/* out of bounds */
	copy = build_copy(b, a);
	vsplit_cs_wait_for(copy, bad->out, 0);
	vsplit_cs_submit(bad, ctx[0], 0);
	vsplit_cs_submit(copy, ctx[1], 0);
	igt_assert(__vsplit_cs_wait(bad) < 0);
	igt_assert(vsplit_syncobj_status(fd, bad->out) < 0);
	vsplit_cs_wait(copy);
	igt_assert_eq(b->map[0], 0xa1);
}

/**
 * SUBTEST: submit-does-not-wait
 * Description: Hundreds of submissions behind a slow one are accepted without waiting.
 */
static void test_no_wait(void)
{
	struct vsplit_cs *cs;
	struct vsplit_bo *a;

	setup();
	a = vsplit_bo(fd, 'A', U);
	cs = vsplit_cs(fd);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	for (unsigned int i = 0; i < 300; i++) {
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_add(cs, 0, 8 * (i % 100), i);
		vsplit_cs_submit(cs, ctx[0], 0);
		vsplit_cs_reference(cs, 0);
	}
	/* The engine is stopped: a task that waited for it would not get here. */
	igt_assert(vsplit_syncobj_busy(fd, cs->out));
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	vsplit_bo_check(a);
}

/* Submits a buffer that waits for the same point @nr times. */
static int submit_waits(struct vsplit_cs *cs, const struct drm_vsplit_sync *point, unsigned int nr)
{
	struct drm_vsplit_sync own[VSPLIT_CS_SYNCS + 1], *syncs = calloc(nr, sizeof(*syncs));
	struct drm_vsplit_submit args;
	int ret;

	for (unsigned int i = 0; i < nr; i++)
		syncs[i] = *point;
	vsplit_cs_args(cs, ctx[1], 0, &args, own);
	args.syncs = (uintptr_t)syncs;
	args.num_syncs = nr;
	ret = __vsplit_submit(fd, &args);
	free(syncs);
	return ret;
}

/**
 * SUBTEST: killed-while-it-looks-up
 * Description: A timeline point may consist of very many others. A task that waits for such points,
 *   as often as one submission may, ends soon after it is killed.
 */
static void test_killed(void)
{
	enum { POINTS = 5000, FEW = 16, MANY = 1024 };
	struct drm_vsplit_sync point = { .flags = VSPLIT_SYNC_TIMELINE, .point = POINTS };
	struct vsplit_cs *first, *cs;
	uint64_t few, end;
	int status;
	pid_t pid;

	setup();
	first = vsplit_cs(fd);
	vsplit_cs_nop(first, 8);
	cs = vsplit_cs(fd);
	vsplit_cs_nop(cs, 8);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(first, ctx[0], 0);
	point.handle = vsplit_syncobj(fd);
	for (unsigned int i = 1; i <= POINTS; i++)
		igt_assert_eq(drmSyncobjTransfer(fd, point.handle, i, first->out, 0, 0), 0);
	few = vsplit_now_ns();
	igt_assert_eq(submit_waits(cs, &point, FEW), 0);
	few = vsplit_now_ns() - few;
	pid = vsplit_fork();
	if (!pid)
		_exit(!!submit_waits(cs, &point, MANY));
	usleep(2 * few / 1000);
	end = vsplit_now_ns();
	kill(pid, SIGKILL);
	status = vsplit_reap(pid);
	end = vsplit_now_ns() - end;
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(first);
	igt_assert_f(WIFSIGNALED(status), "it ended before it was killed, with %#x\n", status);
	igt_assert_f(end < MANY / FEW / 4 * few, "%" PRIu64 " us for %u, and killed after %" PRIu64
		     " us more\n", few / 1000, FEW, end / 1000);
}

static const struct vsplit_subtest tests[] = {
	{ "out-binary", test_out_binary,
	  "A binary syncobj is signalled when the buffer is done, and not before" },
	{ "out-timeline", test_out_timeline, "Timeline points are signalled one by one" },
	{ "in-binary", test_in_binary, "A buffer waits for a binary syncobj of another context" },
	{ "in-timeline", test_in_timeline,
	  "A buffer waits for a timeline point; this works for a point that has been passed, too" },
	{ "in-and-out-same-syncobj", test_in_out,
	  "The same submission waits for a syncobj and signals it" },
	{ "implicit-write-then-read", test_implicit,
	  "A reader waits for the writer, which is on another engine" },
	{ "implicit-read-then-write", test_implicit_war, "A writer waits for the reader" },
	{ "implicit-readers-run-together", test_readers, "Readers do not wait for each other" },
	{ "no-implicit", test_no_implicit,
	  "With NO_IMPLICIT a reader does not wait for the writer" },
	{ "no-implicit-never-moves-what-is-in-use", test_no_implicit_residency,
	  "With NO_IMPLICIT a submission does not wait for contents, but residency still holds: "
	  "memory that running work uses is not moved or evicted" },
	{ "order-within-a-context", test_order,
	  "Submissions of one context never overtake each other, whatever they wait for" },
	{ "sync-file", test_sync_file,
	  "The fence can be exported, polled, imported and waited for" },
	{ "fence-outlives-context-and-file", test_outlive,
	  "Fences of queued work signal after context and file are gone" },
	{ "error-reaches-the-fence", test_error,
	  "The error of a fault is in the fence, and work that waits for the fence still runs" },
	{ "submit-does-not-wait", test_no_wait,
	  "Hundreds of submissions behind a slow one are accepted without waiting" },
	{ "killed-while-it-looks-up", test_killed,
	  "A timeline point may consist of very many others. A task that waits for such points, as "
	  "often as one submission may, ends soon after it is killed." },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
