/* SPDX-License-Identifier: MIT */
/*
 * What most subtests begin with: an adapter of the test's own, with one file, one context
 * and one buffer. igt_vsplit_split.h and igt_vsplit_memory.h build on it.
 */
#ifndef IGT_VSPLIT_SETUP_H
#define IGT_VSPLIT_SETUP_H

#include <stdint.h>

#include "igt_vsplit.h"

/* Short names, which libigt and what it pulls in shall not find. */
#pragma GCC visibility push(hidden)

/* The unit of sizes in these tests. */
#define U 16384ull

/* Of the subtest that runs; set by the setup functions. */
extern struct vsplit_adapter *ad;
extern int fd;
extern uint32_t ctx;
extern struct vsplit_cs *cs;

/* With 64 slots unless @opts says how many, and in test mode. */
void setup_opts(const struct vsplit_adapter_opts *opts);
void setup_segs(const struct vsplit_seg_opts *segs, unsigned int n);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_SETUP_H */
