// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: reset of the bus device
 *
 * While a device is reset, the memory behind its BAR cannot be reached, and its contents afterwards
 * are undefined. So the engine pages out all allocations before, as always. This also keeps the
 * engine and the CPU away from the BAR, since no allocation has a place there. Nothing gets a place
 * there either: the reset has its turn (vsplit_txn.c), and tasks that were about to place an
 * allocation find the segments closed.
 *
 * Pinned allocations leave too, and are *parked* in system memory, at the only time at which they
 * may leave (EXT-31). They are back at their offsets before anything can use them. A parked
 * allocation stays pinned, and its pages cannot be pinned for others, as if it were in its place:
 * an importer that attached to them would be left with old bytes. If it is released, or no head
 * shows it any more, its pin is gone, and it does not come back.
 *
 * The engines are done with the BAR when all allocations have left. Any client's work may use the
 * BAR, for any time, so the wait for it is bounded. The wait for the bytes of pinned allocations is
 * bounded, too: a head reads them without asking for fences. Signals do not end it: a signal from
 * before must not cancel work that was submitted since.
 */
#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "mm/vsplit_mm_internal.h"

/* A pinned allocation that left its place, which was at @offset in a segment. */
struct vsplit_parked {
	struct list_head link; /* in vsplit_mm.parked */
	struct ttm_buffer_object *tbo; /* a reference */
	u32 segment; /* index */
	u64 offset;
};

/*
 * Close the segments in the BAR: only @task can place allocations there. This waits until others
 * have placed what they have claimed. NULL opens the segments again.
 */
static void vsplit_bar_close(struct vsplit_mm *mm, struct task_struct *task)
{
	unsigned long mask = mm->in_bar;
	u32 i;

	for_each_set_bit(i, &mask, mm->nr_segments) {
		guard(mutex)(&mm->segments[i].lock);
		mm->segments[i].closed = task;
	}
	if (task)
		wait_event(mm->turn_wait, !atomic_read(&mm->claims));
}

/* If it is pinned, note that it is in the way of others where it is, or not any more. */
static void vsplit_bo_mark_place(struct vsplit_bo *vbo, bool pinned)
{
	if (vbo->tbo.pin_count && vsplit_bo_segment(vbo) != VSPLIT_SEG_SYSTEM)
		vsplit_segment_pin(vbo_to_mm(vbo), vbo->tbo.resource, pinned);
}

/* If it is pinned, note its place. */
static int vsplit_bo_park(struct vsplit_mm *mm, struct vsplit_bo *vbo)
{
	struct vsplit_parked *parked;

	if (!vbo->tbo.pin_count)
		return 0;
	parked = vsplit_fault("mm.park") ? NULL : kmalloc(sizeof(*parked), GFP_KERNEL);
	if (!parked)
		return -ENOMEM;
	vsplit_compat_tbo_get(&vbo->tbo);
	parked->tbo = &vbo->tbo;
	parked->segment = vsplit_bo_segment(vbo);
	parked->offset = vsplit_bo_offset(vbo);
	vbo->parked = true;
	list_add_tail(&parked->link, &mm->parked);
	return 0;
}

static int vsplit_bo_leave_bar(struct vsplit_segment *segment, struct vsplit_bo *vbo)
{
	struct ttm_operation_ctx ctx = {};
	int ret = 0;

	dma_resv_lock(vbo->tbo.base.resv, NULL);
	/* It may have moved, or was released, meanwhile. */
	if (vsplit_bo_segment(vbo) != segment->index)
		goto unlock;
	ret = vsplit_bo_park(segment->mm, vbo);
	if (ret)
		goto unlock;
	vsplit_bo_mark_place(vbo, false);
	ret = vsplit_bo_move_into(vbo, &vsplit_system_placement, &ctx);
	vsplit_bo_mark_place(vbo, true);
unlock:
	dma_resv_unlock(vbo->tbo.base.resv);
	return ret;
}

/* How long a reset waits for the engines. */
struct vsplit_bar_wait {
	unsigned long until;	/* jiffies */
	bool interruptible;
};

static struct vsplit_bar_wait vsplit_bar_wait(const struct vsplit_mm *mm, bool interruptible)
{
	return (struct vsplit_bar_wait) {
		.until = jiffies + msecs_to_jiffies(mm->vdev->config.timeout_ms),
		.interruptible = interruptible,
	};
}

/*
 * Wait for a fence by looking from time to time. This way no signal ends the sleep if it must not,
 * and the task is not reported as hung.
 */
static int vsplit_wait_fence(void *priv, struct dma_fence *fence)
{
	const struct vsplit_bar_wait *wait = priv;
	int ret = 0;

	while (!ret && !dma_fence_is_signaled(fence)) {
		if (wait->interruptible && signal_pending(current))
			ret = -EINTR;
		else if (time_after(jiffies, wait->until))
			ret = -ETIME;
		else
			schedule_timeout_idle(max(HZ / 100, 1));
	}
	dma_fence_put(fence);
	return ret;
}

/* Wait until the engines are done with the BAR. Return: 0, -ETIME, -EINTR or -ENOMEM. */
static int vsplit_bar_wait_left(struct vsplit_mm *mm, bool interruptible)
{
	struct vsplit_bar_wait wait = vsplit_bar_wait(mm, interruptible);
	unsigned long mask = mm->in_bar;
	struct vsplit_range all = {};
	int ret;
	u32 i;

	for_each_set_bit(i, &mask, mm->nr_segments) {
		all.node.size = mm->segments[i].size;
		ret = vsplit_segment_visit_fences(&mm->segments[i], &all, NULL, NULL,
						  vsplit_wait_fence, &wait);
		if (ret)
			return ret;
	}
	return 0;
}

static int vsplit_parked_return(struct vsplit_parked *parked)
{
	struct vsplit_bo *vbo = to_vsplit_bo(parked->tbo);
	struct ttm_operation_ctx ctx = {};
	struct vsplit_places places;
	int ret = 0;

	vsplit_places_init(&places);
	vsplit_places_add(&places, &vbo_to_mm(vbo)->segments[parked->segment], parked->offset,
			  parked->offset + vbo->tbo.base.size, 0);
	dma_resv_lock(vbo->tbo.base.resv, NULL);
	/* Nothing to do if it had not left, or was released. */
	if (vsplit_bo_segment(vbo) != VSPLIT_SEG_SYSTEM || !vbo->tbo.pin_count)
		goto unlock;
	ret = vsplit_bo_move_into(vbo, &places.base, &ctx);
	vsplit_bo_mark_place(vbo, true);
unlock:
	vbo->parked = false;
	dma_resv_unlock(vbo->tbo.base.resv);
	return ret;
}

/* Bring back what was parked, and end the turn. The bytes are under way. */
static int vsplit_bar_refill(struct vsplit_mm *mm)
{
	struct vsplit_parked *parked;
	int ret = 0;

	list_for_each_entry(parked, &mm->parked, link) {
		ret = vsplit_parked_return(parked);
		if (ret)
			break;
	}
	vsplit_bar_close(mm, NULL);
	vsplit_txn_end(&mm->reset);
	return ret;
}

/* Wait for the bytes of what was parked. Return: 0 or -ETIME. */
static int vsplit_bar_wait_returned(struct vsplit_mm *mm)
{
	struct vsplit_bar_wait wait = vsplit_bar_wait(mm, false);
	struct vsplit_parked *parked;
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	int ret = 0;

	list_for_each_entry(parked, &mm->parked, link) {
		dma_resv_iter_begin(&cursor, parked->tbo->base.resv, DMA_RESV_USAGE_KERNEL);
		dma_resv_for_each_fence_unlocked(&cursor, fence) {
			ret = vsplit_wait_fence(&wait, dma_fence_get(fence));
			if (ret)
				break;
		}
		dma_resv_iter_end(&cursor);
		if (ret)
			break;
	}
	return ret;
}

static void vsplit_bar_forget_parked(struct vsplit_mm *mm)
{
	struct vsplit_parked *parked, *next;

	list_for_each_entry_safe(parked, next, &mm->parked, link) {
		list_del(&parked->link);
		vsplit_compat_tbo_put(parked->tbo);
		kfree(parked);
	}
}

int vsplit_mm_leave_bar(struct vsplit_mm *mm)
{
	unsigned long mask = mm->in_bar;
	struct vsplit_bo *vbo;
	int ret = 0;
	u64 start;
	u32 i;

	vsplit_txn_init(&mm->reset, mm, NULL, false);
	vsplit_txn_take_turn(&mm->reset);
	vsplit_bar_close(mm, current);
	for_each_set_bit(i, &mask, mm->nr_segments) {
		start = 0;
		while (!ret && (vbo = vsplit_segment_next(&mm->segments[i], &start))) {
			ret = vsplit_bo_leave_bar(&mm->segments[i], vbo);
			vsplit_compat_tbo_put(&vbo->tbo);
		}
	}
	if (!ret && vsplit_bar_wait_left(mm, true)) {
		vsplit_exec_cancel(mm->vdev);
		ret = vsplit_bar_wait_left(mm, false);
	}
	if (ret) {
		vsplit_bar_refill(mm);
		vsplit_bar_forget_parked(mm);
	}
	return ret;
}

int vsplit_mm_return_to_bar(struct vsplit_mm *mm)
{
	int ret = vsplit_bar_refill(mm);

	if (!ret && vsplit_bar_wait_returned(mm)) {
		vsplit_exec_cancel(mm->vdev);
		ret = vsplit_bar_wait_returned(mm);
	}
	vsplit_bar_forget_parked(mm);
	return ret;
}
