# SPDX-License-Identifier: GPL-2.0 OR MIT
"""Expected results of tests other than a pass: igt-tests/xfails/, in the format of the kernel's drivers/gpu/drm/ci/xfails.

  NAME-fails.txt    TEST,RESULT: the result is Fail, Crash, Timeout or Skip; TEST may contain "*"
  NAME-skips.txt    a regular expression a line: tests that are not run at all
  NAME-flakes.txt   a regular expression a line: tests that pass only sometimes; no test of the project may

A comment above each block of entries says why. An entry that no test needs any more is an error, too.
"""

import fnmatch
import os
import re

DIRECTORY = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "igt-tests", "xfails")
RESULTS = ("fail", "crash", "timeout", "skip")


class Expectations:
    """The lists of these names together. A missing list is empty. Only entries of the last list may be out of date."""

    def __init__(self, *names: str):
        self.errors: list[str] = []
        self.results: list[tuple[str, str]] = []
        self.unused: set[str] = set()
        self.left_out: list[str] = []
        self.flakes: list[str] = []
        for name in names:
            for entry in self._read(name + "-fails.txt"):
                test, _, result = entry.rpartition(",")
                if not test or result.lower() not in RESULTS:
                    self.errors.append(f"{name}-fails.txt: {entry!r} is not TEST,RESULT")
                    continue
                self.results.append((test, result.lower()))
                if name == names[-1]:
                    self.unused.add(f"{test},{result.capitalize()}")
            self.left_out += self._read(name + "-skips.txt")
            self.flakes += self._read(name + "-flakes.txt")

    def _read(self, name: str) -> list[str]:
        path = os.path.join(DIRECTORY, name)
        entries: list[str] = []
        explained = False
        if not os.path.exists(path):
            return entries
        with open(path) as f:
            for line in map(str.strip, f):
                if not line:
                    explained = False
                elif line.startswith("#"):
                    explained = explained or "SPDX" not in line
                else:
                    entries.append(line)
                    if not explained:
                        self.errors.append(f"{name}: nothing says why {line!r} is there")
        return entries

    def judge(self, test: str, result: str) -> tuple[str, str]:
        """
        Returns how the result counts ("pass", "skip" or "fail"), and a message if that differs from the result itself.
        An expected failure counts as skipped.
        """
        wanted = [(t, r) for t, r in self.results if fnmatch.fnmatchcase(test, t)]
        for t, r in wanted:
            self.unused.discard(f"{t},{r.capitalize()}")
        if result in (r for _, r in wanted):
            return "skip", "" if result == "skip" else f"{result}, as expected"
        if any(re.search(r, test) for r in self.flakes):
            return ("pass", "") if result == "pass" else ("skip", f"{result}, as it does at times")
        if wanted:
            return "fail", f"{result} where {wanted[0][1]} is expected"
        return ("pass", "") if result == "pass" else ("fail", "it skips, which no list expects" if result == "skip" else "")
