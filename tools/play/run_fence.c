// SPDX-License-Identifier: MIT
/* Monitored fences. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

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

/* ---- what waits for what ----------------------------------------------- */

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

/* The first wait of the buffer that does not end if the fences have the values @raised. */
static uint32_t first_endless(const struct player *p, const struct dma_def *dma,
			      const uint64_t *raised)
{
	uint32_t i;

	for (i = 0; i < dma->num_ops; i++) {
		const struct op *op = &dma->ops[i];

		if (op->type == OP_WAIT_FENCE && raised[op->alloc] < op->value &&
		    !is_reached(p, op) && !raises(dma, i, op->alloc, op->value))
			break;
	}
	return i;
}

/*
 * The packets of the buffer before @end raise fences. @raised: the values, by fence.
 * Return: true if a value has grown.
 */
static bool raise_all(const struct dma_def *dma, uint32_t end, uint64_t *raised)
{
	bool grown = false;
	uint32_t i;

	for (i = 0; i < end; i++) {
		const struct op *op = &dma->ops[i];

		if (op->type != OP_SIGNAL || raised[op->alloc] >= op->value)
			continue;
		raised[op->alloc] = op->value;
		grown = true;
	}
	return grown;
}

void fences_promise(struct player *p, const struct dma_def *dma)
{
	raise_all(dma, dma->num_ops, p->promised);
}

/*
 * Go once over the submissions from @first on in order, and add to @ends those that come to their
 * end, given what is known of the others. As they may raise fences for earlier ones, the caller
 * repeats this. What is done has raised its fences by now, and what was refused raises none. A ring
 * raises fences also before a wait that does not end.
 * Return: true if anything has changed. @behind: scratch, by context: a submission before this one
 * does not end.
 */
static bool find_ends(const struct player *p, uint32_t first, bool *ends, bool *behind,
		      uint64_t *raised)
{
	bool found = false;
	uint32_t i, end;

	memset(behind, 0, p->s->num_contexts * sizeof(*behind));
	for (i = first; i < p->r->num_submissions; i++) {
		const struct submission *sub = &p->r->submissions[i];
		const struct dma_def *dma = &p->s->dmas[sub->dma];

		if (ends[i - first] || sub->error || sub->record)
			continue;
		if (behind[dma->context])
			continue;
		end = first_endless(p, dma, raised);
		found |= raise_all(dma, end, raised);
		behind[dma->context] = end < dma->num_ops;
		if (behind[dma->context])
			continue;
		ends[i - first] = true;
		found = true;
	}
	return found;
}

/*
 * What comes without another statement. @ends: do the submissions from the first unsettled one on
 * come to their end? @raised: the values, by fence. The caller frees both.
 */
static void foresee(struct player *p, bool **ends, uint64_t **raised)
{
	uint32_t first = first_unsettled(p);
	bool *behind = need_memory(calloc(p->s->num_contexts + 1, sizeof(*behind)));

	*ends = need_memory(calloc(p->r->num_submissions - first + 1, sizeof(**ends)));
	*raised = need_memory(calloc(p->s->num_fences + 1, sizeof(**raised)));
	memcpy(*raised, p->promised, p->s->num_fences * sizeof(**raised));
	while (find_ends(p, first, *ends, behind, *raised))
		;
	free(behind);
}

/* What is parked in a lost context ends with an error. */
static bool can_be_parked(struct player *p, const struct submission *sub)
{
	return p->s->num_fences && !p->fences_gone && !sub->error && !sub->record &&
	       !is_lost(p, p->s->dmas[sub->dma].context);
}

bool is_parked(struct player *p, const struct submission *sub)
{
	uint64_t *raised;
	bool *ends, parked;

	if (!can_be_parked(p, sub))
		return false;
	foresee(p, &ends, &raised);
	parked = !ends[sub - p->r->submissions - first_unsettled(p)];
	free(raised);
	free(ends);
	return parked;
}

bool may_end(struct player *p, const struct submission *sub)
{
	uint32_t device = p->s->contexts[p->s->dmas[sub->dma].context].device;
	uint32_t first = first_unsettled(p), i;
	uint64_t *raised;
	bool *ends, may;

	if (!can_be_parked(p, sub))
		return true;
	foresee(p, &ends, &raised);
	may = ends[sub - p->r->submissions - first];
	/* Other work may lose the device, which ends what is parked. */
	for (i = first; !may && i < p->r->num_submissions; i++) {
		uint32_t ctx = p->s->dmas[p->r->submissions[i].dma].context;

		may = ends[i - first] && p->s->contexts[ctx].device == device;
	}
	free(raised);
	free(ends);
	return may;
}

/* Does work that goes on raise the fence to @value? */
static bool may_rise(struct player *p, uint32_t fence, uint64_t value)
{
	uint64_t *raised;
	bool *ends, may;

	foresee(p, &ends, &raised);
	may = raised[fence] >= value;
	free(raised);
	free(ends);
	return may;
}

/* ---- the order of statements ------------------------------------------- */

static bool is_released(const struct player *p, const struct dma_def *dma)
{
	uint32_t i;

	for (i = 0; i < dma->num_ops; i++) {
		if (dma->ops[i].type == OP_WAIT_FENCE && !is_reached(p, &dma->ops[i]))
			return false;
	}
	return true;
}

/*
 * A fence has a new value: wait until the parked submissions that it releases are submitted. A
 * worker of the kernel does that, and the next statement could come before or after it.
 */
static void await_released(struct player *p)
{
	int64_t end = (int64_t)play_now_ns() + EXPECT_MS * 1000000ll;
	bool *behind = need_memory(calloc(p->s->num_contexts + 1, sizeof(*behind)));
	uint32_t i;

	for (i = first_unsettled(p); i < p->r->num_submissions; i++) {
		struct submission *sub = &p->r->submissions[i];
		const struct dma_def *dma = &p->s->dmas[sub->dma];
		uint32_t timeline, device = p->s->contexts[dma->context].device;

		if (sub->error || sub->record || sub->portions || behind[dma->context])
			continue;
		behind[dma->context] = !is_released(p, dma);
		if (behind[dma->context])
			continue;
		timeline = vsplit_context_timeline(p->contexts[dma->context]);
		drmSyncobjTimelineWait(vsplit_device_fd(p->devices[device]), &timeline, &sub->id, 1,
				       end, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
				       DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE, NULL);
	}
	free(behind);
}

int settle_device(struct player *p, uint32_t device)
{
	int ret = hw_settle(p, device);
	uint32_t i;

	/* While an engine is suspended, nothing is waited for, as in the checks of allocations. */
	for (i = first_unsettled(p); !ret && !p->suspended && i < p->r->num_submissions; i++) {
		struct submission *sub = &p->r->submissions[i];

		if (!sub->error && !sub->record && !sub->portions)
			ret = collect_if_ends(p, sub);
	}
	return ret;
}

int run_signal(struct player *p, const struct stmt *stmt)
{
	struct vsplit_mfence *fence;
	int ret = need_any(p, stmt->index, &fence);

	if (!ret)
		ret = vsplit_mfence_signal(fence, stmt->value);
	if (!ret)
		await_released(p);
	return ret;
}

/* Wait for a value, because work that raises the fence may not be done yet. */
static int wait_value(struct player *p, uint32_t index, uint64_t value, int limit_ms)
{
	uint64_t end = play_now_ns() + (uint64_t)limit_ms * 1000000;
	struct vsplit_mfence *fence;
	int ret = need_any(p, index, &fence);

	if (ret)
		return ret;
	do {
		ret = vsplit_mfence_wait(fence, value, LOOK_MS);
		if (ret == -ETIME)
			take_done(p);
	} while (ret == -ETIME && may_rise(p, index, value) && play_now_ns() < end);
	if (!ret)
		await_released(p);
	return ret;
}

int run_wait_fence(struct player *p, const struct stmt *stmt)
{
	int ret = wait_value(p, stmt->index, stmt->value, FENCE_MS);

	if (ret == -ETIME)
		say(p->s, stmt->line, "nothing raises %s to %" PRIu64,
		    p->s->fences[stmt->index].name, stmt->value);
	return ret;
}

int check_fence(struct player *p, const struct stmt *stmt, const struct check *check, char *got,
		size_t size, bool *failed)
{
	struct vsplit_mfence *fence;
	int ret = need_any(p, stmt->index, &fence);
	uint64_t value;

	if (!ret && check->compare != COMPARE_LE)
		ret = wait_value(p, stmt->index, check->number, EXPECT_MS);
	if (ret && ret != -ETIME)
		return ret;
	value = vsplit_mfence_value(fence);
	snprintf(got, size, "%" PRIu64, value);
	*failed = !check_holds(check, value);
	return 0;
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
