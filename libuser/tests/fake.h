/* SPDX-License-Identifier: MIT */
/*
 * A kernel for tests on machines without the driver: it takes the place of
 * libdrm's calls, executes streams on the CPU when they are submitted, takes
 * every split point as far as state is concerned, and keeps what it was given.
 * There is no placement: video memory never ends.
 */
#ifndef _VSPLIT_FAKE_H_
#define _VSPLIT_FAKE_H_

#include <stdint.h>

#include "vsplit_drm.h"
#include "vsplit_isa.h"

/* Path of the fake's node: a file, where GEM mmap offsets are places in it. */
const char *fake_node(void);

/* Remove the node; objects of the fake are forgotten. */
void fake_reset(void);

/*
 * Settings and observations.
 * @info: what the adapter query answers.
 * @segments: likewise; info.num_segments of them.
 * @fail_ioctl: number (DRM_VSPLIT_*) of the ioctl that fails next, or -1.
 * @fail_errno: what it fails with, once.
 * @fail_times: how often, after @fail_after others.
 * @priority: that was set last.
 * @busy_infos: queries of an allocation that still say it is in use.
 * @dmabuf: the last export.
 * @dmabuf_handle: what it was made of, and what importing it gives.
 * @record_growth: events that appear between two reads of a record.
 * @last_submit: arguments of the last submission.
 * @last_sync: its syncs.
 * @submits: how many.
 * @open_handles: GEM handles and contexts that exist.
 * @syncobjs: that exist.
 * @waits: waits for syncobjs, and @wait_flags of the last one.
 * @fence_point: of a timeline, that was last taken out as a fence.
 * @faulted: reason of the last GPU fault, enum drm_vsplit_fault.
 * @splits: split points that the executed streams had.
 * @capacity: bytes that may be required at once.
 * @owed: bytes that were asked for and not given; Evict of @owed_group lessens it, and
 *	MakeResident is refused while there are any.
 * @owed_group: enum drm_vsplit_group.
 * @nonlocal: handle of an allocation of that group; others are local.
 * @reserved: bytes, of half of @capacity.
 * @escape: the last one.
 * @offered: handle that was offered last, 0 after it was reclaimed.
 * @makes: calls of MakeResident, @evicts: of Evict.
 * @draw: what executes VSPLIT_OP_DRAW; without it, that is a bad packet.
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
	int dmabuf;
	uint32_t dmabuf_handle;
	uint32_t record_growth;
	struct drm_vsplit_submit last_submit;
	struct drm_vsplit_sync last_sync[8];
	unsigned int submits;
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

/* How often an allocation is required. */
unsigned int fake_required(uint32_t handle);

#endif /* _VSPLIT_FAKE_H_ */
