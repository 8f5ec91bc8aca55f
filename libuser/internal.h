/* SPDX-License-Identifier: MIT */
/* Internal interface between the parts of libdrm_vsplit. */
#ifndef _LIBDRM_VSPLIT_INTERNAL_H_
#define _LIBDRM_VSPLIT_INTERNAL_H_

#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include "vsplit.h"

/*
 * An open file. Objects made on it hold a reference, so that they stay valid
 * after vsplit_device_close(), which closes the file itself.
 * @refs: references of the device and of each object.
 * @fd: -1 once closed.
 * @path: path of the node.
 * @info: read at opening.
 * @lock: protects @bos, @imports and @manager; held while GEM handles are made and closed.
 * @bos: allocations of this device, linked by next.
 * @imports: number of imported ones among these: two imports may have one handle.
 * @manager: manager of the requirement list, or NULL; under @lock.
 * @read_lock: held while events are read: a reader that has seen an event would sleep if another
 *	one read it first.
 * @va_lock: held while addresses change, so that @va_done is that of the last change.
 * @va_done: syncobj that the last change of addresses signals; 0: there was no change.
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

/* Calls an ioctl; repeats it after a signal. Returns 0 or -errno; -EBADF once closed. */
int vsplit__ioctl(struct vsplit_device *dev, unsigned long request, void *arg);

/*
 * Copy structures that carry their size: @size bytes as the caller knows them, @known bytes as the
 * library does. The end that one side lacks is taken for 0. vsplit__take() returns -E2BIG if the
 * caller sets bytes there that the library does not know.
 */
int vsplit__take(void *to, size_t known, const void *from, size_t size);
void vsplit__give(void *to, size_t size, const void *from, size_t known);

/* The time @timeout_ms from now, of CLOCK_MONOTONIC in ns; negative: never. */
int64_t vsplit__deadline(int64_t timeout_ms);

/*
 * @refs: references of vsplit_bo_ref() and of the creation.
 * @lock: protects @map.
 * @map: the one mapping, or NULL.
 * @next: in the device's list; under the device's lock, as @prev.
 * @prev: the pointer that points to this object.
 * @imported: made by vsplit_bo_import().
 * @lru: in the manager's list while @managed; under the manager's lock, as the members below.
 * @uses: number of vsplit_manager_use() without their vsplit_manager_done().
 * @group: enum drm_vsplit_group, once it was managed.
 * @managed: the manager has put it on the requirement list.
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
 * @refs: references of vsplit_context_ref() and of the creation.
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
 * Opens the first render node in @dir, by number, whose adapter has this name; NULL: any.
 * Returns 0 or -errno. If there is none: -EACCES if some nodes could not be opened, else -ENODEV.
 */
int vsplit__open_search(const char *dir, const char *name, struct vsplit_device **out);

/* Takes an allocation off the manager's list before it is destroyed; under the device's lock. */
void vsplit__manager_forget(struct vsplit_manager *manager, struct vsplit_bo *bo);

/* Up to so many syncobjs are copied without allocating memory. */
#define FEW_SYNCS	8

/*
 * Copies the caller's syncobjs, and leaves room for one more behind them. @all is @few, or else
 * memory that the caller has to free. Returns 0, -E2BIG, -ENOMEM.
 */
int vsplit__copy_syncs(const struct drm_vsplit_sync *syncs, uint32_t num_syncs,
		       struct drm_vsplit_sync few[FEW_SYNCS], struct drm_vsplit_sync **all);

/* Whether a group was begun and not ended. */
bool vsplit__stream_in_group(const struct vsplit_stream *stream);

#endif /* _LIBDRM_VSPLIT_INTERNAL_H_ */
