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

/* A second device beside "fd", with a context and a buffer as that one has them. */
extern int fd2;
extern uint32_t ctx2;
extern struct vsplit_cs *cs2;

/* Sixteen units of memory, and an aperture of as many. */
struct vsplit_adapter_opts options(void);
/* "ad" and both devices, each with a context that is explicit. */
void setup_adapter(const struct vsplit_adapter_opts *opts);
/* The same, by options(). */
void setup_devices(void);

int __context(int file, uint32_t mode, uint32_t engine, uint32_t *id);

/* In vram alone. */
struct vsplit_bo *bo_on(int file, char name, unsigned int units);

/* Makes one resident, and waits for it. */
void make(struct vsplit_bo *b);
void take(struct vsplit_bo *b);

/* What the query says of a handle, or of the device (0). */
struct drm_vsplit_residency residency(int file, uint32_t handle);
/* Of the syncobj of residency(); 0: there is nothing to wait for. */
void wait_point(int file, uint64_t point);

/* A buffer that fills all of @b. */
void fills(struct vsplit_cs *c, struct vsplit_bo *b, uint32_t pattern);
/* Submits it, waits, and compares with the reference; it is one portion. */
void run_one(struct vsplit_cs *c, uint32_t id);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_RESID_H */
