/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Pins of allocations that heads read and write; for kms/. */
#ifndef _VSPLIT_SCANOUT_H_
#define _VSPLIT_SCANOUT_H_

#include <linux/types.h>

struct drm_gem_object;

/**
 * struct vsplit_scanout - A pin of an allocation that a head reads or writes.
 * @bytes: address of its first byte in the kernel's address space; linear. Must not be accessed
 *	once the adapter is unplugged, and while its bus device is being reset.
 * @vmapped: @bytes is a mapping that belongs to the pin.
 *
 * The structure belongs to the caller that pinned; constant while pinned.
 */
struct vsplit_scanout {
	void *bytes;
	bool vmapped;
};

/** vsplit_scanout_possible() - May a head show it? Not if its bytes are tiles, or in runs. */
bool vsplit_scanout_possible(const struct drm_gem_object *gem);

/** vsplit_scanout_allow() - A framebuffer is made of it: it is a primary from now on (RES-19). */
void vsplit_scanout_allow(struct drm_gem_object *gem);

/*
 * Pin an allocation (vsplit_scanout_possible()) in a segment that it allows, where the CPU sees it.
 * A reference is held until it is unpinned; no dma_resv is held. The bytes are there when the
 * KERNEL fences that its dma_resv has after this call are signalled. May sleep, interruptible.
 * Return: 0; -ENODEV: the adapter is gone; -ENOSPC: there is no room that the CPU sees, because the
 * allocation is too large or others are pinned; -EBUSY: it is where it may not be read, or, with
 * @write, written; -ENOMEM, -ERESTARTSYS.
 */
int vsplit_scanout_pin(struct drm_gem_object *gem, bool write, struct vsplit_scanout *scanout);

/**
 * struct vsplit_scanout_need - An allocation that is about to be pinned.
 * @gem: vsplit_scanout_possible(); a reference is held.
 * @write: its bytes will be written.
 * @segments: set of segments that it may be pinned in, by index; vsplit_scanout_fit() fills it.
 */
struct vsplit_scanout_need {
	struct drm_gem_object *gem;
	bool write;
	u32 segments;
};

/*
 * Can all of these allocations, each of them once, be pinned beside those pinned now? Each must
 * have a place that the CPU sees between pinned allocations; of all of them together this function
 * looks at sizes alone. If it returns -ENOSPC, there is no room. If it returns 0,
 * vsplit_scanout_pin() may still find no room, because no holes suit all of them. Pins come and go
 * meanwhile. No dma_resv is held; may sleep, interruptible.
 * Return: 0; -ENOSPC; -ERESTARTSYS.
 */
int vsplit_scanout_fit(struct vsplit_scanout_need *needs, u32 nr);

/* Undo vsplit_scanout_pin(), and clear @scanout. May sleep; takes the dma_resv; cannot fail. */
void vsplit_scanout_unpin(struct drm_gem_object *gem, struct vsplit_scanout *scanout);

#endif /* _VSPLIT_SCANOUT_H_ */
