/* SPDX-License-Identifier: MIT */
/*
 * What the tests of things that fail share: calls that are made again and again, the Nth thing that
 * can fail failing, for every N.
 */
#ifndef IGT_VSPLIT_SWEEP_H
#define IGT_VSPLIT_SWEEP_H

#include "igt_vsplit.h"
#include "igt_vsplit_debug.h"

#pragma GCC visibility push(hidden)

/* More failures than any call has: it does not end. */
#define MAX_N 2000

/**
 * struct op - A call, and what comes of it.
 * @name: of it.
 * @run: makes it once; 0 or -errno.
 * @errors: what may come, beside -EINTR of a wait, -ENOMEM of all else, and -EFAULT where the
 *	kernel fails.
 * @prepare: makes ready what is not to fail; or NULL.
 * @done: it has worked: asserts that, and ends what it began; or NULL. @clean: and nothing had
 *	failed.
 * @dark: of a head: it is dark before.
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
 * @kind: of what fails.
 * @ad: whose live objects are as many as before after a call that failed; NULL: there is none.
 * @state: name of what it is in.
 * @enter: makes it so; or NULL. Anew for each failure: a call that succeeds changes it.
 * @look: writes to 1024 bytes of zeros what a call that failed must have left alone; or NULL.
 * @check: before it looks again: asserts more, or takes back what the first ones of several calls
 *	did; or NULL.
 * @sites: those that have to be among what failed.
 * @nr_sites: of them, at most 16.
 * @hits: out: how often each of these failed.
 * @injected: out: failures in all.
 * @failed: out: calls that failed; others did without what failed, or were restarted.
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
 * Makes a call until nothing fails any more. Each failure is a documented error, after which nothing
 * has changed, and the same call right after that succeeds.
 */
void sweep_op(struct sweep *s, const struct op *op);
/* Asserts that each of s->sites has failed, and @least in all, and writes the figure. */
void sweep_end(const struct sweep *s, uint64_t least, const char *row, const char *what);

/*
 * Another client, of @file and @ctx, has all memory of an adapter of two segments of @bytes each.
 * @crowd: its buffer, made if it is NULL.
 */
void sweep_fill(struct vsplit_cs **crowd, int file, uint32_t ctx, uint64_t bytes);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_SWEEP_H */
