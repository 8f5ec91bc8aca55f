/* SPDX-License-Identifier: MIT */
/*
 * What the tests of segments, swizzling, locks and surfaces share: where allocations are,
 * and the definition of the tiled layout.
 */
#ifndef IGT_VSPLIT_MEMORY_H
#define IGT_VSPLIT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "igt_vsplit_setup.h"

#pragma GCC visibility push(hidden)

/* The unit of sizes. */
#define U 16384ull

#define PITCH 512u	/* a band is 32 KiB */
#define APER VSPLIT_LOCK_ACQUIRE_APERTURE

/* A memory segment of 256 units with as many ranges, and an aperture. */
void setup(unsigned int ranges);

/* Allocations of the file: a surface with PITCH, and one in a certain segment. */
struct vsplit_bo *swizzled(char name, uint64_t size);
struct vsplit_bo *in(char name, uint64_t size, uint8_t segment);

/* By the escapes of test mode. */
void page_in(struct vsplit_bo *bo, uint32_t segment);
void evict(struct vsplit_bo *bo);

/* What the queries say. */
uint64_t offset_of(const struct vsplit_bo *bo);	/* in segment 1 */
bool has_range(const struct vsplit_bo *bo);
struct drm_vsplit_statistics stats(void);

/* Where a linear byte of a swizzled surface is for the GPU: straight from the definition. */
uint64_t tiled(uint64_t size, uint64_t at);
/* The GPU copies the raw bytes of @from, as it sees them, to @to. */
void gpu_copy(struct vsplit_bo *to, struct vsplit_bo *from);
/* The GPU sees the surface tiled: @raw, a plain allocation, gets its bytes. */
void check_tiled(struct vsplit_bo *surface, struct vsplit_bo *raw);
/* A word written by the GPU at the linear offset @at. */
void gpu_write(struct vsplit_bo *surface, uint64_t at, uint64_t word);

/*
 * Note which page frame is at each of the first pages of segment 1, seen through one
 * allocation; a trace is on. Each page is faulted in by itself.
 */
struct vsplit_bo *touch_segment(uint64_t size);
/* The pages that @bo got at @offset of the segment are those that @all had there. */
void check_frames(const char *trace, const struct vsplit_bo *all, const struct vsplit_bo *bo,
		  uint64_t offset);

/* A thread that lets the engine go on after 20 ms; @resumed says so just before. */
extern volatile bool resumed;
void *resume_later(void *arg);

/*
 * @op with its first, second, ... step failing, until all of them are past. Only where
 * vsplit_inject_require(VSPLIT_INJECT_SITE) does not skip.
 */
void sweep(const char *what, int (*op)(void), void (*check)(int ret));

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_MEMORY_H */
