// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Paging steps: transfer, fill, map, unmap.
 */
#include "vsplit_gpu_internal.h"
#include "vsplit_swizzle.h"

/**
 * DOC: Paging steps
 *
 * Paging carries out what memory management has already booked, so it takes no
 * notice of what happened to the program's RUN steps and cannot be cancelled;
 * only a dead GPU drops it. It trusts its addresses as far as they decode: they
 * come from the driver, not from a client. What does not decode is left out and
 * reported as the driver's mistake.
 *
 * Everything happens in place: no bounce buffer, no allocation. A transfer
 * inside one memory bank may overlap itself (a move by less than its size); one
 * that changes the layout may not.
 */

static struct vsplit_gpu_span paging_span(struct vsplit_gpu_space *space,
					  const struct vsplit_gpu_loc *loc, u32 access)
{
	return (struct vsplit_gpu_span) {
		.space = space,
		.pages = loc->pages,
		.address = loc->pages ? 0 : loc->address,
		.access = access | VSPLIT_GPU_ACCESS_PAGING,
	};
}

/*
 * The tile, a page, at @tiled in the tiled layout. It is either all of a band or
 * all behind the last one, so its rows are evenly spaced in the linear layout.
 */
static enum vsplit_gpu_moved
paging_retile_one(const struct vsplit_gpu_step *step, const struct vsplit_gpu_span *dst,
		  const struct vsplit_gpu_span *src, u64 tiled)
{
	u64 linear = vsplit_swizzle_to_linear(step->pitch, step->bytes, tiled);
	u64 pitch = vsplit_swizzle_to_linear(step->pitch, step->bytes,
					     tiled + VSPLIT_TILE_WIDTH) - linear;
	enum vsplit_gpu_moved moved;
	u32 row;

	for (row = 0; row < VSPLIT_TILE_HEIGHT; row++) {
		if (step->flags & VSPLIT_GPU_STEP_SWIZZLE)
			moved = vsplit_gpu_span_copy_piece(dst, tiled, src, linear,
							   VSPLIT_TILE_WIDTH);
		else
			moved = vsplit_gpu_span_copy_piece(dst, linear, src, tiled,
							   VSPLIT_TILE_WIDTH);
		if (moved)
			return moved;
		tiled += VSPLIT_TILE_WIDTH;
		linear += pitch;
	}
	return VSPLIT_GPU_MOVED_ALL;
}

static enum vsplit_gpu_moved
paging_retile(const struct vsplit_gpu_work *work, const struct vsplit_gpu_step *step,
	      const struct vsplit_gpu_span *dst, const struct vsplit_gpu_span *src)
{
	enum vsplit_gpu_moved moved;
	u64 tiled;

	for (tiled = 0; tiled < step->bytes; tiled += VSPLIT_TILE_BYTES) {
		if (vsplit_gpu_work_stop(work))
			return VSPLIT_GPU_MOVED_STOPPED;
		moved = paging_retile_one(step, dst, src, tiled);
		if (moved)
			return moved;
	}
	return VSPLIT_GPU_MOVED_ALL;
}

static enum vsplit_gpu_moved
paging_transfer(struct vsplit_gpu_space *space, const struct vsplit_gpu_work *work,
		const struct vsplit_gpu_step *step)
{
	struct vsplit_gpu_span dst = paging_span(space, &step->dst, VSPLIT_GPU_ACCESS_WRITE);
	struct vsplit_gpu_span src = paging_span(space, &step->src, 0);

	if (!(step->flags & (VSPLIT_GPU_STEP_SWIZZLE | VSPLIT_GPU_STEP_UNSWIZZLE)))
		return vsplit_gpu_span_copy(work, &dst, 0, &src, 0, step->bytes);
	if (!vsplit_swizzle_pitch_ok(step->pitch) || step->bytes % VSPLIT_TILE_BYTES)
		return VSPLIT_GPU_MOVED_DECODE;
	return paging_retile(work, step, &dst, &src);
}

static enum vsplit_gpu_moved
paging_map(struct vsplit_gpu_space *space, const struct vsplit_gpu_work *work,
	   const struct vsplit_gpu_step *step)
{
	struct page **pages = step->type == VSPLIT_GPU_STEP_MAP ? step->src.pages : NULL;
	const struct vsplit_gpu_region *region;
	u64 first, i;

	region = vsplit_gpu_find_region(space, step->dst.address, step->bytes);
	if (!region || region->type != VSPLIT_GPU_REGION_GART)
		return VSPLIT_GPU_MOVED_DECODE;
	first = (step->dst.address - region->base) >> PAGE_SHIFT;
	for (i = 0; i < step->bytes >> PAGE_SHIFT; i++) {
		if (i % 1024 == 0 && vsplit_gpu_work_stop(work))
			return VSPLIT_GPU_MOVED_STOPPED;
		WRITE_ONCE(region->entries[first + i], pages ? pages[i] : NULL);
	}
	return VSPLIT_GPU_MOVED_ALL;
}

enum vsplit_gpu_moved vsplit_gpu_paging_step(struct vsplit_gpu_space *space,
					     const struct vsplit_gpu_work *work,
					     const struct vsplit_gpu_step *step)
{
	struct vsplit_gpu_span dst;

	switch (step->type) {
	case VSPLIT_GPU_STEP_TRANSFER:
		return paging_transfer(space, work, step);
	case VSPLIT_GPU_STEP_FILL:
		dst = paging_span(space, &step->dst, VSPLIT_GPU_ACCESS_WRITE);
		return vsplit_gpu_span_fill(work, &dst, step->pattern, step->bytes);
	case VSPLIT_GPU_STEP_MAP:
	case VSPLIT_GPU_STEP_UNMAP:
		return paging_map(space, work, step);
	default:
		return VSPLIT_GPU_MOVED_ALL;
	}
}
