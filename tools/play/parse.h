/* SPDX-License-Identifier: MIT */
/* From text to a scenario. */
#ifndef _VSPLIT_PLAY_PARSE_H_
#define _VSPLIT_PLAY_PARSE_H_

#include <limits.h>
#include <stdio.h>

#include "model.h"

#define MAX_FILE	(16u << 20)
#define MIN_PAGE	4096u	/* of each kernel's pages a divisor */

/* Why a file was refused: "FILE:LINE: what", of any path that there is. */
struct parse_error {
	char text[PATH_MAX + 512];
};

/* All that is wrong with a file: each as in struct parse_error. */
struct mistakes {
	struct mistake {
		int line;
		char *text;
	} *list;
	uint32_t count;
};

/*
 * Parse and check a whole file.
 * @path: its name in messages; copied.
 * @text: its content, not NUL-terminated.
 * @size: bytes.
 *
 * Return: the scenario, or NULL with @error filled.
 */
struct scenario *scenario_parse(const char *path, const char *text, size_t size,
				struct parse_error *error);

/* As scenario_parse(), of a file; "-" is standard input. */
struct scenario *scenario_load(const char *path, struct parse_error *error);

/*
 * Find all mistakes of a file, those in the use of slots and allocations among them, which
 * would be seen at the run; and print them. Those that follow from others are left out.
 *
 * Returns their number; a file that cannot be read is one.
 */
uint32_t scenario_check(const char *path, FILE *out);
uint32_t scenario_check_text(const char *path, const char *text, size_t size, FILE *out);

/* ---- between the files of the parser ----------------------------------- */

/*
 * @s: what is being made.
 * @line: number of the line.
 * @words: of the line, NUL-terminated; @num_words of them.
 * @at: next word to be taken.
 * @force_split: as the last option line said.
 * @wddm: as the last errors line said.
 * @in_body: the body of the last DMA buffer is being read.
 * @mistakes: where they are collected; NULL: the first one ends it.
 * @doubtful, @num_doubtful: names in lines with mistakes: what is said of them is not judged.
 * @lost, @num_lost: slots in such lines of bodies: what is bound there from there on is not known.
 * @lost_body: of a dma line with a mistake: not judged either.
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
	struct mistakes *mistakes;
	char **doubtful;
	uint32_t num_doubtful;
	struct lost_slot {
		uint32_t dma;
		uint32_t op;
		uint32_t slot;
	} *lost;
	uint32_t num_lost;
	bool lost_body;
};

/* Fill the error; always false. */
bool bad(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* After bad(): note it where mistakes are collected, and true; else false. */
bool go_on(struct parser *p);
bool is_doubtful(const struct parser *p, const char *name);
/* Has a line of this body a mistake? */
bool is_lost_body(const struct parser *p, uint32_t dma);
/* May something else be bound there at this op than what the lines without mistakes say? */
bool is_lost_slot(const struct parser *p, uint32_t dma, uint32_t op, uint32_t slot);

/*
 * Parse it all, and collect what is wrong with it. The scenario can be looked at, but not
 * played. @p: for is_doubtful(); its names are freed by the caller.
 */
struct scenario *parse_all(struct parser *p, const char *path, const char *text, size_t size);
/* NULL with @error filled; the caller frees it. "-" is standard input. */
char *read_text(const char *path, size_t *size, struct parse_error *error);

/* The next word, or NULL at the end of the line. */
const char *next_word(struct parser *p);
const char *peek_word(const struct parser *p);

/* The next word, which must be there; else complains that @what is missing. */
bool need_word(struct parser *p, const char *what, const char **word);
bool need_name(struct parser *p, const char *what, const char **name);
bool need_size(struct parser *p, const char *what, uint64_t *value);
bool need_number(struct parser *p, const char *what, uint64_t max, uint64_t *value);
bool need_end(struct parser *p);

/* Optional OFFSET LENGTH at the end of a line; inside @size. */
bool take_range(struct parser *p, uint64_t size, struct range *range);

/* Complains if the bytes from @offset on are not inside of the allocation, which has @size. */
bool need_inside(struct parser *p, const struct alloc_def *a, uint64_t size, uint64_t offset,
		 uint64_t bytes);

/* "key=value" of a word; false without complaint if the key is another. */
bool key_value(const char *word, const char *key, const char **value);

/*
 * Complains that a name is unknown, and says which are known: of an array of structures that begin
 * with their name.
 */
bool no_such(struct parser *p, const char *what, const char *kind, const char *name,
	     const void *list, uint32_t count, size_t size);
#define NO_SUCH(p, what, kind, name, list) \
	no_such(p, what, kind, name, (p)->s->list, (p)->s->num_##list, sizeof(*(p)->s->list))

/*
 * Of the words that could have been meant, the one that a mistyped word is nearest to; all begins
 * with { 0 }. guess_text() is " (is it WORD?)", or "" where none is near.
 */
struct guess {
	const char *best;
	size_t distance;
};

void guess_try(struct guess *g, const char *word, const char *candidate);
const char *guess_text(const struct guess *g, char text[64]);

bool is_name(const char *word);

/* Add "NAME=VALUE" to the options of an adapter; false if it is no such text. */
bool adapter_option(struct adapter_def *a, const char *word);

/* "a,b,c": one name after the other; changes @list. */
char *next_item(char **list);

/* The next word is the name of an allocation. */
bool need_alloc(struct parser *p, uint32_t *index);
bool device_option(struct parser *p, const char *name, uint32_t *device);

/* Statements, parse.c calls these: */
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

/* Lines of a body that name memory by virtual addresses, which begin with '@'. */
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
/* The last checks of an allocation with width=. */
bool check_picture_alloc(struct parser *p, struct alloc_def *a);
bool parse_pixel(struct parser *p, struct check *check, const char *value);
bool check_head(struct parser *p, struct stmt *stmt);

/* "B,C": DMA buffers that were submitted before. */
bool submit_after(struct parser *p, struct stmt *stmt, const char *value);

struct stmt *add_stmt(struct parser *p, enum stmt_type type);
bool use_device(struct parser *p, uint32_t index);

#endif /* _VSPLIT_PLAY_PARSE_H_ */
