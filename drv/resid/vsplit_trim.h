/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Internal to drv/resid/: what the lists, trims and budgets, and room share. */
#ifndef _VSPLIT_TRIM_H_
#define _VSPLIT_TRIM_H_

#include "resid/vsplit_resid.h"
#include "vsplit_compat.h"
#include "vsplit_device.h"

static inline bool vsplit_member_is_required(const struct vsplit_member *member)
{
	return member->count && !member->resid->lost;
}

/* A pinned allocation has its room already, and an offered one needs none. */
static inline bool vsplit_object_needs_room(const struct vsplit_resid_object *object)
{
	return !object->pinned && !object->offered;
}

struct vsplit_member *vsplit_resid_find(const struct vsplit_resid *resid,
					const struct vsplit_resid_object *object);
void vsplit_resid_budgets_change(struct vsplit_resid_domain *domain);
void vsplit_resid_set_reservation(struct vsplit_resid *resid, u32 group, u64 bytes);
void vsplit_resid_disarm(struct vsplit_resid *resid);
void vsplit_member_used(struct vsplit_member *member, bool used);
void vsplit_resid_need(struct vsplit_resid *resid, const struct vsplit_resid_object *object,
		       bool more);
void vsplit_resid_need_nothing(struct vsplit_resid *resid);
void vsplit_resid_unpin_locked(struct vsplit_resid_domain *domain,
			       struct vsplit_resid_object *object);

#endif /* _VSPLIT_TRIM_H_ */
