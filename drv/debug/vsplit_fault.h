/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Fault sites and synchronisation points of test builds (CONFIG_DRM_VSPLIT_DEBUG):
 * they let the Nth operation that can fail do so, and hold a task at a named place, on
 * any kernel. In other builds they do nothing.
 */
#ifndef _VSPLIT_FAULT_H_
#define _VSPLIT_FAULT_H_

#include <linux/types.h>

struct dentry;

#ifdef CONFIG_DRM_VSPLIT_DEBUG

#include <linux/atomic.h>
#include <linux/llist.h>

/**
 * enum vsplit_fault_kind - What happens at a site.
 * @VSPLIT_SITE_FAIL: something fails: an allocation, a map, a copy.
 * @VSPLIT_SITE_WAIT: a wait is interrupted.
 * @VSPLIT_SITE_SYNC: tasks can be held.
 */
enum vsplit_fault_kind {
	VSPLIT_SITE_FAIL,
	VSPLIT_SITE_WAIT,
	VSPLIT_SITE_SYNC,
};

/**
 * struct vsplit_fault_site - A place at which something can be made to happen; static, one each.
 * @name: "room.what"; constant. Several places may have the same name.
 * @kind: constant.
 * @link: in the list of all sites, from its first pass on.
 * @listed: whether it is in that list.
 * @hits: passes so far.
 * @failures: passes that failed.
 * @waiting: tasks held here now.
 */
struct vsplit_fault_site {
	const char *name;
	enum vsplit_fault_kind kind;
	struct llist_node link;
	atomic_t listed;
	atomic64_t hits;
	atomic64_t failures;
	atomic_t waiting;
};

bool vsplit_fault_hit(struct vsplit_fault_site *site);
bool vsplit_interrupt_hit(struct vsplit_fault_site *site);
void vsplit_sync_hit(struct vsplit_fault_site *site);

/**
 * vsplit_fault() - Shall this allocation, map or copy fail?
 * @site: string literal, "room.what"; tells places apart.
 *
 * Any context; passes in interrupts do not count. The caller behaves as if what
 * follows had failed: ``if (vsplit_fault("mm.create")) return -ENOMEM;``
 *
 * Return: true to fail.
 */
#define vsplit_fault(site) ({						\
	static struct vsplit_fault_site __fault_site = { .name = (site) };	\
									\
	vsplit_fault_hit(&__fault_site);				\
})

/**
 * vsplit_interrupted() - Shall this interruptible wait be interrupted?
 * @site: string literal, "room.what"; tells places apart.
 *
 * Process context. If true, the task looks as if a signal had come and gone: this
 * and every further interruptible wait of the system call ends, and the kernel
 * restarts the call where its error says so. The caller behaves as if the wait
 * that follows had been interrupted:
 * ``if (vsplit_interrupted("mm.lock") || mutex_lock_interruptible(lock))``.
 *
 * Return: true to be interrupted.
 */
#define vsplit_interrupted(site) ({						\
	static struct vsplit_fault_site __fault_site = {			\
		.name = (site), .kind = VSPLIT_SITE_WAIT			\
	};									\
										\
	vsplit_interrupt_hit(&__fault_site);					\
})

/**
 * vsplit_sync_point() - Tests may hold a task here, for ten seconds at most.
 * @point: string literal, "room.what".
 *
 * Process context that may sleep.
 */
#define vsplit_sync_point(point) do {					\
	static struct vsplit_fault_site __sync_site = {			\
		.name = (point), .kind = VSPLIT_SITE_SYNC		\
	};								\
									\
	vsplit_sync_hit(&__sync_site);					\
} while (0)

#else /* !CONFIG_DRM_VSPLIT_DEBUG */

static inline bool vsplit_fault(const char *site)
{
	return false;
}

static inline bool vsplit_interrupted(const char *site)
{
	return false;
}

static inline void vsplit_sync_point(const char *point)
{
}

#endif /* CONFIG_DRM_VSPLIT_DEBUG */

/* Only in test builds. */
void vsplit_fault_init(struct dentry *root);
void vsplit_fault_fini(void);

#endif /* _VSPLIT_FAULT_H_ */
