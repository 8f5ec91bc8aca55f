// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The tracepoints themselves; what they mean is in the header. */
#ifndef __CHECKER__
#define CREATE_TRACE_POINTS
#include "debug/vsplit_trace.h"
#endif
