// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: execution of an adapter
 *
 * This file makes the GPU with its engines, a scheduler for each render engine, and the kernel's
 * queue for paging. It takes them down after the last reference to the adapter.
 *
 * Unplug: first the hardware dies, and gives back every program with -ENODEV. Then the fences of
 * jobs that the hardware never had signal with -ENODEV. These jobs are freed once their
 * dependencies have signalled, submissions through the scheduler as always. Schedulers stay until
 * the last reference, because open files own entities.
 */
#include <drm/drm_file.h>
#include <drm/drm_managed.h>
#include <linux/slab.h>

#include "exec/vsplit_hwq.h"
#include "debug/vsplit_fault.h"

static const char * const vsplit_render_names[VSPLIT_MAX_ENGINES] = {
	"vsplit-render0", "vsplit-render1", "vsplit-render2", "vsplit-render3",
};

static const char vsplit_paging_name[] = "vsplit-paging";

static struct vsplit_gpu *vsplit_exec_make_gpu(struct vsplit_exec *exec)
{
	const struct vsplit_adapter_config *config = &exec->vdev->config;
	struct vsplit_gpu_engine_config engines[VSPLIT_MAX_SCHEDS] = {};
	struct vsplit_gpu_config gpu = {
		.nr_engines = exec->nr_scheds,
		.engines = engines,
		.clock = config->clock,
		.model = config->model,
		.irq = &vsplit_engine_irq_ops,
		.priv = exec->vdev,
	};
	u32 i;

	for (i = 0; i < exec->nr_engines; i++) {
		engines[i].name = vsplit_render_names[i];
		engines[i].paging = config->paging_own ? exec->nr_engines : i;
		if (config->preemption == VSPLIT_PREEMPTION_SPLIT_POINT)
			engines[i].flags |= VSPLIT_GPU_ENGINE_SAVE_RESTORE;
		else if (config->preemption == VSPLIT_PREEMPTION_PACKET)
			engines[i].flags |= VSPLIT_GPU_ENGINE_PACKETS;
		if (config->lenient)
			engines[i].flags |= VSPLIT_GPU_ENGINE_LENIENT;
	}
	if (config->paging_own) {
		engines[i].name = vsplit_paging_name;
		engines[i].paging = i;
		engines[i].flags = VSPLIT_GPU_ENGINE_PAGING;
	}
	return vsplit_gpu_create(&gpu);
}

static void vsplit_exec_fini(struct drm_device *drm, void *data)
{
	struct vsplit_exec *exec = data;
	struct vsplit_device *vdev = exec->vdev;
	u32 i;

	vsplit_queue_put(exec->paging);
	for (i = 0; i < exec->nr_scheds; i++)
		if (exec->engines[i].sched.ready)
			drm_sched_fini(&exec->engines[i].sched);
	cancel_delayed_work_sync(&exec->watchdog);
	vsplit_gpu_destroy(vdev->gpu);
	vdev->gpu = NULL;
	if (exec->timeout_wq)
		destroy_workqueue(exec->timeout_wq);
	mutex_destroy(&exec->crowd);
	mutex_destroy(&exec->suspend_lock);
	vdev->exec = NULL;
	kfree(exec);
}

static int vsplit_exec_init_engines(struct vsplit_exec *exec)
{
	struct vsplit_queue *paging;
	u32 i;
	int ret;

	for (i = 0; i < exec->nr_scheds; i++) {
		ret = vsplit_engine_init(exec, i, i < exec->nr_engines ?
					 vsplit_render_names[i] : vsplit_paging_name);
		if (ret)
			return ret;
	}
	vsplit_gpu_client_init(&exec->client, &exec->client);
	/* Without an engine of its own, paging runs on render engine 0. */
	paging = vsplit_queue_create_paging(exec->vdev, exec->vdev->config.paging_own ?
					    exec->nr_engines : 0);
	if (IS_ERR(paging))
		return PTR_ERR(paging);
	exec->paging = paging;
	return 0;
}

int vsplit_exec_init(struct vsplit_device *vdev)
{
	struct vsplit_exec *exec;
	struct vsplit_gpu *gpu;
	int ret;

	exec = vsplit_fault("exec.init") ? NULL : kzalloc(sizeof(*exec), GFP_KERNEL);
	if (!exec)
		return -ENOMEM;
	exec->vdev = vdev;
	exec->nr_engines = vdev->config.engines;
	exec->nr_scheds = exec->nr_engines + (vdev->config.paging_own ? 1 : 0);
	spin_lock_init(&exec->jobs_lock);
	vsplit_watchdog_init(exec);
	INIT_LIST_HEAD(&exec->jobs);
	init_rwsem(&exec->watch_lock);
	mutex_init(&exec->suspend_lock);
	mutex_init(&exec->crowd);
	vdev->exec = exec;
	ret = drmm_add_action_or_reset(&vdev->drm, vsplit_exec_fini, exec);
	if (ret)
		return ret;

	exec->timeout_wq = vsplit_fault("exec.timeout_wq") ? NULL :
			   alloc_ordered_workqueue("vsplit-timeout", 0);
	if (!exec->timeout_wq)
		return -ENOMEM;
	gpu = vsplit_exec_make_gpu(exec);
	if (IS_ERR(gpu))
		return PTR_ERR(gpu);
	vdev->gpu = gpu;
	return vsplit_exec_init_engines(exec);
}

/*
 * Take the next job that the hardware will never have. @fences: its fences, with references. Jobs
 * that were looked at are in @seen meanwhile, because there may be very many.
 */
static bool vsplit_exec_take_queued(struct vsplit_exec *exec, struct list_head *seen,
				    struct dma_fence *fences[2])
{
	struct vsplit_job *job;

	guard(spinlock)(&exec->jobs_lock);
	while ((job = list_first_entry_or_null(&exec->jobs, struct vsplit_job, link))) {
		list_move_tail(&job->link, seen);
		if (atomic_cmpxchg(&job->state, VSPLIT_JOB_QUEUED,
				   VSPLIT_JOB_DEAD) != VSPLIT_JOB_QUEUED)
			continue;
		fences[0] = job->paged ? dma_fence_get(&job->paged->base) : NULL;
		fences[1] = dma_fence_get(&job->fence->base);
		return true;
	}
	list_splice(seen, &exec->jobs);
	return false;
}

/* End all waits for monitored fences. Only files that are on the list have such waits. */
static void vsplit_exec_end_waits(struct vsplit_device *vdev)
{
	struct drm_file *file;

	guard(mutex)(&vdev->drm.filelist_mutex);
	list_for_each_entry(file, &vdev->drm.filelist, lhead) {
		vsplit_mfences_end(vsplit_file_exec(file)->fences, -ENODEV);
		vsplit_park_kick(vsplit_file_exec(file)->account);
	}
}

void vsplit_exec_unplug(struct vsplit_device *vdev)
{
	struct vsplit_exec *exec = vdev->exec;
	struct dma_fence *fences[2];
	LIST_HEAD(seen);
	u32 i;

	for (i = 0; i < exec->nr_scheds; i++)
		vsplit_exec_suspend(vdev, i, false);
	vsplit_sync_point("exec.unplug");
	vsplit_gpu_die(vdev->gpu);
	/*
	 * The engines have stopped by now. A fence that was signalled before would make earlier
	 * fences of its context count as signalled, so that memory in use would be freed.
	 */
	WRITE_ONCE(exec->dead, true);
	vsplit_jobs_kill(exec, NULL, true);

	down_read(&exec->watch_lock);
	while (vsplit_exec_take_queued(exec, &seen, fences)) {
		for (i = 0; i < ARRAY_SIZE(fences); i++) {
			if (!fences[i])
				continue;
			dma_fence_set_error(fences[i], -ENODEV);
			dma_fence_signal(fences[i]);
			dma_fence_put(fences[i]);
		}
		cond_resched();
	}
	up_read(&exec->watch_lock);
	vsplit_exec_end_waits(vdev);
}

int vsplit_exec_suspend(struct vsplit_device *vdev, u32 engine, bool suspend)
{
	struct vsplit_exec *exec = vdev->exec;
	struct vsplit_engine *e;

	if (engine >= exec->nr_scheds)
		return -EINVAL;
	e = &exec->engines[engine];
	guard(mutex)(&exec->suspend_lock);
	if (e->suspended == suspend)
		return 0;
	WRITE_ONCE(e->suspended, suspend);
	vsplit_gpu_hold_paging(e->hw, suspend);
	if (e->sched.ready && suspend)
		drm_sched_wqueue_stop(&e->sched);
	else if (e->sched.ready)
		drm_sched_wqueue_start(&e->sched);
	return 0;
}

void vsplit_exec_cancel(struct vsplit_device *vdev)
{
	vsplit_jobs_kill(vdev->exec, NULL, false);
}

/*
 * Limit of jobs to print: submitters and engines wait for the lock, and clients may have very many
 * jobs.
 */
#define VSPLIT_EXEC_PRINT_JOBS	256u

void vsplit_exec_print(struct vsplit_device *vdev, struct drm_printer *p)
{
	struct vsplit_exec *exec = vdev->exec;
	struct vsplit_job *job;
	u32 nr = 0, i;

	for (i = 0; i < exec->nr_scheds; i++)
		drm_printf(p, "engine %u: %s%s\n", i, exec->engines[i].name,
			   READ_ONCE(exec->engines[i].suspended) ? " (suspended)" : "");
	guard(spinlock)(&exec->jobs_lock);
	list_for_each_entry(job, &exec->jobs, link) {
		if (nr++ == VSPLIT_EXEC_PRINT_JOBS) {
			drm_printf(p, "more: of %d jobs\n", atomic_read(&vdev->stats.nr_jobs));
			return;
		}
		drm_printf(p, "job: context %llu submission %llu state %d step %u of %u\n",
			   job->queue->uid, job->submission, atomic_read(&job->state),
			   READ_ONCE(job->program.cursor), job->program.nr_steps);
	}
}
