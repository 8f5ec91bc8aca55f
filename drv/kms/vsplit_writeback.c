// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: writeback
 *
 * A head can write the picture that it shows into a framebuffer, once for each commit that asks for
 * it. The target is pinned like a framebuffer that is shown. The commit waits for all fences that
 * the target's dma_resv has then, as every writer has to. It does not wait for later fences, which
 * may be of work that waits for this commit. A commit that blocks waits at once, because a signal
 * can still end the wait then. A commit that does not block waits in a worker, and what it waits
 * for can be made overdue (vsplit_flip_hurry()). The picture is that of the first vblank that shows
 * the commit's frame. The composer writes the picture, and then signals the job's fence.
 */
#include <linux/dma-resv.h>
#include <linux/slab.h>

#include <drm/drm_atomic.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_atomic_state_helper.h>
#include <drm/drm_drv.h>
#include <drm/drm_edid.h>
#include <drm/drm_fourcc.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_gem_framebuffer_helper.h>
#include <drm/drm_print.h>
#include <drm/drm_probe_helper.h>

#include "kms/vsplit_kms_internal.h"
#include "debug/vsplit_fault.h"

static struct vsplit_head *writeback_to_head(struct drm_writeback_connector *writeback)
{
	return container_of(writeback, struct vsplit_head, writeback);
}

static int vsplit_writeback_get_modes(struct drm_connector *connector)
{
	return drm_add_modes_noedid(connector, VSPLIT_MAX_MODE, VSPLIT_MAX_MODE);
}

static int vsplit_writeback_atomic_check(struct drm_connector *connector,
					 struct drm_atomic_state *state)
{
	struct drm_connector_state *conn_state =
		drm_atomic_get_new_connector_state(state, connector);
	const struct drm_crtc_state *crtc_state;
	struct drm_framebuffer *fb;

	if (!conn_state->writeback_job || !conn_state->writeback_job->fb || !conn_state->crtc)
		return 0;
	fb = conn_state->writeback_job->fb;
	crtc_state = drm_atomic_get_new_crtc_state(state, conn_state->crtc);
	if (fb->width != crtc_state->mode.hdisplay || fb->height != crtc_state->mode.vdisplay) {
		drm_dbg_atomic(connector->dev, "[CONNECTOR:%d:%s] %ux%u is not the mode's size\n",
			       connector->base.id, connector->name, fb->width, fb->height);
		return -EINVAL;
	}
	if (fb->modifier != DRM_FORMAT_MOD_LINEAR) {
		drm_dbg_atomic(connector->dev, "[CONNECTOR:%d:%s] a picture is written linear\n",
			       connector->base.id, connector->name);
		return -EINVAL;
	}
	return vsplit_fb_check(fb) ?:
	       drm_atomic_helper_check_wb_connector_state(connector, state);
}

static int vsplit_writeback_order(struct vsplit_head *head, struct dma_resv *resv,
				  struct vsplit_writeback *job)
{
	long ret;

	ret = vsplit_fault("kms.writeback_before") ? -ENOMEM :
	      dma_resv_get_singleton(resv, DMA_RESV_USAGE_READ, &job->before);
	if (ret || !job->before || !head->blocks)
		return ret;
	/* No flip exists yet that vsplit_flip_bear() could make overdue: limit the wait. */
	ret = dma_fence_wait_timeout(job->before, true, VSPLIT_FLIP_PATIENCE);
	if (!ret) {
		vsplit_kms_set_overdue(job->before);
		ret = dma_fence_wait(job->before, true);
	}
	if (ret < 0)
		dma_fence_put(job->before);
	return ret < 0 ? ret : 0;
}

static int vsplit_writeback_prepare(struct drm_writeback_connector *connector,
				    struct drm_writeback_job *job)
{
	struct vsplit_writeback *writeback __free(kfree) = NULL;
	struct vsplit_head *head = writeback_to_head(connector);
	struct drm_gem_object *gem;
	int ret;

	if (!job->fb)
		return 0;
	writeback = vsplit_fault("kms.writeback") ? NULL : kzalloc(sizeof(*writeback), GFP_KERNEL);
	if (!writeback)
		return -ENOMEM;
	gem = drm_gem_fb_get_obj(job->fb, 0);
	ret = vsplit_scanout_pin(gem, true, &writeback->scanout);
	if (ret)
		return ret;
	writeback->target.format = vsplit_format_find(job->fb->format->format);
	writeback->target.data = writeback->scanout.bytes + job->fb->offsets[0];
	writeback->target.pitch = job->fb->pitches[0];
	ret = vsplit_writeback_order(head, gem->resv, writeback);
	if (ret) {
		vsplit_scanout_unpin(gem, &writeback->scanout);
		return ret;
	}
	/* A worker cleans up, whatever has become of the adapter by then. */
	drm_dev_get(connector->base.dev);
	job->priv = no_free_ptr(writeback);
	return 0;
}

static void vsplit_writeback_cleanup(struct drm_writeback_connector *connector,
				     struct drm_writeback_job *job)
{
	struct vsplit_writeback *writeback = job->priv;

	if (!writeback)
		return;
	vsplit_sync_point("kms.written");
	vsplit_scanout_unpin(drm_gem_fb_get_obj(job->fb, 0), &writeback->scanout);
	/* DRM would drop the framebuffer after this callback, when the adapter may be gone. */
	drm_framebuffer_put(job->fb);
	job->fb = NULL;
	dma_fence_put(writeback->before);
	kfree(writeback);
	drm_dev_put(connector->base.dev);
}

/* Runs before the atomic_flush() of the CRTC, which makes the job a part of the frame. */
static void vsplit_writeback_atomic_commit(struct drm_connector *connector,
					   struct drm_atomic_state *state)
{
	struct drm_writeback_connector *writeback = drm_connector_to_writeback(connector);
	struct drm_connector_state *conn_state =
		drm_atomic_get_new_connector_state(state, connector);

	writeback_to_head(writeback)->staged = conn_state->writeback_job->priv;
	drm_writeback_queue_job(writeback, conn_state);
}

/** vsplit_writeback_wait() - Wait for all that used a commit's target before it. */
void vsplit_writeback_wait(struct drm_atomic_state *state)
{
	struct drm_connector_state *conn_state;
	struct drm_connector *connector;
	int i;

	for_each_new_connector_in_state(state, connector, conn_state, i) {
		const struct vsplit_writeback *writeback =
			conn_state->writeback_job ? conn_state->writeback_job->priv : NULL;

		if (writeback && writeback->before)
			dma_fence_wait(writeback->before, false);
	}
}

static const struct drm_connector_helper_funcs vsplit_writeback_helper_funcs = {
	.get_modes = vsplit_writeback_get_modes,
	.atomic_check = vsplit_writeback_atomic_check,
	.atomic_commit = vsplit_writeback_atomic_commit,
	.prepare_writeback_job = vsplit_writeback_prepare,
	.cleanup_writeback_job = vsplit_writeback_cleanup,
};

static const struct drm_connector_funcs vsplit_writeback_funcs = {
	.fill_modes = drm_helper_probe_single_connector_modes,
	.destroy = drm_connector_cleanup,
	.reset = drm_atomic_helper_connector_reset,
	.atomic_duplicate_state = drm_atomic_helper_connector_duplicate_state,
	.atomic_destroy_state = drm_atomic_helper_connector_destroy_state,
};

/** vsplit_writeback_init() - Make the writeback connector of a head that has its CRTC. */
int vsplit_writeback_init(struct vsplit_head *head)
{
	int ret;

	ret = drm_writeback_connector_init(head->kms->drm, &head->writeback,
					   &vsplit_writeback_funcs, NULL, vsplit_fourccs,
					   VSPLIT_NR_RGB, drm_crtc_mask(&head->crtc));
	if (ret)
		return ret;
	drm_connector_helper_add(&head->writeback.base, &vsplit_writeback_helper_funcs);
	return 0;
}
