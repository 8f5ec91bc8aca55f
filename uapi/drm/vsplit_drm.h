/* SPDX-License-Identifier: MIT */
/*
 * vsplit: WDDM's video-memory model on DRM. The userspace interface.
 *
 * Words: an adapter is one GPU with its segments and engines. A file is one open file of the
 * device; WDDM calls it a device, and so does this header where it speaks of a lost device. An
 * allocation is memory that a file has a GEM handle of. All files of one uid belong to one user,
 * whose limits are shown in fdinfo. Documentation/glossary.rst has all terms. Ids in parentheses
 * name the statements that define the behaviour: SPLIT-n of splitting.rst, SEG-n of segments.rst,
 * RES-n of residency.rst, EXT-n of these pages, virtual-addresses.rst and hardware-queues.rst, A1
 * to A17 of wddm-map.rst, all in Documentation/.
 *
 * Rules that hold for every ioctl below:
 * - Structures have the same layout for 32-bit and 64-bit callers, and sizes that are multiples
 *   of 8 bytes. Fields called pad and undefined flag bits must be zero, else the ioctl returns
 *   -EINVAL. Pointers are __u64.
 * - Each array has a count. The layout of array elements never changes: new members will be in
 *   another structure.
 * - An ioctl that returns an error has changed nothing and executed nothing, unless its
 *   description says otherwise. When a signal interrupts an ioctl, the kernel restarts it, or
 *   it returns -EINTR and the caller may repeat it.
 * - -ENODEV: the adapter is gone. Every ioctl returns this error from then on.
 * - -EFAULT: a pointer cannot be read or written.
 * - -ENOMEM: host memory is short. A shortage of video memory is never reported as -ENOMEM.
 * - With drm.debug=0x1 (DRM_UT_CORE) the kernel log tells why an argument was refused.
 *
 * Render nodes allow all ioctls.
 */
#ifndef _VSPLIT_DRM_H_
#define _VSPLIT_DRM_H_

#include "drm.h"
#include "vsplit_isa.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Limits of this interface; an adapter may publish lower limits. */
#define VSPLIT_MAX_SEGMENTS	6	/* segment ids are 1 to 6; 0 is system memory */
#define VSPLIT_MAX_SLOTS	4096	/* rows of the resource table */
#define VSPLIT_MAX_PORTIONS	65536u	/* portions of one submission */
#define VSPLIT_NAME_LEN		32	/* bytes of a name, with its NUL */
#define VSPLIT_MAX_SWIZZLING_RANGES	16	/* swizzling ranges of one segment */
#define VSPLIT_MAX_RESIDENCY	131072u	/* handles of one call that takes an array of handles */
#define VSPLIT_MAX_SHARERS	64	/* files that require one allocation */
#define VSPLIT_MAX_VA_ALLOCS	16	/* allocation list of a context with virtual addresses */
#define VSPLIT_MAX_MAPPINGS	32768u	/* mappings of one allocation, of all files; see VA_BIND */
/* All mappings of an allocation together show at most the larger of these two: */
#define VSPLIT_MAX_MAPPED_TIMES	16u	/* so many times its size */
#define VSPLIT_MAX_MAPPED_BYTES	(1ull << 30)	/* so many bytes */
#define VSPLIT_MAX_VA_OPS	131072u	/* operations of one VA_BIND */
#define VSPLIT_MAX_VA_OPS_BYTES	(1ull << 38)	/* bytes that one VA_BIND changes */
#define VSPLIT_VA_BYTES		(1ull << 48)	/* size of an address space, which begins at 0 */
#define VSPLIT_MAX_FILE_FENCES	1024	/* monitored fences of one file */
#define VSPLIT_MAX_FENCE_EVENTS	1024	/* eventfds of one file that wait for such fences */
#define VSPLIT_MAX_FENCE_SHARES	16	/* handles of one monitored fence, of all files */

#define DRM_VSPLIT_QUERY		0x00
#define DRM_VSPLIT_GEM_CREATE		0x01
#define DRM_VSPLIT_GEM_MMAP_OFFSET	0x02
#define DRM_VSPLIT_GEM_INFO		0x03
#define DRM_VSPLIT_GEM_LOCK		0x04
#define DRM_VSPLIT_GEM_UNLOCK		0x05
#define DRM_VSPLIT_CTX_CREATE		0x06
#define DRM_VSPLIT_CTX_DESTROY		0x07
#define DRM_VSPLIT_CTX_QUERY		0x08
#define DRM_VSPLIT_SUBMIT		0x09
#define DRM_VSPLIT_RECORD		0x0a
#define DRM_VSPLIT_ESCAPE		0x0b
#define DRM_VSPLIT_GEM_PRIORITY		0x0c
#define DRM_VSPLIT_GEM_SURFACE		0x0d
#define DRM_VSPLIT_MAKE_RESIDENT	0x0e
#define DRM_VSPLIT_EVICT		0x0f
#define DRM_VSPLIT_RESIDENCY		0x10
#define DRM_VSPLIT_VA_BIND		0x11
#define DRM_VSPLIT_FENCE_CREATE		0x12
#define DRM_VSPLIT_FENCE_DESTROY	0x13
#define DRM_VSPLIT_FENCE_SIGNAL		0x14
#define DRM_VSPLIT_FENCE_WAIT		0x15
#define DRM_VSPLIT_HWQ_CREATE		0x16
#define DRM_VSPLIT_HWQ_WAIT		0x17
#define DRM_VSPLIT_OFFER		0x18
#define DRM_VSPLIT_RECLAIM		0x19
#define DRM_VSPLIT_RESERVE		0x1a
#define DRM_VSPLIT_GEM_RUNS		0x1b
#define DRM_VSPLIT_FENCE_EXPORT		0x1c
#define DRM_VSPLIT_FENCE_IMPORT		0x1d
#define DRM_VSPLIT_NUM_IOCTLS		0x1e

/* ---- query ------------------------------------------------------------- */

/** enum drm_vsplit_query_type - What DRM_IOCTL_VSPLIT_QUERY returns. */
enum drm_vsplit_query_type {
	/** @VSPLIT_QUERY_ADAPTER: one struct drm_vsplit_adapter_info. */
	VSPLIT_QUERY_ADAPTER = 0,
	/** @VSPLIT_QUERY_SEGMENTS: an array of struct drm_vsplit_segment_info. */
	VSPLIT_QUERY_SEGMENTS = 1,
	/** @VSPLIT_QUERY_STATISTICS: one struct drm_vsplit_statistics. */
	VSPLIT_QUERY_STATISTICS = 2,
};

/**
 * struct drm_vsplit_query - Ask the adapter.
 * @type: enum drm_vsplit_query_type.
 * @size: in: size of the buffer at @pointer, bytes; out: size of the answer, bytes. The kernel
 *	writes the smaller of the two. 0 with a NULL @pointer asks for the size.
 * @pointer: the buffer for the answer.
 *
 * -EINVAL: unknown type.
 */
struct drm_vsplit_query {
	__u32 type;
	__u32 size;
	__u64 pointer;
};

/* struct drm_vsplit_adapter_info.caps */
/* Engines may switch contexts at split points (EXT-10). */
#define VSPLIT_CAP_SAVE_RESTORE	(1u << 0)
#define VSPLIT_CAP_PAGING_ENGINE (1u << 1)	/* paging has an engine of its own */
/* Reading a state register that a taken split has lost gives garbage, not a fault (SPLIT-9). */
#define VSPLIT_CAP_LENIENT	(1u << 2)
#define VSPLIT_CAP_MODEL_CLOCK	(1u << 3)	/* work takes declared times, not the host's */
#define VSPLIT_CAP_TEST		(1u << 4)	/* test mode: DRM_IOCTL_VSPLIT_ESCAPE works */
/* A submission that would need a taken split with kept rows is refused (EXT-11). */
#define VSPLIT_CAP_LEAK_DETECTION (1u << 5)
/* Engines also switch contexts between packets, after a slice of time. */
#define VSPLIT_CAP_PACKET_PREEMPTION (1u << 6)
/* Files can create contexts of these modes (enum drm_vsplit_ctx_mode), and always of PATCH. */
#define VSPLIT_CAP_CTX_EXPLICIT	(1u << 7)
#define VSPLIT_CAP_CTX_VA	(1u << 8)
#define VSPLIT_CAP_CTX_HW	(1u << 9)

/**
 * struct drm_vsplit_adapter_info - Caps and limits.
 * @caps: VSPLIT_CAP_*.
 * @num_segments: number of segments; VSPLIT_QUERY_SEGMENTS describes them.
 * @num_engines: number of render engines; each context chooses one.
 * @num_slots: WDDM's MaxAllocationListSlotId as a count: valid SlotIds are 0 to
 *	@num_slots - 1 (SPLIT-11).
 * @max_stream_bytes: greatest size of one command stream, bytes.
 * @max_allocs: greatest number of elements of one allocation list.
 * @max_patches: greatest number of elements of one patch-location list.
 * @max_syncs: greatest number of elements of one sync array.
 * @page_size: granule of sizes and placements, bytes.
 * @timeout_ms: a command stream hangs if it makes no progress for this long. It also hangs if
 *	it runs for this long while another client waits for its end, or for its engine, which
 *	cannot give way. Time in which the engine got no processor does not count as time
 *	without progress, unless it lasts for ten times @timeout_ms. With the third command
 *	stream that hangs, all unfinished ones of the file hang, unless the file had none since.
 * @name: name of the adapter, NUL-terminated.
 * @max_unfinished: greatest number of unfinished submissions of one file.
 * @pad: 0.
 * @max_unfinished_bytes: greatest sum of the kernel memory that these hold, bytes.
 */
struct drm_vsplit_adapter_info {
	__u32 caps;
	__u32 num_segments;
	__u32 num_engines;
	__u32 num_slots;
	__u32 max_stream_bytes;
	__u32 max_allocs;
	__u32 max_patches;
	__u32 max_syncs;
	__u32 page_size;
	__u32 timeout_ms;
	__u8 name[VSPLIT_NAME_LEN];
	__u32 max_unfinished;
	__u32 pad;
	__u64 max_unfinished_bytes;
};

/* struct drm_vsplit_segment_info.flags (EXT-25) */
#define VSPLIT_SEGMENT_APERTURE		(1u << 0)	/* aperture segment, else memory segment */
#define VSPLIT_SEGMENT_CPU_VISIBLE	(1u << 1)	/* the CPU may map it (SEG-1) */

/**
 * struct drm_vsplit_segment_info - A segment, as WDDM's descriptor gives it.
 * @id: segment id, 1 to VSPLIT_MAX_SEGMENTS; never changes.
 * @flags: VSPLIT_SEGMENT_*.
 * @base_address: GPU address of its first byte.
 * @cpu_address: address of its first byte on the CPU's bus, if the CPU sees the segment
 *	through the PCI aperture, else 0. An allocation at offset O of the segment
 *	is at @cpu_address + O (SEG-2, SEG-3).
 * @size: bytes.
 * @commit_limit: bytes that may be resident at once.
 * @cpu_visible_size: bytes from its start that the CPU can map; > 0 exactly if @flags has
 *	VSPLIT_SEGMENT_CPU_VISIBLE. For an aperture segment both only repeat the adapter's
 *	configuration: the CPU always maps the pages behind an aperture (A11).
 * @resident: bytes in use now.
 * @swizzling_ranges: number of swizzled allocations in the segment that the CPU can see at
 *	once as linear bytes (NumberOfSwizzlingRanges, EXT-29). 0: a swizzled allocation is
 *	evicted before the CPU sees it.
 * @pad: 0.
 * @name: NUL-terminated.
 */
struct drm_vsplit_segment_info {
	__u32 id;
	__u32 flags;
	__u64 base_address;
	__u64 cpu_address;
	__u64 size;
	__u64 commit_limit;
	__u64 cpu_visible_size;
	__u64 resident;
	__u32 swizzling_ranges;
	__u32 pad;
	__u8 name[VSPLIT_NAME_LEN];
};

/**
 * struct drm_vsplit_statistics - Totals of the adapter since it was made.
 * @submissions: accepted submissions.
 * @portions: portions of these, executed or still to be executed.
 * @splits: cuts taken: portions beyond the first of each submission.
 * @evicted_bytes: sum of the sizes of allocations that left a segment.
 * @evicted_copied_bytes: bytes that these evictions transferred.
 * @paged_in_bytes: sum of the sizes of allocations that entered a segment.
 * @paged_in_copied_bytes: bytes that these page-ins transferred.
 * @moved_bytes: bytes moved inside or between segments.
 * @faults: GPU faults.
 * @hangs: command streams that were cancelled because of @timeout_ms of the adapter.
 * @ranges_acquired: swizzling ranges that allocations acquired (SEG-5).
 * @ranges_released: swizzling ranges that allocations gave back when they were evicted or
 *	destroyed, or that were taken from them.
 * @stray_writes: GPU writes to aperture pages that nothing is mapped to. Such a write changes
 *	no memory, and is a GPU fault.
 */
struct drm_vsplit_statistics {
	__u64 submissions;
	__u64 portions;
	__u64 splits;
	__u64 evicted_bytes;
	__u64 evicted_copied_bytes;
	__u64 paged_in_bytes;
	__u64 paged_in_copied_bytes;
	__u64 moved_bytes;
	__u64 faults;
	__u64 hangs;
	__u64 ranges_acquired;
	__u64 ranges_released;
	__u64 stray_writes;
};

/* ---- allocations ------------------------------------------------------- */

/* struct drm_vsplit_gem_create.flags */
/* The allocation is resident in its first segment from its creation on, and never moves. */
#define VSPLIT_GEM_PINNED	(1u << 0)
#define VSPLIT_GEM_CPU_ACCESS	(1u << 1)	/* the CPU will map it (CpuVisible) */
/* It is placed from the end of every segment (FromEndOfSegment, EXT-27). */
#define VSPLIT_GEM_TOPDOWN	(1u << 2)
/* It is a surface: tiled for the GPU, linear for the CPU; see below. */
#define VSPLIT_GEM_SWIZZLED	(1u << 3)
/* It may be in several runs of its segment; see below. */
#define VSPLIT_GEM_RUNS		(1u << 4)
#define VSPLIT_GEM_FLAGS \
	(VSPLIT_GEM_PINNED | VSPLIT_GEM_CPU_ACCESS | VSPLIT_GEM_TOPDOWN | VSPLIT_GEM_SWIZZLED | \
	 VSPLIT_GEM_RUNS)

/*
 * A format modifier: the pixels of a framebuffer have the tiled layout that
 * <drm/vsplit_isa.h> defines. VSPLIT_OP_DRAW and VSPLIT_OP_COPY_2D write this layout into an
 * allocation that is not VSPLIT_GEM_SWIZZLED. Primary and overlay planes take the modifier for
 * all of their formats but NV12. DRM_IOCTL_MODE_ADDFB2 fails with -EINVAL unless the pitch is a
 * multiple of VSPLIT_TILE_WIDTH, the offset is a multiple of VSPLIT_TILE_BYTES, and the
 * allocation has all rows of the last tiles. drm_fourcc.h does not list this modifier.
 */
#define DRM_FORMAT_MOD_VSPLIT_TILED	((0xf5ull << 56) | 1)

/* Flags in an element of struct drm_vsplit_gem_create.segments, beside the segment id. */
#define VSPLIT_GEM_SEGMENT_READ_ONLY	0x80u	/* not for work that writes the allocation */
#define VSPLIT_GEM_SEGMENT_TOPDOWN	0x40u	/* placed from the end of this segment (EXT-27) */

/**
 * struct drm_vsplit_gem_create - Create an allocation.
 * @size: in: bytes, > 0; out: rounded up to the page size.
 * @alignment: alignment of its place in a segment, bytes, a power of two; 0: page size.
 * @flags: VSPLIT_GEM_*.
 * @priority: VSPLIT_PRIORITY_MIN to _MAX, see struct drm_vsplit_gem_priority; 0
 *	means VSPLIT_PRIORITY_NORMAL.
 * @num_segments: entries of @segments; 0: every segment of the adapter, in order.
 * @segments: segment ids in order of preference. VSPLIT_GEM_SEGMENT_READ_ONLY: the allocation
 *	may be in this segment only while the GPU does not write it (EXT-27: the read segment
 *	set has the segment, the write segment set has not). VSPLIT_GEM_SEGMENT_TOPDOWN: it is
 *	placed from the end of this segment (the direction of a preference).
 * @handle: out: GEM handle.
 * @id: out: id of the allocation, unique on the adapter; traces and records use it.
 * @pitch: with VSPLIT_GEM_SWIZZLED: bytes per row, a multiple of
 *	VSPLIT_TILE_WIDTH (vsplit_isa.h); else 0.
 * @eviction_set: aperture segments that take the allocation when it is evicted from a memory
 *	segment (EvictionSegmentSet, EXT-27); bit n: segment id n + 1. 0: it goes
 *	straight to system memory.
 *
 * The allocation reads as zeros. The kernel commits its backing store now and keeps it for the
 * life of the allocation, so paging never allocates memory. The allocation is charged to the
 * caller's memory cgroup and to its user (fdinfo: vsplit-user-allocations) until it is closed
 * and the work that uses it is done. It is closed when no handle, name, dma-buf or mapping of it
 * is left. Its range in a segment is free from then on, even if unfinished work uses it: the
 * next allocation in that range is used after that work only.
 *
 * VSPLIT_GEM_SWIZZLED: in a memory segment the surface has the tiled layout of vsplit_isa.h:
 * whole rows of tiles are tiled, and bytes behind the last whole row of tiles are linear. So
 * commands use VSPLIT_OP_COPY_2D with its TILED flags. The CPU sees the same bytes in linear
 * order, @pitch bytes per row, wherever the surface is: in system memory the surface is linear
 * (SEG-10, SEG-15), and in a memory segment it acquires a swizzling range when the CPU touches
 * it (SEG-5). If no range is available, it goes to system memory (SEG-7). It can be in memory
 * segments only (SEG-17); if @num_segments is 0, in all memory segments of the adapter.
 *
 * VSPLIT_GEM_PINNED: with VSPLIT_GEM_CPU_ACCESS the place is visible to the CPU. Without, the
 * place may be out of the CPU's sight, and then the CPU cannot map the allocation.
 *
 * VSPLIT_GEM_RUNS: the allocation need not be contiguous in its segment, which is one memory
 * segment. It takes the lowest holes, and fits wherever enough bytes are free or can be made
 * free (EXT-49). Virtual addresses (struct drm_vsplit_va_bind) and CPU mappings show it as
 * contiguous. The allocation list of a context without virtual addresses cannot name it, since
 * it has no single address, and it cannot be a framebuffer. DRM_IOCTL_VSPLIT_GEM_RUNS tells the
 * offsets of all runs; other calls, and records, tell the offset of the first run.
 *
 * -EINVAL: bad flags, priority, segment id, alignment or pitch; a size of 0; every segment is
 *	read-only, or the first segment is and the allocation is pinned; swizzled, and pinned or
 *	with an aperture segment, or the adapter has no memory segment; an eviction set that has
 *	other than aperture segments, or is that of a pinned or swizzled allocation;
 *	VSPLIT_GEM_RUNS with another flag, an eviction set, an alignment of more than a page, or
 *	other than one memory segment without flags.
 * -E2BIG: larger than the commit limit of every allowed segment (A16), or, if it is pinned, of the
 *	first one.
 * -ENOSPC: pinned, and either no room is left beside other pinned allocations (with CPU_ACCESS:
 *	no room that the CPU sees), or the pin would leave too little room for what a file has
 *	made resident. Nothing was evicted.
 * -EDQUOT: pinned, and the caller lacks CAP_SYS_ADMIN. Such callers together may pin at most
 *	half of the commit limit of a segment, and half of the adapter's aperture_limit, if it
 *	has one, in all aperture segments. A place is in the first half of the part that the CPU
 *	sees (with CPU_ACCESS) or of the rest of the segment (without); -ENOSPC if none is left
 *	there.
 * -ENOMEM: the allocations of the user would exceed vsplit-user-allocations-limit of fdinfo, or
 *	host memory or the memory of the cgroup is short.
 */
struct drm_vsplit_gem_create {
	__u64 size;
	__u64 alignment;
	__u32 flags;
	__u32 priority;
	__u32 num_segments;
	__u8 segments[8];
	__u32 handle;
	__u64 id;
	__u32 pitch;
	__u32 eviction_set;
};

/*
 * Placement of struct drm_vsplit_gem_create (EXT-27, EXT-28).
 *
 * The driver looks for a hole in each segment of the list in turn. The allocation takes the
 * lowest hole that fits, or the highest where it is placed from the end. Only when no segment
 * has a hole, other allocations are evicted, from the first segment if that helps. For an
 * allocation of VSPLIT_PRIORITY_HIGH or more, others are evicted from its first segment before
 * it takes a hole elsewhere. An allocation in a less preferred segment returns when a submission
 * uses it, it is idle, and a segment that it prefers has a hole.
 *
 * If the allocation list of a buffer marks an allocation with VSPLIT_ALLOC_WRITE, the buffer
 * finds it in a segment that is not read-only for it: the driver moves it there if necessary.
 * The CPU may write an allocation in any segment.
 *
 * In a segment that the CPU sees in part, allocations with VSPLIT_GEM_CPU_ACCESS prefer the
 * visible part, and all others prefer the rest.
 *
 * An allocation that is evicted to make room for others goes to the first segment of its
 * @eviction_set that has room. Nothing is evicted to make that room. Its bytes go to its pages
 * in system memory, as in any eviction, and the aperture segment maps these pages. So nothing is
 * transferred when it leaves that segment, too. If the segment is also one of its @segments,
 * submissions use it there. A planned split maps evicted allocations only after its last
 * portion, and only those that are still evicted then. An allocation that leaves a segment
 * because the CPU cannot see it there goes straight to system memory.
 */

#define VSPLIT_MAX_SURFACE_ALLOCS	8	/* allocations of one surface */
#define VSPLIT_MAX_PRIVATE_BYTES	256	/* private data of one of these allocations */

/** enum drm_vsplit_surface_format - Layout of an allocation of a surface. */
enum drm_vsplit_surface_format {
	/** @VSPLIT_SURFACE_LINEAR: rows; the CPU may map and lock it. */
	VSPLIT_SURFACE_LINEAR = 0,
	/** @VSPLIT_SURFACE_TILED: tiles; for the GPU alone: the CPU gets -EACCES (SEG-17). */
	VSPLIT_SURFACE_TILED = 1,
};

/**
 * struct drm_vsplit_surface_private - Begin of the private data of an allocation.
 * @format: enum drm_vsplit_surface_format.
 * @client: of any value; the driver reads neither this nor the bytes behind it.
 */
struct drm_vsplit_surface_private {
	__u32 format;
	__u32 client;
};

/**
 * struct drm_vsplit_surface_alloc - One allocation of a surface.
 * @create: as for DRM_IOCTL_VSPLIT_GEM_CREATE; its out members are written, but for @handle.
 * @private_data: pointer to a struct drm_vsplit_surface_private, and to what the client adds.
 * @private_bytes: size of both together; at most VSPLIT_MAX_PRIVATE_BYTES.
 * @pad: 0.
 */
struct drm_vsplit_surface_alloc {
	struct drm_vsplit_gem_create create;
	__u64 private_data;
	__u32 private_bytes;
	__u32 pad;
};

/**
 * struct drm_vsplit_gem_surface - Create all allocations of a surface, or none (SEG-19).
 * @allocs: array of struct drm_vsplit_surface_alloc.
 * @num_allocs: elements of @allocs, 1 to VSPLIT_MAX_SURFACE_ALLOCS; two for a
 *	surface of tiles for the GPU and rows for the CPU (SEG-18).
 * @pad: 0.
 * @handles: out: GEM handles, in the order of @allocs. The handle in each @create is not
 *	written.
 *
 * The private data tells the format. Placement, paging and all else are as if the allocations
 * had been created one by one (SEG-20). The client copies between them by VSPLIT_OP_COPY_2D in
 * buffers of its own. To read the surface it submits a buffer that copies tiles to rows, and
 * locks the allocation of rows. The lock waits for the copy (SEG-21); with DONOT_WAIT it returns
 * -EBUSY instead (SEG-22). After writing, the client submits a buffer that copies rows to tiles
 * (SEG-23).
 *
 * All errors of DRM_IOCTL_VSPLIT_GEM_CREATE for any of the allocations, and then no allocation
 * was created. -EINVAL: also, no allocation; bad format or size of private data; tiles with
 * VSPLIT_GEM_SWIZZLED or VSPLIT_GEM_CPU_ACCESS. -E2BIG: also, too many allocations.
 */
struct drm_vsplit_gem_surface {
	__u64 allocs;
	__u32 num_allocs;
	__u32 pad;
	__u32 handles[VSPLIT_MAX_SURFACE_ALLOCS];
};

/* WDDM's named priorities (EXT-28); values between them are valid. */
#define VSPLIT_PRIORITY_MIN	0x28000000u
#define VSPLIT_PRIORITY_LOW	0x50000000u
#define VSPLIT_PRIORITY_NORMAL	0x78000000u
#define VSPLIT_PRIORITY_HIGH	0xa0000000u
#define VSPLIT_PRIORITY_MAX	0xc8000000u

/**
 * struct drm_vsplit_gem_priority - Change the priority of an allocation (EXT-28).
 * @handle: GEM handle.
 * @priority: VSPLIT_PRIORITY_MIN to VSPLIT_PRIORITY_MAX; 0: _NORMAL.
 *
 * A hint: idle allocations of lower priority are evicted first, and the least recently used
 * first among equals. Evictions for a submission tell four levels apart, whose lower bounds are
 * MIN, NORMAL, HIGH and MAX; a planned split compares the numbers. A change of the level counts
 * as a use of the allocation. Each file that has a handle may change the priority.
 *
 * -ENOENT: unknown handle. -EINVAL: bad priority.
 */
struct drm_vsplit_gem_priority {
	__u32 handle;
	__u32 priority;
};

/**
 * struct drm_vsplit_gem_mmap_offset - Offset for mmap() on the DRM file.
 * @handle: GEM handle.
 * @pad: 0.
 * @offset: out: for mmap().
 *
 * A mapping stays valid through every eviction, move and page-in (SEG-12).
 *
 * -ENOENT: unknown handle. -EACCES, also from mmap(): the allocation is VSPLIT_SURFACE_TILED,
 * or pinned out of the CPU's sight.
 */
struct drm_vsplit_gem_mmap_offset {
	__u32 handle;
	__u32 pad;
	__u64 offset;
};

/* struct drm_vsplit_gem_info.flags, out */
/* Its bytes in the segment are newer than the backing store. */
#define VSPLIT_GEM_INFO_DIRTY	(1u << 0)
#define VSPLIT_GEM_INFO_PINNED	(1u << 1)	/* it cannot leave its place now */
#define VSPLIT_GEM_INFO_BUSY	(1u << 2)	/* submitted work that uses it is not done */
#define VSPLIT_GEM_INFO_CLEAR	(1u << 3)	/* never written */
#define VSPLIT_GEM_INFO_RANGE	(1u << 4)	/* a swizzling range covers it */
/*
 * Other drivers or the kernel use its pages (attachments to its dma-buf, kernel mappings).
 * Until they end, it can be in system memory or an aperture segment only.
 */
#define VSPLIT_GEM_INFO_SHARED	(1u << 5)
/* Its pages are those of an imported dma-buf; aperture segments are its only segments. */
#define VSPLIT_GEM_INFO_IMPORTED (1u << 6)
/* Budgets count it in VSPLIT_GROUP_NONLOCAL; else in VSPLIT_GROUP_LOCAL. */
#define VSPLIT_GEM_INFO_NONLOCAL (1u << 7)

/**
 * struct drm_vsplit_gem_info - Where an allocation is.
 * @handle: GEM handle.
 * @flags: out: VSPLIT_GEM_INFO_*.
 * @segment: out: segment id, or 0 for system memory. While submitted work is pending, this and
 *	@offset tell where the allocation will be after that work.
 * @locks: out: number of CPU locks on it, of all files.
 * @offset: out: offset in the segment, bytes.
 * @size: out: bytes.
 * @id: out: id of the allocation, unique on the adapter.
 *
 * -ENOENT: unknown handle.
 */
struct drm_vsplit_gem_info {
	__u32 handle;
	__u32 flags;
	__u32 segment;
	__u32 locks;
	__u64 offset;
	__u64 size;
	__u64 id;
};

/**
 * struct drm_vsplit_run - Bytes of an allocation that are together in its segment.
 * @offset: offset of the first byte in the segment.
 * @bytes: number of bytes.
 */
struct drm_vsplit_run {
	__u64 offset;
	__u64 bytes;
};

/**
 * struct drm_vsplit_gem_runs - Where all of an allocation is.
 * @handle: GEM handle.
 * @num_runs: in: elements that fit into @runs; out: runs of the allocation. If @runs is too
 *	small for all runs, the first ones that fit are written.
 * @runs: array of struct drm_vsplit_run, in the order of the allocation's bytes.
 * @segment: out: segment id, or 0 for system memory; as in struct drm_vsplit_gem_info.
 * @pad: 0.
 *
 * An allocation in system memory has no run. In a segment, an allocation that was created without
 * VSPLIT_GEM_RUNS has one. The answer was true at some moment during the call. While submitted
 * work is pending, it tells where the allocation will be after that work.
 *
 * -ENOENT: unknown handle. -EINVAL: @pad.
 */
struct drm_vsplit_gem_runs {
	__u32 handle;
	__u32 num_runs;
	__u64 runs;
	__u32 segment;
	__u32 pad;
};

/* struct drm_vsplit_gem_lock.flags (EXT-34) */
#define VSPLIT_LOCK_READ_ONLY	(1u << 0)	/* wait for GPU writers only */
#define VSPLIT_LOCK_WRITE_ONLY	(1u << 1)	/* a hint without effect */
#define VSPLIT_LOCK_DONOT_WAIT	(1u << 2)	/* return -EBUSY instead of waiting */
/* Do not wait at all: the caller promises not to overwrite bytes that the GPU uses. */
#define VSPLIT_LOCK_IGNORE_SYNC	(1u << 3)
#define VSPLIT_LOCK_IGNORE_READ_SYNC	(1u << 4)	/* wait for GPU writers only */
/* Return -EADDRNOTAVAIL instead of moving the allocation (NOTAVAILABLE). */
#define VSPLIT_LOCK_DONOT_EVICT	(1u << 5)
/* Keep the swizzling range until UNLOCK: no other allocation can take it (EXT-29). */
#define VSPLIT_LOCK_ACQUIRE_APERTURE	(1u << 6)
/* The caller needs the present bytes no more, so the driver need not transfer them. */
#define VSPLIT_LOCK_DISCARD	(1u << 7)
#define VSPLIT_LOCK_FLAGS	0xffu

/**
 * struct drm_vsplit_gem_lock - Begin CPU access (WDDM's Lock); UNLOCK ends it.
 * @handle: GEM handle.
 * @flags: VSPLIT_LOCK_*; 0 for UNLOCK. These exclude each other: READ_ONLY and
 *	WRITE_ONLY; READ_ONLY and DISCARD; IGNORE_SYNC and any of IGNORE_READ_SYNC,
 *	ACQUIRE_APERTURE and DISCARD.
 *
 * LOCK waits until submitted work no longer uses the allocation, as far as the flags ask for
 * it. If the CPU cannot access the allocation where it is, LOCK then moves it: to a place that
 * the CPU sees, if there is room, else to system memory (SEG-1). A swizzled allocation acquires
 * a swizzling range (SEG-5); if no range is available, it goes to system memory (SEG-7). An
 * allocation in system memory stays as it is (SEG-8, SEG-9). Pointers from mmap() are valid all
 * the time, locked or not.
 *
 * Locks are counted: each LOCK needs its UNLOCK. Closing the file ends the locks that it still
 * holds. While a file has a lock with ACQUIRE_APERTURE, it can have no other on the allocation.
 *
 * While any file has the allocation locked, submissions use it in aperture segments only: it
 * goes there, or the submission fails with -EBUSY (EXT-37).
 *
 * DISCARD leaves undefined bytes: old bytes of the same allocation. LOCK waits all the same:
 * the driver does not rename the allocation, as WDDM may.
 *
 * -ENOENT: unknown handle.
 * -EBUSY: DONOT_WAIT, and submitted work uses it ("still drawing", SEG-22); or it is pinned
 *	where the CPU cannot access it.
 * -EADDRNOTAVAIL: DONOT_EVICT, and it would have to move.
 * -EINVAL: bad flags; it is offered; IGNORE_SYNC, and it is swizzled or can be in no aperture
 *	segment; ACQUIRE_APERTURE, and it can be in aperture segments only, or the file has
 *	locked it already; the file has locked it with ACQUIRE_APERTURE, or 2^20 times; UNLOCK,
 *	and the file has not locked it.
 * -EACCES: VSPLIT_SURFACE_TILED.
 * -ENOBUFS: it would have to move, which needs kernel memory beyond a limit of the file or
 *	of its user, see DRM_IOCTL_VSPLIT_SUBMIT.
 */
struct drm_vsplit_gem_lock {
	__u32 handle;
	__u32 flags;
};

/* ---- contexts ---------------------------------------------------------- */

/* struct drm_vsplit_ctx_create.flags */
#define VSPLIT_CTX_WDDM_ERRORS	(1u << 0)	/* see DRM_IOCTL_VSPLIT_SUBMIT, -ENOSPC */
#define VSPLIT_CTX_FLAGS	VSPLIT_CTX_WDDM_ERRORS

/** enum drm_vsplit_ctx_priority - Priority of a context's work on its engine. */
enum drm_vsplit_ctx_priority {
	VSPLIT_CTX_PRIORITY_LOW = 0,
	VSPLIT_CTX_PRIORITY_NORMAL = 1,
	/** @VSPLIT_CTX_PRIORITY_HIGH: needs CAP_SYS_NICE or DRM master. */
	VSPLIT_CTX_PRIORITY_HIGH = 2,
};

/**
 * enum drm_vsplit_ctx_mode - What makes memory resident for a context, and how its
 * commands name memory (RES-22). The caps of the adapter tell which modes it has.
 */
enum drm_vsplit_ctx_mode {
	/**
	 * @VSPLIT_CTX_MODE_PATCH: WDDM 1. The lists of a submission say which memory it needs;
	 * the driver makes it resident, and splits the submission where it does not fit.
	 */
	VSPLIT_CTX_MODE_PATCH = 0,
	/**
	 * @VSPLIT_CTX_MODE_EXPLICIT: WDDM 2 on a GPU without virtual addresses. All that the
	 * file has made resident (DRM_IOCTL_VSPLIT_MAKE_RESIDENT) is resident while the
	 * context runs; the lists are for patching alone. A submission is one portion.
	 */
	VSPLIT_CTX_MODE_EXPLICIT = 1,
	/**
	 * @VSPLIT_CTX_MODE_VA: WDDM 2 with GPU virtual addresses. Residency and portions are
	 * as for EXPLICIT, and commands are not patched.
	 */
	VSPLIT_CTX_MODE_VA = 2,
	/**
	 * @VSPLIT_CTX_MODE_HW: WDDM 2 with hardware queues. As VA, but the client puts work into
	 * a ring (DRM_IOCTL_VSPLIT_HWQ_CREATE), and DRM_IOCTL_VSPLIT_SUBMIT is refused.
	 */
	VSPLIT_CTX_MODE_HW = 3,
};

/**
 * struct drm_vsplit_ctx_create - Create a context.
 * @flags: VSPLIT_CTX_*.
 * @priority: enum drm_vsplit_ctx_priority.
 * @engine: index of the render engine, less than num_engines of the adapter.
 * @ctx: out: id, valid on this file; never 0.
 * @mode: enum drm_vsplit_ctx_mode.
 * @pad: 0.
 *
 * The first context of a file, or its first MAKE_RESIDENT, fixes the file's model for good:
 * WDDM 1 (mode PATCH), or WDDM 2 (all other modes, which a file may mix).
 *
 * -EINVAL: bad flags, priority, engine or mode; the adapter does not have the mode; the mode is
 * of the other model. -EACCES: the caller may not have this priority. -ENOSPC: the file has too
 * many contexts. -ENOMEM: also, contexts count as allocations of the user, which are at their
 * limit (fdinfo: vsplit-user-allocations-limit).
 */
struct drm_vsplit_ctx_create {
	__u32 flags;
	__u32 priority;
	__u32 engine;
	__u32 ctx;
	__u32 mode;
	__u32 pad;
};

/**
 * struct drm_vsplit_ctx_destroy - Destroy a context. Its queued work still runs, its parked
 * work (struct drm_vsplit_submit) does not.
 * @ctx: id.
 * @pad: 0.
 *
 * -ENOENT: unknown context.
 */
struct drm_vsplit_ctx_destroy {
	__u32 ctx;
	__u32 pad;
};

/** enum drm_vsplit_state - State of a context or device (EXT-3). A lost one takes no more work. */
enum drm_vsplit_state {
	VSPLIT_STATE_ACTIVE = 0,
	/**
	 * @VSPLIT_STATE_LOST_OOM: a group of a submission could not fit, in a context with WDDM
	 * error semantics.
	 */
	VSPLIT_STATE_LOST_OOM = 1,
	/**
	 * @VSPLIT_STATE_LOST_HANG: the work made no progress for the adapter's timeout_ms, or
	 * ran for as long while another client waited for the engine, which could not give way,
	 * or while another client or a head waited for the end of the work. For a hardware
	 * queue also: the adapter was reset, which cut a packet short.
	 */
	VSPLIT_STATE_LOST_HANG = 2,
	/** @VSPLIT_STATE_LOST_FAULT: GPU fault; the fault_* fields of the query describe it. */
	VSPLIT_STATE_LOST_FAULT = 3,
	/**
	 * @VSPLIT_STATE_LOST_RESIDENCY: an allocation list named an allocation that the device
	 * had not made resident (RES-14).
	 */
	VSPLIT_STATE_LOST_RESIDENCY = 4,
	/**
	 * @VSPLIT_STATE_LOST_PAGE_FAULT: page fault of a context with virtual addresses
	 * (EXT-44). All contexts of the file are lost, and those of no other file.
	 */
	VSPLIT_STATE_LOST_PAGE_FAULT = 5,
};

/** enum drm_vsplit_access - The access that caused a page fault. */
enum drm_vsplit_access {
	VSPLIT_ACCESS_NONE = 0,	/* there was no page fault */
	VSPLIT_ACCESS_READ = 1,
	VSPLIT_ACCESS_WRITE = 2,
};

/**
 * struct drm_vsplit_ctx_query - State of a context and of the device.
 * @ctx: id; 0 asks for the device (this file) alone.
 * @state: out: enum drm_vsplit_state of the context (or the device).
 * @device_state: out: enum drm_vsplit_state of the device.
 * @fault: out: enum drm_vsplit_fault.
 * @fault_portion: out: index of the portion that faulted or hung.
 * @fault_offset: out: offset of the packet in the stream, or in the ring, bytes.
 * @fault_slot: out: SlotId of the operand; ~0 if no slot is to blame; 0 without a fault.
 * @pad: 0, in and out.
 * @submission: out: id of the first submission that was lost; 0 if none.
 * @last_submission: out: id of the last accepted submission.
 * @fault_address: out: after a page fault, the first virtual address that could not be
 *	accessed; else 0.
 * @fault_access: out: enum drm_vsplit_access.
 * @fault_engine: out: after a page fault, the index of the engine.
 *
 * A page fault loses the whole device; the query of the context in which it happened has the
 * details.
 *
 * -ENOENT: unknown context.
 */
struct drm_vsplit_ctx_query {
	__u32 ctx;
	__u32 state;
	__u32 device_state;
	__u32 fault;
	__u32 fault_portion;
	__u32 fault_offset;
	__u32 fault_slot;
	__u32 pad;
	__u64 submission;
	__u64 last_submission;
	__u64 fault_address;
	__u32 fault_access;
	__u32 fault_engine;
};

/* ---- submission -------------------------------------------------------- */

/* struct drm_vsplit_alloc.flags (EXT-2) */
/* WriteOperation: any command of the buffer may write the allocation. */
#define VSPLIT_ALLOC_WRITE	(1u << 0)
/* The buffer overwrites all bytes before it reads any: a page-in need not transfer them. */
#define VSPLIT_ALLOC_DISCARD	(1u << 1)
#define VSPLIT_ALLOC_FLAGS	(VSPLIT_ALLOC_WRITE | VSPLIT_ALLOC_DISCARD)

/**
 * struct drm_vsplit_alloc - Element of the allocation list.
 * @handle: GEM handle; 0 is the NULL element (EXT-9, SPLIT-31).
 * @flags: VSPLIT_ALLOC_*; 0 for the NULL element.
 *
 * Each allocation appears once.
 */
struct drm_vsplit_alloc {
	__u32 handle;
	__u32 flags;
};

/**
 * struct drm_vsplit_patch - Element of the patch-location list (EXT-1).
 * @alloc: AllocationIndex into the allocation list.
 * @slot: SlotId in bits 0 to 23; bits 24 to 31 are reserved, 0.
 * @driver_id: DriverId: any number of the client's; only records return it (struct
 *	drm_vsplit_row).
 * @alloc_offset: AllocationOffset, bytes; the driver adds it to the allocation's address.
 * @patch_offset: PatchOffset: offset of the address operand in the stream, bytes.
 * @split_offset: SplitOffset: offset at which the buffer may be cut if the allocation cannot be
 *	paged in, bytes. SplitOffsets do not decrease from element to element; elements with
 *	the same SplitOffset form a group, which takes effect at once (A1).
 */
struct drm_vsplit_patch {
	__u32 alloc;
	__u32 slot;
	__u32 driver_id;
	__u32 alloc_offset;
	__u32 patch_offset;
	__u32 split_offset;
};

/* struct drm_vsplit_sync.flags */
#define VSPLIT_SYNC_SIGNAL	(1u << 0)	/* the work signals it; else it waits for it */
#define VSPLIT_SYNC_TIMELINE	(1u << 1)	/* it is a timeline syncobj */
#define VSPLIT_SYNC_FLAGS	(VSPLIT_SYNC_SIGNAL | VSPLIT_SYNC_TIMELINE)

/**
 * struct drm_vsplit_sync - Explicit synchronisation.
 * @handle: handle of a syncobj.
 * @flags: VSPLIT_SYNC_*.
 * @point: with TIMELINE: point of the timeline, > 0; else 0.
 */
struct drm_vsplit_sync {
	__u32 handle;
	__u32 flags;
	__u64 point;
};

/* struct drm_vsplit_submit.flags */
/* No implicit synchronisation: the submission ignores fences of the allocations (dma_resv). */
#define VSPLIT_SUBMIT_NO_IMPLICIT	(1u << 0)
#define VSPLIT_SUBMIT_FORCE_SPLIT	(1u << 1)	/* take every split point (SPLIT-8) */
#define VSPLIT_SUBMIT_FLAGS	(VSPLIT_SUBMIT_NO_IMPLICIT | VSPLIT_SUBMIT_FORCE_SPLIT)

/**
 * struct drm_vsplit_submit - Submit a DMA buffer. The call waits for the GPU only while the file
 * is paced, or was not long ago.
 * @ctx: context.
 * @flags: VSPLIT_SUBMIT_*.
 * @stream: the command stream (vsplit_isa.h); copied and validated whole.
 * @allocs: array of struct drm_vsplit_alloc.
 * @patches: array of struct drm_vsplit_patch.
 * @syncs: array of struct drm_vsplit_sync.
 * @stream_bytes: multiple of 8, > 0.
 * @num_allocs: elements of @allocs.
 * @num_patches: elements of @patches.
 * @num_syncs: elements of @syncs.
 * @num_portions: out: portions that the buffer was split into; 0: it is parked, see below.
 * @pad: 0.
 * @submission: out: id of the submission: 1, 2, … within the context.
 *
 * The submission's fence is the fence that its syncobjs with VSPLIT_SYNC_SIGNAL get.
 *
 * If a stream begins with VSPLIT_OP_WAIT_FENCE packets whose values are not reached, the
 * submission is *parked*: it has an id, and @num_portions is 0, but it has neither a fence nor
 * a record yet. Its syncobjs keep their old fences; DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT waits
 * for the new one. Locks, evictions, binds and other contexts do not wait for a parked
 * submission. Later submissions of the context are parked behind it. When the values are reached
 * and no parked submission is before it, a worker of the kernel does what the call would have
 * done otherwise; an error of that becomes the error of the submission's fence. Only the call
 * itself checks that points of timelines grow. If another party has signalled a later point
 * meanwhile, the timeline gets a point that does not grow.
 * Parked submissions count as unfinished. They end without being executed when a fence that
 * they wait for is destroyed, the context is destroyed or the file closed (-ECANCELED), the
 * context or the device is lost (-EIO), or the adapter is gone (-ENODEV).
 *
 * A file becomes *paced* (fdinfo: vsplit-paced) when a submission of another file needs memory
 * that unfinished submissions of this file use. It stays paced until it has no unfinished
 * submission, and no call of it waits. While a file is paced, this call, MAKE_RESIDENT and
 * VA_BIND wait until it has fewer unfinished submissions than the adapter has render engines, not
 * counting parked ones. Afterwards it may have one more for each submission that it has finished
 * since, until max_unfinished alone limits it again. The calls do not wait while one of the
 * unfinished submissions waits for a fence of another driver. What MAKE_RESIDENT and VA_BIND have
 * begun counts as submissions. A signal interrupts the wait; nothing has happened then, and the
 * call is restarted.
 *
 * -ENOENT: unknown context, GEM handle, monitored fence or syncobj; or a syncobj to wait for
 *	has no fence.
 * -EINVAL: malformed stream or list: reserved bits; slot >= num_slots; a SplitOffset that
 *	decreases; a PatchOffset before its SplitOffset; a SplitOffset that is not on a packet
 *	boundary; an address operand without exactly one patch element; an allocation that the
 *	list names twice, that is offered, or that has VSPLIT_GEM_RUNS in a context without
 *	virtual addresses; a point of a timeline that does not grow; a wait for a monitored fence
 *	behind another packet.
 * -E2BIG: a published limit is exceeded. The limit of portions (VSPLIT_MAX_PORTIONS) is checked
 *	when they have been planned, before any is executed. Also, the submission alone would
 *	need more kernel memory than max_unfinished_bytes of the adapter, for its stream, lists,
 *	portions and record, and for planning them; what a plan has to know of other clients'
 *	allocations does not count.
 * -EIO: the context or the device is lost.
 * -ENOBUFS: the file has too many unfinished submissions, or they, and evictions for them, hold
 *	too much kernel memory (max_unfinished and max_unfinished_bytes of the adapter). Or the
 *	submissions of all files of the user hold too much, also those of closed files (fdinfo:
 *	vsplit-user-work-limit; twice that if the file has no unfinished submission). Wait for
 *	the fence of one of them, and submit again. The ioctl does not wait by itself, because
 *	the caller may have to signal what these submissions wait for. If all submissions of
 *	the file are done, only evictions are not, and there is no fence to wait for: submit
 *	again after a while. The evictions that have begun go on.
 * -EBUSY: an allocation that a patch element names cannot be used where it is: it is pinned in
 *	a segment that it may not be used in; or it can be in no aperture segment, and the CPU
 *	has it locked, or others use its pages (VSPLIT_GEM_INFO_SHARED) (EXT-37).
 * -ENOSPC: a group does not fit into video memory even alone. Nothing was executed, and nothing
 *	was evicted for it. In a context with VSPLIT_CTX_WDDM_ERRORS the ioctl succeeds instead:
 *	the portions before that group are executed, the device is lost (VSPLIT_STATE_LOST_OOM),
 *	and the submission's fence has error -ENOMEM.
 * -EPERM: leak detection refused a split (EXT-11).
 *
 * VSPLIT_CTX_MODE_EXPLICIT: all that the file has made resident is resident before the buffer
 * begins, whether the lists name it or not (RES-4, RES-5). The lists make nothing resident
 * (RES-10). If the allocation list names an allocation that the file has not made resident, the
 * call returns -EINVAL and the device is lost (VSPLIT_STATE_LOST_RESIDENCY): every further
 * submission to any of the file's contexts returns -EIO (RES-14). VSPLIT_SUBMIT_FORCE_SPLIT is
 * -EINVAL. -ENOSPC: what the file has made resident does not fit any more: allocations that were
 * pinned since then leave enough bytes, but not in one piece for each allocation; or a picture
 * that a head shows takes the room; or the file has reclaimed allocations since then. Nothing
 * was executed.
 *
 * VSPLIT_CTX_MODE_VA: commands name memory by virtual addresses (DRM_IOCTL_VSPLIT_VA_BIND,
 * vsplit_isa.h). Residency and -ENOSPC are as for EXPLICIT, and so is FORCE_SPLIT. There is no
 * patch-location list (RES-16): @num_patches > 0 is -EINVAL. The allocation list has at most
 * VSPLIT_MAX_VA_ALLOCS elements (RES-17), else -E2BIG. It makes nothing resident, and is for
 * implicit synchronisation alone, which orders a buffer that writes a primary with pending flips
 * (RES-18). A primary is an allocation that a framebuffer was made of. If the list names one as
 * written that the file has not made resident, the call returns -EINVAL; the device is not lost
 * (RES-19). A page fault is an access to an address at which nothing is mapped or resident, or a
 * write to an address that is mapped for reading only (EXT-44): the submission's fence gets
 * error -EFAULT, and the device is lost (VSPLIT_STATE_LOST_PAGE_FAULT), but no other device.
 *
 * VSPLIT_CTX_MODE_HW: the call returns -EINVAL in any case (RES-22, RES-23).
 */
struct drm_vsplit_submit {
	__u32 ctx;
	__u32 flags;
	__u64 stream;
	__u64 allocs;
	__u64 patches;
	__u64 syncs;
	__u32 stream_bytes;
	__u32 num_allocs;
	__u32 num_patches;
	__u32 num_syncs;
	__u32 num_portions;
	__u32 pad;
	__u64 submission;
};

/* ---- residency --------------------------------------------------------- */

/* struct drm_vsplit_make_resident.flags */
/* The last try: do not refuse because the file has not answered a trim (EXT-40). */
#define VSPLIT_RESIDENT_CANT_TRIM_FURTHER	(1u << 0)
#define VSPLIT_RESIDENT_FLAGS	VSPLIT_RESIDENT_CANT_TRIM_FURTHER

/**
 * struct drm_vsplit_make_resident - Add allocations to the file's requirement list.
 * @handles: array of GEM handles, __u32 each. A handle that is named n times counts n times.
 * @num_handles: elements of @handles, 1 to VSPLIT_MAX_RESIDENCY.
 * @flags: VSPLIT_RESIDENT_*.
 * @point: out: 0: all of the allocations are resident now. Else they are resident from this point
 *	of the file's paging timeline on (struct drm_vsplit_residency.syncobj); submissions of
 *	the file wait for it by themselves.
 * @trim_bytes: out, with -ENOSPC: bytes that the file has to take off its list before this can
 *	succeed; 0 after success.
 *
 * The requirement list has the allocations that have to be resident whenever a WDDM 2 context of
 * the file runs. The call adds all of @handles or none (RES-6), and counts them (RES-9): an
 * allocation that was added n times is required until it was taken off n times (EVICT), its
 * handle that was named last is closed, the device is lost, or the file is closed. The call
 * succeeds only if the whole list, with the new allocations, can be resident beside all that is
 * pinned. Missing allocations are then paged in; allocations that no other file requires are the
 * first to make room. From then on VSPLIT_GEM_PINNED is refused where it would leave too few
 * bytes for the list. The call waits for the GPU only where SUBMIT does. An allocation may get on
 * the list even if another thread closes its handle during the call.
 *
 * After an error the list is as it was; @trim_bytes is written with -ENOSPC alone.
 * -EINVAL: bad flags or number; an allocation is offered; the file's model is WDDM 1; or the
 *	adapter has PATCH contexts alone.
 * -ENOENT: unknown handle.
 * -E2BIG: too many handles; an allocation that would be on the list 2^32 times; an allocation that
 *	VSPLIT_MAX_SHARERS other files require, or required when their unfinished work began
 *	(RES-7); or the call would need more kernel memory than max_unfinished_bytes of the
 *	adapter.
 * -EIO: the device is lost.
 * -ENOSPC: the list with the new allocations cannot be resident as a whole; or the file has not
 *	answered a trim, and CANT_TRIM_FURTHER is not set.
 * -EBUSY: an allocation can be in no aperture segment, and the CPU has it locked, or others use
 *	its pages (VSPLIT_GEM_INFO_SHARED).
 * -ENOBUFS: as for DRM_IOCTL_VSPLIT_SUBMIT.
 */
struct drm_vsplit_make_resident {
	__u64 handles;
	__u32 num_handles;
	__u32 flags;
	__u64 point;
	__u64 trim_bytes;
};

/* struct drm_vsplit_evict.flags (EXT-41) */
/* Allocations that are no longer required stay where they are until their room is needed. */
#define VSPLIT_EVICT_IF_NECESSARY	(1u << 0)
/* The GPU has not written the allocations since they were paged in: save no bytes. */
#define VSPLIT_EVICT_NOT_WRITTEN	(1u << 1)
#define VSPLIT_EVICT_FLAGS	(VSPLIT_EVICT_IF_NECESSARY | VSPLIT_EVICT_NOT_WRITTEN)

/**
 * struct drm_vsplit_evict - Take allocations off the file's requirement list.
 * @handles: array of GEM handles, __u32 each; a handle that is named n times counts n times.
 * @num_handles: elements of @handles, 1 to VSPLIT_MAX_RESIDENCY.
 * @flags: VSPLIT_EVICT_*.
 * @trim_bytes: out: bytes that the file was asked to give back and still has.
 *
 * The call takes off all of @handles or none. An allocation that was taken off as often as it was
 * added is required no more once the work that the file has submitted so far is done (RES-7).
 * Without IF_NECESSARY it is then evicted if no other file requires it; the call does not wait
 * for the eviction.
 *
 * NOT_WRITTEN takes effect at once, and only on allocations that no other file or driver knows. One
 * that was exported as a dma-buf, or has a name (GEM_FLINK), counts as known as long as its handle
 * exists.
 *
 * -EINVAL: bad flags or number; an allocation is on the list less often than @handles names it
 * (RES-9); the file's model is WDDM 1, or the adapter has PATCH contexts alone. -ENOENT: unknown
 * handle. -E2BIG: too many handles.
 */
struct drm_vsplit_evict {
	__u64 handles;
	__u32 num_handles;
	__u32 flags;
	__u64 trim_bytes;
};

/** enum drm_vsplit_offer_priority - Order in which offered allocations leave (EXT-47). */
enum drm_vsplit_offer_priority {
	/** @VSPLIT_OFFER_LOW: leaves first. */
	VSPLIT_OFFER_LOW = 1,
	VSPLIT_OFFER_NORMAL = 2,
	VSPLIT_OFFER_HIGH = 3,
	/** @VSPLIT_OFFER_AUTO: leaves last, in the order of the allocations' own priorities. */
	VSPLIT_OFFER_AUTO = 4,
};

/**
 * struct drm_vsplit_offer - The client does not need the bytes of allocations until it reclaims
 * them (WDDM's Offer, EXT-47).
 * @handles: array of GEM handles, __u32 each.
 * @num_handles: elements of @handles, 1 to VSPLIT_MAX_RESIDENCY.
 * @priority: enum drm_vsplit_offer_priority.
 *
 * The call offers all of @handles or none. Work that was submitted before still uses them.
 * From then on they are the first allocations that leave a memory segment when room is needed.
 * Nothing is transferred when they leave, so their bytes are lost: a mapping then shows older
 * bytes of the same allocation, or zeros. Until an allocation is reclaimed, LOCK and
 * MAKE_RESIDENT return -EINVAL for it, and so does SUBMIT if a list names it. It gets no second
 * handle meanwhile: DRM's calls that would make one, in any file, return -EINVAL (GEM_OPEN,
 * PRIME_FD_TO_HANDLE, GETFB). If the file requires it (MAKE_RESIDENT before), work of the file
 * does not wait for it; the GPU can access it by a virtual address as long as it is resident.
 * Offering it again sets the new priority.
 *
 * -ENOENT: unknown handle. -EINVAL: bad priority; no handle. -E2BIG: too many handles.
 * -EBUSY: an allocation is pinned or locked by the CPU, or another file or driver knows it. An
 * allocation that was exported as a dma-buf, or has a name (GEM_FLINK), counts as known as long as
 * its handle exists.
 */
struct drm_vsplit_offer {
	__u64 handles;
	__u32 num_handles;
	__u32 priority;
};

/**
 * struct drm_vsplit_reclaim - The client needs offered allocations again.
 * @handles: array of GEM handles, __u32 each.
 * @discarded: out: array of @num_handles elements, __u32 each: 1: the bytes of the allocation
 *	were lost; 0: they were not. 0 instead of a pointer: the client does not want to know.
 * @num_handles: elements of @handles, 1 to VSPLIT_MAX_RESIDENCY.
 * @pad: 0.
 *
 * An allocation whose bytes were lost has undefined bytes: older bytes of the same allocation,
 * or zeros. An allocation that the file requires is resident again before its next submission
 * runs, and before the next packet that one of its hardware queues begins. An allocation that
 * was not offered has lost nothing.
 *
 * -ENOENT: unknown handle. -EINVAL: @pad; no handle. -E2BIG: too many handles. -ENOMEM. -EFAULT.
 */
struct drm_vsplit_reclaim {
	__u64 handles;
	__u64 discarded;
	__u32 num_handles;
	__u32 pad;
};

/** enum drm_vsplit_group - Groups of segments that have a budget (EXT-43). */
enum drm_vsplit_group {
	/** @VSPLIT_GROUP_LOCAL: memory segments. */
	VSPLIT_GROUP_LOCAL = 0,
	/** @VSPLIT_GROUP_NONLOCAL: aperture segments. */
	VSPLIT_GROUP_NONLOCAL = 1,
};

#define VSPLIT_NUM_GROUPS	2

/**
 * struct drm_vsplit_group_info - Budget and usage of a file in a group of segments.
 * @budget: bytes that the usage should not exceed: the file's share of the bytes that are not
 *	pinned, or what test mode has set. It is enforced under pressure only.
 * @usage: sum of the sizes of the allocations on the file's requirement list. An allocation
 *	counts in the group of the first of its segments.
 * @reservation: bytes that the file is not asked to give back when others need memory: those
 *	that it has reserved (DRM_IOCTL_VSPLIT_RESERVE), at most @available.
 * @available: bytes that the file may reserve: half of the bytes that are not pinned, shared
 *	equally among this file and all other files that have a reservation in the group.
 */
struct drm_vsplit_group_info {
	__u64 budget;
	__u64 usage;
	__u64 reservation;
	__u64 available;
};

/* struct drm_vsplit_residency.flags */
/* From now on send events when budgets change (struct drm_vsplit_budget_event). */
#define VSPLIT_RESIDENCY_WATCH_BUDGET	(1u << 0)
/* From now on each trim signals the eventfd @fd, and no other eventfd; -1: none. */
#define VSPLIT_RESIDENCY_EVENTFD	(1u << 1)
#define VSPLIT_RESIDENCY_FLAGS		(VSPLIT_RESIDENCY_WATCH_BUDGET | \
					 VSPLIT_RESIDENCY_EVENTFD)

/**
 * struct drm_vsplit_residency - Query the requirement list, trims and budgets of the file.
 * @handle: GEM handle, or 0.
 * @count: out: how often the list has @handle; 0 without a handle. A lost device requires
 *	nothing, but the counts stay, and EVICT goes on to count.
 * @members: out: number of allocations on the list.
 * @syncobj: out: the paging timeline, a handle of a timeline syncobj of this file. The first
 *	call makes it; the client closes it.
 * @point: out: the last point of it that MAKE_RESIDENT returned.
 * @trims: out: how often the file was asked to give back memory (RES-8).
 * @trim_bytes: out: bytes that it was asked for and still has.
 * @trim_reason: out: enum drm_vsplit_trim_reason of the last trim.
 * @trim_group: out: enum drm_vsplit_group of the last trim.
 * @groups: out: indexed by enum drm_vsplit_group.
 * @flags: VSPLIT_RESIDENCY_*.
 * @fd: with EVENTFD: descriptor of an eventfd, or -1; else 0. The caller may close it.
 *
 * The call arms the trim event (struct drm_vsplit_trim_event) again, and the budget event if the
 * file watches its budgets.
 *
 * An eventfd (EXT-42) need not be armed again: each trim signals it, even while the last event is
 * unread. This call then tells how much was asked for. The eventfd is signalled once more
 * when the adapter is removed (every call then returns -ENODEV), and never after the file is
 * closed.
 *
 * -ENOENT: unknown handle. -EINVAL: bad @flags; @fd without EVENTFD; or @fd is no eventfd. -EBADF:
 * @fd is not open. -ENOMEM. After an error the file keeps the eventfd that it had before.
 */
struct drm_vsplit_residency {
	__u32 handle;
	__u32 count;
	__u32 members;
	__u32 syncobj;
	__u64 point;
	__u64 trims;
	__u64 trim_bytes;
	__u32 trim_reason;
	__u32 trim_group;
	struct drm_vsplit_group_info groups[VSPLIT_NUM_GROUPS];
	__u32 flags;
	__s32 fd;
};

/**
 * struct drm_vsplit_reserve - Reserve the bytes without which the file is of no use (EXT-43).
 * @group: enum drm_vsplit_group.
 * @pad: 0.
 * @bytes: the new reservation, in place of the last one; 0: none.
 * @available: out, also with -ENOSPC: bytes that the file may reserve.
 *
 * When others need memory, a file is not asked to give back its reservation (RES-8). A
 * reservation has no other effect: others still evict the file's memory while the file does not
 * run, its budget does not grow, and a trim for a budget that test mode has set ignores it.
 * When more files reserve, the share of each gets smaller (struct drm_vsplit_group_info.available).
 * So no file keeps others from reserving, and all reservations together are at most half of the
 * bytes that are not pinned.
 *
 * The reservation ends when the device is lost or the file is closed.
 *
 * -EINVAL: bad group or @pad; the file's model is WDDM 1, or the adapter has PATCH contexts
 * alone. -ENOSPC: more than @available. -EIO: the device is lost.
 */
struct drm_vsplit_reserve {
	__u32 group;
	__u32 pad;
	__u64 bytes;
	__u64 available;
};

/** enum drm_vsplit_trim_reason - Why a file is asked to give back memory (EXT-42). */
enum drm_vsplit_trim_reason {
	/** @VSPLIT_TRIM_NONE: the file was never asked. */
	VSPLIT_TRIM_NONE = 0,
	/** @VSPLIT_TRIM_DEMAND: allocations that it requires left because others need the room. */
	VSPLIT_TRIM_DEMAND = 1,
	/** @VSPLIT_TRIM_BUDGET: its usage exceeds its budget. */
	VSPLIT_TRIM_BUDGET = 2,
	/**
	 * @VSPLIT_TRIM_PERIODIC: the file has not used these bytes in the last period (the
	 * adapter's option trim_period_ms): the allocations were on its requirement list when
	 * the period began, and no list of a submission of that period names them. A submission
	 * to a context of VSPLIT_CTX_MODE_VA uses all allocations on the list. A file that has
	 * made a hardware queue is not asked, because the driver does not know what such
	 * queues use. This trim is not sent while another one is unanswered. A file may ignore
	 * it while there is enough memory for all; each period sends a new one.
	 */
	VSPLIT_TRIM_PERIODIC = 3,
};

/* drm_event.type */
#define DRM_VSPLIT_EVENT_TRIM	0x80000000
#define DRM_VSPLIT_EVENT_BUDGET	0x80000001

/**
 * struct drm_vsplit_trim_event - A trim (WDDM's TrimResidency, RES-8): the file is asked to take
 * allocations off its requirement list.
 * @base: type DRM_VSPLIT_EVENT_TRIM.
 * @bytes: bytes that the file is asked to give back.
 * @reason: enum drm_vsplit_trim_reason.
 * @group: enum drm_vsplit_group: the group of segments in which they count.
 * @trims: how often the file was asked so far.
 *
 * Clients get the event by read() and poll() on the DRM file. When the adapter goes away, poll()
 * ends with POLLHUP and POLLERR. There is one event at a time: after it the driver sends no
 * other until the file calls DRM_IOCTL_VSPLIT_RESIDENCY, which tells the newest figures. If a
 * file reads no events, its queue is full at 4096 bytes, and that call then arms none. While
 * there is not enough memory for all, MAKE_RESIDENT refuses a file that has not answered a trim
 * (-ENOSPC, see CANT_TRIM_FURTHER). A trim is answered when the usage has fallen by @bytes.
 */
struct drm_vsplit_trim_event {
	struct drm_event base;
	__u64 bytes;
	__u32 reason;
	__u32 group;
	__u64 trims;
};

/**
 * struct drm_vsplit_budget_event - Budgets or reservations of the file have changed (EXT-43).
 * @base: type DRM_VSPLIT_EVENT_BUDGET.
 * @budget: as in struct drm_vsplit_group_info; indexed by enum drm_vsplit_group.
 * @reservation: likewise.
 *
 * Files that have called DRM_IOCTL_VSPLIT_RESIDENCY with VSPLIT_RESIDENCY_WATCH_BUDGET get this
 * event. There is one event at a time, as for trims.
 */
struct drm_vsplit_budget_event {
	struct drm_event base;
	__u64 budget[VSPLIT_NUM_GROUPS];
	__u64 reservation[VSPLIT_NUM_GROUPS];
};

/* ---- virtual addresses ------------------------------------------------- */

/** enum drm_vsplit_va_op_type - What an operation of a VA_BIND does. */
enum drm_vsplit_va_op_type {
	/** @VSPLIT_VA_MAP: the range shows a part of an allocation. */
	VSPLIT_VA_MAP = 0,
	/** @VSPLIT_VA_UNMAP: the range shows nothing. */
	VSPLIT_VA_UNMAP = 1,
	/** @VSPLIT_VA_SPARSE: the range reads as zeros, and writes to it are dropped. */
	VSPLIT_VA_SPARSE = 2,
};

/* struct drm_vsplit_va_op.flags */
#define VSPLIT_VA_OP_READ_ONLY	(1u << 0)	/* MAP: the GPU may not write through it */
#define VSPLIT_VA_OP_FLAGS	VSPLIT_VA_OP_READ_ONLY

/**
 * struct drm_vsplit_va_op - Change what a range of virtual addresses shows.
 * @type: enum drm_vsplit_va_op_type.
 * @flags: VSPLIT_VA_OP_*.
 * @handle: MAP: GEM handle; else 0.
 * @pad: 0.
 * @address: first address of the range; a multiple of the page size, as @bytes and @offset.
 * @bytes: size of the range, > 0; the range ends at VSPLIT_VA_BYTES at most.
 * @offset: MAP: offset of the mapped part in the allocation, which ends at @offset + @bytes or
 *	later; else 0.
 *
 * The range no longer shows what it showed before. If the range cuts an earlier mapping, the
 * parts of that mapping outside the range stay.
 */
struct drm_vsplit_va_op {
	__u32 type;
	__u32 flags;
	__u32 handle;
	__u32 pad;
	__u64 address;
	__u64 bytes;
	__u64 offset;
};

/**
 * struct drm_vsplit_va_bind - Change the address space of the file (RES-3, EXT-49).
 * @ops: array of struct drm_vsplit_va_op; they take effect in order, all or none.
 * @syncs: array of struct drm_vsplit_sync.
 * @num_ops: elements of @ops, 1 to VSPLIT_MAX_VA_OPS.
 * @num_syncs: elements of @syncs.
 * @flags: 0.
 * @pad: 0.
 *
 * A file has one address space for all of its contexts of VSPLIT_CTX_MODE_VA and _HW, from the
 * first of them on. Work that the file has submitted before still sees the old addresses, and
 * work that it submits afterwards sees the new ones, whatever @syncs adds to that. Packets in the
 * ring of a hardware queue are not ordered with the call: they see the new addresses as soon as
 * the page tables have them, even in the middle of a packet. So wait for a syncobj of @syncs
 * before packets use them. The call waits for the GPU only where SUBMIT does.
 *
 * An allocation may be mapped at many addresses, within limits: when it moves, all of its page
 * table entries are written, at the cost of the client that needs its place. Its addresses stay
 * when it moves, is evicted and is paged in again. While it is not resident
 * (DRM_IOCTL_VSPLIT_MAKE_RESIDENT) an access to them is a page fault. A mapping keeps an
 * allocation alive: an allocation whose handle is closed ends with its last mapping. While an
 * allocation has a mapping that is not READ_ONLY, the driver assumes that the GPU writes it: it
 * is used only in segments where the GPU may write it, and each eviction transfers its bytes.
 *
 * Page tables count as memory of the file's user (fdinfo: vsplit-user-allocations).
 *
 * After an error no address has changed.
 * -EINVAL: bad type, flags, range, handle, syncs or pad; or the file has no address space.
 * -ENOENT: unknown handle or syncobj, or a syncobj to wait for has no fence.
 * -E2BIG: too many elements of an array. Or the file maps more bytes of an allocation than before,
 *	and its mappings then exceed VSPLIT_MAX_MAPPINGS, or both VSPLIT_MAX_MAPPED_TIMES and
 *	VSPLIT_MAX_MAPPED_BYTES; cutting mappings alone is never refused, though it makes more of
 *	them, up to one for each page that they show. Or the operations exceed
 *	VSPLIT_MAX_VA_OPS_BYTES, which counts bytes that are mapped or made sparse, mapped or
 *	sparse bytes that are unmapped, and, each time that an operation cuts a mapping, a 64th
 *	of the bytes that stay mapped of it. Or the new mappings, and the old mappings that they
 *	replace or that are unmapped, are more than about 380,000, which would need more than
 *	max_unfinished_bytes of kernel memory: unmap in several calls.
 * -ENOBUFS: as for DRM_IOCTL_VSPLIT_SUBMIT.
 * -EIO: the device is lost.
 */
struct drm_vsplit_va_bind {
	__u64 ops;
	__u64 syncs;
	__u32 num_ops;
	__u32 num_syncs;
	__u32 flags;
	__u32 pad;
};

/* ---- monitored fences -------------------------------------------------- */

/**
 * struct drm_vsplit_fence_create - Create a monitored fence (EXT-48): a 64-bit value that
 * only grows.
 * @value: the value that it begins with.
 * @handle: out: handle of the fence, valid on this file; never 0.
 * @flags: 0.
 * @offset: out: for mmap() on the DRM file: one page, read-only, whose first 8 bytes are the
 *	value. The mapping outlives the handle.
 *
 * DRM_IOCTL_VSPLIT_FENCE_SIGNAL and VSPLIT_OP_SIGNAL_FENCE raise the value.
 * DRM_IOCTL_VSPLIT_FENCE_WAIT and VSPLIT_OP_WAIT_FENCE (vsplit_isa.h) wait for it, even before
 * anything has been submitted that will raise it. No syncobj or sync_file can be made of a
 * monitored fence: the kernel waits for these when it needs memory, and so they must not depend
 * on a value that userspace raises when it wants to, or never.
 *
 * The page counts as memory of the file's user (fdinfo: vsplit-user-allocations).
 *
 * -EINVAL: bad @flags. -ENOSPC: the file has VSPLIT_MAX_FILE_FENCES fences. -ENOMEM.
 */
struct drm_vsplit_fence_create {
	__u64 value;
	__u32 handle;
	__u32 flags;
	__u64 offset;
};

/**
 * struct drm_vsplit_fence_destroy - Destroy a monitored fence.
 * @handle: handle of the fence.
 * @pad: 0.
 *
 * All waits by this handle for a value that is not reached end: a call returns -ECANCELED, an
 * eventfd is signalled, and a parked submission is not executed (its fence gets error
 * -ECANCELED). A packet that would raise the fence by this handle does nothing.
 *
 * -ENOENT: unknown handle. -EINVAL: @pad.
 */
struct drm_vsplit_fence_destroy {
	__u32 handle;
	__u32 pad;
};

/**
 * struct drm_vsplit_fence_signal - Raise a monitored fence.
 * @handle: handle of the fence.
 * @pad: 0.
 * @value: the value that the fence has at least afterwards. A value that is not greater than the
 *	present one changes nothing.
 *
 * -ENOENT: unknown handle. -EINVAL: @pad.
 */
struct drm_vsplit_fence_signal {
	__u32 handle;
	__u32 pad;
	__u64 value;
};

/* struct drm_vsplit_fence_wait.flags */
/* Do not wait: signal the eventfd @fd once, when the value is reached. */
#define VSPLIT_FENCE_WAIT_EVENTFD	(1u << 0)
#define VSPLIT_FENCE_WAIT_FLAGS		VSPLIT_FENCE_WAIT_EVENTFD

/**
 * struct drm_vsplit_fence_wait - Wait until a monitored fence has reached a value.
 * @handle: handle of the fence.
 * @flags: VSPLIT_FENCE_WAIT_*.
 * @value: wait until the fence has this value or a greater one.
 * @timeout_ns: when the wait ends at the latest, an absolute time of CLOCK_MONOTONIC, ns; a time
 *	that is not in the future: do not wait. 0 with EVENTFD.
 * @fd: with EVENTFD: descriptor of an eventfd; else 0.
 * @pad: 0.
 *
 * -ENOENT: unknown handle. -ETIME: the value was not reached in time. -ECANCELED: the handle
 * was destroyed meanwhile. -EINVAL: bad @flags or @pad; @timeout_ns with EVENTFD, or @fd without;
 * @fd is not an eventfd. -EBADF: @fd is not open. -ENOSPC: VSPLIT_MAX_FENCE_EVENTS eventfds of
 * the file wait already. -ENOMEM.
 */
struct drm_vsplit_fence_wait {
	__u32 handle;
	__u32 flags;
	__u64 value;
	__s64 timeout_ns;
	__s32 fd;
	__u32 pad;
};

/**
 * struct drm_vsplit_fence_export - Make a descriptor of a monitored fence, for other files.
 * @handle: handle of the fence.
 * @fd: out: a file descriptor, close-on-exec, which the caller closes. It can only be passed on
 *	and imported. The value lives as long as there is a descriptor or a handle of it.
 *
 * -ENOENT: unknown handle. -EMFILE, -ENFILE: too many files are open. -ENOMEM.
 */
struct drm_vsplit_fence_export {
	__u32 handle;
	__s32 fd;
};

/**
 * struct drm_vsplit_fence_import - Make a handle of this file for an exported fence.
 * @fd: from DRM_IOCTL_VSPLIT_FENCE_EXPORT of any adapter; the caller still has to close it.
 * @handle: out: handle of the fence; each call makes another one.
 * @offset: out: as in struct drm_vsplit_fence_create.
 *
 * All handles of the fence share one value: processors and engines may raise it by any of them,
 * which wakes waits by all of them. Destroying a handle ends the waits by this handle alone.
 * A handle counts among VSPLIT_MAX_FENCE_SHARES until it is destroyed and its page is not mapped.
 * The page counts for the user that created the fence.
 *
 * -EBADF: @fd is not open. -EINVAL: @fd is no fence. -ENOSPC: VSPLIT_MAX_FENCE_SHARES or
 * VSPLIT_MAX_FILE_FENCES is reached. -ENOMEM.
 */
struct drm_vsplit_fence_import {
	__s32 fd;
	__u32 handle;
	__u64 offset;
};

/* ---- hardware queues --------------------------------------------------- */

/* Offsets in the mapping of a hardware queue, in units of the page size. */
#define VSPLIT_HWQ_DOORBELL	0	/* a store of any value rings the doorbell */
#define VSPLIT_HWQ_CONTROL	1	/* struct drm_vsplit_hwq_control */
#define VSPLIT_HWQ_RING		2	/* first page of the ring */

#define VSPLIT_HWQ_MIN_RING	4096u
#define VSPLIT_HWQ_MAX_RING	(1u << 20)
#define VSPLIT_HWQ_HISTORY	256u	/* elements of drm_vsplit_hwq_control.history */

/**
 * struct drm_vsplit_hwq_control - Control page, which the client and the engine share.
 * @tail: the client writes it: bytes of packets that it has put into the ring so far, ever.
 * @pad: keeps @tail and @done in different cache lines.
 * @done: the engine writes it: bytes of packets that it has executed so far, ever. A client that
 *	sees the value also sees what these packets wrote. The engine ignores stores of the
 *	client to it.
 * @pad2: keeps @done and @history in different cache lines.
 * @history: the engine's clock when it executed VSPLIT_OP_HISTORY (vsplit_isa.h), ns; with
 *	VSPLIT_CAP_MODEL_CLOCK, of the model clock. The engine writes it before @done (WDDM's
 *	history buffers).
 */
struct drm_vsplit_hwq_control {
	__u64 tail;
	__u64 pad[7];
	__u64 done;
	__u64 pad2[7];
	__u64 history[VSPLIT_HWQ_HISTORY];
};

/**
 * struct drm_vsplit_hwq_create - Give a context of VSPLIT_CTX_MODE_HW its queue (RES-23).
 * @ctx: id of the context.
 * @ring_bytes: size of the ring, a power of two, VSPLIT_HWQ_MIN_RING to VSPLIT_HWQ_MAX_RING.
 * @offset: out: for mmap() on the DRM file, with MAP_SHARED.
 * @bytes: out: size of the mapping: doorbell page, control page and ring.
 *
 * From then on the client submits work without a call. It writes packets (vsplit_isa.h) into
 * the ring, byte n of all packets ever at n modulo @ring_bytes, and keeps @tail of the control
 * page at most @ring_bytes ahead of @done. It stores the packets, then @tail, then any value into
 * the doorbell page, in this order. The engine executes packets in order; state registers keep
 * their values from packet to packet. It copies each packet, and checks and executes the copy.
 *
 * All that the file has made resident is resident before the engine executes a packet (RES-5).
 * Before any of it leaves, the queues of the file stop between two packets (EXT-54). They go on
 * when it is back; an idle queue does not bring it back. Fences of allocations do not include
 * this work: CPU locks, submissions and page flips do not wait for it. The queue shares its
 * engine with other clients as contexts do, and gives way between packets after a slice of time
 * even without VSPLIT_CAP_PACKET_PREEMPTION.
 *
 * A bad packet loses the context (VSPLIT_STATE_LOST_FAULT), and so does a @tail that is not a
 * multiple of 8, is too far ahead, or ends in the middle of a packet. A packet that does not end
 * loses the context (VSPLIT_STATE_LOST_HANG). A page fault loses the device
 * (VSPLIT_STATE_LOST_PAGE_FAULT).
 *
 * DRM_IOCTL_VSPLIT_CTX_DESTROY, and closing the file, cut short the packet that is being
 * executed, and drop the others. The mapping stays valid, and has no effect any more.
 *
 * The pages count as memory of the file's user (fdinfo: vsplit-user-allocations).
 *
 * -ENOENT: unknown context. -EINVAL: the context is not of VSPLIT_CTX_MODE_HW; bad size. -EBUSY:
 * it has a queue. -ENOMEM: also, the user is at its limit of allocations.
 */
struct drm_vsplit_hwq_create {
	__u32 ctx;
	__u32 ring_bytes;
	__u64 offset;
	__u64 bytes;
};

/**
 * struct drm_vsplit_hwq_wait - Wait for progress of a hardware queue.
 * @ctx: id of the context.
 * @pad: 0.
 * @done: wait until the queue has executed this many bytes of packets, ever.
 * @timeout_ns: when the wait ends at the latest, an absolute time of CLOCK_MONOTONIC, ns; 0: do
 *	not wait.
 *
 * -ENOENT: unknown context, or it was destroyed meanwhile. -EINVAL: the context has no queue, or
 * bad @pad. -ETIME: the queue has not got so far in time. -EIO: it has not got so far, and the
 * context or the device is lost.
 */
struct drm_vsplit_hwq_wait {
	__u32 ctx;
	__u32 pad;
	__u64 done;
	__s64 timeout_ns;
};

/* ---- records ----------------------------------------------------------- */

/** enum drm_vsplit_event_type - What an event of a record tells. */
enum drm_vsplit_event_type {
	/** @VSPLIT_EVENT_PORTION: a portion was executed. */
	VSPLIT_EVENT_PORTION = 0,
	/** @VSPLIT_EVENT_PAGE_IN: from system memory to a memory segment. */
	VSPLIT_EVENT_PAGE_IN = 1,
	/** @VSPLIT_EVENT_EVICT: from a memory segment to system memory. */
	VSPLIT_EVENT_EVICT = 2,
	/** @VSPLIT_EVENT_MOVE: inside or between memory segments. */
	VSPLIT_EVENT_MOVE = 3,
	/** @VSPLIT_EVENT_MAP: into an aperture segment. */
	VSPLIT_EVENT_MAP = 4,
	/** @VSPLIT_EVENT_UNMAP: out of an aperture segment. */
	VSPLIT_EVENT_UNMAP = 5,
	/** @VSPLIT_EVENT_ACQUIRE_RANGE: an allocation got a swizzling range; in traces only. */
	VSPLIT_EVENT_ACQUIRE_RANGE = 6,
	/** @VSPLIT_EVENT_RELEASE_RANGE: it lost the swizzling range; in traces only. */
	VSPLIT_EVENT_RELEASE_RANGE = 7,
};

/* struct drm_vsplit_event.flags */
#define VSPLIT_EVENT_SKIPPED	(1u << 0)	/* portion: it did not run, or not to its end */
#define VSPLIT_EVENT_FOREIGN	(1u << 1)	/* paging of an allocation outside the list */
#define VSPLIT_EVENT_FILLED	(1u << 2)	/* page-in by a fill: nothing was transferred */

/**
 * struct drm_vsplit_event - One step of a submission.
 * @type: enum drm_vsplit_event_type.
 * @flags: VSPLIT_EVENT_*.
 * @portion: index of the portion. Paging step: index of the portion that it serves, or the
 *	number of portions if it comes after the last one (eviction_set).
 * @handle: GEM handle of the allocation as in the list; 0 if VSPLIT_EVENT_FOREIGN.
 * @id: id of the allocation. 0 if the file has no handle of it: the event then is the sum of all
 *	steps of @type with such allocations for the submission; @at, @from and @from_segment
 *	are 0, and its times are the begin of the first and the end of the last finished step.
 * @segment: paging: id of the segment that the allocation enters, or leaves by an eviction.
 * @from_segment: move: id of the segment that it leaves.
 * @at: paging: offset in @segment. Portion: 0.
 * @from: move: offset in @from_segment. Portion: 0.
 * @bytes: paging: size of the allocation, or sum of sizes. Portion: 0.
 * @copied: bytes transferred.
 * @begin: portion: offset of its first byte in the stream.
 * @end: portion: offset of the byte after its last one.
 * @patch_first: portion: index of the first patch element that takes effect in it.
 * @patch_count: portion: number of patch elements that do.
 * @row_first: portion: index of the first of the record's rows that takes effect in it.
 * @row_count: portion: number of rows that do.
 * @t0_ns: time of its begin, of the adapter's clock; 0 before it began.
 * @t1_ns: time of its end; 0 before it ended.
 */
struct drm_vsplit_event {
	__u32 type;
	__u32 flags;
	__u32 portion;
	__u32 handle;
	__u64 id;
	__u32 segment;
	__u32 from_segment;
	__u64 at;
	__u64 from;
	__u64 bytes;
	__u64 copied;
	__u32 begin;
	__u32 end;
	__u32 patch_first;
	__u32 patch_count;
	__u32 row_first;
	__u32 row_count;
	__u64 t0_ns;
	__u64 t1_ns;
};

/**
 * struct drm_vsplit_row - An element of the patch-location list that took effect: a
 * change of the resource table.
 * @slot: SlotId.
 * @handle: GEM handle as in the list; 0: the row became empty.
 * @segment: id of the segment in which the allocation was; 0 if @handle is 0.
 * @driver_id: DriverId of the element.
 * @offset: offset in the segment.
 *
 * Row i tells about element i of the list. The resource table at the end of a portion has, for
 * each slot, the last of all rows up to the portion's last one.
 */
struct drm_vsplit_row {
	__u32 slot;
	__u32 handle;
	__u32 segment;
	__u32 driver_id;
	__u64 offset;
};

/**
 * struct drm_vsplit_record - Read what happened to a submission.
 * @ctx: id of the context.
 * @pad: 0.
 * @submission: id of the submission.
 * @events: out: array of struct drm_vsplit_event, in execution order.
 * @rows: out: array of struct drm_vsplit_row, in list order.
 * @num_events: in: elements that fit into @events; out: events of the record.
 * @num_rows: in: elements that fit into @rows; out: rows of the record.
 * @num_portions: out: portions of the submission.
 * @error: out: 0, or the positive errno value that the submission's fence was signalled with.
 * @done: out: 1 once the submission's fence is signalled.
 * @fault: out: enum drm_vsplit_fault.
 *
 * The kernel keeps the last 64 records of each context. When the records of a file together
 * would take more than half of max_unfinished_bytes, its oldest records are dropped. The newest
 * record is dropped only if the records of all files of the user take more than half of fdinfo's
 * vsplit-user-work-limit. If an array is too small, the first elements that fit are written.
 *
 * -ENOENT: unknown context, or no record of that submission is kept, or it is parked.
 */
struct drm_vsplit_record {
	__u32 ctx;
	__u32 pad;
	__u64 submission;
	__u64 events;
	__u64 rows;
	__u32 num_events;
	__u32 num_rows;
	__u32 num_portions;
	__u32 error;
	__u32 done;
	__u32 fault;
};

/* ---- test mode --------------------------------------------------------- */

/** enum drm_vsplit_escape_op - Test hooks, after WDDM's VIDMM_ESCAPE (EXT-14). */
enum drm_vsplit_escape_op {
	/** @VSPLIT_ESCAPE_EVICT: evict allocation @handle, as its eviction_set says. */
	VSPLIT_ESCAPE_EVICT = 0,
	/** @VSPLIT_ESCAPE_EVICT_ALL: evict all allocations that are not pinned. */
	VSPLIT_ESCAPE_EVICT_ALL = 1,
	/**
	 * @VSPLIT_ESCAPE_PAGE_IN: page allocation @handle in, to segment id @value (0: to the
	 * segment that it prefers).
	 */
	VSPLIT_ESCAPE_PAGE_IN = 2,
	/**
	 * @VSPLIT_ESCAPE_SUSPEND: engine @value takes no further program until RESUME, or until
	 * the file is closed. The paging engine has the number after the render engines.
	 */
	VSPLIT_ESCAPE_SUSPEND = 3,
	/** @VSPLIT_ESCAPE_RESUME: engine @value goes on. */
	VSPLIT_ESCAPE_RESUME = 4,
	/** @VSPLIT_ESCAPE_TRIM: ask the calling file to give back @value bytes. */
	VSPLIT_ESCAPE_TRIM = 5,
	/**
	 * @VSPLIT_ESCAPE_BUDGET: set the budget of the calling file in the group of segments
	 * @handle (enum drm_vsplit_group) to @value bytes; ~0: to its share again.
	 */
	VSPLIT_ESCAPE_BUDGET = 6,
	/** @VSPLIT_ESCAPE_PERIOD: if the adapter has periodic trims, end the period now. */
	VSPLIT_ESCAPE_PERIOD = 7,
};

/**
 * struct drm_vsplit_escape - Test hooks; in test mode only, for root (CAP_SYS_ADMIN) only.
 * @op: enum drm_vsplit_escape_op.
 * @handle: GEM handle, if the operation is about an allocation; the group for BUDGET; else 0.
 * @value: as the operation says; else 0.
 *
 * -EOPNOTSUPP: the adapter is not in test mode. -EPERM: not root. -ENOENT:
 * unknown handle. -EINVAL: bad operation or value. -EBUSY: pinned. -ENOSPC: no
 * room.
 */
struct drm_vsplit_escape {
	__u32 op;
	__u32 handle;
	__u64 value;
};

#define DRM_IOCTL_VSPLIT_QUERY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_QUERY, struct drm_vsplit_query)
#define DRM_IOCTL_VSPLIT_GEM_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_GEM_CREATE, struct drm_vsplit_gem_create)
#define DRM_IOCTL_VSPLIT_GEM_MMAP_OFFSET \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_GEM_MMAP_OFFSET, struct drm_vsplit_gem_mmap_offset)
#define DRM_IOCTL_VSPLIT_GEM_INFO \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_GEM_INFO, struct drm_vsplit_gem_info)
#define DRM_IOCTL_VSPLIT_GEM_RUNS \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_GEM_RUNS, struct drm_vsplit_gem_runs)
#define DRM_IOCTL_VSPLIT_GEM_LOCK \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSPLIT_GEM_LOCK, struct drm_vsplit_gem_lock)
#define DRM_IOCTL_VSPLIT_GEM_UNLOCK \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSPLIT_GEM_UNLOCK, struct drm_vsplit_gem_lock)
#define DRM_IOCTL_VSPLIT_GEM_SURFACE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_GEM_SURFACE, struct drm_vsplit_gem_surface)
#define DRM_IOCTL_VSPLIT_GEM_PRIORITY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSPLIT_GEM_PRIORITY, struct drm_vsplit_gem_priority)
#define DRM_IOCTL_VSPLIT_CTX_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_CTX_CREATE, struct drm_vsplit_ctx_create)
#define DRM_IOCTL_VSPLIT_CTX_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSPLIT_CTX_DESTROY, struct drm_vsplit_ctx_destroy)
#define DRM_IOCTL_VSPLIT_CTX_QUERY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_CTX_QUERY, struct drm_vsplit_ctx_query)
#define DRM_IOCTL_VSPLIT_SUBMIT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_SUBMIT, struct drm_vsplit_submit)
#define DRM_IOCTL_VSPLIT_RECORD \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_RECORD, struct drm_vsplit_record)
#define DRM_IOCTL_VSPLIT_VA_BIND \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSPLIT_VA_BIND, struct drm_vsplit_va_bind)
#define DRM_IOCTL_VSPLIT_HWQ_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_HWQ_CREATE, struct drm_vsplit_hwq_create)
#define DRM_IOCTL_VSPLIT_HWQ_WAIT \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSPLIT_HWQ_WAIT, struct drm_vsplit_hwq_wait)
#define DRM_IOCTL_VSPLIT_ESCAPE \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSPLIT_ESCAPE, struct drm_vsplit_escape)

#define DRM_IOCTL_VSPLIT_OFFER \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSPLIT_OFFER, struct drm_vsplit_offer)
#define DRM_IOCTL_VSPLIT_RECLAIM \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSPLIT_RECLAIM, struct drm_vsplit_reclaim)
#define DRM_IOCTL_VSPLIT_FENCE_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_FENCE_CREATE, struct drm_vsplit_fence_create)
#define DRM_IOCTL_VSPLIT_FENCE_DESTROY \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSPLIT_FENCE_DESTROY, struct drm_vsplit_fence_destroy)
#define DRM_IOCTL_VSPLIT_FENCE_SIGNAL \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSPLIT_FENCE_SIGNAL, struct drm_vsplit_fence_signal)
#define DRM_IOCTL_VSPLIT_FENCE_WAIT \
	DRM_IOW(DRM_COMMAND_BASE + DRM_VSPLIT_FENCE_WAIT, struct drm_vsplit_fence_wait)
#define DRM_IOCTL_VSPLIT_FENCE_EXPORT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_FENCE_EXPORT, struct drm_vsplit_fence_export)
#define DRM_IOCTL_VSPLIT_FENCE_IMPORT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_FENCE_IMPORT, struct drm_vsplit_fence_import)

#define DRM_IOCTL_VSPLIT_MAKE_RESIDENT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_MAKE_RESIDENT, struct drm_vsplit_make_resident)
#define DRM_IOCTL_VSPLIT_EVICT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_EVICT, struct drm_vsplit_evict)
#define DRM_IOCTL_VSPLIT_RESIDENCY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_RESIDENCY, struct drm_vsplit_residency)
#define DRM_IOCTL_VSPLIT_RESERVE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_VSPLIT_RESERVE, struct drm_vsplit_reserve)

#if defined(__cplusplus)
}
#endif

#endif /* _VSPLIT_DRM_H_ */
