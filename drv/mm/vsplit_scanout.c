// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: scanout
 *
 * An allocation that a head shows, or writes a picture to, is *pinned* where its preference puts
 * it, in a memory or an aperture segment, and read there in place: no copy is made. For a split it
 * is an obstacle like any pinned allocation. Pinning pages it in by jobs of its own, so its bytes
 * are there when the KERNEL fences of its dma_resv are signalled: a reader asks for these fences
 * after pinning, not before.
 *
 * Reading needs no lock: a memory segment is mapped into the kernel as a whole, and the pages of an
 * allocation in an aperture segment are mapped as long as the pin lasts. Two events make the bytes
 * unreachable, and both stop the readers first: an unplug, and a reset of the bus device
 * (vsplit_reset.c), after which the bytes are at the same address again.
 */
#include <linux/dma-resv.h>
#include <linux/vmalloc.h>

#include <drm/drm_drv.h>

#include "mm/vsplit_mm_internal.h"
#include "mm/vsplit_scanout.h"

/*
 * Jiffies that a pin waits with its turn. Tasks that began to place something before the turn go
 * on, and hold locks that keep TTM from evicting. So a lack of room is certain only after they have
 * ended. They never wait for the GPU.
 */
#define VSPLIT_SCANOUT_WAITS	(HZ / 2)

bool vsplit_scanout_possible(const struct drm_gem_object *gem)
{
	const struct vsplit_bo *vbo = container_of(gem, struct vsplit_bo, tbo.base);

	return !vbo->pitch && !vbo->gpu_only && !(vbo->flags & VSPLIT_GEM_RUNS);
}

void vsplit_scanout_allow(struct drm_gem_object *gem)
{
	WRITE_ONCE(gem_to_vsplit_bo(gem)->primary, true);
}

/* Pin an allocation where it is, and map its bytes. */
static int vsplit_scanout_map(struct vsplit_bo *vbo, bool write, struct vsplit_scanout *scanout)
{
	struct ttm_tt *tt = vbo->tbo.ttm;

	if (write && !vsplit_bo_can_stay(vbo, true))
		return -EBUSY;
	/* Clients without privilege make lists, so a list must not hold up a head. */
	vsplit_bo_pin_place(vbo, true);
	scanout->bytes = vsplit_bo_memory(vbo);
	scanout->vmapped = !scanout->bytes;
	if (scanout->vmapped && !vsplit_fault("mm.scanout_vmap"))
		scanout->bytes = vmap(tt->pages, tt->num_pages, VM_MAP, PAGE_KERNEL);
	if (!scanout->bytes) {
		vsplit_bo_unpin_place(vbo);
		return -ENOMEM;
	}
	if (write)
		vsplit_bo_written(vbo);
	return 0;
}

/*
 * Place an allocation by its preference, but, if possible, in a segment where that breaks no
 * device's list. With @turn, nothing else is being placed: if such segments have no room then,
 * break the list, since lists must not hold up a head.
 */
static int vsplit_scanout_place(struct vsplit_bo *vbo, bool turn)
{
	u32 segment = vsplit_bo_segment(vbo), may, i;
	/* While it is pinned, mappings of programs can show it only where it is. */
	bool seen = !vbo->tbo.pin_count;
	int ret = -ENOSPC;

	may = vsplit_resid_may_pin(&vbo_to_mm(vbo)->resid, &vbo->resid);
	if (!may || may == vbo->resid.segments ||
	    (segment != VSPLIT_SEG_SYSTEM && may & BIT(segment)))
		return vsplit_bo_page_in(vbo, VSPLIT_SEG_SYSTEM, seen);
	for (i = 0; i < vbo->nr_segs && ret == -ENOSPC; i++)
		if (may & BIT(vbo->segs[i]))
			ret = vsplit_bo_page_in(vbo, vbo->segs[i], seen);
	return ret == -ENOSPC && turn ? vsplit_bo_page_in(vbo, VSPLIT_SEG_SYSTEM, seen) : ret;
}

/* Lock with a ticket: then TTM waits for locked allocations, and evicts them. */
static int vsplit_scanout_pin_locked(struct vsplit_bo *vbo, bool write, bool turn,
				     struct vsplit_scanout *scanout)
{
	struct ttm_operation_ctx ctx = { .interruptible = true };
	struct ttm_buffer_object *tbo = &vbo->tbo;
	struct ww_acquire_ctx ticket;
	int ret;

	ww_acquire_init(&ticket, &reservation_ww_class);
	ret = vsplit_interrupted("mm.scanout_reserve") ? -ERESTARTSYS :
	      ttm_bo_reserve(tbo, true, false, &ticket);
	if (ret)
		goto fini;
	ret = vsplit_scanout_place(vbo, turn);
	if (!ret)
		ret = vsplit_bo_populate(vbo, &ctx);
	if (!ret)
		ret = vsplit_scanout_map(vbo, write, scanout);
	ttm_bo_unreserve(tbo);
fini:
	ww_acquire_fini(&ticket);
	return ret;
}

/* Find where it may be pinned. If nowhere, it is pinned already, or the pin will tell the error. */
static int vsplit_scanout_segments(struct vsplit_scanout_need *need)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(need->gem);
	int ret;
	u32 i;

	need->segments = 0;
	ret = vsplit_interrupted("mm.scanout_fit") ? -EINTR :
	      dma_resv_lock_interruptible(need->gem->resv, NULL);
	if (ret)
		return -ERESTARTSYS;
	for (i = 0; i < vbo->nr_segs && !vbo->tbo.pin_count; i++)
		if (vsplit_bo_allows(vbo, i, need->write))
			need->segments |= BIT(vbo->segs[i]);
	dma_resv_unlock(need->gem->resv);
	return 0;
}

/* Is there a place where the CPU sees it, if all that can be evicted leaves? */
static int vsplit_scanout_look(struct vsplit_bo *vbo, struct vsplit_txn *txn)
{
	struct vsplit_scanout_need need = { .gem = &vbo->tbo.base };
	int ret = vsplit_scanout_segments(&need);
	u64 at;
	u32 i;

	/* It may have been pinned meanwhile: then it has a place. */
	if (ret || READ_ONCE(vbo->tbo.pin_count))
		return ret;
	for (i = 0, ret = -ENOSPC; i < vbo->nr_segs && ret == -ENOSPC; i++) {
		const struct vsplit_segment *segment = &txn->mm->segments[vbo->segs[i]];

		if (need.segments & BIT(segment->index))
			ret = vsplit_pin_look(vbo, txn, i, 0, vsplit_segment_seen(segment), &at);
	}
	return ret;
}

int vsplit_scanout_pin(struct drm_gem_object *gem, bool write, struct vsplit_scanout *scanout)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(gem);
	unsigned int windows, tries = 0, waits = 0;
	bool turn = false;
	struct vsplit_txn txn;
	int idx, ret;

	if (!drm_dev_enter(gem->dev, &idx))
		return -ENODEV;
	vsplit_txn_init(&txn, vbo_to_mm(vbo), NULL, true);
	ret = vsplit_txn_begin(&txn);
	while (!ret) {
		windows = vsplit_txn_windows(&txn);
		ret = vsplit_scanout_pin_locked(vbo, write, turn, scanout);
		if (ret != -ENOSPC && ret != -EAGAIN)
			break;
		if (ret == -ENOSPC && turn) {
			if (waits++ < VSPLIT_SCANOUT_WAITS)
				ret = vsplit_scanout_look(vbo, &txn);
			if (ret)
				break;
		}
		turn = turn || ret == -ENOSPC || ++tries > VSPLIT_TXN_TRIES;
		ret = vsplit_txn_again(&txn, windows, turn);
	}
	vsplit_txn_end(&txn);
	drm_dev_exit(idx);
	return ret;
}

/* Do the allocations fit that can be pinned only in these segments? */
static bool vsplit_scanout_fit_into(struct vsplit_mm *mm, unsigned long segments,
				    const struct vsplit_scanout_need *needs, u32 nr)
{
	u64 memory = 0, apertures = 0, bytes = 0;
	u32 i;

	for (i = 0; i < nr; i++)
		if (!(needs[i].segments & ~segments) && needs[i].segments)
			bytes += needs[i].gem->size;
	for_each_set_bit(i, &segments, mm->nr_segments) {
		u64 room = vsplit_segment_unpinned(&mm->segments[i]);

		*(mm->segments[i].aperture ? &apertures : &memory) += room;
	}
	/* All apertures together may have a limit. */
	apertures = min(apertures, vsplit_resid_beside_pins(&mm->resid, mm->resid.apertures));
	return bytes <= memory + apertures;
}

int vsplit_scanout_fit(struct vsplit_scanout_need *needs, u32 nr)
{
	u32 i, seg;
	int ret;

	for (i = 0; i < nr; i++) {
		ret = vsplit_scanout_segments(&needs[i]);
		if (ret)
			return ret;
	}
	for (i = 0; i < nr; i++) {
		struct vsplit_bo *vbo = gem_to_vsplit_bo(needs[i].gem);
		unsigned long segments = needs[i].segments;
		struct vsplit_mm *mm = vbo_to_mm(vbo);
		bool suits = !segments;

		for_each_set_bit(seg, &segments, mm->nr_segments)
			suits = suits || vsplit_segment_suits(&mm->segments[seg],
							      needs[i].gem->size, vbo->align);
		if (!suits || !vsplit_scanout_fit_into(mm, segments, needs, nr))
			return -ENOSPC;
	}
	return 0;
}

void vsplit_scanout_unpin(struct drm_gem_object *gem, struct vsplit_scanout *scanout)
{
	struct vsplit_bo *vbo = gem_to_vsplit_bo(gem);

	if (scanout->vmapped)
		vunmap(scanout->bytes);
	dma_resv_lock(gem->resv, NULL);
	vsplit_bo_unpin_place(vbo);
	ttm_bo_unreserve(&vbo->tbo);
	memset(scanout, 0, sizeof(*scanout));
}
