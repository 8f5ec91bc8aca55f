// SPDX-License-Identifier: MIT
/* The parsed scenario: names, sizes of packets, and slots that are written. */
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* @list: array of structures that begin with their name. */
static uint32_t find_name(const void *list, uint32_t count, size_t size, const char *wanted)
{
	const char *element = list;
	uint32_t i;

	for (i = 0; i < count; i++, element += size) {
		const char *name = *(char *const *)element;

		if (name && !strcmp(name, wanted))
			return i;
	}
	return NO_INDEX;
}

uint32_t find_device(const struct scenario *s, const char *name)
{
	return find_name(s->devices, s->num_devices, sizeof(*s->devices), name);
}

uint32_t find_context(const struct scenario *s, const char *name)
{
	return find_name(s->contexts, s->num_contexts, sizeof(*s->contexts), name);
}

const char *const offer_names[NUM_OFFERS] = {
	[0] = "none", [VSPLIT_OFFER_LOW] = "low", [VSPLIT_OFFER_NORMAL] = "normal",
	[VSPLIT_OFFER_HIGH] = "high", [VSPLIT_OFFER_AUTO] = "auto",
};

uint32_t find_alloc(const struct scenario *s, const char *name)
{
	return find_name(s->allocs, s->num_allocs, sizeof(*s->allocs), name);
}

uint32_t find_dma(const struct scenario *s, const char *name)
{
	return find_name(s->dmas, s->num_dmas, sizeof(*s->dmas), name);
}

uint32_t find_head(const struct scenario *s, const char *name)
{
	return find_name(s->heads, s->num_heads, sizeof(*s->heads), name);
}

uint32_t find_request(const struct scenario *s, const char *name)
{
	return find_name(s->requests, s->num_requests, sizeof(*s->requests), name);
}

uint32_t find_fence(const struct scenario *s, const char *name)
{
	return find_name(s->fences, s->num_fences, sizeof(*s->fences), name);
}

uint32_t find_segment(const struct scenario *s, const char *name)
{
	return find_name(s->adapter.segments, s->adapter.num_segments, sizeof(*s->adapter.segments), name);
}

void scenario_free(struct scenario *s)
{
	uint32_t i, j;

	if (!s)
		return;
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

/* The last op before @op that binds or unbinds @slot, or NO_INDEX. */
static uint32_t binder_of(const struct dma_def *dma, uint32_t op, uint32_t slot)
{
	while (op--) {
		const struct op *o = &dma->ops[op];

		if (o->slot != slot)
			continue;
		if (o->type == OP_UNBIND)
			return NO_INDEX;
		if (o->type == OP_BIND)
			return op;
	}
	return NO_INDEX;
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
