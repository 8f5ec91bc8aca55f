// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit share
 * Description: How much a client's work slows down others: engines are shared, paging is not
 *   blocked by the first job in line, and work of a killed client ends. Programs that others wait
 *   for are tested by vsplit_hangs, turns of paging by vsplit_paging.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: sharing of engines
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_engine.h"

#include <signal.h>
#include <sys/wait.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("How much a client's work slows down others: engines are shared, paging is "
		     "not blocked by the first job in line, and work of a killed client ends.");

#define SECOND_US 1000000u

/*
 * A buffer on another file, which signals the syncobj behind @shared, so that all files see its
 * fence.
 */
static struct vsplit_cs *buffer_of(int file, int shared)
{
	struct vsplit_cs *cs = vsplit_cs(file);
	uint32_t handle;

	igt_assert_eq(drmSyncobjFDToHandle(file, shared, &handle), 0);
	vsplit_cs_signal(cs, handle, 0);
	return cs;
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

/* Checks that work of this process on the same engine ends. */
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

/* Submits more than a quarter of an hour of work on @file, and waits to be killed. */
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
 * Description: A client with the last reference to its file is killed. Its running work ends at the
 *   next packet, with -ECANCELED, and the engine is free. Its work that is still queued, in several
 *   contexts, ends as well.
 */
static void test_killed(void)
{
	struct vsplit_adapter_opts opts = engine_opts(true, 1);
	uint32_t syncobj;
	int shared;
	pid_t pid;

	setup_engines(&opts);
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
 * Description: Work of a client that exits, or that is killed while another process has the file as
 *   well, is executed to the end.
 */
static void test_closed(void)
{
	struct vsplit_adapter_opts opts = engine_opts(true, 1);

	setup_engines(&opts);
	for (unsigned int killed = 0; killed < 2; killed++) {
		struct vsplit_bo *bo = vsplit_bo(fd, 'A', U);
		int shared;
		uint32_t syncobj = shared_syncobj(&shared);
		/* In the second round this process keeps the file. */
		int file = vsplit_adapter_open(ad);
		pid_t pid = vsplit_fork();

		if (!pid) {
			int f = killed ? file : vsplit_adapter_open(ad);
			struct vsplit_cs *cs = buffer_of(f, shared);

			vsplit_cs_bind(cs, 0, vsplit_bo_share(f, 'A', bo));
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
		close(shared);
	}
}

/**
 * SUBTEST: killed-client-s-paging-runs
 * Description: The paging of cancelled work is still done: an allocation of two files is where the
 *   program put it, with its bytes.
 */
static void test_killed_paging(void)
{
	struct vsplit_adapter_opts opts = engine_opts(true, 1);
	struct vsplit_bo *bo;
	uint32_t syncobj;
	int shared;
	pid_t pid;

	setup_engines(&opts);
	bo = vsplit_bo(fd, 'A', 16 * U);
	vsplit_bo_pattern(bo, 7);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, bo->handle, 0);
	syncobj = shared_syncobj(&shared);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	pid = vsplit_fork();
	if (!pid) {
		int f = vsplit_adapter_open(ad);
		struct vsplit_cs *cs = buffer_of(f, shared);

		vsplit_cs_bind(cs, 0, vsplit_bo_share(f, 'A', bo));
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
	close(shared);
}

/* A buffer that uses @bos on an engine that takes nothing, so that they are busy. */
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
 * Description: The eviction of an allocation that an engine uses holds up no paging of others.
 *   Another client's idle allocation is evicted, read by the CPU and paged in meanwhile, with and
 *   without a paging engine.
 */
static void test_idle_beside_busy(void)
{
	for (unsigned int own = 0; own < 2; own++) {
		struct vsplit_adapter_opts opts = engine_opts(own, 2);
		struct vsplit_bo *busy, *idle;
		struct vsplit_cs *cs, *after;
		int other;
		pid_t pid;

		setup_engines(&opts);
		other = vsplit_adapter_open(ad);
		busy = vsplit_bo(fd, 'A', 4 * U);
		idle = vsplit_bo(other, 'B', 4 * U);
		vsplit_bo_pattern(idle, own);
		vsplit_escape(other, VSPLIT_ESCAPE_PAGE_IN, idle->handle, 1);
		/* Without a paging engine, engine 0 pages. */
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
 * Description: An allocation that takes the place of many busy ones waits for all of them, however
 *   many there are, and for nothing else. So does one that moves twice.
 */
static void test_next_owner(void)
{
	enum { N = 48 };

	for (unsigned int own = 0; own < 2; own++) {
		struct vsplit_adapter_opts opts = engine_opts(own, 2);
		struct vsplit_bo *small[N], *large;
		struct vsplit_cs *busy, *next;

		setup_engines(&opts);
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

/**
 * SUBTEST: packet-preemption-by-time-slice
 * Description: An engine that switches between packets gives way to another client's program in the
 *   middle of a portion. Both programs end well, even long ones: their rows and their state are
 *   preserved.
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

/* The time of 12 programs of 10 ms beside another client with one context, or with sixteen. */
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
 * SUBTEST: done-beside-what-began-before
 * Description: A client's finished submissions are freed, however long another client's program
 *   goes on that began before them. Otherwise the client would have to wait for that program when
 *   it submits.
 */
static void test_done(void)
{
	struct vsplit_cs *cs;
	volatile uint32_t *runs;
	uint32_t syncobj;
	int shared;
	pid_t pid;

	setup_preemption("packet", 1, 200);
	runs = mmap(NULL, sizeof(*runs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(runs != MAP_FAILED);
	syncobj = shared_syncobj(&shared);
	pid = vsplit_fork();
	if (!pid) {
		int f = vsplit_adapter_open(ad);

		cs = buffer_of(f, shared);
		spins(cs, 60000, 1000);
		vsplit_cs_submit(cs, vsplit_ctx(f, 0), 0);
		*runs = vsplit_soon(vsplit_fdinfo(f, "drm-engine-render:"));
		for (;;)
			pause();
	}
	igt_assert(vsplit_soon(*runs));
	cs = vsplit_cs(fd);
	vsplit_cs_nop(cs, VSPLIT_PACKET_MAX_BYTES);
	vsplit_cs_submit_and_wait(cs, vsplit_ctx(fd, 0), 0);
	igt_assert_f(vsplit_soon(!vsplit_fdinfo(fd, "vsplit-unfinished-memory:")),
		     "%" PRIu64 " KiB are not freed\n",
		     vsplit_fdinfo(fd, "vsplit-unfinished-memory:"));
	igt_assert_eq(vsplit_syncobj_status(fd, syncobj), 0);
	kill_it(pid);
	munmap((void *)runs, sizeof(*runs));
	close(shared);
}

/**
 * SUBTEST: many-contexts-are-one-client
 * Description: A client's programs beside another client with many busy contexts make at least half
 *   the progress that they make beside a client with one context, on the model clock.
 */
static void test_progress(void)
{
	vsplit_at_most_twice("contexts", beside_contexts, NULL);
}

/* Queues @n programs of one spin each, in a context of @file. */
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

/*
 * The other client's programs, of @us each; and the number of the client's own programs, @alone,
 * that ran before those came.
 */
struct programs {
	const char *preemption;
	unsigned int us;
	unsigned int alone;
};

/*
 * The time in ns, from when the engine begins, of 200 ms of work in 40 programs, beside a client
 * with programs of the same length, or beside @how.
 */
static uint64_t beside_programs(const void *how, bool not_plain)
{
	const struct programs *programs = how;
	unsigned int us = not_plain ? programs->us : 5000;
	struct vsplit_cs *cs, *busy;
	uint64_t begin;
	int file;

	setup_preemption(programs->preemption, 1, 60000);
	file = vsplit_adapter_open(ad);
	if (not_plain && programs->alone) {
		queue_programs(file, programs->alone, 5000, &cs);
		vsplit_cs_wait(cs);
	}
	/* Both clients have queued everything before the engine takes anything. */
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	queue_programs(vsplit_adapter_open(ad), SECOND_US / us, us, &busy);
	queue_programs(file, 40, 5000, &cs);
	/* An idle engine's clock says this time. */
	begin = vsplit_now_ns();
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	return vsplit_cs_portion(cs)->t1_ns - begin;
}

/* Asserts that the time beside programs of @us is at most twice that beside equally short ones. */
static void takes_no_longer(const char *preemption, unsigned int us, unsigned int alone)
{
	const struct programs how = { preemption, us, alone };

	vsplit_at_most_twice(preemption, beside_programs, &how);
}

/**
 * SUBTEST: turns-are-of-equal-time
 * Description: A client's work beside another client whose programs are ten times as long takes at
 *   most twice as long as beside a client with programs of the same length, with each kind of
 *   preemption, on the model clock.
 */
static void test_equal_time(void)
{
	takes_no_longer("none", 50000, 0);
	takes_no_longer("split-point", 50000, 0);
	takes_no_longer("packet", 50000, 0);
}

/**
 * SUBTEST: time-alone-is-nothing-owed
 * Description: A client had the engine to itself for a second. When another client comes, they
 *   share the engine from then on, and the first client owes it no time.
 */
static void test_alone_before(void)
{
	takes_no_longer("packet", 5000, 200);
}

/**
 * SUBTEST: fdinfo-counts-what-runs
 * Description: The engine time in fdinfo rises while a client's only program is running, and never
 *   falls. In the end it equals the time in the records. fdinfo also has capacities.
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
	{ "killed-client-ends", test_killed,
	  "A killed client's running work ends at the next packet with -ECANCELED, and so does its "
	  "queued work" },
	{ "closed-client-s-work-runs", test_closed,
	  "Work of a client that exits, or that is killed while another process has the file as "
	  "well, is executed to the end" },
	{ "killed-client-s-paging-runs", test_killed_paging,
	  "The paging of cancelled work is still done: an allocation of two files is where the "
	  "program put it, with its bytes" },
	{ "cpu-read-of-idle-beside-busy-eviction", test_idle_beside_busy,
	  "The eviction of an allocation that an engine uses holds up no paging of others" },
	{ "next-owner-waits-for-all-before-it", test_next_owner,
	  "An allocation that takes the place of many busy ones waits for all of them, however "
	  "many there are, and for nothing else. So does one that moves twice." },
	{ "packet-preemption-by-time-slice", test_packets,
	  "An engine that switches between packets gives way in the middle of a portion, whose "
	  "rows and state are preserved" },
	{ "done-beside-what-began-before", test_done,
	  "A client's finished submissions are freed, however long another client's program goes "
	  "on that began before them" },
	{ "many-contexts-are-one-client", test_progress,
	  "Beside a client with many busy contexts a client makes at least half of the progress as "
	  "beside one context" },
	{ "turns-are-of-equal-time", test_equal_time,
	  "Beside programs that are ten times as long a client's work takes at most twice as "
	  "long" },
	{ "time-alone-is-nothing-owed", test_alone_before,
	  "A client had the engine to itself for a second. When another client comes, they share "
	  "the engine from then on, and the first client owes it no time." },
	{ "fdinfo-counts-what-runs", test_fdinfo,
	  "The engine time in fdinfo rises while a client's only program is running, and never "
	  "falls" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
