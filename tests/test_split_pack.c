// SPDX-License-Identifier: MIT
/*
 * Does the planner pack every set that can be packed? Groups at offset 0 fill the room that pinned
 * ranges leave to the last pages. An exhaustive search judges them where that is possible;
 * otherwise the sets are made by cutting up the gaps, so they are known to fit.
 *
 * test_split_pack [--seed SEED] [--runs RUNS]
 */
#include <errno.h>

#include "harness.h"
#include "split_problem.h"

static struct problem p;
static u8 busy[VSPLIT_SPLIT_MAX_SEGMENTS][256];

static u32 pick(struct source *s, u32 from, u32 to)
{
	return from + source_below(s, to - from + 1);
}

/* One segment with pinned allocations. Returns its free pages. */
static u32 one_segment(struct source *s, u32 pages, u32 max_pins, bool limited)
{
	u32 seg = problem_segment(&p, pages, pages, 0);
	u32 pins = source_below(s, max_pins + 1);
	u32 room = pages;
	u32 i, j;

	memset(busy[seg], 0, sizeof(busy[seg]));
	for (i = 0; i < pins; i++) {
		u32 size = pick(s, 1, 4);
		u32 at = source_below(s, pages - size);

		for (j = 0; j < size && !busy[seg][at + j]; j++)
			;
		if (j < size)
			continue;
		memset(&busy[seg][at], 1, size);
		problem_resident(&p, size, VSPLIT_SPLIT_ALLOC_PINNED, seg, at);
		room -= size;
	}
	if (limited) {
		u32 less = source_below(s, room / 4 + 1);

		p.segments[seg].commit_limit -= less * PAGE;
		room -= less;
	}
	return room;
}

static void add_item(struct source *s, u32 pages, u32 align, u32 nr_segs)
{
	u32 a = problem_alloc(&p, pages, 0);
	u32 i, j;

	p.allocs[a].align = align * PAGE;
	p.allocs[a].nr_segs = pick(s, 1, nr_segs);
	for (i = 0; i < nr_segs; i++)
		p.allocs[a].segs[i] = i;
	for (i = nr_segs; i-- > 1;) {
		u8 tmp = p.allocs[a].segs[i];

		j = source_below(s, i + 1);
		p.allocs[a].segs[i] = p.allocs[a].segs[j];
		p.allocs[a].segs[j] = tmp;
	}
	problem_entry(&p, a % p.in.nr_slots, a, 0);
}

/* Search exhaustively for a packing of the items from @first_item on. */
static bool packs(u32 first_item)
{
	struct subset_item items[SUBSET_MAX];
	const u8 *rows[VSPLIT_SPLIT_MAX_SEGMENTS];
	u32 sizes[VSPLIT_SPLIT_MAX_SEGMENTS];
	u64 room[VSPLIT_SPLIT_MAX_SEGMENTS];
	u32 i, j;

	for (i = 0; i < p.in.nr_segments; i++) {
		rows[i] = busy[i];
		sizes[i] = p.segments[i].size / PAGE;
		room[i] = p.segments[i].commit_limit / PAGE;
		for (j = 0; j < sizes[i]; j++)
			room[i] -= busy[i][j];
	}
	for (i = first_item; i < p.in.nr_allocs; i++) {
		struct subset_item *item = &items[i - first_item];

		item->pages = p.allocs[i].size / PAGE;
		item->align = p.allocs[i].align / PAGE;
		item->segs = 0;
		for (j = 0; j < p.allocs[i].nr_segs; j++)
			item->segs |= 1u << p.allocs[i].segs[j];
	}
	return subset_packs(p.in.nr_allocs - first_item, items, p.in.nr_segments, sizes, rows,
			    room);
}

/* Small sets without slack: every set that can be packed must be packed. */
static void small_sets(u64 seed, u32 *solvable, u32 *solved)
{
	struct source s = { .seed = seed };
	u32 i, nr_segs, room, first, left;
	const char *bad;

	problem_init(&p, 4);
	nr_segs = source_below(&s, 3) ? 1 : pick(&s, 2, 3);
	for (i = 0, room = 0; i < nr_segs; i++)
		room += one_segment(&s, pick(&s, 12, 48), 4, !source_below(&s, 3));
	first = p.in.nr_allocs;
	/* Fill the room to the last pages, or a little beyond what alignment allows. */
	left = room - (source_below(&s, 2) ? source_below(&s, 3) : 0);
	for (i = pick(&s, 3, 10); i && left; i--) {
		u32 align = source_below(&s, 3) ? 1 : 1u << pick(&s, 0, 3);
		u32 size = i == 1 ? left : pick(&s, 1, left / i * 2 + 1);

		if (size > left)
			size = left;
		add_item(&s, size, align, nr_segs);
		left -= size;
	}
	bad = split_judge(&p, NULL, NULL, false);
	if (packs(first)) {
		++*solvable;
		*solved += !p.ret;
	} else if (!p.ret) {
		bad = "packed what cannot be packed";
	}
	if (bad) {
		problem_print(&p);
		t_fail("seed %llu: %s", (unsigned long long)seed, bad);
	}
}

/* Cut gaps into items without a page left: a set that is known to fit, of any size. */
static bool cut_sets(u64 seed, u32 items, bool aligned)
{
	struct source s = { .seed = seed };
	u32 sizes[64], aligns[64];
	u32 i, pages, at, nr = 0;

	problem_init(&p, 4);
	p.in.nr_slots = MAX_SLOTS;
	pages = items * 5;
	one_segment(&s, pages, 4, false);
	for (at = 0; at < pages; at++) {
		u32 end = at, size;

		if (busy[0][at])
			continue;
		while (end < pages && !busy[0][end])
			end++;
		size = pick(&s, 1, 9);
		if (size > end - at)
			size = end - at;
		sizes[nr] = size;
		aligns[nr] = 1;
		while (aligned && aligns[nr] < 8 && !(at % (aligns[nr] * 2)) && source_below(&s, 2))
			aligns[nr] *= 2;
		at += size - 1;
		if (++nr == 56)
			return true;
	}
	for (i = nr; i-- > 1;) {
		u32 j = source_below(&s, i + 1), tmp;

		tmp = sizes[i], sizes[i] = sizes[j], sizes[j] = tmp;
		tmp = aligns[i], aligns[i] = aligns[j], aligns[j] = tmp;
	}
	for (i = 0; i < nr; i++)
		add_item(&s, sizes[i], aligns[i], 1);
	return !problem_plan(&p);
}

int main(int argc, char **argv)
{
	unsigned long long seed = 7001;
	u32 runs = 6000;
	u32 solvable = 0, solved = 0;
	char note[200];
	u32 i, n;
	int a;

	for (a = 1; a + 1 < argc; a += 2) {
		if (!strcmp(argv[a], "--seed"))
			seed = strtoull(argv[a + 1], NULL, 0);
		else if (!strcmp(argv[a], "--runs"))
			runs = strtoul(argv[a + 1], NULL, 0);
	}

	t_begin();
	for (i = 0; i < runs && !t_failed; i++)
		small_sets(seed + i, &solvable, &solved);
	snprintf(note, sizeof(note), "seed %llu: %u sets, %u can be packed, %u were (%.2f %%)", seed,
		 i, solvable, solved, solvable ? 100.0 * solved / solvable : 0);
	if (solved != solvable)
		t_fail("%s", note);
	t_end("split-pack-small-sets", note);

	/* Sets of many sizes without slack: how far does the budget of the search last? */
	for (n = 8; n <= 40; n += n < 16 ? 4 : 8) {
		u32 all = runs / 20, ok = 0, ok_aligned = 0;
		char name[64];

		t_begin();
		for (i = 0; i < all; i++) {
			ok += cut_sets(seed + i, n, false);
			ok_aligned += cut_sets(seed + i, n, true);
		}
		snprintf(note, sizeof(note),
			 "about %u items, no page left: %.1f %% packed, %.1f %% with alignments", n,
			 100.0 * ok / all, 100.0 * ok_aligned / all);
		/*
		 * With more than a dozen items, the budget may end before the search is complete.
		 */
		if (n <= 12 ? ok < all || ok_aligned < all :
			      ok * 100 < all * 99 || ok_aligned * 100 < all * 90)
			t_fail("%s", note);
		snprintf(name, sizeof(name), "split-pack-cut-%u", n);
		t_end(name, note);
	}
	return t_status;
}
