/* SPDX-License-Identifier: MIT */
/*
 * The userspace interface as a table: the meaning of every field of every ioctl, and which role may
 * call it. The sweep (vsplit_abuse) and the fuzzer (vsplit_fuzz) share this description: whatever
 * is added to uapi/drm/vsplit_drm.h is added here, once. vsplit_abuse fails for a struct whose
 * fields here do not cover all its bytes.
 */
#ifndef IGT_VSPLIT_UAPI_H
#define IGT_VSPLIT_UAPI_H

#include <stddef.h>
#include <stdint.h>

#include "vsplit_drm.h"

/**
 * enum vsplit_field_kind - The meaning of a field.
 */
enum vsplit_field_kind {
	VSPLIT_FIELD_END,
	VSPLIT_FIELD_PAD,	/* 0, else -EINVAL */
	VSPLIT_FIELD_FLAGS,	/* bits of @max, others -EINVAL */
	VSPLIT_FIELD_ENUM,	/* 0 to @max, else -EINVAL */
	VSPLIT_FIELD_VALUE,	/* any number that makes sense, up to @max if that is given */
	VSPLIT_FIELD_BO,	/* GEM handle */
	VSPLIT_FIELD_CTX,	/* context */
	VSPLIT_FIELD_SYNCOBJ,
	VSPLIT_FIELD_FENCE,	/* monitored fence */
	VSPLIT_FIELD_SUBMISSION,
	VSPLIT_FIELD_POINTER,	/* to an array of @array; its length is the field at @count */
	VSPLIT_FIELD_COUNT,	/* elements (or, without an array's description, bytes) */
	VSPLIT_FIELD_BYTES,	/* raw bytes */
	VSPLIT_FIELD_OUT,	/* written by the kernel, not read */
};

struct vsplit_array;

/** struct vsplit_field - One field. */
struct vsplit_field {
	const char *name;
	uint16_t offset;
	uint8_t size;
	uint8_t kind;
	uint64_t max;
	const struct vsplit_array *array;
	uint16_t count;
	/* POINTER: the kernel writes to the array */
	uint8_t out;
};

/** struct vsplit_array - Elements that a pointer points to. */
struct vsplit_array {
	const char *name;
	uint16_t size;
	const struct vsplit_field *fields;
};

/* enum vsplit_role - The roles of callers: a bit each in struct vsplit_call.roles. */
#define VSPLIT_ROLE_RENDER	(1u << 0)	/* the render node, root */
#define VSPLIT_ROLE_MASTER	(1u << 1)	/* the primary node, DRM master */
#define VSPLIT_ROLE_AUTH	(1u << 2)	/* the primary node, second, root */
#define VSPLIT_ROLE_NOBODY	(1u << 3)	/* the render node, no capability */
#define VSPLIT_ROLE_UNAUTH	(1u << 4)	/* the primary node, second, no capability */
#define VSPLIT_ROLES		5
#define VSPLIT_ROLE_ALL		0x1fu

/** struct vsplit_call - One ioctl. */
struct vsplit_call {
	const char *name;
	unsigned long request;
	uint16_t size;
	/* roles that may call it; others get -EACCES or -EPERM */
	uint8_t roles;
	const struct vsplit_field *fields;
};

/* A row names only the members that it needs. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define F(type, member, k, ...) \
	{ #member, offsetof(struct type, member), sizeof(((struct type *)0)->member), k, \
	  __VA_ARGS__ }
#define FIELDS_END { .kind = VSPLIT_FIELD_END }

static const struct vsplit_field vsplit_alloc_fields[] = {
	F(drm_vsplit_alloc, handle, VSPLIT_FIELD_BO),
	F(drm_vsplit_alloc, flags, VSPLIT_FIELD_FLAGS, VSPLIT_ALLOC_FLAGS),
	FIELDS_END
};

static const struct vsplit_field vsplit_patch_fields[] = {
	F(drm_vsplit_patch, alloc, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_patch, slot, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_patch, driver_id, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_patch, alloc_offset, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_patch, patch_offset, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_patch, split_offset, VSPLIT_FIELD_VALUE),
	FIELDS_END
};

static const struct vsplit_field vsplit_sync_fields[] = {
	F(drm_vsplit_sync, handle, VSPLIT_FIELD_SYNCOBJ),
	F(drm_vsplit_sync, flags, VSPLIT_FIELD_FLAGS, VSPLIT_SYNC_FLAGS),
	F(drm_vsplit_sync, point, VSPLIT_FIELD_VALUE),
	FIELDS_END
};

static const struct vsplit_array vsplit_array_bytes = { "bytes", 1, NULL };
static const struct vsplit_array vsplit_array_allocs = {
	"allocs", sizeof(struct drm_vsplit_alloc), vsplit_alloc_fields
};
static const struct vsplit_array vsplit_array_patches = {
	"patches", sizeof(struct drm_vsplit_patch), vsplit_patch_fields
};
static const struct vsplit_array vsplit_array_syncs = {
	"syncs", sizeof(struct drm_vsplit_sync), vsplit_sync_fields
};
static const struct vsplit_array vsplit_array_events = {
	"events", sizeof(struct drm_vsplit_event), NULL
};
static const struct vsplit_array vsplit_array_rows = {
	"rows", sizeof(struct drm_vsplit_row), NULL
};

#define POINTER(type, member, a, c, o) \
	F(type, member, VSPLIT_FIELD_POINTER, 0, a, offsetof(struct type, c), o)

static const struct vsplit_field vsplit_query_fields[] = {
	F(drm_vsplit_query, type, VSPLIT_FIELD_ENUM, VSPLIT_QUERY_STATISTICS),
	F(drm_vsplit_query, size, VSPLIT_FIELD_COUNT),
	POINTER(drm_vsplit_query, pointer, &vsplit_array_bytes, size, 1),
	FIELDS_END
};

static const struct vsplit_field vsplit_gem_create_fields[] = {
	F(drm_vsplit_gem_create, size, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_gem_create, alignment, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_gem_create, flags, VSPLIT_FIELD_FLAGS, VSPLIT_GEM_FLAGS),
	F(drm_vsplit_gem_create, priority, VSPLIT_FIELD_VALUE, VSPLIT_PRIORITY_MAX),
	F(drm_vsplit_gem_create, num_segments, VSPLIT_FIELD_VALUE, VSPLIT_MAX_SEGMENTS),
	F(drm_vsplit_gem_create, segments, VSPLIT_FIELD_BYTES),
	F(drm_vsplit_gem_create, handle, VSPLIT_FIELD_OUT),
	F(drm_vsplit_gem_create, id, VSPLIT_FIELD_OUT),
	F(drm_vsplit_gem_create, pitch, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_gem_create, eviction_set, VSPLIT_FIELD_VALUE, (1u << VSPLIT_MAX_SEGMENTS) - 1),
	FIELDS_END
};

static const struct vsplit_field vsplit_mmap_offset_fields[] = {
	F(drm_vsplit_gem_mmap_offset, handle, VSPLIT_FIELD_BO),
	F(drm_vsplit_gem_mmap_offset, pad, VSPLIT_FIELD_PAD),
	F(drm_vsplit_gem_mmap_offset, offset, VSPLIT_FIELD_OUT),
	FIELDS_END
};

static const struct vsplit_field vsplit_info_fields[] = {
	F(drm_vsplit_gem_info, handle, VSPLIT_FIELD_BO),
	F(drm_vsplit_gem_info, flags, VSPLIT_FIELD_OUT),
	F(drm_vsplit_gem_info, segment, VSPLIT_FIELD_OUT),
	F(drm_vsplit_gem_info, locks, VSPLIT_FIELD_OUT),
	F(drm_vsplit_gem_info, offset, VSPLIT_FIELD_OUT),
	F(drm_vsplit_gem_info, size, VSPLIT_FIELD_OUT),
	F(drm_vsplit_gem_info, id, VSPLIT_FIELD_OUT),
	FIELDS_END
};

static const struct vsplit_array vsplit_array_runs = {
	"runs", sizeof(struct drm_vsplit_run), NULL
};

static const struct vsplit_field vsplit_runs_fields[] = {
	F(drm_vsplit_gem_runs, handle, VSPLIT_FIELD_BO),
	F(drm_vsplit_gem_runs, num_runs, VSPLIT_FIELD_COUNT),
	POINTER(drm_vsplit_gem_runs, runs, &vsplit_array_runs, num_runs, 1),
	F(drm_vsplit_gem_runs, segment, VSPLIT_FIELD_OUT),
	F(drm_vsplit_gem_runs, pad, VSPLIT_FIELD_PAD),
	FIELDS_END
};

static const struct vsplit_field vsplit_lock_fields[] = {
	F(drm_vsplit_gem_lock, handle, VSPLIT_FIELD_BO),
	F(drm_vsplit_gem_lock, flags, VSPLIT_FIELD_FLAGS, VSPLIT_LOCK_FLAGS),
	FIELDS_END
};

static const struct vsplit_field vsplit_unlock_fields[] = {
	F(drm_vsplit_gem_lock, handle, VSPLIT_FIELD_BO),
	F(drm_vsplit_gem_lock, flags, VSPLIT_FIELD_FLAGS, 0),
	FIELDS_END
};

static const struct vsplit_field vsplit_ctx_create_fields[] = {
	F(drm_vsplit_ctx_create, flags, VSPLIT_FIELD_FLAGS, VSPLIT_CTX_FLAGS),
	F(drm_vsplit_ctx_create, priority, VSPLIT_FIELD_ENUM, VSPLIT_CTX_PRIORITY_HIGH),
	F(drm_vsplit_ctx_create, engine, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_ctx_create, ctx, VSPLIT_FIELD_OUT),
	F(drm_vsplit_ctx_create, mode, VSPLIT_FIELD_ENUM, VSPLIT_CTX_MODE_HW),
	F(drm_vsplit_ctx_create, pad, VSPLIT_FIELD_PAD),
	FIELDS_END
};

static const struct vsplit_field vsplit_ctx_destroy_fields[] = {
	F(drm_vsplit_ctx_destroy, ctx, VSPLIT_FIELD_CTX),
	F(drm_vsplit_ctx_destroy, pad, VSPLIT_FIELD_PAD),
	FIELDS_END
};

static const struct vsplit_field vsplit_ctx_query_fields[] = {
	F(drm_vsplit_ctx_query, ctx, VSPLIT_FIELD_CTX),
	F(drm_vsplit_ctx_query, state, VSPLIT_FIELD_OUT),
	F(drm_vsplit_ctx_query, device_state, VSPLIT_FIELD_OUT),
	F(drm_vsplit_ctx_query, fault, VSPLIT_FIELD_OUT),
	F(drm_vsplit_ctx_query, fault_portion, VSPLIT_FIELD_OUT),
	F(drm_vsplit_ctx_query, fault_offset, VSPLIT_FIELD_OUT),
	F(drm_vsplit_ctx_query, fault_slot, VSPLIT_FIELD_OUT),
	F(drm_vsplit_ctx_query, pad, VSPLIT_FIELD_PAD),
	F(drm_vsplit_ctx_query, submission, VSPLIT_FIELD_OUT),
	F(drm_vsplit_ctx_query, last_submission, VSPLIT_FIELD_OUT),
	F(drm_vsplit_ctx_query, fault_address, VSPLIT_FIELD_OUT),
	F(drm_vsplit_ctx_query, fault_access, VSPLIT_FIELD_OUT),
	F(drm_vsplit_ctx_query, fault_engine, VSPLIT_FIELD_OUT),
	FIELDS_END
};

static const struct vsplit_field vsplit_submit_fields[] = {
	F(drm_vsplit_submit, ctx, VSPLIT_FIELD_CTX),
	F(drm_vsplit_submit, flags, VSPLIT_FIELD_FLAGS, VSPLIT_SUBMIT_FLAGS),
	POINTER(drm_vsplit_submit, stream, &vsplit_array_bytes, stream_bytes, 0),
	POINTER(drm_vsplit_submit, allocs, &vsplit_array_allocs, num_allocs, 0),
	POINTER(drm_vsplit_submit, patches, &vsplit_array_patches, num_patches, 0),
	POINTER(drm_vsplit_submit, syncs, &vsplit_array_syncs, num_syncs, 0),
	F(drm_vsplit_submit, stream_bytes, VSPLIT_FIELD_COUNT),
	F(drm_vsplit_submit, num_allocs, VSPLIT_FIELD_COUNT),
	F(drm_vsplit_submit, num_patches, VSPLIT_FIELD_COUNT),
	F(drm_vsplit_submit, num_syncs, VSPLIT_FIELD_COUNT),
	F(drm_vsplit_submit, num_portions, VSPLIT_FIELD_OUT),
	F(drm_vsplit_submit, pad, VSPLIT_FIELD_PAD),
	F(drm_vsplit_submit, submission, VSPLIT_FIELD_OUT),
	FIELDS_END
};

static const struct vsplit_field vsplit_va_op_fields[] = {
	F(drm_vsplit_va_op, type, VSPLIT_FIELD_ENUM, VSPLIT_VA_SPARSE),
	F(drm_vsplit_va_op, flags, VSPLIT_FIELD_FLAGS, VSPLIT_VA_OP_FLAGS),
	F(drm_vsplit_va_op, handle, VSPLIT_FIELD_BO),
	F(drm_vsplit_va_op, pad, VSPLIT_FIELD_PAD),
	F(drm_vsplit_va_op, address, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_va_op, bytes, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_va_op, offset, VSPLIT_FIELD_VALUE),
	FIELDS_END
};

static const struct vsplit_array vsplit_array_va_ops = {
	"ops", sizeof(struct drm_vsplit_va_op), vsplit_va_op_fields
};

static const struct vsplit_field vsplit_va_bind_fields[] = {
	POINTER(drm_vsplit_va_bind, ops, &vsplit_array_va_ops, num_ops, 0),
	POINTER(drm_vsplit_va_bind, syncs, &vsplit_array_syncs, num_syncs, 0),
	F(drm_vsplit_va_bind, num_ops, VSPLIT_FIELD_COUNT),
	F(drm_vsplit_va_bind, num_syncs, VSPLIT_FIELD_COUNT),
	F(drm_vsplit_va_bind, flags, VSPLIT_FIELD_FLAGS, 0),
	F(drm_vsplit_va_bind, pad, VSPLIT_FIELD_PAD),
	FIELDS_END
};

static const struct vsplit_field vsplit_record_fields[] = {
	F(drm_vsplit_record, ctx, VSPLIT_FIELD_CTX),
	F(drm_vsplit_record, pad, VSPLIT_FIELD_PAD),
	F(drm_vsplit_record, submission, VSPLIT_FIELD_SUBMISSION),
	POINTER(drm_vsplit_record, events, &vsplit_array_events, num_events, 1),
	POINTER(drm_vsplit_record, rows, &vsplit_array_rows, num_rows, 1),
	F(drm_vsplit_record, num_events, VSPLIT_FIELD_COUNT),
	F(drm_vsplit_record, num_rows, VSPLIT_FIELD_COUNT),
	F(drm_vsplit_record, num_portions, VSPLIT_FIELD_OUT),
	F(drm_vsplit_record, error, VSPLIT_FIELD_OUT),
	F(drm_vsplit_record, done, VSPLIT_FIELD_OUT),
	F(drm_vsplit_record, fault, VSPLIT_FIELD_OUT),
	FIELDS_END
};

static const struct vsplit_field vsplit_escape_fields[] = {
	F(drm_vsplit_escape, op, VSPLIT_FIELD_ENUM, VSPLIT_ESCAPE_PERIOD),
	F(drm_vsplit_escape, handle, VSPLIT_FIELD_BO),
	F(drm_vsplit_escape, value, VSPLIT_FIELD_VALUE),
	FIELDS_END
};

static const struct vsplit_field vsplit_priority_fields[] = {
	F(drm_vsplit_gem_priority, handle, VSPLIT_FIELD_BO),
	F(drm_vsplit_gem_priority, priority, VSPLIT_FIELD_VALUE, VSPLIT_PRIORITY_MAX),
	FIELDS_END
};

static const struct vsplit_field vsplit_surface_alloc_fields[] = {
	F(drm_vsplit_surface_alloc, create.size, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_surface_alloc, create.alignment, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_surface_alloc, create.flags, VSPLIT_FIELD_FLAGS, VSPLIT_GEM_FLAGS),
	F(drm_vsplit_surface_alloc, create.priority, VSPLIT_FIELD_VALUE, VSPLIT_PRIORITY_MAX),
	F(drm_vsplit_surface_alloc, create.num_segments, VSPLIT_FIELD_VALUE, VSPLIT_MAX_SEGMENTS),
	F(drm_vsplit_surface_alloc, create.segments, VSPLIT_FIELD_BYTES),
	F(drm_vsplit_surface_alloc, create.handle, VSPLIT_FIELD_BYTES),
	F(drm_vsplit_surface_alloc, create.id, VSPLIT_FIELD_BYTES),
	F(drm_vsplit_surface_alloc, create.pitch, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_surface_alloc, create.eviction_set, VSPLIT_FIELD_VALUE,
	  (1u << VSPLIT_MAX_SEGMENTS) - 1),
	F(drm_vsplit_surface_alloc, private_data, VSPLIT_FIELD_BYTES),
	F(drm_vsplit_surface_alloc, private_bytes, VSPLIT_FIELD_VALUE, VSPLIT_MAX_PRIVATE_BYTES),
	F(drm_vsplit_surface_alloc, pad, VSPLIT_FIELD_PAD),
	FIELDS_END
};

static const struct vsplit_array vsplit_array_surface = {
	"surface", sizeof(struct drm_vsplit_surface_alloc), vsplit_surface_alloc_fields
};

static const struct vsplit_field vsplit_surface_fields[] = {
	POINTER(drm_vsplit_gem_surface, allocs, &vsplit_array_surface, num_allocs, 0),
	F(drm_vsplit_gem_surface, num_allocs, VSPLIT_FIELD_COUNT),
	F(drm_vsplit_gem_surface, pad, VSPLIT_FIELD_PAD),
	F(drm_vsplit_gem_surface, handles, VSPLIT_FIELD_BYTES),
	FIELDS_END
};

static const struct vsplit_array vsplit_array_handles = { "handles", sizeof(uint32_t), NULL };

static const struct vsplit_field vsplit_make_resident_fields[] = {
	POINTER(drm_vsplit_make_resident, handles, &vsplit_array_handles, num_handles, 0),
	F(drm_vsplit_make_resident, num_handles, VSPLIT_FIELD_COUNT),
	F(drm_vsplit_make_resident, flags, VSPLIT_FIELD_FLAGS, VSPLIT_RESIDENT_FLAGS),
	F(drm_vsplit_make_resident, point, VSPLIT_FIELD_OUT),
	F(drm_vsplit_make_resident, trim_bytes, VSPLIT_FIELD_OUT),
	FIELDS_END
};

static const struct vsplit_field vsplit_evict_fields[] = {
	POINTER(drm_vsplit_evict, handles, &vsplit_array_handles, num_handles, 0),
	F(drm_vsplit_evict, num_handles, VSPLIT_FIELD_COUNT),
	F(drm_vsplit_evict, flags, VSPLIT_FIELD_FLAGS, VSPLIT_EVICT_FLAGS),
	F(drm_vsplit_evict, trim_bytes, VSPLIT_FIELD_OUT),
	FIELDS_END
};

/* Handle 0 is no allocation. Without EVENTFD, fd is a pad. */
static const struct vsplit_field vsplit_residency_fields[] = {
	F(drm_vsplit_residency, handle, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_residency, count, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, members, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, syncobj, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, point, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, trims, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, trim_bytes, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, trim_reason, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, trim_group, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, groups[0].budget, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, groups[0].usage, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, groups[0].reservation, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, groups[0].available, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, groups[1].budget, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, groups[1].usage, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, groups[1].reservation, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, groups[1].available, VSPLIT_FIELD_OUT),
	F(drm_vsplit_residency, flags, VSPLIT_FIELD_FLAGS, VSPLIT_RESIDENCY_FLAGS),
	F(drm_vsplit_residency, fd, VSPLIT_FIELD_PAD),
	FIELDS_END
};

static const struct vsplit_field vsplit_reserve_fields[] = {
	F(drm_vsplit_reserve, group, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_reserve, pad, VSPLIT_FIELD_PAD),
	F(drm_vsplit_reserve, bytes, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_reserve, available, VSPLIT_FIELD_OUT),
	FIELDS_END
};

static const struct vsplit_array vsplit_array_discarded = { "discarded", sizeof(uint32_t), NULL };

static const struct vsplit_field vsplit_offer_fields[] = {
	POINTER(drm_vsplit_offer, handles, &vsplit_array_handles, num_handles, 0),
	F(drm_vsplit_offer, num_handles, VSPLIT_FIELD_COUNT),
	F(drm_vsplit_offer, priority, VSPLIT_FIELD_ENUM, VSPLIT_OFFER_AUTO),
	FIELDS_END
};

static const struct vsplit_field vsplit_reclaim_fields[] = {
	POINTER(drm_vsplit_reclaim, handles, &vsplit_array_handles, num_handles, 0),
	POINTER(drm_vsplit_reclaim, discarded, &vsplit_array_discarded, num_handles, 1),
	F(drm_vsplit_reclaim, num_handles, VSPLIT_FIELD_COUNT),
	F(drm_vsplit_reclaim, pad, VSPLIT_FIELD_PAD),
	FIELDS_END
};

static const struct vsplit_field vsplit_fence_create_fields[] = {
	F(drm_vsplit_fence_create, value, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_fence_create, handle, VSPLIT_FIELD_OUT),
	F(drm_vsplit_fence_create, flags, VSPLIT_FIELD_FLAGS, 0),
	F(drm_vsplit_fence_create, offset, VSPLIT_FIELD_OUT),
	FIELDS_END
};

static const struct vsplit_field vsplit_fence_destroy_fields[] = {
	F(drm_vsplit_fence_destroy, handle, VSPLIT_FIELD_FENCE),
	F(drm_vsplit_fence_destroy, pad, VSPLIT_FIELD_PAD),
	FIELDS_END
};

static const struct vsplit_field vsplit_fence_signal_fields[] = {
	F(drm_vsplit_fence_signal, handle, VSPLIT_FIELD_FENCE),
	F(drm_vsplit_fence_signal, pad, VSPLIT_FIELD_PAD),
	F(drm_vsplit_fence_signal, value, VSPLIT_FIELD_VALUE),
	FIELDS_END
};

/* Without EVENTFD, fd is a pad. */
static const struct vsplit_field vsplit_fence_wait_fields[] = {
	F(drm_vsplit_fence_wait, handle, VSPLIT_FIELD_FENCE),
	F(drm_vsplit_fence_wait, flags, VSPLIT_FIELD_FLAGS, VSPLIT_FENCE_WAIT_FLAGS),
	F(drm_vsplit_fence_wait, value, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_fence_wait, timeout_ns, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_fence_wait, fd, VSPLIT_FIELD_PAD),
	F(drm_vsplit_fence_wait, pad, VSPLIT_FIELD_PAD),
	FIELDS_END
};

static const struct vsplit_field vsplit_fence_export_fields[] = {
	F(drm_vsplit_fence_export, handle, VSPLIT_FIELD_FENCE),
	F(drm_vsplit_fence_export, fd, VSPLIT_FIELD_OUT),
	FIELDS_END
};

static const struct vsplit_field vsplit_fence_import_fields[] = {
	F(drm_vsplit_fence_import, fd, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_fence_import, handle, VSPLIT_FIELD_OUT),
	F(drm_vsplit_fence_import, offset, VSPLIT_FIELD_OUT),
	FIELDS_END
};

static const struct vsplit_field vsplit_hwq_create_fields[] = {
	F(drm_vsplit_hwq_create, ctx, VSPLIT_FIELD_CTX),
	F(drm_vsplit_hwq_create, ring_bytes, VSPLIT_FIELD_VALUE, VSPLIT_HWQ_MAX_RING),
	F(drm_vsplit_hwq_create, offset, VSPLIT_FIELD_OUT),
	F(drm_vsplit_hwq_create, bytes, VSPLIT_FIELD_OUT),
	FIELDS_END
};

static const struct vsplit_field vsplit_hwq_wait_fields[] = {
	F(drm_vsplit_hwq_wait, ctx, VSPLIT_FIELD_CTX),
	F(drm_vsplit_hwq_wait, pad, VSPLIT_FIELD_PAD),
	F(drm_vsplit_hwq_wait, done, VSPLIT_FIELD_VALUE),
	F(drm_vsplit_hwq_wait, timeout_ns, VSPLIT_FIELD_VALUE),
	FIELDS_END
};

#pragma GCC diagnostic pop

#undef POINTER
#undef F
#undef FIELDS_END

#define C(name, type, fields, roles) \
	{ #name, DRM_IOCTL_VSPLIT_##name, sizeof(struct type), roles, fields }

static const struct vsplit_call vsplit_calls[] = {
	C(QUERY, drm_vsplit_query, vsplit_query_fields, VSPLIT_ROLE_ALL),
	C(GEM_CREATE, drm_vsplit_gem_create, vsplit_gem_create_fields, VSPLIT_ROLE_ALL),
	C(GEM_MMAP_OFFSET, drm_vsplit_gem_mmap_offset, vsplit_mmap_offset_fields, VSPLIT_ROLE_ALL),
	C(GEM_INFO, drm_vsplit_gem_info, vsplit_info_fields, VSPLIT_ROLE_ALL),
	C(GEM_LOCK, drm_vsplit_gem_lock, vsplit_lock_fields, VSPLIT_ROLE_ALL),
	C(GEM_UNLOCK, drm_vsplit_gem_lock, vsplit_unlock_fields, VSPLIT_ROLE_ALL),
	C(CTX_CREATE, drm_vsplit_ctx_create, vsplit_ctx_create_fields, VSPLIT_ROLE_ALL),
	C(CTX_DESTROY, drm_vsplit_ctx_destroy, vsplit_ctx_destroy_fields, VSPLIT_ROLE_ALL),
	C(CTX_QUERY, drm_vsplit_ctx_query, vsplit_ctx_query_fields, VSPLIT_ROLE_ALL),
	C(SUBMIT, drm_vsplit_submit, vsplit_submit_fields, VSPLIT_ROLE_ALL),
	C(RECORD, drm_vsplit_record, vsplit_record_fields, VSPLIT_ROLE_ALL),
	C(ESCAPE, drm_vsplit_escape, vsplit_escape_fields,
	  VSPLIT_ROLE_RENDER | VSPLIT_ROLE_MASTER | VSPLIT_ROLE_AUTH),
	C(GEM_PRIORITY, drm_vsplit_gem_priority, vsplit_priority_fields, VSPLIT_ROLE_ALL),
	C(GEM_SURFACE, drm_vsplit_gem_surface, vsplit_surface_fields, VSPLIT_ROLE_ALL),
	C(MAKE_RESIDENT, drm_vsplit_make_resident, vsplit_make_resident_fields, VSPLIT_ROLE_ALL),
	C(EVICT, drm_vsplit_evict, vsplit_evict_fields, VSPLIT_ROLE_ALL),
	C(RESIDENCY, drm_vsplit_residency, vsplit_residency_fields, VSPLIT_ROLE_ALL),
	C(VA_BIND, drm_vsplit_va_bind, vsplit_va_bind_fields, VSPLIT_ROLE_ALL),
	C(FENCE_CREATE, drm_vsplit_fence_create, vsplit_fence_create_fields, VSPLIT_ROLE_ALL),
	C(FENCE_DESTROY, drm_vsplit_fence_destroy, vsplit_fence_destroy_fields, VSPLIT_ROLE_ALL),
	C(FENCE_SIGNAL, drm_vsplit_fence_signal, vsplit_fence_signal_fields, VSPLIT_ROLE_ALL),
	C(FENCE_WAIT, drm_vsplit_fence_wait, vsplit_fence_wait_fields, VSPLIT_ROLE_ALL),
	C(HWQ_CREATE, drm_vsplit_hwq_create, vsplit_hwq_create_fields, VSPLIT_ROLE_ALL),
	C(HWQ_WAIT, drm_vsplit_hwq_wait, vsplit_hwq_wait_fields, VSPLIT_ROLE_ALL),
	C(OFFER, drm_vsplit_offer, vsplit_offer_fields, VSPLIT_ROLE_ALL),
	C(RECLAIM, drm_vsplit_reclaim, vsplit_reclaim_fields, VSPLIT_ROLE_ALL),
	C(RESERVE, drm_vsplit_reserve, vsplit_reserve_fields, VSPLIT_ROLE_ALL),
	C(GEM_RUNS, drm_vsplit_gem_runs, vsplit_runs_fields, VSPLIT_ROLE_ALL),
	C(FENCE_EXPORT, drm_vsplit_fence_export, vsplit_fence_export_fields, VSPLIT_ROLE_ALL),
	C(FENCE_IMPORT, drm_vsplit_fence_import, vsplit_fence_import_fields, VSPLIT_ROLE_ALL),
};

#undef C

#define VSPLIT_NR_CALLS (sizeof(vsplit_calls) / sizeof(vsplit_calls[0]))

#endif /* IGT_VSPLIT_UAPI_H */
