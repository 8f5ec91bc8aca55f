/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * GPU virtual addresses: which of a device's addresses show which parts of allocations.
 * The tree is drm_gpuvm's. Overview in vsplit_va.c.
 *
 * Lock order: struct vsplit_va.lock, dma_resv.
 */
#ifndef _VSPLIT_VA_H_
#define _VSPLIT_VA_H_

#include <drm/drm_exec.h>
#include <drm/drm_gpuvm.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "mm/vsplit_mm.h"

struct vsplit_user;

/**
 * struct vsplit_va - The address space of a device (an open file).
 * @base: tree of mappings, under @lock; lists of the mappings of allocations, under the dma_resv of
 *	each allocation.
 * @ref: held by the file and by its contexts of virtual addresses, so the address space is there
 *	until all of their work is done.
 * @vdev: the adapter; a reference.
 * @gpu: page tables; reference; constant.
 * @user: charged for page tables and mappings; reference; constant.
 * @lock: protects the tree, what follows, and reservations of page tables. Binds are published in
 *	the order in which they take the lock.
 * @fence_context: context of the fences of binds; constant.
 * @seqno: number of the last bind.
 * @bound: number of a bind that is done; all binds before it are done, too.
 * @charged: bytes that @user is charged for what the address space holds itself.
 * @nr_mappings: mappings in the tree, and those that a change under way has taken out of it.
 * @prune_at: if page tables have at least so many bytes, a change first looks for unused ones.
 * @last: fence of the last bind, reference, or NULL.
 * @end: work that takes everything down, when the last reference is gone.
 */
struct vsplit_va {
	struct drm_gpuvm base;
	struct kref ref;
	struct vsplit_device *vdev;
	struct vsplit_gpu_vm *gpu;
	struct vsplit_user *user;
	struct mutex lock; /* tree, reservations, what follows */
	u64 fence_context;
	u64 seqno;
	u64 bound;
	u64 charged;
	u64 nr_mappings;
	u64 prune_at;
	struct dma_fence *last;
	struct work_struct end;
};

/**
 * struct vsplit_va_change - What one call changes in an address space.
 * @va: the address space; its lock is held.
 * @unmaps: the operation under way is an unmap.
 * @log: what was put into the tree, and taken out of it, in order.
 * @nr_log: elements of @log.
 * @max_log: room in @log.
 * @binds: what the hardware is to bind; @mapped has an element for each.
 * @mapped: mapping whose place the bind shows, or NULL.
 * @nr_binds: elements of @binds and @mapped.
 * @max_binds: room in @binds and @mapped.
 * @nr_steps: steps that the hardware carries out @binds in.
 * @room: bytes that the last of these steps still has room for.
 * @bos: allocations that are affected, references; @maps has an element for each.
 * @maps: where the allocation is mapped after the change, NULL: nowhere; in the memory of @bos.
 * @nr_bos: elements of @bos and @maps.
 * @exec: the locks, while @locked.
 * @locked: the dma_resvs of the address space and of @bos are locked.
 * @committed: the change has taken effect, so nothing is to be undone.
 */
struct vsplit_va_change {
	struct vsplit_va *va;
	bool unmaps;
	struct vsplit_va_entry *log;
	u32 nr_log;
	u32 max_log;
	struct vsplit_gpu_bind *binds;
	struct vsplit_mapping **mapped;
	u32 nr_binds;
	u32 max_binds;
	u32 nr_steps;
	s64 room;
	struct vsplit_bo **bos;
	struct vsplit_gpu_maps **maps;
	u32 nr_bos;
	struct drm_exec exec;
	bool locked;
	bool committed;
};

/** vsplit_va_create() - An empty address space. Return: a reference, or ERR_PTR(-ENOMEM). */
struct vsplit_va *vsplit_va_create(struct vsplit_device *vdev, struct vsplit_user *user);
struct vsplit_va *vsplit_va_get(struct vsplit_va *va);

/** vsplit_va_put() - Drop a reference; NULL is fine. May sleep; waits for no fence. */
void vsplit_va_put(struct vsplit_va *va);

/** vsplit_va_resv() - The dma_resv that orders the work of the device with its binds. */
static inline struct dma_resv *vsplit_va_resv(const struct vsplit_va *va)
{
	return va->base.r_obj->resv;
}

/*
 * Begin to change an address space; the caller holds no dma_resv. If this succeeds, vsplit_va_end()
 * has to follow. Return: 0 or -ERESTARTSYS.
 */
int vsplit_va_begin(struct vsplit_va *va, struct vsplit_va_change *change);

/*
 * Show a part of an allocation, of which the caller holds a reference, at an address; or with NULL
 * make a range sparse. What was mapped there before is unmapped. @address, @bytes and @offset are
 * page-aligned, @bytes > 0; the caller has checked them all. Return: 0, -ENOMEM.
 */
int vsplit_va_map(struct vsplit_va_change *change, struct vsplit_bo *vbo, u64 address, u64 bytes,
		  u64 offset, bool read_only);

/** vsplit_va_unmap() - Unmap a range. Arguments and errors are those of vsplit_va_map(). */
int vsplit_va_unmap(struct vsplit_va_change *change, u64 address, u64 bytes);

/*
 * Lock the dma_resvs of the address space and of the allocations that a change, with all of its
 * operations, is about, with room for a fence in each; and find where allocations are. @steps: out:
 * @nr_steps of the change, which were zero. They describe the change for the hardware. They own
 * what they name; the first owns the array of binds.
 * Return: 0, -ENOMEM, -EINTR; -E2BIG: the change adds more mappings of an allocation than it may
 * have.
 */
int vsplit_va_lock(struct vsplit_va_change *change, struct vsplit_gpu_step *steps);

/** vsplit_va_commit() - Let a change take effect with @fence, whose seqno is @va->seqno. */
void vsplit_va_commit(struct vsplit_va_change *change, struct dma_fence *fence);

/* Undo what was not committed, unlock, and free what is not needed any more. */
void vsplit_va_end(struct vsplit_va_change *change);

#endif /* _VSPLIT_VA_H_ */
