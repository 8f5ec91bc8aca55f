// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: monitored fences
 *
 * A monitored fence (EXT-48) is a 64-bit value of a file that only grows. Its page is the
 * kernel's, and the client maps it read-only, so reading the value takes no call. Processors
 * raise it by an ioctl, engines by a packet. What waits for a value may do so before anything
 * that will raise it exists.
 *
 * That is why a monitored fence never becomes a dma_fence, a sync_file or a point of a syncobj:
 * these promise to signal by themselves, and the kernel waits for them where it needs memory.
 * A value is raised when userspace wants to, or never. So what waits for one is a task that can
 * be interrupted, an eventfd, or a submission that nothing knows of yet (exec/vsplit_park.c).
 *
 * A fence ends when its handle is closed, the file is, or the adapter is gone: then nothing can
 * raise it any more, and all that waits is told an error. Handles are given away in a circle, so
 * that a late packet rather meets no fence than another one.
 *
 * The fence keeps its value itself; what the page shows is a copy.
 */
#include <linux/eventfd.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>
#include <drm/drm_utils.h>

#include "fence/vsplit_mfence.h"
#include "debug/vsplit_fault.h"
#include "vsplit_device.h"
#include "vsplit_user.h"

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
 * struct vsplit_mfence - A monitored fence.
 * @ref: held by the table, mappings, and what waits.
 * @user: that the page is charged to; reference, constant.
 * @page: constant.
 * @shown: the value, in @page; written under @lock.
 * @value: written under @lock, read without.
 * @error: no one can raise it any more: negative; else 0; like @value.
 * @lock: protects what is said to be; signalling side.
 * @waiters: struct vsplit_mfence_waiter; under @lock.
 * @tasks: that wait for the value.
 */
struct vsplit_mfence {
	struct kref ref;
	struct vsplit_user *user;
	struct page *page;
	u64 *shown;
	u64 value;
	int error;
	spinlock_t lock; /* value, error, waiters */
	struct list_head waiters;
	wait_queue_head_t tasks;
};

/**
 * struct vsplit_mfence_event - An eventfd that waits.
 * @waiter: waits.
 * @fences: for its count; reference.
 * @eventfd: reference.
 */
struct vsplit_mfence_event {
	struct vsplit_mfence_waiter waiter;
	struct vsplit_mfences *fences;
	struct eventfd_ctx *eventfd;
};

static void vsplit_mfence_release(struct kref *ref)
{
	struct vsplit_mfence *fence = container_of(ref, struct vsplit_mfence, ref);

	__free_page(fence->page);
	vsplit_user_uncharge_pages(fence->user, PAGE_SIZE);
	vsplit_user_put(fence->user);
	kfree(fence);
}

/** vsplit_mfence_put() - Drop a reference. */
void vsplit_mfence_put(struct vsplit_mfence *fence)
{
	kref_put(&fence->ref, vsplit_mfence_release);
}

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

/* What has been reached. */
static u64 vsplit_mfence_value(const struct vsplit_mfence *fence)
{
	/* Pairs with vsplit_mfence_signal(): what came before it is seen, too. */
	return smp_load_acquire(&fence->value);
}

/* Tell those who wait for what is reached, or, after the end, all. */
static void vsplit_mfence_wake(struct vsplit_mfence *fence)
{
	struct vsplit_mfence_waiter *waiter, *next;

	lockdep_assert_held(&fence->lock);

	list_for_each_entry_safe(waiter, next, &fence->waiters, link) {
		bool reached = waiter->value <= fence->value;

		if (!reached && !fence->error)
			continue;
		list_del_init(&waiter->link);
		waiter->func(waiter, reached ? 0 : fence->error);
	}
	wake_up_all(&fence->tasks);
}

/**
 * vsplit_mfence_signal() - Raise the value.
 * @fence: the fence.
 * @value: what it is at least; a smaller one changes nothing.
 */
void vsplit_mfence_signal(struct vsplit_mfence *fence, u64 value)
{
	spin_lock(&fence->lock);
	if (value > fence->value) {
		/* What was written before is seen with the value: pairs with readers. */
		smp_store_release(&fence->value, value);
		/* The same, for the client's loads. */
		smp_store_release(fence->shown, value);
		vsplit_mfence_wake(fence);
	}
	spin_unlock(&fence->lock);
}

static void vsplit_mfence_end(struct vsplit_mfence *fence, int error)
{
	spin_lock(&fence->lock);
	if (!fence->error)
		WRITE_ONCE(fence->error, error);
	vsplit_mfence_wake(fence);
	spin_unlock(&fence->lock);
}

/**
 * vsplit_mfences_end() - Nothing can raise any of them from now on.
 * @fences: of a file that is closed, or whose adapter is gone.
 * @error: that those are told who wait; negative.
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
	int ret = -EINPROGRESS;

	INIT_LIST_HEAD(&waiter->link);
	spin_lock(&fence->lock);
	if (waiter->value <= fence->value)
		ret = 0;
	else if (fence->error)
		ret = fence->error;
	else
		list_add_tail(&waiter->link, &fence->waiters);
	spin_unlock(&fence->lock);
	return ret;
}

/**
 * vsplit_mfence_unwait() - Do not call any more; it is not being called when this returns.
 * @fence: that it waits for.
 * @waiter: may have been called.
 */
void vsplit_mfence_unwait(struct vsplit_mfence *fence, struct vsplit_mfence_waiter *waiter)
{
	spin_lock(&fence->lock);
	list_del_init(&waiter->link);
	spin_unlock(&fence->lock);
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

	get_page(fence->page);
	vmf->page = fence->page;
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

static struct vsplit_mfence *vsplit_mfence_alloc(struct vsplit_mfences *fences, u64 value)
{
	struct vsplit_mfence *fence;

	fence = vsplit_fault("fence.create") ? NULL : kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);
	if (!fence)
		return NULL;
	if (vsplit_user_charge_pages(fences->user, PAGE_SIZE))
		goto free;
	fence->page = vsplit_fault("fence.page") ? NULL :
		      alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!fence->page)
		goto uncharge;
	kref_init(&fence->ref);
	fence->user = vsplit_user_get(fences->user);
	fence->shown = page_address(fence->page);
	*fence->shown = value;
	fence->value = value;
	spin_lock_init(&fence->lock);
	INIT_LIST_HEAD(&fence->waiters);
	init_waitqueue_head(&fence->tasks);
	return fence;

uncharge:
	vsplit_user_uncharge_pages(fences->user, PAGE_SIZE);
free:
	kfree(fence);
	return NULL;
}

/** vsplit_fence_create_ioctl() - DRM_IOCTL_VSPLIT_FENCE_CREATE. */
int vsplit_fence_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct vsplit_mfences *fences = vsplit_file_mfences(file);
	struct drm_vsplit_fence_create *args = data;
	struct vsplit_mfence *fence;
	int ret;

	if (vsplit_refuse(to_vsplit_device(drm), args->flags))
		return -EINVAL;
	if (!atomic_add_unless(&fences->nr, 1, VSPLIT_MAX_FILE_FENCES))
		return -ENOSPC;
	fence = vsplit_mfence_alloc(fences, args->value);
	ret = fence ? 0 : -ENOMEM;
	if (!ret)
		ret = xa_alloc_cyclic(&fences->fences, &args->handle, fence,
				      XA_LIMIT(1, INT_MAX), &fences->next, GFP_KERNEL_ACCOUNT);
	if (ret < 0) {
		if (fence)
			vsplit_mfence_put(fence);
		atomic_dec(&fences->nr);
		return ret;
	}
	args->offset = ((u64)VSPLIT_MFENCE_PGOFF + args->handle) << PAGE_SHIFT;
	return 0;
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
	struct drm_vsplit_fence_signal *args = data;
	struct vsplit_mfence *fence;

	if (vsplit_refuse(to_vsplit_device(drm), args->pad))
		return -EINVAL;
	fence = vsplit_mfence_lookup(vsplit_file_mfences(file), args->handle);
	if (!fence)
		return -ENOENT;
	vsplit_mfence_signal(fence, args->value);
	vsplit_mfence_put(fence);
	return 0;
}

/* It is the last that the eventfd is needed for. */
static void vsplit_mfence_event_free(struct vsplit_mfence_event *event)
{
	atomic_dec(&event->fences->nr_events);
	vsplit_mfences_put(event->fences);
	eventfd_ctx_put(event->eventfd);
	kfree(event);
}

static void vsplit_mfence_event_func(struct vsplit_mfence_waiter *waiter, int error)
{
	struct vsplit_mfence_event *event =
		container_of(waiter, struct vsplit_mfence_event, waiter);

	/* At the end, too: there is nothing more to wait for. */
	eventfd_signal(event->eventfd);
	vsplit_mfence_event_free(event);
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

static int vsplit_mfence_wait_task(struct vsplit_mfence *fence, u64 value, s64 timeout_ns)
{
	signed long left = drm_timeout_abs_to_jiffies(timeout_ns);

	if (vsplit_interrupted("fence.wait"))
		return -ERESTARTSYS;
	left = wait_event_interruptible_timeout(fence->tasks,
						vsplit_mfence_value(fence) >= value ||
						READ_ONCE(fence->error), left);
	if (left < 0)
		return left;
	if (vsplit_mfence_value(fence) >= value)
		return 0;
	return READ_ONCE(fence->error) ?: -ETIME;
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
	bool event = args->flags & VSPLIT_FENCE_WAIT_EVENTFD;
	struct vsplit_mfence *fence;
	int ret;

	if (vsplit_refuse(vdev, args->flags & ~VSPLIT_FENCE_WAIT_FLAGS) ||
	    vsplit_refuse(vdev, event ? args->timeout_ns : args->fd) ||
	    vsplit_refuse(vdev, args->pad))
		return -EINVAL;
	fence = vsplit_mfence_lookup(fences, args->handle);
	if (!fence)
		return -ENOENT;
	if (event)
		ret = vsplit_mfence_wait_event(fences, fence, args->value, args->fd);
	else
		ret = vsplit_mfence_wait_task(fence, args->value, args->timeout_ns);
	vsplit_mfence_put(fence);
	return ret;
}
