/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Memory management: allocations, segments, paging by the engine, CPU access.
 *
 * TTM does placement and eviction; one resource-manager type of our own serves
 * every segment. mm/ does not know exec/: what it needs of it, jobs for paging, is declared here.
 *
 * Lock order (outer to inner): queue->submit_lock, a turn (vsplit_txn.h), dma_resv
 * (ww), paging queue's lock, segment->lock, bdev->lru_lock. Under segment->lock, which
 * is the only lock that different clients' changes of places have in common, no host
 * memory is allocated and no fence is waited for; debug kernels know.
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
struct vsplit_idle_fence;
struct vsplit_import;
struct vsplit_layout;
struct vsplit_places;
struct dma_buf;
struct drm_file;

/**
 * VSPLIT_RESV_SLOTS - fence slots to reserve when an allocation is locked, for all that share
 * its resv: they add the same two fences, each as one kind of user or another.
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
 * @pinned: bytes that are pinned here for life (VSPLIT_GEM_PINNED); under @lock.
 * @pin_share: bytes that clients without CAP_SYS_ADMIN pin here; under @lock.
 * @closed: the task that resets the BAR, while nothing else may be placed there, or NULL;
 *	under @lock.
 * @cpu_visible: bytes from the start that the CPU may map, as configured; constant. Of
 *	an aperture it says nothing: see vsplit_segment_seen().
 * @memory: kernel mapping of a memory segment; constant.
 * @bus: address of its first byte on the CPU's bus, if it is in the adapter's BAR,
 *	else 0; constant. Offsets in the segment are offsets from it (SEG-2), so it
 *	and the offset are all that the CPU's address of an allocation needs (SEG-3).
 * @lock: protects the members below.
 * @ranges: placed ranges; under @lock.
 * @pending: struct vsplit_range that were given back with a fence that has not
 *	signalled: free, but what moves in waits for it; under @lock.
 * @committed: bytes of placed ranges; under @lock.
 * @pins: struct vsplit_range of what is pinned here, by place; under @lock.
 * @room: bytes that are in one piece beside what is pinned, U64_MAX: not known; under @lock.
 * @unpinned: bytes beside what is pinned, if @room is known; under @lock.
 * @nr_swizzle: swizzling ranges; constant.
 * @swizzle: @nr_swizzle of them; the array is constant, its content under @lock.
 * @reuse: by TTM's level: struct vsplit_bo.reuse of what submissions used here; under
 *	mm->reuse_lock.
 * @idle: struct vsplit_range whose fence has signalled; lock-free.
 * @prune: frees what is in @idle.
 * @coverage: whom @prune works for, see vsplit_kcov_begin(); READ_ONCE and WRITE_ONCE.
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
	struct mutex lock; /* what follows */
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
 * @tbo: TTM's; its dma_resv protects what says "resv".
 * @id: unique on the adapter; constant.
 * @flags: VSPLIT_GEM_*; constant.
 * @priority: EXT-28; resv.
 * @offer: enum drm_vsplit_offer_priority, or 0; resv; READ_ONCE without.
 * @offer_dirty: it was @dirty when it was offered; resv.
 * @offer_link: in mm->offers, unless it is in an aperture segment, or could not leave; under
 *	mm->offer_lock.
 * @offer_in_system: @offer_link is in the list of system memory; under mm->offer_lock.
 * @align: bytes; constant.
 * @nr_segs: entries of @segs; constant.
 * @segs: allowed segments by index, in order of preference; constant.
 * @seg_mask: the same, a bit each; constant.
 * @read_only: set of indexes of @segs where the GPU must not write it; constant.
 * @topdown: set of indexes of @segs where it is placed from the end; constant.
 * @evict_set: set of aperture segments, by index, that take it when it is evicted
 *	(EXT-27); constant.
 * @dirty: bytes in the memory segment are newer than the backing store; resv.
 * @clear: never written: backing store is all zeros; resv.
 * @write_tried: the CPU tried to write by an entry that was not writable. Set without a lock;
 *	the next fault takes it back, with the resv held.
 * @lru: stamp of last use, from mm->lru_clock; resv.
 * @gap: between its last two uses, ticks of mm->lru_clock; 0: there was one; under mm->reuse_lock.
 * @due: when it will probably be used again, see vsplit_reuse.c; likewise.
 * @reuse: in @reuse_tree, or empty; likewise.
 * @reuse_tree: of a segment; likewise.
 * @locks: CPU locks (struct drm_vsplit_gem_lock) over all files; resv.
 * @txn: the transaction that holds the resv for a plan, or NULL; resv. Others may read
 *	it to compare it with their own.
 * @moves: how often its place changed; resv.
 * @kept: its backing store, populated, since TTM failed to evict it, until it is needed; or NULL;
 *	resv.
 * @dummy: what its mappings show once the adapter is gone; resv.
 * @pitch: of a swizzled allocation: bytes per row of the surface; else 0; constant.
 * @range: the swizzling range that covers it in the memory segment that it is in, or
 *	VSPLIT_NO_RANGE; resv.
 * @ranges_lost: how many ranges others took from it since it is where it is; resv.
 * @writers: fences of submissions without implicit sync that write it, the last of each
 *	context, by its number; changed with resv held, own lock.
 * @primary: a framebuffer was made of it; set once. READ_ONCE and WRITE_ONCE.
 * @gpu_only: tiles that the CPU must not see (vsplit_surface.c); set before there is a
 *	handle, then constant.
 * @out_of_view: pinned for life where the CPU sees nothing; set before there is a
 *	handle, then constant.
 * @aperture_locks: CPU locks with VSPLIT_LOCK_ACQUIRE_APERTURE over all files; resv.
 * @apertures: bit i: @segs[i] is an aperture segment; constant.
 * @pages_pinned: how many use its pages from outside: attachments to its export,
 *	kernel mappings, an exporter. While it is not 0 its bytes are in its pages
 *	(vsplit_prime.c); resv.
 * @parked: it is pinned, and left its place for a reset of the bus device, to be brought
 *	back afterwards; resv.
 * @import: what it holds of its exporter, NULL unless it is imported; constant.
 * @pin_share: it counts in @pin_share of its first segment; constant.
 * @pin_counted: it counts in @pinned of its first segment; constant.
 * @user: who made it, and is charged for its memory; reference; constant.
 * @account: of the file that made it, reference; NULL: it is imported. What the CPU touches by a
 *	mapping of no file of the adapter, as a dma-buf's, is paged in its turn; constant.
 * @charged: bytes that @user is charged for it; of an import, which has no pages of its
 *	own, without these; constant.
 * @memcg: of the task that made it: charged for its pages, whichever task has them made again;
 *	reference; constant.
 * @paging_context: fence context of its paging jobs, each of which waits for the one
 *	before; constant.
 * @paging_seqno: of the last one; resv.
 * @uses: jobs that use it, and one for all of its users together; see vsplit_release.c.
 * @ends: of the two, released and idle, those that are still to come.
 * @released: its range was given back; written once, before @ends says so.
 * @stuck_from: jiffies from which it counts as pinned, since its last user is gone and
 *	its lock was taken; else 0; written once. READ_ONCE and WRITE_ONCE.
 * @left: what the GPU has to forget when it is idle; written once, before that.
 * @left.address: GPU address of its range, if that is one of an aperture, else 0.
 * @left.range: number of its swizzling range among all of the GPU's, or VSPLIT_NO_RANGE.
 * @idle_fence: a fence once it is released while busy: signals when it is idle. Memory for
 *	one until then.
 * @end: what is to be done where it may sleep.
 * @foreign: of a fence of another driver's, which @end waits for.
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
	u8 seg_mask;
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
 * @from_runs: of what is in runs: where it leaves, or NULL.
 * @to_seg: index of the segment that it enters, or VSPLIT_SEG_SYSTEM.
 * @to: offset in @to_seg.
 * @to_runs: and where it comes to, or NULL.
 * @transfer: its bytes go along, where no aperture is concerned.
 * @fill: zeros go instead, likewise.
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
 * vsplit_move_describe() - What the step of a move does, and what a record tells about it.
 * @move: its backing store is populated.
 * @range: in: the swizzling range that covers it before the step; out: after it.
 * @step: zeros but for its flags. Gets references.
 * @event: zeros but for what the client calls it, and when it is.
 */
void vsplit_move_describe(const struct vsplit_move *move, u32 *range,
			  struct vsplit_gpu_step *step, struct drm_vsplit_event *event);

/*
 * Paging outside submissions (evictions of others, page-ins for pinning or CPU access), provided by
 * exec/: vsplit_paging_prepare(), any number of dependencies, then either vsplit_paging_commit() or
 * vsplit_job_free(). A job waits for what it depends on and for nothing else: no order between jobs
 * but by fences.
 */
struct vsplit_job *vsplit_paging_prepare(struct vsplit_device *vdev, const struct vsplit_txn *txn,
					 struct vsplit_gpu_step **step);
int vsplit_job_depend(struct vsplit_job *job, struct dma_fence *fence);
int vsplit_job_visit(void *job, struct dma_fence *fence);
u32 vsplit_fences_latest(void *elements, u32 nr, size_t size);
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
void vsplit_account_put(struct vsplit_account *account);

/* Each segment, and system memory. */
#define VSPLIT_OFFER_PLACES	(VSPLIT_MAX_SEGMENTS + 1)
/* Offers by priority; those of AUTO by that of the allocation, which are TTM's. */
#define VSPLIT_OFFER_CLASSES	(VSPLIT_OFFER_AUTO - 1 + TTM_MAX_BO_PRIORITY)

/**
 * struct vsplit_mm - Memory management of an adapter.
 * @bdev: TTM device.
 * @vdev: owner.
 * @nr_segments: constant after init.
 * @segments: constant after init; own locks.
 * @in_bar: those in the adapter's BAR, a bit each; constant after init.
 * @turn_lock: protects @turns; innermost.
 * @turns: struct vsplit_txn.turn, in order of arrival; the first one has its turn.
 * @turn_wait: woken when a turn ends, or @windows changes.
 * @windows: how often claimed windows were given back.
 * @claims: layouts that have claimed windows now.
 * @next_id: of allocations.
 * @lru_clock: stamps of last use.
 * @aperture_committed: bytes of placed ranges of all aperture segments.
 * @aperture_pinned: bytes that clients without CAP_SYS_ADMIN pin in them, if there is a
 *	limit of them all.
 * @evictions: by eviction segment set: where what is evicted goes; constant after init.
 * @import_wq: gives back what imports held, see vsplit_import_destroy(); drained with the
 *	adapter.
 * @imports: by task: struct vsplit_importing; own lock.
 * @reset: the transaction of a reset of the BAR; of the task that resets it.
 * @parked: struct vsplit_parked, what was pinned in the BAR, while that is being
 *	reset; of the task that resets it.
 * @resid: what devices require; own lock.
 * @offer_lock: protects @offers and @offered_pages; innermost but for locks of allocations that
 *	are free.
 * @offers: struct vsplit_bo.offer_link, by segment, system memory last, and in order of their
 *	going.
 * @offered_pages: of what is offered and in system memory; READ_ONCE without @offer_lock.
 * @reuse_lock: protects the trees of vsplit_reuse.c; innermost but for locks of allocations that
 *	are free.
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

/**
 * vsplit_mm_init() - Make segments from vdev->config and add them to vdev->gpu.
 * @vdev: the adapter; @gpu and @config are set, @drm is initialised.
 *
 * Everything is released by drmm actions, after the last reference.
 *
 * Return: 0 or a negative error.
 */
int vsplit_mm_init(struct vsplit_device *vdev);

/**
 * vsplit_mm_leave_bar() - Before a reset of the bus device: empty what is in its BAR.
 * @mm: memory management.
 *
 * Everything goes to system memory, what is pinned too, and nothing is placed there until
 * vsplit_mm_return_to_bar(), which the same task must call if this succeeds: it has its
 * turn in between. May sleep, not interruptible. Does not wait for the engines.
 *
 * Return: 0 or -ENOMEM: the contents cannot be saved; the turn is over.
 */
int vsplit_mm_leave_bar(struct vsplit_mm *mm);

/**
 * vsplit_mm_wait_bar() - After vsplit_mm_leave_bar(): until the engines have done with it.
 * @mm: memory management.
 * @timeout: jiffies.
 * @interruptible: a signal ends the wait.
 *
 * Return: 0, -ETIME, -EINTR or -ENOMEM.
 */
int vsplit_mm_wait_bar(struct vsplit_mm *mm, unsigned long timeout, bool interruptible);

/**
 * vsplit_mm_return_to_bar() - After the reset: the BAR can be used again.
 * @mm: memory management.
 *
 * What was pinned is at its place again; its bytes are under way (vsplit_mm_wait_returned()).
 * Call vsplit_mm_forget_parked() afterwards, whatever it returns.
 *
 * Return: 0 or -ENOMEM: something pinned could not be brought back; the adapter has
 * to be unplugged.
 */
int vsplit_mm_return_to_bar(struct vsplit_mm *mm);

/**
 * vsplit_mm_wait_returned() - After vsplit_mm_return_to_bar(): until what was pinned has its bytes.
 * @mm: memory management.
 * @timeout: jiffies.
 *
 * No signal ends it. Return: 0 or -ETIME.
 */
int vsplit_mm_wait_returned(struct vsplit_mm *mm, unsigned long timeout);

/** vsplit_mm_forget_parked() - The reset is over. */
void vsplit_mm_forget_parked(struct vsplit_mm *mm);

unsigned long vsplit_mm_shrink(struct vsplit_mm *mm, unsigned long pages, bool swap);

/** vsplit_mm_module_init() - What all adapters share. Return: 0 or -ENOMEM. */
int vsplit_mm_module_init(void);

/** vsplit_mm_module_exit() - Waits for the last allocation, and with it perhaps an adapter. */
void vsplit_mm_module_exit(void);

/* ---- allocations ---- */

/**
 * vsplit_bo_create() - Create an allocation in system memory, backing store
 * committed and zeroed; pin it into its first segment if VSPLIT_GEM_PINNED.
 * @vdev: the adapter.
 * @account: of the file that makes it.
 * @args: validated here, see struct drm_vsplit_gem_create.
 *
 * Return: the allocation with one GEM reference, or ERR_PTR(-EINVAL, -E2BIG,
 * -ENOSPC, -EDQUOT, -ENOMEM, -EINTR, -ERESTARTSYS).
 */
struct vsplit_bo *vsplit_bo_create(struct vsplit_device *vdev, struct vsplit_account *account,
				   const struct drm_vsplit_gem_create *args);

/**
 * vsplit_bo_use() - A job is going to use an allocation.
 * @vbo: a GEM reference is held, or its resv while it has a place.
 *
 * Its pages stay until vsplit_bo_unuse(), and what the GPU knows of its place.
 */
void vsplit_bo_use(struct vsplit_bo *vbo);

/**
 * vsplit_bo_unuse() - A job has done with an allocation, or will never run.
 * @vbo: may be gone afterwards.
 *
 * Before the job's fence signals. Signalling side: does not sleep.
 */
void vsplit_bo_unuse(struct vsplit_bo *vbo);
struct dma_fence *vsplit_idle_fence_behind(struct dma_fence *fence);

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

/**
 * struct vsplit_lock_table - CPU locks that one file holds.
 * @lock: protects @held.
 * @held: GEM object pointer to count (with a reference per object); under @lock.
 */
struct vsplit_lock_table {
	struct mutex lock; /* held */
	struct xarray held;
};

void vsplit_lock_table_init(struct vsplit_lock_table *table);
void vsplit_lock_table_fini(struct vsplit_lock_table *table);

/**
 * vsplit_file_lock_table() - The lock table of a DRM file.
 * @file: the file.
 *
 * Provided by the device room (drv/vsplit_drv.c).
 *
 * Return: the lock table.
 */
struct vsplit_lock_table *vsplit_file_lock_table(struct drm_file *file);

/** vsplit_file_account() - What a file's paging is charged to; the file's. */
struct vsplit_account *vsplit_file_account(struct drm_file *file);

/** vsplit_vma_account() - Of the file that a mapping is of; NULL: that is not the adapter's. */
struct vsplit_account *vsplit_vma_account(const struct vm_area_struct *vma);

/** vsplit_file_resid() - What a DRM file requires; likewise. */
struct vsplit_resid *vsplit_file_resid(struct drm_file *file);

/** vsplit_resource_segment() - Segment index of a resource, or SYSTEM. */
static inline u32 vsplit_resource_segment(const struct ttm_resource *res)
{
	if (!res || res->mem_type == TTM_PL_SYSTEM)
		return VSPLIT_SEG_SYSTEM;
	return res->mem_type - TTM_PL_VRAM;
}

/**
 * vsplit_bo_segment() - Where an allocation is.
 * @vbo: resv held.
 *
 * Return: the segment's index, or VSPLIT_SEG_SYSTEM.
 */
static inline u32 vsplit_bo_segment(const struct vsplit_bo *vbo)
{
	dma_resv_assert_held(vbo->tbo.base.resv);

	return vsplit_resource_segment(vbo->tbo.resource);
}

/* A reference that a call has while it runs. */
DEFINE_FREE(vsplit_gem, struct drm_gem_object *, drm_gem_object_put(_T))

/** vsplit_bo_offset() - Its offset in its segment; 0 in system memory. resv. */
u64 vsplit_bo_offset(const struct vsplit_bo *vbo);

/**
 * vsplit_bo_populate() - Make sure that the backing store has its pages.
 * @vbo: resv held.
 * @ctx: TTM's.
 *
 * They are there unless TTM swapped them out under pressure, or failed to evict it
 * from a memory segment. It waits for no fence. vsplit_bo_acquire() does it for what it
 * moves; what makes a program that names pages calls it before that.
 *
 * Return: 0, -ENOMEM, -ERESTARTSYS.
 */
int vsplit_bo_populate(struct vsplit_bo *vbo, struct ttm_operation_ctx *ctx);

/**
 * vsplit_bo_lock_allows() - May a submission use it in this segment now?
 * @vbo: resv held.
 * @segment: index; one that the allocation may use.
 *
 * While the CPU has it locked, only in an aperture (EXT-37).
 */
bool vsplit_bo_lock_allows(const struct vsplit_bo *vbo, u32 segment);

/**
 * vsplit_bo_allows() - May it be used at its @i-th segment?
 * @vbo: resv held.
 * @i: index of vsplit_bo.segs.
 * @write: the GPU is going to write it.
 */
static inline bool vsplit_bo_allows(const struct vsplit_bo *vbo, u32 i, bool write)
{
	if (vbo->pages_pinned && !(vbo->apertures & BIT(i)))
		return false;
	/* Virtual addresses by which it can be written are there all the time. */
	write |= vbo->maps && vbo->maps->written;
	return !write || !(vbo->read_only & BIT(i));
}

/**
 * vsplit_bo_can_stay() - Is its current place one of its allowed segments?
 * @vbo: resv held.
 * @write: the GPU is going to write it.
 */
bool vsplit_bo_can_stay(const struct vsplit_bo *vbo, bool write);

/**
 * vsplit_bo_is_best() - Is it where a submission would place it first?
 * @vbo: resv held.
 * @write: the GPU is going to write it.
 *
 * Then vsplit_bo_leave(), vsplit_bo_acquire() and vsplit_bo_promote() do nothing.
 */
bool vsplit_bo_is_best(const struct vsplit_bo *vbo, bool write);

/**
 * vsplit_bo_evict_to_set() - Evict it as its eviction segment set says (EXT-27).
 * @vbo: resv held; not pinned.
 * @closed: bit mask of segments that take nothing.
 * @ctx: TTM's.
 *
 * From a memory segment it goes to the first segment of the set that has room: its
 * bytes go to its pages, and these are mapped there. Otherwise, and from an aperture
 * segment, it goes to system memory. TTM evicts in the same way.
 *
 * Return: 0, -EBUSY if pinned, -ENOMEM, -ERESTARTSYS.
 */
int vsplit_bo_evict_to_set(struct vsplit_bo *vbo, u32 closed, struct ttm_operation_ctx *ctx);

/**
 * vsplit_bo_page_in() - Place by its preference (or into @segment) by a paging
 * job of its own, evicting others.
 * @vbo: resv held.
 * @segment: index, or VSPLIT_SEG_SYSTEM to choose by preference.
 * @seen: only where the CPU sees all of it.
 *
 * Return: 0, -ENOSPC, -EINVAL (segment not allowed), -EBUSY, -ENOMEM,
 * -ERESTARTSYS.
 */
int vsplit_bo_page_in(struct vsplit_bo *vbo, u32 segment, bool seen);

/* ---- scanout ---- */

/**
 * struct vsplit_scanout - A pin of an allocation that a head reads or writes.
 * @bytes: the first of them in the kernel's address space; linear. Not to be touched
 *	once the adapter is unplugged, and while its bus device is being reset.
 * @vmapped: @bytes is a mapping of the pin's own.
 *
 * It belongs to the caller that pinned; constant while pinned.
 */
struct vsplit_scanout {
	void *bytes;
	bool vmapped;
};

/** vsplit_scanout_possible() - May a head show it? Not what is swizzled or hidden. */
bool vsplit_scanout_possible(const struct drm_gem_object *gem);

/** vsplit_scanout_allow() - A framebuffer is made of it: it is a primary from now on (RES-19). */
void vsplit_scanout_allow(struct drm_gem_object *gem);

/**
 * vsplit_scanout_pin() - Pin an allocation in a segment that it allows, where the CPU sees it.
 * @gem: vsplit_scanout_possible(); a reference is held until it is unpinned. No
 *	dma_resv is held.
 * @write: its bytes will be written.
 * @scanout: out.
 *
 * The bytes are there when the KERNEL fences of its dma_resv, as they are after this,
 * are signalled. May sleep, interruptible.
 *
 * Return: 0; -ENODEV: the adapter is gone; -ENOSPC: what is pinned or too large leaves no room
 * that the CPU sees; -EBUSY: it is where it may not be read, or written; -ENOMEM, -ERESTARTSYS.
 */
int vsplit_scanout_pin(struct drm_gem_object *gem, bool write, struct vsplit_scanout *scanout);

/**
 * struct vsplit_scanout_need - An allocation that is about to be pinned.
 * @gem: vsplit_scanout_possible(); a reference is held.
 * @write: its bytes will be written.
 * @segments: set of those that it may be pinned in, by index; vsplit_scanout_fit() fills it.
 */
struct vsplit_scanout_need {
	struct drm_gem_object *gem;
	bool write;
	u32 segments;
};

/**
 * vsplit_scanout_fit() - Can all of these be pinned beside what is pinned now?
 * @needs: @nr of them, each allocation once.
 * @nr: how many.
 *
 * It looks at sizes alone. Where it says no there is no room; where it says yes
 * vsplit_scanout_pin() may still find none, for want of holes that suit all of them. Pins come and
 * go meanwhile. No dma_resv is held; may sleep, interruptible.
 *
 * Return: 0; -ENOSPC; -ERESTARTSYS.
 */
int vsplit_scanout_fit(struct vsplit_scanout_need *needs, u32 nr);

/**
 * vsplit_scanout_unpin() - Undo vsplit_scanout_pin().
 * @gem: the same.
 * @scanout: the same; cleared.
 *
 * May sleep; takes the dma_resv; cannot fail.
 */
void vsplit_scanout_unpin(struct drm_gem_object *gem, struct vsplit_scanout *scanout);

/* ---- placing for a submission: prepare may fail, commit cannot ---- */

/**
 * struct vsplit_reloc - One allocation whose place, or state, a program changes.
 * @vbo: the allocation; resv held from prepare to commit.
 * @res: its new resource, or NULL where it ends in the place that it has (it
 *	left and came back, or only its state changes).
 * @offset: planned: offset of @res in its segment; set by the caller.
 * @runs: of VSPLIT_GEM_RUNS instead, planned: where it is; the caller's.
 * @moved: some step of the program relocates it: CPU mappings are zapped.
 * @unranged: some step of it drops the swizzling range that it has.
 * @leaves: vsplit_resid_leave() was called, and vsplit_bo_tell_lists() was not.
 * @bumped: TTM knows that it was used.
 * @dirty: its state after the program.
 * @clear: its state after the program.
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

/**
 * vsplit_bo_address() - The GPU address where the GPU may use an allocation now.
 * @vbo: resv held.
 * @address: out; 0 with @runs.
 * @runs: out: a reference to where it is, if it may be in several runs; else NULL.
 *
 * Return: false if it is not resident.
 */
bool vsplit_bo_address(const struct vsplit_bo *vbo, u64 *address, struct vsplit_gpu_runs **runs);

/** vsplit_bo_written() - Note that its bytes are, or may from now on be, written; resv held. */
void vsplit_bo_written(struct vsplit_bo *vbo);

/** vsplit_mm_queue_end() - Queue the end of something that holds its adapter. */
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
 * By its order of preference: first a hole in any allowed segment without
 * eviction, then with eviction of what is idle or queued elsewhere (each a
 * paging job of its own). Fences of the range are in @vbo's resv as KERNEL
 * afterwards. Also populates the backing store if it was swapped out.
 *
 * Return: 0; -ENOSPC no room, or what could be evicted was locked; -EBUSY pinned where
 * it may not be used; -ENOMEM; -ERESTARTSYS.
 */
int vsplit_bo_acquire(struct vsplit_bo *vbo, bool write, bool evict,
		      struct ttm_operation_ctx *ctx, struct ttm_resource **res);

/**
 * vsplit_bo_must_leave() - Would vsplit_bo_leave() move it?
 * @vbo: resv held.
 * @write: the GPU is going to write it.
 *
 * Return: 0 no, 1 yes; -EBUSY: it would have to, and cannot.
 */
int vsplit_bo_must_leave(const struct vsplit_bo *vbo, bool write);

/**
 * vsplit_bo_leave() - Go to system memory from where a submission may not use it.
 * @vbo: resv held with VSPLIT_RESV_SLOTS reserved.
 * @write: the GPU is going to write it.
 * @ctx: TTM's.
 *
 * That is a segment which is not among its own, or only for reading, and any
 * memory segment while the CPU has it locked (EXT-37).
 *
 * Return: 0, moved or not; -EBUSY: locked, and it cannot be in an aperture, or it is
 * pinned; -ENOMEM, -ERESTARTSYS.
 */
int vsplit_bo_leave(struct vsplit_bo *vbo, bool write, struct ttm_operation_ctx *ctx);

/**
 * vsplit_bo_promote() - Return to a preferred segment if there is room by now.
 * @vbo: resv held with VSPLIT_RESV_SLOTS reserved.
 * @write: the GPU is going to write it.
 * @ctx: TTM's.
 *
 * Under pressure an allocation takes a hole in a segment that it likes less.
 * When it is used again, is idle, and a segment that it prefers has a hole, it
 * moves there by paging jobs of its own; nothing is evicted for that. It stays
 * where it is otherwise.
 *
 * Return: 0, moved or not; -ENOMEM, -ENOBUFS, -E2BIG, -ERESTARTSYS: it is where it was, or on the
 * way out of an aperture it is in system memory, and its slots are not reserved.
 */
int vsplit_bo_promote(struct vsplit_bo *vbo, bool write, struct ttm_operation_ctx *ctx);

/**
 * vsplit_bo_acquire_unplaced() - Get a resource whose place the plan decides.
 * @vbo: resv held; populated.
 * @segment: index or VSPLIT_SEG_SYSTEM.
 * @ctx: TTM's.
 * @res: out.
 *
 * Nothing is evicted and no room is taken until vsplit_relocs_commit().
 *
 * Return: 0, -ENOMEM.
 */
int vsplit_bo_acquire_unplaced(struct vsplit_bo *vbo, u32 segment,
			       struct ttm_operation_ctx *ctx,
			       struct ttm_resource **res);

/** vsplit_bo_unacquire() - Give an acquired resource back; NULL is fine. */
void vsplit_bo_unacquire(struct vsplit_bo *vbo, struct ttm_resource *res);

/** vsplit_resource_offset() - Offset of a placed resource in its segment. */
u64 vsplit_resource_offset(const struct ttm_resource *res);

/** vsplit_resource_runs() - Where it is, if it may be in several runs, else NULL; no reference. */
struct vsplit_gpu_runs *vsplit_resource_runs(const struct ttm_resource *res);

/**
 * vsplit_relocs_zap() - Zap the CPU mappings of what will move.
 * @relocs: @nr of them; resv of each held until the commit.
 * @nr: how many.
 *
 * The last thing before a program's fence is published: zapping takes
 * i_mmap_rwsem, and what holds that may be waiting for a published fence (an
 * MMU notifier does). Faults then wait for the resv.
 */
void vsplit_relocs_zap(struct vsplit_reloc *relocs, u32 nr);

/**
 * vsplit_relocs_commit() - Let acquired resources take effect. Cannot fail.
 * @mm: memory management.
 * @layout: claimed, victims evicted, where a plan decides: unplaced resources go to their
 *	@offset, which is in a window. Else NULL.
 * @relocs: @nr of them; resv of each held.
 * @nr: how many.
 * @fence: signalled when the program has done the last relocation; ranges that
 *	are left carry it, and all that the steps of a plan touch.
 *
 * After vsplit_relocs_zap(). The caller adds the fence to the resvs.
 */
void vsplit_relocs_commit(struct vsplit_mm *mm, struct vsplit_layout *layout,
			  struct vsplit_reloc *relocs, u32 nr, struct dma_fence *fence);

/**
 * struct vsplit_span - A part of a segment.
 * @segment: index.
 * @start: first byte.
 * @size: bytes, > 0.
 * @rank: of what is there: enum vsplit_resid_rank.
 * @priority: likewise.
 * @lru: likewise: stamp of its last use.
 */
struct vsplit_span {
	u32 segment;
	u64 start;
	u64 size;
	u32 rank;
	u32 priority;
	u64 lru;
};

/**
 * vsplit_mm_emptied() - Which segments others leave for what comes into some.
 * @mm: memory management.
 * @segments: bit mask of segment indexes.
 *
 * Return: these, and, if all apertures together have a limit and one is among them, every
 * aperture.
 */
u32 vsplit_mm_emptied(const struct vsplit_mm *mm, u32 segments);

/**
 * vsplit_mm_snapshot() - What is where that does not belong to a transaction.
 * @mm: memory management.
 * @txn: its own allocations have @txn in vsplit_bo.txn, and are left out.
 * @segments: bit mask of segment indexes: where to look.
 * @emptied: bit mask: those that other allocations can be evicted from.
 * @nr_fixed: out: of the returned spans, those in front that stay where they are.
 * @nr: out: all of them. Those behind can be evicted, or are claimed for a moment.
 *
 * A copy: it may be outdated when it is looked at.
 *
 * Return: kvmalloc'ed array (NULL with @nr 0) or ERR_PTR(-ENOMEM).
 */
struct vsplit_span *vsplit_mm_snapshot(struct vsplit_mm *mm, const struct vsplit_txn *txn,
				       u32 segments, u32 emptied, u32 *nr_fixed, u32 *nr);

/**
 * vsplit_bo_is_resident() - Is it where commands may read and write it, or offered?
 * @vbo: resv held.
 *
 * What is offered holds nothing up.
 */
static inline bool vsplit_bo_is_resident(const struct vsplit_bo *vbo)
{
	return vbo->offer || vsplit_bo_can_stay(vbo, true);
}

void vsplit_bo_tell_lists(struct vsplit_bo *vbo);

/** vsplit_bo_stays() - Does something keep it where it is? A pin, or a lock of the CPU's. */
static inline bool vsplit_bo_stays(const struct vsplit_bo *vbo)
{
	return READ_ONCE(vbo->tbo.pin_count) || READ_ONCE(vbo->locks);
}

int vsplit_reuse_make_room(struct vsplit_bo *vbo, bool write, struct ttm_operation_ctx *ctx);

bool vsplit_offers_any(struct vsplit_mm *mm, u32 segments);
int vsplit_offers_evict(struct vsplit_mm *mm, u32 segments, u64 bytes,
			struct ttm_operation_ctx *ctx);

/**
 * vsplit_mm_evict_all() - Evict everything that is not pinned, for tests.
 * @mm: memory management; no dma_resv held.
 * @ctx: TTM's.
 *
 * Each goes to system memory.
 *
 * Return: 0, -ENOMEM, -ERESTARTSYS.
 */
int vsplit_mm_evict_all(struct vsplit_mm *mm, struct ttm_operation_ctx *ctx);

/** vsplit_segment_resident() - Bytes in use now. */
u64 vsplit_segment_resident(struct vsplit_segment *segment);

/** vsplit_segment_room() - The most bytes in one piece if all leaves that is not pinned. */
u64 vsplit_segment_room(struct vsplit_segment *segment);

/**
 * vsplit_segment_seen() - Bytes from the start that the CPU can map.
 * @segment: the segment.
 *
 * Of an aperture it is all, whatever its configuration says: the CPU maps the pages
 * behind it (A11).
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

/* Fences of writers that others are not to wait for implicitly: vsplit_lock.c. */
int vsplit_bo_reserve_writer(struct vsplit_bo *vbo, u64 context);
void vsplit_bo_release_writer(struct vsplit_bo *vbo, u64 context);
void vsplit_bo_add_writer(struct vsplit_bo *vbo, struct dma_fence *fence);

#endif /* _VSPLIT_MM_H_ */
