# SPDX-License-Identifier: MIT
"""Python binding of vsplit's driver, built on libdrm_vsplit.

    import vsplit
    with vsplit.Adapter("lab", {"vram": 8 << 20}) as adapter, adapter.open() as dev:
        a = dev.alloc(4 << 20)
        a.array()[:] = 7
        ...

A device of WDDM 2 (contexts=) keeps its allocations resident itself, or lets a manager do it:

    context, manager = dev.context(mode="va"), dev.manager()
    dev.map(1 << 32, a)
    manager.submit(context, vsplit.Stream().fill_va(1 << 32, a.size, 7), a).wait()

Errors are raised as OSError, with errno. An object is released when its "with" ends, or with the last
reference to it. Arrays keep their allocation alive; allocations, contexts and records keep their device.
"""

import errno
import os

from _vsplit import ffi, lib


_MODES = {"patch": lib.VSPLIT_CTX_MODE_PATCH, "explicit": lib.VSPLIT_CTX_MODE_EXPLICIT,
          "va": lib.VSPLIT_CTX_MODE_VA, "hw": lib.VSPLIT_CTX_MODE_HW}
_OFFERS = {"low": lib.VSPLIT_OFFER_LOW, "normal": lib.VSPLIT_OFFER_NORMAL, "high": lib.VSPLIT_OFFER_HIGH,
           "auto": lib.VSPLIT_OFFER_AUTO}
_GROUPS = ("local", "nonlocal")
_REASONS = ("none", "demand", "budget", "periodic")


def _check(ret, what):
    if ret < 0:
        raise OSError(-ret, f"{what}: {os.strerror(-ret)}")


def _array(allocs):
    return ffi.new("struct vsplit_bo *[]", [a._ptr for a in allocs])


class _Object:
    """Base class: an object of the library that call(*args, out) makes, and give_back releases."""

    def __init__(self, kind, call, give_back, *args):
        out = ffi.new(f"struct {kind} **")
        _check(call(*args, out), kind[len("vsplit_"):])
        self._ptr = ffi.gc(out[0], give_back)

    def close(self):
        if self._ptr is not None:
            ffi.release(self._ptr)
            self._ptr = None

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()


def _setting(value):
    """The value as the driver reads it: True and False become numbers."""
    return str(int(value) if isinstance(value, bool) else value).encode()


class Adapter(_Object):
    """A new adapter; needs root. segments: {name: bytes}, or {name: ("aperture", bytes)}."""

    def __init__(self, name, segments, **settings):
        super().__init__("vsplit_adapter", lib.vsplit_adapter_create, lib.vsplit_adapter_destroy, name.encode())
        for segment, size in segments.items():
            kind, size = size if isinstance(size, tuple) else ("memory", size)
            label = ffi.new("char[]", segment.encode())
            s = ffi.new("struct vsplit_adapter_segment *", {
                "name": label, "aperture": kind == "aperture", "size": size, "cpu_visible": 2 ** 64 - 1})
            _check(lib.vsplit_adapter_add_segment_sized(self._ptr, s, ffi.sizeof(s[0])), f"segment {segment}")
        for key, value in settings.items():
            _check(lib.vsplit_adapter_set(self._ptr, key.encode(), _setting(value)), f"{key}={value}")
        _check(lib.vsplit_adapter_enable(self._ptr), "enable")

    def open(self):
        return Device(self)


class Device(_Object):
    """An open adapter. which: an Adapter, or the name or path of a node; without it, the first adapter found."""

    def __init__(self, which=None):
        if isinstance(which, Adapter):
            super().__init__("vsplit_device", lib.vsplit_adapter_open, lib.vsplit_device_close, which._ptr)
            # The adapter is removed with its object. It stands behind _ptr, which is to go first.
            self._adapter = which
        else:
            super().__init__("vsplit_device", lib.vsplit_device_open, lib.vsplit_device_close,
                             ffi.NULL if which is None else which.encode())
        info = lib.vsplit_device_adapter(self._ptr)
        self.name = ffi.string(ffi.cast("char *", info.name)).decode()
        self.path = ffi.string(lib.vsplit_device_path(self._ptr)).decode()
        self.slots, self.engines, self.page_size = info.num_slots, info.num_engines, info.page_size

    def segments(self):
        """The segments with their current state: {name: (id, size, resident)}."""
        count = ffi.new("uint32_t *", lib.VSPLIT_MAX_SEGMENTS)
        info = ffi.new("struct drm_vsplit_segment_info[]", lib.VSPLIT_MAX_SEGMENTS)
        _check(lib.vsplit_device_segments(self._ptr, info, count), "segments")
        return {ffi.string(ffi.cast("char *", s.name)).decode(): (s.id, s.size, s.resident)
                for s in info[0:min(count[0], lib.VSPLIT_MAX_SEGMENTS)]}

    def statistics(self):
        """The totals of the adapter: {name: number}."""
        stats = ffi.new("struct drm_vsplit_statistics *")
        _check(lib.vsplit_device_statistics_sized(self._ptr, stats, ffi.sizeof(stats[0])), "statistics")
        return {name: getattr(stats, name) for name, _ in ffi.typeof("struct drm_vsplit_statistics").fields}

    def alloc(self, size, segments=(), priority=0, flags=0, runs=False):
        return Allocation(self, size, segments, priority, flags, runs)

    def context(self, engine=0, flags=0, mode="patch"):
        """mode: "patch", "explicit", "va" or "hw", as far as the adapter has it."""
        return Context(self, engine, flags, mode)

    def make_resident(self, *allocs, last_try=False):
        """Requires allocations. Returns a point for wait_resident(). An OSError has trim_bytes."""
        point, trim = ffi.new("uint64_t *"), ffi.new("uint64_t *")
        try:
            _check(lib.vsplit_resident_make(self._ptr, _array(allocs), len(allocs),
                                            lib.VSPLIT_RESIDENT_CANT_TRIM_FURTHER if last_try else 0, point, trim),
                   "make resident")
        except OSError as e:
            e.trim_bytes = trim[0]
            raise
        return point[0]

    def evict(self, *allocs, if_necessary=False, not_written=False):
        """Ends requirements. Returns the bytes that the device was asked for and has not given back yet."""
        trim = ffi.new("uint64_t *")
        flags = (lib.VSPLIT_EVICT_IF_NECESSARY if if_necessary else 0) | \
            (lib.VSPLIT_EVICT_NOT_WRITTEN if not_written else 0)
        _check(lib.vsplit_resident_evict(self._ptr, _array(allocs), len(allocs), flags, trim), "evict")
        return trim[0]

    def wait_resident(self, point, timeout_ms=-1):
        _check(lib.vsplit_resident_wait(self._ptr, point, timeout_ms), "wait")

    def residency(self, alloc=None):
        """What the device requires, may have, and was asked for; "count" is the count of alloc."""
        r = ffi.new("struct drm_vsplit_residency *")
        _check(lib.vsplit_resident_query_sized(self._ptr, alloc._ptr if alloc else ffi.NULL, r, ffi.sizeof(r[0])), "residency")
        found = {name: getattr(r, name) for name in ("count", "members", "trims", "trim_bytes")}
        found.update(trim_reason=_REASONS[r.trim_reason], trim_group=_GROUPS[r.trim_group])
        for group, i in zip(_GROUPS, r.groups):
            found[group] = {name: getattr(i, name) for name, _ in ffi.typeof("struct drm_vsplit_group_info").fields}
        return found

    def reserve(self, group, size):
        """Reserves bytes of "local" or "nonlocal" against others' demand. Returns how many it may reserve."""
        available = ffi.new("uint64_t *")
        try:
            _check(lib.vsplit_resident_reserve(self._ptr, _GROUPS.index(group), size, available), "reserve")
        except OSError as e:
            e.available = available[0]
            raise
        return available[0]

    def set_budget(self, group, size=None):
        """In test mode: sets the budget of "local" or "nonlocal" in bytes; size=None: back to the device's share."""
        _check(lib.vsplit_resident_set_budget(self._ptr, _GROUPS.index(group), 2 ** 64 - 1 if size is None else size),
               "set budget")

    def watch(self):
        """From now on read_events() also reports changed budgets."""
        _check(lib.vsplit_resident_watch_sized(self._ptr, ffi.NULL, 0), "watch")

    def eventfd(self, fd):
        """From now on each trim signals this eventfd, and no other one; -1: none."""
        _check(lib.vsplit_resident_eventfd(self._ptr, fd), "eventfd")

    def read_events(self, timeout_ms=0):
        """The new events, as a dictionary: "trim": what the device is asked for; "budget": what has changed."""
        events = ffi.new("struct vsplit_residency_events *")
        ret = lib.vsplit_resident_read_events_sized(self._ptr, timeout_ms, events, ffi.sizeof(events[0]))
        if ret == -errno.ETIME:
            return {}
        _check(ret, "read")
        found, trim, budget = {}, events.trim, events.budget
        if events.trimmed:
            found["trim"] = {"bytes": trim.bytes, "reason": _REASONS[trim.reason], "group": _GROUPS[trim.group],
                             "trims": trim.trims}
        if events.budgeted:
            found["budget"] = {group: {"budget": budget.budget[i], "reservation": budget.reservation[i]}
                               for i, group in enumerate(_GROUPS)}
        return found

    def manager(self):
        return Manager(self)

    def offer(self, *allocs, priority="normal"):
        """The bytes are not needed until reclaim(). priority: "low" (leaves first), "normal", "high", "auto"."""
        _check(lib.vsplit_bo_offer(self._ptr, _array(allocs), len(allocs), _OFFERS[priority]), "offer")

    def reclaim(self, *allocs):
        """Ends offers. Returns for each allocation whether its bytes were lost."""
        lost = ffi.new("bool[]", len(allocs))
        _check(lib.vsplit_bo_reclaim(self._ptr, _array(allocs), len(allocs), lost), "reclaim")
        return list(lost)

    def map(self, address, alloc, size=None, offset=0, read_only=False):
        """Maps alloc at a virtual address; without size, from offset to the end of alloc."""
        _check(lib.vsplit_va_map(self._ptr, alloc._ptr, address, alloc.size - offset if size is None else size, offset,
                                 lib.VSPLIT_VA_OP_READ_ONLY if read_only else 0), "map")

    def unmap(self, address, size):
        _check(lib.vsplit_va_unmap(self._ptr, address, size), "unmap")

    def sparse(self, address, size):
        """Makes the range read as zeros and ignore writes."""
        _check(lib.vsplit_va_sparse(self._ptr, address, size), "sparse")

    def wait_mapped(self, timeout_ms=-1):
        """Waits until the map(), unmap() and sparse() calls so far have taken effect, as a queue's packets need it."""
        _check(lib.vsplit_va_wait(self._ptr, timeout_ms), "wait")

    def fence(self, value=0, fd=None):
        """A new monitored fence, or, with fd from Fence.export() of another device, the fence that was exported."""
        return Fence(self, value, fd)


class Allocation(_Object):
    """segments: names in order of preference; none: all. runs: the allocation may have several runs in a segment."""

    def __init__(self, dev, size, segments=(), priority=0, flags=0, runs=False):
        flags |= lib.VSPLIT_GEM_RUNS if runs else 0
        params = ffi.new("struct drm_vsplit_gem_create *", {"size": size, "flags": flags, "priority": priority})
        known = dev.segments() if segments else {}
        params.num_segments = len(segments)
        for i, name in enumerate(segments):
            params.segments[i] = known[name][0]
        super().__init__("vsplit_bo", lib.vsplit_bo_create_from, lib.vsplit_bo_destroy, dev._ptr, params)
        self.device, self.size = dev, lib.vsplit_bo_size(self._ptr)
        self.handle, self.id = lib.vsplit_bo_handle(self._ptr), lib.vsplit_bo_id(self._ptr)

    def buffer(self):
        """The bytes, through a mapping that stays valid wherever the allocation is placed, until close()."""
        ptr = ffi.new("void **")
        _check(lib.vsplit_bo_map(self._ptr, ptr), "map")
        # Objects made from the buffer keep the allocation alive.
        view = ffi.gc(ffi.cast("char *", ptr[0]), lambda _, bo=self._ptr: None)
        return ffi.buffer(view, self.size)

    def array(self, dtype="uint8"):
        """The bytes as an array of NumPy: a view, not a copy."""
        import numpy

        return numpy.frombuffer(self.buffer(), dtype=dtype)

    def where(self):
        """(id of the segment, offset), or None in system memory."""
        info = ffi.new("struct drm_vsplit_gem_info *")
        _check(lib.vsplit_bo_info_sized(self._ptr, info, ffi.sizeof(info[0])), "info")
        return (info.segment, info.offset) if info.segment else None

    def runs(self):
        """The runs, [(offset in the segment, bytes), ...], in the order of the bytes; none in system memory."""
        room, count = 0, ffi.new("uint32_t *", 1)
        while count[0] > room:
            room = count[0]
            found = ffi.new("struct drm_vsplit_run[]", room)
            _check(lib.vsplit_bo_runs(self._ptr, found, count, ffi.NULL), "runs")
        return [(r.offset, r.bytes) for r in found[0:count[0]]]

    def lock(self, flags=0):
        _check(lib.vsplit_bo_lock(self._ptr, flags), "lock")

    def unlock(self):
        _check(lib.vsplit_bo_unlock(self._ptr), "unlock")


class Stream(_Object):
    """A DMA buffer. Each bind() and unbind() is a split point; within "with stream.group()" they share one."""

    def __init__(self):
        super().__init__("vsplit_stream", lib.vsplit_stream_create, lib.vsplit_stream_destroy)
        self._bound = {}
        self._allocs = []

    def _add(self, ret):
        _check(ret, "stream")
        return self

    def bind(self, slot, alloc, offset=0, write=False):
        self._allocs.append(alloc)
        self._bound[slot] = alloc.size - offset
        return self._add(lib.vsplit_stream_bind(self._ptr, slot, alloc._ptr, offset,
                                                lib.VSPLIT_ALLOC_WRITE if write else 0))

    def unbind(self, slot):
        return self._add(lib.vsplit_stream_unbind(self._ptr, slot))

    def fill(self, slot, pattern, offset=0, length=None):
        """Without length: to the end of the range that was last bound to the slot in this stream."""
        if length is None:
            length = self._bound[slot] - offset
        return self._add(lib.vsplit_stream_fill(self._ptr, slot, offset, length, pattern))

    def copy(self, dst, src, length, dst_offset=0, src_offset=0):
        return self._add(lib.vsplit_stream_copy(self._ptr, dst, dst_offset, src, src_offset, length))

    def fill_va(self, address, length, pattern):
        return self._add(lib.vsplit_stream_fill_va(self._ptr, address, length, pattern))

    def copy_va(self, dst, src, length):
        return self._add(lib.vsplit_stream_copy_va(self._ptr, dst, src, length))

    def signal(self, fence, value):
        return self._add(lib.vsplit_stream_signal_fence(self._ptr, fence._ptr, value))

    def wait(self, fence, value):
        """Waits for a monitored fence: at the beginning of a stream, or anywhere in the stream of a queue."""
        return self._add(lib.vsplit_stream_wait_fence(self._ptr, fence._ptr, value))

    def spin(self, us):
        return self._add(lib.vsplit_stream_spin(self._ptr, us))

    def history(self, index):
        """For a queue only: Queue.history() tells when the queue came to this packet."""
        return self._add(lib.vsplit_stream_history(self._ptr, index))

    def group(self):
        return _Group(self)

    def __len__(self):
        return lib.vsplit_stream_offset(self._ptr)


class _Group:
    def __init__(self, stream):
        self._stream = stream

    def __enter__(self):
        return self._stream._add(lib.vsplit_stream_group_begin(self._stream._ptr))

    def __exit__(self, *args):
        self._stream._add(lib.vsplit_stream_group_end(self._stream._ptr))


class Context(_Object):
    def __init__(self, dev, engine=0, flags=0, mode="patch"):
        super().__init__("vsplit_context", lib.vsplit_context_create_mode, lib.vsplit_context_destroy, dev._ptr,
                         _MODES[mode], flags, lib.VSPLIT_CTX_PRIORITY_NORMAL, engine)
        self.device = dev

    def queue(self, ring_bytes=1 << 16):
        """The hardware queue of this context."""
        return Queue(self, ring_bytes)

    def submit(self, stream, force_split=False):
        done = ffi.new("struct vsplit_submission *")
        _check(lib.vsplit_submit(self._ptr, stream._ptr, lib.VSPLIT_SUBMIT_FORCE_SPLIT if force_split else 0,
                                 ffi.NULL, 0, done), "submit")
        return Submission(self, done.id, done.num_portions)

    def state(self):
        query = ffi.new("struct drm_vsplit_ctx_query *")
        _check(lib.vsplit_context_query_sized(self._ptr, query, ffi.sizeof(query[0])), "query")
        return ffi.string(lib.vsplit_state_name(query.state)).decode()


class Queue(_Object):
    """A hardware queue: executes streams that use virtual addresses, without a call of the kernel."""

    def __init__(self, context, ring_bytes):
        super().__init__("vsplit_hwq", lib.vsplit_hwq_create, lib.vsplit_hwq_destroy, context._ptr, ring_bytes)
        self.context = context

    def submit(self, stream):
        """Returns the value that progress() has reached when the stream is done."""
        progress = ffi.new("uint64_t *")
        _check(lib.vsplit_stream_error(stream._ptr), "stream")
        _check(lib.vsplit_hwq_submit(self._ptr, lib.vsplit_stream_data(stream._ptr), len(stream), progress), "submit")
        return progress[0]

    def progress(self):
        return lib.vsplit_hwq_progress(self._ptr)

    def history(self, index):
        """The time at which the queue came to Stream.history() with this index, in ns; 0: not yet."""
        return lib.vsplit_hwq_history(self._ptr, index)

    def wait(self, progress, timeout_ms=-1):
        _check(lib.vsplit_hwq_wait(self._ptr, progress, timeout_ms), "wait")


class Fence(_Object):
    """A monitored fence: a value that only grows."""

    def __init__(self, dev, value=0, fd=None):
        make = lib.vsplit_mfence_create if fd is None else lib.vsplit_mfence_import
        super().__init__("vsplit_mfence", make, lib.vsplit_mfence_destroy, dev._ptr, value if fd is None else fd)
        self.device = dev

    def export(self):
        """Returns a descriptor for another device or process; the caller closes it."""
        fd = ffi.new("int *")
        _check(lib.vsplit_mfence_export(self._ptr, fd), "export")
        return fd[0]

    @property
    def value(self):
        return lib.vsplit_mfence_value(self._ptr)

    def signal(self, value):
        _check(lib.vsplit_mfence_signal(self._ptr, value), "signal")

    def wait(self, value, timeout_ms=-1):
        _check(lib.vsplit_mfence_wait(self._ptr, value, timeout_ms), "wait")

    def eventfd(self, value, fd):
        """Signals the eventfd once, when the fence reaches the value."""
        _check(lib.vsplit_mfence_eventfd(self._ptr, value, fd), "eventfd")


class Manager(_Object):
    """Makes used allocations resident, and gives back those that were used least recently."""

    def __init__(self, dev):
        super().__init__("vsplit_manager", lib.vsplit_manager_create, lib.vsplit_manager_destroy, dev._ptr)
        self.device = dev

    def submit(self, context, stream, *allocs):
        done = ffi.new("struct vsplit_submission *")
        _check(lib.vsplit_manager_submit(self._ptr, context._ptr, stream._ptr, _array(allocs), len(allocs), done),
               "submit")
        return Submission(context, done.id, done.num_portions)

    def use(self, *allocs):
        """Keeps allocations resident during a "with", which gets the point for wait_resident()."""
        return _Use(self, allocs)

    def trim(self):
        """Gives back what the device was asked for. Returns the bytes given back."""
        out = ffi.new("uint64_t *")
        _check(lib.vsplit_manager_trim(self._ptr, out), "trim")
        return out[0]

    def info(self):
        info = ffi.new("struct vsplit_manager_info *")
        lib.vsplit_manager_query_sized(self._ptr, info, ffi.sizeof(info[0]))
        return {name: getattr(info, name) for name in ("bytes", "members", "evicted", "forced")}


class _Use:
    def __init__(self, manager, allocs):
        self._manager, self._allocs = manager, allocs

    def __enter__(self):
        point = ffi.new("uint64_t *")
        _check(lib.vsplit_manager_use(self._manager._ptr, _array(self._allocs), len(self._allocs), point), "use")
        return point[0]

    def __exit__(self, *args):
        _check(lib.vsplit_manager_done(self._manager._ptr, _array(self._allocs), len(self._allocs)), "done")


class Submission:
    def __init__(self, context, number, portions):
        self.context, self.id, self.portions = context, number, portions

    def wait(self, timeout_ms=-1):
        """Waits until the submission is done. An error of its execution is raised as OSError, too."""
        error = ffi.new("int *")
        _check(lib.vsplit_wait(self.context._ptr, self.id, timeout_ms, error), "wait")
        _check(error[0], "execution")
        return self

    def record(self):
        """The events in order, a list of dictionaries. That of a portion has its resource table in "rows"."""
        record = _Record(self)
        events = []
        for e in record.ptr.events[0:record.ptr.head.num_events]:
            event = {name: getattr(e, name) for name in ("portion", "t0_ns", "t1_ns")}
            event["event"] = ffi.string(lib.vsplit_event_name(e.type)).decode()
            if event["event"] == "portion":
                event.update(begin=e.begin, end=e.end, skipped=bool(e.flags & lib.VSPLIT_EVENT_SKIPPED))
                last = min(e.row_first + e.row_count, record.ptr.head.num_rows)
                event["rows"] = {r.slot: (r.handle, r.segment, r.offset) for r in record.ptr.rows[e.row_first:last]}
            else:
                event.update({name: getattr(e, name) for name in ("handle", "id", "segment", "at", "bytes", "copied")})
                event["foreign"] = bool(e.flags & lib.VSPLIT_EVENT_FOREIGN)
            events.append(event)
        return events

    def text(self):
        record, out = _Record(self), ffi.new("char **")
        _check(lib.vsplit_record_text(record.ptr, out), "text")
        return ffi.string(ffi.gc(out[0], lib.free)).decode()


class _Record:
    def __init__(self, submission):
        out = ffi.new("struct vsplit_record **")
        _check(lib.vsplit_record_read(submission.context._ptr, submission.id, out), "record")
        self.ptr = ffi.gc(out[0], lib.vsplit_record_free)
