// SPDX-License-Identifier: MIT
/*
 * Computes where allocations are at each portion, by going through the paging steps and the tables
 * of portions in order.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

static struct placed *find(struct layout *l, uint64_t id)
{
	uint32_t i;

	for (i = 0; i < l->count; i++) {
		if (l->list[i].there && l->list[i].id == id)
			return &l->list[i];
	}
	return NULL;
}

/* The allocation leaves: mark all its runs. */
static void leave(struct layout *l, uint64_t id, bool moved)
{
	struct placed *old;

	while ((old = find(l, id))) {
		old->there = false;
		old->mark = MARK_WENT;
		old->moved_away = moved;
	}
}

static struct placed *enter_run(struct layout *l, uint64_t id, const char *label,
				uint32_t segment, uint64_t at, uint64_t bytes, enum mark mark)
{
	struct placed *p;
	uint32_t i;

	/*
	 * Ranges do not overlap. An allocation that was here before must have been freed, which no
	 * record tells.
	 */
	for (i = 0; i < l->count; i++) {
		p = &l->list[i];
		if (p->there && p->segment == segment && p->at < at + bytes &&
		    at < p->at + p->bytes)
			leave(l, p->id, true);
	}
	l->list = append(l->list, &l->count, sizeof(*l->list));
	p = &l->list[l->count - 1];
	p->id = id;
	snprintf(p->label, sizeof(p->label), "%s", label);
	p->segment = segment;
	p->at = at;
	p->bytes = bytes;
	p->mark = mark;
	p->there = true;
	p->sure = true;
	return p;
}

static void enter(struct layout *l, uint64_t id, const char *label, uint32_t segment,
		  uint64_t at, uint64_t bytes, enum mark mark)
{
	/*
	 * If a step is missing from the records, the old place is still noted; there is only one.
	 */
	leave(l, id, true);
	enter_run(l, id, label, segment, at, bytes, mark);
}

static void enter_runs(struct layout *l, uint64_t id, const char *label, const struct place *place,
		       enum mark mark)
{
	uint32_t i;

	leave(l, id, true);
	for (i = 0; i < place->num_runs; i++) {
		struct placed *p = enter_run(l, id, label, place->segment, place->runs[i].offset,
					     place->runs[i].bytes, mark);

		p->run = i;
		p->runs = place->num_runs;
	}
}

void layout_step(struct layout *l, const struct event *e)
{
	const struct drm_vsplit_event *step = e->step;
	uint32_t device = l->r->s->contexts[l->r->s->dmas[e->submission->dma].context].device;
	char text[LABEL_TEXT];
	const char *label = alloc_label(l->r, device, step->handle, step->id, text);
	const struct place *place;

	/*
	 * The step has only the first run. The other runs are known from the end of the submission.
	 */
	if (step_in_runs(l->r, e)) {
		place = step->type == VSPLIT_EVENT_EVICT ? NULL : step_place(l->r, e);
		if (place)
			enter_runs(l, step->id, label, place,
				   step->type == VSPLIT_EVENT_MOVE ? MARK_MOVED : MARK_CAME);
		else
			leave(l, step->id, step->type != VSPLIT_EVENT_EVICT);
		return;
	}
	switch (step->type) {
	case VSPLIT_EVENT_PAGE_IN:
	case VSPLIT_EVENT_MAP:
		enter(l, step->id, label, step->segment, step->at, step->bytes, MARK_CAME);
		break;
	case VSPLIT_EVENT_MOVE:
		enter(l, step->id, label, step->segment, step->at, step->bytes, MARK_MOVED);
		break;
	case VSPLIT_EVENT_EVICT:
	case VSPLIT_EVENT_UNMAP:
		leave(l, step->id, false);
		break;
	}
}

/* Does a range overlap another allocation whose place is sure? */
static bool is_taken(const struct layout *l, uint64_t id, uint32_t segment, uint64_t at,
		     uint64_t bytes)
{
	uint32_t i;

	for (i = 0; i < l->count; i++) {
		const struct placed *p = &l->list[i];

		if (p->there && p->sure && p->id != id && p->segment == segment &&
		    p->at < at + bytes && at < p->at + p->bytes)
			return true;
	}
	return false;
}

/* Is the allocation in exactly these runs already? */
static bool has_runs(const struct layout *l, uint64_t id, const struct place *place)
{
	uint32_t i, found = 0, same = 0;

	for (i = 0; i < l->count; i++) {
		const struct placed *p = &l->list[i];

		if (!p->there || p->id != id)
			continue;
		found++;
		same += p->segment == place->segment && p->run < place->num_runs &&
			p->at == place->runs[p->run].offset &&
			p->bytes == place->runs[p->run].bytes;
	}
	return found == place->num_runs && same == found;
}

static void take_runs(struct layout *l, uint64_t id, const char *name, const struct place *place)
{
	enum mark mark = MARK_CAME;
	uint32_t i;

	if (has_runs(l, id, place))
		return;
	for (i = 0; i < place->num_runs; i++) {
		if (is_taken(l, id, place->segment, place->runs[i].offset, place->runs[i].bytes))
			return;
	}
	for (i = 0; i < l->count; i++) {
		if (l->list[i].id == id && (l->list[i].there || l->list[i].moved_away))
			mark = MARK_MOVED;
	}
	enter_runs(l, id, name, place, mark);
}

/*
 * Apply the places that were noted when the submission was done, if there are any: they show paging
 * that no record tells. They were noted after the portion had run, so what is sure from the
 * portion's own steps and table takes precedence.
 */
static void take_places(struct layout *l, const struct submission *sub)
{
	const struct scenario *s = l->r->s;
	struct placed *old;
	uint32_t i, j;

	if (!sub->num_places)
		return;
	for (i = 0; i < s->num_allocs; i++) {
		if (s->devices[s->allocs[i].device].own || !l->r->allocs[i].id)
			continue;
		for (j = 0; j < sub->num_places && sub->places[j].alloc != i; j++)
			;
		old = find(l, l->r->allocs[i].id);
		if (j == sub->num_places && old && !old->sure)
			leave(l, old->id, false);
	}
	for (i = 0; i < sub->num_places; i++) {
		const struct place *place = &sub->places[i];
		uint64_t id = l->r->allocs[place->alloc].id, bytes = s->allocs[place->alloc].size;

		if (s->allocs[place->alloc].flags & VSPLIT_GEM_RUNS) {
			if (id && place->num_runs)
				take_runs(l, id, s->allocs[place->alloc].name, place);
			continue;
		}
		old = find(l, id);
		if (!id || (old && (old->sure || (old->segment == place->segment &&
						  old->at == place->at))) ||
		    is_taken(l, id, place->segment, place->at, bytes))
			continue;
		enter(l, id, s->allocs[place->alloc].name, place->segment, place->at, bytes,
		      old ? MARK_MOVED : MARK_CAME);
	}
}

/* Apply the resource table of a portion: it says where allocations are. */
void layout_rows(struct layout *l, const struct event *e)
{
	const struct scenario *s = l->r->s;
	const struct vsplit_record *record = e->submission->record;
	uint32_t device = s->contexts[s->dmas[e->submission->dma].context].device, i;

	for (i = 0; i < e->step->row_count; i++) {
		const struct drm_vsplit_row *row;
		struct placed *p;
		uint32_t alloc;

		if (e->step->row_first + i >= record->head.num_rows)
			break;
		row = &record->rows[e->step->row_first + i];
		alloc = result_by_handle(l->r, device, row->handle);
		if (alloc == NO_INDEX)
			continue;
		p = find(l, l->r->allocs[alloc].id);
		if (!p || p->segment != row->segment || p->at != row->offset)
			enter(l, l->r->allocs[alloc].id, s->allocs[alloc].name, row->segment,
			      row->offset, s->allocs[alloc].size,
			      e->submission->num_places && !p ? MARK_CAME : MARK_STAYED);
		else
			p->sure = true;
	}
	take_places(l, e->submission);
}

void layout_start(struct layout *l, const struct result *r)
{
	uint32_t i;

	*l = (struct layout){ .r = r };
	for (i = 0; i < r->s->num_allocs; i++) {
		const struct alloc_result *a = &r->allocs[i];

		if (a->id && a->pinned_in && !r->s->devices[r->s->allocs[i].device].own)
			enter(l, a->id, r->s->allocs[i].name, a->pinned_in, a->pinned_at,
			      r->s->allocs[i].size, MARK_STAYED);
	}
}

/* After a portion was drawn, mark everything as old. */
void layout_settle(struct layout *l)
{
	uint32_t i, kept = 0;

	for (i = 0; i < l->count; i++) {
		if (!l->list[i].there)
			continue;
		l->list[kept] = l->list[i];
		l->list[kept].sure = false;
		l->list[kept++].mark = MARK_STAYED;
	}
	l->count = kept;
}

void layout_free(struct layout *l)
{
	free(l->list);
}

bool event_is_portion(const struct event *e)
{
	return e->kind == SHOW_STEP && e->step->type == VSPLIT_EVENT_PORTION;
}

/* Is it a step on the scenario's adapter? Others have segments of the same names. */
bool event_is_shown(const struct result *r, const struct event *e)
{
	uint32_t context;

	if (e->kind != SHOW_STEP)
		return false;
	context = r->s->dmas[e->submission->dma].context;
	return !r->s->devices[r->s->contexts[context].device].own;
}

/* Does anything appear in this segment during the run? */
bool segment_is_used(const struct result *r, const struct events *events, uint32_t segment)
{
	uint32_t i, j;

	for (i = 0; i < r->s->num_allocs; i++) {
		if (r->allocs[i].id && r->allocs[i].pinned_in == segment &&
		    !r->s->devices[r->s->allocs[i].device].own)
			return true;
	}
	for (i = 0; i < events->count; i++) {
		const struct event *e = &events->list[i];

		if (!event_is_shown(r, e))
			continue;
		if (e->step->type != VSPLIT_EVENT_PORTION && e->step->segment == segment)
			return true;
		for (j = 0; j < e->submission->num_places; j++) {
			if (e->submission->places[j].segment == segment)
				return true;
		}
		for (j = 0; event_is_portion(e) && j < e->step->row_count &&
		     e->step->row_first + j < e->submission->record->head.num_rows; j++) {
			if (e->submission->record->rows[e->step->row_first + j].segment == segment)
				return true;
		}
	}
	return false;
}
