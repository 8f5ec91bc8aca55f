#!/usr/bin/python3
# SPDX-License-Identifier: MIT
# %% [markdown]
# An experiment on splitting, with the Python binding. One DMA buffer copies a page of each of twelve textures
# into its target. All textures use slot 1, one after the other, so there is a split point before each copy. How
# many portions does the buffer take, and how many bytes are paged, if video memory is smaller or larger?

# %%
import numpy
import vsplit

MIB, TEXTURES = 1 << 20, 12


# %%
def experiment(vram):
    """Run with vram bytes of video memory, and check the copied pages. Return (portions, MiB paged in, MiB evicted)."""
    with vsplit.Adapter("experiment", {"vram": vram}) as adapter, adapter.open() as dev:
        target, textures = dev.alloc(MIB), [dev.alloc(MIB) for _ in range(TEXTURES)]
        stream = vsplit.Stream().bind(0, target, write=True)
        for i, texture in enumerate(textures):
            texture.array()[:] = i
            stream.bind(1, texture).copy(0, 1, 4096, dst_offset=4096 * i)
        done = dev.context().submit(stream).wait()
        pages = target.array().reshape(-1, 4096)[:TEXTURES]
        assert (pages == numpy.arange(TEXTURES)[:, None]).all()
        paged = {kind: sum(e["bytes"] for e in done.record() if e["event"] == kind) // MIB for kind in ("page-in", "evict")}
        return done.portions, paged["page-in"], paged["evict"]


# %%
results = {mib: experiment(mib * MIB) for mib in (2, 3, 4, 7, 13, 16)}
print("vram MiB  portions  paged in  evicted")
for mib, (portions, paged_in, evicted) in results.items():
    print(f"{mib:8}  {portions:8}  {paged_in:8}  {evicted:7}  {'#' * portions}")

# %% [markdown]
# More memory never means more portions. If all thirteen allocations fit, there is one portion.

# %%
portions = [p for p, _, _ in results.values()]
assert portions == sorted(portions, reverse=True) and portions[0] > 1
assert results[13][0] == results[16][0] == 1 and results[13][2] == 0
