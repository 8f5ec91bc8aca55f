// SPDX-License-Identifier: MIT
/* The maps: what each segment holds at every portion, in columns of addresses. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define MAX_COLUMNS	240

/* What happened to a range since the portion before. */
enum mark {
	MARK_FREE,
	MARK_WENT,
	MARK_STAYED,
	MARK_CAME,
	MARK_MOVED,
};

/*
 * An allocation in a segment, or the range that one left.
 * @there: false for the latter.
 * @moved_away: it left by a move: nobody needs to be told.
 */
struct placed {
	uint64_t id;
	char label[LABEL_TEXT];
	uint32_t segment;
	uint64_t at;
	uint64_t bytes;
	enum mark mark;
	bool there;
	bool moved_away;
};

struct layout {
	const struct result *r;
	struct placed *list;
	uint32_t count;
};

struct map {
	FILE *out;
	const struct text_style *style;
	const struct drm_vsplit_segment_info *segment;
	int label_width;
	uint64_t column;	/* bytes */
	unsigned int columns;
};

/* ---- what is where ----------------------------------------------------- */

static struct placed *find(struct layout *l, uint64_t id)
{
	uint32_t i;

	for (i = 0; i < l->count; i++) {
		if (l->list[i].there && l->list[i].id == id)
			return &l->list[i];
	}
	return NULL;
}

static struct placed *add(struct layout *l)
{
	struct placed *more = reallocarray(l->list, l->count + 1, sizeof(*more));

	if (!more) {
		complain("%s", strerror(ENOMEM));
		exit(EXIT_NOT_RUN);
	}
	l->list = more;
	l->list[l->count] = (struct placed){ 0 };
	return &l->list[l->count++];
}

static void leave(struct layout *l, uint64_t id, bool moved)
{
	struct placed *old = find(l, id);

	if (!old)
		return;
	old->there = false;
	old->mark = MARK_WENT;
	old->moved_away = moved;
}

static void enter(struct layout *l, uint64_t id, const char *label, uint32_t segment,
		  uint64_t at, uint64_t bytes, enum mark mark)
{
	struct placed *p;
	uint32_t i;

	/* Should a step be missing from the records: nobody is in two places. */
	leave(l, id, true);
	/* And no two in one: whoever was there was freed, which no record tells. */
	for (i = 0; i < l->count; i++) {
		p = &l->list[i];
		if (p->there && p->segment == segment && p->at < at + bytes &&
		    at < p->at + p->bytes)
			leave(l, p->id, true);
	}
	p = add(l);
	p->id = id;
	snprintf(p->label, sizeof(p->label), "%s", label);
	p->segment = segment;
	p->at = at;
	p->bytes = bytes;
	p->mark = mark;
	p->there = true;
}

static void apply_step(struct layout *l, const struct event *e)
{
	const struct drm_vsplit_event *step = e->step;
	uint32_t device = l->r->s->contexts[l->r->s->dmas[e->submission->dma].context].device;
	char text[LABEL_TEXT];
	const char *label = alloc_label(l->r, device, step->handle, step->id, text);

	switch (step->type) {
	case VSPLIT_EVENT_PAGE_IN:
	case VSPLIT_EVENT_MAP:
		enter(l, step->id, label, step->segment, step->at, step->bytes, MARK_CAME);
		break;
	case VSPLIT_EVENT_MOVE:
		enter(l, step->id, label, step->segment, step->at, step->bytes, MARK_MOVED);
		break;
	case VSPLIT_EVENT_EVICT:
	case VSPLIT_EVENT_UNMAP:
		leave(l, step->id, false);
		break;
	}
}

/* What a portion's table says is where it says. */
static void apply_rows(struct layout *l, const struct event *e)
{
	const struct scenario *s = l->r->s;
	const struct vsplit_record *record = e->submission->record;
	uint32_t device = s->contexts[s->dmas[e->submission->dma].context].device, i, j;

	for (i = 0; i < e->step->row_count; i++) {
		const struct drm_vsplit_row *row;
		struct placed *p;

		if (e->step->row_first + i >= record->head.num_rows)
			break;
		row = &record->rows[e->step->row_first + i];
		for (j = 0; j < s->num_allocs; j++) {
			if (s->allocs[j].device != device || !l->r->allocs[j].id ||
			    l->r->allocs[j].handle != row->handle)
				continue;
			p = find(l, l->r->allocs[j].id);
			if (!p || p->segment != row->segment || p->at != row->offset)
				enter(l, l->r->allocs[j].id, s->allocs[j].name, row->segment,
				      row->offset, s->allocs[j].size, MARK_STAYED);
			break;
		}
	}
}

static void start_layout(struct layout *l, const struct result *r)
{
	uint32_t i;

	*l = (struct layout){ .r = r };
	for (i = 0; i < r->s->num_allocs; i++) {
		const struct alloc_result *a = &r->allocs[i];

		if (a->id && a->pinned_in && !r->s->devices[r->s->allocs[i].device].own)
			enter(l, a->id, r->s->allocs[i].name, a->pinned_in, a->pinned_at,
			      r->s->allocs[i].size, MARK_STAYED);
	}
}

/* After a row was drawn, all of it is old. */
static void settle(struct layout *l)
{
	uint32_t i, kept = 0;

	for (i = 0; i < l->count; i++) {
		if (!l->list[i].there)
			continue;
		l->list[kept] = l->list[i];
		l->list[kept++].mark = MARK_STAYED;
	}
	l->count = kept;
}

/* ---- columns ----------------------------------------------------------- */

/*
 * Bytes of a column: a round number, as small as the width allows; one that
 * divides the segment if there is such a one that is not much larger.
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
	char letter;	/* 0: the mark's own sign */
	bool edge;
	bool tiny;	/* the letter of a small one */
};

static unsigned int column_of(const struct map *m, uint64_t at)
{
	uint64_t column = (at + m->column / 2) / m->column;

	return column > m->columns ? m->columns : (unsigned int)column;
}

/* Smaller than a column, yet to be seen: a letter, above what else is there. */
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

/* What came, moved and went, by name, as far as there is room. */
static void put_notes(const struct map *m, const struct layout *l)
{
	int room = (int)m->style->width - m->label_width - 2 - (int)m->columns - 1;
	bool any = false;
	uint32_t i;

	for (i = 0; i < l->count; i++) {
		const struct placed *p = &l->list[i];
		int len = (int)strlen(p->label) + 2;

		if (p->segment != m->segment->id || p->moved_away || p->mark == MARK_STAYED)
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

	/* What is there stands above what was there, small ones above large ones. */
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

/* Addresses above the columns. */
static void put_ruler(const struct map *m)
{
	unsigned int every = 1, i, at = 0;
	char text[SIZE_TEXT];

	while (every < 8)
		every *= 2;
	/* Round numbers are worth a wider step. */
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
	/* The end, if it is not too near to the last of these. */
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

static bool is_portion(const struct event *e)
{
	return e->kind == SHOW_STEP && e->step->type == VSPLIT_EVENT_PORTION;
}

/* A step on the scenario's adapter: others have segments of the same names. */
static bool is_shown(const struct result *r, const struct event *e)
{
	uint32_t context;

	if (e->kind != SHOW_STEP)
		return false;
	context = r->s->dmas[e->submission->dma].context;
	return !r->s->devices[r->s->contexts[context].device].own;
}

/* Does anything of this segment appear anywhere? */
static bool is_used(const struct result *r, const struct events *events, uint32_t segment)
{
	uint32_t i, j;

	for (i = 0; i < r->s->num_allocs; i++) {
		if (r->allocs[i].id && r->allocs[i].pinned_in == segment &&
		    !r->s->devices[r->s->allocs[i].device].own)
			return true;
	}
	for (i = 0; i < events->count; i++) {
		const struct event *e = &events->list[i];

		if (!is_shown(r, e))
			continue;
		if (e->step->type != VSPLIT_EVENT_PORTION && e->step->segment == segment)
			return true;
		for (j = 0; is_portion(e) && j < e->step->row_count &&
		     e->step->row_first + j < e->submission->record->head.num_rows; j++) {
			if (e->submission->record->rows[e->step->row_first + j].segment == segment)
				return true;
		}
	}
	return false;
}

static void show_map(struct map *m, const struct result *r, const struct events *events)
{
	struct layout layout;
	char label[LABEL_TEXT];
	uint32_t i;

	start_layout(&layout, r);
	put_title(m);
	put_ruler(m);
	for (i = 0; i < events->count; i++) {
		const struct event *e = &events->list[i];

		if (!is_shown(r, e))
			continue;
		apply_step(&layout, e);
		if (!is_portion(e))
			continue;
		apply_rows(&layout, e);
		put_row(m, &layout, row_label(r, e, label, sizeof(label)));
		settle(&layout);
	}
	free(layout.list);
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

		if (!is_portion(&events->list[i]))
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
		if (!is_used(r, events, r->segments[i].id))
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
