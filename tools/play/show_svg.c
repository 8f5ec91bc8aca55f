// SPDX-License-Identifier: MIT
/*
 * Draws the picture, in which a column is a portion. From above to below it has: the stream and its
 * split points; the content of each segment, by address; the resource table; requirement lists;
 * engines, paging and contexts over time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

#define NARROWEST	31.0	/* width of columns; has room for "160M" in class small */
#define WIDEST		190.0
#define USUAL		1040.0	/* of all columns, if they are few enough */
#define LETTER		6.4	/* usual width */
#define LETTER_SIZE	11.0
#define MARGIN		3.0	/* of a text in its box */
#define SMALL_SIZE	9.5	/* of class small */
#define ROW		19.0
#define MAP		190.0
#define APERTURE_MAP	110.0
#define SCALES		4
#define NAMED		11.0	/* lowest height that has room for a name */
#define THIN		3.0	/* too low for a white edge, which would cover all of it */
#define MAX_SIZE	(128l << 20)	/* bytes; no viewer shows larger ones */

static const char style[] =
	"text{font-family:'DejaVu Sans',Verdana,sans-serif;font-size:11px;fill:#222}"
	".title{font-size:16px;font-weight:bold}.head{font-weight:bold}"
	".dim{fill:#777}.scale{fill:#777;font-size:10px;text-anchor:end}"
	".name{font-weight:bold;text-anchor:end}.mid{text-anchor:middle}"
	".small{font-size:9.5px;text-anchor:middle}.stay{fill-opacity:.6}"
	".frame{fill:#fafafa;stroke:#999}.grid{stroke:#ddd;stroke-width:1}"
	".cut{stroke:#c2185b;stroke-width:2;stroke-dasharray:5 3}"
	".next{stroke:#555;stroke-width:1.5}.point{stroke:#444;stroke-width:1}"
	".came{fill:#2e9d4f}.moved{fill:#e8a200}.went{fill:none;stroke:#c62828;stroke-dasharray:3 2}"
	".arrow{fill:none;stroke:#b27d00;stroke-width:1.6}"
	".box{stroke:#fff;stroke-width:.7}.thin{stroke:none}.bad{fill:#c62828}.bad-box{fill:#fde7e7;stroke:#c62828}"
	".in{fill:#2e9d4f}.evict{fill:#d9534f}.move{fill:#e8a200}.map{fill:#3f8fc9}"
	".wait{fill-opacity:.28}.run{fill-opacity:.95}";

/* Type in which a text is printed. */
struct font {
	double size;
	bool bold;
};

/* ---- small things ------------------------------------------------------ */

/* Print the first bytes of a text, which end with a whole letter. */
static void put_xml_part(FILE *out, const char *text, size_t bytes)
{
	const char *end = text + bytes;
	size_t len;

	for (; text < end; text += len ? len : 1) {
		unsigned char c = (unsigned char)*text;

		len = character_length(text);
		if (c == '<')
			fputs("&lt;", out);
		else if (c == '>')
			fputs("&gt;", out);
		else if (c == '&')
			fputs("&amp;", out);
		else if (c == '"')
			fputs("&quot;", out);
		else if (c < 0x20)
			putc(' ', out);
		else if (len)
			fwrite(text, 1, len, out);
		else
			fputs("\ufffd", out);
	}
}

void put_xml(FILE *out, const char *text)
{
	put_xml_part(out, text, strlen(text));
}

/*
 * Widths of the letters from ' ' to '~' in bold type, in hundredths of its size. Those of the other
 * fonts that the style names are much the same.
 */
static const uint8_t widths[] = {
	35, 46, 52, 84, 70, 100, 87, 31, 46, 46, 52, 84, 38, 42, 38, 37, 70, 70, 70, 70, 70, 70, 70,
	70, 70, 70, 40, 40, 84, 84, 84, 58, 100, 78, 76, 74, 83, 69, 69, 82, 84, 37, 37, 78, 64,
	100, 84, 85, 73, 85, 77, 72, 68, 81, 78, 111, 77, 73, 73, 46, 37, 46, 84, 50, 50, 68, 72,
	59, 72, 68, 44, 72, 71, 34, 34, 67, 34, 104, 71, 69, 72, 72, 50, 60, 48, 71, 65, 93, 65, 65,
	58, 71, 37, 71, 84,
};

static double letter_width(const char *letter, const struct font *font)
{
	unsigned char c = (unsigned char)*letter;
	double width = c >= ' ' && c <= '~' ? widths[c - ' '] : 100;

	return width / 100 * font->size * (font->bold ? 1 : .93);
}

/* Number of bytes of the first letters that fit into the width. */
static size_t fitting_bytes(const char *text, double width, const struct font *font)
{
	size_t bytes = 0, len;

	while (text[bytes]) {
		width -= letter_width(text + bytes, font);
		if (width < 0)
			break;
		len = character_length(text + bytes);
		bytes += len ? len : 1;
	}
	return bytes;
}

/* Number of bytes of the first letters, or of all, if there are fewer. */
static size_t letters_bytes(const char *text, size_t letters)
{
	size_t bytes = 0, len;

	for (; letters && text[bytes]; letters--) {
		len = character_length(text + bytes);
		bytes += len ? len : 1;
	}
	return bytes;
}

/*
 * A run may come from anywhere, and the picture's size is proportional to portions times content.
 */
void check_size(const struct picture *p)
{
	if (ftell(p->out) <= MAX_SIZE)
		return;
	complain("the picture of this run would have over %ld MiB", MAX_SIZE >> 20);
	exit(EXIT_NOT_RUN);
}

double column_x(const struct picture *p, uint32_t column)
{
	return LEFT + p->width * column;
}

uint32_t event_device(const struct result *r, const struct event *e)
{
	return r->s->contexts[r->s->dmas[e->submission->dma].context].device;
}

/* The label without the number of the portion. */
static const char *submission_label(const struct result *r, const struct submission *sub,
				    char text[LABEL_TEXT])
{
	const char *name = r->s->dmas[sub->dma].name;

	snprintf(text, LABEL_TEXT, sub->nth > 1 ? "%.20s#%u" : "%.20s", name, sub->nth);
	return text;
}

const char *event_label(const struct result *r, const struct event *e, char text[LABEL_TEXT])
{
	size_t len = strlen(submission_label(r, e->submission, text));

	snprintf(text + len, LABEL_TEXT - len, ".%u", e->step->portion);
	return text;
}

/* Successive hues differ much: the step is the golden angle. */
static void hue(uint32_t index, const char *rest, char text[32])
{
	snprintf(text, 32, "hsl(%u,%s)", (uint32_t)((index * 137508ull + 205000) / 1000 % 360), rest);
}

void colour_of_alloc(const struct result *r, const char *label, char text[32])
{
	uint32_t index = find_alloc(r->s, label);

	if (index == NO_INDEX) {
		snprintf(text, 32, "hsl(0,0%%,72%%)");
		return;
	}
	hue(index, "55%,72%", text);
}

/* A context is darker than an allocation of the same hue. */
void colour_of_context(uint32_t context, char text[32])
{
	hue(context + 1, "45%,62%", text);
}

static void begin_text(const struct picture *p, double x, double y, const char *class)
{
	fprintf(p->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
}

void put_fitting(const struct picture *p, double x, double y, double width, const char *class,
		 const char *text)
{
	const struct font font = { LETTER_SIZE, !strncmp(class, "head", 4) };
	size_t bytes = fitting_bytes(text, width - MARGIN, &font);
	bool fits = !text[bytes];

	if (!fits)
		bytes = fitting_bytes(text, width - MARGIN - letter_width("…", &font), &font);
	if (bytes < letters_bytes(text, 2))
		return;
	begin_text(p, x + width / 2, y, class);
	put_xml_part(p->out, text, bytes);
	fputs(fits ? "</text>\n" : "…</text>\n", p->out);
}

void put_portion_label(const struct picture *p, double x, double y, double width,
		       const char *class, const struct event *e)
{
	const struct font font = { LETTER_SIZE, !strncmp(class, "head", 4) };
	char label[LABEL_TEXT];

	event_label(p->r, e, label);
	if (label[fitting_bytes(label, width - MARGIN, &font)] && !e->step->portion)
		submission_label(p->r, e->submission, label);
	/* A run that was printed as JSON does not have the number of a submission that was parked. */
	if (label[fitting_bytes(label, width - MARGIN, &font)] &&
	    (e->step->portion || e->submission->portions > 1))
		snprintf(label, sizeof(label), ".%u", e->step->portion);
	if (label[fitting_bytes(label, width - MARGIN, &font)])
		return;
	begin_text(p, x + width / 2, y, class);
	put_xml(p->out, label);
	fputs("</text>\n", p->out);
}

void put_margin(const struct picture *p, double y, const char *class, const char *text)
{
	const struct font font = { LETTER_SIZE, !strcmp(class, "name") };
	size_t bytes = fitting_bytes(text, LEFT - 8 - MARGIN, &font);

	begin_text(p, LEFT - 8, y, class);
	if (text[bytes]) {
		bytes = fitting_bytes(text, LEFT - 8 - MARGIN - letter_width("…", &font), &font);
		fputs("<title>", p->out);
		put_xml(p->out, text);
		fputs("</title>", p->out);
	}
	put_xml_part(p->out, text, bytes);
	fputs(text[bytes] ? "…</text>\n" : "</text>\n", p->out);
}

/*
 * Print a number of bytes in a column, exact or rounded. It is never cut, because that would be
 * another number; if there is no room, a mark is printed. In both cases the tooltip shows the
 * number with @what.
 */
static void put_figure(const struct picture *p, uint32_t column, double y, const char *what,
		       uint64_t bytes)
{
	const struct font font = { SMALL_SIZE, false };
	char exact[SIZE_TEXT], about[SIZE_TEXT];
	const char *text = format_size(exact, bytes);
	double room = p->width - MARGIN;

	if (strlen(text) >= 8 || text[fitting_bytes(text, room, &font)])
		text = format_about(about, bytes);
	begin_text(p, column_x(p, column) + p->width / 2, y, "small");
	fprintf(p->out, "<title>%s %s</title>%s</text>\n", what, exact,
		text[fitting_bytes(text, room, &font)] ? "…" : text);
}

static void put_text(const struct picture *p, double x, double y, const char *class,
		     const char *text)
{
	begin_text(p, x, y, class);
	put_xml(p->out, text);
	fputs("</text>\n", p->out);
}

static void put_line(const struct picture *p, const char *class, double x0, double y0, double x1,
		     double y1)
{
	check_size(p);
	fprintf(p->out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
		class, x0, y0, x1, y1);
}

static bool same_submission(const struct picture *p, uint32_t column)
{
	return column && column < p->num_columns &&
	       p->columns[column].event->submission == p->columns[column - 1].event->submission;
}

/* ---- columns ----------------------------------------------------------- */

/*
 * The column of the submission that was checked or, without one, of the last one before the check.
 */
static struct column *column_of_check(struct picture *p, const struct check_result *c)
{
	uint32_t i;

	for (i = p->num_columns; i-- > 0;) {
		ptrdiff_t index = p->columns[i].event->submission - p->r->submissions;

		if (c->submission == NO_INDEX ? index < (ptrdiff_t)c->submissions :
						index == (ptrdiff_t)c->submission)
			return &p->columns[i];
	}
	return NULL;
}

static bool make_columns(struct picture *p)
{
	uint32_t i;

	p->columns = calloc(p->events->count + 1, sizeof(*p->columns));
	if (!p->columns)
		return false;
	for (i = 0; i < p->events->count; i++) {
		const struct event *e = &p->events->list[i];

		if (event_is_shown(p->r, e) && event_is_portion(e))
			p->columns[p->num_columns++].event = e;
	}
	for (i = 0; i < p->r->num_checks; i++) {
		struct column *column = p->r->checks[i].held ? NULL :
					column_of_check(p, &p->r->checks[i]);

		if (column)
			column->failed++;
	}
	p->width = p->num_columns ? USUAL / p->num_columns : USUAL;
	if (p->width > WIDEST)
		p->width = WIDEST;
	if (p->width < NARROWEST)
		p->width = NARROWEST;
	p->full = LEFT + p->width * p->num_columns + RIGHT;
	if (p->full < MIN_WIDTH)
		p->full = MIN_WIDTH;
	return true;
}

/* ---- head -------------------------------------------------------------- */

/* Print a text in as many lines as it takes. */
static void put_wrapped(struct picture *p, const char *text, const char *class,
			const struct font *font)
{
	size_t line, cut;

	for (;;) {
		line = fitting_bytes(text, p->full - 24, font);
		for (cut = line; text[line] && cut && text[cut] != ' '; cut--)
			;
		cut = cut ? cut : line;
		begin_text(p, 12, p->y, class);
		put_xml_part(p->out, text, cut);
		fputs("</text>\n", p->out);
		text += cut + (text[cut] == ' ');
		if (!*text)
			break;
		p->y += font->size + 4;
	}
}

static void draw_title(struct picture *p)
{
	const struct result *r = p->r;
	const char *slash = strrchr(r->s->path, '/'), *name = slash ? slash + 1 : r->s->path;
	const struct font bold = { 16, true }, plain = { LETTER_SIZE, false };
	char size[SIZE_TEXT], *text = NULL;
	size_t length;
	FILE *out;
	uint32_t i;

	p->y = 26;
	put_wrapped(p, r->s->title ? r->s->title : name, "title", &bold);
	p->y += 18;
	out = open_memstream(&text, &length);
	if (!out)
		need_memory(NULL);
	fprintf(out, "%.*s: ", (int)letters_bytes(name, 60), name);
	for (i = 0; i < r->num_segments; i++)
		fprintf(out, "%s %s %s, ", (const char *)r->segments[i].name,
			format_size(size, r->segments[i].size),
			r->segments[i].flags & VSPLIT_SEGMENT_APERTURE ? "aperture" : "memory");
	fprintf(out, "%u slots, %u engine%s%s", r->adapter.num_slots,
		r->adapter.num_engines, r->adapter.num_engines == 1 ? "" : "s",
		r->adapter.caps & VSPLIT_CAP_PAGING_ENGINE ? ", a paging engine" : "");
	fclose(out);
	put_wrapped(p, need_memory(text), "dim", &plain);
	free(text);
	p->y += 14;
}

/* Print the labels above the columns, and mark failures. */
static void draw_labels(struct picture *p)
{
	char label[LABEL_TEXT], colour[32];
	uint32_t i;

	p->y += 6;
	put_margin(p, p->y + 14, "name", "portion");
	for (i = 0; i < p->num_columns; i++) {
		const struct column *c = &p->columns[i];
		double x = column_x(p, i);

		colour_of_context(p->r->s->dmas[c->event->submission->dma].context, colour);
		fprintf(p->out, "<g class=\"col\" data-c=\"%u\"><rect class=\"box\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"20\" fill=\"%s\"><title>",
			i, x, p->y, p->width, colour);
		put_xml(p->out, event_label(p->r, c->event, label));
		fprintf(p->out, ": [0x%x, 0x%x) of context ", c->event->step->begin,
			c->event->step->end);
		put_xml(p->out, p->r->s->contexts[p->r->s->dmas[c->event->submission->dma].context].name);
		fputs("</title></rect>\n", p->out);
		put_portion_label(p, x, p->y + 14, p->width, "head mid", c->event);
		fputs("</g>\n", p->out);
		if (c->failed) {
			fprintf(p->out, "<g class=\"failed\"><title>%u expectation%s failed here</title>"
				"<circle class=\"bad\" cx=\"%.1f\" cy=\"%.1f\" r=\"7\"/>"
				"<text class=\"mid\" style=\"fill:#fff;font-weight:bold\" x=\"%.1f\" y=\"%.1f\">×</text></g>\n",
				c->failed, c->failed == 1 ? "" : "s", x + p->width - 8, p->y + 2,
				x + p->width - 8, p->y + 6);
		}
	}
	p->y += 24;
}

/*
 * Print where a portion begins and ends, or only where it begins. That has at most ten letters and
 * is never cut.
 */
static void put_offsets(const struct picture *p, uint32_t column, double y, uint32_t begin,
			uint32_t end)
{
	const struct font font = { SMALL_SIZE, false };
	char text[32];

	snprintf(text, sizeof(text), "0x%x–0x%x", begin, end);
	if (text[fitting_bytes(text, p->width - MARGIN, &font)])
		snprintf(text, sizeof(text), "0x%x", begin);
	put_text(p, column_x(p, column) + p->width / 2, y, "small", text);
}

/* Draw the stream with all its split points; the taken ones are boundaries. */
static void draw_stream(struct picture *p)
{
	double top = p->y;
	uint32_t i, j;

	put_margin(p, top + 11, "name", "stream");
	for (i = 0; i < p->num_columns; i++) {
		const struct event *e = p->columns[i].event;
		const struct dma_def *dma = &p->r->s->dmas[e->submission->dma];
		uint64_t begin = e->step->begin, end = e->step->end;
		double x = column_x(p, i);

		fprintf(p->out, "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"15\" %s><title>bytes 0x%" PRIx64 " to 0x%" PRIx64 "%s</title></rect>\n",
			x + .5, top, p->width - 1,
			e->step->flags & VSPLIT_EVENT_SKIPPED ? "style=\"fill:#fde7e7\"" : "",
			begin, end,
			e->step->flags & VSPLIT_EVENT_SKIPPED ? ", did not all run" : "");
		for (j = 0; j < dma->num_ops && end > begin; j++) {
			uint64_t at = dma->ops[j].offset;

			if (!dma->ops[j].group || at <= begin || at >= end)
				continue;
			put_line(p, "point", x + p->width * (double)(at - begin) / (double)(end - begin),
				 top + 8, x + p->width * (double)(at - begin) / (double)(end - begin),
				 top + 15);
		}
		if (p->width >= 70)
			put_offsets(p, i, top + 11, e->step->begin, e->step->end);
	}
	p->y += 24;
}

/* ---- memory maps ------------------------------------------------------- */

struct map_area {
	const struct drm_vsplit_segment_info *segment;
	double top;
	double height;
};

static double address_y(const struct map_area *m, uint64_t at)
{
	uint64_t size = m->segment->size;

	/* Low addresses are at the bottom. */
	return m->top + m->height - m->height * (double)(at < size ? at : size) / (double)size;
}

static void draw_scale(const struct picture *p, const struct map_area *m)
{
	const char *name = (const char *)m->segment->name;
	const struct font bold = { LETTER_SIZE, true };
	double right = column_x(p, p->num_columns);
	char size[SIZE_TEXT];
	int i;

	/* Above a map there is room to the right. */
	if (name[fitting_bytes(name, LEFT - 8 - MARGIN, &bold)])
		put_text(p, 12, m->top - 9, "head", name);
	else
		put_margin(p, m->top - 9, "name", name);
	fprintf(p->out, "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
		LEFT, m->top, right - LEFT, m->height);
	for (i = 0; i <= SCALES; i++) {
		uint64_t at = m->segment->size / SCALES * (uint64_t)i;
		double y = address_y(m, i == SCALES ? m->segment->size : at);

		if (i && i < SCALES)
			put_line(p, "grid", LEFT, y, right, y);
		format_size(size, i == SCALES ? m->segment->size : at);
		put_text(p, LEFT - 6, y + 4, "scale", strlen(size) < 9 ? size :
			 format_about(size, at));
	}
}

static const char *mark_name(const struct placed *it)
{
	switch (it->mark) {
	case MARK_CAME:
		return "came";
	case MARK_MOVED:
		return "moved here";
	case MARK_WENT:
		return it->moved_away ? "moved away" : "left";
	default:
		return "stayed";
	}
}

static void draw_placed(const struct picture *p, const struct map_area *m,
			const struct placed *it, uint32_t column)
{
	double x = column_x(p, column), y = address_y(m, it->at + it->bytes);
	double height = address_y(m, it->at) - y;
	char colour[32], at[SIZE_TEXT], size[SIZE_TEXT], run[40] = "";

	if (height < 1.5) {
		y -= 1.5 - height;
		height = 1.5;
	}
	check_size(p);
	colour_of_alloc(p->r, it->label, colour);
	fputs("<g class=\"a\" data-a=\"", p->out);
	put_xml(p->out, it->label);
	fprintf(p->out, "\" data-c=\"%u\">", column);
	if (it->there)
		fprintf(p->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\">",
			height < THIN ? "thin" : "box", x, y, p->width, height, colour);
	else
		fprintf(p->out, "<rect class=\"went\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
			x + 1, y + 1, p->width - 2, height > 3 ? height - 2 : 1);
	fputs("<title>", p->out);
	put_xml(p->out, it->label);
	if (it->runs > 1)
		snprintf(run, sizeof(run), ", run %u of %u", it->run + 1, it->runs);
	fprintf(p->out, ": %s @ %s, %s%s; %s</title></rect>\n", (const char *)m->segment->name,
		format_size(at, it->at), format_size(size, it->bytes), run, mark_name(it));
	if (it->there && it->mark != MARK_STAYED)
		fprintf(p->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"4\" height=\"%.1f\"/>\n",
			it->mark == MARK_MOVED ? "moved" : "came", x, y, height);
	if (it->there && height >= NAMED)
		put_fitting(p, x, y + height / 2 + 3.6, p->width,
			    it->mark == MARK_STAYED ? "mid stay" : "head mid", it->label);
	fputs("</g>\n", p->out);
}

/* Draw an arrow from the old place to the new place. */
static void draw_move(const struct picture *p, const struct map_area *m, const struct layout *l,
		      const struct placed *to, uint32_t column)
{
	double x = column_x(p, column), reach = p->width < 80 ? p->width / 4 : 20;
	uint32_t i;

	for (i = 0; i < l->count; i++) {
		const struct placed *from = &l->list[i];
		double y0, y1;

		/* If there are several runs, none corresponds to an old one. */
		if (from->there || from->id != to->id || from->segment != to->segment ||
		    from->at == to->at || from->runs > 1 || to->runs > 1)
			continue;
		y0 = address_y(m, from->at + from->bytes / 2);
		y1 = address_y(m, to->at + to->bytes / 2);
		fprintf(p->out, "<path class=\"arrow\" marker-end=\"url(#tip)\" d=\"M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f\"/>\n",
			x - reach, y0, x + reach / 2, y0, x - reach / 2, y1, x + reach + 4, y1);
	}
}

static void draw_map_column(const struct picture *p, const struct map_area *m,
			    const struct layout *l, uint32_t column)
{
	uint32_t i, pass;

	/* Draw what left, then what is there on top, then the moves. */
	for (pass = 0; pass < 3; pass++) {
		for (i = 0; i < l->count; i++) {
			const struct placed *it = &l->list[i];

			if (it->segment != m->segment->id)
				continue;
			if (pass == 2 && it->there && it->mark == MARK_MOVED)
				draw_move(p, m, l, it, column);
			else if (pass == it->there)
				draw_placed(p, m, it, column);
		}
	}
}

static void draw_map(struct picture *p, const struct drm_vsplit_segment_info *segment)
{
	struct map_area m = {
		.segment = segment,
		.top = p->y + 22,
		.height = segment->flags & VSPLIT_SEGMENT_APERTURE ? APERTURE_MAP : MAP,
	};
	struct layout layout;
	uint32_t i, column = 0;

	draw_scale(p, &m);
	layout_start(&layout, p->r);
	for (i = 0; i < p->events->count; i++) {
		const struct event *e = &p->events->list[i];

		if (!event_is_shown(p->r, e))
			continue;
		layout_step(&layout, e);
		if (!event_is_portion(e))
			continue;
		layout_rows(&layout, e);
		draw_map_column(p, &m, &layout, column++);
		layout_settle(&layout);
	}
	layout_free(&layout);
	p->y = m.top + m.height + 8;
}

/* ---- the resource table ------------------------------------------------ */

static const struct drm_vsplit_row *row_of(const struct event *e, uint32_t slot)
{
	const struct vsplit_record *record = e->submission->record;
	uint32_t i;

	for (i = 0; i < e->step->row_count && e->step->row_first + i < record->head.num_rows; i++) {
		if (record->rows[e->step->row_first + i].slot == slot)
			return &record->rows[e->step->row_first + i];
	}
	return NULL;
}

/* The next slot, from @slot on, that a portion uses; UINT32_MAX: none. */
static uint32_t next_slot(const struct picture *p, uint32_t slot)
{
	uint32_t found = UINT32_MAX, i, j;

	for (i = 0; i < p->num_columns; i++) {
		const struct event *e = p->columns[i].event;
		const struct vsplit_record *record = e->submission->record;

		for (j = 0; j < e->step->row_count &&
		     e->step->row_first + j < record->head.num_rows; j++) {
			uint32_t it = record->rows[e->step->row_first + j].slot;

			if (it >= slot && it < found)
				found = it;
		}
	}
	return found;
}

static void draw_row(const struct picture *p, uint32_t slot)
{
	char text[LABEL_TEXT], colour[32], number[16], at[SIZE_TEXT];
	uint32_t i;

	snprintf(number, sizeof(number), "slot %u", slot);
	put_margin(p, p->y + 13, "scale", number);
	for (i = 0; i < p->num_columns; i++) {
		const struct event *e = p->columns[i].event;
		const struct drm_vsplit_row *row = row_of(e, slot), *before;
		const char *label;
		bool stays;

		if (!row)
			continue;
		before = same_submission(p, i) ? row_of(p->columns[i - 1].event, slot) : NULL;
		stays = before && before->handle == row->handle &&
			before->segment == row->segment && before->offset == row->offset;
		label = alloc_label(p->r, event_device(p->r, e), row->handle, 0, text);
		colour_of_alloc(p->r, label, colour);
		fputs("<g class=\"a\" data-a=\"", p->out);
		put_xml(p->out, label);
		fprintf(p->out, "\" data-c=\"%u\"><rect class=\"box\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"%s><title>slot %u: ",
			i, column_x(p, i), p->y, p->width, ROW - 1, colour,
			stays ? " fill-opacity=\".45\"" : "", slot);
		put_xml(p->out, label);
		fprintf(p->out, ", %s @ %s%s</title></rect>\n", segment_name(p->r, row->segment),
			format_size(at, row->offset), stays ? "; as before" : "");
		put_fitting(p, column_x(p, i), p->y + 13, p->width, stays ? "mid stay" : "head mid",
			    label);
		fputs("</g>\n", p->out);
	}
}

static void draw_table(struct picture *p)
{
	uint32_t slot = next_slot(p, 0);

	if (slot == UINT32_MAX)
		return;
	put_margin(p, p->y + 12, "name", "table");
	p->y += 18;
	for (; slot != UINT32_MAX; slot = next_slot(p, slot + 1)) {
		draw_row(p, slot);
		p->y += ROW;
	}
	p->y += 6;
}

/* Draw the bytes that were paged before each portion. */
static void draw_traffic(struct picture *p)
{
	static const struct {
		uint32_t type;
		const char *name;
	} kinds[] = {
		{ VSPLIT_EVENT_PAGE_IN, "paged in" }, { VSPLIT_EVENT_EVICT, "evicted" },
		{ VSPLIT_EVENT_MOVE, "moved" }, { VSPLIT_EVENT_MAP, "mapped" },
		{ VSPLIT_EVENT_UNMAP, "unmapped" },
	};
	size_t kind;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		uint64_t bytes = 0;
		bool any = false;
		uint32_t i, column = 0;

		for (i = 0; i < p->events->count; i++) {
			const struct event *e = &p->events->list[i];

			if (!event_is_shown(p->r, e))
				continue;
			if (e->step->type == kinds[kind].type)
				bytes += e->step->bytes;
			if (!event_is_portion(e))
				continue;
			if (bytes) {
				put_figure(p, column, p->y + 10, kinds[kind].name, bytes);
				any = true;
			}
			bytes = 0;
			column++;
		}
		if (!any)
			continue;
		put_margin(p, p->y + 10, "scale", kinds[kind].name);
		p->y += 14;
	}
	p->y += 4;
}

/* Draw lines between the columns: a taken split, or another submission. */
static void draw_boundaries(const struct picture *p, double top)
{
	uint32_t i;

	for (i = 1; i < p->num_columns; i++) {
		const struct event *e = p->columns[i].event;
		double x = column_x(p, i);
		bool split = same_submission(p, i);

		fputs("<g>", p->out);
		if (split)
			fprintf(p->out, "<title>split at 0x%x</title>", e->step->begin);
		put_line(p, split ? "cut" : "next", x, top, x, p->y);
		fputs("</g>\n", p->out);
	}
}

/* ---- foot -------------------------------------------------------------- */

static void draw_checks(struct picture *p)
{
	uint32_t i;

	for (i = 0; i < p->r->num_checks; i++) {
		const struct check_result *c = &p->r->checks[i];
		const char *subject = c->subject ? c->subject : "";
		char text[500];

		if (c->held)
			continue;
		snprintf(text, sizeof(text), "× %.*s:%d: expected %.*s%s%.*s, got %.*s",
			 whole_letters(p->r->s->path, 80), p->r->s->path, c->line,
			 whole_letters(subject, 60), subject, *subject ? " " : "",
			 whole_letters(c->expected, 160), c->expected,
			 whole_letters(c->got, 160), c->got);
		p->y += 16;
		put_text(p, 12, p->y, "bad", text);
	}
	for (i = 0; i < p->events->count; i++) {
		const struct event *e = &p->events->list[i];
		char text[200], reason[REASON_TEXT];

		if (e->kind == SHOW_STEP)
			continue;
		if (e->kind == SHOW_FAULT)
			snprintf(text, sizeof(text), "! %.40s.%u: fault: %s",
				 p->r->s->dmas[e->submission->dma].name, e->portion,
				 fault_reason(p->r, e, reason));
		else
			snprintf(text, sizeof(text), "! %.40s %s %s",
				 p->r->s->dmas[e->submission->dma].name,
				 e->submission->error ? "was refused:" : "ended with",
				 errno_name(e->error));
		p->y += 16;
		put_text(p, 12, p->y, "bad", text);
	}
}

static void draw_legend(struct picture *p)
{
	static const struct {
		const char *shape;
		const char *text;
	} entries[] = {
		{ "<rect class=\"came\" width=\"4\" height=\"12\"/><rect x=\"4\" width=\"16\" height=\"12\" fill=\"#ddd\"/>",
		  "came" },
		{ "<rect width=\"20\" height=\"12\" fill=\"#ddd\"/>", "stayed" },
		{ "<rect class=\"moved\" width=\"4\" height=\"12\"/><rect x=\"4\" width=\"16\" height=\"12\" fill=\"#ddd\"/>",
		  "moved" },
		{ "<rect class=\"went\" x=\"1\" y=\"1\" width=\"18\" height=\"10\"/>", "left" },
		{ "<line class=\"cut\" x1=\"10\" x2=\"10\" y1=\"-2\" y2=\"14\"/>", "split taken" },
		{ "<line class=\"point\" x1=\"10\" x2=\"10\" y1=\"2\" y2=\"10\"/>", "split point" },
	};
	double x = 12;
	size_t i;

	p->y += 22;
	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		fprintf(p->out, "<g transform=\"translate(%.1f %.1f)\">%s</g>\n", x, p->y - 10,
			entries[i].shape);
		put_text(p, x + 26, p->y, "dim", entries[i].text);
		x += 44 + LETTER * (double)strlen(entries[i].text);
	}
	p->y += 14;
}

static void draw(struct picture *p)
{
	double top;
	uint32_t i;

	draw_title(p);
	if (p->num_columns) {
		top = p->y + 4;
		draw_labels(p);
		draw_stream(p);
		for (i = 0; i < p->r->num_segments; i++) {
			if (segment_is_used(p->r, p->events, p->r->segments[i].id))
				draw_map(p, &p->r->segments[i]);
		}
		draw_table(p);
		draw_traffic(p);
		draw_boundaries(p, top);
	}
	draw_residency(p);
	if (p->num_columns)
		draw_timeline(p);
	draw_checks(p);
	draw_legend(p);
}

void show_svg(FILE *out, const struct result *r, const struct events *events)
{
	struct picture p = { .r = r, .events = events };
	char *body = NULL;
	size_t size;

	/* The height is known only after drawing. */
	p.out = open_memstream(&body, &size);
	if (!p.out || !make_columns(&p)) {
		complain("%s", strerror(ENOMEM));
		exit(EXIT_NOT_RUN);
	}
	draw(&p);
	if (ferror(p.out) | fclose(p.out)) {
		complain("%s", strerror(ENOMEM));
		exit(EXIT_NOT_RUN);
	}
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n"
		"<!-- SPDX-License-Identifier: MIT -->\n<style>%s</style>\n"
		"<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#b27d00\"/></marker></defs>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		p.full, p.y, p.full, p.y, style);
	fputs(body, out);
	fputs("</svg>\n", out);
	free(body);
	free(p.columns);
}
