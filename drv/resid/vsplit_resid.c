// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: requirement lists
 *
 * Under WDDM 2 a device (an open file) itself says which memory it needs: MakeResident adds
 * allocations to its requirement list, and Evict takes them off. An allocation stays on the list
 * until Evict has named it as often as MakeResident. Everything on the list is resident before any
 * context of the device runs. A *member* is an allocation on the list of a device.
 *
 * Missing members. If the allocation of a member is in no place at which the GPU may use it, the
 * member is in the device's list of *missing* members, so the cost of a submission depends on the
 * missing members, and not on all. The allocation's dma_resv is held while its place changes. mm/
 * reports the change: first with vsplit_resid_leave(), and with vsplit_bo_tell_lists() when the new
 * place is decided. An allocation that other devices have moved or brought back is missing as well,
 * until the device has waited for the move.
 *
 * Leaving and publishing. An allocation leaves after the unfinished work of every device that
 * requires it, even if that work never named it. Each list therefore knows the last fence of each
 * context (struct vsplit_resid_work). vsplit_resid_leave() first notes that a member is missing,
 * and then looks at these fences. A submission checks under the same lock whether any member has
 * left since it collected the missing ones, and adds its fence only if none has
 * (vsplit_resid_publish()). So a submission comes either before an eviction, which waits for the
 * submission, or after it, and then brings back the members that left.
 *
 * A member whose count has become 0 is not required any more, but it is kept while work that was
 * submitted before may be unfinished. It is freed when the allocation leaves, ends, or is taken off
 * the list while the device is idle.
 *
 * Costs for others. Clients choose how many devices require an allocation, and how many contexts
 * these devices have, but another client waits when it needs the place. So an allocation is on at
 * most VSPLIT_MAX_SHARERS lists. This bounds each walk over its members; there is one walk for each
 * allocation that leaves, arrives, is pinned or offered. The question that every plan asks needs no
 * walk (vsplit_resid_rank()), and a context without unfinished work is looked at only once
 * (vsplit_work_is_done()). Unfinished work has to be waited for; limits of each file and user bound
 * it.
 *
 * Trims and budgets are in vsplit_trim.c. vsplit_room.c checks whether a list fits.
 */
#include <linux/dma-fence.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "debug/vsplit_fault.h"
#include "resid/vsplit_resid.h"
#include "resid/vsplit_trim.h"

void vsplit_resid_object_init(struct vsplit_resid_object *object, u64 id, u64 bytes, u32 group,
			      u32 segments)
{
	INIT_LIST_HEAD(&object->members);
	object->id = id;
	object->bytes = bytes;
	object->group = group;
	object->segments = segments;
}

/* ---- members; the lock is held ---- */

/* Sort by id: places depend on the order of a list, and the order of addresses is random. */
static u64 node_to_id(const struct rb_node *node)
{
	return rb_entry(node, struct vsplit_member, node)->object->id;
}

static int vsplit_member_cmp(const void *key, const struct rb_node *node)
{
	const struct vsplit_resid_object *object = key;

	return object->id < node_to_id(node) ? -1 : object->id > node_to_id(node);
}

static bool vsplit_member_less(struct rb_node *a, const struct rb_node *b)
{
	return node_to_id(a) < node_to_id(b);
}

/** vsplit_resid_find() - The member for an allocation, or NULL; the domain's lock is held. */
struct vsplit_member *vsplit_resid_find(const struct vsplit_resid *resid,
					const struct vsplit_resid_object *object)
{
	lockdep_assert_held(&resid->domain->lock);

	return rb_entry_safe(rb_find(object, &resid->members, vsplit_member_cmp),
			     struct vsplit_member, node);
}

static void vsplit_member_miss(struct vsplit_member *member)
{
	struct vsplit_resid *resid = member->resid;

	lockdep_assert_held(&resid->domain->lock);

	if (!vsplit_member_is_required(member) || !list_empty(&member->missing))
		return;
	list_add_tail(&member->missing, &resid->missing);
	resid->nr_missing++;
	resid->gen++;
}

static void vsplit_member_found(struct vsplit_member *member)
{
	lockdep_assert_held(&member->resid->domain->lock);

	if (list_empty(&member->missing))
		return;
	list_del_init(&member->missing);
	/* The entry that marks the position of a walk is not counted. */
	member->resid->nr_missing -= !!member->object;
}

static void vsplit_resid_use(struct vsplit_resid *resid, u32 group, s64 bytes)
{
	struct vsplit_resid_domain *domain = resid->domain;
	bool before = resid->usage[group];

	lockdep_assert_held(&domain->lock);

	resid->usage[group] += bytes;
	domain->usage[group] += bytes;
	domain->active[group] += (s32)!!resid->usage[group] - before;
	if (before != !!resid->usage[group])
		vsplit_resid_budgets_change(domain);
}

static void vsplit_member_require(struct vsplit_member *member, bool required)
{
	struct vsplit_resid_object *object = member->object;

	lockdep_assert_held(&member->resid->domain->lock);

	if (member->required == required)
		return;
	member->required = required;
	object->nr_required += required ? 1 : -1;
	/* vsplit_resid_is_tracked() looks without the lock: it must never find an empty list. */
	if (list_is_singular(&object->members))
		return;
	if (required)
		list_move(&member->by_object, &object->members);
	else
		list_move_tail(&member->by_object, &object->members);
}

/* The member's count has become nonzero (@counts), or 0. */
static void vsplit_member_counts(struct vsplit_member *member, bool counts)
{
	struct vsplit_resid *resid = member->resid;
	const struct vsplit_resid_object *object = member->object;

	vsplit_member_require(member, counts && !resid->lost);
	if (resid->lost)
		return;
	resid->nr_members += counts ? 1 : -1;
	vsplit_resid_use(resid, object->group, counts ? (s64)object->bytes : -(s64)object->bytes);
	vsplit_member_used(member, counts);
	if (vsplit_object_needs_room(object))
		vsplit_resid_need(resid, object, counts);
}

/* The member was added to the list, or will not be: its need is not reserved any more. */
static void vsplit_member_unreserve(struct vsplit_member *member)
{
	lockdep_assert_held(&member->resid->domain->lock);

	if (member->reserves && !member->resid->lost)
		vsplit_resid_need(member->resid, member->object, false);
	member->reserves = false;
}

static void vsplit_member_share(struct vsplit_member *member)
{
	lockdep_assert_held(&member->resid->domain->lock);

	if (!member->shares)
		member->object->nr_members++;
	member->shares = true;
}

static void vsplit_member_destroy(struct vsplit_member *member)
{
	lockdep_assert_held(&member->resid->domain->lock);

	if (member->shares)
		member->object->nr_members--;
	kfree(member);
}

static void vsplit_member_end(struct vsplit_member *member)
{
	struct vsplit_resid *resid = member->resid;

	lockdep_assert_held(&resid->domain->lock);

	vsplit_member_found(member);
	if (member->count)
		vsplit_member_counts(member, false);
	list_del(&member->by_object);
	rb_erase(&member->node, &resid->members);
	vsplit_member_destroy(member);
}

static bool vsplit_fence_is_pending(const struct dma_fence *fence)
{
	return fence && !test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &fence->flags);
}

/*
 * Take finished work off the list. Clients choose how many contexts a device has, so all callers
 * together look at an idle context only once, until it publishes again.
 */
static bool vsplit_work_is_done(struct vsplit_resid *resid, struct vsplit_resid_work *work)
{
	lockdep_assert_held(&resid->domain->lock);

	resid->domain->steps++;
	if (vsplit_fence_is_pending(work->fence) || vsplit_fence_is_pending(work->arrival))
		return false;
	list_del_init(&work->link);
	return true;
}

static bool vsplit_resid_is_busy(struct vsplit_resid *resid)
{
	struct vsplit_resid_work *work, *next;

	list_for_each_entry_safe(work, next, &resid->works, link)
		if (!vsplit_work_is_done(resid, work) && vsplit_fence_is_pending(work->fence))
			return true;
	return false;
}

/*
 * Is the allocation on as many lists as it may be? Members kept only for finished work end first.
 */
static bool vsplit_object_is_full(const struct vsplit_resid_object *object)
{
	struct vsplit_member *member, *next;

	if (object->nr_members < VSPLIT_MAX_SHARERS)
		return false;
	list_for_each_entry_safe(member, next, &object->members, by_object)
		if (!member->count && !vsplit_resid_is_busy(member->resid))
			vsplit_member_end(member);
	return object->nr_members >= VSPLIT_MAX_SHARERS;
}

/* ---- what mm/ calls ---- */

/*
 * Which devices require an allocation that may be evicted? @own: the device that needs room, or
 * NULL. A plan asks this for each allocation in its segments, so the cost must not depend on how
 * many devices share the allocation. A member of a lost device is found here once, and then not
 * counted any more. Return: the highest rank of its members; VSPLIT_RESID_NONE while it is offered.
 */
enum vsplit_resid_rank vsplit_resid_rank(struct vsplit_resid_domain *domain,
					 struct vsplit_resid_object *object,
					 const struct vsplit_resid *own)
{
	struct vsplit_member *member;

	if (!vsplit_resid_is_tracked(object))
		return VSPLIT_RESID_NONE;
	guard(spinlock)(&domain->lock);
	if (object->offered)
		return VSPLIT_RESID_NONE;
	member = own ? vsplit_resid_find(own, object) : NULL;
	if (member && vsplit_member_is_required(member))
		return VSPLIT_RESID_OWN;
	while (object->nr_required) {
		member = list_first_entry(&object->members, struct vsplit_member, by_object);
		domain->steps++;
		if (!member->resid->lost)
			return VSPLIT_RESID_OTHERS;
		vsplit_member_require(member, false);
	}
	return VSPLIT_RESID_NONE;
}

/*
 * Take references to the unsignalled fences of a device's work, at most @max. Return: how many
 * there are.
 * @arrival: the fences of arriving allocations instead of those of submissions.
 */
static u32 vsplit_resid_take_fences(struct vsplit_resid *resid, bool arrival,
				    struct dma_fence **fences, u32 max)
{
	struct vsplit_resid_work *work, *next;
	u32 nr = 0;

	list_for_each_entry_safe(work, next, &resid->works, link) {
		struct dma_fence *fence = arrival ? work->arrival : work->fence;

		if (vsplit_work_is_done(resid, work) || !vsplit_fence_is_pending(fence))
			continue;
		if (nr < max)
			fences[nr] = dma_fence_get(fence);
		nr++;
	}
	return nr;
}

/*
 * Call @add with a reference to each unsignalled fence of a device's work. May sleep. If the array
 * is too small for all fences, collect them again into a larger one.
 */
static int vsplit_resid_each_fence(struct vsplit_resid *resid, bool arrival,
				   int (*add)(void *priv, struct dma_fence *fence), void *priv)
{
	struct dma_fence **fences = NULL;
	u32 max = 0, nr, i;
	int ret = 0;

	for (;;) {
		scoped_guard(spinlock, &resid->domain->lock)
			nr = vsplit_resid_take_fences(resid, arrival, fences, max);
		if (nr <= max)
			break;
		while (max--)
			dma_fence_put(fences[max]);
		kvfree(fences);
		max = nr + 4;
		fences = vsplit_fault("resid.fences") ? NULL :
			 kvmalloc_array(max, sizeof(*fences), GFP_KERNEL | __GFP_NOWARN);
		if (!fences)
			return -ENOMEM;
	}
	for (i = 0; i < nr; i++) {
		if (ret)
			dma_fence_put(fences[i]);
		else
			ret = add(priv, fences[i]);
	}
	kvfree(fences);
	return ret;
}

/*
 * Take a reference to each device that has @object on its list, at most @max. A device that is
 * about to be freed has no work. Return: how many devices there are.
 */
static u32 vsplit_object_take_devices(const struct vsplit_resid_object *object,
				      struct vsplit_resid **devices, u32 max)
{
	const struct vsplit_member *member;
	u32 nr = 0;

	list_for_each_entry(member, &object->members, by_object) {
		if (nr < max && !kref_get_unless_zero(&member->resid->ref))
			continue;
		if (nr < max)
			devices[nr] = member->resid;
		nr++;
	}
	return nr;
}

/*
 * Call @add for the fences of all devices that have @object on their lists. Take one device at a
 * time, as clients choose how many devices there are, and how many contexts each has.
 */
static int vsplit_object_each_fence(struct vsplit_resid_domain *domain,
				    const struct vsplit_resid_object *object,
				    int (*add)(void *priv, struct dma_fence *fence), void *priv)
{
	struct vsplit_resid **devices = NULL;
	u32 max = 0, nr, i;
	int ret = 0;

	for (;;) {
		scoped_guard(spinlock, &domain->lock)
			nr = vsplit_object_take_devices(object, devices, max);
		if (nr <= max)
			break;
		while (max--)
			vsplit_resid_put(devices[max]);
		kvfree(devices);
		max = nr + 4;
		devices = vsplit_fault("resid.devices") ? NULL :
			  kvmalloc_array(max, sizeof(*devices), GFP_KERNEL | __GFP_NOWARN);
		if (!devices)
			return -ENOMEM;
	}
	for (i = 0; i < nr; i++) {
		ret = ret ?: vsplit_resid_each_fence(devices[i], false, add, priv);
		vsplit_resid_put(devices[i]);
		cond_resched();
	}
	kvfree(devices);
	return ret;
}

/*
 * An allocation is about to leave its place, for the device @own if not NULL. Its dma_resv is held
 * until vsplit_bo_tell_lists(), which is called even if the allocation stays in the end. @gen:
 * generation of @own from vsplit_resid_collect(), or NULL; updated, so that vsplit_resid_publish()
 * does not take this leaving for a change by others. @add: gets a reference to each fence that has
 * to signal before the allocation leaves; takes it over, also on failure. May sleep. Return: 0,
 * -ENOMEM or what @add returned.
 */
int vsplit_resid_leave(struct vsplit_resid_domain *domain, struct vsplit_resid_object *object,
		       struct vsplit_resid *own, u64 *gen,
		       int (*add)(void *priv, struct dma_fence *fence), void *priv)
{
	struct vsplit_member *member;

	if (!vsplit_resid_is_tracked(object))
		return 0;
	spin_lock(&domain->lock);
	list_for_each_entry(member, &object->members, by_object) {
		struct vsplit_resid *resid = member->resid;
		bool mine = resid == own && gen && *gen == resid->gen;

		domain->steps++;
		vsplit_member_miss(member);
		if (mine)
			*gen = resid->gen;
	}
	spin_unlock(&domain->lock);
	return vsplit_object_each_fence(domain, object, add, priv);
}

/*
 * An allocation, whose dma_resv is held, is in no usable place, nor on its way to one. If a
 * submission brings it to such a place, it tells the list of its own device (vsplit_resid_found()).
 * For other devices it stays missing until they look themselves, because they have to wait for the
 * move, too.
 */
void vsplit_resid_gone(struct vsplit_resid_domain *domain, struct vsplit_resid_object *object)
{
	struct vsplit_member *member, *next;

	if (!vsplit_resid_is_tracked(object))
		return;
	guard(spinlock)(&domain->lock);
	list_for_each_entry_safe(member, next, &object->members, by_object) {
		domain->steps++;
		if (member->count)
			vsplit_member_miss(member);
		else
			vsplit_member_end(member);
	}
}

/** vsplit_resid_waive() - No device waits for this allocation, wherever it is; dma_resv held. */
void vsplit_resid_waive(struct vsplit_resid_domain *domain, struct vsplit_resid_object *object)
{
	struct vsplit_member *member;

	if (!vsplit_resid_is_tracked(object))
		return;
	guard(spinlock)(&domain->lock);
	list_for_each_entry(member, &object->members, by_object) {
		domain->steps++;
		vsplit_member_found(member);
	}
}

/*
 * An allocation, whose dma_resv is held, is not missing any more: the device's work waits until the
 * allocation has reached a usable place.
 */
void vsplit_resid_found(struct vsplit_resid *resid, struct vsplit_resid_object *object)
{
	struct vsplit_member *member;

	if (!vsplit_resid_is_tracked(object))
		return;
	guard(spinlock)(&resid->domain->lock);
	member = vsplit_resid_find(resid, object);
	if (member)
		vsplit_member_found(member);
}

/** vsplit_resid_object_end() - An allocation is released. */
void vsplit_resid_object_end(struct vsplit_resid_domain *domain,
			     struct vsplit_resid_object *object)
{
	struct vsplit_member *member, *next;

	guard(spinlock)(&domain->lock);
	list_for_each_entry_safe(member, next, &object->members, by_object)
		vsplit_member_end(member);
	vsplit_resid_unpin_locked(domain, object);
}

/* ---- the list ---- */

/*
 * Make the list of a file that is opened. @client: DRM's id of the file. Return: a reference, or
 * NULL.
 */
struct vsplit_resid *vsplit_resid_create(struct vsplit_resid_domain *domain,
					 struct drm_device *drm, u64 client)
{
	struct vsplit_resid *resid;
	u32 i;

	resid = vsplit_fault("resid.create") ? NULL :
		kzalloc(struct_size(resid, need, BIT(domain->nr_segments)), GFP_KERNEL_ACCOUNT);
	if (!resid)
		return NULL;
	kref_init(&resid->ref);
	mutex_init(&resid->telling);
	resid->domain = domain;
	resid->drm = drm;
	resid->client = client;
	resid->members = RB_ROOT;
	resid->trim_keep = U64_MAX;
	resid->period = 1;
	for (i = 0; i < ARRAY_SIZE(resid->budget); i++)
		resid->budget[i] = U64_MAX;
	INIT_LIST_HEAD(&resid->missing);
	INIT_LIST_HEAD(&resid->works);
	INIT_LIST_HEAD(&resid->trim_link);
	INIT_LIST_HEAD(&resid->watch_link);
	guard(spinlock)(&domain->lock);
	list_add_tail(&resid->link, &domain->devices);
	return resid;
}

/** vsplit_resid_get() - Take a reference. */
struct vsplit_resid *vsplit_resid_get(struct vsplit_resid *resid)
{
	kref_get(&resid->ref);
	return resid;
}

static void vsplit_resid_release(struct kref *ref)
{
	struct vsplit_resid *resid = container_of(ref, struct vsplit_resid, ref);
	struct rb_node *node;
	u32 nr = 0;

	spin_lock(&resid->domain->lock);
	while ((node = rb_first(&resid->members))) {
		vsplit_member_end(rb_entry(node, struct vsplit_member, node));
		vsplit_breathe(&resid->domain->lock, &nr);
	}
	list_del(&resid->link);
	spin_unlock(&resid->domain->lock);
	mutex_destroy(&resid->telling);
	kfree(resid);
}

/** vsplit_resid_put() - Drop a reference; may sleep; NULL is fine. */
void vsplit_resid_put(struct vsplit_resid *resid)
{
	if (resid)
		kref_put(&resid->ref, vsplit_resid_release);
}

/*
 * The device is lost, or its file closed: it requires nothing. Unfinished work is still waited for
 * as before. The time that this takes does not depend on the length of the list: an engine that
 * finds a page fault calls it, and has other clients.
 */
void vsplit_resid_lose(struct vsplit_resid *resid)
{
	u32 i;

	guard(spinlock)(&resid->domain->lock);
	if (resid->lost)
		return;
	for (i = 0; i < VSPLIT_NUM_GROUPS; i++) {
		vsplit_resid_use(resid, i, -(s64)resid->usage[i]);
		vsplit_resid_set_reservation(resid, i, 0);
	}
	vsplit_resid_need_nothing(resid);
	resid->nr_members = 0;
	/* Missing members stay in the list of missing members, which is not read any more. */
	WRITE_ONCE(resid->lost, true);
	list_del_init(&resid->trim_link);
	resid->trim_keep = U64_MAX;
}

/* The file is closed, and no call of it uses the list any more. Drops its reference. */
void vsplit_resid_close(struct vsplit_resid *resid)
{
	vsplit_resid_lose(resid);
	vsplit_resid_disarm(resid);
	vsplit_resid_put(resid);
}

/*
 * Make a member for an allocation that is going to be added to a list. @handle: of it in the file.
 * From now on no pin can take the room that the allocation needs. vsplit_resid_short() tells
 * whether the list fits at all.
 * Return: the member, for vsplit_resid_add() or vsplit_member_free(); or ERR_PTR(): -ENOMEM;
 * -E2BIG: the allocation is on VSPLIT_MAX_SHARERS lists.
 */
struct vsplit_member *vsplit_member_create(struct vsplit_resid *resid,
					   struct vsplit_resid_object *object, u32 handle)
{
	struct vsplit_member *member, *known;

	member = vsplit_fault("resid.member") ? NULL :
		 kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);
	if (!member)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&member->missing);
	INIT_LIST_HEAD(&member->by_object);
	member->resid = resid;
	member->object = object;
	member->handle = handle;
	guard(spinlock)(&resid->domain->lock);
	known = vsplit_resid_find(resid, object);
	if (!known && vsplit_object_is_full(object)) {
		kfree(member);
		return ERR_PTR(-E2BIG);
	}
	if (!known)
		vsplit_member_share(member);
	member->reserves = !resid->lost && !(known && known->count) &&
			   vsplit_object_needs_room(object);
	if (member->reserves)
		vsplit_resid_need(resid, object, true);
	return member;
}

/** vsplit_member_free() - Free a member that was not added. NULL is fine. */
void vsplit_member_free(struct vsplit_member *member)
{
	if (!member)
		return;
	guard(spinlock)(&member->resid->domain->lock);
	vsplit_member_unreserve(member);
	vsplit_member_destroy(member);
}

/*
 * Add an allocation to the list, @count times. Takes over @member, from vsplit_member_create().
 * @resident: it is where the GPU may use it. Its dma_resv is held.
 */
void vsplit_resid_add(struct vsplit_resid *resid, struct vsplit_member *member, u32 count,
		      bool resident)
{
	struct vsplit_member *known;

	guard(spinlock)(&resid->domain->lock);
	vsplit_member_unreserve(member);
	known = vsplit_resid_find(resid, member->object);
	if (known) {
		known->handle = member->handle;
		vsplit_member_destroy(member);
		member = known;
	} else {
		/* The list may have had a member when this one was made, which has ended since. */
		vsplit_member_share(member);
		rb_add(&member->node, &resid->members, vsplit_member_less);
		list_add_tail(&member->by_object, &member->object->members);
	}
	if (!member->count)
		vsplit_member_counts(member, true);
	member->count += count;
	if (!resident)
		vsplit_member_miss(member);
}

/*
 * Take an allocation off the list, at most @count times. Return: true if the device has stopped to
 * require it.
 */
bool vsplit_resid_take(struct vsplit_resid *resid, struct vsplit_resid_object *object, u32 count)
{
	struct vsplit_member *member;
	bool gone = false;

	guard(spinlock)(&resid->domain->lock);
	member = vsplit_resid_find(resid, object);
	if (member && member->count) {
		gone = count >= member->count;
		if (gone) {
			vsplit_member_counts(member, false);
			vsplit_member_found(member);
		}
		member->count -= min(count, member->count);
		if (gone && !vsplit_resid_is_busy(resid))
			vsplit_member_end(member);
	}
	return gone;
}

/* Note that a submission names an allocation, which may be on the list of its device or not. */
void vsplit_resid_used(struct vsplit_resid *resid, struct vsplit_resid_object *object)
{
	struct vsplit_member *member;

	guard(spinlock)(&resid->domain->lock);
	member = vsplit_resid_find(resid, object);
	if (member && vsplit_member_is_required(member))
		vsplit_member_used(member, true);
}

/** vsplit_resid_count() - How often is an allocation on the list? */
u32 vsplit_resid_count(struct vsplit_resid *resid, struct vsplit_resid_object *object)
{
	const struct vsplit_member *member;

	guard(spinlock)(&resid->domain->lock);
	member = vsplit_resid_find(resid, object);
	return member ? member->count : 0;
}

/* The handle that last named an allocation on the list; 0: it is not on the list. */
u32 vsplit_resid_handle(struct vsplit_resid *resid, struct vsplit_resid_object *object)
{
	const struct vsplit_member *member;

	guard(spinlock)(&resid->domain->lock);
	member = vsplit_resid_find(resid, object);
	return member && member->count ? member->handle : 0;
}

/* ---- submissions ---- */

/** vsplit_resid_nr() - Number of missing members, or (@all) of all members. */
u32 vsplit_resid_nr(struct vsplit_resid *resid, bool all)
{
	if (READ_ONCE(resid->lost))
		return 0;
	return all ? READ_ONCE(resid->nr_members) : READ_ONCE(resid->nr_missing);
}

static int vsplit_member_is_after(const void *id, const struct rb_node *node)
{
	return *(const u64 *)id >= node_to_id(node);
}

/*
 * Visit the missing members, or (@all) all required members. @gen: out: current generation, for
 * vsplit_resid_publish(). @take: called under the lock; returns false to end the walk. The lock is
 * dropped now and then. If another member becomes missing meanwhile, a walk of the missing members
 * ends, as it might visit members twice. May sleep. Return: 0, or 1 if @take or another missing
 * member ended the walk.
 */
u32 vsplit_resid_collect(struct vsplit_resid *resid, bool all, u64 *gen,
			 bool (*take)(void *priv, struct vsplit_resid_object *object, u32 handle),
			 void *priv)
{
	/*
	 * The entry @at marks the position in the list of missing members: behind the visited ones.
	 */
	struct vsplit_member *member, at = { .resid = resid };
	struct rb_node *node;
	bool more = true;
	u64 id = 0;
	u32 nr = 0;

	spin_lock(&resid->domain->lock);
	*gen = resid->gen;
	list_add(&at.missing, &resid->missing);
	while (!all && more && resid->gen == *gen && !resid->lost &&
	       !list_is_last(&at.missing, &resid->missing)) {
		member = list_next_entry(&at, missing);
		list_move(&at.missing, &member->missing);
		/* An entry without an object is the position of another thread's walk. */
		if (member->object)
			more = take(priv, member->object, member->handle);
		vsplit_breathe(&resid->domain->lock, &nr);
	}
	while (all && more &&
	       (node = rb_find_first(&id, &resid->members, vsplit_member_is_after))) {
		member = rb_entry(node, struct vsplit_member, node);
		id = member->object->id;
		if (vsplit_member_is_required(member))
			more = take(priv, member->object, member->handle);
		vsplit_breathe(&resid->domain->lock, &nr);
	}
	vsplit_member_found(&at);
	more &= all || resid->gen == *gen;
	spin_unlock(&resid->domain->lock);
	return !more;
}

/*
 * Visit the fences of arriving allocations. @add: gets a reference that it owns. Return: 0,
 * -ENOMEM, or what @add returned.
 */
int vsplit_resid_arrivals(struct vsplit_resid *resid,
			  int (*add)(void *priv, struct dma_fence *fence), void *priv)
{
	return vsplit_resid_each_fence(resid, true, add, priv);
}

/* A NULL fence leaves the previous fence in place. */
static void vsplit_resid_install(struct vsplit_resid *resid, struct vsplit_resid_work *work,
				 struct dma_fence *fence, struct dma_fence *arrival)
{
	lockdep_assert_held(&resid->domain->lock);

	if (fence) {
		dma_fence_put(work->fence);
		work->fence = dma_fence_get(fence);
	}
	if (arrival) {
		dma_fence_put(work->arrival);
		work->arrival = dma_fence_get(arrival);
	}
	if (list_empty(&work->link))
		list_add_tail(&work->link, &resid->works);
}

/*
 * Publish a submission, unless a required allocation has left meanwhile. @gen: as of
 * vsplit_resid_collect(), and of vsplit_resid_leave() since. @work: of its context. @arrival:
 * signalled when the allocations that it brings in are there, or NULL; @arm may initialise it.
 * @arm: called under the lock; returns the fence of the submission. It does not sleep, and its time
 * does not depend on the submission. Return: false if an allocation has left; then @arm was not
 * called.
 */
bool vsplit_resid_publish(struct vsplit_resid *resid, u64 gen, struct vsplit_resid_work *work,
			  struct dma_fence *arrival, struct dma_fence *(*arm)(void *priv),
			  void *priv)
{
	guard(spinlock)(&resid->domain->lock);
	if (resid->gen != gen)
		return false;
	vsplit_resid_install(resid, work, arm(priv), arrival);
	return true;
}

/*
 * Note that MakeResident has allocations on their way. @work: of the device's paging queue.
 * @arrival: signalled when they are there. Submissions that have looked for arrivals, but are not
 * published yet, begin again.
 */
void vsplit_resid_arrive(struct vsplit_resid *resid, struct vsplit_resid_work *work,
			 struct dma_fence *arrival)
{
	guard(spinlock)(&resid->domain->lock);
	vsplit_resid_install(resid, work, NULL, arrival);
	resid->gen++;
}

/** vsplit_resid_work_end() - A context or paging queue ends; no submission of it is unfinished. */
void vsplit_resid_work_end(struct vsplit_resid *resid, struct vsplit_resid_work *work)
{
	spin_lock(&resid->domain->lock);
	list_del_init(&work->link);
	spin_unlock(&resid->domain->lock);
	dma_fence_put(work->fence);
	dma_fence_put(work->arrival);
	work->fence = NULL;
	work->arrival = NULL;
}
