/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Shared between the files of the split code, and private to them.
 */
#ifndef _VSPLIT_SPLIT_PRIV_H_
#define _VSPLIT_SPLIT_PRIV_H_

#include "vsplit_split_compat.h"
#include "vsplit_split.h"

/*
 * Limits that keep every sum and every index far from overflow. They are far above what the uapi
 * admits. A segment also has fewer than 2^32 pages.
 */
#define VSPLIT_SPLIT_MAX_BYTES		0x100000000000000ULL	/* of one segment */
#define VSPLIT_SPLIT_MAX_ALLOCS		0x10000000u
#define VSPLIT_SPLIT_MAX_ENTRIES	0x10000000u
#define VSPLIT_SPLIT_MAX_SLOTS		0x10000000u

/* Operations that attempts may take back, for each entry; see VSPLIT_SPLIT_SEARCH_PER_ENTRY. */
#define VSPLIT_SPLIT_UNDO_PER_ENTRY	16
/* The most operations that a cut takes back in a walk in place. */
#define VSPLIT_SPLIT_UNDO_AT_CUT	16u

/*
 * For a walk that lays out its portions. LOOK: for each entry of the list, how many entries may be
 * looked at to find the ends of portions. LAYOUTS: attempts at the layout of a portion, each with a
 * group less. SEARCH_PER_ITEM: steps of a search, for each of its items.
 */
#define VSPLIT_SPLIT_LOOK_PER_ENTRY	3
#define VSPLIT_SPLIT_LAYOUTS		6u
#define VSPLIT_SPLIT_SEARCH_PER_ITEM	512

/* The most items and gaps with which a packing search is tried. */
#define VSPLIT_SPLIT_SEARCH_ITEMS	256u
#define VSPLIT_SPLIT_SEARCH_GAPS	512u

/* Orders in which homes are looked for; homes that may give way to another one (vsplit_home.c). */
#define VSPLIT_SPLIT_ORDERS		64u
#define VSPLIT_SPLIT_HOMES		8u

/* Victims that are looked at before the index is asked; chosen victims that may be let off. */
#ifndef VSPLIT_SPLIT_LOOKS
#define VSPLIT_SPLIT_LOOKS		64u
#endif

/*
 * For a planned walk. SOON: losing a page that the next entry needs costs so many times as much as
 * losing a page that is not needed again. CUT: a cut makes a loss greater by 1 / CUT of it. SLIDE:
 * a move costs so many times as much as losses that take as long, because most of what a move keeps
 * leaves soon after.
 */
#define VSPLIT_SPLIT_SOON		0x1000000u
#define VSPLIT_SPLIT_CUT		8u
#define VSPLIT_SPLIT_SLIDE		4u
/* An allocation lasts if rows hold it more than so many times as long as in the mean. */
#define VSPLIT_SPLIT_LASTS		2u

/*
 * For a walk whose paging overlaps running. PART: a portion is large enough with 1 / PART of all
 * memory, so that several portions have room. IN_USE: victims in use that a request passes by.
 * WAITS: questions about how long to wait. SHORT: a wait of 1 / SHORT of the time that the page-in
 * takes does not count.
 */
#define VSPLIT_SPLIT_PART		16u
#define VSPLIT_SPLIT_IN_USE		VSPLIT_SPLIT_LOOKS
#define VSPLIT_SPLIT_WAITS		2u
#define VSPLIT_SPLIT_SHORT		8u

/* Steps between two questions whether the process is being killed. */
#ifndef VSPLIT_SPLIT_RELAX_STEPS
#define VSPLIT_SPLIT_RELAX_STEPS	4096u
#endif

/* Low bits of an element of the log; the rest is the allocation. */
#define VSPLIT_SPLIT_LOG_SHIFT		2
#define VSPLIT_SPLIT_LOG_MASK		3u

/**
 * struct vsplit_split_link - A node of a tree.
 * @start: first byte of its range.
 * @parent: node above it, or NONE.
 * @child: nodes below it that are before (0) and after it (1), or NONE.
 * @prev: node directly before it.
 * @next: node directly after it; for the last node, the head.
 * @height: of its subtree.
 *
 * Allocation i is node i, fixed range j is node nr_allocs + j, and each segment has one more node,
 * its head, which is the empty range [0, 0).
 */
struct vsplit_split_link {
	u64 start;
	u32 parent;
	u32 child[2];
	u32 prev;
	u32 next;
	u32 height;
};

/**
 * struct vsplit_split_holes - Holes, in pages from the first aligned byte.
 * @own: the hole behind the node's range.
 * @most: the longest hole of its subtree.
 */
struct vsplit_split_holes {
	u32 own;
	u32 most;
};

/* The trees of a segment, see vsplit_tree.c. */
enum {
	VSPLIT_SPLIT_FREE,
	VSPLIT_SPLIT_FIRM,
	VSPLIT_SPLIT_RANK,
	VSPLIT_SPLIT_TREES
};

/**
 * struct vsplit_split_tree - The trees of one kind, of all segments.
 * @link: one for each node; a node is in the tree of one segment at most.
 * @holes: one for each node and alignment; NULL for RANK.
 * @root: root of each segment's tree.
 */
struct vsplit_split_tree {
	struct vsplit_split_link *link;
	struct vsplit_split_holes *holes;
	u32 root[VSPLIT_SPLIT_MAX_SEGMENTS];
};

/**
 * struct vsplit_split_state - What the walk knows of an allocation.
 * @lru: stamp of last use.
 * @from: where it was before the evict or move of the current portion.
 * @to: where the re-plan puts it; while a slide is looked for, the free bytes of the run of victims
 *	that it begins.
 * @rows: rows of the resource table that hold it.
 * @moved: number + 1 of the portion before which it last moved to make room for another one.
 * @used: number + 1 of the portion in which it was last introduced or dropped. Together with @rows
 *	this is the working set: an allocation belongs to it if a row holds it or if it was
 *	introduced or dropped in this portion.
 * @group: value of &vsplit_split_ctx.group for the last group, or layout, that names it; NONE at
 *	first. While homes are looked for, the first entry of the last group that names it.
 * @item: stamp of the last re-plan that collected it; while homes are looked for, the entry that
 *	its stay begins with.
 * @next_use: index of the next entry that names it.
 * @stay: index of the entry that takes it out of the last of the rows into which a re-plan's
 *	entries put it, or NONE; only set by a re-plan.
 * @last_portion: see struct vsplit_split_final.
 * @after: portions that must be done before its evict or move of the current portion.
 * @last_op: see struct vsplit_split_final.
 * @wait: moves that must run before its move; while a layout is sought, the set of its segments;
 *	while a slide is looked for, the first one of its run of victims.
 * @run: at either end of a run of victims that is being considered, the other
 *	end.
 * @first_dst: first move (by target) whose target touches its source.
 * @first_src: first move (by source) whose source touches its target.
 * @seg: where it is; the offset is in FREE.
 * @from_seg: segment that belongs to @from.
 * @to_seg: segment that belongs to @to.
 * @flags: VSPLIT_SPLIT_ALLOC_{DIRTY,CLEAR,DISCARD} as they are now.
 * @flags_out: @flags before the evict of the current portion.
 * @flags_in: @flags before the page-in of the current portion.
 * @op_out: operation flags of that evict.
 * @op_in: operation flags of that page-in.
 * @class: index of its alignment.
 * @victim: it is in RANK.
 * @firm: it is in FIRM. A resident allocation that is not in FIRM is a victim, whose room searches
 *	there count as free, or an item for which a layout is sought.
 * @mark: scratch of one placement.
 */
struct vsplit_split_state {
	u64 lru;
	u64 from;
	u64 to;
	u32 rows;
	u32 moved;
	u32 used;
	u32 group;
	u32 item;
	u32 next_use;
	u32 stay;
	u32 last_portion;
	u32 after;
	u32 last_op;
	u32 wait;
	u32 run;
	u32 first_dst;
	u32 first_src;
	u8 seg;
	u8 from_seg;
	u8 to_seg;
	u8 flags;
	u8 flags_out;
	u8 flags_in;
	u8 op_out;
	u8 op_in;
	u8 class;
	u8 victim;
	u8 firm;
	u8 mark;
};

/**
 * struct vsplit_split_gap - Free range that the packing search may use.
 * @start: first byte.
 * @end: one past the last byte.
 * @seg: segment.
 */
struct vsplit_split_gap {
	u64 start;
	u64 end;
	u32 seg;
};

/**
 * struct vsplit_split_frame - One decision of the packing search.
 * @cursor: end of what was packed into the gap before the decision.
 * @pick: position in the order of the item put there, or NONE: gap closed.
 */
struct vsplit_split_frame {
	u64 cursor;
	u32 pick;
};

/**
 * struct vsplit_split_home - The stay that an entry is part of, see vsplit_home.c.
 * @at: offset of the stay's home; only at the entry with which the stay begins.
 * @seg: segment of the home; likewise.
 * @end: entry with which the stay is over, or the number of entries; likewise.
 * @first: entry with which the stay begins; NONE if this entry unbinds, or names a pinned
 *	allocation.
 */
struct vsplit_split_home {
	u64 at;
	u32 seg;
	u32 end;
	u32 first;
};

/**
 * struct vsplit_split_seg - A segment while planning.
 * @used: bytes resident, fixed ranges included.
 * @evictable: bytes of its victims.
 * @dearest: the last victim in RANK that is out of FIRM, as all before it are; or the head.
 * @head: node that heads its trees.
 */
struct vsplit_split_seg {
	u64 used;
	u64 evictable;
	u32 dearest;
	u32 head;
};

/**
 * struct vsplit_split_ctx - One run of the planner; at the start of its
 * workspace.
 * @in: the problem.
 * @out: the plan.
 * @tree: the trees of all segments.
 * @size: bytes of each node's range.
 * @st: one for each allocation.
 * @gap: gaps that the packing search fills.
 * @frame: stack of this search.
 * @entry_next: per entry, the next entry that names the same allocation.
 * @row_next: per entry, the next entry that names the same row.
 * @owner: the resource table.
 * @touched: allocations introduced, dropped or moved in the current portion.
 * @log: what was done for the current portion, in the order it was decided.
 * @order: scratch, one for each node; sorting, paths.
 * @items: scratch, one for each allocation; members that the re-plan places.
 * @by_src: scratch, one for each allocation; moves by source address.
 * @by_dst: scratch, one for each allocation; moves by target address; orders of items.
 * @queue: scratch, one for each allocation; moves that may run, or what leaves for a slide.
 * @early: at the first entry of each group, the pages by which paging should be ahead when the
 *	group begins; during a first walk, the pages that it transfers for the group. Behind the
 *	last entry, the pages that all operations of a first walk transfer. NULL without
 *	VSPLIT_SPLIT_AHEAD.
 * @over_at: with @ahead, at index i the time when i portions are over (vsplit_lead.c).
 * @looked: victims that are looked at for one place, in policy order.
 * @home: one for each entry; NULL without VSPLIT_SPLIT_LOOK_AHEAD or _PLANNED.
 * @stays: first entries of stays, room for each entry; NULL likewise.
 * @near: scratch, room for each entry: homes in the segment and at the time of a stay; NULL
 *	likewise.
 * @ends: a heap with @leaves leaves. Its leaves are the ends of the stays that have a home, at the
 *	entries that they begin with; above them is the largest of each two, of each four, and so
 *	on. NULL likewise.
 * @lru_base: newest stamp of the input; uses in the list are newer.
 * @rand: state of the generator of random placement.
 * @align: alignments of the list, ascending.
 * @steps: taken so far: nodes of trees, victims, items and gaps that were looked at.
 * @relax_at: number of steps at which the planner next asks whether the process is being killed.
 * @searched: those of @steps that searches for packings and homes took.
 * @came: pages that the operations in the plan and in the log transfer or fill, moves left out.
 * @came_before: those of @came for finished portions or, in a first walk, for earlier groups.
 * @paged: with @ahead, the time when the operations of finished portions are over.
 * @grown: with @ahead, bytes in memory segments that the current portion has introduced or dropped.
 * @large: with so many bytes in @grown the portion is large enough.
 * @held: in a planned walk, the sum of vsplit_split_stay() of all entries.
 * @staying: bytes of the stays that have begun and not ended.
 * @search: steps that searches for packings and homes may still take.
 * @undo: operations that attempts may still take back.
 * @look: entries that may still be looked at for the ends of portions.
 * @nr_aligns: elements of @align.
 * @page_shift: of the page size.
 * @leaves: a power of two that is not less than the number of entries.
 * @nr_stays: elements of @stays.
 * @nr_touched: elements of @touched.
 * @nr_log: elements of @log.
 * @back: length of @log to which a cut before the group takes it back; in a walk in place that
 *	before the first operation for which something left.
 * @nr_items: elements of @items.
 * @nr_looked: elements of @looked.
 * @bound: rows that are not empty.
 * @portion: number of the portion being prepared.
 * @begin: its first byte.
 * @first_entry: its first entry.
 * @group: stamp of the group, or layout, being processed; grows from each to the next.
 * @nr_ops: operations of finished portions.
 * @error: -E2BIG, -ENOBUFS or -ENOMEM: the plan has no room in the output; -EINTR: the process is
 *	being killed. Such a run has no plan.
 * @fail: entry that could not be served.
 * @run_end: end of the group behind the portion that is being laid out.
 * @stay: with @homing, the stay for which a place is sought, or NONE.
 * @now: first entry of the group being processed.
 * @slide_first: the lowest allocation that leaves or moves for a slide.
 * @slide_last: the highest one.
 * @nr_slide: elements of @queue that leave for the slide.
 * @by_next_use: the victim whose next use is farthest leaves first, not the oldest one.
 * @planned: the walk may cut where that saves bytes, see vsplit_walk.c.
 * @ahead: paging will overlap earlier portions, likewise.
 * @saves: a planned walk has found that a spent allocation should leave, and so has to cut.
 * @lasts: rows will hold the allocation that comes in much longer than most, see vsplit_place.c.
 * @slides: vsplit_split_slide() has to make the place that was found free.
 * @homing: allocations that come in leave the homes of others free, see vsplit_home.c.
 * @in_place: the walk gives up where it would cut for fragmentation.
 * @laid_out: each portion is laid out at its start.
 * @seg: the segments.
 */
struct vsplit_split_ctx {
	const struct vsplit_split_input *in;
	struct vsplit_split_output *out;
	struct vsplit_split_tree tree[VSPLIT_SPLIT_TREES];
	u64 *size;
	struct vsplit_split_state *st;
	struct vsplit_split_gap *gap;
	struct vsplit_split_frame *frame;
	u32 *entry_next;
	u32 *row_next;
	u32 *owner;
	u32 *touched;
	u32 *log;
	u32 *order;
	u32 *items;
	u32 *by_src;
	u32 *by_dst;
	u32 *queue;
	u64 *early;
	u64 *over_at;
	u32 looked[VSPLIT_SPLIT_LOOKS];
	struct vsplit_split_home *home;
	u32 *stays;
	u32 *near;
	u32 *ends;
	u64 lru_base;
	u64 rand;
	u64 align[64];
	u64 steps;
	u64 searched;
	u64 relax_at;
	u64 came;
	u64 came_before;
	u64 paged;
	u64 grown;
	u64 large;
	u64 held;
	u64 staying;
	s64 search;
	s64 undo;
	s64 look;
	u32 leaves;
	u32 nr_stays;
	u32 nr_aligns;
	u32 page_shift;
	u32 nr_touched;
	u32 nr_log;
	u32 back;
	u32 nr_items;
	u32 nr_looked;
	u32 bound;
	u32 portion;
	u32 begin;
	u32 first_entry;
	u32 group;
	u32 nr_ops;
	u32 fail;
	u32 run_end;
	u32 stay;
	u32 now;
	u32 slide_first;
	u32 slide_last;
	u32 nr_slide;
	int error;
	bool by_next_use;
	bool planned;
	bool ahead;
	bool saves;
	bool lasts;
	bool slides;
	bool homing;
	bool in_place;
	bool laid_out;
	struct vsplit_split_seg seg[VSPLIT_SPLIT_MAX_SEGMENTS];
};

/**
 * struct vsplit_split_want - A place that is looked for.
 * @size: bytes.
 * @class: index of the alignment that the offset must have.
 * @lo: the place does not begin below this.
 * @hi: the place does not reach beyond this.
 * @top: take the highest hole, not the lowest.
 */
struct vsplit_split_want {
	u64 size;
	u64 lo;
	u64 hi;
	u32 class;
	bool top;
};

/**
 * enum vsplit_split_mode - How a list is walked.
 * @VSPLIT_SPLIT_FORCED: the list is cut where memory is low.
 * @VSPLIT_SPLIT_SAVING: a planned walk: the list is also cut where that saves bytes.
 * @VSPLIT_SPLIT_EARLY: a planned walk that also lets paging overlap running; a walk with
 *	VSPLIT_SPLIT_SAVING has served the list.
 */
enum vsplit_split_mode {
	VSPLIT_SPLIT_FORCED,
	VSPLIT_SPLIT_SAVING,
	VSPLIT_SPLIT_EARLY,
};

/* vsplit_begin.c: the input and the workspace */
bool vsplit_split_check(const struct vsplit_split_input *in);
int vsplit_split_begin(const struct vsplit_split_input *in, struct vsplit_split_output *out,
		       void *ws, enum vsplit_split_mode mode);

/* vsplit_tree.c: what is where, and what is between */
void vsplit_split_tree_build(struct vsplit_split_ctx *ctx, struct vsplit_split_tree *t, u32 seg,
			     const u32 *nodes, u32 nr);
void vsplit_split_tree_add(struct vsplit_split_ctx *ctx, struct vsplit_split_tree *t, u32 seg,
			   u32 n, u32 after, u64 start);
void vsplit_split_tree_del(struct vsplit_split_ctx *ctx, struct vsplit_split_tree *t, u32 seg,
			   u32 n);
u32 vsplit_split_tree_at(struct vsplit_split_ctx *ctx, const struct vsplit_split_tree *t, u32 seg,
			 u64 at);
u32 vsplit_split_seek(struct vsplit_split_ctx *ctx, const struct vsplit_split_tree *t,
		      u32 seg, u32 n, u32 class, u32 pages, bool up);
bool vsplit_split_find_hole(struct vsplit_split_ctx *ctx, const struct vsplit_split_tree *t,
			    u32 seg, const struct vsplit_split_want *want, u64 *offset);

/* vsplit_place.c: ranges in segments */
typedef bool (*vsplit_split_less_t)(const struct vsplit_split_ctx *ctx, u32 a, u32 b);

void vsplit_split_sort(struct vsplit_split_ctx *ctx, u32 *a, u32 n, vsplit_split_less_t less);
void vsplit_split_firm_add(struct vsplit_split_ctx *ctx, u32 a, u32 seg, u64 offset);
void vsplit_split_firm_del(struct vsplit_split_ctx *ctx, u32 a, u32 seg);
void vsplit_split_list_add(struct vsplit_split_ctx *ctx, u32 a, u32 seg, u64 offset);
void vsplit_split_list_del(struct vsplit_split_ctx *ctx, u32 a);
void vsplit_split_note_evict(struct vsplit_split_ctx *ctx, u32 a);
void vsplit_split_note_page_in(struct vsplit_split_ctx *ctx, u32 a, u32 seg);
void vsplit_split_evict(struct vsplit_split_ctx *ctx, u32 a);
void vsplit_split_note_move(struct vsplit_split_ctx *ctx, u32 a);
void vsplit_split_move(struct vsplit_split_ctx *ctx, u32 a, u64 to);
void vsplit_split_undo(struct vsplit_split_ctx *ctx, u32 mark);
struct vsplit_split_want vsplit_split_anywhere(const struct vsplit_split_ctx *ctx, u32 a,
					       u32 seg);
bool vsplit_split_page_in(struct vsplit_split_ctx *ctx, u32 entry);
bool vsplit_split_map_evicted(struct vsplit_split_ctx *ctx, u32 a);

/* vsplit_policy.c: victims */
void vsplit_split_victim_init(struct vsplit_split_ctx *ctx, u32 seg, u32 nr);
void vsplit_split_victim_add(struct vsplit_split_ctx *ctx, u32 a);
void vsplit_split_victim_del(struct vsplit_split_ctx *ctx, u32 a);
void vsplit_split_clear_all(struct vsplit_split_ctx *ctx, u32 seg);
u64 vsplit_split_loss(const struct vsplit_split_ctx *ctx, u32 a);
void vsplit_split_evict_victims(struct vsplit_split_ctx *ctx, u32 seg);
bool vsplit_split_find_window(struct vsplit_split_ctx *ctx, u32 seg,
			      const struct vsplit_split_want *want, u64 *offset);
void vsplit_split_trim(struct vsplit_split_ctx *ctx, u32 seg);

/* vsplit_slide.c: room by moving */
bool vsplit_split_find_slide(struct vsplit_split_ctx *ctx, u32 seg,
			     const struct vsplit_split_want *want, u64 best, u64 *at);
bool vsplit_split_slide(struct vsplit_split_ctx *ctx, u32 seg);

/* vsplit_pack.c: a layout for what may move at a split */
bool vsplit_split_may_pack(struct vsplit_split_ctx *ctx);
bool vsplit_split_pack(struct vsplit_split_ctx *ctx);
bool vsplit_split_pack_home(struct vsplit_split_ctx *ctx);
bool vsplit_split_pack_run(struct vsplit_split_ctx *ctx, u32 end, bool moving);

/* vsplit_home.c: a home for each stay */
bool vsplit_split_find_homes(struct vsplit_split_ctx *ctx);
bool vsplit_split_may_stay(struct vsplit_split_ctx *ctx, u32 seg, u64 at);
bool vsplit_split_may_all_stay(struct vsplit_split_ctx *ctx, u32 first, u32 end);
bool vsplit_split_send_home(struct vsplit_split_ctx *ctx, u32 first, u32 end);

/* vsplit_lead.c: how far paging is ahead */
void vsplit_split_lead_group(struct vsplit_split_ctx *ctx, u32 first);
void vsplit_split_lead_learn(struct vsplit_split_ctx *ctx);
void vsplit_split_lead_op(struct vsplit_split_ctx *ctx, const struct vsplit_split_op *op);
void vsplit_split_lead_portion(struct vsplit_split_ctx *ctx, u32 end);
u32 vsplit_split_lead_over(struct vsplit_split_ctx *ctx, u64 bytes);

/* vsplit_move.c: from the old layout to the new one */
void vsplit_split_relocate(struct vsplit_split_ctx *ctx);

/* Count steps. Every loop that a list can make long calls this. */
static inline void vsplit_split_step(struct vsplit_split_ctx *ctx, u32 steps)
{
	ctx->steps += steps;
	if (ctx->steps < ctx->relax_at)
		return;
	ctx->relax_at = ctx->steps + VSPLIT_SPLIT_RELAX_STEPS;
	if (vsplit_split_relax())
		ctx->error = -EINTR;
}

static inline bool vsplit_split_align(u64 x, u64 align, u64 *aligned)
{
	if (x > U64_MAX - (align - 1))
		return false;
	*aligned = (x + align - 1) & ~(align - 1);
	return true;
}

/* For how many entries the row of @entry holds what the entry names. */
static inline u32 vsplit_split_stay(const struct vsplit_split_ctx *ctx, u32 entry)
{
	return min(ctx->row_next[entry], ctx->in->nr_entries) - entry;
}

static inline bool vsplit_split_is_aperture(const struct vsplit_split_ctx *ctx, u32 seg)
{
	return ctx->in->segments[seg].flags & VSPLIT_SPLIT_SEG_APERTURE;
}

static inline bool vsplit_split_allowed(const struct vsplit_split_ctx *ctx, u32 a, u32 seg)
{
	const struct vsplit_split_alloc *alloc = &ctx->in->allocs[a];
	u32 i;

	for (i = 0; i < alloc->nr_segs; i++)
		if (alloc->segs[i] == seg)
			return true;
	return false;
}

/* Bytes in all apertures; with @evicting those of victims do not count. */
static inline u64 vsplit_split_aperture_bytes(const struct vsplit_split_ctx *ctx, bool evicting)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < ctx->in->nr_segments; i++)
		if (vsplit_split_is_aperture(ctx, i))
			sum += ctx->seg[i].used - (evicting ? ctx->seg[i].evictable : 0);
	return sum;
}

/* Do the limits let @size more bytes into a segment? With @evicting victims do not count. */
static inline bool vsplit_split_may_commit(const struct vsplit_split_ctx *ctx, u32 seg, u64 size,
					   bool evicting)
{
	u64 used = ctx->seg[seg].used - (evicting ? ctx->seg[seg].evictable : 0);
	u64 limit = ctx->in->segments[seg].commit_limit;

	if (used > limit || size > limit - used)
		return false;
	limit = ctx->in->aperture_limit;
	if (!limit || !vsplit_split_is_aperture(ctx, seg))
		return true;
	used = vsplit_split_aperture_bytes(ctx, evicting);
	return used <= limit && size <= limit - used;
}

/* Does a node stay where it is at the current split, whatever the group names? */
static inline bool vsplit_split_is_kept(const struct vsplit_split_ctx *ctx, u32 node)
{
	return node >= ctx->in->nr_allocs || ctx->st[node].rows ||
	       (ctx->in->allocs[node].flags & VSPLIT_SPLIT_ALLOC_PINNED);
}

/* Where a resident allocation, or a fixed range, begins. */
static inline u64 vsplit_split_at(const struct vsplit_split_ctx *ctx, u32 node)
{
	return ctx->tree[VSPLIT_SPLIT_FREE].link[node].start;
}

/* The first byte behind a resident allocation, or a fixed range. */
static inline u64 vsplit_split_end(const struct vsplit_split_ctx *ctx, u32 node)
{
	return vsplit_split_at(ctx, node) + ctx->size[node];
}

/* The hole between a node and the next one. */
static inline u64 vsplit_split_hole_start(const struct vsplit_split_ctx *ctx,
					  const struct vsplit_split_tree *t, u32 node)
{
	return t->link[node].start + ctx->size[node];
}

static inline u64 vsplit_split_hole_end(const struct vsplit_split_ctx *ctx,
					const struct vsplit_split_tree *t, u32 seg, u32 node)
{
	u32 next = t->link[node].next;

	return next == ctx->seg[seg].head ? ctx->in->segments[seg].size : t->link[next].start;
}

/* The end of the hole behind @n, or of its part that may be used. */
static inline u64 vsplit_split_limit(const struct vsplit_split_ctx *ctx, u32 seg,
				     const struct vsplit_split_want *want, u32 n)
{
	return min(vsplit_split_hole_end(ctx, &ctx->tree[VSPLIT_SPLIT_FREE], seg, n), want->hi);
}

/* Does the CPU see only a part of the segment? */
static inline bool vsplit_split_is_parted(const struct vsplit_split_ctx *ctx, u32 seg)
{
	const struct vsplit_split_segment *s = &ctx->in->segments[seg];

	return s->visible && s->visible < s->size;
}

/*
 * The part of a segment that an allocation prefers, where the CPU sees only a part: this part if
 * the CPU maps the allocation, else the rest. False if the CPU sees all or nothing of the segment,
 * or the allocation is larger than the part.
 */
static inline bool vsplit_split_part(const struct vsplit_split_ctx *ctx, u32 a, u32 seg,
				     u64 *lo, u64 *hi)
{
	const struct vsplit_split_segment *s = &ctx->in->segments[seg];
	bool cpu = ctx->in->allocs[a].flags & VSPLIT_SPLIT_ALLOC_CPU;

	if (!vsplit_split_is_parted(ctx, seg))
		return false;
	*lo = cpu ? 0 : s->visible;
	*hi = cpu ? s->visible : s->size;
	return ctx->size[a] <= *hi - *lo;
}

/* Does a range of this size fit between two bytes, and where? */
static inline bool vsplit_split_fits(u64 start, u64 end, u64 size, u64 align, u64 *offset)
{
	return vsplit_split_align(start, align, offset) && *offset <= end &&
	       size <= end - *offset;
}

/*
 * Does an allocation that no row holds need a cut before it can leave? It does if the running
 * portion has used it, or if it moved before this portion to make room for another one.
 */
static inline bool vsplit_split_is_spent(const struct vsplit_split_ctx *ctx, u32 node)
{
	return ctx->st[node].used == ctx->portion + 1 || ctx->st[node].moved == ctx->portion + 1;
}

/* How many portions have to be over before the allocation is no longer in use. */
static inline u32 vsplit_split_uses(const struct vsplit_split_ctx *ctx, u32 node)
{
	return ctx->st[node].last_portion + 1;	/* NONE + 1 is 0 */
}

/*
 * May the node leave? It must be neither pinned, nor in the working set, nor named by the group. A
 * planned walk lets spent allocations leave, too, where it can cut before the current group.
 */
static inline bool vsplit_split_is_victim(const struct vsplit_split_ctx *ctx, u32 node)
{
	return !vsplit_split_is_kept(ctx, node) &&
	       (!vsplit_split_is_spent(ctx, node) ||
		(ctx->planned && ctx->in->entries[ctx->now].split > ctx->begin)) &&
	       ctx->st[node].group != ctx->group;
}

/* Is @v, one of the victims that are looked at and so marked, the first one of its run? */
static inline bool vsplit_split_begins_run(const struct vsplit_split_ctx *ctx, u32 v)
{
	u32 prev = ctx->tree[VSPLIT_SPLIT_FREE].link[v].prev;

	return prev >= ctx->in->nr_allocs || !ctx->st[prev].mark;
}

/* Pages that the latest operation of this type on @a carries over the bus, or fills. */
static inline u64 vsplit_split_op_pages(const struct vsplit_split_ctx *ctx, u32 a,
					enum vsplit_split_op_type type)
{
	const struct vsplit_split_state *st = &ctx->st[a];

	if (type == VSPLIT_SPLIT_MOVE || !(type == VSPLIT_SPLIT_EVICT ? st->op_out : st->op_in))
		return 0;
	return ctx->size[a] >> ctx->page_shift;
}

static inline void vsplit_split_log(struct vsplit_split_ctx *ctx, u32 a,
				    enum vsplit_split_op_type type)
{
	ctx->came += vsplit_split_op_pages(ctx, a, type);
	ctx->log[ctx->nr_log++] = (a << VSPLIT_SPLIT_LOG_SHIFT) | type;
}

#endif /* _VSPLIT_SPLIT_PRIV_H_ */
