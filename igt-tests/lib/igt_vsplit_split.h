/* SPDX-License-Identifier: MIT */
/*
 * What the tests of splitting share: video memory of 256 units, so that the worked examples (in MiB
 * there) can be followed; buffers that several tests use; and checks of records.
 */
#ifndef IGT_VSPLIT_SPLIT_H
#define IGT_VSPLIT_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "igt_vsplit_setup.h"

#pragma GCC visibility push(hidden)

/* The unit of sizes. */
#define U 16384ull

/* One memory segment of 256 units. */
void setup_vram(void);

struct vsplit_bo *bo(char name, unsigned int units);
/* Visible work: 64 bytes at an offset that @tag chooses. */
void work(uint32_t slot, uint8_t tag);
/* A group that binds the slot, and then works with it. */
void group(uint32_t slot, struct vsplit_bo *bo, uint8_t tag);
/* vsplit_cs_run() of the subtest's buffer, in its context. */
struct vsplit_record *run(void);

/*
 * The worked example 1; the last group unbinds A before its bind (@null_first), behind it
 * (@null_last), or not at all.
 */
void build_w1(bool null_first, bool null_last);
/* The worked example 3, in units of @unit bytes; @rebind: X is bound again. */
void build_w3(bool rebind, uint64_t unit);
/* A buffer that binds, unbinds and copies at random among @n allocations. */
void build_random(struct vsplit_rng *rng, struct vsplit_bo **a, unsigned int n,
		  unsigned int slots, unsigned int groups);
/* How many of the buffer's split points are different offsets at which it can be cut. */
unsigned int distinct_cuts(void);

/* These three check nothing if a knob changes plans, see vsplit_exact(). */
void check_text(const struct vsplit_record *rec, const char *expected);
void check_portions(const struct vsplit_record *rec, unsigned int n);
void check_cut(const struct vsplit_record *rec, unsigned int portion, uint32_t begin,
	       uint32_t end);
/* Asserts that the buffer has this fault at packet @offset, on @slot. */
void check_fault(uint32_t fault, uint32_t offset, uint32_t slot);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_SPLIT_H */
