/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The multiplication of a vector unit. The file that includes this header defines
 *
 *   MMA_LANES	  int32 of a vector
 *   MMA_TILE_ROWS  rows of a tile; with two vectors each they stay in registers
 *   mma_dot()	  sum + the dot products of pairs of int16
 *
 * and is built for a processor that has such vectors. mma_pack_a_pairs() and
 * mma_pack_b_pairs() pack the operands.
 */

#define MMA_TILE_COLS	(2 * MMA_LANES)

static_assert(MMA_MC % MMA_TILE_ROWS == 0 && MMA_NC % MMA_TILE_COLS == 0,
	      "blocks are whole tiles");

/* Copy a word of A into every lane. */
static __always_inline mma_vector mma_broadcast(u32 word)
{
	return (mma_vector){} + (s32)word;
}

/* Unaligned: the scratch memory is aligned for words alone. */
static __always_inline mma_vector mma_load(const u32 *words)
{
	mma_vector vector;

	__builtin_memcpy(&vector, words, sizeof(vector));
	return vector;
}

static __always_inline void mma_store(u32 *words, mma_vector vector)
{
	__builtin_memcpy(words, &vector, sizeof(vector));
}

/* Multiply a tile of MMA_TILE_ROWS rows by two vectors, over all pairs of steps. */
static void mma_tile(const u32 *a, const u32 *b, u32 pairs, u32 *c)
{
	mma_vector sum[MMA_TILE_ROWS][2] = {};
	u32 i;

	for (; pairs; pairs--, a += MMA_TILE_ROWS, b += MMA_TILE_COLS) {
		mma_vector b0 = mma_load(b), b1 = mma_load(b + MMA_LANES);

#pragma GCC unroll 16
		for (i = 0; i < MMA_TILE_ROWS; i++) {
			mma_vector word = mma_broadcast(a[i]);

			sum[i][0] = mma_dot(sum[i][0], word, b0);
			sum[i][1] = mma_dot(sum[i][1], word, b1);
		}
	}
#pragma GCC unroll 16
	for (i = 0; i < MMA_TILE_ROWS; i++) {
		mma_store(c + i * MMA_NC, sum[i][0]);
		mma_store(c + i * MMA_NC + MMA_LANES, sum[i][1]);
	}
}

static void mma_multiply(struct vsplit_gpu_mma_scratch *scratch, u32 rows, u32 cols, u32 steps)
{
	const u32 *a = (const u32 *)scratch->a, *b = (const u32 *)scratch->b;
	u32 pairs = DIV_ROUND_UP(steps, 2);
	u32 i, j;

	for (j = 0; j < cols; j += MMA_TILE_COLS) {
		for (i = 0; i < rows; i += MMA_TILE_ROWS)
			mma_tile(a + i * pairs, b + j * pairs, pairs, scratch->c + i * MMA_NC + j);
	}
}
