/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The adapter: a struct vsplit_device, bound to a platform device that module parameters or
 * configfs have made, or to a PCI device. It ties the rooms (the directories of drv/) together;
 * Documentation/architecture.rst says which room may use which.
 */
#ifndef _VSPLIT_DEVICE_H_
#define _VSPLIT_DEVICE_H_

#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_print.h>
#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/spinlock.h>

#include "drm/vsplit_drm.h"
#include "gpu/vsplit_gpu.h"
#include "mm/vsplit_mm.h"

struct dma_fence;
struct vsplit_exec;
struct vsplit_kms;

/** VSPLIT_MAX_ENGINES - greatest number of render engines; paging may have one more engine. */
#define VSPLIT_MAX_ENGINES	4

/**
 * struct vsplit_bar - Memory behind a base address register of a bus device.
 * @address: address of its first byte on the CPU's bus.
 * @memory: kernel mapping, cached; NULL: the adapter has no BAR. Nothing may touch the memory
 *	once the adapter is unplugged.
 */
struct vsplit_bar {
	phys_addr_t address;
	void *memory;
};

/**
 * struct vsplit_segment_config - One segment of an adapter.
 * @name: as in scenarios and queries.
 * @aperture: true: aperture segment; false: memory segment.
 * @bar: the memory segment is in the adapter's BAR, from its offset 0 on (SEG-2); else it is in
 *	memory of the host.
 * @size: bytes, a multiple of the page size.
 * @commit_limit: bytes, a multiple of the page size, <= @size. Before vsplit_config_check(), 0
 *	means @size.
 * @cpu_visible: bytes from the start that the CPU may map, a multiple of the page size, <= @size.
 *	Before vsplit_config_check(), VSPLIT_CPU_ALL means @size. For an aperture segment only
 *	queries use it (A11).
 * @ranges: swizzling ranges, up to VSPLIT_MAX_SWIZZLING_RANGES; 0 for an aperture segment.
 */
struct vsplit_segment_config {
	char name[VSPLIT_NAME_LEN];
	bool aperture;
	bool bar;
	u64 size;
	u64 commit_limit;
	u64 cpu_visible;
	u32 ranges;
};

/**
 * enum vsplit_preemption - Where an engine gives way to a program of another client.
 * @VSPLIT_PREEMPTION_NONE: at the end of a program.
 * @VSPLIT_PREEMPTION_SPLIT_POINT: after a portion.
 * @VSPLIT_PREEMPTION_PACKET: between two packets, after a slice of time.
 */
enum vsplit_preemption {
	VSPLIT_PREEMPTION_NONE,
	VSPLIT_PREEMPTION_SPLIT_POINT,
	VSPLIT_PREEMPTION_PACKET,
};

/*
 * Configuration of an adapter. Constant once the adapter is probed. vsplit_params_table.h has the
 * ranges of the options and what they mean.
 */
struct vsplit_adapter_config {
	char name[VSPLIT_NAME_LEN];
	u32 nr_segments;	/* 1 to VSPLIT_MAX_SEGMENTS */
	struct vsplit_segment_config segments[VSPLIT_MAX_SEGMENTS]; /* in order of preference */
	u64 aperture_limit;	/* bytes in all apertures; 0: no limit beyond theirs (EXT-26) */
	u32 slots;
	u32 engines;
	u32 heads;
	bool fbdev;
	u32 timeout_ms;
	u32 trim_period_ms;	/* 0: there are no periodic trims */
	u32 clock;		/* enum vsplit_gpu_clock */
	struct vsplit_gpu_model model;
	u32 preemption;		/* enum vsplit_preemption (EXT-10) */
	u32 paging_own;		/* 0: render engine 0 pages */
	u32 next_use;		/* victims at a split: 0: the least recently used ones */
	u32 planned;		/* 1: cut also where that saves bytes; implies @next_use */
	bool look_ahead;	/* SPLIT-35 */
	bool lenient;
	bool leak_detection;	/* EXT-11 */
	u32 contexts;		/* a bit for each enum drm_vsplit_ctx_mode; PATCH is always set */
	bool test;
};

/**
 * struct vsplit_knobs - Fault knobs in debugfs, for test mode only (EXT-14). No lock protects the
 * values, which may change at any time. A submission copies all of them when it begins; all other
 * code reads single values with READ_ONCE().
 * @take_split_point: every split point becomes a cut.
 * @always_repatch: patch again when the program starts.
 * @never_prepatch: patch only when the program starts.
 * @expect_preparation_failure: 1 in this many preparations fails late with
 *	-ENOMEM; 0: none does.
 * @evict_between: evict all allocations that are not kept at every cut.
 * @random_placement: seed for the placement of all that is not pinned; 0: the lowest hole.
 * @fail_acquire_swizzling_range: no allocation gets a swizzling range.
 */
struct vsplit_knobs {
	bool take_split_point;
	bool always_repatch;
	bool never_prepatch;
	u32 expect_preparation_failure;
	bool evict_between;
	u64 random_placement;
	bool fail_acquire_swizzling_range;
};

/* Totals, of which struct drm_vsplit_statistics says more, and counts of live objects. */
struct vsplit_stats {
	atomic64_t submissions;
	atomic64_t portions;
	atomic64_t splits;
	atomic64_t plan_steps;	/* of planning splits, see struct vsplit_split_output */
	atomic64_t evicted;
	atomic64_t evicted_copied;
	atomic64_t paged_in;
	atomic64_t paged_in_copied;
	atomic64_t moved;
	atomic64_t discarded;	/* bytes of offered allocations whose pages the host got back */
	atomic64_t swapped;	/* bytes that were swapped out for the host */
	atomic64_t faults;
	atomic64_t hangs;
	atomic64_t ranges_acquired;
	atomic64_t ranges_released;
	/* live objects; zero when the adapter is released */
	atomic_t nr_bos;
	atomic_t nr_queues;
	atomic_t nr_jobs;
	atomic_t nr_records;
	atomic_t nr_files;
};

/*
 * One adapter, which lives as long as its DRM device does. All members exist from probe on; @config
 * and @bar are constant after it, and the others have locks of their own, or are atomic.
 */
struct vsplit_device {
	struct drm_device drm;
	struct vsplit_adapter_config config;
	struct vsplit_bar bar;
	struct vsplit_gpu *gpu;
	struct vsplit_mm mm;
	struct vsplit_exec *exec;
	struct vsplit_kms *kms;	/* NULL: there are no heads */
	struct vsplit_knobs knobs;
	struct vsplit_stats stats;
};

static inline struct vsplit_device *to_vsplit_device(struct drm_device *drm)
{
	return container_of(drm, struct vsplit_device, drm);
}

/* Return @cond; if it is true, log it under drm.debug as why an argument is refused. */
#define vsplit_refuse(vdev, cond) ({					\
	bool __refused = (cond);					\
									\
	if (__refused)							\
		drm_dbg_core(&(vdev)->drm, "refused: %s\n", #cond);	\
	__refused;							\
})

static inline int vsplit_sort_compare(const void *a, const void *b, const void *cmp)
{
	cond_resched();
	return (*(const cmp_func_t *)cmp)(a, b);
}

/* sort() that lets other tasks run: a client may choose the number of elements. May sleep. */
static inline void vsplit_sort(void *base, size_t nr, size_t size, cmp_func_t cmp)
{
	sort_r(base, nr, size, vsplit_sort_compare, NULL, &cmp);
}

/* So many elements of a long list are visited before others get its lock. */
#define VSPLIT_BREATHE	256

/* Count an element that is visited, and now and then give the lock to others for a moment. */
static inline void vsplit_breathe(spinlock_t *lock, u32 *nr)
	__must_hold(lock)
{
	if (++*nr % VSPLIT_BREATHE)
		return;
	spin_unlock(lock);
	cond_resched();
	spin_lock(lock);
}

/* Orders pointers by address, for vsplit_sort() and bsearch(). */
static inline int vsplit_cmp_ptr(const void *a, const void *b)
{
	const void *x = *(const void * const *)a, *y = *(const void * const *)b;

	return x < y ? -1 : x > y;
}

/*
 * The dma_fence_ops of all fences of the driver use these. The object that
 * vsplit_fence_release() frees begins with the fence, is freed by kfree(), and holds a reference
 * to the module; vsplit_mm_module_exit() waits for the freeing.
 */
const char *vsplit_fence_driver_name(struct dma_fence *fence);
void vsplit_fence_release(struct dma_fence *fence);

#endif /* _VSPLIT_DEVICE_H_ */
