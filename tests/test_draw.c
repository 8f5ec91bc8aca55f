// SPDX-License-Identifier: MIT
/*
 * Triangles: cases by hand, comparison with the definition (draw_reference.c), shared edges,
 * borders, coordinates at the ends of their ranges. With an argument, measures the speed instead.
 */
#include <time.h>

#include "draw_reference.h"
#include "gpu_world.h"
#include "harness.h"

#define SIDE	64u		/* pixels in each direction; a row is 4 tiles */
#define PITCH	(SIDE * 4)
#define TEX	48u		/* more than a page for a texture */

/* Slots, and where their rows are: the target is in pages, the others in memory. */
enum { TARGET, DEPTH, TEXTURE, VERTICES };

static struct world *w;
static u32 target[SIDE * SIDE], depth[SIDE * SIDE];

static void begin(bool in_pages)
{
	w = world_new(W_GART_PAGES);
	world_row(w, TARGET, in_pages ? W_GART : W_MEM, PITCH * SIDE, VSPLIT_GPU_ROW_WRITE);
	world_row(w, DEPTH, (in_pages ? W_GART : W_MEM) + 0x10000, PITCH * SIDE,
		  VSPLIT_GPU_ROW_WRITE);
	world_row(w, TEXTURE, (in_pages ? W_GART : W_MEM) + 0x20000, TEX * TEX * 4, 0);
	world_row(w, VERTICES, W_MEM + 0x30000, 0x10000, 0);
}

static void end(void)
{
	world_free(w);
}

static struct vsplit_vertex *vertices(void)
{
	return (void *)(w->memory + 0x30000);
}

static struct vsplit_packet_draw *draw(u32 flags, u32 triangles)
{
	struct vsplit_packet_draw *p = world_add(w, VSPLIT_OP_DRAW, sizeof(*p));

	p->head.flags = flags;
	p->head.arg = triangles;
	p->target.slot = TARGET;
	p->depth.slot = DEPTH;
	p->texture.slot = TEXTURE;
	p->vertices.slot = VERTICES;
	p->target_pitch = PITCH;
	p->width = p->height = p->right = p->bottom = SIDE;
	if (flags & (VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE))
		p->depth_pitch = PITCH;
	if (flags & VSPLIT_DRAW_TEXTURE) {
		p->texture_width = p->texture_height = TEX;
		p->texture_pitch = TEX * 4;
	}
	return p;
}

static void put(u32 slot, u32 n, u32 word)
{
	memcpy(world_byte(w, w->table[slot].address + 4ull * n), &word, 4);
}

static u32 get(u32 slot, u32 n)
{
	return world_get32(w, w->table[slot].address + 4ull * n);
}

static void clear(u32 color, u32 z)
{
	u32 i;

	for (i = 0; i < SIDE * SIDE; i++) {
		put(TARGET, i, color);
		put(DEPTH, i, z);
	}
}

static u32 at(u32 x, u32 y)
{
	return get(TARGET, y * SIDE + x);
}

static void run(void)
{
	t_equal(world_run(w), VSPLIT_FAULT_NONE);
	world_clear(w);
}

/* Set a corner, in pixels. */
static void corner(u32 n, s32 x, s32 y, u32 z, u32 color)
{
	vertices()[n] = (struct vsplit_vertex) {
		.x = 16 * x, .y = 16 * y, .z = z, .q = 1, .color = color,
		.u = 65536 * x, .v = 65536 * y,
	};
}

static void rectangle(s32 left, s32 top, s32 right, s32 bottom, u32 z, u32 color)
{
	corner(0, left, top, z, color);
	corner(1, right, top, z, color);
	corner(2, left, bottom, z, color);
	corner(3, right, top, z, color);
	corner(4, right, bottom, z, color);
	corner(5, left, bottom, z, color);
}

/* The pixels of a rectangle can be counted by hand. */
static void draw_rectangle(void)
{
	u32 x, y;

	begin(false);
	clear(7, 0);
	rectangle(3, 5, 20, 9, 0, 0x11223344);
	draw(0, 2);
	run();
	for (y = 0; y < SIDE; y++) {
		for (x = 0; x < SIDE; x++)
			t_equal(at(x, y), x >= 3 && x < 20 && y >= 5 && y < 9 ? 0x11223344 : 7);
	}
	end();
}

/* Centers on a top or left edge are in the triangle, those on other edges are not. */
static void draw_fill_rule(void)
{
	u32 x, y, i;

	begin(false);
	clear(0, 0);
	rectangle(3, 5, 20, 9, 0, ~0u);
	for (i = 0; i < 6; i++) {
		vertices()[i].x += 8;
		vertices()[i].y += 8;
	}
	draw(0, 2);
	run();
	for (y = 0; y < SIDE; y++) {
		for (x = 0; x < SIDE; x++)
			t_equal(!!at(x, y), x >= 3 && x < 20 && y >= 5 && y < 9);
	}
	end();
}

static void draw_scissor(void)
{
	struct vsplit_packet_draw *p;
	u32 x, y;

	begin(false);
	clear(0, 0);
	rectangle(-100, -100, 200, 200, 0, ~0u);
	p = draw(0, 2);
	p->left = 5;
	p->right = 17;
	p->top = 60;
	p->bottom = 63;
	run();
	for (y = 0; y < SIDE; y++) {
		for (x = 0; x < SIDE; x++)
			t_equal(!!at(x, y), x >= 5 && x < 17 && y >= 60 && y < 63);
	}
	end();
}

static void draw_depth(void)
{
	const u32 both = VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE;

	begin(false);
	clear(0, 0xffffffff);
	rectangle(0, 0, 9, 9, 50, 1);
	draw(both, 2);
	run();
	t_check(at(4, 4) == 1 && get(DEPTH, 4 * SIDE + 4) == 50);
	/*
	 * Behind the drawn depth, at the same depth, in front; then in front, without writing the
	 * depth.
	 */
	rectangle(0, 0, 9, 9, 51, 2);
	draw(both, 2);
	run();
	t_check(at(4, 4) == 1 && get(DEPTH, 4 * SIDE + 4) == 50);
	rectangle(0, 0, 9, 9, 50, 3);
	draw(both, 2);
	run();
	t_equal(at(4, 4), 1);
	rectangle(0, 0, 9, 9, 49, 4);
	draw(VSPLIT_DRAW_DEPTH_TEST, 2);
	run();
	t_check(at(4, 4) == 4 && get(DEPTH, 4 * SIDE + 4) == 50);
	rectangle(0, 0, 9, 9, VSPLIT_DRAW_MAX_Z, 5);
	draw(VSPLIT_DRAW_DEPTH_WRITE, 2);
	run();
	t_check(at(4, 4) == 5 && get(DEPTH, 4 * SIDE + 4) == VSPLIT_DRAW_MAX_Z);
	end();
}

static void draw_blend(void)
{
	begin(false);
	clear(0x40c86432, 0);
	rectangle(0, 0, 9, 9, 0, 0x800000ff);
	draw(0, 2)->blend = VSPLIT_BLEND_OVER;
	run();
	/* 200 127/255, 100 127/255, (255 128 + 50 127)/255, 128 + 64 127/255. */
	t_equal(at(4, 4), 0xa0643299);
	clear(0x40c86432, 0);
	draw(0, 2)->blend = VSPLIT_BLEND_ADD;
	run();
	t_equal(at(4, 4), 0xc0c864b2);
	clear(0xf0c864ff, 0);
	draw(0, 2)->blend = VSPLIT_BLEND_ADD;
	run();
	t_equal(at(4, 4), 0xffc864ff);
	end();
}

static void draw_texture(void)
{
	const u32 flags = VSPLIT_DRAW_TEXTURE | VSPLIT_DRAW_BILINEAR;
	u32 i;

	begin(false);
	clear(0, 0);
	for (i = 0; i < TEX * TEX; i++)
		put(TEXTURE, i, 0xff000000 | i % TEX << 8 | i / TEX);
	rectangle(0, 0, SIDE, SIDE, 0, ~0u);
	draw(VSPLIT_DRAW_TEXTURE, 2);
	run();
	t_equal(at(5, 7), 0xff000507);
	t_equal(at(5 + TEX, 7 + TEX), 0xff000507);
	draw(flags, 2);
	run();
	t_equal(at(5, 7), 0xff000507);
	draw(VSPLIT_DRAW_TEXTURE | VSPLIT_DRAW_CLAMP, 2);
	run();
	t_equal(at(5, TEX + 9), 0xff00052f);
	/*
	 * Half a texel further: half of both texels, rounded up; at the border, half of either
	 * edge.
	 */
	for (i = 0; i < 6; i++)
		vertices()[i].u += 1 << 15;
	draw(flags, 2);
	run();
	t_equal(at(5, 7), 0xff000607);
	t_equal(at(TEX - 1, 7), 0xff001807);
	draw(flags | VSPLIT_DRAW_CLAMP, 2);
	run();
	t_equal(at(TEX - 1, 7), 0xff002f07);
	end();
}

/* ---- against the definition --------------------------------------------- */

static void read_all(u32 *colors, u32 *depths)
{
	u32 i;

	for (i = 0; i < SIDE * SIDE; i++) {
		colors[i] = get(TARGET, i);
		depths[i] = get(DEPTH, i);
	}
}

static void against_reference(const struct vsplit_packet_draw *p, const char *what, u32 seed)
{
	static u32 is[SIDE * SIDE], is_depth[SIDE * SIDE], texels[TEX * TEX];
	struct vsplit_packet_draw copy = *p;
	u32 i;

	read_all(target, depth);
	for (i = 0; i < TEX * TEX; i++)
		texels[i] = get(TEXTURE, i);
	run();
	draw_reference_plain(&copy, target, depth, texels, vertices());
	read_all(is, is_depth);
	for (i = 0; i < SIDE * SIDE; i++) {
		if (is[i] != target[i] || is_depth[i] != depth[i])
			t_fail("%s %u: pixel %u, %u is %#x at %u, not %#x at %u", what, seed,
			       i % SIDE, i / SIDE, is[i], is_depth[i], target[i], depth[i]);
	}
}

/* A coordinate around the target; @range: how far away, in sides of the target. */
static s32 somewhere(u32 range)
{
	return (s32)below(16 * SIDE * (2 * range + 1)) - 16 * (s32)(SIDE * range);
}

static void random_vertex(struct vsplit_vertex *v, u32 range, bool round)
{
	*v = (struct vsplit_vertex) {
		.x = somewhere(range), .y = somewhere(range), .z = below(VSPLIT_DRAW_MAX_Z + 1),
		.q = 1 + below(VSPLIT_DRAW_MAX_Q), .u = (s32)rng() >> below(12),
		.v = (s32)rng() >> below(12), .color = rng(),
	};
	/* Let edges pass through centers. */
	if (round) {
		v->x = (v->x & ~15) + 8;
		v->y = (v->y & ~15) + 8;
	}
}

static struct vsplit_packet_draw *random_draw(u32 triangles)
{
	struct vsplit_packet_draw *p = draw(rng(), triangles);

	p->right = below(3) ? SIDE : below(SIDE + 1);
	p->bottom = below(3) ? SIDE : below(SIDE + 1);
	p->left = below(3) ? 0 : below(p->right + 1);
	p->top = below(3) ? 0 : below(p->bottom + 1);
	p->blend = below(VSPLIT_BLEND_COUNT);
	if (p->texture_width && below(2)) {
		p->texture_width = 1 + below(TEX);
		p->texture_height = 1 + below(TEX);
	}
	/* The texture is not made of whole tiles. */
	p->head.flags &= ~VSPLIT_DRAW_TEXTURE_TILED;
	return p;
}

static void random_content(void)
{
	u32 i;

	for (i = 0; i < SIDE * SIDE; i++) {
		put(TARGET, i, rng());
		put(DEPTH, i, rng() & VSPLIT_DRAW_MAX_Z);
	}
	for (i = 0; i < TEX * TEX; i++)
		put(TEXTURE, i, rng());
}

static void draw_random(void)
{
	u32 i, k, n;

	begin(false);
	for (i = 0; i < 1500 && !t_failed; i++) {
		if (i == 750) {
			end();
			begin(true);
		}
		if (i % 10 == 0)
			random_content();
		n = 1 + below(5);
		for (k = 0; k < 3 * n; k++)
			random_vertex(&vertices()[k], below(3), !below(4));
		against_reference(random_draw(n), "triangles", i);
	}
	end();
}

/* A texture of two by one tiles: its pitch and height are those of whole tiles. */
static void draw_tiled_texture(void)
{
	static u32 linear[64 * 32], tiled[64 * 32];
	struct vsplit_packet_draw *p;
	u32 i, x, y;

	begin(false);
	for (i = 0; i < 64 * 32; i++)
		linear[i] = rng();
	w->table[TEXTURE].size = sizeof(linear);
	for (i = 0; i < 2; i++) {
		clear(0, 0);
		for (y = 0; y < 64; y++) {
			for (x = 0; x < 32; x++)
				tiled[world_rect_at(128, 4 * x, y, i) / 4] = linear[y * 32 + x];
		}
		for (x = 0; x < 64 * 32; x++)
			put(TEXTURE, x, tiled[x]);
		rectangle(0, 0, SIDE, SIDE, 0, ~0u);
		p = draw(VSPLIT_DRAW_TEXTURE | (i ? VSPLIT_DRAW_TEXTURE_TILED : 0), 2);
		p->texture_width = 32;
		p->texture_height = 64;
		p->texture_pitch = 128;
		run();
		for (y = 0; y < SIDE; y++) {
			for (x = 0; x < SIDE; x++)
				t_equal(at(x, y), linear[y * 32 + x % 32]);
		}
	}
	end();
}

/* ---- edges -------------------------------------------------------------- */

/*
 * A fan of triangles that covers the target, with its center anywhere, draws each pixel once.
 * Blending adds 1 each time.
 */
static void draw_shared_edges(void)
{
	u32 i, k, n;

	begin(false);
	for (i = 0; i < 600 && !t_failed; i++) {
		static const s32 square[][2] = { { -64, -64 }, { 128, -64 }, { 128, 128 },
						 { -64, 128 } };
		struct vsplit_vertex center, *v = vertices();
		bool round = below(2);

		clear(0, 0);
		random_vertex(&center, 0, round);
		for (n = 0, k = 0; k < 4; k++) {
			s32 x = square[k][0] * 16, y = square[k][1] * 16, to_x, to_y, part;

			to_x = square[(k + 1) % 4][0] * 16;
			to_y = square[(k + 1) % 4][1] * 16;
			/* Divide each side in two. */
			part = 8 * below(25);
			for (u32 half = 0; half < 2; half++, n++) {
				struct vsplit_vertex from = center, to = center;
				s32 middle_x = x + (to_x - x) / 192 * part;
				s32 middle_y = y + (to_y - y) / 192 * part;

				from.x = half ? middle_x : x;
				from.y = half ? middle_y : y;
				to.x = half ? to_x : middle_x;
				to.y = half ? to_y : middle_y;
				v[3 * n] = center;
				v[3 * n + 1 + (i & 1)] = from;
				v[3 * n + 2 - (i & 1)] = to;
			}
		}
		for (k = 0; k < 3 * n; k++)
			v[k].color = 0xff000001;
		draw(0, n)->blend = VSPLIT_BLEND_ADD;
		run();
		for (k = 0; k < SIDE * SIDE; k++) {
			if (get(TARGET, k) != 0xff000001)
				t_fail("fan %u: pixel %u, %u is %#x", i, k % SIDE, k / SIDE,
				       get(TARGET, k));
		}
	}
	end();
}

static s32 far(void)
{
	switch (below(5)) {
	case 0: return VSPLIT_DRAW_MAX_XY;
	case 1: return -VSPLIT_DRAW_MAX_XY;
	case 2: return (s32)below(2 * VSPLIT_DRAW_MAX_XY) - VSPLIT_DRAW_MAX_XY;
	default: return somewhere(1);
	}
}

/* All values at their limits: nothing overflows (the sanitizer would report it). */
static void draw_far(void)
{
	u32 i, k;

	begin(false);
	random_content();
	for (i = 0; i < 1500 && !t_failed; i++) {
		for (k = 0; k < 3; k++) {
			struct vsplit_vertex *v = &vertices()[k];

			random_vertex(v, 0, false);
			v->x = far();
			v->y = far();
			v->z = below(3) ? v->z : VSPLIT_DRAW_MAX_Z;
			v->q = below(3) ? v->q : below(2) ? 1 : VSPLIT_DRAW_MAX_Q;
			v->u = below(3) ? v->u : below(2) ? INT32_MIN : INT32_MAX;
			v->v = below(3) ? v->v : below(2) ? INT32_MIN : INT32_MAX;
		}
		against_reference(random_draw(1), "far", i);
	}
	end();
}

/* A triangle with a number out of its range is not drawn. */
static void draw_out_of_range(void)
{
	static const s32 bad[] = { VSPLIT_DRAW_MAX_XY + 1, -VSPLIT_DRAW_MAX_XY - 1, INT32_MAX,
				   INT32_MIN };
	u32 i, k;

	begin(false);
	clear(0, 0);
	for (k = 0; k < 3; k++) {
		for (i = 0; i < 12; i++) {
			struct vsplit_vertex *v = &vertices()[k];

			rectangle(0, 0, SIDE, SIDE, 0, ~0u);
			if (i < 4)
				v->x = bad[i];
			else if (i < 8)
				v->y = bad[i - 4];
			else if (i < 10)
				v->z = i == 8 ? VSPLIT_DRAW_MAX_Z + 1 : ~0u;
			else
				v->q = i == 10 ? 0 : VSPLIT_DRAW_MAX_Q + 1;
			draw(0, 1);
			run();
		}
	}
	/* A triangle without area is not drawn either. */
	rectangle(0, 0, SIDE, SIDE, 0, ~0u);
	vertices()[2] = vertices()[1];
	draw(0, 1);
	run();
	for (i = 0; i < SIDE * SIDE; i++)
		t_equal(get(TARGET, i), 0);
	end();
}

/* ---- faults ------------------------------------------------------------- */

static void draw_faults(void)
{
	struct vsplit_packet_draw *p;
	u32 i;

	/* Rows of the table that are a word too small, or read-only, or misaligned. */
	for (i = 0; i < 7; i++) {
		begin(false);
		rectangle(0, 0, SIDE, SIDE, 0, ~0u);
		p = draw(VSPLIT_DRAW_TEXTURE | VSPLIT_DRAW_DEPTH_WRITE, 2);
		if (i < 3)
			w->table[i].size -= 4;
		else if (i == 3)
			w->table[VERTICES].size = 6 * sizeof(struct vsplit_vertex) - 4;
		else if (i == 4)
			w->table[TARGET].flags = 0;
		else if (i == 5)
			w->table[DEPTH].flags = 0;
		else
			p->target.value = 2, w->table[TARGET].size += 4;
		t_equal(world_run(w), i < 4 ? VSPLIT_FAULT_BOUNDS :
			i < 6 ? VSPLIT_FAULT_WRITE : VSPLIT_FAULT_ALIGN);
		t_equal(w->program.fault.slot, i < 4 ? i : i == 5 ? DEPTH : TARGET);
		end();
	}
	/* If depths are only tested, they need not be writable. */
	begin(false);
	clear(0, ~0u);
	rectangle(0, 0, SIDE, SIDE, 0, ~0u);
	w->table[DEPTH].flags = 0;
	draw(VSPLIT_DRAW_DEPTH_TEST, 2);
	run();
	t_equal(at(0, 0), ~0u);
	end();
	/* No memory behind an address: the fault tells which one. */
	for (i = 0; i < 3; i++) {
		begin(true);
		rectangle(0, 0, SIDE, SIDE, 0, ~0u);
		draw(VSPLIT_DRAW_TEXTURE | VSPLIT_DRAW_DEPTH_WRITE, 2);
		w->entries[(w->table[i].address - W_GART) / 4096] = NULL;
		t_equal(world_run(w), VSPLIT_FAULT_DECODE);
		t_equal(w->program.fault.slot, i);
		end();
	}
}

/* A DRAW checks at each row whether it is to stop, and stops. */
static void draw_stops(void)
{
	begin(false);
	clear(0, 0);
	rectangle(0, 0, SIDE, SIDE, 0, ~0u);
	draw(0, 2);
	w->engine.stop_at = 12;
	t_equal(world_run(w), VSPLIT_FAULT_CANCELLED);
	t_check(at(0, 5) && !at(0, 20));
	t_equal(w->engine.polls, 12);
	end();
	begin(false);
	rectangle(0, 0, SIDE, SIDE, 0, ~0u);
	draw(0, 2);
	run();
	t_check(w->engine.polls >= 2 * SIDE);
	t_equal(w->engine.bytes, SIDE * SIDE * 4);
	end();
}

static void measure(u32 flags, const char *name)
{
	struct timespec from, to;
	u32 i;

	begin(false);
	random_content();
	clear(0, ~0u);
	rectangle(0, 0, SIDE, SIDE, 0, ~0u);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (i = 0; i < 300; i++) {
		draw(flags, 2);
		run();
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	printf("# %s: %.1f ns a pixel\n", name,
	       ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / i / SIDE / SIDE);
	end();
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		measure(0, "plain");
		measure(VSPLIT_DRAW_TEXTURE, "nearest");
		measure(VSPLIT_DRAW_TEXTURE | VSPLIT_DRAW_BILINEAR | VSPLIT_DRAW_DEPTH_TEST,
			"bilinear, depth");
		return 0;
	}
	t_run(draw_rectangle);
	t_run(draw_fill_rule);
	t_run(draw_scissor);
	t_run(draw_depth);
	t_run(draw_blend);
	t_run(draw_texture);
	t_run(draw_random);
	t_run(draw_tiled_texture);
	t_run(draw_shared_edges);
	t_run(draw_far);
	t_run(draw_out_of_range);
	t_run(draw_faults);
	t_run(draw_stops);
	return t_status;
}
