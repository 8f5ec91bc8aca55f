// SPDX-License-Identifier: MIT
/* The stream builder: bytes, allocation list, patch list, split points, state. */
#include <errno.h>

#include "check.h"
#include "vsplit.h"

static struct vsplit_stream *s;
static struct drm_vsplit_patch *patches;
static struct drm_vsplit_alloc *allocs;
static uint32_t num_patches, num_allocs;

static void begin(void)
{
	if (vsplit_stream_create(&s))
		abort();
}

static void lists(void)
{
	patches = vsplit_stream_patches(s, &num_patches);
	allocs = vsplit_stream_allocs(s, &num_allocs);
}

static void end(void)
{
	vsplit_stream_destroy(s);
}

static const struct vsplit_packet *packet_at(uint32_t offset)
{
	return (const void *)((const char *)vsplit_stream_data(s) + offset);
}

/* Opcodes of the packets, as a string: "BSF" is BIND, STATE, FILL. */
static const char *shape(void)
{
	static const char letters[] = "NSBFC2MATtpsw";
	static char text[256];
	uint32_t at, n = 0;

	for (at = 0; at < vsplit_stream_offset(s) && n < sizeof(text) - 1;) {
		const struct vsplit_packet *p = packet_at(at);

		text[n++] = p->op < VSPLIT_OP_COUNT ? letters[p->op] : '?';
		if (!p->size || p->size % 8)
			break;
		at += p->size;
	}
	text[n] = '\0';
	return text;
}

static void empty(void)
{
	begin();
	lists();
	CHECK_EQ(vsplit_stream_offset(s), 0);
	CHECK_EQ(num_patches, 0);
	CHECK_EQ(num_allocs, 0);
	CHECK_EQ(vsplit_stream_error(s), 0);
	end();
	vsplit_stream_destroy(NULL);
}

static void bind_emits_packet_and_patch(void)
{
	static const uint8_t bytes[24] = { VSPLIT_OP_BIND, 0, 24, 0, 5, 0, 0, 0 };

	begin();
	CHECK_EQ(vsplit_stream_spin(s, 1), 0);
	CHECK_EQ(vsplit_stream_bind_handle(s, 5, 77, 0x1234, VSPLIT_ALLOC_WRITE), 0);
	lists();
	CHECK_EQ(vsplit_stream_offset(s), 32);
	CHECK(!memcmp(packet_at(8), bytes, sizeof(bytes)));
	CHECK_EQ(num_patches, 1);
	CHECK_EQ(patches[0].alloc, 0);
	CHECK_EQ(patches[0].slot, 5);
	CHECK_EQ(patches[0].driver_id, 0);
	CHECK_EQ(patches[0].alloc_offset, 0x1234);
	CHECK_EQ(patches[0].patch_offset, 16);
	CHECK_EQ(patches[0].split_offset, 8);
	CHECK_EQ(num_allocs, 1);
	CHECK_EQ(allocs[0].handle, 77);
	CHECK_EQ(allocs[0].flags, VSPLIT_ALLOC_WRITE);
	end();
}

static void allocations_appear_once(void)
{
	begin();
	vsplit_stream_bind_handle(s, 0, 10, 0, 0);
	vsplit_stream_bind_handle(s, 1, 11, 0, 0);
	vsplit_stream_bind_handle(s, 2, 10, 0, VSPLIT_ALLOC_WRITE);
	vsplit_stream_bind_handle(s, 3, 11, 0, VSPLIT_ALLOC_DISCARD);
	vsplit_stream_bind_handle(s, 4, 12, 0, VSPLIT_ALLOC_DISCARD | VSPLIT_ALLOC_WRITE);
	lists();
	CHECK_EQ(num_allocs, 3);
	CHECK_EQ(allocs[0].flags, VSPLIT_ALLOC_WRITE);
	CHECK_EQ(allocs[1].flags, 0);
	CHECK_EQ(allocs[2].flags, VSPLIT_ALLOC_DISCARD | VSPLIT_ALLOC_WRITE);
	CHECK_EQ(patches[2].alloc, 0);
	CHECK_EQ(patches[3].alloc, 1);
	end();
}

static void many_allocations(void)
{
	uint32_t i, pass;

	begin();
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < 5000; i++)
			vsplit_stream_bind_handle(s, i % 7, 1 + i * 64, 0, 0);
	lists();
	CHECK_EQ(vsplit_stream_error(s), 0);
	CHECK_EQ(num_allocs, 5000);
	CHECK_EQ(num_patches, 10000);
	for (i = 0; i < 10000; i++) {
		if (allocs[patches[i].alloc].handle != 1 + (i % 5000) * 64)
			break;
	}
	CHECK_EQ(i, 10000);
	end();
}

static void each_bind_is_a_split_point(void)
{
	begin();
	vsplit_stream_bind_handle(s, 0, 1, 0, 0);
	vsplit_stream_bind_handle(s, 1, 2, 0, 0);
	lists();
	CHECK_EQ(patches[0].split_offset, 0);
	CHECK_EQ(patches[1].split_offset, 24);
	end();
}

static void a_group_shares_its_first_offset(void)
{
	begin();
	vsplit_stream_spin(s, 0);
	vsplit_stream_group_begin(s);
	vsplit_stream_bind_handle(s, 0, 1, 0, 0);
	vsplit_stream_unbind(s, 1);
	vsplit_stream_bind_handle(s, 2, 2, 0, 0);
	vsplit_stream_group_end(s);
	vsplit_stream_bind_handle(s, 3, 3, 0, 0);
	lists();
	CHECK_EQ(num_patches, 4);
	CHECK_EQ(patches[0].split_offset, 8);
	CHECK_EQ(patches[1].split_offset, 8);
	CHECK_EQ(patches[2].split_offset, 8);
	CHECK_EQ(patches[3].split_offset, 80);
	CHECK_EQ(patches[2].patch_offset, 64);
	end();
}

static void a_group_begins_at_its_first_bind(void)
{
	begin();
	vsplit_stream_group_begin(s);
	vsplit_stream_spin(s, 0);
	vsplit_stream_bind_handle(s, 0, 1, 0, 0);
	vsplit_stream_group_end(s);
	vsplit_stream_group_begin(s);
	vsplit_stream_group_end(s);
	lists();
	CHECK_EQ(patches[0].split_offset, 8);
	CHECK_EQ(vsplit_stream_error(s), 0);
	end();
}

static void groups_do_not_nest(void)
{
	begin();
	CHECK_EQ(vsplit_stream_group_end(s), -EINVAL);
	vsplit_stream_reset(s);
	CHECK_EQ(vsplit_stream_group_begin(s), 0);
	CHECK_EQ(vsplit_stream_group_begin(s), -EINVAL);
	end();
}

static void unbind_uses_one_null_element(void)
{
	begin();
	vsplit_stream_bind_handle(s, 0, 1, 0, 0);
	vsplit_stream_unbind(s, 0);
	vsplit_stream_unbind(s, 1);
	lists();
	CHECK_EQ(num_allocs, 2);
	CHECK_EQ(allocs[1].handle, 0);
	CHECK_EQ(allocs[1].flags, 0);
	CHECK_EQ(patches[1].alloc, 1);
	CHECK_EQ(patches[2].alloc, 1);
	CHECK_EQ(patches[2].slot, 1);
	CHECK_EQ(patches[2].split_offset, 48);
	end();
}

static void fill_bytes(void)
{
	static const uint8_t bytes[48] = {
		VSPLIT_OP_STATE, 0, 16, 0, VSPLIT_STATE_FILL, 0, 0, 0,
		0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0,
		VSPLIT_OP_FILL, 0, 32, 0, 0, 0, 0, 0,
		3, 0, 0, 0, 0, 0, 0, 0,
		0x40, 0, 0, 0, 1, 0, 0, 0,
		0x10, 0, 0, 0, 0, 0, 0, 0,
	};

	begin();
	CHECK_EQ(vsplit_stream_fill(s, 3, 0x100000040, 0x10, 0x12345678), 0);
	CHECK_EQ(vsplit_stream_offset(s), sizeof(bytes));
	CHECK(!memcmp(vsplit_stream_data(s), bytes, sizeof(bytes)));
	end();
}

static void copy_bytes(void)
{
	static const uint8_t bytes[48] = {
		VSPLIT_OP_COPY, 0, 48, 0, 0, 0, 0, 0,
		1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
		3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0,
		5, 0, 0, 0, 0, 0, 0, 0,
	};

	begin();
	CHECK_EQ(vsplit_stream_copy(s, 1, 2, 3, 4, 5), 0);
	CHECK_EQ(vsplit_stream_offset(s), sizeof(bytes));
	CHECK(!memcmp(vsplit_stream_data(s), bytes, sizeof(bytes)));
	end();
}

static void other_packets(void)
{
	const struct vsplit_surface a = { .slot = 1, .pitch = 100, .offset = 8 };
	const struct vsplit_surface b = { .slot = 2, .pitch = 200, .offset = 16 };
	const struct vsplit_surface c = { .slot = 3, .pitch = 400, .offset = 24 };
	const struct vsplit_packet_copy_2d *rect;
	const struct vsplit_image image = { .surface = b, .width = 50, .height = 9 };
	const struct vsplit_draw what = {
		.target = { .surface = c, .width = 100, .height = 11 }, .depth = &a,
		.texture = &image, .vertices_slot = 4, .triangles = 12, .vertices_offset = 32,
		.flags = VSPLIT_DRAW_TEXTURE | VSPLIT_DRAW_DEPTH_TEST, .blend = VSPLIT_BLEND_ADD,
		.left = 1, .top = 2, .right = 3, .bottom = 4,
	};
	struct {
		struct vsplit_draw known;
		uint32_t more[64];
	} newer = { .more = { 0 } };
	const struct vsplit_packet_draw *draw;
	const struct vsplit_packet_mma *mma;
	const struct vsplit_packet_store *store;

	begin();
	vsplit_stream_copy_2d(s, &c, &a, 64, 7, VSPLIT_COPY_2D_DST_TILED);
	CHECK_STR(shape(), "SS2");
	rect = (const void *)packet_at(32);
	CHECK_EQ(packet_at(0)->arg, VSPLIT_STATE_SRC_PITCH);
	CHECK_EQ(((const struct vsplit_packet_state *)packet_at(0))->value, 100);
	CHECK_EQ(rect->head.flags, VSPLIT_COPY_2D_DST_TILED);
	CHECK_EQ(rect->dst.slot, 3);
	CHECK_EQ(rect->dst.value, 24);
	CHECK_EQ(rect->src.slot, 1);
	CHECK_EQ(rect->width, 64);
	CHECK_EQ(rect->height, 7);

	vsplit_stream_reset(s);
	vsplit_stream_mma(s, &c, &a, &b, 5, 6, 7, VSPLIT_MMA_ACCUMULATE);
	CHECK_STR(shape(), "SSSM");
	mma = (const void *)packet_at(48);
	CHECK_EQ(mma->head.flags, VSPLIT_MMA_ACCUMULATE);
	CHECK_EQ(mma->c.slot, 3);
	CHECK_EQ(mma->a.slot, 1);
	CHECK_EQ(mma->b.slot, 2);
	CHECK_EQ(mma->m, 5);
	CHECK_EQ(mma->n, 6);
	CHECK_EQ(mma->k, 7);
	CHECK_EQ(mma->reserved, 0);

	vsplit_stream_reset(s);
	vsplit_stream_draw(s, &what);
	draw = (const void *)packet_at(0);
	CHECK_EQ(draw->head.op, VSPLIT_OP_DRAW);
	CHECK_EQ(draw->head.flags, what.flags);
	CHECK_EQ(draw->head.arg, 12);
	CHECK_EQ(draw->head.size, vsplit_stream_offset(s));
	CHECK(draw->target.slot == 3 && draw->target.value == 24 && draw->target_pitch == 400);
	CHECK(draw->depth.slot == 1 && draw->depth.value == 8 && draw->depth_pitch == 100);
	CHECK(draw->texture.slot == 2 && draw->texture.value == 16 && draw->texture_pitch == 200);
	CHECK(draw->vertices.slot == 4 && draw->vertices.value == 32);
	CHECK(draw->width == 100 && draw->height == 11 && draw->blend == VSPLIT_BLEND_ADD);
	CHECK(draw->texture_width == 50 && draw->texture_height == 9);
	CHECK(draw->left == 1 && draw->top == 2 && draw->right == 3 && draw->bottom == 4);

	/* From a caller that was built with a smaller struct, and one with a larger struct. */
	vsplit_stream_reset(s);
	CHECK_EQ(vsplit_stream_draw_sized(s, &what, offsetof(struct vsplit_draw, flags)), 0);
	CHECK_EQ(packet_at(0)->flags, 0);
	newer.known = what;
	CHECK_EQ(vsplit_stream_draw_sized(s, &newer.known, sizeof(newer)), 0);
	newer.more[63] = 1;
	CHECK_EQ(vsplit_stream_draw_sized(s, &newer.known, sizeof(newer)), -E2BIG);
	CHECK_EQ(vsplit_stream_error(s), -E2BIG);
	vsplit_stream_reset(s);
	CHECK_EQ(vsplit_stream_draw_sized(s, NULL, sizeof(what)), -EINVAL);

	vsplit_stream_reset(s);
	vsplit_stream_store(s, 1, 8, 0x1122334455667788);
	vsplit_stream_atomic_add(s, 1, 8, 1);
	vsplit_stream_timestamp(s, 1, 16);
	vsplit_stream_spin(s, 30);
	CHECK_STR(shape(), "TAtp");
	store = (const void *)packet_at(0);
	CHECK_EQ(store->value, 0x1122334455667788);
	CHECK_EQ(packet_at(88)->arg, 30);
	CHECK_EQ(vsplit_stream_offset(s), 96);
	end();
}

static void state_is_set_where_needed(void)
{
	begin();
	vsplit_stream_bind_handle(s, 0, 1, 0, VSPLIT_ALLOC_WRITE);
	vsplit_stream_fill(s, 0, 0, 8, 1);
	vsplit_stream_fill(s, 0, 8, 8, 1);
	vsplit_stream_fill(s, 0, 16, 8, 2);
	CHECK_STR(shape(), "BSFFSF");
	/* At a split point the register may be lost, so it is set again, even to the same value. */
	vsplit_stream_bind_handle(s, 1, 2, 0, 0);
	vsplit_stream_fill(s, 0, 0, 8, 2);
	CHECK_STR(shape(), "BSFFSFBSF");
	/* A bind inside the same group is no split point. */
	vsplit_stream_reset(s);
	vsplit_stream_group_begin(s);
	vsplit_stream_bind_handle(s, 0, 1, 0, VSPLIT_ALLOC_WRITE);
	vsplit_stream_fill(s, 0, 0, 8, 2);
	vsplit_stream_bind_handle(s, 1, 1, 0, VSPLIT_ALLOC_WRITE);
	vsplit_stream_fill(s, 0, 0, 8, 2);
	CHECK_STR(shape(), "BSFBF");
	end();
}

static void restate_sets_what_was_lost(void)
{
	begin();
	CHECK_EQ(vsplit_stream_restate(s), 0);
	CHECK_EQ(vsplit_stream_offset(s), 0);
	vsplit_stream_state(s, VSPLIT_STATE_LDA, 7);
	vsplit_stream_state(s, VSPLIT_STATE_FILL, 9);
	vsplit_stream_restate(s);
	CHECK_STR(shape(), "SS");
	vsplit_stream_bind_handle(s, 0, 1, 0, 0);
	vsplit_stream_state(s, VSPLIT_STATE_LDA, 8);
	vsplit_stream_restate(s);
	CHECK_STR(shape(), "SSBSS");
	CHECK_EQ(packet_at(72)->arg, VSPLIT_STATE_FILL);
	CHECK_EQ(((const struct vsplit_packet_state *)packet_at(72))->value, 9);
	end();
}

static void padding(void)
{
	uint32_t at, count = 0;

	begin();
	CHECK_EQ(vsplit_stream_pad_to(s, 8), 0);
	CHECK_EQ(vsplit_stream_pad_to(s, 8), 0);
	CHECK_EQ(vsplit_stream_pad_to(s, 300000), 0);
	CHECK_EQ(vsplit_stream_offset(s), 300000);
	for (at = 0; at < 300000; count++) {
		CHECK_EQ(packet_at(at)->op, VSPLIT_OP_NOP);
		CHECK_EQ(packet_at(at)->size % 8, 0);
		at += packet_at(at)->size;
		if (!packet_at(at - 8))
			break;
	}
	CHECK_EQ(at, 300000);
	CHECK_EQ(count, 6);
	CHECK_EQ(vsplit_stream_pad_to(s, 299992), -EINVAL);
	vsplit_stream_reset(s);
	CHECK_EQ(vsplit_stream_pad_to(s, 12), -EINVAL);
	end();
}

static void errors_stick(void)
{
	begin();
	CHECK_EQ(vsplit_stream_bind_handle(s, 1 << 24, 1, 0, 0), -EINVAL);
	CHECK_EQ(vsplit_stream_spin(s, 1), -EINVAL);
	CHECK_EQ(vsplit_stream_fill(s, 0, 0, 8, 0), -EINVAL);
	CHECK_EQ(vsplit_stream_pad_to(s, 64), -EINVAL);
	CHECK_EQ(vsplit_stream_unbind(s, 0), -EINVAL);
	CHECK_EQ(vsplit_stream_error(s), -EINVAL);
	CHECK_EQ(vsplit_stream_offset(s), 0);
	vsplit_stream_reset(s);
	CHECK_EQ(vsplit_stream_spin(s, 1), 0);
	CHECK_EQ(vsplit_stream_bind_handle(s, 0, 1, 1ull << 32, 0), -EINVAL);
	vsplit_stream_reset(s);
	CHECK_EQ(vsplit_stream_bind_handle(s, 0, 0, 0, 0), -EINVAL);
	vsplit_stream_reset(s);
	CHECK_EQ(vsplit_stream_bind_handle(s, 0, 1, 0, 4), -EINVAL);
	vsplit_stream_reset(s);
	CHECK_EQ(vsplit_stream_state(s, VSPLIT_STATE_COUNT, 0), -EINVAL);
	vsplit_stream_reset(s);
	CHECK_EQ(vsplit_stream_bind_handle(s, 0xffffff, 1, 0xffffffff, 3), 0);
	CHECK_EQ(vsplit_stream_create(NULL), -EINVAL);
	end();
}

static void raw_access(void)
{
	const struct drm_vsplit_patch patch = {
		.alloc = 9, .slot = 0xff000001, .patch_offset = 3, .split_offset = 99,
	};
	static const char junk[3] = "ab";
	uint32_t index = 7;

	begin();
	CHECK_EQ(vsplit_stream_append(s, junk, sizeof(junk)), 0);
	CHECK_EQ(vsplit_stream_append(s, NULL, 0), 0);
	CHECK_EQ(vsplit_stream_add_alloc(s, 5, 0xf0, &index), 0);
	CHECK_EQ(index, 0);
	CHECK_EQ(vsplit_stream_add_alloc(s, 5, 0, NULL), 0);
	CHECK_EQ(vsplit_stream_add_patch(s, &patch), 0);
	lists();
	CHECK_EQ(vsplit_stream_offset(s), 3);
	CHECK_EQ(num_allocs, 2);
	CHECK_EQ(allocs[0].flags, 0xf0);
	CHECK_EQ(num_patches, 1);
	CHECK(!memcmp(&patches[0], &patch, sizeof(patch)));
	end();
}

static void reset_empties(void)
{
	uint32_t i;

	begin();
	for (i = 0; i < 3; i++) {
		vsplit_stream_bind_handle(s, 0, 1 + i, 0, VSPLIT_ALLOC_WRITE);
		vsplit_stream_unbind(s, 0);
		vsplit_stream_fill(s, 0, 0, 8, 5);
		lists();
		CHECK_EQ(num_allocs, 2);
		CHECK_EQ(allocs[0].handle, 1 + i);
		CHECK_EQ(num_patches, 2);
		CHECK_EQ(patches[0].split_offset, 0);
		CHECK_STR(shape(), "BBSF");
		vsplit_stream_reset(s);
	}
	end();
}

int main(void)
{
	RUN(empty);
	RUN(bind_emits_packet_and_patch);
	RUN(allocations_appear_once);
	RUN(many_allocations);
	RUN(each_bind_is_a_split_point);
	RUN(a_group_shares_its_first_offset);
	RUN(a_group_begins_at_its_first_bind);
	RUN(groups_do_not_nest);
	RUN(unbind_uses_one_null_element);
	RUN(fill_bytes);
	RUN(copy_bytes);
	RUN(other_packets);
	RUN(state_is_set_where_needed);
	RUN(restate_sets_what_was_lost);
	RUN(padding);
	RUN(errors_stick);
	RUN(raw_access);
	RUN(reset_empties);
	return check_total_failures != 0;
}
