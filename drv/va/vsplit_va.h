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
 * @base: tree of mappings; under @lock. The lists of allocations under their dma_resv.
 * @ref: held by the file and by its contexts of virtual addresses, so it is there until
 *	all of their work is done.
 * @vdev: the adapter, which is alive.
 * @gpu: page tables; reference; constant.
 * @user: charged for page tables and mappings; reference; constant.
 * @lock: protects what follows, and reservations of page tables. Binds are published in the
 *	order in which they take it.
 * @fence_context: of binds; constant.
 * @seqno: of the last bind.
 * @bound: of one that is done, as all before it.
 * @charged: bytes.
 * @nr_mappings: in the tree, or taken out of it by a change that is under way.
 * @prune_at: bytes of page tables from which on a look for unused ones is worth it.
 * @last: fence of the last bind, reference, or NULL.
 * @end: takes everything down, when the last reference is gone.
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
 * @log: what was put into the tree, and taken out of it, @nr_log in order.
 * @nr_log: how many.
 * @max_log: room.
 * @binds: for the hardware, @nr_binds; @mapped side by side with them.
 * @mapped: mapping whose place the bind shows, or NULL.
 * @nr_binds: how many.
 * @max_binds: room.
 * @bos: allocations that are affected, @nr_bos references; @maps side by side with them.
 * @maps: where each is mapped then, NULL: nowhere; in the memory of @bos.
 * @nr_bos: how many.
 * @exec: the locks, while @locked.
 * @locked: the dma_resvs of the address space and of @bos are.
 * @committed: nothing is to be undone.
 */
struct vsplit_va_change {
	struct vsplit_va *va;
	struct vsplit_va_entry *log;
	u32 nr_log;
	u32 max_log;
	struct vsplit_gpu_bind *binds;
	struct vsplit_mapping **mapped;
	u32 nr_binds;
	u32 max_binds;
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

/** vsplit_va_resv() - What orders the work of the device with its binds. */
static inline struct dma_resv *vsplit_va_resv(const struct vsplit_va *va)
{
	return va->base.r_obj->resv;
}

/**
 * vsplit_va_begin() - Begin to change an address space.
 * @va: no dma_resv is held.
 * @change: filled; vsplit_va_end() follows if this succeeds.
 *
 * Return: 0 or -ERESTARTSYS.
 */
int vsplit_va_begin(struct vsplit_va *va, struct vsplit_va_change *change);

/**
 * vsplit_va_map() - Show a part of an allocation, or nothing, at an address.
 * @change: begun.
 * @vbo: the allocation, of which a reference is held; NULL: sparse.
 * @address: page-aligned, as what follows; all checked.
 * @bytes: > 0.
 * @offset: in @vbo.
 * @read_only: the GPU may not write it.
 *
 * What was there before is not any more.
 *
 * Return: 0, -ENOMEM.
 */
int vsplit_va_map(struct vsplit_va_change *change, struct vsplit_bo *vbo, u64 address, u64 bytes,
		  u64 offset, bool read_only);

/** vsplit_va_unmap() - Show nothing. Arguments and errors as of vsplit_va_map(). */
int vsplit_va_unmap(struct vsplit_va_change *change, u64 address, u64 bytes);

/**
 * vsplit_va_lock() - Lock the address space's dma_resv and those of the allocations that the
 * change is about, with room for a fence each: addresses are known.
 * @change: complete.
 * @step: out: describes it for the hardware, and owns what it names.
 *
 * Return: 0, -ENOMEM, -EINTR.
 */
int vsplit_va_lock(struct vsplit_va_change *change, struct vsplit_gpu_step *step);

/** vsplit_va_commit() - It takes effect with @fence, number @va->seqno of its context. */
void vsplit_va_commit(struct vsplit_va_change *change, struct dma_fence *fence);

/**
 * vsplit_va_end() - Undo what was not committed, unlock, and free what is not needed any more.
 * @change: begun.
 */
void vsplit_va_end(struct vsplit_va_change *change);

#endif /* _VSPLIT_VA_H_ */
