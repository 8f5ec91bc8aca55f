// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The instruction set as a table, and the check of one packet.
 */
#include "vsplit_gpu_isa.h"

/**
 * DOC: One table for the validator and the engine
 *
 * Drivers have been broken again and again because the code that checks a command
 * stream and the code that executes it computed the same bound a little differently.
 * Here both ask vsplit_isa_check(). It knows sizes, flags, the meaning of the head's
 * argument, where operands are, and the limits of fields that can be checked without
 * a row of the resource table. It cannot know whether an access is inside the row that
 * it names; the engine alone checks that, at the moment of the access.
 *
 * Pure C without state: compiled into the module and into user processes.
 */

/* Name of the opcode, end of the struct's name, description of the argument, other members. */
#define PACKET(_name, _type, _arg, ...) {						\
		.name = #_name,								\
		.size = sizeof(struct vsplit_packet_##_type),				\
		.arg = &isa_##_arg,							\
		__VA_ARGS__								\
	}

#define OPERAND(_type, _member, _access)			\
	{ .offset = offsetof(struct vsplit_packet_##_type, _member),	\
	  .access = VSPLIT_ISA_##_access }

#define STATE(reg)	(1u << VSPLIT_STATE_##reg)

static_assert(VSPLIT_STATE_COUNT <= 8, "struct vsplit_isa_packet.state is a byte");
static_assert(sizeof(struct vsplit_packet) == 8, "layout");
static_assert(sizeof(struct vsplit_operand) == 16, "layout");
static_assert(sizeof(struct vsplit_packet_mma) == 72, "layout");
static_assert(sizeof(struct vsplit_vertex) == 32, "layout");
static_assert(sizeof(struct vsplit_packet_draw) == 104, "layout");

static const struct vsplit_isa_arg isa_reserved = {
	.count = 1,
	.reason = "reserved argument is not 0",
};

static const struct vsplit_isa_arg isa_state = {
	.count = VSPLIT_STATE_COUNT,
	.reason = "unknown state register",
};

static const struct vsplit_isa_arg isa_us = {
	.count = VSPLIT_SPIN_MAX_US + 1,
	.reason = "spins too long",
};

static const struct vsplit_isa_arg isa_fence = {
	.type = VSPLIT_ISA_ARG_FENCE,
	.first = 1,
	.count = U32_MAX,
	.reason = "no fence",
};

static const struct vsplit_isa_arg isa_triangles = {
	.first = 1,
	.count = VSPLIT_DRAW_MAX_TRIANGLES,
	.reason = "number of triangles out of range",
};

static const struct vsplit_isa_packet isa_packets[VSPLIT_OP_COUNT] = {
	/* A NOP may have any size. */
	[VSPLIT_OP_NOP] = { .name = "NOP", .arg = &isa_reserved },
	[VSPLIT_OP_STATE] = PACKET(STATE, state, state),
	[VSPLIT_OP_BIND] = VSPLIT_ISA_BIND,
	[VSPLIT_OP_FILL] = PACKET(FILL, fill, reserved,
		.state = STATE(FILL),
		.nr_operands = 1, .operands = { OPERAND(fill, dst, WRITE) }),
	[VSPLIT_OP_COPY] = PACKET(COPY, copy, reserved,
		.nr_operands = 2,
		.operands = { OPERAND(copy, dst, WRITE), OPERAND(copy, src, READ) }),
	[VSPLIT_OP_COPY_2D] = PACKET(COPY_2D, copy_2d, reserved,
		.flags = { [0 ... 1] = VSPLIT_COPY_2D_SRC_TILED | VSPLIT_COPY_2D_DST_TILED },
		.state = STATE(SRC_PITCH) | STATE(DST_PITCH),
		.nr_operands = 2,
		.operands = { OPERAND(copy_2d, dst, WRITE), OPERAND(copy_2d, src, READ) }),
	[VSPLIT_OP_MMA] = PACKET(MMA, mma, reserved,
		.flags = { [0 ... 1] = VSPLIT_MMA_ACCUMULATE },
		.state = STATE(LDA) | STATE(LDB) | STATE(LDC),
		.nr_operands = 3,
		.operands = { OPERAND(mma, c, READ_WRITE), OPERAND(mma, a, READ),
			      OPERAND(mma, b, READ) }),
	[VSPLIT_OP_ATOMIC_ADD] = PACKET(ATOMIC_ADD, store, reserved,
		.nr_operands = 1, .operands = { OPERAND(store, dst, READ_WRITE) }),
	[VSPLIT_OP_STORE] = PACKET(STORE, store, reserved,
		.nr_operands = 1, .operands = { OPERAND(store, dst, WRITE) }),
	[VSPLIT_OP_TIMESTAMP] = PACKET(TIMESTAMP, timestamp, reserved,
		.nr_operands = 1, .operands = { OPERAND(timestamp, dst, WRITE) }),
	[VSPLIT_OP_SPIN] = PACKET(SPIN, spin, us),
	[VSPLIT_OP_SIGNAL_FENCE] = PACKET(SIGNAL_FENCE, fence, fence),
	[VSPLIT_OP_WAIT_FENCE] = PACKET(WAIT_FENCE, fence, fence),
	[VSPLIT_OP_DRAW] = PACKET(DRAW, draw, triangles,
		.flags = { [0 ... 1] = 0xff },
		.nr_operands = 4,
		.operands = { OPERAND(draw, target, READ_WRITE),
			      OPERAND(draw, depth, READ_WRITE),
			      OPERAND(draw, texture, READ), OPERAND(draw, vertices, READ) }),
};

const struct vsplit_isa_packet *vsplit_isa_packet(u32 op)
{
	if (op >= ARRAY_SIZE(isa_packets))
		return NULL;
	return &isa_packets[array_index_nospec(op, ARRAY_SIZE(isa_packets))];
}

static const char *isa_check_operand(const struct vsplit_operand *operand, u32 nr_slots,
				     bool patched)
{
	if (!nr_slots && !(operand->flags & VSPLIT_OPERAND_VIRTUAL))
		return "slot in a context of virtual addresses";
	if (!nr_slots)
		return operand->flags != VSPLIT_OPERAND_VIRTUAL || operand->slot ?
			"virtual address beside a slot" : NULL;
	if (operand->slot >= nr_slots)
		return "slot beyond the resource table";
	if (operand->flags & ~VSPLIT_OPERAND_ADDRESS)
		return "unknown operand flags";
	if ((operand->flags & VSPLIT_OPERAND_ADDRESS) && operand->value && !patched)
		return "address operand is not 0";
	return NULL;
}

static bool isa_mma_dim(u32 dim)
{
	return dim >= 1 && dim <= VSPLIT_MMA_MAX_DIM;
}

/* Check pixels, depths or texels of a DRAW. If they are not used, all fields have to be 0. */
static bool isa_draw_surface(bool used, u32 width, u32 height, u32 pitch, bool tiled)
{
	if (!used)
		return !width && !height && !pitch;
	return width >= 1 && width <= VSPLIT_DRAW_MAX_SIDE &&
	       height >= 1 && height <= VSPLIT_DRAW_MAX_SIDE && pitch >= 4 * width &&
	       pitch % (tiled ? VSPLIT_TILE_WIDTH : 4) == 0;
}

static const char *isa_check_draw(const struct vsplit_packet_draw *draw)
{
	u32 flags = draw->head.flags;
	bool depth = flags & (VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE);

	if (!isa_draw_surface(true, draw->width, draw->height, draw->target_pitch,
			      flags & VSPLIT_DRAW_TARGET_TILED))
		return "size or pitch of the target out of range";
	if (!isa_draw_surface(depth, depth ? draw->width : 0, depth ? draw->height : 0,
			      draw->depth_pitch, flags & VSPLIT_DRAW_DEPTH_TILED))
		return "pitch of the depths out of range";
	if (!isa_draw_surface(flags & VSPLIT_DRAW_TEXTURE, draw->texture_width,
			      draw->texture_height, draw->texture_pitch,
			      flags & VSPLIT_DRAW_TEXTURE_TILED))
		return "size or pitch of the texture out of range";
	if (draw->left > draw->right || draw->right > draw->width ||
	    draw->top > draw->bottom || draw->bottom > draw->height)
		return "scissor out of range";
	return draw->blend < VSPLIT_BLEND_COUNT ? NULL : "unknown way to blend";
}

/* Limits of fields that only one opcode has. */
static const char *isa_check_fields(const struct vsplit_packet *head)
{
	const struct vsplit_packet_copy_2d *copy = (const void *)head;
	const struct vsplit_packet_state *state = (const void *)head;
	const struct vsplit_packet_mma *mma = (const void *)head;

	switch (head->op) {
	case VSPLIT_OP_STATE:
		return state->value > U32_MAX ? "upper half of a state value is not 0" : NULL;
	case VSPLIT_OP_COPY_2D:
		return head->flags && (copy->width % VSPLIT_TILE_WIDTH ||
				       copy->height % VSPLIT_TILE_HEIGHT) ?
			"tiled rectangle is not made of whole tiles" : NULL;
	case VSPLIT_OP_MMA:
		if (!isa_mma_dim(mma->m) || !isa_mma_dim(mma->n) || !isa_mma_dim(mma->k))
			return "matrix dimension out of range";
		return mma->reserved ? "reserved field is not 0" : NULL;
	case VSPLIT_OP_DRAW:
		return isa_check_draw((const void *)head);
	default:
		return NULL;
	}
}

const struct vsplit_isa_packet *
vsplit_isa_check_other(const struct vsplit_packet *head, u32 room, u32 nr_slots,
		       bool patched, const char **reason)
{
	const struct vsplit_isa_packet *info;
	const char *why = NULL;
	u32 i;

	if (room < sizeof(*head)) {
		*reason = "stream ends inside a packet";
		return NULL;
	}
	info = vsplit_isa_packet(head->op);
	if (!info) {
		*reason = "unknown opcode";
		return NULL;
	}
	why = vsplit_isa_check_head(head, room, nr_slots, patched, info);
	for (i = 0; !why && i < info->nr_operands; i++)
		why = isa_check_operand(vsplit_isa_operand_at(head, info, i), nr_slots, patched);
	if (!why)
		why = isa_check_fields(head);
	if (!why)
		return info;
	*reason = why;
	return NULL;
}
