// SPDX-License-Identifier: MIT
/*
 * Submissions to hardware queues. There is no fence and no record of them: what the others wait
 * for, and show, is made up here of the queue's progress and its context's state.
 */
#include <errno.h>
#include <stdlib.h>

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

static int is_lost(struct player *p, uint32_t ctx)
{
	int ret = vsplit_context_query(p->contexts[ctx], &p->r->contexts[ctx]);

	if (ret)
		return ret;
	return p->r->contexts[ctx].state || p->r->contexts[ctx].device_state ? -EIO : 0;
}

int hw_submit(struct player *p, const struct stmt *stmt, struct vsplit_stream *stream,
	      struct vsplit_submission *done)
{
	uint32_t ctx = p->s->dmas[stmt->index].context, size = vsplit_stream_offset(stream), i;
	const void *packets = vsplit_stream_data(stream);
	int ret = is_lost(p, ctx);
	uint32_t patches, allocs;

	vsplit_stream_patches(stream, &patches);
	vsplit_stream_allocs(stream, &allocs);
	/* There is no call that takes lists: the one that does refuses them. */
	if (!ret && (patches || allocs))
		ret = vsplit_submit(p->contexts[ctx], stream, 0, NULL, 0, done);
	/* Nothing in a ring waits for what is not in it: the client does. */
	for (i = 0; !ret && i < stmt->num_after; i++) {
		struct submission *sub = last_submission(p, stmt->after[i]);

		ret = sub ? collect(p, sub) : 0;
	}
	while (!ret) {
		ret = vsplit_hwq_submit(p->hwqs[ctx], packets, size, &done->id);
		if (ret != -EBUSY)
			break;
		for (i = 0; i < p->r->num_submissions; i++) {
			struct submission *sub = &p->r->submissions[i];

			if (!is_of(p, sub, ctx) || sub->record)
				continue;
			ret = collect(p, sub);
			break;
		}
		/* All is done, and there still is no room: it is lost. */
		if (i == p->r->num_submissions)
			return -EIO;
	}
	done->num_portions = 1;
	return ret;
}

/* Why the ring got no further than to @progress, if this submission ends behind that. */
static int hw_error(struct player *p, const struct submission *sub, uint64_t progress)
{
	uint32_t ctx = p->s->dmas[sub->dma].context, i;
	const struct drm_vsplit_ctx_query *q = &p->r->contexts[ctx];

	for (i = 0; i < p->r->num_submissions; i++) {
		const struct submission *before = &p->r->submissions[i];

		/* The first one that is not done is the one that it was lost with. */
		if (is_of(p, before, ctx) && before->id > progress && before->id < sub->id)
			return -ECANCELED;
	}
	if (q->state == VSPLIT_STATE_LOST_HANG)
		return -ETIME;
	return q->fault && q->fault != VSPLIT_FAULT_CANCELLED ? -EFAULT : -ECANCELED;
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
	return 0;
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

/* Those that wait for the player are not waited for: the values may come with what follows. */
int hw_settle(struct player *p, uint32_t device)
{
	uint32_t i;

	for (i = 0; i < p->r->num_submissions; i++) {
		struct submission *sub = &p->r->submissions[i];
		uint32_t ctx = p->s->dmas[sub->dma].context;
		int ret;

		if (!p->hwqs[ctx] || p->s->contexts[ctx].device != device || sub->error ||
		    sub->record || is_parked(p, sub))
			continue;
		ret = collect(p, sub);
		if (ret)
			return ret;
	}
	return 0;
}
