// SPDX-License-Identifier: MIT
/* Prints the maps: what each segment holds at every portion, in columns of addresses. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"

#define MAX_COLUMNS	240

struct map {
	FILE *out;
	const struct text_style *style;
	const struct drm_vsplit_segment_info *segment;
	int label_width;
	uint64_t column;	/* bytes */
	unsigned int columns;
};

/* ---- columns ----------------------------------------------------------- */

/*
 * Choose the bytes of a column: a round number, as small as the width allows. A somewhat larger one
 * is preferred if it divides the segment.
 */
static void choose_columns(struct map *m, unsigned int room)
{
	static const unsigned int steps[] = { 4, 5, 6 };
	uint64_t size = m->segment->size, best = 0, unit;
	unsigned int i;

	for (unit = 16; !m->column && unit < size * 2; unit *= 2) {
		for (i = 0; i < ARRAY_SIZE(steps); i++) {
			uint64_t column = unit * steps[i];
			uint64_t columns = (size + column - 1) / column;

			if (columns > room)
				continue;
			if (!best)
				best = column;
			if (columns < room / 2)
				break;
			if (size % column == 0) {
				m->column = column;
				break;
			}
		}
		if (best && size / (unit * 4) < room / 2)
			break;
	}
	if (!m->column)
		m->column = best ? best : size;
	m->columns = (unsigned int)((size + m->column - 1) / m->column);
}

struct cell {
	enum mark mark;
	char letter;	/* 0: use the sign of the mark */
	bool edge;
	bool tiny;	/* the letter of a small allocation */
};

static unsigned int column_of(const struct map *m, uint64_t at)
{
	uint64_t column = (at + m->column / 2) / m->column;

	return column > m->columns ? m->columns : (unsigned int)column;
}

/* Show an allocation that is smaller than a column as a letter, on top of other content. */
static void draw_tiny(const struct map *m, const struct placed *p, struct cell *cells)
{
	unsigned int at = (unsigned int)(p->at / m->column);
	struct cell *c = &cells[at < m->columns ? at : m->columns - 1];

	if (!p->there)
		return;
	*c = (struct cell){ .mark = p->mark, .letter = c->tiny ? '*' : p->label[0], .tiny = true };
}

static void draw_placed(const struct map *m, const struct placed *p, struct cell *cells)
{
	unsigned int first = column_of(m, p->at), last = column_of(m, p->at + p->bytes), i;
	size_t len = strlen(p->label);

	for (i = first; i < last; i++) {
		size_t place = i - first;

		if (!p->there) {
			if (cells[i].mark == MARK_FREE)
				cells[i].mark = MARK_WENT;
			continue;
		}
		cells[i] = (struct cell){ .mark = p->mark, .edge = i == first && last - first > 1 };
		if (last - first == 1)
			cells[i].letter = p->label[0];
		else if (place >= 1 && place <= len)
			cells[i].letter = p->label[place - 1];
	}
}

static bool is_tiny(const struct map *m, const struct placed *p)
{
	return column_of(m, p->at) == column_of(m, p->at + p->bytes);
}

static const char *colour_of(enum mark mark)
{
	switch (mark) {
	case MARK_CAME:
		return "\033[30;42m";
	case MARK_STAYED:
		return "\033[97;44m";
	case MARK_MOVED:
		return "\033[30;43m";
	case MARK_WENT:
		return "\033[31m";
	default:
		return "\033[2m";
	}
}

static const char *sign_of(enum mark mark, bool utf8)
{
	static const char *const ascii[] = { ".", "-", "=", "+", "~" };
	static const char *const signs[] = { "·", "╌", "═", "+", "»" };

	return utf8 ? signs[mark] : ascii[mark];
}

static void put_cells(const struct map *m, const struct cell *cells)
{
	enum mark last = MARK_FREE;
	unsigned int i;

	for (i = 0; i < m->columns; i++) {
		const struct cell *c = &cells[i];

		if (m->style->colour && (!i || c->mark != last))
			fprintf(m->out, "\033[0m%s", colour_of(c->mark));
		last = c->mark;
		if (c->edge)
			fputs(m->style->utf8 ? "▌" : "|", m->out);
		else if (c->letter)
			putc(c->letter, m->out);
		else
			fputs(sign_of(c->mark, m->style->utf8), m->out);
	}
	if (m->style->colour)
		fputs("\033[0m", m->out);
}

/* Print the names of what came, moved and went, as far as there is room. */
static void put_notes(const struct map *m, const struct layout *l)
{
	int room = (int)m->style->width - m->label_width - 2 - (int)m->columns - 1;
	bool any = false;
	uint32_t i;

	for (i = 0; i < l->count; i++) {
		const struct placed *p = &l->list[i];
		int len = (int)strlen(p->label) + 2;

		if (p->segment != m->segment->id || p->moved_away || p->mark == MARK_STAYED || p->run)
			continue;
		if (len + 4 > room) {
			if (any)
				fputs(" ...", m->out);
			return;
		}
		any = true;
		room -= len;
		fprintf(m->out, " %s%s%s%s", m->style->colour ?
			(p->there ? p->mark == MARK_MOVED ? "\033[33m" : "\033[32m" : "\033[31m") : "",
			sign_of(p->there ? p->mark : MARK_WENT, false), p->label,
			m->style->colour ? "\033[0m" : "");
	}
}

static void put_row(const struct map *m, const struct layout *l, const char *label)
{
	struct cell cells[MAX_COLUMNS] = { 0 };
	uint32_t i, pass;

	/* Draw old content below new content, and large allocations below small ones. */
	for (pass = 0; pass < 3; pass++) {
		for (i = 0; i < l->count; i++) {
			const struct placed *p = &l->list[i];
			bool tiny = is_tiny(m, p);

			if (p->segment != m->segment->id || pass != (tiny ? 2 : p->there))
				continue;
			if (tiny)
				draw_tiny(m, p, cells);
			else
				draw_placed(m, p, cells);
		}
	}
	fprintf(m->out, "%-*s  ", m->label_width, label);
	put_cells(m, cells);
	put_notes(m, l);
	putc('\n', m->out);
}

/* Print addresses above the columns. */
static void put_ruler(const struct map *m)
{
	unsigned int every = 1, i, at = 0;
	char text[SIZE_TEXT];

	while (every < 8)
		every *= 2;
	/* Prefer round numbers, even if the labels are farther apart. */
	while (every * 2 <= 16 && m->columns % every)
		every *= 2;
	fprintf(m->out, "%*s", m->label_width + 2, "");
	for (i = 0; i < m->columns; i += every) {
		const char *label = format_size(text, i * m->column);

		if (strlen(label) + 1 > every)
			label = format_about(text, i * m->column);
		fprintf(m->out, "%*s%s", (int)(i - at), "", label);
		at = i + (unsigned int)strlen(label);
	}
	/* Print the end of the segment, if it is not too close to the last label. */
	i = (unsigned int)(m->segment->size / m->column);
	if (m->segment->size % m->column == 0 && i > at &&
	    (unsigned int)m->label_width + i + 7 <= m->style->width)
		fprintf(m->out, "%*s%s", (int)(i - at), "", format_size(text, m->segment->size));
	putc('\n', m->out);
}

static void put_title(const struct map *m)
{
	char size[SIZE_TEXT], column[SIZE_TEXT];

	fprintf(m->out, "\n%s%s%s: %s %s; a column is %s\n", m->style->colour ? "\033[1m" : "",
		(const char *)m->segment->name, m->style->colour ? "\033[0m" : "",
		format_size(size, m->segment->size),
		m->segment->flags & VSPLIT_SEGMENT_APERTURE ? "aperture" : "memory",
		format_size(column, m->column));
}

/* ---- all of it --------------------------------------------------------- */

static const char *row_label(const struct result *r, const struct event *e, char *text,
			     size_t size)
{
	const char *name = r->s->dmas[e->submission->dma].name;

	if (e->submission->nth > 1)
		snprintf(text, size, "%.14s#%u.%u", name, e->submission->nth, e->step->portion);
	else
		snprintf(text, size, "%.14s.%u", name, e->step->portion);
	return text;
}

static void show_map(struct map *m, const struct result *r, const struct events *events)
{
	struct layout layout;
	char label[LABEL_TEXT];
	uint32_t i;

	layout_start(&layout, r);
	put_title(m);
	put_ruler(m);
	for (i = 0; i < events->count; i++) {
		const struct event *e = &events->list[i];

		if (!event_is_shown(r, e))
			continue;
		layout_step(&layout, e);
		if (!event_is_portion(e))
			continue;
		layout_rows(&layout, e);
		put_row(m, &layout, row_label(r, e, label, sizeof(label)));
		layout_settle(&layout);
	}
	layout_free(&layout);
}

static void put_legend(const struct map *m)
{
	static const struct {
		enum mark mark;
		const char *text;
	} legend[] = {
		{ MARK_CAME, "came" }, { MARK_STAYED, "stayed" }, { MARK_MOVED, "moved" },
		{ MARK_WENT, "went" }, { MARK_FREE, "free" },
	};
	size_t i;

	putc('\n', m->out);
	for (i = 0; i < ARRAY_SIZE(legend); i++) {
		const char *sign = sign_of(legend[i].mark, m->style->utf8);

		fprintf(m->out, "%s%s%s%s%s %s", i ? "   " : "",
			m->style->colour ? colour_of(legend[i].mark) : "", sign, sign,
			m->style->colour ? "\033[0m" : "", legend[i].text);
	}
	putc('\n', m->out);
}

void show_maps(FILE *out, const struct result *r, const struct events *events,
	       const struct text_style *style)
{
	struct map m = { .out = out, .style = style };
	unsigned int room, shown = 0;
	char label[LABEL_TEXT];
	uint32_t i;

	for (i = 0; i < events->count; i++) {
		int len;

		if (!event_is_portion(&events->list[i]))
			continue;
		len = (int)strlen(row_label(r, &events->list[i], label, sizeof(label)));
		if (len > m.label_width)
			m.label_width = len;
	}
	if (!m.label_width)
		return;
	room = style->width - (unsigned int)m.label_width - 2;
	if (room > MAX_COLUMNS)
		room = MAX_COLUMNS;
	for (i = 0; i < r->num_segments; i++) {
		if (!segment_is_used(r, events, r->segments[i].id))
			continue;
		m.segment = &r->segments[i];
		m.column = 0;
		choose_columns(&m, room);
		show_map(&m, r, events);
		shown++;
	}
	if (shown)
		put_legend(&m);
}
