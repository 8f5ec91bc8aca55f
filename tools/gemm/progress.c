// SPDX-License-Identifier: MIT
/* A progress line on a terminal. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gemm.h"

#define REDRAW_NS	50000000

struct progress {
	const char *name;
	uint64_t total;
	uint64_t last_ns;
	bool utf8;
	bool shown;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns NULL if nothing is to be shown; the functions below accept NULL. */
struct progress *progress_new(bool wanted)
{
	struct progress *p;

	if (!wanted || !isatty(STDERR_FILENO))
		return NULL;
	p = calloc(1, sizeof(*p));
	if (p)
		p->utf8 = locale_is_utf8();
	return p;
}

static void draw_bar(const struct progress *p, double part, unsigned int width)
{
	static const char *const eighths[] = {
		"", "▏", "▎", "▍", "▌", "▋", "▊", "▉",
	};
	unsigned int filled = (unsigned int)(part * width * 8), i;

	for (i = 0; i < width; i++) {
		unsigned int here = filled > i * 8 ? filled - i * 8 : 0;

		if (!p->utf8)
			fputs(here >= 4 ? "#" : ".", stderr);
		else if (here >= 8)
			fputs("█", stderr);
		else
			fputs(here ? eighths[here] : " ", stderr);
	}
}

static void draw(struct progress *p, uint64_t done, const char *note)
{
	unsigned int width = terminal_width(STDERR_FILENO, 1);
	double part = p->total ? (double)done / (double)p->total : 1;
	unsigned int note_width = note ? (unsigned int)strlen(note) : 0;
	unsigned int bar, taken;

	if (part > 1)
		part = 1;
	p->shown = true;
	taken = 12 + 2 + 6 + 2;
	/* A line that wraps could not be cleared: a narrow terminal gets the percentage alone. */
	if (width < taken + 10) {
		fprintf(stderr, "\r\033[K%3u%%", (unsigned int)(part * 100));
		fflush(stderr);
		return;
	}
	if (width <= taken + 10 + note_width) {
		note = NULL;
		note_width = 0;
	}
	bar = width - taken - note_width;
	if (bar > 40)
		bar = 40;
	fprintf(stderr, "\r\033[K%-12s ", p->name);
	fputs(p->utf8 ? "▕" : "[", stderr);
	draw_bar(p, part, bar);
	fputs(p->utf8 ? "▏" : "]", stderr);
	fprintf(stderr, " %3u %% %s", (unsigned int)(part * 100), note ? note : "");
	fflush(stderr);
}

void progress_phase(struct progress *p, const char *name, uint64_t total)
{
	if (!p)
		return;
	p->name = name;
	p->total = total;
	p->last_ns = now_ns();
	draw(p, 0, NULL);
}

void progress_set(struct progress *p, uint64_t done, const char *note)
{
	uint64_t now;

	if (!p)
		return;
	now = now_ns();
	if (now - p->last_ns < REDRAW_NS && done < p->total)
		return;
	p->last_ns = now;
	draw(p, done, note);
}

/* Clear the line, so that other output can follow. */
void progress_free(struct progress *p)
{
	if (!p)
		return;
	if (p->shown)
		fputs("\r\033[K", stderr);
	fflush(stderr);
	free(p);
}
