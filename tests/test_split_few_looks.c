// SPDX-License-Identifier: MIT
/*
 * The random lists again, with a planner that looks at one victim before it asks its index.
 * Otherwise it asks the index only if there are many victims.
 */
#define VSPLIT_SPLIT_LOOKS 1u
/* It also asks at each step whether the process is killed. */
#define VSPLIT_SPLIT_RELAX_STEPS 1u
#include "../drv/split/vsplit_move.c"
#include "../drv/split/vsplit_pack.c"
#include "../drv/split/vsplit_place.c"
#include "../drv/split/vsplit_policy.c"
#include "../drv/split/vsplit_lead.c"
#include "../drv/split/vsplit_home.c"
#include "../drv/split/vsplit_slide.c"
#include "../drv/split/vsplit_tree.c"
#include "../drv/split/vsplit_begin.c"
#include "../drv/split/vsplit_walk.c"

#define NAME "split-random-few-looks"
#define SEED 31415926
#define RUNS 30000
/* It clears other windows than the reference expects. */
#define LEGAL_ONLY true
#include "test_split_random.c"
