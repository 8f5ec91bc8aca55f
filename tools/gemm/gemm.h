/* SPDX-License-Identifier: MIT */
/*
 * vsplit-gemm: C = A * B on the GPU, with A, B and C cut into tiles, each an
 * allocation of its own. A step multiplies one tile of A with one of B into one
 * of C and is one split point; a DMA buffer is a sequence of steps.
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
 * What a plan must respect.
 * @memory: bytes that the tiles of one step may take together.
 * @page: granule of allocations.
 * @stream_bytes: of one DMA buffer.
 * @allocs: likewise.
 * @patches: likewise.
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
 * Choose tiles. @tile: their side, or 0 for the largest that fit. False if a
 * step does not fit into @limits.
 */
bool gemm_plan_make(struct gemm_plan *plan, uint64_t m, uint64_t k, uint64_t n,
		    uint64_t tile, const struct gemm_limits *limits);

/* Bytes of the three tiles of a step of this size. */
uint64_t gemm_step_bytes(uint64_t tm, uint64_t tk, uint64_t tn, uint64_t page);

/* One step: which tiles. */
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

/* Sizes of the tile rows, sums and columns of a step. */
struct gemm_extent {
	uint32_t m, k, n;
};

struct gemm_extent gemm_extent(const struct gemm_plan *plan, const struct gemm_step *step);

/* Emit the packets of a step behind its binds. Bytes that it will take: below. */
int gemm_emit(struct vsplit_stream *stream, const struct gemm_plan *plan,
	      const struct gemm_step *step);
uint64_t gemm_emit_bytes(const struct gemm_plan *plan, const struct gemm_step *step);

/*
 * What a run did.
 * @buffers: DMA buffers.
 * @memory: size of the segment that was used.
 * @tiles: bytes of all tiles.
 * The rest is summed up from the records.
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

/* A line that shows how far it is, on a terminal; see progress.c. */
struct progress;
struct progress *progress_new(bool wanted);
void progress_phase(struct progress *p, const char *name, uint64_t total);
void progress_set(struct progress *p, uint64_t done, const char *note);
void progress_free(struct progress *p);

/*
 * Multiply. @tile: 0 or the side of tiles that the user asked for. Complains.
 * Returns an exit status.
 */
int gemm_run(struct vsplit_device *dev, const char *const names[3],
	     const struct npy *a, const struct npy *b,
	     struct npy_writer *c, uint64_t tile, struct progress *progress,
	     struct gemm_report *report);

#endif /* _VSPLIT_GEMM_H_ */
