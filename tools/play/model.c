// SPDX-License-Identifier: MIT
/* The parsed scenario: names, sizes of packets, and slots that are written. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

static const char *name_at(const void *list, uint32_t index, size_t size)
{
	return *(char *const *)((const char *)list + (size_t)index * size);
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u;

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 16777619u;
	return hash;
}

/* The place of a name in the table: where the name is, or the free one where it belongs. */
static uint32_t *place_of(const struct name_index *names, const void *list, size_t size,
			  const char *name)
{
	uint32_t at = hash_of(name), *slot;

	for (;; at++) {
		slot = &names->slots[at & (names->size - 1)];
		if (!*slot || !strcmp(name_at(list, *slot - 1, size), name))
			return slot;
	}
}

/* Put the names of the elements into the table that are not there yet. */
static void index_names(struct name_index *names, const void *list, uint32_t count, size_t size)
{
	uint32_t *slot;

	if (count > names->size / 2) {
		free(names->slots);
		names->size = 64;
		while (names->size / 4 < count)
			names->size *= 2;
		names->slots = need_memory(calloc(names->size, sizeof(*names->slots)));
		names->num = 0;
	}
	for (; names->num < count; names->num++) {
		const char *name = name_at(list, names->num, size);

		slot = name ? place_of(names, list, size, name) : NULL;
		if (slot && !*slot)
			*slot = names->num + 1;
	}
}

uint32_t find_name(struct name_index *names, const void *list, uint32_t count, size_t size,
		   const char *wanted)
{
	const char *last;
	uint32_t found;

	if (!count)
		return NO_INDEX;
	index_names(names, list, count - 1, size);
	found = names->num ? *place_of(names, list, size, wanted) : 0;
	if (found)
		return found - 1;
	last = name_at(list, count - 1, size);
	return last && !strcmp(last, wanted) ? count - 1 : NO_INDEX;
}

uint32_t find_device(const struct scenario *s, const char *name)
{
	return find_name(&s->names[NAME_DEVICE], s->devices, s->num_devices, sizeof(*s->devices), name);
}

uint32_t find_context(const struct scenario *s, const char *name)
{
	return find_name(&s->names[NAME_CONTEXT], s->contexts, s->num_contexts, sizeof(*s->contexts), name);
}

const char *const offer_names[NUM_OFFERS] = {
	[0] = "none", [VSPLIT_OFFER_LOW] = "low", [VSPLIT_OFFER_NORMAL] = "normal",
	[VSPLIT_OFFER_HIGH] = "high", [VSPLIT_OFFER_AUTO] = "auto",
};

uint32_t find_alloc(const struct scenario *s, const char *name)
{
	return find_name(&s->names[NAME_ALLOC], s->allocs, s->num_allocs, sizeof(*s->allocs), name);
}

uint32_t find_dma(const struct scenario *s, const char *name)
{
	return find_name(&s->names[NAME_DMA], s->dmas, s->num_dmas, sizeof(*s->dmas), name);
}

uint32_t find_head(const struct scenario *s, const char *name)
{
	return find_name(&s->names[NAME_HEAD], s->heads, s->num_heads, sizeof(*s->heads), name);
}

uint32_t find_request(const struct scenario *s, const char *name)
{
	return find_name(&s->names[NAME_REQUEST], s->requests, s->num_requests, sizeof(*s->requests), name);
}

uint32_t find_fence(const struct scenario *s, const char *name)
{
	return find_name(&s->names[NAME_FENCE], s->fences, s->num_fences, sizeof(*s->fences), name);
}

uint32_t find_segment(const struct scenario *s, const char *name)
{
	uint32_t i;

	for (i = 0; i < s->adapter.num_segments; i++) {
		if (!strcmp(s->adapter.segments[i].name, name))
			return i;
	}
	return NO_INDEX;
}

struct scenario *scenario_new(void)
{
	struct scenario *s = need_memory(calloc(1, sizeof(*s)));

	s->names = need_memory(calloc(NUM_NAMES, sizeof(*s->names)));
	return s;
}

void scenario_free(struct scenario *s)
{
	uint32_t i, j;

	if (!s)
		return;
	for (i = 0; i < NUM_NAMES; i++)
		free(s->names[i].slots);
	free(s->names);
	for (i = 0; i < s->adapter.num_segments; i++)
		free(s->adapter.segments[i].name);
	for (i = 0; i < s->adapter.num_options; i++)
		free(s->adapter.options[i]);
	free(s->adapter.options);
	for (i = 0; i < s->num_devices; i++)
		free(s->devices[i].name);
	for (i = 0; i < s->num_contexts; i++)
		free(s->contexts[i].name);
	for (i = 0; i < s->num_allocs; i++) {
		free(s->allocs[i].name);
		for (j = 0; j < s->allocs[i].num_segments; j++)
			free(s->allocs[i].segments[j]);
		for (j = 0; j < s->allocs[i].num_evict_to; j++)
			free(s->allocs[i].evict_to[j]);
	}
	for (i = 0; i < s->num_dmas; i++) {
		free(s->dmas[i].name);
		free(s->dmas[i].ops);
	}
	for (i = 0; i < s->num_heads; i++)
		free(s->heads[i].name);
	for (i = 0; i < s->num_requests; i++) {
		free(s->requests[i].name);
		free(s->requests[i].allocs);
	}
	for (i = 0; i < s->num_fences; i++)
		free(s->fences[i].name);
	for (i = 0; i < s->num_stmts; i++) {
		free(s->stmts[i].after);
		for (j = 0; j < s->stmts[i].num_checks; j++) {
			free(s->stmts[i].checks[j].text);
			free(s->stmts[i].checks[j].name);
		}
	}
	free(s->devices);
	free(s->contexts);
	free(s->allocs);
	free(s->dmas);
	free(s->heads);
	free(s->requests);
	free(s->fences);
	free(s->stmts);
	free(s->path);
	free(s->title);
	free(s);
}

uint64_t op_bytes(const struct op *op, uint64_t from)
{
	switch (op->type) {
	case OP_BIND:
	case OP_UNBIND:
		return sizeof(struct vsplit_packet_bind);
	case OP_FILL:
		/* Every fill sets the register, so that offsets are easy to predict. */
		return sizeof(struct vsplit_packet_state) + sizeof(struct vsplit_packet_fill);
	case OP_COPY:
		return sizeof(struct vsplit_packet_copy);
	case OP_FILL_AT:
		return sizeof(struct vsplit_packet_state) + sizeof(struct vsplit_packet_fill);
	case OP_COPY_AT:
		return sizeof(struct vsplit_packet_copy);
	case OP_PRIMARY:
		return 0;
	case OP_SIGNAL:
	case OP_WAIT_FENCE:
		return sizeof(struct vsplit_packet_fence);
	case OP_SWIZZLE:
	case OP_UNSWIZZLE:
		/* Each command sets both pitches. */
		return 2 * sizeof(struct vsplit_packet_state) + sizeof(struct vsplit_packet_copy_2d);
	case OP_SPIN:
		return sizeof(struct vsplit_packet_spin);
	case OP_PAD:
		return op->value - from;
	}
	return 0;
}

/* The op that bound @slot, which is one of the slots of @op; or NO_INDEX. */
static uint32_t binder_of(const struct dma_def *dma, uint32_t op, uint32_t slot)
{
	const struct op *o = &dma->ops[op];

	return o->slot == slot ? o->bound : o->bound_src;
}

bool bind_writes(const struct dma_def *dma, uint32_t op)
{
	uint32_t slot = dma->ops[op].slot, i;

	for (i = op + 1; i < dma->num_ops; i++) {
		const struct op *o = &dma->ops[i];

		if (o->slot != slot)
			continue;
		if (o->type == OP_BIND || o->type == OP_UNBIND)
			return false;
		if (o->type == OP_FILL || o->type == OP_COPY || o->type == OP_SWIZZLE ||
		    o->type == OP_UNSWIZZLE)
			return true;
	}
	return false;
}

static uint64_t bound_size(const struct scenario *s, const struct dma_def *dma, uint32_t op,
			   uint32_t slot)
{
	uint32_t binder = binder_of(dma, op, slot);

	/* Nothing is bound there, so any length will fault. */
	return binder == NO_INDEX ? 8 : s->allocs[dma->ops[binder].alloc].size;
}

bool same_adapter(const struct scenario *s, uint32_t a, uint32_t b)
{
	return a == b || (!s->devices[a].own && !s->devices[b].own);
}

const struct alloc_def *slot_alloc(const struct scenario *s, const struct dma_def *dma,
				   uint32_t op, uint32_t slot)
{
	uint32_t binder = binder_of(dma, op, slot);

	return binder == NO_INDEX ? NULL : &s->allocs[dma->ops[binder].alloc];
}

uint32_t op_pitch(const struct scenario *s, const struct dma_def *dma, uint32_t op)
{
	const struct op *o = &dma->ops[op];
	bool to_tiles = o->type == OP_SWIZZLE;
	const struct alloc_def *tiles = slot_alloc(s, dma, op, to_tiles ? o->slot : o->src);
	const struct alloc_def *rows = slot_alloc(s, dma, op, to_tiles ? o->src : o->slot);

	if (tiles && tiles->pitch)
		return (uint32_t)tiles->pitch;
	return rows && rows->pitch ? (uint32_t)rows->pitch : VSPLIT_TILE_WIDTH;
}

uint32_t op_rows(const struct scenario *s, const struct dma_def *dma, uint32_t op)
{
	const struct op *o = &dma->ops[op];
	const struct alloc_def *dst = slot_alloc(s, dma, op, o->slot);
	const struct alloc_def *src = slot_alloc(s, dma, op, o->src);
	uint64_t size;

	if (!dst || !src)
		return 0;
	size = dst->size < src->size ? dst->size : src->size;
	return (uint32_t)(size / op_pitch(s, dma, op));
}

uint64_t op_default_length(const struct scenario *s, const struct dma_def *dma, uint32_t op)
{
	const struct op *o = &dma->ops[op];
	uint64_t dst = bound_size(s, dma, op, o->slot), src;

	if (o->type != OP_COPY)
		return dst;
	src = bound_size(s, dma, op, o->src);
	return src < dst ? src : dst;
}
