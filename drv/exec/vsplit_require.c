// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: what a device requires
 *
 * On a WDDM 2 device the list of a submission continues, behind its allocation list, with the
 * allocations that the device requires and that are missing (drv/resid/). From there on both parts
 * are treated alike: the submission's transaction places all that have no place, at once, and the
 * program pages them in before it begins. So the cost depends on the list and on the missing
 * allocations, and not on how many others the device requires.
 *
 * Only if neither holes nor the places of victims are enough, all required allocations are put on
 * the list, and packed anew.
 */
#include <linux/bsearch.h>
#include <linux/slab.h>

#include "exec/vsplit_submit.h"

/*
 * Put a required allocation on the list, unless it is there or is being released. Called under the
 * lock of the requirement lists: this neither sleeps nor drops a reference. Return: false: the list
 * is full.
 */
static bool vsplit_require_take(void *priv, struct vsplit_resid_object *object, u32 handle)
{
	struct vsplit_bo *vbo = container_of(object, struct vsplit_bo, resid);
	struct vsplit_submit *s = priv;

	/* The submission does not wait for an offered allocation. */
	if (READ_ONCE(vbo->offer))
		return true;
	if (bsearch(&vbo, s->sorted, s->own_bos, sizeof(*s->sorted), vsplit_cmp_ptr))
		return true;
	if (s->nr_list == s->max_list)
		return false;
	if (kref_get_unless_zero(&vbo->tbo.base.refcount))
		vsplit_submit_append(s, vbo, handle, 0);
	return true;
}

/* Cut the list back to the allocation list; nothing is locked. */
static void vsplit_submit_unrequire(struct vsplit_submit *s)
{
	if (s->nr_list == s->args->num_allocs)
		return;
	vsplit_job_unuse(s->job, 0);
	while (s->nr_list > s->args->num_allocs) {
		struct vsplit_list_alloc *item = &s->list[--s->nr_list];

		drm_gem_object_put(&item->vbo->tbo.base);
		memset(item, 0, sizeof(*item));
	}
	s->nr_bos = s->own_bos;
	s->segments = s->own_segments;
	s->evict_segments = s->own_evict;
}

/* Bytes of memory for @nr elements behind the allocation list. */
static u64 vsplit_require_bytes(const struct vsplit_submit *s, u32 nr)
{
	return array_size(nr, VSPLIT_SUBMIT_LIST_BYTES + sizeof(*s->job->bos) +
			  sizeof(struct dma_fence_chain));
}

static int vsplit_require_collect(struct vsplit_submit *s)
{
	u32 nr;
	int ret;

	for (;;) {
		vsplit_submit_unrequire(s);
		nr = vsplit_resid_nr(s->resid, s->whole);
		ret = vsplit_submit_hold(s, &s->list_bytes, vsplit_require_bytes(s, nr));
		if (!ret)
			ret = vsplit_submit_alloc_list(s, s->args->num_allocs + nr);
		if (ret)
			return ret;
		if (!vsplit_resid_collect(s->resid, s->whole, &s->gen, vsplit_require_take, s))
			return 0;
		if (fatal_signal_pending(current))
			return -ERESTARTSYS;
		/* One more missing member ended the walk. This can repeat: the try has failed. */
		if (s->nr_list < s->max_list)
			return -EAGAIN;
	}
}

/*
 * Put what a WDDM 2 device misses on the list, or (@s->whole) all that it requires; nothing is
 * locked. Return: 0; -EAGAIN: another allocation became missing meanwhile; -ENOMEM, -ENOBUFS,
 * -E2BIG; -ERESTARTSYS.
 */
int vsplit_submit_require(struct vsplit_submit *s)
{
	struct vsplit_list_alloc *item = NULL;
	int ret;

	ret = vsplit_require_collect(s);
	if (ret)
		return ret;
	s->nr_order = 0;
	while ((item = vsplit_submit_next(s, item))) {
		/* With virtual addresses the allocation list makes nothing resident (RES-18). */
		item->named = !s->queue->va || item >= s->list + s->args->num_allocs ||
			      vsplit_resid_count(s->resid, &item->vbo->resid);
		if (item->named)
			s->order[s->nr_order++] = item;
	}
	return vsplit_job_use(s->job, s->sorted, s->nr_bos);
}

/*
 * Does the device require all listed allocations? If it does not, the device is lost (RES-14), even
 * if the allocation happens to be resident. In a context with virtual addresses the list only
 * records writes of primaries (RES-18). If the device does not require a written primary, the
 * submission is refused, and the device is not lost (RES-19); other listed allocations may be
 * anywhere. Return: 0 or -EINVAL.
 */
int vsplit_submit_check_required(struct vsplit_submit *s)
{
	u32 i;

	for (i = 0; i < s->args->num_allocs; i++) {
		struct vsplit_bo *vbo = s->list[i].vbo;

		cond_resched();
		if (!vbo || vsplit_resid_count(s->resid, &vbo->resid))
			continue;
		if (s->queue->va) {
			if (vsplit_refuse(s->vdev, READ_ONCE(vbo->primary) &&
					  s->list[i].flags & VSPLIT_ALLOC_WRITE))
				return -EINVAL;
			continue;
		}
		drm_dbg_core(&s->vdev->drm, "device lost: handle %u is not on its list\n",
			     s->list[i].handle);
		vsplit_exec_lose_device(s->efile, VSPLIT_STATE_LOST_RESIDENCY);
		return -EINVAL;
	}
	return 0;
}
