/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The instruction set as a table: what the validator and the engine both know
 * about a packet. One description and one check for both, so that they cannot
 * disagree about a size or a bound.
 */
#ifndef _VSPLIT_GPU_ISA_H_
#define _VSPLIT_GPU_ISA_H_

#include "vsplit_gpu_compat.h"
#include <drm/vsplit_isa.h>

#define VSPLIT_ISA_MAX_OPERANDS	4

/* struct vsplit_isa_operand.access */
#define VSPLIT_ISA_READ		BIT(0)
#define VSPLIT_ISA_WRITE	BIT(1)
#define VSPLIT_ISA_READ_WRITE	(VSPLIT_ISA_READ | VSPLIT_ISA_WRITE)

/**
 * enum vsplit_isa_arg_type - Meaning of an argument.
 * @VSPLIT_ISA_ARG_NUMBER: a number.
 * @VSPLIT_ISA_ARG_SLOT: a slot; the rows of the resource table limit it.
 * @VSPLIT_ISA_ARG_FENCE: handle of a monitored fence.
 */
enum vsplit_isa_arg_type {
	VSPLIT_ISA_ARG_NUMBER,
	VSPLIT_ISA_ARG_SLOT,
	VSPLIT_ISA_ARG_FENCE,
};

/**
 * struct vsplit_isa_arg - Valid values of struct vsplit_packet.arg.
 * @type: enum vsplit_isa_arg_type.
 * @first: the least valid value.
 * @count: number of valid values from @first on; unused for slots.
 * @reason: message for an invalid value.
 */
struct vsplit_isa_arg {
	u32 type;
	u32 first;
	u32 count;
	const char *reason;
};

/**
 * struct vsplit_isa_operand - Where a packet has a struct vsplit_operand.
 * @offset: offset of the operand in the packet, bytes.
 * @access: VSPLIT_ISA_READ, VSPLIT_ISA_WRITE or both. MMA's C counts as both, and so do DRAW's
 *	pixels and depths, even if the flags say that they are not read or not written.
 */
struct vsplit_isa_operand {
	u16 offset;
	u8 access;
};

/**
 * struct vsplit_isa_packet - One opcode.
 * @name: for messages and dumps.
 * @size: size of the packet, bytes; 0: any multiple of 8 (NOP).
 * @flags: valid struct vsplit_packet.flags in a client's stream, and in a patched stream, where
 *	the driver may have added flags.
 * @arg: argument in the head.
 * @state: mask of the state registers that the packet reads.
 * @nr_operands: entries of @operands.
 * @operands: memory operands of the packet.
 */
struct vsplit_isa_packet {
	const char *name;
	const struct vsplit_isa_arg *arg;
	u16 size;
	u8 flags[2];
	u8 state;
	u8 nr_operands;
	struct vsplit_isa_operand operands[VSPLIT_ISA_MAX_OPERANDS];
};

/* The entry of BIND in the table. It is here because vsplit_isa_check() is inline. */
#define VSPLIT_ISA_BIND {						\
		.name = "BIND",						\
		.size = sizeof(struct vsplit_packet_bind),		\
		.flags = { 0, VSPLIT_BIND_WRITE },			\
		.arg = &vsplit_isa_slot,				\
	}

static const struct vsplit_isa_arg vsplit_isa_slot = {
	.type = VSPLIT_ISA_ARG_SLOT,
	.reason = "slot beyond the resource table",
};

static const struct vsplit_isa_packet vsplit_isa_bind = VSPLIT_ISA_BIND;

/** vsplit_isa_packet() - Look up an opcode. Return: its description, or NULL. */
const struct vsplit_isa_packet *vsplit_isa_packet(u32 op);

/**
 * vsplit_isa_operand_at() - An operand of a packet.
 * @head: the packet.
 * @info: its description.
 * @index: below @info->nr_operands.
 */
static inline const struct vsplit_operand *
vsplit_isa_operand_at(const struct vsplit_packet *head,
		      const struct vsplit_isa_packet *info, u32 index)
{
	return (const void *)((const u8 *)head + info->operands[index].offset);
}

/* Check the head of a packet. Return: the reason if it is malformed, or NULL. */
static inline const char *
vsplit_isa_check_head(const struct vsplit_packet *head, u32 room, u32 nr_slots,
		      bool patched, const struct vsplit_isa_packet *info)
{
	const struct vsplit_isa_arg *arg = info->arg;

	if (info->size ? head->size != info->size : head->size < sizeof(*head) || head->size & 7)
		return "packet size is wrong for its opcode";
	if (head->size > room)
		return "packet crosses the end";
	if (head->flags & ~info->flags[patched])
		return "unknown packet flags";
	if (head->arg - arg->first >= (arg->type == VSPLIT_ISA_ARG_SLOT ? nr_slots : arg->count))
		return arg->reason;
	return NULL;
}

/* Check a BIND behind its head. Return: the reason if it is malformed, or NULL. */
static inline const char *vsplit_isa_check_bind(const struct vsplit_packet_bind *bind,
						bool patched)
{
	return (bind->address || bind->size) && !patched ?
		"address or size of a bind is not 0" : NULL;
}

const struct vsplit_isa_packet *
vsplit_isa_check_other(const struct vsplit_packet *head, u32 room, u32 nr_slots,
		       bool patched, const char **reason);

/**
 * vsplit_isa_check() - Check everything about a packet that needs no row of the resource table.
 * @head: the packet, 8-byte aligned.
 * @room: bytes from @head to the end of the stream or window; multiple of 8.
 * @nr_slots: rows of the resource table; 0: there is none, operands are virtual addresses.
 * @patched: false: the packet is as the client wrote it, addresses are 0; true: the packet is as
 *	the engine finds it.
 * @reason: static text on failure.
 *
 * A stream has many BINDs, so their check is inline, and the compiler knows their entry of the
 * table.
 *
 * Return: the description of the packet, or NULL if it is malformed.
 */
static inline const struct vsplit_isa_packet *
vsplit_isa_check(const struct vsplit_packet *head, u32 room, u32 nr_slots,
		 bool patched, const char **reason)
{
	const char *why;

	if (room < sizeof(*head) || head->op != VSPLIT_OP_BIND)
		return vsplit_isa_check_other(head, room, nr_slots, patched, reason);
	why = vsplit_isa_check_head(head, room, nr_slots, patched, &vsplit_isa_bind);
	if (!why)
		why = vsplit_isa_check_bind((const void *)head, patched);
	if (!why)
		return &vsplit_isa_bind;
	*reason = why;
	return NULL;
}

#endif /* _VSPLIT_GPU_ISA_H_ */
