// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit pci kms
 * Description: Heads of an adapter that is a PCI device, whose pictures are in its BAR, and
 *   operations of the bus on the device; Documentation/buses.rst, Documentation/display.rst.
 * Category: Display
 * Mega feature: General Display Features
 * Sub-category: vsplit
 * Functionality: PCI, heads
 * Test category: functionality test
 *
 * The tests need a PCI device, as "vm/run --pci --params test=1" makes it, and skip without one.
 * One subtest also needs contexts=patch,explicit.
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_lit.h"
#include "igt_vsplit_pci.h"
#include "igt_vsplit_resid.h"

#include <drm_fourcc.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

IGT_TEST_DESCRIPTION("Heads of an adapter that is a PCI device, whose pictures are in its BAR, and "
		     "operations of the bus on the device; Documentation/buses.rst, "
		     "Documentation/display.rst.");

/* 80 x 60 pixels at 288 kHz. */
#define PERIOD_NS (4800ull * 1000000 / 288)
#define PAGE 4096ull

static struct pci_function *dev;
static uint8_t bar[2];

/* Makes "ad" the device as it is bound now. */
static void setup_device(void)
{
	static struct vsplit_adapter function;

	dev = &pci_devices[0];
	pci_use(dev);
	function.render = dev->render;
	function.primary = dev->primary;
	ad = &function;
	fd = dev->fd;
	ctx = dev->ctx;
	bar[0] = dev->segment.id;
}

static void require_test_mode(void)
{
	struct drm_vsplit_adapter_info info;

	vsplit_query_adapter(fd, &info);
	igt_require_f(info.caps & VSPLIT_CAP_TEST, "needs test=1\n");
}

static void reset(void)
{
	pci_write(dev, "reset", "1");
}

/* A new client lights the head, and checks its pictures. */
static void lights_again(void)
{
	static struct pixel picture[PIXELS];
	struct head head;
	struct fb fb;

	setup_device();
	head_open(&head, 0);
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, bar);
	head_on(&head, &fb);
	igt_assert_eq_u32(pinned(fb.bo), bar[0]);
	/* Nothing of the former content is shown. */
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
	fb_noise(&fb, 7);
	get_picture(&fb, picture);
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
	/* For the next call. */
	memset(picture, 0, sizeof(picture));
	expect(__head_flip(&head, &fb, FLIP, NULL), 0);
	igt_assert_eq(next_event(&head).base.type, DRM_EVENT_FLIP_COMPLETE);
	head_off(&head);
}

/* ---- resets --------------------------------------------------------------- */

/**
 * SUBTEST: reset-lit-head
 * Description: The function is reset while a head flips between two pictures in the BAR and has its
 *   checksums read. Each frame has one of the two pictures, or none. Flips go on, and the pictures
 *   stay in their places.
 */
static void test_reset(void)
{
	struct drm_vsplit_gem_info was, info;

	setup_device();
	pci_require_reset(dev);
	lit_start(bar);
	lit_goes_on("before");
	for (unsigned int round = 0; round < vsplit_rounds(3, 50); round++) {
		reset();
		lit_goes_on("after");
	}
	lit_stop();
	lit_check();
	/* Shown framebuffers stay in their places. */
	vsplit_info(lit.fbs[1].bo, &was);
	reset();
	igt_assert_eq_u32(pinned(lit.fbs[1].bo), bar[0]);
	vsplit_info(lit.fbs[1].bo, &info);
	igt_assert_eq_u64(info.offset, was.offset);
	igt_assert_eq_u32(crc_now(&lit.head), lit.want[1]);
	head_off(&lit.head);
}

static uint64_t event_ns(const struct drm_event_vblank *event)
{
	return event->tv_sec * 1000000000ull + event->tv_usec * 1000ull;
}

struct flip {
	struct head *head;
	struct fb *fb;
};

static void *flip_thread(void *arg)
{
	struct flip *flip = arg;

	return (void *)(intptr_t)__head_flip(flip->head, flip->fb, FLIP, NULL);
}

static struct drm_event_vblank flip_now(struct head *head, struct fb *fb)
{
	expect(__head_flip(head, fb, FLIP, NULL), 0);
	return next_event(head);
}

/* Submits a buffer that writes @bo, and waits for an engine that is suspended. */
static struct vsplit_cs *write_later(struct vsplit_bo *bo)
{
	struct vsplit_cs *work = vsplit_cs(fd);

	vsplit_cs_bind(work, 0, bo);
	vsplit_cs_set(work, 0, 0, bo->size, 0x56788765);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(work, ctx, 0);
	return work;
}

/**
 * SUBTEST: reset-in-its-midst
 * Description: While a reset has the pictures out of the BAR, a head reads nothing, its vblanks
 *   come, and a flip waits. Afterwards the flip is done, and pictures, places and the times of
 *   vblanks are the same as without a reset.
 */
static void test_midst(void)
{
	static uint8_t seen[3 * PIXELS + 64];
	static struct pixel picture[PIXELS];
	struct drm_vsplit_gem_info was, info;
	struct drm_event_vblank first, last;
	pthread_t resetter, flipper;
	struct vsplit_cs *work;
	struct flip flip;
	struct head head;
	struct vsplit_bo *a;
	struct fb fbs[2];
	uint64_t frames;
	void *result;
	int64_t off;

	setup_device();
	pci_require_reset(dev);
	require_test_mode();
	head_open(&head, 0);
	a = vsplit_bo_in(fd, 'A', 4 * PAGE, 0, bar);
	for (unsigned int i = 0; i < 2; i++) {
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, bar);
		fb_noise(&fbs[i], i + 1);
	}
	head_on(&head, &fbs[0]);
	flip_now(&head, &fbs[1]);
	first = flip_now(&head, &fbs[0]);
	vsplit_info(fbs[0].bo, &was);
	igt_assert_eq_u32(was.segment, bar[0]);

	work = write_later(a);
	igt_assert_eq(pthread_create(&resetter, NULL, pci_reset_thread, dev), 0);
	igt_assert(vsplit_soon(segment_of(a) == 0 && segment_of(fbs[0].bo) == 0));
	for (unsigned int i = 0; i < 3; i++) {
		drmVBlank vblank = {
			.request.type = DRM_VBLANK_RELATIVE, .request.sequence = 1,
		};

		expect(look(seen, sizeof(seen)), -EIO);
		igt_assert_eq(drmWaitVBlank(head.fd, &vblank), 0);
	}
	flip = (struct flip){ &head, &fbs[1] };
	igt_assert_eq(pthread_create(&flipper, NULL, flip_thread, &flip), 0);

	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(pthread_join(resetter, &result), 0);
	expect((int)(intptr_t)result, 0);
	igt_assert_eq(pthread_join(flipper, &result), 0);
	expect((int)(intptr_t)result, 0);
	igt_assert_eq(next_event(&head).base.type, DRM_EVENT_FLIP_COMPLETE);
	vsplit_cs_wait(work);
	vsplit_cs_reference(work, 0);
	vsplit_bo_check(a);
	get_picture(&fbs[1], picture);
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
	last = flip_now(&head, &fbs[0]);
	get_picture(&fbs[0], picture);
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
	vsplit_info(fbs[0].bo, &info);
	igt_assert_eq_u32(info.segment, bar[0]);

	frames = last.sequence - first.sequence;
	off = event_ns(&last) - event_ns(&first) - frames * PERIOD_NS;
	/* The clock counts microseconds, and a period is a whole number of nanoseconds. */
	igt_assert_f(llabs(off) <= 2000 + (int64_t)frames,
		     "%" PRIu64 " frames: %" PRId64 " ns off\n", frames, off);
	head_off(&head);
}

/* A fence of work on another adapter, whose engine stands still until @release_fd resumes it. */
static int fence_of_another(int *release_fd)
{
	static const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 64 * PAGE } },
		.slots = 8,
		.test = true,
	};
	struct vsplit_cs *work;
	int fence;

	*release_fd = vsplit_adapter_open(vsplit_adapter_create(&opts));
	vsplit_escape(*release_fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	work = vsplit_cs(*release_fd);
	vsplit_cs_spin(work, 10);
	vsplit_cs_submit(work, vsplit_ctx(*release_fd, 0), 0);
	igt_assert_eq(drmSyncobjExportSyncFile(*release_fd, work->out, &fence), 0);
	return fence;
}

/**
 * SUBTEST: reset-writes-nothing
 * Description: A commit before a reset takes effect while the reset has the pictures out of the
 *   BAR. Its writeback ends with -EIO. Afterwards the head shows the committed picture.
 */
static void test_writeback(void)
{
	static struct pixel picture[PIXELS];
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	int written = -1, in_fence, release_fd;
	struct head head;
	struct vsplit_bo *a;
	struct fb fbs[2], to;
	pthread_t resetter;
	void *result;

	setup_device();
	pci_require_reset(dev);
	require_test_mode();
	head_open(&head, 0);
	a = vsplit_bo_in(fd, 'A', 4 * PAGE, 0, bar);
	fb_new(&head, &to, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, bar);
	for (unsigned int i = 0; i < 2; i++) {
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, bar);
		fb_noise(&fbs[i], i + 1);
	}
	head_on(&head, &fbs[0]);
	in_fence = fence_of_another(&release_fd);
	prop_set(req, head.fd, head.primary, "FB_ID", fbs[1].id);
	prop_set(req, head.fd, head.primary, "IN_FENCE_FD", in_fence);
	prop_set(req, head.fd, head.writeback, "CRTC_ID", head.crtc);
	prop_set(req, head.fd, head.writeback, "WRITEBACK_FB_ID", to.id);
	prop_set(req, head.fd, head.writeback, "WRITEBACK_OUT_FENCE_PTR", (uintptr_t)&written);
	expect(commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET | DRM_MODE_ATOMIC_NONBLOCK, NULL),
	       0);
	igt_assert_lte(0, written);

	write_later(a);
	igt_assert_eq(pthread_create(&resetter, NULL, pci_reset_thread, dev), 0);
	igt_assert(vsplit_soon(segment_of(a) == 0 && segment_of(to.bo) == 0 &&
			       segment_of(fbs[1].bo) == 0));
	vsplit_escape(release_fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(poll(&(struct pollfd){ .fd = written, .events = POLLIN }, 1, VSPLIT_SOON_MS),
		      1);
	expect(vsplit_fence_status(written), -EIO);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(pthread_join(resetter, &result), 0);
	expect((int)(intptr_t)result, 0);

	get_picture(&fbs[1], picture);
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
	shoot(&head, NULL, &to);
	check_picture(&to, picture);
	close(written);
	close(in_fence);
	head_off(&head);
}

/**
 * SUBTEST: reset-shows-what-is-there
 * Description: After a reset, a head shows no picture whose bytes are still on their way back.
 */
static void test_bytes(void)
{
	static uint8_t seen[3 * PIXELS + 64];
	struct drm_vsplit_gem_info info;
	struct vsplit_bo *a;
	struct head head;
	struct fb fb;
	int n;

	setup_device();
	pci_require_reset(dev);
	require_test_mode();
	head_open(&head, 0);
	/* This allocation comes back first. */
	a = vsplit_bo_in(fd, 'A', 4 * PAGE, VSPLIT_GEM_PINNED, bar);
	vsplit_bo_pattern(a, 1);
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, bar);
	fb_noise(&fb, 3);
	head_on(&head, &fb);
	vsplit_adapter_knob(ad, "delay_paging", "1000000");
	reset();
	n = look(seen, sizeof(seen));
	vsplit_info(fb.bo, &info);
	vsplit_adapter_knob(ad, "delay_paging", "0");
	igt_assert_f(n < 0 || !(info.flags & VSPLIT_GEM_INFO_BUSY),
		     "a picture was read before its bytes were there\n");
	vsplit_bo_check(a);
	head_off(&head);
}

/**
 * SUBTEST: reset-while-it-goes-dark
 * Description: A head goes dark while a reset has its picture out of the BAR. The picture stays out
 *   when the reset brings back pinned allocations. A requirement list may then use all of the
 *   memory, including the room of its pin.
 */
static void test_dark(void)
{
	struct vsplit_bo *a, *all;
	pthread_t resetter;
	struct vsplit_cs *work;
	struct head head;
	uint32_t explicit;
	struct fb fb;
	void *result;
	int file;

	setup_device();
	pci_require_reset(dev);
	require_test_mode();
	file = vsplit_open_render(dev->render);
	igt_require_f(!__context(file, VSPLIT_CTX_MODE_EXPLICIT, 0, &explicit),
		      "needs contexts=patch,explicit\n");
	head_open(&head, 0);
	a = vsplit_bo_in(fd, 'A', 4 * PAGE, 0, bar);
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, bar);
	head_on(&head, &fb);
	all = vsplit_bo_in(file, 'L', dev->segment.commit_limit, 0, bar);
	expect(__vsplit_make_resident(file, &all->handle, 1, VSPLIT_RESIDENT_CANT_TRIM_FURTHER, NULL), -ENOSPC);
	work = write_later(a);
	igt_assert_eq(pthread_create(&resetter, NULL, pci_reset_thread, dev), 0);
	igt_assert(vsplit_soon(segment_of(a) == 0 && segment_of(fb.bo) == 0));
	head_off(&head);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(pthread_join(resetter, &result), 0);
	expect((int)(intptr_t)result, 0);
	vsplit_cs_wait(work);
	igt_assert_eq_u32(segment_of(fb.bo), 0);
	expect(__vsplit_make_resident(file, &all->handle, 1, VSPLIT_RESIDENT_CANT_TRIM_FURTHER, NULL), 0);
}

/**
 * SUBTEST: reset-that-fails
 * Description: A reset cannot keep contents because work does not end. It unplugs the adapter under
 *   a head that flips. Flips fail, and after a bind the head can be lit again.
 */
static void test_fails(void)
{
	struct vsplit_bo *a;
	pid_t pid;

	setup_device();
	pci_require_reset(dev);
	require_test_mode();
	a = vsplit_bo_in(fd, 'A', 4 * PAGE, 0, bar);
	vsplit_bo_pattern(a, 1);
	lit_start(bar);
	lit_goes_on("before");
	write_later(a);
	pid = vsplit_fork();
	if (!pid)
		_exit(__pci_write(dev, "reset", "1") ? 1 : 0);
	igt_assert(vsplit_soon(vsplit_task_state(pid) != 'R' && segment_of(a) == 0));
	/* After the signal the reset no longer waits for the work. */
	kill(pid, SIGTERM);
	vsplit_ends_unblocked(pid);
	expect(lit_fails(), -ENODEV);
	lit_stop();
	igt_assert_eq(lit.wrong, 0);
	pci_unbind(dev);
	lights_again();
}

/* ---- ends ----------------------------------------------------------------- */

static void unbind(void)
{
	pci_unbind(dev);
}

static void rebind(void)
{
	pci_bind(dev);
}

static void remove_device(void)
{
	pci_write(dev, "remove", "1");
	igt_assert(!pci_is_present(dev));
}

static void rescan(void)
{
	igt_assert_eq(__vsplit_write_file(PCI_BUS "/rescan", "1"), 0);
	igt_assert(pci_is_present(dev) && pci_read_bar(dev));
}

static void goes_and_comes(void (*go)(void), void (*come)(void))
{
	static uint8_t seen[3 * PIXELS + 64];

	for (unsigned int round = 0; round < vsplit_rounds(2, 20); round++) {
		setup_device();
		lit_start(bar);
		lit_goes_on("before");
		go();
		expect(lit_fails(), -ENODEV);
		lit_stop();
		igt_assert_eq(lit.wrong, 0);
		igt_assert_lt(look(seen, sizeof(seen)), 0);
		come();
		/* Use the new adapter while files of the old one are open. */
		lights_again();
		expect(__head_flip(&lit.head, &lit.fbs[0], 0, NULL), -ENODEV);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: unbind-lit-head
 * Description: The driver is unbound while a head flips and has its checksums read: flips fail with
 *   -ENODEV. After a bind, the device has a head that can be lit, and that shows nothing old.
 */
static void test_unbind(void)
{
	goes_and_comes(unbind, rebind);
}

/**
 * SUBTEST: remove-lit-head
 * Description: The same when the device is removed from the bus and found again.
 */
static void test_remove(void)
{
	goes_and_comes(remove_device, rescan);
}

int igt_main()
{
	static const struct vsplit_subtest tests[] = {
		{ "reset-lit-head", test_reset,
		  "Over a reset flips go on, each frame has one of the two pictures or none, and "
		  "pictures keep their places" },
		{ "reset-in-its-midst", test_midst,
		  "While a reset has the pictures out of the BAR, a head reads nothing, its "
		  "vblanks come, and a flip waits" },
		{ "reset-writes-nothing", test_writeback,
		  "A writeback ends with -EIO while a reset has the pictures out of the BAR, and "
		  "then the head shows the commit" },
		{ "reset-shows-what-is-there", test_bytes,
		  "After a reset, a head shows no picture whose bytes are still on their way "
		  "back" },
		{ "reset-while-it-goes-dark", test_dark,
		  "The picture of a head that goes dark during a reset stays out of the BAR, and a "
		  "list may use the pin's room" },
		{ "reset-that-fails", test_fails,
		  "A reset that cannot keep contents unplugs the adapter under a head that flips; "
		  "after a bind the head works" },
		{ "unbind-lit-head", test_unbind,
		  "An unbind ends flips with -ENODEV; after a bind the head can be lit, and shows "
		  "nothing old" },
		{ "remove-lit-head", test_remove,
		  "A removal from the bus ends flips with -ENODEV; after a rescan the head can be "
		  "lit, and shows nothing old" },
	};

	igt_fixture() {
		igt_require(geteuid() == 0);
		pci_find_devices();
	}

	vsplit_run_subtests(tests);
}
