// SPDX-License-Identifier: MIT
/*
 * Worked examples, and a list for each statement about splitting that the planner has to honour.
 * Plans are compared as text; sizes are pages.
 */
#include <errno.h>

#include "split_example.h"

/* ---- worked examples ---- */

static void W0_control(void)
{
	u32 a, b, c;

	start(256, 0x300);
	a = alloc(64);
	b = alloc(64);
	c = alloc(128);
	bind(0, a, 0);
	bind(1, b, 0x100);
	bind(2, c, 0x200);
	expect(0, "in A@0* in B@64* in C@128* [0,300) 0:3");
}

static void w1(bool unbind_first)
{
	u32 a, b, c, d;

	start(256, 0xc00);
	a = alloc(128);
	b = alloc(96);
	c = alloc(96);
	d = alloc(64);
	bind(0, a, 0);
	bind(1, b, 0x100);
	bind(1, c, 0x400);
	if (unbind_first)
		unbind(0, 0x800);
	bind(2, d, 0x800);
}

static void W1_split_then_failure(void)
{
	w1(false);
	expect(-ENOSPC, "in A@0* in B@128* [0,400) 0:2 out B@128 in C@128* [400,800) 2:3");
	fails_at(3);
	/* A and C are where the two portions left them; D was never paged in. */
	t_equal(p.final[0].seg, 0);
	t_equal(p.final[0].last_portion, 1);
	t_equal(p.final[1].seg, SYSTEM);
	t_equal(p.final[1].last_portion, 0);
	t_equal(p.final[2].offset, 128 * PAGE);
	t_equal(p.final[3].seg, SYSTEM);
	t_equal(p.final[3].last_portion, NONE);
	t_equal(p.final[3].last_op, NONE);
}

static void W2_unbind_fixes_it(void)
{
	w1(true);
	expect(0, "in A@0* in B@128* [0,400) 0:2 out B@128 in C@128* [400,800) 2:3 out A@0 in D@0* [800,c00) 3:5");
	t_equal(p.binds[3].seg, SYSTEM);
	t_equal(p.binds[4].offset, 0);
}

static void w3(bool rebind)
{
	u32 P, X, Q, R;

	start(256, 0x800);
	P = alloc(96);
	X = alloc(64);
	Q = alloc(96);
	R = alloc(128);
	bind(0, P, 0);
	bind(1, X, 0);
	bind(2, Q, 0);
	unbind(0, 0x400);
	unbind(2, 0x400);
	if (rebind)
		bind(1, X, 0x400);
	bind(3, R, 0x400);
}

static void W3a_fragmentation_fails(void)
{
	w3(false);
	expect(-ENOSPC, "in A@0* in B@96* in C@160* [0,400) 0:3");
	fails_at(5);
	/* Nothing has left without need. */
	t_equal(p.final[0].seg, 0);
	t_equal(p.final[2].seg, 0);
}

/* With look-ahead, the planner puts X where it is not in the way. */
static void W3a_planned_again(void)
{
	w3(false);
	p.in.flags |= VSPLIT_SPLIT_LOOK_AHEAD;
	t_equal(problem_plan(&p), 0);
	t_equal(p.out.nr_portions, 2);
	t_equal(p.portions[0].end, 0x400);
	t_equal(p.final[3].seg, 0);
	/* X stays where it was put. */
	t_equal(p.final[1].offset, p.binds[1].offset);
}

static void W3b_rebinding_moves(void)
{
	w3(true);
	expect(0, "in A@0* in B@96* in C@160* [0,400) 0:3 out A@0 out C@160 move B@96>@0* in D@64* [400,800) 3:7");
	t_equal(p.binds[1].offset, 96 * PAGE);
	t_equal(p.binds[5].offset, 0);
	t_equal(p.binds[6].offset, 64 * PAGE);
}

static void W4_several_entries_at_one_offset(void)
{
	u32 a, b, c, d, e, f;

	start(256, 0x800);
	a = alloc(64);
	b = alloc(64);
	c = alloc(64);
	d = alloc(32);
	e = alloc(64);
	f = alloc(64);
	bind(0, a, 0);
	bind(1, b, 0);
	bind(2, c, 0);
	bind(1, d, 0x400);
	bind(2, e, 0x400);
	bind(3, f, 0x400);
	expect(0, "in A@0* in B@64* in C@128* in D@192* [0,400) 0:3 out B@64 out C@128 in E@64* in F@128* [400,800) 3:6");
	t_equal(p.final[d].last_portion, 1);
	t_equal(p.binds[3].offset, 192 * PAGE);
}

static void W5_one_portion_cannot_fit(void)
{
	u32 a, g, h, i;

	start(256, 0x800);
	a = alloc(64);
	g = alloc(96);
	h = alloc(96);
	i = alloc(96);
	bind(0, a, 0);
	unbind(0, 0x200);
	bind(0, g, 0x400);
	bind(1, h, 0x400);
	bind(2, i, 0x400);
	expect(-ENOSPC, "in A@0* in B@64* in C@160* [0,400) 0:2");
	fails_at(4);
}

static void W5b_at_offset_zero_no_portion(void)
{
	u32 g, h, i;

	start(256, 0x800);
	g = alloc(96);
	h = alloc(96);
	i = alloc(96);
	bind(0, g, 0);
	bind(1, h, 0);
	bind(2, i, 0);
	expect(-ENOSPC, "");
	fails_at(2);
	t_equal(p.out.nr_ops, 0);
	t_equal(p.final[0].seg, SYSTEM);
}

static void W6_idle_first(void)
{
	u32 a, b, c;

	start(256, 0x300);
	a = alloc(64);
	b = alloc(64);
	c = alloc(64);
	problem_resident(&p, 128, 0, 0, 0);
	bind(0, a, 0);
	bind(1, b, 0x100);
	bind(2, c, 0x200);
	expect(0, "out D@0 in A@128* in B@192* in C@0* [0,300) 0:3");
}

/* W7 is about engines. The plan has to make sure that no operation in between touches A. */
static void W7_kept_row_untouched_between(void)
{
	u32 i;

	w1(false);
	p.in.nr_entries = 3;
	p.in.length = 0x800;
	expect(0, "in A@0* in B@128* [0,400) 0:2 out B@128 in C@128* [400,800) 2:3");
	for (i = 2; i < p.out.nr_ops; i++)
		t_check(p.ops[i].alloc != 0);
}

/* ---- statements ---- */

/* Sizes exceed memory, but each step fits: all entries are executed in order, each once. */
static void SPLIT_1_portions_need_less(void)
{
	u32 i, k, n = 0;

	start(10, 0x100);
	for (i = 0; i < 8; i++)
		bind(0, alloc(6), i * 0x20);
	expect(0, NULL);
	t_equal(p.out.nr_portions, 8);
	for (k = 0; k < p.out.nr_portions; k++)
		n += p.portions[k].nr_entries;
	t_equal(n, 8);
}

/* A set that fits neither memory nor aperture is split; a set that fits is not. */
static void SPLIT_2_local_and_nonlocal(void)
{
	u32 pass, i;

	for (pass = 0; pass < 2; pass++) {
		problem_init(&p, 0x300);
		problem_segment(&p, 10, 10, 0);
		problem_segment(&p, pass ? 5 : 12, pass ? 5 : 12, APERTURE);
		for (i = 0; i < 3; i++) {
			u32 a = alloc(6);

			p.allocs[a].nr_segs = 2;
			p.allocs[a].segs[1] = 1;
			bind(0, a, i * 0x100);
		}
		expect(0, pass ? "in A0@0* [0,100) 0:1 out A0@0 in B0@0* [100,200) 1:2 out B0@0 in C0@0* [200,300) 2:3" :
				 "in A0@0* in B1@0 in C1@6 [0,300) 0:3");
	}
}

/* The converse: idle allocations leave before anything is split. */
static void SPLIT_2_everything_fits_one_portion(void)
{
	u32 i;

	start(12, 0x300);
	for (i = 0; i < 3; i++)
		problem_resident(&p, 4, DIRTY, 0, 4 * i);
	for (i = 0; i < 3; i++)
		bind(i, alloc(4), i * 0x100);
	expect(0, "out A@0* out B@4* out C@8* in D@0* in E@4* in F@8* [0,300) 0:3");
}

/*
 * The same if a bound allocation is in the way: A lies in the middle, and is in the working set
 * before B comes. The walk alone would have to fail.
 */
static void SPLIT_2_everything_fits_after_moving(void)
{
	u32 a, b;

	start(12, 0x200);
	a = problem_resident(&p, 2, DIRTY, 0, 5);
	b = alloc(8);
	bind(0, a, 0);
	bind(1, b, 0x100);
	expect(0, "move A@5>@0* in B@2* [0,200) 0:2");
	p.in.flags = VSPLIT_SPLIT_WALK_ONLY;
	problem_plan(&p);
	t_equal(p.ret, -ENOSPC);
	p.in.flags = VSPLIT_SPLIT_TAKE_SPLIT_POINT;
	expect(0, "move A@5>@0* in B@2* [0,100) 0:1 [100,200) 1:2");
	/* This fails if A may not move. */
	p.in.flags = 0;
	p.allocs[a].flags |= PINNED;
	expect(-ENOSPC, "[0,100) 0:1");
}

static void SPLIT_8_every_split_point_is_a_legal_cut(void)
{
	u32 a, b, i;

	start(16, 0x400);
	a = alloc(4);
	b = alloc(4);
	bind(0, a, 0);
	bind(1, b, 0x100);
	bind(0, a, 0x200);
	bind(1, b, 0x300);
	p.in.flags = VSPLIT_SPLIT_TAKE_SPLIT_POINT;
	expect(0, "in A@0* [0,100) 0:1 in B@4* [100,200) 1:2 [200,300) 2:3 [300,400) 3:4");
	for (i = 0; i < 4; i++)
		t_equal(p.portions[i].nr_ops, i < 2);
	/* An unbind at the very end makes no empty portion. */
	unbind(0, 0x400);
	expect(0, "in A@0* [0,100) 0:1 in B@4* [100,200) 1:2 [200,300) 2:3 [300,400) 3:5");
}

/* A second list knows nothing of the first; allocations that the first one used are idle. */
static void SPLIT_12_table_belongs_to_one_buffer(void)
{
	u32 a, b;

	start(10, 0x100);
	a = problem_resident(&p, 6, 0, 0, 0);
	b = alloc(6);
	bind(1, b, 0);
	expect(0, "out A@0 in B@0* [0,100) 0:1");
	(void)a;
}

static void SPLIT_13_table_starts_empty(void)
{
	start(10, 0x100);
	problem_resident(&p, 6, 0, 0, 0);
	expect(0, "[0,100) 0:0");
	t_equal(p.final[0].last_portion, NONE);
	/* Rows that were not filled are not kept at the first cut. */
	bind(3, alloc(6), 0x80);
	expect(0, "out A@0 in B@0* [0,100) 0:1");
}

/* The entries before a cut, taken together, decide what stays there. */
static void SPLIT_14_table_fills_as_entries_are_processed(void)
{
	u32 a, b, c;

	start(8, 0x400);
	a = alloc(4);
	b = alloc(4);
	c = alloc(4);
	bind(0, a, 0);
	bind(1, b, 0x100);
	bind(0, b, 0x200);	/* A is in no row from here on */
	bind(2, c, 0x300);
	expect(0, "in A@0* in B@4* [0,300) 0:3 out A@0 in C@0* [300,400) 3:4");
}

static void SPLIT_15_slot_picks_the_row(void)
{
	u32 a, b, c;

	start(12, 0x200);
	a = alloc(6);
	b = alloc(6);
	c = alloc(6);
	bind(0, a, 0);
	bind(3, b, 0);
	bind(3, c, 0x100);	/* row 0 has not changed */
	expect(0, "in A@0* in B@6* [0,100) 0:2 out B@6 in C@6* [100,200) 2:3");
}

/* Commands before the SplitOffset run while the bound allocation is not resident. */
static void SPLIT_17_not_resident_before(void)
{
	u32 a, b, i;

	start(10, 0x200);
	a = alloc(6);
	b = alloc(6);
	bind(0, a, 0);
	bind(0, b, 0x100);
	expect(0, "in A@0* [0,100) 0:1 out A@0 in B@0* [100,200) 1:2");
	for (i = p.portions[0].first_op; i < p.portions[0].nr_ops; i++)
		t_check(p.ops[i].alloc != b);
}

/* A replaced allocation stays in the working set: only the next taken split frees it. */
static void SPLIT_19_replaced_stays_until_a_taken_split(void)
{
	u32 a, b, c;

	start(12, 0x400);
	a = alloc(6);
	b = alloc(6);
	c = alloc(6);
	bind(0, a, 0);
	bind(0, b, 0x100);	/* A is in no row, but the portion from 0 on uses it */
	bind(1, c, 0x200);	/* cannot take the place of A before the cut */
	expect(0, "in A@0* in B@6* [0,200) 0:2 out A@0 in C@0* [200,400) 2:3");
}

static void SPLIT_22_equal_offsets_are_one_group(void)
{
	u32 a, b, c;

	start(12, 0x200);
	a = alloc(4);
	b = alloc(8);
	c = alloc(4);
	bind(0, a, 0);
	bind(1, c, 0x100);
	bind(0, b, 0x100);	/* fails: the cut comes before C as well */
	expect(0, "in A@0* in C@4* [0,100) 0:1 out A@0 move C@4>@0* in B@4* [100,200) 1:3");
}

static void SPLIT_23_page_ins_in_list_order(void)
{
	u32 a, b, c, d;

	start(32, 0x300);
	a = alloc(4);
	b = problem_resident(&p, 4, 0, 0, 20);
	c = alloc(4);
	d = alloc(4);
	bind(3, d, 0);
	bind(2, b, 0x100);	/* resident: no page-in */
	bind(1, c, 0x100);
	bind(0, a, 0x200);
	bind(4, d, 0x200);	/* resident by now: no page-in */
	expect(0, "in D@0* in C@4* in A@8* [0,300) 0:5");
}

static void SPLIT_25_boundary_is_the_failing_offset(void)
{
	u32 a, b, c;

	start(12, 0x500);
	a = alloc(4);
	b = alloc(4);
	c = alloc(8);
	bind(0, a, 0);
	unbind(0, 0x100);
	bind(0, b, 0x200);
	unbind(0, 0x300);	/* an earlier candidate that is not taken */
	bind(0, c, 0x400);
	expect(0, "in A@0* in B@4* [0,400) 0:4 out B@4 in C@4* [400,500) 4:5");
}

static void SPLIT_27_kept_rows_stay(void)
{
	u32 a, b, c, d;

	start(20, 0x400);
	a = alloc(8);
	b = alloc(4);
	c = alloc(8);
	d = alloc(8);
	bind(0, a, 0);
	bind(1, b, 0);
	bind(2, c, 0x100);
	bind(0, d, 0x200);
	expect(0, "in A@0* in B@8* in C@12* [0,200) 0:3 out A@0 in D@0* [200,400) 3:4");
	t_equal(p.final[b].offset, 8 * PAGE);
	t_equal(p.final[b].last_portion, 1);
	t_equal(p.final[c].last_op, 2);
}

/* Allocations are kept, not rows: in two rows, one stays unless both are reprogrammed. */
static void SPLIT_26_kept_per_allocation(void)
{
	u32 pass;

	for (pass = 0; pass < 2; pass++) {
		u32 a, b;

		start(12, 0x200);
		a = alloc(8);
		b = alloc(8);
		bind(0, a, 0);
		bind(1, a, 0);
		unbind(0, 0x100);
		if (pass)
			unbind(1, 0x100);
		bind(2, b, 0x100);
		expect(pass ? 0 : -ENOSPC,
		       pass ? "in A@0* [0,100) 0:2 out A@0 in B@0* [100,200) 2:5" :
			      "in A@0* [0,100) 0:2");
	}
}

/* Nothing needs the room, so an allocation that is in no row may stay, and does. */
static void SPLIT_28_unused_may_stay(void)
{
	u32 a, b, c;

	start(16, 0x300);
	a = alloc(4);
	b = alloc(8);
	c = alloc(8);
	bind(0, a, 0);
	bind(1, b, 0x100);
	unbind(0, 0x200);
	bind(1, c, 0x200);
	expect(0, "in A@0* in B@4* [0,200) 0:2 out B@4 in C@4* [200,300) 2:4");
	t_equal(p.final[a].seg, 0);
	t_equal(p.final[a].last_portion, 0);
}

static void SPLIT_29_any_number_of_cuts(void)
{
	u32 a, b, i;

	start(8, 0x1000);
	a = alloc(8);
	b = alloc(8);
	for (i = 0; i < 100; i++)
		bind(0, i & 1 ? b : a, i * 0x20);
	expect(0, NULL);
	t_equal(p.out.nr_portions, 100);
	t_equal(p.out.nr_ops, 199);
}

/* An unbind needs no memory, never fails, and never causes a cut. */
static void SPLIT_31_unbind(void)
{
	u32 a;

	start(8, 0x300);
	a = alloc(8);
	bind(0, a, 0);
	unbind(0, 0x100);
	unbind(5, 0x200);	/* the row is empty already */
	expect(0, "in A@0* [0,300) 0:3");
	/* A is not kept at this split or at a later one. */
	bind(1, alloc(8), 0x200);
	expect(0, "in A@0* [0,200) 0:2 out A@0 in B@0* [200,300) 2:4");
}

static void SPLIT_33_rebinding_costs_nothing(void)
{
	u32 a, i;

	start(8, 0x400);
	a = alloc(8);
	for (i = 0; i < 4; i++)
		bind(0, a, i * 0x100);
	expect(0, "in A@0* [0,400) 0:4");
	p.in.flags = VSPLIT_SPLIT_TAKE_SPLIT_POINT;
	expect(0, "in A@0* [0,100) 0:1 [100,200) 1:2 [200,300) 2:3 [300,400) 3:4");
}

/* An unbind listed behind the failing bind frees its row for this very split. */
static void SPLIT_36_unbind_listed_after_the_failure(void)
{
	u32 a, b;

	start(10, 0x200);
	a = alloc(6);
	b = alloc(6);
	bind(0, a, 0);
	bind(1, b, 0x100);
	unbind(0, 0x100);
	expect(0, "in A@0* [0,100) 0:1 out A@0 in B@0* [100,200) 1:3");
}

/* Of several entries for one slot in a group the last one stays; all need their allocations. */
static void SPLIT_A4_same_slot_twice_in_a_group(void)
{
	u32 a, b, c;

	start(8, 0x300);
	a = alloc(4);
	b = alloc(4);
	c = alloc(4);
	bind(0, a, 0);
	bind(0, b, 0);
	bind(1, c, 0x100);	/* B is kept, A is not */
	expect(0, "in A@0* in B@4* [0,100) 0:2 out A@0 in C@0* [100,300) 2:3");
	t_equal(p.final[a].last_portion, 0);
}

static void SPLIT_37_placement_is_free_at_the_split(void)
{
	u32 x, y, z;

	/* A 64 MB texture at the scale of the example is bound again at each split point. */
	start(256, 0x800);
	x = alloc(96);
	y = alloc(64);
	z = alloc(160);
	bind(0, x, 0);
	bind(1, y, 0);
	unbind(0, 0x400);
	bind(1, y, 0x400);
	bind(2, z, 0x400);
	expect(0, "in A@0* in B@96* [0,400) 0:2 out A@0 move B@96>@0* in C@64* [400,800) 2:5");
}

/* ---- knobs ---- */

static void KNOB_evict_between(void)
{
	u32 a, b, c;

	start(16, 0x300);
	a = alloc(4);
	b = alloc(4);
	c = alloc(4);
	bind(0, a, 0);
	bind(1, b, 0);
	bind(1, c, 0x100);
	p.in.flags = VSPLIT_SPLIT_TAKE_SPLIT_POINT | VSPLIT_SPLIT_EVICT_BETWEEN;
	expect(0, "in A@0* in B@4* [0,100) 0:2 out B@4 in C@4* [100,300) 2:3");
}

static void KNOB_leak_detection(void)
{
	w1(false);
	p.in.flags = VSPLIT_SPLIT_LEAK_DETECTION;
	expect(-EPERM, "in A@0* in B@128* [0,400) 0:2");
	fails_at(2);
	/* No row is kept, so nothing leaks. */
	SPLIT_17_not_resident_before();
	p.in.flags = VSPLIT_SPLIT_LEAK_DETECTION;
	expect(0, "in A@0* [0,100) 0:1 out A@0 in B@0* [100,200) 1:2");
}

static void KNOB_random_placement(void)
{
	bool differs = false;
	u64 first = 0;
	u32 i;

	for (i = 0; i < 32; i++) {
		start(64, 0x100);
		problem_fixed(&p, 0, 16, 4);
		problem_fixed(&p, 0, 40, 4);
		p.in.flags = VSPLIT_SPLIT_RANDOM_PLACEMENT;
		p.in.seed = i;
		bind(0, alloc(5), 0);
		expect(0, NULL);
		if (!i)
			first = p.binds[0].offset;
		differs |= p.binds[0].offset != first;
	}
	t_check(differs);
}

int main(void)
{
	t_run(W0_control);
	t_run(W1_split_then_failure);
	t_run(W2_unbind_fixes_it);
	t_run(W3a_fragmentation_fails);
	t_run(W3a_planned_again);
	t_run(W3b_rebinding_moves);
	t_run(W4_several_entries_at_one_offset);
	t_run(W5_one_portion_cannot_fit);
	t_run(W5b_at_offset_zero_no_portion);
	t_run(W6_idle_first);
	t_run(W7_kept_row_untouched_between);
	t_run(SPLIT_1_portions_need_less);
	t_run(SPLIT_2_local_and_nonlocal);
	t_run(SPLIT_2_everything_fits_one_portion);
	t_run(SPLIT_2_everything_fits_after_moving);
	t_run(SPLIT_8_every_split_point_is_a_legal_cut);
	t_run(SPLIT_12_table_belongs_to_one_buffer);
	t_run(SPLIT_13_table_starts_empty);
	t_run(SPLIT_14_table_fills_as_entries_are_processed);
	t_run(SPLIT_15_slot_picks_the_row);
	t_run(SPLIT_17_not_resident_before);
	t_run(SPLIT_19_replaced_stays_until_a_taken_split);
	t_run(SPLIT_22_equal_offsets_are_one_group);
	t_run(SPLIT_23_page_ins_in_list_order);
	t_run(SPLIT_25_boundary_is_the_failing_offset);
	t_run(SPLIT_26_kept_per_allocation);
	t_run(SPLIT_27_kept_rows_stay);
	t_run(SPLIT_28_unused_may_stay);
	t_run(SPLIT_29_any_number_of_cuts);
	t_run(SPLIT_31_unbind);
	t_run(SPLIT_33_rebinding_costs_nothing);
	t_run(SPLIT_36_unbind_listed_after_the_failure);
	t_run(SPLIT_37_placement_is_free_at_the_split);
	t_run(SPLIT_A4_same_slot_twice_in_a_group);
	t_run(KNOB_evict_between);
	t_run(KNOB_leak_detection);
	t_run(KNOB_random_placement);
	return t_status;
}
