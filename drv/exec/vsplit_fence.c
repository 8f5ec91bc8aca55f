// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: fences
 *
 * One fence stands for one program. It is published when the program is
 * committed and signalled exactly once, by the engine's completion interrupt or
 * by the unplug. A fence may outlive its queue, its adapter and every file, so
 * it carries its own lock and its names, and a module reference that is dropped
 * from its RCU callback: vsplit_mm_module_exit() waits for those.
 *
 * The drm_sched fences of a job are never shown to others: their names live in
 * the scheduler, which may be gone by the time that they are asked for.
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
 * A deadline is a hint, and commits of heads set one at their next vblank. 0 says more: the waiter
 * stands still (vsplit_flip_hurry()). A client that knows the fence could as well make a job
 * depend on it, with the same effect.
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

/* The lock keeps it unsignalled, and with that its device there. */
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

/**
 * vsplit_fence_alloc() - Memory for a fence, not yet a fence.
 *
 * Return: the fence for vsplit_fence_init() or vsplit_fence_drop(), or NULL.
 */
struct vsplit_fence *vsplit_fence_alloc(void)
{
	struct vsplit_fence *fence;

	fence = vsplit_fault("fence.alloc") ? NULL :
		kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);
	if (fence)
		spin_lock_init(&fence->lock);
	return fence;
}

/**
 * vsplit_fence_init() - Make it a fence; cannot fail.
 * @fence: from vsplit_fence_alloc(); from here on reference counted. If its hw is set it is the
 *	preempt fence of these hardware queues, which end after it was signalled.
 * @timeline: name of what its job belongs to.
 * @context: of fences that signal in the order of their seqnos.
 * @seqno: next one of @context, which is the caller's to serialise.
 */
void vsplit_fence_init(struct vsplit_fence *fence, const char *timeline, u64 context, u64 seqno)
{
	__module_get(THIS_MODULE);
	strscpy(fence->timeline, timeline, sizeof(fence->timeline));
	dma_fence_init64(&fence->base, fence->hw ? &vsplit_preempt_fence_ops : &vsplit_fence_ops,
			 &fence->lock, context, seqno);
}

/**
 * vsplit_fence_job() - The job that signals a fence; or the first of those that it waits for.
 * @fence: any driver's.
 * @exec: of the adapter; jobs_lock is held.
 *
 * Return: the job, until the lock is dropped; NULL: it is freed, or another adapter's or
 * driver's.
 */
struct vsplit_job *vsplit_fence_job(struct dma_fence *fence, const struct vsplit_exec *exec)
{
	struct dma_fence *behind = vsplit_idle_fence_behind(fence);
	struct vsplit_fence *own = to_vsplit_fence(behind ?: fence);
	struct vsplit_job *job = NULL;

	lockdep_assert_held(&exec->jobs_lock);
	if (own->base.ops == &vsplit_fence_ops && own->exec == exec)
		job = own->job;
	dma_fence_put(behind);
	return job;
}

/** vsplit_fence_is_own() - Is it of one of our adapters? */
bool vsplit_fence_is_own(const struct dma_fence *fence)
{
	return fence->ops == &vsplit_fence_ops || fence->ops == &vsplit_preempt_fence_ops;
}

/**
 * vsplit_fence_pace() - A job is about to wait for a fence, to have the memory behind it.
 * @fence: any driver's.
 * @exec: of the adapter.
 * @client: what the job is for, or NULL: the kernel.
 */
void vsplit_fence_pace(struct dma_fence *fence, struct vsplit_exec *exec,
		       const struct vsplit_account *client)
{
	struct vsplit_account *other;
	struct vsplit_job *job;

	if (!client || dma_fence_is_signaled(fence))
		return;
	guard(spinlock)(&exec->jobs_lock);
	job = vsplit_fence_job(fence, exec);
	other = job ? vsplit_job_client(job) : NULL;
	if (other && other != client)
		vsplit_account_pace(other);
}

static int vsplit_fence_cmp(const void *a, const void *b)
{
	const struct dma_fence *fa = *(struct dma_fence *const *)a;
	const struct dma_fence *fb = *(struct dma_fence *const *)b;

	return cmp_int(fa->context, fb->context);
}

/**
 * vsplit_fences_latest() - Of each context the last fence says it all.
 * @elements: each begins with a pointer to a fence, of which it has a reference, and is like the
 *	others beyond it. Sorted by context afterwards, and without those that say nothing.
 * @nr: how many.
 * @size: of each.
 *
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
		/* Which is the last one only the fences know: of some drivers seqnos begin anew. */
		if (dma_fence_is_later(*fence, *last))
			swap(*last, *fence);
		dma_fence_put(*fence);
	}
	return kept;
}

/** vsplit_fence_drop() - Drop a fence that may not be one yet; NULL is fine. */
void vsplit_fence_drop(struct vsplit_fence *fence)
{
	if (!fence)
		return;
	if (fence->base.ops)
		dma_fence_put(&fence->base);
	else
		kfree(fence);
}
