// SPDX-License-Identifier: MIT
/* Writes the page: page.html with the picture and the run inserted. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* page.html, which the linker embeds. */
extern const char page_begin[] __asm__("_binary_page_html_start");
extern const char page_end[] __asm__("_binary_page_html_end");

/* Print the text up to a mark. Returns the text after the mark. */
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
	/* The JSON contains no "<", which could end the script element around it. */
	show_json(out, r);
	fwrite(rest, 1, (size_t)(page_end - rest), out);
}
