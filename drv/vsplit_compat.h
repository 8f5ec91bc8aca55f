/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/**
 * DOC: kernels from 6.12 to 7.2
 *
 * The driver is written for 6.12. What later kernels call otherwise is here, one block for
 * each change, under the name that the driver uses. A block asks for the thing itself where a
 * macro tells (distributions carry changes back), else for the version. TTM's flags of pools
 * stand for all that 6.19 changed. Documentation/kernels.rst says which kernels the suite has
 * run on.
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
#include <drm/ttm/ttm_bo.h>
#include <drm/ttm/ttm_device.h>
#include <drm/ttm/ttm_tt.h>

/*
 * sparse takes a lock that is dropped at the end of a scope for one that is kept. Of guards it sees
 * nothing, so that it tells of the other locks what it finds.
 */
#ifdef __CHECKER__
#undef guard
#define guard(name) (void)
#endif

/* linux/sort.h of later kernels: how two keys are in order; several with ?: between them. */
#ifndef cmp_int
#define cmp_int(l, r)	(((l) > (r)) - ((l) < (r)))
#endif

/* 6.13: in a directory of its own. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#include <drm/drm_client_setup.h>
#else
#include <drm/clients/drm_client_setup.h>
#endif

/* 6.13: a buffer object is populated, which also puts it on the right list of pages. */
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
 * 6.17: sequence numbers have 64 bits by the function that makes the fence, not by its
 * operations; a framebuffer's format has been looked up before it is made.
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
#endif

/*
 * A reference to the memory of an allocation, beside those of GEM, which may be gone. By 6.18
 * TTM keeps its functions for that to itself, and in 6.19 the one that drops it has another name.
 */
static inline void vsplit_compat_tbo_get(struct ttm_buffer_object *tbo)
{
	kref_get(&tbo->kref);
}

static inline struct ttm_buffer_object *
vsplit_compat_tbo_get_unless_zero(struct ttm_buffer_object *tbo)
{
	return kref_get_unless_zero(&tbo->kref) ? tbo : NULL;
}

static inline void vsplit_compat_tbo_put(struct ttm_buffer_object *tbo)
{
#ifdef TTM_ALLOCATION_POOL_USE_DMA32
	ttm_bo_fini(tbo);
#else
	ttm_bo_put(tbo);
#endif
}

/* 6.18: what is mapped is told by a structure. */
static inline struct drm_gpuva_ops *vsplit_compat_map_ops(struct drm_gpuvm *gpuvm, u64 address,
							  u64 bytes, struct drm_gem_object *obj,
							  u64 offset)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
	return drm_gpuvm_sm_map_ops_create(gpuvm, address, bytes, obj, offset);
#else
	const struct drm_gpuvm_map_req req = {
		.map.va.addr = address,
		.map.va.range = bytes,
		.map.gem.obj = obj,
		.map.gem.offset = offset,
	};

	return drm_gpuvm_sm_map_ops_create(gpuvm, &req);
#endif
}

/* 6.19: flags instead of two bools, of which the driver sets none. */
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
 * 6.19: DRM warns of a device that is unplugged and on no list, as it is when it could not be
 * registered. But its nodes were there for a moment, and nothing else waits for the sections of
 * drm_dev_enter() of what opened them. So it is on a list.
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

/* 6.18: the unbound workqueue has another name. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define system_dfl_wq system_unbound_wq
#endif

/* 7.0: it says what it wants locked. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define drm_gpuvm_bo_obtain drm_gpuvm_bo_obtain_locked
#endif

/* 7.1: of mappings of pages, as ours, as well as of mappings without. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
#define zap_vma_ptes zap_special_vma_range
#endif

/* 7.2: it is called what it is; the handle of KCOV's remote coverage has a type of its own. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#define drm_atomic_state drm_atomic_commit
#define vsplit_compat_kcov_handle() (kcov_common_handle().val)
#else
#define vsplit_compat_kcov_handle() kcov_common_handle()
#endif

#endif /* _VSPLIT_COMPAT_H_ */
