// SPDX-License-Identifier: MIT
/* Reads members of the lines of --json. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "load.h"

void wrong(struct loader *l, const char *format, ...)
{
	char text[300];
	va_list args;

	if (l->failed)
		return;
	l->failed = true;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* The message may quote any text of the file. */
	make_printable(text);
	snprintf(l->error->text, sizeof(l->error->text), "%s:%d: %s", l->path, l->line, text);
}

/* ---- members of an object ---------------------------------------------- */

struct json_object *member(struct loader *l, struct json_object *o, const char *key,
			   enum json_type type, bool needed)
{
	struct json_object *value = NULL;
	bool there = !l->failed && json_object_object_get_ex(o, key, &value);

	if (there && json_object_is_type(value, type))
		return value;
	if (there && value)
		wrong(l, "\"%s\" is no %s", key, json_type_to_name(type));
	else if (needed)
		wrong(l, "\"%s\" is missing", key);
	return NULL;
}

const char *text_of(struct loader *l, struct json_object *o, const char *key)
{
	struct json_object *value = member(l, o, key, json_type_string, true);

	return value ? json_object_get_string(value) : "";
}

const char *text_maybe(struct loader *l, struct json_object *o, const char *key)
{
	struct json_object *value = member(l, o, key, json_type_string, false);

	return value ? json_object_get_string(value) : NULL;
}

bool flag_of(struct loader *l, struct json_object *o, const char *key)
{
	struct json_object *value = member(l, o, key, json_type_boolean, false);

	return value && json_object_get_boolean(value);
}

uint64_t number_in(struct loader *l, struct json_object *value, const char *what, uint64_t max)
{
	uint64_t number;

	if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0) {
		wrong(l, "\"%s\" is no number", what);
		return 0;
	}
	number = json_object_get_uint64(value);
	if (number <= max)
		return number;
	wrong(l, "\"%s\" is over %llu", what, (unsigned long long)max);
	return 0;
}

uint64_t number_of(struct loader *l, struct json_object *o, const char *key, uint64_t max)
{
	struct json_object *value = member(l, o, key, json_type_int, true);

	return value ? number_in(l, value, key, max) : 0;
}

bool has(struct json_object *o, const char *key)
{
	return json_object_object_get_ex(o, key, NULL);
}

void each(struct loader *l, struct json_object *o, const char *key,
	  void (*take)(struct loader *l, struct json_object *o))
{
	struct json_object *array = member(l, o, key, json_type_array, true);
	size_t i, count = array ? json_object_array_length(array) : 0;

	for (i = 0; i < count && !l->failed; i++) {
		struct json_object *element = json_object_array_get_idx(array, i);

		if (json_object_is_type(element, json_type_object))
			take(l, element);
		else
			wrong(l, "\"%s\" holds something that is no object", key);
	}
}

int error_of(struct loader *l, struct json_object *o)
{
	int error = errno_value(text_of(l, o, "errno"));

	if (!error)
		wrong(l, "\"errno\" is no name of an error");
	return -error;
}

/* ---- names ------------------------------------------------------------- */

uint32_t known(struct loader *l, const char *kind, const char *name, uint32_t index)
{
	if (index == NO_INDEX)
		wrong(l, "there is no %s '%.60s'", kind, name);
	return l->failed ? 0 : index;
}

char *name_of(struct loader *l, struct json_object *o)
{
	const char *name = text_of(l, o, "name");

	if (!l->failed && !is_name(name))
		wrong(l, "'%.60s' is no name", name);
	return copy_text(name);
}

uint32_t segment_of(struct loader *l, struct json_object *o, const char *key)
{
	const char *name = text_of(l, o, key);
	uint32_t id = segment_id(l->r, name);

	if (id || l->failed || !strcmp(name, "system"))
		return id;
	if (strcmp(name, "?"))
		wrong(l, "there is no segment '%.60s'", name);
	return UNKNOWN_SEGMENT;
}

void alloc_of(struct loader *l, struct json_object *o, uint32_t *handle, uint64_t *id)
{
	const char *name = text_of(l, o, "alloc");
	uint64_t number;
	uint32_t index;

	*handle = 0;
	*id = 0;
	if (l->failed)
		return;
	if (*name == '#') {
		if (!parse_number(name + 1, &number))
			wrong(l, "'%.60s' is no allocation", name);
		else if (number <= UINT32_MAX)
			*handle = (uint32_t)number;
		*id = number;
		return;
	}
	index = known(l, "allocation", name, find_alloc(l->s, name));
	if (l->failed)
		return;
	if (!l->r->allocs[index].id)
		wrong(l, "%s was not created before", name);
	*handle = l->r->allocs[index].handle;
	*id = l->r->allocs[index].id;
}
