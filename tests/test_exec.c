// SPDX-License-Identifier: MIT
/*
 * The interpreter, case by case; test_exec_paging.c tests the paging steps.
 */
#include "gpu_world.h"
#include "harness.h"

#define RW VSPLIT_GPU_ROW_WRITE

static void expect(struct world *w, u32 fault, u32 slot, u64 address)
{
	t_equal(world_run(w), fault);
	t_equal(w->program.fault.fault, fault);
	if (fault)
		t_equal(w->program.fault.slot, slot);
	if (fault)
		t_equal(w->program.fault.address, address);
}

/* ---- windows, rows, state ----------------------------------------------- */

static void exec_nothing(void)
{
	struct world *w = world_standard();

	world_add(w, VSPLIT_OP_NOP, 8);
	world_add(w, VSPLIT_OP_NOP, 4096);
	expect(w, 0, 0, 0);
	t_equal(w->engine.commands, 2);
	/* An empty window executes nothing. */
	t_equal(world_run_window(w, 8, 8), 0);
	t_equal(w->engine.commands, 2);
	world_free(w);
}

static void exec_window(void)
{
	struct world *w = world_standard();

	world_add(w, VSPLIT_OP_NOP, 16);
	world_add(w, VSPLIT_OP_NOP, 16);
	t_equal(world_run_window(w, 16, 32), 0);
	t_equal(w->engine.commands, 1);
	/* A packet crosses the end of the window, but not the end of the stream. */
	t_equal(world_run_window(w, 0, 24), VSPLIT_FAULT_BAD_PACKET);
	t_equal(w->program.fault.offset, 16);
	/* The window begins inside a packet, whose middle is zeros: a NOP of size 0. */
	t_equal(world_run_window(w, 8, 32), VSPLIT_FAULT_BAD_PACKET);
	t_equal(world_run_window(w, 4, 32), VSPLIT_FAULT_BAD_PACKET);
	t_equal(world_run_window(w, 32, 16), VSPLIT_FAULT_BAD_PACKET);
	/* Beyond the stream. */
	t_equal(world_run_window(w, 32, 40), VSPLIT_FAULT_BAD_PACKET);
	t_equal(world_run_window(w, 32, 36), VSPLIT_FAULT_BAD_PACKET);
	world_free(w);
}

static void exec_fault_offset(void)
{
	struct world *w = world_standard();

	world_state(w, VSPLIT_STATE_FILL, 1);
	world_fill(w, 0, 0, 4);
	world_fill(w, 3, 999, 2);
	world_fill(w, 0, 4, 4);
	expect(w, VSPLIT_FAULT_BOUNDS, 3, W_MEM + 0x10004 + 999);
	t_equal(w->program.fault.offset, 48);
	/* The packets before the bad one were executed, those behind it were not. */
	t_equal(world_get32(w, W_MEM), 1);
	t_check(world_get32(w, W_MEM + 4) != 1);
	world_free(w);
}

static void exec_rows_are_loaded(void)
{
	struct world *w = world_standard();

	world_state(w, VSPLIT_STATE_FILL, 1);
	world_fill(w, 4, 0, 4);
	expect(w, VSPLIT_FAULT_EMPTY_ROW, 4, 0);
	/* A row of one run is empty in the next run unless it is loaded again. */
	world_clear(w);
	world_state(w, VSPLIT_STATE_FILL, 1);
	world_fill(w, 3, 0, 4);
	expect(w, 0, 0, 0);
	w->nr_rows = 3;
	expect(w, VSPLIT_FAULT_EMPTY_ROW, 3, 0);
	/* The same when the generation counter wraps. */
	w->nr_rows = 4;
	w->rows->generation = ~0u - 1;
	expect(w, 0, 0, 0);
	w->nr_rows = 3;
	expect(w, VSPLIT_FAULT_EMPTY_ROW, 3, 0);
	w->nr_rows = 4;
	expect(w, 0, 0, 0);
	w->nr_rows = 3;
	w->rows->generation = ~0u;
	expect(w, VSPLIT_FAULT_EMPTY_ROW, 3, 0);
	/* A row of the first generation is not valid after the wrap. */
	t_equal(w->rows->generation, 1);
	w->nr_rows = 4;
	w->rows->generation = 0;
	expect(w, 0, 0, 0);
	w->nr_rows = 3;
	w->rows->generation = ~0u;
	expect(w, VSPLIT_FAULT_EMPTY_ROW, 3, 0);
	/* Rows of the step before stay, unless this step changes them. */
	w->nr_rows = 4;
	expect(w, 0, 0, 0);
	w->keep_rows = true;
	w->nr_rows = 0;
	expect(w, 0, 0, 0);
	world_row(w, 3, 0, 0, 0);
	expect(w, VSPLIT_FAULT_EMPTY_ROW, 3, 0);
	w->nr_rows = 0;
	expect(w, VSPLIT_FAULT_EMPTY_ROW, 3, 0);
	world_row(w, 3, W_MEM + 0x10004, 1000, RW);
	expect(w, 0, 0, 0);
	w->keep_rows = false;
	w->nr_rows = 3;
	/* Rows that a driver must not load are ignored. */
	world_row(w, W_SLOTS, W_MEM, 4096, RW);
	world_row(w, 3, ~0ull - 10, 4096, RW);
	expect(w, VSPLIT_FAULT_EMPTY_ROW, 3, 0);
	world_free(w);
}

static void exec_bind(void)
{
	struct world *w = world_standard();
	struct vsplit_packet_bind *bind;

	world_state(w, VSPLIT_STATE_FILL, 0x01010101);
	bind = world_add(w, VSPLIT_OP_BIND, sizeof(*bind));
	bind->head.arg = 4;
	bind->head.flags = VSPLIT_BIND_WRITE;
	bind->address = W_MEM + 64;
	bind->size = 16;
	world_fill(w, 4, 0, 16);
	expect(w, 0, 0, 0);
	t_equal(world_get32(w, W_MEM + 76), 0x01010101);
	t_check(world_get32(w, W_MEM + 80) != 0x01010101);
	world_fill(w, 4, 0, 17);
	expect(w, VSPLIT_FAULT_BOUNDS, 4, W_MEM + 64);
	/* The row may only be read. */
	bind->head.flags = 0;
	expect(w, VSPLIT_FAULT_WRITE, 4, W_MEM + 64);
	/* The row is unbound: by address 0, size 0, or a range that wraps. */
	bind->head.flags = VSPLIT_BIND_WRITE;
	bind->address = 0;
	expect(w, VSPLIT_FAULT_EMPTY_ROW, 4, 0);
	bind->address = W_MEM;
	bind->size = 0;
	expect(w, VSPLIT_FAULT_EMPTY_ROW, 4, 0);
	bind->size = ~0ull;
	expect(w, VSPLIT_FAULT_EMPTY_ROW, 4, 0);
	bind->head.arg = W_SLOTS;
	expect(w, VSPLIT_FAULT_BAD_PACKET, ~0u, 0);
	world_free(w);
}

static void exec_unbind_replaces(void)
{
	struct world *w = world_standard();
	struct vsplit_packet_bind *bind;

	world_state(w, VSPLIT_STATE_FILL, 0);
	bind = world_add(w, VSPLIT_OP_BIND, sizeof(*bind));
	bind->head.arg = 0;
	world_fill(w, 0, 0, 4);
	expect(w, VSPLIT_FAULT_EMPTY_ROW, 0, 0);
	world_free(w);
}

/* Run each command that reads registers with one of these registers undefined. */
static void exec_state_strict(void)
{
	static const struct {
		u32 op, size, regs;
	} users[] = {
		{ VSPLIT_OP_FILL, sizeof(struct vsplit_packet_fill), 1u << VSPLIT_STATE_FILL },
		{ VSPLIT_OP_COPY_2D, sizeof(struct vsplit_packet_copy_2d),
		  1u << VSPLIT_STATE_SRC_PITCH | 1u << VSPLIT_STATE_DST_PITCH },
		{ VSPLIT_OP_MMA, sizeof(struct vsplit_packet_mma),
		  1u << VSPLIT_STATE_LDA | 1u << VSPLIT_STATE_LDB | 1u << VSPLIT_STATE_LDC },
	};
	u32 i, mask, reg;

	for (i = 0; i < ARRAY_SIZE(users); i++) {
		for (mask = 0; mask < 1u << VSPLIT_STATE_COUNT; mask++) {
			struct world *w = world_standard();
			struct vsplit_packet_mma *mma;
			u32 begin, fault;

			for (reg = 0; reg < VSPLIT_STATE_COUNT; reg++) {
				if (mask & 1u << reg)
					world_state(w, reg, 64);
			}
			begin = w->bytes;
			mma = world_add(w, users[i].op, users[i].size);
			if (users[i].op == VSPLIT_OP_MMA)
				mma->m = mma->n = mma->k = 1;
			fault = (mask & users[i].regs) == users[i].regs ? 0 :
				VSPLIT_FAULT_STATE;
			expect(w, fault, ~0u, 0);
			/* The register was defined in one run, and is undefined in the next. */
			t_equal(world_run_window(w, begin, w->bytes), VSPLIT_FAULT_STATE);
			world_free(w);
		}
	}
}

static void exec_state_lenient(void)
{
	struct world *w = world_standard();

	w->exec.lenient = true;
	world_fill(w, 0, 0, 4);
	expect(w, 0, 0, 0);
	t_equal(world_get32(w, W_MEM), VSPLIT_GPU_STATE_GARBAGE);
	/* Set a register and begin another run: its value is lost, and not kept by chance. */
	world_clear(w);
	world_state(w, VSPLIT_STATE_FILL, 5);
	world_fill(w, 0, 0, 4);
	expect(w, 0, 0, 0);
	t_equal(world_get32(w, W_MEM), 5);
	t_equal(world_run_window(w, 16, w->bytes), 0);
	t_equal(world_get32(w, W_MEM), VSPLIT_GPU_STATE_GARBAGE);
	world_free(w);
}

/* ---- bounds ------------------------------------------------------------- */

static void exec_bounds(void)
{
	static const struct {
		u64 offset, bytes;
		bool good;
	} cases[] = {
		{ 0, 1000, true }, { 0, 1001, false }, { 999, 1, true }, { 1000, 0, true },
		{ 1000, 1, false }, { 1001, 0, false }, { ~0ull, 1, false }, { ~0ull, 0, false },
		{ 1, ~0ull, false }, { ~0ull, ~0ull, false }, { 0, ~0ull, false },
		{ 500, ~0ull - 499, false }, { 1ull << 63, 1ull << 63, false },
	};
	u32 i, address;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (address = 0; address < 2; address++) {
			struct world *w = world_standard();
			struct vsplit_packet_fill *fill;
			u64 at = cases[i].offset + (address ? W_MEM + 0x10004 : 0);

			world_state(w, VSPLIT_STATE_FILL, 0x77777777);
			fill = world_fill(w, 3, at, cases[i].bytes);
			fill->dst.flags = address ? VSPLIT_OPERAND_ADDRESS : 0;
			if (world_run(w) != (cases[i].good ? 0 : VSPLIT_FAULT_BOUNDS))
				t_fail("offset %#llx, %#llx bytes", (long long)cases[i].offset,
				       (long long)cases[i].bytes);
			t_check(*world_byte(w, W_MEM + 0x10003) != 0x77);
			t_check(*world_byte(w, W_MEM + 0x10004 + 1000) != 0x77);
			world_free(w);
		}
	}
}

/* An address below the row is out of bounds just as an address above it. */
static void exec_address_below(void)
{
	struct world *w = world_standard();
	struct vsplit_packet_fill *fill;

	world_state(w, VSPLIT_STATE_FILL, 1);
	fill = world_fill(w, 3, W_MEM + 0x10003, 1);
	fill->dst.flags = VSPLIT_OPERAND_ADDRESS;
	expect(w, VSPLIT_FAULT_BOUNDS, 3, W_MEM + 0x10003);
	fill->dst.value = W_MEM + 0x10004;
	expect(w, 0, 0, 0);
	world_free(w);
}

static void exec_read_only(void)
{
	struct world *w = world_standard();

	world_copy(w, 0, 0, 2, 0, 16);
	expect(w, 0, 0, 0);
	world_copy(w, 2, 0, 0, 0, 16);
	expect(w, VSPLIT_FAULT_WRITE, 2, W_MEM + 4096);
	world_free(w);
}

/* All operands are checked before the first byte is touched. */
static void exec_all_or_nothing(void)
{
	struct world *w = world_standard();
	u8 before[64];

	memcpy(before, w->memory, sizeof(before));
	world_copy(w, 0, 0, 3, 990, 11);
	expect(w, VSPLIT_FAULT_BOUNDS, 3, W_MEM + 0x10004 + 990);
	t_check(!memcmp(before, w->memory, sizeof(before)));
	world_free(w);
}

static void exec_unmapped(void)
{
	struct world *w = world_standard();
	u64 at = W_GART + W_GART_BYTES - 4096;

	world_row(w, 5, W_GART, W_GART_BYTES, RW);
	world_state(w, VSPLIT_STATE_FILL, 0x33333333);
	world_fill(w, 5, W_GART_BYTES - 4096 - 8, 16);
	expect(w, VSPLIT_FAULT_DECODE, 5, at - 8);
	t_equal(w->space.stray_writes.counter, 1);
	world_clear(w);
	/* the source, copied from either end */
	world_copy(w, 0, 0, 5, W_GART_BYTES - 4096, 16);
	expect(w, VSPLIT_FAULT_DECODE, 5, at);
	t_equal(w->space.stray_writes.counter, 1);
	world_clear(w);
	world_copy(w, 5, W_GART_BYTES - 4096, 0, 0, 16);
	expect(w, VSPLIT_FAULT_DECODE, 5, at);
	t_equal(w->space.stray_writes.counter, 2);
	t_check(w->dummy.bytes[0] == 0 && !memcmp(&w->dummy, w->dummy.bytes + 1, 4095));
	world_free(w);
}

/* A row at an address without memory. */
static void exec_no_region(void)
{
	struct world *w = world_standard();

	world_row(w, 5, 0x1000, 4096, RW);
	world_row(w, 6, W_MEM + W_MEM_BYTES - 16, 32, RW);
	world_state(w, VSPLIT_STATE_FILL, 0x33333333);
	world_fill(w, 5, 0, 8);
	expect(w, VSPLIT_FAULT_DECODE, 5, 0x1000);
	world_clear(w);
	world_state(w, VSPLIT_STATE_FILL, 0x33333333);
	world_fill(w, 6, 0, 32);
	expect(w, VSPLIT_FAULT_DECODE, 6, W_MEM + W_MEM_BYTES - 16);
	world_free(w);
}

/* ---- commands ----------------------------------------------------------- */

static void exec_fill(void)
{
	static const u32 lengths[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 4095, 4096, 4099, 70001 };
	static const u32 patterns[] = { 0, 0x04030201, 0xffffffff, 0x01020102 };
	u32 i, p, at, n;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (p = 0; p < ARRAY_SIZE(patterns); p++) {
			for (at = 0; at < 2 * 5; at++) {
				struct world *w = world_standard();
				u64 base = (at & 1 ? W_GART : W_MEM) + 100 + at / 2;
				u8 before = *world_byte(w, base - 1);
				u8 after = *world_byte(w, base + lengths[i]);

				world_state(w, VSPLIT_STATE_FILL, patterns[p]);
				world_fill(w, at & 1, 100 + at / 2, lengths[i]);
				expect(w, 0, 0, 0);
				for (n = 0; n < lengths[i]; n++) {
					if (*world_byte(w, base + n) !=
					    (u8)(patterns[p] >> 8 * (n % 4)))
						t_fail("length %u, pattern %#x, byte %u",
						       lengths[i], patterns[p], n);
				}
				t_equal(*world_byte(w, base - 1), before);
				t_equal(*world_byte(w, base + lengths[i]), after);
				t_equal(w->engine.bytes, lengths[i]);
				world_free(w);
			}
		}
	}
}

static void copy_case(u32 dst, u64 to, u32 src, u64 from, u64 bytes)
{
	static const u64 bases[] = { W_MEM, W_GART };
	struct world *w = world_standard();
	u8 *should = malloc(bytes + 1);
	u64 i;

	for (i = 0; i < bytes; i++)
		should[i] = *world_byte(w, bases[src] + from + i);
	world_copy(w, dst, to, src, from, bytes);
	expect(w, 0, 0, 0);
	for (i = 0; i < bytes; i++) {
		if (*world_byte(w, bases[dst] + to + i) != should[i])
			break;
	}
	if (i < bytes)
		t_fail("%u+%llu from %u+%llu, %llu bytes: byte %llu", dst, (long long)to, src,
		       (long long)from, (long long)bytes, (long long)i);
	free(should);
	world_free(w);
}

static void exec_copy(void)
{
	static const u64 lengths[] = { 0, 1, 7, 8, 4096, 5000, 65536, 65537, 140000 };
	static const s64 shifts[] = { 0, 1, -1, 8, -8, 4095, 4096, -4096, 4097, 65536, -65535,
				      100000 };
	u32 i, s, which;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (s = 0; s < ARRAY_SIZE(shifts); s++) {
			for (which = 0; which < 4; which++)
				copy_case(which & 1, 70000 + shifts[s], which >> 1, 70000,
					  min_t(u64, lengths[i], 80000));
		}
		copy_case(0, 200001, 0, 3, lengths[i]);
	}
}

struct rect {
	u32 width, height, dst_pitch, src_pitch, flags;
};

static void rect_case(const struct rect *r, u32 dst, u32 src)
{
	static const u64 bases[] = { W_MEM + 256 * 1024, W_GART };
	struct world *w = world_standard();
	struct vsplit_packet_copy_2d *copy;
	u8 *before = malloc(W_MEM_BYTES);
	u32 x, y, wrong = 0;

	memcpy(before, w->memory, W_MEM_BYTES);
	world_state(w, VSPLIT_STATE_SRC_PITCH, r->src_pitch);
	world_state(w, VSPLIT_STATE_DST_PITCH, r->dst_pitch);
	copy = world_add(w, VSPLIT_OP_COPY_2D, sizeof(*copy));
	copy->head.flags = r->flags;
	copy->dst.slot = dst;
	copy->dst.value = dst ? 40 : 13;
	copy->src.slot = src;
	copy->src.value = src ? 0 : 256 * 1024;
	copy->width = r->width;
	copy->height = r->height;
	expect(w, 0, 0, 0);
	for (y = 0; y < r->height; y++) {
		for (x = 0; x < r->width; x++) {
			u64 from = bases[src] + world_rect_at(r->src_pitch, x, y, r->flags & 1);
			u64 to = (dst ? W_GART + 40 : W_MEM + 13) +
				 world_rect_at(r->dst_pitch, x, y, r->flags & 2);

			wrong += *world_byte(w, to) != *world_byte(w, from);
		}
	}
	if (wrong)
		t_fail("%ux%u, pitches %u %u, flags %u: %u wrong bytes", r->width, r->height,
		       r->dst_pitch, r->src_pitch, r->flags, wrong);
	/* Bytes between two rows of a linear destination stay. */
	if (!dst && r->height > 1 && !(r->flags & 2) && r->dst_pitch > r->width)
		t_equal(w->memory[13 + r->width], before[13 + r->width]);
	t_equal(w->engine.bytes, (u64)r->width * r->height);
	free(before);
	world_free(w);
}

static void exec_copy_2d(void)
{
	static const struct rect rects[] = {
		{ 1, 1, 1, 1, 0 }, { 10, 5, 100, 30, 0 }, { 100, 100, 100, 128, 0 },
		{ 0, 5, 8, 8, 0 }, { 5, 0, 8, 8, 0 }, { 1000, 7, 5000, 1000, 0 },
		{ 64, 64, 64, 64, 1 }, { 64, 64, 64, 64, 2 }, { 64, 64, 64, 64, 3 },
		{ 192, 128, 192, 320, 1 }, { 192, 128, 320, 192, 2 }, { 128, 192, 256, 384, 3 },
		{ 64, 128, 100, 128, 1 }, { 64, 128, 128, 77, 2 }, { 0, 64, 64, 64, 3 },
		{ 64, 0, 64, 64, 3 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rects); i++) {
		rect_case(&rects[i], 0, 0);
		rect_case(&rects[i], 0, 1);
		rect_case(&rects[i], 1, 0);
	}
}

/* Which end of a copy has no memory at an address: linear, and in rows of tiles. */
static void exec_copy_2d_decode(void)
{
	const u64 nothing = W_GART_BYTES - 4096;
	u32 i;

	for (i = 0; i < 4; i++) {
		struct world *w = world_standard();
		struct vsplit_packet_copy_2d *copy;
		bool to = i & 1;

		world_row(w, 5, W_GART, W_GART_BYTES, RW);
		world_state(w, VSPLIT_STATE_SRC_PITCH, 64);
		world_state(w, VSPLIT_STATE_DST_PITCH, 64);
		copy = world_add(w, VSPLIT_OP_COPY_2D, sizeof(*copy));
		copy->head.flags = i & 2 ? VSPLIT_COPY_2D_SRC_TILED : 0;
		copy->dst.slot = to ? 5 : 0;
		copy->dst.value = to ? nothing : 0;
		copy->src.slot = to ? 0 : 5;
		copy->src.value = to ? 0 : nothing;
		copy->width = 64;
		copy->height = 64;
		expect(w, VSPLIT_FAULT_DECODE, 5, W_GART + nothing);
		world_free(w);
	}
}

static void exec_copy_2d_faults(void)
{
	static const struct {
		struct rect r;
		u64 size;
		u32 fault;
	} cases[] = {
		/* The last row ends at its last byte, not after the pitch. */
		{ { 10, 3, 100, 100, 0 }, 210, 0 },
		{ { 10, 3, 100, 100, 0 }, 209, VSPLIT_FAULT_BOUNDS },
		{ { 101, 3, 100, 200, 0 }, 4096, VSPLIT_FAULT_ALIGN },
		{ { 101, 3, 200, 100, 0 }, 4096, VSPLIT_FAULT_ALIGN },
		/* A tiled surface has all of its tiles. */
		{ { 64, 64, 128, 64, 2 }, 8192, 0 },
		{ { 64, 64, 128, 64, 2 }, 8191, VSPLIT_FAULT_BOUNDS },
		{ { 64, 64, 100, 64, 2 }, 8192, VSPLIT_FAULT_ALIGN },
		{ { 64, 64, 64, 100, 1 }, 8192, VSPLIT_FAULT_ALIGN },
		{ { 64, 1u << 31, ~63u, 64, 2 }, 8192, VSPLIT_FAULT_BOUNDS },
		{ { 0, 1u << 31, ~63u, 0, 2 }, 8192, VSPLIT_FAULT_BOUNDS },
		{ { 1, ~0u, ~0u, 1, 0 }, 8192, VSPLIT_FAULT_BOUNDS },
		{ { 0, 5, 0, 0, 0 }, 1, 0 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct rect *r = &cases[i].r;
		struct world *w = world_standard();
		struct vsplit_packet_copy_2d *copy;

		world_row(w, 5, W_MEM, cases[i].size, RW);
		world_state(w, VSPLIT_STATE_SRC_PITCH, r->src_pitch);
		world_state(w, VSPLIT_STATE_DST_PITCH, r->dst_pitch);
		copy = world_add(w, VSPLIT_OP_COPY_2D, sizeof(*copy));
		copy->head.flags = r->flags;
		copy->dst.slot = 5;
		copy->src.slot = 0;
		copy->width = r->width;
		copy->height = r->height;
		if (world_run(w) != cases[i].fault)
			t_fail("case %u: fault %u", i, w->program.fault.fault);
		world_free(w);
	}
}

/* Pitches and extents of each matrix; 3x5 from 3x7 and 7x5. */
static void exec_mma_faults(void)
{
	static const struct {
		u32 lda, ldb, ldc;
		u64 a_size, b_size, c_size, c_at;
		u32 fault, slot;
	} cases[] = {
		{ 7, 5, 20, 21, 35, 60, 0, 0, 0 },
		{ 6, 5, 20, 21, 35, 60, 0, VSPLIT_FAULT_ALIGN, 5 },
		{ 7, 4, 20, 21, 35, 60, 0, VSPLIT_FAULT_ALIGN, 6 },
		{ 7, 5, 16, 21, 35, 60, 0, VSPLIT_FAULT_ALIGN, 7 },
		{ 7, 5, 22, 21, 35, 64, 0, VSPLIT_FAULT_ALIGN, 7 },
		{ 7, 5, 20, 21, 35, 64, 2, VSPLIT_FAULT_ALIGN, 7 },
		{ 7, 5, 20, 21, 35, 64, 4, 0, 0 },
		{ 7, 5, 20, 20, 35, 60, 0, VSPLIT_FAULT_BOUNDS, 5 },
		{ 7, 5, 20, 21, 34, 60, 0, VSPLIT_FAULT_BOUNDS, 6 },
		{ 7, 5, 20, 21, 35, 59, 0, VSPLIT_FAULT_BOUNDS, 7 },
		{ 100, 5, 20, 207, 35, 60, 0, 0, 0 },
		{ 100, 5, 20, 206, 35, 60, 0, VSPLIT_FAULT_BOUNDS, 5 },
		{ 7, 100, 20, 21, 605, 60, 0, 0, 0 },
		{ 7, 100, 20, 21, 604, 60, 0, VSPLIT_FAULT_BOUNDS, 6 },
		{ 7, 5, 100, 21, 35, 220, 0, 0, 0 },
		{ 7, 5, 100, 21, 35, 219, 0, VSPLIT_FAULT_BOUNDS, 7 },
		{ ~0u, 5, 20, 4096, 35, 60, 0, VSPLIT_FAULT_BOUNDS, 5 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct world *w = world_standard();
		struct vsplit_packet_mma *mma;

		world_row(w, 5, W_MEM + 3, cases[i].a_size, 0);
		world_row(w, 6, W_MEM + 0x2001, cases[i].b_size, 0);
		world_row(w, 7, W_MEM + 0x4000, cases[i].c_size, RW);
		world_state(w, VSPLIT_STATE_LDA, cases[i].lda);
		world_state(w, VSPLIT_STATE_LDB, cases[i].ldb);
		world_state(w, VSPLIT_STATE_LDC, cases[i].ldc);
		mma = world_add(w, VSPLIT_OP_MMA, sizeof(*mma));
		mma->m = 3;
		mma->n = 5;
		mma->k = 7;
		mma->a.slot = 5;
		mma->b.slot = 6;
		mma->c.slot = 7;
		mma->c.value = cases[i].c_at;
		if (world_run(w) != cases[i].fault ||
		    (cases[i].fault && w->program.fault.slot != cases[i].slot))
			t_fail("case %u: fault %u in slot %u", i, w->program.fault.fault,
			       w->program.fault.slot);
		t_equal(w->engine.macs, cases[i].fault ? 0 : 105);
		/* A matrix that is only read need not be writable, but C must be. */
		if (!cases[i].fault) {
			mma->c.slot = 5;
			mma->c.value = 1;
			world_row(w, 5, W_MEM + 3, 4096, 0);
			expect(w, VSPLIT_FAULT_WRITE, 5, W_MEM + 4);
		}
		world_free(w);
	}
}

static void exec_words(void)
{
	struct world *w = world_standard();
	struct vsplit_packet_store *store, *add;
	struct vsplit_packet_timestamp *stamp;

	store = world_add(w, VSPLIT_OP_STORE, sizeof(*store));
	store->dst.value = 4096 - 8;
	store->dst.slot = 1;
	store->value = 0xfedcba9876543210;
	add = world_add(w, VSPLIT_OP_ATOMIC_ADD, sizeof(*add));
	add->dst = store->dst;
	add->value = 0x1111111111111111;
	stamp = world_add(w, VSPLIT_OP_TIMESTAMP, sizeof(*stamp));
	stamp->dst.value = 16;
	stamp = world_add(w, VSPLIT_OP_TIMESTAMP, sizeof(*stamp));
	stamp->dst.value = 24;
	w->engine.clock = 0x123456789abull;
	expect(w, 0, 0, 0);
	t_check(world_get64(w, W_GART + 4088) == 0xfedcba9876543210 + 0x1111111111111111);
	t_check(world_get64(w, W_MEM + 16) == 0x123456789acull);
	t_check(world_get64(w, W_MEM + 24) == 0x123456789adull);

	store->dst.value = 4;
	expect(w, VSPLIT_FAULT_ALIGN, 1, W_GART + 4);
	/* The address has to be aligned, not the offset. */
	store->dst.slot = 3;
	store->dst.value = 4;
	expect(w, 0, 0, 0);
	store->dst.value = 8;
	expect(w, VSPLIT_FAULT_ALIGN, 3, W_MEM + 0x1000c);
	store->dst.value = 996;
	expect(w, VSPLIT_FAULT_BOUNDS, 3, W_MEM + 0x10004 + 996);
	store->dst.slot = 2;
	store->dst.value = 0;
	expect(w, VSPLIT_FAULT_WRITE, 2, W_MEM + 4096);
	world_free(w);
}

static void exec_atomic_wraps(void)
{
	struct world *w = world_standard();
	struct vsplit_packet_store *add;
	u64 value = world_get64(w, W_MEM);

	add = world_add(w, VSPLIT_OP_ATOMIC_ADD, sizeof(*add));
	add->value = ~0ull;
	expect(w, 0, 0, 0);
	t_check(world_get64(w, W_MEM) == value - 1);
	world_free(w);
}

static void exec_spin(void)
{
	struct world *w = world_standard();
	struct vsplit_packet *spin = world_add(w, VSPLIT_OP_SPIN, 8);

	spin->arg = 1234;
	expect(w, 0, 0, 0);
	t_equal(w->engine.spun_us, 1234);
	w->engine.stop_at = w->engine.polls + 2;
	expect(w, VSPLIT_FAULT_CANCELLED, ~0u, 0);
	world_free(w);
}

/*
 * The signal is told when the packets before it are done. A WAIT packet that is executed is over.
 */
static void exec_fence(void)
{
	struct world *w = world_standard();
	struct vsplit_packet_fence *wait = world_add(w, VSPLIT_OP_WAIT_FENCE, 16);
	struct vsplit_packet_fence *signal = world_add(w, VSPLIT_OP_SIGNAL_FENCE, 16);

	wait->head.arg = 5;
	wait->value = ~0ull;
	signal->head.arg = 7;
	signal->value = 0x123456789aull;
	expect(w, 0, 0, 0);
	t_equal(w->engine.fence, 7);
	t_equal(w->engine.fence_value, 0x123456789aull);
	world_free(w);
}

/* ---- cancelling --------------------------------------------------------- */

/* Number of polls that a command takes. */
static u64 polls_of(struct world *w)
{
	w->engine.polls = 0;
	w->engine.stop_at = 0;
	t_equal(world_run(w), 0);
	return w->engine.polls;
}

/* Stop at every possible poll: the command stops at that poll. */
static void cancel_case(struct world *w, u64 at_least)
{
	u64 polls = polls_of(w), i;

	t_check(polls >= at_least);
	for (i = 1; i <= polls; i += 1 + polls / 50) {
		w->engine.polls = 0;
		w->engine.stop_at = i;
		expect(w, VSPLIT_FAULT_CANCELLED, ~0u, 0);
		t_equal(w->engine.polls, i);
	}
}

static void exec_cancel(void)
{
	struct world *w = world_standard();
	struct vsplit_packet_copy_2d *copy;
	struct vsplit_packet_mma *mma;

	world_add(w, VSPLIT_OP_NOP, 8);
	world_add(w, VSPLIT_OP_NOP, 8);
	cancel_case(w, 2);
	world_clear(w);
	world_state(w, VSPLIT_STATE_FILL, 1);
	world_fill(w, 0, 0, W_MEM_BYTES);
	cancel_case(w, W_MEM_BYTES / VSPLIT_GPU_POLL_BYTES);
	world_clear(w);
	world_copy(w, 0, 1, 0, 0, W_MEM_BYTES - 1);
	cancel_case(w, W_MEM_BYTES / VSPLIT_GPU_POLL_BYTES);
	world_clear(w);
	world_copy(w, 0, 0, 0, 1, W_MEM_BYTES - 1);
	cancel_case(w, W_MEM_BYTES / VSPLIT_GPU_POLL_BYTES);
	world_clear(w);
	world_state(w, VSPLIT_STATE_SRC_PITCH, 256);
	world_state(w, VSPLIT_STATE_DST_PITCH, 256);
	copy = world_add(w, VSPLIT_OP_COPY_2D, sizeof(*copy));
	copy->src.slot = 1;
	copy->width = 256;
	copy->height = 960;
	cancel_case(w, 960 * 256 / VSPLIT_GPU_POLL_BYTES);
	world_clear(w);
	world_state(w, VSPLIT_STATE_LDA, 400);
	world_state(w, VSPLIT_STATE_LDB, 400);
	world_state(w, VSPLIT_STATE_LDC, 1600);
	mma = world_add(w, VSPLIT_OP_MMA, sizeof(*mma));
	mma->m = 200;
	mma->n = 400;
	mma->k = 400;
	mma->a.slot = 1;
	mma->b.slot = 1;
	/* One poll at least for each 4 million multiply-accumulates. */
	cancel_case(w, 200 * 400 * 400 >> 22);
	world_free(w);
}

int main(void)
{
	t_run(exec_nothing);
	t_run(exec_window);
	t_run(exec_fault_offset);
	t_run(exec_rows_are_loaded);
	t_run(exec_bind);
	t_run(exec_unbind_replaces);
	t_run(exec_state_strict);
	t_run(exec_state_lenient);
	t_run(exec_bounds);
	t_run(exec_address_below);
	t_run(exec_read_only);
	t_run(exec_all_or_nothing);
	t_run(exec_unmapped);
	t_run(exec_no_region);
	t_run(exec_fill);
	t_run(exec_copy);
	t_run(exec_copy_2d);
	t_run(exec_copy_2d_decode);
	t_run(exec_copy_2d_faults);
	t_run(exec_mma_faults);
	t_run(exec_words);
	t_run(exec_atomic_wraps);
	t_run(exec_spin);
	t_run(exec_fence);
	t_run(exec_cancel);
	return t_status;
}
