/* SPDX-License-Identifier: MIT */
/*
 * libdrm_vsplit: the library of the vsplit driver, on libdrm.
 *
 * Rules that hold for every call below:
 * - A call that returns int gives 0 or a negative errno value. On an error no
 *   object was made and nothing has changed, unless said otherwise.
 * - Handles are opaque. What a *_create or *_open call hands out belongs to the
 *   caller, which gives it back with the matching *_destroy, *_close or *_free
 *   call; these take NULL and do nothing then. Out parameters are written on
 *   success only.
 * - Errors that any call may give, and that are not repeated: -ENOMEM (host
 *   memory is short), -ENODEV (the adapter is gone), -EBADF (the device was
 *   closed with vsplit_device_close()).
 * - Sizes and offsets are bytes. Times are milliseconds where the name ends in
 *   _ms; a negative one waits without end, 0 does not wait.
 * - The library has no global state, prints nothing, and changes no signal
 *   handler. It restarts what a signal interrupted.
 * - Threads: calls on different objects may run at the same time. Devices,
 *   allocations and contexts may be used by several threads at once; streams,
 *   records and adapters by one thread at a time. To give back an object that
 *   another thread still uses is an error of the caller.
 * - Processes: both have all objects after fork(2), of the same file. What the library
 *   counts of a context or hardware queue is not shared: one of the two submits to it.
 * - Sizes of structures: a program and a library of different age understand each other.
 *   A structure to which members may be added, at its end, goes with its size as the
 *   program knows it: the call passes it on to one of the same name and "_sized", which
 *   bindings of other languages use. What the program has more than the library is 0 in
 *   what it gets; in what it gives it has to be 0, else -E2BIG: the library does not know
 *   what is set there. What the program lacks is 0 for the library, and 0 means what an
 *   older one did. All other structures are frozen: their comments say why, and where what
 *   they lack will be.
 * - Structures of the driver in arrays are frozen (see vsplit_drm.h), and so are the
 *   others without such a call. vsplit_device_adapter() hands out what
 *   belongs to the library: it may grow, and that call then has a new version.
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
 * One of the three calls below, chosen by @which.
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
 * -EINVAL: it is a file, but no node of vsplit. And what open(2) says.
 */
VSPLIT_PUBLIC int vsplit_device_open_path(const char *path, struct vsplit_device **dev);

/**
 * vsplit_device_open_name() - Open an adapter by its name.
 * @name: as in struct drm_vsplit_adapter_info, and in configfs.
 * @dev: out: the device.
 *
 * Errors as of vsplit_device_open_first().
 */
VSPLIT_PUBLIC int vsplit_device_open_name(const char *name, struct vsplit_device **dev);

/**
 * vsplit_device_open_fd() - Take a file that is open already.
 * @fd: a render or primary node; still the caller's.
 * @dev: out: the device, with a descriptor of its own for the same file.
 *
 * Handles and contexts are those of the file, and so shared with whatever else uses
 * it: vsplit_device_close() closes the own descriptor only. Objects are given back
 * before that, or they exist until the file is closed.
 *
 * -EINVAL: no node of vsplit. -EBADF: no open file. -EMFILE: too many files are open.
 */
VSPLIT_PUBLIC int vsplit_device_open_fd(int fd, struct vsplit_device **dev);

/**
 * vsplit_device_visit() - Open each adapter that this user can open, lowest minor first.
 * @dir: of the nodes, NULL: /dev/dri.
 * @visit: takes a device, and has to close it. Anything but 0 ends the visit.
 * @data: for @visit.
 *
 * Return: what @visit ended the visit with; or 0, also where there is no adapter.
 * -EACCES: there are render nodes which this user cannot open; those that it can were visited.
 * -ENOMEM, -EMFILE, -ENFILE: not all were visited. And what scandir(3) says.
 */
VSPLIT_PUBLIC int vsplit_device_visit(const char *dir,
				      int (*visit)(void *data, struct vsplit_device *dev),
				      void *data);

/**
 * vsplit_device_close() - Close the device's file, at once.
 * @dev: the device, or NULL.
 *
 * Allocations, contexts and records of it stay valid as objects of this
 * library, and so does @dev until the last of them is given back; calls that
 * need the kernel return -EBADF. The mapping of an allocation stays until that is
 * destroyed, and keeps the kernel's side of the file alive until then.
 */
VSPLIT_PUBLIC void vsplit_device_close(struct vsplit_device *dev);

/** vsplit_device_fd() - The DRM file, for libdrm's calls; -1 once closed. The device's own. */
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
 * @count: in: elements of @segments; out: segments of the adapter. If there is
 *	room for less, as many as fit are written.
 */
VSPLIT_PUBLIC int vsplit_device_segments(struct vsplit_device *dev,
					 struct drm_vsplit_segment_info *segments,
					 uint32_t *count);

/** vsplit_device_statistics_sized() - vsplit_device_statistics(), of a structure of that size. */
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

/** vsplit_device_state_sized() - vsplit_device_state(), of a structure of that size. */
VSPLIT_PUBLIC int vsplit_device_state_sized(struct vsplit_device *dev,
					    struct drm_vsplit_ctx_query *query, size_t size);

/**
 * vsplit_device_state() - State of the device: is it lost?
 * @dev: the device.
 * @query: out: @query->state and @query->device_state tell.
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
 * @value: of the operation, else 0.
 *
 * VSPLIT_ESCAPE_BUDGET is vsplit_resident_set_budget(): here it is about VSPLIT_GROUP_LOCAL alone.
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
 * -ENOSPC: VSPLIT_GEM_PINNED, and there is no room. -EDQUOT: VSPLIT_GEM_PINNED, and more than
 * clients without CAP_SYS_ADMIN may pin together. -ENOMEM: also more than the user may have.
 */
VSPLIT_PUBLIC int vsplit_bo_create(struct vsplit_device *dev, uint64_t size,
				   uint32_t flags, struct vsplit_bo **bo);

/**
 * vsplit_bo_create_from() - Create an allocation with everything said.
 * @dev: the device.
 * @params: size, alignment, flags, priority, segments in order of preference,
 *	eviction segment set; its out members are ignored and not written. Frozen: struct
 *	drm_vsplit_surface_alloc has it, which stands in arrays.
 * @bo: out: the allocation.
 *
 * Errors as of vsplit_bo_create(); -EINVAL also for a bad alignment, segment or
 * eviction segment set.
 */
VSPLIT_PUBLIC int vsplit_bo_create_from(struct vsplit_device *dev,
					const struct drm_vsplit_gem_create *params,
					struct vsplit_bo **bo);

/**
 * vsplit_bo_create_surface() - Create the allocations of a surface, all or none.
 * @dev: device.
 * @allocs: as for DRM_IOCTL_VSPLIT_GEM_SURFACE, @num of them; not written to.
 * @num: 1 to VSPLIT_MAX_SURFACE_ALLOCS.
 * @bos: out: @num allocations, each to be destroyed by itself.
 *
 * Errors as of vsplit_bo_create_from(); -E2BIG: too many allocations. An allocation of
 * tiles cannot be mapped or locked: -EACCES.
 */
VSPLIT_PUBLIC int vsplit_bo_create_surface(struct vsplit_device *dev,
					   const struct drm_vsplit_surface_alloc *allocs,
					   uint32_t num, struct vsplit_bo **bos);

/**
 * vsplit_bo_export() - Share the allocation: a dma-buf of it.
 * @bo: the allocation.
 * @dmabuf: out: a file, closed on exec; the caller closes it.
 *
 * Other processes, adapters and drivers can import it. While one of the latter uses
 * its pages, the allocation is in no memory segment (VSPLIT_GEM_INFO_SHARED), and
 * submissions that use it need an aperture segment.
 *
 * -EMFILE, -ENFILE: too many files are open.
 */
VSPLIT_PUBLIC int vsplit_bo_export(struct vsplit_bo *bo, int *dmabuf);

/**
 * vsplit_bo_import() - Make an allocation of a dma-buf.
 * @dev: the device.
 * @dmabuf: file; still the caller's.
 * @bo: out: destroyed by vsplit_bo_destroy(), in any order with others of the same
 *	dma-buf.
 *
 * A dma-buf of the same adapter is the same allocation, with the same id; any other is
 * mapped into aperture segments only, and the GPU works on the exporter's pages.
 *
 * -EOPNOTSUPP: the adapter has no aperture segment, or cannot reach the pages. -E2BIG:
 * larger than every aperture segment. -EBUSY: the exporter has it pinned. -EINVAL: no
 * dma-buf. -EBADF: no file.
 */
VSPLIT_PUBLIC int vsplit_bo_import(struct vsplit_device *dev, int dmabuf,
				   struct vsplit_bo **bo);

/**
 * vsplit_bo_ref() - One more holder of the allocation.
 * @bo: the allocation.
 *
 * Each holder gives it back by vsplit_bo_destroy(); the last one destroys it.
 *
 * Return: @bo.
 */
VSPLIT_PUBLIC struct vsplit_bo *vsplit_bo_ref(struct vsplit_bo *bo);

/**
 * vsplit_bo_destroy() - Give the handle back and remove the mapping.
 * @bo: the allocation, or NULL. While it has other holders, nothing else happens.
 *
 * Submitted work that uses it is not disturbed; its memory is freed afterwards.
 */
VSPLIT_PUBLIC void vsplit_bo_destroy(struct vsplit_bo *bo);

/** vsplit_bo_handle() - GEM handle, valid on the device's file; > 0. */
VSPLIT_PUBLIC uint32_t vsplit_bo_handle(const struct vsplit_bo *bo);

/** vsplit_bo_size() - Size as the kernel rounded it. */
VSPLIT_PUBLIC uint64_t vsplit_bo_size(const struct vsplit_bo *bo);

/** vsplit_bo_id() - Id, unique on the adapter: what records and traces call it. */
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
 * -EACCES: tiles of a surface, or pinned out of the CPU's sight.
 */
VSPLIT_PUBLIC int vsplit_bo_map(struct vsplit_bo *bo, void **ptr);

/**
 * vsplit_bo_unmap() - Remove the mapping, if there is one.
 * @bo: the allocation. Pointers into the mapping are invalid from here on; the next
 *	vsplit_bo_map() makes another.
 */
VSPLIT_PUBLIC void vsplit_bo_unmap(struct vsplit_bo *bo);

/** vsplit_bo_info_sized() - vsplit_bo_info(), of a structure of that size. */
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
 * @num: in: elements of @runs; out: runs of the allocation: none in system memory, one of what
 *	was created without VSPLIT_GEM_RUNS. If there is room for less, as many as fit are written.
 * @segment: out, may be NULL: id, or 0 for system memory.
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
 * Work that uses it by a virtual address, which no list names, is not waited for: see
 * vsplit_wait() and vsplit_hwq_wait().
 *
 * Counted; each needs its vsplit_bo_unlock(). What the CPU cannot get at where it
 * is moves; while it is locked, submissions use it in aperture segments only (see
 * struct drm_vsplit_gem_lock).
 *
 * -EBUSY: VSPLIT_LOCK_DONOT_WAIT, and it is in use; or it is pinned out of the CPU's
 * sight. -EADDRNOTAVAIL: VSPLIT_LOCK_DONOT_EVICT, and it would have to move. -EINVAL:
 * bad flags, or such as this allocation does not take (struct drm_vsplit_gem_lock), or it is
 * offered. -EACCES: tiles of a surface.
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
 * @timeout_ms: how long; sleeps and looks again, so rather for tests and ends
 *	of frames than for tight loops.
 *
 * -ETIME: it is still in use.
 */
VSPLIT_PUBLIC int vsplit_bo_wait(struct vsplit_bo *bo, int64_t timeout_ms);

/* ---- residency --------------------------------------------------------- */

/**
 * vsplit_resident_make() - Add allocations to what the device requires (WDDM 2).
 * @dev: the device.
 * @bos: allocations of @dev; one that is there n times counts n times.
 * @num: how many, 1 to VSPLIT_MAX_RESIDENCY.
 * @flags: VSPLIT_RESIDENT_*.
 * @point: out, may be NULL: 0: they are resident now; else for vsplit_resident_wait().
 *	Submissions of the device wait for it by themselves.
 * @trim_bytes: out, may be NULL: with -ENOSPC, bytes to take off the list first; else 0.
 *
 * All or nothing. Does not wait.
 *
 * -ENOSPC: they cannot be resident together with what the device requires already, or
 * it did not give back what it was asked for. -EINVAL: bad flags or number; a device
 * with VSPLIT_CTX_MODE_PATCH contexts, or an adapter without others; one is offered. -E2BIG:
 * too many, or VSPLIT_MAX_SHARERS other devices require one of them. -EBUSY: the CPU has one
 * locked, or others use its pages, and it can be in no aperture. -EIO: the device is lost.
 * -ENOBUFS: as of vsplit_submit().
 */
VSPLIT_PUBLIC int vsplit_resident_make(struct vsplit_device *dev, struct vsplit_bo *const *bos,
				       uint32_t num, uint32_t flags, uint64_t *point,
				       uint64_t *trim_bytes);

/**
 * vsplit_resident_evict() - Take allocations off what the device requires.
 * @dev: the device.
 * @bos: allocations of @dev; one that is there n times counts n times.
 * @num: how many, 1 to VSPLIT_MAX_RESIDENCY.
 * @flags: VSPLIT_EVICT_*.
 * @trim_bytes: out, may be NULL: what the device was asked for and still has.
 *
 * All or nothing.
 *
 * -EINVAL: one of them was added less often; bad flags or number. -E2BIG: too many.
 */
VSPLIT_PUBLIC int vsplit_resident_evict(struct vsplit_device *dev, struct vsplit_bo *const *bos,
					uint32_t num, uint32_t flags, uint64_t *trim_bytes);

/**
 * vsplit_resident_wait() - Wait until what was made resident is there.
 * @dev: the device.
 * @point: of vsplit_resident_make(); 0 returns at once.
 * @timeout_ms: how long; negative: for ever.
 *
 * -ETIME: not yet. -EINVAL: a point that vsplit_resident_make() has not returned yet.
 */
VSPLIT_PUBLIC int vsplit_resident_wait(struct vsplit_device *dev, uint64_t point,
				       int64_t timeout_ms);

/** vsplit_resident_query_sized() - vsplit_resident_query(), of a structure of that size. */
VSPLIT_PUBLIC int vsplit_resident_query_sized(struct vsplit_device *dev, const struct vsplit_bo *bo,
					      struct drm_vsplit_residency *residency, size_t size);

/**
 * vsplit_resident_query() - What the device requires, may have and was asked for.
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
 * vsplit_resident_reserve() - Say how much the device needs to be of use (EXT-43).
 * @dev: the device.
 * @group: enum drm_vsplit_group.
 * @bytes: that it shall not be asked to give back because others need them; replaces what it has
 *	reserved.
 * @available: out, may be NULL, also with -ENOSPC: what it may reserve.
 *
 * -ENOSPC: more than that. -EINVAL: bad group; a device with VSPLIT_CTX_MODE_PATCH contexts, or
 * an adapter without others. -EIO: the device is lost.
 */
VSPLIT_PUBLIC int vsplit_resident_reserve(struct vsplit_device *dev, uint32_t group,
					  uint64_t bytes, uint64_t *available);

/**
 * vsplit_resident_set_budget() - Set what the device should not exceed; a test hook.
 * @dev: the device.
 * @group: enum drm_vsplit_group.
 * @bytes: the budget; UINT64_MAX: its share again.
 *
 * -EINVAL: bad group. Else as of vsplit_device_escape().
 */
VSPLIT_PUBLIC int vsplit_resident_set_budget(struct vsplit_device *dev, uint32_t group,
					     uint64_t bytes);

/** vsplit_resident_watch_sized() - vsplit_resident_watch(), of a structure of that size. */
VSPLIT_PUBLIC int vsplit_resident_watch_sized(struct vsplit_device *dev,
					      struct drm_vsplit_residency *residency, size_t size);

/**
 * vsplit_resident_watch() - From now on tell of changed budgets (EXT-43).
 * @dev: the device.
 * @residency: out, may be NULL: as they are now.
 *
 * Makes vsplit_resident_read_events() tell when budgets or reservations have changed. There
 * is one such event at a time, and another one after it was read by that call.
 */
static inline int vsplit_resident_watch(struct vsplit_device *dev,
					struct drm_vsplit_residency *residency)
{
	return vsplit_resident_watch_sized(dev, residency, sizeof(*residency));
}

/**
 * struct vsplit_residency_events - What a device was told.
 * @trimmed: @trim is one.
 * @budgeted: @budget is one.
 * @trim: it is asked to give back memory.
 * @budget: its budgets have changed.
 *
 * Carries its size. The driver's two events in it are frozen: of a larger one this is the begin.
 */
struct vsplit_residency_events {
	bool trimmed;
	bool budgeted;
	struct drm_vsplit_trim_event trim;
	struct drm_vsplit_budget_event budget;
};

/** vsplit_resident_read_events_sized() - vsplit_resident_read_events(), of a structure of that size. */
VSPLIT_PUBLIC int vsplit_resident_read_events_sized(struct vsplit_device *dev, int64_t timeout_ms,
						    struct vsplit_residency_events *events,
						    size_t size);

/**
 * vsplit_resident_read_events() - Read trim and budget events, and ask for the next ones.
 * @dev: the device. Its descriptor is readable when there is one; other events of a
 *	display that are read with it are dropped.
 * @timeout_ms: how long to wait for one; negative: for ever.
 * @events: out: at least one.
 *
 * -ETIME: there is none. -ENODEV: the adapter is gone.
 */
static inline int vsplit_resident_read_events(struct vsplit_device *dev, int64_t timeout_ms,
					      struct vsplit_residency_events *events)
{
	return vsplit_resident_read_events_sized(dev, timeout_ms, events, sizeof(*events));
}

/**
 * vsplit_resident_read_trim() - Read a trim event, and ask for the next one.
 * @dev: as of vsplit_resident_read_events(); budget events are dropped, too.
 * @timeout_ms: how long to wait for one; negative: for ever.
 * @trim: out.
 *
 * -ETIME: there is none.
 */
VSPLIT_PUBLIC int vsplit_resident_read_trim(struct vsplit_device *dev, int64_t timeout_ms,
					    struct drm_vsplit_trim_event *trim);

/**
 * vsplit_resident_eventfd() - From now on trims signal an eventfd (RES-8, EXT-42).
 * @dev: the device.
 * @eventfd: still the caller's; replaces any other. -1: none.
 *
 * For loops that wait for more than one device. It is signalled for each trim, whether or not trim
 * events are read, and when the adapter is gone; how much is asked for vsplit_resident_query() tells.
 *
 * -EBADF, -EINVAL: no eventfd, and what was signalled before still is. -ENODEV.
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
 * What is needed is made resident; what was used least recently is taken off the list when
 * the device is asked to trim (RES-8), and when what is needed does not fit. Nothing else is:
 * without demand all that was ever used stays.
 *
 * It holds no allocation: one that is destroyed is taken off. What it has added must not be
 * taken off by vsplit_resident_evict(); what was added by vsplit_resident_make() is counted
 * apart (RES-9), and it leaves that alone. Any number of threads may use it. Its lock is held
 * during its calls of the kernel, none of which waits for the GPU.
 */

/**
 * struct vsplit_manager_info - What a manager has done.
 * @bytes: that it has on the list.
 * @members: allocations that it has on the list.
 * @pad: 0.
 * @evicted: bytes that it has taken off the list since it was created, for lack of room or
 *	because of trims.
 * @forced: how often it had nothing left to give and asked for the last time
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
 * vsplit_manager_create() - Let a manager see to what a device requires.
 * @dev: the device; a reference is taken. Its model is WDDM 2, or becomes it with the first
 *	use.
 * @manager: out: the manager.
 *
 * -EBUSY: the device has one.
 */
VSPLIT_PUBLIC int vsplit_manager_create(struct vsplit_device *dev,
					struct vsplit_manager **manager);

/**
 * vsplit_manager_destroy() - Take off the list what it has added.
 * @manager: the manager, or NULL. Submitted work is not disturbed (RES-7).
 */
VSPLIT_PUBLIC void vsplit_manager_destroy(struct vsplit_manager *manager);

/**
 * vsplit_manager_submit() - Submit a stream, with what it needs resident.
 * @manager: of the device of @ctx.
 * @ctx: as of vsplit_submit(), as @stream and @submission.
 * @stream: likewise.
 * @bos: what it accesses; one may be there several times.
 * @num: how many, 1 to VSPLIT_MAX_RESIDENCY.
 * @submission: likewise.
 *
 * vsplit_manager_use(), vsplit_submit() without flags and syncobjs, vsplit_manager_done().
 * Waits for the GPU where vsplit_submit() does. A stream that begins with waits for monitored
 * fences is submitted when these are reached: use the single calls for it.
 *
 * Errors as of these; after an error nothing was submitted.
 */
VSPLIT_PUBLIC int vsplit_manager_submit(struct vsplit_manager *manager,
					struct vsplit_context *ctx, struct vsplit_stream *stream,
					struct vsplit_bo *const *bos, uint32_t num,
					struct vsplit_submission *submission);

/**
 * vsplit_manager_use() - Make resident what is going to be used.
 * @manager: the manager.
 * @bos: allocations of its device; one may be there several times.
 * @num: how many, 1 to VSPLIT_MAX_RESIDENCY.
 * @point: out, may be NULL: as of vsplit_resident_make(). Submissions and hardware queues of
 *	the device wait for it by themselves.
 *
 * Until vsplit_manager_done() they stay on the list; work that is submitted before that is
 * safe afterwards, too (RES-7). For a hardware queue that means when it has progressed so far.
 * A trim that the device was asked for is answered first.
 *
 * Of -ENOSPC the caller sees what is left when all that is not in use was taken off and the
 * kernel was asked for the last time: what is in use does not fit together with @bos. That
 * takes at most 64 tries, each of which gives back at least twice as much as the one before.
 * After an error nothing of @bos is in use by this call; others may have been taken off.
 *
 * Errors as of vsplit_resident_make(). -EINVAL: also an allocation of another device.
 */
VSPLIT_PUBLIC int vsplit_manager_use(struct vsplit_manager *manager,
				     struct vsplit_bo *const *bos, uint32_t num,
				     uint64_t *point);

/**
 * vsplit_manager_done() - What was used may be taken off again.
 * @manager: the manager.
 * @bos: as of vsplit_manager_use(), once for each such call.
 * @num: likewise.
 *
 * -EINVAL, -E2BIG: as there; nothing has changed.
 */
VSPLIT_PUBLIC int vsplit_manager_done(struct vsplit_manager *manager,
				      struct vsplit_bo *const *bos, uint32_t num);

/**
 * vsplit_manager_trim() - Give back what the device was asked for (RES-8).
 * @manager: the manager.
 * @bytes: out, may be NULL: how much that was; 0 also if nothing is asked, or all of it is
 *	in use.
 *
 * For event loops: when the device's descriptor is readable, and its events were read by
 * vsplit_resident_read_trim() or drmHandleEvent(). Arms the next event. A program that does not
 * call it answers with its next use.
 */
VSPLIT_PUBLIC int vsplit_manager_trim(struct vsplit_manager *manager, uint64_t *bytes);

/** vsplit_manager_query_sized() - vsplit_manager_query(), of a structure of that size. */
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
 * vsplit_bo_offer() - The bytes are not needed until they are reclaimed.
 * @dev: the device.
 * @bos: allocations of @dev.
 * @num: how many, 1 to VSPLIT_MAX_RESIDENCY.
 * @priority: enum drm_vsplit_offer_priority: which of them leave first when room is needed.
 *
 * All or nothing. They leave without a transfer, after what was submitted before. Until they are
 * reclaimed vsplit_bo_lock(), vsplit_resident_make() and submissions that list one give -EINVAL.
 *
 * -EBUSY: one is locked, pinned or shared. -EINVAL: bad priority or number. -E2BIG: too many.
 */
VSPLIT_PUBLIC int vsplit_bo_offer(struct vsplit_device *dev, struct vsplit_bo *const *bos,
				  uint32_t num, uint32_t priority);

/**
 * vsplit_bo_reclaim() - Offered allocations are needed again.
 * @dev: the device.
 * @bos: allocations of @dev.
 * @num: how many, 1 to VSPLIT_MAX_RESIDENCY.
 * @discarded: out, @num elements, or NULL: were its bytes lost?
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
 * @address: first virtual address, a multiple of the page size, as what follows.
 * @bytes: of the range, > 0.
 * @offset: of the part in the allocation.
 * @flags: VSPLIT_VA_OP_*.
 *
 * What was submitted before does not see it, what is submitted afterwards does; but for
 * hardware queues, for which it takes effect when it is done: see vsplit_va_wait().
 * Nothing waits for the GPU. What the range showed before is replaced.
 *
 * -EINVAL: bad flags or range; the device has no such context. -E2BIG: more than
 * VSPLIT_MAX_VA_OPS_BYTES; the allocation has VSPLIT_MAX_MAPPINGS mappings, or these show it
 * VSPLIT_MAX_MAPPED_TIMES times. -EIO: it is lost. -ENOBUFS: too much is unfinished: wait for a
 * submission.
 */
VSPLIT_PUBLIC int vsplit_va_map(struct vsplit_device *dev, const struct vsplit_bo *bo,
				uint64_t address, uint64_t bytes, uint64_t offset,
				uint32_t flags);

/** vsplit_va_unmap() - Show nothing in a range; else as vsplit_va_map(). */
VSPLIT_PUBLIC int vsplit_va_unmap(struct vsplit_device *dev, uint64_t address, uint64_t bytes);

/**
 * vsplit_va_sparse() - Let a range read as zeros, and drop writes to it; else as
 * vsplit_va_map().
 */
VSPLIT_PUBLIC int vsplit_va_sparse(struct vsplit_device *dev, uint64_t address, uint64_t bytes);

/**
 * vsplit_va_bind() - Change the device's virtual addresses.
 * @dev: likewise.
 * @ops: changes, which take effect in order, all or none.
 * @num_ops: elements of @ops.
 * @syncs: syncobjs to wait for, and to signal; or NULL.
 * @num_syncs: elements of @syncs. The library adds one, which counts towards max_syncs.
 *
 * Errors as of DRM_IOCTL_VSPLIT_VA_BIND.
 */
VSPLIT_PUBLIC int vsplit_va_bind(struct vsplit_device *dev, const struct drm_vsplit_va_op *ops,
				 uint32_t num_ops, const struct drm_vsplit_sync *syncs,
				 uint32_t num_syncs);

/**
 * vsplit_va_wait() - Wait until all changes of addresses so far have taken effect.
 * @dev: the device; changes that others make of its file are not waited for.
 * @timeout_ms: how long; negative: for ever.
 *
 * For hardware queues: before packets use what was mapped, and before memory is put to another
 * use that was unmapped. Submissions need no such call.
 *
 * -ETIME: not yet.
 */
VSPLIT_PUBLIC int vsplit_va_wait(struct vsplit_device *dev, int64_t timeout_ms);

/**
 * vsplit_stream_fill_va() - Fill at a virtual address.
 * @stream: for a context of VSPLIT_CTX_MODE_VA.
 * @address: virtual.
 * @length: bytes, any.
 * @pattern: its lowest byte comes first.
 */
VSPLIT_PUBLIC int vsplit_stream_fill_va(struct vsplit_stream *stream, uint64_t address,
					uint64_t length, uint32_t pattern);

/**
 * vsplit_stream_copy_va() - Copy between virtual addresses; the ranges may overlap.
 * @stream: for a context of VSPLIT_CTX_MODE_VA.
 * @dst: where to.
 * @src: where from.
 * @length: bytes.
 */
VSPLIT_PUBLIC int vsplit_stream_copy_va(struct vsplit_stream *stream, uint64_t dst, uint64_t src,
					uint64_t length);

/* ---- monitored fences -------------------------------------------------- */

/**
 * vsplit_mfence_create() - Create a monitored fence: a 64-bit value that only grows.
 * @dev: the device.
 * @value: that it begins with.
 * @fence: out: the fence.
 *
 * Processors and the GPU raise it and wait for it, also before anything is there that will
 * raise it. It cannot become a syncobj or a sync file.
 *
 * -ENOSPC: the device has VSPLIT_MAX_FILE_FENCES.
 */
VSPLIT_PUBLIC int vsplit_mfence_create(struct vsplit_device *dev, uint64_t value,
				       struct vsplit_mfence **fence);

/**
 * vsplit_mfence_export() - A descriptor of a fence, for another device or process.
 * @fence: the fence.
 * @fd: out: for vsplit_mfence_import(); the caller's to close, which may be before @fence is destroyed
 *	or behind it.
 */
VSPLIT_PUBLIC int vsplit_mfence_export(struct vsplit_mfence *fence, int *fd);

/**
 * vsplit_mfence_import() - A fence of another device, for this one (EXT-48).
 * @dev: the device, of any adapter.
 * @fd: from vsplit_mfence_export(); still the caller's.
 * @fence: out: has the value of the other one, whichever of them is raised; destroyed by
 *	vsplit_mfence_destroy(), alone.
 *
 * -EBADF, -EINVAL: @fd is no fence. -ENOSPC: it has VSPLIT_MAX_FENCE_SHARES, or the device
 * VSPLIT_MAX_FILE_FENCES.
 */
VSPLIT_PUBLIC int vsplit_mfence_import(struct vsplit_device *dev, int fd,
				       struct vsplit_mfence **fence);

/**
 * vsplit_mfence_destroy() - Destroy a fence.
 * @fence: the fence, or NULL. What still waits for it ends: calls with -ECANCELED, submissions
 *	without being executed. What waits for it by another device's fence waits on.
 */
VSPLIT_PUBLIC void vsplit_mfence_destroy(struct vsplit_mfence *fence);

/** vsplit_mfence_handle() - For struct vsplit_packet_fence; valid on the device's file. */
VSPLIT_PUBLIC uint32_t vsplit_mfence_handle(const struct vsplit_mfence *fence);

/**
 * vsplit_mfence_value() - What has been reached; takes no call of the kernel.
 * @fence: the fence.
 *
 * What was done before it was raised is there.
 */
VSPLIT_PUBLIC uint64_t vsplit_mfence_value(const struct vsplit_mfence *fence);

/** vsplit_mfence_signal() - Raise it to @value; a smaller one than it has changes nothing. */
VSPLIT_PUBLIC int vsplit_mfence_signal(struct vsplit_mfence *fence, uint64_t value);

/**
 * vsplit_mfence_wait() - Wait until it has reached a value.
 * @fence: the fence.
 * @value: that it has at least.
 * @timeout_ms: how long; negative: for ever.
 *
 * -ETIME: not yet. -ECANCELED: it was destroyed meanwhile.
 */
VSPLIT_PUBLIC int vsplit_mfence_wait(struct vsplit_mfence *fence, uint64_t value,
				     int64_t timeout_ms);

/**
 * vsplit_mfence_eventfd() - Signal an eventfd, once, when it has reached a value.
 * @fence: the fence.
 * @value: that it has at least; also signalled when it is destroyed.
 * @eventfd: still the caller's.
 *
 * -EBADF, -EINVAL: no eventfd. -ENOSPC: VSPLIT_MAX_FENCE_EVENTS of the device wait.
 */
VSPLIT_PUBLIC int vsplit_mfence_eventfd(struct vsplit_mfence *fence, uint64_t value,
					int eventfd);

/** vsplit_stream_signal_fence() - Let the GPU raise it to @value when it comes here. */
VSPLIT_PUBLIC int vsplit_stream_signal_fence(struct vsplit_stream *stream,
					     const struct vsplit_mfence *fence, uint64_t value);

/**
 * vsplit_stream_wait_fence() - Let what follows wait until it has reached a value.
 * @stream: at its begin: vsplit_submit() refuses a wait that follows anything but waits.
 * @fence: of the same device.
 * @value: that it has at least.
 *
 * vsplit_submit() does not wait: the submission is parked, and those of its context after it
 * are. vsplit_wait() waits for them as for others; until then vsplit_fence_export() gives
 * -EINVAL, because no fence is there.
 */
VSPLIT_PUBLIC int vsplit_stream_wait_fence(struct vsplit_stream *stream,
					   const struct vsplit_mfence *fence, uint64_t value);

/* ---- hardware queues --------------------------------------------------- */

struct vsplit_hwq;

/**
 * vsplit_hwq_create() - Give a context its hardware queue.
 * @ctx: of VSPLIT_CTX_MODE_HW, which has none; a reference is taken.
 * @ring_bytes: a power of two, VSPLIT_HWQ_MIN_RING to VSPLIT_HWQ_MAX_RING.
 * @hwq: out: the queue.
 *
 * -EINVAL: not such a context, or bad size. -EBUSY: it has one, which it keeps until it is
 * destroyed itself; also after vsplit_hwq_destroy(), and where the queue could not be mapped.
 */
VSPLIT_PUBLIC int vsplit_hwq_create(struct vsplit_context *ctx, uint32_t ring_bytes,
				    struct vsplit_hwq **hwq);

/**
 * vsplit_hwq_destroy() - Unmap it. What is in the ring is executed for as long as the context
 * is there.
 * @hwq: the queue; NULL is fine.
 */
VSPLIT_PUBLIC void vsplit_hwq_destroy(struct vsplit_hwq *hwq);

/**
 * vsplit_hwq_submit() - Put packets into the ring and ring the doorbell.
 * @hwq: the queue.
 * @packets: of virtual addresses, as vsplit_stream_data() gives them; whole ones.
 * @bytes: of them, a multiple of 8.
 * @progress: out: what vsplit_hwq_progress() will have reached when they are done; or NULL.
 *
 * No system call. -EBUSY: the ring has no room for them yet. -E2BIG: it never has. -EINVAL.
 * What is wrong with packets or addresses is found when they are executed:
 * vsplit_hwq_wait(), vsplit_context_query().
 */
VSPLIT_PUBLIC int vsplit_hwq_submit(struct vsplit_hwq *hwq, const void *packets, uint32_t bytes,
				    uint64_t *progress);

/** vsplit_hwq_progress() - Bytes of packets that were executed, ever. No system call. */
VSPLIT_PUBLIC uint64_t vsplit_hwq_progress(const struct vsplit_hwq *hwq);

/**
 * vsplit_stream_history() - Let the queue note its engine's clock when it comes here.
 * @stream: for vsplit_hwq_submit(); vsplit_submit() refuses it.
 * @index: where, below VSPLIT_HWQ_HISTORY; another one loses the context.
 */
VSPLIT_PUBLIC int vsplit_stream_history(struct vsplit_stream *stream, uint32_t index);

/**
 * vsplit_hwq_history() - When a VSPLIT_OP_HISTORY packet was executed. No system call.
 * @hwq: the queue.
 * @index: the packet's argument, below VSPLIT_HWQ_HISTORY.
 *
 * The time is that of the last such packet that vsplit_hwq_progress() has passed, or of one
 * behind it. Return: the engine's clock, ns; 0: there was none.
 */
VSPLIT_PUBLIC uint64_t vsplit_hwq_history(const struct vsplit_hwq *hwq, uint32_t index);

/**
 * vsplit_hwq_wait() - Wait until so many bytes of packets were executed.
 * @hwq: the queue.
 * @progress: of vsplit_hwq_submit().
 * @timeout_ms: negative: for ever.
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
 * vsplit_context_create_mode() - Create a context of a kind.
 * @dev: the device.
 * @mode: enum drm_vsplit_ctx_mode; those that there are say VSPLIT_CAP_CTX_*.
 * @flags: VSPLIT_CTX_*.
 * @priority: enum drm_vsplit_ctx_priority.
 * @engine: index, below num_engines of the adapter.
 * @ctx: out: the context.
 *
 * Errors as of vsplit_context_create(). -EINVAL: also a kind that the adapter does not
 * have, or of the other model than the device's first one.
 */
VSPLIT_PUBLIC int vsplit_context_create_mode(struct vsplit_device *dev, uint32_t mode,
					     uint32_t flags, uint32_t priority, uint32_t engine,
					     struct vsplit_context **ctx);

/**
 * vsplit_context_ref() - One more holder of the context, as vsplit_bo_ref().
 * @ctx: the context.
 *
 * Return: @ctx.
 */
VSPLIT_PUBLIC struct vsplit_context *vsplit_context_ref(struct vsplit_context *ctx);

/**
 * vsplit_context_destroy() - Destroy a context; queued work still runs.
 * @ctx: the context, or NULL. While it has other holders, nothing happens.
 */
VSPLIT_PUBLIC void vsplit_context_destroy(struct vsplit_context *ctx);

/** vsplit_context_id() - The kernel's id, valid on the device's file; > 0. */
VSPLIT_PUBLIC uint32_t vsplit_context_id(const struct vsplit_context *ctx);

/**
 * vsplit_context_timeline() - Timeline syncobj of the context's submissions.
 * @ctx: the context.
 *
 * Point N is signalled when submission N is done, well or not. It serves as
 * in-syncobj for other contexts of the device; export it for other devices. It
 * belongs to the context.
 *
 * Return: handle on the device's file; > 0.
 */
VSPLIT_PUBLIC uint32_t vsplit_context_timeline(const struct vsplit_context *ctx);

/** vsplit_context_query_sized() - vsplit_context_query(), of a structure of that size. */
VSPLIT_PUBLIC int vsplit_context_query_sized(struct vsplit_context *ctx,
					     struct drm_vsplit_ctx_query *query, size_t size);

/**
 * vsplit_context_query() - State of a context: is it lost, why, since when?
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
 * A stream is built packet by packet and carries by itself what the driver
 * needs to split and patch it: the allocation list, the patch-location list and
 * the split points. Nothing of it is known to the kernel before
 * vsplit_submit(), which copies it: a stream may be submitted again, changed, or
 * destroyed right after.
 *
 * Split points: each vsplit_stream_bind() and vsplit_stream_unbind() is one, at
 * the offset where its BIND packet starts, or, between
 * vsplit_stream_group_begin() and _end(), at the offset where the first BIND
 * packet of the group starts.
 *
 * State: the calls that need state registers (fill, copy_2d, mma) take their
 * values as arguments and emit VSPLIT_OP_STATE packets where a register does
 * not hold the value for sure: where it was not set to it since the last split
 * point. So streams survive every split without further care.
 *
 * Errors are sticky: the first error of a stream is remembered, later calls
 * change nothing and return it, and so does vsplit_submit(). Calls need
 * therefore not be checked one by one. vsplit_stream_reset() forgets it.
 * Errors of all calls that append: -E2BIG: over 4 GiB - 1 of stream.
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

/** vsplit_stream_offset() - Bytes so far: where the next packet starts. */
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
 * @offset: of the row's first byte in the allocation, below 4 GiB.
 * @flags: VSPLIT_ALLOC_WRITE: commands may write through it.
 *	VSPLIT_ALLOC_DISCARD: all of it is overwritten before it is read; heeded
 *	only in the first bind of an allocation.
 *
 * The allocation enters the allocation list once; VSPLIT_ALLOC_WRITE of any of
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
 * What the slot held is no longer kept at this split point.
 *
 * -EINVAL: slot over 24 bits.
 */
VSPLIT_PUBLIC int vsplit_stream_unbind(struct vsplit_stream *stream, uint32_t slot);

/**
 * vsplit_stream_state() - Set a state register; always emits the packet.
 * @stream: the stream.
 * @reg: enum vsplit_state_reg.
 * @value: for it.
 *
 * -EINVAL: unknown register.
 */
VSPLIT_PUBLIC int vsplit_stream_state(struct vsplit_stream *stream, uint32_t reg,
				      uint32_t value);

/**
 * vsplit_stream_restate() - Set again every register that the last split point made undefined.
 * @stream: the stream.
 *
 * For streams that emit packets of their own: call it after binding.
 */
VSPLIT_PUBLIC int vsplit_stream_restate(struct vsplit_stream *stream);

/**
 * vsplit_stream_fill() - Fill with a 32-bit pattern.
 * @stream: the stream.
 * @slot: where.
 * @offset: from the start of the row.
 * @length: bytes, any.
 * @pattern: its lowest byte comes first.
 */
VSPLIT_PUBLIC int vsplit_stream_fill(struct vsplit_stream *stream, uint32_t slot,
				     uint64_t offset, uint64_t length, uint32_t pattern);

/**
 * vsplit_stream_copy() - Copy bytes; the ranges may overlap.
 * @stream: the stream.
 * @dst_slot: where to.
 * @dst_offset: from the start of the row.
 * @src_slot: where from.
 * @src_offset: from the start of the row.
 * @length: bytes.
 */
VSPLIT_PUBLIC int vsplit_stream_copy(struct vsplit_stream *stream,
				     uint32_t dst_slot, uint64_t dst_offset,
				     uint32_t src_slot, uint64_t src_offset,
				     uint64_t length);

/**
 * struct vsplit_surface - One side of a 2D copy, or a matrix.
 * @slot: row of the resource table.
 * @pitch: bytes from row to row.
 * @offset: of the upper left corner, from the start of the row of the table.
 *
 * Frozen: it is a part of others. What a call needs besides is an argument of its own.
 */
struct vsplit_surface {
	uint32_t slot;
	uint32_t pitch;
	uint64_t offset;
};

/**
 * vsplit_stream_copy_2d() - Copy a rectangle.
 * @stream: the stream.
 * @dst: where to.
 * @src: where from.
 * @width: bytes of a row, at most either pitch.
 * @height: rows.
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
 * @surface: where they are; offset a multiple of 4 from an aligned row, pitch too.
 * @width: pixels of a row.
 * @height: rows.
 *
 * Frozen: it is a part of struct vsplit_draw, and what that lacks is added at its end.
 */
struct vsplit_image {
	struct vsplit_surface surface;
	uint16_t width;
	uint16_t height;
};

/**
 * struct vsplit_draw - What vsplit_stream_draw() draws; see struct vsplit_packet_draw.
 * @target: where to.
 * @depth: its depths; NULL: none, and no flag that wants them.
 * @texture: NULL: none, and without VSPLIT_DRAW_TEXTURE.
 * @vertices_slot: row of the resource table where the struct vsplit_vertex are.
 * @triangles: 1 to VSPLIT_DRAW_MAX_TRIANGLES, of three vertices each.
 * @vertices_offset: of the first, from the start of the row.
 * @flags: VSPLIT_DRAW_*.
 * @blend: enum vsplit_blend.
 * @left: of the scissor, as @top, @right and @bottom: what is drawn to, at most.
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

/** vsplit_stream_draw_sized() - vsplit_stream_draw(), of a structure of that size. */
VSPLIT_PUBLIC int vsplit_stream_draw_sized(struct vsplit_stream *stream,
					   const struct vsplit_draw *draw, size_t size);

/**
 * vsplit_stream_draw() - Draw triangles. Needs no state registers.
 * @stream: the stream.
 * @draw: copied.
 *
 * -EINVAL: unknown flags. -E2BIG: also what this library does not know.
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
 * vsplit_stream_pad_to() - NOPs up to an offset.
 * @stream: the stream.
 * @offset: multiple of 8; where the next packet starts then.
 *
 * -EINVAL: it lies behind, or is no multiple of 8.
 */
VSPLIT_PUBLIC int vsplit_stream_pad_to(struct vsplit_stream *stream, uint32_t offset);

/*
 * Raw access, for packets that have no call above and for tests that want
 * malformed lists. What is added here is not looked at.
 */

/**
 * vsplit_stream_append() - Append bytes as they are.
 * @stream: the stream.
 * @bytes: of one or more packets.
 * @size: how many.
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
 * Appends even if the list has the handle already, and vsplit_stream_bind() does not look for
 * what was added here: vsplit_submit() refuses a list that names an allocation twice.
 */
VSPLIT_PUBLIC int vsplit_stream_add_alloc(struct vsplit_stream *stream, uint32_t handle,
					  uint32_t flags, uint32_t *index);

/** vsplit_stream_add_patch() - Append an element to the patch-location list. */
VSPLIT_PUBLIC int vsplit_stream_add_patch(struct vsplit_stream *stream,
					  const struct drm_vsplit_patch *patch);

/** vsplit_stream_data() - The bytes; may be changed. Valid until the next call that appends. */
VSPLIT_PUBLIC void *vsplit_stream_data(struct vsplit_stream *stream);

/** vsplit_stream_allocs() - The allocation list; may be changed. Valid as long. */
VSPLIT_PUBLIC struct drm_vsplit_alloc *
vsplit_stream_allocs(struct vsplit_stream *stream, uint32_t *count);

/** vsplit_stream_patches() - The patch-location list; may be changed. Valid as long. */
VSPLIT_PUBLIC struct drm_vsplit_patch *
vsplit_stream_patches(struct vsplit_stream *stream, uint32_t *count);

/* ---- submission -------------------------------------------------------- */

/**
 * struct vsplit_submission - What vsplit_submit() tells.
 * @id: 1, 2, … within the context; also the point of vsplit_context_timeline().
 * @num_portions: portions that the buffer was split into; 0 while it waits for a monitored
 *	fence: the record tells it then.
 * @pad: 0.
 *
 * Frozen: what is known of a submission besides is in its record.
 */
struct vsplit_submission {
	uint64_t id;
	uint32_t num_portions;
	uint32_t pad;
};

/**
 * vsplit_submit() - Submit a stream. Does not wait for the GPU, but where the device is paced
 * (struct drm_vsplit_submit).
 * @ctx: the context. All its submissions must go through this call, as the
 *	library keeps its timeline; threads are put in order.
 * @stream: copied. -EINVAL if it is empty or a group is open.
 * @flags: VSPLIT_SUBMIT_*.
 * @syncs: syncobjs to wait for and to signal, binary or timeline; may be NULL
 *	with @num_syncs 0. The context's timeline is added by the library and
 *	counts towards max_syncs.
 * @num_syncs: elements of @syncs.
 * @submission: out; may be NULL.
 *
 * The stream's sticky error. -ENOENT: unknown handle or syncobj, or a syncobj
 * to wait for has no fence. -EINVAL: malformed, or it lists what is offered or, under WDDM 2, not
 * required. -E2BIG: over a published limit. -EBUSY: the CPU has an allocation locked, or others
 * use its pages, and it can be in no aperture; or it is pinned where it may not be used.
 * -EIO: context or device lost. -ENOSPC: some group does not fit into video
 * memory even alone; nothing was executed. -EPERM: leak detection refused.
 * -ENOBUFS: too much of the device's, or of all of the user's, is submitted and not
 * finished (max_unfinished, max_unfinished_bytes): vsplit_wait() for an earlier
 * submission, and submit again.
 */
VSPLIT_PUBLIC int vsplit_submit(struct vsplit_context *ctx, struct vsplit_stream *stream,
				uint32_t flags, const struct drm_vsplit_sync *syncs,
				uint32_t num_syncs, struct vsplit_submission *submission);

/**
 * vsplit_wait() - Wait until a submission is done.
 * @ctx: the context.
 * @id: of the submission.
 * @timeout_ms: how long.
 * @error: out: 0, or the negative errno value that its fence was signalled
 *	with; may be NULL.
 *
 * -ETIME: not done yet. -EINVAL: no such submission. -ENOENT: done, but @error
 * is asked for and its record is no longer kept.
 */
VSPLIT_PUBLIC int vsplit_wait(struct vsplit_context *ctx, uint64_t id,
			      int64_t timeout_ms, int *error);

/**
 * struct vsplit_wait_item - One of the submissions to wait for.
 * @ctx: its context.
 * @id: of the submission.
 *
 * Frozen: it stands in arrays.
 */
struct vsplit_wait_item {
	struct vsplit_context *ctx;
	uint64_t id;
};

/**
 * vsplit_wait_many() - Wait for several submissions at once, in the kernel.
 * @items: @count of them, of contexts of one device.
 * @count: > 0.
 * @all: until all are done; else until one is.
 * @timeout_ms: how long.
 * @first: out: without @all, index of one that is done; may be NULL.
 *
 * -ETIME: not done yet. -EINVAL: no such submission, or contexts of several devices.
 */
VSPLIT_PUBLIC int vsplit_wait_many(const struct vsplit_wait_item *items, uint32_t count,
				   bool all, int64_t timeout_ms, uint32_t *first);

/**
 * vsplit_fence_export() - The fence of a submission as a file: a sync file.
 * @ctx: the context.
 * @id: of the submission.
 * @fence: out: the caller closes it. It can be polled, merged, and passed to other
 *	drivers and processes.
 *
 * -EINVAL: no such submission. -EMFILE: too many files are open.
 */
VSPLIT_PUBLIC int vsplit_fence_export(struct vsplit_context *ctx, uint64_t id, int *fence);

/**
 * vsplit_fence_import() - A sync file as something that submissions can wait for.
 * @dev: the device.
 * @fence: still the caller's.
 * @syncobj: out: a syncobj for struct drm_vsplit_sync; the caller destroys it with
 *	drmSyncobjDestroy().
 *
 * -EINVAL: no sync file.
 */
VSPLIT_PUBLIC int vsplit_fence_import(struct vsplit_device *dev, int fence,
				      uint32_t *syncobj);

/* ---- records ----------------------------------------------------------- */

/**
 * struct vsplit_record - What happened to a submission.
 * @head: counts, error and whether it is done.
 * @events: @head.num_events of them, in order of execution.
 * @rows: @head.num_rows of them: the resource table at the end of each portion, which
 *	row_first and row_count of its event give, by slot. (The kernel gives what took
 *	effect in each portion; this is its fold.)
 *
 * Frozen, because a program reads what the library has made: more of a submission is told by calls
 * of their own. Elements of the driver's arrays are frozen by themselves.
 */
struct vsplit_record {
	struct drm_vsplit_record head;
	struct drm_vsplit_event *events;
	struct drm_vsplit_row *rows;
};

/**
 * vsplit_record_read() - Read the record of a submission, done or not.
 * @ctx: the context.
 * @id: of the submission.
 * @record: out; give it back with vsplit_record_free().
 *
 * Of a submission that is not done, times that are not known yet are 0.
 *
 * -ENOENT: no such submission, or its record is no longer kept, or it waits for a monitored
 * fence. -ENOMEM: also tables that are too large together.
 */
VSPLIT_PUBLIC int vsplit_record_read(struct vsplit_context *ctx, uint64_t id,
				     struct vsplit_record **record);

/** vsplit_record_free() - Free a record, or NULL. */
VSPLIT_PUBLIC void vsplit_record_free(struct vsplit_record *record);

/**
 * vsplit_record_text() - A record for a person to read, a line an event.
 * @record: of vsplit_record_read().
 * @text: out: the caller gives it to free(3). What it says may change.
 */
VSPLIT_PUBLIC int vsplit_record_text(const struct vsplit_record *record, char **text);

/*
 * Names of what the driver tells by number; "unknown" for other numbers. They are
 * static, and do not change.
 */

/** vsplit_event_name() - Of enum drm_vsplit_event_type: "page-in". */
VSPLIT_PUBLIC const char *vsplit_event_name(uint32_t type);

/** vsplit_state_name() - Of enum drm_vsplit_state: "lost-fault". */
VSPLIT_PUBLIC const char *vsplit_state_name(uint32_t state);

/** vsplit_fault_name() - Of enum drm_vsplit_fault: "out of bounds". */
VSPLIT_PUBLIC const char *vsplit_fault_name(uint32_t fault);

/* ---- adapters of one's own --------------------------------------------- */

/*
 * Adapters are made at run time through configfs, by root. The module must be
 * loaded. Settings may be changed until the adapter is enabled.
 */

/**
 * vsplit_adapter_create() - Begin an adapter.
 * @name: its name: 1 to 31 letters, digits, '-', '_' and '.', not "." or "..".
 * @adapter: out. vsplit_adapter_destroy() removes it from the system; it
 *	outlives the process otherwise.
 *
 * Mounts configfs at /sys/kernel/config if it is not.
 *
 * -EPERM, -EACCES: not root. -ENODEV: the vsplit module is not loaded.
 * -EEXIST: there is one of that name. -EINVAL: bad name.
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

/* Of struct vsplit_adapter_options: 0 keeps what the module does without the setting. */
enum vsplit_adapter_preemption {
	VSPLIT_ADAPTER_PREEMPTION_DEFAULT,
	VSPLIT_ADAPTER_PREEMPTION_NONE,		/* between programs */
	VSPLIT_ADAPTER_PREEMPTION_SPLIT_POINT,	/* where a program is split */
	VSPLIT_ADAPTER_PREEMPTION_PACKET,	/* between packets */
};

enum vsplit_adapter_clock {
	VSPLIT_ADAPTER_CLOCK_DEFAULT,
	VSPLIT_ADAPTER_CLOCK_REAL,	/* work takes the host's time */
	VSPLIT_ADAPTER_CLOCK_MODEL,	/* what the adapter's model says, the same in each run */
};

enum vsplit_adapter_paging {
	VSPLIT_ADAPTER_PAGING_DEFAULT,
	VSPLIT_ADAPTER_PAGING_OWN,	/* by an engine of its own */
	VSPLIT_ADAPTER_PAGING_SAME,	/* by that which runs commands */
};

enum vsplit_adapter_victims {
	VSPLIT_ADAPTER_VICTIMS_DEFAULT,
	VSPLIT_ADAPTER_VICTIMS_LRU,		/* the least recently used leaves */
	VSPLIT_ADAPTER_VICTIMS_NEXT_USE,	/* what the list needs last leaves */
};

enum vsplit_adapter_splits {
	VSPLIT_ADAPTER_SPLITS_DEFAULT,
	VSPLIT_ADAPTER_SPLITS_WDDM,	/* where memory is low, and nowhere else */
	VSPLIT_ADAPTER_SPLITS_PLANNED,	/* if it has to be, also where that saves bytes or time */
};

/* Flags of struct vsplit_adapter_options. */
#define VSPLIT_ADAPTER_FBDEV		(1u << 0) /* a framebuffer device on the heads */
#define VSPLIT_ADAPTER_LOOK_AHEAD	(1u << 1) /* look further before a list is refused */
#define VSPLIT_ADAPTER_LENIENT		(1u << 2) /* state lost at a split is garbage, no fault */
#define VSPLIT_ADAPTER_LEAK_DETECTION	(1u << 3) /* refuse a split that keeps rows */
#define VSPLIT_ADAPTER_TEST		(1u << 4) /* escapes and fault knobs, for root */

/** VSPLIT_ADAPTER_NO_HEADS - No display at all; @heads of struct vsplit_adapter_options. */
#define VSPLIT_ADAPTER_NO_HEADS	UINT32_MAX

/**
 * struct vsplit_adapter_options - Settings by their types. What is 0 is not set.
 * @slots: rows of the resource table, up to VSPLIT_MAX_SLOTS.
 * @engines: render engines, up to 4.
 * @heads: heads that show pictures, or VSPLIT_ADAPTER_NO_HEADS.
 * @timeout_ms: after how long a program without progress is a hang.
 * @aperture_limit: bytes that all aperture segments together may map.
 * @preemption: enum vsplit_adapter_preemption.
 * @clock: enum vsplit_adapter_clock.
 * @paging: enum vsplit_adapter_paging.
 * @victims: enum vsplit_adapter_victims.
 * @splits: enum vsplit_adapter_splits.
 * @contexts: kinds of contexts, a bit for each: 1u << enum drm_vsplit_ctx_mode.
 * @flags: VSPLIT_ADAPTER_FBDEV, ...: these are on.
 * @trim_period_ms: every so often files are asked for what they have not used since.
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
 * vsplit_adapter_set_options() - Write the settings that are named.
 * @adapter: not enabled.
 * @options: copied.
 * @size: sizeof(*@options).
 *
 * On an error of the driver's, settings that come before the refused one are written.
 *
 * -EINVAL: a value out of range, an unknown flag or kind, a @pad that is not 0; also as said
 * by the driver. -E2BIG: the caller sets what this library does not know. -ENOENT: the driver does
 * not know the setting. -EBUSY: enabled.
 */
VSPLIT_PUBLIC int vsplit_adapter_set_options(struct vsplit_adapter *adapter,
					     const struct vsplit_adapter_options *options,
					     size_t size);

/** VSPLIT_ADAPTER_CPU_ALL - All of a segment is visible to the CPU. */
#define VSPLIT_ADAPTER_CPU_ALL	UINT64_MAX

/**
 * struct vsplit_adapter_segment - A segment to be made.
 * @name: 1 to 31 letters, digits and '_', not beginning with a digit; not "system".
 * @aperture: an aperture segment, else a memory segment.
 * @size: multiple of the page size, > 0.
 * @commit_limit: bytes that may be resident at once, whole pages; 0: @size.
 * @cpu_visible: bytes from its start that the CPU can map, whole pages, or
 *	VSPLIT_ADAPTER_CPU_ALL.
 * @swizzling_ranges: how many swizzled allocations in it the CPU can see at once,
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

/** vsplit_adapter_add_segment_sized() - vsplit_adapter_add_segment(), of a structure of that size. */
VSPLIT_PUBLIC int vsplit_adapter_add_segment_sized(struct vsplit_adapter *adapter,
						   const struct vsplit_adapter_segment *segment,
						   size_t size);

/**
 * vsplit_adapter_add_segment() - Add a segment; ids are given in order, from 1.
 * @adapter: not enabled.
 * @segment: copied.
 *
 * -EINVAL: bad name, size, limit, visible part or number of ranges, a @pad that is not 0.
 * -E2BIG: the caller sets what this library does not know. -EEXIST: name taken.
 * -ENOSPC: too many segments. -EBUSY: enabled.
 */
static inline int vsplit_adapter_add_segment(struct vsplit_adapter *adapter,
					     const struct vsplit_adapter_segment *segment)
{
	return vsplit_adapter_add_segment_sized(adapter, segment, sizeof(*segment));
}

/**
 * vsplit_adapter_enable() - Let the adapter appear.
 * @adapter: not enabled.
 *
 * -EINVAL: its settings contradict each other. -ENOMEM: no memory for it.
 */
VSPLIT_PUBLIC int vsplit_adapter_enable(struct vsplit_adapter *adapter);

/** vsplit_adapter_open() - Open the enabled adapter; as vsplit_device_open_path(). */
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
 * vsplit_adapter_remove() - Remove an adapter by its name, also one that others made.
 * @name: of the adapter.
 *
 * -ENOENT: there is none. -EPERM, -EACCES: not root.
 */
VSPLIT_PUBLIC int vsplit_adapter_remove(const char *name);

#if defined(__cplusplus)
}
#endif

#endif /* _LIBDRM_VSPLIT_H_ */
