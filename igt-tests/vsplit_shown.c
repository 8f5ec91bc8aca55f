// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit shown
 * Description: Where pictures are while heads show them: pins, room, and buffers that are split
 *   around them; Documentation/display.rst, "Where a picture is".
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
#include <pthread.h>

IGT_TEST_DESCRIPTION("Where pictures are while heads show them: pins, room, and buffers that are "
		     "split around them; Documentation/display.rst, \"Where a picture is\".");

static struct head head;
static struct pixel picture[PIXELS];

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
	static const uint8_t elsewhere[] = { 2, 3, 0 };
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
	fb_new(&head, &fbs[0], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, in_first);
	fb_new(&head, &fbs[1], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, in_second);
	fb_new(&head, &fbs[2], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, elsewhere);
	fb_noise(&fbs[0], 1);
	low = vsplit_bo_in(fd, 'L', 65536, VSPLIT_GEM_PINNED | VSPLIT_GEM_CPU_ACCESS, in_first);
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
	struct vsplit_bo *big;
	uint32_t before;
	struct fb fbs[2];

	setup_head(&head);
	fb_new(&head, &fbs[0], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, in_first);
	fb_new(&head, &fbs[1], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, in_first);
	fb_noise(&fbs[0], 9);
	head_on(&head, &fbs[0]);
	before = crc_now(&head);
	big = vsplit_bo_in(fd, 'P', (1 << 20) - fbs[0].bo->size, VSPLIT_GEM_PINNED, in_first);
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

	for (unsigned int round = 0; round < 3; round++) {
		struct fb shown, fb, other, *above = round == 2 ? &other : NULL;
		struct vsplit_bo *bo;

		setup_opts(&opts);
		head_open(&head, 0);
		bo = vsplit_bo_in(fd, 'P', round == 2 ? 8192 : 16384,
				  VSPLIT_GEM_PINNED | VSPLIT_GEM_CPU_ACCESS, in_first);
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
	struct fb large, one, other;

	setup_opts(&opts);
	head_open(&head, 0);
	fb_new(&head, &large, HEAD_W, 80, DRM_FORMAT_XRGB8888, in_second);
	fb_new(&head, &one, HEAD_W, 32, DRM_FORMAT_XRGB8888, in_second);
	fb_new(&head, &other, HEAD_W, 32, DRM_FORMAT_XRGB8888, in_second);
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
	struct vsplit_bo *low, *bo;
	struct fb fb, other;
	uint64_t passes;

	vsplit_require_sync_points();
	setup_opts(&opts);
	head_open(&head, 0);
	low = vsplit_bo_in(fd, 'L', 8192, flags, in_first);
	bo = vsplit_bo_in(fd, 'P', 4096, flags, in_first);
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
	struct vsplit_bo *big;
	uint64_t size, left;
	struct fb fbs[3];

	setup_head(&head);
	for (unsigned int i = 0; i < 3; i++)
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, in_first);
	size = fbs[0].bo->size;
	left = (1 << 20) - 2 * size;
	head_on(&head, &fbs[0]);
	big = vsplit_bo_in(fd, 'P', left, VSPLIT_GEM_PINNED, in_first);
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
	struct drm_vsplit_gem_info info, then;
	struct vsplit_bo *a[6], *low;
	uint32_t before;
	struct fb fb;

	setup_head(&head);
	low = vsplit_bo_in(head.fd, 'L', 512 << 10, 0, in_first);
	ctx = vsplit_ctx(head.fd, 0);
	cs = vsplit_cs(head.fd);
	vsplit_cs_bind(cs, 0, low);
	vsplit_cs_set(cs, 0, 0, 64, 1);
	vsplit_cs_run(cs, ctx, 0);
	vsplit_cs_reset(cs);
	fb_new(&head, &fb, HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, in_first);
	fb_noise(&fb, 9);
	head_on(&head, &fb);
	before = crc_now(&head);
	vsplit_info(fb.bo, &info);
	igt_assert_eq_u64(info.offset, 512 << 10);
	vsplit_bo_free(low);
	for (int i = 0; i < 6; i++) {
		a[i] = vsplit_bo_in(head.fd, 'A' + i, 300 << 10, 0, in_first);
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
		fb_new(&head, &fbs[i], HEAD_W, HEAD_H, DRM_FORMAT_XRGB8888, in_first);
		fb_noise(&fbs[i], i);
	}
	get_picture(&fbs[1], picture);
	head_on(&head, &fbs[0]);
	vsplit_escape(head.fd, VSPLIT_ESCAPE_PAGE_IN, fbs[1].bo->handle, 1);
	for (int i = 0; i < 2; i++) {
		a = vsplit_bo_in(fd, 'A' + i, 900 << 10, 0, in_first);
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
	struct vsplit_bo *a[4];
	struct fb fbs[6];
	uint32_t want[6];

	setup_head(&head);
	for (int i = 0; i < 6; i++) {
		/* 256 KiB each: four fit. */
		fb_new(&head, &fbs[i], HEAD_W * 8, HEAD_H * 2, DRM_FORMAT_XRGB8888, in_first);
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
		a[i] = vsplit_bo_in(head.fd, 'A' + i, 200 << 10, 0, in_first);
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

static const struct vsplit_subtest tests[] = {
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
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
