// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit pending
 * Description: Flips that wait for work that does not end, and what these flips hold up;
 *   Documentation/display.rst.
 * Category: Display
 * Mega feature: General Display Features
 * Sub-category: vsplit
 * Functionality: pending
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_head.h"

#include <drm_fourcc.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>

IGT_TEST_DESCRIPTION("Flips that wait for work that does not end, and what these flips hold up; "
		     "Documentation/display.rst.");

/* The RUN time of work that others wait for. */
#define TIMEOUT_MS 300

/* Half a minute of work, in tenths of a second: longer than any test waits. */
#define ENDLESS 300

static struct head head;
static struct fb fbs[2];

/* Head @pipe of a file of this process shows the first of @two. */
static void show(struct head *on, unsigned int pipe, struct fb *two)
{
	head_open(on, pipe);
	for (int i = 1; i >= 0; i--) {
		fb_new(on, &two[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
		head_on(on, &two[i]);
	}
}

/* Submits @tenths tenths of a second of work, which writes @bo. */
static uint32_t work_on(unsigned int engine, struct vsplit_bo *bo, unsigned int tenths)
{
	uint32_t ctx;

	cs = vsplit_cs(head.fd);
	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, 4096, 0x00123456);
	for (unsigned int i = 0; i < 10 * tenths; i++)
		vsplit_cs_spin(cs, 10000);
	ctx = vsplit_ctx_on(head.fd, 0, engine);
	vsplit_cs_submit(cs, ctx, 0);
	return ctx;
}

/* The same on the framebuffer that is not shown. */
static uint32_t work(unsigned int tenths)
{
	return work_on(0, fbs[1].bo, tenths);
}

/* Submits a flip to the framebuffer that such work writes. */
static uint32_t flip_late(unsigned int tenths)
{
	uint32_t ctx;

	show(&head, 0, fbs);
	ctx = work(tenths);
	expect(__head_flip(&head, &fbs[1], FLIP, NULL), 0);
	return ctx;
}

/*
 * Commits a writeback into the framebuffer that such work writes. If @told is a file, writes a byte
 * to it before that.
 */
static void write_late(uint32_t flags, int told)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	show(&head, 0, fbs);
	work(ENDLESS);
	prop_set(req, head.fd, head.writeback, "CRTC_ID", head.crtc);
	prop_set(req, head.fd, head.writeback, "WRITEBACK_FB_ID", fbs[1].id);
	if (told >= 0)
		igt_assert_eq(write(told, "", 1), 1);
	expect(commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET | flags, NULL), 0);
}

/* Forks a process that keeps mappings of the file, but no descriptor, until @over is closed. */
static pid_t keep_mapped(int over)
{
	pid_t pid = fork();
	char byte;

	igt_assert(pid >= 0);
	if (pid)
		return pid;
	close(head.fd);
	_exit(read(over, &byte, 1) ? 1 : 0);
}

/**
 * SUBTEST: killed
 * Description: A client is killed while a flip waits for its work, which takes long. No task is
 *   blocked because of that, not even one that drops the last reference instead of it. The next
 *   client can light the head.
 */
static void test_killed(void)
{
	/* No timeout ends the work: with others waiting, this long is no hang. */
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 1 << 20 }, { "aper", true, .size = 1 << 20 } },
		.slots = 16,
		.timeout_ms = 60000,
		.heads = 1,
	};
	struct vsplit_counters before;
	int ready[2], over[2];
	pid_t pid, other;

	setup_opts(&opts);
	igt_require(vsplit_counters(ad, &before));
	igt_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	for (unsigned int mapped = 0; mapped < 2; mapped++) {
		igt_assert_eq(pipe(ready), 0);
		igt_assert_eq(pipe(over), 0);
		pid = vsplit_fork();
		if (!pid) {
			close(over[1]);
			flip_late(ENDLESS);
			other = mapped ? keep_mapped(over[0]) : 0;
			usleep(mapped * 100000);
			igt_assert_eq(write(ready[1], &other, sizeof(other)), sizeof(other));
			for (;;)
				pause();
		}
		close(over[0]);
		igt_assert_eq(read(ready[0], &other, sizeof(other)), sizeof(other));
		kill(pid, SIGKILL);
		igt_assert_eq(vsplit_ends_unblocked(pid), SIGKILL);
		close(over[1]);
		if (mapped)
			igt_assert_eq(vsplit_ends_unblocked(other), 0);
		vsplit_counters_become(ad, &before);
		close(ready[0]);
		close(ready[1]);
	}
}

static void setup_short_on(unsigned int heads)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 1 << 20 }, { "aper", true, .size = 1 << 20 } },
		.slots = 16,
		.engines = 2,
		.timeout_ms = TIMEOUT_MS,
		.heads = heads,
	};

	setup_opts(&opts);
}

static void setup_short(void)
{
	setup_short_on(1);
}

static bool ended(pid_t pid)
{
	siginfo_t end = {};

	return !waitid(P_PID, pid, &end, WEXITED | WNOHANG | WNOWAIT) && end.si_pid;
}

/* Checks that the process ends, and by itself. */
static void ends(pid_t pid, int status)
{
	igt_assert_f(vsplit_soon(ended(pid)), "it is held up by its own flip\n");
	igt_assert_eq(vsplit_reap(pid), status);
}

/* In a child whose program is not done: checks that the context is lost as one that hangs. */
static void expect_lost(uint32_t ctx)
{
	igt_assert_eq(vsplit_ctx_state(head.fd, ctx, NULL), VSPLIT_STATE_LOST_HANG);
	igt_assert_eq(next_event(&head).base.type, DRM_EVENT_FLIP_COMPLETE);
}

static void flip_and_close(void)
{
	flip_late(ENDLESS);
}

static void write_and_close(void)
{
	write_late(DRM_MODE_ATOMIC_NONBLOCK, -1);
}

static void closes(void (*begin)(void))
{
	struct drm_vsplit_statistics stats;
	struct vsplit_counters before;

	setup_short();
	igt_require(vsplit_counters(ad, &before));
	for (unsigned int by_hand = 0; by_hand < 2; by_hand++) {
		pid_t pid = vsplit_fork();

		if (!pid) {
			begin();
			for (int i = 0; by_hand && i < 2; i++)
				munmap(fbs[i].bo->map, fbs[i].bo->size);
			if (by_hand)
				close(head.fd);
			_exit(0);
		}
		ends(pid, 0);
		vsplit_query_statistics(fd, &stats);
		igt_assert_eq_u64(stats.hangs, by_hand + 1);
		vsplit_counters_become(ad, &before);
	}
	head_open(&head, 0);
	fb_new(&head, &fbs[0], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head_on(&head, &fbs[0]);
}

/**
 * SUBTEST: closed
 * Description: A client exits, or closes its file, while a flip waits for its work, which does not
 *   end. The work gets a timeout of RUN time, because DRM takes the framebuffer off the head in a
 *   wait that no signal interrupts. Then the next client can light the head.
 */
static void test_closed(void)
{
	closes(flip_and_close);
}

/**
 * SUBTEST: written-and-closed
 * Description: The same with a writeback into the allocation that this work uses.
 */
static void test_written(void)
{
	closes(write_and_close);
}

/**
 * SUBTEST: written-and-killed
 * Description: A client is killed in a blocking commit with a writeback into the allocation that
 *   its own work uses, which takes long. It ends at once, and the work has had no timeout.
 */
static void test_written_killed(void)
{
	struct drm_vsplit_statistics stats;
	int ready[2];
	char byte;
	pid_t pid;

	setup_heads(1);
	igt_assert_eq(pipe(ready), 0);
	pid = vsplit_fork();
	if (!pid) {
		write_late(0, ready[1]);
		_exit(0);
	}
	igt_assert_eq(read(ready[0], &byte, 1), 1);
	usleep(500000);
	kill(pid, SIGKILL);
	igt_assert_eq(vsplit_ends_unblocked(pid), SIGKILL);
	vsplit_query_statistics(fd, &stats);
	igt_assert_eq_u64(stats.hangs, 0);
	close(ready[0]);
	close(ready[1]);
}

/**
 * SUBTEST: removed
 * Description: A client removes the framebuffer that a pending flip will show, and in one round is
 *   killed in that call: it ends.
 */
static void test_removed(void)
{
	setup_short();
	for (unsigned int killed = 0; killed < 2; killed++) {
		pid_t pid = vsplit_fork();

		if (!pid) {
			uint32_t ctx = flip_late(ENDLESS);

			expect(drmModeRmFB(head.fd, fbs[1].id), 0);
			expect_lost(ctx);
			_exit(0);
		}
		if (killed) {
			igt_assert(vsplit_soon(vsplit_task_state(pid) == 'D' || ended(pid)));
			kill(pid, SIGKILL);
			vsplit_soon(ended(pid));
			igt_assert(ended(pid));
			vsplit_reap(pid);
		} else {
			ends(pid, 0);
		}
	}
}

/*
 * A buffer that writes the framebuffer that the flip replaces, and thus waits for the flip, and
 * @bo.
 */
static struct vsplit_cs *work_behind(struct vsplit_bo *bo)
{
	struct vsplit_cs *behind = vsplit_cs(head.fd);

	vsplit_cs_bind(behind, 0, fbs[0].bo);
	vsplit_cs_set(behind, 0, 0, 4096, 0x00654321);
	vsplit_cs_bind(behind, 1, bo);
	vsplit_cs_set(behind, 1, 0, 4096, 0x00654321);
	vsplit_cs_submit(behind, vsplit_ctx(head.fd, 0), 0);
	return behind;
}

/*
 * Commits a flip to the framebuffer that work writes, or a writeback into it. Returns DRM's fence
 * of the commit.
 */
static int commit_late(bool written)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc(), attach;
	int fence = -1;

	if (written) {
		/* A commit that attaches the connector has all planes, and is thus a flip, too. */
		attach = drmModeAtomicAlloc();
		prop_set(attach, head.fd, head.writeback, "CRTC_ID", head.crtc);
		expect(commit(&head, attach, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
		prop_set(req, head.fd, head.writeback, "CRTC_ID", head.crtc);
		prop_set(req, head.fd, head.writeback, "WRITEBACK_FB_ID", fbs[1].id);
		prop_set(req, head.fd, head.writeback, "WRITEBACK_OUT_FENCE_PTR",
			 (uintptr_t)&fence);
	} else {
		prop_set(req, head.fd, head.primary, "FB_ID", fbs[1].id);
		prop_set(req, head.fd, head.crtc, "OUT_FENCE_PTR", (uintptr_t)&fence);
	}
	expect(commit(&head, req, FLIP, NULL), 0);
	igt_assert_eq(vsplit_fence_status(fence), 0);
	return fence;
}

enum behind {
	BEHIND_BY_WORK,
	BEHIND_BY_PICTURE,
	BEHIND_OUT_FENCE,
	BEHIND_WRITTEN_FENCE,
	BEHIND_TWO_PICTURES,
	BEHIND_ALL,
};

/*
 * Commits a writeback of two heads, of which one goes into the framebuffer that work writes. No
 * plane changes: it is no flip.
 */
static void write_both(struct head *other, uint32_t target)
{
	const uint32_t targets[] = { target, fbs[1].id };

	for (unsigned int filled = 0; filled < 2; filled++) {
		drmModeAtomicReqPtr req = drmModeAtomicAlloc();

		for (unsigned int i = 0; i < 2; i++) {
			struct head *on = i ? &head : other;

			prop_set(req, on->fd, on->writeback, "CRTC_ID", on->crtc);
			if (filled)
				prop_set(req, on->fd, on->writeback, "WRITEBACK_FB_ID", targets[i]);
		}
		expect(commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET |
			      (filled ? DRM_MODE_ATOMIC_NONBLOCK : 0), NULL), 0);
	}
}

/* In a child: another head waits for one whose work does not end. */
static void remove_other(enum behind how)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	uint32_t flags = DRM_MODE_ATOMIC_NONBLOCK, ctx;
	struct head other;
	struct fb shown[2];
	int fence;

	show(&head, 0, fbs);
	show(&other, 1, shown);
	ctx = work(ENDLESS);
	if (how == BEHIND_TWO_PICTURES) {
		write_both(&other, shown[1].id);
		expect(drmModeRmFB(other.fd, shown[0].id), 0);
		igt_assert_eq(vsplit_ctx_state(head.fd, ctx, NULL), VSPLIT_STATE_LOST_HANG);
		_exit(0);
	}
	fence = commit_late(how == BEHIND_WRITTEN_FENCE);
	if (how == BEHIND_BY_PICTURE) {
		flags |= DRM_MODE_ATOMIC_ALLOW_MODESET;
		prop_set(req, other.fd, other.writeback, "CRTC_ID", other.crtc);
		prop_set(req, other.fd, other.writeback, "WRITEBACK_FB_ID", fbs[0].id);
	} else {
		if (how == BEHIND_BY_WORK)
			work_behind(shown[1].bo);
		else
			prop_set(req, other.fd, other.primary, "IN_FENCE_FD", fence);
		prop_set(req, other.fd, other.primary, "FB_ID", shown[1].id);
	}
	expect(commit(&other, req, flags, NULL), 0);
	close(fence);
	expect(drmModeRmFB(other.fd, shown[how != BEHIND_BY_PICTURE].id), 0);
	expect_lost(ctx);
	_exit(0);
}

/**
 * SUBTEST: behind-another-head
 * Description: A head's framebuffer is removed while the head waits for another head's flip:
 *   through a writeback into the framebuffer that the flip replaces, through work that writes that
 *   framebuffer, or through DRM's fence of the flip or of a writeback; or because one commit writes
 *   the pictures of both heads. The work at the end of this chain, which does not end, gets a
 *   timeout of RUN time.
 */
static void test_behind(void)
{
	setup_short_on(2);
	for (enum behind how = 0; how < BEHIND_ALL; how++) {
		pid_t pid = vsplit_fork();

		if (!pid)
			remove_other(how);
		ends(pid, 0);
	}
}

/* @bo leaves its place when the flip is over, by a job that belongs to no client. */
static void leave_late(struct vsplit_bo *bo)
{
	struct dma_buf_export_sync_file exported = { .flags = DMA_BUF_SYNC_RW };
	struct dma_buf_import_sync_file imported = { .flags = DMA_BUF_SYNC_WRITE };
	int from = vsplit_bo_export(fbs[0].bo), to = vsplit_bo_export(bo);

	expect(ioctl(from, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &exported), 0);
	imported.fd = exported.fd;
	expect(ioctl(to, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &imported), 0);
	vsplit_escape(head.fd, VSPLIT_ESCAPE_EVICT, bo->handle, 0);
	close(exported.fd);
	close(from);
	close(to);
}

/* A buffer that writes @bo, and waits for a sync file. */
static struct vsplit_cs *work_behind_file(struct vsplit_bo *bo, int fence)
{
	struct vsplit_cs *behind = vsplit_cs(head.fd);
	uint32_t syncobj = vsplit_syncobj(head.fd);

	expect(drmSyncobjImportSyncFile(head.fd, syncobj, fence), 0);
	vsplit_cs_bind(behind, 0, bo);
	vsplit_cs_set(behind, 0, 0, 4096, 0x00654321);
	vsplit_cs_wait_for(behind, syncobj, 0);
	vsplit_cs_submit(behind, vsplit_ctx(head.fd, 0), 0);
	return behind;
}

static void interrupt(int signal)
{
}

/* A commit that blocks waits behind a pending flip, until a signal ends it. */
static void commit_interrupted(void)
{
	const struct itimerval often = { { .tv_usec = 100000 }, { .tv_usec = 100000 } }, never = {};
	struct sigaction act = { .sa_handler = interrupt };
	struct drm_mode_crtc crtc = {
		.set_connectors_ptr = (uintptr_t)&head.connector,
		.count_connectors = 1,
		.crtc_id = head.crtc,
		.fb_id = fbs[0].id,
		.mode_valid = 1,
	};

	memcpy(&crtc.mode, &head.mode, sizeof(crtc.mode));
	igt_assert_eq(sigaction(SIGALRM, &act, NULL), 0);
	igt_assert_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
	/* drmIoctl() would begin again. */
	igt_assert_eq(ioctl(head.fd, DRM_IOCTL_MODE_SETCRTC, &crtc), -1);
	igt_assert_eq(errno, EINTR);
	igt_assert_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
}

static void wait_behind(bool leaves, bool file)
{
	struct vsplit_bo *bo, *shared;
	struct vsplit_cs *behind;
	uint32_t late;
	int fence;

	setup_short();
	show(&head, 0, fbs);
	/* This comes before the flip, because the watchdog follows the oldest dependency. */
	bo = vsplit_bo(head.fd, 'S', 4096);
	cs = vsplit_cs(head.fd);
	vsplit_cs_bind(cs, 0, bo);
	vsplit_cs_set(cs, 0, 0, 4096, 0);
	vsplit_cs_submit_and_wait(cs, vsplit_ctx(head.fd, 0), 0);
	late = work(ENDLESS);
	fence = commit_late(false);
	if (file)
		commit_interrupted();
	shared = vsplit_bo_share(fd, 'S', bo);
	if (leaves)
		leave_late(bo);
	behind = file ? work_behind_file(bo, fence) : work_behind(bo);
	close(fence);
	usleep(5000 * TIMEOUT_MS);
	igt_assert_eq(vsplit_ctx_state(head.fd, late, NULL), VSPLIT_STATE_ACTIVE);
	cs = vsplit_cs(fd);
	vsplit_cs_bind(cs, 0, shared);
	vsplit_cs_set(cs, 0, 0, 4096, 0);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert(vsplit_soon(vsplit_ctx_state(head.fd, late, NULL) == VSPLIT_STATE_LOST_HANG));
	vsplit_cs_wait(behind);
	vsplit_cs_wait(cs);
}

/**
 * SUBTEST: another-client
 * Description: Work that writes the framebuffer that a flip replaces waits for the flip, and for
 *   the same client's work that the flip waits for, without a timeout. Once another client waits
 *   for the former work, the latter has a timeout.
 */
static void test_client(void)
{
	wait_behind(false, false);
}

/**
 * SUBTEST: another-client-by-paging
 * Description: The same if the former work waits for paging that waits for the flip: a job of the
 *   kernel, which belongs to no client.
 */
static void test_client_by_paging(void)
{
	wait_behind(true, false);
}

/**
 * SUBTEST: another-client-by-a-file
 * Description: The same if the former work waits for the flip through DRM's own fence, and a
 *   commit behind the flip was interrupted.
 */
static void test_client_by_file(void)
{
	wait_behind(false, true);
}

/* Commits a writeback, into the framebuffer that such work writes, of a head without any plane. */
static uint32_t write_black(void)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	uint32_t ctx;

	show(&head, 0, fbs);
	ctx = work(ENDLESS);
	add_plane(req, &head, head.primary, NULL, 0, 0, 0, 0);
	prop_set(req, head.fd, head.writeback, "CRTC_ID", head.crtc);
	expect(commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
	commit_late(true);
	return ctx;
}

static void drop_and_light(bool black)
{
	int ready[2], over[2];
	uint32_t ctx;
	char byte = 0;
	pid_t pid;

	setup_short();
	igt_assert_eq(pipe(ready), 0);
	igt_assert_eq(pipe(over), 0);
	pid = vsplit_fork();
	if (!pid) {
		ctx = black ? write_black() : flip_late(ENDLESS);
		igt_assert_eq(drmDropMaster(head.fd), 0);
		igt_assert_eq(write(ready[1], &byte, 1), 1);
		igt_assert_eq(read(over[0], &byte, 1), 1);
		expect_lost(ctx);
		_exit(0);
	}
	igt_assert_eq(read(ready[0], &byte, 1), 1);
	head_open(&head, 0);
	fb_new(&head, &fbs[0], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head_on(&head, &fbs[0]);
	igt_assert_eq(write(over[1], &byte, 1), 1);
	ends(pid, 0);
	close(ready[0]);
	close(ready[1]);
	close(over[0]);
	close(over[1]);
}

/**
 * SUBTEST: another-master
 * Description: A client gives up the head while a flip waits for its work, which does not end, or
 *   a writeback of a head without planes does. The next master lights the head after a timeout of
 *   RUN time.
 */
static void test_another(void)
{
	drop_and_light(false);
	vsplit_cleanup();
	drop_and_light(true);
}

/*
 * In a child: there is room for two framebuffers, one shown and one that a flip will show, but not
 * for a third.
 */
static void ask_for_third(struct fb *third)
{
	uint32_t late = flip_late(ENDLESS);

	fb_new(&head, third, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, in_first);
	vsplit_bo_in(head.fd, 'P', (1 << 20) - 2 * third->bo->size, VSPLIT_GEM_PINNED, in_first);
	expect(__head_flip(&head, third, DRM_MODE_ATOMIC_TEST_ONLY, NULL), 0);
	expect(__head_flip(&head, third, DRM_MODE_ATOMIC_NONBLOCK, NULL), -EBUSY);
	igt_assert_eq(vsplit_ctx_state(head.fd, late, NULL), VSPLIT_STATE_ACTIVE);
	igt_assert_eq(drmDropMaster(head.fd), 0);
}

/**
 * SUBTEST: no-room
 * Description: There is no room for a commit's framebuffer until a flip takes effect, which waits
 *   for work that does not end. A test-only commit does not wait for that, and neither does a
 *   nonblocking one (-EBUSY). The next master's commit lights the head, after a timeout of RUN
 *   time.
 */
static void test_no_room(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 1 << 20 } },
		.slots = 16,
		.timeout_ms = TIMEOUT_MS,
		.heads = 1,
	};
	int ready[2], over[2];
	struct fb third;
	char byte = 0;
	pid_t pid;

	setup_opts(&opts);
	igt_assert_eq(pipe(ready), 0);
	igt_assert_eq(pipe(over), 0);
	pid = vsplit_fork();
	if (!pid) {
		ask_for_third(&third);
		igt_assert_eq(write(ready[1], &byte, 1), 1);
		igt_assert_eq(read(over[0], &byte, 1), 1);
		_exit(0);
	}
	close(ready[1]);
	igt_assert_eq(read(ready[0], &byte, 1), 1);
	head_open(&head, 0);
	fb_new(&head, &third, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head_on(&head, &third);
	igt_assert_eq(write(over[1], &byte, 1), 1);
	ends(pid, 0);
	close(ready[0]);
	close(over[0]);
	close(over[1]);
}

/* As struct sync_set_deadline of sync_file.h since Linux 6.4. */
struct deadline {
	uint64_t ns;
	uint64_t pad;
};

/**
 * SUBTEST: a-deadline-of-0
 * Description: If a flip's fence is only waited for through a sync file, the wait lasts as long as
 *   the work that the flip waits for. A deadline of 0 says that the waiter stands still; then the
 *   work gets a timeout.
 */
static void test_deadline(void)
{
	struct dma_buf_export_sync_file exported = { .flags = DMA_BUF_SYNC_WRITE };
	struct deadline now = {};
	struct pollfd file = { .events = POLLIN };
	uint32_t late;
	int dmabuf;

	setup_short();
	late = flip_late(ENDLESS);
	/* The replaced framebuffer: only the flip uses it. */
	dmabuf = vsplit_bo_export(fbs[0].bo);
	expect(ioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &exported), 0);
	close(dmabuf);
	file.fd = exported.fd;
	igt_assert_eq(poll(&file, 1, 5 * TIMEOUT_MS), 0);
	igt_assert_eq(vsplit_ctx_state(head.fd, late, NULL), VSPLIT_STATE_ACTIVE);
	expect(ioctl(file.fd, _IOW('>', 5, struct deadline), &now), 0);
	igt_assert(vsplit_soon(vsplit_ctx_state(head.fd, late, NULL) == VSPLIT_STATE_LOST_HANG));
	igt_assert_eq(poll(&file, 1, VSPLIT_SOON_MS), 1);
	close(file.fd);
}

/* Flips, and takes the writeback connector off its head in the same commit. */
static void flip_off(const struct fb *to)
{
	drmModeAtomicReqPtr req;

	for (unsigned int off = 0; off < 2; off++) {
		req = drmModeAtomicAlloc();
		prop_set(req, head.fd, head.writeback, "CRTC_ID", off ? 0 : head.crtc);
		if (off)
			prop_set(req, head.fd, head.primary, "FB_ID", to->id);
		expect(commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET |
			      (off ? DRM_MODE_ATOMIC_NONBLOCK : 0), NULL), 0);
	}
}

/*
 * In a child: a blocking commit waits for its own work, to show it, behind a flip, or with a
 * writeback; or first for what a writeback overwrites, and then, on another engine, for what it
 * shows; or with nothing but a connector, behind a flip that took the connector off.
 */
static void block(unsigned int how, int told)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	struct fb target;
	uint32_t late, first;

	show(&head, 0, fbs);
	late = work(ENDLESS);
	first = late;
	target = fbs[1];
	if (how == 1)
		expect(__head_flip(&head, &fbs[1], FLIP, NULL), 0);
	if (how == 4)
		flip_off(&fbs[1]);
	if (how == 3) {
		fb_new(&head, &target, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
		first = work_on(1, target.bo, ENDLESS);
		prop_set(req, head.fd, head.primary, "FB_ID", fbs[1].id);
	}
	if (how == 4)
		prop_set(req, head.fd, head.writeback, "CRTC_ID", 0);
	if (how == 2 || how == 3) {
		prop_set(req, head.fd, head.writeback, "CRTC_ID", head.crtc);
		prop_set(req, head.fd, head.writeback, "WRITEBACK_FB_ID", target.id);
	}
	igt_assert_eq(write(told, "", 1), 1);
	if (how >= 2)
		expect(commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
	else
		expect(__head_flip(&head, &fbs[!how], 0, NULL), 0);
	igt_assert_eq(vsplit_ctx_state(head.fd, first, NULL), VSPLIT_STATE_LOST_HANG);
	igt_assert_eq(vsplit_ctx_state(head.fd, late, NULL), VSPLIT_STATE_LOST_HANG);
	_exit(0);
}

/**
 * SUBTEST: a-commit-that-blocks
 * Description: A blocking commit waits for work of its own process, which does not end, and holds
 *   the head's locks meanwhile. That work gets a timeout after some time, so that a client that is
 *   no master, and only queries the head's mode, waits no longer. So does work that the commit waits
 *   for after that; and work that it waits for because of a connector alone.
 */
static void test_blocks(void)
{
	drmModeCrtcPtr crtc;
	int ready[2], other;
	uint32_t id;
	char byte;

	setup_short();
	head_open(&head, 0);
	id = head.crtc;
	close(head.fd);
	for (unsigned int how = 0; how < 5; how++) {
		pid_t pid;

		igt_assert_eq(pipe(ready), 0);
		pid = vsplit_fork();
		if (!pid)
			block(how, ready[1]);
		igt_assert_eq(read(ready[0], &byte, 1), 1);
		igt_assert(vsplit_soon(vsplit_task_state(pid) == 'S'));
		other = vsplit_adapter_open_primary(ad);
		crtc = drmModeGetCrtc(other, id);
		igt_assert(crtc && crtc->mode_valid);
		drmModeFreeCrtc(crtc);
		ends(pid, 0);
		close(other);
		close(ready[0]);
		close(ready[1]);
	}
}

/**
 * SUBTEST: its-own-work
 * Description: A client waits alone for its own work, with a flip or with a commit behind one. It
 *   does so for longer than the timeout, and loses nothing.
 */
static void test_own(void)
{
	uint32_t ctx;

	setup_short();
	ctx = flip_late(5 * TIMEOUT_MS / 100);
	expect(__head_flip(&head, &fbs[0], 0, NULL), 0);
	igt_assert_eq(next_event(&head).base.type, DRM_EVENT_FLIP_COMPLETE);
	igt_assert_eq(vsplit_ctx_state(head.fd, ctx, NULL), VSPLIT_STATE_ACTIVE);
	vsplit_cs_wait(cs);
	igt_assert_eq_u32(*(volatile uint32_t *)fbs[1].bo->map, 0x00123456);
}

/**
 * SUBTEST: dark
 * Description: The CRTC of a head is off. A nonblocking flip is pending because its work does not
 *   end. The next flip is refused at once, as if the head were lit.
 */
static void test_dark(void)
{
	drmModeAtomicReqPtr req;
	pid_t pid;

	setup_short();
	pid = vsplit_fork();
	if (!pid) {
		show(&head, 0, fbs);
		req = drmModeAtomicAlloc();
		prop_set(req, head.fd, head.crtc, "ACTIVE", 0);
		expect(commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
		work(ENDLESS);
		expect(__head_flip(&head, &fbs[1], DRM_MODE_ATOMIC_NONBLOCK, NULL), 0);
		expect(__head_flip(&head, &fbs[0], DRM_MODE_ATOMIC_NONBLOCK, NULL), -EBUSY);
		_exit(0);
	}
	ends(pid, 0);
}

/**
 * SUBTEST: suspended-by-its-owner
 * Description: A flip waits for work on an engine that its own file has suspended. When the file is
 *   closed, the engine goes on before DRM waits for the flip.
 */
static void test_suspended(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 1 << 20 }, { "aper", true, .size = 1 << 20 } },
		.slots = 16,
		.heads = 1,
		.test = true,
	};
	pid_t pid;

	setup_opts(&opts);
	pid = vsplit_fork();
	if (!pid) {
		show(&head, 0, fbs);
		vsplit_escape(head.fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		work(1);
		expect(__head_flip(&head, &fbs[1], FLIP, NULL), 0);
		_exit(0);
	}
	ends(pid, 0);
}

static const struct vsplit_subtest tests[] = {
	{ "killed", test_killed,
	  "No task is blocked by a killed client whose flip waits for long work, and the next "
	  "client can light the head" },
	{ "closed", test_closed,
	  "Work without end that a closed file's flip waits for gets a timeout, and the next "
	  "client can light the head" },
	{ "written-and-closed", test_written,
	  "Work without end gets a timeout if its client leaves a writeback into the allocation "
	  "that the work uses" },
	{ "written-and-killed", test_written_killed,
	  "A kill ends a blocking commit with a writeback into what the client's long work uses, "
	  "without a timeout" },
	{ "removed", test_removed,
	  "The removal of a framebuffer that a pending flip will show ends, also if its task is "
	  "killed" },
	{ "behind-another-head", test_behind,
	  "Work without end gets a timeout if the removal of a head's framebuffer waits for it "
	  "behind another head's flip" },
	{ "another-client", test_client,
	  "Work that a flip waits for has a timeout once another client waits for that flip "
	  "through the replaced picture" },
	{ "another-client-by-paging", test_client_by_paging,
	  "Work that a flip waits for has a timeout once another client waits for that flip "
	  "through the kernel's paging" },
	{ "another-client-by-a-file", test_client_by_file,
	  "Work that a flip waits for has a timeout once another client waits for that flip "
	  "through DRM's own fence" },
	{ "another-master", test_another,
	  "The next master lights a head whose flip waits for work without end, after a timeout" },
	{ "no-room", test_no_room,
	  "A commit whose room a pending flip will free waits only if it blocks, and the next "
	  "master lights the head" },
	{ "dark", test_dark,
	  "A second flip of a head that is off is refused at once while the first one is pending" },
	{ "a-deadline-of-0", test_deadline,
	  "A wait for a flip through a sync file gives no timeout to the work, unless it has a "
	  "deadline of 0" },
	{ "suspended-by-its-owner", test_suspended,
	  "When a file that suspended an engine is closed, the engine goes on before DRM waits for "
	  "the file's flip" },
	{ "a-commit-that-blocks", test_blocks,
	  "Work without end that a blocking commit of its own process waits for gets a timeout" },
	{ "its-own-work", test_own,
	  "A client that waits alone for its own work, for longer than the timeout, loses "
	  "nothing" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
