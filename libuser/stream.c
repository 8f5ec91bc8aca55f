// SPDX-License-Identifier: MIT
/*
 * The command-stream builder. Along with the packets it builds the allocation list and the
 * patch-location list with the split points.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "packets.h"

#define SLOT_MAX	0x00ffffffu
#define NO_INDEX	UINT32_MAX

/*
 * @p: the packets and lists, and the sticky error.
 * @index: hash table from handle to index in the allocation list. Free places hold NO_INDEX.
 * @index_size: size of @index: a power of two, more than twice @index_used.
 * @index_used: number of handles in @index.
 * @null_index: index of the NULL element in the allocation list, or NO_INDEX.
 * @in_group: between group_begin and group_end.
 * @group_started: the group has its first packet, at @split.
 * @split: offset of the last split point.
 * @values: values of the registers that are in @known or @valid.
 * @known: registers that were set at least once; a bit by enum vsplit_state_reg each.
 * @valid: registers that were set since the last split point, likewise.
 */
struct vsplit_stream {
	struct vsplit_packets p;
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
};

static int fail(struct vsplit_stream *stream, int error)
{
	return vsplit__packets_fail(&stream->p, error);
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
	vsplit__packets_free(&stream->p);
	free(stream->index);
	free(stream);
}

void vsplit_stream_reset(struct vsplit_stream *stream)
{
	vsplit__packets_reset(&stream->p);
	if (stream->index)
		memset(stream->index, 0xff, stream->index_size * sizeof(*stream->index));
	stream->index_used = 0;
	stream->null_index = NO_INDEX;
	stream->in_group = false;
	stream->group_started = false;
	stream->split = 0;
	stream->known = 0;
	stream->valid = 0;
}

int vsplit_stream_error(const struct vsplit_stream *stream)
{
	return stream->p.error;
}

uint32_t vsplit_stream_offset(const struct vsplit_stream *stream)
{
	return stream->p.bytes;
}

bool vsplit__stream_in_group(const struct vsplit_stream *stream)
{
	return stream->in_group;
}

void *vsplit_stream_data(struct vsplit_stream *stream)
{
	return stream->p.stream;
}

struct drm_vsplit_alloc *vsplit_stream_allocs(struct vsplit_stream *stream, uint32_t *count)
{
	if (count)
		*count = stream->p.nr_allocs;
	return stream->p.allocs;
}

struct drm_vsplit_patch *vsplit_stream_patches(struct vsplit_stream *stream, uint32_t *count)
{
	if (count)
		*count = stream->p.nr_patches;
	return stream->p.patches;
}

/* ---- bytes and packets ------------------------------------------------- */

int vsplit_stream_append(struct vsplit_stream *stream, const void *bytes, size_t size)
{
	return vsplit__put_bytes(&stream->p, bytes, size);
}

int vsplit_stream_state(struct vsplit_stream *stream, uint32_t reg, uint32_t value)
{
	int ret;

	if (reg >= VSPLIT_STATE_COUNT)
		return fail(stream, -EINVAL);
	ret = vsplit__put_state(&stream->p, reg, value);
	if (ret)
		return ret;
	stream->values[reg] = value;
	stream->known |= 1u << reg;
	stream->valid |= 1u << reg;
	return 0;
}

/*
 * Make sure that the register has the value, even if the stream is split at the last split point.
 */
static int need_state(struct vsplit_stream *stream, uint32_t reg, uint32_t value)
{
	if ((stream->valid & (1u << reg)) && stream->values[reg] == value)
		return stream->p.error;
	return vsplit_stream_state(stream, reg, value);
}

int vsplit_stream_restate(struct vsplit_stream *stream)
{
	uint32_t reg, lost = stream->known & ~stream->valid;

	for (reg = 0; reg < VSPLIT_STATE_COUNT; reg++) {
		if (lost & (1u << reg))
			vsplit_stream_state(stream, reg, stream->values[reg]);
	}
	return stream->p.error;
}

int vsplit_stream_fill(struct vsplit_stream *stream, uint32_t slot, uint64_t offset,
		       uint64_t length, uint32_t pattern)
{
	need_state(stream, VSPLIT_STATE_FILL, pattern);
	return vsplit__put_fill(&stream->p, vsplit__slot(slot, offset), length);
}

int vsplit_stream_fill_va(struct vsplit_stream *stream, uint64_t address, uint64_t length,
			  uint32_t pattern)
{
	vsplit_stream_state(stream, VSPLIT_STATE_FILL, pattern);
	return vsplit__put_fill(&stream->p, vsplit__virtual(address), length);
}

int vsplit_stream_copy(struct vsplit_stream *stream, uint32_t dst_slot,
		       uint64_t dst_offset, uint32_t src_slot, uint64_t src_offset,
		       uint64_t length)
{
	return vsplit__put_copy(&stream->p, vsplit__slot(dst_slot, dst_offset),
				vsplit__slot(src_slot, src_offset), length);
}

int vsplit_stream_copy_va(struct vsplit_stream *stream, uint64_t dst, uint64_t src,
			  uint64_t length)
{
	return vsplit__put_copy(&stream->p, vsplit__virtual(dst), vsplit__virtual(src), length);
}

static struct vsplit_operand corner(const struct vsplit_surface *surface)
{
	return vsplit__slot(surface->slot, surface->offset);
}

int vsplit_stream_copy_2d(struct vsplit_stream *stream, const struct vsplit_surface *dst,
			  const struct vsplit_surface *src, uint32_t width,
			  uint32_t height, uint32_t flags)
{
	if (flags > UINT8_MAX)
		return fail(stream, -EINVAL);
	need_state(stream, VSPLIT_STATE_SRC_PITCH, src->pitch);
	need_state(stream, VSPLIT_STATE_DST_PITCH, dst->pitch);
	return vsplit__put_copy_2d(&stream->p, corner(dst), corner(src), width, height,
				   (uint8_t)flags);
}

int vsplit_stream_mma(struct vsplit_stream *stream, const struct vsplit_surface *c,
		      const struct vsplit_surface *a, const struct vsplit_surface *b,
		      uint32_t m, uint32_t n, uint32_t k, uint32_t flags)
{
	if (flags > UINT8_MAX)
		return fail(stream, -EINVAL);
	need_state(stream, VSPLIT_STATE_LDA, a->pitch);
	need_state(stream, VSPLIT_STATE_LDB, b->pitch);
	need_state(stream, VSPLIT_STATE_LDC, c->pitch);
	return vsplit__put_mma(&stream->p, corner(c), corner(a), corner(b), m, n, k,
			       (uint8_t)flags);
}

static int put_draw(struct vsplit_stream *stream, const struct vsplit_draw *draw)
{
	const struct vsplit_image none = { 0 };
	const struct vsplit_surface *depth = draw->depth ? draw->depth : &none.surface;
	const struct vsplit_image *texture = draw->texture ? draw->texture : &none;
	struct vsplit_packet_draw packet = {
		.target = corner(&draw->target.surface),
		.depth = corner(depth),
		.texture = corner(&texture->surface),
		.vertices = vsplit__slot(draw->vertices_slot, draw->vertices_offset),
		.target_pitch = htole32(draw->target.surface.pitch),
		.depth_pitch = htole32(depth->pitch),
		.texture_pitch = htole32(texture->surface.pitch),
		.blend = htole32(draw->blend),
		.width = htole16(draw->target.width),
		.height = htole16(draw->target.height),
		.texture_width = htole16(texture->width),
		.texture_height = htole16(texture->height),
		.left = htole16(draw->left),
		.top = htole16(draw->top),
		.right = htole16(draw->right),
		.bottom = htole16(draw->bottom),
	}, *at;

	if (draw->flags > UINT8_MAX)
		return fail(stream, -EINVAL);
	at = vsplit__put(&stream->p, VSPLIT_OP_DRAW, sizeof(packet), draw->triangles);
	if (at) {
		packet.head = at->head;
		packet.head.flags = (uint8_t)draw->flags;
		*at = packet;
	}
	return stream->p.error;
}

int vsplit_stream_draw_sized(struct vsplit_stream *stream, const struct vsplit_draw *what, size_t size)
{
	struct vsplit_draw draw;
	int ret = what ? vsplit__take(&draw, sizeof(draw), what, size) : -EINVAL;

	return ret ? fail(stream, ret) : put_draw(stream, &draw);
}

int vsplit_stream_store(struct vsplit_stream *stream, uint32_t slot, uint64_t offset,
			uint64_t value)
{
	return vsplit__put_word(&stream->p, VSPLIT_OP_STORE, vsplit__slot(slot, offset), value);
}

int vsplit_stream_atomic_add(struct vsplit_stream *stream, uint32_t slot,
			     uint64_t offset, uint64_t value)
{
	return vsplit__put_word(&stream->p, VSPLIT_OP_ATOMIC_ADD, vsplit__slot(slot, offset),
				value);
}

int vsplit_stream_timestamp(struct vsplit_stream *stream, uint32_t slot, uint64_t offset)
{
	return vsplit__put_word(&stream->p, VSPLIT_OP_TIMESTAMP, vsplit__slot(slot, offset), 0);
}

int vsplit_stream_spin(struct vsplit_stream *stream, uint32_t us)
{
	return vsplit__put_head(&stream->p, VSPLIT_OP_SPIN, us);
}

int vsplit_stream_history(struct vsplit_stream *stream, uint32_t index)
{
	return vsplit__put_head(&stream->p, VSPLIT_OP_HISTORY, index);
}

int vsplit_stream_signal_fence(struct vsplit_stream *stream, const struct vsplit_mfence *fence,
			       uint64_t value)
{
	return vsplit__put_fence(&stream->p, VSPLIT_OP_SIGNAL_FENCE, vsplit_mfence_handle(fence),
				 value);
}

int vsplit_stream_wait_fence(struct vsplit_stream *stream, const struct vsplit_mfence *fence,
			     uint64_t value)
{
	return vsplit__put_fence(&stream->p, VSPLIT_OP_WAIT_FENCE, vsplit_mfence_handle(fence),
				 value);
}

int vsplit_stream_pad_to(struct vsplit_stream *stream, uint32_t offset)
{
	return vsplit__put_pad(&stream->p, offset);
}

/* ---- allocations ------------------------------------------------------- */

static uint32_t *index_find(struct vsplit_stream *stream, uint32_t handle)
{
	const struct drm_vsplit_alloc *allocs = stream->p.allocs;
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
	const struct drm_vsplit_alloc *allocs = stream->p.allocs;
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
	int ret = vsplit__put_alloc(&stream->p, handle, flags);

	if (ret)
		return ret;
	if (index)
		*index = stream->p.nr_allocs - 1;
	return 0;
}

/* Find the handle's element in the allocation list, or add one. */
static int use_alloc(struct vsplit_stream *stream, uint32_t handle, uint32_t flags,
		     uint32_t *index)
{
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
	stream->p.allocs[*place].flags |= flags & VSPLIT_ALLOC_WRITE;
	*index = *place;
	return 0;
}

/* ---- binds and split points -------------------------------------------- */

int vsplit_stream_add_patch(struct vsplit_stream *stream, const struct drm_vsplit_patch *patch)
{
	return vsplit__put_patch(&stream->p, patch);
}

int vsplit_stream_group_begin(struct vsplit_stream *stream)
{
	if (stream->p.error)
		return stream->p.error;
	if (stream->in_group)
		return fail(stream, -EINVAL);
	stream->in_group = true;
	stream->group_started = false;
	return 0;
}

int vsplit_stream_group_end(struct vsplit_stream *stream)
{
	if (stream->p.error)
		return stream->p.error;
	if (!stream->in_group)
		return fail(stream, -EINVAL);
	stream->in_group = false;
	return 0;
}

static int emit_bind(struct vsplit_stream *stream, uint32_t slot, uint32_t alloc,
		     uint64_t offset)
{
	if (!stream->in_group || !stream->group_started) {
		stream->split = stream->p.bytes;
		stream->group_started = true;
		/* If the split is taken here, all registers are lost. */
		stream->valid = 0;
	}
	return vsplit__put_bind(&stream->p, slot, alloc, (uint32_t)offset, stream->split);
}

int vsplit_stream_bind_handle(struct vsplit_stream *stream, uint32_t slot,
			      uint32_t handle, uint64_t offset, uint32_t flags)
{
	uint32_t index;
	int ret;

	if (stream->p.error)
		return stream->p.error;
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

	if (stream->p.error)
		return stream->p.error;
	if (slot > SLOT_MAX)
		return fail(stream, -EINVAL);
	if (stream->null_index == NO_INDEX) {
		ret = vsplit_stream_add_alloc(stream, 0, 0, &stream->null_index);
		if (ret)
			return ret;
	}
	return emit_bind(stream, slot, stream->null_index, 0);
}
