/* SPDX-License-Identifier: MIT */
/*
 * The work of a planning problem: the cost of its plan is at most a constant times this.
 */
#ifndef _SPLIT_WORK_H_
#define _SPLIT_WORK_H_

#include "../drv/split/vsplit_split.h"

/*
 * A plan costs at most this many steps for each entry, allocation, range of others, slot, portion
 * and operation, for each segment and each alignment (and one), and for each doubling of their
 * number; besides, each entry is granted some steps for searches.
 */
#define STEPS 16

static inline double split_work(const struct vsplit_split_input *in,
				const struct vsplit_split_output *out)
{
	u64 items = (u64)in->nr_entries + in->nr_allocs + in->nr_fixed + in->nr_slots +
		    out->nr_portions + out->nr_ops;
	u64 aligns = 0;
	double log = 1;
	u32 i;

	for (i = 0; i < in->nr_allocs; i++)
		aligns |= in->allocs[i].align;
	for (i = 2; i < items; i *= 2)
		log++;
	return items * log * in->nr_segments * (1 + __builtin_popcountll(aligns));
}

/*
 * First a walk as if everything fitted, and an attempt to place everything together. If the list is
 * split: a walk up to the place where memory is in pieces, a walk whose portions are laid out and,
 * if that fails, a walk in place. If cuts are planned: also a planned walk and, if that fails,
 * these three again. Last come homes, three walks with homes, and one walk without.
 */
static inline bool split_granted(const struct vsplit_split_input *in,
				 const struct vsplit_split_output *out)
{
	u64 walks = in->flags & VSPLIT_SPLIT_PLANNED ? 9 : 5;

	if (in->flags & (VSPLIT_SPLIT_PLANNED | VSPLIT_SPLIT_LOOK_AHEAD))
		walks += 5;

	return out->searched <= walks * VSPLIT_SPLIT_SEARCH_PER_ENTRY * in->nr_entries + 1000;
}

#endif /* _SPLIT_WORK_H_ */
