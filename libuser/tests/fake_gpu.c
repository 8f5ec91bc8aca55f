// SPDX-License-Identifier: MIT
/* The GPU of the fake kernel. */
#include <stdlib.h>
#include <string.h>

#include "fake_gpu.h"

struct fake_bo fake_bos[MAX_OBJECTS];
struct fake_va fake_vas[64];
uint64_t fake_fences[16];
uint8_t *fake_memory;

static uint8_t *reach_virtual(struct fake_gpu *gpu, uint64_t address, uint64_t bytes)
{
	for (int i = 63; i >= 0; i--)
		if (address >= fake_vas[i].address && address - fake_vas[i].address < fake_vas[i].bytes &&
		    bytes <= fake_vas[i].bytes - (address - fake_vas[i].address))
			return fake_memory + fake_vas[i].at + (address - fake_vas[i].address);
	gpu->fault = VSPLIT_FAULT_NOT_MAPPED;
	return NULL;
}

static uint8_t *reach(struct fake_gpu *gpu, const struct vsplit_operand *op, uint64_t bytes,
		      int write)
{
	const struct fake_row *row = &gpu->rows[op->slot];

	if (op->flags & VSPLIT_OPERAND_VIRTUAL)
		return reach_virtual(gpu, op->value, bytes);
	if (op->slot >= fake.info.num_slots || !row->size)
		gpu->fault = VSPLIT_FAULT_EMPTY_ROW;
	else if (op->value > row->size || bytes > row->size - op->value)
		gpu->fault = VSPLIT_FAULT_BOUNDS;
	else if (write && !row->write)
		gpu->fault = VSPLIT_FAULT_WRITE;
	else
		return fake_memory + row->base + op->value;
	return NULL;
}

static uint32_t reg(struct fake_gpu *gpu, uint32_t which)
{
	if (!(gpu->valid & (1u << which)))
		gpu->fault = VSPLIT_FAULT_STATE;
	return gpu->state[which];
}

static void run_bind(struct fake_gpu *gpu, const struct vsplit_packet_bind *bind, uint32_t at)
{
	const struct drm_vsplit_patch *patch = &gpu->patches[gpu->next_patch++];
	struct fake_row *row = &gpu->rows[bind->head.arg];
	uint32_t handle = gpu->allocs[patch->alloc].handle;

	if (patch->patch_offset != at + 8 || patch->slot != bind->head.arg) {
		gpu->fault = VSPLIT_FAULT_BAD_PACKET;
		return;
	}
	if (patch->split_offset != gpu->split && patch->split_offset) {
		fake.splits++;
		gpu->valid = 0;
	}
	gpu->split = patch->split_offset;
	*row = (struct fake_row){ 0 };
	if (handle) {
		row->base = fake_bos[handle].offset + patch->alloc_offset;
		row->size = fake_bos[handle].size - patch->alloc_offset;
		row->write = !!(gpu->allocs[patch->alloc].flags & VSPLIT_ALLOC_WRITE);
	}
}

static void run_mma(struct fake_gpu *gpu, const struct vsplit_packet_mma *p)
{
	uint32_t lda = reg(gpu, VSPLIT_STATE_LDA), ldb = reg(gpu, VSPLIT_STATE_LDB);
	uint32_t ldc = reg(gpu, VSPLIT_STATE_LDC), i, j, k;
	const int8_t *a = (void *)reach(gpu, &p->a, (p->m - 1ull) * lda + p->k, 0);
	const int8_t *b = (void *)reach(gpu, &p->b, (p->k - 1ull) * ldb + p->n, 0);
	uint8_t *c = reach(gpu, &p->c, (p->m - 1ull) * ldc + p->n * 4ull, 1);

	if (gpu->fault)
		return;
	if (lda < p->k || ldb < p->n || ldc < p->n * 4 || ldc % 4 || p->c.value % 4) {
		gpu->fault = VSPLIT_FAULT_BAD_PACKET;
		return;
	}
	for (i = 0; i < p->m; i++) {
		uint32_t *row = (uint32_t *)(c + (uint64_t)i * ldc);

		if (!(p->head.flags & VSPLIT_MMA_ACCUMULATE))
			memset(row, 0, p->n * 4ull);
		for (k = 0; k < p->k; k++) {
			int32_t x = a[(uint64_t)i * lda + k];

			for (j = 0; j < p->n; j++)
				row[j] += (uint32_t)(x * b[(uint64_t)k * ldb + j]);
		}
	}
}

/* Supports linear surfaces only, and checks the bounds of each surface with whole rows. */
static void run_draw(struct fake_gpu *gpu, const struct vsplit_packet_draw *p)
{
	int depth = p->head.flags & (VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE);
	int texture = p->head.flags & VSPLIT_DRAW_TEXTURE;
	uint8_t *to = reach(gpu, &p->target, (uint64_t)p->target_pitch * p->height, 1);
	uint8_t *z = depth ? reach(gpu, &p->depth, (uint64_t)p->depth_pitch * p->height, 1) : NULL;
	uint8_t *from = texture ? reach(gpu, &p->texture,
					(uint64_t)p->texture_pitch * p->texture_height, 0) : NULL;
	uint8_t *vertices = reach(gpu, &p->vertices, 96ull * p->head.arg, 0);

	if (!fake.draw)
		gpu->fault = VSPLIT_FAULT_BAD_PACKET;
	else if (!gpu->fault)
		fake.draw(p, to, z, from, vertices);
}

void fake_raise_fence(uint32_t handle, uint64_t value)
{
	uint64_t *now = (void *)(fake_memory + fake_fences[handle]);

	if (value > *now)
		*now = value;
}

int fake_is_reached(const struct vsplit_packet_fence *wait)
{
	return *(uint64_t *)(fake_memory + fake_fences[wait->head.arg]) >= wait->value;
}

void fake_run_packet(struct fake_gpu *gpu, const void *at, uint32_t offset)
{
	const struct vsplit_packet_fence *fence = at;
	const struct vsplit_packet *head = at;
	const struct vsplit_packet_fill *fill = at;
	const struct vsplit_packet_copy *copy = at;
	const struct vsplit_packet_store *store = at;
	const struct vsplit_packet_state *state = at;
	uint8_t *dst, *src;
	uint64_t i;

	switch (head->op) {
	case VSPLIT_OP_NOP:
	case VSPLIT_OP_SPIN:
		break;
	case VSPLIT_OP_STATE:
		gpu->state[head->arg] = (uint32_t)state->value;
		gpu->valid |= 1u << head->arg;
		break;
	case VSPLIT_OP_BIND:
		run_bind(gpu, at, offset);
		break;
	case VSPLIT_OP_FILL:
		dst = reach(gpu, &fill->dst, fill->length, 1);
		for (i = 0; dst && i < fill->length; i++)
			dst[i] = (uint8_t)(reg(gpu, VSPLIT_STATE_FILL) >> (i % 4 * 8));
		break;
	case VSPLIT_OP_COPY:
		dst = reach(gpu, &copy->dst, copy->length, 1);
		src = reach(gpu, &copy->src, copy->length, 0);
		if (dst && src)
			memmove(dst, src, copy->length);
		break;
	case VSPLIT_OP_STORE:
		dst = reach(gpu, &store->dst, 8, 1);
		if (dst)
			memcpy(dst, &store->value, 8);
		break;
	case VSPLIT_OP_SIGNAL_FENCE:
		fake_raise_fence(head->arg, fence->value);
		break;
	case VSPLIT_OP_WAIT_FENCE:
		break;
	case VSPLIT_OP_MMA:
		run_mma(gpu, at);
		break;
	case VSPLIT_OP_DRAW:
		run_draw(gpu, at);
		break;
	default:
		gpu->fault = VSPLIT_FAULT_BAD_PACKET;
	}
}

uint32_t fake_execute(const struct drm_vsplit_submit *args)
{
	struct fake_gpu gpu = {
		.stream = (void *)(uintptr_t)args->stream,
		.allocs = (void *)(uintptr_t)args->allocs,
		.patches = (void *)(uintptr_t)args->patches,
		.num_patches = args->num_patches,
		.rows = calloc(fake.info.num_slots, sizeof(*gpu.rows)),
	};
	uint32_t at, size;

	for (at = 0; at < args->stream_bytes && !gpu.fault; at += size) {
		const struct vsplit_packet *packet = (void *)(gpu.stream + at);

		size = packet->size;
		if (size < 8 || size % 8 || size > args->stream_bytes - at)
			gpu.fault = VSPLIT_FAULT_BAD_PACKET;
		else
			fake_run_packet(&gpu, packet, at);
	}
	free(gpu.rows);
	fake.faulted = gpu.fault;
	return gpu.fault;
}
