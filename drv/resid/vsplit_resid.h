/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Requirement lists: which allocations each device (an open file) has made resident, and which of
 * them are missing now. This room does bookkeeping alone: it knows fences and DRM events, and no
 * other room. mm/ tells it of each allocation that leaves or arrives; exec/ asks it before it
 * publishes a submission. Overview in vsplit_resid.c.
 *
 * Lock order: a device's mutex (of exec/), dma_resv, struct vsplit_resid.telling, struct
 * vsplit_resid_domain.lock.
 */
#ifndef _VSPLIT_RESID_H_
#define _VSPLIT_RESID_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "drm/vsplit_drm.h"

struct dma_fence;
struct drm_device;
struct drm_file;
struct drm_printer;
struct eventfd_ctx;

/**
 * struct vsplit_resid_domain - What all devices of an adapter share.
 * @lock: protects every structure of this file except constant members; held for at most one walk
 *	of a list.
 * @steps: number of members, contexts and devices that were looked at because of an allocation,
 *	possibly for another client.
 * @trims: struct vsplit_resid.trim_link: devices that were asked for memory, and have not been
 *	told.
 * @usage: bytes on all lists, by group.
 * @active: number of devices with bytes of a group on their lists.
 * @capacity: bytes by group that are not pinned.
 * @reservers: number of devices that have a reservation in a group.
 * @devices: struct vsplit_resid.link: all devices.
 * @nr_segments: of the adapter; constant, as the next three members.
 * @limits: bytes that may be used in each segment.
 * @apertures: set of segments: the apertures that share @aperture_limit.
 * @aperture_limit: bytes that may be used in all @apertures together; 0: no such limit.
 * @pinned: bytes that are pinned in each segment, for life or for a while, or are about to be.
 * @needs: by set of segments: struct vsplit_resid_need.node of devices that need bytes in the set.
 * @watchers: struct vsplit_resid.watch_link: devices to be told when their budgets change.
 * @budgets_work: tells @watchers.
 * @period_ms: time between two periodic trims; 0: no periodic trims; constant.
 * @period_work: the next periodic trim.
 */
struct vsplit_resid_domain {
	spinlock_t lock; /* all lists */
	u64 steps;
	struct list_head trims;
	u64 usage[VSPLIT_NUM_GROUPS];
	u32 active[VSPLIT_NUM_GROUPS];
	u64 capacity[VSPLIT_NUM_GROUPS];
	u32 reservers[VSPLIT_NUM_GROUPS];
	struct list_head devices;
	u32 nr_segments;
	u64 limits[VSPLIT_MAX_SEGMENTS];
	u32 apertures;
	u64 aperture_limit;
	u64 pinned[VSPLIT_MAX_SEGMENTS];
	struct rb_root needs[BIT(VSPLIT_MAX_SEGMENTS)];
	struct list_head watchers;
	struct work_struct budgets_work;
	u32 period_ms;
	struct delayed_work period_work;
};

/**
 * struct vsplit_resid_object - An allocation as the lists see it; embedded in the allocation.
 * @members: struct vsplit_member.by_object; members with @required are in front.
 * @nr_members: members with @shares, with those that are not on @members yet; at most about
 *	VSPLIT_MAX_SHARERS.
 * @nr_required: members with @required.
 * @id: of the allocation, unique on the adapter; constant.
 * @bytes: size of the allocation; constant.
 * @group: enum drm_vsplit_group; constant.
 * @segments: set of segments that the allocation may be in; constant.
 * @pinned: the segment that the allocation is pinned in, as a set; or 0.
 * @offered: the allocation is offered, so it needs no place.
 *
 * Members are added with the allocation's dma_resv held, and taken off without it.
 */
struct vsplit_resid_object {
	struct list_head members;
	u32 nr_members;
	u32 nr_required;
	u64 id;
	u64 bytes;
	u32 group;
	u32 segments;
	u32 pinned;
	bool offered;
};

/**
 * struct vsplit_member - An allocation on the list of a device.
 * @node: in resid->members, by the id of @object.
 * @by_object: in object->members.
 * @missing: in resid->missing while the allocation is required and not resident, else empty.
 * @resid: the device.
 * @object: the allocation, which lives at least as long as the member.
 * @count: how often the allocation was added; 0: it is not required any more, but work that was
 *	submitted while it was may be unfinished.
 * @handle: of the allocation in the file.
 * @required: the member counts in object->nr_required: @count is not 0, and the device was not lost
 *	when this was last updated.
 * @shares: the member counts in object->nr_members; a new member does not if its device has one
 *	already.
 * @reserves: the member is not on the list yet, but counts in resid->need.
 * @used: resid->period in which the member was added, or a submission last named it.
 */
struct vsplit_member {
	struct rb_node node;
	struct list_head by_object;
	struct list_head missing;
	struct vsplit_resid *resid;
	struct vsplit_resid_object *object;
	u32 count;
	u32 handle;
	bool required;
	bool shares;
	bool reserves;
	u64 used;
};

/**
 * struct vsplit_resid_work - The unfinished work of a context, as its device sees it.
 * @link: in resid->works, or empty. The owner initialises it; vsplit_work_is_done() takes finished
 *	work off the list.
 * @fence: of the last submission; reference or NULL.
 * @arrival: signalled when the allocations that the submissions last brought in are there;
 *	reference or NULL.
 */
struct vsplit_resid_work {
	struct list_head link;
	struct dma_fence *fence;
	struct dma_fence *arrival;
};

/* The bytes that a device needs in a set of segments. */
struct vsplit_resid_need {
	struct rb_node node; /* in domain->needs, sorted by @bytes, unless they are 0 */
	/*
	 * Size of all allocations that are required, or about to be, can be in no other segment,
	 * and are neither pinned nor offered.
	 */
	u64 bytes;
};

/**
 * struct vsplit_resid - The requirement list of a device.
 * @ref: held by the file and by each context, so the list exists until all work is done.
 * @domain: constant.
 * @link: in domain->devices.
 * @members: struct vsplit_member.node.
 * @missing: struct vsplit_member.missing, and positions of walks, which have no @object; without
 *	meaning once @lost is set.
 * @nr_members: members whose count is not 0.
 * @nr_missing: members in @missing.
 * @gen: how often a required allocation left, or began to arrive.
 * @works: struct vsplit_resid_work.link.
 * @usage: bytes of all required allocations, by group.
 * @budget: budget by group, set in test mode; U64_MAX: the device's share.
 * @lost: the device is lost, or its file closed: it requires nothing.
 * @trim_link: in domain->trims, or empty.
 * @trims: how often the device was asked for memory.
 * @trim_bytes: bytes that the last trim asked for.
 * @trim_keep: bytes of @trim_group that the last trim lets the device keep; U64_MAX: no trim is
 *	unanswered.
 * @trim_reason: enum drm_vsplit_trim_reason of the last trim.
 * @trim_group: enum drm_vsplit_group of the last trim.
 * @trim_advice: the last trim asked for unused memory, which others may not need.
 * @event: reserved for the next trim; NULL: it was sent, and the client has made no query since.
 * @telling: protects @eventfd; held while the device is told of a trim. Outside of domain->lock.
 * @eventfd: signalled for each trim; reference or NULL.
 * @reservation: bytes that the device has reserved, by group; see vsplit_trim.c.
 * @watches: the client asked for budget events.
 * @watch_link: in domain->watchers while @budget_event is not NULL, else empty.
 * @budget_event: as @event, for the next time that the figures differ from those in it.
 * @drm: for the events; constant.
 * @client: DRM's id of the file, for traces; constant.
 * @period: number of the current period, from 1 on.
 * @used: bytes by group of members whose @used is @period.
 * @used_all: in this period, work was submitted that may use all members.
 * @used_unseen: members may be used at any time, without a submission.
 * @need: by set of segments; one for each subset of the domain's segments.
 */
struct vsplit_resid {
	struct kref ref;
	struct vsplit_resid_domain *domain;
	struct list_head link;
	struct rb_root members;
	struct list_head missing;
	u32 nr_members;
	u32 nr_missing;
	u64 gen;
	struct list_head works;
	u64 usage[VSPLIT_NUM_GROUPS];
	u64 budget[VSPLIT_NUM_GROUPS];
	bool lost;
	struct list_head trim_link;
	u64 trims;
	u64 trim_bytes;
	u64 trim_keep;
	u32 trim_reason;
	u32 trim_group;
	bool trim_advice;
	struct vsplit_resid_pending *event;
	struct mutex telling; /* eventfd */
	struct eventfd_ctx *eventfd;
	u64 reservation[VSPLIT_NUM_GROUPS];
	bool watches;
	struct list_head watch_link;
	struct vsplit_resid_pending *budget_event;
	struct drm_device *drm;
	u64 client;
	u64 period;
	u64 used[VSPLIT_NUM_GROUPS];
	bool used_all;
	bool used_unseen;
	struct vsplit_resid_need need[];
};

/** enum vsplit_resid_rank - Which devices require a victim: higher ranks stay longer. */
enum vsplit_resid_rank {
	/** @VSPLIT_RESID_NONE: no device requires it. */
	VSPLIT_RESID_NONE,
	/** @VSPLIT_RESID_OTHERS: only other devices require it. */
	VSPLIT_RESID_OTHERS,
	/** @VSPLIT_RESID_OWN: the device that needs room requires it: it must not be evicted. */
	VSPLIT_RESID_OWN,
};

void vsplit_resid_domain_init(struct vsplit_resid_domain *domain, u32 period_ms);
void vsplit_resid_domain_fini(struct vsplit_resid_domain *domain);
void vsplit_resid_object_init(struct vsplit_resid_object *object, u64 id, u64 bytes, u32 group,
			      u32 segments);
void vsplit_resid_start_periods(struct vsplit_resid_domain *domain);
void vsplit_resid_stop_periods(struct vsplit_resid_domain *domain);
void vsplit_resid_end_period(struct vsplit_resid_domain *domain);

/* ---- what mm/ calls ---- */

/* May a device require the allocation? Without its dma_resv held, the answer may be out of date. */
static inline bool vsplit_resid_is_tracked(const struct vsplit_resid_object *object)
{
	return !list_empty_careful(&object->members);
}

enum vsplit_resid_rank vsplit_resid_rank(struct vsplit_resid_domain *domain,
					 struct vsplit_resid_object *object,
					 const struct vsplit_resid *own);
int vsplit_resid_leave(struct vsplit_resid_domain *domain, struct vsplit_resid_object *object,
		       struct vsplit_resid *own, u64 *gen,
		       int (*add)(void *priv, struct dma_fence *fence), void *priv);
void vsplit_resid_gone(struct vsplit_resid_domain *domain, struct vsplit_resid_object *object);
void vsplit_resid_waive(struct vsplit_resid_domain *domain, struct vsplit_resid_object *object);
void vsplit_resid_found(struct vsplit_resid *resid, struct vsplit_resid_object *object);
void vsplit_resid_demand(struct vsplit_resid_domain *domain, struct vsplit_resid_object *object,
			 const struct vsplit_resid *own);
void vsplit_resid_object_end(struct vsplit_resid_domain *domain,
			     struct vsplit_resid_object *object);
int vsplit_resid_pin(struct vsplit_resid_domain *domain, struct vsplit_resid_object *object,
		     u32 segment, bool must);
u64 vsplit_resid_beside_pins(struct vsplit_resid_domain *domain, u32 set);
u32 vsplit_resid_may_pin(struct vsplit_resid_domain *domain,
			 const struct vsplit_resid_object *object);
void vsplit_resid_unpin(struct vsplit_resid_domain *domain, struct vsplit_resid_object *object);
void vsplit_resid_offer(struct vsplit_resid_domain *domain, struct vsplit_resid_object *object,
			bool offered);
void vsplit_resid_tell(struct vsplit_resid_domain *domain);
void vsplit_resid_set_capacity(struct vsplit_resid_domain *domain,
			       const u64 capacity[VSPLIT_NUM_GROUPS]);

/* ---- what exec/ calls ---- */

struct vsplit_resid *vsplit_resid_create(struct vsplit_resid_domain *domain,
					 struct drm_device *drm, u64 client);
struct vsplit_resid *vsplit_resid_get(struct vsplit_resid *resid);
void vsplit_resid_put(struct vsplit_resid *resid);
void vsplit_resid_close(struct vsplit_resid *resid);
void vsplit_resid_lose(struct vsplit_resid *resid);

struct vsplit_member *vsplit_member_create(struct vsplit_resid *resid,
					   struct vsplit_resid_object *object, u32 handle);
void vsplit_member_free(struct vsplit_member *member);
void vsplit_resid_add(struct vsplit_resid *resid, struct vsplit_member *member, u32 count,
		      bool resident);
bool vsplit_resid_take(struct vsplit_resid *resid, struct vsplit_resid_object *object, u32 count);
u32 vsplit_resid_count(struct vsplit_resid *resid, struct vsplit_resid_object *object);
u32 vsplit_resid_handle(struct vsplit_resid *resid, struct vsplit_resid_object *object);
u64 vsplit_resid_short(struct vsplit_resid *resid);

u32 vsplit_resid_nr(struct vsplit_resid *resid, bool all);
u32 vsplit_resid_collect(struct vsplit_resid *resid, bool all, u64 *gen,
			 bool (*take)(void *priv, struct vsplit_resid_object *object, u32 handle),
			 void *priv);
int vsplit_resid_arrivals(struct vsplit_resid *resid,
			  int (*add)(void *priv, struct dma_fence *fence), void *priv);

void vsplit_resid_arrive(struct vsplit_resid *resid, struct vsplit_resid_work *work,
			 struct dma_fence *arrival);
bool vsplit_resid_publish(struct vsplit_resid *resid, u64 gen, struct vsplit_resid_work *work,
			  struct dma_fence *arrival, struct dma_fence *(*arm)(void *priv),
			  void *priv);
void vsplit_resid_work_end(struct vsplit_resid *resid, struct vsplit_resid_work *work);

void vsplit_resid_used(struct vsplit_resid *resid, struct vsplit_resid_object *object);
void vsplit_resid_used_all(struct vsplit_resid *resid, bool ever);

void vsplit_resid_set_budget(struct vsplit_resid *resid, u32 group, u64 budget);
void vsplit_resid_check_budget(struct vsplit_resid *resid);
void vsplit_resid_ask(struct vsplit_resid *resid, u64 bytes);
u64 vsplit_resid_unanswered(struct vsplit_resid *resid, const u64 add[VSPLIT_NUM_GROUPS]);
u64 vsplit_resid_owed(struct vsplit_resid *resid);
int vsplit_resid_reserve(struct vsplit_resid *resid, u32 group, u64 bytes, u64 *available);
void vsplit_resid_query(struct vsplit_resid *resid, struct drm_vsplit_residency *args);
void vsplit_resid_show_fdinfo(struct vsplit_resid *resid, struct drm_printer *p);
int vsplit_resid_arm(struct vsplit_resid *resid, struct drm_file *file, bool watch);
void vsplit_resid_set_eventfd(struct vsplit_resid *resid, struct eventfd_ctx *eventfd);
void vsplit_resid_hang_up(struct vsplit_resid *resid);

/** vsplit_resid_has_periods() - Does the adapter have periods, so that use is counted? */
static inline bool vsplit_resid_has_periods(const struct vsplit_resid *resid)
{
	return resid->domain->period_ms;
}

#endif /* _VSPLIT_RESID_H_ */
