// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit pictures
 * Description: The pictures of a head, pixel by pixel: reading them, checksums, formats, layouts,
 *   rotations, blending, colours, cursors; Documentation/display.rst.
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

IGT_TEST_DESCRIPTION("The pictures of a head, pixel by pixel: reading them, checksums, formats, "
		     "layouts, rotations, blending, colours, cursors; Documentation/display.rst.");

/* Vblanks that a head makes up for when it is late. */
#define VBLANKS_BEHIND 64u

static struct head head;
static struct pixel picture[PIXELS];

static const uint32_t formats[] = {
	DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_XBGR8888, DRM_FORMAT_ABGR8888,
	DRM_FORMAT_RGB565, DRM_FORMAT_XRGB1555, DRM_FORMAT_ARGB1555, DRM_FORMAT_XRGB2101010,
	DRM_FORMAT_XRGB16161616, DRM_FORMAT_ARGB16161616,
};

/* ---- looking, and checksums ------------------------------------------------ */

/**
 * SUBTEST: looking
 * Description: The picture in debugfs is the one that the head shows. A dark head has no picture.
 */
static void test_looking(void)
{
	static const char header[] = "P6\n64 48\n255\n";
	const unsigned int skip = sizeof(header) - 1;
	static uint8_t seen[3 * PIXELS + 64];
	struct fb fb, to;

	setup_head(&head);
	igt_require(geteuid() == 0);
	expect(look(seen, sizeof(seen)), -ENODEV);
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_new(&head, &to, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	for (unsigned int i = 0; i < 5; i++) {
		fb_noise(&fb, i);
		head_on(&head, &fb);
		/* Beside a writeback, and alone. */
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

/* Reads until there were enough pictures, each of one colour; ends the process. */
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
 * Description: Several processes read the picture again and again while modes change and the head
 *   goes dark. Each gets a whole picture, or an error that there is none.
 */
static void test_looking_away(void)
{
	pid_t children[3];
	struct fb fb;

	setup_head(&head);
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
 * Description: A reader that falls far behind loses the newest checksums, and the kernel does not
 *   complain.
 */
static void test_checksums_unread(void)
{
	drmVBlank vblank = {
		.request = { .type = DRM_VBLANK_RELATIVE, .sequence = 400 },
	};
	uint64_t last, frame;
	struct fb fb;
	int crc;

	setup_head(&head);
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	head.mode.clock = 80 * 60 * 300 / 1000;
	head_on(&head, &fb);
	crc = crc_open(&head);
	igt_assert_eq(drmWaitVBlank(head.fd, &vblank), 0);
	crc_next(crc, &last);
	/* DRM's ring has 128 entries. A machine that was stopped had no vblanks in that time. */
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
 * Description: Every frame has a checksum, which is that of the picture, even if many flips follow
 *   each other.
 */
static void test_checksums(void)
{
	uint32_t want[2], seen = 0;
	uint64_t frame, last = 0;
	struct fb fbs[2];
	int crc;

	setup_head(&head);
	for (int i = 0; i < 2; i++) {
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
		fb_noise(&fbs[i], 100 + i);
		get_picture(&fbs[i], picture);
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
			/* A machine that is stopped for a second loses vblanks. */
			igt_assert(!last || frame == last + 1 || frame > last + 64);
			last = frame;
			/* From the frame of the flip on, the picture is the new one. */
			igt_assert_eq_u32(value, want[(i + (frame >= event.sequence)) % 2]);
			seen++;
		} while (frame < event.sequence);
	}
	igt_assert_lte(20, seen);
	close(crc);
	head_off(&head);
}

/* ---- formats, layouts, rotations ------------------------------------------ */

/**
 * SUBTEST: formats
 * Description: Each format is shown and written back, in memory and in an aperture segment. All
 *   pixels are compared.
 */
static void test_formats(void)
{
	struct fb from, to;

	setup_head(&head);
	for (unsigned int i = 0; i < ARRAY_SIZE(formats); i++) {
		for (unsigned int j = 0; j < ARRAY_SIZE(formats); j++) {
			fb_new(&head, &from, HEAD_W, HEAD_H, formats[i],
			       i & 1 ? in_first : in_second);
			fb_new(&head, &to, HEAD_W, HEAD_H, formats[j],
			       j & 1 ? in_second : in_first);
			fb_noise(&from, i);
			head_on(&head, &from);
			igt_assert_eq(pinned(from.bo), i & 1 ? 1 : 2);
			/*
			 * The primary plane's alpha is ignored, because there is only black below.
			 */
			get_picture(&from, picture);
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
	/* Whole tiles: both framebuffers have that many rows. */
	vsplit_cs_copy_2d(cs, 0, 0, 1, 0, to->pitch, VSPLIT_TILE_HEIGHT,
			  VSPLIT_COPY_2D_DST_TILED);
	vsplit_cs_submit_and_wait(cs, vsplit_ctx(head.fd, 0), 0);
}

/**
 * SUBTEST: tiled
 * Description: The tiled layout as a modifier: each format but NV12, in memory and in an aperture
 *   segment, across tiles, scaled, and as the GPU writes it. Impossible framebuffers are refused.
 */
static void test_tiled(void)
{
	enum { W = 2 * HEAD_W, H = 160, X = 32, Y = 100 };
	struct fb fb, linear, bad;

	setup_head(&head);
	for (unsigned int i = 0; i < ARRAY_SIZE(formats); i++) {
		drmModeAtomicReqPtr req;

		fb_new_tiled(&head, &fb, W, H, formats[i], i & 1 ? in_first : in_second);
		fb_noise(&fb, i);
		head_on(&head, &fb);
		/* The nearest of two pixels across, and of 10/3 down. */
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
	get_picture(&linear, picture);
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

	setup_head(&head);
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
			get_picture(&below, picture);
			for (uint32_t sy = 0; sy < H; sy++) {
				for (uint32_t sx = 0; sx < W; sx++) {
					/*
					 * Reflect, then turn counter-clockwise, a quarter at a
					 * time.
					 */
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

/* ---- colours, and planes above each other ---------------------------------- */

/* Blends by the definitions, rounded to the nearest of 16 bits. */
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
 * Description: Each blend mode with several values of a plane's alpha, with two planes in both
 *   orders.
 */
static void test_blending(void)
{
	static const uint32_t blended[] = { DRM_FORMAT_ARGB8888, DRM_FORMAT_ARGB1555 };
	struct fb below, above[2], to;
	drmModeAtomicReqPtr req;

	setup_head(&head);
	fb_new(&head, &below, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_new(&head, &to, HEAD_W, HEAD_H, DRM_FORMAT_ARGB16161616, NULL);
	fb_noise(&below, 1);
	head_on(&head, &below);
	for (unsigned int i = 0; i < ARRAY_SIZE(blended); i++) {
		fb_new(&head, &above[i], HEAD_W, HEAD_H, blended[i], NULL);
		fb_noise(&above[i], 2);
		blend_all(&below, &above[i], &to);
	}

	/* The plane that was below hides the other. */
	req = drmModeAtomicAlloc();
	prop_set(req, head.fd, head.primary, "zpos", 1);
	prop_set(req, head.fd, head.overlay, "zpos", 0);
	shoot(&head, req, &to);
	get_picture(&below, picture);
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
	/* Red becomes green, green blue, blue red, and blue is halved first. */
	struct drm_color_ctm ctm = { .matrix = { [2] = 1ull << 31, [3] = 1ull << 32, [7] = 1ull << 32 } };
	drmModeAtomicReqPtr req;
	struct fb fb, to;

	setup_head(&head);
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
	get_picture(&fb, picture);
	for (unsigned int p = 0; p < PIXELS; p++) {
		struct pixel q = picture[p];

		/*
		 * The values hit entries of the first table exactly; the last table gives 65535 -
		 * x.
		 */
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
 * Description: NV12 with every encoding and range: white, black and grey come out as such, and
 *   primaries as the standard's matrix says.
 */
static void test_yuv(void)
{
	static const double colors[][3] = {
		{ 0, 0, 0 }, { 1, 1, 1 }, { .5, .5, .5 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 },
	};
	struct fb fb, to;

	setup_head(&head);
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

			/* 8 bits of Y'CbCr determine R'G'B' to about two steps. */
			igt_assert_f(abs(is - want) <= 3, "case %u: %06x\n", i, got);
		}
	}
	head_off(&head);
}

/**
 * SUBTEST: cursor
 * Description: A cursor is above all other planes, partly outside, and moves without a new picture
 *   of the rest.
 */
static void test_cursor(void)
{
	struct fb fb, cursor, to;

	setup_head(&head);
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_new(&head, &cursor, 16, 16, DRM_FORMAT_ARGB8888, NULL);
	fb_new(&head, &to, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, NULL);
	fb_noise(&fb, 3);
	fb_color(&cursor, 0xff00ff00);
	head_on(&head, &fb);
	for (int at = -20; at < (int)HEAD_W + 4; at += 12) {
		drmModeAtomicReqPtr req = drmModeAtomicAlloc();

		add_plane(req, &head, head.cursor, &cursor, at, at, 16, 16);
		get_picture(&fb, picture);
		for (int y = at; y < at + 16; y++)
			for (int x = at; x < at + 16; x++)
				if (x >= 0 && y >= 0 && x < (int)HEAD_W && y < (int)HEAD_H)
					picture[y * HEAD_W + x] = (struct pixel){ 65535, 0, 65535, 0 };
		shoot(&head, req, &to);
		check_picture(&to, picture);
	}
	/* By the legacy calls, which do not wait. */
	igt_assert_eq(drmModeSetCursor(head.fd, head.crtc, cursor.bo->handle, 16, 16), 0);
	for (int i = 0; i < 200; i++)
		igt_assert_eq(drmModeMoveCursor(head.fd, head.crtc, i % 40, 4), 0);
	get_picture(&fb, picture);
	for (int y = 4; y < 20; y++)
		for (int x = 39; x < 55; x++)
			picture[y * HEAD_W + x] = (struct pixel){ 65535, 0, 65535, 0 };
	igt_assert_eq_u32(crc_now(&head), crc_of(picture, PIXELS));
	head_off(&head);
}

static const struct vsplit_subtest tests[] = {
	{ "looking", test_looking,
	  "The picture in debugfs is the one that the head shows. A dark head has no picture." },
	{ "looking-at-a-head-that-goes", test_looking_away,
	  "Several processes read the picture again and again while modes change and the head goes "
	  "dark" },
	{ "checksums-that-are-not-read", test_checksums_unread,
	  "A reader that falls far behind loses the newest checksums, and the kernel does not "
	  "complain" },
	{ "checksums", test_checksums,
	  "Every frame has a checksum, which is that of the picture, even if many flips follow "
	  "each other" },
	{ "formats", test_formats,
	  "Each format is shown and written back, in memory and in an aperture segment. All pixels "
	  "are compared." },
	{ "tiled", test_tiled,
	  "Each format but NV12 is right in the tiled layout, in both kinds of segments, across "
	  "tiles, scaled, as the GPU writes" },
	{ "rotations", test_rotations,
	  "Each rotation with each reflection puts the pixels of an overlay where the definition "
	  "puts them" },
	{ "blending", test_blending,
	  "Each blend mode is right with several values of a plane's alpha, with two planes in "
	  "both orders" },
	{ "colors", test_colors,
	  "Degamma, matrix and gamma act in this order, and tables of another size are refused" },
	{ "yuv", test_yuv, "NV12 has the right colours with every encoding and range" },
	{ "cursor", test_cursor,
	  "A cursor is above all other planes, partly outside, and moves without a new picture of "
	  "the rest" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
