// SPDX-License-Identifier: MIT
/*
 * Compares the software GPU with the C library and a plain loop on this processor: megabytes, or
 * million multiply-accumulates, in a second; the best of several runs counts. Prints lines
 * "gpu.WHAT.here VALUE" and "gpu.WHAT.peer VALUE"; only their ratio means anything on other
 * machines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu_world.h"

#define HALF	(W_MEM_BYTES / 2)
#define SIDE	256u
#define TIMES	12

static struct world *w;
static u8 *mine;
static volatile u8 sink;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void gpu(void)
{
	if (world_run(w))
		abort();
}

static void c_memset(void)
{
	memset(mine, sink, HALF);
	sink = mine[HALF - 1];
}

static void c_pattern(void)
{
	u32 *at = (u32 *)mine, pattern = 0x01020304 + sink, i;

	for (i = 0; i < HALF / 4; i++)
		at[i] = pattern;
	sink = mine[HALF - 1];
}

static void c_memcpy(void)
{
	memcpy(mine, mine + HALF, HALF);
	sink = mine[HALF - 1];
}

/* A plain loop; the compiler may use AVX2. */
__attribute__((optimize("O3"), target("avx2")))
static void c_multiply(void)
{
	static s32 c[SIDE][SIDE];
	const s8 *a = (s8 *)mine, *b = a + SIDE * SIDE;
	u32 i, j, k;

	memset(c, 0, sizeof(c));
	for (i = 0; i < SIDE; i++)
		for (k = 0; k < SIDE; k++)
			for (j = 0; j < SIDE; j++)
				c[i][j] += a[i * SIDE + k] * b[k * SIDE + j];
	sink = c[SIDE - 1][SIDE - 1];
}

static void row(const char *what, const char *who, void (*once)(void), double amount)
{
	double best = 1e9;
	u32 i, j;

	for (i = 0; i < TIMES; i++) {
		double begin = now();

		for (j = 0; j < 64; j++)
			once();
		begin = (now() - begin) / 64;
		best = begin < best ? begin : best;
	}
	printf("gpu.%s.%s %.0f\n", what, who, amount / best / 1e6);
}

static void operand(struct vsplit_operand *o, u32 slot, u64 offset)
{
	o->slot = slot;
	o->value = offset;
}

int main(void)
{
	struct vsplit_packet_mma *mma;

	w = world_standard();
	mine = aligned_alloc(64, W_MEM_BYTES);
	memset(mine, 3, W_MEM_BYTES);

	world_state(w, VSPLIT_STATE_FILL, 0);
	world_fill(w, 0, 0, HALF);
	row("fill-bytes", "here", gpu, HALF);
	row("fill-bytes", "peer", c_memset, HALF);
	world_clear(w);
	world_state(w, VSPLIT_STATE_FILL, 0x01020304);
	world_fill(w, 0, 0, HALF);
	row("fill-pattern", "here", gpu, HALF);
	row("fill-pattern", "peer", c_pattern, HALF);
	world_clear(w);
	world_copy(w, 0, 0, 0, HALF, HALF);
	row("copy", "here", gpu, HALF);
	row("copy", "peer", c_memcpy, HALF);
	world_clear(w);
	world_state(w, VSPLIT_STATE_LDA, SIDE);
	world_state(w, VSPLIT_STATE_LDB, SIDE);
	world_state(w, VSPLIT_STATE_LDC, 4 * SIDE);
	mma = world_add(w, VSPLIT_OP_MMA, sizeof(*mma));
	mma->m = SIDE;
	mma->n = SIDE;
	mma->k = SIDE;
	operand(&mma->c, 0, 0);
	operand(&mma->a, 0, HALF);
	operand(&mma->b, 0, HALF + SIDE * SIDE);
	row("multiply", "here", gpu, (double)SIDE * SIDE * SIDE);
	row("multiply", "peer", c_multiply, (double)SIDE * SIDE * SIDE);
	world_free(w);
	return 0;
}
