#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""build_vsplit.py LIBDIR OUT: compiles _vsplit, on which vsplit.py is built, into the directory OUT.

Uses cffi in its out-of-line mode: the compiler checks the declarations below against vsplit.h. LIBDIR contains
libdrm_vsplit.so.
"""

import os
import subprocess
import sys

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))

CDEF = """
struct vsplit_mfence; struct vsplit_hwq; struct vsplit_manager;
struct vsplit_device; struct vsplit_bo; struct vsplit_context; struct vsplit_stream; struct vsplit_adapter;

struct drm_vsplit_adapter_info {
    uint32_t caps, num_segments, num_engines, num_slots, page_size; uint8_t name[]; ...;
};
struct drm_vsplit_segment_info { uint32_t id, flags; uint64_t size, resident; uint8_t name[]; ...; };
struct drm_vsplit_statistics {
    uint64_t submissions, portions, splits, evicted_bytes, evicted_copied_bytes, paged_in_bytes,
             paged_in_copied_bytes, moved_bytes, faults, hangs; ...;
};
struct drm_vsplit_gem_create { uint64_t size; uint32_t flags, priority, num_segments; uint8_t segments[]; ...; };
struct drm_vsplit_gem_info { uint64_t size, offset; uint32_t segment; ...; };
struct drm_vsplit_run { uint64_t offset, bytes; };
struct drm_vsplit_ctx_query { uint32_t state, fault; ...; };
struct drm_vsplit_sync;
struct drm_vsplit_event {
    uint32_t type, flags, portion, handle, segment, from_segment, begin, end, row_first, row_count;
    uint64_t id, at, from, bytes, copied, t0_ns, t1_ns; ...;
};
struct drm_vsplit_row { uint32_t slot, handle, segment; uint64_t offset; ...; };
struct drm_vsplit_record { uint32_t num_events, num_rows, num_portions, error, done; ...; };
struct vsplit_record { struct drm_vsplit_record head; struct drm_vsplit_event *events; struct drm_vsplit_row *rows; };
struct vsplit_submission { uint64_t id; uint32_t num_portions; ...; };
struct vsplit_wait_item { struct vsplit_context *ctx; uint64_t id; };
struct vsplit_adapter_segment {
    const char *name; bool aperture; uint64_t size, commit_limit, cpu_visible; uint32_t swizzling_ranges; ...;
};
struct drm_vsplit_group_info { uint64_t budget, usage, reservation, available; };
struct drm_vsplit_residency {
    uint32_t count, members, trim_reason, trim_group; uint64_t trims, trim_bytes;
    struct drm_vsplit_group_info groups[2]; ...;
};
struct drm_vsplit_trim_event { uint64_t bytes, trims; uint32_t reason, group; ...; };
struct drm_vsplit_budget_event { unsigned long long budget[2], reservation[2]; ...; };
struct vsplit_residency_events {
    bool trimmed, budgeted; struct drm_vsplit_trim_event trim; struct drm_vsplit_budget_event budget; ...;
};
struct vsplit_manager_info { uint64_t bytes, evicted, forced; uint32_t members; ...; };
#define VSPLIT_CTX_PRIORITY_NORMAL ...
#define VSPLIT_CTX_MODE_PATCH ...
#define VSPLIT_CTX_MODE_EXPLICIT ...
#define VSPLIT_CTX_MODE_VA ...
#define VSPLIT_CTX_MODE_HW ...
#define VSPLIT_RESIDENT_CANT_TRIM_FURTHER ...
#define VSPLIT_EVICT_IF_NECESSARY ...
#define VSPLIT_GEM_RUNS ...
#define VSPLIT_EVICT_NOT_WRITTEN ...
#define VSPLIT_OFFER_LOW ...
#define VSPLIT_OFFER_NORMAL ...
#define VSPLIT_OFFER_HIGH ...
#define VSPLIT_OFFER_AUTO ...
#define VSPLIT_VA_OP_READ_ONLY ...
#define VSPLIT_ALLOC_WRITE ...
#define VSPLIT_SEGMENT_APERTURE ...
#define VSPLIT_STATE_FILL ...
#define VSPLIT_SUBMIT_FORCE_SPLIT ...
#define VSPLIT_LOCK_READ_ONLY ...
#define VSPLIT_EVENT_FOREIGN ...
#define VSPLIT_EVENT_FILLED ...
#define VSPLIT_EVENT_SKIPPED ...
#define VSPLIT_MAX_SEGMENTS ...

int vsplit_device_open(const char *which, struct vsplit_device **dev);
void vsplit_device_close(struct vsplit_device *dev);
const char *vsplit_device_path(const struct vsplit_device *dev);
const struct drm_vsplit_adapter_info *vsplit_device_adapter(const struct vsplit_device *dev);
int vsplit_device_segments(struct vsplit_device *dev, struct drm_vsplit_segment_info *segments, uint32_t *count);
int vsplit_device_statistics_sized(struct vsplit_device *dev, struct drm_vsplit_statistics *stats, size_t size);
int vsplit_bo_create_from(struct vsplit_device *dev, const struct drm_vsplit_gem_create *params, struct vsplit_bo **bo);
void vsplit_bo_destroy(struct vsplit_bo *bo);
uint32_t vsplit_bo_handle(const struct vsplit_bo *bo);
uint64_t vsplit_bo_id(const struct vsplit_bo *bo);
uint64_t vsplit_bo_size(const struct vsplit_bo *bo);
int vsplit_bo_map(struct vsplit_bo *bo, void **ptr);
int vsplit_bo_info_sized(struct vsplit_bo *bo, struct drm_vsplit_gem_info *info, size_t size);
int vsplit_bo_runs(struct vsplit_bo *bo, struct drm_vsplit_run *runs, uint32_t *num, uint32_t *segment);
int vsplit_bo_lock(struct vsplit_bo *bo, uint32_t flags);
int vsplit_bo_unlock(struct vsplit_bo *bo);
int vsplit_context_create(struct vsplit_device *dev, uint32_t flags, uint32_t priority, uint32_t engine,
                          struct vsplit_context **ctx);
int vsplit_context_create_mode(struct vsplit_device *dev, uint32_t mode, uint32_t flags, uint32_t priority,
                               uint32_t engine, struct vsplit_context **ctx);
void vsplit_context_destroy(struct vsplit_context *ctx);
int vsplit_context_query_sized(struct vsplit_context *ctx, struct drm_vsplit_ctx_query *query, size_t size);
int vsplit_stream_create(struct vsplit_stream **stream);
void vsplit_stream_destroy(struct vsplit_stream *stream);
int vsplit_stream_error(const struct vsplit_stream *stream);
uint32_t vsplit_stream_offset(const struct vsplit_stream *stream);
int vsplit_stream_group_begin(struct vsplit_stream *stream);
int vsplit_stream_group_end(struct vsplit_stream *stream);
int vsplit_stream_bind(struct vsplit_stream *stream, uint32_t slot, const struct vsplit_bo *bo, uint64_t offset,
                       uint32_t flags);
int vsplit_stream_unbind(struct vsplit_stream *stream, uint32_t slot);
int vsplit_stream_fill(struct vsplit_stream *stream, uint32_t slot, uint64_t offset, uint64_t length, uint32_t pattern);
int vsplit_stream_copy(struct vsplit_stream *stream, uint32_t dst_slot, uint64_t dst_offset, uint32_t src_slot,
                       uint64_t src_offset, uint64_t length);
int vsplit_stream_fill_va(struct vsplit_stream *stream, uint64_t address, uint64_t length, uint32_t pattern);
int vsplit_stream_copy_va(struct vsplit_stream *stream, uint64_t dst, uint64_t src, uint64_t length);
int vsplit_stream_signal_fence(struct vsplit_stream *stream, const struct vsplit_mfence *fence, uint64_t value);
int vsplit_stream_wait_fence(struct vsplit_stream *stream, const struct vsplit_mfence *fence, uint64_t value);
void *vsplit_stream_data(struct vsplit_stream *stream);
int vsplit_resident_make(struct vsplit_device *dev, struct vsplit_bo *const *bos, uint32_t num, uint32_t flags,
                         uint64_t *point, uint64_t *trim_bytes);
int vsplit_resident_evict(struct vsplit_device *dev, struct vsplit_bo *const *bos, uint32_t num, uint32_t flags,
                          uint64_t *trim_bytes);
int vsplit_resident_wait(struct vsplit_device *dev, uint64_t point, int64_t timeout_ms);
int vsplit_resident_query_sized(struct vsplit_device *dev, const struct vsplit_bo *bo, struct drm_vsplit_residency *residency,
                          size_t size);
int vsplit_resident_reserve(struct vsplit_device *dev, uint32_t group, uint64_t bytes, uint64_t *available);
int vsplit_resident_set_budget(struct vsplit_device *dev, uint32_t group, uint64_t bytes);
int vsplit_resident_eventfd(struct vsplit_device *dev, int eventfd);
int vsplit_resident_watch_sized(struct vsplit_device *dev, struct drm_vsplit_residency *residency, size_t size);
int vsplit_resident_read_events_sized(struct vsplit_device *dev, int64_t timeout_ms, struct vsplit_residency_events *events,
                                size_t size);
int vsplit_bo_offer(struct vsplit_device *dev, struct vsplit_bo *const *bos, uint32_t num, uint32_t priority);
int vsplit_bo_reclaim(struct vsplit_device *dev, struct vsplit_bo *const *bos, uint32_t num, bool *discarded);
int vsplit_manager_create(struct vsplit_device *dev, struct vsplit_manager **manager);
void vsplit_manager_destroy(struct vsplit_manager *manager);
int vsplit_manager_submit(struct vsplit_manager *manager, struct vsplit_context *ctx, struct vsplit_stream *stream,
                          struct vsplit_bo *const *bos, uint32_t num, struct vsplit_submission *submission);
int vsplit_manager_use(struct vsplit_manager *manager, struct vsplit_bo *const *bos, uint32_t num, uint64_t *point);
int vsplit_manager_done(struct vsplit_manager *manager, struct vsplit_bo *const *bos, uint32_t num);
int vsplit_manager_trim(struct vsplit_manager *manager, uint64_t *bytes);
void vsplit_manager_query_sized(struct vsplit_manager *manager, struct vsplit_manager_info *info, size_t size);
int vsplit_va_map(struct vsplit_device *dev, const struct vsplit_bo *bo, uint64_t address, uint64_t bytes,
                  uint64_t offset, uint32_t flags);
int vsplit_va_unmap(struct vsplit_device *dev, uint64_t address, uint64_t bytes);
int vsplit_va_wait(struct vsplit_device *dev, int64_t timeout_ms);
int vsplit_va_sparse(struct vsplit_device *dev, uint64_t address, uint64_t bytes);
int vsplit_mfence_create(struct vsplit_device *dev, uint64_t value, struct vsplit_mfence **fence);
void vsplit_mfence_destroy(struct vsplit_mfence *fence);
uint64_t vsplit_mfence_value(const struct vsplit_mfence *fence);
int vsplit_mfence_signal(struct vsplit_mfence *fence, uint64_t value);
int vsplit_mfence_wait(struct vsplit_mfence *fence, uint64_t value, int64_t timeout_ms);
int vsplit_mfence_export(struct vsplit_mfence *fence, int *fd);
int vsplit_mfence_import(struct vsplit_device *dev, int fd, struct vsplit_mfence **fence);
int vsplit_mfence_eventfd(struct vsplit_mfence *fence, uint64_t value, int eventfd);
int vsplit_hwq_create(struct vsplit_context *ctx, uint32_t ring_bytes, struct vsplit_hwq **hwq);
void vsplit_hwq_destroy(struct vsplit_hwq *hwq);
int vsplit_hwq_submit(struct vsplit_hwq *hwq, const void *packets, uint32_t bytes, uint64_t *progress);
uint64_t vsplit_hwq_progress(const struct vsplit_hwq *hwq);
uint64_t vsplit_hwq_history(const struct vsplit_hwq *hwq, uint32_t index);
int vsplit_hwq_wait(struct vsplit_hwq *hwq, uint64_t progress, int64_t timeout_ms);
int vsplit_stream_spin(struct vsplit_stream *stream, uint32_t us);
int vsplit_stream_history(struct vsplit_stream *stream, uint32_t index);
int vsplit_submit(struct vsplit_context *ctx, struct vsplit_stream *stream, uint32_t flags,
                  const struct drm_vsplit_sync *syncs, uint32_t num_syncs, struct vsplit_submission *submission);
int vsplit_wait(struct vsplit_context *ctx, uint64_t id, int64_t timeout_ms, int *error);
int vsplit_record_read(struct vsplit_context *ctx, uint64_t id, struct vsplit_record **record);
int vsplit_record_text(const struct vsplit_record *record, char **text);
void vsplit_record_free(struct vsplit_record *record);
const char *vsplit_event_name(uint32_t type);
const char *vsplit_state_name(uint32_t state);
int vsplit_adapter_create(const char *name, struct vsplit_adapter **adapter);
int vsplit_adapter_set(struct vsplit_adapter *adapter, const char *setting, const char *value);
int vsplit_adapter_add_segment_sized(struct vsplit_adapter *adapter, const struct vsplit_adapter_segment *segment, size_t size);
int vsplit_adapter_enable(struct vsplit_adapter *adapter);
int vsplit_adapter_open(struct vsplit_adapter *adapter, struct vsplit_device **dev);
void vsplit_adapter_destroy(struct vsplit_adapter *adapter);
void free(void *ptr);
"""


def main():
    libdir, out = sys.argv[1:]
    drm = subprocess.run(["pkg-config", "--cflags-only-I", "libdrm"], check=True, stdout=subprocess.PIPE, text=True)
    ffi = cffi.FFI()
    ffi.cdef(CDEF)
    ffi.set_source("_vsplit", "#include <stdlib.h>\n#include \"vsplit.h\"",
                   include_dirs=[os.path.join(HERE, ".."), os.path.join(HERE, "../../uapi/drm")]
                   + [flag[2:] for flag in drm.stdout.split()],
                   library_dirs=[libdir], libraries=["drm_vsplit"])
    ffi.compile(tmpdir=out)


main()
