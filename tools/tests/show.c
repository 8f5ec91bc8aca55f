// SPDX-License-Identifier: MIT
/* The printers of vsplit-play, with records made by hand. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "parse.h"
#include "picture.h"
#include "run.h"

#define MB	(1ull << 20)

static struct scenario *s;
static struct result *r;
static struct drm_vsplit_event events[100];
static struct drm_vsplit_row rows[40];
static uint32_t num_events, num_rows;
static uint64_t now_ns;

/* Allocations get the ids 100 + index, and the handles 1 + index. */
static void begin(const char *text, const char *const *segments, const uint64_t *sizes)
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

static void end(void)
{
	result_free(r);
	scenario_free(s);
}

/* Add a submission with the steps that were added since the last call. */
static struct submission *submission(uint32_t dma, uint64_t id, int error)
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

static struct drm_vsplit_event *step(uint32_t type, uint32_t portion, const char *alloc,
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

static void row(uint32_t slot, const char *alloc, uint64_t offset)
{
	struct drm_vsplit_event *e = &events[num_events - 1];

	if (!e->row_count)
		e->row_first = num_rows;
	e->row_count++;
	rows[num_rows++] = (struct drm_vsplit_row){
		.slot = slot, .handle = 1 + find_alloc(s, alloc), .segment = 1, .offset = offset,
	};
}

static struct drm_vsplit_event *portion(uint32_t index, uint32_t first, uint32_t last,
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
static void make_w3b(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 256 * MB };
	struct drm_vsplit_event *e;

	begin("# Bound again, X may move.\nsegment vram memory 256M\n"
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
static char *print_json(const struct result *from)
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

static char *print_text(const struct result *from, unsigned int width, bool colour, bool utf8)
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

static char *print_picture(void (*show)(FILE *, const struct result *, const struct events *))
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

static struct result *load(const char *text, struct parse_error *error)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct result *loaded = run_load("t.json", in, error);

	fclose(in);
	return loaded;
}

/* After loading, the text view is the same, and printing gives the same lines. */
static void check_round_trip(void)
{
	char *json = print_json(r), *text = print_text(r, 100, true, true), *again;
	struct parse_error error = { 0 };
	struct result *loaded = load(json, &error);

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
static char *print(bool json, unsigned int width, bool colour, bool utf8)
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

static void json_as_the_language_says(void)
{
	char *text;

	make_w3b();
	text = print(true, 0, false, false);
	CHECK_STR(text,
"{\"event\":\"page-in\",\"alloc\":\"P\",\"segment\":\"vram\",\"at\":0,\"bytes\":100663296,\"copied\":0,\"filled\":true,\"dma\":\"B\",\"submission\":1,\"before\":0,\"t0_ns\":5000000000,\"t1_ns\":5000001000}\n"
"{\"event\":\"page-in\",\"alloc\":\"X\",\"segment\":\"vram\",\"at\":100663296,\"bytes\":67108864,\"copied\":67108864,\"dma\":\"B\",\"submission\":1,\"before\":0,\"t0_ns\":5000250000,\"t1_ns\":5000251000}\n"
"{\"event\":\"page-in\",\"alloc\":\"Q\",\"segment\":\"vram\",\"at\":167772160,\"bytes\":100663296,\"copied\":100663296,\"dma\":\"B\",\"submission\":1,\"before\":0,\"t0_ns\":5000500000,\"t1_ns\":5000501000}\n"
"{\"event\":\"portion\",\"dma\":\"B\",\"context\":\"C\",\"submission\":1,\"index\":0,\"begin\":0,\"end\":1024,\"patch_first\":0,\"patch_count\":3,\"slots\":{\"0\":\"P\",\"1\":\"X\",\"2\":\"Q\"},\"rows\":[{\"slot\":0,\"alloc\":\"P\",\"segment\":\"vram\",\"at\":0},{\"slot\":1,\"alloc\":\"X\",\"segment\":\"vram\",\"at\":100663296},{\"slot\":2,\"alloc\":\"Q\",\"segment\":\"vram\",\"at\":167772160}],\"t0_ns\":5000750000,\"t1_ns\":5000751000}\n"
"{\"event\":\"evict\",\"alloc\":\"P\",\"segment\":\"vram\",\"at\":0,\"bytes\":100663296,\"copied\":100663296,\"dma\":\"B\",\"submission\":1,\"before\":1,\"t0_ns\":5001000000,\"t1_ns\":5001001000}\n"
"{\"event\":\"evict\",\"alloc\":\"Q\",\"segment\":\"vram\",\"at\":167772160,\"bytes\":100663296,\"copied\":0,\"dma\":\"B\",\"submission\":1,\"before\":1,\"t0_ns\":5001250000,\"t1_ns\":5001251000}\n"
"{\"event\":\"move\",\"alloc\":\"X\",\"segment\":\"vram\",\"from\":100663296,\"at\":0,\"bytes\":67108864,\"copied\":67108864,\"dma\":\"B\",\"submission\":1,\"before\":1,\"t0_ns\":5001500000,\"t1_ns\":5001501000}\n"
"{\"event\":\"page-in\",\"alloc\":\"R\",\"segment\":\"vram\",\"at\":67108864,\"bytes\":134217728,\"copied\":0,\"filled\":true,\"dma\":\"B\",\"submission\":1,\"before\":1,\"t0_ns\":5001750000,\"t1_ns\":5001751000}\n"
"{\"event\":\"portion\",\"dma\":\"B\",\"context\":\"C\",\"submission\":1,\"index\":1,\"begin\":1024,\"end\":2048,\"patch_first\":3,\"patch_count\":4,\"slots\":{\"1\":\"X\",\"3\":\"R\"},\"rows\":[{\"slot\":1,\"alloc\":\"X\",\"segment\":\"vram\",\"at\":0},{\"slot\":3,\"alloc\":\"R\",\"segment\":\"vram\",\"at\":67108864}],\"t0_ns\":5002000000,\"t1_ns\":5002001000}\n");
	free(text);
	end();
}

static void text_as_the_readme_shows(void)
{
	char *text;

	make_w3b();
	text = print(false, 80, false, false);
	CHECK_STR(text,
"Bound again, X may move.\n"
"play-1: vram 256M memory, 8 slots\n"
"\n"
"     0.000 ms  B.0  page-in  P    96M  vram @ 0  cleared\n"
"     0.250 ms  B.0  page-in  X    64M  vram @ 96M\n"
"     0.500 ms  B.0  page-in  Q    96M  vram @ 160M\n"
"     0.750 ms  B.0  run      [0x0, 0x400)  0=P  1=X  2=Q  0.001 ms\n"
"     1.000 ms  B.1  evict    P    96M  vram @ 0\n"
"     1.250 ms  B.1  evict    Q    96M  vram @ 160M  unchanged, nothing copied\n"
"     1.500 ms  B.1  move     X    64M  vram @ 96M -> vram @ 0\n"
"     1.750 ms  B.1  page-in  R   128M  vram @ 64M  cleared\n"
"     2.000 ms  B.1  run      [0x400, 0x800)  1=X  3=R  0.001 ms\n"
"\n"
"vram: 256M memory; a column is 4M\n"
"     0       32M     64M     96M     128M    160M    192M    224M    256M\n"
"B.0  |P++++++++++++++++++++++|X++++++++++++++|Q++++++++++++++++++++++ +P +X ...\n"
"B.1  |X~~~~~~~~~~~~~~|R++++++++++++++++++++++++++++++---------------- -P -Q ...\n"
"\n"
"++ came   == stayed   ~~ moved   -- went   .. free\n"
"\n"
"1 submission, 2 portions\n"
"paged in 384M (160M copied), evicted 192M (96M copied), moved 64M\n"
"all expectations held\n");
	free(text);
	end();
}

/* Paging for requirement lists is in no record, but in the totals. */
static void totals_are_those_of_the_run(void)
{
	char *text;

	make_w3b();
	r->totals = (struct totals){ .paged_in = 500 * MB, .evicted = 250 * MB };
	r->ended = true;
	text = print(false, 80, false, false);
	CHECK(strstr(text, "paged in 500M (0 copied), evicted 250M (0 copied), moved 0\n"));
	free(text);
	end();
}

/* Calls about residency, and trims, have lines among those of the engines. */
static void calls_have_lines(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	struct trim_result *trim;
	uint32_t i;
	char *text;

	begin("device D\ncontext C device=D mode=explicit\nalloc A 1M device=D\nalloc B 2M device=D\n"
	      "alloc LongNameOfAnAllocation 4K device=D\nalloc AnotherNameOfAnAllocation 4K device=D\n"
	      "dma X C\n spin 1\ndma LongName C\n spin 1\n"
	      "resident A,B device=D\nresident R A device=D\nresident S B device=D\nevict-resident E B device=D\n"
	      "offer A low device=D\nreclaim A,B device=D\nreclaim B device=D\n"
	      "evict LongNameOfAnAllocation,AnotherNameOfAnAllocation,A,B device=D\nsubmit X\n",
	      segments, sizes);
	for (i = 0; i < s->num_requests; i++) {
		r->requests[i].done = true;
		r->requests[i].t0_ns = now_ns + i * 1000000;
		r->requests[i].t1_ns = now_ns + i * 1000000 + 1000;
		result_log(r, s->requests[i].kind > REQUEST_EVICT ? LOG_OFFER : LOG_REQUEST, i, 0);
		if (i == 0) {
			r->requests[i].point = 1;
			r->requests[i].ready_ns = now_ns + 2500000;
			result_log(r, LOG_READY, i, 0);
		}
	}
	r->requests[2].error = -ENOSPC;
	r->requests[2].trim = 3 * MB;
	r->requests[3].trim = 1 * MB;
	r->requests[5].discarded = calloc(2, sizeof(bool));
	r->requests[5].discarded[1] = true;
	r->requests[6].discarded = calloc(1, sizeof(bool));
	now_ns += 3500000;
	portion(0, 0, 8, 0, 0);
	submission(0, 1, 0);
	submission(1, 0, -EINVAL)->t0_ns = now_ns + 2500000;
	now_ns += 10000000;
	for (i = 0; i < 2; i++) {
		trim = result_add_trim(r);
		trim->device = find_device(s, "D");
		trim->event.bytes = 6 * MB;
		trim->event.group = i ? VSPLIT_GROUP_NONLOCAL : VSPLIT_GROUP_LOCAL;
		trim->event.reason = VSPLIT_TRIM_DEMAND;
		trim->t0_ns = trim->t1_ns = now_ns + i * 1000000;
		result_log(r, LOG_TRIM, i, 0);
	}
	r->trims[0].evicted = append(NULL, &r->trims[0].num_evicted, sizeof(uint32_t));
	r->trims[0].evicted[0] = find_alloc(s, "B");
	text = print(false, 80, false, false);
	CHECK(strstr(text,
"play-1: vram 64M memory, 8 slots\n"
"\n"
"     0.000 ms  D         call     MakeResident A, B  resident after 2.500 ms\n"
"     1.000 ms  D         call     MakeResident R: A  resident at once\n"
"     2.000 ms  D         call     MakeResident S: B  refused: ENOSPC, 3M to give back\n"
"     3.000 ms  D         call     Evict E: B  1M to give back\n"
"     3.500 ms  X.0       run      [0x0, 0x8)  0.001 ms\n"
"     4.000 ms  D         call     Offer A  low\n"
"     5.000 ms  D         call     Reclaim A, B  lost B\n"
"     6.000 ms  D         call     Reclaim B  lost nothing\n"
"     6.250 ms  LongName  refused  EINVAL  Invalid argument\n"
"     7.000 ms  D         call     Evict LongNameOfAnAllocation and 3 more\n"
"    13.750 ms  D         trim     6M local, demand  gave back B\n"
"    14.750 ms  D         trim     6M nonlocal, demand  gave back nothing\n"
"\n"));
	free(text);
	end();
}

static void portions_of_what_was_parked(void)
{
	char *text;

	make_w3b();
	r->submissions[0].portions = 0;
	text = print(false, 80, false, false);
	CHECK(strstr(text, "1 submission, 2 portions\n"));
	free(text);
	end();
}

static void every_width(void)
{
	unsigned int width;

	make_w3b();
	for (width = 40; width <= 240; width++) {
		char *text = print(false, width, width % 2, width % 3), *line = strstr(text, "\nvram");

		/* Without escapes and wide letters, no line is longer than the terminal's width. */
		for (; width % 2 == 0 && width % 3 == 0 && line; line = strchr(line, '\n')) {
			size_t len = strcspn(++line, "\n");

			if (!strncmp(line, "B.", 2))
				CHECK(len <= width);
		}
		free(text);
	}
	end();
}

static void errors_and_faults(void)
{
	static const char *const segments[] = { "vram", "aper", NULL };
	static const uint64_t sizes[] = { 64 * MB, 16 * MB };
	struct drm_vsplit_event *e;
	char *text;

	begin("segment vram memory 64M\nsegment aper aperture 16M\ncontext C\ncontext D\n"
	      "alloc A 4K\nalloc S 8K\ndma X C\n spin 1\ndma Y D\n spin 1\nsubmit X\nsubmit Y\n",
	      segments, sizes);
	step(VSPLIT_EVENT_MAP, 0, "A", 2, 8192, 4096);
	portion(0, 0, 8, 0, 1);
	e = portion(1, 8, 16, 1, 0);
	e->flags = VSPLIT_EVENT_SKIPPED;
	e->t1_ns = 0;
	step(VSPLIT_EVENT_UNMAP, 1, "A", 2, 8192, 4096)->t0_ns = 0;
	submission(0, 7, 0)->fence_error = -EIO;
	r->contexts[0].state = VSPLIT_STATE_LOST_FAULT;
	r->contexts[0].fault = VSPLIT_FAULT_BOUNDS;
	r->contexts[0].fault_portion = 1;
	r->contexts[0].fault_offset = 8;
	r->contexts[0].fault_slot = 3;
	r->contexts[0].submission = 7;
	submission(1, 0, -ENOSPC);
	/* Earlier by the clock, but submitted later; a foreign allocation, and two segments. */
	now_ns = 4000000000;
	e = step(VSPLIT_EVENT_EVICT, 0, NULL, 1, 4096, 4096);
	e->id = 999;
	e->flags = VSPLIT_EVENT_FOREIGN;
	e = step(VSPLIT_EVENT_MOVE, 0, "S", 1, 0, 8192);
	e->from_segment = 2;
	submission(1, 1, 0);

	text = print(true, 0, false, false);
	CHECK_STR(text,
"{\"event\":\"evict\",\"alloc\":\"#999\",\"segment\":\"vram\",\"at\":4096,\"bytes\":4096,\"copied\":0,\"foreign\":true,\"dma\":\"Y\",\"submission\":3,\"before\":0,\"t0_ns\":4000000000,\"t1_ns\":4000001000}\n"
"{\"event\":\"move\",\"alloc\":\"S\",\"segment\":\"vram\",\"from_segment\":\"aper\",\"from\":0,\"at\":0,\"bytes\":8192,\"copied\":0,\"dma\":\"Y\",\"submission\":3,\"before\":0,\"t0_ns\":4000250000,\"t1_ns\":4000251000}\n"
"{\"event\":\"map\",\"alloc\":\"A\",\"segment\":\"aper\",\"at\":8192,\"bytes\":0,\"size\":4096,\"dma\":\"X\",\"submission\":1,\"before\":0,\"t0_ns\":5000000000,\"t1_ns\":5000001000}\n"
"{\"event\":\"portion\",\"dma\":\"X\",\"context\":\"C\",\"submission\":1,\"index\":0,\"begin\":0,\"end\":8,\"patch_first\":0,\"patch_count\":1,\"slots\":{},\"rows\":[],\"t0_ns\":5000250000,\"t1_ns\":5000251000}\n"
"{\"event\":\"portion\",\"dma\":\"X\",\"context\":\"C\",\"submission\":1,\"index\":1,\"begin\":8,\"end\":16,\"patch_first\":1,\"patch_count\":0,\"slots\":{},\"rows\":[],\"skipped\":true,\"t0_ns\":5000500000,\"t1_ns\":0}\n"
"{\"event\":\"fault\",\"context\":\"C\",\"dma\":\"X\",\"submission\":1,\"index\":1,\"state\":\"lost-fault\",\"fault\":\"out of bounds\",\"offset\":8,\"slot\":3,\"reason\":\"out of bounds: slot 3, at offset 8\"}\n"
"{\"event\":\"unmap\",\"alloc\":\"A\",\"segment\":\"aper\",\"at\":8192,\"bytes\":0,\"size\":4096,\"dma\":\"X\",\"submission\":1,\"before\":1,\"t0_ns\":0,\"t1_ns\":5000751000}\n"
"{\"event\":\"error\",\"dma\":\"X\",\"submission\":1,\"errno\":\"EIO\",\"refused\":false}\n"
"{\"event\":\"error\",\"dma\":\"Y\",\"submission\":2,\"errno\":\"ENOSPC\",\"refused\":true}\n");
	free(text);
	text = print(false, 80, false, false);
	CHECK(strstr(text, "X.1  fault    out of bounds: slot 3, at offset 8\n"));
	CHECK(strstr(text, "Y    refused  ENOSPC  No space left on device\n"));
	CHECK(strstr(text, "evict    #999     4K  vram @ 4K  not of this buffer"));
	free(text);
	end();
}

/* Requests that were refused are shown. They may have any numbers. */
static void what_was_refused_is_shown(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	char *text;

	begin("segment vram memory 64M\ncontext C\ncontext E engine=4294967294\ncontext F engine=4294967295\n"
	      "alloc A 17179869183G\nalloc B 4K\ndma X C\n spin 1\nsubmit X\n", segments, sizes);
	r->allocs[0].id = 0;
	r->allocs[0].error = -E2BIG;
	portion(0, 0, 8, 0, 0);
	submission(0, 7, 0)->fence_error = -EFAULT;
	r->contexts[0].state = VSPLIT_STATE_LOST_PAGE_FAULT;
	r->contexts[0].fault = VSPLIT_FAULT_NOT_MAPPED;
	r->contexts[0].submission = 7;
	r->contexts[0].fault_slot = UINT32_MAX;
	r->contexts[0].fault_address = UINT64_MAX - 4095;
	*result_add_bind(r) = (struct bind_result){
		.error = -EINVAL,
		.va = { .type = VSPLIT_VA_MAP, .alloc = 1, .address = UINT64_MAX - 4095,
			.bytes = UINT64_MAX - 1, .offset = UINT64_MAX },
	};
	result_log(r, LOG_BIND, 0, 0);
	*result_add_trim(r) = (struct trim_result){ .event.bytes = UINT64_MAX };
	result_log(r, LOG_TRIM, 0, 0);
	check_round_trip();
	text = print_picture(show_perfetto);
	CHECK(strlen(text) < 100000);
	free(text);
	text = print_picture(show_svg);
	CHECK(strstr(text, ">engine 0</text>"));
	free(text);
	end();
}

/* Does the text contain invalid UTF-8? */
static bool is_broken(const char *text)
{
	size_t len = 1;

	for (; *text && len; text += len)
		len = character_length(text);
	return !len;
}

/* The name of a file may contain any bytes. */
static void any_name_can_be_shown(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	char *text;

	begin("context C\n", segments, sizes);
	free(s->path);
	s->path = strdup("m\xfcll\xc3\xa9 <\"\x1b\x7f\xc2\x9b\\.vss");
	text = print_json(r);
	CHECK(strstr(text, "\"scenario\":\"m\\ufffdll\xc3\xa9 \\u003c\\\"\\u001b\\u007f\\u009b\\\\.vss\""));
	CHECK(!is_broken(text));
	free(text);
	text = print_picture(show_svg);
	CHECK(strstr(text, "m\xef\xbf\xbdll\xc3\xa9 &lt;&quot; \x7f\xc2\x9b\\.vss"));
	CHECK(!is_broken(text));
	free(text);
	text = print_picture(show_html);
	CHECK(!is_broken(text));
	free(text);
	text = print_picture(show_perfetto);
	CHECK(!is_broken(text));
	free(text);
	end();
}

static void nothing_happened(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	char *text;

	begin("context C\n", segments, sizes);
	text = print(true, 0, false, false);
	CHECK_STR(text, "");
	free(text);
	text = print(false, 80, true, true);
	CHECK(strstr(text, "0 submissions, 0 portions"));
	free(text);
	end();
}

static uint32_t count(const char *text, const char *what)
{
	uint32_t n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}

static void add_check(const char *subject, const char *expected, const char *got, bool held)
{
	struct check_result *c = result_add_check(r);

	*c = (struct check_result){
		.line = 12, .subject = subject ? strdup(subject) : NULL,
		.expected = strdup(expected), .got = strdup(got), .held = held,
		.submission = NO_INDEX, .submissions = r->num_submissions,
	};
	result_log(r, LOG_CHECK, r->num_checks - 1, 0);
}

static void pictures_show_what_the_maps_show(void)
{
	char *text;

	make_w3b();
	r->submissions[0].t0_ns = 4999900000;
	r->submissions[0].t1_ns = 4999950000;
	result_log(r, LOG_EVENTS, 0, 1);
	r->shown = 1;
	add_check("B", "portions=2", "2", true);
	add_check(NULL, "moved=1M", "64M <script>", false);
	check_round_trip();

	text = print_picture(show_svg);
	CHECK_EQ(count(text, "<g class=\"col\""), 2);
	CHECK_EQ(count(text, "class=\"failed\""), 1);
	CHECK_EQ(count(text, "expected moved=1M, got 64M &lt;script&gt;"), 1);
	CHECK_EQ(count(text, "split at 0x400"), 1);
	/* P, X and Q came, then R. P and Q left, and X left its old place. */
	CHECK_EQ(count(text, "; came</title>"), 4);
	CHECK_EQ(count(text, "; left</title>"), 2);
	CHECK_EQ(count(text, "; moved here</title>"), 1);
	CHECK_EQ(count(text, "; moved away</title>"), 1);
	CHECK_EQ(count(text, "class=\"arrow\""), 1);
	/* Rows of the table, and steps on the time axis. */
	CHECK_EQ(count(text, "<title>slot "), 5);
	CHECK_EQ(count(text, "class=\"box in\""), 4);
	CHECK_EQ(count(text, "class=\"box evict\""), 2);
	CHECK_EQ(count(text, "class=\"box move\""), 1);
	free(text);

	text = print_picture(show_html);
	CHECK_EQ(count(text, "<svg "), 1);
	CHECK_EQ(count(text, "\"format\":\"vsplit-run\""), 1);
	CHECK_EQ(count(text, "64M \\u003cscript>"), 1);
	CHECK_EQ(count(text, "src="), 0);
	free(text);

	text = print_picture(show_perfetto);
	CHECK_EQ(count(text, "\"cat\":\"portion\""), 2);
	CHECK_EQ(count(text, "\"cat\":\"paging\""), 7);
	CHECK_EQ(count(text, "\"ph\":\"s\""), 1);
	CHECK_EQ(count(text, "\"ph\":\"t\""), 2);
	CHECK_EQ(count(text, "\"ph\":\"f\""), 1);
	free(text);
	end();
}

static void bad_runs_are_refused(void)
{
	static const struct {
		const char *from;
		const char *to;
		const char *error;
	} changes[] = {
		{ "vsplit-run", "vsplit-rum", "t.json:1: this is no run of vsplit-play --json" },
		{ "\"version\":1", "\"version\":7",
		  "t.json:1: the run is of version 7 of the format, and this program reads 1" },
		{ "\"size\":268435456", "\"size\":0", "t.json:1: segment vram has no id or no size" },
		{ "\"name\":\"vram\"", "\"name\":\"<b>\"", "t.json:1: '<b>' is no name of a segment" },
		{ "\"context\":\"C\"", "\"context\":\"\\u001b[2J\"", "t.json:1: there is no context '?[2J'" },
		{ "\"context\":\"C\"", "\"context\":\"D\"", "t.json:1: there is no context 'D'" },
		{ "\"alloc\":\"X\"", "\"alloc\":\"Y\"", "t.json:3: there is no allocation 'Y'" },
		{ "\"bytes\":100663296", "\"bytes\":-3", "t.json:7: \"bytes\" is no number" },
		{ "\"bytes\":100663296", "\"bytes\":\"x\"", "t.json:7: \"bytes\" is no int" },
		{ "\"submission\":1,\"before\"", "\"submission\":2,\"before\"",
		  "t.json:7: there was no submission 2" },
		{ "\"segment\":\"vram\",\"at\":0", "\"segment\":\"gone\",\"at\":0",
		  "t.json:7: there is no segment 'gone'" },
		{ "\"at\":0,", "", "t.json:7: \"at\" is missing" },
		{ "{\"event\":\"portion\"", "[\"event\"", "t.json:10: this is no JSON object" },
		{ "{\"event\":\"portion\"", "{\"event\":\"evict-resident\",\"line\":1,\"allocs\":[]}\n",
		  "t.json:10: \"allocs\" is empty" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		struct parse_error error = { 0 };
		char *json, *at, *changed = NULL;

		make_w3b();
		json = print_json(r);
		at = strstr(json, changes[i].from);
		CHECK(at);
		if (at && asprintf(&changed, "%.*s%s%s", (int)(at - json), json, changes[i].to,
				   at + strlen(changes[i].from)) > 0) {
			CHECK(!load(changed, &error));
			CHECK_STR(error.text, changes[i].error);
			free(changed);
		}
		free(json);
		end();
	}
}

/* If the end of the log is missing, the part before it is shown. */
static void a_run_that_was_cut_short(void)
{
	struct parse_error error = { 0 };
	struct result *loaded;
	char *json, *text;

	make_w3b();
	/* The adapter's name must not contain control sequences, either. */
	strcpy((char *)r->adapter.name, "play\0331");
	json = print_json(r);
	strstr(json, "{\"event\":\"evict\"")[0] = '\0';
	loaded = load(json, &error);
	CHECK(loaded && !loaded->ended);
	if (loaded) {
		text = print_text(loaded, 80, false, false);
		CHECK(strstr(text, "\nplay?1: vram 256M"));
		CHECK(strstr(text, "B.0  run      [0x0, 0x400)"));
		CHECK(strstr(text, "0 of 2 expectations held, 0 failed, the rest was not reached"));
		free(text);
	}
	run_free(loaded);
	free(json);
	end();
}

/* Tiny, odd and numerous allocations: the only check is that no line is exceeded. */
static void odd_layouts(void)
{
	static const char *const segments[] = { "vram", NULL };
	uint64_t sizes[] = { 0 };
	unsigned int i;

	for (i = 0; i < 200; i++) {
		uint64_t size = 4096 * (1 + i * i * 7919ull % 300000);
		char *text;

		sizes[0] = size;
		begin("context C\nalloc A 4K\nalloc LongNameOfAnAllocation 4K pinned\n"
		      "dma B C\n spin 1\n", segments, sizes);
		r->allocs[1].pinned_in = 1;
		r->allocs[1].pinned_at = size - 4096;
		step(VSPLIT_EVENT_PAGE_IN, 0, "A", 1, size / 8192 * 4096, 4096);
		portion(0, 0, 8, 0, 0);
		portion(1, 8, 16, 0, 0);
		submission(0, 1, 0);
		text = print(false, 40 + i, i % 2, i % 4 > 1);
		CHECK(strstr(text, "vram"));
		free(text);
		text = print_picture(show_svg);
		CHECK_EQ(count(text, "<g class=\"col\""), 2);
		CHECK_EQ(count(text, "nan"), 0);
		free(text);
		end();
	}
}

/*
 * No record tells that an allocation was freed. It is assumed when another allocation comes to the
 * same place.
 */
static void freed_between(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 8 * MB };
	char *text, *last;

	begin("context C\nalloc hog 8M\nalloc A 6M\ndma B C\n spin 1\n", segments, sizes);
	step(VSPLIT_EVENT_PAGE_IN, 0, "hog", 1, 0, 8 * MB);
	portion(0, 0, 8, 0, 0);
	submission(0, 1, 0);
	step(VSPLIT_EVENT_PAGE_IN, 0, "A", 1, 0, 6 * MB);
	portion(0, 0, 8, 0, 0);
	submission(0, 2, 0);
	text = print(false, 80, false, false);
	last = strstr(text, "|A");
	CHECK(strstr(text, "|hog++"));
	CHECK(last && strstr(last, "+--"));
	CHECK(last && !strstr(last, "hog"));
	free(text);
	end();
}

/* Six segments with names of maximum length, and a title of letters with several bytes each. */
static void long_texts(void)
{
	static const char *const segments[] = {
		"a234567890123456789012345678901", "b234567890123456789012345678901",
		"c234567890123456789012345678901", "d234567890123456789012345678901",
		"e234567890123456789012345678901", "f234567890123456789012345678901", NULL
	};
	uint64_t sizes[VSPLIT_MAX_SEGMENTS];
	char *text, *title;
	uint32_t i;

	for (i = 0; i < VSPLIT_MAX_SEGMENTS; i++)
		sizes[i] = (1ull << 50) - 1;
	begin("context C\n", segments, sizes);
	title = calloc(1, 300 * 2 + 1);
	for (i = 0; i < 300; i++)
		memcpy(title + 2 * i, "\u00fc", 2);
	free(s->title);
	s->title = title;
	free(s->path);
	s->path = strdup("a name of a file that is so long that nothing has room behind it.vss");
	text = print_picture(show_svg);
	CHECK_EQ(count(text, "234567890123456789012345678901"), VSPLIT_MAX_SEGMENTS);
	CHECK_EQ(count(text, " engines</text>"), 1);
	CHECK(count(text, "class=\"dim\"") > 3);
	CHECK_EQ(count(text, "\u00fc"), 300);
	CHECK_EQ(count(text, "\ufffd"), 0);
	CHECK(count(text, "class=\"title\"") > 4);
	free(text);
	end();
}

/* Names beside the picture and in its columns end where there is no more room. */
static void long_names(void)
{
	static const char *const segments[] = { "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	static const char a[] = "MMMMMMMMMMMMMMMMMMMMMMMM";
	char *text;

	begin("context CCCCCCCCCCCCCCCCCCCCCCCC\nalloc MMMMMMMMMMMMMMMMMMMMMMMM 64M\n"
	      "dma B CCCCCCCCCCCCCCCCCCCCCCCC\n spin 1\nresident MMMMMMMMMMMMMMMMMMMMMMMM\n",
	      segments, sizes);
	r->requests[0].done = true;
	result_log(r, LOG_REQUEST, 0, 0);
	step(VSPLIT_EVENT_PAGE_IN, 0, a, 1, 0, 64 * MB);
	portion(0, 0, 8, 0, 1);
	row(0, a, 0);
	submission(0, 1, 0);
	text = print_picture(show_svg);
	/* 190 pixels have room for 16 letters of 11 pixels, and the dots. */
	CHECK_EQ(count(text, ">MMMMMMMMMMMMMMMM…</text>"), 2);
	/* Above a map there is room. */
	CHECK_EQ(count(text, "<text class=\"head\" x=\"12.0\""), 1);
	CHECK_EQ(count(text, ">WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW</text>"), 1);
	/* To the left of the columns: the beginning, with a tooltip. */
	CHECK_EQ(count(text, "<title>CCCCCCCCCCCCCCCCCCCCCCCC</title>CCCCCCCCCC…</text>"), 1);
	CHECK_EQ(count(text, "<title>MMMMMMMMMMMMMMMMMMMMMMMM</title>MMMMMMMM…</text>"), 1);
	free(text);
	end();
}

/* The context of a hardware queue does not name the submission with which it was lost. */
static void faults_of_hardware_queues(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	char *text;

	begin("context C mode=hw\ndma X C\n spin 1\ndma Y C\n spin 1\n", segments, sizes);
	submission(0, 64, 0)->fence_error = -EFAULT;
	submission(1, 128, 0)->fence_error = -ECANCELED;
	r->contexts[0].state = VSPLIT_STATE_LOST_PAGE_FAULT;
	r->contexts[0].fault = VSPLIT_FAULT_NOT_MAPPED;
	r->contexts[0].fault_slot = UINT32_MAX;
	r->contexts[0].fault_address = 0x900000;
	text = print(false, 80, false, false);
	CHECK_EQ(count(text, "  fault    "), 1);
	CHECK(strstr(text, "X.0  fault    page fault, not mapped: address 0x900000, at offset 0 of the ring\n"));
	free(text);
	check_round_trip();
	end();
}

/* In a narrow column a portion has its number, a submission its name, or they have nothing. */
static void labels_in_narrow_columns(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	uint32_t i;
	char *text;

	begin("context C\ndma LongName C\n spin 1\ndma B C\n spin 1\n", segments, sizes);
	for (i = 0; i < 30; i++)
		portion(i, 8 * i, 8 * i + 8, 0, 0);
	submission(0, 1, 0)->portions = 30;
	portion(0, 0, 8, 0, 0);
	submission(1, 2, 0)->portions = 1;
	portion(0, 0, 8, 0, 0);
	submission(0, 3, 0)->portions = 1;
	text = print_picture(show_svg);
	CHECK_EQ(count(text, "<text class=\"head mid\""), 31);
	CHECK(strstr(text, ">.0</text>") && strstr(text, ">.29</text>"));
	CHECK(strstr(text, ">B</text>") || strstr(text, ">B.0</text>"));
	CHECK_EQ(count(text, "…</text>"), 0);
	free(text);
	/* As in a run that is shown later, whose first submission was parked. */
	r->submissions[0].portions = 0;
	text = print_picture(show_svg);
	CHECK(strstr(text, ">.29</text>"));
	free(text);
	end();
}

/* A memory full of small allocations looks full: they have no edges, which would cover them. */
static void small_allocations(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	static char script[8000];
	char *text, name[20];
	size_t used = 0;
	uint32_t i;

	for (i = 0; i < 90; i++)
		used += (size_t)snprintf(script + used, sizeof(script) - used, "alloc A%u 64K\n", i);
	snprintf(script + used, sizeof(script) - used,
		 "alloc big 32M\ncontext C\ndma B C\n spin 1\n");
	begin(script, segments, sizes);
	for (i = 0; i < 90; i++) {
		snprintf(name, sizeof(name), "A%u", i);
		step(VSPLIT_EVENT_PAGE_IN, 0, name, 1, i << 16, 1 << 16);
	}
	step(VSPLIT_EVENT_PAGE_IN, 0, "big", 1, 32 * MB, 32 * MB);
	portion(0, 0, 8, 0, 0);
	submission(0, 1, 0);
	text = print_picture(show_svg);
	CHECK_EQ(count(text, "<rect class=\"thin\""), 90);
	CHECK_EQ(count(text, "; came</title>"), 91);
	CHECK_EQ(count(text, ">big</text>"), 1);
	free(text);
	end();
}

/* Two moments a hundred years apart are drawn. */
static void far_from_each_other(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	char *text;

	begin("context C\ndma B C\n spin 1\n", segments, sizes);
	now_ns = 1;
	portion(0, 0, 8, 0, 0);
	now_ns = 9200000000000000000;
	portion(1, 8, 16, 0, 0);
	submission(0, 1, 0);
	text = print_picture(show_svg);
	CHECK_EQ(count(text, "<g class=\"t\" data-c="), 2);
	free(text);
	end();
}

/* An offset is never cut, because that would be another offset. */
static void offsets_are_not_cut(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	static const uint32_t firsts[] = { 0, 0x100000, 0xfffffff0 };
	uint32_t columns, i, f;
	char *text, label[40];

	for (columns = 1; columns < 16; columns++) {
		for (f = 0; f < ARRAY_SIZE(firsts); f++) {
			begin("context C\ndma B C\n spin 1\n", segments, sizes);
			for (i = 0; i < columns; i++)
				portion(i, firsts[f], firsts[f] + 8, 0, 0);
			submission(0, 1, 0);
			text = print_picture(show_svg);
			snprintf(label, sizeof(label), ">0x%x</text>", firsts[f]);
			i = count(text, label);
			snprintf(label, sizeof(label), ">0x%x–0x%x</text>", firsts[f], firsts[f] + 8);
			i += count(text, label);
			CHECK_EQ(i, columns < 15 ? columns : 0);
			CHECK_EQ(count(text, "…</text>"), 0);
			free(text);
			end();
		}
	}
}

/* All lost allocations of a long reclaim are listed. */
static void many_were_discarded(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	struct request_result *res;
	char script[8000] = "", *text;
	size_t used = 0;
	uint32_t i;

	for (i = 0; i < 100; i++)
		used += (size_t)snprintf(script + used, sizeof(script) - used, "alloc A%u 4K\n", i);
	used += (size_t)snprintf(script + used, sizeof(script) - used, "reclaim ");
	for (i = 0; i < 100; i++)
		used += (size_t)snprintf(script + used, sizeof(script) - used, "%sA%u", i ? "," : "", i);
	snprintf(script + used, sizeof(script) - used, "\n");
	begin(script, segments, sizes);
	CHECK_EQ(s->num_requests, 1);
	res = &r->requests[0];
	res->done = true;
	res->t0_ns = 5000;
	res->t1_ns = 6000;
	res->discarded = calloc(100, sizeof(bool));
	for (i = 1; i < 100; i++)
		res->discarded[i] = true;
	result_log(r, LOG_OFFER, 0, 0);
	text = print_picture(show_perfetto);
	CHECK_EQ(count(text, "\"discarded\":\"A1,A2,"), 1);
	CHECK_EQ(count(text, ",A98,A99\",\"error\""), 1);
	free(text);
	end();
}

/* The name of an allocation that is required twice, in a narrow column, is cut between letters. */
static void cut_at_a_letter(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	uint32_t i, calls;
	char *text;

	for (calls = 2; calls < 40; calls++) {
		char script[4000] = "alloc abcdefg 4K\n";

		for (i = 0; i < calls; i++)
			strcat(script, "resident abcdefg\n");
		begin(script, segments, sizes);
		for (i = 0; i < calls; i++) {
			r->requests[i].done = true;
			result_log(r, LOG_REQUEST, i, 0);
		}
		text = print_picture(show_svg);
		CHECK_EQ(count(text, "<g class=\"r\""), calls);
		CHECK_EQ(count(text, "\ufffd"), 0);
		free(text);
		end();
	}
}

/* The subject of an expectation and the scenario's path are cut between letters. */
static void checks_are_cut_at_a_letter(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	struct check_result *c;
	char letters[401], *text;
	uint32_t shift, i;

	for (shift = 0; shift < 2; shift++) {
		begin("context C\n", segments, sizes);
		memset(letters, 'a', shift);
		for (i = 0; i < 190; i++)
			memcpy(letters + shift + 2 * i, "\u00fc", 3);
		free(s->path);
		s->path = strdup(letters);
		c = result_add_check(r);
		*c = (struct check_result){ .line = 1, .subject = strdup(letters),
			.expected = strdup(letters), .got = strdup(letters), .submission = NO_INDEX };
		text = print_picture(show_svg);
		CHECK_EQ(count(text, "class=\"bad\""), 1);
		CHECK_EQ(count(text, "\ufffd"), 0);
		free(text);
		text = print_picture(show_perfetto);
		CHECK_EQ(count(text, "expected "), 1);
		CHECK_EQ(count(text, "\\ufffd"), 0);
		free(text);
		end();
	}
}

/* The distance of the first two places that a text names behind @key. */
static double distance(const char *text, const char *key)
{
	const char *first = strstr(text, key), *second = first ? strstr(first + 1, key) : NULL;

	return second ? strtod(second + strlen(key), NULL) - strtod(first + strlen(key), NULL) : 0;
}

/* In columns of any width, the bytes paged before a portion are complete, or there is a mark. */
static void figures_are_not_cut(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	static const struct {
		uint64_t bytes;
		const char *exact, *shown;
	} figures[] = {
		{ 96 * MB, "paged in 96M", "96M" }, { 160 * MB, "paged in 160M", "160M" },
		{ 1023 << 10, "paged in 1023K", "1023K" },
		{ 987654321, "paged in 987654321", "942 MiB" },
	};
	uint32_t portions, k, i, whole, marks;
	char *text, want[80];

	for (portions = 1; portions < ARRAY_SIZE(events) / 2; portions += 4) {
		for (k = 0; k < ARRAY_SIZE(figures); k++) {
			begin("context C\nalloc A 64M\ndma B C\n spin 1\n", segments, sizes);
			for (i = 0; i < portions; i++) {
				step(VSPLIT_EVENT_PAGE_IN, i, "A", 1, 0, figures[k].bytes);
				portion(i, 8 * i, 8 * i + 8, 0, 0);
			}
			submission(0, 1, 0);
			text = print_picture(show_svg);
			snprintf(want, sizeof(want), "<title>%s</title>%s</text>", figures[k].exact,
				 figures[k].shown);
			whole = count(text, want);
			snprintf(want, sizeof(want), "<title>%s</title>…</text>", figures[k].exact);
			marks = count(text, want);
			CHECK_EQ(whole + marks, portions);
			CHECK(!marks || (portions > 17 && k > 1));
			/* "160M" has 27 pixels, and needs some at its sides. */
			if (portions > 40)
				CHECK(distance(text, "<text class=\"small\" x=\"") >= 30);
			free(text);
			end();
		}
	}
}

static uint32_t hue_of(uint32_t context)
{
	char text[32];
	uint32_t hue;

	colour_of_context(context, text);
	CHECK_EQ(sscanf(text, "hsl(%u,", &hue), 1);
	return hue;
}

/* The colours of contexts in a picture can be told apart. */
static void contexts_differ_in_colour(void)
{
	static const struct {
		uint32_t contexts, degrees;
	} wanted[] = { { 5, 50 }, { 8, 30 }, { 13, 18 } };
	uint32_t i, a, b;

	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		for (a = 0; a < wanted[i].contexts; a++) {
			for (b = 0; b < a; b++) {
				uint32_t apart = (uint32_t)abs((int)hue_of(a) - (int)hue_of(b));

				CHECK((apart < 180 ? apart : 360 - apart) >= wanted[i].degrees);
			}
		}
	}
}

/* A step that begins in the paging engine during another step gets a row of its own. */
static void a_row_below_the_paging_engine(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	char *text;

	begin("context C\nalloc A 4K\nalloc D 4K\ndma B C\n spin 1\n", segments, sizes);
	r->adapter.caps = VSPLIT_CAP_PAGING_ENGINE;
	step(VSPLIT_EVENT_PAGE_IN, 0, "A", 1, 0, 4096)->t1_ns = now_ns + 1000000;
	step(VSPLIT_EVENT_PAGE_IN, 0, "D", 1, 4096, 4096);
	portion(0, 0, 8, 0, 0);
	submission(0, 1, 0);
	text = print_picture(show_perfetto);
	CHECK_EQ(count(text, "\"paging engine, meanwhile\""), 1);
	free(text);
	end();
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--look")) {
		make_w3b();
		fputs(print(false, terminal_width(1, 40), argc > 2, locale_is_utf8()), stdout);
		return 0;
	}
	RUN(json_as_the_language_says);
	RUN(text_as_the_readme_shows);
	RUN(totals_are_those_of_the_run);
	RUN(calls_have_lines);
	RUN(portions_of_what_was_parked);
	RUN(every_width);
	RUN(errors_and_faults);
	RUN(faults_of_hardware_queues);
	RUN(what_was_refused_is_shown);
	RUN(any_name_can_be_shown);
	RUN(nothing_happened);
	RUN(pictures_show_what_the_maps_show);
	RUN(bad_runs_are_refused);
	RUN(a_run_that_was_cut_short);
	RUN(odd_layouts);
	RUN(freed_between);
	RUN(long_texts);
	RUN(long_names);
	RUN(labels_in_narrow_columns);
	RUN(small_allocations);
	RUN(far_from_each_other);
	RUN(offsets_are_not_cut);
	RUN(many_were_discarded);
	RUN(cut_at_a_letter);
	RUN(checks_are_cut_at_a_letter);
	RUN(figures_are_not_cut);
	RUN(contexts_differ_in_colour);
	RUN(a_row_below_the_paging_engine);
	return check_total_failures != 0;
}
