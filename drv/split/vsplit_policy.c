// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What leaves first, and which window is cleared.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: Victims
 *
 * A policy is a strict total order on candidates. It compares their stamps of last use or, with
 * VSPLIT_SPLIT_NEXT_USE, first how far their next use in the list is. An order is enough to find
 * and compare the dearest victims of windows; a score (distance per byte, say) would need a
 * division. Both policies end with the index, so that no two candidates are ever equal and a plan
 * never depends on how they were listed. Priority comes before all else, as with TTM's levels. It
 * only decides what leaves, never whether something must.
 *
 * Of all windows that could be cleared, the one wins whose dearest victim, which the policy would
 * lose last, is the cheapest. If two windows share this victim, the window with fewer bytes wins,
 * then the lower one. Evicting in policy order until a hole happens to appear, as TTM's range
 * manager does, comes to the same dearest victim, but also loses victims that do not touch the
 * final place.
 *
 * The first VSPLIT_SPLIT_LOOKS victims are looked at in policy order, and each joins the run of
 * free memory and victims around it. The first run that is large enough has the window, and the
 * victim that completed the run is the dearest one. With equal sizes this is the first victim that
 * is looked at.
 *
 * A planned walk looks at all these victims, but goes to a higher priority only if it must, and
 * takes the window that costs the least. The farther the next use of a victim is, the less its
 * bytes count, as fewer will be loaded again before the end of the list. They count twice if they
 * have to be written back. So the walk may keep a large victim that is needed late and lose several
 * small ones.
 *
 * Where paging overlaps running, only victims are looked at that no portion will use any more when
 * the paging engine gets there (vsplit_lead.c); at most VSPLIT_SPLIT_IN_USE victims in use are
 * passed by. If that gives no window, a few more questions find for about how many portions paging
 * has to wait.
 *
 * If the victims that are looked at give no window, an index is asked. Victims are taken out of the
 * tree FIRM, in policy order, until there is a hole in it that is large enough. They stay out, so
 * that the next question starts from there. A new victim that the policy would lose before one of
 * them is taken out with them. Thus each victim is taken out at most once for each time it becomes
 * a victim, and a question costs a path in a tree, whether it finds a window or not. In return the
 * index ignores the order among the victims that are out: it takes the lowest of their windows. The
 * dearest victim of this window may be dearer than necessary, but not dearer than the dearest that
 * an earlier question needed.
 *
 * A commit limit below the segment's size, or that of all apertures together, can ask for more room
 * than the window gives. Then further victims leave in policy order, wherever they are. Of the last
 * VSPLIT_SPLIT_LOOKS of them, those that turn out to be unnecessary stay after all. So the work is
 * in proportion to what leaves.
 */

/*
 * Should @a leave rather than @b? The next use of an allocation that this list does not use again
 * is the largest number, and so the farthest one without a special case.
 */
static bool vsplit_split_better(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	const struct vsplit_split_state *st_a = &ctx->st[a], *st_b = &ctx->st[b];
	u32 priority_a = ctx->in->allocs[a].priority;
	u32 priority_b = ctx->in->allocs[b].priority;

	if (priority_a != priority_b)
		return priority_a < priority_b;
	if (ctx->by_next_use && st_a->next_use != st_b->next_use)
		return st_a->next_use > st_b->next_use;
	if (st_a->lru != st_b->lru)
		return st_a->lru < st_b->lru;
	return a < b;
}

/* ---- victims in policy order ---- */

/*
 * Find the victims of a segment before the first entry; all that is resident there is in FIRM. They
 * replace the @nr nodes of the segment in ctx->order, behind the head.
 */
void vsplit_split_victim_init(struct vsplit_split_ctx *ctx, u32 seg, u32 nr)
{
	u32 *nodes = ctx->order;
	u32 nr_victims = 1;
	u32 i;

	for (i = 1; i < nr; i++) {
		if (!vsplit_split_is_victim(ctx, nodes[i]))
			continue;
		ctx->st[nodes[i]].victim = 1;
		ctx->seg[seg].evictable += ctx->size[nodes[i]];
		nodes[nr_victims++] = nodes[i];
	}
	vsplit_split_sort(ctx, &nodes[1], nr_victims - 1, vsplit_split_better);
	vsplit_split_tree_build(ctx, &ctx->tree[VSPLIT_SPLIT_RANK], seg, nodes, nr_victims);
}

/* The last victim that should leave rather than @a, or the head. */
static u32 vsplit_split_rank_of(struct vsplit_split_ctx *ctx, u32 seg, u32 a)
{
	const struct vsplit_split_tree *t = &ctx->tree[VSPLIT_SPLIT_RANK];
	u32 head = ctx->seg[seg].head;
	u32 best = head;
	u32 n = t->root[seg];

	while (n != VSPLIT_SPLIT_NONE) {
		bool before = n == head || vsplit_split_better(ctx, n, a);

		vsplit_split_step(ctx, 1);
		if (before)
			best = n;
		n = t->link[n].child[before];
	}
	return best;
}

/*
 * Make a resident allocation a victim, if it may be evicted. What the policy compares of the
 * allocation must not change until vsplit_split_victim_del().
 */
void vsplit_split_victim_add(struct vsplit_split_ctx *ctx, u32 a)
{
	struct vsplit_split_tree *t = &ctx->tree[VSPLIT_SPLIT_RANK];
	u32 seg = ctx->st[a].seg;
	u32 next;

	if (seg == VSPLIT_SPLIT_SYSTEM || ctx->st[a].victim || !vsplit_split_is_victim(ctx, a))
		return;
	vsplit_split_tree_add(ctx, t, seg, a, vsplit_split_rank_of(ctx, seg, a), 0);
	ctx->st[a].victim = 1;
	ctx->seg[seg].evictable += ctx->size[a];
	/* It would leave before a victim that is out of FIRM, so it goes out as well. */
	next = t->link[a].next;
	if (next != ctx->seg[seg].head && !ctx->st[next].firm)
		vsplit_split_firm_del(ctx, a, seg);
}

/*
 * An allocation is no victim any more, or is about to be evicted. Its segment has not changed since
 * vsplit_split_victim_add().
 */
void vsplit_split_victim_del(struct vsplit_split_ctx *ctx, u32 a)
{
	struct vsplit_split_tree *t = &ctx->tree[VSPLIT_SPLIT_RANK];
	u32 seg = ctx->st[a].seg;

	if (!ctx->st[a].victim)
		return;
	if (ctx->seg[seg].dearest == a)
		ctx->seg[seg].dearest = t->link[a].prev;
	vsplit_split_tree_del(ctx, t, seg, a);
	ctx->st[a].victim = 0;
	ctx->seg[seg].evictable -= ctx->size[a];
	if (!ctx->st[a].firm)
		vsplit_split_firm_add(ctx, a, seg, vsplit_split_at(ctx, a));
}

/* Take the next victim in policy order out of FIRM; false if all are out. */
static bool vsplit_split_clear_next(struct vsplit_split_ctx *ctx, u32 seg)
{
	struct vsplit_split_seg *s = &ctx->seg[seg];
	u32 next = ctx->tree[VSPLIT_SPLIT_RANK].link[s->dearest].next;

	if (next == s->head)
		return false;
	vsplit_split_firm_del(ctx, next, seg);
	s->dearest = next;
	return true;
}

/* Take all victims of a segment out of FIRM. */
void vsplit_split_clear_all(struct vsplit_split_ctx *ctx, u32 seg)
{
	while (vsplit_split_clear_next(ctx, seg))
		;
}

/* Evict all victims of a segment. */
void vsplit_split_evict_victims(struct vsplit_split_ctx *ctx, u32 seg)
{
	const struct vsplit_split_link *rank = ctx->tree[VSPLIT_SPLIT_RANK].link;
	u32 head = ctx->seg[seg].head;

	while (rank[head].next != head)
		vsplit_split_evict(ctx, rank[head].next);
}

/* The victim in a set of segments that is the best to lose, or NONE. */
static u32 vsplit_split_best_victim(const struct vsplit_split_ctx *ctx, u32 segs)
{
	u32 best = VSPLIT_SPLIT_NONE;
	u32 i;

	for (i = 0; i < ctx->in->nr_segments; i++) {
		u32 a = ctx->tree[VSPLIT_SPLIT_RANK].link[ctx->seg[i].head].next;

		if (!(segs & (1u << i)) || a == ctx->seg[i].head)
			continue;
		if (best == VSPLIT_SPLIT_NONE || vsplit_split_better(ctx, a, best))
			best = a;
	}
	return best;
}

/* Evict @a, which was chosen; a spent victim stays, as the list is cut instead. */
static void vsplit_split_lose(struct vsplit_split_ctx *ctx, u32 a)
{
	if (vsplit_split_is_spent(ctx, a)) {
		ctx->saves = true;
		vsplit_split_victim_add(ctx, a);
	} else {
		vsplit_split_evict(ctx, a);
	}
}

/*
 * Evict from a set of segments, which have @stay bytes together, until @limit or less is left.
 * Victims are chosen in policy order; then those that turn out to be unnecessary are let off,
 * dearest first.
 */
static void vsplit_split_trim_to(struct vsplit_split_ctx *ctx, u32 segs, u64 stay, u64 limit)
{
	u32 chosen[VSPLIT_SPLIT_LOOKS];
	u32 first = 0, nr = 0;
	u32 a;

	while (stay > limit && !ctx->saves) {
		a = vsplit_split_best_victim(ctx, segs);
		if (a == VSPLIT_SPLIT_NONE)
			break;
		if (nr - first == VSPLIT_SPLIT_LOOKS)
			vsplit_split_lose(ctx, chosen[first++ % VSPLIT_SPLIT_LOOKS]);
		vsplit_split_victim_del(ctx, a);
		chosen[nr++ % VSPLIT_SPLIT_LOOKS] = a;
		stay -= ctx->size[a];
	}
	while (nr > first) {
		a = chosen[--nr % VSPLIT_SPLIT_LOOKS];
		if (stay + ctx->size[a] <= limit) {
			stay += ctx->size[a];
			vsplit_split_victim_add(ctx, a);
		} else {
			vsplit_split_lose(ctx, a);
		}
	}
}

/*
 * Something has entered a segment: evict until the segment is within its commit limit and, if it is
 * an aperture, all apertures are within their common limit. Evicting all its victims is enough.
 */
void vsplit_split_trim(struct vsplit_split_ctx *ctx, u32 seg)
{
	u32 segs = 0;
	u32 i;

	vsplit_split_trim_to(ctx, 1u << seg, ctx->seg[seg].used,
			     ctx->in->segments[seg].commit_limit);
	if (!vsplit_split_is_aperture(ctx, seg) || !ctx->in->aperture_limit)
		return;
	for (i = 0; i < ctx->in->nr_segments; i++)
		if (vsplit_split_is_aperture(ctx, i))
			segs |= 1u << i;
	vsplit_split_trim_to(ctx, segs, vsplit_split_aperture_bytes(ctx, false),
			     ctx->in->aperture_limit);
}

/* ---- windows ---- */

/*
 * Join @v with the runs beside it. A run goes from node to node, and its two ends know each other.
 * The range of a run reaches to the nodes on either side of it.
 */
static void vsplit_split_join(struct vsplit_split_ctx *ctx, u32 v, u32 *first, u32 *last)
{
	u32 prev = ctx->tree[VSPLIT_SPLIT_FREE].link[v].prev;
	u32 next = ctx->tree[VSPLIT_SPLIT_FREE].link[v].next;

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
 * What it costs to lose a victim: its bytes, in pages. In a planned walk bytes count less the
 * longer they are not needed, twice if they must be written back, and a little more if the loss
 * takes a cut; a clean page that is not needed again costs one.
 */
u64 vsplit_split_loss(const struct vsplit_split_ctx *ctx, u32 a)
{
	u64 loss = ctx->size[a] >> ctx->page_shift;
	u32 next = ctx->st[a].next_use;

	if (!ctx->planned)
		return loss;
	if (next != VSPLIT_SPLIT_NONE)
		loss += loss * (VSPLIT_SPLIT_SOON / (next - ctx->now));
	if (ctx->st[a].flags & VSPLIT_SPLIT_ALLOC_DIRTY)
		loss *= 2;
	if (vsplit_split_is_spent(ctx, a))
		loss += loss / VSPLIT_SPLIT_CUT;
	return loss;
}

/*
 * Find the cheapest window in a run of victims, if it costs less than @best. If a victim has just
 * completed the run, each window of the run has this victim.
 */
static void vsplit_split_cheapest(const struct vsplit_split_ctx *ctx, u32 seg, u32 first, u32 last,
				  const struct vsplit_split_want *want, u64 *best, u64 *at)
{
	const struct vsplit_split_tree *t = &ctx->tree[VSPLIT_SPLIT_FREE];
	u64 limit = vsplit_split_limit(ctx, seg, want, last);
	u64 align = ctx->align[want->class];
	u64 size = want->size;
	u32 behind = t->link[last].next;
	u32 lo = first, hi = first;	/* victims from @lo on, @hi not included */
	u64 loss = 0;
	u64 offset;
	u32 left;

	for (left = t->link[first].prev; left != last; left = t->link[left].next) {
		if (!vsplit_split_fits(vsplit_split_end(ctx, left), limit, size, align, &offset))
			return;
		while (lo != behind && vsplit_split_end(ctx, lo) <= offset) {
			if (lo == hi)
				hi = t->link[hi].next;
			else
				loss -= vsplit_split_loss(ctx, lo);
			lo = t->link[lo].next;
		}
		while (hi != behind && vsplit_split_at(ctx, hi) < offset + size) {
			loss += vsplit_split_loss(ctx, hi);
			hi = t->link[hi].next;
		}
		if (loss < *best) {
			*best = loss;
			*at = offset;
		}
	}
}

/* Find the cheapest window among the victims that are looked at, and return its cost. */
static u64 vsplit_split_by_loss(const struct vsplit_split_ctx *ctx, u32 seg,
				const struct vsplit_split_want *want, u64 *at)
{
	u64 best = U64_MAX;
	u32 i;

	for (i = 0; i < ctx->nr_looked; i++) {
		u32 v = ctx->looked[i];

		if (vsplit_split_begins_run(ctx, v))
			vsplit_split_cheapest(ctx, seg, v, ctx->st[v].run, want, &best, at);
	}
	return best;
}

/*
 * Look at the first victims in policy order that only the first @over portions use, until a run is
 * large enough. A planned walk goes on to further victims, for the cheapest window or for a place
 * that becomes free when some of them move.
 */
static bool vsplit_split_by_rank(struct vsplit_split_ctx *ctx, u32 seg,
				 const struct vsplit_split_want *want, u32 over, u64 *at)
{
	const struct vsplit_split_tree *t = &ctx->tree[VSPLIT_SPLIT_FREE];
	const struct vsplit_split_link *rank = ctx->tree[VSPLIT_SPLIT_RANK].link;
	u32 head = ctx->seg[seg].head;
	u64 best = U64_MAX;
	bool found = false;
	u32 priority = 0;
	u32 in_use = 0;
	u32 v, own;

	ctx->slides = false;
	ctx->nr_looked = 0;
	for (v = rank[head].next; v != head && ctx->nr_looked < VSPLIT_SPLIT_LOOKS;
	     v = rank[v].next) {
		u32 first, last;
		u64 offset;

		own = ctx->in->allocs[v].priority;
		/* Do not go on to a higher priority past a window or a victim in use. */
		if ((found && !ctx->planned) || ((found || in_use) && own != priority))
			break;
		if (vsplit_split_uses(ctx, v) > over) {
			priority = own;
			if (in_use++ == VSPLIT_SPLIT_IN_USE)
				break;
			continue;
		}
		ctx->looked[ctx->nr_looked++] = v;
		vsplit_split_join(ctx, v, &first, &last);
		if (found ||
		    !vsplit_split_fits(vsplit_split_end(ctx, t->link[first].prev),
				       vsplit_split_limit(ctx, seg, want, last),
				       want->size, ctx->align[want->class], &offset))
			continue;
		found = true;
		priority = own;
		if (!ctx->planned)
			vsplit_split_cheapest(ctx, seg, first, last, want, &best, at);
	}
	vsplit_split_step(ctx, in_use + (ctx->planned ? 2 : 1) * ctx->nr_looked);
	if (found && ctx->planned)
		best = vsplit_split_by_loss(ctx, seg, want, at);
	if (ctx->planned && vsplit_split_find_slide(ctx, seg, want, best, at))
		found = true;
	while (ctx->nr_looked)
		ctx->st[ctx->looked[--ctx->nr_looked]].mark = 0;
	return found;
}

/* Find a window for which paging waits for as few portions as a few questions can find. */
static bool vsplit_split_by_wait(struct vsplit_split_ctx *ctx, u32 seg,
				 const struct vsplit_split_want *want, u64 *at)
{
	u32 most = ctx->portion + 1;
	bool found = false;
	u32 few, some, i;

	if (!ctx->ahead)
		return vsplit_split_by_rank(ctx, seg, want, most, at);
	few = vsplit_split_lead_over(ctx, want->size);
	if (vsplit_split_by_rank(ctx, seg, want, few, at))
		return true;
	for (i = 0; i < VSPLIT_SPLIT_WAITS && most - few > 1; i++) {
		some = few + (most - few) / 2;
		found = vsplit_split_by_rank(ctx, seg, want, some, at);
		if (found)
			most = some;
		else
			few = some;
	}
	/* *@at answers the last question. If that found no window, ask about @most again. */
	return found || vsplit_split_by_rank(ctx, seg, want, most, at);
}

/*
 * Find the best place if victims may be evicted; @want begins at the segment's start. @want->top
 * chooses among holes; a window that has to be cleared is the lowest of the best ones. All that the
 * place touches are victims. If ctx->slides is set, vsplit_split_slide() has to make the place
 * free.
 */
bool vsplit_split_find_window(struct vsplit_split_ctx *ctx, u32 seg,
			      const struct vsplit_split_want *want, u64 *offset)
{
	ctx->slides = false;
	if (!vsplit_split_may_commit(ctx, seg, want->size, true))
		return false;
	if (vsplit_split_find_hole(ctx, &ctx->tree[VSPLIT_SPLIT_FREE], seg, want, offset) ||
	    vsplit_split_by_wait(ctx, seg, want, offset))
		return true;
	while (!vsplit_split_find_hole(ctx, &ctx->tree[VSPLIT_SPLIT_FIRM], seg, want, offset))
		if (!vsplit_split_clear_next(ctx, seg))
			return false;
	return true;
}
