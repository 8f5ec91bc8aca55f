// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Multiplication of packed int8 blocks with AVX2. The compiler may use AVX2 in the
 * whole file, so its code may run only after vsplit_gpu_fpu_begin().
 */
#include "vsplit_gpu_mma.h"

#define MMA_LANES	MMA_AVX2_LANES
#define MMA_TILE_ROWS	MMA_AVX2_ROWS

/* sparse does not know vectors. */
#ifndef __CHECKER__
typedef s32 mma_vector __attribute__((vector_size(4 * MMA_LANES)));
typedef s16 mma_pairs __attribute__((vector_size(4 * MMA_LANES)));

/* Exact: the products of a pair are at most 2^15 together. */
static __always_inline mma_vector mma_dot(mma_vector sum, mma_vector a, mma_vector b)
{
	return sum + (mma_vector)__builtin_ia32_pmaddwd256((mma_pairs)a, (mma_pairs)b);
}

#include "vsplit_gpu_mma_vector.h"

void vsplit_gpu_mma_avx2(struct vsplit_gpu_mma_scratch *scratch, u32 rows, u32 cols, u32 steps)
{
	mma_multiply(scratch, rows, cols, steps);
}

#endif /* !__CHECKER__ */
