// SPDX-License-Identifier: MIT
/*
 * Prints a run as JSON, one object a line: a header, what happened, in the order in which it became
 * known, and an end. load.c reads it back; vsplit-run.schema.json describes each line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

const char *const mode_names[NUM_MODES] = { "patch", "explicit", "va", "hw" };
const char *const trim_reasons[NUM_TRIM_REASONS] = { "none", "demand", "budget", "periodic" };
const char *const request_names[NUM_REQUESTS] = {
	"resident", "evict-resident", "offer", "reclaim",
};
const char *const va_types[NUM_VA_TYPES] = { "map", "unmap", "sparse" };

static void put_key(FILE *out, const char *key, const char *value)
{
	fprintf(out, ",\"%s\":", key);
	if (value)
		put_json_string(out, value);
	else
		fputs("null", out);
}

static void put_number(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, ",\"%s\":%" PRIu64, key, value);
}

static void put_flag(FILE *out, const char *key, bool value)
{
	fprintf(out, ",\"%s\":%s", key, value ? "true" : "false");
}

/* ---- the header -------------------------------------------------------- */

static void put_adapter(FILE *out, const struct result *r)
{
	const struct drm_vsplit_adapter_info *a = &r->adapter;
	uint32_t i;

	fputs(",\"adapter\":{\"name\":", out);
	put_json_string(out, (const char *)a->name);
	put_flag(out, "own", r->s->adapter.own);
	put_number(out, "slots", a->num_slots);
	put_number(out, "engines", a->num_engines);
	put_flag(out, "save_restore", a->caps & VSPLIT_CAP_SAVE_RESTORE);
	put_flag(out, "paging_engine", a->caps & VSPLIT_CAP_PAGING_ENGINE);
	put_flag(out, "lenient", a->caps & VSPLIT_CAP_LENIENT);
	put_flag(out, "model_clock", a->caps & VSPLIT_CAP_MODEL_CLOCK);
	put_flag(out, "test", a->caps & VSPLIT_CAP_TEST);
	put_flag(out, "leak_detection", a->caps & VSPLIT_CAP_LEAK_DETECTION);
	if (*r->victims)
		put_key(out, "victims", r->victims);
	if (*r->splits)
		put_key(out, "splits", r->splits);
	put_number(out, "page_size", a->page_size);
	put_number(out, "timeout_ms", a->timeout_ms);
	fputs("},\"knobs\":{", out);
	for (i = 0; i < r->num_knobs; i++)
		fprintf(out, "%s\"%s\":%" PRIu64, i ? "," : "", r->knobs[i].name,
			r->knobs[i].value);
	fputs("},\"segments\":[", out);
	for (i = 0; i < r->num_segments; i++) {
		const struct drm_vsplit_segment_info *seg = &r->segments[i];

		fprintf(out, "%s{\"id\":%u", i ? "," : "", seg->id);
		put_key(out, "name", (const char *)seg->name);
		put_key(out, "type", seg->flags & VSPLIT_SEGMENT_APERTURE ? "aperture" : "memory");
		put_number(out, "size", seg->size);
		put_number(out, "commit", seg->commit_limit);
		put_number(out, "cpu", seg->flags & VSPLIT_SEGMENT_CPU_VISIBLE ?
			   seg->cpu_visible_size : 0);
		put_number(out, "ranges", seg->swizzling_ranges);
		putc('}', out);
	}
	putc(']', out);
}

static void put_objects(FILE *out, const struct scenario *s)
{
	static const char *const priorities[] = { "low", "normal", "high" };
	uint32_t i;

	fputs(",\"devices\":[", out);
	for (i = 0; i < s->num_devices; i++) {
		fprintf(out, "%s{\"id\":%u", i ? "," : "", i);
		put_key(out, "name", s->devices[i].name);
		put_flag(out, "own_adapter", s->devices[i].own);
		putc('}', out);
	}
	fputs("],\"contexts\":[", out);
	for (i = 0; i < s->num_contexts; i++) {
		const struct context_def *c = &s->contexts[i];
		uint32_t priority = c->priority - VSPLIT_CTX_PRIORITY_LOW;

		fprintf(out, "%s{\"name\":", i ? "," : "");
		put_json_string(out, c->name);
		put_number(out, "device", c->device);
		put_number(out, "engine", c->engine);
		put_key(out, "priority", priority < ARRAY_SIZE(priorities) ? priorities[priority] :
										 "normal");
		put_key(out, "errors", c->wddm ? "wddm" : "atomic");
		if (c->mode != VSPLIT_CTX_MODE_PATCH)
			put_key(out, "mode", mode_names[c->mode]);
		putc('}', out);
	}
	fputs("],\"allocs\":[", out);
	for (i = 0; i < s->num_allocs; i++) {
		const struct alloc_def *a = &s->allocs[i];

		fprintf(out, "%s{\"name\":", i ? "," : "");
		put_json_string(out, a->name);
		put_number(out, "device", a->device);
		put_number(out, "size", a->size);
		put_flag(out, "pinned", a->flags & VSPLIT_GEM_PINNED);
		if (a->flags & VSPLIT_GEM_RUNS)
			put_flag(out, "runs", true);
		putc('}', out);
	}
	putc(']', out);
}

/* Print the heads, if there are any. */
static void put_heads(FILE *out, const struct scenario *s)
{
	uint32_t i;

	for (i = 0; i < s->num_heads; i++) {
		fputs(i ? ",{\"name\":" : ",\"heads\":[{\"name\":", out);
		put_json_string(out, s->heads[i].name);
		put_number(out, "device", s->heads[i].device);
		putc('}', out);
	}
	if (i)
		putc(']', out);
}

static void put_dmas(FILE *out, const struct scenario *s)
{
	uint32_t i, j;

	fputs(",\"dmas\":[", out);
	for (i = 0; i < s->num_dmas; i++) {
		const struct dma_def *dma = &s->dmas[i];
		bool any = false;

		fprintf(out, "%s{\"name\":", i ? "," : "");
		put_json_string(out, dma->name);
		put_key(out, "context", s->contexts[dma->context].name);
		put_number(out, "length", dma->length);
		fputs(",\"split_points\":[", out);
		for (j = 0; j < dma->num_ops; j++) {
			if (!dma->ops[j].group)
				continue;
			fprintf(out, "%s%" PRIu64, any ? "," : "", dma->ops[j].offset);
			any = true;
		}
		fputs("]}", out);
	}
	putc(']', out);
}

void json_header(FILE *out, const struct result *r)
{
	fprintf(out, "{\"event\":\"header\",\"format\":\"vsplit-run\",\"version\":%d", JSON_VERSION);
	put_key(out, "scenario", r->s->path);
	put_key(out, "title", r->s->title);
	put_number(out, "expectations", r->expectations);
	put_adapter(out, r);
	put_objects(out, r->s);
	put_heads(out, r->s);
	put_dmas(out, r->s);
	fputs("}\n", out);
}

/* ---- events ------------------------------------------------------------ */

static const struct dma_def *dma_of(const struct result *r, const struct event *event)
{
	return &r->s->dmas[event->submission->dma];
}

/* Submissions are numbered from 1 over the whole run. */
static void put_submission(FILE *out, const struct result *r, const struct submission *sub)
{
	put_number(out, "submission", (uint64_t)(sub - r->submissions) + 1);
}

static void put_times(FILE *out, const struct drm_vsplit_event *e)
{
	fprintf(out, ",\"t0_ns\":%" PRIu64 ",\"t1_ns\":%" PRIu64, (uint64_t)e->t0_ns,
		(uint64_t)e->t1_ns);
}

/* Print the resource table and, if @places, where its allocations were. */
static void put_rows(FILE *out, const struct result *r, const struct event *event, bool places)
{
	const struct vsplit_record *record = event->submission->record;
	uint32_t device = r->s->contexts[dma_of(r, event)->context].device, i;
	char text[LABEL_TEXT];

	fputs(places ? ",\"rows\":[" : ",\"slots\":{", out);
	for (i = 0; i < event->step->row_count; i++) {
		uint32_t index = event->step->row_first + i;
		const struct drm_vsplit_row *row;
		const char *label;

		if (index >= record->head.num_rows)
			break;
		row = &record->rows[index];
		label = alloc_label(r, device, row->handle, 0, text);
		if (i)
			putc(',', out);
		if (places) {
			fprintf(out, "{\"slot\":%u", row->slot);
			put_key(out, "alloc", label);
			put_key(out, "segment", segment_name(r, row->segment));
			put_number(out, "at", row->offset);
			putc('}', out);
		} else {
			fprintf(out, "\"%u\":", row->slot);
			put_json_string(out, label);
		}
	}
	putc(places ? ']' : '}', out);
}

static void put_portion(FILE *out, const struct result *r, const struct event *event)
{
	const struct drm_vsplit_event *e = event->step;

	fputs("{\"event\":\"portion\"", out);
	put_key(out, "dma", dma_of(r, event)->name);
	put_key(out, "context", r->s->contexts[dma_of(r, event)->context].name);
	put_submission(out, r, event->submission);
	fprintf(out, ",\"index\":%u,\"begin\":%u,\"end\":%u,\"patch_first\":%u,\"patch_count\":%u",
		e->portion, e->begin, e->end, e->patch_first, e->patch_count);
	put_rows(out, r, event, false);
	put_rows(out, r, event, true);
	if (e->flags & VSPLIT_EVENT_SKIPPED)
		fputs(",\"skipped\":true", out);
	put_times(out, e);
	fputs("}\n", out);
}

static void put_paging(FILE *out, const struct result *r, const struct event *event)
{
	uint32_t device = r->s->contexts[dma_of(r, event)->context].device;
	const struct drm_vsplit_event *e = event->step;
	bool mapping = e->type == VSPLIT_EVENT_MAP || e->type == VSPLIT_EVENT_UNMAP;
	char text[LABEL_TEXT];

	fprintf(out, "{\"event\":\"%s\"", vsplit_event_name(e->type));
	put_key(out, "alloc", alloc_label(r, device, e->handle, e->id, text));
	put_key(out, "segment", segment_name(r, e->segment));
	if (e->type == VSPLIT_EVENT_MOVE) {
		if (e->from_segment != e->segment)
			put_key(out, "from_segment", segment_name(r, e->from_segment));
		put_number(out, "from", e->from);
	}
	/* Mapping into an aperture transfers no bytes; the pages that it maps have @size bytes. */
	put_number(out, "at", e->at);
	if (step_in_runs(r, event))
		put_flag(out, "in_runs", true);
	put_number(out, "bytes", mapping ? 0 : e->bytes);
	if (mapping)
		put_number(out, "size", e->bytes);
	else
		put_number(out, "copied", e->copied);
	if (e->flags & VSPLIT_EVENT_FOREIGN)
		put_flag(out, "foreign", true);
	if (e->flags & VSPLIT_EVENT_FILLED)
		put_flag(out, "filled", true);
	if (e->flags & VSPLIT_EVENT_SKIPPED)
		put_flag(out, "skipped", true);
	put_key(out, "dma", dma_of(r, event)->name);
	put_submission(out, r, event->submission);
	put_number(out, "before", e->portion);
	put_times(out, e);
	fputs("}\n", out);
}

/* Print all runs of an allocation that may have several. */
static void put_runs(FILE *out, const struct place *place)
{
	uint32_t i;

	for (i = 0; i < place->num_runs; i++)
		fprintf(out, "%s{\"at\":%" PRIu64 ",\"bytes\":%" PRIu64 "}",
			i ? "," : ",\"runs\":[", (uint64_t)place->runs[i].offset,
			(uint64_t)place->runs[i].bytes);
	if (i)
		putc(']', out);
}

/* Print the noted places; this line comes before the portions of the submission. */
static void put_places(FILE *out, const struct result *r, const struct submission *sub)
{
	uint32_t i;

	fputs("{\"event\":\"places\"", out);
	put_submission(out, r, sub);
	fputs(",\"allocs\":[", out);
	for (i = 0; i < sub->num_places; i++) {
		fprintf(out, "%s{\"alloc\":", i ? "," : "");
		put_json_string(out, r->s->allocs[sub->places[i].alloc].name);
		put_key(out, "segment", segment_name(r, sub->places[i].segment));
		put_number(out, "at", sub->places[i].at);
		put_runs(out, &sub->places[i]);
		putc('}', out);
	}
	fputs("]}\n", out);
}

static void put_fault(FILE *out, const struct result *r, const struct event *event)
{
	bool page = event->fault->state == VSPLIT_STATE_LOST_PAGE_FAULT;
	char text[REASON_TEXT];

	fprintf(out, "{\"event\":\"%s\"", page ? "page-fault" : "fault");
	put_key(out, "context", r->s->contexts[dma_of(r, event)->context].name);
	put_key(out, "dma", dma_of(r, event)->name);
	put_submission(out, r, event->submission);
	put_number(out, "index", event->portion);
	put_key(out, "state", vsplit_state_name(event->fault->state));
	put_key(out, "fault", vsplit_fault_name(event->fault->fault));
	put_number(out, "offset", event->fault->fault_offset);
	if (page)
		put_number(out, "address", event->fault->fault_address);
	else if (event->fault->fault_slot != UINT32_MAX)
		put_number(out, "slot", event->fault->fault_slot);
	put_key(out, "reason", fault_reason(r, event, text));
	fputs("}\n", out);
}

static void put_error(FILE *out, const struct result *r, const struct event *event)
{
	fputs("{\"event\":\"error\"", out);
	put_key(out, "dma", dma_of(r, event)->name);
	put_submission(out, r, event->submission);
	put_key(out, "errno", errno_name(event->error));
	put_flag(out, "refused", event->submission->error);
	fputs("}\n", out);
}

static void put_events(FILE *out, const struct result *r, uint32_t first, uint32_t end)
{
	struct events events;
	uint32_t i;

	for (i = first; i < end; i++) {
		if (r->submissions[i].num_places)
			put_places(out, r, &r->submissions[i]);
	}
	events_make_some(&events, r, first, end);
	for (i = 0; i < events.count; i++) {
		const struct event *event = &events.list[i];

		if (event->kind == SHOW_FAULT)
			put_fault(out, r, event);
		else if (event->kind == SHOW_ERROR)
			put_error(out, r, event);
		else if (event->step->type == VSPLIT_EVENT_PORTION)
			put_portion(out, r, event);
		else
			put_paging(out, r, event);
	}
	events_free(&events);
}

/* ---- what the scenario did --------------------------------------------- */

static void put_alloc(FILE *out, const struct result *r, uint32_t index)
{
	const struct alloc_result *a = &r->allocs[index];

	fputs("{\"event\":\"alloc\"", out);
	put_key(out, "alloc", r->s->allocs[index].name);
	if (a->error && !a->id) {
		put_key(out, "errno", errno_name(a->error));
	} else {
		put_number(out, "handle", a->handle);
		put_number(out, "id", a->id);
	}
	if (a->pinned_in) {
		put_key(out, "segment", segment_name(r, a->pinned_in));
		put_number(out, "at", a->pinned_at);
	}
	fputs("}\n", out);
}

static void put_submit(FILE *out, const struct result *r, const struct submission *sub)
{
	fputs("{\"event\":\"submit\"", out);
	put_key(out, "dma", r->s->dmas[sub->dma].name);
	put_key(out, "context", r->s->contexts[r->s->dmas[sub->dma].context].name);
	put_submission(out, r, sub);
	put_number(out, "nth", sub->nth);
	put_number(out, "line", (uint64_t)sub->line);
	put_number(out, "id", sub->id);
	put_number(out, "portions", sub->portions);
	if (sub->error)
		put_key(out, "errno", errno_name(sub->error));
	put_number(out, "t0_ns", sub->t0_ns);
	put_number(out, "t1_ns", sub->t1_ns);
	fputs("}\n", out);
}

static void put_check(FILE *out, const struct check_result *c)
{
	fputs("{\"event\":\"expect\"", out);
	put_number(out, "line", (uint64_t)c->line);
	put_key(out, "subject", c->subject);
	put_key(out, "expected", c->expected);
	put_flag(out, "held", c->held);
	if (*c->got)
		put_key(out, "got", c->got);
	if (c->submission != NO_INDEX)
		put_number(out, "submission", c->submission + 1ull);
	put_number(out, "submissions", c->submissions);
	fputs("}\n", out);
}

static void put_failure(FILE *out, const struct failure *f)
{
	fputs("{\"event\":\"failure\"", out);
	put_number(out, "line", (uint64_t)f->line);
	put_key(out, "statement", f->statement);
	put_key(out, "errno", errno_name(f->error));
	fputs("}\n", out);
}

static void put_flip(FILE *out, const struct result *r, const struct flip *f)
{
	fputs("{\"event\":\"flip\"", out);
	put_key(out, "head", r->s->heads[f->head].name);
	put_key(out, "alloc", r->s->allocs[f->alloc].name);
	put_number(out, "line", (uint64_t)f->line);
	if (f->after != NO_INDEX)
		put_key(out, "after", r->s->dmas[f->after].name);
	if (f->async)
		put_flag(out, "async", true);
	if (f->error)
		put_key(out, "errno", errno_name(f->error));
	if (f->done && f->segment) {
		put_key(out, "segment", segment_name(r, f->segment));
		put_number(out, "at", f->at);
	}
	put_number(out, "t0_ns", f->t0_ns);
	put_number(out, "t1_ns", f->t1_ns);
	fputs("}\n", out);
}

/* Print the allocations of a reclaim whose bytes were lost. */
static void put_discarded(FILE *out, const struct result *r, uint32_t index)
{
	const struct request_def *def = &r->s->requests[index];
	const bool *discarded = r->requests[index].discarded;
	bool any = false;
	uint32_t i;

	fputs(",\"discarded\":[", out);
	for (i = 0; discarded && i < def->num_allocs; i++) {
		if (!discarded[i])
			continue;
		if (any)
			putc(',', out);
		put_json_string(out, r->s->allocs[def->allocs[i]].name);
		any = true;
	}
	putc(']', out);
}

static void put_request(FILE *out, const struct result *r, uint32_t index)
{
	const struct request_def *def = &r->s->requests[index];
	const struct request_result *res = &r->requests[index];
	bool offer = def->kind == REQUEST_OFFER || def->kind == REQUEST_RECLAIM;
	uint32_t i;

	fprintf(out, "{\"event\":\"%s\"", request_names[def->kind]);
	if (!offer)
		put_key(out, "name", def->name);
	put_key(out, "device", r->s->devices[def->device].name);
	put_number(out, "line", (uint64_t)def->line);
	fputs(",\"allocs\":[", out);
	for (i = 0; i < def->num_allocs; i++) {
		if (i)
			putc(',', out);
		put_json_string(out, r->s->allocs[def->allocs[i]].name);
	}
	putc(']', out);
	if (def->kind == REQUEST_MAKE) {
		put_number(out, "pending", res->point != 0);
		put_number(out, "point", res->point);
	}
	if (!offer)
		put_number(out, "trim", res->trim);
	if (def->kind == REQUEST_OFFER)
		put_key(out, "priority", offer_names[def->flags]);
	if (def->kind == REQUEST_RECLAIM)
		put_discarded(out, r, index);
	if (res->error)
		put_key(out, "errno", errno_name(res->error));
	put_number(out, "t0_ns", res->t0_ns);
	put_number(out, "t1_ns", res->t1_ns);
	fputs("}\n", out);
}

/* The point of a call was reached. */
static void put_ready(FILE *out, const struct result *r, uint32_t index)
{
	const struct request_def *def = &r->s->requests[index];

	fputs("{\"event\":\"ready\"", out);
	put_key(out, "name", def->name);
	put_key(out, "device", r->s->devices[def->device].name);
	put_number(out, "line", (uint64_t)def->line);
	put_number(out, "point", r->requests[index].point);
	put_number(out, "t_ns", r->requests[index].ready_ns);
	fputs("}\n", out);
}

static void put_trim(FILE *out, const struct result *r, const struct trim_result *trim)
{
	uint32_t i;

	fputs("{\"event\":\"trim\"", out);
	put_key(out, "device", r->s->devices[trim->device].name);
	put_number(out, "bytes", trim->event.bytes);
	put_key(out, "reason", trim->event.reason < NUM_TRIM_REASONS ?
			       trim_reasons[trim->event.reason] : trim_reasons[0]);
	put_key(out, "group", trim->event.group == VSPLIT_GROUP_LOCAL ? "local" : "nonlocal");
	put_number(out, "trims", trim->event.trims);
	for (i = 0; i < trim->num_evicted; i++) {
		fputs(i ? "," : ",\"evicted\":[", out);
		put_json_string(out, r->s->allocs[trim->evicted[i]].name);
	}
	if (i)
		putc(']', out);
	put_number(out, "t0_ns", trim->t0_ns);
	put_number(out, "t1_ns", trim->t1_ns);
	fputs("}\n", out);
}

static void put_bind(FILE *out, const struct result *r, const struct bind_result *bind)
{
	fputs("{\"event\":\"pt-update\"", out);
	put_key(out, "device", r->s->devices[bind->device].name);
	put_number(out, "line", (uint64_t)bind->line);
	put_key(out, "type", va_types[bind->va.type]);
	put_number(out, "at", bind->va.address);
	put_number(out, "bytes", bind->va.bytes);
	if (bind->va.type == VSPLIT_VA_MAP) {
		put_key(out, "alloc", r->s->allocs[bind->va.alloc].name);
		put_number(out, "offset", bind->va.offset);
		put_flag(out, "read_only", bind->va.flags & VSPLIT_VA_OP_READ_ONLY);
	}
	if (bind->error)
		put_key(out, "errno", errno_name(bind->error));
	put_number(out, "t0_ns", bind->t0_ns);
	put_number(out, "t1_ns", bind->t1_ns);
	fputs("}\n", out);
}

uint32_t json_log(FILE *out, const struct result *r, uint32_t first)
{
	for (; first < r->num_log; first++) {
		const struct log_entry *entry = &r->log[first];

		switch (entry->kind) {
		case LOG_ALLOC:
			put_alloc(out, r, entry->index);
			break;
		case LOG_SUBMIT:
			put_submit(out, r, &r->submissions[entry->index]);
			break;
		case LOG_EVENTS:
			put_events(out, r, entry->index, entry->end);
			break;
		case LOG_CHECK:
			put_check(out, &r->checks[entry->index]);
			break;
		case LOG_FAILURE:
			put_failure(out, &r->failures[entry->index]);
			break;
		case LOG_FLIP:
			put_flip(out, r, &r->flips[entry->index]);
			break;
		case LOG_REQUEST:
		case LOG_OFFER:
			put_request(out, r, entry->index);
			break;
		case LOG_READY:
			put_ready(out, r, entry->index);
			break;
		case LOG_TRIM:
			put_trim(out, r, &r->trims[entry->index]);
			break;
		case LOG_BIND:
			put_bind(out, r, &r->binds[entry->index]);
			break;
		}
	}
	return r->num_log;
}

void json_end(FILE *out, const struct result *r)
{
	struct totals totals = result_totals(r);
	uint32_t i;

	fprintf(out, "{\"event\":\"end\",\"status\":%d", r->status);
	put_number(out, "submissions", r->num_submissions);
	put_number(out, "held", r->held);
	put_number(out, "failed", r->failed);
	put_number(out, "paged_in", totals.paged_in);
	put_number(out, "paged_in_copied", totals.paged_in_copied);
	put_number(out, "evicted", totals.evicted);
	put_number(out, "evicted_copied", totals.evicted_copied);
	put_number(out, "moved", totals.moved);
	if (r->best.portions)
		fprintf(out, ",\"best\":{\"portions\":%u,\"paged_in\":%" PRIu64 "}",
			r->best.portions, r->best.paged_in);
	fputs(",\"contexts\":{", out);
	for (i = 0; i < r->s->num_contexts; i++) {
		if (i)
			putc(',', out);
		put_json_string(out, r->s->contexts[i].name);
		putc(':', out);
		put_json_string(out, vsplit_state_name(r->contexts[i].state));
	}
	fputs("}}\n", out);
}

void show_json(FILE *out, const struct result *r)
{
	json_header(out, r);
	json_log(out, r, 0);
	if (r->ended)
		json_end(out, r);
}
