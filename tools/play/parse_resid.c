// SPDX-License-Identifier: MIT
/* Explicit residency: resident, evict, evict-resident, budget, trim. */
#include <stdlib.h>
#include <string.h>

#include "parse.h"

/* The scenario needs an adapter with requirement lists. */
static void need_lists(struct parser *p)
{
	p->s->adapter.own = true;
	p->s->adapter.modes |= 1u << VSPLIT_CTX_MODE_EXPLICIT;
}

static bool request_option(struct parser *p, struct request_def *r, const char *word)
{
	const char *value;

	if (key_value(word, "device", &value)) {
		r->device_given = true;
		return device_option(p, value, &r->device);
	}
	if (r->kind == REQUEST_MAKE && !strcmp(word, "cant-trim-further")) {
		r->flags |= VSPLIT_RESIDENT_CANT_TRIM_FURTHER;
		return true;
	}
	if (r->kind == REQUEST_EVICT && !strcmp(word, "if-necessary")) {
		r->flags |= VSPLIT_EVICT_IF_NECESSARY;
		return true;
	}
	if (r->kind == REQUEST_EVICT && !strcmp(word, "not-written")) {
		r->flags |= VSPLIT_EVICT_NOT_WRITTEN;
		return true;
	}
	return bad(p, "%s: unexpected '%s'", p->words[0], word);
}

static bool request_allocs(struct parser *p, struct request_def *r, const char *names)
{
	char *list = copy_text(names), *rest = list, *item;
	bool ok = true;

	while (ok && (item = next_item(&rest))) {
		uint32_t index = find_alloc(p->s, item);

		if (index == NO_INDEX) {
			ok = NO_SUCH(p, p->words[0], "allocation", item, allocs);
			break;
		}
		r->allocs = append(r->allocs, &r->num_allocs, sizeof(*r->allocs));
		r->allocs[r->num_allocs - 1] = index;
	}
	free(list);
	return ok;
}

/* The device of a request: the given one, or that of its allocations. */
static bool request_device(struct parser *p, struct request_def *r)
{
	uint32_t i;

	if (!r->device_given)
		r->device = p->s->allocs[r->allocs[0]].device;
	for (i = 0; i < r->num_allocs; i++) {
		const struct alloc_def *a = &p->s->allocs[r->allocs[i]];

		if (a->device != r->device)
			return bad(p, "%s: %s is an allocation of another device", p->words[0],
				   a->name);
	}
	return use_device(p, r->device);
}

static struct request_def *add_request(struct parser *p, bool evict)
{
	struct request_def *r;

	need_lists(p);
	p->s->requests = append(p->s->requests, &p->s->num_requests, sizeof(*p->s->requests));
	r = &p->s->requests[p->s->num_requests - 1];
	r->line = p->line;
	r->kind = evict ? REQUEST_EVICT : REQUEST_MAKE;
	add_stmt(p, evict ? STMT_EVICT : STMT_RESIDENT)->index = p->s->num_requests - 1;
	return r;
}

/* Does the next word name the request? Then the word after it is the list. */
static bool is_named(const struct parser *p)
{
	const char *next = p->at + 1 < p->num_words ? p->words[p->at + 1] : NULL;

	return next && !strchr(next, '=') && strcmp(next, "cant-trim-further") &&
	       strcmp(next, "if-necessary") && strcmp(next, "not-written");
}

static bool parse_request(struct parser *p, bool evict)
{
	struct request_def *r = add_request(p, evict);
	const char *name, *word;

	if (peek_word(p) && is_named(p)) {
		if (!need_name(p, "a name", &name))
			return false;
		if (find_request(p->s, name) != NO_INDEX || find_dma(p->s, name) != NO_INDEX)
			return bad(p, "%s: there is a %s already", p->words[0], name);
		r->name = copy_text(name);
	}
	if (!need_word(p, "the allocations", &word) || !request_allocs(p, r, word))
		return false;
	while ((word = next_word(p))) {
		if (!request_option(p, r, word))
			return false;
	}
	return request_device(p, r);
}

bool parse_resident(struct parser *p)
{
	return parse_request(p, false);
}

bool parse_evict(struct parser *p)
{
	return parse_request(p, true);
}

/* offer A,… [low|normal|high|auto] [device=D] and reclaim A,… [device=D] */
static bool parse_offered(struct parser *p, enum stmt_type type)
{
	struct stmt *stmt = add_stmt(p, type);
	const char *word, *value;
	struct request_def *r;
	uint32_t i;

	p->s->requests = append(p->s->requests, &p->s->num_requests, sizeof(*p->s->requests));
	stmt->index = p->s->num_requests - 1;
	r = &p->s->requests[stmt->index];
	r->line = p->line;
	r->kind = type == STMT_OFFER ? REQUEST_OFFER : REQUEST_RECLAIM;
	r->flags = VSPLIT_OFFER_NORMAL;
	if (!need_word(p, "the allocations", &word) || !request_allocs(p, r, word))
		return false;
	while ((word = next_word(p))) {
		for (i = VSPLIT_OFFER_LOW; i < NUM_OFFERS && strcmp(word, offer_names[i]); i++)
			;
		if (type == STMT_OFFER && i < NUM_OFFERS) {
			r->flags = i;
		} else if (key_value(word, "device", &value)) {
			r->device_given = true;
			if (!device_option(p, value, &r->device))
				return false;
		} else {
			return bad(p, "%s: unexpected '%s'", p->words[0], word);
		}
	}
	return request_device(p, r);
}

bool parse_offer(struct parser *p)
{
	return parse_offered(p, STMT_OFFER);
}

bool parse_reclaim(struct parser *p)
{
	return parse_offered(p, STMT_RECLAIM);
}

static bool test_device(struct parser *p, enum stmt_type type, struct stmt **stmt)
{
	const char *name;

	need_lists(p);
	p->s->adapter.test = true;
	*stmt = add_stmt(p, type);
	return need_name(p, "a device", &name) && device_option(p, name, &(*stmt)->index);
}

bool parse_budget(struct parser *p)
{
	struct stmt *stmt;
	const char *group;

	if (!test_device(p, STMT_BUDGET, &stmt) ||
	    !need_word(p, "local or nonlocal", &group))
		return false;
	if (strcmp(group, "local") && strcmp(group, "nonlocal"))
		return bad(p, "budget: '%s' is neither local nor nonlocal", group);
	stmt->group = strcmp(group, "local") ? VSPLIT_GROUP_NONLOCAL : VSPLIT_GROUP_LOCAL;
	return need_size(p, "size", &stmt->value) && need_end(p);
}

bool parse_trim(struct parser *p)
{
	struct stmt *stmt;

	if (!test_device(p, STMT_TRIM, &stmt) || !need_size(p, "size", &stmt->value))
		return false;
	return stmt->value ? need_end(p) : bad(p, "trim: 0 bytes are nothing to give back");
}
