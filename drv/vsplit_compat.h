/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/**
 * DOC: kernels from 6.12 to 7.2
 *
 * The driver is written for 6.12. For each change of later kernels a block here gives the new
 * interface the name that the driver uses. If a macro tells whether a kernel has a change, the
 * block asks for the macro, because distributions carry changes back; else it asks for the
 * version. The macro TTM_ALLOCATION_POOL_USE_DMA32 stands for all changes of 6.19.
 * Documentation/kernels.rst says which kernels the suite has run on.
 */
#ifndef _VSPLIT_COMPAT_H_
#define _VSPLIT_COMPAT_H_

#include <linux/cleanup.h>
#include <linux/dma-fence.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sort.h>
#include <linux/version.h>

#include <drm/drm_drv.h>
#include <drm/drm_gem_framebuffer_helper.h>
#include <drm/drm_gpuvm.h>
#include <drm/gpu_scheduler.h>
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_tt.h>

/*
 * sparse does not see that a guard drops its lock at the end of the scope, and would warn of each.
 * So for sparse a guard is nothing, and sparse checks the other locks alone.
 */
#ifdef __CHECKER__
#undef guard
#define guard(name) (void)
#endif

/* linux/sort.h of later kernels: compares two keys; ?: chains comparisons of several keys. */
#ifndef cmp_int
#define cmp_int(l, r)	(((l) > (r)) - ((l) < (r)))
#endif

/* 6.13: the header has a directory of its own. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#include <drm/drm_client_setup.h>
#else
#include <drm/clients/drm_client_setup.h>
#endif

/*
 * 6.13: drivers populate the buffer object, which also moves its pages to the right list; one
 * function sets up a timer with its callback.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline int vsplit_compat_populate(struct ttm_buffer_object *tbo,
					 struct ttm_operation_ctx *ctx)
{
	return ttm_tt_populate(tbo->bdev, tbo->ttm, ctx);
}

static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#else
static inline int vsplit_compat_populate(struct ttm_buffer_object *tbo,
					 struct ttm_operation_ctx *ctx)
{
	return ttm_bo_populate(tbo, ctx);
}
#endif

/*
 * 6.17: the function that initialises a fence, not its operations, says that sequence numbers
 * have 64 bits; DRM_GPU_SCHED_STAT_NOMINAL is called RESET; fb_create gets the format of the
 * framebuffer, which DRM has looked up.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define VSPLIT_COMPAT_FENCE_OPS .use_64bit_seqno = true,
#define VSPLIT_COMPAT_FB_FORMAT
#define vsplit_compat_fb_create_with_dirty(drm, file, cmd) \
	drm_gem_fb_create_with_dirty(drm, file, cmd)

static inline void dma_fence_init64(struct dma_fence *fence, const struct dma_fence_ops *ops,
				    spinlock_t *lock, u64 context, u64 seqno)
{
	dma_fence_init(fence, ops, lock, context, seqno);
}
#else
#define VSPLIT_COMPAT_FENCE_OPS
#define VSPLIT_COMPAT_FB_FORMAT const struct drm_format_info *info,
#define vsplit_compat_fb_create_with_dirty(drm, file, cmd) \
	drm_gem_fb_create_with_dirty(drm, file, info, cmd)
#define DRM_GPU_SCHED_STAT_NOMINAL DRM_GPU_SCHED_STAT_RESET
#endif

/*
 * References to the memory of an allocation, even when those of GEM are gone. In 6.18 TTM no longer
 * exports its functions for this, and in 6.19 the one that drops a reference has another name.
 */
static inline void vsplit_compat_tbo_get(struct ttm_buffer_object *tbo)
{
	kref_get(&tbo->kref);
}

static inline void vsplit_compat_tbo_put(struct ttm_buffer_object *tbo)
{
#ifdef TTM_ALLOCATION_POOL_USE_DMA32
	ttm_bo_fini(tbo);
#else
	ttm_bo_put(tbo);
#endif
}

/* 6.18: a structure describes the mapping. */
static inline int vsplit_compat_sm_map(struct drm_gpuvm *gpuvm, void *priv, u64 address, u64 bytes,
				       struct drm_gem_object *obj, u64 offset)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
	return drm_gpuvm_sm_map(gpuvm, priv, address, bytes, obj, offset);
#else
	const struct drm_gpuvm_map_req req = {
		.map.va.addr = address,
		.map.va.range = bytes,
		.map.gem.obj = obj,
		.map.gem.offset = offset,
	};

	return drm_gpuvm_sm_map(gpuvm, priv, &req);
#endif
}

/* 6.19: flags instead of two bools; the driver sets none of them. */
static inline int vsplit_compat_ttm_device_init(struct ttm_device *bdev,
						const struct ttm_device_funcs *funcs,
						struct device *dev, struct address_space *mapping,
						struct drm_vma_offset_manager *offsets)
{
#ifdef TTM_ALLOCATION_POOL_USE_DMA32
	return ttm_device_init(bdev, funcs, dev, mapping, offsets, 0);
#else
	return ttm_device_init(bdev, funcs, dev, mapping, offsets, false, false);
#endif
}

/*
 * 6.19: DRM warns when a device is unplugged that is not on the list for sysrq, as one whose
 * registration has failed. But its nodes existed for a moment, and drm_dev_unplug() alone waits
 * for the drm_dev_enter() sections of tasks that opened them. So put the device on a list here.
 */
static inline void vsplit_compat_unplug(struct drm_device *drm)
{
#ifdef TTM_ALLOCATION_POOL_USE_DMA32
	LIST_HEAD(list);

	if (list_empty(&drm->client_sysrq_list))
		list_add(&drm->client_sysrq_list, &list);
#endif
	drm_dev_unplug(drm);
}

/* 6.13: drm_sched_start() takes the error for jobs that the hardware did not get again. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define vsplit_compat_sched_start(sched) drm_sched_start(sched)
#else
#define vsplit_compat_sched_start(sched) drm_sched_start(sched, 0)
#endif

/* 6.18: the unbound workqueue has another name. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define system_dfl_wq system_unbound_wq
#endif

/* 7.0: the name says that the caller holds the lock. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define drm_gpuvm_bo_obtain drm_gpuvm_bo_obtain_locked
#endif

/* 7.1: the new function takes mappings of pages, as the driver's, and mappings without. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
#define zap_vma_ptes zap_special_vma_range
#endif

/* 7.2: the state is called a commit; the handle of KCOV's remote coverage is a structure. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#define drm_atomic_state drm_atomic_commit
#define vsplit_compat_kcov_handle() (kcov_common_handle().val)
#else
#define vsplit_compat_kcov_handle() kcov_common_handle()
#endif

#endif /* _VSPLIT_COMPAT_H_ */
