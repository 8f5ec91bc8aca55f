/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Units that multiply packed blocks of int8 matrices. Only the files
 * vsplit_gpu_mma*.c include this header.
 */
#ifndef _VSPLIT_GPU_MMA_H_
#define _VSPLIT_GPU_MMA_H_

#include "vsplit_gpu_internal.h"

#define MMA_KC		372	/* steps of a block */
#define MMA_MC		24	/* rows of a block */
#define MMA_NC		384	/* columns of a panel */

/* Words of a packed panel and of a packed block, in the layout that needs most. */
#define MMA_B_WORDS	(MMA_NC / 3 * MMA_KC)
#define MMA_A_WORDS	(MMA_MC * MMA_KC / 4)

/**
 * struct vsplit_gpu_mma_scratch - Packed operands; of one engine's thread.
 * @b: packed panel of B, as the unit wants it.
 * @a: packed block of A, as the unit wants it.
 * @c: sums of a block, rows of MMA_NC words.
 * @row: copy of a row of an operand that is not contiguous.
 * @unit: the unit that multiplies; constant.
 */
struct vsplit_gpu_mma_scratch {
	u64 b[MMA_B_WORDS];
	u64 a[MMA_A_WORDS];
	u32 c[MMA_MC * MMA_NC];
	s8 row[MMA_NC];
	const struct vsplit_gpu_mma_unit *unit;
};

/**
 * struct vsplit_gpu_mma_unit - One way to multiply.
 * @name: for tests and logs.
 * @vector: @multiply uses vector registers, see vsplit_gpu_fpu_begin().
 * @tile_rows: rows of A in a tile; of units with vector registers.
 * @tile_cols: columns of B in a tile; of units with vector registers.
 */
struct vsplit_gpu_mma_unit {
	const char *name;
	bool vector;
	u32 tile_rows;
	u32 tile_cols;

	/** @present: whether processor and kernel support the unit; NULL: always. */
	bool (*present)(void);

	/** @pack_a: pack row @i of a block of A, @steps bytes. */
	void (*pack_a)(struct vsplit_gpu_mma_scratch *scratch, const s8 *row, u32 i, u32 steps);

	/** @pack_b: pack the row of step @step, of @steps, of a panel of B, @cols bytes. */
	void (*pack_b)(struct vsplit_gpu_mma_scratch *scratch, const s8 *row, u32 step, u32 steps,
		       u32 cols);

	/** @multiply: multiply the packed block into scratch->c, which is overwritten. */
	void (*multiply)(struct vsplit_gpu_mma_scratch *scratch, u32 rows, u32 cols, u32 steps);
};

/* Tiles of the vector units: rows, and int32 of a vector; a row of a tile has two vectors. */
#define MMA_AVX2_ROWS	6
#define MMA_AVX2_LANES	8
#define MMA_VNNI_ROWS	12
#define MMA_VNNI_LANES	16

/* The @multiply functions of the vector units. */
void vsplit_gpu_mma_avx2(struct vsplit_gpu_mma_scratch *scratch, u32 rows, u32 cols, u32 steps);
void vsplit_gpu_mma_vnni(struct vsplit_gpu_mma_scratch *scratch, u32 rows, u32 cols, u32 steps);

#endif /* _VSPLIT_GPU_MMA_H_ */
