#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tests of the binding, on the fake kernel of the library's tests (tests/fake.c, preloaded)."""

import ctypes
import errno
import os
import sys

import numpy

import vsplit

fake_node = ctypes.CDLL(None).fake_node
fake_node.restype = ctypes.c_char_p
node = fake_node().decode()


def test_bytes_through_numpy(dev):
    a, b = dev.alloc(64 << 10), dev.alloc(5000)
    assert a.runs() == [(i * 8192, 4096) for i in range(16)]
    words = a.array("uint32")
    words[:] = numpy.arange(words.size)
    stream = vsplit.Stream()
    with stream.group():
        stream.bind(0, a)
        stream.bind(1, b, write=True)
    stream.fill(1, 0xffffffff).copy(1, 0, 4096)
    done = dev.context().submit(stream).wait()
    assert (b.array("uint32")[:1024] == numpy.arange(1024)).all()
    assert (b.array()[4096:] == 255).all()
    assert done.portions == 1 and [e["event"] for e in done.record()] == ["portion"]
    assert done.text().startswith("submission 1: 1 portions, done\n")


def test_an_array_keeps_its_allocation(dev):
    array = dev.alloc(4096).array()
    array[:] = 9
    assert array.sum() == 9 * 4096


def test_a_context_keeps_its_device(dev):
    context = vsplit.Device(node).context()
    assert context.state() == "active"


def test_errors(dev):
    for call, code in ((lambda: dev.alloc(0), errno.EINVAL), (lambda: vsplit.Device("/nowhere/x"), errno.ENOENT),
                       (lambda: vsplit.Stream().copy(0, 1, 0), None)):
        try:
            call()
            assert code is None, call
        except OSError as e:
            assert e.errno == code, e
    a = dev.alloc(4096)
    context = dev.context()
    bad = context.submit(vsplit.Stream().bind(0, a).fill(0, 1))
    try:
        bad.wait()
        raise AssertionError("a write through a read-only row")
    except OSError as e:
        assert e.errno == errno.EIO, e
    assert context.state() == "lost-fault"


def fails(code, call, *args, **named):
    try:
        call(*args, **named)
    except OSError as e:
        assert e.errno == code, e
        return e
    raise AssertionError(call)


def test_residency(dev):
    a, b, c = (dev.alloc(512 << 10) for _ in range(3))
    assert dev.make_resident(a, b, a) == 0
    r = dev.residency(a)
    assert (r["count"], r["members"], r["trim_bytes"], r["local"]["usage"]) == (2, 2, 0, 1 << 20), r
    assert fails(errno.ENOSPC, dev.make_resident, c).trim_bytes == 512 << 10
    fails(errno.ENOSPC, dev.make_resident, c, last_try=True)
    assert dev.evict(a, a, if_necessary=True) == 0
    fails(errno.EINVAL, dev.evict, a, not_written=True)
    dev.wait_resident(dev.make_resident(c))
    assert dev.read_events() == {}
    dev.watch()
    fd = os.eventfd(0)
    dev.eventfd(fd)
    dev.eventfd(-1)
    os.close(fd)
    assert dev.reserve("local", 4096) == 512 << 10 and dev.residency()["local"]["reservation"] == 4096
    assert fails(errno.ENOSPC, dev.reserve, "local", 1 << 20).available == 512 << 10
    share = dev.residency()["local"]["budget"]
    for group, other in (("local", "nonlocal"), ("nonlocal", "local")):
        before = dev.residency()[other]["budget"]
        dev.set_budget(group, 5 << 32)
        r = dev.residency()
        assert r[group]["budget"] == 5 << 32 and r[other]["budget"] == before, r
        dev.set_budget(group)
    assert dev.residency()["local"]["budget"] == share == 1 << 20


def test_offers(dev):
    a, b = dev.alloc(4096), dev.alloc(4096)
    dev.offer(b, priority="low")
    assert dev.reclaim(a, b) == [False, True]
    fails(errno.EINVAL, lambda: vsplit._check(vsplit.lib.vsplit_bo_offer(dev._ptr, vsplit._array([a]), 1, 9), "offer"))


def test_addresses(dev):
    a, b = dev.alloc(8192), dev.alloc(4096)
    dev.map(1 << 32, a)
    dev.map(1 << 33, b)
    dev.map(1 << 35, b, read_only=True)
    dev.sparse(1 << 34, 4096)
    stream = vsplit.Stream().fill_va((1 << 32) + 4096, 4096, 0x05050505).copy_va(1 << 33, (1 << 32) + 4096, 4096)
    dev.context(mode="va").submit(stream).wait()
    assert (a.array()[:4096] == 0).all() and (a.array()[4096:] == 5).all() and (b.array() == 5).all()
    dev.unmap(1 << 32, 8192)
    context = dev.context(mode="va")
    fails(errno.EIO, context.submit(stream).wait)


def test_queues(dev):
    a = dev.alloc(4096)
    dev.map(1 << 32, a)
    dev.wait_mapped()
    fence = dev.fence()
    with dev.context(mode="hw").queue(4096) as queue:
        progress = queue.submit(vsplit.Stream().wait(fence, 0).history(2).fill_va(1 << 32, 4096, 0x09090909).signal(fence, 3))
        assert queue.progress() == 0 and queue.history(2) == 0
        queue.wait(progress)
        assert queue.progress() == progress and fence.value == 3 and (a.array() == 9).all()
        assert queue.history(2) > 0 and queue.history(1) == 0 and queue.history(256) == 0
        fails(errno.ETIME, queue.wait, progress + 8, 0)
        fails(errno.EINVAL, queue.submit, _Odd())


class _Odd(vsplit.Stream):
    """An object whose length no list of packets can have."""

    def __len__(self):
        return 4


def test_fences(dev):
    fence = dev.fence(5)
    fd = os.eventfd(0)
    fence.signal(4)
    assert fence.value == 5
    fails(errno.ETIME, fence.wait, 6, 0)
    fence.signal(6)
    fence.wait(6)
    fence.eventfd(6, fd)
    assert os.eventfd_read(fd) == 1
    os.close(fd)
    fd = fence.export()
    other = dev.fence(fd=fd)
    os.close(fd)
    other.signal(7)
    assert fence.value == other.value == 7
    fails(errno.EBADF, dev.fence, fd=-1)


def test_manager(dev):
    allocs = [dev.alloc(256 << 10) for _ in range(6)]
    context, manager = dev.context(), dev.manager()
    for a in allocs:
        manager.submit(context, vsplit.Stream().bind(0, a, write=True).fill(0, 0x03030303), a).wait()
    assert manager.info() == {"bytes": 1 << 20, "members": 4, "evicted": 512 << 10, "forced": 0}
    with manager.use(*allocs[2:]) as point:
        assert point == 0
        fails(errno.ENOSPC, lambda: manager.use(allocs[0]).__enter__())
    with manager.use(allocs[0]):
        assert [dev.residency(a)["count"] for a in allocs] == [1, 0, 0, 1, 1, 1]
    assert manager.trim() == 0 and (allocs[1].array() == 3).all()


def test_settings(dev):
    assert [vsplit._setting(v) for v in (True, False, 7, "unset")] == [b"1", b"0", b"7", b"unset"]


def test_what_there_is(dev):
    assert dev.name == "fake" and dev.slots == 64 and dev.path == node
    assert dev.segments()["vram"][:2] == (1, 1 << 20)
    assert dev.statistics()["hangs"] == 0


failed = 0
for name, test in list(globals().items()):
    if name.startswith("test_"):
        try:
            with vsplit.Device(node) as device:
                test(device)
            print("ok python-" + name[5:])
        except Exception as e:
            failed += 1
            print(f"# {type(e).__name__}: {e}\nnot ok python-{name[5:]}")
sys.exit(failed != 0)
