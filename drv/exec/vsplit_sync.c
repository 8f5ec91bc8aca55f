// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: explicit synchronisation
 *
 * This file handles the syncobjs of a submission or a bind, binary and timeline. All that can fail
 * is done before the commit: the look-ups, the fences to wait for, and the memory of timeline
 * points. Then signalling cannot fail.
 */
#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>
#include <linux/dma-fence-chain.h>
#include <linux/dma-fence-unwrap.h>
#include <linux/slab.h>

#include "exec/vsplit_submit.h"
#include "debug/vsplit_fault.h"

static int vsplit_sync_check(struct vsplit_device *vdev, const struct drm_vsplit_sync *sync)
{
	bool timeline = sync->flags & VSPLIT_SYNC_TIMELINE;

	if (vsplit_refuse(vdev, sync->flags & ~VSPLIT_SYNC_FLAGS) ||
	    vsplit_refuse(vdev, !timeline && sync->point) ||
	    vsplit_refuse(vdev, timeline && !sync->point))
		return -EINVAL;
	return 0;
}

static int vsplit_sync_add_wait(struct vsplit_syncs *s, const struct drm_vsplit_sync *sync)
{
	struct dma_fence_unwrap cursor;
	struct dma_fence *fence, *part;
	int ret;

	ret = drm_syncobj_find_fence(s->file, sync->handle, sync->point, 0, &fence);
	if (ret == -EINVAL) {
		/* The syncobj exists, but has no fence to wait for. */
		vsplit_refuse(s->vdev, true);
		return -ENOENT;
	}
	if (ret)
		return ret;
	/* Visit all parts even after an error: only a complete walk drops its references. */
	dma_fence_unwrap_for_each(part, &cursor, fence) {
		cond_resched();
		if (!ret)
			ret = vsplit_job_depend(s->job, dma_fence_get(part));
	}
	dma_fence_put(fence);
	return ret;
}

/* Is a point beyond the last one of its syncobj, and beyond those before it in the array? */
static int vsplit_sync_check_point(struct vsplit_syncs *s, struct drm_syncobj *syncobj, u64 point)
{
	struct dma_fence *last = drm_syncobj_fence_get(syncobj);
	int ret = 0;
	u32 i;

	if (last && to_dma_fence_chain(last) && last->seqno >= point)
		ret = -EINVAL;
	dma_fence_put(last);
	for (i = 0; !ret && i < s->nr_signals; i++) {
		if (s->signals[i].syncobj == syncobj && s->signals[i].point >= point)
			ret = -EINVAL;
	}
	return vsplit_refuse(s->vdev, ret) ? ret : 0;
}

static int vsplit_sync_add_signal(struct vsplit_syncs *s, const struct drm_vsplit_sync *sync)
{
	struct vsplit_signal *signal = &s->signals[s->nr_signals];
	int ret;

	signal->syncobj = drm_syncobj_find(s->file, sync->handle);
	if (!signal->syncobj)
		return -ENOENT;
	s->nr_signals++;
	if (!(sync->flags & VSPLIT_SYNC_TIMELINE))
		return 0;

	ret = vsplit_sync_check_point(s, signal->syncobj, sync->point);
	if (ret)
		return ret;
	signal->point = sync->point;
	signal->chain = dma_fence_chain_alloc();
	return signal->chain ? 0 : -ENOMEM;
}

/*
 * Look up what to wait for and what to signal: the client's array of @nr struct drm_vsplit_sync at
 * @pointer. @vdev, @file and @job of @s are set, the other members are 0.
 * Return: 0, -EINVAL, -ENOENT, -ENOMEM, -ENOBUFS, -E2BIG, -EFAULT, -EINTR.
 */
int vsplit_sync_prepare(struct vsplit_syncs *s, u64 pointer, u32 nr)
{
	const struct drm_vsplit_sync __user *from = u64_to_user_ptr(pointer);
	struct drm_vsplit_sync sync;
	int ret = 0;
	u32 i;

	if (!nr)
		return 0;
	s->signals = kvcalloc(nr, sizeof(*s->signals), VSPLIT_GFP_ARRAY);
	if (!s->signals)
		return -ENOMEM;
	for (i = 0; !ret && i < nr; i++) {
		/* A point may consist of very many fences, all of which are visited. */
		ret = vsplit_exec_relax();
		if (ret)
			break;
		if (vsplit_fault("sync.copy_user") || copy_from_user(&sync, from + i, sizeof(sync)))
			return -EFAULT;
		ret = vsplit_sync_check(s->vdev, &sync);
		if (ret)
			break;
		if (sync.flags & VSPLIT_SYNC_SIGNAL)
			ret = vsplit_sync_add_signal(s, &sync);
		else
			ret = vsplit_sync_add_wait(s, &sync);
	}
	return ret;
}

/** vsplit_sync_commit() - Let the syncobjs carry the job's fence, after the point of no return. */
void vsplit_sync_commit(struct vsplit_syncs *s, struct dma_fence *fence)
{
	u32 i;

	for (i = 0; i < s->nr_signals; i++) {
		struct vsplit_signal *signal = &s->signals[i];

		if (signal->chain) {
			drm_syncobj_add_point(signal->syncobj, signal->chain, fence, signal->point);
			signal->chain = NULL;
		} else {
			drm_syncobj_replace_fence(signal->syncobj, fence);
		}
	}
}

/** vsplit_sync_cleanup() - Drop what is left of @s, at any stage. */
void vsplit_sync_cleanup(struct vsplit_syncs *s)
{
	u32 i;

	for (i = 0; i < s->nr_signals; i++) {
		dma_fence_chain_free(s->signals[i].chain);
		drm_syncobj_put(s->signals[i].syncobj);
	}
	kvfree(s->signals);
	s->signals = NULL;
	s->nr_signals = 0;
}
