// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: fences
 *
 * One fence stands for one program. It is published when the program is committed, and signalled
 * exactly once: by the engine's completion interrupt, by the unplug, or when a parked submission
 * fails. A *preempt fence* stands for the hardware queues of a device instead (vsplit_hwq.c). A
 * fence may outlive its queue, its adapter and every file. So it has its own lock and its own
 * copies of names, and a module reference that its RCU callback drops: vsplit_mm_module_exit()
 * waits for these callbacks.
 *
 * The drm_sched fences of a job are never shown to others: their names live in the scheduler, which
 * may be gone when the names are asked for.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "exec/vsplit_hwq.h"
#include "debug/vsplit_fault.h"

static struct vsplit_fence *to_vsplit_fence(struct dma_fence *fence)
{
	return container_of(fence, struct vsplit_fence, base);
}

const char *vsplit_fence_driver_name(struct dma_fence *fence)
{
	return "vsplit";
}

static const char *vsplit_fence_timeline_name(struct dma_fence *fence)
{
	return to_vsplit_fence(fence)->timeline;
}

static void vsplit_fence_free_rcu(struct rcu_head *rcu)
{
	kfree(container_of(rcu, struct dma_fence, rcu));
	module_put(THIS_MODULE);
}

void vsplit_fence_release(struct dma_fence *fence)
{
	call_rcu(&fence->rcu, vsplit_fence_free_rcu);
}

/*
 * A deadline is a hint, and commits of heads set a deadline at their next vblank. Deadline 0 means
 * more: the waiter stands still (vsplit_flip_hurry()). A client that sets deadline 0 gains nothing:
 * a job of it that depends on the fence would have the same effect.
 */
static void vsplit_fence_set_deadline(struct dma_fence *fence, ktime_t deadline)
{
	if (!deadline)
		WRITE_ONCE(to_vsplit_fence(fence)->overdue, true);
}

static const struct dma_fence_ops vsplit_fence_ops = {
	VSPLIT_COMPAT_FENCE_OPS
	.get_driver_name = vsplit_fence_driver_name,
	.get_timeline_name = vsplit_fence_timeline_name,
	.set_deadline = vsplit_fence_set_deadline,
	.release = vsplit_fence_release,
};

static bool vsplit_fence_preempt(struct dma_fence *fence)
{
	return vsplit_hw_preempt(to_vsplit_fence(fence)->hw, fence, false);
}

/* While the lock is held the fence stays unsignalled, so its device still exists. */
static void vsplit_fence_preempt_now(struct dma_fence *fence, ktime_t deadline)
{
	struct vsplit_fence *own = to_vsplit_fence(fence);

	guard(spinlock_irqsave)(&own->lock);
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags) &&
	    !vsplit_hw_preempt(own->hw, fence, true))
		dma_fence_signal_locked(fence);
}

static const struct dma_fence_ops vsplit_preempt_fence_ops = {
	VSPLIT_COMPAT_FENCE_OPS
	.get_driver_name = vsplit_fence_driver_name,
	.get_timeline_name = vsplit_fence_timeline_name,
	.enable_signaling = vsplit_fence_preempt,
	.set_deadline = vsplit_fence_preempt_now,
	.release = vsplit_fence_release,
};

/* Allocate a fence for vsplit_fence_init() or vsplit_fence_drop(); NULL: no memory. */
struct vsplit_fence *vsplit_fence_alloc(void)
{
	struct vsplit_fence *fence;

	fence = vsplit_fault("fence.alloc") ? NULL :
		kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);
	if (fence)
		spin_lock_init(&fence->lock);
	return fence;
}

/*
 * Make a dma_fence of an allocated fence; cannot fail. From here on it is reference counted. If its
 * hw is set, it is the preempt fence of these hardware queues, which exist until it has signalled.
 * @timeline is copied. Fences of @context signal in the order of their seqnos, which the caller
 * serialises.
 */
void vsplit_fence_init(struct vsplit_fence *fence, const char *timeline, u64 context, u64 seqno)
{
	__module_get(THIS_MODULE);
	strscpy(fence->timeline, timeline, sizeof(fence->timeline));
	dma_fence_init64(&fence->base, fence->hw ? &vsplit_preempt_fence_ops : &vsplit_fence_ops,
			 &fence->lock, context, seqno);
}

/* Is it the fence of a job of this adapter? */
bool vsplit_fence_is_job(const struct dma_fence *fence, const struct vsplit_exec *exec)
{
	return fence->ops == &vsplit_fence_ops &&
	       container_of(fence, const struct vsplit_fence, base)->exec == exec;
}

/*
 * The job that signals a fence of any driver, or the first of the jobs that the fence waits for;
 * jobs_lock is held, and the job is valid until it is dropped. NULL: the job is freed, or the fence
 * is of another adapter or driver.
 */
struct vsplit_job *vsplit_fence_job(struct dma_fence *fence, const struct vsplit_exec *exec)
{
	struct dma_fence *behind;
	struct vsplit_job *job;

	lockdep_assert_held(&exec->jobs_lock);
	if (vsplit_fence_is_job(fence, exec))
		return to_vsplit_fence(fence)->job;
	behind = vsplit_idle_fence_behind(fence, exec);
	job = behind ? to_vsplit_fence(behind)->job : NULL;
	dma_fence_put(behind);
	return job;
}

/*
 * Does a fence of any driver signal when jobs, or hardware queues, of this driver are done, without
 * waiting for anything else? So does that of a released allocation, which waits for jobs alone.
 */
bool vsplit_fence_is_own(const struct dma_fence *fence)
{
	return fence->ops == &vsplit_fence_ops || fence->ops == &vsplit_preempt_fence_ops ||
	       vsplit_fence_is_idle(fence);
}

/* As vsplit_fence_job(), but NULL if no other client than @client has the job. */
static struct vsplit_job *vsplit_fence_other_job(struct dma_fence *fence,
						 const struct vsplit_exec *exec,
						 const struct vsplit_account *client)
{
	struct vsplit_job *job = vsplit_fence_job(fence, exec);
	const struct vsplit_account *other = job ? vsplit_job_client(job) : NULL;

	return other && other != client ? job : NULL;
}

/*
 * Pace another client: a job is about to wait for memory behind its fence, which may be of any
 * driver. @client: client that the job is for, or NULL: the kernel.
 */
void vsplit_fence_pace(struct dma_fence *fence, struct vsplit_exec *exec,
		       const struct vsplit_account *client)
{
	struct vsplit_job *job;

	if (!client || dma_fence_is_signaled(fence))
		return;
	guard(spinlock)(&exec->jobs_lock);
	job = vsplit_fence_other_job(fence, exec, client);
	if (job)
		vsplit_account_pace(vsplit_job_client(job));
}

/*
 * A client's task is about to wait for a fence of any driver. If a program of another client has to
 * end first, it may run for the timeout from now on (vsplit_watchdog.c); the client's own programs
 * run for as long as they like. @client is NULL for a task that is none of the adapter's.
 */
void vsplit_fence_hurry(struct vsplit_device *vdev, struct dma_fence *fence,
			const struct vsplit_account *client)
{
	struct vsplit_exec *exec = vdev->exec;
	struct vsplit_job *job;

	guard(spinlock)(&exec->jobs_lock);
	job = vsplit_fence_other_job(fence, exec, client);
	if (job)
		WRITE_ONCE(job->fence->overdue, true);
}

static int vsplit_fence_cmp(const void *a, const void *b)
{
	const struct dma_fence *fa = *(struct dma_fence *const *)a;
	const struct dma_fence *fb = *(struct dma_fence *const *)b;

	return cmp_int(fa->context, fb->context);
}

/*
 * Keep only the last fence of each context. Each of @nr elements begins with a pointer to a fence,
 * and holds a reference to it. The rest of all elements is alike, because only the pointers are
 * exchanged. Afterwards they are sorted by context, and the references to other fences are dropped.
 * Return: how many are left.
 */
u32 vsplit_fences_latest(void *elements, u32 nr, size_t size)
{
	struct dma_fence **last = NULL;
	u32 kept = 0, i;

	vsplit_sort(elements, nr, size, vsplit_fence_cmp);
	for (i = 0; i < nr; i++) {
		struct dma_fence **fence = elements + i * size;

		if (!last || (*last)->context != (*fence)->context) {
			last = elements + kept++ * size;
			swap(*last, *fence);
			continue;
		}
		/* Ask the fences which is later: some drivers begin seqnos anew. */
		if (dma_fence_is_later(*fence, *last))
			swap(*last, *fence);
		dma_fence_put(*fence);
	}
	return kept;
}

/** vsplit_fence_drop() - Drop a fence that may not be initialised yet; NULL is fine. */
void vsplit_fence_drop(struct vsplit_fence *fence)
{
	if (!fence)
		return;
	if (fence->base.ops)
		dma_fence_put(&fence->base);
	else
		kfree(fence);
}
