// SPDX-License-Identifier: MIT
/*
 * Helpers for tests of the vsplit driver: the reference, which executes a DMA buffer on the shadows
 * of its allocations, as if memory were infinite.
 */
#include "igt.h"
#include "igt_vsplit.h"

struct ref_row {
	struct vsplit_bo *bo;
	uint64_t offset;
};

struct ref {
	struct vsplit_cs *cs;
	struct ref_row *rows;
	uint32_t *patch_of;
	uint32_t state[VSPLIT_STATE_COUNT];
};

#define REF_SLOTS VSPLIT_MAX_SLOTS

/* Pointer to the @length bytes named by the operand at stream offset @at. */
static uint8_t *ref_memory(struct ref *ref, uint32_t at, uint64_t length)
{
	struct vsplit_operand op;
	struct ref_row *row;
	uint64_t offset;

	memcpy(&op, ref->cs->stream + at, sizeof(op));
	igt_assert(op.slot < REF_SLOTS);
	row = &ref->rows[op.slot];
	igt_assert_f(row->bo, "reference: slot %u is empty at %#x\n", op.slot, at);
	if (op.flags & VSPLIT_OPERAND_ADDRESS) {
		uint32_t i = ref->patch_of[(at + offsetof(struct vsplit_operand, value)) / 8];
		const struct drm_vsplit_patch *patch = &ref->cs->patches[i - 1];

		igt_assert(i && ref->cs->bos[patch->alloc] == row->bo);
		offset = patch->alloc_offset;
		igt_assert(offset >= row->offset);
	} else {
		offset = row->offset + op.value;
	}
	igt_assert_f(offset <= row->bo->size && length <= row->bo->size - offset,
		     "reference: %#" PRIx64 "+%#" PRIx64 " is outside %c, at %#x\n",
		     offset, length, row->bo->name, at);
	return row->bo->shadow + offset;
}

static uint64_t ref_2d(uint32_t x, uint32_t y, uint32_t pitch, bool tiled)
{
	if (!tiled)
		return (uint64_t)y * pitch + x;
	return (uint64_t)(y / VSPLIT_TILE_HEIGHT) * (pitch / VSPLIT_TILE_WIDTH) * VSPLIT_TILE_BYTES +
	       x / VSPLIT_TILE_WIDTH * VSPLIT_TILE_BYTES +
	       y % VSPLIT_TILE_HEIGHT * VSPLIT_TILE_WIDTH + x % VSPLIT_TILE_WIDTH;
}

static void ref_copy_2d(struct ref *ref, uint32_t at)
{
	const struct vsplit_packet_copy_2d *p = (const void *)(ref->cs->stream + at);
	bool src_tiled = p->head.flags & VSPLIT_COPY_2D_SRC_TILED;
	bool dst_tiled = p->head.flags & VSPLIT_COPY_2D_DST_TILED;
	uint32_t src_pitch = ref->state[VSPLIT_STATE_SRC_PITCH];
	uint32_t dst_pitch = ref->state[VSPLIT_STATE_DST_PITCH];
	uint8_t *dst = ref_memory(ref, at + offsetof(struct vsplit_packet_copy_2d, dst), 0);
	uint8_t *src = ref_memory(ref, at + offsetof(struct vsplit_packet_copy_2d, src), 0);

	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++)
			dst[ref_2d(x, y, dst_pitch, dst_tiled)] =
				src[ref_2d(x, y, src_pitch, src_tiled)];
}

static void ref_mma(struct ref *ref, uint32_t at)
{
	const struct vsplit_packet_mma *p = (const void *)(ref->cs->stream + at);
	uint8_t *c = ref_memory(ref, at + offsetof(struct vsplit_packet_mma, c), 0);
	const int8_t *a = (int8_t *)ref_memory(ref, at + offsetof(struct vsplit_packet_mma, a), 0);
	const int8_t *b = (int8_t *)ref_memory(ref, at + offsetof(struct vsplit_packet_mma, b), 0);
	uint32_t lda = ref->state[VSPLIT_STATE_LDA];
	uint32_t ldb = ref->state[VSPLIT_STATE_LDB];
	uint32_t ldc = ref->state[VSPLIT_STATE_LDC];

	for (uint32_t i = 0; i < p->m; i++) {
		for (uint32_t j = 0; j < p->n; j++) {
			uint8_t *to = c + (uint64_t)i * ldc + j * 4;
			uint32_t sum = 0;

			if (p->head.flags & VSPLIT_MMA_ACCUMULATE)
				memcpy(&sum, to, 4);
			for (uint32_t k = 0; k < p->k; k++)
				sum += a[(uint64_t)i * lda + k] * b[(uint64_t)k * ldb + j];
			memcpy(to, &sum, 4);
		}
	}
}

static void ref_packet(struct ref *ref, uint32_t at)
{
	const uint8_t *packet = ref->cs->stream + at;
	const struct vsplit_packet *head = (const void *)packet;

	switch (head->op) {
	case VSPLIT_OP_NOP:
	case VSPLIT_OP_SPIN:
	case VSPLIT_OP_SIGNAL_FENCE:
	case VSPLIT_OP_WAIT_FENCE:
		break;
	case VSPLIT_OP_STATE:
		ref->state[head->arg] = ((const struct vsplit_packet_state *)packet)->value;
		break;
	case VSPLIT_OP_BIND: {
		uint32_t i = ref->patch_of[(at + offsetof(struct vsplit_packet_bind, address)) / 8];
		const struct drm_vsplit_patch *patch = &ref->cs->patches[i - 1];

		igt_assert(i);
		ref->rows[head->arg].bo = ref->cs->bos[patch->alloc];
		ref->rows[head->arg].offset = patch->alloc_offset;
		break;
	}
	case VSPLIT_OP_FILL: {
		const struct vsplit_packet_fill *p = (const void *)packet;
		uint8_t *to = ref_memory(ref, at + offsetof(struct vsplit_packet_fill, dst), p->length);

		for (uint64_t i = 0; i < p->length; i++)
			to[i] = ref->state[VSPLIT_STATE_FILL] >> i % 4 * 8;
		break;
	}
	case VSPLIT_OP_COPY: {
		const struct vsplit_packet_copy *p = (const void *)packet;

		memmove(ref_memory(ref, at + offsetof(struct vsplit_packet_copy, dst), p->length),
			ref_memory(ref, at + offsetof(struct vsplit_packet_copy, src), p->length),
			p->length);
		break;
	}
	case VSPLIT_OP_COPY_2D:
		ref_copy_2d(ref, at);
		break;
	case VSPLIT_OP_MMA:
		ref_mma(ref, at);
		break;
	case VSPLIT_OP_ATOMIC_ADD:
	case VSPLIT_OP_STORE: {
		const struct vsplit_packet_store *p = (const void *)packet;
		uint8_t *to = ref_memory(ref, at + offsetof(struct vsplit_packet_store, dst), 8);
		uint64_t value = 0;

		if (head->op == VSPLIT_OP_ATOMIC_ADD)
			memcpy(&value, to, 8);
		value += p->value;
		memcpy(to, &value, 8);
		break;
	}
	case VSPLIT_OP_TIMESTAMP: {
		uint8_t *to = ref_memory(ref, at + offsetof(struct vsplit_packet_timestamp, dst), 8);

		/* The time cannot be predicted: accept the value that is there. */
		for (uint32_t i = 0; i < ref->cs->nr_allocs; i++) {
			struct vsplit_bo *bo = ref->cs->bos[i];

			if (bo && to >= bo->shadow && to < bo->shadow + bo->size)
				memcpy(to, bo->map + (to - bo->shadow), 8);
		}
		break;
	}
	default:
		igt_assert(!"an opcode that the reference knows");
	}
}

void vsplit_cs_reference(struct vsplit_cs *cs, uint32_t end)
{
	struct ref ref = { .cs = cs };
	uint32_t at = 0;

	ref.rows = calloc(REF_SLOTS, sizeof(*ref.rows));
	ref.patch_of = calloc(cs->bytes / 8 + 1, sizeof(*ref.patch_of));
	igt_assert(ref.rows && ref.patch_of);
	for (uint32_t i = 0; i < cs->nr_patches; i++)
		ref.patch_of[cs->patches[i].patch_offset / 8] = i + 1;
	if (!end)
		end = cs->bytes;
	while (at < end) {
		const struct vsplit_packet *head = (const void *)(cs->stream + at);

		ref_packet(&ref, at);
		at += head->size;
	}
	free(ref.rows);
	free(ref.patch_of);
}
