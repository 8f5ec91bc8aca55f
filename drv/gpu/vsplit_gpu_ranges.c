// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Swizzling ranges: registers that let the processor see a tiled surface as
 * linear bytes.
 */
#include "vsplit_gpu_internal.h"

/**
 * DOC: Swizzling ranges
 *
 * A real GPU puts the address swizzle into the processor's way: what goes
 * through its PCI aperture inside a range is linear, and the memory behind it is
 * tiled. Here the processor's way are page tables, which cannot reorder bytes
 * inside a page. So the swizzle is put into the GPU's way instead: while a range
 * covers a surface, its memory holds linear bytes, and every access of a
 * command to it is translated by the registers of the range. Both sides see what
 * they would see on a real GPU, at every moment, in the same bytes: the
 * processor a linear surface, the GPU a tiled one.
 *
 * A range is set by a paging step, which brings the bytes into linear order, and
 * released by one that tiles them again. A transfer that takes the surface away
 * reads it in linear order and drops the range. Paging steps themselves are not
 * translated: they say which order they want.
 *
 * Each page of a memory bank names its range, or none. The entry of a page and
 * the registers it names change only while no engine uses the page: that is the
 * driver's business, as with the entries of a GART.
 */

static struct vsplit_gpu_range *range_of(struct vsplit_gpu_space *space, u32 index)
{
	return &space->ranges[array_index_nospec(index, VSPLIT_GPU_MAX_RANGES)];
}

static void range_mark(struct vsplit_gpu_space *space, const struct vsplit_gpu_range *range,
		       u8 mark)
{
	const struct vsplit_gpu_region *region;
	u64 first, i;

	region = vsplit_gpu_find_region(space, range->address, range->bytes);
	if (!region || !region->ranges)
		return;
	first = (range->address - region->base) >> PAGE_SHIFT;
	for (i = 0; i < range->bytes >> PAGE_SHIFT; i++)
		WRITE_ONCE(region->ranges[first + i], mark);
}

bool vsplit_gpu_range_set(struct vsplit_gpu_space *space, u32 index, u64 address, u64 bytes,
			  u32 pitch)
{
	const struct vsplit_gpu_region *region = vsplit_gpu_find_region(space, address, bytes);
	struct vsplit_gpu_range *range;

	if (index >= VSPLIT_GPU_MAX_RANGES || !region || !region->ranges ||
	    !vsplit_swizzle_pitch_ok(pitch) || !IS_ALIGNED(address | bytes, PAGE_SIZE))
		return false;
	range = range_of(space, index);
	range_mark(space, range, 0);
	range->address = address;
	range->bytes = bytes;
	range->pitch = pitch;
	range_mark(space, range, index + 1);
	return true;
}

void vsplit_gpu_range_drop(struct vsplit_gpu_space *space, u32 index)
{
	struct vsplit_gpu_range *range;

	if (index >= VSPLIT_GPU_MAX_RANGES)
		return;
	range = range_of(space, index);
	range_mark(space, range, 0);
	range->bytes = 0;
}

void vsplit_gpu_range_chunk(const struct vsplit_gpu_space *space,
			    const struct vsplit_gpu_region *region, u32 index, u64 offset,
			    u64 bytes, struct vsplit_gpu_chunk *chunk)
{
	const struct vsplit_gpu_range *range =
		&space->ranges[array_index_nospec(index, VSPLIT_GPU_MAX_RANGES)];
	u64 start = range->address - region->base;
	u64 linear = start + vsplit_swizzle_to_linear(range->pitch, range->bytes, offset - start);

	linear = array_index_nospec((unsigned long)linear, (unsigned long)region->size);
	chunk->ptr = region->memory + linear;
	chunk->bytes = min_t(u64, bytes, VSPLIT_TILE_WIDTH - offset % VSPLIT_TILE_WIDTH);
}
