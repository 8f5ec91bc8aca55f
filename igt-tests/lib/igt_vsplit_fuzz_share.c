// SPDX-License-Identifier: MIT
/*
 * Sharing, from a seed: dma-bufs in both directions, fences.
 */
#include "igt.h"
#include "igt_vsplit_fuzz.h"

#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <linux/udmabuf.h>
#include <xf86drm.h>

#define U 4096ull

/* ---- sharing ------------------------------------------------------------ */

/* Imports into a client, with the size that the driver tells. */
static int import(struct vsplit_fuzz_client *to, int file, struct vsplit_rng *rng)
{
	struct drm_vsplit_gem_info info = {};
	int ret = drmPrimeFDToHandle(to->fd, file, &info.handle) ? -errno : 0;

	if (ret)
		return ret;
	if (!ioctl(to->fd, DRM_IOCTL_VSPLIT_GEM_INFO, &info))
		vsplit_fuzz_add(&to->bos, info.handle, info.size, rng);
	return 0;
}

int vsplit_fuzz_export(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	uint32_t handle = vsplit_fuzz_one(&c->bos, rng, NULL), foreign;
	int file, ret;

	if (drmPrimeHandleToFD(c->fd, handle, DRM_CLOEXEC | DRM_RDWR, &file))
		return -errno;
	switch (below(rng, 4)) {
	case 0:		/* vgem holds the pages until its handle is closed */
		ret = vsplit_fuzz_env.vgem < 0 || drmPrimeFDToHandle(vsplit_fuzz_env.vgem, file, &foreign) ? -errno : 0;
		if (vsplit_fuzz_env.vgem >= 0 && !ret)
			drmCloseBufferHandle(vsplit_fuzz_env.vgem, foreign);
		break;
	case 1: {	/* another adapter */
		char path[32];
		int other;

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", vsplit_fuzz_ad2->render);
		other = open(path, O_RDWR | O_CLOEXEC);
		ret = drmPrimeFDToHandle(other, file, &foreign) ? -errno : 0;
		vsplit_fuzz_add_file(c, other);
		break;
	}
	default:
		ret = import(&vsplit_fuzz_clients[below(rng, 2)], file, rng);
		break;
	}
	if (dice(rng, 2))
		vsplit_fuzz_add_file(c, file);
	else
		close(file);
	return ret;
}

int vsplit_fuzz_import_vgem(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct drm_mode_create_dumb dumb = { .width = 1024, .height = 1 + below(rng, 6), .bpp = 32 };
	int file, ret;

	if (vsplit_fuzz_env.vgem < 0)
		return -ENODEV;
	if (drmIoctl(vsplit_fuzz_env.vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb))
		return -errno;
	ret = drmPrimeHandleToFD(vsplit_fuzz_env.vgem, dumb.handle, DRM_CLOEXEC | DRM_RDWR, &file) ? -errno : 0;
	drmCloseBufferHandle(vsplit_fuzz_env.vgem, dumb.handle);
	if (ret)
		return ret;
	ret = import(c, file, rng);
	close(file);
	return ret;
}

int vsplit_fuzz_import_udmabuf(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct udmabuf_create create = { .size = (1 + below(rng, 4)) * U };
	int file = -1, ret, pages;

	pages = memfd_create("fuzz", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	if (vsplit_fuzz_env.udmabuf < 0 || pages < 0) {
		close(pages);
		return -ENODEV;
	}
	create.memfd = pages;
	if (!ftruncate(pages, 8 * U) && !fcntl(pages, F_ADD_SEALS, F_SEAL_SHRINK))
		file = ioctl(vsplit_fuzz_env.udmabuf, UDMABUF_CREATE, &create);
	close(pages);
	if (file < 0)
		return -errno;
	ret = import(c, file, rng);
	close(file);
	return ret;
}

/* Imports from another adapter of the driver, which keeps the file open. */
int vsplit_fuzz_import_other(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct drm_vsplit_gem_create create = { .size = (1 + below(rng, 6)) * U };
	char path[32];
	int other, file, ret;

	snprintf(path, sizeof(path), "/dev/dri/renderD%d", vsplit_fuzz_ad2->render);
	other = open(path, O_RDWR | O_CLOEXEC);
	if (other < 0)
		return -errno;
	ret = ioctl(other, DRM_IOCTL_VSPLIT_GEM_CREATE, &create) ? -errno : 0;
	if (!ret)
		ret = drmPrimeHandleToFD(other, create.handle, DRM_CLOEXEC | DRM_RDWR, &file) ?
		      -errno : 0;
	if (!ret) {
		ret = import(c, file, rng);
		close(file);
	}
	vsplit_fuzz_add_file(c, other);
	return ret;
}

/* The CPU accesses a dma-buf through its own file. */
int vsplit_fuzz_dmabuf(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	uint64_t size;
	uint32_t handle = vsplit_fuzz_one(&c->bos, rng, &size);
	struct dma_buf_sync sync = { .flags = 1 + below(rng, 3) };
	struct dma_buf_export_sync_file fences = { .flags = 1 + below(rng, 3), .fd = -1 };
	int file, ret = 0;
	void *map;

	if (drmPrimeHandleToFD(c->fd, handle, DRM_CLOEXEC | DRM_RDWR, &file))
		return -errno;
	map = mmap(NULL, U, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (map == MAP_FAILED)
		ret = -errno;
	else if (ioctl(file, DMA_BUF_IOCTL_SYNC, &sync))
		ret = -errno;
	if (!ret) {
		if (vsplit_fuzz_env.memory >= 0 && pwrite(vsplit_fuzz_env.memory, "dmabuf", 6, (uintptr_t)map) < 0)
			ret = -errno;
		sync.flags |= DMA_BUF_SYNC_END;
		ioctl(file, DMA_BUF_IOCTL_SYNC, &sync);
	}
	if (map != MAP_FAILED)
		munmap(map, U);
	if (!ioctl(file, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &fences))
		vsplit_fuzz_add_file(c, fences.fd);
	close(file);
	return ret;
}

/* Queries a fence, also after everything that it came from is gone. */
int vsplit_fuzz_fence(struct vsplit_fuzz_client *c, struct vsplit_rng *rng)
{
	struct sync_fence_info infos[8] = {};
	struct sync_file_info info = { .sync_fence_info = (uintptr_t)infos, .num_fences = 8 };
	struct sync_merge_data merge = { .fence = -1 };
	int file;

	if (drmSyncobjExportSyncFile(c->fd, vsplit_fuzz_one(&c->syncobjs, rng, NULL), &file))
		return -errno;
	ioctl(file, SYNC_IOC_FILE_INFO, &info);
	for (unsigned int i = 0; i < c->nr_files && merge.fence < 0; i++) {
		merge.fd2 = c->files[i];
		if (!ioctl(file, SYNC_IOC_MERGE, &merge))
			vsplit_fuzz_add_file(c, merge.fence);
	}
	vsplit_fuzz_add_file(c, file);
	return 0;
}
