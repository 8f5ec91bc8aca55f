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
 * @efile: of the file, as @file; constant, alive as long as this is.
 * @file: the file.
 * @memcg: of the task that made the first queue: charged for what the pass takes; reference or
 *	NULL; constant.
 * @fence_context: of preempt fences; constant.
 * @mutex: one pass, creation or end of a queue at a time; protects what follows up to @lock.
 *	Outside of the paging queue's lock.
 * @seqno: of the last preempt fence.
 * @arming: the preempt fence that is about to be armed, by the pass.
 * @work: what the requirement list knows of the queues: the preempt fence.
 * @arrival: a fence that the pass waits for, with @arrived in it; or NULL.
 * @arrived: begins the next pass.
 * @retry_ms: how long the pass waits to try again what has failed; 0: it has not.
 * @retry_at: until when, in jiffies, whatever begins it.
 * @ready: struct vsplit_hwq.ready: those that had work when the pass looked, and are to start.
 * @lock: protects what follows and struct vsplit_hwq.rung; taken with interrupts off, inside
 *	the lock of a preempt fence. The engines' locks are inside.
 * @queues: struct vsplit_hwq.link; changed with @mutex held as well.
 * @looks: struct vsplit_hwq.look: those that the pass is to look at.
 * @fence: armed: while it is here queues may run; reference, or NULL.
 * @running: queues that an engine has.
 * @asked: @fence is waited for.
 * @stop: and @grant is over: no queue begins to run.
 * @granted: jiffies: until then queues run, whatever waits.
 * @grant: stops them at @granted.
 * @pass: looks which queues have work, brings in what they need, and lets them run.
 */
struct vsplit_hw {
	struct vsplit_device *vdev;
	struct vsplit_exec_file *efile;
	struct drm_file *file;
	struct mem_cgroup *memcg;
	u64 fence_context;
	struct mutex mutex; /* up to ready; queues */
	u64 seqno;
	struct vsplit_fence *arming;
	struct vsplit_resid_work work;
	struct dma_fence *arrival;
	struct dma_fence_cb arrived;
	unsigned int retry_ms;
	unsigned long retry_at;
	struct list_head ready;
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
 * @base: the pages, as something that can be mapped: held by the context and by mappings.
 * @hw: of its device.
 * @queue: its context, which holds this.
 * @user: charged for the pages; reference.
 * @memory: doorbell, control and ring, page by page; constant.
 * @gpu: the hardware's view.
 * @step: the only step of its program.
 * @job: what the engine, the watchdog and the account know of it; never in drm_sched. In
 *	the lists of jobs until it is closed. Its fence is none.
 * @link: in hw->queues.
 * @look: in hw->looks since something happened that the pass has not looked at; or empty.
 * @ready: in hw->ready, or empty; under hw->mutex.
 * @rung: an engine has its program; under hw->lock; closing waits for that.
 * @closed: it does not run and cannot be mapped: not before its context has it, and not again
 *	when that goes; set under hw->lock.
 * @mapped: since the last look something may have mapped the doorbell; atomic access.
 * @wait: tasks that wait for progress, or that there is none any more.
 * @wake_at: the least that a waiter waits for; under hw->lock.
 * @wake: wakes them, beside the engine.
 * @fence: that the queue waits for, or did last, with @waiter; reference or NULL; of the
 *	engine's thread, and of the task that closes the queue then.
 * @waiter: see @fence.
 * @blocked: it waits, so it has nothing to run; READ_ONCE.
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
	struct list_head ready;
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
