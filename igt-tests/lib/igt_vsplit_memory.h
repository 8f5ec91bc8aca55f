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

/* A memory segment of 256 units with @ranges swizzling ranges, and an aperture. */
void setup(unsigned int ranges);

/* Allocations of the file: a surface with PITCH, and an allocation in a given segment. */
struct vsplit_bo *swizzled(char name, uint64_t size);
struct vsplit_bo *in(char name, uint64_t size, uint8_t segment);

/* Move an allocation by the escapes of test mode. */
void page_in(struct vsplit_bo *bo, uint32_t segment);
void evict(struct vsplit_bo *bo);

/* Results of the queries. */
uint64_t offset_of(const struct vsplit_bo *bo);	/* in segment 1 */
bool has_range(const struct vsplit_bo *bo);
struct drm_vsplit_statistics stats(void);

/* The GPU's offset of a linear byte of a swizzled surface, straight from the definition. */
uint64_t tiled(uint64_t size, uint64_t at);
/* The GPU copies the raw bytes of @from to @to, as it sees them. */
void gpu_copy(struct vsplit_bo *to, struct vsplit_bo *from);
/* Checks that the GPU sees the surface tiled: the plain allocation @raw gets its raw bytes. */
void check_tiled(struct vsplit_bo *surface, struct vsplit_bo *raw);
/* The GPU writes a word at the linear offset @at. */
void gpu_write(struct vsplit_bo *surface, uint64_t at, uint64_t word);

/*
 * Notes in the trace, which is on, the page frame of each of the first pages of segment 1, seen
 * through one allocation. Each page is faulted in separately.
 */
struct vsplit_bo *touch_segment(uint64_t size);
/* The pages of @bo, at @offset of the segment, are the pages that @all had there. */
void check_frames(const char *trace, const struct vsplit_bo *all, const struct vsplit_bo *bo,
		  uint64_t offset);

/* A thread that lets the engine go on after 20 ms; it sets @resumed just before. */
extern volatile bool resumed;
void *resume_later(void *arg);

/*
 * Repeats @op with its first, second, ... step failing, until no step fails. Only for subtests that
 * called vsplit_inject_require(VSPLIT_INJECT_SITE).
 */
void sweep(const char *what, int (*op)(void), void (*check)(int ret));

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_MEMORY_H */
