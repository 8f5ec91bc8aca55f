/* SPDX-License-Identifier: MIT */
/*
 * A recording is JSON with one object a line: a head; one object for each event of the driver's
 * tracepoints, in the order of each processor; and an end, which has the number of events lost.
 * Names in it are those of drv/debug/vsplit_trace.h.
 */
#ifndef _VSPLIT_TRACE_TOOL_H_
#define _VSPLIT_TRACE_TOOL_H_

#include <json-c/json.h>

#include "common.h"

#define TRACE_FORMAT	"vsplit-trace"
#define TRACE_VERSION	1

/*
 * @file: the output file.
 * @command: ends with NULL. If it is empty, recording goes on until SIGINT or SIGTERM.
 * @buffer_kib: size of the buffer of each processor.
 * @interval_ms: time between two reads of the buffers.
 */
struct record_options {
	const char *file;
	char **command;
	uint64_t buffer_kib;
	uint64_t interval_ms;
};

/* Record. Returns the exit status; complains. */
int trace_record(const struct record_options *options);

/*
 * @ts: CLOCK_MONOTONIC, ns.
 * @order: position in the file.
 * @pid: id of the task.
 * @name: name of the tracepoint; owned by @fields.
 * @dev: name of the adapter; owned by @fields.
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
 * @events, @count: the events, sorted by time.
 * @lost: number of events for which the kernel had no room.
 * @ended: false if the recorder was killed, so that the rest is missing.
 */
struct recording {
	struct trace_event *events;
	uint32_t count;
	uint64_t lost;
	bool ended;
};

/* Returns 0 or -1; complains. @r must be freed in both cases. */
int recording_load(const char *path, struct recording *r);
void recording_free(struct recording *r);

/* Return a number of the event, or 0 if it has none of this name. */
uint64_t event_number(const struct trace_event *e, const char *name);

/* The error of an event: 0 or negative. */
int event_error(const struct trace_event *e);

/* Of a vsplit_trim event: why the file was asked for memory, and of which group. */
const char *trim_reason(const struct trace_event *e);
const char *trim_group(const struct trace_event *e);

void recording_text(FILE *out, const struct recording *r);
void recording_perfetto(FILE *out, const struct recording *r);

#endif /* _VSPLIT_TRACE_TOOL_H_ */
