// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: CPU access
 *
 * A mapping is taken once and stays valid wherever the allocation goes (SEG-12):
 * each change of place zaps its page table entries with the dma_resv held, and
 * the next access faults. The fault waits until the bytes have arrived (KERNEL
 * fences) and maps the page where they are now: in the segment's memory, or in
 * the backing store.
 *
 * Writes are noticed by faults too. An entry is writable only if the allocation
 * is already known to be written since its last change of place; having
 * pfn_mkwrite makes the core map read-only by default, also after mprotect().
 * A write through a read-only entry zaps it and faults again as a write: with
 * that, entries are made writable nowhere but under the dma_resv.
 *
 * The fault path is inside mmap_lock, so it must not take place_sem. It never
 * needs a place: what the CPU cannot see where it is goes to system memory.
 *
 * When the adapter is gone, a mapping shows a page of zeros that belongs to the
 * allocation: shared by those only who shared it anyway, bounded by it, and
 * freed with it, after the last mapping (copies of page table entries move
 * between VMAs, so it cannot be the VMA's).
 *
 * Lock order: mmap_lock, dma_resv, paging queue, segment.
 */
#include <linux/dma-resv.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/drm_vma_manager.h>

#include "mm/vsplit_mm_internal.h"
#include "debug/vsplit_trace.h"

/* ---- faults ---- */

static struct vsplit_bo *vma_to_vbo(const struct vm_area_struct *vma)
{
	return to_vsplit_bo(vma->vm_private_data);
}

/* Error of a wait or an allocation, as the fault handler says it. */
static vm_fault_t vsplit_vm_error(int error)
{
	if (error == -ENOMEM)
		return VM_FAULT_OOM;
	if (error == -ERESTARTSYS || error == -EINTR || error == -EAGAIN)
		return VM_FAULT_NOPAGE;
	return VM_FAULT_SIGBUS;
}

/* May the CPU see all of it where it is? */
static bool vsplit_bo_visible(const struct vsplit_bo *vbo)
{
	const struct vsplit_mm *mm = vbo_to_mm(vbo);

	if (!vsplit_bo_memory(vbo))
		return true;
	return vsplit_bo_offset(vbo) + vbo->tbo.base.size <=
	       mm->segments[vsplit_bo_segment(vbo)].cpu_visible;
}

/* Bring it where the CPU sees it, with its pages. */
static int vsplit_vm_prepare(struct vsplit_bo *vbo)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	int ret = 0;

	dma_resv_assert_held(vbo->tbo.base.resv);

	if (vsplit_fault("mm.cpu_fault"))
		return -ENOMEM;
	if (!vsplit_bo_visible(vbo))
		ret = vsplit_bo_evict(vbo, true);
	if (!ret && !vsplit_bo_memory(vbo))
		ret = vsplit_bo_populate(vbo, &ctx);
	return ret;
}

/*
 * Wait for the bytes. Returns VM_FAULT_RETRY with the dma_resv and, unless the
 * caller is in a hurry, mmap_lock dropped; else 0, and both are still held.
 */
static vm_fault_t vsplit_vm_wait(struct vsplit_bo *vbo, struct vm_fault *vmf)
{
	struct ttm_buffer_object *tbo = &vbo->tbo;
	int ret;

	if (dma_resv_test_signaled(tbo->base.resv, DMA_RESV_USAGE_KERNEL))
		return 0;

	if (!fault_flag_allow_retry_first(vmf->flags)) {
		ret = vsplit_bo_wait_moved(vbo);
		return ret ? vsplit_vm_error(ret) : 0;
	}
	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT) {
		dma_resv_unlock(tbo->base.resv);
		return VM_FAULT_RETRY;
	}
	ttm_bo_get(tbo);
	mmap_read_unlock(vmf->vma->vm_mm);
	dma_resv_unlock(tbo->base.resv);
	dma_resv_wait_timeout(tbo->base.resv, DMA_RESV_USAGE_KERNEL, true, MAX_SCHEDULE_TIMEOUT);
	ttm_bo_put(tbo);
	return VM_FAULT_RETRY;
}

static vm_fault_t vsplit_vm_insert(struct vsplit_bo *vbo, struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	bool write = vmf->flags & FAULT_FLAG_WRITE;
	pgprot_t prot = vma->vm_page_prot;

	trace_vsplit_cpu_fault(vbo_to_vdev(vbo), vbo->id, vsplit_bo_segment(vbo),
			       vmf->pgoff - drm_vma_node_start(&vbo->tbo.base.vma_node), write);
	if (write)
		vsplit_bo_written(vbo);
	if (vsplit_bo_is_written(vbo))
		prot = vm_get_page_prot(vma->vm_flags);
	return ttm_bo_vm_fault_reserved(vmf, prot, TTM_BO_VM_NUM_PREFAULT);
}

/* The adapter is gone, its users are not: no SIGBUS. */
static vm_fault_t vsplit_vm_insert_dummy(struct vsplit_bo *vbo, struct vm_fault *vmf)
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

static vm_fault_t vsplit_vm_fault(struct vm_fault *vmf)
{
	struct vsplit_bo *vbo = vma_to_vbo(vmf->vma);
	struct ttm_buffer_object *tbo = &vbo->tbo;
	vm_fault_t ret;
	int idx, err = 0;

	ret = ttm_bo_vm_reserve(tbo, vmf);
	if (ret)
		return ret;

	/* Waiting is outside of drm_dev_enter(): unplug ends it, not the reverse. */
	if (drm_dev_enter(tbo->base.dev, &idx)) {
		err = vsplit_vm_prepare(vbo);
		drm_dev_exit(idx);
	}
	ret = err ? vsplit_vm_error(err) : vsplit_vm_wait(vbo, vmf);
	if (ret == VM_FAULT_RETRY)
		return ret;
	if (ret)
		goto unlock;

	if (drm_dev_enter(tbo->base.dev, &idx)) {
		ret = vsplit_vm_insert(vbo, vmf);
		drm_dev_exit(idx);
	} else {
		ret = vsplit_vm_insert_dummy(vbo, vmf);
	}
unlock:
	dma_resv_unlock(tbo->base.resv);
	return ret;
}

/* A write through a read-only entry: fault again, as a write. */
static vm_fault_t vsplit_vm_pfn_mkwrite(struct vm_fault *vmf)
{
	unsigned long left = vmf->vma->vm_end - vmf->address;

	zap_vma_ptes(vmf->vma, vmf->address,
		     min(left, TTM_BO_VM_NUM_PREFAULT * PAGE_SIZE));
	return VM_FAULT_NOPAGE;
}

/* Copy between a buffer and one page of an allocation. */
static void vsplit_access_page(struct vsplit_bo *vbo, unsigned long offset, void *buf,
			       unsigned int len, bool write)
{
	struct page **pages = vsplit_bo_memory(vbo) ? NULL : vsplit_bo_pages(vbo);
	void *map = pages ? kmap_local_page(pages[offset >> PAGE_SHIFT]) :
			    vsplit_bo_memory(vbo) + (offset & PAGE_MASK);
	void *at = map + offset_in_page(offset);

	memcpy(write ? at : buf, write ? buf : at, len);
	if (pages)
		kunmap_local(map);
}

static int vsplit_access(struct vsplit_bo *vbo, unsigned long offset, void *buf, int len,
			 bool write)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	int done = 0;
	int ret;

	ret = vsplit_bo_memory(vbo) ? 0 : vsplit_bo_populate(vbo, &ctx);
	if (!ret)
		ret = vsplit_bo_wait_moved(vbo);
	if (ret)
		return ret;

	if (write)
		vsplit_bo_written(vbo);
	while (done < len) {
		unsigned int part = min_t(unsigned int, len - done,
					  PAGE_SIZE - offset_in_page(offset + done));

		vsplit_access_page(vbo, offset + done, buf + done, part, write);
		done += part;
	}
	return len;
}

/* For debuggers; TTM's would not notice writes, nor wait for the bytes. */
static int vsplit_vm_access(struct vm_area_struct *vma, unsigned long addr, void *buf, int len,
			    int write)
{
	struct vsplit_bo *vbo = vma_to_vbo(vma);
	struct ttm_buffer_object *tbo = &vbo->tbo;
	unsigned long offset = addr - vma->vm_start +
			       ((vma->vm_pgoff - drm_vma_node_start(&tbo->base.vma_node))
				<< PAGE_SHIFT);
	int ret, idx;

	if (len < 1 || offset >= tbo->base.size || len > tbo->base.size - offset)
		return -EIO;
	if (write && !(vma->vm_flags & VM_MAYWRITE))
		return -EACCES;
	ret = ttm_bo_reserve(tbo, true, false, NULL);
	if (ret)
		return ret;
	ret = -ENODEV;
	if (drm_dev_enter(tbo->base.dev, &idx)) {
		ret = vsplit_access(vbo, offset, buf, len, write);
		drm_dev_exit(idx);
	}
	dma_resv_unlock(tbo->base.resv);
	return ret;
}

const struct vm_operations_struct vsplit_vm_ops = {
	.open = ttm_bo_vm_open,
	.close = ttm_bo_vm_close,
	.fault = vsplit_vm_fault,
	.pfn_mkwrite = vsplit_vm_pfn_mkwrite,
	.access = vsplit_vm_access,
};

/* ---- locks ---- */

/* Locks of one file on one allocation. */
#define VSPLIT_MAX_LOCKS	1048576u

/**
 * vsplit_lock_table_init() - A file is opened.
 * @table: its lock table.
 */
void vsplit_lock_table_init(struct vsplit_lock_table *table)
{
	mutex_init(&table->lock);
	xa_init(&table->held);
}

/**
 * vsplit_lock_table_fini() - A file is closed: it holds no lock any more.
 * @table: its lock table.
 */
void vsplit_lock_table_fini(struct vsplit_lock_table *table)
{
	unsigned long index;
	void *entry;

	xa_for_each(&table->held, index, entry) {
		struct drm_gem_object *gem = (struct drm_gem_object *)index;

		dma_resv_lock(gem->resv, NULL);
		gem_to_vsplit_bo(gem)->locks -= xa_to_value(entry);
		dma_resv_unlock(gem->resv);
		drm_gem_object_put(gem);
	}
	xa_destroy(&table->held);
	mutex_destroy(&table->lock);
}

static unsigned long vsplit_lock_count(struct vsplit_lock_table *table, struct drm_gem_object *gem)
{
	void *entry = xa_load(&table->held, (unsigned long)gem);

	lockdep_assert_held(&table->lock);

	return entry ? xa_to_value(entry) : 0;
}

static int vsplit_lock_add(struct vsplit_device *vdev, struct vsplit_lock_table *table,
			   struct drm_gem_object *gem)
{
	unsigned long count = vsplit_lock_count(table, gem);
	int ret;

	if (vsplit_refuse(vdev, count >= VSPLIT_MAX_LOCKS))
		return -EINVAL;
	ret = ttm_bo_reserve(&gem_to_vsplit_bo(gem)->tbo, true, false, NULL);
	if (ret)
		return ret;
	ret = vsplit_fault("mm.lock") ? -ENOMEM :
	      xa_err(xa_store(&table->held, (unsigned long)gem, xa_mk_value(count + 1),
			      GFP_KERNEL_ACCOUNT));
	if (!ret) {
		gem_to_vsplit_bo(gem)->locks++;
		if (!count)
			drm_gem_object_get(gem);
	}
	dma_resv_unlock(gem->resv);
	return ret;
}

static int vsplit_lock_remove(struct vsplit_device *vdev, struct vsplit_lock_table *table,
			      struct drm_gem_object *gem)
{
	unsigned long count = vsplit_lock_count(table, gem);
	int ret;

	if (vsplit_refuse(vdev, !count))
		return -EINVAL;
	ret = ttm_bo_reserve(&gem_to_vsplit_bo(gem)->tbo, true, false, NULL);
	if (ret)
		return ret;
	gem_to_vsplit_bo(gem)->locks--;
	dma_resv_unlock(gem->resv);

	/* Replacing or erasing an entry allocates nothing. */
	if (count > 1) {
		xa_store(&table->held, (unsigned long)gem, xa_mk_value(count - 1), GFP_KERNEL);
	} else {
		xa_erase(&table->held, (unsigned long)gem);
		drm_gem_object_put(gem);
	}
	return 0;
}

/* Wait as the flags say, without holding anything. */
static int vsplit_lock_wait(struct drm_gem_object *gem, u32 flags)
{
	enum dma_resv_usage usage = flags & VSPLIT_LOCK_READ_ONLY ? dma_resv_usage_rw(false) :
								    DMA_RESV_USAGE_BOOKKEEP;
	long ret;

	if (flags & VSPLIT_LOCK_IGNORE_SYNC)
		return 0;
	if (flags & VSPLIT_LOCK_DONOT_WAIT)
		return dma_resv_test_signaled(gem->resv, usage) ? 0 : -EBUSY;
	if (vsplit_fault("mm.lock_wait"))
		return -EINTR;
	ret = dma_resv_wait_timeout(gem->resv, usage, true, MAX_SCHEDULE_TIMEOUT);
	return ret < 0 ? ret : 0;
}

/**
 * vsplit_gem_lock_ioctl() - DRM_IOCTL_VSPLIT_GEM_LOCK.
 * @drm: the DRM device.
 * @data: struct drm_vsplit_gem_lock.
 * @file: the client.
 *
 * Return: 0 or a negative error, see the uapi header.
 */
int vsplit_gem_lock_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const u32 exclusive = VSPLIT_LOCK_READ_ONLY | VSPLIT_LOCK_WRITE_ONLY;
	struct vsplit_lock_table *table = vsplit_file_lock_table(file);
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_gem_lock *args = data;
	struct drm_gem_object *gem;
	int ret;

	if (vsplit_refuse(vdev, args->flags & ~VSPLIT_LOCK_FLAGS) ||
	    vsplit_refuse(vdev, (args->flags & exclusive) == exclusive))
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	ret = vsplit_lock_wait(gem, args->flags);
	if (!ret && mutex_lock_interruptible(&table->lock))
		ret = -ERESTARTSYS;
	if (!ret) {
		ret = vsplit_lock_add(vdev, table, gem);
		mutex_unlock(&table->lock);
	}
	drm_gem_object_put(gem);
	return ret;
}

/**
 * vsplit_gem_unlock_ioctl() - DRM_IOCTL_VSPLIT_GEM_UNLOCK.
 * @drm: the DRM device.
 * @data: struct drm_vsplit_gem_lock.
 * @file: the client.
 *
 * Return: 0 or a negative error, see the uapi header.
 */
int vsplit_gem_unlock_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_lock_table *table = vsplit_file_lock_table(file);
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_gem_lock *args = data;
	struct drm_gem_object *gem;
	int ret = 0;

	if (vsplit_refuse(vdev, args->flags))
		return -EINVAL;
	gem = drm_gem_object_lookup(file, args->handle);
	if (!gem)
		return -ENOENT;
	if (mutex_lock_interruptible(&table->lock))
		ret = -ERESTARTSYS;
	if (!ret) {
		ret = vsplit_lock_remove(vdev, table, gem);
		mutex_unlock(&table->lock);
	}
	drm_gem_object_put(gem);
	return ret;
}
