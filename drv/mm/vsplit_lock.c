// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: locks
 *
 * WDDM's Lock and Unlock (EXT-34 to EXT-37). A lock waits until the submitted work has finished
 * with the allocation, as far as the lock's flags say so. It moves the allocation to where the CPU
 * can access it, and notes that the CPU is using it. It returns no pointer, because the pointer of
 * mmap() is always valid.
 *
 * An allocation whose place the CPU does not see moves: to a hole that the CPU sees, in a segment
 * that the allocation may use, or else to system memory. Nothing is evicted for the hole. Where the
 * CPU sees it, a swizzled allocation acquires a swizzling range, or else goes to system memory
 * (vsplit_swizzle_range.c). Paging jobs do this. The first access waits for these jobs; the lock
 * does not.
 *
 * The GPU does not use a locked allocation in a memory segment: if a submission names it, it
 * silently moves to an aperture segment, or the submission is refused (EXT-37, vsplit_bo_leave()).
 *
 * A lock that waits only for writers also waits for writers without implicit sync. For everything
 * else their fences are bookkeeping (DMA_RESV_USAGE_BOOKKEEP), like those of readers, so each
 * allocation keeps a list of these writers itself.
 *
 * Each file counts its locks in its lock table, so that they can be given back when the file is
 * closed. If a file has a lock through the aperture, it has no other lock on that allocation.
 *
 * One thing differs from WDDM: VSPLIT_LOCK_DISCARD does not rename, because the pointer stays the
 * same. It waits like any lock, and saves the transfer of the old bytes.
 *
 * Lock order: the table's lock, a turn (vsplit_txn.c), dma_resv.
 */
#include <linux/dma-resv.h>

#include "mm/vsplit_mm_internal.h"

/* Maximum number of locks of one file on one allocation. */
#define VSPLIT_MAX_LOCKS	1048576u

/* An entry of the table: the count, and whether it is a lock through the aperture. */
#define VSPLIT_HELD_APERTURE	BIT(0)
#define VSPLIT_HELD_SHIFT	1

/** vsplit_lock_table_init() - Initialise the table of a file that is opened. */
void vsplit_lock_table_init(struct vsplit_lock_table *table)
{
	mutex_init(&table->lock);
	xa_init(&table->held);
}

/* Give back a file's locks on an allocation. */
static void vsplit_locks_drop(struct vsplit_bo *vbo, unsigned long held)
{
	dma_resv_assert_held(vbo->tbo.base.resv);

	vbo->locks -= held >> VSPLIT_HELD_SHIFT;
	if (held & VSPLIT_HELD_APERTURE)
		vbo->aperture_locks--;
}

/** vsplit_lock_table_fini() - Give back all locks of a file that is closed. */
void vsplit_lock_table_fini(struct vsplit_lock_table *table)
{
	unsigned long index;
	void *entry;

	xa_for_each(&table->held, index, entry) {
		struct drm_gem_object *gem = (struct drm_gem_object *)index;

		dma_resv_lock(gem->resv, NULL);
		vsplit_locks_drop(gem_to_vsplit_bo(gem), xa_to_value(entry));
		dma_resv_unlock(gem->resv);
		drm_gem_object_put(gem);
	}
	xa_destroy(&table->held);
	mutex_destroy(&table->lock);
}

static unsigned long vsplit_lock_held(struct vsplit_lock_table *table, struct drm_gem_object *gem)
{
	void *entry = xa_load(&table->held, (unsigned long)gem);

	lockdep_assert_held(&table->lock);

	return entry ? xa_to_value(entry) : 0;
}

/* ---- getting at it ---- */

/* Find places that the CPU sees in the segments that the allocation may use. */
static bool vsplit_lock_places(const struct vsplit_bo *vbo, struct vsplit_places *places)
{
	const struct vsplit_mm *mm = vbo_to_mm(vbo);
	u32 i;

	vsplit_places_init(places);
	for (i = 0; i < vbo->nr_segs; i++) {
		const struct vsplit_segment *segment = &mm->segments[vbo->segs[i]];

		if (segment->aperture || vbo->tbo.base.size > segment->cpu_visible ||
		    (vbo->pitch && !segment->nr_swizzle))
			continue;
		vsplit_places_add(places, segment, 0, segment->cpu_visible, TTM_PL_FLAG_DESIRED |
				  (vbo->topdown & BIT(i) ? TTM_PL_FLAG_TOPDOWN : 0));
	}
	return places->base.num_placement;
}

/* Move an allocation that the CPU does not see to where it does, or to system memory. */
static int vsplit_lock_move(struct vsplit_bo *vbo, struct ttm_operation_ctx *ctx)
{
	struct vsplit_places places;
	int ret;

	if (vbo->tbo.pin_count)
		return -EBUSY;
	if (!vsplit_lock_places(vbo, &places))
		return vsplit_bo_evict(vbo, ctx);
	ret = vsplit_bo_move_into(vbo, &places.base, ctx);
	return ret == -ENOSPC ? vsplit_bo_evict(vbo, ctx) : ret;
}

/* Make the CPU able to access the allocation, as far as the flags allow it. */
static int vsplit_lock_expose(struct vsplit_bo *vbo, u32 flags, struct vsplit_txn *txn)
{
	bool may_evict = !(flags & VSPLIT_LOCK_DONOT_EVICT);
	bool visible = vsplit_bo_visible(vbo);
	bool dirty = vbo->dirty;
	int ret;

	if (visible && (!vbo->pitch || vbo->range != VSPLIT_NO_RANGE))
		return 0;
	if (!visible && !may_evict)
		return -EADDRNOTAVAIL;
	/* The CPU does not see the bytes in the segment. Drop them unless work was queued. */
	if ((flags & VSPLIT_LOCK_DISCARD) &&
	    dma_resv_test_signaled(vbo->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP))
		vbo->dirty = false;
	ret = visible ? 0 : vsplit_lock_move(vbo, &txn->ctx);
	if (!ret)
		ret = vsplit_swizzle_expose(vbo, may_evict, txn);
	/* If the bytes are still in the segment, they are still the only copy. */
	if (ret && vsplit_bo_memory(vbo))
		vbo->dirty = dirty;
	return ret;
}

/* ---- locking ---- */

/* Plain locks nest; a lock through the aperture excludes others (EXT-34, EXT-35). */
static bool vsplit_lock_bad_nesting(unsigned long held, u32 flags)
{
	return (held >> VSPLIT_HELD_SHIFT) >= VSPLIT_MAX_LOCKS || (held & VSPLIT_HELD_APERTURE) ||
	       (held && (flags & VSPLIT_LOCK_ACQUIRE_APERTURE));
}

/* Does a flag have no meaning for this allocation? */
static bool vsplit_lock_bad_use(const struct vsplit_bo *vbo, u32 flags)
{
	bool memory = hweight8(vbo->apertures) < vbo->nr_segs;

	return ((flags & VSPLIT_LOCK_IGNORE_SYNC) && (vbo->pitch || !vbo->apertures)) ||
	       ((flags & VSPLIT_LOCK_ACQUIRE_APERTURE) && !memory);
}

static void vsplit_lock_count(struct vsplit_lock_table *table, struct drm_gem_object *gem,
			      unsigned long held, u32 flags)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(gem);
	bool aperture = flags & VSPLIT_LOCK_ACQUIRE_APERTURE;
	unsigned long more = held + (1ul << VSPLIT_HELD_SHIFT);

	dma_resv_assert_held(gem->resv);

	if (aperture)
		more |= VSPLIT_HELD_APERTURE;
	xa_store(&table->held, (unsigned long)gem, xa_mk_value(more), GFP_KERNEL);
	vbo->locks++;
	vbo->aperture_locks += aperture;
	if (!held)
		drm_gem_object_get(gem);
}

static int vsplit_lock_add(struct drm_file *file, struct vsplit_lock_table *table,
			   struct drm_gem_object *gem, u32 flags)
{
	unsigned long held = vsplit_lock_held(table, gem);
	struct vsplit_device *vdev = to_vsplit_device(gem->dev);
	struct vsplit_bo *vbo = gem_to_vsplit_bo(gem);
	struct vsplit_txn txn;
	int ret;

	if (vsplit_refuse(vdev, vsplit_lock_bad_nesting(held, flags)))
		return -EINVAL;
	vsplit_txn_init(&txn, &vdev->mm, NULL, true);
	txn.client = vsplit_file_account(file);
	/* The client waits for the paging jobs with its first access. */
	txn.awaited = true;
	ret = vsplit_txn_begin(&txn);
	if (ret)
		goto out;
	ret = vsplit_interrupted("mm.lock_reserve") ? -ERESTARTSYS :
	      ttm_bo_reserve(&vbo->tbo, true, false, NULL);
	if (ret)
		goto out;
	/* The entry is reserved here, so counting the lock cannot fail. */
	ret = vsplit_refuse(vdev, vbo->offer) ? -EINVAL : vsplit_fault("mm.lock") ? -ENOMEM :
	      xa_reserve(&table->held, (unsigned long)gem, GFP_KERNEL_ACCOUNT);
	if (ret)
		goto unlock;
	ret = vsplit_lock_expose(vbo, flags, &txn);
	if (ret)
		xa_release(&table->held, (unsigned long)gem);
	else
		vsplit_lock_count(table, gem, held, flags);
unlock:
	dma_resv_unlock(gem->resv);
out:
	vsplit_txn_end(&txn);
	return ret;
}

static int vsplit_lock_remove(struct vsplit_device *vdev, struct vsplit_lock_table *table,
			      struct drm_gem_object *gem)
{
	unsigned long held = vsplit_lock_held(table, gem);
	unsigned long one = (1ul << VSPLIT_HELD_SHIFT) | (held & VSPLIT_HELD_APERTURE);
	int ret;

	if (vsplit_refuse(vdev, !held))
		return -EINVAL;
	ret = vsplit_interrupted("mm.unlock_reserve") ? -ERESTARTSYS :
	      ttm_bo_reserve(&gem_to_vsplit_bo(gem)->tbo, true, false, NULL);
	if (ret)
		return ret;
	vsplit_locks_drop(gem_to_vsplit_bo(gem), one);
	dma_resv_unlock(gem->resv);

	/* Replacing or erasing an entry allocates nothing. */
	if (held > one) {
		xa_store(&table->held, (unsigned long)gem, xa_mk_value(held - one), GFP_KERNEL);
	} else {
		xa_erase(&table->held, (unsigned long)gem);
		drm_gem_object_put(gem);
	}
	return 0;
}

/* ---- writers without implicit sync ---- */

/*
 * Reserve room for a writer's fence of this context; resv held until vsplit_bo_add_writer() or
 * vsplit_bo_release_writer(). Return: 0 or -ENOMEM.
 */
int vsplit_bo_reserve_writer(struct vsplit_bo *vbo, u64 context)
{
	struct dma_fence *fence;
	unsigned long index;

	dma_resv_assert_held(vbo->tbo.base.resv);

	xa_for_each(&vbo->writers, index, fence) {
		if (!dma_fence_is_signaled(fence))
			continue;
		xa_erase(&vbo->writers, index);
		dma_fence_put(fence);
	}
	if (vsplit_fault("mm.writer"))
		return -ENOMEM;
	return xa_reserve(&vbo->writers, context, GFP_KERNEL_ACCOUNT);
}

/* Undo vsplit_bo_reserve_writer(); may be called any number of times. */
void vsplit_bo_release_writer(struct vsplit_bo *vbo, u64 context)
{
	xa_release(&vbo->writers, context);
}

/*
 * Add the fence of a submission that writes without implicit sync; vsplit_bo_reserve_writer() was
 * called for it.
 */
void vsplit_bo_add_writer(struct vsplit_bo *vbo, struct dma_fence *fence)
{
	dma_resv_assert_held(vbo->tbo.base.resv);

	dma_fence_put(xa_store(&vbo->writers, fence->context, dma_fence_get(fence), GFP_NOWAIT));
}

/** vsplit_bo_drop_writers() - Forget all writers; nothing else uses the allocation. */
void vsplit_bo_drop_writers(struct vsplit_bo *vbo)
{
	struct dma_fence *fence;
	unsigned long index;

	xa_for_each(&vbo->writers, index, fence)
		dma_fence_put(fence);
	xa_destroy(&vbo->writers);
}

/* The first unsignalled writer from a fence context on; a reference. */
static struct dma_fence *vsplit_lock_writer(struct vsplit_bo *vbo, unsigned long *context)
{
	struct dma_fence *fence;

	xa_lock(&vbo->writers);
	fence = xa_find(&vbo->writers, context, ULONG_MAX, XA_PRESENT);
	while (fence && dma_fence_is_signaled(fence))
		fence = xa_find_after(&vbo->writers, context, ULONG_MAX, XA_PRESENT);
	if (fence)
		dma_fence_get(fence);
	xa_unlock(&vbo->writers);
	return fence;
}

/* Wait for at most one fence of each context, so this ends even if more work is submitted. */
static long vsplit_lock_wait_writers(struct vsplit_bo *vbo, bool wait,
				     const struct vsplit_account *client)
{
	unsigned long context = 0;
	struct dma_fence *fence;
	long ret = 0;

	while (!ret && (fence = vsplit_lock_writer(vbo, &context))) {
		if (wait)
			vsplit_fence_hurry(vbo_to_vdev(vbo), fence, client);
		ret = wait ? dma_fence_wait(fence, true) : -EBUSY;
		dma_fence_put(fence);
		context++;
	}
	return ret;
}

/* ---- the ioctls ---- */

/* Wait as the flags say; nothing is locked. */
static int vsplit_lock_wait(struct drm_gem_object *gem, u32 flags,
			    const struct vsplit_account *client)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(gem);
	bool writers = flags & (VSPLIT_LOCK_READ_ONLY | VSPLIT_LOCK_IGNORE_READ_SYNC);
	enum dma_resv_usage usage = writers ? dma_resv_usage_rw(false) : DMA_RESV_USAGE_BOOKKEEP;
	bool wait = !(flags & VSPLIT_LOCK_DONOT_WAIT);
	long ret;

	if (flags & VSPLIT_LOCK_IGNORE_SYNC)
		return 0;
	if (!wait && !dma_resv_test_signaled(gem->resv, usage))
		return -EBUSY;
	if (wait && vsplit_interrupted("mm.lock_wait"))
		return -ERESTARTSYS;
	ret = wait ? vsplit_bo_wait_as(vbo, usage, client) : 0;
	if (ret < 0)
		return ret;
	return writers ? vsplit_lock_wait_writers(vbo, wait, client) : 0;
}

static bool vsplit_lock_bad_flags(u32 flags)
{
	const u32 exclusive[] = {
		VSPLIT_LOCK_READ_ONLY | VSPLIT_LOCK_WRITE_ONLY,
		VSPLIT_LOCK_IGNORE_SYNC | VSPLIT_LOCK_IGNORE_READ_SYNC,
		VSPLIT_LOCK_IGNORE_SYNC | VSPLIT_LOCK_ACQUIRE_APERTURE,
		VSPLIT_LOCK_IGNORE_SYNC | VSPLIT_LOCK_DISCARD,
		VSPLIT_LOCK_READ_ONLY | VSPLIT_LOCK_DISCARD,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(exclusive); i++)
		if ((flags & exclusive[i]) == exclusive[i])
			return true;
	return flags & ~VSPLIT_LOCK_FLAGS;
}

int vsplit_gem_lock_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_lock_table *table = vsplit_file_lock_table(file);
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_gem_lock *args = data;
	struct drm_gem_object *gem __free(vsplit_gem) = NULL;
	int ret;

	if (vsplit_refuse(vdev, vsplit_lock_bad_flags(args->flags)))
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	if (vsplit_refuse(vdev, gem_to_vsplit_bo(gem)->gpu_only))
		return -EACCES;
	if (vsplit_refuse(vdev, vsplit_lock_bad_use(gem_to_vsplit_bo(gem), args->flags)))
		return -EINVAL;
	ret = vsplit_lock_wait(gem, args->flags, vsplit_file_account(file));
	if (ret)
		return ret;
	vsplit_sync_point("mm.lock");
	if (vsplit_interrupted("mm.lock_table") || mutex_lock_interruptible(&table->lock))
		return -ERESTARTSYS;
	ret = vsplit_lock_add(file, table, gem, args->flags);
	mutex_unlock(&table->lock);
	return ret;
}

int vsplit_gem_unlock_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_lock_table *table = vsplit_file_lock_table(file);
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_gem_lock *args = data;
	struct drm_gem_object *gem __free(vsplit_gem) = NULL;
	int ret;

	if (vsplit_refuse(vdev, args->flags))
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	if (vsplit_interrupted("mm.unlock_table") || mutex_lock_interruptible(&table->lock))
		return -ERESTARTSYS;
	ret = vsplit_lock_remove(vdev, table, gem);
	mutex_unlock(&table->lock);
	return ret;
}
