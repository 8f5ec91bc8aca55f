// SPDX-License-Identifier: MIT
/*
 * Swizzling ranges: while a range covers a surface, commands find every byte where they would find
 * it without the range, and the memory is in linear order.
 */
#include "gpu_world.h"
#include "harness.h"

#define PITCH	320u
#define PAGES	23u	/* one band and a tail */
#define BYTES	(PAGES * 4096u)
#define AT	(W_MEM + 8192)

/* A world whose first bank can have ranges. Slot 0 is the surface, slot 1 a GART. */
struct pair {
	struct world *plain;	/* without a range */
	struct world *ranged;
	struct page *backing;
	struct page *list[PAGES];
	u8 ranges[W_MEM_BYTES / 2 / 4096];
};

static struct world *world_of(void)
{
	struct world *w = world_new(64);

	world_row(w, 0, AT, BYTES, VSPLIT_GPU_ROW_WRITE);
	world_row(w, 1, W_GART, W_GART_BYTES - 4096, VSPLIT_GPU_ROW_WRITE);
	return w;
}

static struct vsplit_gpu_step range_step(struct pair *p, u32 type, u32 flags)
{
	return (struct vsplit_gpu_step) {
		.type = type, .flags = flags, .dst.address = AT, .src.pages = p->list,
		.bytes = BYTES, .pitch = PITCH, .range = 95,
	};
}

static void pair_init(struct pair *p)
{
	struct vsplit_gpu_step step;
	u32 i;

	memset(p, 0, sizeof(*p));
	p->plain = world_of();
	p->ranged = world_of();
	p->ranged->space.regions[0].ranges = p->ranges;
	p->backing = calloc(PAGES, sizeof(*p->backing));
	for (i = 0; i < PAGES; i++)
		p->list[i] = &p->backing[PAGES - 1 - i];
	step = range_step(p, VSPLIT_GPU_STEP_ACQUIRE_RANGE, VSPLIT_GPU_STEP_UNSWIZZLE);
	t_equal(world_page(p->ranged, &step), VSPLIT_GPU_MOVED_ALL);
}

static void pair_fini(struct pair *p)
{
	world_free(p->plain);
	world_free(p->ranged);
	free(p->backing);
}

static u64 linear_of(u64 tiled)
{
	u64 band = (u64)PITCH * 64, in = tiled % band;

	if (tiled >= BYTES / band * band)
		return tiled;
	return tiled / band * band + in % 4096 / 64 * PITCH + in / 4096 * 64 + in % 64;
}

/* With @linear, the memory of the two worlds differs by its linear order; all else is the same. */
static void pair_compare(struct pair *p, bool linear)
{
	u64 i, wrong = 0;

	for (i = 0; i < W_MEM_BYTES; i++) {
		u64 at = i;

		if (linear && i >= 8192 && i < 8192 + BYTES)
			at = 8192 + linear_of(i - 8192);
		wrong += p->ranged->memory[at] != p->plain->memory[i];
	}
	t_equal(wrong, 0);
	t_check(!memcmp(p->ranged->pages, p->plain->pages, W_GART_BYTES));
}

static void add_random(struct world *w, u64 seed)
{
	u64 state = rng_state;
	struct vsplit_packet_copy_2d *rect;
	struct vsplit_packet_store *store;
	u32 from, to, n;

	rng_state = seed;
	from = below(BYTES);
	to = below(BYTES);
	n = below(BYTES - (from > to ? from : to));
	switch (below(5)) {
	case 0:
		world_state(w, VSPLIT_STATE_FILL, below(~0u));
		world_fill(w, 0, to, n);
		break;
	case 1:
		world_copy(w, 0, to, 0, from, n);
		break;
	case 2:
		world_copy(w, 0, to, 1, from, n);
		break;
	case 3:
		world_state(w, VSPLIT_STATE_SRC_PITCH, PITCH);
		world_state(w, VSPLIT_STATE_DST_PITCH, PITCH);
		rect = world_add(w, VSPLIT_OP_COPY_2D, sizeof(*rect));
		n = below(2);
		rect->head.flags = n ? VSPLIT_COPY_2D_SRC_TILED : VSPLIT_COPY_2D_DST_TILED;
		rect->dst = (struct vsplit_operand) { .slot = n };
		rect->src = (struct vsplit_operand) { .slot = !n };
		rect->width = 64 * (1 + below(5));
		rect->height = 64;
		break;
	default:
		store = world_add(w, below(2) ? VSPLIT_OP_STORE : VSPLIT_OP_ATOMIC_ADD,
				  sizeof(*store));
		store->dst = (struct vsplit_operand) { .value = from & ~7u };
		store->value = rng();
	}
	rng_state = state;
}

static void ranges_are_not_seen(void)
{
	u32 round, i;

	for (round = 0; round < 60; round++) {
		struct vsplit_gpu_step step;
		struct pair p;

		pair_init(&p);
		pair_compare(&p, true);
		for (i = 0; i < 12; i++) {
			u64 seed = rng();

			add_random(p.plain, seed);
			add_random(p.ranged, seed);
		}
		t_equal(world_run(p.plain), 0);
		t_equal(world_run(p.ranged), 0);
		pair_compare(&p, true);
		step = range_step(&p, VSPLIT_GPU_STEP_RELEASE_RANGE, VSPLIT_GPU_STEP_SAVE);
		t_equal(world_page(p.ranged, &step), VSPLIT_GPU_MOVED_ALL);
		pair_compare(&p, false);
		for (i = 0; i < sizeof(p.ranges); i++)
			t_equal(p.ranges[i], 0);
		pair_fini(&p);
	}
}

/* The range follows a move that overlaps itself, and is gone after the eviction. */
static void ranges_follow(void)
{
	struct vsplit_gpu_step step;
	struct pair p;
	u64 i, wrong = 0;

	pair_init(&p);
	step = (struct vsplit_gpu_step) {
		.type = VSPLIT_GPU_STEP_TRANSFER, .flags = VSPLIT_GPU_STEP_MOVE_RANGE,
		.src.address = AT, .dst.address = AT + 4096, .bytes = BYTES, .pitch = PITCH,
		.range = 95,
	};
	t_equal(world_page(p.ranged, &step), VSPLIT_GPU_MOVED_ALL);
	t_equal(p.ranges[2], 0);
	t_equal(p.ranges[3], 96);
	t_equal(p.ranges[2 + PAGES], 96);
	t_equal(p.ranges[3 + PAGES], 0);
	p.ranged->nr_rows = 0;
	world_row(p.ranged, 0, AT + 4096, BYTES, VSPLIT_GPU_ROW_WRITE);
	world_row(p.ranged, 1, W_GART, W_GART_BYTES - 4096, VSPLIT_GPU_ROW_WRITE);
	world_copy(p.ranged, 1, 0, 0, 0, BYTES);
	world_copy(p.plain, 1, 0, 0, 0, BYTES);
	t_equal(world_run(p.ranged), 0);
	t_equal(world_run(p.plain), 0);
	t_check(!memcmp(p.ranged->pages, p.plain->pages, W_GART_BYTES));

	memset(p.backing, 0, PAGES * sizeof(*p.backing));
	step.src.address = AT + 4096;
	step.dst = (struct vsplit_gpu_loc) { .pages = p.list };
	step.flags = VSPLIT_GPU_STEP_DROP_RANGE;
	t_equal(world_page(p.ranged, &step), VSPLIT_GPU_MOVED_ALL);
	for (i = 0; i < BYTES; i++) {
		u64 at = linear_of(i);

		wrong += p.list[at / 4096]->bytes[at % 4096] != p.plain->memory[8192 + i];
	}
	t_equal(wrong, 0);
	for (i = 0; i < sizeof(p.ranges); i++)
		t_equal(p.ranges[i], 0);
	pair_fini(&p);
}

/* Zeros are not copied; memory that is no surface is refused. */
static void ranges_limits(void)
{
	struct vsplit_gpu_step step;
	struct pair p;

	pair_init(&p);
	step = range_step(&p, VSPLIT_GPU_STEP_ACQUIRE_RANGE, 0);
	step.src.pages = NULL;
	step.range = 3;
	t_equal(world_page(p.ranged, &step), VSPLIT_GPU_MOVED_ALL);
	pair_compare(&p, true);
	step.range = VSPLIT_GPU_MAX_RANGES;
	t_equal(world_page(p.ranged, &step), VSPLIT_GPU_MOVED_DECODE);
	step.range = 3;
	step.pitch = 100;
	t_equal(world_page(p.ranged, &step), VSPLIT_GPU_MOVED_DECODE);
	step.pitch = PITCH;
	step.dst.address = W_GART;
	t_equal(world_page(p.ranged, &step), VSPLIT_GPU_MOVED_DECODE);
	step.dst.address = W_MEM + W_MEM_BYTES / 2 - 4096;
	t_equal(world_page(p.ranged, &step), VSPLIT_GPU_MOVED_DECODE);
	pair_fini(&p);
}

/* Make tiles of rows, and back. Both have to be in memory, and each in one piece. */
static void ranges_retile(void)
{
	struct world *w = world_of();
	struct vsplit_gpu_step step = {
		.type = VSPLIT_GPU_STEP_TRANSFER, .flags = VSPLIT_GPU_STEP_SWIZZLE,
		.dst.address = W_MEM + W_MEM_BYTES / 2, .src.address = AT,
		.bytes = BYTES, .pitch = PITCH,
	};
	u64 i, wrong = 0;

	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
	for (i = 0; i < BYTES; i++)
		wrong += *world_byte(w, step.dst.address + i) != w->memory[8192 + linear_of(i)];
	t_equal(wrong, 0);
	step.flags = VSPLIT_GPU_STEP_UNSWIZZLE;
	step.src.address = step.dst.address;
	step.dst.address += W_MEM_BYTES / 4;
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_ALL);
	t_check(!memcmp(w->memory + W_MEM_BYTES * 3 / 4, w->memory + 8192, BYTES));
	step.flags = VSPLIT_GPU_STEP_SWIZZLE;
	step.src.address = AT;
	step.dst.address = W_GART;
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_DECODE);
	step.dst.address = W_MEM + W_MEM_BYTES / 2 - 11 * 4096;	/* a band in two banks */
	t_equal(world_page(w, &step), VSPLIT_GPU_MOVED_DECODE);
	world_free(w);
}

int main(void)
{
	t_run(ranges_are_not_seen);
	t_run(ranges_follow);
	t_run(ranges_limits);
	t_run(ranges_retile);
	return t_status;
}
