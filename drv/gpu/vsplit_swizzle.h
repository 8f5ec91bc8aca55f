/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The tiled layout: offsets of bytes in the linear and in the tiled form of a surface.
 * Pure address arithmetic.
 */
#ifndef _VSPLIT_SWIZZLE_H_
#define _VSPLIT_SWIZZLE_H_

#include "vsplit_gpu_compat.h"
#include <drm/vsplit_isa.h>

/** vsplit_swizzle_pitch_ok() - Whether a pitch, bytes per row of a surface, can be tiled. */
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
 * The bytes up to the next multiple of VSPLIT_TILE_WIDTH are contiguous.
 */
u64 vsplit_swizzle_xy(u32 pitch, u32 x, u64 y);

/**
 * vsplit_swizzle_to_linear() - Offset in the linear layout of a byte of a tiled surface.
 * @pitch: bytes per row, a multiple of VSPLIT_TILE_WIDTH.
 * @bytes: size of the surface. The bytes behind the last whole row of tiles are linear
 *	in both layouts.
 * @offset: offset of the byte in the tiled layout, below @bytes.
 */
u64 vsplit_swizzle_to_linear(u32 pitch, u64 bytes, u64 offset);

#endif /* _VSPLIT_SWIZZLE_H_ */
