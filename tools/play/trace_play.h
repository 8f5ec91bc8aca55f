/* SPDX-License-Identifier: MIT */
/* Between show_perfetto.c and perfetto_resid.c. */
#ifndef _VSPLIT_PLAY_TRACE_PLAY_H_
#define _VSPLIT_PLAY_TRACE_PLAY_H_

#include "run.h"
#include "trace_out.h"

/* The tracks of devices that were called about residency, or asked for memory. */
void trace_residency(struct trace_out *o, const struct result *r);

/* The first time of these; @first if none is before it. */
uint64_t trace_residency_begin(const struct result *r, uint64_t first);

#endif /* _VSPLIT_PLAY_TRACE_PLAY_H_ */
