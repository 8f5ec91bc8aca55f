// SPDX-License-Identifier: MIT
/* The pictures of vsplit-play, of records made by hand. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "shown.h"

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
	end_run();
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
	begin_run("context C\n", segments, sizes);
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
	end_run();
}

/* Names beside the picture and in its columns end where there is no more room. */
static void long_names(void)
{
	static const char *const segments[] = { "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	static const char a[] = "MMMMMMMMMMMMMMMMMMMMMMMM";
	char *text;

	begin_run("context CCCCCCCCCCCCCCCCCCCCCCCC\nalloc MMMMMMMMMMMMMMMMMMMMMMMM 64M\n"
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
	end_run();
}

/* In a narrow column a portion has its number, a submission its name, or they have nothing. */
static void labels_in_narrow_columns(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	uint32_t i;
	char *text;

	begin_run("context C\ndma LongName C\n spin 1\ndma B C\n spin 1\n", segments, sizes);
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
	end_run();
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
	begin_run(script, segments, sizes);
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
	end_run();
}

/* Two moments a hundred years apart are drawn. */
static void far_from_each_other(void)
{
	static const char *const segments[] = { "vram", NULL };
	static const uint64_t sizes[] = { 64 * MB };
	char *text;

	begin_run("context C\ndma B C\n spin 1\n", segments, sizes);
	now_ns = 1;
	portion(0, 0, 8, 0, 0);
	now_ns = 9200000000000000000;
	portion(1, 8, 16, 0, 0);
	submission(0, 1, 0);
	text = print_picture(show_svg);
	CHECK_EQ(count(text, "<g class=\"t\" data-c="), 2);
	free(text);
	end_run();
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
			begin_run("context C\ndma B C\n spin 1\n", segments, sizes);
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
			end_run();
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
	begin_run(script, segments, sizes);
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
	end_run();
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
		begin_run(script, segments, sizes);
		for (i = 0; i < calls; i++) {
			r->requests[i].done = true;
			result_log(r, LOG_REQUEST, i, 0);
		}
		text = print_picture(show_svg);
		CHECK_EQ(count(text, "<g class=\"r\""), calls);
		CHECK_EQ(count(text, "\ufffd"), 0);
		free(text);
		end_run();
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
		begin_run("context C\n", segments, sizes);
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
		end_run();
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

	for (portions = 1; portions < MAX_STEPS / 2; portions += 4) {
		for (k = 0; k < ARRAY_SIZE(figures); k++) {
			begin_run("context C\nalloc A 64M\ndma B C\n spin 1\n", segments, sizes);
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
			end_run();
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

	begin_run("context C\nalloc A 4K\nalloc D 4K\ndma B C\n spin 1\n", segments, sizes);
	r->adapter.caps = VSPLIT_CAP_PAGING_ENGINE;
	step(VSPLIT_EVENT_PAGE_IN, 0, "A", 1, 0, 4096)->t1_ns = now_ns + 1000000;
	step(VSPLIT_EVENT_PAGE_IN, 0, "D", 1, 4096, 4096);
	portion(0, 0, 8, 0, 0);
	submission(0, 1, 0);
	text = print_picture(show_perfetto);
	CHECK_EQ(count(text, "\"paging engine, meanwhile\""), 1);
	free(text);
	end_run();
}

int main(void)
{
	RUN(pictures_show_what_the_maps_show);
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
