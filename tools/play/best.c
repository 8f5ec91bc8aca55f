// SPDX-License-Identifier: MIT
/*
 * Lower bounds of a run: no way to cut, to place and to evict needs less. The number of portions
 * comes from portions that are made greedily as large as possible, by sizes alone. The bytes come
 * from Belady's algorithm over all submissions, with single pages: pages whose next use is farthest
 * leave first. The bounds are computed only if there are memory segments alone, and all buffers of
 * the run were executed.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* The bounds are not computed for longer lists: they take 16 bytes of memory for each element. */
#define MAX_HELD	(16u << 20)
#define PAGE		4096u

/*
 * A step is a group with the same SplitOffset.
 * @held: for each step in turn, the allocations that a row holds at its end, each of them once.
 * @ends: for each step, its end in @held.
 * @first: for each step: it is the first one of its submission.
 * @next: for each element of @held, the next step that holds the allocation, or @count.
 */
struct steps {
	const struct scenario *s;
	uint32_t count;
	uint32_t *held;
	uint32_t num_held;
	uint32_t *ends;
	bool *first;
	uint32_t *next;
};

static uint64_t size_of(const struct steps *steps, uint32_t alloc)
{
	const struct alloc_def *a = &steps->s->allocs[alloc];

	/* A pinned allocation has its place already. */
	return a->flags & VSPLIT_GEM_PINNED ? 0 : (a->size + PAGE - 1) / PAGE * PAGE;
}

static uint32_t begin_of(const struct steps *steps, uint32_t step)
{
	return step ? steps->ends[step - 1] : 0;
}

static bool is_known(const struct result *r)
{
	const struct submission *sub;
	uint32_t i;

	for (i = 0; i < r->num_segments; i++) {
		if (r->segments[i].flags & VSPLIT_SEGMENT_APERTURE)
			return false;
	}
	for (i = 0; i < r->num_submissions; i++) {
		sub = &r->submissions[i];
		if (sub->error || sub->fence_error ||
		    r->s->contexts[r->s->dmas[sub->dma].context].mode != VSPLIT_CTX_MODE_PATCH)
			return false;
	}
	return true;
}

static void add_step(struct steps *steps, const uint32_t *rows, uint32_t num_rows, uint32_t *seen,
		     bool first)
{
	uint32_t i;

	for (i = 0; i < num_rows; i++) {
		if (rows[i] == NO_INDEX || seen[rows[i]] == steps->count + 1)
			continue;
		seen[rows[i]] = steps->count + 1;
		steps->held = append(steps->held, &steps->num_held, sizeof(*steps->held));
		steps->held[steps->num_held - 1] = rows[i];
	}
	i = steps->count;
	steps->first = append(steps->first, &i, sizeof(*steps->first));
	steps->first[steps->count] = first;
	steps->ends = append(steps->ends, &steps->count, sizeof(*steps->ends));
	steps->ends[steps->count - 1] = steps->num_held;
}

/* @seen: for each allocation, 0. Returns false if there are too many. */
static bool fold(const struct result *r, struct steps *steps, uint32_t *seen)
{
	uint32_t rows[VSPLIT_MAX_SLOTS], i, j;

	for (i = 0; i < r->num_submissions; i++) {
		const struct dma_def *dma = &r->s->dmas[r->submissions[i].dma];
		uint32_t num_rows = 0;
		bool first = true;

		for (j = 0; j < dma->num_ops && steps->num_held <= MAX_HELD; j++) {
			const struct op *op = &dma->ops[j];

			if (op->type != OP_BIND && op->type != OP_UNBIND)
				continue;
			while (num_rows <= op->slot)
				rows[num_rows++] = NO_INDEX;
			rows[op->slot] = op->type == OP_BIND ? op->alloc : NO_INDEX;
			if (!op->last)
				continue;
			add_step(steps, rows, num_rows, seen, first);
			first = false;
		}
	}
	return steps->num_held <= MAX_HELD;
}

/* @set: for each allocation, the last portion that holds it; 0 for all. */
static uint32_t fewest_portions(const struct steps *steps, uint64_t memory, uint32_t *set)
{
	uint32_t portions = 0, step, i;
	uint64_t size = 0;

	for (step = 0; step < steps->count; step++) {
		uint64_t more = 0, all = 0;

		for (i = begin_of(steps, step); i < steps->ends[step]; i++) {
			uint64_t bytes = size_of(steps, steps->held[i]);

			all += bytes;
			more += set[steps->held[i]] == portions ? 0 : bytes;
		}
		if (steps->first[step] || size + more > memory) {
			portions++;
			size = 0;
			more = all;
		}
		size += more;
		for (i = begin_of(steps, step); i < steps->ends[step]; i++)
			set[steps->held[i]] = portions;
	}
	return portions;
}

/* @next: for each allocation, scratch; afterwards the first step that holds it, or @count. */
static void find_next(struct steps *steps, uint32_t *next)
{
	uint32_t step, i;

	for (i = 0; i < steps->s->num_allocs; i++)
		next[i] = steps->count;
	for (step = steps->count; step-- > 0;) {
		for (i = begin_of(steps, step); i < steps->ends[step]; i++) {
			steps->next[i] = next[steps->held[i]];
			next[steps->held[i]] = step;
		}
	}
}

/* A heap of allocations by their next step, the farthest one first. */
struct heap {
	uint64_t *list;
	uint32_t count;
};

static void push(struct heap *heap, uint64_t entry)
{
	uint32_t at = heap->count++;

	for (; at && heap->list[(at - 1) / 2] < entry; at = (at - 1) / 2)
		heap->list[at] = heap->list[(at - 1) / 2];
	heap->list[at] = entry;
}

static void pop(struct heap *heap)
{
	uint64_t entry = heap->list[--heap->count];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count && heap->list[child + 1] > heap->list[child])
			child++;
		if (heap->list[child] <= entry)
			break;
		heap->list[at] = heap->list[child];
		at = child;
	}
	heap->list[at] = entry;
}

/*
 * @heap: room for all of @held. An entry has the next step above and the allocation below; it is
 *	old if a later step holds the allocation by now.
 * @next: for each allocation, its next step.
 * @there: for each allocation, its bytes in memory; 0 for all.
 */
static uint64_t fewest_bytes(const struct steps *steps, uint64_t memory, struct heap *heap,
			     uint32_t *next, uint64_t *there)
{
	uint64_t bytes = 0, all = 0;
	uint32_t step, i;

	for (step = 0; step < steps->count; step++) {
		for (i = begin_of(steps, step); i < steps->ends[step]; i++) {
			uint32_t alloc = steps->held[i];
			uint64_t lacks = size_of(steps, alloc) - there[alloc];

			bytes += lacks;
			all += lacks;
			there[alloc] += lacks;
			next[alloc] = steps->next[i];
		}
		while (all > memory && heap->count) {
			uint32_t alloc = (uint32_t)heap->list[0];
			uint64_t leaves = all - memory;

			if (next[alloc] != heap->list[0] >> 32) {
				pop(heap);
				continue;
			}
			leaves = leaves < there[alloc] ? leaves : there[alloc];
			there[alloc] -= leaves;
			all -= leaves;
			if (!there[alloc])
				pop(heap);
		}
		/* What this step holds leaves at a later one at the earliest. */
		for (i = begin_of(steps, step); i < steps->ends[step]; i++)
			push(heap, (uint64_t)steps->next[i] << 32 | steps->held[i]);
	}
	return bytes;
}

void result_best(struct result *r)
{
	struct steps steps = { .s = r->s };
	uint64_t memory = 0, *there;
	struct heap heap = { 0 };
	uint32_t i, *scratch;

	if (!is_known(r))
		return;
	for (i = 0; i < r->num_segments; i++)
		memory += r->segments[i].commit_limit;
	scratch = need_memory(calloc(r->s->num_allocs + 1, sizeof(*scratch)));
	there = need_memory(calloc(r->s->num_allocs + 1, sizeof(*there)));
	if (fold(r, &steps, scratch) && steps.num_held) {
		steps.next = need_memory(calloc(steps.num_held, sizeof(*steps.next)));
		heap.list = need_memory(calloc(steps.num_held, sizeof(*heap.list)));
		memset(scratch, 0, r->s->num_allocs * sizeof(*scratch));
		r->best.portions = fewest_portions(&steps, memory, scratch);
		find_next(&steps, scratch);
		r->best.paged_in = fewest_bytes(&steps, memory, &heap, scratch, there);
	}
	free(heap.list);
	free(steps.next);
	free(steps.first);
	free(steps.ends);
	free(steps.held);
	free(there);
	free(scratch);
}
