/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Tracepoints: every action of the protocol, in the order in which it happens,
 * with the adapter and ids that are unique on it. They show all clients, so only
 * root reads them; a client reads its own submissions with DRM_IOCTL_VSPLIT_RECORD.
 *
 * client is DRM's id of an open file, as drm-client-id in fdinfo, ctx the id of a context on
 * the adapter, submission its id in that context,
 * bo the id of an allocation on the adapter, segment an index (255 is system
 * memory; in plans and paging jobs it is the id, from 1 on), at and pgoff offsets in the
 * segment and in the mapping. context and seqno are those of a job's dma_fence: by them
 * plan, steps and fence belong together.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM vsplit

#if !defined(_VSPLIT_TRACE_H_) || defined(TRACE_HEADER_MULTI_READ)
#define _VSPLIT_TRACE_H_

#include <linux/tracepoint.h>

#include "vsplit_device.h"

/* So that userspace, too, can resolve the names in the formats. */
TRACE_DEFINE_ENUM(VSPLIT_EVENT_PAGE_IN);
TRACE_DEFINE_ENUM(VSPLIT_EVENT_EVICT);
TRACE_DEFINE_ENUM(VSPLIT_EVENT_MOVE);
TRACE_DEFINE_ENUM(VSPLIT_EVENT_MAP);
TRACE_DEFINE_ENUM(VSPLIT_EVENT_UNMAP);
TRACE_DEFINE_ENUM(VSPLIT_EVENT_ACQUIRE_RANGE);
TRACE_DEFINE_ENUM(VSPLIT_EVENT_RELEASE_RANGE);
TRACE_DEFINE_ENUM(VSPLIT_GPU_STEP_TRANSFER);
TRACE_DEFINE_ENUM(VSPLIT_GPU_STEP_FILL);
TRACE_DEFINE_ENUM(VSPLIT_GPU_STEP_MAP);
TRACE_DEFINE_ENUM(VSPLIT_GPU_STEP_UNMAP);
TRACE_DEFINE_ENUM(VSPLIT_GPU_STEP_RUN);
TRACE_DEFINE_ENUM(VSPLIT_GPU_STEP_MARK);
TRACE_DEFINE_ENUM(VSPLIT_GPU_STEP_ACQUIRE_RANGE);
TRACE_DEFINE_ENUM(VSPLIT_GPU_STEP_RELEASE_RANGE);
TRACE_DEFINE_ENUM(VSPLIT_FAULT_NONE);
TRACE_DEFINE_ENUM(VSPLIT_FAULT_BAD_PACKET);
TRACE_DEFINE_ENUM(VSPLIT_FAULT_EMPTY_ROW);
TRACE_DEFINE_ENUM(VSPLIT_FAULT_BOUNDS);
TRACE_DEFINE_ENUM(VSPLIT_FAULT_WRITE);
TRACE_DEFINE_ENUM(VSPLIT_FAULT_ALIGN);
TRACE_DEFINE_ENUM(VSPLIT_FAULT_STATE);
TRACE_DEFINE_ENUM(VSPLIT_FAULT_DECODE);
TRACE_DEFINE_ENUM(VSPLIT_FAULT_CANCELLED);
TRACE_DEFINE_ENUM(VSPLIT_STATE_ACTIVE);
TRACE_DEFINE_ENUM(VSPLIT_STATE_LOST_OOM);
TRACE_DEFINE_ENUM(VSPLIT_STATE_LOST_HANG);
TRACE_DEFINE_ENUM(VSPLIT_STATE_LOST_FAULT);
TRACE_DEFINE_ENUM(VSPLIT_TRIM_DEMAND);
TRACE_DEFINE_ENUM(VSPLIT_TRIM_BUDGET);
TRACE_DEFINE_ENUM(VSPLIT_TRIM_PERIODIC);
TRACE_DEFINE_ENUM(VSPLIT_GROUP_LOCAL);
TRACE_DEFINE_ENUM(VSPLIT_GROUP_NONLOCAL);

#ifndef vsplit_show_event
#define vsplit_show_event(type)						\
	__print_symbolic(type,						\
			 { VSPLIT_EVENT_PAGE_IN, "page-in" },		\
			 { VSPLIT_EVENT_EVICT, "evict" },		\
			 { VSPLIT_EVENT_MOVE, "move" },			\
			 { VSPLIT_EVENT_MAP, "map" },			\
			 { VSPLIT_EVENT_UNMAP, "unmap" },		\
			 { VSPLIT_EVENT_ACQUIRE_RANGE, "acquire-range" },	\
			 { VSPLIT_EVENT_RELEASE_RANGE, "release-range" })
#define vsplit_show_step(type)						\
	__print_symbolic(type,						\
			 { VSPLIT_GPU_STEP_TRANSFER, "transfer" },	\
			 { VSPLIT_GPU_STEP_FILL, "fill" },		\
			 { VSPLIT_GPU_STEP_MAP, "map" },		\
			 { VSPLIT_GPU_STEP_UNMAP, "unmap" },		\
			 { VSPLIT_GPU_STEP_RUN, "run" },		\
			 { VSPLIT_GPU_STEP_MARK, "mark" },		\
			 { VSPLIT_GPU_STEP_ACQUIRE_RANGE, "acquire-range" },	\
			 { VSPLIT_GPU_STEP_RELEASE_RANGE, "release-range" })
#define vsplit_show_fault(fault)					\
	__print_symbolic(fault,						\
			 { VSPLIT_FAULT_NONE, "none" },			\
			 { VSPLIT_FAULT_BAD_PACKET, "bad-packet" },	\
			 { VSPLIT_FAULT_EMPTY_ROW, "empty-row" },	\
			 { VSPLIT_FAULT_BOUNDS, "bounds" },		\
			 { VSPLIT_FAULT_WRITE, "write" },		\
			 { VSPLIT_FAULT_ALIGN, "align" },		\
			 { VSPLIT_FAULT_STATE, "state" },		\
			 { VSPLIT_FAULT_DECODE, "decode" },		\
			 { VSPLIT_FAULT_CANCELLED, "cancelled" })
#define vsplit_show_state(state)					\
	__print_symbolic(state,						\
			 { VSPLIT_STATE_ACTIVE, "active" },		\
			 { VSPLIT_STATE_LOST_OOM, "lost-oom" },		\
			 { VSPLIT_STATE_LOST_HANG, "lost-hang" },	\
			 { VSPLIT_STATE_LOST_FAULT, "lost-fault" })
#define vsplit_show_trim(reason)					\
	__print_symbolic(reason,					\
			 { VSPLIT_TRIM_DEMAND, "demand" },		\
			 { VSPLIT_TRIM_BUDGET, "budget" },		\
			 { VSPLIT_TRIM_PERIODIC, "periodic" })
#define vsplit_show_group(group)					\
	__print_symbolic(group,						\
			 { VSPLIT_GROUP_LOCAL, "local" },		\
			 { VSPLIT_GROUP_NONLOCAL, "nonlocal" })
#endif

/* A submission was accepted by the parser. */
TRACE_EVENT(vsplit_submit,
	    TP_PROTO(struct vsplit_device *vdev, u64 ctx, u32 stream_bytes, u32 nr_allocs,
		     u32 nr_patches),
	    TP_ARGS(vdev, ctx, stream_bytes, nr_allocs, nr_patches),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, ctx)
			     __field(u32, stream_bytes)
			     __field(u32, nr_allocs)
			     __field(u32, nr_patches)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->ctx = ctx;
			   __entry->stream_bytes = stream_bytes;
			   __entry->nr_allocs = nr_allocs;
			   __entry->nr_patches = nr_patches;
	    ),
	    TP_printk("dev=%s ctx=%llu stream_bytes=%u nr_allocs=%u nr_patches=%u",
		      __get_str(dev), __entry->ctx, __entry->stream_bytes, __entry->nr_allocs,
		      __entry->nr_patches)
);

/*
 * The call ends, by the same task; error is 0 or negative, then submission is 0. Portions is 0 of
 * what waits for a fence that is not there yet: its plan comes later.
 */
TRACE_EVENT(vsplit_submitted,
	    TP_PROTO(struct vsplit_device *vdev, u64 ctx, u64 submission, u32 portions, int error),
	    TP_ARGS(vdev, ctx, submission, portions, error),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, ctx)
			     __field(u64, submission)
			     __field(u32, portions)
			     __field(int, error)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->ctx = ctx;
			   __entry->submission = submission;
			   __entry->portions = portions;
			   __entry->error = error;
	    ),
	    TP_printk("dev=%s ctx=%llu submission=%llu portions=%u error=%d",
		      __get_str(dev), __entry->ctx, __entry->submission, __entry->portions,
		      __entry->error)
);

/* A portion of a plan: a window on the stream and the patch elements that open it. */
TRACE_EVENT(vsplit_split,
	    TP_PROTO(struct vsplit_device *vdev, u64 ctx, u64 submission, u64 context,
		     u64 seqno, u32 portion, u32 begin, u32 end, u32 patch_first,
		     u32 patch_count),
	    TP_ARGS(vdev, ctx, submission, context, seqno, portion, begin, end, patch_first,
		    patch_count),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, context)
			     __field(u64, seqno)
			     __field(u64, ctx)
			     __field(u64, submission)
			     __field(u32, portion)
			     __field(u32, begin)
			     __field(u32, end)
			     __field(u32, patch_first)
			     __field(u32, patch_count)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->context = context;
			   __entry->seqno = seqno;
			   __entry->ctx = ctx;
			   __entry->submission = submission;
			   __entry->portion = portion;
			   __entry->begin = begin;
			   __entry->end = end;
			   __entry->patch_first = patch_first;
			   __entry->patch_count = patch_count;
	    ),
	    TP_printk("dev=%s ctx=%llu submission=%llu portion=%u begin=%u end=%u patch_first=%u patch_count=%u context=%llu seqno=%llu",
		      __get_str(dev), __entry->ctx, __entry->submission, __entry->portion,
		      __entry->begin, __entry->end, __entry->patch_first, __entry->patch_count,
		      __entry->context, __entry->seqno)
);

/* A paging step of a plan, before @portion; type is enum drm_vsplit_event_type. */
TRACE_EVENT(vsplit_plan_op,
	    TP_PROTO(struct vsplit_device *vdev, u64 ctx, u64 submission, u64 context,
		     u64 seqno, u32 portion, u32 type, u64 bo, u32 segment, u64 at, u64 bytes,
		     u64 copied),
	    TP_ARGS(vdev, ctx, submission, context, seqno, portion, type, bo, segment, at, bytes,
		    copied),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, context)
			     __field(u64, seqno)
			     __field(u64, ctx)
			     __field(u64, submission)
			     __field(u64, bo)
			     __field(u64, at)
			     __field(u64, bytes)
			     __field(u64, copied)
			     __field(u32, portion)
			     __field(u32, type)
			     __field(u32, segment)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->context = context;
			   __entry->seqno = seqno;
			   __entry->ctx = ctx;
			   __entry->submission = submission;
			   __entry->bo = bo;
			   __entry->at = at;
			   __entry->bytes = bytes;
			   __entry->copied = copied;
			   __entry->portion = portion;
			   __entry->type = type;
			   __entry->segment = segment;
	    ),
	    TP_printk("dev=%s ctx=%llu submission=%llu portion=%u type=%s bo=%llu segment=%u at=0x%llx bytes=%llu copied=%llu context=%llu seqno=%llu",
		      __get_str(dev), __entry->ctx, __entry->submission, __entry->portion,
		      vsplit_show_event(__entry->type), __entry->bo, __entry->segment, __entry->at,
		      __entry->bytes, __entry->copied, __entry->context, __entry->seqno)
);

/*
 * A paging job of its own: of an allocation that no submission's plan pages. Where context is 0 no
 * job was needed, and it is done.
 */
TRACE_EVENT(vsplit_paging,
	    TP_PROTO(struct vsplit_device *vdev, u32 type, u64 bo, u32 segment, u64 at, u64 bytes,
		     u64 copied, u64 context, u64 seqno),
	    TP_ARGS(vdev, type, bo, segment, at, bytes, copied, context, seqno),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, context)
			     __field(u64, seqno)
			     __field(u64, bo)
			     __field(u64, at)
			     __field(u64, bytes)
			     __field(u64, copied)
			     __field(u32, type)
			     __field(u32, segment)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->context = context;
			   __entry->seqno = seqno;
			   __entry->bo = bo;
			   __entry->at = at;
			   __entry->bytes = bytes;
			   __entry->copied = copied;
			   __entry->type = type;
			   __entry->segment = segment;
	    ),
	    TP_printk("dev=%s type=%s bo=%llu segment=%u at=0x%llx bytes=%llu copied=%llu context=%llu seqno=%llu",
		      __get_str(dev), vsplit_show_event(__entry->type), __entry->bo,
		      __entry->segment, __entry->at, __entry->bytes, __entry->copied,
		      __entry->context, __entry->seqno)
);

/* The place of an allocation changed, as bookkeeping: the bytes follow. */
TRACE_EVENT(vsplit_bo_move,
	    TP_PROTO(struct vsplit_device *vdev, u64 bo, u32 from, u32 to, u64 bytes, bool evict),
	    TP_ARGS(vdev, bo, from, to, bytes, evict),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, bo)
			     __field(u64, bytes)
			     __field(u32, from)
			     __field(u32, to)
			     __field(bool, evict)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->bo = bo;
			   __entry->bytes = bytes;
			   __entry->from = from;
			   __entry->to = to;
			   __entry->evict = evict;
	    ),
	    TP_printk("dev=%s bo=%llu from=%u to=%u bytes=%llu evict=%d",
		      __get_str(dev), __entry->bo, __entry->from, __entry->to, __entry->bytes,
		      __entry->evict)
);

/* It was freed, in the segment in which it was. */
TRACE_EVENT(vsplit_bo_free,
	    TP_PROTO(struct vsplit_device *vdev, u64 bo, u32 from, u64 bytes),
	    TP_ARGS(vdev, bo, from, bytes),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, bo)
			     __field(u64, bytes)
			     __field(u32, from)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->bo = bo;
			   __entry->bytes = bytes;
			   __entry->from = from;
	    ),
	    TP_printk("dev=%s bo=%llu from=%u bytes=%llu",
		      __get_str(dev), __entry->bo, __entry->from, __entry->bytes)
);

/* The CPU touched a page of a mapping that had no page; pfn is the page that it gets. */
TRACE_EVENT(vsplit_cpu_fault,
	    TP_PROTO(struct vsplit_device *vdev, u64 bo, u32 segment, u64 pgoff, u64 pfn,
		     bool write),
	    TP_ARGS(vdev, bo, segment, pgoff, pfn, write),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, bo)
			     __field(u64, pgoff)
			     __field(u64, pfn)
			     __field(u32, segment)
			     __field(bool, write)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->bo = bo;
			   __entry->pgoff = pgoff;
			   __entry->pfn = pfn;
			   __entry->segment = segment;
			   __entry->write = write;
	    ),
	    TP_printk("dev=%s bo=%llu segment=%u pgoff=%llu pfn=0x%llx write=%d",
		      __get_str(dev), __entry->bo, __entry->segment, __entry->pgoff,
		      __entry->pfn, __entry->write)
);

/* A swizzled allocation got a swizzling range, before the CPU maps it (SEG-5). */
TRACE_EVENT(vsplit_acquire_range,
	    TP_PROTO(struct vsplit_device *vdev, u64 bo, u32 segment, u32 range),
	    TP_ARGS(vdev, bo, segment, range),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, bo)
			     __field(u32, segment)
			     __field(u32, range)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->bo = bo;
			   __entry->segment = segment;
			   __entry->range = range;
	    ),
	    TP_printk("dev=%s bo=%llu segment=%u range=%u",
		      __get_str(dev), __entry->bo, __entry->segment, __entry->range)
);

/* It has none any more: it left, was destroyed, or another one took it ("stolen"). */
TRACE_EVENT(vsplit_release_range,
	    TP_PROTO(struct vsplit_device *vdev, u64 bo, u32 segment, u32 range,
		     const char *why),
	    TP_ARGS(vdev, bo, segment, range, why),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __string(why, why)
			     __field(u64, bo)
			     __field(u32, segment)
			     __field(u32, range)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __assign_str(why);
			   __entry->bo = bo;
			   __entry->segment = segment;
			   __entry->range = range;
	    ),
	    TP_printk("dev=%s bo=%llu segment=%u range=%u why=%s",
		      __get_str(dev), __entry->bo, __entry->segment, __entry->range,
		      __get_str(why))
);

/* The addresses of a plan were written into its stream; late: when the program starts (knobs). */
TRACE_EVENT(vsplit_patch,
	    TP_PROTO(struct vsplit_device *vdev, u64 ctx, u32 nr_patches, bool late),
	    TP_ARGS(vdev, ctx, nr_patches, late),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, ctx)
			     __field(u32, nr_patches)
			     __field(bool, late)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->ctx = ctx;
			   __entry->nr_patches = nr_patches;
			   __entry->late = late;
	    ),
	    TP_printk("dev=%s ctx=%llu nr_patches=%u late=%d", __get_str(dev), __entry->ctx,
		      __entry->nr_patches, __entry->late)
);

/* A program went to an engine's ring. */
TRACE_EVENT(vsplit_program_queue,
	    TP_PROTO(struct vsplit_device *vdev, u32 engine, u64 ctx, u64 submission, u32 nr_steps),
	    TP_ARGS(vdev, engine, ctx, submission, nr_steps),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, ctx)
			     __field(u64, submission)
			     __field(u32, engine)
			     __field(u32, nr_steps)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->ctx = ctx;
			   __entry->submission = submission;
			   __entry->engine = engine;
			   __entry->nr_steps = nr_steps;
	    ),
	    TP_printk("dev=%s engine=%u ctx=%llu submission=%llu nr_steps=%u",
		      __get_str(dev), __entry->engine, __entry->ctx, __entry->submission,
		      __entry->nr_steps)
);

/*
 * The engine begins a step of a program, or goes on with one; type is enum
 * vsplit_gpu_step_type, and the time is the GPU's clock.
 */
TRACE_EVENT(vsplit_step_begin,
	    TP_PROTO(struct vsplit_device *vdev, u32 engine, u64 ctx, u64 submission,
		     u64 context, u64 seqno, u32 step, u32 type, u64 now_ns),
	    TP_ARGS(vdev, engine, ctx, submission, context, seqno, step, type, now_ns),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, context)
			     __field(u64, seqno)
			     __field(u64, ctx)
			     __field(u64, submission)
			     __field(u64, now_ns)
			     __field(u32, engine)
			     __field(u32, step)
			     __field(u32, type)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->context = context;
			   __entry->seqno = seqno;
			   __entry->ctx = ctx;
			   __entry->submission = submission;
			   __entry->now_ns = now_ns;
			   __entry->engine = engine;
			   __entry->step = step;
			   __entry->type = type;
	    ),
	    TP_printk("dev=%s engine=%u ctx=%llu submission=%llu step=%u type=%s context=%llu seqno=%llu now_ns=%llu",
		      __get_str(dev), __entry->engine, __entry->ctx, __entry->submission,
		      __entry->step, vsplit_show_step(__entry->type), __entry->context,
		      __entry->seqno, __entry->now_ns)
);

/* The engine ended a step; the times are the GPU's clock. */
TRACE_EVENT(vsplit_step_end,
	    TP_PROTO(struct vsplit_device *vdev, u32 engine, u64 ctx, u64 submission,
		     u64 context, u64 seqno, u32 step, u32 type, u64 begin_ns, u64 end_ns),
	    TP_ARGS(vdev, engine, ctx, submission, context, seqno, step, type, begin_ns, end_ns),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, context)
			     __field(u64, seqno)
			     __field(u64, ctx)
			     __field(u64, submission)
			     __field(u64, begin_ns)
			     __field(u64, end_ns)
			     __field(u32, engine)
			     __field(u32, step)
			     __field(u32, type)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->context = context;
			   __entry->seqno = seqno;
			   __entry->ctx = ctx;
			   __entry->submission = submission;
			   __entry->begin_ns = begin_ns;
			   __entry->end_ns = end_ns;
			   __entry->engine = engine;
			   __entry->step = step;
			   __entry->type = type;
	    ),
	    TP_printk("dev=%s engine=%u ctx=%llu submission=%llu step=%u type=%s begin_ns=%llu end_ns=%llu context=%llu seqno=%llu",
		      __get_str(dev), __entry->engine, __entry->ctx, __entry->submission,
		      __entry->step, vsplit_show_step(__entry->type), __entry->begin_ns,
		      __entry->end_ns, __entry->context, __entry->seqno)
);

/* A fence was signalled; error is 0 or negative. */
TRACE_EVENT(vsplit_fence,
	    TP_PROTO(struct vsplit_device *vdev, u64 ctx, u64 submission, u64 context,
		     u64 seqno, int error),
	    TP_ARGS(vdev, ctx, submission, context, seqno, error),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, ctx)
			     __field(u64, submission)
			     __field(u64, context)
			     __field(u64, seqno)
			     __field(int, error)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->ctx = ctx;
			   __entry->submission = submission;
			   __entry->context = context;
			   __entry->seqno = seqno;
			   __entry->error = error;
	    ),
	    TP_printk("dev=%s ctx=%llu submission=%llu context=%llu seqno=%llu error=%d",
		      __get_str(dev), __entry->ctx, __entry->submission, __entry->context,
		      __entry->seqno, __entry->error)
);

/* The GPU refused an access or a packet; fault is enum drm_vsplit_fault. */
TRACE_EVENT(vsplit_fault,
	    TP_PROTO(struct vsplit_device *vdev, u32 engine, u64 ctx, u64 submission, u32 fault,
		     u32 portion, u32 offset, u32 slot, u64 address),
	    TP_ARGS(vdev, engine, ctx, submission, fault, portion, offset, slot, address),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, ctx)
			     __field(u64, submission)
			     __field(u64, address)
			     __field(u32, engine)
			     __field(u32, fault)
			     __field(u32, portion)
			     __field(u32, offset)
			     __field(u32, slot)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->ctx = ctx;
			   __entry->submission = submission;
			   __entry->address = address;
			   __entry->engine = engine;
			   __entry->fault = fault;
			   __entry->portion = portion;
			   __entry->offset = offset;
			   __entry->slot = slot;
	    ),
	    TP_printk("dev=%s engine=%u ctx=%llu submission=%llu fault=%s portion=%u offset=%u slot=%d address=0x%llx",
		      __get_str(dev), __entry->engine, __entry->ctx, __entry->submission,
		      vsplit_show_fault(__entry->fault), __entry->portion, __entry->offset,
		      (int)__entry->slot, __entry->address)
);

/* A context was lost; state is enum drm_vsplit_state, submission the first lost. */
TRACE_EVENT(vsplit_ctx_lost,
	    TP_PROTO(struct vsplit_device *vdev, u64 ctx, u32 state, u64 submission),
	    TP_ARGS(vdev, ctx, state, submission),
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)
			     __field(u64, ctx)
			     __field(u64, submission)
			     __field(u32, state)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->ctx = ctx;
			   __entry->submission = submission;
			   __entry->state = state;
	    ),
	    TP_printk("dev=%s ctx=%llu state=%s submission=%llu",
		      __get_str(dev), __entry->ctx, vsplit_show_state(__entry->state),
		      __entry->submission)
);

/*
 * A call about residency ends, by the same task; the name of the event is that of the call.
 * nr_allocs is the length of the client's array, local and nonlocal are bytes of the requirement
 * list as it is then, point is of the paging timeline (0: nothing is on its way), trim_bytes
 * what would have to be given back before it succeeds, or is still asked for. begin_ns is when the
 * call began, 0 if it was not traced then.
 */
DECLARE_EVENT_CLASS(vsplit_residency,
		    TP_PROTO(const struct vsplit_resid *resid, u64 begin_ns, u32 nr_allocs,
			     u64 point, u64 trim_bytes, int error),
		    TP_ARGS(resid, begin_ns, nr_allocs, point, trim_bytes, error),
		    TP_STRUCT__entry(__string(dev, resid->drm->unique)
				     __field(u64, client)
				     __field(u64, begin_ns)
				     __field(u64, local)
				     __field(u64, nonlocal)
				     __field(u64, point)
				     __field(u64, trim_bytes)
				     __field(u32, nr_allocs)
				     __field(int, error)
		    ),
		    TP_fast_assign(__assign_str(dev);
				   __entry->client = resid->client;
				   __entry->begin_ns = begin_ns;
				   __entry->local = READ_ONCE(resid->usage[VSPLIT_GROUP_LOCAL]);
				   __entry->nonlocal =
					   READ_ONCE(resid->usage[VSPLIT_GROUP_NONLOCAL]);
				   __entry->point = point;
				   __entry->trim_bytes = trim_bytes;
				   __entry->nr_allocs = nr_allocs;
				   __entry->error = error;
		    ),
		    TP_printk("dev=%s client=%llu nr_allocs=%u local=%llu nonlocal=%llu point=%llu trim_bytes=%llu error=%d",
			      __get_str(dev), __entry->client, __entry->nr_allocs,
			      __entry->local, __entry->nonlocal, __entry->point,
			      __entry->trim_bytes, __entry->error)
);

#define DEFINE_RESIDENCY_EVENT(name)						\
DEFINE_EVENT(vsplit_residency, name,						\
	     TP_PROTO(const struct vsplit_resid *resid, u64 begin_ns, u32 nr_allocs,	\
		      u64 point, u64 trim_bytes, int error),			\
	     TP_ARGS(resid, begin_ns, nr_allocs, point, trim_bytes, error))
DEFINE_RESIDENCY_EVENT(vsplit_make_resident);
DEFINE_RESIDENCY_EVENT(vsplit_evict);
DEFINE_RESIDENCY_EVENT(vsplit_offer);
DEFINE_RESIDENCY_EVENT(vsplit_reclaim);

/*
 * A file is asked to give back memory, whether or not it has read the last event: reason is enum
 * drm_vsplit_trim_reason, group enum drm_vsplit_group, trims how often it was asked so far.
 */
TRACE_EVENT(vsplit_trim,
	    TP_PROTO(const struct vsplit_resid *resid, u64 bytes, u32 reason, u32 group, u64 trims),
	    TP_ARGS(resid, bytes, reason, group, trims),
	    TP_STRUCT__entry(__string(dev, resid->drm->unique)
			     __field(u64, client)
			     __field(u64, bytes)
			     __field(u64, trims)
			     __field(u32, reason)
			     __field(u32, group)
	    ),
	    TP_fast_assign(__assign_str(dev);
			   __entry->client = resid->client;
			   __entry->bytes = bytes;
			   __entry->trims = trims;
			   __entry->reason = reason;
			   __entry->group = group;
	    ),
	    TP_printk("dev=%s client=%llu bytes=%llu reason=%s group=%s trims=%llu",
		      __get_str(dev), __entry->client, __entry->bytes,
		      vsplit_show_trim(__entry->reason), vsplit_show_group(__entry->group),
		      __entry->trims)
);

#endif /* _VSPLIT_TRACE_H_ */

/* Found by -I, wherever the sources are: see Kbuild. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH debug
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE vsplit_trace
#include <trace/define_trace.h>
