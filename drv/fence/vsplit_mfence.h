/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Monitored fences: 64-bit values that processors and engines raise, and wait for.
 * This file has what other rooms see of them.
 */
#ifndef _VSPLIT_MFENCE_H_
#define _VSPLIT_MFENCE_H_

#include <drm/drm_ioctl.h>
#include <linux/list.h>
#include <linux/rbtree_types.h>
#include <linux/types.h>

struct drm_device;
struct drm_file;
struct drm_printer;
struct vm_area_struct;
struct vsplit_mfence;
struct vsplit_mfences;
struct vsplit_user;

/* Where mmap() of the DRM file finds fences: pages from here on, behind all GEM offsets. */
#define VSPLIT_MFENCE_PGOFF	(1ul << (43 - PAGE_SHIFT))

/**
 * struct vsplit_mfence_waiter - Waits for a value; embedded in the structure that waits.
 * @node: in the tree of the fence's value; under the fence's lock.
 * @link: in fence->waiters, or empty: it does not wait; under the fence's lock.
 * @value: the value that it waits for; constant while it waits.
 * @func: called once: the value is reached (0), or the fence has ended (negative error). Called
 *	under the fence's spinlock, perhaps by an engine inside a dma-fence signalling section: it
 *	neither sleeps nor allocates, and calls no function of the fence. It may free the waiter.
 */
struct vsplit_mfence_waiter {
	struct rb_node node;
	struct list_head link;
	u64 value;
	void (*func)(struct vsplit_mfence_waiter *waiter, int error);
};

/** vsplit_mfence_module_init() - Make the workqueue that signals eventfds. Return: 0 or -ENOMEM. */
int vsplit_mfence_module_init(void);

/** vsplit_mfence_module_exit() - Wait until all eventfds are signalled; files and jobs are gone. */
void vsplit_mfence_module_exit(void);

struct vsplit_mfences *vsplit_mfences_create(struct vsplit_user *user);
struct vsplit_mfences *vsplit_mfences_get(struct vsplit_mfences *fences);
void vsplit_mfences_put(struct vsplit_mfences *fences);
void vsplit_mfences_end(struct vsplit_mfences *fences, int error);
int vsplit_mfences_mmap(struct vsplit_mfences *fences, struct vm_area_struct *vma);
void vsplit_mfences_show_fdinfo(struct vsplit_mfences *fences, struct drm_printer *p);

/*
 * Called by tasks that hold no fence's lock, on the signalling side too. These functions allocate
 * nothing. Only vsplit_mfence_signal() may sleep, between waiters.
 */
struct vsplit_mfence *vsplit_mfence_lookup(struct vsplit_mfences *fences, u32 handle);
void vsplit_mfence_put(struct vsplit_mfence *fence);
void vsplit_mfence_signal(struct vsplit_mfence *fence, u64 value, bool engine);
int vsplit_mfence_wait(struct vsplit_mfence *fence, struct vsplit_mfence_waiter *waiter);
void vsplit_mfence_unwait(struct vsplit_mfence *fence, struct vsplit_mfence_waiter *waiter);

/** vsplit_file_mfences() - Fences of a DRM file; provided by the device room. */
struct vsplit_mfences *vsplit_file_mfences(struct drm_file *file);

drm_ioctl_t vsplit_fence_create_ioctl, vsplit_fence_export_ioctl, vsplit_fence_import_ioctl,
	    vsplit_fence_destroy_ioctl, vsplit_fence_signal_ioctl, vsplit_fence_wait_ioctl;

#endif /* _VSPLIT_MFENCE_H_ */
