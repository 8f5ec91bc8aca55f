/* SPDX-License-Identifier: MIT */
/*
 * What the tests of shared engines have in common: adapters with a kind of preemption, programs
 * that run for a chosen time, and innocent clients.
 */
#ifndef IGT_VSPLIT_ENGINE_H
#define IGT_VSPLIT_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "igt_vsplit_setup.h"

#pragma GCC visibility push(hidden)

/* The unit of sizes. */
#define U 16384ull

/* A memory segment of 256 units, and @engines engines, with a paging engine if @paging_own. */
struct vsplit_adapter_opts engine_opts(bool paging_own, unsigned int engines);
/* Makes an adapter and one file on it: @ad and @fd. The tests make their contexts and buffers. */
void setup_engines(const struct vsplit_adapter_opts *opts);
/* The same with a paging engine, this kind of preemption, and the model clock. */
void setup_preemption(const char *preemption, unsigned int engines, unsigned int timeout_ms);

/* Adds @n spins of @us each. */
void spins(struct vsplit_cs *cs, unsigned int n, unsigned int us);
/* A buffer of @n spins of 10 ms with a byte pattern at its end. */
struct vsplit_cs *build_long(int file, char name, unsigned int n);
/* Is its memory there, so that the engine executes it, or is about to? */
bool begun(struct vsplit_cs *cs);
/* A syncobj of @fd, and its file for other processes. */
uint32_t shared_syncobj(int *shared);

/* An innocent client beside others: it checks each byte of its buffers, which are 80 units. */
struct innocent {
	int fd;
	uint32_t ctx;
	struct vsplit_bo *a[2];
	struct vsplit_cs *cs;
	unsigned int round;
};

void innocent_start(struct innocent *in, uint32_t engine);
void innocent_submit(struct innocent *in);
void innocent_check(struct innocent *in);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_ENGINE_H */
