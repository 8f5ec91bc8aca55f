// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * When paging would get to what is planned, if it overlaps what runs.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: How far paging is ahead
 *
 * What comes in for a portion can come while those before it run, unless what leaves for it is
 * still used by them. What has just been used is often what is needed again last, so the victims
 * that cost the fewest bytes are those for which the paging engine has to wait. This is
 * prefetching as it is known from files: Cao, Felten, Karlin and Li, "A Study of Integrated
 * Prefetching and Caching Strategies" (1995), show that it takes little more than the least time
 * if what is needed next is always loaded as soon as the disk is idle, in place of what, of all
 * that is in no use then, is not needed for longest; Kimbrel and others, "A Trace-Driven
 * Comparison of Algorithms for Parallel Prefetching and Caching" (1996), save loads by not being
 * further ahead than later ones make necessary.
 *
 * So a walk that plans for overlap has a clock. It knows when the paging engine will have done
 * what is decided so far, and when each portion will be over. Of what leaves, that comes first
 * whose portions are over by then (vsplit_policy.c). Paging may be ahead of running further than is
 * necessary; then it may as well wait, and those are victims, too, whose portions are over
 * when it will be necessary.
 *
 * How far that is, a first walk tells, which knows of no overlap: what it loads for each group.
 * Paging must be ahead, when a group begins, of all that the following groups need beyond what is
 * loaded while they run, and of what comes in itself.
 *
 * How long commands take is not known. They are taken to run as long, all together, as the
 * first walk pages, in proportion to their bytes. If they are quicker, running waits for
 * paging anyway, and what is lost are the bytes that it takes to be early; if they are slower,
 * paging is earlier than planned. What is right does not depend on it: an operation waits
 * for its portions, whenever they are over.
 *
 * Time is measured in pages that are transferred.
 */

/* How long all commands before @byte run. */
static u64 vsplit_split_work(const struct vsplit_split_ctx *ctx, u32 byte)
{
	return mul_u64_u32_div(ctx->early[ctx->in->nr_entries], byte, ctx->in->length);
}

/**
 * vsplit_split_lead_group() - A first walk has brought in what a group names.
 * @ctx: the run.
 * @first: first entry of the group.
 */
void vsplit_split_lead_group(struct vsplit_split_ctx *ctx, u32 first)
{
	if (!ctx->early || ctx->ahead)
		return;
	ctx->early[first] = ctx->came - ctx->came_before;
	ctx->came_before = ctx->came;
}

/**
 * vsplit_split_lead_learn() - Make of what a first walk has loaded how early that must be.
 * @ctx: the run, which has served the list.
 */
void vsplit_split_lead_learn(struct vsplit_split_ctx *ctx)
{
	const struct vsplit_split_entry *entries = ctx->in->entries;
	u64 most = ctx->large * VSPLIT_SPLIT_PART >> ctx->page_shift;
	u64 early = 0;
	u32 i;

	ctx->early[ctx->in->nr_entries] = ctx->came;
	for (i = ctx->in->nr_entries; i-- > 0;) {
		/* Of a group the first entry has them. */
		bool inside = i && entries[i - 1].split == entries[i].split;
		u64 loads = inside ? 0 : ctx->early[i];
		u64 ran = vsplit_split_work(ctx, entries[i].split) -
			  vsplit_split_work(ctx, i ? entries[i - 1].split : 0);

		ctx->early[i] = early;
		early += loads;
		early = early > ran ? early - ran : 0;
		if (early > most)
			early = most;
	}
	vsplit_split_step(ctx, ctx->in->nr_entries);
}

/** vsplit_split_lead_op() - An operation of the current portion is in the plan. */
void vsplit_split_lead_op(struct vsplit_split_ctx *ctx, const struct vsplit_split_op *op)
{
	if (!ctx->ahead)
		return;
	if (ctx->paged < ctx->over_at[op->after])
		ctx->paged = ctx->over_at[op->after];
	ctx->paged += vsplit_split_op_pages(ctx, op->alloc, op->type);
}

/** vsplit_split_lead_portion() - All those of the current portion are; it ends before @end. */
void vsplit_split_lead_portion(struct vsplit_split_ctx *ctx, u32 end)
{
	u64 begins;

	if (!ctx->ahead)
		return;
	begins = ctx->over_at[ctx->portion];
	if (begins < ctx->paged)
		begins = ctx->paged;
	ctx->over_at[ctx->portion + 1] = begins + vsplit_split_work(ctx, end) -
					 vsplit_split_work(ctx, ctx->begin);
	ctx->came_before = ctx->came;
}

/**
 * vsplit_split_lead_over() - How many portions will be over when paging gets to what comes in next.
 * @ctx: the run.
 * @bytes: size of that.
 *
 * What they used leaves without a delay that matters: a wait that is short beside what it takes to
 * bring that in is none, as it saves more than it costs.
 */
u32 vsplit_split_lead_over(struct vsplit_split_ctx *ctx, u64 bytes)
{
	u64 pages = bytes >> ctx->page_shift;
	u64 at = ctx->paged + ctx->came - ctx->came_before + pages / VSPLIT_SPLIT_SHORT;
	u64 early = ctx->early[ctx->now] + pages;
	u32 over = 0, not = ctx->portion + 1;

	/* The current portion begins when the one before it is over, if it is not late. */
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
