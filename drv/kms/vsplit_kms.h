/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The display: heads that show allocations. This is what other rooms need to know of it.
 */
#ifndef _VSPLIT_KMS_H_
#define _VSPLIT_KMS_H_

struct dma_fence;
struct vsplit_device;

/*
 * Make the adapter's heads, as many as vdev->config says; memory management is there. Without heads
 * the adapter is no modesetting device. Everything is released by drmm actions. Return: 0 or a
 * negative error.
 */
int vsplit_kms_init(struct vsplit_device *vdev);

/*
 * Show the console, if vdev->config says so; after drm_dev_register(). The console is DRM's
 * emulation of a framebuffer device, a client as any other; drm_dev_unplug() removes it. If it
 * cannot be made, an error is logged, and the adapter works without it. It is not made where
 * segments are in a BAR, which the emulation cannot write to. May sleep.
 */
void vsplit_kms_register(struct vsplit_device *vdev);

/*
 * Turn all heads off; after drm_dev_unplug(). May sleep; takes &drm_device.master_mutex. Afterwards
 * no head reads or writes an allocation. A commit or a writeback from before may still be giving up
 * its pins; it has a reference to the device until then.
 */
void vsplit_kms_shutdown(struct vsplit_device *vdev);

/*
 * Pause heads, or let them go on. Paused heads do not read memory, but frames and events go on. A
 * picture that is to be written back then is not written: its fence has -EIO. May sleep, for the
 * time that a picture takes.
 */
void vsplit_kms_set_paused(struct vsplit_device *vdev, bool paused);

void vsplit_kms_set_overdue(struct dma_fence *fence);

#endif /* _VSPLIT_KMS_H_ */
