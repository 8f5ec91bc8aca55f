// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit segments
 * Description: Segments, and how the CPU sees them: SEG-1 to SEG-4, SEG-8 to SEG-14 and SEG-16;
 *   Documentation/segments.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: segments, CPU access
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_memory.h"

#include <fcntl.h>
#include <pthread.h>

IGT_TEST_DESCRIPTION("Segments, and how the CPU sees them: SEG-1 to SEG-4, SEG-8 to SEG-14 and "
		     "SEG-16; Documentation/segments.rst has the table.");

/* ---- CPU visibility ------------------------------------------------------ */

/**
 * SUBTEST: seg-1-visible-stays
 * Description: Memory that the CPU can see is mapped in place: touching and locking move nothing.
 */
static void test_visible(void)
{
	const struct vsplit_seg_opts segs[] = { { "vram", .size = 64 * U, .cpu = "all" } };
	struct drm_vsplit_segment_info info[VSPLIT_MAX_SEGMENTS];
	struct vsplit_bo *a;

	setup_segs(segs, 1);
	igt_assert_eq(vsplit_query_segments(fd, info), 1);
	igt_assert(info[0].flags & VSPLIT_SEGMENT_CPU_VISIBLE);
	a = vsplit_bo(fd, 'A', 16 * U);
	page_in(a, 1);
	vsplit_bo_pattern(a, 1);
	vsplit_lock(a, 0);
	vsplit_bo_check(a);
	igt_assert_eq(segment_of(a), 1);
	igt_assert_eq_u64(stats().evicted_bytes, 0);
	vsplit_unlock(a);
}

/**
 * SUBTEST: seg-1-hidden-moves
 * Description: An allocation in a segment that the CPU cannot see, or outside of the visible part,
 *   is moved with its bytes before the CPU gets a page of it.
 */
static void test_hidden(void)
{
	const struct vsplit_seg_opts segs[] = {
		{ "hidden", .size = 64 * U, .cpu = "none" },
		{ "small", .size = 64 * U, .cpu = "65536" },
	};
	struct drm_vsplit_segment_info info[VSPLIT_MAX_SEGMENTS];
	struct vsplit_bo *a;

	setup_segs(segs, 2);
	igt_assert_eq(vsplit_query_segments(fd, info), 2);
	igt_assert(!(info[0].flags & VSPLIT_SEGMENT_CPU_VISIBLE));
	igt_assert_eq_u64(info[1].cpu_visible_size, 65536);
	for (unsigned int by_lock = 0; by_lock < 2; by_lock++) {
		for (uint8_t s = 1; s <= 2; s++) {
			a = in('A', 16 * U, s);
			vsplit_bo_pattern(a, s);
			page_in(a, s);
			igt_assert_eq(segment_of(a), s);
			if (by_lock)
				vsplit_lock(a, 0);
			else
				igt_assert_eq(((volatile uint8_t *)a->map)[5], a->shadow[5]);
			igt_assert_eq(segment_of(a), 0);
			vsplit_bo_check(a);
			if (by_lock)
				vsplit_unlock(a);
			vsplit_bo_free(a);
		}
	}
}

/**
 * SUBTEST: seg-1-debuggers-see-no-more
 * Description: A debugger that reads and writes another program's mapping gets the right bytes. It
 *   does not get them from a segment that the CPU does not see: they are moved to system memory
 *   first.
 */
static void test_debugger(void)
{
	const struct vsplit_seg_opts segs[] = {
		{ "hidden", .size = 64 * U, .cpu = "none" },
		{ "small", .size = 64 * U, .cpu = "65536" },
		{ "seen", .size = 64 * U },
	};
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	igt_assert_fd(mem);
	setup_segs(segs, 3);
	for (uint8_t s = 1; s <= 3; s++) {
		struct vsplit_bo *a = in('A', 16 * U, s);
		uint64_t word, other = 0x1234567812345678;

		vsplit_bo_pattern(a, s);
		page_in(a, s);
		igt_assert_eq(pread(mem, &word, 8, (uintptr_t)a->map + 4096), 8);
		igt_assert_eq(segment_of(a), s < 3 ? 0 : s);
		igt_assert_eq_u64(word, ((uint64_t *)a->shadow)[512]);
		page_in(a, s);
		igt_assert_eq(pwrite(mem, &other, 8, (uintptr_t)a->map + 8192), 8);
		igt_assert_eq(segment_of(a), s < 3 ? 0 : s);
		memcpy(a->shadow + 8192, &other, 8);
		vsplit_bo_check(a);
	}
	close(mem);
}

/**
 * SUBTEST: seg-1-declared-by-any-segment
 * Description: Memory and aperture segments declare whether the CPU sees them, and the query tells
 *   it. For an aperture it changes nothing, because the CPU maps the pages behind it (A11).
 */
static void test_declared(void)
{
	const struct vsplit_seg_opts segs[] = {
		{ "vram", .size = 8 * U },
		{ "aper", true, .size = 16 * U, .cpu = "none" },
	};
	struct drm_vsplit_segment_info info[VSPLIT_MAX_SEGMENTS];
	struct vsplit_bo *a, *b;

	setup_segs(segs, 2);
	igt_assert_eq(vsplit_query_segments(fd, info), 2);
	igt_assert(info[0].flags & VSPLIT_SEGMENT_CPU_VISIBLE);
	igt_assert(!(info[1].flags & VSPLIT_SEGMENT_CPU_VISIBLE));
	igt_assert_eq_u64(info[1].cpu_visible_size, 0);
	a = in('A', 4 * U, 2);
	b = vsplit_bo_in(fd, 'B', 4 * U, VSPLIT_GEM_CPU_ACCESS, (uint8_t[]){ 2, 0 });
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_set(cs, 0, 0, 4096, 0x1111);
	vsplit_cs_set(cs, 1, 0, 4096, 0x2222);
	vsplit_cs_run(cs, ctx, 0);
	vsplit_bo_pattern(a, 1);
	vsplit_lock(b, VSPLIT_LOCK_DONOT_EVICT);
	vsplit_bo_pattern(b, 2);
	igt_assert_eq(segment_of(a), 2);
	igt_assert_eq(segment_of(b), 2);
	vsplit_unlock(b);
	vsplit_cs_run(cs, ctx, 0);
}

/**
 * SUBTEST: seg-1-lock-moves-to-visible
 * Description: A lock moves an allocation that the CPU does not see to a visible hole in another of
 *   its segments, by the engine. If there is no hole, it moves to system memory.
 */
static void test_lock_moves(void)
{
	const struct vsplit_seg_opts segs[] = {
		{ "hidden", .size = 64 * U, .cpu = "none" },
		{ "seen", .size = 32 * U },
	};
	struct vsplit_bo *a, *b;

	setup_segs(segs, 2);
	a = vsplit_bo(fd, 'A', 16 * U);
	vsplit_bo_pattern(a, 1);
	page_in(a, 1);
	vsplit_lock(a, 0);
	igt_assert_eq(segment_of(a), 2);
	igt_assert_eq_u64(stats().moved_bytes, a->size);
	vsplit_bo_check(a);
	vsplit_unlock(a);

	b = vsplit_bo(fd, 'B', 24 * U);
	vsplit_bo_pattern(b, 2);
	page_in(b, 1);
	vsplit_lock(b, 0);
	igt_assert_eq(segment_of(b), 0);
	igt_assert_eq(segment_of(a), 2);
	vsplit_bo_check(b);
}

/*
 * The frames of a segment's first pages, from the kernel's own calls; each page is faulted in
 * separately.
 */
static void note_frames(struct vsplit_bo *all, uint64_t *frames, const char *trace)
{
	for (uint64_t i = 0; i < all->size / 4096; i++) {
		frames[i] = vsplit_trace_inserted(trace, all->map + i * 4096);
		igt_assert(frames[i]);
	}
}

static void check_inserted(const char *trace, const uint64_t *frames, const struct vsplit_bo *bo,
			   uint64_t offset)
{
	for (uint64_t i = 0; i < bo->size / 4096; i++)
		igt_assert_eq_u64(vsplit_trace_inserted(trace, bo->map + i * 4096),
				  frames[offset / 4096 + i]);
}

/**
 * SUBTEST: seg-2-offset-is-the-aperture-s
 * Description: The page that the CPU maps depends only on the offset in the segment: all
 *   allocations at an offset get the same page, as the kernel's calls show. The CPU finds there
 *   what the GPU writes at that offset.
 */
static void test_offset(void)
{
	enum { PAGES = 40 * U / 4096 };
	uint64_t frames[PAGES], at[4];
	struct vsplit_bo *bo[4], *all;
	const char *trace;

	setup(0);
	vsplit_trace_begin();
	vsplit_trace_inserts();
	all = touch_segment(40 * U);
	for (unsigned int i = 0; i < 4; i++) {
		bo[i] = in('A' + i, (5 + 3 * i) * U, 1);
		page_in(bo[i], 1);
		at[i] = offset_of(bo[i]);
		if (i == 2) {
			vsplit_bo_free(bo[0]);
			bo[0] = in('E', 2 * U, 1);
			page_in(bo[0], 1);
			at[0] = offset_of(bo[0]);
			vsplit_bo_pattern(bo[0], 9);
		}
		vsplit_bo_pattern(bo[i], i);
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, bo[i]);
		vsplit_cs_set(cs, 0, 4096, 8192, 0x1000 + i);
		vsplit_cs_run(cs, ctx, 0);
		igt_assert_eq_u64(offset_of(bo[i]), at[i]);
	}
	trace = vsplit_trace_end();
	note_frames(all, frames, trace);
	for (unsigned int i = 0; i < PAGES; i++)
		for (unsigned int j = 0; j < i; j++)
			igt_assert(frames[i] != frames[j]);
	for (unsigned int i = 0; i < 4; i++)
		check_inserted(trace, frames, bo[i], at[i]);
}

/**
 * SUBTEST: seg-3-base-and-offset-suffice
 * Description: Segment and offset, as the query tells them before an allocation is mapped,
 *   determine its pages, for every allocation: of another file, swizzled, pinned, or mapped a
 *   second time.
 */
static void test_base(void)
{
	enum { PAGES = 40 * U / 4096, N = 4 };
	uint64_t frames[PAGES], at[N];
	struct vsplit_bo *bo[N], *all;
	int other;
	const char *trace;
	void *again;

	setup(2);
	vsplit_trace_begin();
	vsplit_trace_inserts();
	all = touch_segment(40 * U);
	other = vsplit_adapter_open(ad);
	bo[0] = in('A', 3 * U, 1);
	bo[1] = vsplit_bo_in(other, 'B', 5 * U, 0, (uint8_t[]){ 1, 0 });
	bo[2] = swizzled('C', 8 * U);
	bo[3] = vsplit_bo_in(fd, 'D', 2 * U, VSPLIT_GEM_PINNED, (uint8_t[]){ 1, 0 });
	for (unsigned int i = 0; i < N; i++) {
		vsplit_escape(bo[i]->fd, VSPLIT_ESCAPE_PAGE_IN, bo[i]->handle, 1);
		at[i] = offset_of(bo[i]);
		igt_assert(at[i] + bo[i]->size <= 40 * U);
	}
	for (unsigned int i = 0; i < N; i++)
		for (uint64_t p = 0; p < bo[i]->size / 4096; p++)
			((volatile uint8_t *)bo[i]->map)[p * 4096] = i;
	igt_assert_eq(__vsplit_mmap(fd, bo[0]->handle, bo[0]->size, &again), 0);
	((volatile uint8_t *)again)[4096] = 1;
	trace = vsplit_trace_end();
	note_frames(all, frames, trace);
	for (unsigned int i = 0; i < N; i++)
		check_inserted(trace, frames, bo[i], at[i]);
	igt_assert_eq_u64(vsplit_trace_inserted(trace, (uint8_t *)again + 4096), frames[at[0] / 4096 + 1]);
	munmap(again, bo[0]->size);
}

/**
 * SUBTEST: seg-4-aperture-shares-pages
 * Description: In an aperture the CPU maps the system pages themselves, the same ones as outside of
 *   it. Both sides see each other's writes, and nothing is copied.
 */
static void test_aperture(void)
{
	struct drm_vsplit_statistics before, after;
	struct vsplit_bo *a;
	const char *trace;

	setup(0);
	a = in('A', 2 * U, 2);
	vsplit_trace_begin();
	vsplit_bo_pattern(a, 1);
	before = stats();
	for (unsigned int round = 0; round < 5; round++) {
		uint64_t word = round;

		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_copy(cs, 0, 8192, 0, 64 * round, 64);
		vsplit_cs_run(cs, ctx, 0);
		igt_assert_eq(segment_of(a), 2);
		vsplit_bo_write(a, 64 * round, &word, 8);
		vsplit_cs_run(cs, ctx, 0);
		if (round & 1)
			evict(a);
		vsplit_bo_check(a);
	}
	after = stats();
	trace = vsplit_trace_end();
	igt_assert(vsplit_trace_frame(trace, a, 0, 0));
	igt_assert_eq_u64(vsplit_trace_frame(trace, a, 2, 0), vsplit_trace_frame(trace, a, 0, 0));
	igt_assert_eq_u64(after.paged_in_copied_bytes, before.paged_in_copied_bytes);
	igt_assert_eq_u64(after.evicted_copied_bytes, before.evicted_copied_bytes);
}

/* ---- system memory ------------------------------------------------------- */

/* A swizzled allocation that the GPU has written, and that is in system memory. */
static struct vsplit_bo *written_and_evicted(void)
{
	struct vsplit_bo *a = swizzled('A', 8 * U);

	vsplit_bo_pattern(a, 1);
	page_in(a, 1);
	gpu_write(a, 1000 * 8, 4711);
	evict(a);
	igt_assert_eq(segment_of(a), 0);
	/* This also waits for the bytes. */
	vsplit_bo_check(a);
	return a;
}

/*
 * The frame that page @page gets at its first access through a new mapping, which makes it fault.
 */
static uint64_t fresh_frame(const struct vsplit_bo *bo, uint64_t page)
{
	uint64_t frame;
	void *map;

	igt_assert_eq(__vsplit_mmap(bo->fd, bo->handle, bo->size, &map), 0);
	vsplit_trace_begin();
	vsplit_trace_inserts();
	((volatile uint8_t *)map)[page * 4096];
	frame = vsplit_trace_inserted(vsplit_trace_end(), (uint8_t *)map + page * 4096);
	igt_assert(frame);
	munmap(map, bo->size);
	return frame;
}

/**
 * SUBTEST: seg-8-lock-in-system-memory
 * Description: Bytes that are in system memory stay there during a lock and after it, on the same
 *   pages.
 */
static void test_system(void)
{
	uint64_t frame, pages = 8 * U / 4096;
	struct vsplit_bo *a;

	setup(2);
	a = written_and_evicted();
	for (uint64_t p = 0; p < pages; p += pages / 2) {
		frame = fresh_frame(a, p);
		vsplit_lock(a, p ? VSPLIT_LOCK_ACQUIRE_APERTURE : 0);
		igt_assert_eq(segment_of(a), 0);
		igt_assert_eq_u64(fresh_frame(a, p), frame);
		vsplit_bo_check(a);
		vsplit_unlock(a);
		igt_assert_eq(segment_of(a), 0);
		igt_assert_eq_u64(fresh_frame(a, p), frame);
		vsplit_bo_check(a);
	}
}

/**
 * SUBTEST: seg-9-driver-not-involved
 * Description: Such a lock, and the access, acquire and page nothing. They work with all engines
 *   stopped, and no work waits for them.
 */
static void test_not_involved(void)
{
	struct drm_vsplit_statistics before, after;
	struct drm_vsplit_gem_info info;
	struct vsplit_bo *a;

	setup(2);
	a = written_and_evicted();
	before = stats();
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	for (unsigned int i = 0; i < 2; i++) {
		vsplit_lock(a, VSPLIT_LOCK_DONOT_WAIT |
			    (i ? VSPLIT_LOCK_ACQUIRE_APERTURE : VSPLIT_LOCK_DONOT_EVICT));
		vsplit_info(a, &info);
		igt_assert_eq(info.segment, 0);
		igt_assert(!(info.flags & (VSPLIT_GEM_INFO_BUSY | VSPLIT_GEM_INFO_RANGE)));
		/* First an access that faults, then all of it. */
		fresh_frame(a, 3);
		vsplit_bo_check(a);
		vsplit_unlock(a);
	}
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	after = stats();
	igt_assert_eq(memcmp(&before, &after, sizeof(after)), 0);
	vsplit_bo_check(a);
}

/**
 * SUBTEST: seg-10-linear-in-system-memory
 * Description: Bytes in system memory are in linear order, even those of swizzled surfaces: those
 *   that the CPU wrote, and those that the GPU wrote as tiles.
 */
static void test_linear(void)
{
	struct vsplit_bo *a;

	setup(2);
	a = written_and_evicted();
	vsplit_bo_check(a);
	for (uint64_t round = 1; round < 4; round++) {
		page_in(a, 1);
		for (uint64_t i = 0; i < 16; i++)
			gpu_write(a, (i * 997 + round * 64) * 8, round << 32 | i);
		evict(a);
		igt_assert_eq(segment_of(a), 0);
		vsplit_bo_check(a);
	}
}

/**
 * SUBTEST: seg-11-eviction-unswizzles
 * Description: After an eviction the CPU reads the same bytes that it read through the aperture
 *   before. Bytes that the GPU wrote as tiles are linear.
 */
static void test_unswizzle(void)
{
	struct vsplit_bo *a, *raw;

	setup(1);
	a = swizzled('A', 21 * 4096);	/* two bands and a tail */
	raw = in('R', a->size, 1);
	vsplit_bo_pattern(raw, 6);
	gpu_copy(a, raw);		/* never touched by the CPU: tiles */
	for (uint64_t i = 0; i < a->size; i++)
		a->shadow[i] = raw->shadow[tiled(a->size, i)];
	evict(a);
	vsplit_bo_check(a);
	page_in(a, 1);
	vsplit_bo_check(a);		/* through the aperture */
	igt_assert(has_range(a));
	gpu_copy(a, raw);
	vsplit_bo_check(a);
	evict(a);
	vsplit_bo_check(a);
}

/**
 * SUBTEST: seg-12-same-pointer
 * Description: An existing pointer stays valid through every eviction and page-in while the medium
 *   behind it changes, for swizzled and linear allocations.
 */
static void test_pointer(void)
{
	const char *trace;

	vsplit_not_under("random_placement", "it does not come back to the page that it had");
	for (unsigned int kind = 0; kind < 2; kind++) {
		struct vsplit_bo *a;

		setup(1);
		a = kind ? swizzled('A', 8 * U) : in('A', 8 * U, 1);
		vsplit_bo_pattern(a, kind);
		vsplit_trace_begin();
		for (unsigned int round = 0; round < 20; round++) {
			uint64_t word = round;

			if (round & 1)
				evict(a);
			else
				page_in(a, 1);
			vsplit_bo_write(a, 808 * round, &word, 8);
			vsplit_bo_check(a);
		}
		trace = vsplit_trace_end();
		/* Each medium is different from the other, and the same as before. */
		igt_assert(vsplit_trace_frame(trace, a, 1, 0));
		igt_assert(vsplit_trace_frame(trace, a, 0, 0));
		igt_assert(vsplit_trace_frame(trace, a, 1, 0) != vsplit_trace_frame(trace, a, 0, 0));
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: seg-13-by-the-engine
 * Description: Paging buffers transfer the bytes: an eviction is built, submitted and executed by
 *   the engine. While the engine is stopped nothing is transferred, and the CPU waits.
 */
static void test_engine(void)
{
	struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 256 * U, .ranges = 2 } },
	};
	const char *trace, *build, *begin, *end;
	struct drm_vsplit_gem_info info;
	struct vsplit_bo *a;

	setup_opts(&opts);
	a = swizzled('A', 8 * U);
	vsplit_bo_pattern(a, 1);
	page_in(a, 1);
	gpu_write(a, 8, 1);
	vsplit_trace_begin();
	vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
	evict(a);
	usleep(20000);
	vsplit_info(a, &info);
	igt_assert(info.flags & VSPLIT_GEM_INFO_BUSY);
	igt_assert_eq(__vsplit_lock(a, VSPLIT_LOCK_DONOT_WAIT), -EBUSY);
	vsplit_escape(fd, VSPLIT_ESCAPE_RESUME, 0, 0);
	vsplit_bo_check(a);
	trace = vsplit_trace_end();
	build = vsplit_trace_find(trace, NULL, "paging", "type=evict bo=%" PRIu64 " ", a->id);
	igt_assert(build);
	begin = vsplit_trace_find(trace, build, "step_begin", "type=transfer");
	igt_assert(begin);
	end = vsplit_trace_find(trace, begin, "fence", "error=0");
	igt_assert(end);
	igt_assert_eq_u64(stats().evicted_copied_bytes, a->size);
}

/* ---- threads ------------------------------------------------------------- */

struct stress {
	struct vsplit_bo *bo;
	unsigned int first;
	unsigned int step;
	uint64_t rounds;
	uint64_t bad, torn, stale;
};

static volatile bool stop;

/* The round, and a hash that shows whether both halves belong to one value. */
static uint64_t stress_value(uint64_t word, uint64_t round)
{
	return round << 32 | (uint32_t)((word * 0x9e3779b1u) ^ (round * 0x85ebca6bu));
}

/*
 * Reads back the words that it wrote last, and writes new ones; also reads words of the other
 * thread: a word is whole, and never older than at the last look.
 */
static void *stress_thread(void *arg)
{
	struct stress *s = arg;
	volatile uint64_t *words = (volatile uint64_t *)s->bo->map;
	uint64_t n = s->bo->size / 8, *seen = calloc(n, sizeof(*seen));

	while (!stop && seen) {
		for (uint64_t w = s->first; w < n; w += s->step) {
			uint64_t next = (w + 1) % n, value = words[next], round = value >> 32;

			s->bad += words[w] != stress_value(w, s->rounds);
			words[w] = stress_value(w, s->rounds + 1);
			s->torn += value != stress_value(next, round);
			s->stale += round < seen[next];
			seen[next] = round;
		}
		__atomic_store_n(&s->rounds, s->rounds + 1, __ATOMIC_RELAXED);
	}
	free(seen);
	return NULL;
}

/* Threads use words while the allocation changes its place or its range @times times. */
static void stress(struct vsplit_bo *a, struct vsplit_bo *thief, unsigned int times)
{
	enum { THREADS = 2 };
	struct stress s[THREADS];
	pthread_t threads[THREADS];
	uint64_t rounds = 0, wrong = 0;

	stop = false;
	for (uint64_t w = 0; w < a->size / 8; w++)
		((uint64_t *)a->map)[w] = stress_value(w, 0);
	for (unsigned int i = 0; i < THREADS; i++) {
		s[i] = (struct stress) { .bo = a, .first = i, .step = THREADS };
		igt_assert_eq(pthread_create(&threads[i], NULL, stress_thread, &s[i]), 0);
	}
	for (unsigned int i = 0; i < times; i++) {
		if (thief && i % 4 == 2) {
			page_in(thief, 1);
			((volatile uint8_t *)thief->map)[i % thief->size] = i;
			thief->shadow[i % thief->size] = i;
		}
		if (i & 1)
			evict(a);
		else
			page_in(a, 1);
		((volatile uint8_t *)a->map)[8 * i % a->size];
		/* Each thread has looked at all words between the first change and the last one. */
		for (unsigned int t = 0; i == times - 2 && t < THREADS; t++)
			igt_assert(vsplit_soon(__atomic_load_n(&s[t].rounds, __ATOMIC_RELAXED) > 1));
	}
	stop = true;
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		rounds += s[i].rounds;
		igt_assert_eq_u64(s[i].bad, 0);
		igt_assert_eq_u64(s[i].torn, 0);
		igt_assert_eq_u64(s[i].stale, 0);
	}
	for (uint64_t w = 0; w < a->size / 8; w++)
		wrong += ((uint64_t *)a->map)[w] != stress_value(w, s[w % THREADS].rounds);
	igt_assert_eq_u64(wrong, 0);
	if (thief)
		vsplit_bo_check(thief);
	igt_info("%u changes of place, %" PRIu64 " rounds of the threads\n", times, rounds);
}

static unsigned int stress_times(unsigned int normally)
{
	return getenv("VSPLIT_NIGHTLY") ? 10000 : normally;
}

/**
 * SUBTEST: seg-14-access-waits-for-the-bytes
 * Description: An access while bytes are being transferred, in either direction, or while a range
 *   is being set, returns after the bytes have arrived, and sees them.
 */
static void test_access_waits(void)
{
	struct vsplit_bo *a;
	pthread_t thread;

	setup(1);
	a = swizzled('A', 8 * U);
	for (unsigned int round = 0; round < 4; round++) {
		uint64_t seen, word = 0x1111 * (round + 1);

		page_in(a, 1);
		gpu_write(a, 8 * round, word);	/* newer than in system memory */
		vsplit_escape(fd, VSPLIT_ESCAPE_SUSPEND, 0, 0);
		if (round & 1)
			evict(a);
		resumed = false;
		igt_assert_eq(pthread_create(&thread, NULL, resume_later, NULL), 0);
		seen = ((volatile uint64_t *)a->map)[round];
		igt_assert(resumed);
		pthread_join(thread, NULL);
		igt_assert_eq_u64(seen, word);
		vsplit_bo_check(a);
	}
}

/**
 * SUBTEST: seg-14-threads-see-no-change
 * Description: Threads that read and write words of a mapped allocation never see a stale or torn
 *   word while it is evicted and paged in, 10,000 times with VSPLIT_NIGHTLY set, else 400 times.
 */
static void test_threads(void)
{
	setup(0);
	stress(in('A', 4 * U, 1), NULL, stress_times(400));
}

/**
 * SUBTEST: seg-14-threads-and-swizzling
 * Description: The same for a swizzled allocation, while another one takes its range.
 */
static void test_threads_swizzled(void)
{
	struct vsplit_bo *a;

	setup(1);
	a = swizzled('A', 4 * U);
	stress(a, swizzled('B', 4 * U), stress_times(400));
	igt_assert(stats().ranges_acquired > 10);
}

/* ---- apertures ----------------------------------------------------------- */

/**
 * SUBTEST: seg-16-aperture-eviction-moves-nothing
 * Description: Leaving an aperture is an unmap: no byte is transferred, the pages are the same, and
 *   they have the bytes that the GPU wrote.
 */
static void test_unmap(void)
{
	struct drm_vsplit_statistics before, after;
	const struct vsplit_record *rec;
	struct vsplit_bo *a;
	const char *trace;

	setup(0);
	a = in('A', 8 * U, 2);
	vsplit_trace_begin();
	vsplit_bo_pattern(a, 1);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 4096, 8192, 0x1234567);
	before = stats();
	rec = vsplit_cs_run(cs, ctx, 0);
	igt_assert_eq(vsplit_count(rec, VSPLIT_EVENT_MAP), 1);
	evict(a);
	vsplit_bo_check(a);
	trace = vsplit_trace_end();
	after = stats();
	igt_assert(vsplit_trace_find(trace, NULL, "paging", "type=unmap bo=%" PRIu64 " ", a->id));
	igt_assert(!vsplit_trace_find(trace, NULL, "step_begin", "type=transfer"));
	igt_assert_eq_u64(after.evicted_bytes - before.evicted_bytes, a->size);
	igt_assert_eq_u64(after.evicted_copied_bytes, before.evicted_copied_bytes);
	igt_assert_eq_u64(after.paged_in_copied_bytes, before.paged_in_copied_bytes);
	igt_assert(vsplit_trace_frame(trace, a, 0, 0));
	igt_assert_eq_u64(vsplit_trace_frame(trace, a, 2, 0), vsplit_trace_frame(trace, a, 0, 0));
}

/**
 * SUBTEST: seg-16-stray-write
 * Description: A GPU write to an aperture page without a mapping goes nowhere: it is a GPU fault,
 *   is counted, and changes no byte of an allocation. A read of such a page is a fault, too, and
 *   writes nothing to its destination.
 */
static void test_stray(void)
{
	struct drm_vsplit_ctx_query q;
	struct vsplit_bo *a, *b, *c;

	setup(0);
	a = in('A', 8 * U, 2);
	b = in('B', 8 * U, 2);
	vsplit_bo_pattern(a, 1);
	vsplit_bo_pattern(b, 2);
	vsplit_adapter_knob(ad, "lose_aperture_maps", "1");
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 4096, 64, 0xdddddddd);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(__vsplit_cs_wait(cs), -EFAULT);
	vsplit_adapter_knob(ad, "lose_aperture_maps", "0");
	vsplit_ctx_query(fd, ctx, &q);
	igt_assert_eq(q.state, VSPLIT_STATE_LOST_FAULT);
	igt_assert_eq(q.fault, VSPLIT_FAULT_DECODE);
	igt_assert(stats().stray_writes >= 1);
	vsplit_bo_check(a);
	vsplit_bo_check(b);
	/* A read. */
	ctx = vsplit_ctx(fd, 0);
	evict(a);
	vsplit_adapter_knob(ad, "lose_aperture_maps", "1");
	vsplit_cs_reset(cs);
	c = in('C', 8 * U, 1);
	vsplit_bo_pattern(c, 3);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, c);
	vsplit_cs_copy(cs, 1, 4096, 0, 4096, 64);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(__vsplit_cs_wait(cs), -EFAULT);
	vsplit_adapter_knob(ad, "lose_aperture_maps", "0");
	vsplit_ctx_query(fd, ctx, &q);
	igt_assert_eq(q.fault, VSPLIT_FAULT_DECODE);
	vsplit_bo_check(a);
	vsplit_bo_check(c);
	/* After it is mapped again, the page has its own bytes. */
	ctx = vsplit_ctx(fd, 0);
	evict(a);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 4096, 64, 0x5555);
	vsplit_cs_run(cs, ctx, 0);
}

/**
 * SUBTEST: seg-16-freed-is-unmapped
 * Description: When an allocation is freed while it is mapped, the aperture forgets its pages: the
 *   next allocation there does not see them, even if mapping it is lost.
 */
static void test_freed(void)
{
	struct vsplit_place first, second;
	struct drm_vsplit_gem_info info;
	struct vsplit_bo *a, *b;

	setup(0);
	a = in('A', 8 * U, 2);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_set(cs, 0, 4096, 64, 0xaaaaaaaa);
	vsplit_cs_run(cs, ctx, 0);
	vsplit_info(a, &info);
	first = (struct vsplit_place) { info.segment, info.offset };
	igt_assert_eq(first.segment, 2);
	vsplit_cs_reset(cs);
	vsplit_bo_free(a);
	b = in('B', 8 * U, 2);
	vsplit_bo_pattern(b, 2);
	vsplit_adapter_knob(ad, "lose_aperture_maps", "1");
	vsplit_cs_bind(cs, 0, b);
	vsplit_cs_set(cs, 0, 4096, 64, 0xdddddddd);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert_eq(__vsplit_cs_wait(cs), -EFAULT);
	vsplit_adapter_knob(ad, "lose_aperture_maps", "0");
	vsplit_info(b, &info);
	second = (struct vsplit_place) { info.segment, info.offset };
	igt_assert_f(second.segment == 2 && second.offset == first.offset,
		     "it came to another place\n");
	igt_assert(stats().stray_writes >= 1);
	vsplit_bo_check(b);
}

static const struct vsplit_subtest tests[] = {
	{ "seg-1-visible-stays", test_visible,
	  "Memory that the CPU can see is mapped in place: touching and locking move nothing" },
	{ "seg-1-hidden-moves", test_hidden,
	  "An allocation in a segment that the CPU cannot see, or outside of the visible part, is "
	  "moved with its bytes before the CPU gets a page of it" },
	{ "seg-1-debuggers-see-no-more", test_debugger,
	  "A debugger that reads and writes another program's mapping gets the right bytes" },
	{ "seg-1-declared-by-any-segment", test_declared,
	  "Memory and aperture segments declare whether the CPU sees them, and the query tells "
	  "it" },
	{ "seg-1-lock-moves-to-visible", test_lock_moves,
	  "A lock moves an allocation that the CPU does not see to a visible hole in another of "
	  "its segments, by the engine" },
	{ "seg-2-offset-is-the-aperture-s", test_offset,
	  "The page that the CPU maps depends only on the offset in the segment: all allocations "
	  "at an offset get the same page, as the kernel's calls show" },
	{ "seg-3-base-and-offset-suffice", test_base,
	  "Segment and offset, as the query tells them before an allocation is mapped, determine "
	  "its pages, for every allocation: of another file, swizzled, pinned, or mapped a second "
	  "time" },
	{ "seg-4-aperture-shares-pages", test_aperture,
	  "In an aperture the CPU maps the system pages themselves, the same ones as outside of "
	  "it. Both sides see each other's writes, and nothing is copied." },
	{ "seg-8-lock-in-system-memory", test_system,
	  "Bytes that are in system memory stay there during a lock and after it, on the same "
	  "pages" },
	{ "seg-9-driver-not-involved", test_not_involved,
	  "Such a lock, and the access, acquire and page nothing. They work with all engines "
	  "stopped, and no work waits for them." },
	{ "seg-10-linear-in-system-memory", test_linear,
	  "Bytes in system memory are in linear order, even those of swizzled surfaces: those that "
	  "the CPU wrote, and those that the GPU wrote as tiles" },
	{ "seg-11-eviction-unswizzles", test_unswizzle,
	  "After an eviction the CPU reads the same bytes that it read through the aperture "
	  "before. Bytes that the GPU wrote as tiles are linear." },
	{ "seg-12-same-pointer", test_pointer,
	  "An existing pointer stays valid through every eviction and page-in while the medium "
	  "behind it changes, for swizzled and linear allocations" },
	{ "seg-13-by-the-engine", test_engine,
	  "Paging buffers transfer the bytes: an eviction is built, submitted and executed by the "
	  "engine" },
	{ "seg-14-access-waits-for-the-bytes", test_access_waits,
	  "An access while bytes are being transferred, in either direction, or while a range is "
	  "being set, returns after the bytes have arrived, and sees them" },
	{ "seg-14-threads-see-no-change", test_threads,
	  "Threads that read and write words of a mapped allocation never see a stale or torn word "
	  "while it is evicted and paged in, 10,000 times with VSPLIT_NIGHTLY set, else 400 "
	  "times" },
	{ "seg-14-threads-and-swizzling", test_threads_swizzled,
	  "Threads never see a stale or torn word of a swizzled allocation while another one takes "
	  "its range" },
	{ "seg-16-aperture-eviction-moves-nothing", test_unmap,
	  "Leaving an aperture is an unmap: no byte is transferred, the pages are the same, and "
	  "they have the bytes that the GPU wrote" },
	{ "seg-16-stray-write", test_stray,
	  "A GPU write to an aperture page without a mapping goes nowhere: it is a GPU fault, is "
	  "counted, and changes no byte of an allocation" },
	{ "seg-16-freed-is-unmapped", test_freed,
	  "When an allocation is freed while it is mapped, the aperture forgets its pages: the "
	  "next allocation there does not see them, even if mapping it is lost" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
