// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit mmap
 * Description: A CPU mapping taken once stays valid and coherent through every
 *   eviction, move and page-in.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: CPU access
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_setup.h"

#include <pthread.h>

IGT_TEST_DESCRIPTION("A CPU mapping taken once stays valid and coherent through every eviction, "
		     "move and page-in.");

#define U 16384ull

static void setup(void)
{
	const struct vsplit_seg_opts vram = { "vram", .size = 256 * U };

	setup_segs(&vram, 1);
}

/* Memory that the CPU sees whole, not at all, or in part; and an aperture. */
static const struct vsplit_seg_opts kinds[][2] = {
	{ { "visible", .size = 64 * U, .cpu = "all" } },
	{ { "hidden", .size = 64 * U, .cpu = "none" } },
	{ { "small_bar", .size = 64 * U, .cpu = "262144" } },
	{ { "aper", true, .size = 64 * U } },
};

/**
 * SUBTEST: zero-through-every-kind-of-memory
 * Description: New memory reads as zeros for the CPU, before and after it was resident, in segments
 *   that the CPU sees, does not see, or sees in part.
 */
static void test_zero(void)
{
	for (unsigned int k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct vsplit_bo *a;

		setup_segs(kinds[k], 1);
		a = vsplit_bo(fd, 'A', 40 * U);
		vsplit_bo_check(a);
		vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 1);
		vsplit_bo_check(a);
		vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
		vsplit_bo_check(a);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: cpu-writes-reach-the-gpu
 * Description: The GPU reads what the CPU writes, and the CPU what the GPU writes, wherever the
 *   allocation is at the time.
 */
static void test_coherent(void)
{
	for (unsigned int k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct vsplit_bo *a, *b;

		setup_segs(kinds[k], 1);
		a = vsplit_bo(fd, 'A', 24 * U);
		b = vsplit_bo(fd, 'B', 24 * U);
		for (unsigned int round = 0; round < 6; round++) {
			vsplit_bo_pattern(a, 100 * k + round);
			vsplit_cs_reset(cs);
			vsplit_cs_alloc(cs, a, 0);
			vsplit_cs_bind(cs, 0, a);
			vsplit_cs_bind(cs, 1, b);
			vsplit_cs_copy(cs, 1, 0, 0, 0, a->size);
			vsplit_cs_set(cs, 1, 64 * round, 64, round);
			vsplit_cs_run(cs, ctx, 0);
			if (round & 1)
				vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, round & 2 ? a->handle : b->handle, 0);
			if (round == 4)
				vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 1);
			vsplit_bo_check(a);
			vsplit_bo_check(b);
		}
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: cpu-writes-make-dirty
 * Description: Bytes that the CPU writes into a segment survive an eviction, even if the GPU only
 *   read the allocation.
 */
static void test_cpu_dirty(void)
{
	for (unsigned int k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct vsplit_bo *a;

		setup_segs(kinds[k], 1);
		a = vsplit_bo(fd, 'A', 16 * U);
		for (unsigned int round = 0; round < 4; round++) {
			vsplit_cs_reset(cs);
			vsplit_cs_alloc(cs, a, 0);
			vsplit_cs_bind(cs, 0, a);
			vsplit_cs_nop(cs, 8);
			vsplit_cs_run(cs, ctx, 0);
			vsplit_bo_pattern(a, round);
			vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
			vsplit_bo_check(a);
		}
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: read-and-written-at-once
 * Description: An instruction that reads and writes the same page finishes, wherever the page is:
 *   after the fault of its write, the fault of its read comes anew.
 */
static void test_at_once(void)
{
	for (unsigned int k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct vsplit_bo *a;

		setup_segs(kinds[k], 1);
		for (unsigned int resident = 0; resident < 2; resident++) {
			a = vsplit_bo(fd, 'A', 2 * U);
			for (unsigned int written = 0; written < 2; written++) {
				uint8_t *bytes = (uint8_t *)a->map;

				if (resident)
					vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 1);
				vsplit_copy_at_once(bytes + U + 1, bytes + U);
				((uint8_t *)a->shadow)[U + 1] = ((uint8_t *)a->shadow)[U];
				vsplit_bo_check(a);
				vsplit_escape(fd, VSPLIT_ESCAPE_EVICT, a->handle, 0);
				vsplit_bo_check(a);
				vsplit_bo_pattern(a, 3);
			}
		}
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: same-pointer-through-evictions
 * Description: The pointer stays valid through many evictions and page-ins by the escape, and each
 *   word is right each time (SEG-12, SEG-15).
 */
static void test_pointer(void)
{
	for (unsigned int k = 0; k < ARRAY_SIZE(kinds); k++) {
		struct vsplit_bo *a;

		setup_segs(kinds[k], 1);
		a = vsplit_bo(fd, 'A', 32 * U);
		vsplit_bo_pattern(a, 1);
		for (unsigned int round = 0; round < 100; round++) {
			uint64_t at = round * 8 % a->size;
			uint64_t word = round * 0x0101010101010101ull;

			vsplit_escape(fd, round & 1 ? VSPLIT_ESCAPE_PAGE_IN : VSPLIT_ESCAPE_EVICT,
				      a->handle, 0);
			vsplit_bo_write(a, at, &word, 8);
			if (round % 5 == 0)
				vsplit_bo_check(a);
		}
		vsplit_bo_check(a);
		vsplit_cleanup();
	}
}

/**
 * SUBTEST: evicted-by-others
 * Description: Allocations that other submissions evict, and that come back, keep their bytes, and
 *   the CPU sees them all the time.
 */
static void test_pressure(void)
{
	struct vsplit_bo *a[6];

	setup();
	for (unsigned int i = 0; i < 6; i++) {
		a[i] = vsplit_bo(fd, 'A' + i, (70 + 3 * i) * U);
		vsplit_bo_pattern(a[i], i);
	}
	for (unsigned int round = 0; round < 30; round++) {
		unsigned int i = round % 6, j = (round * 5 + 1) % 6;
		uint64_t word = round;

		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a[i]);
		vsplit_cs_bind(cs, 1, a[j]);
		if (i != j)
			vsplit_cs_copy(cs, 0, 4096 * round, 1, 8192 * (round % 7), 4096);
		vsplit_cs_run(cs, ctx, 0);
		vsplit_bo_write(a[j], 8 * round, &word, 8);
		vsplit_bo_check(a[(round * 7 + 3) % 6]);
	}
	for (unsigned int i = 0; i < 6; i++)
		vsplit_bo_check(a[i]);
}

/* ---- threads ------------------------------------------------------------ */

static volatile bool stop;

struct stress {
	uint64_t *words;
	unsigned int nr_words;
	unsigned int first;	/* this thread's words: first, first + step, … */
	unsigned int step;
	uint64_t rounds;
	uint64_t bad;
	uint64_t bad_word;
	uint64_t bad_seen;
	uint64_t bad_expected;
};

static uint64_t stress_value(unsigned int word, uint64_t round)
{
	uint64_t v = (round << 20 | word) * 0x9e3779b97f4a7c15ull;

	return v ^ v >> 29;
}

/* Reads the words that it wrote last, then writes new ones: this detects stale and torn words. */
static void *stress_writer(void *arg)
{
	struct stress *s = arg;
	volatile uint64_t *words = s->words;

	for (unsigned int w = s->first; w < s->nr_words; w += s->step)
		words[w] = stress_value(w, 0);
	while (!stop) {
		for (unsigned int w = s->first; w < s->nr_words; w += s->step) {
			uint64_t seen = words[w];

			if (seen != stress_value(w, s->rounds)) {
				if (!s->bad++) {
					s->bad_word = w;
					s->bad_seen = seen;
					s->bad_expected = stress_value(w, s->rounds);
				}
			}
			words[w] = stress_value(w, s->rounds + 1);
		}
		s->rounds++;
	}
	return NULL;
}

static void run_stress(const struct vsplit_seg_opts *seg, bool by_submission, unsigned int times)
{
	enum { THREADS = 3 };
	pthread_t threads[THREADS];
	struct stress stress[THREADS];
	struct vsplit_bo *a, *big;
	uint64_t rounds = 0;
	unsigned int done = 0;

	setup_segs(seg, 1);
	a = vsplit_bo(fd, 'A', 8 * U);
	big = vsplit_bo(fd, 'B', 60 * U);
	stop = false;
	for (unsigned int i = 0; i < THREADS; i++) {
		stress[i] = (struct stress) {
			.words = (uint64_t *)a->map,
			.nr_words = a->size / 8 / 2,	/* the GPU has the second half */
			.first = i,
			.step = THREADS,
		};
		igt_assert_eq(pthread_create(&threads[i], NULL, stress_writer, &stress[i]), 0);
	}
	for (unsigned int i = 0; i < times; i++, done++) {
		if (!by_submission) {
			vsplit_escape(fd, i & 1 ? VSPLIT_ESCAPE_EVICT : VSPLIT_ESCAPE_PAGE_IN,
				      a->handle, 0);
			continue;
		}
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, i & 1 ? big : a);
		vsplit_cs_store(cs, 0, (i & 1 ? 0 : a->size / 2) + 8 * (i % 500), i);
		if (__vsplit_cs_submit(cs, ctx, 0) || __vsplit_cs_wait(cs))
			break;
	}
	stop = true;
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		rounds += stress[i].rounds;
	}
	igt_assert_eq(done, times);
	for (unsigned int i = 0; i < THREADS; i++)
		igt_assert_f(!stress[i].bad, "%" PRIu64 " wrong words; the first: word %" PRIu64
			     " was %#" PRIx64 ", not %#" PRIx64 "\n", stress[i].bad,
			     stress[i].bad_word, stress[i].bad_seen, stress[i].bad_expected);
	for (unsigned int w = 0; w < a->size / 8 / 2; w++)
		igt_assert_eq_u64(((uint64_t *)a->map)[w], stress_value(w, stress[w % THREADS].rounds));
	igt_info("%s: %u changes of place, %" PRIu64 " rounds of the threads\n", seg->name, times,
		 rounds);
	vsplit_cleanup();
}

/**
 * SUBTEST: threads-against-evict-escape
 * Description: Threads read and write words while the allocation is evicted and paged in. They
 *   never get a stale or torn word, nor a signal (SEG-14).
 */
static void test_threads(void)
{
	for (unsigned int k = 0; k < ARRAY_SIZE(kinds); k++)
		run_stress(kinds[k], false, 300);
}

/**
 * SUBTEST: threads-against-submissions
 * Description: The same while submissions evict the allocation and bring it back, and the GPU
 *   writes another part of it.
 */
static void test_threads_submit(void)
{
	for (unsigned int k = 0; k < ARRAY_SIZE(kinds); k++)
		run_stress(kinds[k], true, 200);
}

/**
 * SUBTEST: threads-against-splits
 * Description: The same while split buffers run that do not use the allocation, or only read it.
 */
static void test_threads_split(void)
{
	enum { THREADS = 2 };
	pthread_t threads[THREADS];
	struct stress stress[THREADS];
	struct vsplit_bo *a, *b[3];
	unsigned int done;

	setup();
	a = vsplit_bo(fd, 'A', 8 * U);
	for (unsigned int i = 0; i < 3; i++)
		b[i] = vsplit_bo(fd, 'B' + i, 200 * U);
	stop = false;
	for (unsigned int i = 0; i < THREADS; i++) {
		stress[i] = (struct stress) {
			.words = (uint64_t *)a->map, .nr_words = a->size / 8,
			.first = i, .step = THREADS,
		};
		igt_assert_eq(pthread_create(&threads[i], NULL, stress_writer, &stress[i]), 0);
	}
	for (done = 0; done < 20; done++) {
		unsigned int round = done;

		vsplit_cs_reset(cs);
		vsplit_cs_alloc(cs, a, 0);
		for (unsigned int i = 0; i < 3; i++) {
			vsplit_cs_bind(cs, 0, b[i]);
			vsplit_cs_set(cs, 0, 4096 * round, 4096, round);
			if ((round + i) & 1)
				vsplit_cs_bind(cs, 1, a);
		}
		if (__vsplit_cs_submit(cs, ctx, 0) || __vsplit_cs_wait(cs))
			break;
	}
	stop = true;
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	igt_assert_eq(done, 20);
	for (unsigned int i = 0; i < THREADS; i++) {
		igt_assert_f(!stress[i].bad, "%" PRIu64 " wrong words; the first: word %" PRIu64
			     " was %#" PRIx64 ", not %#" PRIx64 "\n", stress[i].bad,
			     stress[i].bad_word, stress[i].bad_seen, stress[i].bad_expected);
	}
}

/**
 * SUBTEST: fork
 * Description: A mapping that a child inherits shows the same bytes.
 */
static void test_fork(void)
{
	struct vsplit_bo *a;

	setup();
	a = vsplit_bo(fd, 'A', 4 * U);
	vsplit_bo_pattern(a, 1);
	igt_fork(child, 2) {
		igt_assert(!memcmp(a->map + 2, a->shadow + 2, a->size - 2));
		a->map[child] = 0x70 + child;
	}
	igt_waitchildren();
	a->shadow[0] = 0x70;
	a->shadow[1] = 0x71;
	vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 0);
	vsplit_bo_check(a);
}

/**
 * SUBTEST: mapping-outlives-handle-and-file
 * Description: A mapping keeps the allocation after its handle and its file are closed.
 */
static void test_outlive(void)
{
	struct vsplit_bo *a;
	uint8_t *map;
	uint64_t size;

	setup();
	a = vsplit_bo(fd, 'A', 4 * U);
	vsplit_bo_pattern(a, 9);
	vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 0);
	map = a->map;
	size = a->size;
	a->map = NULL;
	vsplit_close(fd);
	for (uint64_t i = 0; i < size; i++)
		igt_assert_eq(map[i], a->shadow[i]);
	map[5] = 1;
	igt_assert_eq(map[5], 1);
	munmap(map, size);
}

/**
 * SUBTEST: system-calls-on-the-mapping
 * Description: The kernel's own accesses to the mapping, in read() and write(), work.
 */
static void test_syscalls(void)
{
	struct vsplit_bo *a;
	int pipes[2];

	setup();
	a = vsplit_bo(fd, 'A', 4 * U);
	vsplit_bo_pattern(a, 4);
	igt_assert_eq(pipe(pipes), 0);
	for (unsigned int round = 0; round < 4; round++) {
		vsplit_escape(fd, round & 1 ? VSPLIT_ESCAPE_EVICT : VSPLIT_ESCAPE_PAGE_IN, a->handle, 0);
		igt_assert_eq(write(pipes[1], a->map, 4096), 4096);
		igt_assert_eq(read(pipes[0], a->map + 8192, 4096), 4096);
		memcpy(a->shadow + 8192, a->shadow, 4096);
		vsplit_bo_check(a);
	}
	close(pipes[0]);
	close(pipes[1]);
}

/**
 * SUBTEST: lock-stays-through-eviction
 * Description: A locked allocation may be evicted, and the pointer still shows its bytes.
 */
static void test_lock(void)
{
	struct drm_vsplit_gem_lock lock = {};
	struct vsplit_bo *a;

	setup();
	a = vsplit_bo_in(fd, 'A', 16 * U, VSPLIT_GEM_CPU_ACCESS, NULL);
	vsplit_bo_pattern(a, 2);
	vsplit_escape(fd, VSPLIT_ESCAPE_PAGE_IN, a->handle, 0);
	lock.handle = a->handle;
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_LOCK, &lock), 0);
	vsplit_bo_pattern(a, 3);
	vsplit_cs_bind(cs, 0, vsplit_bo(fd, 'B', 250 * U));
	vsplit_cs_set(cs, 0, 0, 4096, 1);
	vsplit_cs_run(cs, ctx, 0);
	vsplit_bo_check(a);
	vsplit_bo_pattern(a, 4);
	igt_assert_eq(__vsplit_ioctl(fd, DRM_IOCTL_VSPLIT_GEM_UNLOCK, &lock), 0);
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_copy(cs, 0, 0, 0, 8192, 8192);
	vsplit_cs_run(cs, ctx, 0);
}

static const struct vsplit_subtest tests[] = {
	{ "zero-through-every-kind-of-memory", test_zero,
	  "New memory reads as zeros for the CPU, before and after it was resident, in segments "
	  "that the CPU sees, does not see, or sees in part" },
	{ "cpu-writes-reach-the-gpu", test_coherent,
	  "The GPU reads what the CPU writes, and the CPU what the GPU writes, wherever the "
	  "allocation is at the time" },
	{ "cpu-writes-make-dirty", test_cpu_dirty,
	  "Bytes that the CPU writes into a segment survive an eviction, even if the GPU only read "
	  "the allocation" },
	{ "read-and-written-at-once", test_at_once,
	  "An instruction that reads and writes the same page finishes, wherever the page is: "
	  "after the fault of its write, the fault of its read comes anew" },
	{ "same-pointer-through-evictions", test_pointer,
	  "The pointer stays valid through many evictions and page-ins by the escape, and each "
	  "word is right each time (SEG-12, SEG-15)" },
	{ "evicted-by-others", test_pressure,
	  "Allocations that other submissions evict, and that come back, keep their bytes, and the "
	  "CPU sees them all the time" },
	{ "threads-against-evict-escape", test_threads,
	  "Threads never get a stale or torn word, nor a signal, while the allocation is evicted "
	  "and paged in (SEG-14)" },
	{ "threads-against-submissions", test_threads_submit,
	  "Threads never get a stale or torn word while submissions evict and bring back the "
	  "allocation, and the GPU writes" },
	{ "threads-against-splits", test_threads_split,
	  "Threads never get a stale or torn word while split buffers run that do not use the "
	  "allocation, or only read it" },
	{ "fork", test_fork, "A mapping that a child inherits shows the same bytes" },
	{ "mapping-outlives-handle-and-file", test_outlive,
	  "A mapping keeps the allocation after its handle and its file are closed" },
	{ "system-calls-on-the-mapping", test_syscalls,
	  "The kernel's own accesses to the mapping, in read() and write(), work" },
	{ "lock-stays-through-eviction", test_lock,
	  "A locked allocation may be evicted, and the pointer still shows its bytes" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
