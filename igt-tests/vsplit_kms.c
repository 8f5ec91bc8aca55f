// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit kms
 * Description: Heads: modes, flips, and the places of the allocations that they show;
 *   Documentation/display.rst. The pictures are tested by vsplit_pictures.
 * Category: Display
 * Mega feature: General Display Features
 * Sub-category: vsplit
 * Functionality: kms
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_head.h"

#include <drm_fourcc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>

IGT_TEST_DESCRIPTION("Heads: modes, flips, and the places of the allocations that they show; "
		     "Documentation/display.rst. The pictures are tested by vsplit_pictures.");

#define PIXELS (HEAD_W * HEAD_H)
#define FLIP (DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT)

static struct head head;
static struct pixel picture[PIXELS];

static const uint8_t memory_only[] = { 1, 0 };

/* ---- modes and framebuffers ----------------------------------------------- */

/**
 * SUBTEST: heads
 * Description: There are as many heads as the option says, each with its monitor. Without the
 *   option there is no display.
 */
static void test_heads(void)
{
	drmModeConnectorPtr con;
	struct head h;

	setup_heads(0);
	fd = vsplit_adapter_open_primary(ad);
	igt_assert(!drmModeGetResources(fd) && errno == EOPNOTSUPP);
	igt_assert(drmSetClientCap(fd, DRM_CLIENT_CAP_ATOMIC, 1));

	setup_heads(16);
	for (unsigned int i = 0; i < 16; i++) {
		head_open(&h, i);
		con = drmModeGetConnector(h.fd, h.connector);
		igt_assert_eq(con->connection, DRM_MODE_CONNECTED);
		igt_assert_lte(10, con->count_modes);
		igt_assert_eq(con->modes[0].hdisplay, 1024);
		igt_assert_eq(con->modes[0].vdisplay, 768);
		igt_assert(con->modes[0].type & DRM_MODE_TYPE_PREFERRED);
		drmModeFreeConnector(con);
	}
}

static int try_mode(const drmModeModeInfo *mode, const struct fb *fb)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	add_mode(req, &head, mode);
	add_plane(req, &head, head.primary, fb, 0, 0, mode->hdisplay, mode->vdisplay);
	return commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET | DRM_MODE_ATOMIC_TEST_ONLY, NULL);
}

/**
 * SUBTEST: mode-valid
 * Description: Impossible modes are refused: clocks, sizes, interlace.
 */
static void test_mode_valid(void)
{
	drmModeModeInfo mode;
	struct fb fb;

	setup_head(&head);
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	expect(try_mode(&head.mode, &fb), 0);
	mode = head.mode;
	mode.clock = 0x7fffffff;
	expect(try_mode(&mode, &fb), -EINVAL);
	mode.clock = 80 * 60 * 400 / 1000;
	expect(try_mode(&mode, &fb), -EINVAL);
	mode.clock = 1;
	expect(try_mode(&mode, &fb), -EINVAL);
	mode = head.mode;
	mode.flags = DRM_MODE_FLAG_INTERLACE;
	expect(try_mode(&mode, &fb), -EINVAL);
	mode = (drmModeModeInfo){
		.clock = 1000000, .hdisplay = 4096, .hsync_start = 4100, .hsync_end = 4110,
		.htotal = 4120, .vdisplay = 4096, .vsync_start = 4100, .vsync_end = 4110,
		.vtotal = 4120,
	};
	fb.width = fb.height = 48;
	mode.hdisplay = 4097;
	expect(try_mode(&mode, &fb), -EINVAL);
}

/**
 * SUBTEST: modes
 * Description: The monitor has a preferred mode, and others up to 4096x4096. Each mode is listed
 *   once, and its rate is the one in its name.
 */
static void test_modes(void)
{
	static const struct { uint16_t width, height, rate; } wanted[] = {
		{ 640, 480, 60 }, { 1024, 768, 60 }, { 1920, 1200, 60 }, { 3840, 2160, 30 },
		{ 4096, 2160, 60 }, { 4096, 4096, 30 },
	};
	drmModeConnectorPtr connector;

	setup_head(&head);
	connector = drmModeGetConnector(head.fd, head.connector);
	igt_assert(connector);
	for (unsigned int i = 0; i < ARRAY_SIZE(wanted); i++) {
		unsigned int found = 0;

		for (int j = 0; j < connector->count_modes; j++) {
			const drmModeModeInfo *m = &connector->modes[j];
			unsigned int area = m->htotal * m->vtotal;
			unsigned int rate = (m->clock * 1000ull + area / 2) / area;

			found += m->hdisplay == wanted[i].width && m->vdisplay == wanted[i].height &&
				 rate == wanted[i].rate;
		}
		igt_assert_f(found == 1, "%ux%u: %u\n", wanted[i].width, wanted[i].height, found);
	}
	for (int j = 0; j < connector->count_modes; j++)
		igt_assert_eq(!!(connector->modes[j].type & DRM_MODE_TYPE_PREFERRED),
			      connector->modes[j].hdisplay == 1024 && !j);
	drmModeFreeConnector(connector);
}

/**
 * SUBTEST: framebuffers
 * Description: A framebuffer that a head cannot read is refused when it is made.
 */
static void test_framebuffers(void)
{
	struct drm_vsplit_gem_create tiled = {
		.size = 65536, .flags = VSPLIT_GEM_SWIZZLED, .pitch = 512,
	};
	struct fb fb, bad;

	setup_head(&head);
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	bad = fb;
	bad.pitch = 258;
	expect(__fb_add(&head, &bad, 0), -EINVAL);
	bad = fb;
	expect(__fb_add(&head, &bad, 2), -EINVAL);
	expect(__fb_add(&head, &bad, fb.bo->size - 8), -EINVAL);
	bad.format = DRM_FORMAT_RGB888;
	expect(__fb_add(&head, &bad, 0), -EINVAL);
	bad = fb;
	bad.bo = vsplit_bo_args(head.fd, 'T', &tiled);
	expect(__fb_add(&head, &bad, 0), -EINVAL);
	expect(__fb_add(&head, &fb, 8), 0);
	bad = fb;
	bad.pitch = 260;
	expect(__fb_add(&head, &bad, 4), 0);
}

struct adder {
	struct fb fb;
	uint32_t offset;
	int ret;
};

static void *add_fb(void *arg)
{
	struct adder *adder = arg;

	adder->ret = __fb_add(&head, &adder->fb, adder->offset);
	return NULL;
}

/**
 * SUBTEST: framebuffers-before-they-are-looked-at
 * Description: A client guesses the ID of a framebuffer that is being made and will be refused,
 *   because the last row of its tiles is partly outside of the allocation. No plane shows it. No
 *   picture is written to a framebuffer that does not begin at a pixel.
 */
static void test_framebuffers_early(void)
{
	struct adder adder;
	drmModeAtomicReqPtr req;
	struct fb fb, good;
	pthread_t thread;

	vsplit_require_sync_points();
	setup_head(&head);
	fb_new(&head, &good, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head_on(&head, &good);
	for (unsigned int written = 0; written < 2; written++) {
		fb_new_tiled(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
		expect(drmModeRmFB(head.fd, fb.id), 0);
		adder = (struct adder){ .fb = fb, .offset = written ? 2 : VSPLIT_TILE_WIDTH };
		adder.fb.tiled = !written;
		vsplit_hold("kms.fb_made");
		igt_assert_eq(pthread_create(&thread, NULL, add_fb, &adder), 0);
		igt_assert(vsplit_wait_held("kms.fb_made"));
		req = drmModeAtomicAlloc();
		if (written) {
			prop_set(req, head.fd, head.writeback, "CRTC_ID", head.crtc);
			prop_set(req, head.fd, head.writeback, "WRITEBACK_FB_ID", fb.id);
		} else {
			add_plane(req, &head, head.primary, &fb, 0, 0, HEAD_W, HEAD_H);
		}
		expect(commit(&head, req, DRM_MODE_ATOMIC_TEST_ONLY | DRM_MODE_ATOMIC_ALLOW_MODESET,
			      NULL), -EINVAL);
		vsplit_release("kms.fb_made");
		pthread_join(thread, NULL);
		igt_assert_eq(adder.ret, -EINVAL);
	}
}

/* ---- flips ----------------------------------------------------------------- */

/**
 * SUBTEST: flips
 * Description: A flip's event comes at a vblank, and vblanks are exactly one period apart.
 */
static void test_flips(void)
{
	/* 80 x 60 pixels at 288 kHz. */
	const uint64_t period_ns = 4800ull * 1000000 / 288;
	struct drm_event_vblank first = {}, event;
	struct fb fbs[2];

	setup_head(&head);
	for (int i = 0; i < 2; i++)
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head_on(&head, &fbs[0]);
	for (unsigned int i = 0; i < vsplit_rounds(30, 1000); i++) {
		uint64_t ns, frames;
		int64_t off;

		expect(__head_flip(&head, &fbs[(i + 1) % 2], FLIP, &fbs[i % 2]), 0);
		/* One flip for each frame: the next flip has to wait, or is refused. */
		event = next_event(&head);
		igt_assert_eq(event.base.type, DRM_EVENT_FLIP_COMPLETE);
		igt_assert(event.user_data == (uintptr_t)&fbs[i % 2]);
		if (!i) {
			first = event;
			continue;
		}
		frames = event.sequence - first.sequence;
		igt_assert(frames >= i && frames < 1u << 30);
		ns = (event.tv_sec - first.tv_sec) * 1000000000ull +
		     (event.tv_usec - (int64_t)first.tv_usec) * 1000;
		off = ns - frames * period_ns;
		/* The clock counts microseconds, and a period is a whole number of nanoseconds. */
		igt_assert_f(llabs(off) <= 2000 + (int64_t)frames, "flip %u: %" PRId64 " ns off\n", i,
			     off);
	}
	head_off(&head);
}

/**
 * SUBTEST: head-off-holds-nothing
 * Description: A head that is off keeps no fence of the commit that turned it off, and thus no
 *   reference to the module.
 */
static void test_off(void)
{
	int references;
	struct fb fb;

	setup_head(&head);
	references = vsplit_module_references();
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head_on(&head, &fb);
	head_off(&head);
	fb_free(&head, &fb);
	/* References of the subtest before may have been among them. */
	igt_assert(vsplit_soon(vsplit_module_references() <= references));
}

/**
 * SUBTEST: flip-waits-for-the-gpu
 * Description: A flip to an allocation that the GPU is writing takes effect when the GPU is done.
 *   In-fences and out-fences work as well.
 */
static void test_flip_waits(void)
{
	drmModeAtomicReqPtr req;
	struct fb fbs[2];
	int in, out = -1;

	setup_head(&head);
	for (int i = 0; i < 2; i++)
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head_on(&head, &fbs[0]);
	ctx = vsplit_ctx(head.fd, 0);
	cs = vsplit_cs(head.fd);
	vsplit_cs_bind(cs, 0, fbs[1].bo);
	vsplit_cs_set(cs, 0, 0, fbs[1].bo->size, 0x00123456);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs, ctx, 0);
	expect(__head_flip(&head, &fbs[1], FLIP, NULL), 0);
	/* A flip that is not done holds up the next one, which therefore fails. */
	expect(__head_flip(&head, &fbs[0], FLIP, NULL), -EBUSY);
	igt_assert_eq(poll(&(struct pollfd){ .fd = head.fd, .events = POLLIN }, 1, 100), 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(next_event(&head).base.type, DRM_EVENT_FLIP_COMPLETE);
	for (int i = 0; i < (int)PIXELS; i++)
		picture[i] = (struct pixel){ 65535, 0x1212, 0x3434, 0x5656 };
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));

	/* Explicit fences, with a framebuffer that is idle. */
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(drmSyncobjExportSyncFile(head.fd, cs->out, &in), 0);
	req = drmModeAtomicAlloc();
	prop_set(req, head.fd, head.primary, "FB_ID", fbs[0].id);
	prop_set(req, head.fd, head.primary, "IN_FENCE_FD", in);
	prop_set(req, head.fd, head.crtc, "OUT_FENCE_PTR", (uintptr_t)&out);
	expect(commit(&head, req, DRM_MODE_ATOMIC_NONBLOCK, NULL), 0);
	igt_assert_eq(vsplit_fence_status(out), 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(poll(&(struct pollfd){ .fd = out, .events = POLLIN }, 1, VSPLIT_SOON_MS), 1);
	igt_assert_eq(vsplit_fence_status(out), 1);
	igt_assert_eq(vsplit_fence_status(in), 1);

	/* A plane that shows nothing has nothing to wait for: DRM would warn of such a fence. */
	req = drmModeAtomicAlloc();
	add_plane(req, &head, head.cursor, NULL, 0, 0, 0, 0);
	prop_set(req, head.fd, head.cursor, "IN_FENCE_FD", in);
	expect(commit(&head, req, 0, NULL), -EINVAL);
	close(in);
	close(out);
	head_off(&head);
}

/**
 * SUBTEST: flip-waits-for-paging
 * Description: A flip pages in its framebuffer, and takes effect when the bytes are there.
 */
static void test_flip_pages(void)
{
	struct fb fbs[2];

	setup_head(&head);
	for (int i = 0; i < 2; i++)
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, memory_only);
	head_on(&head, &fbs[0]);
	fb_noise(&fbs[1], 1);
	vsplit_escape(head.fd, VSPLIT_ESCAPE_EVICT, fbs[1].bo->handle, 0);
	igt_assert_eq(segment_of(fbs[1].bo), 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	expect(__head_flip(&head, &fbs[1], FLIP, NULL), 0);
	igt_assert_eq(pinned(fbs[1].bo), 1);
	igt_assert_eq(poll(&(struct pollfd){ .fd = head.fd, .events = POLLIN }, 1, 100), 0);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	igt_assert_eq(next_event(&head).base.type, DRM_EVENT_FLIP_COMPLETE);
	get_picture(&fbs[1], picture);
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
	head_off(&head);
}

/**
 * SUBTEST: async-flips
 * Description: An asynchronous flip waits for no vblank.
 */
static void test_async(void)
{
	struct drm_event_vblank events[8];
	bool between = false;
	struct fb fbs[2];

	setup_head(&head);
	for (int i = 0; i < 2; i++)
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head.mode.clock = 5;	/* about one frame in a second */
	head_on(&head, &fbs[0]);
	for (unsigned int i = 0; i < 8; i++) {
		igt_assert_eq(drmModePageFlip(head.fd, head.crtc, fbs[(i + 1) % 2].id,
					      DRM_MODE_PAGE_FLIP_EVENT | DRM_MODE_PAGE_FLIP_ASYNC,
					      NULL), 0);
		events[i] = next_event(&head);
		between |= i && events[i].sequence == events[i - 1].sequence;
	}
	igt_assert(between);
	head_off(&head);
}

/**
 * SUBTEST: async-flips-leave-nothing-behind
 * Description: When the event of an asynchronous flip comes, the old framebuffer is no longer read.
 */
static void test_async_unread(void)
{
	const drmModeModeInfo mode = {
		.clock = 272 * 268 * 60 / 1000, .vrefresh = 60, .name = "256x256",
		.hdisplay = 256, .hsync_start = 260, .hsync_end = 264, .htotal = 272,
		.vdisplay = 256, .vsync_start = 258, .vsync_end = 260, .vtotal = 268,
	};
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	uint32_t want;
	struct fb fbs[2];
	int crc;

	setup_head(&head);
	/*
	 * A large picture in another format than the cable's keeps the composer busy for a while.
	 */
	for (int i = 0; i < 2; i++) {
		fb_new(&head, &fbs[i], 256, 256, DRM_FORMAT_XBGR8888, NULL);
		fb_color(&fbs[i], 0x123456);
	}
	add_mode(req, &head, &mode);
	add_plane(req, &head, head.primary, &fbs[0], 0, 0, 256, 256);
	expect(commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
	crc = crc_open(&head);
	want = crc_next(crc, NULL);
	/*
	 * The flips are independent of the composer, which works on a picture during most of them.
	 */
	for (unsigned int i = 0, frames = 0; frames < vsplit_rounds(30, 1000); i++) {
		struct pollfd ready = { .fd = crc, .events = POLLIN };
		struct fb *next = &fbs[(i + 1) % 2];

		fb_color(next, 0x123456);
		igt_assert_eq(drmModePageFlip(head.fd, head.crtc, next->id,
					      DRM_MODE_PAGE_FLIP_EVENT | DRM_MODE_PAGE_FLIP_ASYNC,
					      NULL), 0);
		next_event(&head);
		fb_noise(&fbs[i % 2], i);
		for (; poll(&ready, 1, 0) == 1; frames++)
			igt_assert_eq_u32(crc_next(crc, NULL), want);
	}
	close(crc);
}

/* ---- memory ---------------------------------------------------------------- */

/**
 * SUBTEST: pinned-while-shown
 * Description: A framebuffer is pinned in its preferred segment while it is shown, and not longer.
 */
static void test_pinned(void)
{
	struct fb fbs[2];

	setup_head(&head);
	for (int i = 0; i < 2; i++)
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	igt_assert_eq(pinned(fbs[0].bo), 0);
	head_on(&head, &fbs[0]);
	igt_assert_eq(pinned(fbs[0].bo), 1);
	expect(__vsplit_escape(head.fd, VSPLIT_ESCAPE_EVICT, fbs[0].bo->handle, 0), -EBUSY);
	expect(__head_flip(&head, &fbs[1], 0, NULL), 0);
	igt_assert_eq(pinned(fbs[0].bo), 0);
	igt_assert_eq(pinned(fbs[1].bo), 1);
	/* Its user closes the handle: the framebuffer stays. */
	vsplit_bo_free(fbs[1].bo);
	igt_assert_lte(0, (int)crc_now(&head) & 0x7fffffff);
	head_off(&head);
	igt_assert_eq(pinned(fbs[0].bo), 0);
}

/**
 * SUBTEST: seen-while-shown
 * Description: A framebuffer that is shown is where the CPU sees it, so that a mapping shows it,
 *   too. It leaves the part of a segment that the CPU does not see, and is refused (-ENOSPC) if
 *   there is no other place.
 */
static void test_seen(void)
{
	static const uint8_t hidden[] = { 2, 0 }, elsewhere[] = { 2, 3, 0 };
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 1 << 20, .cpu = "65536" },
			  { "hidden", .size = 1 << 20, .cpu = "none" },
			  { "aper", true, .size = 1 << 20 } },
		.slots = 16, .heads = 1, .test = true,
	};
	struct drm_vsplit_gem_info info;
	struct vsplit_bo *low;
	struct fb fbs[3];

	setup_opts(&opts);
	head_open(&head, 0);
	fb_new(&head, &fbs[0], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, memory_only);
	fb_new(&head, &fbs[1], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, hidden);
	fb_new(&head, &fbs[2], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, elsewhere);
	fb_noise(&fbs[0], 1);
	low = vsplit_bo_in(fd, 'L', 65536, VSPLIT_GEM_PINNED | VSPLIT_GEM_CPU_ACCESS, memory_only);
	expect(__vsplit_escape(head.fd, VSPLIT_ESCAPE_PAGE_IN, fbs[0].bo->handle, 1), 0);
	vsplit_info(fbs[0].bo, &info);
	igt_assert_lte(65536, info.offset);
	head_on(&head, &fbs[2]);
	igt_assert_eq(pinned(fbs[2].bo), 3);
	fb_noise(&fbs[2], 2);
	expect(__head_flip(&head, &fbs[0], 0, NULL), -ENOSPC);
	expect(__head_flip(&head, &fbs[1], DRM_MODE_ATOMIC_TEST_ONLY, NULL), -ENOSPC);
	expect(__head_flip(&head, &fbs[1], 0, NULL), -ENOSPC);
	expect(__vsplit_escape(head.fd, VSPLIT_ESCAPE_PAGE_IN, fbs[0].bo->handle, 1), 0);
	vsplit_bo_free(low);
	vsplit_info(fbs[0].bo, &info);
	igt_assert_lte(65536, info.offset);
	expect(__head_flip(&head, &fbs[0], 0, NULL), 0);
	vsplit_info(fbs[0].bo, &info);
	igt_assert_lt(info.offset, 65536);
	get_picture(&fbs[0], picture);
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
	fb_noise(&fbs[0], 3);
	igt_assert_eq(pinned(fbs[0].bo), 1);
	get_picture(&fbs[0], picture);
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
	head_off(&head);
}

/**
 * SUBTEST: no-room
 * Description: A framebuffer that cannot be placed is refused with -ENOSPC, even if the commit is
 *   only a test, and the old picture stays.
 */
static void test_no_room(void)
{
	const uint8_t vram[] = { 1, 0 };
	struct vsplit_bo *big;
	uint32_t before;
	struct fb fbs[2];

	setup_head(&head);
	fb_new(&head, &fbs[0], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, vram);
	fb_new(&head, &fbs[1], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, vram);
	fb_noise(&fbs[0], 9);
	head_on(&head, &fbs[0]);
	before = crc_now(&head);
	big = vsplit_bo_in(fd, 'P', (1 << 20) - fbs[0].bo->size, VSPLIT_GEM_PINNED, vram);
	expect(__head_flip(&head, &fbs[1], DRM_MODE_ATOMIC_TEST_ONLY, NULL), -ENOSPC);
	expect(__head_flip(&head, &fbs[1], DRM_MODE_ATOMIC_NONBLOCK, NULL), -ENOSPC);
	expect(__head_flip(&head, &fbs[1], 0, NULL), -ENOSPC);
	igt_assert_eq_u32(crc_now(&head), before);
	igt_assert_eq(pinned(fbs[1].bo), 0);
	vsplit_bo_free(big);
	expect(__head_flip(&head, &fbs[1], DRM_MODE_ATOMIC_TEST_ONLY, NULL), 0);
	igt_assert_eq(pinned(fbs[1].bo), 0);
	expect(__head_flip(&head, &fbs[1], 0, NULL), 0);
	igt_assert_eq(pinned(fbs[1].bo), 1);
	head_off(&head);
}

static int __head_lights(const struct fb *fb, const struct fb *above, uint32_t flags)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	add_mode(req, &head, &head.mode);
	add_plane(req, &head, head.primary, fb, 0, 0, HEAD_W, HEAD_H);
	if (above)
		add_plane(req, &head, head.overlay, above, 0, 0, HEAD_W, HEAD_H);
	return commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET | flags, NULL);
}

/**
 * SUBTEST: no-room-where-it-is-seen
 * Description: The only free memory in one piece is where the CPU does not see it, or does not have
 *   the right alignment; or there is room for both of two pictures only where the CPU does not see
 *   it. The commit fails, even if it is only a test.
 */
static void test_no_room_seen(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 1 << 20, .cpu = "32768" } },
		.slots = 16, .heads = 1,
	};
	struct drm_vsplit_gem_create aligned = {
		.size = 16384, .flags = VSPLIT_GEM_CPU_ACCESS, .alignment = 1 << 20,
	};
	const uint8_t vram[] = { 1, 0 };

	for (unsigned int round = 0; round < 3; round++) {
		struct fb shown, fb, other, *above = round == 2 ? &other : NULL;
		struct vsplit_bo *bo;

		setup_opts(&opts);
		head_open(&head, 0);
		bo = vsplit_bo_in(fd, 'P', round == 2 ? 8192 : 16384,
				  VSPLIT_GEM_PINNED | VSPLIT_GEM_CPU_ACCESS, vram);
		fb_new(&head, &shown, HEAD_W, 16, DRM_FORMAT_XRGB8888, NULL);
		fb_new(&head, &fb, HEAD_W, round == 2 ? 32 : 80, DRM_FORMAT_XRGB8888, NULL);
		fb_new(&head, &other, HEAD_W, 42, DRM_FORMAT_XRGB8888, NULL);
		if (round == 1) {
			fb = shown;
			fb.bo = vsplit_bo_args(head.fd, 'A', &aligned);
			expect(__fb_add(&head, &fb, 0), 0);
		}
		expect(__head_lights(&fb, above, DRM_MODE_ATOMIC_TEST_ONLY), -ENOSPC);
		expect(__head_lights(&fb, above, 0), -ENOSPC);
		vsplit_bo_free(bo);
		expect(__head_lights(&fb, above, DRM_MODE_ATOMIC_TEST_ONLY), 0);
		expect(__head_lights(&fb, above, 0), 0);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: no-room-below-the-limit
 * Description: An aperture has room for a picture, or for both of two, but the limit of all
 *   apertures has not. The commit fails, even if it is only a test.
 */
static void test_limit(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 1 << 20 }, { "gart", true, .size = 1 << 20 } },
		.aperture_limit = 20480, .slots = 16, .heads = 1,
	};
	const uint8_t gart[] = { 2, 0 };
	struct fb large, one, other;

	setup_opts(&opts);
	head_open(&head, 0);
	fb_new(&head, &large, HEAD_W, 80, DRM_FORMAT_XRGB8888, gart);
	fb_new(&head, &one, HEAD_W, 32, DRM_FORMAT_XRGB8888, gart);
	fb_new(&head, &other, HEAD_W, 32, DRM_FORMAT_XRGB8888, gart);
	igt_assert_eq_u64(one.bo->size, 12288);
	expect(__head_lights(&large, NULL, DRM_MODE_ATOMIC_TEST_ONLY), -ENOSPC);
	expect(__head_lights(&large, NULL, 0), -ENOSPC);
	expect(__head_lights(&one, &other, DRM_MODE_ATOMIC_TEST_ONLY), -ENOSPC);
	expect(__head_lights(&one, &other, 0), -ENOSPC);
	expect(__head_lights(&one, NULL, DRM_MODE_ATOMIC_TEST_ONLY), 0);
	expect(__head_lights(&one, NULL, 0), 0);
	expect(__head_flip(&head, &other, DRM_MODE_ATOMIC_TEST_ONLY, NULL), -ENOSPC);
	head_off(&head);
}

/**
 * SUBTEST: no-holes-for-both
 * Description: Each of two pictures would have a place, and the sizes of both tell of room, but no
 *   holes suit both. The commit fails. It does not try again and again, which would keep other
 *   clients from getting places.
 */
static void test_no_holes(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 1 << 20, .cpu = "32768" } },
		.slots = 16, .heads = 1,
	};
	const uint32_t flags = VSPLIT_GEM_PINNED | VSPLIT_GEM_CPU_ACCESS;
	const uint8_t vram[] = { 1, 0 };
	struct vsplit_bo *low, *bo;
	struct fb fb, other;
	uint64_t passes;

	vsplit_require_sync_points();
	setup_opts(&opts);
	head_open(&head, 0);
	low = vsplit_bo_in(fd, 'L', 8192, flags, vram);
	bo = vsplit_bo_in(fd, 'P', 4096, flags, vram);
	vsplit_bo_free(low);
	fb_new(&head, &fb, HEAD_W, 32, DRM_FORMAT_XRGB8888, NULL);
	fb_new(&head, &other, HEAD_W, 32, DRM_FORMAT_XRGB8888, NULL);
	/* Each of them has 12288 bytes, and the holes 8192 and 20480. */
	igt_assert_eq_u64(fb.bo->size, 12288);
	expect(__head_lights(&fb, &other, DRM_MODE_ATOMIC_TEST_ONLY), 0);
	passes = vsplit_site_passes("txn.windows");
	expect(__head_lights(&fb, &other, 0), -ENOSPC);
	igt_assert_lt(vsplit_site_passes("txn.windows") - passes, 10);
	vsplit_bo_free(bo);
	expect(__head_lights(&fb, &other, 0), 0);
}

/* Tests whether the primary and the overlay could show these framebuffers. */
static int ask_for_two(const struct fb *below, const struct fb *above)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	add_plane(req, &head, head.primary, below, 0, 0, HEAD_W, HEAD_H);
	add_plane(req, &head, head.overlay, above, 0, 0, HEAD_W, HEAD_H);
	return commit(&head, req, DRM_MODE_ATOMIC_TEST_ONLY, NULL);
}

/**
 * SUBTEST: no-room-for-both
 * Description: There is room for either of two framebuffers, but not for both, nor for a larger
 *   one. The same framebuffer on two planes needs its place only once. Places that an earlier
 *   commit gives up count as room, even if it is only about to give them up.
 */
static void test_no_room_for_both(void)
{
	const uint8_t vram[] = { 1, 0 };
	struct vsplit_bo *big;
	uint64_t size, left;
	struct fb fbs[3];

	setup_head(&head);
	for (unsigned int i = 0; i < 3; i++)
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, vram);
	size = fbs[0].bo->size;
	left = (1 << 20) - 2 * size;
	head_on(&head, &fbs[0]);
	big = vsplit_bo_in(fd, 'P', left, VSPLIT_GEM_PINNED, vram);
	expect(__head_flip(&head, &fbs[1], DRM_MODE_ATOMIC_TEST_ONLY, NULL), 0);
	expect(__head_flip(&head, &fbs[2], DRM_MODE_ATOMIC_TEST_ONLY, NULL), 0);
	expect(ask_for_two(&fbs[1], &fbs[2]), -ENOSPC);
	expect(ask_for_two(&fbs[1], &fbs[1]), 0);
	expect(ask_for_two(&fbs[0], &fbs[1]), 0);
	for (unsigned int i = 1; i < 6; i++) {
		expect(__head_flip(&head, &fbs[i % 3],
				   DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT, NULL), 0);
		/*
		 * The framebuffer is paged in by now: from then on the flip waits only for the
		 * vblank.
		 */
		usleep(3000);
		expect(__head_flip(&head, &fbs[(i + 1) % 3], DRM_MODE_ATOMIC_TEST_ONLY, NULL), 0);
		next_event(&head);
	}
	head_off(&head);
	vsplit_bo_free(big);
}

/**
 * SUBTEST: split-around-a-picture
 * Description: A buffer is split around a picture that is shown in the middle of video memory. The
 *   picture does not change or move.
 */
static void test_split_around(void)
{
	const uint8_t vram[] = { 1, 0 };
	struct drm_vsplit_gem_info info, then;
	struct vsplit_bo *a[6], *low;
	uint32_t before;
	struct fb fb;

	setup_head(&head);
	low = vsplit_bo_in(head.fd, 'L', 512 << 10, 0, vram);
	ctx = vsplit_ctx(head.fd, 0);
	cs = vsplit_cs(head.fd);
	vsplit_cs_bind(cs, 0, low);
	vsplit_cs_set(cs, 0, 0, 64, 1);
	vsplit_cs_run(cs, ctx, 0);
	vsplit_cs_reset(cs);
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, vram);
	fb_noise(&fb, 9);
	head_on(&head, &fb);
	before = crc_now(&head);
	vsplit_info(fb.bo, &info);
	igt_assert_eq_u64(info.offset, 512 << 10);
	vsplit_bo_free(low);
	for (int i = 0; i < 6; i++) {
		a[i] = vsplit_bo_in(head.fd, 'A' + i, 300 << 10, 0, vram);
		vsplit_cs_bind(cs, i, a[i]);
		vsplit_cs_set(cs, i, 0, a[i]->size, i);
		vsplit_cs_unbind(cs, i);
	}
	vsplit_cs_run(cs, ctx, 0);
	igt_assert_lte(2, cs->portions);
	vsplit_info(fb.bo, &then);
	igt_assert_eq_u64(then.offset, info.offset);
	igt_assert_eq_u32(crc_now(&head), before);
	head_off(&head);
}

/**
 * SUBTEST: shown-where-it-is-not-written
 * Description: A framebuffer is shown from a segment in which it may only be read. A buffer that
 *   writes it is refused with -EBUSY, whether or not it would be split.
 */
static void test_shown_read_only(void)
{
	const uint8_t read_only[] = { 1 | VSPLIT_GEM_SEGMENT_READ_ONLY, 2, 0 };
	struct fb fb;

	setup_head(&head);
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, read_only);
	head_on(&head, &fb);
	ctx = vsplit_ctx(head.fd, 0);
	cs = vsplit_cs(head.fd);
	vsplit_cs_bind(cs, 0, fb.bo);
	vsplit_cs_set(cs, 0, 0, 64, 1);
	vsplit_cs_refused(cs, ctx, 0, -EBUSY);
	vsplit_cs_refused(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT, -EBUSY);
	vsplit_cs_reset(cs);
	cs->access = 0;
	vsplit_cs_bind(cs, 0, fb.bo);
	vsplit_cs_nop(cs, 64);
	vsplit_cs_run(cs, ctx, 0);
	vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	head_off(&head);
}

static void *submits(void *ret)
{
	*(int *)ret = __vsplit_cs_submit(cs, ctx, 0);
	return NULL;
}

/**
 * SUBTEST: shown-before-it-leaves
 * Description: A buffer that has to be split is about to evict another client's allocation when a
 *   head begins to show that allocation. The allocation stays, and the buffer is planned around it.
 */
static void test_shown_before(void)
{
	struct vsplit_bo *a;
	pthread_t thread;
	struct fb fbs[2];
	int ret;

	vsplit_require_sync_points();
	setup_head(&head);
	for (int i = 0; i < 2; i++) {
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, memory_only);
		fb_noise(&fbs[i], i);
	}
	get_picture(&fbs[1], picture);
	head_on(&head, &fbs[0]);
	vsplit_escape(head.fd, VSPLIT_ESCAPE_PAGE_IN, fbs[1].bo->handle, 1);
	for (int i = 0; i < 2; i++) {
		a = vsplit_bo_in(fd, 'A' + i, 900 << 10, 0, memory_only);
		vsplit_cs_bind(cs, i, a);
		vsplit_cs_set(cs, i, 0, a->size, i);
		vsplit_cs_unbind(cs, i);
	}
	vsplit_catch("mm.victims");
	igt_assert_eq(pthread_create(&thread, NULL, submits, &ret), 0);
	igt_assert(vsplit_wait_held("mm.victims"));
	expect(__head_flip(&head, &fbs[1], 0, NULL), 0);
	igt_assert_eq(pinned(fbs[1].bo), 1);
	vsplit_release("mm.victims");
	igt_assert_eq(pthread_join(thread, NULL), 0);
	igt_assert_eq(ret, 0);
	vsplit_cs_ends_well(cs);
	igt_assert_eq(cs->portions, 2);
	igt_assert_eq(pinned(fbs[1].bo), 1);
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
	head_off(&head);
}

/**
 * SUBTEST: flips-under-pressure
 * Description: Pictures do not fit into video memory together, and the GPU needs all of it: every
 *   flip shows the right picture.
 */
static void test_pressure(void)
{
	const uint8_t vram[] = { 1, 0 };
	struct vsplit_bo *a[4];
	struct fb fbs[6];
	uint32_t want[6];

	setup_head(&head);
	for (int i = 0; i < 6; i++) {
		/* 256 KiB each: four fit. */
		fb_new(&head, &fbs[i], HEAD_W * 8, HEAD_H * 2, DRM_FORMAT_XRGB8888, vram);
		fb_noise(&fbs[i], i);
		get_picture(&fbs[i], picture);
		want[i] = crc_of(picture, PIXELS);
	}
	for (int i = 0; i < 6; i++) {
		fbs[i].width = HEAD_W;
		fbs[i].height = HEAD_H;
		expect(__fb_add(&head, &fbs[i], 0), 0);
	}
	head_on(&head, &fbs[0]);
	ctx = vsplit_ctx(head.fd, 0);
	for (int i = 0; i < 4; i++)
		a[i] = vsplit_bo_in(head.fd, 'A' + i, 200 << 10, 0, vram);
	for (unsigned int round = 0; round < vsplit_rounds(12, 200); round++) {
		cs = vsplit_cs(head.fd);
		for (int i = 0; i < 4; i++) {
			vsplit_cs_bind(cs, i, a[i]);
			vsplit_cs_set(cs, i, 0, a[i]->size, round);
			vsplit_cs_unbind(cs, i);
		}
		vsplit_cs_submit(cs, ctx, 0);
		expect(__head_flip(&head, &fbs[round % 6], FLIP, NULL), 0);
		next_event(&head);
		igt_assert_eq_u32(crc_now(&head), want[round % 6]);
		vsplit_cs_wait(cs);
		vsplit_cs_free(cs);
	}
	head_off(&head);
}

/* ---- ends ------------------------------------------------------------------- */

static volatile bool flipping;

struct flipper {
	struct head *head;
	struct fb *fbs;
};

/* Flips until a call says that the adapter is gone. */
static void *flip_on(void *arg)
{
	struct flipper *f = arg;
	int ret;

	for (unsigned int i = 0; ; i++) {
		ret = __head_flip(f->head, &f->fbs[i % 2], i % 4 ? DRM_MODE_ATOMIC_NONBLOCK : 0, NULL);
		flipping |= !ret;
		if (ret && ret != -EBUSY)
			return (void *)(intptr_t)ret;
	}
}

/* Reads until the file ends. */
static void *read_on(void *arg)
{
	char line[64];

	while (read(*(int *)arg, line, sizeof(line)) > 0)
		;
	return NULL;
}

/**
 * SUBTEST: unplug
 * Description: The adapter is removed while two heads flip and one has its checksum read. Nothing
 *   is left, except for objects of files that are closed later.
 */
static void test_unplug(void)
{
	for (unsigned int round = 0; round < vsplit_rounds(2, 20); round++) {
		struct flipper flippers[2];
		pthread_t threads[2], reader;
		struct head heads[2];
		struct fb fbs[2][2];
		void *result;
		int crc;

		setup_heads(2);
		for (int h = 0; h < 2; h++) {
			head_open(&heads[h], h);
			for (int i = 0; i < 2; i++)
				fb_new(&heads[h], &fbs[h][i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
			head_on(&heads[h], &fbs[h][0]);
		}
		crc = crc_open(&heads[0]);
		igt_assert_eq(pthread_create(&reader, NULL, read_on, &crc), 0);
		flipping = false;
		for (int h = 0; h < 2; h++) {
			flippers[h] = (struct flipper){ &heads[h], fbs[h] };
			igt_assert_eq(pthread_create(&threads[h], NULL, flip_on, &flippers[h]), 0);
		}
		igt_assert(vsplit_soon(flipping));
		vsplit_adapter_disable(ad);
		for (int h = 0; h < 2; h++) {
			igt_assert_eq(pthread_join(threads[h], &result), 0);
			igt_assert_eq((intptr_t)result, -ENODEV);
		}
		igt_assert_eq(pthread_join(reader, NULL), 0);
		vsplit_cleanup();
		close(crc);
	}
}

static struct {
	struct fb fbs[2], to;
	uint32_t crtc, fb;	/* properties */
	volatile unsigned int commits;
	volatile bool over;
} writer;

/* Commits pictures that take longer than a vblank: the next picture is due before one is done. */
static void *write_on(void *unused)
{
	drmModeAtomicReqPtr req;

	for (unsigned int i = 0; !writer.over; writer.commits = ++i) {
		req = drmModeAtomicAlloc();
		igt_assert(drmModeAtomicAddProperty(req, head.primary, head.flip,
						    writer.fbs[i % 2].id) >= 0);
		igt_assert(drmModeAtomicAddProperty(req, head.writeback, writer.crtc, head.crtc) >= 0);
		igt_assert(drmModeAtomicAddProperty(req, head.writeback, writer.fb, writer.to.id) >= 0);
		expect(commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
	}
	return NULL;
}

static void *close_file(void *arg)
{
	close(*(int *)arg);
	return NULL;
}

/**
 * SUBTEST: reader-ends-while-pictures-are-written
 * Description: A client writes back one picture after another, each while the one before is still
 *   being made. A reader of the head's checksums can be closed meanwhile.
 */
static void test_reader_ends(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 64 << 20 } }, .slots = 16, .heads = 1,
	};
	pthread_t flipper, closer;
	drmModeAtomicReqPtr req;
	bool closed;
	int crc;

	setup_opts(&opts);
	head_open(&head, 0);
	head.mode = (drmModeModeInfo){
		.hdisplay = 4096, .hsync_start = 4098, .hsync_end = 4100, .htotal = 4160,
		.vdisplay = 4096, .vsync_start = 4098, .vsync_end = 4100, .vtotal = 4160,
		.clock = 4160 * 4160 / 1000 * 60, .vrefresh = 60, .name = "4096x4096",
	};
	for (unsigned int i = 0; i < 2; i++)
		fb_new(&head, &writer.fbs[i], 512, 512, DRM_FORMAT_RGB565, NULL);
	fb_new(&head, &writer.to, 4096, 4096, DRM_FORMAT_RGB565, NULL);
	req = drmModeAtomicAlloc();
	add_mode(req, &head, &head.mode);
	add_plane(req, &head, head.primary, &writer.fbs[0], 0, 0, 4096, 4096);
	expect(commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
	crc = crc_open(&head);
	writer.crtc = prop_id(head.fd, head.writeback, "CRTC_ID");
	writer.fb = prop_id(head.fd, head.writeback, "WRITEBACK_FB_ID");
	writer.over = false;
	writer.commits = 0;
	igt_assert_eq(pthread_create(&flipper, NULL, write_on, NULL), 0);
	igt_assert(vsplit_soon(writer.commits > 3));
	igt_assert_eq(pthread_create(&closer, NULL, close_file, &crc), 0);
	closed = vsplit_soon(!pthread_tryjoin_np(closer, NULL));
	writer.over = true;
	if (!closed)
		pthread_join(closer, NULL);
	pthread_join(flipper, NULL);
	igt_assert_f(closed, "it waits for pictures that others have made\n");
}

/**
 * SUBTEST: written-when-it-ends
 * Description: The cleanup after a writeback has been stopped before it returns to DRM when the
 *   adapter is removed. After that, nothing of the adapter is used.
 */
static void test_written_late(void)
{
	struct fb fb, to;

	vsplit_require_sync_points();
	setup_head(&head);
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_new(&head, &to, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head_on(&head, &fb);
	vsplit_hold("kms.written");
	shoot(&head, NULL, &to);
	igt_assert(vsplit_wait_held("kms.written"));
	vsplit_cleanup();
	vsplit_release("kms.written");
}

static void flip_until_killed(void)
{
	struct fb fbs[2];

	head_open(&head, 0);
	for (int i = 0; i < 2; i++)
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head_on(&head, &fbs[0]);
	for (unsigned int i = 0; ; i++)
		__head_flip(&head, &fbs[i % 2], i % 2 ? DRM_MODE_ATOMIC_NONBLOCK : 0, NULL);
}

/**
 * SUBTEST: killed
 * Description: A client is killed while it flips. Nothing of it is left, and the next client can
 *   light the head.
 */
static void test_killed(void)
{
	struct vsplit_counters before, now;
	char path[64], text[256];

	setup_heads(1);
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/heads", ad->primary);
	igt_require(vsplit_counters(ad, &before));
	for (int round = 0; round < 3; round++) {
		pid_t pid = vsplit_fork();

		if (!pid)
			flip_until_killed();
		igt_assert(vsplit_soon(vsplit_counters(ad, &now) && now.bos > before.bos + 1 &&
				       !__vsplit_read_file(path, text, sizeof(text)) &&
				       strstr(text, "lit 1")));
		usleep(30000 * round);
		kill(pid, SIGKILL);
		vsplit_reap(pid);
		vsplit_counters_become(ad, &before);
	}
}

static const struct vsplit_subtest tests[] = {
	{ "heads", test_heads,
	  "There are as many heads as the option says, each with its monitor. Without the option "
	  "there is no display." },
	{ "modes", test_modes,
	  "The monitor has a preferred mode, and others up to 4096x4096. Each mode is listed once, "
	  "and its rate is the one in its name." },
	{ "mode-valid", test_mode_valid, "Impossible modes are refused: clocks, sizes, interlace" },
	{ "framebuffers", test_framebuffers,
	  "A framebuffer that a head cannot read is refused when it is made" },
	{ "framebuffers-before-they-are-looked-at", test_framebuffers_early,
	  "A framebuffer that is being made, and will be refused, is shown by no plane when a "
	  "client guesses its ID" },
	{ "flips", test_flips,
	  "A flip's event comes at a vblank, and vblanks are exactly one period apart" },
	{ "head-off-holds-nothing", test_off,
	  "A head that is off keeps no fence of the commit that turned it off, and thus no "
	  "reference to the module" },
	{ "flip-waits-for-the-gpu", test_flip_waits,
	  "A flip to an allocation that the GPU is writing takes effect when the GPU is done. "
	  "In-fences and out-fences work as well." },
	{ "flip-waits-for-paging", test_flip_pages,
	  "A flip pages in its framebuffer, and takes effect when the bytes are there" },
	{ "async-flips", test_async, "An asynchronous flip waits for no vblank" },
	{ "async-flips-leave-nothing-behind", test_async_unread,
	  "When the event of an asynchronous flip comes, the old framebuffer is no longer read" },
	{ "pinned-while-shown", test_pinned,
	  "A framebuffer is pinned in its preferred segment while it is shown, and not longer" },
	{ "seen-while-shown", test_seen,
	  "A framebuffer that is shown is where the CPU sees it, so that a mapping shows it, too" },
	{ "no-room", test_no_room,
	  "A framebuffer that cannot be placed is refused with -ENOSPC, even if the commit is only "
	  "a test, and the old picture stays" },
	{ "no-room-where-it-is-seen", test_no_room_seen,
	  "A commit for whose framebuffer no free place suits fails, and keeps no other client "
	  "from getting places" },
	{ "no-room-below-the-limit", test_limit,
	  "An aperture has room for a picture, or for both of two, but the limit of all apertures "
	  "has not. The commit fails, even if it is only a test." },
	{ "no-holes-for-both", test_no_holes,
	  "Each of two pictures would have a place, and the sizes of both tell of room, but no "
	  "holes suit both. The commit fails. It does not try again and again, which would keep "
	  "other clients from getting places." },
	{ "no-room-for-both", test_no_room_for_both,
	  "Framebuffers that do not fit together are refused, and places that an earlier commit "
	  "gives up count as room" },
	{ "split-around-a-picture", test_split_around,
	  "A buffer is split around a picture that is shown in the middle of video memory. The "
	  "picture does not change or move." },
	{ "shown-where-it-is-not-written", test_shown_read_only,
	  "A framebuffer is shown from a segment in which it may only be read. A buffer that "
	  "writes it is refused with -EBUSY, whether or not it would be split." },
	{ "shown-before-it-leaves", test_shown_before,
	  "A buffer that has to be split is about to evict another client's allocation when a head "
	  "begins to show that allocation" },
	{ "flips-under-pressure", test_pressure,
	  "Pictures do not fit into video memory together, and the GPU needs all of it: every flip "
	  "shows the right picture" },
	{ "unplug", test_unplug,
	  "The adapter is removed while two heads flip and one has its checksum read. Nothing is "
	  "left, except for objects of files that are closed later." },
	{ "written-when-it-ends", test_written_late,
	  "The cleanup after a writeback has been stopped before it returns to DRM when the "
	  "adapter is removed. After that, nothing of the adapter is used." },
	{ "reader-ends-while-pictures-are-written", test_reader_ends,
	  "A client writes back one picture after another, each while the one before is still "
	  "being made" },
	{ "killed", test_killed,
	  "A client is killed while it flips. Nothing of it is left, and the next client can light "
	  "the head." },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
