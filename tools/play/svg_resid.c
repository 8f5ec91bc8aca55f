// SPDX-License-Identifier: MIT
/*
 * Draws what each device requires to be resident. There is a column for each call, each trim that
 * arrived and each submission, in the order in which they became known.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "picture.h"

#define NARROW	34.0
#define WIDE	120.0
#define LINE	19.0
#define MAX_TEXT 240

/*
 * @steps, @count: entries of the log that have columns.
 * @columns: for each submission, the column of the maps for its first portion + 1; 0: there is none.
 * @rows: for each allocation, whether a call about lists names it.
 */
struct grid {
	struct picture *p;
	const struct log_entry **steps;
	uint32_t count;
	uint32_t *columns;
	bool *rows;
	double width;
};

static uint32_t device_of_submission(const struct result *r, uint32_t index)
{
	return r->s->contexts[r->s->dmas[r->submissions[index].dma].context].device;
}

static uint32_t device_of_step(const struct result *r, const struct log_entry *step)
{
	if (step->kind == LOG_REQUEST)
		return r->s->requests[step->index].device;
	return step->kind == LOG_TRIM ? r->trims[step->index].device :
					device_of_submission(r, step->index);
}

static void gather_steps(struct grid *g)
{
	const struct result *r = g->p->r;
	bool *shown = need_memory(calloc(r->s->num_devices, sizeof(*shown)));
	uint32_t i;

	/* Only devices that made a call about their list, or were asked for memory. */
	for (i = 0; i < r->num_log; i++) {
		if (r->log[i].kind == LOG_REQUEST || r->log[i].kind == LOG_TRIM)
			shown[device_of_step(r, &r->log[i])] = true;
	}
	g->steps = need_memory(calloc(r->num_log + 1, sizeof(*g->steps)));
	for (i = 0; i < r->num_log; i++) {
		enum log_kind kind = r->log[i].kind;

		if ((kind == LOG_REQUEST || kind == LOG_TRIM || kind == LOG_SUBMIT) &&
		    shown[device_of_step(r, &r->log[i])])
			g->steps[g->count++] = &r->log[i];
	}
	free(shown);
}

static void gather(struct grid *g)
{
	const struct result *r = g->p->r;
	uint32_t i, j;

	gather_steps(g);
	g->columns = need_memory(calloc(r->num_submissions + 1, sizeof(*g->columns)));
	for (i = g->p->num_columns; i-- > 0;)
		g->columns[g->p->columns[i].event->submission - r->submissions] = i + 1;
	g->rows = need_memory(calloc(r->s->num_allocs + 1, sizeof(*g->rows)));
	for (i = 0; i < r->s->num_requests; i++) {
		const struct request_def *def = &r->s->requests[i];

		for (j = 0; j < def->num_allocs && def->kind <= REQUEST_EVICT; j++)
			g->rows[def->allocs[j]] = true;
	}
}

/* How often an allocation is on the list after a step, if it was there @count times before. */
static int count_after(const struct result *r, const struct log_entry *step, uint32_t alloc,
		       int count)
{
	uint32_t i;

	if (step->kind == LOG_REQUEST && !r->requests[step->index].error) {
		const struct request_def *def = &r->s->requests[step->index];

		for (i = 0; i < def->num_allocs; i++) {
			if (def->allocs[i] == alloc)
				count += def->kind == REQUEST_EVICT ? -1 : 1;
		}
	} else if (step->kind == LOG_TRIM) {
		for (i = 0; i < r->trims[step->index].num_evicted; i++) {
			if (r->trims[step->index].evicted[i] == alloc)
				count = 0;
		}
	}
	return count > 0 ? count : 0;
}

/* The label of a column and its tooltip. */
static const char *step_label(const struct result *r, const struct log_entry *step,
			      char text[MAX_TEXT])
{
	char size[SIZE_TEXT];

	if (step->kind == LOG_TRIM) {
		snprintf(text, MAX_TEXT, "trim %s",
			 format_size(size, r->trims[step->index].event.bytes));
	} else if (step->kind == LOG_REQUEST) {
		const struct request_def *def = &r->s->requests[step->index];

		snprintf(text, MAX_TEXT, "%s %.40s", def->kind == REQUEST_EVICT ? "−" : "+",
			 def->name ? def->name : r->s->allocs[def->allocs[0]].name);
	} else {
		const struct submission *sub = &r->submissions[step->index];

		snprintf(text, MAX_TEXT, sub->nth > 1 ? "%.20s#%u" : "%.20s",
			 r->s->dmas[sub->dma].name, sub->nth);
	}
	return text;
}

static void tell_request(const struct picture *p, uint32_t index)
{
	const struct request_def *def = &p->r->s->requests[index];
	const struct request_result *res = &p->r->requests[index];
	char size[SIZE_TEXT];
	uint32_t i;

	fprintf(p->out, "line %d: %s", def->line, def->kind == REQUEST_EVICT ? "Evict" : "MakeResident");
	for (i = 0; i < def->num_allocs; i++) {
		fputs(i ? ", " : " ", p->out);
		put_xml(p->out, p->r->s->allocs[def->allocs[i]].name);
	}
	if (res->error)
		fprintf(p->out, "; refused: %s", errno_name(res->error));
	else if (def->kind == REQUEST_MAKE)
		fputs(res->point ? "; pending" : "; resident at once", p->out);
	if (res->trim)
		fprintf(p->out, "; %s to give back", format_size(size, res->trim));
}

static void tell_trim(const struct picture *p, uint32_t index)
{
	const struct trim_result *trim = &p->r->trims[index];
	char size[SIZE_TEXT];
	uint32_t i;

	fprintf(p->out, "Trim of %s, %s (%s)", format_size(size, trim->event.bytes),
		trim->event.group == VSPLIT_GROUP_LOCAL ? "local" : "nonlocal",
		trim_reasons[trim->event.reason < NUM_TRIM_REASONS ? trim->event.reason : 0]);
	for (i = 0; i < trim->num_evicted; i++) {
		fputs(i ? ", " : "; given back: ", p->out);
		put_xml(p->out, p->r->s->allocs[trim->evicted[i]].name);
	}
}

static void put_step(const struct grid *g, uint32_t i)
{
	const struct picture *p = g->p;
	const struct log_entry *step = g->steps[i];
	const struct result *r = p->r;
	double x = LEFT + g->width * i;
	uint32_t device = device_of_step(r, step);
	char text[MAX_TEXT], colour[32] = "#dfe9d8";
	uint32_t column = step->kind == LOG_SUBMIT ? g->columns[step->index] : 0;
	bool failed = step->kind == LOG_REQUEST ? r->requests[step->index].error :
		      step->kind == LOG_SUBMIT && r->submissions[step->index].error;

	if (step->kind == LOG_TRIM)
		strcpy(colour, "#ffe3a3");
	else if (step->kind == LOG_SUBMIT)
		colour_of_context(r->s->dmas[r->submissions[step->index].dma].context, colour);
	if (!column)
		fputs("<g class=\"r\">", p->out);
	else
		fprintf(p->out, "<g class=\"r\" data-c=\"%u\">", column - 1);
	fprintf(p->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s%s%s><title>",
		failed ? "bad-box" : "box", x + .5, p->y, g->width - 1, LINE - 1,
		failed ? "" : "fill=\"", failed ? "" : colour, failed ? "" : "\"");
	if (r->s->num_devices > 1 && r->s->devices[device].name)
		fprintf(p->out, "%s: ", r->s->devices[device].name);
	if (step->kind == LOG_REQUEST) {
		tell_request(p, step->index);
	} else if (step->kind == LOG_TRIM) {
		tell_trim(p, step->index);
	} else {
		put_xml(p->out, step_label(r, step, text));
		fprintf(p->out, " is submitted%s%s", failed ? "; refused: " : "",
			failed ? errno_name(r->submissions[step->index].error) : "");
	}
	fputs("</title></rect>\n", p->out);
	put_fitting(p, x, p->y + 13, g->width, "mid", step_label(r, step, text));
	fputs("</g>\n", p->out);
}

static void put_cell(const struct grid *g, uint32_t i, uint32_t alloc, int before, int count)
{
	const struct picture *p = g->p;
	const char *name = p->r->s->allocs[alloc].name;
	double x = LEFT + g->width * i;
	char colour[32], text[MAX_TEXT];

	if (!before && !count)
		return;
	check_size(p);
	colour_of_alloc(p->r, name, colour);
	fprintf(p->out, "<g class=\"a\" data-a=\"%s\">", name);
	if (count)
		fprintf(p->out, "<rect class=\"box\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"%s>",
			x, p->y, g->width, LINE - 1, colour, before ? " fill-opacity=\".45\"" : "");
	else
		fprintf(p->out, "<rect class=\"went\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
			x + 1, p->y + 1, g->width - 2, LINE - 3);
	if (count > 1)
		snprintf(text, sizeof(text), "%s: required %d times", name, count);
	else
		snprintf(text, sizeof(text), "%s: %s", name,
			 count ? "required" : "no longer required");
	fprintf(p->out, "<title>%s</title></rect>\n", text);
	if (count && !before)
		fprintf(p->out, "<rect class=\"came\" x=\"%.1f\" y=\"%.1f\" width=\"4\" height=\"%.1f\"/>\n",
			x, p->y, LINE - 1);
	snprintf(text, sizeof(text), count > 1 ? "%s ×%d" : "%s", name, count);
	if (count)
		put_fitting(p, x, p->y + 13, g->width, before ? "mid stay" : "head mid", text);
	fputs("</g>\n", p->out);
}

static void draw_row(const struct grid *g, uint32_t device, uint32_t alloc)
{
	const struct picture *p = g->p;
	const struct scenario *s = p->r->s;
	char text[128];
	int before, count = 0;
	uint32_t i;

	snprintf(text, sizeof(text), "%.10s%s%.100s", s->devices[device].name ? s->devices[device].name : "",
		 s->devices[device].name ? ": " : "", s->allocs[alloc].name);
	put_margin(p, p->y + 13, "scale", text);
	for (i = 0; i < g->count; i++) {
		before = count;
		if (device_of_step(p->r, g->steps[i]) == device)
			count = count_after(p->r, g->steps[i], alloc, count);
		put_cell(g, i, alloc, before, count);
	}
	g->p->y += LINE;
}

void draw_residency(struct picture *p)
{
	struct grid g = { .p = p };
	uint32_t device, i;

	gather(&g);
	if (g.count) {
		g.width = (p->full - LEFT - RIGHT) / g.count;
		if (g.width > WIDE)
			g.width = WIDE;
		if (g.width < NARROW)
			g.width = NARROW;
		if (LEFT + g.width * g.count + RIGHT > p->full)
			p->full = LEFT + g.width * g.count + RIGHT;
		p->y += 10;
		put_margin(p, p->y + 13, "name", "required");
		for (i = 0; i < g.count; i++)
			put_step(&g, i);
		p->y += LINE + 2;
		for (device = 0; device < p->r->s->num_devices; device++) {
			for (i = 0; i < p->r->s->num_allocs; i++) {
				if (g.rows[i] && p->r->s->allocs[i].device == device)
					draw_row(&g, device, i);
			}
		}
		p->y += 4;
	}
	free(g.rows);
	free(g.columns);
	free(g.steps);
}
