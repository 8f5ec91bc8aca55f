/* SPDX-License-Identifier: MIT */
/*
 * What the tests of explicit residency share: two devices, and the calls that require
 * allocations and give them back.
 */
#ifndef IGT_VSPLIT_RESID_H
#define IGT_VSPLIT_RESID_H

#include <stdint.h>

#include "igt_vsplit_setup.h"

#pragma GCC visibility push(hidden)

/* The unit of sizes. */
#define U 16384ull

/* A second device beside "fd", with a context and a buffer as "fd" has them. */
extern int fd2;
extern uint32_t ctx2;
extern struct vsplit_cs *cs2;

/* Options for 16 units of memory, and an aperture of the same size. */
struct vsplit_adapter_opts options(void);
/* Makes "ad" and both devices, each with an explicit context. */
void setup_adapter(const struct vsplit_adapter_opts *opts);
/* The same, with options(). */
void setup_devices(void);

int __context(int file, uint32_t mode, uint32_t engine, uint32_t *id);

/* Makes an allocation that may be in vram only. */
struct vsplit_bo *bo_on(int file, char name, unsigned int units);

/* Makes an allocation resident, and waits for it. */
void make(struct vsplit_bo *b);
void take(struct vsplit_bo *b);

/* The query's answer for a handle, or for the device (0). */
struct drm_vsplit_residency residency(int file, uint32_t handle);
/* Bytes of local memory that the device uses. */
uint64_t usage(int file);
/* Waits for a point of the syncobj of residency(); 0: there is nothing to wait for. */
void wait_point(int file, uint64_t point);

/* Builds a buffer that fills all of @b. */
void fills(struct vsplit_cs *c, struct vsplit_bo *b, uint32_t pattern);
/* Submits the buffer, waits, compares with the reference, and asserts that it is one portion. */
void run_one(struct vsplit_cs *c, uint32_t id);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_RESID_H */
