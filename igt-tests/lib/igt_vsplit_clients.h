/* SPDX-License-Identifier: MIT */
/*
 * What the tests of clients that share a small memory have in common: an adapter with two clients,
 * allocations that fill it, and submissions in threads.
 */
#ifndef IGT_VSPLIT_CLIENTS_H
#define IGT_VSPLIT_CLIENTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "igt_vsplit_setup.h"

#pragma GCC visibility push(hidden)

/* The unit of sizes. */
#define U 4096ull

/* The other client's file and context; those of the first one are @fd and @ctx. */
extern int other;
extern uint32_t other_ctx;

/* A memory segment of 64 units, and a timeout that no test comes to. */
extern const struct vsplit_adapter_opts two_clients;
void setup_clients_on(const struct vsplit_adapter_opts *opts);
void setup_clients(void);

/* The other client's allocations: they are made with so many pages, and used. */
#define OTHERS 8
extern struct vsplit_bo *others[OTHERS];
void fill_by_others(unsigned int pages);

/**
 * struct runner - A submission in a thread.
 * @fails_at: which site of memory allocation fails; 0: none.
 * @ret: what the call returned, once runner_done().
 * @failed: the site was reached.
 */
struct runner {
	pthread_t thread;
	struct vsplit_cs *cs;
	uint32_t ctx, flags;
	unsigned int fails_at;
	int ret;
	bool failed, done;
};

void runner_start(struct runner *r);
bool runner_done(struct runner *r);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_CLIENTS_H */
