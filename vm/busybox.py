# SPDX-License-Identifier: GPL-2.0 OR MIT
"""Finds the busybox of this machine, which starts the guest."""

import shutil


def static_busybox():
    """Returns its path. Raises OSError if PATH has none, or only one that needs shared libraries."""
    path = shutil.which("busybox")
    if not path:
        raise OSError("no busybox on PATH")
    with open(path, "rb") as f:
        if b"ld-linux" in f.read(4096):
            raise OSError(f"{path} needs shared libraries: a static busybox has to be first on PATH")
    return path
