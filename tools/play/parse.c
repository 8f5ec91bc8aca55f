// SPDX-License-Identifier: MIT
/* Parses a scenario: its lines, objects, and simple actions. Other files have further statements. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

#define MAX_TITLE	160

struct stmt *add_stmt(struct parser *p, enum stmt_type type)
{
	struct stmt *stmt;

	p->s->stmts = append(p->s->stmts, &p->s->num_stmts, sizeof(*p->s->stmts));
	stmt = &p->s->stmts[p->s->num_stmts - 1];
	stmt->type = type;
	stmt->line = p->line;
	stmt->index = NO_INDEX;
	return stmt;
}

bool use_device(struct parser *p, uint32_t index)
{
	const struct device_def *d = &p->s->devices[index];

	return d->closed ? bad(p, "device %s was closed in line %d", d->name, d->closed) : true;
}

/* ---- objects ----------------------------------------------------------- */

static bool parse_device(struct parser *p)
{
	struct device_def *d;
	const char *name, *word;

	if (!need_name(p, "a name", &name))
		return false;
	if (find_device(p->s, name) != NO_INDEX)
		return bad(p, "device: there is a device %s already", name);
	p->s->devices = append(p->s->devices, &p->s->num_devices, sizeof(*p->s->devices));
	d = &p->s->devices[p->s->num_devices - 1];
	d->name = copy_text(name);
	d->line = p->line;
	while ((word = next_word(p))) {
		if (!strcmp(word, "adapter=own"))
			d->own = true;
		else if (!strcmp(word, "node=primary"))
			d->primary = true;
		else if (!strcmp(word, "trim=lru"))
			d->trim_lru = true;
		else if (strcmp(word, "node=render") && strcmp(word, "trim=ignore"))
			return bad(p, "device: unexpected '%s'", word);
	}
	/* The scenario's adapter must be described, as this device's adapter is set up like it. */
	if (d->own)
		p->s->adapter.own = true;
	add_stmt(p, STMT_DEVICE)->index = p->s->num_devices - 1;
	return true;
}

bool device_option(struct parser *p, const char *name, uint32_t *device)
{
	uint32_t index = find_device(p->s, name);

	if (index == NO_INDEX)
		return NO_SUCH(p, p->words[0], "device", name, devices);
	*device = index;
	return use_device(p, index);
}

static bool context_option(struct parser *p, struct context_def *c, const char *word)
{
	static const char *const priorities[] = { "low", "normal", "high" };
	const char *value;
	uint64_t number;
	uint32_t i;

	if (key_value(word, "device", &value))
		return device_option(p, value, &c->device);
	if (key_value(word, "mode", &value)) {
		c->mode = VSPLIT_CTX_MODE_PATCH;
		if (!strcmp(value, "explicit"))
			c->mode = VSPLIT_CTX_MODE_EXPLICIT;
		else if (!strcmp(value, "va"))
			c->mode = VSPLIT_CTX_MODE_VA;
		else if (!strcmp(value, "hw"))
			c->mode = VSPLIT_CTX_MODE_HW;
		else if (strcmp(value, "patch"))
			return bad(p, "context: mode is patch, explicit, va or hw, not '%s'",
				   value);
		if (c->mode != VSPLIT_CTX_MODE_PATCH)
			p->s->adapter.own = true;
		p->s->adapter.modes |= 1u << c->mode;
		return true;
	}
	if (key_value(word, "priority", &value)) {
		for (i = 0; i < ARRAY_SIZE(priorities); i++) {
			if (!strcmp(value, priorities[i])) {
				c->priority = VSPLIT_CTX_PRIORITY_LOW + i;
				return true;
			}
		}
		return bad(p, "context: priority is low, normal or high, not '%s'", value);
	}
	if (key_value(word, "errors", &value)) {
		if (strcmp(value, "atomic") && strcmp(value, "wddm"))
			return bad(p, "context: errors is atomic or wddm, not '%s'", value);
		c->wddm = !strcmp(value, "wddm");
		return true;
	}
	if (key_value(word, "engine", &value)) {
		if (!parse_number(value, &number) || number > UINT32_MAX)
			return bad(p, "context: engine '%s' is no number", value);
		c->engine = (uint32_t)number;
		return true;
	}
	return bad(p, "context: unexpected '%s'", word);
}

static bool parse_context(struct parser *p)
{
	struct context_def *c;
	const char *name, *word;

	if (!need_name(p, "a name", &name))
		return false;
	if (find_context(p->s, name) != NO_INDEX)
		return bad(p, "context: there is a context %s already", name);
	p->s->contexts = append(p->s->contexts, &p->s->num_contexts, sizeof(*p->s->contexts));
	c = &p->s->contexts[p->s->num_contexts - 1];
	c->name = copy_text(name);
	c->line = p->line;
	c->priority = VSPLIT_CTX_PRIORITY_NORMAL;
	c->wddm = p->wddm;
	while ((word = next_word(p))) {
		if (!context_option(p, c, word))
			return false;
	}
	add_stmt(p, STMT_CONTEXT)->index = p->s->num_contexts - 1;
	return true;
}

/* ---- actions ----------------------------------------------------------- */

static bool submitted_dma(struct parser *p, const char *name, uint32_t *index)
{
	*index = find_dma(p->s, name);
	if (*index == NO_INDEX)
		return NO_SUCH(p, p->words[0], "DMA buffer", name, dmas);
	return p->s->dmas[*index].submitted ? true :
	       bad(p, "%s: %s was not submitted before", p->words[0], name);
}

bool submit_after(struct parser *p, struct stmt *stmt, const char *value)
{
	char *list = copy_text(value), *rest = list, *item;
	bool ok = true;

	while (ok && (item = next_item(&rest))) {
		uint32_t index;

		ok = submitted_dma(p, item, &index) &&
		     use_device(p, p->s->contexts[p->s->dmas[index].context].device);
		if (ok) {
			stmt->after = append(stmt->after, &stmt->num_after, sizeof(*stmt->after));
			stmt->after[stmt->num_after - 1] = index;
		}
	}
	free(list);
	return ok;
}

static bool parse_submit(struct parser *p)
{
	struct stmt *stmt = add_stmt(p, STMT_SUBMIT);
	const char *name, *word, *value;
	struct dma_def *dma;

	if (!need_name(p, "a DMA buffer", &name))
		return false;
	stmt->index = find_dma(p->s, name);
	if (stmt->index == NO_INDEX)
		return NO_SUCH(p, "submit", "DMA buffer", name, dmas);
	dma = &p->s->dmas[stmt->index];
	if (!use_device(p, p->s->contexts[dma->context].device))
		return false;
	/* Only buffers with patch lists can be split: the driver refuses the flag for others. */
	stmt->force_split = p->force_split &&
			    p->s->contexts[dma->context].mode == VSPLIT_CTX_MODE_PATCH;
	while ((word = next_word(p))) {
		if (!key_value(word, "after", &value))
			return bad(p, "submit: unexpected '%s'", word);
		if (!submit_after(p, stmt, value))
			return false;
	}
	dma->submitted = true;
	return true;
}

static bool parse_wait(struct parser *p)
{
	struct stmt *stmt = add_stmt(p, STMT_WAIT);
	const char *name;
	uint32_t head;

	stmt->request = NO_INDEX;
	if (!need_name(p, "a DMA buffer, a head, or all,", &name))
		return false;
	head = find_dma(p->s, name) == NO_INDEX ? find_head(p->s, name) : NO_INDEX;
	if (head != NO_INDEX)
		return parse_wait_head(p, stmt, head);
	if (!strcmp(name, "all") && find_dma(p->s, name) == NO_INDEX)
		return need_end(p);
	if (find_fence(p->s, name) != NO_INDEX && find_dma(p->s, name) == NO_INDEX)
		return parse_wait_fence(p, stmt, find_fence(p->s, name));
	stmt->request = find_request(p->s, name);
	if (stmt->request != NO_INDEX)
		return use_device(p, p->s->requests[stmt->request].device) && need_end(p);
	if (!submitted_dma(p, name, &stmt->index))
		return false;
	if (!use_device(p, p->s->contexts[p->s->dmas[stmt->index].context].device))
		return false;
	return need_end(p);
}

static bool parse_write(struct parser *p)
{
	struct stmt *stmt = add_stmt(p, STMT_WRITE);
	const struct alloc_def *a;
	uint64_t byte;

	if (!need_alloc(p, &stmt->index) || !need_number(p, "the byte", UINT8_MAX, &byte))
		return false;
	stmt->byte = (uint8_t)byte;
	a = &p->s->allocs[stmt->index];
	return take_range(p, a->size, &stmt->range) &&
	       need_inside(p, a, a->size, stmt->range.offset, stmt->range.length) && need_end(p);
}

static bool parse_lock(struct parser *p)
{
	static const struct {
		const char *name;
		uint32_t flag;
	} words[] = {
		{ "dontwait", VSPLIT_LOCK_DONOT_WAIT },
		{ "read", VSPLIT_LOCK_READ_ONLY },
		{ "write", VSPLIT_LOCK_WRITE_ONLY },
		{ "ignore-sync", VSPLIT_LOCK_IGNORE_SYNC },
		{ "ignore-read-sync", VSPLIT_LOCK_IGNORE_READ_SYNC },
		{ "dontevict", VSPLIT_LOCK_DONOT_EVICT },
		{ "aperture", VSPLIT_LOCK_ACQUIRE_APERTURE },
		{ "discard", VSPLIT_LOCK_DISCARD },
	};
	struct stmt *stmt = add_stmt(p, STMT_LOCK);
	const char *word;
	size_t i;

	if (!need_alloc(p, &stmt->index))
		return false;
	while ((word = next_word(p))) {
		for (i = 0; i < ARRAY_SIZE(words) && strcmp(word, words[i].name); i++)
			;
		if (i == ARRAY_SIZE(words))
			return bad(p, "lock: unexpected '%s'", word);
		stmt->lock_flags |= words[i].flag;
	}
	return true;
}

static bool parse_unlock(struct parser *p)
{
	struct stmt *stmt = add_stmt(p, STMT_UNLOCK);

	return need_alloc(p, &stmt->index) && need_end(p);
}

static bool parse_close(struct parser *p)
{
	struct stmt *stmt = add_stmt(p, STMT_CLOSE);
	const char *name;

	if (!need_name(p, "a device", &name))
		return false;
	stmt->index = find_device(p->s, name);
	if (stmt->index == NO_INDEX)
		return NO_SUCH(p, "close", "device", name, devices);
	if (!use_device(p, stmt->index))
		return false;
	p->s->devices[stmt->index].closed = p->line;
	return need_end(p);
}

/* ---- test mode --------------------------------------------------------- */

static struct stmt *add_test_stmt(struct parser *p, enum stmt_type type)
{
	p->s->adapter.own = true;
	p->s->adapter.test = true;
	return add_stmt(p, type);
}

static bool parse_knob(struct parser *p)
{
	struct stmt *stmt = add_test_stmt(p, STMT_KNOB);
	const char *name;

	if (!need_word(p, "the name", &name))
		return false;
	stmt->knob = knob_name(name, strlen(name));
	if (!stmt->knob)
		return bad(p, "knob: there is no knob '%s'", name);
	if (!need_number(p, "the setting", knob_max(stmt->knob), &stmt->value))
		return false;
	return need_end(p);
}

static bool parse_engine_switch(struct parser *p, enum stmt_type type)
{
	struct stmt *stmt = add_test_stmt(p, type);
	uint64_t engine = 0;

	if (peek_word(p) && !need_number(p, "the engine", 63, &engine))
		return false;
	stmt->index = (uint32_t)engine;
	return need_end(p);
}

static bool parse_suspend(struct parser *p)
{
	return parse_engine_switch(p, STMT_SUSPEND);
}

static bool parse_resume(struct parser *p)
{
	return parse_engine_switch(p, STMT_RESUME);
}

/* ---- the file ---------------------------------------------------------- */

static bool parse_statement(struct parser *p)
{
	static const struct {
		const char *word;
		bool (*parse)(struct parser *p);
	} statements[] = {
		{ "adapter", parse_adapter }, { "segment", parse_segment }, { "slots", parse_slots },
		{ "engine", parse_engine }, { "errors", parse_errors },
		{ "option", parse_option }, { "device", parse_device },
		{ "context", parse_context }, { "alloc", parse_alloc },
		{ "dma", parse_dma }, { "submit", parse_submit },
		{ "wait", parse_wait }, { "write", parse_write },
		{ "lock", parse_lock }, { "unlock", parse_unlock },
		{ "resident", parse_resident }, { "evict", parse_evict },
		{ "evict-resident", parse_evict }, { "budget", parse_budget },
		{ "trim", parse_trim },
		{ "map", parse_map }, { "unmap", parse_unmap }, { "sparse", parse_sparse },
		{ "close", parse_close }, { "expect", parse_expect },
		{ "surface", parse_surface }, { "import", parse_import },
		{ "dumb", parse_dumb }, { "priority", parse_priority },
		{ "knob", parse_knob }, { "suspend", parse_suspend },
		{ "resume", parse_resume }, { "head", parse_head },
		{ "flip", parse_flip }, { "fence", parse_fence },
		{ "signal", parse_signal }, { "offer", parse_offer },
		{ "reclaim", parse_reclaim },
	};
	const char *word = next_word(p);
	struct guess guess = { 0 };
	char text[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(statements); i++) {
		if (!strcmp(word, statements[i].word))
			return statements[i].parse(p);
		guess_try(&guess, word, statements[i].word);
	}
	return bad(p, "'%s' is no statement%s", word, guess_text(&guess, text));
}

/* Split the line into words, in place. */
static void split_words(struct parser *p, char *line)
{
	static const char space[] = " \t\r\v\f";

	p->num_words = 0;
	p->at = 0;
	for (;;) {
		line += strspn(line, space);
		if (!*line || *line == '#')
			break;
		p->words = append(p->words, &p->num_words, sizeof(*p->words));
		p->words[p->num_words - 1] = line;
		line += strcspn(line, " \t\r\v\f#");
		if (!*line || *line == '#') {
			*line = '\0';
			break;
		}
		*line++ = '\0';
	}
}

/* Skip "RES-8. " or "SEG-8 to SEG-10. " at the beginning of an example's comment. */
static const char *skip_ids(const char *line)
{
	static const char *const between[] = { ", ", " to ", " and " };
	const char *at = line;
	size_t i;

	for (;;) {
		size_t letters = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), digits;

		digits = at[letters] == '-' ? strspn(at + letters + 1, "0123456789") : 0;
		if (!letters || !digits)
			return line;
		at += letters + 1 + digits;
		if (!strncmp(at, ". ", 2))
			return at + 2;
		for (i = 0; i < ARRAY_SIZE(between); i++) {
			if (!strncmp(at, between[i], strlen(between[i])))
				break;
		}
		if (i == ARRAY_SIZE(between))
			return line;
		at += strlen(between[i]);
	}
}

/*
 * The title is the first sentence of the comment at the beginning of the file. It may span several
 * lines, up to a maximum length.
 */
static void take_title(struct scenario *s, const char *line)
{
	const char *stop;
	char *title;
	size_t len;

	line += strspn(line, "# \t");
	if (!s->title)
		line = skip_ids(line);
	len = strcspn(line, "\r");
	if (!strncmp(line, "SPDX-", 5) || (!s->title && !len))
		return;
	stop = strstr(line, ". ");
	if (!len) {
		s->title_done = true;
		return;
	}
	/* The sentence is too long: end the title with dots. */
	if (s->title && strlen(s->title) > MAX_TITLE) {
		s->title_done = true;
		line = "...";
		len = strlen(line);
		stop = NULL;
	}
	if (stop)
		len = (size_t)(stop - line) + 1;
	if (stop || line[len - 1] == '.')
		s->title_done = true;
	if (asprintf(&title, "%s%s%.*s", s->title ? s->title : "", s->title ? " " : "", (int)len,
		     line) < 0)
		return;
	make_printable(title);
	free(s->title);
	s->title = title;
}

static bool end_body(struct parser *p)
{
	int line = p->line;
	bool ok = finish_dma(p) || go_on(p);

	p->line = line;
	return ok;
}

/*
 * A body line had a mistake. If it names a slot, the content of that slot is not known from there
 * on; if it names none, this is so for all slots.
 */
static void lose_slots(struct parser *p)
{
	static const char *const commands[] = {
		"fill", "copy", "swizzle", "unswizzle", "spin", "pad", "signal", "primary",
	};
	struct lost_slot *lost;
	uint64_t slot;
	size_t i;

	p->lost = append(p->lost, &p->num_lost, sizeof(*p->lost));
	lost = &p->lost[p->num_lost - 1];
	lost->dma = p->s->num_dmas - 1;
	lost->op = p->s->dmas[lost->dma].num_ops;
	lost->slot = p->num_words > 1 && parse_number(p->words[1], &slot) && slot < NO_INDEX ?
		     (uint32_t)slot : NO_INDEX;
	/* These commands do not change slots. */
	for (i = 0; p->num_words && i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(p->words[0], commands[i]))
			lost->op = NO_INDEX;
	}
	/* One of these is enough for is_lost_body(). */
	if (lost->op == NO_INDEX && p->num_lost > 1 && lost[-1].dma == lost->dma &&
	    lost[-1].op == NO_INDEX)
		p->num_lost--;
}

/* The first element of @lost that is of this body or a later one. */
static uint32_t first_lost(const struct parser *p, uint32_t dma)
{
	uint32_t low = 0, high = p->num_lost, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (p->lost[middle].dma < dma)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool is_lost_body(const struct parser *p, uint32_t dma)
{
	uint32_t i = first_lost(p, dma);

	return i < p->num_lost && p->lost[i].dma == dma;
}

bool is_lost_slot(const struct parser *p, uint32_t dma, uint32_t op, uint32_t slot)
{
	uint32_t i;

	for (i = first_lost(p, dma); i < p->num_lost && p->lost[i].dma == dma; i++) {
		const struct lost_slot *lost = &p->lost[i];

		if (lost->op <= op && (lost->slot == slot || lost->slot == NO_INDEX))
			return true;
	}
	return false;
}

/* Does this statement make no objects? All others, and misspelt ones, may make some. */
static bool makes_nothing(const char *word)
{
	static const char *const words[] = {
		"expect", "submit", "wait", "write", "lock", "unlock", "priority", "close", "budget",
		"trim", "offer", "reclaim", "map", "unmap", "sparse", "signal", "flip",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(word, words[i]))
			return true;
	}
	return false;
}

/* A line had a mistake, and parsing goes on. Names that the line may define become doubtful. */
static void doubt(struct parser *p, bool in_body)
{
	const char *word = p->num_words ? p->words[0] : "";
	uint32_t names = !strcmp(word, "surface") ? 2 : in_body || makes_nothing(word) ? 0 : 1;
	uint32_t i;

	for (i = 1; i <= names && i < p->num_words; i++) {
		p->doubtful = append(p->doubtful, &p->num_doubtful, sizeof(*p->doubtful));
		p->doubtful[p->num_doubtful - 1] = copy_text(p->words[i]);
	}
	if (in_body)
		lose_slots(p);
	if (!strcmp(word, "dma"))
		p->lost_body = true;
}

bool is_doubtful(struct parser *p, const char *name)
{
	return find_name(&p->doubtful_names, p->doubtful, p->num_doubtful, sizeof(*p->doubtful),
			 name) != NO_INDEX;
}

/* Does the message contain this word? The file's name at its beginning may match as well. */
static bool speaks_of(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *at;

	for (at = text; (at = strstr(at, word)); at++) {
		bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');

		if (begins && !isalnum((unsigned char)at[len]) && at[len] != '_')
			return true;
	}
	return false;
}

bool go_on(struct parser *p)
{
	const char *text = strstr(p->error->text, ": ");
	struct mistakes *m = p->mistakes;
	uint32_t i;

	if (!m)
		return false;
	/* A mistake that follows from another one is not counted. */
	for (i = 1; i < p->num_words; i++) {
		if (is_doubtful(p, p->words[i]) && speaks_of(text ? text : "", p->words[i]))
			return true;
	}
	m->list = append(m->list, &m->count, sizeof(*m->list));
	m->list[m->count - 1] = (struct mistake){ p->line, copy_text(p->error->text) };
	return true;
}

static bool parse_line(struct parser *p, char *line)
{
	bool indented = *line == ' ' || *line == '\t';

	if (*line != '#')
		p->s->title_done |= p->s->title || *line;
	else if (!p->s->title_done)
		take_title(p->s, line);
	split_words(p, line);
	if (!p->num_words)
		return true;
	if (indented && p->in_body) {
		p->at = 1;
		return parse_body_line(p);
	}
	if (indented && p->lost_body)
		return true;
	if (indented)
		return bad(p, "an indented line belongs to a dma, and there is none before it");
	p->lost_body = false;
	if (p->in_body && !end_body(p))
		return false;
	return parse_statement(p);
}

/* Check segments that allocations and expectations name. */
static bool check_segments(struct parser *p)
{
	struct scenario *s = p->s;
	uint32_t i, j;

	p->num_words = 0;
	if (!s->adapter.own)
		return true;
	for (i = 0; i < s->num_allocs; i++) {
		const struct alloc_def *a = &s->allocs[i];

		p->line = a->line;
		for (j = 0; j < a->num_segments + a->num_evict_to; j++) {
			const char *name = j < a->num_segments ? a->segments[j] :
							       a->evict_to[j - a->num_segments];

			uint32_t index = find_segment(s, name);

			if (index == NO_INDEX &&
			    !no_such(p, "alloc", "segment", name, s->adapter.segments,
				     s->adapter.num_segments, sizeof(*s->adapter.segments)) &&
			    !go_on(p))
				return false;
			if (index != NO_INDEX && a->flags & VSPLIT_GEM_RUNS &&
			    s->adapter.segments[index].aperture &&
			    !bad(p, "alloc: an allocation in runs is in a memory segment, and %s is an aperture",
				 name) && !go_on(p))
				return false;
		}
	}
	for (i = 0; i < s->num_stmts; i++) {
		for (j = 0; j < s->stmts[i].num_checks; j++) {
			const char *name = s->stmts[i].checks[j].name;

			p->line = s->stmts[i].line;
			if (name && find_segment(s, name) == NO_INDEX &&
			    !no_such(p, "expect", "segment", name, s->adapter.segments,
				     s->adapter.num_segments, sizeof(*s->adapter.segments)) &&
			    !go_on(p))
				return false;
		}
	}
	return true;
}

/* If the scenario has an adapter of its own, but no segments, add the default ones. */
static void default_segments(struct adapter_def *a)
{
	if (!a->own || a->num_segments)
		return;
	a->segments[0] = (struct segment_def){
		.name = copy_text("vram"), .size = DEFAULT_VRAM, .cpu = VSPLIT_ADAPTER_CPU_ALL,
	};
	a->segments[1] = (struct segment_def){
		.name = copy_text("aperture"), .size = DEFAULT_APERTURE, .aperture = true,
		.cpu = VSPLIT_ADAPTER_CPU_ALL,
	};
	a->num_segments = 2;
}

static bool parse_text(struct parser *p, char *text, size_t size)
{
	static const char mark[3] = "\xef\xbb\xbf";
	char *line = text, *end = text + size;

	/* Skip a byte order mark: some editors begin UTF-8 files with it. */
	if (size >= sizeof(mark) && !memcmp(line, mark, sizeof(mark)))
		line += sizeof(mark);
	while (line < end) {
		char *stop = memchr(line, '\n', (size_t)(end - line));

		p->line++;
		if (!stop)
			stop = end;
		*stop = '\0';
		if (strlen(line) != (size_t)(stop - line))
			return bad(p, "the line has a NUL byte: this is no text");
		if (!parse_line(p, line)) {
			if (!go_on(p))
				return false;
			doubt(p, p->in_body && (*line == ' ' || *line == '\t'));
		}
		line = stop + 1;
	}
	if (p->in_body && !end_body(p))
		return false;
	default_segments(&p->s->adapter);
	return check_segments(p);
}

struct scenario *parse_all(struct parser *p, const char *path, const char *text, size_t size)
{
	char *copy;
	bool ok;

	p->s = scenario_new();
	p->s->path = copy_text(path);
	p->s->adapter.save_restore = -1;
	p->s->adapter.paging_own = -1;
	p->s->devices = append(NULL, &p->s->num_devices, sizeof(*p->s->devices));
	p->error->text[0] = '\0';

	copy = malloc(size + 1);
	if (!copy) {
		snprintf(p->error->text, sizeof(p->error->text), "%s: %s", path,
			 strerror(ENOMEM));
		scenario_free(p->s);
		return NULL;
	}
	if (size)
		memcpy(copy, text, size);
	copy[size] = '\0';
	ok = parse_text(p, copy, size);
	free(p->binders);
	free(p->words);
	p->words = NULL;
	p->num_words = 0;
	free(copy);
	if (!ok) {
		scenario_free(p->s);
		return NULL;
	}
	return p->s;
}

struct scenario *scenario_parse(const char *path, const char *text, size_t size,
				struct parse_error *error)
{
	struct parser p = { .error = error };

	return parse_all(&p, path, text, size);
}

char *read_text(const char *path, size_t *size, struct parse_error *error)
{
	bool input = !strcmp(path, "-");
	FILE *file = input ? stdin : fopen(path, "re");
	char *text = NULL, *more;
	size_t room = 1 << 16, got;

	*size = 0;
	error->text[0] = '\0';
	if (!file) {
		snprintf(error->text, sizeof(error->text), "%s: %s", path, strerror(errno));
		return NULL;
	}
	do {
		room *= 2;
		more = realloc(text, room);
		if (!more) {
			snprintf(error->text, sizeof(error->text), "%s: %s", path,
				 strerror(ENOMEM));
			break;
		}
		text = more;
		got = fread(text + *size, 1, room - *size, file);
		*size += got;
	} while (*size == room && *size <= MAX_FILE);
	if (ferror(file))
		snprintf(error->text, sizeof(error->text), "%s: %s", path, strerror(errno));
	else if (*size > MAX_FILE)
		snprintf(error->text, sizeof(error->text), "%s: over %u MiB: this is no scenario",
			 path, MAX_FILE >> 20);
	if (!input)
		fclose(file);
	if (!error->text[0])
		return text;
	free(text);
	return NULL;
}

struct scenario *scenario_load(const char *path, struct parse_error *error)
{
	size_t size;
	char *text = read_text(path, &size, error);
	struct scenario *s = NULL;

	if (text)
		s = scenario_parse(strcmp(path, "-") ? path : "<stdin>", text, size, error);
	free(text);
	return s;
}
