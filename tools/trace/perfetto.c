// SPDX-License-Identifier: MIT
/*
 * Draws a recording, with the same tracks as vsplit-play's. The plan, the steps and the fence of a
 * job are matched by the context and seqno of its dma_fence.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"
#include "trace_out.h"

#define SYSTEM		255u	/* segment number of system memory in bo_move and bo_free */
#define SEGMENTS	SYSTEM
#define NAME_TEXT	80

/*
 * Kinds of things. @id of a thing is the id of a context or an allocation, or the fence of a job.
 */
enum kind { ADAPTER, CONTEXT, JOB, ALLOC, TASK, ENGINE, DEVICE };

/*
 * @kind, @dev, @id, @seqno: the key by which the thing is found.
 * @index: number of the thing among those of its kind.
 * @plan, @count: JOB: its portions and paging steps, in the order of its program.
 * @turns, @num_turns: JOB: times at which the running portion gave way and went on, alternately.
 * @first: CONTEXT: the first submission whose call is in the recording; 0: none.
 * @use: ADAPTER: bytes in use of each segment, as far as they are known.
 * @named: ADAPTER: bit 0: its process was named; from bit 1 on: the thread of each engine; from bit
 *	32 on: the thread of each engine's paging. Others: not 0 once named.
 * @call: TASK: its call of submit that has not returned.
 * @runs: ENGINE: the job whose portion has begun and not ended.
 */
struct thing {
	enum kind kind;
	const char *dev;
	uint64_t id;
	uint64_t seqno;
	uint32_t index;
	const struct trace_event **plan;
	uint32_t count;
	uint64_t *turns;
	uint32_t num_turns;
	uint64_t first;
	uint64_t *use;
	uint64_t named;
	const struct trace_event *call;
	struct thing *runs;
};

struct picture {
	struct trace_out o;
	void *things;
	uint32_t counts[DEVICE + 1];
};

static int compare(const void *a, const void *b)
{
	const struct thing *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	if (x->seqno != y->seqno)
		return x->seqno < y->seqno ? -1 : 1;
	return strcmp(x->dev, y->dev);
}

/* Find a thing; it is made when it is first asked for. */
static struct thing *thing(struct picture *p, enum kind kind, const char *dev, uint64_t id,
			   uint64_t seqno)
{
	struct thing key = { .kind = kind, .dev = dev, .id = id, .seqno = seqno };
	struct thing **found = need_memory(tsearch(&key, &p->things, compare));

	if (*found == &key) {
		*found = need_memory(calloc(1, sizeof(key)));
		key.index = p->counts[kind]++;
		if (kind == ADAPTER)
			key.use = need_memory(calloc(SEGMENTS, sizeof(*key.use)));
		**found = key;
	}
	return *found;
}

static void thing_free(void *node)
{
	struct thing *t = node;

	free(t->plan);
	free(t->turns);
	free(t->use);
	free(t);
}

static bool is(const struct trace_event *e, const char *name)
{
	return !strcmp(e->name, name);
}

static struct thing *adapter_of(struct picture *p, const struct trace_event *e)
{
	return thing(p, ADAPTER, e->dev, 0, 0);
}

static struct thing *context_of(struct picture *p, const struct trace_event *e)
{
	return thing(p, CONTEXT, e->dev, event_number(e, "ctx"), 0);
}

static struct thing *job_of(struct picture *p, const struct trace_event *e)
{
	return thing(p, JOB, e->dev, event_number(e, "context"), event_number(e, "seqno"));
}

/* ---- what is known before it is drawn ------------------------------------ */

static void plan(struct picture *p, const struct trace_event *e)
{
	struct thing *job = job_of(p, e);

	job->plan = append(job->plan, &job->count, sizeof(*job->plan));
	job->plan[job->count - 1] = e;
}

/* An allocation was from the start where it is when it is first moved or freed. */
static void place(struct picture *p, const struct trace_event *e)
{
	uint64_t from = event_number(e, "from");
	uint32_t allocs = p->counts[ALLOC];

	thing(p, ALLOC, e->dev, event_number(e, "bo"), 0);
	if (p->counts[ALLOC] > allocs && from < SEGMENTS)
		adapter_of(p, e)->use[from] += event_number(e, "bytes");
}

static void collect(struct picture *p, const struct trace_event *e)
{
	uint64_t submission = event_number(e, "submission");

	if (is(e, "vsplit_split") || is(e, "vsplit_plan_op") || is(e, "vsplit_paging")) {
		if (event_number(e, "context"))
			plan(p, e);
	} else if (is(e, "vsplit_bo_move") || is(e, "vsplit_bo_free")) {
		place(p, e);
	} else if (is(e, "vsplit_submitted") && submission) {
		struct thing *context = context_of(p, e);

		if (!context->first || submission < context->first)
			context->first = submission;
	}
}

/* ---- tracks -------------------------------------------------------------- */

static uint32_t pid_of_adapter(struct picture *p, const struct trace_event *e, uint32_t engine,
			       bool paging)
{
	struct thing *adapter = adapter_of(p, e);
	uint32_t pid = PID_ADAPTER + adapter->index;
	uint64_t bit = 1ull << ((paging ? 32 : 1) + (engine & 15));
	char name[NAME_TEXT];

	if (!(adapter->named & 1)) {
		snprintf(name, sizeof(name), "adapter %.60s", e->dev);
		trace_name(&p->o, "process_name", pid, 0, name);
	}
	if (!(adapter->named & bit)) {
		snprintf(name, sizeof(name), "engine %u%s", engine, paging ? ", paging" : "");
		trace_name(&p->o, "thread_name", pid, (paging ? TID_PAGING : TID_ENGINE) + engine,
			   name);
	}
	adapter->named |= bit | 1;
	return pid;
}

static uint32_t pid_of_context(struct picture *p, const struct trace_event *e)
{
	struct thing *context = context_of(p, e);
	uint32_t pid = PID_CONTEXT + context->index;
	char name[NAME_TEXT];

	if (!context->named) {
		snprintf(name, sizeof(name), "context %" PRIu64 " of %.40s", context->id, e->dev);
		trace_name(&p->o, "process_name", pid, 0, name);
		trace_name(&p->o, "thread_name", pid, TID_SUBMIT, "submit");
		trace_name(&p->o, "thread_name", pid, TID_FENCE, "fences");
	}
	context->named = 1;
	return pid;
}

/* The process of a device: an open file that has a requirement list. */
static uint32_t pid_of_device(struct picture *p, const struct trace_event *e)
{
	struct thing *device = thing(p, DEVICE, e->dev, event_number(e, "client"), 0);
	uint32_t pid = PID_DEVICE + device->index;
	char name[NAME_TEXT];

	if (!device->named) {
		snprintf(name, sizeof(name), "device %" PRIu64 " of %.30s: residency", device->id,
			 e->dev);
		trace_name(&p->o, "process_name", pid, 0, name);
		trace_name(&p->o, "thread_name", pid, TID_CALLS, "calls");
		trace_name(&p->o, "thread_name", pid, TID_TRIMS, "trims");
	}
	device->named = 1;
	return pid;
}

/* The flow of a submission, or 0 if the submission began before the recording. */
static uint64_t flow_of(struct picture *p, const struct trace_event *e)
{
	const struct thing *context = context_of(p, e);
	uint64_t submission = event_number(e, "submission");

	if (!context->first || submission < context->first)
		return 0;
	return (uint64_t)context->index << 32 | (submission & UINT32_MAX);
}

static const char *name_of(const struct trace_event *e, char name[NAME_TEXT])
{
	snprintf(name, NAME_TEXT, "%" PRIu64 "#%" PRIu64, event_number(e, "ctx"),
		 event_number(e, "submission"));
	return name;
}

/* ---- engines ------------------------------------------------------------- */

static void turn(struct thing *job, uint64_t ns)
{
	job->turns = append(job->turns, &job->num_turns, sizeof(*job->turns));
	job->turns[job->num_turns - 1] = ns;
}

/*
 * The engine begins a step, or goes on with a portion. The portion that it was executing before
 * gave way: portions of several contexts take turns, and a track shows one of them at a time.
 */
static void begin_step(struct picture *p, const struct trace_event *e)
{
	struct thing *engine = thing(p, ENGINE, e->dev, event_number(e, "engine"), 0);
	struct thing *job = job_of(p, e), *last = engine->runs;
	uint64_t step = event_number(e, "step"), now = event_number(e, "now_ns");

	/*
	 * now_ns is of the same clock as the times of portions. Recordings of older drivers lack
	 * it.
	 */
	now = now ? now : e->ts;
	/* A hardware queue's job has no fence. */
	if (job->id && (step >= job->count || !is(job->plan[step], "vsplit_split")))
		return;
	if (last && last != job && last->num_turns % 2 == 0)
		turn(last, now);
	if (job->num_turns % 2)
		turn(job, now);
	engine->runs = job->id ? job : NULL;
}

static void put_turn(struct picture *p, const struct trace_event *e,
		     const struct trace_event *portion, uint64_t t0, uint64_t t1)
{
	uint32_t engine = (uint32_t)event_number(e, "engine");
	uint32_t pid = pid_of_adapter(p, e, engine, false);
	char name[NAME_TEXT], text[NAME_TEXT + 24];

	snprintf(text, sizeof(text), "%s.%" PRIu64, name_of(e, name),
		 event_number(portion, "portion"));
	trace_begin(&p->o, "X", pid, TID_ENGINE + engine, t0, text);
	trace_duration(&p->o, t0, t1, "portion");
	fprintf(p->o.out, "\"begin\":%" PRIu64 ",\"end\":%" PRIu64 ",\"context\":%" PRIu64 "}}",
		event_number(portion, "begin"), event_number(portion, "end"),
		event_number(e, "ctx"));
}

static void put_portion(struct picture *p, const struct trace_event *e,
			const struct trace_event *portion)
{
	uint64_t t0 = event_number(e, "begin_ns"), from = t0, flow = flow_of(p, e);
	uint32_t engine = (uint32_t)event_number(e, "engine");
	struct thing *job = job_of(p, e);
	size_t i;

	for (i = 0; i + 1 < job->num_turns; i += 2) {
		put_turn(p, e, portion, from, job->turns[i]);
		from = job->turns[i + 1];
	}
	/* A program that was cancelled before its next turn has no such turn. */
	put_turn(p, e, portion, from,
		 i < job->num_turns ? job->turns[i] : event_number(e, "end_ns"));
	job->num_turns = 0;
	thing(p, ENGINE, e->dev, engine, 0)->runs = NULL;
	if (flow)
		trace_flow(&p->o, "t", pid_of_adapter(p, e, engine, false), TID_ENGINE + engine, t0,
			   flow);
}

static void put_paging(struct picture *p, const struct trace_event *e,
		       const struct trace_event *op)
{
	uint64_t t0 = event_number(e, "begin_ns");
	uint32_t engine = (uint32_t)event_number(e, "engine");
	uint32_t pid = pid_of_adapter(p, e, engine, true);
	char name[NAME_TEXT], text[NAME_TEXT + 24];

	snprintf(text, sizeof(text), "%s %" PRIu64,
		 vsplit_event_name((uint32_t)event_number(op, "type")), event_number(op, "bo"));
	trace_begin(&p->o, "X", pid, TID_PAGING + engine, t0, text);
	trace_duration(&p->o, t0, event_number(e, "end_ns"), "paging");
	fprintf(p->o.out, "\"segment\":%" PRIu64 ",\"at\":%" PRIu64 ",\"bytes\":%" PRIu64
		",\"copied\":%" PRIu64, event_number(op, "segment"), event_number(op, "at"),
		event_number(op, "bytes"), event_number(op, "copied"));
	if (event_number(e, "submission"))
		fprintf(p->o.out, ",\"before\":\"%s.%" PRIu64 "\"", name_of(e, name),
			event_number(op, "portion"));
	fputs("}}", p->o.out);
}

/* If the plan of the job came before the recording, its steps are not drawn. */
static void put_step(struct picture *p, const struct trace_event *e)
{
	const struct thing *job = job_of(p, e);
	uint64_t step = event_number(e, "step");

	if (step >= job->count || !event_number(e, "begin_ns"))
		return;
	if (is(job->plan[step], "vsplit_split"))
		put_portion(p, e, job->plan[step]);
	else
		put_paging(p, e, job->plan[step]);
}

static void put_fault(struct picture *p, const struct trace_event *e)
{
	uint32_t engine = (uint32_t)event_number(e, "engine");
	uint32_t pid = pid_of_adapter(p, e, engine, false);
	char name[NAME_TEXT], text[NAME_TEXT + 24];

	snprintf(text, sizeof(text), "fault in %s.%" PRIu64, name_of(e, name),
		 event_number(e, "portion"));
	trace_begin(&p->o, "i", pid, TID_ENGINE + engine, e->ts, text);
	fputs(",\"s\":\"t\",\"cat\":\"fault\"}", p->o.out);
}

/* Paging without a job is over when it is traced. */
static void put_done(struct picture *p, const struct trace_event *e)
{
	char text[NAME_TEXT];
	uint32_t pid;

	if (event_number(e, "context"))
		return;
	pid = pid_of_adapter(p, e, 0, true);
	snprintf(text, sizeof(text), "%s %" PRIu64,
		 vsplit_event_name((uint32_t)event_number(e, "type")), event_number(e, "bo"));
	trace_begin(&p->o, "i", pid, TID_PAGING, e->ts, text);
	fputs(",\"s\":\"t\",\"cat\":\"paging\"}", p->o.out);
}

static void put_use(struct picture *p, const struct trace_event *e, uint64_t segment)
{
	const struct thing *adapter = adapter_of(p, e);
	char name[NAME_TEXT];

	snprintf(name, sizeof(name), "segment %" PRIu64, segment + 1);
	trace_begin(&p->o, "C", PID_ADAPTER + adapter->index, 0, e->ts, name);
	fprintf(p->o.out, ",\"args\":{\"bytes\":%" PRIu64 "}}", adapter->use[segment]);
}

static void put_move(struct picture *p, const struct trace_event *e)
{
	uint64_t from = event_number(e, "from"), bytes = event_number(e, "bytes");
	uint64_t to = is(e, "vsplit_bo_move") ? event_number(e, "to") : SYSTEM;
	uint64_t *use = adapter_of(p, e)->use;

	if (from == to)
		return;
	if (from < SEGMENTS) {
		use[from] -= bytes < use[from] ? bytes : use[from];
		put_use(p, e, from);
	}
	if (to < SEGMENTS) {
		use[to] += bytes;
		put_use(p, e, to);
	}
}

/* ---- contexts ------------------------------------------------------------ */

static void put_queue(struct picture *p, const struct trace_event *e, const char *phase,
		      uint32_t pid, uint64_t ns, uint64_t flow)
{
	char name[NAME_TEXT];

	trace_begin(&p->o, phase, pid, TID_SUBMIT, ns, name_of(e, name));
	fprintf(p->o.out, ",\"cat\":\"queue\",\"id\":%" PRIu64 "}", flow);
}

/*
 * Draw a call of submit. The event is traced when the call returns, because only then the number of
 * the submission is known.
 */
static void put_submit(struct picture *p, const struct trace_event *e)
{
	struct thing *task = thing(p, TASK, e->dev, e->pid, 0);
	uint64_t from = task->call ? task->call->ts : e->ts, flow = flow_of(p, e);
	int error = event_error(e);
	uint32_t pid = pid_of_context(p, e);
	char name[NAME_TEXT], text[NAME_TEXT + 8];

	task->call = NULL;
	snprintf(text, sizeof(text), "submit %s", error ? "refused" : name_of(e, name));
	trace_begin(&p->o, "X", pid, TID_SUBMIT, from, text);
	trace_duration(&p->o, from, e->ts, "submit");
	fprintf(p->o.out, "\"portions\":%" PRIu64 ",\"task\":%u,\"error\":\"%s\"}}",
		event_number(e, "portions"), e->pid, error ? errno_name(error) : "none");
	if (error || !flow)
		return;
	trace_flow(&p->o, "s", pid, TID_SUBMIT, from, flow);
	put_queue(p, e, "b", pid, from, flow);
}

static void put_fence(struct picture *p, const struct trace_event *e)
{
	int error = event_error(e);
	char name[NAME_TEXT], text[NAME_TEXT + 8];
	uint64_t flow = flow_of(p, e);
	uint32_t pid;

	/* Fences of paging jobs, and of page-ins before a submission, are not drawn. */
	if (!event_number(e, "submission") || !job_of(p, e)->count)
		return;
	pid = pid_of_context(p, e);
	snprintf(text, sizeof(text), "fence %s", name_of(e, name));
	trace_begin(&p->o, "X", pid, TID_FENCE, e->ts, text);
	trace_duration(&p->o, e->ts, e->ts + 1, "fence");
	fprintf(p->o.out, "\"error\":\"%s\"}}", error ? errno_name(error) : "none");
	if (!flow)
		return;
	put_queue(p, e, "e", pid, e->ts, flow);
	trace_flow(&p->o, "f", pid, TID_FENCE, e->ts, flow);
}

/* The context was lost. The name says why: no memory, a missing requirement, or a fault. */
static void put_lost(struct picture *p, const struct trace_event *e)
{
	uint32_t pid = pid_of_context(p, e);

	trace_begin(&p->o, "i", pid, TID_FENCE, e->ts,
		    vsplit_state_name((uint32_t)event_number(e, "state")));
	fputs(",\"s\":\"p\",\"cat\":\"lost\"}", p->o.out);
}

/* ---- devices ------------------------------------------------------------- */

/* Name of a call about residency; NULL for other events. */
static const char *call_of(const struct trace_event *e)
{
	static const struct {
		const char *event, *call;
	} calls[] = {
		{ "vsplit_make_resident", "MakeResident" },
		{ "vsplit_evict", "Evict" },
		{ "vsplit_offer", "Offer" },
		{ "vsplit_reclaim", "Reclaim" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (is(e, calls[i].event))
			return calls[i].call;
	}
	return NULL;
}

static void put_call(struct picture *p, const struct trace_event *e, const char *call)
{
	bool residency = is(e, "vsplit_make_resident") || is(e, "vsplit_evict");
	uint64_t begin = event_number(e, "begin_ns"), trim = event_number(e, "trim_bytes");
	int error = event_error(e);
	uint32_t pid = pid_of_device(p, e);
	char text[NAME_TEXT];

	/* A call that began before the recording has no begin. */
	begin = begin ? begin : e->ts;
	snprintf(text, sizeof(text), "%s %" PRIu64 "%s", call, event_number(e, "nr_allocs"),
		 error ? " refused" : "");
	trace_begin(&p->o, "X", pid, TID_CALLS, begin, text);
	trace_duration(&p->o, begin, e->ts, residency ? "residency" : "offer");
	fprintf(p->o.out, "\"task\":%u", e->pid);
	if (is(e, "vsplit_make_resident"))
		fprintf(p->o.out, ",\"point\":%" PRIu64, event_number(e, "point"));
	if (trim)
		fprintf(p->o.out, ",\"to_give_back\":%" PRIu64, trim);
	fprintf(p->o.out, ",\"error\":\"%s\"}}", error ? errno_name(error) : "none");
	if (error)
		return;
	trace_begin(&p->o, "C", pid, 0, e->ts, "required");
	fprintf(p->o.out, ",\"args\":{\"bytes\":%" PRIu64 "}}",
		event_number(e, "local") + event_number(e, "nonlocal"));
}

/* Draw the time at which a trim was sent; how long the program took to answer is not known. */
static void put_trim(struct picture *p, const struct trace_event *e)
{
	uint64_t bytes = event_number(e, "bytes");
	uint32_t pid = pid_of_device(p, e);
	char text[NAME_TEXT], size[SIZE_TEXT];

	snprintf(text, sizeof(text), "trim %s: %s", format_size(size, bytes), trim_reason(e));
	trace_begin(&p->o, "X", pid, TID_TRIMS, e->ts, text);
	trace_duration(&p->o, e->ts, e->ts + 1, "trim");
	fprintf(p->o.out, "\"bytes\":%" PRIu64 ",\"reason\":\"%s\",\"group\":\"%s\",\"trims\":%" PRIu64 "}}",
		bytes, trim_reason(e), trim_group(e), event_number(e, "trims"));
}

static void put_event(struct picture *p, const struct trace_event *e)
{
	const char *call = call_of(e);

	if (is(e, "vsplit_submit"))
		thing(p, TASK, e->dev, e->pid, 0)->call = e;
	else if (is(e, "vsplit_submitted"))
		put_submit(p, e);
	else if (is(e, "vsplit_step_begin"))
		begin_step(p, e);
	else if (is(e, "vsplit_step_end"))
		put_step(p, e);
	else if (is(e, "vsplit_fence"))
		put_fence(p, e);
	else if (is(e, "vsplit_paging"))
		put_done(p, e);
	else if (is(e, "vsplit_fault"))
		put_fault(p, e);
	else if (is(e, "vsplit_ctx_lost"))
		put_lost(p, e);
	else if (is(e, "vsplit_bo_move") || is(e, "vsplit_bo_free"))
		put_move(p, e);
	else if (is(e, "vsplit_trim"))
		put_trim(p, e);
	else if (call)
		put_call(p, e, call);
}

/* Time 0 of the picture: a step in the recording may have begun before the first event. */
static uint64_t first_time(const struct recording *r)
{
	uint64_t first = r->count ? r->events[0].ts : 0;
	size_t i;

	for (i = 0; i < r->count; i++) {
		uint64_t begin = event_number(&r->events[i], "begin_ns");

		if (begin && begin < first)
			first = begin;
	}
	return first;
}

void recording_perfetto(FILE *out, const struct recording *r)
{
	struct picture p = { .o = { .out = out, .t0 = first_time(r) } };
	size_t i;

	fprintf(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"lost\":%" PRIu64 "},"
		"\"traceEvents\":[", r->lost);
	for (i = 0; i < r->count; i++)
		collect(&p, &r->events[i]);
	for (i = 0; i < r->count; i++)
		put_event(&p, &r->events[i]);
	fputs("\n]}\n", out);
	tdestroy(p.things, thing_free);
}
