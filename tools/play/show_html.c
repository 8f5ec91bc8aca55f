// SPDX-License-Identifier: MIT
/* The page: page.html with the picture and the run in it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* page.html, as the linker takes it in. */
extern const char page_begin[] __asm__("_binary_page_html_start");
extern const char page_end[] __asm__("_binary_page_html_end");

/* What stands before a mark; returns what is behind it. */
static const char *put_until(FILE *out, const char *from, const char *mark)
{
	const char *at = memmem(from, (size_t)(page_end - from), mark, strlen(mark));

	if (!at)
		abort();
	fwrite(from, 1, (size_t)(at - from), out);
	return at + strlen(mark);
}

void show_html(FILE *out, const struct result *r, const struct events *events)
{
	const char *rest = put_until(out, page_begin, "<!--SVG-->\n");

	show_svg(out, r, events);
	rest = put_until(out, rest, "<!--RUN-->\n");
	/* It has no "<", which could end the script that holds it. */
	show_json(out, r);
	fwrite(rest, 1, (size_t)(page_end - rest), out);
}
