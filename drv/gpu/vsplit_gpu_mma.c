// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Integer matrix multiply-accumulate.
 */
#include "vsplit_gpu_internal.h"

/**
 * DOC: Matrices, three products with one multiplication
 *
 * The kernel may not use vector registers here, but one 64-bit multiplication
 * can do the work of three. Three neighbours of a row of B go into one word,
 *
 *	W = b0 + b1 X + b2 X^2,	X = 2^21,
 *
 * so a W holds a b0, a b1 and a b2, and a sum of such words holds the three
 * sums. It is exact as long as no sum leaves its field: a product of two int8 is
 * at most 2^14 in magnitude, so MMA_FLUSH = 62 of them stay below 2^20, half of
 * a field. Then the fields are taken apart, lowest first: each is the sign
 * extension of its 21 bits, and what is left, minus it, divides by X.
 *
 * Around this the usual blocking. A panel of B is packed once for all rows of A,
 * a block of A is packed for it, and the kernel keeps a tile of 4 rows by 2
 * words in registers; one load of A feeds two steps. Packing reaches operands
 * row by row in chunks, so pages and linear memory cost nearly the same, and
 * the kernel itself sees nothing but the scratch memory, which is allocated with
 * the engine.
 *
 * If C overlaps A or B its content is undefined afterwards, nothing worse.
 */

#define MMA_SHIFT	21
#define MMA_FIELDS	3			/* columns of a word */
#define MMA_FLUSH	62			/* steps until the fields are taken apart; even */
#define MMA_MR		4			/* rows of a tile */
#define MMA_NR		2			/* words of a tile */
#define MMA_COLS	(MMA_NR * MMA_FIELDS)	/* columns of a tile */
#define MMA_KC		(6 * MMA_FLUSH)		/* steps of a block */
#define MMA_MC		32			/* rows of a block */
#define MMA_NC		(32 * MMA_COLS)		/* columns of a panel */

static_assert(MMA_FLUSH % 2 == 0, "a load of A feeds two steps");
static_assert((MMA_FLUSH << 14) < (1 << (MMA_SHIFT - 1)), "sums stay in their fields");
static_assert(MMA_MC % MMA_MR == 0, "blocks are made of tiles");

/**
 * struct vsplit_gpu_mma_scratch - Packed operands; of one engine's thread.
 * @b: tiles of MMA_NR words; in a tile MMA_NR words for each step.
 * @a: tiles of MMA_MR rows; in a tile MMA_MR bytes for each step.
 * @c: sums of a block, rows of MMA_NC.
 * @row: a row of an operand that is not contiguous.
 */
struct vsplit_gpu_mma_scratch {
	u64 b[MMA_NC / MMA_FIELDS * MMA_KC];
	u8 a[MMA_MC * MMA_KC];
	u32 c[MMA_MC * MMA_NC];
	s8 row[MMA_KC > MMA_NC ? MMA_KC : MMA_NC];
};

/**
 * struct mma_block - Where the multiplication is.
 * @scratch: packed operands.
 * @work: for whom.
 * @mma: what.
 * @i: first row.
 * @j: first column.
 * @l: first step.
 * @rows: of the block.
 * @cols: of the block.
 * @steps: of the block.
 * @refused: matrix that could not be reached.
 * @address: where not.
 */
struct mma_block {
	struct vsplit_gpu_mma_scratch *scratch;
	const struct vsplit_gpu_work *work;
	const struct vsplit_gpu_mma *mma;
	u32 i, j, l;
	u32 rows, cols, steps;
	const struct vsplit_gpu_matrix *refused;
	u64 address;
};

size_t vsplit_gpu_mma_scratch_bytes(void)
{
	return sizeof(struct vsplit_gpu_mma_scratch);
}

static u32 mma_round_up(u32 n, u32 to)
{
	return (n + to - 1) / to * to;
}

static bool mma_map(struct mma_block *block, const struct vsplit_gpu_matrix *matrix, u64 offset,
		    u64 bytes, struct vsplit_gpu_chunk *chunk)
{
	if (vsplit_gpu_span_map(&matrix->span, offset, bytes, chunk))
		return true;
	block->refused = matrix;
	block->address = matrix->span.address + offset;
	return false;
}

/**
 * mma_row() - Get at bytes of an int8 matrix that need not be contiguous.
 * @block: the multiplication.
 * @matrix: A or B.
 * @offset: of the first byte.
 * @bytes: at most the size of the scratch row.
 * @chunk: to be unmapped if the return value is not NULL; may be empty.
 *
 * Return: the bytes, or NULL.
 */
static const s8 *mma_row(struct mma_block *block, const struct vsplit_gpu_matrix *matrix,
			 u64 offset, u32 bytes, struct vsplit_gpu_chunk *chunk)
{
	s8 *row = block->scratch->row;
	u32 done;

	if (!mma_map(block, matrix, offset, bytes, chunk))
		return NULL;
	if (chunk->bytes == bytes)
		return (const s8 *)chunk->ptr;
	for (done = 0;;) {
		memcpy(row + done, chunk->ptr, chunk->bytes);
		done += chunk->bytes;
		vsplit_gpu_span_unmap(chunk);
		chunk->kmap = NULL;
		if (done == bytes)
			return row;
		if (!mma_map(block, matrix, offset + done, bytes - done, chunk))
			return NULL;
	}
}

/* The packed words of B: a tile after the other, MMA_NR words for each step. */
static bool mma_pack_b(struct mma_block *block)
{
	const struct vsplit_gpu_matrix *b = &block->mma->b;
	u32 tiles = DIV_ROUND_UP(block->cols, MMA_COLS);
	u32 steps = mma_round_up(block->steps, 2);
	struct vsplit_gpu_chunk chunk;
	u32 l, t, f;

	for (l = 0; l < steps; l++) {
		u64 *out = block->scratch->b + l * MMA_NR;
		const s8 *row = NULL;

		if (l < block->steps) {
			row = mma_row(block, b, (u64)(block->l + l) * b->pitch + block->j,
				      block->cols, &chunk);
			if (!row)
				return false;
		}
		for (t = 0; t < tiles * MMA_NR; t++) {
			u32 left = block->cols - min_t(u32, block->cols, t * MMA_FIELDS);
			u64 word = 0;

			for (f = min_t(u32, left, MMA_FIELDS); row && f--;)
				word = (word << MMA_SHIFT) + (s64)row[t * MMA_FIELDS + f];
			out[(t / MMA_NR) * MMA_NR * steps + t % MMA_NR] = word;
		}
		if (row)
			vsplit_gpu_span_unmap(&chunk);
	}
	return true;
}

/* The packed bytes of A: a tile after the other, MMA_MR bytes for each step. */
static bool mma_pack_a(struct mma_block *block)
{
	const struct vsplit_gpu_matrix *a = &block->mma->a;
	u32 rows = mma_round_up(block->rows, MMA_MR);
	u32 steps = mma_round_up(block->steps, 2);
	struct vsplit_gpu_chunk chunk;
	u32 i, l;

	memset(block->scratch->a, 0, (size_t)rows * steps);
	for (i = 0; i < block->rows; i++) {
		u8 *out = block->scratch->a + (size_t)(i / MMA_MR) * MMA_MR * steps + i % MMA_MR;
		const s8 *row;

		row = mma_row(block, a, (u64)(block->i + i) * a->pitch + block->l, block->steps,
			      &chunk);
		if (!row)
			return false;
		for (l = 0; l < block->steps; l++)
			out[l * MMA_MR] = row[l];
		vsplit_gpu_span_unmap(&chunk);
	}
	return true;
}

/* Add the fields of a sum to three neighbours of C. */
static inline void mma_flush(u32 *c, u64 sum)
{
	s64 field;
	u32 f;

	for (f = 0; f < MMA_FIELDS - 1; f++) {
		field = (s64)(sum << (64 - MMA_SHIFT)) >> (64 - MMA_SHIFT);
		c[f] += (u32)field;
		sum = (u64)((s64)(sum - field) >> MMA_SHIFT);
	}
	c[f] += (u32)sum;
}

/* One row of the tile: the lowest byte of @four, which is shifted to the next. */
#define MMA_ROW(s0, s1) do {				\
	s64 a_ = (s8)four;				\
							\
	four >>= 8;					\
	s0 += (u64)a_ * b0;				\
	s1 += (u64)a_ * b1;				\
} while (0)

#define MMA_STEP(n) do {				\
	u64 b0 = b[MMA_NR * (n)];			\
	u64 b1 = b[MMA_NR * (n) + 1];			\
							\
	MMA_ROW(s00, s01);				\
	MMA_ROW(s10, s11);				\
	MMA_ROW(s20, s21);				\
	MMA_ROW(s30, s31);				\
} while (0)

/* A tile over at most MMA_FLUSH steps: an even number. */
static void mma_tile(const u8 *a, const u64 *b, u32 steps, u32 *c)
{
	u64 s00 = 0, s01 = 0, s10 = 0, s11 = 0;
	u64 s20 = 0, s21 = 0, s30 = 0, s31 = 0;
	const u64 *end = b + MMA_NR * steps;

	for (; b != end; a += 2 * MMA_MR, b += 2 * MMA_NR) {
		u64 four = *(const u64 *)a;

		MMA_STEP(0);
		MMA_STEP(1);
	}
	mma_flush(c, s00);
	mma_flush(c + MMA_FIELDS, s01);
	mma_flush(c + MMA_NC, s10);
	mma_flush(c + MMA_NC + MMA_FIELDS, s11);
	mma_flush(c + 2 * MMA_NC, s20);
	mma_flush(c + 2 * MMA_NC + MMA_FIELDS, s21);
	mma_flush(c + 3 * MMA_NC, s30);
	mma_flush(c + 3 * MMA_NC + MMA_FIELDS, s31);
}

/* Multiply the packed block into the sums. */
static void mma_multiply(struct mma_block *block)
{
	struct vsplit_gpu_mma_scratch *scratch = block->scratch;
	u32 steps = mma_round_up(block->steps, 2);
	u32 i, j, l, n;

	memset(scratch->c, 0, sizeof(scratch->c[0]) * MMA_NC * mma_round_up(block->rows, MMA_MR));
	for (j = 0; j < block->cols; j += MMA_COLS) {
		const u64 *b = scratch->b + (size_t)j / MMA_FIELDS * steps;

		for (i = 0; i < block->rows; i += MMA_MR) {
			const u8 *a = scratch->a + (size_t)i * steps;
			u32 *c = scratch->c + i * MMA_NC + j;

			for (l = 0; l < steps; l += n) {
				n = min_t(u32, steps - l, MMA_FLUSH);
				mma_tile(a + l * MMA_MR, b + l * MMA_NR, n, c);
			}
		}
	}
}

/* Add the sums to C, or let them become C; whole words, C is aligned. */
static bool mma_write_row(struct mma_block *block, const u32 *sum, u64 offset)
{
	bool add = block->mma->accumulate || block->l;
	struct vsplit_gpu_chunk chunk;
	u32 j, n, *out;

	for (j = 0; j < block->cols; j += n) {
		if (!mma_map(block, &block->mma->c, offset + j * sizeof(*sum),
			     (block->cols - j) * sizeof(*sum), &chunk))
			return false;
		out = (u32 *)chunk.ptr;
		for (n = 0; n < chunk.bytes / sizeof(*sum); n++)
			out[n] = (add ? out[n] : 0) + sum[j + n];
		vsplit_gpu_span_unmap(&chunk);
	}
	return true;
}

static bool mma_write(struct mma_block *block)
{
	const struct vsplit_gpu_matrix *c = &block->mma->c;
	u32 i;

	for (i = 0; i < block->rows; i++) {
		u64 offset = (u64)(block->i + i) * c->pitch + (u64)block->j * sizeof(u32);

		if (!mma_write_row(block, block->scratch->c + i * MMA_NC, offset))
			return false;
	}
	return true;
}

/* All rows of A with the packed panel of B. */
static enum vsplit_gpu_moved mma_panel(struct mma_block *block)
{
	for (block->i = 0; block->i < block->mma->m; block->i += block->rows) {
		block->rows = min_t(u32, block->mma->m - block->i, MMA_MC);
		if (vsplit_gpu_work_stop(block->work))
			return VSPLIT_GPU_MOVED_STOPPED;
		if (!mma_pack_a(block))
			return VSPLIT_GPU_MOVED_DECODE;
		mma_multiply(block);
		if (!mma_write(block))
			return VSPLIT_GPU_MOVED_DECODE;
	}
	return VSPLIT_GPU_MOVED_ALL;
}

static enum vsplit_gpu_moved mma_panels(struct mma_block *block)
{
	const struct vsplit_gpu_mma *mma = block->mma;
	enum vsplit_gpu_moved moved;

	for (block->j = 0; block->j < mma->n; block->j += block->cols) {
		block->cols = min_t(u32, mma->n - block->j, MMA_NC);
		for (block->l = 0; block->l < mma->k; block->l += block->steps) {
			block->steps = min_t(u32, mma->k - block->l, MMA_KC);
			if (!mma_pack_b(block))
				return VSPLIT_GPU_MOVED_DECODE;
			moved = mma_panel(block);
			if (moved)
				return moved;
		}
	}
	return VSPLIT_GPU_MOVED_ALL;
}

enum vsplit_gpu_moved
vsplit_gpu_mma(struct vsplit_gpu_mma_scratch *scratch, const struct vsplit_gpu_work *work,
	       const struct vsplit_gpu_mma *mma, const struct vsplit_gpu_matrix **refused,
	       u64 *address)
{
	struct mma_block block = {
		.scratch = scratch,
		.work = work,
		.mma = mma,
		.refused = &mma->c,
	};
	enum vsplit_gpu_moved moved = mma_panels(&block);

	*refused = block.refused;
	*address = block.address;
	return moved;
}
