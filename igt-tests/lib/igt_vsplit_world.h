/* SPDX-License-Identifier: MIT */
/*
 * Worlds of vsplit_property: a world is an adapter, allocations of one or two clients, and a
 * sequence of buffers and CPU writes. A seed determines all of it.
 */
#ifndef IGT_VSPLIT_WORLD_H
#define IGT_VSPLIT_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "igt_vsplit.h"

/* Hidden, because libigt and its libraries must not find these short names. */
#pragma GCC visibility push(hidden)

#define PAGE 4096u
#define MAX_ALLOCS 160
#define MAX_SLOTS 16
#define MAX_OPS 4096
#define MAX_STEPS 24

enum op_type {
	OP_BIND,
	OP_UNBIND,
	OP_GROUP,	/* end of a group */
	OP_FILL,
	OP_COPY,
};

struct op {
	enum op_type type;
	bool gone;	/* left out by shrinking */
	uint32_t slot;
	uint32_t other;	/* BIND: allocation; COPY: source slot; FILL: byte */
	uint32_t offset;
	uint32_t length;
};

/* A buffer, or a CPU write if nr_ops is 0. */
struct step {
	bool gone;
	bool wait;
	uint32_t client;
	uint32_t ctx;
	uint32_t nr_ops;
	struct op *ops;
	/* CPU write */
	uint32_t alloc;
	uint32_t byte;
	uint32_t offset;
	uint32_t length;
	/* expectations that the generator knows */
	bool must_fit;
	bool must_not_split;
	/* the driver's answer in the last run */
	bool refused;
};

struct alloc {
	uint32_t pages;
	uint32_t client;
	bool pinned;
	bool read_only;
	uint8_t segs[8];
};

struct world {
	struct vsplit_adapter_opts opts;
	uint64_t capacity;	/* pages of all segments together */
	unsigned int nr_allocs;
	struct alloc allocs[MAX_ALLOCS];
	unsigned int nr_steps;
	struct step steps[MAX_STEPS];
	uint64_t seed;
};

struct level {
	const char *name;
	uint32_t percent;	/* footprint of a buffer, in percent of the memory */
	bool segments;		/* several segments, with commit limits and an aperture */
	bool two;		/* a second client */
	bool pins;
	bool engines;		/* random engine options */
};

/* The world of @seed on that level; free_world() gives its memory back. */
void make_world(struct world *w, uint64_t seed, const struct level *level);
void free_world(struct world *w);

/*
 * Resolves an operation for the present @table (slot to allocation + 1), and updates the table.
 * Returns false if nothing is left of the operation.
 */
bool resolve_op(const struct world *w, const struct op *op, uint32_t *table, struct op *out);

/*
 * Writes the world as a scenario for vsplit-play, with the expected results. The world has ended,
 * well or not: its first @ran steps were run, on @bos; the steps behind them are left out.
 */
void write_scenario(FILE *f, const struct world *w, struct vsplit_bo *const *bos, unsigned int ran,
		    const char *reason);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_WORLD_H */
