/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A layout from the inside: vsplit_layout.c claims and commits what a plan enters, vsplit_victim.c
 * finds what has to leave for it.
 */
#ifndef _VSPLIT_LAYOUT_INTERNAL_H_
#define _VSPLIT_LAYOUT_INTERNAL_H_

#include "mm/vsplit_mm_internal.h"

/**
 * struct vsplit_victim - An allocation that a layout evicts, or may.
 * @vbo: GEM reference.
 * @at: where it is, and what is known of it, as it was found; its rank is never VSPLIT_RESID_OWN.
 * @needed: it has to leave.
 */
struct vsplit_victim {
	struct vsplit_bo *vbo;
	struct vsplit_span at;
	bool needed;
};

/**
 * struct vsplit_layout - Places that a plan has decided.
 * @txn: the transaction.
 * @mm: memory management.
 * @segments: bit mask of segments that the plan may touch.
 * @emptied: bit mask of those that other allocations are evicted from.
 * @covers: for each of them a range that becomes pending with the program's fence:
 *	all that its steps touch.
 * @spares: struct vsplit_range.link: empty ones.
 * @for_victims: of @spares, those that were made for victims.
 * @held: struct vsplit_range.link by segment: what it has claimed; under its lock.
 * @windows: what its steps enter, @nr_windows; from lock_victims on sorted and disjoint.
 * @nr_windows: how many.
 * @max_windows: room.
 * @sorted: @windows are.
 * @begins: bytes of its own by segment, when the plan begins.
 * @bytes: while steps are said: as they are after the last one.
 * @peak: the most that are there before any portion.
 * @peak_apertures: the same of all aperture segments together.
 * @extra: bytes by segment that were charged for the peak; under its lock.
 * @extra_apertures: those that were charged to all aperture segments together.
 * @kept: bytes by segment of its own that left during the commit; under its lock.
 * @committing: own ranges are coming, not victims'.
 * @claimed: it has, or has had, windows in the segments.
 * @victims: @nr_found of them, of which the first @nr_victims have to leave; one in several
 *	runs is found once for each.
 * @nr_found: how many references it has.
 * @nr_victims: how many have to leave.
 * @max_victims: room.
 * @contended: the last victim that drm_exec has to wait for, a reference; or NULL. It may be no
 *	victim any more when drm_exec has it, and lockdep complains if the last reference is
 *	dropped while others are locked by the same ticket.
 *
 * The transaction's task's alone, but for what is under a segment's lock.
 */
struct vsplit_layout {
	struct vsplit_txn *txn;
	struct vsplit_mm *mm;
	u32 segments;
	u32 emptied;
	struct vsplit_range *covers[VSPLIT_MAX_SEGMENTS];
	struct list_head spares;
	u32 for_victims;
	struct list_head held[VSPLIT_MAX_SEGMENTS];
	struct vsplit_span *windows;
	u32 nr_windows;
	u32 max_windows;
	bool sorted;
	u64 begins[VSPLIT_MAX_SEGMENTS];
	u64 bytes[VSPLIT_MAX_SEGMENTS];
	u64 peak[VSPLIT_MAX_SEGMENTS];
	u64 peak_apertures;
	u64 extra[VSPLIT_MAX_SEGMENTS];
	u64 extra_apertures;
	u64 kept[VSPLIT_MAX_SEGMENTS];
	bool committing;
	bool claimed;
	struct vsplit_victim *victims;
	u32 nr_found;
	u32 nr_victims;
	u32 max_victims;
	struct drm_gem_object *contended;
};

static inline bool vsplit_range_is_own(const struct vsplit_range *range,
				       const struct vsplit_txn *txn)
{
	return range->bo && READ_ONCE(to_vsplit_bo(range->bo)->txn) == txn;
}

/* vsplit_layout.c */

/** vsplit_layout_add_spares() - Make empty ranges. Return: 0 or -ENOMEM. */
int vsplit_layout_add_spares(struct vsplit_layout *layout, u32 nr);

struct vsplit_span *vsplit_layout_windows(struct vsplit_layout *layout, u32 segment, u32 *nr);

/* vsplit_victim.c */
s64 vsplit_layout_over(const struct vsplit_layout *layout, const struct vsplit_segment *segment);
s64 vsplit_layout_more_apertures(const struct vsplit_layout *layout);
bool vsplit_layout_apertures_fit(const struct vsplit_layout *layout, s64 now);
u64 vsplit_layout_victim_bytes(const struct vsplit_layout *layout, u32 segment);

#endif /* _VSPLIT_LAYOUT_INTERNAL_H_ */
