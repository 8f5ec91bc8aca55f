// SPDX-License-Identifier: MIT
/*
 * Matrices: all small sizes, the edges of blocks and the extremes of values, compared with the
 * definition, for each unit that this processor has. With a size as argument, measures the speed
 * instead.
 */
#include <time.h>

#include "../drv/gpu/vsplit_gpu_mma.h"
#include "gpu_world.h"
#include "harness.h"

/* A world for matrices: one region for each matrix, of pages or memory. */
struct matrices {
	struct vsplit_gpu_space space;
	struct vsplit_gpu_engine engine;
	struct vsplit_gpu_mma_scratch *scratch;
	struct vsplit_gpu_mma mma;
	u8 *bytes[3];
	struct page **entries[3];
};

enum { C, A, B };

/* The unit that multiplies. */
static const struct vsplit_gpu_mma_unit *unit;

/* @gart: the pages are in reverse order, and no page follows the last one. */
static void matrices_region(struct matrices *t, u32 which, u64 bytes, bool gart)
{
	struct vsplit_gpu_region *region = &t->space.regions[which];
	u64 pages = (bytes + 4095) / 4096, i;

	t->bytes[which] = gart ? aligned_alloc(4096, pages * 4096) : malloc(bytes);
	t->entries[which] = malloc(pages * sizeof(struct page *));
	for (i = 0; i < pages; i++)
		t->entries[which][i] = (struct page *)t->bytes[which] + (pages - 1 - i);
	*region = (struct vsplit_gpu_region) {
		.base = (which + 1ull) << 40,
		.size = gart ? pages * 4096 : bytes,
		.memory = t->bytes[which],
		.entries = gart ? t->entries[which] : NULL,
	};
}

static u8 *at(struct matrices *t, u32 which, u64 offset)
{
	if (t->space.regions[which].entries)
		return t->entries[which][offset / 4096]->bytes + offset % 4096;
	return t->bytes[which] + offset;
}

static struct matrices *matrices_new(u32 m, u32 n, u32 k, u32 gap, bool gart)
{
	struct matrices *t = calloc(1, sizeof(*t));
	struct vsplit_gpu_surface *all[] = { &t->mma.c, &t->mma.a, &t->mma.b };
	u32 rows[] = { m, m, k }, width[] = { 4 * n, k, n }, i;

	t->scratch = malloc(vsplit_gpu_mma_scratch_bytes());
	vsplit_gpu_mma_scratch_init(t->scratch, unit);
	t->space.nr_regions = 3;
	t->mma.m = m;
	t->mma.n = n;
	t->mma.k = k;
	for (i = 0; i < 3; i++) {
		all[i]->pitch = width[i] + 4 * gap;
		matrices_region(t, i, (rows[i] - 1ull) * all[i]->pitch + width[i], gart);
		all[i]->span = (struct vsplit_gpu_span) {
			.space = &t->space, .address = (i + 1ull) << 40, .slot = i,
			.access = i == C ? VSPLIT_GPU_ACCESS_WRITE : 0,
		};
	}
	return t;
}

static void matrices_free(struct matrices *t)
{
	u32 i;

	for (i = 0; i < 3; i++) {
		free(t->bytes[i]);
		free(t->entries[i]);
	}
	free(t->scratch);
	free(t);
}

/* How values are chosen: 0: at random, else from the extremes. */
static s8 value(u32 kind)
{
	static const s8 extremes[] = { -128, 127, -127, -1, 0, 1 };

	switch (kind) {
	case 0: return rng() >> 56;
	case 1: return -128;
	case 2: return 127;
	default: return extremes[below(6)];
	}
}

static u64 size_of(struct matrices *t, u32 which)
{
	return t->space.regions[which].size;
}

static enum vsplit_gpu_moved multiply(struct matrices *t)
{
	struct vsplit_gpu_program program = { 0 };
	struct vsplit_gpu_work work = { .engine = &t->engine, .program = &program };

	return vsplit_gpu_mma(t->scratch, &work, &t->mma);
}

static u32 get(struct matrices *t, u64 offset)
{
	u32 value;

	memcpy(&value, at(t, C, offset), 4);
	return value;
}

static void one(u32 m, u32 n, u32 k, u32 gap, bool gart, bool accumulate, u32 a_kind, u32 b_kind)
{
	struct matrices *t = matrices_new(m, n, k, gap, gart);
	u32 *should = malloc(4ull * m * n), i, j, l;
	u64 byte;

	for (byte = 0; byte < size_of(t, A); byte++)
		*at(t, A, byte) = value(a_kind);
	for (byte = 0; byte < size_of(t, B); byte++)
		*at(t, B, byte) = value(b_kind);
	for (byte = 0; byte < size_of(t, C); byte++)
		*at(t, C, byte) = rng();
	t->mma.accumulate = accumulate;
	for (i = 0; i < m; i++) {
		for (j = 0; j < n; j++) {
			u32 sum = accumulate ? get(t, (u64)i * t->mma.c.pitch + 4 * j) : 0;

			for (l = 0; l < k; l++)
				sum += (s8)*at(t, A, (u64)i * t->mma.a.pitch + l) *
				       (s8)*at(t, B, (u64)l * t->mma.b.pitch + j);
			should[(u64)i * n + j] = sum;
		}
	}
	t_equal(multiply(t), VSPLIT_GPU_MOVED_ALL);
	for (i = 0; i < m; i++) {
		for (j = 0; j < n; j++) {
			if (get(t, (u64)i * t->mma.c.pitch + 4 * j) != should[(u64)i * n + j])
				t_fail("%ux%ux%u, gap %u, gart %u, add %u, kinds %u %u: row %u, "
				       "column %u", m, n, k, gap, gart, accumulate, a_kind, b_kind,
				       i, j);
		}
	}
	free(should);
	matrices_free(t);
}

static void mma_small(void)
{
	u32 m, n, k;

	for (m = 1; m <= 9; m++) {
		for (n = 1; n <= 14; n++) {
			for (k = 1; k <= 9; k++)
				one(m, n, k, (m + n + k) % 4, n & 1, k & 1, 0, 0);
		}
	}
}

/* Sizes around those of all blocks that the implementation may use. */
static void mma_edges(void)
{
	static const u32 sizes[] = { 3, 31, 32, 33, 61, 62, 63, 64, 65, 124, 125, 127, 128, 129,
				     191, 192, 193, 371, 372, 373, 384, 400 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		one(sizes[i], 5, 7, 0, i & 1, i & 2, 0, 0);
		one(5, sizes[i], 7, 3, i & 1, i & 2, 0, 0);
		one(5, 7, sizes[i], 1, i & 1, i & 2, 0, 0);
		one(33, sizes[i], sizes[i], 0, i & 1, !(i & 2), 0, 0);
	}
	one(100, 400, 800, 5, false, true, 0, 0);
	one(70, 200, 400, 5, true, false, 0, 0);
}

/* The largest sums: the fields of the arithmetic must not overflow. */
static void mma_extremes(void)
{
	u32 a, b, i;

	for (a = 1; a <= 3; a++) {
		for (b = 1; b <= 3; b++) {
			one(8, 12, 2000, 0, false, false, a, b);
			one(5, 8, 371, 0, true, true, a, b);
		}
	}
	for (i = 0; i < 20; i++)
		one(1 + below(8), 1 + below(12), 1 + below(1000), 0, false, true, 3, 3);
	/* The longest sum: 65536 * 2^14 = 2^30. */
	one(4, 6, VSPLIT_MMA_MAX_DIM, 0, false, false, 1, 1);
	one(4, 6, VSPLIT_MMA_MAX_DIM, 0, false, true, 1, 2);
}

static void mma_long(void)
{
	one(VSPLIT_MMA_MAX_DIM, 2, 3, 0, false, false, 0, 0);
	one(2, VSPLIT_MMA_MAX_DIM, 3, 0, true, false, 0, 0);
}

static void mma_random(void)
{
	u32 i;

	for (i = 0; i < 300; i++)
		one(1 + below(100), 1 + below(250), 1 + below(450), below(9), below(2), below(2),
		    below(4), below(4));
}

/* An unmapped page of any matrix is refused, and the fault tells which. */
static void mma_unmapped(void)
{
	u32 which, page;

	for (which = 0; which < 3; which++) {
		for (page = 0; page < 3; page++) {
			struct matrices *t = matrices_new(100, 100, 100, 0, true);
			struct vsplit_gpu_program program = { 0 };
			struct vsplit_gpu_work work = { .engine = &t->engine, .program = &program };
			struct vsplit_gpu_surface *all[] = { &t->mma.c, &t->mma.a, &t->mma.b };

			t->entries[which][page] = NULL;
			t_equal(vsplit_gpu_mma(t->scratch, &work, &t->mma), VSPLIT_GPU_MOVED_DECODE);
			t_equal(program.fault.slot, which);
			t_check(program.fault.address >> 12 == (all[which]->span.address >> 12) + page);
			matrices_free(t);
		}
	}
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static void measure(u32 size, bool gart)
{
	struct matrices *t = matrices_new(size, size, size, 0, gart);
	double begin, took = 1e9;
	u32 i;

	for (i = 0; i < 3; i++) {
		begin = seconds();
		multiply(t);
		if (seconds() - begin < took)
			took = seconds() - begin;
	}
	printf("# %s, %u^3, %s: %.3f s, %.2f 10^9 multiply-accumulates/s\n", unit->name, size,
	       gart ? "pages" : "memory", took, 1e-9 * size * size * size / took);
	matrices_free(t);
}

/* A good loop of a user process: rows of B times words of A, which the compiler vectorizes. */
static double measure_loop(u32 size)
{
	s8 *a = calloc(size, size), *b = calloc(size, size);
	u32 *c = calloc((size_t)size * size, sizeof(*c)), i, j, l;
	double begin = seconds(), took;

	for (i = 0; i < size; i++)
		for (l = 0; l < size; l++)
			for (j = 0; j < size; j++)
				c[i * size + j] += a[i * size + l] * b[l * size + j];
	took = seconds() - begin;
	t_check(!c[size]);
	free(a);
	free(b);
	free(c);
	return took;
}

int main(int argc, char **argv)
{
	u32 i;

	for (i = 0; (unit = vsplit_gpu_mma_unit(i)); i++) {
		if (argc > 1) {
			measure(atoi(argv[1]), false);
			measure(atoi(argv[1]), true);
			continue;
		}
		printf("# unit %s\n", unit->name);
		t_run(mma_small);
		t_run(mma_edges);
		t_run(mma_extremes);
		t_run(mma_long);
		t_run(mma_random);
		t_run(mma_unmapped);
	}
	/* Every processor has the last unit. */
	t_check(i);
	if (argc > 1)
		printf("# a plain loop: %.3f s\n", measure_loop(atoi(argv[1])));
	return t_status;
}
