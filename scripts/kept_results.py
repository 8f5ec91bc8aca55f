# SPDX-License-Identifier: GPL-2.0 OR MIT
"""Results that a run leaves for a run that resumes it."""

import os
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def commit() -> str:
    """The commit that is checked out; with a "+" if files differ from it, and "?" if it is not known."""
    git = ["git", "-C", TOP, "describe", "--always", "--exclude=*", "--dirty=+"]
    return subprocess.run(git, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip() or "?"


def is_whole(at: str) -> bool:
    """Is the tree exactly a commit, so that its results are valid for another run?"""
    return not at.endswith(("+", "?"))


def put_behind(path: str, to: str) -> None:
    """Appends the lines of a file to another file, without an incomplete last line."""
    if os.path.exists(path):
        with open(path, errors="replace") as f, open(to, "a") as kept:
            kept.write("".join(line for line in f if line.endswith("\n")))
