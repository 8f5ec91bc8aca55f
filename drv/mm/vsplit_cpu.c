// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: CPU access
 *
 * A mapping is taken once and stays valid for the life of the allocation. Its
 * page-table entries point to wherever the bytes are: system pages, also while
 * an aperture maps them, or the memory of a segment. They are zapped whenever
 * the place changes, always before the fence of the relocation is published;
 * the next access faults, waits for the allocation's KERNEL fences, and gets
 * entries for the new place. So a reader or writer never sees bytes on their
 * way, and never an error (SEG-12, SEG-14).
 *
 * Entries are read-only until the first write, which is noted: an allocation
 * that the CPU only reads stays clean, and leaves its segment without a
 * transfer. As every relocation zaps, a writable entry implies that the write
 * was noted since the last one.
 *
 * After an unplug a mapping shows a zeroed page that belongs to its allocation,
 * so nobody gets a SIGBUS and nobody sees somebody else's bytes.
 *
 * Locks (WDDM's Lock and Unlock) wait for submitted work and are counted, per
 * file and per allocation.
 */
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <linux/dma-resv.h>
#include <linux/highmem.h>
#include <linux/mm.h>

#include "mm/vsplit_mm_internal.h"
#include "debug/vsplit_trace.h"

/* ---- faults ---- */

/* A memory segment may be visible to the CPU in part only ("small BAR"). */
static bool vsplit_cpu_sees(struct vsplit_bo *vbo)
{
	struct vsplit_segment *segment;

	segment = vsplit_resource_owner(vbo_to_mm(vbo), vbo->tbo.resource);
	if (!segment || segment->aperture)
		return true;
	return vsplit_bo_offset(vbo) + vbo->tbo.base.size <= segment->cpu_visible;
}

static vm_fault_t vsplit_cpu_make_visible(struct vsplit_bo *vbo)
{
	if (vsplit_cpu_sees(vbo))
		return 0;
	switch (vsplit_bo_evict(vbo, true)) {
	case 0:
		return 0;
	case -ERESTARTSYS:
	case -EINTR:
		return VM_FAULT_NOPAGE;
	case -ENOMEM:
		return VM_FAULT_OOM;
	default:
		return VM_FAULT_SIGBUS;	/* pinned where the CPU cannot see it */
	}
}

static vm_fault_t vsplit_cpu_fault_reserved(struct vm_fault *vmf, struct vsplit_bo *vbo)
{
	struct vm_area_struct *vma = vmf->vma;
	bool write = vmf->flags & FAULT_FLAG_WRITE;
	vm_fault_t ret;

	ret = vsplit_cpu_make_visible(vbo);
	if (ret)
		return ret;
	trace_vsplit_cpu_fault(vbo_to_vdev(vbo), vbo->id, vsplit_bo_segment(vbo) + 1,
			       vmf->pgoff, write);
	ret = ttm_bo_vm_fault_reserved(vmf, write ? vm_get_page_prot(vma->vm_flags) :
						    vma->vm_page_prot, TTM_BO_VM_NUM_PREFAULT);
	/* Still reserved, unless the fault is to be retried: then nothing was mapped. */
	if (write && ret == VM_FAULT_NOPAGE)
		vsplit_bo_written(vbo);
	return ret;
}

/* The adapter is gone: one page for the allocation, wherever it is touched. */
static vm_fault_t vsplit_cpu_fault_dummy(struct vm_fault *vmf, struct vsplit_bo *vbo)
{
	struct vm_area_struct *vma = vmf->vma;

	dma_resv_assert_held(vbo->tbo.base.resv);

	if (!vbo->dummy)
		vbo->dummy = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!vbo->dummy)
		return VM_FAULT_OOM;
	return vmf_insert_pfn_prot(vma, vmf->address, page_to_pfn(vbo->dummy),
				   vm_get_page_prot(vma->vm_flags));
}

static vm_fault_t vsplit_cpu_fault(struct vm_fault *vmf)
{
	struct ttm_buffer_object *tbo = vmf->vma->vm_private_data;
	struct vsplit_bo *vbo = to_vsplit_bo(tbo);
	vm_fault_t ret;
	int idx;

	if (vsplit_fault("mm.cpu_fault"))
		return VM_FAULT_OOM;
	ret = ttm_bo_vm_reserve(tbo, vmf);
	if (ret)
		return ret;
	if (drm_dev_enter(tbo->base.dev, &idx)) {
		ret = vsplit_cpu_fault_reserved(vmf, vbo);
		drm_dev_exit(idx);
	} else {
		ret = vsplit_cpu_fault_dummy(vmf, vbo);
	}
	/* TTM has unlocked it if it gave up mmap_lock to wait. */
	if (ret == VM_FAULT_RETRY && !(vmf->flags & FAULT_FLAG_RETRY_NOWAIT))
		return ret;
	dma_resv_unlock(tbo->base.resv);
	return ret;
}

/* The first write through a read-only entry. */
static vm_fault_t vsplit_cpu_mkwrite(struct vm_fault *vmf)
{
	struct ttm_buffer_object *tbo = vmf->vma->vm_private_data;
	vm_fault_t ret;

	ret = ttm_bo_vm_reserve(tbo, vmf);
	if (ret)
		return ret;
	/* If the entry is zapped before it becomes writable, there is a new fault. */
	vsplit_bo_written(to_vsplit_bo(tbo));
	dma_resv_unlock(tbo->base.resv);
	return 0;
}

/* ---- debuggers ---- */

static void vsplit_cpu_copy(struct vsplit_bo *vbo, u64 offset, void *buf, u32 len, bool write)
{
	u8 *memory = vsplit_bo_memory(vbo);
	u32 done, part;

	for (done = 0; done < len; done += part) {
		u64 at = offset + done;
		u8 *map, *cpu;

		part = min_t(u32, len - done, PAGE_SIZE - offset_in_page(at));
		map = memory ? NULL : kmap_local_page(vsplit_bo_pages(vbo)[at >> PAGE_SHIFT]);
		cpu = map ? map + offset_in_page(at) : memory + at;
		if (write)
			memcpy(cpu, buf + done, part);
		else
			memcpy(buf + done, cpu, part);
		if (map)
			kunmap_local(map);
	}
}

static int vsplit_cpu_access(struct vm_area_struct *vma, unsigned long address, void *buf,
			     int len, int write)
{
	struct ttm_buffer_object *tbo = vma->vm_private_data;
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct vsplit_bo *vbo = to_vsplit_bo(tbo);
	u64 offset = (address - vma->vm_start) +
		     ((u64)(vma->vm_pgoff - drm_vma_node_start(&tbo->base.vma_node)) << PAGE_SHIFT);
	int ret;

	if (len < 1 || offset >= tbo->base.size || len > tbo->base.size - offset)
		return -EIO;
	ret = ttm_bo_reserve(tbo, true, false, NULL);
	if (ret)
		return ret;
	ret = vsplit_bo_populate(vbo, &ctx);
	if (!ret)
		ret = vsplit_bo_wait_moved(vbo);
	if (!ret) {
		if (write)
			vsplit_bo_written(vbo);
		vsplit_cpu_copy(vbo, offset, buf, len, write);
	}
	ttm_bo_unreserve(tbo);
	return ret ?: len;
}

const struct vm_operations_struct vsplit_vm_ops = {
	.fault = vsplit_cpu_fault,
	.pfn_mkwrite = vsplit_cpu_mkwrite,
	.open = ttm_bo_vm_open,
	.close = ttm_bo_vm_close,
	.access = vsplit_cpu_access,
};

/* ---- Lock and Unlock ---- */

void vsplit_lock_table_init(struct vsplit_lock_table *table)
{
	mutex_init(&table->lock);
	xa_init(&table->held);
}

static void vsplit_cpu_unlock_all(struct vsplit_bo *vbo, u32 nr)
{
	dma_resv_lock(vbo->tbo.base.resv, NULL);
	vbo->locks -= nr;
	dma_resv_unlock(vbo->tbo.base.resv);
	drm_gem_object_put(&vbo->tbo.base);
}

void vsplit_lock_table_fini(struct vsplit_lock_table *table)
{
	unsigned long index;
	void *entry;

	xa_for_each(&table->held, index, entry)
		vsplit_cpu_unlock_all((struct vsplit_bo *)index, xa_to_value(entry));
	xa_destroy(&table->held);
	mutex_destroy(&table->lock);
}

/* How often this file holds it; the table's lock is held. */
static u32 vsplit_cpu_locks(struct vsplit_lock_table *table, struct vsplit_bo *vbo)
{
	void *entry = xa_load(&table->held, (unsigned long)vbo);

	return entry ? xa_to_value(entry) : 0;
}

static int vsplit_cpu_lock(struct vsplit_lock_table *table, struct vsplit_bo *vbo)
{
	u32 nr;
	int ret;

	if (vsplit_fault("mm.lock"))
		return -ENOMEM;
	mutex_lock(&table->lock);
	nr = vsplit_cpu_locks(table, vbo);
	ret = nr == INT_MAX ? -EINVAL :
	      xa_err(xa_store(&table->held, (unsigned long)vbo, xa_mk_value(nr + 1),
			      GFP_KERNEL_ACCOUNT));
	if (!ret) {
		if (!nr)
			drm_gem_object_get(&vbo->tbo.base);
		dma_resv_lock(vbo->tbo.base.resv, NULL);
		vbo->locks++;
		dma_resv_unlock(vbo->tbo.base.resv);
	}
	mutex_unlock(&table->lock);
	return ret;
}

static int vsplit_cpu_unlock(struct vsplit_lock_table *table, struct vsplit_bo *vbo)
{
	u32 nr;

	mutex_lock(&table->lock);
	nr = vsplit_cpu_locks(table, vbo);
	if (nr > 1) {
		/* Replaces a value by a value: needs no memory. */
		xa_store(&table->held, (unsigned long)vbo, xa_mk_value(nr - 1), GFP_KERNEL);
		drm_gem_object_get(&vbo->tbo.base);
	} else if (nr) {
		xa_erase(&table->held, (unsigned long)vbo);
	}
	mutex_unlock(&table->lock);
	if (!nr)
		return -EINVAL;
	vsplit_cpu_unlock_all(vbo, 1);
	return 0;
}

static int vsplit_cpu_wait(struct vsplit_bo *vbo, u32 flags)
{
	enum dma_resv_usage usage = flags & VSPLIT_LOCK_READ_ONLY ? dma_resv_usage_rw(false) :
								    DMA_RESV_USAGE_BOOKKEEP;
	struct dma_resv *resv = vbo->tbo.base.resv;
	long ret;

	if (flags & VSPLIT_LOCK_IGNORE_SYNC)
		return 0;
	if (flags & VSPLIT_LOCK_DONOT_WAIT)
		return dma_resv_test_signaled(resv, usage) ? 0 : -EBUSY;
	if (vsplit_fault("mm.lock_wait"))
		return -ERESTARTSYS;
	ret = dma_resv_wait_timeout(resv, usage, true, MAX_SCHEDULE_TIMEOUT);
	return ret < 0 ? ret : 0;
}

/**
 * vsplit_gem_lock_ioctl() - DRM_IOCTL_VSPLIT_GEM_LOCK.
 * @drm: the adapter.
 * @data: struct drm_vsplit_gem_lock.
 * @file: the caller.
 *
 * Return: 0, -EINVAL, -ENOENT, -EBUSY, -ENOMEM, -ERESTARTSYS.
 */
int vsplit_gem_lock_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const u32 one_way = VSPLIT_LOCK_READ_ONLY | VSPLIT_LOCK_WRITE_ONLY;
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_gem_lock *args = data;
	struct drm_gem_object *gem;
	int ret;

	if (vsplit_refuse(vdev, args->flags & ~VSPLIT_LOCK_FLAGS) ||
	    vsplit_refuse(vdev, (args->flags & one_way) == one_way))
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	ret = vsplit_cpu_wait(gem_to_vsplit_bo(gem), args->flags);
	if (!ret)
		ret = vsplit_cpu_lock(vsplit_file_lock_table(file), gem_to_vsplit_bo(gem));
	drm_gem_object_put(gem);
	return ret;
}

/**
 * vsplit_gem_unlock_ioctl() - DRM_IOCTL_VSPLIT_GEM_UNLOCK.
 * @drm: the adapter.
 * @data: struct drm_vsplit_gem_lock.
 * @file: the caller.
 *
 * Return: 0, -EINVAL, -ENOENT.
 */
int vsplit_gem_unlock_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsplit_gem_lock *args = data;
	struct drm_gem_object *gem;
	int ret;

	if (vsplit_refuse(to_vsplit_device(drm), args->flags))
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	ret = vsplit_cpu_unlock(vsplit_file_lock_table(file), gem_to_vsplit_bo(gem));
	drm_gem_object_put(gem);
	return ret;
}
