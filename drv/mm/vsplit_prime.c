// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: sharing
 *
 * Exports, kernel mappings and imports: allocations whose pages others use.
 *
 * An importer that is attached to an export uses the pages of the allocation until it detaches, and
 * a kernel mapping uses them until it is unmapped, since nothing tells them of a move
 * (DMABUF_MOVE_NOTIFY is commonly off). Meanwhile the *pages are pinned*: they hold the bytes, so
 * the allocation is in system memory or in an aperture segment, which only maps the pages, and
 * comes and goes there as always. It may not be in a memory segment, where the GPU would write a
 * copy that no importer sees. A submission that needs the allocation, but does not allow it an
 * aperture segment, is refused with -EBUSY, as WDDM refuses to render from an allocation that is
 * locked and cannot be relocated (EXT-37). An export without attachments goes anywhere; CPU
 * mappings of the dma-buf follow it.
 *
 * A kernel mapping of an allocation in a memory segment maps that memory, and pins the allocation
 * there, unless the memory belongs to a BAR, the CPU does not see it there, the allocation is
 * swizzled or in runs, or a device's list would not fit any more.
 *
 * An import is the other side: its pages are the exporter's. It never has pages of its own, so it
 * is only in system memory and apertures. The GPU, being software, reaches the pages through the
 * CPU: the exporter maps the dma-buf (vmap) from the import until the import is destroyed, which
 * also keeps the pages where they are. A dma-buf that the exporter cannot map, or that is not
 * system memory, is refused. The dma_resv of the dma-buf is also that of the allocation, so
 * implicit synchronisation works both ways. CPU mappings of an import are the exporter's.
 *
 * An aperture maps pages, so the driver takes the pages from the exporter's mapping, and refuses a
 * mapping of I/O memory. begin_cpu_access() and end_cpu_access() are not called around the GPU's
 * work: they may take the exporter's lock and wait for fences. This is possible neither where a
 * program is made, with the dma_resv held, nor where it runs, on the way to signalling a fence. The
 * calls matter if memory is not coherent with the CPU; see sharing.rst.
 *
 * DRM imports with the adapter's lock of names held, which all clients need to make and close
 * handles. An exporter may need time for the pages: vsplit itself, as an exporter, waits for the
 * bytes. So an import is made before, without that lock; under the lock it is only looked up
 * (vsplit_gem_prime_fd_to_handle()).
 *
 * TTM swaps out the pages neither of imports nor of exports: an import's pages are
 * TTM_TT_FLAG_EXTERNAL for life, and vsplit_eviction_valuable() refuses an export while its pages
 * are pinned. ttm_bo_pin() would also keep the allocation from leaving its aperture.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/iosys-map.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <drm/drm_file.h>
#include <drm/drm_prime.h>

#include "mm/vsplit_mm_internal.h"
#include "debug/vsplit_kcov.h"

/* ---- pages of ours that others use ---- */

/*
 * Pin the pages of an allocation: from here on they hold its bytes, or will soon. The client that
 * made the allocation counts as waiting for the bytes, because an importer is no client.
 */
static int vsplit_bo_pin_pages(struct vsplit_bo *vbo, bool interruptible)
{
	struct vsplit_txn txn;
	int ret = 0;

	dma_resv_assert_held(vbo->tbo.base.resv);

	vsplit_txn_init(&txn, vbo_to_mm(vbo), NULL, interruptible);
	txn.client = vbo->account;
	txn.touched = true;
	txn.awaited = true;
	/* It will go back to where it is pinned (vsplit_reset.c). */
	if (vbo->parked)
		return -EBUSY;
	if (vsplit_bo_memory(vbo))
		ret = vsplit_bo_evict(vbo, &txn.ctx);
	if (!ret)
		ret = vsplit_bo_populate(vbo, &txn.ctx);
	if (ret)
		return ret;

	vbo->pages_pinned++;
	vsplit_bo_written(vbo);
	return 0;
}

/* An importer attaches. Return: also -EBUSY if it is pinned in a memory segment, or parked. */
static int vsplit_gem_pin(struct drm_gem_object *gem)
{
	return vsplit_bo_pin_pages(gem_to_vsplit_bo(gem), true);
}

static void vsplit_gem_unpin(struct drm_gem_object *gem)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(gem);

	dma_resv_assert_held(gem->resv);

	if (!--vbo->pages_pinned)
		WRITE_ONCE(vbo->pages_arrived, false);
}

/* The pages of an export, for an importer. They are pinned. */
static struct sg_table *vsplit_gem_get_sg_table(struct drm_gem_object *gem)
{
	struct ttm_tt *tt = gem_to_vsplit_bo(gem)->tbo.ttm;

	return drm_prime_pages_to_sg(gem->dev, tt->pages, tt->num_pages);
}

/*
 * Attach, and wait for the bytes without the dma_resv. Submissions that want the place of the
 * allocation, or of an import of it, need the dma_resv, and would wait for everything that the
 * bytes wait for.
 */
static int vsplit_dmabuf_attach(struct dma_buf *dma_buf, struct dma_buf_attachment *attach)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(dma_buf->priv);
	long ret = drm_gem_map_attach(dma_buf, attach);

	if (ret)
		return ret;
	ret = vsplit_interrupted("mm.wait_moved") ? -ERESTARTSYS :
	      vsplit_bo_wait_as(vbo, DMA_RESV_USAGE_KERNEL, vsplit_account_of_task(vbo->account));
	if (ret < 0) {
		drm_gem_map_detach(dma_buf, attach);
		return ret;
	}
	/* Pairs with vsplit_gem_vmap(): what sees this also sees the bytes. */
	smp_store_release(&vbo->pages_arrived, true);
	vsplit_sync_point("mm.attached");
	return 0;
}

/* Say that a task, which does not use the adapter itself, waits for the bytes. */
static void vsplit_dmabuf_hurry(struct vsplit_bo *vbo)
{
	vsplit_bo_hurry(vbo, DMA_RESV_USAGE_KERNEL, vsplit_account_of_task(vbo->account));
}

/* DMA-BUF then waits for these fences; no others join them, because the dma_resv is held. */
static struct sg_table *vsplit_dmabuf_map(struct dma_buf_attachment *attach,
					  enum dma_data_direction direction)
{
	vsplit_dmabuf_hurry(gem_to_vsplit_bo(attach->dmabuf->priv));
	return drm_gem_map_dma_buf(attach, direction);
}

/* DMA-BUF would wait for all of the fences without a limit. */
static int vsplit_dmabuf_begin_cpu_access(struct dma_buf *dma_buf,
					  enum dma_data_direction direction)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(dma_buf->priv);
	enum dma_resv_usage usage = dma_resv_usage_rw(direction != DMA_FROM_DEVICE);
	long ret = vsplit_bo_wait_as(vbo, usage, vsplit_account_of_task(vbo->account));

	return min(ret, 0l);
}

/* Like GEM's operations, except for those that wait. */
static const struct dma_buf_ops vsplit_dmabuf_ops = {
	.attach = vsplit_dmabuf_attach,
	.detach = drm_gem_map_detach,
	.map_dma_buf = vsplit_dmabuf_map,
	.unmap_dma_buf = drm_gem_unmap_dma_buf,
	.begin_cpu_access = vsplit_dmabuf_begin_cpu_access,
	.release = drm_gem_dmabuf_release,
	.mmap = drm_gem_dmabuf_mmap,
	.vmap = drm_gem_dmabuf_vmap,
	.vunmap = drm_gem_dmabuf_vunmap,
};

static struct dma_buf *vsplit_gem_export(struct drm_gem_object *gem, int flags)
{
	struct dma_buf *dma_buf = drm_gem_prime_export(gem, flags);

	if (!IS_ERR(dma_buf))
		dma_buf->ops = &vsplit_dmabuf_ops;
	return dma_buf;
}

/* ---- kernel mappings ---- */

/*
 * Is it in memory that a kernel mapping may show? The memory behind a BAR can go with the device,
 * and a swizzling range can be taken by another allocation; a kernel mapping would follow neither.
 * While it is pinned, mappings of programs have to show it where it is.
 */
static bool vsplit_bo_in_plain_memory(const struct vsplit_bo *vbo)
{
	u32 segment = vsplit_bo_segment(vbo);

	return vsplit_bo_memory(vbo) && !vbo_to_mm(vbo)->segments[segment].bus && !vbo->pitch &&
	       !(vbo->flags & VSPLIT_GEM_RUNS) && (vbo->tbo.pin_count || vsplit_bo_visible(vbo));
}

/* Wait for the bytes with the dma_resv held. */
static void vsplit_dmabuf_wait(struct vsplit_bo *vbo)
{
	vsplit_dmabuf_hurry(vbo);
	dma_resv_wait_timeout(vbo->tbo.base.resv, DMA_RESV_USAGE_KERNEL, false,
			      MAX_SCHEDULE_TIMEOUT);
}

/*
 * TTM's own kernel mappings are not used: they forget a premapped address when one
 * of two mappings goes away. Not interruptible: dma_buf_vmap() warns of any error. An importer that
 * has attached has waited for the bytes, and does not wait again with the dma_resv held: aperture
 * segments may be mapped and unmapped meanwhile, but the bytes stay in the pages.
 * Return: 0, -ENOMEM; -EBUSY: it is pinned where it cannot be mapped, or parked.
 */
static int vsplit_gem_vmap(struct drm_gem_object *gem, struct iosys_map *map)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(gem);
	struct ttm_tt *tt;
	void *vaddr;
	int ret;

	dma_resv_assert_held(gem->resv);

	if (vsplit_fault("mm.vmap"))
		return -ENOMEM;
	/* If the pin would break a list, the allocation goes to its pages instead. */
	if (vsplit_bo_in_plain_memory(vbo) && !vsplit_bo_pin_place(vbo, false)) {
		vsplit_dmabuf_wait(vbo);
		ttm_bo_move_to_lru_tail_unlocked(&vbo->tbo);
		vsplit_bo_written(vbo);
		iosys_map_set_vaddr(map, vsplit_bo_memory(vbo));
		return 0;
	}

	ret = vsplit_bo_pin_pages(vbo, false);
	if (ret)
		return ret;
	/* Pairs with vsplit_dmabuf_attach(). */
	if (!smp_load_acquire(&vbo->pages_arrived))
		vsplit_dmabuf_wait(vbo);
	tt = vbo->tbo.ttm;
	vaddr = vmap(tt->pages, tt->num_pages, VM_MAP, PAGE_KERNEL);
	if (!vaddr) {
		vsplit_gem_unpin(gem);
		return -ENOMEM;
	}
	iosys_map_set_vaddr(map, vaddr);
	return 0;
}

static void vsplit_gem_vunmap(struct drm_gem_object *gem, struct iosys_map *map)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(gem);

	/* While it was mapped, it has not moved into or out of a memory segment. */
	if (vsplit_bo_memory(vbo)) {
		vsplit_bo_unpin_place(vbo);
		ttm_bo_move_to_lru_tail_unlocked(&vbo->tbo);
	} else {
		vunmap(map->vaddr);
		vsplit_gem_unpin(gem);
	}
}

/* ---- imports ---- */

/**
 * struct vsplit_import - What an imported allocation holds of its exporter.
 * @dma_buf: a reference.
 * @map: the exporter's kernel mapping.
 * @coverage: handle that the coverage of vsplit_import_work() is collected for; constant.
 */
struct vsplit_import {
	struct dma_buf *dma_buf;
	struct iosys_map map;
	u64 coverage;
};

static void vsplit_import_work(struct work_struct *work)
{
	struct vsplit_bo *vbo = container_of(work, struct vsplit_bo, end);
	struct vsplit_import *import = vbo->import;
	bool covered = vsplit_kcov_begin(import->coverage);
	struct drm_gem_object *gem = &vbo->tbo.base;

	dma_buf_vunmap_unlocked(import->dma_buf, &import->map);
	/* If importing failed there is no attachment yet; vsplit_gem_import() detaches it. */
	if (gem->import_attach)
		drm_prime_gem_destroy(gem, vbo->tbo.sg);
	dma_buf_put(import->dma_buf);
	kfree(import);
	vsplit_bo_free(vbo);
	vsplit_kcov_end(covered);
}

/*
 * The last reference to an imported allocation is gone. The exporter has to take its lock. The
 * caller may hold other locks of that class, so a work item destroys the import.
 */
void vsplit_import_destroy(struct vsplit_bo *vbo)
{
	struct vsplit_device *vdev = to_vsplit_device(vbo->tbo.base.dev);

	INIT_WORK(&vbo->end, vsplit_import_work);
	queue_work(vdev->mm.import_wq, &vbo->end);
}

/*
 * Find the pages of an import, for its backing store. Return: 0, or -EOPNOTSUPP if they are not all
 * system memory.
 */
int vsplit_import_pages(struct vsplit_bo *vbo, struct ttm_tt *tt)
{
	void *vaddr = vbo->import->map.vaddr;
	u32 i;

	for (i = 0; i < tt->num_pages; i++, vaddr += PAGE_SIZE) {
		unsigned long pfn = is_vmalloc_addr(vaddr) ? vmalloc_to_pfn(vaddr) :
							     PHYS_PFN(__pa(vaddr));

		if (!pfn_valid(pfn))
			return -EOPNOTSUPP;
		tt->pages[i] = pfn_to_page(pfn);
	}
	return 0;
}

/* Map the exporter's memory so that this driver's GPU can reach it. */
static struct vsplit_import *vsplit_import_create(struct dma_buf *dma_buf)
{
	struct vsplit_import *import __free(kfree) = kzalloc(sizeof(*import), GFP_KERNEL);
	int ret;

	if (!import)
		return ERR_PTR(-ENOMEM);
	/* -EINVAL: the exporter has no vmap function. */
	ret = vsplit_fault("mm.import_vmap") ? -ENOMEM :
	      dma_buf_vmap_unlocked(dma_buf, &import->map);
	if (ret)
		return ERR_PTR(ret == -EINVAL ? -EOPNOTSUPP : ret);
	if (import->map.is_iomem || !PAGE_ALIGNED(import->map.vaddr)) {
		dma_buf_vunmap_unlocked(dma_buf, &import->map);
		return ERR_PTR(-EOPNOTSUPP);
	}
	get_dma_buf(dma_buf);
	import->dma_buf = dma_buf;
	import->coverage = vsplit_kcov_handle();
	return no_free_ptr(import);
}

/* Allow an import all aperture segments, in the adapter's order. */
static int vsplit_import_args(struct vsplit_device *vdev, u64 size,
			      struct drm_vsplit_gem_create *args)
{
	const struct vsplit_mm *mm = &vdev->mm;
	u32 i;

	args->size = size;
	for (i = 0; i < mm->nr_segments; i++)
		if (mm->segments[i].aperture)
			args->segments[args->num_segments++] = i + 1;
	if (vsplit_refuse(vdev, !args->num_segments))
		return -EOPNOTSUPP;
	return vsplit_refuse(vdev, !PAGE_ALIGNED(size)) ? -EINVAL : 0;
}

/* Give an import to TTM; on failure the import is destroyed. */
static int vsplit_import_init(struct vsplit_bo *vbo)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct vsplit_device *vdev = to_vsplit_device(vbo->tbo.base.dev);
	struct dma_resv *resv = vbo->import->dma_buf->resv;
	int ret;

	ret = dma_resv_lock_interruptible(resv, NULL);
	if (ret) {
		vsplit_import_destroy(vbo);
		return ret;
	}
	/* No ttm_bo_type_sg, or TTM would wait for the exporter's dma_resv (vsplit_release.c). */
	ret = ttm_bo_init_reserved(&vdev->mm.bdev, &vbo->tbo, ttm_bo_type_device,
				   &vsplit_system_placement, 1, &ctx, NULL, resv,
				   vsplit_bo_destroy);
	if (ret) {
		dma_resv_unlock(resv);
		return ret;
	}
	ret = vsplit_bo_populate(vbo, &ctx);
	dma_resv_unlock(resv);
	if (ret)
		drm_gem_object_put(&vbo->tbo.base);
	return ret;
}

/* Make an import, without the attachment, which the caller adds on success. */
static struct vsplit_bo *vsplit_import_make(struct drm_device *drm, struct dma_buf *dma_buf)
{
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_gem_create args = {};
	struct vsplit_import *import;
	struct vsplit_bo *vbo;
	int ret;

	ret = vsplit_import_args(vdev, dma_buf->size, &args);
	if (ret)
		return ERR_PTR(ret);
	vbo = vsplit_bo_alloc(vdev, &args, false);
	if (IS_ERR(vbo))
		return vbo;
	import = vsplit_import_create(dma_buf);
	if (IS_ERR(import)) {
		vsplit_bo_free(vbo);
		return ERR_CAST(import);
	}
	vbo->import = import;
	vbo->clear = false;
	vbo->pages_pinned = 1;

	ret = vsplit_import_init(vbo);
	return ret ? ERR_PTR(ret) : vbo;
}

/*
 * Like DRM's drm_gem_prime_import(), but without mapping the attachment. For a mapping an exporter
 * may make a table of all pages, for each importer, that no account is charged for; and DRM would
 * wait with the dma_resv held. Here the GPU reaches the pages through the exporter's own mapping.
 */
static struct drm_gem_object *vsplit_gem_import(struct drm_device *drm, struct dma_buf *dma_buf)
{
	struct dma_buf_attachment *attach;
	struct vsplit_bo *vbo;

	attach = dma_buf_attach(dma_buf, drm->dev);
	if (IS_ERR(attach))
		return ERR_CAST(attach);
	vbo = vsplit_import_make(drm, dma_buf);
	if (IS_ERR(vbo)) {
		dma_buf_detach(dma_buf, attach);
		return ERR_CAST(vbo);
	}
	/* drm_prime_gem_destroy() drops this reference. */
	get_dma_buf(dma_buf);
	vbo->tbo.base.import_attach = attach;
	return &vbo->tbo.base;
}

/* ---- handles of imports ---- */

static bool vsplit_dmabuf_is_own(const struct drm_device *drm, const struct dma_buf *dma_buf)
{
	const struct drm_gem_object *gem = dma_buf->priv;

	return dma_buf->ops == &vsplit_dmabuf_ops && gem->dev == drm;
}

/*
 * struct drm_driver.gem_prime_import; the adapter's lock of names is held. Return: a reference to
 * the allocation that the adapter itself exported, or to the import that the task has made of the
 * dma-buf; else ERR_PTR(-EAGAIN).
 */
struct drm_gem_object *vsplit_gem_prime_import(struct drm_device *drm, struct dma_buf *dma_buf)
{
	struct drm_gem_object *gem = dma_buf->priv;

	if (!vsplit_dmabuf_is_own(drm, dma_buf)) {
		gem = xa_load(&to_vsplit_device(drm)->mm.imports, (unsigned long)current);
		if (!gem || gem->import_attach->dmabuf != dma_buf)
			return ERR_PTR(-EAGAIN);
	}
	drm_gem_object_get(gem);
	return gem;
}

/* Import the dma-buf. @fd may be another one by now: then there is no handle, but -EAGAIN. */
static int vsplit_import_handle(struct drm_device *drm, struct drm_file *file,
				struct dma_buf *dma_buf, int fd, u32 *handle)
{
	struct xarray *imports = &to_vsplit_device(drm)->mm.imports;
	struct drm_gem_object *gem = vsplit_gem_import(drm, dma_buf);
	unsigned long index = (unsigned long)current;
	int ret;

	if (IS_ERR(gem))
		return PTR_ERR(gem);
	ret = vsplit_fault("mm.importing") ? -ENOMEM :
	      xa_err(xa_store(imports, index, gem, GFP_KERNEL));
	if (!ret) {
		vsplit_sync_point("mm.importing");
		ret = drm_gem_prime_fd_to_handle(drm, file, fd, handle);
		xa_erase(imports, index);
	}
	drm_gem_object_put(gem);
	return ret;
}

/*
 * struct drm_driver.prime_fd_to_handle. Waits for the exporter, without any lock but the buffer's.
 * Return: 0, or a negative error:
 *
 *  * -EOPNOTSUPP: the adapter has no aperture segment, or the exporter cannot map the dma-buf into
 *    the kernel as system memory;
 *  * -E2BIG: larger than every aperture segment;
 *  * -EINVAL: its size is no multiple of the page size; or it is an allocation of the adapter's own
 *    that is offered, and the file has no handle of it;
 *  * -ENOMEM: also if the user has as much as it may have (fdinfo: vsplit-user-allocations-limit);
 *  * -EAGAIN: @fd refers to another dma-buf by now;
 *  * -EINTR, or whatever DRM or the exporter returns.
 */
int vsplit_gem_prime_fd_to_handle(struct drm_device *drm, struct drm_file *file, int fd,
				  u32 *handle)
{
	struct dma_buf *dma_buf;
	int ret;

	/* Succeeds for one of the adapter's own, and for one that the file has a handle of. */
	ret = drm_gem_prime_fd_to_handle(drm, file, fd, handle);
	if (ret != -EAGAIN)
		return ret;
	dma_buf = dma_buf_get(fd);
	if (IS_ERR(dma_buf))
		return PTR_ERR(dma_buf);
	if (!vsplit_dmabuf_is_own(drm, dma_buf))
		ret = vsplit_import_handle(drm, file, dma_buf, fd, handle);
	dma_buf_put(dma_buf);
	return ret;
}

/* An import is mapped by its exporter. The caller gives a reference of @gem to the mapping. */
static int vsplit_gem_mmap(struct drm_gem_object *gem, struct vm_area_struct *vma)
{
	int ret;

	/* The client may have guessed the offset: refuse as vsplit_gem_mmap_offset_ioctl() does. */
	if (vsplit_bo_hidden(gem_to_vsplit_bo(gem)))
		return -EACCES;
	if (!gem->import_attach) {
		/* Like TTM's own mappings, but the reference remains one of GEM. */
		if (is_cow_mapping(vma->vm_flags))
			return -EINVAL;
		vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP);
		return 0;
	}

	/* The exporter's mapping holds the dma-buf, and so its memory. */
	vma->vm_private_data = NULL;
	vma->vm_ops = NULL;
	ret = dma_buf_mmap(gem->import_attach->dmabuf, vma, 0);
	if (!ret)
		drm_gem_object_put(gem);
	return ret;
}

/* ---- what GEM calls ---- */

/*
 * An allocation gets a handle, which counts already. An offered one gets no second handle: the file
 * could require the allocation, and by reclaiming it another file would break the first one's list.
 * OFFER looks at the number of handles with the same lock held.
 */
static int vsplit_gem_open(struct drm_gem_object *gem, struct drm_file *file)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(gem);
	int ret;

	/* It is never offered, and the lock is its exporter's. */
	if (vbo->import)
		return 0;
	ret = vsplit_interrupted("mm.open_reserve") ? -ERESTARTSYS :
	      ttm_bo_reserve(&vbo->tbo, true, false, NULL);
	if (ret)
		return ret;
	if (vsplit_refuse(vbo_to_vdev(vbo), vbo->offer && READ_ONCE(gem->handle_count) > 1))
		ret = -EINVAL;
	dma_resv_unlock(gem->resv);
	return ret;
}

/* A file does not require an allocation any more once it has no handle of it. */
static void vsplit_gem_close(struct drm_gem_object *gem, struct drm_file *file)
{
	struct vsplit_resid_object *object = &gem_to_vsplit_bo(gem)->resid;
	struct vsplit_resid *resid = vsplit_file_resid(file);
	u32 handle = vsplit_resid_handle(resid, object);
	bool other;

	/*
	 * A file may have several handles of the allocation (DRM_IOCTL_GEM_OPEN). The handle that
	 * is being closed is not found any more. While the file is closed, all handles are found,
	 * even those of freed objects: so only compare the pointers.
	 */
	scoped_guard(spinlock, &file->table_lock)
		other = handle && idr_find(&file->object_idr, handle) == gem;
	if (!other)
		vsplit_resid_take(resid, object, U32_MAX);
}

const struct drm_gem_object_funcs vsplit_gem_funcs = {
	.free = vsplit_gem_free,
	.open = vsplit_gem_open,
	.close = vsplit_gem_close,
	.export = vsplit_gem_export,
	.pin = vsplit_gem_pin,
	.unpin = vsplit_gem_unpin,
	.get_sg_table = vsplit_gem_get_sg_table,
	.vmap = vsplit_gem_vmap,
	.vunmap = vsplit_gem_vunmap,
	.mmap = vsplit_gem_mmap,
	.vm_ops = &vsplit_vm_ops,
};

/* Like MODULE_IMPORT_NS(), whose argument became a string in 6.13. */
MODULE_INFO(import_ns, "DMA_BUF");
