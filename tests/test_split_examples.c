// SPDX-License-Identifier: MIT
/*
 * Worked examples, and for each statement about splitting that the planner has
 * to honour a list that shows it. Plans are compared as text; sizes are pages.
 */
#include <errno.h>

#include "harness.h"
#include "split_problem.h"

static struct problem p;

#define APERTURE VSPLIT_SPLIT_SEG_APERTURE
#define WRITE VSPLIT_SPLIT_ALLOC_WRITE
#define DIRTY VSPLIT_SPLIT_ALLOC_DIRTY
#define CLEAR VSPLIT_SPLIT_ALLOC_CLEAR
#define DISCARD VSPLIT_SPLIT_ALLOC_DISCARD
#define PINNED VSPLIT_SPLIT_ALLOC_PINNED

/* One memory segment of @pages and nothing in it. */
static void start(u64 pages, u32 length)
{
	problem_init(&p, length);
	problem_segment(&p, pages, pages, 0);
}

static u32 alloc(u64 pages)
{
	return problem_alloc(&p, pages, 0);
}

static void bind(u32 slot, u32 a, u32 split)
{
	problem_entry(&p, slot, a, split);
}

static void unbind(u32 slot, u32 split)
{
	problem_entry(&p, slot, NONE, split);
}

static void put(char *text, size_t size, const char *fmt, ...)
{
	size_t at = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + at, size - at, fmt, ap);
	va_end(ap);
}

/* "@offset", with the segment before it where there is more than one. */
static void put_place(char *text, size_t size, u32 seg, u64 offset)
{
	if (p.in.nr_segments > 1)
		put(text, size, "%u", seg);
	put(text, size, "@%llu", (unsigned long long)(offset / PAGE));
}

/*
 * "out A@0* in B@0 move C@8>@0 [0,100) 0:2". Star: bytes are written back or
 * loaded; tilde: filled. Page-ins without a star or tilde are maps.
 */
static const char *plan_text(void)
{
	static char text[4096];
	u32 k, i;

	text[0] = 0;
	for (k = 0; k < p.out.nr_portions; k++) {
		const struct vsplit_split_portion *q = &p.portions[k];

		for (i = q->first_op; i < q->first_op + q->nr_ops; i++) {
			const struct vsplit_split_op *op = &p.ops[i];
			static const char *const verb[] = { "out", "in", "move" };

			put(text, sizeof(text), "%s %c", verb[op->type], 'A' + (int)op->alloc);
			if (op->from_seg != SYSTEM)
				put_place(text, sizeof(text), op->from_seg, op->from);
			if (op->type == VSPLIT_SPLIT_MOVE)
				put(text, sizeof(text), ">");
			if (op->to_seg != SYSTEM)
				put_place(text, sizeof(text), op->to_seg, op->to);
			put(text, sizeof(text), "%s%s ",
			    op->flags & VSPLIT_SPLIT_OP_TRANSFER ? "*" : "",
			    op->flags & VSPLIT_SPLIT_OP_FILL ? "~" : "");
		}
		put(text, sizeof(text), "[%x,%x) %u:%u ", q->begin, q->end, q->first_entry,
		    q->first_entry + q->nr_entries);
	}
	if (text[0])
		text[strlen(text) - 1] = 0;
	return text;
}

/* The plan, its rules, and what it looks like. */
static void expect(int ret, const char *text)
{
	const char *bad;

	problem_plan(&p);
	if (p.ret != ret)
		t_fail("result %d, not %d: %s", p.ret, ret, plan_text());
	else if (text && strcmp(plan_text(), text))
		t_fail("is \"%s\", not \"%s\"", plan_text(), text);
	bad = split_judge(&p, NULL);
	if (bad)
		t_fail("%s", bad);
}

static void fails_at(u32 entry)
{
	t_equal(p.out.fail_entry, entry);
	t_equal(p.out.fail_portion, p.out.nr_portions);
}

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
	/* A and C are where the two portions left them; D was never in. */
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
	/* Nobody left for nothing. */
	t_equal(p.final[0].seg, 0);
	t_equal(p.final[2].seg, 0);
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

/* W7 is about engines; what the plan owes it: nothing between touches A. */
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

/* Footprint over memory, each step fits: all entries, in order, each once. */
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

/* A set that fits neither memory nor aperture is split; one that does is not. */
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
 * The same where somebody is in the way who is bound himself: A in the middle,
 * and in the working set before B comes. The walk alone would have to fail.
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
	/* Unless it may not move. */
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
	/* An unbind at the very end makes no portion of length zero. */
	unbind(0, 0x400);
	expect(0, "in A@0* [0,100) 0:1 in B@4* [100,200) 1:2 [200,300) 2:3 [300,400) 3:5");
}

/* A second list knows nothing of the first: what it left is idle. */
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
	/* Rows that nobody filled are not kept at the first cut. */
	bind(3, alloc(6), 0x80);
	expect(0, "out A@0 in B@0* [0,100) 0:1");
}

/* The fold of the entries before a cut decides what stays there. */
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
	bind(3, c, 0x100);	/* row 0 is as it was */
	expect(0, "in A@0* in B@6* [0,100) 0:2 out B@6 in C@6* [100,200) 2:3");
}

/* Commands before the SplitOffset run while its allocation is not there. */
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

/* Replaced, but still in the working set: it is the next taken split that frees it. */
static void SPLIT_19_replaced_stays_until_a_taken_split(void)
{
	u32 a, b, c;

	start(12, 0x400);
	a = alloc(6);
	b = alloc(6);
	c = alloc(6);
	bind(0, a, 0);
	bind(0, b, 0x100);	/* A is in no row, but [0,...) uses it */
	bind(1, c, 0x200);	/* cannot take A's place before the cut */
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
	bind(0, b, 0x100);	/* fails: the cut is before C, too */
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
	bind(2, b, 0x100);	/* resident: none */
	bind(1, c, 0x100);
	bind(0, a, 0x200);
	bind(4, d, 0x200);	/* resident by now: none */
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
	unbind(0, 0x300);	/* a candidate, earlier, not taken */
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

/* Kept is the allocation: in two rows, it stays unless both are reprogrammed. */
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

/* Nobody needs the room: what is in no row may stay, and does. */
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

/* An unbind needs no memory, never fails, and is no reason to cut. */
static void SPLIT_31_unbind(void)
{
	u32 a;

	start(8, 0x300);
	a = alloc(8);
	bind(0, a, 0);
	unbind(0, 0x100);
	unbind(5, 0x200);	/* empty anyhow */
	expect(0, "in A@0* [0,300) 0:3");
	/* Not kept at this split or a later one. */
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

/* An unbind behind the failing bind frees its row for this very split. */
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

/* The last of several entries for one slot of a group stands; all are needed. */
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

	/* A 64 MB texture at example scale, bound again at each split point. */
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
 * C has to be at 8, where B ends; list order makes A and B change places. The
 * smaller one, or else the first, goes through system memory.
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

/* The window of two old small ones beats the one of a big new one. */
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
	p.in.policy = &vsplit_split_policy_next_use;
	expect(0, "out B@4 in C@4* [0,200) 0:2");
	(void)b;
}

/* Of those that may leave the one of lowest priority goes, whatever its age. */
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
	/* Among equals it is the oldest again. */
	p.allocs[b].priority = 2;
	expect(0, "out A@0 in D@0* [0,100) 0:1");
}

/* From the end of the segment: the highest hole, but no eviction for its sake. */
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

/* Uses in the list are newer than any before it. */
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

/* Only the first page-in; filled over old bytes, it has to be written back. */
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

/* What was used in this buffer where it was must not be discarded later. */
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
	/* Both full: the first is preferred again. */
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
	/* No row kept: no leak. */
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
	t_run(EXT_27_topdown);
	t_run(EXT_28_priority_before_age);
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
	t_run(MOVE_order_by_dependency);
	t_run(MOVE_overlapping_itself);
	t_run(MOVE_cycle_through_system_memory);
	t_run(MOVE_never_into_or_out_of_an_aperture);
	t_run(MOVE_between_memory_segments);
	t_run(VICTIM_window_of_the_cheapest);
	t_run(VICTIM_next_use);
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
	t_run(KNOB_evict_between);
	t_run(KNOB_leak_detection);
	t_run(KNOB_random_placement);
	return t_status;
}
