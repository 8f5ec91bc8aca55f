/* SPDX-License-Identifier: MIT */
/* The parser: turns a text into a scenario. */
#ifndef _VSPLIT_PLAY_PARSE_H_
#define _VSPLIT_PLAY_PARSE_H_

#include <limits.h>
#include <stdio.h>

#include "model.h"

#define MAX_FILE	(16u << 20)
#define MIN_PAGE	4096u	/* divides the page size of every kernel */

/* The reason for which a file was refused: "FILE:LINE: what". There is room for any path. */
struct parse_error {
	char text[PATH_MAX + 512];
};

/* All mistakes of a file, each as in struct parse_error. */
struct mistakes {
	struct mistake {
		int line;
		char *text;
	} *list;
	uint32_t count;
};

/*
 * Parse and check a whole file.
 * @path: name of the file for messages; copied.
 * @text: content of the file, not NUL-terminated.
 * @size: bytes.
 *
 * Return: the scenario, or NULL with @error filled in.
 */
struct scenario *scenario_parse(const char *path, const char *text, size_t size,
				struct parse_error *error);

/* Parse a file with scenario_parse(); "-" is standard input. */
struct scenario *scenario_load(const char *path, struct parse_error *error);

/*
 * Find and print all mistakes of a file, including wrong uses of slots and allocations that would
 * appear only during the run. Mistakes that follow from others are left out.
 *
 * Returns the number of mistakes; a file that cannot be read counts as one.
 */
uint32_t scenario_check(const char *path, FILE *out);
uint32_t scenario_check_text(const char *path, const char *text, size_t size, FILE *out);

/* ---- between the files of the parser ----------------------------------- */

/*
 * @s: the scenario that is being made.
 * @line: number of the current line.
 * @words, @num_words: words of the line, NUL-terminated.
 * @at: index of the next word.
 * @force_split: setting of the last option line.
 * @wddm: setting of the last errors line.
 * @in_body: the body of the last DMA buffer is being read.
 * @binders, @num_binders: for each slot, the op of this body that has bound it: its index + 1, or 0.
 * @mistakes: collects all mistakes; NULL: the first one ends the parsing.
 * @doubtful, @num_doubtful, @doubtful_names: names from lines with mistakes. Lines that use them are not judged.
 * @lost, @num_lost: slots from body lines with mistakes. From there on their content is unknown.
 * @lost_body: the body of a dma line with a mistake is being read; it is not judged.
 */
struct parser {
	struct scenario *s;
	struct parse_error *error;
	int line;
	char **words;
	uint32_t num_words;
	uint32_t at;
	bool force_split;
	bool wddm;
	bool in_body;
	uint32_t *binders;
	uint32_t num_binders;
	struct mistakes *mistakes;
	char **doubtful;
	uint32_t num_doubtful;
	struct name_index doubtful_names;
	struct lost_slot {
		uint32_t dma;
		uint32_t op;
		uint32_t slot;
	} *lost;
	uint32_t num_lost;
	bool lost_body;
};

/* Fill in the error. Always returns false. */
bool bad(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Call this after bad(). If mistakes are collected, store this one and return true; else false. */
bool go_on(struct parser *p);
bool is_doubtful(struct parser *p, const char *name);
/* Does a line of this body have a mistake? */
bool is_lost_body(const struct parser *p, uint32_t dma);
/* May the slot hold something else at this op, because a line with a mistake may bind it? */
bool is_lost_slot(const struct parser *p, uint32_t dma, uint32_t op, uint32_t slot);

/*
 * Parse the whole text, and collect its mistakes. The scenario can be inspected, but not played.
 * @p: for is_doubtful(); the caller frees its names and their index.
 */
struct scenario *parse_all(struct parser *p, const char *path, const char *text, size_t size);
/* Read a file; "-" is standard input. Returns NULL with @error filled in; the caller frees it. */
char *read_text(const char *path, size_t *size, struct parse_error *error);

/* Take the next word, or NULL at the end of the line. */
const char *next_word(struct parser *p);
const char *peek_word(const struct parser *p);

/* Take the next word; complains that @what is missing if there is none. */
bool need_word(struct parser *p, const char *what, const char **word);
bool need_name(struct parser *p, const char *what, const char **name);
bool need_size(struct parser *p, const char *what, uint64_t *value);
bool need_number(struct parser *p, const char *what, uint64_t max, uint64_t *value);
bool need_end(struct parser *p);

/* Take an optional OFFSET LENGTH at the end of a line. The range must be inside @size. */
bool take_range(struct parser *p, uint64_t size, struct range *range);

/* Complains unless @bytes from @offset on are inside the allocation, which has @size bytes. */
bool need_inside(struct parser *p, const struct alloc_def *a, uint64_t size, uint64_t offset,
		 uint64_t bytes);

/* Take the value of "key=value". Returns false without complaint if the key differs. */
bool key_value(const char *word, const char *key, const char **value);

/*
 * Complains that a name is unknown, and lists the known names. @list: array of structures that
 * begin with their name.
 */
bool no_such(struct parser *p, const char *what, const char *kind, const char *name,
	     const void *list, uint32_t count, size_t size);
#define NO_SUCH(p, what, kind, name, list) \
	no_such(p, what, kind, name, (p)->s->list, (p)->s->num_##list, sizeof(*(p)->s->list))

/*
 * Finds the candidate that is nearest to a mistyped word; begins as { 0 }. guess_text() returns "
 * (is it WORD?)", or "" if no candidate is near.
 */
struct guess {
	const char *best;
	size_t distance;
};

void guess_try(struct guess *g, const char *word, const char *candidate);
const char *guess_text(const struct guess *g, char text[64]);

bool is_name(const char *word);

/* Add "NAME=VALUE" to the options of an adapter. Returns false if the text has another form. */
bool adapter_option(struct adapter_def *a, const char *word);

/* Take the next name of "a,b,c". Changes @list. */
char *next_item(char **list);

/* Take the name of an allocation. */
bool need_alloc(struct parser *p, uint32_t *index);
bool device_option(struct parser *p, const char *name, uint32_t *device);

/* The statements; called by parse.c: */
bool parse_segment(struct parser *p);
bool parse_slots(struct parser *p);
bool parse_engine(struct parser *p);
bool parse_errors(struct parser *p);
bool parse_option(struct parser *p);
bool parse_adapter(struct parser *p);
bool parse_alloc(struct parser *p);
bool parse_surface(struct parser *p);
bool parse_import(struct parser *p);
bool parse_dumb(struct parser *p);
bool parse_priority(struct parser *p);
bool parse_dma(struct parser *p);
bool parse_body_line(struct parser *p);
bool finish_dma(struct parser *p);
bool parse_expect(struct parser *p);
bool parse_resident(struct parser *p);
bool parse_evict(struct parser *p);
bool parse_budget(struct parser *p);
bool parse_trim(struct parser *p);
bool parse_map(struct parser *p);
bool parse_unmap(struct parser *p);
bool parse_sparse(struct parser *p);
bool parse_fence(struct parser *p);
bool parse_signal(struct parser *p);
bool parse_wait_fence(struct parser *p, struct stmt *stmt, uint32_t fence);
bool parse_offer(struct parser *p);
bool parse_reclaim(struct parser *p);

/* Body lines that use virtual addresses, which begin with '@'. */
bool is_address(const char *word);
bool body_fill_at(struct parser *p, struct op *op);
bool body_copy_at(struct parser *p, struct op *op);
bool body_primary(struct parser *p, struct op *op);
bool body_signal(struct parser *p, struct op *op);
bool body_wait_fence(struct parser *p, struct op *op);

/* parse_head.c: the display. */
bool parse_head(struct parser *p);
bool parse_flip(struct parser *p);
bool parse_wait_head(struct parser *p, struct stmt *stmt, uint32_t head);
/* The last checks of an allocation that has width=. */
bool check_picture_alloc(struct parser *p, struct alloc_def *a);
bool parse_pixel(struct parser *p, struct check *check, const char *value);
bool check_head(struct parser *p, struct stmt *stmt);

/* Parse "B,C": DMA buffers that were submitted before. */
bool submit_after(struct parser *p, struct stmt *stmt, const char *value);

struct stmt *add_stmt(struct parser *p, enum stmt_type type);
bool use_device(struct parser *p, uint32_t index);

#endif /* _VSPLIT_PLAY_PARSE_H_ */
