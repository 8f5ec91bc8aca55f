// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Who leaves first, and which window is cleared.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: Victims
 *
 * A policy is a strict total order on candidates, nothing more: which range is
 * cleared, and that nothing leaves for nothing, is decided here. A score
 * (distance per byte, say) would need a division or a 128-bit product and would
 * tempt callers to compare scores of different policies; an order is enough for
 * a window's dearest victim to be found and compared. Both policies end with
 * the stamp and then the index, so that no two candidates are ever equal and a
 * plan never depends on how they were listed. Priority comes before the stamp, as
 * with TTM's levels; it only decides who leaves, never whether somebody must.
 *
 * Of all windows that could be cleared, the one wins whose dearest victim, the
 * one the policy would lose last, is the cheapest; if two windows share it, the
 * one with fewer bytes, then the lower one. Evicting in policy order until a hole
 * happens to appear, as TTM's range manager does, comes to the same dearest
 * victim, but also loses those who do not touch the final place.
 *
 * Each segment has its victims in a heap. To find the window they are looked at
 * in policy order, without taking them out, and each joins the run of free
 * memory and victims around it. The first run that is large enough has the
 * window, and whoever completed it is the dearest victim. With equal sizes that
 * is the first one looked at; with mixed sizes and thousands of victims it may be
 * the thousandth, which still was faster, when measured, than to slide a window
 * over all addresses. To clear the surroundings of the very first one would be
 * faster again, but pages in 2 to 15 percent more bytes, as measured. A search
 * that fails is remembered until there is another victim.
 *
 * A commit limit below the segment's size, or that of all apertures together, can ask
 * for more room than the window gives. Then further victims leave in policy order,
 * wherever they are, and those that turned out to be unnecessary stay after all.
 */

static bool vsplit_split_older(const struct vsplit_split_victim *a,
			       const struct vsplit_split_victim *b)
{
	if (a->priority != b->priority)
		return a->priority < b->priority;
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

static void vsplit_split_fill_victim(const struct vsplit_split_ctx *ctx, u32 a,
				     struct vsplit_split_victim *victim)
{
	const struct vsplit_split_state *st = &ctx->st[a];

	victim->alloc = a;
	victim->size = ctx->node[a].size;
	victim->lru = st->lru;
	victim->priority = ctx->in->allocs[a].priority;
	victim->next_use = st->next_use;
	victim->dirty = st->flags & VSPLIT_SPLIT_ALLOC_DIRTY;
}

/* Should @a leave rather than @b? */
static bool vsplit_split_better(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	struct vsplit_split_victim va, vb;

	vsplit_split_fill_victim(ctx, a, &va);
	vsplit_split_fill_victim(ctx, b, &vb);
	return ctx->policy->better(&va, &vb);
}

/* ---- the heap of a segment ---- */

static void vsplit_split_heap_set(struct vsplit_split_ctx *ctx, struct vsplit_split_seg *seg,
				  u32 pos, u32 a)
{
	seg->heap[pos] = a;
	ctx->st[a].heap_pos = pos;
}

static void vsplit_split_heap_up(struct vsplit_split_ctx *ctx, struct vsplit_split_seg *seg,
				 u32 pos, u32 a)
{
	while (pos && vsplit_split_better(ctx, a, seg->heap[(pos - 1) / 2])) {
		vsplit_split_heap_set(ctx, seg, pos, seg->heap[(pos - 1) / 2]);
		pos = (pos - 1) / 2;
	}
	vsplit_split_heap_set(ctx, seg, pos, a);
}

static void vsplit_split_heap_down(struct vsplit_split_ctx *ctx, struct vsplit_split_seg *seg,
				   u32 pos, u32 a)
{
	for (;;) {
		u32 child = 2 * pos + 1;

		if (child >= seg->nr_heap)
			break;
		if (child + 1 < seg->nr_heap &&
		    vsplit_split_better(ctx, seg->heap[child + 1], seg->heap[child]))
			child++;
		if (!vsplit_split_better(ctx, seg->heap[child], a))
			break;
		vsplit_split_heap_set(ctx, seg, pos, seg->heap[child]);
		pos = child;
	}
	vsplit_split_heap_set(ctx, seg, pos, a);
}

/**
 * vsplit_split_victim_add() - It may be evicted from now on, if it is anywhere.
 * @ctx: the run.
 * @a: an allocation.
 *
 * What the policy sees of it must not change until vsplit_split_victim_del().
 */
void vsplit_split_victim_add(struct vsplit_split_ctx *ctx, u32 a)
{
	struct vsplit_split_seg *seg;

	if (ctx->st[a].seg == VSPLIT_SPLIT_SYSTEM || ctx->st[a].heap_pos != VSPLIT_SPLIT_NONE ||
	    !vsplit_split_is_victim(ctx, a))
		return;
	seg = &ctx->seg[ctx->st[a].seg];
	seg->evictable += ctx->node[a].size;
	seg->fail_size = U64_MAX;
	vsplit_split_heap_up(ctx, seg, seg->nr_heap++, a);
}

/**
 * vsplit_split_victim_del() - It may not be evicted any more, or it is.
 * @ctx: the run.
 * @a: an allocation; its segment has not changed since vsplit_split_victim_add().
 */
void vsplit_split_victim_del(struct vsplit_split_ctx *ctx, u32 a)
{
	u32 pos = ctx->st[a].heap_pos;
	struct vsplit_split_seg *seg;
	u32 last;

	if (pos == VSPLIT_SPLIT_NONE)
		return;
	seg = &ctx->seg[ctx->st[a].seg];
	seg->evictable -= ctx->node[a].size;
	ctx->st[a].heap_pos = VSPLIT_SPLIT_NONE;
	last = seg->heap[--seg->nr_heap];
	if (pos == seg->nr_heap)
		return;
	if (pos && vsplit_split_better(ctx, last, seg->heap[(pos - 1) / 2]))
		vsplit_split_heap_up(ctx, seg, pos, last);
	else
		vsplit_split_heap_down(ctx, seg, pos, last);
}

/* ---- victims in policy order ---- */

/*
 * A second heap, in ctx->order, of positions in the first: those whose parents
 * have been looked at.
 */
static bool vsplit_split_rank_less(const struct vsplit_split_ctx *ctx,
				   const struct vsplit_split_seg *seg, u32 i, u32 j)
{
	return vsplit_split_better(ctx, seg->heap[ctx->order[i]], seg->heap[ctx->order[j]]);
}

static void vsplit_split_rank_swap(struct vsplit_split_ctx *ctx, u32 i, u32 j)
{
	u32 tmp = ctx->order[i];

	ctx->order[i] = ctx->order[j];
	ctx->order[j] = tmp;
}

static u32 vsplit_split_rank_push(struct vsplit_split_ctx *ctx,
				  const struct vsplit_split_seg *seg, u32 nr, u32 pos)
{
	u32 i = nr;

	if (pos >= seg->nr_heap)
		return nr;
	ctx->order[i] = pos;
	while (i && vsplit_split_rank_less(ctx, seg, i, (i - 1) / 2)) {
		vsplit_split_rank_swap(ctx, i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
	return nr + 1;
}

/* The next victim in policy order; *@nr, not 0, is what is left to look at. */
static u32 vsplit_split_rank_next(struct vsplit_split_ctx *ctx,
				  const struct vsplit_split_seg *seg, u32 *nr)
{
	u32 pos, i = 0;

	pos = ctx->order[0];
	ctx->order[0] = ctx->order[--*nr];
	for (;;) {
		u32 child = 2 * i + 1;

		if (child >= *nr)
			break;
		if (child + 1 < *nr && vsplit_split_rank_less(ctx, seg, child + 1, child))
			child++;
		if (!vsplit_split_rank_less(ctx, seg, child, i))
			break;
		vsplit_split_rank_swap(ctx, i, child);
		i = child;
	}
	*nr = vsplit_split_rank_push(ctx, seg, *nr, 2 * pos + 1);
	*nr = vsplit_split_rank_push(ctx, seg, *nr, 2 * pos + 2);
	return seg->heap[pos];
}

static u32 vsplit_split_rank_start(struct vsplit_split_ctx *ctx,
				   const struct vsplit_split_seg *seg)
{
	return vsplit_split_rank_push(ctx, seg, 0, 0);
}

/**
 * vsplit_split_trim() - Evict until a segment is within its commit limit.
 * @ctx: the run.
 * @seg: the segment; evicting all victims is enough.
 *
 * Victims are chosen in policy order; then those are let off, dearest first,
 * without whom it works too.
 */
void vsplit_split_trim(struct vsplit_split_ctx *ctx, u32 seg)
{
	u64 limit = ctx->in->segments[seg].commit_limit;
	u64 stay = ctx->seg[seg].used;
	u32 chosen = 0;
	u32 ranks, i;

	if (stay <= limit)
		return;
	ranks = vsplit_split_rank_start(ctx, &ctx->seg[seg]);
	while (stay > limit && ranks) {
		u32 a = vsplit_split_rank_next(ctx, &ctx->seg[seg], &ranks);

		ctx->queue[chosen++] = a;
		stay -= ctx->node[a].size;
	}
	for (i = chosen; i-- > 0;) {
		u32 a = ctx->queue[i];

		if (stay + ctx->node[a].size <= limit)
			stay += ctx->node[a].size;
		else
			vsplit_split_evict(ctx, a);
	}
}

/* Of the victims of all apertures the best to lose, or NONE. */
static u32 vsplit_split_best_aperture_victim(const struct vsplit_split_ctx *ctx)
{
	u32 best = VSPLIT_SPLIT_NONE;
	u32 i;

	for (i = 0; i < ctx->in->nr_segments; i++) {
		const struct vsplit_split_seg *seg = &ctx->seg[i];

		if (!vsplit_split_is_aperture(ctx, i) || !seg->nr_heap)
			continue;
		if (best == VSPLIT_SPLIT_NONE || vsplit_split_better(ctx, seg->heap[0], best))
			best = seg->heap[0];
	}
	return best;
}

/**
 * vsplit_split_trim_apertures() - The same for the limit of all apertures together.
 * @ctx: the run; evicting all victims is enough.
 */
void vsplit_split_trim_apertures(struct vsplit_split_ctx *ctx)
{
	u64 limit = ctx->in->aperture_limit;
	u64 stay = vsplit_split_aperture_bytes(ctx, false);
	u32 chosen = 0;
	u32 i;

	while (limit && stay > limit) {
		u32 a = vsplit_split_best_aperture_victim(ctx);

		if (a == VSPLIT_SPLIT_NONE)
			break;
		vsplit_split_victim_del(ctx, a);
		ctx->queue[chosen++] = a;
		stay -= ctx->node[a].size;
	}
	for (i = chosen; i-- > 0;) {
		u32 a = ctx->queue[i];

		if (stay + ctx->node[a].size <= limit) {
			stay += ctx->node[a].size;
			vsplit_split_victim_add(ctx, a);
		} else {
			vsplit_split_evict(ctx, a);
		}
	}
}

/* ---- windows ---- */

/*
 * @v joins its neighbours: a run goes from node to node, and its two ends know
 * each other. The range of a run reaches to the nodes on either side of it.
 */
static void vsplit_split_join(struct vsplit_split_ctx *ctx, u32 v, u32 *first, u32 *last)
{
	u32 prev = ctx->node[v].prev;
	u32 next = ctx->node[v].next;

	*first = v;
	*last = v;
	if (prev < ctx->in->nr_allocs && ctx->st[prev].mark)
		*first = ctx->st[prev].run;
	if (next < ctx->in->nr_allocs && ctx->st[next].mark)
		*last = ctx->st[next].run;
	ctx->st[v].mark = 1;
	ctx->st[*first].run = *last;
	ctx->st[*last].run = *first;
}

/*
 * The window in a run of victims that has the fewest bytes of them. Whoever
 * completed the run is in all of them.
 */
static void vsplit_split_cheapest(const struct vsplit_split_ctx *ctx, u32 seg, u32 first, u32 last,
				  const struct vsplit_split_want *want,
				  struct vsplit_split_window *w)
{
	u64 limit = vsplit_split_start(ctx, seg, ctx->node[last].next);
	u64 size = want->size, align = want->align;
	u32 behind = ctx->node[last].next;
	u32 lo = first, hi = first;	/* victims from @lo on, @hi not included */
	u64 best = U64_MAX;
	u64 bytes = 0;
	u64 offset;
	u32 left;

	if (limit > want->hi)
		limit = want->hi;
	for (left = ctx->node[first].prev; left != last; left = ctx->node[left].next) {
		if (!vsplit_split_fits(vsplit_split_end(ctx, left), limit, size, align, &offset))
			return;
		while (lo != behind && vsplit_split_end(ctx, lo) <= offset) {
			if (lo == hi)
				hi = ctx->node[hi].next;
			else
				bytes -= ctx->node[lo].size;
			lo = ctx->node[lo].next;
		}
		while (hi != behind && ctx->node[hi].start < offset + size) {
			bytes += ctx->node[hi].size;
			hi = ctx->node[hi].next;
		}
		if (bytes < best) {
			best = bytes;
			w->offset = offset;
			w->after = ctx->node[lo].prev;
		}
	}
}

/* Look at victims in policy order until a run is large enough. */
static bool vsplit_split_by_rank(struct vsplit_split_ctx *ctx, u32 seg,
				 const struct vsplit_split_want *want,
				 struct vsplit_split_window *w)
{
	struct vsplit_split_seg *s = &ctx->seg[seg];
	u32 ranks = vsplit_split_rank_start(ctx, s);
	bool found = false;
	u32 looked = 0;
	u32 i;

	while (ranks && !found) {
		u32 v = vsplit_split_rank_next(ctx, s, &ranks);
		u32 first, last;
		u64 end, offset;

		ctx->queue[looked++] = v;
		vsplit_split_join(ctx, v, &first, &last);
		end = vsplit_split_start(ctx, seg, ctx->node[last].next);
		found = vsplit_split_fits(vsplit_split_end(ctx, ctx->node[first].prev),
					  end < want->hi ? end : want->hi,
					  want->size, want->align, &offset);
		if (found)
			vsplit_split_cheapest(ctx, seg, first, last, want, w);
	}
	for (i = 0; i < looked; i++)
		ctx->st[ctx->queue[i]].mark = 0;
	return found;
}

/**
 * vsplit_split_find_window() - The best place if victims may be evicted.
 * @ctx: the run.
 * @seg: the segment.
 * @want: what is looked for, from the segment's start on; a hole is taken by its
 *	@want->top, a window that has to be cleared is the lowest of the best ones.
 * @w: the place.
 *
 * Return: whether there is one. What it touches are victims.
 */
bool vsplit_split_find_window(struct vsplit_split_ctx *ctx, u32 seg,
			      const struct vsplit_split_want *want, struct vsplit_split_window *w)
{
	struct vsplit_split_seg *s = &ctx->seg[seg];
	u64 size = want->size, align = want->align;

	if (!vsplit_split_may_commit(ctx, seg, size, true))
		return false;
	if (vsplit_split_find_hole(ctx, seg, want, w))
		return true;
	if (size >= s->fail_size && align >= s->fail_align)
		return false;
	if (vsplit_split_by_rank(ctx, seg, want, w))
		return true;
	/* In a part of it that says nothing of the rest. */
	if (want->hi < ctx->in->segments[seg].size)
		return false;
	s->fail_size = size;
	s->fail_align = align;
	return false;
}
