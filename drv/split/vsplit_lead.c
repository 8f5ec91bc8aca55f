// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How far paging is ahead of the portions that run, if it overlaps them.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: How far paging is ahead
 *
 * An allocation can come in for a portion while earlier portions run, unless they still use what
 * has to leave for it. What has just been used is often needed again last, so the victims that cost
 * the fewest bytes are those for which the paging engine has to wait. This is prefetching as it is
 * known from files. Cao, Felten, Karlin and Li, "A Study of Integrated Prefetching and Caching
 * Strategies" (1995), load the block that is needed next whenever the disk is idle. It replaces the
 * block whose next use is farthest, among those that are not in use. They show that this takes
 * little more than the least time. Kimbrel and others, "A Trace-Driven Comparison of Algorithms for
 * Parallel Prefetching and Caching" (1996), save loads by being no further ahead than later loads
 * make necessary.
 *
 * So a walk that plans for overlap has a clock. The clock says when the paging engine will have
 * done what is decided so far, and when each portion will be over. Preferred victims are those
 * whose portions are over by the time the paging engine gets to them (vsplit_policy.c). If paging
 * is further ahead than necessary, it may as well wait: then victims are also those whose portions
 * are over at the time when their eviction becomes necessary.
 *
 * A first walk, which knows of no overlap, tells how far ahead paging must be, by what it loads for
 * each group. When a group begins, paging must be ahead by all that the following groups need
 * beyond what is loaded while they run, and by the allocation that comes in itself.
 *
 * How long commands take is not known. The clock assumes that all of them together run as long as
 * the first walk pages, each in proportion to its bytes. If they are quicker, running waits for
 * paging anyway, and only the bytes that it costs to be early are lost. If they are slower, paging
 * is earlier than planned. The plan is correct either way: an operation waits for its portions,
 * whenever they are over.
 *
 * Time is measured in pages that are transferred.
 */

/* How long all commands before @byte run. */
static u64 vsplit_split_work(const struct vsplit_split_ctx *ctx, u32 byte)
{
	return mul_u64_u32_div(ctx->early[ctx->in->nr_entries], byte, ctx->in->length);
}

/* Note what a first walk has transferred for the group that begins with entry @first. */
void vsplit_split_lead_group(struct vsplit_split_ctx *ctx, u32 first)
{
	if (!ctx->early || ctx->ahead)
		return;
	ctx->early[first] = ctx->came - ctx->came_before;
	ctx->came_before = ctx->came;
}

/* Compute from the loads of a first walk, which has served the list, how early they must be. */
void vsplit_split_lead_learn(struct vsplit_split_ctx *ctx)
{
	const struct vsplit_split_entry *entries = ctx->in->entries;
	u64 most = ctx->large * VSPLIT_SPLIT_PART >> ctx->page_shift;
	u64 early = 0;
	u32 i;

	ctx->early[ctx->in->nr_entries] = ctx->came;
	for (i = ctx->in->nr_entries; i-- > 0;) {
		/* The loads of a group are at its first entry. */
		bool inside = i && entries[i - 1].split == entries[i].split;
		u64 loads = inside ? 0 : ctx->early[i];
		u64 ran = vsplit_split_work(ctx, entries[i].split) -
			  vsplit_split_work(ctx, i ? entries[i - 1].split : 0);

		ctx->early[i] = early;
		early += loads;
		early = early > ran ? min(early - ran, most) : 0;
	}
	vsplit_split_step(ctx, ctx->in->nr_entries);
}

/* Add an operation of the current portion to the clock. */
void vsplit_split_lead_op(struct vsplit_split_ctx *ctx, const struct vsplit_split_op *op)
{
	if (!ctx->ahead)
		return;
	ctx->paged = max(ctx->paged, ctx->over_at[op->after]) +
		     vsplit_split_op_pages(ctx, op->alloc, op->type);
}

/* Add the current portion to the clock; it ends before byte @end. */
void vsplit_split_lead_portion(struct vsplit_split_ctx *ctx, u32 end)
{
	if (!ctx->ahead)
		return;
	ctx->over_at[ctx->portion + 1] = max(ctx->over_at[ctx->portion], ctx->paged) +
		vsplit_split_work(ctx, end) - vsplit_split_work(ctx, ctx->begin);
	ctx->came_before = ctx->came;
}

/*
 * How many portions will be over when paging gets to the next page-in, of @bytes? What only these
 * portions use can leave without a delay that matters. A wait that is short compared with the
 * page-in does not matter, as the choice of victims saves more than it costs.
 */
u32 vsplit_split_lead_over(struct vsplit_split_ctx *ctx, u64 bytes)
{
	u64 pages = bytes >> ctx->page_shift;
	u64 at = ctx->paged + ctx->came - ctx->came_before + pages / VSPLIT_SPLIT_SHORT;
	u64 early = ctx->early[ctx->now] + pages;
	u32 over = 0, not = ctx->portion + 1;

	/*
	 * Unless it is late, the current portion begins when the one before it is over. Paging need
	 * not be further ahead of that than @early.
	 */
	if (ctx->over_at[ctx->portion] > early && at < ctx->over_at[ctx->portion] - early)
		at = ctx->over_at[ctx->portion] - early;
	while (not - over > 1) {
		u32 some = over + (not - over) / 2;

		vsplit_split_step(ctx, 1);
		if (ctx->over_at[some] <= at)
			over = some;
		else
			not = some;
	}
	return over;
}
