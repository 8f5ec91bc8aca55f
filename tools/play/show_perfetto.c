// SPDX-License-Identifier: MIT
/*
 * Writes a trace in Chrome's JSON format. The adapter is a process, whose threads are the engines
 * and their paging, with a counter for each segment. Each context is a process, whose threads are
 * its calls of submit and its fences; asynchronous slices show its queue. Flows lead from a
 * submission through its portions to its fence. perfetto_resid.c writes what devices require.
 *
 * Slices of a thread may not overlap. If an engine gives way within a portion, the portion's slice
 * lasts until the engine has come back. Steps that begin in the meantime are in another thread, a
 * row below.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "parse.h"
#include "trace_play.h"

/* @threads: thread of each event's slice, if the step took place. */
struct trace {
	struct trace_out o;
	const struct result *r;
	const struct events *events;
	uint32_t *threads;
};

/* Distance from the id of a thread to that of the row below it. */
#define TID_BELOW	1000u

/* A slice of an event in row @tid; or, in a list of rows, a row that is free from @end on. */
struct slice {
	uint64_t t0, end;
	uint32_t pid, tid;
	uint32_t event;
};

static void put_flow(struct trace *t, const char *phase, uint32_t pid, uint32_t tid, uint64_t ns,
		     const struct submission *sub)
{
	trace_flow(&t->o, phase, pid, tid, ns, (uint32_t)(sub - t->r->submissions) + 1);
}

static const struct context_def *context_of(const struct trace *t, const struct submission *sub)
{
	return &t->r->s->contexts[t->r->s->dmas[sub->dma].context];
}

static uint32_t pid_of_adapter(const struct trace *t, const struct submission *sub)
{
	uint32_t device = context_of(t, sub)->device;

	return PID_ADAPTER + (t->r->s->devices[device].own ? device : 0);
}

static const char *name_of(const struct trace *t, const struct submission *sub, int portion,
			   char text[LABEL_TEXT])
{
	char nth[16] = "", index[16] = "";

	if (sub->nth > 1)
		snprintf(nth, sizeof(nth), "#%u", sub->nth);
	if (portion >= 0)
		snprintf(index, sizeof(index), ".%d", portion);
	snprintf(text, LABEL_TEXT, "%.20s%s%s", t->r->s->dmas[sub->dma].name, nth, index);
	return text;
}

static uint64_t end_of(const struct drm_vsplit_event *step)
{
	return step->t1_ns > step->t0_ns ? step->t1_ns : step->t0_ns;
}

/* ---- engines ----------------------------------------------------------- */

static uint32_t thread_of(const struct trace *t, const struct event *e)
{
	uint32_t engine = context_of(t, e->submission)->engine;

	if (event_is_portion(e))
		return TID_ENGINE + engine;
	return TID_PAGING + (t->r->adapter.caps & VSPLIT_CAP_PAGING_ENGINE ? 0 : engine);
}

static int by_time(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	if (x->t0 != y->t0)
		return x->t0 < y->t0 ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

/* Find the first row of the thread that is free when @slice begins. */
static struct slice *row_for(struct trace *t, struct slice *rows, uint32_t *num,
			     const struct slice *slice)
{
	bool paging = slice->tid >= TID_PAGING;
	uint32_t tid = slice->tid, i;
	char text[40];

	for (i = 0; i < *num; i++) {
		if (rows[i].pid != slice->pid || rows[i].tid != tid)
			continue;
		if (rows[i].end <= slice->t0)
			return &rows[i];
		tid += TID_BELOW;
	}
	if (tid != slice->tid) {
		if (paging && t->r->adapter.caps & VSPLIT_CAP_PAGING_ENGINE)
			strcpy(text, "paging engine, meanwhile");
		else
			snprintf(text, sizeof(text), paging ? "engine %u, paging, meanwhile" :
				 "engine %u, meanwhile", slice->tid - (paging ? TID_PAGING : TID_ENGINE));
		trace_name(&t->o, "thread_name", slice->pid, tid, text);
	}
	rows[i] = (struct slice){ .pid = slice->pid, .tid = tid };
	(*num)++;
	return &rows[i];
}

static void put_threads(struct trace *t)
{
	struct slice *slices = need_memory(calloc(t->events->count + 1, sizeof(*slices)));
	struct slice *rows = need_memory(calloc(t->events->count + 1, sizeof(*rows))), *row;
	uint32_t i, num = 0, num_rows = 0;

	for (i = 0; i < t->events->count; i++) {
		const struct event *e = &t->events->list[i];

		if (e->kind == SHOW_STEP && e->step->t0_ns)
			slices[num++] = (struct slice){ e->step->t0_ns, end_of(e->step),
				pid_of_adapter(t, e->submission), thread_of(t, e), i };
	}
	qsort(slices, num, sizeof(*slices), by_time);
	for (i = 0; i < num; i++) {
		row = row_for(t, rows, &num_rows, &slices[i]);
		row->end = slices[i].end;
		t->threads[slices[i].event] = row->tid;
	}
	free(rows);
	free(slices);
}

static void put_portion(struct trace *t, const struct event *e, uint32_t tid)
{
	const struct drm_vsplit_event *step = e->step;
	uint32_t pid = pid_of_adapter(t, e->submission);
	char name[LABEL_TEXT];

	trace_begin(&t->o, "X", pid, tid, step->t0_ns,
		    name_of(t, e->submission, (int)step->portion, name));
	trace_duration(&t->o, step->t0_ns, end_of(step), "portion");
	fprintf(t->o.out, "\"begin\":%u,\"end\":%u,\"context\":", step->begin, step->end);
	put_json_string(t->o.out, context_of(t, e->submission)->name);
	fputs("}}", t->o.out);
	if (e->submission->t0_ns)
		put_flow(t, "t", pid, tid, step->t0_ns, e->submission);
}

static void put_paging(struct trace *t, const struct event *e, uint32_t tid)
{
	const struct drm_vsplit_event *step = e->step;
	const struct place *place;
	char name[LABEL_TEXT + 16], text[LABEL_TEXT];
	const char *label = alloc_label(t->r, context_of(t, e->submission)->device, step->handle,
					step->id, text);

	snprintf(name, sizeof(name), "%s %s", vsplit_event_name(step->type), label);
	trace_begin(&t->o, "X", pid_of_adapter(t, e->submission), tid, step->t0_ns, name);
	trace_duration(&t->o, step->t0_ns, end_of(step), "paging");
	fputs("\"segment\":", t->o.out);
	put_json_string(t->o.out, segment_name(t->r, step->segment));
	fprintf(t->o.out, ",\"at\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"copied\":%" PRIu64
		",\"foreign\":%s,\"before\":", (uint64_t)step->at, (uint64_t)step->bytes,
		(uint64_t)step->copied, step->flags & VSPLIT_EVENT_FOREIGN ? "true" : "false");
	put_json_string(t->o.out, name_of(t, e->submission, (int)step->portion, text));
	if (step_in_runs(t->r, e)) {
		place = step_place(t->r, e);
		fprintf(t->o.out, ",\"runs\":%u", place ? place->num_runs : 0);
	}
	fputs("}}", t->o.out);
}

/* Write what each segment of the scenario's adapter holds at each step. */
static void put_counters(struct trace *t)
{
	const struct result *r = t->r;
	struct layout layout;
	uint32_t i, j, k;

	layout_start(&layout, r);
	for (i = 0; i < t->events->count; i++) {
		const struct event *e = &t->events->list[i];

		if (!event_is_shown(r, e) || !e->step->t0_ns)
			continue;
		layout_step(&layout, e);
		if (event_is_portion(e))
			layout_rows(&layout, e);
		for (j = 0; j < r->num_segments; j++) {
			uint64_t bytes = 0;

			for (k = 0; k < layout.count; k++) {
				if (layout.list[k].there &&
				    layout.list[k].segment == r->segments[j].id)
					bytes += layout.list[k].bytes;
			}
			trace_begin(&t->o, "C", PID_ADAPTER, 0, end_of(e->step),
				    (const char *)r->segments[j].name);
			fprintf(t->o.out, ",\"args\":{\"bytes\":%" PRIu64 "}}", bytes);
		}
		layout_settle(&layout);
	}
	layout_free(&layout);
}

/* ---- contexts ---------------------------------------------------------- */

/* When the last step of a submission ended; 0: no step began. */
static uint64_t fence_of(const struct submission *sub, uint64_t *first)
{
	uint64_t end = 0;
	uint32_t i;

	*first = 0;
	for (i = 0; sub->record && i < sub->record->head.num_events; i++) {
		const struct drm_vsplit_event *step = &sub->record->events[i];

		if (step->t0_ns && (!*first || step->t0_ns < *first))
			*first = step->t0_ns;
		if (step->t0_ns && end_of(step) > end)
			end = end_of(step);
	}
	return end;
}

static void put_life(struct trace *t, const struct submission *sub)
{
	uint32_t pid = PID_CONTEXT + t->r->s->dmas[sub->dma].context;
	uint32_t number = (uint32_t)(sub - t->r->submissions) + 1;
	char name[LABEL_TEXT], text[LABEL_TEXT + 16];
	uint64_t first, end = fence_of(sub, &first), from = sub->t0_ns ? sub->t0_ns : first;

	name_of(t, sub, -1, name);
	if (sub->t0_ns) {
		snprintf(text, sizeof(text), "submit %s", name);
		trace_begin(&t->o, "X", pid, TID_SUBMIT, sub->t0_ns, text);
		trace_duration(&t->o, sub->t0_ns, sub->t1_ns, "submit");
		fprintf(t->o.out, "\"portions\":%u,\"error\":\"%s\"}}", sub->portions,
			sub->error ? errno_name(sub->error) : "none");
	}
	if (!end)
		return;
	trace_begin(&t->o, "b", pid, TID_SUBMIT, from, name);
	fprintf(t->o.out, ",\"cat\":\"queue\",\"id\":%u}", number);
	trace_begin(&t->o, "e", pid, TID_SUBMIT, end, name);
	fprintf(t->o.out, ",\"cat\":\"queue\",\"id\":%u}", number);
	snprintf(text, sizeof(text), "fence %s", name);
	trace_begin(&t->o, "X", pid, TID_FENCE, end, text);
	trace_duration(&t->o, end, end + 1, "fence");
	fprintf(t->o.out, "\"error\":\"%s\"}}",
		sub->fence_error ? errno_name(sub->fence_error) : "none");
	if (!sub->t0_ns)
		return;
	put_flow(t, "s", pid, TID_SUBMIT, sub->t0_ns, sub);
	put_flow(t, "f", pid, TID_FENCE, end, sub);
}

static void put_failed(struct trace *t)
{
	const struct result *r = t->r;
	uint32_t i;

	for (i = 0; i < r->num_checks; i++) {
		const struct check_result *c = &r->checks[i];
		const char *subject = c->subject ? c->subject : "";
		uint64_t end = 0, first;
		uint32_t j;
		char text[300];

		if (c->held)
			continue;
		for (j = 0; j < r->num_submissions && j < c->submissions; j++) {
			uint64_t at = fence_of(&r->submissions[j], &first);

			if (c->submission != NO_INDEX && c->submission != j)
				continue;
			end = at > end ? at : end;
		}
		snprintf(text, sizeof(text), "line %d: expected %.*s%s%.*s, got %.*s", c->line,
			 whole_letters(subject, 60), subject, *subject ? " " : "",
			 whole_letters(c->expected, 100), c->expected, whole_letters(c->got, 100),
			 c->got);
		trace_begin(&t->o, "i", PID_ADAPTER, TID_ENGINE, end, text);
		fputs(",\"s\":\"g\",\"cat\":\"expect\"}", t->o.out);
	}
}

/* ---- all of it --------------------------------------------------------- */

static void put_names(struct trace *t)
{
	const struct scenario *s = t->r->s;
	bool own = t->r->adapter.caps & VSPLIT_CAP_PAGING_ENGINE;
	uint32_t engines = result_engines(t->r), i, j;
	char text[80];

	for (i = 0; i < s->num_devices; i++) {
		if (i != DEFAULT_DEVICE && !s->devices[i].own)
			continue;
		snprintf(text, sizeof(text), i ? "adapter of %.40s" : "adapter %.40s",
			 i ? s->devices[i].name : (const char *)t->r->adapter.name);
		trace_name(&t->o, "process_name", PID_ADAPTER + i, 0, text);
		for (j = 0; j < engines; j++) {
			snprintf(text, sizeof(text), "engine %u", j);
			trace_name(&t->o, "thread_name", PID_ADAPTER + i, TID_ENGINE + j, text);
			snprintf(text, sizeof(text), "engine %u, paging", j);
			if (!own)
				trace_name(&t->o, "thread_name", PID_ADAPTER + i, TID_PAGING + j, text);
		}
		if (own)
			trace_name(&t->o, "thread_name", PID_ADAPTER + i, TID_PAGING, "paging engine");
	}
	for (i = 0; i < s->num_contexts; i++) {
		snprintf(text, sizeof(text), "context %.40s", s->contexts[i].name);
		trace_name(&t->o, "process_name", PID_CONTEXT + i, 0, text);
		trace_name(&t->o, "thread_name", PID_CONTEXT + i, TID_SUBMIT, "submit");
		trace_name(&t->o, "thread_name", PID_CONTEXT + i, TID_FENCE, "fences");
	}
}

/* The first time of the trace. */
static uint64_t first_time(const struct trace *t)
{
	uint64_t first = UINT64_MAX;
	uint32_t i;

	for (i = 0; i < t->r->num_submissions; i++) {
		if (t->r->submissions[i].t0_ns && t->r->submissions[i].t0_ns < first)
			first = t->r->submissions[i].t0_ns;
	}
	for (i = 0; i < t->events->count; i++) {
		const struct event *e = &t->events->list[i];

		if (e->kind == SHOW_STEP && e->step->t0_ns && e->step->t0_ns < first)
			first = e->step->t0_ns;
	}
	first = trace_residency_begin(t->r, first);
	return first == UINT64_MAX ? 0 : first;
}

void show_perfetto(FILE *out, const struct result *r, const struct events *events)
{
	struct trace t = { .o.out = out, .r = r, .events = events };
	uint32_t i;

	t.o.t0 = first_time(&t);
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"scenario\":", out);
	put_json_string(out, r->s->path);
	fputs("},\"traceEvents\":[", out);
	put_names(&t);
	t.threads = need_memory(calloc(events->count + 1, sizeof(*t.threads)));
	put_threads(&t);
	for (i = 0; i < r->num_submissions; i++)
		put_life(&t, &r->submissions[i]);
	for (i = 0; i < events->count; i++) {
		const struct event *e = &events->list[i];

		if (e->kind != SHOW_STEP || !e->step->t0_ns)
			continue;
		if (event_is_portion(e))
			put_portion(&t, e, t.threads[i]);
		else
			put_paging(&t, e, t.threads[i]);
	}
	free(t.threads);
	put_counters(&t);
	trace_residency(&t.o, r);
	put_failed(&t);
	fputs("\n]}\n", out);
}
