/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A layout from the inside: vsplit_layout.c claims and commits the places that a plan enters,
 * vsplit_victim.c finds the allocations that have to leave for it.
 */
#ifndef _VSPLIT_LAYOUT_INTERNAL_H_
#define _VSPLIT_LAYOUT_INTERNAL_H_

#include "mm/vsplit_mm_internal.h"

/**
 * struct vsplit_victim - An allocation that a layout evicts, or may evict.
 * @vbo: GEM reference.
 * @at: where it was found, with its rank, priority and last use; the rank is never
 *	VSPLIT_RESID_OWN.
 * @needed: it has to leave.
 */
struct vsplit_victim {
	struct vsplit_bo *vbo;
	struct vsplit_span at;
	bool needed;
};

/**
 * struct vsplit_layout - Places that a plan has chosen.
 * @txn: the transaction.
 * @mm: memory management.
 * @segments: bit mask of segments that the plan may touch.
 * @emptied: bit mask of the segments that other allocations are evicted from.
 * @covers: for each of @segments a range that becomes pending with the program's fence. It covers
 *	everything that the steps touch.
 * @spares: struct vsplit_range.link: empty ranges.
 * @nr_found_spares: how many of @spares were made for what vsplit_layout_lock_victims() found.
 * @held: struct vsplit_range.link by segment: the claimed ranges; under the segment's lock.
 * @windows: the places that the steps enter, @nr_windows of them; sorted and disjoint after
 *	vsplit_layout_lock_victims().
 * @nr_windows: how many windows there are.
 * @max_windows: how many windows there is room for.
 * @begins: bytes of the plan's own allocations by segment, when the plan begins.
 * @bytes: the same after the last step that was described.
 * @peak: the most of @bytes before any portion, or at the end.
 * @peak_apertures: the same of all aperture segments together.
 * @extra: bytes by segment that were charged for the peak; under the segment's lock.
 * @extra_apertures: bytes that were charged to all aperture segments together.
 * @kept: bytes by segment of the plan's own allocations that have left during the commit; under the
 *	segment's lock.
 * @committing: during the commit: the allocations that leave are the plan's own, not victims.
 * @claimed: it has, or has had, claims in the segments.
 * @victims: @nr_found of them; the first @nr_victims have to leave. An allocation in several runs
 *	may be found once for each run.
 * @nr_found: how many references it holds.
 * @nr_victims: how many have to leave.
 * @max_victims: how many victims there is room for.
 * @contended: the last victim that drm_exec had to wait for, a reference; or NULL. When drm_exec
 *	has locked it, it may be no victim any more; and lockdep complains if the last reference is
 *	dropped while others are locked by the same ticket.
 *
 * Only the transaction's task uses a layout, except for the members under a segment's lock.
 */
struct vsplit_layout {
	struct vsplit_txn *txn;
	struct vsplit_mm *mm;
	u32 segments;
	u32 emptied;
	struct vsplit_range *covers[VSPLIT_MAX_SEGMENTS];
	struct list_head spares;
	u32 nr_found_spares;
	struct list_head held[VSPLIT_MAX_SEGMENTS];
	struct vsplit_span *windows;
	u32 nr_windows;
	u32 max_windows;
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
s64 vsplit_layout_most_in_apertures(const struct vsplit_layout *layout);
u64 vsplit_layout_victim_bytes(const struct vsplit_layout *layout, u32 segment);

#endif /* _VSPLIT_LAYOUT_INTERNAL_H_ */
