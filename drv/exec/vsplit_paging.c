// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: paging outside submissions
 *
 * Evictions of allocations that are not on the list of the submission that
 * needs the room, and page-ins for pinning or by the test hooks, are jobs of
 * one step on the kernel's own queue, each complete in itself: its dependencies
 * are fixed and its fence published before the next decision is taken. mm/
 * decides and describes them; here they become jobs.
 *
 * What is evicted for a submission is noted in its record, which is the owner of its
 * transaction.
 */
#include <linux/slab.h>

#include "exec/vsplit_exec_types.h"
#include "exec/vsplit_submit.h"
#include "debug/vsplit_trace.h"

static struct vsplit_job *to_job(struct vsplit_paging_job *job)
{
	return (struct vsplit_job *)job;
}

static struct vsplit_paging_job *vsplit_paging_prepare(struct vsplit_device *vdev,
						       void *owner, struct vsplit_gpu_step **step)
{
	struct vsplit_record *record = owner;
	struct vsplit_job *job;
	int ret;

	job = vsplit_job_create(vdev->exec->paging, 0);
	if (IS_ERR(job))
		return ERR_CAST(job);
	if (record)
		job->record = vsplit_record_get(record);
	ret = vsplit_job_set_steps(job, 1);
	if (!ret && record)
		ret = vsplit_record_reserve_foreign(record, &job->foreign_event);
	if (ret) {
		vsplit_job_free(job);
		return ERR_PTR(ret);
	}
	*step = job->program.steps;
	return (struct vsplit_paging_job *)job;
}

static int vsplit_paging_depend(struct vsplit_paging_job *pjob, struct dma_resv *resv)
{
	return vsplit_job_depend_resv(to_job(pjob), resv, DMA_RESV_USAGE_BOOKKEEP);
}

static int vsplit_paging_depend_fence(struct vsplit_paging_job *pjob, struct dma_fence *fence)
{
	return drm_sched_job_add_dependency(&to_job(pjob)->base, dma_fence_get(fence));
}

static struct dma_fence *vsplit_paging_commit(struct vsplit_paging_job *pjob,
					      const struct vsplit_paging_event *event)
{
	struct vsplit_job *job = to_job(pjob);
	struct vsplit_queue *queue = job->queue;
	struct vsplit_device *vdev = queue->vdev;
	struct dma_fence *fence;

	if (job->record)
		vsplit_record_set_foreign(job->record, job->foreign_event, event);
	vsplit_exec_account_paging(vdev, event->type, event->vbo->tbo.base.size, event->copied);
	trace_vsplit_paging(vdev, event->type, event->vbo->id, event->segment + 1, event->at,
			    event->vbo->tbo.base.size, event->copied);

	mutex_lock(&queue->submit_lock);
	vsplit_job_arm(job);
	fence = dma_fence_get(&job->fence->base);
	vsplit_job_push(job);
	mutex_unlock(&queue->submit_lock);
	return fence;
}

static void vsplit_paging_cancel(struct vsplit_paging_job *pjob)
{
	vsplit_job_free(to_job(pjob));
}

const struct vsplit_paging_ops vsplit_exec_paging_ops = {
	.prepare = vsplit_paging_prepare,
	.depend = vsplit_paging_depend,
	.depend_fence = vsplit_paging_depend_fence,
	.commit = vsplit_paging_commit,
	.cancel = vsplit_paging_cancel,
};

/**
 * vsplit_exec_account_paging() - Add one paging step to the statistics.
 * @vdev: the adapter.
 * @type: enum drm_vsplit_event_type.
 * @bytes: size of the allocation.
 * @copied: bytes transferred.
 */
void vsplit_exec_account_paging(struct vsplit_device *vdev, u32 type, u64 bytes, u64 copied)
{
	struct vsplit_stats *stats = &vdev->stats;

	switch (type) {
	case VSPLIT_EVENT_EVICT:
	case VSPLIT_EVENT_UNMAP:
		atomic64_add(bytes, &stats->evicted);
		atomic64_add(copied, &stats->evicted_copied);
		break;
	case VSPLIT_EVENT_PAGE_IN:
	case VSPLIT_EVENT_MAP:
		atomic64_add(bytes, &stats->paged_in);
		atomic64_add(copied, &stats->paged_in_copied);
		break;
	case VSPLIT_EVENT_MOVE:
		atomic64_add(bytes, &stats->moved);
		break;
	}
}
