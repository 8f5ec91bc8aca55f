/* SPDX-License-Identifier: MIT */
/* Declarations shared by show_perfetto.c and perfetto_resid.c. */
#ifndef _VSPLIT_PLAY_TRACE_PLAY_H_
#define _VSPLIT_PLAY_TRACE_PLAY_H_

#include "run.h"
#include "trace_out.h"

/* Write the tracks of devices that made calls about residency, or were asked for memory. */
void trace_residency(struct trace_out *o, const struct result *r);

/* The first time in these tracks, or @first if that is earlier. */
uint64_t trace_residency_begin(const struct result *r, uint64_t first);

#endif /* _VSPLIT_PLAY_TRACE_PLAY_H_ */
