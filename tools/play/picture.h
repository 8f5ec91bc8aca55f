/* SPDX-License-Identifier: MIT */
/* Declarations shared by the files that draw the SVG picture. */
#ifndef _VSPLIT_PLAY_PICTURE_H_
#define _VSPLIT_PLAY_PICTURE_H_

#include "layout.h"

#define LEFT		104.0	/* left edge of the columns: names and scales are to its left */
#define RIGHT		24.0	/* margin */
#define MIN_WIDTH	640.0

/*
 * A column: a portion on the scenario's adapter.
 * @event: event of the portion.
 * @failed: number of checks that failed here.
 */
struct column {
	const struct event *event;
	uint32_t failed;
};

/*
 * @columns, @num_columns: in order of time.
 * @width: width of one column.
 * @full: width of the picture.
 * @y: position at which the next part is drawn.
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

/* Print text escaped for XML; U+FFFD replaces invalid UTF-8. */
void put_xml(FILE *out, const char *text);

/* Ends the program with a message if the picture is too large. */
void check_size(const struct picture *p);

/* Left edge of a column. */
double column_x(const struct picture *p, uint32_t column);

/* The device of an event; and its label, "B.0" or "B#2.0". */
uint32_t event_device(const struct result *r, const struct event *e);
const char *event_label(const struct result *r, const struct event *e, char text[LABEL_TEXT]);

/* The colour of an allocation, and of a context; always the same. */
void colour_of_alloc(const struct result *r, const char *label, char text[32]);
void colour_of_context(uint32_t context, char text[32]);

/* Print as many letters as fit into the width, centred; nothing if only one fits. */
void put_fitting(const struct picture *p, double x, double y, double width, const char *class,
		 const char *text);

/*
 * Print the label of a portion, centred. Without room for it: of the first portion the submission;
 * its number, if there are several; or nothing, because the beginning of a label tells nothing.
 */
void put_portion_label(const struct picture *p, double x, double y, double width,
		       const char *class, const struct event *e);

/* Print a text left of the columns; of a long one the beginning, with all of it as a tooltip. */
void put_margin(const struct picture *p, double y, const char *class, const char *text);

/* Draw requirement lists, the calls that change them, and trims; advances @p->y. */
void draw_residency(struct picture *p);

/* Draw engines, paging and contexts over time; advances @p->y. */
void draw_timeline(struct picture *p);

#endif /* _VSPLIT_PLAY_PICTURE_H_ */
