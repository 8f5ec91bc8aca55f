// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: hardware queues
 *
 * A context of VSPLIT_CTX_MODE_HW puts its work into a ring, from which its engine takes packets by
 * itself. Between the client and the engine there is no call, no list and no fence.
 * Documentation/hardware-queues.rst says how this goes together with residency.
 *
 * The doorbell page of an idle queue is not mapped, so a client's store faults. The fault handler
 * maps the page, and then lets the queue run. When the queue is idle again, the *pass*, a work item
 * of the device, unmaps the page and then looks at the ring once more. A pass follows each mapping:
 * the handler asks for one, or lets the engine run the queue, and a pass follows when the engine
 * lets it go. If the queue waits for a monitored fence, a pass follows when the wait is over. So no
 * lock is needed.
 *
 * Before a queue runs, the requirement list gets the *preempt fence* as the fence of the device's
 * unfinished work. The fence is in no dma_resv, and signals only if something waits for it: then
 * the engines stop the queues at the next packet. This allocates nothing, and takes no lock that is
 * held while something sleeps. A pass arms the next preempt fence. The pass does not wait for
 * paging: the fence of the paging starts another pass.
 *
 * Nothing protects the allocations that a pass has brought in until the pass has armed its fence.
 * Devices that do not fit together would evict each other's allocations before that, again and
 * again. So only one device at a time brings in what is missing, until it has armed its fence or a
 * second is over; others try again later.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_utils.h>
#include <linux/log2.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "exec/vsplit_hwq.h"
#include "exec/vsplit_submit.h"
#include "debug/vsplit_fault.h"
#include "vsplit_user.h"

/* How long the queues of a device may run before they are stopped again. */
#define VSPLIT_HW_GRANT_MS	5

/* How long a device may take to bring in missing allocations while other devices wait. */
#define VSPLIT_HW_COMING_MS	1000

/* Time until the next try if memory is short or something is in the way; at first, and at most. */
#define VSPLIT_HW_RETRY_MS	20u
#define VSPLIT_HW_RETRY_MAX_MS	320u

static struct vsplit_hwq *to_vsplit_hwq(struct drm_gem_object *gem)
{
	return container_of(gem, struct vsplit_hwq, base);
}

static bool vsplit_hwq_lost(const struct vsplit_hwq *hwq)
{
	return READ_ONCE(hwq->closed) || vsplit_queue_lost(hwq->queue) ||
	       vsplit_exec_file_state(hwq->hw->efile) != VSPLIT_STATE_ACTIVE ||
	       drm_dev_is_unplugged(&hwq->hw->vdev->drm);
}

static bool vsplit_hwq_has_work(const struct vsplit_hwq *hwq)
{
	return READ_ONCE(*hwq->gpu.tail) != READ_ONCE(hwq->gpu.done) &&
	       !READ_ONCE(hwq->blocked) && !vsplit_hwq_lost(hwq);
}

static void vsplit_hw_look(struct vsplit_hw *hw, unsigned int ms)
{
	mod_delayed_work(system_dfl_wq, &hw->pass, msecs_to_jiffies(ms));
}

/* A queue has changed: the next pass looks at it. A closed queue is in no list. */
static void vsplit_hwq_mark(struct vsplit_hwq *hwq)
{
	lockdep_assert_held(&hwq->hw->lock);

	if (!hwq->closed && list_empty(&hwq->look))
		list_add_tail(&hwq->look, &hwq->hw->looks);
}

static void vsplit_hwq_look_again(struct vsplit_hwq *hwq)
{
	vsplit_hwq_mark(hwq);
	vsplit_hw_look(hwq->hw, 0);
}

/* ---- running and stopping; signalling side ---- */

/* Let an engine run the queue, if the device may run. The engine checks the tail. */
static void vsplit_hwq_start(struct vsplit_hwq *hwq)
{
	struct vsplit_hw *hw = hwq->hw;
	struct vsplit_job *job = &hwq->job;

	guard(spinlock_irqsave)(&hw->lock);
	if (hwq->rung || hwq->closed || READ_ONCE(hwq->blocked))
		return;
	WRITE_ONCE(job->program.cancel, 0);
	/*
	 * Pairs with vsplit_gpu_cancel(), which is called after a context or device became lost.
	 */
	smp_mb();
	if (!hw->fence || hw->stop || vsplit_hwq_lost(hwq)) {
		vsplit_hwq_look_again(hwq);
		return;
	}
	WRITE_ONCE(hwq->rung, true);
	hw->running++;
	WRITE_ONCE(job->counted, false);
	vsplit_gpu_ring(hwq->queue->engine->hw, &job->program);
	vsplit_watchdog_kick(hw->vdev->exec);
}

/* Return: the preempt fence, to be signalled, if something waits for it and no queue runs. */
static struct dma_fence *vsplit_hw_stopped(struct vsplit_hw *hw)
{
	struct dma_fence *fence = hw->fence;

	lockdep_assert_held(&hw->lock);

	if (!hw->asked || hw->running)
		return NULL;
	hw->fence = NULL;
	hw->asked = false;
	hw->stop = false;
	vsplit_hw_look(hw, 0);
	return fence;
}

static void vsplit_hwq_withdraw(struct vsplit_hwq *hwq)
{
	lockdep_assert_held(&hwq->hw->lock);

	if (!hwq->rung || !vsplit_gpu_withdraw(hwq->queue->engine->hw, &hwq->job.program))
		return;
	WRITE_ONCE(hwq->rung, false);
	hwq->hw->running--;
	vsplit_hwq_mark(hwq);
}

static struct dma_fence *vsplit_hw_stop(struct vsplit_hw *hw)
{
	struct vsplit_hwq *hwq;

	lockdep_assert_held(&hw->lock);

	hw->stop = true;
	list_for_each_entry(hwq, &hw->queues, link)
		vsplit_hwq_withdraw(hwq);
	vsplit_hw_look(hw, 0);
	return vsplit_hw_stopped(hw);
}

static void vsplit_hw_signal(struct dma_fence *fence)
{
	if (!fence)
		return;
	dma_fence_signal(fence);
	dma_fence_put(fence);
}

/*
 * Something waits for a preempt fence, which has not signalled; its lock is held. @now: begin no
 * packet after this, even if the queues have run only for a short time. Return: false if nothing
 * runs, so that the caller has to signal the fence.
 */
bool vsplit_hw_preempt(struct vsplit_hw *hw, struct dma_fence *fence, bool now)
{
	struct dma_fence *stopped = NULL;
	unsigned long flags;

	spin_lock_irqsave(&hw->lock, flags);
	/* If it differs, the queues have stopped, and @fence is about to be signalled. */
	if (hw->fence == fence) {
		hw->asked = true;
		if (!now && hw->running && time_before(jiffies, hw->granted))
			mod_timer(&hw->grant, hw->granted);
		else
			stopped = vsplit_hw_stop(hw);
	}
	spin_unlock_irqrestore(&hw->lock, flags);
	/* This is not the last reference, because the caller signals the fence. */
	dma_fence_put(stopped);
	return !stopped;
}

/*
 * An allocation that a device requires is on its way: its queues begin no packet before it arrives.
 * Running queues stop, and the pass waits. NULL is fine.
 */
void vsplit_hw_renew(struct vsplit_hw *hw)
{
	struct dma_fence *fence;

	if (!hw)
		return;
	scoped_guard(spinlock_irqsave, &hw->lock)
		fence = hw->fence ? dma_fence_get(hw->fence) : NULL;
	if (!fence)
		return;
	dma_fence_set_deadline(fence, ktime_get());
	dma_fence_put(fence);
}

static void vsplit_hw_grant_over(struct timer_list *timer)
{
	struct vsplit_hw *hw = container_of(timer, struct vsplit_hw, grant);
	struct dma_fence *fence = NULL;
	unsigned long flags;

	spin_lock_irqsave(&hw->lock, flags);
	if (hw->asked)
		fence = vsplit_hw_stop(hw);
	spin_unlock_irqrestore(&hw->lock, flags);
	vsplit_hw_signal(fence);
}

/* Called under the fence's lock. After an error the engine will refuse the packet as a bad one. */
static void vsplit_hwq_unblocked(struct vsplit_mfence_waiter *waiter, int error)
{
	struct vsplit_hwq *hwq = container_of(waiter, struct vsplit_hwq, waiter);

	WRITE_ONCE(hwq->blocked, false);
	guard(spinlock_irqsave)(&hwq->hw->lock);
	vsplit_hwq_look_again(hwq);
}

static void vsplit_hwq_forget_fence(struct vsplit_hwq *hwq)
{
	if (!hwq->fence)
		return;
	vsplit_mfence_unwait(hwq->fence, &hwq->waiter);
	vsplit_mfence_put(hwq->fence);
	hwq->fence = NULL;
}

/*
 * The next packet waits until a monitored fence has reached @value; called by the engine's thread.
 * Return: 0: the value is reached. -EINPROGRESS: the queue has no work now, and runs again when the
 * value is reached. -ENOENT, -ECANCELED, -ENODEV: there is no such fence, or it has ended.
 */
int vsplit_hwq_wait_fence(struct vsplit_hwq *hwq, u32 handle, u64 value)
{
	int ret;

	vsplit_hwq_forget_fence(hwq);
	hwq->fence = vsplit_mfence_lookup(hwq->queue->fences, handle);
	if (!hwq->fence)
		return -ENOENT;
	hwq->waiter.value = value;
	hwq->waiter.func = vsplit_hwq_unblocked;
	WRITE_ONCE(hwq->blocked, true);
	ret = vsplit_mfence_wait(hwq->fence, &hwq->waiter);
	if (ret != -EINPROGRESS)
		WRITE_ONCE(hwq->blocked, false);
	return ret;
}

/** vsplit_hwq_wake_later() - Wake up waiters in a work item: there may be many. Any context. */
void vsplit_hwq_wake_later(struct vsplit_hwq *hwq)
{
	queue_work(system_dfl_wq, &hwq->wake);
}

/** vsplit_hwq_progress() - A packet was executed; called by the engine's thread. */
void vsplit_hwq_progress(struct vsplit_hwq *hwq)
{
	/* Pairs with vsplit_hwq_reached(): one of the two sees the other. */
	smp_mb();
	if (READ_ONCE(hwq->wake_at) > READ_ONCE(hwq->gpu.done))
		return;
	scoped_guard(spinlock_irqsave, &hwq->hw->lock)
		hwq->wake_at = U64_MAX;
	vsplit_hwq_wake_later(hwq);
}

/*
 * An engine has given back the program of a queue. The queue and its device may be gone when this
 * returns. @error: 0 if the ring is empty, the next packet has to wait, or the queue was to stop.
 */
void vsplit_hwq_done(struct vsplit_hwq *hwq, int error)
{
	struct vsplit_hw *hw = hwq->hw;
	struct dma_fence *fence;
	unsigned long flags;
	bool cookie;

	/* The rest of the cancelled packet will not be executed, so the context is lost. */
	if (error == -ECANCELED && !READ_ONCE(hwq->closed) &&
	    vsplit_exec_file_state(hw->efile) == VSPLIT_STATE_ACTIVE)
		vsplit_queue_lose(hwq->queue, VSPLIT_STATE_LOST_HANG, &hwq->job, 0);

	cookie = dma_fence_begin_signalling();
	spin_lock_irqsave(&hw->lock, flags);
	hw->running--;
	fence = vsplit_hw_stopped(hw);
	spin_unlock_irqrestore(&hw->lock, flags);
	vsplit_hw_signal(fence);
	/*
	 * Only now may closing free the device: until the fence signals, its waiters call
	 * vsplit_hw_preempt() for this device.
	 */
	spin_lock_irqsave(&hw->lock, flags);
	WRITE_ONCE(hwq->rung, false);
	vsplit_hwq_look_again(hwq);
	if (vsplit_hwq_lost(hwq))
		vsplit_hwq_wake_later(hwq);
	/* Pairs with vsplit_hwq_close(). */
	smp_mb();
	wake_up_var(&hwq->rung);
	spin_unlock_irqrestore(&hw->lock, flags);
	dma_fence_end_signalling(cookie);
}

/* ---- the pass ---- */

/* Unmap the doorbell if the queue is idle. Return: true if the queue has work now. */
static bool vsplit_hwq_look(struct vsplit_hwq *hwq)
{
	struct drm_gem_object *gem = &hwq->base;

	vsplit_sync_point("hwq.look");
	if (vsplit_hwq_has_work(hwq) || READ_ONCE(hwq->rung) || !xchg(&hwq->mapped, false))
		return vsplit_hwq_has_work(hwq);
	vsplit_sync_point("hwq.idle");
	unmap_mapping_range(gem->dev->anon_inode->i_mapping,
			    drm_vma_node_offset_addr(&gem->vma_node), PAGE_SIZE, 1);
	vsplit_sync_point("hwq.unmapped");
	/* A client that rang before the page was unmapped wrote the tail before it rang. */
	smp_mb();
	return vsplit_hwq_has_work(hwq);
}

static void vsplit_hw_arrived(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	vsplit_hw_look(container_of(cb, struct vsplit_hw, arrived), 0);
}

static void vsplit_hw_forget_arrival(struct vsplit_hw *hw)
{
	if (hw->arrival)
		dma_fence_remove_callback(hw->arrival, &hw->arrived);
	dma_fence_put(hw->arrival);
	hw->arrival = NULL;
}

/* The first fence that has not signalled starts the next pass. */
static int vsplit_hw_await(void *priv, struct dma_fence *fence)
{
	struct vsplit_hw *hw = priv;

	if (hw->arrival || dma_fence_add_callback(fence, &hw->arrived, vsplit_hw_arrived)) {
		dma_fence_put(fence);
		return 0;
	}
	hw->arrival = fence;
	return 0;
}

/* Return: true if it is this device's turn to bring in missing allocations. */
static bool vsplit_hw_come(struct vsplit_hw *hw)
{
	struct vsplit_exec *exec = hw->vdev->exec;
	bool ours;

	guard(spinlock)(&exec->jobs_lock);
	ours = !exec->coming || exec->coming == hw || time_after(jiffies, exec->coming_until);
	if (ours && exec->coming != hw) {
		exec->coming = hw;
		exec->coming_until = jiffies + msecs_to_jiffies(VSPLIT_HW_COMING_MS);
	}
	return ours;
}

static void vsplit_hw_came(struct vsplit_hw *hw)
{
	struct vsplit_exec *exec = hw->vdev->exec;

	guard(spinlock)(&exec->jobs_lock);
	if (exec->coming == hw)
		exec->coming = NULL;
}

static bool vsplit_hw_nothing_missing(void *priv, struct vsplit_resid_object *object, u32 handle)
{
	return false;
}

static struct dma_fence *vsplit_hw_arm_locked(void *priv)
{
	struct vsplit_hw *hw = priv;

	hw->arming->hw = hw;
	vsplit_fence_init(hw->arming, "vsplit-preempt", hw->fence_context, ++hw->seqno);
	guard(spinlock_irqsave)(&hw->lock);
	hw->fence = dma_fence_get(&hw->arming->base);
	hw->granted = jiffies + msecs_to_jiffies(VSPLIT_HW_GRANT_MS);
	return hw->fence;
}

/*
 * Arm the preempt fence once all allocations that the device requires are resident. Return: 0:
 * queues may run; -EINPROGRESS: another pass will start; -EALREADY: it is another device's turn, or
 * too early; -EAGAIN or another error: the caller has to try again.
 */
static int vsplit_hw_arm(struct vsplit_hw *hw)
{
	struct vsplit_resid *resid = hw->efile->resid;
	bool armed;
	u64 gen;
	int ret;

	if (READ_ONCE(hw->fence))
		return READ_ONCE(hw->stop) ? -EINPROGRESS : 0;
	/* A client can start passes as often as it likes. */
	if (hw->retry_ms && time_before(jiffies, hw->retry_at))
		return -EALREADY;
	/*
	 * Page in once in a pass: allocations that leave after this have to wait for another pass
	 * and for this device's turn.
	 */
	if (vsplit_resid_nr(resid, false)) {
		ret = vsplit_hw_come(hw) ?
		      vsplit_resident_page_in(&hw->vdev->drm, hw->file) : -EALREADY;
		if (ret)
			return ret;
	}
	if (vsplit_resid_collect(resid, false, &gen, vsplit_hw_nothing_missing, NULL))
		return -EAGAIN;
	ret = vsplit_resid_arrivals(resid, vsplit_hw_await, hw);
	if (ret || hw->arrival)
		return ret ?: -EINPROGRESS;
	hw->arming = vsplit_fault("hwq.fence") ? NULL : vsplit_fence_alloc();
	if (!hw->arming)
		return -ENOMEM;
	armed = vsplit_resid_publish(resid, gen, &hw->work, NULL, vsplit_hw_arm_locked, hw);
	vsplit_fence_drop(hw->arming);
	return armed ? 0 : -EAGAIN;
}

/*
 * Time until the next try, after a pass that ended with @ret. A try takes time of a worker, which
 * no client pays for, so after each failure the next try comes later.
 */
static unsigned int vsplit_hw_retry_ms(struct vsplit_hw *hw, int ret)
{
	lockdep_assert_held(&hw->mutex);

	switch (ret) {
	case 0:
	case -EINPROGRESS:
		hw->retry_ms = 0;
		return 0;
	case -EAGAIN:
		return 0;
	case -EALREADY:
		/* It was another device's turn, or too early: nothing was tried. */
		return VSPLIT_HW_RETRY_MS;
	default:
		hw->retry_ms = clamp(2 * hw->retry_ms, VSPLIT_HW_RETRY_MS, VSPLIT_HW_RETRY_MAX_MS);
		hw->retry_at = jiffies + msecs_to_jiffies(hw->retry_ms);
		return hw->retry_ms;
	}
}

/* Take the next queue off a list. From now on a change of the queue marks it again. */
static struct vsplit_hwq *vsplit_hw_next(struct vsplit_hw *hw, struct list_head *list)
{
	struct vsplit_hwq *hwq;

	guard(spinlock_irq)(&hw->lock);
	hwq = list_first_entry_or_null(list, struct vsplit_hwq, look);
	if (hwq)
		list_del_init(&hwq->look);
	return hwq;
}

/* Find the queues that have work among those that the pass is to look at. */
static void vsplit_hw_find_ready(struct vsplit_hw *hw, struct list_head *ready)
{
	struct vsplit_hwq *hwq;
	LIST_HEAD(looks);

	lockdep_assert_held(&hw->mutex);

	scoped_guard(spinlock_irq, &hw->lock)
		list_splice_init(&hw->looks, &looks);
	while ((hwq = vsplit_hw_next(hw, &looks))) {
		if (!vsplit_hwq_look(hwq))
			continue;
		scoped_guard(spinlock_irq, &hw->lock)
			list_move_tail(&hwq->look, ready);
	}
}

static void vsplit_hw_pass(struct work_struct *work)
{
	struct vsplit_hw *hw = container_of(work, struct vsplit_hw, pass.work);
	struct mem_cgroup *memcg;
	struct vsplit_hwq *hwq;
	unsigned int ms = 0;
	int ret = 0, idx;
	LIST_HEAD(ready);

	if (!drm_dev_enter(&hw->vdev->drm, &idx))
		return;
	mutex_lock(&hw->mutex);
	memcg = set_active_memcg(hw->memcg);
	vsplit_hw_forget_arrival(hw);
	vsplit_hw_find_ready(hw, &ready);
	if (!list_empty(&ready)) {
		ret = vsplit_hw_arm(hw);
		ms = vsplit_hw_retry_ms(hw, ret);
	} else if (time_after(jiffies, hw->retry_at + msecs_to_jiffies(VSPLIT_HW_RETRY_MAX_MS))) {
		/* Not earlier, because a client can set its tail back for a moment. */
		hw->retry_ms = 0;
	}
	while (!ret && (hwq = vsplit_hw_next(hw, &ready)))
		vsplit_hwq_start(hwq);
	scoped_guard(spinlock_irq, &hw->lock)
		list_splice_tail(&ready, &hw->looks);
	if (ret != -EAGAIN && ret != -EINPROGRESS)
		vsplit_hw_came(hw);
	set_active_memcg(memcg);
	mutex_unlock(&hw->mutex);
	drm_dev_exit(idx);
	if (ret && ret != -EINPROGRESS)
		vsplit_hw_look(hw, ms);
}

/* ---- what the client maps ---- */

static vm_fault_t vsplit_hwq_fault(struct vm_fault *vmf)
{
	struct vsplit_hwq *hwq = to_vsplit_hwq(vmf->vma->vm_private_data);
	pgoff_t page = vmf->pgoff - drm_vma_node_start(&hwq->base.vma_node);
	vm_fault_t ret;

	if (page >= hwq->base.size >> PAGE_SHIFT)
		return VM_FAULT_SIGBUS;
	ret = vmf_insert_pfn(vmf->vma, vmf->address,
			     vmalloc_to_pfn(hwq->memory + (page << PAGE_SHIFT)));
	if (page != VSPLIT_HWQ_DOORBELL || (ret & VM_FAULT_ERROR))
		return ret;
	/* In this order: see the DOC comment. */
	WRITE_ONCE(hwq->mapped, true);
	vsplit_sync_point("hwq.mapped");
	vsplit_hwq_start(hwq);
	return ret;
}

static int vsplit_hwq_mmap(struct drm_gem_object *gem, struct vm_area_struct *vma)
{
	if (is_cow_mapping(vma->vm_flags))
		return -EINVAL;
	/*
	 * A client can guess the offset before the queue is complete; its mapping would outlive a
	 * failure.
	 */
	if (READ_ONCE(to_vsplit_hwq(gem)->closed))
		return -EACCES;
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP);
	return 0;
}

static const struct vm_operations_struct vsplit_hwq_vm_ops = {
	.fault = vsplit_hwq_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

/* Called for the last reference: no engine has the queue, and no mapping exists. */
static void vsplit_hwq_free(struct drm_gem_object *gem)
{
	struct vsplit_hwq *hwq = to_vsplit_hwq(gem);

	vsplit_user_uncharge(hwq->user, VSPLIT_USER_PAGES, hwq->base.size + sizeof(*hwq));
	vsplit_user_put(hwq->user);
	vsplit_fence_drop(hwq->job.fence);
	vfree(hwq->memory);
	drm_gem_object_release(gem);
	kfree(hwq);
}

static const struct drm_gem_object_funcs vsplit_hwq_funcs = {
	.free = vsplit_hwq_free,
	.mmap = vsplit_hwq_mmap,
	.vm_ops = &vsplit_hwq_vm_ops,
};

/* ---- life ---- */

static void vsplit_hwq_wake(struct work_struct *work)
{
	vsplit_sync_point("hwq.wake");
	wake_up_all(&container_of(work, struct vsplit_hwq, wake)->wait);
}

/* Fill in what the hardware knows of the queue, and the job by which the rest of exec/ knows it. */
static void vsplit_hwq_init_job(struct vsplit_hwq *hwq, struct vsplit_queue *queue, u32 ring_bytes)
{
	struct drm_vsplit_hwq_control *control = hwq->memory + VSPLIT_HWQ_CONTROL * PAGE_SIZE;
	struct vsplit_job *job = &hwq->job;

	hwq->gpu.ring = hwq->memory + VSPLIT_HWQ_RING * PAGE_SIZE;
	hwq->gpu.ring_bytes = ring_bytes;
	hwq->gpu.tail = &control->tail;
	hwq->gpu.shown = &control->done;
	hwq->gpu.history = control->history;
	hwq->gpu.nr_history = ARRAY_SIZE(control->history);
	hwq->step.type = VSPLIT_GPU_STEP_RUN;
	INIT_LIST_HEAD(&job->link);
	INIT_LIST_HEAD(&job->program.link);
	atomic_set(&job->state, VSPLIT_JOB_RUNG);
	job->hwq = hwq;
	job->queue = queue;
	job->account = queue->account;
	job->counted = true;
	job->program.steps = &hwq->step;
	job->program.nr_steps = 1;
	job->program.stream = hwq->gpu.packet;
	job->program.queue = &hwq->gpu;
	job->program.context = &queue->hw;
	job->program.table = queue->table;
	job->program.vm = queue->va->gpu;
}

static struct vsplit_hwq *vsplit_hwq_create(struct vsplit_hw *hw, struct vsplit_queue *queue,
					    u32 ring_bytes)
{
	size_t bytes = VSPLIT_HWQ_RING * PAGE_SIZE + ring_bytes;
	struct vsplit_hwq *hwq;
	int ret;

	hwq = vsplit_fault("hwq.create") ? NULL : kzalloc(sizeof(*hwq), GFP_KERNEL_ACCOUNT);
	if (!hwq)
		return ERR_PTR(-ENOMEM);
	ret = vsplit_user_charge(queue->account->user, VSPLIT_USER_PAGES, bytes + sizeof(*hwq));
	if (ret) {
		kfree(hwq);
		return ERR_PTR(ret);
	}
	hwq->base.funcs = &vsplit_hwq_funcs;
	drm_gem_private_object_init(&hw->vdev->drm, &hwq->base, bytes);
	hwq->user = vsplit_user_get(queue->account->user);
	hwq->hw = hw;
	hwq->queue = queue;
	hwq->closed = true;
	INIT_LIST_HEAD(&hwq->look);
	hwq->wake_at = U64_MAX;
	init_waitqueue_head(&hwq->wait);
	INIT_WORK(&hwq->wake, vsplit_hwq_wake);
	hwq->job.fence = vsplit_fence_alloc();
	hwq->memory = vsplit_fault("hwq.memory") ? NULL :
		      __vmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	ret = hwq->memory && hwq->job.fence ? drm_gem_create_mmap_offset(&hwq->base) : -ENOMEM;
	if (!ret)
		ret = drm_vma_node_allow(&hwq->base.vma_node, hw->file);
	if (ret) {
		drm_gem_object_put(&hwq->base);
		return ERR_PTR(ret);
	}
	vsplit_hwq_init_job(hwq, queue, ring_bytes);
	return hwq;
}

/*
 * End the hardware queue of a context that is destroyed, or whose file is closed. The running
 * packet is cut short; the packets behind it are not executed. This waits for the engine, but not
 * for long.
 */
void vsplit_hwq_close(struct vsplit_queue *queue)
{
	/* Pairs with vsplit_hwq_publish(). */
	struct vsplit_hwq *hwq = smp_load_acquire(&queue->hwq);
	struct dma_fence *fence = NULL;
	struct vsplit_hw *hw;
	bool was;

	if (!hwq)
		return;
	hw = hwq->hw;
	mutex_lock(&hw->mutex);
	spin_lock_irq(&hw->lock);
	was = hwq->closed;
	WRITE_ONCE(hwq->closed, true);
	if (!was) {
		list_del(&hwq->link);
		list_del_init(&hwq->look);
		vsplit_gpu_cancel(&hwq->job.program, -ECANCELED);
		vsplit_hwq_withdraw(hwq);
		fence = vsplit_hw_stopped(hw);
	}
	spin_unlock_irq(&hw->lock);
	mutex_unlock(&hw->mutex);
	vsplit_hw_signal(fence);
	if (was)
		return;
	wait_var_event(&hwq->rung, !READ_ONCE(hwq->rung));
	/* Wait until vsplit_hwq_done() has released the lock: it uses the queue up to then. */
	spin_lock_irq(&hw->lock);
	spin_unlock_irq(&hw->lock);
	/*
	 * If the queue gave way and was withdrawn since, vsplit_hwq_done() was not called for it.
	 */
	vsplit_engine_forget(&hwq->job);
	down_read(&hw->vdev->exec->watch_lock);
	spin_lock(&hw->vdev->exec->jobs_lock);
	vsplit_job_unlist(&hwq->job);
	if (!hwq->job.counted)
		vsplit_account_busy(queue->account, hwq->job.program.busy.ns, false);
	spin_unlock(&hw->vdev->exec->jobs_lock);
	up_read(&hw->vdev->exec->watch_lock);
	vsplit_hwq_forget_fence(hwq);
	cancel_work_sync(&hwq->wake);
	wake_up_all(&hwq->wait);
	drm_vma_node_revoke(&hwq->base.vma_node, hw->file);
}

/** vsplit_hwq_put() - Drop a context's reference; NULL is fine. */
void vsplit_hwq_put(struct vsplit_hwq *hwq)
{
	if (hwq)
		drm_gem_object_put(&hwq->base);
}

/** vsplit_hw_free() - Free what a closed file had for its queues; all are closed. NULL is fine. */
void vsplit_hw_free(struct vsplit_hw *hw)
{
	struct dma_fence *fence;

	if (!hw)
		return;
	spin_lock_irq(&hw->lock);
	fence = hw->fence;
	hw->fence = NULL;
	spin_unlock_irq(&hw->lock);
	/* From here on nothing waits for the fence or sets the timer. */
	vsplit_hw_signal(fence);
	timer_shutdown_sync(&hw->grant);
	/* Only the callback of @arrival may still ask for a pass. */
	disable_delayed_work_sync(&hw->pass);
	vsplit_hw_forget_arrival(hw);
	vsplit_hw_came(hw);
	vsplit_resid_work_end(hw->efile->resid, &hw->work);
	mutex_destroy(&hw->mutex);
	mem_cgroup_put(hw->memcg);
	kfree(hw);
}

static struct vsplit_hw *vsplit_hw_get(struct vsplit_device *vdev, struct vsplit_exec_file *efile,
				       struct drm_file *file)
{
	struct vsplit_hw *hw;

	guard(mutex)(&efile->lock);
	if (efile->hw)
		return efile->hw;
	hw = vsplit_fault("hwq.device") ? NULL : kzalloc(sizeof(*hw), GFP_KERNEL_ACCOUNT);
	if (!hw)
		return NULL;
	hw->vdev = vdev;
	hw->efile = efile;
	hw->file = file;
	hw->memcg = get_mem_cgroup_from_mm(current->mm);
	hw->fence_context = dma_fence_context_alloc(1);
	mutex_init(&hw->mutex);
	INIT_LIST_HEAD(&hw->work.link);
	spin_lock_init(&hw->lock);
	INIT_LIST_HEAD(&hw->queues);
	INIT_LIST_HEAD(&hw->looks);
	timer_setup(&hw->grant, vsplit_hw_grant_over, 0);
	INIT_DELAYED_WORK(&hw->pass, vsplit_hw_pass);
	/* Pairs with vsplit_resident_publish(). */
	smp_store_release(&efile->hw, hw);
	return hw;
}

/* Return: 0, or -EBUSY: the context has a hardware queue already. */
static int vsplit_hwq_publish(struct vsplit_hwq *hwq)
{
	struct vsplit_exec *exec = hwq->hw->vdev->exec;
	struct vsplit_hw *hw = hwq->hw;

	lockdep_assert_held(&hw->mutex);

	if (hwq->queue->hwq)
		return -EBUSY;
	scoped_guard(spinlock, &exec->jobs_lock) {
		list_add_tail(&hwq->job.link, &exec->jobs);
		list_add_tail(&hwq->job.mine, &hwq->job.account->work);
		list_add_tail(&hwq->job.watch.queued, &hwq->queue->jobs);
	}
	scoped_guard(spinlock_irq, &hw->lock) {
		list_add_tail(&hwq->link, &hw->queues);
		WRITE_ONCE(hwq->closed, false);
	}
	/* Pairs with waiting and closing: a queue that can be seen is complete. */
	smp_store_release(&hwq->queue->hwq, hwq);
	return 0;
}

int vsplit_hwq_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct vsplit_queue *queue __free(vsplit_queue) = NULL;
	struct drm_vsplit_hwq_create *args = data;
	struct vsplit_hwq *hwq;
	struct vsplit_hw *hw;
	int ret;

	if (vsplit_refuse(vdev, !is_power_of_2(args->ring_bytes)) ||
	    vsplit_refuse(vdev, args->ring_bytes < VSPLIT_HWQ_MIN_RING) ||
	    vsplit_refuse(vdev, args->ring_bytes > VSPLIT_HWQ_MAX_RING))
		return -EINVAL;
	queue = vsplit_queue_lookup(vsplit_file_exec(file), args->ctx);
	if (!queue)
		return -ENOENT;
	if (vsplit_refuse(vdev, queue->mode != VSPLIT_CTX_MODE_HW))
		return -EINVAL;
	hw = vsplit_hw_get(vdev, vsplit_file_exec(file), file);
	if (!hw)
		return -ENOMEM;
	hwq = vsplit_hwq_create(hw, queue, args->ring_bytes);
	if (IS_ERR(hwq))
		return PTR_ERR(hwq);
	vsplit_sync_point("hwq.publish");
	mutex_lock(&hw->mutex);
	ret = vsplit_hwq_publish(hwq);
	vsplit_resid_used_all(hw->efile->resid, true);
	mutex_unlock(&hw->mutex);
	if (vsplit_refuse(vdev, ret)) {
		drm_vma_node_revoke(&hwq->base.vma_node, file);
		vsplit_hwq_put(hwq);
		return ret;
	}
	args->offset = drm_vma_node_offset_addr(&hwq->base.vma_node);
	args->bytes = hwq->base.size;
	return 0;
}

/* Is the wait over? If not, the engine knows from now on which progress to report. */
static bool vsplit_hwq_reached(struct vsplit_hwq *hwq, u64 done)
{
	scoped_guard(spinlock_irq, &hwq->hw->lock)
		WRITE_ONCE(hwq->wake_at, min(hwq->wake_at, done));
	/* Pairs with vsplit_hwq_progress(). */
	smp_mb();
	/* Pairs with queue_packet(): the client's page shows the progress before this does. */
	return smp_load_acquire(&hwq->gpu.done) >= done || vsplit_hwq_lost(hwq);
}

int vsplit_hwq_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct vsplit_queue *queue __free(vsplit_queue) = NULL;
	struct drm_vsplit_hwq_wait *args = data;
	struct vsplit_hwq *hwq;
	long ret;

	if (vsplit_refuse(vdev, args->pad))
		return -EINVAL;
	queue = vsplit_queue_lookup(vsplit_file_exec(file), args->ctx);
	if (!queue)
		return -ENOENT;
	/* Pairs with vsplit_hwq_publish(). */
	hwq = smp_load_acquire(&queue->hwq);
	if (vsplit_refuse(vdev, !hwq))
		return -EINVAL;
	ret = vsplit_interrupted("hwq.wait") ? -ERESTARTSYS :
	      wait_event_interruptible_timeout(hwq->wait, vsplit_hwq_reached(hwq, args->done),
					       drm_timeout_abs_to_jiffies(args->timeout_ns));
	if (ret <= 0)
		return ret ?: -ETIME;
	/* Pairs with queue_packet(): the queue may have got so far just before it was lost. */
	if (smp_load_acquire(&hwq->gpu.done) >= args->done)
		return 0;
	return READ_ONCE(hwq->closed) ? -ENOENT : -EIO;
}
