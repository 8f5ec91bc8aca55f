// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: snapshots
 *
 * The file crtc-N/picture in debugfs has what the head shows, as the cable carries it, as a
 * portable pixmap (PPM, 8 bits for each component). Opening the file takes the picture of the next
 * vblank. So the picture is one whole frame, whatever the client that is DRM master does meanwhile,
 * and that client notices nothing.
 *
 * The opener allocates the room and waits; the composer fills it. One snapshot of a head is under
 * way at a time. It ends at the next vblank at which the composer is free, or when the head goes
 * dark. So removing the file, which waits for its users, takes no longer than that.
 */
#include <linux/debugfs.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <drm/drm_fourcc.h>

#include "kms/vsplit_kms_internal.h"
#include "debug/vsplit_fault.h"

/* Room for the text before the first pixel. */
#define VSPLIT_PPM_HEADER	32u

static int vsplit_snapshot_take(struct vsplit_head *head, struct vsplit_snapshot *snapshot)
{
	int ret;

	spin_lock_irq(&head->lock);
	ret = vsplit_interrupted("kms.snapshot_slot") ? -ERESTARTSYS :
	      wait_event_interruptible_lock_irq(head->idle,
						!head->snapshot || !head->current_frame,
						head->lock);
	if (ret || !head->current_frame) {
		spin_unlock_irq(&head->lock);
		return ret ?: -ENODEV;
	}
	head->snapshot = snapshot;
	snapshot->error = -EINPROGRESS;
	ret = vsplit_interrupted("kms.snapshot") ? -ERESTARTSYS :
	      wait_event_interruptible_lock_irq(head->idle, snapshot->error != -EINPROGRESS,
						head->lock);
	if (head->snapshot == snapshot) {
		head->snapshot = NULL;
		wake_up_all(&head->idle);
	} else {
		/* If the wait was interrupted, the composer may have the snapshot; it ends soon. */
		wait_event_lock_irq(head->idle, snapshot->error != -EINPROGRESS, head->lock);
	}
	spin_unlock_irq(&head->lock);
	return ret ?: snapshot->error;
}

/*
 * Take the snapshot that is due before a picture is composed; head->lock is held. The caller wakes
 * head->idle in any case.
 * Return: the snapshot; when the picture is composed, the caller sets its error and wakes
 * head->idle again. NULL: none is due, or it has ended because its room has another size.
 */
struct vsplit_snapshot *vsplit_snapshot_begin(struct vsplit_head *head,
					      const struct vsplit_picture *picture)
{
	struct vsplit_snapshot *snapshot = head->snapshot;

	lockdep_assert_held(&head->lock);

	head->snapshot = NULL;
	/* A modeset has changed the size since the snapshot's room was allocated. */
	if (snapshot &&
	    (snapshot->width != picture->width || snapshot->height != picture->height)) {
		snapshot->error = -EAGAIN;
		snapshot = NULL;
	}
	return snapshot;
}

/* ---- the file ---- */

/* The bytes of a file: a whole picture. */
struct vsplit_ppm {
	size_t bytes;
	u8 data[];
};

static int vsplit_snapshot_once(struct vsplit_head *head, struct vsplit_ppm **out)
{
	struct vsplit_snapshot snapshot = {};
	struct vsplit_ppm *ppm __free(kvfree) = NULL;
	size_t pixels;
	u32 header;
	int ret;

	scoped_guard(spinlock_irq, &head->lock) {
		if (!head->current_frame)
			return -ENODEV;
		snapshot.width = head->current_frame->picture.width;
		snapshot.height = head->current_frame->picture.height;
	}
	pixels = (size_t)snapshot.width * snapshot.height;
	ppm = vsplit_fault("kms.ppm") ? NULL :
	      __vmalloc(sizeof(*ppm) + VSPLIT_PPM_HEADER + 3 * pixels, GFP_KERNEL_ACCOUNT);
	if (!ppm)
		return -ENOMEM;
	header = scnprintf(ppm->data, VSPLIT_PPM_HEADER, "P6\n%u %u\n255\n", snapshot.width,
			   snapshot.height);
	ppm->bytes = header + 3 * pixels;
	snapshot.target = (struct vsplit_target){
		.format = vsplit_format_find(DRM_FORMAT_BGR888),
		.data = ppm->data + header,
		.pitch = 3 * snapshot.width,
	};
	ret = vsplit_snapshot_take(head, &snapshot);
	if (ret)
		return ret;
	*out = no_free_ptr(ppm);
	return 0;
}

static int vsplit_picture_open(struct inode *inode, struct file *file)
{
	struct vsplit_head *head = inode->i_private;
	struct vsplit_ppm *ppm = NULL;
	int ret;

	/* Try again only if a modeset came between. */
	do {
		ret = vsplit_snapshot_once(head, &ppm);
	} while (ret == -EAGAIN && !signal_pending(current));
	file->private_data = ppm;
	return ret == -EAGAIN ? -ERESTARTSYS : ret;
}

static ssize_t vsplit_picture_read(struct file *file, char __user *to, size_t n, loff_t *at)
{
	const struct vsplit_ppm *ppm = file->private_data;

	return simple_read_from_buffer(to, n, at, ppm->data, ppm->bytes);
}

static int vsplit_picture_release(struct inode *inode, struct file *file)
{
	vfree(file->private_data);
	return 0;
}

static const struct file_operations vsplit_picture_fops = {
	.owner = THIS_MODULE,
	.open = vsplit_picture_open,
	.read = vsplit_picture_read,
	.llseek = default_llseek,
	.release = vsplit_picture_release,
};

/** vsplit_snapshot_register() - struct drm_crtc_funcs.late_register: make the file. */
int vsplit_snapshot_register(struct drm_crtc *crtc)
{
	debugfs_create_file("picture", 0400, crtc->debugfs_entry, crtc_to_head(crtc),
			    &vsplit_picture_fops);
	return 0;
}
