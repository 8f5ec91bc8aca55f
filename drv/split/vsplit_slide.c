// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Room in one piece, by moving rather than by evicting.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: Sliding
 *
 * Where memory is nearly full, its free part is in small pieces, and a window that is cleared holds
 * more than the incoming allocation needs. A planned walk has another way. Of a run of victims
 * (vsplit_policy.c) only as many leave as make enough room by their sizes, in policy order. The
 * others move down, so that the free memory is in one piece. The walk takes the cheapest part of
 * each run, and the best of these parts if it costs less than the best window. A page that leaves
 * costs as much as in a window. A page that moves costs a fraction of a page of the best window;
 * the fraction depends on how much faster memory is than the bus, which a move does not cross.
 * Where memory is no faster, next to nothing moves.
 *
 * What the running portion has used can neither leave nor move: if the part has such an allocation,
 * the list is cut and nothing else happens. An allocation that has moved stays where it is until
 * the next cut, as it has only one move before a portion.
 *
 * Nothing slides in apertures, whose pages need not follow each other in memory. Nor does anything
 * slide where the CPU sees a part of a segment, since it would matter on which side each allocation
 * ends up; nor where a commit limit is below the segment's size, since further victims would have
 * to leave.
 *
 * A request looks at the victims that the search for a window has looked at, a few times each.
 */

/* Marks of the victims that are looked at. */
enum {
	VSPLIT_SPLIT_LOOKED_AT = 1,
	VSPLIT_SPLIT_LEAVES,
};

/* Note in each node of a run its first node @first, and in @first the free bytes of the run. */
static void vsplit_split_measure_run(struct vsplit_split_ctx *ctx, u32 seg,
				     const struct vsplit_split_want *want, u32 first)
{
	const struct vsplit_split_link *link = ctx->tree[VSPLIT_SPLIT_FREE].link;
	u32 behind = link[ctx->st[first].run].next;
	u64 room = vsplit_split_limit(ctx, seg, want, ctx->st[first].run) -
		   vsplit_split_end(ctx, link[first].prev);
	u32 n;

	for (n = first; n != behind; n = link[n].next) {
		ctx->st[n].wait = first;
		room -= ctx->size[n];
	}
	ctx->st[first].to = room;
}

/*
 * Choose the victims of each run that leave: in policy order, until there is room by the sizes.
 * Then those without which there is still enough room stay after all, the dearest first. A victim
 * that may not be in the segment always leaves.
 */
static void vsplit_split_choose_leaving(struct vsplit_split_ctx *ctx, u32 seg, u64 size)
{
	u32 i;

	for (i = 0; i < ctx->nr_looked; i++) {
		u32 v = ctx->looked[i];
		u64 *room = &ctx->st[ctx->st[v].wait].to;

		if (*room >= size && vsplit_split_allowed(ctx, v, seg))
			continue;
		*room += ctx->size[v];
		ctx->st[v].mark = VSPLIT_SPLIT_LEAVES;
	}
	while (i--) {
		u32 v = ctx->looked[i];
		u64 *room = &ctx->st[ctx->st[v].wait].to;

		if (ctx->st[v].mark != VSPLIT_SPLIT_LEAVES || *room < size + ctx->size[v] ||
		    !vsplit_split_allowed(ctx, v, seg))
			continue;
		*room -= ctx->size[v];
		ctx->st[v].mark = VSPLIT_SPLIT_LOOKED_AT;
	}
}

/* Find the place of the new allocation behind all that stays from @first to @last. */
static bool vsplit_split_settle(const struct vsplit_split_ctx *ctx, u32 seg,
				const struct vsplit_split_want *want, u32 first, u32 last,
				u64 *offset)
{
	const struct vsplit_split_link *link = ctx->tree[VSPLIT_SPLIT_FREE].link;
	u64 cursor = vsplit_split_end(ctx, link[first].prev);
	u32 behind = link[last].next;
	u32 n;

	for (n = first; n != behind; n = link[n].next) {
		if (ctx->st[n].mark == VSPLIT_SPLIT_LEAVES)
			continue;
		if (!vsplit_split_align(cursor, ctx->align[ctx->st[n].class], &cursor))
			return false;
		cursor += ctx->size[n];
	}
	return vsplit_split_fits(cursor, vsplit_split_limit(ctx, seg, want, last), want->size,
				 ctx->align[want->class], offset);
}

/*
 * Find the cheapest part of the run that begins with @first, if it costs less than *@best. @price
 * is the price of a page that leaves.
 */
static bool vsplit_split_best_part(struct vsplit_split_ctx *ctx, u32 seg,
				   const struct vsplit_split_want *want, u32 first, u64 price,
				   u64 *best, u64 *at)
{
	const struct vsplit_split_link *link = ctx->tree[VSPLIT_SPLIT_FREE].link;
	u32 behind = link[ctx->st[first].run].next;
	u64 stay = 0, loss = 0;		/* of the part from @lo to @hi */
	bool found = false;
	u32 lo = first;
	u32 hi;

	for (hi = first; hi != behind; hi = link[hi].next) {
		u64 limit = vsplit_split_limit(ctx, seg, want, hi);
		u64 cost, offset;

		if (ctx->st[hi].mark == VSPLIT_SPLIT_LEAVES)
			loss += vsplit_split_loss(ctx, hi);
		else
			stay += ctx->size[hi];
		for (; lo != hi; lo = link[lo].next) {
			bool leaves = ctx->st[lo].mark == VSPLIT_SPLIT_LEAVES;
			u64 rest = leaves ? stay : stay - ctx->size[lo];

			if (limit - vsplit_split_end(ctx, lo) < rest + want->size)
				break;
			stay = rest;
			if (leaves)
				loss -= vsplit_split_loss(ctx, lo);
		}
		/* What does not fit into 64 bits costs more than any window. */
		if (check_mul_overflow(stay >> ctx->page_shift, price * VSPLIT_SPLIT_SLIDE,
				       &cost) ||
		    check_add_overflow(loss, div_u64(cost, ctx->in->memory_speed ?: 1), &cost))
			continue;
		if (limit - vsplit_split_end(ctx, link[lo].prev) < stay + want->size ||
		    cost >= *best || !vsplit_split_settle(ctx, seg, want, lo, hi, &offset))
			continue;
		*best = cost;
		*at = offset;
		ctx->slide_first = lo;
		ctx->slide_last = hi;
		found = true;
	}
	return found;
}

/*
 * In a planned walk, find a place that becomes free when victims move, if it costs less than the
 * best window, which costs @best. The victims that are looked at are marked, and their runs known.
 * If there is such a place, vsplit_split_slide() has to free it; otherwise *@at is unchanged.
 */
bool vsplit_split_find_slide(struct vsplit_split_ctx *ctx, u32 seg,
			     const struct vsplit_split_want *want, u64 best, u64 *at)
{
	/* Without a window any way to make room will do. */
	u64 price = best == U64_MAX ? 1 : div_u64(best, want->size >> ctx->page_shift);
	bool found = false;
	u32 v, i, behind;

	if (vsplit_split_is_aperture(ctx, seg) || vsplit_split_is_parted(ctx, seg) ||
	    ctx->in->segments[seg].commit_limit < ctx->in->segments[seg].size)
		return false;
	for (i = 0; i < ctx->nr_looked; i++)
		if (vsplit_split_begins_run(ctx, ctx->looked[i]))
			vsplit_split_measure_run(ctx, seg, want, ctx->looked[i]);
	vsplit_split_choose_leaving(ctx, seg, want->size);
	for (i = 0; i < ctx->nr_looked; i++)
		if (vsplit_split_begins_run(ctx, ctx->looked[i]))
			found |= vsplit_split_best_part(ctx, seg, want, ctx->looked[i], price,
							&best, at);
	vsplit_split_step(ctx, 4 * ctx->nr_looked);
	if (!found)
		return false;
	behind = ctx->tree[VSPLIT_SPLIT_FREE].link[ctx->slide_last].next;
	ctx->nr_slide = 0;
	for (v = ctx->slide_first; v != behind; v = ctx->tree[VSPLIT_SPLIT_FREE].link[v].next)
		if (ctx->st[v].mark == VSPLIT_SPLIT_LEAVES)
			ctx->queue[ctx->nr_slide++] = v;
	ctx->slides = true;
	return true;
}

/*
 * Carry out what vsplit_split_find_slide() has found. If that is not possible, the list has to be
 * cut.
 */
bool vsplit_split_slide(struct vsplit_split_ctx *ctx, u32 seg)
{
	const struct vsplit_split_link *link = ctx->tree[VSPLIT_SPLIT_FREE].link;
	u32 before = link[ctx->slide_first].prev;
	u32 behind = link[ctx->slide_last].next;
	u64 to = vsplit_split_end(ctx, before);
	u32 n, i;

	for (n = ctx->slide_first; n != behind; n = link[n].next)
		ctx->saves |= vsplit_split_is_spent(ctx, n);
	if (ctx->saves)
		return false;
	for (i = 0; i < ctx->nr_slide; i++)
		vsplit_split_evict(ctx, ctx->queue[i]);
	for (n = link[before].next; n != behind; n = link[n].next) {
		vsplit_split_align(to, ctx->align[ctx->st[n].class], &to);
		if (to != vsplit_split_at(ctx, n))
			vsplit_split_move(ctx, n, to);
		to += ctx->size[n];
	}
	return true;
}
