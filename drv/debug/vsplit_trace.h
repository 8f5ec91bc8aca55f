/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Tracepoints: every action of the protocol, in the order in which it happens,
 * with the adapter and ids that are unique on it. They show all clients, so only
 * root reads them; a client reads its own submissions with DRM_IOCTL_VSPLIT_RECORD.
 *
 * client is DRM's id of an open file, as drm-client-id in fdinfo; ctx is the id of a context on
 * the adapter, submission the id of a submission in that context, bo the id of an allocation on
 * the adapter. segment is an index (255 is system memory; in plans and paging jobs it is the id,
 * from 1 on). at and pgoff are offsets in the segment and in the mapping. context and seqno are
 * those of a job's dma_fence: they show which plan, steps and fence belong together.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM vsplit

#if !defined(_VSPLIT_TRACE_H_) || defined(TRACE_HEADER_MULTI_READ)
#define _VSPLIT_TRACE_H_

#include <linux/args.h>
#include <linux/tracepoint.h>

#include "vsplit_device.h"

/* Names that the formats print, each with its value. */
#define VSPLIT_TRACE_EVENTS						\
	EM(VSPLIT_EVENT_PAGE_IN, "page-in")				\
	EM(VSPLIT_EVENT_EVICT, "evict")					\
	EM(VSPLIT_EVENT_MOVE, "move")					\
	EM(VSPLIT_EVENT_MAP, "map")					\
	EM(VSPLIT_EVENT_UNMAP, "unmap")					\
	EM(VSPLIT_EVENT_ACQUIRE_RANGE, "acquire-range")			\
	EM_END(VSPLIT_EVENT_RELEASE_RANGE, "release-range")

#define VSPLIT_TRACE_STEPS						\
	EM(VSPLIT_GPU_STEP_TRANSFER, "transfer")			\
	EM(VSPLIT_GPU_STEP_FILL, "fill")				\
	EM(VSPLIT_GPU_STEP_MAP, "map")					\
	EM(VSPLIT_GPU_STEP_UNMAP, "unmap")				\
	EM(VSPLIT_GPU_STEP_RUN, "run")					\
	EM(VSPLIT_GPU_STEP_MARK, "mark")				\
	EM(VSPLIT_GPU_STEP_ACQUIRE_RANGE, "acquire-range")		\
	EM(VSPLIT_GPU_STEP_RELEASE_RANGE, "release-range")		\
	EM_END(VSPLIT_GPU_STEP_BIND, "bind")

#define VSPLIT_TRACE_FAULTS						\
	EM(VSPLIT_FAULT_NONE, "none")					\
	EM(VSPLIT_FAULT_BAD_PACKET, "bad-packet")			\
	EM(VSPLIT_FAULT_EMPTY_ROW, "empty-row")				\
	EM(VSPLIT_FAULT_BOUNDS, "bounds")				\
	EM(VSPLIT_FAULT_WRITE, "write")					\
	EM(VSPLIT_FAULT_ALIGN, "align")					\
	EM(VSPLIT_FAULT_STATE, "state")					\
	EM(VSPLIT_FAULT_DECODE, "decode")				\
	EM(VSPLIT_FAULT_CANCELLED, "cancelled")				\
	EM(VSPLIT_FAULT_NOT_MAPPED, "not-mapped")			\
	EM(VSPLIT_FAULT_NOT_RESIDENT, "not-resident")			\
	EM_END(VSPLIT_FAULT_READ_ONLY, "read-only")

#define VSPLIT_TRACE_STATES						\
	EM(VSPLIT_STATE_ACTIVE, "active")				\
	EM(VSPLIT_STATE_LOST_OOM, "lost-oom")				\
	EM(VSPLIT_STATE_LOST_HANG, "lost-hang")				\
	EM(VSPLIT_STATE_LOST_FAULT, "lost-fault")			\
	EM(VSPLIT_STATE_LOST_RESIDENCY, "lost-residency")		\
	EM_END(VSPLIT_STATE_LOST_PAGE_FAULT, "lost-page-fault")

#define VSPLIT_TRACE_TRIMS						\
	EM(VSPLIT_TRIM_DEMAND, "demand")				\
	EM(VSPLIT_TRIM_BUDGET, "budget")				\
	EM_END(VSPLIT_TRIM_PERIODIC, "periodic")

#define VSPLIT_TRACE_GROUPS						\
	EM(VSPLIT_GROUP_LOCAL, "local")					\
	EM_END(VSPLIT_GROUP_NONLOCAL, "nonlocal")

/* Let userspace, too, resolve these values. */
#undef EM
#undef EM_END
#define EM(_value, _name)	TRACE_DEFINE_ENUM(_value);
#define EM_END(_value, _name)	TRACE_DEFINE_ENUM(_value);
VSPLIT_TRACE_EVENTS
VSPLIT_TRACE_STEPS
VSPLIT_TRACE_FAULTS
VSPLIT_TRACE_STATES
VSPLIT_TRACE_TRIMS
VSPLIT_TRACE_GROUPS

#undef EM
#undef EM_END
#define EM(_value, _name)	{ _value, _name },
#define EM_END(_value, _name)	{ _value, _name }

#define vsplit_show_event(_value)	__print_symbolic(_value, VSPLIT_TRACE_EVENTS)
#define vsplit_show_step(_value)	__print_symbolic(_value, VSPLIT_TRACE_STEPS)
#define vsplit_show_fault(_value)	__print_symbolic(_value, VSPLIT_TRACE_FAULTS)
#define vsplit_show_state(_value)	__print_symbolic(_value, VSPLIT_TRACE_STATES)
#define vsplit_show_trim(_value)	__print_symbolic(_value, VSPLIT_TRACE_TRIMS)
#define vsplit_show_group(_value)	__print_symbolic(_value, VSPLIT_TRACE_GROUPS)

/*
 * An event of an adapter is defined by the list of its fields: type, name, format, and a macro that
 * shows the value if the format alone does not. The call has the fields in this order after the
 * adapter, and so has the text.
 */
#define VSPLIT_FIELDS(_op, ...)							\
	CONCATENATE(VSPLIT_FIELDS_, COUNT_ARGS(__VA_ARGS__))(_op, __VA_ARGS__)
#define VSPLIT_FIELDS_1(_op, _field)		_op _field
#define VSPLIT_FIELDS_2(_op, _field, ...)	_op _field VSPLIT_FIELDS_1(_op, __VA_ARGS__)
#define VSPLIT_FIELDS_3(_op, _field, ...)	_op _field VSPLIT_FIELDS_2(_op, __VA_ARGS__)
#define VSPLIT_FIELDS_4(_op, _field, ...)	_op _field VSPLIT_FIELDS_3(_op, __VA_ARGS__)
#define VSPLIT_FIELDS_5(_op, _field, ...)	_op _field VSPLIT_FIELDS_4(_op, __VA_ARGS__)
#define VSPLIT_FIELDS_6(_op, _field, ...)	_op _field VSPLIT_FIELDS_5(_op, __VA_ARGS__)
#define VSPLIT_FIELDS_7(_op, _field, ...)	_op _field VSPLIT_FIELDS_6(_op, __VA_ARGS__)
#define VSPLIT_FIELDS_8(_op, _field, ...)	_op _field VSPLIT_FIELDS_7(_op, __VA_ARGS__)
#define VSPLIT_FIELDS_9(_op, _field, ...)	_op _field VSPLIT_FIELDS_8(_op, __VA_ARGS__)
#define VSPLIT_FIELDS_10(_op, _field, ...)	_op _field VSPLIT_FIELDS_9(_op, __VA_ARGS__)
#define VSPLIT_FIELDS_11(_op, _field, ...)	_op _field VSPLIT_FIELDS_10(_op, __VA_ARGS__)

#define VSPLIT_FIELD_PROTO(_type, _name, ...)		, _type _name
#define VSPLIT_FIELD_ARG(_type, _name, ...)		, _name
#define VSPLIT_FIELD_ENTRY(_type, _name, ...)		__field(_type, _name)
#define VSPLIT_FIELD_ASSIGN(_type, _name, ...)		__entry->_name = _name;
#define VSPLIT_FIELD_FORMAT(_type, _name, _format, ...)	" " #_name "=" _format
#define VSPLIT_FIELD_VALUE(_type, _name, _format, ...)	, __VA_ARGS__(__entry->_name)

#define VSPLIT_TRACE(_event, ...)							\
TRACE_EVENT(_event,									\
	    TP_PROTO(struct vsplit_device *vdev						\
		     VSPLIT_FIELDS(VSPLIT_FIELD_PROTO, __VA_ARGS__)),			\
	    TP_ARGS(vdev VSPLIT_FIELDS(VSPLIT_FIELD_ARG, __VA_ARGS__)),			\
	    TP_STRUCT__entry(__string(dev, vdev->drm.unique)				\
			     VSPLIT_FIELDS(VSPLIT_FIELD_ENTRY, __VA_ARGS__)),		\
	    TP_fast_assign(__assign_str(dev);						\
			   VSPLIT_FIELDS(VSPLIT_FIELD_ASSIGN, __VA_ARGS__)),		\
	    TP_printk("dev=%s" VSPLIT_FIELDS(VSPLIT_FIELD_FORMAT, __VA_ARGS__),		\
		      __get_str(dev) VSPLIT_FIELDS(VSPLIT_FIELD_VALUE, __VA_ARGS__)))

/* A submission was accepted by the parser. */
VSPLIT_TRACE(vsplit_submit,
	     (u64, ctx, "%llu"), (u32, stream_bytes, "%u"), (u32, nr_allocs, "%u"),
	     (u32, nr_patches, "%u"));

/*
 * The call that submits ends, in the same task. error is 0 or negative; if it is negative,
 * submission is 0. portions is 0 if the submission waits for a fence that is not there yet: its
 * plan comes later.
 */
VSPLIT_TRACE(vsplit_submitted,
	     (u64, ctx, "%llu"), (u64, submission, "%llu"), (u32, portions, "%u"),
	     (int, error, "%d"));

/* A portion of a plan: a window on the stream and the patch elements that open it. */
VSPLIT_TRACE(vsplit_split,
	     (u64, ctx, "%llu"), (u64, submission, "%llu"), (u32, portion, "%u"),
	     (u32, begin, "%u"), (u32, end, "%u"), (u32, patch_first, "%u"),
	     (u32, patch_count, "%u"), (u64, context, "%llu"), (u64, seqno, "%llu"));

/* A paging step of a plan, before @portion; type is enum drm_vsplit_event_type. */
VSPLIT_TRACE(vsplit_plan_op,
	     (u64, ctx, "%llu"), (u64, submission, "%llu"), (u32, portion, "%u"),
	     (u32, type, "%s", vsplit_show_event), (u64, bo, "%llu"), (u32, segment, "%u"),
	     (u64, at, "0x%llx"), (u64, bytes, "%llu"), (u64, copied, "%llu"),
	     (u64, context, "%llu"), (u64, seqno, "%llu"));

/*
 * A paging job of its own, for an allocation that no submission's plan pages. If context is 0, no
 * job was needed, and the paging is done.
 */
VSPLIT_TRACE(vsplit_paging,
	     (u32, type, "%s", vsplit_show_event), (u64, bo, "%llu"), (u32, segment, "%u"),
	     (u64, at, "0x%llx"), (u64, bytes, "%llu"), (u64, copied, "%llu"),
	     (u64, context, "%llu"), (u64, seqno, "%llu"));

/* The place of an allocation changed in the bookkeeping; the bytes follow. */
VSPLIT_TRACE(vsplit_bo_move,
	     (u64, bo, "%llu"), (u32, from, "%u"), (u32, to, "%u"), (u64, bytes, "%llu"),
	     (bool, evict, "%d"));

/* An allocation was freed; from is the segment in which it was. */
VSPLIT_TRACE(vsplit_bo_free,
	     (u64, bo, "%llu"), (u32, from, "%u"), (u64, bytes, "%llu"));

/* The CPU touched an address of a mapping that had no page; pfn is the page that it gets. */
VSPLIT_TRACE(vsplit_cpu_fault,
	     (u64, bo, "%llu"), (u32, segment, "%u"), (u64, pgoff, "%llu"),
	     (u64, pfn, "0x%llx"), (bool, write, "%d"));

/* A swizzled allocation got a swizzling range, before the CPU maps it (SEG-5). */
VSPLIT_TRACE(vsplit_acquire_range,
	     (u64, bo, "%llu"), (u32, segment, "%u"), (u32, range, "%u"));

/* An allocation lost its range: it left, was destroyed, or another one took it ("stolen"). */
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

/* The addresses of a plan were written into its stream; late: when the program started (knobs). */
VSPLIT_TRACE(vsplit_patch,
	     (u64, ctx, "%llu"), (u32, nr_patches, "%u"), (bool, late, "%d"));

/* A program went to an engine's ring. */
VSPLIT_TRACE(vsplit_program_queue,
	     (u32, engine, "%u"), (u64, ctx, "%llu"), (u64, submission, "%llu"),
	     (u32, nr_steps, "%u"));

/*
 * The engine begins a step of a program, or goes on with it; type is enum
 * vsplit_gpu_step_type, and the time is that of the GPU's clock.
 */
VSPLIT_TRACE(vsplit_step_begin,
	     (u32, engine, "%u"), (u64, ctx, "%llu"), (u64, submission, "%llu"),
	     (u32, step, "%u"), (u32, type, "%s", vsplit_show_step), (u64, context, "%llu"),
	     (u64, seqno, "%llu"), (u64, now_ns, "%llu"));

/* The engine ended a step; the times are those of the GPU's clock. */
VSPLIT_TRACE(vsplit_step_end,
	     (u32, engine, "%u"), (u64, ctx, "%llu"), (u64, submission, "%llu"),
	     (u32, step, "%u"), (u32, type, "%s", vsplit_show_step), (u64, begin_ns, "%llu"),
	     (u64, end_ns, "%llu"), (u64, context, "%llu"), (u64, seqno, "%llu"));

/* A fence was signalled; error is 0 or negative. */
VSPLIT_TRACE(vsplit_fence,
	     (u64, ctx, "%llu"), (u64, submission, "%llu"), (u64, context, "%llu"),
	     (u64, seqno, "%llu"), (int, error, "%d"));

/* The GPU refused an access or a packet; fault is enum drm_vsplit_fault. */
VSPLIT_TRACE(vsplit_fault,
	     (u32, engine, "%u"), (u64, ctx, "%llu"), (u64, submission, "%llu"),
	     (u32, fault, "%s", vsplit_show_fault), (u32, portion, "%u"), (u32, offset, "%u"),
	     (int, slot, "%d"), (u64, address, "0x%llx"));

/* A context was lost; state is enum drm_vsplit_state, submission the first one that was lost. */
VSPLIT_TRACE(vsplit_ctx_lost,
	     (u64, ctx, "%llu"), (u32, state, "%s", vsplit_show_state),
	     (u64, submission, "%llu"));

/*
 * A call about residency ends, in the same task; the name of the event is that of the call.
 * nr_allocs is the length of the client's array. local and nonlocal are bytes of the requirement
 * list at the end of the call. point is a point of the paging timeline (0: nothing is on its way).
 * trim_bytes is what would have to be given back before the call succeeds, or is still asked for.
 * begin_ns is when the call began, 0 if the call was not traced then.
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
 * A file is asked to give back memory, whether or not it has read the last event. reason is enum
 * drm_vsplit_trim_reason, group is enum drm_vsplit_group, trims is how often the file was asked so
 * far.
 */
VSPLIT_TRACE(vsplit_trim,
	     (u64, client, "%llu"), (u64, bytes, "%llu"), (u32, reason, "%s", vsplit_show_trim),
	     (u32, group, "%s", vsplit_show_group), (u64, trims, "%llu"));

#endif /* _VSPLIT_TRACE_H_ */

/* This header is found by -I, wherever the sources are: see Kbuild. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH debug
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE vsplit_trace
#include <trace/define_trace.h>
