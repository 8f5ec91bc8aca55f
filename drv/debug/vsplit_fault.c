// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "debug/vsplit_fault.h"

#ifdef CONFIG_DRM_VSPLIT_DEBUG

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

/**
 * DOC: fault sites and synchronisation points
 *
 * The kernel's own fault injection is off in distributions, so this driver has one of its
 * own. It is compiled into test builds only, and counts like ``/proc/self/fail-nth``: a task
 * is armed with a number N, its Nth pass over any fault site fails, once, and the
 * file tells whether that has happened. Sweeping N from 1 until nothing fails any
 * more executes every error path of a call.
 *
 * Files in debugfs, in ``vsplit/fault/``, all for root only:
 *
 * ``nth``
 *	write ``N``: arm the writing task; ``PID N``: arm that task; N = 0 disarms.
 *	Reads, a line for each armed task: its pid, the passes left until the
 *	failure, and the site that failed or ``-``.
 * ``interrupt``
 *	the same for interruptible waits: the Nth one is interrupted, as if a signal
 *	had come that the task does not notice, and the system call is restarted.
 * ``sites``
 *	reads, a line for each site passed since the module was loaded: passes,
 *	failures, name, ``fail`` or ``wait``.
 * ``sync``
 *	write ``hold NAME``: tasks stop at points of that name, for ten seconds at
 *	most; ``catch NAME``: only the first task that comes stops;
 *	``release NAME``: stopped tasks go on. Reads, a line for each point: passes, tasks
 *	waiting, ``held`` or ``-``, name.
 *
 * A site is a static struct that enters a lock-free list at its first pass: no
 * section of the linker is needed. Armed tasks are few, in a table under a
 * spinlock; while none is armed a pass costs two atomic operations.
 */

#define VSPLIT_FAULT_MAX_TASKS	64
#define VSPLIT_SYNC_MAX_HELD	16
#define VSPLIT_SYNC_TIMEOUT	(10 * HZ)
#define VSPLIT_SYNC_NAME	48

/* A task whose passes count. */
struct vsplit_fault_task {
	struct pid *pid; /* reference; NULL for a free entry */
	enum vsplit_fault_kind kind; /* of the sites that count */
	u32 left; /* passes until the failure; 0 once it has failed */
	const char *site; /* where it failed, or NULL */
};

/* Points at which tasks stop. */
struct vsplit_sync_held {
	char name[VSPLIT_SYNC_NAME]; /* of the points; "" for a free entry */
	bool once; /* one task only */
	const struct task_struct *task; /* that task, once it has come; compared, never followed */
};

static LLIST_HEAD(vsplit_fault_sites);

/* protects the two tables */
static DEFINE_SPINLOCK(vsplit_fault_lock);
static struct vsplit_fault_task vsplit_fault_tasks[VSPLIT_FAULT_MAX_TASKS];
static struct vsplit_sync_held vsplit_sync_held[VSPLIT_SYNC_MAX_HELD];

/* entries of the tables in use; while there are 0, a pass takes no lock */
static atomic_t vsplit_fault_nr_tasks;
static atomic_t vsplit_sync_nr_held;

static DECLARE_WAIT_QUEUE_HEAD(vsplit_sync_wq);

static void vsplit_site_pass(struct vsplit_fault_site *site)
{
	if (!atomic_read(&site->listed) && !atomic_xchg(&site->listed, 1))
		llist_add(&site->link, &vsplit_fault_sites);
	atomic64_inc(&site->hits);
}

/** vsplit_fault_hit() - A pass over a fault site. Return: true to fail. */
bool vsplit_fault_hit(struct vsplit_fault_site *site)
{
	unsigned long flags;
	bool fail = false;
	u32 i;

	vsplit_site_pass(site);
	if (!atomic_read(&vsplit_fault_nr_tasks) || !in_task())
		return false;

	spin_lock_irqsave(&vsplit_fault_lock, flags);
	for (i = 0; i < VSPLIT_FAULT_MAX_TASKS; i++) {
		struct vsplit_fault_task *task = &vsplit_fault_tasks[i];

		if (!task->pid || task->pid != task_pid(current) || task->kind != site->kind)
			continue;
		if (task->left && !--task->left) {
			task->site = site->name;
			fail = true;
		}
		break;
	}
	spin_unlock_irqrestore(&vsplit_fault_lock, flags);

	if (fail)
		atomic64_inc(&site->failures);
	return fail;
}

/*
 * A pass over a wait that can be interrupted. Return: true to be interrupted; the kernel then takes
 * a signal for pending until it looks for one, on the way back to userspace.
 */
bool vsplit_interrupt_hit(struct vsplit_fault_site *site)
{
	if (!vsplit_fault_hit(site))
		return false;
	set_thread_flag(TIF_SIGPENDING);
	return true;
}

static struct vsplit_sync_held *vsplit_sync_find(const char *name)
{
	u32 i;

	lockdep_assert_held(&vsplit_fault_lock);
	for (i = 0; i < VSPLIT_SYNC_MAX_HELD; i++)
		if (!strcmp(vsplit_sync_held[i].name, name))
			return &vsplit_sync_held[i];
	return NULL;
}

/* Do any tasks stop at points of this name? */
static bool vsplit_sync_is_held(const char *name)
{
	bool held;

	scoped_guard(spinlock_irq, &vsplit_fault_lock)
		held = vsplit_sync_find(name);
	return held;
}

/* Does the calling task stop at points of this name? */
static bool vsplit_sync_holds_me(const char *name)
{
	struct vsplit_sync_held *held;
	bool me = false;

	spin_lock_irq(&vsplit_fault_lock);
	held = vsplit_sync_find(name);
	if (held && held->once && !held->task)
		held->task = current;
	if (held)
		me = !held->once || held->task == current;
	spin_unlock_irq(&vsplit_fault_lock);
	return me;
}

/** vsplit_sync_hit() - A pass over a synchronisation point. */
void vsplit_sync_hit(struct vsplit_fault_site *site)
{
	vsplit_site_pass(site);
	if (!atomic_read(&vsplit_sync_nr_held) || !vsplit_sync_holds_me(site->name))
		return;

	atomic_inc(&site->waiting);
	wait_event_killable_timeout(vsplit_sync_wq, !vsplit_sync_holds_me(site->name),
				    VSPLIT_SYNC_TIMEOUT);
	atomic_dec(&site->waiting);
}

/* Frees entries of tasks that are gone; returns the task's own, or a free one. */
static struct vsplit_fault_task *vsplit_fault_find(struct pid *pid, enum vsplit_fault_kind kind)
{
	struct vsplit_fault_task *found = NULL;
	u32 i;

	lockdep_assert_held(&vsplit_fault_lock);
	for (i = 0; i < VSPLIT_FAULT_MAX_TASKS; i++) {
		struct vsplit_fault_task *task = &vsplit_fault_tasks[i];

		if (task->pid == pid && task->kind == kind)
			return task;
		if (task->pid && !pid_has_task(task->pid, PIDTYPE_PID)) {
			put_pid(task->pid);
			memset(task, 0, sizeof(*task));
			atomic_dec(&vsplit_fault_nr_tasks);
		}
		if (!task->pid && !found)
			found = task;
	}
	return found;
}

static int vsplit_fault_arm(struct pid *pid, enum vsplit_fault_kind kind, u32 n)
{
	struct vsplit_fault_task *task;
	int ret = 0;

	spin_lock_irq(&vsplit_fault_lock);
	task = vsplit_fault_find(pid, kind);
	if (!task) {
		ret = n ? -ENOSPC : 0;
	} else if (n) {
		if (!task->pid) {
			task->pid = get_pid(pid);
			task->kind = kind;
			atomic_inc(&vsplit_fault_nr_tasks);
		}
		task->left = n;
		task->site = NULL;
	} else if (task->pid) {
		put_pid(task->pid);
		memset(task, 0, sizeof(*task));
		atomic_dec(&vsplit_fault_nr_tasks);
	}
	spin_unlock_irq(&vsplit_fault_lock);
	return ret;
}

static int vsplit_fault_nth_show(struct seq_file *m, void *unused)
{
	enum vsplit_fault_kind kind = (unsigned long)m->private;
	u32 i;

	spin_lock_irq(&vsplit_fault_lock);
	for (i = 0; i < VSPLIT_FAULT_MAX_TASKS; i++) {
		const struct vsplit_fault_task *task = &vsplit_fault_tasks[i];

		if (task->pid && task->kind == kind)
			seq_printf(m, "%d %u %s\n", pid_vnr(task->pid), task->left,
				   task->site ?: "-");
	}
	spin_unlock_irq(&vsplit_fault_lock);
	return 0;
}

/* Copy what a task writes to a file, as text. */
static int vsplit_fault_text(char *buf, size_t size, const char __user *ubuf, size_t count)
{
	if (count >= size)
		return -EINVAL;
	if (copy_from_user(buf, ubuf, count))
		return -EFAULT;
	buf[count] = 0;
	return 0;
}

static ssize_t vsplit_fault_nth_write(struct file *file, const char __user *ubuf,
				      size_t count, loff_t *ppos)
{
	char buf[32];
	struct pid *pid;
	int nr, ret;
	u32 n;

	ret = vsplit_fault_text(buf, sizeof(buf), ubuf, count);
	if (ret)
		return ret;

	if (sscanf(buf, "%d %u", &nr, &n) == 2)
		pid = find_get_pid(nr);
	else if (!kstrtou32(strim(buf), 0, &n))
		pid = get_pid(task_pid(current));
	else
		return -EINVAL;
	if (!pid)
		return -ESRCH;
	ret = vsplit_fault_arm(pid, (unsigned long)file_inode(file)->i_private, n);
	put_pid(pid);
	return ret ?: count;
}

DEFINE_SHOW_STORE_ATTRIBUTE(vsplit_fault_nth);

static int vsplit_fault_sites_show(struct seq_file *m, void *unused)
{
	struct vsplit_fault_site *site;

	llist_for_each_entry(site, READ_ONCE(vsplit_fault_sites.first), link)
		if (site->kind != VSPLIT_SITE_SYNC)
			seq_printf(m, "%lld %lld %s %s\n", atomic64_read(&site->hits),
				   atomic64_read(&site->failures), site->name,
				   site->kind == VSPLIT_SITE_WAIT ? "wait" : "fail");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vsplit_fault_sites);

static int vsplit_sync_show(struct seq_file *m, void *unused)
{
	struct vsplit_fault_site *site;

	llist_for_each_entry(site, READ_ONCE(vsplit_fault_sites.first), link)
		if (site->kind == VSPLIT_SITE_SYNC)
			seq_printf(m, "%lld %d %s %s\n", atomic64_read(&site->hits),
				   atomic_read(&site->waiting),
				   vsplit_sync_is_held(site->name) ? "held" : "-", site->name);
	return 0;
}

/* Let tasks stop at the points of a name: the first one if @once, else all. */
static int vsplit_sync_hold(const char *name, bool once)
{
	struct vsplit_sync_held *held;

	if (!*name)
		return -EINVAL;
	spin_lock_irq(&vsplit_fault_lock);
	held = vsplit_sync_find(name);
	if (!held) {
		held = vsplit_sync_find("");
		if (held)
			atomic_inc(&vsplit_sync_nr_held);
	}
	if (held) {
		strscpy(held->name, name);
		held->once = once;
		held->task = NULL;
	}
	spin_unlock_irq(&vsplit_fault_lock);
	return held ? 0 : -ENOSPC;
}

static int vsplit_sync_release(const char *name)
{
	struct vsplit_sync_held *held;

	if (!*name)
		return -EINVAL;
	spin_lock_irq(&vsplit_fault_lock);
	held = vsplit_sync_find(name);
	if (held) {
		memset(held, 0, sizeof(*held));
		atomic_dec(&vsplit_sync_nr_held);
	}
	spin_unlock_irq(&vsplit_fault_lock);
	wake_up_all(&vsplit_sync_wq);
	return 0;
}

static ssize_t vsplit_sync_write(struct file *file, const char __user *ubuf,
				 size_t count, loff_t *ppos)
{
	char buf[VSPLIT_SYNC_NAME + 16];
	char *name;
	int ret;

	ret = vsplit_fault_text(buf, sizeof(buf), ubuf, count);
	if (ret)
		return ret;
	name = strim(buf);
	if (str_has_prefix(name, "hold "))
		ret = vsplit_sync_hold(strim(name + 5), false);
	else if (str_has_prefix(name, "catch "))
		ret = vsplit_sync_hold(strim(name + 6), true);
	else if (str_has_prefix(name, "release "))
		ret = vsplit_sync_release(strim(name + 8));
	else
		ret = -EINVAL;
	return ret ?: count;
}

DEFINE_SHOW_STORE_ATTRIBUTE(vsplit_sync);

/** vsplit_fault_init() - Make the files in debugfs, in the module's directory; at module init. */
void vsplit_fault_init(struct dentry *root)
{
	struct dentry *dir = debugfs_create_dir("fault", root);

	debugfs_create_file("nth", 0600, dir, (void *)VSPLIT_SITE_FAIL, &vsplit_fault_nth_fops);
	debugfs_create_file("interrupt", 0600, dir, (void *)VSPLIT_SITE_WAIT,
			    &vsplit_fault_nth_fops);
	debugfs_create_file("sites", 0400, dir, NULL, &vsplit_fault_sites_fops);
	debugfs_create_file("sync", 0600, dir, NULL, &vsplit_sync_fops);
}

/** vsplit_fault_fini() - Forget armed tasks; at module exit, when the files are gone. */
void vsplit_fault_fini(void)
{
	u32 i;

	for (i = 0; i < VSPLIT_FAULT_MAX_TASKS; i++)
		put_pid(vsplit_fault_tasks[i].pid);
}

#endif /* CONFIG_DRM_VSPLIT_DEBUG */
