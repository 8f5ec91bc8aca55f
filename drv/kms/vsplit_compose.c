// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: pictures
 *
 * A picture is composed line by line: black, the layers from the lowest on by the definitions of
 * DRM's blend modes, and then what the CRTC does to colours: degamma, matrix, gamma. There are two
 * results: the lines as a cable with 8 bits for each component would carry them, of which the
 * checksum is taken; and the lines at full depth, which are written back.
 *
 * A layer is a texture with a step to the right and a step down. These steps express rotation,
 * reflection and scaling alike; the nearest pixel is taken.
 *
 * Nothing here takes a lock, waits or allocates, because fences wait for the composer. Between two
 * lines the composer gives way to other tasks.
 */
#include <linux/crc32.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#include <drm/drm_blend.h>
#include <drm/drm_fourcc.h>

#include "kms/vsplit_kms_internal.h"

#define VSPLIT_ONE	0xffffu

static u16 vsplit_mix(u32 above, u32 weight, u32 below, u32 rest)
{
	u64 sum = (u64)above * weight + (u64)below * rest;

	return min_t(u64, DIV_ROUND_CLOSEST_ULL(sum, VSPLIT_ONE), VSPLIT_ONE);
}

static void vsplit_blend(const struct vsplit_layer *layer, const struct vsplit_pixel *above,
			 struct vsplit_pixel *below, u32 n)
{
	for (; n--; above++, below++) {
		u32 weight = layer->alpha, covered = layer->alpha;

		if (layer->blend != DRM_MODE_BLEND_PIXEL_NONE)
			covered = DIV_ROUND_CLOSEST(covered * above->a, VSPLIT_ONE);
		if (layer->blend == DRM_MODE_BLEND_COVERAGE)
			weight = covered;
		below->r = vsplit_mix(above->r, weight, below->r, VSPLIT_ONE - covered);
		below->g = vsplit_mix(above->g, weight, below->g, VSPLIT_ONE - covered);
		below->b = vsplit_mix(above->b, weight, below->b, VSPLIT_ONE - covered);
	}
}

/* Does a layer hide all that is below it? */
static bool vsplit_layer_opaque(const struct vsplit_layer *layer)
{
	return layer->alpha == VSPLIT_ONE &&
	       (!layer->format->alpha || layer->blend == DRM_MODE_BLEND_PIXEL_NONE);
}

static void vsplit_compose_layer(const struct vsplit_layer *layer, u32 y,
				 struct vsplit_lines *lines)
{
	struct vsplit_pixel *sum = lines->sum + layer->to.x1;
	u32 n = layer->to.x2 - layer->to.x1;
	s32 down = y - layer->to.y1;
	s32 u = layer->u + down * layer->uy;
	s32 v = layer->v + down * layer->vy;

	if (vsplit_layer_opaque(layer)) {
		layer->format->read(&layer->from, u, v, sum, n);
		return;
	}
	layer->format->read(&layer->from, u, v, lines->layer, n);
	vsplit_blend(layer, lines->layer, sum, n);
}

/* Between two entries of a table, values are interpolated linearly. */
static u16 vsplit_interpolate(u16 from, u16 to, u32 part)
{
	return from + div_s64((s64)(to - from) * part + (to < from ? -32767 : 32767),
			      VSPLIT_ONE);
}

static void vsplit_lut(const struct drm_color_lut *lut, struct vsplit_pixel *p, u32 n)
{
	for (; n--; p++) {
		u16 *components[] = { &p->r, &p->g, &p->b };
		size_t i;

		for (i = 0; i < ARRAY_SIZE(components); i++) {
			u32 at = *components[i] * (VSPLIT_LUT_SIZE - 1);
			u32 part = at % VSPLIT_ONE;
			const struct drm_color_lut *entry = lut + at / VSPLIT_ONE;
			const struct drm_color_lut *next = part ? entry + 1 : entry;
			const u16 *from[] = { &entry->red, &entry->green, &entry->blue };
			const u16 *to[] = { &next->red, &next->green, &next->blue };

			*components[i] = vsplit_interpolate(*from[i], *to[i], part);
		}
	}
}

static u16 vsplit_ctm_row(const s64 *row, const struct vsplit_pixel *p)
{
	s64 sum = row[0] * p->r + row[1] * p->g + row[2] * p->b;

	return clamp_t(s64, (sum + 0x8000) >> 16, 0, VSPLIT_ONE);
}

static void vsplit_ctm(const s64 *ctm, struct vsplit_pixel *p, u32 n)
{
	for (; n--; p++) {
		struct vsplit_pixel q = *p;

		p->r = vsplit_ctm_row(ctm, &q);
		p->g = vsplit_ctm_row(ctm + 3, &q);
		p->b = vsplit_ctm_row(ctm + 6, &q);
	}
}

/* Is this the commonest picture, a single layer that goes to the cable as it is in memory? */
static bool vsplit_picture_plain(const struct vsplit_picture *picture)
{
	const struct vsplit_layer *layer = picture->layers;

	return picture->nr_layers == 1 && !picture->degamma && !picture->gamma &&
	       !picture->has_ctm && vsplit_layer_opaque(layer) &&
	       (layer->format->fourcc == DRM_FORMAT_XRGB8888 ||
		layer->format->fourcc == DRM_FORMAT_ARGB8888) &&
	       !layer->from.tiled && layer->from.ux == 0x10000 && !layer->from.vx &&
	       layer->vy == 0x10000 && !layer->uy && !layer->to.x1 && !layer->to.y1 &&
	       layer->to.x2 == picture->width && layer->to.y2 == picture->height;
}

static void vsplit_compose_plain(const struct vsplit_layer *layer, u32 y, __le32 *cable)
{
	const struct vsplit_texture *from = &layer->from;
	const __le32 *row = (const void *)(from->data[0] +
					   (size_t)((layer->v >> 16) + y) * from->pitch[0]);
	u32 n = layer->to.x2;

	for (row += layer->u >> 16; n--; row++)
		*cable++ = *row & cpu_to_le32(0xffffff);
}

static void vsplit_compose_line(const struct vsplit_picture *picture, u32 y,
				struct vsplit_lines *lines)
{
	u32 i;

	memset(lines->sum, 0, picture->width * sizeof(lines->sum[0]));
	for (i = 0; i < picture->nr_layers; i++) {
		const struct vsplit_layer *layer = &picture->layers[i];

		if ((s32)y >= layer->to.y1 && (s32)y < layer->to.y2)
			vsplit_compose_layer(layer, y, lines);
	}
	if (picture->degamma)
		vsplit_lut(picture->degamma, lines->sum, picture->width);
	if (picture->has_ctm)
		vsplit_ctm(picture->ctm, lines->sum, picture->width);
	if (picture->gamma)
		vsplit_lut(picture->gamma, lines->sum, picture->width);
}

/*
 * Make a picture. @lines is used by this call alone. @target: where the picture is written, too;
 * NULL: nowhere. Return: CRC-32, as in IEEE 802.3, of the lines on the cable: four bytes for each
 * pixel, blue, green, red, 0.
 */
u32 vsplit_compose(const struct vsplit_picture *picture, struct vsplit_lines *lines,
		   const struct vsplit_target *target)
{
	const struct vsplit_format *cable = vsplit_format_find(DRM_FORMAT_XRGB8888);
	bool plain = !target && vsplit_picture_plain(picture);
	u32 crc = ~0;
	u32 y;

	for (y = 0; y < picture->height; y++) {
		if (plain) {
			vsplit_compose_plain(picture->layers, y, lines->cable);
		} else {
			vsplit_compose_line(picture, y, lines);
			cable->write(lines->cable, lines->sum, picture->width);
		}
		crc = crc32_le(crc, (const void *)lines->cable,
			       picture->width * sizeof(lines->cable[0]));
		if (target)
			target->format->write(target->data + (size_t)y * target->pitch,
					      lines->sum, picture->width);
		cond_resched();
	}
	return ~crc;
}
