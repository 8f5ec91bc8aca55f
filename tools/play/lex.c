// SPDX-License-Identifier: MIT
/* Words, names and numbers, of which all statements consist. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

bool bad(struct parser *p, const char *format, ...)
{
	char what[400];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	/* The message may quote any text of the scenario. */
	make_printable(what);
	snprintf(p->error->text, sizeof(p->error->text), "%s:%d: %s", p->s->path, p->line,
		 what);
	return false;
}

bool no_such(struct parser *p, const char *what, const char *kind, const char *name,
	     const void *list, uint32_t count, size_t size)
{
	const char *element = list;
	char known[160] = "";
	uint32_t i, found = 0;
	size_t len = 0;

	for (i = 0; i < count && len < sizeof(known) - 40; i++, element += size) {
		const char *has = *(char *const *)element;

		if (has)
			len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%.32s",
						found++ ? ", " : "", has);
	}
	if (!found)
		return bad(p, "%s: there is no %s '%s'", what, kind, name);
	return bad(p, "%s: there is no %s '%s' (there %s %s%s)", what, kind, name,
		   count > 1 && found > 1 ? "are" : "is", known, i < count ? ", ..." : "");
}

#define MAX_GUESS	24	/* letters; for longer words there is no guess */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Number of letters to insert, delete or replace. */
static size_t distance_of(const char *a, const char *b)
{
	size_t row[MAX_GUESS + 1], la = strlen(a), lb = strlen(b), i, j, old, corner;

	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		corner = row[0];
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			old = row[j];
			row[j] = least(least(row[j], row[j - 1]) + 1,
				       corner + (a[i - 1] != b[j - 1]));
			corner = old;
		}
	}
	return row[lb];
}

void guess_try(struct guess *g, const char *word, const char *candidate)
{
	size_t distance, len = strlen(word);

	if (len > MAX_GUESS || strlen(candidate) > MAX_GUESS)
		return;
	distance = distance_of(word, candidate);
	/* A word with so many differences is another word. */
	if (distance > 2 || 2 * distance >= len || (g->best && distance >= g->distance))
		return;
	g->best = candidate;
	g->distance = distance;
}

const char *guess_text(const struct guess *g, char text[64])
{
	snprintf(text, 64, g->best ? " (is it %s?)" : "%s", g->best ? g->best : "");
	return text;
}

bool is_name(const char *word)
{
	if (!isalpha((unsigned char)*word) && *word != '_')
		return false;
	while (*++word) {
		if (!isalnum((unsigned char)*word) && *word != '_')
			return false;
	}
	return true;
}

const char *peek_word(const struct parser *p)
{
	return p->at < p->num_words ? p->words[p->at] : NULL;
}

const char *next_word(struct parser *p)
{
	return p->at < p->num_words ? p->words[p->at++] : NULL;
}

bool need_word(struct parser *p, const char *what, const char **word)
{
	*word = next_word(p);
	return *word ? true : bad(p, "%s: %s is missing", p->words[0], what);
}

bool need_name(struct parser *p, const char *what, const char **name)
{
	if (!need_word(p, what, name))
		return false;
	return is_name(*name) ? true : bad(p, "%s: '%s' is no name", p->words[0], *name);
}

bool need_size(struct parser *p, const char *what, uint64_t *value)
{
	const char *word;

	if (!need_word(p, what, &word))
		return false;
	return parse_size(word, value) ? true :
	       bad(p, "%s: %s '%s' is no size such as 4096, 64K, 8M or 1G", p->words[0],
		   what, word);
}

bool need_number(struct parser *p, const char *what, uint64_t max, uint64_t *value)
{
	const char *word;

	if (!need_word(p, what, &word))
		return false;
	if (!parse_number(word, value))
		return bad(p, "%s: %s '%s' is no number such as 12 or 0x0c", p->words[0], what,
			   word);
	return *value <= max ? true :
	       bad(p, "%s: %s %s is over %llu", p->words[0], what, word,
		   (unsigned long long)max);
}

bool need_end(struct parser *p)
{
	const char *word = peek_word(p);

	return word ? bad(p, "%s: unexpected '%s'", p->words[0], word) : true;
}

bool take_range(struct parser *p, uint64_t size, struct range *range)
{
	*range = (struct range){ .length = size };
	if (!peek_word(p))
		return true;
	range->given = true;
	if (!need_size(p, "offset", &range->offset) || !need_size(p, "length", &range->length))
		return false;
	return true;
}

bool need_inside(struct parser *p, const struct alloc_def *a, uint64_t size, uint64_t offset,
		 uint64_t bytes)
{
	if (offset <= size && bytes <= size - offset)
		return true;
	return bad(p, "%s: %" PRIu64 " bytes from %" PRIu64 " on are not inside of %s, which has %" PRIu64,
		   p->words[0], bytes, offset, a->name, size);
}

bool key_value(const char *word, const char *key, const char **value)
{
	size_t len = strlen(key);

	if (strncmp(word, key, len) || word[len] != '=')
		return false;
	*value = word + len + 1;
	return true;
}
