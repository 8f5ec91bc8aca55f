// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit races
 * Description: One task is held at a named point of the driver while another one does something
 *   else. For every pair it is known whether the second task has to wait, and both end well. Needs
 *   a test build of the module.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: races
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

IGT_TEST_DESCRIPTION("One task is held at a named point of the driver while another one does "
		     "something else.");

#define U 16384ull
#define DRIVER "/sys/bus/platform/drivers/vsplit"
/*
 * Held tasks go on by themselves after ten seconds: a task that need not wait is done before that.
 */
#define DONE_MS 7000
/* Number of consecutive checks in which a waiting task must be asleep. */
#define LOOKS 15

static const struct vsplit_adapter_opts plain = {
	.segs = { { "vram", .size = 64 * U } },
	.slots = 16,
	.timeout_ms = 20000,
	.test = true,
};

/* ---- the world ---------------------------------------------------------- */

static struct vsplit_adapter *ad;
static int fd, other, exported;
static uint32_t ctx, split_ctx, bad_ctx, other_ctx;
/* @a: small, in system memory; @b: large, in video memory; @r: of the rival. */
static struct vsplit_bo *a, *b[2], *r[2];
static struct vsplit_cs *add, *split, *spin, *rival;
static uint64_t adds, splits, touches;

static void build(unsigned int timeout_ms)
{
	struct vsplit_adapter_opts opts = plain;

	vsplit_require_sync_points();
	if (timeout_ms)
		opts.timeout_ms = timeout_ms;
	ad = vsplit_adapter_create(&opts);
	fd = vsplit_adapter_open(ad);
	other = vsplit_adapter_open(ad);
	ctx = vsplit_ctx(fd, 0);
	split_ctx = vsplit_ctx(fd, 0);
	bad_ctx = vsplit_ctx(fd, 0);
	other_ctx = vsplit_ctx(other, 0);
	a = vsplit_bo(fd, 'A', 2 * U);
	add = vsplit_cs(fd);
	vsplit_cs_bind(add, 0, a);
	vsplit_cs_add(add, 0, 0, 1);
	split = vsplit_cs(fd);
	rival = vsplit_cs(other);
	for (unsigned int i = 0; i < 2; i++) {
		b[i] = vsplit_bo_in(fd, 'B' + i, 40 * U, 0, in_first);
		vsplit_cs_bind(split, 0, b[i]);
		vsplit_cs_add(split, 0, 0, 1);
		r[i] = vsplit_bo_in(other, 'R' + i, 40 * U, 0, in_first);
		vsplit_cs_bind(rival, 0, r[i]);
		vsplit_cs_add(rival, 0, 0, 1);
	}
	spin = vsplit_cs(fd);
	vsplit_cs_spin(spin, VSPLIT_SPIN_MAX_US);
	vsplit_cs_submit_and_wait(split, split_ctx, 0);
	/* No process has a page table entry for @a. */
	vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
	/* The engine pages itself: what begins before this has ended would hold it up. */
	vsplit_lock(a, 0);
	vsplit_unlock(a);
	exported = vsplit_bo_export(b[0]);
	adds = 0;
	splits = 1;
	touches = 0;
}

/* Checks that the bytes are those of all that was done, and that nothing is left. */
static void check_world(bool unbound)
{
	struct vsplit_counters none = {};
	uint64_t word;

	close(exported);
	if (!unbound) {
		for (unsigned int i = 0; i < 2; i++) {
			struct vsplit_cs *cs = i ? split : add;

			if (cs->submission)
				vsplit_cs_wait(cs);
		}
		memcpy(&word, a->map, 8);
		igt_assert_eq_u64(word, adds);
		memcpy(&word, a->map + 8, 8);
		igt_assert_eq_u64(word, touches);
		for (unsigned int i = 0; i < 2; i++) {
			memcpy(&word, b[i]->map, 8);
			igt_assert_eq_u64(word, splits);
		}
		/* The context still works. */
		vsplit_cs_submit_and_wait(add, ctx, 0);
		memcpy(&word, a->map, 8);
		igt_assert_eq_u64(word, adds + 1);
	}
	vsplit_cleanup_file(fd);
	vsplit_cleanup_file(other);
	if (!unbound)
		vsplit_counters_become(ad, &none);
	vsplit_cleanup();
}

/* ---- what tasks do ------------------------------------------------------ */

/* These run in threads: they must not assert or allocate; they return 0 or -errno. */

static int submit(struct vsplit_cs *cs, uint32_t on, uint32_t flags)
{
	struct drm_vsplit_sync syncs[VSPLIT_CS_SYNCS + 1];
	struct drm_vsplit_submit args;
	int ret;

	vsplit_cs_args(cs, on, flags, &args, syncs);
	ret = __vsplit_ioctl(cs->fd, DRM_IOCTL_VSPLIT_SUBMIT, &args);
	if (!ret) {
		cs->ctx = on;
		cs->submission = args.submission;
	}
	return ret;
}

static int do_submit(void)
{
	int ret = submit(add, ctx, 0);

	__atomic_add_fetch(&adds, !ret, __ATOMIC_RELAXED);
	return ret;
}

static int do_split(void)
{
	int ret = submit(split, split_ctx, VSPLIT_SUBMIT_FORCE_SPLIT);

	__atomic_add_fetch(&splits, !ret, __ATOMIC_RELAXED);
	return ret;
}

static int do_hang(void)
{
	return submit(spin, bad_ctx, 0);
}

static int do_rival(void)
{
	return submit(rival, other_ctx, 0);
}

/* Cannot fail: a signal would end the test. */
static int do_touch(void)
{
	__atomic_add_fetch((uint64_t *)(a->map + 8), 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&touches, 1, __ATOMIC_RELAXED);
	return 0;
}

static int escape(uint32_t op, uint32_t handle)
{
	struct drm_vsplit_escape args = { .op = op, .handle = handle };

	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_ESCAPE, &args);
}

static int do_page_in(void)
{
	struct drm_vsplit_escape args = {
		.op = VSPLIT_ESCAPE_PAGE_IN, .handle = a->handle, .value = 1,
	};

	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_ESCAPE, &args);
}

static int do_evict(void)
{
	return escape(VSPLIT_ESCAPE_EVICT, a->handle);
}

static int do_evict_all(void)
{
	return escape(VSPLIT_ESCAPE_EVICT_ALL, 0);
}

static int do_lock(void)
{
	struct drm_vsplit_gem_lock args = { .handle = a->handle };
	int ret = __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &args);

	return ret ?: __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &args);
}

static int do_ctx(void)
{
	struct drm_vsplit_ctx_create args = {};
	struct drm_vsplit_ctx_destroy destroy = {};
	int ret = __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_CTX_CREATE, &args);

	destroy.ctx = args.ctx;
	return ret ?: __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_CTX_DESTROY, &destroy);
}

static int do_info(void)
{
	struct drm_vsplit_gem_info args = { .handle = a->handle };

	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_INFO, &args);
}

static int do_create(void)
{
	struct drm_vsplit_gem_create args = { .size = U };
	int ret = __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_CREATE, &args);

	return ret ?: __vsplit_gem_close(fd, args.handle);
}

static int do_share(void)
{
	struct drm_prime_handle args = { .fd = exported };
	int ret = __vsplit_ioctl(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	return ret ?: __vsplit_gem_close(other, args.handle);
}

static int do_open(void)
{
	return __vsplit_adapter_try_open(ad);
}

static int do_unbind(void)
{
	return __vsplit_write_file(DRIVER "/unbind", ad->device);
}

/* ---- the table of pairs ------------------------------------------------- */

/* What a held task has, which others may need. */
#define DEV	1u	/* it is inside drm_dev_enter() */
#define RESV	2u	/* the lock of allocation A */
#define QUEUE	8u	/* submissions of its context */
#define ENGINE	16u	/* nothing is executed on its engine */
#define GPU_BUSY 32u	/* the GPU has not finished with A */
#define GOING	64u	/* the adapter is being removed */

struct task {
	const char *name;
	int (*run)(void);
	/* the task waits, or may wait, for a held task that has one of these */
	unsigned int waits, may_wait;
};

static const struct task tasks[] = {
	{ "submit", do_submit, RESV | QUEUE, 0 },
	{ "rival", do_rival, 0, RESV | ENGINE | GPU_BUSY },
	{ "touch", do_touch, RESV, GPU_BUSY | ENGINE | GOING },
	{ "evict", do_evict, RESV, GPU_BUSY | ENGINE },
	{ "evict-all", do_evict_all, 0, RESV | ENGINE | GPU_BUSY },
	{ "lock", do_lock, RESV | GPU_BUSY, 0 },
	{ "ctx", do_ctx, 0, 0 },
	{ "info", do_info, RESV, 0 },
	{ "create", do_create, 0, 0 },
	{ "share", do_share, 0, 0 },
	{ "open", do_open, 0, GOING },
	{ "unbind", do_unbind, DEV | ENGINE | GOING, RESV | GPU_BUSY },
};

struct point {
	const char *name;
	int (*run)(void);
	unsigned int has;
	unsigned int timeout_ms;
};

static const struct point points[] = {
	{ "drv.ioctl", do_create, DEV, 0 },
	/* A submission copies from userspace before it enters drm_dev_enter(). */
	{ "drv.ioctl", do_submit, 0, 0 },
	{ "submit.parsed", do_submit, 0, 0 },
	{ "place.solve", do_split, DEV, 0 },
	{ "submit.placed", do_submit, DEV | RESV | QUEUE, 0 },
	{ "queue.publish", do_ctx, DEV, 0 },
	{ "gem.created", do_create, DEV, 0 },
	{ "mm.move", do_page_in, DEV | RESV, 0 },
	{ "mm.cpu_fault", do_touch, DEV | RESV, 0 },
	{ "mm.lock", do_lock, 0, 0 },
	{ "gpu.portion", do_split, ENGINE, 0 },
	{ "exec.done", do_submit, ENGINE | GPU_BUSY, 0 },
	{ "exec.timeout", do_hang, 0, 400 },
	{ "job.release", do_submit, 0, 0 },
	{ "drv.close", do_open, 0, 0 },
	{ "exec.unplug", do_unbind, GOING, 0 },
	{ "drv.unplug", do_unbind, GOING, 0 },
};

/*
 * A task in a thread. The thread is made before anything is held, because making it takes
 * mmap_lock.
 */
struct runner {
	pthread_t thread;
	int (*run)(void);
	sem_t go, done;
	pid_t tid;
	int ret;
};

static void *runner(void *arg)
{
	struct runner *t = arg;
	bool went;

	do {
		went = !sem_wait(&t->go);
	} while (!went);
	__atomic_store_n(&t->tid, gettid(), __ATOMIC_RELEASE);
	t->ret = t->run();
	sem_post(&t->done);
	return NULL;
}

static void runner_make(struct runner *t, int (*run)(void))
{
	t->run = run;
	t->tid = 0;
	igt_assert_eq(sem_init(&t->go, 0, 0), 0);
	igt_assert_eq(sem_init(&t->done, 0, 0), 0);
	igt_assert_eq(pthread_create(&t->thread, NULL, runner, t), 0);
}

static bool runner_done(struct runner *t, unsigned int ms)
{
	struct timespec until;
	int ret;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += ms % 1000 * 1000000l;
	if (until.tv_nsec >= 1000000000l) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000l;
	}
	do {
		ret = sem_timedwait(&t->done, &until);
	} while (ret && errno == EINTR);
	return !ret;
}

/*
 * Does the task wait for the release of the other one? It does if it is asleep in many consecutive
 * checks. A task that is only late is neither asleep nor done, however slow the machine is.
 */
static bool runner_waits(struct runner *t)
{
	unsigned int looks = 0;

	igt_assert(vsplit_soon(__atomic_load_n(&t->tid, __ATOMIC_ACQUIRE)));
	for (unsigned int i = 0; looks < LOOKS; i++) {
		char state;

		if (!sem_trywait(&t->done))
			return false;
		igt_assert(i < VSPLIT_SOON_MS / 10);
		state = vsplit_task_state(t->tid);
		looks = state == 'S' || state == 'D' ? looks + 1 : 0;
		usleep(10000);
	}
	return true;
}

static void run_pair(const struct point *p, const struct task *t)
{
	struct runner first, second;
	bool unbinds = t->run == do_unbind, going = p->has & GOING;
	bool in_time, held;

	build(p->timeout_ms);
	runner_make(&first, p->run);
	runner_make(&second, t->run);
	vsplit_catch(p->name);
	sem_post(&first.go);
	held = vsplit_wait_held(p->name);
	sem_post(&second.go);
	/* If it may wait or not, let it go as far as it can. */
	if (p->has & (t->may_wait | t->waits))
		in_time = !runner_waits(&second);
	else
		in_time = runner_done(&second, DONE_MS);
	vsplit_release(p->name);
	pthread_join(first.thread, NULL);
	pthread_join(second.thread, NULL);

	igt_assert_f(held, "%s: no task came there\n", p->name);
	if (!(p->has & t->may_wait))
		igt_assert_f(in_time == !(p->has & t->waits), "%s at %s: it %s\n", t->name, p->name,
			     in_time ? "did not wait" : "waited");
	igt_assert_f(!first.ret || (unbinds && first.ret == -ENODEV), "%s at %s: the first: %s\n",
		     t->name, p->name, strerror(-first.ret));
	igt_assert_f(!second.ret || (going && second.ret == -ENODEV), "%s at %s: %s\n", t->name,
		     p->name, strerror(-second.ret));
	if (p->run == do_hang && !unbinds)
		igt_assert_eq(__vsplit_cs_wait(spin), -ETIME);
	check_world(unbinds || going);
}

/**
 * SUBTEST: pairs
 * Description: A task is held at a point, and another task comes, for all pairs of the table. The
 *   second task waits or not, as the locks say. Both succeed, and bytes and counts are right.
 */
static void test_pairs(void)
{
	uint64_t pairs = 0;

	for (unsigned int p = 0; p < ARRAY_SIZE(points); p++) {
		for (unsigned int t = 0; t < ARRAY_SIZE(tasks); t++) {
			/* One unbind is all that is possible. */
			if (points[p].run == do_unbind && tasks[t].run == do_unbind)
				continue;
			igt_debug("%s at %s\n", tasks[t].name, points[p].name);
			run_pair(&points[p], &tasks[t]);
			pairs++;
		}
	}
	vsplit_figure("R15", "pairs of a held task and another one", pairs);
}

/* ---- single ones -------------------------------------------------------- */

/**
 * SUBTEST: context-guessed
 * Description: While a context is being made, another task tries to destroy it by its guessed id,
 *   and makes a context of its own. The first context does not exist yet, and no two contexts get
 *   the same id.
 */
static void test_guess(void)
{
	struct drm_vsplit_ctx_query query = {};
	struct drm_vsplit_ctx_create mine = {};
	struct drm_vsplit_ctx_destroy guess = {};
	struct runner first;
	int destroyed, queried, made;

	build(0);
	guess.ctx = vsplit_ctx(fd, 0);
	igt_assert_eq(__vsplit_ctx_destroy(fd, guess.ctx), 0);
	query.ctx = guess.ctx;
	runner_make(&first, do_ctx);
	vsplit_catch("queue.publish");
	sem_post(&first.go);
	igt_assert(vsplit_wait_held("queue.publish"));
	queried = __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_CTX_QUERY, &query);
	destroyed = __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_CTX_DESTROY, &guess);
	made = __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_CTX_CREATE, &mine);
	vsplit_release("queue.publish");
	pthread_join(first.thread, NULL);
	igt_assert_eq(queried, -ENOENT);
	igt_assert_eq(destroyed, -ENOENT);
	igt_assert_eq(made, 0);
	igt_assert_f(mine.ctx != guess.ctx, "two contexts got the id %u\n", mine.ctx);
	igt_assert_eq(first.ret, 0);
	igt_assert_eq(__vsplit_ctx_destroy(fd, mine.ctx), 0);
	check_world(false);
}

static struct drm_vsplit_gem_create made;

static int do_make(void)
{
	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_CREATE, &made);
}

/**
 * SUBTEST: handle-guessed
 * Description: Another task guesses and closes an allocation's handle before the creator knows it.
 *   The creating call returns the handle all the same.
 */
static void test_handle(void)
{
	struct drm_vsplit_gem_create probe = { .size = U };
	struct drm_vsplit_gem_info info;
	struct runner first;
	int closed;

	build(0);
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_CREATE, &probe), 0);
	igt_assert_eq(__vsplit_gem_close(fd, probe.handle), 0);
	made = (struct drm_vsplit_gem_create) { .size = U + 1 };
	runner_make(&first, do_make);
	vsplit_catch("gem.created");
	sem_post(&first.go);
	igt_assert(vsplit_wait_held("gem.created"));
	closed = __vsplit_gem_close(fd, probe.handle);
	vsplit_release("gem.created");
	pthread_join(first.thread, NULL);
	igt_assert_eq(closed, 0);
	igt_assert_eq(first.ret, 0);
	igt_assert_eq_u32(made.handle, probe.handle);
	igt_assert_eq_u64(made.size, U + 4096);
	igt_assert_eq_u64(made.id, probe.id + 1);
	igt_assert_eq(__vsplit_info(fd, made.handle, &info), -ENOENT);
	check_world(false);
}

/**
 * SUBTEST: gone-with-its-fence
 * Description: An engine is held right after it has signalled a job's fence. Meanwhile everything
 *   that belongs to the job, and its context, is freed, which does not harm the engine.
 */
static void test_gone(void)
{
	struct vsplit_counters before, now;
	unsigned int tries;
	bool held, ours;

	build(0);
	igt_require(vsplit_counters(ad, &before));
	/* An earlier job may come first: in that case our own job has not run yet. */
	for (tries = 0, ours = false; !ours && tries < 20; tries++) {
		uint32_t gone = vsplit_ctx(fd, 0);

		vsplit_catch("exec.told");
		igt_assert_eq(submit(add, gone, 0), 0);
		held = vsplit_wait_held("exec.told");
		ours = held && !vsplit_syncobj_busy(fd, add->out);
		igt_assert_eq(__vsplit_ctx_destroy(fd, gone), 0);
		if (ours)
			vsplit_soon(vsplit_counters(ad, &now) && !now.jobs &&
				    now.queues == before.queues);
		vsplit_release("exec.told");
		igt_assert_f(held, "no task came there\n");
		vsplit_cs_wait(add);
		adds++;
	}
	igt_assert_f(ours, "it was never ours\n");
	igt_assert_f(!now.jobs && now.queues == before.queues, "%d jobs, %d contexts\n", now.jobs,
		     now.queues);
	add->submission = 0;
	check_world(false);
}

static int do_add_to_bad(void)
{
	return submit(add, bad_ctx, 0);
}

/**
 * SUBTEST: lost-while-it-submits
 * Description: A context is lost while a submission is being checked, or placed. The submission is
 *   refused, or accepted and cancelled. It is not executed.
 */
static void test_lost(void)
{
	static const struct {
		const char *point;
		int submitted;
	} cases[] = {
		{ "submit.parsed", -EIO },
		{ "submit.placed", 0 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct runner first;
		uint64_t word;
		int lost, ret;
		bool held;

		build(400);
		runner_make(&first, do_add_to_bad);
		/* The context must not be lost before the other task is at its point. */
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		vsplit_cs_submit(spin, bad_ctx, 0);
		vsplit_catch(cases[i].point);
		sem_post(&first.go);
		held = vsplit_wait_held(cases[i].point);
		vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
		lost = __vsplit_cs_wait(spin);
		vsplit_release(cases[i].point);
		pthread_join(first.thread, NULL);
		igt_assert_f(held, "%s: no task came there\n", cases[i].point);
		igt_assert_eq(lost, -ETIME);
		igt_assert_f(first.ret == cases[i].submitted, "%s: %d\n", cases[i].point, first.ret);
		if (!first.ret) {
			ret = __vsplit_cs_wait(add);
			igt_assert_f(ret == -ECANCELED, "%s: %d\n", cases[i].point, ret);
		}
		memcpy(&word, a->map, 8);
		igt_assert_eq_u64(word, 0);
		add->submission = 0;
		check_world(false);
	}
}

static int do_add(void)
{
	return submit(add, ctx, 0);
}

/**
 * SUBTEST: lost-twice
 * Description: A submission is about to lose a device, because its list names an allocation that is
 *   not required, when a page fault loses the device first. The query keeps telling the page fault.
 */
static void test_lost_twice(void)
{
	struct vsplit_adapter_opts opts = plain;
	uint32_t early, late, fault_ctx, state;
	struct runner first;
	int fault;
	bool held;

	vsplit_require_sync_points();
	opts.contexts = "explicit,va";
	ad = vsplit_adapter_create(&opts);
	fd = vsplit_adapter_open(ad);
	ctx = vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_EXPLICIT, 0);
	fault_ctx = vsplit_ctx_mode(fd, VSPLIT_CTX_MODE_VA, 0);
	add = vsplit_cs(fd);
	vsplit_cs_nop(add, 64);
	vsplit_cs_alloc(add, vsplit_bo(fd, 'A', U), 0);
	spin = vsplit_cs(fd);
	vsplit_cs_state(spin, VSPLIT_STATE_FILL, 1);
	vsplit_cs_fill_va(spin, U, U);
	runner_make(&first, do_add);
	vsplit_catch("exec.lose");
	sem_post(&first.go);
	held = vsplit_wait_held("exec.lose");
	vsplit_cs_submit(spin, fault_ctx, 0);
	fault = __vsplit_cs_wait(spin);
	state = vsplit_ctx_state(fd, fault_ctx, &early);
	vsplit_release("exec.lose");
	pthread_join(first.thread, NULL);
	vsplit_ctx_state(fd, ctx, &late);
	igt_assert_f(held, "no task came there\n");
	igt_assert_eq(fault, -EFAULT);
	igt_assert_eq(state, VSPLIT_STATE_LOST_PAGE_FAULT);
	igt_assert_eq(first.ret, -EINVAL);
	igt_assert_eq(early, VSPLIT_STATE_LOST_PAGE_FAULT);
	igt_assert_eq(late, VSPLIT_STATE_LOST_PAGE_FAULT);
	vsplit_cleanup();
}

static struct drm_vsplit_submit copied;
static struct drm_vsplit_sync copied_syncs[VSPLIT_CS_SYNCS + 1];

static int do_copied(void)
{
	return __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_SUBMIT, &copied);
}

/**
 * SUBTEST: rewritten-behind-the-validator
 * Description: After a buffer was checked, the client overwrites the buffer and its lists, closes
 *   its allocation and destroys its context. The buffer is executed as it was checked.
 */
static void test_rewritten(void)
{
	struct runner first;
	uint64_t word;
	int ret;

	build(0);
	vsplit_cs_args(add, ctx, 0, &copied, copied_syncs);
	runner_make(&first, do_copied);
	vsplit_catch("submit.parsed");
	sem_post(&first.go);
	igt_assert(vsplit_wait_held("submit.parsed"));
	memset(add->stream, 0xff, add->bytes);
	memset(add->patches, 0xff, add->nr_patches * sizeof(*add->patches));
	memset(add->allocs, 0xff, add->nr_allocs * sizeof(*add->allocs));
	ret = __vsplit_ctx_destroy(fd, ctx);
	if (!ret)
		ret = __vsplit_gem_close(fd, a->handle);
	a->handle = 0;
	vsplit_release("submit.parsed");
	pthread_join(first.thread, NULL);
	igt_assert_eq(ret, 0);
	igt_assert_eq(first.ret, 0);
	igt_assert_eq(__vsplit_syncobj_wait(fd, add->out, 0, 60000), 0);
	igt_assert_eq(vsplit_syncobj_status(fd, add->out), 1);
	memcpy(&word, a->map, 8);
	igt_assert_eq_u64(word, 1);
	close(exported);
}

static uint64_t hangs(void)
{
	struct drm_vsplit_statistics stats;

	vsplit_query_statistics(fd, &stats);
	return stats.hangs;
}

/**
 * SUBTEST: done-before-the-timeout-is-handled
 * Description: The handler of a timeout is late: its job is done by then, and the next one runs.
 *   Neither is blamed.
 */
static void test_late_timeout(void)
{
	bool held;

	build(400);
	vsplit_cs_reset(spin);
	for (unsigned int i = 0; i < 8; i++)
		vsplit_cs_spin(spin, 100000);
	vsplit_catch("exec.timeout");
	vsplit_cs_submit(spin, bad_ctx, 0);
	held = vsplit_wait_held("exec.timeout");
	vsplit_cs_wait(spin);
	igt_assert_eq(do_split(), 0);
	vsplit_release("exec.timeout");
	igt_assert_f(held, "there was no timeout\n");
	vsplit_cs_wait(split);
	igt_assert_eq_u64(hangs(), 0);
	igt_assert_eq(vsplit_ctx_state(fd, bad_ctx, NULL), VSPLIT_STATE_ACTIVE);
	check_world(false);
}

/**
 * SUBTEST: timeout-before-done-is-told
 * Description: A job was executed, but its completion is reported late, after several timeouts. The
 *   job still counts as executed.
 */
static void test_late_done(void)
{
	build(200);
	vsplit_catch("exec.done");
	igt_assert_eq(do_submit(), 0);
	igt_assert(vsplit_wait_held("exec.done"));
	usleep(900000);
	vsplit_release("exec.done");
	vsplit_cs_wait(add);
	igt_assert_eq(vsplit_ctx_state(fd, ctx, NULL), VSPLIT_STATE_ACTIVE);
	check_world(false);
}

/**
 * SUBTEST: late-is-the-engine
 * Description: An engine gets no processor for several timeouts, in the midst of a buffer. Nothing
 *   is blamed. If it never gets one again, a job is blamed, so that waits for it end.
 */
static void test_late_engine(void)
{
	for (unsigned int never = 0; never < 2; never++) {
		build(never ? 500 : 1000);
		vsplit_catch("gpu.portion");
		igt_assert_eq(submit(rival, other_ctx, VSPLIT_SUBMIT_FORCE_SPLIT), 0);
		igt_assert(vsplit_wait_held("gpu.portion"));
		if (!never)
			usleep(2500000);
		else
			igt_assert(vsplit_soon(hangs() == 1));
		vsplit_release("gpu.portion");
		igt_assert_eq(__vsplit_cs_wait(rival), never ? -ETIME : 0);
		igt_assert_eq_u64(hangs(), never);
		check_world(false);
	}
}

/**
 * SUBTEST: killed-between-portions
 * Description: A client dies while its buffer is between two portions, or its file is being closed
 *   while the portion ends. Nothing of it is left, and other clients go on.
 */
static void test_killed(void)
{
	static const char * const names[] = { "gpu.portion", "drv.close", "job.release" };
	struct vsplit_counters before;

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		bool held;
		pid_t pid;
		int pipes[2], back[2];
		char byte;

		build(0);
		igt_require(vsplit_counters(ad, &before));
		igt_assert(!pipe(pipes) && !pipe(back));
		pid = vsplit_fork();
		if (!pid) {
			int f = vsplit_adapter_open(ad);
			struct vsplit_cs *cs = vsplit_cs(f);

			for (unsigned int n = 0; n < 3; n++) {
				vsplit_cs_bind(cs, 0, vsplit_bo(f, 'A' + n, 40 * U));
				vsplit_cs_add(cs, 0, 0, 1);
			}
			igt_assert_eq(read(pipes[0], &byte, 1), 1);
			vsplit_cs_submit(cs, vsplit_ctx(f, 0), VSPLIT_SUBMIT_FORCE_SPLIT);
			igt_assert_eq(write(back[1], "x", 1), 1);
			for (;;)
				pause();
		}
		vsplit_catch(names[i]);
		igt_assert_eq(write(pipes[1], "x", 1), 1);
		igt_assert_eq(read(back[0], &byte, 1), 1);
		/* Dead at the point, or dying there. */
		held = i == 1 || vsplit_wait_held(names[i]);
		kill(pid, SIGKILL);
		if (i == 1)
			held = vsplit_wait_held(names[i]);
		else
			vsplit_reap(pid);
		if (i)
			igt_assert_eq(do_submit(), 0);
		vsplit_release(names[i]);
		if (i == 1)
			vsplit_reap(pid);
		igt_assert_f(held, "%s: no task came there\n", names[i]);
		for (unsigned int n = 0; n < 2; n++) {
			close(pipes[n]);
			close(back[n]);
		}
		vsplit_counters_idle(ad, &before);
		check_world(false);
	}
}

/* A thread that reads a byte at @map. */
struct toucher {
	pthread_t thread;
	pid_t task;
	const volatile uint8_t *map;
	uint8_t byte;
};

static void *touch_map(void *arg)
{
	struct toucher *t = arg;

	__atomic_store_n(&t->task, gettid(), __ATOMIC_RELEASE);
	t->byte = *t->map;
	return NULL;
}

/**
 * SUBTEST: closed-while-a-fault-waits
 * Description: A page fault waits for bytes when the adapter is removed. Before the fault goes on,
 *   the mapping is replaced and the file is closed. The module is in use until the fault has ended.
 */
static void test_closed_fault(void)
{
	struct toucher t = { .byte = 1 };
	unsigned int asleep = 0;
	struct vsplit_bo *bo;
	struct vsplit_cs *cs;
	int file, references;
	void *map;
	bool held;

	vsplit_require_sync_points();
	ad = vsplit_adapter_create(&plain);
	file = vsplit_adapter_open(ad);
	bo = vsplit_bo(file, 'A', U);
	cs = vsplit_cs(file);
	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, U, 0x55555555);
	vsplit_escape(file, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs, vsplit_ctx(file, 0), 0);
	/* A mapping that is not removed with the allocation. */
	igt_assert_eq(__vsplit_mmap(file, bo->handle, U, &map), 0);
	t.map = map;
	vsplit_catch("mm.cpu_waited");
	igt_assert_eq(pthread_create(&t.thread, NULL, touch_map, &t), 0);
	igt_assert(vsplit_soon(__atomic_load_n(&t.task, __ATOMIC_ACQUIRE)));
	igt_assert(vsplit_soon((asleep = vsplit_task_state(t.task) == 'S' ? asleep + 1 : 0) == LOOKS));
	vsplit_adapter_destroy(ad);
	held = vsplit_wait_held("mm.cpu_waited");
	igt_assert(mmap(map, U, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == map);
	vsplit_cleanup_file(file);
	/* Fences are freed a little later. */
	usleep(500000);
	references = vsplit_module_references();
	vsplit_release("mm.cpu_waited");
	pthread_join(t.thread, NULL);
	igt_assert(held);
	munmap(map, U);
	igt_assert_eq(t.byte, 0);
	igt_assert_f(vsplit_soon(vsplit_module_references() < references),
		     "the file and the adapter were gone\n");
}

/**
 * SUBTEST: many-jobs-are-watched
 * Description: The watchdog looks at very many jobs. It releases its lock in between, so that
 *   submissions and completions need not wait.
 */
static void test_watched(void)
{
	enum { JOBS = 520 };
	struct vsplit_cs *cs;

	build(1000);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	cs = vsplit_cs(fd);
	vsplit_cs_nop(cs, 8);
	for (unsigned int i = 0; i < JOBS; i++)
		vsplit_cs_submit(cs, ctx, 0);
	vsplit_hold("exec.watch");
	igt_assert(vsplit_wait_held("exec.watch"));
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	vsplit_cs_reset(cs);
	vsplit_cs_nop(cs, 8);
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	vsplit_release("exec.watch");
	igt_assert(vsplit_soon(!vsplit_fdinfo(fd, "vsplit-unfinished-memory:")));
	check_world(false);
}

/**
 * SUBTEST: unloaded-before-the-last-job-is-gone
 * Description: Adapter, files and fences are gone, and the last job is still being freed. The
 *   module cannot be unloaded at that moment, and can right after.
 */
static void test_unload(void)
{
	int ret, early;
	bool held;

	igt_require(getenv("VSPLIT_KO"));
	build(0);
	vsplit_catch("job.release");
	igt_assert_eq(do_submit(), 0);
	vsplit_cs_wait(add);
	held = vsplit_wait_held("job.release");
	close(exported);
	vsplit_cleanup();
	early = vsplit_module_unload();
	/* The hook exists only while the module has not been unloaded. */
	if (early)
		vsplit_release("job.release");
	igt_assert(held);
	igt_assert_f(early == -EAGAIN || early == -EBUSY, "unloading: %d\n", early);
	ret = vsplit_module_unload_soon();
	igt_assert_f(!ret, "unloading: %s\n", strerror(-ret));
	igt_assert_eq(vsplit_module_load(""), 0);
}

static const struct vsplit_subtest tests[] = {
	{ "pairs", test_pairs,
	  "For each pair of the table a task is held at a point while another task comes; bytes "
	  "and counts are right" },
	{ "context-guessed", test_guess,
	  "A context that is being made cannot be destroyed by its guessed id, and no two contexts "
	  "get the same id" },
	{ "handle-guessed", test_handle,
	  "A call that creates an allocation returns the handle even if another task has guessed "
	  "and closed it" },
	{ "gone-with-its-fence", test_gone,
	  "An engine that has signalled a job's fence does not need the job and its context, which "
	  "may be freed" },
	{ "lost-while-it-submits", test_lost,
	  "A submission is not executed if its context is lost while it is being checked or "
	  "placed" },
	{ "lost-twice", test_lost_twice,
	  "A device that a page fault has lost keeps telling the page fault" },
	{ "rewritten-behind-the-validator", test_rewritten,
	  "After a buffer was checked, the client overwrites the buffer and its lists, closes its "
	  "allocation and destroys its context" },
	{ "done-before-the-timeout-is-handled", test_late_timeout,
	  "A job that is done before its timeout is handled is not blamed, and neither is the next "
	  "one" },
	{ "timeout-before-done-is-told", test_late_done,
	  "A job that was executed, and whose completion is reported after several timeouts, "
	  "counts as executed" },
	{ "late-is-the-engine", test_late_engine,
	  "No job is blamed if an engine gets no processor for several timeouts; one is blamed if "
	  "it never gets one again" },
	{ "killed-between-portions", test_killed,
	  "A client dies while its buffer is between two portions, or its file is being closed "
	  "while the portion ends" },
	{ "closed-while-a-fault-waits", test_closed_fault,
	  "The module is in use until a page fault has ended that waited when the adapter was "
	  "removed" },
	{ "many-jobs-are-watched", test_watched,
	  "The watchdog releases its lock while it looks at very many jobs, so submissions need "
	  "not wait" },
	{ "unloaded-before-the-last-job-is-gone", test_unload,
	  "The module cannot be unloaded before the last job is freed, and can right after" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
