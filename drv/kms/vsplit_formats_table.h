/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The table of formats of little-endian pixels that planes show and that pictures are written back
 * in. A file includes it for each thing that it makes of the rows, after it has defined the macro
 * VSPLIT_RGB, which gets the arguments
 *
 *	(DRM's name, bits of alpha, lowest bit of alpha, bits of a pixel,
 *	 lowest bit and bits of red, of green, of blue)
 */
VSPLIT_RGB(XRGB8888, 0, 0, 32, 16, 8, 8, 8, 0, 8)
VSPLIT_RGB(ARGB8888, 8, 24, 32, 16, 8, 8, 8, 0, 8)
VSPLIT_RGB(XBGR8888, 0, 0, 32, 0, 8, 8, 8, 16, 8)
VSPLIT_RGB(ABGR8888, 8, 24, 32, 0, 8, 8, 8, 16, 8)
VSPLIT_RGB(RGB565, 0, 0, 16, 11, 5, 5, 6, 0, 5)
VSPLIT_RGB(XRGB1555, 0, 0, 16, 10, 5, 5, 5, 0, 5)
VSPLIT_RGB(ARGB1555, 1, 15, 16, 10, 5, 5, 5, 0, 5)
VSPLIT_RGB(XRGB2101010, 0, 0, 32, 20, 10, 10, 10, 0, 10)
VSPLIT_RGB(XRGB16161616, 0, 0, 64, 32, 16, 16, 16, 0, 16)
VSPLIT_RGB(ARGB16161616, 16, 48, 64, 32, 16, 16, 16, 0, 16)

#undef VSPLIT_RGB
