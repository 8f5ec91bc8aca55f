// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Who leaves first.
 */
#include "vsplit_split_compat.h"
#include "vsplit_split.h"

/**
 * DOC: Victim policies
 *
 * A policy is a strict total order on candidates, nothing more: which range is
 * cleared, and that nothing leaves for nothing, is the business of the
 * placement. A score (distance per byte, say) would need a division or a
 * 128-bit product and would tempt callers to compare scores of different
 * policies; an order is enough for a window's dearest victim to be found and
 * compared.
 *
 * Both policies end with the stamp and then the index, so that no two
 * candidates are ever equal and a plan never depends on how they were listed.
 */

static bool vsplit_split_older(const struct vsplit_split_victim *a,
			       const struct vsplit_split_victim *b)
{
	if (a->lru != b->lru)
		return a->lru < b->lru;
	return a->alloc < b->alloc;
}

/*
 * VSPLIT_SPLIT_NONE, "not used again in this list", is the largest number and
 * so the farthest use without a special case.
 */
static bool vsplit_split_farther(const struct vsplit_split_victim *a,
				 const struct vsplit_split_victim *b)
{
	if (a->next_use != b->next_use)
		return a->next_use > b->next_use;
	return vsplit_split_older(a, b);
}

const struct vsplit_split_policy vsplit_split_policy_lru = {
	.name = "lru",
	.better = vsplit_split_older,
};

const struct vsplit_split_policy vsplit_split_policy_next_use = {
	.name = "next-use",
	.better = vsplit_split_farther,
};
