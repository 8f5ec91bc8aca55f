// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit pacing
 * Description: How much unfinished work a client may have for which others wait (reliability.rst,
 *   *Bounds*).
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: robustness
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_clients.h"
#include "igt_vsplit_debug.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("How much unfinished work a client may have for which others wait.");

/* The other client has a context with virtual addresses. */
static void setup_va(void)
{
	struct vsplit_adapter_opts opts = two_clients;

	opts.contexts = "patch,va";
	setup_opts(&opts);
	other = vsplit_adapter_open(ad);
	other_ctx = vsplit_ctx_mode(other, VSPLIT_CTX_MODE_VA, 0);
}

/* The best time in ns of reading a file's fdinfo. */
static uint64_t fdinfo_ns(int file)
{
	enum { EACH = 20 };
	uint64_t best = UINT64_MAX, begin;

	for (unsigned int tries = 0; tries < 50; tries++) {
		begin = vsplit_now_ns();
		for (unsigned int i = 0; i < EACH; i++)
			vsplit_fdinfo(file, "vsplit-unfinished:");
		best = min(best, vsplit_now_ns() - begin);
	}
	return best / EACH;
}

/**
 * SUBTEST: unfinished-work-of-others
 * Description: Reading a client's own fdinfo, under a lock that all submissions need, takes no
 *   longer when other clients have thousands of unfinished submissions.
 */
static void test_unfinished(void)
{
	enum { FILES = 16, EACH = 1000 };
	struct vsplit_cs *cs[FILES];
	uint64_t before, after;

	setup_clients();
	before = fdinfo_ns(fd);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	for (unsigned int i = 0; i < FILES; i++) {
		int file = vsplit_adapter_open(ad);
		uint32_t queue = vsplit_ctx(file, 0);

		cs[i] = vsplit_cs(file);
		vsplit_cs_nop(cs[i], 8);
		for (unsigned int n = 0; n < EACH; n++)
			igt_assert_eq(__vsplit_cs_submit(cs[i], queue, 0), 0);
	}
	after = fdinfo_ns(fd);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	for (unsigned int i = 0; i < FILES; i++)
		vsplit_cs_wait(cs[i]);
	igt_assert_f(after < 2 * before, "%" PRIu64 " ns, with %u of others %" PRIu64 "\n", before,
		     FILES * EACH, after);
}

#define DEEP 8

/* A process of the client of @file, which has @depth unfinished submissions, waits in a call. */
static void waits_in_a_call(pid_t pid, int file, unsigned int depth)
{
	for (unsigned int i = 0; i < 20; i++) {
		igt_assert(vsplit_soon(vsplit_task_state(pid) == 'S'));
		usleep(1000);
	}
	igt_assert_eq_u64(vsplit_fdinfo(file, "vsplit-unfinished:"), depth);
}

/* Another process of the client of @cs submits @cs and waits. */
static pid_t submits_and_waits(struct vsplit_cs *cs, uint32_t context, unsigned int depth)
{
	pid_t pid = vsplit_fork();

	if (!pid)
		_exit(!!__vsplit_cs_submit(cs, context, 0));
	waits_in_a_call(pid, cs->fd, depth);
	return pid;
}

/**
 * SUBTEST: paced-tasks-beside-others
 * Description: A client chooses how many of its tasks wait because it is paced. An engine that makes
 *   room for them executes other clients' work while these tasks are being woken.
 */
static void test_paced_tasks(void)
{
	struct vsplit_bo *theirs, *own;
	struct vsplit_cs *deep, *mine;
	pid_t late;

	vsplit_require_sync_points();
	setup_clients();
	theirs = vsplit_bo_in(other, 'a', 60 * U, 0, in_first);
	own = vsplit_bo_in(fd, 'A', 40 * U, 0, in_first);
	deep = vsplit_cs_of(other, &theirs, 1, false);
	mine = vsplit_cs_of(fd, &own, 1, false);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	for (unsigned int i = 0; i < DEEP; i++)
		vsplit_cs_submit(deep, other_ctx, 0);
	vsplit_cs_submit(mine, ctx, 0);
	igt_assert_eq_u64(vsplit_fdinfo(other, "vsplit-paced:"), 1);
	late = submits_and_waits(deep, other_ctx, DEEP);
	vsplit_hold("exec.wake");
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert(vsplit_wait_held("exec.wake"));
	igt_assert_f(vsplit_soon(!vsplit_syncobj_busy(fd, mine->out)),
		     "the engine wakes another client's tasks\n");
	igt_assert(vsplit_held("exec.wake"));
	vsplit_release("exec.wake");
	igt_assert_eq(vsplit_reap(late), 0);
	vsplit_cs_wait(deep);
}

/**
 * SUBTEST: deep-queues-are-paced
 * Description: Unfinished work of a client uses all memory, and another client's submission needs
 *   some of it. That is accepted at once, split or not. From then on the first client may have only
 *   one unfinished submission: the next one waits for the client's own work, and a signal ends this
 *   wait. The limit lasts as long as submissions of the other client wait; it also holds if the
 *   first client's work waits for a timeline point of its own. The other client goes on as before,
 *   and after all work is done so does the first one.
 */
static void test_deep(void)
{
	for (unsigned int how = 0; how < 6; how++) {
		unsigned int depth = how != 4 ? DEEP : 1;
		struct vsplit_bo *theirs[2], *bos[2];
		struct vsplit_cs *deep, *mine, *first;
		uint32_t first_ctx;
		unsigned int split = how & 1;
		pid_t killed, late[3];

		setup_clients();
		for (unsigned int i = 0; i < 2; i++)
			theirs[i] = vsplit_bo_in(other, 'a' + i, i ? 20 * U : 60 * U, 0, in_first);
		/*
		 * The second allocation takes the place of the first, and leaves room when it is
		 * done.
		 */
		first_ctx = other_ctx;
		deep = first = vsplit_cs_of(other, theirs, how < 2 || how >= 4 ? 1 : 2, false);
		if (depth == 1)
			vsplit_cs_spin(deep, 20000);
		if (how == 5) {
			uint32_t line = vsplit_syncobj(other);

			first_ctx = vsplit_ctx(other, 0);
			first = vsplit_cs_of(other, theirs, 1, false);
			vsplit_cs_signal(first, line, 1);
			vsplit_cs_wait_for(deep, line, 1);
		}
		for (unsigned int i = 0; i < 2; i++)
			bos[i] = vsplit_bo_in(fd, 'A' + i, 40 * U, 0, in_first);
		mine = vsplit_cs_of(fd, bos, 1 + split, !split);
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		for (unsigned int i = 0; i < depth; i++)
			vsplit_cs_submit(i ? deep : first, i ? other_ctx : first_ctx, 0);
		igt_assert_eq_u64(vsplit_fdinfo(other, "vsplit-paced:"), 0);
		for (unsigned int i = 0; i < DEEP; i++)
			vsplit_cs_submit(mine, ctx, 0);
		igt_assert_eq(mine->portions, 1 + split);
		igt_assert_eq_u64(vsplit_fdinfo(other, "vsplit-paced:"), 1);
		igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-paced:"), 0);

		killed = submits_and_waits(deep, other_ctx, depth);
		kill(killed, SIGKILL);
		igt_assert_eq(vsplit_reap(killed), SIGKILL);
		for (unsigned int i = 0; i < ARRAY_SIZE(late); i++)
			late[i] = submits_and_waits(deep, other_ctx, depth);
		vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
		while (depth == 1 && vsplit_task_state(late[0]) + vsplit_task_state(late[1]) +
		       vsplit_task_state(late[2]) != 3 * 'Z')
			igt_assert_lte(vsplit_fdinfo(other, "vsplit-unfinished:"), 1);
		for (unsigned int i = 0; i < ARRAY_SIZE(late); i++)
			igt_assert_eq(vsplit_reap(late[i]), 0);
		vsplit_cs_wait(mine);
		vsplit_cs_wait(deep);
		igt_assert(vsplit_soon(!vsplit_fdinfo(other, "vsplit-unfinished:")));
		igt_assert_eq_u64(vsplit_fdinfo(other, "vsplit-paced:"), 0);
		for (unsigned int i = 0; i < DEEP + ARRAY_SIZE(late); i++) {
			if (i < depth + ARRAY_SIZE(late))
				vsplit_cs_reference(deep, 0);
			if (i < DEEP)
				vsplit_cs_reference(mine, 0);
		}
		vsplit_cs_check(deep);
		vsplit_cs_check(mine);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: paced-though-it-waits-for-what-is-closed
 * Description: A client is paced as well if its work waits for the room of an allocation that was
 *   closed while work in several contexts uses it.
 */
static void test_deep_closed(void)
{
	struct vsplit_bo *closed, *theirs, *own;
	struct vsplit_cs *first, *deep, *mine;
	pid_t late;

	setup_clients();
	closed = vsplit_bo_in(other, 'a', 60 * U, 0, in_first);
	theirs = vsplit_bo_in(other, 'b', 60 * U, 0, in_first);
	own = vsplit_bo_in(fd, 'A', 40 * U, 0, in_first);
	first = vsplit_cs_of(other, &closed, 1, false);
	vsplit_cs_run(first, other_ctx, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(first, other_ctx, VSPLIT_SUBMIT_NO_IMPLICIT);
	vsplit_cs_submit(vsplit_cs_of(other, &closed, 1, false), vsplit_ctx(other, 0),
			 VSPLIT_SUBMIT_NO_IMPLICIT);
	vsplit_bo_free(closed);
	deep = vsplit_cs_of(other, &theirs, 1, false);
	vsplit_cs_submit(deep, other_ctx, 0);
	mine = vsplit_cs_of(fd, &own, 1, false);
	vsplit_cs_submit(mine, ctx, 0);
	igt_assert_eq_u64(vsplit_fdinfo(other, "vsplit-paced:"), 1);
	late = submits_and_waits(deep, other_ctx, 3);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(vsplit_reap(late), 0);
	vsplit_cs_wait(deep);
	vsplit_cs_wait(mine);
}

/* How often the file requires the allocation. */
static uint32_t required(const struct vsplit_bo *bo)
{
	struct drm_vsplit_residency args = { .handle = bo->handle };

	igt_assert_eq(__vsplit_ioctl(bo->fd, DRM_IOCTL_VSPLIT_RESIDENCY, &args), 0);
	return args.count;
}

/* Another process requires the allocation, or maps it, and waits. */
static pid_t calls_and_waits(const struct vsplit_bo *bo, bool binds)
{
	const struct drm_vsplit_va_op op = {
		.type = VSPLIT_VA_MAP, .handle = bo->handle, .bytes = bo->size,
	};
	pid_t pid = vsplit_fork();

	if (!pid)
		_exit(!!(binds ? __vsplit_va_bind(bo->fd, &op, 1, NULL, 0) :
			 __vsplit_make_resident(bo->fd, &bo->handle, 1, 0, NULL)));
	waits_in_a_call(pid, bo->fd, DEEP);
	return pid;
}

/**
 * SUBTEST: paced-beside-submissions
 * Description: A client has many unfinished MakeResidents, and another client's submission needs
 *   memory that they use. From then on MakeResident and binds wait as submissions do. A signal ends
 *   the wait; then nothing has happened. A call that goes on takes effect once.
 */
static void test_calls(void)
{
	for (unsigned int binds = 0; binds < 2; binds++) {
		struct vsplit_bo *own, *late;
		struct vsplit_cs *first, *needs;
		pid_t killed, waits;
		int third;

		setup_va();
		third = vsplit_adapter_open(ad);
		own = vsplit_bo_in(fd, 'A', 60 * U, 0, in_first);
		first = vsplit_cs_of(fd, &own, 1, false);
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		vsplit_cs_submit(first, ctx, 0);
		/* They wait until this submission is done, and its allocation has left. */
		for (unsigned int i = 0; i < DEEP; i++)
			vsplit_require(vsplit_bo_in(other, 'a' + i, 7 * U, 0, in_first));
		late = vsplit_bo_in(other, 'l', 7 * U, 0, in_first);
		own = vsplit_bo_in(third, 'B', 40 * U, 0, in_first);
		needs = vsplit_cs_of(third, &own, 1, false);
		vsplit_cs_submit(needs, vsplit_ctx(third, 0), 0);
		igt_assert_eq_u64(vsplit_fdinfo(other, "vsplit-paced:"), 1);
		killed = calls_and_waits(late, binds);
		kill(killed, SIGKILL);
		igt_assert_eq(vsplit_reap(killed), SIGKILL);
		igt_assert_eq(required(late), 0);
		waits = calls_and_waits(late, binds);
		vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
		igt_assert_eq(vsplit_reap(waits), 0);
		igt_assert_eq(required(late), !binds);
		vsplit_cs_wait(first);
		vsplit_cs_wait(needs);
		igt_assert(vsplit_soon(!vsplit_fdinfo(other, "vsplit-unfinished:")));
		vsplit_cs_reference(first, 0);
		vsplit_cs_reference(needs, 0);
		vsplit_cs_check(first);
		vsplit_cs_check(needs);
		vsplit_cleanup();
	}
}

/* Submits @cs, which is not large, @nr times. */
static void finishes(struct vsplit_cs *cs, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		vsplit_cs_submit_and_wait(cs, other_ctx, 0);
	igt_assert(vsplit_soon(!vsplit_fdinfo(other, "vsplit-unfinished:")));
}

/* The client of @cs, which has nothing unfinished, may have @nr unfinished submissions. */
static void may_have(struct vsplit_cs *cs, unsigned int nr)
{
	pid_t late;

	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	for (unsigned int i = 0; i < nr; i++)
		vsplit_cs_submit(cs, other_ctx, 0);
	late = submits_and_waits(cs, other_ctx, nr);
	kill(late, SIGKILL);
	igt_assert_eq(vsplit_reap(late), SIGKILL);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	igt_assert(vsplit_soon(!vsplit_fdinfo(other, "vsplit-unfinished:")));
}

/**
 * SUBTEST: begins-anew
 * Description: A client that was paced, and has finished all that it had, does not begin with a
 *   thousand submissions again: it may have one more than while it was paced for each that it has
 *   finished since then. Submissions that are refused do not count.
 */
static void test_anew(void)
{
	struct vsplit_bo *theirs, *own;
	struct vsplit_cs *deep, *mine, *small, *bad;

	setup_clients();
	theirs = vsplit_bo_in(other, 'a', 60 * U, 0, in_first);
	own = vsplit_bo_in(fd, 'A', 40 * U, 0, in_first);
	deep = vsplit_cs_of(other, &theirs, 1, false);
	mine = vsplit_cs_of(fd, &own, 1, false);
	small = vsplit_cs(other);
	vsplit_cs_nop(small, 8);
	/* Nothing has this handle: it is refused when it has been charged. */
	bad = vsplit_cs(other);
	vsplit_cs_nop(bad, 8);
	vsplit_cs_wait_for(bad, 12345, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	for (unsigned int i = 0; i < DEEP; i++)
		vsplit_cs_submit(deep, other_ctx, 0);
	vsplit_cs_submit(mine, ctx, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(mine);
	vsplit_cs_wait(deep);
	igt_assert(vsplit_soon(!vsplit_fdinfo(other, "vsplit-unfinished:")));
	igt_assert_eq_u64(vsplit_fdinfo(other, "vsplit-paced:"), 0);
	for (unsigned int i = 0; i < DEEP; i++)
		igt_assert_eq(__vsplit_cs_submit(bad, other_ctx, 0), -ENOENT);
	may_have(small, 1);
	may_have(small, 2);
	may_have(small, 4);
	finishes(small, DEEP);
	may_have(small, 8 + DEEP);
	/* It may have as many as it likes in the end. */
	finishes(small, 1024);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	for (unsigned int i = 0; i < 1000; i++)
		vsplit_cs_submit(small, other_ctx, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(small);
}

static const struct vsplit_subtest subtests[] = {
	{ "unfinished-work-of-others", test_unfinished,
	  "Reading a client's own fdinfo, under a lock that all submissions need, takes no longer "
	  "when other clients have thousands of unfinished submissions" },
	{ "paced-tasks-beside-others", test_paced_tasks,
	  "An engine that makes room for paced tasks executes other clients' work while it wakes "
	  "them" },
	{ "deep-queues-are-paced", test_deep,
	  "A client whose unfinished work uses what another client's submission needs may have one "
	  "unfinished submission" },
	{ "paced-though-it-waits-for-what-is-closed", test_deep_closed,
	  "A client is paced as well if its work waits for the room of an allocation that was "
	  "closed while work in several contexts uses it" },
	{ "begins-anew", test_anew,
	  "A client that was paced, and has finished all that it had, may have one more unfinished "
	  "submission for each that it has finished since then" },
	{ "paced-beside-submissions", test_calls,
	  "MakeResident and binds of a paced client wait as its submissions do; a signal ends the "
	  "wait, and nothing has happened then" },
};

int igt_main()
{
	vsplit_run_subtests(subtests);
}
