# SPDX-License-Identifier: GPL-2.0 OR MIT
"""The busybox of this machine, with which a guest begins."""

import shutil


def static_busybox():
    """Where it is. OSError: there is none on PATH, or one that nothing in an initramfs can be linked with."""
    path = shutil.which("busybox")
    if not path:
        raise OSError("no busybox on PATH")
    with open(path, "rb") as f:
        if b"ld-linux" in f.read(4096):
            raise OSError(f"{path} needs shared libraries: a static busybox has to be first on PATH")
    return path
