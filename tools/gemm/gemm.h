/* SPDX-License-Identifier: MIT */
/*
 * vsplit-gemm: C = A * B on the GPU. A, B and C are cut into tiles, and each tile is an allocation.
 * A step multiplies a tile of A by a tile of B, adds the product to a tile of C, and is one split
 * point. A DMA buffer is a sequence of steps.
 */
#ifndef _VSPLIT_GEMM_H_
#define _VSPLIT_GEMM_H_

#include "common.h"
#include "npy.h"

#define GEMM_SLOT_A	0
#define GEMM_SLOT_B	1
#define GEMM_SLOT_C	2
#define GEMM_SLOTS	3

/*
 * Limits of a plan.
 * @memory: bytes that the tiles of one step may take together.
 * @page: granule of allocations.
 * @stream_bytes: maximum size of one DMA buffer.
 * @allocs: maximum number of elements in its allocation list.
 * @patches: maximum number of elements in its patch-location list.
 */
struct gemm_limits {
	uint64_t memory;
	uint64_t page;
	uint32_t stream_bytes;
	uint32_t allocs;
	uint32_t patches;
};

/*
 * How the matrices are cut. Tiles at the right and lower edges may be smaller.
 * @m, @k, @n: A is m x k, B is k x n, C is m x n; all > 0.
 * @tm, @tk, @tn: size of a tile.
 * @cm, @ck, @cn: number of tiles.
 * @packet_macs: multiply-adds that one packet should not exceed, so that a
 *	packet is never long compared to the adapter's timeout.
 */
struct gemm_plan {
	uint64_t m, k, n;
	uint64_t tm, tk, tn;
	uint64_t cm, ck, cn;
	uint64_t packet_macs;
};

/*
 * Choose tiles. @tile: side of the tiles, or 0 for the largest that fit. Returns false if a step
 * does not fit into @limits.
 */
bool gemm_plan_make(struct gemm_plan *plan, uint64_t m, uint64_t k, uint64_t n,
		    uint64_t tile, const struct gemm_limits *limits);

/* Bytes of the three tiles of a step of this size. */
uint64_t gemm_step_bytes(uint64_t tm, uint64_t tk, uint64_t tn, uint64_t page);

/* The tiles of one step. */
struct gemm_step {
	uint64_t i, k, j;
	bool accumulate;
};

uint64_t gemm_steps(const struct gemm_plan *plan);

/*
 * Step number @index. The order runs to and fro, so that successive steps share
 * tiles wherever possible.
 */
struct gemm_step gemm_step(const struct gemm_plan *plan, uint64_t index);

/* Rows, sums and columns that the tiles of a step have. */
struct gemm_extent {
	uint32_t m, k, n;
};

struct gemm_extent gemm_extent(const struct gemm_plan *plan, const struct gemm_step *step);

/* Emit the packets of a step after its binds; and the number of bytes that they take. */
int gemm_emit(struct vsplit_stream *stream, const struct gemm_plan *plan,
	      const struct gemm_step *step);
uint64_t gemm_emit_bytes(const struct gemm_plan *plan, const struct gemm_step *step);

/*
 * Totals of a run.
 * @buffers: number of DMA buffers.
 * @memory: size of the segment that was used.
 * @tiles: bytes of all tiles. All other members are summed up from the records.
 */
struct gemm_report {
	uint64_t buffers;
	uint64_t memory;
	uint64_t tiles;
	uint64_t portions;
	uint64_t paged_in, paged_in_copied;
	uint64_t evicted, evicted_copied;
	uint64_t moved;
	double seconds;
};

/* A progress line for a terminal; see progress.c. */
struct progress;
struct progress *progress_new(bool wanted);
void progress_phase(struct progress *p, const char *name, uint64_t total);
void progress_set(struct progress *p, uint64_t done, const char *note);
void progress_free(struct progress *p);

/*
 * Multiply the matrices. @tile: side of the tiles that the user asked for, or 0. Returns an exit
 * status; complains.
 */
int gemm_run(struct vsplit_device *dev, const char *const names[3],
	     const struct npy *a, const struct npy *b,
	     struct npy_writer *c, uint64_t tile, struct progress *progress,
	     struct gemm_report *report);

#endif /* _VSPLIT_GEMM_H_ */
