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
 * 1. the lowest hole that fits (the highest, if it prefers that), nobody evicted;
 * 2. the window whose victims are the best to lose (vsplit_policy.c).
 *
 * In a segment that the CPU sees in part, what it will map looks in that part first,
 * in both passes; in the first pass everything else looks in the rest first.
 *
 * So an allocation rather takes a hole in its second segment than somebody's
 * place in its first. That is what TTM does with placements of equal rank and
 * what WDDM describes for segments in order of preference; a driver that wants
 * the opposite gives the allocation one segment only. Evicting first would make
 * the second segment worthless as long as anything idle is in the first.
 *
 * Everything is decided before the first victim leaves, so a request that cannot
 * be served changes nothing.
 *
 * The list is cut into chunks of about the square root of its length, and each
 * chunk knows a bound of its holes. A search skips what is too small, and the
 * bound becomes exact wherever it looks in vain. Thus it takes time in proportion
 * to the square root, unless alignment makes it try many holes. A tree with the
 * largest hole of each subtree would need the logarithm, at several times the
 * code, and a list of holes by size loses the order of addresses that "lowest"
 * needs.
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

/* ---- the list of a segment ---- */

/**
 * vsplit_split_lists_init() - Empty lists: each segment with its head in a chunk.
 * @ctx: the run.
 */
void vsplit_split_lists_init(struct vsplit_split_ctx *ctx)
{
	u32 nodes = ctx->in->nr_allocs + ctx->in->nr_fixed + ctx->in->nr_segments;
	u32 i;

	ctx->chunk_size = VSPLIT_SPLIT_CHUNK_MIN;
	while (ctx->chunk_size < VSPLIT_SPLIT_CHUNK_MAX &&
	       4 * ctx->chunk_size * ctx->chunk_size < nodes)
		ctx->chunk_size *= 2;
	for (i = 0; i < nodes; i++)
		ctx->chunk[i].next = i + 1 < nodes ? i + 1 : VSPLIT_SPLIT_NONE;
	/* The first ones are taken by the heads. */
	ctx->free_chunk = ctx->chunk[ctx->in->nr_segments - 1].next;
	for (i = 0; i < ctx->in->nr_segments; i++) {
		u32 head = ctx->in->nr_allocs + ctx->in->nr_fixed + i;

		ctx->node[head] = (struct vsplit_split_node) {
			.prev = head,
			.next = head,
			.chunk = i,
		};
		ctx->chunk[i] = (struct vsplit_split_chunk) {
			.hole_max = U64_MAX,
			.first = head,
			.from = head,
			.count = 1,
			.prev = VSPLIT_SPLIT_NONE,
			.next = VSPLIT_SPLIT_NONE,
		};
		ctx->seg[i] = (struct vsplit_split_seg) {
			.fail_size = U64_MAX,
			.heap = ctx->heap + (size_t)i * ctx->in->nr_allocs,
			.head = head,
		};
	}
}

/* The upper half of a chunk becomes one of its own. */
static void vsplit_split_chunk_split(struct vsplit_split_ctx *ctx, u32 low)
{
	u32 high = ctx->free_chunk;
	u32 n = ctx->chunk[low].first;
	u32 i;

	ctx->free_chunk = ctx->chunk[high].next;
	ctx->chunk[high] = ctx->chunk[low];
	ctx->chunk[high].prev = low;
	ctx->chunk[low].next = high;
	if (ctx->chunk[high].next != VSPLIT_SPLIT_NONE)
		ctx->chunk[ctx->chunk[high].next].prev = high;

	ctx->chunk[low].count /= 2;
	ctx->chunk[high].count -= ctx->chunk[low].count;
	for (i = 0; i < ctx->chunk[low].count; i++)
		n = ctx->node[n].next;
	ctx->chunk[high].first = n;
	ctx->chunk[high].from = n;
	ctx->chunk[low].from = ctx->chunk[low].first;
	for (i = 0; i < ctx->chunk[high].count; i++) {
		ctx->node[n].chunk = high;
		n = ctx->node[n].next;
	}
}

static void vsplit_split_chunk_free(struct vsplit_split_ctx *ctx, u32 c)
{
	u32 prev = ctx->chunk[c].prev;
	u32 next = ctx->chunk[c].next;

	/* A first chunk has the head and is never empty. */
	ctx->chunk[prev].next = next;
	if (next != VSPLIT_SPLIT_NONE)
		ctx->chunk[next].prev = prev;
	ctx->chunk[c].next = ctx->free_chunk;
	ctx->free_chunk = c;
}

/* A chunk with few nodes left takes those of the next one. */
static void vsplit_split_chunk_merge(struct vsplit_split_ctx *ctx, u32 c)
{
	u32 next = ctx->chunk[c].next;
	u32 n, i;

	if (next == VSPLIT_SPLIT_NONE ||
	    ctx->chunk[c].count + ctx->chunk[next].count > ctx->chunk_size)
		return;
	n = ctx->chunk[next].first;
	for (i = 0; i < ctx->chunk[next].count; i++) {
		ctx->node[n].chunk = c;
		n = ctx->node[n].next;
	}
	ctx->chunk[c].count += ctx->chunk[next].count;
	if (ctx->chunk[c].hole_max < ctx->chunk[next].hole_max)
		ctx->chunk[c].hole_max = ctx->chunk[next].hole_max;
	vsplit_split_chunk_free(ctx, next);
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

	node->chunk = ctx->node[after].chunk;
	ctx->chunk[node->chunk].count++;
	if (ctx->chunk[node->chunk].count > 2 * ctx->chunk_size)
		vsplit_split_chunk_split(ctx, node->chunk);
}

/**
 * vsplit_split_list_del() - Take an allocation out of its segment.
 * @ctx: the run.
 * @a: the allocation; no victim any more.
 */
void vsplit_split_list_del(struct vsplit_split_ctx *ctx, u32 a)
{
	struct vsplit_split_node *node = &ctx->node[a];
	struct vsplit_split_chunk *chunk = &ctx->chunk[node->chunk];
	u32 seg = ctx->st[a].seg;
	u64 hole;

	if (chunk->first == a)
		chunk->first = node->next;
	if (chunk->from == a)
		chunk->from = chunk->first;
	ctx->node[node->prev].next = node->next;
	ctx->node[node->next].prev = node->prev;
	if (!--chunk->count)
		vsplit_split_chunk_free(ctx, node->chunk);
	else
		vsplit_split_chunk_merge(ctx, node->chunk);

	chunk = &ctx->chunk[ctx->node[node->prev].chunk];
	hole = vsplit_split_start(ctx, seg, node->next) - vsplit_split_end(ctx, node->prev);
	if (chunk->hole_max < hole)
		chunk->hole_max = hole;
	chunk->from = chunk->first;
	ctx->seg[seg].used -= node->size;
	ctx->seg[seg].fail_size = U64_MAX;
	ctx->st[a].seg = VSPLIT_SPLIT_SYSTEM;
}

/* ---- what happens before the current portion ---- */

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
	st->from_after = ctx->node[a].prev;
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
	struct vsplit_split_seg *seg = &ctx->seg[ctx->st[a].seg];
	u64 fail_size = seg->fail_size;
	bool victim = ctx->st[a].heap_pos != VSPLIT_SPLIT_NONE;

	vsplit_split_victim_del(ctx, a);
	vsplit_split_note_evict(ctx, a);
	vsplit_split_list_del(ctx, a);
	/* Its room could be had before. */
	if (victim)
		seg->fail_size = fail_size;
}

/**
 * vsplit_split_undo() - Take back the latest evicts and page-ins.
 * @ctx: the run.
 * @mark: length of the log to return to.
 *
 * An evict remembers the node below, which is there again when everything later
 * is undone, so that every place is found without a search. (The links of the
 * node itself do not: it may have entered another segment since.) What is undone
 * has no moves: after a layout was carried out the portion cannot fail.
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
			vsplit_split_list_add(ctx, a, st->from_seg, st->from, st->from_after);
			st->flags = st->flags_out;
			vsplit_split_victim_add(ctx, a);
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

/* ---- placement ---- */

/**
 * vsplit_split_find_hole() - The lowest hole that fits.
 * @ctx: the run.
 * @seg: the segment.
 * @want: what is looked for; with @want->top all holes are looked at.
 * @w: the place.
 *
 * At random placement the hole is drawn, and the end of it where the range goes;
 * in the middle of a hole it would make two unusable ones, and most lists would
 * then fail instead of running scattered.
 *
 * Return: whether there is one.
 */
bool vsplit_split_find_hole(struct vsplit_split_ctx *ctx, u32 seg,
			    const struct vsplit_split_want *want, struct vsplit_split_window *w)
{
	u64 size = want->size, align = want->align;
	bool random = ctx->in->flags & VSPLIT_SPLIT_RANDOM_PLACEMENT;
	bool high;
	u32 seen = 0;
	u32 c;

	for (c = ctx->node[ctx->seg[seg].head].chunk; c != VSPLIT_SPLIT_NONE;
	     c = ctx->chunk[c].next) {
		u32 n = ctx->chunk[c].from;
		u32 stop, next;
		u64 most = 0;

		if (ctx->chunk[c].hole_max < size)
			continue;
		next = ctx->chunk[c].next;
		stop = next == VSPLIT_SPLIT_NONE ? ctx->seg[seg].head : ctx->chunk[next].first;
		do {
			u64 start = vsplit_split_end(ctx, n);
			u64 end, lo, hi, offset;

			next = ctx->node[n].next;
			end = vsplit_split_start(ctx, seg, next);
			if (end == start && !most) {
				if (next != stop)
					ctx->chunk[c].from = next;
			} else if (end - start > most) {
				most = end - start;
			}
			lo = start < want->lo ? want->lo : start;
			hi = end < want->hi ? end : want->hi;
			if (vsplit_split_fits(lo, hi, size, align, &offset)) {
				seen++;
				/* Drawn: each of the holes seen so far is as likely. */
				if (!random || !vsplit_split_random(ctx, seen)) {
					high = random ? !vsplit_split_random(ctx, 2) : want->top;
					w->after = n;
					w->offset = high ? (hi - size) & ~(align - 1) : offset;
				}
				if (!random && !want->top)
					return true;
			}
			n = next;
		} while (n != stop);
		ctx->chunk[c].hole_max = most;
	}
	return seen;
}

static void vsplit_split_enter(struct vsplit_split_ctx *ctx, u32 a, u32 seg,
			       const struct vsplit_split_window *w)
{
	vsplit_split_note_page_in(ctx, a, seg);
	vsplit_split_list_add(ctx, a, seg, w->offset, w->after);
}

/* A place anywhere in a segment. */
static struct vsplit_split_want vsplit_split_anywhere(const struct vsplit_split_ctx *ctx, u32 a,
						      u32 seg)
{
	return (struct vsplit_split_want) {
		.size = ctx->node[a].size,
		.align = ctx->in->allocs[a].align,
		.hi = ctx->in->segments[seg].size,
		.top = ctx->in->allocs[a].topdown & (1u << seg),
	};
}

/* Pass 1 in one segment. */
static bool vsplit_split_find_free(struct vsplit_split_ctx *ctx, u32 a, u32 seg,
				   struct vsplit_split_window *w)
{
	struct vsplit_split_want want = vsplit_split_anywhere(ctx, a, seg);

	if (!vsplit_split_may_commit(ctx, seg, want.size, false))
		return false;
	if (vsplit_split_part(ctx, a, seg, &want.lo, &want.hi) &&
	    vsplit_split_find_hole(ctx, seg, &want, w))
		return true;
	want = vsplit_split_anywhere(ctx, a, seg);
	return vsplit_split_find_hole(ctx, seg, &want, w);
}

/* The window of pass 2. */
static bool vsplit_split_find_evicting(struct vsplit_split_ctx *ctx, u32 a, u32 seg,
				       struct vsplit_split_window *w)
{
	struct vsplit_split_want want = vsplit_split_anywhere(ctx, a, seg);

	if ((ctx->in->allocs[a].flags & VSPLIT_SPLIT_ALLOC_CPU) &&
	    vsplit_split_part(ctx, a, seg, &want.lo, &want.hi) &&
	    vsplit_split_find_window(ctx, seg, &want, w))
		return true;
	want = vsplit_split_anywhere(ctx, a, seg);
	return vsplit_split_find_window(ctx, seg, &want, w);
}

/*
 * Pass 2 in one segment. The new range enters the list as soon as its window is
 * clear; those who leave for the commit limit alone follow. The operations are
 * sorted later, so that this order is never seen.
 */
static bool vsplit_split_make_room(struct vsplit_split_ctx *ctx, u32 a, u32 seg)
{
	u64 size = ctx->node[a].size;
	struct vsplit_split_window w = {};
	u32 n;

	if (!vsplit_split_find_evicting(ctx, a, seg, &w))
		return false;
	for (n = ctx->node[w.after].next;
	     n != ctx->seg[seg].head && ctx->node[n].start < w.offset + size;
	     n = ctx->node[w.after].next)
		vsplit_split_evict(ctx, n);
	vsplit_split_enter(ctx, a, seg, &w);
	vsplit_split_trim(ctx, seg);
	if (vsplit_split_is_aperture(ctx, seg))
		vsplit_split_trim_apertures(ctx);
	return true;
}

static bool vsplit_split_bring_in(struct vsplit_split_ctx *ctx, u32 a)
{
	const struct vsplit_split_alloc *alloc = &ctx->in->allocs[a];
	struct vsplit_split_window w;
	u32 i;

	for (i = 0; i < alloc->nr_segs; i++) {
		if (vsplit_split_find_free(ctx, a, alloc->segs[i], &w)) {
			vsplit_split_enter(ctx, a, alloc->segs[i], &w);
			return true;
		}
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

/**
 * vsplit_split_map_evicted() - What the plan leaves in system memory goes to its eviction
 * segment set.
 * @ctx: the run; its portions are complete.
 * @a: in system memory; evicted from a memory segment.
 *
 * Nobody leaves for it, and nobody waits for it, so this never decides what fits.
 *
 * Return: whether one of the set had room.
 */
bool vsplit_split_map_evicted(struct vsplit_split_ctx *ctx, u32 a)
{
	struct vsplit_split_window w;
	u32 seg;

	for (seg = 0; seg < ctx->in->nr_segments; seg++) {
		if (!(ctx->in->allocs[a].evict_set & (1u << seg)) ||
		    !vsplit_split_find_free(ctx, a, seg, &w))
			continue;
		vsplit_split_enter(ctx, a, seg, &w);
		return true;
	}
	return false;
}
