// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit hostile
 * Description: Clients are killed, take everything, or search for bytes of other clients, and
 *   adapters and the module go away while in use. Other clients are not affected.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: robustness
 * Test category: stress test
 *
 * With VSPLIT_NIGHTLY in the environment the numbers of rounds are the full ones, or a part of them
 * (vsplit_rounds()).
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_engine.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Clients are killed, take everything, or search for bytes of other "
		     "clients, and adapters and the module go away while in use.");

#define PAGE 4096u
#define DRIVER "/sys/bus/platform/drivers/vsplit"

static const struct vsplit_adapter_opts plain = {
	.segs = { { "vram", .size = 64 * U } },
	.slots = 16,
	.engines = 2,
	.timeout_ms = 20000,
	.test = true,
};

/* ---- R5: killed --------------------------------------------------------- */

/* A client that splits, pages, maps and waits, until it is killed. */
static void victim(unsigned int seed)
{
	struct vsplit_rng rng = { seed };
	int f = vsplit_adapter_open(ad);
	uint32_t c = vsplit_ctx(f, 0);
	struct vsplit_bo *bo[3];
	struct vsplit_cs *cs;
	int status;

	cs = vsplit_cs(f);
	for (unsigned int i = 0; i < 3; i++) {
		bo[i] = vsplit_bo(f, 'A' + i, 40 * U);
		vsplit_cs_bind(cs, 0, bo[i]);
		vsplit_cs_add(cs, 0, 0, 1);
		vsplit_cs_spin(cs, 200);
	}
	/* A child shares the file, which is closed only when the last process ends. */
	if (seed % 4 == 0 && fork() == 0) {
		for (;;)
			vsplit_cs_submit_next(cs, vsplit_ctx(f, 0), 0);
	}
	for (;;) {
		vsplit_cs_submit_next(cs, c, 0);
		switch (vsplit_rng_below(&rng, 4)) {
		case 0:
			bo[vsplit_rng_below(&rng, 3)]->map[vsplit_rng_below(&rng, PAGE)]++;
			break;
		case 1:
			vsplit_cs_wait(cs);
			break;
		case 2:
			status = vsplit_bo_resident(bo[0]);
			(void)status;
			break;
		}
	}
}

/**
 * SUBTEST: killed-in-the-middle
 * Description: Clients are killed at random instants of splitting and paging, together with their
 *   children. An innocent client's bytes are right. All objects of the killed clients are gone
 *   after the engines are done with their work.
 */
static void test_killed(void)
{
	unsigned int rounds = vsplit_rounds(30, 1000);
	struct vsplit_counters before;
	struct vsplit_rng rng = { 11 };
	struct innocent in;
	uint64_t worst = 0;

	setup_engines(&plain);
	innocent_start(&in, 0);
	innocent_submit(&in);
	innocent_check(&in);
	usleep(200000);
	igt_require(vsplit_counters(ad, &before));
	for (unsigned int round = 0; round < rounds; round++) {
		uint64_t t0;
		pid_t pid = vsplit_fork();
		int status;

		if (!pid) {
			setpgid(0, 0);
			victim(round + 1);
		}
		setpgid(pid, pid);
		usleep(20000 + vsplit_rng_below(&rng, 50000));
		if (round % 2)
			innocent_submit(&in);
		t0 = vsplit_now_ns();
		kill(-pid, SIGKILL);
		status = vsplit_reap(pid);
		igt_assert_f(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
			     "the client ended by itself: %#x\n", status);
		if (round % 2)
			innocent_check(&in);
		vsplit_counters_idle(ad, &before);
		worst = vsplit_now_ns() - t0 > worst ? vsplit_now_ns() - t0 : worst;
	}
	vsplit_figure("R5", "clients killed while they split", rounds);
	igt_info("all gone after %" PRIu64 " ms at most\n", worst / 1000000);
}

/**
 * SUBTEST: stopped-and-continued
 * Description: Under storms of SIGSTOP and SIGCONT, and of a handled signal, every accepted
 *   submission runs exactly once.
 */
static void test_stopped(void)
{
	unsigned int rounds = vsplit_rounds(60, 2000);
	uint64_t *shared, word;
	uint64_t signals = 0;
	struct vsplit_bo *a;
	int status;
	pid_t pid;

	setup_engines(&plain);
	a = vsplit_bo(fd, 'A', 2 * U);
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(shared != MAP_FAILED);
	pid = vsplit_fork();
	if (!pid) {
		uint32_t c = vsplit_ctx(fd, 0);
		struct vsplit_cs *cs = vsplit_cs(fd);
		int ret;

		for (unsigned int i = 0; i < 2; i++) {
			vsplit_cs_bind(cs, 0, vsplit_bo_in(fd, 'B' + i, 40 * U, 0, in_first));
			vsplit_cs_bind(cs, 1, a);
			vsplit_cs_add(cs, 1, 0, 1);
		}
		while (shared[1] == 0) {
			ret = __vsplit_cs_submit(cs, c, 0);
			if (ret == -ENOBUFS) {
				/* As many submissions as allowed are under way. */
				vsplit_cs_wait(cs);
				continue;
			}
			igt_assert_eq(ret, 0);
			shared[0]++;
		}
		vsplit_cs_wait(cs);
		_exit(0);
	}
	while (shared[0] < rounds) {
		kill(pid, SIGSTOP);
		usleep(500);
		kill(pid, SIGCONT);
		usleep(2500);
		signals++;
		igt_assert_f(waitpid(pid, &status, WNOHANG) == 0, "it ended: %#x\n", status);
	}
	shared[1] = 1;
	status = vsplit_reap(pid);
	igt_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	memcpy(&word, a->map, 8);
	igt_assert_eq_u64(word, 2 * shared[0]);
	vsplit_figure("R2", "submissions of a client that was stopped again and again", shared[0]);
	vsplit_figure("R2", "times that it was stopped", signals);
	munmap(shared, PAGE);
}

/* ---- R6: the module goes ------------------------------------------------ */

static uint64_t used_now(uint64_t *pages)
{
	sync();
	for (unsigned int i = 0; i < 3; i++) {
		__vsplit_write_file("/proc/sys/vm/drop_caches", "3");
		usleep(100000);
	}
	/* Memory that is neither free nor reclaimable from caches; this includes pages of TTM. */
	*pages = vsplit_meminfo("MemTotal:") - vsplit_available_kib();
	/* KASAN keeps freed memory for a while: then the slabs say nothing. */
	return vsplit_meminfo("VmallocUsed:") +
	       (access("/sys/kernel/debug/kcov", F_OK) ? vsplit_meminfo("Slab:") : 0);
}

/* The KiB of pages that use_all() fills. */
#define LOST_PAGES 16384

/* Makes an adapter, a client and work, and removes all of it. */
static void use_all(void)
{
	struct vsplit_cs *cs;

	setup_engines(&plain);
	cs = vsplit_cs(fd);
	for (unsigned int i = 0; i < 3; i++) {
		vsplit_cs_bind(cs, 0, vsplit_bo(fd, 'A' + i, 40 * U));
		vsplit_cs_add(cs, 0, 0, 1);
	}
	vsplit_cs_run(cs, vsplit_ctx(fd, 0), 0);
	/* Fill many pages, so that lost pages show. */
	for (unsigned int i = 0; i < LOST_PAGES / 1024; i++)
		vsplit_bo_set(vsplit_bo(fd, 'P', 1 << 20), i);
	vsplit_cleanup();
}

/**
 * SUBTEST: loaded-again-and-again
 * Description: The module is unloaded and loaded again and again, with work in between. No memory
 *   is lost.
 */
static void test_reload(void)
{
	unsigned int rounds = vsplit_rounds(6, 50), warm = 2;
	uint64_t before = 0, after, pages_before = 0, pages;

	igt_require(getenv("VSPLIT_KO"));
	vsplit_require_configfs();
	for (unsigned int i = 0; i < warm + rounds; i++) {
		int ret;

		if (i == warm)
			before = used_now(&pages_before);
		use_all();
		ret = vsplit_module_unload_soon();
		igt_assert_f(!ret, "unloading: %s\n", strerror(-ret));
		ret = vsplit_module_load("");
		igt_assert_f(!ret, "loading: %s\n", strerror(-ret));
	}
	/* RCU and workers free some memory later. */
	for (unsigned int i = 0; i < 100; i++) {
		after = used_now(&pages);
		if (pages < pages_before + LOST_PAGES * rounds / 2)
			break;
	}
	vsplit_figure("R6", "times that the module was unloaded and loaded", rounds);
	igt_info("%" PRIu64 " KiB, then %" PRIu64 " KiB\n", before, after);
	/* Noise is some hundred KiB in all; kmemleak finds smaller losses. */
	igt_assert_f(after < before + 2048 + 16 * rounds, "%" PRIu64 " KiB, then %" PRIu64 " KiB\n",
		     before, after);
	/* use_all() fills some MiB of allocations each time, so even one lost round shows. */
	igt_assert_f(pages < pages_before + LOST_PAGES * rounds / 2,
		     "pages: %" PRIu64 " KiB, then %" PRIu64 " KiB\n", pages_before, pages);
}

/**
 * SUBTEST: held-while-unloaded
 * Description: While a file, a mapping, an exported allocation, a fence or a configfs adapter
 *   exists, the module cannot be unloaded. Right after it is gone, it can.
 */
static void test_held(void)
{
	enum { FILE_OPEN, MAPPING, EXPORTED, OUT_FENCE, ADAPTER, KINDS };

	igt_require(getenv("VSPLIT_KO"));
	for (unsigned int what = 0; what < KINDS; what++) {
		int exported, fence, held, ret;
		struct vsplit_bo *a;
		struct vsplit_cs *cs;
		char path[32];
		void *map;

		setup_engines(&plain);
		a = vsplit_bo(fd, 'A', 2 * U);
		igt_assert_eq(__vsplit_mmap(fd, a->handle, U, &map), 0);
		igt_assert_eq(drmPrimeHandleToFD(fd, a->handle, DRM_CLOEXEC, &exported), 0);
		cs = vsplit_cs(fd);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_spin(cs, VSPLIT_SPIN_MAX_US);
		vsplit_cs_submit(cs, vsplit_ctx(fd, 0), 0);
		igt_assert_eq(drmSyncobjExportSyncFile(fd, cs->out, &fence), 0);
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", ad->render);
		held = open(path, O_RDWR | O_CLOEXEC);
		igt_assert(held >= 0);

		/* Keep one of them, and drop all others. */
		if (what != FILE_OPEN)
			close(held);
		if (what != MAPPING)
			munmap(map, U);
		if (what != EXPORTED)
			close(exported);
		if (what != OUT_FENCE)
			close(fence);
		if (what == ADAPTER)
			vsplit_cleanup_file(fd);
		else
			vsplit_cleanup();
		for (unsigned int i = 0; i < 20; i++) {
			ret = vsplit_module_unload();
			igt_assert_f(ret == -EAGAIN || ret == -EBUSY, "%u is held, unloading: %d\n",
				     what, ret);
			usleep(10000);
		}
		/* A fence whose adapter is gone still answers. */
		if (what == OUT_FENCE)
			igt_assert_eq(vsplit_fence_status(fence), -ENODEV);
		if (what == FILE_OPEN)
			close(held);
		if (what == MAPPING)
			munmap(map, U);
		if (what == EXPORTED)
			close(exported);
		if (what == OUT_FENCE)
			close(fence);
		vsplit_cleanup();
		ret = vsplit_module_unload_soon();
		igt_assert_f(!ret, "%u is gone, unloading: %s\n", what, strerror(-ret));
		igt_assert_eq(vsplit_module_load(""), 0);
	}
}

/* ---- R7: the adapter goes ----------------------------------------------- */

/* Submits and touches mappings until the adapter is gone; then all fences must have signalled. */
static int busy_client(unsigned int nr, uint32_t *submitted)
{
	int f = vsplit_adapter_open(ad), fences[64], ret;
	uint32_t c = vsplit_ctx_on(f, 0, nr % 2);
	struct vsplit_cs *cs = vsplit_cs(f);
	struct vsplit_bo *bo[3];
	unsigned int n = 0;

	for (unsigned int i = 0; i < 3; i++) {
		bo[i] = vsplit_bo(f, 'A' + i, 30 * U);
		vsplit_cs_bind(cs, 0, bo[i]);
		vsplit_cs_add(cs, 0, 0, 1);
		vsplit_cs_spin(cs, 100);
	}
	for (;;) {
		ret = __vsplit_cs_submit(cs, c, 0);
		if (ret)
			break;
		__atomic_add_fetch(submitted, 1, __ATOMIC_RELAXED);
		if (n < 64 && !drmSyncobjExportSyncFile(f, cs->out, &fences[n]))
			n++;
		for (unsigned int i = 0; i < 3; i++)
			bo[i]->map[(n * PAGE) % bo[i]->size]++;
	}
	if (ret != -ENODEV)
		return 1;
	for (unsigned int i = 0; i < n; i++) {
		struct pollfd p = { .fd = fences[i], .events = POLLIN };

		if (poll(&p, 1, VSPLIT_SOON_MS) != 1)
			return 2;
		ret = vsplit_fence_status(fences[i]);
		if (ret != 1 && ret != -ENODEV)
			return 3;
		close(fences[i]);
	}
	/* Touching gives no signal. */
	for (unsigned int i = 0; i < 3; i++)
		for (uint64_t at = 0; at < bo[i]->size; at += PAGE)
			bo[i]->map[at]++;
	return 0;
}

static void rebind(void)
{
	char value[16];

	igt_assert_eq(__vsplit_write_file(DRIVER "/bind", ad->device), 0);
	igt_assert_eq(__vsplit_adapter_read(ad, "render", value, sizeof(value)), 0);
	ad->render = atoi(value);
	igt_assert_eq(__vsplit_adapter_read(ad, "primary", value, sizeof(value)), 0);
	ad->primary = atoi(value);
}

/**
 * SUBTEST: unbound-while-busy
 * Description: An adapter is unbound while eight clients submit, page and touch mappings. Each
 *   client gets -ENODEV and no signal, every fence has signalled, and the adapter can be bound
 *   again.
 */
static void test_unbound(void)
{
	unsigned int rounds = vsplit_rounds(4, 100);
	struct vsplit_rng rng = { 3 };
	uint32_t *submitted;

	submitted = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(submitted != MAP_FAILED);
	setup_engines(&plain);
	vsplit_close(fd);
	for (unsigned int round = 0; round < rounds; round++) {
		pid_t pids[8];

		/* Forget the counts of the last round's clients. */
		memset(submitted, 0, 8 * sizeof(*submitted));
		for (unsigned int i = 0; i < 8; i++) {
			pids[i] = vsplit_fork();
			if (!pids[i])
				_exit(busy_client(i, &submitted[i]));
		}
		/* Wait until all of them are busy. */
		for (unsigned int i = 0; i < 8; i++)
			while (__atomic_load_n(&submitted[i], __ATOMIC_RELAXED) < 3)
				usleep(10000);
		usleep(vsplit_rng_below(&rng, 200000));
		igt_assert_eq(__vsplit_write_file(DRIVER "/unbind", ad->device), 0);
		for (unsigned int i = 0; i < 8; i++) {
			int status = vsplit_reap(pids[i]);

			igt_assert_f(WIFEXITED(status) && !WEXITSTATUS(status),
				     "client %u: status %#x\n", i, status);
		}
		rebind();
	}
	vsplit_figure("R7", "adapters unbound under eight busy clients", rounds);
	use_all();
}

/* ---- R9: paging --------------------------------------------------------- */

/**
 * SUBTEST: sixteen-times-the-memory
 * Description: A working set has sixteen times the size of video memory. Every page keeps its
 *   owner, offset and version through all paging.
 */
static void test_paging(void)
{
	enum { N = 64, PAGES = 64 };
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = N * PAGES / 16 * PAGE } },
		.slots = 16,
		.paging_own = true,
		.test = true,
	};
	uint64_t want = (uint64_t)vsplit_rounds(64, 4096) << 20;
	struct drm_vsplit_statistics stats;
	struct vsplit_rng rng = { 9 };
	static struct vsplit_bo *bo[N];
	uint32_t version[N] = {}, ctx[2];
	struct vsplit_cs *cs;
	uint64_t checked = 0;

	setup_engines(&opts);
	for (unsigned int i = 0; i < N; i++) {
		bo[i] = vsplit_bo(fd, 'A' + i % 26, PAGES * PAGE);
		for (unsigned int p = 0; p < PAGES; p++) {
			uint64_t tag[3] = { i, p, 0 };

			memcpy(bo[i]->map + p * PAGE, tag, sizeof(tag));
		}
	}
	cs = vsplit_cs(fd);
	ctx[0] = vsplit_ctx(fd, 0);
	ctx[1] = vsplit_ctx(fd, 0);
	do {
		unsigned int n;

		vsplit_cs_reset(cs);
		for (unsigned int g = 0; g < 12; g++) {
			n = vsplit_rng_below(&rng, N);
			vsplit_cs_bind(cs, 0, bo[n]);
			/* Give all of its pages a new version. */
			for (unsigned int p = 0; p < PAGES; p++)
				vsplit_cs_add(cs, 0, p * PAGE + 16, 1);
			version[n]++;
		}
		vsplit_cs_submit(cs, ctx[vsplit_rng_below(&rng, 2)], 0);
		/* The CPU checks one allocation, and gives it a new version. */
		n = vsplit_rng_below(&rng, N);
		vsplit_cs_wait(cs);
		for (unsigned int p = 0; p < PAGES; p++) {
			uint64_t tag[3];

			memcpy(tag, bo[n]->map + p * PAGE, sizeof(tag));
			igt_assert_f(tag[0] == n && tag[1] == p && tag[2] == version[n],
				     "allocation %u, page %u, version %u has the tag of %" PRIu64
				     ", %" PRIu64 ", %" PRIu64 "\n", n, p, version[n], tag[0], tag[1],
				     tag[2]);
			tag[2]++;
			memcpy(bo[n]->map + p * PAGE + 16, &tag[2], 8);
		}
		version[n]++;
		checked += PAGES;
		vsplit_query_statistics(fd, &stats);
	} while (stats.paged_in_copied_bytes + stats.evicted_copied_bytes < want);
	for (unsigned int n = 0; n < N; n++) {
		for (unsigned int p = 0; p < PAGES; p++) {
			uint64_t tag[3];

			memcpy(tag, bo[n]->map + p * PAGE, sizeof(tag));
			igt_assert(tag[0] == n && tag[1] == p && tag[2] == version[n]);
		}
	}
	vsplit_figure("R9", "MiB paged at sixteen times the video memory",
		      (stats.paged_in_copied_bytes + stats.evicted_copied_bytes) >> 20);
	vsplit_figure("R9", "pages checked", checked + N * PAGES);
}

/* ---- R10: what others left ---------------------------------------------- */

#define TAG 0x5ec2e75ec2e75ec2ull

static bool has_tag(const void *from, uint64_t bytes)
{
	const uint64_t *words = from;

	for (uint64_t i = 0; i < bytes / 8; i++)
		if (words[i] == TAG)
			return true;
	return false;
}

/* Fills all of the memory with bytes that no other client may see, and closes the file. */
static void leave_secrets(void)
{
	int f = vsplit_adapter_open(ad);
	struct vsplit_cs *cs = vsplit_cs(f);

	for (unsigned int i = 0; i < 2; i++) {
		struct vsplit_bo *bo = vsplit_bo(f, 'S', 30 * U);

		for (uint64_t at = 0; at < bo->size; at += 8)
			*(uint64_t *)(bo->map + at) = TAG;
		vsplit_cs_bind(cs, i, bo);
		vsplit_cs_add(cs, i, 0, 0);
	}
	vsplit_cs_submit_and_wait(cs, vsplit_ctx(f, 0), 0);
	vsplit_cleanup_file(f);
}

/**
 * SUBTEST: nothing-of-others
 * Description: A client searches all that it can read for another client's bytes: new memory,
 *   memory that it promised to overwrite and did not, the end of the last page, dma-bufs, empty
 *   rows, and everything that calls return.
 */
static void test_scavenger(void)
{
	unsigned int rounds = vsplit_rounds(8, 700);
	uint64_t scanned = 0;

	setup_engines(&plain);
	for (unsigned int round = 0; round < rounds; round++) {
		struct drm_vsplit_gem_create odd = { .size = 30 * U - 100 };
		struct vsplit_bo *bo, *copy, *discarded;
		uint8_t answer[PAGE];
		struct vsplit_cs *cs;
		uint32_t size, ctx;
		int f, file;
		void *map;

		leave_secrets();
		f = vsplit_adapter_open(ad);
		ctx = vsplit_ctx(f, 0);
		cs = vsplit_cs(f);
		/* In video memory: the GPU reads it into another allocation. */
		bo = vsplit_bo_args(f, 'N', &odd);
		copy = vsplit_bo(f, 'C', 30 * U);
		vsplit_cs_bind(cs, 0, bo);
		vsplit_cs_bind(cs, 1, copy);
		vsplit_cs_copy(cs, 1, 0, 0, 0, 30 * U);
		vsplit_cs_submit_and_wait(cs, ctx, 0);
		igt_assert_f(!has_tag(bo->map, 30 * U) && !has_tag(copy->map, 30 * U),
			     "new memory has bytes of another client\n");
		scanned += 60 * U;
		vsplit_bo_free(copy);
		vsplit_bo_free(bo);
		/* The client promises to overwrite everything, but does not. */
		leave_secrets();
		discarded = vsplit_bo(f, 'D', 40 * U);
		vsplit_cs_reset(cs);
		vsplit_cs_alloc(cs, discarded, VSPLIT_ALLOC_WRITE | VSPLIT_ALLOC_DISCARD);
		vsplit_cs_bind(cs, 0, discarded);
		vsplit_cs_add(cs, 0, 0, 0);
		vsplit_cs_submit_and_wait(cs, ctx, 0);
		igt_assert_f(!has_tag(discarded->map, 40 * U),
			     "what was discarded has bytes of another client\n");
		scanned += 40 * U;
		/* The same memory through another file. */
		igt_assert_eq(drmPrimeHandleToFD(f, discarded->handle, DRM_CLOEXEC, &file), 0);
		map = mmap(NULL, 40 * U, PROT_READ, MAP_SHARED, file, 0);
		igt_assert_f(map != MAP_FAILED, "mapping the dma-buf: %s\n", strerror(errno));
		igt_assert(!has_tag(map, 40 * U));
		munmap(map, 40 * U);
		close(file);
		/*
		 * Through a row that nothing was ever bound to, and through one that was unbound.
		 */
		for (unsigned int row = 1; row < 4; row += 2) {
			copy = vsplit_bo(f, 'E', 4 * U);
			vsplit_cs_reset(cs);
			vsplit_cs_bind(cs, 0, copy);
			if (row == 3) {
				vsplit_cs_bind(cs, row, discarded);
				vsplit_cs_unbind(cs, row);
			}
			vsplit_cs_copy(cs, 0, 0, row, 0, 4 * U);
			vsplit_cs_submit(cs, vsplit_ctx(f, 0), 0);
			igt_assert(__vsplit_cs_wait(cs) != 0);
			igt_assert_f(!has_tag(copy->map, 4 * U),
				     "an empty row has bytes of another client\n");
			vsplit_bo_check(copy);
			vsplit_bo_free(copy);
		}
		/* The answers of calls. */
		for (uint32_t type = 0; type <= VSPLIT_QUERY_STATISTICS; type++) {
			memset(answer, 0, sizeof(answer));
			size = sizeof(answer);
			igt_assert_eq(__vsplit_query(f, type, answer, &size), 0);
			igt_assert(!has_tag(answer, sizeof(answer)));
		}
		vsplit_cleanup_file(f);
	}
	vsplit_figure("R10", "KiB scanned for bytes of others", scanned >> 10);
}

/* ---- R16: clients that take everything ------------------------------------------ */

/* Small, so that copying does not take all the time with so many clients. */
static const struct vsplit_adapter_opts contested = {
	.segs = { { "vram", .size = 16 * PAGE } },
	.slots = 16,
	.engines = 2,
	.timeout_ms = 20000,
	.test = true,
};

/* Uses one and a half times the memory as fast as it can; counts accepted submissions. */
static void hog(unsigned int nr, uint32_t *count)
{
	int f = vsplit_adapter_open(ad);
	uint32_t c = vsplit_ctx(f, 0);
	struct vsplit_cs *cs = vsplit_cs(f);

	for (unsigned int i = 0; i < 3; i++) {
		vsplit_cs_bind(cs, 0, vsplit_bo(f, 'A' + i, (8 + nr % 2) * PAGE));
		vsplit_cs_add(cs, 0, 0, 1);
	}
	for (;;) {
		if (__vsplit_cs_submit(cs, c, 0))
			_exit(1);
		__atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
		/* Two submissions are always under way. */
		if (cs->submission % 2 == 0)
			vsplit_cs_wait(cs);
	}
}

#define VICTIM_AHEAD 4
#define VICTIM_CHECK 50

/*
 * A client with two allocations that take an eighth of the memory. It is a few submissions ahead of
 * the GPU, and checks all bytes from time to time.
 */
struct quota_victim {
	int fd;
	uint32_t ctx;
	struct vsplit_bo *a[2];
	struct vsplit_cs *cs[VICTIM_AHEAD];
	unsigned int round;
	uint64_t worst_ns;
};

static void quota_victim_start(struct quota_victim *v)
{
	v->fd = vsplit_adapter_open(ad);
	v->ctx = vsplit_ctx(v->fd, 0);
	for (unsigned int i = 0; i < 2; i++) {
		v->a[i] = vsplit_bo(v->fd, 'V' + i, PAGE);
		vsplit_bo_pattern(v->a[i], 55 + i);
	}
	for (unsigned int i = 0; i < VICTIM_AHEAD; i++)
		v->cs[i] = vsplit_cs(v->fd);
	v->round = 0;
	v->worst_ns = 0;
}

static void quota_victim_round(struct quota_victim *v)
{
	struct vsplit_cs *cs = v->cs[v->round % VICTIM_AHEAD];
	unsigned int at = 64 * (v->round % 16);
	uint64_t t0 = vsplit_now_ns();

	if (v->round >= VICTIM_AHEAD)
		vsplit_cs_wait(cs);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, v->a[0]);
	vsplit_cs_bind(cs, 1, v->a[1]);
	vsplit_cs_set(cs, 0, at, 64, v->round);
	vsplit_cs_copy(cs, 1, PAGE / 2 + at, 0, at, 64);
	vsplit_cs_add(cs, 1, PAGE - 8, v->round);
	/* Asserts that the submission is accepted, and as one portion, because it fits. */
	vsplit_cs_submit(cs, v->ctx, 0);
	if (vsplit_exact())
		igt_assert_eq(cs->portions, 1);
	vsplit_cs_reference(cs, 0);
	if (vsplit_now_ns() - t0 > v->worst_ns)
		v->worst_ns = vsplit_now_ns() - t0;
	v->round++;
	if (v->round % VICTIM_CHECK)
		return;
	vsplit_cs_wait(cs);
	for (unsigned int i = 0; i < 2; i++)
		vsplit_bo_check(v->a[i]);
	igt_assert_eq(vsplit_ctx_state(v->fd, v->ctx, NULL), VSPLIT_STATE_ACTIVE);
}

/**
 * SUBTEST: eight-hogs
 * Description: Eight clients ask for more than the memory as fast as they can. A ninth client that
 *   asks for an eighth of it is never refused and never split, its bytes are right, and it is
 *   served at least as often as each of the others.
 */
static void test_hogs(void)
{
	unsigned int rounds = vsplit_rounds(100, 10000), failed = 0;
	uint32_t *counts, most = 0, sum = 0;
	struct quota_victim v;
	pid_t pids[8];

	counts = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(counts != MAP_FAILED);
	setup_engines(&contested);
	quota_victim_start(&v);
	for (unsigned int i = 0; i < 8; i++) {
		pids[i] = vsplit_fork();
		if (!pids[i])
			hog(i, &counts[i]);
	}
	/* Wait until all of them are busy. */
	for (unsigned int i = 0; i < 8; i++)
		while (__atomic_load_n(&counts[i], __ATOMIC_RELAXED) < 3)
			usleep(10000);
	/*
	 * The processor of the ninth client may have been stopped by the host, but not in each try.
	 */
	for (unsigned int tries = 0; tries < 5 && (!tries || most > rounds); tries++) {
		const unsigned int end = v.round + rounds;

		memset(counts, 0, 8 * sizeof(*counts));
		most = 0;
		sum = 0;
		while (v.round < end)
			quota_victim_round(&v);
		for (unsigned int i = 0; i < 8; i++) {
			uint32_t count = __atomic_load_n(&counts[i], __ATOMIC_RELAXED);

			most = count > most ? count : most;
			sum += count;
		}
	}
	for (unsigned int i = 0; i < 8; i++) {
		kill(pids[i], SIGKILL);
		failed += !WIFSIGNALED(vsplit_reap(pids[i]));
	}
	munmap(counts, PAGE);
	igt_assert_f(!failed, "%u hogs were refused\n", failed);
	igt_assert_f(most <= rounds, "the client was served %u times, one of the hogs %u times\n",
		     rounds, most);
	igt_info("%u of the hogs meanwhile, %u of one at most; the longest took %" PRIu64 " ms\n",
		 sum, most, v.worst_ns / 1000000);
	vsplit_figure("R16", "submissions beside eight clients that take everything", rounds);
	vsplit_figure("R16", "submissions of the eight meanwhile", sum);
}

static const struct vsplit_subtest tests[] = {
	{ "killed-in-the-middle", test_killed,
	  "Clients that are killed while they split and page harm no other client, and leave "
	  "nothing behind" },
	{ "stopped-and-continued", test_stopped,
	  "Under storms of SIGSTOP and SIGCONT, and of a handled signal, every accepted submission "
	  "runs exactly once" },
	{ "loaded-again-and-again", test_reload,
	  "The module is unloaded and loaded again and again, with work in between. No memory is "
	  "lost." },
	{ "held-while-unloaded", test_held,
	  "While a file, a mapping, an exported allocation, a fence or a configfs adapter exists, "
	  "the module cannot be unloaded. Right after it is gone, it can." },
	{ "unbound-while-busy", test_unbound,
	  "An unbind under eight busy clients gives -ENODEV, raises no signal and ends every "
	  "fence; a bind works again" },
	{ "sixteen-times-the-memory", test_paging,
	  "Every page keeps its owner, offset and version while sixteen times the memory is "
	  "paged" },
	{ "nothing-of-others", test_scavenger,
	  "A client finds no byte of another client in all that it can read, and in all that calls "
	  "return" },
	{ "eight-hogs", test_hogs,
	  "A client that needs an eighth of the memory is served as often as each of eight clients "
	  "that want more than all" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
