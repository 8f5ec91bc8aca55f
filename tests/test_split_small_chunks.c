// SPDX-License-Identifier: MIT
/*
 * The random lists again, with the planner built so that its lists fall into
 * chunks of very few ranges, as only long lists do otherwise.
 */
#define VSPLIT_SPLIT_CHUNK_MIN 1u
#define VSPLIT_SPLIT_CHUNK_MAX 1u
#include "../drv/split/vsplit_move.c"
#include "../drv/split/vsplit_pack.c"
#include "../drv/split/vsplit_place.c"
#include "../drv/split/vsplit_policy.c"
#include "../drv/split/vsplit_walk.c"

#define NAME "split-random-small-chunks"
#define SEED 31415926
#define RUNS 30000
#include "test_split_random.c"
