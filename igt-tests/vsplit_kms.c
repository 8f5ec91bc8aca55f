// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit kms
 * Description: Heads: modes, flips, and how they end; Documentation/display.rst. The pictures are
 *   tested by vsplit_pictures, and their places by vsplit_shown.
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

IGT_TEST_DESCRIPTION("Heads: modes, flips, and how they end; Documentation/display.rst. The "
		     "pictures are tested by vsplit_pictures, and their places by vsplit_shown.");

static struct head head;
static struct pixel picture[PIXELS];

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
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, in_first);
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
