/* SPDX-License-Identifier: MIT */
/*
 * What the tests of places and victims have in common: adapters with one or two segments, buffers
 * that use allocations, and where these are.
 */
#ifndef IGT_VSPLIT_PLACE_H
#define IGT_VSPLIT_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "igt_vsplit_setup.h"

#pragma GCC visibility push(hidden)

/* The unit of sizes. */
#define U 16384ull

/* Segments, and a list of both. */
enum { VRAM = 1, SECOND = 2 };
extern const uint8_t vram_first[3];

/* As setup_opts(), for tests that check only the plan. */
void setup_plan(const struct vsplit_adapter_opts *opts);
/* A memory segment of @vram bytes. */
void setup_one(uint64_t vram);
/* A memory segment, and a second segment of either kind. */
void setup_two(uint64_t vram, uint64_t second, bool aperture);

/* Runs a buffer that reads and writes these allocations, and compares everything. */
struct vsplit_record *use(struct vsplit_bo *a);
struct vsplit_record *use2(struct vsplit_bo *a, struct vsplit_bo *b);
/* The same without comparing bytes, because the CPU may not see them where they are. */
void use_unseen(struct vsplit_bo *a);

void expect_in(const struct vsplit_bo *bo, uint32_t segment);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_PLACE_H */
