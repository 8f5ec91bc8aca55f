// SPDX-License-Identifier: MIT
/*
 * The instruction set a second time, see gpu_reference.h.
 */
#include <stdlib.h>

#include "draw_reference.h"
#include "gpu_reference.h"

struct ref {
	struct world *w;
	struct ref_result r;
	struct vsplit_gpu_row rows[W_SLOTS];
	u32 state[VSPLIT_STATE_COUNT];
	bool defined[VSPLIT_STATE_COUNT];
	bool lenient;
	bool stop;
};

/* The first fault counts. */
static void ref_fault(struct ref *ref, u32 fault, u32 slot)
{
	if (ref->stop)
		return;
	ref->stop = true;
	ref->r.fault = fault;
	ref->r.slot = slot;
}

static u32 ref_state(struct ref *ref, u32 reg)
{
	if (!ref->defined[reg] && !ref->lenient)
		ref_fault(ref, VSPLIT_FAULT_STATE, ~0u);
	return ref->defined[reg] ? ref->state[reg] : VSPLIT_GPU_STATE_GARBAGE;
}

/* Address of an operand, if @bytes from it are in its row. Numbers of 128 bits never wrap. */
static u64 ref_operand(struct ref *ref, const struct vsplit_operand *o, unsigned __int128 bytes,
		       u32 align, bool write)
{
	const struct vsplit_gpu_row *row = &ref->rows[o->slot];
	unsigned __int128 first = o->value;

	if (!row->size) {
		ref_fault(ref, VSPLIT_FAULT_EMPTY_ROW, o->slot);
		return 0;
	}
	if (!(o->flags & VSPLIT_OPERAND_ADDRESS))
		first += row->address;
	if (first < row->address || first + bytes > (unsigned __int128)row->address + row->size)
		ref_fault(ref, VSPLIT_FAULT_BOUNDS, o->slot);
	else if (write && !(row->flags & VSPLIT_GPU_ROW_WRITE))
		ref_fault(ref, VSPLIT_FAULT_WRITE, o->slot);
	else if (first % align)
		ref_fault(ref, VSPLIT_FAULT_ALIGN, o->slot);
	return first;
}

/* Check that all bytes exist. If not, there is a decode fault, and [@from, @to) is undetermined. */
static bool ref_mapped(struct ref *ref, u64 address, u64 bytes, u64 from, u64 to)
{
	u64 i;

	for (i = 0; i < bytes; i++) {
		if (world_byte(ref->w, address + i))
			continue;
		ref_fault(ref, VSPLIT_FAULT_DECODE, ~0u);
		ref->r.vague = true;
		ref->r.from = from;
		ref->r.to = to;
		return false;
	}
	return true;
}

static void ref_vague(struct ref *ref, u64 from, u64 to)
{
	/* Of several such commands, everything from the first to the last is undetermined. */
	ref->r.from = ref->r.vague ? min_t(u64, ref->r.from, from) : from;
	ref->r.to = ref->r.vague && ref->r.to > to ? ref->r.to : to;
	ref->r.vague = true;
}

static bool ref_overlap(u64 a, u64 a_bytes, u64 b, u64 b_bytes)
{
	return a < b + b_bytes && b < a + a_bytes;
}

static void ref_fill(struct ref *ref, const struct vsplit_packet_fill *p)
{
	u32 pattern = ref_state(ref, VSPLIT_STATE_FILL);
	u64 to = ref_operand(ref, &p->dst, p->length, 1, true), i;

	if (ref->stop || !ref_mapped(ref, to, p->length, to, to + p->length))
		return;
	for (i = 0; i < p->length; i++)
		*world_byte(ref->w, to + i) = pattern >> 8 * (i % 4);
}

static void ref_copy(struct ref *ref, const struct vsplit_packet_copy *p)
{
	u64 to = ref_operand(ref, &p->dst, p->length, 1, true);
	u64 from = ref_operand(ref, &p->src, p->length, 1, false), i;
	u8 *bytes;

	if (ref->stop || !ref_mapped(ref, to, p->length, to, to + p->length) ||
	    !ref_mapped(ref, from, p->length, to, to + p->length))
		return;
	bytes = malloc(p->length + 1);
	for (i = 0; i < p->length; i++)
		bytes[i] = *world_byte(ref->w, from + i);
	for (i = 0; i < p->length; i++)
		*world_byte(ref->w, to + i) = bytes[i];
	free(bytes);
}

static unsigned __int128 ref_surface(u32 width, u32 height, u32 pitch, bool tiled)
{
	if (tiled)
		return (unsigned __int128)pitch * ((height + 63ull) / 64 * 64);
	return height ? (unsigned __int128)pitch * (height - 1) + width : 0;
}

static u64 ref_at(u32 pitch, u32 x, u32 y, bool tiled)
{
	if (!tiled)
		return (u64)y * pitch + x;
	return ((u64)(y / 64) * (pitch / 64) + x / 64) * 4096 + y % 64 * 64 + x % 64;
}

static void ref_copy_2d(struct ref *ref, const struct vsplit_packet_copy_2d *p)
{
	bool src_tiled = p->head.flags & VSPLIT_COPY_2D_SRC_TILED;
	bool dst_tiled = p->head.flags & VSPLIT_COPY_2D_DST_TILED;
	u32 src_pitch = ref_state(ref, VSPLIT_STATE_SRC_PITCH);
	u32 dst_pitch = ref_state(ref, VSPLIT_STATE_DST_PITCH);
	unsigned __int128 dst_bytes = ref_surface(p->width, p->height, dst_pitch, dst_tiled);
	unsigned __int128 src_bytes = ref_surface(p->width, p->height, src_pitch, src_tiled);
	u64 to, from;
	u32 x, y;

	if (p->width > dst_pitch || (dst_tiled && (!dst_pitch || dst_pitch % 64)))
		ref_fault(ref, VSPLIT_FAULT_ALIGN, p->dst.slot);
	to = ref_operand(ref, &p->dst, dst_bytes, 1, true);
	if (p->width > src_pitch || (src_tiled && (!src_pitch || src_pitch % 64)))
		ref_fault(ref, VSPLIT_FAULT_ALIGN, p->src.slot);
	from = ref_operand(ref, &p->src, src_bytes, 1, false);
	if (ref->stop)
		return;
	if (ref_overlap(to, dst_bytes, from, src_bytes))
		ref_vague(ref, to, to + dst_bytes);
	for (y = 0; y < p->height; y++) {
		for (x = 0; x < p->width; x++) {
			u64 s = from + ref_at(src_pitch, x, y, src_tiled);
			u64 d = to + ref_at(dst_pitch, x, y, dst_tiled);

			if (!ref_mapped(ref, s, 1, to, to + dst_bytes) ||
			    !ref_mapped(ref, d, 1, to, to + dst_bytes))
				return;
			*world_byte(ref->w, d) = *world_byte(ref->w, s);
		}
	}
}

static void ref_matrix(struct ref *ref, const struct vsplit_operand *o, u32 pitch, u32 rows,
		       u64 width, bool write, u64 *address, u64 *bytes)
{
	u32 align = write ? 4 : 1;

	if (pitch < width || pitch % align)
		ref_fault(ref, VSPLIT_FAULT_ALIGN, o->slot);
	*bytes = (rows - 1ull) * pitch + width;
	*address = ref_operand(ref, o, *bytes, align, write);
}

static u32 ref_get32(struct ref *ref, u64 address)
{
	u32 i, value = 0;

	for (i = 0; i < 4; i++)
		value |= (u32)*world_byte(ref->w, address + i) << 8 * i;
	return value;
}

static void ref_mma(struct ref *ref, const struct vsplit_packet_mma *p)
{
	u32 lda = ref_state(ref, VSPLIT_STATE_LDA), ldb = ref_state(ref, VSPLIT_STATE_LDB);
	u32 ldc = ref_state(ref, VSPLIT_STATE_LDC);
	u64 c, a, b, c_bytes, a_bytes, b_bytes, at;
	u32 i, j, l, n;

	ref_matrix(ref, &p->c, ldc, p->m, p->n * 4ull, true, &c, &c_bytes);
	ref_matrix(ref, &p->a, lda, p->m, p->k, false, &a, &a_bytes);
	ref_matrix(ref, &p->b, ldb, p->k, p->n, false, &b, &b_bytes);
	if (ref->stop)
		return;
	if (ref_overlap(c, c_bytes, a, a_bytes) || ref_overlap(c, c_bytes, b, b_bytes))
		ref_vague(ref, c, c + c_bytes);
	/* Only the elements are touched, not the bytes between two rows of a matrix. */
	for (i = 0; i < p->m; i++) {
		if (!ref_mapped(ref, a + (u64)i * lda, p->k, c, c + c_bytes) ||
		    !ref_mapped(ref, c + (u64)i * ldc, p->n * 4, c, c + c_bytes))
			return;
	}
	for (l = 0; l < p->k; l++) {
		if (!ref_mapped(ref, b + (u64)l * ldb, p->n, c, c + c_bytes))
			return;
	}
	for (i = 0; i < p->m; i++) {
		for (j = 0; j < p->n; j++) {
			u32 sum = 0;

			at = c + (u64)i * ldc + j * 4ull;
			if (p->head.flags & VSPLIT_MMA_ACCUMULATE)
				sum = ref_get32(ref, at);
			for (l = 0; l < p->k; l++) {
				s8 x = *world_byte(ref->w, a + (u64)i * lda + l);
				s8 y = *world_byte(ref->w, b + (u64)l * ldb + j);

				sum += (u32)((s32)x * y);
			}
			for (n = 0; n < 4; n++)
				*world_byte(ref->w, at + n) = sum >> 8 * n;
		}
	}
}

/* The operands of a DRAW, for draw_reference(). */
struct ref_draw {
	struct ref *ref;
	u64 address[4];
};

static bool ref_draw_get(void *priv, enum draw_memory_part part, u64 offset, u32 *word)
{
	struct ref_draw *draw = priv;
	u64 at = draw->address[part] + offset;

	if (!world_byte(draw->ref->w, at) || !world_byte(draw->ref->w, at + 3))
		return false;
	*word = ref_get32(draw->ref, at);
	return true;
}

static bool ref_draw_put(void *priv, enum draw_memory_part part, u64 offset, u32 word)
{
	struct ref_draw *draw = priv;
	u32 i;

	for (i = 0; i < 4; i++)
		*world_byte(draw->ref->w, draw->address[part] + offset + i) = word >> 8 * i;
	return true;
}

static u64 ref_draw_bytes(u32 width, u32 height, u32 pitch, bool tiled)
{
	return ref_surface(4 * width, height, pitch, tiled);
}

static void ref_draw(struct ref *ref, const struct vsplit_packet_draw *p)
{
	u32 flags = p->head.flags;
	bool depth = flags & (VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE);
	u64 bytes[2] = { ref_draw_bytes(p->width, p->height, p->target_pitch,
					flags & VSPLIT_DRAW_TARGET_TILED),
			 ref_draw_bytes(p->width, p->height, p->depth_pitch,
					flags & VSPLIT_DRAW_DEPTH_TILED) };
	struct ref_draw draw = { .ref = ref };
	const struct draw_memory memory = {
		.priv = &draw, .get = ref_draw_get, .put = ref_draw_put,
	};

	draw.address[DRAW_TARGET] = ref_operand(ref, &p->target, bytes[0], 4, true);
	if (depth)
		draw.address[DRAW_DEPTH] = ref_operand(ref, &p->depth, bytes[1], 4,
						       flags & VSPLIT_DRAW_DEPTH_WRITE);
	if (flags & VSPLIT_DRAW_TEXTURE)
		draw.address[DRAW_TEXTURE] =
			ref_operand(ref, &p->texture,
				    ref_draw_bytes(p->texture_width, p->texture_height,
						   p->texture_pitch,
						   flags & VSPLIT_DRAW_TEXTURE_TILED), 4, false);
	draw.address[DRAW_VERTICES] = ref_operand(ref, &p->vertices, p->head.arg * 96ull, 4, false);
	if (!ref->stop && !draw_reference(p, &memory))
		ref_fault(ref, VSPLIT_FAULT_DECODE, ~0u);
}

static void ref_word(struct ref *ref, const struct vsplit_operand *o, u64 value, bool add)
{
	u64 at = ref_operand(ref, o, 8, 8, true);
	u32 i;

	if (ref->stop || !ref_mapped(ref, at, 8, at, at + 8))
		return;
	if (add)
		value += ref_get32(ref, at) | (u64)ref_get32(ref, at + 4) << 32;
	for (i = 0; i < 8; i++)
		*world_byte(ref->w, at + i) = value >> 8 * i;
}

static void ref_bind(struct ref *ref, const struct vsplit_packet_bind *p)
{
	struct vsplit_gpu_row *row = &ref->rows[p->head.arg];
	bool empty = !p->address || (unsigned __int128)p->address + p->size > ~(u64)0;

	row->address = p->address;
	row->size = empty ? 0 : p->size;
	row->flags = p->head.flags & VSPLIT_BIND_WRITE ? VSPLIT_GPU_ROW_WRITE : 0;
}

static void ref_packet(struct ref *ref, const struct vsplit_packet *head)
{
	const struct vsplit_packet_timestamp *stamp = (const void *)head;
	const struct vsplit_packet_state *state = (const void *)head;
	const struct vsplit_packet_store *store = (const void *)head;

	switch (head->op) {
	case VSPLIT_OP_STATE:
		ref->state[head->arg] = state->value;
		ref->defined[head->arg] = true;
		break;
	case VSPLIT_OP_BIND:
		ref_bind(ref, (const void *)head);
		break;
	case VSPLIT_OP_FILL:
		ref_fill(ref, (const void *)head);
		break;
	case VSPLIT_OP_COPY:
		ref_copy(ref, (const void *)head);
		break;
	case VSPLIT_OP_COPY_2D:
		ref_copy_2d(ref, (const void *)head);
		break;
	case VSPLIT_OP_MMA:
		ref_mma(ref, (const void *)head);
		break;
	case VSPLIT_OP_ATOMIC_ADD:
	case VSPLIT_OP_STORE:
		ref_word(ref, &store->dst, store->value, head->op == VSPLIT_OP_ATOMIC_ADD);
		break;
	case VSPLIT_OP_TIMESTAMP:
		/* The world's clock counts what it is asked. */
		ref_word(ref, &stamp->dst, ++ref->w->engine.clock, false);
		break;
	case VSPLIT_OP_DRAW:
		ref_draw(ref, (const void *)head);
		break;
	default:
		break;
	}
}

struct ref_result reference_run(struct world *w, bool lenient)
{
	struct ref ref = { .w = w, .lenient = lenient };
	const struct vsplit_packet *head;
	const char *reason;
	u32 i, offset;

	ref.r.slot = ~0u;
	for (i = 0; i < w->nr_rows; i++) {
		if (w->table[i].slot < W_SLOTS)
			ref.rows[w->table[i].slot] = w->table[i];
	}
	for (offset = 0; offset < w->bytes && !ref.stop; offset += head->size) {
		head = (const void *)((u8 *)w->stream + offset);
		ref.r.offset = offset;
		if (vsplit_isa_check(head, w->bytes - offset, W_SLOTS, true, &reason))
			ref_packet(&ref, head);
		else
			ref_fault(&ref, VSPLIT_FAULT_BAD_PACKET, ~0u);
	}
	return ref.r;
}

static bool ref_differ(u8 a, u8 b, u64 address, const struct ref_result *result)
{
	return a != b && !(result->vague && address >= result->from && address < result->to);
}

bool reference_equal(struct world *a, struct world *b, const struct ref_result *result)
{
	u64 i;

	if (!memcmp(a->memory, b->memory, W_MEM_BYTES) &&
	    !memcmp(a->pages, b->pages, W_GART_BYTES))
		return !memcmp(&a->dummy, &b->dummy, sizeof(a->dummy));
	for (i = 0; i < W_MEM_BYTES; i++) {
		if (ref_differ(a->memory[i], b->memory[i], W_MEM + i, result))
			return false;
	}
	for (i = 0; i < W_GART_BYTES; i++) {
		u8 *x = world_byte(a, W_GART + i), *y = world_byte(b, W_GART + i);

		if (x && ref_differ(*x, *y, W_GART + i, result))
			return false;
	}
	for (i = 0; i < 4096; i++) {
		if (a->dummy.bytes[i])
			return false;
	}
	return true;
}
