// SPDX-License-Identifier: MIT
/* Prints a run for reading: one line an event or call, the maps, the totals. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define MAX_NAME	14	/* longer names exceed their column */
#define HEAD_WIDTH	26	/* width of a line before the event's text, without the buffer */
#define TIME_WIDTH	12	/* width of the duration at the end of a line */
#define NAMES_REST	24	/* room for what follows the names of a call */

enum colour {
	PLAIN,
	BOLD,
	DIM,
	RED,
	GREEN,
	YELLOW,
	BLUE,
};

struct text {
	FILE *out;
	const struct result *r;
	const struct text_style *style;
	int dma_width;
	int name_width;
	uint64_t t0;
};

static const char *escape(const struct text *t, enum colour colour)
{
	static const char *const codes[] = {
		[PLAIN] = "\033[0m", [BOLD] = "\033[1m", [DIM] = "\033[2m",
		[RED] = "\033[31m", [GREEN] = "\033[32m", [YELLOW] = "\033[33m",
		[BLUE] = "\033[34m",
	};

	return t->style->colour ? codes[colour] : "";
}

/* The label is "B.0", or "B#2.0" if B was submitted more than once. */
static const char *portion_label(const struct result *r, const struct submission *sub,
				 int portion, char text[LABEL_TEXT])
{
	const char *name = r->s->dmas[sub->dma].name;
	char nth[16] = "", index[16] = "";

	if (sub->nth > 1)
		snprintf(nth, sizeof(nth), "#%u", sub->nth);
	if (portion >= 0)
		snprintf(index, sizeof(index), ".%d", portion);
	snprintf(text, LABEL_TEXT, "%.16s%s%s", name, nth, index);
	return text;
}

static uint32_t device_of(const struct result *r, const struct submission *sub)
{
	return r->s->contexts[r->s->dmas[sub->dma].context].device;
}

static bool is_call(const struct log_entry *entry)
{
	return entry->kind == LOG_REQUEST || entry->kind == LOG_OFFER || entry->kind == LOG_TRIM;
}

/* When a call was made or a trim arrived; 0: not known. The log has them in this order. */
static uint64_t call_ns(const struct result *r, const struct log_entry *entry)
{
	return entry->kind == LOG_TRIM ? r->trims[entry->index].t0_ns :
					 r->requests[entry->index].t0_ns;
}

static const char *call_device(const struct result *r, const struct log_entry *entry)
{
	uint32_t device = entry->kind == LOG_TRIM ? r->trims[entry->index].device :
						    r->s->requests[entry->index].device;

	return r->s->devices[device].name ? r->s->devices[device].name : "";
}

/* When a submission was refused; 0: it was not, or this is not known. */
static uint64_t refused_ns(const struct submission *sub)
{
	return sub->error ? sub->t0_ns : 0;
}

static void measure(struct text *t, const struct events *events)
{
	char text[LABEL_TEXT];
	uint32_t i;

	t->dma_width = 3;
	t->name_width = 1;
	for (i = 0; i < t->r->num_log; i++) {
		const struct log_entry *entry = &t->r->log[i];
		uint64_t ns = is_call(entry) ? call_ns(t->r, entry) : 0;
		int len = is_call(entry) ? (int)strlen(call_device(t->r, entry)) : 0;

		if (ns && (!t->t0 || ns < t->t0))
			t->t0 = ns;
		if (len > t->dma_width)
			t->dma_width = len > MAX_NAME ? MAX_NAME : len;
	}
	for (i = 0; i < t->r->num_flips && !t->t0; i++)
		t->t0 = t->r->flips[i].t1_ns;
	for (i = 0; i < events->count; i++) {
		const struct event *e = &events->list[i];
		int portion = e->kind == SHOW_STEP ? (int)e->step->portion :
			      e->kind == SHOW_FAULT ? (int)e->portion : -1;
		int len = (int)strlen(portion_label(t->r, e->submission, portion, text));
		uint64_t ns = e->kind == SHOW_STEP ? e->step->t0_ns : refused_ns(e->submission);

		if (len > t->dma_width)
			t->dma_width = len;
		if (ns && (!t->t0 || ns < t->t0))
			t->t0 = ns;
		if (e->kind != SHOW_STEP || e->step->type == VSPLIT_EVENT_PORTION)
			continue;
		len = (int)strlen(alloc_label(t->r, device_of(t->r, e->submission),
					      e->step->handle, e->step->id, text));
		if (len > t->name_width)
			t->name_width = len > MAX_NAME ? MAX_NAME : len;
	}
}

static void put_head(const struct text *t, const struct event *e, int portion, uint64_t t0_ns,
		     const char *verb, enum colour colour)
{
	char label[LABEL_TEXT];

	if (t0_ns)
		fprintf(t->out, "%s%10.3f ms%s  ", escape(t, DIM),
			(double)(t0_ns - t->t0) * 1e-6, escape(t, PLAIN));
	else
		fprintf(t->out, "%15s", "");
	fprintf(t->out, "%-*s  %s%-7s%s  ", t->dma_width,
		portion_label(t->r, e->submission, portion, label), escape(t, colour), verb,
		escape(t, PLAIN));
}

static void put_portion(const struct text *t, const struct event *e)
{
	const struct vsplit_record *record = e->submission->record;
	const struct drm_vsplit_event *step = e->step;
	uint32_t device = device_of(t->r, e->submission), i;
	unsigned int used = HEAD_WIDTH + (unsigned int)t->dma_width + TIME_WIDTH;
	char label[LABEL_TEXT];

	put_head(t, e, (int)step->portion, step->t0_ns, "run",
		 step->flags & VSPLIT_EVENT_SKIPPED ? RED : BOLD);
	used += (unsigned int)fprintf(t->out, "[0x%x, 0x%x)", step->begin, step->end);
	if (step->flags & VSPLIT_EVENT_SKIPPED)
		fprintf(t->out, "%s  did not all run%s", escape(t, RED), escape(t, PLAIN));
	for (i = 0; i < step->row_count && step->row_first + i < record->head.num_rows; i++) {
		const struct drm_vsplit_row *row = &record->rows[step->row_first + i];
		const char *name = alloc_label(t->r, device, row->handle, 0, label);

		int wide = snprintf(NULL, 0, "  %u=%s", row->slot, name);

		if (used + (unsigned int)wide > t->style->width) {
			fputs("  ...", t->out);
			break;
		}
		fprintf(t->out, "  %u%s%s", row->slot, t->style->utf8 ? "\u2190" : "=", name);
		used += (unsigned int)wide;
	}
	if (step->t1_ns > step->t0_ns)
		fprintf(t->out, "  %s%.3f ms%s", escape(t, DIM),
			(double)(step->t1_ns - step->t0_ns) * 1e-6, escape(t, PLAIN));
	putc('\n', t->out);
}

static void put_place(const struct text *t, uint32_t segment, uint64_t at)
{
	char size[SIZE_TEXT];

	fprintf(t->out, "%s @ %s", segment_name(t->r, segment), format_size(size, at));
}

/* Print the other runs after the place of a step, which is that of the first run. */
static void put_more_runs(const struct text *t, const struct event *e)
{
	const struct place *place;

	if (!step_in_runs(t->r, e))
		return;
	place = step_place(t->r, e);
	if (!place)
		fputs(", its first run", t->out);
	else if (place->num_runs > 1)
		fprintf(t->out, " and in %u more run%s", place->num_runs - 1,
			place->num_runs > 2 ? "s" : "");
}

static const char *how(const struct drm_vsplit_event *step)
{
	switch (step->type) {
	case VSPLIT_EVENT_PAGE_IN:
		return step->flags & VSPLIT_EVENT_FILLED ? "cleared" :
		       step->copied ? "" : "nothing copied";
	case VSPLIT_EVENT_EVICT:
		return step->copied ? "" : "unchanged, nothing copied";
	}
	return "";
}

static void put_paging(const struct text *t, const struct event *e)
{
	static const struct {
		const char *verb;
		enum colour colour;
	} looks[] = {
		[VSPLIT_EVENT_PORTION] = { "run", BOLD },
		[VSPLIT_EVENT_PAGE_IN] = { "page-in", GREEN },
		[VSPLIT_EVENT_EVICT] = { "evict", RED },
		[VSPLIT_EVENT_MOVE] = { "move", YELLOW },
		[VSPLIT_EVENT_MAP] = { "map", GREEN },
		[VSPLIT_EVENT_UNMAP] = { "unmap", RED },
	};
	const struct drm_vsplit_event *step = e->step;
	char label[LABEL_TEXT], size[SIZE_TEXT];
	const char *note = how(step);
	uint32_t type = step->type < ARRAY_SIZE(looks) ? step->type : 0;

	put_head(t, e, (int)step->portion, step->t0_ns, looks[type].verb, looks[type].colour);
	fprintf(t->out, "%-*s %6s  ", t->name_width,
		alloc_label(t->r, device_of(t->r, e->submission), step->handle, step->id, label),
		format_size(size, step->bytes));
	if (type == VSPLIT_EVENT_MOVE) {
		put_place(t, step->from_segment, step->from);
		fputs(t->style->utf8 ? " \u2192 " : " -> ", t->out);
	}
	put_place(t, step->segment, step->at);
	put_more_runs(t, e);
	if (step->flags & VSPLIT_EVENT_FOREIGN)
		fprintf(t->out, "  %snot of this buffer%s", escape(t, DIM), escape(t, PLAIN));
	if (*note)
		fprintf(t->out, "  %s%s%s", escape(t, DIM), note, escape(t, PLAIN));
	putc('\n', t->out);
}

static void put_event(const struct text *t, const struct event *e)
{
	char text[REASON_TEXT];

	switch (e->kind) {
	case SHOW_FAULT:
		put_head(t, e, (int)e->portion, 0, "fault", RED);
		fprintf(t->out, "%s%s%s\n", escape(t, RED), fault_reason(t->r, e, text),
			escape(t, PLAIN));
		break;
	case SHOW_ERROR:
		put_head(t, e, -1, refused_ns(e->submission),
			 e->submission->error ? "refused" : "error", RED);
		fprintf(t->out, "%s%s%s  %s\n", escape(t, RED), errno_name(e->error),
			escape(t, PLAIN), strerror(-e->error));
		break;
	case SHOW_STEP:
		if (e->step->type == VSPLIT_EVENT_PORTION)
			put_portion(t, e);
		else
			put_paging(t, e);
		break;
	}
}

static void put_flip(const struct text *t, const struct flip *f)
{
	const char *alloc = t->r->s->allocs[f->alloc].name;

	if (f->t1_ns && t->t0)
		fprintf(t->out, "%s%10.3f ms%s  ", escape(t, DIM),
			(double)(int64_t)(f->t1_ns - t->t0) * 1e-6, escape(t, PLAIN));
	else
		fprintf(t->out, "%15s", "");
	fprintf(t->out, "%-*s  %sflip   %s  ", t->dma_width, t->r->s->heads[f->head].name,
		escape(t, f->error ? RED : BLUE), escape(t, PLAIN));
	if (f->error)
		fprintf(t->out, "%s: %s%s%s\n", alloc, escape(t, RED), errno_name(f->error),
			escape(t, PLAIN));
	else
		fprintf(t->out, "shows %s%s%s%s\n", alloc, f->segment ? " in " : "",
			f->segment ? segment_name(t->r, f->segment) : "", f->async ? ", at once" : "");
}

/* ---- calls about residency, and trims ---- */

/* Print names until the line is full, and then how many follow. */
static void put_names(const struct text *t, const uint32_t *allocs, uint32_t count)
{
	unsigned int used = HEAD_WIDTH + (unsigned int)t->dma_width;
	uint32_t i;

	for (i = 0; i < count; i++) {
		const char *name = t->r->s->allocs[allocs[i]].name;

		used += (unsigned int)strlen(name) + 2;
		if (i && used + NAMES_REST > t->style->width)
			break;
		fprintf(t->out, "%s%s", i ? ", " : " ", name);
	}
	if (i < count)
		fprintf(t->out, " and %u more", count - i);
}

static void put_lost(const struct text *t, const struct request_def *def,
		     const struct request_result *res)
{
	uint32_t *lost = need_memory(calloc(def->num_allocs + 1, sizeof(*lost))), count = 0, i;

	for (i = 0; res->discarded && i < def->num_allocs; i++) {
		if (res->discarded[i])
			lost[count++] = def->allocs[i];
	}
	fprintf(t->out, "  %slost", escape(t, count ? RED : DIM));
	if (count)
		put_names(t, lost, count);
	else
		fputs(" nothing", t->out);
	fputs(escape(t, PLAIN), t->out);
	free(lost);
}

static void put_request(const struct text *t, uint32_t index)
{
	static const char *const calls[] = {
		[REQUEST_MAKE] = "MakeResident", [REQUEST_EVICT] = "Evict",
		[REQUEST_OFFER] = "Offer", [REQUEST_RECLAIM] = "Reclaim",
	};
	const struct request_def *def = &t->r->s->requests[index];
	const struct request_result *res = &t->r->requests[index];
	char size[SIZE_TEXT];

	fputs(calls[def->kind], t->out);
	if (def->name)
		fprintf(t->out, " %s:", def->name);
	put_names(t, def->allocs, def->num_allocs);
	if (def->kind == REQUEST_OFFER)
		fprintf(t->out, "  %s", offer_names[def->flags]);
	if (res->error)
		fprintf(t->out, "  %srefused: %s%s", escape(t, RED), errno_name(res->error),
			escape(t, PLAIN));
	else if (def->kind == REQUEST_MAKE && !res->point)
		fprintf(t->out, "  %sresident at once%s", escape(t, DIM), escape(t, PLAIN));
	else if (def->kind == REQUEST_MAKE && res->ready_ns > res->t0_ns)
		fprintf(t->out, "  %sresident after %.3f ms%s", escape(t, DIM),
			(double)(res->ready_ns - res->t0_ns) * 1e-6, escape(t, PLAIN));
	else if (def->kind == REQUEST_MAKE)
		fprintf(t->out, "  %spending%s", escape(t, DIM), escape(t, PLAIN));
	else if (def->kind == REQUEST_RECLAIM)
		put_lost(t, def, res);
	if (res->trim)
		fprintf(t->out, "%s %s to give back", res->error ? "," : " ",
			format_size(size, res->trim));
}

static void put_trim(const struct text *t, const struct trim_result *trim)
{
	char size[SIZE_TEXT];

	fprintf(t->out, "%s %s, %s  gave back", format_size(size, trim->event.bytes),
		trim->event.group == VSPLIT_GROUP_LOCAL ? "local" : "nonlocal",
		trim_reasons[trim->event.reason < NUM_TRIM_REASONS ? trim->event.reason : 0]);
	if (trim->num_evicted)
		put_names(t, trim->evicted, trim->num_evicted);
	else
		fputs(" nothing", t->out);
}

static void put_call(const struct text *t, const struct log_entry *entry)
{
	uint64_t ns = call_ns(t->r, entry);

	if (ns)
		fprintf(t->out, "%s%10.3f ms%s  ", escape(t, DIM), (double)(ns - t->t0) * 1e-6,
			escape(t, PLAIN));
	else
		fprintf(t->out, "%15s", "");
	fprintf(t->out, "%-*s  %s%-7s%s  ", t->dma_width, call_device(t->r, entry),
		escape(t, BLUE), entry->kind == LOG_TRIM ? "trim" : "call", escape(t, PLAIN));
	if (entry->kind == LOG_TRIM)
		put_trim(t, &t->r->trims[entry->index]);
	else
		put_request(t, entry->index);
	putc('\n', t->out);
}

/*
 * Print the flips that took effect, and the calls that were made, up to @key. @flip, @entry: the
 * first flip and entry of the log that were not printed yet.
 */
static void put_others(const struct text *t, uint64_t key, uint32_t *flip, uint32_t *entry)
{
	const struct result *r = t->r;

	for (;;) {
		uint64_t flip_ns = UINT64_MAX, ns = UINT64_MAX;

		while (*entry < r->num_log && !is_call(&r->log[*entry]))
			++*entry;
		if (*flip < r->num_flips)
			flip_ns = r->flips[*flip].t1_ns;
		if (*entry < r->num_log)
			ns = call_ns(r, &r->log[*entry]);
		if (*flip < r->num_flips && flip_ns <= key && flip_ns <= ns)
			put_flip(t, &r->flips[(*flip)++]);
		else if (*entry < r->num_log && ns <= key)
			put_call(t, &r->log[(*entry)++]);
		else
			break;
	}
}

static bool has_calls(const struct result *r)
{
	uint32_t i;

	for (i = 0; i < r->num_log; i++) {
		if (is_call(&r->log[i]))
			return true;
	}
	return false;
}

/* Print a text in lines of the terminal's width. */
static void put_wrapped(const struct text *t, const char *text)
{
	size_t width = t->style->width, len, cut;

	while ((len = strlen(text)) > width) {
		for (cut = width; cut && text[cut] != ' '; cut--)
			;
		if (!cut)
			break;
		fprintf(t->out, "%s%.*s%s\n", escape(t, BOLD), (int)cut, text, escape(t, PLAIN));
		text += cut + 1;
	}
	fprintf(t->out, "%s%s%s\n", escape(t, BOLD), text, escape(t, PLAIN));
}

static void put_adapter(const struct text *t)
{
	const struct result *r = t->r;
	char size[SIZE_TEXT];
	uint32_t i;

	if (r->s->title)
		put_wrapped(t, r->s->title);
	fprintf(t->out, "%s%s: ", escape(t, DIM), (const char *)r->adapter.name);
	for (i = 0; i < r->num_segments; i++)
		fprintf(t->out, "%s %s %s, ", (const char *)r->segments[i].name,
			format_size(size, r->segments[i].size),
			r->segments[i].flags & VSPLIT_SEGMENT_APERTURE ? "aperture" : "memory");
	fprintf(t->out, "%u slots%s\n", r->adapter.num_slots, escape(t, PLAIN));
}

static void put_verdict(const struct text *t)
{
	uint32_t held = t->r->held, failed = t->r->failed, all = t->r->expectations;

	if (!all)
		return;
	if (held == all)
		fprintf(t->out, "%s%s expectation%s held%s\n", escape(t, GREEN),
			all == 1 ? "the" : "all", all == 1 ? "" : "s", escape(t, PLAIN));
	else
		fprintf(t->out, "%s%u of %u expectations held, %u failed%s%s\n", escape(t, RED),
			held, all, failed, held + failed < all ? ", the rest was not reached" : "",
			escape(t, PLAIN));
}

/* A run that was printed as JSON does not have the number of a submission that was parked. */
static uint32_t num_portions(const struct submission *sub)
{
	uint32_t portions = 0, i;

	for (i = 0; sub->record && i < sub->record->head.num_events; i++)
		portions += sub->record->events[i].type == VSPLIT_EVENT_PORTION;
	return sub->portions ? sub->portions : portions;
}

static void put_totals(const struct text *t)
{
	struct totals totals = result_totals(t->r);
	uint32_t refused = 0, portions = 0, i;
	char one[SIZE_TEXT], two[SIZE_TEXT];

	for (i = 0; i < t->r->num_submissions; i++) {
		refused += t->r->submissions[i].error != 0;
		portions += num_portions(&t->r->submissions[i]);
	}
	fprintf(t->out, "%u submission%s, ", t->r->num_submissions,
		t->r->num_submissions == 1 ? "" : "s");
	if (refused)
		fprintf(t->out, "%u refused, ", refused);
	fprintf(t->out, "%u portion%s\n", portions, portions == 1 ? "" : "s");
	fprintf(t->out, "paged in %s (%s copied), ", format_size(one, totals.paged_in),
		format_size(two, totals.paged_in_copied));
	fprintf(t->out, "evicted %s (%s copied), ", format_size(one, totals.evicted),
		format_size(two, totals.evicted_copied));
	fprintf(t->out, "moved %s\n", format_size(one, totals.moved));
	if (t->r->best.portions) {
		fprintf(t->out, "no plan does with less than %u portion%s (%.2f times that) and %s paged in",
			t->r->best.portions, t->r->best.portions == 1 ? "" : "s",
			(double)portions / t->r->best.portions,
			format_size(one, t->r->best.paged_in));
		if (t->r->best.paged_in)
			fprintf(t->out, " (%.2f)",
				(double)totals.paged_in / (double)t->r->best.paged_in);
		putc('\n', t->out);
	}
	put_verdict(t);
}

void show_text(FILE *out, const struct result *r, const struct events *events,
	       const struct text_style *style)
{
	struct text t = { .out = out, .r = r, .style = style };
	uint32_t i, flip = 0, entry = 0;

	measure(&t, events);
	put_adapter(&t);
	if (events->count || r->num_flips || has_calls(r))
		putc('\n', out);
	for (i = 0; i < events->count; i++) {
		put_others(&t, events->list[i].key, &flip, &entry);
		put_event(&t, &events->list[i]);
	}
	put_others(&t, UINT64_MAX, &flip, &entry);
	show_maps(out, r, events, style);
	putc('\n', out);
	put_totals(&t);
}
