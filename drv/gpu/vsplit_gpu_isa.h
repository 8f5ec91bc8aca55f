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

/**
 * enum vsplit_isa_arg - What struct vsplit_packet.arg means.
 * @VSPLIT_ISA_ARG_RESERVED: nothing, must be 0.
 * @VSPLIT_ISA_ARG_STATE: enum vsplit_state_reg.
 * @VSPLIT_ISA_ARG_SLOT: row of the resource table.
 * @VSPLIT_ISA_ARG_US: microseconds, up to VSPLIT_SPIN_MAX_US.
 * @VSPLIT_ISA_ARG_FENCE: handle of a monitored fence.
 * @VSPLIT_ISA_ARG_TRIANGLES: how many, 1 to VSPLIT_DRAW_MAX_TRIANGLES.
 */
enum vsplit_isa_arg {
	VSPLIT_ISA_ARG_RESERVED,
	VSPLIT_ISA_ARG_STATE,
	VSPLIT_ISA_ARG_SLOT,
	VSPLIT_ISA_ARG_US,
	VSPLIT_ISA_ARG_FENCE,
	VSPLIT_ISA_ARG_TRIANGLES,
};

/**
 * struct vsplit_isa_operand - Where a packet has a struct vsplit_operand.
 * @offset: of it in the packet, bytes.
 * @access: VSPLIT_ISA_READ, VSPLIT_ISA_WRITE or both. MMA's C counts as both,
 *	and so do DRAW's pixels and depths, which flags may leave alone.
 */
struct vsplit_isa_operand {
	u16 offset;
	u8 access;
};

/**
 * struct vsplit_isa_packet - One opcode.
 * @name: for messages and dumps.
 * @size: of the packet, bytes; 0: any multiple of 8 (NOP).
 * @flags: valid struct vsplit_packet.flags in a client's stream.
 * @patched_flags: those that the driver may have added.
 * @arg: enum vsplit_isa_arg.
 * @state: mask of state registers that it reads.
 * @nr_operands: entries of @operands.
 * @operands: its memory operands.
 */
struct vsplit_isa_packet {
	const char *name;
	u16 size;
	u8 flags;
	u8 patched_flags;
	u8 arg;
	u8 state;
	u8 nr_operands;
	struct vsplit_isa_operand operands[VSPLIT_ISA_MAX_OPERANDS];
};

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

/**
 * vsplit_isa_check() - Check everything about a packet that needs no table row.
 * @head: the packet, 8-byte aligned.
 * @room: bytes from @head to the end of what it must lie in; multiple of 8.
 * @nr_slots: rows of the resource table; 0: there is none, operands are virtual addresses.
 * @patched: false: as the client wrote it, addresses are 0; true: as the engine
 *	finds it.
 * @reason: static text on failure.
 *
 * Return: the description of the packet, or NULL if it is malformed.
 */
const struct vsplit_isa_packet *
vsplit_isa_check(const struct vsplit_packet *head, u32 room, u32 nr_slots,
		 bool patched, const char **reason);

#endif /* _VSPLIT_GPU_ISA_H_ */
