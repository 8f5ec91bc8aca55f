/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _VSPLIT_USER_H_
#define _VSPLIT_USER_H_

#include <linux/types.h>

struct drm_printer;
struct vsplit_user;

/**
 * enum vsplit_user_kind - Kinds of memory that a user holds.
 * @VSPLIT_USER_WORK: memory of unfinished submissions.
 * @VSPLIT_USER_RECORDS: memory of kept records.
 * @VSPLIT_USER_PAGES: backing store, contexts, and all else that outlives single submissions.
 * @VSPLIT_USER_KINDS: number of kinds.
 */
enum vsplit_user_kind {
	VSPLIT_USER_WORK,
	VSPLIT_USER_RECORDS,
	VSPLIT_USER_PAGES,
	VSPLIT_USER_KINDS,
};

struct vsplit_user *vsplit_user_get_current(void);
struct vsplit_user *vsplit_user_get(struct vsplit_user *user);
void vsplit_user_put(struct vsplit_user *user);

int vsplit_user_charge_work(struct vsplit_user *user, s64 bytes, bool only);
int vsplit_user_charge(struct vsplit_user *user, enum vsplit_user_kind kind, u64 bytes);
void vsplit_user_charge_replaced(struct vsplit_user *user, u64 bytes);
void vsplit_user_uncharge(struct vsplit_user *user, enum vsplit_user_kind kind, u64 bytes);
void vsplit_user_show_fdinfo(struct vsplit_user *user, struct drm_printer *p);

#endif /* _VSPLIT_USER_H_ */
