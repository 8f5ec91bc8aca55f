# SPDX-License-Identifier: GPL-2.0 OR MIT
"""How fast the host's TSC runs, which is the guest's where QEMU emulates.

Left to itself a guest measures it against an emulated timer at boot. Where the host is busy that may go wrong by a
factor, with no word of it, and the clock of the guest runs as much too fast: all of its timeouts come early.
"""

import ctypes
import mmap
import platform
import time

RDTSC = bytes.fromhex("0f3148c1e2204809d0c3")  # rdtsc; shl $32, %rdx; or %rdx, %rax; ret
APART_S = 0.05


def same_moment(rdtsc):
    """The clock in ns and the TSC, read as close to each other as in any of many tries."""
    tries = []
    for _ in range(100):
        before, ticks, after = time.monotonic_ns(), rdtsc(), time.monotonic_ns()
        tries.append((after - before, before, ticks))
    return min(tries)[1:]


def boot_option():
    """The kernel's option that tells it, in a list; empty where that is not known."""
    if platform.machine() != "x86_64":
        return []
    try:
        code = mmap.mmap(-1, len(RDTSC), prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except OSError:
        return []
    code.write(RDTSC)
    rdtsc = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    ns, ticks = same_moment(rdtsc)
    time.sleep(APART_S)
    later_ns, later_ticks = same_moment(rdtsc)
    return [f"tsc_early_khz={(later_ticks - ticks) * 1000000 // (later_ns - ns)}"]
