// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The walk over a patch-location list.
 */
#include "vsplit_split_priv.h"

/**
 * DOC: The walk
 *
 * The walk takes the list group by group; a group is all entries of one SplitOffset. The members of
 * a group are paged in one after the other, in list order. Only when all are in does the group take
 * effect: rows change, members join the working set. So a group that cannot be served leaves the
 * resource table as it was.
 *
 * WDDM calls it low memory if a member cannot be brought in although everything else outside the
 * working set and the group may leave. If there are commands between the last cut and this group,
 * the buffer is cut directly before the group. All rows that the group names lose what they held,
 * whether the entries are before or after the failing one and whether they bind or unbind. What
 * rows still hold is kept, and the working set starts again from there. What has come in for the
 * group stays, if nothing had to leave for it; the rest is taken back, as victims are better chosen
 * when what the last portion used can leave. The group is then tried once more, first as before. If
 * that fails, its members that are not kept may move, and a new layout is sought for them
 * (vsplit_pack.c, vsplit_move.c). If there is none, the list cannot be served.
 *
 * Costs. The resource table and the working set are never scanned. An allocation counts the rows
 * that hold it, and carries the number of the portion that last introduced or dropped it; it is in
 * the working set if the count is not zero or the number is the current one. A cut increments the
 * number and empties the rows named by the group. Dirt is noted when an entry takes effect, since
 * what is in the working set can neither leave nor move before the portion is over. So the walk
 * takes time in proportion to the entries, placement aside, however often it cuts. The set of
 * victims is kept up to date on the side: the members of a group are taken out when the group is
 * opened, and a cut puts back those of the last portion that no row holds.
 *
 * Operations of a portion are logged as they are decided and written to the plan when the portion
 * ends: evictions, moves, page-ins. An allocation leaves at most once and enters at most once
 * before one portion, which bounds the log.
 *
 * If the walk cuts or fails although all that is bound would fit by size, the cause is
 * fragmentation that it has found or made, and a set that fits shall not be split. Then a layout
 * for the whole list is sought, as for a group that may move. If there is one, everything goes
 * there before the first portion, and a second walk finds nothing left to do.
 *
 * If a walk in place meets low memory although the sizes would fit, it starts again, and each
 * portion is *laid out*: at the start of a portion, as many of the following groups as fit by size
 * beside what is kept have their allocations placed and paged in. Allocations that are in memory
 * stay where they are if there is a layout with that. If there is none, they move, since only what
 * is kept has to stay. Where much of the portion is in memory already, it moves down in order of
 * address, so that no two allocations change places. Otherwise what will be kept at the end of the
 * portion is put together, lowest, so that the rest is free in one piece again. Then the walk goes
 * on as always: nothing but low memory ends the portion. If there is no layout, the last group is
 * left out, a few times. A list that cannot be served in this way is walked in place.
 *
 * A *planned* walk (VSPLIT_SPLIT_PLANNED) also cuts where nothing forces it. It is made only for
 * lists that have to be split anyway, and its victims are chosen by next use. An allocation that
 * the running portion has used and that no row holds any more is *spent*: it is a victim like the
 * others, at a slightly higher price. If the best window has a spent victim, nothing is evicted.
 * What was done for the group is taken back, and the list is cut before the group; after that spent
 * allocations are victims like all others. If a victim suffices that the portion did not use, it
 * leaves before the portion, and there is no cut. If more has been taken back than the entries have
 * granted, the list is cut before a group without trying it. An allocation that moves to make room
 * (vsplit_slide.c) counts as spent from then on. The plan then transfers as few bytes as if every
 * split point were taken, with a fraction of the portions. Rows that the group names are emptied
 * before it is tried, as a cut would do; the portion needs what they held all the same. A list that
 * a planned walk cannot serve, or only with too many portions, gets a walk that is not planned.
 *
 * Where paging can overlap running (VSPLIT_SPLIT_AHEAD), the list is walked once more, and also cut
 * where the portion has grown large. Preferred victims are those for which paging need not wait
 * (vsplit_lead.c). Each operation says for which portions it waits: those that use what leaves or
 * moves. A page-in waits only for the operations before it.
 *
 * If no walk serves the list, and the input allows it, there is one more kind of walk, with
 * *homes*: an allocation that comes in leaves room for all that the rest of the list keeps
 * (vsplit_home.c).
 */

static void vsplit_split_emit(struct vsplit_split_ctx *ctx, u32 a, enum vsplit_split_op_type type)
{
	struct vsplit_split_state *st = &ctx->st[a];
	struct vsplit_split_output *out = ctx->out;
	struct vsplit_split_op *op;

	if (ctx->nr_ops == out->max_ops && !ctx->error)
		ctx->error = out->grow_ops ? out->grow_ops(out) : -ENOBUFS;
	if (ctx->error)
		return;
	op = &out->ops[ctx->nr_ops];
	op->type = type;
	op->alloc = a;
	op->portion = ctx->portion;
	op->after = ctx->portion;
	/* The operations before a page-in have freed its place: it waits for no portion itself. */
	if (ctx->ahead)
		op->after = type == VSPLIT_SPLIT_PAGE_IN ? 0 : st->after;
	if (type == VSPLIT_SPLIT_PAGE_IN) {
		op->flags = st->op_in;
		op->from_seg = VSPLIT_SPLIT_SYSTEM;
		op->from = 0;
	} else {
		op->flags = type == VSPLIT_SPLIT_EVICT ? st->op_out : VSPLIT_SPLIT_OP_TRANSFER;
		op->from_seg = st->from_seg;
		op->from = st->from;
	}
	if (type == VSPLIT_SPLIT_EVICT) {
		op->to_seg = VSPLIT_SPLIT_SYSTEM;
		op->to = 0;
	} else {
		op->to_seg = st->seg;
		op->to = vsplit_split_at(ctx, a);
	}
	st->last_op = ctx->nr_ops++;
	vsplit_split_lead_op(ctx, op);
}

/* Is there a limit below the sizes? Allocations that are resident at the start may exceed it. */
static bool vsplit_split_is_limited(const struct vsplit_split_input *in)
{
	u32 i;

	for (i = 0; i < in->nr_segments; i++)
		if (in->segments[i].commit_limit < in->segments[i].size)
			return true;
	return in->aperture_limit;
}

/* Complete the portion [begin, @end), which has the entries before @entry. */
static void vsplit_split_finish(struct vsplit_split_ctx *ctx, u32 end, u32 entry)
{
	static const enum vsplit_split_op_type turn[] = {
		VSPLIT_SPLIT_EVICT, VSPLIT_SPLIT_MOVE, VSPLIT_SPLIT_PAGE_IN,
	};
	struct vsplit_split_portion *portion;
	/*
	 * Without limits the order in which operations were decided works. If they were sorted,
	 * more of them would wait.
	 */
	bool sorted = !ctx->ahead || vsplit_split_is_limited(ctx->in);
	u32 first_op = ctx->nr_ops;
	u32 i, j;

	if (ctx->portion == ctx->out->max_portions)
		ctx->error = -E2BIG;
	if (ctx->error)
		return;

	for (i = 0; i < (sorted ? ARRAY_SIZE(turn) : 1); i++) {
		for (j = 0; j < ctx->nr_log; j++) {
			enum vsplit_split_op_type type = ctx->log[j] & VSPLIT_SPLIT_LOG_MASK;

			if (!sorted || type == turn[i])
				vsplit_split_emit(ctx, ctx->log[j] >> VSPLIT_SPLIT_LOG_SHIFT, type);
		}
	}
	ctx->nr_log = 0;
	vsplit_split_lead_portion(ctx, end);

	portion = &ctx->out->portions[ctx->portion];
	portion->begin = ctx->begin;
	portion->end = end;
	portion->first_entry = ctx->first_entry;
	portion->nr_entries = entry - ctx->first_entry;
	portion->first_op = first_op;
	portion->nr_ops = ctx->nr_ops - first_op;
	ctx->portion++;
	ctx->begin = end;
	ctx->first_entry = entry;
}

/* @a is in the working set of @portion, whatever its rows do. */
static void vsplit_split_touch(struct vsplit_split_ctx *ctx, u32 a, u32 portion)
{
	if (ctx->st[a].used != portion + 1) {
		if (ctx->st[a].moved != ctx->portion + 1)
			ctx->touched[ctx->nr_touched++] = a;
		if (ctx->ahead && !vsplit_split_is_aperture(ctx, ctx->st[a].seg))
			ctx->grown += ctx->size[a];
	}
	ctx->st[a].used = portion + 1;
	ctx->st[a].last_portion = portion;
}

/* Empty a row. Its allocation stays in the working set of @portion, which needed it. */
static void vsplit_split_drop(struct vsplit_split_ctx *ctx, u32 slot, u32 portion)
{
	u32 a = ctx->owner[slot];

	if (a == VSPLIT_SPLIT_NONE)
		return;
	ctx->owner[slot] = VSPLIT_SPLIT_NONE;
	ctx->bound--;
	ctx->st[a].rows--;
	vsplit_split_touch(ctx, a, portion);
}

/* Empty the rows that the group [@first, @end) names; @portion needed what they held. */
static void vsplit_split_empty(struct vsplit_split_ctx *ctx, u32 first, u32 end, u32 portion)
{
	u32 i, a;

	for (i = first; i < end; i++) {
		a = ctx->owner[ctx->in->entries[i].slot];
		vsplit_split_drop(ctx, ctx->in->entries[i].slot, portion);
		if (ctx->planned && a != VSPLIT_SPLIT_NONE)
			vsplit_split_victim_add(ctx, a);
	}
}

/* Make victims of what the current portion has touched, unless it is kept or of the group. */
static void vsplit_split_spend_touched(struct vsplit_split_ctx *ctx)
{
	u32 i;

	for (i = 0; i < ctx->nr_touched; i++)
		vsplit_split_victim_add(ctx, ctx->touched[i]);
}

/* Cut before the group [@first, @end), and empty all rows that it names. */
static void vsplit_split_cut(struct vsplit_split_ctx *ctx, u32 first, u32 end)
{
	u32 i, a;

	vsplit_split_finish(ctx, ctx->in->entries[first].split, first);
	if (ctx->error)
		return;
	/* A planned walk has emptied these rows before. */
	if (!ctx->planned)
		vsplit_split_empty(ctx, first, end, ctx->portion - 1);
	/* Allocations of the last working set may leave if no row holds them. */
	vsplit_split_spend_touched(ctx);
	ctx->nr_touched = 0;
	ctx->grown = 0;
	ctx->saves = false;
	if (!(ctx->in->flags & VSPLIT_SPLIT_EVICT_BETWEEN))
		return;
	for (i = 0; i < ctx->in->nr_segments; i++)
		vsplit_split_evict_victims(ctx, i);
	for (i = first; i < end; i++) {
		a = ctx->in->entries[i].alloc;
		if (a != VSPLIT_SPLIT_NONE && ctx->st[a].seg != VSPLIT_SPLIT_SYSTEM &&
		    !vsplit_split_is_kept(ctx, a))
			vsplit_split_evict(ctx, a);
	}
}

static void vsplit_split_join_group(struct vsplit_split_ctx *ctx, u32 a)
{
	if (a == VSPLIT_SPLIT_NONE)
		return;
	ctx->st[a].group = ctx->group;
	vsplit_split_victim_del(ctx, a);
}

static void vsplit_split_mark(struct vsplit_split_ctx *ctx, u32 first, u32 end)
{
	u32 i;

	ctx->group++;
	for (i = first; i < end; i++)
		vsplit_split_join_group(ctx, ctx->in->entries[i].alloc);
}

/* Mark the members of the group that starts at @first; return where it ends. */
static u32 vsplit_split_open_group(struct vsplit_split_ctx *ctx, u32 first)
{
	const struct vsplit_split_entry *entries = ctx->in->entries;
	u32 i = first;

	ctx->back = ctx->nr_log;
	ctx->group++;
	do {
		vsplit_split_join_group(ctx, entries[i].alloc);
		i++;
	} while (i < ctx->in->nr_entries && entries[i].split == entries[first].split);
	ctx->search += (s64)VSPLIT_SPLIT_SEARCH_PER_ENTRY * (i - first);
	ctx->undo += (s64)VSPLIT_SPLIT_UNDO_PER_ENTRY * (i - first);
	ctx->look += (s64)VSPLIT_SPLIT_LOOK_PER_ENTRY * (i - first);
	vsplit_split_step(ctx, i - first);
	return i;
}

/* Make victims of what the entries [@first, @end) name, unless it is kept or of the group. */
static void vsplit_split_spend(struct vsplit_split_ctx *ctx, u32 first, u32 end)
{
	u32 i;

	for (i = first; i < end; i++)
		if (ctx->in->entries[i].alloc != VSPLIT_SPLIT_NONE)
			vsplit_split_victim_add(ctx, ctx->in->entries[i].alloc);
}

/* Will the row of @entry hold its allocation much longer than most? */
static bool vsplit_split_lasts(const struct vsplit_split_ctx *ctx, u32 entry)
{
	return (u64)vsplit_split_stay(ctx, entry) * ctx->in->nr_entries >
	       VSPLIT_SPLIT_LASTS * ctx->held;
}

/* Page in what the group names, in place; false if memory is low or a cut saves bytes. */
static bool vsplit_split_try_group(struct vsplit_split_ctx *ctx, u32 first, u32 end)
{
	bool resident = !ctx->homing || vsplit_split_may_all_stay(ctx, first, end);
	u32 i;

	for (i = first; i < end && resident; i++) {
		if (ctx->in->entries[i].alloc == VSPLIT_SPLIT_NONE)
			continue;
		if (vsplit_split_relax())
			ctx->error = -EINTR;
		ctx->lasts = ctx->planned && vsplit_split_lasts(ctx, i);
		resident = !ctx->error && vsplit_split_page_in(ctx, i);
		if (!resident)
			ctx->fail = i;
	}
	ctx->lasts = false;
	return resident && !ctx->saves;
}

/*
 * Make items, in list order, of all allocations that the entries [@first, @end) name and that may
 * be placed anew. No allocation may have @stamp before.
 */
static void vsplit_split_collect(struct vsplit_split_ctx *ctx, u32 first, u32 end, u32 stamp)
{
	u32 i;

	ctx->nr_items = 0;
	for (i = first; i < end; i++) {
		u32 a = ctx->in->entries[i].alloc;

		if (a == VSPLIT_SPLIT_NONE)
			continue;
		if (ctx->st[a].item == stamp) {
			ctx->st[a].stay = max(ctx->st[a].stay, ctx->row_next[i]);
			continue;
		}
		ctx->st[a].item = stamp;
		ctx->st[a].stay = ctx->row_next[i];
		if (!vsplit_split_is_kept(ctx, a))
			ctx->items[ctx->nr_items++] = a;
	}
}

/* Lay a group out at the start of a portion: members that are not kept may move. */
static bool vsplit_split_replan_group(struct vsplit_split_ctx *ctx, u32 first, u32 end)
{
	vsplit_split_collect(ctx, first, end, ctx->group);
	if (!(ctx->homing ? vsplit_split_send_home(ctx, first, end) : vsplit_split_pack(ctx)))
		return false;
	vsplit_split_relocate(ctx);
	return true;
}

/* Would the group fit beside the working set, if memory were in one piece? */
static bool vsplit_split_is_fragmented(struct vsplit_split_ctx *ctx, u32 first, u32 end)
{
	/* A stamp that no group has. */
	vsplit_split_collect(ctx, first, end, ~ctx->group);
	return vsplit_split_may_pack(ctx);
}

/* The end of the entries from @first on that fit together by size, as far as the budget allows. */
static u32 vsplit_split_run_end(struct vsplit_split_ctx *ctx, u32 first)
{
	const struct vsplit_split_input *in = ctx->in;
	u64 room = 0;
	u32 end, i;

	for (i = 0; i < in->nr_segments; i++)
		room += in->segments[i].size - ctx->seg[i].used + ctx->seg[i].evictable;
	for (end = first; end < in->nr_entries && (s64)(end - first) < ctx->look; end++) {
		u32 a = in->entries[end].alloc;

		if (a == VSPLIT_SPLIT_NONE || ctx->st[a].item == ctx->group ||
		    vsplit_split_is_kept(ctx, a))
			continue;
		if (ctx->size[a] > room)
			break;
		room -= ctx->size[a];
		ctx->st[a].item = ctx->group;
	}
	ctx->look -= end - first;
	vsplit_split_step(ctx, end - first);
	return end;
}

/*
 * Seek a layout for what the entries [@first, @end) name. With @moving, all of it that is not kept
 * may move; otherwise what is in memory stays where it is.
 */
static bool vsplit_split_try_layout(struct vsplit_split_ctx *ctx, u32 first, u32 end, bool moving)
{
	const struct vsplit_split_entry *entries = ctx->in->entries;
	u32 behind = end;
	u32 nr = 0;
	u32 i;

	/* A cut at @end does not keep the rows that the next group names. */
	while (behind < ctx->in->nr_entries && entries[behind].split == entries[end].split)
		behind++;
	ctx->look -= behind - first;
	vsplit_split_step(ctx, behind - first);
	/* A stamp that no group has. */
	vsplit_split_collect(ctx, first, end, ~ctx->group - moving);
	for (i = 0; i < ctx->nr_items; i++) {
		u32 a = ctx->items[i];

		if (moving || !vsplit_split_allowed(ctx, a, ctx->st[a].seg))
			ctx->items[nr++] = a;
	}
	ctx->nr_items = nr;
	return vsplit_split_pack_run(ctx, behind, moving);
}

/*
 * Lay out the portion that begins with the group [@first, @group_end). If groups fit by size but
 * have no layout, try it with a group less.
 */
static void vsplit_split_lay_out(struct vsplit_split_ctx *ctx, u32 first, u32 group_end)
{
	const struct vsplit_split_entry *entries = ctx->in->entries;
	bool placed = false;
	u32 end, try;

	ctx->group++;
	vsplit_split_spend(ctx, first, group_end);
	end = vsplit_split_run_end(ctx, first);
	for (try = 0; try < VSPLIT_SPLIT_LAYOUTS && !placed && ctx->look > 0; try++) {
		while (end > first && end < ctx->in->nr_entries &&
		       entries[end].split == entries[end - 1].split)
			end--;
		if (end <= first)
			break;
		vsplit_split_mark(ctx, first, end);
		placed = vsplit_split_try_layout(ctx, first, end, false) ||
			 vsplit_split_try_layout(ctx, first, end, true);
		if (placed)
			vsplit_split_relocate(ctx);
		/* Until the allocations are used, they may leave again. */
		ctx->group += 2;
		vsplit_split_spend(ctx, first, end);
		end--;
	}
	vsplit_split_mark(ctx, first, group_end);
}

/* Everything that the group names is resident: the group takes effect. */
static void vsplit_split_apply_group(struct vsplit_split_ctx *ctx, u32 first, u32 end)
{
	const struct vsplit_split_input *in = ctx->in;
	u32 i;

	vsplit_split_lead_group(ctx, first);
	for (i = first; i < end; i++) {
		const struct vsplit_split_entry *entry = &in->entries[i];
		struct vsplit_split_bind *bind = &ctx->out->binds[i];
		struct vsplit_split_state *st;
		u32 a = entry->alloc;

		vsplit_split_drop(ctx, entry->slot, ctx->portion);
		if (a == VSPLIT_SPLIT_NONE) {
			bind->seg = VSPLIT_SPLIT_SYSTEM;
			bind->offset = 0;
			continue;
		}
		st = &ctx->st[a];
		ctx->owner[entry->slot] = a;
		ctx->bound++;
		st->rows++;
		vsplit_split_touch(ctx, a, ctx->portion);
		st->lru = ctx->lru_base < U64_MAX - i ? ctx->lru_base + i + 1 : U64_MAX;
		st->next_use = ctx->entry_next[i];
		/* From now on the bytes of the allocation count. */
		st->flags &= ~VSPLIT_SPLIT_ALLOC_DISCARD;
		if (in->allocs[a].flags & VSPLIT_SPLIT_ALLOC_WRITE) {
			st->flags &= ~VSPLIT_SPLIT_ALLOC_CLEAR;
			if (!vsplit_split_is_aperture(ctx, st->seg))
				st->flags |= VSPLIT_SPLIT_ALLOC_DIRTY;
		}
		bind->seg = st->seg;
		bind->offset = vsplit_split_at(ctx, a);
	}
}

/* Take back what an attempt has done for a group; what the entries have granted pays for it. */
static void vsplit_split_take_back(struct vsplit_split_ctx *ctx, u32 mark)
{
	ctx->undo -= ctx->nr_log - mark;
	vsplit_split_undo(ctx, mark);
}

/*
 * The list will be cut before the group: take back what was done for the group, so that victims are
 * chosen behind the cut. A walk in place lets stay what has come in before anything left, and what
 * would be much work to take back.
 */
static void vsplit_split_give_up(struct vsplit_split_ctx *ctx)
{
	if (ctx->planned || ctx->laid_out)
		vsplit_split_take_back(ctx, ctx->back);
	else if (ctx->nr_log - ctx->back <= VSPLIT_SPLIT_UNDO_AT_CUT)
		vsplit_split_undo(ctx, ctx->back);
}

/*
 * Serve the first group of a portion: in place, or else in a new layout. Taking back what an
 * attempt in place has evicted for nothing is work without a result. So if attempts have taken back
 * more than the entries have granted, a layout is sought at once.
 */
static bool vsplit_split_start_portion(struct vsplit_split_ctx *ctx, u32 first, u32 end)
{
	/* The log has what the cut and vsplit_split_lay_out() have done: that stays. */
	u32 mark = ctx->nr_log;

	if (ctx->undo >= 0) {
		if (vsplit_split_try_group(ctx, first, end))
			return true;
		vsplit_split_take_back(ctx, mark);
	} else {
		ctx->fail = first;
	}
	return !ctx->error && vsplit_split_replan_group(ctx, first, end);
}

static int vsplit_split_walk(struct vsplit_split_ctx *ctx)
{
	const struct vsplit_split_input *in = ctx->in;
	u32 before = 0;
	u32 first, end;

	for (first = 0; first < in->nr_entries; before = first, first = end) {
		u32 split = in->entries[first].split;
		bool cut;

		end = vsplit_split_open_group(ctx, first);
		if (ctx->planned) {
			ctx->now = first;
			vsplit_split_spend(ctx, before, first);
			/* What moved for the first group of a portion is spent: a victim, too. */
			if (in->entries[before].split == ctx->begin)
				vsplit_split_spend_touched(ctx);
			vsplit_split_empty(ctx, first, end, ctx->portion);
		}
		if (split > ctx->begin) {
			cut = split < in->length &&
			      ((in->flags & VSPLIT_SPLIT_TAKE_SPLIT_POINT) ||
			       (ctx->ahead && ctx->grown && ctx->grown >= ctx->large) ||
			       (ctx->planned && ctx->undo < 0));
			if (!cut && vsplit_split_try_group(ctx, first, end)) {
				vsplit_split_apply_group(ctx, first, end);
				continue;
			}
			if (ctx->error)
				return ctx->error;
			if (ctx->in_place && vsplit_split_is_fragmented(ctx, first, end))
				return -EAGAIN;
			vsplit_split_give_up(ctx);
			vsplit_split_cut(ctx, first, end);
			if (ctx->error)
				return ctx->error;
			if ((in->flags & VSPLIT_SPLIT_LEAK_DETECTION) && ctx->bound) {
				ctx->fail = first;
				return -EPERM;
			}
		}
		if (ctx->laid_out)
			vsplit_split_lay_out(ctx, first, end);
		if (!vsplit_split_start_portion(ctx, first, end))
			return ctx->error ?: -ENOSPC;
		vsplit_split_apply_group(ctx, first, end);
	}
	vsplit_split_finish(ctx, in->length, in->nr_entries);
	return ctx->error;
}

static bool vsplit_split_left_earlier(const struct vsplit_split_ctx *ctx, u32 a, u32 b)
{
	return ctx->st[a].last_op < ctx->st[b].last_op;
}

/*
 * Map the allocations that were evicted and are still out at the end of the list into their
 * eviction segment sets, in the order in which they left. Earlier they would be in the way of
 * allocations that need the aperture.
 */
static void vsplit_split_stage(struct vsplit_split_ctx *ctx)
{
	u32 nr = 0;
	u32 i;

	for (i = 0; i < ctx->in->nr_allocs; i++) {
		const struct vsplit_split_state *st = &ctx->st[i];

		if (ctx->in->allocs[i].evict_set && st->seg == VSPLIT_SPLIT_SYSTEM &&
		    st->last_op != VSPLIT_SPLIT_NONE &&
		    !vsplit_split_is_aperture(ctx, st->from_seg))
			ctx->items[nr++] = i;
	}
	vsplit_split_sort(ctx, ctx->items, nr, vsplit_split_left_earlier);
	for (i = 0; i < nr; i++)
		if (vsplit_split_map_evicted(ctx, ctx->items[i]))
			vsplit_split_emit(ctx, ctx->items[i], VSPLIT_SPLIT_PAGE_IN);
	ctx->nr_log = 0;
}

static void vsplit_split_write_final(struct vsplit_split_ctx *ctx)
{
	u32 i;

	for (i = 0; i < ctx->in->nr_allocs; i++) {
		const struct vsplit_split_state *st = &ctx->st[i];
		struct vsplit_split_final *final = &ctx->out->final[i];

		final->seg = st->seg;
		final->offset = st->seg == VSPLIT_SPLIT_SYSTEM ? 0 : vsplit_split_at(ctx, i);
		final->flags = st->flags & (VSPLIT_SPLIT_ALLOC_DIRTY | VSPLIT_SPLIT_ALLOC_CLEAR);
		final->last_portion = st->rows ? ctx->portion - 1 : st->last_portion;
		final->last_op = st->last_op;
	}
}

/* Report the steps of all attempts together. */
static void vsplit_split_report_steps(const struct vsplit_split_ctx *ctx)
{
	ctx->out->steps = ctx->steps;
	ctx->out->searched = ctx->searched;
}

static int vsplit_split_restart(struct vsplit_split_ctx *ctx, enum vsplit_split_mode mode)
{
	bool homing = ctx->homing;
	int ret;

	/* The process is being killed: the list is not walked again. */
	if (ctx->error == -EINTR)
		return ctx->error;
	vsplit_split_report_steps(ctx);
	ret = vsplit_split_begin(ctx->in, ctx->out, ctx, mode);
	ctx->homing = homing;
	return ret;
}

/* Walk the list once more from its start. */
static int vsplit_split_again(struct vsplit_split_ctx *ctx, enum vsplit_split_mode mode)
{
	int ret = vsplit_split_restart(ctx, mode);

	return ret ?: vsplit_split_walk(ctx);
}

/* Could all that is bound be resident together, by the sizes? */
static bool vsplit_split_all_may_fit(struct vsplit_split_ctx *ctx)
{
	if (ctx->in->flags & VSPLIT_SPLIT_WALK_ONLY)
		return false;
	vsplit_split_collect(ctx, 0, ctx->in->nr_entries, VSPLIT_SPLIT_NONE);
	return vsplit_split_may_pack(ctx);
}

/* Place all that is bound, as if the list were a single group at its start. */
static bool vsplit_split_place_all(struct vsplit_split_ctx *ctx)
{
	vsplit_split_mark(ctx, 0, ctx->in->nr_entries);
	ctx->search = (s64)VSPLIT_SPLIT_SEARCH_PER_ENTRY * ctx->in->nr_entries;
	if (!vsplit_split_replan_group(ctx, 0, ctx->in->nr_entries))
		return false;
	/* Until the allocations are used, they may leave again. */
	ctx->group++;
	vsplit_split_spend(ctx, 0, ctx->in->nr_entries);
	return true;
}

/* Walk a list that has to be split from its start: in place, or laid out if that cuts too early. */
static int vsplit_split_in_portions(struct vsplit_split_ctx *ctx)
{
	int ret;

	ctx->in_place = !(ctx->in->flags & (VSPLIT_SPLIT_TAKE_SPLIT_POINT | VSPLIT_SPLIT_WALK_ONLY |
					    VSPLIT_SPLIT_LEAK_DETECTION));
	ret = vsplit_split_walk(ctx);
	if (ret != -EAGAIN)
		return ret;
	ret = vsplit_split_restart(ctx, VSPLIT_SPLIT_FORCED);
	if (ret)
		return ret;
	ctx->laid_out = true;
	ctx->look = ctx->in->nr_entries;
	ret = vsplit_split_walk(ctx);
	return ret == -ENOSPC || ret == -E2BIG ? vsplit_split_again(ctx, VSPLIT_SPLIT_FORCED) : ret;
}

/* Serve the list in one portion if that is possible, else in as many as the walk makes. */
static int vsplit_split_run(struct vsplit_split_ctx *ctx, bool may_fit)
{
	bool forced = ctx->in->flags & VSPLIT_SPLIT_TAKE_SPLIT_POINT;
	int ret = may_fit ? vsplit_split_walk(ctx) : vsplit_split_in_portions(ctx);

	if (!may_fit || (forced ? ret != -ENOSPC : !ret && ctx->portion == 1))
		return ret;
	ret = vsplit_split_restart(ctx, VSPLIT_SPLIT_FORCED);
	if (ret)
		return ret;
	if (vsplit_split_place_all(ctx))
		return vsplit_split_walk(ctx);
	ret = vsplit_split_restart(ctx, VSPLIT_SPLIT_FORCED);
	return ret ?: vsplit_split_in_portions(ctx);
}

/* Does the input leave anything to choose? */
static bool vsplit_split_may_plan(const struct vsplit_split_input *in)
{
	return in->flags & VSPLIT_SPLIT_PLANNED &&
	       !(in->flags & (VSPLIT_SPLIT_LEAK_DETECTION | VSPLIT_SPLIT_TAKE_SPLIT_POINT));
}

/* Make a planned walk; where paging overlaps running, walk once more so that paging is early. */
static int vsplit_split_run_planned(struct vsplit_split_ctx *ctx)
{
	int ret = vsplit_split_again(ctx, VSPLIT_SPLIT_SAVING);

	if (ret || !(ctx->in->flags & VSPLIT_SPLIT_AHEAD))
		return ret;
	vsplit_split_lead_learn(ctx);
	ret = vsplit_split_again(ctx, VSPLIT_SPLIT_EARLY);
	return ret ? vsplit_split_again(ctx, VSPLIT_SPLIT_SAVING) : 0;
}

/* Serve the list; if it has to be split and may be planned, with a planned walk. */
static int vsplit_split_run_mode(struct vsplit_split_ctx *ctx)
{
	bool may_fit = vsplit_split_all_may_fit(ctx);
	u32 flags = ctx->in->flags;
	int ret = -ENOSPC;

	if (!vsplit_split_may_plan(ctx->in))
		return vsplit_split_run(ctx, may_fit);
	if (may_fit || flags & VSPLIT_SPLIT_WALK_ONLY || vsplit_split_is_limited(ctx->in)) {
		ret = vsplit_split_run(ctx, may_fit);
		if ((ret && ret != -ENOSPC) || (!ret && ctx->portion == 1))
			return ret;
	}
	ret = vsplit_split_run_planned(ctx);
	if (!ret)
		return 0;
	ret = vsplit_split_restart(ctx, VSPLIT_SPLIT_FORCED);
	return ret ?: vsplit_split_in_portions(ctx);
}

/* Serve a list that no other walk serves: first find homes for all that is kept. */
static int vsplit_split_run_homes(struct vsplit_split_ctx *ctx)
{
	int ret = vsplit_split_restart(ctx, VSPLIT_SPLIT_FORCED);

	if (ret)
		return ret;
	if (vsplit_split_find_homes(ctx)) {
		ret = vsplit_split_may_plan(ctx->in) ? vsplit_split_run_planned(ctx) : -ENOSPC;
		if (ret == -ENOSPC || ret == -E2BIG)
			ret = vsplit_split_again(ctx, VSPLIT_SPLIT_FORCED);
		if (ret != -ENOSPC && ret != -E2BIG && ret != -EPERM)
			return ret;
		ctx->homing = false;
	}
	return vsplit_split_again(ctx, VSPLIT_SPLIT_FORCED);
}

int vsplit_split_plan(const struct vsplit_split_input *in, struct vsplit_split_output *out,
		      void *ws, size_t ws_bytes)
{
	struct vsplit_split_ctx *ctx = ws;
	int ret;

	vsplit_split_unguard(ws, ws_bytes);
	if (!vsplit_split_check(in) || ws_bytes < vsplit_split_workspace(in))
		return -EINVAL;
	out->steps = 0;
	out->searched = 0;
	ret = vsplit_split_begin(in, out, ws, VSPLIT_SPLIT_FORCED);
	if (ret)
		goto out;

	ret = vsplit_split_run_mode(ctx);
	if (ret == -ENOSPC && (in->flags & VSPLIT_SPLIT_LOOK_AHEAD || vsplit_split_may_plan(in)))
		ret = vsplit_split_run_homes(ctx);
	/* After an error there is no plan, and the log may have moves that cannot be undone. */
	if (!ctx->error) {
		/* Take back what was decided for the portion that failed. */
		vsplit_split_undo(ctx, 0);
		vsplit_split_stage(ctx);
	}
	if (ctx->error) {
		ret = ctx->error;
		goto out;
	}
	vsplit_split_write_final(ctx);
	out->nr_ops = ctx->nr_ops;
	out->nr_portions = ctx->portion;
	out->fail_entry = ret ? ctx->fail : VSPLIT_SPLIT_NONE;
out:
	vsplit_split_report_steps(ctx);
	vsplit_split_unguard(ws, ws_bytes);
	return ret;
}
