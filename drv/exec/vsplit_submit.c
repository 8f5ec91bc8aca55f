// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: submission
 *
 * A submission takes one DMA buffer from the ioctl to the engine, in the stages that
 * Documentation/architecture.rst describes; that page also says why this cannot deadlock. This file
 * has the stages that parse, depend and commit. The rules are:
 *
 * - The whole DMA buffer is one program, with the paging of its allocations. Only those that must
 *   leave their place, or return to a preferred segment, move before, by separate jobs.
 * - All dependencies gate the start of the program.
 * - Evictions of other allocations are separate jobs. Each is published before the next decision is
 *   taken.
 * - No fence, range or resource of the submission is published while planning goes on.
 *
 * Rejected: one drm_sched job for each portion (other entities run in between, and an entity that
 * is killed loses paging jobs, and with them data); publishing moves while planning (two planners
 * would wait for each other).
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "exec/vsplit_submit.h"
#include "mm/vsplit_layout.h"
#include "debug/vsplit_fault.h"
#include "debug/vsplit_trace.h"

/* ---- 1. parse ---- */

static int vsplit_submit_check_args(struct vsplit_submit *s)
{
	const struct drm_vsplit_submit *args = s->args;
	struct vsplit_device *vdev = s->vdev;

	if (vsplit_refuse(vdev, args->flags & ~VSPLIT_SUBMIT_FLAGS) ||
	    vsplit_refuse(vdev, s->resid && (args->flags & VSPLIT_SUBMIT_FORCE_SPLIT)) ||
	    vsplit_refuse(vdev, args->pad) ||
	    vsplit_refuse(vdev, !args->stream_bytes) ||
	    vsplit_refuse(vdev, args->stream_bytes % 8))
		return -EINVAL;
	if (vsplit_refuse(vdev, args->stream_bytes > VSPLIT_EXEC_MAX_STREAM) ||
	    vsplit_refuse(vdev, args->num_allocs > VSPLIT_EXEC_MAX_ALLOCS) ||
	    vsplit_refuse(vdev, args->num_patches > VSPLIT_EXEC_MAX_PATCHES) ||
	    vsplit_refuse(vdev, args->num_syncs > VSPLIT_EXEC_MAX_SYNCS))
		return -E2BIG;
	return 0;
}

/* Check the limits of a context with virtual addresses (RES-16, RES-17). */
static int vsplit_submit_check_va(struct vsplit_submit *s)
{
	if (!s->queue->va)
		return 0;
	if (vsplit_refuse(s->vdev, s->args->num_patches))
		return -EINVAL;
	if (vsplit_refuse(s->vdev, s->args->num_allocs > VSPLIT_MAX_VA_ALLOCS))
		return -E2BIG;
	return 0;
}

/* Can the submission's context execute anything? Return: 0 or -EIO. */
int vsplit_submit_check_state(struct vsplit_submit *s)
{
	if (vsplit_refuse(s->vdev, vsplit_exec_file_state(s->efile) != VSPLIT_STATE_ACTIVE) ||
	    vsplit_refuse(s->vdev, vsplit_queue_lost(s->queue)))
		return -EIO;
	return 0;
}

/*
 * Copy a client's array, not empty, into kernel memory, with @more bytes behind the elements that
 * are not initialised. Unlike vmemdup_array_user(), this charges the client, and gives no warning
 * when it fails. Return: the copy for kvfree(), or ERR_PTR(): -ENOMEM, -EFAULT.
 */
void *vsplit_submit_copy_array(u64 pointer, u32 nr, size_t size, size_t more)
{
	void *copy;

	copy = vsplit_fault("submit.copy") ? NULL :
	       kvmalloc(size_add(array_size(nr, size), more), VSPLIT_GFP_ARRAY);
	if (!copy)
		return ERR_PTR(-ENOMEM);
	if (vsplit_fault("submit.copy_user") ||
	    copy_from_user(copy, u64_to_user_ptr(pointer), array_size(nr, size))) {
		kvfree(copy);
		return ERR_PTR(-EFAULT);
	}
	return copy;
}

static int vsplit_submit_copy(struct vsplit_submit *s)
{
	const struct drm_vsplit_submit *args = s->args;
	void *copy;

	/* Behind the stream there is room for the validator's map. */
	copy = vsplit_submit_copy_array(args->stream, args->stream_bytes, 1,
					vsplit_parse_map_bytes(args->stream_bytes));
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	s->stream = copy;

	if (!args->num_patches)
		return 0;
	copy = vsplit_submit_copy_array(args->patches, args->num_patches,
					sizeof(struct drm_vsplit_patch), 0);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	s->patches = copy;
	return 0;
}

/*
 * Put an allocation on the list, which has room, and whose unused elements are 0. Takes over the
 * reference to @vbo. @handle: by which the client names it. @flags: VSPLIT_ALLOC_*.
 */
void vsplit_submit_append(struct vsplit_submit *s, struct vsplit_bo *vbo, u32 handle, u32 flags)
{
	struct vsplit_list_alloc *item = &s->list[s->nr_list++];

	item->vbo = vbo;
	item->handle = handle;
	item->flags = flags;
	item->plan = s->nr_bos;
	s->sorted[s->nr_bos++] = vbo;
	s->bytes += round_up(vbo->tbo.base.size, vbo->align);
	s->align = max(s->align, vbo->align);
	s->segments |= vbo->resid.segments;
	s->evict_segments |= vbo->evict_set;
	s->gem_flags |= vbo->flags;
}

/*
 * Make room for @nr elements of the list, and of the arrays in the same memory. The elements are
 * kept, @parsed is not. Nothing is locked. Return: 0 or -ENOMEM.
 */
int vsplit_submit_alloc_list(struct vsplit_submit *s, u32 nr)
{
	struct vsplit_list_alloc *list;
	struct vsplit_bo **sorted;

	if (nr <= s->max_list)
		return 0;
	list = kvcalloc(nr, VSPLIT_SUBMIT_LIST_BYTES, VSPLIT_GFP_ARRAY);
	if (!list)
		return -ENOMEM;
	s->relocs = (void *)(list + nr);
	sorted = (void *)(s->relocs + nr);
	if (s->nr_list)
		memcpy(list, s->list, array_size(s->nr_list, sizeof(*list)));
	if (s->nr_bos)
		memcpy(sorted, s->sorted, array_size(s->nr_bos, sizeof(*sorted)));
	kvfree(s->list);
	s->list = list;
	s->sorted = sorted;
	s->order = (void *)(sorted + nr);
	s->nr_order = 0;
	s->parsed = (void *)(s->order + nr);
	s->max_list = nr;
	return 0;
}

static int vsplit_submit_lookup_one(struct vsplit_submit *s, u32 i,
				    const struct drm_vsplit_alloc *alloc)
{
	struct drm_gem_object *gem;

	if (vsplit_refuse(s->vdev, alloc->flags & ~VSPLIT_ALLOC_FLAGS) ||
	    vsplit_refuse(s->vdev, !alloc->handle && alloc->flags))
		return -EINVAL;
	if (!alloc->handle) {
		s->nr_list++;
		return 0;
	}

	gem = drm_gem_object_lookup(s->file, alloc->handle);
	if (!gem)
		return -ENOENT;
	vsplit_submit_append(s, gem_to_vsplit_bo(gem), alloc->handle, alloc->flags);
	s->parsed[i].size = gem->size;
	return 0;
}

/** vsplit_submit_sort() - Sort the list; its allocation-list part is complete. */
void vsplit_submit_sort(struct vsplit_submit *s)
{
	if (s->resid)
		vsplit_sort(s->sorted, s->nr_bos, sizeof(*s->sorted), vsplit_cmp_ptr);
	s->own_bos = s->nr_bos;
	s->own_segments = s->segments;
	s->own_evict = s->evict_segments;
}

static int vsplit_submit_lookup(struct vsplit_submit *s)
{
	u32 nr = s->args->num_allocs;
	struct drm_vsplit_alloc *allocs __free(kvfree) = NULL;
	int ret = 0;
	u32 i;

	if (!nr)
		return 0;
	ret = vsplit_submit_alloc_list(s, nr);
	if (ret)
		return ret;

	allocs = vsplit_submit_copy_array(s->args->allocs, nr, sizeof(*allocs), 0);
	if (IS_ERR(allocs))
		return PTR_ERR(allocs);
	for (i = 0; !ret && i < nr; i++)
		ret = (i % VSPLIT_AT_ONCE ? 0 : vsplit_exec_relax()) ?:
		      vsplit_submit_lookup_one(s, i, &allocs[i]);
	/* An allocation in several runs has no single address that could be patched. */
	if (!ret && vsplit_refuse(s->vdev, !s->queue->va && (s->gem_flags & VSPLIT_GEM_RUNS)))
		ret = -EINVAL;
	if (!ret)
		vsplit_submit_sort(s);
	return ret;
}

static bool vsplit_submit_has_fence(void *priv, u32 handle)
{
	struct vsplit_submit *s = priv;
	struct vsplit_mfence *fence = vsplit_mfence_lookup(s->queue->fences, handle);

	if (fence)
		vsplit_mfence_put(fence);
	return fence;
}

static int vsplit_submit_validate(struct vsplit_submit *s)
{
	const struct vsplit_parse_input in = {
		.stream = s->stream,
		.stream_bytes = s->args->stream_bytes,
		.patches = s->patches,
		.nr_patches = s->args->num_patches,
		.allocs = s->parsed,
		.nr_allocs = s->args->num_allocs,
		.nr_slots = s->queue->table->nr_slots,
		.has_fence = vsplit_submit_has_fence,
		.priv = s,
	};
	struct vsplit_parse_error err = {};
	int ret;

	ret = vsplit_parse_check(&in, s->stream + in.stream_bytes, &err);
	if (ret)
		drm_dbg_core(&s->vdev->drm, "submission refused: %s (offset %d, patch %d)\n",
			     err.reason ?: "?", (int)err.offset, (int)err.patch);
	return ret;
}

/* Allocations that entries name are placed in entry order; the others need no place. */
static void vsplit_submit_order(struct vsplit_submit *s)
{
	u32 i;

	for (i = 0; i < s->args->num_allocs; i++) {
		u32 rank = s->parsed[i].rank;

		if (!rank)
			continue;
		s->list[i].named = true;
		s->order[rank - 1] = &s->list[i];
		s->nr_order++;
	}
}

/* Bytes that preparing the submission takes, before it is planned. */
static u64 vsplit_submit_parse_bytes(const struct vsplit_submit *s)
{
	const struct drm_vsplit_submit *args = s->args;
	/* An estimate: a fence slot for each allocation, a timeline point for each syncobj. */
	u64 fences = (u64)args->num_allocs + args->num_syncs;
	size_t alloc = sizeof(struct drm_vsplit_alloc) + VSPLIT_SUBMIT_LIST_BYTES +
		       sizeof(*s->job->bos);

	return sizeof(*s->job) + sizeof(*s->record) + 2 * sizeof(struct vsplit_fence) +
	       args->stream_bytes + vsplit_parse_map_bytes(args->stream_bytes) +
	       array_size(args->num_patches, sizeof(*s->patches)) +
	       array_size(args->num_allocs, alloc) +
	       array_size(args->num_syncs,
			  sizeof(struct drm_vsplit_sync) + sizeof(*s->syncs.signals)) +
	       fences * sizeof(struct dma_fence_chain);
}

/* Bytes that the submission holds until it is done. */
static u64 vsplit_submit_bytes(const struct vsplit_submit *s)
{
	const struct vsplit_job *job = s->job;
	u64 fences = (u64)s->nr_list + s->args->num_syncs;

	return sizeof(*job) + sizeof(*job->fence) * (job->paged ? 2 : 1) +
	       s->args->stream_bytes + vsplit_parse_map_bytes(s->args->stream_bytes) +
	       fences * sizeof(struct dma_fence_chain) +
	       array_size(job->max_dependencies, sizeof(*job->dependencies)) +
	       array_size(s->nr_bos, sizeof(*job->bos)) +
	       (job->patched ? s->args->stream_bytes : 0) +
	       array_size(job->program.nr_steps, sizeof(*job->program.steps)) +
	       array_size(job->nr_rows, sizeof(*job->rows)) + vsplit_record_bytes(s->record);
}

/*
 * Charge memory that preparing a submission, which has a job, is about to take. @part: in: bytes
 * that were charged for this purpose before, and are not held any more; out: @bytes. Return: 0,
 * -ENOBUFS, -E2BIG.
 */
int vsplit_submit_hold(struct vsplit_submit *s, u64 *part, u64 bytes)
{
	int ret = vsplit_account_charge(s->efile->account, s->job,
					s->job->charged - *part + bytes);

	if (!ret)
		*part = bytes;
	return ret;
}

static int vsplit_submit_create_job(struct vsplit_submit *s)
{
	struct vsplit_job *job;
	int ret;

	s->record = vsplit_record_create(s->vdev);
	if (!s->record)
		return -ENOMEM;
	job = vsplit_job_create(s->queue, s->file->client_id);
	if (IS_ERR(job))
		return PTR_ERR(job);
	s->job = job;
	ret = vsplit_account_enter(s->efile->account, job, vsplit_submit_parse_bytes(s));
	if (ret)
		return ret;
	job->record = vsplit_record_get(s->record);
	s->record->job = job;
	s->record->file = s->file;
	return 0;
}

static int vsplit_submit_parse(struct vsplit_submit *s)
{
	int ret;

	s->queue = vsplit_queue_lookup(s->efile, s->args->ctx);
	if (s->queue)
		s->resid = s->queue->resid;
	ret = vsplit_submit_check_args(s);
	if (ret)
		return ret;
	if (!s->queue)
		return -ENOENT;
	/* Such a context gets its work from a ring (RES-23). */
	if (vsplit_refuse(s->vdev, s->queue->mode == VSPLIT_CTX_MODE_HW))
		return -EINVAL;
	ret = vsplit_submit_check_va(s);
	if (!ret)
		ret = vsplit_submit_check_state(s);
	if (!ret)
		ret = vsplit_account_wait(s->efile->account);
	if (!ret)
		ret = vsplit_submit_create_job(s);
	if (!ret)
		ret = vsplit_submit_copy(s);
	if (!ret)
		ret = vsplit_submit_lookup(s);
	if (!ret)
		ret = vsplit_submit_validate(s);
	if (ret)
		return ret;
	s->job->program.stream = s->stream;
	s->job->program.stream_bytes = s->args->stream_bytes;
	s->stream = NULL;
	/* With a requirement list vsplit_submit_require() sets the order. */
	if (!s->resid)
		vsplit_submit_order(s);
	ret = vsplit_job_use(s->job, s->sorted, s->nr_bos);
	if (ret)
		return ret;
	s->syncs = (struct vsplit_syncs) { .vdev = s->vdev, .file = s->file, .job = s->job };
	return vsplit_sync_prepare(&s->syncs, s->args->syncs, s->args->num_syncs);
}

/* ---- 4. depend ---- */

/* Depend on a fence of a range that the plan gives to an allocation. */
static int vsplit_submit_add_range(void *priv, struct dma_fence *fence)
{
	struct vsplit_submit *s = priv;

	vsplit_fence_pace(fence, s->vdev->exec, s->efile->account);
	return vsplit_job_depend(s->job, fence);
}

/* At its new place an allocation may have to wait for work of other clients: pace these clients. */
static noinline void vsplit_submit_pace(struct vsplit_submit *s,
					const struct vsplit_list_alloc *item)
{
	struct dma_resv_iter cursor;
	struct dma_fence *fence;

	dma_resv_for_each_fence(&cursor, item->vbo->tbo.base.resv, DMA_RESV_USAGE_KERNEL, fence)
		vsplit_fence_pace(fence, s->vdev->exec, s->efile->account);
}

/* Does the client's allocation list have this element? If not, the device only requires it. */
static bool vsplit_submit_lists(const struct vsplit_submit *s,
				const struct vsplit_list_alloc *item)
{
	return item < s->list + s->args->num_allocs && s->args->stream_bytes;
}

/*
 * Does the program use the allocation until it is done? Otherwise the device only requires it: then
 * the program uses it for the paging before its first portion, if it is paged in there at all.
 */
static bool vsplit_submit_runs_with(const struct vsplit_submit *s,
				    const struct vsplit_list_alloc *item)
{
	return vsplit_submit_lists(s, item) ||
	       (s->relocs[item->plan].moved && !item->early);
}

/*
 * Let the job use what it needs, and no longer than it needs it: a client may close what its device
 * requires while the program runs, and others then wait for the room. So an allocation that a job
 * uses also has a fence in its dma_resv that signals only afterwards.
 */
static void vsplit_submit_use(struct vsplit_submit *s)
{
	struct vsplit_list_alloc *item = NULL;
	struct vsplit_job *job = s->job;
	u32 nr = 0, unused = job->nr_bos;

	job->nr_run_bos = job->nr_bos;
	/* The program lists all of them. */
	if (s->nr_list == s->args->num_allocs && s->args->stream_bytes)
		return;
	while ((item = vsplit_submit_next(s, item))) {
		if (vsplit_submit_runs_with(s, item))
			job->bos[nr++] = item->vbo;
		else if (!item->early)
			job->bos[--unused] = item->vbo;
	}
	job->nr_run_bos = nr;
	while ((item = vsplit_submit_next(s, item)))
		if (item->early && !vsplit_submit_runs_with(s, item))
			job->bos[nr++] = item->vbo;
	vsplit_job_unuse(job, unused);
}

/* An allocation leaves its place after all work of the devices that require it. */
static int vsplit_submit_leave(struct vsplit_submit *s, struct vsplit_list_alloc *item)
{
	struct vsplit_reloc *reloc = &s->relocs[item->plan];

	if (!reloc->moved || vsplit_bo_segment(item->vbo) == VSPLIT_SEG_SYSTEM)
		return 0;
	reloc->leaves = true;
	return vsplit_resid_leave(&s->vdev->mm.resid, &item->vbo->resid, s->resid, &s->gen,
				  vsplit_job_visit, s->job);
}

static enum dma_resv_usage vsplit_submit_dep_usage(const struct vsplit_submit *s,
						   const struct vsplit_list_alloc *item)
{
	/* A move waits for all users of an allocation; without a move the kind of use decides. */
	if (s->relocs[item->plan].moved)
		return DMA_RESV_USAGE_BOOKKEEP;
	/* An allocation that is only required has to be resident, nothing more. */
	if (!vsplit_submit_lists(s, item))
		return DMA_RESV_USAGE_KERNEL;
	if (s->args->flags & VSPLIT_SUBMIT_NO_IMPLICIT)
		return DMA_RESV_USAGE_KERNEL;
	return dma_resv_usage_rw(item->flags & VSPLIT_ALLOC_WRITE);
}

/*
 * Collect the fences that must signal before a submission, which is placed, begins, and decide how
 * long it uses which allocations. Return: 0, -ENOMEM, -ENOBUFS, -E2BIG.
 */
int vsplit_submit_depend(struct vsplit_submit *s)
{
	struct vsplit_list_alloc *item = NULL;
	struct vsplit_bo *victim;
	int ret;
	u32 i;

	while ((item = vsplit_submit_next(s, item))) {
		ret = vsplit_job_depend_resv(s->job, item->vbo->tbo.base.resv,
					     vsplit_submit_dep_usage(s, item));
		if (s->relocs[item->plan].moved)
			vsplit_submit_pace(s, item);
		if (!ret)
			ret = vsplit_submit_leave(s, item);
		if (ret)
			return ret;
	}
	/* Wait for earlier binds. Later binds wait for this submission. */
	if (s->queue->va) {
		ret = vsplit_job_depend_resv(s->job, vsplit_va_resv(s->queue->va),
					     DMA_RESV_USAGE_KERNEL);
		if (ret)
			return ret;
	}
	ret = s->layout ? vsplit_layout_visit_fences(s->layout, vsplit_submit_add_range, s) : 0;
	/* The program begins after the plan's victims have left, as its record says. */
	for (i = 0; !ret && s->layout && (victim = vsplit_layout_victim(s->layout, i)); i++)
		ret = vsplit_job_depend_resv(s->job, victim->tbo.base.resv,
					     DMA_RESV_USAGE_KERNEL);
	vsplit_job_prune_dependencies(s->job);
	vsplit_submit_use(s);
	return ret;
}

/*
 * An allocation that moves only before the first portion need not look busy with paging until the
 * program is done: the *paged* fence signals when it is in place.
 */
static int vsplit_submit_prepare_paged(struct vsplit_submit *s)
{
	struct vsplit_list_alloc *item = NULL;

	/* Usually nothing is paged in. */
	if (s->job->program.steps[0].type == VSPLIT_GPU_STEP_RUN)
		return 0;
	while ((item = vsplit_submit_next(s, item)))
		if (item->early)
			return vsplit_job_add_paged(s->job);
	return 0;
}

static int vsplit_submit_fail_late(struct vsplit_submit *s)
{
	u32 every = s->knobs.expect_preparation_failure;

	if (vsplit_fault("submit.late"))
		return -ENOMEM;
	if (every && !(atomic_inc_return(&s->vdev->exec->preparations) % every))
		return -ENOMEM;
	return 0;
}

/* Does the submission write the allocation so that nothing waits for the write implicitly? */
static bool vsplit_submit_is_writer(const struct vsplit_submit *s,
				    const struct vsplit_list_alloc *item)
{
	return (item->flags & VSPLIT_ALLOC_WRITE) && (s->args->flags & VSPLIT_SUBMIT_NO_IMPLICIT);
}

static void vsplit_submit_release_writers(struct vsplit_submit *s)
{
	struct vsplit_list_alloc *item = NULL;

	while ((item = vsplit_submit_next(s, item)))
		if (vsplit_submit_is_writer(s, item))
			vsplit_bo_release_writer(item->vbo, s->queue->fence_context);
}

/* A lock of the CPU waits for writers, so each written allocation keeps the submission's fence. */
static int vsplit_submit_reserve_writers(struct vsplit_submit *s)
{
	struct vsplit_list_alloc *item = NULL;
	int ret = 0;

	if (!(s->args->flags & VSPLIT_SUBMIT_NO_IMPLICIT))
		return 0;
	while ((item = vsplit_submit_next(s, item)))
		if (!ret && vsplit_submit_is_writer(s, item))
			ret = vsplit_bo_reserve_writer(item->vbo, s->queue->fence_context);
	if (ret)
		vsplit_submit_release_writers(s);
	return ret;
}

/* ---- 5. commit ---- */

static enum dma_resv_usage vsplit_submit_fence_usage(const struct vsplit_submit *s,
						     const struct vsplit_list_alloc *item)
{
	/* CPU faults and submissions with explicit sync must wait for relocations, too. */
	if (s->relocs[item->plan].moved && !item->early)
		return DMA_RESV_USAGE_KERNEL;
	if (s->args->flags & VSPLIT_SUBMIT_NO_IMPLICIT)
		return DMA_RESV_USAGE_BOOKKEEP;
	return item->flags & VSPLIT_ALLOC_WRITE ? DMA_RESV_USAGE_WRITE : DMA_RESV_USAGE_READ;
}

static void vsplit_submit_publish_fence(struct vsplit_submit *s, struct dma_fence *fence)
{
	struct vsplit_list_alloc *item = NULL;

	while ((item = vsplit_submit_next(s, item))) {
		if (item->early)
			dma_resv_add_fence(item->vbo->tbo.base.resv, &s->job->paged->base,
					   DMA_RESV_USAGE_KERNEL);
		/* The allocation only has to be resident: the paged fence is enough, or none. */
		if (!vsplit_submit_runs_with(s, item))
			continue;
		dma_resv_add_fence(item->vbo->tbo.base.resv, fence,
				   vsplit_submit_fence_usage(s, item));
		if (vsplit_submit_is_writer(s, item))
			vsplit_bo_add_writer(item->vbo, fence);
	}
	if (s->queue->va)
		dma_resv_add_fence(vsplit_va_resv(s->queue->va), fence, DMA_RESV_USAGE_BOOKKEEP);
	vsplit_sync_commit(&s->syncs, fence);
}

/** vsplit_submit_take_id() - Give an accepted submission its id; submit_lock is held. */
void vsplit_submit_take_id(struct vsplit_submit *s)
{
	scoped_guard(spinlock, &s->queue->lock)
		s->job->submission = ++s->queue->last_submission;
}

static void vsplit_submit_account(struct vsplit_submit *s)
{
	struct vsplit_record *record = s->record;
	struct vsplit_stats *stats = &s->vdev->stats;

	atomic64_inc(&stats->submissions);
	atomic64_add(record->nr_portions, &stats->portions);
	if (record->nr_portions > 1)
		atomic64_add(record->nr_portions - 1, &stats->splits);
	vsplit_submit_trace(s, s->job->fence->base.context, s->job->fence->base.seqno);
}

/*
 * Count and trace the steps of a submission that is about to be published, with the context and the
 * seqno of the fence that it has, or will get.
 */
void vsplit_submit_trace(struct vsplit_submit *s, u64 context, u64 seqno)
{
	struct vsplit_record *record = s->record;
	u32 i;

	for (i = 0; i < record->nr_events; i++) {
		const struct drm_vsplit_event *e = &record->events[i];

		if (e->type == VSPLIT_EVENT_PORTION) {
			trace_vsplit_split(s->vdev, s->queue->uid, record->submission, e->portion,
					   e->begin, e->end, e->patch_first, e->patch_count,
					   context, seqno);
			continue;
		}
		vsplit_exec_account_paging(s->vdev, e->type, e->bytes, e->copied);
		trace_vsplit_plan_op(s->vdev, s->queue->uid, record->submission, e->portion,
				     e->type, e->id, e->segment, e->at, e->bytes, e->copied,
				     context, seqno);
	}
}

static void vsplit_submit_lose_oom(struct vsplit_submit *s)
{
	vsplit_exec_lose_device(s->efile, VSPLIT_STATE_LOST_OOM);

	guard(spinlock)(&s->queue->lock);
	if (!s->queue->lost_submission)
		s->queue->lost_submission = s->job->submission;
}

/*
 * The fence that signals when the missing allocations are resident, whether this submission or
 * others bring them in; NULL: nothing was missing.
 */
static struct dma_fence *vsplit_submit_arrival(struct vsplit_submit *s)
{
	struct vsplit_list_alloc *item = NULL;

	if (s->job->paged)
		return &s->job->paged->base;
	while ((item = vsplit_submit_next(s, item)))
		if (s->relocs[item->plan].moved || !vsplit_submit_lists(s, item))
			return &s->job->fence->base;
	return NULL;
}

static struct dma_fence *vsplit_submit_arm_required(void *priv)
{
	struct vsplit_submit *s = priv;

	vsplit_job_arm(s->job);
	return &s->job->fence->base;
}

/*
 * The point of no return. Allocations that leave from now on leave after this submission, because
 * its device requires them. If one has left since missing ones were collected, nothing is armed:
 * -EAGAIN.
 */
static int vsplit_submit_arm(struct vsplit_submit *s)
{
	if (s->resid)
		return vsplit_resid_publish(s->resid, s->gen, &s->queue->work,
					    vsplit_submit_arrival(s), vsplit_submit_arm_required,
					    s) ? 0 : -EAGAIN;
	vsplit_job_arm(s->job);
	return 0;
}

/*
 * Note which allocations are used, for periodic trims. With virtual addresses a submission may use
 * all allocations of its device.
 */
static void vsplit_submit_note_use(struct vsplit_submit *s)
{
	struct vsplit_list_alloc *item = NULL;

	if (!s->resid || !vsplit_resid_has_periods(s->resid))
		return;
	if (s->queue->va) {
		vsplit_resid_used_all(s->resid, false);
		return;
	}
	while ((item = vsplit_submit_next(s, item)))
		if (vsplit_submit_lists(s, item))
			vsplit_resid_used(s->resid, &item->vbo->resid);
}

/*
 * Nothing in here can fail. If a DMA buffer cannot be completed, its prefix still has to run. So
 * the context is not made lost, but the device is.
 */
static void vsplit_submit_commit(struct vsplit_submit *s)
{
	LIST_HEAD(old);
	struct vsplit_job *job = s->job;
	struct dma_fence *fence;
	bool cookie;

	lockdep_assert_held(&s->queue->submit_lock);

	/* A submission that was parked has an id already. */
	if (!job->submission)
		vsplit_submit_take_id(s);
	s->record->submission = job->submission;
	vsplit_record_publish(s->queue, s->record, &old);
	vsplit_submit_account(s);
	vsplit_submit_note_use(s);
	s->args->submission = job->submission;
	s->args->num_portions = s->record->nr_portions;
	if (job->result)
		vsplit_submit_lose_oom(s);

	cookie = dma_fence_begin_signalling();
	fence = dma_fence_get(&job->fence->base);
	vsplit_submit_publish_fence(s, fence);
	dma_fence_end_signalling(cookie);

	vsplit_submit_take_place(s, fence);
	s->job = NULL;
	drm_sched_entity_push_job(&job->base);
	dma_fence_put(fence);
	vsplit_record_put_list(&old);
}

/* ---- the whole ---- */

static int vsplit_submit_try(struct vsplit_submit *s)
{
	u64 charged;
	int ret;

	ret = vsplit_submit_place(s);
	vsplit_sync_point("submit.placed");
	if (!ret && s->resid)
		ret = vsplit_resid_arrivals(s->resid, vsplit_job_visit, s->job);
	if (!ret)
		ret = vsplit_submit_depend(s);
	if (!ret)
		ret = vsplit_submit_prepare_paged(s);
	if (!ret)
		ret = vsplit_submit_fail_late(s);
	if (!ret)
		ret = vsplit_submit_reserve_writers(s);
	if (!ret) {
		charged = s->job->charged;
		/* The submission never holds more than was charged: this cannot be refused. */
		vsplit_account_charge(s->efile->account, s->job,
				      min(vsplit_submit_bytes(s), charged));
		if (!s->knobs.never_prepatch)
			vsplit_job_patch(s->job);
		vsplit_relocs_zap(s->relocs, s->nr_bos);
		ret = vsplit_submit_arm(s);
		if (ret) {
			vsplit_submit_release_writers(s);
			/* The submission still holds all of this memory. */
			ret = vsplit_account_charge(s->efile->account, s->job, charged) ?: ret;
		} else {
			vsplit_submit_commit(s);
		}
	}
	vsplit_submit_unplace(s);
	return ret;
}

/*
 * Check what may have changed since the submission was parsed; submit_lock is held. Return: 0,
 * -EIO, -EINVAL.
 */
int vsplit_submit_check_now(struct vsplit_submit *s)
{
	int ret = vsplit_submit_check_state(s);

	return ret || !s->resid ? ret : vsplit_submit_check_required(s);
}

/*
 * Place a parsed submission, and publish it; submit_lock is held, inside drm_dev_enter(). Return:
 * 0; or the error of the ioctl, then nothing of the submission was published.
 */
int vsplit_submit_locked(struct vsplit_submit *s)
{
	int ret;

	ret = vsplit_submit_check_now(s);
	while (!ret) {
		ret = vsplit_submit_try(s);
		if (ret != -EAGAIN)
			break;
		/* An allocation that the device requires has left meanwhile. */
		s->tries++;
		vsplit_fence_drop(s->job->paged);
		s->job->paged = NULL;
		ret = fatal_signal_pending(current) ? -ERESTARTSYS : 0;
	}
	return ret;
}

/** vsplit_submit_cleanup() - Drop a submission, at any stage; none of its allocations is locked. */
void vsplit_submit_cleanup(struct vsplit_submit *s)
{
	struct vsplit_list_alloc *item = NULL;

	vsplit_sync_cleanup(&s->syncs);
	vsplit_job_free(s->job);
	vsplit_record_put(s->record);
	while ((item = vsplit_submit_next(s, item)))
		drm_gem_object_put(&item->vbo->tbo.base);
	kvfree(s->list);
	kvfree(s->patches);
	kvfree(s->stream);
	vsplit_queue_put(s->queue);
}

int vsplit_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_submit *args = data;
	struct vsplit_submit s = {
		.vdev = vdev,
		.file = file,
		.efile = vsplit_file_exec(file),
		.args = args,
		.knobs = vdev->knobs,
	};
	int ret, idx;
	u64 ctx;

	/* This copies from userspace, which may take for ever: not inside drm_dev_enter(). */
	ret = vsplit_submit_parse(&s);
	vsplit_sync_point("submit.parsed");
	if (ret)
		goto out;
	ret = -ENODEV;
	if (!drm_dev_enter(drm, &idx))
		goto out;
	ctx = s.queue->uid;
	trace_vsplit_submit(vdev, ctx, args->stream_bytes, args->num_allocs, args->num_patches);
	ret = vsplit_interrupted("submit.lock") ||
	      mutex_lock_interruptible(&s.queue->submit_lock) ? -ERESTARTSYS : 0;
	if (!ret) {
		struct vsplit_queue *queue = vsplit_queue_get(s.queue);

		ret = vsplit_park(&s);
		if (!ret)
			ret = vsplit_submit_locked(&s);
		mutex_unlock(&queue->submit_lock);
		vsplit_queue_put(queue);
		ret = min(ret, 0);
	}
	trace_vsplit_submitted(vdev, ctx, ret ? 0 : args->submission, ret ? 0 : args->num_portions,
			       ret);
	drm_dev_exit(idx);
out:
	vsplit_submit_cleanup(&s);
	return ret;
}
