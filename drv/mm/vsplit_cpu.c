// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: CPU access
 *
 * A client maps an allocation once, and the mapping stays valid wherever the allocation goes
 * (SEG-12): each change of place zaps its page table entries with the dma_resv held, and the next
 * access faults. The fault waits until the bytes have arrived (KERNEL fences), and maps the page
 * where they are now: in the segment's memory, or in the backing store.
 *
 * Faults also tell of writes. An entry is writable only if the allocation is already known to be
 * written since its last change of place. As there is a pfn_mkwrite callback, the core maps
 * read-only by default, also after mprotect(). A write through a read-only entry zaps the entry and
 * faults again, so that entries become writable only under the dma_resv. The next fault need not be
 * a write: an instruction that reads the page before it writes it begins with the read. So the
 * write leaves a note, and the next fault counts as a write, whatever its kind; else such an
 * instruction would fault for ever.
 *
 * The fault path is inside mmap_lock, so it must not wait for a turn (vsplit_txn.c). It never needs
 * a place: an allocation that is where the CPU does not see it goes to system memory. A swizzled
 * allocation acquires a swizzling range first (vsplit_swizzle_range.c).
 *
 * A mapping holds a GEM reference, as a handle does. So it is a user of the allocation, which keeps
 * its place until its last user is gone (vsplit_release.c).
 *
 * When the adapter is gone, a mapping shows a page of zeros that belongs to the allocation. So only
 * mappings that shared the allocation share the page, there is one page for each allocation, and it
 * is freed with the allocation, after the last mapping. The page cannot belong to the VMA, as
 * copies of page table entries move between VMAs.
 *
 * Lock order: mmap_lock, dma_resv, segment.
 */
#include <linux/dma-resv.h>
#include <linux/file.h>
#include <linux/highmem.h>
#include <linux/mm.h>

#include <drm/drm_vma_manager.h>

#include "mm/vsplit_mm_internal.h"
#include "debug/vsplit_trace.h"

/* GEM's mappings point to the GEM object, and TTM takes the pointer for its own object. */
static_assert(!offsetof(struct ttm_buffer_object, base));

/* ---- faults ---- */

static struct vsplit_bo *vma_to_vbo(const struct vm_area_struct *vma)
{
	return gem_to_vsplit_bo(vma->vm_private_data);
}

/* The return value of a fault handler for the error of a wait or an allocation. */
static vm_fault_t vsplit_vm_error(int error)
{
	if (error == -ERESTARTSYS || error == -EINTR || error == -EAGAIN)
		return VM_FAULT_NOPAGE;
	return vmf_error(error);
}

/** vsplit_bo_visible() - Does the CPU see all of an allocation where it is? resv held. */
bool vsplit_bo_visible(const struct vsplit_bo *vbo)
{
	const struct vsplit_mm *mm = vbo_to_mm(vbo);

	if (!vsplit_bo_memory(vbo))
		return true;
	/* Runs are in the order of addresses, so the last byte is the highest. */
	return vsplit_bo_at(vbo, vbo->tbo.base.size - 1) <
	       mm->segments[vsplit_bo_segment(vbo)].cpu_visible;
}

/** vsplit_bo_hidden() - Can the CPU never access it? No lock is needed: both flags are constant. */
bool vsplit_bo_hidden(const struct vsplit_bo *vbo)
{
	return vbo->gpu_only || vbo->out_of_view;
}

/* Bring an allocation to where the CPU sees it; in system memory, with its pages. */
static int vsplit_vm_prepare(struct vsplit_bo *vbo, const struct vm_area_struct *vma)
{
	struct vsplit_txn txn;
	int ret = 0;

	dma_resv_assert_held(vbo->tbo.base.resv);

	vsplit_txn_init(&txn, vbo_to_mm(vbo), NULL, true);
	txn.client = vsplit_vma_account(vma) ?: vbo->account;
	txn.touched = true;
	txn.awaited = true;

	if (vsplit_fault("mm.cpu_fault"))
		return -ENOMEM;
	vsplit_sync_point("mm.cpu_fault");
	if (!vsplit_bo_visible(vbo))
		ret = vsplit_bo_evict(vbo, &txn.ctx);
	else
		ret = vsplit_swizzle_expose(vbo, true, &txn);
	if (!ret && !vsplit_bo_memory(vbo))
		ret = vsplit_bo_populate(vbo, &txn.ctx);
	return ret;
}

/*
 * Wait for the bytes. Returns 0 if they are there, with the dma_resv held. Otherwise the dma_resv
 * is dropped for the wait, so that submissions that need the allocation's place need not wait with
 * the fault; the returned value ends the fault, which then begins anew. With VM_FAULT_RETRY
 * mmap_lock is dropped, too, unless the caller asks for FAULT_FLAG_RETRY_NOWAIT.
 */
static vm_fault_t vsplit_vm_wait(struct vsplit_bo *vbo, struct vm_fault *vmf)
{
	const struct vsplit_account *client = vsplit_vma_account(vmf->vma) ?:
					      vsplit_account_of_task(vbo->account);
	bool retry = fault_flag_allow_retry_first(vmf->flags);
	struct ttm_buffer_object *tbo = &vbo->tbo;

	if (dma_resv_test_signaled(tbo->base.resv, DMA_RESV_USAGE_KERNEL))
		return 0;

	if (retry && (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)) {
		dma_resv_unlock(tbo->base.resv);
		return VM_FAULT_RETRY;
	}
	drm_gem_object_get(&tbo->base);
	if (retry)
		mmap_read_unlock(vmf->vma->vm_mm);
	dma_resv_unlock(tbo->base.resv);
	if (!vsplit_interrupted("mm.cpu_wait"))
		vsplit_bo_wait_as(vbo, DMA_RESV_USAGE_KERNEL, client);
	vsplit_sync_point("mm.cpu_waited");
	drm_gem_object_put(&tbo->base);
	return retry ? VM_FAULT_RETRY : VM_FAULT_NOPAGE;
}

/* The page frame that TTM will find for a page. */
static unsigned long vsplit_vm_pfn(struct vsplit_bo *vbo, unsigned long page)
{
	if (vsplit_bo_memory(vbo))
		return vbo->tbo.bdev->funcs->io_mem_pfn(&vbo->tbo, page);
	return page_to_pfn(vsplit_bo_pages(vbo)[page]);
}

static vm_fault_t vsplit_vm_insert(struct vsplit_bo *vbo, struct vm_fault *vmf)
{
	unsigned long page = vmf->pgoff - drm_vma_node_start(&vbo->tbo.base.vma_node);
	struct vm_area_struct *vma = vmf->vma;
	bool write = xchg(&vbo->write_tried, false) || (vmf->flags & FAULT_FLAG_WRITE);
	pgprot_t prot = vma->vm_page_prot;

	trace_vsplit_cpu_fault(vbo_to_vdev(vbo), vbo->id, vsplit_bo_segment(vbo), page,
			       vsplit_vm_pfn(vbo, page), write);
	if (write)
		vsplit_bo_written(vbo);
	/* If the allocation is known to be written, further writes need not fault. */
	if (vsplit_bo_memory(vbo) ? vbo->dirty : !vbo->clear)
		prot = vm_get_page_prot(vma->vm_flags);
	return ttm_bo_vm_fault_reserved(vmf, prot, TTM_BO_VM_NUM_PREFAULT);
}

/* The adapter is gone, but programs still use the mapping: spare them a SIGBUS. */
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
	/* Once mmap_lock is dropped the mapping may go, perhaps as the last to hold the adapter. */
	struct file *file __free(fput) = get_file(vmf->vma->vm_file);
	struct vsplit_bo *vbo = vma_to_vbo(vmf->vma);
	struct ttm_buffer_object *tbo = &vbo->tbo;
	vm_fault_t ret;
	int idx, err = 0;

	if (vsplit_interrupted("mm.cpu_reserve"))
		return VM_FAULT_NOPAGE;
	ret = ttm_bo_vm_reserve(tbo, vmf);
	if (ret)
		return ret;

	/* Wait outside of drm_dev_enter(): an unplug must end the wait, not wait for its end. */
	if (drm_dev_enter(tbo->base.dev, &idx)) {
		err = vsplit_vm_prepare(vbo, vmf->vma);
		drm_dev_exit(idx);
	}
	if (err) {
		ret = vsplit_vm_error(err);
		goto unlock;
	}
	ret = vsplit_vm_wait(vbo, vmf);
	if (ret)
		return ret;

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

/* A write through a read-only entry: make it fault again, and count that fault as a write. */
static vm_fault_t vsplit_vm_pfn_mkwrite(struct vm_fault *vmf)
{
	unsigned long left = vmf->vma->vm_end - vmf->address;

	WRITE_ONCE(vma_to_vbo(vmf->vma)->write_tried, true);
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
			    vbo_to_mm(vbo)->segments[vsplit_bo_segment(vbo)].memory +
			    vsplit_bo_at(vbo, offset & PAGE_MASK);
	void *at = map + offset_in_page(offset);

	memcpy(write ? at : buf, write ? buf : at, len);
	if (pages)
		kunmap_local(map);
}

static int vsplit_access(struct vsplit_bo *vbo, unsigned long offset, void *buf, int len,
			 bool write)
{
	int done = 0;

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

/*
 * Prepare an access by a debugger. It sees no more than the program (SEG-1), and waits for the
 * bytes as the program's faults do: without the dma_resv, and outside of drm_dev_enter(). But the
 * caller holds the program's mmap_lock, and may be any task that reads /proc/PID/cmdline. So the
 * wait ends after the adapter's timeout, even if the program's own work goes on. If this returns 0,
 * the dma_resv is held, and drm_dev_enter() was called.
 */
static int vsplit_access_begin(struct vsplit_bo *vbo, const struct vm_area_struct *vma, int *idx)
{
	long left = msecs_to_jiffies(vbo_to_vdev(vbo)->config.timeout_ms);
	struct ttm_buffer_object *tbo = &vbo->tbo;
	int ret;

	for (;;) {
		ret = ttm_bo_reserve(tbo, true, false, NULL);
		if (ret)
			return ret;
		ret = -ENODEV;
		if (drm_dev_enter(tbo->base.dev, idx)) {
			ret = vsplit_vm_prepare(vbo, vma);
			if (!ret && dma_resv_test_signaled(tbo->base.resv, DMA_RESV_USAGE_KERNEL))
				return 0;
			drm_dev_exit(*idx);
		}
		dma_resv_unlock(tbo->base.resv);
		if (ret)
			return ret;
		left = vsplit_interrupted("mm.access_wait") ? -ERESTARTSYS :
		       dma_resv_wait_timeout(tbo->base.resv, DMA_RESV_USAGE_KERNEL, true, left);
		if (left <= 0)
			return left ?: -EAGAIN;
	}
}

/* For debuggers. TTM's function would not notice writes, and not wait for the bytes. */
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
	ret = vsplit_access_begin(vbo, vma, &idx);
	if (ret)
		return ret;
	ret = vsplit_access(vbo, offset, buf, len, write);
	drm_dev_exit(idx);
	dma_resv_unlock(tbo->base.resv);
	return ret;
}

const struct vm_operations_struct vsplit_vm_ops = {
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
	.fault = vsplit_vm_fault,
	.pfn_mkwrite = vsplit_vm_pfn_mkwrite,
	.access = vsplit_vm_access,
};
