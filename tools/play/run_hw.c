// SPDX-License-Identifier: MIT
/*
 * Submissions to hardware queues. They have no fences and no records. This file makes up for them
 * from the queue's progress, its history and the state of its context.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "run.h"

#define RING_BYTES	(64u << 10)

static bool is_of(const struct player *p, const struct submission *sub, uint32_t ctx)
{
	return p->s->dmas[sub->dma].context == ctx && !sub->error;
}

int run_hwq(struct player *p, uint32_t ctx)
{
	if (p->s->contexts[ctx].mode != VSPLIT_CTX_MODE_HW || !p->contexts[ctx])
		return 0;
	return vsplit_hwq_create(p->contexts[ctx], RING_BYTES, &p->hwqs[ctx]);
}

/* Index in the queue's history for the begin or the end of the n-th submission. */
static uint32_t history_of(uint32_t nth, bool end)
{
	return 2 * (nth % (VSPLIT_HWQ_HISTORY / 2)) + end;
}

/*
 * Copy the stream with a HISTORY packet at its end, and another one after the waits at its
 * beginning.
 */
static uint8_t *with_history(struct vsplit_stream *stream, uint32_t nth, uint32_t *size)
{
	struct vsplit_packet mark = { .op = VSPLIT_OP_HISTORY, .size = sizeof(mark) };
	const uint8_t *packets = vsplit_stream_data(stream);
	uint32_t bytes = vsplit_stream_offset(stream), at = 0;
	uint8_t *all = need_memory(malloc(bytes + 2 * sizeof(mark)));

	while (at < bytes && packets[at] == VSPLIT_OP_WAIT_FENCE)
		at += sizeof(struct vsplit_packet_fence);
	memcpy(all, packets, at);
	mark.arg = history_of(nth, false);
	memcpy(all + at, &mark, sizeof(mark));
	memcpy(all + at + sizeof(mark), packets + at, bytes - at);
	mark.arg = history_of(nth, true);
	memcpy(all + bytes + sizeof(mark), &mark, sizeof(mark));
	*size = bytes + 2 * sizeof(mark);
	return all;
}

int is_lost(struct player *p, uint32_t ctx)
{
	int ret = vsplit_context_query(p->contexts[ctx], &p->r->contexts[ctx]);

	if (ret)
		return ret;
	return p->r->contexts[ctx].state || p->r->contexts[ctx].device_state ? -EIO : 0;
}

int hw_submit(struct player *p, const struct stmt *stmt, struct vsplit_stream *stream,
	      struct vsplit_submission *done)
{
	uint32_t ctx = p->s->dmas[stmt->index].context, size, i;
	int ret = is_lost(p, ctx);
	uint32_t patches, allocs;
	uint8_t *packets;

	vsplit_stream_patches(stream, &patches);
	vsplit_stream_allocs(stream, &allocs);
	/*
	 * No call of hardware queues takes lists, so use the submit call, which refuses the
	 * context.
	 */
	if (!ret && (patches || allocs))
		ret = vsplit_submit(p->contexts[ctx], stream, 0, NULL, 0, done);
	/* A ring cannot wait for submissions outside of it, so the client waits for them. */
	for (i = 0; !ret && i < stmt->num_after; i++) {
		struct submission *sub = last_submission(p, stmt->after[i]);

		ret = sub ? collect(p, sub) : 0;
	}
	packets = with_history(stream, p->queued[ctx], &size);
	while (!ret) {
		ret = vsplit_hwq_submit(p->hwqs[ctx], packets, size, &done->id);
		if (ret != -EBUSY)
			break;
		for (i = first_unsettled(p); i < p->r->num_submissions; i++) {
			struct submission *sub = &p->r->submissions[i];

			if (!is_of(p, sub, ctx) || sub->record)
				continue;
			ret = collect(p, sub);
			break;
		}
		/* All is done, and there is still no room, so the queue is lost. */
		if (i == p->r->num_submissions)
			ret = -EIO;
	}
	free(packets);
	done->num_portions = 1;
	return ret;
}

/* The error of a submission that ends after @progress, where the ring was stopped. */
static int hw_error(struct player *p, const struct submission *sub, uint64_t progress)
{
	uint32_t ctx = p->s->dmas[sub->dma].context, i;
	const struct drm_vsplit_ctx_query *q = &p->r->contexts[ctx];

	for (i = 0; i < p->r->num_submissions; i++) {
		const struct submission *before = &p->r->submissions[i];

		/*
		 * The queue was lost with the first submission that is not done; the others are
		 * cancelled.
		 */
		if (is_of(p, before, ctx) && before->id > progress && before->id < sub->id)
			return -ECANCELED;
	}
	if (q->state == VSPLIT_STATE_LOST_HANG)
		return -ETIME;
	return q->fault && q->fault != VSPLIT_FAULT_CANCELLED ? -EFAULT : -ECANCELED;
}

/* Record the whole submission as one portion. */
static int hw_times(struct player *p, struct submission *sub, uint32_t ctx)
{
	struct drm_vsplit_event *portion = calloc(1, sizeof(*portion));

	if (!portion)
		return -ENOMEM;
	portion->type = VSPLIT_EVENT_PORTION;
	portion->end = p->s->dmas[sub->dma].length;
	portion->t0_ns = vsplit_hwq_history(p->hwqs[ctx], history_of(sub->queued, false));
	portion->t1_ns = vsplit_hwq_history(p->hwqs[ctx], history_of(sub->queued, true));
	sub->record->events = portion;
	sub->record->head.num_events = 1;
	return 0;
}

int hw_collect(struct player *p, struct submission *sub, int64_t timeout_ms)
{
	uint32_t ctx = p->s->dmas[sub->dma].context;
	int ret = vsplit_hwq_wait(p->hwqs[ctx], sub->id, timeout_ms);

	if (ret && ret != -EIO)
		return ret;
	if (ret) {
		ret = vsplit_context_query(p->contexts[ctx], &p->r->contexts[ctx]);
		if (ret)
			return ret;
		sub->fence_error = hw_error(p, sub, vsplit_hwq_progress(p->hwqs[ctx]));
	}
	sub->record = calloc(1, sizeof(*sub->record));
	if (!sub->record)
		return -ENOMEM;
	sub->record->head.done = 1;
	sub->record->head.error = (uint32_t)-sub->fence_error;
	sub->record->head.num_portions = 1;
	sub->done = true;
	return sub->fence_error ? 0 : hw_times(p, sub, ctx);
}

bool has_hwq(const struct player *p, uint32_t device)
{
	uint32_t i;

	for (i = 0; i < p->s->num_contexts; i++) {
		if (p->s->contexts[i].mode == VSPLIT_CTX_MODE_HW &&
		    p->s->contexts[i].device == device)
			return true;
	}
	return false;
}

/* Skip parked submissions: later statements may raise the values for which they wait. */
int hw_settle(struct player *p, uint32_t device)
{
	uint32_t i;
	int ret = 0;

	for (i = first_unsettled(p); !ret && i < p->r->num_submissions; i++) {
		struct submission *sub = &p->r->submissions[i];
		uint32_t ctx = p->s->dmas[sub->dma].context;

		if (p->hwqs[ctx] && p->s->contexts[ctx].device == device && !sub->error &&
		    !sub->record)
			ret = collect_if_ends(p, sub);
	}
	return ret;
}
