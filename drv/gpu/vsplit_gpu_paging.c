// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Paging steps: transfers, fills, GART entries, swizzling ranges.
 */
#include "vsplit_gpu_internal.h"

/**
 * DOC: Paging steps
 *
 * Paging steps carry out changes that memory management has already booked, so they do not
 * depend on what happened to the program's RUN steps, and cannot be cancelled; only a dead
 * GPU drops them. Their addresses come from the driver, not from a client, so they only have
 * to decode. A step whose addresses do not decode ends there, and that is reported as a bug
 * of the driver. The program goes on with its other paging steps, but no RUN step of it runs any
 * more.
 *
 * Everything happens in place: no bounce buffer, no allocation. Source and destination of a
 * transfer inside one memory bank may overlap (a move by less than its size), unless the
 * transfer changes the layout.
 *
 * The virtual ranges of an allocation that moves show nothing before its first byte leaves,
 * and show its new place after the last byte has arrived.
 *
 * Changing the layout goes band by band, along the linear order. The tiled form of a band is
 * contiguous for the processor, because tiles are always in a memory bank.
 */

static struct vsplit_gpu_span paging_span(struct vsplit_gpu_space *space,
					  const struct vsplit_gpu_loc *loc, u32 access)
{
	return (struct vsplit_gpu_span) {
		.space = space,
		.pages = loc->pages,
		.runs = loc->runs,
		.address = loc->pages || loc->runs ? 0 : loc->address,
		.access = access | VSPLIT_GPU_ACCESS_PAGING,
	};
}

/**
 * struct paging_band - A band that is being retiled.
 * @tiled: first byte of the tiled band.
 * @tiles: number of tiles in the band.
 * @tile: tile of the next row of a tile, in linear order.
 * @row: number of that row in the tile.
 */
struct paging_band {
	u8 *tiled;
	u32 tiles;
	u32 tile;
	u32 row;
};

/* Retile the next @bytes of the band in linear order: whole rows of tiles. */
static void paging_retile_run(struct paging_band *band, u8 *linear, u64 bytes, bool to_tiled)
{
	u8 *at = band->tiled + (u64)band->tile * VSPLIT_TILE_BYTES + band->row * VSPLIT_TILE_WIDTH;
	u64 i;

	for (i = 0; i < bytes; i += VSPLIT_TILE_WIDTH) {
		if (to_tiled)
			memcpy(at, linear + i, VSPLIT_TILE_WIDTH);
		else
			memcpy(linear + i, at, VSPLIT_TILE_WIDTH);
		at += VSPLIT_TILE_BYTES;
		if (++band->tile < band->tiles)
			continue;
		band->tile = 0;
		band->row++;
		at = band->tiled + band->row * VSPLIT_TILE_WIDTH;
	}
}

/* Retile one band in its linear order. */
static enum vsplit_gpu_moved
paging_retile_band(const struct vsplit_gpu_work *work, const struct vsplit_gpu_step *step,
		   const struct vsplit_gpu_span *linear, u64 offset, struct paging_band *band)
{
	u64 bytes = (u64)step->pitch * VSPLIT_TILE_HEIGHT;
	bool to_tiled = step->flags & VSPLIT_GPU_STEP_SWIZZLE;
	struct vsplit_gpu_chunk chunk;
	u64 done;

	for (done = 0; done < bytes; done += chunk.bytes) {
		if (vsplit_gpu_work_stop(work))
			return VSPLIT_GPU_MOVED_STOPPED;
		if (!vsplit_gpu_span_map(linear, offset + done,
					 min_t(u64, bytes - done, VSPLIT_GPU_POLL_BYTES), &chunk))
			return VSPLIT_GPU_MOVED_DECODE;
		if (chunk.ptr)
			paging_retile_run(band, chunk.ptr, chunk.bytes, to_tiled);
		vsplit_gpu_span_unmap(&chunk);
	}
	return VSPLIT_GPU_MOVED_ALL;
}

/* Retile whole bands, and copy the bytes behind the last band, where the layouts are the same. */
static enum vsplit_gpu_moved
paging_retile(const struct vsplit_gpu_work *work, const struct vsplit_gpu_step *step,
	      const struct vsplit_gpu_span *linear, const struct vsplit_gpu_span *tiled)
{
	u64 bytes = (u64)step->pitch * VSPLIT_TILE_HEIGHT, offset;
	bool to_tiled = step->flags & VSPLIT_GPU_STEP_SWIZZLE;

	for (offset = 0; step->bytes - offset >= bytes; offset += bytes) {
		struct paging_band band = { .tiles = step->pitch / VSPLIT_TILE_WIDTH };
		enum vsplit_gpu_moved moved = VSPLIT_GPU_MOVED_DECODE;
		struct vsplit_gpu_chunk chunk;

		if (!vsplit_gpu_span_map(tiled, offset, bytes, &chunk))
			return moved;
		band.tiled = chunk.ptr;
		if (chunk.ptr && chunk.bytes == bytes)
			moved = paging_retile_band(work, step, linear, offset, &band);
		vsplit_gpu_span_unmap(&chunk);
		if (moved)
			return moved;
	}
	return vsplit_gpu_span_copy(work, to_tiled ? tiled : linear, offset,
				    to_tiled ? linear : tiled, offset, step->bytes - offset);
}

/* Whether a step can be retiled: a tile is a page, so both ends have to be page-aligned. */
static bool paging_retile_ok(const struct vsplit_gpu_step *step, u64 dst, u64 src)
{
	return vsplit_swizzle_pitch_ok(step->pitch) &&
	       IS_ALIGNED(step->bytes | dst | src, VSPLIT_TILE_BYTES);
}

/* After a transfer, a fill or a clean eviction: drop or move the range of the surface. */
static void paging_follow(struct vsplit_gpu_space *space, const struct vsplit_gpu_step *step)
{
	if (step->flags & VSPLIT_GPU_STEP_DROP_RANGE)
		vsplit_gpu_range_drop(space, step->range);
	else if (step->flags & VSPLIT_GPU_STEP_MOVE_RANGE)
		vsplit_gpu_range_set(space, step->range, step->dst.address, step->bytes,
				     step->pitch);
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

/* Transfer a surface between its pages, if there are any, and its memory. */
static enum vsplit_gpu_moved
paging_transfer_range(struct vsplit_gpu_space *space, const struct vsplit_gpu_work *work,
		      const struct vsplit_gpu_step *step, u32 flags, bool to_memory)
{
	struct vsplit_gpu_step transfer = *step;

	if (!step->src.pages)
		return VSPLIT_GPU_MOVED_ALL;
	transfer.flags = flags;
	if (!to_memory)
		swap(transfer.dst, transfer.src);
	return paging_transfer(space, work, &transfer);
}

/* Bring the linear order into the pages, if it is not there yet, and from there into memory. */
static enum vsplit_gpu_moved paging_acquire_range(struct vsplit_gpu_space *space,
						  const struct vsplit_gpu_work *work,
						  const struct vsplit_gpu_step *step)
{
	enum vsplit_gpu_moved moved = VSPLIT_GPU_MOVED_ALL;

	if (step->flags & VSPLIT_GPU_STEP_UNSWIZZLE)
		moved = paging_transfer_range(space, work, step, VSPLIT_GPU_STEP_UNSWIZZLE, false);
	if (!moved)
		moved = paging_transfer_range(space, work, step, 0, true);
	if (!moved && !vsplit_gpu_range_set(space, step->range, step->dst.address, step->bytes,
					    step->pitch))
		moved = VSPLIT_GPU_MOVED_DECODE;
	return moved;
}

/* Save memory to the pages if it is newer, and then write it tiled from the pages. */
static enum vsplit_gpu_moved paging_release_range(struct vsplit_gpu_space *space,
						  const struct vsplit_gpu_work *work,
						  const struct vsplit_gpu_step *step)
{
	enum vsplit_gpu_moved moved = VSPLIT_GPU_MOVED_ALL;

	if (step->flags & VSPLIT_GPU_STEP_SAVE)
		moved = paging_transfer_range(space, work, step, 0, false);
	if (!moved)
		moved = paging_transfer_range(space, work, step, VSPLIT_GPU_STEP_SWIZZLE, true);
	if (!moved)
		vsplit_gpu_range_drop(space, step->range);
	return moved;
}

/* Let GART entries point to @pages; NULL: to the dummy page. Without @work it never stops. */
static enum vsplit_gpu_moved
paging_map(struct vsplit_gpu_space *space, const struct vsplit_gpu_work *work, u64 address,
	   u64 bytes, struct page **pages)
{
	const struct vsplit_gpu_region *region = vsplit_gpu_find_region(space, address, bytes);
	u64 first, i;

	if (!region || !region->entries)
		return VSPLIT_GPU_MOVED_DECODE;
	first = (address - region->base) >> PAGE_SHIFT;
	for (i = 0; i < bytes >> PAGE_SHIFT; i++) {
		if (work && i % 1024 == 0 && vsplit_gpu_work_stop(work))
			return VSPLIT_GPU_MOVED_STOPPED;
		if (!pages || !READ_ONCE(space->lose_maps))
			WRITE_ONCE(region->entries[first + i], pages ? pages[i] : NULL);
	}
	return VSPLIT_GPU_MOVED_ALL;
}

void vsplit_gpu_space_unmap(struct vsplit_gpu_space *space, u64 address, u64 bytes)
{
	paging_map(space, NULL, address, bytes, NULL);
}

static enum vsplit_gpu_moved paging_execute(struct vsplit_gpu_space *space,
					    const struct vsplit_gpu_work *work,
					    const struct vsplit_gpu_step *step)
{
	enum vsplit_gpu_moved moved;
	struct vsplit_gpu_span dst;

	switch (step->type) {
	case VSPLIT_GPU_STEP_TRANSFER:
		moved = paging_transfer(space, work, step);
		paging_follow(space, step);
		return moved;
	case VSPLIT_GPU_STEP_FILL:
		dst = paging_span(space, &step->dst, VSPLIT_GPU_ACCESS_WRITE);
		moved = vsplit_gpu_span_fill(work, &dst, step->pattern, step->bytes);
		paging_follow(space, step);
		return moved;
	case VSPLIT_GPU_STEP_MAP:
		return paging_map(space, work, step->dst.address, step->bytes, step->src.pages);
	case VSPLIT_GPU_STEP_UNMAP:
		return paging_map(space, work, step->dst.address, step->bytes, NULL);
	case VSPLIT_GPU_STEP_ACQUIRE_RANGE:
		return paging_acquire_range(space, work, step);
	case VSPLIT_GPU_STEP_RELEASE_RANGE:
		return paging_release_range(space, work, step);
	case VSPLIT_GPU_STEP_MARK:
		paging_follow(space, step);
		return VSPLIT_GPU_MOVED_ALL;
	case VSPLIT_GPU_STEP_BIND:
		return vsplit_gpu_mmu_bind(space, work, step);
	default:
		return VSPLIT_GPU_MOVED_ALL;
	}
}

enum vsplit_gpu_moved vsplit_gpu_paging_step(struct vsplit_gpu_space *space,
					     const struct vsplit_gpu_work *work,
					     const struct vsplit_gpu_step *step)
{
	enum vsplit_gpu_moved moved;

	if (step->maps)
		vsplit_gpu_mmu_leave(space, work, step->maps);
	moved = paging_execute(space, work, step);
	if (step->maps && (step->flags & VSPLIT_GPU_STEP_ARRIVES))
		vsplit_gpu_mmu_arrive(work, step->maps, &step->dst);
	return moved;
}
