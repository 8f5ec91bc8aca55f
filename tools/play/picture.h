/* SPDX-License-Identifier: MIT */
/* Between the files that draw the SVG picture. */
#ifndef _VSPLIT_PLAY_PICTURE_H_
#define _VSPLIT_PLAY_PICTURE_H_

#include "layout.h"

#define LEFT		104.0	/* of the columns: names and scales stand before it */
#define RIGHT		24.0	/* margin */
#define MIN_WIDTH	640.0

/*
 * A column: a portion on the scenario's adapter.
 * @event: of it.
 * @failed: checks that failed here.
 */
struct column {
	const struct event *event;
	uint32_t failed;
};

/*
 * @columns, @num_columns: in order of time.
 * @width: of one column.
 * @full: of the picture.
 * @y: where the next thing is drawn.
 */
struct picture {
	FILE *out;
	const struct result *r;
	const struct events *events;
	struct column *columns;
	uint32_t num_columns;
	double width;
	double full;
	double y;
};

/* Text as XML takes it; U+FFFD for what is no UTF-8. */
void put_xml(FILE *out, const char *text);

/* Ends the program where the picture is too large already; told. */
void check_size(const struct picture *p);

/* Where a column begins. */
double column_x(const struct picture *p, uint32_t column);

/* Of an event: its device; "B.0" or "B#2.0". */
uint32_t event_device(const struct result *r, const struct event *e);
const char *event_label(const struct result *r, const struct event *e, char text[LABEL_TEXT]);

/* A colour for an allocation, and for a context, always the same. */
void colour_of_alloc(const struct result *r, const char *label, char text[32]);
void colour_of_context(uint32_t context, char text[32]);

/* As many letters as fit to the width, in the middle; nothing if that are too few. */
void put_fitting(const struct picture *p, double x, double y, double width, const char *class,
		 const char *text);

/* Requirement lists, the calls that change them, and trims; moves @p->y on. */
void draw_residency(struct picture *p);

/* Engines, paging and contexts over the time; moves @p->y on. */
void draw_timeline(struct picture *p);

#endif /* _VSPLIT_PLAY_PICTURE_H_ */
