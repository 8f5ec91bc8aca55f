// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Swizzling ranges: registers that let the processor see a tiled surface as
 * linear bytes.
 */
#include "vsplit_gpu_internal.h"

/**
 * DOC: Swizzling ranges
 *
 * A real GPU swizzles the addresses of the processor: inside a range the processor
 * sees linear bytes through the PCI aperture, and the memory behind it is tiled. Here
 * the processor accesses the memory through page tables, which cannot reorder bytes
 * inside a page. So the GPU's addresses are swizzled instead: while a range covers a
 * surface, its memory holds linear bytes, and the registers of the range translate every
 * access of a command to it. At every moment both sides see in the same bytes what they
 * would see on a real GPU: the processor a linear surface, the GPU a tiled surface.
 *
 * A paging step sets a range, and brings the bytes into linear order; another paging step
 * releases the range, and tiles the bytes again. A transfer that takes the surface away
 * reads it in linear order and drops the range. Accesses of paging steps are not
 * translated: the steps say which order they want.
 *
 * Each page of a memory bank names its range, or none. The driver sees to it that the
 * name of a page, and the registers of a range, change only while no engine uses the
 * page, as with the entries of a GART.
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
