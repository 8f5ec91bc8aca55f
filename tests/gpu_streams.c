// SPDX-License-Identifier: MIT
/*
 * Streams of random commands, see gpu_streams.h. Operands are chosen so that
 * most fit into their rows and the others miss them by little.
 */
#include "gpu_streams.h"

static void random_range(u64 *address, u64 *size)
{
	bool gart = below(2);
	u64 total = gart ? W_GART_BYTES : W_MEM_BYTES;

	*size = below(8) ? 4096ull * (1 + below(40)) : 1 + below(5000);
	*address = rng() % (total - *size) & (below(4) ? ~4095ull : ~0ull);
	if (!below(30))
		*size += total;
	*address += gart ? W_GART : W_MEM;
}

/* The row that a slot holds at the current end of the stream. */
static struct vsplit_gpu_row now[W_SLOTS];

static void random_row(struct world *w, u32 slot)
{
	u64 address, size;

	random_range(&address, &size);
	world_row(w, slot, address, size, below(8) ? VSPLIT_GPU_ROW_WRITE : 0);
	now[slot] = w->table[w->nr_rows - 1];
}

/* A length of at most @max, and an operand that mostly has room for it. */
static u64 random_operand(struct vsplit_operand *o, u64 max, bool exact)
{
	u64 room, length;

	o->slot = below(W_SLOTS);
	while (now[o->slot].size < max && below(8))
		o->slot = below(W_SLOTS);
	room = now[o->slot].size;
	length = min_t(u64, room, exact || !below(4) ? max : below(200));
	o->value = room > length ? rng() % (room - length + 1) : 0;
	if (!below(4))
		o->value = room - length;
	if (!below(30))
		o->value += below(3);
	if (!below(100))
		o->value = rng();
	if (below(2)) {
		o->flags = VSPLIT_OPERAND_ADDRESS;
		o->value += now[o->slot].address;
	}
	return length;
}

static void random_bind(struct world *w)
{
	struct vsplit_packet_bind *p = world_add(w, VSPLIT_OP_BIND, sizeof(*p));
	struct vsplit_gpu_row *row;

	p->head.arg = below(W_SLOTS);
	p->head.flags = below(8) ? VSPLIT_BIND_WRITE : 0;
	random_range((u64 *)&p->address, (u64 *)&p->size);
	if (!below(10))
		p->address = 0;
	row = &now[p->head.arg];
	*row = (struct vsplit_gpu_row) { .address = p->address, .size = p->address ? p->size : 0 };
}

static void random_copy(struct world *w)
{
	struct vsplit_packet_copy *p = world_add(w, VSPLIT_OP_COPY, sizeof(*p));
	u64 length = random_operand(&p->dst, below(150000), false);

	p->length = min_t(u64, length, random_operand(&p->src, length, true));
	if (!below(4)) {
		/* Overlapping. */
		p->src = p->dst;
		p->src.value += below(9000);
		p->dst.value += below(9000);
		p->length = p->length > 20000 ? p->length - 20000 : p->length / 2;
	}
}

static void random_copy_2d(struct world *w)
{
	struct vsplit_packet_copy_2d *p;
	u32 flags = below(3) ? 0 : below(4), unit = flags ? 64 : 1;
	u32 width = unit * below(flags ? 4 : 300), height = unit * below(flags ? 3 : 60);

	world_state(w, VSPLIT_STATE_SRC_PITCH, width + unit * below(4));
	world_state(w, VSPLIT_STATE_DST_PITCH, width + unit * below(4));
	p = world_add(w, VSPLIT_OP_COPY_2D, sizeof(*p));
	p->head.flags = flags;
	p->width = width;
	p->height = height;
	random_operand(&p->dst, (u64)(width + 3 * unit) * height, true);
	random_operand(&p->src, (u64)(width + 3 * unit) * height, true);
}

static void random_mma(struct world *w)
{
	u32 m = 1 + below(below(5) ? 20 : 70), n = 1 + below(below(5) ? 20 : 70);
	u32 k = 1 + below(below(5) ? 20 : 150);
	u32 lda = k + below(20), ldb = n + below(20), ldc = 4 * (n + below(5));
	struct vsplit_packet_mma *p;

	world_state(w, VSPLIT_STATE_LDA, lda);
	world_state(w, VSPLIT_STATE_LDB, ldb);
	world_state(w, VSPLIT_STATE_LDC, ldc - !below(50));
	p = world_add(w, VSPLIT_OP_MMA, sizeof(*p));
	p->head.flags = below(2);
	p->m = m;
	p->n = n;
	p->k = k;
	random_operand(&p->c, (u64)m * ldc, true);
	random_operand(&p->a, (u64)m * lda, true);
	random_operand(&p->b, (u64)k * ldb, true);
	if (below(30))
		p->c.value &= ~3ull;
}

/* Corners around the target; some are far away, some out of range. */
static void random_vertices(struct world *w, const struct vsplit_operand *o, u32 corners, u32 side)
{
	const struct vsplit_gpu_row *row = &now[o->slot];
	u64 at = o->value + (o->flags ? 0 : row->address);
	u32 i, k;

	for (i = 0; i < corners; i++) {
		struct vsplit_vertex v = {
			.x = (s32)below(32 * side) - 8 * (s32)side,
			.y = (s32)below(32 * side) - 8 * (s32)side,
			.z = below(VSPLIT_DRAW_MAX_Z + 1), .q = 1 + below(VSPLIT_DRAW_MAX_Q),
			.u = (s32)rng() >> below(16), .v = (s32)rng() >> below(16), .color = rng(),
		};

		if (!below(20))
			v.x = (s32)below(2 * VSPLIT_DRAW_MAX_XY) - VSPLIT_DRAW_MAX_XY;
		for (k = 0; k < sizeof(v); k++) {
			u8 *byte = world_byte(w, at + i * sizeof(v) + k);

			if (byte)
				*byte = ((u8 *)&v)[k];
		}
	}
}

static void random_draw(struct world *w)
{
	u32 width = 1 + below(40), height = 1 + below(40), n = 1 + below(4);
	u32 pitch = 64 * (1 + (width * 4 - 1) / 64);
	struct vsplit_packet_draw *p = world_add(w, VSPLIT_OP_DRAW, sizeof(*p));

	p->head.flags = rng();
	p->head.arg = n;
	p->width = width;
	p->height = height;
	p->target_pitch = pitch;
	p->right = width - below(2) * below(width);
	p->bottom = height - below(2) * below(height);
	p->left = below(2) * below(p->right);
	p->top = below(2) * below(p->bottom);
	p->blend = below(VSPLIT_BLEND_COUNT);
	random_operand(&p->target, (u64)pitch * 64, true);
	random_operand(&p->depth, (u64)pitch * 64, true);
	if (p->head.flags & (VSPLIT_DRAW_DEPTH_TEST | VSPLIT_DRAW_DEPTH_WRITE))
		p->depth_pitch = pitch;
	random_operand(&p->texture, 64 * 64 * 2, true);
	if (p->head.flags & VSPLIT_DRAW_TEXTURE) {
		p->texture_width = below(2) ? 32 : 1 + below(32);
		p->texture_height = 1 + below(64);
		p->texture_pitch = 128;
	}
	random_operand(&p->vertices, n * 96, true);
	if (below(30)) {
		p->target.value &= ~3ull;
		p->depth.value &= ~3ull;
		p->texture.value &= ~3ull;
		p->vertices.value &= ~3ull;
	}
	random_vertices(w, &p->vertices, 3 * n, width);
}

static void random_packet(struct world *w)
{
	struct vsplit_packet_fill *fill;
	struct vsplit_packet_store *store;

	switch (below(12)) {
	case 0:
		world_add(w, VSPLIT_OP_NOP, 8 + 8 * below(5));
		break;
	case 1:
		world_state(w, below(VSPLIT_STATE_COUNT), rng() >> below(64));
		break;
	case 2:
		random_bind(w);
		break;
	case 3:
	case 4:
		world_state(w, VSPLIT_STATE_FILL, below(3) ? rng() : 0x01010101 * below(256));
		fill = world_add(w, VSPLIT_OP_FILL, sizeof(*fill));
		fill->length = random_operand(&fill->dst, below(150000), false);
		break;
	case 5:
	case 6:
		random_copy(w);
		break;
	case 7:
		random_copy_2d(w);
		break;
	case 8:
		random_mma(w);
		break;
	case 9:
		random_draw(w);
		break;
	case 10:
		store = world_add(w, below(2) ? VSPLIT_OP_STORE : VSPLIT_OP_ATOMIC_ADD,
				  sizeof(*store));
		random_operand(&store->dst, 8, true);
		if (below(20))
			store->dst.value &= ~7ull;
		store->value = rng();
		break;
	default:
		store = world_add(w, VSPLIT_OP_TIMESTAMP, sizeof(struct vsplit_packet_timestamp));
		random_operand(&store->dst, 8, true);
		if (below(20))
			store->dst.value &= ~7ull;
		break;
	}
}

void random_stream(struct world *w, u32 packets)
{
	u32 i;

	memset(now, 0, sizeof(now));
	w->nr_rows = 0;
	world_clear(w);
	for (i = 0; i < W_SLOTS; i++) {
		if (below(10))
			random_row(w, i);
	}
	for (i = 0; i < packets; i++)
		random_packet(w);
}
