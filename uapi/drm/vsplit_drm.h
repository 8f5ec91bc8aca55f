/* SPDX-License-Identifier: MIT */
/*
 * vsplit: WDDM's video-memory model on DRM. The userspace interface.
 *
 * Rules that hold for every ioctl below:
 * - All structures are the same for 32-bit and 64-bit callers and a multiple of
 *   8 bytes. Fields called pad and undefined flag bits must be zero, else
 *   -EINVAL. Pointers are __u64.
 * - Arrays have a count. Their elements do not grow: what they lack is added by
 *   another structure.
 * - An ioctl that returns an error has changed nothing and executed nothing
 *   (-ERESTARTSYS is restarted by the kernel or, as -EINTR, by the caller). The
 *   one exception, contexts with WDDM error semantics, is named where it holds.
 * - -ENODEV: the adapter is gone. It comes from every ioctl from then on.
 * - -EFAULT: a pointer cannot be read or written.
 * - -ENOMEM: host memory is short. Video memory never gives -ENOMEM.
 * - Why an argument was refused is told under drm.debug=0x1 (DRM_UT_CORE).
 *
 * All ioctls are allowed on the render node unless said otherwise.
 */
#ifndef _VSPLIT_DRM_H_
#define _VSPLIT_DRM_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Limits of this interface; an adapter may publish lower ones. */
#define VSPLIT_MAX_SEGMENTS	6	/* segment ids 1 to 6; 0 is system memory */
#define VSPLIT_MAX_SLOTS	4096
#define VSPLIT_MAX_PORTIONS	65536u	/* of one submission */
#define VSPLIT_NAME_LEN		32
#define VSPLIT_MAX_SWIZZLING_RANGES	16	/* of a segment */
#define VSPLIT_MAX_RESIDENCY	131072u	/* handles of one MAKE_RESIDENT or EVICT */
#define VSPLIT_MAX_SHARERS	64	/* files that require one allocation */
#define VSPLIT_MAX_VA_ALLOCS	16	/* of a list of a context with virtual addresses */
#define VSPLIT_MAX_MAPPINGS	32768u	/* of one allocation, by all files */
#define VSPLIT_MAX_MAPPED_TIMES	16u	/* its size, that they show together, or */
#define VSPLIT_MAX_MAPPED_BYTES	(1ull << 30)	/* this, if that is more */
#define VSPLIT_MAX_VA_OPS	131072u	/* of one VA_BIND */
#define VSPLIT_MAX_VA_OPS_BYTES	(1ull << 38)	/* that they map, make sparse or unmap */
#define VSPLIT_VA_BYTES		(1ull << 48)	/* of an address space, from 0 on */
#define VSPLIT_MAX_FILE_FENCES	1024	/* monitored fences of a file */
#define VSPLIT_MAX_FENCE_EVENTS	1024	/* eventfds of a file that wait for them */
#define VSPLIT_MAX_FENCE_SHARES	16	/* handles, of all files, that one has */

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
 * @size: in: bytes at @pointer; out: bytes that the kernel knows. The kernel
 *	writes the smaller of the two. 0 with a NULL @pointer asks for the size.
 * @pointer: where to.
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
/* State lost at a split is garbage, not a fault (SPLIT-9). */
#define VSPLIT_CAP_LENIENT	(1u << 2)
#define VSPLIT_CAP_MODEL_CLOCK	(1u << 3)	/* times are declared, not the host's */
#define VSPLIT_CAP_TEST		(1u << 4)	/* test mode: DRM_IOCTL_VSPLIT_ESCAPE works */
/* A taken split with kept rows is refused (EXT-11). */
#define VSPLIT_CAP_LEAK_DETECTION (1u << 5)
/* Engines switch contexts between packets, by slices of time, as well. */
#define VSPLIT_CAP_PACKET_PREEMPTION (1u << 6)
/* Contexts of these kinds can be made (enum drm_vsplit_ctx_mode); PATCH always can. */
#define VSPLIT_CAP_CTX_EXPLICIT	(1u << 7)
#define VSPLIT_CAP_CTX_VA	(1u << 8)
#define VSPLIT_CAP_CTX_HW	(1u << 9)

/**
 * struct drm_vsplit_adapter_info - Caps and limits.
 * @caps: VSPLIT_CAP_*.
 * @num_segments: segments, VSPLIT_QUERY_SEGMENTS.
 * @num_engines: render engines; contexts choose one.
 * @num_slots: MaxAllocationListSlotId as a count: valid SlotIds are 0 to
 *	@num_slots - 1 (SPLIT-11).
 * @max_stream_bytes: of one command stream.
 * @max_allocs: elements of one allocation list.
 * @max_patches: elements of one patch-location list.
 * @max_syncs: elements of one sync array.
 * @page_size: granule of sizes and placements, bytes.
 * @timeout_ms: a command stream without progress for this long is a hang, or one that
 *	has run for as long while another client waited for it, or for its engine, and
 *	the engine could not give way; not
 *	counting time in which the engine got no processor: that may last ten times
 *	as long.
 * @name: of the adapter, NUL-terminated.
 * @max_unfinished: submissions of one file that are not finished.
 * @pad: 0.
 * @max_unfinished_bytes: of kernel memory that these hold together.
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
#define VSPLIT_SEGMENT_APERTURE		(1u << 0)	/* aperture-space, else memory-space */
#define VSPLIT_SEGMENT_CPU_VISIBLE	(1u << 1)	/* the CPU may map it (SEG-1) */

/**
 * struct drm_vsplit_segment_info - A segment, as WDDM's descriptor gives it.
 * @id: 1-based, fixed.
 * @flags: VSPLIT_SEGMENT_*.
 * @base_address: GPU address of its first byte.
 * @cpu_address: address on the CPU's bus of its first byte, where the CPU sees it
 *	through the PCI aperture, else 0. An allocation at offset O of the segment
 *	is at @cpu_address + O (SEG-2, SEG-3).
 * @size: bytes.
 * @commit_limit: bytes that may be resident at once.
 * @cpu_visible_size: bytes from its start that the CPU can map, as VSPLIT_SEGMENT_CPU_VISIBLE
 *	says. Of an aperture segment both are what it was declared as, and change nothing:
 *	the CPU maps the pages behind it (A11).
 * @resident: bytes in use now.
 * @swizzling_ranges: how many swizzled allocations in it the CPU can see at once as
 *	linear bytes (NumberOfSwizzlingRanges, EXT-29); 0: it never can, they are
 *	evicted first.
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
 * @submissions: accepted.
 * @portions: executed or to be executed.
 * @splits: cuts taken: portions beyond the first of each submission.
 * @evicted_bytes: sizes of allocations that left a segment.
 * @evicted_copied_bytes: of these, bytes that were transferred.
 * @paged_in_bytes: sizes of allocations that entered a segment.
 * @paged_in_copied_bytes: of these, bytes that were transferred.
 * @moved_bytes: moved inside or between segments.
 * @faults: GPU faults.
 * @hangs: timeouts.
 * @ranges_acquired: swizzling ranges that allocations acquired (SEG-5).
 * @ranges_released: of these, given back on eviction or destruction, or taken away.
 * @stray_writes: GPU writes to aperture pages that nothing is mapped to. They went
 *	nowhere; each is a GPU fault.
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
/* Resident in its first segment from creation on, never moves. */
#define VSPLIT_GEM_PINNED	(1u << 0)
#define VSPLIT_GEM_CPU_ACCESS	(1u << 1)	/* will be mapped by the CPU (CpuVisible) */
/* Placed from the end of every segment (FromEndOfSegment, EXT-27). */
#define VSPLIT_GEM_TOPDOWN	(1u << 2)
/* A surface: tiled for the GPU, linear for the CPU; see below. */
#define VSPLIT_GEM_SWIZZLED	(1u << 3)
/* May be in several runs of its segment; see below. */
#define VSPLIT_GEM_RUNS		(1u << 4)
#define VSPLIT_GEM_FLAGS \
	(VSPLIT_GEM_PINNED | VSPLIT_GEM_CPU_ACCESS | VSPLIT_GEM_TOPDOWN | VSPLIT_GEM_SWIZZLED | \
	 VSPLIT_GEM_RUNS)

/*
 * A format modifier: the pixels of a framebuffer have the tiled layout that
 * <drm/vsplit_isa.h> defines, as VSPLIT_OP_DRAW and VSPLIT_OP_COPY_2D write it into an
 * allocation that is not VSPLIT_GEM_SWIZZLED. Primary and overlay planes take it, for each
 * of their formats but NV12. The pitch is a multiple of VSPLIT_TILE_WIDTH, the offset one
 * of VSPLIT_TILE_BYTES, and the rows of the last tiles are in the allocation:
 * else DRM_IOCTL_MODE_ADDFB2 fails with -EINVAL. It is vsplit's own, not one of drm_fourcc.h.
 */
#define DRM_FORMAT_MOD_VSPLIT_TILED	((0xf5ull << 56) | 1)

/* or'ed to an element of struct drm_vsplit_gem_create.segments */
#define VSPLIT_GEM_SEGMENT_READ_ONLY	0x80u
#define VSPLIT_GEM_SEGMENT_TOPDOWN	0x40u	/* placed from the end of this segment (EXT-27) */

/**
 * struct drm_vsplit_gem_create - Create an allocation.
 * @size: in: bytes, > 0; out: rounded up to the page size.
 * @alignment: bytes, power of two, of its place in a segment; 0: page size.
 * @flags: VSPLIT_GEM_*.
 * @priority: VSPLIT_PRIORITY_MIN to _MAX, see struct drm_vsplit_gem_priority; 0
 *	means VSPLIT_PRIORITY_NORMAL.
 * @num_segments: entries of @segments; 0: every segment of the adapter, in order.
 * @segments: ids in order of preference, each with VSPLIT_GEM_SEGMENT_READ_ONLY if
 *	it may only be there while it is not written (EXT-27: in the read segment set,
 *	but not in the write segment set), and with VSPLIT_GEM_SEGMENT_TOPDOWN if it is
 *	placed from the end of it (the direction of a preference).
 * @handle: out: GEM handle.
 * @id: out: id of the allocation, unique on the adapter; in traces and records.
 * @pitch: with VSPLIT_GEM_SWIZZLED: bytes per row, a multiple of
 *	VSPLIT_TILE_WIDTH (vsplit_isa.h); else 0.
 * @eviction_set: aperture segments that take it when it is evicted from a memory
 *	segment (EvictionSegmentSet, EXT-27); bit n: segment id n + 1. 0: it goes
 *	straight to system memory.
 *
 * The allocation reads as zeros. Its backing store is committed now and kept
 * for its life (paging never allocates). It is charged to the caller's memory cgroup,
 * and counts for its user (fdinfo: vsplit-user-allocations), until it is closed and the
 * work that uses it is done. Its range in a segment is free as soon as it is closed (no
 * handle, name, dma-buf or mapping is left), whether work uses it or not: what is placed
 * there next is used after that work.
 *
 * VSPLIT_GEM_SWIZZLED: commands find the surface in the tiled layout that
 * vsplit_isa.h states (whole rows of tiles; bytes behind the last whole row of
 * tiles are linear), so they use VSPLIT_OP_COPY_2D with its TILED flags. The CPU
 * finds the same bytes in linear order, @pitch bytes per row, wherever the surface
 * is: in system memory it is linear (SEG-10, SEG-15), and in a memory segment the
 * CPU looks at it through a swizzling range, which it acquires when the CPU touches
 * it (SEG-5). If no range can be had, it goes to system memory then (SEG-7). It can
 * be in memory segments only (SEG-17): without @segments, in those of the adapter.
 *
 * VSPLIT_GEM_PINNED: with VSPLIT_GEM_CPU_ACCESS it is where the CPU sees it. Without, it
 * may be where the CPU does not, and the CPU cannot map it then.
 *
 * VSPLIT_GEM_RUNS: its pages need not be together: it takes the lowest holes of its one
 * segment, a memory segment, and fits wherever as many bytes are free, or can be had (EXT-49).
 * Virtual addresses show it as one (struct drm_vsplit_va_bind), and so does the CPU. It has no
 * one address: the allocation list of a context without virtual addresses cannot name it, and
 * a framebuffer is not made of it. Where an offset in the segment is told, it is that of the
 * first run; DRM_IOCTL_VSPLIT_GEM_RUNS tells all.
 *
 * -EINVAL: bad flags, priority, segment id, alignment, pitch, or a size of 0; no
 * segment to be written in, or pinned into one that is read-only; a swizzled one that
 * is pinned, or that names an aperture segment; an eviction set with anything but
 * aperture segments, or of a pinned or swizzled one; one in runs with another flag, an
 * eviction set, an alignment of more than a page, or anything but one memory segment,
 * placed from its begin.
 * -E2BIG: larger than every allowed segment (A16).
 * -ENOSPC: pinned, and there is no room for it beside what else is pinned (with
 * CPU_ACCESS: where the CPU sees it), or beside it for what a file has made resident;
 * nothing was evicted.
 * -EDQUOT: pinned, and the caller lacks CAP_SYS_ADMIN: such clients together pin at most
 * half of the commit limit of a segment, in its first half (of what the CPU sees of
 * it for VSPLIT_GEM_CPU_ACCESS, else of the rest).
 * -ENOMEM: the user's allocations would be more than fdinfo's
 * vsplit-user-allocations-limit, or there is no memory, or none left in the cgroup.
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
 * An allocation takes the lowest hole that fits (or, placed from the end, the
 * highest), of the first segment of its list that has one; only when none has,
 * others are evicted, for its first segment first. From VSPLIT_PRIORITY_HIGH on
 * others are evicted from its first segment before it takes a hole elsewhere.
 * What is in a less preferred segment returns when it is used again while it is
 * idle, and there is a hole in a segment that it prefers.
 *
 * A buffer whose list says VSPLIT_ALLOC_WRITE of it finds it in a segment of the
 * write set: it is moved there where necessary. The CPU may write it anywhere.
 *
 * In a segment that the CPU sees in part, VSPLIT_GEM_CPU_ACCESS prefers the part
 * that it sees, and everything else the rest.
 *
 * What is evicted to make room for others goes to the first segment of its
 * @eviction_set that has room: its bytes go to its pages in system memory, as ever, and
 * these are mapped there, so that nothing is transferred when it leaves that segment,
 * too. Nothing is evicted for it. If the segment is one of its @segments, submissions
 * use it there. A planned split does it when its last portion is done, for what is
 * out then. What the CPU takes out of a segment that it does not see goes straight to
 * system memory.
 */

/* Of one surface, and of the private data of each of its allocations. */
#define VSPLIT_MAX_SURFACE_ALLOCS	8
#define VSPLIT_MAX_PRIVATE_BYTES	256

/** enum drm_vsplit_surface_format - What an allocation of a surface holds. */
enum drm_vsplit_surface_format {
	/** @VSPLIT_SURFACE_LINEAR: rows; the CPU may map and lock it. */
	VSPLIT_SURFACE_LINEAR = 0,
	/** @VSPLIT_SURFACE_TILED: tiles; the GPU's alone: -EACCES for the CPU (SEG-17). */
	VSPLIT_SURFACE_TILED = 1,
};

/**
 * struct drm_vsplit_surface_private - Begin of the private data of an allocation.
 * @format: enum drm_vsplit_surface_format.
 * @client: the client's, as is everything behind it.
 */
struct drm_vsplit_surface_private {
	__u32 format;
	__u32 client;
};

/**
 * struct drm_vsplit_surface_alloc - One allocation of a surface.
 * @create: as for DRM_IOCTL_VSPLIT_GEM_CREATE; out as there.
 * @private_data: struct drm_vsplit_surface_private, and what the client adds to it.
 * @private_bytes: of it; at most VSPLIT_MAX_PRIVATE_BYTES.
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
 * @handles: out: GEM handles of @allocs. These are not told there: the handle of
 *	@create is not written.
 *
 * Format is what the private data tells; placing, paging and everything else is as if
 * the allocations had been created one by one (SEG-20). The client's own jobs copy
 * between them (VSPLIT_OP_COPY_2D): to read the surface, it submits a job that copies
 * tiles to rows, then locks the allocation of rows, which waits for it (SEG-21), unless
 * DONOT_WAIT is set, which is answered by -EBUSY (SEG-22); after writing, it submits
 * one that copies rows to tiles (SEG-23).
 *
 * Errors as of DRM_IOCTL_VSPLIT_GEM_CREATE for any allocation; nothing was created
 * then. -EINVAL: also no allocation, bad format or size of private data; tiles that
 * are VSPLIT_GEM_SWIZZLED or VSPLIT_GEM_CPU_ACCESS. -E2BIG: also too many.
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
 * A hint: idle allocations of lower priority are evicted first, the oldest among
 * equals. Between submissions four levels are told apart, whose lower bounds are
 * MIN, NORMAL, HIGH and MAX; a planned split compares the numbers. A new level
 * counts as a use. Each file that has a handle may change it.
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
 * @offset: out.
 *
 * A mapping stays valid through every eviction, move and page-in (SEG-12).
 *
 * -ENOENT: unknown handle. -EACCES: VSPLIT_SURFACE_TILED, or pinned where the CPU does
 * not see it; here and of mmap().
 */
struct drm_vsplit_gem_mmap_offset {
	__u32 handle;
	__u32 pad;
	__u64 offset;
};

/* struct drm_vsplit_gem_info.flags, out */
/* Its bytes in the segment are newer than the backing store. */
#define VSPLIT_GEM_INFO_DIRTY	(1u << 0)
#define VSPLIT_GEM_INFO_PINNED	(1u << 1)
#define VSPLIT_GEM_INFO_BUSY	(1u << 2)	/* submitted work that uses it is not done */
#define VSPLIT_GEM_INFO_CLEAR	(1u << 3)	/* never written */
#define VSPLIT_GEM_INFO_RANGE	(1u << 4)	/* a swizzling range covers it */
/*
 * Its pages are in use by others (attachments to its dma-buf, kernel mappings): until
 * they are not, it is in system memory or an aperture segment.
 */
#define VSPLIT_GEM_INFO_SHARED	(1u << 5)
/* Its pages are those of a dma-buf; it is only ever in aperture segments. */
#define VSPLIT_GEM_INFO_IMPORTED (1u << 6)
/* It counts in VSPLIT_GROUP_NONLOCAL, else in VSPLIT_GROUP_LOCAL. */
#define VSPLIT_GEM_INFO_NONLOCAL (1u << 7)

/**
 * struct drm_vsplit_gem_info - Where an allocation is.
 * @handle: GEM handle.
 * @flags: out: VSPLIT_GEM_INFO_*.
 * @segment: out: id, or 0 for system memory. With submitted work pending: where
 *	it will be after it.
 * @locks: out: how often it is locked.
 * @offset: out: in the segment.
 * @size: out: bytes.
 * @id: out: unique on the adapter.
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
 * @offset: of the first one, in the segment.
 * @bytes: how many.
 */
struct drm_vsplit_run {
	__u64 offset;
	__u64 bytes;
};

/**
 * struct drm_vsplit_gem_runs - Where all of an allocation is.
 * @handle: GEM handle.
 * @num_runs: in: room at @runs; out: runs of the allocation. If there is room for less than
 *	there is, as many as fit are written.
 * @runs: array of struct drm_vsplit_run, in the order of the allocation's bytes.
 * @segment: out: id, or 0 for system memory; as in struct drm_vsplit_gem_info.
 * @pad: 0.
 *
 * In system memory it has none, and one in a segment that was not created with
 * VSPLIT_GEM_RUNS. What is told was so when the call looked; with submitted work pending it is
 * where it will be after that.
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
#define VSPLIT_LOCK_READ_ONLY	(1u << 0)	/* waits for GPU writers only */
#define VSPLIT_LOCK_WRITE_ONLY	(1u << 1)
#define VSPLIT_LOCK_DONOT_WAIT	(1u << 2)	/* -EBUSY instead of waiting */
/* No wait at all: the caller never overwrites what is in use. */
#define VSPLIT_LOCK_IGNORE_SYNC	(1u << 3)
#define VSPLIT_LOCK_IGNORE_READ_SYNC	(1u << 4)	/* waits for GPU writers only */
/* -EADDRNOTAVAIL instead of an eviction of the allocation (NOTAVAILABLE). */
#define VSPLIT_LOCK_DONOT_EVICT	(1u << 5)
/* Keep the swizzling range until UNLOCK: nothing else takes it (EXT-29). */
#define VSPLIT_LOCK_ACQUIRE_APERTURE	(1u << 6)
/* The bytes are not needed any more: they need not be transferred. */
#define VSPLIT_LOCK_DISCARD	(1u << 7)
#define VSPLIT_LOCK_FLAGS	0xffu

/**
 * struct drm_vsplit_gem_lock - Begin CPU access (WDDM's Lock); UNLOCK ends it.
 * @handle: GEM handle.
 * @flags: VSPLIT_LOCK_*; 0 for UNLOCK. These exclude each other: READ_ONLY and
 *	WRITE_ONLY; READ_ONLY and DISCARD; IGNORE_SYNC and any of IGNORE_READ_SYNC,
 *	ACQUIRE_APERTURE and DISCARD.
 *
 * Waits until submitted work no longer uses the allocation, as far as the flags
 * want it to. Then it moves, if the CPU cannot get at it where it is: to where
 * the CPU sees it, if there is room, else to system memory (SEG-1). A swizzled one
 * acquires a swizzling range (SEG-5) or, if none can be had, goes to system memory
 * (SEG-7). In system memory nothing happens to it (SEG-8, SEG-9). The pointer that
 * mmap() gave is valid before, after and meanwhile.
 *
 * Counted: each LOCK needs its UNLOCK; what a file leaves locked is unlocked when
 * it is closed. A lock with ACQUIRE_APERTURE does not nest with others of its file.
 *
 * While it is locked, by any file, submissions use it in aperture segments only: it
 * goes there, or -EBUSY is the answer to the submission (EXT-37).
 *
 * With DISCARD the bytes are undefined afterwards: old ones of this allocation. It
 * waits as without; there is no renaming.
 *
 * -ENOENT: unknown handle. -EBUSY: DONOT_WAIT, and in use ("still drawing",
 * SEG-22); or it is pinned where the CPU cannot get at it. -EADDRNOTAVAIL:
 * DONOT_EVICT, and it would have to move. -EINVAL: bad flags; IGNORE_SYNC of a
 * swizzled allocation, or of one that can be in no aperture; ACQUIRE_APERTURE of one
 * that can be in apertures only, or that the file has locked already; a second lock
 * beside such a lock; UNLOCK of an allocation that is not locked; it is offered. -EACCES:
 * VSPLIT_SURFACE_TILED. -ENOBUFS: it would have to move, and that as of DRM_IOCTL_VSPLIT_SUBMIT.
 */
struct drm_vsplit_gem_lock {
	__u32 handle;
	__u32 flags;
};

/* ---- contexts ---------------------------------------------------------- */

/* struct drm_vsplit_ctx_create.flags */
#define VSPLIT_CTX_WDDM_ERRORS	(1u << 0)	/* see DRM_IOCTL_VSPLIT_SUBMIT, -ENOSPC */
#define VSPLIT_CTX_FLAGS	VSPLIT_CTX_WDDM_ERRORS

/** enum drm_vsplit_ctx_priority - Of a context's work on its engine. */
enum drm_vsplit_ctx_priority {
	VSPLIT_CTX_PRIORITY_LOW = 0,
	VSPLIT_CTX_PRIORITY_NORMAL = 1,
	/** @VSPLIT_CTX_PRIORITY_HIGH: needs CAP_SYS_NICE or DRM master. */
	VSPLIT_CTX_PRIORITY_HIGH = 2,
};

/**
 * enum drm_vsplit_ctx_mode - Who makes memory resident for a context, and how its
 * commands name memory (RES-22). caps say which kinds the adapter has.
 */
enum drm_vsplit_ctx_mode {
	/**
	 * @VSPLIT_CTX_MODE_PATCH: WDDM 1. The lists of a submission say what it needs, and
	 * it is split where that does not fit.
	 */
	VSPLIT_CTX_MODE_PATCH = 0,
	/**
	 * @VSPLIT_CTX_MODE_EXPLICIT: WDDM 2 on a GPU without virtual addresses. What the
	 * file has made resident (DRM_IOCTL_VSPLIT_MAKE_RESIDENT) is resident when the
	 * context runs; the lists are for patching alone. A submission is one portion.
	 */
	VSPLIT_CTX_MODE_EXPLICIT = 1,
	/** @VSPLIT_CTX_MODE_VA: WDDM 2 with GPU virtual addresses. */
	VSPLIT_CTX_MODE_VA = 2,
	/**
	 * @VSPLIT_CTX_MODE_HW: WDDM 2 with hardware queues: as VA, but that work is put into a
	 * ring (DRM_IOCTL_VSPLIT_HWQ_CREATE), and DRM_IOCTL_VSPLIT_SUBMIT is refused.
	 */
	VSPLIT_CTX_MODE_HW = 3,
};

/**
 * struct drm_vsplit_ctx_create - Create a context.
 * @flags: VSPLIT_CTX_*.
 * @priority: enum drm_vsplit_ctx_priority.
 * @engine: index, below num_engines.
 * @ctx: out: id, valid on this file; never 0.
 * @mode: enum drm_vsplit_ctx_mode.
 * @pad: 0.
 *
 * The first context of a file, or its first MAKE_RESIDENT, fixes its model for good:
 * WDDM 1 (PATCH), or WDDM 2 (all others, which may be mixed).
 *
 * -EINVAL: bad flags, priority, engine or mode; a mode that the adapter does not have,
 * or of the other model. -EACCES: priority not allowed. -ENOSPC: too many contexts on
 * this file. -ENOMEM, also where the user's allocations, which contexts count with, are at
 * their limit.
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
 * struct drm_vsplit_ctx_destroy - Destroy a context; queued work still runs, parked work
 * (struct drm_vsplit_submit) does not.
 * @ctx: id.
 * @pad: 0.
 *
 * -ENOENT: unknown context.
 */
struct drm_vsplit_ctx_destroy {
	__u32 ctx;
	__u32 pad;
};

/** enum drm_vsplit_state - Of a context or device (EXT-3). */
enum drm_vsplit_state {
	VSPLIT_STATE_ACTIVE = 0,
	/** @VSPLIT_STATE_LOST_OOM: WDDM error semantics and a set that cannot fit. */
	VSPLIT_STATE_LOST_OOM = 1,
	/**
	 * @VSPLIT_STATE_LOST_HANG: no progress for the adapter's timeout, or as long a RUN
	 * time while another client waited and the engine could not give way, or waited for
	 * the end of the work, or a head did. Of a hardware queue also: a packet was cut
	 * short because the adapter was reset.
	 */
	VSPLIT_STATE_LOST_HANG = 2,
	/** @VSPLIT_STATE_LOST_FAULT: GPU fault; see the other fields. */
	VSPLIT_STATE_LOST_FAULT = 3,
	/**
	 * @VSPLIT_STATE_LOST_RESIDENCY: a list named what the device has not made
	 * resident (RES-14).
	 */
	VSPLIT_STATE_LOST_RESIDENCY = 4,
	/**
	 * @VSPLIT_STATE_LOST_PAGE_FAULT: page fault of a context with virtual addresses
	 * (EXT-44). The whole device is lost, and no other.
	 */
	VSPLIT_STATE_LOST_PAGE_FAULT = 5,
};

/** enum drm_vsplit_fault - Why a GPU fault happened. */
enum drm_vsplit_fault {
	VSPLIT_FAULT_NONE = 0,
	VSPLIT_FAULT_BAD_PACKET = 1,
	VSPLIT_FAULT_EMPTY_ROW = 2,
	VSPLIT_FAULT_BOUNDS = 3,
	VSPLIT_FAULT_WRITE = 4,
	VSPLIT_FAULT_ALIGN = 5,
	VSPLIT_FAULT_STATE = 6,
	VSPLIT_FAULT_DECODE = 7,
	VSPLIT_FAULT_CANCELLED = 8,
	/** @VSPLIT_FAULT_NOT_MAPPED: page fault: nothing is mapped at the address. */
	VSPLIT_FAULT_NOT_MAPPED = 9,
	/** @VSPLIT_FAULT_NOT_RESIDENT: page fault: what is mapped there is not resident. */
	VSPLIT_FAULT_NOT_RESIDENT = 10,
	/** @VSPLIT_FAULT_READ_ONLY: page fault: write to what is mapped for reading only. */
	VSPLIT_FAULT_READ_ONLY = 11,
};

/** enum drm_vsplit_access - What a page fault was about. */
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
 * @fault_portion: out: portion in which it faulted or hung.
 * @fault_offset: out: offset of the packet in the stream, or in the ring.
 * @fault_slot: out: SlotId, or ~0; 0 without a fault.
 * @pad: 0, in and out.
 * @submission: out: id of the first submission that was lost; 0 if none.
 * @last_submission: out: id of the last accepted submission.
 * @fault_address: out: of a page fault: the first virtual address that could not be
 *	accessed; else 0.
 * @fault_access: out: enum drm_vsplit_access.
 * @fault_engine: out: of a page fault: index of the engine.
 *
 * A page fault loses the whole device; the context in which it happened tells of it.
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
/* WriteOperation: may be written anywhere in this buffer. */
#define VSPLIT_ALLOC_WRITE	(1u << 0)
/* All of it is overwritten before it is read: no load needed. */
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
 * @driver_id: DriverId: the client's tag, returned in records (struct drm_vsplit_row),
 *	else unused.
 * @alloc_offset: AllocationOffset, added to the address.
 * @patch_offset: PatchOffset: of the address operand in the stream.
 * @split_offset: SplitOffset: where the buffer may be cut if the allocation
 *	cannot be paged in. Not decreasing; equal ones form a group (A1).
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
#define VSPLIT_SYNC_SIGNAL	(1u << 0)	/* signalled by this submission, else waited for */
#define VSPLIT_SYNC_TIMELINE	(1u << 1)	/* @point is of a timeline syncobj */
#define VSPLIT_SYNC_FLAGS	(VSPLIT_SYNC_SIGNAL | VSPLIT_SYNC_TIMELINE)

/**
 * struct drm_vsplit_sync - Explicit synchronisation.
 * @handle: syncobj.
 * @flags: VSPLIT_SYNC_*.
 * @point: > 0 with TIMELINE, else 0.
 */
struct drm_vsplit_sync {
	__u32 handle;
	__u32 flags;
	__u64 point;
};

/* struct drm_vsplit_submit.flags */
/* No implicit sync through the allocations. */
#define VSPLIT_SUBMIT_NO_IMPLICIT	(1u << 0)
#define VSPLIT_SUBMIT_FORCE_SPLIT	(1u << 1)	/* take every split point (SPLIT-8) */
#define VSPLIT_SUBMIT_FLAGS	(VSPLIT_SUBMIT_NO_IMPLICIT | VSPLIT_SUBMIT_FORCE_SPLIT)

/**
 * struct drm_vsplit_submit - Submit a DMA buffer. Does not wait for the GPU, but where the file
 * is paced.
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
 * @submission: out: id, 1, 2, … within the context.
 *
 * A stream that begins with VSPLIT_OP_WAIT_FENCE packets whose values are not reached is
 * *parked*: it has its id, and @num_portions is 0, but its fence is none yet: its syncobjs are
 * as they were (DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT waits for them), it has no record, and
 * neither locks, evictions, binds nor other contexts know of it. What the context submits
 * later is parked behind it. When its turn has come and its values are reached, what would
 * have happened in the call happens then, and an error of that is the error of its fence. Whether
 * points of timelines grow is only looked at in the call: what others have signalled since does
 * not count, and the timeline then has a point that does not grow.
 * Parked submissions count as unfinished. They end without being executed when a fence that
 * they wait for is destroyed, the context is destroyed or the file closed (-ECANCELED), the
 * context or the device is lost (-EIO), or the adapter is gone (-ENODEV).
 *
 * A file is *paced* (fdinfo: vsplit-paced) from when another file's submission needs memory that
 * unfinished submissions of the file use, until it has none and no call waits. The call waits
 * then while as many of them are unfinished as the adapter has render engines, not counting what
 * is parked, unless one of them waits for another driver's fence. A signal ends the wait;
 * nothing has happened then, and the call is restarted.
 *
 * -ENOENT: unknown context, GEM handle, monitored fence or syncobj, or a syncobj to wait for
 *	has no fence.
 * -EINVAL: malformed stream or list: reserved bits, slot >= num_slots,
 *	decreasing SplitOffset, PatchOffset before its SplitOffset, not on a
 *	command boundary, an address operand without exactly one patch element, an
 *	allocation named twice, or offered, a timeline point that does not grow, a wait for a
 *	monitored fence behind another packet.
 * -E2BIG: over a published limit; that of portions (VSPLIT_MAX_PORTIONS) is known
 *	when they are planned, and then nothing was executed. Also if it would need more
 *	kernel memory than max_unfinished_bytes alone, for its stream, lists, portions and
 *	record, and while it is planned for that.
 * -EIO: the context or the device is lost.
 * -ENOBUFS: too many of the file's submissions are not finished, or they, and what
 *	leaves for them, hold too much kernel memory (max_unfinished and
 *	max_unfinished_bytes of the adapter); or those of all files of its user do,
 *	closed ones included (fdinfo: vsplit-user-work-limit; a file without any is
 *	refused at twice that). Wait for the fence of one of them, and submit again.
 *	The ioctl does not wait, because what they wait for may be the caller's to
 *	signal. Where all submissions of the file are done, and what leaves for it
 *	is not, there is no fence to wait for: submit again after a while.
 * -EBUSY: an allocation that a patch element names is pinned where it may not be
 *	used; or the CPU has it locked, or others use its pages
 *	(VSPLIT_GEM_INFO_SHARED), and it can be in no aperture (EXT-37).
 * -ENOSPC: some group does not fit into video memory even alone; nothing was
 *	executed, and nothing was evicted for it. On a context with WDDM error
 *	semantics the portions before that group are executed instead, the ioctl
 *	succeeds, the device is lost (VSPLIT_STATE_LOST_OOM), and the submission's
 *	fence has error -ENOMEM.
 * -EPERM: leak detection refused a split (EXT-11).
 *
 * On a context with VSPLIT_CTX_MODE_EXPLICIT all that the file has made resident is
 * resident before anything of it runs, whether the lists name it or not (RES-4, RES-5),
 * and the lists never make anything resident (RES-10). An allocation list that names
 * what the file has not made resident is refused with -EINVAL, and the device is lost
 * (VSPLIT_STATE_LOST_RESIDENCY): every further submission on any of its contexts is
 * answered by -EIO. VSPLIT_SUBMIT_FORCE_SPLIT is -EINVAL. -ENOSPC: what was pinned since
 * leaves room enough for the list, but not in one piece for each, or a head shows what takes
 * it, or what was reclaimed since needs more; nothing was executed.
 *
 * On a context with VSPLIT_CTX_MODE_VA commands name memory by virtual addresses (see
 * DRM_IOCTL_VSPLIT_VA_BIND, vsplit_isa.h). There is no patch-location list (RES-16):
 * @num_patches > 0 is -EINVAL. An allocation list has VSPLIT_MAX_VA_ALLOCS elements at most
 * (RES-17), else -E2BIG; it makes nothing resident, and what it names is synchronised
 * implicitly as ever, which orders a buffer that writes a primary with its pending flips
 * (RES-18). A primary, of which a framebuffer was made, that it names as written and that is
 * not required is -EINVAL; the device is not lost (RES-19). A submission is one portion. An
 * access to what is not mapped, not resident, or mapped for reading only and written, is a page
 * fault (EXT-44): the fence has error -EFAULT, the device is lost
 * (VSPLIT_STATE_LOST_PAGE_FAULT), other devices do not notice.
 *
 * On a context with VSPLIT_CTX_MODE_HW it is -EINVAL, whatever it says (RES-22, RES-23).
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
/* The last try: do not refuse because a trim was not answered (EXT-40). */
#define VSPLIT_RESIDENT_CANT_TRIM_FURTHER	(1u << 0)
#define VSPLIT_RESIDENT_FLAGS	VSPLIT_RESIDENT_CANT_TRIM_FURTHER

/**
 * struct drm_vsplit_make_resident - Add allocations to the file's requirement list.
 * @handles: array of GEM handles, __u32 each. One that is named n times counts n times.
 * @num_handles: elements of @handles, 1 to VSPLIT_MAX_RESIDENCY.
 * @flags: VSPLIT_RESIDENT_*.
 * @point: out: 0: all are resident now. Else the point of the file's paging timeline
 *	(struct drm_vsplit_residency.syncobj) from which on they are; submissions of the
 *	file wait for it by themselves.
 * @trim_bytes: out, with -ENOSPC: bytes that the file has to take off its list before
 *	this can succeed; 0 otherwise.
 *
 * All or nothing (RES-6), and counted (RES-9): what was added n times is required until
 * it was taken off n times, the handle by which it was named last is closed, the device is
 * lost or the file is closed. Decided for the list as a whole: can all that is on it then be
 * resident together, whatever of others is not pinned? If so what lacks is paged in, and what
 * others do not require leaves first, and an allocation that would leave too few bytes for
 * it is not created with VSPLIT_GEM_PINNED from then on. It does not wait for the GPU. Where
 * another thread closes one of the handles meanwhile, it may be on the list all the same.
 *
 * -EINVAL: bad flags or number; one is offered; the file's model is WDDM 1, or the adapter has
 * PATCH contexts alone. -ENOENT: unknown handle. -E2BIG: too many handles, or one that
 * VSPLIT_MAX_SHARERS other files require, or whose unfinished work does (RES-7), or it would
 * need more kernel memory than max_unfinished_bytes. -EFAULT. -EIO: the device is lost.
 * -ENOSPC: the list with them cannot be resident as a whole, or a trim is not answered
 * and CANT_TRIM_FURTHER is not set. -EBUSY: the CPU has one locked, or others use its
 * pages, and it can be in no aperture. -ENOBUFS as of DRM_IOCTL_VSPLIT_SUBMIT. After an
 * error nothing of the list has changed; @trim_bytes is written with -ENOSPC alone.
 */
struct drm_vsplit_make_resident {
	__u64 handles;
	__u32 num_handles;
	__u32 flags;
	__u64 point;
	__u64 trim_bytes;
};

/* struct drm_vsplit_evict.flags (EXT-41) */
/* What is not required any more stays where it is until its room is needed. */
#define VSPLIT_EVICT_IF_NECESSARY	(1u << 0)
/* The GPU has not written them since they were paged in: nothing need be saved. */
#define VSPLIT_EVICT_NOT_WRITTEN	(1u << 1)
#define VSPLIT_EVICT_FLAGS	(VSPLIT_EVICT_IF_NECESSARY | VSPLIT_EVICT_NOT_WRITTEN)

/**
 * struct drm_vsplit_evict - Take allocations off the file's requirement list.
 * @handles: array of GEM handles, __u32 each; one that is named n times counts n times.
 * @num_handles: elements of @handles, 1 to VSPLIT_MAX_RESIDENCY.
 * @flags: VSPLIT_EVICT_*.
 * @trim_bytes: out: bytes that the file was asked to give back and still has.
 *
 * All or nothing. What was taken off as often as it was added is required no more once
 * the work is done that the file has submitted so far (RES-7). Without IF_NECESSARY it
 * is then evicted, if no other file requires it; nothing waits for that.
 *
 * NOT_WRITTEN takes effect at once, and only for allocations that no other file knows.
 *
 * -EINVAL: bad flags or number; one of them is on the list less often than it is named:
 * nothing has changed (RES-9); the file's model is WDDM 1. -ENOENT: unknown handle.
 * -E2BIG: too many handles. -EFAULT.
 */
struct drm_vsplit_evict {
	__u64 handles;
	__u32 num_handles;
	__u32 flags;
	__u64 trim_bytes;
};

/** enum drm_vsplit_offer_priority - In which order offered allocations leave (EXT-47). */
enum drm_vsplit_offer_priority {
	/** @VSPLIT_OFFER_LOW: these first. */
	VSPLIT_OFFER_LOW = 1,
	VSPLIT_OFFER_NORMAL = 2,
	VSPLIT_OFFER_HIGH = 3,
	/** @VSPLIT_OFFER_AUTO: last, by the priorities of the allocations. */
	VSPLIT_OFFER_AUTO = 4,
};

/**
 * struct drm_vsplit_offer - The bytes of allocations are not needed until they are reclaimed.
 * @handles: array of GEM handles, __u32 each.
 * @num_handles: elements of @handles, 1 to VSPLIT_MAX_RESIDENCY.
 * @priority: enum drm_vsplit_offer_priority.
 *
 * All or nothing. What was submitted before still uses them. From then on they are the first
 * that leave a memory segment when room is needed, and nothing is transferred when they do:
 * their bytes are lost (a mapping then shows older ones of the same allocation, or zeros).
 * Until they are reclaimed LOCK, MAKE_RESIDENT, and SUBMIT with a list that names one, are
 * answered by -EINVAL. If the file requires one (MAKE_RESIDENT before), its work does not wait
 * for it; by a virtual address it can be accessed as long as it is there. Offered again it
 * gets the new priority.
 *
 * -ENOENT: unknown handle. -EINVAL: bad priority; no handle. -E2BIG: too many handles.
 * -EBUSY: one is locked by the CPU, pinned, or known to another file or driver; what was
 * exported as a dma-buf stays so as long as its handle. -EFAULT.
 */
struct drm_vsplit_offer {
	__u64 handles;
	__u32 num_handles;
	__u32 priority;
};

/**
 * struct drm_vsplit_reclaim - Offered allocations are needed again.
 * @handles: array of GEM handles, __u32 each.
 * @discarded: array of __u32, @num_handles elements, out: 1: its bytes were lost; else 0. Or 0:
 *	the client takes them for lost.
 * @num_handles: elements of @handles, 1 to VSPLIT_MAX_RESIDENCY.
 * @pad: 0.
 *
 * Those that were lost have their backing store and undefined bytes: old ones of the same
 * allocation, or zeros. Those that the file requires are resident again when its next
 * submission runs, or the next packet that a hardware queue begins. Of what was not offered
 * nothing is lost.
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
 * struct drm_vsplit_group_info - What a file may have, and has, of a group.
 * @budget: bytes that it should not exceed: its share of what is not VSPLIT_GEM_PINNED, or
 *	what test mode has set. It is enforced under pressure only.
 * @usage: bytes that its requirement list holds. An allocation counts in the group of
 *	the first of its segments.
 * @reservation: bytes that it is not asked for because others need them
 *	(DRM_IOCTL_VSPLIT_RESERVE): what it has reserved, at most @available.
 * @available: bytes that it may reserve: half of what is not pinned, shared equally among the
 *	files that reserve any of it, this one included.
 */
struct drm_vsplit_group_info {
	__u64 budget;
	__u64 usage;
	__u64 reservation;
	__u64 available;
};

/* struct drm_vsplit_residency.flags */
/* From now on tell of changed budgets, too (struct drm_vsplit_budget_event). */
#define VSPLIT_RESIDENCY_WATCH_BUDGET	(1u << 0)
/* From now on each trim signals the eventfd @fd, in place of any other; -1: none. */
#define VSPLIT_RESIDENCY_EVENTFD	(1u << 1)
#define VSPLIT_RESIDENCY_FLAGS		(VSPLIT_RESIDENCY_WATCH_BUDGET | \
					 VSPLIT_RESIDENCY_EVENTFD)

/**
 * struct drm_vsplit_residency - Ask for the file's residency.
 * @handle: GEM handle, or 0.
 * @count: out: how often @handle is on the list; 0 without one. A lost device requires
 *	nothing, but EVICT goes on to count.
 * @members: out: allocations on the list.
 * @syncobj: out: the paging timeline, a syncobj of this file. It is made by the first
 *	call, and is the file's to close.
 * @point: out: the last point of it that MAKE_RESIDENT returned.
 * @trims: out: how often the file was asked to give back memory (RES-8).
 * @trim_bytes: out: bytes that it was asked for and still has.
 * @trim_reason: out: enum drm_vsplit_trim_reason of the last time.
 * @trim_group: out: enum drm_vsplit_group of the last time.
 * @groups: out: by enum drm_vsplit_group.
 * @flags: VSPLIT_RESIDENCY_*.
 * @fd: with EVENTFD: of an eventfd, or -1; else 0. The caller may close it.
 *
 * Asking arms the trim event (struct drm_vsplit_trim_event) again, and if the file watches
 * its budgets, the budget event.
 *
 * An eventfd (EXT-42) needs no such asking: it is signalled each time the file is asked to give
 * back memory, also while the last event is unread; this call tells how much. It is signalled
 * once more when the adapter is removed, after which every call has -ENODEV, and never after the
 * file is closed.
 *
 * -ENOENT: unknown handle. -EINVAL: @flags, or @fd is no eventfd. -EBADF: @fd is not open.
 * -ENOMEM. After an error it signals what it did before.
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
 * struct drm_vsplit_reserve - Say how much the file needs to be of use (EXT-43).
 * @group: enum drm_vsplit_group.
 * @pad: 0.
 * @bytes: replaces what it has reserved; 0: nothing.
 * @available: out, also with -ENOSPC: bytes that it may reserve.
 *
 * A file is not asked to give back what it has reserved because others need it (RES-8). It is
 * no more than that: memory that others need is evicted as ever while the file does not run, its
 * budget does not grow, and a budget that test mode has set is asked for in full. When more files
 * reserve, the part of each gets smaller (struct drm_vsplit_group_info.available), so that no file
 * keeps others from it, and all together it is half of what is not pinned at most.
 *
 * The reservation ends when the device is lost or the file is closed.
 *
 * After an error nothing has changed. -EINVAL: bad group or @pad; the file's model is WDDM 1, or
 * the adapter has PATCH contexts alone. -ENOSPC: more than @available. -EIO: the device is lost.
 */
struct drm_vsplit_reserve {
	__u32 group;
	__u32 pad;
	__u64 bytes;
	__u64 available;
};

/** enum drm_vsplit_trim_reason - Why a file shall give back memory (EXT-42). */
enum drm_vsplit_trim_reason {
	/** @VSPLIT_TRIM_NONE: it never was asked. */
	VSPLIT_TRIM_NONE = 0,
	/** @VSPLIT_TRIM_DEMAND: another one needs it, and what this one requires left. */
	VSPLIT_TRIM_DEMAND = 1,
	/** @VSPLIT_TRIM_BUDGET: it has more than its budget. */
	VSPLIT_TRIM_BUDGET = 2,
	/**
	 * @VSPLIT_TRIM_PERIODIC: so much was not used in a period of the adapter's option
	 * trim_period_ms: it was on the list when that began, and no submission that was
	 * made in it lists it. Where something was submitted in a context of
	 * VSPLIT_CTX_MODE_VA, all was used. A file that has made a hardware queue is not
	 * asked: what such queues use is not known. While another question is unanswered
	 * this one is not asked, and while there is enough for all it may be ignored; each
	 * period asks anew.
	 */
	VSPLIT_TRIM_PERIODIC = 3,
};

/* drm_event.type */
#define DRM_VSPLIT_EVENT_TRIM	0x80000000
#define DRM_VSPLIT_EVENT_BUDGET	0x80000001

/**
 * struct drm_vsplit_trim_event - TrimResidency (RES-8): the file is asked to take
 * allocations off its list. By read() and poll() on the DRM file. When the adapter goes away
 * poll() ends with POLLHUP and POLLERR.
 * @base: type DRM_VSPLIT_EVENT_TRIM.
 * @bytes: as many as this.
 * @reason: enum drm_vsplit_trim_reason.
 * @group: enum drm_vsplit_group: of which segments.
 * @trims: how often the file was asked so far.
 *
 * There is one at a time: after one was sent there is no other until
 * DRM_IOCTL_VSPLIT_RESIDENCY was called, which tells the newest figures. Where a file reads none
 * its queue ends at 4096 bytes, and that call makes room for no more. A file that
 * does not answer is refused MAKE_RESIDENT (-ENOSPC, see CANT_TRIM_FURTHER) while there
 * is not enough for all.
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
 * @budget: by enum drm_vsplit_group; as in struct drm_vsplit_group_info.
 * @reservation: likewise.
 *
 * For files that have asked with VSPLIT_RESIDENCY_WATCH_BUDGET. There is one at a time: after
 * one was sent there is no other until DRM_IOCTL_VSPLIT_RESIDENCY was called, which tells the
 * newest figures.
 */
struct drm_vsplit_budget_event {
	struct drm_event base;
	__u64 budget[VSPLIT_NUM_GROUPS];
	__u64 reservation[VSPLIT_NUM_GROUPS];
};

/* ---- virtual addresses ------------------------------------------------- */

/** enum drm_vsplit_va_op_type - What an element of a VA_BIND does. */
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
 * @address: first address, a multiple of the page size, as what follows.
 * @bytes: of the range, > 0; it ends at VSPLIT_VA_BYTES at most.
 * @offset: MAP: of the part in the allocation, in which @bytes fit; else 0.
 *
 * What the range showed before is replaced. Other parts of mappings that it cuts stay.
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
 * A file has one address space, from its first context of VSPLIT_CTX_MODE_VA or _HW on, for all
 * of them. What the file has submitted before still sees the old addresses, and what it submits
 * afterwards sees the new ones, whatever @syncs adds to that. What is in the ring of a hardware
 * queue is not submitted in this sense: it sees the new ones as soon as they are there, in the
 * middle of a packet, too; so wait for one of @syncs before packets use them. Does not wait for the
 * GPU.
 *
 * An allocation may be mapped at many addresses; what writes them all when it moves is the work of
 * the client that needs its place, so there are limits. Its addresses stay when it moves,
 * is evicted and paged in again; while it is not resident (DRM_IOCTL_VSPLIT_MAKE_RESIDENT) an
 * access to them is a page fault. A mapping keeps an allocation alive: one whose handle is
 * closed ends with its last mapping. While an allocation is mapped otherwise than READ_ONLY
 * the GPU counts as writing it, so it is used in segments alone where the GPU may write it,
 * and is never evicted without a transfer.
 *
 * Page tables are memory of the file's user (fdinfo: vsplit-user-allocations).
 *
 * After an error no address has changed. -EINVAL: bad type, flags, range, handle, syncs or
 * pad; the file has no address space. -ENOENT: unknown handle or syncobj, or one to wait for
 * has no fence. -E2BIG: too many elements; one adds to what shows an allocation, which is more than
 * VSPLIT_MAX_MAPPINGS or VSPLIT_MAX_MAPPED_TIMES allow then; or they map, make sparse or unmap more
 * than VSPLIT_MAX_VA_OPS_BYTES together, of which what shows nothing anyway is no part, and a 64th
 * of what stays of a mapping is, each time that one cuts it; or what they add and what is
 * in their way is more than 380,000 mappings or so, which would hold more than an adapter's
 * max_unfinished_bytes: unmap in parts. -ENOBUFS: as of DRM_IOCTL_VSPLIT_SUBMIT. -EIO: the
 * device is lost.
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
 * @value: that it begins with.
 * @handle: out: of the fence, valid on this file; never 0.
 * @flags: 0.
 * @offset: out: for mmap() on the DRM file: one page, read-only, whose first 8 bytes are the
 *	value. The mapping outlives the handle.
 *
 * It is raised by DRM_IOCTL_VSPLIT_FENCE_SIGNAL and by VSPLIT_OP_SIGNAL_FENCE, and waited for
 * by DRM_IOCTL_VSPLIT_FENCE_WAIT and by VSPLIT_OP_WAIT_FENCE (vsplit_isa.h), also before
 * anything is there that will raise it. There is no way to make a syncobj or a sync_file of
 * it: the kernel waits for these where it needs memory, and so must not depend on a value that
 * userspace raises when it wants to, or never.
 *
 * The page is memory of the file's user (fdinfo: vsplit-user-allocations).
 *
 * -EINVAL: @flags. -ENOSPC: the file has VSPLIT_MAX_FILE_FENCES. -ENOMEM.
 */
struct drm_vsplit_fence_create {
	__u64 value;
	__u32 handle;
	__u32 flags;
	__u64 offset;
};

/**
 * struct drm_vsplit_fence_destroy - Destroy a monitored fence.
 * @handle: of the fence.
 * @pad: 0.
 *
 * What waits by this handle for a value that is not reached waits no more: a call returns
 * -ECANCELED, an eventfd is signalled, a submission is not executed (its fence has error
 * -ECANCELED). A packet that would raise it does nothing.
 *
 * -ENOENT: unknown handle. -EINVAL: @pad.
 */
struct drm_vsplit_fence_destroy {
	__u32 handle;
	__u32 pad;
};

/**
 * struct drm_vsplit_fence_signal - Raise a monitored fence.
 * @handle: of the fence.
 * @pad: 0.
 * @value: that it has at least: a smaller one than it has changes nothing.
 *
 * -ENOENT: unknown handle. -EINVAL: @pad.
 */
struct drm_vsplit_fence_signal {
	__u32 handle;
	__u32 pad;
	__u64 value;
};

/* struct drm_vsplit_fence_wait.flags */
/* Do not wait: signal the eventfd @fd, once. */
#define VSPLIT_FENCE_WAIT_EVENTFD	(1u << 0)
#define VSPLIT_FENCE_WAIT_FLAGS		VSPLIT_FENCE_WAIT_EVENTFD

/**
 * struct drm_vsplit_fence_wait - Wait until a monitored fence has reached a value.
 * @handle: of the fence.
 * @flags: VSPLIT_FENCE_WAIT_*.
 * @value: that it has at least.
 * @timeout_ns: CLOCK_MONOTONIC, absolute; not after now: do not wait. 0 with EVENTFD.
 * @fd: with EVENTFD: of an eventfd; else 0.
 * @pad: 0.
 *
 * -ENOENT: unknown handle. -ETIME: the value was not reached in time. -ECANCELED: the fence
 * was destroyed meanwhile. -EINVAL: @flags, @pad, or what they do not take; @fd is not an
 * eventfd. -EBADF: @fd. -ENOSPC: VSPLIT_MAX_FENCE_EVENTS wait. -ENOMEM.
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
 * struct drm_vsplit_fence_export - A descriptor of a monitored fence, for other files.
 * @handle: of the fence.
 * @fd: out: close-on-exec, the caller's to close. It can be passed on and imported, and does
 *	nothing else; the value lives as long as it, or a handle.
 *
 * -ENOENT: unknown handle. -EMFILE, -ENFILE, -ENOMEM.
 */
struct drm_vsplit_fence_export {
	__u32 handle;
	__s32 fd;
};

/**
 * struct drm_vsplit_fence_import - A handle of this file for an exported fence.
 * @fd: from DRM_IOCTL_VSPLIT_FENCE_EXPORT, of any adapter's; still the caller's.
 * @handle: out: of the fence; another one each time.
 * @offset: out: as in struct drm_vsplit_fence_create.
 *
 * All of its handles are of one value: each may raise it, by processors and engines, and what
 * waits by any of them is woken. Closing one ends what waits by that one alone; it counts among
 * VSPLIT_MAX_FENCE_SHARES as long as its page is mapped. The page stays that of the user who made
 * the fence.
 *
 * -EBADF: @fd. -EINVAL: it is no fence. -ENOSPC: VSPLIT_MAX_FENCE_SHARES or
 * VSPLIT_MAX_FILE_FENCES. -ENOMEM.
 */
struct drm_vsplit_fence_import {
	__s32 fd;
	__u32 handle;
	__u64 offset;
};

/* ---- hardware queues --------------------------------------------------- */

/* Pages of a hardware queue, in units of the page size. */
#define VSPLIT_HWQ_DOORBELL	0	/* a store to it rings; what is stored does not matter */
#define VSPLIT_HWQ_CONTROL	1	/* struct drm_vsplit_hwq_control */
#define VSPLIT_HWQ_RING		2	/* the first one of the ring */

#define VSPLIT_HWQ_MIN_RING	4096u
#define VSPLIT_HWQ_MAX_RING	(1u << 20)
#define VSPLIT_HWQ_HISTORY	256u	/* times that VSPLIT_OP_HISTORY can write */

/**
 * struct drm_vsplit_hwq_control - Shared by the client and the engine.
 * @tail: the client's: bytes of packets that it has put into the ring, ever.
 * @pad: another cache line.
 * @done: the engine's: bytes of packets that were executed, ever; what they wrote is there
 *	when this is seen. What the client stores here means nothing.
 * @pad2: another cache line.
 * @history: the engine's clock, ns, where it executed VSPLIT_OP_HISTORY (vsplit_isa.h); on
 *	the model clock, the model's. Written before @done (WDDM's history buffers).
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
 * @ctx: the context.
 * @ring_bytes: a power of two, VSPLIT_HWQ_MIN_RING to VSPLIT_HWQ_MAX_RING.
 * @offset: out: for mmap() on the DRM file, with MAP_SHARED.
 * @bytes: out: to map: the doorbell, the control page and the ring.
 *
 * Work needs no call from there on. The client writes packets (vsplit_isa.h) into the ring,
 * byte n of all that it ever writes at n modulo @ring_bytes, so that @tail of the control page
 * is never more than @ring_bytes ahead of @done; then @tail, then anything into the doorbell,
 * in this order. Packets are executed in order; state registers stay from one to the next. The
 * engine copies each packet, and checks the copy.
 *
 * Before any of them is executed all that the file has made resident is resident (RES-5). To
 * take some of it the queues of the file are stopped between two packets first (EXT-54), and go
 * on when it is back; a queue that has no work is not brought back for. Fences of allocations
 * know nothing of this work: neither locks, nor submissions, nor page flips wait for it.
 * Engines share themselves among clients as ever, and a queue gives way between packets by slices
 * of time, whether VSPLIT_CAP_PACKET_PREEMPTION is there or not.
 *
 * What is no packet loses the context (VSPLIT_STATE_LOST_FAULT), as does one that does not
 * end (VSPLIT_STATE_LOST_HANG); a page fault the device (VSPLIT_STATE_LOST_PAGE_FAULT). So does
 * a @tail that is no multiple of 8, too far ahead, or in the middle of a packet.
 *
 * DRM_IOCTL_VSPLIT_CTX_DESTROY, and closing the file, cut the packet short that is being
 * executed, and drop the others. The mapping stays valid, and does nothing any more.
 *
 * The pages are memory of the file's user (fdinfo: vsplit-user-allocations).
 *
 * -ENOENT: unknown context. -EINVAL: not of VSPLIT_CTX_MODE_HW, or bad size. -EBUSY: it has
 * one. -ENOMEM: also, the user's allocations would be too much.
 */
struct drm_vsplit_hwq_create {
	__u32 ctx;
	__u32 ring_bytes;
	__u64 offset;
	__u64 bytes;
};

/**
 * struct drm_vsplit_hwq_wait - Wait for progress of a hardware queue.
 * @ctx: the context.
 * @pad: 0.
 * @done: until so many bytes of packets were executed, ever.
 * @timeout_ns: until then at the latest; CLOCK_MONOTONIC. 0: do not wait.
 *
 * -ENOENT: unknown context, or it was destroyed meanwhile. -EINVAL: it has no queue, or @pad.
 * -ETIME: not so far yet. -EIO: not so far, and the context or the device is lost.
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
	/** @VSPLIT_EVENT_PAGE_IN: system memory to a memory segment. */
	VSPLIT_EVENT_PAGE_IN = 1,
	/** @VSPLIT_EVENT_EVICT: memory segment to system memory. */
	VSPLIT_EVENT_EVICT = 2,
	/** @VSPLIT_EVENT_MOVE: inside or between memory segments. */
	VSPLIT_EVENT_MOVE = 3,
	/** @VSPLIT_EVENT_MAP: into an aperture segment. */
	VSPLIT_EVENT_MAP = 4,
	/** @VSPLIT_EVENT_UNMAP: out of an aperture segment. */
	VSPLIT_EVENT_UNMAP = 5,
	/** @VSPLIT_EVENT_ACQUIRE_RANGE: a swizzling range was set; in traces only. */
	VSPLIT_EVENT_ACQUIRE_RANGE = 6,
	/** @VSPLIT_EVENT_RELEASE_RANGE: one was taken away; in traces only. */
	VSPLIT_EVENT_RELEASE_RANGE = 7,
};

/* struct drm_vsplit_event.flags */
#define VSPLIT_EVENT_SKIPPED	(1u << 0)	/* portion: did not or not all run */
#define VSPLIT_EVENT_FOREIGN	(1u << 1)	/* paging of an allocation outside the list */
#define VSPLIT_EVENT_FILLED	(1u << 2)	/* page-in by fill, nothing transferred */

/**
 * struct drm_vsplit_event - One step of a submission.
 * @type: enum drm_vsplit_event_type.
 * @flags: VSPLIT_EVENT_*.
 * @portion: index of the portion; of a paging step: that it serves, or the number of
 *	portions if it comes after the last one (eviction_set).
 * @handle: GEM handle of the allocation as in the list; 0 if foreign.
 * @id: id of the allocation; 0 if the file has no handle of it: then the event is the sum
 *	of all that was done so with such allocations for the submission, @at, @from and
 *	@from_segment are 0, and its times are from the begin of the first to the end of the
 *	last that is done.
 * @segment: paging: segment id that it enters, or leaves by an eviction.
 * @from_segment: of a move: segment id that it leaves.
 * @at: paging: offset in @segment. Portion: 0.
 * @from: move: offset in @from_segment. Portion: 0.
 * @bytes: paging: size of the allocation, or sum of sizes. Portion: 0.
 * @copied: bytes transferred.
 * @begin: portion: first byte of the window.
 * @end: portion: one past its last byte.
 * @patch_first: portion: first patch element that takes effect in it.
 * @patch_count: portion: how many do.
 * @row_first: portion: first of the record's rows that takes effect in it.
 * @row_count: portion: how many do.
 * @t0_ns: begin, the adapter's clock; 0 before it began.
 * @t1_ns: end; 0 before it ended.
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
 * @segment: where the allocation was: segment id; 0 with @handle 0.
 * @driver_id: DriverId of the element.
 * @offset: in the segment.
 *
 * Row i tells about element i of the list. The table at a portion's end is the fold
 * of all rows up to its last one: the last of a slot counts.
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
 * @ctx: context.
 * @pad: 0.
 * @submission: its id.
 * @events: array of struct drm_vsplit_event, in execution order.
 * @rows: array of struct drm_vsplit_row, in list order.
 * @num_events: in: room at @events; out: events of the record.
 * @num_rows: in: room at @rows; out: rows of the record.
 * @num_portions: out.
 * @error: out: 0, or the errno (positive) that its fence was signalled with.
 * @done: out: 1 once its fence is signalled.
 * @fault: out: enum drm_vsplit_fault.
 *
 * The kernel keeps the last 64 records of each context; fewer, if those of the file would
 * take more than half of max_unfinished_bytes together: then the oldest of the file go.
 * The last one goes only if its user's files keep too much together (fdinfo:
 * vsplit-user-work-limit; half of that). If there is room for less
 * than there is, as much as fits is written.
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
	/** @VSPLIT_ESCAPE_EVICT: evict one allocation, as its eviction_set says. */
	VSPLIT_ESCAPE_EVICT = 0,
	/** @VSPLIT_ESCAPE_EVICT_ALL: evict everything that is not pinned. */
	VSPLIT_ESCAPE_EVICT_ALL = 1,
	/** @VSPLIT_ESCAPE_PAGE_IN: page one in, to segment id @value (0: by preference). */
	VSPLIT_ESCAPE_PAGE_IN = 2,
	/**
	 * @VSPLIT_ESCAPE_SUSPEND: engine @value, behind those that render the one that pages, takes
	 * no further program until RESUME or close.
	 */
	VSPLIT_ESCAPE_SUSPEND = 3,
	/** @VSPLIT_ESCAPE_RESUME: engine @value goes on. */
	VSPLIT_ESCAPE_RESUME = 4,
	/** @VSPLIT_ESCAPE_TRIM: ask the calling file to give back @value bytes. */
	VSPLIT_ESCAPE_TRIM = 5,
	/**
	 * @VSPLIT_ESCAPE_BUDGET: the budget of the calling file in the group of segments
	 * @handle (enum drm_vsplit_group) is @value bytes; ~0: its share again.
	 */
	VSPLIT_ESCAPE_BUDGET = 6,
	/** @VSPLIT_ESCAPE_PERIOD: a period of periodic trims ends now, if there are any. */
	VSPLIT_ESCAPE_PERIOD = 7,
};

/**
 * struct drm_vsplit_escape - Test mode only, and root (CAP_SYS_ADMIN) only.
 * @op: enum drm_vsplit_escape_op.
 * @handle: GEM handle, where the operation is about an allocation; else 0, but for BUDGET.
 * @value: of the operation; else 0.
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
