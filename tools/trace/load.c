// SPDX-License-Identifier: MIT
/* Reads a recording, and prints it as text. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define MAX_LINE	(1u << 20)

static struct json_object *get(struct json_object *o, const char *name)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(o, name, &value);
	return value;
}

static uint64_t number(struct json_object *o, const char *name)
{
	return json_object_get_uint64(get(o, name));
}

static const char *string(struct json_object *o, const char *name)
{
	struct json_object *value = get(o, name);

	return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

uint64_t event_number(const struct trace_event *e, const char *name)
{
	return number(e->fields, name);
}

int event_error(const struct trace_event *e)
{
	return json_object_get_int(get(e->fields, "error"));
}

static void add(struct recording *r, struct json_object *o)
{
	r->events = append(r->events, &r->count, sizeof(*r->events));
	r->events[r->count - 1] = (struct trace_event){
		.ts = number(o, "ts"),
		.order = r->count,
		.pid = (uint32_t)number(o, "pid"),
		.name = string(o, "event"),
		.dev = string(o, "dev"),
		.fields = json_object_get(o),
	};
}

/*
 * Take one line of the recording. An event holds its own reference to @o. Returns what is wrong, or
 * NULL.
 */
static const char *take(struct recording *r, struct json_object *o, size_t line)
{
	const char *format = string(o, "format");

	if (line == 1) {
		if (!format || strcmp(format, TRACE_FORMAT))
			return "not a recording of vsplit-trace";
		if (number(o, "version") != TRACE_VERSION)
			return "of another version";
	} else if (r->ended) {
		return "something behind the end";
	} else if (get(o, "ended")) {
		r->ended = true;
		r->lost = number(o, "lost");
		if (number(o, "events") != r->count)
			return "events are missing before the end";
	} else if (!string(o, "event") || !string(o, "dev") || !get(o, "ts")) {
		return "not an event";
	} else {
		add(r, o);
	}
	return NULL;
}

/* Compare by time; events of the same time stay in the order of the file. */
static int by_time(const void *a, const void *b)
{
	const struct trace_event *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

int recording_load(const char *path, struct recording *r)
{
	FILE *in = fopen(path, "re");
	const char *wrong = NULL;
	size_t line = 0, room = 0;
	char *text = NULL;
	ssize_t length = 0;

	*r = (struct recording){ 0 };
	if (!in) {
		complain("%s: %s", path, strerror(errno));
		return -1;
	}
	while (!wrong && (length = read_line(&text, &room, MAX_LINE, in)) > 0) {
		struct json_object *o = json_tokener_parse(text);

		line++;
		/*
		 * A recorder that was killed may leave part of a line. The recording then has no
		 * end line, either.
		 */
		if (!o && line > 1 && text[length - 1] != '\n')
			break;
		wrong = json_object_is_type(o, json_type_object) ? take(r, o, line) :
			line == 1 ? "not a recording of vsplit-trace" : "not an object of JSON";
		json_object_put(o);
	}
	if (!wrong && length < 0) {
		line++;
		wrong = length == -EFBIG ? "the line has over 1 MiB: this is no recording" : strerror((int)-length);
	}
	if (!wrong && !line)
		wrong = "not a recording of vsplit-trace";
	if (wrong)
		complain("%s:%zu: %s", path, line, wrong);
	free(text);
	fclose(in);
	if (!wrong && r->count)
		qsort(r->events, r->count, sizeof(*r->events), by_time);
	return wrong ? -1 : 0;
}

void recording_free(struct recording *r)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		json_object_put(r->events[i].fields);
	free(r->events);
}

const char *trim_reason(const struct trace_event *e)
{
	static const char *const names[] = { "none", "demand", "budget", "periodic" };
	uint64_t reason = event_number(e, "reason");

	return reason < ARRAY_SIZE(names) ? names[reason] : "unknown";
}

const char *trim_group(const struct trace_event *e)
{
	return event_number(e, "group") == VSPLIT_GROUP_LOCAL ? "local" : "nonlocal";
}

/*
 * Print a string of the recording. The file may come from anywhere, so the string must not reach
 * the terminal with control sequences in it.
 */
static void put_printable(FILE *out, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return;
	make_printable(copy);
	fputs(copy, out);
	free(copy);
}

static void put_value(FILE *out, const struct trace_event *e, const char *name,
		      struct json_object *value)
{
	bool paging = !strcmp(e->name, "vsplit_plan_op") || !strcmp(e->name, "vsplit_paging");
	bool trim = !strcmp(e->name, "vsplit_trim");

	if (paging && !strcmp(name, "type")) {
		fprintf(out, " type=%s", vsplit_event_name((uint32_t)json_object_get_uint64(value)));
	} else if (trim && !strcmp(name, "reason")) {
		fprintf(out, " reason=%s", trim_reason(e));
	} else if (trim && !strcmp(name, "group")) {
		fprintf(out, " group=%s", trim_group(e));
	} else {
		putc(' ', out);
		put_printable(out, name);
		putc('=', out);
		put_printable(out, value ? json_object_get_string(value) : "null");
	}
}

void recording_text(FILE *out, const struct recording *r)
{
	size_t i;

	for (i = 0; i < r->count; i++) {
		const struct trace_event *e = &r->events[i];
		const char *name = e->name;
		size_t length;

		if (!strncmp(name, "vsplit_", 7))
			name += 7;
		length = strlen(name);
		fprintf(out, "%13.6f ms  ", (double)(e->ts - r->events[0].ts) * 1e-6);
		put_printable(out, name);
		fprintf(out, "%*s", length < 14 ? (int)(14 - length) : 0, "");
		json_object_object_foreach(e->fields, key, value) {
			if (strcmp(key, "ts") && strcmp(key, "event") && strcmp(key, "cpu"))
				put_value(out, e, key, value);
		}
		putc('\n', out);
	}
}
