// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit kms
 * Description: Heads: modes, flips, pictures, where they are; Documentation/display.rst.
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

IGT_TEST_DESCRIPTION("Heads that show allocations.");

#define PIXELS (HEAD_W * HEAD_H)
/* Vblanks that a head makes up for when it is late. */
#define VBLANKS_BEHIND 64u
#define FLIP (DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT)

static struct head head;
static struct pixel picture[PIXELS];

static const uint8_t memory_only[] = { 1, 0 }, aperture_only[] = { 2, 0 };

static const uint32_t formats[] = {
	DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888,
	DRM_FORMAT_RGB565, DRM_FORMAT_XRGB1555, DRM_FORMAT_ARGB1555, DRM_FORMAT_XRGB2101010,
	DRM_FORMAT_XRGB16161616, DRM_FORMAT_ARGB16161616,
};

static void setup_head(void)
{
	setup_heads(1);
	head_open(&head, 0);
}

/* The whole of a framebuffer of the head's size, as a reader of its format sees it. */
static void expect_all(const struct fb *fb)
{
	get_picture(fb, picture);
}

/* ---- modes and framebuffers ----------------------------------------------- */

/**
 * SUBTEST: heads
 * Description: As many heads as the option says, each with its monitor; without, no display.
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
 * Description: Modes that cannot be are refused: clocks, sizes, interlace.
 */
static void test_mode_valid(void)
{
	drmModeModeInfo mode;
	struct fb fb;

	setup_head();
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
 * Description: The monitor has a mode that it prefers, and some up to 4096x4096, each once and of
 *   the rate that it has by its name.
 */
static void test_modes(void)
{
	static const struct { uint16_t width, height, rate; } wanted[] = {
		{ 640, 480, 60 }, { 1024, 768, 60 }, { 1920, 1200, 60 }, { 3840, 2160, 30 },
		{ 4096, 2160, 60 }, { 4096, 4096, 30 },
	};
	drmModeConnectorPtr connector;

	setup_head();
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
 * Description: What a head cannot read is refused when the framebuffer is made.
 */
static void test_framebuffers(void)
{
	struct drm_vsplit_gem_create tiled = {
		.size = 65536, .flags = VSPLIT_GEM_SWIZZLED, .pitch = 512,
	};
	struct fb fb, bad;

	setup_head();
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

/* ---- flips ----------------------------------------------------------------- */

/**
 * SUBTEST: flips
 * Description: A flip's event comes at a vblank; vblanks are one period apart, exactly.
 */
static void test_flips(void)
{
	/* 80 x 60 pixels at 288 kHz */
	const uint64_t period_ns = 4800ull * 1000000 / 288;
	struct drm_event_vblank first = {}, event;
	struct fb fbs[2];

	setup_head();
	for (int i = 0; i < 2; i++)
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head_on(&head, &fbs[0]);
	for (unsigned int i = 0; i < vsplit_rounds(30, 1000); i++) {
		uint64_t ns, frames;
		int64_t off;

		expect(__head_flip(&head, &fbs[(i + 1) % 2], FLIP, &fbs[i % 2]), 0);
		/* One flip for each frame: the next has to wait, or is refused. */
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
		/* A clock in microseconds, and a period in whole nanoseconds. */
		igt_assert_f(llabs(off) <= 2000 + (int64_t)frames, "flip %u: %" PRId64 " ns off\n", i,
			     off);
	}
	head_off(&head);
}

/**
 * SUBTEST: head-off-holds-nothing
 * Description: A head that is off keeps no fence of the commit that turned it off, and so no
 *   reference to the module.
 */
static void test_off(void)
{
	int references;
	struct fb fb;

	setup_head();
	references = vsplit_module_references();
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head_on(&head, &fb);
	head_off(&head);
	fb_free(&head, &fb);
	/* Those of the subtest before may have been among them. */
	igt_assert(vsplit_soon(vsplit_module_references() <= references));
}

/**
 * SUBTEST: flip-waits-for-the-gpu
 * Description: A flip to what the GPU is writing takes effect when that is done; an in-fence and
 *   an out-fence do the same.
 */
static void test_flip_waits(void)
{
	drmModeAtomicReqPtr req;
	struct fb fbs[2];
	int in, out = -1;

	setup_head();
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
	/* A flip that is not done holds the next one up, which says so. */
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

	/* A plane that shows nothing has nothing to wait for: DRM would warn of that. */
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
 * Description: What is shown is paged in by the flip, which takes effect when its bytes are there.
 */
static void test_flip_pages(void)
{
	struct fb fbs[2];

	setup_head();
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
	expect_all(&fbs[1]);
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

	setup_head();
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
 * Description: When the event of an asynchronous flip comes, what it replaced is not read any more.
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

	setup_head();
	/* Large, and of another format than the cable's: that takes the composer a while. */
	for (int i = 0; i < 2; i++) {
		fb_new(&head, &fbs[i], 256, 256, DRM_FORMAT_XBGR8888, NULL);
		fb_color(&fbs[i], 0x123456);
	}
	add_mode(req, &head, &mode);
	add_plane(req, &head, head.primary, &fbs[0], 0, 0, 256, 256);
	expect(commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
	crc = crc_open(&head);
	want = crc_next(crc, NULL);
	/* Nothing keeps the flips apart from the composer, which is at a picture during most of them. */
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

/* ---- pictures -------------------------------------------------------------- */

/**
 * SUBTEST: looking
 * Description: The picture in debugfs is that of the head; of a dark one there is none.
 */
static void test_looking(void)
{
	static const char header[] = "P6\n64 48\n255\n";
	const unsigned int skip = sizeof(header) - 1;
	static uint8_t seen[3 * PIXELS + 64];
	struct fb fb, to;

	setup_head();
	igt_require(geteuid() == 0);
	expect(look(seen, sizeof(seen)), -ENODEV);
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_new(&head, &to, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	for (unsigned int i = 0; i < 5; i++) {
		fb_noise(&fb, i);
		head_on(&head, &fb);
		/* Beside a picture that is written back, and alone. */
		if (i % 2)
			shoot(&head, NULL, &to);
		igt_assert_eq(look(seen, sizeof(seen)), (int)(skip + 3 * PIXELS));
		igt_assert_eq(memcmp(seen, header, skip), 0);
		for (unsigned int at = 0; at < PIXELS; at++) {
			uint64_t rgb = pack_pixel(DRM_FORMAT_XRGB8888,
						  get_pixel(&fb, at % HEAD_W, at / HEAD_W));
			const uint8_t *p = seen + skip + 3 * at;

			igt_assert_eq_u32((uint32_t)p[0] << 16 | p[1] << 8 | p[2], rgb & 0xffffff);
		}
	}
	head_off(&head);
	expect(look(seen, sizeof(seen)), -ENODEV);
}

/* Until there were enough pictures, each of one colour; ends the process. */
static void look_often(void)
{
	static uint8_t seen[12 * PIXELS + 64];
	unsigned int pictures = 0;

	while (pictures < vsplit_rounds(40, 500)) {
		unsigned int w, h, skip;
		int n = look(seen, sizeof(seen));

		if (n == -ENODEV)
			continue;
		igt_assert(n > 0);
		igt_assert_eq(sscanf((char *)seen, "P6\n%u %u\n255\n", &w, &h), 2);
		skip = n - 3 * w * h;
		igt_assert(skip < 32 && seen[skip - 1] == '\n');
		for (int at = skip; at < n; at += 3)
			igt_assert_eq(memcmp(seen + at, "\xab\xcd\xef", 3), 0);
		pictures++;
	}
	_exit(0);
}

/**
 * SUBTEST: looking-at-a-head-that-goes
 * Description: Several look again and again while modes change and the head goes dark: each gets
 *   a whole picture, or is told that there is none.
 */
static void test_looking_away(void)
{
	pid_t children[3];
	struct fb fb;

	setup_head();
	igt_require(geteuid() == 0);
	fb_new(&head, &fb, 2 * HEAD_W, 2 * HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_color(&fb, 0xabcdef);
	for (unsigned int i = 0; i < ARRAY_SIZE(children); i++) {
		children[i] = vsplit_fork();
		if (!children[i])
			look_often();
	}
	for (unsigned int i = 0; i < vsplit_rounds(40, 500); i++) {
		drmModeModeInfo mode = head.mode;
		drmModeAtomicReqPtr req = drmModeAtomicAlloc();

		if (i % 2) {
			mode.hdisplay = 32;
			mode.vdisplay = 24;
		}
		add_mode(req, &head, &mode);
		add_plane(req, &head, head.primary, &fb, 0, 0, 2 * HEAD_W, 2 * HEAD_H);
		expect(commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
		if (i % 4 == 3)
			head_off(&head);
	}
	head_on(&head, &fb);
	for (unsigned int i = 0; i < ARRAY_SIZE(children); i++)
		igt_assert_eq(vsplit_reap(children[i]), 0);
	head_off(&head);
}

/**
 * SUBTEST: checksums-that-are-not-read
 * Description: A reader that falls far behind loses the newest checksums, and the kernel is silent.
 */
static void test_checksums_unread(void)
{
	drmVBlank vblank = {
		.request = { .type = DRM_VBLANK_RELATIVE, .sequence = 400 },
	};
	uint64_t last, frame;
	struct fb fb;
	int crc;

	setup_head();
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head.mode.clock = 80 * 60 * 300 / 1000;
	head_on(&head, &fb);
	crc = crc_open(&head);
	igt_assert_eq(drmWaitVBlank(head.fd, &vblank), 0);
	crc_next(crc, &last);
	/* DRM's ring has 128 entries. A machine that stood still has no vblanks for that time. */
	for (unsigned int i = 1; i < 100; i++) {
		crc_next(crc, &frame);
		igt_assert_f(frame == last + 1 || frame > last + VBLANKS_BEHIND,
			     "%" PRIu64 " after %" PRIu64 "\n", frame, last);
		last = frame;
	}
	close(crc);
}

/**
 * SUBTEST: checksums
 * Description: Every frame has its checksum, which is that of the picture; also when many
 *   flips follow each other.
 */
static void test_checksums(void)
{
	uint32_t want[2], seen = 0;
	uint64_t frame, last = 0;
	struct fb fbs[2];
	int crc;

	setup_head();
	for (int i = 0; i < 2; i++) {
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
		fb_noise(&fbs[i], 100 + i);
		expect_all(&fbs[i]);
		want[i] = crc_of(picture, PIXELS);
	}
	head_on(&head, &fbs[0]);
	igt_assert_eq_u32(crc_now(&head), want[0]);
	crc = crc_open(&head);
	for (unsigned int i = 0; i < 20; i++) {
		struct drm_event_vblank event;
		uint32_t value;

		expect(__head_flip(&head, &fbs[(i + 1) % 2], FLIP, NULL), 0);
		event = next_event(&head);
		do {
			value = crc_next(crc, &frame);
			/* A machine that stands still for a second loses vblanks. */
			igt_assert(!last || frame == last + 1 || frame > last + 64);
			last = frame;
			/* From the frame of the flip on it is the new picture. */
			igt_assert_eq_u32(value, want[(i + (frame >= event.sequence)) % 2]);
			seen++;
		} while (frame < event.sequence);
	}
	igt_assert_lte(20, seen);
	close(crc);
	head_off(&head);
}

/**
 * SUBTEST: formats
 * Description: Each format as what is shown and as what is written back, in memory and in an
 *   aperture segment: all pixels.
 */
static void test_formats(void)
{
	struct fb from, to;

	setup_head();
	for (unsigned int i = 0; i < ARRAY_SIZE(formats); i++) {
		for (unsigned int j = 0; j < ARRAY_SIZE(formats); j++) {
			fb_new(&head, &from, HEAD_W, HEAD_H, formats[i],
			       i & 1 ? memory_only : aperture_only);
			fb_new(&head, &to, HEAD_W, HEAD_H, formats[j],
			       j & 1 ? aperture_only : memory_only);
			fb_noise(&from, i);
			head_on(&head, &from);
			igt_assert_eq(pinned(from.bo), i & 1 ? 1 : 2);
			/* the primary plane's alpha is ignored, as there is only black below */
			expect_all(&from);
			for (unsigned int p = 0; p < PIXELS; p++)
				igt_assert_eq(get_pixel(&from, p % HEAD_W, p / HEAD_W).r,
					      picture[p].r);
			shoot(&head, NULL, &to);
			for (unsigned int p = 0; p < PIXELS; p++)
				picture[p].a = 65535;
			check_picture(&to, picture);
			igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
			head_off(&head);
			fb_free(&head, &from);
			fb_free(&head, &to);
		}
	}
}

/* The GPU turns the linear layout of @from into the tiled one of @to. */
static void copy_tiled(const struct fb *to, const struct fb *from)
{
	struct vsplit_cs *cs = vsplit_cs(head.fd);

	vsplit_cs_bind(cs, 0, to->bo);
	vsplit_cs_bind(cs, 1, from->bo);
	vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, from->pitch);
	vsplit_cs_state(cs, VSPLIT_STATE_DST_PITCH, to->pitch);
	/* Whole tiles: both have that many rows. */
	vsplit_cs_copy_2d(cs, 0, 0, 1, 0, to->pitch, VSPLIT_TILE_HEIGHT,
			  VSPLIT_COPY_2D_DST_TILED);
	vsplit_cs_submit(cs, vsplit_ctx(head.fd, 0), 0);
	vsplit_cs_wait(cs);
}

/**
 * SUBTEST: tiled
 * Description: The tiled layout as a modifier: each format but NV12, in memory and in an aperture
 *   segment, across tiles, scaled; as the GPU writes it; what cannot be is refused.
 */
static void test_tiled(void)
{
	enum { W = 2 * HEAD_W, H = 160, X = 32, Y = 100 };
	struct fb fb, linear, bad;

	setup_head();
	for (unsigned int i = 0; i < ARRAY_SIZE(formats); i++) {
		drmModeAtomicReqPtr req;

		fb_new_tiled(&head, &fb, W, H, formats[i], i & 1 ? memory_only : aperture_only);
		fb_noise(&fb, i);
		head_on(&head, &fb);
		/* the nearest pixel of two across, and of 10/3 down */
		for (uint32_t y = 0; y < HEAD_H; y++)
			for (uint32_t x = 0; x < HEAD_W; x++) {
				uint32_t down = (H << 16) / HEAD_H;

				picture[y * HEAD_W + x] =
					get_pixel(&fb, 2 * x + 1, (down / 2 + y * down) >> 16);
			}
		igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
		igt_assert_eq(pinned(fb.bo), i & 1 ? 1 : 2);
		req = drmModeAtomicAlloc();
		add_plane(req, &head, head.primary, &fb, -X, -Y, W, H);
		expect(commit(&head, req, 0, NULL), 0);
		for (uint32_t p = 0; p < PIXELS; p++)
			picture[p] = get_pixel(&fb, p % HEAD_W + X, p / HEAD_W + Y);
		igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
		head_off(&head);
		fb_free(&head, &fb);
	}

	fb_new(&head, &linear, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_new_tiled(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_noise(&linear, 99);
	copy_tiled(&fb, &linear);
	expect_all(&linear);
	head_on(&head, &fb);
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
	head_off(&head);

	bad = fb;
	bad.pitch = 320;
	expect(__fb_add(&head, &bad, 0), -EINVAL);
	bad = fb;
	bad.width = 32;
	bad.pitch = 160;
	expect(__fb_add(&head, &bad, 0), -EINVAL);
	bad = fb;
	bad.height = 65;
	expect(__fb_add(&head, &bad, 0), -EINVAL);
	bad = fb;
	bad.width = 16;
	bad.height = 8;
	bad.pitch = 64;
	expect(__fb_add(&head, &bad, 4096), 0);
	expect(__fb_add(&head, &bad, 64), -EINVAL);
	bad.format = DRM_FORMAT_NV12;
	expect(__fb_add(&head, &bad, 0), -EINVAL);
}

/**
 * SUBTEST: rotations
 * Description: Every rotation with every reflection: the pixels of an overlay are where the
 *   definition puts them.
 */
static void test_rotations(void)
{
	enum { W = 24, H = 16, X = 5, Y = 7 };
	struct fb below, fb, to;

	setup_head();
	fb_new(&head, &below, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_new(&head, &fb, W, H, DRM_FORMAT_XRGB8888, NULL);
	fb_new(&head, &to, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_noise(&below, 1);
	fb_noise(&fb, 2);
	head_on(&head, &below);
	for (unsigned int turn = 0; turn < 4; turn++) {
		for (unsigned int reflect = 0; reflect < 4; reflect++) {
			uint32_t w = turn & 1 ? H : W, h = turn & 1 ? W : H;
			drmModeAtomicReqPtr req = drmModeAtomicAlloc();

			add_plane(req, &head, head.overlay, &fb, X, Y, w, h);
			prop_set(req, head.fd, head.overlay, "rotation", 1u << turn | reflect << 4);
			expect_all(&below);
			for (uint32_t sy = 0; sy < H; sy++) {
				for (uint32_t sx = 0; sx < W; sx++) {
					/* reflect, then turn counter-clockwise, a quarter at a time */
					uint32_t x = reflect & 1 ? W - 1 - sx : sx;
					uint32_t y = reflect & 2 ? H - 1 - sy : sy;
					uint32_t width = W, height = H;

					for (unsigned int t = 0; t < turn; t++) {
						uint32_t old = x, size = width;

						x = y;
						y = size - 1 - old;
						width = height;
						height = size;
					}
					picture[(Y + y) * HEAD_W + X + x] = get_pixel(&fb, sx, sy);
				}
			}
			shoot(&head, req, &to);
			check_picture(&to, picture);
		}
	}
	head_off(&head);
}

/* By the definitions, to the nearest of 16 bits. */
static uint16_t blend(uint64_t mode, unsigned int alpha, unsigned int pixel_alpha, uint16_t above,
		      uint16_t below)
{
	const uint64_t one = 65535;
	uint64_t covered = mode == 0 ? alpha : (2 * (uint64_t)alpha * pixel_alpha + one) / (2 * one);
	uint64_t weight = mode == 2 ? covered : alpha;
	uint64_t sum = (2 * (weight * above + (one - covered) * below) + one) / (2 * one);

	return sum > one ? one : sum;
}

static void blend_all(const struct fb *below, const struct fb *above, struct fb *to)
{
	static const char *const modes[] = { "None", "Pre-multiplied", "Coverage" };
	static const unsigned int alphas[] = { 0, 1, 0x7fff, 0xfffe, 0xffff };

	for (unsigned int m = 0; m < ARRAY_SIZE(modes); m++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(alphas); i++) {
			drmModeAtomicReqPtr req = drmModeAtomicAlloc();

			add_plane(req, &head, head.overlay, above, 0, 0, HEAD_W, HEAD_H);
			prop_set(req, head.fd, head.overlay, "alpha", alphas[i]);
			prop_set(req, head.fd, head.overlay, "pixel blend mode",
				 prop_enum(head.fd, head.overlay, "pixel blend mode", modes[m]));
			for (unsigned int p = 0; p < PIXELS; p++) {
				struct pixel a = get_pixel(above, p % HEAD_W, p / HEAD_W);
				struct pixel b = get_pixel(below, p % HEAD_W, p / HEAD_W);

				picture[p] = (struct pixel){
					65535, blend(m, alphas[i], a.a, a.r, b.r),
					blend(m, alphas[i], a.a, a.g, b.g),
					blend(m, alphas[i], a.a, a.b, b.b),
				};
			}
			shoot(&head, req, to);
			check_picture(to, picture);
		}
	}
}

/**
 * SUBTEST: blending
 * Description: Each blend mode with several values of a plane's alpha, two planes in both
 *   orders.
 */
static void test_blending(void)
{
	static const uint32_t blended[] = { DRM_FORMAT_ARGB8888, DRM_FORMAT_ARGB1555 };
	struct fb below, above[2], to;
	drmModeAtomicReqPtr req;

	setup_head();
	fb_new(&head, &below, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_new(&head, &to, HEAD_W, HEAD_H, DRM_FORMAT_ARGB16161616, NULL);
	fb_noise(&below, 1);
	head_on(&head, &below);
	for (unsigned int i = 0; i < ARRAY_SIZE(blended); i++) {
		fb_new(&head, &above[i], HEAD_W, HEAD_H, blended[i], NULL);
		fb_noise(&above[i], 2);
		blend_all(&below, &above[i], &to);
	}

	/* The one that was below hides the other. */
	req = drmModeAtomicAlloc();
	prop_set(req, head.fd, head.primary, "zpos", 1);
	prop_set(req, head.fd, head.overlay, "zpos", 0);
	shoot(&head, req, &to);
	expect_all(&below);
	check_picture(&to, picture);
	head_off(&head);
}

/**
 * SUBTEST: colors
 * Description: Degamma, matrix and gamma, in this order; tables of another size are refused.
 */
static void test_colors(void)
{
	struct drm_color_lut invert[256], half[256];
	/* red becomes green, green blue, blue red, and blue is halved first */
	struct drm_color_ctm ctm = { .matrix = { [2] = 1ull << 31, [3] = 1ull << 32, [7] = 1ull << 32 } };
	drmModeAtomicReqPtr req;
	struct fb fb, to;

	setup_head();
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_new(&head, &to, HEAD_W, HEAD_H, DRM_FORMAT_XRGB16161616, NULL);
	fb_noise(&fb, 7);
	head_on(&head, &fb);
	for (unsigned int i = 0; i < 256; i++) {
		invert[i].red = invert[i].green = invert[i].blue = (255 - i) * 257;
		half[i].red = half[i].green = half[i].blue = i * 128;
	}
	req = drmModeAtomicAlloc();
	prop_set(req, head.fd, head.crtc, "GAMMA_LUT", prop_blob(&head, invert, sizeof(invert) / 2));
	expect(commit(&head, req, DRM_MODE_ATOMIC_TEST_ONLY, NULL), -EINVAL);

	req = drmModeAtomicAlloc();
	prop_set(req, head.fd, head.crtc, "DEGAMMA_LUT", prop_blob(&head, half, sizeof(half)));
	prop_set(req, head.fd, head.crtc, "CTM", prop_blob(&head, &ctm, sizeof(ctm)));
	prop_set(req, head.fd, head.crtc, "GAMMA_LUT", prop_blob(&head, invert, sizeof(invert)));
	expect_all(&fb);
	for (unsigned int p = 0; p < PIXELS; p++) {
		struct pixel q = picture[p];

		/* entries of the first table are hit exactly; of the last it is 65535 - x */
		picture[p].r = 65535 - (q.b / 257 * 128 + 1) / 2;
		picture[p].g = 65535 - q.r / 257 * 128;
		picture[p].b = 65535 - q.g / 257 * 128;
	}
	shoot(&head, req, &to);
	check_picture(&to, picture);
	head_off(&head);
}

/**
 * SUBTEST: yuv
 * Description: NV12 with every encoding and range: white, black and grey are that, and
 *   primaries come out as the standard's matrix says.
 */
static void test_yuv(void)
{
	static const double colors[][3] = {
		{ 0, 0, 0 }, { 1, 1, 1 }, { .5, .5, .5 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 },
	};
	struct fb fb, to;

	setup_head();
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_NV12, NULL);
	fb_new(&head, &to, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head_on(&head, &fb);
	for (unsigned int i = 0; i < ARRAY_SIZE(yuv_standards) * ARRAY_SIZE(colors) * 2; i++) {
		const double *c = colors[i / 2 % ARRAY_SIZE(colors)];
		double kr = yuv_standards[i / 2 / ARRAY_SIZE(colors)].kr;
		double kb = yuv_standards[i / 2 / ARRAY_SIZE(colors)].kb;
		double y = kr * c[0] + (1 - kr - kb) * c[1] + kb * c[2];
		double cb = (c[2] - y) / (1 - kb) / 2, cr = (c[0] - y) / (1 - kr) / 2;
		bool full = i & 1;
		uint8_t bytes[3] = {
			(full ? y * 255 : 16 + y * 219) + .5,
			128.5 + cb * (full ? 255 : 224) - (full && cb > .4999),
			128.5 + cr * (full ? 255 : 224) - (full && cr > .4999),
		};
		drmModeAtomicReqPtr req = drmModeAtomicAlloc();
		uint32_t got;

		memset(fb.bo->map, bytes[0], fb.chroma);
		for (uint32_t at = 0; at < fb.chroma / 2; at++)
			fb.bo->map[fb.chroma + at] = bytes[1 + at % 2];
		prop_set(req, head.fd, head.primary, "COLOR_ENCODING",
			 prop_enum(head.fd, head.primary, "COLOR_ENCODING",
				   yuv_standards[i / 2 / ARRAY_SIZE(colors)].name));
		prop_set(req, head.fd, head.primary, "COLOR_RANGE",
			 prop_enum(head.fd, head.primary, "COLOR_RANGE",
				   full ? "YCbCr full range" : "YCbCr limited range"));
		shoot(&head, req, &to);
		memcpy(&got, to.bo->map + 5 * to.pitch + 40, 4);
		for (int k = 0; k < 3; k++) {
			int is = got >> (16 - 8 * k) & 255, want = c[k] * 255 + .5;

			/* 8 bits of Y'CbCr tell R'G'B' to about two */
			igt_assert_f(abs(is - want) <= 3, "case %u: %06x\n", i, got);
		}
	}
	head_off(&head);
}

/**
 * SUBTEST: cursor
 * Description: A cursor above all, partly outside, moved without a new picture of the rest.
 */
static void test_cursor(void)
{
	struct fb fb, cursor, to;

	setup_head();
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_new(&head, &cursor, 16, 16, DRM_FORMAT_ARGB8888, NULL);
	fb_new(&head, &to, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_noise(&fb, 3);
	fb_color(&cursor, 0xff00ff00);
	head_on(&head, &fb);
	for (int at = -20; at < (int)HEAD_W + 4; at += 12) {
		drmModeAtomicReqPtr req = drmModeAtomicAlloc();

		add_plane(req, &head, head.cursor, &cursor, at, at, 16, 16);
		expect_all(&fb);
		for (int y = at; y < at + 16; y++)
			for (int x = at; x < at + 16; x++)
				if (x >= 0 && y >= 0 && x < (int)HEAD_W && y < (int)HEAD_H)
					picture[y * HEAD_W + x] = (struct pixel){ 65535, 0, 65535, 0 };
		shoot(&head, req, &to);
		check_picture(&to, picture);
	}
	/* by the legacy calls, without waiting */
	igt_assert_eq(drmModeSetCursor(head.fd, head.crtc, cursor.bo->handle, 16, 16), 0);
	for (int i = 0; i < 200; i++)
		igt_assert_eq(drmModeMoveCursor(head.fd, head.crtc, i % 40, 4), 0);
	expect_all(&fb);
	for (int y = 4; y < 20; y++)
		for (int x = 39; x < 55; x++)
			picture[y * HEAD_W + x] = (struct pixel){ 65535, 0, 65535, 0 };
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
	head_off(&head);
}

/* ---- memory ---------------------------------------------------------------- */

/**
 * SUBTEST: pinned-while-shown
 * Description: What is shown is pinned where it is preferred, and no longer than that.
 */
static void test_pinned(void)
{
	struct fb fbs[2];

	setup_head();
	for (int i = 0; i < 2; i++)
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	igt_assert_eq(pinned(fbs[0].bo), 0);
	head_on(&head, &fbs[0]);
	igt_assert_eq(pinned(fbs[0].bo), 1);
	expect(__vsplit_escape(head.fd, VSPLIT_ESCAPE_EVICT, fbs[0].bo->handle, 0), -EBUSY);
	expect(__head_flip(&head, &fbs[1], 0, NULL), 0);
	igt_assert_eq(pinned(fbs[0].bo), 0);
	igt_assert_eq(pinned(fbs[1].bo), 1);
	/* its user closes the handle: the framebuffer stays */
	vsplit_bo_free(fbs[1].bo);
	igt_assert_lte(0, (int)crc_now(&head) & 0x7fffffff);
	head_off(&head);
	igt_assert_eq(pinned(fbs[0].bo), 0);
}

/**
 * SUBTEST: no-room
 * Description: What cannot be placed is refused with -ENOSPC, also where the commit only asks
 *   whether it could be, and the old picture stays.
 */
static void test_no_room(void)
{
	const uint8_t vram[] = { 1, 0 };
	struct vsplit_bo *big;
	uint32_t before;
	struct fb fbs[2];

	setup_head();
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

/* Asks whether the primary and the overlay could show these. */
static int ask_for_two(const struct fb *below, const struct fb *above)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	add_plane(req, &head, head.primary, below, 0, 0, HEAD_W, HEAD_H);
	add_plane(req, &head, head.overlay, above, 0, 0, HEAD_W, HEAD_H);
	return commit(&head, req, DRM_MODE_ATOMIC_TEST_ONLY, NULL);
}

/**
 * SUBTEST: no-room-for-both
 * Description: Of two framebuffers there is room for either, not for both, and in no piece for one
 *   that is larger; the same one twice needs its place once. What the commit before gives up counts
 *   as room.
 */
static void test_no_room_for_both(void)
{
	const uint8_t vram[] = { 1, 0 };
	struct vsplit_bo *big;
	uint64_t size, left;
	struct fb fbs[3];

	setup_head();
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
	for (unsigned int i = 1; i < 6; i++)
		expect(__head_flip(&head, &fbs[i % 3], DRM_MODE_ATOMIC_NONBLOCK, NULL), 0);
	head_off(&head);
	vsplit_bo_free(big);
}

/**
 * SUBTEST: split-around-a-picture
 * Description: A buffer is split around what is shown in the middle of video memory; the picture
 *   stays what it is, and where.
 */
static void test_split_around(void)
{
	const uint8_t vram[] = { 1, 0 };
	struct drm_vsplit_gem_info info, then;
	struct vsplit_bo *a[6], *low;
	uint32_t before;
	struct fb fb;

	setup_head();
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

static void *submits(void *ret)
{
	*(int *)ret = __vsplit_cs_submit(cs, ctx, 0);
	return NULL;
}

/**
 * SUBTEST: shown-before-it-leaves
 * Description: A buffer that has to be split is about to have another client's allocation leave
 *   when a head shows that: it stays, and the buffer is planned around it.
 */
static void test_shown_before(void)
{
	struct vsplit_bo *a;
	pthread_t thread;
	struct fb fbs[2];
	int ret;

	vsplit_require_sync_points();
	setup_head();
	for (int i = 0; i < 2; i++) {
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, memory_only);
		fb_noise(&fbs[i], i);
	}
	expect_all(&fbs[1]);
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
	vsplit_cs_wait(cs);
	vsplit_cs_reference(cs, 0);
	vsplit_cs_check(cs);
	igt_assert_eq(cs->portions, 2);
	igt_assert_eq(pinned(fbs[1].bo), 1);
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
	head_off(&head);
}

/**
 * SUBTEST: flips-under-pressure
 * Description: Pictures that do not fit into video memory together, and a GPU that wants all of
 *   it: every flip shows the right one.
 */
static void test_pressure(void)
{
	const uint8_t vram[] = { 1, 0 };
	struct vsplit_bo *a[4];
	struct fb fbs[6];
	uint32_t want[6];

	setup_head();
	for (int i = 0; i < 6; i++) {
		/* 256 KiB each: four fit */
		fb_new(&head, &fbs[i], HEAD_W * 8, HEAD_H * 2, DRM_FORMAT_XRGB8888, vram);
		fb_noise(&fbs[i], i);
		expect_all(&fbs[i]);
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

/* Until it is told that the adapter is gone. */
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

/* Until there is no file any more. */
static void *read_on(void *arg)
{
	char line[64];

	while (read(*(int *)arg, line, sizeof(line)) > 0)
		;
	return NULL;
}

/**
 * SUBTEST: unplug
 * Description: The adapter goes while two heads flip and one has its checksum read; nothing is
 *   left, but what a file holds that is closed later.
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
 * Description: A client is killed while it flips: nothing of it is left, and the next one can
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
	{ "heads", test_heads, "As many as the option says" },
	{ "modes", test_modes, "By the monitor's EDID" },
	{ "mode-valid", test_mode_valid, "Modes that cannot be" },
	{ "framebuffers", test_framebuffers, "What a head cannot read" },
	{ "flips", test_flips, "Events and exact vblanks" },
	{ "head-off-holds-nothing", test_off, "The module can be unloaded" },
	{ "flip-waits-for-the-gpu", test_flip_waits, "Fences of all kinds" },
	{ "flip-waits-for-paging", test_flip_pages, "Paged in for the flip" },
	{ "async-flips", test_async, "Without a vblank" },
	{ "async-flips-leave-nothing-behind", test_async_unread, "What is replaced is not read" },
	{ "looking", test_looking, "The picture in debugfs" },
	{ "looking-at-a-head-that-goes", test_looking_away, "Whole pictures, or none" },
	{ "checksums-that-are-not-read", test_checksums_unread, "Lost, silently" },
	{ "checksums", test_checksums, "Every frame has its own" },
	{ "formats", test_formats, "Shown and written back" },
	{ "tiled", test_tiled, "The tiled layout as a modifier" },
	{ "rotations", test_rotations, "Turned and reflected" },
	{ "blending", test_blending, "Blend modes, alpha, zpos" },
	{ "colors", test_colors, "Degamma, matrix, gamma" },
	{ "yuv", test_yuv, "NV12" },
	{ "cursor", test_cursor, "Above all" },
	{ "pinned-while-shown", test_pinned, "Pins" },
	{ "no-room", test_no_room, "-ENOSPC from the commit" },
	{ "no-room-for-both", test_no_room_for_both, "-ENOSPC for what fits by itself" },
	{ "split-around-a-picture", test_split_around, "An obstacle to the planner" },
	{ "shown-before-it-leaves", test_shown_before, "Pinned after it was chosen to leave" },
	{ "flips-under-pressure", test_pressure, "More than there is room for" },
	{ "unplug", test_unplug, "While heads flip" },
	{ "killed", test_killed, "While it flips" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
