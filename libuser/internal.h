/* SPDX-License-Identifier: MIT */
/* What the parts of libdrm_vsplit know of each other. */
#ifndef _LIBDRM_VSPLIT_INTERNAL_H_
#define _LIBDRM_VSPLIT_INTERNAL_H_

#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "vsplit.h"

/*
 * An open file. Objects made on it hold a reference, so that they stay valid
 * after vsplit_device_close(), which closes the file itself.
 * @refs: of the device and of each object.
 * @fd: -1 once closed.
 * @path: of the node.
 * @info: read at opening.
 * @lock: protects @bos and @imports; held while handles come and go.
 * @bos: allocations of this device, linked by next.
 * @imports: those among them that were imported: two may have one handle.
 * @manager: of what it requires, or NULL; under @lock.
 * @read_lock: held while events are read: what has found some would sleep if others took them.
 * @va_lock: held while addresses change, so that the last change is the last of @va_done.
 * @va_done: syncobj of the last one; 0: there was none.
 */
struct vsplit_device {
	atomic_uint refs;
	atomic_int fd;
	char *path;
	struct drm_vsplit_adapter_info info;
	pthread_mutex_t lock;
	struct vsplit_bo *bos;
	unsigned int imports;
	struct vsplit_manager *manager;
	pthread_mutex_t read_lock;
	pthread_mutex_t va_lock;
	uint32_t va_done;
};

struct vsplit_device *vsplit__device_get(struct vsplit_device *dev);
void vsplit__device_put(struct vsplit_device *dev);

/* An ioctl of the device: 0 or -errno; restarts; -EBADF once closed. */
int vsplit__ioctl(struct vsplit_device *dev, unsigned long request, void *arg);

/*
 * Structures that carry their size: of @size bytes as the caller knows them, of @known here. What
 * one of both lacks at its end is 0. Taking one: -E2BIG if the caller sets what is not known here.
 */
int vsplit__take(void *to, size_t known, const void *from, size_t size);
void vsplit__give(void *to, size_t size, const void *from, size_t known);

/* Milliseconds from now as a time of CLOCK_MONOTONIC in ns; negative: never. */
int64_t vsplit__deadline(int64_t timeout_ms);

/*
 * @refs: of vsplit_bo_ref() and of the creation.
 * @lock: protects @map.
 * @map: the one mapping, or NULL.
 * @next: in the device's list; under the device's lock, as @prev.
 * @prev: what points to it.
 * @imported: by vsplit_bo_import().
 * @lru: in the manager's list while @managed; under the manager's lock, as what follows.
 * @uses: how often it is in use.
 * @group: enum drm_vsplit_group, once it was managed.
 * @managed: the manager has made it resident.
 */
struct vsplit_bo {
	atomic_uint refs;
	struct vsplit_device *dev;
	uint32_t handle;
	uint64_t size;
	uint64_t id;
	pthread_mutex_t lock;
	void *map;
	struct vsplit_bo *next, **prev;
	bool imported;
	TAILQ_ENTRY(vsplit_bo) lru;
	uint32_t uses;
	uint32_t group;
	bool managed;
};

/*
 * @refs: of vsplit_context_ref() and of the creation.
 * @lock: held from the choice of a timeline point to the end of the ioctl.
 * @last: id of the last submission; written under @lock.
 */
struct vsplit_context {
	atomic_uint refs;
	struct vsplit_device *dev;
	uint32_t id;
	uint32_t timeline;
	pthread_mutex_t lock;
	_Atomic uint64_t last;
};

/*
 * Open the first of the render nodes in @dir, by number, whose adapter has this name; NULL: any.
 * Returns 0 or -errno; -EACCES if there are others that may not be opened, else -ENODEV.
 */
int vsplit__open_search(const char *dir, const char *name, struct vsplit_device **out);

/* An allocation is going to be destroyed; the device's lock is held. */
void vsplit__manager_forget(struct vsplit_manager *manager, struct vsplit_bo *bo);

/* Syncobjs that need no memory. */
#define FEW_SYNCS	8

/*
 * The caller's syncobjs, and room for one more behind them: in @few, or in memory that the caller
 * frees if @all is another place. Returns 0, -E2BIG, -ENOMEM.
 */
int vsplit__copy_syncs(const struct drm_vsplit_sync *syncs, uint32_t num_syncs,
		       struct drm_vsplit_sync few[FEW_SYNCS], struct drm_vsplit_sync **all);

/* True if a group was begun and not ended. */
bool vsplit__stream_in_group(const struct vsplit_stream *stream);

#endif /* _LIBDRM_VSPLIT_INTERNAL_H_ */
