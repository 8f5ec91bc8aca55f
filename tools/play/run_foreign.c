// SPDX-License-Identifier: MIT
/*
 * Finds allocations of other devices that a submission evicts. The record has only the sum of the
 * allocations that its client does not know. The player has opened all devices: an allocation that
 * was in a segment before the call, and not after it, has left for it. If the sizes do not match
 * the sum, the sum is kept. It is kept as well where other devices have more than MAX_FOREIGN
 * allocations, because each of them costs two calls for each submission.
 */
#include <stdlib.h>

#include "parse.h"
#include "run.h"

#define MAX_FOREIGN	256

/* Get the place of an allocation. Returns false if it is in no segment. */
static bool place_of(struct player *p, uint32_t alloc, struct place *place)
{
	struct drm_vsplit_gem_info info;

	if (!p->bos[alloc] || vsplit_bo_info(p->bos[alloc], &info) || !info.segment)
		return false;
	*place = (struct place){ alloc, info.segment, info.offset, NULL, 0 };
	return true;
}

struct place *foreign_places(struct player *p, uint32_t device, uint32_t *count)
{
	struct place *list = NULL, place;
	uint32_t asked = 0, i;

	*count = 0;
	for (i = 0; i < p->s->num_allocs && p->s->num_devices > 1; i++) {
		uint32_t other = p->s->allocs[i].device;

		if (other == device || !same_adapter(p->s, other, device) || !p->bos[i])
			continue;
		if (++asked > MAX_FOREIGN) {
			*count = 0;
			break;
		}
		if (!place_of(p, i, &place))
			continue;
		list = append(list, count, sizeof(*list));
		list[*count - 1] = place;
	}
	return list;
}

void note_foreign(struct player *p, struct submission *sub, const struct place *before,
		  uint32_t count)
{
	struct place now;
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (!p->bos[before[i].alloc] || (place_of(p, before[i].alloc, &now) &&
						 now.segment == before[i].segment))
			continue;
		sub->left = append(sub->left, &sub->num_left, sizeof(*sub->left));
		sub->left[sub->num_left - 1] = before[i];
	}
}

/* Bytes of the allocations that left the segment of a step. */
static uint64_t left_bytes(struct player *p, const struct submission *sub, uint32_t segment,
			   uint32_t *count)
{
	uint64_t bytes = 0;
	uint32_t i;

	*count = 0;
	for (i = 0; i < sub->num_left; i++) {
		if (sub->left[i].segment != segment)
			continue;
		if (!p->bos[sub->left[i].alloc])
			return 0;
		bytes += vsplit_bo_size(p->bos[sub->left[i].alloc]);
		++*count;
	}
	return bytes;
}

#define MAX_APART	16	/* allocations in a sum: all subsets are tried */

/*
 * Find which of the allocations that left @segment were transferred: each either completely or not
 * at all. @set: bits, in the order of @left. Returns false if no set, or more than one, has @copied
 * bytes.
 */
static bool transferred_set(struct player *p, const struct submission *sub, uint32_t segment,
			    uint32_t count, uint64_t copied, uint32_t *set)
{
	uint64_t bytes[MAX_APART];
	uint32_t found = 0, n = 0, mask, i;

	if (count > MAX_APART)
		return false;
	for (i = 0; i < sub->num_left; i++) {
		if (sub->left[i].segment == segment)
			bytes[n++] = vsplit_bo_size(p->bos[sub->left[i].alloc]);
	}
	for (mask = 0; mask < 1u << count; mask++) {
		uint64_t sum = 0;

		for (i = 0; i < count; i++)
			sum += mask & 1u << i ? bytes[i] : 0;
		if (sum != copied)
			continue;
		found++;
		*set = mask;
	}
	return found == 1;
}

/* Replace sum @index by a step for each of its @count allocations. @set: those transferred. */
static void tell_apart(struct player *p, struct submission *sub, uint32_t index, uint32_t count,
		       uint32_t set)
{
	struct vsplit_record *record = sub->record;
	struct drm_vsplit_event sum = record->events[index];
	uint32_t at = index, nth = 0, i;

	record->events = need_memory(reallocarray(record->events,
						  record->head.num_events + count - 1ul,
						  sizeof(*record->events)));
	for (i = 0; i < sub->num_left; i++) {
		struct drm_vsplit_event *e = &record->events[at];
		uint32_t alloc = sub->left[i].alloc;

		if (sub->left[i].segment != sum.segment)
			continue;
		*e = sum;
		e->id = p->r->allocs[alloc].id;
		e->at = sub->left[i].at;
		e->bytes = vsplit_bo_size(p->bos[alloc]);
		e->copied = set & 1u << nth++ ? e->bytes : 0;
		at = at == index ? record->head.num_events : at + 1;
	}
	record->head.num_events += count - 1;
}

void name_foreign(struct player *p, struct submission *sub)
{
	uint32_t events = sub->record->head.num_events, count, set, i;

	for (i = 0; i < events; i++) {
		const struct drm_vsplit_event *e = &sub->record->events[i];

		if (!(e->flags & VSPLIT_EVENT_FOREIGN) || e->id ||
		    (e->type != VSPLIT_EVENT_EVICT && e->type != VSPLIT_EVENT_UNMAP))
			continue;
		if (left_bytes(p, sub, e->segment, &count) != e->bytes || !count)
			continue;
		if (transferred_set(p, sub, e->segment, count, e->copied, &set))
			tell_apart(p, sub, i, count, set);
	}
}
