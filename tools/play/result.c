// SPDX-License-Identifier: MIT
/* The result of a run. The executor or load.c makes it, and the printers show it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "run.h"

static void forget_objects(struct result *r)
{
	free(r->allocs);
	free(r->by_id);
	free(r->by_handle);
	free(r->contexts);
	free(r->devices);
}

void result_fit(struct result *r)
{
	const struct scenario *s = r->s;

	forget_objects(r);
	r->allocs = need_memory(calloc(s->num_allocs + 1, sizeof(*r->allocs)));
	for (r->hash_size = 1; r->hash_size < s->num_allocs; r->hash_size *= 2)
		;
	r->by_id = need_memory(calloc(r->hash_size, sizeof(*r->by_id)));
	r->by_handle = need_memory(calloc(r->hash_size, sizeof(*r->by_handle)));
	r->contexts = need_memory(calloc(s->num_contexts + 1, sizeof(*r->contexts)));
	r->devices = need_memory(calloc(s->num_devices + 1, sizeof(*r->devices)));
}

struct result *result_new(const struct scenario *s)
{
	struct result *r = need_memory(calloc(1, sizeof(*r)));
	uint32_t i;

	r->s = s;
	result_fit(r);
	r->requests = need_memory(calloc(s->num_requests + 1, sizeof(*r->requests)));
	for (i = 0; i < s->num_stmts; i++)
		r->expectations += s->stmts[i].type == STMT_EXPECT;
	return r;
}

void result_free(struct result *r)
{
	uint32_t i, j;

	if (!r)
		return;
	for (i = 0; i < r->num_submissions; i++) {
		for (j = 0; j < r->submissions[i].num_places; j++)
			free(r->submissions[i].places[j].runs);
		vsplit_record_free(r->submissions[i].record);
		free(r->submissions[i].places);
		free(r->submissions[i].left);
	}
	for (i = 0; i < r->s->num_requests; i++)
		free(r->requests[i].discarded);
	for (i = 0; i < r->num_trims; i++)
		free(r->trims[i].evicted);
	for (i = 0; i < r->num_checks; i++) {
		free(r->checks[i].subject);
		free(r->checks[i].expected);
		free(r->checks[i].got);
	}
	free(r->submissions);
	free(r->checks);
	free(r->failures);
	free(r->flips);
	free(r->log);
	forget_objects(r);
	free(r->requests);
	free(r->trims);
	free(r->binds);
	free(r);
}

static uint32_t hash_of(const struct result *r, uint64_t number)
{
	return (uint32_t)(number * 0x9e3779b97f4a7c15ull >> 32) & (r->hash_size - 1);
}

uint32_t result_by_id(const struct result *r, uint32_t device, uint64_t id)
{
	uint32_t at = r->by_id[hash_of(r, id)];

	while (at && !(r->allocs[at - 1].id == id &&
		       same_adapter(r->s, r->s->allocs[at - 1].device, device)))
		at = r->allocs[at - 1].next_by_id;
	return at ? at - 1 : NO_INDEX;
}

uint32_t result_by_handle(const struct result *r, uint32_t device, uint32_t handle)
{
	uint32_t at = r->by_handle[hash_of(r, handle)];

	while (at && !(r->allocs[at - 1].id && r->allocs[at - 1].handle == handle &&
		       r->s->allocs[at - 1].device == device))
		at = r->allocs[at - 1].next_by_handle;
	return at ? at - 1 : NO_INDEX;
}

void result_made(struct result *r, uint32_t alloc, uint32_t handle, uint64_t id)
{
	uint32_t device = r->s->allocs[alloc].device;
	struct alloc_result *a = &r->allocs[alloc];

	/* A run that is loaded may say this twice. */
	if (!id || a->id)
		return;
	a->handle = handle;
	a->id = id;
	if (result_by_id(r, device, id) == NO_INDEX) {
		a->next_by_id = r->by_id[hash_of(r, id)];
		r->by_id[hash_of(r, id)] = alloc + 1;
	}
	if (result_by_handle(r, device, handle) == NO_INDEX) {
		a->next_by_handle = r->by_handle[hash_of(r, handle)];
		r->by_handle[hash_of(r, handle)] = alloc + 1;
	}
}

void result_log(struct result *r, enum log_kind kind, uint32_t index, uint32_t end)
{
	r->log = append(r->log, &r->num_log, sizeof(*r->log));
	r->log[r->num_log - 1] = (struct log_entry){ kind, index, end };
}

struct submission *result_add_submission(struct result *r)
{
	r->submissions = append(r->submissions, &r->num_submissions, sizeof(*r->submissions));
	return &r->submissions[r->num_submissions - 1];
}

struct check_result *result_add_check(struct result *r)
{
	r->checks = append(r->checks, &r->num_checks, sizeof(*r->checks));
	return &r->checks[r->num_checks - 1];
}

struct trim_result *result_add_trim(struct result *r)
{
	r->trims = append(r->trims, &r->num_trims, sizeof(*r->trims));
	return &r->trims[r->num_trims - 1];
}

struct bind_result *result_add_bind(struct result *r)
{
	r->binds = append(r->binds, &r->num_binds, sizeof(*r->binds));
	return &r->binds[r->num_binds - 1];
}

struct failure *result_add_failure(struct result *r)
{
	r->failures = append(r->failures, &r->num_failures, sizeof(*r->failures));
	return &r->failures[r->num_failures - 1];
}

struct flip *result_add_flip(struct result *r)
{
	r->flips = append(r->flips, &r->num_flips, sizeof(*r->flips));
	return &r->flips[r->num_flips - 1];
}

uint32_t segment_id(const struct result *r, const char *name)
{
	uint32_t i;

	for (i = 0; i < r->num_segments; i++) {
		if (!strcmp((const char *)r->segments[i].name, name))
			return r->segments[i].id;
	}
	return 0;
}

const char *segment_name(const struct result *r, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < r->num_segments; i++) {
		if (r->segments[i].id == id)
			return (const char *)r->segments[i].name;
	}
	return id ? "?" : "system";
}

static const char *const statements[] = {
	[STMT_DEVICE] = "device", [STMT_CONTEXT] = "context", [STMT_ALLOC] = "alloc",
	[STMT_SUBMIT] = "submit", [STMT_WAIT] = "wait", [STMT_WRITE] = "write",
	[STMT_LOCK] = "lock", [STMT_UNLOCK] = "unlock", [STMT_CLOSE] = "close",
	[STMT_EXPECT] = "expect", [STMT_SURFACE] = "surface", [STMT_IMPORT] = "import",
	[STMT_DUMB] = "dumb", [STMT_PRIORITY] = "priority", [STMT_KNOB] = "knob",
	[STMT_SUSPEND] = "suspend", [STMT_RESUME] = "resume",
	[STMT_HEAD] = "head", [STMT_FLIP] = "flip", [STMT_WAIT_HEAD] = "wait",
	[STMT_RESIDENT] = "resident", [STMT_EVICT] = "evict-resident",
	[STMT_BUDGET] = "budget", [STMT_TRIM] = "trim", [STMT_VA] = "map",
	[STMT_FENCE] = "fence", [STMT_SIGNAL] = "signal", [STMT_WAIT_FENCE] = "wait",
	[STMT_OFFER] = "offer", [STMT_RECLAIM] = "reclaim",
};

const char *statement_word(enum stmt_type type)
{
	return statements[type];
}

const char *statement_known(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(statements); i++) {
		if (!strcmp(statements[i], name))
			return statements[i];
	}
	return NULL;
}

uint32_t result_engines(const struct result *r)
{
	uint32_t engines = r->adapter.num_engines, i;

	for (i = 0; i < r->num_submissions; i++) {
		uint32_t engine = r->s->contexts[r->s->dmas[r->submissions[i].dma].context].engine;

		if (engine >= engines && engine < MAX_ENGINES)
			engines = engine + 1;
	}
	return engines;
}

void result_add_totals(const struct result *r, uint32_t first, uint32_t end, struct totals *totals)
{
	uint32_t i, j;

	for (i = first; i < end; i++) {
		const struct vsplit_record *record = r->submissions[i].record;

		for (j = 0; record && j < record->head.num_events; j++) {
			const struct drm_vsplit_event *e = &record->events[j];

			if (e->type == VSPLIT_EVENT_EVICT) {
				totals->evicted += e->bytes;
				totals->evicted_copied += e->copied;
			} else if (e->type == VSPLIT_EVENT_PAGE_IN) {
				totals->paged_in += e->bytes;
				totals->paged_in_copied += e->copied;
			} else if (e->type == VSPLIT_EVENT_MOVE) {
				totals->moved += e->bytes;
			}
		}
	}
}

struct totals result_totals(const struct result *r)
{
	struct totals totals = { 0 };

	if (r->ended)
		return r->totals;
	result_add_totals(r, 0, r->num_submissions, &totals);
	return totals;
}
