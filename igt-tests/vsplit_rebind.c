// SPDX-License-Identifier: MIT
/**
 * TEST: vsplit rebind
 * Description: Effects of binding again at a split: allocations that are bound again may move, and
 *   no others: SPLIT-33 to SPLIT-38; Documentation/splitting.rst has the table.
 * Category: Core
 * Mega feature: Memory management
 * Sub-category: vsplit
 * Functionality: splitting
 * Test category: functionality test
 */
#include "igt.h"
#include "igt_vsplit_split.h"

IGT_TEST_DESCRIPTION("Effects of binding again at a split: allocations that are bound again may "
		     "move, and no others: SPLIT-33 to SPLIT-38; Documentation/splitting.rst has "
		     "the table.");

/* Three allocations that fill memory: slot 1 has X, in the middle. */
static void bind_full(void)
{
	vsplit_cs_bind(cs, 0, bo('P', 96));
	vsplit_cs_bind(cs, 1, bo('X', 64));
	vsplit_cs_bind(cs, 2, bo('Q', 96));
}

/**
 * SUBTEST: split-33-rebinding-costs-nothing
 * Description: A large allocation that is bound again at every split point is accepted, and is not
 *   transferred as long as it need not move.
 */
static void test_split_33(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *a;

	setup_vram();
	a = bo('A', 64);
	for (unsigned int i = 0; i < 8; i++) {
		vsplit_cs_bind(cs, 0, a);
		vsplit_cs_bind(cs, 1, bo('B' + i, 128));
		work(0, i + 1);
		work(1, i + 1);
	}
	rec = run();
	check_portions(rec, 8);
	if (vsplit_exact())
		igt_assert_eq(vsplit_count_bo(rec, a), 1);
}

/**
 * SUBTEST: split-34-not-rebound-stays-in-place
 * Description: A bound allocation that is not bound again stays in place, even if moving it would
 *   let the rest fit. If it is bound again, it moves.
 */
static void test_split_34(void)
{
	struct vsplit_record *rec;

	setup_vram();
	build_w3(false, U);
	vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
	/* If R is smaller, it fits beside X, and X stays. */
	vsplit_cs_reset(cs);
	bind_full();
	work(1, 1);
	vsplit_cs_unbind(cs, 0);
	vsplit_cs_unbind(cs, 2);
	vsplit_cs_bind(cs, 3, bo('R', 90));
	work(1, 2);
	work(3, 3);
	rec = run();
	check_portions(rec, 2);
	if (vsplit_exact())
		igt_assert_eq_u64(vsplit_row(rec, 1, 1)->offset, 96 * U);
	/*
	 * If X is bound again, it makes room for R, which does not fit beside X in its old place.
	 */
	vsplit_cs_reset(cs);
	build_w3(true, U);
	rec = run();
	igt_assert(rec->info.num_portions > 1);
	if (vsplit_exact())
		igt_assert(vsplit_row(rec, 1, 1)->offset != 96 * U);
}

/**
 * SUBTEST: split-35-fragmentation-is-a-failure
 * Description: If the free memory is large enough, but not in one piece, the set does not fit. A
 *   size that fits into the largest hole works.
 */
static void test_split_35(void)
{
	setup_vram();
	vsplit_not_under("random_placement", "free memory is in other pieces");
	for (unsigned int size = 95; size <= 98; size++) {
		vsplit_cs_reset(cs);
		bind_full();
		work(1, 1);
		vsplit_cs_unbind(cs, 0);
		vsplit_cs_unbind(cs, 2);
		/* Another small one, so that the free memory is in two pieces. */
		vsplit_cs_bind(cs, 3, bo('R', size));
		vsplit_cs_bind(cs, 4, bo('S', 64));
		work(3, 3);
		work(4, 3);
		vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
		if (size <= 96)
			check_portions(run(), 2);
		else
			vsplit_cs_refused(cs, ctx, 0, -ENOSPC);
		for (unsigned int i = 0; i < cs->nr_allocs; i++)
			if (cs->bos[i])
				vsplit_bo_free(cs->bos[i]);
	}
}

/**
 * SUBTEST: split-36-whole-group-is-reprogrammed
 * Description: Slots that are named in the group after the entry that does not fit count as
 *   reprogrammed, too.
 */
static void test_split_36(void)
{
	struct vsplit_record *rec;

	setup_vram();
	/* The unbind is behind the bind that fails. */
	build_w1(false, true);
	rec = run();
	check_portions(rec, 3);
	check_cut(rec, 1, 0x400, 0x800);
	check_cut(rec, 2, 0x800, 0xc00);
	/* The re-bind of the allocation that must move is behind it, too. */
	vsplit_cs_reset(cs);
	bind_full();
	vsplit_cs_set(cs, 1, 0, 4096, 0x55555555);
	vsplit_cs_bind(cs, 3, bo('R', 128));
	vsplit_cs_bind(cs, 1, cs->bos[1]);
	vsplit_cs_unbind(cs, 0);
	vsplit_cs_unbind(cs, 2);
	work(1, 1);
	work(3, 2);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	rec = run();
	check_portions(rec, 2);
}

/**
 * SUBTEST: split-37-rebound-may-move
 * Description: An allocation that the group binds again may move at that split. Its bytes move with
 *   it, and commands of the next portion reach them there.
 */
static void test_split_37(void)
{
	const struct drm_vsplit_event *move;
	struct vsplit_record *rec;
	struct vsplit_bo *x;

	setup_vram();
	build_w3(true, U);
	x = cs->bos[1];
	rec = run();
	check_portions(rec, 2);
	if (!vsplit_exact())
		return;
	move = vsplit_step(rec, VSPLIT_EVENT_MOVE, x, 1);
	igt_assert(move);
	igt_assert_eq_u64(move->from, 96 * U);
	igt_assert(move->at != move->from);
	igt_assert_eq_u64(vsplit_row(rec, 0, 1)->offset, move->from);
	igt_assert_eq_u64(vsplit_row(rec, 1, 1)->offset, move->at);
	igt_assert(move->t0_ns >= vsplit_portion(rec, 0)->t1_ns);
	igt_assert(move->t1_ns <= vsplit_portion(rec, 1)->t0_ns);
}

/*
 * Memory is full of pieces. Every other piece is unbound, and the rest are bound again in another
 * order. A set of allocations then needs the freed memory in one piece, so that several pieces move
 * at once, onto the places of others.
 */
static void overlap_many(unsigned int round)
{
	enum { N = 8 };
	struct vsplit_rng rng = { 3700 + round };
	unsigned int size[N], order[N / 2], rest = 256;
	struct vsplit_bo *a[N];

	vsplit_cs_reset(cs);
	for (unsigned int i = 0; i < N; i++) {
		size[i] = i == N - 1 ? rest : 16 + vsplit_rng_below(&rng, 32);
		rest -= size[i];
		a[i] = bo('A' + i, size[i]);
		vsplit_bo_pattern(a[i], 10 * round + i);
		vsplit_cs_bind(cs, i, a[i]);
	}
	for (unsigned int i = 0; i < N; i++)
		vsplit_cs_set(cs, i, 4096, 64, i);
	for (unsigned int i = 0; i < N / 2; i++) {
		unsigned int j = vsplit_rng_below(&rng, i + 1);

		order[i] = order[j];
		order[j] = 2 * i + 1;
		rest += size[2 * i];
	}
	for (unsigned int i = 0; i < N; i += 2)
		vsplit_cs_unbind(cs, i);
	for (unsigned int i = 0; i < N / 2; i++)
		vsplit_cs_bind(cs, order[i], a[order[i]]);
	vsplit_cs_bind(cs, N, bo('R', rest));
	for (unsigned int i = 0; i < N / 2; i++)
		vsplit_cs_copy(cs, N, 4096 * i, order[i], 4096, 4096);
	vsplit_escape(fd, VSPLIT_ESCAPE_EVICT_ALL, 0, 0);
	check_portions(run(), 2);
	for (unsigned int i = 0; i < cs->nr_allocs; i++)
		if (cs->bos[i])
			vsplit_bo_free(cs->bos[i]);
}

/**
 * SUBTEST: split-37-overlapping-move
 * Description: A move by less than the allocation's size keeps its bytes.
 */
static void test_split_37_overlap(void)
{
	struct vsplit_record *rec;
	struct vsplit_bo *x;

	setup_vram();
	x = bo('X', 120);
	vsplit_bo_pattern(x, 3);
	vsplit_cs_bind(cs, 0, bo('P', 40));
	vsplit_cs_bind(cs, 1, x);
	vsplit_cs_bind(cs, 2, bo('Q', 96));
	vsplit_cs_set(cs, 1, 4096, 4096, 0x66666666);
	vsplit_cs_unbind(cs, 0);
	vsplit_cs_unbind(cs, 2);
	vsplit_cs_bind(cs, 1, x);
	vsplit_cs_bind(cs, 3, bo('R', 136));
	vsplit_cs_copy(cs, 3, 0, 1, 0, x->size);
	rec = run();
	check_portions(rec, 2);
	if (vsplit_exact())
		igt_assert(vsplit_step(rec, VSPLIT_EVENT_MOVE, x, 1) ||
			   vsplit_step(rec, VSPLIT_EVENT_EVICT, x, 1));
	for (unsigned int round = 0; round < 12; round++)
		overlap_many(round);
}

/*
 * Memory of @blocks blocks of 16 units. Allocations that are not bound again at the split leave
 * holes.
 */
static void setup_blocks(unsigned int blocks)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = blocks * 16 * U } },
	};

	setup_opts(&opts);
}

static struct vsplit_bo *block(char name, unsigned int blocks, unsigned int align)
{
	struct drm_vsplit_gem_create args = { .size = blocks * 16 * U, .alignment = align * 16 * U };
	struct vsplit_bo *b;

	igt_assert_eq(__vsplit_create(fd, &args), 0);
	b = vsplit_bo_take(fd, name, &args);
	vsplit_bo_pattern(b, name);
	vsplit_cs_alloc(cs, b, VSPLIT_ALLOC_WRITE);
	return b;
}

/**
 * SUBTEST: split-37-moves-wait-for-each-other
 * Description: An allocation that moves to a place where another one still is moves after that one,
 *   whatever the order of the list.
 */
static void test_split_37_wait(void)
{
	struct vsplit_bo *a, *b, *c;
	struct vsplit_record *rec;

	setup_blocks(12);
	a = block('A', 2, 1);
	b = block('B', 4, 1);
	c = block('C', 2, 1);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, block('F', 2, 1));
	vsplit_cs_bind(cs, 2, b);
	vsplit_cs_bind(cs, 3, c);
	vsplit_cs_bind(cs, 4, block('G', 2, 1));
	work(3, 1);
	/* Blocks: A A . . B B B B C C . .; list order wants C C A A B B B B D D D D. */
	vsplit_cs_unbind(cs, 1);
	vsplit_cs_unbind(cs, 4);
	vsplit_cs_bind(cs, 3, c);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 2, b);
	group(5, block('D', 4, 1), 2);
	rec = run();
	check_portions(rec, 2);
	if (vsplit_exact()) {
		const struct drm_vsplit_event *first = vsplit_step(rec, VSPLIT_EVENT_MOVE, a, 1);
		const struct drm_vsplit_event *second = vsplit_step(rec, VSPLIT_EVENT_MOVE, c, 1);

		igt_assert_f(first && second && first < second && first->at == 32 * U &&
			     second->at == 0, "%s\n", vsplit_record_text(rec, cs, U));
	}
}

/**
 * SUBTEST: split-37-moves-in-a-circle
 * Description: If allocations would have to exchange places, one of them goes through system
 *   memory.
 */
static void test_split_37_circle(void)
{
	struct vsplit_bo *a, *b;
	struct vsplit_record *rec;

	setup_blocks(10);
	a = block('A', 4, 1);
	b = block('B', 4, 1);
	vsplit_cs_bind(cs, 0, a);
	vsplit_cs_bind(cs, 1, block('F', 1, 1));
	vsplit_cs_bind(cs, 2, b);
	vsplit_cs_bind(cs, 3, block('G', 1, 1));
	work(0, 1);
	work(2, 2);
	/* Blocks: A A A A . B B B B .; C has to be at 8, and list order wants B at 0. */
	vsplit_cs_unbind(cs, 1);
	vsplit_cs_unbind(cs, 3);
	vsplit_cs_bind(cs, 2, b);
	vsplit_cs_bind(cs, 0, a);
	group(4, block('C', 2, 4), 3);
	rec = run();
	check_portions(rec, 2);
	if (vsplit_exact())
		igt_assert_f(vsplit_step(rec, VSPLIT_EVENT_EVICT, a, 1) &&
			     vsplit_step(rec, VSPLIT_EVENT_MOVE, b, 1) &&
			     vsplit_step(rec, VSPLIT_EVENT_PAGE_IN, a, 1),
			     "%s\n", vsplit_record_text(rec, cs, U));
}

/**
 * SUBTEST: split-38-64-mib-texture
 * Description: At full scale: a 64 MiB allocation that is bound again at a split point moves
 *   between the portions.
 */
static void test_split_38(void)
{
	const struct vsplit_adapter_opts opts = {
		.segs = { { "vram", .size = 256ull << 20 } },
		.timeout_ms = 60000,
	};
	struct vsplit_record *rec;
	struct vsplit_bo *x;

	setup_opts(&opts);
	build_w3(true, 1 << 20);
	x = cs->bos[1];
	igt_assert_eq_u64(x->size, 64 << 20);
	rec = run();
	check_portions(rec, 2);
	if (vsplit_exact())
		igt_assert(vsplit_step(rec, VSPLIT_EVENT_MOVE, x, 1));
}

static const struct vsplit_subtest tests[] = {
	{ "split-33-rebinding-costs-nothing", test_split_33,
	  "A large allocation that is bound again at every split point is accepted, and is not "
	  "transferred as long as it need not move" },
	{ "split-34-not-rebound-stays-in-place", test_split_34,
	  "A bound allocation that is not bound again stays in place, even if moving it would let "
	  "the rest fit. If it is bound again, it moves." },
	{ "split-35-fragmentation-is-a-failure", test_split_35,
	  "If the free memory is large enough, but not in one piece, the set does not fit. A size "
	  "that fits into the largest hole works." },
	{ "split-36-whole-group-is-reprogrammed", test_split_36,
	  "Slots that are named in the group after the entry that does not fit count as "
	  "reprogrammed, too" },
	{ "split-37-rebound-may-move", test_split_37,
	  "An allocation that the group binds again may move at that split. Its bytes move with "
	  "it, and commands of the next portion reach them there." },
	{ "split-37-overlapping-move", test_split_37_overlap,
	  "A move by less than the allocation's size keeps its bytes" },
	{ "split-37-moves-wait-for-each-other", test_split_37_wait,
	  "An allocation that moves to a place where another one still is moves after that one, "
	  "whatever the order of the list" },
	{ "split-37-moves-in-a-circle", test_split_37_circle,
	  "If allocations would have to exchange places, one of them goes through system memory" },
	{ "split-38-64-mib-texture", test_split_38,
	  "At full scale: a 64 MiB allocation that is bound again at a split point moves between "
	  "the portions" },
};

int igt_main()
{
	vsplit_run_subtests(tests);
}
