// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: trims and budgets
 *
 * Documentation/residency.rst, *Trims and budgets*, says which memory a device is asked to give
 * back, and why.
 *
 * A trim is a question to the device. It is *unanswered* until usage has fallen by the bytes asked
 * for. All demands of one transaction for one group are one question, which the device is told at
 * the end of the transaction (vsplit_resid_tell()). A different question asked before that replaces
 * the first one, and counts as the next trim. The device is told by a DRM event; room for the event
 * is reserved when the file is opened, and again at each query. If the device has an eventfd, the
 * eventfd is signalled as well, and needs no room.
 *
 * Budgets change with pinned bytes, and when another device begins or ceases to require anything. A
 * device that watches its budgets is told by an event of its own. A work item sends it, so the call
 * that changes a budget does not look at other devices.
 *
 * Periods. Used bytes are added up on use, once in a period, so the end of a period takes the same
 * time for each device, however long its list is. Each device has periods of its own, which end
 * when the periodic work visits the device. A periodic trim is only advice: it does not replace an
 * unanswered question of another kind, and memory that has been used meanwhile need not be given.
 *
 * A reservation is limited to a device's part of half of the bytes that are not pinned. The part is
 * computed when it matters: another device that reserves makes it smaller, so no device can deny
 * others a reservation.
 */
#include <linux/eventfd.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include "debug/vsplit_fault.h"
#include "debug/vsplit_trace.h"
#include "resid/vsplit_resid.h"
#include "resid/vsplit_trim.h"

/**
 * struct vsplit_resid_pending - An event with room in the file's queue.
 * @base: DRM's part; DRM wants it first.
 * @event: the data that the file will read: its type and length.
 * @trim: a trim event, with @event in it.
 * @budget: a budget event, with @event in it; until it is sent, with the figures when it was
 *	reserved.
 */
struct vsplit_resid_pending {
	struct drm_pending_event base;
	union {
		struct drm_event event;
		struct drm_vsplit_trim_event trim;
		struct drm_vsplit_budget_event budget;
	};
};

/* ---- figures; the lock is held ---- */

/* Bytes that the device may reserve. */
static u64 vsplit_resid_available(const struct vsplit_resid *resid, u32 group)
{
	const struct vsplit_resid_domain *domain = resid->domain;

	return div_u64(domain->capacity[group] / 2,
		       domain->reservers[group] + !resid->reservation[group]);
}

/* Bytes of its reservation that are in force. */
static u64 vsplit_resid_reserved(const struct vsplit_resid *resid, u32 group)
{
	return min(resid->reservation[group], vsplit_resid_available(resid, group));
}

/* Fill in the figures of a device, which depend on other devices. */
static void vsplit_resid_figures(const struct vsplit_resid *resid,
				 struct drm_vsplit_budget_event *figures)
{
	const struct vsplit_resid_domain *domain = resid->domain;
	u32 i;

	lockdep_assert_held(&domain->lock);

	for (i = 0; i < VSPLIT_NUM_GROUPS; i++) {
		/* The devices that require anything of the group, and this device. */
		u32 active = domain->active[i] + !resid->usage[i];

		figures->budget[i] = resid->budget[i] != U64_MAX ? resid->budget[i] :
				     div_u64(domain->capacity[i], active);
		figures->reservation[i] = vsplit_resid_reserved(resid, i);
	}
}

/* ---- trims ---- */

static void vsplit_resid_ask_locked(struct vsplit_resid *resid, u32 group, u32 reason, u64 bytes)
{
	bool more = !list_empty(&resid->trim_link) && resid->trim_reason == reason &&
		    resid->trim_group == group && reason == VSPLIT_TRIM_DEMAND;
	u64 reserved;

	lockdep_assert_held(&resid->domain->lock);

	if (more)
		bytes += resid->trim_bytes;
	if (reason == VSPLIT_TRIM_DEMAND) {
		reserved = min(resid->usage[group], vsplit_resid_reserved(resid, group));
		bytes = min(bytes, resid->usage[group] - reserved);
	}
	if (resid->lost || !bytes)
		return;
	resid->trim_bytes = bytes;
	resid->trims += !more;
	resid->trim_reason = reason;
	resid->trim_group = group;
	resid->trim_advice = false;
	resid->trim_keep = resid->usage[group] - min(resid->usage[group], resid->trim_bytes);
	if (list_empty(&resid->trim_link))
		list_add_tail(&resid->trim_link, &resid->domain->trims);
}

/** vsplit_resid_ask() - Test mode: ask for @bytes, as at the end of a period. */
void vsplit_resid_ask(struct vsplit_resid *resid, u64 bytes)
{
	scoped_guard(spinlock, &resid->domain->lock)
		vsplit_resid_ask_locked(resid, VSPLIT_GROUP_LOCAL, VSPLIT_TRIM_PERIODIC, bytes);
	vsplit_resid_tell(resid->domain);
}

/*
 * An allocation, whose dma_resv is held, leaves because another device (@own, or NULL) needs its
 * place. The caller calls vsplit_resid_tell() when no more allocations will leave.
 */
void vsplit_resid_demand(struct vsplit_resid_domain *domain, struct vsplit_resid_object *object,
			 const struct vsplit_resid *own)
{
	struct vsplit_member *member;

	if (!vsplit_resid_is_tracked(object))
		return;
	guard(spinlock)(&domain->lock);
	list_for_each_entry(member, &object->members, by_object) {
		domain->steps++;
		if (vsplit_member_is_required(member) && member->resid != own)
			vsplit_resid_ask_locked(member->resid, object->group, VSPLIT_TRIM_DEMAND,
						object->bytes);
	}
}

/* The next device that was asked for memory; a reference. */
static struct vsplit_resid *vsplit_resid_next_asked(struct vsplit_resid_domain *domain)
{
	struct vsplit_resid *resid;

	guard(spinlock)(&domain->lock);
	resid = list_first_entry_or_null(&domain->trims, struct vsplit_resid, trim_link);
	if (!resid)
		return NULL;
	list_del_init(&resid->trim_link);
	/* A closed device is not on the list, so the file still holds a reference. */
	return vsplit_resid_get(resid);
}

/* Hold no other lock: clients choose how many tasks wait for an event or eventfd. */
static void vsplit_resid_tell_one(struct vsplit_resid *resid)
{
	struct vsplit_resid_pending *pending = NULL;

	guard(mutex)(&resid->telling);
	scoped_guard(spinlock, &resid->domain->lock) {
		trace_vsplit_trim(to_vsplit_device(resid->drm), resid->client, resid->trim_bytes,
				  resid->trim_reason, resid->trim_group, resid->trims);
		swap(resid->event, pending);
		if (pending) {
			pending->trim.bytes = resid->trim_bytes;
			pending->trim.reason = resid->trim_reason;
			pending->trim.group = resid->trim_group;
			pending->trim.trims = resid->trims;
		}
	}
	vsplit_sync_point("resid.tell");
	if (pending)
		drm_send_event(resid->drm, &pending->base);
	if (resid->eventfd)
		eventfd_signal(resid->eventfd);
}

/*
 * Tell all devices that were asked for memory. May sleep: each allocation that has left may have
 * asked VSPLIT_MAX_SHARERS devices.
 */
void vsplit_resid_tell(struct vsplit_resid_domain *domain)
{
	struct vsplit_resid *resid;

	might_sleep();
	if (list_empty_careful(&domain->trims))
		return;
	while ((resid = vsplit_resid_next_asked(domain))) {
		vsplit_resid_tell_one(resid);
		vsplit_resid_put(resid);
		cond_resched();
	}
}

/* Reserve the next event, unless there is one, or the file has too many unread events. */
static int vsplit_resid_reserve_event(struct vsplit_resid *resid, struct drm_file *file,
				      bool budget)
{
	struct vsplit_resid_pending **slot = budget ? &resid->budget_event : &resid->event;
	struct vsplit_resid_pending *pending;

	if (READ_ONCE(*slot))
		return 0;
	pending = vsplit_fault("resid.event") ? NULL :
		  kzalloc(sizeof(*pending), GFP_KERNEL_ACCOUNT);
	if (!pending)
		return -ENOMEM;
	if (budget)
		WRITE_ONCE(resid->watches, true);
	pending->event.type = budget ? DRM_VSPLIT_EVENT_BUDGET : DRM_VSPLIT_EVENT_TRIM;
	pending->event.length = budget ? sizeof(pending->budget) : sizeof(pending->trim);
	if (drm_event_reserve_init(resid->drm, file, &pending->base, &pending->event)) {
		kfree(pending);
		return 0;
	}
	spin_lock(&resid->domain->lock);
	if (!*slot && !resid->lost) {
		if (budget) {
			vsplit_resid_figures(resid, &pending->budget);
			list_add_tail(&resid->watch_link, &resid->domain->watchers);
		}
		swap(*slot, pending);
	}
	spin_unlock(&resid->domain->lock);
	if (pending)
		drm_event_cancel_free(resid->drm, &pending->base);
	return 0;
}

/*
 * Make room for the next trim event, and for a budget event if any is wanted; @watch: they are from
 * now on. Return: 0 or -ENOMEM.
 */
int vsplit_resid_arm(struct vsplit_resid *resid, struct drm_file *file, bool watch)
{
	int ret = vsplit_resid_reserve_event(resid, file, false);

	return ret || !(watch || READ_ONCE(resid->watches)) ? ret :
	       vsplit_resid_reserve_event(resid, file, true);
}

/*
 * Set the eventfd that trims signal from now on: a reference, taken over, or NULL. The file is
 * open.
 */
void vsplit_resid_set_eventfd(struct vsplit_resid *resid, struct eventfd_ctx *eventfd)
{
	scoped_guard(mutex, &resid->telling)
		swap(resid->eventfd, eventfd);
	if (eventfd)
		eventfd_ctx_put(eventfd);
}

/** vsplit_resid_hang_up() - The adapter is gone: wake up tasks that wait for trims. */
void vsplit_resid_hang_up(struct vsplit_resid *resid)
{
	guard(mutex)(&resid->telling);
	if (resid->eventfd)
		eventfd_signal(resid->eventfd);
}

/** vsplit_resid_disarm() - The file is closed: it gets no more events. */
void vsplit_resid_disarm(struct vsplit_resid *resid)
{
	struct vsplit_resid_pending *pending[] = { NULL, NULL };
	u32 i;

	vsplit_resid_set_eventfd(resid, NULL);
	spin_lock(&resid->domain->lock);
	swap(resid->event, pending[0]);
	swap(resid->budget_event, pending[1]);
	list_del_init(&resid->watch_link);
	spin_unlock(&resid->domain->lock);
	for (i = 0; i < ARRAY_SIZE(pending); i++)
		if (pending[i])
			drm_event_cancel_free(resid->drm, &pending[i]->base);
}

/* ---- budgets and reservations ---- */

/*
 * Send events to devices whose budgets differ from those that they were told. A work item looks at
 * all watchers, so that the call that changed a budget need not. A device that was sent an event
 * does not watch again before its next query.
 */
static void vsplit_resid_tell_budgets(struct work_struct *work)
{
	struct vsplit_resid_domain *domain =
		container_of(work, struct vsplit_resid_domain, budgets_work);
	struct drm_vsplit_budget_event now;
	struct vsplit_resid_pending *pending;
	struct vsplit_resid *resid;
	struct drm_device *drm;
	LIST_HEAD(todo);
	u32 nr = 0;

	guard(spinlock)(&domain->lock);
	list_splice_init(&domain->watchers, &todo);
	while ((resid = list_first_entry_or_null(&todo, struct vsplit_resid, watch_link))) {
		list_move_tail(&resid->watch_link, &domain->watchers);
		pending = resid->budget_event;
		now = pending->budget;
		vsplit_resid_figures(resid, &now);
		if (memcmp(&now, &pending->budget, sizeof(now))) {
			list_del_init(&resid->watch_link);
			resid->budget_event = NULL;
			pending->budget = now;
			drm = resid->drm;
			/*
			 * As in vsplit_resid_tell_one(): clients choose how many tasks wait for the
			 * event.
			 */
			spin_unlock(&domain->lock);
			drm_send_event(drm, &pending->base);
			spin_lock(&domain->lock);
		}
		vsplit_breathe(&domain->lock, &nr);
	}
}

/** vsplit_resid_budgets_change() - Budgets may have changed; the lock is held. */
void vsplit_resid_budgets_change(struct vsplit_resid_domain *domain)
{
	lockdep_assert_held(&domain->lock);

	if (!list_empty(&domain->watchers))
		queue_work(system_dfl_wq, &domain->budgets_work);
}

/** vsplit_resid_set_capacity() - Set the bytes that are not pinned, by group; the lock is held. */
void vsplit_resid_set_capacity(struct vsplit_resid_domain *domain,
			       const u64 capacity[VSPLIT_NUM_GROUPS])
{
	lockdep_assert_held(&domain->lock);

	if (!memcmp(domain->capacity, capacity, sizeof(domain->capacity)))
		return;
	memcpy(domain->capacity, capacity, sizeof(domain->capacity));
	vsplit_resid_budgets_change(domain);
}

/* Replace the bytes of a group that a device reserves; its domain's lock is held. */
void vsplit_resid_set_reservation(struct vsplit_resid *resid, u32 group, u64 bytes)
{
	struct vsplit_resid_domain *domain = resid->domain;

	lockdep_assert_held(&domain->lock);

	if (resid->reservation[group] == bytes)
		return;
	domain->reservers[group] += (s32)!!bytes - !!resid->reservation[group];
	resid->reservation[group] = bytes;
	vsplit_resid_budgets_change(domain);
}

/*
 * Reserve bytes of a group for a device, in place of what it had reserved. @available: out: bytes
 * that it may reserve. Return: 0, -ENOSPC: more than @available, or -EIO: the device is lost.
 */
int vsplit_resid_reserve(struct vsplit_resid *resid, u32 group, u64 bytes, u64 *available)
{
	guard(spinlock)(&resid->domain->lock);
	*available = vsplit_resid_available(resid, group);
	if (resid->lost)
		return -EIO;
	if (bytes > *available)
		return -ENOSPC;
	vsplit_resid_set_reservation(resid, group, bytes);
	return 0;
}

/*
 * Test mode: set the budget of a device; U64_MAX: its share. If the device has more, it is asked to
 * give back the rest.
 */
void vsplit_resid_set_budget(struct vsplit_resid *resid, u32 group, u64 budget)
{
	spin_lock(&resid->domain->lock);
	resid->budget[group] = budget;
	vsplit_resid_budgets_change(resid->domain);
	spin_unlock(&resid->domain->lock);
	vsplit_resid_check_budget(resid);
}

/** vsplit_resid_check_budget() - Ask a device for bytes above a budget set in test mode. */
void vsplit_resid_check_budget(struct vsplit_resid *resid)
{
	u32 i;

	spin_lock(&resid->domain->lock);
	for (i = 0; i < VSPLIT_NUM_GROUPS; i++)
		if (resid->usage[i] > resid->budget[i])
			vsplit_resid_ask_locked(resid, i, VSPLIT_TRIM_BUDGET,
						resid->usage[i] - resid->budget[i]);
	spin_unlock(&resid->domain->lock);
	vsplit_resid_tell(resid->domain);
}

static u64 vsplit_resid_unanswered_locked(struct vsplit_resid *resid,
					  const u64 add[VSPLIT_NUM_GROUPS])
{
	const struct vsplit_resid_domain *domain = resid->domain;
	u32 group = resid->trim_group;
	u64 wanted = resid->usage[group] + add[group];
	bool enough = domain->usage[group] + add[group] <= domain->capacity[group];

	lockdep_assert_held(&domain->lock);

	if (resid->trim_keep == U64_MAX)
		return 0;
	if (resid->usage[group] <= resid->trim_keep ||
	    (enough && (resid->trim_reason == VSPLIT_TRIM_DEMAND || resid->trim_advice)) ||
	    (resid->trim_reason == VSPLIT_TRIM_BUDGET && wanted <= resid->budget[group])) {
		resid->trim_keep = U64_MAX;
		return 0;
	}
	return wanted - resid->trim_keep;
}

/*
 * Has a device been asked for memory that it has not given back? @add: bytes by group that it would
 * like to have in addition. Memory that was asked for because of others' demand, or because it was
 * unused, need not be given back once there is enough for all. Memory that was asked for because of
 * a budget need not be given back once usage is within the budget. Return: bytes that it would have
 * to give back, or 0.
 */
u64 vsplit_resid_unanswered(struct vsplit_resid *resid, const u64 add[VSPLIT_NUM_GROUPS])
{
	guard(spinlock)(&resid->domain->lock);
	return vsplit_resid_unanswered_locked(resid, add);
}

/* ---- periods ---- */

/* Count a required member as used in this period; or not, if it is not required any more. */
void vsplit_member_used(struct vsplit_member *member, bool used)
{
	struct vsplit_resid *resid = member->resid;
	bool before = member->used == resid->period;

	lockdep_assert_held(&resid->domain->lock);

	if (!vsplit_resid_has_periods(resid) || before == used)
		return;
	member->used = used ? resid->period : 0;
	resid->used[member->object->group] += used ? member->object->bytes :
						     -member->object->bytes;
}

/** vsplit_resid_used_all() - Count all members as used: @ever since, or in this period. */
void vsplit_resid_used_all(struct vsplit_resid *resid, bool ever)
{
	guard(spinlock)(&resid->domain->lock);
	resid->used_all = true;
	resid->used_unseen |= ever;
}

/* Ask for unused memory of the group that has more of it. */
static void vsplit_resid_next_period(struct vsplit_resid *resid)
{
	static const u64 none[VSPLIT_NUM_GROUPS];
	u64 unused[VSPLIT_NUM_GROUPS] = {};
	u32 group = 0, i;

	lockdep_assert_held(&resid->domain->lock);

	for (i = 0; i < VSPLIT_NUM_GROUPS; i++) {
		if (!resid->lost && !resid->used_all && !resid->used_unseen)
			unused[i] = resid->usage[i] - resid->used[i];
		if (unused[i] > unused[group])
			group = i;
		resid->used[i] = 0;
	}
	resid->used_all = false;
	resid->period++;
	/* An unanswered question about memory that others need has precedence. */
	if (!resid->trim_advice && vsplit_resid_unanswered_locked(resid, none))
		return;
	if (unused[group]) {
		vsplit_resid_ask_locked(resid, group, VSPLIT_TRIM_PERIODIC, unused[group]);
		resid->trim_advice = true;
	} else if (resid->trim_advice) {
		resid->trim_keep = U64_MAX;
	}
}

/*
 * A period ends: ask devices for what they have not used. Nothing happens without periods. May
 * sleep.
 */
void vsplit_resid_end_period(struct vsplit_resid_domain *domain)
{
	struct vsplit_resid *resid, *held = NULL;
	u32 nr = 0;

	if (!domain->period_ms)
		return;
	spin_lock(&domain->lock);
	list_for_each_entry(resid, &domain->devices, link) {
		vsplit_resid_next_period(resid);
		/*
		 * The lock may be dropped now; the reference keeps this device at its place in the
		 * list.
		 */
		if (++nr < VSPLIT_BREATHE || !kref_get_unless_zero(&resid->ref))
			continue;
		spin_unlock(&domain->lock);
		vsplit_resid_put(held);
		held = resid;
		nr = 0;
		vsplit_resid_tell(domain);
		cond_resched();
		spin_lock(&domain->lock);
	}
	spin_unlock(&domain->lock);
	vsplit_resid_put(held);
	vsplit_resid_tell(domain);
}

static void vsplit_resid_period_over(struct work_struct *work)
{
	struct vsplit_resid_domain *domain =
		container_of(to_delayed_work(work), struct vsplit_resid_domain, period_work);

	vsplit_resid_end_period(domain);
	vsplit_resid_start_periods(domain);
}

/** vsplit_resid_start_periods() - Start periods: the adapter was made, or has resumed. */
void vsplit_resid_start_periods(struct vsplit_resid_domain *domain)
{
	if (domain->period_ms)
		queue_delayed_work(system_dfl_wq, &domain->period_work,
				   msecs_to_jiffies(domain->period_ms));
}

/** vsplit_resid_stop_periods() - Stop periods: the adapter is suspended, or ends. May sleep. */
void vsplit_resid_stop_periods(struct vsplit_resid_domain *domain)
{
	cancel_delayed_work_sync(&domain->period_work);
}

/* ---- life ---- */

/** vsplit_resid_domain_init() - Initialise a zeroed domain. @period_ms 0: no periods. */
void vsplit_resid_domain_init(struct vsplit_resid_domain *domain, u32 period_ms)
{
	spin_lock_init(&domain->lock);
	INIT_LIST_HEAD(&domain->trims);
	INIT_LIST_HEAD(&domain->devices);
	INIT_LIST_HEAD(&domain->watchers);
	INIT_WORK(&domain->budgets_work, vsplit_resid_tell_budgets);
	domain->period_ms = period_ms;
	INIT_DELAYED_WORK(&domain->period_work, vsplit_resid_period_over);
}

/** vsplit_resid_domain_fini() - End a domain; all files are closed. */
void vsplit_resid_domain_fini(struct vsplit_resid_domain *domain)
{
	vsplit_resid_stop_periods(domain);
	cancel_work_sync(&domain->budgets_work);
}

/* ---- what is told of it ---- */

static u64 vsplit_resid_owed_locked(const struct vsplit_resid *resid)
{
	u64 usage = resid->usage[resid->trim_group];

	lockdep_assert_held(&resid->domain->lock);

	return usage > resid->trim_keep ? usage - resid->trim_keep : 0;
}

/** vsplit_resid_owed() - Bytes that a device was asked for and has not given back. */
u64 vsplit_resid_owed(struct vsplit_resid *resid)
{
	guard(spinlock)(&resid->domain->lock);
	return vsplit_resid_owed_locked(resid);
}

/** vsplit_resid_query() - Tell what a device has, may have, and was asked for. */
void vsplit_resid_query(struct vsplit_resid *resid, struct drm_vsplit_residency *args)
{
	struct drm_vsplit_budget_event now;
	u32 i;

	guard(spinlock)(&resid->domain->lock);
	args->members = resid->nr_members;
	args->trims = resid->trims;
	args->trim_bytes = vsplit_resid_owed_locked(resid);
	args->trim_reason = resid->trim_reason;
	args->trim_group = resid->trim_group;
	vsplit_resid_figures(resid, &now);
	for (i = 0; i < VSPLIT_NUM_GROUPS; i++)
		args->groups[i] = (struct drm_vsplit_group_info) {
			.budget = now.budget[i],
			.usage = resid->usage[i],
			.reservation = now.reservation[i],
			.available = vsplit_resid_available(resid, i),
		};
}

void vsplit_resid_show_fdinfo(struct vsplit_resid *resid, struct drm_printer *p)
{
	struct drm_vsplit_residency now;
	const struct drm_vsplit_group_info *local = &now.groups[VSPLIT_GROUP_LOCAL];
	const struct drm_vsplit_group_info *nonlocal = &now.groups[VSPLIT_GROUP_NONLOCAL];

	vsplit_resid_query(resid, &now);
	drm_printf(p, "vsplit-required:\t%u\n", now.members);
	drm_printf(p, "vsplit-required-missing:\t%u\n", vsplit_resid_nr(resid, false));
	drm_printf(p, "vsplit-required-local:\t%llu KiB\n", local->usage >> 10);
	drm_printf(p, "vsplit-required-nonlocal:\t%llu KiB\n", nonlocal->usage >> 10);
	drm_printf(p, "vsplit-reserved-local:\t%llu KiB\n", local->reservation >> 10);
	drm_printf(p, "vsplit-reserved-nonlocal:\t%llu KiB\n", nonlocal->reservation >> 10);
	drm_printf(p, "vsplit-trims:\t%llu\n", now.trims);
}
