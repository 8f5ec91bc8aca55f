// SPDX-License-Identifier: MIT
/*
 * Exhaustive packing by dynamic programming over all subsets of the items.
 *
 * For one gap, end[T] is the lowest end that the subset T can have in the gap, over all orders:
 * each item is tried as the last, with the others as low as possible below it. T fits if end[T] is
 * inside the gap. Then gaps are combined by splitting each subset in all ways: first the gaps of a
 * segment, to which the commit limit applies, then the segments. Nothing is pruned, so only this
 * recurrence can be wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "split_problem.h"

#define SETS (1u << SUBSET_MAX)

static void combine(u8 *all, const u8 *more, u32 full)
{
	static u8 result[SETS];
	u32 set, part;

	for (set = 0; set <= full; set++) {
		result[set] = 0;
		for (part = set;; part = (part - 1) & set) {
			if (more[part] && all[set & ~part]) {
				result[set] = 1;
				break;
			}
			if (!part)
				break;
		}
	}
	memcpy(all, result, full + 1);
}

u64 subset_steps(u32 nr, u32 nr_segs, const u32 *seg_pages, const u8 *const *busy)
{
	u64 gaps = 0, parts = 1;
	u32 seg, at;

	for (seg = 0; seg < nr_segs; seg++)
		for (at = 0; at < seg_pages[seg]; at++)
			gaps += !busy[seg][at] && (!at || busy[seg][at - 1]);
	/*
	 * Count each subset with each of its parts: an item is in neither, in the subset, or in
	 * both.
	 */
	while (nr--)
		parts *= 3;
	return parts * (gaps + nr_segs);
}

bool subset_packs(u32 nr, const struct subset_item *items, u32 nr_segs, const u32 *seg_pages,
		  const u8 *const *busy, const u64 *room)
{
	static u8 all[SETS], in_seg[SETS], in_gap[SETS];
	static u32 end[SETS];
	u32 full = (1u << nr) - 1;
	u32 seg, set, i;

	memset(all, 0, full + 1);
	all[0] = 1;
	for (seg = 0; seg < nr_segs; seg++) {
		u32 at = 0;

		memset(in_seg, 0, full + 1);
		in_seg[0] = 1;
		while (at < seg_pages[seg]) {
			u32 to = at;

			while (to < seg_pages[seg] && !busy[seg][to])
				to++;
			if (to == at) {
				at++;
				continue;
			}
			end[0] = at;
			in_gap[0] = 1;
			for (set = 1; set <= full; set++) {
				u32 best = ~0u;

				for (i = 0; i < nr; i++) {
					u32 e, a = items[i].align;

					if (!(set & (1u << i)) || end[set & ~(1u << i)] == ~0u ||
					    !(items[i].segs & (1u << seg)))
						continue;
					e = end[set & ~(1u << i)];
					while (e % a)
						e++;
					e += items[i].pages;
					if (e <= to && e < best)
						best = e;
				}
				end[set] = best;
				in_gap[set] = best != ~0u;
			}
			combine(in_seg, in_gap, full);
			at = to;
		}
		for (set = 0; set <= full; set++) {
			u64 sum = 0;

			for (i = 0; i < nr; i++)
				if (set & (1u << i))
					sum += items[i].pages;
			if (sum > room[seg])
				in_seg[set] = 0;
		}
		combine(all, in_seg, full);
	}
	return all[full];
}
