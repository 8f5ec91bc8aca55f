/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The tiled layout: where a byte of a linear surface is in its tiled form.
 * Pure address arithmetic.
 */
#ifndef _VSPLIT_SWIZZLE_H_
#define _VSPLIT_SWIZZLE_H_

#include "vsplit_gpu_compat.h"
#include <drm/vsplit_isa.h>

/**
 * vsplit_swizzle_pitch_ok() - Whether a pitch can be tiled.
 * @pitch: bytes per row of the surface.
 */
static inline bool vsplit_swizzle_pitch_ok(u32 pitch)
{
	return pitch && pitch % VSPLIT_TILE_WIDTH == 0;
}

/**
 * vsplit_swizzle_xy() - Offset of a byte in the tiled layout.
 * @pitch: bytes per row of the surface, a multiple of VSPLIT_TILE_WIDTH.
 * @x: byte in the row, below @pitch.
 * @y: row.
 *
 * The bytes up to the next multiple of VSPLIT_TILE_WIDTH follow each other.
 */
u64 vsplit_swizzle_xy(u32 pitch, u32 x, u64 y);

/**
 * vsplit_swizzle_to_tiled() - Where a byte of the linear surface is when tiled.
 * @pitch: bytes per row, a multiple of VSPLIT_TILE_WIDTH.
 * @bytes: size of the surface. What follows its last whole row of tiles is
 *	linear in both layouts.
 * @offset: of the byte in the linear layout, below @bytes.
 */
u64 vsplit_swizzle_to_tiled(u32 pitch, u64 bytes, u64 offset);

/**
 * vsplit_swizzle_to_linear() - The inverse of vsplit_swizzle_to_tiled().
 * @pitch: bytes per row, a multiple of VSPLIT_TILE_WIDTH.
 * @bytes: size of the surface.
 * @offset: of the byte in the tiled layout, below @bytes.
 */
u64 vsplit_swizzle_to_linear(u32 pitch, u64 bytes, u64 offset);

/**
 * vsplit_swizzle_copy() - Copy a surface in memory from one layout to the other.
 * @dst: destination, @bytes bytes, not overlapping @src.
 * @src: source.
 * @pitch: bytes per row, a multiple of VSPLIT_TILE_WIDTH.
 * @bytes: size of the surface.
 * @tile: true from linear to tiled, false from tiled to linear.
 */
void vsplit_swizzle_copy(void *dst, const void *src, u32 pitch, u64 bytes, bool tile);

#endif /* _VSPLIT_SWIZZLE_H_ */
