// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: monitored fences
 *
 * A monitored fence (EXT-48) is a 64-bit value that only grows, in a page that the client maps
 * read-only. Documentation/residency.rst, *Monitored fences*, says why it never becomes a
 * dma_fence, a sync_file or a point of a syncobj. So only four things wait for one: a task that can
 * be interrupted, an eventfd, a submission that nothing knows of yet (exec/vsplit_park.c), and a
 * hardware queue, which leaves its engine meanwhile (exec/vsplit_hwq.c).
 *
 * Files share a monitored fence by a descriptor. One file exports it, and others import it, on any
 * adapter. They share one value, and each file has a fence of its own (struct vsplit_mfence).
 * Raising the value wakes up the waiters of all files, so the number of files that share one is
 * limited.
 *
 * The fence of a file ends when its handle is closed, its file is closed, or the adapter is gone.
 * Then its waiters in this file get an error. Waiters in other files go on waiting, because those
 * files can still raise the value. Handles are allocated cyclically, so that a late packet finds no
 * fence rather than the wrong one.
 *
 * The kernel keeps the value itself; the page shows a copy.
 */
#include <linux/anon_inodes.h>
#include <linux/completion.h>
#include <linux/eventfd.h>
#include <linux/file.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/rbtree.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <drm/drm_utils.h>

#include "fence/vsplit_mfence.h"
#include "debug/vsplit_fault.h"
#include "vsplit_compat.h"
#include "vsplit_device.h"
#include "vsplit_user.h"

/* Signals eventfds after an engine has raised a value, or a task that was killed. */
static struct workqueue_struct *vsplit_mfence_wq;

/**
 * struct vsplit_mfences - The fences of a file.
 * @ref: held by the file, and by contexts whose packets name fences.
 * @user: charged for the pages; reference, constant.
 * @fences: the fences by handle; has its own lock.
 * @next: where the search for a free handle begins; under the lock of @fences.
 * @nr: number of fences with a handle.
 * @nr_events: number of eventfds that wait.
 */
struct vsplit_mfences {
	struct kref ref;
	struct vsplit_user *user;
	struct xarray fences;
	u32 next;
	atomic_t nr;
	atomic_t nr_events;
};

/**
 * struct vsplit_mfence_value - What the fences of several files share.
 * @ref: held by each of the fences, and by exported descriptors.
 * @user: of the file that made the value, charged for the page; reference, constant.
 * @page: shows the value to clients; constant.
 * @shown: the value in @page; written under @lock.
 * @value: the value; under @lock.
 * @lock: protects this and all of the fences; on the signalling side.
 * @waiters: struct vsplit_mfence_waiter.node of all fences, sorted by value; under @lock.
 * @nr_fences: number of fences, at most VSPLIT_MAX_FENCE_SHARES; under @lock.
 * @events: struct vsplit_mfence_event.link: eventfds whose wait is over, to be signalled; under
 *	@lock.
 * @send: signals @events; queued with a reference.
 */
struct vsplit_mfence_value {
	struct kref ref;
	struct vsplit_user *user;
	struct page *page;
	u64 *shown;
	u64 value;
	spinlock_t lock; /* value, fences */
	struct rb_root waiters;
	u32 nr_fences;
	struct list_head events;
	struct work_struct send;
};

/**
 * struct vsplit_mfence - A monitored fence as one file has it.
 * @ref: held by the table, mappings, calls, parked submissions and hardware queues. An eventfd that
 *	waits holds none: its wait ends before the table drops the fence.
 * @of: its value; reference, constant.
 * @error: negative if the fence has ended; else 0; under the value's lock.
 * @waiters: struct vsplit_mfence_waiter.link: what waits in this file; under the value's lock.
 */
struct vsplit_mfence {
	struct kref ref;
	struct vsplit_mfence_value *of;
	int error;
	struct list_head waiters;
};

/* A task that waits; on the task's stack. */
struct vsplit_mfence_task {
	struct vsplit_mfence_waiter waiter;
	struct completion over; /* completed when the wait is over */
	int error; /* that the waiter's function got */
};

/* An eventfd that waits. */
struct vsplit_mfence_event {
	struct vsplit_mfence_waiter waiter;
	struct list_head link; /* in @of->events when the wait is over */
	struct vsplit_mfence_value *of; /* constant */
	struct vsplit_mfences *fences; /* counts the event; reference */
	struct eventfd_ctx *eventfd; /* reference */
};

static void vsplit_mfence_value_release(struct kref *ref)
{
	struct vsplit_mfence_value *of = container_of(ref, struct vsplit_mfence_value, ref);

	__free_page(of->page);
	vsplit_user_uncharge(of->user, VSPLIT_USER_PAGES, PAGE_SIZE);
	vsplit_user_put(of->user);
	kfree(of);
}

static void vsplit_mfence_value_put(struct vsplit_mfence_value *of)
{
	kref_put(&of->ref, vsplit_mfence_value_release);
}

static void vsplit_mfence_release(struct kref *ref)
{
	struct vsplit_mfence *fence = container_of(ref, struct vsplit_mfence, ref);
	struct vsplit_mfence_value *of = fence->of;

	scoped_guard(spinlock, &of->lock)
		of->nr_fences--;
	kfree(fence);
	vsplit_mfence_value_put(of);
}

/** vsplit_mfence_put() - Drop a reference. */
void vsplit_mfence_put(struct vsplit_mfence *fence)
{
	kref_put(&fence->ref, vsplit_mfence_release);
}

DEFINE_FREE(vsplit_mfence, struct vsplit_mfence *, _T ? vsplit_mfence_put(_T) : (void)0)

/* ---- tables ---- */

/** vsplit_mfences_create() - Make an empty table for a file. Return: a reference, or NULL. */
struct vsplit_mfences *vsplit_mfences_create(struct vsplit_user *user)
{
	struct vsplit_mfences *fences;

	fences = vsplit_fault("fence.table") ? NULL : kzalloc(sizeof(*fences), GFP_KERNEL_ACCOUNT);
	if (!fences)
		return NULL;
	kref_init(&fences->ref);
	fences->user = vsplit_user_get(user);
	xa_init_flags(&fences->fences, XA_FLAGS_ALLOC1);
	return fences;
}

/** vsplit_mfences_get() - Take a reference. */
struct vsplit_mfences *vsplit_mfences_get(struct vsplit_mfences *fences)
{
	kref_get(&fences->ref);
	return fences;
}

static void vsplit_mfences_release(struct kref *ref)
{
	struct vsplit_mfences *fences = container_of(ref, struct vsplit_mfences, ref);
	struct vsplit_mfence *fence;
	unsigned long handle;

	xa_for_each(&fences->fences, handle, fence)
		vsplit_mfence_put(fence);
	xa_destroy(&fences->fences);
	vsplit_user_put(fences->user);
	kfree(fences);
}

/*
 * Drop a reference; vsplit_mfences_end() was called before the file's reference goes. NULL is fine.
 */
void vsplit_mfences_put(struct vsplit_mfences *fences)
{
	if (fences)
		kref_put(&fences->ref, vsplit_mfences_release);
}

/** vsplit_mfences_show_fdinfo() - Print the number of fences to fdinfo. */
void vsplit_mfences_show_fdinfo(struct vsplit_mfences *fences, struct drm_printer *p)
{
	drm_printf(p, "vsplit-fences:\t%d\n", atomic_read(&fences->nr));
}

/* ---- fences ---- */

/** vsplit_mfence_lookup() - Find a file's fence by handle. Return: a reference, or NULL. */
struct vsplit_mfence *vsplit_mfence_lookup(struct vsplit_mfences *fences, u32 handle)
{
	struct vsplit_mfence *fence;

	xa_lock(&fences->fences);
	fence = xa_load(&fences->fences, handle);
	if (fence)
		kref_get(&fence->ref);
	xa_unlock(&fences->fences);
	return fence;
}

static struct vsplit_mfence_waiter *to_waiter(const struct rb_node *node)
{
	return rb_entry(node, struct vsplit_mfence_waiter, node);
}

static bool vsplit_mfence_waiter_less(struct rb_node *a, const struct rb_node *b)
{
	return to_waiter(a)->value < to_waiter(b)->value;
}

static void vsplit_mfence_forget(struct vsplit_mfence_value *of,
				 struct vsplit_mfence_waiter *waiter)
{
	rb_erase(&waiter->node, &of->waiters);
	list_del_init(&waiter->link);
}

/*
 * Tell a waiter that its value is reached, or the @error of its fence. The lock is dropped now and
 * then, because clients choose how many waiters there are. So the caller holds a reference. May
 * sleep.
 */
static void vsplit_mfence_tell(struct vsplit_mfence_value *of, struct vsplit_mfence_waiter *waiter,
			       int error, u32 *nr)
	__must_hold(&of->lock)
{
	lockdep_assert_held(&of->lock);

	vsplit_mfence_forget(of, waiter);
	waiter->func(waiter, waiter->value <= of->value ? 0 : error);
	vsplit_breathe(&of->lock, nr);
}

/* Tell all that waits, in any file, for @value or less. The value is @value now, or larger. */
static void vsplit_mfence_reached(struct vsplit_mfence_value *of, u64 value)
	__must_hold(&of->lock)
{
	struct rb_node *node;
	u32 nr = 0;

	while ((node = rb_first(&of->waiters)) && to_waiter(node)->value <= value)
		vsplit_mfence_tell(of, to_waiter(node), 0, &nr);
}

/* Free an event that does not wait any more. */
static void vsplit_mfence_event_free(struct vsplit_mfence_event *event)
{
	atomic_dec(&event->fences->nr_events);
	vsplit_mfences_put(event->fences);
	eventfd_ctx_put(event->eventfd);
	kfree(event);
}

static struct vsplit_mfence_event *vsplit_mfence_next_event(struct vsplit_mfence_value *of)
{
	struct vsplit_mfence_event *event;

	guard(spinlock)(&of->lock);
	event = list_first_entry_or_null(&of->events, struct vsplit_mfence_event, link);
	if (event)
		list_del(&event->link);
	return event;
}

/* Leave eventfds to the work item; the caller holds a reference. */
static void vsplit_mfence_send_later(struct vsplit_mfence_value *of)
{
	kref_get(&of->ref);
	if (!queue_work(vsplit_mfence_wq, &of->send))
		vsplit_mfence_value_put(of);
}

/*
 * Signal without a lock: clients choose how many tasks wait for an eventfd. Other files that share
 * the value may add eventfds meanwhile, so a call signals at most as many as one file may have, and
 * a killed task none any more; the work item signals the rest. May sleep.
 */
static void vsplit_mfence_send(struct vsplit_mfence_value *of)
{
	u32 left = VSPLIT_MAX_FENCE_EVENTS;
	struct vsplit_mfence_event *event;

	while ((event = vsplit_mfence_next_event(of))) {
		vsplit_sync_point("fence.send");
		eventfd_signal(event->eventfd);
		vsplit_mfence_event_free(event);
		cond_resched();
		if (!--left || fatal_signal_pending(current)) {
			vsplit_mfence_send_later(of);
			return;
		}
	}
}

static void vsplit_mfence_send_work(struct work_struct *work)
{
	struct vsplit_mfence_value *of = container_of(work, struct vsplit_mfence_value, send);

	vsplit_mfence_send(of);
	vsplit_mfence_value_put(of);
}

/*
 * Raise a value; if @value is not larger than the current one, nothing changes. @engine: called by
 * an engine, which has other clients: eventfds are signalled a little later.
 */
void vsplit_mfence_signal(struct vsplit_mfence *fence, u64 value, bool engine)
{
	struct vsplit_mfence_value *of = fence->of;
	bool events;

	spin_lock(&of->lock);
	if (value > of->value) {
		of->value = value;
		/*
		 * A client that loads the new value also sees everything that was written before.
		 */
		smp_store_release(of->shown, value);
		vsplit_mfence_reached(of, value);
	}
	events = !list_empty(&of->events);
	spin_unlock(&of->lock);
	if (!engine)
		vsplit_mfence_send(of);
	else if (events)
		vsplit_mfence_send_later(of);
}

static void vsplit_mfence_end(struct vsplit_mfence *fence, int error)
{
	struct vsplit_mfence_value *of = fence->of;
	struct vsplit_mfence_waiter *waiter;
	u32 nr = 0;

	spin_lock(&of->lock);
	if (!fence->error)
		fence->error = error;
	while ((waiter = list_first_entry_or_null(&fence->waiters, struct vsplit_mfence_waiter,
						  link)))
		vsplit_mfence_tell(of, waiter, fence->error, &nr);
	spin_unlock(&of->lock);
	vsplit_mfence_send(of);
}

/*
 * End the fences of a file that is closed, or whose adapter is gone; nothing waits for them in this
 * file any more. @error: of all waits; negative.
 */
void vsplit_mfences_end(struct vsplit_mfences *fences, int error)
{
	struct vsplit_mfence *fence;
	unsigned long handle;

	xa_for_each(&fences->fences, handle, fence) {
		fence = vsplit_mfence_lookup(fences, handle);
		if (!fence)
			continue;
		vsplit_mfence_end(fence, error);
		vsplit_mfence_put(fence);
	}
}

/*
 * Call a waiter's function when a value is reached. The fence exists until then, or until
 * vsplit_mfence_unwait(). @waiter: its value and function are set. Return: -EINPROGRESS: the
 * function will be called. Otherwise it is not called; 0: the value is reached; -ECANCELED,
 * -ENODEV: the fence has ended.
 */
int vsplit_mfence_wait(struct vsplit_mfence *fence, struct vsplit_mfence_waiter *waiter)
{
	INIT_LIST_HEAD(&waiter->link);
	guard(spinlock)(&fence->of->lock);
	if (waiter->value <= fence->of->value)
		return 0;
	if (fence->error)
		return fence->error;
	rb_add(&waiter->node, &fence->of->waiters, vsplit_mfence_waiter_less);
	list_add_tail(&waiter->link, &fence->waiters);
	return -EINPROGRESS;
}

/* End a wait; the waiter's function does not run after this returns. It may have been called. */
void vsplit_mfence_unwait(struct vsplit_mfence *fence, struct vsplit_mfence_waiter *waiter)
{
	guard(spinlock)(&fence->of->lock);
	if (!list_empty(&waiter->link))
		vsplit_mfence_forget(fence->of, waiter);
}

/* ---- mappings ---- */

static void vsplit_mfence_vm_open(struct vm_area_struct *vma)
{
	struct vsplit_mfence *fence = vma->vm_private_data;

	kref_get(&fence->ref);
}

static void vsplit_mfence_vm_close(struct vm_area_struct *vma)
{
	vsplit_mfence_put(vma->vm_private_data);
}

static vm_fault_t vsplit_mfence_vm_fault(struct vm_fault *vmf)
{
	struct vsplit_mfence *fence = vmf->vma->vm_private_data;

	get_page(fence->of->page);
	vmf->page = fence->of->page;
	return 0;
}

static const struct vm_operations_struct vsplit_mfence_vm_ops = {
	.open = vsplit_mfence_vm_open,
	.close = vsplit_mfence_vm_close,
	.fault = vsplit_mfence_vm_fault,
};

/*
 * Map the page of the fence whose handle the offset has, behind VSPLIT_MFENCE_PGOFF. The mapping
 * stays read-only, even after mprotect().
 * Return: 0; -EINVAL: not one page, or no handle has this offset; -EACCES: the mapping is writable;
 * -ENOENT: there is no such fence.
 */
int vsplit_mfences_mmap(struct vsplit_mfences *fences, struct vm_area_struct *vma)
{
	unsigned long handle = vma->vm_pgoff - VSPLIT_MFENCE_PGOFF;
	struct vsplit_mfence *fence;

	if (vma->vm_end - vma->vm_start != PAGE_SIZE || handle > U32_MAX)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	fence = vsplit_mfence_lookup(fences, handle);
	if (!fence)
		return -ENOENT;
	vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);
	vma->vm_ops = &vsplit_mfence_vm_ops;
	vma->vm_private_data = fence;
	return 0;
}

/* ---- ioctls ---- */

/* Make a value without fences; a reference, or NULL. */
static struct vsplit_mfence_value *vsplit_mfence_value_create(struct vsplit_user *user, u64 value)
{
	struct vsplit_mfence_value *of __free(kfree) = NULL;

	of = vsplit_fault("fence.value") ? NULL : kzalloc(sizeof(*of), GFP_KERNEL_ACCOUNT);
	if (!of || vsplit_user_charge(user, VSPLIT_USER_PAGES, PAGE_SIZE))
		return NULL;
	of->page = vsplit_fault("fence.page") ? NULL :
		   alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!of->page) {
		vsplit_user_uncharge(user, VSPLIT_USER_PAGES, PAGE_SIZE);
		return NULL;
	}
	kref_init(&of->ref);
	of->user = vsplit_user_get(user);
	of->shown = page_address(of->page);
	*of->shown = value;
	of->value = value;
	spin_lock_init(&of->lock);
	of->waiters = RB_ROOT;
	INIT_LIST_HEAD(&of->events);
	INIT_WORK(&of->send, vsplit_mfence_send_work);
	return no_free_ptr(of);
}

/* Make a fence with a value. ERR_PTR(): -ENOSPC: the value has too many fences; -ENOMEM. */
static struct vsplit_mfence *vsplit_mfence_create(struct vsplit_mfence_value *of)
{
	struct vsplit_mfence *fence;
	bool room;

	fence = vsplit_fault("fence.create") ? NULL : kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);
	if (!fence)
		return ERR_PTR(-ENOMEM);
	kref_init(&fence->ref);
	fence->of = of;
	INIT_LIST_HEAD(&fence->waiters);
	spin_lock(&of->lock);
	room = of->nr_fences < VSPLIT_MAX_FENCE_SHARES;
	if (room) {
		of->nr_fences++;
		kref_get(&of->ref);
	}
	spin_unlock(&of->lock);
	if (room)
		return fence;
	kfree(fence);
	return ERR_PTR(-ENOSPC);
}

/* Give a file a fence with a value: its handle, and the offset to map its page. */
static int vsplit_mfences_add(struct vsplit_mfences *fences, struct vsplit_mfence_value *of,
			      u32 *handle, u64 *offset)
{
	struct vsplit_mfence *fence;
	int ret;

	if (!atomic_add_unless(&fences->nr, 1, VSPLIT_MAX_FILE_FENCES))
		return -ENOSPC;
	fence = vsplit_mfence_create(of);
	ret = PTR_ERR_OR_ZERO(fence);
	if (!ret) {
		ret = xa_alloc_cyclic(&fences->fences, handle, fence, XA_LIMIT(1, INT_MAX),
				      &fences->next, GFP_KERNEL_ACCOUNT);
		if (ret < 0)
			vsplit_mfence_put(fence);
	}
	if (ret < 0) {
		atomic_dec(&fences->nr);
		return ret;
	}
	*offset = ((u64)VSPLIT_MFENCE_PGOFF + *handle) << PAGE_SHIFT;
	return 0;
}

/** vsplit_fence_create_ioctl() - DRM_IOCTL_VSPLIT_FENCE_CREATE. */
int vsplit_fence_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_mfences *fences = vsplit_file_mfences(file);
	struct drm_vsplit_fence_create *args = data;
	struct vsplit_mfence_value *of;
	int ret;

	if (vsplit_refuse(to_vsplit_device(drm), args->flags))
		return -EINVAL;
	of = vsplit_mfence_value_create(fences->user, args->value);
	if (!of)
		return -ENOMEM;
	ret = vsplit_mfences_add(fences, of, &args->handle, &args->offset);
	vsplit_mfence_value_put(of);
	return ret;
}

static int vsplit_mfence_file_release(struct inode *inode, struct file *file)
{
	vsplit_mfence_value_put(file->private_data);
	return 0;
}

/* File operations of exported descriptors; an open descriptor keeps the module. */
static const struct file_operations vsplit_mfence_fops = {
	.owner = THIS_MODULE,
	.release = vsplit_mfence_file_release,
};

/** vsplit_fence_export_ioctl() - DRM_IOCTL_VSPLIT_FENCE_EXPORT. */
int vsplit_fence_export_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_mfence *fence __free(vsplit_mfence) = NULL;
	struct drm_vsplit_fence_export *args = data;
	struct vsplit_mfence_value *of;
	int fd;

	fence = vsplit_mfence_lookup(vsplit_file_mfences(file), args->handle);
	if (!fence)
		return -ENOENT;
	of = fence->of;
	kref_get(&of->ref);
	fd = vsplit_fault("fence.export") ? -ENOMEM :
	     anon_inode_getfd("[vsplit-fence]", &vsplit_mfence_fops, of, O_CLOEXEC);
	if (fd < 0) {
		vsplit_mfence_value_put(of);
		return fd;
	}
	args->fd = fd;
	return 0;
}

/** vsplit_fence_import_ioctl() - DRM_IOCTL_VSPLIT_FENCE_IMPORT. */
int vsplit_fence_import_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_vsplit_fence_import *args = data;
	struct file *exported = fget(args->fd);
	int ret = -EINVAL;

	if (!exported)
		return -EBADF;
	if (!vsplit_refuse(to_vsplit_device(drm), exported->f_op != &vsplit_mfence_fops))
		ret = vsplit_mfences_add(vsplit_file_mfences(file), exported->private_data,
					 &args->handle, &args->offset);
	fput(exported);
	return ret;
}

/** vsplit_fence_destroy_ioctl() - DRM_IOCTL_VSPLIT_FENCE_DESTROY. */
int vsplit_fence_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_mfences *fences = vsplit_file_mfences(file);
	struct drm_vsplit_fence_destroy *args = data;
	struct vsplit_mfence *fence;

	if (vsplit_refuse(to_vsplit_device(drm), args->pad))
		return -EINVAL;
	fence = xa_erase(&fences->fences, args->handle);
	if (!fence)
		return -ENOENT;
	atomic_dec(&fences->nr);
	vsplit_mfence_end(fence, -ECANCELED);
	vsplit_mfence_put(fence);
	return 0;
}

/** vsplit_fence_signal_ioctl() - DRM_IOCTL_VSPLIT_FENCE_SIGNAL. */
int vsplit_fence_signal_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_mfence *fence __free(vsplit_mfence) = NULL;
	struct drm_vsplit_fence_signal *args = data;

	if (vsplit_refuse(to_vsplit_device(drm), args->pad))
		return -EINVAL;
	fence = vsplit_mfence_lookup(vsplit_file_mfences(file), args->handle);
	if (!fence)
		return -ENOENT;
	vsplit_mfence_signal(fence, args->value, false);
	return 0;
}

static void vsplit_mfence_event_func(struct vsplit_mfence_waiter *waiter, int error)
{
	struct vsplit_mfence_event *event =
		container_of(waiter, struct vsplit_mfence_event, waiter);

	/* Signal the eventfd also if the fence has ended, because the wait is over. */
	list_add_tail(&event->link, &event->of->events);
}

static int vsplit_mfence_wait_event(struct vsplit_mfences *fences, struct vsplit_mfence *fence,
				    u64 value, int fd)
{
	struct vsplit_mfence_event *event;
	struct eventfd_ctx *eventfd;
	int ret;

	eventfd = eventfd_ctx_fdget(fd);
	if (IS_ERR(eventfd))
		return PTR_ERR(eventfd);
	ret = atomic_add_unless(&fences->nr_events, 1, VSPLIT_MAX_FENCE_EVENTS) ? 0 : -ENOSPC;
	event = ret || vsplit_fault("fence.event") ? NULL :
		kzalloc(sizeof(*event), GFP_KERNEL_ACCOUNT);
	if (!event) {
		if (!ret)
			atomic_dec(&fences->nr_events);
		eventfd_ctx_put(eventfd);
		return ret ?: -ENOMEM;
	}
	event->of = fence->of;
	event->fences = vsplit_mfences_get(fences);
	event->eventfd = eventfd;
	event->waiter.value = value;
	event->waiter.func = vsplit_mfence_event_func;
	ret = vsplit_mfence_wait(fence, &event->waiter);
	if (ret == -EINPROGRESS)
		return 0;
	if (!ret)
		eventfd_signal(eventfd);
	vsplit_mfence_event_free(event);
	return ret;
}

static void vsplit_mfence_task_func(struct vsplit_mfence_waiter *waiter, int error)
{
	struct vsplit_mfence_task *task = container_of(waiter, struct vsplit_mfence_task, waiter);

	task->error = error;
	complete(&task->over);
}

static int vsplit_mfence_wait_task(struct vsplit_mfence *fence, u64 value, s64 timeout_ns)
{
	struct vsplit_mfence_task task = {
		.waiter = { .value = value, .func = vsplit_mfence_task_func },
	};
	long left = drm_timeout_abs_to_jiffies(timeout_ns);
	int ret;

	if (vsplit_interrupted("fence.wait"))
		return -ERESTARTSYS;
	init_completion(&task.over);
	ret = vsplit_mfence_wait(fence, &task.waiter);
	if (ret != -EINPROGRESS)
		return ret;
	if (left)
		left = wait_for_completion_interruptible_timeout(&task.over, left);
	vsplit_mfence_unwait(fence, &task.waiter);
	if (completion_done(&task.over) || left > 0)
		return task.error;
	return left ?: -ETIME;
}

/*
 * DRM_IOCTL_VSPLIT_FENCE_WAIT. Outside of drm_dev_enter(), because it may wait for ever;
 * vsplit_mfences_end() ends the wait.
 */
int vsplit_fence_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_mfences *fences = vsplit_file_mfences(file);
	struct vsplit_device *vdev = to_vsplit_device(drm);
	struct drm_vsplit_fence_wait *args = data;
	struct vsplit_mfence *fence __free(vsplit_mfence) = NULL;
	bool event = args->flags & VSPLIT_FENCE_WAIT_EVENTFD;

	if (vsplit_refuse(vdev, args->flags & ~VSPLIT_FENCE_WAIT_FLAGS) ||
	    vsplit_refuse(vdev, event ? args->timeout_ns : args->fd) ||
	    vsplit_refuse(vdev, args->pad))
		return -EINVAL;
	fence = vsplit_mfence_lookup(fences, args->handle);
	if (!fence)
		return -ENOENT;
	return event ? vsplit_mfence_wait_event(fences, fence, args->value, args->fd) :
		       vsplit_mfence_wait_task(fence, args->value, args->timeout_ns);
}

int vsplit_mfence_module_init(void)
{
	vsplit_mfence_wq = alloc_workqueue("vsplit-fences", WQ_UNBOUND, 0);
	return vsplit_mfence_wq ? 0 : -ENOMEM;
}

void vsplit_mfence_module_exit(void)
{
	destroy_workqueue(vsplit_mfence_wq);
}
