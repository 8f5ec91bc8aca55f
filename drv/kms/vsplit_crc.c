// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: checksums
 *
 * DRM's file crc/data in debugfs turns the source "auto" of its CRTC on and off. The file may stay
 * open after the adapter has gone, and its release looks at the CRTC once more after it has turned
 * the source off. So an open file holds references to the adapter and to the module. A work item
 * gives them back when it sees, under the lock of the CRTC's checksums, that the release has done
 * with the CRTC.
 */
#include <linux/circ_buf.h>
#include <linux/delay.h>
#include <linux/module.h>

#include <drm/drm_device.h>
#include <drm/drm_drv.h>

#include "kms/vsplit_kms_internal.h"
#include "mm/vsplit_mm.h"

static const char * const vsplit_crc_sources[] = { "auto" };

const char *const *vsplit_crc_get_sources(struct drm_crtc *crtc, size_t *count)
{
	*count = ARRAY_SIZE(vsplit_crc_sources);
	return vsplit_crc_sources;
}

/*
 * Give the reader the checksum of a frame; it is lost if the reader is far behind. @frame: count of
 * the vblank that showed it.
 */
void vsplit_crc_report(struct vsplit_head *head, bool done, u64 frame, u32 crc)
{
	struct drm_crtc_crc *ring = &head->crtc.crc;
	bool full;

	/* DRM would complain of an entry that finds no space. */
	spin_lock_irq(&ring->lock);
	full = ring->entries && CIRC_SPACE(ring->head, ring->tail, DRM_CRC_ENTRIES_NR) < 1;
	spin_unlock_irq(&ring->lock);
	if (!full)
		drm_crtc_add_crc_entry(&head->crtc, done, frame, &crc);
}

int vsplit_crc_verify(struct drm_crtc *crtc, const char *source, size_t *count)
{
	*count = 1;
	return strcmp(source, vsplit_crc_sources[0]) ? -EINVAL : 0;
}

/* Return: how many references are not needed; -EAGAIN: the file is just being released. */
static int vsplit_crc_unused(struct vsplit_head *head)
{
	struct drm_crtc_crc *crc = &head->crtc.crc;
	int unused;

	spin_lock_irq(&crc->lock);
	spin_lock(&head->lock);
	unused = head->crc_files;
	if (crc->opened)
		unused--;
	else if (crc->entries)
		unused = -EAGAIN;
	if (unused > 0)
		head->crc_files -= unused;
	spin_unlock(&head->lock);
	spin_unlock_irq(&crc->lock);
	return unused;
}

/** vsplit_crc_end() - The work of struct vsplit_head.crc_end: give unneeded references back. */
void vsplit_crc_end(struct work_struct *work)
{
	struct vsplit_head *head = container_of(work, struct vsplit_head, crc_end);
	struct drm_device *drm = head->kms->drm;
	int unused;

	while ((unused = vsplit_crc_unused(head)) == -EAGAIN)
		fsleep(1000);
	for (; unused > 0; unused--) {
		drm_dev_put(drm);
		module_put(THIS_MODULE);
	}
}

/* @source: NULL turns checksums off; any other one DRM has verified. */
int vsplit_crc_set(struct drm_crtc *crtc, const char *source)
{
	struct vsplit_head *head = crtc_to_head(crtc);

	spin_lock_irq(&head->lock);
	head->crc = source;
	head->crc_files += !!source;
	spin_unlock_irq(&head->lock);
	if (source) {
		drm_dev_get(crtc->dev);
		__module_get(THIS_MODULE);
	} else {
		/* The next reader must not get checksums of frames from before its time. */
		flush_work(&head->work);
		vsplit_mm_queue_end(&head->crc_end);
	}
	return 0;
}
