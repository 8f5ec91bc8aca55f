// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: users
 *
 * The limits of a file (vsplit_account.c) bound nothing by themselves, because files are cheap: a
 * client may open many, or close a file with unfinished work and open the next. So the host memory
 * of all files of a user (a uid) together is bounded, too, on all adapters, whether the files are
 * still open or not:
 *
 *  work     unfinished submissions and kept records: a sixteenth of the machine's memory, but at
 *           least what two files may have.
 *  pages    backing store of allocations, and what is kept for as long, such as contexts with
 *           their tables: what TTM lets all drivers have before it swaps (ttm.pages_limit,
 *           half of the memory).
 *
 * Beyond the limit of work, a submission of a file that has unfinished work is refused. A file
 * without unfinished work is refused at twice the limit: so a client that waits for its fences
 * gets on beside another client of its user that does not wait. There is no other exception. One
 * submission is at most half of the limit, and so are all records together, so the only
 * submission of a user is always accepted. Records never make the driver refuse a submission:
 * if its record has no room, the record is not kept.
 *
 * A user exists as long as it has a file, or holds memory that is charged to it. Memory cgroups
 * count all of this independently; vsplit_ttm.c charges pages to them.
 */
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

#include <drm/drm_print.h>
#include <drm/ttm/ttm_tt.h>

#include "exec/vsplit_exec.h"
#include "debug/vsplit_fault.h"
#include "vsplit_compat.h"
#include "vsplit_user.h"

/* Protects the table, and is held when a reference count drops to 0. */
static DEFINE_SPINLOCK(vsplit_users_lock);
/* Hashed by uid, so that a client with very many uids does not slow down open() for others. */
static DEFINE_HASHTABLE(vsplit_users, 10);

/**
 * struct vsplit_user - The memory that a user holds by all of its files.
 * @ref: references of accounts, and of all else that is charged to the user.
 * @link: in vsplit_users; under vsplit_users_lock.
 * @uid: constant.
 * @lock: protects @held; taken on the signalling side too; no lock is taken inside it.
 * @held: bytes, indexed by enum vsplit_user_kind.
 */
struct vsplit_user {
	struct kref ref;
	struct hlist_node link;
	kuid_t uid;
	spinlock_t lock; /* protects @held */
	u64 held[VSPLIT_USER_KINDS];
};

static u64 vsplit_user_max_work(void)
{
	return max_t(u64, (u64)totalram_pages() << PAGE_SHIFT >> 4,
		     2 * VSPLIT_EXEC_MAX_UNFINISHED_BYTES);
}

static u64 vsplit_user_max_pages(void)
{
	return (u64)ttm_tt_pages_limit() << PAGE_SHIFT;
}

/* Returns a reference, or NULL. */
static struct vsplit_user *vsplit_user_find(kuid_t uid)
{
	struct vsplit_user *user;

	lockdep_assert_held(&vsplit_users_lock);

	hash_for_each_possible(vsplit_users, user, link, __kuid_val(uid)) {
		if (!uid_eq(user->uid, uid))
			continue;
		kref_get(&user->ref);
		return user;
	}
	return NULL;
}

/** vsplit_user_get_current() - The user of the calling task. Return: a reference, or NULL. */
struct vsplit_user *vsplit_user_get_current(void)
{
	struct vsplit_user *made __free(kfree) = NULL;
	struct vsplit_user *user;

	scoped_guard(spinlock, &vsplit_users_lock)
		user = vsplit_user_find(current_uid());
	if (user)
		return user;

	made = vsplit_fault("user.create") ? NULL : kzalloc(sizeof(*made), GFP_KERNEL_ACCOUNT);
	if (!made)
		return NULL;
	kref_init(&made->ref);
	spin_lock_init(&made->lock);
	made->uid = current_uid();

	guard(spinlock)(&vsplit_users_lock);
	user = vsplit_user_find(made->uid);
	if (user)
		return user;
	hash_add(vsplit_users, &made->link, __kuid_val(made->uid));
	return no_free_ptr(made);
}

struct vsplit_user *vsplit_user_get(struct vsplit_user *user)
{
	kref_get(&user->ref);
	return user;
}

static void vsplit_user_release(struct kref *ref)
	__releases(&vsplit_users_lock)
{
	struct vsplit_user *user = container_of(ref, struct vsplit_user, ref);

	hash_del(&user->link);
	spin_unlock(&vsplit_users_lock);
	kfree(user);
}

/** vsplit_user_put() - Drop a reference, or do nothing for NULL. Not in interrupts. */
void vsplit_user_put(struct vsplit_user *user)
{
	if (user)
		kref_put_lock(&user->ref, vsplit_user_release, &vsplit_users_lock);
}

/*
 * A submission is going to hold more memory, or less: the difference is @bytes. @only: the file has
 * no other unfinished submission. Return: 0, or -ENOBUFS and nothing was charged.
 */
int vsplit_user_charge_work(struct vsplit_user *user, s64 bytes, bool only)
{
	u64 limit = vsplit_user_max_work() * (only ? 2 : 1);
	u64 *held = user->held;

	guard(spinlock)(&user->lock);
	if (bytes > 0 && held[VSPLIT_USER_WORK] + held[VSPLIT_USER_RECORDS] + bytes > limit)
		return -ENOBUFS;
	held[VSPLIT_USER_WORK] += bytes;
	return 0;
}

/*
 * Charge a record that is about to be kept, or pages. @user: of the submission's file, or of the
 * caller. Return: 0, or -ENOMEM and nothing was charged.
 */
int vsplit_user_charge(struct vsplit_user *user, enum vsplit_user_kind kind, u64 bytes)
{
	u64 limit = kind == VSPLIT_USER_RECORDS ? vsplit_user_max_work() / 2 :
						  vsplit_user_max_pages();

	guard(spinlock)(&user->lock);
	if (bytes > limit || user->held[kind] > limit - bytes)
		return -ENOMEM;
	user->held[kind] += bytes;
	return 0;
}

/*
 * Charge memory that replaces larger memory, without a limit. The caller frees the larger memory
 * soon. Until then the user may hold more than its limit.
 */
void vsplit_user_charge_replaced(struct vsplit_user *user, u64 bytes)
{
	scoped_guard(spinlock, &user->lock)
		user->held[VSPLIT_USER_PAGES] += bytes;
}

/** vsplit_user_uncharge() - Take back a charge. Signalling side too. */
void vsplit_user_uncharge(struct vsplit_user *user, enum vsplit_user_kind kind, u64 bytes)
{
	scoped_guard(spinlock, &user->lock)
		user->held[kind] -= bytes;
}

void vsplit_user_show_fdinfo(struct vsplit_user *user, struct drm_printer *p)
{
	u64 work, pages;

	scoped_guard(spinlock, &user->lock) {
		work = user->held[VSPLIT_USER_WORK] + user->held[VSPLIT_USER_RECORDS];
		pages = user->held[VSPLIT_USER_PAGES];
	}
	drm_printf(p, "vsplit-user-work-memory:\t%llu KiB\n", work >> 10);
	drm_printf(p, "vsplit-user-work-limit:\t%llu KiB\n", vsplit_user_max_work() >> 10);
	drm_printf(p, "vsplit-user-allocations:\t%llu KiB\n", pages >> 10);
	drm_printf(p, "vsplit-user-allocations-limit:\t%llu KiB\n", vsplit_user_max_pages() >> 10);
}
