// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: placing a submission
 *
 * A submission locks its list (drm_exec), and checks which allocations are not where it would place
 * them first. Usually all are there. Otherwise:
 *
 *  holes    each allocation without a usable place takes a hole, through TTM. Only offered
 *           allocations leave for it. But if the sizes alone say that everything fits, TTM evicts
 *           from the first allocation on that finds no hole, and no other stage is needed.
 *  look     otherwise everything is described while the list is still locked: the submission's own
 *           allocations, and what else is in the segments (vsplit_plan_snapshot()). Then everything
 *           is unlocked.
 *  solve    the walk of split/ decides, on this description alone and without any lock: as if all
 *           other allocations that can be evicted had left. If that is not enough, -ENOSPC is
 *           final.
 *  evict    if everything fits without a split, TTM places and evicts, as in any driver.
 *  claim    if the submission has to be split, or TTM does not find a way, the plan is carried out:
 *           list and victims are locked together and compared with the description, the places that
 *           the plan enters are claimed, and only the allocations that lie there are evicted
 *           (vsplit_layout.c).
 *
 * Idle and busy allocations of others alike leave before a split (A9), so a plan never depends on
 * how fast the GPU is. If the plan's premises have changed meanwhile, everything begins again;
 * after VSPLIT_TXN_TRIES times the submission takes its turn (vsplit_txn_take_turn()).
 *
 * A submission of a WDDM 2 device goes through the same stages, but is never split
 * (vsplit_place_try_required()).
 *
 * So LOWMEM means video memory and nothing else: lock contention, signals and host memory never
 * lead to a split (A10). There is one exception: the lock of an exporter that holds an import
 * without users for long (vsplit_release.c).
 *
 * Lock order: submit_lock, a turn, dma_resv. While the walk solves a plan, the submission holds
 * only the submit_lock of its own context.
 */
#include "exec/vsplit_submit.h"
#include "mm/vsplit_layout.h"
#include "debug/vsplit_fault.h"

/* So many times offered allocations leave before a submission counts as overtaken. */
#define VSPLIT_PLACE_OFFERS	64

static void vsplit_place_give_back(struct vsplit_submit *s)
{
	struct vsplit_list_alloc *item = NULL;

	while ((item = vsplit_submit_next(s, item))) {
		struct vsplit_reloc *reloc = &s->relocs[item->plan];

		if (reloc->leaves)
			vsplit_bo_tell_lists(item->vbo);
		/* An allocation without a resource may not even be locked. */
		if (reloc->res)
			vsplit_bo_unacquire(item->vbo, reloc->res);
		memset(reloc, 0, sizeof(*reloc));
		item->early = false;
	}
	s->job->result = 0;
}

/* Before anything is unlocked, note that the transaction owns no allocation any more. */
static void vsplit_place_unmark(struct vsplit_submit *s)
{
	u32 i;

	for (i = 0; i < s->nr_bos; i++)
		if (READ_ONCE(s->sorted[i]->txn) == &s->txn)
			WRITE_ONCE(s->sorted[i]->txn, NULL);
	if (s->layout)
		vsplit_layout_unmark(s->layout);
}

static void vsplit_place_unlock(struct vsplit_submit *s)
{
	if (s->locked) {
		if (!s->taken)
			vsplit_place_give_back(s);
		vsplit_place_unmark(s);
		drm_exec_fini(&s->exec);
	}
	s->locked = false;
	vsplit_layout_end(s->layout);
	s->layout = NULL;
}

static void vsplit_place_lock_init(struct vsplit_submit *s)
{
	/* Two imports of one dma-buf are two allocations with one dma_resv. */
	drm_exec_init(&s->exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES,
		      s->nr_bos);
	s->locked = true;
}

/* Lock the list's allocations; on contention the caller goes back to the start of its loop. */
static int vsplit_place_lock_list(struct vsplit_submit *s)
{
	struct vsplit_va *va = s->queue->va;
	struct vsplit_list_alloc *item = NULL;
	int ret;

	ret = va ? drm_exec_prepare_obj(&s->exec, va->base.r_obj, 1) : 0;
	if (ret)
		return ret;
	while ((item = vsplit_submit_next(s, item))) {
		struct vsplit_bo *vbo = item->vbo;

		ret = vsplit_interrupted("place.prepare") ? -EINTR :
		      drm_exec_prepare_obj(&s->exec, &vbo->tbo.base, VSPLIT_RESV_SLOTS);
		if (ret) {
			vsplit_place_unmark(s);
			return ret;
		}
		/* Each allocation appears once. */
		if (vsplit_refuse(s->vdev, READ_ONCE(vbo->txn) == &s->txn))
			return -EINVAL;
		if (vsplit_refuse(s->vdev, vbo->offer && item < s->list + s->args->num_allocs))
			return -EINVAL;
		WRITE_ONCE(vbo->txn, &s->txn);
	}
	return 0;
}

/* Find the allocations for which something has to be done; usually there are none. */
static void vsplit_place_find_worse(struct vsplit_submit *s)
{
	u32 i;

	s->nr_worse = 0;
	for (i = 0; i < s->nr_order; i++)
		if (!vsplit_bo_is_best(s->order[i]->vbo, vsplit_submit_writes(s, s->order[i])))
			s->worse[s->nr_worse++] = s->order[i];
}

/*
 * Let @step page an allocation of the list by separate jobs. @step pages no other allocation, so
 * the record shows the handle of this one in all events.
 */
static int vsplit_place_own(struct vsplit_submit *s, const struct vsplit_list_alloc *item,
			    int (*step)(struct vsplit_bo *vbo, bool write,
					struct ttm_operation_ctx *ctx))
{
	int ret;

	s->record->claimed = item->handle;
	ret = step(item->vbo, vsplit_submit_writes(s, item), &s->txn.ctx);
	s->record->claimed = 0;
	return ret;
}

/* Must the walk decide, even if everything fits? */
static bool vsplit_place_wants_plan(const struct vsplit_submit *s)
{
	if (s->resid)
		return false;
	return (s->args->flags & VSPLIT_SUBMIT_FORCE_SPLIT) || s->knobs.take_split_point ||
	       s->knobs.evict_between || s->knobs.random_placement;
}

/*
 * Would the whole list fit into each segment that is the first choice of an allocation in @worse,
 * even between two pinned allocations? Then the walk would neither refuse nor cut the submission,
 * whatever is where, and need not be asked. The cost depends on @worse, and not on the list.
 */
static bool vsplit_place_surely_fits(const struct vsplit_submit *s)
{
	struct vsplit_mm *mm = &s->vdev->mm;
	unsigned long first = 0;
	u32 i;

	if (s->resid || vsplit_place_wants_plan(s) || vsplit_offers_any(mm, s->segments))
		return false;
	for (i = 0; i < s->nr_worse; i++) {
		const struct vsplit_bo *vbo = s->worse[i]->vbo;

		if (!vsplit_bo_allows(vbo, 0, vsplit_submit_writes(s, s->worse[i])) ||
		    !vsplit_bo_lock_allows(vbo, vbo->segs[0]))
			return false;
		first |= BIT(vbo->segs[0]);
	}
	/* Room may begin behind a pinned allocation, at any page: leave some for the alignment. */
	for_each_set_bit(i, &first, mm->nr_segments)
		if (mm->segments[i].aperture ||
		    s->bytes + s->align - PAGE_SIZE > vsplit_segment_room(&mm->segments[i]))
			return false;
	return true;
}

/*
 * From now on other allocations may be evicted, and own ones that are in the wrong place. TTM
 * evicts the least recently used allocation first, and would try to lock each own allocation on its
 * way to a victim. So own allocations count as used now, not at the commit.
 */
static void vsplit_place_begin_to_evict(struct vsplit_submit *s)
{
	u32 i;

	s->evict = true;
	for (i = 0; i < s->nr_order; i++) {
		s->relocs[s->order[i]->plan].bumped = true;
		ttm_bo_move_to_lru_tail_unlocked(&s->order[i]->vbo->tbo);
	}
}

/* May TTM evict now? If it is not sure that everything fits, the walk has to be asked first. */
static bool vsplit_place_may_evict(struct vsplit_submit *s)
{
	if (!s->evict && vsplit_place_surely_fits(s))
		vsplit_place_begin_to_evict(s);
	return s->evict;
}

/* Allocations that cannot be used where they are make room before the others get a place. */
static int vsplit_place_leave(struct vsplit_submit *s)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < s->nr_worse; i++) {
		const struct vsplit_list_alloc *item = s->worse[i];

		if (vsplit_submit_settled(s, item))
			continue;
		ret = vsplit_bo_must_leave(item->vbo, vsplit_submit_writes(s, item));
		if (ret < 0)
			return ret;
		if (ret && !vsplit_place_may_evict(s))
			return -ENOSPC;
		if (ret)
			ret = vsplit_place_own(s, item, vsplit_bo_leave);
	}
	return ret;
}

static bool vsplit_place_is_resident(const struct vsplit_submit *s)
{
	u32 i;

	for (i = 0; i < s->nr_worse; i++) {
		const struct vsplit_list_alloc *item = s->worse[i];
		bool write = vsplit_submit_writes(s, item);

		if (vsplit_submit_settled(s, item))
			continue;
		if (vsplit_bo_must_leave(item->vbo, write) ||
		    !vsplit_bo_can_stay(item->vbo, write))
			return false;
	}
	return true;
}

/*
 * Get a place: a hole; or if the submission may evict, the room of victims. In the planned mode
 * these are first the victims of vsplit_reuse.c, then those of TTM.
 */
static int vsplit_place_acquire_one(struct vsplit_submit *s, const struct vsplit_list_alloc *item)
{
	struct ttm_resource **res = &s->relocs[item->plan].res;
	bool write = vsplit_submit_writes(s, item);
	bool evict = s->evict;
	int ret;

	if (!evict || s->vdev->config.planned) {
		ret = vsplit_bo_acquire(item->vbo, write, false, &s->txn.ctx, res);
		if (ret != -ENOSPC)
			return ret;
		s->lacks = item->vbo->tbo.base.size;
		if (!vsplit_place_may_evict(s))
			return ret;
	}
	if (s->vdev->config.planned) {
		ret = vsplit_reuse_make_room(item->vbo, write, &s->txn.ctx);
		if (ret)
			return ret;
	}
	return vsplit_bo_acquire(item->vbo, write, true, &s->txn.ctx, res);
}

/*
 * Promote an allocation. A promotion that fails is no error, except for a signal: the allocation
 * stays where it is, or gets another place if it has left its own halfway.
 */
static int vsplit_place_promote(struct vsplit_submit *s, const struct vsplit_list_alloc *item)
{
	int ret = vsplit_place_own(s, item, vsplit_bo_promote);

	if (!ret || ret == -ERESTARTSYS || ret == -EINTR)
		return ret;
	ret = dma_resv_reserve_fences(item->vbo->tbo.base.resv, VSPLIT_RESV_SLOTS);
	return ret ?: vsplit_place_acquire_one(s, item);
}

/* @held_off: allocations that need not move stay where they are. */
static int vsplit_place_acquire(struct vsplit_submit *s, bool held_off)
{
	int ret;
	u32 i;

	ret = vsplit_place_leave(s);
	for (i = 0; !ret && i < s->nr_worse; i++)
		ret = vsplit_place_acquire_one(s, s->worse[i]);
	/* Promote with the room that is left when all have a place. */
	for (i = 0; !ret && !held_off && i < s->nr_worse; i++)
		if (!s->relocs[s->worse[i]->plan].res)
			ret = vsplit_place_promote(s, s->worse[i]);
	return ret;
}

/*
 * Take holes. Evict as well if @evict, or if the sizes say that this is enough; this runs in the
 * locking loop, because evicting may take more locks. If holes are not enough, get a plan.
 */
static int vsplit_place_by_ttm(struct vsplit_submit *s, bool evict)
{
	bool plan = !evict && vsplit_place_wants_plan(s), held_off;
	int ret;

	vsplit_place_lock_init(s);
	drm_exec_until_all_locked(&s->exec) {
		ret = vsplit_place_lock_list(s);
		drm_exec_retry_on_contention(&s->exec);
		if (ret)
			break;
		vsplit_place_find_worse(s);
		s->evict = false;
		if (evict)
			vsplit_place_begin_to_evict(s);
		held_off = (plan || s->nr_worse) && vsplit_txn_held_off(&s->txn);
		if (held_off && (plan || !vsplit_place_is_resident(s)))
			ret = -EAGAIN;
		else
			ret = plan ? -ENOSPC : vsplit_place_acquire(s, held_off);
		if (ret)
			break;
	}
	/* Contention in the middle of an eviction is no final answer: go on with a plan. */
	if (ret == -EDEADLK)
		ret = -ENOSPC;
	if (ret == -ENOSPC && !evict) {
		vsplit_place_give_back(s);
		ret = vsplit_plan_snapshot(s) ?: -ENOSPC;
	}
	if (ret)
		vsplit_place_unlock(s);
	return ret;
}

/*
 * Take holes, and the places of offered allocations. Other clients choose how many of these there
 * are, so the more tries have failed, the more of them leave at once. If others offer allocations
 * again and again, -EAGAIN leads to a turn, in which no others come to memory. The bytes of offered
 * allocations are lost, so a plan is made before: nothing leaves for a submission that cannot be
 * placed at all.
 */
static int vsplit_place_in_holes(struct vsplit_submit *s)
{
	struct vsplit_mm *mm = &s->vdev->mm;
	u32 tries = 0;
	int ret;

	for (;;) {
		vsplit_plan_drop(s);
		s->lacks = 0;
		ret = vsplit_place_by_ttm(s, false);
		if (ret != -ENOSPC || !s->lacks || !vsplit_offers_any(mm, s->segments))
			return ret;
		ret = tries ? 0 : vsplit_plan_solve(s);
		if (ret) {
			vsplit_plan_drop(s);
			return ret;
		}
		ret = vsplit_offers_evict(mm, s->segments, s->lacks << tries / 16, &s->txn.ctx);
		if (ret)
			return ret;
		vsplit_sync_point("place.offers");
		if (++tries == VSPLIT_PLACE_OFFERS)
			return -EAGAIN;
		/* No wait need end this. */
		if (fatal_signal_pending(current))
			return -ERESTARTSYS;
	}
}

/*
 * Carry out the part of the plan that may fail. Victims that have left before a failure are not
 * brought back; such a failure is one of host memory, of the client's limits, or a signal.
 */
static int vsplit_place_planned(struct vsplit_submit *s)
{
	int ret;

	ret = vsplit_plan_layout(s);
	if (ret)
		return ret;
	vsplit_place_lock_init(s);
	drm_exec_until_all_locked(&s->exec) {
		vsplit_layout_forget(s->layout);
		ret = vsplit_place_lock_list(s);
		drm_exec_retry_on_contention(&s->exec);
		if (!ret) {
			vsplit_place_find_worse(s);
			s->evict = true;
			ret = vsplit_place_leave(s);
		}
		if (!ret)
			ret = vsplit_plan_compare(s);
		if (ret)
			break;
		ret = vsplit_layout_lock_victims(s->layout, &s->exec);
		if (drm_exec_is_contended(&s->exec))
			vsplit_place_unmark(s);
		drm_exec_retry_on_contention(&s->exec);
		if (ret)
			break;
	}
	if (!ret)
		ret = vsplit_layout_claim(s->layout);
	if (!ret)
		ret = vsplit_plan_finish(s);
	if (ret)
		vsplit_place_unlock(s);
	return ret;
}

/* Try once; -EAGAIN: the plan's premises have changed. */
static int vsplit_place_try(struct vsplit_submit *s, bool *evicted)
{
	int ret;

	ret = vsplit_place_in_holes(s);
	if (!ret)
		return vsplit_program_resident(s);
	/* If there is no plan, the walk has found -ENOSPC already. */
	if (ret != -ENOSPC || !s->plan)
		return ret;
	vsplit_sync_point("place.solve");
	ret = vsplit_plan_solve(s);
	if (ret)
		return ret;
	if (!*evicted && !vsplit_place_wants_plan(s) && vsplit_plan_is_whole(s->plan)) {
		*evicted = true;
		ret = vsplit_place_by_ttm(s, true);
		if (!ret)
			return vsplit_program_resident(s);
		if (ret != -ENOSPC)
			return ret;
	}
	return vsplit_place_planned(s);
}

/*
 * Try once for a WDDM 2 device: missing allocations take holes; or others leave, as few as
 * possible; or all that the device requires is packed anew. The submission is never split.
 */
static int vsplit_place_try_required(struct vsplit_submit *s)
{
	int ret;

	for (s->whole = false;; s->whole = true) {
		vsplit_plan_drop(s);
		ret = vsplit_submit_require(s);
		if (ret)
			return ret;
		ret = vsplit_place_in_holes(s);
		if (!ret)
			return vsplit_program_resident(s);
		if (ret != -ENOSPC)
			return ret;
		vsplit_sync_point("place.solve");
		/* If there is no plan, vsplit_place_in_holes() has found that there can be none. */
		ret = s->plan ? vsplit_plan_solve(s) : -ENOSPC;
		if (ret != -ENOSPC || s->whole)
			break;
	}
	return ret ?: vsplit_place_planned(s);
}

/* Try once. Many ranges of others that are not charged are known to one submission at a time. */
static int vsplit_place_once(struct vsplit_submit *s, bool *evicted)
{
	struct mutex *crowd = &s->vdev->exec->crowd;
	int ret;

	if (s->crowded) {
		if (vsplit_interrupted("place.crowd") || mutex_lock_killable(crowd))
			return -ERESTARTSYS;
		vsplit_sync_point("place.crowded");
	}
	ret = s->resid ? vsplit_place_try_required(s) : vsplit_place_try(s, evicted);
	if (s->crowded)
		mutex_unlock(crowd);
	return ret;
}

/*
 * Give all allocations of a parsed submission a place, and make the program; submit_lock is held.
 * On success the allocations are locked, but not changed yet. The caller calls
 * vsplit_submit_unplace() in any case.
 * Return: 0; -ENOSPC; -EPERM: leak detection refuses a split; -EBUSY: as vsplit_plan_snapshot();
 * -EINVAL: an allocation is listed twice, or offered; -E2BIG, -ENOBUFS; -ENOMEM; -ERESTARTSYS or
 * -EINTR.
 */
int vsplit_submit_place(struct vsplit_submit *s)
{
	bool evicted = false;
	unsigned int windows;
	int ret;

	vsplit_txn_init(&s->txn, &s->vdev->mm, s->record, true);
	s->txn.client = s->efile->account;
	s->txn.resid = s->efile->resid;
	s->txn.demand = true;
	if (vsplit_fault("place"))
		return -ENOMEM;
	if (s->tries > VSPLIT_TXN_TRIES) {
		ret = vsplit_txn_take_turn(&s->txn);
		if (ret)
			return ret;
	}
	for (;;) {
		windows = vsplit_txn_windows(&s->txn);
		ret = vsplit_place_once(s, &evicted);
		if (ret == -E2BIG && !s->crowded) {
			/* Other clients choose how many ranges they have: do not charge them. */
			vsplit_place_unlock(s);
			s->crowded = true;
			continue;
		}
		if (ret == -EINTR && s->txn.refused)
			ret = s->txn.refused;
		if (ret != -EAGAIN)
			return ret;
		ret = vsplit_txn_again(&s->txn, windows, ++s->tries > VSPLIT_TXN_TRIES);
		if (ret)
			return ret;
	}
}

/*
 * Let the placement of a committed submission take effect; cannot fail. @fence: of the job; NULL:
 * nothing moves.
 */
void vsplit_submit_take_place(struct vsplit_submit *s, struct dma_fence *fence)
{
	struct vsplit_list_alloc *item = NULL;

	vsplit_relocs_commit(&s->vdev->mm, s->layout, s->relocs, s->nr_bos, fence);
	/* They are not missing any more: the submission depends on the jobs that bring them in. */
	while ((item = vsplit_submit_next(s, item)))
		if (s->resid && vsplit_bo_is_resident(item->vbo))
			vsplit_resid_found(s->resid, &item->vbo->resid);
	s->taken = true;
}

/** vsplit_submit_unplace() - Give back what was not committed, and unlock; at any stage. */
void vsplit_submit_unplace(struct vsplit_submit *s)
{
	vsplit_place_unlock(s);
	vsplit_plan_drop(s);
	vsplit_txn_end(&s->txn);
}
