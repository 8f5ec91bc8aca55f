// SPDX-License-Identifier: MIT
/*
 * Command streams with their lists, from a seed. In a clean step the driver accepts the stream and
 * the GPU executes it: commands stay inside the allocations of their slots. Any other step breaks
 * these rules here and there, and changes some bytes in the end.
 */
#include "igt.h"
#include "igt_vsplit_fuzz.h"

#define SLOTS 8

/* A stream under construction. */
struct gen {
	struct vsplit_fuzz_client *c;
	struct vsplit_packets *p;
	struct vsplit_rng *rng;
	unsigned int slots;
	/* by position in the client's allocations: index in the list plus one */
	uint32_t index[VSPLIT_FUZZ_THINGS];
	uint32_t null_index;
	uint32_t split;
	/* Content of the slots: size, offset, list element, and whether it may be written. */
	uint64_t size[SLOTS];
	uint32_t base[SLOTS];
	uint32_t alloc[SLOTS];
	bool writable[SLOTS];
};

static bool room(const struct gen *g, uint32_t bytes)
{
	return g->p->bytes + bytes <= VSPLIT_FUZZ_STREAM && g->p->nr_patches + 2 < VSPLIT_FUZZ_ARRAY;
}

struct vsplit_fuzz_arrays *vsplit_fuzz_arrays(void)
{
	struct vsplit_fuzz_arrays *a = malloc(sizeof(*a));

	igt_assert(a);
	memset(a, 0, offsetof(struct vsplit_fuzz_arrays, out));
	a->p = (struct vsplit_packets) {
		.stream = a->stream_memory, .stream_room = sizeof(a->stream_memory),
		.allocs = a->alloc_memory, .alloc_room = ARRAY_SIZE(a->alloc_memory),
		.patches = a->patch_memory, .patch_room = ARRAY_SIZE(a->patch_memory),
	};
	return a;
}

static void state(struct gen *g, uint32_t reg, uint64_t value)
{
	if (vsplit_fuzz_odd(g->rng))
		value = vsplit_fuzz_wild(g->rng) & 0xffffffff;
	vsplit__put_state(g->p, reg, value);
}

static void patch(struct gen *g, uint32_t alloc, uint32_t slot, uint32_t alloc_offset,
		  uint32_t patch_offset)
{
	const struct drm_vsplit_patch patch = {
		.alloc = alloc,
		.slot = slot,
		.driver_id = vsplit_rng_next(g->rng),
		.alloc_offset = alloc_offset,
		.split_offset = g->split,
		.patch_offset = patch_offset,
	};

	vsplit__put_patch(g->p, &patch);
}

/* The list element of an allocation; ~0: the list is full. */
static uint32_t element(struct gen *g, unsigned int n)
{
	struct vsplit_packets *p = g->p;
	uint32_t id = g->c->bos.id[n], flags;

	if (g->index[n])
		return g->index[n] - 1;
	if (p->nr_allocs == VSPLIT_FUZZ_ARRAY)
		return ~0u;
	for (unsigned int i = 0; i < p->nr_allocs; i++)
		if (p->allocs[i].handle == id)
			return ~0u;
	id = vsplit_fuzz_odd(g->rng) ? vsplit_fuzz_one(&g->c->bos, g->rng, NULL) : id;
	flags = vsplit_rng_below(g->rng, 8) ? VSPLIT_ALLOC_WRITE : vsplit_rng_below(g->rng, 4);
	vsplit__put_alloc(p, id, flags);
	g->index[n] = p->nr_allocs;
	return p->nr_allocs - 1;
}

static uint32_t null_element(struct gen *g)
{
	if (!g->null_index) {
		if (g->p->nr_allocs == VSPLIT_FUZZ_ARRAY)
			return ~0u;
		vsplit__put_alloc(g->p, 0, 0);
		g->null_index = g->p->nr_allocs;
	}
	return g->null_index - 1;
}

static void bind(struct gen *g, uint32_t slot)
{
	unsigned int n = vsplit_rng_below(g->rng, g->c->bos.nr);
	bool unbind = vsplit_fuzz_dice(g->rng, 12);
	uint32_t alloc = unbind ? null_element(g) : element(g, n);
	uint64_t size = unbind ? 0 : g->c->bos.size[n];
	uint32_t offset = 0;

	if (alloc == ~0u || !room(g, sizeof(struct vsplit_packet_bind)))
		return;
	if (vsplit_fuzz_odd(g->rng))
		offset = vsplit_fuzz_wild(g->rng);
	else if (size > 64 && vsplit_fuzz_dice(g->rng, 6))
		offset = vsplit_rng_below(g->rng, size / 2) & ~63u;
	vsplit__put_bind(g->p, slot, alloc, offset, g->split);
	g->p->patches[g->p->nr_patches - 1].driver_id = vsplit_rng_next(g->rng);
	if (slot >= SLOTS)
		return;
	g->size[slot] = size > offset ? size - offset : 0;
	g->alloc[slot] = alloc;
	g->base[slot] = offset;
	g->writable[slot] = g->p->allocs[alloc].flags & VSPLIT_ALLOC_WRITE;
}

/* A slot with at least @bytes, to be written or read; ~0 if there is none. */
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

/* An offset in the slot with @length bytes behind it. */
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
	uint64_t most = from < SLOTS ? g->size[from] : 4096;
	uint64_t length = length_in(g, slot, most < 8192 ? most : 8192);
	uint64_t dst = offset_in(g, slot, length, 0), src = offset_in(g, from, length, 0);

	vsplit__put_copy(g->p, vsplit__slot(slot, dst), vsplit__slot(from, src), length);
}

static void make_copy_2d(struct gen *g)
{
	uint32_t pitch = 64 * (1 + vsplit_rng_below(g->rng, 2));
	uint32_t slot = full_slot(g, 64 * pitch, true), from = full_slot(g, 64 * pitch, false);
	uint64_t rows = 64, dst = 0, src = 0;
	uint32_t flags, width, height;

	if (slot == ~0u || from == ~0u)
		return;
	state(g, VSPLIT_STATE_SRC_PITCH, pitch);
	state(g, VSPLIT_STATE_DST_PITCH, vsplit_fuzz_dice(g->rng, 3) ? 64 : pitch);
	flags = vsplit_rng_below(g->rng, 4);
	if (!flags && slot < SLOTS && from < SLOTS) {
		rows = 1 + vsplit_rng_below(g->rng, 16);
		dst = offset_in(g, slot, pitch * rows, 0);
		src = offset_in(g, from, pitch * rows, 0);
	}
	width = vsplit_fuzz_odd(g->rng) ? vsplit_fuzz_wild(g->rng) : 64;
	height = vsplit_fuzz_odd(g->rng) ? vsplit_fuzz_wild(g->rng) : rows;
	vsplit__put_copy_2d(g->p, vsplit__slot(slot, dst), vsplit__slot(from, src), width, height,
			    flags);
}

static void make_mma(struct gen *g)
{
	uint32_t slot = full_slot(g, 3072, true), from = full_slot(g, 2048, false);
	uint32_t other = full_slot(g, 2560, false);
	uint32_t m = 1 + vsplit_rng_below(g->rng, 12), n = 1 + vsplit_rng_below(g->rng, 12);
	uint32_t k = 1 + vsplit_rng_below(g->rng, 40);
	bool wide = vsplit_fuzz_dice(g->rng, 4);
	struct vsplit_operand c, a;
	uint8_t flags;

	if (slot == ~0u || from == ~0u || other == ~0u)
		return;
	state(g, VSPLIT_STATE_LDA, wide ? 128 : k);
	state(g, VSPLIT_STATE_LDB, wide ? 64 : n);
	state(g, VSPLIT_STATE_LDC, wide ? 256 : 4 * n);
	flags = vsplit_rng_below(g->rng, 2);
	c = vsplit__slot(slot, offset_in(g, slot, 3072, 3));
	a = vsplit__slot(from, offset_in(g, from, 2048, 0));
	m = vsplit_fuzz_odd(g->rng) ? vsplit_fuzz_wild(g->rng) : m;
	n = vsplit_fuzz_odd(g->rng) ? vsplit_fuzz_wild(g->rng) : n;
	k = vsplit_fuzz_odd(g->rng) ? vsplit_fuzz_wild(g->rng) : k;
	vsplit__put_mma(g->p, c, a, vsplit__slot(other, 0), m, n, k, flags);
}

/* The corners are whatever the slot contains: some are out of range. */
static void make_draw(struct gen *g)
{
	uint32_t side = 1 + vsplit_rng_below(g->rng, 16), n = 1 + vsplit_rng_below(g->rng, 3);
	uint32_t slot = full_slot(g, 4096, true), z = full_slot(g, 4096, true);
	uint32_t from = full_slot(g, 4096, false), corners = full_slot(g, 4096, false);
	uint32_t at = g->p->bytes;
	struct vsplit_packet_draw *p;

	if (slot == ~0u || z == ~0u || from == ~0u || corners == ~0u)
		return;
	p = vsplit__put(g->p, VSPLIT_OP_DRAW, sizeof(*p), n);
	/* A linear target: one row of tiles would take 4096 bytes. */
	p->head.flags = vsplit_rng_below(g->rng, VSPLIT_DRAW_TARGET_TILED);
	if (slot < SLOTS && vsplit_fuzz_dice(g->rng, 3)) {
		p->target = (struct vsplit_operand) { slot, VSPLIT_OPERAND_ADDRESS, 0 };
		patch(g, g->alloc[slot], slot, g->base[slot],
		      at + offsetof(struct vsplit_packet_draw, target.value));
	} else {
		p->target = vsplit__slot(slot, offset_in(g, slot, 1024, 63));
	}
	p->depth = vsplit__slot(z, offset_in(g, z, 1024, 3));
	p->texture = vsplit__slot(from, offset_in(g, from, 1024, 3));
	p->vertices = vsplit__slot(corners, offset_in(g, corners, 288, 3));
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

/* The operand is an address that the driver patches, or an offset. */
static void make_word(struct gen *g, uint32_t op, uint32_t slot)
{
	bool address = slot < SLOTS && vsplit_fuzz_dice(g->rng, 3);
	struct vsplit_operand dst = vsplit__slot(slot, 0);

	if (address) {
		dst.flags = VSPLIT_OPERAND_ADDRESS;
		patch(g, g->alloc[slot], slot, g->base[slot] + vsplit_rng_below(g->rng, 4) * 8,
		      g->p->bytes + offsetof(struct vsplit_packet_store, dst.value));
	} else {
		dst.value = offset_in(g, slot, 8, 7);
	}
	vsplit__put_word(g->p, op, dst, op == VSPLIT_OP_TIMESTAMP ? 0 : vsplit_rng_next(g->rng));
}

static void make_spin(struct gen *g)
{
	uint32_t us = vsplit_rng_below(g->rng, 150);

	if (!vsplit_fuzz_clean && vsplit_fuzz_dice(g->rng, 8))
		us = VSPLIT_SPIN_MAX_US;
	vsplit__put_head(g->p, VSPLIT_OP_SPIN, us);
}

static void make_signal(struct gen *g)
{
	uint32_t fence;

	if (!g->c->fences.nr)
		return;
	fence = vsplit_fuzz_one(&g->c->fences, g->rng, NULL);
	vsplit__put_fence(g->p, VSPLIT_OP_SIGNAL_FENCE, fence, vsplit_rng_below(g->rng, 4));
}

static void command(struct gen *g)
{
	uint32_t slot = full_slot(g, 64, true), from = full_slot(g, 64, false);
	uint64_t length;

	if (!room(g, 512))
		return;
	if (slot == ~0u || from == ~0u) {
		vsplit__put(g->p, VSPLIT_OP_NOP, 8 + 8 * vsplit_rng_below(g->rng, 3), 0);
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
		vsplit__put(g->p, VSPLIT_OP_NOP, 8 + 8 * vsplit_rng_below(g->rng, 3), 0);
		break;
	case 1:
		state(g, VSPLIT_STATE_FILL, vsplit_rng_next(g->rng) & 0xffffffff);
		length = length_in(g, slot, 8192);
		vsplit__put_fill(g->p, vsplit__slot(slot, offset_in(g, slot, length, 0)), length);
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
		make_word(g, VSPLIT_OP_STORE, slot);
		break;
	case 7:
		make_word(g, VSPLIT_OP_ATOMIC_ADD, slot);
		break;
	case 8:
		make_word(g, VSPLIT_OP_TIMESTAMP, slot);
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

	g->split = g->p->bytes;
	for (unsigned int i = 0; i < binds && g->c->bos.nr; i++)
		bind(g, vsplit_fuzz_odd(g->rng) ? vsplit_rng_below(g->rng, 70) :
		     (slot + i) % g->slots);
	for (unsigned int n = vsplit_rng_below(g->rng, 4); n; n--)
		command(g);
}

/* Makes some bytes of the stream, and some words of the lists, wrong. */
static void spoil(struct gen *g)
{
	struct vsplit_packets *p = g->p;

	for (unsigned int n = vsplit_rng_below(g->rng, 3); n; n--)
		p->stream[vsplit_rng_below(g->rng, p->bytes)] = vsplit_rng_next(g->rng);
	if (p->nr_patches && vsplit_fuzz_dice(g->rng, 3)) {
		uint32_t *words = (uint32_t *)&p->patches[vsplit_rng_below(g->rng, p->nr_patches)];
		uint32_t *word = &words[vsplit_rng_below(g->rng, sizeof(p->patches[0]) / 4)];

		*word = vsplit_fuzz_dice(g->rng, 2) ? vsplit_fuzz_wild(g->rng) :
			*word + 8 * (vsplit_rng_below(g->rng, 5) - 2);
	}
}

void vsplit_fuzz_stream(struct vsplit_fuzz_client *c, struct vsplit_fuzz_arrays *a,
			struct vsplit_rng *rng)
{
	struct gen g = { .c = c, .p = &a->p, .rng = rng };
	unsigned int groups = 1 + vsplit_rng_below(rng, vsplit_fuzz_dice(rng, 3) ? 24 : 8);

	g.slots = 1 + vsplit_rng_below(rng, 6);
	while (groups--)
		group(&g);
	if (!a->bytes)
		vsplit__put(&a->p, VSPLIT_OP_NOP, 8, 0);
	if (!vsplit_fuzz_clean)
		spoil(&g);
}
