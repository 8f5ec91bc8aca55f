/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What a plan does to the segments: from the description of its steps to the commit.
 */
#ifndef _VSPLIT_LAYOUT_H_
#define _VSPLIT_LAYOUT_H_

#include "mm/vsplit_mm.h"

struct drm_exec;

/* Places that a plan has decided, from before they are claimed to the commit; opaque. */
struct vsplit_layout;

/**
 * vsplit_layout_prepare() - Begin to say what a plan does.
 * @txn: its transaction.
 * @segments: bit mask of segment indexes that the plan touches.
 * @emptied: bit mask of those that other allocations are evicted from.
 * @nr_spares: for each run of its own that moves: a gap behind it and what it leaves, two, if
 *	it is in a segment; and its final place, if that is in one.
 * @nr_steps: calls of vsplit_layout_step(), at most.
 *
 * Return: the layout or ERR_PTR(-ENOMEM).
 */
struct vsplit_layout *vsplit_layout_prepare(struct vsplit_txn *txn, u32 segments, u32 emptied,
					    u32 nr_spares, u32 nr_steps);

/** vsplit_layout_bytes() - What vsplit_layout_prepare() takes. */
u64 vsplit_layout_bytes(u32 nr_spares, u32 nr_steps);

/** vsplit_layout_begin() - An allocation of its own is in @segment when the plan begins. */
void vsplit_layout_begin(struct vsplit_layout *layout, u32 segment, u64 size);

/**
 * vsplit_layout_step() - Say what a planned program uses on its way.
 * @layout: prepared.
 * @from: segment index that @size bytes leave, or VSPLIT_SEG_SYSTEM.
 * @from_at: offset in @from.
 * @to: segment index that they enter, or VSPLIT_SEG_SYSTEM.
 * @to_at: offset in @to.
 * @size: bytes, > 0.
 *
 * What gets a place between the lowest and the highest of these later waits for the
 * program; the rest of the segment stays out of it. Where bytes enter becomes a window.
 */
void vsplit_layout_step(struct vsplit_layout *layout, u32 from, u64 from_at, u32 to, u64 to_at,
			u64 size);

/** vsplit_layout_settled() - All steps before a portion, or at the end, are said. */
void vsplit_layout_settled(struct vsplit_layout *layout);

/**
 * vsplit_layout_end() - Give back what it claims, if it is not committed, and free it.
 * @layout: NULL is fine. Nothing is locked, since a reference of a victim may be the last.
 */
void vsplit_layout_end(struct vsplit_layout *layout);

/**
 * vsplit_layout_lock_victims() - Find what has to leave for it, and lock it.
 * @layout: all steps are said; its own allocations are locked and have their
 *	transaction in vsplit_bo.txn.
 * @exec: by which they are locked. The caller handles contention; before anything is
 *	unlocked it calls vsplit_layout_unmark().
 *
 * Victims are other, unpinned allocations in its windows, and as many more as the commit
 * limits ask for: lowest priority first, then the oldest.
 *
 * Return: 0; -EAGAIN: something is in a window that the plan took for free, or for
 * evictable, or was pinned meanwhile; -EDEADLK: contended; -ENOMEM; -EINTR.
 */
int vsplit_layout_lock_victims(struct vsplit_layout *layout, struct drm_exec *exec);

/**
 * vsplit_layout_forget() - Look for victims anew.
 * @layout: nothing is locked, since a reference of a victim may be the last.
 */
void vsplit_layout_forget(struct vsplit_layout *layout);

/** vsplit_layout_unmark() - Its victims are about to be unlocked. */
void vsplit_layout_unmark(struct vsplit_layout *layout);

/**
 * vsplit_layout_victim() - The i-th victim.
 * @layout: victims are locked.
 * @i: from 0 on.
 *
 * Return: the allocation, whose reference is the layout's; NULL behind the last one.
 */
struct vsplit_bo *vsplit_layout_victim(const struct vsplit_layout *layout, u32 i);

/**
 * vsplit_layout_claim() - Make sure that the plan can be carried out, and keep it so.
 * @layout: its own allocations and its victims are locked and have their transaction in
 *	vsplit_bo.txn.
 *
 * From here on nothing else gets a place in the windows. Then come
 * vsplit_layout_evict(), vsplit_relocs_commit() if all is well, and vsplit_layout_end().
 *
 * Return: 0, or -EAGAIN: it cannot, any more.
 */
int vsplit_layout_claim(struct vsplit_layout *layout);

/**
 * vsplit_layout_evict() - Let the victims leave, one by one, as vsplit_bo_page() does it.
 * @layout: claimed.
 *
 * Return: 0, -ENOMEM, -ERESTARTSYS.
 */
int vsplit_layout_evict(struct vsplit_layout *layout);

/**
 * vsplit_layout_visit_fences() - Visit the fences of pending ranges that it touches.
 * @layout: claimed, victims evicted.
 * @add: gets a reference that it owns; a negative return ends the walk.
 * @priv: for @add.
 *
 * @add is called without segment locks held and may sleep. A plan visits them and makes
 * its program depend on them: the commit then forgets them. What the program leaves
 * alone it need not wait for: a plan without any step is held up by no paging of others.
 *
 * Return: 0, -ENOMEM or what @add returned.
 */
int vsplit_layout_visit_fences(struct vsplit_layout *layout,
			       int (*add)(void *priv, struct dma_fence *fence), void *priv);

/**
 * vsplit_spans_merge() - Put parts of segments in order, disjoint, and none beside another.
 * @spans: @nr of them; what is there does not count.
 * @nr: how many.
 *
 * Return: how many are left.
 */
u32 vsplit_spans_merge(struct vsplit_span *spans, u32 nr);

/* ---- several runs ---- */

/**
 * struct vsplit_runs_search - Holes that have room for an allocation together.
 * @base: GPU address of the segment.
 * @size: of the allocation.
 * @at: where the next hole begins; in the segment.
 * @found: bytes that were found.
 * @runs: out: the runs, as far as there is room for them; or NULL.
 * @nr: how many there are.
 */
struct vsplit_runs_search {
	u64 base;
	u64 size;
	u64 at;
	u64 found;
	struct vsplit_gpu_runs *runs;
	u32 nr;
};

/* vsplit_segment.c */
void vsplit_runs_take(struct vsplit_runs_search *search, u64 end);

#endif /* _VSPLIT_LAYOUT_H_ */
