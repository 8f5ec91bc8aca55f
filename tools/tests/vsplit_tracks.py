# SPDX-License-Identifier: MIT
"""Checks that hold for every trace for Perfetto that the tools write."""

import collections
import re

# Times are microseconds with three digits behind the point.
NEAR = 0.0011


def check_tracks(trace):
    """Check the rules for all traces. Return the trace's slices by category, and its flows by id."""
    events = trace["traceEvents"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    processes = {e["pid"] for e in events if e["name"] == "process_name"}
    slices = collections.defaultdict(list)
    flows = collections.defaultdict(list)
    queue = collections.defaultdict(list)
    for e in events:
        assert e["ph"] in "MXCbeistf" and e["ts"] >= 0 and e["pid"] in processes, e
        if e["ph"] == "X":
            assert (e["pid"], e["tid"]) in names, e
            slices[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"], e["name"]))
        elif e["ph"] in "stf":
            flows[e["id"]].append(e)
        elif e["ph"] in "be":
            queue[e["pid"], e["id"]].append((e["ts"], e["ph"]))
    for track, of in slices.items():
        of.sort()
        for a, b in zip(of, of[1:]):
            assert a[1] <= b[0] + NEAR, f"{names[track]}: {a} lies over {b}"
    # The format allows any order in the file, so the events are sorted by time first.
    for times in queue.values():
        assert [ph for _, ph in sorted(times)] == ["b", "e"], queue
    # Each flow begins at a submission, goes through the portions, and ends at the fence. Each of its points is on a slice.
    for steps in flows.values():
        phases = "".join(e["ph"] for e in sorted(steps, key=lambda e: (e["ts"], "stf".index(e["ph"]))))
        assert re.fullmatch("st*f", phases), phases
        for e in steps:
            assert any(a - NEAR <= e["ts"] <= b + NEAR for a, b, _ in slices[e["pid"], e["tid"]]), e
    count = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            count[e["cat"]].append(e)
    return count, flows
