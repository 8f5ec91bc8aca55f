// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A place for all that a list keeps, found before the list is walked.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: Homes
 *
 * A walk places what a group needs where there is room then. What it places in one portion and
 * a later one keeps may be in the middle of what that one needs. WDDM calls the failure correct
 * (SPLIT-35); so this is done only where the adapter asks for it (VSPLIT_SPLIT_LOOK_AHEAD), or for
 * plans that are not WDDM's (VSPLIT_SPLIT_PLANNED), and for lists that no other walk serves.
 *
 * The list says when everything has to be in memory, if each split point is taken: a *stay* of an
 * allocation begins with the entry that binds it while no row holds it, and ends with the group at
 * which no row holds it any more. During a stay it does not move. So what serves the list is a
 * range for each stay, its *home*, such that no two of them share a byte at one time.
 *
 * That is dynamic storage allocation with all requests known, as it is done for the tensors of a
 * neural network, and NP-hard. To take the largest first, each at the lowest place that is free
 * during all of its stay, needs little more memory than what stays at one time (Pisarchyk and Lee,
 * "Efficient Memory Management for Deep Neural Net Inference", 2020). The first one that finds no
 * place becomes the first of all, and all begin anew, VSPLIT_SPLIT_ORDERS times: "Squeaky
 * Wheel Optimization" (Joslin and Clements, 1999).
 *
 * Then the list is walked as always, but what is placed has to leave the homes of others free.
 * Those that are not there yet may get another home for it; where that fails, the allocation goes
 * to its own. For what is in use there the list is cut, and after a cut nothing has to stay where
 * it is but what is at home, so that each group can be served.
 *
 * Homes are below the commit limit of their segment. Whether all apertures together have
 * too much is for the walk, which fails then; and which part of a segment the CPU sees is not
 * looked at.
 *
 * Costs. The place of a stay depends on those that have a home in its segment, at its time. An
 * index of their ends finds them. All steps of that are limited by what entries grant, as those of
 * a search for a layout are.
 */

/* ---- when what is needed ---- */

/* No row needs it from @end on; nor did one before, if it was let go already. */
static void vsplit_split_stay_ends(struct vsplit_split_ctx *ctx, u32 a, u32 end)
{
	struct vsplit_split_home *home = &ctx->home[ctx->st[a].item];

	if (home->end != VSPLIT_SPLIT_NONE)
		return;
	home->end = end;
	ctx->staying -= ctx->size[a];
}

/* The row of entry @i is empty. Return what it held, if no other row holds it. */
static u32 vsplit_split_unbind(struct vsplit_split_ctx *ctx, u32 i)
{
	u32 slot = ctx->in->entries[i].slot;
	u32 a = ctx->owner[slot];

	ctx->owner[slot] = VSPLIT_SPLIT_NONE;
	return a != VSPLIT_SPLIT_NONE && !--ctx->st[a].rows ? a : VSPLIT_SPLIT_NONE;
}

/* Stays that begin with the group [@first, @end); false if what it needs is more than @room. */
static bool vsplit_split_stays_of(struct vsplit_split_ctx *ctx, u32 first, u32 end, u64 room)
{
	const struct vsplit_split_entry *entries = ctx->in->entries;
	bool fits;
	u32 i, a;

	for (i = first; i < end; i++) {
		a = vsplit_split_unbind(ctx, i);
		if (a != VSPLIT_SPLIT_NONE)
			vsplit_split_stay_ends(ctx, a, first);
	}
	for (i = first; i < end; i++) {
		a = entries[i].alloc;
		vsplit_split_unbind(ctx, i);
		ctx->home[i].first = VSPLIT_SPLIT_NONE;
		if (a == VSPLIT_SPLIT_NONE || ctx->in->allocs[a].flags & VSPLIT_SPLIT_ALLOC_PINNED)
			continue;
		if (!ctx->st[a].rows && ctx->st[a].group != first) {
			ctx->st[a].item = i;
			ctx->home[i].end = VSPLIT_SPLIT_NONE;
			ctx->stays[ctx->nr_stays++] = i;
			ctx->staying += ctx->size[a];
		}
		ctx->st[a].group = first;
		ctx->st[a].rows++;
		ctx->owner[entries[i].slot] = a;
		ctx->home[i].first = ctx->st[a].item;
	}
	fits = ctx->staying <= room;
	/* What rows do not hold is needed by this group alone. */
	for (i = first; i < end; i++)
		if (ctx->home[i].first != VSPLIT_SPLIT_NONE && !ctx->st[entries[i].alloc].rows)
			vsplit_split_stay_ends(ctx, entries[i].alloc, end);
	return fits;
}

/* All stays; false if what is needed at one time is too large. */
static bool vsplit_split_find_stays(struct vsplit_split_ctx *ctx)
{
	const struct vsplit_split_input *in = ctx->in;
	u64 room = 0;
	u32 first, end, i;

	for (i = 0; i < in->nr_segments; i++) {
		u64 fixed = ctx->seg[i].used - ctx->seg[i].evictable;

		if (fixed < in->segments[i].commit_limit)
			room += in->segments[i].commit_limit - fixed;
	}
	for (first = 0; first < in->nr_entries; first = end) {
		for (end = first; end < in->nr_entries &&
		     in->entries[end].split == in->entries[first].split; end++)
			;
		vsplit_split_step(ctx, 3 * (end - first));
		if (!vsplit_split_stays_of(ctx, first, end, room))
			return false;
	}
	for (i = 0; i < in->nr_slots; i++)
		if (ctx->owner[i] != VSPLIT_SPLIT_NONE)
			vsplit_split_stay_ends(ctx, ctx->owner[i], in->nr_entries);
	vsplit_split_step(ctx, in->nr_slots);
	return true;
}

/* ---- where ---- */

static u32 vsplit_split_stay_alloc(const struct vsplit_split_ctx *ctx, u32 stay)
{
	return ctx->in->entries[stay].alloc;
}

static u64 vsplit_split_home_end(const struct vsplit_split_ctx *ctx, u32 stay)
{
	return ctx->home[stay].at + ctx->size[vsplit_split_stay_alloc(ctx, stay)];
}

static bool vsplit_split_larger(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	u64 size_a = ctx->size[vsplit_split_stay_alloc(ctx, a)];
	u64 size_b = ctx->size[vsplit_split_stay_alloc(ctx, b)];
	u32 long_a = ctx->home[a].end - a;
	u32 long_b = ctx->home[b].end - b;

	if (size_a != size_b)
		return size_a > size_b;
	return long_a != long_b ? long_a > long_b : a < b;
}

static bool vsplit_split_lower(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	return ctx->home[a].at != ctx->home[b].at ? ctx->home[a].at < ctx->home[b].at : a < b;
}

/* The next stay with a home, from entry @i on, that goes on at entry @at; or NONE. */
static u32 vsplit_split_next_home(struct vsplit_split_ctx *ctx, u32 i, u32 at)
{
	u32 n = ctx->leaves + i;

	while (i < ctx->leaves) {
		vsplit_split_step(ctx, 1);
		if (ctx->ends[n] > at) {
			if (n >= ctx->leaves)
				return n - ctx->leaves;
			n *= 2;
			continue;
		}
		/* The subtree to the right, of the lowest one above that has such. */
		while (n & 1)
			n >>= 1;
		if (!n)
			break;
		n++;
	}
	return VSPLIT_SPLIT_NONE;
}

/* What was done since there were @before steps was a search. */
static void vsplit_split_pay(struct vsplit_split_ctx *ctx, u64 before)
{
	ctx->searched += ctx->steps - before;
	ctx->search -= ctx->steps - before;
}

/*
 * The lowest place in a segment that is free during a stay. What is fixed is in FIRM; during a walk
 * so is more, which leaves fewer places than there are.
 */
static bool vsplit_split_find_home(struct vsplit_split_ctx *ctx, u32 stay, u32 seg, u64 *at)
{
	u32 a = vsplit_split_stay_alloc(ctx, stay);
	struct vsplit_split_want want = {
		.size = ctx->size[a],
		.class = ctx->st[a].class,
		.hi = ctx->in->segments[seg].commit_limit,
	};
	u64 before = ctx->steps;
	bool found = false;
	u32 nr = 0;
	u32 i;

	for (i = vsplit_split_next_home(ctx, 0, stay); i < ctx->home[stay].end;
	     i = vsplit_split_next_home(ctx, i + 1, stay))
		if (ctx->home[i].seg == seg)
			ctx->near[nr++] = i;
	vsplit_split_sort(ctx, ctx->near, nr, vsplit_split_lower);
	i = 0;
	/* One that was found by a walk may reach beyond the limit. */
	while (want.lo < want.hi &&
	       vsplit_split_find_hole(ctx, &ctx->tree[VSPLIT_SPLIT_FIRM], seg, &want, at)) {
		while (i < nr && vsplit_split_home_end(ctx, ctx->near[i]) <= *at)
			i++;
		found = i == nr || ctx->home[ctx->near[i]].at >= *at + want.size;
		if (found)
			break;
		want.lo = vsplit_split_home_end(ctx, ctx->near[i]);
	}
	vsplit_split_pay(ctx, before);
	return found;
}

/* In the first of its segments that has one. */
static bool vsplit_split_find_anywhere(struct vsplit_split_ctx *ctx, u32 stay)
{
	const struct vsplit_split_alloc *alloc;
	u64 at;
	u32 i;

	alloc = &ctx->in->allocs[vsplit_split_stay_alloc(ctx, stay)];
	for (i = 0; i < alloc->nr_segs; i++) {
		if (vsplit_split_find_home(ctx, stay, alloc->segs[i], &at)) {
			ctx->home[stay].seg = alloc->segs[i];
			ctx->home[stay].at = at;
			return true;
		}
	}
	return false;
}

/* A home for each stay, in the order of @stays; return how many have one. */
static u32 vsplit_split_try_order(struct vsplit_split_ctx *ctx)
{
	u32 nr, n;

	memset(ctx->ends, 0, 2 * sizeof(*ctx->ends) * ctx->leaves);
	for (nr = 0; nr < ctx->nr_stays; nr++) {
		u32 stay = ctx->stays[nr];
		u32 end = ctx->home[stay].end;

		if (ctx->search <= 0 || ctx->error || !vsplit_split_find_anywhere(ctx, stay))
			break;
		for (n = ctx->leaves + stay; n && ctx->ends[n] < end; n /= 2)
			ctx->ends[n] = end;
	}
	return nr;
}

static bool vsplit_split_settle_all(struct vsplit_split_ctx *ctx)
{
	u32 order, nr, stay;

	vsplit_split_sort(ctx, ctx->stays, ctx->nr_stays, vsplit_split_larger);
	for (order = 0; order < VSPLIT_SPLIT_ORDERS && ctx->search > 0 && !ctx->error; order++) {
		nr = vsplit_split_try_order(ctx);
		if (nr == ctx->nr_stays)
			return true;
		stay = ctx->stays[nr];
		memmove(&ctx->stays[1], ctx->stays, nr * sizeof(*ctx->stays));
		ctx->stays[0] = stay;
	}
	return false;
}

/**
 * vsplit_split_find_homes() - Find a home for each stay.
 * @ctx: a run of which nothing has happened yet, and that has to begin again after this.
 *
 * Return: whether each has one. Then &vsplit_split_ctx.homing is set.
 */
bool vsplit_split_find_homes(struct vsplit_split_ctx *ctx)
{
	u32 seg;

	ctx->search = (s64)VSPLIT_SPLIT_SEARCH_PER_ENTRY * ctx->in->nr_entries;
	ctx->homing = vsplit_split_find_stays(ctx);
	if (ctx->homing) {
		for (seg = 0; seg < ctx->in->nr_segments; seg++)
			vsplit_split_clear_all(ctx, seg);
		ctx->homing = vsplit_split_settle_all(ctx);
	}
	return ctx->homing;
}

/* Those whose homes are in the way of @stay go elsewhere; false if one cannot. */
static bool vsplit_split_move_homes(struct vsplit_split_ctx *ctx, u32 stay, const u32 *others,
				    u32 nr, const struct vsplit_split_home *to)
{
	struct vsplit_split_home old[VSPLIT_SPLIT_HOMES], own = ctx->home[stay];
	u32 i;

	ctx->home[stay].seg = to->seg;
	ctx->home[stay].at = to->at;
	for (i = 0; i < nr; i++) {
		old[i] = ctx->home[others[i]];
		ctx->home[others[i]].seg = VSPLIT_SPLIT_SYSTEM;
	}
	for (i = 0; i < nr; i++)
		if (!vsplit_split_find_anywhere(ctx, others[i]))
			break;
	if (i == nr)
		return true;
	for (i = 0; i < nr; i++)
		ctx->home[others[i]] = old[i];
	ctx->home[stay] = own;
	return false;
}

/**
 * vsplit_split_may_stay() - May a place be the home of &vsplit_split_ctx.stay instead of its own?
 * @ctx: a run.
 * @seg: the segment.
 * @at: the place.
 *
 * Other stays that would have some of it, which are not in memory yet, may get other homes for
 * that: it is a hole, or has victims, so that no allocation is in its way that cannot leave.
 *
 * Return: true if it is now, or there is no such stay.
 */
bool vsplit_split_may_stay(struct vsplit_split_ctx *ctx, u32 seg, u64 at)
{
	const struct vsplit_split_home to = { .seg = seg, .at = at };
	u32 others[VSPLIT_SPLIT_HOMES];
	u32 stay = ctx->stay;
	u64 before = ctx->steps;
	u32 nr = 0;
	bool may;
	u64 end;
	u32 i;

	if (stay == VSPLIT_SPLIT_NONE)
		return true;
	may = ctx->search > 0;
	end = at + ctx->size[vsplit_split_stay_alloc(ctx, stay)];
	for (i = vsplit_split_next_home(ctx, 0, stay); may && i < ctx->home[stay].end;
	     i = vsplit_split_next_home(ctx, i + 1, stay)) {
		if (i == stay || ctx->home[i].seg != seg || ctx->home[i].at >= end ||
		    vsplit_split_home_end(ctx, i) <= at)
			continue;
		may = nr < VSPLIT_SPLIT_HOMES;
		if (may)
			others[nr++] = i;
	}
	vsplit_split_pay(ctx, before);
	return may && vsplit_split_move_homes(ctx, stay, others, nr, &to);
}

/**
 * vsplit_split_may_all_stay() - May all that a group names be where it is?
 * @ctx: a run whose homes are known.
 * @first: first entry of the group.
 * @end: behind the last one.
 *
 * Return: false if one of them is where another stay needs room. It has to go home, for which it
 * takes a cut.
 */
bool vsplit_split_may_all_stay(struct vsplit_split_ctx *ctx, u32 first, u32 end)
{
	u32 i;

	for (i = first; i < end; i++) {
		u32 a = ctx->in->entries[i].alloc;
		u32 seg;

		ctx->fail = i;
		ctx->stay = ctx->home[i].first;
		/* A stay that goes on is at home. */
		if (ctx->stay == VSPLIT_SPLIT_NONE || ctx->stay < first)
			continue;
		seg = ctx->st[a].seg;
		if (seg != VSPLIT_SPLIT_SYSTEM &&
		    !(vsplit_split_allowed(ctx, a, seg) &&
		      vsplit_split_may_stay(ctx, seg, vsplit_split_at(ctx, a))))
			return false;
	}
	return true;
}

/**
 * vsplit_split_send_home() - All that a group names shall be at home, as with vsplit_split_pack().
 * @ctx: a run whose homes are known; @items are those of the group.
 * @first: first entry of the group, which begins a portion.
 * @end: behind the last one.
 *
 * Return: false if limits do not let them.
 */
bool vsplit_split_send_home(struct vsplit_split_ctx *ctx, u32 first, u32 end)
{
	u32 i;

	for (i = first; i < end; i++) {
		u32 stay = ctx->home[i].first;
		struct vsplit_split_state *st;

		if (stay == VSPLIT_SPLIT_NONE)
			continue;
		st = &ctx->st[ctx->in->entries[i].alloc];
		st->to_seg = ctx->home[stay].seg;
		st->to = ctx->home[stay].at;
	}
	return vsplit_split_pack_home(ctx);
}
