# SPDX-License-Identifier: MIT
"""vsplit's driver from Python, on libdrm_vsplit.

    import vsplit
    with vsplit.Adapter("lab", {"vram": 8 << 20}) as adapter, adapter.open() as dev:
        a = dev.alloc(4 << 20)
        a.array()[:] = 7
        ...

Errors are OSError, with errno. Objects are given back when their "with" ends, or with the last name
that holds them; arrays keep their allocation, and allocations, contexts and records their device.
"""

import os

from _vsplit import ffi, lib


def _check(ret, what):
    if ret < 0:
        raise OSError(-ret, f"{what}: {os.strerror(-ret)}")


class _Object:
    """Something of the library: made by call(*args, out), given back by give_back."""

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


class Adapter(_Object):
    """An adapter of one's own; needs root. segments: {name: bytes}, or {name: ("aperture", bytes)}."""

    def __init__(self, name, segments, **settings):
        super().__init__("vsplit_adapter", lib.vsplit_adapter_create, lib.vsplit_adapter_destroy, name.encode())
        for segment, size in segments.items():
            kind, size = size if isinstance(size, tuple) else ("memory", size)
            label = ffi.new("char[]", segment.encode())
            s = ffi.new("struct vsplit_adapter_segment *", {
                "name": label, "aperture": kind == "aperture", "size": size, "cpu_visible": 2 ** 64 - 1})
            _check(lib.vsplit_adapter_add_segment(self._ptr, s), f"segment {segment}")
        for key, value in settings.items():
            _check(lib.vsplit_adapter_set(self._ptr, key.encode(), str(value).encode()), f"{key}={value}")
        _check(lib.vsplit_adapter_enable(self._ptr), "enable")

    def open(self):
        return Device(self)


class Device(_Object):
    """An open adapter: the one given, or by name or path of a node, or the first there is."""

    def __init__(self, which=None):
        if isinstance(which, Adapter):
            super().__init__("vsplit_device", lib.vsplit_adapter_open, lib.vsplit_device_close, which._ptr)
        else:
            super().__init__("vsplit_device", lib.vsplit_device_open, lib.vsplit_device_close,
                             ffi.NULL if which is None else which.encode())
        info = lib.vsplit_device_adapter(self._ptr)
        self.name = ffi.string(ffi.cast("char *", info.name)).decode()
        self.path = ffi.string(lib.vsplit_device_path(self._ptr)).decode()
        self.slots, self.engines, self.page_size = info.num_slots, info.num_engines, info.page_size

    def segments(self):
        """{name: (id, size, resident)}, now."""
        count = ffi.new("uint32_t *", lib.VSPLIT_MAX_SEGMENTS)
        info = ffi.new("struct drm_vsplit_segment_info[]", lib.VSPLIT_MAX_SEGMENTS)
        _check(lib.vsplit_device_segments(self._ptr, info, count), "segments")
        return {ffi.string(ffi.cast("char *", s.name)).decode(): (s.id, s.size, s.resident)
                for s in info[0:min(count[0], lib.VSPLIT_MAX_SEGMENTS)]}

    def statistics(self):
        """Totals of the adapter, {name: number}."""
        stats = ffi.new("struct drm_vsplit_statistics *")
        _check(lib.vsplit_device_statistics(self._ptr, stats), "statistics")
        return {name: getattr(stats, name) for name, _ in ffi.typeof("struct drm_vsplit_statistics").fields}

    def alloc(self, size, segments=(), priority=0, flags=0):
        return Allocation(self, size, segments, priority, flags)

    def context(self, engine=0, flags=0):
        return Context(self, engine, flags)


class Allocation(_Object):
    """segments: names, in order of preference; none: all."""

    def __init__(self, dev, size, segments=(), priority=0, flags=0):
        params = ffi.new("struct drm_vsplit_gem_create *", {"size": size, "flags": flags, "priority": priority})
        known = dev.segments() if segments else {}
        params.num_segments = len(segments)
        for i, name in enumerate(segments):
            params.segments[i] = known[name][0]
        super().__init__("vsplit_bo", lib.vsplit_bo_create_from, lib.vsplit_bo_destroy, dev._ptr, params)
        self.device, self.size = dev, lib.vsplit_bo_size(self._ptr)
        self.handle, self.id = lib.vsplit_bo_handle(self._ptr), lib.vsplit_bo_id(self._ptr)

    def buffer(self):
        """The bytes, through the mapping, which stays valid wherever the allocation goes; until close()."""
        ptr = ffi.new("void **")
        _check(lib.vsplit_bo_map(self._ptr, ptr), "map")
        # What is made of the buffer keeps the allocation.
        view = ffi.gc(ffi.cast("char *", ptr[0]), lambda _, bo=self._ptr: None)
        return ffi.buffer(view, self.size)

    def array(self, dtype="uint8"):
        """The same as an array of NumPy: a view, no copy."""
        import numpy

        return numpy.frombuffer(self.buffer(), dtype=dtype)

    def where(self):
        """(id of the segment, offset), or None for system memory."""
        info = ffi.new("struct drm_vsplit_gem_info *")
        _check(lib.vsplit_bo_info(self._ptr, info), "info")
        return (info.segment, info.offset) if info.segment else None

    def lock(self, flags=0):
        _check(lib.vsplit_bo_lock(self._ptr, flags), "lock")

    def unlock(self):
        _check(lib.vsplit_bo_unlock(self._ptr), "unlock")


class Stream(_Object):
    """A DMA buffer: each bind() and unbind() is a split point; within "with stream.group()" one for all."""

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
        """length: else to the end of what was bound there last in this stream."""
        if length is None:
            length = self._bound[slot] - offset
        return self._add(lib.vsplit_stream_fill(self._ptr, slot, offset, length, pattern))

    def copy(self, dst, src, length, dst_offset=0, src_offset=0):
        return self._add(lib.vsplit_stream_copy(self._ptr, dst, dst_offset, src, src_offset, length))

    def spin(self, us):
        return self._add(lib.vsplit_stream_spin(self._ptr, us))

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
    def __init__(self, dev, engine=0, flags=0):
        super().__init__("vsplit_context", lib.vsplit_context_create, lib.vsplit_context_destroy, dev._ptr, flags,
                         lib.VSPLIT_CTX_PRIORITY_NORMAL, engine)
        self.device = dev

    def submit(self, stream, force_split=False):
        done = ffi.new("struct vsplit_submission *")
        _check(lib.vsplit_submit(self._ptr, stream._ptr, lib.VSPLIT_SUBMIT_FORCE_SPLIT if force_split else 0,
                                 ffi.NULL, 0, done), "submit")
        return Submission(self, done.id, done.num_portions)

    def state(self):
        query = ffi.new("struct drm_vsplit_ctx_query *")
        _check(lib.vsplit_context_query(self._ptr, query), "query")
        return ffi.string(lib.vsplit_state_name(query.state)).decode()


class Submission:
    def __init__(self, context, number, portions):
        self.context, self.id, self.portions = context, number, portions

    def wait(self, timeout_ms=-1):
        """Until it is done; its own error is an OSError, too."""
        error = ffi.new("int *")
        _check(lib.vsplit_wait(self.context._ptr, self.id, timeout_ms, error), "wait")
        _check(error[0], "execution")
        return self

    def record(self):
        """What happened, in order: a list of dictionaries; of a portion, "rows" is its resource table."""
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
