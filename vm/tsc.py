# SPDX-License-Identifier: GPL-2.0 OR MIT
"""Measures the rate of the host's TSC, which is also the guest's if QEMU emulates.

By default, a guest measures the rate at boot with an emulated timer. On a busy host the result may be wrong by a
factor, without any message. Then the guest's clock runs too fast by that factor, and all of its timeouts come early.
"""

import ctypes
import mmap
import platform
import time

RDTSC = bytes.fromhex("0f3148c1e2204809d0c3")  # rdtsc; shl $32, %rdx; or %rdx, %rax; ret
APART_S = 0.05


def same_moment(rdtsc):
    """Reads the clock in ns and the TSC: of many attempts, the pair that was read within the shortest time."""
    tries = []
    for _ in range(100):
        before, ticks, after = time.monotonic_ns(), rdtsc(), time.monotonic_ns()
        tries.append((after - before, before, ticks))
    return min(tries)[1:]


def boot_option():
    """A list with the kernel option that sets the rate; empty if the rate is not known."""
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
