// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A list that fails because of what is kept is planned again, otherwise.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: Planning again
 *
 * The walk never looks ahead: what it places in one portion and a later one keeps may be in
 * the middle of what that one needs. WDDM calls the failure correct (SPLIT-35), and so
 * this is done only where the adapter asks for it (VSPLIT_SPLIT_LOOK_AHEAD). A plan is a model
 * of what will happen, so nothing is lost by making another one.
 *
 * What a walk decides freely is steered by *hints*: an allocation looks for the highest
 * place instead of the lowest; the list is cut before a group though it would fit; a
 * portion begins with a layout instead of an attempt in place. The list is walked again with a
 * few hints changed, near the place of failure: among the entries of the last portions.
 * So a part of the list that is solved stays so, and the search goes on behind it. The changes
 * are drawn from a generator that starts with the same number for each plan: the same list has
 * the same plan. To keep only changes after which the walk gets as far as before was tried:
 * it serves as many lists, and takes more walks.
 *
 * Which rows are kept at a group depends on the list alone. Where the sizes of these and
 * of the group exceed the memory, no placement helps, and the list fails at once.
 *
 * Costs. At most VSPLIT_SPLIT_WALKS walks. If all fail, one more without hints gives the
 * prefix that the walk alone can serve. Searches for layouts have their budget in each.
 */

#define VSPLIT_SPLIT_SEED	0x9e3779b97f4a7c15ULL
/* Portions before the failure whose entries may get other hints, and changes at a time. */
#define VSPLIT_SPLIT_LATELY	4
#define VSPLIT_SPLIT_CHANGES	3

static u32 vsplit_split_draw(u64 *state, u32 below)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % below;
}

/* The first entry of the group of entry @i. */
static u32 vsplit_split_group_first(struct vsplit_split_ctx *ctx, u32 i)
{
	const struct vsplit_split_entry *entries = ctx->in->entries;
	u32 last = i;

	while (i && entries[i - 1].split == entries[i].split)
		i--;
	vsplit_split_step(ctx, last - i);
	return i;
}

/* Could the group that failed be served, if all that is kept were elsewhere? */
static bool vsplit_split_may_help(struct vsplit_split_ctx *ctx)
{
	u32 first = vsplit_split_group_first(ctx, ctx->fail);
	u32 end = first;

	while (end < ctx->in->nr_entries &&
	       ctx->in->entries[end].split == ctx->in->entries[first].split)
		end++;
	/* A stamp that no group has. */
	vsplit_split_collect(ctx, first, end, ctx->group + 1);
	return vsplit_split_may_pack(ctx);
}

/* Another hint for one of the entries [@first, @last]. */
static void vsplit_split_change(struct vsplit_split_ctx *ctx, u64 *state, u32 first, u32 last)
{
	u32 entry = first + vsplit_split_draw(state, last - first + 1);
	u32 kind = vsplit_split_draw(state, 4);
	u32 a = ctx->in->entries[entry].alloc;

	if (kind < 2 && a != VSPLIT_SPLIT_NONE)
		ctx->hint_alloc[a] ^= VSPLIT_SPLIT_HINT_TOP;
	else
		ctx->hint_entry[vsplit_split_group_first(ctx, entry)] ^=
			kind & 1 ? VSPLIT_SPLIT_HINT_LAYOUT : VSPLIT_SPLIT_HINT_CUT;
}

/**
 * vsplit_split_look_ahead() - Plan again what failed with -ENOSPC.
 * @ctx: the run that failed; the input asks for VSPLIT_SPLIT_LOOK_AHEAD.
 *
 * Return: what the last walk did, which is the state of @ctx.
 */
int vsplit_split_look_ahead(struct vsplit_split_ctx *ctx)
{
	const struct vsplit_split_input *in = ctx->in;
	u64 state = VSPLIT_SPLIT_SEED;
	u32 i, nr, first;
	int ret;

	for (i = 0; i < VSPLIT_SPLIT_WALKS && vsplit_split_may_help(ctx); i++) {
		nr = ctx->portion > VSPLIT_SPLIT_LATELY ? ctx->portion - VSPLIT_SPLIT_LATELY : 0;
		first = ctx->portion ? ctx->out->portions[nr].first_entry : 0;
		for (nr = 1 + vsplit_split_draw(&state, VSPLIT_SPLIT_CHANGES); nr; nr--)
			vsplit_split_change(ctx, &state, first, ctx->fail);
		ret = vsplit_split_again(ctx, VSPLIT_SPLIT_FORCED);
		if (!ret || ctx->error)
			return ret;
	}
	if (!i)
		return -ENOSPC;
	memset(ctx->hint_alloc, 0, in->nr_allocs);
	memset(ctx->hint_entry, 0, in->nr_entries);
	return vsplit_split_again(ctx, VSPLIT_SPLIT_FORCED);
}
