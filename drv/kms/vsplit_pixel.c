// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: pixels
 *
 * Everything is composed with 16 bits for each component. A component of n bits is scaled so
 * that its largest value becomes the largest one of 16 bits, and rounded to the nearest. A
 * component that a format lacks has the largest value. So a format with 8 bits comes out as it
 * went in.
 *
 * Y'CbCr is converted pixel by pixel. Each of the 2x2 pixels that share a chroma sample uses the
 * sample as it is.
 */
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/unaligned.h>

#include <drm/drm_fourcc.h>

#include "kms/vsplit_kms_internal.h"
#include "gpu/vsplit_swizzle.h"

/* Scale the @n bits of @word from @shift on to 16 bits. If @n is 0, all 16 bits are set. */
static u16 vsplit_field(u64 word, u32 shift, u32 n)
{
	u32 max = (1u << n) - 1;

	return n ? DIV_ROUND_CLOSEST(((u32)(word >> shift) & max) * 0xffffu, max) : 0xffff;
}

/* Scale 16 bits to @n bits, from @shift on. */
static u64 vsplit_bits(u16 value, u32 shift, u32 n)
{
	return (u64)DIV_ROUND_CLOSEST((u32)value * ((1u << n) - 1), 0xffffu) << shift;
}

static const void *vsplit_row(const struct vsplit_texture *from, u32 plane, s32 y)
{
	return from->data[plane] + (size_t)y * from->pitch[plane];
}

/* Find a pixel of @bytes. No pixel is in two tiles. */
static const void *vsplit_texel(const struct vsplit_texture *from, s32 u, s32 v, u32 bytes)
{
	u32 x = (u >> 16) * bytes, y = v >> 16;

	if (from->tiled)
		return from->data[0] + vsplit_swizzle_xy(from->pitch[0], x, y);
	return vsplit_row(from, 0, y) + x;
}

#define VSPLIT_RGB(_fourcc, _na, _a, _bits, _r, _nr, _g, _ng, _b, _nb)			\
static void vsplit_read_##_fourcc(const struct vsplit_texture *from, s32 u, s32 v,	\
				  struct vsplit_pixel *to, u32 n)			\
{											\
	for (; n--; to++, u += from->ux, v += from->vx) {				\
		u64 p = get_unaligned_le##_bits(vsplit_texel(from, u, v, (_bits) / 8));	\
											\
		to->a = vsplit_field(p, _a, _na);					\
		to->r = vsplit_field(p, _r, _nr);					\
		to->g = vsplit_field(p, _g, _ng);					\
		to->b = vsplit_field(p, _b, _nb);					\
	}										\
}

#include "vsplit_formats_table.h"

static u16 vsplit_yuv_component(s64 sum)
{
	return clamp_t(s64, (sum + 0x8000) >> 16, 0, 0xffff);
}

static void vsplit_read_nv12(const struct vsplit_texture *from, s32 u, s32 v,
			     struct vsplit_pixel *to, u32 n)
{
	const struct vsplit_yuv *k = &from->yuv;

	for (; n--; to++, u += from->ux, v += from->vx) {
		const u8 *luma = vsplit_row(from, 0, v >> 16);
		const u8 *chroma = vsplit_row(from, 1, v >> 17);
		s64 y = (s64)(luma[u >> 16] - k->y0) * k->y;
		s64 cb = ((s64)(chroma[(u >> 17) * 2] - 128) * k->c) >> 16;
		s64 cr = ((s64)(chroma[(u >> 17) * 2 + 1] - 128) * k->c) >> 16;

		to->a = 0xffff;
		to->r = vsplit_yuv_component(y + cr * k->rv);
		to->g = vsplit_yuv_component(y + cb * k->gu + cr * k->gv);
		to->b = vsplit_yuv_component(y + cb * k->bu);
	}
}

/* A picture has no alpha, so the alpha of its pixels has the largest value. */
#define VSPLIT_WRITER(_fourcc, _na, _a, _bits, _r, _nr, _g, _ng, _b, _nb)		\
static void vsplit_write_##_fourcc(void *to, const struct vsplit_pixel *p, u32 n)	\
{											\
	for (; n--; p++, to += (_bits) / 8)						\
		put_unaligned_le##_bits(vsplit_bits(0xffff, _a, _na) |			\
					vsplit_bits(p->r, _r, _nr) |			\
					vsplit_bits(p->g, _g, _ng) |			\
					vsplit_bits(p->b, _b, _nb), to);		\
}

#define VSPLIT_RGB	VSPLIT_WRITER
#include "vsplit_formats_table.h"
VSPLIT_WRITER(BGR888, 0, 0, 24, 0, 8, 8, 8, 16, 8)

#define VSPLIT_RGB(_fourcc, _alpha, ...) {						\
		.fourcc = DRM_FORMAT_##_fourcc,						\
		.alpha = _alpha,							\
		.read = vsplit_read_##_fourcc,						\
		.write = vsplit_write_##_fourcc,					\
	},

static const struct vsplit_format vsplit_formats[] = {
#include "vsplit_formats_table.h"
	{ .fourcc = DRM_FORMAT_NV12, .read = vsplit_read_nv12 },
	/* Only snapshots have this format. */
	{ .fourcc = DRM_FORMAT_BGR888, .write = vsplit_write_BGR888 },
};

#define VSPLIT_RGB(_fourcc, ...)	DRM_FORMAT_##_fourcc,

const u32 vsplit_fourccs[VSPLIT_NR_RGB + 1] = {
#include "vsplit_formats_table.h"
	DRM_FORMAT_NV12,
};

/** vsplit_format_find() - Find how to read and write a DRM format. Return: constant, or NULL. */
const struct vsplit_format *vsplit_format_find(u32 fourcc)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(vsplit_formats); i++)
		if (vsplit_formats[i].fourcc == fourcc)
			return &vsplit_formats[i];
	return NULL;
}

/* Set up the conversion that a plane's state asks for. */
void vsplit_yuv_init(struct vsplit_yuv *yuv, enum drm_color_encoding encoding,
		     enum drm_color_range range)
{
	/* 2(1-Kr), -2Kb(1-Kb)/Kg, -2Kr(1-Kr)/Kg, 2(1-Kb) of the standards */
	static const s32 coefficients[DRM_COLOR_ENCODING_MAX][4] = {
		[DRM_COLOR_YCBCR_BT601] = { 91881, -22553, -46802, 116130 },
		[DRM_COLOR_YCBCR_BT709] = { 103206, -12276, -30679, 121609 },
		[DRM_COLOR_YCBCR_BT2020] = { 96639, -10784, -37444, 123299 },
	};
	bool full = range == DRM_COLOR_YCBCR_FULL_RANGE;
	const s32 *k = coefficients[encoding];

	yuv->y0 = full ? 0 : 16;
	yuv->y = DIV_ROUND_CLOSEST_ULL(0xffffull << 16, full ? 255 : 219);
	yuv->c = DIV_ROUND_CLOSEST_ULL(0xffffull << 16, full ? 255 : 224);
	yuv->rv = k[0];
	yuv->gu = k[1];
	yuv->gv = k[2];
	yuv->bu = k[3];
}
