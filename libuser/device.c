// SPDX-License-Identifier: MIT
/* Devices: open files of an adapter, and queries about the adapter. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

#include "internal.h"

#define DRIVER_NAME	"vsplit"
#define DRI_DIR		"/dev/dri"
#define RENDER_NODE	"renderD"

struct vsplit_device *vsplit__device_get(struct vsplit_device *dev)
{
	atomic_fetch_add_explicit(&dev->refs, 1, memory_order_relaxed);
	return dev;
}

void vsplit__device_put(struct vsplit_device *dev)
{
	if (atomic_fetch_sub_explicit(&dev->refs, 1, memory_order_acq_rel) != 1)
		return;
	pthread_mutex_destroy(&dev->va_lock);
	pthread_mutex_destroy(&dev->read_lock);
	pthread_mutex_destroy(&dev->lock);
	free(dev->path);
	free(dev);
}

int vsplit__ioctl(struct vsplit_device *dev, unsigned long request, void *arg)
{
	int fd = atomic_load_explicit(&dev->fd, memory_order_relaxed);

	if (fd < 0)
		return -EBADF;
	return drmIoctl(fd, request, arg) ? -errno : 0;
}

int vsplit__take(void *to, size_t known, const void *from, size_t size)
{
	const uint8_t *bytes = from;
	size_t i;

	for (i = known; i < size; i++)
		if (bytes[i])
			return -E2BIG;
	memset(to, 0, known);
	memcpy(to, from, size < known ? size : known);
	return 0;
}

void vsplit__give(void *to, size_t size, const void *from, size_t known)
{
	memset(to, 0, size);
	memcpy(to, from, size < known ? size : known);
}

int64_t vsplit__deadline(int64_t timeout_ms)
{
	struct timespec now;
	int64_t ns, add;

	if (timeout_ms < 0)
		return INT64_MAX;
	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	if (__builtin_mul_overflow(timeout_ms, (int64_t)1000000, &add) ||
	    __builtin_add_overflow(ns, add, &ns))
		return INT64_MAX;
	return ns;
}

static int query(struct vsplit_device *dev, uint32_t type, void *data, size_t size,
		 uint32_t *known)
{
	struct drm_vsplit_query q = {
		.type = type,
		.size = (uint32_t)size,
		.pointer = (uintptr_t)data,
	};
	int ret;

	if (data)
		memset(data, 0, size);
	ret = vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_QUERY, &q);
	if (!ret && known)
		*known = q.size;
	return ret;
}

/* Does @fd belong to this driver? This must be known before any ioctl of this driver is called. */
static bool is_vsplit(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);
	bool ours;

	if (!version)
		return false;
	ours = version->name && !strcmp(version->name, DRIVER_NAME);
	drmFreeVersion(version);
	return ours;
}

/* Takes over @fd, and closes it on failure. */
static int open_file(int fd, const char *path, struct vsplit_device **out)
{
	struct vsplit_device *dev;
	int ret = -EINVAL;

	if (!is_vsplit(fd))
		goto err_close;

	ret = -ENOMEM;
	dev = calloc(1, sizeof(*dev));
	if (!dev)
		goto err_close;
	atomic_init(&dev->refs, 1);
	atomic_init(&dev->fd, fd);
	pthread_mutex_init(&dev->lock, NULL);
	pthread_mutex_init(&dev->read_lock, NULL);
	pthread_mutex_init(&dev->va_lock, NULL);
	dev->path = strdup(path);
	if (!dev->path)
		goto err_free;
	ret = query(dev, VSPLIT_QUERY_ADAPTER, &dev->info, sizeof(dev->info), NULL);
	if (ret)
		goto err_free;
	dev->info.name[sizeof(dev->info.name) - 1] = '\0';
	*out = dev;
	return 0;

err_free:
	vsplit__device_put(dev);
err_close:
	close(fd);
	return ret;
}

int vsplit_device_open_path(const char *path, struct vsplit_device **out)
{
	int fd;

	if (!path || !out)
		return -EINVAL;
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : open_file(fd, path, out);
}

int vsplit_device_open_fd(int fd, struct vsplit_device **out)
{
	char link[40], path[256];
	ssize_t n;
	int own;

	if (!out)
		return -EINVAL;
	own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", own);
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	return open_file(own, path, out);
}

static int is_render_node(const struct dirent *entry)
{
	const size_t len = strlen(RENDER_NODE);

	return !strncmp(entry->d_name, RENDER_NODE, len) && entry->d_name[len] >= '0' &&
	       entry->d_name[len] <= '9';
}

int vsplit_device_visit(const char *dir, int (*visit)(void *data, struct vsplit_device *dev),
			void *data)
{
	struct dirent **nodes;
	bool denied = false;
	int count, ret = 0, i;

	if (!visit)
		return -EINVAL;
	if (!dir)
		dir = DRI_DIR;
	count = scandir(dir, &nodes, is_render_node, versionsort);
	if (count < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	for (i = 0; i < count && !ret; i++) {
		struct vsplit_device *dev;
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/%s", dir, nodes[i]->d_name);
		ret = vsplit_device_open_path(path, &dev);
		denied |= ret == -EACCES || ret == -EPERM;
		if (!ret)
			ret = visit(data, dev);
		else if (ret != -ENOMEM && ret != -EMFILE && ret != -ENFILE)
			ret = 0;
	}
	for (i = 0; i < count; i++)
		free(nodes[i]);
	free(nodes);
	return ret ? ret : denied ? -EACCES : 0;
}

struct search {
	const char *name;
	struct vsplit_device *found;
};

static int is_wanted(void *data, struct vsplit_device *dev)
{
	struct search *search = data;

	if (search->name && strcmp((const char *)dev->info.name, search->name)) {
		vsplit_device_close(dev);
		return 0;
	}
	search->found = dev;
	return 1;
}

int vsplit__open_search(const char *dir, const char *name, struct vsplit_device **out)
{
	struct search search = { .name = name };
	int ret = vsplit_device_visit(dir, is_wanted, &search);

	if (!search.found)
		return ret ? ret : -ENODEV;
	*out = search.found;
	return 0;
}

int vsplit_device_open_first(struct vsplit_device **out)
{
	return out ? vsplit__open_search(DRI_DIR, NULL, out) : -EINVAL;
}

int vsplit_device_open_name(const char *name, struct vsplit_device **out)
{
	return name && out ? vsplit__open_search(DRI_DIR, name, out) : -EINVAL;
}

int vsplit_device_open(const char *which, struct vsplit_device **out)
{
	if (!which)
		return vsplit_device_open_first(out);
	if (strchr(which, '/'))
		return vsplit_device_open_path(which, out);
	return vsplit_device_open_name(which, out);
}

void vsplit_device_close(struct vsplit_device *dev)
{
	int fd;

	if (!dev)
		return;
	/* Destroy the syncobj explicitly, because others may share the file and keep it open. */
	pthread_mutex_lock(&dev->va_lock);
	fd = atomic_exchange(&dev->fd, -1);
	if (fd >= 0 && dev->va_done)
		drmSyncobjDestroy(fd, dev->va_done);
	pthread_mutex_unlock(&dev->va_lock);
	if (fd >= 0)
		close(fd);
	vsplit__device_put(dev);
}

int vsplit_device_fd(const struct vsplit_device *dev)
{
	return atomic_load_explicit(&dev->fd, memory_order_relaxed);
}

const char *vsplit_device_path(const struct vsplit_device *dev)
{
	return dev->path;
}

const struct drm_vsplit_adapter_info *vsplit_device_adapter(const struct vsplit_device *dev)
{
	return &dev->info;
}

int vsplit_device_segments(struct vsplit_device *dev,
			   struct drm_vsplit_segment_info *segments, uint32_t *count)
{
	uint32_t known;
	size_t room;
	int ret;

	if (!count || (*count && !segments))
		return -EINVAL;
	room = *count < VSPLIT_MAX_SEGMENTS ? *count : VSPLIT_MAX_SEGMENTS;
	ret = query(dev, VSPLIT_QUERY_SEGMENTS, room ? segments : NULL,
		    room * sizeof(*segments), &known);
	if (ret)
		return ret;
	*count = known / sizeof(*segments);
	return 0;
}

int vsplit_device_statistics_sized(struct vsplit_device *dev, struct drm_vsplit_statistics *out,
			     size_t size)
{
	struct drm_vsplit_statistics stats = { 0 };
	int ret;

	if (!out)
		return -EINVAL;
	ret = query(dev, VSPLIT_QUERY_STATISTICS, &stats, sizeof(stats), NULL);
	if (!ret)
		vsplit__give(out, size, &stats, sizeof(stats));
	return ret;
}

int vsplit_device_state_sized(struct vsplit_device *dev, struct drm_vsplit_ctx_query *out, size_t size)
{
	struct drm_vsplit_ctx_query q = { .ctx = 0 };
	int ret;

	if (!out)
		return -EINVAL;
	ret = vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_CTX_QUERY, &q);
	if (!ret)
		vsplit__give(out, size, &q, sizeof(q));
	return ret;
}

int vsplit_device_escape(struct vsplit_device *dev, uint32_t op, struct vsplit_bo *bo,
			 uint64_t value)
{
	struct drm_vsplit_escape escape = {
		.op = op,
		.handle = bo ? bo->handle : 0,
		.value = value,
	};

	return vsplit__ioctl(dev, DRM_IOCTL_VSPLIT_ESCAPE, &escape);
}
