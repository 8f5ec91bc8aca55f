/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Memory management: what its files share among themselves.
 */
#ifndef _VSPLIT_MM_INTERNAL_H_
#define _VSPLIT_MM_INTERNAL_H_

#include <linux/mm_types.h>

#include <drm/ttm/ttm_tt.h>

#include "vsplit_device.h"
#include "debug/vsplit_fault.h"
#include "mm/vsplit_layout.h"
#include "vsplit_compat.h"

/*
 * VSPLIT_PL_FLAG_UNPLACED - of a struct ttm_place: give a resource without a
 * range; a layout will place it. TTM knows only the low bits.
 */
#define VSPLIT_PL_FLAG_UNPLACED	BIT(31)

/** VSPLIT_MAX_FENCES - the most fences that a visit of part of a segment gives; more are merged. */
#define VSPLIT_MAX_FENCES	16

/**
 * struct vsplit_range - A range of a segment: placed, or given back but busy.
 * @node: placed: in the segment's @ranges; pending: only its start and size are used.
 * @bo: placed: the allocation that has it, constant while placed; NULL: it is a window that a
 *	layout claims.
 * @heir: placed: the layout that takes the place over when the allocation leaves, or NULL;
 *	protected by the resv of the allocation, which the layout's transaction holds.
 * @next: placed: the next run of the same allocation, or NULL; under its resv.
 * @busy: fence that must signal before the next owner may touch the range; set before the range is
 *	given back; a reference.
 * @link: in a struct vsplit_layout, if the range is spare or a claimed window.
 * @rb: pending: in the segment's @pending; placed, if the allocation is pinned: in the segment's
 *	@pins; under the segment's lock.
 * @rb_last: last byte below @rb, for the interval tree.
 * @segment: pending: the segment; constant while pending.
 * @idle: pending: callback of @busy.
 * @idle_link: in the segment's @idle, once @busy has signalled.
 * @seen: pending: the layout whose program depends on @busy, or NULL; only its address is compared;
 *	under the segment's lock.
 */
struct vsplit_range {
	struct drm_mm_node node;
	struct ttm_buffer_object *bo;
	struct vsplit_layout *heir;
	struct vsplit_range *next;
	struct dma_fence *busy;
	struct list_head link;
	struct rb_node rb;
	u64 rb_last;
	struct vsplit_segment *segment;
	struct dma_fence_cb idle;
	struct llist_node idle_link;
	const void *seen;
};

/**
 * struct vsplit_swizzle_range - A swizzling range of a memory segment.
 * @holder: the allocation that it covers, or NULL; under the segment's lock, and set
 *	to NULL before the allocation is freed.
 * @busy: fence that must signal before the range is set anew, or NULL; under the segment's lock; a
 *	reference.
 * @idle: callback of @busy.
 * @segment: the segment; used by the callback of @busy.
 * @used: stamp of when its holder acquired it; under the segment's lock.
 */
struct vsplit_swizzle_range {
	struct vsplit_bo *holder;
	struct dma_fence *busy;
	struct dma_fence_cb idle;
	struct vsplit_segment *segment;
	u64 used;
};

/**
 * struct vsplit_res - TTM's resource in a segment.
 * @base: TTM's part.
 * @range: NULL until a layout places the resource; with VSPLIT_GEM_RUNS the first run, by address;
 *	written with the allocation's resv held.
 * @runs: with VSPLIT_GEM_RUNS: where the runs are, a reference; likewise.
 */
struct vsplit_res {
	struct ttm_resource base;
	struct vsplit_range *range;
	struct vsplit_gpu_runs *runs;
};

/* TTM's backing store. */
struct vsplit_tt {
	struct ttm_tt base;
	struct vsplit_bo *vbo; /* outlives it */
};

/* Where an allocation may go, as TTM is told; a segment may be in it twice, first only a part. */
struct vsplit_places {
	struct ttm_placement base;
	struct ttm_place places[2 * VSPLIT_MAX_SEGMENTS];
};

static inline struct vsplit_mm *bdev_to_mm(struct ttm_device *bdev)
{
	return container_of(bdev, struct vsplit_mm, bdev);
}

static inline struct vsplit_mm *vbo_to_mm(const struct vsplit_bo *vbo)
{
	return bdev_to_mm(vbo->tbo.bdev);
}

static inline struct vsplit_device *vbo_to_vdev(const struct vsplit_bo *vbo)
{
	return vbo_to_mm(vbo)->vdev;
}

static inline struct vsplit_res *to_vsplit_res(const struct ttm_resource *res)
{
	return container_of(res, struct vsplit_res, base);
}

static inline struct vsplit_range *node_to_range(struct drm_mm_node *node)
{
	return container_of(node, struct vsplit_range, node);
}

/* vsplit_mm.c */
struct vsplit_bo *vsplit_segment_next(struct vsplit_segment *segment, u64 *start);

/* vsplit_release.c */

/** vsplit_bo_is_stuck() - Has it long had no user, but keeps its place as its lock is taken? */
static inline bool vsplit_bo_is_stuck(const struct vsplit_bo *vbo)
{
	unsigned long from = READ_ONCE(vbo->stuck_from);

	return from && time_after_eq(jiffies, from);
}

/* vsplit_segment.c */
int vsplit_segment_init(struct vsplit_mm *mm, u32 index);
void vsplit_segment_fini(struct vsplit_segment *segment);
struct vsplit_segment *vsplit_resource_owner(struct vsplit_mm *mm, const struct ttm_resource *res);
struct vsplit_range *vsplit_range_create(void);
void vsplit_range_destroy(struct vsplit_range *range);
void vsplit_resource_set_busy(struct ttm_resource *res, struct dma_fence *fence);
void vsplit_segment_pin(struct vsplit_mm *mm, const struct ttm_resource *res, bool pinned);
int vsplit_segment_visit_fences(struct vsplit_segment *segment, const struct vsplit_range *parts,
				const struct vsplit_txn *txn, const void *mark,
				int (*add)(void *priv, struct dma_fence *fence), void *priv);
int vsplit_segment_inherit(struct vsplit_segment *segment, struct ttm_buffer_object *bo,
			   const struct vsplit_range *range);
bool vsplit_add_below(atomic64_t *sum, s64 bytes, s64 limit);
void vsplit_segment_commit(struct vsplit_segment *segment, s64 size);
void vsplit_segment_cover(struct vsplit_segment *segment, struct vsplit_range *cover,
			  const void *mark, struct dma_fence *fence);

/** vsplit_segment_unpinned() - Bytes that the CPU sees, if all unpinned allocations leave. */
u64 vsplit_segment_unpinned(struct vsplit_segment *segment);

/*
 * Is there a place that the CPU sees if all unpinned allocations leave? @size is at most that of
 * the largest segment, and @align a power of two.
 */
bool vsplit_segment_suits(struct vsplit_segment *segment, u64 size, u64 align);

/* vsplit_layout.c */
void vsplit_layout_inherit(struct vsplit_layout *layout, struct vsplit_segment *segment,
			   struct vsplit_range *range);

int vsplit_layout_settle(struct vsplit_layout *layout, struct vsplit_bo *vbo,
			 struct ttm_resource *res, u64 offset);

/* vsplit_pin.c */

/*
 * Is there a place, between @first and @end, for an allocation that is not pinned, in its @index-th
 * segment, if all that can be evicted leaves? @at: out: the place. May sleep. Return: 0, -ENOSPC,
 * -ENOMEM.
 */
int vsplit_pin_look(const struct vsplit_bo *vbo, struct vsplit_txn *txn, u32 index, u64 first,
		    u64 end, u64 *at);

/*
 * Keep an allocation where it is, until vsplit_bo_unpin_place(); resv held. Pins are counted, as by
 * ttm_bo_pin(). Return: 0; -ENOSPC: a device's list would not fit any more, and not @must.
 */
int vsplit_bo_pin_place(struct vsplit_bo *vbo, bool must);

/*
 * Undo vsplit_bo_pin_place(); resv held, at the place where it was pinned, or moved away by a reset
 * of the bus device.
 */
void vsplit_bo_unpin_place(struct vsplit_bo *vbo);

int vsplit_bo_pin(struct vsplit_bo *vbo);
void vsplit_mm_tell_capacity(struct vsplit_mm *mm);
void vsplit_pin_uncharge(struct vsplit_bo *vbo);

/* vsplit_ttm.c */
extern const struct ttm_device_funcs vsplit_ttm_funcs;
extern struct ttm_placement vsplit_system_placement;
struct ttm_tt *vsplit_tt_create(struct ttm_buffer_object *tbo, u32 page_flags);
int vsplit_bo_page(struct vsplit_bo *vbo, struct ttm_resource *to, bool evict,
		   struct ttm_operation_ctx *ctx);

/* vsplit_reuse.c */
void vsplit_reuse_used(struct vsplit_bo *vbo, u64 now);
void vsplit_reuse_forget(struct vsplit_bo *vbo);

/* vsplit_bo.c */

/** vsplit_bo_priority_ok() - May userspace ask for this? 0 stands for VSPLIT_PRIORITY_NORMAL. */
bool vsplit_bo_priority_ok(u32 priority);

/*
 * Move an allocation to system memory, as vsplit_bo_page() does it; resv held. Return: 0; -EBUSY:
 * pinned; -ENOMEM; -ENOBUFS, -E2BIG: the client of the transaction may not hold more; -ERESTARTSYS.
 */
int vsplit_bo_evict(struct vsplit_bo *vbo, struct ttm_operation_ctx *ctx);

/*
 * Set what a paging step, whose type, places and flags are set, does to the virtual addresses of an
 * allocation that enters @to. @step gets a reference. resv held.
 */
void vsplit_bo_map_step(const struct vsplit_bo *vbo, u32 to, struct vsplit_gpu_step *step);

/** vsplit_bo_pages() - Pages of an allocation's backing store, which is populated; resv held. */
struct page **vsplit_bo_pages(const struct vsplit_bo *vbo);

unsigned int vsplit_bo_lru_level(u32 priority);
void vsplit_bo_arrived(struct vsplit_bo *vbo);
void vsplit_places_init(struct vsplit_places *places);
void vsplit_places_add(struct vsplit_places *places, const struct vsplit_segment *segment,
		       u64 start, u64 end, u32 flags);
void vsplit_bo_settle(struct vsplit_bo *vbo, struct ttm_resource *res, struct dma_fence *fence);
void *vsplit_bo_memory(const struct vsplit_bo *vbo);
u64 vsplit_bo_at(const struct vsplit_bo *vbo, u64 offset);
void vsplit_bo_hurry(struct vsplit_bo *vbo, enum dma_resv_usage usage,
		     const struct vsplit_account *client);
long vsplit_bo_wait_as(struct vsplit_bo *vbo, enum dma_resv_usage usage,
		       const struct vsplit_account *client);
bool vsplit_bo_needs_stop(const struct vsplit_bo *vbo, const struct ttm_resource *res);
int vsplit_bo_move_to(struct vsplit_bo *vbo, struct ttm_resource *res,
		      struct ttm_operation_ctx *ctx);
int vsplit_bo_move_into(struct vsplit_bo *vbo, struct ttm_placement *placement,
			struct ttm_operation_ctx *ctx);

/* vsplit_bo_create.c */
void vsplit_bo_destroy(struct ttm_buffer_object *tbo);
struct vsplit_bo *vsplit_bo_alloc(struct vsplit_device *vdev,
				  const struct drm_vsplit_gem_create *args, bool pages);
void vsplit_bo_free(struct vsplit_bo *vbo);

/* vsplit_release.c */
int vsplit_bo_init_release(struct vsplit_bo *vbo);
void vsplit_bo_fini_release(struct vsplit_bo *vbo);
void vsplit_gem_free(struct drm_gem_object *gem);
void vsplit_release_notify(struct ttm_buffer_object *tbo);

/* vsplit_swizzle_range.c */
int vsplit_swizzle_init(struct vsplit_segment *segment, u32 nr);
void vsplit_swizzle_fini(struct vsplit_segment *segment);
void vsplit_swizzle_prune(struct vsplit_segment *segment);
void vsplit_swizzle_print(struct vsplit_segment *segment, struct drm_printer *p);

/*
 * Let the CPU see linear bytes where the allocation is, a place that the CPU sees; resv held. The
 * allocation acquires a swizzling range if it needs one and has none. @may_evict: if it can get
 * none, evict it to system memory. Its bytes are there when the KERNEL fences are signalled.
 * Return: 0; -EADDRNOTAVAIL: no range, without @may_evict; -ENOMEM, -ERESTARTSYS; errors of
 * vsplit_paging_prepare().
 */
int vsplit_swizzle_expose(struct vsplit_bo *vbo, bool may_evict, struct vsplit_txn *txn);

/*
 * Take away the range of an allocation that has one, and still has the resource that the range
 * covers; resv held. @fence: signalled when the GPU has forgotten the range; NULL: it has already.
 * @why: for the trace: the allocation left its segment, was released, or another one took the
 * range.
 */
void vsplit_swizzle_lose(struct vsplit_bo *vbo, struct dma_fence *fence, const char *why);

/*
 * Set how a paging step, whose type and places are set, treats the layout of the allocation that it
 * moves; resv held. @range: in: the swizzling range that covers it before the step; out: after it.
 */
void vsplit_swizzle_step(const struct vsplit_bo *vbo, u32 from, u32 to, u32 *range,
			 struct vsplit_gpu_step *step);

/** vsplit_swizzle_register() - The number of a range among all ranges of the GPU. */
u32 vsplit_swizzle_register(const struct vsplit_segment *segment, u32 range);

/* vsplit_prime.c */
int vsplit_import_pages(struct vsplit_bo *vbo, struct ttm_tt *tt);
void vsplit_import_destroy(struct vsplit_bo *vbo);

/* vsplit_cpu.c */
extern const struct vm_operations_struct vsplit_vm_ops;
bool vsplit_bo_visible(const struct vsplit_bo *vbo);
bool vsplit_bo_hidden(const struct vsplit_bo *vbo);

/* vsplit_lock.c */
void vsplit_bo_drop_writers(struct vsplit_bo *vbo);

/* vsplit_offer.c */
void vsplit_offers_init(struct vsplit_mm *mm);
void vsplit_offer_drop(struct vsplit_bo *vbo);
void vsplit_offer_moved(struct vsplit_bo *vbo);
unsigned long vsplit_offers_discard(struct vsplit_mm *mm, unsigned long pages,
				    struct ttm_operation_ctx *ctx);

/* vsplit_shrink.c */
int vsplit_shrink_init(struct vsplit_mm *mm);

#endif /* _VSPLIT_MM_INTERNAL_H_ */
