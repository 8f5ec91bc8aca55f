// SPDX-License-Identifier: MIT
/*
 * The command-stream builder: packets, and beside them the allocation list and
 * the patch-location list with their split points.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define SLOT_MAX	0x00ffffffu
#define NO_INDEX	UINT32_MAX

/* A growing array of elements of one size. */
struct array {
	void *data;
	size_t count;
	size_t room;
};

/*
 * @bytes: the packets.
 * @allocs: struct drm_vsplit_alloc.
 * @patches: struct drm_vsplit_patch.
 * @index: hash table from handle to index in @allocs; @index_size is a power of
 *	two and more than twice the handles in it; free places hold NO_INDEX.
 * @index_used: handles in it.
 * @null_index: of the NULL element, or NO_INDEX.
 * @in_group: between group_begin and group_end.
 * @group_started: the group has its first packet, at @split.
 * @split: offset of the last split point.
 * @values: of the registers, as far as @known (set once) and @valid (set since
 *	the last split point) say; bits by enum vsplit_state_reg.
 * @error: sticky.
 */
struct vsplit_stream {
	struct array bytes;
	struct array allocs;
	struct array patches;
	uint32_t *index;
	size_t index_size;
	size_t index_used;
	uint32_t null_index;
	bool in_group;
	bool group_started;
	uint32_t split;
	uint32_t values[VSPLIT_STATE_COUNT];
	uint32_t known;
	uint32_t valid;
	int error;
};

_Static_assert(sizeof(struct vsplit_packet_state) == 16, "STATE");
_Static_assert(sizeof(struct vsplit_packet_bind) == 24, "BIND");
_Static_assert(sizeof(struct vsplit_packet_fill) == 32, "FILL");
_Static_assert(sizeof(struct vsplit_packet_copy) == 48, "COPY");
_Static_assert(sizeof(struct vsplit_packet_copy_2d) == 48, "COPY_2D");
_Static_assert(sizeof(struct vsplit_packet_mma) == 72, "MMA");
_Static_assert(sizeof(struct vsplit_packet_store) == 32, "STORE");
_Static_assert(sizeof(struct vsplit_packet_timestamp) == 24, "TIMESTAMP");
_Static_assert(sizeof(struct vsplit_packet_spin) == 8, "SPIN");
_Static_assert(sizeof(struct vsplit_packet_draw) == 104, "DRAW");

static int fail(struct vsplit_stream *stream, int error)
{
	if (!stream->error)
		stream->error = error;
	return stream->error;
}

/* Room for @more elements of @size; their first, or NULL. */
static void *array_grow(struct array *array, size_t more, size_t size)
{
	size_t need, room;
	void *data;

	if (__builtin_add_overflow(array->count, more, &need))
		return NULL;
	if (need > array->room) {
		room = array->room ? array->room : 64;
		while (room < need) {
			if (__builtin_mul_overflow(room, (size_t)2, &room))
				return NULL;
		}
		data = reallocarray(array->data, room, size);
		if (!data)
			return NULL;
		array->data = data;
		array->room = room;
	}
	data = (char *)array->data + array->count * size;
	array->count = need;
	return data;
}

int vsplit_stream_create(struct vsplit_stream **out)
{
	struct vsplit_stream *stream;

	if (!out)
		return -EINVAL;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return -ENOMEM;
	stream->null_index = NO_INDEX;
	*out = stream;
	return 0;
}

void vsplit_stream_destroy(struct vsplit_stream *stream)
{
	if (!stream)
		return;
	free(stream->bytes.data);
	free(stream->allocs.data);
	free(stream->patches.data);
	free(stream->index);
	free(stream);
}

void vsplit_stream_reset(struct vsplit_stream *stream)
{
	stream->bytes.count = 0;
	stream->allocs.count = 0;
	stream->patches.count = 0;
	if (stream->index)
		memset(stream->index, 0xff, stream->index_size * sizeof(*stream->index));
	stream->index_used = 0;
	stream->null_index = NO_INDEX;
	stream->in_group = false;
	stream->group_started = false;
	stream->split = 0;
	stream->known = 0;
	stream->valid = 0;
	stream->error = 0;
}

int vsplit_stream_error(const struct vsplit_stream *stream)
{
	return stream->error;
}

uint32_t vsplit_stream_offset(const struct vsplit_stream *stream)
{
	return (uint32_t)stream->bytes.count;
}

bool vsplit__stream_in_group(const struct vsplit_stream *stream)
{
	return stream->in_group;
}

void *vsplit_stream_data(struct vsplit_stream *stream)
{
	return stream->bytes.data;
}

struct drm_vsplit_alloc *vsplit_stream_allocs(struct vsplit_stream *stream, uint32_t *count)
{
	if (count)
		*count = (uint32_t)stream->allocs.count;
	return stream->allocs.data;
}

struct drm_vsplit_patch *vsplit_stream_patches(struct vsplit_stream *stream, uint32_t *count)
{
	if (count)
		*count = (uint32_t)stream->patches.count;
	return stream->patches.data;
}

/* ---- bytes and packets ------------------------------------------------- */

int vsplit_stream_append(struct vsplit_stream *stream, const void *bytes, size_t size)
{
	void *at;

	if (stream->error)
		return stream->error;
	if (size > UINT32_MAX - stream->bytes.count)
		return fail(stream, -E2BIG);
	at = array_grow(&stream->bytes, size, 1);
	if (!at)
		return fail(stream, -ENOMEM);
	if (size)
		memcpy(at, bytes, size);
	return 0;
}

static struct vsplit_packet head(uint8_t op, uint8_t flags, size_t size, uint32_t arg)
{
	return (struct vsplit_packet){
		.op = op,
		.flags = flags,
		.size = htole16((uint16_t)size),
		.arg = htole32(arg),
	};
}

static struct vsplit_operand operand(uint32_t slot, uint64_t offset)
{
	return (struct vsplit_operand){
		.slot = htole32(slot),
		.value = htole64(offset),
	};
}

int vsplit_stream_state(struct vsplit_stream *stream, uint32_t reg, uint32_t value)
{
	struct vsplit_packet_state packet = {
		.head = head(VSPLIT_OP_STATE, 0, sizeof(packet), reg),
		.value = htole64(value),
	};
	int ret;

	if (reg >= VSPLIT_STATE_COUNT)
		return fail(stream, -EINVAL);
	ret = vsplit_stream_append(stream, &packet, sizeof(packet));
	if (ret)
		return ret;
	stream->values[reg] = value;
	stream->known |= 1u << reg;
	stream->valid |= 1u << reg;
	return 0;
}

/* Let the register hold the value, whatever split is taken before. */
static int need_state(struct vsplit_stream *stream, uint32_t reg, uint32_t value)
{
	if ((stream->valid & (1u << reg)) && stream->values[reg] == value)
		return stream->error;
	return vsplit_stream_state(stream, reg, value);
}

int vsplit_stream_restate(struct vsplit_stream *stream)
{
	uint32_t reg, lost = stream->known & ~stream->valid;

	for (reg = 0; reg < VSPLIT_STATE_COUNT; reg++) {
		if (lost & (1u << reg))
			vsplit_stream_state(stream, reg, stream->values[reg]);
	}
	return stream->error;
}

int vsplit_stream_fill(struct vsplit_stream *stream, uint32_t slot, uint64_t offset,
		       uint64_t length, uint32_t pattern)
{
	struct vsplit_packet_fill packet = {
		.head = head(VSPLIT_OP_FILL, 0, sizeof(packet), 0),
		.dst = operand(slot, offset),
		.length = htole64(length),
	};

	need_state(stream, VSPLIT_STATE_FILL, pattern);
	return vsplit_stream_append(stream, &packet, sizeof(packet));
}

int vsplit_stream_copy(struct vsplit_stream *stream, uint32_t dst_slot,
		       uint64_t dst_offset, uint32_t src_slot, uint64_t src_offset,
		       uint64_t length)
{
	struct vsplit_packet_copy packet = {
		.head = head(VSPLIT_OP_COPY, 0, sizeof(packet), 0),
		.dst = operand(dst_slot, dst_offset),
		.src = operand(src_slot, src_offset),
		.length = htole64(length),
	};

	return vsplit_stream_append(stream, &packet, sizeof(packet));
}

int vsplit_stream_copy_2d(struct vsplit_stream *stream, const struct vsplit_surface *dst,
			  const struct vsplit_surface *src, uint32_t width,
			  uint32_t height, uint32_t flags)
{
	struct vsplit_packet_copy_2d packet = {
		.head = head(VSPLIT_OP_COPY_2D, (uint8_t)flags, sizeof(packet), 0),
		.dst = operand(dst->slot, dst->offset),
		.src = operand(src->slot, src->offset),
		.width = htole32(width),
		.height = htole32(height),
	};

	if (flags > UINT8_MAX)
		return fail(stream, -EINVAL);
	need_state(stream, VSPLIT_STATE_SRC_PITCH, src->pitch);
	need_state(stream, VSPLIT_STATE_DST_PITCH, dst->pitch);
	return vsplit_stream_append(stream, &packet, sizeof(packet));
}

int vsplit_stream_mma(struct vsplit_stream *stream, const struct vsplit_surface *c,
		      const struct vsplit_surface *a, const struct vsplit_surface *b,
		      uint32_t m, uint32_t n, uint32_t k, uint32_t flags)
{
	struct vsplit_packet_mma packet = {
		.head = head(VSPLIT_OP_MMA, (uint8_t)flags, sizeof(packet), 0),
		.c = operand(c->slot, c->offset),
		.a = operand(a->slot, a->offset),
		.b = operand(b->slot, b->offset),
		.m = htole32(m),
		.n = htole32(n),
		.k = htole32(k),
	};

	if (flags > UINT8_MAX)
		return fail(stream, -EINVAL);
	need_state(stream, VSPLIT_STATE_LDA, a->pitch);
	need_state(stream, VSPLIT_STATE_LDB, b->pitch);
	need_state(stream, VSPLIT_STATE_LDC, c->pitch);
	return vsplit_stream_append(stream, &packet, sizeof(packet));
}

static int put_draw(struct vsplit_stream *stream, const struct vsplit_draw *draw)
{
	const struct vsplit_surface none = { 0 };
	const struct vsplit_surface *depth = draw->depth ? draw->depth : &none;
	const struct vsplit_image *texture = draw->texture;
	struct vsplit_packet_draw packet = {
		.head = head(VSPLIT_OP_DRAW, (uint8_t)draw->flags, sizeof(packet), draw->triangles),
		.target = operand(draw->target.surface.slot, draw->target.surface.offset),
		.depth = operand(depth->slot, depth->offset),
		.texture = operand(texture ? texture->surface.slot : 0,
				   texture ? texture->surface.offset : 0),
		.vertices = operand(draw->vertices_slot, draw->vertices_offset),
		.target_pitch = htole32(draw->target.surface.pitch),
		.depth_pitch = htole32(depth->pitch),
		.texture_pitch = htole32(texture ? texture->surface.pitch : 0),
		.blend = htole32(draw->blend),
		.width = htole16(draw->target.width),
		.height = htole16(draw->target.height),
		.texture_width = htole16(texture ? texture->width : 0),
		.texture_height = htole16(texture ? texture->height : 0),
		.left = htole16(draw->left),
		.top = htole16(draw->top),
		.right = htole16(draw->right),
		.bottom = htole16(draw->bottom),
	};

	if (draw->flags > UINT8_MAX)
		return fail(stream, -EINVAL);
	return vsplit_stream_append(stream, &packet, sizeof(packet));
}

int vsplit_stream_draw_sized(struct vsplit_stream *stream, const struct vsplit_draw *what, size_t size)
{
	struct vsplit_draw draw;
	int ret = what ? vsplit__take(&draw, sizeof(draw), what, size) : -EINVAL;

	return ret ? fail(stream, ret) : put_draw(stream, &draw);
}

static int emit_store(struct vsplit_stream *stream, uint8_t op, uint32_t slot,
		      uint64_t offset, uint64_t value)
{
	struct vsplit_packet_store packet = {
		.head = head(op, 0, sizeof(packet), 0),
		.dst = operand(slot, offset),
		.value = htole64(value),
	};

	return vsplit_stream_append(stream, &packet, sizeof(packet));
}

int vsplit_stream_store(struct vsplit_stream *stream, uint32_t slot, uint64_t offset,
			uint64_t value)
{
	return emit_store(stream, VSPLIT_OP_STORE, slot, offset, value);
}

int vsplit_stream_atomic_add(struct vsplit_stream *stream, uint32_t slot,
			     uint64_t offset, uint64_t value)
{
	return emit_store(stream, VSPLIT_OP_ATOMIC_ADD, slot, offset, value);
}

int vsplit_stream_timestamp(struct vsplit_stream *stream, uint32_t slot, uint64_t offset)
{
	struct vsplit_packet_timestamp packet = {
		.head = head(VSPLIT_OP_TIMESTAMP, 0, sizeof(packet), 0),
		.dst = operand(slot, offset),
	};

	return vsplit_stream_append(stream, &packet, sizeof(packet));
}

int vsplit_stream_spin(struct vsplit_stream *stream, uint32_t us)
{
	struct vsplit_packet_spin packet = {
		.head = head(VSPLIT_OP_SPIN, 0, sizeof(packet), us),
	};

	return vsplit_stream_append(stream, &packet, sizeof(packet));
}

int vsplit_stream_history(struct vsplit_stream *stream, uint32_t index)
{
	struct vsplit_packet packet = head(VSPLIT_OP_HISTORY, 0, sizeof(packet), index);

	return vsplit_stream_append(stream, &packet, sizeof(packet));
}

int vsplit_stream_pad_to(struct vsplit_stream *stream, uint32_t offset)
{
	size_t left;

	if (stream->error)
		return stream->error;
	if (offset % 8 || offset < stream->bytes.count)
		return fail(stream, -EINVAL);
	for (left = offset - stream->bytes.count; left;) {
		size_t size = left < VSPLIT_PACKET_MAX_BYTES ? left : VSPLIT_PACKET_MAX_BYTES;
		struct vsplit_packet *packet;

		packet = array_grow(&stream->bytes, size, 1);
		if (!packet)
			return fail(stream, -ENOMEM);
		memset(packet, 0, size);
		*packet = head(VSPLIT_OP_NOP, 0, size, 0);
		left -= size;
	}
	return 0;
}

/* ---- allocations ------------------------------------------------------- */

static uint32_t *index_find(struct vsplit_stream *stream, uint32_t handle)
{
	const struct drm_vsplit_alloc *allocs = stream->allocs.data;
	size_t mask = stream->index_size - 1;
	size_t at = (handle * 2654435761u) & mask;

	while (stream->index[at] != NO_INDEX && allocs[stream->index[at]].handle != handle)
		at = (at + 1) & mask;
	return &stream->index[at];
}

static int index_grow(struct vsplit_stream *stream)
{
	size_t i, old_size = stream->index_size;
	size_t size = old_size ? old_size * 2 : 64;
	const struct drm_vsplit_alloc *allocs = stream->allocs.data;
	uint32_t *old = stream->index;

	stream->index = malloc(size * sizeof(*stream->index));
	if (!stream->index) {
		stream->index = old;
		return -ENOMEM;
	}
	stream->index_size = size;
	memset(stream->index, 0xff, size * sizeof(*stream->index));
	for (i = 0; i < old_size; i++) {
		if (old[i] != NO_INDEX)
			*index_find(stream, allocs[old[i]].handle) = old[i];
	}
	free(old);
	return 0;
}

int vsplit_stream_add_alloc(struct vsplit_stream *stream, uint32_t handle,
			    uint32_t flags, uint32_t *index)
{
	struct drm_vsplit_alloc *alloc;

	if (stream->error)
		return stream->error;
	if (stream->allocs.count >= NO_INDEX)
		return fail(stream, -E2BIG);
	alloc = array_grow(&stream->allocs, 1, sizeof(*alloc));
	if (!alloc)
		return fail(stream, -ENOMEM);
	*alloc = (struct drm_vsplit_alloc){ .handle = handle, .flags = flags };
	if (index)
		*index = (uint32_t)(stream->allocs.count - 1);
	return 0;
}

/* The list's element of the handle, made if there is none. */
static int use_alloc(struct vsplit_stream *stream, uint32_t handle, uint32_t flags,
		     uint32_t *index)
{
	struct drm_vsplit_alloc *allocs;
	uint32_t *place;
	int ret;

	if (2 * (stream->index_used + 1) > stream->index_size && index_grow(stream))
		return fail(stream, -ENOMEM);
	place = index_find(stream, handle);
	if (*place == NO_INDEX) {
		ret = vsplit_stream_add_alloc(stream, handle, flags, index);
		if (ret)
			return ret;
		*place = *index;
		stream->index_used++;
		return 0;
	}
	allocs = stream->allocs.data;
	allocs[*place].flags |= flags & VSPLIT_ALLOC_WRITE;
	*index = *place;
	return 0;
}

/* ---- binds and split points -------------------------------------------- */

int vsplit_stream_add_patch(struct vsplit_stream *stream, const struct drm_vsplit_patch *patch)
{
	struct drm_vsplit_patch *at;

	if (stream->error)
		return stream->error;
	if (stream->patches.count >= NO_INDEX)
		return fail(stream, -E2BIG);
	at = array_grow(&stream->patches, 1, sizeof(*at));
	if (!at)
		return fail(stream, -ENOMEM);
	*at = *patch;
	return 0;
}

int vsplit_stream_group_begin(struct vsplit_stream *stream)
{
	if (stream->error)
		return stream->error;
	if (stream->in_group)
		return fail(stream, -EINVAL);
	stream->in_group = true;
	stream->group_started = false;
	return 0;
}

int vsplit_stream_group_end(struct vsplit_stream *stream)
{
	if (stream->error)
		return stream->error;
	if (!stream->in_group)
		return fail(stream, -EINVAL);
	stream->in_group = false;
	return 0;
}

static int emit_bind(struct vsplit_stream *stream, uint32_t slot, uint32_t alloc,
		     uint64_t offset)
{
	struct vsplit_packet_bind packet = {
		.head = head(VSPLIT_OP_BIND, 0, sizeof(packet), slot),
	};
	struct drm_vsplit_patch patch = {
		.alloc = alloc,
		.slot = slot,
		.alloc_offset = (uint32_t)offset,
	};
	uint32_t at = vsplit_stream_offset(stream);
	int ret;

	ret = vsplit_stream_append(stream, &packet, sizeof(packet));
	if (ret)
		return ret;
	if (!stream->in_group || !stream->group_started) {
		stream->split = at;
		stream->group_started = true;
		/* Whatever was set may be lost here. */
		stream->valid = 0;
	}
	patch.patch_offset = at + offsetof(struct vsplit_packet_bind, address);
	patch.split_offset = stream->split;
	return vsplit_stream_add_patch(stream, &patch);
}

int vsplit_stream_bind_handle(struct vsplit_stream *stream, uint32_t slot,
			      uint32_t handle, uint64_t offset, uint32_t flags)
{
	uint32_t index;
	int ret;

	if (stream->error)
		return stream->error;
	if (slot > SLOT_MAX || offset > UINT32_MAX || !handle ||
	    (flags & ~VSPLIT_ALLOC_FLAGS))
		return fail(stream, -EINVAL);
	ret = use_alloc(stream, handle, flags, &index);
	return ret ? ret : emit_bind(stream, slot, index, offset);
}

int vsplit_stream_bind(struct vsplit_stream *stream, uint32_t slot,
		       const struct vsplit_bo *bo, uint64_t offset, uint32_t flags)
{
	return vsplit_stream_bind_handle(stream, slot, bo->handle, offset, flags);
}

int vsplit_stream_unbind(struct vsplit_stream *stream, uint32_t slot)
{
	int ret;

	if (stream->error)
		return stream->error;
	if (slot > SLOT_MAX)
		return fail(stream, -EINVAL);
	if (stream->null_index == NO_INDEX) {
		ret = vsplit_stream_add_alloc(stream, 0, 0, &stream->null_index);
		if (ret)
			return ret;
	}
	return emit_bind(stream, slot, stream->null_index, 0);
}
