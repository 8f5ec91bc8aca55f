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

/* A row of a tile: 64 bytes, aligned so that they are in one page. */
static void paging_retile_row(const struct vsplit_gpu_chunk *linear, u8 *tile, bool to_tiled)
{
	if (!linear->ptr || !tile)
		return;
	if (to_tiled)
		memcpy(tile, linear->ptr, VSPLIT_TILE_WIDTH);
	else
		memcpy(linear->ptr, tile, VSPLIT_TILE_WIDTH);
}

/*
 * The tile, a page, at @offset in the tiled layout. It is either part of a band
 * or behind the last one, so its rows are evenly spaced in the linear layout.
 */
static enum vsplit_gpu_moved
paging_retile_one(const struct vsplit_gpu_step *step, const struct vsplit_gpu_span *linear,
		  const struct vsplit_gpu_span *tiled, u64 offset)
{
	u64 at = vsplit_swizzle_to_linear(step->pitch, step->bytes, offset);
	u64 next = vsplit_swizzle_to_linear(step->pitch, step->bytes, offset + VSPLIT_TILE_WIDTH);
	bool to_tiled = step->flags & VSPLIT_GPU_STEP_SWIZZLE;
	struct vsplit_gpu_chunk tile, row;
	u32 i;

	if (!vsplit_gpu_span_map(tiled, offset, VSPLIT_TILE_BYTES, &tile))
		return VSPLIT_GPU_MOVED_DECODE;
	for (i = 0; i < VSPLIT_TILE_HEIGHT; i++) {
		if (!vsplit_gpu_span_map(linear, at + i * (next - at), VSPLIT_TILE_WIDTH, &row))
			break;
		paging_retile_row(&row, tile.ptr ? tile.ptr + i * VSPLIT_TILE_WIDTH : NULL,
				  to_tiled);
		vsplit_gpu_span_unmap(&row);
	}
	vsplit_gpu_span_unmap(&tile);
	return i == VSPLIT_TILE_HEIGHT ? VSPLIT_GPU_MOVED_ALL : VSPLIT_GPU_MOVED_DECODE;
}

static enum vsplit_gpu_moved
paging_retile(const struct vsplit_gpu_work *work, const struct vsplit_gpu_step *step,
	      const struct vsplit_gpu_span *linear, const struct vsplit_gpu_span *tiled)
{
	enum vsplit_gpu_moved moved;
	u64 offset;

	for (offset = 0; offset < step->bytes; offset += VSPLIT_TILE_BYTES) {
		if (vsplit_gpu_work_stop(work))
			return VSPLIT_GPU_MOVED_STOPPED;
		moved = paging_retile_one(step, linear, tiled, offset);
		if (moved)
			return moved;
	}
	return VSPLIT_GPU_MOVED_ALL;
}

/* Tiles are pages: both ends are aligned so. */
static bool paging_retile_ok(const struct vsplit_gpu_step *step, u64 dst, u64 src)
{
	return vsplit_swizzle_pitch_ok(step->pitch) &&
	       IS_ALIGNED(step->bytes | dst | src, VSPLIT_TILE_BYTES);
}

static enum vsplit_gpu_moved
paging_transfer(struct vsplit_gpu_space *space, const struct vsplit_gpu_work *work,
		const struct vsplit_gpu_step *step)
{
	struct vsplit_gpu_span dst = paging_span(space, &step->dst, VSPLIT_GPU_ACCESS_WRITE);
	struct vsplit_gpu_span src = paging_span(space, &step->src, 0);

	if (!(step->flags & (VSPLIT_GPU_STEP_SWIZZLE | VSPLIT_GPU_STEP_UNSWIZZLE)))
		return vsplit_gpu_span_copy(work, &dst, 0, &src, 0, step->bytes);
	if (!paging_retile_ok(step, dst.address, src.address))
		return VSPLIT_GPU_MOVED_DECODE;
	return step->flags & VSPLIT_GPU_STEP_SWIZZLE ? paging_retile(work, step, &src, &dst) :
		paging_retile(work, step, &dst, &src);
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
