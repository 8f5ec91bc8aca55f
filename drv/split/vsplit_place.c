// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Ranges in segments: where a range is free, and what leaves to make one free.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: Placement of one allocation
 *
 * An allocation that has to come in is placed in two passes over the segments in which it may live,
 * each pass in the allocation's order of preference:
 *
 * 1. the lowest hole that fits (the highest, if it prefers that), nothing evicted;
 * 2. the window whose victims are the best to lose (vsplit_policy.c); in a planned walk also a
 *    place that becomes free when some victims leave and others move (vsplit_slide.c).
 *
 * Where the CPU sees only a part of a segment, an allocation that the CPU will map looks in that
 * part first, in both passes. In the first pass all other allocations look in the rest first.
 *
 * A planned walk keeps lasting allocations apart: an allocation that rows will hold more than twice
 * as long as in the mean looks for the highest hole. Kept allocations cannot move, and one of them
 * between large ones that come and go may be in the way at each cut.
 *
 * With two passes an allocation takes a hole in its second segment rather than a victim's place in
 * its first. That is what TTM does with placements of equal rank and what WDDM describes for
 * segments in order of preference; a driver that wants the opposite gives the allocation one
 * segment only. Evicting first would make the second segment worthless as long as anything idle is
 * in the first.
 *
 * Everything is decided before the first victim leaves, so a request that cannot be served changes
 * nothing.
 */

struct vsplit_split_sorted {
	struct vsplit_split_ctx *ctx;
	vsplit_split_less_t less;
};

static int vsplit_split_compare(const void *a, const void *b, vsplit_split_priv_t *priv)
{
	const struct vsplit_split_sorted *by = priv;
	u32 i = *(const u32 *)a, j = *(const u32 *)b;

	vsplit_split_step(by->ctx, 1);
	return i == j ? 0 : by->less(by->ctx, i, j) ? -1 : 1;
}

/* Sort nodes, or entries; @less is a strict total order. */
void vsplit_split_sort(struct vsplit_split_ctx *ctx, u32 *a, u32 n, vsplit_split_less_t less)
{
	struct vsplit_split_sorted by = { ctx, less };

	vsplit_split_sort_r(a, n, sizeof(*a), vsplit_split_compare, &by);
}

/* ---- what is where ---- */

/* Add an allocation that is not in FIRM: it cannot be cleared, or a layout puts it there. */
void vsplit_split_firm_add(struct vsplit_split_ctx *ctx, u32 a, u32 seg, u64 offset)
{
	struct vsplit_split_tree *t = &ctx->tree[VSPLIT_SPLIT_FIRM];

	vsplit_split_tree_add(ctx, t, seg, a, vsplit_split_tree_at(ctx, t, seg, offset), offset);
	ctx->st[a].firm = 1;
}

/* Take an allocation out of FIRM, if it is there: it can be cleared now, or it leaves. */
void vsplit_split_firm_del(struct vsplit_split_ctx *ctx, u32 a, u32 seg)
{
	if (!ctx->st[a].firm)
		return;
	vsplit_split_tree_del(ctx, &ctx->tree[VSPLIT_SPLIT_FIRM], seg, a);
	ctx->st[a].firm = 0;
}

/* Put an allocation into a segment. */
void vsplit_split_list_add(struct vsplit_split_ctx *ctx, u32 a, u32 seg, u64 offset)
{
	struct vsplit_split_tree *t = &ctx->tree[VSPLIT_SPLIT_FREE];

	vsplit_split_tree_add(ctx, t, seg, a, vsplit_split_tree_at(ctx, t, seg, offset), offset);
	ctx->seg[seg].used += ctx->size[a];
	ctx->st[a].seg = seg;
	vsplit_split_firm_add(ctx, a, seg, offset);
}

/* Take an allocation, which is no victim any more, out of its segment. */
void vsplit_split_list_del(struct vsplit_split_ctx *ctx, u32 a)
{
	u32 seg = ctx->st[a].seg;

	vsplit_split_firm_del(ctx, a, seg);
	vsplit_split_tree_del(ctx, &ctx->tree[VSPLIT_SPLIT_FREE], seg, a);
	ctx->seg[seg].used -= ctx->size[a];
	ctx->st[a].seg = VSPLIT_SPLIT_SYSTEM;
}

/* ---- what happens before the current portion ---- */

/* Record that an allocation, which is still in its segment, leaves it. */
void vsplit_split_note_evict(struct vsplit_split_ctx *ctx, u32 a)
{
	struct vsplit_split_state *st = &ctx->st[a];

	st->from = vsplit_split_at(ctx, a);
	st->from_seg = st->seg;
	st->after = vsplit_split_uses(ctx, a);
	st->flags_out = st->flags;
	st->op_out = 0;
	if (st->flags & VSPLIT_SPLIT_ALLOC_DIRTY) {
		st->op_out = VSPLIT_SPLIT_OP_TRANSFER;
		/* The eviction writes all bytes back: the store is neither stale nor all zeros. */
		st->flags &= ~(VSPLIT_SPLIT_ALLOC_DIRTY | VSPLIT_SPLIT_ALLOC_CLEAR);
	}
	vsplit_split_log(ctx, a, VSPLIT_SPLIT_EVICT);
}

/* Record that an allocation enters a segment. */
void vsplit_split_note_page_in(struct vsplit_split_ctx *ctx, u32 a, u32 seg)
{
	struct vsplit_split_state *st = &ctx->st[a];

	st->flags_in = st->flags;
	if (vsplit_split_is_aperture(ctx, seg)) {
		st->op_in = 0;
	} else if (st->flags & (VSPLIT_SPLIT_ALLOC_CLEAR | VSPLIT_SPLIT_ALLOC_DISCARD)) {
		st->op_in = VSPLIT_SPLIT_OP_FILL;
		/* The backing store still has the old bytes, which the fill has made stale. */
		if (!(st->flags & VSPLIT_SPLIT_ALLOC_CLEAR))
			st->flags |= VSPLIT_SPLIT_ALLOC_DIRTY;
	} else {
		st->op_in = VSPLIT_SPLIT_OP_TRANSFER;
	}
	st->flags &= ~VSPLIT_SPLIT_ALLOC_DISCARD;
	vsplit_split_log(ctx, a, VSPLIT_SPLIT_PAGE_IN);
}

/* Send an allocation to system memory. */
void vsplit_split_evict(struct vsplit_split_ctx *ctx, u32 a)
{
	vsplit_split_victim_del(ctx, a);
	vsplit_split_note_evict(ctx, a);
	vsplit_split_list_del(ctx, a);
}

/* Record that an allocation moves. */
void vsplit_split_note_move(struct vsplit_split_ctx *ctx, u32 a)
{
	struct vsplit_split_state *st = &ctx->st[a];

	st->from = vsplit_split_at(ctx, a);
	st->from_seg = st->seg;
	st->after = vsplit_split_uses(ctx, a);
	vsplit_split_log(ctx, a, VSPLIT_SPLIT_MOVE);
}

static void vsplit_split_shift(struct vsplit_split_ctx *ctx, u32 a, u64 to)
{
	u32 seg = ctx->st[a].seg;

	vsplit_split_victim_del(ctx, a);
	vsplit_split_list_del(ctx, a);
	vsplit_split_list_add(ctx, a, seg, to);
}

/*
 * Move a victim inside its segment before the current portion, before which it has no other move.
 * Nothing but the allocation itself may be at @to.
 */
void vsplit_split_move(struct vsplit_split_ctx *ctx, u32 a, u64 to)
{
	vsplit_split_note_move(ctx, a);
	vsplit_split_shift(ctx, a, to);
	ctx->st[a].moved = ctx->portion + 1;
	ctx->touched[ctx->nr_touched++] = a;
	vsplit_split_victim_add(ctx, a);
}

/*
 * Take back the latest evicts, moves and page-ins, until the log is @mark long. All moves that are
 * undone are those of vsplit_split_move(): a portion cannot fail once a layout was carried out for
 * it.
 */
void vsplit_split_undo(struct vsplit_split_ctx *ctx, u32 mark)
{
	while (ctx->nr_log > mark) {
		u32 entry = ctx->log[--ctx->nr_log];
		enum vsplit_split_op_type type = entry & VSPLIT_SPLIT_LOG_MASK;
		u32 a = entry >> VSPLIT_SPLIT_LOG_SHIFT;
		struct vsplit_split_state *st = &ctx->st[a];

		ctx->came -= vsplit_split_op_pages(ctx, a, type);
		if (type == VSPLIT_SPLIT_PAGE_IN) {
			vsplit_split_list_del(ctx, a);
			st->flags = st->flags_in;
		} else if (type == VSPLIT_SPLIT_MOVE) {
			vsplit_split_shift(ctx, a, st->from);
			st->moved = 0;
			ctx->nr_touched--;
			vsplit_split_victim_add(ctx, a);
		} else {
			vsplit_split_list_add(ctx, a, st->from_seg, st->from);
			st->flags = st->flags_out;
			vsplit_split_victim_add(ctx, a);
		}
	}
}

/* ---- placement ---- */

static void vsplit_split_enter(struct vsplit_split_ctx *ctx, u32 a, u32 seg, u64 offset)
{
	vsplit_split_note_page_in(ctx, a, seg);
	vsplit_split_list_add(ctx, a, seg, offset);
}

/* Ask for a place for @a anywhere in a segment. */
struct vsplit_split_want vsplit_split_anywhere(const struct vsplit_split_ctx *ctx, u32 a,
					       u32 seg)
{
	return (struct vsplit_split_want) {
		.size = ctx->size[a],
		.class = ctx->st[a].class,
		.hi = ctx->in->segments[seg].size,
		.top = ctx->lasts || ctx->in->allocs[a].topdown & (1u << seg),
	};
}

/* Pass 1 in one segment: find a hole. */
static bool vsplit_split_find_free(struct vsplit_split_ctx *ctx, u32 a, u32 seg,
				   u64 *offset)
{
	const struct vsplit_split_tree *t = &ctx->tree[VSPLIT_SPLIT_FREE];
	struct vsplit_split_want want = vsplit_split_anywhere(ctx, a, seg);

	if (!vsplit_split_may_commit(ctx, seg, want.size, false))
		return false;
	if (vsplit_split_part(ctx, a, seg, &want.lo, &want.hi) &&
	    vsplit_split_find_hole(ctx, t, seg, &want, offset))
		return true;
	want = vsplit_split_anywhere(ctx, a, seg);
	return vsplit_split_find_hole(ctx, t, seg, &want, offset);
}

/* Pass 2 in one segment: find a window. */
static bool vsplit_split_find_evicting(struct vsplit_split_ctx *ctx, u32 a, u32 seg,
				       u64 *offset)
{
	struct vsplit_split_want want = vsplit_split_anywhere(ctx, a, seg);

	if ((ctx->in->allocs[a].flags & VSPLIT_SPLIT_ALLOC_CPU) &&
	    vsplit_split_part(ctx, a, seg, &want.lo, &want.hi) &&
	    vsplit_split_find_window(ctx, seg, &want, offset))
		return true;
	want = vsplit_split_anywhere(ctx, a, seg);
	return vsplit_split_find_window(ctx, seg, &want, offset);
}

/* The first node of a segment that ends behind an offset. */
static u32 vsplit_split_first_behind(struct vsplit_split_ctx *ctx, u32 seg, u64 offset)
{
	const struct vsplit_split_tree *t = &ctx->tree[VSPLIT_SPLIT_FREE];
	u32 n = vsplit_split_tree_at(ctx, t, seg, offset);

	return vsplit_split_end(ctx, n) <= offset ? t->link[n].next : n;
}

/* Clear the window of pass 2; false if it is better to cut the list. */
static bool vsplit_split_clear_window(struct vsplit_split_ctx *ctx, u32 a, u32 seg, u64 offset)
{
	const struct vsplit_split_link *link = ctx->tree[VSPLIT_SPLIT_FREE].link;
	u32 first = vsplit_split_first_behind(ctx, seg, offset);
	u64 end = offset + ctx->size[a];
	u32 n, above;

	for (n = first; ctx->planned && n != ctx->seg[seg].head && vsplit_split_at(ctx, n) < end;
	     n = link[n].next)
		ctx->saves |= vsplit_split_is_spent(ctx, n);
	if (ctx->saves)
		return false;
	for (n = first; n != ctx->seg[seg].head && vsplit_split_at(ctx, n) < end; n = above) {
		above = link[n].next;
		vsplit_split_evict(ctx, n);
	}
	return true;
}

/*
 * Make the window of pass 2 the place of @a. The allocation enters as soon as the window is clear;
 * then victims leave for the commit limit alone. This order is never seen: where there are limits,
 * vsplit_split_finish() sorts the operations.
 */
static bool vsplit_split_make_room(struct vsplit_split_ctx *ctx, u32 a, u32 seg, u64 offset)
{
	if (ctx->slides ? !vsplit_split_slide(ctx, seg) :
			  !vsplit_split_clear_window(ctx, a, seg, offset))
		return false;
	vsplit_split_enter(ctx, a, seg, offset);
	vsplit_split_trim(ctx, seg);
	return true;
}

/* Pass 2 at the home of the stay. */
static bool vsplit_split_go_home(struct vsplit_split_ctx *ctx, u32 a)
{
	const struct vsplit_split_home *home;
	u64 end;
	u32 n;

	if (ctx->stay == VSPLIT_SPLIT_NONE || ctx->saves)
		return false;
	home = &ctx->home[ctx->stay];
	if (!vsplit_split_may_commit(ctx, home->seg, ctx->size[a], true))
		return false;
	end = home->at + ctx->size[a];
	for (n = vsplit_split_first_behind(ctx, home->seg, home->at);
	     n != ctx->seg[home->seg].head && vsplit_split_at(ctx, n) < end;
	     n = ctx->tree[VSPLIT_SPLIT_FREE].link[n].next)
		if (n >= ctx->in->nr_allocs || !ctx->st[n].victim)
			return false;
	ctx->slides = false;
	return vsplit_split_make_room(ctx, a, home->seg, home->at);
}

static bool vsplit_split_bring_in(struct vsplit_split_ctx *ctx, u32 a)
{
	const struct vsplit_split_alloc *alloc = &ctx->in->allocs[a];
	u64 offset;
	u32 i;

	for (i = 0; i < alloc->nr_segs; i++) {
		if (vsplit_split_find_free(ctx, a, alloc->segs[i], &offset) &&
		    vsplit_split_may_stay(ctx, alloc->segs[i], offset)) {
			if (ctx->back == ctx->nr_log && !ctx->planned && !ctx->laid_out)
				ctx->back++;
			vsplit_split_enter(ctx, a, alloc->segs[i], offset);
			return true;
		}
	}
	for (i = 0; i < alloc->nr_segs && !ctx->saves; i++)
		if (vsplit_split_find_evicting(ctx, a, alloc->segs[i], &offset) &&
		    vsplit_split_may_stay(ctx, alloc->segs[i], offset) &&
		    vsplit_split_make_room(ctx, a, alloc->segs[i], offset))
			return true;
	return vsplit_split_go_home(ctx, a);
}

/*
 * Make the allocation that an entry names resident; if that fails, nothing was changed. An
 * allocation that is resident where it may be stays there. An allocation that is resident where it
 * may not be (its segments were changed since) is sent to system memory and comes in again. Such an
 * allocation is never in the working set, because everything in the working set went through here.
 */
bool vsplit_split_page_in(struct vsplit_split_ctx *ctx, u32 entry)
{
	u32 a = ctx->in->entries[entry].alloc;
	u32 mark = ctx->nr_log;

	ctx->stay = ctx->homing ? ctx->home[entry].first : VSPLIT_SPLIT_NONE;
	if (ctx->st[a].seg != VSPLIT_SPLIT_SYSTEM) {
		if (vsplit_split_allowed(ctx, a, ctx->st[a].seg))
			return true;
		vsplit_split_evict(ctx, a);
	}
	if (vsplit_split_bring_in(ctx, a))
		return true;
	vsplit_split_undo(ctx, mark);
	return false;
}

/*
 * The portions are complete: map an allocation that was evicted from a memory segment to system
 * memory into its eviction segment set, if a segment of the set has room. No victim leaves for the
 * allocation, and no portion waits for it, so this never decides what fits.
 */
bool vsplit_split_map_evicted(struct vsplit_split_ctx *ctx, u32 a)
{
	u64 offset;
	u32 seg;

	for (seg = 0; seg < ctx->in->nr_segments; seg++) {
		if (!(ctx->in->allocs[a].evict_set & (1u << seg)) ||
		    !vsplit_split_find_free(ctx, a, seg, &offset))
			continue;
		vsplit_split_enter(ctx, a, seg, offset);
		return true;
	}
	return false;
}
