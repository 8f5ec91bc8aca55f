// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Balanced trees over the ranges of a segment.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: Trees
 *
 * A segment has three trees of the same kind (AVL: the kernel's rbtree does not build in a
 * user process), whose nodes are also linked in order:
 *
 * - FREE has all ranges by address: what is between two neighbours is free;
 * - FIRM has those of them that cannot be cleared now: what is between two neighbours is
 *   free or can be cleared of victims;
 * - RANK has the victims in the policy's order.
 *
 * A node of FREE or FIRM also stands for the hole between its range and the next one. It knows, for
 * each alignment that the list has, the longest hole of its subtree, counted from the first aligned
 * byte. So the lowest or highest hole for a size and an alignment is found on one path from the
 * root, whatever else is in the segment. The longest hole without regard to alignment would not do:
 * most of the holes that it leads to may be a page too short.
 *
 * Each segment has a head, an empty range at its start, which is in all three trees. Thus no tree
 * is empty, and every range has a node before it.
 */

static u32 vsplit_split_height(const struct vsplit_split_tree *t, u32 n)
{
	return n == VSPLIT_SPLIT_NONE ? 0 : t->link[n].height;
}

/* Pages behind a node's range, from the first byte that is aligned. */
static u32 vsplit_split_room_after(const struct vsplit_split_ctx *ctx,
				   const struct vsplit_split_tree *t, u32 seg, u32 n, u32 class)
{
	u64 end = vsplit_split_hole_end(ctx, t, seg, n);
	u64 start;

	if (!vsplit_split_align(vsplit_split_hole_start(ctx, t, n), ctx->align[class], &start) ||
	    start >= end)
		return 0;
	return (end - start) >> ctx->page_shift;
}

static struct vsplit_split_holes *vsplit_split_holes(const struct vsplit_split_ctx *ctx,
						     const struct vsplit_split_tree *t, u32 n)
{
	return &t->holes[(size_t)n * ctx->nr_aligns];
}

static u32 vsplit_split_most(const struct vsplit_split_ctx *ctx,
			     const struct vsplit_split_tree *t, u32 n, u32 class)
{
	return n == VSPLIT_SPLIT_NONE ? 0 : vsplit_split_holes(ctx, t, n)[class].most;
}

/* The hole behind a node has changed; vsplit_split_fix() is to follow. */
static void vsplit_split_measure_hole(const struct vsplit_split_ctx *ctx,
				      struct vsplit_split_tree *t, u32 seg, u32 n)
{
	u32 i;

	for (i = 0; t->holes && i < ctx->nr_aligns; i++)
		vsplit_split_holes(ctx, t, n)[i].own = vsplit_split_room_after(ctx, t, seg, n, i);
}

/* Update a node from its children; return whether it has changed. */
static bool vsplit_split_pull(struct vsplit_split_ctx *ctx, struct vsplit_split_tree *t, u32 n)
{
	struct vsplit_split_link *link = &t->link[n];
	u32 low = vsplit_split_height(t, link->child[0]);
	u32 high = vsplit_split_height(t, link->child[1]);
	u32 height = 1 + max(low, high);
	bool changed = height != link->height;
	u32 i;

	vsplit_split_step(ctx, 1);
	link->height = height;
	if (!t->holes)
		return changed;
	vsplit_split_step(ctx, ctx->nr_aligns);
	for (i = 0; i < ctx->nr_aligns; i++) {
		struct vsplit_split_holes *holes = &vsplit_split_holes(ctx, t, n)[i];
		u32 now = max3(holes->own, vsplit_split_most(ctx, t, link->child[0], i),
			       vsplit_split_most(ctx, t, link->child[1], i));

		changed |= now != holes->most;
		holes->most = now;
	}
	return changed;
}

/* @by takes the place of @n below @n's parent. */
static void vsplit_split_replace(struct vsplit_split_tree *t, u32 seg, u32 n, u32 by)
{
	u32 parent = t->link[n].parent;

	if (parent == VSPLIT_SPLIT_NONE)
		t->root[seg] = by;
	else
		t->link[parent].child[t->link[parent].child[1] == n] = by;
	if (by != VSPLIT_SPLIT_NONE)
		t->link[by].parent = parent;
}

/* @n goes down on side @dir, and its child of the other side comes up. */
static u32 vsplit_split_rotate(struct vsplit_split_ctx *ctx, struct vsplit_split_tree *t, u32 seg,
			       u32 n, u32 dir)
{
	u32 up = t->link[n].child[!dir];
	u32 inner = t->link[up].child[dir];

	vsplit_split_replace(t, seg, n, up);
	t->link[n].child[!dir] = inner;
	if (inner != VSPLIT_SPLIT_NONE)
		t->link[inner].parent = n;
	t->link[up].child[dir] = n;
	t->link[n].parent = up;
	vsplit_split_pull(ctx, t, n);
	vsplit_split_pull(ctx, t, up);
	return up;
}

/* @n has changed: update and balance it and the nodes above it, as far up as anything changes. */
static void vsplit_split_fix(struct vsplit_split_ctx *ctx, struct vsplit_split_tree *t, u32 seg,
			     u32 n)
{
	bool changed = true;

	while (changed && n != VSPLIT_SPLIT_NONE) {
		u32 low, high, dir, child;

		changed = vsplit_split_pull(ctx, t, n);
		low = vsplit_split_height(t, t->link[n].child[0]);
		high = vsplit_split_height(t, t->link[n].child[1]);
		if (low > high + 1 || high > low + 1) {
			dir = high > low;
			child = t->link[n].child[dir];
			if (vsplit_split_height(t, t->link[child].child[!dir]) >
			    vsplit_split_height(t, t->link[child].child[dir]))
				vsplit_split_rotate(ctx, t, seg, child, dir);
			n = vsplit_split_rotate(ctx, t, seg, n, !dir);
			changed = true;
		}
		n = t->link[n].parent;
	}
}

/*
 * Make a subtree of sorted nodes, with the middle one at its top. Each level halves the number of
 * nodes, so no list makes the recursion deeper than 32.
 */
static u32 vsplit_split_subtree(struct vsplit_split_ctx *ctx, struct vsplit_split_tree *t,
				const u32 *nodes, u32 nr, u32 parent)
{
	u32 mid = nr / 2;
	u32 n;

	if (!nr)
		return VSPLIT_SPLIT_NONE;
	n = nodes[mid];
	t->link[n].parent = parent;
	t->link[n].child[0] = vsplit_split_subtree(ctx, t, nodes, mid, n);
	t->link[n].child[1] = vsplit_split_subtree(ctx, t, nodes + mid + 1, nr - mid - 1, n);
	vsplit_split_pull(ctx, t, n);
	return n;
}

/*
 * Make a tree of all its nodes, which are in order: the first one is the head. The links of FREE
 * say where ranges start.
 */
void vsplit_split_tree_build(struct vsplit_split_ctx *ctx, struct vsplit_split_tree *t, u32 seg,
			     const u32 *nodes, u32 nr)
{
	u32 i, j;

	for (i = 0; i < nr; i++)
		t->link[nodes[i]] = (struct vsplit_split_link) {
			.start = ctx->tree[VSPLIT_SPLIT_FREE].link[nodes[i]].start,
			.prev = nodes[i ? i - 1 : nr - 1],
			.next = nodes[i + 1 < nr ? i + 1 : 0],
		};
	for (i = 0; t->holes && i < nr; i++) {
		vsplit_split_measure_hole(ctx, t, seg, nodes[i]);
		for (j = 0; j < ctx->nr_aligns; j++)
			vsplit_split_holes(ctx, t, nodes[i])[j].most = 0;
	}
	t->root[seg] = vsplit_split_subtree(ctx, t, nodes, nr, VSPLIT_SPLIT_NONE);
}

/* Put a node, whose range begins at @start, into a tree, directly behind the node @after. */
void vsplit_split_tree_add(struct vsplit_split_ctx *ctx, struct vsplit_split_tree *t, u32 seg,
			   u32 n, u32 after, u64 start)
{
	struct vsplit_split_link *link = &t->link[n];
	u32 next = t->link[after].next;
	u32 i;

	*link = (struct vsplit_split_link) {
		.start = start,
		.child = { VSPLIT_SPLIT_NONE, VSPLIT_SPLIT_NONE },
		.prev = after,
		.next = next,
	};
	t->link[after].next = n;
	t->link[next].prev = n;
	/* If @after has a subtree behind it, the next node is the lowest one there. */
	if (t->link[after].child[1] == VSPLIT_SPLIT_NONE) {
		t->link[after].child[1] = n;
		link->parent = after;
	} else {
		t->link[next].child[0] = n;
		link->parent = next;
	}
	vsplit_split_measure_hole(ctx, t, seg, n);
	vsplit_split_measure_hole(ctx, t, seg, after);
	for (i = 0; t->holes && i < ctx->nr_aligns; i++)
		vsplit_split_holes(ctx, t, n)[i].most = 0;
	vsplit_split_fix(ctx, t, seg, n);
	vsplit_split_fix(ctx, t, seg, after);
}

/* Take a node out of a tree of a segment. */
void vsplit_split_tree_del(struct vsplit_split_ctx *ctx, struct vsplit_split_tree *t, u32 seg,
			   u32 n)
{
	struct vsplit_split_link *link = &t->link[n];
	u32 prev = link->prev, next = link->next;
	u32 from = link->parent;
	bool both = link->child[0] != VSPLIT_SPLIT_NONE && link->child[1] != VSPLIT_SPLIT_NONE;
	u32 i;

	t->link[prev].next = next;
	t->link[next].prev = prev;
	vsplit_split_measure_hole(ctx, t, seg, prev);
	if (!both) {
		vsplit_split_replace(t, seg, n, link->child[link->child[0] == VSPLIT_SPLIT_NONE]);
	} else {
		/* The next node has no lower child; it takes the place of @n. */
		from = t->link[next].parent == n ? next : t->link[next].parent;
		vsplit_split_replace(t, seg, next, t->link[next].child[1]);
		vsplit_split_replace(t, seg, n, next);
		t->link[next].child[0] = link->child[0];
		t->link[next].child[1] = link->child[1];
		t->link[link->child[0]].parent = next;
		if (link->child[1] != VSPLIT_SPLIT_NONE)
			t->link[link->child[1]].parent = next;
		/* Keep what the nodes above know of @n: vsplit_split_fix() sees the change. */
		t->link[next].height = link->height;
		for (i = 0; t->holes && i < ctx->nr_aligns; i++)
			vsplit_split_holes(ctx, t, next)[i].most =
				vsplit_split_holes(ctx, t, n)[i].most;
	}
	if (from != VSPLIT_SPLIT_NONE)
		vsplit_split_fix(ctx, t, seg, from);
	if (both)
		vsplit_split_fix(ctx, t, seg, next);
	vsplit_split_fix(ctx, t, seg, prev);
}

/* The last node of FREE or FIRM that starts at or below an address. */
u32 vsplit_split_tree_at(struct vsplit_split_ctx *ctx, const struct vsplit_split_tree *t, u32 seg,
			 u64 at)
{
	u32 best = ctx->seg[seg].head;
	u32 n = t->root[seg];

	while (n != VSPLIT_SPLIT_NONE) {
		vsplit_split_step(ctx, 1);
		if (t->link[n].start <= at)
			best = n;
		n = t->link[n].child[t->link[n].start <= at];
	}
	return best;
}

/*
 * The first node of FREE or FIRM, from @n on, with room for @pages behind it, or NONE. With @up the
 * search goes towards higher addresses, otherwise towards lower ones.
 */
u32 vsplit_split_seek(struct vsplit_split_ctx *ctx, const struct vsplit_split_tree *t,
		      u32 seg, u32 n, u32 class, u32 pages, bool up)
{
	u32 child, parent;

	/* Go up to a node with room, or with a subtree behind it that has room. */
	for (;;) {
		vsplit_split_step(ctx, 1);
		if (vsplit_split_holes(ctx, t, n)[class].own >= pages)
			return n;
		child = t->link[n].child[up];
		if (vsplit_split_most(ctx, t, child, class) >= pages)
			break;
		while ((parent = t->link[n].parent) != VSPLIT_SPLIT_NONE &&
		       t->link[parent].child[up] == n) {
			vsplit_split_step(ctx, 1);
			n = parent;
		}
		if (parent == VSPLIT_SPLIT_NONE)
			return VSPLIT_SPLIT_NONE;
		n = parent;
	}
	/* Go down to the first node with room in this subtree. */
	for (;;) {
		n = child;
		while (vsplit_split_most(ctx, t, t->link[n].child[!up], class) >= pages) {
			vsplit_split_step(ctx, 1);
			n = t->link[n].child[!up];
		}
		vsplit_split_step(ctx, 1);
		if (vsplit_split_holes(ctx, t, n)[class].own >= pages)
			return n;
		child = t->link[n].child[up];
	}
}

/* splitmix64: one multiply-xor chain, good enough to scatter ranges. */
static u64 vsplit_split_random(struct vsplit_split_ctx *ctx)
{
	u64 z = ctx->rand += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Find a place in the holes from @n on; the first and the last may be partly outside of @want. */
static bool vsplit_split_hole_from(struct vsplit_split_ctx *ctx,
				   const struct vsplit_split_tree *t, u32 seg, u32 n,
				   const struct vsplit_split_want *want, bool up, u64 *offset)
{
	u32 pages = want->size >> ctx->page_shift;
	bool high = want->top;

	if (ctx->in->flags & VSPLIT_SPLIT_RANDOM_PLACEMENT)
		high = vsplit_split_random(ctx) & 1;
	for (;;) {
		u64 start, end, lo, hi;

		n = vsplit_split_seek(ctx, t, seg, n, want->class, pages, up);
		if (n == VSPLIT_SPLIT_NONE)
			return false;
		start = vsplit_split_hole_start(ctx, t, n);
		end = vsplit_split_hole_end(ctx, t, seg, n);
		lo = max(start, want->lo);
		hi = min(end, want->hi);
		if (vsplit_split_fits(lo, hi, want->size, ctx->align[want->class], offset)) {
			if (high)
				*offset = (hi - want->size) & ~(ctx->align[want->class] - 1);
			return true;
		}
		/* All following holes are outside. */
		if (up ? end >= want->hi : start <= want->lo)
			return false;
		n = up ? t->link[n].next : t->link[n].prev;
		if (n == ctx->seg[seg].head && up)
			return false;
	}
}

/*
 * Find the lowest hole of FREE or FIRM that fits or, if @want prefers it, the highest.
 *
 * Random placement draws an address, takes the next hole from there, and draws the end of the hole
 * at which the range goes. A range in the middle of a hole would leave two unusable holes, and most
 * lists would then fail instead of running scattered.
 */
bool vsplit_split_find_hole(struct vsplit_split_ctx *ctx, const struct vsplit_split_tree *t,
			    u32 seg, const struct vsplit_split_want *want, u64 *offset)
{
	bool up = true;
	u64 at = want->lo;

	if (want->size > want->hi - want->lo)
		return false;
	if (ctx->in->flags & VSPLIT_SPLIT_RANDOM_PLACEMENT) {
		u32 pages = (want->hi - want->lo) >> ctx->page_shift;
		u64 draw = ((vsplit_split_random(ctx) >> 32) * pages) >> 32;
		u32 n = vsplit_split_tree_at(ctx, t, seg, at + (draw << ctx->page_shift));

		if (vsplit_split_hole_from(ctx, t, seg, n, want, true, offset))
			return true;
	} else if (want->top) {
		up = false;
		at = want->hi - 1;
	}
	return vsplit_split_hole_from(ctx, t, seg, vsplit_split_tree_at(ctx, t, seg, at), want,
				      up, offset);
}
