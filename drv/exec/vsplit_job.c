// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: jobs
 *
 * A job is one program on its way to the engine: either the paging and the portions of a whole DMA
 * buffer, which drm_sched schedules, or one paging operation of the kernel's own queue, which
 * enters the ring without drm_sched (vsplit_paging.c). All memory that it needs to run is allocated
 * while it is prepared; from vsplit_job_arm() on nothing can fail.
 *
 *   create  set_steps, depend... | arm  push  | prepare_job, run_job ... free_job
 *   ------ may fail ------------ | -- cannot  | -- engine side ------------------
 *
 * The dependencies of a job are collected first, and reduced to the last fence of each context.
 * drm_sched asks for them one by one (vsplit_engine_prepare_job()). They are not added to
 * drm_sched's own list, because it walks that whole list for each fence that is added.
 *
 * The last part of freeing an armed job runs on a workqueue of the module, because the job may hold
 * the last references: to its queue, whose entity must not be torn down from the scheduler's own
 * work, and to the adapter.
 */
#include <linux/slab.h>

#include "exec/vsplit_hwq.h"
#include "debug/vsplit_fault.h"
#include "debug/vsplit_kcov.h"
#include "debug/vsplit_trace.h"

static struct workqueue_struct *vsplit_release_wq;

static void vsplit_job_drop_steps(struct vsplit_job *job)
{
	const struct vsplit_gpu_bind *binds = NULL;
	u32 i, k;

	for (i = 0; i < job->program.nr_steps; i++) {
		struct vsplit_gpu_step *step = &job->program.steps[i];

		vsplit_gpu_maps_put(step->maps);
		vsplit_gpu_runs_put(step->dst.runs);
		vsplit_gpu_runs_put(step->src.runs);
		if (step->type != VSPLIT_GPU_STEP_BIND)
			continue;
		vsplit_gpu_vm_put(step->vm);
		for (k = 0; k < step->nr_binds; k++)
			vsplit_gpu_runs_put(step->binds[k].runs);
		/* Steps have parts of one array, in order. */
		binds = binds ?: step->binds;
	}
	kvfree(binds);
	kvfree(job->program.steps);
	job->program.steps = NULL;
	job->program.nr_steps = 0;
}

/** vsplit_job_unlist() - Take a job off the lists of jobs; not while the watchdog looks at them. */
void vsplit_job_unlist(struct vsplit_job *job)
{
	lockdep_assert_held_read(&job->queue->vdev->exec->watch_lock);
	lockdep_assert_held(&job->queue->vdev->exec->jobs_lock);

	list_del_init(&job->link);
	list_del_init(&job->mine);
	list_del_init(&job->watch.queued);
}

/* Free a job and all that it holds; the adapter may be gone afterwards. */
static void vsplit_job_destroy(struct vsplit_job *job)
{
	struct vsplit_device *vdev = job->queue->vdev;
	u32 i;

	/*
	 * A job that was never armed, or whose fence an unplug signalled, still uses allocations.
	 * Giving them back can signal a fence, which some callers of vsplit_job_free() may not do.
	 */
	vsplit_job_unuse(job, 0);
	down_read(&vdev->exec->watch_lock);
	spin_lock(&vdev->exec->jobs_lock);
	vsplit_job_unlist(job);
	list_del_init(&job->watch.stuck);
	job->fence->job = NULL;
	if (job->paged)
		job->paged->job = NULL;
	spin_unlock(&vdev->exec->jobs_lock);
	up_read(&vdev->exec->watch_lock);
	for (i = 0; i < job->nr_dependencies; i++)
		dma_fence_put(job->dependencies[i].fence);
	kvfree(job->dependencies);
	vsplit_fence_drop(job->paged);
	vsplit_fence_drop(job->fence);
	vsplit_record_put(job->record);
	vsplit_queue_put(job->queue);
	vsplit_job_drop_steps(job);
	kvfree(job->program.stream);
	kvfree(job->patched);
	kvfree(job->rows);
	if (job->bos != &job->bo)
		kvfree(job->bos);
	vsplit_account_freed(job);
	kfree(job);
	atomic_dec(&vdev->stats.nr_jobs);
	drm_dev_put(&vdev->drm);
}

static void vsplit_job_release(struct work_struct *work)
{
	struct vsplit_job *job = container_of(work, struct vsplit_job, release);
	bool covered = vsplit_kcov_begin(job->program.coverage);

	vsplit_sync_point("job.release");
	vsplit_job_destroy(job);
	vsplit_kcov_end(covered);
}

/*
 * Make an empty job of a queue. @client_id: id of the DRM file, for traces of drm_sched; 0 for a
 * paging job. Return: the job, or ERR_PTR(-ENOMEM).
 */
struct vsplit_job *vsplit_job_create(struct vsplit_queue *queue, u64 client_id)
{
	struct vsplit_device *vdev = queue->vdev;
	struct vsplit_job *job __free(kfree) = NULL;
	int ret;

	job = vsplit_fault("job.create") ? NULL : kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	if (!job)
		return ERR_PTR(-ENOMEM);
	job->fence = vsplit_fence_alloc();
	if (!job->fence)
		return ERR_PTR(-ENOMEM);
	ret = vsplit_queue_is_paging(queue) ? 0 :
	      drm_sched_job_init(&job->base, &queue->entity, 1, queue, client_id);
	if (ret) {
		vsplit_fence_drop(job->fence);
		return ERR_PTR(ret);
	}

	INIT_LIST_HEAD(&job->link);
	INIT_LIST_HEAD(&job->mine);
	INIT_LIST_HEAD(&job->watch.queued);
	INIT_LIST_HEAD(&job->watch.stuck);
	INIT_WORK(&job->release, vsplit_job_release);
	atomic_set(&job->state, VSPLIT_JOB_NEW);
	job->program.context = &queue->hw;
	job->program.table = queue->table;
	job->program.vm = queue->va ? queue->va->gpu : NULL;
	job->program.coverage = vsplit_kcov_handle();
	job->queue = vsplit_queue_get(queue);
	drm_dev_get(&vdev->drm);
	atomic_inc(&vdev->stats.nr_jobs);
	return no_free_ptr(job);
}

/*
 * Make room for steps of a job that is being prepared, all zero; at least one. Return: 0 or
 * -ENOMEM.
 */
int vsplit_job_set_steps(struct vsplit_job *job, u32 nr)
{
	vsplit_job_drop_steps(job);
	job->program.steps = vsplit_fault("job.steps") ? NULL :
			     kvcalloc(nr, sizeof(*job->program.steps), VSPLIT_GFP_ARRAY);
	if (!job->program.steps)
		return -ENOMEM;
	job->program.nr_steps = nr;
	return 0;
}

/*
 * Keep the allocations that a job, being prepared, uses until it is done, instead of earlier ones.
 * GEM references to them are held until the job is armed, or freed. Return: 0 or -ENOMEM.
 */
int vsplit_job_use(struct vsplit_job *job, struct vsplit_bo *const *bos, u32 nr)
{
	u32 i;

	vsplit_job_unuse(job, 0);
	kvfree(job->bos);
	job->bos = NULL;
	if (!nr)
		return 0;
	job->bos = vsplit_fault("job.bos") ? NULL :
		   kvmalloc_array(nr, sizeof(*job->bos), VSPLIT_GFP_ARRAY);
	if (!job->bos)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		vsplit_bo_use(bos[i]);
		job->bos[i] = bos[i];
	}
	job->nr_bos = nr;
	return 0;
}

/*
 * Give back all but the first @kept allocations that a job uses. Its fence has not signalled yet,
 * or it will never run. Signalling side.
 */
void vsplit_job_unuse(struct vsplit_job *job, u32 kept)
{
	while (job->nr_bos > kept)
		vsplit_bo_unuse(job->bos[--job->nr_bos]);
}

/*
 * Add a fence for the paging before the first portion. The job is being prepared; its program is
 * complete and begins with paging. Return: 0 or -ENOMEM.
 */
int vsplit_job_add_paged(struct vsplit_job *job)
{
	u32 step = 0;

	while (step < job->program.nr_steps &&
	       job->program.steps[step].type != VSPLIT_GPU_STEP_RUN)
		step++;
	job->paged = vsplit_fence_alloc();
	if (!job->paged)
		return -ENOMEM;
	job->paged_step = step - 1;
	return 0;
}

/* Keep only the last fence of each context; the job is being prepared. */
void vsplit_job_prune_dependencies(struct vsplit_job *job)
{
	job->nr_dependencies = vsplit_fences_latest(job->dependencies, job->nr_dependencies,
						    sizeof(*job->dependencies));
}

static int vsplit_job_grow_dependencies(struct vsplit_job *job)
{
	u32 max = max(2 * job->max_dependencies, 8u);
	size_t more = array_size(max - job->max_dependencies, sizeof(*job->dependencies));
	struct vsplit_account *client = vsplit_job_client(job);
	struct vsplit_dependency *grown;
	int ret;

	/* Most fences add nothing, because many allocations have the same fences. */
	vsplit_job_prune_dependencies(job);
	if (job->nr_dependencies < job->max_dependencies / 2)
		return 0;
	if (client) {
		ret = vsplit_account_charge(client, job, job->charged + more);
		if (ret)
			return ret;
	}
	grown = kvrealloc(job->dependencies, array_size(max, sizeof(*grown)), VSPLIT_GFP_ARRAY);
	if (!grown)
		return -ENOMEM;
	job->dependencies = grown;
	job->max_dependencies = max;
	return 0;
}

/*
 * Let a job, being prepared, wait for a fence: a reference, taken over, also on failure. Fences of
 * its own queue are left out, because its jobs run in order anyway.
 *
 * No length of a list bounds the number of fences: an allocation, or a timeline point, may have a
 * fence of every context. So the memory that a job needs for them is charged to its client.
 * Return: 0, -ENOMEM; if the job is charged, -ENOBUFS or -E2BIG, too.
 */
int vsplit_job_depend(struct vsplit_job *job, struct dma_fence *fence)
{
	int ret = 0;

	if (!vsplit_queue_is_paging(job->queue) && fence->context == job->queue->fence_context)
		goto put;
	if (dma_fence_is_signaled(fence))
		goto put;
	if (job->nr_dependencies == job->max_dependencies)
		ret = vsplit_fault("job.depend") ? -ENOMEM : vsplit_job_grow_dependencies(job);
	if (ret)
		goto put;
	if (!vsplit_fence_is_own(fence))
		vsplit_account_foreign(job);
	job->dependencies[job->nr_dependencies++] = (struct vsplit_dependency) {
		.fence = fence,
		.job = job,
	};
	return 0;
put:
	dma_fence_put(fence);
	return ret;
}

/** vsplit_job_visit() - vsplit_job_depend() as a callback of functions that visit fences. */
int vsplit_job_visit(void *job, struct dma_fence *fence)
{
	return vsplit_job_depend(job, fence);
}

/*
 * Let a job, being prepared, wait for the fences of a locked dma_resv up to @usage. Return: as
 * vsplit_job_depend().
 */
int vsplit_job_depend_resv(struct vsplit_job *job, struct dma_resv *resv,
			   enum dma_resv_usage usage)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	int ret;

	dma_resv_for_each_fence(&cursor, resv, usage, fence) {
		ret = vsplit_job_depend(job, dma_fence_get(fence));
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Point of no return: the fence of a complete job is initialised. submit_lock is held until
 * drm_sched_entity_push_job(); in between the fence may be published.
 */
void vsplit_job_arm(struct vsplit_job *job)
{
	struct vsplit_queue *queue = job->queue;

	lockdep_assert_held(&queue->submit_lock);

	drm_sched_job_arm(&job->base);
	if (job->paged)
		vsplit_fence_init(job->paged, queue->timeline, queue->fence_context,
				  ++queue->seqno);
	vsplit_fence_init(job->fence, queue->timeline, queue->fence_context, ++queue->seqno);
	vsplit_job_publish(job);
}

/*
 * Put a job, whose fence is initialised, on the lists where the watchdog, cancels and unplugs find
 * it.
 */
void vsplit_job_publish(struct vsplit_job *job)
{
	struct vsplit_exec *exec = job->queue->vdev->exec;

	atomic_set(&job->state, VSPLIT_JOB_QUEUED);
	job->fence->exec = exec;
	if (job->paged)
		job->paged->exec = exec;
	spin_lock(&exec->jobs_lock);
	job->fence->job = job;
	if (job->paged)
		job->paged->job = job;
	list_add_tail(&job->link, &exec->jobs);
	list_add_tail(&job->watch.queued, &job->queue->jobs);
	if (job->account)
		list_add_tail(&job->mine, &job->account->work);
	spin_unlock(&exec->jobs_lock);
	vsplit_watchdog_kick(exec);
}

/*
 * Write the addresses of the plan into the stream (EXT-5), which only the caller uses: the job is
 * not rung yet, or is being rung. Idempotent, cannot fail, changes no size.
 */
void vsplit_job_patch(struct vsplit_job *job)
{
	trace_vsplit_patch(job->queue->vdev, job->queue->uid, job->nr_patches,
			   atomic_read(&job->state) == VSPLIT_JOB_RUNG);
	if (job->patched)
		memcpy(job->program.stream, job->patched, job->program.stream_bytes);
}

/** vsplit_job_portion() - Portion that a step belongs to: the number of RUN steps before it. */
u32 vsplit_job_portion(const struct vsplit_job *job, u32 step)
{
	u32 portion = 0;
	u32 i;

	for (i = 0; i < step && i < job->program.nr_steps; i++)
		portion += job->program.steps[i].type == VSPLIT_GPU_STEP_RUN;
	return portion;
}

/* Cancel all jobs of a lost queue; no effect on those that have ended. */
void vsplit_jobs_cancel(struct vsplit_queue *queue)
{
	struct vsplit_exec *exec = queue->vdev->exec;
	struct vsplit_job *job;

	guard(spinlock)(&exec->jobs_lock);
	list_for_each_entry(job, &queue->jobs, watch.queued)
		vsplit_gpu_cancel(&job->program, -ECANCELED);
}

static void vsplit_job_kill(struct vsplit_job *job, bool hw)
{
	if (hw && !job->hwq)
		return;
	vsplit_gpu_cancel(&job->program, -ECANCELED);
	if (job->hwq)
		vsplit_hwq_wake_later(job->hwq);
}

/*
 * Stop the RUN steps of all jobs of a file, or, if @account is NULL, of all files. @hw: stop
 * hardware queues alone, which have nothing to run for once their device is lost.
 */
void vsplit_jobs_kill(struct vsplit_exec *exec, const struct vsplit_account *account, bool hw)
{
	struct vsplit_job *job;

	guard(spinlock)(&exec->jobs_lock);
	if (account) {
		list_for_each_entry(job, &account->work, mine)
			vsplit_job_kill(job, hw);
		return;
	}
	list_for_each_entry(job, &exec->jobs, link)
		vsplit_job_kill(job, hw);
}

/*
 * Free a job that was never armed or that is done. Any context if it is a paging job that was
 * armed. NULL is fine.
 */
void vsplit_job_free(struct vsplit_job *job)
{
	if (!job)
		return;
	if (!vsplit_queue_is_paging(job->queue))
		drm_sched_job_cleanup(&job->base);
	/*
	 * A job that was never armed holds no last reference, because its submitter holds the same
	 * ones. Freeing it by the workqueue would let refused jobs pile up, and stay charged.
	 */
	if (atomic_read(&job->state) == VSPLIT_JOB_NEW)
		vsplit_job_destroy(job);
	else
		queue_work(vsplit_release_wq, &job->release);
}

/*
 * Leave something to a worker; the module stays until the worker has done it. Any context. Return:
 * false if @work is queued already.
 */
bool vsplit_exec_later(struct work_struct *work)
{
	return queue_work(vsplit_release_wq, work);
}

int vsplit_exec_module_init(void)
{
	vsplit_release_wq = alloc_workqueue("vsplit-release", WQ_UNBOUND, 0);
	return vsplit_release_wq ? 0 : -ENOMEM;
}

void vsplit_exec_module_exit(void)
{
	destroy_workqueue(vsplit_release_wq);
}
