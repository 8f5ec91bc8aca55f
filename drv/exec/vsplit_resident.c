// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: making resident
 *
 * MakeResident is a submission that has nothing to run. Its list has the allocations that are asked
 * for, and behind them the others that the device requires and that are missing (vsplit_require.c).
 * Like any submission, it is placed as a whole, so an admitted list has been shown to fit. The room
 * is reserved before (vsplit_room.c). Its program has only paging steps. It is a job of the
 * device's paging queue: each job depends on the one before, and a timeline that the client can
 * wait for shows how far they are. The device's submissions wait for them without the client's
 * help.
 *
 * The counts change when everything else has succeeded. Evict changes only counts, and then asks
 * the allocations that are not required any more to leave. Nothing waits for that.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/dma-fence-chain.h>
#include <linux/eventfd.h>
#include <linux/slab.h>

#include "exec/vsplit_hwq.h"
#include "exec/vsplit_submit.h"
#include "debug/vsplit_fault.h"
#include "debug/vsplit_trace.h"

/**
 * struct vsplit_asked - An allocation that a call names.
 * @vbo: reference.
 * @handle: a handle by which the client named it.
 * @count: how often the client named it.
 * @member: MakeResident: the new member until it is added to the requirement list; else NULL.
 */
struct vsplit_asked {
	struct vsplit_bo *vbo;
	u32 handle;
	u32 count;
	struct vsplit_member *member;
};

/**
 * struct vsplit_request - MakeResident or Evict while its ioctl runs.
 * @asked: the allocations, each once, in order of their creation.
 * @nr_asked: number of elements of @asked.
 * @none: MakeResident: the arguments of a submission that has nothing to run.
 * @s: that submission; of Evict only the adapter, the caller and its device are set.
 * @chain: the submission's point of the timeline.
 */
struct vsplit_request {
	struct vsplit_asked *asked;
	u32 nr_asked;
	struct drm_vsplit_submit none;
	struct vsplit_submit s;
	struct dma_fence_chain *chain;
};

/* ---- what a call is about ---- */

static int vsplit_asked_cmp(const void *a, const void *b)
{
	const struct vsplit_asked *x = a, *y = b;

	return x->vbo->id < y->vbo->id ? -1 : x->vbo->id > y->vbo->id;
}

/*
 * Keep one element for each allocation, as a file may have several handles for one. Sort them in
 * order of their creation, so that their places do not depend on kernel addresses.
 */
static void vsplit_request_merge(struct vsplit_request *r)
{
	u32 kept = 0, i;

	vsplit_sort(r->asked, r->nr_asked, sizeof(*r->asked), vsplit_asked_cmp);
	for (i = 0; i < r->nr_asked; i++) {
		if (kept && r->asked[kept - 1].vbo == r->asked[i].vbo) {
			r->asked[kept - 1].count++;
			drm_gem_object_put(&r->asked[i].vbo->tbo.base);
			continue;
		}
		r->asked[kept++] = r->asked[i];
	}
	r->nr_asked = kept;
}

static int vsplit_request_lookup(struct vsplit_request *r, const u32 *handles, u32 nr)
{
	struct drm_gem_object *gem;
	u32 i;

	r->asked = vsplit_fault("resident.asked") ? NULL :
		   kvmalloc_array(nr, sizeof(*r->asked), VSPLIT_GFP_ARRAY);
	if (!r->asked)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		cond_resched();
		gem = drm_gem_object_lookup(r->s.file, handles[i]);
		if (!gem)
			return -ENOENT;
		r->asked[r->nr_asked++] = (struct vsplit_asked) {
			.vbo = gem_to_vsplit_bo(gem),
			.handle = handles[i],
			.count = 1,
		};
	}
	vsplit_request_merge(r);
	return 0;
}

static bool vsplit_may_require(struct vsplit_device *vdev, struct vsplit_exec_file *efile)
{
	return !vsplit_refuse(vdev, !(vdev->config.contexts & ~BIT(VSPLIT_CTX_MODE_PATCH))) &&
	       !vsplit_refuse(vdev, READ_ONCE(efile->model) == VSPLIT_MODEL_WDDM1);
}

/* Nothing is locked, because copying from the client may take for ever. */
static int vsplit_request_init(struct vsplit_request *r, u32 unknown_flags, u64 handles, u32 nr)
{
	u32 *copy __free(kvfree) = NULL;
	struct vsplit_device *vdev = r->s.vdev;

	if (vsplit_refuse(vdev, unknown_flags) || vsplit_refuse(vdev, !nr) ||
	    !vsplit_may_require(vdev, r->s.efile))
		return -EINVAL;
	if (vsplit_refuse(vdev, nr > VSPLIT_MAX_RESIDENCY))
		return -E2BIG;
	copy = vsplit_submit_copy_array(handles, nr, sizeof(*copy), 0);
	return IS_ERR(copy) ? PTR_ERR(copy) : vsplit_request_lookup(r, copy, nr);
}

/* Make a request without allocations; NULL if there is no memory. */
static struct vsplit_request *vsplit_request_create(struct drm_device *drm, struct drm_file *file)
{
	struct vsplit_request *r = kzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);

	if (!r)
		return NULL;
	r->s.vdev = to_vsplit_device(drm);
	r->s.file = file;
	r->s.efile = vsplit_file_exec(file);
	return r;
}

static void vsplit_request_free(struct vsplit_request *r)
{
	u32 i;

	vsplit_submit_cleanup(&r->s);
	for (i = 0; i < r->nr_asked; i++) {
		vsplit_member_free(r->asked[i].member);
		drm_gem_object_put(&r->asked[i].vbo->tbo.base);
	}
	dma_fence_chain_free(r->chain);
	kvfree(r->asked);
	kfree(r);
}

DEFINE_FREE(vsplit_request, struct vsplit_request *, _T ? vsplit_request_free(_T) : (void)0)
DEFINE_FREE(vsplit_eventfd, struct eventfd_ctx *, _T ? eventfd_ctx_put(_T) : (void)0)

/* Run a request. No other request of its device runs at the same time. */
static int vsplit_request_run(struct vsplit_request *r,
			      int (*run)(struct vsplit_request *r, void *args), void *args)
{
	struct mutex *lock = &r->s.efile->paging.lock;
	int ret;

	if (vsplit_interrupted("resident.lock") || mutex_lock_interruptible(lock))
		return -ERESTARTSYS;
	ret = run(r, args);
	mutex_unlock(lock);
	return ret;
}

/* Run the request of an ioctl. */
static int vsplit_request_call(struct vsplit_request *r,
			       int (*run)(struct vsplit_request *r, void *args), void *args)
{
	int ret, idx;

	if (!drm_dev_enter(&r->s.vdev->drm, &idx))
		return -ENODEV;
	ret = vsplit_request_run(r, run, args);
	drm_dev_exit(idx);
	return ret;
}

/* ---- budgets ---- */

/* Return: bytes that a trim has asked for, and that the client would still owe with @r; or 0. */
static u64 vsplit_resident_owes(struct vsplit_request *r)
{
	u64 add[VSPLIT_NUM_GROUPS] = {};
	u32 i;

	for (i = 0; i < r->nr_asked; i++) {
		const struct vsplit_resid_object *object = &r->asked[i].vbo->resid;

		cond_resched();
		if (!vsplit_resid_count(r->s.efile->resid, &r->asked[i].vbo->resid))
			add[object->group] += object->bytes;
	}
	return vsplit_resid_unanswered(r->s.efile->resid, add);
}

/* ---- MakeResident ---- */

static int vsplit_resident_members(struct vsplit_request *r)
{
	struct vsplit_member *member;
	u32 i;

	for (i = 0; i < r->nr_asked; i++) {
		struct vsplit_asked *asked = &r->asked[i];
		u32 count = vsplit_resid_count(r->s.efile->resid, &asked->vbo->resid);

		if (vsplit_refuse(r->s.vdev, count > U32_MAX - asked->count))
			return -E2BIG;
		member = vsplit_member_create(r->s.efile->resid, &asked->vbo->resid,
					      asked->handle);
		if (IS_ERR(member)) {
			vsplit_refuse(r->s.vdev, PTR_ERR(member) == -E2BIG);
			return PTR_ERR(member);
		}
		asked->member = member;
	}
	return 0;
}

/* Make the job, and charge it. @may_wait: wait for that while the file is paced. */
static int vsplit_resident_enter(struct vsplit_request *r, bool may_wait)
{
	struct vsplit_account *account = r->s.efile->account;
	struct vsplit_queue *queue = vsplit_queue_get(r->s.vdev->exec->paging);
	struct vsplit_job *job = vsplit_job_create(queue, 0);
	u64 bytes;

	r->s.queue = queue;
	if (IS_ERR(job))
		return PTR_ERR(job);
	r->s.job = job;
	bytes = sizeof(*job) + sizeof(*r->s.record) + sizeof(struct vsplit_fence) +
		sizeof(*r->chain) +
		array_size(r->nr_asked, sizeof(*r->asked) + sizeof(*r->asked->member) +
			   VSPLIT_SUBMIT_LIST_BYTES + sizeof(*job->bos));
	return may_wait ? vsplit_account_enter(account, job, bytes) :
			  vsplit_account_charge(account, job, bytes);
}

/* Make a submission with the list that was asked for, and nothing to run. It has a job. */
static int vsplit_resident_prepare(struct vsplit_request *r)
{
	struct vsplit_submit *s = &r->s;
	int ret;
	u32 i;

	s->args = &r->none;
	s->resid = r->s.efile->resid;
	s->record = vsplit_record_create(r->s.vdev);
	if (!s->record)
		return -ENOMEM;
	s->job->record = vsplit_record_get(s->record);
	s->record->job = s->job;
	s->record->file = s->file;
	ret = vsplit_submit_alloc_list(s, r->nr_asked);
	if (ret)
		return ret;
	for (i = 0; i < r->nr_asked; i++) {
		drm_gem_object_get(&r->asked[i].vbo->tbo.base);
		vsplit_submit_append(s, r->asked[i].vbo, r->asked[i].handle, 0);
	}
	r->none.num_allocs = r->nr_asked;
	vsplit_submit_sort(s);
	r->chain = vsplit_fault("resident.chain") ? NULL : dma_fence_chain_alloc();
	return r->chain ? vsplit_resident_members(r) : -ENOMEM;
}

static bool vsplit_resident_moves(const struct vsplit_submit *s)
{
	u32 i;

	for (i = 0; i < s->nr_bos; i++)
		if (s->relocs[i].moved)
			return true;
	return false;
}

/* Publish the job. From now on all allocations are resident or on their way. This cannot fail. */
static void vsplit_resident_publish(struct vsplit_request *r, struct drm_vsplit_make_resident *args)
{
	struct vsplit_exec_paging *paging = &r->s.efile->paging;
	struct vsplit_submit *s = &r->s;
	struct vsplit_list_alloc *item = NULL;
	struct dma_fence *fence;

	vsplit_submit_trace(s, paging->context, paging->seqno + 1);
	vsplit_relocs_zap(s->relocs, s->nr_bos);
	vsplit_record_put(s->job->record);
	s->job->record = NULL;
	fence = vsplit_paging_push(s->job, paging->context, ++paging->seqno);
	s->job = NULL;
	while ((item = vsplit_submit_next(s, item)))
		dma_resv_add_fence(item->vbo->tbo.base.resv, fence,
				   s->relocs[item->plan].moved ? DMA_RESV_USAGE_KERNEL :
								 DMA_RESV_USAGE_BOOKKEEP);
	/*
	 * Tell of the arrival before the allocations stop being missing: a submission that finds
	 * none missing must find the fence.
	 */
	vsplit_resid_arrive(r->s.efile->resid, &paging->work, fence);
	vsplit_submit_take_place(s, fence);
	/* Pairs with vsplit_hw_get(). */
	vsplit_hw_renew(smp_load_acquire(&r->s.efile->hw));
	args->point = ++paging->point;
	drm_syncobj_add_point(paging->syncobj, r->chain, fence, args->point);
	r->chain = NULL;
	dma_fence_put(fence);
}

static void vsplit_resident_commit(struct vsplit_request *r, struct drm_vsplit_make_resident *args)
{
	struct vsplit_submit *s = &r->s;
	u32 i;

	args->point = 0;
	args->trim_bytes = 0;
	if (vsplit_resident_moves(s) || s->job->nr_dependencies)
		vsplit_resident_publish(r, args);
	else
		vsplit_submit_take_place(s, NULL);
	for (i = 0; i < r->nr_asked; i++) {
		struct vsplit_asked *asked = &r->asked[i];

		vsplit_resid_add(r->s.efile->resid, asked->member, asked->count,
				 vsplit_bo_is_resident(asked->vbo));
		asked->member = NULL;
		cond_resched();
	}
}

static int vsplit_resident_locked(struct vsplit_request *r, void *data)
{
	struct vsplit_exec_paging *paging = &r->s.efile->paging;
	struct drm_vsplit_make_resident *args = data;
	struct vsplit_submit *s = &r->s;
	u64 lacks;
	int ret;

	if (vsplit_exec_file_state(r->s.efile) != VSPLIT_STATE_ACTIVE)
		return -EIO;
	lacks = args->flags & VSPLIT_RESIDENT_CANT_TRIM_FURTHER ? 0 : vsplit_resident_owes(r);
	if (lacks)
		goto full;
	ret = paging->syncobj ? 0 : drm_syncobj_create(&paging->syncobj, 0, NULL);
	if (!ret)
		ret = vsplit_resident_prepare(r);
	if (ret)
		return ret;
	lacks = vsplit_resid_short(s->resid);
	if (lacks)
		goto full;
	ret = vsplit_submit_place(s);
	/* The list fits by its bytes, but not each allocation finds a place in one piece. */
	if (ret == -ENOSPC)
		args->trim_bytes = PAGE_SIZE;
	if (!ret)
		ret = vsplit_submit_depend(s);
	if (!ret && paging->work.arrival)
		ret = vsplit_job_depend(s->job, dma_fence_get(paging->work.arrival));
	if (!ret && vsplit_fault("resident.late"))
		ret = -ENOMEM;
	if (!ret)
		ret = vsplit_exec_set_model(r->s.efile, VSPLIT_MODEL_WDDM2);
	if (!ret)
		vsplit_resident_commit(r, args);
	vsplit_submit_unplace(s);
	if (!ret)
		vsplit_resid_check_budget(r->s.efile->resid);
	return ret;
full:
	args->trim_bytes = lacks;
	return -ENOSPC;
}

/**
 * vsplit_resident_page_in() - Bring in the missing allocations of a device, if any.
 * @drm: the adapter.
 * @file: the device's file, which stays open.
 *
 * For devices with hardware queues, whose work is no submission. Does not wait for the GPU, even if
 * the file is paced.
 *
 * Return: 0, or an error as of DRM_IOCTL_VSPLIT_MAKE_RESIDENT.
 */
int vsplit_resident_page_in(struct drm_device *drm, struct drm_file *file)
{
	struct drm_vsplit_make_resident args = { .flags = VSPLIT_RESIDENT_CANT_TRIM_FURTHER };
	struct vsplit_request *r __free(vsplit_request) = vsplit_request_create(drm, file);
	int ret = r ? vsplit_resident_enter(r, false) : -ENOMEM;

	return ret ?: vsplit_request_run(r, vsplit_resident_locked, &args);
}

int vsplit_make_resident_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	u64 begin_ns = trace_vsplit_make_resident_enabled() ? ktime_get_ns() : 0;
	struct drm_vsplit_make_resident *args = data;
	struct vsplit_request *r __free(vsplit_request) = vsplit_request_create(drm, file);
	int ret = r ? vsplit_account_wait(r->s.efile->account) : -ENOMEM;

	if (!ret)
		ret = vsplit_request_init(r, args->flags & ~VSPLIT_RESIDENT_FLAGS, args->handles,
					  args->num_handles);
	/* This may wait for the file's own work: nothing that other calls need is held. */
	if (!ret)
		ret = vsplit_resident_enter(r, true);
	if (!ret)
		ret = vsplit_request_call(r, vsplit_resident_locked, args);
	trace_vsplit_make_resident(vsplit_file_resid(file), begin_ns, args->num_handles,
				   ret ? 0 : args->point, ret == -ENOSPC ? args->trim_bytes : 0,
				   ret);
	return ret;
}

/* ---- Evict ---- */

static int vsplit_evict_check(struct vsplit_request *r)
{
	u32 i;

	for (i = 0; i < r->nr_asked; i++) {
		u32 count = vsplit_resid_count(r->s.efile->resid, &r->asked[i].vbo->resid);

		if (vsplit_refuse(r->s.vdev, count < r->asked[i].count))
			return -EINVAL;
		cond_resched();
	}
	return 0;
}

/* This need not succeed: an allocation that stays will leave when its place is needed. */
static void vsplit_evict_one(struct vsplit_request *r, struct vsplit_bo *vbo, u32 flags, bool gone,
			     struct vsplit_txn *txn)
{
	bool leave = gone && !(flags & VSPLIT_EVICT_IF_NECESSARY);

	if (!leave && !(flags & VSPLIT_EVICT_NOT_WRITTEN))
		return;
	if (ttm_bo_reserve(&vbo->tbo, true, false, NULL))
		return;
	/* Another file or driver that knows it may have written it. */
	if ((flags & VSPLIT_EVICT_NOT_WRITTEN) && !vsplit_bo_is_known(vbo))
		vbo->dirty = false;
	if (leave && !vbo->tbo.pin_count &&
	    !vsplit_resid_rank(&r->s.vdev->mm.resid, &vbo->resid, NULL))
		vsplit_bo_evict_to_set(vbo, 0, &txn->ctx);
	ttm_bo_unreserve(&vbo->tbo);
}

static void vsplit_evict_take(struct vsplit_request *r, u32 flags)
{
	struct vsplit_txn txn;
	bool may;
	u32 i;

	vsplit_txn_init(&txn, &r->s.vdev->mm, NULL, true);
	txn.client = r->s.efile->account;
	txn.resid = r->s.efile->resid;
	may = !vsplit_txn_begin(&txn);
	for (i = 0; i < r->nr_asked; i++) {
		struct vsplit_bo *vbo = r->asked[i].vbo;
		bool gone = vsplit_resid_take(r->s.efile->resid, &vbo->resid, r->asked[i].count);

		vsplit_evict_one(r, vbo, flags, gone && may, &txn);
		cond_resched();
	}
	vsplit_txn_end(&txn);
}

static int vsplit_evict_locked(struct vsplit_request *r, void *data)
{
	struct drm_vsplit_evict *args = data;
	int ret = vsplit_evict_check(r);

	if (ret)
		return ret;
	vsplit_evict_take(r, args->flags);
	args->trim_bytes = vsplit_resid_owed(r->s.efile->resid);
	return 0;
}

int vsplit_evict_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	u64 begin_ns = trace_vsplit_evict_enabled() ? ktime_get_ns() : 0;
	struct drm_vsplit_evict *args = data;
	struct vsplit_request *r __free(vsplit_request) = vsplit_request_create(drm, file);
	int ret = r ? vsplit_request_init(r, args->flags & ~VSPLIT_EVICT_FLAGS, args->handles,
					  args->num_handles) : -ENOMEM;

	if (!ret)
		ret = vsplit_request_call(r, vsplit_evict_locked, args);

	trace_vsplit_evict(vsplit_file_resid(file), begin_ns, args->num_handles, 0,
			   ret ? 0 : args->trim_bytes, ret);
	return ret;
}

/* ---- the query ---- */

static int vsplit_residency_handle(struct vsplit_exec_file *efile, struct drm_file *file,
				   u32 *handle)
{
	struct vsplit_exec_paging *paging = &efile->paging;
	int ret = 0;

	if (!paging->syncobj)
		ret = drm_syncobj_create(&paging->syncobj, 0, NULL);
	if (!ret && !paging->handle)
		ret = drm_syncobj_get_handle(file, paging->syncobj, &paging->handle);
	*handle = paging->handle;
	return ret;
}

/* The eventfd that a query names, as a reference; NULL: none. */
static struct eventfd_ctx *vsplit_residency_eventfd(struct vsplit_device *vdev,
						    const struct drm_vsplit_residency *args)
{
	bool named = args->flags & VSPLIT_RESIDENCY_EVENTFD;

	if (vsplit_refuse(vdev, args->flags & ~VSPLIT_RESIDENCY_FLAGS) ||
	    vsplit_refuse(vdev, !named && args->fd))
		return ERR_PTR(-EINVAL);
	return named && args->fd != -1 ? eventfd_ctx_fdget(args->fd) : NULL;
}

int vsplit_residency_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct vsplit_exec_file *efile = vsplit_file_exec(file);
	struct drm_vsplit_residency *args = data;
	struct drm_gem_object *gem __free(vsplit_gem) = NULL;
	struct eventfd_ctx *eventfd __free(vsplit_eventfd) = NULL;
	int ret;

	eventfd = vsplit_residency_eventfd(vdev, args);
	if (IS_ERR(eventfd))
		return PTR_ERR(no_free_ptr(eventfd));
	if (args->handle) {
		gem = drm_gem_object_lookup(file, args->handle);
		if (!gem)
			return -ENOENT;
	}
	if (vsplit_interrupted("resident.query") || mutex_lock_interruptible(&efile->paging.lock))
		return -ERESTARTSYS;
	ret = vsplit_residency_handle(efile, file, &args->syncobj);
	args->point = efile->paging.point;
	mutex_unlock(&efile->paging.lock);
	if (!ret)
		ret = vsplit_resid_arm(efile->resid, file,
				       args->flags & VSPLIT_RESIDENCY_WATCH_BUDGET);
	if (ret)
		return ret;
	if (args->flags & VSPLIT_RESIDENCY_EVENTFD)
		vsplit_resid_set_eventfd(efile->resid, no_free_ptr(eventfd));
	args->count = gem ? vsplit_resid_count(efile->resid, &gem_to_vsplit_bo(gem)->resid) : 0;
	vsplit_resid_query(efile->resid, args);
	return 0;
}

int vsplit_reserve_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct vsplit_exec_file *efile = vsplit_file_exec(file);
	struct drm_vsplit_reserve *args = data;

	if (vsplit_refuse(vdev, args->pad) ||
	    vsplit_refuse(vdev, args->group >= VSPLIT_NUM_GROUPS) ||
	    !vsplit_may_require(vdev, efile))
		return -EINVAL;
	return vsplit_resid_reserve(efile->resid, args->group, args->bytes, &args->available);
}
