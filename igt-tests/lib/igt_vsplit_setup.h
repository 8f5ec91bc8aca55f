/* SPDX-License-Identifier: MIT */
/*
 * What most subtests begin with: an adapter of the test's own, with one file, one context
 * and one buffer. igt_vsplit_split.h, igt_vsplit_memory.h and igt_vsplit_share.h
 * build on it.
 */
#ifndef IGT_VSPLIT_SETUP_H
#define IGT_VSPLIT_SETUP_H

#include <stdint.h>

#include "igt_vsplit.h"

/* Short names, which libigt and what it pulls in shall not find. */
#pragma GCC visibility push(hidden)

/* Of the subtest that runs; set by the setup functions. */
extern struct vsplit_adapter *ad;
extern int fd;
extern uint32_t ctx;
extern struct vsplit_cs *cs;

/* With 64 slots unless @opts says how many, and in test mode. */
void setup_opts(const struct vsplit_adapter_opts *opts);
/* A memory segment and an aperture segment of a MiB, 16 slots, two engines. */
void setup_plain(void);
void setup_segs(const struct vsplit_seg_opts *segs, unsigned int n);

/* A buffer that is in order, to make one thing wrong in; returns what it writes to. */
struct vsplit_bo *build_good(void);

/* Where an allocation is now; 0: in system memory. */
uint32_t segment_of(const struct vsplit_bo *bo);

/* @call returns that; says what it returned instead. */
#define expect(call, error) \
	do { \
		int __ret = (call); \
		igt_assert_f(__ret == (error), "%s: %d (%s), expected %d (%s)\n", #call, __ret, \
			     strerror(-__ret), (error), strerror(-(error))); \
	} while (0)

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_SETUP_H */
