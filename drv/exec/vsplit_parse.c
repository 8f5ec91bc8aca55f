// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Validation of one submission.
 */
#include "../gpu/vsplit_gpu_isa.h"
#include "vsplit_parse.h"

/**
 * DOC: Validation
 *
 * Two passes, both linear, without memory besides the caller's scratch:
 *
 * 1. The stream. Packets must tile it. vsplit_isa_check() checks each packet; the engine calls the
 *    same function before it executes a packet. The map has a byte for each 8 bytes of the stream.
 *    It remembers where packets begin, and where address operands are that no patch-location
 *    element has claimed yet.
 * 2. The patch-location list, in its order. An element claims an operand by clearing its byte, so
 *    that no operand can be claimed twice. The element is checked against the packet that has the
 *    operand: before BIND's address is the packet's head, with its slot; before any other operand
 *    is the first half of a struct vsplit_operand.
 *
 * The passes also count operands: those that are left at the end were not covered.
 *
 * Whether an access is inside the row that it names depends on earlier binds, so the engine checks
 * that.
 */

#define PARSE_NONE	(~0u)

/* Content of 8 bytes of the stream. */
enum {
	PARSE_OTHER,
	PARSE_PACKET,		/* the head of a packet */
	PARSE_BIND,		/* BIND's address, not covered */
	PARSE_ADDRESS,		/* address of a struct vsplit_operand, not covered */
};

/**
 * struct parse - A validation under way.
 * @in: the submission.
 * @err: error to be filled.
 * @map: content of each 8 bytes of the stream.
 * @uncovered: number of address operands in @map.
 * @waits: bytes of the waiting packets at the begin of the stream.
 * @last_split: SplitOffset of the previous element.
 * @nr_named: number of allocations that previous elements name.
 */
struct parse {
	const struct vsplit_parse_input *in;
	struct vsplit_parse_error *err;
	u8 *map;
	u32 uncovered;
	u32 waits;
	u32 last_split;
	u32 nr_named;
};

static int parse_fail(struct parse *parse, const char *reason, u32 offset, u32 patch)
{
	parse->err->reason = reason;
	parse->err->offset = offset;
	parse->err->patch = patch;
	return -EINVAL;
}

size_t vsplit_parse_map_bytes(u32 stream_bytes)
{
	return stream_bytes / 8;
}

/* ---- the stream --------------------------------------------------------- */

static const struct vsplit_packet *parse_at(const struct parse *parse, u32 offset)
{
	return (const void *)((const u8 *)parse->in->stream + offset);
}

static void parse_mark_operand(struct parse *parse, u8 *map, u32 offset, u8 what)
{
	map[offset / 8] = what;
	parse->uncovered++;
}

/* Mark a packet and its address operands. @map: map entry of the packet's head. */
static void parse_mark(struct parse *parse, const struct vsplit_packet *head,
		       const struct vsplit_isa_packet *info, u8 *map)
{
	bool bind = head->op == VSPLIT_OP_BIND;
	u32 i;

	map[0] = PARSE_PACKET;
	if (bind)
		parse_mark_operand(parse, map, offsetof(struct vsplit_packet_bind, address),
				   PARSE_BIND);
	for (i = 0; i < info->nr_operands; i++) {
		if (vsplit_isa_operand_at(head, info, i)->flags & VSPLIT_OPERAND_ADDRESS)
			parse_mark_operand(parse, map, info->operands[i].offset +
					   offsetof(struct vsplit_operand, value), PARSE_ADDRESS);
	}
}

/* Check a fence. Packets that wait come first, as a program that has begun must end by itself. */
static int parse_fence(struct parse *parse, const struct vsplit_packet *head, u32 offset)
{
	const struct vsplit_parse_input *in = parse->in;

	if (head->op == VSPLIT_OP_WAIT_FENCE) {
		if (parse->waits != offset)
			return parse_fail(parse, "wait behind another packet", offset, PARSE_NONE);
		parse->waits += head->size;
	}
	if (in->has_fence(in->priv, head->arg))
		return 0;
	parse_fail(parse, "no such fence", offset, PARSE_NONE);
	return -ENOENT;
}

static int parse_stream(struct parse *parse)
{
	const struct vsplit_parse_input *in = parse->in;
	const struct vsplit_isa_packet *info;
	const struct vsplit_packet *head;
	const char *reason;
	u32 offset, nr = 0;
	int ret;

	for (offset = 0; offset < in->stream_bytes; offset += head->size) {
		ret = ++nr % VSPLIT_AT_ONCE ? 0 : vsplit_exec_relax();
		if (ret)
			return ret;
		head = parse_at(parse, offset);
		info = vsplit_isa_check(head, in->stream_bytes - offset, in->nr_slots, false,
					&reason);
		if (!info)
			return parse_fail(parse, reason, offset, PARSE_NONE);
		if (info->arg->type == VSPLIT_ISA_ARG_FENCE) {
			ret = parse_fence(parse, head, offset);
			if (ret)
				return ret;
		}
		parse_mark(parse, head, info, parse->map + offset / 8);
	}
	return 0;
}

/* ---- the patch-location list -------------------------------------------- */

/* Check SplitOffset: in order, not behind the operand, on a packet boundary. */
static const char *parse_split(struct parse *parse, const struct drm_vsplit_patch *patch,
			       bool null)
{
	u32 split = patch->split_offset;

	if (split < parse->last_split)
		return "SplitOffset decreases";
	parse->last_split = split;
	if (split > patch->patch_offset)
		return "PatchOffset before its SplitOffset";
	if (split < parse->in->stream_bytes && split % 8 == 0 &&
	    parse->map[split / 8] == PARSE_PACKET)
		return NULL;
	if (split != parse->in->stream_bytes)
		return "SplitOffset is not a packet boundary";
	return null ? NULL : "only a NULL allocation may be split off at the end";
}

/* Check the address operand at PatchOffset: it exists, is not claimed, and has the same slot. */
static const char *parse_operand(struct parse *parse, const struct drm_vsplit_patch *patch,
				 bool null)
{
	u32 at = patch->patch_offset;
	u8 what = PARSE_OTHER;
	u32 slot;

	if (at < parse->in->stream_bytes && at % 8 == 0)
		what = parse->map[at / 8];
	if (what == PARSE_BIND) {
		slot = parse_at(parse, at - sizeof(struct vsplit_packet))->arg;
	} else if (what == PARSE_ADDRESS) {
		if (null)
			return "NULL allocation for an operand that is accessed";
		slot = ((const struct vsplit_operand *)
			parse_at(parse, at - offsetof(struct vsplit_operand, value)))->slot;
	} else {
		return "PatchOffset is not an uncovered address operand";
	}
	if (slot != patch->slot)
		return "SlotId differs from the operand's slot";
	parse->map[at / 8] = PARSE_OTHER;
	parse->uncovered--;
	return NULL;
}

static const char *parse_patch(struct parse *parse, const struct drm_vsplit_patch *patch)
{
	const struct vsplit_parse_input *in = parse->in;
	struct vsplit_parse_alloc *alloc;
	const char *reason;
	u64 size;

	if (patch->alloc >= in->nr_allocs)
		return "AllocationIndex beyond the allocation list";
	alloc = &in->allocs[array_index_nospec(patch->alloc, in->nr_allocs)];
	size = alloc->size;
	if (!alloc->rank && size)
		alloc->rank = ++parse->nr_named;
	if (patch->slot >= in->nr_slots)
		return patch->slot >> 24 ? "reserved bits of SlotId are not 0" :
			"SlotId beyond the resource table";
	if (patch->alloc_offset && patch->alloc_offset >= size)
		return "AllocationOffset outside the allocation";
	reason = parse_split(parse, patch, !size);
	if (reason)
		return reason;
	if (patch->split_offset == in->stream_bytes)
		return patch->patch_offset == in->stream_bytes ? NULL :
			"PatchOffset beyond the end";
	return parse_operand(parse, patch, !size);
}

static int parse_patches(struct parse *parse)
{
	const struct vsplit_parse_input *in = parse->in;
	const struct drm_vsplit_patch *patch = in->patches, *end = patch + in->nr_patches;
	const struct drm_vsplit_patch *some;
	const char *reason;
	int ret = 0;

	while (!ret && patch < end) {
		some = end - patch < VSPLIT_AT_ONCE ? end : patch + VSPLIT_AT_ONCE;
		for (; patch < some; patch++) {
			reason = parse_patch(parse, patch);
			if (reason)
				return parse_fail(parse, reason, patch->patch_offset,
						  patch - in->patches);
		}
		ret = vsplit_exec_relax();
	}
	return ret;
}

int vsplit_parse_check(const struct vsplit_parse_input *in, void *scratch,
		       struct vsplit_parse_error *err)
{
	struct parse parse = {
		.in = in,
		.err = err,
		.map = scratch,
	};
	u32 offset;
	int ret;

	if (!in->stream_bytes || in->stream_bytes % 8)
		return parse_fail(&parse, "stream size is not a positive multiple of 8",
				  PARSE_NONE, PARSE_NONE);
	memset(scratch, 0, vsplit_parse_map_bytes(in->stream_bytes));
	ret = parse_stream(&parse);
	if (ret)
		return ret;
	ret = parse_patches(&parse);
	if (ret)
		return ret;
	if (!parse.uncovered)
		return 0;
	for (offset = 0; parse.map[offset / 8] < PARSE_BIND; )
		offset += 8;
	return parse_fail(&parse, "address operand without a patch element", offset, PARSE_NONE);
}
