/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * One submission while its ioctl runs; included in exec/ alone.
 */
#ifndef _VSPLIT_SUBMIT_H_
#define _VSPLIT_SUBMIT_H_

#include <linux/nospec.h>

#include <drm/drm_exec.h>
#include <drm/drm_syncobj.h>
#include <linux/dma-fence-chain.h>

#include "exec/vsplit_exec_types.h"
#include "exec/vsplit_parse.h"
#include "split/vsplit_split.h"

struct vsplit_plan;

/**
 * struct vsplit_list_alloc - Element of the allocation list.
 * @vbo: reference, or NULL for the NULL element.
 * @handle: as the client named it.
 * @flags: VSPLIT_ALLOC_*.
 * @plan: index of it among the allocations (NULL elements do not count).
 * @early: it moves, but not any more once the first portion runs.
 * @named: an element of the patch-location list names it.
 * @range: the swizzling range that covers it after the steps made so far.
 * @address: where it is for all of the program, which needs no split.
 */
struct vsplit_list_alloc {
	struct vsplit_bo *vbo;
	u32 handle;
	u32 flags;
	u32 plan;
	bool early;
	bool named;
	u32 range;
	u64 address;
};

/**
 * struct vsplit_signal - One syncobj to signal.
 * @syncobj: reference.
 * @chain: preallocated for a timeline, or NULL.
 * @point: of the timeline.
 */
struct vsplit_signal {
	struct drm_syncobj *syncobj;
	struct dma_fence_chain *chain;
	u64 point;
};

/**
 * struct vsplit_syncs - Explicit synchronisation of a job that is being prepared.
 * @vdev: the adapter.
 * @file: the caller.
 * @job: that waits.
 * @signals: syncobjs to signal, @nr_signals.
 * @nr_signals: how many.
 */
struct vsplit_syncs {
	struct vsplit_device *vdev;
	struct drm_file *file;
	struct vsplit_job *job;
	struct vsplit_signal *signals;
	u32 nr_signals;
};

/**
 * struct vsplit_submit - A submission from ioctl to commit. Owns everything of
 * it; vsplit_submit_cleanup() is right at any stage.
 * @vdev: the adapter.
 * @file: the caller.
 * @efile: its device.
 * @args: of the ioctl.
 * @queue: reference.
 * @txn: its change of places; its owner is @record.
 * @stream: kernel copy, handed to the job at the end.
 * @patches: kernel copy of the patch-location list.
 * @list: the allocation list, args->num_allocs elements, and behind it what the device
 *	requires and is missing, or all of it; @nr_list with room for @max_list.
 * @nr_list: how many.
 * @max_list: room, of @relocs, @sorted, @order and @parsed too, which are behind @list in its
 *	memory.
 * @resid: what the device requires (WDDM 2); or NULL.
 * @gen: of @resid, see vsplit_resid_collect().
 * @whole: all that is required is on the list.
 * @lacks: bytes of the allocation that found no hole; or 0.
 * @own_bos: of @nr_bos, those of the allocation list.
 * @own_segments: of @segments, likewise.
 * @own_evict: of @evict_segments, likewise.
 * @parsed: the allocation list as the validator knows it; while it is parsed.
 * @worse: while it is placed, in the same memory: of @order, those that are not where they would
 *	be placed first, @nr_worse of them. Nothing has to be done for the others.
 * @nr_worse: how many.
 * @by_plan: while a plan becomes a program, in the same memory: by plan index, an element of @list.
 * @evict: others may leave for it.
 * @order: the allocations that the patch-location list names, in the order in
 *	which it does (SPLIT-23), @nr_order of them.
 * @nr_order: how many.
 * @sorted: the list's allocations, @nr_bos of them; with @resid the first @own_bos by pointer.
 * @nr_bos: allocations on the list.
 * @segments: bit mask of segments that they may live in.
 * @evict_segments: bit mask of segments that they may be evicted to.
 * @bytes: of all of them, each size a multiple of its alignment.
 * @align: the largest alignment.
 * @gem_flags: VSPLIT_GEM_* that any of them has.
 * @syncs: what it waits for and signals.
 * @exec: the locks; valid while @locked.
 * @locked: the allocations are locked.
 * @plan: how it is placed, if it does not simply fit; or NULL.
 * @relocs: one for each allocation, by plan index.
 * @layout: of a planned placement, or NULL.
 * @taken: @relocs have taken effect.
 * @job: being prepared.
 * @record: reference.
 * @list_bytes: that are charged to @job for what is required.
 * @tries: how often placing it came to nothing.
 * @plan_bytes: that are charged to @job for a plan, also a dropped one.
 * @program_bytes: that are charged to it for the program and its record.
 * @knobs: snapshot of the fault knobs.
 * @lost_oom: WDDM error semantics: only a prefix is executed.
 */
struct vsplit_submit {
	struct vsplit_device *vdev;
	struct drm_file *file;
	struct vsplit_exec_file *efile;
	struct drm_vsplit_submit *args;
	struct vsplit_queue *queue;
	struct vsplit_txn txn;
	void *stream;
	struct vsplit_parse_patch *patches;
	struct vsplit_list_alloc *list;
	u32 nr_list;
	u32 max_list;
	struct vsplit_resid *resid;
	u64 gen;
	bool whole;
	u64 lacks;
	u32 own_bos;
	u32 own_segments;
	u32 own_evict;
	union {
		struct vsplit_parse_alloc *parsed;
		struct vsplit_list_alloc **worse;
		struct vsplit_list_alloc **by_plan;
	};
	u32 nr_worse;
	bool evict;
	struct vsplit_list_alloc **order;
	u32 nr_order;
	struct vsplit_bo **sorted;
	u32 nr_bos;
	u32 segments;
	u32 evict_segments;
	u64 bytes;
	u64 align;
	u32 gem_flags;
	struct vsplit_syncs syncs;
	struct drm_exec exec;
	bool locked;
	struct vsplit_plan *plan;
	struct vsplit_reloc *relocs;
	struct vsplit_layout *layout;
	bool taken;
	struct vsplit_job *job;
	struct vsplit_record *record;
	u64 list_bytes;
	unsigned int tries;
	u64 plan_bytes;
	u64 program_bytes;
	struct vsplit_knobs knobs;
	bool lost_oom;
};

/* Of an element of the list: itself and what is in its memory, @relocs to @parsed. */
#define VSPLIT_SUBMIT_LIST_BYTES \
	(sizeof(struct vsplit_list_alloc) + sizeof(struct vsplit_reloc) + \
	 sizeof(struct vsplit_bo *) + sizeof(struct vsplit_list_alloc *) + \
	 sizeof(struct vsplit_parse_alloc))

/**
 * vsplit_submit_item() - Element of the allocation list that a patch names.
 * @s: parsed.
 * @patch: of its patch-location list.
 */
static inline struct vsplit_list_alloc *
vsplit_submit_item(const struct vsplit_submit *s, const struct vsplit_parse_patch *patch)
{
	return &s->list[array_index_nospec(patch->alloc, s->args->num_allocs)];
}

/**
 * vsplit_submit_planned_segments() - Segments that a plan for it may touch.
 * @s: looked up.
 *
 * Others are evicted from those that it lives in, but not from those that only take
 * what is evicted.
 *
 * Return: bit mask of segment indexes.
 */
static inline u32 vsplit_submit_planned_segments(const struct vsplit_submit *s)
{
	return s->segments | s->evict_segments;
}

/*
 * Is paging executed ahead, beside what runs? Cuts are voluntary then, and operations out of step
 * with portions, which only the mode that plans them allows (SPLIT-6).
 */
static inline bool vsplit_exec_pages_ahead(const struct vsplit_device *vdev)
{
	return vdev->config.planned && vdev->config.paging_own;
}

/**
 * vsplit_submit_writes() - Does an allocation need a place where it can be written?
 * @s: looked up.
 * @item: of its list.
 *
 * What a device requires is there for all that may use it.
 */
static inline bool vsplit_submit_writes(const struct vsplit_submit *s,
					const struct vsplit_list_alloc *item)
{
	return s->resid || (item->flags & VSPLIT_ALLOC_WRITE);
}

/**
 * vsplit_submit_settled() - Is it where it can be used, whatever locks and lists say?
 * @s: looked up; WDDM 2.
 * @item: of its list; resv held.
 */
static inline bool vsplit_submit_settled(const struct vsplit_submit *s,
					 const struct vsplit_list_alloc *item)
{
	return s->resid && vsplit_bo_is_resident(item->vbo);
}

/* vsplit_submit.c */
void *vsplit_submit_copy_array(u64 pointer, u32 nr, size_t size, size_t more);
int vsplit_submit_check_state(struct vsplit_submit *s);
int vsplit_submit_check_now(struct vsplit_submit *s);
void vsplit_submit_take_id(struct vsplit_submit *s);
int vsplit_submit_locked(struct vsplit_submit *s);
int vsplit_submit_hold(struct vsplit_submit *s, u64 *part, u64 bytes);
int vsplit_submit_alloc_list(struct vsplit_submit *s, u32 nr);
void vsplit_submit_append(struct vsplit_submit *s, struct vsplit_bo *vbo, u32 handle, u32 flags);
void vsplit_submit_sort(struct vsplit_submit *s);
int vsplit_submit_depend(struct vsplit_submit *s);
void vsplit_submit_trace(struct vsplit_submit *s, u64 context, u64 seqno);
void vsplit_submit_cleanup(struct vsplit_submit *s);
int vsplit_resident_page_in(struct drm_device *drm, struct drm_file *file);

/* vsplit_require.c */
int vsplit_submit_require(struct vsplit_submit *s);
int vsplit_submit_check_required(struct vsplit_submit *s);

/* vsplit_park.c */
int vsplit_park(struct vsplit_submit *s);

/* vsplit_paging.c */
void vsplit_exec_account_paging(struct vsplit_device *vdev, u32 type, u64 bytes, u64 copied);

/* vsplit_place.c */
int vsplit_submit_place(struct vsplit_submit *s);
void vsplit_submit_unplace(struct vsplit_submit *s);
void vsplit_submit_take_place(struct vsplit_submit *s, struct dma_fence *fence);

/* vsplit_program.c: from decisions to steps */
int vsplit_program_resident(struct vsplit_submit *s);
int vsplit_program_planned(struct vsplit_submit *s, u32 nr_portions);

/* vsplit_plan.c */
int vsplit_plan_snapshot(struct vsplit_submit *s);
int vsplit_plan_solve(struct vsplit_submit *s);
int vsplit_plan_solve_required(struct vsplit_submit *s);
bool vsplit_plan_is_whole(const struct vsplit_plan *plan);
int vsplit_plan_layout(struct vsplit_submit *s);
int vsplit_plan_compare(struct vsplit_submit *s);
int vsplit_plan_finish(struct vsplit_submit *s);
void vsplit_plan_drop(struct vsplit_submit *s);

/* vsplit_sync.c */
int vsplit_sync_prepare(struct vsplit_syncs *s, u64 pointer, u32 nr);
void vsplit_sync_commit(struct vsplit_syncs *s, struct dma_fence *fence);
void vsplit_sync_cleanup(struct vsplit_syncs *s);

#endif /* _VSPLIT_SUBMIT_H_ */
