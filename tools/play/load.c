// SPDX-License-Identifier: MIT
/*
 * Reads the lines of --json back into a run. Unknown members are skipped, because other programs
 * may add their own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

#define MAX_DEPTH	8
#define MAX_LINE	(256u << 20)	/* the header of a scenario of 16 MiB has less than a half */

static struct submission *submission_of(struct loader *l, struct json_object *o)
{
	uint64_t number = number_of(l, o, "submission", MAX_COUNT);

	if (!l->failed && (!number || number > l->r->num_submissions))
		wrong(l, "there was no submission %llu", (unsigned long long)number);
	return l->failed ? NULL : &l->r->submissions[number - 1];
}

/* ---- the header -------------------------------------------------------- */

static void load_segment(struct loader *l, struct json_object *o)
{
	struct drm_vsplit_segment_info *seg = &l->r->segments[l->r->num_segments];
	const char *name = text_of(l, o, "name"), *type = text_of(l, o, "type");

	if (l->r->num_segments == VSPLIT_MAX_SEGMENTS)
		wrong(l, "there are more than %d segments", VSPLIT_MAX_SEGMENTS);
	if (!l->failed && (!is_name(name) || strlen(name) >= sizeof(seg->name)))
		wrong(l, "'%.60s' is no name of a segment", name);
	if (l->failed)
		return;
	strcpy((char *)seg->name, name);
	seg->id = (uint32_t)number_of(l, o, "id", VSPLIT_MAX_SEGMENTS);
	seg->size = number_of(l, o, "size", MAX_BYTES);
	seg->commit_limit = number_of(l, o, "commit", MAX_BYTES);
	seg->cpu_visible_size = number_of(l, o, "cpu", MAX_BYTES);
	seg->swizzling_ranges = (uint32_t)number_of(l, o, "ranges", MAX_COUNT);
	seg->flags = (strcmp(type, "aperture") ? 0 : VSPLIT_SEGMENT_APERTURE) |
		     (seg->cpu_visible_size ? VSPLIT_SEGMENT_CPU_VISIBLE : 0);
	if (!seg->id || !seg->size)
		wrong(l, "segment %s has no id or no size", name);
	l->r->num_segments++;
}

static void load_device(struct loader *l, struct json_object *o)
{
	struct device_def *d;

	if (number_of(l, o, "id", MAX_COUNT) != l->s->num_devices)
		wrong(l, "the devices are not in the order of their ids");
	l->s->devices = append(l->s->devices, &l->s->num_devices, sizeof(*l->s->devices));
	d = &l->s->devices[l->s->num_devices - 1];
	if (text_maybe(l, o, "name"))
		d->name = name_of(l, o);
	d->own = flag_of(l, o, "own_adapter");
}

static uint32_t device_of(struct loader *l, struct json_object *o)
{
	uint64_t device = number_of(l, o, "device", MAX_COUNT);

	if (!l->failed && device >= l->s->num_devices)
		wrong(l, "there is no device %llu", (unsigned long long)device);
	return l->failed ? 0 : (uint32_t)device;
}

static void load_context(struct loader *l, struct json_object *o)
{
	static const char *const priorities[] = { "low", "normal", "high" };
	const char *priority = text_of(l, o, "priority"), *mode = text_maybe(l, o, "mode");
	struct context_def *c;
	uint32_t i;

	l->s->contexts = append(l->s->contexts, &l->s->num_contexts, sizeof(*l->s->contexts));
	c = &l->s->contexts[l->s->num_contexts - 1];
	c->name = name_of(l, o);
	c->device = device_of(l, o);
	c->engine = (uint32_t)number_of(l, o, "engine", UINT32_MAX);
	c->wddm = !strcmp(text_of(l, o, "errors"), "wddm");
	for (i = 0; i < ARRAY_SIZE(priorities); i++) {
		if (!strcmp(priority, priorities[i]))
			c->priority = VSPLIT_CTX_PRIORITY_LOW + i;
	}
	for (i = 0; mode && i < NUM_MODES; i++) {
		if (!strcmp(mode, mode_names[i]))
			c->mode = i;
	}
}

static void load_alloc_def(struct loader *l, struct json_object *o)
{
	struct alloc_def *a;

	l->s->allocs = append(l->s->allocs, &l->s->num_allocs, sizeof(*l->s->allocs));
	a = &l->s->allocs[l->s->num_allocs - 1];
	a->name = name_of(l, o);
	a->device = device_of(l, o);
	a->size = number_of(l, o, "size", UINT64_MAX);
	a->flags = (flag_of(l, o, "pinned") ? VSPLIT_GEM_PINNED : 0) |
		   (flag_of(l, o, "runs") ? VSPLIT_GEM_RUNS : 0);
}

static void load_dma(struct loader *l, struct json_object *o)
{
	const char *context = text_of(l, o, "context");
	struct json_object *points = member(l, o, "split_points", json_type_array, true);
	size_t i, count = points ? json_object_array_length(points) : 0;
	struct dma_def *dma;

	l->s->dmas = append(l->s->dmas, &l->s->num_dmas, sizeof(*l->s->dmas));
	dma = &l->s->dmas[l->s->num_dmas - 1];
	dma->name = name_of(l, o);
	dma->context = known(l, "context", context, find_context(l->s, context));
	dma->length = number_of(l, o, "length", UINT32_MAX);
	for (i = 0; i < count; i++) {
		struct op *op;

		dma->ops = append(dma->ops, &dma->num_ops, sizeof(*dma->ops));
		op = &dma->ops[dma->num_ops - 1];
		op->type = OP_BIND;
		op->group = true;
		op->offset = number_in(l, json_object_array_get_idx(points, i), "split_points",
				       UINT32_MAX);
	}
}

static void load_head(struct loader *l, struct json_object *o)
{
	struct head_def *h;

	l->s->heads = append(l->s->heads, &l->s->num_heads, sizeof(*l->s->heads));
	h = &l->s->heads[l->s->num_heads - 1];
	h->name = name_of(l, o);
	h->device = device_of(l, o);
}

static void load_adapter(struct loader *l, struct json_object *header)
{
	static const struct {
		const char *key;
		uint32_t cap;
	} caps[] = {
		{ "save_restore", VSPLIT_CAP_SAVE_RESTORE },
		{ "paging_engine", VSPLIT_CAP_PAGING_ENGINE },
		{ "lenient", VSPLIT_CAP_LENIENT },
		{ "model_clock", VSPLIT_CAP_MODEL_CLOCK },
		{ "test", VSPLIT_CAP_TEST },
		{ "leak_detection", VSPLIT_CAP_LEAK_DETECTION },
	};
	struct json_object *o = member(l, header, "adapter", json_type_object, true);
	struct drm_vsplit_adapter_info *a = &l->r->adapter;
	const char *victims = o ? text_maybe(l, o, "victims") : NULL;
	const char *splits = o ? text_maybe(l, o, "splits") : NULL;
	size_t i;

	if (!o)
		return;
	snprintf((char *)a->name, sizeof(a->name), "%s", text_of(l, o, "name"));
	make_printable((char *)a->name);
	l->s->adapter.own = flag_of(l, o, "own");
	snprintf(l->r->victims, sizeof(l->r->victims), "%s", victims ? victims : "");
	snprintf(l->r->splits, sizeof(l->r->splits), "%s", splits ? splits : "");
	a->num_slots = (uint32_t)number_of(l, o, "slots", UINT32_MAX);
	a->num_engines = (uint32_t)number_of(l, o, "engines", MAX_ENGINES);
	a->page_size = (uint32_t)number_of(l, o, "page_size", UINT32_MAX);
	a->timeout_ms = (uint32_t)number_of(l, o, "timeout_ms", UINT32_MAX);
	for (i = 0; i < ARRAY_SIZE(caps); i++)
		a->caps |= flag_of(l, o, caps[i].key) ? caps[i].cap : 0;
}

static void load_knobs(struct loader *l, struct json_object *header)
{
	struct json_object *o = member(l, header, "knobs", json_type_object, true);

	if (!o)
		return;
	json_object_object_foreach(o, key, value) {
		const char *name = knob_name(key, strlen(key));

		if (!name || l->r->num_knobs == MAX_KNOBS) {
			wrong(l, "there is no knob '%.60s'", key);
			return;
		}
		l->r->knobs[l->r->num_knobs++] = (struct knob){
			.name = name, .value = number_in(l, value, key, UINT64_MAX), .given = true,
		};
	}
}

static void load_header(struct loader *l, struct json_object *o)
{
	uint64_t version;

	if (strcmp(text_of(l, o, "event"), "header") ||
	    strcmp(text_of(l, o, "format"), "vsplit-run")) {
		l->failed = false;
		wrong(l, "this is no run of vsplit-play --json");
		return;
	}
	version = number_of(l, o, "version", UINT32_MAX);
	if (!l->failed && version != JSON_VERSION)
		wrong(l, "the run is of version %llu of the format, and this program reads %d",
		      (unsigned long long)version, JSON_VERSION);
	l->s->path = copy_text(text_of(l, o, "scenario"));
	if (text_maybe(l, o, "title")) {
		l->s->title = copy_text(text_of(l, o, "title"));
		make_printable(l->s->title);
	}
	load_adapter(l, o);
	load_knobs(l, o);
	each(l, o, "segments", load_segment);
	each(l, o, "devices", load_device);
	/* Objects that name no device belong to the first one, so it must exist. */
	if (!l->s->num_devices)
		wrong(l, "\"devices\" is empty");
	each(l, o, "contexts", load_context);
	each(l, o, "allocs", load_alloc_def);
	if (has(o, "heads"))
		each(l, o, "heads", load_head);
	each(l, o, "dmas", load_dma);
	if (!l->failed)
		result_fit(l->r);
	l->r->expectations = (uint32_t)number_of(l, o, "expectations", MAX_COUNT);
}

/* ---- events ------------------------------------------------------------ */

static struct drm_vsplit_event *add_step(struct loader *l, struct json_object *o,
					 struct submission *sub)
{
	struct drm_vsplit_event *step;

	if (!sub)
		return NULL;
	if (!sub->record) {
		uint32_t none = 0;

		sub->record = append(NULL, &none, sizeof(*sub->record));
		sub->done = true;
	}
	sub->record->events = append(sub->record->events, &sub->record->head.num_events,
				     sizeof(*sub->record->events));
	step = &sub->record->events[sub->record->head.num_events - 1];
	step->flags = (flag_of(l, o, "skipped") ? VSPLIT_EVENT_SKIPPED : 0) |
		      (flag_of(l, o, "foreign") ? VSPLIT_EVENT_FOREIGN : 0) |
		      (flag_of(l, o, "filled") ? VSPLIT_EVENT_FILLED : 0);
	step->t0_ns = number_of(l, o, "t0_ns", INT64_MAX);
	step->t1_ns = number_of(l, o, "t1_ns", INT64_MAX);
	return step;
}

static void load_portion(struct loader *l, struct json_object *o)
{
	struct submission *sub = submission_of(l, o);
	struct drm_vsplit_event *step = add_step(l, o, sub);
	struct json_object *rows = member(l, o, "rows", json_type_array, true);
	size_t i, count = rows ? json_object_array_length(rows) : 0;
	struct vsplit_record *record;

	if (!step)
		return;
	record = sub->record;
	step->type = VSPLIT_EVENT_PORTION;
	step->portion = (uint32_t)number_of(l, o, "index", MAX_COUNT);
	step->begin = (uint32_t)number_of(l, o, "begin", UINT32_MAX);
	step->end = (uint32_t)number_of(l, o, "end", UINT32_MAX);
	step->patch_first = (uint32_t)number_of(l, o, "patch_first", UINT32_MAX);
	step->patch_count = (uint32_t)number_of(l, o, "patch_count", UINT32_MAX);
	step->row_first = record->head.num_rows;
	for (i = 0; i < count && !l->failed; i++) {
		struct json_object *from = json_object_array_get_idx(rows, i);
		struct drm_vsplit_row *row;
		uint64_t id;

		if (!json_object_is_type(from, json_type_object)) {
			wrong(l, "\"rows\" holds something that is no object");
			return;
		}
		record->rows = append(record->rows, &record->head.num_rows, sizeof(*record->rows));
		row = &record->rows[record->head.num_rows - 1];
		row->slot = (uint32_t)number_of(l, from, "slot", MAX_COUNT);
		row->segment = segment_of(l, from, "segment");
		row->offset = number_of(l, from, "at", MAX_BYTES);
		alloc_of(l, from, &row->handle, &id);
		step->row_count++;
	}
}

static void load_paging(struct loader *l, struct json_object *o, uint32_t type)
{
	struct drm_vsplit_event *step = add_step(l, o, submission_of(l, o));
	bool mapping = type == VSPLIT_EVENT_MAP || type == VSPLIT_EVENT_UNMAP;
	uint32_t handle;
	uint64_t id;

	if (!step)
		return;
	step->type = type;
	step->portion = (uint32_t)number_of(l, o, "before", MAX_COUNT);
	alloc_of(l, o, &handle, &id);
	step->id = id;
	if (*text_of(l, o, "alloc") != '#')
		step->handle = handle;
	step->segment = segment_of(l, o, "segment");
	step->at = number_of(l, o, "at", MAX_BYTES);
	step->bytes = number_of(l, o, mapping ? "size" : "bytes", MAX_BYTES);
	if (!mapping)
		step->copied = number_of(l, o, "copied", MAX_BYTES);
	if (type == VSPLIT_EVENT_MOVE) {
		step->from = number_of(l, o, "from", MAX_BYTES);
		step->from_segment = has(o, "from_segment") ? segment_of(l, o, "from_segment") :
							      step->segment;
	}
}

static void load_run(struct loader *l, struct json_object *o)
{
	struct place *place = &l->places_of->places[l->places_of->num_places - 1];

	place->runs = append(place->runs, &place->num_runs, sizeof(*place->runs));
	place->runs[place->num_runs - 1] = (struct drm_vsplit_run){
		.offset = number_of(l, o, "at", MAX_BYTES),
		.bytes = number_of(l, o, "bytes", MAX_BYTES),
	};
}

static void load_place(struct loader *l, struct json_object *o)
{
	const char *name = text_of(l, o, "alloc");
	struct submission *sub = l->places_of;
	struct place *place;

	sub->places = append(sub->places, &sub->num_places, sizeof(*sub->places));
	place = &sub->places[sub->num_places - 1];
	place->alloc = known(l, "allocation", name, find_alloc(l->s, name));
	place->segment = segment_of(l, o, "segment");
	place->at = number_of(l, o, "at", MAX_BYTES);
	if (has(o, "runs"))
		each(l, o, "runs", load_run);
}

static void load_places(struct loader *l, struct json_object *o)
{
	l->places_of = submission_of(l, o);
	if (l->places_of)
		each(l, o, "allocs", load_place);
}

static void load_fault(struct loader *l, struct json_object *o)
{
	const char *state = text_of(l, o, "state"), *fault = text_of(l, o, "fault");
	const struct submission *sub = submission_of(l, o);
	struct drm_vsplit_ctx_query *q;
	uint32_t i;

	if (!sub)
		return;
	q = &l->r->contexts[l->s->dmas[sub->dma].context];
	*q = (struct drm_vsplit_ctx_query){ .fault_slot = UINT32_MAX, .submission = sub->id };
	for (i = VSPLIT_STATE_ACTIVE; i <= VSPLIT_STATE_LOST_PAGE_FAULT; i++) {
		if (!strcmp(state, vsplit_state_name(i)))
			q->state = i;
	}
	for (i = VSPLIT_FAULT_NONE; i <= VSPLIT_FAULT_READ_ONLY; i++) {
		if (!strcmp(fault, vsplit_fault_name(i)))
			q->fault = i;
	}
	q->fault_portion = (uint32_t)number_of(l, o, "index", MAX_COUNT);
	q->fault_offset = (uint32_t)number_of(l, o, "offset", UINT32_MAX);
	if (has(o, "slot"))
		q->fault_slot = (uint32_t)number_of(l, o, "slot", UINT32_MAX);
	if (has(o, "address"))
		q->fault_address = number_of(l, o, "address", UINT64_MAX);
}

static void load_error(struct loader *l, struct json_object *o)
{
	struct submission *sub = submission_of(l, o);

	if (sub && !flag_of(l, o, "refused"))
		sub->fence_error = error_of(l, o);
}

/* ---- what the scenario did --------------------------------------------- */

static void load_alloc(struct loader *l, struct json_object *o)
{
	const char *name = text_of(l, o, "alloc");
	uint32_t index = known(l, "allocation", name, find_alloc(l->s, name));
	struct alloc_result *a;

	if (l->failed)
		return;
	a = &l->r->allocs[index];
	if (has(o, "errno")) {
		a->error = error_of(l, o);
	} else {
		uint32_t handle = (uint32_t)number_of(l, o, "handle", UINT32_MAX);

		result_made(l->r, index, handle, number_of(l, o, "id", INT64_MAX));
		if (l->s->allocs[index].size > MAX_BYTES)
			wrong(l, "%s is too large to be there", name);
	}
	if (has(o, "segment")) {
		a->pinned_in = segment_of(l, o, "segment");
		a->pinned_at = number_of(l, o, "at", MAX_BYTES);
	}
	result_log(l->r, LOG_ALLOC, index, 0);
}

static void load_submit(struct loader *l, struct json_object *o)
{
	const char *name = text_of(l, o, "dma");
	uint32_t dma = known(l, "DMA buffer", name, find_dma(l->s, name));
	struct submission *sub;

	if (number_of(l, o, "submission", MAX_COUNT) != l->r->num_submissions + 1ull)
		wrong(l, "the submissions are not in order");
	if (l->failed)
		return;
	sub = result_add_submission(l->r);
	sub->dma = dma;
	sub->nth = (uint32_t)number_of(l, o, "nth", MAX_COUNT);
	sub->line = (int)number_of(l, o, "line", MAX_COUNT);
	sub->id = number_of(l, o, "id", INT64_MAX);
	sub->portions = (uint32_t)number_of(l, o, "portions", MAX_COUNT);
	if (has(o, "errno"))
		sub->error = error_of(l, o);
	sub->t0_ns = number_of(l, o, "t0_ns", INT64_MAX);
	sub->t1_ns = number_of(l, o, "t1_ns", INT64_MAX);
	result_log(l->r, LOG_SUBMIT, l->r->num_submissions - 1, 0);
}

static void load_check(struct loader *l, struct json_object *o)
{
	const char *subject = text_maybe(l, o, "subject"), *got = text_maybe(l, o, "got");
	struct check_result *c = result_add_check(l->r);
	const struct submission *sub = has(o, "submission") ? submission_of(l, o) : NULL;

	c->line = (int)number_of(l, o, "line", MAX_COUNT);
	c->subject = subject ? copy_text(subject) : NULL;
	c->expected = copy_text(text_of(l, o, "expected"));
	c->got = copy_text(got ? got : "");
	c->held = flag_of(l, o, "held");
	c->submission = sub ? (uint32_t)(sub - l->r->submissions) : NO_INDEX;
	c->submissions = (uint32_t)number_of(l, o, "submissions", MAX_COUNT);
	result_log(l->r, LOG_CHECK, l->r->num_checks - 1, 0);
}

static void load_failure(struct loader *l, struct json_object *o)
{
	struct failure *f = result_add_failure(l->r);

	f->line = (int)number_of(l, o, "line", MAX_COUNT);
	f->statement = statement_known(text_of(l, o, "statement"));
	f->error = error_of(l, o);
	if (!f->statement)
		wrong(l, "\"statement\" is no statement");
	result_log(l->r, LOG_FAILURE, l->r->num_failures - 1, 0);
}

static void load_flip(struct loader *l, struct json_object *o)
{
	const char *head = text_of(l, o, "head"), *alloc = text_of(l, o, "alloc");
	const char *after = text_maybe(l, o, "after");
	struct flip *f = result_add_flip(l->r);

	f->head = known(l, "head", head, find_head(l->s, head));
	f->alloc = known(l, "allocation", alloc, find_alloc(l->s, alloc));
	f->after = after ? known(l, "DMA buffer", after, find_dma(l->s, after)) : NO_INDEX;
	f->line = (int)number_of(l, o, "line", MAX_COUNT);
	f->async = flag_of(l, o, "async");
	if (has(o, "errno"))
		f->error = error_of(l, o);
	f->done = !f->error;
	if (has(o, "segment")) {
		f->segment = segment_of(l, o, "segment");
		f->at = number_of(l, o, "at", MAX_BYTES);
	}
	f->t0_ns = number_of(l, o, "t0_ns", INT64_MAX);
	f->t1_ns = number_of(l, o, "t1_ns", INT64_MAX);
	result_log(l->r, LOG_FLIP, l->r->num_flips - 1, 0);
}

/* The device, by name. Only the first device may have no name. */
static uint32_t device_by_name(struct loader *l, struct json_object *o)
{
	const char *name = text_maybe(l, o, "device");

	return name ? known(l, "device", name, find_device(l->s, name)) : 0;
}

/* Call @take with the index of each allocation named in an array. */
static void each_alloc(struct loader *l, struct json_object *o, const char *key, bool needed,
		       void (*take)(void *data, uint32_t alloc), void *data)
{
	struct json_object *names = member(l, o, key, json_type_array, needed);
	size_t i, count = names ? json_object_array_length(names) : 0;

	for (i = 0; i < count && !l->failed; i++) {
		const char *name = json_object_get_string(json_object_array_get_idx(names, i));

		take(data, known(l, "allocation", name ?: "", find_alloc(l->s, name ?: "")));
	}
}

static void take_request_alloc(void *data, uint32_t alloc)
{
	struct request_def *def = data;

	def->allocs = append(def->allocs, &def->num_allocs, sizeof(*def->allocs));
	def->allocs[def->num_allocs - 1] = alloc;
}

struct reclaimed {
	const struct request_def *def;
	bool *discarded;
};

static void take_discarded(void *data, uint32_t alloc)
{
	struct reclaimed *reclaimed = data;
	uint32_t i;

	for (i = 0; i < reclaimed->def->num_allocs; i++) {
		if (reclaimed->def->allocs[i] == alloc)
			reclaimed->discarded[i] = true;
	}
}

/* Read a time. Output of older versions has none. */
static uint64_t time_maybe(struct loader *l, struct json_object *o, const char *key)
{
	return has(o, key) ? number_of(l, o, key, INT64_MAX) : 0;
}

static uint32_t offer_of(struct loader *l, struct json_object *o)
{
	const char *name = text_of(l, o, "priority");
	uint32_t i;

	for (i = VSPLIT_OFFER_LOW; i < NUM_OFFERS; i++) {
		if (!strcmp(name, offer_names[i]))
			return i;
	}
	wrong(l, "\"priority\" is none of an offer");
	return VSPLIT_OFFER_NORMAL;
}

static void load_request(struct loader *l, struct json_object *o, enum request_kind kind)
{
	bool offer = kind == REQUEST_OFFER || kind == REQUEST_RECLAIM;
	uint32_t index = l->s->num_requests;
	struct request_result *res;
	struct request_def *def;

	l->s->requests = append(l->s->requests, &l->s->num_requests, sizeof(*l->s->requests));
	def = &l->s->requests[index];
	l->r->requests = append(l->r->requests, &index, sizeof(*l->r->requests));
	res = &l->r->requests[index - 1];
	def->kind = kind;
	def->line = (int)number_of(l, o, "line", MAX_COUNT);
	def->device = device_by_name(l, o);
	if (text_maybe(l, o, "name"))
		def->name = name_of(l, o);
	each_alloc(l, o, "allocs", true, take_request_alloc, def);
	if (!def->num_allocs)
		wrong(l, "\"allocs\" is empty");
	res->done = true;
	res->point = kind == REQUEST_MAKE ? number_of(l, o, "point", INT64_MAX) : 0;
	res->trim = offer ? 0 : number_of(l, o, "trim", MAX_BYTES);
	if (kind == REQUEST_OFFER)
		def->flags = offer_of(l, o);
	if (kind == REQUEST_RECLAIM) {
		res->discarded = need_memory(calloc(def->num_allocs + 1, sizeof(bool)));
		each_alloc(l, o, "discarded", true, take_discarded,
			   &(struct reclaimed){ def, res->discarded });
	}
	if (has(o, "errno"))
		res->error = error_of(l, o);
	res->t0_ns = time_maybe(l, o, "t0_ns");
	res->t1_ns = time_maybe(l, o, "t1_ns");
	result_log(l->r, offer ? LOG_OFFER : LOG_REQUEST, index - 1, 0);
}

static void load_resident(struct loader *l, struct json_object *o)
{
	load_request(l, o, REQUEST_MAKE);
}

static void load_evict(struct loader *l, struct json_object *o)
{
	load_request(l, o, REQUEST_EVICT);
}

static void load_offer(struct loader *l, struct json_object *o)
{
	load_request(l, o, REQUEST_OFFER);
}

static void load_reclaim(struct loader *l, struct json_object *o)
{
	load_request(l, o, REQUEST_RECLAIM);
}

/* The point of a call was reached: that of the last call in the line. */
static void load_ready(struct loader *l, struct json_object *o)
{
	int line = (int)number_of(l, o, "line", MAX_COUNT);
	uint32_t i = l->s->num_requests;

	while (i && (l->s->requests[i - 1].line != line ||
		     l->s->requests[i - 1].kind != REQUEST_MAKE))
		i--;
	if (!i) {
		wrong(l, "no call of line %d is there", line);
		return;
	}
	l->r->requests[i - 1].ready_ns = number_of(l, o, "t_ns", INT64_MAX);
	result_log(l->r, LOG_READY, i - 1, 0);
}

static void take_trimmed(void *data, uint32_t alloc)
{
	struct trim_result *trim = data;

	trim->evicted = append(trim->evicted, &trim->num_evicted, sizeof(*trim->evicted));
	trim->evicted[trim->num_evicted - 1] = alloc;
}

static void load_trim(struct loader *l, struct json_object *o)
{
	const char *reason = text_of(l, o, "reason");
	struct trim_result *trim = result_add_trim(l->r);
	uint32_t i;

	trim->device = device_by_name(l, o);
	trim->event.bytes = number_of(l, o, "bytes", UINT64_MAX);
	trim->event.trims = number_of(l, o, "trims", MAX_COUNT);
	trim->event.group = strcmp(text_of(l, o, "group"), "local") ? VSPLIT_GROUP_NONLOCAL :
								     VSPLIT_GROUP_LOCAL;
	for (i = 0; i < NUM_TRIM_REASONS; i++) {
		if (!strcmp(reason, trim_reasons[i]))
			trim->event.reason = i;
	}
	each_alloc(l, o, "evicted", false, take_trimmed, trim);
	trim->t0_ns = time_maybe(l, o, "t0_ns");
	trim->t1_ns = time_maybe(l, o, "t1_ns");
	result_log(l->r, LOG_TRIM, l->r->num_trims - 1, 0);
}

static void load_bind(struct loader *l, struct json_object *o)
{
	const char *type = text_of(l, o, "type");
	const char *alloc = text_maybe(l, o, "alloc");
	struct bind_result *bind = result_add_bind(l->r);

	while (bind->va.type < NUM_VA_TYPES && strcmp(type, va_types[bind->va.type]))
		bind->va.type++;
	if (bind->va.type == NUM_VA_TYPES)
		wrong(l, "\"type\" is no change of a page table");
	bind->device = device_by_name(l, o);
	bind->line = (int)number_of(l, o, "line", MAX_COUNT);
	bind->va.address = number_of(l, o, "at", UINT64_MAX);
	bind->va.bytes = number_of(l, o, "bytes", UINT64_MAX);
	if (bind->va.type == VSPLIT_VA_MAP) {
		bind->va.alloc = known(l, "allocation", alloc ?: "", find_alloc(l->s, alloc ?: ""));
		bind->va.offset = number_of(l, o, "offset", UINT64_MAX);
		bind->va.flags = flag_of(l, o, "read_only") ? VSPLIT_VA_OP_READ_ONLY : 0;
	}
	if (has(o, "errno"))
		bind->error = error_of(l, o);
	bind->t0_ns = number_of(l, o, "t0_ns", INT64_MAX);
	bind->t1_ns = number_of(l, o, "t1_ns", INT64_MAX);
	result_log(l->r, LOG_BIND, l->r->num_binds - 1, 0);
}

static void load_end(struct loader *l, struct json_object *o)
{
	struct json_object *contexts = member(l, o, "contexts", json_type_object, true);
	struct json_object *best = member(l, o, "best", json_type_object, false);
	uint32_t i, state;

	l->r->ended = true;
	if (best) {
		l->r->best.portions = (uint32_t)number_of(l, best, "portions", MAX_COUNT);
		l->r->best.paged_in = number_of(l, best, "paged_in", UINT64_MAX);
	}
	l->r->status = (int)number_of(l, o, "status", EXIT_NOT_RUN);
	l->r->held = (uint32_t)number_of(l, o, "held", MAX_COUNT);
	l->r->failed = (uint32_t)number_of(l, o, "failed", MAX_COUNT);
	l->r->totals.paged_in = number_of(l, o, "paged_in", UINT64_MAX);
	l->r->totals.paged_in_copied = number_of(l, o, "paged_in_copied", UINT64_MAX);
	l->r->totals.evicted = number_of(l, o, "evicted", UINT64_MAX);
	l->r->totals.evicted_copied = number_of(l, o, "evicted_copied", UINT64_MAX);
	l->r->totals.moved = number_of(l, o, "moved", UINT64_MAX);
	for (i = 0; i < l->s->num_contexts && contexts; i++) {
		const char *name = text_of(l, contexts, l->s->contexts[i].name);

		for (state = VSPLIT_STATE_ACTIVE; state <= VSPLIT_STATE_LOST_PAGE_FAULT; state++) {
			if (!strcmp(name, vsplit_state_name(state)))
				l->r->contexts[i].state = state;
		}
	}
}

/* ---- the file ---------------------------------------------------------- */

static void end_events(struct loader *l)
{
	if (!l->in_events)
		return;
	l->in_events = false;
	result_log(l->r, LOG_EVENTS, l->r->shown, l->r->num_submissions);
	l->r->shown = l->r->num_submissions;
}

static void load_line(struct loader *l, struct json_object *o)
{
	static const struct {
		const char *name;
		void (*load)(struct loader *l, struct json_object *o);
	} lines[] = {
		{ "alloc", load_alloc }, { "submit", load_submit }, { "expect", load_check },
		{ "failure", load_failure }, { "flip", load_flip }, { "resident", load_resident },
		{ "evict-resident", load_evict }, { "offer", load_offer },
		{ "reclaim", load_reclaim }, { "ready", load_ready }, { "trim", load_trim },
		{ "pt-update", load_bind }, { "end", load_end },
	};
	static const struct {
		const char *name;
		void (*load)(struct loader *l, struct json_object *o);
	} events[] = {
		{ "portion", load_portion }, { "fault", load_fault }, { "page-fault", load_fault },
		{ "error", load_error },
		{ "places", load_places },
	};
	const char *name = text_of(l, o, "event");
	uint32_t type;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (!strcmp(name, lines[i].name)) {
			end_events(l);
			lines[i].load(l, o);
		}
	}
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (!strcmp(name, events[i].name)) {
			l->in_events = true;
			events[i].load(l, o);
		}
	}
	for (type = VSPLIT_EVENT_PAGE_IN; type <= VSPLIT_EVENT_UNMAP; type++) {
		if (!strcmp(name, vsplit_event_name(type))) {
			l->in_events = true;
			load_paging(l, o, type);
		}
	}
}

static void load_text(struct loader *l, struct json_tokener *tokener, const char *text, size_t size)
{
	struct json_object *o;

	json_tokener_reset(tokener);
	o = json_tokener_parse_ex(tokener, text, (int)size);
	if (!json_object_is_type(o, json_type_object))
		wrong(l, "this is no JSON object");
	else if (l->line == 1)
		load_header(l, o);
	else
		load_line(l, o);
	json_object_put(o);
}

/* Count the checks of a run that was cut short. The checks of a statement are adjacent. */
static void count_checks(struct result *r)
{
	uint32_t i, j;

	for (i = 0; i < r->num_checks; i = j) {
		bool held = true;

		for (j = i; j < r->num_checks && r->checks[j].line == r->checks[i].line; j++)
			held &= r->checks[j].held;
		if (held)
			r->held++;
		else
			r->failed++;
	}
}

struct result *run_load(const char *path, FILE *file, struct parse_error *error)
{
	struct json_tokener *tokener = json_tokener_new_ex(MAX_DEPTH);
	struct loader l = { .path = path, .error = error };
	char *text = NULL;
	size_t room = 0;
	ssize_t len = 0;

	l.s = scenario_new();
	l.r = result_new(l.s);
	if (!tokener)
		wrong(&l, "%s", strerror(ENOMEM));
	while (!l.failed && (len = read_line(&text, &room, MAX_LINE, file)) > 0) {
		l.line++;
		load_text(&l, tokener, text, (size_t)len);
	}
	if (len < 0) {
		l.line++;
		if (len == -EFBIG)
			wrong(&l, "the line has over %u MiB: this is no run", MAX_LINE >> 20);
		else
			wrong(&l, "%s", strerror((int)-len));
	}
	if (!l.line)
		wrong(&l, "the file is empty");
	if (!l.failed)
		end_events(&l);
	if (!l.failed && !l.r->ended)
		count_checks(l.r);
	free(text);
	if (tokener)
		json_tokener_free(tokener);
	if (!l.failed)
		return l.r;
	run_free(l.r);
	return NULL;
}

void run_free(struct result *r)
{
	struct scenario *s = r ? (struct scenario *)(uintptr_t)r->s : NULL;

	result_free(r);
	scenario_free(s);
}
