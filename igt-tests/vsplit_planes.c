// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit planes
 * Description: The pictures of planes, pixel by pixel: chroma, scaling, damage, the largest mode.
 *   Also the counters of a head, and each refused value with its error; Documentation/display.rst.
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
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("The pictures of planes, pixel by pixel: chroma, scaling, damage, the largest "
		     "mode.");

#ifndef DRM_CAP_ATOMIC_ASYNC_PAGE_FLIP
#define DRM_CAP_ATOMIC_ASYNC_PAGE_FLIP 0x15
#endif

/* The largest mode, in both directions. */
#define MAX_MODE 4096u
#define MAX_FB 8192u
#define ASYNC (DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT | DRM_MODE_PAGE_FLIP_ASYNC)

static struct head head;
static struct pixel picture[PIXELS];

static void fb_shot(struct fb *fb, uint32_t format)
{
	fb_new(&head, fb, HEAD_W, HEAD_H, format, NULL);
}

/* Sets one property, in a commit of its own. */
static int set_one(uint32_t object, const char *name, uint64_t value, uint32_t flags)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	prop_set(req, head.fd, object, name, value);
	return commit(&head, req, flags, NULL);
}

/* ---- pictures -------------------------------------------------------------- */

/* R', G' and B' of an NV12 pixel by the standard's definition, where 1 is 65535. */
static void yuv_reference(const struct fb *fb, uint32_t x, uint32_t y, unsigned int standard,
			  bool full, double rgb[3])
{
	const double kr = yuv_standards[standard].kr, kb = yuv_standards[standard].kb;
	const uint8_t *chroma = fb->bo->map + fb->chroma + y / 2 * fb->pitch + x / 2 * 2;
	double luma = fb->bo->map[y * fb->pitch + x], cb = chroma[0] - 128., cr = chroma[1] - 128.;

	luma = full ? luma / 255 : (luma - 16) / 219;
	cb /= full ? 255 : 224;
	cr /= full ? 255 : 224;
	rgb[0] = luma + 2 * (1 - kr) * cr;
	rgb[2] = luma + 2 * (1 - kb) * cb;
	rgb[1] = (luma - kr * rgb[0] - kb * rgb[2]) / (1 - kr - kb);
	for (int i = 0; i < 3; i++)
		rgb[i] = fmin(fmax(rgb[i], 0), 1) * 65535;
}

/*
 * Shows @fb from pixel (@off, @off) on, upright or turned by 180 degrees, and compares all of it.
 */
static void yuv_compare(const struct fb *fb, struct fb *to, unsigned int standard, bool full,
			uint32_t off, bool turn)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	add_plane(req, &head, head.primary, fb, 0, 0, HEAD_W, HEAD_H);
	prop_set(req, head.fd, head.primary, "SRC_X", off << 16);
	prop_set(req, head.fd, head.primary, "SRC_Y", off << 16);
	prop_set(req, head.fd, head.primary, "SRC_W", HEAD_W << 16);
	prop_set(req, head.fd, head.primary, "SRC_H", HEAD_H << 16);
	prop_set(req, head.fd, head.primary, "rotation",
		 turn ? DRM_MODE_ROTATE_180 : DRM_MODE_ROTATE_0);
	prop_set(req, head.fd, head.primary, "COLOR_ENCODING",
		 prop_enum(head.fd, head.primary, "COLOR_ENCODING", yuv_standards[standard].name));
	prop_set(req, head.fd, head.primary, "COLOR_RANGE",
		 prop_enum(head.fd, head.primary, "COLOR_RANGE",
			   full ? "YCbCr full range" : "YCbCr limited range"));
	shoot(&head, req, to);
	for (uint32_t at = 0; at < PIXELS; at++) {
		uint32_t from = turn ? PIXELS - 1 - at : at;
		struct pixel is = get_pixel(to, at % HEAD_W, at / HEAD_W);
		double want[3];

		yuv_reference(fb, from % HEAD_W + off, from / HEAD_W + off, standard, full, want);
		/* The driver's coefficients have 16 fractional bits: allow a few of 65535 steps. */
		igt_assert_f(fabs(is.r - want[0]) <= 4 && fabs(is.g - want[1]) <= 4 &&
			     fabs(is.b - want[2]) <= 4,
			     "%s, full %d, from %u, turned %d: pixel %u: %u %u %u, not %.0f %.0f %.0f\n",
			     yuv_standards[standard].name, full, off, turn, at, is.r, is.g, is.b,
			     want[0], want[1], want[2]);
	}
}

/**
 * SUBTEST: yuv-chroma
 * Description: NV12 with noise in luma and chroma, in each encoding and range, upright and upside
 *   down, from an even and from an odd pixel. Each pixel has the chroma of its square.
 */
static void test_yuv_chroma(void)
{
	struct fb below, fb, to;

	setup_head(&head);
	fb_shot(&below, DRM_FORMAT_XRGB8888);
	fb_shot(&to, DRM_FORMAT_XRGB16161616);
	fb_new(&head, &fb, HEAD_W + 2, HEAD_H + 2, DRM_FORMAT_NV12, NULL);
	fb_noise(&fb, 5);
	head_on(&head, &below);
	for (unsigned int i = 0; i < 8 * ARRAY_SIZE(yuv_standards); i++)
		yuv_compare(&fb, &to, i / 8, i & 1, i >> 1 & 1, i & 4);
	head_off(&head);
}

/* The pixel among @size that is nearest to the middle of pixel @i, if @n pixels show them. */
static uint32_t nearest(uint32_t i, uint32_t n, uint32_t size)
{
	return (2 * i + 1) * size / (2 * n);
}

/*
 * Draws into "picture" an overlay with all of @fb at @x, @y, with size @w by @h, upright or turned
 * by a quarter.
 */
static void draw_scaled(const struct fb *fb, int x, int y, uint32_t w, uint32_t h, uint64_t turn)
{
	for (uint32_t j = 0; j < h; j++) {
		for (uint32_t i = 0; i < w; i++) {
			int px = x + (int)i, py = y + (int)j;
			uint32_t u = nearest(i, w, fb->width), v = nearest(j, h, fb->height);

			if (turn == DRM_MODE_ROTATE_90) {
				/* Counter-clockwise: up on the head is to the right in memory. */
				u = fb->width - 1 - nearest(j, h, fb->width);
				v = nearest(i, w, fb->height);
			} else if (turn == DRM_MODE_ROTATE_270) {
				u = nearest(j, h, fb->width);
				v = fb->height - 1 - nearest(i, w, fb->height);
			}
			if (px >= 0 && py >= 0 && px < (int)HEAD_W && py < (int)HEAD_H)
				picture[py * HEAD_W + px] = get_pixel(fb, u, v);
		}
	}
}

static struct fb scaled_below, scaled_to;

/* Shows @fw by @fh pixels as @w by @h in the middle of the head, on @plane. */
static int try_scaled(uint32_t plane, uint32_t fw, uint32_t fh, uint32_t w, uint32_t h,
		      uint64_t turn)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	int x = ((int)HEAD_W - (int)w) / 2, y = ((int)HEAD_H - (int)h) / 2;
	struct fb fb;
	int ret;

	fb_new(&head, &fb, fw, fh, DRM_FORMAT_XRGB8888, NULL);
	fb_noise(&fb, fw * 64 + fh);
	add_plane(req, &head, plane, &fb, x, y, w, h);
	prop_set(req, head.fd, plane, "rotation", turn);
	ret = commit(&head, req, 0, NULL);
	get_picture(&scaled_below, picture);
	if (!ret) {
		if (plane == head.primary)
			memset(picture, 0, sizeof(picture));
		draw_scaled(&fb, x, y, w, h, turn);
	}
	/* Even after a refused commit the head shows what it showed before. */
	shoot(&head, NULL, &scaled_to);
	igt_info("%ux%u as %ux%u, rotation %" PRIx64 ": %d\n", fw, fh, w, h, turn, ret);
	check_picture(&scaled_to, picture);
	head_on(&head, &scaled_below);
	fb_free(&head, &fb);
	return ret;
}

/**
 * SUBTEST: scaling
 * Description: A plane is scaled up and down by each factor to 8, by factors in between, in one
 *   direction only, turned, and partly outside. All pixels are right. Larger factors are refused,
 *   and a cursor is not scaled.
 */
static void test_scaling(void)
{
	/*
	 * In these fractions the middle of no pixel is between two pixels, which would both be
	 * nearest.
	 */
	static const uint32_t sizes[][2][2] = {
		{ { 21, 13 }, { 50, 30 } }, { { 19, 11 }, { 61, 47 } }, { { 61, 47 }, { 19, 11 } },
		{ { 19, 47 }, { 61, 11 } },
	};

	setup_head(&head);
	fb_shot(&scaled_below, DRM_FORMAT_XRGB8888);
	fb_shot(&scaled_to, DRM_FORMAT_XRGB8888);
	fb_noise(&scaled_below, 1);
	head_on(&head, &scaled_below);
	for (uint32_t k = 1; k <= 8; k++) {
		for (int turned = 0; turned < 2; turned++) {
			uint32_t plane = turned ? head.primary : head.overlay;

			expect(try_scaled(plane, 8, 6, 8 * k, 6 * k, DRM_MODE_ROTATE_0), 0);
			expect(try_scaled(plane, 8 * k, 6 * k, 8, 6, DRM_MODE_ROTATE_0), 0);
		}
		expect(try_scaled(head.overlay, 8, 6, 8 * k, 6, DRM_MODE_ROTATE_0), 0);
		expect(try_scaled(head.overlay, 8, 6 * k, 8, 6, DRM_MODE_ROTATE_0), 0);
		expect(try_scaled(head.overlay, 8, 6, 6 * k, 8 * k, DRM_MODE_ROTATE_90), 0);
		expect(try_scaled(head.overlay, 8 * k, 6 * k, 6, 8, DRM_MODE_ROTATE_90), 0);
		expect(try_scaled(head.overlay, 8, 6, 6 * k, 8 * k, DRM_MODE_ROTATE_270), 0);
		/* Four pixels beyond each edge. */
		expect(try_scaled(head.overlay, 72 / k, 56 / k, 72 / k * k, 56 / k * k,
				  DRM_MODE_ROTATE_0), 0);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		expect(try_scaled(head.overlay, sizes[i][0][0], sizes[i][0][1], sizes[i][1][0],
				  sizes[i][1][1], DRM_MODE_ROTATE_0), 0);

	expect(try_scaled(head.overlay, 8, 6, 72, 54, DRM_MODE_ROTATE_0), -ERANGE);
	expect(try_scaled(head.primary, 8, 6, 72, 54, DRM_MODE_ROTATE_0), -ERANGE);
	expect(try_scaled(head.overlay, 72, 54, 8, 6, DRM_MODE_ROTATE_0), -ERANGE);
	expect(try_scaled(head.overlay, 8, 6, 65, 48, DRM_MODE_ROTATE_0), -ERANGE);
	expect(try_scaled(head.overlay, 8, 6, 64, 49, DRM_MODE_ROTATE_0), -ERANGE);
	expect(try_scaled(head.overlay, 65, 48, 8, 6, DRM_MODE_ROTATE_0), -ERANGE);
	expect(try_scaled(head.overlay, 64, 49, 8, 6, DRM_MODE_ROTATE_0), -ERANGE);
	/* The limits apply to the turned picture. */
	expect(try_scaled(head.overlay, 4, 32, 40, 4, DRM_MODE_ROTATE_0), -ERANGE);
	expect(try_scaled(head.overlay, 4, 32, 32, 4, DRM_MODE_ROTATE_90), 0);
	expect(try_scaled(head.cursor, 8, 6, 16, 12, DRM_MODE_ROTATE_0), -ERANGE);
	head_off(&head);
}

/* ---- damage ---------------------------------------------------------------- */

/* Commits damage: only @clips of the primary plane's framebuffer have changed. */
static int commit_damage(const struct drm_mode_rect *clips, size_t bytes)
{
	return set_one(head.primary, "FB_DAMAGE_CLIPS", prop_blob(&head, clips, bytes), 0);
}

static void check_shown(const struct fb *fb)
{
	get_picture(fb, picture);
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
}

/**
 * SUBTEST: damage
 * Description: Damage is accepted, and changes nothing: the whole framebuffer is shown, even if it
 *   changed outside of the clips. Malformed damage is refused.
 */
static void test_damage(void)
{
	static const struct drm_mode_rect good[] = {
		{ 0, 0, HEAD_W, HEAD_H }, { 5, 6, 7, 8 }, { 0, 0, 1, 1 },
		{ HEAD_W - 1, HEAD_H - 1, HEAD_W, HEAD_H },
	};
	static const struct drm_mode_rect bad[] = {
		{ 8, 8, 8, 9 }, { 8, 8, 9, 8 }, { 9, 8, 8, 9 }, { 8, 9, 9, 8 }, { -1, 0, 4, 4 },
		{ 0, -1, 4, 4 }, { INT_MIN, INT_MIN, INT_MAX, INT_MAX },
		{ 0, 0, INT_MAX, 4 }, { 0, 0, 4, INT_MAX }, { 0, 0, 0, 0 },
	};
	drmModeClip dirty = { 1, 1, 3, 3 };
	struct fb fb, next;

	setup_head(&head);
	fb_shot(&fb, DRM_FORMAT_XRGB8888);
	fb_shot(&next, DRM_FORMAT_XRGB8888);
	fb_noise(&fb, 0);
	head_on(&head, &fb);
	for (unsigned int i = 0; i < ARRAY_SIZE(good); i++) {
		fb_noise(&fb, i + 1);
		expect(commit_damage(&good[i], sizeof(good[i])), 0);
		check_shown(&fb);
	}
	fb_noise(&fb, 10);
	expect(commit_damage(good, sizeof(good)), 0);
	check_shown(&fb);
	fb_noise(&fb, 11);
	igt_assert_eq(drmModeDirtyFB(head.fd, fb.id, &dirty, 1), 0);
	check_shown(&fb);
	/* With another framebuffer, of which only one pixel is declared to differ. */
	for (int i = 0; i < 2; i++) {
		drmModeAtomicReqPtr req = drmModeAtomicAlloc();

		fb_noise(i ? &fb : &next, 20 + i);
		prop_set(req, head.fd, head.primary, "FB_ID", i ? fb.id : next.id);
		prop_set(req, head.fd, head.primary, "FB_DAMAGE_CLIPS",
			 prop_blob(&head, &good[2], sizeof(good[2])));
		expect(commit(&head, req, 0, NULL), 0);
		check_shown(i ? &fb : &next);
	}

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct drm_mode_rect both[] = { good[0], bad[i] };

		expect(commit_damage(&bad[i], sizeof(bad[i])), -EINVAL);
		expect(commit_damage(both, sizeof(both)), -EINVAL);
	}
	expect(commit_damage(good, sizeof(good[0]) - 1), -EINVAL);
	expect(commit_damage(good, sizeof(good[0]) + 1), -EINVAL);
	expect(commit_damage(good, 4), -EINVAL);
	expect(set_one(head.primary, "FB_DAMAGE_CLIPS", fb.id, 0), -EINVAL);
	expect(set_one(head.primary, "FB_DAMAGE_CLIPS", ~0ull, 0), -EINVAL);
	igt_assert(drmModeDirtyFB(head.fd, 0xffff, &dirty, 1) && errno == ENOENT);
	igt_assert(drmModeDirtyFB(head.fd, fb.id, NULL, 1) && errno == EINVAL);
	check_shown(&fb);
	head_off(&head);
}

/* ---- modes and figures ------------------------------------------------------ */

/* A mode of @w by @h, with @clock in kHz. */
static drmModeModeInfo make_mode(uint32_t w, uint32_t h, uint32_t clock)
{
	return (drmModeModeInfo){
		.clock = clock, .name = "user",
		.hdisplay = w, .hsync_start = w + 4, .hsync_end = w + 8, .htotal = w + 24,
		.vdisplay = h, .vsync_start = h + 4, .vsync_end = h + 8, .vtotal = h + 24,
	};
}

/* Sets the mode with @fb, whose size is an eighth of it in each direction. */
static int set_mode(drmModeModeInfo mode, const struct fb *fb)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	add_mode(req, &head, &mode);
	add_plane(req, &head, head.primary, fb, 0, 0, MAX_MODE, MAX_MODE);
	return commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
}

/**
 * SUBTEST: largest-mode
 * Description: 4096x4096 lights, and has the right picture. One pixel more, in either direction, is
 *   refused, and the head still shows what it showed.
 */
static void test_largest_mode(void)
{
	static uint32_t row[MAX_MODE];
	uint32_t want = 0;
	struct fb fb;

	setup_head(&head);
	/* Two bytes for each pixel, so that it fits into the segments. */
	fb_new(&head, &fb, MAX_MODE / 8, MAX_MODE / 8, DRM_FORMAT_RGB565, NULL);
	fb_noise(&fb, 4096);
	for (uint32_t y = 0; y < MAX_MODE; y++) {
		for (uint32_t x = 0; x < MAX_MODE && !(y % 8); x++)
			row[x] = pack_pixel(DRM_FORMAT_XRGB8888, get_pixel(&fb, x / 8, y / 8));
		want = crc_add(want, row, sizeof(row));
	}
	expect(set_mode(make_mode(MAX_MODE, MAX_MODE, 20000), &fb), 0);
	igt_assert_eq_u32(crc_now(&head), want);
	expect(set_mode(make_mode(MAX_MODE + 1, MAX_MODE, 20000), &fb), -EINVAL);
	expect(set_mode(make_mode(MAX_MODE, MAX_MODE + 1, 20000), &fb), -EINVAL);
	igt_assert_eq_u32(crc_now(&head), want);
	head_off(&head);
}

struct figures {
	unsigned long long composed, late, written;
	unsigned int lit, crc;
};

static struct figures figures(void)
{
	char path[64], text[256];
	unsigned int index;
	struct figures f;

	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%d/heads", ad->primary);
	expect(__vsplit_read_file(path, text, sizeof(text)), 0);
	igt_assert_eq(sscanf(text, "head %u lit %u crc %u composed %llu late %llu written %llu",
			     &index, &f.lit, &f.crc, &f.composed, &f.late, &f.written), 6);
	return f;
}

/**
 * SUBTEST: counters
 * Description: Pictures are composed and counted only if they are written back or their checksum is
 *   read, one for each writeback. Pictures that no machine can compose within a frame count as
 *   late.
 */
static void test_counters(void)
{
	struct figures before, now;
	struct fb fbs[2], to;
	int crc;

	setup_head(&head);
	for (int i = 0; i < 2; i++)
		fb_shot(&fbs[i], DRM_FORMAT_XRGB8888);
	fb_shot(&to, DRM_FORMAT_XRGB8888);
	now = figures();
	igt_assert(!now.lit && !now.crc && !now.composed && !now.late && !now.written);
	head_on(&head, &fbs[0]);
	for (int i = 0; i < 8; i++)
		expect(__head_flip(&head, &fbs[i % 2], 0, NULL), 0);
	now = figures();
	igt_assert(now.lit && !now.composed && !now.late && !now.written);
	for (unsigned int i = 1; i <= 10; i++) {
		shoot(&head, NULL, &to);
		/* The counter changes just after the fence is signalled. */
		igt_assert(vsplit_soon(figures().composed >= i));
		now = figures();
		igt_assert_eq_u64(now.composed, i);
		igt_assert_eq_u64(now.written, i);
	}
	before = now;
	crc = crc_open(&head);
	for (int i = 0; i < 4; i++)
		crc_next(crc, NULL);
	now = figures();
	igt_assert(now.crc);
	igt_assert(now.composed > before.composed);
	igt_assert_eq_u64(now.written, before.written);
	close(crc);
	head_off(&head);

	/* 16 million pixels in a 350th of a second. */
	fb_free(&head, &fbs[0]);
	fb_new(&head, &fbs[0], MAX_MODE / 8, MAX_MODE / 8, DRM_FORMAT_RGB565, NULL);
	expect(set_mode(make_mode(MAX_MODE, MAX_MODE, 5900000), &fbs[0]), 0);
	before = figures();
	crc = crc_open(&head);
	igt_assert(vsplit_soon(figures().late > before.late));
	igt_assert_eq_u64(figures().written, before.written);
	close(crc);
	head_off(&head);
	igt_assert(!figures().lit);
}

/* ---- asynchronous flips ------------------------------------------------------- */

/* Makes an asynchronous flip to @fb that also sets a property. */
static int flip_and_set(const struct fb *fb, uint32_t object, const char *name, uint64_t value,
			uint32_t flags)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	prop_set(req, head.fd, head.primary, "FB_ID", fb->id);
	prop_set(req, head.fd, object, name, value);
	return commit(&head, req, flags, NULL);
}

/**
 * SUBTEST: async-flips-atomic
 * Description: A commit with DRM_MODE_PAGE_FLIP_ASYNC waits for no vblank. It may change the
 *   primary plane's framebuffer, and nothing else.
 */
static void test_async_atomic(void)
{
	struct drm_event_vblank events[8];
	struct drm_color_lut lut[256] = {};
	bool between = false;
	struct fb fbs[2];
	uint64_t cap = 0;

	setup_head(&head);
	igt_require_f(!drmGetCap(head.fd, DRM_CAP_ATOMIC_ASYNC_PAGE_FLIP, &cap),
		      "a kernel without asynchronous flips in atomic commits\n");
	igt_assert_eq_u64(cap, 1);
	for (int i = 0; i < 2; i++) {
		fb_shot(&fbs[i], DRM_FORMAT_XRGB8888);
		fb_noise(&fbs[i], i);
	}
	head.mode.clock = 5;	/* about one frame in a second */
	head_on(&head, &fbs[0]);
	for (unsigned int i = 0; i < 8; i++) {
		expect(__head_flip(&head, &fbs[(i + 1) % 2], ASYNC, &fbs[i % 2]), 0);
		events[i] = next_event(&head);
		igt_assert_eq(events[i].base.type, DRM_EVENT_FLIP_COMPLETE);
		igt_assert(events[i].user_data == (uintptr_t)&fbs[i % 2]);
		between |= i && events[i].sequence == events[i - 1].sequence;
	}
	igt_assert(between);
	check_shown(&fbs[0]);
	/* Properties that keep their value may be in the commit. */
	expect(flip_and_set(&fbs[1], head.primary, "SRC_W", HEAD_W << 16, ASYNC), 0);
	next_event(&head);
	expect(flip_and_set(&fbs[0], head.crtc, "ACTIVE", 1, ASYNC), 0);
	next_event(&head);
	expect(flip_and_set(&fbs[1], head.primary, "SRC_W", HEAD_W << 16,
			    DRM_MODE_PAGE_FLIP_ASYNC | DRM_MODE_ATOMIC_TEST_ONLY), 0);

	expect(flip_and_set(&fbs[1], head.primary, "SRC_W", (HEAD_W - 1) << 16, ASYNC), -EINVAL);
	expect(flip_and_set(&fbs[1], head.primary, "CRTC_X", 1, ASYNC), -EINVAL);
	expect(flip_and_set(&fbs[1], head.primary, "CRTC_ID", 0, ASYNC), -EINVAL);
	expect(flip_and_set(&fbs[1], head.primary, "rotation", DRM_MODE_ROTATE_180, ASYNC),
	       -EINVAL);
	expect(flip_and_set(&fbs[1], head.primary, "alpha", 0x8000, ASYNC), -EINVAL);
	expect(flip_and_set(&fbs[1], head.primary, "zpos", 1, ASYNC), -EINVAL);
	expect(flip_and_set(&fbs[1], head.overlay, "FB_ID", fbs[0].id, ASYNC), -EINVAL);
	expect(flip_and_set(&fbs[1], head.cursor, "CRTC_X", 3, ASYNC), -EINVAL);
	expect(flip_and_set(&fbs[1], head.crtc, "ACTIVE", 0, ASYNC), -EINVAL);
	expect(flip_and_set(&fbs[1], head.crtc, "GAMMA_LUT", prop_blob(&head, lut, sizeof(lut)),
			    ASYNC), -EINVAL);
	expect(flip_and_set(&fbs[1], head.connector, "CRTC_ID", 0, ASYNC), -EINVAL);
	expect(flip_and_set(&fbs[1], head.writeback, "WRITEBACK_FB_ID", fbs[0].id, ASYNC), -EINVAL);
	check_shown(&fbs[0]);
	head_off(&head);
}

/* ---- what is refused ------------------------------------------------------- */

/* Values that stand for invalid handles in ADDFB2: of another file, and a closed one. */
enum { FOREIGN = 0xf0000001, CLOSED };

/* Valid framebuffers: XRGB8888, tiled, NV12. */
enum base { PLAIN, TILED, NV12, NR_BASES };

#define FIELD(_name) offsetof(struct drm_mode_fb_cmd2, _name), \
	sizeof(((struct drm_mode_fb_cmd2 *)0)->_name)

/* A field of a valid framebuffer, with a wrong value. */
static const struct bad_field {
	enum base base;
	size_t at, size;
	uint64_t value;
	int error;
} bad_fields[] = {
	{ PLAIN, FIELD(width), 0, -EINVAL },
	{ PLAIN, FIELD(width), HEAD_W + 1, -EINVAL },
	{ PLAIN, FIELD(width), MAX_FB + 1, -EINVAL },
	{ PLAIN, FIELD(width), UINT_MAX, -EINVAL },
	{ PLAIN, FIELD(height), 0, -EINVAL },
	{ PLAIN, FIELD(height), MAX_FB, -EINVAL },
	{ PLAIN, FIELD(height), MAX_FB + 1, -EINVAL },
	{ PLAIN, FIELD(height), UINT_MAX, -EINVAL },
	{ PLAIN, FIELD(pixel_format), 0, -EINVAL },
	{ PLAIN, FIELD(pixel_format), DRM_FORMAT_RGB888, -EINVAL },
	{ PLAIN, FIELD(pixel_format), DRM_FORMAT_YUYV, -EINVAL },
	{ PLAIN, FIELD(pixel_format), DRM_FORMAT_NV12, -EINVAL },
	{ PLAIN, FIELD(pixel_format), DRM_FORMAT_XRGB8888 | DRM_FORMAT_BIG_ENDIAN, -EINVAL },
	{ PLAIN, FIELD(pixel_format), UINT_MAX, -EINVAL },
	{ PLAIN, FIELD(flags), 1 << 2, -EINVAL },
	{ PLAIN, FIELD(flags), 1u << 31, -EINVAL },
	{ PLAIN, FIELD(handles[0]), 0, -EINVAL },
	{ PLAIN, FIELD(handles[0]), FOREIGN, -ENOENT },
	{ PLAIN, FIELD(handles[0]), CLOSED, -ENOENT },
	{ PLAIN, FIELD(handles[0]), UINT_MAX, -ENOENT },
	{ PLAIN, FIELD(pitches[0]), 0, -EINVAL },
	{ PLAIN, FIELD(pitches[0]), HEAD_W * 4 - 4, -EINVAL },
	{ PLAIN, FIELD(pitches[0]), HEAD_W * 4 + 2, -EINVAL },
	{ PLAIN, FIELD(pitches[0]), 1 << 20, -EINVAL },
	{ PLAIN, FIELD(pitches[0]), UINT_MAX - 3, -ERANGE },
	{ PLAIN, FIELD(offsets[0]), 2, -EINVAL },
	{ PLAIN, FIELD(offsets[0]), 1 << 20, -EINVAL },
	{ PLAIN, FIELD(offsets[0]), UINT_MAX - 3, -ERANGE },
	{ PLAIN, FIELD(modifier[0]), DRM_FORMAT_MOD_VSPLIT_TILED, -EINVAL },
	{ PLAIN, FIELD(modifier[1]), DRM_FORMAT_MOD_VSPLIT_TILED, -EINVAL },
	{ TILED, FIELD(modifier[0]), DRM_FORMAT_MOD_INVALID, -EINVAL },
	{ TILED, FIELD(modifier[0]), DRM_FORMAT_MOD_SAMSUNG_64_32_TILE, -EINVAL },
	{ TILED, FIELD(modifier[0]), DRM_FORMAT_MOD_VSPLIT_TILED + 1, -EINVAL },
	{ TILED, FIELD(modifier[1]), DRM_FORMAT_MOD_VSPLIT_TILED, -EINVAL },
	{ TILED, FIELD(handles[1]), 1, -EINVAL },
	{ TILED, FIELD(pitches[3]), 64, -EINVAL },
	{ TILED, FIELD(offsets[2]), 4096, -EINVAL },
	{ TILED, FIELD(offsets[0]), 64, -EINVAL },
	{ TILED, FIELD(offsets[0]), 1 << 20, -EINVAL },
	{ TILED, FIELD(pitches[0]), 320, -EINVAL },
	{ TILED, FIELD(height), MAX_FB, -EINVAL },
	{ NV12, FIELD(handles[1]), 0, -EINVAL },
	{ NV12, FIELD(handles[1]), FOREIGN, -ENOENT },
	{ NV12, FIELD(handles[1]), CLOSED, -ENOENT },
	{ NV12, FIELD(pitches[1]), HEAD_W - 2, -EINVAL },
	{ NV12, FIELD(pitches[1]), HEAD_W + 1, -EINVAL },
	{ NV12, FIELD(offsets[1]), HEAD_W * HEAD_H + 1, -EINVAL },
	{ NV12, FIELD(offsets[1]), 1 << 20, -EINVAL },
	{ NV12, FIELD(offsets[1]), UINT_MAX - 1, -ERANGE },
	{ NV12, FIELD(modifier[1]), DRM_FORMAT_MOD_VSPLIT_TILED, -EINVAL },
};

static void base_init(struct drm_mode_fb_cmd2 *cmd, enum base base, const struct fb *fb)
{
	*cmd = (struct drm_mode_fb_cmd2){
		.width = fb->width, .height = fb->height, .pixel_format = fb->format,
		.flags = base == TILED ? DRM_MODE_FB_MODIFIERS : 0,
		.handles = { fb->bo->handle, base == NV12 ? fb->bo->handle : 0 },
		.pitches = { fb->pitch, base == NV12 ? fb->pitch : 0 },
		.offsets = { 0, fb->chroma },
		.modifier = { base == TILED ? DRM_FORMAT_MOD_VSPLIT_TILED : 0 },
	};
}

static int add_fb(const struct fb *fb, const struct bad_field *bad, const uint32_t *handles)
{
	struct drm_mode_fb_cmd2 cmd;
	uint64_t value = bad->value;
	int ret;

	base_init(&cmd, bad->base, fb);
	if (bad->size == 4 && (value == FOREIGN || value == CLOSED))
		value = handles[value - FOREIGN];
	memcpy((char *)&cmd + bad->at, &value, bad->size);
	ret = __vsplit_ioctl(head.fd, DRM_IOCTL_MODE_ADDFB2, &cmd);
	igt_assert(ret || !drmModeRmFB(head.fd, cmd.fb_id));
	return ret;
}

static void refuse_framebuffers(void)
{
	int other = vsplit_adapter_open_primary(ad);
	struct fb fbs[NR_BASES];
	struct vsplit_bo *bo;
	uint32_t handles[2];

	fb_shot(&fbs[PLAIN], DRM_FORMAT_XRGB8888);
	fb_new_tiled(&head, &fbs[TILED], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_shot(&fbs[NV12], DRM_FORMAT_NV12);
	/* The other file's handle is larger than any that this file ever had, as it makes many. */
	for (unsigned int i = 0; i < 64; i++)
		handles[0] = vsplit_bo(other, 'O', 4096)->handle;
	bo = vsplit_bo(head.fd, 'C', 1 << 16);
	handles[1] = bo->handle;
	vsplit_bo_free(bo);
	igt_assert(handles[1] < handles[0]);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad_fields); i++) {
		const struct bad_field *bad = &bad_fields[i];
		const struct fb *fb = &fbs[bad->base];
		/* Only this field is wrong: with the right value the framebuffer is valid. */
		struct bad_field good = *bad;
		struct drm_mode_fb_cmd2 cmd;
		int ret;

		base_init(&cmd, bad->base, fb);
		good.value = 0;
		memcpy(&good.value, (char *)&cmd + bad->at, bad->size);
		expect(add_fb(fb, &good, handles), 0);
		ret = add_fb(fb, bad, handles);
		igt_assert_f(ret == bad->error, "row %u, byte %zu = %#" PRIx64 ": %d, expected %d\n", i,
			     bad->at, bad->value, ret, bad->error);
	}
}

/* "head" is the first of two heads. Lights its primary plane, and an overlay in its corner. */
static void light_both_planes(struct fb *below, struct fb *above)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	fb_shot(below, DRM_FORMAT_XRGB8888);
	fb_new(&head, above, 16, 12, DRM_FORMAT_ARGB8888, NULL);
	fb_noise(below, 1);
	fb_noise(above, 2);
	head_on(&head, below);
	add_plane(req, &head, head.overlay, above, 5, 7, 16, 12);
	expect(commit(&head, req, 0, NULL), 0);
}

/* A file descriptor that is no fence, or that was closed. */
static int no_fence(unsigned int kind)
{
	int file = kind == 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) :
		   kind == 1 ? eventfd(0, EFD_CLOEXEC) : dup(head.fd);

	igt_assert_lte(0, file);
	if (kind == 3)
		close(file);
	return file;
}

struct bad_value {
	uint32_t object;
	const char *name;
	uint64_t value;
	int error;
};

/*
 * @to: a framebuffer of the picture's size for a writeback connector, if it needs one; else NULL.
 */
static void refuse_values(const struct bad_value *bad, unsigned int n, const struct fb *to)
{
	uint32_t shown = crc_now(&head);

	for (unsigned int i = 0; i < n; i++) {
		drmModeAtomicReqPtr req = drmModeAtomicAlloc();
		int ret;

		if (bad[i].object == head.writeback) {
			prop_set(req, head.fd, head.writeback, "CRTC_ID", head.crtc);
			if (to)
				prop_set(req, head.fd, head.writeback, "WRITEBACK_FB_ID", to->id);
		}
		prop_set(req, head.fd, bad[i].object, bad[i].name, bad[i].value);
		ret = commit(&head, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
		igt_assert_f(ret == bad[i].error, "row %u, %s = %#" PRIx64 ": %d, expected %d\n", i,
			     bad[i].name, bad[i].value, ret, bad[i].error);
		igt_assert_eq_u32(crc_now(&head), shown);
	}
}

static void refuse_planes(const struct head *second, const struct fb *below)
{
	struct fb tiled, yuv;

	fb_new_tiled(&head, &tiled, 16, 12, DRM_FORMAT_ARGB8888, NULL);
	fb_new(&head, &yuv, 16, 12, DRM_FORMAT_NV12, NULL);
	const struct bad_value bad[] = {
		{ head.primary, "FB_ID", 0, -EINVAL },
		{ head.primary, "FB_ID", head.primary, -EINVAL },
		{ head.primary, "FB_ID", 0xffffff, -EINVAL },
		{ head.primary, "CRTC_ID", 0, -EINVAL },
		{ head.primary, "CRTC_ID", head.connector, -EINVAL },
		{ head.primary, "CRTC_ID", second->crtc, -EINVAL },
		{ head.primary, "SRC_X", 1, -ENOSPC },
		{ head.primary, "SRC_Y", 1, -ENOSPC },
		{ head.primary, "SRC_X", UINT_MAX, -ENOSPC },
		{ head.primary, "SRC_X", 1ull << 32, -EINVAL },
		{ head.primary, "SRC_W", (HEAD_W << 16) + 1, -ENOSPC },
		{ head.primary, "SRC_H", (HEAD_H << 16) + 1, -ENOSPC },
		{ head.primary, "SRC_W", UINT_MAX, -ENOSPC },
		{ head.primary, "SRC_W", 1ull << 32, -EINVAL },
		{ head.primary, "SRC_W", 0, -ERANGE },
		{ head.primary, "SRC_H", 0, -ERANGE },
		{ head.primary, "SRC_W", (HEAD_W << 16) / 8 - 1, -ERANGE },
		{ head.primary, "SRC_H", (HEAD_H << 16) / 8 - 1, -ERANGE },
		{ head.overlay, "CRTC_W", 16 * 8 + 1, -ERANGE },
		{ head.overlay, "CRTC_W", 1, -ERANGE },
		{ head.overlay, "CRTC_H", 12 * 8 + 1, -ERANGE },
		{ head.overlay, "CRTC_H", 1, -ERANGE },
		{ head.overlay, "CRTC_W", INT_MAX, -ERANGE },
		{ head.overlay, "CRTC_W", 1ull << 31, -EINVAL },
		{ head.overlay, "CRTC_X", INT_MAX, -ERANGE },
		{ head.overlay, "CRTC_X", INT_MAX - 15, -ERANGE },
		{ head.overlay, "CRTC_Y", INT_MAX, -ERANGE },
		{ head.overlay, "CRTC_X", 1ull << 31, -EINVAL },
		{ head.overlay, "CRTC_X", INT_MIN - 1ll, -EINVAL },
		{ head.overlay, "rotation", 0, -EINVAL },
		{ head.overlay, "rotation", DRM_MODE_REFLECT_X, -EINVAL },
		{ head.overlay, "rotation", DRM_MODE_ROTATE_0 | DRM_MODE_ROTATE_90, -EINVAL },
		{ head.overlay, "rotation", DRM_MODE_ROTATE_MASK, -EINVAL },
		{ head.overlay, "rotation", DRM_MODE_ROTATE_0 | 1 << 6, -EINVAL },
		{ head.overlay, "rotation", ~0ull, -EINVAL },
		{ head.overlay, "zpos", 3, -EINVAL },
		{ head.primary, "zpos", 3, -EINVAL },
		{ head.primary, "zpos", ~0ull, -EINVAL },
		{ head.cursor, "zpos", 0, -EINVAL },
		{ head.overlay, "alpha", 0x10000, -EINVAL },
		{ head.overlay, "pixel blend mode", 3, -EINVAL },
		{ head.overlay, "COLOR_ENCODING", 3, -EINVAL },
		{ head.overlay, "COLOR_RANGE", 2, -EINVAL },
		{ head.overlay, "type", DRM_PLANE_TYPE_PRIMARY, -EINVAL },
		{ head.overlay, "IN_FORMATS", 0, -EINVAL },
		{ head.overlay, "IN_FENCE_FD", no_fence(0), -EINVAL },
		{ head.overlay, "IN_FENCE_FD", no_fence(1), -EINVAL },
		{ head.overlay, "IN_FENCE_FD", no_fence(2), -EINVAL },
		{ head.overlay, "IN_FENCE_FD", no_fence(3), -EINVAL },
		{ head.overlay, "IN_FENCE_FD", -2ll, -EINVAL },
		{ head.overlay, "IN_FENCE_FD", 1ull << 31, -EINVAL },
		{ head.overlay, "CRTC_ID", 0, -EINVAL },
	};

	refuse_values(bad, ARRAY_SIZE(bad), NULL);

	/* A cursor supports neither tiles nor Y'CbCr, and only one opaque format. */
	for (int i = 0; i < 3; i++) {
		const struct fb *fb = i == 0 ? &tiled : i == 1 ? &yuv : below;
		drmModeAtomicReqPtr req = drmModeAtomicAlloc();

		add_plane(req, &head, head.cursor, fb, 0, 0, fb->width, fb->height);
		expect(commit(&head, req, DRM_MODE_ATOMIC_TEST_ONLY, NULL), i < 2 ? -EINVAL : 0);
	}
}

static void refuse_crtc(const struct head *second)
{
	static const struct drm_color_lut lut[257];
	static const struct drm_color_ctm ctm[2];

	const struct bad_value bad[] = {
		{ head.crtc, "ACTIVE", 2, -EINVAL },
		{ head.crtc, "ACTIVE", ~0ull, -EINVAL },
		{ head.crtc, "MODE_ID", 0, -EINVAL },
		{ head.crtc, "MODE_ID", head.crtc, -EINVAL },
		{ head.crtc, "MODE_ID", prop_blob(&head, lut, sizeof(head.mode) - 1), -EINVAL },
		{ head.crtc, "MODE_ID", prop_blob(&head, lut, sizeof(head.mode)), -EINVAL },
		{ head.crtc, "GAMMA_LUT", prop_blob(&head, lut, 255 * sizeof(*lut)), -EINVAL },
		{ head.crtc, "GAMMA_LUT", prop_blob(&head, lut, 257 * sizeof(*lut)), -EINVAL },
		{ head.crtc, "GAMMA_LUT", prop_blob(&head, lut, 256 * sizeof(*lut) - 1), -EINVAL },
		{ head.crtc, "GAMMA_LUT", prop_blob(&head, lut, 1), -EINVAL },
		{ head.crtc, "GAMMA_LUT", head.crtc, -EINVAL },
		{ head.crtc, "DEGAMMA_LUT", prop_blob(&head, lut, 255 * sizeof(*lut)), -EINVAL },
		{ head.crtc, "DEGAMMA_LUT", prop_blob(&head, lut, 257 * sizeof(*lut)), -EINVAL },
		{ head.crtc, "DEGAMMA_LUT", prop_blob(&head, lut, sizeof(*lut)), -EINVAL },
		{ head.crtc, "GAMMA_LUT_SIZE", 512, -EINVAL },
		{ head.crtc, "CTM", prop_blob(&head, ctm, sizeof(*ctm) - 1), -EINVAL },
		{ head.crtc, "CTM", prop_blob(&head, ctm, sizeof(*ctm) + 8), -EINVAL },
		{ head.crtc, "CTM", prop_blob(&head, ctm, sizeof(ctm)), -EINVAL },
		{ head.crtc, "CTM", 0xffffff, -EINVAL },
		{ head.crtc, "OUT_FENCE_PTR", 8, -EFAULT },
		{ head.crtc, "OUT_FENCE_PTR", 1ull << 63, -EFAULT },
		{ head.connector, "CRTC_ID", 0, -EINVAL },
		{ head.connector, "CRTC_ID", head.primary, -EINVAL },
		{ head.connector, "CRTC_ID", second->crtc, -EINVAL },
		{ head.connector, "EDID", 0, -EINVAL },
	};

	refuse_values(bad, ARRAY_SIZE(bad), NULL);
}

static void refuse_writeback(const struct head *second)
{
	struct fb to, wide, high, tiled, yuv;

	fb_shot(&to, DRM_FORMAT_XRGB8888);
	fb_shot(&yuv, DRM_FORMAT_NV12);
	fb_new(&head, &wide, HEAD_W + 1, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_new(&head, &high, HEAD_W, HEAD_H - 1, DRM_FORMAT_XRGB8888, NULL);
	fb_new_tiled(&head, &tiled, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	const struct bad_value bad[] = {
		{ head.writeback, "WRITEBACK_FB_ID", wide.id, -EINVAL },
		{ head.writeback, "WRITEBACK_FB_ID", high.id, -EINVAL },
		{ head.writeback, "WRITEBACK_FB_ID", tiled.id, -EINVAL },
		{ head.writeback, "WRITEBACK_FB_ID", yuv.id, -EINVAL },
		{ head.writeback, "WRITEBACK_FB_ID", head.crtc, -EINVAL },
		{ head.writeback, "CRTC_ID", second->crtc, -EINVAL },
		{ head.writeback, "CRTC_ID", 0, -EINVAL },
		{ head.writeback, "WRITEBACK_OUT_FENCE_PTR", 8, -EFAULT },
		{ head.writeback, "WRITEBACK_PIXEL_FORMATS", 0, -EINVAL },
	};
	const struct fb none = {};
	static int fence;
	const struct bad_value alone = {
		head.writeback, "WRITEBACK_OUT_FENCE_PTR", (uintptr_t)&fence, -EINVAL
	};

	refuse_values(bad, ARRAY_SIZE(bad), &to);
	/* A fence without a picture that is written. */
	refuse_values(&alone, 1, &none);
}

static void refuse_calls(const struct fb *below)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	expect(__head_flip(&head, below, 1u << 31, NULL), -EINVAL);
	expect(__head_flip(&head, below, DRM_MODE_ATOMIC_TEST_ONLY | DRM_MODE_PAGE_FLIP_EVENT,
			   NULL), -EINVAL);
	/* A modeset without the flag that allows it. */
	expect(set_one(head.crtc, "ACTIVE", 0, 0), -EINVAL);
	/* A property of another object, and an object that does not exist. */
	igt_assert_lte(0, drmModeAtomicAddProperty(req, head.crtc, head.flip, below->id));
	expect(commit(&head, req, 0, NULL), -ENOENT);
	req = drmModeAtomicAlloc();
	igt_assert_lte(0, drmModeAtomicAddProperty(req, 0xffffff, head.flip, below->id));
	expect(commit(&head, req, 0, NULL), -ENOENT);
}

/**
 * SUBTEST: refused
 * Description: Each field of a framebuffer, and each property of planes, CRTCs and connectors, is
 *   set to invalid values. Each value gives its error, and the picture does not change.
 */
static void test_refused(void)
{
	struct fb below, above;
	struct head second;
	uint32_t shown;

	setup_heads(2);
	head_open(&head, 0);
	head_open(&second, 1);
	light_both_planes(&below, &above);
	shown = crc_now(&head);
	refuse_framebuffers();
	refuse_planes(&second, &below);
	refuse_crtc(&second);
	refuse_writeback(&second);
	refuse_calls(&below);
	igt_assert_eq_u32(crc_now(&head), shown);
	head_off(&head);
}

static const struct vsplit_subtest tests[] = {
	{ "yuv-chroma", test_yuv_chroma,
	  "NV12 with noise is right in each encoding and range, upright and upside down, from an "
	  "even and an odd pixel" },
	{ "scaling", test_scaling,
	  "A plane is scaled up and down by each factor to 8, by factors in between, in one "
	  "direction only, turned, and partly outside" },
	{ "damage", test_damage,
	  "Damage is accepted, and changes nothing: the whole framebuffer is shown, even if it "
	  "changed outside of the clips. Malformed damage is refused." },
	{ "largest-mode", test_largest_mode,
	  "4096x4096 lights, and has the right picture. One pixel more, in either direction, is "
	  "refused, and the head still shows what it showed." },
	{ "counters", test_counters,
	  "Pictures are composed and counted only if they are written back or their checksum is "
	  "read, one for each writeback" },
	{ "async-flips-atomic", test_async_atomic,
	  "An asynchronous atomic commit waits for no vblank, and may change only the primary "
	  "plane's framebuffer" },
	{ "refused", test_refused,
	  "Each invalid value of a framebuffer's field or of a property gives its error, and the "
	  "picture does not change" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
