// SPDX-License-Identifier: MIT
/* The expect statements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* Type of a key's value. */
enum value_type {
	VALUE_NONE,
	VALUE_NUMBER,
	VALUE_FLAG,
	VALUE_SIZE,
	VALUE_BYTE,
	VALUE_ERRNO,
	VALUE_SEGMENT,
	VALUE_STATE,
	VALUE_ALLOC,
	VALUE_HEAD,
	VALUE_PIXEL,
};

static const struct key {
	const char *word;
	enum check_type type;
	enum value_type value;
	unsigned int kinds;	/* bits by enum expect_kind */
	bool ordered;		/* takes >= and <= */
} keys[] = {
	{ "portions", CHECK_PORTIONS, VALUE_NUMBER, 1 << EXPECT_DMA, true },
	{ "error", CHECK_ERROR, VALUE_ERRNO,
	  1 << EXPECT_DMA | 1 << EXPECT_ALLOC | 1 << EXPECT_HEAD |
	  1 << EXPECT_CONTEXT | 1 << EXPECT_REQUEST, false },
	{ "ok", CHECK_OK, VALUE_NONE,
	  1 << EXPECT_DMA | 1 << EXPECT_ALLOC | 1 << EXPECT_HEAD |
	  1 << EXPECT_CONTEXT | 1 << EXPECT_REQUEST, false },
	{ "bytes", CHECK_BYTES, VALUE_BYTE, 1 << EXPECT_ALLOC, false },
	{ "in", CHECK_IN, VALUE_SEGMENT, 1 << EXPECT_ALLOC, false },
	{ "at", CHECK_AT, VALUE_SIZE, 1 << EXPECT_ALLOC, false },
	{ "runs", CHECK_RUNS, VALUE_NUMBER, 1 << EXPECT_ALLOC, true },
	{ "range", CHECK_RANGE, VALUE_FLAG, 1 << EXPECT_ALLOC, false },
	{ "locks", CHECK_LOCKS, VALUE_NUMBER, 1 << EXPECT_ALLOC, true },
	{ "shared", CHECK_SHARED, VALUE_FLAG, 1 << EXPECT_ALLOC, false },
	{ "state", CHECK_STATE, VALUE_STATE, 1 << EXPECT_CONTEXT, false },
	{ "shows", CHECK_SHOWS, VALUE_ALLOC, 1 << EXPECT_HEAD, false },
	{ "frames", CHECK_FRAMES, VALUE_NUMBER, 1 << EXPECT_HEAD, true },
	{ "pixel", CHECK_PIXEL, VALUE_PIXEL, 1 << EXPECT_HEAD, false },
	{ "after-flip", CHECK_AFTER_FLIP, VALUE_HEAD, 1 << EXPECT_DMA, false },
	{ "evicted", CHECK_EVICTED, VALUE_SIZE, 1 << EXPECT_TOTALS, true },
	{ "paged-in", CHECK_PAGED_IN, VALUE_SIZE, 1 << EXPECT_TOTALS, true },
	{ "moved", CHECK_MOVED, VALUE_SIZE, 1 << EXPECT_TOTALS, true },
	{ "transferred", CHECK_TRANSFERRED, VALUE_SIZE, 1 << EXPECT_TOTALS, true },
	{ "acquired", CHECK_ACQUIRED, VALUE_NUMBER, 1 << EXPECT_TOTALS, true },
	{ "stray-writes", CHECK_STRAY_WRITES, VALUE_NUMBER, 1 << EXPECT_TOTALS, true },
	{ "pending", CHECK_PENDING, VALUE_FLAG, 1 << EXPECT_REQUEST, false },
	{ "trim", CHECK_TRIM, VALUE_SIZE, 1 << EXPECT_REQUEST, true },
	{ "count", CHECK_COUNT, VALUE_NUMBER, 1 << EXPECT_ALLOC, true },
	{ "trims", CHECK_TRIMS, VALUE_NUMBER, 1 << EXPECT_DEVICE, true },
	{ "trim-bytes", CHECK_TRIM_BYTES, VALUE_SIZE, 1 << EXPECT_DEVICE, true },
	{ "fault-address", CHECK_FAULT_ADDRESS, VALUE_SIZE, 1 << EXPECT_DMA, false },
	{ "value", CHECK_VALUE, VALUE_NUMBER, 1 << EXPECT_FENCE, true },
	{ "discarded", CHECK_DISCARDED, VALUE_FLAG, 1 << EXPECT_ALLOC, false },
	{ "usage", CHECK_USAGE, VALUE_SIZE, 1 << EXPECT_DEVICE, true },
};

static const struct key *find_key(const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (strlen(keys[i].word) == len && !strncmp(word, keys[i].word, len))
			return &keys[i];
	}
	return NULL;
}

/* Find a key that begins with the same letters as the word, at least three. */
static const struct key *similar_key(const char *word, size_t len)
{
	size_t same, most = 2, i;
	const struct key *key = NULL;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		for (same = 0; same < len && keys[i].word[same] == word[same];)
			same++;
		if (same > most) {
			most = same;
			key = &keys[i];
		}
	}
	return key;
}

static bool parse_state(struct parser *p, struct check *check, const char *value)
{
	char text[160];
	uint32_t state;
	size_t len = 0;

	if (!strcmp(value, "lost")) {
		check->number = STATE_LOST;
		return true;
	}
	for (state = VSPLIT_STATE_ACTIVE; state <= VSPLIT_STATE_LOST_PAGE_FAULT; state++) {
		if (!strcmp(value, vsplit_state_name(state))) {
			check->number = state;
			return true;
		}
	}
	for (state = VSPLIT_STATE_ACTIVE; state <= VSPLIT_STATE_LOST_PAGE_FAULT; state++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, ", %s",
					vsplit_state_name(state));
	return bad(p, "expect: '%s' is no state (there are lost%s)", value, text);
}

static bool parse_value(struct parser *p, const struct key *key, struct check *check,
			const char *value)
{
	switch (key->value) {
	case VALUE_NONE:
		break;
	case VALUE_NUMBER:
		if (!parse_number(value, &check->number))
			return bad(p, "expect: %s: '%s' is no number such as 12 or 0x0c", key->word, value);
		break;
	case VALUE_FLAG:
		if (!parse_number(value, &check->number) || check->number > 1)
			return bad(p, "expect: %s: '%s' is neither 0 nor 1", key->word, value);
		break;
	case VALUE_SIZE:
		if (!parse_size(value, &check->number))
			return bad(p, "expect: %s: '%s' is no size such as 4096, 64K, 8M or 1G", key->word, value);
		break;
	case VALUE_BYTE:
		if (!parse_number(value, &check->number) || check->number > UINT8_MAX)
			return bad(p, "expect: %s: '%s' is no byte such as 17 or 0x11", key->word, value);
		break;
	case VALUE_ERRNO:
		check->number = (uint64_t)errno_value(value);
		if (!check->number)
			return bad(p, "expect: '%s' is no name of an error such as ENOSPC", value);
		break;
	case VALUE_SEGMENT:
		if (!is_name(value))
			return bad(p, "expect: '%s' is no name of a segment", value);
		if (strcmp(value, "system"))
			check->name = copy_text(value);
		break;
	case VALUE_STATE:
		return parse_state(p, check, value);
	case VALUE_ALLOC:
		check->number = find_alloc(p->s, value);
		return check->number != NO_INDEX ? true :
		       NO_SUCH(p, "expect", "allocation", value, allocs);
	case VALUE_HEAD:
		check->number = find_head(p->s, value);
		return check->number != NO_INDEX ? true :
		       NO_SUCH(p, "expect", "head", value, heads);
	case VALUE_PIXEL:
		return parse_pixel(p, check, value);
	}
	return true;
}

static bool parse_check(struct parser *p, struct stmt *stmt, const char *word)
{
	size_t len = strcspn(word, "=<>");
	const struct key *key = find_key(word, len);
	const char *value = word + len;
	struct check *check;

	if (!key) {
		key = similar_key(word, len);
		return bad(p, "expect: '%.*s' is nothing that can be expected%s%s%s", (int)len, word,
			   key ? " (is it " : "", key ? key->word : "", key ? "?)" : "");
	}
	if (stmt->num_checks == MAX_CHECKS)
		return bad(p, "expect: too much in one line");
	check = &stmt->checks[stmt->num_checks++];
	check->type = key->type;
	check->text = copy_text(word);
	if (key->value == VALUE_NONE)
		return *value ? bad(p, "expect: %s takes no value", key->word) : true;
	if (!strncmp(value, ">=", 2) || !strncmp(value, "<=", 2)) {
		check->compare = *value == '>' ? COMPARE_GE : COMPARE_LE;
		value += 2;
		if (!key->ordered)
			return bad(p, "expect: %s takes = only", key->word);
	} else if (*value == '=') {
		value++;
	} else {
		return bad(p, "expect: %s needs a value (%s=...)", key->word, key->word);
	}
	if (!parse_value(p, key, check, value))
		return false;
	return key->type != CHECK_BYTES || take_range(p, 0, &check->range);
}

/* Find the kind of object with this name for which the keys are valid. */
static bool find_kind(struct parser *p, struct stmt *stmt, const char *name, unsigned int kinds)
{
	static const struct {
		uint32_t (*find)(const struct scenario *s, const char *name);
		const char *what;
	} finders[] = {
		[EXPECT_DMA] = { find_dma, "DMA buffer" },
		[EXPECT_ALLOC] = { find_alloc, "allocation" },
		[EXPECT_CONTEXT] = { find_context, "context" },
		[EXPECT_HEAD] = { find_head, "head" },
		[EXPECT_REQUEST] = { find_request, "request" },
		[EXPECT_DEVICE] = { find_device, "device" },
		[EXPECT_FENCE] = { find_fence, "fence" },
	};
	char list[120] = "";
	uint32_t kind;
	size_t len;

	for (kind = 0; kind < ARRAY_SIZE(finders); kind++) {
		if (!(kinds & (1u << kind)))
			continue;
		stmt->kind = kind;
		stmt->index = finders[kind].find(p->s, name);
		if (stmt->index != NO_INDEX)
			return true;
		len = strlen(list);
		snprintf(list + len, sizeof(list) - len, "%s%s", len ? " or " : "",
			 finders[kind].what);
	}
	return bad(p, "expect: there is no %s '%s'", list, name);
}

static bool check_dma(struct parser *p, struct stmt *stmt)
{
	const struct dma_def *dma = &p->s->dmas[stmt->index];

	if (!dma->submitted)
		return bad(p, "expect: %s was not submitted before", dma->name);
	return use_device(p, p->s->contexts[dma->context].device);
}

static bool check_alloc(struct parser *p, struct stmt *stmt)
{
	struct alloc_def *a = &p->s->allocs[stmt->index];
	uint32_t i;

	for (i = 0; i < stmt->num_checks; i++) {
		struct check *check = &stmt->checks[i];
		struct range *range = &check->range;

		if (check->type == CHECK_ERROR)
			a->error_expected = true;
		if (check->type != CHECK_BYTES)
			continue;
		if (!range->given)
			range->length = a->size;
		if (!need_inside(p, a, a->size, range->offset, range->length))
			return false;
	}
	return use_device(p, a->device);
}

static bool check_context(struct parser *p, struct stmt *stmt)
{
	struct context_def *c = &p->s->contexts[stmt->index];
	uint32_t i;

	for (i = 0; i < stmt->num_checks; i++)
		c->error_expected |= stmt->checks[i].type == CHECK_ERROR;
	return use_device(p, c->device);
}

bool parse_expect(struct parser *p)
{
	struct stmt *stmt = add_stmt(p, STMT_EXPECT);
	unsigned int kinds = ~0u;
	const char *word, *name;
	uint32_t i, j;

	if (!need_word(p, "the subject", &word))
		return false;
	if (strpbrk(word, "=<>")) {
		p->at--;
		name = NULL;
	} else {
		name = word;
		if (!is_name(name))
			return bad(p, "expect: '%s' is no name", name);
		if (!peek_word(p))
			return bad(p, "expect: %s: a key such as ok is missing", name);
	}
	while ((word = next_word(p))) {
		if (!parse_check(p, stmt, word))
			return false;
	}
	for (i = 0; i < stmt->num_checks; i++) {
		for (j = 0; j < ARRAY_SIZE(keys); j++) {
			if (keys[j].type == stmt->checks[i].type)
				kinds &= keys[j].kinds;
		}
	}
	if (!name) {
		stmt->kind = EXPECT_TOTALS;
		return kinds & (1u << EXPECT_TOTALS) ? true :
		       bad(p, "expect: a name is missing before '%s'", stmt->checks[0].text);
	}
	if (!kinds)
		return bad(p, "expect: these do not go together");
	if (kinds & (1u << EXPECT_TOTALS))
		return bad(p, "expect: '%s' is a total of the run: no name goes before it",
			   stmt->checks[0].text);
	if (!find_kind(p, stmt, name, kinds))
		return false;
	if (stmt->kind == EXPECT_DMA)
		return check_dma(p, stmt);
	if (stmt->kind == EXPECT_ALLOC)
		return check_alloc(p, stmt);
	if (stmt->kind == EXPECT_HEAD)
		return check_head(p, stmt);
	if (stmt->kind == EXPECT_REQUEST)
		return use_device(p, p->s->requests[stmt->index].device);
	if (stmt->kind == EXPECT_DEVICE)
		return use_device(p, stmt->index);
	if (stmt->kind == EXPECT_FENCE)
		return true;
	return check_context(p, stmt);
}
