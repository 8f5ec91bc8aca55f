/* SPDX-License-Identifier: MIT */
/*
 * Helpers for tests of the vsplit driver.
 *
 * Functions come in pairs: vsplit_x() asserts, __vsplit_x() returns -errno. They call the driver's
 * ioctls directly, so that nothing is between the test and the kernel; of the driver's library they
 * use only the part that puts packets into memory. The helpers remember what they make (adapters,
 * files, allocations, buffers, records), and vsplit_cleanup() gives it all back, so that a failed
 * subtest leaves nothing to the next one.
 */
#ifndef IGT_VSPLIT_H
#define IGT_VSPLIT_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include "packets.h"

/* ---- adapters ----------------------------------------------------------- */

/**
 * struct vsplit_seg_opts - One segment of an adapter that a test makes.
 * @name: directory name; NULL ends the list.
 * @aperture: true for an aperture segment, false for a memory segment.
 * @size: bytes.
 * @commit: commit limit, bytes; 0 leaves the default, which is @size.
 * @cpu: "all", "none", bytes; NULL leaves the default.
 * @ranges: swizzling ranges; 0 leaves the default, none.
 */
struct vsplit_seg_opts {
	const char *name;
	bool aperture;
	uint64_t size;
	uint64_t commit;
	const char *cpu;
	unsigned int ranges;
};

/**
 * struct vsplit_adapter_opts - An adapter that a test makes; 0 leaves the driver's default.
 * @preemption is "none", "split-point" or "packet"; if it is NULL, @save_restore decides, and is
 * written even if it is false.
 */
struct vsplit_adapter_opts {
	struct vsplit_seg_opts segs[VSPLIT_MAX_SEGMENTS + 1];
	unsigned int slots;
	unsigned int engines;
	unsigned int heads;
	unsigned int timeout_ms;
	unsigned int trim_period_ms;
	uint64_t aperture_limit;
	bool save_restore;
	const char *preemption;
	bool paging_own;
	bool model_clock;
	bool lenient;
	bool leak_detection;
	bool lru;
	bool planned;
	const char *contexts;
	bool test;
};

/**
 * struct vsplit_adapter - An adapter made through configfs.
 * @name: its directory.
 * @device: name of the platform device, once enabled.
 * @render: minor of its render node, once enabled.
 * @primary: minor of its primary node, once enabled.
 * @opts: the options it was made with.
 */
struct vsplit_adapter {
	char name[32];
	char device[64];
	int render;
	int primary;
	bool used;
	struct vsplit_adapter_opts opts;
};

/* Needs configfs, the module and root; skips the subtest otherwise. */
void vsplit_require_configfs(void);
struct vsplit_adapter *vsplit_adapter_create(const struct vsplit_adapter_opts *opts);
/* Makes the directories and writes all options, but does not enable the adapter. */
struct vsplit_adapter *vsplit_adapter_prepare(const struct vsplit_adapter_opts *opts);
int __vsplit_adapter_enable(struct vsplit_adapter *ad);
void vsplit_adapter_enable(struct vsplit_adapter *ad);
void vsplit_adapter_disable(struct vsplit_adapter *ad);
void vsplit_adapter_destroy(struct vsplit_adapter *ad);
/* @path is relative to the adapter's directory. */
int __vsplit_adapter_write(struct vsplit_adapter *ad, const char *path, const char *value);
int __vsplit_adapter_read(struct vsplit_adapter *ad, const char *path, char *value, size_t size);
int __vsplit_adapter_mkdir(struct vsplit_adapter *ad, const char *path);
int __vsplit_adapter_rmdir(struct vsplit_adapter *ad, const char *path);
/* A fault knob of an adapter in test mode. */
int __vsplit_adapter_knob(struct vsplit_adapter *ad, const char *knob, const char *value);
void vsplit_adapter_knob(struct vsplit_adapter *ad, const char *knob, const char *value);
/* Opens a new file on the adapter's render node; vsplit_cleanup() closes it. */
int vsplit_adapter_open(struct vsplit_adapter *ad);
int vsplit_adapter_open_primary(struct vsplit_adapter *ad);
/*
 * Opens a file on the adapter's render node and closes it; this process allocates nothing for it.
 */
int __vsplit_adapter_try_open(const struct vsplit_adapter *ad);

/* Opens a new file on /dev/dri/renderD@render; vsplit_cleanup() closes it. */
int vsplit_open_render(int render);

/* Opens the first adapter found, even if the test did not make it; skips if there is none. */
int vsplit_open_any(bool render);
/* Closes the file. The handles of its allocations go with it; their mappings stay. */
void vsplit_close(int fd);
/* Frees the file's allocations, then closes the file. */
void vsplit_cleanup_file(int fd);

/*
 * The whole suite can be run under fault knobs: the knobs in the environment variable VSPLIT_KNOBS,
 * "name=value,name=value", are set on every adapter that a test makes. vsplit_exact() tells whether
 * plans are the same as without knobs. If they are not, a test checks data and invariants, but not
 * which plan was chosen.
 */
bool vsplit_exact(void);
/* Skips, and says why, if one of @knobs ("name,name") is set: the test rules out its effect. */
void vsplit_not_under(const char *knobs, const char *why);
/* Is this knob set on every adapter? */
bool vsplit_knob(const char *knob);
/* Can a knob have caused this result of a submission, so that the caller should try again? */
bool vsplit_injected(int ret);

/* Gives back everything that the helpers made. */
void vsplit_cleanup(void);

/* Write and read a file under /sys and the like; -errno. */
int __vsplit_write_file(const char *path, const char *value);
int __vsplit_read_file(const char *path, char *value, size_t size);
/*
 * Limits the pages that TTM lets drivers have before it swaps, until vsplit_cleanup() or a call
 * with 0. Skips if the limit cannot be set.
 */
void vsplit_ttm_limit(uint64_t pages);
/* A number in the fdinfo of @fd; the key has to be there. */
uint64_t vsplit_fdinfo(int fd, const char *key);
/* The KiB in the line of /proc/meminfo that begins with @name, for example "Slab:". */
uint64_t vsplit_meminfo(const char *name);
/*
 * KiB of available memory: MemAvailable, and the free pages in per-processor lists, which
 * MemAvailable does not count. After much work these are tens of MiB, given back within a minute or
 * never.
 */
uint64_t vsplit_available_kib(void);

/* ---- queries ------------------------------------------------------------ */

int __vsplit_ioctl(int fd, unsigned long request, void *arg);
/* The same for tests that count interruptions: drmIoctl() would hide them. */
int __vsplit_ioctl_once(int fd, unsigned long request, void *arg);
int __vsplit_query(int fd, uint32_t type, void *to, uint32_t *size);
void vsplit_query_adapter(int fd, struct drm_vsplit_adapter_info *info);
/* Fills @segs, VSPLIT_MAX_SEGMENTS elements; returns how many there are. */
unsigned int vsplit_query_segments(int fd, struct drm_vsplit_segment_info *segs);
void vsplit_query_statistics(int fd, struct drm_vsplit_statistics *stats);

/* ---- allocations -------------------------------------------------------- */

/**
 * struct vsplit_bo - An allocation and its expected content.
 * @fd: file on which @handle is valid.
 * @handle: GEM handle.
 * @name: letter, for messages.
 * @size: bytes, as rounded by the driver.
 * @id: unique on the adapter.
 * @map: CPU mapping, made when the allocation is; or NULL.
 * @shadow: the expected bytes; vsplit_bo_write() and the reference execution of buffers keep them
 *   up to date.
 */
struct vsplit_bo {
	int fd;
	uint32_t handle;
	char name;
	uint64_t size;
	uint64_t id;
	uint8_t *map;
	uint8_t *shadow;
	struct vsplit_bo *next;
};

/* Where an allocation is; segment 0 is system memory. */
struct vsplit_place {
	uint32_t segment;
	uint64_t offset;
};

int __vsplit_create(int fd, struct drm_vsplit_gem_create *args);
/* Creates an allocation for all segments of the adapter, in order. It is mapped and all zero. */
struct vsplit_bo *vsplit_bo(int fd, char name, uint64_t size);
/* @segments: ids in order of preference, 0-terminated; NULL: all. */
struct vsplit_bo *vsplit_bo_in(int fd, char name, uint64_t size, uint32_t flags,
			       const uint8_t *segments);
/* Such lists: the first segment alone, and the second one alone. */
extern const uint8_t in_first[2], in_second[2];
struct vsplit_bo *vsplit_bo_args(int fd, char name, struct drm_vsplit_gem_create *args);
/* Takes over an allocation that was created already: @args as the kernel returned them. */
struct vsplit_bo *vsplit_bo_take(int fd, char name, const struct drm_vsplit_gem_create *args);
void vsplit_bo_free(struct vsplit_bo *bo);
int __vsplit_mmap(int fd, uint32_t handle, uint64_t size, void **map);
/* Writes with the CPU, through the mapping and to the shadow. */
void vsplit_bo_write(struct vsplit_bo *bo, uint64_t offset, const void *data, uint64_t size);
void vsplit_bo_set(struct vsplit_bo *bo, uint8_t byte);
/* Writes a pattern in which each word and each allocation is distinguishable. */
void vsplit_bo_pattern(struct vsplit_bo *bo, uint32_t seed);
/* Are the bytes in the mapping those of the shadow? */
bool vsplit_bo_good(const struct vsplit_bo *bo);
void vsplit_bo_check(const struct vsplit_bo *bo);
int __vsplit_info(int fd, uint32_t handle, struct drm_vsplit_gem_info *info);
void vsplit_info(const struct vsplit_bo *bo, struct drm_vsplit_gem_info *info);
bool vsplit_bo_resident(const struct vsplit_bo *bo);
int __vsplit_escape(int fd, uint32_t op, uint32_t handle, uint64_t value);
void vsplit_escape(int fd, uint32_t op, uint32_t handle, uint64_t value);
int __vsplit_gem_close(int fd, uint32_t handle);
/* Exports the allocation as a dma-buf; the caller closes the file. */
int vsplit_bo_export(const struct vsplit_bo *bo);
/* Imports a dma-buf, and returns its handle on this file. */
int __vsplit_import(int fd, int dmabuf, uint32_t *handle);
/* Imports a dma-buf as a mapped allocation of this file; the shadow becomes its present content. */
struct vsplit_bo *vsplit_bo_import(int fd, char name, int dmabuf);
/* Does the same with an allocation of another file. */
struct vsplit_bo *vsplit_bo_share(int fd, char name, const struct vsplit_bo *of);

int __vsplit_lock(const struct vsplit_bo *bo, uint32_t flags);
void vsplit_lock(const struct vsplit_bo *bo, uint32_t flags);
int __vsplit_unlock(const struct vsplit_bo *bo);
void vsplit_unlock(const struct vsplit_bo *bo);

/* ---- traces ------------------------------------------------------------- */

/*
 * The driver's tracepoints, in a trace instance of the test. vsplit_trace_begin() skips the test if
 * there is no tracefs; vsplit_trace_end() returns the lines, valid until the next begin.
 * vsplit_cleanup() ends the trace, too.
 */
void vsplit_trace_begin(void);
const char *vsplit_trace_end(void);
/*
 * The first line of @event, searched from @from (NULL: the beginning), that contains all that
 * @format says; NULL if there is none.
 */
const char *vsplit_trace_find(const char *trace, const char *from, const char *event,
			      const char *format, ...) __attribute__((format(printf, 4, 5)));
/*
 * The page frame that the CPU got for page @page of @bo in segment @segment (a 1-based id, 0 for
 * system memory), or 0 if it got none. Asserts that all such lines of the trace name the same
 * frame.
 */
uint64_t vsplit_trace_frame(const char *trace, const struct vsplit_bo *bo, uint32_t segment,
			    uint64_t page);
unsigned int vsplit_trace_count(const char *trace, const char *event, const char *what);
/*
 * Adds a kprobe on vmf_insert_pfn_prot() to the trace: it shows what the kernel puts into page
 * tables, independently of what the driver says. Skips if there are no kprobe events.
 */
void vsplit_trace_inserts(void);
/* The page frame that was mapped last at @address; 0: none. */
uint64_t vsplit_trace_inserted(const char *trace, const void *address);

/* ---- contexts ----------------------------------------------------------- */

int __vsplit_ctx_create(int fd, struct drm_vsplit_ctx_create *args);
uint32_t vsplit_ctx(int fd, uint32_t flags);
uint32_t vsplit_ctx_on(int fd, uint32_t flags, uint32_t engine);
int __vsplit_ctx_destroy(int fd, uint32_t ctx);
int __vsplit_ctx_query(int fd, struct drm_vsplit_ctx_query *query);
void vsplit_ctx_query(int fd, uint32_t ctx, struct drm_vsplit_ctx_query *query);
/* State of the context, and of the device in @device_state if not NULL. */
uint32_t vsplit_ctx_state(int fd, uint32_t ctx, uint32_t *device_state);

/* ---- WDDM 2 ------------------------------------------------------------- */

/* A context of a mode, on an engine, of normal priority. */
uint32_t vsplit_ctx_mode(int fd, uint32_t mode, uint32_t engine);
/* Unless @args is NULL, it receives the arguments as the kernel returned them. */
int __vsplit_make_resident(int fd, const uint32_t *handles, uint32_t nr, uint32_t flags,
			   struct drm_vsplit_make_resident *args);
/* Requires @bo resident, through the file that created it. */
void vsplit_require(const struct vsplit_bo *bo);
int __vsplit_evict(int fd, const uint32_t *handles, uint32_t nr, uint32_t flags);
int __vsplit_va_bind(int fd, const struct drm_vsplit_va_op *ops, uint32_t nr,
		     const struct drm_vsplit_sync *syncs, uint32_t nr_syncs);
/* Maps all of @bo, and waits until it is mapped. */
void vsplit_va_map(int fd, const struct vsplit_bo *bo, uint64_t address);
int __vsplit_offer(int fd, const uint32_t *handles, uint32_t nr, uint32_t priority);
/* Reclaims @bo. Were its bytes lost? */
bool vsplit_reclaim(int fd, const struct vsplit_bo *bo);
uint32_t vsplit_fence(int fd, uint64_t value);
/* The same fence, on another file. */
uint32_t vsplit_fence_share(int fd, uint32_t fence, int to);
int __vsplit_fence_signal(int fd, uint32_t fence, uint64_t value);
int __vsplit_fence_destroy(int fd, uint32_t fence);

/* ---- sync --------------------------------------------------------------- */

uint32_t vsplit_syncobj(int fd);
uint32_t vsplit_syncobj_signaled(int fd);
int __vsplit_syncobj_wait(int fd, uint32_t handle, uint64_t point, int64_t timeout_ms);
bool vsplit_syncobj_busy(int fd, uint32_t handle);
/* The status of a binary syncobj's fence: 0 pending, 1 done, -errno. */
int vsplit_syncobj_status(int fd, uint32_t handle);
/* The status of the fence behind a sync file, with the same values. */
int vsplit_fence_status(int file);
uint64_t vsplit_now_ns(void);

/* Longer than any correct operation takes, on any machine. */
#define VSPLIT_SOON_MS 60000

/* Whether @expr becomes true: looks at it again and again for VSPLIT_SOON_MS. */
#define vsplit_soon(expr) ({ \
	bool soon_ = false; \
	for (unsigned int tries_ = VSPLIT_SOON_MS / 10; tries_ && !(soon_ = (expr)); tries_--) \
		usleep(10000); \
	soon_; \
})

/*
 * A loop for effects that show only while work spins, and only if the test is quick enough. It
 * repeats with work that spins for @us microseconds, twice as long each time, until @shown. The
 * last round spins for more than a second.
 */
#define vsplit_for_longer(us, shown) \
	for ((us) = 20000; !(shown) && (us) < 2000000; (us) *= 2)

/*
 * Asserts, by the model clock, that the time that @measure returns for @how (ns) at most doubles
 * when @more is true. @measure makes a new adapter for each call.
 */
void vsplit_at_most_twice(const char *what, uint64_t (*measure)(const void *how, bool more),
			  const void *how);

/* ---- DMA buffers -------------------------------------------------------- */

#define VSPLIT_CS_SYNCS 8

/**
 * struct vsplit_cs - A DMA buffer under construction. The builder emits only what the driver
 * accepts; a test that wants something malformed puts it into @p itself, or changes the arrays
 * before it submits.
 * @p: the command stream and its lists. Its members can also be named directly as members of this
 *   struct. Element i of the allocation list is @bos[i], or the NULL element where that is NULL.
 * @split: SplitOffset of the group that is being emitted.
 * @group_end: where the group ends so far.
 * @access: flags for allocations that vsplit_cs_bind() adds to the list.
 * @syncs: for the submission; @nr_syncs.
 * @out: binary syncobj that every submission of this buffer signals.
 * @submission: id of the last submission.
 * @portions: number of portions that the last submission was split into.
 * @before: places of its allocations before the submission, see vsplit_place_before().
 */
struct vsplit_cs {
	int fd;
	union {
		struct vsplit_packets p;
		struct vsplit_packets;
	};
	struct vsplit_bo **bos;
	uint32_t split;
	uint32_t group_end;
	uint32_t access;
	struct drm_vsplit_sync syncs[VSPLIT_CS_SYNCS];
	uint32_t nr_syncs;
	uint32_t out;
	uint32_t ctx;
	uint64_t submission;
	uint32_t portions;
	struct vsplit_place *before;
	struct vsplit_cs *next;
};

struct vsplit_cs *vsplit_cs(int fd);
/* A buffer that uses all of @nr allocations at once, or one after the other. */
struct vsplit_cs *vsplit_cs_of(int fd, struct vsplit_bo **bos, unsigned int nr, bool at_once);
void vsplit_cs_free(struct vsplit_cs *cs);
/* Empties the buffer, but keeps its memory and syncobj. */
void vsplit_cs_reset(struct vsplit_cs *cs);

/* Index of @bo in the allocation list; if it is not there yet, it is appended with @flags. */
uint32_t vsplit_cs_alloc(struct vsplit_cs *cs, struct vsplit_bo *bo, uint32_t flags);
#define vsplit_cs_null(cs) vsplit_cs_alloc(cs, NULL, 0)
/* Low-level parts. @packet may be NULL for zeros. Returns the packet's offset. */
uint32_t vsplit_cs_packet(struct vsplit_cs *cs, const void *packet, uint32_t size);
void vsplit_cs_patch(struct vsplit_cs *cs, uint32_t alloc, uint32_t slot,
		     uint32_t alloc_offset, uint32_t patch_offset, uint32_t split);

/* Adjacent binds and unbinds are one group: they share the SplitOffset at the first of them. */
#define vsplit_cs_bind(cs, slot, bo) vsplit_cs_bind_at(cs, slot, bo, 0)
void vsplit_cs_bind_at(struct vsplit_cs *cs, uint32_t slot, struct vsplit_bo *bo,
		       uint32_t alloc_offset);
void vsplit_cs_unbind(struct vsplit_cs *cs, uint32_t slot);
/* Begins a new group even if no command is in between. */
#define vsplit_cs_group(cs) ((cs)->group_end = UINT32_MAX)

/* Packets: memory is a slot and an offset. If memory runs out, the test fails when it submits. */
#define vsplit_cs_nop(cs, size) vsplit__put(&(cs)->p, VSPLIT_OP_NOP, size, 0)
/* NOPs up to byte @to of the stream. */
#define vsplit_cs_pad(cs, to) vsplit__put_pad(&(cs)->p, to)
#define vsplit_cs_spin(cs, us) vsplit__put_head(&(cs)->p, VSPLIT_OP_SPIN, us)
#define vsplit_cs_state(cs, reg, value) vsplit__put_state(&(cs)->p, reg, value)
#define vsplit_cs_fill(cs, slot, offset, length) \
	vsplit__put_fill(&(cs)->p, vsplit__slot(slot, offset), length)
/* The state that a fill needs, and then the fill. */
#define vsplit_cs_set(cs, slot, offset, length, pattern) do { \
	vsplit_cs_state(cs, VSPLIT_STATE_FILL, (uint32_t)(pattern)); \
	vsplit_cs_fill(cs, slot, offset, length); \
} while (0)
#define vsplit_cs_copy(cs, dst, dst_offset, src, src_offset, length) \
	vsplit__put_copy(&(cs)->p, vsplit__slot(dst, dst_offset), \
			 vsplit__slot(src, src_offset), length)
#define vsplit_cs_copy_2d(cs, dst, dst_offset, src, src_offset, width, height, flags) \
	vsplit__put_copy_2d(&(cs)->p, vsplit__slot(dst, dst_offset), \
			    vsplit__slot(src, src_offset), width, height, flags)
#define vsplit_cs_mma(cs, flags, c, c_offset, a, a_offset, b, b_offset, m, n, k) \
	vsplit__put_mma(&(cs)->p, vsplit__slot(c, c_offset), vsplit__slot(a, a_offset), \
			vsplit__slot(b, b_offset), m, n, k, flags)
#define vsplit_cs_add(cs, slot, offset, value) \
	vsplit__put_word(&(cs)->p, VSPLIT_OP_ATOMIC_ADD, vsplit__slot(slot, offset), value)
#define vsplit_cs_store(cs, slot, offset, value) \
	vsplit__put_word(&(cs)->p, VSPLIT_OP_STORE, vsplit__slot(slot, offset), value)
#define vsplit_cs_timestamp(cs, slot, offset) \
	vsplit__put_word(&(cs)->p, VSPLIT_OP_TIMESTAMP, vsplit__slot(slot, offset), 0)
#define vsplit_cs_wait_fence(cs, fence, value) \
	vsplit__put_fence(&(cs)->p, VSPLIT_OP_WAIT_FENCE, fence, value)
#define vsplit_cs_signal_fence(cs, fence, value) \
	vsplit__put_fence(&(cs)->p, VSPLIT_OP_SIGNAL_FENCE, fence, value)
/* Packets with virtual addresses. */
#define vsplit_cs_fill_va(cs, dst, length) vsplit__put_fill(&(cs)->p, vsplit__virtual(dst), length)
#define vsplit_cs_copy_va(cs, dst, src, length) \
	vsplit__put_copy(&(cs)->p, vsplit__virtual(dst), vsplit__virtual(src), length)
#define vsplit_cs_word_va(cs, op, dst, value) \
	vsplit__put_word(&(cs)->p, op, vsplit__virtual(dst), value)

void vsplit_cs_wait_for(struct vsplit_cs *cs, uint32_t syncobj, uint64_t point);
void vsplit_cs_signal(struct vsplit_cs *cs, uint32_t syncobj, uint64_t point);

/* Fills @args for the submission of @cs, with @cs->out as the last sync. */
void vsplit_cs_args(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags,
		    struct drm_vsplit_submit *args, struct drm_vsplit_sync *syncs);
int __vsplit_submit(int fd, struct drm_vsplit_submit *args);
int __vsplit_cs_submit(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags);
void vsplit_cs_submit(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags);
/*
 * For clients that submit without waiting. Like __vsplit_cs_submit(), but if as many submissions
 * are under way as a client may have (-ENOBUFS), it waits until there are fewer.
 */
int __vsplit_cs_submit_next(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags);
void vsplit_cs_submit_next(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags);
/* Waits for the last submission; returns 0 or the fence's -errno. */
int __vsplit_cs_wait(struct vsplit_cs *cs);
/* The same, but waits first until the submission has a fence, because it may be parked. */
int vsplit_cs_result(struct vsplit_cs *cs);
void vsplit_cs_wait(struct vsplit_cs *cs);
void vsplit_cs_submit_and_wait(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags);
/*
 * Submits, and asserts that the driver refuses with exactly this -errno and that nothing happened.
 */
void vsplit_cs_refused(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags, int error);

/*
 * The reference: executes the buffer on the shadows as if memory were infinite, up to byte @end of
 * the stream (0: all of it).
 */
void vsplit_cs_reference(struct vsplit_cs *cs, uint32_t end);
/* vsplit_bo_check() of all allocations in the buffer's list. */
void vsplit_cs_check(const struct vsplit_cs *cs);
/* Asserts that what was submitted succeeds, and did the right thing: wait, reference, compare. */
void vsplit_cs_ends_well(struct vsplit_cs *cs);
/* Submit, wait, reference, compare all allocations, check the record. */
struct vsplit_record *vsplit_cs_run(struct vsplit_cs *cs, uint32_t ctx, uint32_t flags);

/* ---- records ------------------------------------------------------------ */

/**
 * struct vsplit_record - What happened to a submission.
 * @info: num_events and num_rows are the lengths of @events and @rows.
 * @rows: the table at the end of each portion, by slot: row_first and row_count of the portion's
 *   event.
 */
struct vsplit_record {
	struct drm_vsplit_record info;
	struct drm_vsplit_event *events;
	struct drm_vsplit_row *rows;
	struct vsplit_record *next;
};

int __vsplit_record(int fd, struct drm_vsplit_record *args);
struct vsplit_record *vsplit_record(int fd, uint32_t ctx, uint64_t submission);
void vsplit_record_free(struct vsplit_record *rec);
/* Portion @index; NULL if there is none. */
const struct drm_vsplit_event *vsplit_portion(const struct vsplit_record *rec, uint32_t index);
/* The first portion of the last submission, which often has only this one. */
const struct drm_vsplit_event *vsplit_cs_portion(const struct vsplit_cs *cs);
/* The paging step of @bo, of this type, that serves portion @portion, or NULL. */
const struct drm_vsplit_event *vsplit_step(const struct vsplit_record *rec, uint32_t type,
					   const struct vsplit_bo *bo, uint32_t portion);
unsigned int vsplit_count(const struct vsplit_record *rec, uint32_t type);
/* Steps of any paging type for @bo in the whole record. */
unsigned int vsplit_count_bo(const struct vsplit_record *rec, const struct vsplit_bo *bo);
/* Row @slot at the end of portion @index, or NULL. */
const struct drm_vsplit_row *vsplit_row(const struct vsplit_record *rec, uint32_t index,
					uint32_t slot);
/*
 * The record as text, addresses in units of @unit bytes, offsets in hex:
 * "in A@0; in B@128; [0,400) p[0:2] {0:A@0 1:B@128}; out B@128; …"
 */
const char *vsplit_record_text(const struct vsplit_record *rec, struct vsplit_cs *cs,
			       uint64_t unit);

/* Notes the place of every allocation in the list; the check below needs them. */
void vsplit_place_before(struct vsplit_cs *cs);
/*
 * Does the record obey the invariants? Portions tile the stream. Each table is the fold of the
 * entries before it. Kept rows stay where they are. Bound allocations are resident and do not
 * overlap. Paging steps start from the present places, in list order, and take an allocation away
 * only after the portion that used it. Commit limits hold. Returns NULL, or what is wrong (static
 * buffer).
 */
const char *__vsplit_record_check(const struct vsplit_record *rec, struct vsplit_cs *cs);
void vsplit_record_check(const struct vsplit_record *rec, struct vsplit_cs *cs);

/* ---- random numbers, reproducible --------------------------------------- */

struct vsplit_rng {
	uint64_t state;
};

uint64_t vsplit_rng_next(struct vsplit_rng *rng);
/* 0 to @below - 1 */
uint32_t vsplit_rng_below(struct vsplit_rng *rng, uint32_t below);

/* ---- other processes ---------------------------------------------------- */

/*
 * fork() for a subtest's clients. vsplit_cleanup() kills a child that was not reaped. A child in
 * which an assertion fails ends there (vsplit_child_ends()), and does not go on with the next
 * subtest. Returns 0 in the child.
 */
pid_t vsplit_fork(void);
/* Waits for the child; returns its status as of waitpid(). */
int vsplit_reap(pid_t pid);
/*
 * Lets another process copy the byte at @from to @to with one instruction, which restarts after
 * each page fault. Asserts that the process ends.
 */
void vsplit_copy_at_once(uint8_t *to, const uint8_t *from);
/* A process that reads a byte of @bo as a debugger does. It exits with 0 if it gets the byte. */
pid_t vsplit_read_as_debugger(const struct vsplit_bo *bo);
/* The state of a task, or thread, as ps(1) shows it; 0: it is gone. */
char vsplit_task_state(pid_t task);
/*
 * vsplit_reap() of a child that may block in a wait that no signal ends. Asserts that such waits
 * are short.
 */
int vsplit_ends_unblocked(pid_t pid);
void vsplit_child_ends(void);

/* ---- subtests from a table ---------------------------------------------- */

/**
 * struct vsplit_subtest - A row of a binary's table.
 * @name: of the subtest.
 * @run: its body; nothing exists when it begins, and nothing may be left when it ends.
 * @text: for --describe.
 */
struct vsplit_subtest {
	const char *name;
	void (*run)(void);
	const char *text;
};

#define vsplit_run_subtests(table) \
	do { \
		for (unsigned int __i = 0; __i < ARRAY_SIZE(table); __i++) { \
			vsplit_child_ends(); \
			igt_describe_f("%s", (table)[__i].text); \
			igt_subtest((table)[__i].name) { \
				vsplit_cleanup(); \
				(table)[__i].run(); \
				vsplit_cleanup(); \
			} \
		} \
		vsplit_child_ends(); \
		igt_fixture() \
			vsplit_cleanup(); \
	} while (0)

#endif /* IGT_VSPLIT_H */
