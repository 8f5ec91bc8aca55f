// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit paging
 * Description: How much a client's paging slows down others: it takes turns with other clients'
 *   paging and programs, and is charged to the client for which it is done.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: sharing of engines
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"

#include <inttypes.h>
#include <pthread.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("How much a client's paging slows down others: it takes turns with other "
		     "clients' paging and programs, and is charged to the client for which it is "
		     "done.");

#define U 16384ull

static struct vsplit_adapter *ad;
static int fd;

/* Paging one allocation takes 2 ms. */
#define PIECE (2 * U)
#define PIECE_US 2000
#define PIECES_OTHERS 64u
#define PIECES_OWN 12u

/* Pieces that a program of another client needs at once. */
#define PIECES_PORTION 8u

/*
 * The other client's load: programs or a little paging, or a lot of paging in many jobs or in one
 * job.
 */
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

/* Keeps engine 0 busy for half a second with one packet, while the test queues its work. */
static struct vsplit_cs *keep_busy(void)
{
	int file = vsplit_adapter_open(ad);
	struct vsplit_cs *cs = vsplit_cs(file);

	vsplit_cs_spin(cs, 500000);
	vsplit_cs_submit(cs, vsplit_ctx(file, 0), 0);
	igt_assert(vsplit_soon(vsplit_fdinfo(file, "drm-engine-render:") > 0));
	return cs;
}

/* Fills memory with @n pieces that must be copied when they leave. @bos: has room for them. */
static void occupy_with(int file, unsigned int n, struct vsplit_bo **bos)
{
	struct vsplit_cs *cs = vsplit_cs(file);

	for (unsigned int i = 0; i < n; i++) {
		bos[i] = vsplit_bo(file, 'A' + i % 26, PIECE);
		vsplit_cs_bind(cs, 0, bos[i]);
		vsplit_cs_set(cs, 0, 0, 64, 0x01010101 * (i + 1));
	}
	/*
	 * The test does not read the pieces, as this would bring them to where the CPU sees them.
	 */
	vsplit_cs_submit_and_wait(cs, vsplit_ctx(file, 0), 0);
}

static void occupy(int file, unsigned int n)
{
	struct vsplit_bo *bos[PIECES_OTHERS];

	occupy_with(file, n, bos);
}

/* Makes @n pieces of the file leave, by a job each. */
static struct vsplit_cs *push_out(int file, unsigned int n)
{
	struct vsplit_cs *cs = vsplit_cs(file);

	vsplit_cs_bind(cs, 0, vsplit_bo(file, 'Z', n * PIECE));
	vsplit_cs_submit(cs, vsplit_ctx(file, 0), 0);
	return cs;
}

/* Queues @n programs, each as long as the paging of a piece, that use only the memory of @bo. */
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

/* Builds @n programs in @css, each of which pages in @pieces pieces, and hardly runs. */
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

/*
 * The times when the last piece that left for @cs was gone, and when the first one began to leave.
 */
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

/*
 * Measured work: programs (@runs) or evictions, on an adapter with or without its own paging
 * engine, beside a client with this load.
 */
struct paging {
	bool own;
	const char *preemption;
	bool runs;
	enum busy busy;
};

/* The time of PIECES_OWN of these beside the other client; all is queued before the start. */
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

/*
 * Asserts that the time beside a client that pages much is at most twice that beside a plain
 * client.
 */
static void paging_takes_turns(bool own, const char *preemption, bool runs)
{
	struct paging how = { own, preemption, runs, BUSY_EVICTIONS };

	vsplit_at_most_twice(preemption, beside_paging, &how);
	/* A request has no record that tells when a paging engine began. */
	how.busy = BUSY_REQUEST;
	if (!own)
		vsplit_at_most_twice(preemption, beside_paging, &how);
}

/**
 * SUBTEST: paging-takes-turns
 * Description: Another client has queued five times as much paging, in its own jobs or in one job.
 *   A client's evictions take at most twice as long as beside a client with as much paging as its
 *   own. This holds for a paging engine and for engines that page themselves, on the model clock.
 */
static void test_paging_turns(void)
{
	paging_takes_turns(true, "none", false);
	paging_takes_turns(false, "none", false);
}

/**
 * SUBTEST: paging-takes-turns-with-programs
 * Description: Engines page themselves. Programs beside a client with much queued paging take at
 *   most twice as long as beside a client with programs of the same length, with each kind of
 *   preemption.
 */
static void test_paging_beside_programs(void)
{
	paging_takes_turns(false, "none", true);
	paging_takes_turns(false, "split-point", true);
	paging_takes_turns(false, "packet", true);
}

/* The time in ns of paging for the programs in @css, from @first to @end. */
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
 * Description: While a client's evictions are executed, a paging engine spends at most twice as
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

/* The access that makes an allocation leave memory that the CPU does not see. */
enum reach { REACH_LOCK, REACH_TOUCH, REACH_TOUCH_DMABUF };

/* A process whose threads read numbers from a pipe, and touch the allocations of these numbers. */
struct toucher {
	struct vsplit_bo **bos;
	void *maps[PIECES_OTHERS];
	unsigned int n;
	int numbers[2];
	pid_t pid;
};

static void *touch_thread(void *arg)
{
	struct toucher *t = arg;
	uint8_t i;

	igt_assert_eq(read(t->numbers[0], &i, 1), 1);
	return (void *)(uintptr_t)*(volatile uint8_t *)t->maps[i];
}

/*
 * Threads wait until the bytes have arrived, some of them with the lock of their address space. So
 * they run in a process of their own, and all threads exist before the first one begins.
 */
static void touch_child(struct toucher *t, int ready)
{
	pthread_t threads[PIECES_OTHERS];

	for (unsigned int i = 0; i < t->n; i++)
		igt_assert_eq(pthread_create(&threads[i], NULL, touch_thread, t), 0);
	igt_assert_eq(write(ready, "", 1), 1);
	for (unsigned int i = 0; i < t->n; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

static void toucher_start(struct toucher *t, struct vsplit_bo **bos, unsigned int n,
			  enum reach reach)
{
	int ready[2], file;
	char c;

	*t = (struct toucher) { .bos = bos, .n = n };
	for (unsigned int i = 0; i < n; i++) {
		t->maps[i] = bos[i]->map;
		if (reach != REACH_TOUCH_DMABUF)
			continue;
		igt_assert_eq(drmPrimeHandleToFD(bos[i]->fd, bos[i]->handle,
						 DRM_CLOEXEC | DRM_RDWR, &file), 0);
		t->maps[i] = mmap(NULL, PIECE, PROT_READ, MAP_SHARED, file, 0);
		igt_assert(t->maps[i] != MAP_FAILED);
		close(file);
	}
	igt_assert(!pipe(t->numbers) && !pipe(ready));
	t->pid = vsplit_fork();
	if (!t->pid)
		touch_child(t, ready[1]);
	igt_assert_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
}

static void toucher_touch(struct toucher *t)
{
	struct drm_vsplit_gem_info info;

	for (uint8_t i = 0; i < t->n; i++) {
		igt_assert_eq(write(t->numbers[1], &i, 1), 1);
		igt_assert(vsplit_soon((vsplit_info(t->bos[i], &info), !info.segment)));
	}
}

static void toucher_end(struct toucher *t)
{
	igt_assert_eq(vsplit_reap(t->pid), 0);
	close(t->numbers[0]);
	close(t->numbers[1]);
}

static void lock_all(struct vsplit_bo **bos, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		vsplit_lock(bos[i], 0);
}

static bool is_busy(const struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_info info;

	vsplit_info(bo, &info);
	return info.flags & VSPLIT_GEM_INFO_BUSY;
}

/* The line of a trace at which an allocation has left. */
static const char *left(const char *trace, const struct vsplit_bo *bo)
{
	const char *at = vsplit_trace_find(trace, NULL, "paging", "type=evict bo=%" PRIu64 " ", bo->id);
	unsigned long long context, seqno;

	igt_assert(at && (at = strstr(at, "context=")));
	igt_assert_eq(sscanf(at, "context=%llu seqno=%llu", &context, &seqno), 2);
	at = vsplit_trace_find(trace, at, "fence", "context=%llu seqno=%llu ", context, seqno);
	igt_assert(at);
	return at;
}

static void takes_turns(enum reach reach)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = (PIECES_OTHERS + PIECES_OWN + 1) * PIECE, .cpu = "none" } },
		.slots = 64, .engines = 1, .timeout_ms = 60000, .paging_own = true,
		.model_clock = true, .test = true,
	};
	struct vsplit_bo *theirs[PIECES_OTHERS], *own[PIECES_OWN];
	bool lock = reach == REACH_LOCK;
	struct toucher touchers[2];
	const char *trace;
	int other;

	setup_paging_of(&opts);
	other = vsplit_adapter_open(ad);
	occupy_with(other, PIECES_OTHERS, theirs);
	occupy_with(fd, PIECES_OWN, own);
	if (!lock) {
		toucher_start(&touchers[0], theirs, PIECES_OTHERS, reach);
		toucher_start(&touchers[1], own, PIECES_OWN, reach);
	}
	vsplit_trace_begin();
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 1);
	if (lock)
		lock_all(theirs, PIECES_OTHERS);
	else
		toucher_touch(&touchers[0]);
	if (lock)
		lock_all(own, PIECES_OWN);
	else
		toucher_touch(&touchers[1]);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 1);
	igt_assert(vsplit_soon(!is_busy(theirs[PIECES_OTHERS - 1]) && !is_busy(own[PIECES_OWN - 1])));
	trace = vsplit_trace_end();
	igt_assert(left(trace, own[PIECES_OWN - 1]) < left(trace, theirs[PIECES_OTHERS - 1]));
	for (unsigned int i = 0; !lock && i < 2; i++)
		toucher_end(&touchers[i]);
}

/**
 * SUBTEST: what-locks-move-takes-turns
 * Description: An allocation that a client locks leaves memory that the CPU does not see before all
 *   of the five times larger set of allocations that another client has locked earlier.
 */
static void test_locks(void)
{
	takes_turns(REACH_LOCK);
}

/**
 * SUBTEST: what-is-touched-takes-turns
 * Description: The same when the CPU touches the allocations, through mappings of the client's file
 *   or of a dma-buf.
 */
static void test_touches(void)
{
	takes_turns(REACH_TOUCH);
	takes_turns(REACH_TOUCH_DMABUF);
}

/**
 * SUBTEST: what-is-evicted-is-paged-for-its-client
 * Description: Paging of allocations that leave by EVICT is counted in the fdinfo of the file that
 *   called it.
 */
static void test_evict_counts(void)
{
	struct vsplit_cs *cs;
	struct vsplit_bo *bo;
	uint64_t before;

	setup_paging(true, "packet", 4 * PIECE, false);
	bo = vsplit_bo(fd, 'E', PIECE);
	vsplit_require(bo);
	/* With new bytes the allocation has to be written back. */
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, 64, 0x01010101);
	vsplit_cs_run(cs, vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_EXPLICIT, 0), 0);
	before = vsplit_fdinfo(fd, "drm-engine-paging:");
	igt_assert_eq(__vsplit_evict(fd, &bo->handle, 1, 0), 0);
	igt_assert(vsplit_soon(vsplit_fdinfo(fd, "drm-engine-paging:") > before));
}

/*
 * The time of programs with paging beside the same number of programs, in one context or in one
 * context each.
 */
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
 * Description: A client has programs whose paging is executed ahead. Beside a client with as many
 *   contexts as programs they take at most twice as long as beside a client with a single context.
 */
static void test_paging_ahead(void)
{
	vsplit_at_most_twice("ahead", beside_ahead, NULL);
}

/*
 * The number of programs with paging that begin before the client's own programs without paging are
 * done.
 */
static unsigned int begun_beside(bool ahead, const char *preemption)
{
	struct vsplit_cs *theirs[PIECES_OTHERS], *cs;
	unsigned int begun = 0;
	struct vsplit_bo *bo;
	uint64_t end;

	setup_paging(true, preemption, 2 * (PIECES_OTHERS + PIECES_OWN) * PIECE, ahead);
	bo = vsplit_bo_in(fd, 'P', U, VSPLIT_GEM_PINNED | VSPLIT_GEM_TOPDOWN, NULL);
	build_page_ins(vsplit_adapter_open(ad), PIECES_OTHERS, 1, theirs);
	/*
	 * Otherwise the scheduler would hand over the first programs as fast as the engine takes
	 * them.
	 */
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
 * Description: A client's programs hold the engine while a paging engine pages for them, in turn or
 *   ahead. Another client's programs, each as long as that paging, are done before twice as many of
 *   them have begun, with each kind of preemption.
 */
static void test_waiting(void)
{
	static const char * const modes[] = { "none", "split-point", "packet" };

	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(modes); i++) {
		unsigned int begun = PIECES_OTHERS;

		/* A slow host may not have queued all work while the engine is busy. */
		for (unsigned int tries = 0; tries < 5 && begun > 2 * PIECES_OWN; tries++) {
			begun = begun_beside(i % 2, modes[i / 2]);
			igt_info("%s%s: %u beside %u\n", modes[i / 2], i % 2 ? ", ahead" : "", begun,
				 PIECES_OWN);
		}
		igt_assert(begun <= 2 * PIECES_OWN);
	}
}

/* Paging one of these takes half a second. */
#define HUGE_PIECE (512 * U)
#define HUGE_PIECES 4u

/**
 * SUBTEST: waiting-for-paging-is-no-hang
 * Description: A program's paging waits for other clients' paging, for many times the timeout, and
 *   for longer than the watchdog tolerates a program without a processor. The program does not
 *   count as hung.
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

static const struct vsplit_subtest tests[] = {
	{ "paging-takes-turns", test_paging_turns,
	  "A client's evictions take at most twice as long beside five times as much paging of "
	  "another client" },
	{ "paging-takes-turns-with-programs", test_paging_beside_programs,
	  "Programs of engines that page themselves take at most twice as long beside a client "
	  "with much queued paging" },
	{ "many-contexts-page-ahead-as-one", test_paging_ahead,
	  "Programs beside a client whose many contexts page ahead take at most twice as long as "
	  "beside a single context" },
	{ "portions-page-in-turns", test_portions,
	  "While a client's evictions are executed, a paging engine spends at most twice as much "
	  "time on the portions of another client's programs, however much these need at once" },
	{ "what-locks-move-takes-turns", test_locks,
	  "An allocation that a client locks leaves memory that the CPU does not see before all of "
	  "the five times larger set of allocations that another client has locked earlier" },
	{ "what-is-touched-takes-turns", test_touches,
	  "What the CPU touches leaves the memory that it does not see before all of a larger set "
	  "that was touched earlier" },
	{ "what-is-evicted-is-paged-for-its-client", test_evict_counts,
	  "Paging of allocations that leave by EVICT is counted in the fdinfo of the file that "
	  "called it" },
	{ "waiting-for-paging-is-time-used", test_waiting,
	  "Programs that hold the engine while a paging engine pages for them are at most twice as "
	  "many as another client's programs of that length" },
	{ "waiting-for-paging-is-no-hang", test_waiting_is_no_hang,
	  "A program whose paging waits for other clients' paging, for many times the timeout, "
	  "does not count as hung" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
