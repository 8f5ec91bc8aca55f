# SPDX-License-Identifier: GPL-2.0 OR MIT
"""Distinguishes the one known fault of QEMU's emulation from faults of the driver.

To change its own code (static branches, static calls, calls of ftrace), the kernel first puts an int3 there. QEMU without
KVM may execute that byte on another processor when the kernel no longer expects it: "Oops: int3", in any code, in about
one boot of a hundred. This explanation is accepted only if the trap is at a place that the kernel's own tables name as
patched. A kernel that is booted again tells where these tables and the symbols are.
"""

import os
import re
import struct
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
BUILD = os.environ.get("VSPLIT_BUILD", os.path.join(TOP, "build"))
OOPS = re.compile(r"Oops: int3: 0000.*?RIP: 0010:([\w.]+)\+0x([0-9a-f]+)/0x[0-9a-f]+(?: \[(\w+)\])?", re.S)
# Table -> (its bounds in the kernel, its section in a module, bytes of an entry, whether an entry begins with a
# relative address).
TABLES = {
    "static branch": ("__start___jump_table", "__stop___jump_table", "__jump_table", 16, True),
    "static call": ("__start_static_call_sites", "__stop_static_call_sites", ".static_call_sites", 8, True),
    "call of ftrace": ("__start_mcount_loc", "__stop_mcount_loc", "__mcount_loc", 8, False),
}


def out_of(*cmd: str) -> str:
    return subprocess.run(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def kernel_directory(kernel: str) -> str:
    if kernel == "debug":
        return (out_of(os.path.join(TOP, "vm/build-debug-kernel")).split("\n") + [""])[-2]
    return out_of(os.path.join(TOP, "scripts/deps"), "--print-kernel").strip()


def read_virtual(image: bytes, start: int, stop: int) -> bytes:
    """The content of an ELF file at these addresses."""
    at, size, count = struct.unpack_from("<Q", image, 32)[0], *struct.unpack_from("<HH", image, 54)
    for i in range(count):
        kind, _, offset, virtual, _, length = struct.unpack_from("<IIQQQQ", image, at + i * size)
        if kind == 1 and virtual <= start and stop <= virtual + length:
            return image[offset + start - virtual:offset + stop - virtual]
    return b""


def kernel_sites(kernel: str) -> tuple[dict[str, list[int]], dict[int, str]]:
    """Maps symbols to addresses, and addresses to what the kernel patches there, for a kernel without KASLR."""
    symbols: dict[str, list[int]] = {}
    for line in out_of(os.path.join(TOP, "vm/run"), "--no-module", "--kernel", kernel, "--", "cat", "/proc/kallsyms").splitlines():
        address, _, name, *module = line.split()
        if not module:
            symbols.setdefault(name, []).append(int(address, 16))
    sites = {}
    with open(os.path.join(kernel_directory(kernel), "vmlinux"), "rb") as f:
        image = f.read()
    for what, (first, last, _, size, relative) in TABLES.items():
        if first not in symbols:
            continue
        start = symbols[first][0]
        table = read_virtual(image, start, symbols[last][0])
        for at in range(0, len(table), size):
            site = start + at + struct.unpack_from("<i", table, at)[0] if relative else struct.unpack_from("<Q", table, at)[0]
            # The lowest bits of a static call's address are flags.
            sites[site] = what
    return symbols, sites


def module_site(path: str, symbol: str, offset: int) -> str | None:
    """The same for a module, from its relocations."""
    sections = dict(re.findall(r"^\s*\[\s*(\d+)\] (\S+)", out_of("readelf", "-SW", path), re.M))
    places = {(sections.get(m[2]), int(m[1], 16) + offset) for m in re.finditer(
        r"^\s*\d+: ([0-9a-f]+)\s+\w+\s+FUNC\s+\w+\s+\w+\s+(\d+) (\S+)", out_of("readelf", "-sW", path), re.M)
        if m[3] == symbol}
    table = None
    for line in out_of("readelf", "-rW", path).splitlines():
        m = re.match(r"Relocation section '\.rela(\S+)'", line)
        if m:
            table = next(((what, size) for what, (_, _, name, size, _) in TABLES.items() if name == m[1]), None)
            continue
        m = re.match(r"([0-9a-f]+)\s+\S+\s+\S+\s+[0-9a-f]+\s+(\S+) \+ ([0-9a-f]+)$", line)
        if m and table and int(m[1], 16) % table[1] == 0 and (m[2], int(m[3], 16)) in places:
            return table[0]
    return None


def patched_site(log: str, kernel: str, module: str | None = None) -> str | None:
    """
    The kind of code that the kernel patches at the place of the trap, from the log of a VM that died; None: another cause.
    kernel: as for vm/run; module: the vsplit.ko that was loaded.
    """
    m = OOPS.search(log)
    if not m:
        return None
    where, offset = m[1], int(m[2], 16) - 1         # the trap is after the byte
    what: str | None
    if where.startswith("__SCT__"):
        what = "static call"
    elif m[3]:
        if m[3] == "vsplit":
            path = module or os.path.join(BUILD, "module-debug" if kernel == "debug" else "module-vm", "vsplit.ko")
        else:
            name = re.sub("[-_]", "[-_]", m[3]) + r"\.ko"
            path = next((os.path.join(d, f) for d, _, fs in os.walk(os.path.join(kernel_directory(kernel), "root"))
                         for f in fs if re.fullmatch(name, f)), "")
        what = module_site(path, where, offset) if os.path.exists(path) else None
    else:
        symbols, sites = kernel_sites(kernel)
        what = next((sites[a + offset] for a in symbols.get(where, ()) if a + offset in sites), None)
    return f"{what} at {m[1]}+{offset:#x}" if what else None
