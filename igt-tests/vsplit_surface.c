// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit surface
 * Description: Surfaces of two allocations: SEG-18 to SEG-23; Documentation/segments.rst has
 *   the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: surfaces of two allocations
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_debug.h"
#include "igt_vsplit_memory.h"

#include <pthread.h>

IGT_TEST_DESCRIPTION("Surfaces of two allocations: SEG-18 to SEG-23; Documentation/segments.rst "
		     "has the table.");

/* ---- surfaces of two allocations ----------------------------------------- */

/*
 * Two allocations made by one call: tiles, which the CPU cannot map, and rows. The tiles have no
 * shadow of their own, because the CPU could not compare it; they use the shadow of the rows.
 */
struct surface {
	struct drm_vsplit_surface_alloc allocs[2];
	uint8_t private[2][64];
	struct vsplit_bo tiles;
	struct vsplit_bo *rows;
};

static int __surface(struct surface *s, uint64_t size)
{
	struct drm_vsplit_gem_surface args = {
		.allocs = (uintptr_t)s->allocs, .num_allocs = 2,
	};
	int ret;

	for (unsigned int i = 0; i < 2; i++) {
		struct drm_vsplit_surface_private *head = (void *)s->private[i];

		head->format = i ? VSPLIT_SURFACE_LINEAR : VSPLIT_SURFACE_TILED;
		s->allocs[i].create.size = size;
		s->allocs[i].private_data = (uintptr_t)s->private[i];
		s->allocs[i].private_bytes = sizeof(s->private[i]);
	}
	ret = __vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args);
	for (unsigned int i = 0; !ret && i < 2; i++)
		s->allocs[i].create.handle = args.handles[i];
	return ret;
}

static void surface(struct surface *s, uint64_t size)
{
	igt_assert_eq(__surface(s, size), 0);
	s->tiles = (struct vsplit_bo) {
		.fd = fd, .handle = s->allocs[0].create.handle, .name = 'T',
		.size = s->allocs[0].create.size, .id = s->allocs[0].create.id,
	};
	s->rows = vsplit_bo_take(fd, 'L', &s->allocs[1].create);
}

/* Does the client's job: copies from tiles to rows, or back. */
static void surface_copy(struct surface *s, bool to_tiles)
{
	vsplit_cs_reset(cs);
	vsplit_cs_alloc(cs, to_tiles ? s->rows : &s->tiles, 0);
	vsplit_cs_bind(cs, 0, to_tiles ? &s->tiles : s->rows);
	vsplit_cs_bind(cs, 1, to_tiles ? s->rows : &s->tiles);
	vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, PITCH);
	vsplit_cs_state(cs, VSPLIT_STATE_DST_PITCH, PITCH);
	vsplit_cs_copy_2d(cs, 0, 0, 1, 0, PITCH, s->rows->size / PITCH,
			  to_tiles ? VSPLIT_COPY_2D_DST_TILED : VSPLIT_COPY_2D_SRC_TILED);
	vsplit_cs_submit(cs, ctx, 0);
}

/* Renders as the GPU does: one word of each row, into the tiles. */
static void surface_render(struct surface *s, uint64_t seed)
{
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, &s->tiles);
	for (uint64_t y = 0; y < s->rows->size / PITCH; y++) {
		uint64_t at = y * PITCH + 8 * (y % (PITCH / 8)), word = seed * 1000 + y;

		vsplit_cs_store(cs, 0, tiled(s->rows->size, at), word);
		memcpy(s->rows->shadow + at, &word, 8);
	}
	vsplit_cs_submit(cs, ctx, 0);
}

/**
 * SUBTEST: seg-18-two-allocations
 * Description: A surface is used directly by the CPU, and as tiles by the GPU, in an aperture. Both
 *   allocations are mapped there at once. The CPU can access the rows, but not the tiles.
 */
static void test_two(void)
{
	struct drm_vsplit_gem_mmap_offset offset = {};
	struct surface s = {};

	setup(0);
	for (unsigned int i = 0; i < 2; i++) {
		s.allocs[i].create.num_segments = 1;
		s.allocs[i].create.segments[0] = 2;
	}
	surface(&s, 4 * U);
	vsplit_bo_pattern(s.rows, 1);
	surface_copy(&s, true);
	vsplit_cs_wait(cs);
	igt_assert_eq(segment_of(s.rows), 2);
	igt_assert_eq(segment_of(&s.tiles), 2);
	vsplit_bo_set(s.rows, 0);
	vsplit_bo_pattern(s.rows, 2);
	surface_copy(&s, true);
	surface_render(&s, 5);
	vsplit_cs_wait(cs);
	memset(s.rows->map, 0, s.rows->size);
	surface_copy(&s, false);
	vsplit_lock(s.rows, 0);
	vsplit_bo_check(s.rows);
	vsplit_unlock(s.rows);

	offset.handle = s.tiles.handle;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET, &offset), -EACCES);
	igt_assert_eq(__vsplit_lock(&s.tiles, 0), -EACCES);
}

/**
 * SUBTEST: seg-19-one-call
 * Description: One call creates all allocations, each according to its private data and arguments,
 *   or none. Whichever of them fails, no handle and no allocation is left.
 */
static void test_one_call(void)
{
	const struct {
		uint64_t size;
		uint32_t flags, bytes, pad;
		int error;
	} bad[] = {
		{ 0, 0, 64, 0, -EINVAL },
		{ 1ull << 40, 0, 64, 0, -E2BIG },
		{ U, 1u << 31, 64, 0, -EINVAL },
		{ U, 0, 4, 0, -EINVAL },
		{ U, 0, 257, 0, -EINVAL },
		{ U, 0, 64, 1, -EINVAL },
		{ 200 * U, VSPLIT_GEM_PINNED, 64, 0, -ENOSPC },
	};
	struct drm_vsplit_gem_surface args = {};
	struct surface s = {};
	struct vsplit_counters before, now;
	struct vsplit_bo *pinned;
	uint32_t next;

	setup(0);
	pinned = vsplit_bo_in(fd, 'P', 100 * U, VSPLIT_GEM_PINNED, (uint8_t[]){ 1, 0 });
	surface(&s, 3 * U);
	igt_assert(s.allocs[0].create.handle != s.allocs[1].create.handle);
	igt_assert(s.allocs[0].create.id != s.allocs[1].create.id);
	igt_assert_eq_u64(s.allocs[0].create.size, 3 * U);
	next = pinned->handle + 3;
	igt_assert(vsplit_counters(ad, &before));
	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(bad); i++) {
		struct surface t = {};
		struct drm_vsplit_surface_private head = {};
		struct drm_vsplit_gem_info info;

		for (unsigned int j = 0; j < 2; j++) {
			t.allocs[j].create.size = U;
			t.allocs[j].private_data = (uintptr_t)&head;
			t.allocs[j].private_bytes = sizeof(head);
		}
		t.allocs[i % 2].create.size = bad[i / 2].size;
		t.allocs[i % 2].create.flags = bad[i / 2].flags;
		t.allocs[i % 2].private_bytes = bad[i / 2].bytes;
		t.allocs[i % 2].private_data = (uintptr_t)s.private[1];
		t.allocs[i % 2].pad = bad[i / 2].pad;
		args.allocs = (uintptr_t)t.allocs;
		args.num_allocs = 2;
		igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args), bad[i / 2].error);
		igt_assert_eq(__vsplit_info(fd, next, &info), -ENOENT);
		/*
		 * No allocation without a handle is left, either: without work on it, it is freed
		 * at once.
		 */
		igt_assert(vsplit_counters(ad, &now));
		igt_assert_eq(now.bos, before.bos);
	}
	args.num_allocs = 0;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args), -EINVAL);
	args.num_allocs = VSPLIT_MAX_SURFACE_ALLOCS + 1;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args), -E2BIG);
	args.num_allocs = 2;
	args.allocs = 8;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args), -EFAULT);
	args.allocs = (uintptr_t)s.allocs;
	args.pad = 1;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args), -EINVAL);
}

/**
 * SUBTEST: seg-20-formats-are-not-interpreted
 * Description: Whatever formats and other bytes the private data has, sizes, places, paging and its
 *   cost are the same: memory management knows only size and alignment.
 */
static void test_private(void)
{
	struct drm_vsplit_statistics first = {}, now;
	uint64_t offsets[3][2] = {};

	for (unsigned int formats = 0; formats < 8; formats++) {
		struct drm_vsplit_surface_alloc allocs[2] = {};
		struct drm_vsplit_gem_surface args = {
			.allocs = (uintptr_t)allocs, .num_allocs = 2,
		};
		uint8_t private[2][64];
		struct vsplit_bo bo[2];

		setup(0);
		for (unsigned int i = 0; i < 2; i++) {
			struct drm_vsplit_surface_private *head = (void *)private[i];

			memset(private[i], formats * 0x33, sizeof(private[i]));
			head->format = formats & 1u << i ? VSPLIT_SURFACE_TILED :
							   VSPLIT_SURFACE_LINEAR;
			allocs[i].create.size = 6 * U;
			allocs[i].create.alignment = 65536;
			allocs[i].private_data = (uintptr_t)private[i];
			allocs[i].private_bytes = sizeof(private[i]) - 8 * (formats / 4);
		}
		igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_SURFACE, &args), 0);
		for (unsigned int i = 0; i < 2; i++) {
			bo[i] = (struct vsplit_bo) {
				.fd = fd, .handle = args.handles[i], .name = 'A' + i,
				.size = allocs[i].create.size, .id = allocs[i].create.id,
			};
			igt_assert_eq_u64(bo[i].size, 6 * U);
		}
		for (unsigned int round = 0; round < 3; round++) {
			vsplit_cs_reset(cs);
			vsplit_cs_bind(cs, 0, &bo[round & 1]);
			vsplit_cs_bind(cs, 1, &bo[!(round & 1)]);
			vsplit_cs_copy(cs, 0, 0, 1, 0, 6 * U);
			vsplit_cs_submit_and_wait(cs, ctx, 0);
			for (unsigned int i = 0; i < 2; i++) {
				struct drm_vsplit_gem_info info;

				vsplit_info(&bo[i], &info);
				igt_assert_eq(info.segment, 1);
				igt_assert_eq_u64(info.offset % 65536, 0);
				if (!formats)
					offsets[round][i] = info.offset;
				igt_assert_eq_u64(info.offset, offsets[round][i]);
			}
			evict(&bo[0]);
			evict(&bo[1]);
		}
		now = stats();
		if (!formats)
			first = now;
		igt_assert_eq(memcmp(&now, &first, sizeof(now)), 0);
		vsplit_cs_reset(cs);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: seg-21-lock-waits-for-the-job
 * Description: The client submits its unswizzle job, and locks the rows. The lock returns when the
 *   job is done, and the rows show what the GPU drew.
 */
static void test_job(void)
{
	struct surface s = {};
	pthread_t thread;

	setup(0);
	surface(&s, 4 * U);
	for (unsigned int round = 0; round < 3; round++) {
		surface_render(&s, round);
		vsplit_cs_wait(cs);
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		surface_copy(&s, false);
		resumed = false;
		igt_assert_eq(pthread_create(&thread, NULL, resume_later, NULL), 0);
		vsplit_lock(s.rows, 0);
		igt_assert(resumed);
		igt_assert(!vsplit_syncobj_busy(fd, cs->out));
		pthread_join(thread, NULL);
		vsplit_bo_check(s.rows);
		vsplit_unlock(s.rows);
	}
}

/**
 * SUBTEST: seg-22-still-drawing
 * Description: With DONOT_WAIT such a lock gives -EBUSY while the job is pending, and holds
 *   nothing. It succeeds afterwards.
 */
static void test_still_drawing(void)
{
	struct drm_vsplit_gem_info info;
	struct surface s = {};

	setup(0);
	surface(&s, 4 * U);
	surface_render(&s, 1);
	vsplit_cs_wait(cs);
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	surface_copy(&s, false);
	for (unsigned int i = 0; i < 3; i++) {
		igt_assert_eq(__vsplit_lock(s.rows, VSPLIT_LOCK_DONOT_WAIT), -EBUSY);
		vsplit_info(s.rows, &info);
		igt_assert_eq(info.locks, 0);
		igt_assert_eq(__vsplit_unlock(s.rows), -EINVAL);
	}
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_cs_wait(cs);
	vsplit_lock(s.rows, VSPLIT_LOCK_DONOT_WAIT);
	vsplit_bo_check(s.rows);
	vsplit_unlock(s.rows);
}

/**
 * SUBTEST: seg-23-nothing-by-itself
 * Description: What the CPU writes into the rows is not in the tiles, nor the other way round,
 *   until the client's job has copied it.
 */
static void test_by_itself(void)
{
	struct surface s = {};
	uint8_t *old;

	setup(0);
	surface(&s, 4 * U);
	old = malloc(s.rows->size);
	vsplit_bo_pattern(s.rows, 1);
	surface_copy(&s, true);
	vsplit_cs_wait(cs);
	memcpy(old, s.rows->shadow, s.rows->size);
	vsplit_lock(s.rows, 0);
	vsplit_bo_pattern(s.rows, 2);
	vsplit_unlock(s.rows);
	evict(s.rows);
	evict(&s.tiles);
	vsplit_bo_check(s.rows);
	/* The tiles still have the old bytes. */
	surface_copy(&s, false);
	vsplit_cs_wait(cs);
	igt_assert(!memcmp(s.rows->map, old, s.rows->size));
	vsplit_bo_pattern(s.rows, 3);
	surface_copy(&s, true);
	vsplit_cs_wait(cs);
	memset(s.rows->map, 0, s.rows->size);
	surface_copy(&s, false);
	vsplit_cs_wait(cs);
	vsplit_bo_check(s.rows);
	free(old);
}

/* ---- errors -------------------------------------------------------------- */

static struct surface swept_surface;

static int sweep_surface(void)
{
	memset(&swept_surface, 0, sizeof(swept_surface));
	return __surface(&swept_surface, U);
}

static void sweep_surface_check(int ret)
{
	for (unsigned int i = 0; !ret && i < 2; i++)
		igt_assert_eq(__vsplit_gem_close(fd, swept_surface.allocs[i].create.handle), 0);
}

/**
 * SUBTEST: surface-errors-change-nothing
 * Description: Whatever fails while a surface is created, nothing is left.
 */
static void test_surface_errors(void)
{
	vsplit_inject_require(VSPLIT_INJECT_SITE);
	setup(1);
	sweep("surface", sweep_surface, sweep_surface_check);
}

static const struct vsplit_subtest tests[] = {
	{ "seg-18-two-allocations", test_two,
	  "A surface is used directly by the CPU, and as tiles by the GPU, in an aperture" },
	{ "seg-19-one-call", test_one_call,
	  "One call creates all allocations, each according to its private data and arguments, or "
	  "none" },
	{ "seg-20-formats-are-not-interpreted", test_private,
	  "Whatever formats and other bytes the private data has, sizes, places, paging and its "
	  "cost are the same: memory management knows only size and alignment" },
	{ "seg-21-lock-waits-for-the-job", test_job,
	  "The client submits its unswizzle job, and locks the rows. The lock returns when the job "
	  "is done, and the rows show what the GPU drew." },
	{ "seg-22-still-drawing", test_still_drawing,
	  "With DONOT_WAIT a lock of the rows gives -EBUSY while the unswizzle job is pending, and "
	  "holds nothing" },
	{ "seg-23-nothing-by-itself", test_by_itself,
	  "What the CPU writes into the rows is not in the tiles, nor the other way round, until "
	  "the client's job has copied it" },
	{ "surface-errors-change-nothing", test_surface_errors,
	  "If the creation of a surface fails at any place, nothing is left" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
