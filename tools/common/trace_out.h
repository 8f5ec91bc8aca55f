/* SPDX-License-Identifier: MIT */
/*
 * A trace in the JSON format of Chrome, which Perfetto opens, too. The tracks are the same in all
 * that write one: an adapter is a process, whose threads are engines and their paging; a context
 * is one, whose threads are its calls of submit and its fences; a device with a requirement list
 * is one, whose threads are its calls and its trims.
 */
#ifndef _VSPLIT_TOOLS_TRACE_OUT_H_
#define _VSPLIT_TOOLS_TRACE_OUT_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Processes; and threads of a context. */
#define PID_ADAPTER	1u	/* and by adapter */
#define PID_DEVICE	100000u	/* and by device; there are fewer adapters than that */
#define PID_CONTEXT	100000000u	/* and by context; there are fewer files */
#define TID_SUBMIT	1u
#define TID_FENCE	2u
/* Threads of a device. */
#define TID_CALLS	1u
#define TID_TRIMS	2u
/* Threads of an adapter. */
#define TID_ENGINE	1u	/* and by engine */
#define TID_PAGING	101u	/* likewise */

/*
 * @t0: the first thing that happened, in ns; times in the trace are from there.
 * @any: something was written.
 */
struct trace_out {
	FILE *out;
	uint64_t t0;
	bool any;
};

/* An event as far as its name; more members and "}" are the caller's to add. */
void trace_begin(struct trace_out *t, const char *phase, uint32_t pid, uint32_t tid, uint64_t ns,
		 const char *name);

/* Behind trace_begin() of a slice ("X"): how long it is; ends inside its "args". */
void trace_duration(struct trace_out *t, uint64_t t0, uint64_t t1, const char *category);

/* Of a process or thread; @what is Chrome's name for that. */
void trace_name(struct trace_out *t, const char *what, uint32_t pid, uint32_t tid,
		const char *name);

/* A submission's flow begins ("s"), goes through ("t") or ends ("f") in the slice there. */
void trace_flow(struct trace_out *t, const char *phase, uint32_t pid, uint32_t tid, uint64_t ns,
		uint64_t id);

#endif /* _VSPLIT_TOOLS_TRACE_OUT_H_ */
