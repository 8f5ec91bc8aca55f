// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: binds
 *
 * A bind changes a device's virtual addresses, from the ioctl to the paging engine. The tree is
 * changed at once (vsplit_va.c), the page tables by a paging job:
 *
 *  1. copy     operations into kernel memory, and look up allocations, under hard limits.
 *  2. change   the tree, under the address space's lock. Binds are published in the order in which
 *              they take this lock. Page tables are written in steps, so that a large bind does
 *              not keep other clients' paging waiting.
 *  3. lock     the dma_resv of the address space, and those of all allocations that will be shown,
 *              or will not be shown any more.
 *  4. depend   on all that the device has submitted, on earlier binds and on moves of these
 *              allocations. This is the last stage that may fail.
 *  5. publish  the job's fence in all of these dma_resvs, and push the job.
 *
 * The job is charged to the file like a submission, and the call waits like one while the file is
 * paced.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/slab.h>

#include "exec/vsplit_submit.h"
#include "debug/vsplit_fault.h"

/**
 * struct vsplit_bind - A bind while its ioctl runs.
 * @vdev: the adapter.
 * @file: the caller.
 * @efile: its device.
 * @args: arguments of the ioctl.
 * @ops: kernel copy of the operations.
 * @bos: allocation of each operation, with a reference, or NULL.
 * @change: change of the address space, once it has begun.
 * @changes: number of mappings that the operations so far add to the tree, or find in their way.
 * @bytes: bytes that the operations map, make sparse or unmap, and a part of the bytes that stay of
 *	mappings that they cut.
 * @syncs: explicit synchronisation.
 * @job: the job that is being prepared.
 */
struct vsplit_bind {
	struct vsplit_device *vdev;
	struct drm_file *file;
	struct vsplit_exec_file *efile;
	struct drm_vsplit_va_bind *args;
	struct drm_vsplit_va_op *ops;
	struct vsplit_bo **bos;
	struct vsplit_va_change change;
	u32 changes;
	u64 bytes;
	struct vsplit_syncs syncs;
	struct vsplit_job *job;
};

/* Reserving the page tables of the rest of a cut mapping is this much faster than writing them. */
#define VSPLIT_BIND_STAYS	64

/* ---- 1. copy ---- */

static int vsplit_bind_check_args(const struct vsplit_bind *b)
{
	const struct drm_vsplit_va_bind *args = b->args;

	if (vsplit_refuse(b->vdev, args->flags || args->pad) ||
	    vsplit_refuse(b->vdev, !args->num_ops) ||
	    vsplit_refuse(b->vdev, !READ_ONCE(b->efile->va)))
		return -EINVAL;
	if (vsplit_refuse(b->vdev, args->num_ops > VSPLIT_MAX_VA_OPS) ||
	    vsplit_refuse(b->vdev, args->num_syncs > VSPLIT_EXEC_MAX_SYNCS))
		return -E2BIG;
	return vsplit_exec_file_state(b->efile) != VSPLIT_STATE_ACTIVE ? -EIO : 0;
}

static int vsplit_bind_check_op(const struct vsplit_bind *b, const struct drm_vsplit_va_op *op)
{
	bool map = op->type == VSPLIT_VA_MAP;

	if (vsplit_refuse(b->vdev, op->type > VSPLIT_VA_SPARSE) ||
	    vsplit_refuse(b->vdev, op->flags & ~VSPLIT_VA_OP_FLAGS || op->pad) ||
	    vsplit_refuse(b->vdev, map != !!op->handle) ||
	    vsplit_refuse(b->vdev, !map && (op->flags || op->offset)) ||
	    vsplit_refuse(b->vdev, !PAGE_ALIGNED(op->address | op->bytes | op->offset)) ||
	    vsplit_refuse(b->vdev, !op->bytes || op->bytes > VSPLIT_VA_BYTES) ||
	    vsplit_refuse(b->vdev, op->address > VSPLIT_VA_BYTES - op->bytes))
		return -EINVAL;
	return 0;
}

static int vsplit_bind_lookup(struct vsplit_bind *b, u32 i)
{
	const struct drm_vsplit_va_op *op = &b->ops[i];
	struct drm_gem_object *gem;

	if (op->type != VSPLIT_VA_MAP)
		return 0;
	gem = drm_gem_object_lookup(b->file, op->handle);
	if (!gem)
		return -ENOENT;
	b->bos[i] = gem_to_vsplit_bo(gem);
	if (vsplit_refuse(b->vdev, op->bytes > gem->size || op->offset > gem->size - op->bytes))
		return -EINVAL;
	return 0;
}

/* What a bind is about leaves for others only after all page tables of the bind are written. */
static int vsplit_bind_count(struct vsplit_bind *b, u64 bytes)
{
	b->bytes += bytes;
	return vsplit_refuse(b->vdev, b->bytes > VSPLIT_MAX_VA_OPS_BYTES) ? -E2BIG : 0;
}

/*
 * Bytes that a bind holds while it is prepared, and until it is done. @changes: mappings that are
 * added or in the way, of which arrays grow by doubling.
 */
static u64 vsplit_bind_bytes(const struct vsplit_bind *b, u64 changes)
{
	u64 each = sizeof(struct drm_vsplit_va_op) + sizeof(*b->bos);

	return sizeof(*b->job) + sizeof(struct vsplit_fence) + b->args->num_ops * each +
	       array_size(b->change.nr_steps, sizeof(*b->job->program.steps)) +
	       2 * changes * (sizeof(struct vsplit_gpu_bind) + 6 * sizeof(void *)) +
	       array_size(b->job->max_dependencies, sizeof(*b->job->dependencies)) +
	       b->args->num_syncs * (sizeof(struct drm_vsplit_sync) +
				     sizeof(struct vsplit_signal) + sizeof(struct dma_fence_chain));
}

static int vsplit_bind_charge(struct vsplit_bind *b, u64 changes)
{
	return vsplit_account_charge(b->efile->account, b->job, vsplit_bind_bytes(b, changes));
}

static int vsplit_bind_create_job(struct vsplit_bind *b)
{
	struct vsplit_job *job = vsplit_job_create(b->vdev->exec->paging, 0);

	if (IS_ERR(job))
		return PTR_ERR(job);
	b->job = job;
	return vsplit_account_enter(b->efile->account, job, vsplit_bind_bytes(b, b->args->num_ops));
}

static int vsplit_bind_copy(struct vsplit_bind *b)
{
	void *copy;
	int ret = 0;
	u32 i;

	copy = vsplit_submit_copy_array(b->args->ops, b->args->num_ops, sizeof(*b->ops), 0);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	b->ops = copy;
	b->bos = kvcalloc(b->args->num_ops, sizeof(*b->bos), VSPLIT_GFP_ARRAY);
	if (!b->bos)
		return -ENOMEM;
	for (i = 0; !ret && i < b->args->num_ops; i++) {
		cond_resched();
		ret = vsplit_bind_check_op(b, &b->ops[i]);
		if (!ret)
			ret = vsplit_bind_lookup(b, i);
		/* The bytes of an unmap are counted later, when the old mappings are known. */
		if (!ret && b->ops[i].type != VSPLIT_VA_UNMAP)
			ret = vsplit_bind_count(b, b->ops[i].bytes);
	}
	return ret;
}

static int vsplit_bind_parse(struct vsplit_bind *b)
{
	int ret;

	ret = vsplit_bind_check_args(b);
	if (!ret)
		ret = vsplit_account_wait(b->efile->account);
	if (!ret)
		ret = vsplit_bind_create_job(b);
	if (!ret)
		ret = vsplit_bind_copy(b);
	if (ret)
		return ret;
	b->syncs = (struct vsplit_syncs) { .vdev = b->vdev, .file = b->file, .job = b->job };
	return vsplit_sync_prepare(&b->syncs, b->args->syncs, b->args->num_syncs);
}

/* ---- 2. change, 3. lock ---- */

/* Count a mapping that is in the way of an operation. */
static int vsplit_bind_count_old(struct vsplit_bind *b, const struct drm_vsplit_va_op *op,
				 const struct drm_gpuva *old)
{
	u64 first = max(old->va.addr, op->address);
	u64 goes = min(old->va.addr + old->va.range, op->address + op->bytes) - first;

	return vsplit_bind_count(b, (op->type == VSPLIT_VA_UNMAP ? goes : 0) +
				    (old->va.range - goes) / VSPLIT_BIND_STAYS);
}

/* An operation may remove any number of mappings: charge for them before it lists them. */
static int vsplit_bind_charge_op(struct vsplit_bind *b, const struct drm_vsplit_va_op *op)
{
	struct drm_gpuva *old;
	int ret;

	b->changes += op->type != VSPLIT_VA_UNMAP;
	drm_gpuvm_for_each_va_range(old, &b->change.va->base, op->address,
				    op->address + op->bytes) {
		ret = vsplit_bind_count_old(b, op, old);
		if (ret)
			return ret;
		if (++b->changes % 1024)
			continue;
		ret = vsplit_exec_relax();
		if (!ret)
			ret = vsplit_bind_charge(b, max(b->changes, b->args->num_ops));
		if (ret)
			return ret;
	}
	return 0;
}

static int vsplit_bind_op(struct vsplit_bind *b, u32 i)
{
	const struct drm_vsplit_va_op *op = &b->ops[i];
	int ret = i % 1024 ? 0 : vsplit_exec_relax();

	if (!ret)
		ret = vsplit_bind_charge_op(b, op);
	if (ret)
		return ret;
	if (op->type == VSPLIT_VA_UNMAP)
		return vsplit_va_unmap(&b->change, op->address, op->bytes);
	return vsplit_va_map(&b->change, b->bos[i], op->address, op->bytes, op->offset,
			     op->flags & VSPLIT_VA_OP_READ_ONLY);
}

static int vsplit_bind_change(struct vsplit_bind *b)
{
	int ret;
	u32 i;

	ret = vsplit_va_begin(b->efile->va, &b->change);
	for (i = 0; !ret && i < b->args->num_ops; i++)
		ret = vsplit_bind_op(b, i);
	if (!ret)
		ret = vsplit_bind_charge(b, max(b->change.nr_log, b->change.nr_binds));
	if (!ret)
		ret = vsplit_job_set_steps(b->job, b->change.nr_steps);
	return ret ?: vsplit_va_lock(&b->change, b->job->program.steps);
}

/* ---- 4. depend ---- */

static int vsplit_bind_depend(struct vsplit_bind *b)
{
	int ret;
	u32 i;

	/* Wait for all that the device has submitted, and for its binds. */
	ret = vsplit_job_depend_resv(b->job, vsplit_va_resv(b->change.va), DMA_RESV_USAGE_BOOKKEEP);
	for (i = 0; !ret && i < b->change.nr_bos; i++)
		ret = vsplit_job_depend_resv(b->job, b->change.bos[i]->tbo.base.resv,
					     DMA_RESV_USAGE_KERNEL);
	vsplit_job_prune_dependencies(b->job);
	return ret;
}

/* ---- 5. publish ---- */

/* Nothing in here can fail. */
static void vsplit_bind_commit(struct vsplit_bind *b)
{
	struct vsplit_va *va = b->change.va;
	struct vsplit_job *job = b->job;
	struct dma_fence *fence;
	bool cookie;

	b->job = NULL;
	cookie = dma_fence_begin_signalling();
	fence = vsplit_paging_push(job, va->fence_context, ++va->seqno);
	dma_fence_end_signalling(cookie);
	vsplit_va_commit(&b->change, fence);
	vsplit_sync_commit(&b->syncs, fence);
	dma_fence_put(fence);
}

static int vsplit_bind_locked(struct vsplit_bind *b)
{
	int ret;

	ret = vsplit_bind_depend(b);
	/* Memory that is not shown any more must not be reused before the job is done. */
	if (!ret)
		ret = vsplit_job_use(b->job, b->change.bos, b->change.nr_bos);
	if (!ret && vsplit_fault("bind.late"))
		ret = -ENOMEM;
	if (!ret)
		vsplit_bind_commit(b);
	return ret;
}

static void vsplit_bind_cleanup(struct vsplit_bind *b)
{
	u32 i;

	if (b->change.va)
		vsplit_va_end(&b->change);
	vsplit_sync_cleanup(&b->syncs);
	vsplit_job_free(b->job);
	for (i = 0; b->bos && i < b->args->num_ops; i++)
		if (b->bos[i])
			drm_gem_object_put(&b->bos[i]->tbo.base);
	kvfree(b->bos);
	kvfree(b->ops);
}

int vsplit_va_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_bind b = {
		.vdev = to_vsplit_device(drm),
		.file = file,
		.efile = vsplit_file_exec(file),
		.args = data,
	};
	int ret, idx;

	/* This copies from userspace, which may take for ever: not inside drm_dev_enter(). */
	ret = vsplit_bind_parse(&b);
	if (ret)
		goto out;
	ret = -ENODEV;
	if (!drm_dev_enter(drm, &idx))
		goto out;
	ret = vsplit_bind_change(&b);
	if (!ret)
		ret = vsplit_bind_locked(&b);
	drm_dev_exit(idx);
out:
	vsplit_bind_cleanup(&b);
	return ret;
}
