/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A layout is what a plan does to the segments, from the description of its steps to the commit.
 */
#ifndef _VSPLIT_LAYOUT_H_
#define _VSPLIT_LAYOUT_H_

#include "mm/vsplit_mm.h"

struct drm_exec;

/* The places that a plan has chosen, from before they are claimed to the commit; opaque. */
struct vsplit_layout;

/**
 * vsplit_layout_prepare() - Begin to describe a plan.
 * @txn: its transaction.
 * @segments: bit mask of segment indexes that the plan touches.
 * @emptied: bit mask of the segments that other allocations are evicted from.
 * @nr_spares: number of ranges to allocate, for each of the plan's own runs that moves: two if it
 *	is in a segment (a gap behind it, and the place that it leaves), and one more if its final
 *	place is in a segment.
 * @nr_steps: the most calls of vsplit_layout_step().
 *
 * Return: the layout or ERR_PTR(-ENOMEM).
 */
struct vsplit_layout *vsplit_layout_prepare(struct vsplit_txn *txn, u32 segments, u32 emptied,
					    u32 nr_spares, u32 nr_steps);

/** vsplit_layout_bytes() - Memory that vsplit_layout_prepare() takes, in bytes. */
u64 vsplit_layout_bytes(u32 nr_spares, u32 nr_steps);

/** vsplit_layout_begin() - An allocation of the plan is in @segment when the plan begins. */
void vsplit_layout_begin(struct vsplit_layout *layout, u32 segment, u64 size);

/**
 * vsplit_layout_step() - Describe a step of the plan.
 * @layout: prepared.
 * @from: segment index that @size bytes leave, or VSPLIT_SEG_SYSTEM.
 * @from_at: offset in @from.
 * @to: segment index that they enter, or VSPLIT_SEG_SYSTEM.
 * @to_at: offset in @to.
 * @size: bytes, > 0.
 *
 * An allocation that later gets a place between the lowest and the highest of these bytes waits for
 * the program; the rest of the segment does not concern it. The place that bytes enter becomes a
 * window.
 */
void vsplit_layout_step(struct vsplit_layout *layout, u32 from, u64 from_at, u32 to, u64 to_at,
			u64 size);

/** vsplit_layout_settled() - All steps before a portion, or at the end, have been described. */
void vsplit_layout_settled(struct vsplit_layout *layout);

/*
 * Free a layout. Without a commit, it first gives back its claims. No dma_resv is held, since a
 * reference of a victim may be the last one. NULL is fine.
 */
void vsplit_layout_end(struct vsplit_layout *layout);

/*
 * Find the allocations that have to leave, and lock them by @exec. All steps are described; the
 * allocations of the plan are locked and have their transaction in vsplit_bo.txn. The caller
 * handles contention; before anything is unlocked it calls vsplit_layout_unmark().
 *
 * Victims are other, unpinned allocations in the plan's windows, and as many more as the commit
 * limits require: first those that no device requires, then by lowest priority, then the oldest.
 * Return: 0; -EAGAIN: something that cannot leave is in a window, or a victim was pinned meanwhile;
 * -EDEADLK: contended; -ENOMEM; -EINTR.
 */
int vsplit_layout_lock_victims(struct vsplit_layout *layout, struct drm_exec *exec);

/* Forget the victims; they are looked for anew. No dma_resv is held, as for vsplit_layout_end(). */
void vsplit_layout_forget(struct vsplit_layout *layout);

/** vsplit_layout_unmark() - The victims are about to be unlocked. */
void vsplit_layout_unmark(struct vsplit_layout *layout);

/*
 * The i-th victim, of which the layout holds the reference; NULL behind the last one. They are
 * locked.
 */
struct vsplit_bo *vsplit_layout_victim(const struct vsplit_layout *layout, u32 i);

/*
 * Check that the plan can be carried out, keep it so, and evict the victims. The allocations of the
 * plan and the victims are locked and have their transaction in vsplit_bo.txn. From here on nothing
 * else gets a place in the windows. Call vsplit_relocs_commit() if this has succeeded, and
 * vsplit_layout_end() in any case.
 * Return: 0; -EAGAIN: the plan cannot be carried out any more; errors of vsplit_bo_evict_to_set().
 */
int vsplit_layout_claim(struct vsplit_layout *layout);

/**
 * vsplit_layout_visit_fences() - Visit the fences of pending ranges that the plan touches.
 * @layout: claimed, victims evicted.
 * @add: gets a reference that it owns; a negative return ends the walk.
 * @priv: for @add.
 *
 * @add is called without segment locks held and may sleep. The plan makes its program depend on
 * these fences; so the commit then forgets them. The program need not wait for ranges that it does
 * not touch: no paging of others holds up a plan without any step.
 *
 * Return: 0; -ENOMEM; -ENOBUFS, -E2BIG: the client may not hold more; or what @add returned.
 */
int vsplit_layout_visit_fences(struct vsplit_layout *layout,
			       int (*add)(void *priv, struct dma_fence *fence), void *priv);

/*
 * Sort parts of segments, and merge those that overlap or touch. Return: how many are left; only
 * their segment, start and size mean anything.
 */
u32 vsplit_spans_merge(struct vsplit_span *spans, u32 nr);

/* ---- several runs ---- */

/**
 * struct vsplit_runs_search - A search for holes that have room for an allocation together.
 * @base: GPU address of the segment.
 * @size: of the allocation.
 * @at: offset in the segment where the next hole begins.
 * @found: bytes of the holes that were found.
 * @runs: out: the runs, as far as there is room for them; or NULL.
 * @nr: number of runs found.
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
