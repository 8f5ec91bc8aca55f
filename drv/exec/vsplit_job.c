// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: jobs
 *
 * A job is one program on its way through drm_sched: paging and portions of a
 * whole DMA buffer, or one paging operation of the kernel's own queue. What
 * running it takes is allocated while it is prepared; from vsplit_job_arm() on
 * nothing can fail.
 *
 *   create  set_steps, depend...  | arm  push  | run_job ... free_job
 *   ------ may fail ------------- | -- cannot  | -- engine side -----
 *
 * The last part of freeing runs on a workqueue of the module, because the
 * references that a job holds may be the last ones: of its queue, whose entity
 * must not be torn down from the scheduler's own work, and of the adapter.
 */
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "exec/vsplit_exec_types.h"
#include "drm/vsplit_isa.h"
#include "debug/vsplit_fault.h"
#include "debug/vsplit_kcov.h"
#include "debug/vsplit_trace.h"

static struct workqueue_struct *vsplit_release_wq;

static void vsplit_job_release(struct work_struct *work)
{
	struct vsplit_job *job = container_of(work, struct vsplit_job, release);
	struct vsplit_device *vdev = job->queue->vdev;
	bool covered = vsplit_kcov_begin(job->program.coverage);

	vsplit_sync_point("job.release");
	vsplit_fence_drop(job->paged);
	vsplit_fence_drop(job->fence);
	vsplit_record_put(job->record);
	vsplit_queue_put(job->queue);
	kvfree(job->program.steps);
	kvfree(job->program.stream);
	kvfree(job->patches);
	kvfree(job->rows);
	vsplit_account_freed(job);
	kfree(job);
	atomic_dec(&vdev->stats.nr_jobs);
	drm_dev_put(&vdev->drm);
	vsplit_kcov_end(covered);
}

/**
 * vsplit_job_create() - An empty job of a queue.
 * @queue: where it will run.
 * @client_id: of the DRM file, for traces of drm_sched.
 *
 * Return: the job, or ERR_PTR(-ENOMEM).
 */
struct vsplit_job *vsplit_job_create(struct vsplit_queue *queue, u64 client_id)
{
	struct vsplit_device *vdev = queue->vdev;
	struct vsplit_job *job;
	int ret;

	job = vsplit_fault("job.create") ? NULL : kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	if (!job)
		return ERR_PTR(-ENOMEM);
	job->fence = vsplit_fence_alloc();
	if (!job->fence) {
		kfree(job);
		return ERR_PTR(-ENOMEM);
	}
	ret = drm_sched_job_init(&job->base, &queue->entity, 1, queue, client_id);
	if (ret) {
		vsplit_fence_drop(job->fence);
		kfree(job);
		return ERR_PTR(ret);
	}

	INIT_LIST_HEAD(&job->link);
	INIT_WORK(&job->release, vsplit_job_release);
	atomic_set(&job->state, VSPLIT_JOB_NEW);
	job->program.context = queue->uid;
	job->program.table = queue->table;
	job->program.coverage = vsplit_kcov_handle();
	job->queue = vsplit_queue_get(queue);
	drm_dev_get(&vdev->drm);
	atomic_inc(&vdev->stats.nr_jobs);
	return job;
}

/**
 * vsplit_job_set_steps() - Room for the program's steps, all zero.
 * @job: being prepared.
 * @nr: how many, > 0.
 *
 * Return: 0 or -ENOMEM.
 */
int vsplit_job_set_steps(struct vsplit_job *job, u32 nr)
{
	kvfree(job->program.steps);
	job->program.nr_steps = 0;
	job->program.steps = vsplit_fault("job.steps") ? NULL :
			     kvcalloc(nr, sizeof(*job->program.steps), VSPLIT_GFP_ARRAY);
	if (!job->program.steps)
		return -ENOMEM;
	job->program.nr_steps = nr;
	return 0;
}

/**
 * vsplit_job_add_paged() - A fence for the paging before the first portion.
 * @job: being prepared; its program is complete and begins with paging.
 *
 * Return: 0 or -ENOMEM.
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

/**
 * vsplit_job_depend_resv() - Wait for fences of an allocation first.
 * @job: being prepared.
 * @resv: locked.
 * @usage: fences up to this usage.
 *
 * Fences of the job's own queue are left out: its jobs run in order anyway.
 *
 * Return: 0 or -ENOMEM.
 */
int vsplit_job_depend_resv(struct vsplit_job *job, struct dma_resv *resv,
			   enum dma_resv_usage usage)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	int ret;

	dma_resv_for_each_fence(&cursor, resv, usage, fence) {
		if (fence->context == job->queue->fence_context)
			continue;
		ret = vsplit_fault("job.depend") ? -ENOMEM :
		      drm_sched_job_add_dependency(&job->base, dma_fence_get(fence));
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * vsplit_job_arm() - Point of no return: the job's fence becomes a fence.
 * @job: complete; its queue's submit_lock is held until vsplit_job_push().
 *
 * The fence may be published between here and vsplit_job_push().
 */
void vsplit_job_arm(struct vsplit_job *job)
{
	struct vsplit_exec *exec = job->queue->vdev->exec;

	lockdep_assert_held(&job->queue->submit_lock);

	drm_sched_job_arm(&job->base);
	if (job->paged)
		vsplit_fence_init(job->paged, job->queue);
	vsplit_fence_init(job->fence, job->queue);
	atomic_set(&job->state, VSPLIT_JOB_QUEUED);
	spin_lock(&exec->jobs_lock);
	list_add_tail(&job->link, &exec->jobs);
	spin_unlock(&exec->jobs_lock);
}

/**
 * vsplit_job_push() - Hand an armed job to drm_sched, which owns it from here.
 * @job: armed.
 */
void vsplit_job_push(struct vsplit_job *job)
{
	lockdep_assert_held(&job->queue->submit_lock);

	drm_sched_entity_push_job(&job->base);
}

/**
 * vsplit_job_patch() - Write the addresses of the plan into the stream (EXT-5).
 * @job: its stream is nobody's but ours: not rung, or being rung.
 *
 * Idempotent, cannot fail, changes no size.
 */
void vsplit_job_patch(struct vsplit_job *job)
{
	u8 *stream = job->program.stream;
	u32 i;

	for (i = 0; i < job->nr_patches; i++) {
		const struct vsplit_patch_op *patch = &job->patches[i];
		u8 *operand = stream + patch->offset;

		put_unaligned_le64(patch->address, operand);
		if (patch->bind) {
			struct vsplit_packet *head = (void *)(operand - sizeof(*head));

			put_unaligned_le64(patch->size, operand + sizeof(u64));
			head->flags = patch->flags;
			if (patch->skip) {
				head->op = VSPLIT_OP_NOP;
				head->arg = 0;
			}
		}
	}
}

/**
 * vsplit_job_portion() - Portion that a step belongs to.
 * @job: the job.
 * @step: index.
 *
 * Return: RUN steps before @step.
 */
u32 vsplit_job_portion(const struct vsplit_job *job, u32 step)
{
	u32 portion = 0;
	u32 i;

	for (i = 0; i < step && i < job->program.nr_steps; i++)
		portion += job->program.steps[i].type == VSPLIT_GPU_STEP_RUN;
	return portion;
}

/**
 * vsplit_jobs_cancel() - Stop what a lost queue has with the hardware.
 * @queue: lost.
 * @except: the job that it was lost with, or NULL.
 */
void vsplit_jobs_cancel(struct vsplit_queue *queue, const struct vsplit_job *except)
{
	struct vsplit_exec *exec = queue->vdev->exec;
	struct vsplit_job *job;

	spin_lock(&exec->jobs_lock);
	list_for_each_entry(job, &exec->jobs, link) {
		if (job->queue == queue && job != except)
			vsplit_gpu_cancel(&job->program, -ECANCELED);
	}
	spin_unlock(&exec->jobs_lock);
}

/**
 * vsplit_job_free() - Free a job that was never armed or that is done.
 * @job: NULL is fine.
 */
void vsplit_job_free(struct vsplit_job *job)
{
	struct vsplit_exec *exec;

	if (!job)
		return;
	exec = job->queue->vdev->exec;
	spin_lock(&exec->jobs_lock);
	list_del_init(&job->link);
	spin_unlock(&exec->jobs_lock);
	drm_sched_job_cleanup(&job->base);
	queue_work(vsplit_release_wq, &job->release);
}

/**
 * vsplit_job_module_init() - The workqueue that frees jobs.
 *
 * Return: 0 or -ENOMEM.
 */
int vsplit_job_module_init(void)
{
	vsplit_release_wq = alloc_workqueue("vsplit-release", WQ_UNBOUND, 0);
	return vsplit_release_wq ? 0 : -ENOMEM;
}

/**
 * vsplit_job_module_exit() - Waits until the last job, and with it perhaps the last
 * adapter, is gone.
 */
void vsplit_job_module_exit(void)
{
	destroy_workqueue(vsplit_release_wq);
}
