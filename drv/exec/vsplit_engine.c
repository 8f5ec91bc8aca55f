// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: engines
 *
 * This file has the drm_sched back end and the interrupt handlers of one hardware engine.
 *
 * drm_sched decides when a job is ready, and gives all ready jobs to the engine, where clients take
 * turns. Without preemption an engine runs a program to its end, so the portions of a DMA buffer
 * are back to back by construction (SPLIT-5). Otherwise it switches to another context's program at
 * split points (EXT-10), or between packets. Then programs complete out of order. This is safe
 * because all dependencies are fences of exec/ and never fences of drm_sched, so nothing runs
 * before its dependencies are done. drm_sched frees jobs in the order in which it ran them, so a
 * job that is done is moved to the front of its list.
 *
 * Signalling path: run_job, the interrupts and the watchdog take only spin locks, and allocate
 * nothing.
 */

#include "exec/vsplit_hwq.h"
#include "debug/vsplit_fault.h"
#include "debug/vsplit_kcov.h"
#include "debug/vsplit_trace.h"

/* Signal one of a job's fences. The job may be freed as soon as @job->fence is signalled. */
static void vsplit_job_signal(struct vsplit_job *job, struct vsplit_fence *fence, int error)
{
	struct dma_fence *base = dma_fence_get(&fence->base);

	if (error)
		dma_fence_set_error(base, error);
	trace_vsplit_fence(job->queue->vdev, job->queue->uid, job->submission, base->context,
			   base->seqno, error);
	dma_fence_signal(base);
	dma_fence_put(base);
}

/* The paging before the first portion is done, or will never be. */
static void vsplit_job_complete_paged(struct vsplit_job *job, int error)
{
	if (!job->paged || dma_fence_is_signaled(&job->paged->base))
		return;
	vsplit_job_unuse(job, job->nr_run_bos);
	vsplit_job_signal(job, job->paged, error);
}

static void vsplit_job_complete(struct vsplit_job *job, int error)
{
	vsplit_job_complete_paged(job, error == -ENODEV ? error : 0);
	vsplit_account_done(job);
	vsplit_job_unuse(job, 0);
	vsplit_job_signal(job, job->fence, error);
}

/* ---- drm_sched ---- */

static void vsplit_engine_start(struct vsplit_engine *engine, struct vsplit_job *job)
{
	struct vsplit_queue *queue = job->queue;
	struct vsplit_device *vdev = queue->vdev;

	/* Pairs with the unplug, which signals jobs that it finds QUEUED; then nothing runs. */
	if (READ_ONCE(vdev->exec->dead)) {
		if (atomic_cmpxchg(&job->state, VSPLIT_JOB_QUEUED,
				   VSPLIT_JOB_DEAD) == VSPLIT_JOB_QUEUED)
			vsplit_job_complete(job, -ENODEV);
		return;
	}
	if (atomic_cmpxchg(&job->state, VSPLIT_JOB_QUEUED, VSPLIT_JOB_RUNG) != VSPLIT_JOB_QUEUED)
		return;

	if (vsplit_queue_lost(queue) || READ_ONCE(queue->account->faulted))
		vsplit_gpu_cancel(&job->program, -ECANCELED);
	if (job->patched)
		vsplit_job_patch(job);

	trace_vsplit_program_queue(vdev, vsplit_gpu_engine_index(engine->hw), queue->uid,
				   job->submission, job->program.nr_steps);
	vsplit_gpu_ring(engine->hw, &job->program);
}

/* Return: a reference to the fence that the job waits for next; NULL: there is none. */
static struct dma_fence *vsplit_engine_prepare_job(struct drm_sched_job *base,
						   struct drm_sched_entity *entity)
{
	struct vsplit_job *job = to_vsplit_job(base);

	if (job->waited == job->nr_dependencies)
		return NULL;
	return dma_fence_get(job->dependencies[job->waited++].fence);
}

static struct dma_fence *vsplit_engine_run_job(struct drm_sched_job *base)
{
	struct vsplit_job *job = to_vsplit_job(base);
	bool covered = vsplit_kcov_begin(job->program.coverage);
	struct dma_fence *fence = dma_fence_get(&job->fence->base);
	bool cookie = dma_fence_begin_signalling();

	vsplit_engine_start(job->queue->engine, job);
	dma_fence_end_signalling(cookie);
	vsplit_kcov_end(covered);
	return fence;
}

/*
 * The entity keeps the scheduler fence of its last job until the next one is scheduled. Drop the
 * job's own fence from the scheduler fence, because the job's fence holds the module.
 */
static void vsplit_engine_free_job(struct drm_sched_job *base)
{
	struct vsplit_job *job = to_vsplit_job(base);
	bool covered = vsplit_kcov_begin(job->program.coverage);

	dma_fence_put(base->s_fence->parent);
	base->s_fence->parent = NULL;
	vsplit_job_free(job);
	vsplit_kcov_end(covered);
}

/*
 * Move a job that is about to signal to the front: its freeing must not wait for other jobs of the
 * engine, which may run very long.
 */
static void vsplit_engine_free_first(struct vsplit_job *job)
{
	struct drm_gpu_scheduler *sched = job->base.sched;

	guard(spinlock)(&sched->job_list_lock);
	list_move(&job->base.list, &sched->pending_list);
}

/** vsplit_engine_forget() - Let the engine forget a job that is done or was withdrawn. */
void vsplit_engine_forget(const struct vsplit_job *job)
{
	struct vsplit_engine *engine = job->queue->engine;

	guard(spinlock)(&engine->lock);
	if (engine->running == job)
		engine->running = NULL;
}

static const struct drm_sched_backend_ops vsplit_sched_ops = {
	.prepare_job = vsplit_engine_prepare_job,
	.run_job = vsplit_engine_run_job,
	.free_job = vsplit_engine_free_job,
};

/* ---- interrupts ---- */

static struct vsplit_job *vsplit_job_of(struct vsplit_gpu_program *program)
{
	return container_of(program, struct vsplit_job, program);
}

/* A job for paging outside submissions has begun: it is part of its client's work from now on. */
static void vsplit_job_begin(struct vsplit_job *job)
{
	guard(spinlock)(&job->queue->vdev->exec->jobs_lock);
	if (list_empty(&job->mine))
		list_add_tail(&job->mine, &job->served->work);
}

static void vsplit_irq_step_begin(void *priv, struct vsplit_gpu_engine *hw,
				  struct vsplit_gpu_program *program, u32 step)
{
	struct vsplit_job *job = vsplit_job_of(program);
	struct vsplit_engine *engine = job->queue->engine;

	/* A step that is executed ahead does not occupy the job's own engine. */
	if (hw == engine->hw) {
		scoped_guard(spinlock, &engine->lock)
			engine->running = job;
	}
	if (job->served)
		vsplit_job_begin(job);
	trace_vsplit_step_begin(engine->vdev, vsplit_gpu_engine_index(hw), job->queue->uid,
				job->submission, step, program->steps[step].type,
				job->fence->base.context, job->fence->base.seqno,
				vsplit_gpu_clock_read(hw));
}

static void vsplit_irq_step_done(void *priv, struct vsplit_gpu_engine *hw,
				 struct vsplit_gpu_program *program, u32 step)
{
	struct vsplit_job *job = vsplit_job_of(program);
	const struct vsplit_gpu_step *s = &program->steps[step];

	if (job->paged && step == job->paged_step)
		vsplit_job_complete_paged(job, 0);
	if (job->record && job->submission)
		vsplit_record_step(job->record, job, step);
	trace_vsplit_step_end(job->queue->vdev, vsplit_gpu_engine_index(hw), job->queue->uid,
			      job->submission, step, s->type, s->begin_ns, s->end_ns,
			      job->fence->base.context, job->fence->base.seqno);
}

/* The device is lost: none of its work runs any more, on any engine (EXT-44). */
static void vsplit_irq_page_fault(struct vsplit_job *job, u32 portion)
{
	struct vsplit_queue *queue = job->queue;

	vsplit_queue_lose(queue, VSPLIT_STATE_LOST_PAGE_FAULT, job, portion);
	vsplit_resid_lose(queue->resid);
	vsplit_park_kick(queue->account);
	/* The faulting program has ended already, and keeps the fault as its error. */
	vsplit_jobs_kill(queue->vdev->exec, queue->account, false);
}

static void vsplit_irq_fault(void *priv, struct vsplit_gpu_engine *hw,
			     struct vsplit_gpu_program *program)
{
	struct vsplit_job *job = vsplit_job_of(program);
	struct vsplit_queue *queue = job->queue;
	const struct vsplit_gpu_fault_info *info = &program->fault;
	u32 portion = vsplit_job_portion(job, info->step);

	if (info->fault == VSPLIT_FAULT_CANCELLED)
		return;
	trace_vsplit_fault(queue->vdev, vsplit_gpu_engine_index(hw), queue->uid, job->submission,
			   info->fault, portion, info->offset, info->slot, info->address);
	atomic64_inc(&queue->vdev->stats.faults);
	if (vsplit_gpu_fault_is_page(info->fault))
		vsplit_irq_page_fault(job, portion);
	else
		vsplit_queue_lose(queue, VSPLIT_STATE_LOST_FAULT, job, portion);
}

static void vsplit_irq_signal_fence(void *priv, struct vsplit_gpu_engine *hw,
				    struct vsplit_gpu_program *program, u32 handle, u64 value)
{
	struct vsplit_job *job = vsplit_job_of(program);
	struct vsplit_mfence *fence = vsplit_mfence_lookup(job->queue->fences, handle);

	/* The client has destroyed the fence. */
	if (!fence)
		return;
	vsplit_mfence_signal(fence, value, true);
	vsplit_mfence_put(fence);
}

/* Add the job's time to its client's account; from then on fdinfo does not count it as running. */
static void vsplit_job_count(struct vsplit_job *job)
{
	struct vsplit_exec *exec = job->queue->vdev->exec;
	struct vsplit_account *client = vsplit_job_client(job);

	guard(spinlock)(&exec->jobs_lock);
	job->counted = true;
	if (client)
		vsplit_account_busy(client, job->program.busy.ns + job->program.busy_apart.ns,
				    vsplit_queue_is_paging(job->queue));
	if (job->served)
		list_del_init(&job->mine);
	if (job->hwq) {
		/* The queue has given way: counting begins anew. */
		job->program.busy.ns = 0;
		job->program.turns++;
		job->watch.checks = 0;
		job->watch.needed = false;
		job->watch.needed_ns = 0;
	}
}

static int vsplit_irq_wait_fence(void *priv, struct vsplit_gpu_program *program, u32 handle,
				 u64 value)
{
	return vsplit_hwq_wait_fence(vsplit_job_of(program)->hwq, handle, value);
}

static void vsplit_irq_queue_progress(void *priv, struct vsplit_gpu_program *program)
{
	vsplit_hwq_progress(vsplit_job_of(program)->hwq);
}

static void vsplit_irq_program_done(void *priv, struct vsplit_gpu_engine *hw,
				    struct vsplit_gpu_program *program, int error)
{
	struct vsplit_job *job = vsplit_job_of(program);
	struct vsplit_queue *queue = job->queue;
	bool paging = vsplit_queue_is_paging(queue);
	bool cookie;

	vsplit_sync_point("exec.done");
	vsplit_engine_forget(job);

	if (error == -ETIME)
		vsplit_queue_lose(queue, VSPLIT_STATE_LOST_HANG, job,
				  vsplit_job_portion(job, program->fault.step));
	if (!error)
		error = job->result;

	vsplit_job_count(job);
	if (job->hwq) {
		vsplit_hwq_done(job->hwq, error);
		return;
	}

	if (job->record && job->submission)
		vsplit_record_finish(job->record, job, error);
	else if (job->foreign_event)
		vsplit_record_finish_foreign(job->record, job->foreign_event,
					     job->program.steps[0].begin_ns,
					     job->program.steps[0].end_ns);

	cookie = dma_fence_begin_signalling();
	if (!paging)
		vsplit_engine_free_first(job);
	vsplit_job_complete(job, error);
	dma_fence_end_signalling(cookie);
	vsplit_sync_point("exec.told");
	if (paging)
		vsplit_job_free(job);
}

const struct vsplit_gpu_irq_ops vsplit_engine_irq_ops = {
	.step_begin = vsplit_irq_step_begin,
	.step_done = vsplit_irq_step_done,
	.fault = vsplit_irq_fault,
	.signal_fence = vsplit_irq_signal_fence,
	.wait_fence = vsplit_irq_wait_fence,
	.queue_progress = vsplit_irq_queue_progress,
	.program_done = vsplit_irq_program_done,
};

/* ---- life ---- */

/*
 * Put a scheduler in front of a hardware engine; a paging engine needs none. @name: of the ring,
 * for traces; constant memory. Return: 0 or a negative error.
 */
int vsplit_engine_init(struct vsplit_exec *exec, u32 index, const char *name)
{
	struct vsplit_engine *engine = &exec->engines[index];
	struct vsplit_device *vdev = exec->vdev;
	struct drm_sched_init_args args = {
		.ops = &vsplit_sched_ops,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = VSPLIT_ENGINE_CREDITS,
		/* The watchdog detects hangs: jobs end out of order where clients take turns. */
		.timeout = MAX_SCHEDULE_TIMEOUT,
		.name = name,
		.dev = vdev->drm.dev,
	};

	spin_lock_init(&engine->lock);
	engine->vdev = vdev;
	engine->name = name;
	engine->hw = vsplit_gpu_engine(vdev->gpu, index);
	if (index >= exec->nr_engines)
		return 0;
	return vsplit_fault("exec.sched") ? -ENOMEM : drm_sched_init(&engine->sched, &args);
}
