// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit hangs
 * Description: How long a program may run while another client waits for it, in whatever way, and
 *   what hangs cost the client that has them, and no other client.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: sharing of engines
 * Test category: functionality test
 *
 * With VSPLIT_NIGHTLY in the environment the numbers of rounds are the full ones, or a part of them
 * (vsplit_rounds()).
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_engine.h"

#include <errno.h>
#include <linux/dma-buf.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("How long a program may run while another client waits for it, in whatever "
		     "way, and what hangs cost the client that has them, and no other client.");

/**
 * SUBTEST: alone-as-long-as-it-likes
 * Description: A program that makes progress may run for many times the timeout while no other
 *   client waits for its engine. Its own contexts do not count, nor does work that waits for
 *   something else.
 */
static void test_alone(void)
{
	static const char * const modes[] = { "none", "split-point", "packet" };

	for (unsigned int mode = 0; mode < ARRAY_SIZE(modes); mode++) {
		struct vsplit_cs *one, *two, *blocked, *first;
		int other;

		setup_preemption(modes[mode], 2, 200);
		other = vsplit_adapter_open(ad);
		one = build_long(fd, 'A', 120);
		two = build_long(fd, 'B', 1);
		/* Another client's job, which waits for another engine. */
		first = build_long(other, 'C', 1);
		blocked = build_long(other, 'D', 1);
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 1);
		vsplit_cs_submit(first, vsplit_ctx_on(other, 0, 1), 0);
		vsplit_cs_wait_for(blocked, first->out, 0);
		vsplit_cs_submit(one, vsplit_ctx(fd, 0), 0);
		vsplit_cs_submit(two, vsplit_ctx(fd, 0), 0);
		vsplit_cs_submit(blocked, vsplit_ctx(other, 0), 0);
		vsplit_cs_ends_well(one);
		vsplit_cs_ends_well(two);
		igt_assert_eq(vsplit_ctx_state(fd, one->ctx, NULL), VSPLIT_STATE_ACTIVE);
		vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 1);
		vsplit_cs_ends_well(first);
		vsplit_cs_ends_well(blocked);
		vsplit_cleanup();
	}
}

/* Checks that a program that holds up another client's for longer than the timeout is lost. */
static void held_up_ends(struct vsplit_cs *attacker, struct vsplit_cs *victim)
{
	igt_assert_f(vsplit_soon(!vsplit_syncobj_busy(victim->fd, victim->out)),
		     "another client's program waits\n");
	vsplit_cs_ends_well(victim);
	igt_assert_f(vsplit_soon(!vsplit_syncobj_busy(attacker->fd, attacker->out)),
		     "the program goes on\n");
	igt_assert_eq(__vsplit_cs_wait(attacker), -ETIME);
	igt_assert_eq(vsplit_ctx_state(attacker->fd, attacker->ctx, NULL),
		      VSPLIT_STATE_LOST_HANG);
}

/**
 * SUBTEST: engine-without-preemption-is-bounded
 * Description: Without preemption, or with preemption at split points that do not come, a program
 *   that makes progress may run for the timeout while another client's program is ready. Then it is
 *   lost as one that hangs, and the engine is free for the other client.
 */
static void test_bounded(void)
{
	for (unsigned int mode = 0; mode < 2; mode++) {
		struct vsplit_cs *attacker, *victim;
		int other;

		setup_preemption(mode ? "split-point" : "none", 1, 200);
		other = vsplit_adapter_open(ad);
		attacker = build_long(fd, 'A', 60000);
		victim = build_long(other, 'B', 1);
		vsplit_cs_submit(attacker, vsplit_ctx(fd, 0), 0);
		igt_assert(vsplit_soon(begun(attacker)));
		vsplit_cs_submit(victim, vsplit_ctx(other, 0), 0);
		held_up_ends(attacker, victim);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: waiting-through-a-dependency-is-bounded
 * Description: The same for a client on another engine that waits for the program: directly,
 *   through another client's program, because its memory becomes free only when the program is
 *   done, or for a timeline point.
 */
static void test_bounded_through(void)
{
	for (unsigned int round = 0; round < 8; round++) {
		const char *mode = round & 1 ? "packet" : "none";
		struct vsplit_cs *attacker, *between, *victim;
		struct vsplit_bo *bo, *mine;
		int other, third, shared;
		uint32_t line, theirs;

		setup_preemption(mode, 3, 200);
		other = vsplit_adapter_open(ad);
		third = vsplit_adapter_open(ad);
		bo = vsplit_bo(fd, 'A', 200 * U);
		line = shared_syncobj(&shared);
		attacker = vsplit_cs(fd);
		vsplit_cs_bind(attacker, 0, bo);
		spins(attacker, 60000, 10000);
		vsplit_cs_signal(attacker, line, 1);
		vsplit_cs_submit(attacker, vsplit_ctx(fd, 0), 0);
		igt_assert(vsplit_soon(begun(attacker)));
		victim = vsplit_cs(other);
		if (round < 2) {
			mine = vsplit_bo_share(other, 'A', bo);
		} else if (round < 4) {
			between = vsplit_cs(third);
			vsplit_cs_bind(between, 0, vsplit_bo_share(third, 'A', bo));
			vsplit_cs_set(between, 0, 0, 64, 0x22222222);
			vsplit_cs_submit(between, vsplit_ctx_on(third, 0, 2), 0);
			mine = vsplit_bo_share(other, 'A', bo);
		} else {
			mine = vsplit_bo(other, 'B', (round < 6 ? 200 : 1) * U);
		}
		if (round >= 6) {
			igt_assert_eq(drmSyncobjFDToHandle(other, shared, &theirs), 0);
			vsplit_cs_wait_for(victim, theirs, 1);
		}
		vsplit_cs_bind(victim, 0, mine);
		vsplit_cs_set(victim, 0, 0, 64, 0x11111111);
		vsplit_cs_submit(victim, vsplit_ctx_on(other, 0, 1), 0);
		held_up_ends(attacker, victim);
		close(shared);
		vsplit_cleanup();
	}
}

/* A context of @priority on engine 0. */
static uint32_t ctx_of(int file, uint32_t priority)
{
	struct drm_vsplit_ctx_create args = { .priority = priority };

	igt_assert_eq(__vsplit_ctx_create(file, &args), 0);
	return args.ctx;
}

/* A buffer of @n spins of 10 ms that uses @bo, or else an allocation of its own. */
static struct vsplit_cs *spins_with(int file, unsigned int n, struct vsplit_bo *bo)
{
	struct vsplit_cs *cs = vsplit_cs(file);

	vsplit_cs_bind(cs, 0, bo ?: vsplit_bo(file, 'S', U));
	spins(cs, n, 10000);
	return cs;
}

/* Submits a program on engine 1 that writes @bo, and so waits for what uses it or its place. */
static struct vsplit_cs *waits_for(struct vsplit_bo *bo)
{
	struct vsplit_cs *cs = vsplit_cs(bo->fd);

	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, 64, 0x11111111);
	vsplit_cs_submit(cs, vsplit_ctx_on(bo->fd, 0, 1), 0);
	return cs;
}

/* Checks that @victim ends before @file has used its engine for 5 s, which is 25 timeouts. */
static void ends_in_time(struct vsplit_cs *victim, int file, unsigned int round)
{
	uint64_t begin = vsplit_fdinfo(file, "drm-engine-render:");

	while (vsplit_syncobj_busy(victim->fd, victim->out)) {
		igt_assert_f(vsplit_fdinfo(file, "drm-engine-render:") - begin < 5000000000ull,
			     "round %u: another client's program waits\n", round);
		usleep(10000);
	}
	vsplit_cs_ends_well(victim);
}

/**
 * SUBTEST: waiting-behind-other-work-is-bounded
 * Description: The same limit applies if it is not the program's turn: because the program is
 *   behind another one of its context, because its client has many contexts that are busy, or
 *   because its priority is low and other work is not.
 */
static void test_bounded_behind(void)
{
	enum { CONTEXTS = 100 };

	for (unsigned int round = 0; round < 3; round++) {
		struct vsplit_cs *attacker, *others[CONTEXTS], *victim;
		unsigned int nr = round == 1 ? CONTEXTS : 1;
		struct vsplit_bo *bo, *mine;
		int file;
		uint32_t ctx;

		setup_preemption("packet", 2, 200);
		bo = vsplit_bo(fd, 'A', U);
		mine = vsplit_bo_share(vsplit_adapter_open(ad), 'V', bo);
		file = round == 2 ? vsplit_adapter_open(ad) : fd;
		ctx = ctx_of(fd, round == 2 ? VSPLIT_CTX_PRIORITY_LOW : VSPLIT_CTX_PRIORITY_NORMAL);
		for (unsigned int i = 0; i < nr; i++) {
			others[i] = spins_with(file, 2000, NULL);
			vsplit_cs_submit(others[i], round ? vsplit_ctx(file, 0) : ctx, 0);
		}
		igt_assert(vsplit_soon(begun(others[0])));
		attacker = spins_with(fd, round ? 2000 : 1, bo);
		vsplit_cs_submit(attacker, ctx, 0);
		victim = waits_for(mine);
		ends_in_time(victim, file, round);
		igt_assert_eq(__vsplit_cs_wait(attacker), round ? -ETIME : -ECANCELED);
		igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_LOST_HANG);
		if (round)
			igt_assert(vsplit_syncobj_busy(file, others[0]->out));
		else
			igt_assert_eq(__vsplit_cs_wait(others[0]), -ETIME);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: hangs-one-after-another-are-few
 * Description: A client waits for many programs of another client which do not end: for the room of
 *   an allocation that all of them use at the same time, or for an allocation of both for which
 *   they wait one after another. Only the first ones have a timeout each: then the other client
 *   loses all of them.
 */
static void test_few_hangs(void)
{
	enum { CONTEXTS = 64 };

	for (unsigned int round = 0; round < 2; round++) {
		uint32_t flags = round ? 0 : VSPLIT_SUBMIT_NO_IMPLICIT;
		struct vsplit_cs *attackers[CONTEXTS], *victim;
		struct drm_vsplit_statistics stats;
		struct vsplit_bo *bo, *mine;
		int other;

		setup_preemption("packet", 2, 200);
		other = vsplit_adapter_open(ad);
		bo = vsplit_bo(fd, 'A', 200 * U);
		mine = round ? vsplit_bo_share(other, 'V', bo) : vsplit_bo(other, 'V', 200 * U);
		for (unsigned int i = 0; i < CONTEXTS; i++) {
			attackers[i] = spins_with(fd, 2000, bo);
			vsplit_cs_submit(attackers[i], vsplit_ctx(fd, 0), flags);
		}
		if (!round)
			vsplit_bo_free(bo);
		victim = waits_for(mine);
		ends_in_time(victim, fd, round);
		for (unsigned int i = 0; i < CONTEXTS; i++) {
			igt_assert_eq(__vsplit_cs_wait(attackers[i]), -ETIME);
			igt_assert_eq(vsplit_ctx_state(fd, attackers[i]->ctx, NULL),
				      VSPLIT_STATE_LOST_HANG);
		}
		vsplit_query_statistics(fd, &stats);
		igt_assert_eq_u64(stats.hangs, CONTEXTS);
		vsplit_cleanup();
	}
}

/* A program of @fd hangs, because a program of @other waits for it. */
static void hangs(int other, unsigned int round)
{
	struct vsplit_cs *attacker, *victim;
	struct vsplit_bo *bo = vsplit_bo(fd, 'A', U);

	attacker = spins_with(fd, 2000, bo);
	vsplit_cs_submit(attacker, vsplit_ctx(fd, 0), 0);
	victim = waits_for(vsplit_bo_share(other, 'V', bo));
	ends_in_time(victim, fd, round);
	igt_assert_eq(__vsplit_cs_wait(attacker), -ETIME);
}

/**
 * SUBTEST: two-hangs-harm-no-other-program
 * Description: While a client's program runs for which no other client waits, two other programs of
 *   the client hang. The program goes on. When a third one hangs, it is lost.
 */
static void test_two_hangs(void)
{
	struct vsplit_cs *innocent;
	int other;

	setup_preemption("packet", 2, 200);
	other = vsplit_adapter_open(ad);
	innocent = spins_with(fd, 6000, NULL);
	vsplit_cs_submit(innocent, vsplit_ctx(fd, 0), 0);
	for (unsigned int i = 1; i <= 3; i++) {
		hangs(other, i);
		if (i < 3)
			igt_assert_f(vsplit_syncobj_busy(fd, innocent->out), "lost by %u\n", i);
	}
	igt_assert_eq(__vsplit_cs_wait(innocent), -ETIME);
	igt_assert_eq(vsplit_ctx_state(fd, innocent->ctx, NULL), VSPLIT_STATE_LOST_HANG);
}

/* The watchdog makes a whole visit that begins after this call; another one is held then. */
static void watchdog_visits(void)
{
	for (unsigned int i = 0; i < 2; i++) {
		vsplit_hold("exec.timeout");
		igt_assert(vsplit_wait_held("exec.timeout"));
		if (i)
			break;
		vsplit_release("exec.timeout");
		igt_assert(vsplit_soon(!vsplit_held("exec.timeout")));
	}
}

/**
 * SUBTEST: hangs-are-forgotten
 * Description: Two programs of a client hang. Then the watchdog finds nothing unfinished of the
 *   client. When another two programs hang, the client loses no other program.
 */
static void test_forgotten(void)
{
	struct vsplit_cs *innocent, *busy;
	int other;

	vsplit_require_sync_points();
	setup_preemption("packet", 2, 200);
	other = vsplit_adapter_open(ad);
	/* The watchdog comes only while there are jobs. */
	busy = spins_with(other, 6000, NULL);
	vsplit_cs_submit(busy, vsplit_ctx(other, 0), 0);
	for (unsigned int i = 1; i <= 2; i++)
		hangs(other, i);
	watchdog_visits();
	innocent = spins_with(fd, 6000, NULL);
	vsplit_cs_submit(innocent, vsplit_ctx(fd, 0), 0);
	vsplit_release("exec.timeout");
	for (unsigned int i = 3; i <= 4; i++) {
		hangs(other, i);
		igt_assert_f(vsplit_syncobj_busy(fd, innocent->out), "lost by %u\n", i);
	}
	igt_assert(vsplit_syncobj_busy(other, busy->out));
}

/*
 * Another adapter, whose only submission does not end: its fence joins those that the GPU and
 * others leave in @bo.
 */
static void fence_of_another_adapter(struct vsplit_bo *bo)
{
	struct vsplit_adapter_opts opts = engine_opts(true, 1);
	struct dma_buf_import_sync_file imported = { .flags = DMA_BUF_SYNC_WRITE };
	struct vsplit_adapter *far_ad = vsplit_adapter_create(&opts);
	int far = vsplit_adapter_open(far_ad), dmabuf = vsplit_bo_export(bo);
	struct vsplit_cs *cs = vsplit_cs(far);

	vsplit_cs_bind(cs, 0, vsplit_bo(far, 'F', U));
	spins(cs, 60000, 10000);
	vsplit_cs_submit(cs, vsplit_ctx(far, 0), 0);
	igt_assert_eq(drmSyncobjExportSyncFile(far, cs->out, &imported.fd), 0);
	igt_assert_eq(ioctl(dmabuf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &imported), 0);
	close(imported.fd);
	close(dmabuf);
}

/**
 * SUBTEST: waiting-for-what-is-closed-is-bounded
 * Description: The same limit applies if a program waits for the room of an allocation that its
 *   client has closed while several programs use it, even if its dma-buf has got a fence of another
 *   adapter.
 */
static void test_bounded_closed(void)
{
	for (unsigned int round = 0; round < 2; round++) {
		struct vsplit_cs *attackers[2], *victim;
		struct vsplit_bo *in_use;
		int other;

		setup_preemption("packet", 2, 200);
		other = vsplit_adapter_open(ad);
		in_use = vsplit_bo(fd, 'A', 200 * U);
		if (round == 1) {
			/* Paging it in would wait for that fence. */
			victim = vsplit_cs(fd);
			vsplit_cs_bind(victim, 0, in_use);
			vsplit_cs_set(victim, 0, 0, 64, 0x22222222);
			vsplit_cs_submit_and_wait(victim, vsplit_ctx(fd, 0), 0);
			fence_of_another_adapter(in_use);
		}
		for (unsigned int i = 0; i < 2; i++) {
			attackers[i] = vsplit_cs(fd);
			vsplit_cs_bind(attackers[i], 0, in_use);
			spins(attackers[i], 60000, 10000);
			vsplit_cs_submit(attackers[i], vsplit_ctx(fd, 0),
					 VSPLIT_SUBMIT_NO_IMPLICIT);
		}
		vsplit_bo_free(in_use);
		victim = vsplit_cs(other);
		vsplit_cs_bind(victim, 0, vsplit_bo(other, 'B', 200 * U));
		vsplit_cs_set(victim, 0, 0, 64, 0x11111111);
		vsplit_cs_submit(victim, vsplit_ctx_on(other, 0, 1), 0);
		igt_assert_f(vsplit_soon(!vsplit_syncobj_busy(other, victim->out)),
			     "round %u: another client's program waits\n", round);
		vsplit_cs_ends_well(victim);
		for (unsigned int i = 0; i < 2; i++)
			igt_assert_eq(__vsplit_cs_wait(attackers[i]), -ETIME);
		vsplit_cleanup();
	}
}

/* Reads @bo with the CPU in a process of its own. */
static pid_t reads(struct vsplit_bo *bo)
{
	pid_t pid = vsplit_fork();

	if (!pid) {
		vsplit_bo_check(bo);
		_exit(0);
	}
	return pid;
}

/**
 * SUBTEST: waiting-by-the-cpu-is-bounded
 * Description: The same limit applies if another client's CPU waits: for the hole that a lock moves
 *   an allocation to, or for the swizzling range that an access acquires, while the program uses an
 *   allocation there that its client has closed. If the CPU waits for its own client's program,
 *   there is no limit.
 */
static void test_bounded_cpu(void)
{
	for (unsigned int round = 0; round < 3; round++) {
		struct drm_vsplit_gem_create args = { .size = 8 * U, .flags = VSPLIT_GEM_CPU_ACCESS };
		struct vsplit_adapter_opts opts = engine_opts(true, 1);
		struct vsplit_cs *attacker;
		struct vsplit_bo *in_use, *mine;
		int other;
		pid_t pid;

		opts.preemption = "packet";
		opts.timeout_ms = 200;
		if (round == 1) {
			opts.segs[0].ranges = 1;
			args.flags |= VSPLIT_GEM_SWIZZLED;
			args.pitch = 1024;
		} else {
			opts.segs[0].cpu = "131072"; /* 8 * U */
		}
		setup_engines(&opts);
		other = round == 2 ? fd : vsplit_adapter_open(ad);
		in_use = vsplit_bo_args(fd, 'A', &args);
		mine = vsplit_bo_args(other, 'B', &args);
		vsplit_bo_pattern(mine, round);
		attacker = vsplit_cs(fd);
		vsplit_cs_bind(attacker, 0, in_use);
		spins(attacker, round == 2 ? 100 : 60000, 10000);
		vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, in_use->handle, 1);
		vsplit_bo_check(in_use);
		vsplit_escape(other, VSPLIT_ESCAPE_PAGE_IN, mine->handle, 1);
		vsplit_cs_submit(attacker, vsplit_ctx(fd, 0), 0);
		vsplit_bo_free(in_use);
		if (round != 1)
			vsplit_lock(mine, 0);
		pid = reads(mine);
		igt_assert_f(vsplit_soon(waitpid(pid, NULL, WNOHANG) == pid),
			     "round %u: the CPU waits for another client's program\n", round);
		igt_assert_eq(__vsplit_cs_wait(attacker), round == 2 ? 0 : -ETIME);
		vsplit_cleanup();
	}
}

/* Locks @bo with @flags and reads it in a process of its own; @flags ~0: reads it only. */
static pid_t locks(struct vsplit_bo *bo, uint32_t flags)
{
	pid_t pid = vsplit_fork();

	if (!pid) {
		if (flags != ~0u)
			vsplit_lock(bo, flags);
		vsplit_bo_check(bo);
		_exit(0);
	}
	return pid;
}

/**
 * SUBTEST: locks-wait-for-a-bounded-time
 * Description: The same limit applies if the CPU waits for another client's program itself: for the
 *   end of one that uses the locked allocation, of one that writes it without implicit
 *   synchronisation, or of one that pages the allocation in at a split. For its own client's program
 *   the CPU waits as long as that runs.
 */
static void test_bounded_lock(void)
{
	const uint32_t flags[] = { 0, VSPLIT_LOCK_READ_ONLY, ~0u, 0 };

	for (unsigned int round = 0; round < 4; round++) {
		bool own = round == 3;
		struct vsplit_cs *attacker;
		struct vsplit_bo *bo, *seen;
		pid_t pid;

		setup_preemption("packet", 1, 200);
		bo = vsplit_bo(fd, 'A', 200 * U);
		vsplit_bo_pattern(bo, round);
		seen = own ? bo : vsplit_bo_share(vsplit_adapter_open(ad), 'V', bo);
		attacker = vsplit_cs(fd);
		if (round == 2) {
			vsplit_cs_bind(attacker, 0, vsplit_bo(fd, 'B', 200 * U));
			vsplit_cs_set(attacker, 0, 0, 64, 0x33333333);
		}
		vsplit_cs_bind(attacker, 0, bo);
		spins(attacker, own ? 100 : 60000, 10000);
		vsplit_cs_submit(attacker, vsplit_ctx(fd, 0),
				 round == 1 ? VSPLIT_SUBMIT_NO_IMPLICIT : 0);
		igt_assert_eq(attacker->portions, round == 2 ? 2 : 1);
		pid = locks(seen, flags[round]);
		igt_assert_f(vsplit_soon(waitpid(pid, NULL, WNOHANG) == pid),
			     "round %u: the CPU waits for another client's program\n", round);
		igt_assert_eq(__vsplit_cs_wait(attacker), own ? 0 : -ETIME);
		vsplit_cleanup();
	}
}

/* How a process waits that does not use the adapter itself. */
enum { ATTACHES, SYNCS, FAULTS };

/* An adapter that can import. */
static int open_importer(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 16 * U }, { "aper", true, .size = 256 * U } },
	};

	return vsplit_adapter_open(vsplit_adapter_create(&opts));
}

static int waits_through(const struct vsplit_bo *bo, int dmabuf, int importer, unsigned int how)
{
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_RW | DMA_BUF_SYNC_START };
	uint32_t handle;
	void *map;

	switch (how) {
	case ATTACHES:
		return __vsplit_import(importer, dmabuf, &handle);
	case SYNCS:
		return drmIoctl(dmabuf, DMA_BUF_IOCTL_SYNC, &sync);
	default:
		map = mmap(NULL, bo->size, PROT_READ, MAP_SHARED, dmabuf, 0);
		return map == MAP_FAILED ? -errno : !!memcmp(map, bo->shadow, bo->size);
	}
}

/**
 * SUBTEST: importers-wait-for-a-bounded-time
 * Description: The same limit applies if another process waits for the program through a dma-buf:
 *   another driver attaches to it, DMA_BUF_IOCTL_SYNC, or a mapping of it is read while it is being
 *   evicted behind the program. If the process is the program's own, the program may run on.
 */
static void test_bounded_importer(void)
{
	for (unsigned int round = 0; round < 6; round++) {
		struct vsplit_adapter_opts opts = engine_opts(true, 1);
		unsigned int how = round % 3;
		struct vsplit_cs *attacker;
		struct vsplit_bo *bo;
		bool own = round >= 3;
		int dmabuf, importer;
		uint32_t ctx;
		pid_t pid;

		opts.preemption = "packet";
		opts.timeout_ms = 200;
		opts.model_clock = true;
		opts.contexts = "patch,explicit";
		setup_engines(&opts);
		importer = open_importer();
		bo = vsplit_bo(fd, 'A', 200 * U);
		vsplit_bo_pattern(bo, round);
		dmabuf = vsplit_bo_export(bo);
		ctx = vsplit_ctx_mode(fd, how == FAULTS ? VSPLIT_CTX_MODE_EXPLICIT :
						 VSPLIT_CTX_MODE_PATCH, 0);
		if (how == FAULTS)
			vsplit_require(bo);
		attacker = vsplit_cs(fd);
		vsplit_cs_bind(attacker, 0, bo);
		spins(attacker, own ? 100 : 60000, 10000);
		vsplit_cs_submit(attacker, ctx, 0);
		if (how == FAULTS)
			igt_assert_eq(__vsplit_evict(fd, &bo->handle, 1, 0), 0);
		pid = own ? -1 : vsplit_fork();
		if (!pid)
			_exit(!!waits_through(bo, dmabuf, importer, how));
		if (own)
			igt_assert_eq(waits_through(bo, dmabuf, importer, how), 0);
		else
			igt_assert_f(vsplit_soon(vsplit_task_state(pid) == 'Z') &&
				     !vsplit_reap(pid),
				     "round %u: a process waits for a client's program\n", round);
		igt_assert_eq(__vsplit_cs_wait(attacker), own ? 0 : -ETIME);
		close(dmabuf);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: debuggers-wait-for-a-bounded-time
 * Description: What reads a client's mapping as a debugger does, and so holds the client's
 *   mmap_lock, gives up after the adapter's timeout if the bytes have not arrived.
 */
static void test_bounded_debugger(void)
{
	struct vsplit_adapter_opts opts = engine_opts(true, 1);
	struct vsplit_bo *bo;
	struct vsplit_cs *cs;
	bool over;
	pid_t pid;

	opts.timeout_ms = 200;
	opts.segs[0].cpu = "none";
	setup_engines(&opts);
	bo = vsplit_bo(fd, 'A', 8 * U);
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, 64, 1);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs, vsplit_ctx(fd, 0), 0);
	pid = vsplit_read_as_debugger(bo);
	over = vsplit_soon(vsplit_task_state(pid) == 'Z');
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert(vsplit_reap(pid));
	igt_assert_f(over, "a debugger waits for as long as the client's work takes\n");
	igt_assert(vsplit_soon(vsplit_reap(vsplit_read_as_debugger(bo)) == 0));
}

#define HANG VSPLIT_SPIN_MAX_US

static struct vsplit_bo *h[3];
static struct vsplit_cs *hang;

static void hang_first(void)
{
	vsplit_cs_spin(hang, HANG);
}

static void hang_after_work(void)
{
	vsplit_cs_bind(hang, 0, h[0]);
	vsplit_cs_set(hang, 0, 0, 4096, 1);
	vsplit_cs_spin(hang, HANG);
}

static void groups(unsigned int at)
{
	for (unsigned int i = 0; i < 3; i++) {
		vsplit_cs_bind(hang, 0, h[i]);
		vsplit_cs_set(hang, 0, 0, 4096, i);
		if (i == at)
			vsplit_cs_spin(hang, HANG);
	}
}

static void hang_portion_0(void)
{
	groups(0);
}

static void hang_portion_1(void)
{
	groups(1);
}

static void hang_portion_2(void)
{
	groups(2);
}

static void hang_everywhere(void)
{
	for (unsigned int i = 0; i < 3; i++) {
		vsplit_cs_bind(hang, 0, h[i]);
		vsplit_cs_spin(hang, HANG);
	}
}

static void hang_many(void)
{
	for (unsigned int i = 0; i < 100; i++)
		vsplit_cs_spin(hang, HANG);
}

static void big_mma(uint32_t m, uint32_t n, uint32_t k)
{
	/*
	 * Pitches of 0 would be too small, so all matrices are in one row of the largest
	 * allocation.
	 */
	vsplit_cs_bind(hang, 0, h[0]);
	vsplit_cs_state(hang, VSPLIT_STATE_LDA, k);
	vsplit_cs_state(hang, VSPLIT_STATE_LDB, n);
	vsplit_cs_state(hang, VSPLIT_STATE_LDC, 4 * n);
	for (unsigned int i = 0; i < 200; i++)
		vsplit_cs_mma(hang, VSPLIT_MMA_ACCUMULATE, 0, 0, 0, 20 * U, 0, 30 * U, m, n, k);
	vsplit_cs_spin(hang, HANG);
}

static void hang_mma(void)
{
	big_mma(64, 64, 64);
}

static void hang_fault(void)
{
	vsplit_cs_copy(hang, 5, 0, 5, 0, 8);
}

static void hang_bounds(void)
{
	vsplit_cs_bind(hang, 0, h[0]);
	vsplit_cs_set(hang, 0, h[0]->size - 4, 8, 1);
}

static void hang_wraps(void)
{
	vsplit_cs_bind(hang, 0, h[0]);
	vsplit_cs_copy(hang, 0, ~0ull - 7, 0, 0, 16);
}

static void hang_state(void)
{
	vsplit_cs_bind(hang, 0, h[0]);
	vsplit_cs_fill(hang, 0, 0, 64);
}

static void hang_fault_later(void)
{
	groups(3);
	vsplit_cs_copy(hang, 9, 0, 0, 0, 8);
}

static void hang_huge(void)
{
	vsplit_cs_bind(hang, 0, h[0]);
	vsplit_cs_state(hang, VSPLIT_STATE_SRC_PITCH, 0xffffffff);
	vsplit_cs_state(hang, VSPLIT_STATE_DST_PITCH, 0xffffffff);
	vsplit_cs_copy_2d(hang, 0, 0, 0, 0, 0xffffffff, 0xffffffff, 0);
}

static void hang_long_fill(void)
{
	vsplit_cs_bind(hang, 0, h[0]);
	for (unsigned int i = 0; i < 64; i++)
		vsplit_cs_set(hang, 0, 0, h[0]->size, i);
	vsplit_cs_spin(hang, HANG);
}

static void hang_nops(void)
{
	for (unsigned int i = 0; i < 2000; i++)
		vsplit_cs_nop(hang, 512);
	vsplit_cs_spin(hang, HANG);
}

static const struct {
	const char *name;
	void (*build)(void);
	uint32_t flags;
} kinds[] = {
	{ "at once", hang_first, 0 },
	{ "after work", hang_after_work, 0 },
	{ "in portion 0", hang_portion_0, 0 },
	{ "in portion 1", hang_portion_1, 0 },
	{ "in portion 2", hang_portion_2, 0 },
	{ "in portion 1, all splits taken", hang_portion_1, VSPLIT_SUBMIT_FORCE_SPLIT },
	{ "in portion 2, all splits taken", hang_portion_2, VSPLIT_SUBMIT_FORCE_SPLIT },
	{ "everywhere", hang_everywhere, 0 },
	{ "a hundred times", hang_many, 0 },
	{ "behind matrices", hang_mma, 0 },
	{ "behind fills", hang_long_fill, 0 },
	{ "behind commands that do nothing", hang_nops, 0 },
	{ "without implicit sync", hang_portion_1, VSPLIT_SUBMIT_NO_IMPLICIT },
	{ "fault: empty rows", hang_fault, 0 },
	{ "fault: bounds", hang_bounds, 0 },
	{ "fault: an offset that wraps", hang_wraps, 0 },
	{ "fault: no state", hang_state, 0 },
	{ "fault: in the last portion", hang_fault_later, 0 },
	{ "fault: a rectangle without end", hang_huge, 0 },
};

static void hang_all(const struct vsplit_adapter_opts *opts, uint64_t *count)
{
	struct innocent in[2];

	setup_engines(opts);
	innocent_start(&in[0], 0);
	innocent_start(&in[1], opts->engines > 1);
	for (unsigned int i = 0; i < 3; i++)
		h[i] = vsplit_bo(fd, 'A' + i, 40 * U);
	hang = vsplit_cs(fd);
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++) {
		uint32_t bad = vsplit_ctx(fd, 0), state;

		vsplit_cs_reset(hang);
		kinds[i].build();
		innocent_submit(&in[0]);
		vsplit_cs_submit(hang, bad, kinds[i].flags);
		innocent_submit(&in[1]);
		igt_assert_f(__vsplit_cs_wait(hang) < 0, "%s: it was executed\n", kinds[i].name);
		for (unsigned int n = 0; n < 2; n++)
			innocent_check(&in[n]);
		state = vsplit_ctx_state(fd, bad, NULL);
		igt_assert_f(state == (strncmp(kinds[i].name, "fault", 5) ? VSPLIT_STATE_LOST_HANG :
				       VSPLIT_STATE_LOST_FAULT), "%s: state %u\n",
			     kinds[i].name, state);
		igt_assert_eq(__vsplit_cs_submit(hang, bad, 0), -EIO);
		igt_assert_eq(__vsplit_ctx_destroy(fd, bad), 0);
		++*count;
	}
	vsplit_cleanup();
}

/**
 * SUBTEST: hangs-of-every-kind
 * Description: Buffers that hang or fault in all ways run on engines of all kinds, each between
 *   submissions of innocent clients, whose results are right to the byte.
 */
static void test_hangs(void)
{
	/*
	 * The timeout is long enough that an innocent buffer does not seem to hang when the host
	 * takes its processor away.
	 */
	struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 64 * U } },
		.slots = 16,
		.engines = 2,
		.timeout_ms = 500,
		.test = true,
	};
	unsigned int rounds = vsplit_rounds(1, 4);
	uint64_t count = 0;

	for (unsigned int round = 0; round < rounds; round++) {
		hang_all(&opts, &count);
		opts.save_restore = true;
		opts.paging_own = true;
		hang_all(&opts, &count);
		opts.save_restore = false;
		opts.paging_own = false;
	}
	vsplit_figure("R8", "buffers that hung or faulted beside innocents", count);
}

static const struct vsplit_subtest tests[] = {
	{ "alone-as-long-as-it-likes", test_alone,
	  "A program that makes progress may run for many times the timeout while no other client "
	  "waits for its engine" },
	{ "engine-without-preemption-is-bounded", test_bounded,
	  "Without preemption, or with preemption at split points that do not come, a program that "
	  "makes progress may run for the timeout while another client's program is ready" },
	{ "waiting-through-a-dependency-is-bounded", test_bounded_through,
	  "A program may run for the timeout while a client on another engine waits for it, "
	  "directly or through other work" },
	{ "waiting-behind-other-work-is-bounded", test_bounded_behind,
	  "A program that does not come to its turn may run for the timeout, too, while another "
	  "client waits for it" },
	{ "hangs-one-after-another-are-few", test_few_hangs,
	  "A client that waits for many programs of another client which do not end waits for a "
	  "few timeouts" },
	{ "two-hangs-harm-no-other-program", test_two_hangs,
	  "A client loses a program for which no other client waits only when a third one of its "
	  "others hangs" },
	{ "hangs-are-forgotten", test_forgotten,
	  "The count of a client's hangs begins anew when the watchdog finds nothing unfinished of "
	  "the client" },
	{ "waiting-for-what-is-closed-is-bounded", test_bounded_closed,
	  "A program may run for the timeout while another one waits for the room of a closed "
	  "allocation that it uses" },
	{ "waiting-by-the-cpu-is-bounded", test_bounded_cpu,
	  "A program may run for the timeout while another client's CPU waits for a hole or a "
	  "swizzling range that it uses" },
	{ "locks-wait-for-a-bounded-time", test_bounded_lock,
	  "A program may run for the timeout while another client's lock or access waits for its "
	  "end" },
	{ "importers-wait-for-a-bounded-time", test_bounded_importer,
	  "A program may run for the timeout while another process waits for it through a dma-buf" },
	{ "debuggers-wait-for-a-bounded-time", test_bounded_debugger,
	  "What reads a client's mapping as a debugger does, and so holds the client's "
	  "mmap_lock, gives up after the adapter's timeout if the bytes have not arrived" },
	{ "hangs-of-every-kind", test_hangs,
	  "Buffers that hang or fault in all ways run on engines of all kinds, each between "
	  "submissions of innocent clients, whose results are right to the byte" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
