// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: the display
 *
 * An adapter has as many heads as its option "heads" says. Each has a CRTC, a primary plane,
 * overlays, a cursor, a writeback connector, and a virtual connector with a monitor that only root
 * can pull out. DRM's atomic helpers do what they can. A head shows allocations where memory
 * management puts them (vsplit_scanout.c). A picture is composed only when its checksum is read,
 * when a client has it written back, or when root opens the file of a snapshot.
 *
 * Of the rest of the driver, kms/ knows only the vsplit_scanout functions and the work queue of
 * mm/, and the clock and the tiled layout of gpu/. It waits for fences, for vblanks, which come by
 * timers of its own, and for its composers, which wait for nothing.
 *
 * Lifetime: drmm actions release everything. The two connectors and the writeback encoder have no
 * action of their own: drm_mode_config_cleanup(), which is a drmm action, releases them.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/seq_file.h>

#include <drm/drm_atomic.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_atomic_state_helper.h>
#include <drm/drm_debugfs.h>
#include <drm/drm_drv.h>
#include <drm/drm_edid.h>
#include <drm/drm_fb_helper.h>
#include <drm/drm_fourcc.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_gem_framebuffer_helper.h>
#include <drm/drm_managed.h>
#include <drm/drm_modeset_lock.h>
#include <drm/drm_probe_helper.h>
#include <drm/drm_vblank.h>

#include <drm/vsplit_drm.h>

#include "kms/vsplit_kms_internal.h"
#include "debug/vsplit_fault.h"
#include "gpu/vsplit_swizzle.h"
#include "vsplit_device.h"

/* ---- connectors ---- */

static int vsplit_connector_get_modes(struct drm_connector *connector)
{
	struct vsplit_head *head = container_of(connector, struct vsplit_head, connector);
	const struct drm_edid *edid;

	edid = drm_edid_read_custom(connector, vsplit_edid_read_block, head);
	drm_edid_connector_update(connector, edid);
	drm_edid_free(edid);
	return drm_edid_connector_add_modes(connector);
}

static int vsplit_connector_detect(struct drm_connector *connector,
				   struct drm_modeset_acquire_ctx *ctx, bool force)
{
	struct vsplit_head *head = container_of(connector, struct vsplit_head, connector);

	return READ_ONCE(head->no_monitor) ? connector_status_disconnected :
	       connector_status_connected;
}

static int vsplit_connected_get(void *data, u64 *value)
{
	struct vsplit_head *head = data;

	*value = !READ_ONCE(head->no_monitor);
	return 0;
}

/* Pull the monitor out, or put it in, and tell clients. The head goes on showing its picture. */
static int vsplit_connected_set(void *data, u64 value)
{
	struct vsplit_head *head = data;

	if (value > 1)
		return -EINVAL;
	if (xchg(&head->no_monitor, !value) == value)
		drm_kms_helper_connector_hotplug_event(&head->connector);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(vsplit_connected_fops, vsplit_connected_get, vsplit_connected_set,
			 "%llu\n");

static void vsplit_connector_debugfs(struct drm_connector *connector, struct dentry *root)
{
	debugfs_create_file("connected", 0600, root,
			    container_of(connector, struct vsplit_head, connector),
			    &vsplit_connected_fops);
}

static const struct drm_connector_helper_funcs vsplit_connector_helper_funcs = {
	.detect_ctx = vsplit_connector_detect,
	.get_modes = vsplit_connector_get_modes,
};

static const struct drm_connector_funcs vsplit_connector_funcs = {
	.fill_modes = drm_helper_probe_single_connector_modes,
	.destroy = drm_connector_cleanup,
	.reset = drm_atomic_helper_connector_reset,
	.atomic_duplicate_state = drm_atomic_helper_connector_duplicate_state,
	.atomic_destroy_state = drm_atomic_helper_connector_destroy_state,
	.debugfs_init = vsplit_connector_debugfs,
};

static int vsplit_connector_init(struct vsplit_head *head)
{
	struct drm_device *drm = head->kms->drm;
	int ret;

	ret = drmm_encoder_init(drm, &head->encoder, NULL, DRM_MODE_ENCODER_VIRTUAL, NULL);
	if (ret)
		return ret;
	head->encoder.possible_crtcs = drm_crtc_mask(&head->crtc);
	ret = drm_connector_init(drm, &head->connector, &vsplit_connector_funcs,
				 DRM_MODE_CONNECTOR_VIRTUAL);
	if (ret)
		return ret;
	drm_connector_helper_add(&head->connector, &vsplit_connector_helper_funcs);
	head->connector.polled = DRM_CONNECTOR_POLL_HPD;
	drm_connector_attach_edid_property(&head->connector);
	return drm_connector_attach_encoder(&head->connector, &head->encoder);
}

/* The picture can be shown and written back at the same time. */
static void vsplit_head_set_clones(struct vsplit_head *head)
{
	u32 both = drm_encoder_mask(&head->encoder) |
		   drm_encoder_mask(&head->writeback.encoder);

	head->encoder.possible_clones = both;
	head->writeback.encoder.possible_clones = both;
}

/* ---- heads ---- */

/* Make a head. Its planes are, from the lowest on: primary, overlays, cursor. */
static int vsplit_kms_add_head(struct vsplit_kms *kms, u32 index)
{
	u32 overlays = min(VSPLIT_MAX_PLANES / kms->nr_heads, VSPLIT_MAX_LAYERS) - 2;
	struct vsplit_head *head = &kms->heads[index];
	struct drm_plane *primary, *plane;
	u32 i;
	int ret;

	head->kms = kms;
	head->index = index;
	head->lines = vsplit_fault("kms.lines") ? NULL : kvmalloc(sizeof(*head->lines), GFP_KERNEL);
	if (!head->lines)
		return -ENOMEM;
	primary = vsplit_plane_create(kms, DRM_PLANE_TYPE_PRIMARY, index, 0, overlays);
	if (IS_ERR(primary))
		return PTR_ERR(primary);
	for (i = 1; i <= overlays; i++) {
		plane = vsplit_plane_create(kms, DRM_PLANE_TYPE_OVERLAY, index, i, overlays);
		if (IS_ERR(plane))
			return PTR_ERR(plane);
	}
	plane = vsplit_plane_create(kms, DRM_PLANE_TYPE_CURSOR, index, overlays + 1, 0);
	if (IS_ERR(plane))
		return PTR_ERR(plane);
	ret = vsplit_head_init(head, primary, plane);
	if (!ret)
		ret = vsplit_connector_init(head);
	if (!ret)
		ret = vsplit_writeback_init(head);
	if (!ret)
		ret = vsplit_flip_add_head(head);
	if (!ret)
		vsplit_head_set_clones(head);
	return ret;
}

/* ---- framebuffers and commits ---- */

/* Does the framebuffer have whole tiles alone, all of them inside of the allocation? */
static int vsplit_fb_check_tiled(struct drm_framebuffer *fb)
{
	u64 bytes = (u64)ALIGN(fb->height, VSPLIT_TILE_HEIGHT) * fb->pitches[0];

	if (vsplit_swizzle_pitch_ok(fb->pitches[0]) && !(fb->offsets[0] % VSPLIT_TILE_BYTES) &&
	    fb->offsets[0] + bytes <= drm_gem_fb_get_obj(fb, 0)->size)
		return 0;
	drm_dbg_kms(fb->dev, "pitch %u, offset %u, %u rows: no whole tiles, or not all there\n",
		    fb->pitches[0], fb->offsets[0], fb->height);
	return -EINVAL;
}

/*
 * May a head read the allocations of a framebuffer, at its pitches and offsets? Each user of a
 * framebuffer checks it: clients can find a framebuffer by its ID before vsplit_fb_create() has
 * checked it. Return: 0 or -EINVAL.
 */
int vsplit_fb_check(struct drm_framebuffer *fb)
{
	u32 i;

	for (i = 0; i < fb->format->num_planes; i++) {
		if (!vsplit_scanout_possible(drm_gem_fb_get_obj(fb, i))) {
			drm_dbg_kms(fb->dev, "an allocation that is tiled, or hidden\n");
			return -EINVAL;
		}
		if (fb->pitches[i] % fb->format->cpp[i] || fb->offsets[i] % fb->format->cpp[i]) {
			drm_dbg_kms(fb->dev, "pitch %u, offset %u: no multiples of %u\n",
				    fb->pitches[i], fb->offsets[i], fb->format->cpp[i]);
			return -EINVAL;
		}
	}
	return fb->modifier == DRM_FORMAT_MOD_VSPLIT_TILED ? vsplit_fb_check_tiled(fb) : 0;
}

static struct drm_framebuffer *vsplit_fb_create(struct drm_device *drm, struct drm_file *file,
						VSPLIT_COMPAT_FB_FORMAT
						const struct drm_mode_fb_cmd2 *cmd)
{
	struct drm_framebuffer *fb;
	int ret;
	u32 i;

	if (vsplit_fault("kms.fb"))
		return ERR_PTR(-ENOMEM);
	fb = vsplit_compat_fb_create_with_dirty(drm, file, cmd);
	if (IS_ERR(fb))
		return fb;
	vsplit_sync_point("kms.fb_made");
	ret = vsplit_fb_check(fb);
	if (ret) {
		drm_framebuffer_put(fb);
		return ERR_PTR(ret);
	}
	for (i = 0; i < fb->format->num_planes; i++)
		vsplit_scanout_allow(drm_gem_fb_get_obj(fb, i));
	return fb;
}

/* ---- room ---- */

/* What a commit is going to pin: each allocation once. */
struct vsplit_kms_needs {
	u32 nr;
	struct vsplit_scanout_need needs[];
};

static void vsplit_kms_need(struct vsplit_kms_needs *needs, struct drm_framebuffer *fb, bool write)
{
	u32 plane, i;

	for (plane = 0; plane < fb->format->num_planes; plane++) {
		struct drm_gem_object *gem = drm_gem_fb_get_obj(fb, plane);

		for (i = 0; i < needs->nr && needs->needs[i].gem != gem; i++)
			;
		if (i == needs->nr)
			needs->needs[needs->nr++].gem = gem;
		needs->needs[i].write |= write;
	}
}

/* Return: what a commit is going to pin; NULL: nothing; or ERR_PTR(-ENOMEM). */
static struct vsplit_kms_needs *vsplit_kms_find_needs(struct drm_atomic_state *state)
{
	struct drm_connector_state *conn_state;
	struct drm_plane_state *plane_state;
	struct drm_connector *connector;
	struct vsplit_kms_needs *needs;
	struct drm_plane *plane;
	u32 max = 0;
	int i;

	for_each_new_plane_in_state(state, plane, plane_state, i)
		max += plane_state->fb ? plane_state->fb->format->num_planes : 0;
	for_each_new_connector_in_state(state, connector, conn_state, i)
		max += !!conn_state->writeback_job;
	/* Making heads dark must not fail for want of memory: such a commit shows nothing. */
	if (!max)
		return NULL;
	needs = vsplit_fault("kms.needs") ? NULL :
		kzalloc(struct_size(needs, needs, max), GFP_KERNEL);
	if (!needs)
		return ERR_PTR(-ENOMEM);
	for_each_new_plane_in_state(state, plane, plane_state, i)
		if (plane_state->fb && !vsplit_plane_keeps_pins(plane, plane_state->fb))
			vsplit_kms_need(needs, plane_state->fb, false);
	for_each_new_connector_in_state(state, connector, conn_state, i)
		if (conn_state->writeback_job && conn_state->writeback_job->fb)
			vsplit_kms_need(needs, conn_state->writeback_job->fb, true);
	return needs;
}

static int vsplit_kms_wait_cleaned_up(struct drm_atomic_state *state)
{
	struct drm_plane_state *plane_state;
	struct drm_plane *plane;
	int i, ret = 0;

	for_each_new_plane_in_state(state, plane, plane_state, i)
		ret = ret ?: vsplit_plane_wait_cleaned_up(plane);
	return ret;
}

static int vsplit_kms_check_room(struct drm_atomic_state *state)
{
	struct vsplit_kms_needs *needs __free(kfree) = vsplit_kms_find_needs(state);
	int ret;

	if (IS_ERR_OR_NULL(needs))
		return PTR_ERR_OR_ZERO(needs);
	ret = vsplit_scanout_fit(needs->needs, needs->nr);
	/*
	 * A check waits for no client's work. A commit that may block waits for it later, and can
	 * make it overdue then.
	 */
	if (ret == -ENOSPC && vsplit_flip_is_behind(state))
		return 0;
	if (ret == -ENOSPC) {
		ret = vsplit_kms_wait_cleaned_up(state);
		if (!ret)
			ret = vsplit_scanout_fit(needs->needs, needs->nr);
	}
	if (ret == -ENOSPC)
		drm_dbg_atomic(state->dev, "what it shows does not fit beside what is pinned\n");
	return ret;
}

/* Lack of room is reported here, so that a commit that only asks (TEST_ONLY) fails, too. */
static int vsplit_atomic_check(struct drm_device *drm, struct drm_atomic_state *state)
{
	int ret = drm_atomic_helper_check(drm, state);

	return ret ?: vsplit_kms_check_room(state);
}

static int vsplit_atomic_commit(struct drm_device *drm, struct drm_atomic_state *state,
				bool nonblock)
{
	struct vsplit_flip_patience patience;
	struct drm_crtc_state *crtc_state;
	struct drm_crtc *crtc;
	int i, ret;

	/*
	 * DRM refuses a commit behind a pending one of a head that is lit. Behind a pending one of
	 * a dark head DRM would wait, with locks held.
	 */
	if (nonblock && vsplit_flip_is_behind(state))
		return -EBUSY;
	for_each_new_crtc_in_state(state, crtc, crtc_state, i)
		crtc_to_head(crtc)->blocks = !nonblock;
	if (!nonblock)
		vsplit_flip_bear(&patience, state);
	ret = drm_atomic_helper_commit(drm, state, nonblock);
	if (!nonblock)
		vsplit_flip_borne(&patience);
	if (ret)
		vsplit_flip_end(vsplit_flip_take(state));
	return ret;
}

static const struct drm_mode_config_funcs vsplit_mode_config_funcs = {
	.fb_create = vsplit_fb_create,
	.atomic_check = vsplit_atomic_check,
	.atomic_commit = vsplit_atomic_commit,
};

/* Cannot fail. In this order writeback jobs are ready when the frame of their CRTC is made. */
static void vsplit_commit_tail(struct drm_atomic_state *state)
{
	struct drm_crtc_state *crtc_state;
	struct drm_crtc *crtc;
	struct dma_fence *flip;
	int i;

	vsplit_sync_point("kms.commit");
	vsplit_writeback_wait(state);
	drm_atomic_helper_commit_modeset_disables(state->dev, state);
	drm_atomic_helper_commit_modeset_enables(state->dev, state);
	drm_atomic_helper_commit_planes(state->dev, state, 0);
	flip = vsplit_flip_take(state);
	drm_atomic_helper_commit_hw_done(state);
	drm_atomic_helper_wait_for_flip_done(state->dev, state);
	for_each_old_crtc_in_state(state, crtc, crtc_state, i)
		vsplit_head_wait_unused(crtc_to_head(crtc),
					&to_vsplit_crtc_state(crtc_state)->frame);
	vsplit_flip_end(flip);
	vsplit_sync_point("kms.cleanup");
	drm_atomic_helper_cleanup_planes(state->dev, state);
}

static const struct drm_mode_config_helper_funcs vsplit_mode_config_helpers = {
	.atomic_commit_tail = vsplit_commit_tail,
};

/* ---- debugfs ---- */

static int vsplit_kms_show(struct seq_file *m, void *unused)
{
	struct drm_debugfs_entry *entry = m->private;
	struct vsplit_kms *kms = to_vsplit_device(entry->dev)->kms;
	u32 i;

	for (i = 0; i < kms->nr_heads; i++) {
		struct vsplit_head *head = &kms->heads[i];

		spin_lock_irq(&head->lock);
		seq_printf(m, "head %u lit %d crc %d composed %llu late %llu written %llu held %llu missed %llu\n",
			   i, !!head->current_frame, head->crc, head->composed, head->late,
			   head->written, head->held, head->missed);
		spin_unlock_irq(&head->lock);
	}
	return 0;
}

/* ---- the adapter ---- */

/* This action is the last: no CRTC is left that queues the composer. */
static void vsplit_kms_fini(struct drm_device *drm, void *data)
{
	struct vsplit_kms *kms = data;
	u32 i;

	if (kms->composers)
		destroy_workqueue(kms->composers);
	for (i = 0; i < kms->nr_heads; i++)
		kvfree(kms->heads[i].lines);
}

static int vsplit_mode_config_init(struct drm_device *drm)
{
	int ret;

	ret = drmm_mode_config_init(drm);
	if (ret)
		return ret;
	drm->mode_config.max_width = VSPLIT_MAX_FB;
	drm->mode_config.max_height = VSPLIT_MAX_FB;
	drm->mode_config.cursor_width = VSPLIT_MAX_CURSOR;
	drm->mode_config.cursor_height = VSPLIT_MAX_CURSOR;
	drm->mode_config.preferred_depth = 24;
	drm->mode_config.async_page_flip = true;
	drm->mode_config.normalize_zpos = true;
	drm->mode_config.funcs = &vsplit_mode_config_funcs;
	drm->mode_config.helper_private = &vsplit_mode_config_helpers;
	return 0;
}

int vsplit_kms_init(struct vsplit_device *vdev)
{
	u32 nr = vdev->config.heads, i;
	struct vsplit_kms *kms;
	int ret;

	if (!nr) {
		vdev->drm.driver_features &= ~(DRIVER_MODESET | DRIVER_ATOMIC);
		return 0;
	}
	kms = drmm_kzalloc(&vdev->drm, struct_size(kms, heads, nr), GFP_KERNEL);
	if (!kms)
		return -ENOMEM;
	kms->drm = &vdev->drm;
	kms->nr_heads = nr;
	ret = drmm_add_action_or_reset(kms->drm, vsplit_kms_fini, kms);
	if (ret)
		return ret;
	kms->composers = vsplit_fault("kms.composers") ? NULL :
			 alloc_workqueue("vsplit-compose", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	ret = kms->composers ? vsplit_mode_config_init(kms->drm) : -ENOMEM;
	for (i = 0; !ret && i < nr; i++)
		ret = vsplit_kms_add_head(kms, i);
	if (!ret)
		ret = drm_vblank_init(kms->drm, nr);
	if (ret)
		return ret;
	/* The times of vblanks are exact while their interrupt is off, too. */
	vdev->drm.vblank_disable_immediate = true;
	drm_mode_config_reset(kms->drm);
	drm_debugfs_add_file(kms->drm, "heads", vsplit_kms_show, NULL);
	vdev->kms = kms;
	return 0;
}

void vsplit_kms_register(struct vsplit_device *vdev)
{
	if (!vdev->kms || !vdev->config.fbdev)
		return;
	if (vdev->bar.memory)
		drm_notice(&vdev->drm, "no framebuffer device: segments are in a BAR\n");
	else
		drm_client_setup(&vdev->drm, NULL);
}

/*
 * Do as drm_atomic_helper_shutdown(), but try again when memory is short, or when a signal has
 * ended the wait for earlier commits, which may block: removal cannot be undone, and a head that
 * stayed lit would have a timer when it is freed. A signal stays pending, so that later tries fail
 * as long as there is something to wait for: fences that these commits wait for, of other drivers.
 */
static void vsplit_kms_go_dark(struct vsplit_kms *kms)
{
	struct drm_modeset_acquire_ctx ctx;
	int ret;

	do {
		DRM_MODESET_LOCK_ALL_BEGIN(kms->drm, ctx, 0, ret);
		ret = drm_atomic_helper_disable_all(kms->drm, &ctx);
		DRM_MODESET_LOCK_ALL_END(kms->drm, ctx, ret);
		if (ret)
			fsleep(1000);
	} while (ret);
}

void vsplit_kms_shutdown(struct vsplit_device *vdev)
{
	struct vsplit_kms *kms = vdev->kms;

	if (!kms)
		return;
	/*
	 * Calls and works of the framebuffer device hold this mutex while they wait for a vblank,
	 * some for longer than drm_dev_unplug() takes. As the timer still runs, they get that
	 * vblank; later ones find vblanks off. DRM would warn of a vblank that never comes.
	 */
	mutex_lock(&kms->drm->master_mutex);
	vsplit_kms_go_dark(kms);
	mutex_unlock(&kms->drm->master_mutex);
}

void vsplit_kms_set_paused(struct vsplit_device *vdev, bool paused)
{
	u32 i;

	drm_fb_helper_set_suspend_unlocked(vdev->drm.fb_helper, paused);
	for (i = 0; vdev->kms && i < vdev->kms->nr_heads; i++)
		vsplit_head_set_paused(&vdev->kms->heads[i], paused);
}
