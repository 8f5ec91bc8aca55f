// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit isa
 * Description: Each command of the software GPU is compared with a CPU reference, in memory and in
 *   aperture segments, and at the edges of the memory that it may touch.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: instruction set
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_setup.h"

IGT_TEST_DESCRIPTION("Each command of the software GPU is compared with a CPU reference, in memory "
		     "and in aperture segments, and at the edges of the memory that it may touch.");

#define U 4096ull

static uint8_t segment[2];

/* Runs @test with allocations in a memory segment, then in an aperture segment. */
static void in_both(void (*test)(void))
{
	for (unsigned int i = 1; i <= 2; i++) {
		const struct vsplit_adapter_opts opts = {
			.segs = { { "vram", .size = 1024 * U }, { "aper", true, .size = 1024 * U } },
			.slots = 16,
		};

		setup_opts(&opts);
		segment[0] = i;
		test();
		vsplit_cleanup();
	}
}

static struct vsplit_bo *bo(char name, unsigned int pages)
{
	struct vsplit_bo *b = vsplit_bo_in(fd, name, pages * U, 0, segment);

	vsplit_bo_pattern(b, name);
	return b;
}

static void run(void)
{
	vsplit_cs_run(cs, ctx, 0);
}

static void fill(void)
{
	static const uint32_t patterns[] = { 0, 0x01020304, 0xffffffff, 0x80000001 };

	vsplit_cs_bind(cs, 0, bo('A', 8));
	for (unsigned int p = 0; p < ARRAY_SIZE(patterns); p++) {
		vsplit_cs_state(cs, VSPLIT_STATE_FILL, patterns[p]);
		for (unsigned int offset = 0; offset < 9; offset++)
			for (unsigned int length = 0; length < 20; length++)
				vsplit_cs_fill(cs, 0, p * 5000 + length * 96 + offset * 3, length);
	}
	/* Across pages. */
	vsplit_cs_set(cs, 0, 4095, 4098, 0x0a0b0c0d);
	vsplit_cs_set(cs, 0, 7 * U, U, 0x11223344);
	run();
}

/**
 * SUBTEST: fill
 * Description: FILL at every alignment, with every small length. The pattern starts with its lowest
 *   byte.
 */
static void test_fill(void)
{
	in_both(fill);
}

static void copy(void)
{
	struct vsplit_rng rng = { 11 };

	vsplit_cs_bind(cs, 0, bo('A', 16));
	vsplit_cs_bind(cs, 1, bo('B', 16));
	for (unsigned int i = 0; i < 400; i++) {
		uint64_t length = vsplit_rng_below(&rng, i & 1 ? 9000 : 40);
		uint64_t to = vsplit_rng_below(&rng, 16 * U - length);
		uint64_t from = vsplit_rng_below(&rng, 16 * U - length);

		vsplit_cs_copy(cs, vsplit_rng_below(&rng, 2), to, vsplit_rng_below(&rng, 2), from,
			       length);
	}
	/* Overlapping in both directions, with small and large distances. */
	for (unsigned int d = 1; d < 5000; d = d * 3 + 1) {
		vsplit_cs_copy(cs, 0, 100 + d, 0, 100, 9000);
		vsplit_cs_copy(cs, 0, 100, 0, 100 + d, 9000);
	}
	vsplit_cs_copy(cs, 0, 500, 0, 500, 5000);
	run();
}

/**
 * SUBTEST: copy
 * Description: COPY of any length and alignment, within and between allocations, overlapping in
 *   both directions.
 */
static void test_copy(void)
{
	in_both(copy);
}

static void copy_2d(void)
{
	struct vsplit_rng rng = { 12 };

	vsplit_cs_bind(cs, 0, bo('A', 64));
	vsplit_cs_bind(cs, 1, bo('B', 64));
	for (unsigned int i = 0; i < 60; i++) {
		uint32_t width = vsplit_rng_below(&rng, 300), height = vsplit_rng_below(&rng, 100);

		vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, width + vsplit_rng_below(&rng, 400));
		vsplit_cs_state(cs, VSPLIT_STATE_DST_PITCH, width + vsplit_rng_below(&rng, 400));
		vsplit_cs_copy_2d(cs, i & 1, vsplit_rng_below(&rng, 50000), !(i & 1),
				  vsplit_rng_below(&rng, 50000), width, height, 0);
	}
	run();
}

/**
 * SUBTEST: copy-2d
 * Description: COPY_2D with any pitches.
 */
static void test_copy_2d(void)
{
	in_both(copy_2d);
}

static void tiled(void)
{
	vsplit_cs_bind(cs, 0, bo('A', 64));
	vsplit_cs_bind(cs, 1, bo('B', 64));
	for (unsigned int flags = 0; flags < 4; flags++) {
		for (unsigned int i = 0; i < 3; i++) {
			uint32_t width = 64 * (1 + i), height = 64 * (3 - i);

			vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, width + 64 * i);
			vsplit_cs_state(cs, VSPLIT_STATE_DST_PITCH, width + 128);
			vsplit_cs_copy_2d(cs, 0, 4096 * i, 1, 8192 * flags, width, height, flags);
		}
	}
	run();
}

/**
 * SUBTEST: copy-2d-tiled
 * Description: COPY_2D from and to the tiled layout.
 */
static void test_tiled(void)
{
	in_both(tiled);
}

/**
 * SUBTEST: tiled-layout
 * Description: The tiled layout is the documented one, compared byte for byte with values computed
 *   by hand.
 */
static void tiled_layout(void)
{
	struct vsplit_bo *linear = bo('L', 16), *surface = bo('S', 16);

	vsplit_cs_bind(cs, 0, surface);
	vsplit_cs_bind(cs, 1, linear);
	vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, 128);
	vsplit_cs_state(cs, VSPLIT_STATE_DST_PITCH, 128);
	vsplit_cs_copy_2d(cs, 0, 0, 1, 0, 128, 128, VSPLIT_COPY_2D_DST_TILED);
	run();
	for (unsigned int y = 0; y < 128; y++) {
		for (unsigned int x = 0; x < 128; x++) {
			unsigned int tile = y / 64 * 2 + x / 64;

			igt_assert_eq(surface->map[tile * 4096 + y % 64 * 64 + x % 64],
				      linear->map[y * 128 + x]);
		}
	}
}

static void test_tiled_layout(void)
{
	in_both(tiled_layout);
}

static void mma(void)
{
	struct vsplit_rng rng = { 13 };
	struct vsplit_bo *a, *b, *c;

	a = bo('A', 64);
	b = bo('B', 64);
	c = bo('C', 64);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_bind(cs, 2, c);
	for (unsigned int i = 0; i < 40; i++) {
		uint32_t m = 1 + vsplit_rng_below(&rng, 40), n = 1 + vsplit_rng_below(&rng, 40);
		uint32_t k = 1 + vsplit_rng_below(&rng, i % 8 ? 50 : 700);

		vsplit_cs_state(cs, VSPLIT_STATE_LDA, k + vsplit_rng_below(&rng, 100));
		vsplit_cs_state(cs, VSPLIT_STATE_LDB, n + vsplit_rng_below(&rng, 100));
		vsplit_cs_state(cs, VSPLIT_STATE_LDC, 4 * (n + vsplit_rng_below(&rng, 100)));
		vsplit_cs_mma(cs, i & 1 ? VSPLIT_MMA_ACCUMULATE : 0, 2,
			      4 * vsplit_rng_below(&rng, 1000), 0, vsplit_rng_below(&rng, 1000),
			      1, vsplit_rng_below(&rng, 1000), m, n, k);
	}
	run();
}

/**
 * SUBTEST: mma
 * Description: MMA of random shapes and pitches, overwriting and accumulating.
 */
static void test_mma(void)
{
	in_both(mma);
}

static void mma_known(void)
{
	struct vsplit_bo *a = bo('A', 1), *b = bo('B', 1), *c = bo('C', 1);
	static const int8_t am[] = { 1, 2, 3, -4, 5, -128 }, bm[] = { 7, -8, 9, 10, -11, -128 };
	int32_t got[4], start = 0x7fffffff;

	vsplit_bo_write(a, 0, am, sizeof(am));	/* 2 x 3 */
	vsplit_bo_write(b, 0, bm, sizeof(bm));	/* 3 x 2 */
	vsplit_bo_write(c, 64, &start, 4);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_bind(cs, 2, c);
	vsplit_cs_state(cs, VSPLIT_STATE_LDA, 3);
	vsplit_cs_state(cs, VSPLIT_STATE_LDB, 2);
	vsplit_cs_state(cs, VSPLIT_STATE_LDC, 8);
	vsplit_cs_mma(cs, 0, 2, 0, 0, 0, 1, 0, 2, 2, 3);
	/* And a product whose sum wraps. */
	vsplit_cs_mma(cs, VSPLIT_MMA_ACCUMULATE, 2, 64, 0, 0, 1, 0, 1, 1, 1);
	run();
	memcpy(got, c->map, sizeof(got));
	igt_assert_eq(got[0], 1 * 7 + 2 * 9 + 3 * -11);
	igt_assert_eq(got[1], 1 * -8 + 2 * 10 + 3 * -128);
	igt_assert_eq(got[2], -4 * 7 + 5 * 9 + -128 * -11);
	igt_assert_eq(got[3], -4 * -8 + 5 * 10 + -128 * -128);
	memcpy(got, c->map + 64, 4);
	igt_assert_eq(got[0], (int32_t)(0x7fffffffu + 7));
}

/**
 * SUBTEST: mma-known-answer
 * Description: MMA compared with results computed by hand: signs, extremes, wrap-around.
 */
static void test_mma_known(void)
{
	in_both(mma_known);
}

static void words(void)
{
	struct vsplit_rng rng = { 14 };

	vsplit_cs_bind(cs, 0, bo('A', 2));
	for (unsigned int i = 0; i < 300; i++) {
		vsplit_cs_add(cs, 0, 8 * vsplit_rng_below(&rng, 64), vsplit_rng_next(&rng));
		vsplit_cs_store(cs, 0, 8 * (64 + vsplit_rng_below(&rng, 64)), vsplit_rng_next(&rng));
	}
	vsplit_cs_store(cs, 0, 4096, ~0ull);
	vsplit_cs_add(cs, 0, 4096, 1);
	run();
}

/**
 * SUBTEST: store-and-add
 * Description: STORE and ATOMIC_ADD; sums are modulo 2^64.
 */
static void test_words(void)
{
	in_both(words);
}

static void timestamp(void)
{
	struct vsplit_bo *a = bo('A', 1);
	const uint64_t *t = (uint64_t *)a->map;
	uint64_t before, after;

	vsplit_cs_bind(cs, 0, a);
	for (unsigned int i = 0; i < 5; i++) {
		vsplit_cs_timestamp(cs, 0, 8 * i);
		vsplit_cs_spin(cs, 20000);
	}
	vsplit_cs_timestamp(cs, 0, 40);
	before = vsplit_now_ns();
	run();
	after = vsplit_now_ns();
	igt_assert(t[0] >= before && t[5] <= after);
	for (unsigned int i = 0; i < 5; i++)
		igt_assert(t[i + 1] - t[i] >= 20000000);
}

/**
 * SUBTEST: timestamp-and-spin
 * Description: TIMESTAMP is CLOCK_MONOTONIC; SPIN takes at least its time.
 */
static void test_timestamp(void)
{
	in_both(timestamp);
}

static void nops(void)
{
	struct vsplit_bo *a = bo('A', 1);

	vsplit_cs_bind(cs, 0, a);
	for (uint32_t size = 8; size < 2000; size += 8) {
		uint32_t at = cs->bytes;

		vsplit_cs_nop(cs, size);
		memset(cs->stream + at + 8, 0xff, size - 8);
		vsplit_cs_add(cs, 0, 0, 1);
	}
	vsplit_cs_nop(cs, VSPLIT_PACKET_MAX_BYTES);
	vsplit_cs_add(cs, 0, 0, 1);
	run();
}

/**
 * SUBTEST: nop
 * Description: NOPs of all sizes, with any content.
 */
static void test_nops(void)
{
	in_both(nops);
}

/* Emits a command of kind @kind that touches slot 0 up to @end. */
static bool edge_command(unsigned int kind, uint64_t end, unsigned int *slot)
{
	*slot = 0;
	switch (kind) {
	case 0:
		vsplit_cs_set(cs, 0, end - 100, 100, 0x31313131);
		return true;
	case 1:
		vsplit_cs_copy(cs, 0, end - 70, 1, 0, 70);
		return true;
	case 2:
		vsplit_cs_copy(cs, 1, 0, 0, end - 70, 70);
		return true;
	case 3:
		vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, 100);
		vsplit_cs_state(cs, VSPLIT_STATE_DST_PITCH, 200);
		vsplit_cs_copy_2d(cs, 0, end - 9 * 200 - 50, 1, 0, 50, 10, 0);
		return true;
	case 4:
		vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, 100);
		vsplit_cs_state(cs, VSPLIT_STATE_DST_PITCH, 200);
		vsplit_cs_copy_2d(cs, 1, 0, 0, end - 9 * 100 - 50, 50, 10, 0);
		return true;
	case 5:
		vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, 64);
		vsplit_cs_state(cs, VSPLIT_STATE_DST_PITCH, 128);
		vsplit_cs_copy_2d(cs, 0, end - 2 * 4096, 1, 0, 64, 64, VSPLIT_COPY_2D_DST_TILED);
		return true;
	case 6:
		vsplit_cs_state(cs, VSPLIT_STATE_LDA, 8);
		vsplit_cs_state(cs, VSPLIT_STATE_LDB, 8);
		vsplit_cs_state(cs, VSPLIT_STATE_LDC, 32);
		/* C is 4-byte aligned: 4 is the smallest step. */
		vsplit_cs_mma(cs, 0, 0, (end + 3) / 4 * 4 - 3 * 32 - 20, 1, 0, 1, 64, 4, 5, 3);
		return true;
	case 7:
		vsplit_cs_state(cs, VSPLIT_STATE_LDA, 10);
		vsplit_cs_state(cs, VSPLIT_STATE_LDB, 8);
		vsplit_cs_state(cs, VSPLIT_STATE_LDC, 32);
		vsplit_cs_mma(cs, 0, 1, 0, 0, end - 3 * 10 - 3, 1, 4096, 4, 5, 3);
		return true;
	case 8:
		vsplit_cs_state(cs, VSPLIT_STATE_LDA, 10);
		vsplit_cs_state(cs, VSPLIT_STATE_LDB, 9);
		vsplit_cs_state(cs, VSPLIT_STATE_LDC, 32);
		vsplit_cs_mma(cs, 0, 1, 0, 1, 4096, 0, end - 2 * 9 - 5, 4, 5, 3);
		return true;
	case 9:
		vsplit_cs_add(cs, 0, (end + 7) / 8 * 8 - 8, 5);
		return true;
	case 10:
		vsplit_cs_store(cs, 0, (end + 7) / 8 * 8 - 8, 5);
		return true;
	case 11:
		vsplit_cs_timestamp(cs, 0, (end + 7) / 8 * 8 - 8);
		return true;
	}
	return false;
}

/* An @end with which the command begins in front of the row, at an offset that wraps. */
static uint64_t edge_wraps(unsigned int kind)
{
	if (kind >= 9)
		return 0;
	return kind == 5 ? 4096 : 20;
}

static void edges(void)
{
	struct vsplit_bo *before = bo('b', 8), *a = bo('A', 8), *after = bo('a', 8), *x = bo('X', 8);
	struct drm_vsplit_ctx_query q;
	unsigned int slot, faults = 0;

	for (unsigned int kind = 0;; kind++) {
		for (uint64_t over = 0; over < 3; over++) {
			uint64_t end = over < 2 ? a->size + over : edge_wraps(kind);

			/* @before, @a and @after are side by side. */
			vsplit_cs_reset(cs);
			vsplit_cs_bind(cs, 8, before);
			vsplit_cs_bind(cs, 0, a);
			vsplit_cs_bind(cs, 9, after);
			vsplit_cs_bind(cs, 1, x);
			if (!edge_command(kind, end, &slot)) {
				igt_assert_eq(faults, 24);
				return;
			}
			if (!over) {
				run();
				continue;
			}
			vsplit_cs_submit(cs, ctx, 0);
			igt_assert_f(__vsplit_cs_wait(cs) < 0, "kind %u: no fault %s\n", kind,
				     over < 2 ? "beyond the end" : "in front of the row");
			vsplit_ctx_query(fd, ctx, &q);
			igt_assert_f(q.fault == VSPLIT_FAULT_BOUNDS && q.fault_slot == slot,
				     "kind %u: fault %u on slot %u\n", kind, q.fault, q.fault_slot);
			vsplit_bo_check(before);
			vsplit_bo_check(a);
			vsplit_bo_check(after);
			vsplit_bo_check(x);
			ctx = vsplit_ctx(fd, 0);
			faults++;
		}
	}
}

/**
 * SUBTEST: bounds-at-every-edge
 * Description: Each operand of each command may touch the last byte of its row, and not one byte
 *   more. It may not begin in front of the row at an offset that wraps. A refused command touches
 *   nothing.
 */
static void test_edges(void)
{
	in_both(edges);
}

static void row_offset(void)
{
	struct vsplit_bo *a = bo('A', 8);
	struct drm_vsplit_ctx_query q;

	/* The row begins at AllocationOffset and ends with the allocation. */
	vsplit_cs_bind_at(cs, 0, a, 3 * U + 64);
	vsplit_cs_set(cs, 0, 0, 100, 0x41414141);
	vsplit_cs_set(cs, 0, 5 * U - 64 - 16, 16, 0x42424242);
	run();
	vsplit_cs_fill(cs, 0, 5 * U - 64 - 15, 16);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert(__vsplit_cs_wait(cs) < 0);
	vsplit_ctx_query(fd, ctx, &q);
	igt_assert_eq(q.fault, VSPLIT_FAULT_BOUNDS);
	vsplit_bo_check(a);
	/* An address in front of the row is outside it. */
	ctx = vsplit_ctx(fd, 0);
	vsplit_cs_reset(cs);
	vsplit_cs_bind_at(cs, 0, a, 3 * U);
	vsplit_cs_copy(cs, 0, 64, 0, 0, 8);
	((struct vsplit_packet_copy *)(cs->stream + 24))->src.flags = VSPLIT_OPERAND_ADDRESS;
	vsplit_cs_patch(cs, 0, 0, 2 * U, 24 + offsetof(struct vsplit_packet_copy, src.value), 0);
	vsplit_cs_submit(cs, ctx, 0);
	igt_assert(__vsplit_cs_wait(cs) < 0);
	vsplit_ctx_query(fd, ctx, &q);
	igt_assert_eq(q.fault, VSPLIT_FAULT_BOUNDS);
	vsplit_bo_check(a);
}

/**
 * SUBTEST: rows-with-an-offset
 * Description: A row that starts inside the allocation reaches to its end. Bytes in front of its
 *   start are not accessible.
 */
static void test_row_offset(void)
{
	in_both(row_offset);
}

static void addresses(void)
{
	struct vsplit_bo *a = bo('A', 8), *b = bo('B', 8);
	uint32_t at;

	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_state(cs, VSPLIT_STATE_FILL, 0x51525354);
	at = cs->bytes;
	vsplit_cs_fill(cs, 0, 0, 77);
	((struct vsplit_packet_fill *)(cs->stream + at))->dst.flags = VSPLIT_OPERAND_ADDRESS;
	vsplit_cs_patch(cs, 0, 0, 1234, at + offsetof(struct vsplit_packet_fill, dst.value), 0);
	at = cs->bytes;
	vsplit_cs_add(cs, 1, 0, 99);
	((struct vsplit_packet_store *)(cs->stream + at))->dst.flags = VSPLIT_OPERAND_ADDRESS;
	vsplit_cs_patch(cs, 1, 1, 4096, at + offsetof(struct vsplit_packet_store, dst.value), 0);
	at = cs->bytes;
	vsplit_cs_copy(cs, 0, 0, 1, 0, 512);
	((struct vsplit_packet_copy *)(cs->stream + at))->src.flags = VSPLIT_OPERAND_ADDRESS;
	((struct vsplit_packet_copy *)(cs->stream + at))->dst.flags = VSPLIT_OPERAND_ADDRESS;
	vsplit_cs_patch(cs, 0, 0, 8192, at + offsetof(struct vsplit_packet_copy, dst.value), 0);
	vsplit_cs_patch(cs, 1, 1, 5, at + offsetof(struct vsplit_packet_copy, src.value), 0);
	run();
	/* The same at all other places in memory. */
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	vsplit_cs_run(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
}

/**
 * SUBTEST: address-operands
 * Description: Operands by address: the address is the allocation's address plus AllocationOffset.
 */
static void test_addresses(void)
{
	in_both(addresses);
}

#define DRAW_SIDE	64u
#define DRAW_PITCH	(DRAW_SIDE * 4)

/* A rectangle of one color and depth, as two triangles. */
static void corners_of(struct vsplit_vertex *v, int left, int top, int right, int bottom,
		       uint32_t z, uint32_t color)
{
	const int at[6][2] = { { left, top }, { right, top }, { left, bottom },
			       { right, top }, { right, bottom }, { left, bottom } };

	for (unsigned int i = 0; i < 6; i++)
		v[i] = (struct vsplit_vertex) {
			.x = 16 * at[i][0], .y = 16 * at[i][1], .z = z, .q = 1, .color = color,
		};
}

/* With @other, all operands are given by address, and target and depths have the tiled layout. */
static void draw_two(bool other, uint32_t target, uint32_t depth, uint32_t vertices)
{
	struct vsplit_packet_draw p = {
		.head = { .op = VSPLIT_OP_DRAW, .size = sizeof(p), .arg = 2,
			  .flags = VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE },
		.target.slot = target, .depth.slot = depth, .vertices.slot = vertices,
		.target_pitch = DRAW_PITCH, .depth_pitch = DRAW_PITCH,
		.width = DRAW_SIDE, .height = DRAW_SIDE, .right = 40, .bottom = DRAW_SIDE,
	};
	uint32_t at;

	for (unsigned int i = 0; i < 2; i++) {
		p.vertices.value = other ? 0 : i * 6 * sizeof(struct vsplit_vertex);
		if (other) {
			p.head.flags |= VSPLIT_DRAW_TARGET_TILED | VSPLIT_DRAW_DEPTH_TILED;
			p.target.flags = VSPLIT_OPERAND_ADDRESS;
			p.depth.flags = VSPLIT_OPERAND_ADDRESS;
			p.vertices.flags = VSPLIT_OPERAND_ADDRESS;
		}
		at = vsplit_cs_packet(cs, &p, sizeof(p));
		if (!other)
			continue;
		vsplit_cs_patch(cs, 0, target, 0,
				at + offsetof(struct vsplit_packet_draw, target.value), 0);
		vsplit_cs_patch(cs, 1, depth, 0,
				at + offsetof(struct vsplit_packet_draw, depth.value), 0);
		vsplit_cs_patch(cs, 2, vertices, i * 6 * sizeof(struct vsplit_vertex),
				at + offsetof(struct vsplit_packet_draw, vertices.value), 0);
	}
}

static uint32_t drawn_at(const struct vsplit_bo *target, unsigned int x, unsigned int y, bool tiled)
{
	uint32_t color;

	memcpy(&color, target->map + (tiled ? y / 64 * 64 * DRAW_PITCH + x / 16 * 4096 + y % 64 * 64 +
				      x % 16 * 4 : y * DRAW_PITCH + x * 4), 4);
	return color;
}

static void draw(void)
{
	struct vsplit_vertex corners[12];

	corners_of(corners, 3, 5, 20, 9, 100, 0x11223344);
	corners_of(corners + 6, 10, 7, 50, 30, 200, 0x55667788);
	for (unsigned int other = 0; other < 2; other++) {
		struct vsplit_bo *target = bo('T' - other, 4), *depth = bo('D' - other, 4);
		struct vsplit_bo *vertices = bo('V' - other, 1);

		vsplit_bo_write(vertices, 0, corners, sizeof(corners));
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, target);
		vsplit_cs_bind(cs, 1, depth);
		vsplit_cs_bind(cs, 2, vertices);
		vsplit_cs_state(cs, VSPLIT_STATE_FILL, 0);
		vsplit_cs_fill(cs, 0, 0, 4 * U);
		vsplit_cs_state(cs, VSPLIT_STATE_FILL, 0xffffffff);
		vsplit_cs_fill(cs, 1, 0, 4 * U);
		draw_two(other, 0, 1, 2);
		vsplit_cs_submit_and_wait(cs, ctx, 0);
		for (unsigned int y = 0; y < DRAW_SIDE; y++) {
			for (unsigned int x = 0; x < DRAW_SIDE; x++) {
				bool first = x >= 3 && x < 20 && y >= 5 && y < 9;
				bool second = x >= 10 && x < 40 && y >= 7 && y < 30;

				igt_assert_eq_u32(drawn_at(target, x, y, other), first ? 0x11223344 :
						  second ? 0x55667788 : 0);
			}
		}
	}
}

/**
 * SUBTEST: draw-known-answer
 * Description: DRAW of two rectangles with depths and a scissor, compared with known pixels: linear
 *   and by offset, tiled and by address.
 */
static void test_draw(void)
{
	in_both(draw);
}

/**
 * SUBTEST: unaligned-surfaces
 * Description: Pitches that are not allowed for a tiled surface or a matrix cause a fault.
 */
static void pitches(void)
{
	struct vsplit_bo *a = bo('A', 64);
	struct drm_vsplit_ctx_query q;

	for (unsigned int i = 0; i < 6; i++) {
		ctx = vsplit_ctx(fd, 0);
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, i == 0 ? 65 : i == 1 ? 0 : 64);
		vsplit_cs_state(cs, VSPLIT_STATE_DST_PITCH, i == 2 ? 32 : 64);
		vsplit_cs_state(cs, VSPLIT_STATE_LDA, i == 3 ? 3 : 64);
		vsplit_cs_state(cs, VSPLIT_STATE_LDB, 64);
		vsplit_cs_state(cs, VSPLIT_STATE_LDC, i == 4 ? 62 : i == 5 ? 12 : 64);
		if (i < 3)
			vsplit_cs_copy_2d(cs, 0, 0, 0, 65536, 64, 64, VSPLIT_COPY_2D_SRC_TILED);
		else
			vsplit_cs_mma(cs, 0, 0, 0, 0, 4096, 0, 8192, 4, 4, 4);
		vsplit_cs_submit(cs, ctx, 0);
		igt_assert(__vsplit_cs_wait(cs) < 0);
		vsplit_ctx_query(fd, ctx, &q);
		igt_assert_f(q.fault == VSPLIT_FAULT_ALIGN, "case %u: fault %u\n", i, q.fault);
		vsplit_bo_check(a);
	}
}

static void test_pitches(void)
{
	in_both(pitches);
}

static const struct vsplit_subtest tests[] = {
	{ "fill", test_fill, "FILL is right at every alignment, with every small length" },
	{ "copy", test_copy,
	  "COPY is right with any length and alignment, within and between allocations, "
	  "overlapping in both directions" },
	{ "copy-2d", test_copy_2d, "COPY_2D is right with any pitches" },
	{ "copy-2d-tiled", test_tiled, "COPY_2D is right from and to the tiled layout" },
	{ "tiled-layout", test_tiled_layout,
	  "The tiled layout is the documented one, byte for byte" },
	{ "mma", test_mma,
	  "MMA is right with random shapes and pitches, overwriting and accumulating" },
	{ "mma-known-answer", test_mma_known,
	  "MMA gives the results that were computed by hand: signs, extremes, wrap-around" },
	{ "store-and-add", test_words, "STORE and ATOMIC_ADD are right, and sums are modulo 2^64" },
	{ "timestamp-and-spin", test_timestamp,
	  "TIMESTAMP is CLOCK_MONOTONIC; SPIN takes at least its time" },
	{ "nop", test_nops, "NOPs of all sizes, with any content, are accepted" },
	{ "bounds-at-every-edge", test_edges,
	  "Each operand of each command may touch the last byte of its row, and not one byte "
	  "more" },
	{ "rows-with-an-offset", test_row_offset,
	  "A row that starts inside the allocation reaches to its end. Bytes in front of its start "
	  "are not accessible." },
	{ "address-operands", test_addresses,
	  "Address operands hold the allocation's address plus AllocationOffset" },
	{ "draw-known-answer", test_draw,
	  "DRAW gives the known pixels, linear and tiled, by offset and by address" },
	{ "unaligned-surfaces", test_pitches,
	  "Pitches that are not allowed for a tiled surface or a matrix cause a fault" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
