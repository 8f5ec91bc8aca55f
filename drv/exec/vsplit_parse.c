// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Validation of one submission.
 */
#include "../gpu/vsplit_gpu_isa.h"
#include "vsplit_parse.h"

/**
 * DOC: Validation
 *
 * Two passes, both linear, no memory but the caller's scratch:
 *
 * 1. The stream. Packets must tile it. Each is checked by vsplit_isa_check(),
 *    the same function that the engine asks before it executes. Two bitmaps, one
 *    bit for each 8 bytes of the stream, remember where packets begin and where
 *    address operands are that no patch-location element has claimed yet.
 * 2. The patch-location list, in its order. An element claims an operand by
 *    clearing its bit, so that no operand can be claimed twice, and is checked
 *    against the packet that the operand is in. The word before an operand says
 *    to whom it belongs: if a packet begins there, the operand is BIND's address
 *    and its slot is in the head, otherwise it is the first half of a struct
 *    vsplit_operand.
 *
 * What is left in the second bitmap then was not covered.
 *
 * Only the packet's own fields are looked at here. Whether an access is inside
 * the row that it names is for the engine, because that depends on what was bound
 * before.
 */

#define PARSE_NONE	(~0u)

/**
 * struct parse - A validation under way.
 * @in: the submission.
 * @err: what to tell.
 * @packets: bit for each word: a packet begins here.
 * @operands: bit for each word: an address operand that is not covered.
 * @last_split: SplitOffset of the element before.
 */
struct parse {
	const struct vsplit_parse_input *in;
	struct vsplit_parse_error *err;
	u64 *packets;
	u64 *operands;
	u32 last_split;
};

static int parse_fail(struct parse *parse, const char *reason, u32 offset, u32 patch)
{
	parse->err->reason = reason;
	parse->err->offset = offset;
	parse->err->patch = patch;
	return -EINVAL;
}

/* ---- bitmaps ------------------------------------------------------------ */

static size_t parse_bitmap_words(u32 stream_bytes)
{
	return DIV_ROUND_UP(stream_bytes / 8, 64);
}

size_t vsplit_parse_bitmap_bytes(u32 stream_bytes)
{
	return 2 * parse_bitmap_words(stream_bytes) * sizeof(u64);
}

static void parse_set(u64 *bitmap, u32 offset)
{
	bitmap[offset / 8 / 64] |= 1ull << (offset / 8 % 64);
}

static void parse_clear(u64 *bitmap, u32 offset)
{
	bitmap[offset / 8 / 64] &= ~(1ull << (offset / 8 % 64));
}

static bool parse_test(const u64 *bitmap, u32 offset)
{
	return bitmap[offset / 8 / 64] >> (offset / 8 % 64) & 1;
}

/* Offset of the first bit, or PARSE_NONE. */
static u32 parse_first(const u64 *bitmap, u32 stream_bytes)
{
	size_t words = parse_bitmap_words(stream_bytes);
	size_t i;

	for (i = 0; i < words; i++) {
		if (bitmap[i])
			return (i * 64 + __builtin_ctzll(bitmap[i])) * 8;
	}
	return PARSE_NONE;
}

/* ---- the stream --------------------------------------------------------- */

static const struct vsplit_packet *parse_at(const struct parse *parse, u32 offset)
{
	return (const void *)((const u8 *)parse->in->stream + offset);
}

/* Mark the address operands of the packet at @offset. */
static void parse_mark_operands(struct parse *parse, const struct vsplit_packet *head,
				const struct vsplit_isa_packet *info, u32 offset)
{
	u32 i;

	if (head->op == VSPLIT_OP_BIND)
		parse_set(parse->operands, offset + offsetof(struct vsplit_packet_bind, address));
	for (i = 0; i < info->nr_operands; i++) {
		if (vsplit_isa_operand_at(head, info, i)->flags & VSPLIT_OPERAND_ADDRESS)
			parse_set(parse->operands, offset + info->operands[i].offset +
				  offsetof(struct vsplit_operand, value));
	}
}

/* What has begun ends by itself, so waits come first. */
static int parse_fence(struct parse *parse, const struct vsplit_packet *head, u32 offset,
		       bool begun)
{
	const struct vsplit_parse_input *in = parse->in;

	if (head->op == VSPLIT_OP_WAIT_FENCE && begun)
		return parse_fail(parse, "wait behind another packet", offset, PARSE_NONE);
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
	bool begun = false;
	u32 offset;
	int ret;

	for (offset = 0; offset < in->stream_bytes; offset += head->size) {
		head = parse_at(parse, offset);
		info = vsplit_isa_check(head, in->stream_bytes - offset, in->nr_slots, false,
					&reason);
		if (!info)
			return parse_fail(parse, reason, offset, PARSE_NONE);
		if (info->arg == VSPLIT_ISA_ARG_FENCE) {
			ret = parse_fence(parse, head, offset, begun);
			if (ret)
				return ret;
		}
		begun |= head->op != VSPLIT_OP_WAIT_FENCE;
		parse_set(parse->packets, offset);
		parse_mark_operands(parse, head, info, offset);
	}
	return 0;
}

/* ---- the patch-location list -------------------------------------------- */

/* SplitOffset: in order, not behind the operand, on a packet boundary. */
static const char *parse_split(struct parse *parse, const struct vsplit_parse_patch *patch,
			       bool null)
{
	u32 split = patch->split_offset;

	if (split < parse->last_split)
		return "SplitOffset decreases";
	parse->last_split = split;
	if (split > patch->patch_offset)
		return "PatchOffset before its SplitOffset";
	if (split > parse->in->stream_bytes || split % 8)
		return "SplitOffset is not a packet boundary";
	if (split == parse->in->stream_bytes)
		return null ? NULL : "only a NULL allocation may be split off at the end";
	if (!parse_test(parse->packets, split))
		return "SplitOffset is not a packet boundary";
	return NULL;
}

/* The address operand at PatchOffset: there, not claimed, of the same slot. */
static const char *parse_operand(struct parse *parse, const struct vsplit_parse_patch *patch,
				 bool null)
{
	u32 at = patch->patch_offset;
	bool bind;
	u32 slot;

	if (at >= parse->in->stream_bytes || at % 8 || !parse_test(parse->operands, at))
		return "PatchOffset is not an uncovered address operand";
	/* Offset 0 is a packet's, never an operand's. */
	bind = parse_test(parse->packets, at - 8);
	if (null && !bind)
		return "NULL allocation for an operand that is accessed";
	slot = bind ? parse_at(parse, at - 8)->arg :
		((const struct vsplit_operand *)parse_at(parse, at - 8))->slot;
	if (slot != patch->slot)
		return "SlotId differs from the operand's slot";
	parse_clear(parse->operands, at);
	return NULL;
}

static const char *parse_patch(struct parse *parse, const struct vsplit_parse_patch *patch)
{
	const struct vsplit_parse_input *in = parse->in;
	const char *reason;
	u64 size;

	if (patch->alloc >= in->nr_allocs)
		return "AllocationIndex beyond the allocation list";
	size = in->alloc_sizes[array_index_nospec(patch->alloc, in->nr_allocs)];
	if (patch->slot >> 24)
		return "reserved bits of SlotId are not 0";
	if (patch->slot >= in->nr_slots)
		return "SlotId beyond the resource table";
	if (size ? patch->alloc_offset >= size : patch->alloc_offset)
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
	const char *reason;
	u32 i;

	for (i = 0; i < in->nr_patches; i++) {
		reason = parse_patch(parse, &in->patches[i]);
		if (reason)
			return parse_fail(parse, reason, in->patches[i].patch_offset, i);
	}
	return 0;
}

int vsplit_parse_check(const struct vsplit_parse_input *in, void *scratch,
		       struct vsplit_parse_error *err)
{
	struct parse parse = {
		.in = in,
		.err = err,
		.packets = scratch,
		.operands = (u64 *)scratch + parse_bitmap_words(in->stream_bytes),
	};
	u32 offset;
	int ret;

	if (!in->stream_bytes || in->stream_bytes % 8)
		return parse_fail(&parse, "stream size is not a positive multiple of 8",
				  PARSE_NONE, PARSE_NONE);
	memset(scratch, 0, vsplit_parse_bitmap_bytes(in->stream_bytes));
	ret = parse_stream(&parse);
	if (ret)
		return ret;
	ret = parse_patches(&parse);
	if (ret)
		return ret;
	offset = parse_first(parse.operands, in->stream_bytes);
	if (offset != PARSE_NONE)
		return parse_fail(&parse, "address operand without a patch element", offset,
				  PARSE_NONE);
	return 0;
}
