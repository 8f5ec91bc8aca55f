# SPDX-License-Identifier: GPL-2.0 OR MIT
"""What a run that was stopped leaves to one that resumes it."""

import os
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def commit() -> str:
    """What is checked out; with a "+" where files differ from that, "?" where it is not known."""
    git = ["git", "-C", TOP, "describe", "--always", "--exclude=*", "--dirty=+"]
    return subprocess.run(git, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip() or "?"


def is_whole(at: str) -> bool:
    """Is a commit all that there is, so that what was found on it counts again?"""
    return not at.endswith(("+", "?"))


def put_behind(path: str, to: str) -> None:
    """The lines of a file go behind those of another one; not a last one that was not written to its end."""
    if os.path.exists(path):
        with open(path, errors="replace") as f, open(to, "a") as kept:
            kept.write("".join(line for line in f if line.endswith("\n")))
