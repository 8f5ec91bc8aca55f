// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Places for all that a list keeps, found before the list is walked.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: Homes
 *
 * A walk places what a group needs where there is room at that time. An allocation that it places
 * in one portion and keeps in a later one may lie in the middle of the room that the later one
 * needs. WDDM calls this failure correct (SPLIT-35). So homes are sought only where the adapter
 * asks for them (VSPLIT_SPLIT_LOOK_AHEAD) or the plan is not WDDM's anyway (VSPLIT_SPLIT_PLANNED),
 * and only for lists that no other walk serves.
 *
 * The list says when each allocation has to be in memory if each split point is taken. A *stay* of
 * an allocation begins with the entry that binds it while no row holds it, and ends with the group
 * at which no row holds it any more. During a stay the allocation does not move. So the list can be
 * served if each stay has a range, its *home*, and no two homes share a byte at one time.
 *
 * To find homes is dynamic storage allocation with all requests known, as for the tensors of a
 * neural network, and NP-hard. Placing the largest stay first, each at the lowest place that is
 * free during all of the stay, takes little more memory than what stays at one time (Pisarchyk and
 * Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020). The first stay that
 * finds no place becomes the first of all, and the search starts again, VSPLIT_SPLIT_ORDERS times:
 * "Squeaky Wheel Optimization" (Joslin and Clements, 1999).
 *
 * Then the list is walked as always, but an allocation that is placed has to leave the homes of
 * others free. To make that possible, others that are not in memory yet may get another home. If
 * that fails, the allocation goes to its own home, and the list is cut if anything there is in use.
 * After a cut only allocations at home have to stay where they are, so each group can be served.
 *
 * A home lies below the commit limit of its segment. The search ignores which part of a segment the
 * CPU sees, and the common limit of all apertures, at which the walk may still fail.
 *
 * Costs. The place of a stay depends on the stays that have a home in its segment at its time; an
 * index of their ends finds them. All steps of the search are limited by what entries grant, like
 * those of a search for a layout.
 */

/* ---- when what is needed ---- */

/* No row holds @a from entry @end on: its stay ends there, unless it has ended before. */
static void vsplit_split_stay_ends(struct vsplit_split_ctx *ctx, u32 a, u32 end)
{
	struct vsplit_split_home *home = &ctx->home[ctx->st[a].item];

	if (home->end != VSPLIT_SPLIT_NONE)
		return;
	home->end = end;
	ctx->staying -= ctx->size[a];
}

/* Empty the row of entry @i. Return its allocation if no other row holds that, else NONE. */
static u32 vsplit_split_unbind(struct vsplit_split_ctx *ctx, u32 i)
{
	u32 slot = ctx->in->entries[i].slot;
	u32 a = ctx->owner[slot];

	ctx->owner[slot] = VSPLIT_SPLIT_NONE;
	return a != VSPLIT_SPLIT_NONE && !--ctx->st[a].rows ? a : VSPLIT_SPLIT_NONE;
}

/* Find the stays that begin with the group [@first, @end); false if more than @room bytes stay. */
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
	/* This group alone needs an allocation that no row holds after it. */
	for (i = first; i < end; i++)
		if (ctx->home[i].first != VSPLIT_SPLIT_NONE && !ctx->st[entries[i].alloc].rows)
			vsplit_split_stay_ends(ctx, entries[i].alloc, end);
	return fits;
}

/* Find all stays; false if the segments cannot hold what stays at one time. */
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

/* The next stay from entry @i on that has a home and ends behind entry @at, or NONE. */
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
		/* Go up while @n is a right child, and then on to the subtree at its right. */
		while (n & 1)
			n >>= 1;
		if (!n)
			break;
		n++;
	}
	return VSPLIT_SPLIT_NONE;
}

/* Count the steps since @before as a search, and take them from its budget. */
static void vsplit_split_pay(struct vsplit_split_ctx *ctx, u64 before)
{
	ctx->searched += ctx->steps - before;
	ctx->search -= ctx->steps - before;
}

/*
 * Find the lowest place in a segment that is free during all of a stay. FIRM has what is fixed.
 * During a walk FIRM has more, so the search may miss places that are free.
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
	/* A home that a walk has chosen (vsplit_split_may_stay()) may reach beyond the limit. */
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

/* Find a home in the first of the stay's segments that has room. */
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

/* Find homes in the order of @stays, up to the first stay without one; return how many have one. */
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

/*
 * Find a home for each stay, before the first entry; the run has to begin again after this. If each
 * stay has a home, set ctx->homing.
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

/*
 * Make @to the home of @stay, and find new homes for the @others, which are in its way. If one of
 * them finds no home, nothing changes; return false.
 */
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

/*
 * Make a place the home of ctx->stay, if possible. Other stays may have their homes there, and get
 * new ones. They are not in memory yet: the place is a hole or has only victims, so it has no
 * allocation that cannot leave. Return: true if the place is its home now, or there is no such
 * stay.
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

/*
 * May all that the group [@first, @end) names stay where it is? Not if an allocation is in a
 * segment in which it may not live, or where another stay needs room. It then has to go to its own
 * home, which takes a cut.
 */
bool vsplit_split_may_all_stay(struct vsplit_split_ctx *ctx, u32 first, u32 end)
{
	u32 i;

	for (i = first; i < end; i++) {
		u32 a = ctx->in->entries[i].alloc;
		u32 seg;

		ctx->fail = i;
		ctx->stay = ctx->home[i].first;
		/* A stay that has begun before this group is at home. */
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

/*
 * Use the homes of the group [@first, @end), which begins a portion and whose members are the
 * items, as its layout, in place of vsplit_split_pack(). False if the limits do not allow this
 * layout.
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
