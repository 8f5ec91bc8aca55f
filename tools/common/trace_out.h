/* SPDX-License-Identifier: MIT */
/*
 * A trace in Chrome's JSON format, which Perfetto opens as well. All programs that write such
 * traces use the same tracks. An adapter is a process, whose threads are the engines and their
 * paging. A context is a process, whose threads are its calls of submit and its fences. A device
 * with a requirement list is a process, whose threads are its calls and its trims.
 */
#ifndef _VSPLIT_TOOLS_TRACE_OUT_H_
#define _VSPLIT_TOOLS_TRACE_OUT_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Ids of processes, and of the threads of a context. */
#define PID_ADAPTER	1u	/* plus the adapter's index */
#define PID_DEVICE	100000u	/* plus the device's index; there are fewer adapters */
#define PID_CONTEXT	100000000u	/* plus the context's index; there are fewer devices */
#define TID_SUBMIT	1u
#define TID_FENCE	2u
/* Threads of a device. */
#define TID_CALLS	1u
#define TID_TRIMS	2u
/* Threads of an adapter. */
#define TID_ENGINE	1u	/* plus the engine's number */
#define TID_PAGING	101u	/* likewise */

/*
 * @t0: time of the first event, in ns; times in the trace count from there.
 * @any: something was written.
 */
struct trace_out {
	FILE *out;
	uint64_t t0;
	bool any;
};

/* Write an event up to its name; the caller adds more members and "}". */
void trace_begin(struct trace_out *t, const char *phase, uint32_t pid, uint32_t tid, uint64_t ns,
		 const char *name);

/* After trace_begin() of a slice ("X"): write its duration. Ends inside its "args". */
void trace_duration(struct trace_out *t, uint64_t t0, uint64_t t1, const char *category);

/* Name a process or thread; @what is Chrome's name of the event for that. */
void trace_name(struct trace_out *t, const char *what, uint32_t pid, uint32_t tid,
		const char *name);

/* A submission's flow begins ("s"), passes ("t") or ends ("f") in the slice at @ns. */
void trace_flow(struct trace_out *t, const char *phase, uint32_t pid, uint32_t tid, uint64_t ns,
		uint64_t id);

#endif /* _VSPLIT_TOOLS_TRACE_OUT_H_ */
