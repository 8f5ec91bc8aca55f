/* SPDX-License-Identifier: MIT */
/*
 * What the tests of sharing have in common: two adapters, and accesses of their GPUs to a shared
 * allocation.
 */
#ifndef IGT_VSPLIT_SHARE_H
#define IGT_VSPLIT_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "igt_vsplit_setup.h"

#pragma GCC visibility push(hidden)

/* The unit of sizes. */
#define U 16384ull

/* An adapter, and one file on it. */
struct side {
	struct vsplit_adapter *ad;
	int fd;
	uint32_t ctx;
};

extern struct side one, two;

void side_on(struct side *side, const struct vsplit_seg_opts *segs, unsigned int n);
/* A memory segment and an aperture segment of 32 units each. */
void side_new(struct side *side);
/* Makes @one and @two. */
void setup_sides(void);

/* A buffer that writes @pattern into all of @bo. */
struct vsplit_cs *build_set(struct side *side, struct vsplit_bo *bo, uint32_t pattern);
/* The GPU writes @pattern into all of @bo. */
void gpu_set(struct side *side, struct vsplit_bo *bo, uint32_t pattern);
/* The GPU copies @bo to another allocation of its adapter, which is then compared. */
void gpu_check(struct side *side, struct vsplit_bo *bo);

/* Both mappings show the same bytes. */
void same_bytes(const struct vsplit_bo *a, const struct vsplit_bo *b);
uint32_t info_flags(const struct vsplit_bo *bo);
/* Is it unshared within a short time? A worker does the detaching. */
bool becomes_unshared(const struct vsplit_bo *bo);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_SHARE_H */
