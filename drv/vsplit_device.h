/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The adapter: one struct vsplit_device, made by a module parameter set or by
 * configfs and bound to a platform device, or bound to a PCI device. It ties the rooms together;
 * Documentation/architecture.rst says which may know which.
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

#include "drm/vsplit_drm.h"
#include "gpu/vsplit_gpu.h"
#include "mm/vsplit_mm.h"

struct dma_fence;
struct vsplit_exec;
struct vsplit_kms;

/** VSPLIT_MAX_ENGINES - render engines of an adapter; paging may have one more. */
#define VSPLIT_MAX_ENGINES	4

/**
 * struct vsplit_bar - Memory behind a base address register of a bus device.
 * @address: of its first byte, as the CPU's bus has it.
 * @memory: kernel mapping, cached; NULL: the adapter has no BAR. Not to be touched
 *	once the adapter is unplugged.
 */
struct vsplit_bar {
	phys_addr_t address;
	void *memory;
};

/**
 * struct vsplit_segment_config - One segment of an adapter.
 * @name: as in scenarios and queries.
 * @aperture: aperture-space, else memory-space.
 * @bar: offset 0 is that of the adapter's BAR (SEG-2); else a memory segment is
 *	the host's memory.
 * @size: bytes, page multiple.
 * @commit_limit: bytes, page multiple, <= @size; before vsplit_config_check() 0 for all.
 * @cpu_visible: bytes from the start that the CPU may map; @size for all, and before
 *	vsplit_config_check() VSPLIT_CPU_ALL, too. Of an aperture it is only told (A11).
 * @ranges: swizzling ranges, up to VSPLIT_MAX_SWIZZLING_RANGES; 0 for an aperture.
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
 * enum vsplit_preemption - Where an engine that others wait for gives way.
 * @VSPLIT_PREEMPTION_NONE: at the end of a program.
 * @VSPLIT_PREEMPTION_SPLIT_POINT: after a portion.
 * @VSPLIT_PREEMPTION_PACKET: between two packets, after a slice of time.
 */
enum vsplit_preemption {
	VSPLIT_PREEMPTION_NONE,
	VSPLIT_PREEMPTION_SPLIT_POINT,
	VSPLIT_PREEMPTION_PACKET,
};

/**
 * struct vsplit_adapter_config - Everything an adapter is made of. Constant
 * once the adapter is probed.
 * @name: of the adapter.
 * @nr_segments: entries of @segments, 1 to VSPLIT_MAX_SEGMENTS.
 * @segments: in default order of preference.
 * @aperture_limit: bytes that all aperture segments together may map; 0: no
 *	limit beyond theirs (EXT-26).
 * @slots: rows of the resource table, 1 to VSPLIT_MAX_SLOTS.
 * @engines: render engines, 1 to VSPLIT_MAX_ENGINES.
 * @heads: that show pictures, 0 to 16.
 * @fbdev: the heads have a framebuffer device.
 * @timeout_ms: without progress for this long a program is a hang.
 * @trim_period_ms: between two periodic trims; 0: there are none.
 * @clock: enum vsplit_gpu_clock.
 * @model: of the model clock.
 * @preemption: enum vsplit_preemption (EXT-10).
 * @paging_own: 1: paging has an engine of its own; 0: render engine 0 pages.
 * @next_use: 1: at a split what the list needs last leaves, 0: the oldest.
 * @planned: 1: what has to be split is also cut where that saves bytes; victims as by @next_use.
 * @look_ahead: a list that would fail because of what it keeps is planned again (see SPLIT-35).
 * @lenient: state lost at a split is garbage rather than a fault.
 * @leak_detection: refuse a taken split with kept rows (EXT-11).
 * @contexts: set of enum drm_vsplit_ctx_mode, a bit each: kinds of contexts; PATCH is
 *	in it.
 * @test: test mode: escapes and fault knobs.
 */
struct vsplit_adapter_config {
	char name[VSPLIT_NAME_LEN];
	u32 nr_segments;
	struct vsplit_segment_config segments[VSPLIT_MAX_SEGMENTS];
	u64 aperture_limit;
	u32 slots;
	u32 engines;
	u32 heads;
	bool fbdev;
	u32 timeout_ms;
	u32 trim_period_ms;
	u32 clock;
	struct vsplit_gpu_model model;
	u32 preemption;
	u32 paging_own;
	u32 next_use;
	u32 planned;
	bool look_ahead;
	bool lenient;
	bool leak_detection;
	u32 contexts;
	bool test;
};

/**
 * struct vsplit_knobs - Fault knobs, test mode only; debugfs (EXT-14). Plain
 * values without a lock, which may change at any time: a submission copies all of
 * them when it begins, all else reads what it needs with READ_ONCE.
 * @take_split_point: every split point becomes a cut.
 * @always_repatch: patch again when the program starts.
 * @never_prepatch: patch only when the program starts.
 * @expect_preparation_failure: 1 in this many preparations fails late with
 *	-ENOMEM; 0 never.
 * @evict_between: evict all that is not kept at every cut.
 * @random_placement: seed for placement of what is not pinned; 0: lowest fit.
 * @fail_acquire_swizzling_range: no swizzling range can be had.
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

/**
 * struct vsplit_stats - Totals, see struct drm_vsplit_statistics, and counts of
 * live objects, which are zero when the adapter is released.
 * @submissions: accepted.
 * @portions: of all submissions.
 * @splits: cuts taken.
 * @plan_steps: of planning splits, see struct vsplit_split_output.
 * @evicted: bytes of allocations that left a segment.
 * @evicted_copied: of these, transferred.
 * @paged_in: bytes of allocations that entered a segment.
 * @paged_in_copied: of these, transferred.
 * @moved: bytes moved inside or between segments.
 * @discarded: bytes of offered allocations whose pages the host got back.
 * @swapped: bytes that were swapped out for the host.
 * @faults: GPU faults.
 * @hangs: programs cancelled for lack of progress.
 * @ranges_acquired: swizzling ranges that allocations acquired.
 * @ranges_released: that they gave back or lost.
 * @nr_bos: allocations.
 * @nr_queues: contexts.
 * @nr_jobs: jobs.
 * @nr_records: records.
 * @nr_files: open files.
 */
struct vsplit_stats {
	atomic64_t submissions;
	atomic64_t portions;
	atomic64_t splits;
	atomic64_t plan_steps;
	atomic64_t evicted;
	atomic64_t evicted_copied;
	atomic64_t paged_in;
	atomic64_t paged_in_copied;
	atomic64_t moved;
	atomic64_t discarded;
	atomic64_t swapped;
	atomic64_t faults;
	atomic64_t hangs;
	atomic64_t ranges_acquired;
	atomic64_t ranges_released;
	/* live objects */
	atomic_t nr_bos;
	atomic_t nr_queues;
	atomic_t nr_jobs;
	atomic_t nr_records;
	atomic_t nr_files;
};

/**
 * struct vsplit_device - One adapter.
 * @drm: the DRM device; the adapter lives as long as it.
 * @config: constant after probe.
 * @bar: constant after probe.
 * @gpu: the hardware; from probe until the last reference is gone.
 * @mm: memory management; embedded, own locking.
 * @exec: contexts and engines; own locking.
 * @kms: heads; own locking; NULL: there are none.
 * @knobs: fault knobs; see there.
 * @stats: atomics.
 */
struct vsplit_device {
	struct drm_device drm;
	struct vsplit_adapter_config config;
	struct vsplit_bar bar;
	struct vsplit_gpu *gpu;
	struct vsplit_mm mm;
	struct vsplit_exec *exec;
	struct vsplit_kms *kms;
	struct vsplit_knobs knobs;
	struct vsplit_stats stats;
};

static inline struct vsplit_device *to_vsplit_device(struct drm_device *drm)
{
	return container_of(drm, struct vsplit_device, drm);
}

/**
 * vsplit_refuse() - Is an argument refused? Tells why under drm.debug.
 * @vdev: the adapter.
 * @cond: true to refuse.
 */
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

/**
 * vsplit_sort() - sort() of as many as a client likes: others run meanwhile.
 * @base: the elements.
 * @nr: how many.
 * @size: of each.
 * @cmp: less than 0 if the first one comes first.
 *
 * May sleep.
 */
static inline void vsplit_sort(void *base, size_t nr, size_t size, cmp_func_t cmp)
{
	sort_r(base, nr, size, vsplit_sort_compare, NULL, &cmp);
}

/* Elements of an array of pointers, by address, for vsplit_sort() and bsearch(). */
static inline int vsplit_cmp_ptr(const void *a, const void *b)
{
	const void *x = *(const void * const *)a, *y = *(const void * const *)b;

	return x < y ? -1 : x > y;
}

/*
 * Of all operations of fences. What is released begins with the fence, is freed by kfree(), and
 * holds a reference to the module; vsplit_mm_module_exit() waits for that.
 */
const char *vsplit_fence_driver_name(struct dma_fence *fence);
void vsplit_fence_release(struct dma_fence *fence);

#endif /* _VSPLIT_DEVICE_H_ */
