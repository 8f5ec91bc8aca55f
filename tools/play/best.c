// SPDX-License-Identifier: MIT
/*
 * Lower bounds of a run: no way to cut, to place and to evict needs less. The number of portions
 * comes from portions that are made greedily as large as possible, by sizes alone. The bytes come
 * from Belady's algorithm over all submissions, with single pages: pages whose next use is farthest
 * leave first. The bounds are computed only if there are memory segments alone, and all buffers of
 * the run were executed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define MAX_CELLS	(64ul << 20)
#define PAGE		4096u

/*
 * @held: for each step (a group with the same SplitOffset) and each allocation: a row holds the
 *	allocation at the end of the step.
 * @first: for each step: it is the first one of its submission.
 */
struct steps {
	const struct scenario *s;
	uint32_t count;
	bool *held;
	bool *first;
};

static uint64_t size_of(const struct steps *steps, uint32_t alloc)
{
	const struct alloc_def *a = &steps->s->allocs[alloc];

	/* A pinned allocation has its place already. */
	return a->flags & VSPLIT_GEM_PINNED ? 0 : (a->size + PAGE - 1) / PAGE * PAGE;
}

static bool is_held(const struct steps *steps, uint32_t step, uint32_t alloc)
{
	return steps->held[(size_t)step * steps->s->num_allocs + alloc];
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
	return r->num_submissions && r->s->num_allocs;
}

static uint32_t count_steps(const struct result *r)
{
	uint32_t count = 0, i, j;

	for (i = 0; i < r->num_submissions; i++) {
		const struct dma_def *dma = &r->s->dmas[r->submissions[i].dma];

		for (j = 0; j < dma->num_ops; j++)
			count += dma->ops[j].last;
	}
	return count;
}

static void fold(const struct result *r, struct steps *steps)
{
	uint32_t rows[VSPLIT_MAX_SLOTS], step = 0, i, j, slot;

	for (i = 0; i < r->num_submissions; i++) {
		const struct dma_def *dma = &r->s->dmas[r->submissions[i].dma];

		memset(rows, 0xff, sizeof(rows));
		if (step < steps->count)
			steps->first[step] = true;
		for (j = 0; j < dma->num_ops; j++) {
			const struct op *op = &dma->ops[j];

			if (op->type != OP_BIND && op->type != OP_UNBIND)
				continue;
			rows[op->slot] = op->type == OP_BIND ? op->alloc : NO_INDEX;
			if (!op->last)
				continue;
			for (slot = 0; slot < VSPLIT_MAX_SLOTS; slot++) {
				if (rows[slot] != NO_INDEX)
					steps->held[(size_t)step * r->s->num_allocs + rows[slot]] = true;
			}
			step++;
		}
	}
}

static uint32_t fewest_portions(const struct steps *steps, uint64_t memory, bool *set)
{
	uint32_t portions = 0, step, a;
	uint64_t size = 0;

	for (step = 0; step < steps->count; step++) {
		uint64_t more = 0, all = 0;

		for (a = 0; a < steps->s->num_allocs; a++) {
			all += is_held(steps, step, a) ? size_of(steps, a) : 0;
			more += is_held(steps, step, a) && !set[a] ? size_of(steps, a) : 0;
		}
		if (steps->first[step] || size + more > memory) {
			portions++;
			memset(set, 0, steps->s->num_allocs * sizeof(*set));
			size = 0;
			more = all;
		}
		size += more;
		for (a = 0; a < steps->s->num_allocs; a++)
			set[a] |= is_held(steps, step, a);
	}
	return portions;
}

static uint32_t next_use(const struct steps *steps, uint32_t step, uint32_t alloc)
{
	while (++step < steps->count && !is_held(steps, step, alloc))
		;
	return step;
}

static uint64_t fewest_bytes(const struct steps *steps, uint64_t memory, uint64_t *there)
{
	uint64_t bytes = 0, all = 0;
	uint32_t step, a;

	for (step = 0; step < steps->count; step++) {
		for (a = 0; a < steps->s->num_allocs; a++) {
			uint64_t lacks = size_of(steps, a) - there[a];

			if (!is_held(steps, step, a))
				continue;
			bytes += lacks;
			all += lacks;
			there[a] += lacks;
		}
		while (all > memory) {
			uint32_t worst = NO_INDEX, farthest = 0;
			uint64_t leaves = all - memory;

			for (a = 0; a < steps->s->num_allocs; a++) {
				uint32_t next;

				if (!there[a] || is_held(steps, step, a))
					continue;
				next = next_use(steps, step, a);
				if (worst == NO_INDEX || next > farthest) {
					worst = a;
					farthest = next;
				}
			}
			if (worst == NO_INDEX)
				break;
			leaves = leaves < there[worst] ? leaves : there[worst];
			there[worst] -= leaves;
			all -= leaves;
		}
	}
	return bytes;
}

void result_best(struct result *r)
{
	struct steps steps = { .s = r->s, .count = count_steps(r) };
	size_t cells = (size_t)steps.count * r->s->num_allocs;
	uint64_t memory = 0, *there;
	uint32_t i;
	bool *set;

	if (!is_known(r) || !cells || cells > MAX_CELLS)
		return;
	for (i = 0; i < r->num_segments; i++)
		memory += r->segments[i].commit_limit;
	steps.held = calloc(cells, sizeof(*steps.held));
	steps.first = calloc(steps.count, sizeof(*steps.first));
	set = calloc(r->s->num_allocs, sizeof(*set));
	there = calloc(r->s->num_allocs, sizeof(*there));
	if (steps.held && steps.first && set && there) {
		fold(r, &steps);
		r->best.portions = fewest_portions(&steps, memory, set);
		r->best.paged_in = fewest_bytes(&steps, memory, there);
	}
	free(there);
	free(set);
	free(steps.first);
	free(steps.held);
}
