// SPDX-License-Identifier: MIT
/* The objects of the scene, and the camera. */
#include <math.h>
#include <string.h>

#include "scene.h"

#define FLOOR		6		/* number of patches in each direction */
#define PATCH		4.0		/* side of a patch, m */
#define FLOOR_TEXTURES	8u
#define CRATE		FLOOR_TEXTURES	/* numbers of textures from here on */
#define CRATES		6u
#define BRICK		(CRATE + CRATES)
#define BRICKS		2u
#define PANE		(BRICK + BRICKS)
#define PANES		2u
#define SHADOW		(PANE + PANES)
#define GLOW		(SHADOW + 1)

_Static_assert(GLOW + 1 == SCENE_TEXTURES, "all textures have numbers");

#define NEAR		0.5
#define FAR		60.0
#define GUARD		2.0		/* corners may be this far out, in halves of the picture */

/* ---- textures ---------------------------------------------------------- */

static uint32_t hash(uint32_t x, uint32_t y, uint32_t seed)
{
	uint32_t h = x * 0x8da6b343u ^ y * 0xd8163841u ^ seed * 0xcb1ab31fu;

	h ^= h >> 13;
	h *= 0x5bd1e995u;
	return (h ^ h >> 15) & 255;
}

/* Noise, 0 to 255, smooth between the points of a lattice of @cells each way, which repeats. */
static uint32_t noise(uint32_t x, uint32_t y, uint32_t side, uint32_t cells, uint32_t seed)
{
	uint32_t cell = side / cells ? side / cells : 1;
	uint32_t i = x / cell, j = y / cell, f = x % cell * 256 / cell, g = y % cell * 256 / cell;
	uint32_t upper, lower;

	f = f * f * (768 - 2 * f) >> 16;
	g = g * g * (768 - 2 * g) >> 16;
	upper = hash(i % cells, j % cells, seed) * (256 - f) +
		hash((i + 1) % cells, j % cells, seed) * f;
	lower = hash(i % cells, (j + 1) % cells, seed) * (256 - f) +
		hash((i + 1) % cells, (j + 1) % cells, seed) * f;
	return (upper * (256 - g) + lower * g) >> 16;
}

static uint32_t clouds(uint32_t x, uint32_t y, uint32_t side, uint32_t cells, uint32_t seed)
{
	return (noise(x, y, side, cells, seed) * 4 + noise(x, y, side, cells * 2, seed + 1) * 2 +
		noise(x, y, side, cells * 4, seed + 2) + noise(x, y, side, cells * 8, seed + 3)) / 8;
}

/* Mix @a and @b: @part of 256 is @b. */
static uint32_t mix(uint32_t a, uint32_t b, uint32_t part)
{
	uint32_t result = 0, shift;

	part = part > 256 ? 256 : part;
	for (shift = 0; shift < 32; shift += 8)
		result |= ((a >> shift & 255) * (256 - part) + (b >> shift & 255) * part) >> 8
			  << shift;
	return result;
}

/* Distance from the nearest line of a grid of @cells each way, 0 to 127. */
static uint32_t from_line(uint32_t x, uint32_t side, uint32_t cells)
{
	uint32_t at = (uint32_t)((uint64_t)x * cells * 256 / side) & 255;

	return at < 128 ? at : 255 - at;
}

static uint32_t slabs(uint32_t x, uint32_t y, uint32_t side, uint32_t seed)
{
	static const uint32_t colors[][2] = {
		{ 0xffb9b0a2, 0xff8f8678 }, { 0xffa7aeb4, 0xff7b848d },
		{ 0xffc4b499, 0xff9c8a6c }, { 0xff9fa89a, 0xff747f70 },
	};
	uint32_t slab = hash(x * 4 / side, y * 4 / side, seed) / 3;
	uint32_t grout = from_line(x, side, 4), other = from_line(y, side, 4);
	uint32_t color = mix(colors[seed % 4][0], colors[seed % 4][1],
			     clouds(x, y, side, 8, seed) + slab / 2);

	grout = grout < other ? grout : other;
	return grout < 5 ? mix(color, 0xff3c3833, 200) : grout < 9 ? mix(color, 0xff3c3833, 60) : color;
}

static uint32_t planks(uint32_t x, uint32_t y, uint32_t side, uint32_t seed)
{
	static const uint32_t colors[] = {
		0xffb5793e, 0xffa3502e, 0xff6e8a4a, 0xff47789c, 0xffc09a45, 0xff8a5a86,
	};
	uint32_t frame = side / 9, u = x < y ? x : y, v = x < y ? y : x;
	uint32_t edge = u < side - 1 - v ? u : side - 1 - v;
	uint32_t grain = noise(x, y / 8, side, 32, seed) / 2 + clouds(x, y, side, 4, seed) / 2;
	uint32_t color = mix(colors[seed % 6], 0xff2a1a10, grain * 5 / 8);
	bool line;

	if (edge < frame) {
		line = edge < 2 || edge > frame - 3;
		return mix(color, line ? 0xff150d08 : 0xffe8d8b8, line ? 170 : 50);
	}
	/* A board across the diagonal, over the other boards. */
	if (x + side / 14 > y && y + side / 14 > x)
		return mix(color, 0xffe8d8b8, x + side / 18 > y && y + side / 18 > x ? 40 : 0);
	return from_line(x, side, 6) < 7 ? mix(color, 0xff150d08, 190) : mix(color, 0xff150d08, 50);
}

static uint32_t bricks(uint32_t x, uint32_t y, uint32_t side, uint32_t seed)
{
	uint32_t row = y * 8 / side, at = (x + (row & 1 ? side / 8 : 0)) % side;
	uint32_t joint = from_line(y, side, 8) / 2, other = from_line(at, side, 4);
	uint32_t tone = hash(at * 4 / side, row, seed);
	uint32_t color = mix(seed & 1 ? 0xffcdbfae : 0xffb4573c, seed & 1 ? 0xff93836f : 0xff6b2c1e,
			     tone / 2 + clouds(x, y, side, 8, seed) / 2);

	return joint < 6 || other < 6 ? mix(0xffc8c2b6, 0xff8d877c, noise(x, y, side, 32, seed)) : color;
}

/* Colored glass in a frame of lead. */
static uint32_t glass(uint32_t x, uint32_t y, uint32_t side, uint32_t seed)
{
	static const uint32_t colors[] = { 0x70d04030, 0x704060d8, 0x7040b060, 0x70e0b030 };
	uint32_t i = from_line(x + y, 2 * side, 6), j = from_line(x + side - y, 2 * side, 6);
	uint32_t cell = hash((x + y) * 3 / side, (x + side - y) * 3 / side, seed);
	uint32_t edge = from_line(x, side, 1) < from_line(y, side, 1) ?
			from_line(x, side, 1) : from_line(y, side, 1);

	if (edge < 5 || i < 6 || j < 6)
		return 0xff20242a;
	return mix(colors[cell % 4], 0x90ffffff, clouds(x, y, side, 8, seed) / 3);
}

/* A disk that fades from its middle, where its alpha is @most, to its edge. */
static uint32_t disk(uint32_t x, uint32_t y, uint32_t side, uint32_t color, uint32_t most)
{
	int64_t dx = 2 * (int64_t)x + 1 - side, dy = 2 * (int64_t)y + 1 - side;
	int64_t part = 256 - (dx * dx + dy * dy) * 256 / ((int64_t)side * side);

	part = part < 0 ? 0 : part;
	return color | (uint32_t)(part * part * most >> 16) << 24;
}

void scene_texture(uint32_t number, uint32_t side, uint32_t *texels)
{
	uint32_t x, y, *t = texels;

	for (y = 0; y < side; y++) {
		for (x = 0; x < side; x++, t++) {
			if (number < CRATE)
				*t = slabs(x, y, side, number);
			else if (number < BRICK)
				*t = planks(x, y, side, number);
			else if (number < PANE)
				*t = bricks(x, y, side, number);
			else if (number < SHADOW)
				*t = glass(x, y, side, number);
			else
				*t = disk(x, y, side, number == SHADOW ? 0 : 0xfff0c0,
					  number == SHADOW ? 190 : 255);
		}
	}
}

/* ---- the camera -------------------------------------------------------- */

struct vector {
	double x, y, z;
};

/*
 * A corner of a polygon on its way into the picture.
 * @x, @y: position to the right and upwards, in halves of a picture at distance 1.
 * @w: distance from the camera.
 * @u, @v: position in the texture, 0 to 1.
 * @light: 0 to 1.
 */
struct corner {
	double x, y, w, u, v, light;
};

struct view {
	struct scene_frame *frame;
	struct vector eye, right, up, ahead;
	double zoom_x, zoom_y;
	uint32_t width, height, side;
};

static double dot(struct vector a, struct vector b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector minus(struct vector a, struct vector b)
{
	return (struct vector){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static struct vector cross(struct vector a, struct vector b)
{
	return (struct vector){
		a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x
	};
}

static struct vector unit(struct vector a)
{
	double length = sqrt(dot(a, a));

	return (struct vector){ a.x / length, a.y / length, a.z / length };
}

/*
 * A point of the unit circle, @turn of a round from (1, 0). The steps are not even, but no sine is
 * needed.
 */
static void on_circle(double turn, double *x, double *y)
{
	int quarter = (int)(turn * 4);
	double s = turn * 4 - quarter;
	double a = (1 - s * s) / (1 + s * s), b = 2 * s / (1 + s * s), t;

	for (; quarter > 0; quarter--) {
		t = a;
		a = -b;
		b = t;
	}
	*x = a;
	*y = b;
}

static void look(struct view *view, double turn)
{
	const struct vector sky = { 0, 1, 0 }, goal = { 0, 0.9, 0 };
	double x, y;

	/* The round begins where the boxes can be seen between the pillars. */
	on_circle(turn < 0.97 ? turn + 0.03 : turn - 0.97, &x, &y);
	view->eye = (struct vector){ 11.5 * x, 4.2 - y, 11.5 * y };
	view->ahead = unit(minus(goal, view->eye));
	view->right = unit(cross(view->ahead, sky));
	view->up = cross(view->right, view->ahead);
	view->zoom_y = 2.1;
	view->zoom_x = 2.1 * view->height / view->width;
}

/* ---- polygons ---------------------------------------------------------- */

#define MAX_CORNERS	12

/* Distance of a corner from border @n; positive on the inner side. */
static double inside(const struct corner *c, int n)
{
	switch (n) {
	case 0: return c->w - NEAR;
	case 1: return GUARD * c->w - c->x;
	case 2: return GUARD * c->w + c->x;
	case 3: return GUARD * c->w - c->y;
	default: return GUARD * c->w + c->y;
	}
}

static struct corner between(const struct corner *a, const struct corner *b, double part)
{
	return (struct corner){
		a->x + (b->x - a->x) * part, a->y + (b->y - a->y) * part,
		a->w + (b->w - a->w) * part, a->u + (b->u - a->u) * part,
		a->v + (b->v - a->v) * part, a->light + (b->light - a->light) * part,
	};
}

/* Cut a polygon to the part before the camera and not far beside the picture. */
static uint32_t clip(struct corner *corners, uint32_t count)
{
	struct corner from[MAX_CORNERS];
	uint32_t i, n;
	int border;

	for (border = 0; border < 5; border++) {
		memcpy(from, corners, sizeof(from));
		for (i = 0, n = 0; i < count; i++) {
			const struct corner *a = &from[i], *b = &from[(i + 1) % count];
			double da = inside(a, border), db = inside(b, border);

			if (da >= 0)
				corners[n++] = *a;
			if ((da >= 0) != (db >= 0))
				corners[n++] = between(a, b, da / (da - db));
		}
		count = n;
	}
	return count;
}

/* Round to the nearest integer. @a must be well inside 32 bits. */
static int32_t nearest(double a)
{
	return (int32_t)(a + 1073741824.5) - 1073741824;
}

static uint32_t gray(double light)
{
	uint32_t c = (uint32_t)(light * 255 + 0.5);

	return 0xff000000 | c << 16 | c << 8 | c;
}

static struct vsplit_vertex vertex(const struct view *view, const struct corner *c)
{
	double depth = FAR / (FAR - NEAR) * (1 - NEAR / c->w);

	return (struct vsplit_vertex){
		.x = nearest((c->x / c->w + 1) * 8 * view->width),
		.y = nearest((1 - c->y / c->w) * 8 * view->height),
		.z = depth < 1 ? (uint32_t)(depth * VSPLIT_DRAW_MAX_Z) : VSPLIT_DRAW_MAX_Z,
		.q = (uint32_t)(NEAR / c->w * (VSPLIT_DRAW_MAX_Q - 1)) + 1,
		.u = nearest(c->u * view->side * 4096) * 16,
		.v = nearest(c->v * view->side * 4096) * 16,
		.color = gray(c->light),
	};
}

static void emit(struct view *view, const struct vsplit_vertex *a, const struct vsplit_vertex *b,
		 const struct vsplit_vertex *c)
{
	struct scene_frame *f = view->frame;

	if (f->num_vertices + 3 > SCENE_MAX_VERTICES)
		return;
	f->vertices[f->num_vertices++] = *a;
	f->vertices[f->num_vertices++] = *b;
	f->vertices[f->num_vertices++] = *c;
	f->draws[f->num_draws - 1].triangles++;
}

/* A corner of a polygon in the world. */
struct point {
	struct vector at;
	double u, v, light;
};

static void quad(struct view *view, const struct point *points)
{
	struct vsplit_vertex vertices[MAX_CORNERS];
	struct corner corners[MAX_CORNERS] = { 0 };
	uint32_t i, n;

	for (i = 0; i < 4; i++) {
		struct vector to = minus(points[i].at, view->eye);

		corners[i] = (struct corner){
			dot(to, view->right) * view->zoom_x, dot(to, view->up) * view->zoom_y,
			dot(to, view->ahead), points[i].u, points[i].v, points[i].light,
		};
	}
	n = clip(corners, 4);
	for (i = 0; i < n; i++)
		vertices[i] = vertex(view, &corners[i]);
	for (i = 2; i < n; i++)
		emit(view, &vertices[0], &vertices[i - 1], &vertices[i]);
}

#define SOLID	(VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE | VSPLIT_DRAW_TEXTURE | \
		 VSPLIT_DRAW_BILINEAR)
#define THIN	(VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_TEXTURE | VSPLIT_DRAW_BILINEAR | \
		 VSPLIT_DRAW_CLAMP)

static void begin(struct view *view, uint32_t texture, uint32_t flags, uint32_t blend)
{
	struct scene_frame *f = view->frame;

	/* Replace the last draw if all of it was outside the picture. */
	if (f->num_draws && !f->draws[f->num_draws - 1].triangles)
		f->num_draws--;
	f->draws[f->num_draws++] = (struct scene_draw){
		.texture = texture, .first = f->num_vertices, .flags = flags, .blend = blend,
	};
}

/* ---- things ------------------------------------------------------------ */

/* Fill the background, from the upper left corner of the picture to the lower right one. */
static void sky(struct view *view)
{
	static const uint32_t colors[3] = { 0xff3565a8, 0xffc5d8e8, 0xff5d5a58 };
	int32_t heights[3], right = (int32_t)view->width * 16;
	struct vsplit_vertex v[4] = { 0 };
	int i, k;

	/* The horizon is at the height of a point that is level and straight ahead. */
	heights[0] = 0;
	heights[1] = nearest((1 + view->ahead.y / view->up.y * view->zoom_y) * 8 * view->height);
	heights[2] = (int32_t)view->height * 16;
	begin(view, SCENE_NO_TEXTURE, 0, VSPLIT_BLEND_NONE);
	for (i = 0; i < 2; i++) {
		for (k = 0; k < 4; k++)
			v[k] = (struct vsplit_vertex){
				.x = k & 1 ? right : 0, .y = heights[i + k / 2], .q = 1,
				.color = colors[i + (i == 0 && k / 2)],
			};
		if (i)
			v[2].color = v[3].color = colors[2];
		emit(view, &v[0], &v[1], &v[2]);
		emit(view, &v[1], &v[3], &v[2]);
	}
}

/* The light gets darker away from the middle of the court. */
static double light_at(double x, double z)
{
	return 1 / (1 + (x * x + z * z) / 170);
}

static void floor_patch(struct view *view, int i, int j)
{
	double x = (i - FLOOR / 2.0) * PATCH, z = (j - FLOOR / 2.0) * PATCH, step = PATCH / 2;
	int a, b, k;

	begin(view, (uint32_t)(i * 3 + j * 5) % FLOOR_TEXTURES, SOLID, VSPLIT_BLEND_NONE);
	for (a = 0; a < 2; a++) {
		for (b = 0; b < 2; b++) {
			struct point p[4];

			for (k = 0; k < 4; k++) {
				double dx = a + (k == 1 || k == 2), dz = b + k / 2;

				p[k] = (struct point){
					{ x + dx * step, 0, z + dz * step }, dx / 2, dz / 2,
					light_at(x + dx * step, z + dz * step),
				};
			}
			quad(view, p);
		}
	}
}

/* @c, @s: cosine and sine of its rotation; @repeat: repeats of the texture along its height. */
static void box(struct view *view, uint32_t texture, double x, double y, double z, double width,
		double height, double c, double s, double repeat)
{
	static const int faces[5][4][3] = {
		{ { -1, 1, 1 }, { 1, 1, 1 }, { 1, 0, 1 }, { -1, 0, 1 } },
		{ { 1, 1, 1 }, { 1, 1, -1 }, { 1, 0, -1 }, { 1, 0, 1 } },
		{ { 1, 1, -1 }, { -1, 1, -1 }, { -1, 0, -1 }, { 1, 0, -1 } },
		{ { -1, 1, -1 }, { -1, 1, 1 }, { -1, 0, 1 }, { -1, 0, -1 } },
		{ { -1, 1, -1 }, { 1, 1, -1 }, { 1, 1, 1 }, { -1, 1, 1 } },
	};
	static const double lights[5] = { 0.72, 0.88, 0.55, 0.64, 1 };
	double half = width / 2;
	int face, k;

	begin(view, texture, SOLID, VSPLIT_BLEND_NONE);
	for (face = 0; face < 5; face++) {
		struct point p[4];

		for (k = 0; k < 4; k++) {
			const int *at = faces[face][k];
			double dx = at[0] * half, dz = at[2] * half;

			p[k] = (struct point){
				{ x + dx * c - dz * s, y + at[1] * height, z + dx * s + dz * c },
				k == 1 || k == 2, k / 2 * (face < 4 ? repeat : 1),
				lights[face] * (0.55 + 0.45 * light_at(x, z)),
			};
		}
		quad(view, p);
	}
}

/* A shadow that lies flat at height @y. */
static void shadow(struct view *view, double x, double y, double z, double half)
{
	const struct point p[4] = {
		{ { x - half, y, z - half }, 0, 0, 1 }, { { x + half, y, z - half }, 1, 0, 1 },
		{ { x + half, y, z + half }, 1, 1, 1 }, { { x - half, y, z + half }, 0, 1, 1 },
	};

	quad(view, p);
}

/* An upright rectangle, from (@x, @z) to (@to_x, @to_z). */
static void upright(struct view *view, double x, double z, double to_x, double to_z, double low,
		    double high)
{
	const struct point p[4] = {
		{ { x, high, z }, 0, 0, 1 }, { { to_x, high, to_z }, 1, 0, 1 },
		{ { to_x, low, to_z }, 1, 1, 1 }, { { x, low, z }, 0, 1, 1 },
	};

	quad(view, p);
}

static const struct {
	double x, y, z, size, c, s;
} crates[] = {
	{ -1.3, 0, 0.2, 1.6, 0.96, 0.28 }, { 0.9, 0, -0.6, 1.4, 0.8, -0.6 },
	{ -0.4, 1.6, -0.2, 1.1, 0.8, 0.6 }, { 2.6, 0, 2.2, 1.2, 0.6, 0.8 },
	{ -3.4, 0, -2.8, 1.5, 0.6, -0.8 }, { 3.6, 0, -3.2, 1.3, 0.96, -0.28 },
	{ -3.2, 0, 3.4, 1.0, 0.28, 0.96 }, { -4.2, 0, 2.6, 0.8, 1, 0 },
};

static const struct {
	double x, z, to_x, to_z;
} panes[] = {
	{ -6, -5.4, -6, -2.4 }, { 6, 2.4, 6, 5.4 }, { -2.4, 6, -5.4, 6 }, { 2.4, -6, 5.4, -6 },
};

/* Draw the transparent panes, the farthest first. */
static void see_through(struct view *view)
{
	double distance[ARRAY_SIZE(panes)];
	uint32_t i, k, far;

	for (i = 0; i < ARRAY_SIZE(panes); i++) {
		const struct vector middle = { (panes[i].x + panes[i].to_x) / 2, 1.5,
					       (panes[i].z + panes[i].to_z) / 2 };
		struct vector to = minus(middle, view->eye);

		distance[i] = dot(to, to);
	}
	for (k = 0; k < ARRAY_SIZE(panes); k++) {
		for (far = 0, i = 1; i < ARRAY_SIZE(panes); i++) {
			if (distance[i] > distance[far])
				far = i;
		}
		begin(view, PANE + far % PANES, THIN, VSPLIT_BLEND_OVER);
		upright(view, panes[far].x, panes[far].z, panes[far].to_x, panes[far].to_z, 0.05, 2.8);
		distance[far] = -1;
	}
}

static void glow(struct view *view, double x, double y, double z, double half)
{
	double dx = view->right.x * half, dz = view->right.z * half;

	upright(view, x - dx, z - dz, x + dx, z + dz, y - half, y + half);
}

void scene_look(struct scene_frame *frame, double turn, uint32_t width, uint32_t height,
		uint32_t side)
{
	struct view view = { .frame = frame, .width = width, .height = height, .side = side };
	uint32_t i;

	frame->num_draws = 0;
	frame->num_vertices = 0;
	look(&view, turn);
	sky(&view);
	for (i = 0; i < FLOOR * FLOOR; i++)
		floor_patch(&view, (int)i / FLOOR, (int)i % FLOOR);
	begin(&view, SHADOW, THIN, VSPLIT_BLEND_OVER);
	for (i = 0; i < ARRAY_SIZE(crates); i++)
		shadow(&view, crates[i].x, crates[i].y + 0.02, crates[i].z, crates[i].size * 1.05);
	for (i = 0; i < 4; i++)
		shadow(&view, i & 1 ? 6 : -6, 0.02, i & 2 ? 6 : -6, 0.9);
	for (i = 0; i < ARRAY_SIZE(crates); i++)
		box(&view, CRATE + i % CRATES, crates[i].x, crates[i].y, crates[i].z,
		    crates[i].size, crates[i].size, crates[i].c, crates[i].s, 1);
	for (i = 0; i < 4; i++)
		box(&view, BRICK + i % BRICKS, i & 1 ? 6 : -6, 0, i & 2 ? 6 : -6, 0.8, 3.2, 1, 0, 4);
	see_through(&view);
	begin(&view, GLOW, THIN, VSPLIT_BLEND_ADD);
	for (i = 0; i < 4; i++)
		glow(&view, i & 1 ? 6 : -6, 3.5, i & 2 ? 6 : -6, 0.8);
	if (!frame->draws[frame->num_draws - 1].triangles)
		frame->num_draws--;
}
