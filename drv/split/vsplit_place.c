// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Ranges in segments: where a range is free, and who has to leave for one.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: Placement without moving anything
 *
 * Each segment has a list of its ranges in the order of their addresses. An
 * allocation that has to come in is placed in two passes over the segments it
 * may live in, each in its order of preference:
 *
 * 1. the lowest hole that fits, nobody evicted;
 * 2. the window whose victims are the best to lose.
 *
 * So an allocation rather takes a hole in its second segment than somebody's
 * place in its first. That is what TTM does with placements of equal rank and
 * what WDDM describes for segments in order of preference; a driver that wants
 * the opposite gives the allocation one segment only. Evicting first would make
 * the second segment worthless as long as anything idle is in the first.
 *
 * The second pass slides a window of the needed size over the list. Only starts
 * directly after a range (rounded up to the alignment) are looked at: from any
 * other start the window can slide down to such a one without touching a range
 * that it did not touch before. A window that touches a range that must stay is
 * out. Of the others the one wins whose dearest victim, the one the policy
 * would lose last, is the cheapest; if two windows share it, the one with fewer
 * bytes, then the lower one. The dearest victim of each window comes from a
 * monotonic queue, so a search costs one walk over the list.
 *
 * Two ways that are common were rejected. Evicting in policy order until a hole
 * happens to appear, as TTM's range manager does, loses allocations that do not
 * touch the final place. Evicting first and looking then finds out too late that
 * nothing is gained. Here everything is decided before the first one leaves, so
 * a request that cannot be served changes nothing.
 *
 * A commit limit below the segment's size can ask for more room than the window
 * gives. Then further victims leave in policy order, wherever they are, and
 * those that turned out to be unnecessary stay after all.
 */

static void vsplit_split_sift(const struct vsplit_split_ctx *ctx, u32 *a, u32 root, u32 n,
			      vsplit_split_less_t less)
{
	for (;;) {
		u32 child = 2 * root + 1;
		u32 tmp;

		if (child >= n)
			return;
		if (child + 1 < n && less(ctx, a[child], a[child + 1]))
			child++;
		if (!less(ctx, a[root], a[child]))
			return;
		tmp = a[root];
		a[root] = a[child];
		a[child] = tmp;
		root = child;
	}
}

/**
 * vsplit_split_sort() - Heap sort; in place, never quadratic.
 * @ctx: passed to @less.
 * @a: the elements.
 * @n: how many.
 * @less: strict total order.
 */
void vsplit_split_sort(const struct vsplit_split_ctx *ctx, u32 *a, u32 n,
		       vsplit_split_less_t less)
{
	u32 i;

	for (i = n / 2; i-- > 0;)
		vsplit_split_sift(ctx, a, i, n, less);
	for (i = n; i-- > 1;) {
		u32 tmp = a[0];

		a[0] = a[i];
		a[i] = tmp;
		vsplit_split_sift(ctx, a, 0, i, less);
	}
}

/* The range between @left and the one after it, and everything up to it. */
static u64 vsplit_split_hole_after(const struct vsplit_split_ctx *ctx, u32 seg, u32 left,
				   u64 *start)
{
	u32 right = ctx->node[left].next;
	u64 end = right == ctx->seg[seg].head ? ctx->in->segments[seg].size :
						ctx->node[right].start;

	*start = ctx->node[left].start + ctx->node[left].size;
	return end;
}

/**
 * vsplit_split_list_add() - Put a range into its segment.
 * @ctx: the run.
 * @a: allocation, or node of a fixed range.
 * @seg: the segment.
 * @offset: where.
 * @after: node that is directly below.
 */
void vsplit_split_list_add(struct vsplit_split_ctx *ctx, u32 a, u32 seg, u64 offset, u32 after)
{
	struct vsplit_split_node *node = &ctx->node[a];

	node->start = offset;
	node->prev = after;
	node->next = ctx->node[after].next;
	ctx->node[node->next].prev = a;
	ctx->node[after].next = a;
	ctx->seg[seg].used += node->size;
	if (a < ctx->in->nr_allocs)
		ctx->st[a].seg = seg;
}

/* The reverse of vsplit_split_list_del(); steps must be undone in reverse. */
static void vsplit_split_list_restore(struct vsplit_split_ctx *ctx, u32 a, u32 seg, u64 offset)
{
	vsplit_split_list_add(ctx, a, seg, offset, ctx->node[a].prev);
}

/**
 * vsplit_split_list_del() - Take an allocation out of its segment.
 * @ctx: the run.
 * @a: the allocation.
 */
void vsplit_split_list_del(struct vsplit_split_ctx *ctx, u32 a)
{
	struct vsplit_split_node *node = &ctx->node[a];
	struct vsplit_split_seg *seg = &ctx->seg[ctx->st[a].seg];
	u64 start, end;

	ctx->node[node->prev].next = node->next;
	ctx->node[node->next].prev = node->prev;
	seg->used -= node->size;
	end = vsplit_split_hole_after(ctx, ctx->st[a].seg, node->prev, &start);
	if (seg->hole_max < end - start)
		seg->hole_max = end - start;
	ctx->st[a].seg = VSPLIT_SPLIT_SYSTEM;
}

/**
 * vsplit_split_note_evict() - Record that an allocation leaves its segment.
 * @ctx: the run.
 * @a: the allocation; still in the list.
 */
void vsplit_split_note_evict(struct vsplit_split_ctx *ctx, u32 a)
{
	struct vsplit_split_state *st = &ctx->st[a];

	st->from = ctx->node[a].start;
	st->from_seg = st->seg;
	st->flags_out = st->flags;
	st->op_out = 0;
	if (st->flags & VSPLIT_SPLIT_ALLOC_DIRTY) {
		st->op_out = VSPLIT_SPLIT_OP_TRANSFER;
		/* The backing store has the bytes now: in step, not zeros. */
		st->flags &= ~(VSPLIT_SPLIT_ALLOC_DIRTY | VSPLIT_SPLIT_ALLOC_CLEAR);
	}
	vsplit_split_log(ctx, a, VSPLIT_SPLIT_EVICT);
}

/**
 * vsplit_split_note_page_in() - Record that an allocation enters a segment.
 * @ctx: the run.
 * @a: the allocation.
 * @seg: the segment.
 */
void vsplit_split_note_page_in(struct vsplit_split_ctx *ctx, u32 a, u32 seg)
{
	struct vsplit_split_state *st = &ctx->st[a];

	st->flags_in = st->flags;
	if (vsplit_split_is_aperture(ctx, seg)) {
		st->op_in = 0;
	} else if (st->flags & (VSPLIT_SPLIT_ALLOC_CLEAR | VSPLIT_SPLIT_ALLOC_DISCARD)) {
		st->op_in = VSPLIT_SPLIT_OP_FILL;
		/* Filled over old bytes: what the backing store has is stale. */
		if (!(st->flags & VSPLIT_SPLIT_ALLOC_CLEAR))
			st->flags |= VSPLIT_SPLIT_ALLOC_DIRTY;
	} else {
		st->op_in = VSPLIT_SPLIT_OP_TRANSFER;
	}
	st->flags &= ~VSPLIT_SPLIT_ALLOC_DISCARD;
	vsplit_split_log(ctx, a, VSPLIT_SPLIT_PAGE_IN);
}

/**
 * vsplit_split_evict() - Send an allocation to system memory.
 * @ctx: the run.
 * @a: the allocation.
 */
void vsplit_split_evict(struct vsplit_split_ctx *ctx, u32 a)
{
	vsplit_split_note_evict(ctx, a);
	vsplit_split_list_del(ctx, a);
}

/**
 * vsplit_split_undo() - Take back the latest evicts and page-ins.
 * @ctx: the run.
 * @mark: length of the log to return to.
 */
void vsplit_split_undo(struct vsplit_split_ctx *ctx, u32 mark)
{
	while (ctx->nr_log > mark) {
		u32 entry = ctx->log[--ctx->nr_log];
		u32 a = entry >> VSPLIT_SPLIT_LOG_SHIFT;
		struct vsplit_split_state *st = &ctx->st[a];

		if ((entry & VSPLIT_SPLIT_LOG_MASK) == VSPLIT_SPLIT_PAGE_IN) {
			vsplit_split_list_del(ctx, a);
			st->flags = st->flags_in;
		} else {
			vsplit_split_list_restore(ctx, a, st->from_seg, st->from);
			st->flags = st->flags_out;
		}
	}
}

/* splitmix64: one multiply-xor chain, good enough to scatter ranges. */
static u32 vsplit_split_random(struct vsplit_split_ctx *ctx, u32 below)
{
	u64 z = ctx->rand += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	z ^= z >> 31;
	return ((z >> 32) * below) >> 32;
}

/*
 * Pass 1. At random placement the hole is drawn, and the end of it where the
 * range goes; in the middle of a hole it would make two unusable ones, and most
 * lists would then fail instead of running scattered.
 */
static bool vsplit_split_find_hole(struct vsplit_split_ctx *ctx, u32 seg, u64 size, u64 align,
				   u64 *offset, u32 *after)
{
	const struct vsplit_split_segment *s = &ctx->in->segments[seg];
	bool random = ctx->in->flags & VSPLIT_SPLIT_RANDOM_PLACEMENT;
	u32 head = ctx->seg[seg].head;
	u32 seen = 0;
	u64 most = 0;
	u32 left = head;

	if (ctx->seg[seg].used > s->commit_limit ||
	    size > s->commit_limit - ctx->seg[seg].used || size > ctx->seg[seg].hole_max)
		return false;

	do {
		u64 start, aligned;
		u64 end = vsplit_split_hole_after(ctx, seg, left, &start);

		if (end - start > most)
			most = end - start;
		if (end - start >= size && vsplit_split_align(start, align, &aligned) &&
		    aligned <= end && size <= end - aligned) {
			seen++;
			if (!random) {
				*offset = aligned;
				*after = left;
				return true;
			}
			/* Each of the holes seen so far is as likely. */
			if (!vsplit_split_random(ctx, seen)) {
				*after = left;
				*offset = vsplit_split_random(ctx, 2) ? aligned :
					  (end - size) & ~(align - 1);
			}
		}
		left = ctx->node[left].next;
	} while (left != head);

	ctx->seg[seg].hole_max = most;
	return seen;
}

static void vsplit_split_fill_victim(const struct vsplit_split_ctx *ctx, u32 a,
				     struct vsplit_split_victim *victim)
{
	const struct vsplit_split_state *st = &ctx->st[a];

	victim->alloc = a;
	victim->size = ctx->node[a].size;
	victim->lru = st->lru;
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

/* Bytes of a segment that could leave if they had to. */
static u64 vsplit_split_evictable(const struct vsplit_split_ctx *ctx, u32 seg)
{
	u32 head = ctx->seg[seg].head;
	u64 bytes = 0;
	u32 n;

	for (n = ctx->node[head].next; n != head; n = ctx->node[n].next)
		if (vsplit_split_is_victim(ctx, n))
			bytes += ctx->node[n].size;
	return bytes;
}

/**
 * vsplit_split_trim() - Evict until a segment is within a limit.
 * @ctx: the run.
 * @seg: the segment.
 * @limit: bytes that may stay.
 *
 * Victims are chosen in policy order; then those are let off, dearest first,
 * without whom it works too.
 *
 * Return: whether it is within the limit; if not, nothing was evicted.
 */
bool vsplit_split_trim(struct vsplit_split_ctx *ctx, u32 seg, u64 limit)
{
	u32 head = ctx->seg[seg].head;
	u64 stay = ctx->seg[seg].used;
	u32 chosen = 0;
	u32 i, n;

	if (stay <= limit)
		return true;
	if (stay - vsplit_split_evictable(ctx, seg) > limit)
		return false;

	while (stay > limit) {
		u32 best = VSPLIT_SPLIT_NONE;

		for (n = ctx->node[head].next; n != head; n = ctx->node[n].next)
			if (vsplit_split_is_victim(ctx, n) && !ctx->st[n].mark &&
			    (best == VSPLIT_SPLIT_NONE || vsplit_split_better(ctx, n, best)))
				best = n;
		ctx->st[best].mark = 1;
		ctx->order[chosen++] = best;
		stay -= ctx->node[best].size;
	}
	for (i = chosen; i-- > 0;) {
		n = ctx->order[i];
		if (stay + ctx->node[n].size <= limit) {
			stay += ctx->node[n].size;
			ctx->st[n].mark = 0;
		}
	}
	for (i = 0; i < chosen; i++) {
		n = ctx->order[i];
		if (ctx->st[n].mark) {
			ctx->st[n].mark = 0;
			vsplit_split_evict(ctx, n);
		}
	}
	return true;
}

/**
 * struct vsplit_split_window - A place whose ranges can be cleared.
 * @offset: aligned start.
 * @bytes: of the victims.
 * @worst: the victim that the policy would lose last, or NONE.
 * @first: first node that it touches (or the head of the list).
 * @found: there is one.
 */
struct vsplit_split_window {
	u64 offset;
	u64 bytes;
	u32 worst;
	u32 first;
	bool found;
};

static bool vsplit_split_window_better(const struct vsplit_split_ctx *ctx,
				       const struct vsplit_split_window *a,
				       const struct vsplit_split_window *b)
{
	if (!b->found)
		return true;
	if (a->worst != b->worst) {
		if (a->worst == VSPLIT_SPLIT_NONE || b->worst == VSPLIT_SPLIT_NONE)
			return a->worst == VSPLIT_SPLIT_NONE;
		return vsplit_split_better(ctx, a->worst, b->worst);
	}
	return a->bytes < b->bytes;
}

static void vsplit_split_find_window(struct vsplit_split_ctx *ctx, u32 seg, u64 size, u64 align,
				     struct vsplit_split_window *best)
{
	const struct vsplit_split_node *node = ctx->node;
	u64 seg_size = ctx->in->segments[seg].size;
	u32 head = ctx->seg[seg].head;
	u32 lo = node[head].next;	/* first node of the window */
	u32 hi = lo;			/* first node behind it */
	u32 dq_first = 0, dq_end = 0;	/* ctx->order: the window's dearest */
	u32 blocked = 0;
	u32 left = head;
	u64 bytes = 0;

	do {
		struct vsplit_split_window w;

		if (!vsplit_split_align(node[left].start + node[left].size, align, &w.offset) ||
		    w.offset > seg_size || size > seg_size - w.offset)
			return;

		while (lo != head && node[lo].start + node[lo].size <= w.offset) {
			if (lo == hi) {
				hi = node[hi].next;
			} else if (vsplit_split_is_victim(ctx, lo)) {
				bytes -= node[lo].size;
				if (ctx->order[dq_first] == lo)
					dq_first++;
			} else {
				blocked--;
			}
			lo = node[lo].next;
		}
		while (hi != head && node[hi].start < w.offset + size) {
			if (vsplit_split_is_victim(ctx, hi)) {
				bytes += node[hi].size;
				while (dq_end > dq_first &&
				       vsplit_split_better(ctx, ctx->order[dq_end - 1], hi))
					dq_end--;
				ctx->order[dq_end++] = hi;
			} else {
				blocked++;
			}
			hi = node[hi].next;
		}
		if (!blocked) {
			w.worst = dq_end > dq_first ? ctx->order[dq_first] : VSPLIT_SPLIT_NONE;
			w.bytes = bytes;
			w.first = lo;
			w.found = true;
			if (vsplit_split_window_better(ctx, &w, best))
				*best = w;
		}
		left = node[left].next;
	} while (left != head);
}

/*
 * Pass 2 in one segment. The new range enters the list as soon as its window is
 * clear; those who leave for the commit limit alone follow. The operations are
 * sorted later, so that this order is never seen.
 */
static bool vsplit_split_make_room(struct vsplit_split_ctx *ctx, u32 a, u32 seg)
{
	u64 limit = ctx->in->segments[seg].commit_limit;
	u64 size = ctx->node[a].size;
	struct vsplit_split_window w = {};
	u32 after, n;

	if (size > limit ||
	    ctx->seg[seg].used - vsplit_split_evictable(ctx, seg) > limit - size)
		return false;
	vsplit_split_find_window(ctx, seg, size, ctx->in->allocs[a].align, &w);
	if (!w.found)
		return false;

	after = ctx->node[w.first].prev;
	n = w.first;
	while (n != ctx->seg[seg].head && ctx->node[n].start < w.offset + size) {
		u32 next = ctx->node[n].next;

		vsplit_split_evict(ctx, n);
		n = next;
	}
	vsplit_split_note_page_in(ctx, a, seg);
	vsplit_split_list_add(ctx, a, seg, w.offset, after);
	vsplit_split_trim(ctx, seg, limit);
	return true;
}

static bool vsplit_split_bring_in(struct vsplit_split_ctx *ctx, u32 a)
{
	const struct vsplit_split_alloc *alloc = &ctx->in->allocs[a];
	u64 offset;
	u32 after, i;

	for (i = 0; i < alloc->nr_segs; i++) {
		if (!vsplit_split_find_hole(ctx, alloc->segs[i], alloc->size, alloc->align,
					    &offset, &after))
			continue;
		vsplit_split_note_page_in(ctx, a, alloc->segs[i]);
		vsplit_split_list_add(ctx, a, alloc->segs[i], offset, after);
		return true;
	}
	for (i = 0; i < alloc->nr_segs; i++)
		if (vsplit_split_make_room(ctx, a, alloc->segs[i]))
			return true;
	return false;
}

/**
 * vsplit_split_page_in() - Make an allocation of the group resident.
 * @ctx: the run.
 * @a: the allocation.
 *
 * One that is resident where it may be stays there. One that is resident where
 * it may not be (its segments were changed since) is sent to system memory and
 * comes in again; it is never in the working set, because whatever is in it went
 * through here.
 *
 * Return: whether it is resident now; if not, nothing was changed.
 */
bool vsplit_split_page_in(struct vsplit_split_ctx *ctx, u32 a)
{
	u32 mark = ctx->nr_log;

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
