// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A new layout at a split: all that is reprogrammed may move.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: Packing
 *
 * At a taken split only kept rows, pinned allocations and the ranges of others
 * stay. What lies between them are the *gaps*; the members of the group that do
 * not stay are the *items*; everything else may be evicted and counts as free.
 * The question is whether the items fit into the gaps, each in a segment that
 * it may live in, aligned, and within the commit limits.
 *
 * Cheap attempts come first, and any one that works ends it: first fit in list
 * order (what a reader of the list expects, and what the worked examples show),
 * largest first, strictest alignment first, largest first into the tightest
 * gap. Each of them takes the segments of an item in its order of preference, and in
 * a segment that the CPU sees in part the part that it prefers.
 * Items of one size go in the order of their expected stay, longest first, so
 * that what stays long ends up together.
 *
 * If they all fail, a search decides. It fills one gap after the other from the
 * bottom, always asking which item comes next. Any packing can be brought into
 * this form by pushing each item down, so nothing is lost, alignment included.
 * Four rules keep it small, each without losing the last solution:
 *
 * - a gap is not closed while an item still fits (moving an item down from a
 *   later gap cannot hurt), unless a commit limit makes room in this segment
 *   scarce by itself;
 * - of two items equal in size, alignment and segments the first goes first;
 * - two neighbours that could change places without a gap are only tried in one
 *   order;
 * - for each set of segments, what must go into it has to fit into what is left
 *   of it.
 *
 * The steps are counted, and one plan has a fixed budget of them; a search that
 * runs out reports that the set does not fit. Bin packing is NP-hard, so some
 * limit is needed; small sets never come near it. Placing item after item over
 * all gaps instead was tried on paper and rejected: with alignments it has to
 * remember the holes that padding leaves, and most of its states are
 * permutations of each other. Dynamic programming over sums needs memory in
 * proportion to the segment.
 */

static const struct vsplit_split_alloc *vsplit_split_item(const struct vsplit_split_ctx *ctx,
							  u32 a)
{
	return &ctx->in->allocs[a];
}

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
	return ctx->node[a].size == ctx->node[b].size &&
	       vsplit_split_item(ctx, a)->align == vsplit_split_item(ctx, b)->align &&
	       ctx->st[a].wait == ctx->st[b].wait;
}

static bool vsplit_split_by_size(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	if (ctx->node[a].size != ctx->node[b].size)
		return ctx->node[a].size > ctx->node[b].size;
	if (vsplit_split_item(ctx, a)->align != vsplit_split_item(ctx, b)->align)
		return vsplit_split_item(ctx, a)->align > vsplit_split_item(ctx, b)->align;
	if (ctx->st[a].wait != ctx->st[b].wait)
		return ctx->st[a].wait < ctx->st[b].wait;
	return vsplit_split_stays_longer(ctx, a, b);
}

static bool vsplit_split_by_align(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	if (vsplit_split_item(ctx, a)->align != vsplit_split_item(ctx, b)->align)
		return vsplit_split_item(ctx, a)->align > vsplit_split_item(ctx, b)->align;
	return vsplit_split_by_size(ctx, a, b);
}

/**
 * struct vsplit_split_room - The gaps of one problem.
 * @first: first gap of each segment in &vsplit_split_ctx.gap.
 * @bytes: in all gaps of a segment.
 * @commit: that may still be committed there.
 * @apertures: that may still be committed in all apertures together.
 * @need: bytes of all items that may only go into this set of segments.
 * @nr: gaps.
 * @nr_masks: sets of segments, the empty one included.
 */
struct vsplit_split_room {
	u32 first[VSPLIT_SPLIT_MAX_SEGMENTS];
	u64 bytes[VSPLIT_SPLIT_MAX_SEGMENTS];
	u64 commit[VSPLIT_SPLIT_MAX_SEGMENTS];
	u64 apertures;
	u64 need[1u << VSPLIT_SPLIT_MAX_SEGMENTS];
	u32 nr;
	u32 nr_masks;
};

/* Gaps of a segment stand together, in the order of their addresses. */
static void vsplit_split_collect_gaps(struct vsplit_split_ctx *ctx, struct vsplit_split_room *room)
{
	u64 mapped = 0;
	u32 seg;

	room->nr = 0;
	for (seg = 0; seg < ctx->in->nr_segments; seg++) {
		const struct vsplit_split_segment *s = &ctx->in->segments[seg];
		u32 head = ctx->seg[seg].head;
		u32 n = ctx->node[head].next;
		u64 start = 0, kept = 0;
		bool last;

		room->first[seg] = VSPLIT_SPLIT_NONE;
		room->bytes[seg] = 0;
		do {
			struct vsplit_split_gap *gap = &ctx->gap[room->nr];
			u64 end;

			while (n != head && !vsplit_split_is_kept(ctx, n))
				n = ctx->node[n].next;
			last = n == head;
			end = last ? s->size : ctx->node[n].start;
			if (end > start) {
				gap->start = start;
				gap->end = end;
				gap->seg = seg;
				gap->next = VSPLIT_SPLIT_NONE;
				if (room->first[seg] == VSPLIT_SPLIT_NONE)
					room->first[seg] = room->nr;
				else
					ctx->gap[room->nr - 1].next = room->nr;
				room->nr++;
				room->bytes[seg] += end - start;
			}
			if (!last) {
				start = ctx->node[n].start + ctx->node[n].size;
				kept += ctx->node[n].size;
				n = ctx->node[n].next;
			}
		} while (!last);
		room->commit[seg] = kept < s->commit_limit ? s->commit_limit - kept : 0;
		if (vsplit_split_is_aperture(ctx, seg))
			mapped += kept;
	}
	room->apertures = U64_MAX;
	if (ctx->in->aperture_limit)
		room->apertures = mapped < ctx->in->aperture_limit ?
				  ctx->in->aperture_limit - mapped : 0;
}

/* Sums for the bound; false if the items do not fit by size alone. */
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
		/* Idle while the layout is sought, so the set of segments is kept here. */
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
		have[seg] = room->bytes[seg] < room->commit[seg] ? room->bytes[seg] :
								   room->commit[seg];
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
		sum += mapped < room->apertures ? mapped : room->apertures;
		if (room->need[m] > sum)
			return false;
	}
	return true;
}

static bool vsplit_split_measure(struct vsplit_split_ctx *ctx, struct vsplit_split_room *room)
{
	vsplit_split_collect_gaps(ctx, room);
	return vsplit_split_collect_needs(ctx, room) && vsplit_split_enough(ctx, room);
}

/* The lowest gap of a list (or the tightest) that has room between @lo and @hi. */
static u32 vsplit_split_find_gap(struct vsplit_split_ctx *ctx, u32 g, u32 a, u64 lo, u64 hi,
				 bool tight, u64 *at)
{
	u64 align = ctx->in->allocs[a].align;
	u32 best = VSPLIT_SPLIT_NONE;
	u64 offset;

	for (; g != VSPLIT_SPLIT_NONE; g = ctx->work[g].next) {
		const struct vsplit_split_gap *gap = &ctx->work[g];

		if (!ctx->fill_budget)
			return VSPLIT_SPLIT_NONE;
		ctx->fill_budget--;
		if (!vsplit_split_fits(gap->start < lo ? lo : gap->start,
				       gap->end < hi ? gap->end : hi, ctx->node[a].size, align,
				       &offset))
			continue;
		if (best == VSPLIT_SPLIT_NONE ||
		    gap->end - gap->start < ctx->work[best].end - ctx->work[best].start) {
			best = g;
			*at = offset;
		}
		if (!tight)
			break;
	}
	return best;
}

/* @a takes a part of a gap; what is left of it on either side stays a gap. */
static void vsplit_split_take_gap(struct vsplit_split_ctx *ctx, u32 g, u32 *nr, u32 a, u64 at)
{
	struct vsplit_split_gap *gap = &ctx->work[g];

	if (at > gap->start) {
		struct vsplit_split_gap *rest = &ctx->work[*nr];

		rest->start = at + ctx->node[a].size;
		rest->end = gap->end;
		rest->seg = gap->seg;
		rest->next = gap->next;
		gap->end = at;
		gap->next = (*nr)++;
	} else {
		gap->start += ctx->node[a].size;
	}
	ctx->st[a].to_seg = gap->seg;
	ctx->st[a].to = at;
}

/**
 * struct vsplit_split_trial - What is left while items are put into gaps.
 * @first: first gap of each segment in &vsplit_split_ctx.work.
 * @commit: that may still be committed in a segment.
 * @apertures: that may still be committed in all apertures together.
 * @nr: gaps.
 */
struct vsplit_split_trial {
	u32 first[VSPLIT_SPLIT_MAX_SEGMENTS];
	u64 commit[VSPLIT_SPLIT_MAX_SEGMENTS];
	u64 apertures;
	u32 nr;
};

/* One item into the first segment that has a gap for it. */
static bool vsplit_split_fill_one(struct vsplit_split_ctx *ctx, struct vsplit_split_trial *t, u32 a,
				  bool tight)
{
	const struct vsplit_split_alloc *alloc = &ctx->in->allocs[a];
	u64 lo, hi, at;
	u32 i;

	for (i = 0; i < alloc->nr_segs; i++) {
		u32 gap = VSPLIT_SPLIT_NONE;
		u32 seg = alloc->segs[i];
		bool aperture = vsplit_split_is_aperture(ctx, seg);

		if (alloc->size > t->commit[seg] || (aperture && alloc->size > t->apertures))
			continue;
		if (vsplit_split_part(ctx, a, seg, &lo, &hi))
			gap = vsplit_split_find_gap(ctx, t->first[seg], a, lo, hi, tight, &at);
		if (gap == VSPLIT_SPLIT_NONE)
			gap = vsplit_split_find_gap(ctx, t->first[seg], a, 0, U64_MAX, tight, &at);
		if (gap == VSPLIT_SPLIT_NONE)
			continue;
		vsplit_split_take_gap(ctx, gap, &t->nr, a, at);
		t->commit[seg] -= alloc->size;
		if (aperture)
			t->apertures -= alloc->size;
		return true;
	}
	return false;
}

static bool vsplit_split_fill(struct vsplit_split_ctx *ctx, const struct vsplit_split_room *room,
			      const u32 *order, bool tight)
{
	struct vsplit_split_trial t = { .apertures = room->apertures, .nr = room->nr };
	u32 i;

	memcpy(t.first, room->first, sizeof(t.first));
	memcpy(t.commit, room->commit, sizeof(t.commit));
	memcpy(ctx->work, ctx->gap, room->nr * sizeof(*ctx->gap));
	for (i = 0; i < ctx->nr_items; i++) {
		if (vsplit_split_relax())
			ctx->killed = true;
		if (ctx->killed ||
		    !vsplit_split_fill_one(ctx, &t, order[i], tight))
			return false;
	}
	return true;
}

/*
 * Would @a and, directly behind it, @b take the same room in the other order?
 * Then only the order of @order (smaller position first) is tried.
 */
static bool vsplit_split_swappable(const struct vsplit_split_ctx *ctx, u32 a, u32 b, u64 a_cursor,
				   u64 a_start, u64 b_start)
{
	u64 b_align = vsplit_split_item(ctx, b)->align;
	u64 a_align = vsplit_split_item(ctx, a)->align;

	return a_start == a_cursor && b_start == a_start + ctx->node[a].size &&
	       !(a_start & (b_align - 1)) &&
	       !((a_start + ctx->node[b].size) & (a_align - 1));
}

static void vsplit_split_need(struct vsplit_split_ctx *ctx, struct vsplit_split_room *room, u32 a,
			      bool placed)
{
	u32 mask = ctx->st[a].wait;
	u32 m;

	for (m = mask; m < room->nr_masks; m = (m + 1) | mask) {
		if (placed)
			room->need[m] -= ctx->node[a].size;
		else
			room->need[m] += ctx->node[a].size;
	}
}

static bool vsplit_split_room_for(const struct vsplit_split_ctx *ctx,
				  const struct vsplit_split_room *room, u32 seg, u32 a)
{
	u64 size = ctx->node[a].size;

	return size <= room->commit[seg] &&
	       (!vsplit_split_is_aperture(ctx, seg) || size <= room->apertures);
}

static void vsplit_split_room_take(const struct vsplit_split_ctx *ctx,
				   struct vsplit_split_room *room, u32 seg, u32 a)
{
	room->commit[seg] -= ctx->node[a].size;
	if (room->apertures < U64_MAX && vsplit_split_is_aperture(ctx, seg))
		room->apertures -= ctx->node[a].size;
}

static void vsplit_split_room_give(const struct vsplit_split_ctx *ctx,
				   struct vsplit_split_room *room, u32 seg, u32 a)
{
	room->commit[seg] += ctx->node[a].size;
	if (room->apertures < U64_MAX && vsplit_split_is_aperture(ctx, seg))
		room->apertures += ctx->node[a].size;
}

/**
 * struct vsplit_split_search - Where the search is. Depth first with an explicit stack,
 * &vsplit_split_ctx.frame: a frame is either an item put at the cursor of the gap that
 * is being filled, or the closing of that gap.
 * @room: what is left.
 * @order: the items.
 * @gap: that is being filled.
 * @cursor: end of what was put into it.
 * @depth: frames on the stack.
 * @try: first position of @order that was not tried at this node.
 * @placed: items that have a place.
 * @fitted: something fits at this node.
 * @scarce: segments whose commit limit makes room scarce by itself.
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

/* Takes a step of the budget; false: there is none, or nobody waits for the answer. */
static bool vsplit_split_search_step(struct vsplit_split_ctx *ctx)
{
	if (!ctx->search_budget)
		return false;
	if (!(--ctx->search_budget & 0xffff) && vsplit_split_relax())
		ctx->killed = true;
	return !ctx->killed;
}

/* Is it worth a try to put the item at position @i of the order at the cursor? */
static bool vsplit_split_search_fits(struct vsplit_split_ctx *ctx, struct vsplit_split_search *s,
				     u32 i, u64 *start)
{
	const struct vsplit_split_frame *last = s->depth ? &ctx->frame[s->depth - 1] : NULL;
	u32 a = s->order[i];

	if (ctx->st[a].mark || !(ctx->st[a].wait & (1u << s->gap->seg)) ||
	    !vsplit_split_room_for(ctx, s->room, s->gap->seg, a) ||
	    !vsplit_split_fits(s->cursor, s->gap->end, ctx->node[a].size,
			       vsplit_split_item(ctx, a)->align, start))
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
 * The next item for the cursor; @start is its place. Its position in the order, the
 * number of items if there is none, or NONE to give up.
 */
static u32 vsplit_split_search_next(struct vsplit_split_ctx *ctx, struct vsplit_split_search *s,
				    u64 *start)
{
	u64 *bytes = &s->room->bytes[s->gap->seg];
	u32 i;

	for (i = s->try; i < ctx->nr_items; i++) {
		if (!vsplit_split_search_step(ctx))
			return VSPLIT_SPLIT_NONE;
		if (!vsplit_split_search_fits(ctx, s, i, start))
			continue;
		/* Padding is lost for good. */
		*bytes -= *start - s->cursor;
		if (vsplit_split_enough(ctx, s->room))
			break;
		*bytes += *start - s->cursor;
	}
	return i;
}

/* A new node: its frame is on the stack, and everything may be tried. */
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
	s->room->bytes[s->gap->seg] -= ctx->node[a].size;
	vsplit_split_room_take(ctx, s->room, s->gap->seg, a);
	s->placed++;
	vsplit_split_search_push(ctx, s, i, start + ctx->node[a].size);
}

/* On to the next gap, if this one may be left with what is left in it. */
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

/* Nothing left to try here: back to the last item, past every closed gap. */
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
	vsplit_split_room_give(ctx, s->room, s->gap->seg, a);
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

/* Does any order of the items, gap by gap, give each of them a place? */
static bool vsplit_split_search(struct vsplit_split_ctx *ctx, struct vsplit_split_room *room)
{
	struct vsplit_split_search s;
	u64 start = 0;
	u32 i;

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
	return s.placed == ctx->nr_items;
}

/**
 * vsplit_split_may_pack() - Do the items fit by their sizes?
 * @ctx: the run; @items are collected.
 *
 * Return: false if vsplit_split_pack() is sure to fail.
 */
bool vsplit_split_may_pack(struct vsplit_split_ctx *ctx)
{
	struct vsplit_split_room room;

	return vsplit_split_measure(ctx, &room);
}

/**
 * vsplit_split_pack() - Find a place for every item.
 * @ctx: the run; @items are collected.
 *
 * Return: whether one was found; then &vsplit_split_state.to and
 * &vsplit_split_state.to_seg of each item say where.
 */
bool vsplit_split_pack(struct vsplit_split_ctx *ctx)
{
	struct vsplit_split_room room;
	u32 *order = ctx->by_dst;

	if (!vsplit_split_measure(ctx, &room))
		return false;
	if (!ctx->nr_items)
		return true;

	if (vsplit_split_fill(ctx, &room, ctx->items, false))
		return true;
	memcpy(order, ctx->items, ctx->nr_items * sizeof(*order));
	vsplit_split_sort(ctx, order, ctx->nr_items, vsplit_split_by_align);
	if (vsplit_split_fill(ctx, &room, order, false))
		return true;
	vsplit_split_sort(ctx, order, ctx->nr_items, vsplit_split_by_size);
	if (vsplit_split_fill(ctx, &room, order, false) ||
	    vsplit_split_fill(ctx, &room, order, true))
		return true;
	return vsplit_split_search(ctx, &room);
}
