/* SPDX-License-Identifier: MIT */
/* From text to a scenario. */
#ifndef _VSPLIT_PLAY_PARSE_H_
#define _VSPLIT_PLAY_PARSE_H_

#include "model.h"

#define MAX_FILE	(16u << 20)

/* Why a file was refused: "FILE:LINE: what". */
struct parse_error {
	char text[512];
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

/* ---- between the files of the parser ----------------------------------- */

/*
 * @s: what is being made.
 * @line: number of the line.
 * @words: of the line, NUL-terminated; @num_words of them.
 * @at: next word to be taken.
 * @force_split: as the last option line said.
 * @wddm: as the last errors line said.
 * @body: a DMA buffer whose body is being read, or NULL.
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
};

/* Fill the error; always false. */
bool bad(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

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

/* "key=value" of a word; false without complaint if the key is another. */
bool key_value(const char *word, const char *key, const char **value);

bool is_name(const char *word);
char *copy_text(const char *text);

/* One more element, zeroed, at the end of an array; aborts without memory. */
void *append(void *list, uint32_t *count, size_t size);

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

struct stmt *add_stmt(struct parser *p, enum stmt_type type);
bool use_device(struct parser *p, uint32_t index);

#endif /* _VSPLIT_PLAY_PARSE_H_ */
