// SPDX-License-Identifier: MIT
/*
 * Command streams with their lists, from a seed. A clean step makes what the driver
 * accepts and the GPU executes: commands stay inside what their slots hold. Any other
 * strays here and there, and in the end some bytes are changed.
 */
#include "igt.h"
#include "igt_vsplit_fuzz.h"

#define SLOTS 8

/* A stream in the making. */
struct gen {
	struct vsplit_fuzz_client *c;
	struct vsplit_fuzz_arrays *a;
	struct vsplit_rng *rng;
	unsigned int slots;
	/* by position in the client's allocations: index in the list plus one */
	uint32_t index[VSPLIT_FUZZ_THINGS];
	uint32_t null_index;
	uint32_t split;
	/* what slots hold now: bytes, from where on of which element, and may it be written? */
	uint64_t size[SLOTS];
	uint32_t base[SLOTS];
	uint32_t alloc[SLOTS];
	bool writable[SLOTS];
};

static bool room(const struct gen *g, uint32_t bytes)
{
	return g->a->bytes + bytes <= VSPLIT_FUZZ_STREAM && g->a->nr_patches + 2 < VSPLIT_FUZZ_ARRAY;
}

static void *packet(struct gen *g, uint32_t op, uint32_t size, uint32_t arg)
{
	struct vsplit_packet *head = (void *)(g->a->stream + g->a->bytes);

	memset(head, 0, size);
	head->op = op;
	head->size = size;
	head->arg = arg;
	g->a->bytes += size;
	return head;
}

static void state(struct gen *g, uint32_t reg, uint64_t value)
{
	struct vsplit_packet_state *p = packet(g, VSPLIT_OP_STATE, sizeof(*p), reg);

	p->value = vsplit_fuzz_odd(g->rng) ? vsplit_fuzz_wild(g->rng) & 0xffffffff : value;
}

static void patch(struct gen *g, uint32_t alloc, uint32_t slot, uint32_t alloc_offset,
		  uint32_t patch_offset)
{
	g->a->patches[g->a->nr_patches++] = (struct drm_vsplit_patch) {
		.alloc = alloc,
		.slot = slot,
		.driver_id = vsplit_rng_next(g->rng),
		.alloc_offset = alloc_offset,
		.split_offset = g->split,
		.patch_offset = patch_offset,
	};
}

/* The element of the list for an allocation; ~0: the list is full. */
static uint32_t element(struct gen *g, unsigned int n)
{
	struct vsplit_fuzz_arrays *a = g->a;
	uint32_t id = g->c->bos.id[n];

	if (g->index[n])
		return g->index[n] - 1;
	if (a->nr_allocs == VSPLIT_FUZZ_ARRAY)
		return ~0u;
	for (unsigned int i = 0; i < a->nr_allocs; i++)
		if (a->allocs[i].handle == id)
			return ~0u;
	a->allocs[a->nr_allocs] = (struct drm_vsplit_alloc) {
		.handle = vsplit_fuzz_odd(g->rng) ? vsplit_fuzz_one(&g->c->bos, g->rng, NULL) : id,
		.flags = vsplit_rng_below(g->rng, 8) ? VSPLIT_ALLOC_WRITE :
			 vsplit_rng_below(g->rng, 4),
	};
	g->index[n] = ++a->nr_allocs;
	return a->nr_allocs - 1;
}

static uint32_t null_element(struct gen *g)
{
	if (!g->null_index) {
		if (g->a->nr_allocs == VSPLIT_FUZZ_ARRAY)
			return ~0u;
		g->a->nr_allocs++;
		g->null_index = g->a->nr_allocs;
	}
	return g->null_index - 1;
}

static void bind(struct gen *g, uint32_t slot)
{
	unsigned int n = vsplit_rng_below(g->rng, g->c->bos.nr);
	bool unbind = vsplit_fuzz_dice(g->rng, 12);
	uint32_t alloc = unbind ? null_element(g) : element(g, n);
	uint64_t size = unbind ? 0 : g->c->bos.size[n];
	struct vsplit_packet_bind *p;
	uint32_t offset = 0;

	if (alloc == ~0u || !room(g, sizeof(*p)))
		return;
	if (vsplit_fuzz_odd(g->rng))
		offset = vsplit_fuzz_wild(g->rng);
	else if (size > 64 && vsplit_fuzz_dice(g->rng, 6))
		offset = vsplit_rng_below(g->rng, size / 2) & ~63u;
	patch(g, alloc, slot, offset, g->a->bytes + offsetof(struct vsplit_packet_bind, address));
	packet(g, VSPLIT_OP_BIND, sizeof(*p), slot);
	if (slot >= SLOTS)
		return;
	g->size[slot] = size > offset ? size - offset : 0;
	g->alloc[slot] = alloc;
	g->base[slot] = offset;
	g->writable[slot] = g->a->allocs[alloc].flags & VSPLIT_ALLOC_WRITE;
}

/* A slot that holds @bytes, to be written or read; ~0 if there is none. */
static uint32_t full_slot(struct gen *g, uint64_t bytes, bool write)
{
	uint32_t first = vsplit_rng_below(g->rng, SLOTS);

	if (vsplit_fuzz_odd(g->rng))
		return vsplit_rng_below(g->rng, 10);
	for (uint32_t i = 0; i < SLOTS; i++)
		if (g->size[(first + i) % SLOTS] >= bytes &&
		    (!write || g->writable[(first + i) % SLOTS]))
			return (first + i) % SLOTS;
	return ~0u;
}

/* An offset in it with @length bytes behind it. */
static uint64_t offset_in(struct gen *g, uint32_t slot, uint64_t length, uint64_t mask)
{
	if (slot >= SLOTS || vsplit_fuzz_odd(g->rng))
		return vsplit_fuzz_wild(g->rng) & ~mask;
	if (g->size[slot] <= length)
		return 0;
	return vsplit_rng_below(g->rng, g->size[slot] - length) & ~mask;
}

static uint64_t length_in(struct gen *g, uint32_t slot, uint64_t most)
{
	if (slot >= SLOTS || vsplit_fuzz_odd(g->rng))
		return vsplit_fuzz_wild(g->rng);
	most = g->size[slot] < most ? g->size[slot] : most;
	return vsplit_rng_below(g->rng, most + 1);
}

static void make_copy(struct gen *g, uint32_t slot, uint32_t from)
{
	struct vsplit_packet_copy *p = packet(g, VSPLIT_OP_COPY, sizeof(*p), 0);
	uint64_t most = from < SLOTS ? g->size[from] : 4096;

	p->length = length_in(g, slot, most < 8192 ? most : 8192);
	p->dst = (struct vsplit_operand) { slot, 0, offset_in(g, slot, p->length, 0) };
	p->src = (struct vsplit_operand) { from, 0, offset_in(g, from, p->length, 0) };
}

static void make_copy_2d(struct gen *g)
{
	uint32_t pitch = 64 * (1 + vsplit_rng_below(g->rng, 2));
	uint32_t slot = full_slot(g, 64 * pitch, true), from = full_slot(g, 64 * pitch, false);
	struct vsplit_packet_copy_2d *p;
	uint64_t rows = 64;

	if (slot == ~0u || from == ~0u)
		return;
	state(g, VSPLIT_STATE_SRC_PITCH, pitch);
	state(g, VSPLIT_STATE_DST_PITCH, vsplit_fuzz_dice(g->rng, 3) ? 64 : pitch);
	p = packet(g, VSPLIT_OP_COPY_2D, sizeof(*p), 0);
	p->head.flags = vsplit_rng_below(g->rng, 4);
	p->dst = (struct vsplit_operand) { slot, 0, 0 };
	p->src = (struct vsplit_operand) { from, 0, 0 };
	if (!p->head.flags && slot < SLOTS && from < SLOTS) {
		rows = 1 + vsplit_rng_below(g->rng, 16);
		p->dst.value = offset_in(g, slot, pitch * rows, 0);
		p->src.value = offset_in(g, from, pitch * rows, 0);
	}
	p->width = vsplit_fuzz_odd(g->rng) ? vsplit_fuzz_wild(g->rng) : 64;
	p->height = vsplit_fuzz_odd(g->rng) ? vsplit_fuzz_wild(g->rng) : rows;
}

static void make_mma(struct gen *g)
{
	uint32_t slot = full_slot(g, 3072, true), from = full_slot(g, 2048, false);
	uint32_t other = full_slot(g, 2560, false);
	uint32_t m = 1 + vsplit_rng_below(g->rng, 12), n = 1 + vsplit_rng_below(g->rng, 12);
	uint32_t k = 1 + vsplit_rng_below(g->rng, 40);
	bool wide = vsplit_fuzz_dice(g->rng, 4);
	struct vsplit_packet_mma *p;

	if (slot == ~0u || from == ~0u || other == ~0u)
		return;
	state(g, VSPLIT_STATE_LDA, wide ? 128 : k);
	state(g, VSPLIT_STATE_LDB, wide ? 64 : n);
	state(g, VSPLIT_STATE_LDC, wide ? 256 : 4 * n);
	p = packet(g, VSPLIT_OP_MMA, sizeof(*p), 0);
	p->head.flags = vsplit_rng_below(g->rng, 2);
	p->c = (struct vsplit_operand) { slot, 0, offset_in(g, slot, 3072, 3) };
	p->a = (struct vsplit_operand) { from, 0, offset_in(g, from, 2048, 0) };
	p->b = (struct vsplit_operand) { other, 0, 0 };
	p->m = vsplit_fuzz_odd(g->rng) ? vsplit_fuzz_wild(g->rng) : m;
	p->n = vsplit_fuzz_odd(g->rng) ? vsplit_fuzz_wild(g->rng) : n;
	p->k = vsplit_fuzz_odd(g->rng) ? vsplit_fuzz_wild(g->rng) : k;
}

/* Corners are what the slot holds: some are out of range. */
static void make_draw(struct gen *g)
{
	uint32_t side = 1 + vsplit_rng_below(g->rng, 16), n = 1 + vsplit_rng_below(g->rng, 3);
	uint32_t slot = full_slot(g, 4096, true), z = full_slot(g, 4096, true);
	uint32_t from = full_slot(g, 4096, false), corners = full_slot(g, 4096, false);
	uint32_t at = g->a->bytes;
	struct vsplit_packet_draw *p;

	if (slot == ~0u || z == ~0u || from == ~0u || corners == ~0u)
		return;
	p = packet(g, VSPLIT_OP_DRAW, sizeof(*p), n);
	/* Linear: tiles of one row of them would be 4096 bytes. */
	p->head.flags = vsplit_rng_below(g->rng, VSPLIT_DRAW_TARGET_TILED);
	if (slot < SLOTS && vsplit_fuzz_dice(g->rng, 3)) {
		p->target = (struct vsplit_operand) { slot, VSPLIT_OPERAND_ADDRESS, 0 };
		patch(g, g->alloc[slot], slot, g->base[slot],
		      at + offsetof(struct vsplit_packet_draw, target.value));
	} else {
		p->target = (struct vsplit_operand) { slot, 0, offset_in(g, slot, 1024, 63) };
	}
	p->depth = (struct vsplit_operand) { z, 0, offset_in(g, z, 1024, 3) };
	p->texture = (struct vsplit_operand) { from, 0, offset_in(g, from, 1024, 3) };
	p->vertices = (struct vsplit_operand) { corners, 0, offset_in(g, corners, 288, 3) };
	p->target_pitch = 64;
	p->width = side;
	p->height = side;
	p->right = side;
	p->bottom = side;
	if (p->head.flags & (VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE))
		p->depth_pitch = 64;
	if (p->head.flags & VSPLIT_DRAW_TEXTURE) {
		p->texture_width = 16;
		p->texture_height = side;
		p->texture_pitch = 64;
	}
	p->blend = vsplit_rng_below(g->rng, VSPLIT_BLEND_COUNT);
	if (vsplit_fuzz_odd(g->rng))
		p->left = vsplit_fuzz_wild(g->rng);
	if (vsplit_fuzz_odd(g->rng))
		p->width = vsplit_fuzz_wild(g->rng);
}

/* By an address that the driver patches, or by an offset. */
static void make_word(struct gen *g, uint32_t op, uint32_t size, uint32_t slot)
{
	bool address = slot < SLOTS && vsplit_fuzz_dice(g->rng, 3);
	struct vsplit_packet_store *p;
	uint32_t at = g->a->bytes;

	p = packet(g, op, size, 0);
	p->dst = (struct vsplit_operand) { slot, 0, 0 };
	if (address) {
		p->dst.flags = VSPLIT_OPERAND_ADDRESS;
		patch(g, g->alloc[slot], slot, g->base[slot] + vsplit_rng_below(g->rng, 4) * 8,
		      at + offsetof(struct vsplit_packet_store, dst.value));
	} else {
		p->dst.value = offset_in(g, slot, 8, 7);
	}
	if (op != VSPLIT_OP_TIMESTAMP)
		p->value = vsplit_rng_next(g->rng);
}

static void make_spin(struct gen *g)
{
	uint32_t us = vsplit_rng_below(g->rng, 150);

	if (!vsplit_fuzz_clean && vsplit_fuzz_dice(g->rng, 8))
		us = VSPLIT_SPIN_MAX_US;
	packet(g, VSPLIT_OP_SPIN, sizeof(struct vsplit_packet_spin), us);
}

static void make_signal(struct gen *g)
{
	struct vsplit_packet_fence *p;

	if (!g->c->fences.nr)
		return;
	p = packet(g, VSPLIT_OP_SIGNAL_FENCE, sizeof(*p),
		   vsplit_fuzz_one(&g->c->fences, g->rng, NULL));
	p->value = vsplit_rng_below(g->rng, 4);
}

static void command(struct gen *g)
{
	uint32_t slot = full_slot(g, 64, true), from = full_slot(g, 64, false);
	struct vsplit_packet_fill *fill;

	if (!room(g, 512))
		return;
	if (slot == ~0u || from == ~0u) {
		packet(g, VSPLIT_OP_NOP, 8 + 8 * vsplit_rng_below(g->rng, 3), 0);
		return;
	}
	switch (vsplit_rng_below(g->rng, 12)) {
	case 10:
		make_draw(g);
		break;
	case 9:
		make_signal(g);
		break;
	case 0:
		packet(g, VSPLIT_OP_NOP, 8 + 8 * vsplit_rng_below(g->rng, 3), 0);
		break;
	case 1:
		state(g, VSPLIT_STATE_FILL, vsplit_rng_next(g->rng) & 0xffffffff);
		fill = packet(g, VSPLIT_OP_FILL, sizeof(*fill), 0);
		fill->length = length_in(g, slot, 8192);
		fill->dst = (struct vsplit_operand) {
			slot, 0, offset_in(g, slot, fill->length, 0)
		};
		break;
	case 2:
	case 3:
		make_copy(g, slot, from);
		break;
	case 4:
		make_copy_2d(g);
		break;
	case 5:
		make_mma(g);
		break;
	case 6:
		make_word(g, VSPLIT_OP_STORE, sizeof(struct vsplit_packet_store), slot);
		break;
	case 7:
		make_word(g, VSPLIT_OP_ATOMIC_ADD, sizeof(struct vsplit_packet_store), slot);
		break;
	case 8:
		make_word(g, VSPLIT_OP_TIMESTAMP, sizeof(struct vsplit_packet_timestamp), slot);
		break;
	default:
		make_spin(g);
		break;
	}
}

static void group(struct gen *g)
{
	unsigned int binds = 1 + vsplit_rng_below(g->rng, 3);
	uint32_t slot = vsplit_rng_below(g->rng, g->slots);

	g->split = g->a->bytes;
	for (unsigned int i = 0; i < binds && g->c->bos.nr; i++)
		bind(g, vsplit_fuzz_odd(g->rng) ? vsplit_rng_below(g->rng, 70) :
		     (slot + i) % g->slots);
	for (unsigned int n = vsplit_rng_below(g->rng, 4); n; n--)
		command(g);
}

/* Some bytes are wrong, some words of the lists. */
static void spoil(struct gen *g)
{
	struct vsplit_fuzz_arrays *a = g->a;

	for (unsigned int n = vsplit_rng_below(g->rng, 3); n; n--)
		a->stream[vsplit_rng_below(g->rng, a->bytes)] = vsplit_rng_next(g->rng);
	if (a->nr_patches && vsplit_fuzz_dice(g->rng, 3)) {
		uint32_t *words = (uint32_t *)&a->patches[vsplit_rng_below(g->rng, a->nr_patches)];
		uint32_t *word = &words[vsplit_rng_below(g->rng, sizeof(a->patches[0]) / 4)];

		*word = vsplit_fuzz_dice(g->rng, 2) ? vsplit_fuzz_wild(g->rng) :
			*word + 8 * (vsplit_rng_below(g->rng, 5) - 2);
	}
}

void vsplit_fuzz_stream(struct vsplit_fuzz_client *c, struct vsplit_fuzz_arrays *a,
			struct vsplit_rng *rng)
{
	struct gen g = { .c = c, .a = a, .rng = rng };
	unsigned int groups = 1 + vsplit_rng_below(rng, vsplit_fuzz_dice(rng, 3) ? 24 : 8);

	g.slots = 1 + vsplit_rng_below(rng, 6);
	while (groups--)
		group(&g);
	if (!a->bytes)
		packet(&g, VSPLIT_OP_NOP, 8, 0);
	if (!vsplit_fuzz_clean)
		spoil(&g);
}
