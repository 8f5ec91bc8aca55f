// SPDX-License-Identifier: MIT
/*
 * What the planner refuses, its limits, and its promises about arrays that are too small.
 */
#include <errno.h>

#include "harness.h"
#include "split_problem.h"

static struct problem p;

/* A list that can be planned: at most two portions and seven operations. */
static void good(void)
{
	problem_init(&p, 0x300);
	problem_segment(&p, 16, 16, 0);
	problem_segment(&p, 16, 16, VSPLIT_SPLIT_SEG_APERTURE);
	problem_resident(&p, 6, 0, 0, 0);
	problem_alloc(&p, 6, 0);
	problem_alloc(&p, 6, 0);
	problem_fixed(&p, 0, 14, 2);
	problem_entry(&p, 0, 0, 0);
	problem_entry(&p, 1, 1, 0x100);
	problem_entry(&p, 0, 2, 0x200);
	p.ret = problem_plan(&p);
}

#define REFUSED(change)							\
	do {								\
		good();							\
		t_equal(p.ret, 0);					\
		change;							\
		problem_plan(&p);					\
		if (p.ret != -EINVAL)					\
			t_fail("%s: result %d", #change, p.ret);	\
	} while (0)

static void errors_contradictions(void)
{
	REFUSED(p.in.nr_segments = 0);
	REFUSED(p.in.nr_segments = 7);
	REFUSED(p.in.length = 0);
	REFUSED(p.in.page = 0);
	REFUSED(p.in.page = 3);
	REFUSED(p.segments[0].commit_limit = 17 * PAGE);
	REFUSED(p.segments[0].size = ~0ull);
	REFUSED(p.allocs[1].size = 0);
	REFUSED(p.allocs[1].size = PAGE + 1);
	REFUSED(p.allocs[1].align = 0);
	REFUSED(p.allocs[1].align = 3 * PAGE);
	REFUSED(p.allocs[1].align = PAGE / 2);
	REFUSED(p.allocs[1].nr_segs = 0);
	REFUSED(p.allocs[1].nr_segs = 7);
	REFUSED(p.allocs[1].segs[0] = 2);
	REFUSED(p.allocs[1].seg = 2);
	REFUSED(p.fixed[0].seg = 2);
}

/* SPLIT-21 and SPLIT-22: offsets beyond the end, and decreasing ones. */
static void errors_entries(void)
{
	REFUSED(p.entries[2].split = 0x80);
	REFUSED(p.entries[2].split = 0x301);
	REFUSED(p.entries[2].split = 0x300);	/* a bind at the very end */
	REFUSED(p.entries[1].slot = p.in.nr_slots);
	REFUSED(p.entries[1].alloc = p.in.nr_allocs);
	good();
	p.entries[2].split = 0x300;
	p.entries[2].alloc = NONE;		/* an unbind is allowed there */
	t_equal(problem_plan(&p), 0);
	good();
	p.entries[1].slot = p.in.nr_slots - 1;
	t_equal(problem_plan(&p), 0);
}

static void errors_ranges(void)
{
	REFUSED(p.fixed[0].start = 5 * PAGE);		/* overlaps allocation 0 */
	REFUSED(p.fixed[0].start = 15 * PAGE);		/* leaves the segment */
	REFUSED(p.fixed[0].start = ~0ull - PAGE + 1);	/* wraps around */
	REFUSED(p.fixed[0].size = ~0ull - PAGE + 1);
	REFUSED(p.allocs[0].offset = 11 * PAGE);
	REFUSED(p.allocs[0].offset = ~0ull - PAGE + 1);
	REFUSED(p.allocs[1].seg = 0);			/* at the place of allocation 0 */
	REFUSED(problem_fixed(&p, 0, 15, 1));
	good();
	problem_fixed(&p, 0, 3, 0);			/* an empty range is not in the way */
	t_equal(problem_plan(&p), 0);
	good();
	p.allocs[1].seg = 0;				/* next to each other */
	p.allocs[1].offset = 6 * PAGE;
	t_equal(problem_plan(&p), 0);
}

static void errors_pinned(void)
{
	/* The pinned allocation is in no segment, or where it may not be. */
	REFUSED(p.allocs[1].flags = VSPLIT_SPLIT_ALLOC_PINNED);
	REFUSED((p.allocs[0].flags = VSPLIT_SPLIT_ALLOC_PINNED, p.allocs[0].segs[0] = 1));
	good();
	p.allocs[0].flags = VSPLIT_SPLIT_ALLOC_PINNED;
	t_equal(problem_plan(&p), -ENOSPC);
	t_equal(p.out.fail_entry, 2);
	t_equal(p.out.nr_portions, 1);
}

static void errors_workspace(void)
{
	static u64 ws[4096];
	size_t bytes;

	good();
	bytes = vsplit_split_workspace(&p.in);
	t_check(bytes <= sizeof(ws));
	t_equal(vsplit_split_plan(&p.in, &p.out, ws, bytes - 1), -EINVAL);
	t_equal(vsplit_split_plan(&p.in, &p.out, ws, 0), -EINVAL);
	t_equal(vsplit_split_plan(&p.in, &p.out, ws, bytes), 0);

	/* The workspace grows linearly with each count. */
	{
		struct vsplit_split_alloc *many = calloc(100000, sizeof(*many));
		struct vsplit_split_input a = p.in, b = p.in;
		u32 i;

		for (i = 0; i < 100000; i++)
			many[i].align = PAGE << (i & 1);
		a.allocs = b.allocs = many;
		a.nr_allocs = a.nr_entries = a.nr_slots = a.nr_fixed = 1000;
		b.nr_allocs = b.nr_entries = b.nr_slots = b.nr_fixed = 100000;
		t_check(vsplit_split_workspace(&b) <= 101 * vsplit_split_workspace(&a));
		t_check(vsplit_split_workspace(&a) <= 1000 * 640);
		free(many);
	}
}

/*
 * Nothing is written behind the arrays, and arrays of the size that the plan uses are large enough.
 */
static void errors_small_arrays(void)
{
	struct source s;
	u32 runs, i;

	for (runs = 0; runs < 3000; runs++) {
		struct problem full;
		u32 ops, portions;

		s = (struct source){ .seed = 77000 + runs };
		problem_random(&full, &s);
		problem_plan(&full);
		s = (struct source){ .seed = 77000 + runs };
		problem_random(&p, &s);
		ops = full.out.nr_ops ? runs % full.out.nr_ops : 0;
		portions = full.out.nr_portions ? runs % full.out.nr_portions : 0;
		if (!full.out.nr_portions)
			continue;
		p.out.max_ops = runs & 1 ? ops : full.out.nr_ops;
		p.out.max_portions = runs & 1 ? full.out.nr_portions : portions;
		if (runs & 1 && !full.out.nr_ops)
			continue;
		problem_plan(&p);
		t_equal(p.ret, runs & 1 ? -ENOBUFS : -E2BIG);
		for (i = p.out.max_ops * sizeof(*p.ops); i < sizeof(p.ops); i++)
			t_equal(((u8 *)p.ops)[i], 0xa5);
		for (i = p.out.max_portions * sizeof(*p.portions); i < sizeof(p.portions); i++)
			t_equal(((u8 *)p.portions)[i], 0xa5);
		/*
		 * A list that fails may have had a longer plan on the way, which needs more
		 * operations.
		 */
		p.out.max_ops = full.ret ? MAX_OPS : full.out.nr_ops;
		p.out.max_portions = full.out.nr_portions;
		problem_plan(&p);
		t_equal(p.ret, full.ret);
		t_check(!memcmp(p.ops, full.ops, full.out.nr_ops * sizeof(*p.ops)));
		t_check(!memcmp(p.portions, full.portions,
				full.out.nr_portions * sizeof(*p.portions)));
		t_check(!memcmp(p.final, full.final, sizeof(p.final)));
		if (t_failed)
			t_fail("seed %u", 77000 + runs);
	}
}

static struct vsplit_split_op grown[MAX_OPS];

/* Double the array, and move it to another place. */
static int grow(struct vsplit_split_output *out)
{
	if (out->max_ops == MAX_OPS)
		return -ENOMEM;
	memcpy(grown, out->ops, out->max_ops * sizeof(*out->ops));
	out->ops = grown;
	out->max_ops = out->max_ops ? 2 * out->max_ops : 1;
	return 0;
}

static int grow_fails(struct vsplit_split_output *out)
{
	return -ENOMEM;
}

/* If the array grows during planning, the operations are the same. */
static void errors_growing_ops(void)
{
	u32 runs;

	for (runs = 0; runs < 3000; runs++) {
		struct problem full;
		struct source s = { .seed = 77000 + runs };

		problem_random(&full, &s);
		problem_plan(&full);
		s = (struct source){ .seed = 77000 + runs };
		problem_random(&p, &s);
		p.out.max_ops = 0;
		p.out.grow_ops = grow;
		problem_plan(&p);
		t_equal(p.ret, full.ret);
		t_equal(p.out.nr_ops, full.out.nr_ops);
		t_check(!memcmp(p.out.ops, full.ops, full.out.nr_ops * sizeof(*p.ops)));
		if (!full.out.nr_ops)
			continue;
		p.out.ops = p.ops;
		p.out.max_ops = 0;
		p.out.grow_ops = grow_fails;
		problem_plan(&p);
		t_equal(p.ret, -ENOMEM);
		if (t_failed)
			t_fail("seed %u", 77000 + runs);
	}
}

/* vsplit_split_portions() is reached if all split points are taken, and never exceeded. */
static void errors_bound_of_portions(void)
{
	struct source s;
	u32 runs;

	for (runs = 0; runs < 3000; runs++) {
		s = (struct source){ .seed = 78000 + runs };
		problem_random(&p, &s);
		problem_plan(&p);
		t_check(p.out.nr_portions <= vsplit_split_portions(&p.in));
		p.in.flags = VSPLIT_SPLIT_TAKE_SPLIT_POINT;
		if (!problem_plan(&p))
			t_equal(p.out.nr_portions, vsplit_split_portions(&p.in));
	}
}

/* If killed at any point, the planner stops at once, and touches nothing that it should not. */
static void errors_killed(void)
{
	u32 runs, after;
	bool done;

	for (runs = 0; runs < 1000; runs++) {
		for (after = 1, done = false; !done; after++) {
			struct source s = { .seed = 33000 + runs };

			problem_random(&p, &s);
			problem_kill_after = after;
			problem_plan(&p);
			done = problem_kill_after;
			problem_kill_after = 0;
			if (!done && p.ret != -EINTR)
				t_fail("seed %u: result %d", 33000 + runs, p.ret);
		}
	}
}

/* A number near the limits of a field. */
static u64 odd_number(struct source *s)
{
	static const u64 odd[] = {
		0, 1, 2, 3, 4095, 4096, 4097, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		1ull << 55, 1ull << 56, (1ull << 56) + 4096, 1ull << 62, 1ull << 63,
		~0ull - 4095, ~0ull - 4096, ~0ull,
	};
	u64 number = odd[source_below(s, sizeof(odd) / sizeof(odd[0]))];

	return source_below(s, 3) ? number : number ^ (1ull << source_below(s, 64));
}

/* Nonsense in any field except the counts of arrays is refused or survived. */
static void errors_nonsense(void)
{
	u32 runs, i;

	for (runs = 0; runs < 20000 && !t_failed; runs++) {
		struct source s = { .seed = 55000 + runs };

		problem_random(&p, &s);
		for (i = 1 + source_below(&s, 3); i; i--) {
			struct vsplit_split_segment *seg =
				&p.segments[source_below(&s, p.in.nr_segments)];
			struct vsplit_split_alloc *a = &p.allocs[source_below(&s, p.in.nr_allocs)];
			struct vsplit_split_entry *e = &p.entries[source_below(&s, MAX_ENTRIES)];
			u64 odd = odd_number(&s);

			switch (source_below(&s, 16)) {
			case 0: seg->size = odd; break;
			case 1: seg->commit_limit = odd; break;
			case 2: seg->flags = odd; break;
			case 3: a->size = odd; break;
			case 4: a->align = odd; break;
			case 5: a->offset = odd; break;
			case 6: a->lru = odd; break;
			case 7: a->flags = odd; break;
			case 8: a->seg = odd; break;
			case 9: a->nr_segs = odd; break;
			case 10: a->segs[source_below(&s, 6)] = odd; break;
			case 11: e->alloc = odd; break;
			case 12: e->slot = odd; break;
			case 13: e->split = odd; break;
			case 14: p.in.page = odd; break;
			case 15: p.in.length = odd; break;
			}
			p.fixed[0].start ^= source_below(&s, 8) ? 0 : odd;
			p.fixed[0].size ^= source_below(&s, 8) ? 0 : odd;
		}
		problem_plan(&p);
		if (p.ret && p.ret != -EINVAL && p.ret != -ENOSPC && p.ret != -EPERM)
			t_fail("seed %u: result %d", 55000 + runs, p.ret);
	}
}

/* There are never more portions than distinct SplitOffsets + 1. */
static void errors_portion_bound(void)
{
	struct source s;
	u32 runs, i, distinct;

	for (runs = 0; runs < 3000 && !t_failed; runs++) {
		s = (struct source){ .seed = 99000 + runs };
		problem_random(&p, &s);
		problem_plan(&p);
		for (i = 0, distinct = 0; i < p.in.nr_entries; i++)
			distinct += !i || p.entries[i].split != p.entries[i - 1].split;
		t_check(p.out.nr_portions <= distinct + 1);
	}
}

/* A list without entries, without allocations, without slots. */
static void errors_nothing_to_do(void)
{
	problem_init(&p, 4);
	problem_segment(&p, 1, 1, 0);
	p.in.nr_slots = 0;
	t_equal(problem_plan(&p), 0);
	t_equal(p.out.nr_portions, 1);
	t_equal(p.out.nr_ops, 0);
	t_equal(p.portions[0].begin, 0);
	t_equal(p.portions[0].end, 4);
}

/* Numbers near their limits: no sum of sizes may wrap. */
static void limits_huge_numbers(void)
{
	/* As many pages as a segment can have. */
	const u64 huge = 0xffffffffull;
	u32 a;

	problem_init(&p, ~0u);
	problem_segment(&p, huge, huge, 0);
	a = problem_alloc(&p, 1, 0);
	p.allocs[a].size = ~0ull & ~(PAGE - 1);
	problem_entry(&p, 0, a, 0);
	t_equal(problem_plan(&p), -ENOSPC);

	p.allocs[a].size = huge * PAGE;
	t_equal(problem_plan(&p), 0);
	p.allocs[a].align = 1ull << 63;
	t_equal(problem_plan(&p), 0);
	t_equal(p.binds[0].offset, 0);
	a = problem_alloc(&p, 1, 0);
	p.allocs[a].align = 1ull << 63;
	problem_entry(&p, 0, a, ~0u - 1);
	p.allocs[0].size -= PAGE;
	t_equal(problem_plan(&p), 0);
	t_equal(p.out.nr_portions, 2);

	/* Many allocations that each fit and wrap together. */
	problem_init(&p, 0x100);
	problem_segment(&p, huge, huge, 0);
	for (a = 0; a < 64; a++) {
		problem_alloc(&p, (1ull << 58) / PAGE, 0);
		problem_entry(&p, a & 7, a, 0);
	}
	t_equal(problem_plan(&p), -ENOSPC);

	/* A commit limit that is exceeded from the beginning. */
	problem_init(&p, 0x100);
	problem_segment(&p, 16, 2, 0);
	problem_resident(&p, 4, VSPLIT_SPLIT_ALLOC_PINNED, 0, 0);
	problem_entry(&p, 0, problem_alloc(&p, 1, 0), 0);
	t_equal(problem_plan(&p), -ENOSPC);
	problem_init(&p, 0x100);
	problem_segment(&p, 16, 2, 0);
	problem_resident(&p, 4, 0, 0, 0);
	problem_entry(&p, 0, problem_alloc(&p, 1, 0), 0);
	t_equal(problem_plan(&p), 0);
	t_equal(p.final[0].seg, SYSTEM);
}

/* The stamps of the input may be as large as possible. */
static void limits_lru_stamps(void)
{
	problem_init(&p, 0x300);
	problem_segment(&p, 8, 8, 0);
	problem_resident(&p, 4, 0, 0, 0);
	problem_resident(&p, 4, 0, 0, 4);
	p.allocs[0].lru = ~0ull;
	p.allocs[1].lru = ~0ull;
	problem_alloc(&p, 4, 0);
	problem_entry(&p, 0, 1, 0);
	problem_entry(&p, 0, 2, 0x100);
	t_equal(problem_plan(&p), 0);
	t_equal(p.final[0].seg, SYSTEM);
	t_equal(p.final[1].seg, 0);
}

int main(void)
{
	t_run(errors_contradictions);
	t_run(errors_entries);
	t_run(errors_ranges);
	t_run(errors_pinned);
	t_run(errors_workspace);
	t_run(errors_small_arrays);
	t_run(errors_growing_ops);
	t_run(errors_bound_of_portions);
	t_run(errors_killed);
	t_run(errors_nonsense);
	t_run(errors_portion_bound);
	t_run(errors_nothing_to_do);
	t_run(limits_huge_numbers);
	t_run(limits_lru_stamps);
	return t_status;
}
