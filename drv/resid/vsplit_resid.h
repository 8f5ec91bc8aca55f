/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Requirement lists: what each device (an open file) has made resident, and what of it is
 * not there now. Bookkeeping alone: it knows fences and DRM events, and no other room.
 * mm/ tells it of each allocation that leaves or comes, exec/ asks it before it publishes
 * a submission. Overview in vsplit_resid.c.
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
 * @lock: protects every structure of this file, but what is said to be constant; held
 *	for one walk of a list at most.
 * @steps: members, contexts and devices that were looked at because of an allocation, by what need
 *	not be theirs.
 * @trims: struct vsplit_resid.trim_link: devices that were asked for memory and have not
 *	been told.
 * @usage: bytes that all lists hold, by group.
 * @active: devices whose list holds anything of a group.
 * @capacity: bytes by group that are not pinned.
 * @reservers: devices that reserve any of a group.
 * @devices: struct vsplit_resid.link: all of them.
 * @nr_segments: of the adapter; constant, as the next three.
 * @limits: bytes that a segment takes.
 * @apertures: set of segments: those whose limits have a limit in common.
 * @aperture_limit: that one; 0: none.
 * @pinned: bytes by segment that are pinned there, for life or for a while, or will be.
 * @needs: by set of segments: struct vsplit_resid_need.node of devices that need any of it.
 * @watchers: struct vsplit_resid.watch_link: to be told when their budgets change.
 * @budgets_work: tells them.
 * @period_ms: between two periodic trims; 0: there are none; constant.
 * @period_work: the next one.
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
 * struct vsplit_resid_figures - What others have a say in, by group.
 * @budget: bytes that a device should not exceed.
 * @reservation: bytes of it that it is not asked for.
 */
struct vsplit_resid_figures {
	u64 budget[VSPLIT_NUM_GROUPS];
	u64 reservation[VSPLIT_NUM_GROUPS];
};

/**
 * struct vsplit_resid_object - An allocation, as seen from here; embedded in it.
 * @members: struct vsplit_member.by_object; those that have @required in front.
 * @nr_members: that have @shares, on @members or not yet; about VSPLIT_MAX_SHARERS at most.
 * @nr_required: that have @required.
 * @id: of it, unique on the adapter; constant.
 * @bytes: of it; constant.
 * @group: enum drm_vsplit_group; constant.
 * @segments: set of segments that it may be in; constant.
 * @pinned: of these, the one that it is pinned in, or 0.
 * @offered: it need not be anywhere.
 *
 * Members are added with the allocation's dma_resv held, and taken off without.
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
 * struct vsplit_member - One (device, allocation).
 * @node: in resid->members, by the id of @object.
 * @by_object: in object->members.
 * @missing: in resid->missing while it is required and not resident, else empty.
 * @resid: the device.
 * @object: the allocation, which is alive as long as this is.
 * @count: how often it was added; 0: it is required no more, but work that was submitted
 *	when it was may not be done.
 * @handle: of the allocation in the file.
 * @required: it counts in object->nr_required: @count is not 0, and when it was looked at last the
 *	device was not lost.
 * @shares: it counts in object->nr_members; one that is about to be added to another one of its
 *	device does not.
 * @reserves: it is not on the list yet, and counts in resid->need.
 * @used: resid->period in which it was added, or a submission named it last.
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
 * @link: in resid->works, or empty, as its owner has initialised it, and as it becomes where all is
 *	found to be done.
 * @fence: of the last submission; reference or NULL.
 * @arrival: signalled when what its submissions brought in last is there; likewise.
 */
struct vsplit_resid_work {
	struct list_head link;
	struct dma_fence *fence;
	struct dma_fence *arrival;
};

/**
 * struct vsplit_resid_need - What a device needs in a set of segments.
 * @node: in domain->needs, by @bytes, unless these are 0.
 * @bytes: required, or about to be, that can be in no other segment, and that are neither
 *	pinned nor offered.
 */
struct vsplit_resid_need {
	struct rb_node node;
	u64 bytes;
};

/**
 * struct vsplit_resid - The requirement list of a device.
 * @ref: held by the file and by each context, so it is there until all work is done.
 * @domain: constant.
 * @link: in domain->devices.
 * @members: struct vsplit_member.node.
 * @missing: struct vsplit_member.missing; also of walks, which have no @object; of no meaning once
 *	@lost.
 * @nr_members: members whose count is not 0.
 * @nr_missing: members in @missing.
 * @gen: how often something that is required left, or began to arrive.
 * @works: struct vsplit_resid_work.link.
 * @usage: bytes required, by group.
 * @budget: that test mode has set, by group; U64_MAX: its share.
 * @lost: the device is: it requires nothing.
 * @trim_link: in domain->trims, or empty.
 * @trims: how often it was asked for memory.
 * @trim_bytes: what it was asked for the last time, or is being asked for.
 * @trim_keep: what it may keep of @trim_group after that; U64_MAX: nothing is asked.
 * @trim_reason: enum drm_vsplit_trim_reason of the last time.
 * @trim_group: enum drm_vsplit_group of the last time.
 * @trim_advice: it was asked for what it did not use, which others need not need.
 * @event: reserved, for the next time; NULL: the last one was sent, and nothing asked since.
 * @telling: protects @eventfd; held while the device is told of a trim. Outside of domain->lock.
 * @eventfd: signalled each time; reference or NULL.
 * @reservation: bytes that it has reserved, by group; see vsplit_trim.c.
 * @watches: it was asked to tell of changed budgets.
 * @watch_link: in domain->watchers while @budget_event is there, else empty.
 * @budget_event: as @event, for the next change of @told.
 * @told: the figures when it was asked for the last time.
 * @drm: for the events; constant.
 * @client: DRM's id of the file, for traces; constant.
 * @period: the number of this period, from 1 on.
 * @used: bytes by group of members whose @used is @period.
 * @used_all: in this period something was submitted that may use all of them.
 * @used_unseen: members may be used at any time, without a submission.
 * @need: by set of segments, as many as domain->nr_segments make.
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
	struct vsplit_resid_figures told;
	struct drm_device *drm;
	u64 client;
	u64 period;
	u64 used[VSPLIT_NUM_GROUPS];
	bool used_all;
	bool used_unseen;
	struct vsplit_resid_need need[];
};

/** enum vsplit_resid_rank - Whose an allocation is, as a victim: higher ones stay longer. */
enum vsplit_resid_rank {
	/** @VSPLIT_RESID_NONE: no device requires it. */
	VSPLIT_RESID_NONE,
	/** @VSPLIT_RESID_OTHERS: others require it. */
	VSPLIT_RESID_OTHERS,
	/** @VSPLIT_RESID_OWN: the device that asks requires it: not to be evicted for it. */
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

/** vsplit_resid_is_tracked() - May a device require it? Its dma_resv is held. */
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

/** vsplit_resid_has_periods() - Does it matter what a device uses? */
static inline bool vsplit_resid_has_periods(const struct vsplit_resid *resid)
{
	return resid->domain->period_ms;
}

#endif /* _VSPLIT_RESID_H_ */
