// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * From one layout to the next: what leaves, what moves, and in which order.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: Carrying out a layout
 *
 * Operations before a portion run as evictions, then moves, then page-ins. So a move or page-in
 * never finds evicted bytes in its way, and a page-in never overwrites what still has to move. Only
 * the moves have to be ordered among themselves: a move must wait for every other move whose source
 * it would overwrite. Its own source does not count; a move is a memmove.
 *
 * Sources are disjoint, and so are targets. Sorted by address, the targets that touch one source
 * are neighbours, and the number of pairs is linear. Moves with nothing to wait for run first, in
 * list order. If all remaining moves wait, there is a cycle. A small member of the cycle goes
 * through system memory: it is evicted at once and paged in at the end. So no scratch range in the
 * segment is needed; there might be none.
 *
 * Only memory segments move bytes. Into or out of an aperture an allocation is evicted and paged
 * in: an aperture is a view of the backing store, so that is one unmap or map and at most one
 * transfer.
 */

static bool vsplit_split_by_source(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	if (ctx->st[a].seg != ctx->st[b].seg)
		return ctx->st[a].seg < ctx->st[b].seg;
	return vsplit_split_at(ctx, a) < vsplit_split_at(ctx, b);
}

static bool vsplit_split_by_target(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	if (ctx->st[a].to_seg != ctx->st[b].to_seg)
		return ctx->st[a].to_seg < ctx->st[b].to_seg;
	return ctx->st[a].to < ctx->st[b].to;
}

/* Is @a's source wholly below @b's target? */
static bool vsplit_split_src_below(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	if (ctx->st[a].seg != ctx->st[b].to_seg)
		return ctx->st[a].seg < ctx->st[b].to_seg;
	return vsplit_split_end(ctx, a) <= ctx->st[b].to;
}

/* Is @a's target wholly below @b's source? */
static bool vsplit_split_dst_below(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	if (ctx->st[a].to_seg != ctx->st[b].seg)
		return ctx->st[a].to_seg < ctx->st[b].seg;
	return ctx->st[a].to + ctx->size[a] <= vsplit_split_at(ctx, b);
}

static bool vsplit_split_src_touches(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	return !vsplit_split_src_below(ctx, a, b) && !vsplit_split_dst_below(ctx, b, a);
}

/* Evict the victims that are where items will be. Other items there move away. */
static void vsplit_split_clear(struct vsplit_split_ctx *ctx)
{
	const struct vsplit_split_tree *t = &ctx->tree[VSPLIT_SPLIT_FREE];
	u32 i, n, below;

	for (i = 0; i < ctx->nr_items; i++) {
		u32 a = ctx->items[i];
		u64 to = ctx->st[a].to;

		n = vsplit_split_tree_at(ctx, t, ctx->st[a].to_seg, to + ctx->size[a] - 1);
		for (; vsplit_split_end(ctx, n) > to; n = below) {
			below = t->link[n].prev;
			vsplit_split_step(ctx, 1);
			if (vsplit_split_is_victim(ctx, n))
				vsplit_split_evict(ctx, n);
		}
	}
}

/*
 * Find which moves wait for which. ctx->by_src and ctx->by_dst each hold the @nr moves; an index
 * into one of them advances along the other.
 */
static void vsplit_split_link(struct vsplit_split_ctx *ctx, u32 nr)
{
	u32 i, j, k;

	vsplit_split_sort(ctx, ctx->by_src, nr, vsplit_split_by_source);
	vsplit_split_sort(ctx, ctx->by_dst, nr, vsplit_split_by_target);

	for (i = 0, j = 0; i < nr; i++) {
		while (j < nr && vsplit_split_dst_below(ctx, ctx->by_dst[j], ctx->by_src[i]))
			j++;
		ctx->st[ctx->by_src[i]].first_dst = j;
	}
	for (i = 0, j = 0; i < nr; i++) {
		u32 a = ctx->by_dst[i];

		while (j < nr && vsplit_split_src_below(ctx, ctx->by_src[j], a))
			j++;
		ctx->st[a].first_src = j;
		ctx->st[a].wait = 0;
		for (k = j; k < nr && vsplit_split_src_touches(ctx, ctx->by_src[k], a); k++)
			if (ctx->by_src[k] != a)
				ctx->st[a].wait++;
	}
}

enum {
	VSPLIT_SPLIT_TO_MOVE = 1,	/* waits for other moves, or is in the queue */
	VSPLIT_SPLIT_SEEN,		/* the same, and on the path being followed */
	VSPLIT_SPLIT_DONE,		/* moved away */
	VSPLIT_SPLIT_BOUNCED,		/* evicted to break a cycle */
};

/* The source of @a is empty: queue the moves that have waited for nothing else. */
static u32 vsplit_split_release(struct vsplit_split_ctx *ctx, u32 a, u32 nr, u32 tail)
{
	u32 k;

	for (k = ctx->st[a].first_dst;
	     k < nr && vsplit_split_src_touches(ctx, a, ctx->by_dst[k]); k++) {
		u32 b = ctx->by_dst[k];

		if (b != a && !--ctx->st[b].wait && ctx->st[b].mark < VSPLIT_SPLIT_DONE)
			ctx->queue[tail++] = b;
	}
	return tail;
}

/* One of the moves that @a waits for. */
static u32 vsplit_split_blocker(const struct vsplit_split_ctx *ctx, u32 a)
{
	u32 k = ctx->st[a].first_src;

	while (ctx->by_src[k] == a || ctx->st[ctx->by_src[k]].mark >= VSPLIT_SPLIT_DONE)
		k++;
	return ctx->by_src[k];
}

/*
 * Find a cycle: go from each move to a move that it waits for. ctx->order has the path, of *@depth
 * moves. The path is kept from one cycle to the next, so only the moves of a cycle are followed
 * twice. Return the smallest of the last moves of the cycle, which is to go through system memory.
 */
static u32 vsplit_split_cycle(struct vsplit_split_ctx *ctx, u32 *depth)
{
	u32 *path = ctx->order;
	u32 best, at, i;

	for (;;) {
		u32 a = vsplit_split_blocker(ctx, path[*depth - 1]);

		vsplit_split_step(ctx, 1);
		if (ctx->st[a].mark == VSPLIT_SPLIT_SEEN) {
			best = *depth - 1;
			for (i = best; path[i] != a && i && *depth - i < VSPLIT_SPLIT_LOOKS;) {
				i--;
				at = path[i];
				if (ctx->size[at] < ctx->size[path[best]] ||
				    (ctx->size[at] == ctx->size[path[best]] && at < path[best]))
					best = i;
			}
			a = path[best];
			while (*depth > best)
				ctx->st[path[--*depth]].mark = VSPLIT_SPLIT_TO_MOVE;
			return a;
		}
		ctx->st[a].mark = VSPLIT_SPLIT_SEEN;
		path[(*depth)++] = a;
	}
}

/* Log the @nr moves of ctx->by_src in an order that works. */
static void vsplit_split_order_moves(struct vsplit_split_ctx *ctx, u32 nr)
{
	u32 head = 0, tail = 0, left = nr;
	u32 stuck = 0;			/* items before this one are done */
	u32 depth = 0;			/* of the path to a cycle */
	u32 i;

	memcpy(ctx->by_dst, ctx->by_src, nr * sizeof(*ctx->by_dst));
	vsplit_split_link(ctx, nr);
	for (i = 0; i < ctx->nr_items; i++) {
		u32 a = ctx->items[i];

		if (ctx->st[a].mark == VSPLIT_SPLIT_TO_MOVE && !ctx->st[a].wait)
			ctx->queue[tail++] = a;
	}
	while (left) {
		u32 a;

		if (head < tail) {
			a = ctx->queue[head++];
			ctx->st[a].mark = VSPLIT_SPLIT_DONE;
			vsplit_split_note_move(ctx, a);
		} else {
			/* Drop the moves that are done from the path; they are at its end. */
			while (depth && ctx->st[ctx->order[depth - 1]].mark >= VSPLIT_SPLIT_DONE)
				depth--;
			if (!depth) {
				while (ctx->st[ctx->items[stuck]].mark != VSPLIT_SPLIT_TO_MOVE)
					stuck++;
				ctx->st[ctx->items[stuck]].mark = VSPLIT_SPLIT_SEEN;
				ctx->order[depth++] = ctx->items[stuck];
			}
			a = vsplit_split_cycle(ctx, &depth);
			ctx->st[a].mark = VSPLIT_SPLIT_BOUNCED;
			vsplit_split_note_evict(ctx, a);
		}
		tail = vsplit_split_release(ctx, a, nr, tail);
		left--;
	}
}

/* Put all items into their new places. */
static void vsplit_split_relink(struct vsplit_split_ctx *ctx)
{
	u32 i;

	for (i = 0; i < ctx->nr_items; i++)
		if (ctx->st[ctx->items[i]].seg != VSPLIT_SPLIT_SYSTEM)
			vsplit_split_list_del(ctx, ctx->items[i]);
	for (i = 0; i < ctx->nr_items; i++) {
		u32 a = ctx->items[i];

		vsplit_split_list_add(ctx, a, ctx->st[a].to_seg, ctx->st[a].to);
	}
}

/** vsplit_split_relocate() - Carry out the layout of vsplit_split_pack(). */
void vsplit_split_relocate(struct vsplit_split_ctx *ctx)
{
	u32 entered = 0;		/* set of segments */
	u32 nr = 0;
	u32 i;

	vsplit_split_clear(ctx);

	for (i = 0; i < ctx->nr_items; i++) {
		u32 a = ctx->items[i];
		struct vsplit_split_state *st = &ctx->st[a];

		st->mark = 0;
		if (st->seg == st->to_seg && vsplit_split_at(ctx, a) == st->to)
			continue;
		entered |= 1u << st->to_seg;
		if (st->seg == VSPLIT_SPLIT_SYSTEM)
			continue;
		if (vsplit_split_is_aperture(ctx, st->seg) ||
		    vsplit_split_is_aperture(ctx, st->to_seg)) {
			vsplit_split_evict(ctx, a);
			continue;
		}
		st->mark = VSPLIT_SPLIT_TO_MOVE;
		ctx->by_src[nr++] = a;
	}
	vsplit_split_order_moves(ctx, nr);
	/*
	 * Page in, in list order, what is in system memory by now, and the members of broken
	 * cycles: they are evicted, but still in the lists of their segments.
	 */
	for (i = 0; i < ctx->nr_items; i++) {
		u32 a = ctx->items[i];
		struct vsplit_split_state *st = &ctx->st[a];

		if (st->seg == VSPLIT_SPLIT_SYSTEM || st->mark == VSPLIT_SPLIT_BOUNCED)
			vsplit_split_note_page_in(ctx, a, st->to_seg);
	}
	vsplit_split_relink(ctx);
	for (i = 0; i < ctx->nr_items; i++)
		ctx->st[ctx->items[i]].mark = 0;

	/* The layout is within the commit limits once enough idle allocations have left. */
	for (i = 0; i < ctx->in->nr_segments; i++)
		if (entered & (1u << i))
			vsplit_split_trim(ctx, i);
}
