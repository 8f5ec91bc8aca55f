/* SPDX-License-Identifier: MIT */
/*
 * libdrm_vsplit: the library of the vsplit driver, on libdrm.
 *
 * Rules that hold for every call below:
 * - A call that returns int returns 0 or a negative errno value. After an error no
 *   object was made and nothing has changed, unless said otherwise.
 * - Handles are opaque. The object that a *_create or *_open call makes belongs to the
 *   caller, which gives it back with the matching *_destroy, *_close or *_free
 *   call; these do nothing for NULL. Out parameters are written on success only.
 * - Any call may return these errors, which are not repeated below: -ENOMEM (host
 *   memory is short), -ENODEV (the adapter is gone), -EBADF (the device was
 *   closed with vsplit_device_close()).
 * - Sizes and offsets are bytes. Times are milliseconds where the name ends in
 *   _ms; a negative one waits without end, 0 does not wait.
 * - The library has no global state, prints nothing, and changes no signal
 *   handler. It restarts what a signal interrupted.
 * - Threads: calls on different objects may run at the same time. Devices, allocations, contexts,
 *   monitored fences, hardware queues and managers may be used by several threads at once;
 *   streams, records and adapters by one thread at a time. To give back an object that another
 *   thread still uses is an error of the caller.
 * - Processes: after fork(2) parent and child have all objects, of the same file. They do not
 *   share what the library counts of a context or hardware queue, so only one of them may
 *   submit to it.
 * - Sizes of structures: a program and a library of different age understand each other. New
 *   members may be added at the end of a structure that "carries its size". A call with such a
 *   structure passes its size, as the program knows it, to a call with "_sized" at the end of
 *   its name, which bindings of other languages use. If the program's structure is larger than
 *   the library's, the library writes zeros to the members that it does not know; the program
 *   must pass zeros there, else the call returns -E2BIG. If it is smaller, the library takes
 *   the missing members for 0, which means what older libraries did. All other structures are
 *   frozen: their comments say why, and where new members will be.
 * - Structures of the driver are frozen in arrays (see vsplit_drm.h), and where no "_sized" call
 *   takes them. The structure that vsplit_device_adapter() returns belongs to the library. It
 *   may grow; the call then has a new version.
 * - Constants and structures of the driver (VSPLIT_*, struct drm_vsplit_*) are
 *   documented in vsplit_drm.h, packets in vsplit_isa.h.
 */
#ifndef _LIBDRM_VSPLIT_H_
#define _LIBDRM_VSPLIT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vsplit_drm.h"
#include "vsplit_isa.h"

#if defined(__cplusplus)
extern "C" {
#endif

#if defined(__GNUC__)
#define VSPLIT_PUBLIC __attribute__((visibility("default")))
#else
#define VSPLIT_PUBLIC
#endif

struct vsplit_device;
struct vsplit_bo;
struct vsplit_context;
struct vsplit_stream;
struct vsplit_adapter;
struct vsplit_mfence;
struct vsplit_manager;
struct vsplit_submission;

/* ---- device ------------------------------------------------------------ */

/**
 * vsplit_device_open() - Open an adapter.
 * @which: a path ("/dev/dri/renderD128"; anything with a slash), the name of
 *	an adapter, or NULL for the first adapter there is.
 * @dev: out: the device, with a file of its own.
 *
 * This is one of the next three calls, which @which chooses.
 */
VSPLIT_PUBLIC int vsplit_device_open(const char *which, struct vsplit_device **dev);

/**
 * vsplit_device_open_first() - Open the vsplit adapter of the lowest minor.
 * @dev: out: the device.
 *
 * -ENODEV: there is none. -EACCES: there may be one, but its render node cannot
 * be opened by this user.
 */
VSPLIT_PUBLIC int vsplit_device_open_first(struct vsplit_device **dev);

/**
 * vsplit_device_open_path() - Open a render or primary node.
 * @path: of the node.
 * @dev: out: the device.
 *
 * -EINVAL: the file is not a node of vsplit. All errors of open(2).
 */
VSPLIT_PUBLIC int vsplit_device_open_path(const char *path, struct vsplit_device **dev);

/**
 * vsplit_device_open_name() - Open an adapter by its name.
 * @name: as in struct drm_vsplit_adapter_info, and in configfs.
 * @dev: out: the device.
 *
 * Errors as for vsplit_device_open_first().
 */
VSPLIT_PUBLIC int vsplit_device_open_name(const char *name, struct vsplit_device **dev);

/**
 * vsplit_device_open_fd() - Make a device of a file that is open already.
 * @fd: a render or primary node; the caller still has to close it.
 * @dev: out: the device, with a descriptor of its own for the same file.
 *
 * Handles and contexts belong to the file, so the device shares them with all other users of the
 * file. vsplit_device_close() closes the device's own descriptor only. Give objects back
 * before that; else they exist until the file is closed.
 *
 * -EINVAL: @fd is not a node of vsplit. -EBADF: @fd is not open. -EMFILE: too many files are open.
 */
VSPLIT_PUBLIC int vsplit_device_open_fd(int fd, struct vsplit_device **dev);

/**
 * vsplit_device_visit() - Open each adapter that this user can open, lowest minor first.
 * @dir: directory of the nodes; NULL: /dev/dri.
 * @visit: gets a device, which it has to close. If it returns anything but 0, the visit ends.
 * @data: for @visit.
 *
 * Return: the value by which @visit ended the visit; else 0, also if there is no adapter or no
 * @dir. -EACCES: this user cannot open some of the render nodes; all others were visited.
 * -ENOMEM, -EMFILE, -ENFILE: not all were visited. All other errors of scandir(3).
 */
VSPLIT_PUBLIC int vsplit_device_visit(const char *dir,
				      int (*visit)(void *data, struct vsplit_device *dev),
				      void *data);

/**
 * vsplit_device_close() - Close the device's file, at once.
 * @dev: the device, or NULL.
 *
 * Its allocations, contexts and records stay valid as objects of this
 * library, and so does @dev until the last of them is given back; calls that
 * need the kernel return -EBADF. The mapping of an allocation stays until the allocation is
 * destroyed; until then the kernel keeps the file alive.
 */
VSPLIT_PUBLIC void vsplit_device_close(struct vsplit_device *dev);

/** vsplit_device_fd() - The DRM file, for libdrm's calls; -1 once closed. Do not close it. */
VSPLIT_PUBLIC int vsplit_device_fd(const struct vsplit_device *dev);

/** vsplit_device_path() - Path of the node that was opened; valid as long as @dev. */
VSPLIT_PUBLIC const char *vsplit_device_path(const struct vsplit_device *dev);

/**
 * vsplit_device_adapter() - Caps and limits of the adapter, read at opening.
 * @dev: the device.
 *
 * Return: never NULL; valid as long as @dev.
 */
VSPLIT_PUBLIC const struct drm_vsplit_adapter_info *
vsplit_device_adapter(const struct vsplit_device *dev);

/**
 * vsplit_device_segments() - Read the segments and how full they are.
 * @dev: the device.
 * @segments: array, in order of ids; may be NULL with *@count 0.
 * @count: in: elements of @segments; out: segments of the adapter. If @segments is
 *	too small, the first ones that fit are written.
 */
VSPLIT_PUBLIC int vsplit_device_segments(struct vsplit_device *dev,
					 struct drm_vsplit_segment_info *segments,
					 uint32_t *count);

/** vsplit_device_statistics_sized() - vsplit_device_statistics() for a structure of @size bytes. */
VSPLIT_PUBLIC int vsplit_device_statistics_sized(struct vsplit_device *dev,
						 struct drm_vsplit_statistics *stats, size_t size);

/**
 * vsplit_device_statistics() - Read the totals of the adapter.
 * @dev: the device.
 * @stats: out.
 */
static inline int vsplit_device_statistics(struct vsplit_device *dev,
					   struct drm_vsplit_statistics *stats)
{
	return vsplit_device_statistics_sized(dev, stats, sizeof(*stats));
}

/** vsplit_device_state_sized() - vsplit_device_state() for a structure of @size bytes. */
VSPLIT_PUBLIC int vsplit_device_state_sized(struct vsplit_device *dev,
					    struct drm_vsplit_ctx_query *query, size_t size);

/**
 * vsplit_device_state() - State of the device: whether it is lost.
 * @dev: the device.
 * @query: out: @query->state and @query->device_state have the state.
 */
static inline int vsplit_device_state(struct vsplit_device *dev, struct drm_vsplit_ctx_query *query)
{
	return vsplit_device_state_sized(dev, query, sizeof(*query));
}

/**
 * vsplit_device_escape() - Test hooks; root, on an adapter in test mode.
 * @dev: the device.
 * @op: enum drm_vsplit_escape_op.
 * @bo: the allocation where the operation is about one, else NULL.
 * @value: value that the operation takes, else 0.
 *
 * VSPLIT_ESCAPE_BUDGET sets the budget of VSPLIT_GROUP_LOCAL alone; vsplit_resident_set_budget()
 * takes any group.
 *
 * -EOPNOTSUPP: not in test mode. -EPERM: not root. -EINVAL: bad operation or
 * value. -EBUSY: pinned. -ENOSPC: no room.
 */
VSPLIT_PUBLIC int vsplit_device_escape(struct vsplit_device *dev, uint32_t op,
				       struct vsplit_bo *bo, uint64_t value);

/* ---- allocations ------------------------------------------------------- */

/**
 * vsplit_bo_create() - Create an allocation that may live in every segment.
 * @dev: the device.
 * @size: > 0; rounded up to the adapter's page size.
 * @flags: VSPLIT_GEM_*.
 * @bo: out: the allocation. It reads as zeros.
 *
 * -EINVAL: bad flags, or a size of 0. -E2BIG: larger than every segment.
 * -ENOSPC: VSPLIT_GEM_PINNED, and there is no room. -EDQUOT: VSPLIT_GEM_PINNED, and clients
 * without CAP_SYS_ADMIN may not pin so much together. -ENOMEM: also, the limit of the user's
 * allocations is reached.
 */
VSPLIT_PUBLIC int vsplit_bo_create(struct vsplit_device *dev, uint64_t size,
				   uint32_t flags, struct vsplit_bo **bo);

/**
 * vsplit_bo_create_from() - Create an allocation, with all parameters.
 * @dev: the device.
 * @params: size, alignment, flags, priority, segments in order of preference,
 *	eviction segment set; its out members are ignored and not written. Frozen: it is a
 *	member of struct drm_vsplit_surface_alloc, which is in arrays.
 * @bo: out: the allocation.
 *
 * Errors as for vsplit_bo_create(); -EINVAL also for a bad alignment, segment or
 * eviction segment set.
 */
VSPLIT_PUBLIC int vsplit_bo_create_from(struct vsplit_device *dev,
					const struct drm_vsplit_gem_create *params,
					struct vsplit_bo **bo);

/**
 * vsplit_bo_create_surface() - Create the allocations of a surface, all or none.
 * @dev: device.
 * @allocs: @num elements, as for DRM_IOCTL_VSPLIT_GEM_SURFACE; not written to.
 * @num: 1 to VSPLIT_MAX_SURFACE_ALLOCS.
 * @bos: out: @num allocations; the caller destroys each of them.
 *
 * Errors as for vsplit_bo_create_from(); -E2BIG: too many allocations. An allocation of
 * tiles cannot be mapped or locked: -EACCES.
 */
VSPLIT_PUBLIC int vsplit_bo_create_surface(struct vsplit_device *dev,
					   const struct drm_vsplit_surface_alloc *allocs,
					   uint32_t num, struct vsplit_bo **bos);

/**
 * vsplit_bo_export() - Share the allocation: make a dma-buf of it.
 * @bo: the allocation.
 * @dmabuf: out: a file descriptor, close-on-exec; the caller closes it.
 *
 * Other processes, adapters and drivers can import the dma-buf. While another adapter or driver
 * uses its pages, the allocation is in no memory segment (VSPLIT_GEM_INFO_SHARED), and
 * submissions that use it need an aperture segment.
 *
 * -EMFILE, -ENFILE: too many files are open.
 */
VSPLIT_PUBLIC int vsplit_bo_export(struct vsplit_bo *bo, int *dmabuf);

/**
 * vsplit_bo_import() - Make an allocation of a dma-buf.
 * @dev: the device.
 * @dmabuf: descriptor of the dma-buf; the caller still has to close it.
 * @bo: out: vsplit_bo_destroy() destroys it, in any order with other allocations of the same
 *	dma-buf.
 *
 * If the dma-buf comes from the same adapter, @bo is the same allocation, with the same id. Any
 * other dma-buf can be in aperture segments only, and the GPU works on the exporter's pages.
 *
 * -EOPNOTSUPP: the adapter has no aperture segment, or cannot reach the pages. -E2BIG:
 * larger than every aperture segment. -EBUSY: the exporter has it pinned. -EINVAL: @dmabuf is no
 * dma-buf. -EBADF: it is not open.
 */
VSPLIT_PUBLIC int vsplit_bo_import(struct vsplit_device *dev, int dmabuf,
				   struct vsplit_bo **bo);

/**
 * vsplit_bo_ref() - Take one more reference to the allocation.
 * @bo: the allocation.
 *
 * vsplit_bo_destroy() drops a reference; dropping the last one destroys the allocation.
 *
 * Return: @bo.
 */
VSPLIT_PUBLIC struct vsplit_bo *vsplit_bo_ref(struct vsplit_bo *bo);

/**
 * vsplit_bo_destroy() - Give the handle back and remove the mapping.
 * @bo: the allocation, or NULL. If there are other references, this only drops one.
 *
 * Submitted work that uses the allocation goes on; its memory is freed afterwards.
 */
VSPLIT_PUBLIC void vsplit_bo_destroy(struct vsplit_bo *bo);

/** vsplit_bo_handle() - GEM handle, valid on the device's file; > 0. */
VSPLIT_PUBLIC uint32_t vsplit_bo_handle(const struct vsplit_bo *bo);

/** vsplit_bo_size() - Size as the kernel rounded it. */
VSPLIT_PUBLIC uint64_t vsplit_bo_size(const struct vsplit_bo *bo);

/** vsplit_bo_id() - Id of the allocation in records and traces; unique on the adapter. */
VSPLIT_PUBLIC uint64_t vsplit_bo_id(const struct vsplit_bo *bo);

/**
 * vsplit_bo_map() - Map the allocation for reading and writing.
 * @bo: the allocation.
 * @ptr: out: its first byte.
 *
 * The mapping is made by the first call and belongs to the allocation: every
 * call returns the same pointer, until vsplit_bo_unmap() or vsplit_bo_destroy(). It stays
 * valid, and shows linear bytes, through every eviction, move and page-in.
 * It does not wait for the GPU: see vsplit_bo_lock() and vsplit_bo_wait().
 *
 * -EACCES: the allocation has the tiles of a surface, or is pinned out of the CPU's sight.
 */
VSPLIT_PUBLIC int vsplit_bo_map(struct vsplit_bo *bo, void **ptr);

/**
 * vsplit_bo_unmap() - Remove the mapping, if there is one.
 * @bo: the allocation. Pointers into the mapping become invalid; the next
 *	vsplit_bo_map() makes another mapping.
 */
VSPLIT_PUBLIC void vsplit_bo_unmap(struct vsplit_bo *bo);

/** vsplit_bo_info_sized() - vsplit_bo_info() for a structure of @size bytes. */
VSPLIT_PUBLIC int vsplit_bo_info_sized(struct vsplit_bo *bo, struct drm_vsplit_gem_info *info,
				       size_t size);

/**
 * vsplit_bo_info() - Where the allocation is, and in which state.
 * @bo: the allocation.
 * @info: out.
 */
static inline int vsplit_bo_info(struct vsplit_bo *bo, struct drm_vsplit_gem_info *info)
{
	return vsplit_bo_info_sized(bo, info, sizeof(*info));
}

/**
 * vsplit_bo_runs() - Where all of the allocation is.
 * @bo: the allocation.
 * @runs: array, in the order of its bytes; may be NULL with *@num 0.
 * @num: in: elements of @runs; out: runs of the allocation. It has none in system memory, and one
 *	in a segment if it was created without VSPLIT_GEM_RUNS. If @runs is too small, the first
 *	ones that fit are written.
 * @segment: out, may be NULL: segment id, or 0 for system memory.
 */
VSPLIT_PUBLIC int vsplit_bo_runs(struct vsplit_bo *bo, struct drm_vsplit_run *runs,
				 uint32_t *num, uint32_t *segment);

/**
 * vsplit_bo_set_priority() - Say how important it is that it stays resident.
 * @bo: the allocation.
 * @priority: VSPLIT_PRIORITY_MIN to VSPLIT_PRIORITY_MAX; 0: _NORMAL (EXT-28).
 *
 * -EINVAL: bad priority.
 */
VSPLIT_PUBLIC int vsplit_bo_set_priority(struct vsplit_bo *bo, uint32_t priority);

/**
 * vsplit_bo_lock() - Begin CPU access: wait until submitted work is done with it.
 * @bo: the allocation.
 * @flags: VSPLIT_LOCK_*.
 *
 * The call does not wait for work that uses the allocation by a virtual address only, without
 * naming it in a list: use vsplit_wait() or vsplit_hwq_wait().
 *
 * Locks are counted; each needs its vsplit_bo_unlock(). If the CPU cannot access the allocation
 * where it is, it moves. While it is locked, submissions use it in aperture segments only (see
 * struct drm_vsplit_gem_lock).
 *
 * -EBUSY: VSPLIT_LOCK_DONOT_WAIT, and it is in use; or it is pinned out of the CPU's
 * sight. -EADDRNOTAVAIL: VSPLIT_LOCK_DONOT_EVICT, and it would have to move. -EINVAL:
 * bad flags, or flags that this allocation does not take (struct drm_vsplit_gem_lock); or it is
 * offered. -EACCES: it has the tiles of a surface.
 */
VSPLIT_PUBLIC int vsplit_bo_lock(struct vsplit_bo *bo, uint32_t flags);

/**
 * vsplit_bo_unlock() - End CPU access.
 * @bo: the allocation.
 *
 * -EINVAL: it is not locked.
 */
VSPLIT_PUBLIC int vsplit_bo_unlock(struct vsplit_bo *bo);

/**
 * vsplit_bo_wait() - Wait until no submitted work uses the allocation.
 * @bo: the allocation.
 * @timeout_ms: how long to wait. The call polls, so it is for tests and ends of frames
 *	rather than for tight loops.
 *
 * -ETIME: it is still in use.
 */
VSPLIT_PUBLIC int vsplit_bo_wait(struct vsplit_bo *bo, int64_t timeout_ms);

/* ---- residency --------------------------------------------------------- */

/**
 * vsplit_resident_make() - Add allocations to the device's requirement list (WDDM 2).
 * @dev: the device.
 * @bos: allocations of @dev; an allocation that is there n times counts n times.
 * @num: elements of @bos, 1 to VSPLIT_MAX_RESIDENCY.
 * @flags: VSPLIT_RESIDENT_*.
 * @point: out, may be NULL: 0: they are resident now; else for vsplit_resident_wait().
 *	Submissions of the device wait for it by themselves.
 * @trim_bytes: out, may be NULL: with -ENOSPC, bytes to take off the list first; else 0.
 *
 * The call adds all of @bos or none. It waits for the GPU only where vsplit_submit() does.
 *
 * -ENOSPC: the list with @bos cannot be resident as a whole, or the device has not answered a
 * trim. -EINVAL: bad flags or number; the device has VSPLIT_CTX_MODE_PATCH contexts, or the
 * adapter takes no others; an allocation is offered. -E2BIG: too many, or an allocation that
 * VSPLIT_MAX_SHARERS other devices require. -EBUSY: an allocation can be in no aperture segment,
 * and the CPU has it locked, or others use its pages. -EIO: the device is lost. -ENOBUFS: as for
 * vsplit_submit().
 */
VSPLIT_PUBLIC int vsplit_resident_make(struct vsplit_device *dev, struct vsplit_bo *const *bos,
				       uint32_t num, uint32_t flags, uint64_t *point,
				       uint64_t *trim_bytes);

/**
 * vsplit_resident_evict() - Take allocations off the device's requirement list.
 * @dev: the device.
 * @bos: allocations of @dev; an allocation that is there n times counts n times.
 * @num: elements of @bos, 1 to VSPLIT_MAX_RESIDENCY.
 * @flags: VSPLIT_EVICT_*.
 * @trim_bytes: out, may be NULL: bytes that the device was asked to give back and still has.
 *
 * The call takes off all of @bos or none.
 *
 * -EINVAL: an allocation is on the list less often; bad flags or number. -E2BIG: too many.
 */
VSPLIT_PUBLIC int vsplit_resident_evict(struct vsplit_device *dev, struct vsplit_bo *const *bos,
					uint32_t num, uint32_t flags, uint64_t *trim_bytes);

/**
 * vsplit_resident_wait() - Wait until the allocations of a vsplit_resident_make() are resident.
 * @dev: the device.
 * @point: from vsplit_resident_make(); for 0 the call returns at once.
 * @timeout_ms: how long to wait; negative: for ever.
 *
 * -ETIME: not yet. -EINVAL: a point that vsplit_resident_make() has not returned yet.
 */
VSPLIT_PUBLIC int vsplit_resident_wait(struct vsplit_device *dev, uint64_t point,
				       int64_t timeout_ms);

/** vsplit_resident_query_sized() - vsplit_resident_query() for a structure of @size bytes. */
VSPLIT_PUBLIC int vsplit_resident_query_sized(struct vsplit_device *dev, const struct vsplit_bo *bo,
					      struct drm_vsplit_residency *residency, size_t size);

/**
 * vsplit_resident_query() - Query the requirement list, budgets and trims of the device.
 * @dev: the device.
 * @bo: an allocation, for residency->count; or NULL.
 * @residency: out.
 */
static inline int vsplit_resident_query(struct vsplit_device *dev, const struct vsplit_bo *bo,
					struct drm_vsplit_residency *residency)
{
	return vsplit_resident_query_sized(dev, bo, residency, sizeof(*residency));
}

/**
 * vsplit_resident_reserve() - Reserve the bytes without which the device is of no use (EXT-43).
 * @dev: the device.
 * @group: enum drm_vsplit_group.
 * @bytes: the new reservation, in place of the last one: the device is not asked to give back
 *	these bytes when others need them.
 * @available: out, may be NULL, also with -ENOSPC: bytes that the device may reserve.
 *
 * -ENOSPC: more than @available. -EINVAL: bad group; the device has VSPLIT_CTX_MODE_PATCH
 * contexts, or the adapter takes no others. -EIO: the device is lost.
 */
VSPLIT_PUBLIC int vsplit_resident_reserve(struct vsplit_device *dev, uint32_t group,
					  uint64_t bytes, uint64_t *available);

/**
 * vsplit_resident_set_budget() - Set the budget of the device; a test hook.
 * @dev: the device.
 * @group: enum drm_vsplit_group.
 * @bytes: the budget; UINT64_MAX: its share again.
 *
 * -EINVAL: bad group. All errors of vsplit_device_escape().
 */
VSPLIT_PUBLIC int vsplit_resident_set_budget(struct vsplit_device *dev, uint32_t group,
					     uint64_t bytes);

/** vsplit_resident_watch_sized() - vsplit_resident_watch() for a structure of @size bytes. */
VSPLIT_PUBLIC int vsplit_resident_watch_sized(struct vsplit_device *dev,
					      struct drm_vsplit_residency *residency, size_t size);

/**
 * vsplit_resident_watch() - From now on get events when budgets change (EXT-43).
 * @dev: the device.
 * @residency: out, may be NULL: the present figures, as for vsplit_resident_query().
 *
 * vsplit_resident_read_events() then returns an event when budgets or reservations have changed.
 * There is one such event at a time: the next one may come after that call has read it.
 */
static inline int vsplit_resident_watch(struct vsplit_device *dev,
					struct drm_vsplit_residency *residency)
{
	return vsplit_resident_watch_sized(dev, residency, sizeof(*residency));
}

/**
 * struct vsplit_residency_events - Events of a device.
 * @trimmed: there was a trim event, which is in @trim.
 * @budgeted: there was a budget event, which is in @budget.
 * @trim: the device is asked to give back memory.
 * @budget: the budgets of the device have changed.
 *
 * Carries its size. The driver's two events in it are frozen: of a larger event they are the begin.
 */
struct vsplit_residency_events {
	bool trimmed;
	bool budgeted;
	struct drm_vsplit_trim_event trim;
	struct drm_vsplit_budget_event budget;
};

/** vsplit_resident_read_events_sized() - The same for a structure of @size bytes. */
VSPLIT_PUBLIC int vsplit_resident_read_events_sized(struct vsplit_device *dev, int64_t timeout_ms,
						    struct vsplit_residency_events *events,
						    size_t size);

/**
 * vsplit_resident_read_events() - Read trim and budget events, and arm the next ones.
 * @dev: the device. Its descriptor is readable when there is an event. The call drops all other
 *	events that it reads, such as those of a display.
 * @timeout_ms: how long to wait for an event; negative: for ever.
 * @events: out: at least one.
 *
 * -ETIME: there is no event. -ENODEV: the adapter is gone.
 */
static inline int vsplit_resident_read_events(struct vsplit_device *dev, int64_t timeout_ms,
					      struct vsplit_residency_events *events)
{
	return vsplit_resident_read_events_sized(dev, timeout_ms, events, sizeof(*events));
}

/**
 * vsplit_resident_read_trim() - Read a trim event, and arm the next one.
 * @dev: as for vsplit_resident_read_events(); budget events are dropped, too.
 * @timeout_ms: how long to wait for an event; negative: for ever.
 * @trim: out.
 *
 * -ETIME: there is no event.
 */
VSPLIT_PUBLIC int vsplit_resident_read_trim(struct vsplit_device *dev, int64_t timeout_ms,
					    struct drm_vsplit_trim_event *trim);

/**
 * vsplit_resident_eventfd() - From now on trims signal an eventfd (RES-8, EXT-42).
 * @dev: the device.
 * @eventfd: replaces any other; the caller still has to close it. -1: none.
 *
 * This is for event loops that wait for more than one device. The eventfd is signalled for each
 * trim, whether or not the trim events are read, and when the adapter is gone.
 * vsplit_resident_query() tells how many bytes the device is asked for.
 *
 * -EBADF, -EINVAL: @eventfd is no eventfd; the previous one stays in use. -ENODEV.
 */
VSPLIT_PUBLIC int vsplit_resident_eventfd(struct vsplit_device *dev, int eventfd);

/*
 * A manager keeps the list of what its device requires, for programs that have more than fits
 * (RES-4 to RES-9, EXT-40 to EXT-42):
 *
 *	vsplit_manager_create(dev, &manager);
 *	...
 *	vsplit_manager_submit(manager, ctx, stream, bos, num, &submission);
 *	...
 *	vsplit_manager_destroy(manager);
 *
 * The manager makes resident what a submission needs. It takes off the list the allocations that
 * were used least recently, but only when the device is asked to trim (RES-8) or when the needed
 * ones do not fit: without demand all that was ever used stays on the list.
 *
 * The manager holds no reference to allocations: one that is destroyed is taken off the list. The
 * program must not take off what the manager has added (vsplit_resident_evict()). What the program
 * adds by vsplit_resident_make() is counted apart (RES-9), and the manager leaves it alone. Any
 * number of threads may use a manager. It holds its lock during its calls of the kernel, none of
 * which waits for the GPU.
 */

/**
 * struct vsplit_manager_info - What a manager has done.
 * @bytes: sum of the sizes of allocations that it has on the list.
 * @members: number of allocations that it has on the list.
 * @pad: 0.
 * @evicted: bytes that it has taken off the list since it was created, for lack of room or
 *	because of trims.
 * @forced: how often it had nothing left to take off, and made the last try
 *	(VSPLIT_RESIDENT_CANT_TRIM_FURTHER).
 *
 * Carries its size.
 */
struct vsplit_manager_info {
	uint64_t bytes;
	uint32_t members;
	uint32_t pad;
	uint64_t evicted;
	uint64_t forced;
};

/**
 * vsplit_manager_create() - Make a manager of a device's requirement list.
 * @dev: the device; the manager takes a reference. Its model is WDDM 2, or becomes it with the
 *	first use.
 * @manager: out: the manager.
 *
 * -EBUSY: the device has a manager.
 */
VSPLIT_PUBLIC int vsplit_manager_create(struct vsplit_device *dev,
					struct vsplit_manager **manager);

/**
 * vsplit_manager_destroy() - Free a manager, and take off the list what it has added.
 * @manager: the manager, or NULL. Submitted work goes on (RES-7).
 */
VSPLIT_PUBLIC void vsplit_manager_destroy(struct vsplit_manager *manager);

/**
 * vsplit_manager_submit() - Make allocations resident and submit a stream that accesses them.
 * @manager: the manager of the device of @ctx.
 * @ctx: as for vsplit_submit().
 * @stream: as for vsplit_submit().
 * @bos: the allocations that the stream accesses, in any order, also several times.
 * @num: elements of @bos, 1 to VSPLIT_MAX_RESIDENCY.
 * @submission: as for vsplit_submit().
 *
 * This calls vsplit_manager_use(), vsplit_submit() without flags and syncobjs, and
 * vsplit_manager_done(). It waits for the GPU only where vsplit_submit() does. For a stream that
 * begins with waits for monitored fences use the single calls: such a stream is submitted when
 * the fences have their values.
 *
 * Errors as for these calls; after an error nothing was submitted.
 */
VSPLIT_PUBLIC int vsplit_manager_submit(struct vsplit_manager *manager,
					struct vsplit_context *ctx, struct vsplit_stream *stream,
					struct vsplit_bo *const *bos, uint32_t num,
					struct vsplit_submission *submission);

/**
 * vsplit_manager_use() - Make allocations resident that are going to be used.
 * @manager: the manager.
 * @bos: allocations of its device, in any order, also several times.
 * @num: elements of @bos, 1 to VSPLIT_MAX_RESIDENCY.
 * @point: out, may be NULL: as for vsplit_resident_make(). Submissions and hardware queues of
 *	the device wait for it by themselves.
 *
 * The allocations stay on the list until vsplit_manager_done(). Work that is submitted before
 * that call is safe afterwards, too (RES-7). For a hardware queue, call it when the queue has
 * progressed so far. The manager first answers a trim that the device was asked for.
 *
 * -ENOSPC means that @bos do not fit together with what is in use: the manager has taken off all
 * that is not in use, and made the last try. That takes at most 64 tries, each of which gives
 * back at least twice as much as the one before.
 * After an error the call has put nothing of @bos in use; it may have taken off other allocations.
 *
 * Errors as for vsplit_resident_make(). -EINVAL: also, an allocation of another device.
 */
VSPLIT_PUBLIC int vsplit_manager_use(struct vsplit_manager *manager,
				     struct vsplit_bo *const *bos, uint32_t num,
				     uint64_t *point);

/**
 * vsplit_manager_done() - End the use of allocations: the manager may take them off again.
 * @manager: the manager.
 * @bos: as for vsplit_manager_use(), once for each such call.
 * @num: likewise.
 *
 * -EINVAL, -E2BIG: as for vsplit_manager_use(). -EINVAL: also, an allocation that is not in use, or
 * less often than @bos names it; then no use has ended.
 */
VSPLIT_PUBLIC int vsplit_manager_done(struct vsplit_manager *manager,
				      struct vsplit_bo *const *bos, uint32_t num);

/**
 * vsplit_manager_trim() - Give back what the device was asked for (RES-8).
 * @manager: the manager.
 * @bytes: out, may be NULL: bytes that were given back; 0 also if none were asked for, or all
 *	allocations are in use.
 *
 * Event loops call it when the device's descriptor is readable and they have read its events by
 * vsplit_resident_read_trim() or drmHandleEvent(). It arms the next event. If a program does not
 * call it, its next vsplit_manager_use() answers the trim.
 */
VSPLIT_PUBLIC int vsplit_manager_trim(struct vsplit_manager *manager, uint64_t *bytes);

/** vsplit_manager_query_sized() - vsplit_manager_query() for a structure of @size bytes. */
VSPLIT_PUBLIC void vsplit_manager_query_sized(struct vsplit_manager *manager,
					      struct vsplit_manager_info *info, size_t size);

/**
 * vsplit_manager_query() - What a manager has done.
 * @manager: the manager.
 * @info: out.
 */
static inline void vsplit_manager_query(struct vsplit_manager *manager,
					struct vsplit_manager_info *info)
{
	vsplit_manager_query_sized(manager, info, sizeof(*info));
}

/**
 * vsplit_bo_offer() - Tell that the bytes of allocations are not needed until they are reclaimed.
 * @dev: the device.
 * @bos: allocations of @dev.
 * @num: elements of @bos, 1 to VSPLIT_MAX_RESIDENCY.
 * @priority: enum drm_vsplit_offer_priority: the order in which they leave when room is needed.
 *
 * The call offers all of @bos or none. They leave without a transfer, after work that was submitted
 * before. Until an allocation is reclaimed, vsplit_bo_lock(), vsplit_resident_make() and
 * submissions that list it return -EINVAL.
 *
 * -EBUSY: an allocation is locked, pinned or shared. -EINVAL: bad priority or number. -E2BIG: too
 * many.
 */
VSPLIT_PUBLIC int vsplit_bo_offer(struct vsplit_device *dev, struct vsplit_bo *const *bos,
				  uint32_t num, uint32_t priority);

/**
 * vsplit_bo_reclaim() - Take back the offer of allocations, which are needed again.
 * @dev: the device.
 * @bos: allocations of @dev.
 * @num: elements of @bos, 1 to VSPLIT_MAX_RESIDENCY.
 * @discarded: out, @num elements, or NULL: whether the bytes of the allocation were lost.
 *
 * -EINVAL: bad number. -E2BIG: too many.
 */
VSPLIT_PUBLIC int vsplit_bo_reclaim(struct vsplit_device *dev, struct vsplit_bo *const *bos,
				    uint32_t num, bool *discarded);

/* ---- virtual addresses ------------------------------------------------- */

/**
 * vsplit_va_map() - Show a part of an allocation at a virtual address of the device.
 * @dev: the device; it has a context of VSPLIT_CTX_MODE_VA.
 * @bo: the allocation, which lives until its last mapping is gone.
 * @address: first virtual address; a multiple of the page size, as @bytes and @offset.
 * @bytes: size of the range, > 0.
 * @offset: offset of the part in the allocation.
 * @flags: VSPLIT_VA_OP_*.
 *
 * Work that was submitted before does not see the mapping; work that is submitted afterwards does.
 * Hardware queues see it when the page tables have it: see vsplit_va_wait(). The call waits for the
 * GPU only where vsplit_submit() does. The range no longer shows what it showed before.
 *
 * -EINVAL: bad flags or range; the device has no such context. -E2BIG: more than
 * VSPLIT_MAX_VA_OPS_BYTES; the allocation has VSPLIT_MAX_MAPPINGS mappings, or these show it
 * VSPLIT_MAX_MAPPED_TIMES times. -EIO: the device is lost. -ENOBUFS: too much work is unfinished:
 * wait for a submission.
 */
VSPLIT_PUBLIC int vsplit_va_map(struct vsplit_device *dev, const struct vsplit_bo *bo,
				uint64_t address, uint64_t bytes, uint64_t offset,
				uint32_t flags);

/** vsplit_va_unmap() - Let a range show nothing; else as vsplit_va_map(). */
VSPLIT_PUBLIC int vsplit_va_unmap(struct vsplit_device *dev, uint64_t address, uint64_t bytes);

/**
 * vsplit_va_sparse() - Let a range read as zeros, and drop writes to it; else as
 * vsplit_va_map().
 */
VSPLIT_PUBLIC int vsplit_va_sparse(struct vsplit_device *dev, uint64_t address, uint64_t bytes);

/**
 * vsplit_va_bind() - Change the device's virtual addresses.
 * @dev: as for vsplit_va_map().
 * @ops: changes, which take effect in order, all or none.
 * @num_ops: elements of @ops.
 * @syncs: syncobjs to wait for, and to signal; or NULL.
 * @num_syncs: elements of @syncs. The library adds one, which counts towards max_syncs.
 *
 * Errors as for DRM_IOCTL_VSPLIT_VA_BIND.
 */
VSPLIT_PUBLIC int vsplit_va_bind(struct vsplit_device *dev, const struct drm_vsplit_va_op *ops,
				 uint32_t num_ops, const struct drm_vsplit_sync *syncs,
				 uint32_t num_syncs);

/**
 * vsplit_va_wait() - Wait until all changes of addresses so far have taken effect.
 * @dev: the device. The call does not wait for changes that others make by the same file.
 * @timeout_ms: how long to wait; negative: for ever.
 *
 * Hardware queues need this call before packets use memory that was mapped, and before unmapped
 * memory is put to another use. Submissions do not need it.
 *
 * -ETIME: not yet.
 */
VSPLIT_PUBLIC int vsplit_va_wait(struct vsplit_device *dev, int64_t timeout_ms);

/**
 * vsplit_stream_fill_va() - Fill at a virtual address.
 * @stream: for a context of VSPLIT_CTX_MODE_VA.
 * @address: virtual address of the first byte.
 * @length: number of bytes, any.
 * @pattern: its lowest byte comes first.
 */
VSPLIT_PUBLIC int vsplit_stream_fill_va(struct vsplit_stream *stream, uint64_t address,
					uint64_t length, uint32_t pattern);

/**
 * vsplit_stream_copy_va() - Copy between virtual addresses; the ranges may overlap.
 * @stream: for a context of VSPLIT_CTX_MODE_VA.
 * @dst: first address of the destination.
 * @src: first address of the source.
 * @length: number of bytes.
 */
VSPLIT_PUBLIC int vsplit_stream_copy_va(struct vsplit_stream *stream, uint64_t dst, uint64_t src,
					uint64_t length);

/* ---- monitored fences -------------------------------------------------- */

/**
 * vsplit_mfence_create() - Create a monitored fence: a 64-bit value that only grows.
 * @dev: the device.
 * @value: the value that it begins with.
 * @fence: out: the fence.
 *
 * Processors and the GPU raise it and wait for it, even before anything has been submitted that
 * will raise it. No syncobj or sync file can be made of it.
 *
 * -ENOSPC: the device has VSPLIT_MAX_FILE_FENCES fences.
 */
VSPLIT_PUBLIC int vsplit_mfence_create(struct vsplit_device *dev, uint64_t value,
				       struct vsplit_mfence **fence);

/**
 * vsplit_mfence_export() - Make a descriptor of a fence, for another device or process.
 * @fence: the fence.
 * @fd: out: for vsplit_mfence_import(); the caller closes it, before or after @fence is destroyed.
 *
 * -EMFILE, -ENFILE: too many files are open.
 */
VSPLIT_PUBLIC int vsplit_mfence_export(struct vsplit_mfence *fence, int *fd);

/**
 * vsplit_mfence_import() - Make a fence that shares its value with an exported one (EXT-48).
 * @dev: the device, of any adapter.
 * @fd: from vsplit_mfence_export(); the caller still has to close it.
 * @fence: out: the fence. Raising either fence raises both. vsplit_mfence_destroy() destroys this
 *	one alone.
 *
 * -EBADF, -EINVAL: @fd is no fence. -ENOSPC: VSPLIT_MAX_FENCE_SHARES fences share the value, or
 * the device has VSPLIT_MAX_FILE_FENCES fences.
 */
VSPLIT_PUBLIC int vsplit_mfence_import(struct vsplit_device *dev, int fd,
				       struct vsplit_mfence **fence);

/**
 * vsplit_mfence_destroy() - Destroy a fence.
 * @fence: the fence, or NULL. Calls that still wait for it return -ECANCELED, and submissions that
 *	wait for it end without being executed. Waits by another device's fence of the same value
 *	go on.
 */
VSPLIT_PUBLIC void vsplit_mfence_destroy(struct vsplit_mfence *fence);

/** vsplit_mfence_handle() - Handle for struct vsplit_packet_fence; valid on the device's file. */
VSPLIT_PUBLIC uint32_t vsplit_mfence_handle(const struct vsplit_mfence *fence);

/**
 * vsplit_mfence_value() - The present value; takes no call of the kernel.
 * @fence: the fence.
 *
 * A caller that sees a value also sees all that was written before the fence was raised to it.
 */
VSPLIT_PUBLIC uint64_t vsplit_mfence_value(const struct vsplit_mfence *fence);

/** vsplit_mfence_signal() - Raise the fence to @value; a smaller value changes nothing. */
VSPLIT_PUBLIC int vsplit_mfence_signal(struct vsplit_mfence *fence, uint64_t value);

/**
 * vsplit_mfence_wait() - Wait until the fence has @value or more.
 * @fence: the fence.
 * @value: the value.
 * @timeout_ms: how long to wait; negative: for ever.
 *
 * -ETIME: not yet. -ECANCELED: the fence was destroyed meanwhile.
 */
VSPLIT_PUBLIC int vsplit_mfence_wait(struct vsplit_mfence *fence, uint64_t value,
				     int64_t timeout_ms);

/**
 * vsplit_mfence_eventfd() - Signal an eventfd once, when the fence has @value or is destroyed.
 * @fence: the fence.
 * @value: the value, or a greater one.
 * @eventfd: the caller still has to close it.
 *
 * -EBADF, -EINVAL: @eventfd is no eventfd. -ENOSPC: VSPLIT_MAX_FENCE_EVENTS eventfds of the device
 * wait already.
 */
VSPLIT_PUBLIC int vsplit_mfence_eventfd(struct vsplit_mfence *fence, uint64_t value,
					int eventfd);

/** vsplit_stream_signal_fence() - Let the GPU raise @fence to @value at this point. */
VSPLIT_PUBLIC int vsplit_stream_signal_fence(struct vsplit_stream *stream,
					     const struct vsplit_mfence *fence, uint64_t value);

/**
 * vsplit_stream_wait_fence() - Let all later packets wait until @fence has @value or more.
 * @stream: has nothing but such waits so far: vsplit_submit() refuses a wait behind another packet.
 * @fence: a fence of the same device.
 * @value: the value.
 *
 * vsplit_submit() does not wait: it parks the submission, and later ones of the context behind it.
 * vsplit_wait() waits for parked submissions as for others. While a submission is parked,
 * vsplit_fence_export() returns -EINVAL, because it has no fence yet.
 */
VSPLIT_PUBLIC int vsplit_stream_wait_fence(struct vsplit_stream *stream,
					   const struct vsplit_mfence *fence, uint64_t value);

/* ---- hardware queues --------------------------------------------------- */

struct vsplit_hwq;

/**
 * vsplit_hwq_create() - Give a context its hardware queue.
 * @ctx: a context of VSPLIT_CTX_MODE_HW without a queue; the queue takes a reference.
 * @ring_bytes: a power of two, VSPLIT_HWQ_MIN_RING to VSPLIT_HWQ_MAX_RING.
 * @hwq: out: the queue.
 *
 * -EINVAL: not such a context, or bad size. -EBUSY: the context has a queue. It keeps the queue
 * until the context itself is destroyed, even after vsplit_hwq_destroy(), or if this call has
 * made the queue but could not map it.
 */
VSPLIT_PUBLIC int vsplit_hwq_create(struct vsplit_context *ctx, uint32_t ring_bytes,
				    struct vsplit_hwq **hwq);

/**
 * vsplit_hwq_destroy() - Unmap the queue. Packets in the ring are still executed until the context
 * is destroyed.
 * @hwq: the queue, or NULL.
 */
VSPLIT_PUBLIC void vsplit_hwq_destroy(struct vsplit_hwq *hwq);

/**
 * vsplit_hwq_submit() - Put packets into the ring and ring the doorbell.
 * @hwq: the queue.
 * @packets: whole packets with virtual addresses, as vsplit_stream_data() returns them.
 * @bytes: their size, a multiple of 8.
 * @progress: out, may be NULL: the value of vsplit_hwq_progress() when they have been executed.
 *
 * This makes no system call. Errors in packets or addresses are found when the engine executes
 * them: see vsplit_hwq_wait(), vsplit_context_query().
 *
 * -EBUSY: the ring has no room for them yet. -E2BIG: the ring is too small for them. -EINVAL: bad
 * @bytes.
 */
VSPLIT_PUBLIC int vsplit_hwq_submit(struct vsplit_hwq *hwq, const void *packets, uint32_t bytes,
				    uint64_t *progress);

/** vsplit_hwq_progress() - Bytes of packets that were executed so far, ever. No system call. */
VSPLIT_PUBLIC uint64_t vsplit_hwq_progress(const struct vsplit_hwq *hwq);

/**
 * vsplit_stream_history() - Let the engine note its clock at this point of the stream.
 * @stream: for vsplit_hwq_submit(); vsplit_submit() refuses it.
 * @index: element of the history, less than VSPLIT_HWQ_HISTORY, else the context is lost.
 */
VSPLIT_PUBLIC int vsplit_stream_history(struct vsplit_stream *stream, uint32_t index);

/**
 * vsplit_hwq_history() - When a VSPLIT_OP_HISTORY packet was executed. No system call.
 * @hwq: the queue.
 * @index: the packet's argument, less than VSPLIT_HWQ_HISTORY.
 *
 * The time is that of the last such packet that vsplit_hwq_progress() has passed, or of a later
 * one. Return: the engine's clock, ns; 0: there was no such packet.
 */
VSPLIT_PUBLIC uint64_t vsplit_hwq_history(const struct vsplit_hwq *hwq, uint32_t index);

/**
 * vsplit_hwq_wait() - Wait until @progress bytes of packets were executed.
 * @hwq: the queue.
 * @progress: from vsplit_hwq_submit().
 * @timeout_ms: how long to wait; negative: for ever.
 *
 * -ETIME: not yet. -EIO: not yet, and the context or the device is lost. -ENOENT: the context
 * was destroyed. -ENODEV.
 */
VSPLIT_PUBLIC int vsplit_hwq_wait(struct vsplit_hwq *hwq, uint64_t progress, int64_t timeout_ms);

/* ---- contexts ---------------------------------------------------------- */

/**
 * vsplit_context_create() - Create a context.
 * @dev: the device.
 * @flags: VSPLIT_CTX_*.
 * @priority: enum drm_vsplit_ctx_priority.
 * @engine: index, below num_engines of the adapter.
 * @ctx: out: the context.
 *
 * -EINVAL: bad flags, priority or engine. -EACCES: priority not allowed.
 * -ENOSPC: too many contexts on this device.
 */
VSPLIT_PUBLIC int vsplit_context_create(struct vsplit_device *dev, uint32_t flags,
					uint32_t priority, uint32_t engine,
					struct vsplit_context **ctx);

/**
 * vsplit_context_create_mode() - Create a context of a mode.
 * @dev: the device.
 * @mode: enum drm_vsplit_ctx_mode; VSPLIT_CAP_CTX_* tell which modes the adapter has.
 * @flags: VSPLIT_CTX_*.
 * @priority: enum drm_vsplit_ctx_priority.
 * @engine: index, below num_engines of the adapter.
 * @ctx: out: the context.
 *
 * Errors as for vsplit_context_create(). -EINVAL: also, the adapter does not have the mode, or it
 * belongs to the other model than the device's first context.
 */
VSPLIT_PUBLIC int vsplit_context_create_mode(struct vsplit_device *dev, uint32_t mode,
					     uint32_t flags, uint32_t priority, uint32_t engine,
					     struct vsplit_context **ctx);

/**
 * vsplit_context_ref() - Take one more reference to the context, as vsplit_bo_ref().
 * @ctx: the context.
 *
 * Return: @ctx.
 */
VSPLIT_PUBLIC struct vsplit_context *vsplit_context_ref(struct vsplit_context *ctx);

/**
 * vsplit_context_destroy() - Destroy a context; queued work still runs.
 * @ctx: the context, or NULL. If there are other references, this only drops one.
 */
VSPLIT_PUBLIC void vsplit_context_destroy(struct vsplit_context *ctx);

/** vsplit_context_id() - The kernel's id, valid on the device's file; > 0. */
VSPLIT_PUBLIC uint32_t vsplit_context_id(const struct vsplit_context *ctx);

/**
 * vsplit_context_timeline() - Timeline syncobj of the context's submissions.
 * @ctx: the context.
 *
 * Point N is signalled when submission N is done, with success or an error. Submissions
 * of other contexts of the device may wait for it; export it for other devices. It
 * belongs to the context.
 *
 * Return: handle on the device's file; > 0.
 */
VSPLIT_PUBLIC uint32_t vsplit_context_timeline(const struct vsplit_context *ctx);

/** vsplit_context_query_sized() - vsplit_context_query() for a structure of @size bytes. */
VSPLIT_PUBLIC int vsplit_context_query_sized(struct vsplit_context *ctx,
					     struct drm_vsplit_ctx_query *query, size_t size);

/**
 * vsplit_context_query() - State of a context: whether it is lost, why, and since when.
 * @ctx: the context.
 * @query: out.
 */
static inline int vsplit_context_query(struct vsplit_context *ctx,
				       struct drm_vsplit_ctx_query *query)
{
	return vsplit_context_query_sized(ctx, query, sizeof(*query));
}

/* ---- command streams --------------------------------------------------- */

/*
 * A stream is built packet by packet. It also has what the driver needs to split and patch it:
 * the allocation list, the patch-location list and the split points. The kernel knows nothing of
 * it before vsplit_submit(), which copies it: a stream may be submitted again, changed, or
 * destroyed right after.
 *
 * Split points: each vsplit_stream_bind() and vsplit_stream_unbind() makes one, at
 * the offset where its BIND packet starts, or, between
 * vsplit_stream_group_begin() and _end(), at the offset where the first BIND
 * packet of the group starts.
 *
 * State: the calls that need state registers (fill, copy_2d, mma) take their
 * values as arguments. They emit a VSPLIT_OP_STATE packet unless the register was
 * set to the value since the last split point. So streams survive every split.
 *
 * Errors are sticky: a stream keeps its first error. Later calls change nothing and return that
 * error, and so does vsplit_submit(). So programs need not check each call.
 * vsplit_stream_reset() clears the error.
 * All calls that append may return -E2BIG: the stream would exceed 4 GiB - 1.
 *
 * Packets have these sizes: STATE 16, BIND 24, FILL 32, COPY 48, COPY_2D 48,
 * MMA 72, STORE and ATOMIC_ADD 32, TIMESTAMP 24, SPIN 8, DRAW 104, NOP 8 to 65528.
 */

/** vsplit_stream_create() - Create an empty stream; no device is needed. */
VSPLIT_PUBLIC int vsplit_stream_create(struct vsplit_stream **stream);

/** vsplit_stream_destroy() - Free a stream, or NULL. Allocations it names are not touched. */
VSPLIT_PUBLIC void vsplit_stream_destroy(struct vsplit_stream *stream);

/** vsplit_stream_reset() - Empty a stream for reuse; keeps its memory. */
VSPLIT_PUBLIC void vsplit_stream_reset(struct vsplit_stream *stream);

/** vsplit_stream_error() - The sticky error: 0 or negative. */
VSPLIT_PUBLIC int vsplit_stream_error(const struct vsplit_stream *stream);

/** vsplit_stream_offset() - Offset at which the next packet starts: bytes so far. */
VSPLIT_PUBLIC uint32_t vsplit_stream_offset(const struct vsplit_stream *stream);

/**
 * vsplit_stream_group_begin() - Let the binds that follow share one split point.
 * @stream: the stream.
 *
 * -EINVAL: a group is open.
 */
VSPLIT_PUBLIC int vsplit_stream_group_begin(struct vsplit_stream *stream);

/**
 * vsplit_stream_group_end() - Close the group.
 * @stream: the stream.
 *
 * -EINVAL: no group is open.
 */
VSPLIT_PUBLIC int vsplit_stream_group_end(struct vsplit_stream *stream);

/**
 * vsplit_stream_bind() - Bind an allocation to a slot: BIND packet and patch entry.
 * @stream: the stream.
 * @slot: row of the resource table.
 * @bo: the allocation; must live until the stream is submitted.
 * @offset: offset of the row's first byte in the allocation, less than 4 GiB.
 * @flags: VSPLIT_ALLOC_WRITE: commands may write the allocation by this row.
 *	VSPLIT_ALLOC_DISCARD: commands overwrite all of it before they read it; only the
 *	first bind of an allocation looks at this flag.
 *
 * The allocation is on the allocation list once; VSPLIT_ALLOC_WRITE of any of
 * its binds holds for the whole buffer.
 *
 * -EINVAL: slot over 24 bits, offset of 4 GiB or more, or unknown flags.
 */
VSPLIT_PUBLIC int vsplit_stream_bind(struct vsplit_stream *stream, uint32_t slot,
				     const struct vsplit_bo *bo, uint64_t offset,
				     uint32_t flags);

/** vsplit_stream_bind_handle() - As vsplit_stream_bind(), by GEM handle (> 0, else -EINVAL). */
VSPLIT_PUBLIC int vsplit_stream_bind_handle(struct vsplit_stream *stream, uint32_t slot,
					    uint32_t handle, uint64_t offset,
					    uint32_t flags);

/**
 * vsplit_stream_unbind() - Empty a slot: BIND packet and patch entry of the NULL element.
 * @stream: the stream.
 * @slot: row of the resource table.
 *
 * The allocation that the slot held is no longer kept at this split point.
 *
 * -EINVAL: slot over 24 bits.
 */
VSPLIT_PUBLIC int vsplit_stream_unbind(struct vsplit_stream *stream, uint32_t slot);

/**
 * vsplit_stream_state() - Set a state register; always emits the packet.
 * @stream: the stream.
 * @reg: enum vsplit_state_reg.
 * @value: new value of the register.
 *
 * -EINVAL: unknown register.
 */
VSPLIT_PUBLIC int vsplit_stream_state(struct vsplit_stream *stream, uint32_t reg,
				      uint32_t value);

/**
 * vsplit_stream_restate() - Set again every register that the last split point made undefined.
 * @stream: the stream.
 *
 * Programs that append packets of their own call it after binding.
 */
VSPLIT_PUBLIC int vsplit_stream_restate(struct vsplit_stream *stream);

/**
 * vsplit_stream_fill() - Fill with a 32-bit pattern.
 * @stream: the stream.
 * @slot: row of the resource table.
 * @offset: offset of the first byte from the start of the row.
 * @length: number of bytes, any.
 * @pattern: its lowest byte comes first.
 */
VSPLIT_PUBLIC int vsplit_stream_fill(struct vsplit_stream *stream, uint32_t slot,
				     uint64_t offset, uint64_t length, uint32_t pattern);

/**
 * vsplit_stream_copy() - Copy bytes; the ranges may overlap.
 * @stream: the stream.
 * @dst_slot: row of the destination.
 * @dst_offset: offset from the start of that row.
 * @src_slot: row of the source.
 * @src_offset: offset from the start of that row.
 * @length: number of bytes.
 */
VSPLIT_PUBLIC int vsplit_stream_copy(struct vsplit_stream *stream,
				     uint32_t dst_slot, uint64_t dst_offset,
				     uint32_t src_slot, uint64_t src_offset,
				     uint64_t length);

/**
 * struct vsplit_surface - One side of a 2D copy, or a matrix.
 * @slot: row of the resource table.
 * @pitch: bytes from row to row.
 * @offset: offset of the upper left corner from the start of the row of the table.
 *
 * Frozen: it is a member of other structures. New parameters of a call will be arguments.
 */
struct vsplit_surface {
	uint32_t slot;
	uint32_t pitch;
	uint64_t offset;
};

/**
 * vsplit_stream_copy_2d() - Copy a rectangle.
 * @stream: the stream.
 * @dst: the destination.
 * @src: the source.
 * @width: bytes of a row, at most either pitch.
 * @height: number of rows.
 * @flags: VSPLIT_COPY_2D_*.
 */
VSPLIT_PUBLIC int vsplit_stream_copy_2d(struct vsplit_stream *stream,
					const struct vsplit_surface *dst,
					const struct vsplit_surface *src,
					uint32_t width, uint32_t height, uint32_t flags);

/**
 * vsplit_stream_mma() - C = A * B, or C += A * B with VSPLIT_MMA_ACCUMULATE.
 * @stream: the stream.
 * @c: int32, @m rows of @n; offset and pitch multiples of 4.
 * @a: int8, @m rows of @k.
 * @b: int8, @k rows of @n.
 * @m: 1 to VSPLIT_MMA_MAX_DIM.
 * @n: 1 to VSPLIT_MMA_MAX_DIM.
 * @k: 1 to VSPLIT_MMA_MAX_DIM.
 * @flags: VSPLIT_MMA_*.
 */
VSPLIT_PUBLIC int vsplit_stream_mma(struct vsplit_stream *stream,
				    const struct vsplit_surface *c,
				    const struct vsplit_surface *a,
				    const struct vsplit_surface *b,
				    uint32_t m, uint32_t n, uint32_t k, uint32_t flags);

/**
 * struct vsplit_image - Pixels of 32 bits.
 * @surface: place of the pixels; offset and pitch are multiples of 4, the row is 4-byte aligned.
 * @width: pixels of a row.
 * @height: number of rows.
 *
 * Frozen: it is a member of struct vsplit_draw, which gets new members at its own end.
 */
struct vsplit_image {
	struct vsplit_surface surface;
	uint16_t width;
	uint16_t height;
};

/**
 * struct vsplit_draw - What vsplit_stream_draw() draws; see struct vsplit_packet_draw.
 * @target: the pixels that are drawn to.
 * @depth: depths of the pixels; NULL: none, and then no flag may need them.
 * @texture: NULL: none, and then @flags must not have VSPLIT_DRAW_TEXTURE.
 * @vertices_slot: row of the resource table with the struct vsplit_vertex.
 * @triangles: number of triangles, of three vertices each; 1 to VSPLIT_DRAW_MAX_TRIANGLES.
 * @vertices_offset: offset of the first vertex from the start of the row.
 * @flags: VSPLIT_DRAW_*.
 * @blend: enum vsplit_blend.
 * @left: with @top, @right and @bottom: the scissor, outside of which nothing is drawn.
 *
 * Carries its size.
 */
struct vsplit_draw {
	struct vsplit_image target;
	const struct vsplit_surface *depth;
	const struct vsplit_image *texture;
	uint32_t vertices_slot;
	uint32_t triangles;
	uint64_t vertices_offset;
	uint32_t flags;
	uint32_t blend;
	uint16_t left, top, right, bottom;
};

/** vsplit_stream_draw_sized() - vsplit_stream_draw() for a structure of @size bytes. */
VSPLIT_PUBLIC int vsplit_stream_draw_sized(struct vsplit_stream *stream,
					   const struct vsplit_draw *draw, size_t size);

/**
 * vsplit_stream_draw() - Draw triangles. Needs no state registers.
 * @stream: the stream.
 * @draw: copied.
 *
 * -EINVAL: unknown flags. -E2BIG: also, the caller sets members that this library does not know.
 */
static inline int vsplit_stream_draw(struct vsplit_stream *stream, const struct vsplit_draw *draw)
{
	return vsplit_stream_draw_sized(stream, draw, sizeof(*draw));
}

/** vsplit_stream_store() - Store 64 bits at @offset, a multiple of 8, of the row. */
VSPLIT_PUBLIC int vsplit_stream_store(struct vsplit_stream *stream, uint32_t slot,
				      uint64_t offset, uint64_t value);

/** vsplit_stream_atomic_add() - Add 64 bits at @offset, a multiple of 8, of the row. */
VSPLIT_PUBLIC int vsplit_stream_atomic_add(struct vsplit_stream *stream, uint32_t slot,
					   uint64_t offset, uint64_t value);

/** vsplit_stream_timestamp() - Store the engine's clock, 64-bit ns, at @offset, a multiple of 8. */
VSPLIT_PUBLIC int vsplit_stream_timestamp(struct vsplit_stream *stream, uint32_t slot,
					  uint64_t offset);

/** vsplit_stream_spin() - Keep the engine busy for @us microseconds, up to VSPLIT_SPIN_MAX_US. */
VSPLIT_PUBLIC int vsplit_stream_spin(struct vsplit_stream *stream, uint32_t us);

/**
 * vsplit_stream_pad_to() - Append NOPs up to an offset.
 * @stream: the stream.
 * @offset: where the next packet starts then, a multiple of 8.
 *
 * -EINVAL: the stream is longer already, or @offset is no multiple of 8.
 */
VSPLIT_PUBLIC int vsplit_stream_pad_to(struct vsplit_stream *stream, uint32_t offset);

/*
 * Raw access, for packets that have no call above and for tests that need
 * malformed lists. These calls do not check what they append.
 */

/**
 * vsplit_stream_append() - Append bytes as they are.
 * @stream: the stream.
 * @bytes: one or more packets.
 * @size: number of bytes.
 */
VSPLIT_PUBLIC int vsplit_stream_append(struct vsplit_stream *stream, const void *bytes,
				       size_t size);

/**
 * vsplit_stream_add_alloc() - Append an element to the allocation list.
 * @stream: the stream.
 * @handle: GEM handle, or 0 for the NULL element.
 * @flags: VSPLIT_ALLOC_*.
 * @index: out: its AllocationIndex; may be NULL.
 *
 * The call appends even if the list has the handle already, and vsplit_stream_bind() does not find
 * an element that was added here. But vsplit_submit() refuses a list that names an allocation
 * twice.
 */
VSPLIT_PUBLIC int vsplit_stream_add_alloc(struct vsplit_stream *stream, uint32_t handle,
					  uint32_t flags, uint32_t *index);

/** vsplit_stream_add_patch() - Append an element to the patch-location list. */
VSPLIT_PUBLIC int vsplit_stream_add_patch(struct vsplit_stream *stream,
					  const struct drm_vsplit_patch *patch);

/** vsplit_stream_data() - The bytes; may be changed. Valid until the next call that appends. */
VSPLIT_PUBLIC void *vsplit_stream_data(struct vsplit_stream *stream);

/** vsplit_stream_allocs() - The allocation list; may be changed. Valid as vsplit_stream_data(). */
VSPLIT_PUBLIC struct drm_vsplit_alloc *
vsplit_stream_allocs(struct vsplit_stream *stream, uint32_t *count);

/** vsplit_stream_patches() - The patch-location list; may be changed. Valid as the others. */
VSPLIT_PUBLIC struct drm_vsplit_patch *
vsplit_stream_patches(struct vsplit_stream *stream, uint32_t *count);

/* ---- submission -------------------------------------------------------- */

/**
 * struct vsplit_submission - Result of vsplit_submit().
 * @id: 1, 2, … within the context; also the point of vsplit_context_timeline().
 * @num_portions: portions that the buffer was split into; 0 if the submission is parked, because
 *	it waits for a monitored fence: its record has the number later.
 * @pad: 0.
 *
 * Frozen: all else that is known of a submission is in its record.
 */
struct vsplit_submission {
	uint64_t id;
	uint32_t num_portions;
	uint32_t pad;
};

/**
 * vsplit_submit() - Submit a stream. The call waits for the GPU only while the device is paced, or
 * was not long ago (struct drm_vsplit_submit).
 * @ctx: the context. All its submissions must go through this call, because the
 *	library keeps its timeline. Threads may submit to it at the same time.
 * @stream: copied. -EINVAL if it is empty or a group is open.
 * @flags: VSPLIT_SUBMIT_*.
 * @syncs: syncobjs to wait for and to signal, binary or timeline; may be NULL
 *	with @num_syncs 0. The library adds the context's timeline, which counts towards
 *	max_syncs.
 * @num_syncs: elements of @syncs.
 * @submission: out; may be NULL.
 *
 * The stream's sticky error.
 * -ENOENT: unknown handle or syncobj, or a syncobj to wait for has no fence.
 * -EINVAL: malformed, or its list names an allocation that is offered, or, under WDDM 2, one that
 *	has to be on the requirement list and is not (struct drm_vsplit_submit).
 * -E2BIG: over a published limit.
 * -EBUSY: an allocation can be in no aperture segment, and the CPU has it locked, or others use its
 *	pages; or it is pinned in a segment that it may not be used in.
 * -EIO: the context or the device is lost.
 * -ENOSPC: a group does not fit into video memory even alone; nothing was executed.
 * -EPERM: leak detection refused a split.
 * -ENOBUFS: the device, or all devices of the user, have too much unfinished work (max_unfinished,
 *	max_unfinished_bytes): vsplit_wait() for an earlier submission, and submit again.
 */
VSPLIT_PUBLIC int vsplit_submit(struct vsplit_context *ctx, struct vsplit_stream *stream,
				uint32_t flags, const struct drm_vsplit_sync *syncs,
				uint32_t num_syncs, struct vsplit_submission *submission);

/**
 * vsplit_wait() - Wait until a submission is done.
 * @ctx: the context.
 * @id: id of the submission.
 * @timeout_ms: how long to wait.
 * @error: out: 0, or the negative errno value that its fence was signalled
 *	with; may be NULL.
 *
 * -ETIME: not done yet. -EINVAL: no such submission. -ENOENT: it is done, but @error
 * is not NULL and its record is no longer kept.
 */
VSPLIT_PUBLIC int vsplit_wait(struct vsplit_context *ctx, uint64_t id,
			      int64_t timeout_ms, int *error);

/**
 * struct vsplit_wait_item - One of the submissions to wait for.
 * @ctx: its context.
 * @id: id of the submission.
 *
 * Frozen: it is an element of arrays.
 */
struct vsplit_wait_item {
	struct vsplit_context *ctx;
	uint64_t id;
};

/**
 * vsplit_wait_many() - Wait for several submissions at once, in the kernel.
 * @items: @count submissions, of contexts of one device.
 * @count: > 0.
 * @all: true: wait until all are done; false: until one is.
 * @timeout_ms: how long to wait.
 * @first: out: without @all, index of a submission that is done; may be NULL.
 *
 * -ETIME: not done yet. -EINVAL: no such submission, or contexts of several devices.
 */
VSPLIT_PUBLIC int vsplit_wait_many(const struct vsplit_wait_item *items, uint32_t count,
				   bool all, int64_t timeout_ms, uint32_t *first);

/**
 * vsplit_fence_export() - Make a sync file of the fence of a submission.
 * @ctx: the context.
 * @id: id of the submission.
 * @fence: out: descriptor of the sync file, which the caller closes. It can be polled, merged, and
 *	passed to other drivers and processes.
 *
 * -EINVAL: no such submission, or it is parked. -EMFILE, -ENFILE: too many files are open.
 */
VSPLIT_PUBLIC int vsplit_fence_export(struct vsplit_context *ctx, uint64_t id, int *fence);

/**
 * vsplit_fence_import() - Make a syncobj of a sync file, for which submissions can wait.
 * @dev: the device.
 * @fence: descriptor of the sync file; the caller still has to close it.
 * @syncobj: out: a syncobj for struct drm_vsplit_sync; the caller destroys it with
 *	drmSyncobjDestroy().
 *
 * -EINVAL: @fence is no sync file.
 */
VSPLIT_PUBLIC int vsplit_fence_import(struct vsplit_device *dev, int fence,
				      uint32_t *syncobj);

/* ---- records ----------------------------------------------------------- */

/**
 * struct vsplit_record - What happened to a submission.
 * @head: numbers of elements, the error, and whether the submission is done.
 * @events: @head.num_events events, in order of execution.
 * @rows: @head.num_rows rows. @row_first and @row_count of a portion's event give the rows of the
 *	resource table at the end of that portion, ordered by slot. (The kernel's record has only
 *	the rows that took effect in each portion; the library adds them up.)
 *
 * Frozen, because the library makes it and the program reads it: new calls will tell more of a
 * submission. Elements of the driver's arrays are frozen, too.
 */
struct vsplit_record {
	struct drm_vsplit_record head;
	struct drm_vsplit_event *events;
	struct drm_vsplit_row *rows;
};

/**
 * vsplit_record_read() - Read the record of a submission, done or not.
 * @ctx: the context.
 * @id: id of the submission.
 * @record: out; give it back with vsplit_record_free().
 *
 * While the submission is not done, times that are not known yet are 0.
 *
 * -ENOENT: no such submission, or its record is no longer kept, or it waits for a monitored
 * fence. -ENOMEM: also, the tables of all portions together are too large.
 */
VSPLIT_PUBLIC int vsplit_record_read(struct vsplit_context *ctx, uint64_t id,
				     struct vsplit_record **record);

/** vsplit_record_free() - Free a record, or NULL. */
VSPLIT_PUBLIC void vsplit_record_free(struct vsplit_record *record);

/**
 * vsplit_record_text() - Print a record as readable text, a line for each event.
 * @record: from vsplit_record_read().
 * @text: out: the caller frees it with free(3). Its form may change.
 */
VSPLIT_PUBLIC int vsplit_record_text(const struct vsplit_record *record, char **text);

/*
 * Names of the driver's numbers; "unknown" for other numbers. The strings are
 * static, and do not change.
 */

/** vsplit_event_name() - Name of an enum drm_vsplit_event_type: "page-in". */
VSPLIT_PUBLIC const char *vsplit_event_name(uint32_t type);

/** vsplit_state_name() - Name of an enum drm_vsplit_state: "lost-fault". */
VSPLIT_PUBLIC const char *vsplit_state_name(uint32_t state);

/** vsplit_fault_name() - Name of an enum drm_vsplit_fault: "out of bounds". */
VSPLIT_PUBLIC const char *vsplit_fault_name(uint32_t fault);

/* ---- adapters of one's own --------------------------------------------- */

/*
 * Root makes adapters at run time, by configfs. The module must be
 * loaded. Settings may be changed until the adapter is enabled.
 */

/**
 * vsplit_adapter_create() - Begin an adapter.
 * @name: its name: 1 to 31 letters, digits, '-', '_' and '.', not "." or "..".
 * @adapter: out: the adapter. It outlives the process, unless vsplit_adapter_destroy() removes
 *	it from the system.
 *
 * If configfs is not mounted, the call mounts it at /sys/kernel/config.
 *
 * -EPERM, -EACCES: not root. -ENODEV: the vsplit module is not loaded.
 * -EEXIST: there is an adapter of that name. -EINVAL: bad name.
 */
VSPLIT_PUBLIC int vsplit_adapter_create(const char *name, struct vsplit_adapter **adapter);

/**
 * vsplit_adapter_set() - Write a setting.
 * @adapter: not enabled.
 * @setting: "slots", "engines", "preemption", "save_restore", "paging", "clock", "lenient",
 *	"leak_detection", "look_ahead", "splits", "timeout_ms", "test", ...
 * @value: as text.
 *
 * -ENOENT: unknown setting. -EINVAL: bad value, or none. -EBUSY: enabled.
 */
VSPLIT_PUBLIC int vsplit_adapter_set(struct vsplit_adapter *adapter, const char *setting,
				     const char *value);

/** vsplit_adapter_set_u64() - As vsplit_adapter_set(), with a number. */
VSPLIT_PUBLIC int vsplit_adapter_set_u64(struct vsplit_adapter *adapter,
					 const char *setting, uint64_t value);

/* Values in struct vsplit_adapter_options: 0 leaves the setting at the module's default. */
enum vsplit_adapter_preemption {
	VSPLIT_ADAPTER_PREEMPTION_DEFAULT,
	VSPLIT_ADAPTER_PREEMPTION_NONE,		/* between programs */
	VSPLIT_ADAPTER_PREEMPTION_SPLIT_POINT,	/* where a program is split */
	VSPLIT_ADAPTER_PREEMPTION_PACKET,	/* between packets */
};

enum vsplit_adapter_clock {
	VSPLIT_ADAPTER_CLOCK_DEFAULT,
	VSPLIT_ADAPTER_CLOCK_REAL,	/* work takes the host's time */
	VSPLIT_ADAPTER_CLOCK_MODEL,	/* work takes declared times, the same in each run */
};

enum vsplit_adapter_paging {
	VSPLIT_ADAPTER_PAGING_DEFAULT,
	VSPLIT_ADAPTER_PAGING_OWN,	/* an engine of its own pages */
	VSPLIT_ADAPTER_PAGING_SAME,	/* a render engine pages */
};

enum vsplit_adapter_victims {
	VSPLIT_ADAPTER_VICTIMS_DEFAULT,
	VSPLIT_ADAPTER_VICTIMS_LRU,		/* evict the least recently used allocation */
	VSPLIT_ADAPTER_VICTIMS_NEXT_USE,	/* evict the one that the list needs last */
};

enum vsplit_adapter_splits {
	VSPLIT_ADAPTER_SPLITS_DEFAULT,
	VSPLIT_ADAPTER_SPLITS_WDDM,	/* a buffer is cut only where memory is low */
	VSPLIT_ADAPTER_SPLITS_PLANNED,	/* if it has to be, also where that saves bytes or time */
};

/* Flags of struct vsplit_adapter_options. */
#define VSPLIT_ADAPTER_FBDEV		(1u << 0) /* a framebuffer device on the heads */
#define VSPLIT_ADAPTER_LOOK_AHEAD	(1u << 1) /* look further before a list is refused */
#define VSPLIT_ADAPTER_LENIENT		(1u << 2) /* reading state that a split lost is no fault */
#define VSPLIT_ADAPTER_LEAK_DETECTION	(1u << 3) /* refuse a split that keeps rows */
#define VSPLIT_ADAPTER_TEST		(1u << 4) /* escapes and fault knobs, for root */

/** VSPLIT_ADAPTER_NO_HEADS - No display at all; @heads of struct vsplit_adapter_options. */
#define VSPLIT_ADAPTER_NO_HEADS	UINT32_MAX

/**
 * struct vsplit_adapter_options - Settings by their types. A member that is 0 sets nothing.
 * @slots: rows of the resource table, up to VSPLIT_MAX_SLOTS.
 * @engines: render engines, up to 4.
 * @heads: heads that show pictures, or VSPLIT_ADAPTER_NO_HEADS.
 * @timeout_ms: a program that makes no progress for this long is a hang.
 * @aperture_limit: bytes that all aperture segments together may map.
 * @preemption: enum vsplit_adapter_preemption.
 * @clock: enum vsplit_adapter_clock.
 * @paging: enum vsplit_adapter_paging.
 * @victims: enum vsplit_adapter_victims.
 * @splits: enum vsplit_adapter_splits.
 * @contexts: modes of contexts, a bit for each: 1u << enum drm_vsplit_ctx_mode.
 * @flags: flags to set, VSPLIT_ADAPTER_FBDEV, ...
 * @pad: 0.
 * @trim_period_ms: time between two periodic trims, which ask files for unused memory.
 * @pad2: 0.
 *
 * Carries its size.
 */
struct vsplit_adapter_options {
	uint32_t slots;
	uint32_t engines;
	uint32_t heads;
	uint32_t timeout_ms;
	uint64_t aperture_limit;
	uint32_t preemption;
	uint32_t clock;
	uint32_t paging;
	uint32_t victims;
	uint32_t splits;
	uint32_t contexts;
	uint32_t flags;
	uint32_t pad;
	uint32_t trim_period_ms;
	uint32_t pad2;
};

/**
 * vsplit_adapter_set_options() - Write all settings that are not 0.
 * @adapter: not enabled.
 * @options: copied.
 * @size: sizeof(*@options).
 *
 * If the driver refuses a setting, the settings before it have been written.
 *
 * -EINVAL: a value out of range, an unknown flag or mode, a @pad that is not 0; or the driver
 * refuses a value. -E2BIG: the caller sets members that this library does not know. -ENOENT: the
 * driver does not know the setting. -EBUSY: enabled.
 */
VSPLIT_PUBLIC int vsplit_adapter_set_options(struct vsplit_adapter *adapter,
					     const struct vsplit_adapter_options *options,
					     size_t size);

/** VSPLIT_ADAPTER_CPU_ALL - The CPU sees all of a segment. */
#define VSPLIT_ADAPTER_CPU_ALL	UINT64_MAX

/**
 * struct vsplit_adapter_segment - A segment to be made.
 * @name: 1 to 31 letters, digits and '_', not beginning with a digit; not "system".
 * @aperture: an aperture segment, else a memory segment.
 * @size: multiple of the page size, > 0.
 * @commit_limit: bytes that may be resident at once, whole pages; 0: @size.
 * @cpu_visible: bytes from its start that the CPU can map, whole pages, or
 *	VSPLIT_ADAPTER_CPU_ALL.
 * @swizzling_ranges: number of swizzled allocations in it that the CPU can see at once,
 *	up to VSPLIT_MAX_SWIZZLING_RANGES; 0 for an aperture segment.
 * @pad: 0.
 *
 * Carries its size.
 */
struct vsplit_adapter_segment {
	const char *name;
	bool aperture;
	uint64_t size;
	uint64_t commit_limit;
	uint64_t cpu_visible;
	uint32_t swizzling_ranges;
	uint32_t pad;
};

/** vsplit_adapter_add_segment_sized() - The same for a structure of @size bytes. */
VSPLIT_PUBLIC int vsplit_adapter_add_segment_sized(struct vsplit_adapter *adapter,
						   const struct vsplit_adapter_segment *segment,
						   size_t size);

/**
 * vsplit_adapter_add_segment() - Add a segment; ids are given in order, from 1.
 * @adapter: not enabled.
 * @segment: copied.
 *
 * -EINVAL: bad name, size, limit, visible part or number of ranges, a @pad that is not 0.
 * -E2BIG: the caller sets members that this library does not know. -EEXIST: name taken.
 * -ENOSPC: too many segments. -EBUSY: enabled.
 */
static inline int vsplit_adapter_add_segment(struct vsplit_adapter *adapter,
					     const struct vsplit_adapter_segment *segment)
{
	return vsplit_adapter_add_segment_sized(adapter, segment, sizeof(*segment));
}

/**
 * vsplit_adapter_enable() - Make the adapter's device.
 * @adapter: not enabled.
 *
 * -EINVAL: its settings contradict each other. -ENOMEM: no memory for it.
 */
VSPLIT_PUBLIC int vsplit_adapter_enable(struct vsplit_adapter *adapter);

/**
 * vsplit_adapter_open() - Open the enabled adapter.
 * @adapter: enabled by vsplit_adapter_enable().
 * @dev: out: the device.
 *
 * The call waits up to two seconds until the render node exists and can be opened.
 *
 * -EINVAL: not enabled. Else errors as for vsplit_device_open_path().
 */
VSPLIT_PUBLIC int vsplit_adapter_open(struct vsplit_adapter *adapter,
				      struct vsplit_device **dev);

/** vsplit_adapter_name() - Its name; valid as long as @adapter. */
VSPLIT_PUBLIC const char *vsplit_adapter_name(const struct vsplit_adapter *adapter);

/**
 * vsplit_adapter_destroy() - Remove the adapter from the system.
 * @adapter: the adapter, or NULL. Devices that are open on it see -ENODEV.
 */
VSPLIT_PUBLIC void vsplit_adapter_destroy(struct vsplit_adapter *adapter);

/**
 * vsplit_adapter_remove() - Remove an adapter by its name, even if another process has made it.
 * @name: name of the adapter.
 *
 * -ENOENT: there is no such adapter. -EPERM, -EACCES: not root.
 */
VSPLIT_PUBLIC int vsplit_adapter_remove(const char *name);

#if defined(__cplusplus)
}
#endif

#endif /* _LIBDRM_VSPLIT_H_ */
