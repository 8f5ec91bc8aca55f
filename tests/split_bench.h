/* SPDX-License-Identifier: MIT */
/*
 * Large planning problems that are made from a few numbers, and their cost in steps.
 */
#ifndef _SPLIT_BENCH_H_
#define _SPLIT_BENCH_H_

#include <stdlib.h>
#include <string.h>

#include "../drv/split/vsplit_split.h"
#include "split_work.h"

#define BENCH_PAGE 4096ull

/* The numbers that make a problem. The first ones are dimensions that may grow. */
enum {
	B_ENTRIES,
	B_ALLOCS,
	B_FIXED,	/* ranges of others, one page each, everywhere in the segments */
	B_SLOTS,
	B_GROUPS,	/* distinct SplitOffsets */
	B_SEGMENTS,	/* 1 to 6 */
	B_ALIGNS,	/* distinct alignments */
	B_DIMENSIONS,
	B_SIZES = B_DIMENSIONS,	/* largest allocation, pages */
	B_OVER,		/* sizes of all allocations / memory, quarters */
	B_ORDER,	/* cyclic, random, a large one every so often */
	B_FLAGS,	/* 1: split points are taken; 2: next use; 4: rows are bound anew; 8: limits; 16: planned; 32: ahead, too */
	B_SEED,
	B_GENES
};

struct bench {
	struct vsplit_split_input in;
	struct vsplit_split_output out;
	struct vsplit_split_segment segments[VSPLIT_SPLIT_MAX_SEGMENTS];
	struct vsplit_split_alloc *allocs;
	struct vsplit_split_entry *entries;
	struct vsplit_split_range *fixed;
	int ret;
};

static u64 bench_state;

static inline u32 bench_below(u32 n)
{
	bench_state ^= bench_state << 13;
	bench_state ^= bench_state >> 7;
	bench_state ^= bench_state << 17;
	return (bench_state >> 20) % n;
}

static inline void *bench_get(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		abort();
	return p;
}

static inline void bench_free(struct bench *b)
{
	free(b->allocs);
	free(b->entries);
	free(b->fixed);
	free(b->out.ops);
	free(b->out.portions);
	free(b->out.binds);
	free(b->out.final);
}

static inline int bench_grow(struct vsplit_split_output *out)
{
	out->max_ops = out->max_ops ? 2 * out->max_ops : 64;
	out->ops = realloc(out->ops, out->max_ops * sizeof(*out->ops));
	return out->ops ? 0 : -1;
}

static inline void bench_plan(struct bench *b)
{
	size_t bytes = vsplit_split_workspace(&b->in);
	void *ws = malloc(bytes);

	if (!ws)
		abort();
	b->out.grow_ops = bench_grow;
	b->out.max_portions = vsplit_split_portions(&b->in);
	b->out.portions = bench_get(b->out.max_portions, sizeof(*b->out.portions));
	b->out.binds = bench_get(b->in.nr_entries, sizeof(*b->out.binds));
	b->out.final = bench_get(b->in.nr_allocs, sizeof(*b->out.final));
	b->ret = vsplit_split_plan(&b->in, &b->out, ws, bytes);
	free(ws);
}

static inline void bench_alloc(struct bench *b, u32 nr_allocs, u32 nr_entries, u32 nr_fixed)
{
	memset(b, 0, sizeof(*b));
	b->allocs = bench_get(nr_allocs, sizeof(*b->allocs));
	b->entries = bench_get(nr_entries, sizeof(*b->entries));
	b->fixed = bench_get(nr_fixed, sizeof(*b->fixed));
	b->in = (struct vsplit_split_input) {
		.segments = b->segments, .nr_segments = 1, .allocs = b->allocs,
		.nr_allocs = nr_allocs, .entries = b->entries, .nr_entries = nr_entries,
		.fixed = b->fixed, .nr_slots = 1, .page = BENCH_PAGE, .memory_speed = 64,
	};
}

static inline void bench_make(struct bench *b, const u32 *genes)
{
	u32 nr = genes[B_ALLOCS], n = genes[B_ENTRIES], nr_fixed = genes[B_FIXED];
	u32 per_group = n / genes[B_GROUPS] ? n / genes[B_GROUPS] : 1;
	u64 total = 0, pages;
	u32 *order;
	u32 i, j;

	bench_state = 88172645463325252ull + genes[B_SEED];
	bench_alloc(b, nr, n, nr_fixed);
	b->in.nr_slots = genes[B_SLOTS];
	b->in.nr_segments = genes[B_SEGMENTS];
	for (i = 0; i < nr; i++) {
		u32 most = genes[B_ORDER] == 2 && i >= 3 ? 1 : genes[B_SIZES];

		b->allocs[i].size = BENCH_PAGE * (genes[B_ORDER] == 2 && i < 3 ? most :
						  1 + bench_below(most));
		b->allocs[i].align = BENCH_PAGE << bench_below(genes[B_ALIGNS]);
		b->allocs[i].seg = VSPLIT_SPLIT_SYSTEM;
		b->allocs[i].lru = i;
		b->allocs[i].nr_segs = genes[B_SEGMENTS];
		for (j = 0; j < genes[B_SEGMENTS]; j++)
			b->allocs[i].segs[j] = (i + j) % genes[B_SEGMENTS];
		total += b->allocs[i].size / BENCH_PAGE;
	}
	pages = total * 4 / genes[B_OVER] / genes[B_SEGMENTS] + nr_fixed / genes[B_SEGMENTS] +
		2 * genes[B_SIZES];
	for (i = 0; i < genes[B_SEGMENTS]; i++) {
		b->segments[i].size = pages * BENCH_PAGE;
		b->segments[i].commit_limit = (genes[B_FLAGS] & 8 ? pages * 7 / 8 : pages) *
					      BENCH_PAGE;
		b->segments[i].visible = b->segments[i].size;
		if (i && i == genes[B_SEGMENTS] - 1)
			b->segments[i].flags = VSPLIT_SPLIT_SEG_APERTURE;
	}
	/* In the upper half, so that large allocations have a place below. */
	for (i = 0; i < nr_fixed; i++) {
		u64 each = nr_fixed / genes[B_SEGMENTS] + 1;

		b->fixed[i].seg = i / each;
		b->fixed[i].start = (pages / 2 + (i % each) * (pages / 2) / each) * BENCH_PAGE;
		b->fixed[i].size = BENCH_PAGE;
	}
	order = bench_get(nr, sizeof(*order));
	for (i = 0; i < nr; i++)
		order[i] = i;
	for (i = nr; i-- > 1;) {
		j = bench_below(i + 1);
		u32 tmp = order[i];

		order[i] = order[j];
		order[j] = tmp;
	}
	for (i = 0; i < n; i++) {
		struct vsplit_split_entry *e = &b->entries[i];

		e->split = 4 * (i / per_group);
		e->slot = genes[B_FLAGS] & 4 ? i % per_group % genes[B_SLOTS] :
					       bench_below(genes[B_SLOTS]);
		e->alloc = genes[B_ORDER] == 0 ? i % nr :
			   genes[B_ORDER] == 2 && !bench_below(8) ? bench_below(nr < 3 ? nr : 3) :
			   order[bench_below(nr)];
	}
	free(order);
	b->in.length = 4 * (n / per_group + 1);
	if (genes[B_FLAGS] & 1)
		b->in.flags |= VSPLIT_SPLIT_TAKE_SPLIT_POINT;
	if (genes[B_FLAGS] & 16)
		b->in.flags |= VSPLIT_SPLIT_PLANNED;
	if (genes[B_FLAGS] & 32)
		b->in.flags |= VSPLIT_SPLIT_AHEAD;
	if (genes[B_FLAGS] & 2)
		b->in.flags |= VSPLIT_SPLIT_NEXT_USE;
}

#endif /* _SPLIT_BENCH_H_ */
