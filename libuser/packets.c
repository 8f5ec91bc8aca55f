// SPDX-License-Identifier: MIT
/* Packets and lists. Each call appends exactly the packet that was asked for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packets.h"

_Static_assert(sizeof(struct vsplit_packet_state) == 16, "STATE");
_Static_assert(sizeof(struct vsplit_packet_bind) == 24, "BIND");
_Static_assert(sizeof(struct vsplit_packet_fill) == 32, "FILL");
_Static_assert(sizeof(struct vsplit_packet_copy) == 48, "COPY");
_Static_assert(sizeof(struct vsplit_packet_copy_2d) == 48, "COPY_2D");
_Static_assert(sizeof(struct vsplit_packet_mma) == 72, "MMA");
_Static_assert(sizeof(struct vsplit_packet_store) == 32, "STORE");
_Static_assert(sizeof(struct vsplit_packet_timestamp) == 24, "TIMESTAMP");
_Static_assert(sizeof(struct vsplit_packet_spin) == 8, "SPIN");
_Static_assert(sizeof(struct vsplit_packet_fence) == 16, "SIGNAL_FENCE");
_Static_assert(sizeof(struct vsplit_packet_draw) == 104, "DRAW");

void vsplit__packets_reset(struct vsplit_packets *p)
{
	p->bytes = 0;
	p->nr_allocs = 0;
	p->nr_patches = 0;
	p->error = 0;
}

void vsplit__packets_free(struct vsplit_packets *p)
{
	free(p->stream);
	free(p->allocs);
	free(p->patches);
	*p = (struct vsplit_packets){ 0 };
}

/*
 * Return @array with room for @more elements of @size after the first @count, or NULL on failure.
 */
static void *grow(struct vsplit_packets *p, void *array, uint32_t count, uint32_t *room,
		  size_t more, size_t size)
{
	uint64_t need = *room ? *room : 64;

	if (p->error)
		return NULL;
	if (more > UINT32_MAX - count) {
		vsplit__packets_fail(p, -E2BIG);
		return NULL;
	}
	if (array && count + more <= *room)
		return array;
	while (need < count + more)
		need *= 2;
	need = need > UINT32_MAX ? UINT32_MAX : need;
	array = reallocarray(array, need, size);
	if (array)
		*room = (uint32_t)need;
	else
		vsplit__packets_fail(p, -ENOMEM);
	return array;
}

int vsplit__put_bytes(struct vsplit_packets *p, const void *bytes, size_t size)
{
	uint8_t *stream = grow(p, p->stream, p->bytes, &p->stream_room, size, 1);

	if (!stream)
		return p->error;
	p->stream = stream;
	if (bytes && size)
		memcpy(stream + p->bytes, bytes, size);
	else
		memset(stream + p->bytes, 0, size);
	p->bytes += (uint32_t)size;
	return 0;
}

void *vsplit__put(struct vsplit_packets *p, uint8_t op, size_t size, uint32_t arg)
{
	struct vsplit_packet *head;

	if (vsplit__put_bytes(p, NULL, size))
		return NULL;
	head = (void *)(p->stream + p->bytes - size);
	head->op = op;
	head->size = htole16((uint16_t)size);
	head->arg = htole32(arg);
	return head;
}

int vsplit__put_alloc(struct vsplit_packets *p, uint32_t handle, uint32_t flags)
{
	struct drm_vsplit_alloc *allocs = grow(p, p->allocs, p->nr_allocs, &p->alloc_room, 1,
					       sizeof(*allocs));

	if (!allocs)
		return p->error;
	p->allocs = allocs;
	allocs[p->nr_allocs++] = (struct drm_vsplit_alloc){ .handle = handle, .flags = flags };
	return 0;
}

int vsplit__put_patch(struct vsplit_packets *p, const struct drm_vsplit_patch *patch)
{
	struct drm_vsplit_patch *patches = grow(p, p->patches, p->nr_patches, &p->patch_room, 1,
						sizeof(*patches));

	if (!patches)
		return p->error;
	p->patches = patches;
	patches[p->nr_patches++] = *patch;
	return 0;
}

int vsplit__put_pad(struct vsplit_packets *p, uint32_t to)
{
	if (!p->error && (to % 8 || to < p->bytes))
		return vsplit__packets_fail(p, -EINVAL);
	while (!p->error && p->bytes < to) {
		uint32_t left = to - p->bytes;

		vsplit__put(p, VSPLIT_OP_NOP, left < VSPLIT_PACKET_MAX_BYTES ?
				   left : VSPLIT_PACKET_MAX_BYTES, 0);
	}
	return p->error;
}

int vsplit__put_bind(struct vsplit_packets *p, uint32_t slot, uint32_t alloc, uint32_t offset,
		     uint32_t split)
{
	struct drm_vsplit_patch patch = {
		.alloc = alloc,
		.slot = slot,
		.alloc_offset = offset,
		.patch_offset = p->bytes + offsetof(struct vsplit_packet_bind, address),
		.split_offset = split,
	};

	vsplit__put(p, VSPLIT_OP_BIND, sizeof(struct vsplit_packet_bind), slot);
	return vsplit__put_patch(p, &patch);
}

int vsplit__put_state(struct vsplit_packets *p, uint32_t reg, uint64_t value)
{
	struct vsplit_packet_state *packet = vsplit__put(p, VSPLIT_OP_STATE, sizeof(*packet), reg);

	if (packet)
		packet->value = htole64(value);
	return p->error;
}

int vsplit__put_fill(struct vsplit_packets *p, struct vsplit_operand dst, uint64_t length)
{
	struct vsplit_packet_fill *packet = vsplit__put(p, VSPLIT_OP_FILL, sizeof(*packet), 0);

	if (packet) {
		packet->dst = dst;
		packet->length = htole64(length);
	}
	return p->error;
}

int vsplit__put_copy(struct vsplit_packets *p, struct vsplit_operand dst,
		     struct vsplit_operand src, uint64_t length)
{
	struct vsplit_packet_copy *packet = vsplit__put(p, VSPLIT_OP_COPY, sizeof(*packet), 0);

	if (packet) {
		packet->dst = dst;
		packet->src = src;
		packet->length = htole64(length);
	}
	return p->error;
}

int vsplit__put_copy_2d(struct vsplit_packets *p, struct vsplit_operand dst,
			struct vsplit_operand src, uint32_t width, uint32_t height, uint8_t flags)
{
	struct vsplit_packet_copy_2d *copy = vsplit__put(p, VSPLIT_OP_COPY_2D, sizeof(*copy), 0);

	if (copy) {
		copy->head.flags = flags;
		copy->dst = dst;
		copy->src = src;
		copy->width = htole32(width);
		copy->height = htole32(height);
	}
	return p->error;
}

int vsplit__put_mma(struct vsplit_packets *p, struct vsplit_operand c, struct vsplit_operand a,
		    struct vsplit_operand b, uint32_t m, uint32_t n, uint32_t k, uint8_t flags)
{
	struct vsplit_packet_mma *packet = vsplit__put(p, VSPLIT_OP_MMA, sizeof(*packet), 0);

	if (packet) {
		packet->head.flags = flags;
		packet->c = c;
		packet->a = a;
		packet->b = b;
		packet->m = htole32(m);
		packet->n = htole32(n);
		packet->k = htole32(k);
	}
	return p->error;
}

int vsplit__put_word(struct vsplit_packets *p, uint8_t op, struct vsplit_operand dst,
		     uint64_t value)
{
	size_t size = op == VSPLIT_OP_TIMESTAMP ? sizeof(struct vsplit_packet_timestamp) :
						  sizeof(struct vsplit_packet_store);
	struct vsplit_packet_store *packet = vsplit__put(p, op, size, 0);

	if (packet) {
		packet->dst = dst;
		if (op != VSPLIT_OP_TIMESTAMP)
			packet->value = htole64(value);
	}
	return p->error;
}

int vsplit__put_fence(struct vsplit_packets *p, uint8_t op, uint32_t handle, uint64_t value)
{
	struct vsplit_packet_fence *packet = vsplit__put(p, op, sizeof(*packet), handle);

	if (packet)
		packet->value = htole64(value);
	return p->error;
}
