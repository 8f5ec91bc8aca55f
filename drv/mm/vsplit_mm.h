/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Memory management: allocations, segments, paging by the engine, CPU access.
 *
 * TTM does placement and eviction; one resource-manager type of our own serves every segment. mm/
 * does not depend on exec/: the functions of exec/ that it needs, for paging jobs, are declared
 * here.
 *
 * Lock order (outer to inner): queue->submit_lock, a turn (vsplit_txn.h), dma_resv (ww),
 * segment->lock, bdev->lru_lock. segment->lock is the only mutex that the changes of places of
 * different clients share. So no host memory is allocated and no fence is waited for under it;
 * debug kernels check this.
 */
#ifndef _VSPLIT_MM_H_
#define _VSPLIT_MM_H_

#include <drm/drm_mm.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_placement.h>
#include <drm/ttm/ttm_resource.h>
#include <drm/ttm/ttm_tt.h>
#include <linux/cleanup.h>
#include <linux/dma-fence.h>
#include <linux/llist.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "drm/vsplit_drm.h"
#include "gpu/vsplit_gpu.h"
#include "mm/vsplit_txn.h"
#include "resid/vsplit_resid.h"

struct vsplit_device;
struct vsplit_mm;
struct vsplit_job;
struct vsplit_exec;
struct vsplit_idle_fence;
struct vsplit_import;
struct vsplit_layout;
struct vsplit_places;
struct dma_buf;
struct drm_file;

/**
 * VSPLIT_RESV_SLOTS - fence slots to reserve when an allocation is locked. They are enough for all
 * allocations that share its resv: these add the same two fences, each with any usage.
 */
#define VSPLIT_RESV_SLOTS	6

/** VSPLIT_NO_RANGE - index of no swizzling range. */
#define VSPLIT_NO_RANGE		0xffu

/** VSPLIT_SEG_SYSTEM - segment index of system memory. */
#define VSPLIT_SEG_SYSTEM	0xffu

/**
 * struct vsplit_segment - One memory- or aperture-space segment.
 * @man: TTM's manager; use_tt for apertures only.
 * @mm: owner; constant.
 * @index: 0-based; id for userspace is @index + 1, TTM's type TTM_PL_VRAM + @index; constant.
 * @aperture: constant.
 * @base: GPU address of offset 0; constant.
 * @size: bytes; constant.
 * @commit_limit: bytes; constant.
 * @pinned: bytes that are pinned here for life (VSPLIT_GEM_PINNED); under @lock; READ_ONCE without
 *	it.
 * @pin_share: bytes that clients without CAP_SYS_ADMIN pin here; under @lock.
 * @closed: the task that resets the BAR: nothing else gets a place in the segment meanwhile.
 *	Otherwise NULL; under @lock.
 * @cpu_visible: bytes from the start that the CPU may map, as configured; constant. Means nothing
 *	for an aperture: see vsplit_segment_seen().
 * @memory: kernel mapping of a memory segment; constant.
 * @bus: address of the first byte of @memory on the CPU's bus, if it is in the adapter's BAR, else
 *	0; constant. Offsets in the segment are offsets from @bus (SEG-2), so the CPU's address of
 *	an allocation is @bus plus its offset (SEG-3).
 * @lock: protects the members that say so.
 * @ranges: placed ranges; under @lock.
 * @pending: struct vsplit_range that were given back with a fence that has not signalled: they are
 *	free, but an allocation that moves in waits for the fence; under @lock.
 * @committed: bytes of placed ranges, and those that layouts have charged for their peaks; under
 *	@lock; READ_ONCE without it.
 * @pins: struct vsplit_range of pinned allocations, by place; under @lock.
 * @room: size of the largest piece between pinned allocations, or what they leave of the commit
 *	limit if that is less; U64_MAX: not known; under @lock.
 * @unpinned: bytes that the CPU sees and no allocation is pinned in, or what pinned allocations
 *	leave of the commit limit if that is less; if @room is known; under @lock.
 * @nr_swizzle: swizzling ranges; constant.
 * @swizzle: @nr_swizzle of them; the array is constant, its content under @lock.
 * @reuse: by TTM's level: struct vsplit_bo.reuse of allocations that submissions used here; under
 *	mm->reuse_lock.
 * @idle: struct vsplit_range whose fence has signalled; lock-free.
 * @prune: frees the ranges in @idle, and drops signalled fences of swizzling ranges.
 * @coverage: handle that the coverage of @prune is collected for, see vsplit_kcov_begin();
 *	READ_ONCE and WRITE_ONCE.
 */
struct vsplit_segment {
	struct ttm_resource_manager man;
	struct vsplit_mm *mm;
	u32 index;
	bool aperture;
	u64 base;
	u64 size;
	u64 commit_limit;
	u64 cpu_visible;
	void *memory;
	phys_addr_t bus;
	struct mutex lock; /* see the members */
	struct drm_mm ranges;
	struct rb_root_cached pending;
	u64 committed;
	struct rb_root_cached pins;
	u64 room;
	u64 unpinned;
	u64 pinned;
	u64 pin_share;
	struct task_struct *closed;
	u32 nr_swizzle;
	struct vsplit_swizzle_range *swizzle;
	u64 coverage;
	struct rb_root reuse[TTM_MAX_BO_PRIORITY];
	struct llist_head idle;
	struct work_struct prune;
};

/**
 * struct vsplit_bo - One allocation.
 * @tbo: TTM's part; its dma_resv protects the members that say "resv".
 * @id: unique on the adapter; constant.
 * @flags: VSPLIT_GEM_*; constant.
 * @priority: VSPLIT_PRIORITY_* or a number between them (EXT-28); resv; READ_ONCE without it.
 * @offer: enum drm_vsplit_offer_priority, or 0: not offered; resv; READ_ONCE without it.
 * @offer_dirty: @dirty as it was when the allocation was offered; also set if its pages were
 *	discarded since then and had bytes to lose; resv.
 * @offer_link: in mm->offers while it is offered, unless it is in an aperture segment, has no pages
 *	since they were discarded, or an eviction for room has failed; under mm->offer_lock.
 * @offer_in_system: @offer_link is in the list of system memory; under mm->offer_lock.
 * @align: bytes; constant.
 * @nr_segs: entries of @segs; constant.
 * @segs: allowed segments by index, in order of preference; constant.
 * @read_only: set of indexes of @segs where the GPU must not write it; constant.
 * @topdown: set of indexes of @segs where it is placed from the end; constant.
 * @evict_set: set of aperture segments, by index, that take it when it is evicted
 *	(EXT-27); constant.
 * @dirty: bytes in the memory segment are newer than the backing store; resv.
 * @clear: it was never written, or its pages were discarded: the backing store is all zeros; resv.
 * @write_tried: the CPU tried to write through a page table entry that was not writable. Set
 *	without a lock; the next fault clears it, with the resv held.
 * @lru: stamp of its last use, from mm->lru_clock; resv; READ_ONCE without it.
 * @gap: ticks of mm->lru_clock between its last two uses; 0: it was used only once; under
 *	mm->reuse_lock.
 * @due: tick at which it will probably be used again, see vsplit_reuse.c; under mm->reuse_lock.
 * @reuse: in @reuse_tree, or empty; under mm->reuse_lock.
 * @reuse_tree: one of vsplit_segment.reuse; under mm->reuse_lock.
 * @locks: CPU locks (struct drm_vsplit_gem_lock) over all files; resv; READ_ONCE without it.
 * @txn: the transaction that holds the resv for a plan, or NULL; resv. Others may read
 *	it to compare it with their own.
 * @moves: how often its place changed; resv.
 * @kept: its populated backing store, put aside after TTM failed to evict the allocation, until it
 *	is needed again; or NULL; resv.
 * @dummy: page that its CPU mappings show once the adapter is gone; resv.
 * @pitch: of a swizzled allocation: bytes per row of the surface; else 0; constant.
 * @range: the swizzling range that covers it in its memory segment, or VSPLIT_NO_RANGE; resv.
 * @ranges_lost: how many ranges others took from it since its last change of place; resv.
 * @writers: the last fence of each fence context that writes it without implicit sync, by the
 *	number of the context; changed with resv held, own lock.
 * @primary: a framebuffer was made of it; set once. READ_ONCE and WRITE_ONCE.
 * @gpu_only: tiles that the CPU must not see (vsplit_surface.c); set before there is a
 *	handle, then constant.
 * @out_of_view: pinned for life where the CPU does not see it; set before there is a handle, then
 *	constant.
 * @aperture_locks: CPU locks with VSPLIT_LOCK_ACQUIRE_APERTURE over all files; resv.
 * @apertures: bit i: @segs[i] is an aperture segment; constant.
 * @pages_pinned: number of users of its pages beside the GPU: attachments to its export, kernel
 *	mappings, an exporter. While it is not 0, the pages hold the bytes of the allocation
 *	(vsplit_prime.c); resv.
 * @pages_arrived: the bytes are in the pages, as an importer has waited for them; set while
 *	@pages_pinned is not 0, with release semantics; cleared when it is, resv.
 * @parked: it is pinned, but has left its place for a reset of the bus device. It will be brought
 *	back afterwards; resv.
 * @import: what it holds of its exporter; NULL: it is not imported; constant.
 * @pin_share: it counts in @pin_share of its first segment; set before there is a handle, then
 *	constant.
 * @pin_counted: it counts in @pinned of its first segment; likewise.
 * @user: the user that is charged for its memory; reference; constant.
 * @account: of the file that made it, reference; NULL: it is imported. If the CPU touches it
 *	through a mapping that belongs to no file of the adapter, for example a dma-buf's, it is
 *	paged in the turn of this account; constant.
 * @charged: bytes that @user is charged for it. An import has no pages of its own, so its pages do
 *	not count; constant.
 * @memcg: memory cgroup of the task that made it. It is charged for the pages even if another task
 *	allocates them again; reference; constant.
 * @paging_context: fence context of its paging jobs, each of which waits for the one
 *	before; constant.
 * @paging_seqno: of the last paging job; resv.
 * @uses: number of jobs that use it, plus one for all of its users together; see vsplit_release.c.
 * @ends: how many of the two ends, released and idle, are still to come.
 * @released: its range was given back; written once, before @ends is decremented for that.
 * @stuck_from: jiffies from which it counts as pinned. Set if its last user is gone while another
 *	task holds its lock; else 0; written once. READ_ONCE and WRITE_ONCE.
 * @left: what the GPU has to forget once the allocation is idle; written once, before it is idle.
 * @left.address: GPU address of its range if that is in an aperture, else 0.
 * @left.range: number of its swizzling range among all ranges of the GPU, or VSPLIT_NO_RANGE.
 * @idle_fence: memory for a fence. If the allocation was released while busy, and no other fence
 *	would do: that fence, which signals when the allocation is idle.
 * @end: work item for the part of its end that may sleep.
 * @foreign: callback of another driver's fence that @end waits for.
 * @resid: the devices that require it; own lock.
 * @maps: virtual addresses that show it; reference, NULL: none; resv.
 */
struct vsplit_bo {
	struct ttm_buffer_object tbo;
	u64 id;
	u32 flags;
	u32 priority;
	u32 offer;
	bool offer_dirty;
	struct list_head offer_link;
	bool offer_in_system;
	u64 align;
	u8 nr_segs;
	u8 segs[VSPLIT_MAX_SEGMENTS];
	u8 read_only;
	u8 topdown;
	u8 evict_set;
	bool dirty;
	bool clear;
	bool write_tried;
	u64 lru;
	u64 gap;
	u64 due;
	struct rb_node reuse;
	struct rb_root *reuse_tree;
	u32 locks;
	struct vsplit_txn *txn;
	u64 moves;
	struct ttm_tt *kept;
	struct page *dummy;
	u32 pitch;
	u32 range;
	u32 ranges_lost;
	struct xarray writers;
	bool gpu_only;
	bool primary;
	bool out_of_view;
	u32 aperture_locks;
	u8 apertures;
	u32 pages_pinned;
	bool pages_arrived;
	bool parked;
	bool pin_share;
	bool pin_counted;
	struct vsplit_import *import;
	struct vsplit_user *user;
	struct vsplit_account *account;
	u64 charged;
	struct mem_cgroup *memcg;
	u64 paging_context;
	u64 paging_seqno;
	struct kref uses;
	atomic_t ends;
	bool released;
	unsigned long stuck_from;
	struct {
		u64 address;
		u32 range;
	} left;
	struct vsplit_idle_fence *idle_fence;
	struct work_struct end;
	struct dma_fence_cb foreign;
	struct vsplit_resid_object resid;
	struct vsplit_gpu_maps *maps;
};

static inline struct vsplit_bo *to_vsplit_bo(struct ttm_buffer_object *tbo)
{
	return container_of(tbo, struct vsplit_bo, tbo);
}

static inline struct vsplit_bo *gem_to_vsplit_bo(struct drm_gem_object *gem)
{
	return container_of(gem, struct vsplit_bo, tbo.base);
}

/**
 * struct vsplit_move - An allocation on its way to another place.
 * @vbo: the allocation; resv held.
 * @from_seg: index of the segment that it leaves, or VSPLIT_SEG_SYSTEM.
 * @from: offset in @from_seg.
 * @from_runs: the runs that it leaves, if it may be in several runs; else NULL.
 * @to_seg: index of the segment that it enters, or VSPLIT_SEG_SYSTEM.
 * @to: offset in @to_seg.
 * @to_runs: the runs that it enters, likewise.
 * @transfer: its bytes are copied, unless the move is into or out of an aperture.
 * @fill: it is filled with zeros instead, likewise.
 */
struct vsplit_move {
	struct vsplit_bo *vbo;
	u32 from_seg;
	u64 from;
	struct vsplit_gpu_runs *from_runs;
	u32 to_seg;
	u64 to;
	struct vsplit_gpu_runs *to_runs;
	bool transfer;
	bool fill;
};

/**
 * vsplit_move_describe() - Describe a move: its paging step, and its event in a record.
 * @move: its backing store is populated.
 * @range: in: the swizzling range that covers it before the step; out: after it.
 * @step: zeros but for its flags. Gets references.
 * @event: zeros but for the handle and the portion.
 */
void vsplit_move_describe(const struct vsplit_move *move, u32 *range,
			  struct vsplit_gpu_step *step, struct drm_vsplit_event *event);

/*
 * End the RUN steps of all submissions; provided by exec/. They end with -ECANCELED at the next
 * packet, as when a client is killed; paging steps are executed. Jobs that wait for a fence of
 * another driver still wait for it.
 */
void vsplit_exec_cancel(struct vsplit_device *vdev);

/*
 * Paging outside submissions (evictions of others, page-ins for pinning or CPU access), provided by
 * exec/: call vsplit_paging_prepare(), add any number of dependencies, then call either
 * vsplit_paging_commit() or vsplit_job_free(). A job waits for its dependencies alone: nothing but
 * fences orders jobs.
 */
struct vsplit_job *vsplit_paging_prepare(struct vsplit_device *vdev, const struct vsplit_txn *txn,
					 struct vsplit_gpu_step **step);
int vsplit_job_depend(struct vsplit_job *job, struct dma_fence *fence);
int vsplit_job_visit(void *job, struct dma_fence *fence);
u32 vsplit_fences_latest(void *elements, u32 nr, size_t size);
bool vsplit_fence_is_job(const struct dma_fence *fence, const struct vsplit_exec *exec);
void vsplit_fence_hurry(struct vsplit_device *vdev, struct dma_fence *fence,
			const struct vsplit_account *client);
int vsplit_job_depend_resv(struct vsplit_job *job, struct dma_resv *resv,
			   enum dma_resv_usage usage);
struct dma_fence *vsplit_paging_commit(struct vsplit_job *job, struct vsplit_bo *vbo,
				       const struct drm_vsplit_event *event);
int vsplit_paging_done(struct vsplit_device *vdev, const struct vsplit_txn *txn,
		       struct vsplit_bo *vbo, const struct drm_vsplit_event *event);
struct dma_fence *vsplit_paging_merge(struct vsplit_device *vdev, const struct vsplit_txn *txn,
				      struct dma_fence **fences, u32 nr);
void vsplit_job_free(struct vsplit_job *job);
DEFINE_FREE(vsplit_job, struct vsplit_job *, IS_ERR(_T) ? (void)0 : vsplit_job_free(_T))
struct vsplit_account *vsplit_account_get(struct vsplit_account *account);
const struct vsplit_account *vsplit_account_of_task(const struct vsplit_account *account);
void vsplit_account_put(struct vsplit_account *account);

/* Each segment, and system memory. */
#define VSPLIT_OFFER_PLACES	(VSPLIT_MAX_SEGMENTS + 1)
/* Offers by priority; those with AUTO by the priority of the allocation, in TTM's levels. */
#define VSPLIT_OFFER_CLASSES	(VSPLIT_OFFER_AUTO - 1 + TTM_MAX_BO_PRIORITY)

/**
 * struct vsplit_mm - Memory management of an adapter.
 * @bdev: TTM device.
 * @vdev: owner.
 * @nr_segments: constant after init.
 * @segments: constant after init; own locks.
 * @in_bar: segments in the adapter's BAR, a bit each; constant after init.
 * @turn_lock: protects @turns; innermost.
 * @turns: struct vsplit_txn.turn, in order of arrival; the first one has its turn.
 * @turn_wait: woken when a turn ends, or @windows changes.
 * @windows: counts how often claimed windows were given back.
 * @claims: number of layouts that have claimed windows now.
 * @next_id: id of the newest allocation.
 * @lru_clock: stamps of last use.
 * @aperture_committed: bytes of placed ranges of all aperture segments.
 * @aperture_pinned: bytes that clients without CAP_SYS_ADMIN pin in all aperture segments; only
 *	counted if these have a common limit.
 * @evictions: by eviction segment set: the places for an evicted allocation; constant after init.
 * @import_wq: gives back what imports held of their exporters, see vsplit_import_destroy(); drained
 *	with the adapter.
 * @imports: by task: the import that it is making a handle of; own lock.
 * @reset: the transaction of a reset of the BAR; only the task that resets it uses this.
 * @parked: list of struct vsplit_parked: allocations that were pinned in the BAR, while it is being
 *	reset; only the task that resets it uses this.
 * @resid: what devices require; own lock.
 * @offer_lock: protects @offers and @offered_pages; innermost, except that locks of allocations are
 *	tried under it.
 * @offers: struct vsplit_bo.offer_link, by segment (system memory last), and by the order in which
 *	the allocations leave.
 * @offered_pages: pages of offered allocations in system memory; READ_ONCE without @offer_lock.
 * @reuse_lock: protects the trees of vsplit_reuse.c; innermost, except that locks of allocations
 *	are tried under it.
 */
struct vsplit_mm {
	struct ttm_device bdev;
	struct vsplit_device *vdev;
	u32 nr_segments;
	struct vsplit_segment segments[VSPLIT_MAX_SEGMENTS];
	u32 in_bar;
	spinlock_t turn_lock; /* turns */
	struct list_head turns;
	wait_queue_head_t turn_wait;
	atomic_t windows;
	atomic_t claims;
	atomic64_t next_id;
	atomic64_t lru_clock;
	atomic64_t aperture_committed;
	atomic64_t aperture_pinned;
	struct vsplit_places *evictions;
	struct workqueue_struct *import_wq;
	struct xarray imports;
	struct vsplit_txn reset;
	struct list_head parked;
	struct vsplit_resid_domain resid;
	spinlock_t offer_lock; /* offers */
	struct list_head offers[VSPLIT_OFFER_PLACES][VSPLIT_OFFER_CLASSES];
	unsigned long offered_pages;
	spinlock_t reuse_lock; /* reuse of segments and allocations */
};

/*
 * Make segments from vdev->config and add them to vdev->gpu; vdev->drm is initialised. Everything
 * is released by drmm actions, after the last reference. Return: 0 or a negative error.
 */
int vsplit_mm_init(struct vsplit_device *vdev);

/*
 * Before a reset of the bus device: evict everything that is in its BAR. All allocations there go
 * to system memory, the pinned ones too, and nothing else is placed there until
 * vsplit_mm_return_to_bar(). If this succeeds, the same task must call that function: the reset has
 * its turn in between. Waits until the engines are done with the BAR, for the adapter's timeout, or
 * until a signal; then all work is cancelled, and it waits for one more timeout. May sleep.
 * Return: 0, or -ENOMEM, -ETIME: the contents cannot be saved, and the turn is over.
 */
int vsplit_mm_leave_bar(struct vsplit_mm *mm);

/*
 * After the reset the BAR can be used again: return the pinned allocations to their places, and
 * wait for their bytes as vsplit_mm_leave_bar() waits, but without regard to signals.
 * Return: 0, or -ENOMEM, -ETIME: a pinned allocation could not be brought back; the adapter has to
 * be unplugged.
 */
int vsplit_mm_return_to_bar(struct vsplit_mm *mm);

unsigned long vsplit_mm_shrink(struct vsplit_mm *mm, unsigned long pages, bool swap);

/** vsplit_mm_module_init() - Make what all adapters share. Return: 0 or -ENOMEM. */
int vsplit_mm_module_init(void);

/** vsplit_mm_module_exit() - Wait for the last allocation; this may end the last adapter. */
void vsplit_mm_module_exit(void);

/* ---- allocations ---- */

/*
 * Create an allocation, with its backing store committed and zeroed, in system memory, or, with
 * VSPLIT_GEM_PINNED, in its first segment. @args are validated here.
 * Return: the allocation with one GEM reference, or ERR_PTR(): -EINVAL, -E2BIG: @args are not
 * valid; -ENOSPC, -EDQUOT: it cannot be pinned, see vsplit_bo_pin(); -ENOMEM; -EINTR, -ERESTARTSYS.
 */
struct vsplit_bo *vsplit_bo_create(struct vsplit_device *vdev, struct vsplit_account *account,
				   const struct drm_vsplit_gem_create *args);

/*
 * A job is going to use an allocation. A GEM reference is held, or its resv while it has a place.
 * Its pages, and what the GPU knows of its place, stay until vsplit_bo_unuse().
 */
void vsplit_bo_use(struct vsplit_bo *vbo);

/*
 * A job is done with an allocation, which may be gone afterwards, or will never run. Call this
 * before the job's fence signals. Signalling side: does not sleep.
 */
void vsplit_bo_unuse(struct vsplit_bo *vbo);
bool vsplit_fence_is_idle(const struct dma_fence *fence);
struct dma_fence *vsplit_idle_fence_behind(struct dma_fence *fence,
					   const struct vsplit_exec *exec);

/* ioctls and fops of this room; the error codes are in the uapi header */
drm_ioctl_t vsplit_gem_create_ioctl, vsplit_gem_mmap_offset_ioctl, vsplit_gem_info_ioctl,
	    vsplit_gem_runs_ioctl, vsplit_gem_lock_ioctl, vsplit_gem_unlock_ioctl,
	    vsplit_gem_priority_ioctl, vsplit_offer_ioctl, vsplit_reclaim_ioctl,
	    vsplit_gem_surface_ioctl;
int vsplit_gem_dumb_create(struct drm_file *file, struct drm_device *drm,
			   struct drm_mode_create_dumb *args);
struct drm_gem_object *vsplit_gem_prime_import(struct drm_device *drm, struct dma_buf *dma_buf);
int vsplit_gem_prime_fd_to_handle(struct drm_device *drm, struct drm_file *file, int fd,
				  u32 *handle);

/* CPU locks that one file holds. */
struct vsplit_lock_table {
	struct mutex lock; /* held */
	struct xarray held; /* GEM object pointer, with a reference each, to count */
};

void vsplit_lock_table_init(struct vsplit_lock_table *table);
void vsplit_lock_table_fini(struct vsplit_lock_table *table);

/* The lock table of a DRM file, from drv/vsplit_drv.c. */
struct vsplit_lock_table *vsplit_file_lock_table(struct drm_file *file);

/** vsplit_file_account() - The account that a file's paging is charged to; no reference. */
struct vsplit_account *vsplit_file_account(struct drm_file *file);

/** vsplit_vma_account() - Account of a mapping's file; NULL: the file is not the adapter's. */
struct vsplit_account *vsplit_vma_account(const struct vm_area_struct *vma);

/** vsplit_file_resid() - The requirement list of a DRM file; no reference. */
struct vsplit_resid *vsplit_file_resid(struct drm_file *file);

/** vsplit_resource_segment() - Segment index of a resource, or SYSTEM. */
static inline u32 vsplit_resource_segment(const struct ttm_resource *res)
{
	if (!res || res->mem_type == TTM_PL_SYSTEM)
		return VSPLIT_SEG_SYSTEM;
	return res->mem_type - TTM_PL_VRAM;
}

/* Index of the segment where an allocation is, or VSPLIT_SEG_SYSTEM; resv held. */
static inline u32 vsplit_bo_segment(const struct vsplit_bo *vbo)
{
	dma_resv_assert_held(vbo->tbo.base.resv);

	return vsplit_resource_segment(vbo->tbo.resource);
}

/* A reference that a call holds while it runs. */
DEFINE_FREE(vsplit_gem, struct drm_gem_object *, drm_gem_object_put(_T))

/** vsplit_bo_offset() - Offset of an allocation in its segment; 0 in system memory. resv held. */
u64 vsplit_bo_offset(const struct vsplit_bo *vbo);

/** vsplit_bo_has_pages() - Does the backing store have its pages? resv held. */
static inline bool vsplit_bo_has_pages(const struct vsplit_bo *vbo)
{
	return vbo->tbo.ttm && ttm_tt_is_populated(vbo->tbo.ttm);
}

/*
 * Make sure that the backing store has its pages; resv held. The pages are there unless TTM swapped
 * them out under pressure, or failed to evict the allocation from a memory segment. This function
 * waits for no fence. vsplit_bo_acquire() populates the allocations that it moves. Code that makes
 * a program with pages of an allocation calls this function first.
 * Return: 0, -ENOMEM, -ERESTARTSYS.
 */
int vsplit_bo_populate(struct vsplit_bo *vbo, struct ttm_operation_ctx *ctx);

/*
 * May a submission use an allocation in this one of its segments now? While the CPU has locked it,
 * only in an aperture (EXT-37). resv held.
 */
bool vsplit_bo_lock_allows(const struct vsplit_bo *vbo, u32 segment);

/*
 * May an allocation be used in its @i-th segment? @write: the GPU is going to write it. resv held.
 */
static inline bool vsplit_bo_allows(const struct vsplit_bo *vbo, u32 i, bool write)
{
	if (vbo->pages_pinned && !(vbo->apertures & BIT(i)))
		return false;
	/* A virtual address through which it can be written exists all the time. */
	write |= vbo->maps && vbo->maps->written;
	return !write || !(vbo->read_only & BIT(i));
}

/*
 * Is an allocation in one of its allowed segments? @write: the GPU is going to write it. resv held.
 */
bool vsplit_bo_can_stay(const struct vsplit_bo *vbo, bool write);

/*
 * Is an allocation where a submission would place it first? @write: the GPU is going to write it.
 * If so, vsplit_bo_leave(), vsplit_bo_acquire() and vsplit_bo_promote() do nothing. resv held.
 */
bool vsplit_bo_is_best(const struct vsplit_bo *vbo, bool write);

/*
 * Evict an allocation as its eviction segment set says (EXT-27); resv held. From a memory segment
 * it goes to the first segment of the set that is not @closed and has room: its bytes go to its
 * pages, and these are mapped there. If no segment has room, or from an aperture segment, it goes
 * to system memory. TTM evicts in the same way.
 * Return: 0; -EBUSY: pinned; -ENOMEM; -ENOBUFS, -E2BIG: the client of the transaction may not hold
 * more; -ERESTARTSYS; -EINTR also as vsplit_txn.refused says.
 */
int vsplit_bo_evict_to_set(struct vsplit_bo *vbo, u32 closed, struct ttm_operation_ctx *ctx);

/*
 * Place an allocation by a paging job of its own, and evict others for it; resv held. @segment:
 * index, or VSPLIT_SEG_SYSTEM to choose by preference. @seen: only to a place where the CPU sees
 * all of it.
 * Return: 0; -ENOSPC: no room; -EINVAL: the segment is not allowed; -EBUSY: it is pinned elsewhere,
 * or its pages are pinned and it may be in no aperture segment; -ENOMEM, -ERESTARTSYS.
 */
int vsplit_bo_page_in(struct vsplit_bo *vbo, u32 segment, bool seen);

/* ---- placing for a submission: prepare may fail, commit cannot ---- */

/**
 * struct vsplit_reloc - One allocation whose place, or state, a program changes.
 * @vbo: the allocation; resv held from prepare to commit.
 * @res: its new resource, or NULL if it ends in the place that it has (it left and came back, or
 *	only its state changes).
 * @offset: if planned: offset of @res in its segment; set by the caller.
 * @runs: the same for VSPLIT_GEM_RUNS: the runs where it will be; they belong to the caller.
 * @moved: some step of the program relocates it: CPU mappings are zapped.
 * @unranged: some step of the program drops the swizzling range that it has.
 * @leaves: vsplit_resid_leave() was called, and vsplit_bo_tell_lists() was not.
 * @bumped: TTM knows that it was used.
 * @dirty: vsplit_bo.dirty after the program.
 * @clear: vsplit_bo.clear after the program.
 */
struct vsplit_reloc {
	struct vsplit_bo *vbo;
	struct ttm_resource *res;
	union {
		u64 offset;
		struct vsplit_gpu_runs *runs;
	};
	bool moved;
	bool unranged;
	bool leaves;
	bool bumped;
	bool dirty;
	bool clear;
};

/*
 * Where may the GPU use an allocation now? @address: out; 0 with @runs. @runs: out: a reference to
 * its runs, if it may be in several; else NULL. Return: false if it is not resident. resv held.
 */
bool vsplit_bo_address(const struct vsplit_bo *vbo, u64 *address, struct vsplit_gpu_runs **runs);

/** vsplit_bo_written() - Note that bytes are, or may be from now on, written; resv held. */
void vsplit_bo_written(struct vsplit_bo *vbo);

/** vsplit_mm_queue_end() - Queue the end of an object that holds a reference of its adapter. */
void vsplit_mm_queue_end(struct work_struct *work);

/**
 * vsplit_bo_acquire() - Get a place for an allocation without moving it there.
 * @vbo: resv held with a ticket, VSPLIT_RESV_SLOTS reserved; in system memory,
 *	pinned, or where it can stay (see vsplit_bo_leave()).
 * @write: the GPU is going to write it.
 * @evict: others may be evicted.
 * @ctx: TTM's; interruptible as the caller wishes.
 * @res: out: NULL if it can stay where it is, else the new resource.
 *
 * The segments are tried in order of preference: first for a hole in any allowed segment without
 * eviction, then with eviction of allocations that are idle or queued elsewhere (each by a paging
 * job of its own). Fences of the range are in @vbo's resv as KERNEL afterwards. Also populates the
 * backing store if it was swapped out.
 *
 * Return: 0; -ENOSPC: no room, or the allocations that could be evicted were locked; -EBUSY: pinned
 * where it may not be used, or its pages are pinned and it may be in no aperture segment; -ENOMEM;
 * -ENOBUFS, -E2BIG: the client of the transaction may not hold more; -ERESTARTSYS; -EINTR also as
 * vsplit_txn.refused says.
 */
int vsplit_bo_acquire(struct vsplit_bo *vbo, bool write, bool evict,
		      struct ttm_operation_ctx *ctx, struct ttm_resource **res);

/*
 * Would vsplit_bo_leave() move an allocation? Return: 0: no; 1: yes; -EBUSY: it would have to
 * leave, and cannot. resv held.
 */
int vsplit_bo_must_leave(const struct vsplit_bo *vbo, bool write);

/*
 * Move an allocation to system memory if a submission may not use it here; resv held with
 * VSPLIT_RESV_SLOTS reserved. A submission may use it in none of these: segments that are not among
 * its own; segments that it allows only for reading, if @write; memory segments, while the CPU has
 * locked it (EXT-37).
 * Return: 0, moved or not; -EBUSY: it is locked and cannot be in an aperture, or it is pinned;
 * otherwise as for vsplit_bo_evict().
 */
int vsplit_bo_leave(struct vsplit_bo *vbo, bool write, struct ttm_operation_ctx *ctx);

/*
 * Return an allocation to a preferred segment if there is room by now; resv held with
 * VSPLIT_RESV_SLOTS reserved. Under pressure an allocation takes a hole in a less preferred
 * segment. When it is used again while it is idle, and a segment that it prefers has a hole, it
 * moves there by paging jobs of its own; nothing is evicted for this. Otherwise it stays where it
 * is.
 * Return: 0, moved or not; -ENOMEM, -ENOBUFS, -E2BIG, -ERESTARTSYS: it is where it was, or in
 * system memory if it was on its way out of an aperture, and its slots are not reserved.
 */
int vsplit_bo_promote(struct vsplit_bo *vbo, bool write, struct ttm_operation_ctx *ctx);

/*
 * Get a resource in a segment, or VSPLIT_SEG_SYSTEM, whose place the plan decides; resv held,
 * populated. Nothing is evicted and no room is taken until vsplit_relocs_commit(). Return: 0,
 * -ENOMEM.
 */
int vsplit_bo_acquire_unplaced(struct vsplit_bo *vbo, u32 segment,
			       struct ttm_operation_ctx *ctx,
			       struct ttm_resource **res);

/** vsplit_bo_unacquire() - Give an acquired resource back; NULL is fine. */
void vsplit_bo_unacquire(struct vsplit_bo *vbo, struct ttm_resource *res);

/** vsplit_resource_offset() - Offset of a placed resource in its segment. */
u64 vsplit_resource_offset(const struct ttm_resource *res);

/** vsplit_resource_runs() - Runs of a resource that may have several; else NULL; no reference. */
struct vsplit_gpu_runs *vsplit_resource_runs(const struct ttm_resource *res);

/*
 * Zap the CPU mappings of allocations that will move; resv of each held until the commit. This is
 * the last step before a program's fence is published: zapping takes i_mmap_rwsem, and a holder of
 * that lock may wait for a published fence (an MMU notifier does). Page faults then wait for the
 * resv.
 */
void vsplit_relocs_zap(struct vsplit_reloc *relocs, u32 nr);

/**
 * vsplit_relocs_commit() - Let acquired resources take effect. Cannot fail.
 * @mm: memory management.
 * @layout: if a plan decides: its layout, claimed and with all victims evicted. Unplaced resources
 *	go to their @offset, which is in a window. Otherwise NULL.
 * @relocs: @nr of them; resv of each held.
 * @nr: how many.
 * @fence: signalled when the program has done the last relocation. Ranges that are left get it, and
 *	everything that the steps of a plan touch.
 *
 * Call this after vsplit_relocs_zap(). The caller adds the fence to the resvs.
 */
void vsplit_relocs_commit(struct vsplit_mm *mm, struct vsplit_layout *layout,
			  struct vsplit_reloc *relocs, u32 nr, struct dma_fence *fence);

/* A part of a segment, not empty, with what makes the allocation there leave sooner or later. */
struct vsplit_span {
	u32 segment;	/* index */
	u64 start;
	u64 size;
	u32 rank;	/* enum vsplit_resid_rank */
	u32 priority;
	u64 lru;	/* stamp of the last use */
};

/*
 * Which segments others leave to make room in @segments, a bit mask: these segments, and every
 * aperture if one is among them and all apertures together have a limit.
 */
u32 vsplit_mm_emptied(const struct vsplit_mm *mm, u32 segments);

/**
 * vsplit_mm_snapshot() - Copy which allocations of others are where.
 * @mm: memory management.
 * @txn: the transaction: its own allocations have @txn in vsplit_bo.txn. They are left out, except
 *	those in runs that cannot move.
 * @segments: bit mask of segment indexes: where to look.
 * @emptied: bit mask: the segments that other allocations can be evicted from.
 * @nr_fixed: out: number of returned spans, at the front, that stay where they are.
 * @nr: out: number of all returned spans. Those behind the fixed ones can be evicted, or are
 *	claimed for a moment.
 *
 * The copy may be outdated as soon as it is returned.
 *
 * Return: kvmalloc'ed array (NULL with @nr 0) or ERR_PTR(-ENOMEM).
 */
struct vsplit_span *vsplit_mm_snapshot(struct vsplit_mm *mm, const struct vsplit_txn *txn,
				       u32 segments, u32 emptied, u32 *nr_fixed, u32 *nr);

/*
 * Is an allocation offered, or where commands may read and write it? resv held. An offered
 * allocation holds up no work of the devices that require it.
 */
static inline bool vsplit_bo_is_resident(const struct vsplit_bo *vbo)
{
	return vbo->offer || vsplit_bo_can_stay(vbo, true);
}

void vsplit_bo_tell_lists(struct vsplit_bo *vbo);

/*
 * May another file or driver know an allocation? resv held; it has a handle. As long as the handle
 * exists, an allocation that was exported, or has a name, counts as known.
 */
static inline bool vsplit_bo_is_known(const struct vsplit_bo *vbo)
{
	const struct drm_gem_object *gem = &vbo->tbo.base;

	return vbo->import || READ_ONCE(gem->dma_buf) || READ_ONCE(gem->name) ||
	       READ_ONCE(gem->handle_count) > 1;
}

/** vsplit_bo_stays() - Does a pin, or a lock of the CPU, keep an allocation where it is? */
static inline bool vsplit_bo_stays(const struct vsplit_bo *vbo)
{
	return READ_ONCE(vbo->tbo.pin_count) || READ_ONCE(vbo->locks);
}

int vsplit_reuse_make_room(struct vsplit_bo *vbo, bool write, struct ttm_operation_ctx *ctx);

bool vsplit_offers_any(struct vsplit_mm *mm, u32 segments);
int vsplit_offers_evict(struct vsplit_mm *mm, u32 segments, u64 bytes,
			struct ttm_operation_ctx *ctx);

/*
 * Evict everything that is not pinned to system memory, for tests; no dma_resv held. Return: 0,
 * -ENOMEM, -ERESTARTSYS.
 */
int vsplit_mm_evict_all(struct vsplit_mm *mm, struct ttm_operation_ctx *ctx);

/** vsplit_segment_room() - The most bytes in one piece if all unpinned allocations leave. */
u64 vsplit_segment_room(struct vsplit_segment *segment);

/*
 * Bytes from the start that the CPU can map: all of an aperture, whatever its configuration says,
 * as it maps the pages behind the aperture (A11).
 */
static inline u64 vsplit_segment_seen(const struct vsplit_segment *segment)
{
	return segment->aperture ? segment->size : segment->cpu_visible;
}

/** vsplit_segment_address() - GPU address of an offset in a segment. */
static inline u64 vsplit_segment_address(const struct vsplit_mm *mm, u32 segment, u64 offset)
{
	return mm->segments[segment].base + offset;
}

/** vsplit_mm_is_aperture() - Is it the index of an aperture segment? */
static inline bool vsplit_mm_is_aperture(const struct vsplit_mm *mm, u32 segment)
{
	return segment != VSPLIT_SEG_SYSTEM && mm->segments[segment].aperture;
}

/** vsplit_segment_print() - For debugfs: ranges and pending ranges. */
void vsplit_segment_print(struct vsplit_segment *segment, struct drm_printer *p);

extern const struct drm_gem_object_funcs vsplit_gem_funcs;

/* Fences of writers for which others do not wait implicitly: vsplit_lock.c. */
int vsplit_bo_reserve_writer(struct vsplit_bo *vbo, u64 context);
void vsplit_bo_release_writer(struct vsplit_bo *vbo, u64 context);
void vsplit_bo_add_writer(struct vsplit_bo *vbo, struct dma_fence *fence);

#endif /* _VSPLIT_MM_H_ */
