// SPDX-License-Identifier: MIT
/* Cuts the matrices into tiles, and emits the packets of a step. */
#include <errno.h>

#include "gemm.h"

/* A packet takes half a second on a slow machine, or less. */
#define PACKET_MACS	(32ull << 20)
#define PACKET_MACS_MAX	(1ull << 30)

static uint64_t div_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t pages(uint64_t bytes, uint64_t page)
{
	return div_up(bytes, page) * page;
}

uint64_t gemm_step_bytes(uint64_t tm, uint64_t tk, uint64_t tn, uint64_t page)
{
	return pages(tm * tk, page) + pages(tk * tn, page) + pages(tm * tn * 4, page);
}

static bool fits(const struct gemm_plan *plan, uint64_t side, const struct gemm_limits *limits)
{
	return gemm_step_bytes(min_u64(side, plan->m), min_u64(side, plan->k),
			       min_u64(side, plan->n), limits->page) <= limits->memory;
}

static uint64_t largest_side(const struct gemm_plan *plan, const struct gemm_limits *limits)
{
	uint64_t low = 0, high = VSPLIT_MMA_MAX_DIM;

	while (low < high) {
		uint64_t middle = (low + high + 1) / 2;

		if (fits(plan, middle, limits))
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Choose tiles of nearly equal size, so that none at the edge is much smaller. */
static void cut(uint64_t size, uint64_t side, bool even, uint64_t *tile, uint64_t *count)
{
	*tile = min_u64(side, size);
	*count = div_up(size, *tile);
	if (even)
		*tile = div_up(size, *count);
	*count = div_up(size, *tile);
}

/* Use larger packets if those of the whole product would not fit into one DMA buffer otherwise. */
static void choose_packets(struct gemm_plan *plan, const struct gemm_limits *limits)
{
	double macs = (double)plan->m * (double)plan->k * (double)plan->n;
	double packets = (double)limits->stream_bytes / sizeof(struct vsplit_packet_mma) / 2;

	plan->packet_macs = PACKET_MACS;
	while (plan->packet_macs < PACKET_MACS_MAX &&
	       macs / (double)plan->packet_macs > packets)
		plan->packet_macs *= 2;
}

bool gemm_plan_make(struct gemm_plan *plan, uint64_t m, uint64_t k, uint64_t n,
		    uint64_t tile, const struct gemm_limits *limits)
{
	uint64_t side = tile;

	*plan = (struct gemm_plan){ .m = m, .k = k, .n = n };
	if (!tile)
		side = largest_side(plan, limits);
	if (!side || side > VSPLIT_MMA_MAX_DIM || !fits(plan, side, limits))
		return false;
	cut(m, side, !tile, &plan->tm, &plan->cm);
	cut(k, side, !tile, &plan->tk, &plan->ck);
	cut(n, side, !tile, &plan->tn, &plan->cn);
	choose_packets(plan, limits);
	return true;
}

uint64_t gemm_steps(const struct gemm_plan *plan)
{
	return plan->cm * plan->ck * plan->cn;
}

struct gemm_step gemm_step(const struct gemm_plan *plan, uint64_t index)
{
	uint64_t round = index / plan->ck;	/* number of the tile of C */
	struct gemm_step step = {
		.i = round / plan->cn,
		.j = round % plan->cn,
		.k = index % plan->ck,
	};

	step.accumulate = step.k != 0;
	if (round % 2)
		step.k = plan->ck - 1 - step.k;
	if (step.i % 2)
		step.j = plan->cn - 1 - step.j;
	return step;
}

static uint32_t extent(uint64_t size, uint64_t tile, uint64_t index)
{
	return (uint32_t)min_u64(tile, size - index * tile);
}

struct gemm_extent gemm_extent(const struct gemm_plan *plan, const struct gemm_step *step)
{
	return (struct gemm_extent){
		.m = extent(plan->m, plan->tm, step->i),
		.k = extent(plan->k, plan->tk, step->k),
		.n = extent(plan->n, plan->tn, step->j),
	};
}

/* The square root of a value below 2^40, rounded down. */
static uint64_t square_root(uint64_t value)
{
	uint64_t root = 0, bit;

	for (bit = 1 << 20; bit; bit /= 2) {
		if ((root + bit) * (root + bit) <= value)
			root += bit;
	}
	return root;
}

/*
 * Rows and columns of C that one packet computes. They are about equal in number, because then an
 * engine makes the best use of its caches.
 */
static void packet_size(const struct gemm_plan *plan, const struct gemm_extent *e,
			uint32_t *rows, uint32_t *cols)
{
	uint64_t area = plan->packet_macs / e->k ? plan->packet_macs / e->k : 1;
	uint64_t side = square_root(area);

	*cols = (uint32_t)min_u64(e->n, side);
	*rows = (uint32_t)min_u64(e->m, area / *cols);
	*cols = (uint32_t)min_u64(e->n, area / *rows);
}

uint64_t gemm_emit_bytes(const struct gemm_plan *plan, const struct gemm_step *step)
{
	struct gemm_extent e = gemm_extent(plan, step);
	uint32_t rows, cols;

	packet_size(plan, &e, &rows, &cols);
	return 3 * sizeof(struct vsplit_packet_state) +
	       div_up(e.m, rows) * div_up(e.n, cols) * sizeof(struct vsplit_packet_mma);
}

int gemm_emit(struct vsplit_stream *stream, const struct gemm_plan *plan,
	      const struct gemm_step *step)
{
	struct gemm_extent e = gemm_extent(plan, step);
	uint32_t rows, cols, row, col;

	packet_size(plan, &e, &rows, &cols);
	for (col = 0; col < e.n; col += cols) {
		for (row = 0; row < e.m; row += rows) {
			const struct vsplit_surface a = {
				.slot = GEMM_SLOT_A, .pitch = e.k,
				.offset = (uint64_t)row * e.k,
			};
			const struct vsplit_surface b = {
				.slot = GEMM_SLOT_B, .pitch = e.n, .offset = col,
			};
			const struct vsplit_surface c = {
				.slot = GEMM_SLOT_C, .pitch = e.n * 4,
				.offset = ((uint64_t)row * e.n + col) * 4,
			};

			vsplit_stream_mma(stream, &c, &a, &b,
					  (uint32_t)min_u64(rows, e.m - row),
					  (uint32_t)min_u64(cols, e.n - col), e.k,
					  step->accumulate ? VSPLIT_MMA_ACCUMULATE : 0);
		}
	}
	return vsplit_stream_error(stream);
}
