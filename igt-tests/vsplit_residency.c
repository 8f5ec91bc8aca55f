// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit residency
 * Description: The allocations in memory while a portion runs, those that a split keeps, and those
 *   that may leave: SPLIT-16, SPLIT-17, SPLIT-19, SPLIT-26 to SPLIT-28, SPLIT-31, SPLIT-32; and
 *   where they go. Documentation/splitting.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: splitting
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_split.h"

IGT_TEST_DESCRIPTION("The allocations in memory while a portion runs, those that a split keeps, "
		     "and those that may leave: SPLIT-16, SPLIT-17, SPLIT-19, SPLIT-26 to "
		     "SPLIT-28, SPLIT-31, SPLIT-32; and where they go.");

/* ---- SPLIT-16, 17, 19: while a portion runs ---------------------------- */

/**
 * SUBTEST: split-16-resident-and-patched-at-portion-start
 * Description: The allocations of a SplitOffset's group are resident, at the addresses that the
 *   portion uses, before the portion begins.
 */
static void test_split_16(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *a[4];

	setup_vram();
	for (unsigned int i = 0; i < 4; i++) {
		a[i] = bo('A' + i, 150);
		vsplit_bo_pattern(a[i], i);
	}
	/* Twice round, so that each comes back with the bytes that it had. */
	for (unsigned int i = 0; i < 8; i++) {
		vsplit_cs_bind(cs, 0, a[i % 4]);
		vsplit_cs_copy(cs, 0, 4096 * (i + 1), 0, 0, 4096);
	}
	rec = run();
	check_portions(rec, 8);
	for (uint32_t p = 0; vsplit_exact() && p < 8; p++) {
		const struct drm_vsplit_event *in = vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, a[p % 4], p);
		const struct drm_vsplit_row *row = vsplit_row(rec, p, 0);

		igt_assert(in && row);
		igt_assert(in->t1_ns <= vsplit_portion(rec, p)->t0_ns);
		igt_assert_eq(row->handle, a[p % 4]->handle);
		igt_assert_eq(row->segment, in->segment);
		igt_assert_eq_u64(row->offset, in->at);
	}
}

/**
 * SUBTEST: split-17-earlier-commands-run-while-it-is-absent
 * Description: The portion before a split runs while the allocation that the split waits for is not
 *   in memory.
 */
static void test_split_17(void)
{
	const struct drm_vsplit_event *p0, *in;
	struct vsplit_record *rec;
	struct vsplit_bo *c;

	setup_vram();
	c = bo('C', 200);
	group(0, bo('A', 200), 1);
	vsplit_cs_spin(cs, 20000);
	work(0, 2);
	vsplit_cs_pad(cs, 0x400);
	group(0, c, 3);
	rec = run();
	check_portions(rec, 2);
	if (!vsplit_exact())
		return;
	p0 = vsplit_portion(rec, 0);
	in = vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, c, 1);
	igt_assert(p0 && in);
	igt_assert_eq(p0->end, 0x400);
	igt_assert(!vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, c, 0));
	igt_assert(p0->t1_ns - p0->t0_ns >= 20000000);
	igt_assert(in->t0_ns >= p0->t1_ns);
	igt_assert(vsplit_portion(rec, 1)->t0_ns >= in->t1_ns);
}

/**
 * SUBTEST: split-19-replaced-stays-until-a-split
 * Description: A replaced allocation is still in the portion's working set: its memory is not taken
 *   without a split (A5).
 */
static void test_split_19(void)
{
	const struct drm_vsplit_event *out;
	struct vsplit_record *rec;
	struct vsplit_bo *a;

	setup_vram();
	a = bo('A', 128);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_spin(cs, 20000);
	vsplit_cs_set(cs, 0, 0, a->size, 0x33333333);
	vsplit_cs_pad(cs, 0x400);
	group(0, bo('B', 64), 2);
	vsplit_cs_pad(cs, 0x800);
	group(1, bo('C', 96), 3);
	work(0, 4);
	vsplit_cs_pad(cs, 0xc00);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x800);
	check_cut(rec, 1, 0x800, 0xc00);
	if (!vsplit_exact())
		return;
	igt_assert(!vsplit_step(rec, VSPLIT_EVENT_EVICT, a, 0));
	out = vsplit_step(rec, VSPLIT_EVENT_EVICT, a, 1);
	igt_assert(out);
	igt_assert(out->t0_ns >= vsplit_portion(rec, 0)->t1_ns);
}

/**
 * SUBTEST: split-19-replaced-leaves-at-the-split
 * Description: At a taken split a replaced allocation no longer counts, even though it was replaced
 *   before the split.
 */
static void test_split_19_leaves(void)
{
	struct vsplit_record *rec;

	setup_vram();
	/* 256 units only fit if all that was replaced is gone. */
	group(0, bo('A', 100), 1);
	group(0, bo('B', 100), 2);
	group(0, bo('C', 50), 3);
	vsplit_cs_pad(cs, 0x400);
	group(0, bo('D', 256), 4);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x400);
}

/* ---- SPLIT-26 … 28: what a split keeps --------------------------------- */

/**
 * SUBTEST: split-26-kept-set-is-the-table-minus-the-group
 * Description: A split keeps exactly the allocations that the table has in slots that the group
 *   does not name.
 */
static void test_split_26(void)
{
	struct vsplit_bo *a, *b, *c, *r;
	struct vsplit_record *rec;

	setup_vram();
	a = bo('A', 64);
	b = bo('B', 64);
	c = bo('C', 64);
	r = bo('R', 60);
	vsplit_cs_bind(cs, 3, r);	/* replaced below: not in the table */
	work(3, 1);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 2, c);
	work(0, 2);
	work(2, 3);
	vsplit_cs_unbind(cs, 3);
	group(1, b, 4);
	vsplit_cs_pad(cs, 0x400);
	/* Fits only if B and R leave, and is correct only if A and C stay. */
	vsplit_cs_bind(cs, 1, bo('D', 68));
	vsplit_cs_bind(cs, 4, bo('E', 60));
	for (unsigned int slot = 0; slot < 5; slot++)
		if (slot != 3)
			work(slot, 5 + slot);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x400);
	if (!vsplit_exact())
		return;
	igt_assert_eq(vsplit_count_bo(rec, a), 1);
	igt_assert_eq(vsplit_count_bo(rec, c), 1);
	igt_assert(vsplit_step(rec, VSPLIT_EVENT_EVICT, b, 1));
	igt_assert(vsplit_step(rec, VSPLIT_EVENT_EVICT, r, 1));
}

/**
 * SUBTEST: split-26-kept-while-any-slot-holds-it
 * Description: An allocation in two slots is kept unless the group names both.
 */
static void test_split_26_two_slots(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *a;

	setup_vram();
	a = bo('A', 100);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, a);
	work(0, 1);
	group(2, bo('B', 100), 2);
	vsplit_cs_pad(cs, 0x200);
	vsplit_cs_bind(cs, 0, bo('C', 40));
	vsplit_cs_bind(cs, 2, bo('D', 110));
	work(1, 3);
	work(0, 4);
	work(2, 5);
	vsplit_cs_pad(cs, 0x400);
	rec = run();
	check_portions(rec, 2);
	igt_assert_eq(vsplit_row(rec, rec->info.num_portions - 1, 1)->handle, a->handle);
	if (vsplit_exact())
		igt_assert_eq(vsplit_count_bo(rec, a), 1);
	/* Now a group that needs A's memory: it fails if one slot keeps A … */
	vsplit_cs_bind(cs, 0, bo('E', 200));
	vsplit_cs_unbind(cs, 2);
	work(0, 6);
	vsplit_cs_pad(cs, 0x600);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	/* … and works once the group names both slots. */
	vsplit_cs_reset(cs);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, a);
	work(0, 1);
	vsplit_cs_bind(cs, 0, bo('F', 200));
	vsplit_cs_unbind(cs, 1);
	work(0, 2);
	rec = run();
	check_portions(rec, 2);
}

/**
 * SUBTEST: split-27-kept-rows-keep-their-address
 * Description: Over many splits a kept row stays at its segment and offset, and the GPU reaches it
 *   there without a new bind.
 */
static void test_split_27(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *a, *b;
	uint64_t at;

	setup_vram();
	/* Not at the start of memory. */
	group(0, bo('Y', 33), 1);
	a = bo('A', 32);
	b = bo('B', 7);
	vsplit_cs_bind(cs, 5, a);
	vsplit_cs_bind(cs, 6, b);
	vsplit_cs_set(cs, 5, 0, a->size, 0x44444444);
	for (unsigned int i = 0; i < 10; i++) {
		group(0, bo('C' + i, 100 + 5 * i), i);
		vsplit_cs_add(cs, 5, 8 * i, i);
		vsplit_cs_copy(cs, 6, 64 * i, 5, 0, 64);
	}
	rec = run();
	igt_assert(rec->info.num_portions >= 5);
	at = vsplit_row(rec, vsplit_exact() ? 0 : 2, 5)->offset;
	for (uint32_t p = vsplit_exact() ? 0 : 2; p < rec->info.num_portions; p++) {
		igt_assert_eq_u64(vsplit_row(rec, p, 5)->offset, at);
		igt_assert_eq(vsplit_row(rec, p, 5)->segment, 1);
	}
	igt_assert_eq(vsplit_count_bo(rec, a), 1);
	igt_assert_eq(vsplit_count_bo(rec, b), 1);
}

/**
 * SUBTEST: split-28-unused-may-leave
 * Description: Allocations that are no longer in use, because they were unbound or replaced, may be
 *   evicted, all of them if needed; allocations in use are not. Their bytes are right when they are
 *   used again. If less is needed, the driver chooses which of them leave (A6).
 */
static void test_split_28(void)
{
	struct vsplit_bo *a, *b, *c;
	struct vsplit_record *rec;

	setup_vram();
	a = bo('A', 96);
	b = bo('B', 64);
	c = bo('C', 64);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_bind(cs, 2, c);
	for (unsigned int i = 0; i < 3; i++)
		work(i, i + 1);
	vsplit_cs_pad(cs, 0x400);
	/* There is room only if both B, replaced, and C, unbound, leave. */
	vsplit_cs_bind(cs, 1, bo('D', 128));
	vsplit_cs_unbind(cs, 2);
	work(0, 4);
	work(1, 5);
	vsplit_cs_pad(cs, 0x600);
	vsplit_cs_bind(cs, 1, c);
	vsplit_cs_bind(cs, 2, b);
	work(1, 6);
	work(2, 7);
	rec = run();
	igt_assert_eq(vsplit_count_bo(rec, a), 1);
	igt_assert(rec->info.num_portions > 1);
	igt_assert(vsplit_count_bo(rec, b) > 1);
	igt_assert(vsplit_count_bo(rec, c) > 1);
}

/* ---- SPLIT-31, 32: unbinding ------------------------------------------- */

/**
 * SUBTEST: split-31-unbind-clears-the-row
 * Description: After a NULL entry the row is empty: a command that uses it faults, and no stale
 *   address is left (A14).
 */
static void test_split_31(void)
{
	struct vsplit_bo *a;
	uint32_t at;

	setup_vram();
	a = bo('A', 8);
	group(2, a, 1);
	vsplit_cs_unbind(cs, 2);
	vsplit_cs_state(cs, VSPLIT_STATE_FILL, 1);
	at = cs->bytes;
	vsplit_cs_fill(cs, 2, 0, 64);
	check_fault(VSPLIT_FAULT_EMPTY_ROW, at, 2);
	vsplit_cs_reference(cs, at - sizeof(struct vsplit_packet_state) -
			    sizeof(struct vsplit_packet_bind));
	vsplit_bo_check(a);
	/* The same across a cut. */
	ctx = vsplit_ctx(fd, 0);
	vsplit_cs_submit(cs, ctx, VSPLIT_SUBMIT_FORCE_SPLIT);
	igt_assert(__vsplit_cs_wait(cs) != 0);
	igt_assert(!vsplit_row(vsplit_record(fd, ctx, cs->submission), 1, 2));
}

/**
 * SUBTEST: split-31-no-address-is-left
 * Description: Only the driver writes a row's address and size; for a NULL entry both are 0 (A14).
 *   A buffer in which the client has left an address of existing memory is refused as a whole.
 *   Without that address, the row is empty.
 */
static void test_split_31_address(void)
{
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];
	struct vsplit_packet_bind *bind;
	struct drm_vsplit_gem_info info;
	struct vsplit_bo *a;
	uint32_t at;

	setup_vram();
	igt_assert(vsplit_query_segments(fd, segs));
	a = vsplit_bo_in(fd, 'A', 8 * U, VSPLIT_GEM_PINNED, NULL);
	vsplit_info(a, &info);
	group(1, a, 1);
	at = cs->bytes;
	vsplit_cs_unbind(cs, 2);
	vsplit_cs_state(cs, VSPLIT_STATE_FILL, 1);
	vsplit_cs_fill(cs, 2, 0, 64);
	bind = (struct vsplit_packet_bind *)(cs->stream + at);
	for (unsigned int left = 1; left < 4; left++) {
		bind->address = left & 1 ? segs[info.segment - 1].base_address + info.offset : 0;
		bind->size = left & 2 ? a->size : 0;
		vsplit_cs_refused(cs, ctx, 0, -EINVAL);
		vsplit_bo_check(a);
	}
	bind->address = 0;
	bind->size = 0;
	check_fault(VSPLIT_FAULT_EMPTY_ROW, cs->bytes - sizeof(struct vsplit_packet_fill), 2);
	vsplit_cs_reference(cs, cs->bytes - sizeof(struct vsplit_packet_fill));
	vsplit_bo_check(a);
}

/**
 * SUBTEST: split-31-unbind-needs-no-memory
 * Description: An unbind never needs memory, never fails and never cuts, even if memory is full of
 *   pinned allocations.
 */
static void test_split_31_memory(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *pin;

	setup_vram();
	pin = vsplit_bo_in(fd, 'P', 256 * U, VSPLIT_GEM_PINNED, NULL);
	for (unsigned int i = 0; i < 20; i++) {
		vsplit_cs_unbind(cs, i);
		vsplit_cs_nop(cs, 8);
	}
	group(0, pin, 1);
	for (unsigned int i = 0; i < 20; i++) {
		vsplit_cs_unbind(cs, i);
		vsplit_cs_nop(cs, 8);
	}
	rec = run();
	check_portions(rec, 1);
	igt_assert_eq(rec->info.num_events, rec->info.num_portions);

	/* Nor does it if the buffer is cut for another reason. */
	vsplit_cs_reset(cs);
	vsplit_bo_free(pin);
	group(20, bo('A', 200), 1);
	for (unsigned int i = 0; i < 20; i++) {
		vsplit_cs_unbind(cs, i);
		vsplit_cs_nop(cs, 8);
	}
	vsplit_cs_pad(cs, 0x800);
	group(20, bo('B', 200), 2);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x800);
}

/**
 * SUBTEST: split-31-unbound-is-not-kept-later
 * Description: An unbound allocation is kept neither at a split there nor at a later one.
 */
static void test_split_31_later(void)
{
	struct vsplit_record *rec;

	setup_vram();
	group(0, bo('A', 200), 1);
	vsplit_cs_pad(cs, 0x100);
	vsplit_cs_unbind(cs, 0);
	vsplit_cs_pad(cs, 0x200);
	group(1, bo('B', 20), 2);
	vsplit_cs_pad(cs, 0x300);
	/* Exactly where A was. */
	vsplit_cs_bind(cs, 2, bo('C', 200));
	work(1, 3);
	work(2, 4);
	rec = run();
	check_portions(rec, 2);
	check_cut(rec, 0, 0, 0x300);
}

/**
 * SUBTEST: split-32-unbinding-widens-what-fits
 * Description: The largest allocation that a group may still bind, to the page: with nothing
 *   unbound in the group, with one of two allocations, with the other one, and with both.
 */
static void test_split_32(void)
{
	/*
	 * Room in one piece for C, of 256 units, indexed by which of A (at 0 to 128) and B (at 128
	 * to 192) are unbound. An allocation that stays bound does not move.
	 */
	static const unsigned int room[] = { 64, 128, 128, 256 };

	setup_vram();
	for (unsigned int unbound = 0; unbound < 4; unbound++) {
		struct vsplit_bo *a = bo('A', 128), *b = bo('B', 64);

		for (unsigned int too_much = 0; too_much < 2; too_much++) {
			vsplit_cs_reset(cs);
			vsplit_cs_bind(cs, 0, a);
			vsplit_cs_bind(cs, 1, b);
			work(0, 1);
			work(1, 2);
			for (unsigned int i = 0; i < 2; i++)
				if (unbound & 1u << i)
					vsplit_cs_unbind(cs, i);
			/*
			 * An allocation that is larger than memory is refused when it is created.
			 */
			group(2, bo('C', room[unbound] + (too_much && unbound < 3)), 3);
			if (too_much && unbound < 3)
				vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
			else
				run();
		}
	}
}

/* ---- segments ---------------------------------------------------------- */

/**
 * SUBTEST: segments-preference-and-fallback
 * Description: An allocation goes to the first of its segments that has room, and to the next if
 *   the first one is full of needed allocations. It never goes to a segment that is not in its
 *   list.
 */
static void test_segments(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = {
			{ "fast", .size = 64 * U },
			{ "slow", .size = 128 * U },
			{ "aper", true, .size = 128 * U },
		},
	};
	struct vsplit_bo *a, *b, *c, *d;
	struct vsplit_record *rec;
	uint32_t last;

	setup_opts(&opts);
	a = vsplit_bo_in(fd, 'A', 48 * U, 0, (uint8_t []) { 1, 2, 0 });
	b = vsplit_bo_in(fd, 'B', 48 * U, 0, (uint8_t []) { 1, 2, 3, 0 });
	c = vsplit_bo_in(fd, 'C', 48 * U, 0, (uint8_t []) { 3, 1, 0 });
	d = vsplit_bo_in(fd, 'D', 48 * U, 0, (uint8_t []) { 2, 0 });
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, b);
	vsplit_cs_bind(cs, 2, c);
	vsplit_cs_bind(cs, 3, d);
	for (unsigned int i = 0; i < 4; i++)
		vsplit_cs_set(cs, i, 0, 48 * U, i + 1);
	rec = run();
	check_portions(rec, 1);
	if (!vsplit_exact())
		return;
	igt_assert_eq(vsplit_row(rec, 0, 0)->segment, 1);
	igt_assert_eq(vsplit_row(rec, 0, 1)->segment, 2);
	igt_assert_eq(vsplit_row(rec, 0, 2)->segment, 3);
	igt_assert_eq(vsplit_row(rec, 0, 3)->segment, 2);
	/* One more for "fast" alone: others make room, because there is enough elsewhere. */
	group(0, vsplit_bo_in(fd, 'E', 40 * U, 0, (uint8_t []) { 1, 0 }), 9);
	rec = run();
	check_portions(rec, 1);
	igt_assert_eq(vsplit_row(rec, 0, 0)->segment, 1);
	/* And another one: both do not fit at once, so the buffer is split. */
	group(0, vsplit_bo_in(fd, 'F', 40 * U, 0, (uint8_t []) { 1, 0 }), 10);
	rec = run();
	check_portions(rec, 2);
	last = rec->info.num_portions - 1;
	igt_assert_eq(vsplit_row(rec, last, 0)->segment, 1);
	igt_assert_neq(vsplit_row(rec, last, 1)->segment, 1);
}

/**
 * SUBTEST: segments-commit-limit
 * Description: No more than the commit limit is resident at once, even if there is address space
 *   left. When the limit is reached, the buffer is split.
 */
static void test_commit_limit(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "aper", true, .size = 256 * U, .commit = 100 * U } },
	};
	struct vsplit_record *rec;

	setup_opts(&opts);
	for (unsigned int i = 0; i < 8; i++) {
		vsplit_cs_bind(cs, 0, bo('A' + i, 30));
		vsplit_cs_set(cs, 0, 0, 30 * U, i);
	}
	rec = run();
	check_portions(rec, 3);
	igt_assert_eq(vsplit_count(rec, VSPLIT_EVENT_PAGE_IN), 0);
	vsplit_cs_reset(cs);
	for (unsigned int i = 0; i < 4; i++)
		vsplit_cs_bind(cs, i, bo('a' + i, 30));
	work(0, 1);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
}

/**
 * SUBTEST: segments-aperture-split
 * Description: A buffer in an aperture segment is split like one in memory, without a transfer.
 */
static void test_aperture_split(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "aper", true, .size = 64 * U } },
	};
	struct drm_vsplit_statistics s0, s1;
	struct vsplit_record *rec;

	setup_opts(&opts);
	vsplit_query_statistics(fd, &s0);
	vsplit_cs_bind(cs, 1, bo('Z', 10));
	for (unsigned int i = 0; i < 6; i++) {
		struct vsplit_bo *a = bo('A' + i, 50);

		vsplit_bo_pattern(a, i);
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_copy(cs, 1, i * 4096, 0, 8192, 4096);
		vsplit_cs_set(cs, 0, 0, 4096, i);
	}
	rec = run();
	check_portions(rec, 6);
	vsplit_query_statistics(fd, &s1);
	igt_assert_eq_u64(s1.evicted_copied_bytes, s0.evicted_copied_bytes);
	igt_assert_eq_u64(s1.paged_in_copied_bytes, s0.paged_in_copied_bytes);
	igt_assert_eq_u64(s1.moved_bytes, s0.moved_bytes);
}

/* ---- placement --------------------------------------------------------- */

/**
 * SUBTEST: place-packs-what-can-be-packed
 * Description: A group that fits only without gaps is placed without gaps, whatever was resident
 *   before.
 */
static void test_pack(void)
{
	static const unsigned int sizes[] = { 7, 64, 31, 2, 100, 52 };
	struct vsplit_bo *a[ARRAY_SIZE(sizes)], *mess[8];

	setup_vram();
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		a[i] = bo('A' + i, sizes[i]);	/* 256 in all */
	for (unsigned int i = 0; i < 8; i++)
		mess[i] = bo('a' + i, 11 + 7 * i);
	for (unsigned int round = 0; round < 12; round++) {
		struct vsplit_rng rng = { 500 + round };

		for (unsigned int i = 0; i < 10; i++) {
			struct vsplit_bo *x = vsplit_rng_below(&rng, 2) ?
				mess[vsplit_rng_below(&rng, 8)] :
				a[vsplit_rng_below(&rng, ARRAY_SIZE(sizes))];

			vsplit_cs_reset(cs);
			group(0, x, i);
			run();
		}
		vsplit_cs_reset(cs);
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
			vsplit_cs_bind(cs, i, a[i]);
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
			work(i, round + i);
		check_portions(run(), 1);
	}
}

/**
 * SUBTEST: place-around-pinned
 * Description: Pinned allocations stay where they are. Others are placed around them, even if the
 *   list names the pinned ones.
 */
static void test_around_pinned(void)
{
	struct vsplit_bo *p1, *p2, *pin;
	struct drm_vsplit_gem_info before, after;
	struct vsplit_record *rec;

	setup_vram();
	p1 = vsplit_bo_in(fd, 'p', 60 * U, VSPLIT_GEM_PINNED, NULL);
	pin = vsplit_bo_in(fd, 'P', 40 * U, VSPLIT_GEM_PINNED, NULL);
	p2 = vsplit_bo_in(fd, 'q', 60 * U, VSPLIT_GEM_PINNED, NULL);
	vsplit_info(pin, &before);
	vsplit_bo_pattern(pin, 5);
	vsplit_bo_free(p1);
	vsplit_bo_free(p2);
	for (unsigned int i = 0; i < 6; i++) {
		if (i & 1)
			vsplit_cs_bind(cs, 1, pin);
		vsplit_cs_bind(cs, 0, bo('A' + i, 100));
		if (i & 1)
			vsplit_cs_copy(cs, 0, 0, 1, 0, 40 * U);
		else
			work(0, i);
	}
	rec = run();
	igt_assert(rec->info.num_portions >= 5);
	igt_assert_eq(vsplit_count_bo(rec, pin), 0);
	vsplit_info(pin, &after);
	igt_assert_eq_u64(after.offset, before.offset);
}

static const struct vsplit_subtest tests[] = {
	{ "split-16-resident-and-patched-at-portion-start", test_split_16,
	  "The allocations of a SplitOffset's group are resident, at the addresses that the "
	  "portion uses, before the portion begins" },
	{ "split-17-earlier-commands-run-while-it-is-absent", test_split_17,
	  "The portion before a split runs while the allocation that the split waits for is not in "
	  "memory" },
	{ "split-19-replaced-stays-until-a-split", test_split_19,
	  "A replaced allocation is still in the portion's working set: its memory is not taken "
	  "without a split (A5)" },
	{ "split-19-replaced-leaves-at-the-split", test_split_19_leaves,
	  "At a taken split a replaced allocation no longer counts, even though it was replaced "
	  "before the split" },
	{ "split-26-kept-set-is-the-table-minus-the-group", test_split_26,
	  "A split keeps exactly the allocations that the table has in slots that the group does "
	  "not name" },
	{ "split-26-kept-while-any-slot-holds-it", test_split_26_two_slots,
	  "An allocation in two slots is kept unless the group names both" },
	{ "split-27-kept-rows-keep-their-address", test_split_27,
	  "Over many splits a kept row stays at its segment and offset, and the GPU reaches it "
	  "there without a new bind" },
	{ "split-28-unused-may-leave", test_split_28,
	  "Allocations that are no longer in use, because they were unbound or replaced, may be "
	  "evicted, all of them if needed; allocations in use are not" },
	{ "split-31-unbind-clears-the-row", test_split_31,
	  "After a NULL entry the row is empty: a command that uses it faults, and no stale "
	  "address is left (A14)" },
	{ "split-31-no-address-is-left", test_split_31_address,
	  "Only the driver writes a row's address and size; for a NULL entry both are 0 (A14)" },
	{ "split-31-unbind-needs-no-memory", test_split_31_memory,
	  "An unbind never needs memory, never fails and never cuts, even if memory is full of "
	  "pinned allocations" },
	{ "split-31-unbound-is-not-kept-later", test_split_31_later,
	  "An unbound allocation is kept neither at a split there nor at a later one" },
	{ "split-32-unbinding-widens-what-fits", test_split_32,
	  "Each allocation that a group unbinds widens, to the page, what the group may still "
	  "bind" },
	{ "segments-preference-and-fallback", test_segments,
	  "An allocation goes to the first of its segments that has room, and to the next if the "
	  "first one is full of needed allocations" },
	{ "segments-commit-limit", test_commit_limit,
	  "No more than the commit limit is resident at once, even if there is address space left. "
	  "When the limit is reached, the buffer is split." },
	{ "segments-aperture-split", test_aperture_split,
	  "A buffer in an aperture segment is split like one in memory, without a transfer" },
	{ "place-packs-what-can-be-packed", test_pack,
	  "A group that fits only without gaps is placed without gaps, whatever was resident "
	  "before" },
	{ "place-around-pinned", test_around_pinned,
	  "Pinned allocations stay where they are. Others are placed around them, even if the list "
	  "names the pinned ones." },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
