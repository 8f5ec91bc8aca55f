/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Shared between the files of the split code, and private to them.
 */
#ifndef _VSPLIT_SPLIT_PRIV_H_
#define _VSPLIT_SPLIT_PRIV_H_

#include "vsplit_split_compat.h"
#include "vsplit_split.h"

/*
 * Limits that keep every sum and every index far from overflow. They are far
 * above what the uapi admits. A segment has fewer pages than 2^32, too.
 */
#define VSPLIT_SPLIT_MAX_BYTES		0x100000000000000ULL	/* of one segment */
#define VSPLIT_SPLIT_MAX_ALLOCS		0x10000000u
#define VSPLIT_SPLIT_MAX_ENTRIES	0x10000000u
#define VSPLIT_SPLIT_MAX_SLOTS		0x10000000u

/* Evictions that an attempt may take back, for each entry: see VSPLIT_SPLIT_SEARCH_PER_ENTRY. */
#define VSPLIT_SPLIT_UNDO_PER_ENTRY	16

/*
 * Of a walk whose portions are laid out: entries that each entry grants to look for the end of a
 * portion, groups with which a layout is tried, and steps of a search for each of its items.
 */
#define VSPLIT_SPLIT_LOOK_PER_ENTRY	3
#define VSPLIT_SPLIT_LAYOUTS		6u
#define VSPLIT_SPLIT_SEARCH_PER_ITEM	128

/* Items and gaps with which a packing search is tried. */
#define VSPLIT_SPLIT_SEARCH_ITEMS	256u
#define VSPLIT_SPLIT_SEARCH_GAPS	512u

/* Orders in which homes are looked for, and homes that may give way to one: see vsplit_home.c. */
#define VSPLIT_SPLIT_ORDERS		64u
#define VSPLIT_SPLIT_HOMES		8u

/* Victims that are looked at before the index is asked, and those that may be let off. */
#ifndef VSPLIT_SPLIT_LOOKS
#define VSPLIT_SPLIT_LOOKS		64u
#endif

/*
 * Of a planned walk: what the loss of a page costs that the next entry needs, in those of one that
 * is not needed again; the part of a loss by which a cut makes it greater; and how many losses a
 * page has to save that moves, in those that take as long: most of what stays leaves soon after.
 */
#define VSPLIT_SPLIT_SOON		0x1000000u
#define VSPLIT_SPLIT_CUT		8u
#define VSPLIT_SPLIT_SLIDE		4u
/* So many times as long as in the mean do rows hold what lasts. */
#define VSPLIT_SPLIT_LASTS		2u

/*
 * Where paging overlaps what runs: the part of all memory that makes a portion large enough, so
 * that several of them have room; victims that a request passes by as they are in use; questions
 * about how long to wait; and the part of the time that a page-in takes which is no wait.
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
 * @next: node directly after it; of the last one the head.
 * @height: of its subtree.
 *
 * Allocation i is node i, fixed range j is node nr_allocs + j, and one more
 * node a segment is its head, the empty range [0, 0).
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
 * @own: behind the node's range.
 * @most: the longest of its subtree.
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
 * struct vsplit_split_tree - One kind of tree, of all segments.
 * @link: one a node; a node is in the tree of one segment at most.
 * @holes: for each node and alignment what is known of holes; NULL for
 *	RANK.
 * @root: of each segment.
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
 * @to: where the re-plan puts it; of the first one of a run of victims, while a slide is
 *	looked for, what is free in the run.
 * @rows: rows of the resource table that hold it.
 * @moved: portion number + 1 before which it moved last, for another one to come in.
 * @used: portion number + 1 when it was last introduced or dropped; together
 *	with @rows this is the working set: an allocation belongs to it when a
 *	row holds it or when it was introduced or replaced in this portion.
 * @group: group number + 1 of the last group that names it; while homes are looked for, the
 *	first entry of that.
 * @item: the same, set when the re-plan collects it; while homes are looked for, the entry that
 *	its stay begins with.
 * @next_use: index of the next entry that names it.
 * @stay: index of the entry that takes it out of the last of the rows that the
 *	group puts it into, or NONE; only set for items of a re-plan.
 * @last_portion: see struct vsplit_split_final.
 * @after: portions that use it before the evict or move of the current portion.
 * @last_op: see struct vsplit_split_final.
 * @wait: moves that must run before its move; while a slide is looked for, the first one of
 *	its run of victims.
 * @run: at either end of a run of victims that is being considered, the other
 *	end.
 * @first_dst: first move (by target) whose target touches where it is.
 * @first_src: first move (by source) whose source touches where it goes.
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
 * @firm: it is in FIRM. What is resident and not in it is a victim whose room is counted
 *	by searches there; where it is in neither, a layout is sought for it.
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
 * struct vsplit_split_home - Where what an entry names is while nothing can move it: vsplit_home.c.
 * @at: of the entry that a stay begins with, the place.
 * @seg: its segment.
 * @end: the entry with which the stay is over, or that would be behind the list.
 * @first: of each entry, the one that the stay begins with which it is a part of; NONE if it
 *	unbinds, or names what is pinned.
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
 * @dearest: victims up to this one in RANK are not in FIRM; the head if there is none.
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
 * @tree: of all segments.
 * @size: bytes of each node's range.
 * @st: one an allocation.
 * @gap: gaps that the packing search fills.
 * @frame: its stack.
 * @entry_next: per entry, the next entry that names the same allocation.
 * @row_next: per entry, the next entry that names the same row.
 * @owner: the resource table.
 * @touched: allocations introduced, dropped or moved in the current portion.
 * @log: what was done for the current portion, in the order it was decided.
 * @order: scratch, one a node; sorting, queues.
 * @items: scratch, one an allocation; members that the re-plan places.
 * @by_src: scratch, one an allocation; moves by source address.
 * @by_dst: scratch, one an allocation; moves by target address.
 * @queue: scratch, one an allocation; moves that may run, or what leaves for a slide.
 * @early: pages by which paging should be ahead when a group begins, at its first entry, and
 *	what all operations of a first walk transfer, behind the last entry; while that walks,
 *	what it transfers for a group. NULL without VSPLIT_SPLIT_AHEAD.
 * @over_at: with @ahead, when so many portions are over: see vsplit_lead.c.
 * @looked: victims that are looked at for one place, in policy order.
 * @home: one an entry; NULL without VSPLIT_SPLIT_LOOK_AHEAD or _PLANNED.
 * @stays: first entries of stays, one an entry; NULL likewise.
 * @near: scratch, one an entry, stays that share a segment with another one; NULL likewise.
 * @ends: of stays that have a home their ends, at the entries that they begin with; in front of
 *	them the largest of each two, of each four, and so on: a heap of @leaves. NULL likewise.
 * @lru_base: newest stamp of the input; uses in the list are newer.
 * @rand: state of the generator of random placement.
 * @align: alignments of the list, ascending.
 * @steps: taken so far: nodes of trees, victims, items and gaps that were looked at.
 * @relax_at: number of them at which the process is asked again.
 * @searched: of these, in packing searches.
 * @came: pages that operations transfer that are in the plan or the log.
 * @came_before: of these those of finished portions, or, of a first walk, of earlier groups.
 * @paged: with @ahead, when the operations of finished portions are over.
 * @grown: with @ahead, bytes in memory segments that the current portion uses and did not keep.
 * @large: with so many it is large enough.
 * @held: of a planned walk: for how many entries rows hold what the entries name, all together.
 * @staying: bytes of the stays that have begun and not ended.
 * @search: steps that packing searches may still take.
 * @undo: evictions that attempts may still take back.
 * @look: entries that may still be looked at for the ends of portions.
 * @nr_aligns: elements of @align.
 * @page_shift: of the page size.
 * @leaves: a power of two, one an entry and more.
 * @nr_stays: elements of @stays.
 * @nr_touched: elements of @touched.
 * @nr_log: elements of @log.
 * @nr_items: elements of @items.
 * @nr_looked: elements of @looked.
 * @bound: rows that are not empty.
 * @portion: number of the portion being prepared.
 * @begin: its first byte.
 * @first_entry: its first entry.
 * @group: number + 1 of the group being processed.
 * @nr_ops: operations of finished portions.
 * @error: -E2BIG, -ENOBUFS or -ENOMEM: the plan has no room in the output; -EINTR: the process is
 *	being killed. Such a run has no plan.
 * @fail: entry that could not be served.
 * @run_end: end of the group behind the portion that is being laid out.
 * @stay: of @homing, the one for which there shall be a place; NONE: of none.
 * @now: first entry of the group being processed.
 * @slide_first: of what leaves or moves for a slide, the lowest one.
 * @slide_last: the highest one.
 * @nr_slide: elements of @queue that leave for it.
 * @by_next_use: of victims that leaves first whose next use is farthest, not the oldest one.
 * @planned: the walk may cut where that saves bytes, see vsplit_walk.c.
 * @ahead: paging will overlap the portions before, likewise.
 * @saves: a planned walk has found that something spent should leave: it cuts.
 * @lasts: rows will hold what comes in much longer than most, see vsplit_place.c.
 * @slides: the place that was found is free when vsplit_split_slide() has made it so.
 * @homing: what comes in leaves the homes of others free, see vsplit_home.c.
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
 * @class: alignment of the offset.
 * @lo: it is not below this.
 * @hi: nor does it reach beyond this.
 * @top: of all holes the highest, not the lowest.
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
 * @VSPLIT_SPLIT_FORCED: it is cut where memory is low.
 * @VSPLIT_SPLIT_SAVING: also where that saves bytes: it is a planned walk.
 * @VSPLIT_SPLIT_EARLY: so that paging overlaps what runs, besides; a walk of the kind before has
 *	served the list.
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
void vsplit_split_victim_init(struct vsplit_split_ctx *ctx);
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
bool vsplit_split_pack_run(struct vsplit_split_ctx *ctx, u32 end, bool search);

/* vsplit_home.c: a place for each */
bool vsplit_split_find_homes(struct vsplit_split_ctx *ctx);
bool vsplit_split_may_stay(struct vsplit_split_ctx *ctx, u32 seg, u64 at);
bool vsplit_split_may_all_stay(struct vsplit_split_ctx *ctx, u32 first, u32 end);
bool vsplit_split_send_home(struct vsplit_split_ctx *ctx, u32 first, u32 end);

/* vsplit_lead.c: when paging gets to what is planned */
void vsplit_split_lead_group(struct vsplit_split_ctx *ctx, u32 first);
void vsplit_split_lead_learn(struct vsplit_split_ctx *ctx);
void vsplit_split_lead_op(struct vsplit_split_ctx *ctx, const struct vsplit_split_op *op);
void vsplit_split_lead_portion(struct vsplit_split_ctx *ctx, u32 end);
u32 vsplit_split_lead_over(struct vsplit_split_ctx *ctx, u64 bytes);

/* vsplit_move.c: from the old layout to the new one */
void vsplit_split_relocate(struct vsplit_split_ctx *ctx);

/* Every loop that a list can make long counts. */
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

/* For how many entries a row holds what this one names. */
static inline u32 vsplit_split_stay(const struct vsplit_split_ctx *ctx, u32 entry)
{
	u32 end = ctx->row_next[entry];

	return (end < ctx->in->nr_entries ? end : ctx->in->nr_entries) - entry;
}

/* Where the input has it: of the node of an allocation, a fixed range, or a head. */
static inline u32 vsplit_split_node_seg(const struct vsplit_split_ctx *ctx, u32 n)
{
	const struct vsplit_split_input *in = ctx->in;

	if (n < in->nr_allocs)
		return in->allocs[n].seg;
	n -= in->nr_allocs;
	return n < in->nr_fixed ? in->fixed[n].seg : n - in->nr_fixed;
}

/* How many of the first nodes, sorted by segment, are of the same one. */
static inline u32 vsplit_split_nodes_of_seg(const struct vsplit_split_ctx *ctx, const u32 *nodes,
					    u32 nr)
{
	u32 i = 1;

	while (i < nr && vsplit_split_node_seg(ctx, nodes[i]) ==
			 vsplit_split_node_seg(ctx, nodes[0]))
		i++;
	return i;
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

/* Bytes in all apertures; @evicting: those of victims do not count. */
static inline u64 vsplit_split_aperture_bytes(const struct vsplit_split_ctx *ctx, bool evicting)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < ctx->in->nr_segments; i++)
		if (vsplit_split_is_aperture(ctx, i))
			sum += ctx->seg[i].used - (evicting ? ctx->seg[i].evictable : 0);
	return sum;
}

/* Do the limits let @size more bytes into a segment, if victims there may be evicted? */
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

/* Stays where it is at the current split whatever the group wants. */
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

/* First byte behind it. */
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

/* Does the CPU see a part of it only? */
static inline bool vsplit_split_is_parted(const struct vsplit_split_ctx *ctx, u32 seg)
{
	const struct vsplit_split_segment *s = &ctx->in->segments[seg];

	return s->visible && s->visible < s->size;
}

/*
 * The part of a segment that an allocation prefers to the rest, where the CPU sees a
 * part only: what the CPU sees, or, of what the CPU need not see, the rest. False if
 * there is none, or it is too large for it.
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
 * Of what no row holds: the running portion has used it, or it has moved before that for another
 * one, so it takes a cut to let it leave.
 */
static inline bool vsplit_split_is_spent(const struct vsplit_split_ctx *ctx, u32 node)
{
	return ctx->st[node].used == ctx->portion + 1 || ctx->st[node].moved == ctx->portion + 1;
}

/* The portions that use it; those before it are over as soon as these are. */
static inline u32 vsplit_split_uses(const struct vsplit_split_ctx *ctx, u32 node)
{
	return ctx->st[node].last_portion + 1;	/* NONE + 1 is 0 */
}

/* In neither the working set nor the group, and not nailed down; spent only where a cut may be. */
static inline bool vsplit_split_is_victim(const struct vsplit_split_ctx *ctx, u32 node)
{
	return !vsplit_split_is_kept(ctx, node) &&
	       (!vsplit_split_is_spent(ctx, node) ||
		(ctx->planned && ctx->in->entries[ctx->now].split > ctx->begin)) &&
	       ctx->st[node].group != ctx->group;
}

/* Of victims that are looked at, and so marked: is it the first one of a run? */
static inline bool vsplit_split_begins_run(const struct vsplit_split_ctx *ctx, u32 v)
{
	u32 prev = ctx->tree[VSPLIT_SPLIT_FREE].link[v].prev;

	return prev >= ctx->in->nr_allocs || !ctx->st[prev].mark;
}

/* Pages that the latest operation of this kind carries over the bus, or fills. */
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
