// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Integer matrix multiply-accumulate.
 */
#include "vsplit_gpu_mma.h"

/**
 * DOC: Matrices
 *
 * Multiplication is blocked as usual: a panel of B is packed once for all rows of A, a
 * block of A is packed for the panel, and a *unit* multiplies the packed block into sums.
 * Packing reads operands row by row in chunks, so pages and linear memory cost nearly the
 * same. A unit sees only the scratch memory, which is allocated with the engine. Every
 * unit computes the same sums, modulo 2^32, so results do not depend on the processor.
 *
 * Units with vector registers (vsplit_gpu_mma_vector.h) are used where the processor
 * has them. Such a unit runs between vsplit_gpu_fpu_begin() and vsplit_gpu_fpu_end(), where
 * the kernel is not preempted, for one block at a time: MMA_MC rows, MMA_NC columns,
 * MMA_KC steps, some 100 us at most on the processors that have such registers.
 *
 * The scalar unit computes three products with one multiplication. Three neighbours of
 * a row of B go into one word,
 *
 *	W = b0 + b1 X + b2 X^2,	X = 2^21,
 *
 * so a * W holds a * b0, a * b1 and a * b2, and a sum of such words holds the three
 * sums. The sums are exact as long as none leaves its field: a product of two int8 is
 * at most 2^14 in magnitude, so MMA_FLUSH = 62 of them stay below 2^20, half of a
 * field. After that the fields are taken apart, lowest first: the sum of a field is the
 * sign extension of its 21 bits; the word minus that sum is divided by X. The unit keeps
 * a tile of 8 rows by one word in registers: a step loads one word of B, and a word of A
 * with one byte for each row. Fewer loads would need more registers than there are, and
 * loads cost most where the processor is emulated.
 *
 * If C overlaps A or B, the content of C is undefined afterwards, and nothing else happens.
 */

#define MMA_SHIFT	21
#define MMA_FIELDS	3			/* columns of a word */
#define MMA_FLUSH	62			/* steps until the fields are taken apart */
#define MMA_ROWS	8			/* rows of a tile: one for each byte of a word */

static_assert((MMA_FLUSH << 14) < (1 << (MMA_SHIFT - 1)), "sums stay in their fields");
static_assert(MMA_FIELDS * MMA_SHIFT <= 64, "fields fit into a word");
static_assert(MMA_NC % MMA_FIELDS == 0 && MMA_MC % MMA_ROWS == 0, "blocks are whole tiles");
static_assert(MMA_KC <= MMA_NC, "a row of A fits where one of B does");

/**
 * struct mma_block - The block that is being multiplied.
 * @scratch: packed operands.
 * @work: the work.
 * @mma: the multiplication.
 * @i: first row.
 * @j: first column.
 * @l: first step.
 * @rows: number of rows.
 * @cols: number of columns.
 * @steps: number of steps.
 */
struct mma_block {
	struct vsplit_gpu_mma_scratch *scratch;
	const struct vsplit_gpu_work *work;
	const struct vsplit_gpu_mma *mma;
	u32 i, j, l;
	u32 rows, cols, steps;
};

/**
 * mma_row() - Map bytes of a row of an int8 matrix; copy them if they are not contiguous.
 * @block: the block.
 * @matrix: A or B.
 * @offset: offset of the first byte in the matrix.
 * @bytes: at most the size of the scratch row.
 * @chunk: the caller unmaps it if the return value is not NULL; may be empty.
 *
 * Return: the bytes, or NULL.
 */
static const s8 *mma_row(struct mma_block *block, const struct vsplit_gpu_surface *matrix,
			 u64 offset, u32 bytes, struct vsplit_gpu_chunk *chunk)
{
	s8 *row = block->scratch->row;
	u32 done;

	if (!vsplit_gpu_surface_map(block->work, matrix, offset, bytes, chunk))
		return NULL;
	if (chunk->bytes == bytes)
		return (const s8 *)chunk->ptr;
	for (done = 0;;) {
		memcpy(row + done, chunk->ptr, chunk->bytes);
		done += chunk->bytes;
		vsplit_gpu_span_unmap(chunk);
		chunk->kmap = NULL;
		chunk->tlb = NULL;
		if (done == bytes)
			return row;
		if (!vsplit_gpu_surface_map(block->work, matrix, offset + done, bytes - done,
					    chunk))
			return NULL;
	}
}

/* Pack up to three neighbours of a row of B into a word; missing ones count as 0. */
static u64 mma_word(const s8 *row, u32 fields)
{
	u64 word = 0;

	while (fields--)
		word = (word << MMA_SHIFT) + (u64)(s64)row[fields];
	return word;
}

/* The packed panel has a word for each step, for each column of words. */
static void mma_scalar_pack_b(struct vsplit_gpu_mma_scratch *scratch, const s8 *row, u32 step,
			      u32 steps, u32 cols)
{
	u64 *out = scratch->b + step;
	u32 j;

	for (j = 0; j + MMA_FIELDS <= cols; j += MMA_FIELDS) {
		*out = mma_word(row + j, MMA_FIELDS);
		out += steps;
	}
	if (j < cols)
		*out = mma_word(row + j, cols - j);
}

/* The packed block has a byte for each row of a tile, for each step, for each tile. */
static void mma_scalar_pack_a(struct vsplit_gpu_mma_scratch *scratch, const s8 *row, u32 i,
			      u32 steps)
{
	u8 *out = (u8 *)(scratch->a + i / MMA_ROWS * steps) + i % MMA_ROWS;
	u32 l;

	for (l = 0; l < steps; l++)
		out[l * MMA_ROWS] = row[l];
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

/* A step of one row: add the lowest byte of @rows times @word. Keeps @sum in a register. */
static __always_inline u64 mma_add(u64 sum, u64 rows, u64 word)
{
	sum += (u64)(s64)(s8)rows * word;
	OPTIMIZER_HIDE_VAR(sum);
	return sum;
}

/* Multiply a tile over at most MMA_FLUSH steps. noinline, so that the tile has all registers. */
static noinline void mma_tile(const u64 *a, const u64 *b, u32 steps, u32 *c)
{
	u64 s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
	const u64 *end = b + steps;

	for (; b != end; a++, b++) {
		u64 word = *b;
		u64 rows = *a;

		s0 = mma_add(s0, rows, word);
		s1 = mma_add(s1, rows >> 8, word);
		s2 = mma_add(s2, rows >> 16, word);
		s3 = mma_add(s3, rows >> 24, word);
		s4 = mma_add(s4, rows >> 32, word);
		s5 = mma_add(s5, rows >> 40, word);
		s6 = mma_add(s6, rows >> 48, word);
		s7 = mma_add(s7, rows >> 56, word);
	}
	mma_flush(c, s0);
	mma_flush(c + MMA_NC, s1);
	mma_flush(c + 2 * MMA_NC, s2);
	mma_flush(c + 3 * MMA_NC, s3);
	mma_flush(c + 4 * MMA_NC, s4);
	mma_flush(c + 5 * MMA_NC, s5);
	mma_flush(c + 6 * MMA_NC, s6);
	mma_flush(c + 7 * MMA_NC, s7);
}

static void mma_scalar_multiply(struct vsplit_gpu_mma_scratch *scratch, u32 rows, u32 cols,
				u32 steps)
{
	u32 tiles = DIV_ROUND_UP(rows, MMA_ROWS);
	u32 words = DIV_ROUND_UP(cols, MMA_FIELDS);
	u32 tile, word, l, n;

	memset(scratch->c, 0, sizeof(*scratch->c) * MMA_NC * MMA_ROWS * tiles);
	for (word = 0; word < words; word++) {
		const u64 *b = scratch->b + word * steps;

		for (tile = 0; tile < tiles; tile++) {
			const u64 *a = scratch->a + tile * steps;
			u32 *c = scratch->c + tile * MMA_ROWS * MMA_NC + word * MMA_FIELDS;

			for (l = 0; l < steps; l += n) {
				n = min_t(u32, steps - l, MMA_FLUSH);
				mma_tile(a + l, b + l, n, c);
			}
		}
	}
}

static const struct vsplit_gpu_mma_unit mma_scalar = {
	.name = "scalar",
	.pack_a = mma_scalar_pack_a,
	.pack_b = mma_scalar_pack_b,
	.multiply = mma_scalar_multiply,
};

#ifdef VSPLIT_GPU_MMA_VECTOR
/*
 * Two steps make a pair of int16, so that a vector holds a pair for each of its lanes.
 * A packed tile of A has, for each pair of steps, one word for each row. If the number of
 * steps is odd, the second half of the last pair is 0 in A, and keeps old content in B.
 */
static void mma_pack_a_pairs(struct vsplit_gpu_mma_scratch *scratch, const s8 *row, u32 i,
			     u32 steps)
{
	u32 tile_rows = scratch->unit->tile_rows, pairs = DIV_ROUND_UP(steps, 2);
	s16 *out = (s16 *)scratch->a + 2 * (i / tile_rows * tile_rows * pairs + i % tile_rows);
	u32 l;

	for (l = 0; l + 1 < steps; l += 2, out += 2 * tile_rows) {
		out[0] = row[l];
		out[1] = row[l + 1];
	}
	if (l < steps) {
		out[0] = row[l];
		out[1] = 0;
	}
}

/* A packed tile of B has, for each pair of steps, one word for each column. */
static void mma_pack_b_pairs(struct vsplit_gpu_mma_scratch *scratch, const s8 *row, u32 step,
			     u32 steps, u32 cols)
{
	u32 tile_cols = scratch->unit->tile_cols, pairs = DIV_ROUND_UP(steps, 2);
	u32 j, n, k;

	for (j = 0; j < cols; j += tile_cols) {
		s16 *out = (s16 *)scratch->b + 2 * (j * pairs + step / 2 * tile_cols);

		n = min_t(u32, cols - j, tile_cols);
		for (k = 0; k < n; k++)
			out[2 * k + (step & 1)] = row[j + k];
	}
}

static const struct vsplit_gpu_mma_unit mma_avx2 = {
	.name = "avx2",
	.vector = true,
	.present = vsplit_gpu_has_avx2,
	.tile_rows = MMA_AVX2_ROWS,
	.tile_cols = 2 * MMA_AVX2_LANES,
	.pack_a = mma_pack_a_pairs,
	.pack_b = mma_pack_b_pairs,
	.multiply = vsplit_gpu_mma_avx2,
};

static const struct vsplit_gpu_mma_unit mma_vnni = {
	.name = "avx512-vnni",
	.vector = true,
	.present = vsplit_gpu_has_avx512_vnni,
	.tile_rows = MMA_VNNI_ROWS,
	.tile_cols = 2 * MMA_VNNI_LANES,
	.pack_a = mma_pack_a_pairs,
	.pack_b = mma_pack_b_pairs,
	.multiply = vsplit_gpu_mma_vnni,
};
#endif /* VSPLIT_GPU_MMA_VECTOR */

/* Fastest first. */
static const struct vsplit_gpu_mma_unit * const mma_units[] = {
#ifdef VSPLIT_GPU_MMA_VECTOR
	&mma_vnni,
	&mma_avx2,
#endif
	&mma_scalar,
};

const struct vsplit_gpu_mma_unit *vsplit_gpu_mma_unit(u32 n)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(mma_units); i++) {
		if ((!mma_units[i]->present || mma_units[i]->present()) && !n--)
			return mma_units[i];
	}
	return NULL;
}

/** vsplit_gpu_mma_scratch_bytes() - Memory that vsplit_gpu_mma() works in. */
size_t vsplit_gpu_mma_scratch_bytes(void)
{
	return sizeof(struct vsplit_gpu_mma_scratch);
}

void vsplit_gpu_mma_scratch_init(struct vsplit_gpu_mma_scratch *scratch,
				 const struct vsplit_gpu_mma_unit *unit)
{
	/* Clear the padding of tiles: vector units read it, although nothing uses the sums. */
	memset(scratch, 0, sizeof(*scratch));
	scratch->unit = unit;
}

/* ---- blocks ------------------------------------------------------------- */

/*
 * Pack a panel of B, or a block of A for the panel. Missing rows of the last tile of A keep old
 * bytes, because nothing uses their sums.
 */
static bool mma_pack(struct mma_block *block, bool panel)
{
	const struct vsplit_gpu_surface *matrix = panel ? &block->mma->b : &block->mma->a;
	u32 first = panel ? block->l : block->i, nr = panel ? block->steps : block->rows;
	u32 at = panel ? block->j : block->l, bytes = panel ? block->cols : block->steps;
	const struct vsplit_gpu_mma_unit *unit = block->scratch->unit;
	struct vsplit_gpu_chunk chunk;
	const s8 *row;
	u32 i;

	for (i = 0; i < nr; i++) {
		row = mma_row(block, matrix, (u64)(first + i) * matrix->pitch + at, bytes, &chunk);
		if (!row)
			return false;
		if (panel)
			unit->pack_b(block->scratch, row, i, nr, bytes);
		else
			unit->pack_a(block->scratch, row, i, bytes);
		vsplit_gpu_span_unmap(&chunk);
	}
	return true;
}

/* Multiply the packed block into the sums. */
static void mma_multiply(struct mma_block *block)
{
	const struct vsplit_gpu_mma_unit *unit = block->scratch->unit;

	if (unit->vector)
		vsplit_gpu_fpu_begin();
	unit->multiply(block->scratch, block->rows, block->cols, block->steps);
	if (unit->vector)
		vsplit_gpu_fpu_end();
}

/* Add the sums to a row of C, or store them there. C is aligned, so chunks are whole words. */
static bool mma_write_row(struct mma_block *block, const u32 *sum, u64 offset)
{
	bool add = block->mma->accumulate || block->l;
	struct vsplit_gpu_chunk chunk;
	u32 j, n, k, *out;

	for (j = 0; j < block->cols; j += n) {
		if (!vsplit_gpu_surface_map(block->work, &block->mma->c, offset + j * sizeof(*sum),
					    (block->cols - j) * sizeof(*sum), &chunk))
			return false;
		out = (u32 *)chunk.ptr;
		n = chunk.bytes / sizeof(*sum);
		for (k = 0; out && k < n; k++)
			out[k] = (add ? out[k] : 0) + sum[j + k];
		vsplit_gpu_span_unmap(&chunk);
	}
	return true;
}

static bool mma_write(struct mma_block *block)
{
	const struct vsplit_gpu_surface *c = &block->mma->c;
	u32 i;

	for (i = 0; i < block->rows; i++) {
		u64 offset = (u64)(block->i + i) * c->pitch + (u64)block->j * sizeof(u32);

		if (!mma_write_row(block, block->scratch->c + i * MMA_NC, offset))
			return false;
	}
	return true;
}

/* Multiply all rows of A with the packed panel of B. */
static enum vsplit_gpu_moved mma_panel(struct mma_block *block)
{
	for (block->i = 0; block->i < block->mma->m; block->i += block->rows) {
		block->rows = min_t(u32, block->mma->m - block->i, MMA_MC);
		if (vsplit_gpu_work_stop(block->work))
			return VSPLIT_GPU_MOVED_STOPPED;
		if (!mma_pack(block, false))
			return VSPLIT_GPU_MOVED_DECODE;
		mma_multiply(block);
		if (!mma_write(block))
			return VSPLIT_GPU_MOVED_DECODE;
	}
	return VSPLIT_GPU_MOVED_ALL;
}

enum vsplit_gpu_moved vsplit_gpu_mma(struct vsplit_gpu_mma_scratch *scratch,
				     const struct vsplit_gpu_work *work,
				     const struct vsplit_gpu_mma *mma)
{
	struct mma_block block = { .scratch = scratch, .work = work, .mma = mma };
	enum vsplit_gpu_moved moved;

	for (block.j = 0; block.j < mma->n; block.j += block.cols) {
		block.cols = min_t(u32, mma->n - block.j, MMA_NC);
		for (block.l = 0; block.l < mma->k; block.l += block.steps) {
			block.steps = min_t(u32, mma->k - block.l, MMA_KC);
			if (!mma_pack(&block, true))
				return VSPLIT_GPU_MOVED_DECODE;
			moved = mma_panel(&block);
			if (moved)
				return moved;
		}
	}
	return VSPLIT_GPU_MOVED_ALL;
}
