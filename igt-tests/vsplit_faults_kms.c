// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit faults of the display
 * Description: Every call of a lit head is made while the Nth thing that can fail fails, or the Nth
 *   interruptible wait is interrupted, for every N. Each failure gives a documented error and
 *   leaves the same picture and the same pins, and the same call right after it succeeds. Other
 *   calls are in vsplit_faults and vsplit_faults2.
 * Category: Display
 * Mega feature: General Display Features
 * Sub-category: vsplit
 * Functionality: fault injection
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_head.h"
#include "igt_vsplit_sweep.h"

#include <drm_fourcc.h>
#include <poll.h>

IGT_TEST_DESCRIPTION("Every call of a lit head is made while the Nth thing that can fail fails, or "
		     "the Nth interruptible wait is interrupted, for every N.");

#define SEGMENT (1u << 20)
#define CURSOR 16u
/* Number of modes of the head's own monitor. */
#define MODES 10

/* The segments of the shown framebuffer and of all others: aperture pages are mapped to be read. */
static const struct {
	const char *name;
	const uint8_t *shown, *others;
} states[] = {
	{ "memory", in_first, in_second },
	{ "aperture", in_second, in_first },
};

/* All sites that the calls below pass: if a sweep misses one, it has lost a call. */
static const char *const fail_sites[] = {
	"kms.fb", "kms.flip", "kms.shown", "kms.crtc_state", "kms.plane_state", "kms.writeback",
	"kms.writeback_before", "kms.ppm", "kms.needs", "mm.scanout_vmap",
};

static const char *const wait_sites[] = {
	"kms.flip_lock", "kms.cleanup_done", "kms.snapshot_slot", "kms.snapshot",
	"mm.scanout_fit", "mm.scanout_reserve",
};

static const char *const making_sites[] = { "drv.kms_init", "kms.composers", "kms.lines" };

/* ---- the world: a lit head ----------------------------------------------- */

static struct head head;
/* @shown is the first framebuffer; calls show @next instead. @huge cannot be placed. */
static struct fb shown, next, target, cursor, huge;
static struct pixel picture[PIXELS];
static uint32_t crc_shown, crc_next_fb;
static uint8_t ppm[3 * PIXELS + 32];
static size_t ppm_bytes;
static struct sweep s;

static void make_ppm(void)
{
	ppm_bytes = sprintf((char *)ppm, "P6\n%u %u\n255\n", HEAD_W, HEAD_H);
	for (unsigned int i = 0; i < PIXELS; i++) {
		uint64_t rgb = pack_pixel(DRM_FORMAT_XRGB8888, picture[i]);

		ppm[ppm_bytes++] = rgb >> 16;
		ppm[ppm_bytes++] = rgb >> 8;
		ppm[ppm_bytes++] = rgb;
	}
}

static void build(unsigned int state)
{
	const uint8_t *others = states[state].others;

	setup_head(&head);
	/* About 200 frames a second, because the test waits for hundreds of frames. */
	head.mode.clock = 1000;
	fb_new(&head, &shown, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, states[state].shown);
	fb_new(&head, &next, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, others);
	fb_new(&head, &target, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, others);
	fb_new(&head, &cursor, CURSOR, CURSOR, DRM_FORMAT_ARGB8888, others);
	fb_new(&head, &huge, HEAD_W, HEAD_H * 8, DRM_FORMAT_XRGB8888, in_first);
	fb_noise(&next, 2);
	get_picture(&next, picture);
	crc_next_fb = crc_of(picture, PIXELS);
	fb_noise(&shown, 1);
	get_picture(&shown, picture);
	crc_shown = crc_of(picture, PIXELS);
	make_ppm();
	/*
	 * Leave room in memory for all but the last framebuffer, whether they are pinned there or
	 * not.
	 */
	vsplit_bo_in(fd, 'P', SEGMENT - 4 * shown.bo->size, VSPLIT_GEM_PINNED, in_first);
	igt_assert_lt(4 * shown.bo->size, huge.bo->size);
}

static void shows(uint32_t crc)
{
	uint32_t is = crc_now(&head);

	igt_assert_f(is == crc, "%s: the checksum is %08x, should be %08x\n", s.where, is, crc);
}

static void evict(const struct fb *fb)
{
	igt_assert_f(!pinned(fb->bo), "%s: what is not shown is pinned\n", s.where);
	vsplit_escape(head.fd, VSPLIT_ESCAPE_EVICT, fb->bo->handle, 0);
}

/* Lights the head with @shown, and moves all others out of the segments they are shown from. */
static void light(void)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	add_mode(req, &head, &head.mode);
	prop_set(req, head.fd, head.writeback, "CRTC_ID", 0);
	add_plane(req, &head, head.primary, &shown, 0, 0, HEAD_W, HEAD_H);
	add_plane(req, &head, head.cursor, NULL, 0, 0, 0, 0);
	expect(commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
	evict(&next);
	evict(&target);
	evict(&cursor);
}

/* ---- the calls ------------------------------------------------------------ */

/* The request of a call, and its results. */
static drmModeAtomicReqPtr req;
static int fence = -1, monitor = -1;
static struct fb made;
static uint32_t crc_read;
static uint8_t ppm_read[sizeof(ppm)];
static int modes_read;

static void req_flip(const struct fb *fb)
{
	req = drmModeAtomicAlloc();
	igt_assert(drmModeAtomicAddProperty(req, head.primary, head.flip, fb->id) >= 0);
}

static int run_modeset(void)
{
	return commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
}

static void done_next(bool clean)
{
	shows(crc_next_fb);
}

static void done_event(bool clean)
{
	igt_assert_eq(next_event(&head).base.type, DRM_EVENT_FLIP_COMPLETE);
	shows(crc_next_fb);
}

static void prepare_fb(void)
{
	made = next;
	made.id = 0;
}

static int run_fb(void)
{
	return __fb_add(&head, &made, 0);
}

static void done_fb(bool clean)
{
	igt_assert_eq(drmModeRmFB(head.fd, made.id), 0);
}

static void prepare_flip(void)
{
	req_flip(&next);
}

static int run_flip(void)
{
	return commit(&head, req, 0, NULL);
}

static int run_flip_event(void)
{
	return commit(&head, req, DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT, NULL);
}

static int run_page_flip(void)
{
	return drmModePageFlip(head.fd, head.crtc, next.id, DRM_MODE_PAGE_FLIP_EVENT, NULL);
}

/* The commit waits until the one before has given up its pins, and then there is no room. */
static void prepare_no_room(void)
{
	req_flip(&huge);
}

static int run_no_room(void)
{
	int ret = commit(&head, req, 0, NULL);

	igt_assert(ret);
	return ret == -ENOSPC ? 0 : ret;
}

static void done_no_room(bool clean)
{
	shows(crc_shown);
}

static void prepare_modeset(void)
{
	drmModeModeInfo mode = head.mode;

	mode.clock = 2 * mode.clock / 3;
	req = drmModeAtomicAlloc();
	add_mode(req, &head, &mode);
	add_plane(req, &head, head.primary, &next, 0, 0, HEAD_W, HEAD_H);
}

static void prepare_dark(void)
{
	req = drmModeAtomicAlloc();
	add_mode(req, &head, NULL);
	add_plane(req, &head, head.primary, NULL, 0, 0, 0, 0);
}

static void done_dark(bool clean)
{
	expect(look(ppm_read, sizeof(ppm_read)), -ENODEV);
}

static void prepare_lit(void)
{
	prepare_dark();
	expect(run_modeset(), 0);
	prepare_modeset();
}

static void prepare_writeback(void)
{
	fb_color(&target, 0);
	vsplit_escape(head.fd, VSPLIT_ESCAPE_EVICT, target.bo->handle, 0);
	req = drmModeAtomicAlloc();
	prop_set(req, head.fd, head.writeback, "CRTC_ID", head.crtc);
	prop_set(req, head.fd, head.writeback, "WRITEBACK_FB_ID", target.id);
	prop_set(req, head.fd, head.writeback, "WRITEBACK_OUT_FENCE_PTR", (uintptr_t)&fence);
}

static void done_writeback(bool clean)
{
	struct pollfd ready = { .fd = fence, .events = POLLIN };

	igt_assert_lte(0, fence);
	igt_assert_eq(poll(&ready, 1, VSPLIT_SOON_MS), 1);
	igt_assert_eq(vsplit_fence_status(fence), 1);
	close(fence);
	fence = -1;
	check_picture(&target, picture);
	shows(crc_shown);
}

static int run_cursor(void)
{
	return drmModeSetCursor(head.fd, head.crtc, cursor.bo->handle, CURSOR, CURSOR);
}

static void done_cursor(bool clean)
{
	igt_assert(pinned(cursor.bo));
}

static int run_crc(void)
{
	char path[128], line[64];
	int file, ret;

	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/crtc-0/crc/control", ad->primary);
	ret = __vsplit_write_file(path, "auto");
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/crtc-0/crc/data", ad->primary);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -errno;
	ret = read(file, line, sizeof(line) - 1);
	ret = ret < 0 ? -errno : ret;
	close(file);
	if (ret < 0)
		return ret;
	line[ret] = 0;
	igt_assert_eq(sscanf(line, "%*x %x", &crc_read), 1);
	return 0;
}

static void done_crc(bool clean)
{
	igt_assert_eq_u32(crc_read, crc_shown);
}

static int run_picture(void)
{
	int ret = look(ppm_read, sizeof(ppm_read));

	if (ret < 0)
		return ret;
	igt_assert_eq(ret, (int)ppm_bytes);
	return 0;
}

static void done_picture(bool clean)
{
	igt_assert_f(!memcmp(ppm, ppm_read, ppm_bytes), "%s: another picture\n", s.where);
}

static int run_connector(void)
{
	drmModeConnectorPtr con = drmModeGetConnector(head.fd, head.connector);

	if (!con)
		return -errno;
	igt_assert_eq(con->connection, DRM_MODE_CONNECTED);
	modes_read = con->count_modes;
	drmModeFreeConnector(con);
	return 0;
}

/* If memory for the EDID is short, the monitor has only DRM's modes for a monitor without EDID. */
static void done_connector(bool clean)
{
	if (clean)
		igt_assert_lte(MODES, modes_read);
}

static void prepare_unplug(void)
{
	if (monitor >= 0)
		close(monitor);
	monitor = connector_open(&head, "connected");
}

static int run_unplug(void)
{
	return write(monitor, "0", 1) < 0 ? -errno : 0;
}

static void done_unplug(bool clean)
{
	drmModeConnectorPtr con = drmModeGetConnector(head.fd, head.connector);

	igt_assert_eq(con->connection, DRM_MODE_DISCONNECTED);
	drmModeFreeConnector(con);
	expect(connector_write(&head, "connected", "1", 1), 0);
	/* The picture is still shown. */
	shows(crc_shown);
}

static const struct op ops[] = {
	{ "fb", run_fb, .prepare = prepare_fb, .done = done_fb },
	{ "flip", run_flip, .prepare = prepare_flip, .done = done_next },
	{ "flip-event", run_flip_event, .prepare = prepare_flip, .done = done_event },
	{ "page-flip", run_page_flip, .done = done_event },
	{ "no-room", run_no_room, .prepare = prepare_no_room, .done = done_no_room },
	{ "modeset", run_modeset, .prepare = prepare_modeset, .done = done_next },
	{ "go-dark", run_modeset, .prepare = prepare_dark, .done = done_dark },
	{ "go-lit", run_modeset, .prepare = prepare_lit, .done = done_next, .dark = true },
	{ "writeback", run_modeset, .prepare = prepare_writeback, .done = done_writeback },
	{ "cursor", run_cursor, .done = done_cursor },
	{ "checksum", run_crc, .done = done_crc },
	{ "picture", run_picture, .done = done_picture },
	{ "connector", run_connector, .done = done_connector },
	{ "unplug", run_unplug, .prepare = prepare_unplug, .done = done_unplug },
};

/* ---- the sweep ------------------------------------------------------------ */

/* After a failed call: nothing new is shown, pinned or promised. */
static void nothing_changed(void)
{
	struct pollfd events = { .fd = head.fd, .events = POLLIN };

	if (s.op->dark)
		expect(look(ppm_read, sizeof(ppm_read)), -ENODEV);
	else
		shows(crc_shown);
	igt_assert_f(!pinned(shown.bo) == s.op->dark, "%s: what is shown is not pinned\n", s.where);
	igt_assert_f(!pinned(next.bo) && !pinned(target.bo) && !pinned(cursor.bo) && !pinned(huge.bo),
		     "%s: what is not shown is pinned\n", s.where);
	igt_assert_f(fence < 0, "%s: there is a fence\n", s.where);
	igt_assert_f(!poll(&events, 1, 0), "%s: there is an event\n", s.where);
}

static void sweep_state(unsigned int state)
{
	int references = vsplit_module_references();
	struct vsplit_counters none = {};

	build(state);
	s.ad = ad;
	s.state = states[state].name;
	for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++)
		sweep_op(&s, &ops[i]);
	head_off(&head);
	close(monitor);
	monitor = -1;
	vsplit_cleanup_file(fd);
	vsplit_cleanup_file(head.fd);
	/* A leaked framebuffer would keep its allocation, and a leaked fence the module. */
	vsplit_counters_become(ad, &none);
	vsplit_cleanup();
	igt_assert(vsplit_soon(vsplit_module_references() <= references));
}

static void sweep(uint64_t least, const char *row, const char *what)
{
	vsplit_inject_require(s.kind);
	s.enter = light;
	s.check = nothing_changed;
	for (unsigned int state = 0; state < ARRAY_SIZE(states); state++)
		sweep_state(state);
	sweep_end(&s, least, row, what);
}

/**
 * SUBTEST: sites
 * Description: Every call of a lit head, with each of the driver's own fault sites failing,
 *   including each site of the display.
 */
static void test_sites(void)
{
	s = (struct sweep) {
		.kind = VSPLIT_INJECT_SITE, .sites = fail_sites, .nr_sites = ARRAY_SIZE(fail_sites),
	};
	sweep(50, "R1", "failures at the driver's sites, display");
}

/**
 * SUBTEST: kernel
 * Description: Every call of a lit head, with allocations of memory and pages and user copies
 *   failing, by the kernel's fail-nth.
 */
static void test_kernel(void)
{
	s = (struct sweep) { .kind = VSPLIT_INJECT_KERNEL };
	sweep(50, "R1", "failed allocations and user copies, display");
}

/**
 * SUBTEST: waits
 * Description: Every call of a lit head, with each interruptible wait interrupted, including each
 *   wait of the display.
 */
static void test_waits(void)
{
	s = (struct sweep) {
		.kind = VSPLIT_INJECT_WAIT, .sites = wait_sites, .nr_sites = ARRAY_SIZE(wait_sites),
	};
	sweep(20, "R2", "interrupted waits, display");
}

static int run_making(void)
{
	return __vsplit_adapter_write(ad, "enable", "1");
}

static void done_making(bool clean)
{
	expect(__vsplit_adapter_write(ad, "enable", "0"), 0);
}

/**
 * SUBTEST: making-sites
 * Description: An adapter with heads is made, with each fault site on the way failing.
 */
static void test_making(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = SEGMENT } },
		.slots = 16,
		.heads = 2,
		.test = true,
	};
	const struct op making = { "enable", run_making, .done = done_making };

	s = (struct sweep) {
		.state = "prepared", .sites = making_sites, .nr_sites = ARRAY_SIZE(making_sites),
	};
	vsplit_inject_require(VSPLIT_INJECT_SITE);
	vsplit_require_configfs();
	ad = vsplit_adapter_prepare(&opts);
	sweep_op(&s, &making);
	vsplit_adapter_destroy(ad);
	sweep_end(&s, ARRAY_SIZE(making_sites), "R1",
		  "failures of the driver's sites while an adapter with heads is made");
}

static const struct vsplit_subtest tests[] = {
	{ "sites", test_sites,
	  "Every call of a lit head is made while each fault site of the driver and of the display "
	  "fails" },
	{ "kernel", test_kernel,
	  "Every call of a lit head is made while allocations of memory and pages and user copies "
	  "fail, by fail-nth" },
	{ "waits", test_waits,
	  "Every call of a lit head is made while each interruptible wait is interrupted, "
	  "including those of the display" },
	{ "making-sites", test_making,
	  "An adapter with heads is made, with each fault site on the way failing" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
