/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The split walk and the placement planner: pure C.
 *
 * This is the WDDM algorithm itself. Given segments, allocations and the
 * patch-location list of one DMA buffer, it decides where the buffer is cut into
 * portions and which paging operations run before each of them. It knows no DRM
 * and no TTM, allocates no memory, takes no lock and reads no clock. So the same
 * files are compiled into the module and into a user process, where they are
 * unit-tested, compared with a brute-force reference, fuzzed and measured. The
 * same input always gives the same output.
 *
 * Vocabulary (see Documentation/): an *entry* is one patch-location element; a
 * *group* is all adjacent entries of one SplitOffset; the *resource table* maps
 * slots to allocations; a row is *kept* at a taken split when no entry of the
 * group there names its slot; an allocation is kept when any kept row holds it.
 */
#ifndef _VSPLIT_SPLIT_H_
#define _VSPLIT_SPLIT_H_

#include "vsplit_split_compat.h"

#define VSPLIT_SPLIT_MAX_SEGMENTS	6
#define VSPLIT_SPLIT_SYSTEM		0xffu	/* segment index: system memory */
#define VSPLIT_SPLIT_NONE		0xffffffffu	/* no allocation (NULL), no slot */

/*
 * Steps that the search for a packing may take, for each entry. Later entries may use what an entry
 * leaves over. So two lists one after the other are granted at least what they are granted alone,
 * and a concatenation of lists that can be served can be served.
 */
#define VSPLIT_SPLIT_SEARCH_PER_ENTRY	0x4000

/* struct vsplit_split_segment.flags */
#define VSPLIT_SPLIT_SEG_APERTURE	0x1u	/* paging maps, moves no byte */

/**
 * struct vsplit_split_segment - One segment.
 * @size: bytes of address space; every range is inside [0, size).
 * @commit_limit: bytes that may be resident at once, <= @size; ranges in
 *	struct vsplit_split_input.fixed count.
 * @visible: bytes from its start that the CPU sees, <= @size.
 * @flags: VSPLIT_SPLIT_SEG_*.
 *
 * Where the CPU sees a part only, allocations with VSPLIT_SPLIT_ALLOC_CPU prefer that part, and all
 * others leave it free while there is room elsewhere.
 */
struct vsplit_split_segment {
	u64 size;
	u64 commit_limit;
	u64 visible;
	u32 flags;
};

/**
 * struct vsplit_split_range - A range that the plan must leave alone.
 * @start: first byte in the segment.
 * @size: bytes.
 * @seg: index of the segment.
 *
 * Foreign memory that is pinned, or that this plan must not evict.
 */
struct vsplit_split_range {
	u64 start;
	u64 size;
	u32 seg;
};

/* struct vsplit_split_alloc.flags */
#define VSPLIT_SPLIT_ALLOC_PINNED	0x1u	/* resident, never moves, never leaves */
#define VSPLIT_SPLIT_ALLOC_WRITE	0x2u	/* each portion that uses it dirties it */
#define VSPLIT_SPLIT_ALLOC_DIRTY	0x4u	/* bytes in @seg differ from the backing store */
#define VSPLIT_SPLIT_ALLOC_CLEAR	0x8u	/* backing store is all zeros: page-in is a FILL */
#define VSPLIT_SPLIT_ALLOC_DISCARD	0x10u	/* client overwrites all: first page-in is a FILL */
#define VSPLIT_SPLIT_ALLOC_CPU		0x20u	/* prefers what the CPU sees of a segment */

/**
 * struct vsplit_split_alloc - One allocation of the list.
 * @size: bytes, multiple of the page size, > 0.
 * @align: bytes, power of two, >= page size, of the offset in a segment.
 * @offset: in segment @seg, where it is now.
 * @lru: stamp of last use; smaller is older. Ties: smaller index is older.
 * @flags: VSPLIT_SPLIT_ALLOC_*.
 * @priority: smaller leaves earlier (EXT-28).
 * @seg: where it is now, or VSPLIT_SPLIT_SYSTEM.
 * @nr_segs: entries of @segs, >= 1.
 * @segs: segments it may live in, in order of preference.
 * @topdown: set of segments (bit i: segment i) in which it prefers the highest hole
 *	to the lowest (EXT-27).
 * @evict_set: set of aperture segments that take it when it is evicted from a memory
 *	segment (EXT-27). An allocation that the plan evicts and leaves in system memory is
 *	mapped, after the last portion, into the first of these segments that has room.
 */
struct vsplit_split_alloc {
	u64 size;
	u64 align;
	u64 offset;
	u64 lru;
	u32 flags;
	u32 priority;
	u8 seg;
	u8 nr_segs;
	u8 segs[VSPLIT_SPLIT_MAX_SEGMENTS];
	u8 topdown;
	u8 evict_set;
};

/**
 * struct vsplit_split_entry - One element of the patch-location list.
 * @alloc: index into the allocations, or VSPLIT_SPLIT_NONE to unbind.
 * @slot: row of the resource table, < struct vsplit_split_input.nr_slots.
 * @split: SplitOffset; not decreasing along the list.
 */
struct vsplit_split_entry {
	u32 alloc;
	u32 slot;
	u32 split;
};

/* struct vsplit_split_input.flags: fault knobs, named after EXT-14, and choices */
#define VSPLIT_SPLIT_TAKE_SPLIT_POINT	0x1u	/* each SplitOffset > 0 is a cut (SPLIT-8) */
#define VSPLIT_SPLIT_EVICT_BETWEEN	0x2u	/* at a cut evict all but kept and pinned */
#define VSPLIT_SPLIT_RANDOM_PLACEMENT	0x4u	/* holes by @seed instead of lowest fit */
#define VSPLIT_SPLIT_LEAK_DETECTION	0x8u	/* a taken split with a kept row fails (EXT-11) */
#define VSPLIT_SPLIT_WALK_ONLY		0x10u	/* split what fits only after moves at the start */
#define VSPLIT_SPLIT_LOOK_AHEAD		0x20u	/* look for homes before -ENOSPC */
#define VSPLIT_SPLIT_PLANNED		0x40u	/* lists to be split are also cut to save bytes */
#define VSPLIT_SPLIT_AHEAD		0x80u	/* with PLANNED: paging overlaps earlier portions */
/* Of the victims of one priority, that with the farthest next use leaves first, not the oldest. */
#define VSPLIT_SPLIT_NEXT_USE		0x100u

/**
 * struct vsplit_split_input - One planning problem; not changed by the planner.
 * @segments: @nr_segments of them.
 * @allocs: @nr_allocs of them.
 * @entries: the patch-location list, @nr_entries of them.
 * @fixed: ranges to leave alone, any order, not overlapping, @nr_fixed.
 * @nr_segments: 1 to VSPLIT_SPLIT_MAX_SEGMENTS.
 * @nr_allocs: 0 or more.
 * @nr_entries: 0 or more.
 * @nr_fixed: 0 or more.
 * @nr_slots: rows of the resource table.
 * @aperture_limit: bytes that may be resident in all aperture segments together
 *	(EXT-26), @fixed included; 0: no common limit.
 * @length: bytes of the DMA buffer, > 0.
 * @flags: VSPLIT_SPLIT_*.
 * @page: page size, bytes; the granule of offsets.
 * @memory_speed: pages that move inside a memory segment in the time in which one page crosses the
 *	bus; 0 stands for 1.
 * @seed: for VSPLIT_SPLIT_RANDOM_PLACEMENT.
 */
struct vsplit_split_input {
	const struct vsplit_split_segment *segments;
	const struct vsplit_split_alloc *allocs;
	const struct vsplit_split_entry *entries;
	const struct vsplit_split_range *fixed;
	u32 nr_segments;
	u32 nr_allocs;
	u32 nr_entries;
	u32 nr_fixed;
	u32 nr_slots;
	u32 length;
	u32 flags;
	u32 page;
	u32 memory_speed;
	u64 seed;
	u64 aperture_limit;
};

/**
 * enum vsplit_split_op_type - Paging operations.
 * @VSPLIT_SPLIT_EVICT: segment to system memory; aperture: unmap.
 * @VSPLIT_SPLIT_PAGE_IN: system memory to segment; aperture: map.
 * @VSPLIT_SPLIT_MOVE: inside a segment or from one to another (ranges may
 *	overlap inside one segment).
 */
enum vsplit_split_op_type {
	VSPLIT_SPLIT_EVICT,
	VSPLIT_SPLIT_PAGE_IN,
	VSPLIT_SPLIT_MOVE,
};

/* struct vsplit_split_op.flags */
#define VSPLIT_SPLIT_OP_TRANSFER	0x1u	/* bytes cross: a dirty evict, a load, a move */
#define VSPLIT_SPLIT_OP_FILL		0x2u	/* page-in by zero fill */

/**
 * struct vsplit_split_op - One paging operation.
 * @type: enum vsplit_split_op_type.
 * @flags: VSPLIT_SPLIT_OP_*.
 * @alloc: index of the allocation.
 * @portion: the operation runs before this portion and, without VSPLIT_SPLIT_AHEAD, after the
 *	previous one. If it is the number of portions, the operation runs after the last one; such
 *	operations are PAGE_INs of @evict_set only.
 * @after: portions that must be done before it begins; less than @portion only with
 *	VSPLIT_SPLIT_AHEAD.
 * @from_seg: segment it leaves, or VSPLIT_SPLIT_SYSTEM.
 * @to_seg: segment it enters, or VSPLIT_SPLIT_SYSTEM.
 * @from: offset in @from_seg.
 * @to: offset in @to_seg.
 *
 * It is correct to execute the operations of a plan one after the other, in order, each when @after
 * portions are done. The operations of a portion are evictions, then moves in dependency order (one
 * move of a cycle goes through system memory, as an EVICT and a PAGE_IN), then page-ins in list
 * order. With VSPLIT_SPLIT_AHEAD, and if no limit is below the segments' sizes, an eviction may
 * come directly before the operation that needs its room, so that fewer operations wait for it.
 */
struct vsplit_split_op {
	u16 type;
	u16 flags;
	u32 alloc;
	u32 portion;
	u32 after;
	u32 from_seg;
	u32 to_seg;
	u64 from;
	u64 to;
};

/**
 * struct vsplit_split_portion - One portion: a window on the buffer (EXT-4).
 * @begin: first byte.
 * @end: one past the last byte; > @begin.
 * @first_entry: first entry that takes effect in this portion.
 * @nr_entries: how many do.
 * @first_op: first operation that runs before it.
 * @nr_ops: how many do.
 *
 * A portion describes the resource table by its changes, and so is linear in its entries. When the
 * portion begins, the rows that its first group names are empty, and all others are as the previous
 * portion left them. While it runs, its entries change their rows, in their order.
 */
struct vsplit_split_portion {
	u32 begin;
	u32 end;
	u32 first_entry;
	u32 nr_entries;
	u32 first_op;
	u32 nr_ops;
};

/**
 * struct vsplit_split_bind - Where an entry's allocation is in its portion.
 * @seg: segment; VSPLIT_SPLIT_SYSTEM for an unbind.
 * @offset: in @seg.
 */
struct vsplit_split_bind {
	u32 seg;
	u64 offset;
};

/**
 * struct vsplit_split_final - Where an allocation is when the buffer is done.
 * @offset: in @seg.
 * @seg: segment or VSPLIT_SPLIT_SYSTEM.
 * @flags: VSPLIT_SPLIT_ALLOC_DIRTY, VSPLIT_SPLIT_ALLOC_CLEAR as they are then.
 * @last_portion: last portion that has it in its working set, or NONE.
 * @last_op: its last operation, or NONE if it has none.
 */
struct vsplit_split_final {
	u64 offset;
	u32 seg;
	u32 flags;
	u32 last_portion;
	u32 last_op;
};

/**
 * struct vsplit_split_output - The plan; arrays are the caller's.
 * @ops: @max_ops elements; @nr_ops used. Operations behind those of the last portion run after it.
 * @portions: @max_portions elements; @nr_portions used. vsplit_split_portions() are enough.
 * @binds: one element for each entry.
 * @final: one element for each allocation.
 * @grow_ops: makes @ops larger, keeps what is in it, and sets @max_ops; returns 0 or -ENOMEM. NULL
 *	if a plan may not have more than @max_ops operations. Their number is not known before the
 *	plan is made.
 * @max_ops: capacity of @ops.
 * @max_portions: capacity of @portions.
 * @nr_ops: out: used.
 * @nr_portions: out: used. On -ENOSPC and -EPERM these are the portions before the failing group
 *	that are complete and valid in @portions, @ops and @binds (the feasible prefix for WDDM
 *	error semantics). @final then describes the state after exactly these portions.
 * @steps: out: what the plan cost, in nodes, victims, items and gaps that were looked at.
 * @searched: out: the part of @steps that searches for packings and homes took. The rest is in
 *	proportion to entries, allocations, fixed ranges, slots, portions and operations, times the
 *	logarithm of their number, segments and alignments.
 * @fail_entry: on -ENOSPC and -EPERM, the first entry that could not be served.
 */
struct vsplit_split_output {
	struct vsplit_split_op *ops;
	struct vsplit_split_portion *portions;
	struct vsplit_split_bind *binds;
	struct vsplit_split_final *final;
	int (*grow_ops)(struct vsplit_split_output *out);
	u32 max_ops;
	u32 max_portions;
	u32 nr_ops;
	u32 nr_portions;
	u32 fail_entry;
	u64 steps;
	u64 searched;
};

/**
 * vsplit_split_workspace() - Bytes of scratch memory that a plan needs.
 * @in: the problem, with the flags that it will be planned with.
 *
 * The size is linear in entries and slots, and in allocations and fixed ranges times the number of
 * different alignments that the allocations have.
 *
 * Return: the size; SIZE_MAX where it cannot be represented.
 */
size_t vsplit_split_workspace(const struct vsplit_split_input *in);

/**
 * vsplit_split_portions() - Portions that a plan can have at most.
 * @in: the problem.
 *
 * Return: one more than the distinct SplitOffsets at which the buffer may be cut.
 */
u32 vsplit_split_portions(const struct vsplit_split_input *in);

/**
 * vsplit_split_plan() - Walk the list, cut where memory is short, place.
 * @in: the problem; the caller has validated it (slots, indexes, order).
 * @out: the plan.
 * @ws: scratch memory of vsplit_split_workspace() bytes, 8-byte aligned.
 * @ws_bytes: its size.
 *
 * A list that fits after evicting its own idle allocations gives exactly one portion (SPLIT-2),
 * even if allocations have to move for that, unless VSPLIT_SPLIT_TAKE_SPLIT_POINT cuts it or
 * VSPLIT_SPLIT_WALK_ONLY forbids these moves. Foreign allocations that may be evicted for the list
 * are among @allocs, not in @fixed.
 *
 * With VSPLIT_SPLIT_PLANNED a list that has to be split is also cut at further SplitOffsets where
 * that saves bytes, and its victims are chosen by next use, as with VSPLIT_SPLIT_NEXT_USE. Every
 * list that is served without the flag is served with it. A list that is not served without it is
 * served if there is a place for all that the list keeps, found before it is walked
 * (vsplit_home.c), as with VSPLIT_SPLIT_LOOK_AHEAD. VSPLIT_SPLIT_TAKE_SPLIT_POINT and
 * VSPLIT_SPLIT_LEAK_DETECTION leave nothing to choose. With VSPLIT_SPLIT_AHEAD a list is also cut
 * where a portion has become large, and victims are allocations that no portion uses any more when
 * the paging engine gets to them, so that it seldom waits (vsplit_lead.c).
 *
 * Return: 0; -ENOSPC if a group does not fit even alone with what is kept (see
 * @nr_portions); -EPERM if leak detection refuses a split; -E2BIG if there are more
 * portions than @max_portions; -ENOBUFS if there are more operations than @max_ops and
 * they may not grow; what @grow_ops returned; -EINVAL if @ws_bytes is too small or the
 * input contradicts itself; in the kernel -EINTR if the calling process is being killed.
 * May schedule.
 */
int vsplit_split_plan(const struct vsplit_split_input *in,
		      struct vsplit_split_output *out,
		      void *ws, size_t ws_bytes);

#endif /* _VSPLIT_SPLIT_H_ */
