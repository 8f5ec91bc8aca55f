// SPDX-License-Identifier: MIT
/* The printers of vsplit-play, with records made by hand; pictures are in show_picture.c. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "shown.h"

static void json_as_the_language_says(void)
{
	char *text;

	make_w3b();
	text = print_events(true, 0, false, false);
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
	end_run();
}

static void text_as_the_readme_shows(void)
{
	char *text;

	make_w3b();
	text = print_events(false, 80, false, false);
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
	end_run();
}

/* Paging for requirement lists is in no record, but in the totals. */
static void totals_are_those_of_the_run(void)
{
	char *text;

	make_w3b();
	r->totals = (struct totals){ .paged_in = 500 * MB, .evicted = 250 * MB };
	r->ended = true;
	text = print_events(false, 80, false, false);
	CHECK(strstr(text, "paged in 500M (0 copied), evicted 250M (0 copied), moved 0\n"));
	free(text);
	end_run();
}

/* Calls about residency, and trims, have lines among those of the engines. */
static void calls_have_lines(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	struct trim_result *trim;
	uint32_t i;
	char *text;

	begin_run("device D\ncontext C device=D mode=explicit\nalloc A 1M device=D\nalloc B 2M device=D\n"
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
	text = print_events(false, 80, false, false);
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
	end_run();
}

static void portions_of_what_was_parked(void)
{
	char *text;

	make_w3b();
	r->submissions[0].portions = 0;
	text = print_events(false, 80, false, false);
	CHECK(strstr(text, "1 submission, 2 portions\n"));
	free(text);
	end_run();
}

static void every_width(void)
{
	unsigned int width;

	make_w3b();
	for (width = 40; width <= 240; width++) {
		char *text = print_events(false, width, width % 2, width % 3), *line = strstr(text, "\nvram");

		/* Without escapes and wide letters, no line is longer than the terminal's width. */
		for (; width % 2 == 0 && width % 3 == 0 && line; line = strchr(line, '\n')) {
			size_t len = strcspn(++line, "\n");

			if (!strncmp(line, "B.", 2))
				CHECK(len <= width);
		}
		free(text);
	}
	end_run();
}

static void errors_and_faults(void)
{
	static const char *const segments[] = { "vram", "aper", NULL };
	static const uint64_t sizes[] = { 64 * MB, 16 * MB };
	struct drm_vsplit_event *e;
	char *text;

	begin_run("segment vram memory 64M\nsegment aper aperture 16M\ncontext C\ncontext D\n"
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

	text = print_events(true, 0, false, false);
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
	text = print_events(false, 80, false, false);
	CHECK(strstr(text, "X.1  fault    out of bounds: slot 3, at offset 8\n"));
	CHECK(strstr(text, "Y    refused  ENOSPC  No space left on device\n"));
	CHECK(strstr(text, "evict    #999     4K  vram @ 4K  not of this buffer"));
	free(text);
	end_run();
}

/* Requests that were refused are shown. They may have any numbers. */
static void what_was_refused_is_shown(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	char *text;

	begin_run("segment vram memory 64M\ncontext C\ncontext E engine=4294967294\ncontext F engine=4294967295\n"
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
	end_run();
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

	begin_run("context C\n", segments, sizes);
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
	end_run();
}

static void nothing_happened(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	char *text;

	begin_run("context C\n", segments, sizes);
	text = print_events(true, 0, false, false);
	CHECK_STR(text, "");
	free(text);
	text = print_events(false, 80, true, true);
	CHECK(strstr(text, "0 submissions, 0 portions"));
	free(text);
	end_run();
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
			CHECK(!load_json_run(changed, &error));
			CHECK_STR(error.text, changes[i].error);
			free(changed);
		}
		free(json);
		end_run();
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
	loaded = load_json_run(json, &error);
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
	end_run();
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
		begin_run("context C\nalloc A 4K\nalloc LongNameOfAnAllocation 4K pinned\n"
		      "dma B C\n spin 1\n", segments, sizes);
		r->allocs[1].pinned_in = 1;
		r->allocs[1].pinned_at = size - 4096;
		step(VSPLIT_EVENT_PAGE_IN, 0, "A", 1, size / 8192 * 4096, 4096);
		portion(0, 0, 8, 0, 0);
		portion(1, 8, 16, 0, 0);
		submission(0, 1, 0);
		text = print_events(false, 40 + i, i % 2, i % 4 > 1);
		CHECK(strstr(text, "vram"));
		free(text);
		text = print_picture(show_svg);
		CHECK_EQ(count(text, "<g class=\"col\""), 2);
		CHECK_EQ(count(text, "nan"), 0);
		free(text);
		end_run();
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

	begin_run("context C\nalloc hog 8M\nalloc A 6M\ndma B C\n spin 1\n", segments, sizes);
	step(VSPLIT_EVENT_PAGE_IN, 0, "hog", 1, 0, 8 * MB);
	portion(0, 0, 8, 0, 0);
	submission(0, 1, 0);
	step(VSPLIT_EVENT_PAGE_IN, 0, "A", 1, 0, 6 * MB);
	portion(0, 0, 8, 0, 0);
	submission(0, 2, 0);
	text = print_events(false, 80, false, false);
	last = strstr(text, "|A");
	CHECK(strstr(text, "|hog++"));
	CHECK(last && strstr(last, "+--"));
	CHECK(last && !strstr(last, "hog"));
	free(text);
	end_run();
}

/* The context of a hardware queue does not name the submission with which it was lost. */
static void faults_of_hardware_queues(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	char *text;

	begin_run("context C mode=hw\ndma X C\n spin 1\ndma Y C\n spin 1\n", segments, sizes);
	submission(0, 64, 0)->fence_error = -EFAULT;
	submission(1, 128, 0)->fence_error = -ECANCELED;
	r->contexts[0].state = VSPLIT_STATE_LOST_PAGE_FAULT;
	r->contexts[0].fault = VSPLIT_FAULT_NOT_MAPPED;
	r->contexts[0].fault_slot = UINT32_MAX;
	r->contexts[0].fault_address = 0x900000;
	text = print_events(false, 80, false, false);
	CHECK_EQ(count(text, "  fault    "), 1);
	CHECK(strstr(text, "X.0  fault    page fault, not mapped: address 0x900000, at offset 0 of the ring\n"));
	free(text);
	check_round_trip();
	end_run();
}

int main(void)
{
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
	RUN(bad_runs_are_refused);
	RUN(a_run_that_was_cut_short);
	RUN(odd_layouts);
	RUN(freed_between);
	return check_total_failures != 0;
}
