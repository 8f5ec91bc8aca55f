// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit share
 * Description: What one client's work costs the others: engines are shared, paging has
 *   no head of line, and what a killed client left behind ends.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: sharing of engines
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("What one client's work costs the others.");

#define U 16384ull
#define SECOND_US 1000000u

static struct vsplit_adapter *ad;
static int fd;

static void setup(const struct vsplit_adapter_opts *opts)
{
	ad = vsplit_adapter_create(opts);
	fd = vsplit_adapter_open(ad);
}

static struct vsplit_adapter_opts options(bool paging_own, unsigned int engines)
{
	return (struct vsplit_adapter_opts) {
		.segs = { { "vram", .size = 256 * U } },
		.slots = 64,
		.engines = engines,
		.paging_own = paging_own,
		.test = true,
	};
}

static void spins(struct vsplit_cs *cs, unsigned int n, unsigned int us)
{
	while (n--)
		vsplit_cs_spin(cs, us);
}

/* A buffer on a file of its own whose fence another file sees: it is in the syncobj @shared. */
static struct vsplit_cs *buffer_of(int file, int shared)
{
	struct vsplit_cs *cs = vsplit_cs(file);
	uint32_t handle;

	igt_assert_eq(drmSyncobjFDToHandle(file, shared, &handle), 0);
	vsplit_cs_signal(cs, handle, 0);
	return cs;
}

/* A syncobj of @fd's, and its file for other processes. */
static uint32_t shared_syncobj(int *shared)
{
	uint32_t syncobj = vsplit_syncobj(fd);

	igt_assert_eq(drmSyncobjHandleToFD(fd, syncobj, shared), 0);
	return syncobj;
}

static bool has_fence(uint32_t syncobj)
{
	int file;

	if (drmSyncobjExportSyncFile(fd, syncobj, &file))
		return false;
	close(file);
	return true;
}

static bool ended_with(uint32_t syncobj, int status)
{
	return vsplit_syncobj_status(fd, syncobj) == status;
}

/* Work of this process on the same engine: it comes to its end. */
static void engine_is_free(void)
{
	struct vsplit_cs *cs = vsplit_cs(fd);

	vsplit_cs_bind(cs, 0, vsplit_bo(fd, 'z', U));
	vsplit_cs_set(cs, 0, 0, 64, 0x5a5a5a5a);
	vsplit_cs_submit(cs, vsplit_ctx(fd, 0), 0);
	igt_assert_f(vsplit_soon(!vsplit_syncobj_busy(fd, cs->out)), "the engine is not free\n");
	vsplit_cs_ends_well(cs);
}

static void kill_it(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	status = vsplit_reap(pid);
	igt_assert_f(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
		     "the client ended by itself: %#x\n", status);
}

/* Submits more than a quarter of an hour of work on @file, then waits to be killed. */
static void submit_and_stay(int file, int shared, unsigned int contexts)
{
	for (unsigned int i = 0; i < contexts; i++) {
		struct vsplit_cs *cs = buffer_of(file, shared);

		spins(cs, 1000, SECOND_US);
		vsplit_cs_submit(cs, vsplit_ctx(file, 0), 0);
	}
	for (;;)
		pause();
}

/**
 * SUBTEST: killed-client-ends
 * Description: SIGKILL of a client that has the last reference to its file ends what it
 *   has submitted at the next packet, with -ECANCELED, and the engine is free; what
 *   still is in the queue, and of a context that is destroyed, too.
 */
static void test_killed(void)
{
	struct vsplit_adapter_opts opts = options(true, 1);
	uint32_t syncobj;
	int shared;
	pid_t pid;

	setup(&opts);
	for (unsigned int contexts = 1; contexts <= 8; contexts += 7) {
		syncobj = shared_syncobj(&shared);
		pid = vsplit_fork();
		if (!pid)
			submit_and_stay(vsplit_adapter_open(ad), shared, contexts);
		igt_assert(vsplit_soon(has_fence(syncobj)));
		usleep(50000);
		igt_assert_eq(vsplit_syncobj_status(fd, syncobj), 0);
		kill_it(pid);
		igt_assert_f(vsplit_soon(ended_with(syncobj, -ECANCELED)),
			     "its work goes on: %d\n", vsplit_syncobj_status(fd, syncobj));
		engine_is_free();
		close(shared);
	}
}

/**
 * SUBTEST: closed-client-s-work-runs
 * Description: What a client has submitted that ends by itself, or that is killed while
 *   another process has its file as well, is executed to the end.
 */
static void test_closed(void)
{
	struct vsplit_adapter_opts opts = options(true, 1);

	setup(&opts);
	for (unsigned int killed = 0; killed < 2; killed++) {
		struct vsplit_bo *bo = vsplit_bo(fd, 'A', U);
		int dmabuf = vsplit_bo_export(bo), shared;
		uint32_t syncobj = shared_syncobj(&shared);
		/* in the second round this process keeps it */
		int file = vsplit_adapter_open(ad);
		pid_t pid = vsplit_fork();

		if (!pid) {
			int f = killed ? file : vsplit_adapter_open(ad);
			struct vsplit_cs *cs = buffer_of(f, shared);

			vsplit_cs_bind(cs, 0, vsplit_bo_import(f, 'A', dmabuf));
			spins(cs, 30, 10000);
			vsplit_cs_set(cs, 0, 0, 64, 0x11111111 * (killed + 1));
			vsplit_cs_submit(cs, vsplit_ctx(f, 0), 0);
			while (killed)
				pause();
			_exit(0);
		}
		igt_assert(vsplit_soon(has_fence(syncobj)));
		if (killed)
			kill_it(pid);
		else
			igt_assert_eq(vsplit_reap(pid), 0);
		igt_assert_f(vsplit_soon(vsplit_syncobj_status(fd, syncobj)), "it does not end\n");
		igt_assert_eq(vsplit_syncobj_status(fd, syncobj), 1);
		memset(bo->shadow, 0x11 * (killed + 1), 64);
		vsplit_bo_check(bo);
		close(dmabuf);
		close(shared);
	}
}

/**
 * SUBTEST: killed-client-s-paging-runs
 * Description: The paging of what is cancelled happens: an allocation that two files have
 *   is where its program put it, with its bytes.
 */
static void test_killed_paging(void)
{
	struct vsplit_adapter_opts opts = options(true, 1);
	struct vsplit_bo *bo;
	uint32_t syncobj;
	int dmabuf, shared;
	pid_t pid;

	setup(&opts);
	bo = vsplit_bo(fd, 'A', 16 * U);
	vsplit_bo_pattern(bo, 7);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, bo->handle, 0);
	dmabuf = vsplit_bo_export(bo);
	syncobj = shared_syncobj(&shared);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	pid = vsplit_fork();
	if (!pid) {
		int f = vsplit_adapter_open(ad);
		struct vsplit_cs *cs = buffer_of(f, shared);

		vsplit_cs_bind(cs, 0, vsplit_bo_import(f, 'A', dmabuf));
		vsplit_cs_set(cs, 0, 0, 64, 0x33333333);
		vsplit_cs_submit(cs, vsplit_ctx(f, 0), VSPLIT_SUBMIT_FORCE_SPLIT);
		for (;;)
			pause();
	}
	igt_assert(vsplit_soon(has_fence(syncobj)));
	kill_it(pid);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert(vsplit_soon(ended_with(syncobj, -ECANCELED)));
	vsplit_bo_check(bo);
	engine_is_free();
	close(dmabuf);
	close(shared);
}

/* A buffer that uses @bo on an engine that takes nothing: so @bo is busy. */
static struct vsplit_cs *make_busy(struct vsplit_bo **bos, unsigned int n, unsigned int engine)
{
	struct vsplit_cs *cs = vsplit_cs(fd);

	for (unsigned int i = 0; i < n; i++) {
		vsplit_cs_bind(cs, 0, bos[i]);
		vsplit_cs_set(cs, 0, 0, 64, 0x01010101 * (i + 1));
	}
	vsplit_cs_submit(cs, vsplit_ctx_on(fd, 0, engine), 0);
	igt_assert(vsplit_syncobj_busy(fd, cs->out));
	return cs;
}

/**
 * SUBTEST: cpu-read-of-idle-beside-busy-eviction
 * Description: The eviction of an allocation that an engine uses holds up no paging of
 *   others: another client's idle allocation is evicted, read by the CPU and paged in
 *   meanwhile, with an engine for paging and without.
 */
static void test_idle_beside_busy(void)
{
	for (unsigned int own = 0; own < 2; own++) {
		struct vsplit_adapter_opts opts = options(own, 2);
		struct vsplit_bo *busy, *idle;
		struct vsplit_cs *cs, *after;
		int other;
		pid_t pid;

		setup(&opts);
		other = vsplit_adapter_open(ad);
		busy = vsplit_bo(fd, 'A', 4 * U);
		idle = vsplit_bo(other, 'B', 4 * U);
		vsplit_bo_pattern(idle, own);
		vsplit_escape(other, VSPLIT_ESCAPE_PAGE_IN, idle->handle, 1);
		/* paging without an engine of its own is on engine 0 */
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 1);
		cs = make_busy(&busy, 1, 1);
		vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, busy->handle, 0);
		vsplit_escape(other, VSPLIT_ESCAPE_EVICT, idle->handle, 0);

		pid = vsplit_fork();
		if (!pid) {
			vsplit_bo_check(idle);
			_exit(0);
		}
		igt_assert_f(vsplit_soon(waitpid(pid, NULL, WNOHANG) == pid),
			     "the CPU waits for another client's program\n");
		after = vsplit_cs(other);
		vsplit_cs_bind(after, 0, idle);
		vsplit_cs_set(after, 0, 64, 64, 0x77777777);
		vsplit_cs_submit(after, vsplit_ctx_on(other, 0, 0), 0);
		igt_assert_f(vsplit_soon(!vsplit_syncobj_busy(other, after->out)),
			     "a program waits for another client's\n");
		igt_assert(vsplit_syncobj_busy(fd, cs->out));
		vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 1);
		vsplit_cs_wait(cs);
		vsplit_cs_reference(cs, 0);
		vsplit_cs_reference(after, 0);
		vsplit_cs_check(cs);
		vsplit_cs_check(after);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: next-owner-waits-for-all-before-it
 * Description: What takes the place of many busy allocations that leave waits for all of
 *   them, however many they are, and for nothing else; so does what moves twice.
 */
static void test_next_owner(void)
{
	enum { N = 48 };

	for (unsigned int own = 0; own < 2; own++) {
		struct vsplit_adapter_opts opts = options(own, 2);
		struct vsplit_bo *small[N], *large;
		struct vsplit_cs *busy, *next;

		setup(&opts);
		large = vsplit_bo(fd, 'Z', 250 * U);
		for (unsigned int i = 0; i < N; i++)
			small[i] = vsplit_bo(fd, 'A' + i % 24, 5 * U);
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 1);
		busy = make_busy(small, N, 1);
		next = vsplit_cs(fd);
		vsplit_cs_bind(next, 0, large);
		vsplit_cs_set(next, 0, 0, 250 * U, 0x42424242);
		vsplit_cs_submit(next, vsplit_ctx_on(fd, 0, 0), 0);
		igt_assert_eq(vsplit_bo_resident(small[0]), false);
		for (unsigned int i = 0; i < 2; i++) {
			vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, large->handle, 0);
			vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, large->handle, 1);
		}
		usleep(50000);
		igt_assert(vsplit_syncobj_busy(fd, busy->out));
		igt_assert_f(vsplit_syncobj_busy(fd, next->out), "it did not wait\n");
		vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 1);
		vsplit_cs_wait(next);
		vsplit_cs_wait(busy);
		vsplit_cs_reference(busy, 0);
		vsplit_cs_reference(next, 0);
		vsplit_cs_check(busy);
		vsplit_cs_check(next);
		vsplit_cleanup();
	}
}

/* An adapter that says where its engines switch contexts. */
static void setup_preemption(const char *preemption, unsigned int engines, unsigned int timeout_ms)
{
	struct vsplit_adapter_opts opts = options(true, engines);

	opts.preemption = preemption;
	opts.timeout_ms = timeout_ms;
	opts.model_clock = true;
	setup(&opts);
}

/* A buffer of @n spins of 10 ms with a byte pattern at its end. */
static struct vsplit_cs *build_long(int file, char name, unsigned int n)
{
	struct vsplit_cs *cs = vsplit_cs(file);

	vsplit_cs_bind(cs, 0, vsplit_bo(file, name, U));
	spins(cs, n, 10000);
	vsplit_cs_set(cs, 0, 0, 64, 0x01010101 * (n & 0xff));
	return cs;
}

/* What it needs is there, so the engine executes it, or is about to. */
static bool begun(struct vsplit_cs *cs)
{
	struct vsplit_record *rec = vsplit_record(cs->fd, cs->ctx, cs->submission);

	igt_assert(rec->events[0].type != VSPLIT_EVENT_PORTION);
	return rec->events[0].t1_ns;
}

/**
 * SUBTEST: alone-as-long-as-it-likes
 * Description: A program that makes progress may run for many times the timeout, while
 *   no other client waits for its engine: its own contexts don't count, nor does what
 *   waits for something else.
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
		/* another client's job that waits for another engine */
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

/* A program that holds up another client's for longer than the timeout: lost. */
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
 * Description: Without preemption, and with it at split points that do not come, a program
 *   that makes progress has the timeout of RUN time while another client's is ready;
 *   then it is lost as one that hangs, and the engine is the other's.
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
 * Description: The same for a client that waits for the program itself, on another
 *   engine: directly, through another client's program, because its memory is to be
 *   had only when the program is done, or for a point of a timeline.
 */
static void test_bounded_through(void)
{
	for (unsigned int round = 0; round < 8; round++) {
		const char *mode = round & 1 ? "packet" : "none";
		struct vsplit_cs *attacker, *between, *victim;
		struct vsplit_bo *bo, *mine;
		int other, third, dmabuf, shared;
		uint32_t line, theirs;

		setup_preemption(mode, 3, 200);
		other = vsplit_adapter_open(ad);
		third = vsplit_adapter_open(ad);
		bo = vsplit_bo(fd, 'A', 200 * U);
		dmabuf = vsplit_bo_export(bo);
		line = shared_syncobj(&shared);
		attacker = vsplit_cs(fd);
		vsplit_cs_bind(attacker, 0, bo);
		spins(attacker, 60000, 10000);
		vsplit_cs_signal(attacker, line, 1);
		vsplit_cs_submit(attacker, vsplit_ctx(fd, 0), 0);
		igt_assert(vsplit_soon(begun(attacker)));
		victim = vsplit_cs(other);
		if (round < 2) {
			mine = vsplit_bo_import(other, 'A', dmabuf);
		} else if (round < 4) {
			between = vsplit_cs(third);
			vsplit_cs_bind(between, 0, vsplit_bo_import(third, 'A', dmabuf));
			vsplit_cs_set(between, 0, 0, 64, 0x22222222);
			vsplit_cs_submit(between, vsplit_ctx_on(third, 0, 2), 0);
			mine = vsplit_bo_import(other, 'A', dmabuf);
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
		close(dmabuf);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: packet-preemption-by-time-slice
 * Description: An engine that switches between packets gives way to another client's
 *   program in the middle of a portion, and both end well, long ones, too: rows and
 *   state are what they were.
 */
static void test_packets(void)
{
	struct drm_vsplit_adapter_info info;
	struct vsplit_cs *cs[3], *quick;
	struct vsplit_record *rec, *slow;
	int files[4];

	setup_preemption("packet", 1, 200);
	vsplit_query_adapter(fd, &info);
	igt_assert(info.caps & VSPLIT_CAP_PACKET_PREEMPTION);
	for (unsigned int i = 0; i < 4; i++)
		files[i] = vsplit_adapter_open(ad);
	for (unsigned int i = 0; i < 3; i++) {
		cs[i] = vsplit_cs(files[i]);
		vsplit_cs_bind(cs[i], 3, vsplit_bo(files[i], 'A' + i, 4 * U));
		for (unsigned int k = 0; k < 64; k++) {
			vsplit_cs_state(cs[i], VSPLIT_STATE_FILL, 0x1000000 * (i + 1) + k);
			vsplit_cs_spin(cs[i], 7000);
			vsplit_cs_fill(cs[i], 3, 64 * k, 64);
		}
		vsplit_cs_submit(cs[i], vsplit_ctx(files[i], 0), 0);
	}
	igt_assert(vsplit_soon(begun(cs[2])));
	quick = build_long(files[3], 'Q', 1);
	vsplit_cs_submit(quick, vsplit_ctx(files[3], 0), 0);
	vsplit_cs_ends_well(quick);
	for (unsigned int i = 0; i < 3; i++)
		vsplit_cs_ends_well(cs[i]);
	rec = vsplit_record(files[3], quick->ctx, quick->submission);
	slow = vsplit_record(files[0], cs[0]->ctx, cs[0]->submission);
	igt_assert_eq(slow->info.num_portions, 1);
	igt_assert(vsplit_portion(slow, 0)->t0_ns < vsplit_portion(rec, 0)->t0_ns);
	igt_assert(vsplit_portion(rec, 0)->t1_ns < vsplit_portion(slow, 0)->t1_ns);
}

/* How long 12 programs of 10 ms take beside one context of another client, or sixteen. */
static uint64_t beside_contexts(const void *how, bool sixteen)
{
	struct vsplit_cs *cs;
	uint64_t first = 0, last;
	uint32_t syncobj, ctx;
	int other, shared;

	setup_preemption("packet", 1, 5000);
	other = vsplit_adapter_open(ad);
	ctx = vsplit_ctx(fd, 0);
	cs = build_long(fd, 'V', 1);
	syncobj = shared_syncobj(&shared);
	for (unsigned int i = 0; i < (sixteen ? 16 : 1); i++) {
		struct vsplit_cs *busy = buffer_of(other, shared);

		spins(busy, 6000, 10000);
		vsplit_cs_submit(busy, vsplit_ctx(other, 0), 0);
	}
	igt_assert(has_fence(syncobj));
	for (unsigned int i = 0; i < 12; i++) {
		vsplit_cs_submit_and_wait(cs, ctx, 0);
		vsplit_cs_reference(cs, 0);
		first = first ?: vsplit_cs_portion(cs)->t0_ns;
		last = vsplit_cs_portion(cs)->t1_ns;
	}
	igt_assert_eq(vsplit_syncobj_status(fd, syncobj), 0);
	close(shared);
	return last - first;
}

/**
 * SUBTEST: many-contexts-are-one-client
 * Description: Beside a client with many busy contexts another one's programs make at
 *   least half the progress that they make beside a client with one, on the model clock.
 */
static void test_progress(void)
{
	vsplit_at_most_twice("contexts", beside_contexts, NULL);
}

/* Queue @n programs of one spin each, in a context of @file. */
static void queue_programs(int file, unsigned int n, unsigned int us, struct vsplit_cs **last)
{
	uint32_t ctx = vsplit_ctx(file, 0);

	for (unsigned int i = 0; i < n; i++) {
		*last = vsplit_cs(file);
		vsplit_cs_bind(*last, 0, vsplit_bo(file, 'A', U));
		vsplit_cs_spin(*last, us);
		vsplit_cs_set(*last, 0, 0, 64, 0x01010101);
		vsplit_cs_submit(*last, ctx, 0);
	}
}

/* The other client's take @us each; its own client has had the engine for itself for @alone before. */
struct programs {
	const char *preemption;
	unsigned int us;
	unsigned int alone;
};

/*
 * How long 200 ms of work in 40 programs take beside a client whose programs are as short, or are as
 * @how says, ns from when the engine begins.
 */
static uint64_t beside_programs(const void *how, bool as_said)
{
	const struct programs *programs = how;
	unsigned int us = as_said ? programs->us : 5000;
	struct vsplit_cs *cs, *busy;
	uint64_t begin;
	int file;

	setup_preemption(programs->preemption, 1, 60000);
	file = vsplit_adapter_open(ad);
	if (as_said && programs->alone) {
		queue_programs(file, programs->alone, 5000, &cs);
		vsplit_cs_wait(cs);
	}
	/* Both have all in the queue before the engine takes anything. */
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	queue_programs(vsplit_adapter_open(ad), SECOND_US / us, us, &busy);
	queue_programs(file, 40, 5000, &cs);
	/* What the clock of an engine that was idle says. */
	begin = vsplit_now_ns();
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	return vsplit_cs_portion(cs)->t1_ns - begin;
}

/* Beside programs of @us at most twice as long as beside programs as short as one's own. */
static void takes_no_longer(const char *preemption, unsigned int us, unsigned int alone)
{
	const struct programs how = { preemption, us, alone };

	vsplit_at_most_twice(preemption, beside_programs, &how);
}

/**
 * SUBTEST: turns-are-of-equal-time
 * Description: Beside a client whose programs are ten times as long as one's own, one's work takes
 *   no longer than twice what it takes beside a client with programs like them, wherever
 *   the engine gives way, on the model clock.
 */
static void test_equal_time(void)
{
	takes_no_longer("none", 50000, 0);
	takes_no_longer("split-point", 50000, 0);
	takes_no_longer("packet", 50000, 0);
}

/**
 * SUBTEST: time-alone-is-nothing-owed
 * Description: A client that had the engine for itself for a second shares it with one that comes
 *   from then on, and owes it no time.
 */
static void test_alone_before(void)
{
	takes_no_longer("packet", 5000, 200);
}

/* ---- paging of others ---------------------------------------------------- */

/* What one allocation's bytes take: 2 ms. */
#define PIECE (2 * U)
#define PIECE_US 2000
#define PIECES_OTHERS 64u
#define PIECES_OWN 12u

/* Pieces that one program of another client needs at once. */
#define PIECES_PORTION 8u

/* A client that is busy with programs, or some paging; one with very much: in many jobs, or in one. */
enum busy { BUSY_PLAIN, BUSY_EVICTIONS, BUSY_REQUEST };

static void setup_paging_of(const struct vsplit_adapter_opts *opts)
{
	vsplit_not_under("take_split_point,evict_between,random_placement,delay_paging",
			 "it decides what is paged, and how long that takes");
	ad = vsplit_adapter_prepare(opts);
	igt_assert_eq(__vsplit_adapter_write(ad, "model_paging_bytes_per_us", "16"), 0);
	vsplit_adapter_enable(ad);
	fd = vsplit_adapter_open(ad);
}

static void setup_paging(bool own, const char *preemption, uint64_t size, bool planned)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = size } },
		.slots = 64, .engines = 1, .timeout_ms = 60000, .paging_own = own,
		.preemption = preemption, .model_clock = true, .planned = planned, .test = true,
		.contexts = "patch,explicit",
	};

	setup_paging_of(&opts);
}

/* Engine 0 is busy for half a second with one packet, while what is to be there is queued. */
static struct vsplit_cs *keep_busy(void)
{
	int file = vsplit_adapter_open(ad);
	struct vsplit_cs *cs = vsplit_cs(file);

	vsplit_cs_spin(cs, SECOND_US / 2);
	vsplit_cs_submit(cs, vsplit_ctx(file, 0), 0);
	igt_assert(vsplit_soon(vsplit_fdinfo(file, "drm-engine-render:") > 0));
	return cs;
}

/* So many pieces in memory, none of which can be dropped; @bos: with room for them. */
static void occupy_with(int file, unsigned int n, struct vsplit_bo **bos)
{
	struct vsplit_cs *cs = vsplit_cs(file);

	for (unsigned int i = 0; i < n; i++) {
		bos[i] = vsplit_bo(file, 'A' + i % 26, PIECE);
		vsplit_cs_bind(cs, 0, bos[i]);
		vsplit_cs_set(cs, 0, 0, 64, 0x01010101 * (i + 1));
	}
	/* Not looked at: that would bring them where the CPU sees them. */
	vsplit_cs_submit_and_wait(cs, vsplit_ctx(file, 0), 0);
}

static void occupy(int file, unsigned int n)
{
	struct vsplit_bo *bos[PIECES_OTHERS];

	occupy_with(file, n, bos);
}

/* As many pieces of the file leave, by a job each. */
static struct vsplit_cs *push_out(int file, unsigned int n)
{
	struct vsplit_cs *cs = vsplit_cs(file);

	vsplit_cs_bind(cs, 0, vsplit_bo(file, 'Z', n * PIECE));
	vsplit_cs_submit(cs, vsplit_ctx(file, 0), 0);
	return cs;
}

/* Programs as long as a piece takes, all in the memory of @bo. */
static struct vsplit_cs *queue_runs(struct vsplit_bo *bo, unsigned int n)
{
	uint32_t ctx = vsplit_ctx(bo->fd, 0);
	struct vsplit_cs *cs = vsplit_cs(bo->fd);

	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_spin(cs, PIECE_US);
	while (n--)
		vsplit_cs_submit(cs, ctx, 0);
	return cs;
}

/* So many programs, @css, each of which needs @pieces of its own brought in and hardly runs. */
static void build_page_ins(int file, unsigned int n, unsigned int pieces, struct vsplit_cs **css)
{
	for (unsigned int i = 0; i < n; i++) {
		css[i] = vsplit_cs(file);
		for (unsigned int j = 0; j < pieces; j++) {
			struct vsplit_bo *bo = vsplit_bo(file, 'a' + j % 26, PIECE);

			vsplit_bo_pattern(bo, i);
			vsplit_cs_bind(css[i], j, bo);
			vsplit_cs_add(css[i], j, 0, 1);
		}
	}
}

static void queue_all(struct vsplit_cs **css, unsigned int n)
{
	uint32_t ctx = vsplit_ctx(css[0]->fd, 0);

	for (unsigned int i = 0; i < n; i++)
		vsplit_cs_submit(css[i], ctx, 0);
}

/* When the last one of the pieces that left for @cs was gone, and when the first one began to. */
static uint64_t pushed_out_ns(const struct vsplit_cs *cs, uint64_t *first)
{
	const struct vsplit_record *rec = vsplit_record(cs->fd, cs->ctx, cs->submission);
	uint64_t last = 0;

	*first = UINT64_MAX;
	for (uint32_t i = 0; i < rec->info.num_events; i++) {
		const struct drm_vsplit_event *e = &rec->events[i];

		if (e->type != VSPLIT_EVENT_EVICT || !e->t0_ns)
			continue;
		*first = min(*first, (uint64_t)e->t0_ns);
		last = max(last, (uint64_t)e->t1_ns);
	}
	igt_assert(last);
	return last;
}

/* Programs, or evictions, on an adapter with its own paging engine or not, beside one that is busy so. */
struct paging {
	bool own;
	const char *preemption;
	bool runs;
	enum busy busy;
};

/* How long PIECES_OWN of these take beside a client; all is in the queue before. */
static uint64_t beside_paging(const void *how, bool much)
{
	const struct paging *paging = how;
	enum busy busy = much ? paging->busy : BUSY_PLAIN;
	bool own = paging->own, runs = paging->runs;
	struct vsplit_cs *cs, *before, *theirs = NULL;
	struct drm_vsplit_make_resident args;
	uint32_t handles[PIECES_OTHERS];
	uint64_t begin, first, end;
	struct vsplit_bo *bos[2];
	int other;

	setup_paging(own, paging->preemption, (PIECES_OTHERS + PIECES_OWN + 1) * PIECE, false);
	other = vsplit_adapter_open(ad);
	for (unsigned int i = 0; i < 2; i++)
		bos[i] = vsplit_bo_in(i ? fd : other, 'P', U, VSPLIT_GEM_PINNED | VSPLIT_GEM_TOPDOWN,
				      NULL);
	if (busy != BUSY_REQUEST)
		occupy(other, PIECES_OTHERS);
	occupy(fd, PIECES_OWN);
	for (unsigned int i = 0; busy == BUSY_REQUEST && i < PIECES_OTHERS; i++) {
		struct vsplit_bo *bo = vsplit_bo(other, 'a' + i % 26, PIECE);

		vsplit_bo_pattern(bo, i);
		handles[i] = bo->handle;
	}
	before = own ? NULL : keep_busy();
	if (own)
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 1);
	if (busy == BUSY_REQUEST)
		igt_assert_eq(__vsplit_make_resident(other, handles, PIECES_OTHERS, 0, &args), 0);
	else if (busy == BUSY_PLAIN && runs)
		queue_runs(bos[0], PIECES_OTHERS);
	else
		theirs = push_out(other, busy == BUSY_PLAIN ? PIECES_OWN : PIECES_OTHERS);
	cs = runs ? queue_runs(bos[1], PIECES_OWN) : push_out(fd, PIECES_OWN);
	if (own)
		vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 1);
	vsplit_cs_wait(cs);
	end = runs ? vsplit_cs_portion(cs)->t1_ns : pushed_out_ns(cs, &first);
	if (before) {
		begin = vsplit_cs_portion(before)->t1_ns;
	} else {
		pushed_out_ns(theirs, &begin);
		begin = min(begin, first);
	}
	return end - begin;
}

/* Beside a client that pages very much at most twice as long as beside a plain one. */
static void paging_takes_turns(bool own, const char *preemption, bool runs)
{
	struct paging how = { own, preemption, runs, BUSY_EVICTIONS };

	vsplit_at_most_twice(preemption, beside_paging, &how);
	/* Of a request there is no record that says when a paging engine began. */
	how.busy = BUSY_REQUEST;
	if (!own)
		vsplit_at_most_twice(preemption, beside_paging, &how);
}

/**
 * SUBTEST: paging-takes-turns
 * Description: Beside a client that has five times as much paging queued, in jobs of its own or in
 *   one, one's evictions take no longer than twice what they take beside a client that has as
 *   much as oneself, on a paging engine and where engines page themselves, on the model clock.
 */
static void test_paging_turns(void)
{
	paging_takes_turns(true, "none", false);
	paging_takes_turns(false, "none", false);
}

/**
 * SUBTEST: paging-takes-turns-with-programs
 * Description: Where engines page themselves, programs take beside a client that has much paging
 *   queued no longer than twice what they take beside one with as long programs, wherever the
 *   engine gives way.
 */
static void test_paging_beside_programs(void)
{
	paging_takes_turns(false, "none", true);
	paging_takes_turns(false, "split-point", true);
	paging_takes_turns(false, "packet", true);
}

/* What was paged for programs from @first to @end, ns. */
static uint64_t paged_between(struct vsplit_cs **css, unsigned int n, uint64_t first, uint64_t end)
{
	uint64_t ns = 0;

	for (unsigned int i = 0; i < n; i++) {
		const struct vsplit_record *rec;

		vsplit_cs_wait(css[i]);
		rec = vsplit_record(css[i]->fd, css[i]->ctx, css[i]->submission);
		for (uint32_t j = 0; j < rec->info.num_events; j++) {
			const struct drm_vsplit_event *e = &rec->events[j];

			if (e->type == VSPLIT_EVENT_PAGE_IN && e->t0_ns >= first && e->t0_ns < end)
				ns += e->t1_ns - e->t0_ns;
		}
	}
	return ns;
}

/**
 * SUBTEST: portions-page-in-turns
 * Description: While one's evictions are executed, a paging engine spends no more than twice as
 *   much time on the portions of another client's programs, however much these need at once.
 */
static void test_portions(void)
{
	const unsigned int n = PIECES_OTHERS / PIECES_PORTION;
	struct vsplit_cs *theirs[PIECES_OTHERS], *cs;
	uint64_t first, end, ns;

	setup_paging(true, "packet", (PIECES_OTHERS + PIECES_OWN) * PIECE, false);
	occupy(fd, PIECES_OWN);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 1);
	build_page_ins(vsplit_adapter_open(ad), n, PIECES_PORTION, theirs);
	queue_all(theirs, n);
	cs = push_out(fd, PIECES_OWN);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 1);
	vsplit_cs_wait(cs);
	end = pushed_out_ns(cs, &first);
	ns = paged_between(theirs, n, first, end);
	igt_info("%" PRIu64 " us beside %u us\n", ns / 1000, PIECES_OWN * PIECE_US);
	igt_assert(ns <= 2000ull * PIECES_OWN * PIECE_US);
}

/* A program that needs a locked piece again, which leaves before. */
static struct vsplit_cs *back_again(struct vsplit_bo *bo)
{
	struct vsplit_cs *cs = vsplit_cs(bo->fd);

	vsplit_unlock(bo);
	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, 64, 0x02020202);
	vsplit_cs_submit(cs, vsplit_ctx(bo->fd, 0), 0);
	return cs;
}

/**
 * SUBTEST: what-locks-move-takes-turns
 * Description: What a client locks leaves memory that the CPU does not see before all has left that
 *   another one has locked earlier, which is five times as much.
 */
static void test_locks(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = (PIECES_OTHERS + PIECES_OWN + 1) * PIECE, .cpu = "none" } },
		.slots = 64, .engines = 1, .timeout_ms = 60000, .paging_own = true,
		.model_clock = true, .test = true,
	};
	struct vsplit_bo *theirs[PIECES_OTHERS], *own[PIECES_OWN];
	struct vsplit_cs *cs[2];
	int other;

	setup_paging_of(&opts);
	other = vsplit_adapter_open(ad);
	occupy_with(other, PIECES_OTHERS, theirs);
	occupy_with(fd, PIECES_OWN, own);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 1);
	for (unsigned int i = 0; i < PIECES_OTHERS; i++)
		vsplit_lock(theirs[i], 0);
	cs[0] = back_again(theirs[PIECES_OTHERS - 1]);
	for (unsigned int i = 0; i < PIECES_OWN; i++)
		vsplit_lock(own[i], 0);
	cs[1] = back_again(own[PIECES_OWN - 1]);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 1);
	for (unsigned int i = 0; i < 2; i++)
		vsplit_cs_wait(cs[i]);
	igt_assert(vsplit_cs_portion(cs[1])->t0_ns < vsplit_cs_portion(cs[0])->t0_ns);
}

/**
 * SUBTEST: what-is-evicted-is-paged-for-its-client
 * Description: What leaves by EVICT is in the fdinfo of the file that asked for it.
 */
static void test_evict_counts(void)
{
	struct vsplit_cs *cs;
	struct vsplit_bo *bo;
	uint64_t before;

	setup_paging(true, "packet", 4 * PIECE, false);
	bo = vsplit_bo(fd, 'E', PIECE);
	vsplit_require(bo);
	/* With new bytes it is not dropped. */
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, 64, 0x01010101);
	vsplit_cs_run(cs, vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_EXPLICIT, 0), 0);
	before = vsplit_fdinfo(fd, "drm-engine-paging:");
	igt_assert_eq(__vsplit_evict(fd, &bo->handle, 1, 0), 0);
	igt_assert(vsplit_soon(vsplit_fdinfo(fd, "drm-engine-paging:") > before));
}

/* How long programs with paging take beside as many in one context, or in one each. */
static uint64_t beside_ahead(const void *how, bool each)
{
	struct vsplit_cs *css[PIECES_OTHERS + PIECES_OWN], *cs;
	uint32_t ctx, theirs;
	uint64_t begin;
	int other;

	setup_paging(true, "packet", 2 * (PIECES_OTHERS + PIECES_OWN) * PIECE, true);
	other = vsplit_adapter_open(ad);
	ctx = vsplit_ctx(fd, 0);
	theirs = vsplit_ctx(other, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(css); i++) {
		int file = i < PIECES_OTHERS ? other : fd;
		struct vsplit_bo *bo = vsplit_bo(file, 'A' + i % 26, PIECE);

		vsplit_bo_pattern(bo, i);
		css[i] = vsplit_cs(file);
		vsplit_cs_bind(css[i], 0, bo);
		vsplit_cs_add(css[i], 0, 0, 1);
	}
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(css); i++)
		vsplit_cs_submit(css[i], i >= PIECES_OTHERS ? ctx :
				 each ? vsplit_ctx(other, 0) : theirs, 0);
	cs = css[ARRAY_SIZE(css) - 1];
	begin = vsplit_now_ns();
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	return vsplit_cs_portion(cs)->t1_ns - begin;
}

/**
 * SUBTEST: many-contexts-page-ahead-as-one
 * Description: Programs whose paging is executed ahead take beside a client with as many contexts
 *   as programs no longer than twice what they take beside one with a single context.
 */
static void test_paging_ahead(void)
{
	vsplit_at_most_twice("ahead", beside_ahead, NULL);
}

/* Programs that wait for paging and begin before programs of one's own without any are done. */
static unsigned int begun_beside(bool ahead, const char *preemption)
{
	struct vsplit_cs *theirs[PIECES_OTHERS], *cs;
	unsigned int begun = 0;
	struct vsplit_bo *bo;
	uint64_t end;

	setup_paging(true, preemption, 2 * (PIECES_OTHERS + PIECES_OWN) * PIECE, ahead);
	bo = vsplit_bo_in(fd, 'P', U, VSPLIT_GEM_PINNED | VSPLIT_GEM_TOPDOWN, NULL);
	build_page_ins(vsplit_adapter_open(ad), PIECES_OTHERS, 1, theirs);
	/* The scheduler would hand over what was queued first, as fast as the engine takes it. */
	keep_busy();
	queue_all(theirs, PIECES_OTHERS);
	cs = queue_runs(bo, PIECES_OWN);
	vsplit_cs_wait(cs);
	end = vsplit_cs_portion(cs)->t1_ns;
	for (unsigned int i = 0; i < PIECES_OTHERS; i++) {
		vsplit_cs_wait(theirs[i]);
		begun += vsplit_cs_portion(theirs[i])->t0_ns < end;
	}
	vsplit_cleanup();
	return begun;
}

/**
 * SUBTEST: waiting-for-paging-is-time-used
 * Description: Beside a client whose programs hold the engine while a paging engine pages for them,
 *   in turn or ahead, one's programs, each as long as that, are done before twice as many of
 *   those have begun, wherever the engine gives way.
 */
static void test_waiting(void)
{
	static const char * const modes[] = { "none", "split-point", "packet" };

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(modes); i++) {
		unsigned int begun = PIECES_OTHERS;

		/* A host that is slow has not queued all while the engine is busy. */
		for (unsigned int tries = 0; tries < 5 && begun > 2 * PIECES_OWN; tries++) {
			begun = begun_beside(i % 2, modes[i / 2]);
			igt_info("%s%s: %u beside %u\n", modes[i / 2], i % 2 ? ", ahead" : "", begun,
				 PIECES_OWN);
		}
		igt_assert(begun <= 2 * PIECES_OWN);
	}
}

/* What one of these takes: half a second. */
#define HUGE_PIECE (512 * U)
#define HUGE_PIECES 4u

/**
 * SUBTEST: waiting-for-paging-is-no-hang
 * Description: A program whose paging waits for other clients', for many times the timeout and
 *   longer than the watchdog has patience with one that gets no processor, is no hang.
 */
static void test_waiting_is_no_hang(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 4 * HUGE_PIECES * HUGE_PIECE } },
		.slots = 64, .engines = 1, .timeout_ms = 10, .paging_own = true,
		.model_clock = true, .test = true, .contexts = "patch,explicit",
	};
	struct drm_vsplit_make_resident args;
	uint32_t handles[HUGE_PIECES];
	struct vsplit_cs *cs;
	int other;

	setup_paging_of(&opts);
	other = vsplit_adapter_open(ad);
	cs = vsplit_cs(fd);
	for (unsigned int i = 0; i < HUGE_PIECES; i++) {
		struct vsplit_bo *bo = vsplit_bo(other, 'a' + i, HUGE_PIECE);

		vsplit_bo_pattern(bo, i);
		handles[i] = bo->handle;
		bo = vsplit_bo(fd, 'A' + i, HUGE_PIECE);
		vsplit_bo_pattern(bo, i);
		vsplit_cs_bind(cs, i, bo);
		vsplit_cs_add(cs, i, 0, 1);
	}
	igt_assert_eq(__vsplit_make_resident(other, handles, HUGE_PIECES, 0, &args), 0);
	vsplit_cs_submit(cs, vsplit_ctx(fd, 0), 0);
	vsplit_cs_ends_well(cs);
}

/**
 * SUBTEST: fdinfo-counts-what-runs
 * Description: The time on the engines in fdinfo rises while a client's only program is
 *   running, never falls, and in the end is that of its records; there are capacities.
 */
static void test_fdinfo(void)
{
	static const char * const modes[] = { "none", "packet" };

	for (unsigned int mode = 0; mode < ARRAY_SIZE(modes); mode++) {
		uint64_t before, last;
		struct vsplit_cs *cs;

		setup_preemption(modes[mode], 2, 5000);
		igt_assert_eq_u64(vsplit_fdinfo(fd, "drm-engine-capacity-render:"), 2);
		cs = build_long(fd, 'A', 200);
		vsplit_cs_submit(cs, vsplit_ctx(fd, 0), 0);
		igt_assert(vsplit_soon(vsplit_fdinfo(fd, "drm-engine-render:") > 0));
		before = vsplit_fdinfo(fd, "drm-engine-render:");
		igt_assert(vsplit_soon(vsplit_fdinfo(fd, "drm-engine-render:") > before));
		igt_assert_f(vsplit_syncobj_busy(fd, cs->out), "it is counted at its end alone\n");
		for (last = before; vsplit_syncobj_busy(fd, cs->out); last = before) {
			before = vsplit_fdinfo(fd, "drm-engine-render:");
			igt_assert(before >= last);
		}
		vsplit_cs_ends_well(cs);
		igt_assert(vsplit_soon(vsplit_fdinfo(fd, "drm-engine-render:") >= 200 * 10000000ull));
		vsplit_cleanup();
	}
}

static const struct vsplit_subtest tests[] = {
	{ "killed-client-ends", test_killed, "SIGKILL ends its work" },
	{ "closed-client-s-work-runs", test_closed, "Closing a file does not" },
	{ "killed-client-s-paging-runs", test_killed_paging, "Its paging is done" },
	{ "cpu-read-of-idle-beside-busy-eviction", test_idle_beside_busy, "No head of line" },
	{ "next-owner-waits-for-all-before-it", test_next_owner, "Ordered by fences" },
	{ "alone-as-long-as-it-likes", test_alone, "Alone there is no limit" },
	{ "engine-without-preemption-is-bounded", test_bounded, "Others wait for a bounded time" },
	{ "waiting-through-a-dependency-is-bounded", test_bounded_through, "On other engines, too" },
	{ "packet-preemption-by-time-slice", test_packets, "Switching between packets" },
	{ "many-contexts-are-one-client", test_progress, "Turns are clients'" },
	{ "turns-are-of-equal-time", test_equal_time, "Long programs have fewer turns" },
	{ "time-alone-is-nothing-owed", test_alone_before, "From when others come" },
	{ "paging-takes-turns", test_paging_turns, "Clients page in turns" },
	{ "paging-takes-turns-with-programs", test_paging_beside_programs, "And beside programs" },
	{ "many-contexts-page-ahead-as-one", test_paging_ahead, "Ahead, too" },
	{ "portions-page-in-turns", test_portions, "And for programs" },
	{ "what-locks-move-takes-turns", test_locks, "By lock, too" },
	{ "what-is-evicted-is-paged-for-its-client", test_evict_counts, "And by EVICT" },
	{ "waiting-for-paging-is-time-used", test_waiting, "It holds the engine" },
	{ "waiting-for-paging-is-no-hang", test_waiting_is_no_hang, "However long it is" },
	{ "fdinfo-counts-what-runs", test_fdinfo, "What runs is counted" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
