// SPDX-License-Identifier: MIT
/* Monitored fences. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "parse.h"
#include "run.h"

/*
 * Made when a statement or a buffer names it first: the device that it is of may be opened
 * behind it.
 */
int need_mfence(struct player *p, uint32_t index, struct vsplit_mfence **fence)
{
	const struct fence_def *def = &p->s->fences[index];
	int ret = 0;

	if (!p->fences[index] && !p->devices[def->device])
		return -EBADF;
	if (!p->fences[index])
		ret = vsplit_mfence_create(p->devices[def->device], def->value, &p->fences[index]);
	*fence = p->fences[index];
	return ret;
}

int run_signal(struct player *p, const struct stmt *stmt)
{
	struct vsplit_mfence *fence;
	int ret = need_mfence(p, stmt->index, &fence);

	return ret ? ret : vsplit_mfence_signal(fence, stmt->value);
}

int run_wait_fence(struct player *p, const struct stmt *stmt)
{
	struct vsplit_mfence *fence;
	int ret = need_mfence(p, stmt->index, &fence);

	return ret ? ret : vsplit_mfence_wait(fence, stmt->value, FENCE_MS);
}

/* It waits for as much as is expected, since what raises it may be under way. */
int check_fence(struct player *p, const struct stmt *stmt, const struct check *check, char *got,
		size_t size, bool *failed)
{
	struct vsplit_mfence *fence;
	int ret = need_mfence(p, stmt->index, &fence);
	uint64_t value;

	if (ret)
		return ret;
	if (check->compare != COMPARE_LE) {
		ret = vsplit_mfence_wait(fence, check->number, EXPECT_FENCE_MS);
		if (ret && ret != -ETIME)
			return ret;
	}
	value = vsplit_mfence_value(fence);
	snprintf(got, size, "%llu", (unsigned long long)value);
	*failed = !check_holds(check, value);
	return 0;
}

/* ---- who waits for whom ------------------------------------------------ */

/* Does the buffer raise the fence so far, by a packet before @end? */
static bool raises(const struct dma_def *dma, uint32_t end, uint32_t fence, uint64_t value)
{
	uint32_t i;

	for (i = 0; i < end; i++) {
		if (dma->ops[i].type == OP_SIGNAL && dma->ops[i].alloc == fence &&
		    dma->ops[i].value >= value)
			return true;
	}
	return false;
}

static bool is_reached(const struct player *p, const struct op *op)
{
	const struct vsplit_mfence *fence = p->fences[op->alloc];
	uint64_t value = fence ? vsplit_mfence_value(fence) : p->s->fences[op->alloc].value;

	return value >= op->value;
}

/* @ends: those of which it is known. */
static bool will_raise(const struct player *p, const bool *ends, const struct op *op)
{
	uint32_t i;

	for (i = 0; i < p->r->num_submissions; i++) {
		const struct dma_def *dma = &p->s->dmas[p->r->submissions[i].dma];

		if (ends[i] && raises(dma, dma->num_ops, op->alloc, op->value))
			return true;
	}
	return false;
}

/* Is it known that submission @index ends, by what is known of the others? */
static bool comes_to_end(const struct player *p, const bool *ends, uint32_t index)
{
	const struct submission *sub = &p->r->submissions[index];
	const struct dma_def *dma = &p->s->dmas[sub->dma];
	uint32_t i;

	if (sub->error || sub->record)
		return true;
	for (i = 0; i < index; i++) {
		if (!ends[i] && p->s->dmas[p->r->submissions[i].dma].context == dma->context)
			return false;
	}
	for (i = 0; i < dma->num_ops; i++) {
		const struct op *op = &dma->ops[i];

		if (op->type == OP_WAIT_FENCE && !is_reached(p, op) &&
		    !raises(dma, i, op->alloc, op->value) && !will_raise(p, ends, op))
			return false;
	}
	return true;
}

bool is_parked(const struct player *p, const struct submission *sub)
{
	uint32_t i, num = p->r->num_submissions;
	bool *ends, more = true, parked;

	if (!p->s->num_fences || p->fences_gone)
		return false;
	ends = need_memory(calloc(num, sizeof(*ends)));
	while (more) {
		more = false;
		for (i = 0; i < num; i++) {
			if (ends[i] || !comes_to_end(p, ends, i))
				continue;
			ends[i] = true;
			more = true;
		}
	}
	parked = !ends[sub - p->r->submissions];
	free(ends);
	return parked;
}

void fences_free(struct player *p, uint32_t device)
{
	uint32_t i;

	p->fences_gone |= device == NO_INDEX;
	for (i = 0; i < p->s->num_fences; i++) {
		if (device != NO_INDEX && p->s->fences[i].device != device)
			continue;
		vsplit_mfence_destroy(p->fences[i]);
		p->fences[i] = NULL;
	}
}
