// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit submit
 * Description: Submissions that DRM_IOCTL_VSPLIT_SUBMIT refuses: limits, the lists, packets and
 *   their operands, syncs. A refused submission changes nothing.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: uapi
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_setup.h"

IGT_TEST_DESCRIPTION("Submissions that DRM_IOCTL_VSPLIT_SUBMIT refuses: limits, the lists, packets "
		     "and their operands, syncs. A refused submission changes nothing.");

#define U 4096ull

/**
 * SUBTEST: limits
 * Description: One more than each published limit gives -E2BIG; a stream of the largest length is
 *   accepted.
 */
static void test_limits(void)
{
	struct drm_vsplit_sync syncs[VSPLIT_CS_SYNCS + 1];
	struct drm_vsplit_adapter_info info;
	struct drm_vsplit_submit args;
	struct vsplit_bo *a;

	setup_plain();
	vsplit_query_adapter(fd, &info);
	a = build_good();
	for (unsigned int i = 0; i < 8; i++) {
		uint32_t huge = i & 4 ? 0xfffffff8u : 0;

		vsplit_cs_args(cs, ctx, 0, &args, syncs);
		switch (i % 4) {
		case 0:
			args.stream_bytes = huge ?: info.max_stream_bytes + 8;
			break;
		case 1:
			args.num_allocs = huge ?: info.max_allocs + 1;
			break;
		case 2:
			args.num_patches = huge ?: info.max_patches + 1;
			break;
		case 3:
			args.num_syncs = huge ?: info.max_syncs + 1;
			break;
		}
		expect(__vsplit_submit(fd, &args), -E2BIG);
	}
	/* The longest possible stream. */
	vsplit_cs_pad(cs, info.max_stream_bytes);
	vsplit_cs_run(cs, ctx, 0);
	vsplit_bo_check(a);
	/* Invalid sizes. */
	vsplit_cs_args(cs, ctx, 0, &args, syncs);
	args.stream_bytes = 0;
	expect(__vsplit_submit(fd, &args), -EINVAL);
	for (unsigned int i = 1; i < 8; i++) {
		args.stream_bytes = 24 + i;
		expect(__vsplit_submit(fd, &args), -EINVAL);
	}
}

/**
 * SUBTEST: limit-syncs
 * Description: As many syncs as the limit allows, in one submission.
 */
static void test_limit_syncs(void)
{
	struct drm_vsplit_sync *syncs, few[VSPLIT_CS_SYNCS + 1];
	struct drm_vsplit_adapter_info info;
	struct drm_vsplit_submit args;

	setup_plain();
	vsplit_query_adapter(fd, &info);
	build_good();
	vsplit_cs_args(cs, ctx, 0, &args, few);
	syncs = calloc(info.max_syncs, sizeof(*syncs));
	for (uint32_t i = 0; i < info.max_syncs; i++) {
		syncs[i].handle = vsplit_syncobj(fd);
		syncs[i].flags = VSPLIT_SYNC_SIGNAL;
	}
	args.syncs = (uintptr_t)syncs;
	args.num_syncs = info.max_syncs;
	expect(__vsplit_submit(fd, &args), 0);
	for (uint32_t i = 0; i < info.max_syncs; i++)
		igt_assert_eq(__vsplit_syncobj_wait(fd, syncs[i].handle, 0, VSPLIT_SOON_MS), 0);
	free(syncs);
}

/**
 * SUBTEST: allocation-list
 * Description: A list that names an allocation twice is refused. The NULL element is no allocation.
 */
static void test_allocation_list(void)
{
	struct vsplit_bo *a;

	setup_plain();
	a = build_good();
	cs->nr_allocs = 1;
	vsplit_cs_null(cs);
	vsplit_cs_run(cs, ctx, 0);
	cs->allocs[1].handle = a->handle;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->allocs[1].handle = 0;
	/* An element that no entry uses is valid. */
	vsplit_cs_alloc(cs, vsplit_bo(fd, 'B', U), 0);
	vsplit_cs_run(cs, ctx, 0);
	/* An empty list is valid, too. */
	vsplit_cs_reset(cs);
	vsplit_cs_nop(cs, 8);
	vsplit_cs_run(cs, ctx, 0);
}

/**
 * SUBTEST: patch-list
 * Description: Refused: operands without an entry or with several; entries without an operand, with
 *   another slot, or with a NULL allocation for an access.
 */
static void test_patch_list(void)
{
	struct vsplit_packet_copy *copy;
	struct vsplit_packet_bind *bind;
	struct vsplit_bo *a;
	uint32_t at;

	setup_plain();
	a = build_good();
	/* No entry for the bind. */
	cs->nr_patches = 0;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	/* Two entries for the bind. */
	cs->nr_patches = 1;
	vsplit_cs_patch(cs, 0, 0, 0, 8, 0);
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->nr_patches = 1;
	/* An entry with another slot. */
	cs->patches[0].slot = 1;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->patches[0].slot = 0;
	/* Reserved bits of SlotId, one by one. */
	for (unsigned int bit = 24; bit < 32; bit++) {
		cs->patches[0].slot = 1u << bit;
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	cs->patches[0].slot = 0;
	/* An offset outside the allocation. */
	cs->patches[0].alloc_offset = a->size;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->patches[0].alloc_offset = 0xffffffff;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->patches[0].alloc_offset = 0;
	/* Fields that the client may not write. */
	bind = (struct vsplit_packet_bind *)cs->stream;
	bind->address = 1;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	bind->address = 0;
	bind->size = 4096;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	bind->size = 0;
	for (unsigned int bit = 0; bit < 8; bit++) {
		bind->head.flags = 1u << bit;
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	bind->head.flags = 0;
	vsplit_cs_run(cs, ctx, 0);

	/* An address operand inside a command. */
	vsplit_cs_copy(cs, 0, 0, 0, 4096, 64);
	at = cs->bytes - sizeof(*copy);
	copy = (struct vsplit_packet_copy *)(cs->stream + at);
	copy->src.flags = VSPLIT_OPERAND_ADDRESS;
	copy->src.value = 0;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	vsplit_cs_patch(cs, 0, 0, 4096, at + offsetof(struct vsplit_packet_copy, src.value), 0);
	vsplit_cs_run(cs, ctx, 0);
	copy->src.value = 8;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	copy->src.value = 0;
	/* The NULL allocation for an access. */
	cs->patches[1].alloc = vsplit_cs_null(cs);
	cs->patches[1].alloc_offset = 0;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->patches[1].alloc = 0;
	/* An entry for an operand that is no address. */
	copy->src.flags = 0;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->nr_patches = 1;
	vsplit_cs_run(cs, ctx, 0);
}

/**
 * SUBTEST: packets
 * Description: Packets with each reserved bit set, unknown opcodes, and wrong sizes are refused.
 */
static void test_packets(void)
{
	/* The size of each packet that has a fixed size. */
	struct vsplit_packet *head;
	uint32_t sizes[VSPLIT_OP_COUNT] = {
		[VSPLIT_OP_STATE] = sizeof(struct vsplit_packet_state),
		[VSPLIT_OP_FILL] = sizeof(struct vsplit_packet_fill),
		[VSPLIT_OP_COPY] = sizeof(struct vsplit_packet_copy),
		[VSPLIT_OP_COPY_2D] = sizeof(struct vsplit_packet_copy_2d),
		[VSPLIT_OP_MMA] = sizeof(struct vsplit_packet_mma),
		[VSPLIT_OP_ATOMIC_ADD] = sizeof(struct vsplit_packet_store),
		[VSPLIT_OP_STORE] = sizeof(struct vsplit_packet_store),
		[VSPLIT_OP_TIMESTAMP] = sizeof(struct vsplit_packet_timestamp),
		[VSPLIT_OP_SPIN] = sizeof(struct vsplit_packet_spin),
		[VSPLIT_OP_DRAW] = sizeof(struct vsplit_packet_draw),
	};
	static const uint8_t flags[VSPLIT_OP_COUNT] = {
		[VSPLIT_OP_COPY_2D] = VSPLIT_COPY_2D_SRC_TILED | VSPLIT_COPY_2D_DST_TILED,
		[VSPLIT_OP_MMA] = VSPLIT_MMA_ACCUMULATE,
		[VSPLIT_OP_DRAW] = 0xff,
	};

	setup_plain();
	for (unsigned int op = 0; op < 256; op++) {
		vsplit_cs_reset(cs);
		vsplit_cs_nop(cs, 64);
		head = (struct vsplit_packet *)cs->stream;
		head->op = op;
		if (op >= VSPLIT_OP_COUNT)
			vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	for (unsigned int op = 0; op < VSPLIT_OP_COUNT; op++) {
		if (!sizes[op])
			continue;
		/* A packet of this size that would run if nothing else were wrong. */
		for (uint32_t size = 0; size < 256; size += 4) {
			struct vsplit_packet p = { .op = op, .size = size };

			if (size == sizes[op])
				continue;
			vsplit_cs_reset(cs);
			vsplit_cs_packet(cs, NULL, 256);
			memcpy(cs->stream, &p, sizeof(p));
			/* Whatever follows it, this packet is wrong. */
			vsplit_cs_refused(cs, ctx, 0, -EINVAL);
		}
		for (unsigned int bit = 0; bit < 8; bit++) {
			struct vsplit_packet p = { .op = op, .size = sizes[op], .flags = 1u << bit };

			if (flags[op] & 1u << bit)
				continue;
			vsplit_cs_reset(cs);
			vsplit_cs_packet(cs, NULL, sizes[op]);
			memcpy(cs->stream, &p, sizeof(p));
			vsplit_cs_refused(cs, ctx, 0, -EINVAL);
		}
		for (unsigned int bit = 0; bit < 32; bit++) {
			struct vsplit_packet p = { .op = op, .size = sizes[op], .arg = 1u << bit };

			if (op == VSPLIT_OP_STATE || op == VSPLIT_OP_SPIN)
				continue;
			vsplit_cs_reset(cs);
			vsplit_cs_packet(cs, NULL, sizes[op]);
			memcpy(cs->stream, &p, sizeof(p));
			vsplit_cs_refused(cs, ctx, 0, -EINVAL);
		}
	}
	/* NOPs may have any size that is a multiple of 8, and any content. */
	for (uint32_t size = 0; size <= 128; size++) {
		struct vsplit_packet p = { .op = VSPLIT_OP_NOP, .size = size };

		vsplit_cs_reset(cs);
		vsplit_cs_packet(cs, NULL, size < 8 ? 8 : (size + 7) / 8 * 8);
		memset(cs->stream, 0xff, cs->bytes);
		p.flags = 0;
		memcpy(cs->stream, &p, sizeof(p));
		if (size && size % 8 == 0)
			vsplit_cs_run(cs, ctx, 0);
		else
			vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	/* The last packet sticks out. */
	vsplit_cs_reset(cs);
	vsplit_cs_nop(cs, 64);
	((struct vsplit_packet *)cs->stream)->size = 72;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	/* State registers, and the upper bits of their values. */
	for (uint32_t reg = 0; reg < 16; reg++) {
		vsplit_cs_reset(cs);
		vsplit_cs_state(cs, reg, 0xffffffff);
		if (reg < VSPLIT_STATE_COUNT)
			vsplit_cs_run(cs, ctx, 0);
		else
			vsplit_cs_refused(cs, ctx, 0, -EINVAL);
		vsplit_cs_reset(cs);
		vsplit_cs_state(cs, reg % VSPLIT_STATE_COUNT, 1ull << (32 + reg * 2));
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	vsplit_cs_reset(cs);
	vsplit_cs_state(cs, 0xffffffff, 0);
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	/* Spins that are too long. */
	vsplit_cs_reset(cs);
	vsplit_cs_spin(cs, VSPLIT_SPIN_MAX_US + 1);
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
}

/**
 * SUBTEST: operands
 * Description: Slots beyond the table, undefined operand flags, and invalid matrix dimensions and
 *   rectangles are refused.
 */
static void test_operands(void)
{
	static const uint32_t slots[] = { 16, 17, 0x1000000, 0xffffffff };
	struct vsplit_packet_mma *mma;
	struct vsplit_bo *a;

	setup_plain();
	a = vsplit_bo(fd, 'A', 64 * U);
	for (unsigned int i = 0; i < ARRAY_SIZE(slots); i++) {
		for (unsigned int which = 0; which < 7; which++) {
			vsplit_cs_reset(cs);
			vsplit_cs_bind(cs, 0, a);
			vsplit_cs_state(cs, VSPLIT_STATE_FILL, 1);
			switch (which) {
			case 0:
				vsplit_cs_fill(cs, slots[i], 0, 8);
				break;
			case 1:
				vsplit_cs_copy(cs, slots[i], 0, 0, 0, 8);
				break;
			case 2:
				vsplit_cs_copy(cs, 0, 0, slots[i], 0, 8);
				break;
			case 3:
				vsplit_cs_add(cs, slots[i], 0, 8);
				break;
			case 4:
				vsplit_cs_timestamp(cs, slots[i], 0);
				break;
			case 5:
				vsplit_cs_mma(cs, 0, 0, 0, 0, 0, slots[i], 0, 1, 1, 1);
				break;
			case 6:
				vsplit_cs_copy_2d(cs, 0, 0, slots[i], 0, 8, 8, 0);
				break;
			}
			vsplit_cs_refused(cs, ctx, 0, -EINVAL);
		}
	}
	for (unsigned int bit = 1; bit < 32; bit++) {
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_copy(cs, 0, 0, 0, 64, 8);
		((struct vsplit_packet_copy *)(cs->stream + 24))->dst.flags = 1u << bit;
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	for (unsigned int i = 0; i < 10; i++) {
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_mma(cs, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4);
		mma = (struct vsplit_packet_mma *)(cs->stream + 24);
		switch (i) {
		case 0:
			mma->m = 0;
			break;
		case 1:
			mma->n = 0;
			break;
		case 2:
			mma->k = 0;
			break;
		case 3:
			mma->m = VSPLIT_MMA_MAX_DIM + 1;
			break;
		case 4:
			mma->n = VSPLIT_MMA_MAX_DIM + 1;
			break;
		case 5:
			mma->k = VSPLIT_MMA_MAX_DIM + 1;
			break;
		case 6:
			mma->m = 0xffffffff;
			break;
		case 7:
			mma->reserved = 1;
			break;
		case 8:
			mma->reserved = 1u << 31;
			break;
		case 9:
			mma->k = 0x80000000;
			break;
		}
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
	/* Tiled surfaces consist of whole tiles. */
	for (unsigned int i = 0; i < 4; i++) {
		vsplit_cs_reset(cs);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_state(cs, VSPLIT_STATE_SRC_PITCH, 128);
		vsplit_cs_state(cs, VSPLIT_STATE_DST_PITCH, 128);
		vsplit_cs_copy_2d(cs, 0, 0, 0, 32768, i & 1 ? 63 : 64, i & 1 ? 64 : 65,
				  i & 2 ? VSPLIT_COPY_2D_SRC_TILED : VSPLIT_COPY_2D_DST_TILED);
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	}
}

/**
 * SUBTEST: syncs
 * Description: Unknown syncobjs, syncobjs without a fence, points without the timeline flag or the
 *   flag without a point, and points that do not grow are refused.
 */
static void test_syncs(void)
{
	uint32_t empty, timeline, bad[] = { 0, 12345, 0xffffffff };

	setup_plain();
	build_good();
	empty = vsplit_syncobj(fd);
	timeline = vsplit_syncobj(fd);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		vsplit_cs_wait_for(cs, bad[i], 0);
		vsplit_cs_refused(cs, ctx, 0, -ENOENT);
		cs->nr_syncs = 0;
		vsplit_cs_wait_for(cs, bad[i], 5);
		vsplit_cs_refused(cs, ctx, 0, -ENOENT);
		cs->nr_syncs = 0;
		vsplit_cs_signal(cs, bad[i], 0);
		vsplit_cs_refused(cs, ctx, 0, -ENOENT);
		cs->nr_syncs = 0;
		vsplit_cs_signal(cs, bad[i], 5);
		vsplit_cs_refused(cs, ctx, 0, -ENOENT);
		cs->nr_syncs = 0;
	}
	vsplit_cs_wait_for(cs, empty, 0);
	vsplit_cs_refused(cs, ctx, 0, -ENOENT);
	cs->nr_syncs = 0;
	vsplit_cs_wait_for(cs, empty, 3);
	vsplit_cs_refused(cs, ctx, 0, -ENOENT);
	cs->nr_syncs = 0;
	/* A point without the flag, and the flag without a point. */
	vsplit_cs_signal(cs, timeline, 7);
	cs->syncs[0].flags &= ~VSPLIT_SYNC_TIMELINE;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->syncs[0].flags |= VSPLIT_SYNC_TIMELINE;
	cs->syncs[0].point = 0;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	/* Points must grow. */
	cs->syncs[0].point = 10;
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	vsplit_cs_reference(cs, 0);
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->syncs[0].point = 9;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->syncs[0].point = 11;
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	/* Within one submission, too. */
	vsplit_cs_signal(cs, timeline, 20);
	cs->syncs[0].point = 20;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->syncs[1].point = 19;
	vsplit_cs_refused(cs, ctx, 0, -EINVAL);
	cs->syncs[1].point = 21;
	vsplit_cs_submit_and_wait(cs, ctx, 0);
	/* A point that no submission will signal. */
	cs->nr_syncs = 0;
	vsplit_cs_wait_for(cs, timeline, 22);
	vsplit_cs_refused(cs, ctx, 0, -ENOENT);
}

static const struct vsplit_subtest tests[] = {
	{ "limits", test_limits,
	  "One more than each published limit gives -E2BIG; a stream of the largest length is "
	  "accepted" },
	{ "limit-syncs", test_limit_syncs,
	  "A submission may have as many syncs as the limit allows" },
	{ "allocation-list", test_allocation_list,
	  "A list that names an allocation twice is refused. The NULL element is no allocation." },
	{ "patch-list", test_patch_list,
	  "A patch-location list is refused if an operand has no entry or several, or an entry has "
	  "no valid operand" },
	{ "packets", test_packets,
	  "Packets with each reserved bit set, unknown opcodes, and wrong sizes are refused" },
	{ "operands", test_operands,
	  "Slots beyond the table, undefined operand flags, and invalid matrix dimensions and "
	  "rectangles are refused" },
	{ "syncs", test_syncs,
	  "Unknown syncobjs, syncobjs without a fence, points without the timeline flag or the "
	  "flag without a point, and points that do not grow are refused" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
