// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: monitored fences
 *
 * A monitored fence (EXT-48) is a 64-bit value that only grows, in a page that the client maps
 * read-only. Why it never becomes a dma_fence, a sync_file or a point of a syncobj is in
 * Documentation/residency.rst, *Monitored fences*. So what waits for one is a task that can be
 * interrupted, an eventfd, or a submission that nothing knows of yet (exec/vsplit_park.c).
 *
 * Files share one by a descriptor, which one exports and others import, of whatever adapter: one
 * value, and a fence (struct vsplit_mfence) of each file. Raising it wakes what waits in all of
 * them, so how many there may be is bounded.
 *
 * The fence of a file ends when its handle is closed, the file is, or the adapter is gone: what
 * waits for it there is told an error, and what waits in other files goes on to wait, since they
 * can raise it still. Handles are given away in a circle, so that a late packet rather meets no
 * fence than another one.
 *
 * What is shared keeps its value itself; what the page shows is a copy.
 */
#include <linux/anon_inodes.h>
#include <linux/completion.h>
#include <linux/eventfd.h>
#include <linux/file.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/rbtree.h>
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

/* Signals eventfds where an engine has raised a value. */
static struct workqueue_struct *vsplit_mfence_wq;

/* So many of what waits are told before others have the lock. */
#define VSPLIT_MFENCE_AT_ONCE	256

/**
 * struct vsplit_mfences - Fences of a file.
 * @ref: held by the file, and by contexts whose packets name fences.
 * @user: whose memory the pages are; reference, constant.
 * @fences: by handle; own lock.
 * @next: where the search for a handle begins; under the lock of @fences.
 * @nr: of fences that have a handle.
 * @nr_events: eventfds that wait.
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
 * struct vsplit_mfence_value - What the fences of several files have in common.
 * @ref: held by each of @fences, and by exported descriptors.
 * @user: that the page is charged to, the maker; reference, constant.
 * @page: constant.
 * @shown: the value, in @page; written under @lock.
 * @value: under @lock.
 * @lock: protects this and all of @fences; signalling side.
 * @fences: struct vsplit_mfence.link.
 * @nr_fences: length of @fences, at most VSPLIT_MAX_FENCE_SHARES; under @lock.
 * @events: struct vsplit_mfence_event.link: they wait no more, and are to be signalled; likewise.
 * @send: does so; queued with a reference.
 */
struct vsplit_mfence_value {
	struct kref ref;
	struct vsplit_user *user;
	struct page *page;
	u64 *shown;
	u64 value;
	spinlock_t lock; /* value, fences */
	struct list_head fences;
	u32 nr_fences;
	struct list_head events;
	struct work_struct send;
};

/**
 * struct vsplit_mfence - A monitored fence, as one file has it.
 * @ref: held by the table, mappings, and what waits.
 * @of: its value; reference, constant.
 * @link: in @of->fences; under its lock, as what follows.
 * @error: it has ended: negative; else 0.
 * @waiters: struct vsplit_mfence_waiter.node, by value.
 */
struct vsplit_mfence {
	struct kref ref;
	struct vsplit_mfence_value *of;
	struct list_head link;
	int error;
	struct rb_root waiters;
};

/**
 * struct vsplit_mfence_task - A task that waits; on its stack.
 * @waiter: waits.
 * @over: it does so no more.
 * @error: as of the waiter's function.
 */
struct vsplit_mfence_task {
	struct vsplit_mfence_waiter waiter;
	struct completion over;
	int error;
};

/**
 * struct vsplit_mfence_event - An eventfd that waits.
 * @waiter: waits.
 * @link: in @of->events, when it waits no more.
 * @of: the value; constant.
 * @fences: for its count; reference.
 * @eventfd: reference.
 */
struct vsplit_mfence_event {
	struct vsplit_mfence_waiter waiter;
	struct list_head link;
	struct vsplit_mfence_value *of;
	struct vsplit_mfences *fences;
	struct eventfd_ctx *eventfd;
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

	spin_lock(&of->lock);
	list_del(&fence->link);
	of->nr_fences--;
	spin_unlock(&of->lock);
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

/** vsplit_mfences_create() - The fences of a file: none. Return: a reference, or NULL. */
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

/**
 * vsplit_mfences_put() - Drop a reference.
 * @fences: vsplit_mfences_end() came before the file's reference goes. NULL is fine.
 */
void vsplit_mfences_put(struct vsplit_mfences *fences)
{
	if (fences)
		kref_put(&fences->ref, vsplit_mfences_release);
}

/** vsplit_mfences_show_fdinfo() - For fdinfo. */
void vsplit_mfences_show_fdinfo(struct vsplit_mfences *fences, struct drm_printer *p)
{
	drm_printf(p, "vsplit-fences:\t%d\n", atomic_read(&fences->nr));
}

/* ---- fences ---- */

/** vsplit_mfence_lookup() - Fence of a file by handle. Return: a reference, or NULL. */
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

static void vsplit_mfence_forget(struct vsplit_mfence *fence, struct vsplit_mfence_waiter *waiter)
{
	rb_erase(&waiter->node, &fence->waiters);
	RB_CLEAR_NODE(&waiter->node);
}

/*
 * Tell what waits in a file for what is reached, or, after the end, all of it. A reference is held:
 * the lock is not all the time. May sleep: each parked submission of the file may wait, and more.
 */
static void vsplit_mfence_wake(struct vsplit_mfence *fence)
	__must_hold(&fence->of->lock)
{
	struct vsplit_mfence_waiter *waiter;
	struct rb_node *node;
	u32 nr = 0;

	lockdep_assert_held(&fence->of->lock);

	while ((node = rb_first(&fence->waiters))) {
		bool reached = to_waiter(node)->value <= fence->of->value;

		if (!reached && !fence->error)
			break;
		waiter = to_waiter(node);
		vsplit_mfence_forget(fence, waiter);
		waiter->func(waiter, reached ? 0 : fence->error);
		if (++nr % VSPLIT_MFENCE_AT_ONCE)
			continue;
		spin_unlock(&fence->of->lock);
		cond_resched();
		spin_lock(&fence->of->lock);
	}
}

/* The same in all files that have the value. For one that is about to be freed nothing waits. */
static void vsplit_mfence_wake_all(struct vsplit_mfence_value *of)
	__must_hold(&of->lock)
{
	struct vsplit_mfence *fence, *before = NULL;
	/* Those that are added meanwhile are behind them. */
	u32 left = of->nr_fences;

	lockdep_assert_held(&of->lock);

	list_for_each_entry(fence, &of->fences, link) {
		if (!left--)
			break;
		if (!kref_get_unless_zero(&fence->ref))
			continue;
		vsplit_mfence_wake(fence);
		/* This one stays in the list, so what was before it is needed no more. */
		spin_unlock(&of->lock);
		if (before)
			vsplit_mfence_put(before);
		spin_lock(&of->lock);
		before = fence;
	}
	spin_unlock(&of->lock);
	if (before)
		vsplit_mfence_put(before);
	spin_lock(&of->lock);
}

/* It is the last that the eventfd is needed for. */
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

/* Nothing is locked: how many wait for an eventfd is for its client to say. May sleep. */
static void vsplit_mfence_send(struct vsplit_mfence_value *of)
{
	struct vsplit_mfence_event *event;

	while ((event = vsplit_mfence_next_event(of))) {
		vsplit_sync_point("fence.send");
		eventfd_signal(event->eventfd);
		vsplit_mfence_event_free(event);
		cond_resched();
	}
}

static void vsplit_mfence_send_work(struct work_struct *work)
{
	struct vsplit_mfence_value *of = container_of(work, struct vsplit_mfence_value, send);

	vsplit_mfence_send(of);
	vsplit_mfence_value_put(of);
}

/**
 * vsplit_mfence_signal() - Raise the value.
 * @fence: the fence.
 * @value: what it is at least; a smaller one changes nothing.
 * @engine: the caller is one, which has other clients: eventfds are signalled a little later.
 */
void vsplit_mfence_signal(struct vsplit_mfence *fence, u64 value, bool engine)
{
	struct vsplit_mfence_value *of = fence->of;
	bool events;

	spin_lock(&of->lock);
	if (value > of->value) {
		of->value = value;
		/* What was written before is seen with the value: pairs with the client's loads. */
		smp_store_release(of->shown, value);
		vsplit_mfence_wake_all(of);
	}
	events = engine && !list_empty(&of->events);
	if (events)
		kref_get(&of->ref);
	spin_unlock(&of->lock);
	if (!engine)
		vsplit_mfence_send(of);
	else if (events && !queue_work(vsplit_mfence_wq, &of->send))
		vsplit_mfence_value_put(of);
}

static void vsplit_mfence_end(struct vsplit_mfence *fence, int error)
{
	scoped_guard(spinlock, &fence->of->lock) {
		if (!fence->error)
			fence->error = error;
		vsplit_mfence_wake(fence);
	}
	vsplit_mfence_send(fence->of);
}

/**
 * vsplit_mfences_end() - Nothing waits for any of them in this file from now on.
 * @fences: of a file that is closed, or whose adapter is gone.
 * @error: what waits end with; negative.
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

/**
 * vsplit_mfence_wait() - Call back when a value is reached.
 * @fence: reference, until it was called or vsplit_mfence_unwait().
 * @waiter: value and function are set.
 *
 * Return: -EINPROGRESS: it will be called. 0: the value is reached; or a negative error: it
 * never will be. It is not called then.
 */
int vsplit_mfence_wait(struct vsplit_mfence *fence, struct vsplit_mfence_waiter *waiter)
{
	RB_CLEAR_NODE(&waiter->node);
	guard(spinlock)(&fence->of->lock);
	if (waiter->value <= fence->of->value)
		return 0;
	if (fence->error)
		return fence->error;
	rb_add(&waiter->node, &fence->waiters, vsplit_mfence_waiter_less);
	return -EINPROGRESS;
}

/**
 * vsplit_mfence_unwait() - Do not call any more; it is not being called when this returns.
 * @fence: that it waits for.
 * @waiter: may have been called.
 */
void vsplit_mfence_unwait(struct vsplit_mfence *fence, struct vsplit_mfence_waiter *waiter)
{
	guard(spinlock)(&fence->of->lock);
	if (!RB_EMPTY_NODE(&waiter->node))
		vsplit_mfence_forget(fence, waiter);
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

/**
 * vsplit_mfences_mmap() - mmap() of the page of a fence.
 * @fences: of the file.
 * @vma: from VSPLIT_MFENCE_PGOFF on; the handle follows.
 *
 * It is read-only for good, whatever mprotect() is asked for.
 *
 * Return: 0, -ENOENT, -EINVAL, -EACCES.
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

/* A value with no fence yet; a reference, or NULL. */
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
	INIT_LIST_HEAD(&of->fences);
	INIT_LIST_HEAD(&of->events);
	INIT_WORK(&of->send, vsplit_mfence_send_work);
	return no_free_ptr(of);
}

/* A fence with that value. ERR_PTR(): -ENOSPC: that has as many as it may; -ENOMEM. */
static struct vsplit_mfence *vsplit_mfence_create(struct vsplit_mfence_value *of)
{
	struct vsplit_mfence *fence;
	bool room;

	fence = vsplit_fault("fence.create") ? NULL : kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);
	if (!fence)
		return ERR_PTR(-ENOMEM);
	kref_init(&fence->ref);
	fence->of = of;
	fence->waiters = RB_ROOT;
	spin_lock(&of->lock);
	room = of->nr_fences < VSPLIT_MAX_FENCE_SHARES;
	if (room) {
		of->nr_fences++;
		list_add_tail(&fence->link, &of->fences);
		kref_get(&of->ref);
	}
	spin_unlock(&of->lock);
	if (room)
		return fence;
	kfree(fence);
	return ERR_PTR(-ENOSPC);
}

/* A file gets a fence with that value, its handle, and where its page is mapped. */
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

/* Of exported descriptors; an open one keeps the module. */
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

	/* At the end, too: there is nothing more to wait for. */
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
 * DRM_IOCTL_VSPLIT_FENCE_WAIT. Outside of drm_dev_enter(): it may take for ever.
 * vsplit_mfences_end() ends it.
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
