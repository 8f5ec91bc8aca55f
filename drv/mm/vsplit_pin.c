// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: pinned allocations
 *
 * VSPLIT_GEM_PINNED puts an allocation into its first segment when it is created, for life. It
 * takes the lowest hole, or else the lowest place (highest with VSPLIT_GEM_TOPDOWN) where
 * everything can be evicted, and only the allocations there leave. If there is no such place, or a
 * device's list would have too little room left (resid/vsplit_room.c), nothing has changed.
 *
 * A pinned allocation is in the way of all clients, so a client without CAP_SYS_ADMIN has limits
 * that keep a usable part of each segment for the others, whatever it does:
 *
 *   - Together such clients pin at most half of a segment's commit limit (and half of the limit of
 *     all aperture segments together).
 *   - Their pinned allocations lie in the first half of a part of the segment. With
 *     VSPLIT_GEM_CPU_ACCESS this is the part that the CPU sees; otherwise it is the part that the
 *     CPU does not see, if there is one, or else the whole segment. The second half of either
 *     part stays in one piece.
 */
#include <linux/capability.h>

#include <drm/drm_exec.h>

#include "mm/vsplit_mm_internal.h"

/* ---- limits ---- */

/* The part of the segment where an allocation may lie, by the privilege of its creator. */
static void vsplit_pin_part(const struct vsplit_bo *vbo, const struct vsplit_segment *segment,
			    u64 *first, u64 *end)
{
	u64 seen = vsplit_segment_seen(segment);

	*first = 0;
	*end = segment->size;
	if (vbo->flags & VSPLIT_GEM_CPU_ACCESS)
		*end = seen;
	else if (vbo->pin_share && seen && seen < segment->size)
		*first = seen;
	if (vbo->pin_share)
		*end = *first + ALIGN_DOWN((*end - *first) / 2, PAGE_SIZE);
}

/*
 * Tell budgets how many bytes are not pinned (VSPLIT_GEM_PINNED); the segments have been updated.
 * Allocations that a head shows, or that a driver has attached to, are pinned only for a while.
 * They do not count: budgets that change with each page flip would be no use.
 */
void vsplit_mm_tell_capacity(struct vsplit_mm *mm)
{
	u64 capacity[VSPLIT_NUM_GROUPS] = {}, limit = mm->vdev->config.aperture_limit;
	u32 i;

	/* The last task that gets the lock has seen the changes of all others. */
	guard(spinlock)(&mm->resid.lock);
	for (i = 0; i < mm->nr_segments; i++) {
		const struct vsplit_segment *segment = &mm->segments[i];
		u64 pinned = READ_ONCE(segment->pinned);

		capacity[segment->aperture ? VSPLIT_GROUP_NONLOCAL : VSPLIT_GROUP_LOCAL] +=
			segment->commit_limit - min(segment->commit_limit, pinned);
	}
	if (limit)
		capacity[VSPLIT_GROUP_NONLOCAL] = min(capacity[VSPLIT_GROUP_NONLOCAL], limit);
	vsplit_resid_set_capacity(&mm->resid, capacity);
}

/* Charge an allocation to the share of clients without privilege, if it fits in there. */
static int vsplit_pin_charge(struct vsplit_bo *vbo)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	struct vsplit_segment *segment = &mm->segments[vbo->segs[0]];
	u64 limit = mm->vdev->config.aperture_limit, size = vbo->tbo.base.size;

	if (capable(CAP_SYS_ADMIN))
		return 0;
	guard(mutex)(&segment->lock);
	if (segment->pin_share + size > segment->commit_limit / 2)
		return -EDQUOT;
	if (segment->aperture && limit && !vsplit_add_below(&mm->aperture_pinned, size, limit / 2))
		return -EDQUOT;
	segment->pin_share += size;
	vbo->pin_share = true;
	return 0;
}

/** vsplit_pin_uncharge() - An allocation, pinned or not, is freed; it is in no segment any more. */
void vsplit_pin_uncharge(struct vsplit_bo *vbo)
{
	struct vsplit_mm *mm = &to_vsplit_device(vbo->tbo.base.dev)->mm;
	struct vsplit_segment *segment = &mm->segments[vbo->segs[0]];
	u64 size = vbo->tbo.base.size;

	if (!vbo->pin_share && !vbo->pin_counted)
		return;
	scoped_guard(mutex, &segment->lock) {
		segment->pinned -= vbo->pin_counted ? size : 0;
		segment->pin_share -= vbo->pin_share ? size : 0;
	}
	if (vbo->pin_counted)
		vsplit_mm_tell_capacity(mm);
	if (vbo->pin_share && segment->aperture && mm->vdev->config.aperture_limit)
		atomic64_sub(size, &mm->aperture_pinned);
}

/* ---- a place ---- */

int vsplit_bo_pin_place(struct vsplit_bo *vbo, bool must)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	u32 segment = vsplit_bo_segment(vbo);

	if (!vbo->tbo.pin_count && segment != VSPLIT_SEG_SYSTEM) {
		if (vsplit_resid_pin(&mm->resid, &vbo->resid, segment, must))
			return -ENOSPC;
		vsplit_segment_pin(mm, vbo->tbo.resource, true);
	}
	ttm_bo_pin(&vbo->tbo);
	return 0;
}

void vsplit_bo_unpin_place(struct vsplit_bo *vbo)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);

	ttm_bo_unpin(&vbo->tbo);
	if (vbo->tbo.pin_count)
		return;
	/* A reset may have moved the allocation away. */
	if (vsplit_bo_segment(vbo) != VSPLIT_SEG_SYSTEM)
		vsplit_segment_pin(mm, vbo->tbo.resource, false);
	vsplit_resid_unpin(&mm->resid, &vbo->resid);
}

/* Pin it where it is. vsplit_bo_pin() has reserved its room before, so lists still fit. */
static int vsplit_pin_here(struct vsplit_bo *vbo)
{
	int ret = vsplit_bo_pin_place(vbo, false);

	vbo->out_of_view = !vsplit_bo_visible(vbo);
	return ret;
}

static int vsplit_pin_try_hole(struct vsplit_bo *vbo, struct vsplit_txn *txn)
{
	struct vsplit_segment *segment = &txn->mm->segments[vbo->segs[0]];
	const u64 seen = vsplit_segment_seen(segment);
	u32 flags = TTM_PL_FLAG_DESIRED | (vbo->topdown & BIT(0) ? TTM_PL_FLAG_TOPDOWN : 0);
	struct vsplit_places places;
	u64 first, end;
	int ret;

	vsplit_pin_part(vbo, segment, &first, &end);
	if (end - first < vbo->tbo.base.size)
		return -ENOSPC;
	vsplit_places_init(&places);
	/* If the CPU will not map it, spare the part that the CPU sees, while there is room. */
	if (!(vbo->flags & VSPLIT_GEM_CPU_ACCESS) && seen && first < seen && end > seen)
		vsplit_places_add(&places, segment, seen, end, flags);
	vsplit_places_add(&places, segment, first, end, flags);
	ret = vsplit_interrupted("mm.pin_reserve") ? -ERESTARTSYS :
	      ttm_bo_reserve(&vbo->tbo, true, false, NULL);
	if (ret)
		return ret;
	ret = vsplit_bo_move_into(vbo, &places.base, &txn->ctx);
	if (!ret)
		ret = vsplit_pin_here(vbo);
	ttm_bo_unreserve(&vbo->tbo);
	return ret;
}

/* The lowest place between the fixed spans, or the highest. */
static int vsplit_pin_find(const struct vsplit_bo *vbo, bool topdown, u64 first, u64 end,
			   struct vsplit_span *fixed, u32 nr, u64 *at)
{
	u64 size = vbo->tbo.base.size, gap = first, stop, found = U64_MAX;
	u32 i;

	nr = vsplit_spans_merge(fixed, nr);
	for (i = 0; i <= nr && gap < end; i++) {
		stop = i < nr ? min(fixed[i].start, end) : end;
		gap = ALIGN(gap, vbo->align);
		if (stop >= size && gap <= stop - size) {
			found = topdown ? ALIGN_DOWN(stop - size, vbo->align) : gap;
			if (!topdown)
				break;
		}
		if (i < nr)
			gap = max(gap, fixed[i].start + fixed[i].size);
	}
	*at = found;
	return found == U64_MAX ? -ENOSPC : 0;
}

int vsplit_pin_look(const struct vsplit_bo *vbo, struct vsplit_txn *txn, u32 index, u64 first,
		    u64 end, u64 *at)
{
	struct vsplit_segment *segment = &txn->mm->segments[vbo->segs[index]];
	u32 emptied = vsplit_mm_emptied(txn->mm, BIT(segment->index));
	u64 limit = txn->mm->vdev->config.aperture_limit;
	struct vsplit_span *spans __free(kvfree) = NULL;
	u64 resident = vbo->tbo.base.size;
	u64 mapped = resident;
	u32 nr_fixed, nr, i, here = 0;

	spans = vsplit_mm_snapshot(txn->mm, txn, emptied, emptied, &nr_fixed, &nr);
	if (IS_ERR(spans))
		return PTR_ERR(spans);
	for (i = 0; i < nr_fixed; i++) {
		mapped += spans[i].size;
		if (spans[i].segment != segment->index)
			continue;
		resident += spans[i].size;
		spans[here++] = spans[i];
	}
	if (resident > segment->commit_limit || (segment->aperture && limit && mapped > limit))
		return -ENOSPC;
	return vsplit_pin_find(vbo, vbo->topdown & BIT(index), first, end, spans, here, at);
}

/* Move the allocation to its place. All locks are held, and the place is claimed and empty. */
static int vsplit_pin_enter(struct vsplit_bo *vbo, struct vsplit_layout *layout,
			    struct vsplit_txn *txn, u64 at)
{
	struct ttm_resource *res;
	int ret;

	ret = vsplit_bo_populate(vbo, &txn->ctx);
	if (!ret)
		ret = vsplit_bo_acquire_unplaced(vbo, vbo->segs[0], &txn->ctx, &res);
	if (ret)
		return ret;
	ret = vsplit_layout_settle(layout, vbo, res, at);
	if (!ret)
		ret = vsplit_bo_move_to(vbo, res, &txn->ctx);
	if (ret)
		vsplit_bo_unacquire(vbo, res);
	return ret ?: vsplit_pin_here(vbo);
}

static int vsplit_pin_evict(struct vsplit_bo *vbo, struct vsplit_txn *txn)
{
	u32 segment = vbo->segs[0], emptied = vsplit_mm_emptied(txn->mm, BIT(segment));
	struct vsplit_layout *layout;
	struct drm_exec exec;
	u64 first, end, at;
	int ret;

	vsplit_pin_part(vbo, &txn->mm->segments[segment], &first, &end);
	ret = vsplit_pin_look(vbo, txn, 0, first, end, &at);
	if (ret)
		return ret;
	layout = vsplit_layout_prepare(txn, BIT(segment), emptied, 3, 1);
	if (IS_ERR(layout))
		return PTR_ERR(layout);
	vsplit_layout_step(layout, VSPLIT_SEG_SYSTEM, 0, segment, at, vbo->tbo.base.size);
	vsplit_layout_settled(layout);

	drm_exec_init(&exec, DRM_EXEC_INTERRUPTIBLE_WAIT, 0);
	drm_exec_until_all_locked(&exec) {
		vsplit_layout_forget(layout);
		ret = vsplit_interrupted("mm.pin_prepare") ? -EINTR :
		      drm_exec_prepare_obj(&exec, &vbo->tbo.base, VSPLIT_RESV_SLOTS);
		drm_exec_retry_on_contention(&exec);
		if (ret)
			break;
		ret = vsplit_layout_lock_victims(layout, &exec);
		if (drm_exec_is_contended(&exec))
			vsplit_layout_unmark(layout);
		drm_exec_retry_on_contention(&exec);
		if (ret)
			break;
	}
	if (!ret)
		ret = vsplit_layout_claim(layout);
	if (!ret)
		ret = vsplit_pin_enter(vbo, layout, txn, at);
	vsplit_layout_unmark(layout);
	drm_exec_fini(&exec);
	vsplit_layout_end(layout);
	return ret;
}

static int vsplit_pin_place(struct vsplit_bo *vbo, struct vsplit_txn *txn)
{
	unsigned int windows, tries = 0;
	int ret;

	ret = vsplit_txn_begin(txn);
	while (!ret) {
		windows = vsplit_txn_windows(txn);
		ret = vsplit_pin_try_hole(vbo, txn);
		if (ret == -ENOSPC)
			ret = vsplit_pin_evict(vbo, txn);
		if (ret != -EAGAIN)
			break;
		ret = vsplit_txn_again(txn, windows, ++tries > VSPLIT_TXN_TRIES);
	}
	return ret;
}

/*
 * Pin a new allocation into its first segment; nothing is locked. Return: 0; -EDQUOT: more than
 * clients without privilege may pin; -ENOSPC: no place, or a device's list would not fit any more;
 * -ENOMEM; -ERESTARTSYS or -EINTR.
 */
int vsplit_bo_pin(struct vsplit_bo *vbo)
{
	struct vsplit_mm *mm = vbo_to_mm(vbo);
	struct vsplit_segment *segment = &mm->segments[vbo->segs[0]];
	struct vsplit_txn txn;
	int ret;

	ret = vsplit_pin_charge(vbo);
	if (!ret)
		ret = vsplit_resid_pin(&mm->resid, &vbo->resid, vbo->segs[0], false);
	if (ret)
		return ret;
	vsplit_txn_init(&txn, mm, NULL, true);
	ret = vsplit_pin_place(vbo, &txn);
	vsplit_txn_end(&txn);
	if (ret)
		return ret;
	/* The allocation has its place now, so budgets share only the rest. */
	scoped_guard(mutex, &segment->lock)
		segment->pinned += vbo->tbo.base.size;
	vbo->pin_counted = true;
	vsplit_mm_tell_capacity(mm);
	return 0;
}
