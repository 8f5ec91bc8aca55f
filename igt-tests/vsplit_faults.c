// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit faults
 * Description: Every call is made in every state while the Nth thing that can fail fails, or the
 *   Nth interruptible wait is interrupted, for every N. Each failure gives a documented error and
 *   changes nothing, and the same call right after it succeeds. With VSPLIT_NIGHTLY in the
 *   environment all states are tested, else three.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: fault injection
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_sweep.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

IGT_TEST_DESCRIPTION("Every call is made in every state while the Nth thing that can fail fails, "
		     "or the Nth interruptible wait is interrupted, for every N.");

#define U 16384ull
#define DRIVER "/sys/bus/platform/drivers/vsplit"

static const struct vsplit_adapter_opts plain = {
	.segs = { { "vram", .size = 64 * U }, { "gart", true, .size = 64 * U } },
	.slots = 16,
	.timeout_ms = 20000,
	.test = true,
};

/* ---- the world: an adapter in some state -------------------------------- */

static struct vsplit_adapter *ad;
static int fd, other, primary, dmabuf;
static uint32_t ctx, timeline;
static struct vsplit_bo *small, *big[3], *pinned;
static struct vsplit_cs *fits, *splits, *block, *crowd;
static uint32_t other_ctx;
/* The sums of the two buffers, in their first words. */
static uint64_t sum_fits, sum_splits;
static uint64_t points;

static void build(void)
{
	ad = vsplit_adapter_create(&plain);
	fd = vsplit_adapter_open(ad);
	other = vsplit_adapter_open(ad);
	primary = vsplit_adapter_open_primary(ad);
	ctx = vsplit_ctx(fd, 0);
	other_ctx = vsplit_ctx(other, 0);
	timeline = vsplit_syncobj(fd);
	points = 0;
	dmabuf = -1;
	block = NULL;
	crowd = NULL;
	pinned = NULL;
	small = vsplit_bo(fd, 'S', 2 * U);
	for (unsigned int i = 0; i < 3; i++)
		big[i] = vsplit_bo_in(fd, 'A' + i, 40 * U, 0, in_first);
	fits = vsplit_cs(fd);
	vsplit_cs_bind(fits, 0, small);
	vsplit_cs_add(fits, 0, 0, 1);
	splits = vsplit_cs(fd);
	for (unsigned int i = 0; i < 3; i++) {
		vsplit_cs_bind(splits, 0, big[i]);
		vsplit_cs_add(splits, 0, 0, 1);
	}
	sum_fits = 0;
	sum_splits = 0;
}

static void state_fresh(void)
{
}

static void run(struct vsplit_cs *cs)
{
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	if (cs == fits)
		sum_fits++;
	else
		sum_splits++;
}

static void state_resident(void)
{
	run(fits);
}

static void state_evicted(void)
{
	run(fits);
	run(splits);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
}

static void state_full(void)
{
	sweep_fill(&crowd, other, other_ctx, 64 * U);
}

/* A long split buffer of another client is under way. */
static void state_busy(void)
{
	if (!block) {
		block = vsplit_cs(other);
		for (unsigned int i = 0; i < 2; i++) {
			vsplit_cs_bind(block, 0, vsplit_bo_in(other, 'X' + i, 40 * U, 0, NULL));
			vsplit_cs_add(block, 0, 0, 1);
			vsplit_cs_spin(block, 2000);
		}
	}
	vsplit_cs_submit(block, other_ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
}

static void state_exported(void)
{
	run(fits);
	if (dmabuf >= 0)
		close(dmabuf);
	igt_assert_eq(drmPrimeHandleToFD(fd, small->handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
}

static void state_mapped(void)
{
	run(splits);
	for (unsigned int i = 0; i < 3; i++)
		igt_assert_eq_u64(*(volatile uint64_t *)big[i]->map, sum_splits);
}

/* A context of this file is lost. */
static void state_faulted(void)
{
	struct vsplit_cs *cs = vsplit_cs(fd);
	uint32_t bad = vsplit_ctx(fd, 0);

	vsplit_cs_bind(cs, 0, small);
	vsplit_cs_copy(cs, 5, 0, 0, 0, 8);
	vsplit_cs_submit(cs, bad, 0);
	igt_assert(__vsplit_cs_wait(cs) < 0);
	vsplit_cs_free(cs);
	igt_assert_eq(__vsplit_ctx_destroy(fd, bad), 0);
}

static void state_pinned(void)
{
	if (!pinned)
		pinned = vsplit_bo_in(fd, 'P', 8 * U, VSPLIT_GEM_PINNED, in_first);
	run(splits);
}

static const struct {
	const char *name;
	void (*enter)(void);
	/* Whether the state is tested even if the run is not nightly. */
	bool always;
} states[] = {
	{ "fresh", state_fresh, false },
	{ "resident", state_resident, false },
	{ "evicted", state_evicted, false },
	{ "full", state_full, true },
	{ "busy", state_busy, true },
	{ "exported", state_exported, false },
	{ "mapped", state_mapped, true },
	{ "faulted", state_faulted, false },
	{ "pinned", state_pinned, false },
};

/* ---- the calls ---------------------------------------------------------- */

/* Each function makes its call once; on success it undoes what would accumulate. */

static int op_query(void)
{
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];
	int ret = 0;

	for (unsigned int type = 0; !ret && type <= VSPLIT_QUERY_STATISTICS; type++) {
		struct drm_vsplit_query q = {
			.type = type,
			.size = sizeof(segs),
			.pointer = (uintptr_t)segs,
		};

		ret = __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_QUERY, &q);
	}
	return ret;
}

static int create(uint32_t flags)
{
	struct drm_vsplit_gem_create args = { .size = 4 * U, .flags = flags };
	int ret = __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_GEM_CREATE, &args);

	if (!ret)
		igt_assert_eq(__vsplit_gem_close(fd, args.handle), 0);
	return ret;
}

static int op_create(void)
{
	return create(0);
}

static int op_create_pinned(void)
{
	return create(VSPLIT_GEM_PINNED);
}

static int op_surface(void)
{
	struct drm_vsplit_surface_private format[2] = {
		{ .format = VSPLIT_SURFACE_TILED }, { .format = VSPLIT_SURFACE_LINEAR },
	};
	struct drm_vsplit_surface_alloc allocs[2] = {};
	struct drm_vsplit_gem_surface args = {
		.allocs = (uintptr_t)allocs,
		.num_allocs = 2,
	};
	int ret;

	for (unsigned int i = 0; i < 2; i++) {
		allocs[i].create.size = 2 * U;
		allocs[i].private_data = (uintptr_t)&format[i];
		allocs[i].private_bytes = sizeof(format[i]);
	}
	ret = __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args);
	for (unsigned int i = 0; !ret && i < 2; i++)
		igt_assert_eq(__vsplit_gem_close(fd, args.handles[i]), 0);
	return ret;
}

static int op_dumb(void)
{
	struct drm_mode_create_dumb args = { .width = 64, .height = 64, .bpp = 32 };
	int ret = __vsplit_ioctl_once(primary, DRM_IOCTL_MODE_CREATE_DUMB, &args);

	if (!ret)
		igt_assert_eq(__vsplit_gem_close(primary, args.handle), 0);
	return ret;
}

static int op_mmap_offset(void)
{
	struct drm_vsplit_gem_mmap_offset args = { .handle = small->handle };

	return __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET, &args);
}

static int op_info(void)
{
	struct drm_vsplit_gem_info args = { .handle = big[0]->handle };

	return __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_GEM_INFO, &args);
}

static int op_runs(void)
{
	struct drm_vsplit_run run;
	struct drm_vsplit_gem_runs args = {
		.handle = small->handle, .num_runs = 1, .runs = (uintptr_t)&run,
	};

	return __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_GEM_RUNS, &args);
}

static int op_priority(void)
{
	struct drm_vsplit_gem_priority args = { .handle = big[0]->handle };

	return __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_GEM_PRIORITY, &args);
}

static int op_lock(void)
{
	struct drm_vsplit_gem_lock args = { .handle = small->handle };
	int ret = __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &args);

	if (ret)
		return ret;
	/* What was locked has to be unlocked, whatever failures come. */
	do {
		ret = __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &args);
	} while (ret == -EINTR);
	igt_assert_eq(ret, 0);
	return 0;
}

static int op_ctx(void)
{
	struct drm_vsplit_ctx_create args = {};
	struct drm_vsplit_ctx_destroy destroy = {};
	int ret = __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_CTX_CREATE, &args);

	if (ret)
		return ret;
	destroy.ctx = args.ctx;
	igt_assert_eq(__vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_CTX_DESTROY, &destroy), 0);
	return 0;
}

static int op_ctx_query(void)
{
	struct drm_vsplit_ctx_query args = { .ctx = ctx };

	return __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_CTX_QUERY, &args);
}

static int submit(struct vsplit_cs *cs, bool signal_point)
{
	struct drm_vsplit_sync syncs[VSPLIT_CS_SYNCS + 1];
	struct drm_vsplit_submit args;
	uint64_t had = cs->submission;
	int ret;

	if (signal_point) {
		cs->nr_syncs = 0;
		if (points)
			vsplit_cs_wait_for(cs, timeline, points);
		vsplit_cs_signal(cs, timeline, points + 1);
	}
	vsplit_cs_args(cs, ctx, 0, &args, syncs);
	ret = __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_SUBMIT, &args);
	cs->nr_syncs = 0;
	if (ret)
		return ret;
	/* Exactly one submission was accepted. */
	igt_assert_f(args.submission > had, "submission %llu after %" PRIu64 "\n",
		     (unsigned long long)args.submission, had);
	cs->submission = args.submission;
	points += signal_point;
	return 0;
}

static int op_submit(void)
{
	int ret = submit(fits, false);

	sum_fits += !ret;
	return ret;
}

static int op_submit_sync(void)
{
	int ret = submit(fits, true);

	sum_fits += !ret;
	return ret;
}

static int op_submit_split(void)
{
	int ret = submit(splits, false);

	sum_splits += !ret;
	return ret;
}

static int op_record(void)
{
	struct drm_vsplit_event events[32];
	struct drm_vsplit_row rows[32];
	struct drm_vsplit_ctx_query query = { .ctx = ctx };
	struct drm_vsplit_record args = {
		.ctx = ctx,
		.events = (uintptr_t)events,
		.rows = (uintptr_t)rows,
		.num_events = ARRAY_SIZE(events),
		.num_rows = ARRAY_SIZE(rows),
	};
	int ret;

	ret = __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_CTX_QUERY, &query);
	if (ret || !query.last_submission)
		return ret;
	args.submission = query.last_submission;
	return __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_RECORD, &args);
}

static int escape(uint32_t op, uint32_t handle)
{
	struct drm_vsplit_escape args = { .op = op, .handle = handle };

	return __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_ESCAPE, &args);
}

static int op_page_in(void)
{
	int ret = escape(VSPLIT_ESCAPE_PAGE_IN, small->handle);

	if (ret)
		return ret == -EBUSY ? 0 : ret;		/* exported: it stays there */
	return escape(VSPLIT_ESCAPE_EVICT, small->handle);
}

static int op_evict_all(void)
{
	return escape(VSPLIT_ESCAPE_EVICT_ALL, 0);
}

static int op_open(void)
{
	return __vsplit_adapter_try_open(ad);
}

/*
 * A pipe reads and writes the mapping for this process: a failed page fault is then -EFAULT, not a
 * signal. It writes the bytes that were there.
 */
static int touch(const struct vsplit_bo *bo)
{
	struct drm_vsplit_gem_mmap_offset args = { .handle = bo->handle };
	int pipes[2], ret;
	void *map;

	ret = __vsplit_ioctl_once(fd, DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET, &args);
	if (ret)
		return ret;
	map = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, args.offset);
	if (map == MAP_FAILED)
		return -errno;
	igt_assert_eq(pipe(pipes), 0);
	if (write(pipes[1], map, 8) != 8 || read(pipes[0], map, 8) != 8)
		ret = -errno;
	close(pipes[0]);
	close(pipes[1]);
	munmap(map, bo->size);
	return ret;
}

static int op_touch(void)
{
	return touch(small);
}

static int op_touch_big(void)
{
	return touch(big[2]);
}

static int op_export(void)
{
	struct drm_prime_handle args = { .handle = small->handle, .flags = DRM_CLOEXEC };
	struct drm_prime_handle import = {};
	int ret = __vsplit_ioctl_once(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	if (ret)
		return ret;
	import.fd = args.fd;
	ret = __vsplit_ioctl_once(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &import);
	if (!ret)
		igt_assert_eq(__vsplit_gem_close(other, import.handle), 0);
	close(args.fd);
	return ret;
}

static const struct op ops[] = {
	{ "query", op_query, .errors = { -EFAULT } },
	{ "create", op_create, .errors = { -EFAULT } },
	{ "create-pinned", op_create_pinned, .errors = { -EFAULT } },
	{ "surface", op_surface, .errors = { -EFAULT } },
	{ "dumb", op_dumb, .errors = { -EFAULT } },
	{ "mmap-offset", op_mmap_offset, .errors = { -EFAULT, -ENOSPC } },
	{ "info", op_info, .errors = { -EFAULT } },
	{ "runs", op_runs, .errors = { -EFAULT } },
	{ "priority", op_priority, .errors = { -EFAULT } },
	{ "lock", op_lock, .errors = { -EFAULT } },
	{ "ctx", op_ctx, .errors = { -EFAULT } },
	{ "ctx-query", op_ctx_query, .errors = { -EFAULT } },
	{ "submit", op_submit, .errors = { -EFAULT } },
	{ "submit-sync", op_submit_sync, .errors = { -EFAULT } },
	{ "submit-split", op_submit_split, .errors = { -EFAULT } },
	{ "record", op_record, .errors = { -EFAULT } },
	{ "page-in", op_page_in, .errors = { -EFAULT, -ENOSPC } },
	{ "evict-all", op_evict_all, .errors = { -EFAULT } },
	{ "open", op_open, .errors = { -EFAULT } },
	{ "touch", op_touch, .errors = { -EFAULT, -EAGAIN, -ENOSPC } },
	{ "touch-big", op_touch_big, .errors = { -EFAULT, -EAGAIN, -ENOSPC } },
	{ "export", op_export, .errors = { -EFAULT, -EMFILE } },
};

/* ---- the sweep ---------------------------------------------------------- */

/* State that a failed call must not change. */
struct seen {
	struct drm_vsplit_ctx_query ctx;
	struct drm_vsplit_gem_info info[4];
	uint64_t submissions;
};

_Static_assert(sizeof(struct seen) <= 1024, "what sweep_op() has for it");

static void look(void *buf)
{
	struct drm_vsplit_statistics stats;
	struct seen *seen = buf;

	vsplit_ctx_query(fd, ctx, &seen->ctx);
	for (unsigned int i = 0; i < 4; i++) {
		vsplit_info(i ? big[i - 1] : small, &seen->info[i]);
		/* The place of an allocation, and what depends on it, may change. */
		seen->info[i].segment = 0;
		seen->info[i].offset = 0;
		seen->info[i].flags &= VSPLIT_GEM_INFO_PINNED;
	}
	vsplit_query_statistics(fd, &stats);
	seen->submissions = stats.submissions;
}

/* Checks that everything accepted was executed once, and nothing else was. */
static void check_sums(void)
{
	uint64_t word;

	if (fits->submission)
		__vsplit_cs_wait(fits);
	if (splits->submission)
		__vsplit_cs_wait(splits);
	if (block)
		vsplit_cs_wait(block);
	memcpy(&word, small->map, 8);
	igt_assert_eq_u64(word, sum_fits);
	for (unsigned int i = 0; i < 3; i++) {
		memcpy(&word, big[i]->map, 8);
		igt_assert_eq_u64(word, sum_splits);
	}
}

static void sweep_state(struct sweep *s, unsigned int state)
{
	struct vsplit_counters none = {};

	build();
	s->ad = ad;
	s->state = states[state].name;
	s->enter = states[state].enter;
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
		sweep_op(s, &ops[i]);
		check_sums();
	}
	if (dmabuf >= 0)
		close(dmabuf);
	vsplit_cleanup_file(fd);
	vsplit_cleanup_file(other);
	vsplit_close(primary);
	vsplit_counters_become(ad, &none);
	vsplit_cleanup();
}

static void sweep(enum vsplit_inject kind, const char *row, const char *what)
{
	struct sweep s = { .kind = kind, .look = look };

	vsplit_inject_require(kind);
	for (unsigned int i = 0; i < ARRAY_SIZE(states); i++)
		if (states[i].always || vsplit_nightly())
			sweep_state(&s, i);
	sweep_end(&s, 51, row, what);
}

/**
 * SUBTEST: sites
 * Description: Every call in every state, with each of the driver's own fault sites failing.
 */
static void test_sites(void)
{
	sweep(VSPLIT_INJECT_SITE, "R1", "failures at the driver's sites");
}

/**
 * SUBTEST: kernel
 * Description: Every call in every state, with allocations of memory and pages and user copies
 *   failing, by the kernel's fail-nth.
 */
static void test_kernel(void)
{
	sweep(VSPLIT_INJECT_KERNEL, "R1", "failed allocations and user copies");
}

/**
 * SUBTEST: waits
 * Description: Every call in every state, with each interruptible wait interrupted.
 */
static void test_waits(void)
{
	sweep(VSPLIT_INJECT_WAIT, "R2", "interrupted waits");
}

/* The directories of an adapter are made before the adapter. */
static struct vsplit_adapter dir;

static int run_directory(void)
{
	return __vsplit_adapter_mkdir(&dir, "");
}

static void done_directory(bool clean)
{
	igt_assert_eq(__vsplit_adapter_rmdir(&dir, ""), 0);
}

static int run_segment(void)
{
	return __vsplit_adapter_mkdir(&dir, "segments/vram");
}

static void done_segment(bool clean)
{
	igt_assert_eq(__vsplit_adapter_rmdir(&dir, "segments/vram"), 0);
}

static void sweep_directories(struct sweep *s)
{
	static const struct op directories[] = {
		{ "adapter", run_directory, .errors = { -EFAULT }, .done = done_directory },
		{ "segment", run_segment, .errors = { -EFAULT }, .done = done_segment },
	};

	snprintf(dir.name, sizeof(dir.name), "igt-%d-directory", getpid());
	s->state = "directories";
	sweep_op(s, &directories[0]);
	igt_assert_eq(run_directory(), 0);
	sweep_op(s, &directories[1]);
	done_directory(true);
}

static void sweep_adapter(struct sweep *s)
{
	static const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 8 * U }, { "gart", true, .size = 8 * U } },
		.engines = 2,
		.paging_own = true,
		.test = true,
	};
	unsigned int n;

	vsplit_inject_require(s->kind);
	vsplit_require_configfs();
	sweep_directories(s);
	ad = vsplit_adapter_prepare(&opts);
	for (n = 1; n < MAX_N; n++) {
		bool fired;
		int ret;

		vsplit_inject_arm(s->kind, n);
		ret = __vsplit_adapter_write(ad, "enable", "1");
		fired = vsplit_inject_disarm(s->kind, s->site);
		if (!fired) {
			igt_assert_eq(ret, 0);
			break;
		}
		s->injected++;
		s->failed += !!ret;
		/* -EINVAL: the platform device has no name. */
		igt_assert_f(!ret || ret == -ENOMEM || ret == -EFAULT || ret == -EINTR ||
			     ret == -ENOSPC || ret == -ENODEV || ret == -EIO || ret == -EINVAL,
			     "failure %u at %s: %d (%s)\n", n, s->site, ret, strerror(-ret));
		if (!ret) {
			/* The adapter works without what failed. */
			igt_assert_eq(__vsplit_adapter_write(ad, "enable", "0"), 0);
			continue;
		}
		if (n % 8 == 1) {
			igt_assert_eq(__vsplit_adapter_write(ad, "enable", "1"), 0);
			igt_assert_eq(__vsplit_adapter_write(ad, "enable", "0"), 0);
		}
	}
	igt_assert_f(n < MAX_N, "there is no end to the failures\n");
	vsplit_adapter_destroy(ad);
}

/**
 * SUBTEST: probe-sites
 * Description: An adapter and its directories are made, with each fault site on the way failing.
 */
static void test_probe_sites(void)
{
	struct sweep s = { .kind = VSPLIT_INJECT_SITE };

	sweep_adapter(&s);
	sweep_end(&s, 15, "R1", "failures of the driver's sites while an adapter is made");
}

/**
 * SUBTEST: probe-kernel
 * Description: An adapter and its directories are made, with each allocation on the way failing.
 */
static void test_probe_kernel(void)
{
	struct sweep s = { .kind = VSPLIT_INJECT_KERNEL };

	sweep_adapter(&s);
	sweep_end(&s, 50, "R1", "failed allocations while an adapter is made");
}

/**
 * SUBTEST: evictions
 * Description: While one allocation is paged in, the eviction of another one fails, at each site
 *   where it can. That allocation loses its pages, and nothing else. After that, submissions evict
 *   it, and all of its bytes are there.
 */
static void test_evictions(void)
{
	unsigned int n, failed = 0;
	bool fired = true;

	vsplit_inject_require(VSPLIT_INJECT_SITE);
	build();
	for (n = 1; n < MAX_N && fired; n++) {
		vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, big[0]->handle, 1);
		vsplit_inject_arm(VSPLIT_INJECT_SITE, n);
		failed += __vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, big[1]->handle, 1) != 0;
		fired = vsplit_inject_disarm(VSPLIT_INJECT_SITE, NULL);
		run(splits);
		check_sums();
	}
	igt_assert(n < MAX_N);
	igt_assert(failed >= 3);
	vsplit_figure("R1", "failed evictions of others", failed);
}

/* ---- life and death of fences ------------------------------------------- */

static void *unbinder(void *arg)
{
	return (void *)(intptr_t)__vsplit_write_file(DRIVER "/unbind", ad->device);
}

static int export_fence(const struct vsplit_cs *cs)
{
	int file;

	igt_assert_eq(drmSyncobjExportSyncFile(fd, cs->out, &file), 0);
	return file;
}

/**
 * SUBTEST: unplug-keeps-the-order
 * Description: While an engine still executes, an unplug signals no later fence of the same
 *   context. A later fence would hide the earlier one, and memory in use would be freed.
 */
static void test_unplug_order(void)
{
	int earlier_fence, later_fence;
	struct vsplit_cs *later;
	bool early = false;
	pthread_t thread;
	void *ret;

	vsplit_require_sync_points();
	build();
	block = vsplit_cs(fd);
	vsplit_cs_bind(block, 0, small);
	vsplit_cs_spin(block, VSPLIT_SPIN_MAX_US);
	vsplit_cs_add(block, 0, 0, 1);
	vsplit_cs_submit(block, ctx, 0);
	earlier_fence = export_fence(block);
	vsplit_hold("exec.unplug");
	igt_assert_eq(pthread_create(&thread, NULL, unbinder, NULL), 0);
	if (!vsplit_wait_held("exec.unplug")) {
		vsplit_release("exec.unplug");
		igt_assert_f(false, "the unbind did not get there\n");
	}
	later = vsplit_cs(fd);
	vsplit_cs_bind(later, 0, small);
	vsplit_cs_add(later, 0, 0, 1);
	igt_assert_eq(__vsplit_cs_submit(later, ctx, 0), 0);
	later_fence = export_fence(later);
	for (unsigned int i = 0; i < 20 && !early; i++) {
		early = vsplit_fence_status(later_fence) && !vsplit_fence_status(earlier_fence);
		usleep(10000);
	}
	vsplit_release("exec.unplug");
	igt_assert_eq(pthread_join(thread, &ret), 0);
	igt_assert_f(!early, "the later submission was over while the earlier one ran\n");
	igt_assert_eq((intptr_t)ret, 0);
	igt_assert_eq(vsplit_fence_status(earlier_fence), -ENODEV);
	igt_assert_eq(vsplit_fence_status(later_fence), -ENODEV);
	close(earlier_fence);
	close(later_fence);
}

static const struct vsplit_subtest tests[] = {
	{ "sites", test_sites,
	  "Every call is made in every state while each of the driver's own fault sites fails" },
	{ "kernel", test_kernel,
	  "Every call is made in every state while allocations of memory and pages and user copies "
	  "fail, by fail-nth" },
	{ "waits", test_waits,
	  "Every call is made in every state while each interruptible wait is interrupted" },
	{ "probe-sites", test_probe_sites,
	  "An adapter and its directories are made, with each fault site on the way failing" },
	{ "probe-kernel", test_probe_kernel,
	  "An adapter and its directories are made, with each allocation on the way failing" },
	{ "evictions", test_evictions,
	  "An allocation whose eviction for another one fails loses no byte, and can be evicted "
	  "later" },
	{ "unplug-keeps-the-order", test_unplug_order,
	  "While an engine still executes, an unplug signals no later fence of the same context" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
