/* SPDX-License-Identifier: MIT */
/*
 * A recording is JSON, an object a line: a head; an event of the driver's tracepoints each, in
 * the order of a processor; and an end, which tells how many events were lost. Its names are
 * those of drv/debug/vsplit_trace.h.
 */
#ifndef _VSPLIT_TRACE_TOOL_H_
#define _VSPLIT_TRACE_TOOL_H_

#include <json-c/json.h>

#include "common.h"

#define TRACE_FORMAT	"vsplit-trace"
#define TRACE_VERSION	1

/*
 * @file: what is written.
 * @command: ends with NULL; empty: until SIGINT or SIGTERM.
 * @buffer_kib: of each processor.
 * @interval_ms: between two looks into the buffers.
 */
struct record_options {
	const char *file;
	char **command;
	uint64_t buffer_kib;
	uint64_t interval_ms;
};

/* Returns the exit status; complains. */
int trace_record(const struct record_options *options);

/*
 * @ts: CLOCK_MONOTONIC, ns.
 * @order: in the file.
 * @pid: of the task.
 * @name: of the tracepoint, and @dev of the adapter; both are @fields's.
 */
struct trace_event {
	uint64_t ts;
	uint32_t order;
	uint32_t pid;
	const char *name;
	const char *dev;
	struct json_object *fields;
};

/*
 * @events, @count: by time.
 * @lost: that the kernel had no room for.
 * @ended: false: the recorder was killed, the rest is missing.
 */
struct recording {
	struct trace_event *events;
	uint32_t count;
	uint64_t lost;
	bool ended;
};

/* 0 or -1; complains. To be freed either way. */
int recording_load(const char *path, struct recording *r);
void recording_free(struct recording *r);

/* A number of an event; 0 if it has none of this name. */
uint64_t event_number(const struct trace_event *e, const char *name);

/* 0 or negative. */
int event_error(const struct trace_event *e);

/* Of a vsplit_trim event: why the file was asked, and for memory of which group. */
const char *trim_reason(const struct trace_event *e);
const char *trim_group(const struct trace_event *e);

void recording_text(FILE *out, const struct recording *r);
void recording_perfetto(FILE *out, const struct recording *r);

#endif /* _VSPLIT_TRACE_TOOL_H_ */
