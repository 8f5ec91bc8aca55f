/* SPDX-License-Identifier: MIT */
/*
 * A fake kernel, for tests on machines without the driver. It replaces calls of libdrm, executes
 * streams on the CPU when they are submitted, and remembers the arguments. State is lost at every
 * split point, as if all of them were taken. Allocations are never placed: video memory has no
 * limit.
 */
#ifndef _VSPLIT_FAKE_H_
#define _VSPLIT_FAKE_H_

#include <stdint.h>

#include "vsplit_drm.h"
#include "vsplit_isa.h"

/* Path of the fake's node. It is a file, in which GEM mmap offsets are file offsets. */
const char *fake_node(void);

/* Remove the node, and forget all objects of the fake. */
void fake_reset(void);

/*
 * Settings and observations.
 * @info: the answer to the adapter query.
 * @segments: the answer to the segment query; info.num_segments elements.
 * @fail_ioctl: number (DRM_VSPLIT_*) of the ioctl that fails next, or -1.
 * @fail_errno: the error with which it fails.
 * @fail_times: number of calls that fail, after @fail_after calls that succeed.
 * @priority: the priority that was set last.
 * @busy_infos: number of allocation queries that still report the allocation as busy.
 * @shared_infos: likewise, as shared.
 * @dmabuf: the last exported dma-buf.
 * @dmabuf_handle: the handle that was exported, and that an import returns.
 * @record_growth: number of events that appear between two reads of a record.
 * @last_submit: arguments of the last submission.
 * @last_sync: syncs of the last submission.
 * @submits: number of submissions.
 * @paged_in: bytes that MakeResident has paged in.
 * @open_handles: number of GEM handles and contexts that exist.
 * @syncobjs: number of syncobjs that exist.
 * @waits: number of waits for syncobjs; @wait_flags: the flags of the last one.
 * @fence_point: the timeline point that was last taken out as a fence.
 * @faulted: reason of the last GPU fault, enum drm_vsplit_fault.
 * @splits: number of split points in the streams that were executed.
 * @capacity: bytes that may be required at once.
 * @owed: bytes that the device was asked for and has not given back. Evict of @owed_group lessens
 *	@owed, and MakeResident is refused until it is 0.
 * @owed_group: enum drm_vsplit_group.
 * @nonlocal: handle of an allocation in the nonlocal group; all others are local.
 * @reserved: bytes that are reserved; half of @capacity is available.
 * @escape: the last escape. While this is SUSPEND, locks wait.
 * @offered: handle that was offered last, 0 after it was reclaimed.
 * @makes: number of MakeResident calls; @evicts: number of Evict calls.
 * @draw: executes VSPLIT_OP_DRAW; if NULL, the packet is a bad one.
 */
struct fake {
	struct drm_vsplit_adapter_info info;
	struct drm_vsplit_segment_info segments[VSPLIT_MAX_SEGMENTS];
	int fail_ioctl;
	int fail_errno;
	int fail_times;
	int fail_after;
	uint32_t priority;
	unsigned int busy_infos;
	unsigned int shared_infos;
	int dmabuf;
	uint32_t dmabuf_handle;
	uint32_t record_growth;
	struct drm_vsplit_submit last_submit;
	struct drm_vsplit_sync last_sync[8];
	unsigned int submits;
	uint64_t paged_in;
	int open_handles;
	int syncobjs;
	unsigned int waits;
	unsigned int wait_flags;
	uint64_t fence_point;
	uint32_t faulted;
	uint64_t splits;
	uint64_t capacity;
	uint64_t owed;
	uint32_t owed_group;
	uint32_t nonlocal;
	uint64_t reserved;
	struct drm_vsplit_escape escape;
	uint32_t offered;
	int trim_eventfd;
	struct drm_vsplit_sync va_syncs[2];
	uint32_t num_va_syncs;
	unsigned int makes;
	unsigned int evicts;
	void (*draw)(const struct vsplit_packet_draw *p, void *target, void *depth,
		     const void *texture, const void *vertices);
};

extern struct fake fake;

/* How many times an allocation is required. */
unsigned int fake_required(uint32_t handle);

#endif /* _VSPLIT_FAKE_H_ */
