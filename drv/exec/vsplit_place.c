// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: placing a submission
 *
 * Three attempts, each only if the one before did not find room:
 *
 *  shared     place_sem for reading. Every allocation that is not resident gets
 *             a place through TTM, which evicts what is idle or queued
 *             elsewhere. Whoever is locked by another submission is passed
 *             over, so running out of room here proves nothing.
 *  exclusive  place_sem for writing, so nobody else holds allocations: now it is
 *             the truth (and two clients that fit alone make progress).
 *  planned    still exclusive: everything else that is not pinned is evicted,
 *             then the walk of split/ decides (vsplit_plan.c).
 *
 * LOWMEM therefore means video memory and nothing else: lock contention,
 * signals and host memory never lead from one attempt to the next (A10).
 *
 * An attempt acquires resources and changes nothing; what it acquired is given
 * back when it fails. Lock order: submit_lock, place_sem, dma_resv.
 */
#include "exec/vsplit_submit.h"
#include "debug/vsplit_fault.h"

static void vsplit_place_give_back(struct vsplit_submit *s)
{
	u32 i;

	for (i = 0; i < s->args->num_allocs; i++) {
		struct vsplit_list_alloc *item = &s->list[i];

		if (!item->vbo)
			continue;
		/* Without a resource it may not even be locked. */
		if (s->relocs[item->plan].res)
			vsplit_bo_unacquire(item->vbo, s->relocs[item->plan].res);
		memset(&s->relocs[item->plan], 0, sizeof(*s->relocs));
		item->early = false;
	}
	vsplit_layout_cancel(s->layout);
	s->layout = NULL;
	s->lost_oom = false;
}

static void vsplit_place_unlock(struct vsplit_submit *s)
{
	u32 i;

	if (!s->locked)
		return;
	for (i = 0; i < s->nr_bos; i++)
		WRITE_ONCE(s->sorted[i]->list_index, -1);
	drm_exec_fini(&s->exec);
	s->locked = false;
}

/*
 * What a step by jobs of their own does with an allocation of the list, it does
 * with no other: in the record their events are the list's.
 */
static int vsplit_place_own(struct vsplit_submit *s, const struct vsplit_list_alloc *item,
			    int (*step)(struct vsplit_bo *vbo, bool write,
					struct ttm_operation_ctx *ctx))
{
	int ret;

	vsplit_record_claim(s->record, item->handle);
	ret = step(item->vbo, item->flags & VSPLIT_ALLOC_WRITE, &s->txn.ctx);
	vsplit_record_claim(s->record, 0);
	return ret;
}

/* What cannot be used where it is makes room before anybody gets a place. */
static int vsplit_place_leave(struct vsplit_submit *s)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < s->nr_order; i++)
		ret = vsplit_place_own(s, s->order[i], vsplit_bo_leave);
	return ret;
}

static int vsplit_place_acquire(struct vsplit_submit *s)
{
	int ret;
	u32 i;

	for (i = 0; i < s->nr_order; i++) {
		struct vsplit_list_alloc *item = s->order[i];
		struct vsplit_reloc *reloc = &s->relocs[item->plan];

		reloc->vbo = item->vbo;
		ret = vsplit_bo_acquire(item->vbo, item->flags & VSPLIT_ALLOC_WRITE, &s->txn.ctx,
					&reloc->res);
		if (ret)
			return ret;
	}
	/* With what is left when all have a place. */
	for (i = 0; i < s->nr_order; i++) {
		if (s->relocs[s->order[i]->plan].res)
			continue;
		ret = vsplit_place_own(s, s->order[i], vsplit_bo_promote);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Lock the list and, unless there will be a plan, acquire places. The latter
 * belongs into the locking loop, since evicting takes more locks.
 */
static int vsplit_place_lock(struct vsplit_submit *s, bool acquire)
{
	int ret = 0;
	u32 i;

	/* Two imports of one dma-buf are two allocations with one dma_resv. */
	drm_exec_init(&s->exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES,
		      s->nr_bos);
	s->locked = true;
	drm_exec_until_all_locked(&s->exec) {
		for (i = 0; i < s->args->num_allocs; i++) {
			struct vsplit_bo *vbo = s->list[i].vbo;

			if (!vbo)
				continue;
			ret = vsplit_interrupted("place.prepare") ? -EINTR :
			      drm_exec_prepare_obj(&s->exec, &vbo->tbo.base,
						   VSPLIT_RESV_SLOTS);
			drm_exec_retry_on_contention(&s->exec);
			if (ret)
				goto out;
			WRITE_ONCE(vbo->list_index, s->list[i].plan);
		}
		ret = vsplit_place_leave(s);
		if (!ret && acquire)
			ret = vsplit_place_acquire(s);
	}
out:
	if (ret) {
		vsplit_place_give_back(s);
		vsplit_place_unlock(s);
	}
	/* A contended lock in the middle of an eviction says nothing. */
	return ret == -EDEADLK ? -ENOSPC : ret;
}

static int vsplit_place_shared(struct vsplit_submit *s)
{
	int ret;

	if (vsplit_fault("place.shared"))
		return -ENOMEM;
	if (vsplit_interrupted("place.shared_wait") ||
	    down_read_interruptible(&s->vdev->mm.place_sem))
		return -ERESTARTSYS;
	s->shared = true;
	ret = vsplit_place_lock(s, true);
	if (!ret)
		return 0;
	up_read(&s->vdev->mm.place_sem);
	s->shared = false;
	return ret;
}

static bool vsplit_place_is_ours(struct vsplit_bo *vbo, void *priv)
{
	const struct vsplit_submit *s = priv;
	u32 low = 0, high = s->nr_bos;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (s->sorted[mid] == vbo)
			return true;
		if (s->sorted[mid] < vbo)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

/*
 * Segments that others leave for it: its own, and, if all apertures together have a
 * limit and it needs one of them, every aperture.
 */
static u32 vsplit_place_emptied(const struct vsplit_submit *s)
{
	const struct vsplit_mm *mm = &s->vdev->mm;
	u32 apertures = 0;
	u32 i;

	for (i = 0; i < mm->nr_segments; i++)
		if (mm->segments[i].aperture)
			apertures |= BIT(i);
	if (s->vdev->config.aperture_limit && (s->segments & apertures))
		return s->segments | apertures;
	return s->segments;
}

static int vsplit_place_planned(struct vsplit_submit *s, bool evict)
{
	int ret;

	if (evict) {
		/* Idle allocations of others go before any split (A9). */
		s->evicted = true;
		ret = vsplit_mm_evict_others(&s->vdev->mm, vsplit_place_emptied(s), &s->txn.ctx,
					     vsplit_place_is_ours, s);
		if (ret)
			return ret;
	}
	ret = vsplit_place_lock(s, false);
	if (ret)
		return ret;
	ret = vsplit_plan(s, evict);
	if (ret) {
		vsplit_place_give_back(s);
		vsplit_place_unlock(s);
	}
	return ret;
}

/* Must the walk decide even if everything fits? */
static bool vsplit_place_wants_plan(const struct vsplit_submit *s)
{
	return (s->args->flags & VSPLIT_SUBMIT_FORCE_SPLIT) || s->knobs.take_split_point ||
	       s->knobs.evict_between || s->knobs.random_placement;
}

static int vsplit_place_exclusive(struct vsplit_submit *s)
{
	int ret;

	if (vsplit_interrupted("place.exclusive_wait") ||
	    down_write_killable(&s->vdev->mm.place_sem))
		return -ERESTARTSYS;
	s->exclusive = true;

	if (vsplit_place_wants_plan(s)) {
		ret = vsplit_place_planned(s, false);
	} else {
		ret = vsplit_place_lock(s, true);
		if (!ret)
			return vsplit_program_resident(s);
	}
	if (ret == -ENOSPC)
		ret = vsplit_place_planned(s, true);
	return ret;
}

/**
 * vsplit_submit_place() - Get everything a place, and make the program.
 * @s: parsed; submit_lock held.
 *
 * On success the allocations are locked and nothing has changed yet. The caller
 * calls vsplit_submit_unplace() in any case.
 *
 * Return: 0; -ENOSPC, -EPERM; -EBUSY; -ENOMEM; -ERESTARTSYS or -EINTR.
 */
int vsplit_submit_place(struct vsplit_submit *s)
{
	int ret;

	vsplit_txn_init(&s->txn, s->record, true);
	if (!vsplit_place_wants_plan(s)) {
		ret = vsplit_place_shared(s);
		if (!ret)
			return vsplit_program_resident(s);
		if (ret != -ENOSPC)
			return ret;
	}
	return vsplit_place_exclusive(s);
}

/**
 * vsplit_submit_take_place() - Let the placement take effect; cannot fail.
 * @s: committed: its job is armed.
 */
void vsplit_submit_take_place(struct vsplit_submit *s)
{
	struct dma_fence *fence = &s->job->fence->base;
	struct vsplit_mm *mm = &s->vdev->mm;

	if (s->layout)
		vsplit_layout_commit(s->layout, s->relocs, s->nr_bos, fence);
	else
		vsplit_relocs_commit(mm, s->relocs, s->nr_bos, fence);
	s->layout = NULL;
	memset(s->relocs, 0, array_size(s->nr_bos, sizeof(*s->relocs)));
}

/**
 * vsplit_submit_unplace() - Give back what was not committed, and unlock.
 * @s: any stage from vsplit_submit_place() on.
 */
void vsplit_submit_unplace(struct vsplit_submit *s)
{
	if (s->locked)
		vsplit_place_give_back(s);
	vsplit_place_unlock(s);
	if (s->exclusive)
		up_write(&s->vdev->mm.place_sem);
	if (s->shared)
		up_read(&s->vdev->mm.place_sem);
	s->exclusive = false;
	s->shared = false;
}
