// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: paging outside submissions
 *
 * Evictions of allocations that are not on the list of the submission that needs the room, and
 * page-ins for pinning or by the test hooks, are jobs of one step. Each job is complete in itself:
 * its dependencies are fixed and its fence is published before the next decision is taken. mm/
 * decides and describes these operations; this file makes jobs of them.
 *
 * A paging job enters the ring of its engine when the last fence that it depends on has signalled:
 * the callbacks of the fences count down. There is no drm_sched entity, because an entity waits for
 * what its first job waits for, and the paging of an idle allocation would wait for another
 * client's program. Fences alone order two moves of one allocation, and a range's next user. So
 * clients take turns with the paging jobs that are ready (vsplit_gpu_turns.c), and so does the
 * kernel with jobs that are for no client: pins, pictures, the test hooks. A paging job is never
 * cancelled; only an unplug signals its fence without executing it.
 *
 * Evictions for a submission are noted in its record, which is the owner of its transaction, and
 * their paging jobs are charged to its client like the rest of the submission. Evictions for a lock
 * and for Evict are charged to the client, too; nothing waits for those for Evict. Paging for CPU
 * accesses takes the turn of the file that has mapped the allocation, and is charged to no client:
 * a page fault cannot be refused, and each allocation has at most one such job.
 */
#include <linux/slab.h>

#include "exec/vsplit_exec_types.h"
#include "exec/vsplit_submit.h"
#include "debug/vsplit_trace.h"

/* Make a paging job with one zeroed step. */
static struct vsplit_job *vsplit_paging_create(struct vsplit_device *vdev,
					       const struct vsplit_txn *txn)
{
	struct vsplit_job *job __free(vsplit_job) = vsplit_job_create(vdev->exec->paging, 0);
	int ret = 0;

	if (IS_ERR(job))
		return job;
	if (txn && txn->owner)
		job->record = vsplit_record_get(txn->owner);
	if (txn && txn->client) {
		job->served = vsplit_account_get(txn->client);
		job->awaited = txn->owner || txn->awaited;
		ret = txn->touched ? 0 :
		      vsplit_account_charge(job->served, job, sizeof(*job) + sizeof(*job->fence) +
					    sizeof(*job->program.steps));
	}
	if (!ret)
		ret = vsplit_job_set_steps(job, 1);
	return ret ? ERR_PTR(ret) : no_free_ptr(job);
}

/*
 * Get a job with one step, zeroed, for the caller to fill in. @txn: transaction that it is for, or
 * NULL. May sleep. Return: the job, or ERR_PTR(): -ENOMEM, -ENOBUFS, -E2BIG.
 */
struct vsplit_job *vsplit_paging_prepare(struct vsplit_device *vdev, const struct vsplit_txn *txn,
					 struct vsplit_gpu_step **step)
{
	struct vsplit_job *job __free(vsplit_job) = vsplit_paging_create(vdev, txn);
	int ret;

	if (IS_ERR(job))
		return job;
	ret = job->record ? vsplit_record_reserve_foreign(job->record) : 0;
	if (ret)
		return ERR_PTR(ret);
	*step = job->program.steps;
	return no_free_ptr(job);
}

/*
 * A dependency has signalled. This may run in the callback of the fence, under its lock, so no
 * fence can be signalled here. A job that an unplug has signalled meanwhile is freed.
 */
static void vsplit_paging_ready(struct vsplit_job *job)
{
	struct vsplit_engine *engine = job->queue->engine;

	if (!atomic_dec_and_test(&job->unready))
		return;
	if (atomic_cmpxchg(&job->state, VSPLIT_JOB_QUEUED, VSPLIT_JOB_RUNG) != VSPLIT_JOB_QUEUED) {
		vsplit_job_free(job);
		return;
	}
	trace_vsplit_program_queue(engine->vdev, vsplit_gpu_engine_index(engine->hw),
				   job->queue->uid, 0, job->program.nr_steps);
	vsplit_gpu_ring(engine->hw, &job->program);
}

static void vsplit_paging_signalled(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	vsplit_paging_ready(container_of(cb, struct vsplit_dependency, ready)->job);
}

/*
 * Publish a complete paging job, with the context and seqno of its fence. Cannot fail. The job may
 * be done and freed when this returns. Return: a reference to its fence.
 */
struct dma_fence *vsplit_paging_push(struct vsplit_job *job, u64 context, u64 seqno)
{
	struct vsplit_account *client = vsplit_job_client(job);
	struct dma_fence *fence;
	u32 i;

	if (client)
		job->program.context = &client->paging;
	vsplit_fence_init(job->fence, job->queue->timeline, context, seqno);
	fence = dma_fence_get(&job->fence->base);
	/* Count this function as one more: the job stays until all callbacks are there. */
	atomic_set(&job->unready, job->nr_dependencies + 1);
	vsplit_job_publish(job);
	for (i = 0; i < job->nr_dependencies; i++) {
		struct vsplit_dependency *d = &job->dependencies[i];

		if (dma_fence_add_callback(d->fence, &d->ready, vsplit_paging_signalled))
			atomic_dec(&job->unready);
	}
	vsplit_paging_ready(job);
	return fence;
}

/*
 * Make one fence of many: references, taken over, also on failure. It belongs to a paging job that
 * does nothing. A dma_resv takes no fence that contains others, and this way no fence signals in
 * the callback of another. Return: a reference, or ERR_PTR(), as for vsplit_paging_prepare().
 */
struct dma_fence *vsplit_paging_merge(struct vsplit_device *vdev, const struct vsplit_txn *txn,
				      struct dma_fence **fences, u32 nr)
{
	struct vsplit_job *job __free(vsplit_job) = vsplit_paging_create(vdev, txn);
	int ret = PTR_ERR_OR_ZERO(job);
	u32 i;

	for (i = 0; i < nr; i++) {
		if (ret)
			dma_fence_put(fences[i]);
		else
			ret = vsplit_job_depend(job, fences[i]);
	}
	if (ret)
		return ERR_PTR(ret);
	job->program.steps[0].type = VSPLIT_GPU_STEP_MARK;
	return vsplit_paging_push(no_free_ptr(job), dma_fence_context_alloc(1), 1);
}

/* @context, @seqno: those of the job's fence, or 0: there is no job. */
static void vsplit_paging_count(struct vsplit_device *vdev, const struct drm_vsplit_event *event,
				u64 context, u64 seqno)
{
	vsplit_exec_account_paging(vdev, event->type, event->bytes, event->copied);
	trace_vsplit_paging(vdev, event->type, event->id, event->segment, event->at, event->bytes,
			    event->copied, context, seqno);
}

/*
 * Record paging of @vbo, whose resv is held, that is done at once, without a job; not used with the
 * model clock. Return: 0, -ENOMEM, -ENOBUFS, -E2BIG.
 */
int vsplit_paging_done(struct vsplit_device *vdev, const struct vsplit_txn *txn,
		       struct vsplit_bo *vbo, const struct drm_vsplit_event *event)
{
	struct vsplit_record *record = txn ? txn->owner : NULL;
	u64 now;
	int ret;

	dma_resv_assert_held(vbo->tbo.base.resv);
	if (record) {
		ret = vsplit_record_reserve_foreign(record);
		if (ret)
			return ret;
		now = ktime_get_ns();
		vsplit_record_finish_foreign(record, vsplit_record_add_foreign(record, vbo, event),
					     now, now);
	}
	vsplit_paging_count(vdev, event, 0, 0);
	return 0;
}

/*
 * Publish a prepared job; cannot fail. It depends on the last paging job of @vbo, whose resv is
 * held. @event: what it does; copied into the record that owns the job's transaction. Return: a
 * reference to its fence, the next one of the allocation's paging_context.
 */
struct dma_fence *vsplit_paging_commit(struct vsplit_job *job, struct vsplit_bo *vbo,
				       const struct drm_vsplit_event *event)
{
	struct vsplit_device *vdev = job->queue->vdev;
	u32 i;

	dma_resv_assert_held(vbo->tbo.base.resv);
	for (i = 0; i < job->nr_dependencies; i++)
		vsplit_fence_pace(job->dependencies[i].fence, vdev->exec, vsplit_job_waiter(job));
	if (job->record)
		job->foreign_event = vsplit_record_add_foreign(job->record, vbo, event);
	/* The times of the step are traced. */
	job->program.steps[0].flags |= VSPLIT_GPU_STEP_NOTIFY;
	vbo->paging_seqno++;
	vsplit_paging_count(vdev, event, vbo->paging_context, vbo->paging_seqno);
	vsplit_bo_use(vbo);
	job->bo = vbo;
	job->bos = &job->bo;
	job->nr_bos = 1;
	return vsplit_paging_push(job, vbo->paging_context, vbo->paging_seqno);
}

/*
 * Add one paging step to the statistics. @bytes: size of the allocation; @copied: bytes
 * transferred.
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
