// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A new layout at a split: all that is reprogrammed may move.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: Packing
 *
 * At a taken split only kept rows, pinned allocations and the ranges of others stay. What lies
 * between them are the *gaps*; the members of the group that do not stay are the *items*;
 * everything else may be evicted and counts as free. The question is whether the items fit into the
 * gaps, each in a segment that it may live in, aligned, and within the commit limits. The gaps are
 * the holes of the tree FIRM once all victims and the items are out of it. So nothing is built for
 * a layout, and its cost depends on its items alone.
 *
 * Cheap attempts come first, and the first that works ends the search: first fit in list order
 * (what a reader of the list expects, and what the worked examples show), strictest alignment
 * first, largest first. Each of them takes the segments of an item in its order of preference and,
 * in a segment that the CPU sees in part, first the part that the item prefers. The two sorted
 * orders take items of one size, alignment and set of segments by their expected stay, longest
 * first, so that what stays long ends up together. Layouts of whole portions have orders of their
 * own, see vsplit_split_pack_run().
 *
 * If they all fail, a search decides. It fills one gap after the other from the bottom, always
 * asking which item comes next. Any packing can be brought into this form by pushing each item
 * down, so the search misses none, alignment included. Four rules keep it small, each without
 * losing the last solution:
 *
 * - a gap is not closed while an item still fits (moving an item down from a later gap cannot
 *   hurt), unless a commit limit makes room in this segment scarce by itself;
 * - of two items equal in size, alignment and segments the first goes first;
 * - two neighbours that could change places without a gap are only tried in one order;
 * - for each set of segments, the items that may only go there have to fit into what is left of it.
 *
 * The steps are counted, and each entry of the list grants some of them. A search that runs out of
 * steps reports that the items do not fit, and so does a search with more than
 * VSPLIT_SPLIT_SEARCH_ITEMS items. Bin packing is NP-hard, so some limit is needed; small sets
 * never come near it. The alternative, to place item after item over all gaps, was tried on paper
 * and rejected: with alignments it has to remember the holes that padding leaves, and most of its
 * states are permutations of each other. Dynamic programming over sums needs memory in proportion
 * to the segment.
 */

/*
 * The last ties are broken by expected stay and then by index, so that each
 * order is total.
 */
static bool vsplit_split_stays_longer(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	if (ctx->st[a].stay != ctx->st[b].stay)
		return ctx->st[a].stay > ctx->st[b].stay;
	return a < b;
}

static bool vsplit_split_same_kind(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	return ctx->size[a] == ctx->size[b] &&
	       ctx->in->allocs[a].align == ctx->in->allocs[b].align &&
	       ctx->st[a].wait == ctx->st[b].wait;
}

static bool vsplit_split_by_size(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	if (ctx->size[a] != ctx->size[b])
		return ctx->size[a] > ctx->size[b];
	if (ctx->in->allocs[a].align != ctx->in->allocs[b].align)
		return ctx->in->allocs[a].align > ctx->in->allocs[b].align;
	if (ctx->st[a].wait != ctx->st[b].wait)
		return ctx->st[a].wait < ctx->st[b].wait;
	return vsplit_split_stays_longer(ctx, a, b);
}

static bool vsplit_split_by_align(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	if (ctx->in->allocs[a].align != ctx->in->allocs[b].align)
		return ctx->in->allocs[a].align > ctx->in->allocs[b].align;
	return vsplit_split_by_size(ctx, a, b);
}

/* What will be kept at the end of the portion comes first. */
static bool vsplit_split_by_stay(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	bool a_stays = ctx->st[a].stay >= ctx->run_end;
	bool b_stays = ctx->st[b].stay >= ctx->run_end;

	return a_stays == b_stays ? vsplit_split_by_size(ctx, a, b) : a_stays;
}

/*
 * What is in memory comes first, by address. If each finds the lowest place, all move down, and no
 * two wait for each other (vsplit_move.c).
 */
static bool vsplit_split_by_place(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	u32 a_seg = ctx->st[a].seg, b_seg = ctx->st[b].seg;

	if (a_seg == VSPLIT_SPLIT_SYSTEM && b_seg == VSPLIT_SPLIT_SYSTEM)
		return vsplit_split_by_stay(ctx, a, b);
	if (a_seg != b_seg)
		return b_seg == VSPLIT_SPLIT_SYSTEM ||
		       (a_seg != VSPLIT_SPLIT_SYSTEM && a_seg < b_seg);
	return vsplit_split_at(ctx, a) < vsplit_split_at(ctx, b);
}

/**
 * struct vsplit_split_room - The gaps of one problem.
 * @bytes: bytes in all gaps of a segment.
 * @commit: bytes that may still be committed in a segment.
 * @apertures: bytes that may still be committed in all apertures together.
 * @need: bytes of all items that may only go into this set of segments.
 * @nr: gaps that a search fills.
 * @nr_masks: sets of segments, the empty one included.
 */
struct vsplit_split_room {
	u64 bytes[VSPLIT_SPLIT_MAX_SEGMENTS];
	u64 commit[VSPLIT_SPLIT_MAX_SEGMENTS];
	u64 apertures;
	u64 need[1u << VSPLIT_SPLIT_MAX_SEGMENTS];
	u32 nr;
	u32 nr_masks;
};

/* Sum up the room that the items may take. */
static void vsplit_split_collect_room(struct vsplit_split_ctx *ctx, struct vsplit_split_room *room)
{
	u64 kept[VSPLIT_SPLIT_MAX_SEGMENTS];
	u64 mapped = 0;
	u32 seg, i;

	for (seg = 0; seg < ctx->in->nr_segments; seg++)
		kept[seg] = ctx->seg[seg].used - ctx->seg[seg].evictable;
	for (i = 0; i < ctx->nr_items; i++) {
		u32 a = ctx->items[i];

		if (ctx->st[a].seg != VSPLIT_SPLIT_SYSTEM && !ctx->st[a].victim)
			kept[ctx->st[a].seg] -= ctx->size[a];
	}
	for (seg = 0; seg < ctx->in->nr_segments; seg++) {
		u64 limit = ctx->in->segments[seg].commit_limit;

		room->bytes[seg] = ctx->in->segments[seg].size - kept[seg];
		room->commit[seg] = kept[seg] < limit ? limit - kept[seg] : 0;
		if (vsplit_split_is_aperture(ctx, seg))
			mapped += kept[seg];
	}
	room->apertures = U64_MAX;
	if (ctx->in->aperture_limit)
		room->apertures = mapped < ctx->in->aperture_limit ?
				  ctx->in->aperture_limit - mapped : 0;
}

/* Sum up what the items need; false if they do not fit by size alone. */
static bool vsplit_split_collect_needs(struct vsplit_split_ctx *ctx,
				       struct vsplit_split_room *room)
{
	u64 total = 0, all = 0;
	u32 i, j, m, seg;

	room->nr_masks = 1u << ctx->in->nr_segments;
	for (m = 0; m < room->nr_masks; m++)
		room->need[m] = 0;
	for (seg = 0; seg < ctx->in->nr_segments; seg++)
		all += room->bytes[seg];

	for (i = 0; i < ctx->nr_items; i++) {
		u32 a = ctx->items[i];
		const struct vsplit_split_alloc *alloc = &ctx->in->allocs[a];
		u32 mask = 0;

		for (j = 0; j < alloc->nr_segs; j++)
			mask |= 1u << alloc->segs[j];
		/* @wait is unused while a layout is sought, so it keeps the set of segments. */
		ctx->st[a].wait = mask;
		if (alloc->size > all - total)
			return false;
		total += alloc->size;
		room->need[mask] += alloc->size;
	}
	/* From "exactly this set" to "this set or a subset". */
	for (seg = 0; seg < ctx->in->nr_segments; seg++)
		for (m = 0; m < room->nr_masks; m++)
			if (m & (1u << seg))
				room->need[m] += room->need[m & ~(1u << seg)];
	return true;
}

static bool vsplit_split_enough(const struct vsplit_split_ctx *ctx,
				const struct vsplit_split_room *room)
{
	u64 have[VSPLIT_SPLIT_MAX_SEGMENTS];
	u32 m, seg;

	for (seg = 0; seg < ctx->in->nr_segments; seg++)
		have[seg] = min(room->bytes[seg], room->commit[seg]);
	for (m = 1; m < room->nr_masks; m++) {
		u64 sum = 0, mapped = 0;

		for (seg = 0; seg < ctx->in->nr_segments; seg++) {
			if (!(m & (1u << seg)))
				continue;
			if (vsplit_split_is_aperture(ctx, seg))
				mapped += have[seg];
			else
				sum += have[seg];
		}
		sum += min(mapped, room->apertures);
		if (room->need[m] > sum)
			return false;
	}
	return true;
}

/* Measure room and needs; false if the items do not fit by size alone. */
static bool vsplit_split_measure(struct vsplit_split_ctx *ctx, struct vsplit_split_room *room)
{
	vsplit_split_step(ctx, ctx->nr_items + (1u << ctx->in->nr_segments));
	vsplit_split_collect_room(ctx, room);
	return vsplit_split_collect_needs(ctx, room) && vsplit_split_enough(ctx, room);
}

/* Take all victims and items out of FIRM. */
static void vsplit_split_open_gaps(struct vsplit_split_ctx *ctx)
{
	u32 seg, i;

	for (seg = 0; seg < ctx->in->nr_segments; seg++)
		vsplit_split_clear_all(ctx, seg);
	for (i = 0; i < ctx->nr_items; i++) {
		u32 a = ctx->items[i];

		if (ctx->st[a].seg != VSPLIT_SPLIT_SYSTEM)
			vsplit_split_firm_del(ctx, a, ctx->st[a].seg);
	}
}

/* There is no layout: put the resident items back into FIRM. */
static void vsplit_split_close_gaps(struct vsplit_split_ctx *ctx)
{
	u32 i;

	for (i = 0; i < ctx->nr_items; i++) {
		u32 a = ctx->items[i];

		if (ctx->st[a].seg != VSPLIT_SPLIT_SYSTEM)
			vsplit_split_firm_add(ctx, a, ctx->st[a].seg, vsplit_split_at(ctx, a));
	}
}

static bool vsplit_split_room_for(const struct vsplit_split_ctx *ctx,
				  const struct vsplit_split_room *room, u32 seg, u32 a)
{
	u64 size = ctx->size[a];

	return size <= room->commit[seg] &&
	       (!vsplit_split_is_aperture(ctx, seg) || size <= room->apertures);
}

/* Take @size bytes of room in a segment for an item; a negative @size gives them back. */
static void vsplit_split_room_take(const struct vsplit_split_ctx *ctx,
				   struct vsplit_split_room *room, u32 seg, s64 size)
{
	room->commit[seg] -= size;
	if (room->apertures < U64_MAX && vsplit_split_is_aperture(ctx, seg))
		room->apertures -= size;
}

/* Put an item into the first of its segments that has a gap for it; @room is what is left. */
static bool vsplit_split_fill_one(struct vsplit_split_ctx *ctx, struct vsplit_split_room *room,
				  u32 a)
{
	const struct vsplit_split_tree *t = &ctx->tree[VSPLIT_SPLIT_FIRM];
	const struct vsplit_split_alloc *alloc = &ctx->in->allocs[a];
	u32 i;

	for (i = 0; i < alloc->nr_segs; i++) {
		u32 seg = alloc->segs[i];
		struct vsplit_split_want want = vsplit_split_anywhere(ctx, a, seg);
		u64 *to = &ctx->st[a].to;

		want.top = false;
		if (!vsplit_split_room_for(ctx, room, seg, a))
			continue;
		if (!vsplit_split_part(ctx, a, seg, &want.lo, &want.hi) ||
		    !vsplit_split_find_hole(ctx, t, seg, &want, to)) {
			want.lo = 0;
			want.hi = ctx->in->segments[seg].size;
			if (!vsplit_split_find_hole(ctx, t, seg, &want, to))
				continue;
		}
		ctx->st[a].to_seg = seg;
		vsplit_split_room_take(ctx, room, seg, ctx->size[a]);
		vsplit_split_firm_add(ctx, a, seg, *to);
		return true;
	}
	return false;
}

/* Try first fit in the order of @order. FIRM is unchanged in the end. */
static bool vsplit_split_fill(struct vsplit_split_ctx *ctx, const struct vsplit_split_room *room,
			      const u32 *order)
{
	struct vsplit_split_room left = *room;
	u32 nr = 0, i;

	while (nr < ctx->nr_items && !ctx->error && vsplit_split_fill_one(ctx, &left, order[nr]))
		nr++;
	for (i = 0; i < nr; i++)
		vsplit_split_firm_del(ctx, order[i], ctx->st[order[i]].to_seg);
	return nr == ctx->nr_items;
}

/*
 * Would @a, and @b directly behind it, take the same room in the other order? Then the search tries
 * only the order of @order (smaller position first).
 */
static bool vsplit_split_swappable(const struct vsplit_split_ctx *ctx, u32 a, u32 b, u64 a_cursor,
				   u64 a_start, u64 b_start)
{
	u64 b_align = ctx->in->allocs[b].align;
	u64 a_align = ctx->in->allocs[a].align;

	return a_start == a_cursor && b_start == a_start + ctx->size[a] &&
	       !(a_start & (b_align - 1)) &&
	       !((a_start + ctx->size[b]) & (a_align - 1));
}

static void vsplit_split_need(struct vsplit_split_ctx *ctx, struct vsplit_split_room *room, u32 a,
			      bool placed)
{
	u32 mask = ctx->st[a].wait;
	u32 m;

	for (m = mask; m < room->nr_masks; m = (m + 1) | mask) {
		if (placed)
			room->need[m] -= ctx->size[a];
		else
			room->need[m] += ctx->size[a];
	}
}

/**
 * struct vsplit_split_search - Where the search is.
 * @room: what is left.
 * @order: the items.
 * @gap: the gap that is being filled.
 * @cursor: end of what was put into @gap.
 * @depth: frames on the stack.
 * @try: first position of @order that was not tried at this node.
 * @placed: items that have a place.
 * @fitted: something fits at this node.
 * @scarce: segments whose commit limit makes room scarce by itself.
 *
 * The search is depth first, with an explicit stack, &vsplit_split_ctx.frame. A frame is either an
 * item put at the cursor of the gap that is being filled, or the closing of that gap.
 */
struct vsplit_split_search {
	struct vsplit_split_room *room;
	const u32 *order;
	const struct vsplit_split_gap *gap;
	u64 cursor;
	u32 depth;
	u32 try;
	u32 placed;
	bool fitted;
	bool scarce[VSPLIT_SPLIT_MAX_SEGMENTS];
};

/* Take steps from the budget; false if it is used up or the process is being killed. */
static bool vsplit_split_search_step(struct vsplit_split_ctx *ctx, u32 steps)
{
	vsplit_split_step(ctx, steps);
	ctx->searched += steps;
	ctx->search -= steps;
	return ctx->search >= 0 && !ctx->error;
}

/* Is it worth a try to put the item at position @i of the order at the cursor? */
static bool vsplit_split_search_fits(struct vsplit_split_ctx *ctx, struct vsplit_split_search *s,
				     u32 i, u64 *start)
{
	const struct vsplit_split_frame *last = s->depth ? &ctx->frame[s->depth - 1] : NULL;
	u32 a = s->order[i];

	if (ctx->st[a].mark || !(ctx->st[a].wait & (1u << s->gap->seg)) ||
	    !vsplit_split_room_for(ctx, s->room, s->gap->seg, a) ||
	    !vsplit_split_fits(s->cursor, s->gap->end, ctx->size[a],
			       ctx->in->allocs[a].align, start))
		return false;
	s->fitted = true;
	if (i && !ctx->st[s->order[i - 1]].mark &&
	    vsplit_split_same_kind(ctx, s->order[i - 1], a))
		return false;
	if (!last || last->pick == VSPLIT_SPLIT_NONE || last->pick <= i)
		return true;
	return !vsplit_split_swappable(ctx, s->order[last->pick], a, last->cursor,
				       ctx->st[s->order[last->pick]].to, *start);
}

/*
 * Find the next item for the cursor, and its place @start. Return its position in the order, the
 * number of items if none fits, or NONE to give up.
 */
static u32 vsplit_split_search_next(struct vsplit_split_ctx *ctx, struct vsplit_split_search *s,
				    u64 *start)
{
	u64 *bytes = &s->room->bytes[s->gap->seg];
	u32 i;

	for (i = s->try; i < ctx->nr_items; i++) {
		if (!vsplit_split_search_step(ctx, 1))
			return VSPLIT_SPLIT_NONE;
		if (!vsplit_split_search_fits(ctx, s, i, start))
			continue;
		if (!vsplit_split_search_step(ctx, s->room->nr_masks))
			return VSPLIT_SPLIT_NONE;
		/* Padding is lost for good. */
		*bytes -= *start - s->cursor;
		if (vsplit_split_enough(ctx, s->room))
			break;
		*bytes += *start - s->cursor;
	}
	return i;
}

/* Push a decision on the stack. At the new node every item may be tried. */
static void vsplit_split_search_push(struct vsplit_split_ctx *ctx, struct vsplit_split_search *s,
				     u32 pick, u64 cursor)
{
	struct vsplit_split_frame *frame = &ctx->frame[s->depth++];

	frame->cursor = s->cursor;
	frame->pick = pick;
	s->cursor = cursor;
	s->try = 0;
	s->fitted = false;
}

static void vsplit_split_search_put(struct vsplit_split_ctx *ctx, struct vsplit_split_search *s,
				    u32 i, u64 start)
{
	u32 a = s->order[i];

	ctx->st[a].mark = 1;
	ctx->st[a].to = start;
	ctx->st[a].to_seg = s->gap->seg;
	vsplit_split_need(ctx, s->room, a, true);
	s->room->bytes[s->gap->seg] -= ctx->size[a];
	vsplit_split_room_take(ctx, s->room, s->gap->seg, ctx->size[a]);
	s->placed++;
	vsplit_split_search_push(ctx, s, i, start + ctx->size[a]);
}

/* Go on to the next gap, if the rest of this gap may stay free. */
static bool vsplit_split_search_close(struct vsplit_split_ctx *ctx, struct vsplit_split_search *s)
{
	u64 rest = s->gap->end - s->cursor;
	u32 seg = s->gap->seg;

	if ((s->fitted && !s->scarce[seg]) || s->gap + 1 == ctx->gap + s->room->nr)
		return false;
	s->room->bytes[seg] -= rest;
	if (!vsplit_split_enough(ctx, s->room)) {
		s->room->bytes[seg] += rest;
		return false;
	}
	s->gap++;
	vsplit_split_search_push(ctx, s, VSPLIT_SPLIT_NONE, s->gap->start);
	return true;
}

/* Nothing is left to try here: take back the last item, and all gaps closed after it. */
static bool vsplit_split_search_back(struct vsplit_split_ctx *ctx, struct vsplit_split_search *s)
{
	const struct vsplit_split_frame *frame;
	u32 a;

	for (;;) {
		if (!s->depth)
			return false;
		frame = &ctx->frame[--s->depth];
		if (frame->pick != VSPLIT_SPLIT_NONE)
			break;
		s->gap--;
		s->cursor = frame->cursor;
		s->room->bytes[s->gap->seg] += s->gap->end - s->cursor;
	}
	a = s->order[frame->pick];
	ctx->st[a].mark = 0;
	vsplit_split_need(ctx, s->room, a, false);
	vsplit_split_room_take(ctx, s->room, s->gap->seg, -(s64)ctx->size[a]);
	s->room->bytes[s->gap->seg] += s->cursor - frame->cursor;
	s->cursor = frame->cursor;
	s->try = frame->pick + 1;
	s->fitted = true;
	s->placed--;
	return true;
}

static void vsplit_split_search_init(struct vsplit_split_ctx *ctx, struct vsplit_split_search *s,
				     struct vsplit_split_room *room)
{
	u32 i, seg;

	memset(s, 0, sizeof(*s));
	s->room = room;
	s->order = ctx->by_dst;
	s->gap = ctx->gap;
	s->cursor = s->gap->start;
	for (seg = 0; seg < ctx->in->nr_segments; seg++)
		s->scarce[seg] = room->commit[seg] < room->bytes[seg] ||
				 (vsplit_split_is_aperture(ctx, seg) && room->apertures < U64_MAX);
	for (i = 0; i < ctx->nr_items; i++)
		ctx->st[s->order[i]].mark = 0;
}

/* Collect the gaps that may take an item, by segment and address, up to the search's limit. */
static void vsplit_split_collect_gaps(struct vsplit_split_ctx *ctx, struct vsplit_split_room *room)
{
	const struct vsplit_split_tree *t = &ctx->tree[VSPLIT_SPLIT_FIRM];
	u64 least = U64_MAX;
	u32 seg, n, i;

	for (i = 0; i < ctx->nr_items; i++)
		least = min(least, ctx->size[ctx->items[i]]);
	room->nr = 0;
	for (seg = 0; seg < ctx->in->nr_segments; seg++) {
		room->bytes[seg] = 0;
		n = ctx->seg[seg].head;
		do {
			struct vsplit_split_gap *gap = &ctx->gap[room->nr];

			n = vsplit_split_seek(ctx, t, seg, n, 0, least >> ctx->page_shift, true);
			if (n == VSPLIT_SPLIT_NONE || room->nr == VSPLIT_SPLIT_SEARCH_GAPS)
				break;
			gap->start = vsplit_split_hole_start(ctx, t, n);
			gap->end = vsplit_split_hole_end(ctx, t, seg, n);
			gap->seg = seg;
			room->bytes[seg] += gap->end - gap->start;
			room->nr++;
			n = t->link[n].next;
		} while (n != ctx->seg[seg].head);
	}
}

/* Does any order of the items, gap by gap, give each of them a place? */
static bool vsplit_split_search(struct vsplit_split_ctx *ctx, struct vsplit_split_room *room)
{
	struct vsplit_split_search s;
	u64 start = 0;
	u32 i;

	if (ctx->nr_items > VSPLIT_SPLIT_SEARCH_ITEMS)
		return false;
	vsplit_split_collect_gaps(ctx, room);
	if (!room->nr)
		return false;
	vsplit_split_search_init(ctx, &s, room);
	while (s.placed < ctx->nr_items) {
		i = vsplit_split_search_next(ctx, &s, &start);
		if (i == VSPLIT_SPLIT_NONE)
			break;
		if (i < ctx->nr_items)
			vsplit_split_search_put(ctx, &s, i, start);
		else if (!vsplit_split_search_close(ctx, &s) && !vsplit_split_search_back(ctx, &s))
			break;
	}
	for (i = 0; i < ctx->nr_items; i++)
		ctx->st[s.order[i]].mark = 0;
	if (ctx->search < 0)
		ctx->search = 0;
	return s.placed == ctx->nr_items;
}

/* Do the items fit by their sizes? If not, vsplit_split_pack() is sure to fail. */
bool vsplit_split_may_pack(struct vsplit_split_ctx *ctx)
{
	struct vsplit_split_room room;

	return vsplit_split_measure(ctx, &room);
}

/*
 * Find a place for every item. If there is one for each, @to and @to_seg of struct
 * vsplit_split_state say where, and no item is in FIRM. Otherwise FIRM has the items that it had
 * before.
 */
bool vsplit_split_pack(struct vsplit_split_ctx *ctx)
{
	struct vsplit_split_room room;
	u32 *order = ctx->by_dst;

	if (!vsplit_split_measure(ctx, &room))
		return false;
	vsplit_split_open_gaps(ctx);
	if (vsplit_split_fill(ctx, &room, ctx->items))
		return true;
	memcpy(order, ctx->items, ctx->nr_items * sizeof(*order));
	vsplit_split_sort(ctx, order, ctx->nr_items, vsplit_split_by_align);
	if (vsplit_split_fill(ctx, &room, order))
		return true;
	vsplit_split_sort(ctx, order, ctx->nr_items, vsplit_split_by_size);
	if (vsplit_split_fill(ctx, &room, order) || vsplit_split_search(ctx, &room))
		return true;
	vsplit_split_close_gaps(ctx);
	return false;
}

/*
 * Prepare a layout in which vsplit_split_send_home() has set the place of each item. False if the
 * items do not fit within the limits.
 */
bool vsplit_split_pack_home(struct vsplit_split_ctx *ctx)
{
	struct vsplit_split_room room;
	u32 i;

	if (!vsplit_split_measure(ctx, &room))
		return false;
	for (i = 0; i < ctx->nr_items; i++) {
		u32 a = ctx->items[i];

		if (!vsplit_split_room_for(ctx, &room, ctx->st[a].to_seg, a))
			return false;
		vsplit_split_room_take(ctx, &room, ctx->st[a].to_seg, ctx->size[a]);
	}
	vsplit_split_open_gaps(ctx);
	return true;
}

/* Try first fit in this order and, with @search, a short search. */
static bool vsplit_split_try_run(struct vsplit_split_ctx *ctx, struct vsplit_split_room room,
				 vsplit_split_less_t less, bool search)
{
	s64 granted = ctx->search;
	bool found;

	memcpy(ctx->by_dst, ctx->items, ctx->nr_items * sizeof(*ctx->by_dst));
	vsplit_split_sort(ctx, ctx->by_dst, ctx->nr_items, less);
	if (vsplit_split_fill(ctx, &room, ctx->by_dst))
		return true;
	if (!search)
		return false;
	ctx->search = min((s64)VSPLIT_SPLIT_SEARCH_PER_ITEM * ctx->nr_items, granted);
	granted -= ctx->search;
	found = vsplit_split_search(ctx, &room);
	ctx->search += granted;
	return found;
}

/* Are more than two fifths of the items' bytes in memory? */
static bool vsplit_split_much_is_here(const struct vsplit_split_ctx *ctx)
{
	u64 here = 0, all = 0;
	u32 i;

	for (i = 0; i < ctx->nr_items; i++) {
		u32 a = ctx->items[i];

		all += ctx->size[a];
		here += ctx->st[a].seg != VSPLIT_SPLIT_SYSTEM ? ctx->size[a] : 0;
	}
	return 5 * here > 2 * all;
}

/*
 * Do as vsplit_split_pack() for all that a portion will use; what is in memory is an item only with
 * @moving. What rows still hold at entry @end is kept at the portion's end. The caller can do
 * without the last group, so there are few orders and short searches.
 */
bool vsplit_split_pack_run(struct vsplit_split_ctx *ctx, u32 end, bool moving)
{
	struct vsplit_split_room room;

	if (!vsplit_split_measure(ctx, &room))
		return false;
	vsplit_split_open_gaps(ctx);
	ctx->run_end = end;
	if ((moving && vsplit_split_much_is_here(ctx) &&
	     vsplit_split_try_run(ctx, room, vsplit_split_by_place, true)) ||
	    vsplit_split_try_run(ctx, room, vsplit_split_by_stay, moving))
		return true;
	vsplit_split_close_gaps(ctx);
	return false;
}
