// SPDX-License-Identifier: MIT
/* Monitored fences. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parse.h"
#include "run.h"

/* The object that a device has for a fence. */
static struct vsplit_mfence **of_device(const struct player *p, uint32_t index, uint32_t device)
{
	return &p->fences[(size_t)index * p->s->num_devices + device];
}

/* The object of any device for the fence; NULL: no device has one yet. */
static struct vsplit_mfence *of_any(const struct player *p, uint32_t index)
{
	struct vsplit_mfence *fence = NULL;
	uint32_t i;

	for (i = 0; !fence && i < p->s->num_devices; i++)
		fence = *of_device(p, index, i);
	return fence;
}

static int share(struct vsplit_mfence *from, struct vsplit_device *dev, struct vsplit_mfence **fence)
{
	int fd, ret = vsplit_mfence_export(from, &fd);

	if (!ret) {
		ret = vsplit_mfence_import(dev, fd, fence);
		close(fd);
	}
	return ret;
}

/*
 * Create the fence when a statement or a buffer names it first, because devices may be opened after
 * the fence statement. Other devices that name it import it.
 */
int need_mfence(struct player *p, uint32_t index, uint32_t device, struct vsplit_mfence **fence)
{
	struct vsplit_mfence **of = of_device(p, index, device), *other = of_any(p, index);
	int ret = 0;

	if (!*of && !p->devices[device])
		return -EBADF;
	if (!*of && other)
		ret = share(other, p->devices[device], of);
	else if (!*of)
		ret = vsplit_mfence_create(p->devices[device], p->s->fences[index].value, of);
	*fence = *of;
	return ret;
}

/* Find an object for accesses by the CPU, which can use that of any device. */
static int need_any(struct player *p, uint32_t index, struct vsplit_mfence **fence)
{
	*fence = of_any(p, index);
	return *fence ? 0 : need_mfence(p, index, p->s->fences[index].device, fence);
}

int run_signal(struct player *p, const struct stmt *stmt)
{
	struct vsplit_mfence *fence;
	int ret = need_any(p, stmt->index, &fence);

	return ret ? ret : vsplit_mfence_signal(fence, stmt->value);
}

int run_wait_fence(struct player *p, const struct stmt *stmt)
{
	struct vsplit_mfence *fence;
	int ret = need_any(p, stmt->index, &fence);

	return ret ? ret : vsplit_mfence_wait(fence, stmt->value, FENCE_MS);
}

/* Wait for the expected value, because work that raises the fence may not be done yet. */
int check_fence(struct player *p, const struct stmt *stmt, const struct check *check, char *got,
		size_t size, bool *failed)
{
	struct vsplit_mfence *fence;
	int ret = need_any(p, stmt->index, &fence);
	uint64_t value;

	if (ret)
		return ret;
	if (check->compare != COMPARE_LE) {
		ret = vsplit_mfence_wait(fence, check->number, EXPECT_MS);
		if (ret && ret != -ETIME)
			return ret;
	}
	value = vsplit_mfence_value(fence);
	snprintf(got, size, "%llu", (unsigned long long)value);
	*failed = !check_holds(check, value);
	return 0;
}

/* ---- who waits for whom ------------------------------------------------ */

/* Does the buffer raise the fence to at least @value, by a packet before @end? */
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
	const struct vsplit_mfence *fence = of_any(p, op->alloc);
	uint64_t value = fence ? vsplit_mfence_value(fence) : p->s->fences[op->alloc].value;

	return value >= op->value;
}

/* Does every wait of the buffer end if the fences have the values @raised? */
static bool waits_end(const struct player *p, const struct dma_def *dma, const uint64_t *raised)
{
	uint32_t i;

	for (i = 0; i < dma->num_ops; i++) {
		const struct op *op = &dma->ops[i];

		if (op->type == OP_WAIT_FENCE && raised[op->alloc] < op->value &&
		    !is_reached(p, op) && !raises(dma, i, op->alloc, op->value))
			return false;
	}
	return true;
}

/* The buffer raises its fences. @raised: the values, by fence. */
static void raise_all(const struct dma_def *dma, uint64_t *raised)
{
	uint32_t i;

	for (i = 0; i < dma->num_ops; i++) {
		const struct op *op = &dma->ops[i];

		if (op->type == OP_SIGNAL && raised[op->alloc] < op->value)
			raised[op->alloc] = op->value;
	}
}

void fences_promise(struct player *p, const struct dma_def *dma)
{
	raise_all(dma, p->promised);
}

/*
 * Go once over the submissions from @first on in order, and add to @ends those that come to their
 * end, given what is known of the others. As they may raise fences for earlier ones, the caller
 * repeats this. What is done has raised its fences by now, and what was refused raises none.
 * Return: true if any were added. @behind: scratch, by context: a submission before this one does
 * not end.
 */
static bool find_ends(const struct player *p, uint32_t first, bool *ends, bool *behind,
		      uint64_t *raised)
{
	bool found = false;
	uint32_t i;

	memset(behind, 0, p->s->num_contexts * sizeof(*behind));
	for (i = first; i < p->r->num_submissions; i++) {
		const struct submission *sub = &p->r->submissions[i];
		const struct dma_def *dma = &p->s->dmas[sub->dma];

		if (ends[i - first] || sub->error || sub->record)
			continue;
		if (behind[dma->context] || !waits_end(p, dma, raised)) {
			behind[dma->context] = true;
			continue;
		}
		ends[i - first] = true;
		found = true;
		raise_all(dma, raised);
	}
	return found;
}

bool is_parked(struct player *p, const struct submission *sub)
{
	bool *ends, *behind, parked;
	uint64_t *raised;
	uint32_t first;

	if (!p->s->num_fences || p->fences_gone || sub->error || sub->record)
		return false;
	first = first_unsettled(p);
	ends = need_memory(calloc(p->r->num_submissions - first, sizeof(*ends)));
	behind = need_memory(calloc(p->s->num_contexts, sizeof(*behind)));
	raised = need_memory(calloc(p->s->num_fences, sizeof(*raised)));
	memcpy(raised, p->promised, p->s->num_fences * sizeof(*raised));
	while (find_ends(p, first, ends, behind, raised))
		;
	parked = !ends[sub - p->r->submissions - first];
	free(raised);
	free(behind);
	free(ends);
	return parked;
}

void fences_free(struct player *p, uint32_t device)
{
	uint32_t devices = p->s->num_devices, i;

	p->fences_gone |= device == NO_INDEX;
	for (i = 0; i < p->s->num_fences * devices; i++) {
		if (device != NO_INDEX && i % devices != device)
			continue;
		vsplit_mfence_destroy(p->fences[i]);
		p->fences[i] = NULL;
	}
}
