// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Multiplication of packed int8 blocks with AVX-512 VNNI. The compiler may use it in
 * the whole file, so its code may run only after vsplit_gpu_fpu_begin().
 */
#include "vsplit_gpu_mma.h"

#define MMA_LANES	MMA_VNNI_LANES
#define MMA_TILE_ROWS	MMA_VNNI_ROWS

/* sparse does not know vectors. */
#ifndef __CHECKER__
typedef s32 mma_vector __attribute__((vector_size(4 * MMA_LANES)));

/* VPDPWSSD: like AVX2's VPMADDWD and an addition, modulo 2^32. */
static __always_inline mma_vector mma_dot(mma_vector sum, mma_vector a, mma_vector b)
{
	asm("vpdpwssd %2, %1, %0" : "+v" (sum) : "v" (a), "v" (b));
	return sum;
}

#include "vsplit_gpu_mma_vector.h"

void vsplit_gpu_mma_vnni(struct vsplit_gpu_mma_scratch *scratch, u32 rows, u32 cols, u32 steps)
{
	mma_multiply(scratch, rows, cols, steps);
}

#endif /* !__CHECKER__ */
