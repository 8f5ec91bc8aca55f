// SPDX-License-Identifier: MIT
/*
 * The instruction-set table against the uapi header: sizes, operands, limits,
 * and every reserved bit of every packet.
 */
#include "../drv/gpu/vsplit_gpu_isa.h"
#include "harness.h"

#define SLOTS 16

union packet {
	struct vsplit_packet head;
	struct vsplit_packet_state state;
	struct vsplit_packet_bind bind;
	struct vsplit_packet_fill fill;
	struct vsplit_packet_copy copy;
	struct vsplit_packet_copy_2d copy_2d;
	struct vsplit_packet_mma mma;
	struct vsplit_packet_store store;
	struct vsplit_packet_timestamp timestamp;
	struct vsplit_packet_spin spin;
	struct vsplit_packet_draw draw;
	u8 bytes[128];
};

/* Sizes of the uapi structures, independent of the table. */
static u32 size_of(u32 op)
{
	switch (op) {
	case VSPLIT_OP_NOP: return sizeof(struct vsplit_packet);
	case VSPLIT_OP_STATE: return sizeof(struct vsplit_packet_state);
	case VSPLIT_OP_BIND: return sizeof(struct vsplit_packet_bind);
	case VSPLIT_OP_FILL: return sizeof(struct vsplit_packet_fill);
	case VSPLIT_OP_COPY: return sizeof(struct vsplit_packet_copy);
	case VSPLIT_OP_COPY_2D: return sizeof(struct vsplit_packet_copy_2d);
	case VSPLIT_OP_MMA: return sizeof(struct vsplit_packet_mma);
	case VSPLIT_OP_ATOMIC_ADD: return sizeof(struct vsplit_packet_store);
	case VSPLIT_OP_STORE: return sizeof(struct vsplit_packet_store);
	case VSPLIT_OP_TIMESTAMP: return sizeof(struct vsplit_packet_timestamp);
	case VSPLIT_OP_SPIN: return sizeof(struct vsplit_packet_spin);
	case VSPLIT_OP_SIGNAL_FENCE: return sizeof(struct vsplit_packet_fence);
	case VSPLIT_OP_WAIT_FENCE: return sizeof(struct vsplit_packet_fence);
	case VSPLIT_OP_DRAW: return sizeof(struct vsplit_packet_draw);
	default: abort();
	}
}

/* A valid packet with as many zeros as possible. */
static union packet valid(u32 op)
{
	union packet p = { .head = { .op = op, .size = size_of(op) } };

	if (op == VSPLIT_OP_MMA)
		p.mma.m = p.mma.n = p.mma.k = 1;
	if (op == VSPLIT_OP_SIGNAL_FENCE || op == VSPLIT_OP_WAIT_FENCE)
		p.head.arg = 1;
	if (op == VSPLIT_OP_DRAW) {
		p.head.arg = p.draw.width = p.draw.height = 1;
		p.draw.target_pitch = 64;
	}
	return p;
}

static bool accepts(const union packet *p, u32 room, bool patched)
{
	const char *reason = NULL;
	const struct vsplit_isa_packet *info = vsplit_isa_check(&p->head, room, SLOTS, patched,
								&reason);

	t_check(!info == !!reason);
	return info;
}

static void isa_sizes(void)
{
	union packet p;
	u32 op, size;

	for (op = 0; op < VSPLIT_OP_COUNT; op++) {
		t_check(vsplit_isa_packet(op) && vsplit_isa_packet(op)->name);
		for (size = 0; size <= sizeof(p); size++) {
			bool good = op == VSPLIT_OP_NOP ? size >= 8 && size % 8 == 0 :
				    size == size_of(op);

			p = valid(op);
			p.head.size = size;
			if (accepts(&p, sizeof(p), false) != good)
				t_fail("%s with size %u", vsplit_isa_packet(op)->name, size);
		}
	}
	p = valid(VSPLIT_OP_NOP);
	p.head.size = VSPLIT_PACKET_MAX_BYTES;
	t_check(accepts(&p, VSPLIT_PACKET_MAX_BYTES, false));
}

static void isa_room(void)
{
	u32 op, room;

	for (op = 0; op < VSPLIT_OP_COUNT; op++) {
		union packet p = valid(op);

		for (room = 0; room <= sizeof(p); room += 8) {
			if (accepts(&p, room, false) != (room >= p.head.size))
				t_fail("%s with room %u", vsplit_isa_packet(op)->name, room);
		}
	}
}

static void isa_opcodes(void)
{
	u32 op;

	for (op = 0; op < 256; op++) {
		union packet p = { .head = { .op = op, .size = 8 } };

		if (op >= VSPLIT_OP_COUNT)
			t_check(!accepts(&p, 8, false) && !vsplit_isa_packet(op));
	}
	t_check(!vsplit_isa_packet(~0u));
}

/* The surfaces that the flags of a DRAW need. */
static void draw_surfaces(struct vsplit_packet_draw *p)
{
	if (p->head.flags & (VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE))
		p->depth_pitch = 64;
	if (p->head.flags & VSPLIT_DRAW_TEXTURE) {
		p->texture_width = p->texture_height = 1;
		p->texture_pitch = 64;
	}
}

/* The valid flags of the head. */
static u32 flags_of(u32 op, bool patched)
{
	switch (op) {
	case VSPLIT_OP_BIND: return patched ? VSPLIT_BIND_WRITE : 0;
	case VSPLIT_OP_COPY_2D: return VSPLIT_COPY_2D_SRC_TILED | VSPLIT_COPY_2D_DST_TILED;
	case VSPLIT_OP_MMA: return VSPLIT_MMA_ACCUMULATE;
	case VSPLIT_OP_DRAW: return 0xff;
	default: return 0;
	}
}

static void isa_flags(void)
{
	u32 op, flags, patched;

	for (op = 0; op < VSPLIT_OP_COUNT; op++) {
		for (flags = 0; flags < 256; flags++) {
			for (patched = 0; patched < 2; patched++) {
				union packet p = valid(op);
				bool good = !(flags & ~flags_of(op, patched));

				p.head.flags = flags;
				if (op == VSPLIT_OP_DRAW)
					draw_surfaces(&p.draw);
				if (accepts(&p, sizeof(p), patched) != good)
					t_fail("%s with flags %#x", vsplit_isa_packet(op)->name,
					       flags);
			}
		}
	}
}

static bool arg_good(u32 op, u32 arg)
{
	switch (op) {
	case VSPLIT_OP_STATE: return arg < VSPLIT_STATE_COUNT;
	case VSPLIT_OP_BIND: return arg < SLOTS;
	case VSPLIT_OP_SPIN: return arg <= VSPLIT_SPIN_MAX_US;
	case VSPLIT_OP_SIGNAL_FENCE: return arg;
	case VSPLIT_OP_WAIT_FENCE: return arg;
	case VSPLIT_OP_DRAW: return arg && arg <= VSPLIT_DRAW_MAX_TRIANGLES;
	default: return !arg;
	}
}

static void isa_args(void)
{
	static const u32 args[] = { 0, 1, VSPLIT_STATE_COUNT - 1, VSPLIT_STATE_COUNT, SLOTS - 1,
				    SLOTS, VSPLIT_SPIN_MAX_US, VSPLIT_SPIN_MAX_US + 1,
				    VSPLIT_DRAW_MAX_TRIANGLES, VSPLIT_DRAW_MAX_TRIANGLES + 1, ~0u };
	u32 op, i;

	for (op = 0; op < VSPLIT_OP_COUNT; op++) {
		for (i = 0; i < ARRAY_SIZE(args); i++) {
			union packet p = valid(op);

			p.head.arg = args[i];
			if (accepts(&p, sizeof(p), false) != arg_good(op, args[i]))
				t_fail("%s with arg %u", vsplit_isa_packet(op)->name, args[i]);
		}
	}
}

/* Offsets of all struct vsplit_operand in the uapi structures. */
static const u32 *operands_of(u32 op)
{
	static const u32 none[] = { 0 };
	static const u32 fill[] = { offsetof(struct vsplit_packet_fill, dst), 0 };
	static const u32 copy[] = { offsetof(struct vsplit_packet_copy, dst),
				    offsetof(struct vsplit_packet_copy, src), 0 };
	static const u32 copy_2d[] = { offsetof(struct vsplit_packet_copy_2d, dst),
				       offsetof(struct vsplit_packet_copy_2d, src), 0 };
	static const u32 mma[] = { offsetof(struct vsplit_packet_mma, c),
				   offsetof(struct vsplit_packet_mma, a),
				   offsetof(struct vsplit_packet_mma, b), 0 };
	static const u32 store[] = { offsetof(struct vsplit_packet_store, dst), 0 };
	static const u32 timestamp[] = { offsetof(struct vsplit_packet_timestamp, dst), 0 };
	static const u32 draw[] = { offsetof(struct vsplit_packet_draw, target),
				    offsetof(struct vsplit_packet_draw, depth),
				    offsetof(struct vsplit_packet_draw, texture),
				    offsetof(struct vsplit_packet_draw, vertices), 0 };

	switch (op) {
	case VSPLIT_OP_FILL: return fill;
	case VSPLIT_OP_COPY: return copy;
	case VSPLIT_OP_COPY_2D: return copy_2d;
	case VSPLIT_OP_MMA: return mma;
	case VSPLIT_OP_ATOMIC_ADD: return store;
	case VSPLIT_OP_STORE: return store;
	case VSPLIT_OP_TIMESTAMP: return timestamp;
	case VSPLIT_OP_DRAW: return draw;
	default: return none;
	}
}

static void isa_operands(void)
{
	u32 op, n, bit;

	for (op = 0; op < VSPLIT_OP_COUNT; op++) {
		const struct vsplit_isa_packet *info = vsplit_isa_packet(op);
		const u32 *at = operands_of(op);

		for (n = 0; at[n]; n++) {
			union packet p = valid(op);
			struct vsplit_operand *o = (void *)(p.bytes + at[n]);

			t_check(n < info->nr_operands && info->operands[n].offset == at[n]);
			t_check((void *)vsplit_isa_operand_at(&p.head, info, n) == o);
			o->slot = SLOTS - 1;
			t_check(accepts(&p, sizeof(p), false));
			o->slot = SLOTS;
			t_check(!accepts(&p, sizeof(p), false));
			t_check(!accepts(&p, sizeof(p), true));
			o->slot = 0;
			for (bit = 0; bit < 32; bit++) {
				o->flags = 1u << bit;
				t_check(accepts(&p, sizeof(p), false) ==
					(o->flags == VSPLIT_OPERAND_ADDRESS));
			}
			o->flags = 0;
			o->value = ~0ull;
			t_check(accepts(&p, sizeof(p), false));
			o->flags = VSPLIT_OPERAND_ADDRESS;
			t_check(!accepts(&p, sizeof(p), false));
			t_check(accepts(&p, sizeof(p), true));
		}
		t_equal(info->nr_operands, n);
	}
}

/* The table declares exactly those operands as written that are written. */
static void isa_access(void)
{
	u32 op, n;

	for (op = 0; op < VSPLIT_OP_COUNT; op++) {
		const struct vsplit_isa_packet *info = vsplit_isa_packet(op);

		for (n = 0; n < info->nr_operands; n++) {
			t_check(info->operands[n].access);
			t_check(!(info->operands[n].access & VSPLIT_ISA_WRITE) ==
				(n > (op == VSPLIT_OP_DRAW)));
		}
	}
}

static void isa_bind(void)
{
	union packet p = valid(VSPLIT_OP_BIND);

	p.bind.address = 1;
	t_check(!accepts(&p, sizeof(p), false) && accepts(&p, sizeof(p), true));
	p.bind.address = 0;
	p.bind.size = 1;
	t_check(!accepts(&p, sizeof(p), false) && accepts(&p, sizeof(p), true));
}

static void isa_state(void)
{
	union packet p = valid(VSPLIT_OP_STATE);
	u32 bit;

	for (bit = 0; bit < 64; bit++) {
		p.state.value = 1ull << bit;
		t_check(accepts(&p, sizeof(p), false) == (bit < 32));
		t_check(accepts(&p, sizeof(p), true) == (bit < 32));
	}
}

static void isa_copy_2d(void)
{
	union packet p = valid(VSPLIT_OP_COPY_2D);
	u32 flags;

	for (flags = 0; flags < 4; flags++) {
		p.head.flags = flags;
		p.copy_2d.width = 64;
		p.copy_2d.height = 128;
		t_check(accepts(&p, sizeof(p), false));
		p.copy_2d.width = 65;
		t_check(accepts(&p, sizeof(p), false) == !flags);
		p.copy_2d.width = 64;
		p.copy_2d.height = 127;
		t_check(accepts(&p, sizeof(p), false) == !flags);
	}
}

static void isa_mma(void)
{
	static const u32 dims[] = { 0, 1, VSPLIT_MMA_MAX_DIM, VSPLIT_MMA_MAX_DIM + 1, ~0u };
	u32 i, which;

	for (i = 0; i < ARRAY_SIZE(dims); i++) {
		for (which = 0; which < 3; which++) {
			union packet p = valid(VSPLIT_OP_MMA);

			(&p.mma.m)[which] = dims[i];
			t_check(accepts(&p, sizeof(p), false) ==
				(dims[i] >= 1 && dims[i] <= VSPLIT_MMA_MAX_DIM));
		}
	}
	for (i = 0; i < 32; i++) {
		union packet p = valid(VSPLIT_OP_MMA);

		p.mma.reserved = 1u << i;
		t_check(!accepts(&p, sizeof(p), false));
	}
}

/* Check a good packet after one field was set to @value. */
static bool draw_with(u32 flags, u32 offset, u32 bytes, u32 value)
{
	union packet p = valid(VSPLIT_OP_DRAW);

	p.draw.width = 100;
	p.draw.height = 50;
	p.draw.target_pitch = 448;
	p.draw.right = 90;
	p.draw.bottom = 40;
	p.draw.left = 10;
	p.draw.top = 20;
	p.head.flags = flags;
	draw_surfaces(&p.draw);
	if (p.draw.depth_pitch)
		p.draw.depth_pitch = 448;
	memcpy(p.bytes + offset, &value, bytes);
	return accepts(&p, sizeof(p), false);
}

#define DRAW(flags, field, value) \
	draw_with(flags, offsetof(struct vsplit_packet_draw, field), \
		  sizeof(((struct vsplit_packet_draw *)NULL)->field), value)

static void isa_draw(void)
{
	t_check(DRAW(0, width, 100) && DRAW(0, width, 90) && !DRAW(0, width, 89));
	t_check(!DRAW(0, width, 0) && DRAW(0, width, 112) && !DRAW(0, width, 113));
	t_check(!DRAW(0, height, 0) && DRAW(0, height, 40) && !DRAW(0, height, 39));
	t_check(DRAW(0, height, VSPLIT_DRAW_MAX_SIDE) && !DRAW(0, height, VSPLIT_DRAW_MAX_SIDE + 1));
	t_check(DRAW(0, target_pitch, 400) && !DRAW(0, target_pitch, 396));
	t_check(!DRAW(0, target_pitch, 402) && DRAW(0, target_pitch, ~3u));
	t_check(!DRAW(VSPLIT_DRAW_TARGET_TILED, target_pitch, 404));
	t_check(DRAW(VSPLIT_DRAW_TARGET_TILED, target_pitch, 448));
	t_check(!DRAW(0, depth_pitch, 448) && DRAW(VSPLIT_DRAW_DEPTH_TEST, depth_pitch, 400));
	t_check(!DRAW(VSPLIT_DRAW_DEPTH_TEST, depth_pitch, 396));
	t_check(!DRAW(VSPLIT_DRAW_DEPTH_WRITE, depth_pitch, 0));
	t_check(!DRAW(VSPLIT_DRAW_DEPTH_WRITE | VSPLIT_DRAW_DEPTH_TILED, depth_pitch, 404));
	t_check(!DRAW(0, texture_pitch, 4) && !DRAW(0, texture_width, 1));
	t_check(!DRAW(0, texture_height, 1));
	t_check(DRAW(VSPLIT_DRAW_TEXTURE, texture_pitch, 4));
	t_check(!DRAW(VSPLIT_DRAW_TEXTURE, texture_pitch, 0));
	t_check(!DRAW(VSPLIT_DRAW_TEXTURE | VSPLIT_DRAW_TEXTURE_TILED, texture_pitch, 4));
	t_check(!DRAW(VSPLIT_DRAW_TEXTURE, texture_width, 0));
	t_check(DRAW(VSPLIT_DRAW_TEXTURE, texture_width, 16));
	t_check(!DRAW(VSPLIT_DRAW_TEXTURE, texture_width, 17));
	t_check(!DRAW(VSPLIT_DRAW_TEXTURE, texture_height, 0));
	t_check(!DRAW(VSPLIT_DRAW_TEXTURE, texture_height, VSPLIT_DRAW_MAX_SIDE + 1));
	t_check(DRAW(0, left, 90) && !DRAW(0, left, 91));
	t_check(DRAW(0, right, 100) && !DRAW(0, right, 101) && !DRAW(0, right, 9));
	t_check(DRAW(0, top, 40) && !DRAW(0, top, 41));
	t_check(DRAW(0, bottom, 50) && !DRAW(0, bottom, 51) && !DRAW(0, bottom, 19));
	t_check(DRAW(0, blend, VSPLIT_BLEND_COUNT - 1) && !DRAW(0, blend, VSPLIT_BLEND_COUNT));
}

int main(void)
{
	t_run(isa_sizes);
	t_run(isa_room);
	t_run(isa_opcodes);
	t_run(isa_flags);
	t_run(isa_args);
	t_run(isa_operands);
	t_run(isa_access);
	t_run(isa_bind);
	t_run(isa_state);
	t_run(isa_copy_2d);
	t_run(isa_mma);
	t_run(isa_draw);
	return t_status;
}
