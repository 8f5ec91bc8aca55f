// SPDX-License-Identifier: MIT
/*
 * What the planner chooses where the rules leave a choice: which allocations move or leave, in
 * which order, in which segment, and which bytes are transferred. Plans are compared as text; sizes
 * are pages.
 */
#include <errno.h>

#include "split_example.h"

/* ---- moving ---- */

/* List order wants C@0 A@2 B@4 D@8; C goes where A still is. */
static void MOVE_order_by_dependency(void)
{
	u32 a, b, c, d;

	start(12, 0x100);
	a = problem_resident(&p, 2, DIRTY, 0, 0);
	b = problem_resident(&p, 4, DIRTY, 0, 4);
	c = problem_resident(&p, 2, 0, 0, 8);
	d = alloc(4);
	bind(0, c, 0);
	bind(1, a, 0);
	bind(2, b, 0);
	bind(3, d, 0);
	expect(0, "move A@0>@2* move C@8>@0* in D@8* [0,100) 0:4");
}

static void MOVE_overlapping_itself(void)
{
	u32 a, b;

	start(12, 0x100);
	a = problem_resident(&p, 6, DIRTY, 0, 3);
	b = alloc(6);
	bind(0, a, 0);
	bind(1, b, 0);
	expect(0, "move A@3>@0* in B@6* [0,100) 0:2");
}

/*
 * C has to be at 8, where B ends, so in list order A and B change places. The smaller one, or else
 * the first, goes through system memory.
 */
static void MOVE_cycle_through_system_memory(void)
{
	u32 a, b, c;

	start(10, 0x100);
	a = problem_resident(&p, 4, DIRTY, 0, 0);
	b = problem_resident(&p, 4, 0, 0, 5);
	c = alloc(2);
	p.allocs[c].align = 4 * PAGE;
	bind(0, b, 0);
	bind(1, a, 0);
	bind(2, c, 0);
	expect(0, "out A@0* move B@5>@0* in A@4* in C@8* [0,100) 0:3");
	p.allocs[b].size = 3 * PAGE;
	p.allocs[b].offset = 6 * PAGE;
	p.allocs[c].align = 8 * PAGE;
	expect(0, "out B@6 move A@0>@3* in B@0* in C@8* [0,100) 0:3");
	t_equal(p.final[a].flags, DIRTY);
}

static void MOVE_never_into_or_out_of_an_aperture(void)
{
	u32 a, b;

	problem_init(&p, 0x100);
	problem_segment(&p, 8, 8, APERTURE);
	a = problem_resident(&p, 3, 0, 0, 2);
	b = alloc(5);
	bind(0, a, 0);
	bind(1, b, 0);
	expect(0, "out A@2 in A@0 in B@3 [0,100) 0:2");
}

static void MOVE_between_memory_segments(void)
{
	u32 a, b;

	problem_init(&p, 0x100);
	problem_segment(&p, 8, 8, 0);
	problem_segment(&p, 8, 8, 0);
	a = problem_resident(&p, 4, DIRTY, 0, 0);
	p.allocs[a].nr_segs = 2;
	p.allocs[a].segs[1] = 1;
	b = alloc(8);
	bind(0, b, 0);
	bind(1, a, 0);
	expect(0, "move A0@0>1@0* in B0@0* [0,100) 0:2");
	t_equal(p.final[a].flags, DIRTY);
}

/* ---- victims ---- */

/* The window with two old small allocations is cheaper than the one with a large new one. */
static void VICTIM_window_of_the_cheapest(void)
{
	start(12, 0x100);
	problem_resident(&p, 2, 0, 0, 0);	/* A: newest of all */
	problem_resident(&p, 4, 0, 0, 2);	/* B */
	problem_resident(&p, 2, 0, 0, 6);	/* C: oldest */
	problem_resident(&p, 2, 0, 0, 8);	/* D: old */
	problem_resident(&p, 2, 0, 0, 10);	/* E */
	p.allocs[0].lru = 90;
	p.allocs[1].lru = 50;
	p.allocs[2].lru = 1;
	p.allocs[3].lru = 2;
	p.allocs[4].lru = 60;
	bind(0, alloc(4), 0);
	expect(0, "out C@6 out D@8 in F@6* [0,100) 0:1");
}

static void VICTIM_next_use(void)
{
	u32 a, b;

	start(8, 0x200);
	a = problem_resident(&p, 4, 0, 0, 0);
	b = problem_resident(&p, 4, 0, 0, 4);
	bind(0, alloc(4), 0);
	bind(0, a, 0x100);
	expect(0, "out A@0 out B@4 in C@0* in A@4* [0,200) 0:2");
	p.in.flags = VSPLIT_SPLIT_NEXT_USE;
	expect(0, "out B@4 in C@4* [0,200) 0:2");
	/*
	 * Next use decides only among equals: a lower priority leaves first, even if needed again
	 * (EXT-28).
	 */
	p.allocs[b].priority = 1;
	expect(0, "out A@0 out B@4 in C@0* in A@4* [0,200) 0:2");
}

/* A group that fits beside the working set, if that were in one piece, does not cause a cut. */
static void LAID_OUT_pieces_cut_nothing(void)
{
	start(8, 0x300);
	bind(0, problem_resident(&p, 2, 0, 0, 3), 0);
	bind(0, alloc(5), 0x100);
	bind(0, alloc(8), 0x200);
	expect(0, "move A@3>@5* in B@0* [0,200) 0:2 out A@5 out B@0 in C@0* [200,300) 2:3");
}

/* Allocations kept at the end of a portion lie together, out of the way of the next portion. */
static void LAID_OUT_kept_lie_together(void)
{
	start(8, 0x700);
	bind(0, problem_resident(&p, 2, 0, 0, 3), 0);
	bind(0, alloc(5), 0x100);
	bind(0, alloc(8), 0x200);
	bind(0, alloc(3), 0x300);
	bind(1, alloc(1), 0x400);
	bind(0, alloc(3), 0x500);
	bind(0, alloc(7), 0x600);
	expect(0, "move A@3>@5* in B@0* [0,200) 0:2 out A@5 out B@0 in C@0* [200,300) 2:3 out C@0 in D@4* in E@0* in F@1* [300,600) 3:6 out D@4 out F@1 in G@1* [600,700) 6:7");
}

/* What is in memory moves down in order of address: A and B do not change places. */
static void LAID_OUT_what_is_there_moves_down(void)
{
	start(10, 0x300);
	bind(0, problem_resident(&p, 3, 0, 0, 0), 0);
	bind(1, problem_resident(&p, 4, 0, 0, 4), 0);
	bind(2, alloc(3), 0x100);
	bind(0, alloc(10), 0x200);
	bind(1, NONE, 0x200);
	bind(2, NONE, 0x200);
	expect(0, "move B@4>@3* in C@7* [0,200) 0:3 out C@7 out B@3 out A@0 in D@0* [200,300) 3:6");
}

/* C is not in memory before the cut that its group needs, so it does not have to move there. */
static void LAID_OUT_next_group_comes_in_behind_the_cut(void)
{
	u32 e;

	start(10, 0x300);
	problem_fixed(&p, 0, 0, 2);
	bind(0, problem_resident(&p, 2, 0, 0, 5), 0);
	bind(0, alloc(5), 0x100);
	bind(0, alloc(1), 0x200);
	e = alloc(6);
	p.allocs[e].align = 4 * PAGE;
	bind(1, e, 0x200);
	expect(0, "move A@5>@7* in B@2* [0,200) 0:2 out B@2 out A@7 in C@2* in D@4* [200,300) 2:4");
}

/*
 * Before the cut, A would have to leave for E, and no place would be left for F. Behind it, B and C
 * can leave. D needs neither and stays.
 */
static void CUT_victims_are_chosen_behind_it(void)
{
	u32 a;

	start(4, 0x300);
	p.in.flags = VSPLIT_SPLIT_NEXT_USE;
	a = problem_resident(&p, 1, 0, 0, 0);
	bind(0, alloc(1), 0);
	bind(1, alloc(1), 0);
	bind(0, alloc(1), 0x100);
	bind(1, alloc(1), 0x100);
	bind(2, alloc(1), 0x100);
	bind(3, a, 0x200);
	expect(0, "in B@1* in C@2* in D@3* [0,100) 0:2 out B@1 out C@2 in E@1* in F@2* [100,300) 2:6");
}

/* The fixed range alone exceeds the limit of all apertures, so evictions would not help. */
static void VICTIM_none_helps_the_limit(void)
{
	u32 b;

	problem_init(&p, 0x100);
	problem_segment(&p, 8, 8, 0);
	problem_segment(&p, 8, 8, APERTURE);
	p.in.aperture_limit = PAGE;
	problem_fixed(&p, 1, 4, 2);
	problem_resident(&p, 2, 0, 1, 0);
	problem_resident(&p, 2, 0, 0, 3);
	b = alloc(6);
	bind(0, 1, 0);
	bind(1, b, 0);
	expect(0, "move B0@3>0@0* in C0@2* [0,100) 0:2");
}

/*
 * If a split is needed, it may be placed so that allocations that are not needed again can leave.
 */
static void PLANNED_cut_that_saves_bytes(void)
{
	u32 x, a, b;

	start(8, 0x300);
	x = problem_resident(&p, 4, 0, 0, 0);
	a = alloc(4);
	b = alloc(4);
	bind(0, a, 0);
	bind(0, b, 0x100);
	bind(0, x, 0x200);
	p.in.flags = VSPLIT_SPLIT_NEXT_USE;
	expect(0, "out A@0 in B@4* in C@0* [0,200) 0:2 out B@4 in A@4* [200,300) 2:3");
	p.in.flags = VSPLIT_SPLIT_PLANNED;
	expect(0, "in B@4* [0,100) 0:1 out B@4 in C@4* [100,300) 1:3");
	/* Priority comes first here as well. */
	p.allocs[a].priority = 1;
	expect(0, "out A@0 in B@4* in C@0* [0,200) 0:2 out C@0 in A@0* [200,300) 2:3");
	/* A list that fits is not cut. */
	p.segments[0].size = 12 * PAGE;
	p.segments[0].commit_limit = 12 * PAGE;
	p.segments[0].visible = 12 * PAGE;
	expect(0, "in B@4* in C@8* [0,300) 0:3");
}

/* An allocation that was unbound before is in the working set as well. */
static void PLANNED_unbound_leaves_at_a_cut(void)
{
	u32 x, a, b;

	start(8, 0x300);
	x = problem_resident(&p, 4, 0, 0, 0);
	a = alloc(4);
	b = alloc(4);
	bind(0, a, 0);
	unbind(0, 0x80);
	bind(1, b, 0x100);
	bind(1, x, 0x200);
	p.in.flags = VSPLIT_SPLIT_PLANNED;
	expect(0, "in B@4* [0,100) 0:2 out B@4 in C@4* [100,300) 2:4");
}

/* Each window for E has an allocation that is needed again. */
static void list_of_windows(void)
{
	u32 a, b, c, d, e;

	start(8, 0x100);
	a = alloc(2);
	b = alloc(2);
	c = alloc(2);
	d = alloc(2);
	e = alloc(4);
	p.in.flags = VSPLIT_SPLIT_PLANNED;
	bind(0, a, 0);
	bind(0, b, 0x10);
	bind(0, c, 0x20);
	bind(0, d, 0x30);
	bind(0, e, 0x40);
	bind(0, a, 0x50);
	bind(0, c, 0x60);
}

/* B and D are not needed again and leave, and C moves. */
static void PLANNED_what_is_needed_moves(void)
{
	list_of_windows();
	p.in.memory_speed = 16;
	expect(0, "in A@0* in B@2* in C@4* in D@6* [0,40) 0:4 "
		  "out B@2 out D@6 move C@4>@2* in E@4* [40,100) 4:7");
}

/* Moving C takes as long as loading it again, which may turn out to be unnecessary. */
static void PLANNED_nothing_moves_in_slow_memory(void)
{
	list_of_windows();
	expect(0, "in A@0* in B@2* in C@4* in D@6* [0,40) 0:4 "
		  "out B@2 out C@4 in E@2* [40,60) 4:6 out A@0 in C@0* [60,100) 6:7");
}

static void list_of_a_large_one(u32 size)
{
	u32 a, b;

	start(size + 4, 0x200);
	a = problem_resident(&p, size, 0, 0, 2);
	b = alloc(4);
	p.in.flags = VSPLIT_SPLIT_PLANNED;
	p.in.memory_speed = 16;
	bind(0, b, 0);
	bind(0, a, 0x10);
	bind(0, alloc(size + 4), 0x100);
}

/* Moving A costs more than its loss, however large A is: the cost does not wrap. */
static void PLANNED_nothing_huge_moves(void)
{
	const char *const plan = "out A@2 in B@0* in A@4* [0,100) 0:2 "
				 "out B@0 out A@4 in C@0* [100,200) 2:3";

	list_of_a_large_one(16);
	expect(0, plan);
	/* The check of the rules is for small segments. */
	list_of_a_large_one(1 << 20);
	problem_plan(&p);
	if (p.ret || strcmp(plan_text(), plan))
		t_fail("huge: is \"%s\"", plan_text());
}

/* C may not be in the segment any more: it leaves instead of moving in the segment. */
static void PLANNED_what_must_leave_does(void)
{
	u32 a, c, e, f;

	start(8, 0x100);
	problem_segment(&p, 8, 8, 0);
	a = problem_resident(&p, 2, 0, 0, 0);
	problem_resident(&p, 2, 0, 0, 2);
	c = problem_resident(&p, 2, 0, 0, 4);
	problem_resident(&p, 2, 0, 0, 6);
	e = alloc(4);
	f = alloc(4);
	p.allocs[c].segs[0] = 1;
	p.in.flags = VSPLIT_SPLIT_PLANNED;
	bind(0, e, 0);
	bind(0, f, 0x10);
	bind(0, a, 0x20);
	bind(0, c, 0x30);
	expect(0, "out B0@2 out C0@4 in E0@2* [0,10) 0:1 out E0@2 in F0@2* in C1@0* [10,100) 1:4");
}

/* Two small allocations leave instead of a large one that is needed only a little later. */
static void PLANNED_window_that_costs_least(void)
{
	u32 d;

	start(10, 0x300);
	problem_resident(&p, 1, 0, 0, 0);
	problem_resident(&p, 1, 0, 0, 1);
	problem_resident(&p, 8, 0, 0, 2);
	d = alloc(2);
	bind(0, d, 0);
	bind(0, 0, 0x100);
	bind(1, 1, 0x100);
	bind(2, 2, 0x200);
	p.in.flags = VSPLIT_SPLIT_NEXT_USE;
	expect(0, "out C@2 in D@2* [0,200) 0:3 out D@2 in C@2* [200,300) 3:4");
	p.in.flags = VSPLIT_SPLIT_PLANNED;
	expect(0, "out A@0 out B@1 in D@0* [0,100) 0:1 out D@0 in A@0* in B@1* [100,300) 1:4");
}

/*
 * Rows hold B to the end. A walk that is not planned puts B behind A, where it is in the way of C.
 */
static void PLANNED_what_lasts_is_apart(void)
{
	u32 a, b, c;

	start(6, 0x100);
	a = alloc(3);
	b = alloc(1);
	c = alloc(4);
	bind(0, a, 0);
	bind(1, b, 0x10);
	bind(0, c, 0x20);
	bind(0, a, 0x30);
	bind(0, c, 0x40);
	bind(0, a, 0x50);
	p.in.flags = VSPLIT_SPLIT_WALK_ONLY;
	expect(-ENOSPC, "in A@0* in B@3* [0,20) 0:2");
	p.in.flags = VSPLIT_SPLIT_PLANNED;
	expect(0, "in A@0* in B@5* [0,20) 0:2 out A@0 in C@0* [20,30) 2:3 "
		  "out C@0 in A@0* [30,40) 3:4 out A@0 in C@0* [40,50) 4:5 "
		  "out C@0 in A@0* [50,100) 5:6");
}

/*
 * This list fails in WDDM's way, as B is between A and C when these leave. With a home for B it
 * works.
 */
static void HOMES_planned_lists_have_them(void)
{
	u32 a, b, c;

	start(8, 0x200);
	a = alloc(3);
	b = alloc(2);
	c = alloc(3);
	bind(0, a, 0);
	bind(1, b, 0);
	bind(2, c, 0);
	unbind(0, 0x100);
	unbind(2, 0x100);
	bind(3, alloc(4), 0x100);
	expect(-ENOSPC, "in A@0* in B@3* in C@5* [0,100) 0:3");
	p.in.flags = VSPLIT_SPLIT_PLANNED;
	expect(0, "in A@0* in B@6* in C@3* [0,100) 0:3 out A@0 out C@3 in D@0* [100,200) 3:6");
	/* With forced cuts the planner has no choice. */
	p.in.flags |= VSPLIT_SPLIT_TAKE_SPLIT_POINT;
	expect(-ENOSPC, "in A@0* in B@3* in C@5* [0,100) 0:3");
}

/*
 * B is the largest, and would have its home where A lies later. B gets another home, and A stays.
 */
static void HOMES_others_give_way(void)
{
	u32 a, b;

	start(8, 0x400);
	a = alloc(3);
	b = alloc(5);
	bind(0, a, 0);
	bind(1, b, 0x100);
	bind(1, a, 0x200);
	bind(0, alloc(1), 0x200);
	bind(1, b, 0x300);
	expect(-ENOSPC, "in A@0* in B@3* [0,200) 0:2 out B@3 in C@3* [200,300) 2:4");
	p.in.flags = VSPLIT_SPLIT_PLANNED;
	expect(0, "in A@0* in B@3* [0,200) 0:2 out B@3 in C@5* [200,300) 2:4 out A@0 in B@0* [300,400) 4:5");
}

/*
 * Where paging overlaps portions, large portions are cut, and an allocation of a running portion is
 * no victim if there is another one. So A leaves for C, because B's portion is running then, though
 * A is needed before B. While C runs, B leaves for A.
 */
static void AHEAD_what_runs_stays(void)
{
	u32 a, b, c;

	start(8, 0x600);
	a = alloc(4);
	b = alloc(4);
	c = alloc(4);
	bind(0, a, 0);
	bind(0, b, 0x100);
	bind(0, c, 0x200);
	unbind(0, 0x300);
	bind(0, a, 0x400);
	bind(0, b, 0x500);
	p.in.flags = VSPLIT_SPLIT_PLANNED;
	expect(0, "in A@0* in B@4* [0,200) 0:2 out B@4 in C@4* [200,500) 2:5 out A@0 in B@0* [500,600) 5:6");
	p.in.flags = VSPLIT_SPLIT_PLANNED | VSPLIT_SPLIT_AHEAD;
	expect(0, "in A@0* [0,100) 0:1 in B@4* after 0 [100,200) 1:2 out A@0 after 1 in C@0* after 0 [200,300) 2:3 out B@4 after 2 in A@4* after 0 [300,500) 3:5 out C@0 after 3 in B@0* after 0 [500,600) 5:6");
}

/*
 * The same list, but B has a lower priority than A: B leaves for C, though C waits for its portion.
 */
static void AHEAD_priority_before_time(void)
{
	u32 a, b, c;

	start(8, 0x300);
	a = alloc(4);
	b = alloc(4);
	c = alloc(4);
	p.allocs[a].priority = 1;
	bind(0, a, 0);
	bind(0, b, 0x100);
	bind(0, c, 0x200);
	p.in.flags = VSPLIT_SPLIT_PLANNED | VSPLIT_SPLIT_AHEAD;
	expect(0, "in A@0* [0,100) 0:1 in B@4* after 0 [100,200) 1:2 out B@4 in C@4* after 0 [200,300) 2:3");
	p.allocs[a].priority = 0;
	expect(0, "in A@0* [0,100) 0:1 in B@4* after 0 [100,200) 1:2 out A@0 after 1 in C@0* after 0 [200,300) 2:3");
}

/* D, B, A and C, of @pages each, in memory for three. A is used from @at_a on, C from @at_c on. */
static void three_of_four(u32 pages, u32 at_a, u32 at_c)
{
	u32 a, b, c, d;

	start(3 * pages, 0x3000);
	a = alloc(pages);
	b = alloc(pages);
	c = alloc(pages);
	d = alloc(pages);
	bind(0, d, 0);
	bind(0, b, 0x80);
	bind(0, a, at_a);
	bind(0, c, at_c);
	bind(0, d, 0x2100);
	bind(0, b, 0x2f00);
	p.in.flags = VSPLIT_SPLIT_PLANNED | VSPLIT_SPLIT_AHEAD;
}

/*
 * C is not needed before A has run for long, so its load can wait until B's portion is over. B is
 * needed later than D, so B leaves and D stays. If C were needed soon, D would leave.
 */
static void AHEAD_waits_where_there_is_time(void)
{
	three_of_four(4, 0x1000, 0x2000);
	expect(0, "in D@0* [0,80) 0:1 in B@4* after 0 [80,1000) 1:2 in A@8* after 0 [1000,2000) 2:3 "
		  "out B@4 after 2 in C@4* after 0 [2000,2100) 3:4 [2100,2f00) 4:5 "
		  "out C@4 after 4 in B@4* after 0 [2f00,3000) 5:6");
	three_of_four(4, 0x1000, 0x1100);
	expect(0, "in D@0* [0,80) 0:1 in B@4* after 0 [80,1000) 1:2 in A@8* after 0 [1000,1100) 2:3 "
		  "out D@0 after 1 in C@0* after 0 [1100,2100) 3:4 "
		  "out A@8 after 3 in D@8* after 0 [2100,2f00) 4:5 [2f00,3000) 5:6");
}

/*
 * B's portion ends a little after C could be loaded: B leaves, not D. If it ends later, D leaves.
 */
static void AHEAD_waits_a_little(void)
{
	three_of_four(8, 0xe00, 0xf00);
	expect(0, "in D@0* [0,80) 0:1 in B@8* after 0 [80,e00) 1:2 in A@16* after 0 [e00,f00) 2:3 "
		  "out B@8 after 2 in C@8* after 0 [f00,2100) 3:4 [2100,2f00) 4:5 "
		  "out C@8 after 4 in B@8* after 0 [2f00,3000) 5:6");
	three_of_four(8, 0x1000, 0x1100);
	expect(0, "in D@0* [0,80) 0:1 in B@8* after 0 [80,1000) 1:2 in A@16* after 0 [1000,1100) 2:3 "
		  "out D@0 after 1 in C@0* after 0 [1100,2100) 3:4 "
		  "out A@16 after 3 in D@16* after 0 [2100,2f00) 4:5 [2f00,3000) 5:6");
}

/* With overlap, too, B and D leave for E, and C moves. */
static void AHEAD_what_is_needed_moves(void)
{
	u32 a, b, c, d, e;

	start(8, 0x200);
	p.in.memory_speed = 16;
	a = alloc(2);
	b = alloc(2);
	c = alloc(2);
	d = alloc(2);
	e = alloc(4);
	p.in.flags = VSPLIT_SPLIT_PLANNED | VSPLIT_SPLIT_AHEAD;
	bind(0, a, 0);
	bind(0, b, 0x10);
	bind(0, c, 0x20);
	bind(0, d, 0x30);
	unbind(0, 0x40);
	bind(0, e, 0x100);
	bind(0, a, 0x150);
	bind(0, c, 0x160);
	expect(0, "in A@0* [0,10) 0:1 in B@2* after 0 [10,20) 1:2 in C@4* after 0 [20,30) 2:3 "
		  "in D@6* after 0 [30,40) 3:4 "
		  "out B@2 after 2 out D@6 move C@4>@2* after 3 in E@4* after 0 [40,150) 4:6 "
		  "[150,160) 6:7 [160,200) 7:8");
}

/* The victim with the lowest priority leaves, whatever its age. */
static void EXT_28_priority_before_age(void)
{
	u32 a, b, c, d;

	start(12, 0x100);
	a = problem_resident(&p, 4, 0, 0, 0);
	b = problem_resident(&p, 4, 0, 0, 4);
	c = problem_resident(&p, 4, 0, 0, 8);
	d = alloc(4);
	p.allocs[a].lru = 1;
	p.allocs[b].lru = 9;
	p.allocs[c].lru = 2;
	bind(0, d, 0);
	expect(0, "out A@0 in D@0* [0,100) 0:1");
	p.allocs[a].priority = 2;
	p.allocs[b].priority = 1;
	p.allocs[c].priority = 2;
	expect(0, "out B@4 in D@4* [0,100) 0:1");
	/* Among equals it is the oldest victim again. */
	p.allocs[b].priority = 2;
	expect(0, "out A@0 in D@0* [0,100) 0:1");
}

/* Top-down: the highest hole from the end of the segment, but nothing is evicted for that. */
static void EXT_27_topdown(void)
{
	u32 a, b;

	start(12, 0x100);
	problem_resident(&p, 2, 0, 0, 5);
	a = alloc(2);
	b = alloc(4);
	p.allocs[a].topdown = 1;
	p.allocs[a].align = 4 * PAGE;
	bind(0, a, 0);
	bind(1, b, 0);
	expect(0, "in B@8* in C@0* [0,100) 0:2");
	p.allocs[a].align = PAGE;
	expect(0, "in B@10* in C@0* [0,100) 0:2");
}

/* Uses in the list are newer than any use before it. */
static void VICTIM_uses_in_the_list_count(void)
{
	u32 a, b, c;

	start(12, 0x300);
	a = problem_resident(&p, 4, 0, 0, 0);
	b = problem_resident(&p, 4, 0, 0, 4);
	c = problem_resident(&p, 4, 0, 0, 8);
	p.allocs[a].lru = 1;
	p.allocs[b].lru = 9;
	p.allocs[c].lru = ~0ull;
	bind(0, a, 0);
	unbind(0, 0x100);
	bind(1, alloc(4), 0x100);
	bind(2, alloc(4), 0x100);
	expect(0, "out B@4 out C@8 in D@4* in E@8* [0,300) 0:4");
}

static void VICTIM_for_the_commit_limit_alone(void)
{
	problem_init(&p, 0x100);
	problem_segment(&p, 20, 10, 0);
	problem_resident(&p, 2, 0, 0, 0);	/* A: oldest, too small */
	problem_resident(&p, 5, 0, 0, 2);	/* B: enough alone, so A is let off */
	problem_resident(&p, 3, 0, 0, 7);	/* C: newest */
	bind(0, alloc(4), 0);
	expect(0, "out B@2 in D@10* [0,100) 0:1");
}

static void VICTIM_never_for_nothing(void)
{
	start(12, 0x100);
	problem_resident(&p, 4, PINNED, 0, 4);
	problem_resident(&p, 4, 0, 0, 0);
	problem_resident(&p, 4, 0, 0, 8);
	bind(0, alloc(5), 0);
	expect(-ENOSPC, "");
	t_equal(p.final[1].seg, 0);
	t_equal(p.final[2].seg, 0);
}

/* ---- bytes ---- */

static void BYTES_clean_leaves_without_transfer(void)
{
	u32 a, b, c;

	start(8, 0x300);
	a = problem_alloc(&p, 8, WRITE);
	b = problem_alloc(&p, 8, 0);
	c = problem_alloc(&p, 8, CLEAR);
	bind(0, a, 0);
	bind(0, b, 0x100);
	bind(0, c, 0x200);
	expect(0, "in A@0* [0,100) 0:1 out A@0* in B@0* [100,200) 1:2 out B@0 in C@0~ [200,300) 2:3");
	t_equal(p.final[c].flags, CLEAR);
}

static void BYTES_clear_until_written(void)
{
	u32 a, b;

	start(8, 0x500);
	a = problem_alloc(&p, 8, CLEAR | WRITE);
	b = problem_alloc(&p, 8, CLEAR);
	bind(0, b, 0);
	bind(0, a, 0x100);
	bind(0, b, 0x200);
	bind(0, a, 0x300);
	bind(0, b, 0x400);
	expect(0, "in B@0~ [0,100) 0:1 out B@0 in A@0~ [100,200) 1:2 out A@0* in B@0~ [200,300) 2:3 out B@0 in A@0* [300,400) 3:4 out A@0* in B@0~ [400,500) 4:5");
}

/* Only the first page-in is a fill. After it the allocation is dirty and is written back. */
static void BYTES_discard_once(void)
{
	u32 a, b;

	start(8, 0x300);
	a = problem_alloc(&p, 8, DISCARD);
	b = problem_alloc(&p, 8, 0);
	bind(0, a, 0);
	bind(0, b, 0x100);
	bind(0, a, 0x200);
	expect(0, "in A@0~ [0,100) 0:1 out A@0* in B@0* [100,200) 1:2 out B@0 in A@0* [200,300) 2:3");
}

/* An allocation that was used in place in this buffer must not be discarded later. */
static void BYTES_discard_not_after_use(void)
{
	u32 a, b;

	start(8, 0x300);
	a = problem_resident(&p, 8, DISCARD | WRITE, 0, 0);
	b = problem_alloc(&p, 8, 0);
	bind(0, a, 0);
	bind(0, b, 0x100);
	bind(0, a, 0x200);
	expect(0, "[0,100) 0:1 out A@0* in B@0* [100,200) 1:2 out B@0 in A@0* [200,300) 2:3");
}

static void BYTES_aperture_moves_none(void)
{
	u32 a, b;

	problem_init(&p, 0x200);
	problem_segment(&p, 8, 8, APERTURE);
	a = problem_alloc(&p, 8, WRITE | CLEAR);
	b = problem_alloc(&p, 8, DISCARD);
	bind(0, a, 0);
	bind(0, b, 0x100);
	expect(0, "in A@0 [0,100) 0:1 out A@0 in B@0 [100,200) 1:2");
	t_equal(p.final[a].flags, 0);
	t_equal(p.final[b].flags, 0);
}

/* ---- segments ---- */

static void SEGMENTS_hole_in_second_before_victim_in_first(void)
{
	u32 a;

	problem_init(&p, 0x100);
	problem_segment(&p, 8, 8, 0);
	problem_segment(&p, 8, 8, 0);
	problem_resident(&p, 8, 0, 0, 0);
	a = alloc(8);
	p.allocs[a].nr_segs = 2;
	p.allocs[a].segs[1] = 1;
	bind(0, a, 0);
	expect(0, "in B1@0* [0,100) 0:1");
	/* Both segments are full: the first one is preferred again. */
	problem_resident(&p, 8, 0, 1, 0);
	expect(0, "out A0@0 in B0@0* [0,100) 0:1");
}

static void SEGMENTS_commit_limit_is_low_memory(void)
{
	u32 a, b;

	problem_init(&p, 0x200);
	problem_segment(&p, 20, 10, 0);
	a = alloc(6);
	b = alloc(6);
	bind(0, a, 0);
	bind(0, b, 0x100);
	expect(0, "in A@0* [0,100) 0:1 out A@0 in B@6* [100,200) 1:2");
}

static void SEGMENTS_leaves_where_it_may_not_be(void)
{
	u32 a;

	problem_init(&p, 0x100);
	problem_segment(&p, 8, 8, 0);
	problem_segment(&p, 8, 8, 0);
	a = problem_resident(&p, 8, DIRTY, 0, 0);
	p.allocs[a].segs[0] = 1;
	bind(0, a, 0);
	expect(0, "out A0@0* in A1@0* [0,100) 0:1");
}

static void SEGMENTS_fixed_ranges_are_left_alone(void)
{
	start(12, 0x100);
	problem_fixed(&p, 0, 8, 2);
	problem_fixed(&p, 0, 3, 1);
	bind(0, alloc(3), 0);
	bind(1, alloc(4), 0);
	bind(2, alloc(2), 0);
	expect(0, "in A@0* in B@4* in C@10* [0,100) 0:3");
}

int main(void)
{
	t_run(EXT_27_topdown);
	t_run(EXT_28_priority_before_age);
	t_run(MOVE_order_by_dependency);
	t_run(MOVE_overlapping_itself);
	t_run(MOVE_cycle_through_system_memory);
	t_run(MOVE_never_into_or_out_of_an_aperture);
	t_run(MOVE_between_memory_segments);
	t_run(VICTIM_window_of_the_cheapest);
	t_run(VICTIM_next_use);
	t_run(LAID_OUT_what_is_there_moves_down);
	t_run(LAID_OUT_next_group_comes_in_behind_the_cut);
	t_run(CUT_victims_are_chosen_behind_it);
	t_run(VICTIM_none_helps_the_limit);
	t_run(LAID_OUT_pieces_cut_nothing);
	t_run(LAID_OUT_kept_lie_together);
	t_run(PLANNED_cut_that_saves_bytes);
	t_run(PLANNED_unbound_leaves_at_a_cut);
	t_run(PLANNED_what_is_needed_moves);
	t_run(PLANNED_nothing_moves_in_slow_memory);
	t_run(PLANNED_nothing_huge_moves);
	t_run(PLANNED_what_must_leave_does);
	t_run(PLANNED_window_that_costs_least);
	t_run(PLANNED_what_lasts_is_apart);
	t_run(HOMES_planned_lists_have_them);
	t_run(HOMES_others_give_way);
	t_run(AHEAD_what_runs_stays);
	t_run(AHEAD_priority_before_time);
	t_run(AHEAD_waits_where_there_is_time);
	t_run(AHEAD_waits_a_little);
	t_run(AHEAD_what_is_needed_moves);
	t_run(VICTIM_uses_in_the_list_count);
	t_run(VICTIM_for_the_commit_limit_alone);
	t_run(VICTIM_never_for_nothing);
	t_run(BYTES_clean_leaves_without_transfer);
	t_run(BYTES_clear_until_written);
	t_run(BYTES_discard_once);
	t_run(BYTES_discard_not_after_use);
	t_run(BYTES_aperture_moves_none);
	t_run(SEGMENTS_hole_in_second_before_victim_in_first);
	t_run(SEGMENTS_commit_limit_is_low_memory);
	t_run(SEGMENTS_leaves_where_it_may_not_be);
	t_run(SEGMENTS_fixed_ranges_are_left_alone);
	return t_status;
}
