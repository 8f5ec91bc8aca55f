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
 * struct vsplit_list_alloc - Element of the list of a submission.
 * @vbo: reference, or NULL for the NULL element.
 * @handle: handle by which the client named it.
 * @flags: VSPLIT_ALLOC_*.
 * @plan: its index among the allocations (NULL elements do not count).
 * @early: it moves, but only before the first portion runs.
 * @named: an element of the patch-location list names it; on a WDDM 2 device: it must be resident.
 * @range: the swizzling range that covers it after the steps that were added so far.
 * @address: its GPU address during the whole program; used if there is no split.
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

/* One syncobj to signal. */
struct vsplit_signal {
	struct drm_syncobj *syncobj; /* reference */
	struct dma_fence_chain *chain; /* preallocated for a timeline, or NULL */
	u64 point;
};

/* Explicit synchronisation of a job that is being prepared. */
struct vsplit_syncs {
	struct vsplit_device *vdev;
	struct drm_file *file; /* the caller */
	struct vsplit_job *job; /* that waits */
	struct vsplit_signal *signals; /* syncobjs to signal, @nr_signals elements */
	u32 nr_signals;
};

/**
 * struct vsplit_submit - A submission from ioctl to commit. It owns everything that it refers to;
 * vsplit_submit_cleanup() may be called at any stage.
 * @vdev: the adapter.
 * @file: the caller.
 * @efile: its device.
 * @args: arguments of the ioctl.
 * @queue: reference.
 * @txn: transaction that changes places; its owner is @record.
 * @stream: kernel copy of the command stream; the job takes it over once it is validated.
 * @patches: kernel copy of the patch-location list.
 * @list: the allocation list, args->num_allocs elements; then the allocations that the device
 *	requires and that are missing, or all that it requires; @nr_list elements with room for
 *	@max_list.
 * @nr_list: length of @list.
 * @max_list: room in @list, and in @relocs, @sorted, @order and @parsed, which share the memory of
 *	@list.
 * @resid: requirement list of the device (WDDM 2), or NULL.
 * @gen: generation of @resid, see vsplit_resid_collect().
 * @whole: all that the device requires is on the list.
 * @lacks: bytes of the allocation that found no hole; or 0.
 * @own_bos: the part of @nr_bos that is from the allocation list.
 * @own_segments: the part of @segments that is from the allocation list.
 * @own_evict: the part of @evict_segments that is from the allocation list.
 * @parsed: the allocation list in the validator's form; used while the submission is parsed.
 * @worse: used while the submission is placed, in the same memory: those elements of @order that
 *	are not where they would be placed first, @nr_worse of them. For the others nothing has to
 *	be done.
 * @nr_worse: length of @worse.
 * @by_plan: used while a plan becomes a program, in the same memory: element of @list by plan
 *	index.
 * @evict: other allocations may be evicted to make room.
 * @order: the @named elements, @nr_order of them, in the order of their first entries (SPLIT-23);
 *	on a WDDM 2 device in the order of the list.
 * @nr_order: length of @order.
 * @sorted: all allocations of @list, @nr_bos of them; with @resid the first @own_bos are sorted by
 *	pointer.
 * @nr_bos: allocations on the list.
 * @segments: bit mask of segments in which the allocations may be placed.
 * @evict_segments: bit mask of segments to which they may be evicted.
 * @bytes: sum of the allocations' sizes, each rounded up to its alignment; not used with @resid.
 * @align: the largest alignment; not used with @resid.
 * @gem_flags: VSPLIT_GEM_* flags of all allocations, combined.
 * @syncs: explicit synchronisation.
 * @exec: the locked allocations; valid while @locked.
 * @locked: the allocations are locked.
 * @crowded: the ranges of other allocations are too many for the client's limit. So they are not
 *	charged, the plan knows only those that cannot leave, and such submissions are placed one at
 *	a time.
 * @plan: the plan, if the submission does not simply fit; or NULL.
 * @relocs: relocations, one for each allocation, by plan index.
 * @layout: layout of a planned placement, or NULL.
 * @taken: @relocs have taken effect.
 * @job: the job that is being prepared.
 * @record: reference.
 * @list_bytes: bytes that are charged to @job for required allocations on the list.
 * @tries: number of failed tries to place the submission.
 * @plan_bytes: bytes that are charged to @job for a plan, also for a dropped one.
 * @program_bytes: bytes that are charged to @job for the program and its record.
 * @knobs: snapshot of the fault knobs.
 */
struct vsplit_submit {
	struct vsplit_device *vdev;
	struct drm_file *file;
	struct vsplit_exec_file *efile;
	struct drm_vsplit_submit *args;
	struct vsplit_queue *queue;
	struct vsplit_txn txn;
	void *stream;
	struct drm_vsplit_patch *patches;
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
	bool crowded;
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
};

/* Bytes for one element of the list, with its elements of the arrays that share its memory. */
#define VSPLIT_SUBMIT_LIST_BYTES \
	(sizeof(struct vsplit_list_alloc) + sizeof(struct vsplit_reloc) + \
	 sizeof(struct vsplit_bo *) + sizeof(struct vsplit_list_alloc *) + \
	 sizeof(struct vsplit_parse_alloc))

/* The element of the list behind @item, or with NULL the first, without NULL elements; or NULL. */
static inline struct vsplit_list_alloc *vsplit_submit_next(const struct vsplit_submit *s,
							   struct vsplit_list_alloc *item)
{
	for (item = item ? item + 1 : s->list; item < s->list + s->nr_list; item++)
		if (item->vbo)
			return item;
	return NULL;
}

/* Element of the allocation list that an entry names; it may be the NULL element. */
static inline struct vsplit_list_alloc *
vsplit_submit_item(const struct vsplit_submit *s, const struct drm_vsplit_patch *patch)
{
	return &s->list[array_index_nospec(patch->alloc, s->args->num_allocs)];
}

/*
 * Set of segments that a plan for a submission may touch. A plan evicts other allocations only from
 * the segments in which the submission's allocations may be placed, not from those to which they
 * may only be evicted.
 */
static inline u32 vsplit_submit_planned_segments(const struct vsplit_submit *s)
{
	return s->segments | s->evict_segments;
}

/*
 * Is paging executed ahead, while portions run? If so, a list may be cut where it need not be, and
 * operations need not be in step with portions. Only the planned mode allows both (SPLIT-6).
 */
static inline bool vsplit_exec_pages_ahead(const struct vsplit_device *vdev)
{
	return vdev->config.planned && vdev->config.paging_own;
}

/*
 * Does an allocation need a place where it can be written? One that a device requires is resident
 * for all contexts of the device, and any of them may write it.
 */
static inline bool vsplit_submit_writes(const struct vsplit_submit *s,
					const struct vsplit_list_alloc *item)
{
	return s->resid || (item->flags & VSPLIT_ALLOC_WRITE);
}

/*
 * Does a WDDM 2 device find an allocation, whose resv is held, resident? If so, it may stay where
 * it is: locks of the CPU and the list's flags do not matter.
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
void vsplit_program_drop(struct vsplit_submit *s);
int vsplit_program_resident(struct vsplit_submit *s);
int vsplit_program_planned(struct vsplit_submit *s, u32 nr_portions);

/* vsplit_plan.c */
int vsplit_plan_snapshot(struct vsplit_submit *s);
int vsplit_plan_solve(struct vsplit_submit *s);
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
