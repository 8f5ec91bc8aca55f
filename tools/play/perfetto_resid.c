// SPDX-License-Identifier: MIT
/*
 * Writes what each device requires to be resident into the trace. A device is a process, whose
 * threads are its calls and the trims that arrived. An asynchronous slice shows from a call until
 * its allocations were resident. Counters show the bytes that are required and those that are
 * offered.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "trace_play.h"

#define MAX_NAME	120

/*
 * @counts: for each allocation, how often it is required.
 * @offered: for each allocation, whether it is offered.
 * @bytes: for each device, the bytes that are required and those that are offered.
 * @named: for each device, whether its track was named.
 */
struct lists {
	struct trace_out *o;
	const struct result *r;
	uint32_t *counts;
	bool *offered;
	struct {
		uint64_t required, offered;
	} *bytes;
	bool *named;
};

static uint32_t pid_of(struct lists *l, uint32_t device)
{
	const char *of = l->r->s->devices[device].name;
	uint32_t pid = PID_DEVICE + device;
	char name[MAX_NAME];

	if (l->named[device])
		return pid;
	l->named[device] = true;
	snprintf(name, sizeof(name), "device%s%.40s: residency", of ? " " : "", of ? of : "");
	trace_name(l->o, "process_name", pid, 0, name);
	trace_name(l->o, "thread_name", pid, TID_CALLS, "calls");
	trace_name(l->o, "thread_name", pid, TID_TRIMS, "trims");
	return pid;
}

/* Write the bytes of a device's allocations that are offered or, if not @offered, required. */
static void put_counter(struct lists *l, uint32_t device, uint64_t ns, bool offered)
{
	uint64_t bytes = offered ? l->bytes[device].offered : l->bytes[device].required;

	trace_begin(l->o, "C", pid_of(l, device), 0, ns, offered ? "offered" : "required");
	fprintf(l->o->out, ",\"args\":{\"bytes\":%" PRIu64 "}}", bytes);
}

/* @only: for each allocation, whether it is printed; NULL: all are. */
static void put_allocs(struct lists *l, const char *key, const uint32_t *allocs, uint32_t count,
		       const bool *only)
{
	const char *between = "";
	uint32_t i;

	fprintf(l->o->out, "\"%s\":\"", key);
	for (i = 0; i < count; i++) {
		if (only && !only[i])
			continue;
		fprintf(l->o->out, "%s%s", between, l->r->s->allocs[allocs[i]].name);
		between = ",";
	}
	putc('"', l->o->out);
}

static const char *name_of(const struct lists *l, uint32_t index, char name[MAX_NAME])
{
	static const char *const calls[NUM_REQUESTS] = {
		"MakeResident", "Evict", "Offer", "Reclaim",
	};
	const struct request_def *def = &l->r->s->requests[index];

	snprintf(name, MAX_NAME, "%s %.60s%s", calls[def->kind],
		 def->name ? def->name : l->r->s->allocs[def->allocs[0]].name,
		 !def->name && def->num_allocs > 1 ? ", …" : "");
	return name;
}

static void set_count(struct lists *l, uint32_t alloc, uint32_t count)
{
	const struct alloc_def *a = &l->r->s->allocs[alloc];

	l->bytes[a->device].required += (count ? a->size : 0) - (l->counts[alloc] ? a->size : 0);
	l->counts[alloc] = count;
}

static void set_offered(struct lists *l, uint32_t alloc, bool offered)
{
	const struct alloc_def *a = &l->r->s->allocs[alloc];

	l->bytes[a->device].offered += (offered ? a->size : 0) - (l->offered[alloc] ? a->size : 0);
	l->offered[alloc] = offered;
}

static void note_call(struct lists *l, uint32_t index)
{
	const struct request_def *def = &l->r->s->requests[index];
	uint32_t i;

	for (i = 0; i < def->num_allocs; i++) {
		uint32_t alloc = def->allocs[i];

		if (def->kind == REQUEST_MAKE)
			set_count(l, alloc, l->counts[alloc] + 1);
		else if (def->kind == REQUEST_EVICT)
			set_count(l, alloc, l->counts[alloc] - (l->counts[alloc] > 0));
		else
			set_offered(l, alloc, def->kind == REQUEST_OFFER);
	}
}

/* Write the time from the call until its point was reached, if it is known. */
static void put_pending(struct lists *l, uint32_t index)
{
	const struct request_result *res = &l->r->requests[index];
	uint32_t pid = pid_of(l, l->r->s->requests[index].device);
	char call[MAX_NAME], name[MAX_NAME + 16];

	/* Skip it if nothing was pending after the call, or its end is not known. */
	if (res->error || !res->point || res->ready_ns <= res->t0_ns)
		return;
	snprintf(name, sizeof(name), "pending: %s", name_of(l, index, call));
	trace_begin(l->o, "b", pid, TID_CALLS, res->t0_ns, name);
	fprintf(l->o->out, ",\"cat\":\"pending\",\"id\":%u,\"args\":{\"point\":%" PRIu64 "}}",
		index + 1, res->point);
	trace_begin(l->o, "e", pid, TID_CALLS, res->ready_ns, name);
	fprintf(l->o->out, ",\"cat\":\"pending\",\"id\":%u}", index + 1);
}

static void put_call(struct lists *l, uint32_t index)
{
	const struct request_def *def = &l->r->s->requests[index];
	const struct request_result *res = &l->r->requests[index];
	FILE *out = l->o->out;
	char name[MAX_NAME];

	if (!res->t0_ns)
		return;
	trace_begin(l->o, "X", pid_of(l, def->device), TID_CALLS, res->t0_ns, name_of(l, index, name));
	trace_duration(l->o, res->t0_ns, res->t1_ns,
		       def->kind == REQUEST_OFFER || def->kind == REQUEST_RECLAIM ? "offer" : "residency");
	fprintf(out, "\"line\":%d,", def->line);
	put_allocs(l, "allocs", def->allocs, def->num_allocs, NULL);
	if (def->kind == REQUEST_MAKE)
		fprintf(out, ",\"point\":%" PRIu64, res->point);
	if (def->kind == REQUEST_OFFER)
		fprintf(out, ",\"priority\":\"%s\"", offer_names[def->flags]);
	if (res->trim)
		fprintf(out, ",\"to_give_back\":%" PRIu64, res->trim);
	if (res->discarded && memchr(res->discarded, 1, def->num_allocs)) {
		putc(',', out);
		put_allocs(l, "discarded", def->allocs, def->num_allocs, res->discarded);
	}
	fprintf(out, ",\"error\":\"%s\"}}", res->error ? errno_name(res->error) : "none");
	if (res->error)
		return;
	note_call(l, index);
	put_counter(l, def->device, res->t1_ns, def->kind > REQUEST_EVICT);
	put_pending(l, index);
}

static void put_trim(struct lists *l, const struct trim_result *trim)
{
	uint32_t reason = trim->event.reason < NUM_TRIM_REASONS ? trim->event.reason : 0, i;
	FILE *out = l->o->out;
	char name[MAX_NAME], size[SIZE_TEXT];

	if (!trim->t0_ns)
		return;
	snprintf(name, sizeof(name), "trim %s: %s", format_size(size, trim->event.bytes),
		 trim_reasons[reason]);
	trace_begin(l->o, "X", pid_of(l, trim->device), TID_TRIMS, trim->t0_ns, name);
	trace_duration(l->o, trim->t0_ns, trim->t1_ns, "trim");
	fprintf(out, "\"bytes\":%" PRIu64 ",\"reason\":\"%s\",\"group\":\"%s\",\"trims\":%" PRIu64 ",",
		(uint64_t)trim->event.bytes, trim_reasons[reason],
		trim->event.group == VSPLIT_GROUP_LOCAL ? "local" : "nonlocal",
		(uint64_t)trim->event.trims);
	put_allocs(l, "given_back", trim->evicted, trim->num_evicted, NULL);
	fputs("}}", out);
	if (!trim->num_evicted)
		return;
	for (i = 0; i < trim->num_evicted; i++)
		set_count(l, trim->evicted[i], 0);
	put_counter(l, trim->device, trim->t1_ns, false);
}

static void put_bind(struct lists *l, const struct bind_result *bind)
{
	const char *what = bind->va.type == VSPLIT_VA_MAP ? l->r->s->allocs[bind->va.alloc].name : "";
	FILE *out = l->o->out;
	char name[MAX_NAME];

	snprintf(name, sizeof(name), "%s%s%.40s @ 0x%" PRIx64, va_types[bind->va.type],
		 *what ? " " : "", what, (uint64_t)bind->va.address);
	trace_begin(l->o, "X", pid_of(l, bind->device), TID_CALLS, bind->t0_ns, name);
	trace_duration(l->o, bind->t0_ns, bind->t1_ns, "pt-update");
	fprintf(out, "\"line\":%d,\"bytes\":%" PRIu64 ",\"error\":\"%s\"}}", bind->line,
		(uint64_t)bind->va.bytes, bind->error ? errno_name(bind->error) : "none");
}

void trace_residency(struct trace_out *o, const struct result *r)
{
	const struct scenario *s = r->s;
	struct lists l = {
		.o = o,
		.r = r,
		.counts = need_memory(calloc(s->num_allocs + 1, sizeof(*l.counts))),
		.offered = need_memory(calloc(s->num_allocs + 1, sizeof(*l.offered))),
		.bytes = need_memory(calloc(s->num_devices + 1, sizeof(*l.bytes))),
		.named = need_memory(calloc(s->num_devices + 1, sizeof(*l.named))),
	};
	uint32_t i;

	for (i = 0; i < r->num_log; i++) {
		if (r->log[i].kind == LOG_REQUEST || r->log[i].kind == LOG_OFFER)
			put_call(&l, r->log[i].index);
		else if (r->log[i].kind == LOG_TRIM)
			put_trim(&l, &r->trims[r->log[i].index]);
		else if (r->log[i].kind == LOG_BIND)
			put_bind(&l, &r->binds[r->log[i].index]);
	}
	free(l.counts);
	free(l.offered);
	free(l.bytes);
	free(l.named);
}

static uint64_t earlier(uint64_t first, uint64_t ns)
{
	return ns && ns < first ? ns : first;
}

uint64_t trace_residency_begin(const struct result *r, uint64_t first)
{
	uint32_t i;

	for (i = 0; i < r->s->num_requests; i++)
		first = earlier(first, r->requests[i].t0_ns);
	for (i = 0; i < r->num_trims; i++)
		first = earlier(first, r->trims[i].t0_ns);
	for (i = 0; i < r->num_binds; i++)
		first = earlier(first, r->binds[i].t0_ns);
	return first;
}
