// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: contexts
 *
 * A context of userspace is a queue: a drm_sched entity on one engine, a fence context, a state and
 * the records of its last submissions. The kernel has its own queue for paging outside submissions.
 * The jobs of this queue have no order, so it has no entity, which would let all jobs wait for the
 * first one, and no fence context.
 *
 * The entity of a queue is never killed with work in it: jobs hold references to the queue, so the
 * entity is torn down only when it is empty. A queue that is lost (fault, hang) goes on running its
 * jobs, but their RUN steps are skipped: the paging steps of committed programs must happen.
 *
 * When a file is closed, its accepted work runs on. But if its process was killed
 * (vsplit_exec_kill()), the RUN steps of all that the file has submitted end at the next packet,
 * and the fences have -ECANCELED; paging steps are executed.
 */
#include <drm/drm_auth.h>
#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "exec/vsplit_hwq.h"
#include "debug/vsplit_fault.h"
#include "debug/vsplit_trace.h"
#include "vsplit_user.h"

/*
 * Make the queue that paging jobs belong to. @engine: index in exec->engines. Return: a reference,
 * or ERR_PTR(-ENOMEM).
 */
struct vsplit_queue *vsplit_queue_create_paging(struct vsplit_device *vdev, u32 engine)
{
	struct vsplit_exec *exec = vdev->exec;
	struct vsplit_queue *queue;

	queue = vsplit_fault("queue.create") ? NULL : kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);
	if (!queue)
		return ERR_PTR(-ENOMEM);

	kref_init(&queue->ref);
	mutex_init(&queue->submit_lock);
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->records);
	INIT_LIST_HEAD(&queue->jobs);
	INIT_LIST_HEAD(&queue->parked);
	INIT_LIST_HEAD(&queue->work.link);
	queue->vdev = vdev;
	queue->engine = &exec->engines[engine];
	vsplit_gpu_context_init(&queue->hw, &exec->client, VSPLIT_GPU_PAGING);
	queue->uid = atomic64_inc_return(&exec->next_uid);
	strscpy_pad(queue->timeline, "vsplit-paging");
	return queue;
}

/** vsplit_queue_create() - Make a queue on an engine. Return: a reference, or ERR_PTR(-ENOMEM). */
struct vsplit_queue *vsplit_queue_create(struct vsplit_device *vdev, u32 engine,
					 enum drm_sched_priority priority, u32 flags,
					 struct vsplit_account *account)
{
	struct vsplit_queue *queue = vsplit_queue_create_paging(vdev, engine);
	u32 level = priority - DRM_SCHED_PRIORITY_HIGH;
	struct drm_gpu_scheduler *sched;
	int ret;

	if (IS_ERR(queue))
		return queue;
	sched = &queue->engine->sched;
	vsplit_gpu_context_init(&queue->hw, &account->clients[engine], level);
	snprintf(queue->timeline, sizeof(queue->timeline), "vsplit-ctx-%llu", queue->uid);
	queue->flags = flags;
	queue->fence_context = dma_fence_context_alloc(1);

	ret = drm_sched_entity_init(&queue->entity, priority, &sched, 1, NULL);
	if (ret) {
		mutex_destroy(&queue->submit_lock);
		kfree(queue);
		return ERR_PTR(ret);
	}
	queue->account = vsplit_account_get(account);
	return queue;
}

struct vsplit_queue *vsplit_queue_get(struct vsplit_queue *queue)
{
	kref_get(&queue->ref);
	return queue;
}

/* Bytes of a context with its table. */
static u64 vsplit_queue_bytes(u32 slots)
{
	return sizeof(struct vsplit_queue) + struct_size_t(struct vsplit_gpu_table, rows, slots);
}

/* Make the empty table of a context; both are charged to the context's user. */
static int vsplit_queue_make_table(struct vsplit_queue *queue, u32 slots)
{
	struct vsplit_user *user = queue->account->user;
	int ret;

	ret = vsplit_user_charge(user, VSPLIT_USER_PAGES, vsplit_queue_bytes(slots));
	if (ret)
		return ret;
	queue->table = vsplit_fault("queue.table") ? NULL :
		       kvzalloc(struct_size(queue->table, rows, slots), VSPLIT_GFP_ARRAY);
	if (!queue->table) {
		vsplit_user_uncharge(user, VSPLIT_USER_PAGES, vsplit_queue_bytes(slots));
		return -ENOMEM;
	}
	queue->table->nr_slots = slots;
	return 0;
}

static void vsplit_queue_release(struct kref *ref)
{
	struct vsplit_queue *queue = container_of(ref, struct vsplit_queue, ref);

	/* The entity is empty: every job of the queue held a reference. */
	if (!vsplit_queue_is_paging(queue))
		drm_sched_entity_fini(&queue->entity);
	/* The hardware queue may have been made after the context was destroyed. */
	vsplit_hwq_close(queue);
	vsplit_hwq_put(queue->hwq);
	if (queue->resid)
		vsplit_resid_work_end(queue->resid, &queue->work);
	vsplit_resid_put(queue->resid);
	vsplit_records_drop(queue);
	if (queue->table)
		vsplit_user_uncharge(queue->account->user, VSPLIT_USER_PAGES,
				     vsplit_queue_bytes(queue->table->nr_slots));
	vsplit_account_put(queue->account);
	vsplit_va_put(queue->va);
	vsplit_mfences_put(queue->fences);
	mutex_destroy(&queue->submit_lock);
	kvfree(queue->table);
	if (queue->id)
		atomic_dec(&queue->vdev->stats.nr_queues);
	kfree(queue);
}

/** vsplit_queue_put() - Drop a reference; may sleep; not from a scheduler's work; NULL is fine. */
void vsplit_queue_put(struct vsplit_queue *queue)
{
	if (queue)
		kref_put(&queue->ref, vsplit_queue_release);
}

/** vsplit_queue_lookup() - Find a context of a file by id. Return: a reference, or NULL. */
struct vsplit_queue *vsplit_queue_lookup(struct vsplit_exec_file *efile, u32 id)
{
	struct vsplit_queue *queue;

	xa_lock(&efile->queues);
	queue = xa_load(&efile->queues, id);
	if (queue)
		vsplit_queue_get(queue);
	xa_unlock(&efile->queues);
	return queue;
}

/*
 * Make a context lost because of a portion of @job, and after a page fault its device, too; the
 * first reason counts. @state: not ACTIVE. Does not sleep; signalling side too.
 */
void vsplit_queue_lose(struct vsplit_queue *queue, u32 state, const struct vsplit_job *job,
		       u32 portion)
{
	bool first = false;

	spin_lock(&queue->lock);
	/* Under the lock: a query that finds the context lost must find its device lost, too. */
	if (state == VSPLIT_STATE_LOST_PAGE_FAULT) {
		cmpxchg(&queue->account->lost, VSPLIT_STATE_ACTIVE, state);
		WRITE_ONCE(queue->account->faulted, true);
	}
	if (queue->state == VSPLIT_STATE_ACTIVE) {
		first = true;
		WRITE_ONCE(queue->state, state);
		queue->fault_portion = portion;
		queue->fault = job->program.fault;
		queue->lost_submission = job->submission;
	}
	spin_unlock(&queue->lock);

	if (!first)
		return;
	vsplit_jobs_cancel(queue);
	if (queue->account)
		vsplit_park_kick(queue->account);
	trace_vsplit_ctx_lost(queue->vdev, queue->uid, state, job->submission);
}

/** vsplit_queue_lost() - Is a context lost? It stays lost for ever. No lock is needed. */
bool vsplit_queue_lost(struct vsplit_queue *queue)
{
	return READ_ONCE(queue->state) != VSPLIT_STATE_ACTIVE;
}

/* State of a device: enum drm_vsplit_state. No lock is needed. */
u32 vsplit_exec_file_state(struct vsplit_exec_file *efile)
{
	return READ_ONCE(efile->account->lost);
}

/* In DRM the higher priority has the lower number. */
static int vsplit_ctx_priority(struct drm_file *file, u32 value, enum drm_sched_priority *priority)
{
	if (value > VSPLIT_CTX_PRIORITY_HIGH)
		return -EINVAL;
	*priority = DRM_SCHED_PRIORITY_LOW - value;
	return value < VSPLIT_CTX_PRIORITY_HIGH || capable(CAP_SYS_NICE) ||
	       drm_is_current_master(file) ? 0 : -EACCES;
}

/*
 * Decide the model of a file: that of a context or of a requirement list. Return: 0, or -EINVAL:
 * the file has the other model.
 */
int vsplit_exec_set_model(struct vsplit_exec_file *efile, enum vsplit_model model)
{
	guard(mutex)(&efile->lock);
	if (efile->model == VSPLIT_MODEL_NONE)
		efile->model = model;
	return efile->model == model ? 0 : -EINVAL;
}

/* Make a device lost. @state: why, not ACTIVE; the first reason counts. */
void vsplit_exec_lose_device(struct vsplit_exec_file *efile, u32 state)
{
	vsplit_sync_point("exec.lose");
	cmpxchg(&efile->account->lost, VSPLIT_STATE_ACTIVE, state);
	if (READ_ONCE(efile->hw))
		vsplit_jobs_kill(efile->hw->vdev->exec, efile->account, true);
	vsplit_resid_lose(efile->resid);
	vsplit_park_kick(efile->account);
}

/*
 * Let the context join its file. This decides the file's model and address space, so it is the last
 * step that may fail.
 */
static int vsplit_ctx_join(struct vsplit_exec_file *efile, struct vsplit_queue *queue, bool has_va)
{
	enum vsplit_model model = queue->mode == VSPLIT_CTX_MODE_PATCH ? VSPLIT_MODEL_WDDM1 :
				  VSPLIT_MODEL_WDDM2;
	struct vsplit_va *va;

	guard(mutex)(&efile->lock);
	if (efile->model != VSPLIT_MODEL_NONE && efile->model != model)
		return -EINVAL;
	if (has_va && !efile->va) {
		va = vsplit_va_create(queue->vdev, efile->account->user);
		if (IS_ERR(va))
			return PTR_ERR(va);
		WRITE_ONCE(efile->va, va);
	}
	if (has_va)
		queue->va = vsplit_va_get(efile->va);
	efile->model = model;
	return 0;
}

int vsplit_ctx_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct vsplit_exec_file *efile = vsplit_file_exec(file);
	struct drm_vsplit_ctx_create *args = data;
	struct vsplit_queue *queue __free(vsplit_queue) = NULL;
	bool has_va = args->mode == VSPLIT_CTX_MODE_VA || args->mode == VSPLIT_CTX_MODE_HW;
	enum drm_sched_priority priority;
	u32 engine;
	int ret;

	if (vsplit_refuse(vdev, args->flags & ~VSPLIT_CTX_FLAGS) ||
	    vsplit_refuse(vdev, args->engine >= vdev->exec->nr_engines) ||
	    vsplit_refuse(vdev, args->mode > VSPLIT_CTX_MODE_HW) ||
	    vsplit_refuse(vdev, !(vdev->config.contexts & BIT(args->mode))) ||
	    vsplit_refuse(vdev, args->pad))
		return -EINVAL;
	ret = vsplit_ctx_priority(file, args->priority, &priority);
	if (ret)
		return ret;

	engine = array_index_nospec(args->engine, vdev->exec->nr_engines);
	queue = vsplit_queue_create(vdev, engine, priority, args->flags, efile->account);
	if (IS_ERR(queue))
		return PTR_ERR(no_free_ptr(queue));
	queue->mode = args->mode;
	queue->fences = vsplit_mfences_get(efile->fences);
	if (queue->mode != VSPLIT_CTX_MODE_PATCH)
		queue->resid = vsplit_resid_get(efile->resid);
	ret = vsplit_queue_make_table(queue, has_va ? 0 : vdev->config.slots);
	if (ret)
		return ret;

	/* Take the id first, and make the queue visible last. */
	ret = xa_alloc(&efile->queues, &queue->id, NULL,
		       XA_LIMIT(1, VSPLIT_EXEC_MAX_QUEUES), GFP_KERNEL_ACCOUNT);
	if (ret) {
		/* No id was stored: clear it, so that the queue is not counted. */
		queue->id = 0;
		return ret == -EBUSY ? -ENOSPC : ret;
	}
	atomic_inc(&vdev->stats.nr_queues);
	ret = vsplit_ctx_join(efile, queue, has_va);
	vsplit_refuse(vdev, ret == -EINVAL);
	if (ret) {
		xa_erase(&efile->queues, queue->id);
		return ret;
	}
	args->ctx = queue->id;
	vsplit_sync_point("queue.publish");
	xa_store(&efile->queues, args->ctx, no_free_ptr(queue), GFP_KERNEL);
	return 0;
}

/*
 * Take a context out of its file. If the id is taken, but its context is not visible yet, the id
 * stays taken: xa_erase() would give it to the next context.
 */
static struct vsplit_queue *vsplit_queue_remove(struct vsplit_exec_file *efile, u32 id)
{
	struct vsplit_queue *queue;

	xa_lock(&efile->queues);
	queue = xa_load(&efile->queues, id);
	if (queue)
		__xa_erase(&efile->queues, id);
	xa_unlock(&efile->queues);
	return queue;
}

int vsplit_ctx_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_exec_file *efile = vsplit_file_exec(file);
	struct drm_vsplit_ctx_destroy *args = data;
	struct vsplit_queue *queue;

	if (vsplit_refuse(to_vsplit_device(drm), args->pad))
		return -EINVAL;
	queue = vsplit_queue_remove(efile, args->ctx);
	if (!queue)
		return -ENOENT;

	vsplit_park_end(queue, false);
	vsplit_hwq_close(queue);
	vsplit_queue_put(queue);
	return 0;
}

static void vsplit_ctx_fill_query(struct vsplit_queue *queue, struct drm_vsplit_ctx_query *args)
{
	guard(spinlock)(&queue->lock);
	args->state = queue->state;
	args->fault = queue->fault.fault;
	args->fault_portion = queue->fault_portion;
	args->fault_offset = queue->fault.offset;
	args->fault_slot = queue->fault.slot;
	if (vsplit_gpu_fault_is_page(queue->fault.fault)) {
		args->fault_address = queue->fault.address;
		args->fault_access = queue->fault.write ? VSPLIT_ACCESS_WRITE : VSPLIT_ACCESS_READ;
		args->fault_engine = vsplit_gpu_engine_index(queue->engine->hw);
	}
	args->submission = queue->lost_submission;
	args->last_submission = queue->last_submission;
}

int vsplit_ctx_query_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_exec_file *efile = vsplit_file_exec(file);
	struct vsplit_queue *queue __free(vsplit_queue) = NULL;
	struct drm_vsplit_ctx_query *args = data;
	u32 ctx = args->ctx;

	if (vsplit_refuse(to_vsplit_device(drm), args->pad))
		return -EINVAL;
	if (ctx) {
		queue = vsplit_queue_lookup(efile, ctx);
		if (!queue)
			return -ENOENT;
	}

	memset(args, 0, sizeof(*args));
	args->ctx = ctx;
	if (queue)
		vsplit_ctx_fill_query(queue, args);
	/* Read it after the context's state: both are lost together (vsplit_queue_lose()). */
	args->device_state = vsplit_exec_file_state(efile);
	/* All contexts of a lost device are lost. */
	if (args->state == VSPLIT_STATE_ACTIVE)
		args->state = args->device_state;
	return 0;
}

/* Initialise exec's part of a file, which is zeroed. Return: 0 or -ENOMEM. */
int vsplit_exec_open(struct vsplit_device *vdev, struct vsplit_exec_file *efile,
		     struct drm_file *file)
{
	int ret;

	efile->account = vsplit_account_create(vdev->config.engines, vdev->config.paging_own);
	if (!efile->account)
		return -ENOMEM;
	efile->fences = vsplit_mfences_create(efile->account->user);
	efile->resid = vsplit_resid_create(&vdev->mm.resid, &vdev->drm, file->client_id);
	ret = efile->resid && efile->fences ? vsplit_resid_arm(efile->resid, file, false) : -ENOMEM;
	if (ret) {
		if (efile->resid)
			vsplit_resid_close(efile->resid);
		vsplit_mfences_put(efile->fences);
		vsplit_account_put(efile->account);
		return ret;
	}
	mutex_init(&efile->paging.lock);
	INIT_LIST_HEAD(&efile->paging.work.link);
	efile->paging.context = dma_fence_context_alloc(1);
	mutex_init(&efile->lock);
	xa_init_flags(&efile->queues, XA_FLAGS_ALLOC1);
	vsplit_park_open(efile);
	return 0;
}

/* Does the calling task exit because of SIGKILL? drm_sched checks the same. */
static bool vsplit_current_killed(void)
{
	return (current->flags & PF_EXITING) && current->exit_code == SIGKILL;
}

/*
 * A descriptor of a file is closed: note whether the closing task was killed. The task that closes
 * the last descriptor may not be the task that drops the last reference: when a process ends, a
 * task that looks at its mappings in /proc may drop the last reference.
 */
void vsplit_exec_flush(struct vsplit_exec_file *efile)
{
	WRITE_ONCE(efile->killed, vsplit_current_killed());
}

/*
 * Cut the work of a killed file short; its last reference goes, and no call uses it any more.
 * Parked submissions may still be published; vsplit_exec_close() ends that. Return: true if it was
 * killed.
 */
bool vsplit_exec_kill(struct vsplit_device *vdev, struct vsplit_exec_file *efile)
{
	bool killed = READ_ONCE(efile->killed) || vsplit_current_killed();

	if (killed)
		vsplit_jobs_kill(vdev->exec, efile->account, false);
	return killed;
}

/*
 * Close a file, which no call uses any more. Its submissions go on, unless its process was killed.
 */
void vsplit_exec_close(struct vsplit_device *vdev, struct vsplit_exec_file *efile)
{
	struct vsplit_queue *queue;
	unsigned long id;
	bool killed;

	vsplit_park_close(efile);
	killed = vsplit_exec_kill(vdev, efile);
	vsplit_sync_point("exec.close");
	xa_for_each(&efile->queues, id, queue) {
		vsplit_park_end(queue, killed);
		vsplit_hwq_close(queue);
		vsplit_queue_put(queue);
	}
	xa_destroy(&efile->queues);
	vsplit_hw_free(efile->hw);
	vsplit_resid_work_end(efile->resid, &efile->paging.work);
	vsplit_resid_close(efile->resid);
	if (efile->paging.syncobj)
		drm_syncobj_put(efile->paging.syncobj);
	mutex_destroy(&efile->paging.lock);
	vsplit_va_put(efile->va);
	vsplit_mfences_end(efile->fences, -ECANCELED);
	vsplit_mfences_put(efile->fences);
	vsplit_account_put(efile->account);
	mutex_destroy(&efile->lock);
}

void vsplit_exec_show_fdinfo(struct vsplit_device *vdev, struct vsplit_exec_file *efile,
			     struct drm_printer *p)
{
	vsplit_account_show_fdinfo(vdev->exec, efile->account, p);
	vsplit_resid_show_fdinfo(efile->resid, p);
}
