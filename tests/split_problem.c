// SPDX-License-Identifier: MIT
/*
 * See split_problem.h.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "split_problem.h"

void problem_init(struct problem *p, u32 length)
{
	memset(p, 0, sizeof(*p));
	p->in.segments = p->segments;
	p->in.allocs = p->allocs;
	p->in.entries = p->entries;
	p->in.fixed = p->fixed;
	p->in.nr_slots = 8;
	p->in.length = length;
	p->in.page = PAGE;
	p->out.ops = p->ops;
	p->out.portions = p->portions;
	p->out.binds = p->binds;
	p->out.final = p->final;
	p->out.max_ops = MAX_OPS;
	p->out.max_portions = MAX_ENTRIES + 1;
}

u32 problem_segment(struct problem *p, u64 pages, u64 commit, u32 flags)
{
	struct vsplit_split_segment *s = &p->segments[p->in.nr_segments];

	s->size = pages * PAGE;
	s->commit_limit = commit * PAGE;
	s->visible = s->size;
	s->flags = flags;
	return p->in.nr_segments++;
}

u32 problem_alloc(struct problem *p, u64 pages, u32 flags)
{
	struct vsplit_split_alloc *a = &p->allocs[p->in.nr_allocs];

	assert(p->in.nr_allocs < MAX_ALLOCS);
	a->size = pages * PAGE;
	a->align = PAGE;
	a->flags = flags;
	a->seg = SYSTEM;
	a->nr_segs = 1;
	a->lru = 100 + p->in.nr_allocs;
	return p->in.nr_allocs++;
}

u32 problem_resident(struct problem *p, u64 pages, u32 flags, u32 seg, u64 offset)
{
	u32 a = problem_alloc(p, pages, flags);

	p->allocs[a].seg = seg;
	p->allocs[a].segs[0] = seg;
	p->allocs[a].offset = offset * PAGE;
	return a;
}

u32 problem_fixed(struct problem *p, u32 seg, u64 offset, u64 pages)
{
	struct vsplit_split_range *r = &p->fixed[p->in.nr_fixed];

	assert(p->in.nr_fixed < MAX_FIXED);
	r->seg = seg;
	r->start = offset * PAGE;
	r->size = pages * PAGE;
	return p->in.nr_fixed++;
}

u32 problem_entry(struct problem *p, u32 slot, u32 alloc, u32 split)
{
	struct vsplit_split_entry *e = &p->entries[p->in.nr_entries];

	assert(p->in.nr_entries < MAX_ENTRIES);
	e->slot = slot;
	e->alloc = alloc;
	e->split = split;
	return p->in.nr_entries++;
}

u32 problem_kill_after;

u32 problem_asked;
u8 problem_fill = 0xa5;

bool vsplit_split_relax(void)
{
	problem_asked++;
	return problem_kill_after && !--problem_kill_after;
}

int problem_plan(struct problem *p)
{
	size_t bytes = vsplit_split_workspace(&p->in);
	void *ws = malloc(bytes);

	assert(ws);
	memset(ws, problem_fill, bytes);
	memset(p->ops, 0xa5, sizeof(p->ops));
	memset(p->portions, 0xa5, sizeof(p->portions));
	memset(p->binds, 0xa5, sizeof(p->binds));
	memset(p->final, 0xa5, sizeof(p->final));
	p->ret = vsplit_split_plan(&p->in, &p->out, ws, bytes);
	free(ws);
	return p->ret;
}

static char name_of(u32 a)
{
	return a < 26 ? 'A' + a : a < 52 ? 'a' + (a - 26) : '?';
}

static void print_place(u32 seg, u64 offset)
{
	if (seg == SYSTEM)
		fprintf(stderr, "system");
	else
		fprintf(stderr, "%u@%llu", seg, (unsigned long long)(offset / PAGE));
}

void problem_print(const struct problem *p)
{
	static const char *const types[] = { "evict", "page-in", "move" };
	const struct vsplit_split_input *in = &p->in;
	u32 i, j;

	fprintf(stderr, "length 0x%x flags 0x%x slots %u seed %llu apertures %llu\n",
		in->length, in->flags, in->nr_slots,
		(unsigned long long)in->seed, (unsigned long long)(in->aperture_limit / PAGE));
	for (i = 0; i < in->nr_segments; i++)
		fprintf(stderr, "segment %u: %llu pages, commit %llu, visible %llu%s\n", i,
			(unsigned long long)(in->segments[i].size / PAGE),
			(unsigned long long)(in->segments[i].commit_limit / PAGE),
			(unsigned long long)(in->segments[i].visible / PAGE),
			in->segments[i].flags & VSPLIT_SPLIT_SEG_APERTURE ? ", aperture" : "");
	for (i = 0; i < in->nr_fixed; i++)
		fprintf(stderr, "fixed %u@%llu+%llu\n", in->fixed[i].seg,
			(unsigned long long)(in->fixed[i].start / PAGE),
			(unsigned long long)(in->fixed[i].size / PAGE));
	for (i = 0; i < in->nr_allocs; i++) {
		const struct vsplit_split_alloc *a = &in->allocs[i];

		fprintf(stderr, "alloc %c: %llu pages align %llu lru %llu in ", name_of(i),
			(unsigned long long)(a->size / PAGE),
			(unsigned long long)(a->align / PAGE), (unsigned long long)a->lru);
		print_place(a->seg, a->offset);
		fprintf(stderr, " may");
		for (j = 0; j < a->nr_segs; j++)
			fprintf(stderr, " %u", a->segs[j]);
		fprintf(stderr, " topdown 0x%x evicted to 0x%x", a->topdown, a->evict_set);
		fprintf(stderr, "%s%s%s%s%s%s\n",
			a->flags & VSPLIT_SPLIT_ALLOC_CPU ? " cpu" : "",
			a->flags & VSPLIT_SPLIT_ALLOC_PINNED ? " pinned" : "",
			a->flags & VSPLIT_SPLIT_ALLOC_WRITE ? " write" : "",
			a->flags & VSPLIT_SPLIT_ALLOC_DIRTY ? " dirty" : "",
			a->flags & VSPLIT_SPLIT_ALLOC_CLEAR ? " clear" : "",
			a->flags & VSPLIT_SPLIT_ALLOC_DISCARD ? " discard" : "");
	}
	for (i = 0; i < in->nr_entries; i++) {
		fprintf(stderr, "entry %u: %u<-%c @0x%x", i, in->entries[i].slot,
			in->entries[i].alloc == NONE ? '0' : name_of(in->entries[i].alloc),
			in->entries[i].split);
		fprintf(stderr, "\n");
	}
	fprintf(stderr, "result %d, %u portions, %u ops, fail entry %d\n", p->ret,
		p->out.nr_portions, p->out.nr_ops, (int)p->out.fail_entry);
	if (p->ret == -EINVAL || p->ret == -ENOBUFS || p->ret == -E2BIG)
		return;
	for (i = 0; i < p->out.nr_portions; i++) {
		const struct vsplit_split_portion *q = &p->portions[i];

		for (j = q->first_op; j < q->first_op + q->nr_ops && j < MAX_OPS; j++) {
			const struct vsplit_split_op *op = &p->ops[j];

			fprintf(stderr, "    %s %c ", types[op->type % 3], name_of(op->alloc));
			print_place(op->from_seg, op->from);
			fprintf(stderr, " -> ");
			print_place(op->to_seg, op->to);
			fprintf(stderr, "%s%s\n",
				op->flags & VSPLIT_SPLIT_OP_TRANSFER ? " transfer" : "",
				op->flags & VSPLIT_SPLIT_OP_FILL ? " fill" : "");
		}
		fprintf(stderr, "  portion %u [0x%x, 0x%x) entries [%u:%u)\n", i, q->begin, q->end,
			q->first_entry, q->first_entry + q->nr_entries);
	}
	for (i = p->out.nr_portions ? p->portions[p->out.nr_portions - 1].first_op +
				      p->portions[p->out.nr_portions - 1].nr_ops : 0;
	     i < p->out.nr_ops && i < MAX_OPS; i++) {
		fprintf(stderr, "    %s %c -> ", types[p->ops[i].type % 3], name_of(p->ops[i].alloc));
		print_place(p->ops[i].to_seg, p->ops[i].to);
		fprintf(stderr, "\n");
	}
	for (i = 0; i < in->nr_allocs; i++) {
		fprintf(stderr, "final %c ", name_of(i));
		print_place(p->final[i].seg, p->final[i].offset);
		fprintf(stderr, " flags 0x%x portion %d op %d\n", p->final[i].flags,
			(int)p->final[i].last_portion, (int)p->final[i].last_op);
	}
}

static u64 source_next(struct source *s)
{
	u64 z = s->seed += 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

u32 source_below(struct source *s, u32 below)
{
	if (s->size) {
		s->size--;
		return *s->data++ % below;
	}
	return (source_next(s) >> 20) % below;
}

static bool one_in(struct source *s, u32 n)
{
	return !source_below(s, n);
}

static bool is_free(const u8 *used, u64 from, u64 pages)
{
	while (pages--)
		if (used[from++])
			return false;
	return true;
}

/*
 * Mostly one or two small segments, with allocations that are large for them, so nearly each list
 * runs out of memory. Rows are often bound anew at split points, so that much may move. @style
 * varies the extremes.
 */
void problem_random(struct problem *p, struct source *s)
{
	u8 used[VSPLIT_SPLIT_MAX_SEGMENTS][128] = {};
	u32 style = source_below(s, 8);
	u32 nr_segs = style < 5 ? 1 : style < 7 ? 2 : 1 + source_below(s, 4);
	u32 nr_allocs = 1 + source_below(s, one_in(s, 8) ? 24 : 10);
	u32 nr_entries = source_below(s, one_in(s, 8) ? 120 : 24);
	bool aligned = one_in(s, 3);
	u32 table[MAX_SLOTS];
	u32 biggest_seg = 0;
	u32 split = 0;
	u32 most, rebind;
	u32 i, j;

	problem_init(p, 1);
	p->in.flags = source_below(s, 4) < 2 ? 0 : VSPLIT_SPLIT_NEXT_USE;
	p->in.nr_slots = 1 + source_below(s, one_in(s, 6) ? 16 : 5);
	for (i = 0; i < nr_segs; i++) {
		u32 pages = 4 + source_below(s, one_in(s, 4) ? 60 : 20);
		u32 commit = one_in(s, 4) ? pages - source_below(s, pages / 2) : pages;
		bool aperture = i && one_in(s, 2);

		problem_segment(p, pages, commit, aperture ? VSPLIT_SPLIT_SEG_APERTURE : 0);
		if (pages > biggest_seg)
			biggest_seg = pages;
		if (one_in(s, 5)) {
			u32 at = source_below(s, pages);
			u32 size = 1 + source_below(s, pages - at < 4 ? pages - at : 4);

			problem_fixed(p, i, at, size);
			memset(used[i] + at, 1, size);
		}
	}
	most = biggest_seg >> (1 + source_below(s, 3));
	for (i = 0; i < nr_allocs; i++) {
		u32 pages = 1 + source_below(s, one_in(s, 16) ? biggest_seg : most + 1);
		struct vsplit_split_alloc *a = &p->allocs[problem_alloc(p, pages, 0)];

		a->align = PAGE << (aligned ? source_below(s, 4) : 0);
		a->lru = source_below(s, 8);
		a->nr_segs = 1 + source_below(s, nr_segs);
		for (j = 0; j < nr_segs; j++)
			a->segs[j] = j;
		for (j = nr_segs; j-- > 1;) {
			u32 k = source_below(s, j + 1);
			u8 tmp = a->segs[j];

			a->segs[j] = a->segs[k];
			a->segs[k] = tmp;
		}
		if (one_in(s, 3))
			a->flags |= VSPLIT_SPLIT_ALLOC_WRITE;
		if (one_in(s, 4))
			a->flags |= VSPLIT_SPLIT_ALLOC_CLEAR;
		if (one_in(s, 6))
			a->flags |= VSPLIT_SPLIT_ALLOC_DISCARD;
		if (one_in(s, 3)) {
			/* Some are resident already, now and then where they may not be. */
			u32 seg = one_in(s, 12) ? source_below(s, nr_segs) : a->segs[0];
			u64 seg_pages = p->segments[seg].size / PAGE;
			u64 align = a->align / PAGE;
			u64 at;

			if (pages > seg_pages)
				continue;
			at = source_below(s, seg_pages - pages + 1) & ~(align - 1);
			if (!is_free(used[seg], at, pages))
				continue;
			memset(used[seg] + at, 1, pages);
			a->seg = seg;
			a->offset = at * PAGE;
			if (one_in(s, 3))
				a->flags |= VSPLIT_SPLIT_ALLOC_DIRTY;
			for (j = 0; j < a->nr_segs; j++)
				if (a->segs[j] == seg && one_in(s, 6))
					a->flags |= VSPLIT_SPLIT_ALLOC_PINNED;
		}
	}
	for (i = 0; i < MAX_SLOTS; i++)
		table[i] = NONE;
	j = one_in(s, 4) ? 8 : 2;	/* length of groups */
	rebind = source_below(s, 3);	/* number of rows that are bound anew at a split point */
	while (p->in.nr_entries < nr_entries) {
		u32 alloc = one_in(s, 6) ? NONE : source_below(s, nr_allocs);
		u32 slot = source_below(s, p->in.nr_slots);

		if ((p->in.nr_entries || one_in(s, 3)) && one_in(s, j)) {
			split += 4 * (1 + source_below(s, 4));
			for (i = 0; rebind && i < p->in.nr_slots && i < 6; i++)
				if (rebind == 2 || one_in(s, 2))
					problem_entry(p, i, table[i], split);
		}
		problem_entry(p, slot, alloc, split);
		table[slot] = alloc;
	}
	p->in.length = split + 4;
	/* Unbinds may stand at the very end. */
	if (one_in(s, 8))
		problem_entry(p, source_below(s, p->in.nr_slots), NONE, p->in.length);
	if (one_in(s, 6))
		p->in.flags |= VSPLIT_SPLIT_TAKE_SPLIT_POINT;
	if (one_in(s, 8))
		p->in.flags |= VSPLIT_SPLIT_EVICT_BETWEEN;
	if (one_in(s, 8))
		p->in.flags |= VSPLIT_SPLIT_RANDOM_PLACEMENT;
	if (one_in(s, 16))
		p->in.flags |= VSPLIT_SPLIT_LEAK_DETECTION;
	p->in.seed = source_below(s, 256);
	p->in.memory_speed = p->in.seed % 4 * 16;
	if (one_in(s, 2))
		return;
	for (i = 0; i < nr_allocs; i++) {
		p->allocs[i].priority = source_below(s, 3);
		if (one_in(s, 5))
			p->allocs[i].topdown = 1 + source_below(s, (1u << nr_segs) - 1);
	}
	if (one_in(s, 2))
		return;
	/* Small BARs, and eviction segment sets. */
	for (i = 0; i < nr_segs; i++)
		if (one_in(s, 2))
			p->segments[i].visible = source_below(s, p->segments[i].size / PAGE) * PAGE;
	for (i = 0; i < nr_allocs; i++) {
		if (one_in(s, 2))
			p->allocs[i].flags |= VSPLIT_SPLIT_ALLOC_CPU;
		for (j = 0; j < nr_segs; j++)
			if (p->segments[j].flags & VSPLIT_SPLIT_SEG_APERTURE && !one_in(s, 3))
				p->allocs[i].evict_set |= 1u << j;
	}
	if (one_in(s, 2))
		p->in.aperture_limit = (1 + source_below(s, 2 * biggest_seg)) * PAGE;
}
