/* SPDX-License-Identifier: MIT */
/*
 * What the tests of failures share: a call is repeated while the Nth thing that can fail does fail,
 * for every N.
 */
#ifndef IGT_VSPLIT_SWEEP_H
#define IGT_VSPLIT_SWEEP_H

#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"

#pragma GCC visibility push(hidden)

/* More failures than any call has: beyond this, a sweep would not end. */
#define MAX_N 2000

/**
 * struct op - A call, and its effects.
 * @name: of the call.
 * @run: makes the call once; 0 or -errno.
 * @errors: allowed errors, besides -EINTR of a wait, -ENOMEM of all else, and -EFAULT where the
 *   kernel fails.
 * @prepare: sets up what must not fail; or NULL.
 * @done: after the call has succeeded: asserts its effect, and ends what it began; or NULL. @clean:
 *   nothing failed in the call.
 * @dark: for calls of a head: the head is dark before the call.
 */
struct op {
	const char *name;
	int (*run)(void);
	int errors[3];
	void (*prepare)(void);
	void (*done)(bool clean);
	bool dark;
};

/**
 * struct sweep - A sweep over calls.
 * @kind: of failures.
 * @ad: the adapter whose live objects must be as many as before after a failed call; NULL: none.
 * @state: name of the state in which the calls are made.
 * @enter: enters this state; or NULL. Called before each failure, as a successful call changes it.
 * @look: writes to 1024 bytes of zeros everything that a failed call must not change; or NULL.
 * @check: called before the second @look: asserts more, or undoes what the first ones of several
 *   calls did; or NULL.
 * @sites: fault sites that must be among those that failed.
 * @nr_sites: of them, at most 16.
 * @hits: out: how often each of these failed.
 * @injected: out: failures in all.
 * @failed: out: calls that failed; the others managed without what failed, or were restarted.
 * @op: the last call.
 * @site: the last failure.
 * @where: both, as text.
 */
struct sweep {
	enum vsplit_inject kind;
	const struct vsplit_adapter *ad;
	const char *state;
	void (*enter)(void);
	void (*look)(void *seen);
	void (*check)(void);
	const char *const *sites;
	unsigned int nr_sites;
	uint64_t hits[16];
	uint64_t injected;
	uint64_t failed;
	const struct op *op;
	char site[64];
	char where[192];
};

/*
 * Repeats a call until nothing fails any more. Each failure gives a documented error and changes
 * nothing, and the same call right after it succeeds.
 */
void sweep_op(struct sweep *s, const struct op *op);
/* Asserts that each of s->sites has failed, and @least failures in all, and writes the figure. */
void sweep_end(const struct sweep *s, uint64_t least, const char *row, const char *what);

/*
 * Another client, of @file and @ctx, takes all memory of an adapter of two segments of @bytes each.
 * @crowd: its buffer; made if it is NULL.
 */
void sweep_fill(struct vsplit_cs **crowd, int file, uint32_t ctx, uint64_t bytes);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_SWEEP_H */
