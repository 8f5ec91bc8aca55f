// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit quota
 * Description: How much of the host's memory a client can take by submitting. It is bounded, the
 *   client gets an error that it can act on, and other clients are not affected.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: robustness
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>

IGT_TEST_DESCRIPTION("How much of the host's memory a client can take by submitting.");

#define U 4096ull
#define MIB (1024u * 1024)

static const struct vsplit_adapter_opts plain = {
	.segs = { { "vram", .size = 64 * U }, { "gart", true, .size = 64 * U } },
	.slots = 16,
	.timeout_ms = 60000,
	.test = true,
};

static struct vsplit_adapter *ad;
static struct drm_vsplit_adapter_info info;
static int fd;

static void setup(void)
{
	ad = vsplit_adapter_create(&plain);
	fd = vsplit_adapter_open(ad);
	vsplit_query_adapter(fd, &info);
	igt_assert(info.max_unfinished && info.max_unfinished_bytes);
	igt_assert_eq(info.pad, 0);
}

/**
 * SUBTEST: engine-time
 * Description: The engine time in fdinfo never goes back, not even when a context is destroyed. It
 *   includes the work that a destroyed context had left running.
 */
static void test_engine_time(void)
{
	uint64_t before, after;
	struct vsplit_cs *cs;
	uint32_t ctx;

	setup();
	ctx = vsplit_ctx(fd, 0);
	cs = vsplit_cs(fd);
	vsplit_cs_spin(cs, 20000);
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	before = vsplit_fdinfo(fd, "drm-engine-render:");
	igt_assert_f(before >= 10000000, "%" PRIu64 " ns\n", before);

	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(__vsplit_ctx_destroy(fd, ctx), 0);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "drm-engine-render:"), before);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	after = vsplit_fdinfo(fd, "drm-engine-render:");
	igt_assert_f(after >= before + 10000000, "%" PRIu64 " ns after %" PRIu64 "\n", after, before);
}

/**
 * SUBTEST: engine-time-once
 * Description: While a step ends, fdinfo counts the step once: the value is the same as afterwards.
 */
static void test_engine_time_once(void)
{
	struct vsplit_cs *cs;
	uint64_t ns, again;

	setup();
	vsplit_require_sync_points();
	cs = vsplit_cs(fd);
	vsplit_cs_spin(cs, 20000);
	vsplit_hold("gpu.counted");
	vsplit_cs_submit(cs, vsplit_ctx(fd, 0), 0);
	igt_assert(vsplit_wait_held("gpu.counted"));
	ns = vsplit_fdinfo(fd, "drm-engine-render:");
	again = vsplit_fdinfo(fd, "drm-engine-render:");
	vsplit_release("gpu.counted");
	vsplit_cs_wait(cs);
	igt_assert(ns >= 10000000);
	/* The value never falls, so if the step were counted twice it would stay too high. */
	igt_assert_eq_u64(again, ns);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "drm-engine-render:"), ns);
}

/* Adds one to the first word of @bo. */
static void make_small(struct vsplit_cs *cs, struct vsplit_bo *bo)
{
	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_add(cs, 0, 0, 1);
}

/* The same, with a MiB of NOPs. */
static void make_big(struct vsplit_cs *cs, struct vsplit_bo *bo)
{
	make_small(cs, bo);
	for (unsigned int i = 0; i < 16; i++)
		vsplit_cs_nop(cs, VSPLIT_PACKET_MAX_BYTES);
}

/* Submits until it is refused; returns how many were accepted. */
static unsigned int fill(struct vsplit_cs *cs, uint32_t ctx)
{
	unsigned int n = 0;
	int ret;

	while (!(ret = __vsplit_cs_submit(cs, ctx, 0)))
		igt_assert_f(++n <= info.max_unfinished, "never refused\n");
	igt_assert_eq(ret, -ENOBUFS);
	return n;
}

static uint64_t first_word(const struct vsplit_bo *bo)
{
	uint64_t word;

	memcpy(&word, bo->map, sizeof(word));
	return word;
}

/**
 * SUBTEST: never-waits
 * Description: A client that submits without waiting is refused at the limit, however often it
 *   tries; another client is not. Accepted submissions run, once. When one submission is done,
 *   there is room for one more.
 */
static void test_never_waits(void)
{
	struct vsplit_counters before, after;
	struct vsplit_cs *first, *slow, *cs, *other;
	uint32_t ctx, other_ctx;
	struct vsplit_bo *a, *b;
	unsigned int n;
	int f;

	setup();
	a = vsplit_bo(fd, 'A', U);
	ctx = vsplit_ctx(fd, 0);
	first = vsplit_cs(fd);
	make_small(first, a);
	slow = vsplit_cs(fd);
	make_small(slow, a);
	vsplit_cs_spin(slow, 3000000);
	cs = vsplit_cs(fd);
	make_small(cs, a);

	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(first, ctx, 0);
	vsplit_cs_submit(slow, ctx, 0);
	n = 2 + fill(cs, ctx);
	igt_assert_eq(n, info.max_unfinished);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-unfinished:"), n);
	igt_assert(vsplit_fdinfo(fd, "vsplit-unfinished-memory:") <= info.max_unfinished_bytes >> 10);
	/* Another context of the client has no more room. */
	igt_assert_eq(__vsplit_cs_submit(cs, vsplit_ctx(fd, 0), 0), -ENOBUFS);
	/* Trying leaves nothing behind. */
	if (vsplit_counters(ad, &before)) {
		for (unsigned int i = 0; i < 2000; i++)
			igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -ENOBUFS);
		/*
		 * Refused jobs are freed by other tasks; some may still have been there when they
		 * were counted.
		 */
		igt_assert_f(vsplit_soon(vsplit_counters(ad, &after) && after.jobs == (int)n &&
					 after.records <= before.records),
			     "%d jobs, %d records\n", after.jobs, after.records);
	}

	f = vsplit_adapter_open(ad);
	other_ctx = vsplit_ctx(f, 0);
	other = vsplit_cs(f);
	b = vsplit_bo(f, 'B', U);
	make_small(other, b);
	for (unsigned int i = 0; i < 8; i++)
		vsplit_cs_submit(other, other_ctx, 0);

	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(first);
	/* The second submission spins: this one takes the place of the first. */
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), -ENOBUFS);
	vsplit_cs_wait(cs);
	vsplit_cs_wait(other);
	igt_assert_eq_u64(first_word(a), n + 1);
	igt_assert_eq_u64(first_word(b), 8);
	vsplit_figure("R16", "unfinished submissions of a client that never waits", n);
}

/**
 * SUBTEST: large-buffers
 * Description: If submissions hold much memory, fewer are accepted. fdinfo tells the memory, which
 *   is never above the limit, and close to it when the limit is the reason for a refusal.
 */
static void test_large(void)
{
	struct vsplit_cs *cs;
	struct vsplit_bo *a;
	unsigned int n;
	uint64_t held;
	uint32_t ctx;

	setup();
	a = vsplit_bo(fd, 'A', U);
	ctx = vsplit_ctx(fd, 0);
	cs = vsplit_cs(fd);
	make_big(cs, a);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	n = fill(cs, ctx);
	held = vsplit_fdinfo(fd, "vsplit-unfinished-memory:") << 10;
	igt_assert_f(n <= info.max_unfinished_bytes / MIB && held <= info.max_unfinished_bytes &&
		     held > info.max_unfinished_bytes - 2 * MIB,
		     "%u buffers of a MiB, %" PRIu64 " bytes\n", n, held);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	igt_assert_eq_u64(first_word(a), n);
	/* All of it is free again. */
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	vsplit_figure("R16", "KiB that they held at most", held >> 10);
}

/* ---- waiting for oneself ------------------------------------------------ */

struct vgem_fence_attach {
	uint32_t handle, flags, out_fence, pad;
};

struct vgem_fence_signal {
	uint32_t fence, flags;
};

#define VGEM_FENCE_ATTACH	DRM_IOWR(DRM_COMMAND_BASE + 1, struct vgem_fence_attach)
#define VGEM_FENCE_SIGNAL	DRM_IOW(DRM_COMMAND_BASE + 2, struct vgem_fence_signal)

static int open_vgem(void)
{
	int vgem = drmOpen("vgem", NULL);

	if (vgem < 0 && !system("modprobe -q vgem"))
		vgem = drmOpen("vgem", NULL);
	igt_require_f(vgem >= 0, "there is no vgem\n");
	return vgem;
}

/**
 * SUBTEST: waits-for-its-own-fence
 * Description: All submissions of a client wait for a fence that it has to signal itself, and there
 *   are too many of them. The client gets an error at once, instead of waiting for itself.
 */
static void own_fence(bool paced)
{
	struct drm_mode_create_dumb dumb = { .width = 1024, .height = 1, .bpp = 32 };
	struct vgem_fence_attach attach = { .flags = 1 };
	struct vgem_fence_signal signal = {};
	int vgem, dmabuf, pending, other;
	struct vsplit_cs *cs, *needs;
	unsigned int n = 0;
	struct vsplit_bo *a;
	uint32_t ctx;

	setup();
	vgem = open_vgem();
	igt_assert_eq(drmIoctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
	igt_assert_eq(drmPrimeHandleToFD(vgem, dumb.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	a = vsplit_bo_import(fd, 'A', dmabuf);
	memset(a->map, 0, 8);
	ctx = vsplit_ctx(fd, 0);
	cs = vsplit_cs(fd);
	make_big(cs, a);
	attach.handle = dumb.handle;
	igt_assert_eq(drmIoctl(vgem, VGEM_FENCE_ATTACH, &attach), 0);
	if (paced) {
		vsplit_cs_bind(cs, 1, vsplit_bo_in(fd, 'V', 60 * U, 0, (uint8_t[]) { 1, 0 }));
		vsplit_cs_add(cs, 1, 0, 1);
		vsplit_cs_submit(cs, ctx, 0);
		other = vsplit_adapter_open(ad);
		needs = vsplit_cs(other);
		make_small(needs, vsplit_bo_in(other, 'N', 60 * U, 0, (uint8_t[]) { 1, 0 }));
		vsplit_cs_submit(needs, vsplit_ctx(other, 0), 0);
		igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-paced:"), 1);
		n = 1;
	}
	n += fill(cs, ctx);
	pending = vsplit_syncobj_busy(fd, cs->out);
	signal.fence = attach.out_fence;
	/* vgem signals after ten seconds: on a machine that is so slow the test shows nothing. */
	igt_require(!drmIoctl(vgem, VGEM_FENCE_SIGNAL, &signal));
	igt_assert_f(pending, "nothing waited for the fence\n");
	vsplit_cs_wait(cs);
	igt_assert_eq_u64(first_word(a), n);
	if (paced)
		vsplit_cs_wait(needs);
	vsplit_bo_free(a);
	close(dmabuf);
	close(vgem);
}

static void test_own_fence(void)
{
	own_fence(false);
}

/**
 * SUBTEST: waits-for-its-own-fence-while-paced
 * Description: The same while another client's work waits for memory that all this work uses.
 */
static void test_own_fence_paced(void)
{
	own_fence(true);
}

/* ---- records ------------------------------------------------------------ */

/**
 * SUBTEST: records
 * Description: Records of buffers that are split often are large. The oldest records are dropped
 *   before those of a file take too much memory; the last one stays.
 */
static void test_records(void)
{
	enum { GROUPS = 8000, BUFFERS = 46 };
	struct drm_vsplit_record record = {};
	struct vsplit_bo *bo[16];
	struct vsplit_cs *cs;
	uint64_t kib;
	uint32_t ctx;

	setup();
	ctx = vsplit_ctx(fd, 0);
	cs = vsplit_cs(fd);
	for (unsigned int i = 0; i < 16; i++) {
		bo[i] = vsplit_bo(fd, 'A' + i, U);
		vsplit_cs_bind(cs, i, bo[i]);
	}
	for (unsigned int i = 0; i < GROUPS; i++) {
		vsplit_cs_nop(cs, 8);
		vsplit_cs_bind(cs, i % 16, bo[i % 16]);
	}
	for (unsigned int i = 0; i < BUFFERS; i++)
		vsplit_cs_submit_and_wait(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert_eq(cs->portions, GROUPS + 1);
	kib = vsplit_fdinfo(fd, "vsplit-record-memory:");
	igt_assert_f(kib > info.max_unfinished_bytes >> 12 && kib <= info.max_unfinished_bytes >> 11,
		     "%" PRIu64 " KiB of records\n", kib);
	record.ctx = ctx;
	record.submission = 1;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RECORD, &record), -ENOENT);
	record.submission = BUFFERS;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_RECORD, &record), 0);
	igt_assert(record.done);
	igt_assert_eq(record.num_portions, GROUPS + 1);
	vsplit_figure("R16", "KiB of records that a client has at most", kib);
}

/* ---- whose memory it is --------------------------------------------------- */

#define CGROUP "/sys/fs/cgroup/vsplit-quota"

/* A number in a file of the cgroup: the only one, or the one behind @key. */
static uint64_t group_number(const char *name, const char *key)
{
	char path[128], text[8192], *line = text;

	snprintf(path, sizeof(path), CGROUP "/%s", name);
	igt_assert_eq(__vsplit_read_file(path, text, sizeof(text)), 0);
	if (key)
		line = strstr(text, key);
	igt_assert_f(line, "%s has no %s\n", name, key);
	return strtoull(line + (key ? strlen(key) : 0), NULL, 10);
}

/* Submits work that waits for a fence, and then signals the fence; the records stay. */
static void park(int f, struct vsplit_cs *cs)
{
	enum { GROUPS = 8000, BUFFERS = 12 };
	struct drm_vsplit_fence_create fence = {};
	struct vsplit_bo *bo = vsplit_bo(f, 'A', U);
	uint32_t ctx = vsplit_ctx(f, 0);

	if (__vsplit_ioctl(f, DRM_IOCTL_VSPLIT_FENCE_CREATE, &fence))
		_exit(4);
	vsplit_cs_wait_fence(cs, fence.handle, 1);
	for (unsigned int i = 0; i < GROUPS; i++) {
		vsplit_cs_nop(cs, 8);
		vsplit_cs_bind(cs, i % 16, bo);
	}
	for (unsigned int i = 0; i < BUFFERS; i++)
		vsplit_cs_submit(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	if (vsplit_fdinfo(f, "vsplit-parked:") != BUFFERS ||
	    __vsplit_fence_signal(f, fence.handle, 1) ||
	    !vsplit_soon(!vsplit_fdinfo(f, "vsplit-unfinished-memory:")))
		_exit(5);
}

/* Submits until it is refused, tells its parent, and stays until its parent tells it to end. */
static void member(int in, int out, bool parks)
{
	struct vsplit_cs *cs;
	int f, busy;
	char byte;

	if (__vsplit_write_file(CGROUP "/cgroup.procs", "0"))
		_exit(1);
	f = vsplit_adapter_open(ad);
	cs = vsplit_cs(f);
	if (!parks)
		make_big(cs, vsplit_bo(f, 'A', U));
	if (write(out, "r", 1) != 1 || read(in, &byte, 1) != 1)
		_exit(2);
	if (parks)
		park(f, cs);
	else
		fill(cs, vsplit_ctx(f, 0));
	busy = parks || vsplit_syncobj_busy(f, cs->out);
	if (!busy || write(out, "f", 1) != 1 || read(in, &byte, 1) != 1)
		_exit(3);
	_exit(0);
}

/* The bytes that a client's submissions, or parked ones, charge to its cgroup. */
static uint64_t charge_by(bool parks)
{
	int to[2], from[2], status;
	uint64_t before, after;
	bool ready, full;
	char byte;
	pid_t pid;

	igt_require(!__vsplit_write_file("/sys/fs/cgroup/cgroup.subtree_control", "+memory"));
	setup();
	if (!parks)
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	rmdir(CGROUP);
	igt_assert_eq(mkdir(CGROUP, 0755), 0);
	igt_assert(!pipe(to) && !pipe(from));
	pid = vsplit_fork();
	if (!pid)
		member(to[0], from[1], parks);
	close(from[1]);
	ready = read(from[0], &byte, 1) == 1;
	before = group_number("memory.stat", "kernel ");
	full = write(to[1], "x", 1) == 1 && read(from[0], &byte, 1) == 1;
	after = group_number("memory.stat", "kernel ");
	igt_assert_eq(write(to[1], "x", 1), 1);
	status = vsplit_reap(pid);
	if (!parks)
		vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	rmdir(CGROUP);
	for (unsigned int i = 0; i < 2; i++)
		close(to[i]);
	close(from[0]);
	igt_assert_f(ready && full && !status, "status %#x\n", status);
	return after - min(before, after);
}

/**
 * SUBTEST: charged-to-the-client
 * Description: The memory of submissions is charged to the memory cgroup of their client.
 */
static void test_charged(void)
{
	uint64_t bytes = charge_by(false);

	igt_assert_f(bytes > info.max_unfinished_bytes * 3 / 4, "%" PRIu64 " bytes\n", bytes);
	vsplit_figure("R16", "KiB that are charged to its memory cgroup", bytes >> 10);
}

/**
 * SUBTEST: parked-charged-to-the-client
 * Description: The memory that a worker allocates for parked submissions is charged to their
 *   client, too.
 */
static void test_parked_charged(void)
{
	uint64_t bytes = charge_by(true);

	igt_assert_f(bytes > info.max_unfinished_bytes / 16, "%" PRIu64 " bytes\n", bytes);
	vsplit_figure("R16", "KiB that are charged to its memory cgroup by workers", bytes >> 10);
}

static uint64_t kernel_kib(void)
{
	static const char *const keys[] = { "SUnreclaim:", "VmallocUsed:", "KernelStack:" };
	char text[8192], *line;
	uint64_t sum = 0;

	/* Refused jobs are freed by other tasks. */
	usleep(300000);
	igt_assert_eq(__vsplit_read_file("/proc/meminfo", text, sizeof(text)), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(keys); i++) {
		line = strstr(text, keys[i]);
		igt_assert(line);
		sum += strtoull(line + strlen(keys[i]), NULL, 10);
	}
	return sum;
}

/**
 * SUBTEST: refused-for-ever
 * Description: A client's submissions are refused at each stage, again and again. No memory is
 *   lost.
 */
static void test_refused(void)
{
	enum { ROUNDS = 300, POINTS = 150, MORE_KIB = 4096 };
	/* KASAN keeps freed memory for a while. */
	bool counts = access("/sys/kernel/debug/kcov", F_OK) != 0;
	uint32_t ctx, timeline, bad_patch, bad_alloc;
	struct drm_vsplit_sync syncs[POINTS + 1];
	struct drm_vsplit_submit good;
	uint64_t before = 0, after;
	struct vsplit_counters now;
	struct vsplit_cs *cs;

	setup();
	ctx = vsplit_ctx(fd, 0);
	timeline = vsplit_syncobj(fd);
	cs = vsplit_cs(fd);
	make_big(cs, vsplit_bo(fd, 'A', U));
	vsplit_cs_args(cs, ctx, 0, &good, syncs);
	for (unsigned int i = 0; i < POINTS; i++)
		syncs[i] = (struct drm_vsplit_sync) {
			.handle = timeline, .point = i + 1,
			.flags = VSPLIT_SYNC_SIGNAL | VSPLIT_SYNC_TIMELINE,
		};
	syncs[POINTS] = (struct drm_vsplit_sync) { .handle = 77777, .flags = VSPLIT_SYNC_SIGNAL };
	bad_patch = cs->patches[0].slot;
	bad_alloc = cs->allocs[0].handle;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct drm_vsplit_submit args = good;

		if (i == ROUNDS / 10)
			before = kernel_kib();
		/* Refused because of the last sync. */
		args.num_syncs = POINTS + 1;
		igt_assert_eq(__vsplit_submit(fd, &args), -ENOENT);
		/* Refused because of a malformed buffer. */
		cs->patches[0].slot = 9999;
		igt_assert_eq(__vsplit_submit(fd, &good), -EINVAL);
		cs->patches[0].slot = bad_patch;
		/* Refused because of the allocation list. */
		cs->allocs[0].handle = 77777;
		igt_assert_eq(__vsplit_submit(fd, &good), -ENOENT);
		cs->allocs[0].handle = bad_alloc;
		/* Refused because a list cannot be read. */
		args = good;
		args.patches = 8;
		igt_assert_eq(__vsplit_submit(fd, &args), -EFAULT);
		/*
		 * No job exists, not even for a moment, although the client goes on without a
		 * pause.
		 */
		if (vsplit_counters(ad, &now))
			igt_assert_eq(now.jobs, 0);
	}
	/* The kernel's own caches take a while. */
	igt_assert_f(!counts || vsplit_soon((after = kernel_kib()) < before + MORE_KIB),
		     "%" PRIu64 " KiB, then %" PRIu64 " KiB\n", before, after);
	/* After that the context still works. */
	vsplit_cs_run(cs, ctx, 0);
}

/* ---- all files of a user ------------------------------------------------- */

#define NOBODY 65534

/* Forks a process of another user, which may open the device, as its mode is changed. */
static pid_t fork_nobody(void)
{
	char path[32];
	pid_t pid;

	snprintf(path, sizeof(path), "/dev/dri/renderD%d", ad->render);
	igt_assert_eq(chmod(path, 0666), 0);
	pid = vsplit_fork();
	if (!pid)
		igt_assert_eq(setuid(NOBODY), 0);
	return pid;
}

static void reap_well(pid_t pid)
{
	int status = vsplit_reap(pid);

	igt_assert_f(WIFEXITED(status) && !WEXITSTATUS(status), "status %#x\n", status);
}

/* Opens a file, submits MiBs until it is refused, and closes it; returns accepted submissions. */
static unsigned int fill_and_close(int dmabuf)
{
	struct vsplit_cs *cs;
	unsigned int n;
	int f = vsplit_adapter_open(ad);

	cs = vsplit_cs(f);
	make_big(cs, vsplit_bo_import(f, 'A', dmabuf));
	n = fill(cs, vsplit_ctx(f, 0));
	vsplit_cleanup_file(f);
	return n;
}

static void small_work(int f, unsigned int times)
{
	struct vsplit_bo *bo = vsplit_bo(f, 'S', U);
	struct vsplit_cs *cs = vsplit_cs(f);
	uint32_t ctx = vsplit_ctx(f, 0);

	make_small(cs, bo);
	for (unsigned int i = 0; i < times; i++)
		vsplit_cs_submit_and_wait(cs, ctx, 0);
	igt_assert_eq_u64(first_word(bo), times);
}

/**
 * SUBTEST: closes-and-opens
 * Description: A client fills its file with work, closes it, and opens the next one. The work of
 *   closed files counts for the user. At the user's limit no more is accepted, not even through a
 *   new file, except that a file without unfinished work may still submit one buffer. Other users
 *   are not affected. All accepted work runs, once.
 */
static void test_closes(void)
{
	unsigned int n = 0, files = 0, got;
	uint64_t limit, held, was, left;
	struct vsplit_cs *cs;
	struct vsplit_bo *a;
	int dmabuf, f;
	pid_t pid;

	setup();
	a = vsplit_bo(fd, 'A', U);
	igt_assert_eq(drmPrimeHandleToFD(fd, a->handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
	limit = vsplit_fdinfo(fd, "vsplit-user-work-limit:");
	igt_assert_f(limit >= 2 * info.max_unfinished_bytes >> 10, "%" PRIu64 " KiB\n", limit);

	/* Bring it to its final place, so that looking at it does not wait for paging. */
	cs = vsplit_cs(fd);
	make_small(cs, a);
	vsplit_cs_submit_and_wait(cs, vsplit_ctx(fd, 0), 0);

	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	do {
		got = fill_and_close(dmabuf);
		n += got;
		igt_assert_f(++files < 4 + (limit << 10) / info.max_unfinished_bytes,
			     "there is no limit\n");
	} while (got > 1);
	held = vsplit_fdinfo(fd, "vsplit-user-work-memory:");
	igt_assert_f(held > limit - 2048 && held <= limit + 2 * 1024 + 512,
		     "%" PRIu64 " of %" PRIu64 " KiB\n", held, limit);
	/* One submission for each file is allowed beyond the limit, up to a second limit. */
	do {
		got = fill_and_close(dmabuf);
		n += got;
		igt_assert_f(++files < 100 + 2 * limit / 1024, "there is no limit\n");
	} while (got);
	held = vsplit_fdinfo(fd, "vsplit-user-work-memory:");
	igt_assert_f(held <= 2 * limit, "%" PRIu64 " of twice %" PRIu64 " KiB\n", held, limit);

	pid = fork_nobody();
	if (!pid) {
		uint32_t ctx;

		f = vsplit_adapter_open(ad);
		cs = vsplit_cs(f);
		ctx = vsplit_ctx(f, 0);
		make_big(cs, vsplit_bo(f, 'N', U));
		for (unsigned int i = 0; i < 32; i++)
			igt_assert_eq(__vsplit_cs_submit(cs, ctx, 0), 0);
		_exit(0);
	}
	reap_well(pid);

	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	/* This may take long; wait as long as the amount gets smaller. */
	left = limit;
	do
		was = left;
	while (left > limit / 2 &&
	       vsplit_soon((left = vsplit_fdinfo(fd, "vsplit-user-work-memory:")) < was));
	igt_assert(left <= limit / 2);
	/* After all of them. */
	vsplit_cs_submit_and_wait(cs, vsplit_ctx(fd, 0), 0);
	igt_assert_eq_u64(first_word(a), n + 2);
	close(dmabuf);
	vsplit_figure("R16", "KiB of work that a user has at most by closing files", held);
}

/* Creates allocations of @size until there is an error, and returns it. */
static int create_all(int f, uint64_t size, unsigned int *nr)
{
	int ret;

	for (*nr = 0;; ++*nr) {
		struct drm_vsplit_gem_create args = { .size = size };

		ret = __vsplit_ioctl(f, DRM_IOCTL_VSPLIT_GEM_CREATE, &args);
		if (ret)
			return ret;
		igt_assert_f(*nr < 1000, "there is no limit\n");
	}
}

/**
 * SUBTEST: allocations-of-a-user
 * Description: All allocations of a user, of whatever file, take at most what TTM lets drivers have
 *   before it swaps. One more gives -ENOMEM. Another user gets its own allocations, and freed
 *   memory can be allocated again.
 */
static void test_allocations(void)
{
	enum { PIECE = 16 * U, LIMIT = 40 * 16 * U };
	unsigned int n, more;
	uint64_t base, held;
	pid_t pid;
	int f;

	setup();
	base = vsplit_fdinfo(fd, "vsplit-user-allocations:") << 10;
	vsplit_ttm_limit((base + LIMIT) / U);
	igt_assert_eq_u64(vsplit_fdinfo(fd, "vsplit-user-allocations-limit:") << 10, base + LIMIT);

	igt_assert_eq(create_all(fd, PIECE, &n), -ENOMEM);
	/* Each costs more than its pages. */
	igt_assert_f(n < LIMIT / PIECE && n > LIMIT / PIECE * 9 / 10, "%u allocations\n", n);
	held = vsplit_fdinfo(fd, "vsplit-user-allocations:") << 10;
	igt_assert(held <= base + LIMIT && held + 2 * PIECE > base + LIMIT);
	/* Another file of the user has no more room. */
	f = vsplit_adapter_open(ad);
	igt_assert_eq(create_all(f, PIECE, &more), -ENOMEM);
	igt_assert_eq(more, 0);
	pid = fork_nobody();
	if (!pid) {
		struct drm_vsplit_gem_create args = { .size = PIECE };

		igt_assert_eq(__vsplit_ioctl(vsplit_adapter_open(ad), DRM_IOCTL_VSPLIT_GEM_CREATE,
					     &args), 0);
		_exit(0);
	}
	reap_well(pid);
	/* Closed allocations are freed, if a little later. */
	vsplit_close(fd);
	igt_assert(vsplit_soon(vsplit_fdinfo(f, "vsplit-user-allocations:") << 10 <= base));
	igt_assert_eq(create_all(f, PIECE, &more), -ENOMEM);
	igt_assert_eq(more, n);
}

/**
 * SUBTEST: nothing-to-swap-out
 * Description: TTM has used up its pages, and work uses all that it could swap out. Another user
 *   gets an allocation all the same, while that work stands still.
 */
static void test_nothing_to_swap(void)
{
	/* TTM would wait for each in turn, longer than this test waits. */
	enum { BUSY = 8, SIZE = 4 * U };
	struct vsplit_bo *busy[BUSY];
	unsigned int *made;
	struct vsplit_cs *cs;
	bool soon;
	pid_t pid;

	setup();
	made = mmap(NULL, U, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(made != MAP_FAILED);
	cs = vsplit_cs(fd);
	for (unsigned int i = 0; i < BUSY; i++) {
		busy[i] = vsplit_bo(fd, 'A' + i, SIZE);
		vsplit_cs_bind(cs, 0, busy[i]);
		vsplit_cs_set(cs, 0, 0, SIZE, i);
	}
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs, vsplit_ctx(fd, 0), 0);
	for (unsigned int i = 0; i < BUSY; i++)
		vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, busy[i]->handle, 0);
	vsplit_ttm_limit(BUSY * SIZE / U);
	pid = fork_nobody();
	if (!pid) {
		struct drm_vsplit_gem_create args = { .size = SIZE };

		igt_assert_eq(__vsplit_ioctl(vsplit_adapter_open(ad), DRM_IOCTL_VSPLIT_GEM_CREATE,
					     &args), 0);
		__atomic_store_n(made, 1, __ATOMIC_RELEASE);
		_exit(0);
	}
	soon = vsplit_soon(__atomic_load_n(made, __ATOMIC_ACQUIRE));
	vsplit_ttm_limit(0);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	reap_well(pid);
	igt_assert_f(soon, "a new allocation waits for the work of others\n");
	vsplit_cs_ends_well(cs);
	munmap(made, U);
}

/* ---- memory cgroups ------------------------------------------------------ */

static void require_cgroup(uint64_t limit)
{
	char value[32];

	igt_require(!__vsplit_write_file("/sys/fs/cgroup/cgroup.subtree_control", "+memory"));
	rmdir(CGROUP);
	igt_assert_eq(mkdir(CGROUP, 0755), 0);
	snprintf(value, sizeof(value), "%" PRIu64, limit);
	igt_assert_eq(__vsplit_write_file(CGROUP "/memory.max", value), 0);
}

/**
 * SUBTEST: allocations-in-a-cgroup
 * Description: The pages of allocations are charged to the memory cgroup of the client that makes
 *   them. At the limit the client gets -ENOMEM, and other clients are not affected. When the file
 *   is closed, the pages are no longer charged.
 */
static void test_cgroup(void)
{
	enum { LIMIT = 48 * MIB, PIECE = 16 * U };
	unsigned int *shared;
	uint64_t charged;
	int f, status;
	pid_t pid;

	setup();
	require_cgroup(LIMIT);
	shared = mmap(NULL, U, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	igt_assert(shared != MAP_FAILED);
	f = vsplit_adapter_open(ad);
	pid = vsplit_fork();
	if (!pid) {
		/* The process's own pages exist, and are charged to another cgroup. */
		igt_assert_eq(mlockall(MCL_CURRENT), 0);
		igt_assert_eq(__vsplit_write_file(CGROUP "/cgroup.procs", "0"), 0);
		_exit(-create_all(f, PIECE, shared));
	}
	status = vsplit_reap(pid);
	/* One of the kernel's small objects may also find no room. */
	igt_assert_f((WIFEXITED(status) && WEXITSTATUS(status) == ENOMEM) ||
		     (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL), "status %#x\n", status);
	charged = group_number("memory.current", NULL);
	igt_assert_f(*shared * PIECE <= LIMIT && *shared * PIECE > LIMIT / 2,
		     "%u allocations\n", *shared);
	/* The file is open though the process is gone: the pages are still charged. */
	igt_assert_f(charged >= *shared * PIECE, "%" PRIu64 " bytes are charged for %" PRIu64 "\n",
		     charged, (uint64_t)*shared * PIECE);
	small_work(fd, 1);
	vsplit_close(f);
	igt_assert_f(vsplit_soon((charged = group_number("memory.current", NULL)) <= LIMIT / 4),
		     "%" PRIu64 " bytes are charged for nothing\n", charged);
	vsplit_figure("R16", "KiB of allocations in a memory cgroup of 48 MiB",
		      *shared * PIECE >> 10);
	munmap(shared, U);
	rmdir(CGROUP);
}

/**
 * SUBTEST: touched-at-the-limit
 * Description: Allocations were swapped out, and the memory cgroup that is charged for them is at
 *   its limit. A process outside of the cgroup reads their bytes through a mapping.
 */
static void test_touched(void)
{
	/* More than a cgroup keeps in stock for each processor. */
	enum { NR = 32, SIZE = 32 * U };
	struct vsplit_bo *bos[NR];
	uint64_t full, charged;
	char value[32];
	int status = 0;
	bool ended;
	pid_t pid;

	setup();
	igt_require(!__vsplit_write_file("/sys/fs/cgroup/cgroup.subtree_control", "+memory"));
	rmdir(CGROUP);
	igt_assert_eq(mkdir(CGROUP, 0755), 0);
	igt_assert_eq(__vsplit_write_file(CGROUP "/cgroup.procs", "0"), 0);
	for (unsigned int i = 0; i < NR; i++)
		bos[i] = vsplit_bo(fd, 'A', SIZE);
	igt_assert_eq(__vsplit_write_file("/sys/fs/cgroup/cgroup.procs", "0"), 0);
	for (unsigned int i = 0; i < NR; i++)
		vsplit_bo_pattern(bos[i], i);

	full = group_number("memory.current", NULL);
	igt_assert(full >= NR * SIZE);
	snprintf(value, sizeof(value), "%llu", NR * SIZE / U);
	vsplit_adapter_knob(ad, "shrink", value);
	igt_assert(vsplit_soon(group_number("memory.current", NULL) <= full - NR * SIZE / 2));
	/* Present memory may stay: no process of the cgroup has to be killed, or searched for. */
	charged = group_number("memory.current", NULL);
	snprintf(value, sizeof(value), "%" PRIu64, charged);
	igt_assert_eq(__vsplit_write_file(CGROUP "/memory.max", value), 0);

	pid = vsplit_fork();
	if (!pid) {
		for (unsigned int i = 0; i < NR; i++)
			vsplit_bo_check(bos[i]);
		_exit(0);
	}
	ended = vsplit_soon(waitpid(pid, &status, WNOHANG) == pid);
	if (!ended) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	igt_assert_f(ended, "a page fault is tried again and again\n");
	igt_assert_f(WIFEXITED(status) && !WEXITSTATUS(status), "status %#x\n", status);
	charged = group_number("memory.current", NULL);
	igt_assert_f(charged >= NR * SIZE, "%" PRIu64 " bytes are charged\n", charged);
	rmdir(CGROUP);
}

static const struct vsplit_subtest tests[] = {
	{ "engine-time", test_engine_time,
	  "The engine time in fdinfo never goes back, not even when a context is destroyed. It "
	  "includes the work that a destroyed context had left running." },
	{ "engine-time-once", test_engine_time_once,
	  "While a step ends, fdinfo counts the step once: the value is the same as afterwards" },
	{ "never-waits", test_never_waits,
	  "A client that submits without waiting is refused at the limit, however often it tries; "
	  "another client is not" },
	{ "large-buffers", test_large,
	  "If submissions hold much memory, fewer are accepted. fdinfo tells the memory, which is "
	  "never above the limit, and close to it when the limit is the reason for a refusal." },
	{ "waits-for-its-own-fence", test_own_fence,
	  "A client whose submissions all wait for a fence that it has to signal gets an error, "
	  "and does not wait for itself" },
	{ "waits-for-its-own-fence-while-paced", test_own_fence_paced,
	  "A paced client whose submissions wait for a fence that it has to signal gets an error, "
	  "and does not wait for itself" },
	{ "records", test_records,
	  "Records of buffers that are split often are large. The oldest records are dropped "
	  "before those of a file take too much memory; the last one stays." },
	{ "charged-to-the-client", test_charged,
	  "The memory of submissions is charged to the memory cgroup of their client" },
	{ "parked-charged-to-the-client", test_parked_charged,
	  "The memory that a worker allocates for parked submissions is charged to their client, "
	  "too" },
	{ "refused-for-ever", test_refused,
	  "A client's submissions are refused at each stage, again and again. No memory is lost." },
	{ "closes-and-opens", test_closes,
	  "The work of closed files counts for their user, at whose limit no more is accepted, and "
	  "all of it runs once" },
	{ "allocations-of-a-user", test_allocations,
	  "All allocations of a user, of whatever file, take at most what TTM lets drivers have "
	  "before it swaps" },
	{ "nothing-to-swap-out", test_nothing_to_swap,
	  "TTM has used up its pages, and work uses all that it could swap out. Another user gets "
	  "an allocation all the same, while that work stands still." },
	{ "touched-at-the-limit", test_touched,
	  "Allocations were swapped out, and the memory cgroup that is charged for them is at its "
	  "limit" },
	{ "allocations-in-a-cgroup", test_cgroup,
	  "The pages of allocations are charged to the memory cgroup of the client that makes "
	  "them" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
