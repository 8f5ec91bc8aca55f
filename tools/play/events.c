// SPDX-License-Identifier: MIT
/* Makes one list of the records of all submissions, in order of the engine's time. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static struct event *add(struct events *events)
{
	struct event *event;

	events->list = append(events->list, &events->count, sizeof(*events->list));
	event = &events->list[events->count - 1];
	event->order = events->count - 1;
	return event;
}

static bool is_hw(const struct result *r, const struct submission *sub)
{
	return r->s->contexts[r->s->dmas[sub->dma].context].mode == VSPLIT_CTX_MODE_HW;
}

/* A hardware queue does not tell its submission, but what follows the lost one is cancelled. */
static bool lost_by(const struct result *r, const struct submission *sub,
		    const struct drm_vsplit_ctx_query *q)
{
	if (is_hw(r, sub))
		return sub->fence_error == -EFAULT || sub->fence_error == -ETIME;
	return sub->id && q->submission == sub->id;
}

/* The state of the context, if it was lost with this submission; else NULL. */
static const struct drm_vsplit_ctx_query *fault_of(const struct result *r,
						   const struct submission *sub)
{
	const struct drm_vsplit_ctx_query *q = &r->contexts[r->s->dmas[sub->dma].context];

	if ((q->state != VSPLIT_STATE_LOST_FAULT && q->state != VSPLIT_STATE_LOST_HANG &&
	     q->state != VSPLIT_STATE_LOST_PAGE_FAULT) ||
	    !lost_by(r, sub, q))
		return NULL;
	return q;
}

static void add_fault(struct events *events, const struct submission *sub,
		      const struct drm_vsplit_ctx_query *q, uint64_t key)
{
	struct event *event = add(events);

	event->kind = SHOW_FAULT;
	event->submission = sub;
	event->fault = q;
	event->portion = q->fault_portion;
	event->key = key;
}

/* Add the steps of a record. Steps that never began are sorted after the step before them. */
static uint64_t add_record(struct events *events, const struct result *r,
			   const struct submission *sub, uint64_t key)
{
	const struct drm_vsplit_ctx_query *q = fault_of(r, sub);
	bool told = !q;
	uint32_t i;

	for (i = 0; i < sub->record->head.num_events; i++) {
		const struct drm_vsplit_event *step = &sub->record->events[i];
		struct event *event = add(events);

		if (step->t0_ns)
			key = step->t0_ns;
		event->kind = SHOW_STEP;
		event->submission = sub;
		event->step = step;
		event->key = key;
		if (!told && step->type == VSPLIT_EVENT_PORTION &&
		    step->portion == q->fault_portion) {
			add_fault(events, sub, q, key);
			told = true;
		}
	}
	if (!told)
		add_fault(events, sub, q, key);
	return key;
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void events_make(struct events *events, const struct result *r)
{
	events_make_some(events, r, 0, r->num_submissions);
}

void events_make_some(struct events *events, const struct result *r, uint32_t first, uint32_t end)
{
	uint64_t last = 0, key;
	uint32_t i;

	*events = (struct events){ 0 };
	for (i = first; i < end; i++) {
		const struct submission *sub = &r->submissions[i];
		int error = sub->error ? sub->error : sub->fence_error;

		key = last;
		if (sub->record)
			key = add_record(events, r, sub, last);
		else if (fault_of(r, sub))
			add_fault(events, sub, fault_of(r, sub), last);
		if (error) {
			struct event *event = add(events);

			event->kind = SHOW_ERROR;
			event->submission = sub;
			event->error = error;
			/* What was refused has no record, but the time of its call is known. */
			if (sub->error && sub->t0_ns)
				key = sub->t0_ns;
			event->key = key;
		}
		if (key > last)
			last = key;
	}
	if (events->count)
		qsort(events->list, events->count, sizeof(*events->list), by_time);
}

void events_free(struct events *events)
{
	free(events->list);
	*events = (struct events){ 0 };
}

const char *alloc_label(const struct result *r, uint32_t device, uint32_t handle, uint64_t id,
			char text[LABEL_TEXT])
{
	uint32_t alloc = id ? result_by_id(r, device, id) : result_by_handle(r, device, handle);

	if (alloc != NO_INDEX)
		return r->s->allocs[alloc].name;
	snprintf(text, LABEL_TEXT, "#%" PRIu64, handle ? (uint64_t)handle : id);
	return text;
}

static const struct alloc_def *step_alloc(const struct result *r, const struct event *event)
{
	uint32_t device = r->s->contexts[r->s->dmas[event->submission->dma].context].device;
	uint32_t alloc = event->step->id ? result_by_id(r, device, event->step->id) : NO_INDEX;

	return alloc == NO_INDEX ? NULL : &r->s->allocs[alloc];
}

bool step_in_runs(const struct result *r, const struct event *event)
{
	const struct alloc_def *a = step_alloc(r, event);

	return a && a->flags & VSPLIT_GEM_RUNS;
}

const struct place *step_place(const struct result *r, const struct event *event)
{
	const struct alloc_def *a = step_alloc(r, event);
	uint32_t i;

	for (i = 0; a && i < event->submission->num_places; i++) {
		const struct place *place = &event->submission->places[i];

		if (&r->s->allocs[place->alloc] == a && place->num_runs &&
		    place->segment == event->step->segment && place->at == event->step->at)
			return place;
	}
	return NULL;
}

const char *fault_reason(const struct result *r, const struct event *event, char text[REASON_TEXT])
{
	const char *of = is_hw(r, event->submission) ? " of the ring" : "";
	const struct drm_vsplit_ctx_query *q = event->fault;

	if (q->state == VSPLIT_STATE_LOST_HANG)
		snprintf(text, REASON_TEXT, "hang at offset %u%s", q->fault_offset, of);
	else if (q->state == VSPLIT_STATE_LOST_PAGE_FAULT)
		snprintf(text, REASON_TEXT, "%s: address 0x%" PRIx64 ", at offset %u%s",
			 vsplit_fault_name(q->fault), (uint64_t)q->fault_address, q->fault_offset,
			 of);
	else if (q->fault_slot != UINT32_MAX)
		snprintf(text, REASON_TEXT, "%s: slot %u, at offset %u", vsplit_fault_name(q->fault),
			 q->fault_slot, q->fault_offset);
	else
		snprintf(text, REASON_TEXT, "%s at offset %u%s", vsplit_fault_name(q->fault),
			 q->fault_offset, of);
	return text;
}
