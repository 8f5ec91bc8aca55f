// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The tiled layout: address arithmetic.
 */
#include "vsplit_swizzle.h"

/**
 * DOC: The tiled layout
 *
 * A tile is 64 bytes by 64 rows, 4 KiB, a page. Inside a tile bytes go row by
 * row; tiles go row by row over the surface. The unit that stays together in
 * both layouts is a row of a tile: its 64 bytes begin at a multiple of 64 in
 * the linear layout and in the tiled layout.
 *
 * A *band* is a row of tiles: 64 rows of the surface, pitch times 64 bytes in
 * both layouts, and at the same place in both. So swizzling moves bytes only inside
 * a band, and the bytes behind the last whole band can simply stay linear. So
 * the mapping is a bijection for surfaces of any size. Paging needs that, because an
 * allocation is rounded up to pages, not to bands.
 */

static u64 swizzle_band_bytes(u32 pitch)
{
	return (u64)pitch * VSPLIT_TILE_HEIGHT;
}

u64 vsplit_swizzle_xy(u32 pitch, u32 x, u64 y)
{
	u64 band = y / VSPLIT_TILE_HEIGHT;
	u32 row = y % VSPLIT_TILE_HEIGHT;

	return band * swizzle_band_bytes(pitch) +
	       (u64)(x / VSPLIT_TILE_WIDTH) * VSPLIT_TILE_BYTES +
	       row * VSPLIT_TILE_WIDTH + x % VSPLIT_TILE_WIDTH;
}

u64 vsplit_swizzle_to_linear(u32 pitch, u64 bytes, u64 offset)
{
	u64 band, inside, tile, row, x;

	band = div64_u64_rem(offset, swizzle_band_bytes(pitch), &inside) *
	       swizzle_band_bytes(pitch);
	if (bytes - band < swizzle_band_bytes(pitch))
		return offset;
	tile = inside / VSPLIT_TILE_BYTES;
	row = inside % VSPLIT_TILE_BYTES / VSPLIT_TILE_WIDTH;
	x = tile * VSPLIT_TILE_WIDTH + inside % VSPLIT_TILE_WIDTH;
	return band + row * pitch + x;
}
