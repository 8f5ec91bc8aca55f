#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The binding, on the kernel that is part of the library's tests (tests/fake.c, preloaded)."""

import ctypes
import errno
import sys

import numpy

import vsplit

fake_node = ctypes.CDLL(None).fake_node
fake_node.restype = ctypes.c_char_p
node = fake_node().decode()


def test_bytes_through_numpy(dev):
    a, b = dev.alloc(64 << 10), dev.alloc(5000)
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
