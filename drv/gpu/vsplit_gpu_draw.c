// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Triangles: coverage, depth, textures, blending.
 */
#include "vsplit_gpu_internal.h"

/**
 * DOC: Triangles
 *
 * struct vsplit_packet_draw defines every byte of a pixel, in integers, so this file can
 * only choose how to compute it quickly. Numbers stay below 2^63: coordinates are at
 * most 2^17 in magnitude and pixels below 2^16, so weights are below 2^38. Inside the triangle,
 * where all weights are positive, so is their sum, the area; a depth adds 24 bits, q adds
 * 20. A triangle with a vertex out of range is not drawn. Vertices are checked after they
 * were copied, because the client may change the memory meanwhile.
 *
 * A weight is linear in x, so each edge leaves an interval of a row, which three divisions
 * find; no pixel outside of the triangle is visited. A row is drawn in pieces in which
 * target and depths are contiguous. A chunk of texels stays mapped as long as samples fall
 * into it, but at most to the end of the piece, because chunks are unmapped in the reverse
 * order of their mapping.
 *
 * Drawing looks at the cancel flag at each row, so at most VSPLIT_DRAW_MAX_SIDE pixels are
 * between two looks. A packet has at most VSPLIT_DRAW_MAX_TRIANGLES times as many rows.
 */

#define DRAW_HALF	8			/* from the corner to the center of a pixel */
#define DRAW_PIXEL	16			/* from pixel to pixel */
#define DRAW_BITS	24			/* fraction bits of a factor */
#define DRAW_WEIGHT_BITS	40		/* bits of the sum of weights in perspective */

/**
 * struct draw_raster - State of drawing.
 * @work: the work.
 * @draw: description of the draw.
 * @corner: corners of the triangle, ordered so that @area is positive.
 * @area: twice the area of the triangle.
 * @weight: weights of the corners in the current pixel.
 * @step: change of @weight from a pixel to the next.
 * @texels: mapped bytes of the texture; empty if none are mapped.
 * @first: offset in the texture at which @texels begins.
 */
struct draw_raster {
	const struct vsplit_gpu_work *work;
	struct vsplit_gpu_draw *draw;
	struct vsplit_vertex corner[3];
	s64 area;
	s64 weight[3];
	s64 step[3];
	struct vsplit_gpu_chunk texels;
	u64 first;
};

/* ---- memory ------------------------------------------------------------- */

static u64 draw_offset(const struct vsplit_gpu_surface *surface, u32 x, u32 y)
{
	return vsplit_gpu_surface_at(surface, x * sizeof(u32), y);
}

/* Number of pixels from @x on that are together in memory, at most @n. */
static u32 draw_together(const struct vsplit_gpu_surface *surface, u32 x, u32 n)
{
	u32 tile = VSPLIT_TILE_WIDTH / sizeof(u32);

	return surface->tiled ? min_t(u32, n, tile - x % tile) : n;
}

static void draw_unmap_texels(struct draw_raster *r)
{
	if (r->texels.bytes)
		vsplit_gpu_span_unmap(&r->texels);
	r->texels.bytes = 0;
}

/* Map texels with @offset, from the start of its page or of the texture if that is contiguous. */
static bool draw_map_texels(struct draw_raster *r, u64 offset)
{
	const struct vsplit_gpu_surface *texture = &r->draw->texture;

	r->first = offset - min_t(u64, offset,
				  (texture->span.address + offset) & (PAGE_SIZE - 1));
	for (;; r->first = offset) {
		if (!vsplit_gpu_surface_map(r->work, texture, r->first, texture->bytes - r->first,
					    &r->texels)) {
			r->texels.bytes = 0;
			return false;
		}
		if (offset - r->first < r->texels.bytes)
			return true;
		vsplit_gpu_span_unmap(&r->texels);
	}
}

static bool draw_texel(struct draw_raster *r, u32 column, u32 row, u32 *texel)
{
	u64 offset = draw_offset(&r->draw->texture, column, row);

	if (offset < r->first || offset - r->first >= r->texels.bytes) {
		draw_unmap_texels(r);
		if (!draw_map_texels(r, offset))
			return false;
	}
	*texel = READ_ONCE(*(const u32 *)(r->texels.ptr + (offset - r->first)));
	return true;
}

/* ---- colors ------------------------------------------------------------- */

static u32 draw_component(u32 color, u32 shift)
{
	return color >> shift & 0xff;
}

static u32 draw_multiply(u32 a, u32 b)
{
	return (a * b + 127) / 255;
}

/* Clamp or wrap @at to a column or row inside the texture. */
static u32 draw_wrap(s32 at, u32 size, bool clamp)
{
	s32 rest;

	if (clamp)
		return at < 0 ? 0 : min_t(u32, at, size - 1);
	if (!(size & (size - 1)))
		return (u32)at & (size - 1);
	rest = at % (s32)size;
	return rest < 0 ? rest + (s32)size : rest;
}

static bool draw_nearest(struct draw_raster *r, s32 u, s32 v, u32 *texel)
{
	const struct vsplit_packet_draw *p = r->draw->packet;
	bool clamp = p->head.flags & VSPLIT_DRAW_CLAMP;

	return draw_texel(r, draw_wrap(u >> 16, p->texture_width, clamp),
			  draw_wrap(v >> 16, p->texture_height, clamp), texel);
}

static bool draw_bilinear(struct draw_raster *r, s64 u, s64 v, u32 *texel)
{
	const struct vsplit_packet_draw *p = r->draw->packet;
	bool clamp = p->head.flags & VSPLIT_DRAW_CLAMP;
	u32 columns[2], rows[2], t[4], f, g, shift;

	u -= 1 << 15;
	v -= 1 << 15;
	columns[0] = draw_wrap(u >> 16, p->texture_width, clamp);
	columns[1] = draw_wrap((u >> 16) + 1, p->texture_width, clamp);
	rows[0] = draw_wrap(v >> 16, p->texture_height, clamp);
	rows[1] = draw_wrap((v >> 16) + 1, p->texture_height, clamp);
	f = u >> 8 & 0xff;
	g = v >> 8 & 0xff;
	if (!draw_texel(r, columns[0], rows[0], &t[0]) ||
	    !draw_texel(r, columns[1], rows[0], &t[1]) ||
	    !draw_texel(r, columns[0], rows[1], &t[2]) ||
	    !draw_texel(r, columns[1], rows[1], &t[3]))
		return false;
	for (*texel = 0, shift = 0; shift < 32; shift += 8) {
		u32 upper = draw_component(t[0], shift) * (256 - f) +
			    draw_component(t[1], shift) * f;
		u32 lower = draw_component(t[2], shift) * (256 - f) +
			    draw_component(t[3], shift) * f;

		*texel |= (upper * (256 - g) + lower * g + (1 << 15)) >> 16 << shift;
	}
	return true;
}

/* Factors of the corners in the current pixel, in perspective; their sum is 1. */
static void draw_factors(const struct draw_raster *r, s64 *factor)
{
	u64 weight[3], sum;
	u32 shift, i;

	for (i = 0; i < 3; i++)
		weight[i] = (u64)r->weight[i] * r->corner[i].q;
	sum = weight[0] + weight[1] + weight[2];
	shift = max_t(int, fls64(sum) - DRAW_WEIGHT_BITS, 0);
	factor[0] = 1 << DRAW_BITS;
	for (i = 1; i < 3; i++) {
		factor[i] = div64_u64(weight[i] >> shift << DRAW_BITS, sum >> shift);
		factor[0] -= factor[i];
	}
}

static s64 draw_mix(const s64 *factor, s64 a, s64 b, s64 c)
{
	return (factor[0] * a + factor[1] * b + factor[2] * c) >> DRAW_BITS;
}

/* The color of the current pixel, before blending. */
static bool draw_color(struct draw_raster *r, u32 *color)
{
	const struct vsplit_vertex *a = &r->corner[0], *b = &r->corner[1], *c = &r->corner[2];
	u32 flags = r->draw->packet->head.flags, texel = ~0u, shift;
	s64 factor[3], u, v;
	bool there = true;

	draw_factors(r, factor);
	if (flags & VSPLIT_DRAW_TEXTURE) {
		u = draw_mix(factor, a->u, b->u, c->u);
		v = draw_mix(factor, a->v, b->v, c->v);
		there = flags & VSPLIT_DRAW_BILINEAR ? draw_bilinear(r, u, v, &texel) :
						       draw_nearest(r, u, v, &texel);
	}
	for (*color = 0, shift = 0; shift < 32; shift += 8) {
		u32 own = draw_mix(factor, draw_component(a->color, shift),
				   draw_component(b->color, shift),
				   draw_component(c->color, shift));

		*color |= draw_multiply(own, draw_component(texel, shift)) << shift;
	}
	return there;
}

static u32 draw_blend(u32 blend, u32 color, u32 old)
{
	u32 alpha = color >> 24, result = 0, shift, c, d;

	if (blend == VSPLIT_BLEND_NONE)
		return color;
	for (shift = 0; shift < 32; shift += 8) {
		/* The alpha channel of the color is not multiplied with itself. */
		c = shift < 24 ? draw_component(color, shift) : 255;
		d = draw_component(old, shift);
		if (blend == VSPLIT_BLEND_OVER)
			d = (c * alpha + d * (255 - alpha) + 127) / 255;
		else
			d = min_t(u32, d + draw_multiply(c, alpha), 255);
		result |= d << shift;
	}
	return result;
}

/* ---- pixels ------------------------------------------------------------- */

static u32 draw_depth(const struct draw_raster *r)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < 3; i++)
		sum += (u64)r->weight[i] * r->corner[i].z;
	return div64_u64(sum, r->area);
}

/* Draw the current pixel. A sparse target or depth (NULL) reads as 0 and is not written. */
static bool draw_pixel(struct draw_raster *r, u32 *target, u32 *depth)
{
	const struct vsplit_packet_draw *p = r->draw->packet;
	u32 flags = p->head.flags, z = 0, color;

	if (flags & (VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE))
		z = draw_depth(r);
	if (flags & VSPLIT_DRAW_DEPTH_TEST && z >= (depth ? READ_ONCE(*depth) : 0))
		return true;
	if (!draw_color(r, &color))
		return false;
	if (target)
		WRITE_ONCE(*target, draw_blend(p->blend, color, READ_ONCE(*target)));
	if (depth && flags & VSPLIT_DRAW_DEPTH_WRITE)
		WRITE_ONCE(*depth, z);
	return true;
}

static bool draw_pixels(struct draw_raster *r, u8 *target, u8 *depth, u32 n)
{
	bool good = true;
	u32 i, k;

	for (i = 0; i < n && good; i++) {
		good = draw_pixel(r, target ? (u32 *)target + i : NULL,
				  depth ? (u32 *)depth + i : NULL);
		for (k = 0; k < 3; k++)
			r->weight[k] += r->step[k];
	}
	draw_unmap_texels(r);
	return good;
}

/* Draw at most @n pixels from @x on. Return: how many were drawn; 0: memory was refused. */
static u32 draw_piece(struct draw_raster *r, u32 x, u32 y, u32 n)
{
	struct vsplit_gpu_draw *draw = r->draw;
	u32 flags = draw->packet->head.flags;
	bool has_depth = flags & (VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE);
	struct vsplit_gpu_chunk target, depth = { 0 };
	bool good;

	n = draw_together(&draw->target, x, n);
	if (!vsplit_gpu_surface_map(r->work, &draw->target, draw_offset(&draw->target, x, y),
				    n * sizeof(u32), &target))
		return 0;
	n = target.bytes / sizeof(u32);
	if (has_depth) {
		n = draw_together(&draw->depth, x, n);
		if (!vsplit_gpu_surface_map(r->work, &draw->depth, draw_offset(&draw->depth, x, y),
					    n * sizeof(u32), &depth)) {
			vsplit_gpu_span_unmap(&target);
			return 0;
		}
		n = depth.bytes / sizeof(u32);
	}
	good = draw_pixels(r, target.ptr, depth.ptr, n);
	if (has_depth)
		vsplit_gpu_span_unmap(&depth);
	vsplit_gpu_span_unmap(&target);
	draw->touched += n * (1 + has_depth + !!(flags & VSPLIT_DRAW_TEXTURE));
	return good ? n : 0;
}

/* ---- triangles ---------------------------------------------------------- */

/* Whether a pixel exactly on the edge from @from to @to belongs to the triangle. */
static bool draw_owns_edge(const struct vsplit_vertex *from, const struct vsplit_vertex *to)
{
	return to->y < from->y || (to->y == from->y && to->x > from->x);
}

/* Set weights for column 0 of row @y, and clip @left to @right. Return: whether pixels are left. */
static bool draw_row_span(struct draw_raster *r, u32 y, s64 *left, s64 *right)
{
	u32 i;

	for (i = 0; i < 3; i++) {
		const struct vsplit_vertex *b = &r->corner[(i + 1) % 3];
		const struct vsplit_vertex *c = &r->corner[(i + 2) % 3];
		s64 dx = c->x - b->x, dy = c->y - b->y, least = draw_owns_edge(b, c) ? 0 : 1;
		s64 weight = dx * ((s64)y * DRAW_PIXEL + DRAW_HALF - b->y) -
			     dy * (DRAW_HALF - b->x);
		s64 step = -dy * DRAW_PIXEL;

		r->weight[i] = weight;
		r->step[i] = step;
		if (weight < least && step <= 0)
			return false;
		if (weight < least)
			*left = max_t(s64, *left,
				      div64_u64(least - weight + step - 1, step));
		else if (step < 0)
			*right = min_t(s64, *right,
				       (s64)div64_u64(weight - least, -step) + 1);
	}
	return *left < *right;
}

static enum vsplit_gpu_moved draw_row(struct draw_raster *r, u32 y)
{
	s64 left = r->draw->packet->left, right = r->draw->packet->right, x;
	u32 n, i;

	if (!draw_row_span(r, y, &left, &right))
		return VSPLIT_GPU_MOVED_ALL;
	for (i = 0; i < 3; i++)
		r->weight[i] += left * r->step[i];
	for (x = left; x < right; x += n) {
		n = draw_piece(r, x, y, right - x);
		if (!n)
			return VSPLIT_GPU_MOVED_DECODE;
	}
	return VSPLIT_GPU_MOVED_ALL;
}

static bool draw_in_range(const struct vsplit_vertex *vertex)
{
	return vertex->x >= -VSPLIT_DRAW_MAX_XY && vertex->x <= VSPLIT_DRAW_MAX_XY &&
	       vertex->y >= -VSPLIT_DRAW_MAX_XY && vertex->y <= VSPLIT_DRAW_MAX_XY &&
	       vertex->z <= VSPLIT_DRAW_MAX_Z && vertex->q && vertex->q <= VSPLIT_DRAW_MAX_Q;
}

/* Order the corners. Return: false if the triangle has no pixels, or is out of range. */
static bool draw_set_up(struct draw_raster *r)
{
	struct vsplit_vertex *a = &r->corner[0], *b = &r->corner[1], *c = &r->corner[2];

	if (!draw_in_range(a) || !draw_in_range(b) || !draw_in_range(c))
		return false;
	r->area = (s64)(b->x - a->x) * (c->y - a->y) - (s64)(b->y - a->y) * (c->x - a->x);
	if (r->area < 0) {
		swap(*b, *c);
		r->area = -r->area;
	}
	return r->area;
}

static enum vsplit_gpu_moved draw_triangle(struct draw_raster *r)
{
	const struct vsplit_packet_draw *p = r->draw->packet;
	enum vsplit_gpu_moved moved;
	s32 top = p->top, bottom = p->bottom, y;

	if (vsplit_gpu_work_stop(r->work))
		return VSPLIT_GPU_MOVED_STOPPED;
	if (!draw_set_up(r))
		return VSPLIT_GPU_MOVED_ALL;
	top = max_t(s32, top, min_t(s32, r->corner[0].y, min_t(s32, r->corner[1].y,
							       r->corner[2].y)) / DRAW_PIXEL);
	bottom = min_t(s32, bottom, max_t(s32, r->corner[0].y, max_t(s32, r->corner[1].y,
								     r->corner[2].y)) /
		       DRAW_PIXEL + 1);
	for (y = top; y < bottom; y++) {
		if (vsplit_gpu_work_stop(r->work))
			return VSPLIT_GPU_MOVED_STOPPED;
		moved = draw_row(r, y);
		if (moved)
			return moved;
	}
	return VSPLIT_GPU_MOVED_ALL;
}

/* Copy the corners of a triangle: the client may change the memory at any time. */
static bool draw_fetch(struct draw_raster *r, u64 offset)
{
	const struct vsplit_gpu_surface *vertices = &r->draw->vertices;
	struct vsplit_gpu_chunk chunk;
	u32 done;

	for (done = 0; done < sizeof(r->corner); done += chunk.bytes) {
		if (!vsplit_gpu_surface_map(r->work, vertices, offset + done,
					    sizeof(r->corner) - done, &chunk))
			return false;
		memcpy((u8 *)r->corner + done, chunk.ptr, chunk.bytes);
		vsplit_gpu_span_unmap(&chunk);
	}
	return true;
}

enum vsplit_gpu_moved vsplit_gpu_draw(const struct vsplit_gpu_work *work,
				      struct vsplit_gpu_draw *draw)
{
	struct draw_raster r = { .work = work, .draw = draw };
	enum vsplit_gpu_moved moved;
	u32 i;

	for (i = 0; i < draw->packet->head.arg; i++) {
		if (!draw_fetch(&r, (u64)i * sizeof(r.corner)))
			return VSPLIT_GPU_MOVED_DECODE;
		moved = draw_triangle(&r);
		if (moved)
			return moved;
	}
	return VSPLIT_GPU_MOVED_ALL;
}
