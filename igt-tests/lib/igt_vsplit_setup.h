/* SPDX-License-Identifier: MIT */
/*
 * What most subtests begin with: an adapter made by the test, with one file, one context and one
 * buffer. igt_vsplit_split.h, igt_vsplit_memory.h and igt_vsplit_share.h build on it.
 */
#ifndef IGT_VSPLIT_SETUP_H
#define IGT_VSPLIT_SETUP_H

#include <stdint.h>

#include "igt_vsplit.h"

/* Hidden, because libigt and its libraries must not find these short names. */
#pragma GCC visibility push(hidden)

/* Of the running subtest; set by the setup functions. */
extern struct vsplit_adapter *ad;
extern int fd;
extern uint32_t ctx;
extern struct vsplit_cs *cs;

/* Uses test mode, and 64 slots unless @opts says how many. */
void setup_opts(const struct vsplit_adapter_opts *opts);
/* A memory segment and an aperture segment of a MiB each, 16 slots, two engines. */
void setup_plain(void);
void setup_segs(const struct vsplit_seg_opts *segs, unsigned int n);

/*
 * Builds a valid buffer, in which the test makes one thing wrong; returns the allocation that it
 * writes.
 */
struct vsplit_bo *build_good(void);

/* The segment of an allocation now; 0: system memory. */
uint32_t segment_of(const struct vsplit_bo *bo);

/* Asserts that @call returns @error; else tells what it returned. */
#define expect(call, error) \
	do { \
		int __ret = (call); \
		igt_assert_f(__ret == (error), "%s: %d (%s), expected %d (%s)\n", #call, __ret, \
			     strerror(-__ret), (error), strerror(-(error))); \
	} while (0)

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_SETUP_H */
