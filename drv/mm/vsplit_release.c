// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: the end of an allocation
 *
 * Users hold GEM's references: handles, names, dma-bufs, framebuffers, CPU mappings, CPU locks,
 * virtual addresses, and calls that are under way. Jobs have a count of their own, vsplit_bo.uses,
 * to which all users together add one. So there are two ends:
 *
 *  released  The last user is gone (vsplit_gem_free()). Nothing can ask for the bytes any more,
 *            so they are dropped, and nothing moves the allocation any more. Its range is free at
 *            once, whether jobs use it or not: the range becomes pending with a fence that says
 *            when the jobs are done with it (vsplit_segment.c), and an allocation that is placed
 *            there next comes after that fence. Nothing waits.
 *  idle      The last job that uses the allocation is done. The GPU forgets the allocation:
 *            aperture entries do not point to its pages any more, and its swizzling range is not
 *            set any more. This is part of the completion of the job, before the job's fence
 *            signals, so that it cannot undo anything of the next owner.
 *
 * After both ends the pages are freed, and uncharged from the user, the memory cgroup and TTM's
 * count. Until then a client that is at its limit gets -ENOMEM; it waits for its own fences and
 * tries again.
 *
 * An import's lock is that of its exporter, which may hold it for any time. The import's range is
 * free when the exporter drops the lock. Plans wait for this only for a short time. After that they
 * count the range as pinned (vsplit_bo_is_stuck()), and are made around it.
 *
 * If the work of only one context is not done yet, the range has that context's fence: then many
 * allocations that one context used cause one dependency. A job gives an allocation back before it
 * signals the fence that it has in the dma_resv, so the allocation is idle before that fence
 * signals. Otherwise the range has a fence of the allocation's own, which was allocated with it and
 * signals when it is idle. Both are plain fences; there are no containers and no chains.
 *
 * TTM's own way, ttm_bo_put() of a busy object, is not used: it queues a work item for each object,
 * which waits for all its fences, uninterruptibly, on a workqueue with sixteen workers for a whole
 * device. So TTM gets its last reference back only when nothing is left to wait for. Work of
 * another driver on the pages of an export is not counted as a job here: callbacks, one after the
 * other, wait for the fences that it left. The fences of an import's exporter do not concern the
 * import, so nothing waits for its dma_resv, see vsplit_release_notify().
 */
#include <linux/dma-resv.h>
#include <linux/module.h>

#include "mm/vsplit_mm_internal.h"
#include "debug/vsplit_trace.h"

/*
 * Jiffies for which plans wait for the place of an allocation that has no user, but whose lock is
 * taken. Mostly the lock is held for much less, and then there is room.
 */
#define VSPLIT_STUCK_AFTER	(HZ / 2)

/*
 * Executes the ends of allocations that a job ended, or whose lock was taken. It belongs to the
 * module, since each allocation holds its adapter, and may be the last to do so.
 */
static struct workqueue_struct *vsplit_mm_wq;

/* ---- the fence of a busy range ---- */

/**
 * struct vsplit_idle_fence - Signals when an allocation is idle.
 * @base: the fence, in a context of its own.
 * @lock: lock of @base; embedded, since the fence may outlive everything else.
 * @vbo: the allocation, which exists until the fence has signalled.
 * @behind: fence of work for which @vbo is not idle, as last found; reference, or NULL; under
 *	@lock until the fence has signalled.
 *
 * The fence holds a reference to the module from its initialisation until its RCU callback.
 */
struct vsplit_idle_fence {
	struct dma_fence base;
	spinlock_t lock; /* of base */
	struct vsplit_bo *vbo;
	struct dma_fence *behind;
};

static const char *vsplit_idle_fence_timeline_name(struct dma_fence *fence)
{
	return "vsplit-released";
}

static const struct dma_fence_ops vsplit_idle_fence_ops = {
	.get_driver_name = vsplit_fence_driver_name,
	.get_timeline_name = vsplit_idle_fence_timeline_name,
	.release = vsplit_fence_release,
};

static bool vsplit_idle_fence_is_one(const struct vsplit_idle_fence *fence)
{
	return fence->base.ops;
}

/** vsplit_fence_is_idle() - Is a fence of any driver that of a released allocation? */
bool vsplit_fence_is_idle(const struct dma_fence *fence)
{
	return fence->ops == &vsplit_idle_fence_ops;
}

/*
 * Find a job for which a released allocation is not idle. @fence: of any driver. In task context;
 * spinlocks may be held. The dma_resv may also have fences of others, for which the allocation does
 * not wait.
 *
 * With this, a client's program can be blamed for a wait even if the client has closed the
 * allocations that the program uses. Very many jobs may wait for a fence, and clients choose how
 * many fences the dma_resv has, and may hold the lock of an import. So what was found is kept until
 * it has signalled.
 * Return: a reference to the job's fence, which has not signalled; NULL: @fence does not belong to
 * a released allocation, or nothing is known.
 */
struct dma_fence *vsplit_idle_fence_behind(struct dma_fence *fence,
					   const struct vsplit_exec *exec)
{
	struct vsplit_idle_fence *idle;
	struct dma_resv_iter cursor;
	struct dma_fence *each;

	if (!vsplit_fence_is_idle(fence))
		return NULL;
	idle = container_of(fence, struct vsplit_idle_fence, base);
	guard(spinlock_irqsave)(&idle->lock);
	if (test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags))
		return NULL;
	if (idle->behind && !test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &idle->behind->flags))
		return vsplit_fence_is_job(idle->behind, exec) ? dma_fence_get(idle->behind) : NULL;
	if (!dma_resv_trylock(idle->vbo->tbo.base.resv))
		return NULL;
	dma_fence_put(idle->behind);
	idle->behind = NULL;
	dma_resv_for_each_fence(&cursor, idle->vbo->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP, each) {
		if (test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &each->flags) ||
		    !vsplit_fence_is_job(each, exec))
			continue;
		idle->behind = dma_fence_get(each);
		break;
	}
	dma_resv_unlock(idle->vbo->tbo.base.resv);
	return dma_fence_get(idle->behind);
}

/* Allocate what the end of an allocation needs, so that it cannot fail. Return: 0 or -ENOMEM. */
int vsplit_bo_init_release(struct vsplit_bo *vbo)
{
	vbo->idle_fence = vsplit_fault("mm.idle_fence") ? NULL :
			  kzalloc(sizeof(*vbo->idle_fence), GFP_KERNEL_ACCOUNT);
	kref_init(&vbo->uses);
	atomic_set(&vbo->ends, 2);
	return vbo->idle_fence ? 0 : -ENOMEM;
}

/** vsplit_bo_fini_release() - Free what vsplit_bo_init_release() allocated. */
void vsplit_bo_fini_release(struct vsplit_bo *vbo)
{
	if (vbo->idle_fence && vsplit_idle_fence_is_one(vbo->idle_fence))
		dma_fence_put(&vbo->idle_fence->base);
	else
		kfree(vbo->idle_fence);
}

/* ---- idle ---- */

/* Signalling side: nothing here sleeps, allocates or takes a lock but the fence's. */
static void vsplit_bo_idle(struct kref *uses)
{
	struct vsplit_bo *vbo = container_of(uses, struct vsplit_bo, uses);
	struct vsplit_gpu_space *space = vsplit_gpu_space(vbo_to_vdev(vbo)->gpu);

	if (vbo->left.address)
		vsplit_gpu_space_unmap(space, vbo->left.address, vbo->tbo.base.size);
	if (vbo->left.range != VSPLIT_NO_RANGE)
		vsplit_gpu_range_drop(space, vbo->left.range);
	if (!vsplit_idle_fence_is_one(vbo->idle_fence))
		return;
	dma_fence_signal(&vbo->idle_fence->base);
	dma_fence_put(vbo->idle_fence->behind);
}

void vsplit_bo_use(struct vsplit_bo *vbo)
{
	kref_get(&vbo->uses);
}

void vsplit_bo_unuse(struct vsplit_bo *vbo)
{
	if (kref_put(&vbo->uses, vsplit_bo_idle) && atomic_dec_and_test(&vbo->ends))
		queue_work(vsplit_mm_wq, &vbo->end);
}

/* ---- after both ends ---- */

static void vsplit_bo_foreign_done(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	queue_work(vsplit_mm_wq, &container_of(cb, struct vsplit_bo, foreign)->end);
}

/* Is another driver still busy with the pages of an export? If so, a callback will follow. */
static bool vsplit_bo_foreign_busy(struct vsplit_bo *vbo)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	bool busy = false;

	/* Without users no fence is added any more, and the dma_resv holds those that it has. */
	dma_resv_iter_begin(&cursor, vbo->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP);
	dma_resv_for_each_fence_unlocked(&cursor, fence) {
		busy = !dma_fence_add_callback(fence, &vbo->foreign, vsplit_bo_foreign_done);
		if (busy)
			break;
	}
	dma_resv_iter_end(&cursor);
	return busy;
}

/* The allocation is released and idle: give it to TTM. */
static void vsplit_bo_finish(struct vsplit_bo *vbo)
{
	struct drm_device *drm = vbo->tbo.base.dev;

	if (!vbo->import && vsplit_bo_foreign_busy(vbo))
		return;
	vsplit_compat_tbo_put(&vbo->tbo);
	drm_dev_put(drm);
	module_put(THIS_MODULE);
}

/*
 * TTM's last reference is gone, and nothing else refers to the allocation. TTM frees only the
 * backing store that it knows, so give it one that was put aside. TTM has copied the fences of a
 * shared dma_resv to the object's own one, to wait for them. Drop those of an exporter: no job uses
 * the import any more.
 */
void vsplit_release_notify(struct ttm_buffer_object *tbo)
{
	struct vsplit_bo *vbo = to_vsplit_bo(tbo);
	struct dma_resv *own = &tbo->base._resv;

	if (vbo->kept)
		tbo->ttm = no_free_ptr(vbo->kept);
	if (!vbo->import || tbo->base.resv != own)
		return;
	dma_resv_fini(own);
	dma_resv_init(own);
}

/* ---- released ---- */

/* The fence of the only context that is not done: a reference; NULL: there are none or several. */
static struct dma_fence *vsplit_bo_only_fence(const struct vsplit_bo *vbo)
{
	struct dma_fence *fence, *only = NULL;
	struct dma_resv_iter cursor;

	dma_resv_for_each_fence(&cursor, vbo->tbo.base.resv, DMA_RESV_USAGE_BOOKKEEP, fence) {
		if (dma_fence_is_signaled(fence))
			continue;
		if (only && only->context != fence->context)
			return NULL;
		if (!only || dma_fence_is_later(fence, only))
			only = fence;
	}
	return dma_fence_get(only);
}

/* Note what the GPU has to forget when @vbo is idle. */
static void vsplit_bo_note_place(struct vsplit_bo *vbo)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	u32 segment = vsplit_bo_segment(vbo);

	vbo->left.range = VSPLIT_NO_RANGE;
	if (segment == VSPLIT_SEG_SYSTEM)
		return;
	if (mm->segments[segment].aperture)
		vbo->left.address = vsplit_segment_address(mm, segment, vsplit_bo_offset(vbo));
	if (vbo->range != VSPLIT_NO_RANGE)
		vbo->left.range = vsplit_swizzle_register(&mm->segments[segment], vbo->range);
}

/*
 * No GEM reference is left, so no job is added. Jobs give back their uses before their fences
 * signal. So if no use is left, the range is idle, even if fences have not signalled yet.
 */
static void vsplit_bo_give_range(struct vsplit_bo *vbo)
{
	struct ttm_buffer_object *tbo = &vbo->tbo;
	struct dma_fence *busy;
	bool idle;

	dma_resv_assert_held(tbo->base.resv);

	vsplit_reuse_forget(vbo);
	vsplit_offer_drop(vbo);
	while (tbo->pin_count)
		vsplit_bo_unpin_place(vbo);
	trace_vsplit_bo_free(vbo_to_vdev(vbo), vbo->id, vsplit_bo_segment(vbo), tbo->base.size);
	vsplit_bo_note_place(vbo);
	busy = vsplit_bo_only_fence(vbo);
	if (!busy && kref_read(&vbo->uses) > 1) {
		__module_get(THIS_MODULE);
		spin_lock_init(&vbo->idle_fence->lock);
		dma_fence_init(&vbo->idle_fence->base, &vsplit_idle_fence_ops,
			       &vbo->idle_fence->lock, dma_fence_context_alloc(1), 1);
		vbo->idle_fence->vbo = vbo;
		busy = dma_fence_get(&vbo->idle_fence->base);
	}
	idle = kref_put(&vbo->uses, vsplit_bo_idle);
	if (idle)
		atomic_dec(&vbo->ends);

	if (vbo->range != VSPLIT_NO_RANGE)
		vsplit_swizzle_lose(vbo, idle ? NULL : busy, "released");
	if (!idle)
		vsplit_resource_set_busy(tbo->resource, busy);
	ttm_resource_free(tbo, &tbo->resource);
	dma_fence_put(busy);
}

static void vsplit_bo_release_locked(struct vsplit_bo *vbo)
{
	struct dma_resv *resv = vbo->tbo.base.resv;

	vsplit_bo_give_range(vbo);
	vbo->released = true;
	dma_resv_unlock(resv);
	if (atomic_dec_and_test(&vbo->ends))
		vsplit_bo_finish(vbo);
}

static void vsplit_bo_end_work(struct work_struct *work)
{
	struct vsplit_bo *vbo = container_of(work, struct vsplit_bo, end);

	if (vbo->released) {
		vsplit_bo_finish(vbo);
		return;
	}
	dma_resv_lock(vbo->tbo.base.resv, NULL);
	vsplit_bo_release_locked(vbo);
}

void vsplit_mm_queue_end(struct work_struct *work)
{
	queue_work(vsplit_mm_wq, work);
}

/* The last user of an allocation is gone. Cannot fail, and waits for no fence. */
void vsplit_gem_free(struct drm_gem_object *gem)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(gem);

	vsplit_resid_object_end(&vbo_to_mm(vbo)->resid, &vbo->resid);
	/* These references last until vsplit_bo_finish(). */
	__module_get(THIS_MODULE);
	drm_dev_get(gem->dev);
	INIT_WORK(&vbo->end, vsplit_bo_end_work);
	/*
	 * Do not wait for the lock: an import's lock is its exporter's, which may hold it for any
	 * time; and drm_exec may drop the last reference while it holds the locks of others.
	 */
	if (dma_resv_trylock(gem->resv)) {
		vsplit_bo_release_locked(vbo);
	} else {
		WRITE_ONCE(vbo->stuck_from, (jiffies + VSPLIT_STUCK_AFTER) ?: 1);
		queue_work(vsplit_mm_wq, &vbo->end);
	}
}

int vsplit_mm_module_init(void)
{
	/*
	 * No WQ_MEM_RECLAIM: the end of the last allocation may end the adapter, and that waits for
	 * work of queues without the flag.
	 */
	vsplit_mm_wq = alloc_workqueue("vsplit-mm", WQ_UNBOUND, 0);
	return vsplit_mm_wq ? 0 : -ENOMEM;
}

void vsplit_mm_module_exit(void)
{
	destroy_workqueue(vsplit_mm_wq);
	/* Each fence held the module until its callback, which may still be running. */
	rcu_barrier();
}
