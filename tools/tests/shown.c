// SPDX-License-Identifier: MIT
/* Runs made by hand: see the header. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "shown.h"

struct scenario *s;
struct result *r;
uint64_t now_ns;

static struct drm_vsplit_event events[MAX_STEPS];
static struct drm_vsplit_row rows[40];
static uint32_t num_events, num_rows;

/* Allocations get the ids 100 + index, and the handles 1 + index. */
void begin_run(const char *text, const char *const *segments, const uint64_t *sizes)
{
	struct parse_error error;
	uint32_t i;

	s = scenario_parse("t.vss", text, strlen(text), &error);
	if (!s) {
		printf("# %s\n", error.text);
		exit(2);
	}
	r = result_new(s);
	strcpy((char *)r->adapter.name, "play-1");
	r->adapter.num_slots = 8;
	for (i = 0; segments[i]; i++) {
		r->segments[i].id = i + 1;
		r->segments[i].size = sizes[i];
		r->segments[i].flags = strcmp(segments[i], "aper") ? 0 : VSPLIT_SEGMENT_APERTURE;
		strcpy((char *)r->segments[i].name, segments[i]);
	}
	r->num_segments = i;
	for (i = 0; i < s->num_allocs; i++) {
		result_made(r, i, 1 + i, 100 + i);
		result_log(r, LOG_ALLOC, i, 0);
	}
	num_events = 0;
	num_rows = 0;
	now_ns = 5000000000;
}

void end_run(void)
{
	result_free(r);
	scenario_free(s);
}

/* Add a submission with the steps that were added since the last call. */
struct submission *submission(uint32_t dma, uint64_t id, int error)
{
	struct submission *sub;
	struct vsplit_record *record;

	r->submissions = reallocarray(r->submissions, r->num_submissions + 1, sizeof(*sub));
	sub = &r->submissions[r->num_submissions++];
	*sub = (struct submission){ .dma = dma, .nth = 1, .error = error, .id = id };
	result_log(r, LOG_SUBMIT, r->num_submissions - 1, 0);
	if (error)
		return sub;
	record = calloc(1, sizeof(*record));
	record->events = calloc(num_events + 1, sizeof(*events));
	record->rows = calloc(num_rows + 1, sizeof(*rows));
	memcpy(record->events, events, num_events * sizeof(*events));
	memcpy(record->rows, rows, num_rows * sizeof(*rows));
	record->head.num_events = num_events;
	record->head.num_rows = num_rows;
	sub->record = record;
	sub->done = true;
	num_events = 0;
	num_rows = 0;
	return sub;
}

struct drm_vsplit_event *step(uint32_t type, uint32_t portion, const char *alloc,
				     uint32_t segment, uint64_t at, uint64_t bytes)
{
	struct drm_vsplit_event *e = &events[num_events++];
	uint32_t index = alloc ? find_alloc(s, alloc) : 0;

	*e = (struct drm_vsplit_event){
		.type = type, .portion = portion, .segment = segment, .at = at, .bytes = bytes,
		.t0_ns = now_ns, .t1_ns = now_ns + 1000,
	};
	if (alloc) {
		e->handle = 1 + index;
		e->id = 100 + index;
	}
	now_ns += 250000;
	return e;
}

void row(uint32_t slot, const char *alloc, uint64_t offset)
{
	struct drm_vsplit_event *e = &events[num_events - 1];

	if (!e->row_count)
		e->row_first = num_rows;
	e->row_count++;
	rows[num_rows++] = (struct drm_vsplit_row){
		.slot = slot, .handle = 1 + find_alloc(s, alloc), .segment = 1, .offset = offset,
	};
}

struct drm_vsplit_event *portion(uint32_t index, uint32_t first, uint32_t last,
					uint32_t patch_first, uint32_t patch_count)
{
	struct drm_vsplit_event *e = step(VSPLIT_EVENT_PORTION, index, NULL, 0, 0, 0);

	e->begin = first;
	e->end = last;
	e->patch_first = patch_first;
	e->patch_count = patch_count;
	return e;
}

/* Worked example 3b: evictions, a move, a page-in. */
void make_w3b(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 256 * MB };
	struct drm_vsplit_event *e;

	begin_run("# Bound again, X may move.\nsegment vram memory 256M\n"
	      "context C\nalloc P 96M\nalloc X 64M\nalloc Q 96M\nalloc R 128M\ndma B C\n spin 1\n"
	      "submit B\nexpect B ok\nexpect moved=64M\n", segments, sizes);
	step(VSPLIT_EVENT_PAGE_IN, 0, "P", 1, 0, 96 * MB)->flags = VSPLIT_EVENT_FILLED;
	step(VSPLIT_EVENT_PAGE_IN, 0, "X", 1, 96 * MB, 64 * MB)->copied = 64 * MB;
	step(VSPLIT_EVENT_PAGE_IN, 0, "Q", 1, 160 * MB, 96 * MB)->copied = 96 * MB;
	portion(0, 0, 0x400, 0, 3);
	row(0, "P", 0);
	row(1, "X", 96 * MB);
	row(2, "Q", 160 * MB);
	step(VSPLIT_EVENT_EVICT, 1, "P", 1, 0, 96 * MB)->copied = 96 * MB;
	step(VSPLIT_EVENT_EVICT, 1, "Q", 1, 160 * MB, 96 * MB);
	e = step(VSPLIT_EVENT_MOVE, 1, "X", 1, 0, 64 * MB);
	e->from_segment = 1;
	e->from = 96 * MB;
	e->copied = 64 * MB;
	step(VSPLIT_EVENT_PAGE_IN, 1, "R", 1, 64 * MB, 128 * MB)->flags = VSPLIT_EVENT_FILLED;
	portion(1, 0x400, 0x800, 3, 4);
	row(1, "X", 0);
	row(3, "R", 64 * MB);
	submission(0, 1, 0)->portions = 2;
	r->held = 2;
}

/* Print the complete run; its log is completed as well. */
char *print_json(const struct result *from)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (r->shown < r->num_submissions)
		result_log(r, LOG_EVENTS, r->shown, r->num_submissions);
	r->shown = r->num_submissions;
	r->totals = result_totals(r);
	r->ended = true;
	show_json(out, from);
	fclose(out);
	return text;
}

char *print_text(const struct result *from, unsigned int width, bool colour, bool utf8)
{
	const struct text_style style = { .width = width, .colour = colour, .utf8 = utf8 };
	struct events list;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	events_make(&list, from);
	show_text(out, from, &list, &style);
	events_free(&list);
	fclose(out);
	return text;
}

char *print_picture(void (*show)(FILE *, const struct result *, const struct events *))
{
	struct events list;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	events_make(&list, r);
	show(out, r, &list);
	events_free(&list);
	fclose(out);
	return text;
}

struct result *load_json_run(const char *text, struct parse_error *error)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct result *loaded = run_load("t.json", in, error);

	fclose(in);
	return loaded;
}

/* After loading, the text view is the same, and printing gives the same lines. */
void check_round_trip(void)
{
	char *json = print_json(r), *text = print_text(r, 100, true, true), *again;
	struct parse_error error = { 0 };
	struct result *loaded = load_json_run(json, &error);

	CHECK_STR(error.text, "");
	if (loaded) {
		again = print_json(loaded);
		CHECK_STR(again, json);
		free(again);
		again = print_text(loaded, 100, true, true);
		CHECK_STR(again, text);
		free(again);
	}
	run_free(loaded);
	free(json);
	free(text);
}

/* Print only the lines of events, without those before and after them. */
char *print_events(bool json, unsigned int width, bool colour, bool utf8)
{
	static const char *const others[] = { "header", "alloc", "submit", "expect", "end" };
	char *text, *to, *line, *next;
	size_t i;

	check_round_trip();
	if (!json)
		return print_text(r, width, colour, utf8);
	text = print_json(r);
	to = text;
	for (line = text; *line; line = next) {
		next = strchr(line, '\n') + 1;
		for (i = 0; i < 5; i++) {
			if (!strncmp(line + 10, others[i], strlen(others[i])))
				break;
		}
		if (i < 5)
			continue;
		memmove(to, line, (size_t)(next - line));
		to += next - line;
	}
	*to = '\0';
	return text;
}

uint32_t count(const char *text, const char *what)
{
	uint32_t n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}
