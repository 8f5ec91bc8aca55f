// SPDX-License-Identifier: MIT
/*
 * Draws the lower part of the picture: engines, their paging, and the contexts' queues over time.
 * Gaps in which no engine works are shortened.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

#define TRACK		20.0
#define GAP		26.0	/* width of a long gap */
#define SHORT_GAP	0.04	/* part of the busy time; a shorter gap is not cut */
#define MAX_LANES	12
#define TICKS		8

/* An interval in which an engine works. @x0: its left edge. */
struct busy {
	uint64_t t0, t1;
	double x0;
};

struct timeline {
	struct picture *p;
	struct busy *busy;
	uint32_t count;
	double scale;	/* width of a nanosecond */
};

static int by_begin(const void *a, const void *b)
{
	const struct busy *x = a, *y = b;

	return x->t0 < y->t0 ? -1 : x->t0 > y->t0;
}

static uint64_t end_of(const struct drm_vsplit_event *step)
{
	return step->t1_ns > step->t0_ns ? step->t1_ns : step->t0_ns;
}

static bool is_timed(const struct event *e)
{
	return e->kind == SHOW_STEP && e->step->t0_ns;
}

/* Collect all steps, and flips as moments, and merge them into intervals that do not touch. */
static bool gather(struct timeline *t)
{
	const struct events *events = t->p->events;
	uint32_t i, n = 0;

	t->busy = calloc(events->count + t->p->r->num_flips + 1ul, sizeof(*t->busy));
	if (!t->busy)
		return false;
	for (i = 0; i < events->count; i++) {
		if (is_timed(&events->list[i]))
			t->busy[n++] = (struct busy){ events->list[i].step->t0_ns,
						      end_of(events->list[i].step), 0 };
	}
	for (i = 0; i < t->p->r->num_flips; i++) {
		if (t->p->r->flips[i].t1_ns)
			t->busy[n++] = (struct busy){ t->p->r->flips[i].t1_ns,
						      t->p->r->flips[i].t1_ns + 1, 0 };
	}
	qsort(t->busy, n, sizeof(*t->busy), by_begin);
	for (i = 0; i < n; i++) {
		struct busy *last = t->count ? &t->busy[t->count - 1] : NULL;

		if (last && t->busy[i].t0 <= last->t1) {
			if (t->busy[i].t1 > last->t1)
				last->t1 = t->busy[i].t1;
		} else {
			t->busy[t->count++] = t->busy[i];
		}
	}
	return true;
}

/* Merge intervals with short gaps between them, and spread the rest over the width. */
static void spread(struct timeline *t)
{
	double total = 0, width, x = LEFT;
	uint32_t i, n = 0;

	for (i = 0; i < t->count; i++)
		total += (double)(t->busy[i].t1 - t->busy[i].t0);
	for (i = 0; i < t->count; i++) {
		struct busy *last = n ? &t->busy[n - 1] : NULL;

		if (last && (double)(t->busy[i].t0 - last->t1) <= total * SHORT_GAP)
			last->t1 = t->busy[i].t1;
		else
			t->busy[n++] = t->busy[i];
	}
	t->count = n;
	total = 0;
	for (i = 0; i < n; i++)
		total += (double)(t->busy[i].t1 - t->busy[i].t0);
	width = t->p->full - LEFT - RIGHT - GAP * (n ? n - 1 : 0);
	if (width < 200)
		width = 200;
	t->scale = total > 0 ? width / total : 0;
	for (i = 0; i < n; i++) {
		t->busy[i].x0 = x;
		x += (double)(t->busy[i].t1 - t->busy[i].t0) * t->scale + GAP;
	}
	if (x - GAP + RIGHT > t->p->full)
		t->p->full = x - GAP + RIGHT;
}

static double time_x(const struct timeline *t, uint64_t ns)
{
	uint32_t i;

	for (i = t->count; i-- > 0;) {
		const struct busy *b = &t->busy[i];

		if (ns < b->t0)
			continue;
		if (ns <= b->t1)
			return b->x0 + (double)(ns - b->t0) * t->scale;
		/* In a gap, positions are proportional. */
		if (i + 1 < t->count)
			return b->x0 + (double)(b->t1 - b->t0) * t->scale +
			       GAP * (double)(ns - b->t1) / (double)(t->busy[i + 1].t0 - b->t1);
		return b->x0 + (double)(b->t1 - b->t0) * t->scale;
	}
	return LEFT;
}

static void draw_axis(struct timeline *t)
{
	struct picture *p = t->p;
	double step = 1, right = t->busy[t->count - 1].x0, total = 0, last = -100;
	uint32_t i;

	for (i = 0; i < t->count; i++)
		total += (double)(t->busy[i].t1 - t->busy[i].t0);
	while (step * TICKS * 10 < total)
		step *= 10;
	while (step * TICKS < total)
		step *= step * TICKS * 2 < total ? 2.5 : 2;
	right += (double)(t->busy[t->count - 1].t1 - t->busy[t->count - 1].t0) * t->scale;
	put_margin(p, p->y + 12, "name", "time, ms");
	for (i = 0; i < t->count; i++) {
		const struct busy *b = &t->busy[i];
		double first = (double)(b->t0 - t->busy[0].t0), since;

		if (i)
			fprintf(p->out, "<text class=\"small dim\" x=\"%.1f\" y=\"%.1f\">⋯<title>%.3f ms in which no engine works</title></text>\n",
				b->x0 - GAP / 2, p->y + 12,
				(double)(b->t0 - t->busy[i - 1].t1) * 1e-6);
		/*
		 * Count from the interval's own begin, because beside a large time a short step may
		 * vanish.
		 */
		for (since = 0; since <= (double)(b->t1 - b->t0); since += step) {
			double x = b->x0 + since * t->scale, at = first + since;

			if (x - last < 46)
				continue;
			fprintf(p->out, "<text class=\"small dim\" x=\"%.1f\" y=\"%.1f\">%.*f</text>\n",
				last < 0 ? x + 11 : x, p->y + 12, at < 1e7 ? 2 : at < 1e8 ? 1 : 0, at * 1e-6);
			fprintf(p->out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
				x, p->y + 15, x, p->y + 19);
			last = x;
		}
	}
	p->y += 20;
}

static void put_track(struct timeline *t, const char *name)
{
	struct picture *p = t->p;

	put_margin(p, p->y + 14, "scale", name);
	fprintf(p->out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
		LEFT, p->y + TRACK, p->full - RIGHT, p->y + TRACK);
}

static void put_portion(struct timeline *t, const struct event *e, uint32_t column)
{
	struct picture *p = t->p;
	double x0 = time_x(t, e->step->t0_ns), x1 = time_x(t, end_of(e->step));
	uint32_t context = p->r->s->dmas[e->submission->dma].context;
	char colour[32], label[LABEL_TEXT];

	if (x1 - x0 < 1.5)
		x1 = x0 + 1.5;
	colour_of_context(context, colour);
	fprintf(p->out, "<g class=\"t\" data-c=\"%d\"><rect class=\"box\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>",
		column == UINT32_MAX ? -1 : (int)column, x0, p->y + 2, x1 - x0, TRACK - 3, colour);
	put_xml(p->out, event_label(p->r, e, label));
	fprintf(p->out, ", context %s: %.3f ms</title></rect>\n", p->r->s->contexts[context].name,
		(double)(end_of(e->step) - e->step->t0_ns) * 1e-6);
	put_portion_label(p, x0, p->y + 14, x1 - x0, "mid", e);
	fputs("</g>\n", p->out);
}

static void put_paging(struct timeline *t, const struct event *e)
{
	static const char *const classes[] = {
		[VSPLIT_EVENT_PAGE_IN] = "in", [VSPLIT_EVENT_EVICT] = "evict",
		[VSPLIT_EVENT_MOVE] = "move", [VSPLIT_EVENT_MAP] = "map",
		[VSPLIT_EVENT_UNMAP] = "map",
	};
	struct picture *p = t->p;
	double x0 = time_x(t, e->step->t0_ns), x1 = time_x(t, end_of(e->step));
	char text[LABEL_TEXT], size[SIZE_TEXT], portion[LABEL_TEXT];
	const char *label = alloc_label(p->r, event_device(p->r, e), e->step->handle, e->step->id,
					text);

	if (x1 - x0 < 1.5)
		x1 = x0 + 1.5;
	fputs("<g class=\"a t\" data-a=\"", p->out);
	put_xml(p->out, label);
	fprintf(p->out, "\"><rect class=\"box %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"><title>%s ",
		e->step->type < ARRAY_SIZE(classes) ? classes[e->step->type] : "", x0, p->y + 2,
		x1 - x0, TRACK - 3, vsplit_event_name(e->step->type));
	put_xml(p->out, label);
	fprintf(p->out, ", %s, before %s: %.3f ms%s%s</title></rect>\n",
		format_size(size, e->step->bytes), event_label(p->r, e, portion),
		(double)(end_of(e->step) - e->step->t0_ns) * 1e-6,
		e->step->flags & VSPLIT_EVENT_FOREIGN ? "; not of this buffer" : "",
		e->step->flags & VSPLIT_EVENT_FILLED ? "; cleared" : "");
	put_fitting(p, x0, p->y + 14, x1 - x0, "mid", label);
	fputs("</g>\n", p->out);
}

/*
 * Draw one track: portions or paging of one engine of one adapter. Returns false if there is
 * nothing.
 */
static bool draw_track(struct timeline *t, uint32_t device, uint32_t engine, bool paging)
{
	struct picture *p = t->p;
	const struct result *r = p->r;
	bool own_paging = r->adapter.caps & VSPLIT_CAP_PAGING_ENGINE, any = false;
	uint32_t i, column = 0;
	char name[64];

	for (i = 0; i < p->events->count; i++) {
		const struct event *e = &p->events->list[i];
		bool shown = event_is_shown(r, e) && event_is_portion(e);
		uint32_t at = shown ? column : UINT32_MAX;

		column += shown;
		if (!is_timed(e) || event_is_portion(e) == paging ||
		    !same_adapter(r->s, event_device(r, e), device))
			continue;
		if (!(paging && own_paging) &&
		    r->s->contexts[r->s->dmas[e->submission->dma].context].engine != engine)
			continue;
		if (!any) {
			snprintf(name, sizeof(name), paging && own_paging ? "%.10s%spaging" :
				 paging ? "%.10s%s  paging" : "%.10s%sengine %u",
				 r->s->devices[device].own ? r->s->devices[device].name : "",
				 r->s->devices[device].own ? " " : "", engine);
			put_track(t, name);
		}
		any = true;
		if (paging)
			put_paging(t, e);
		else
			put_portion(t, e, at);
	}
	if (any)
		p->y += TRACK;
	return any;
}

static void draw_engines(struct timeline *t)
{
	const struct scenario *s = t->p->r->s;
	bool own_paging = t->p->r->adapter.caps & VSPLIT_CAP_PAGING_ENGINE;
	uint32_t device, engine, engines = result_engines(t->p->r);

	for (device = 0; device < s->num_devices; device++) {
		/* The first device stands for all devices that share its adapter. */
		if (device != DEFAULT_DEVICE && !s->devices[device].own)
			continue;
		for (engine = 0; engine < engines; engine++) {
			draw_track(t, device, engine, false);
			if (!own_paging)
				draw_track(t, device, engine, true);
		}
		if (own_paging)
			draw_track(t, device, 0, true);
	}
}

/* Draw what a head shows: from the flip's vblank to that of the next flip, or the end. */
static void draw_head(struct timeline *t, uint32_t head)
{
	const struct result *r = t->p->r;
	struct picture *p = t->p;
	char colour[32], label[64];
	bool any = false;
	uint32_t i, j;

	for (i = 0; i < r->num_flips; i++) {
		const struct flip *f = &r->flips[i];
		const char *alloc = r->s->allocs[f->alloc].name;
		uint64_t end = t->busy[t->count - 1].t1;
		double x0, x1;

		if (f->head != head || !f->t1_ns)
			continue;
		for (j = i + 1; j < r->num_flips; j++) {
			if (r->flips[j].head == head && r->flips[j].t1_ns) {
				end = r->flips[j].t1_ns;
				break;
			}
		}
		if (!any) {
			snprintf(label, sizeof(label), "head %.20s", r->s->heads[head].name);
			put_track(t, label);
		}
		any = true;
		x0 = time_x(t, f->t1_ns);
		x1 = time_x(t, end);
		if (x1 - x0 < 1.5)
			x1 = x0 + 1.5;
		colour_of_alloc(r, alloc, colour);
		fprintf(p->out, "<g class=\"a t\" data-a=\"%s\"><rect class=\"box\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%s shows %s for %.3f ms</title></rect>\n",
			alloc, x0, p->y + 2, x1 - x0, TRACK - 3, colour, r->s->heads[head].name, alloc,
			end > f->t1_ns ? (double)(end - f->t1_ns) * 1e-6 : 0.0);
		put_fitting(p, x0, p->y + 14, x1 - x0, "mid", alloc);
		fputs("</g>\n", p->out);
	}
	if (any)
		p->y += TRACK;
}

/* When a submission was made, began and ended. Returns false if that is not known. */
static bool life_of(const struct picture *p, const struct submission *sub, uint64_t *from,
		    uint64_t *begin, uint64_t *end)
{
	uint32_t i;

	*begin = 0;
	*end = 0;
	for (i = 0; sub->record && i < sub->record->head.num_events; i++) {
		const struct drm_vsplit_event *step = &sub->record->events[i];

		if (!step->t0_ns)
			continue;
		if (!*begin || step->t0_ns < *begin)
			*begin = step->t0_ns;
		if (end_of(step) > *end)
			*end = end_of(step);
	}
	*from = sub->t0_ns && sub->t0_ns < *begin ? sub->t0_ns : *begin;
	(void)p;
	return *begin;
}

/* Draw the queue of a context like GPUView: waiting submissions are above the running one. */
static void draw_queue(struct timeline *t, uint32_t context)
{
	struct picture *p = t->p;
	uint64_t busy_until[MAX_LANES] = { 0 }, from, begin, end;
	uint32_t lanes = 0, lane, i;
	char colour[32], label[LABEL_TEXT];

	colour_of_context(context, colour);
	for (i = 0; i < p->r->num_submissions; i++) {
		const struct submission *sub = &p->r->submissions[i];
		double x0, x1, x2, y;

		if (p->r->s->dmas[sub->dma].context != context ||
		    !life_of(p, sub, &from, &begin, &end))
			continue;
		for (lane = 0; lane + 1 < MAX_LANES && busy_until[lane] > from; lane++)
			;
		busy_until[lane] = end;
		if (lane >= lanes) {
			lanes = lane + 1;
			if (!lane)
				put_track(t, p->r->s->contexts[context].name);
		}
		x0 = time_x(t, from);
		x1 = time_x(t, begin);
		x2 = time_x(t, end);
		if (x2 - x0 < 1.5)
			x2 = x0 + 1.5;
		y = p->y + 2 + TRACK * lane;
		snprintf(label, sizeof(label), sub->nth > 1 ? "%.20s#%u" : "%.20s",
			 p->r->s->dmas[sub->dma].name, sub->nth);
		fputs("<g class=\"t\"><title>", p->out);
		put_xml(p->out, label);
		fprintf(p->out, ": waited %.3f ms, ran %.3f ms%s%s</title>",
			(double)(begin - from) * 1e-6, (double)(end - begin) * 1e-6,
			sub->fence_error ? ", ended with " : "",
			sub->fence_error ? errno_name(sub->fence_error) : "");
		fprintf(p->out, "<rect class=\"box wait\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
			x0, y, x2 - x0, TRACK - 3, colour);
		fprintf(p->out, "<rect class=\"box run\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"%s/>\n",
			x1, y, x2 > x1 ? x2 - x1 : 1.5, TRACK - 3, colour,
			sub->fence_error ? " style=\"stroke:#c62828;stroke-width:2\"" : "");
		put_fitting(p, x0, y + 12, x2 - x0, "mid", label);
		fputs("</g>\n", p->out);
	}
	p->y += TRACK * lanes;
}

void draw_timeline(struct picture *p)
{
	struct timeline t = { .p = p };
	uint32_t i;

	if (!gather(&t)) {
		complain("%s", strerror(ENOMEM));
		exit(EXIT_NOT_RUN);
	}
	if (t.count) {
		p->y += 8;
		spread(&t);
		draw_axis(&t);
		draw_engines(&t);
		for (i = 0; i < p->r->s->num_heads; i++)
			draw_head(&t, i);
		for (i = 0; i < p->r->s->num_contexts; i++)
			draw_queue(&t, i);
		p->y += 4;
	}
	free(t.busy);
}
