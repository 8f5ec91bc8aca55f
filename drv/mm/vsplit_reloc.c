// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Commit of places: what of it is the same whether a plan decided them (vsplit_layout.c) or not.
 */
#include "mm/vsplit_mm_internal.h"
#include "debug/vsplit_trace.h"

/**
 * vsplit_reloc_apply() - The part of a commit that is the same with and without a layout.
 * @mm: memory management.
 * @reloc: of an allocation; resv held.
 * @fence: of the program.
 * @covered: a layout takes care of the place that it leaves.
 */
void vsplit_reloc_apply(struct vsplit_mm *mm, struct vsplit_reloc *reloc, struct dma_fence *fence,
			bool covered)
{
	struct vsplit_bo *vbo = reloc->vbo;

	dma_resv_assert_held(vbo->tbo.base.resv);

	if (reloc->moved || reloc->res) {
		trace_vsplit_bo_move(mm->vdev, vbo->id, vsplit_bo_segment(vbo),
				     reloc->res ? vsplit_resource_segment(reloc->res) :
						  vsplit_bo_segment(vbo),
				     vbo->tbo.base.size, false);
		/* Writable CPU mappings are gone: their writes need not be assumed any more. */
		vbo->dirty = reloc->dirty;
		vbo->clear = reloc->clear;
	} else {
		vbo->dirty |= reloc->dirty;
		vbo->clear &= reloc->clear;
	}
	if (reloc->unranged)
		vsplit_swizzle_lose(vbo, fence, "left");
	if (reloc->res)
		vsplit_bo_settle(vbo, reloc->res, covered ? NULL : fence);
	else if (reloc->moved)
		vsplit_bo_arrived(vbo);
	if (reloc->res || reloc->moved)
		vsplit_bo_tell_lists(vbo);
}

/** vsplit_reloc_bump() - It was applied: it is the last one that was used. */
void vsplit_reloc_bump(struct vsplit_mm *mm, struct vsplit_reloc *reloc)
{
	u64 now = atomic64_inc_return(&mm->lru_clock);

	if (mm->vdev->config.planned)
		vsplit_reuse_used(reloc->vbo, now);
	reloc->vbo->lru = now;
	if (!reloc->bumped)
		ttm_bo_move_to_lru_tail_unlocked(&reloc->vbo->tbo);
}

void vsplit_relocs_zap(struct vsplit_reloc *relocs, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!relocs[i].vbo || !(relocs[i].moved || relocs[i].res))
			continue;
		dma_resv_assert_held(relocs[i].vbo->tbo.base.resv);
		ttm_bo_unmap_virtual(&relocs[i].vbo->tbo);
	}
}

void vsplit_relocs_commit(struct vsplit_mm *mm, struct vsplit_reloc *relocs, u32 nr,
			  struct dma_fence *fence)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!relocs[i].vbo)
			continue;
		vsplit_reloc_apply(mm, &relocs[i], fence, false);
		vsplit_reloc_bump(mm, &relocs[i]);
	}
}
