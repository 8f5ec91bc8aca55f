/* SPDX-License-Identifier: MIT */
/*
 * The rules of drv/exec/vsplit_parse.h for submissions a second time, from its text alone: lists
 * instead of bitmaps, and quadratic. It shares only the layout of the packets with the driver. For
 * tests and the fuzzer.
 */
#ifndef _PARSE_REFERENCE_H_
#define _PARSE_REFERENCE_H_

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <drm/vsplit_isa.h>
#include "../drv/exec/vsplit_parse.h"

struct ref_operand {
	u32 at;
	u32 slot;
	bool bind;
	u32 covered;
};

struct ref {
	const struct vsplit_parse_input *in;
	u32 *starts;
	u32 nr_starts;
	struct ref_operand *operands;
	u32 nr_operands;
	bool begun;
};

static u64 ref_get(const struct ref *ref, u32 at, u32 bytes)
{
	u64 value = 0;

	memcpy(&value, (const char *)ref->in->stream + at, bytes);
	return value;
}

static void ref_add_operand(struct ref *ref, u32 at, u32 slot, bool bind)
{
	ref->operands[ref->nr_operands++] = (struct ref_operand) { at, slot, bind, 0 };
}

/* The struct vsplit_operand at @at. */
static bool ref_operand(struct ref *ref, u32 at)
{
	u32 slot = ref_get(ref, at, 4), flags = ref_get(ref, at + 4, 4);
	u64 value = ref_get(ref, at + 8, 8);

	if (slot >= ref->in->nr_slots || flags > 1)
		return false;
	if (flags == 0)
		return true;
	ref_add_operand(ref, at + 8, slot, false);
	return value == 0;
}

static bool ref_dim(u64 dim)
{
	return dim > 0 && dim <= 65536;
}

/* Width and height are at @size, the pitch at @pitch; in 32-bit pixels. */
static bool ref_pixels(struct ref *ref, u32 size, u32 pitch, bool used, bool tiled)
{
	u64 w = ref_get(ref, size, 2), h = ref_get(ref, size + 2, 2), p = ref_get(ref, pitch, 4);

	if (!used)
		return !p;
	return w && w <= 4096 && h && h <= 4096 && p / 4 >= w && !(p % (tiled ? 64 : 4));
}

static bool ref_draw(struct ref *ref, u32 at, u32 flags)
{
	return ref_pixels(ref, at + 88, at + 72, true, flags & 32) &&
	       ref_pixels(ref, at + 88, at + 76, flags & 3, flags & 64) &&
	       ref_pixels(ref, at + 92, at + 80, flags & 4, flags & 128) &&
	       (flags & 4 || !ref_get(ref, at + 92, 4)) && ref_get(ref, at + 84, 4) <= 2 &&
	       ref_get(ref, at + 96, 2) <= ref_get(ref, at + 100, 2) &&
	       ref_get(ref, at + 100, 2) <= ref_get(ref, at + 88, 2) &&
	       ref_get(ref, at + 98, 2) <= ref_get(ref, at + 102, 2) &&
	       ref_get(ref, at + 102, 2) <= ref_get(ref, at + 90, 2);
}

/* Check the packet at @at; its head is known to be in the stream. */
static bool ref_packet(struct ref *ref, u32 at, u32 op, u32 flags, u32 size, u32 arg)
{
	u32 w, h;

	switch (op) {
	case VSPLIT_OP_NOP:
		return size >= 8 && !flags && !arg;
	case VSPLIT_OP_STATE:
		return size == 16 && !flags && arg < 6 && !ref_get(ref, at + 12, 4);
	case VSPLIT_OP_BIND:
		if (size != 24 || flags || arg >= ref->in->nr_slots)
			return false;
		ref_add_operand(ref, at + 8, arg, true);
		return !ref_get(ref, at + 8, 8) && !ref_get(ref, at + 16, 8);
	case VSPLIT_OP_FILL:
		return size == 32 && !flags && !arg && ref_operand(ref, at + 8);
	case VSPLIT_OP_COPY:
		return size == 48 && !flags && !arg && ref_operand(ref, at + 8) &&
		       ref_operand(ref, at + 24);
	case VSPLIT_OP_COPY_2D:
		if (size != 48 || flags > 3 || arg || !ref_operand(ref, at + 8) ||
		    !ref_operand(ref, at + 24))
			return false;
		w = ref_get(ref, at + 40, 4);
		h = ref_get(ref, at + 44, 4);
		return !flags || (w % 64 == 0 && h % 64 == 0);
	case VSPLIT_OP_MMA:
		return size == 72 && flags <= 1 && !arg && ref_operand(ref, at + 8) &&
		       ref_operand(ref, at + 24) && ref_operand(ref, at + 40) &&
		       ref_dim(ref_get(ref, at + 56, 4)) && ref_dim(ref_get(ref, at + 60, 4)) &&
		       ref_dim(ref_get(ref, at + 64, 4)) && !ref_get(ref, at + 68, 4);
	case VSPLIT_OP_ATOMIC_ADD:
	case VSPLIT_OP_STORE:
		return size == 32 && !flags && !arg && ref_operand(ref, at + 8);
	case VSPLIT_OP_TIMESTAMP:
		return size == 24 && !flags && !arg && ref_operand(ref, at + 8);
	case VSPLIT_OP_SPIN:
		return size == 8 && !flags && arg <= 60000000;
	case VSPLIT_OP_SIGNAL_FENCE:
	case VSPLIT_OP_WAIT_FENCE:
		return size == 16 && !flags && arg && (op == VSPLIT_OP_SIGNAL_FENCE || !ref->begun) &&
		       ref->in->has_fence(ref->in->priv, arg);
	case VSPLIT_OP_DRAW:
		return size == 104 && arg >= 1 && arg <= 4096 && ref_operand(ref, at + 8) &&
		       ref_operand(ref, at + 24) && ref_operand(ref, at + 40) &&
		       ref_operand(ref, at + 56) && ref_draw(ref, at, flags);
	default:
		return false;
	}
}

static bool ref_stream(struct ref *ref)
{
	u32 at = 0, left, size;

	while (at < ref->in->stream_bytes) {
		left = ref->in->stream_bytes - at;
		size = ref_get(ref, at + 2, 2);
		if (size % 8 || size > left || !size)
			return false;
		/* Fields are read before the size is checked, so they must be in the stream. */
		if (ref_get(ref, at, 1) == VSPLIT_OP_MMA && left < 72)
			return false;
		if (ref_get(ref, at, 1) == VSPLIT_OP_DRAW && left < 104)
			return false;
		if (ref_get(ref, at, 1) != VSPLIT_OP_NOP && size > 104)
			return false;
		if (!ref_packet(ref, at, ref_get(ref, at, 1), ref_get(ref, at + 1, 1), size,
				ref_get(ref, at + 4, 4)))
			return false;
		ref->begun |= ref_get(ref, at, 1) != VSPLIT_OP_WAIT_FENCE;
		ref->starts[ref->nr_starts++] = at;
		at += size;
	}
	return true;
}

static bool ref_is_start(const struct ref *ref, u32 at)
{
	u32 i;

	for (i = 0; i < ref->nr_starts; i++) {
		if (ref->starts[i] == at)
			return true;
	}
	return false;
}

static struct ref_operand *ref_find(const struct ref *ref, u32 at)
{
	u32 i;

	for (i = 0; i < ref->nr_operands; i++) {
		if (ref->operands[i].at == at)
			return &ref->operands[i];
	}
	return NULL;
}

static bool ref_patch(struct ref *ref, u32 index)
{
	const struct drm_vsplit_patch *p = &ref->in->patches[index];
	u32 end = ref->in->stream_bytes;
	struct ref_operand *operand;
	bool null;

	if (p->alloc >= ref->in->nr_allocs || p->slot >= ref->in->nr_slots || p->slot >= 1u << 24)
		return false;
	null = !ref->in->allocs[p->alloc].size;
	if (null ? p->alloc_offset != 0 : p->alloc_offset >= ref->in->allocs[p->alloc].size)
		return false;
	if (index && p->split_offset < p[-1].split_offset)
		return false;
	if (p->split_offset == end)
		return null && p->patch_offset == end;
	if (!ref_is_start(ref, p->split_offset) || p->split_offset > p->patch_offset)
		return false;
	operand = ref_find(ref, p->patch_offset);
	if (!operand || operand->slot != p->slot || (null && !operand->bind))
		return false;
	operand->covered++;
	return true;
}

/* Is a submission to be accepted? */
__attribute__((unused))
static bool parse_reference(const struct vsplit_parse_input *in)
{
	struct ref ref = { .in = in };
	bool good;
	u32 i;

	if (!in->stream_bytes || in->stream_bytes % 8)
		return false;
	ref.starts = calloc(in->stream_bytes / 8, sizeof(*ref.starts));
	ref.operands = calloc(in->stream_bytes / 8, sizeof(*ref.operands));
	good = ref_stream(&ref);
	for (i = 0; good && i < in->nr_patches; i++)
		good = ref_patch(&ref, i);
	for (i = 0; good && i < ref.nr_operands; i++)
		good = ref.operands[i].covered == 1;
	free(ref.starts);
	free(ref.operands);
	return good;
}

#endif /* _PARSE_REFERENCE_H_ */
