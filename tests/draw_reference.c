// SPDX-License-Identifier: MIT
/*
 * Triangles drawn from the definition, see draw_reference.h. Slow, and shares nothing with the
 * driver.
 */
#include <string.h>

#include "draw_reference.h"

typedef __int128 wide;

struct point {
	wide x, y, z, q, u, v;
	wide color[4];
};

static wide floor_div(wide a, wide b)
{
	wide rest = ((a % b) + b) % b;

	return (a - rest) / b;
}

static wide floor_mod(wide a, wide b)
{
	return a - floor_div(a, b) * b;
}

/* Offset of pixel (x, y). */
static uint64_t where(uint32_t pitch, uint64_t x, uint64_t y, bool tiled)
{
	uint64_t tile = (y / 64) * (pitch / 64) + x * 4 / 64;

	return tiled ? tile * 4096 + y % 64 * 64 + x * 4 % 64 : y * pitch + x * 4;
}

static void split(uint32_t color, wide *parts)
{
	for (int i = 0; i < 4; i++)
		parts[i] = color >> 8 * i & 255;
}

static uint32_t join(const wide *parts)
{
	uint32_t color = 0;

	for (int i = 0; i < 4; i++)
		color |= (uint32_t)parts[i] << 8 * i;
	return color;
}

static wide product(wide a, wide b)
{
	return floor_div(a * b + 127, 255);
}

/* Distance of P from the edge from A to B, times its length; positive on the inner side. */
static wide side(const struct point *a, const struct point *b, wide x, wide y)
{
	return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

static bool inside(const struct point *a, const struct point *b, wide x, wide y)
{
	bool top = a->y == b->y && b->x > a->x, left = b->y < a->y;
	wide e = side(a, b, x, y);

	return e > 0 || (e == 0 && (top || left));
}

static bool texel(const struct vsplit_packet_draw *p, const struct draw_memory *m, wide x, wide y,
		  wide *parts)
{
	wide w = p->texture_width, h = p->texture_height;
	uint32_t color;

	if (p->head.flags & VSPLIT_DRAW_CLAMP) {
		x = x < 0 ? 0 : x >= w ? w - 1 : x;
		y = y < 0 ? 0 : y >= h ? h - 1 : y;
	}
	if (!m->get(m->priv, DRAW_TEXTURE,
		    where(p->texture_pitch, floor_mod(x, w), floor_mod(y, h),
			  p->head.flags & VSPLIT_DRAW_TEXTURE_TILED), &color))
		return false;
	split(color, parts);
	return true;
}

static bool sample(const struct vsplit_packet_draw *p, const struct draw_memory *m, wide u, wide v,
		   wide *parts)
{
	wide t[4][4], x, y, f, g;

	if (!(p->head.flags & VSPLIT_DRAW_BILINEAR))
		return texel(p, m, floor_div(u, 65536), floor_div(v, 65536), parts);
	x = floor_div(u - 32768, 65536);
	y = floor_div(v - 32768, 65536);
	f = floor_mod(floor_div(u - 32768, 256), 256);
	g = floor_mod(floor_div(v - 32768, 256), 256);
	for (int i = 0; i < 4; i++) {
		if (!texel(p, m, x + i % 2, y + i / 2, t[i]))
			return false;
	}
	for (int i = 0; i < 4; i++)
		parts[i] = floor_div((256 - f) * (256 - g) * t[0][i] + f * (256 - g) * t[1][i] +
				     (256 - f) * g * t[2][i] + f * g * t[3][i] + 32768, 65536);
	return true;
}

/* Blend @c into @d. */
static void blend(uint32_t how, const wide *c, wide *d)
{
	wide a = c[3];

	for (int i = 0; i < 3; i++) {
		if (how == VSPLIT_BLEND_NONE)
			d[i] = c[i];
		else if (how == VSPLIT_BLEND_OVER)
			d[i] = floor_div(c[i] * a + d[i] * (255 - a) + 127, 255);
		else
			d[i] += product(c[i], a);
	}
	if (how == VSPLIT_BLEND_NONE)
		d[3] = a;
	else if (how == VSPLIT_BLEND_OVER)
		d[3] = a + product(d[3], 255 - a);
	else
		d[3] += a;
	for (int i = 0; i < 4; i++)
		d[i] = d[i] > 255 ? 255 : d[i];
}

/* Draw the pixel in column @x and row @y, which is in the triangle. */
static bool pixel(const struct vsplit_packet_draw *p, const struct draw_memory *m,
		  const struct point *t, uint32_t x, uint32_t y)
{
	uint32_t flags = p->head.flags, old, stored = 0;
	bool depth = flags & (VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE);
	uint64_t at = where(p->target_pitch, x, y, flags & VSPLIT_DRAW_TARGET_TILED);
	uint64_t depth_at = where(p->depth_pitch, x, y, flags & VSPLIT_DRAW_DEPTH_TILED);
	wide px = 16 * (wide)x + 8, py = 16 * (wide)y + 8;
	wide e[3], w[3], f[3], sum, area, z, u, v, c[4], tx[4] = { 255, 255, 255, 255 }, d[4];
	int i;

	if (!m->get(m->priv, DRAW_TARGET, at, &old) ||
	    (depth && !m->get(m->priv, DRAW_DEPTH, depth_at, &stored)))
		return false;
	for (i = 0; i < 3; i++)
		e[i] = side(&t[(i + 1) % 3], &t[(i + 2) % 3], px, py);
	area = side(&t[0], &t[1], t[2].x, t[2].y);
	z = floor_div(e[0] * t[0].z + e[1] * t[1].z + e[2] * t[2].z, area);
	if (flags & VSPLIT_DRAW_DEPTH_TEST && z >= stored)
		return true;
	for (sum = 0, i = 0; i < 3; i++)
		sum += w[i] = e[i] * t[i].q;
	while (sum >= (wide)1 << 40) {
		sum /= 2;
		for (i = 0; i < 3; i++)
			w[i] /= 2;
	}
	f[1] = (w[1] << 24) / sum;
	f[2] = (w[2] << 24) / sum;
	f[0] = (1 << 24) - f[1] - f[2];
	u = floor_div(f[0] * t[0].u + f[1] * t[1].u + f[2] * t[2].u, 1 << 24);
	v = floor_div(f[0] * t[0].v + f[1] * t[1].v + f[2] * t[2].v, 1 << 24);
	if (flags & VSPLIT_DRAW_TEXTURE && !sample(p, m, u, v, tx))
		return false;
	for (i = 0; i < 4; i++) {
		c[i] = floor_div(f[0] * t[0].color[i] + f[1] * t[1].color[i] +
				 f[2] * t[2].color[i], 1 << 24);
		c[i] = product(c[i], tx[i]);
	}
	if (!m->get(m->priv, DRAW_TARGET, at, &old))
		return false;
	split(old, d);
	blend(p->blend, c, d);
	return m->put(m->priv, DRAW_TARGET, at, join(d)) &&
	       (!(flags & VSPLIT_DRAW_DEPTH_WRITE) || m->put(m->priv, DRAW_DEPTH, depth_at, z));
}

/* Read a corner; *@good: it is in range. */
static bool corner(const struct draw_memory *m, uint64_t n, struct point *to, bool *good)
{
	uint32_t words[8];

	for (int i = 0; i < 8; i++) {
		if (!m->get(m->priv, DRAW_VERTICES, n * 32 + i * 4, &words[i]))
			return false;
	}
	*to = (struct point) {
		.x = (int32_t)words[0], .y = (int32_t)words[1], .z = words[2], .q = words[3],
		.u = (int32_t)words[4], .v = (int32_t)words[5],
	};
	split(words[6], to->color);
	*good &= to->x >= -131072 && to->x <= 131072 && to->y >= -131072 && to->y <= 131072 &&
		 to->z < 16777216 && to->q >= 1 && to->q <= 1048576;
	return true;
}

static bool triangle(const struct vsplit_packet_draw *p, const struct draw_memory *m, uint32_t n)
{
	struct point t[3], swap;
	bool good = true;
	uint32_t x, y;
	wide area;

	for (int i = 0; i < 3; i++) {
		if (!corner(m, n * 3ull + i, &t[i], &good))
			return false;
	}
	area = side(&t[0], &t[1], t[2].x, t[2].y);
	if (!good || !area)
		return true;
	if (area < 0) {
		swap = t[1];
		t[1] = t[2];
		t[2] = swap;
	}
	for (y = p->top; y < p->bottom; y++) {
		for (x = p->left; x < p->right; x++) {
			wide px = 16 * (wide)x + 8, py = 16 * (wide)y + 8;

			if (inside(&t[0], &t[1], px, py) && inside(&t[1], &t[2], px, py) &&
			    inside(&t[2], &t[0], px, py) && !pixel(p, m, t, x, y))
				return false;
		}
	}
	return true;
}

bool draw_reference(const struct vsplit_packet_draw *p, const struct draw_memory *m)
{
	uint32_t i;

	for (i = 0; i < p->head.arg; i++) {
		if (!triangle(p, m, i))
			return false;
	}
	return true;
}

/* ---- plain memory ------------------------------------------------------- */

static bool plain_get(void *priv, enum draw_memory_part part, uint64_t offset, uint32_t *word)
{
	memcpy(word, ((uint8_t **)priv)[part] + offset, 4);
	return true;
}

static bool plain_put(void *priv, enum draw_memory_part part, uint64_t offset, uint32_t word)
{
	memcpy(((uint8_t **)priv)[part] + offset, &word, 4);
	return true;
}

void draw_reference_plain(const struct vsplit_packet_draw *p, void *target, void *depth,
			  const void *texture, const void *vertices)
{
	void *parts[] = { target, depth, (void *)texture, (void *)vertices };
	const struct draw_memory memory = { .priv = parts, .get = plain_get, .put = plain_put };

	draw_reference(p, &memory);
}
