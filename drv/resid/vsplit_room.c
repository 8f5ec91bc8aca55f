// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: room for lists
 *
 * Each device's list has been shown to fit beside the pinned allocations. A pin must not make that
 * untrue, unless it is for a picture that a head shows and that can be nowhere else. So this file
 * counts the bytes of lists and pins, and compares them under one lock before either grows: the
 * bytes that MakeResident adds are reserved before placing (vsplit_member_create()), and those of a
 * pin before it takes its place (vsplit_resid_pin()). The second of the two sees the first.
 *
 * A list fits by bytes if, for each set of segments, the allocations that can only be in the set
 * (struct vsplit_resid.need) need no more bytes than the set has beside pinned allocations. This
 * says nothing about holes: a list that fits by bytes may still not fit in one piece each.
 *
 * A pin looks up the lists that it would break by their bytes, so the number of open files does not
 * matter. There are at most 32 look-ups, one for each set with the segment, or 63 if apertures
 * share a limit. Each look-up passes over devices that require the allocation itself, at most
 * VSPLIT_MAX_SHARERS.
 */
#include "resid/vsplit_resid.h"
#include "resid/vsplit_trim.h"

static u64 vsplit_resid_room(const struct vsplit_resid_domain *domain, unsigned long set)
{
	unsigned long apertures = domain->apertures;
	u64 memory = 0, aperture = 0, limit = domain->aperture_limit;
	u32 i;

	lockdep_assert_held(&domain->lock);

	for_each_set_bit(i, &set, domain->nr_segments) {
		u64 room = domain->limits[i] - min(domain->limits[i], domain->pinned[i]);

		*(apertures & BIT(i) ? &aperture : &memory) += room;
	}
	if (!limit)
		return memory + aperture;
	for_each_set_bit(i, &apertures, domain->nr_segments)
		limit -= min(limit, domain->pinned[i]);
	return memory + min(aperture, limit);
}

/** vsplit_resid_beside_pins() - Bytes that a set of segments has beside pinned allocations. */
u64 vsplit_resid_beside_pins(struct vsplit_resid_domain *domain, u32 set)
{
	guard(spinlock)(&domain->lock);
	return vsplit_resid_room(domain, set);
}

static u64 node_to_bytes(const struct rb_node *node)
{
	return rb_entry(node, struct vsplit_resid_need, node)->bytes;
}

static const struct vsplit_resid *node_to_resid(const struct rb_node *node, u32 set)
{
	const struct vsplit_resid_need *need = rb_entry(node, struct vsplit_resid_need, node);

	return container_of(need - set, struct vsplit_resid, need[0]);
}

static bool vsplit_need_less(struct rb_node *a, const struct rb_node *b)
{
	return node_to_bytes(a) < node_to_bytes(b);
}

static int vsplit_need_is_more(const void *bytes, const struct rb_node *node)
{
	return *(const u64 *)bytes >= node_to_bytes(node);
}

static void vsplit_need_set(struct vsplit_resid *resid, u32 set, u64 bytes)
{
	struct rb_root *needs = &resid->domain->needs[set];
	struct vsplit_resid_need *need = &resid->need[set];

	lockdep_assert_held(&resid->domain->lock);

	if (need->bytes)
		rb_erase(&need->node, needs);
	need->bytes = bytes;
	if (bytes)
		rb_add(&need->node, needs, vsplit_need_less);
}

/** vsplit_resid_need_nothing() - A device needs no room any more; its domain's lock is held. */
void vsplit_resid_need_nothing(struct vsplit_resid *resid)
{
	u32 set;

	for (set = 1; set < BIT(resid->domain->nr_segments); set++)
		vsplit_need_set(resid, set, 0);
}

/*
 * Count the room that a device needs for an allocation from now on (@more), or not any more; its
 * domain's lock is held.
 */
void vsplit_resid_need(struct vsplit_resid *resid, const struct vsplit_resid_object *object,
		       bool more)
{
	u32 set;

	lockdep_assert_held(&resid->domain->lock);

	for (set = 1; set < BIT(resid->domain->nr_segments); set++)
		if (!(object->segments & ~set))
			vsplit_need_set(resid, set, resid->need[set].bytes +
					(more ? object->bytes : -object->bytes));
}

static void vsplit_object_need(const struct vsplit_resid_object *object, bool more)
{
	const struct vsplit_member *member;

	if (!vsplit_object_needs_room(object))
		return;
	list_for_each_entry(member, &object->members, by_object) {
		member->resid->domain->steps++;
		if (vsplit_member_is_required(member))
			vsplit_resid_need(member->resid, object, more);
	}
}

static bool vsplit_object_is_required_by(const struct vsplit_resid_object *object,
					 const struct vsplit_resid *resid)
{
	const struct vsplit_member *member = vsplit_resid_find(resid, object);

	return member && vsplit_member_is_required(member);
}

/* Would a pin in @segment break a list that fits now? */
static bool vsplit_resid_pin_breaks(struct vsplit_resid_domain *domain,
				    const struct vsplit_resid_object *object, u32 segment)
{
	struct rb_node *node;
	u64 before, after;
	u32 set;

	lockdep_assert_held(&domain->lock);

	for (set = 1; set < BIT(domain->nr_segments); set++) {
		before = vsplit_resid_room(domain, set);
		domain->pinned[segment] += object->bytes;
		after = vsplit_resid_room(domain, set);
		domain->pinned[segment] -= object->bytes;
		if (before == after)
			continue;
		node = rb_find_first(&after, &domain->needs[set], vsplit_need_is_more);
		for (; node && node_to_bytes(node) <= before; node = rb_next(node)) {
			domain->steps++;
			/*
			 * If the device requires the object, its need in this set falls by at least
			 * as much as the room; but not if the object needed no room.
			 */
			if (object->segments & ~set || !vsplit_object_needs_room(object) ||
			    !vsplit_object_is_required_by(object, node_to_resid(node, set)))
				return true;
		}
	}
	return false;
}

/*
 * An allocation, whose dma_resv is held, or that is new, is going to be pinned in a segment. @must:
 * in any case, whatever lists need. vsplit_resid_unpin() or the release of the allocation ends the
 * pin. If the allocation is counted as pinned already, nothing happens.
 * Return: 0; -ENOSPC, but not with @must: a list that was admitted would not fit any more.
 */
int vsplit_resid_pin(struct vsplit_resid_domain *domain, struct vsplit_resid_object *object,
		     u32 segment, bool must)
{
	guard(spinlock)(&domain->lock);
	if (object->pinned)
		return 0;
	if (!must && vsplit_resid_pin_breaks(domain, object, segment))
		return -ENOSPC;
	vsplit_object_need(object, false);
	object->pinned = BIT(segment);
	domain->pinned[segment] += object->bytes;
	return 0;
}

/*
 * Set of those segments of an allocation, whose dma_resv is held, where vsplit_resid_pin() would
 * succeed.
 */
u32 vsplit_resid_may_pin(struct vsplit_resid_domain *domain,
			 const struct vsplit_resid_object *object)
{
	unsigned long segments = object->segments;
	u32 may = 0, i;

	guard(spinlock)(&domain->lock);
	for_each_set_bit(i, &segments, domain->nr_segments)
		if (object->pinned || !vsplit_resid_pin_breaks(domain, object, i))
			may |= BIT(i);
	return may;
}

/** vsplit_resid_unpin_locked() - vsplit_resid_unpin(), with the domain's lock held. */
void vsplit_resid_unpin_locked(struct vsplit_resid_domain *domain,
			       struct vsplit_resid_object *object)
{
	lockdep_assert_held(&domain->lock);

	if (!object->pinned)
		return;
	domain->pinned[__ffs(object->pinned)] -= object->bytes;
	object->pinned = 0;
	vsplit_object_need(object, true);
}

/** vsplit_resid_unpin() - An allocation is not pinned any more; dma_resv held. */
void vsplit_resid_unpin(struct vsplit_resid_domain *domain, struct vsplit_resid_object *object)
{
	scoped_guard(spinlock, &domain->lock)
		vsplit_resid_unpin_locked(domain, object);
}

/* An allocation, whose dma_resv is held, is offered, or reclaimed. */
void vsplit_resid_offer(struct vsplit_resid_domain *domain, struct vsplit_resid_object *object,
			bool offered)
{
	guard(spinlock)(&domain->lock);
	if (object->offered == offered)
		return;
	/* One of the two calls has no effect, because an offered allocation needs no room. */
	vsplit_object_need(object, false);
	object->offered = offered;
	vsplit_object_need(object, true);
}

/* How many bytes does a list have to lose, with the members that are about to be added? */
u64 vsplit_resid_short(struct vsplit_resid *resid)
{
	struct vsplit_resid_domain *domain = resid->domain;
	u64 bytes = 0;
	u32 set;

	guard(spinlock)(&domain->lock);
	for (set = 1; set < BIT(domain->nr_segments); set++) {
		u64 room = vsplit_resid_room(domain, set);

		if (resid->need[set].bytes > room)
			bytes = max(bytes, resid->need[set].bytes - room);
	}
	return bytes;
}
