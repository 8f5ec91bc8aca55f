// SPDX-License-Identifier: MIT
/* Reads any bytes as a run. If they are accepted, the run can be drawn, and printed again. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct result *load(const char *text, size_t size, struct parse_error *error)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, size, "r");
	struct result *r = run_load("f", in, error);

	fclose(in);
	return r;
}

static void draw(const struct result *r)
{
	const struct text_style style = { .width = 100, .utf8 = true };
	struct events events;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	events_make(&events, r);
	show_text(out, r, &events, &style);
	show_svg(out, r, &events);
	show_perfetto(out, r, &events);
	show_json(out, r);
	events_free(&events);
	fclose(out);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parse_error error = { "" };
	struct result *r = size ? load((const char *)data, size, &error) : NULL;

	if (r)
		draw(r);
	else if (size && strncmp(error.text, "f:", 2))
		abort();
	run_free(r);
	return 0;
}
