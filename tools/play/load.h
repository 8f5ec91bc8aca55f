/* SPDX-License-Identifier: MIT */
/* Between load.c and load_json.c. */
#ifndef _VSPLIT_PLAY_LOAD_H_
#define _VSPLIT_PLAY_LOAD_H_

#include <json-c/json.h>

#include "parse.h"
#include "run.h"

/*
 * Limits for sizes and offsets in a segment. No real value comes near them, and no sum of such
 * values overflows. A request that was refused may have any values.
 */
#define MAX_BYTES	(1ull << 50)
#define MAX_COUNT	(1u << 24)
#define UNKNOWN_SEGMENT	UINT8_MAX

/*
 * @s: scenario of the result that is being made.
 * @line: number of the line.
 * @failed: the error was stored. From then on all values read are 0 or "".
 * @in_events: the previous line was an event of a submission.
 * @places_of: the submission whose places are being read.
 */
struct loader {
	const char *path;
	struct parse_error *error;
	struct result *r;
	struct scenario *s;
	int line;
	bool failed;
	bool in_events;
	struct submission *places_of;
};

/* Store the first error. */
void wrong(struct loader *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A member of an object. It is an error if it has another type, or if it is @needed and missing. */
struct json_object *member(struct loader *l, struct json_object *o, const char *key,
			   enum json_type type, bool needed);
bool has(struct json_object *o, const char *key);
const char *text_of(struct loader *l, struct json_object *o, const char *key);
/* The string, or NULL if there is none. */
const char *text_maybe(struct loader *l, struct json_object *o, const char *key);
/* False if there is none. */
bool flag_of(struct loader *l, struct json_object *o, const char *key);
uint64_t number_in(struct loader *l, struct json_object *value, const char *what, uint64_t max);
uint64_t number_of(struct loader *l, struct json_object *o, const char *key, uint64_t max);
/* The member "errno" as a negative number. */
int error_of(struct loader *l, struct json_object *o);
/* Call @take for each object of an array. */
void each(struct loader *l, struct json_object *o, const char *key,
	  void (*take)(struct loader *l, struct json_object *o));

/* Return @index, which was found for @name; NO_INDEX is an error, and becomes 0. */
uint32_t known(struct loader *l, const char *kind, const char *name, uint32_t index);
/* The member "name"; the caller frees it. */
char *name_of(struct loader *l, struct json_object *o);
/* The id of a segment; 0: system memory. */
uint32_t segment_of(struct loader *l, struct json_object *o, const char *key);
/*
 * Read an allocation: its name, or "#number", which is the handle of a row, or the id in a paging
 * step. "#0" stands for all allocations that the client does not know, together.
 */
void alloc_of(struct loader *l, struct json_object *o, uint32_t *handle, uint64_t *id);

#endif /* _VSPLIT_PLAY_LOAD_H_ */
