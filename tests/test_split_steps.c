// SPDX-License-Identifier: MIT
/*
 * The cost of plans in steps (struct vsplit_split_output.steps): lists that once took the planner
 * very long, the growth with each pair of dimensions of a problem, and a search for the most
 * expensive list. Steps do not depend on the machine.
 *
 * test_split_steps [--climbs N] [--seed N]
 */
#include <errno.h>
#include <math.h>

#include "harness.h"
#include "split_bench.h"

/*
 * Below this cost most entries find everything in place, and more of anything changes the mixture;
 * only above it the cost measures growth. A list that is laid out has been walked in place before.
 * A planned walk looks at all of the first victims, and at their neighbours, whenever something is
 * in the way, and does so again with homes if no walk serves the list. If paging overlaps portions,
 * a second planned walk does so a few more times.
 * the list; where paging overlaps what runs, a second one does so again, up to a few times.
 */
#define MIXED(flags) ((flags) & 32 ? 8 : (flags) & 16 ? 5 : 3)

bool vsplit_split_relax(void)
{
	return false;
}

static double cost_of(const struct bench *b)
{
	return (b->out.steps - b->out.searched) / split_work(&b->in, &b->out);
}

static void one(struct bench *b, const char *name, int ret, u32 portions)
{
	char note[200];

	t_begin();
	bench_plan(b);
	snprintf(note, sizeof(note),
		 "%u portions, %llu steps, %.0f an entry, %.1f of the allowed %u; %llu in searches",
		 b->out.nr_portions, (unsigned long long)b->out.steps,
		 (double)b->out.steps / b->in.nr_entries, cost_of(b), STEPS,
		 (unsigned long long)b->out.searched);
	t_equal(b->ret, ret);
	if (portions)
		t_equal(b->out.nr_portions, portions);
	if (cost_of(b) > STEPS || !split_granted(&b->in, &b->out))
		t_fail("%s", note);
	t_end(name, note);
	bench_free(b);
}

static void segment(struct bench *b, u64 pages)
{
	b->segments[0].size = pages * BENCH_PAGE;
	b->segments[0].commit_limit = b->segments[0].size;
	b->segments[0].visible = b->segments[0].size;
}

/*
 * Three allocations, aligned to half the segment, take turns in one slot. Everywhere else there are
 * 16382 victims of one page, which are older: whichever victim is looked at first, only the newest
 * ones make room.
 */
static void aligned_ones_in_turn(void)
{
	enum { PAGES = 16384, HALF = PAGES / 2, SMALL = PAGES - 2, N = 102 };
	struct bench b;
	u32 i;

	bench_alloc(&b, SMALL + 3, N, 0);
	segment(&b, PAGES);
	for (i = 0; i < SMALL + 3; i++) {
		bool small = i >= 3;

		b.allocs[i].size = BENCH_PAGE;
		b.allocs[i].align = BENCH_PAGE * (small ? 1 : HALF);
		b.allocs[i].nr_segs = 1;
		b.allocs[i].seg = small ? 0 : VSPLIT_SPLIT_SYSTEM;
		b.allocs[i].lru = i;
		if (small)
			b.allocs[i].offset = (i - 2 + (i - 2 >= HALF)) * BENCH_PAGE;
	}
	for (i = 0; i < N; i++) {
		b.entries[i].alloc = i % 3;
		b.entries[i].split = 4 * i;
	}
	b.in.length = 4 * N;
	one(&b, "split-steps-aligned-ones-in-turn", 0, N / 2);
}

/* Victims of one page lie between ranges of others, so no window is ever large enough. */
static void no_window(void)
{
	enum { SMALL = 16384, N = 4096 };
	struct bench b;
	u32 i;

	bench_alloc(&b, SMALL + 4, N, SMALL);
	b.in.nr_slots = 4;
	segment(&b, 2 * SMALL + 6);
	for (i = 0; i < SMALL + 4; i++) {
		b.allocs[i].size = BENCH_PAGE * (i < 4 ? 2 : 1);
		b.allocs[i].align = BENCH_PAGE;
		b.allocs[i].nr_segs = 1;
		b.allocs[i].seg = i < 4 ? VSPLIT_SPLIT_SYSTEM : 0;
		b.allocs[i].offset = i < 4 ? 0 : (i - 4) * 2 * BENCH_PAGE;
		b.allocs[i].lru = i;
	}
	for (i = 0; i < SMALL; i++) {
		b.fixed[i].start = (2 * i + 1) * BENCH_PAGE;
		b.fixed[i].size = BENCH_PAGE;
	}
	/* Three of the four fit behind all that, but each portion has to find this out anew. */
	for (i = 0; i < N; i++) {
		b.entries[i].alloc = i % 4;
		b.entries[i].slot = i % 3;
		b.entries[i].split = 4 * i;
	}
	b.in.length = 4 * N;
	one(&b, "split-steps-victims-between-obstacles", 0, 0);
}

/*
 * A planned walk with a large allocation and one that may only be at the start of the segment. In
 * place, the large one takes the lower half, whose victims are not needed any more. Then the other
 * one has no place, and all victims come back. A new layout puts the large one above, where only
 * the previous large one leaves, so the next pair finds the same again.
 */
static void victims_come_back(void)
{
	enum { HALF = 8192, LARGE = 0, FIRST = 2, OTHER = 6, SMALL = 8, TURNS = 400, EACH = 5 };
	struct bench b;
	u32 i;

	bench_alloc(&b, SMALL + HALF, TURNS * EACH, 0);
	b.in.nr_slots = 3;
	b.in.nr_segments = 2;
	b.in.flags = VSPLIT_SPLIT_PLANNED;
	segment(&b, 2 * HALF);
	b.segments[1].size = b.segments[1].commit_limit = b.segments[1].visible = BENCH_PAGE;
	for (i = 0; i < SMALL + HALF; i++) {
		b.allocs[i].size = BENCH_PAGE * (i < FIRST ? HALF : 1);
		b.allocs[i].align = BENCH_PAGE * (i < FIRST ? HALF : i < OTHER ? 2 * HALF : 1);
		b.allocs[i].nr_segs = 1;
		b.allocs[i].segs[0] = i >= OTHER && i < SMALL;
		b.allocs[i].seg = i < SMALL ? VSPLIT_SPLIT_SYSTEM : 0;
		b.allocs[i].offset = i < SMALL ? 0 : (i - SMALL) * BENCH_PAGE;
		b.allocs[i].lru = i;
	}
	for (i = 0; i < TURNS; i++) {
		struct vsplit_split_entry *e = &b.entries[i * EACH];

		/* This entry causes a cut, after which everything that the rows held may leave. */
		e[0] = (struct vsplit_split_entry) { OTHER + i % 2, 2, 8 * i };
		e[1] = (struct vsplit_split_entry) { VSPLIT_SPLIT_NONE, 0, 8 * i };
		e[2] = (struct vsplit_split_entry) { VSPLIT_SPLIT_NONE, 1, 8 * i };
		e[3] = (struct vsplit_split_entry) { LARGE + i % 2, 0, 8 * i + 4 };
		e[4] = (struct vsplit_split_entry) { FIRST + i % 4, 1, 8 * i + 4 };
	}
	b.in.length = 8 * TURNS;
	one(&b, "split-steps-victims-come-back", 0, 0);
}

/* All split points are taken, and every row of a large table is bound. */
static void large_table(void)
{
	enum { SLOTS = 4096, N = 65536 };
	struct bench b;
	u32 i;

	bench_alloc(&b, SLOTS, N, 0);
	b.in.nr_slots = SLOTS;
	b.in.flags = VSPLIT_SPLIT_TAKE_SPLIT_POINT;
	segment(&b, SLOTS);
	for (i = 0; i < SLOTS; i++) {
		b.allocs[i].size = BENCH_PAGE;
		b.allocs[i].align = BENCH_PAGE;
		b.allocs[i].nr_segs = 1;
		b.allocs[i].seg = VSPLIT_SPLIT_SYSTEM;
	}
	for (i = 0; i < N; i++) {
		b.entries[i].alloc = i % SLOTS;
		b.entries[i].slot = i % SLOTS;
		b.entries[i].split = 4 * i;
	}
	b.in.length = 4 * N;
	one(&b, "split-steps-large-table", 0, N);
}

/*
 * The same few groups again and again: if they can be solved once, they can be solved every time.
 * Each group is a set that fits to the page, in an order that first fit does not find.
 */
static void concatenated(u32 groups, const char *name)
{
	/* Two sets for the same memory; each has to be laid out by a search. */
	static const struct {
		u32 pages, align;
	} items[] = {
		{ 7, 1 }, { 3, 2 }, { 2, 2 }, { 6, 1 }, { 5, 2 }, { 4, 1 }, { 9, 1 }, { 7, 2 },
		{ 5, 2 }, { 5, 2 }, { 7, 1 },
	};
	enum { ITEMS = sizeof(items) / sizeof(items[0]) };
	struct bench b;
	u32 i, j, k;

	bench_alloc(&b, 2 * ITEMS, groups * ITEMS, 3);
	b.in.nr_slots = ITEMS;
	/* Gaps of 20, 16, 15 and 9 pages. */
	segment(&b, 63);
	for (i = 0, j = 0; i < 3; i++) {
		static const u32 gaps[] = { 20, 16, 15 };

		j += gaps[i];
		b.fixed[i].start = j++ * BENCH_PAGE;
		b.fixed[i].size = BENCH_PAGE;
	}
	for (i = 0; i < 2 * ITEMS; i++) {
		b.allocs[i].size = items[i % ITEMS].pages * BENCH_PAGE;
		b.allocs[i].align = items[i % ITEMS].align * BENCH_PAGE;
		b.allocs[i].nr_segs = 1;
		b.allocs[i].seg = VSPLIT_SPLIT_SYSTEM;
	}
	for (k = 0; k < groups; k++)
		for (i = 0; i < ITEMS; i++) {
			b.entries[k * ITEMS + i].alloc = (i * 3 + k) % ITEMS + k % 2 * ITEMS;
			b.entries[k * ITEMS + i].slot = i;
			b.entries[k * ITEMS + i].split = 4 * k;
		}
	b.in.length = 4 * groups;
	one(&b, name, 0, groups);
}

static const char *const dimension[B_DIMENSIONS] = {
	"entries", "allocations", "ranges", "slots", "groups", "segments", "alignments",
};

/* Grow two dimensions together, and measure the exponent with which the steps grow. */
static void growth(u32 x, u32 y)
{
	/*
	 * Each dimension grows from this to eight times as many (segments: to six, alignments: to
	 * eight).
	 */
	static const u32 small[B_GENES] = {
		[B_ENTRIES] = 4000, [B_ALLOCS] = 2000, [B_FIXED] = 1000, [B_SLOTS] = 16,
		[B_GROUPS] = 500, [B_SEGMENTS] = 1, [B_ALIGNS] = 2, [B_SIZES] = 32, [B_OVER] = 16,
	};
	static const u32 flags[] = { 0, 2, 16, 48 };
	u32 style;

	for (style = 0; style < 12; style++) {
		u32 genes[B_GENES];
		double few, many, exponent, mixed;
		char name[80], note[200];
		struct bench b;

		memcpy(genes, small, sizeof(genes));
		genes[B_ORDER] = style % 3;
		genes[B_FLAGS] = flags[style / 3] + (style & 1) * 4 + style % 2 * 8;
		mixed = MIXED(genes[B_FLAGS]);
		bench_make(&b, genes);
		bench_plan(&b);
		few = cost_of(&b);
		bench_free(&b);
		genes[x] *= x == B_SEGMENTS ? 6 : x == B_ALIGNS ? 4 : 8;
		if (y != x)
			genes[y] *= y == B_SEGMENTS ? 6 : y == B_ALIGNS ? 4 : 8;
		bench_make(&b, genes);
		bench_plan(&b);
		many = cost_of(&b);
		exponent = 1 + log(many / (few > mixed ? few : mixed)) / log(8);
		snprintf(name, sizeof(name), "split-steps-growth-%s-%s-%u", dimension[x],
			 dimension[y], style);
		snprintf(note, sizeof(note), "%.2f, then %.2f of the allowed %u, exponent %.2f",
			 few, many, STEPS, exponent);
		t_begin();
		if (exponent > 1.1 || few > STEPS || many > STEPS)
			t_fail("%s", note);
		t_end(name, note);
		bench_free(&b);
	}
}

static void random_genes(u32 *genes, u32 i)
{
	static const u32 most[B_GENES] = {
		4000, 2000, 2000, 64, 4000, 6, 12, 512, 32, 3, 64, 1000,
	};

	genes[i] = 1 + bench_below(most[i]);
	/* Small numbers are as interesting as large ones. */
	if (bench_below(2))
		genes[i] = 1 + (genes[i] - 1) / (1 + bench_below(64));
	if (i == B_OVER)
		genes[i] += 3;
	if (i == B_ORDER || i == B_FLAGS || i == B_SEED)
		genes[i] %= most[i];
}

static double try_genes(const u32 *genes)
{
	u64 state = bench_state;
	struct bench b;
	double cost;

	bench_make(&b, genes);
	bench_plan(&b);
	cost = split_granted(&b.in, &b.out) ? cost_of(&b) : 1e9;
	bench_free(&b);
	bench_state = state;
	return cost;
}

/* Climb from random places: the worst list found must be within the allowed cost, too. */
static void climb(u32 climbs, u64 seed)
{
	u32 worst[B_GENES] = {};
	double most = 0;
	char note[300];
	u32 c, i, step;

	t_begin();
	bench_state = 1 + seed;
	for (c = 0; c < climbs; c++) {
		u32 genes[B_GENES], next[B_GENES];
		double cost, now;

		for (i = 0; i < B_GENES; i++)
			random_genes(genes, i);
		cost = try_genes(genes);
		for (step = 0; step < 24; step++) {
			memcpy(next, genes, sizeof(next));
			for (i = 1 + bench_below(2); i; i--)
				random_genes(next, bench_below(B_GENES));
			now = try_genes(next);
			if (now < cost)
				continue;
			cost = now;
			memcpy(genes, next, sizeof(genes));
		}
		if (cost > most) {
			most = cost;
			memcpy(worst, genes, sizeof(worst));
		}
	}
	snprintf(note, sizeof(note), "seed %llu, %u climbs: %.1f of the allowed %u; worst",
		 (unsigned long long)seed, climbs, most, STEPS);
	for (i = 0; i < B_GENES; i++)
		snprintf(note + strlen(note), sizeof(note) - strlen(note), " %u", worst[i]);
	if (most > STEPS)
		t_fail("%s", note);
	t_end("split-steps-climb", note);
}

int main(int argc, char **argv)
{
	u32 climbs = getenv("VSPLIT_NIGHTLY") ? 400 : 20;
	unsigned long long seed = 1;
	u32 x, y;
	int a;

	for (a = 1; a + 1 < argc; a += 2) {
		if (!strcmp(argv[a], "--seed"))
			seed = strtoull(argv[a + 1], NULL, 0);
		else if (!strcmp(argv[a], "--climbs"))
			climbs = strtoul(argv[a + 1], NULL, 0);
	}
	aligned_ones_in_turn();
	no_window();
	victims_come_back();
	large_table();
	concatenated(2, "split-steps-two-groups");
	concatenated(20000, "split-steps-20000-groups");
	for (x = 0; x < B_DIMENSIONS; x++)
		for (y = x; y < B_DIMENSIONS; y++)
			growth(x, y);
	climb(climbs, seed);
	return t_status;
}
