/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Hardware queues: what exec/ sees of them. Overview in vsplit_hwq.c.
 */
#ifndef _VSPLIT_HWQ_H_
#define _VSPLIT_HWQ_H_

#include <drm/drm_gem.h>
#include <linux/timer.h>

#include "exec/vsplit_exec_types.h"
#include "fence/vsplit_mfence.h"

/**
 * struct vsplit_hw - The hardware queues of a device (an open file).
 * @vdev: the adapter.
 * @efile: exec's part of @file; constant; it lives at least as long as this.
 * @file: the file.
 * @memcg: of the task that made the first queue: charged for memory that the pass allocates;
 *	reference or NULL; constant.
 * @fence_context: of preempt fences; constant.
 * @mutex: held for a pass, and for the creation or end of a queue; protects the members from here
 *	to @lock. The lock of the paging queue is taken inside.
 * @seqno: of the last preempt fence.
 * @arming: the preempt fence that the pass is about to arm.
 * @work: unfinished work for the requirement list: its fence is the preempt fence.
 * @arrival: a fence that the pass waits for, with @arrived as its callback; or NULL.
 * @arrived: starts the next pass.
 * @retry_ms: how long the pass waits before it tries again what has failed; 0: nothing failed.
 * @retry_at: jiffies; nothing is tried again before, even if another pass starts.
 * @lock: protects the members from here on and struct vsplit_hwq.rung; taken with interrupts off,
 *	inside the lock of a preempt fence. The engines' locks are taken inside.
 * @queues: struct vsplit_hwq.link; changed with @mutex held as well.
 * @looks: struct vsplit_hwq.look: queues that the pass is to look at: they have changed, or had
 *	work and could not start.
 * @fence: the armed preempt fence: queues may run while it is set; reference, or NULL.
 * @running: number of queues that engines have.
 * @asked: something waits for @fence.
 * @stop: something waits for @fence, and the grant is over: no queue begins to run.
 * @granted: jiffies; queues may run until then, even if something waits.
 * @grant: stops the queues at @granted.
 * @pass: finds the queues that have work, brings in what they need, and lets them run.
 */
struct vsplit_hw {
	struct vsplit_device *vdev;
	struct vsplit_exec_file *efile;
	struct drm_file *file;
	struct mem_cgroup *memcg;
	u64 fence_context;
	struct mutex mutex; /* up to retry_at; queues */
	u64 seqno;
	struct vsplit_fence *arming;
	struct vsplit_resid_work work;
	struct dma_fence *arrival;
	struct dma_fence_cb arrived;
	unsigned int retry_ms;
	unsigned long retry_at;
	spinlock_t lock; /* what follows; hwq->rung, wake_at */
	struct list_head queues;
	struct list_head looks;
	struct dma_fence *fence;
	u32 running;
	bool asked;
	bool stop;
	unsigned long granted;
	struct timer_list grant;
	struct delayed_work pass;
};

/**
 * struct vsplit_hwq - A hardware queue: a ring in pages that the client maps.
 * @base: the pages, as a GEM object that can be mapped: held by the context and by mappings.
 * @hw: of its device.
 * @queue: its context, which holds a reference to this.
 * @user: charged for the pages; reference.
 * @memory: doorbell, control and ring, page by page; constant.
 * @gpu: the queue as the hardware sees it.
 * @step: the only step of the queue's program.
 * @job: the queue as the engine, the watchdog and the account see it; never in drm_sched. It is in
 *	the lists of jobs until the queue is closed. Its fence is never initialised.
 * @link: in hw->queues.
 * @look: in hw->looks, from a change of the queue until the pass looks at it, or in a list of the
 *	pass; or empty.
 * @rung: an engine has the program; under hw->lock. Closing the queue waits until it is false.
 * @closed: the queue does not run, and cannot be mapped. True until the context has the queue, and
 *	again when the context ends; changed under hw->lock.
 * @mapped: something may have mapped the doorbell since the last look; atomic access.
 * @wait: tasks that wait for progress, or for the end of the queue.
 * @wake_at: the smallest progress that a task waits for; under hw->lock.
 * @wake: wakes up @wait in a work item, outside of the engine's thread.
 * @fence: monitored fence that the queue waits for with @waiter, or last waited for; reference or
 *	NULL. The engine's thread uses it, and in the end the task that closes the queue.
 * @waiter: see @fence.
 * @blocked: the queue waits for @fence, so it has nothing to run; READ_ONCE.
 */
struct vsplit_hwq {
	struct drm_gem_object base;
	struct vsplit_hw *hw;
	struct vsplit_queue *queue;
	struct vsplit_user *user;
	void *memory;
	struct vsplit_gpu_queue gpu;
	struct vsplit_gpu_step step;
	struct vsplit_job job;
	struct list_head link;
	struct list_head look;
	bool rung;
	bool closed;
	bool mapped;
	wait_queue_head_t wait;
	u64 wake_at;
	struct work_struct wake;
	struct vsplit_mfence *fence;
	struct vsplit_mfence_waiter waiter;
	bool blocked;
};

bool vsplit_hw_preempt(struct vsplit_hw *hw, struct dma_fence *fence, bool now);
void vsplit_hw_renew(struct vsplit_hw *hw);
void vsplit_hw_free(struct vsplit_hw *hw);
int vsplit_hwq_wait_fence(struct vsplit_hwq *hwq, u32 handle, u64 value);
void vsplit_hwq_wake_later(struct vsplit_hwq *hwq);
void vsplit_hwq_progress(struct vsplit_hwq *hwq);
void vsplit_hwq_done(struct vsplit_hwq *hwq, int error);
void vsplit_hwq_close(struct vsplit_queue *queue);
void vsplit_hwq_put(struct vsplit_hwq *hwq);

#endif /* _VSPLIT_HWQ_H_ */
