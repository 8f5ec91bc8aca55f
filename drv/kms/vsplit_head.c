// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: heads
 *
 * While its CRTC is active, a head has a timer that expires at each vblank, whether a client asks
 * for vblanks or not. So the times of vblanks are exact, one period apart. Turning the vblank
 * interrupt on and off does nothing: DRM does it with locks held that the timer takes, too, so it
 * could not wait there until the timer has stopped. A machine that is slow for a moment gets the
 * vblanks that it missed one by one.
 *
 * With the model clock a vblank comes at its time in the model. It is *held* until the engines
 * have done what they do before it in the model, however long the host takes for that, and until a
 * commit that waited for such work has handed over its frame. The present stands still meanwhile,
 * for the engines, too (vsplit_gpu_limit()). No client can hold a vblank for longer than a second:
 * then it comes all the same, and is counted as missed.
 *
 * A commit hands over a *frame*, which the next vblank shows. vsplit_head_catch_up() does at once,
 * under the head's lock, what belongs to a vblank: it sends events, counts the vblank, and picks
 * the frame. If a checksum, a picture to write or a snapshot is wanted, the frame becomes a *shot*
 * and goes to the composer, a work item. The composer knows nothing but the frame. The frame refers
 * to all memory that the composer reads. This memory was pinned before, and stays pinned until the
 * commit that replaces the frame has called vsplit_head_wait_unused(). The composer takes no
 * dma_resv and allocates nothing, because the fences of pictures that are written back wait for it.
 *
 * If a picture is not ready when the next vblank comes, that vblank is *late*: the same frame is
 * not composed twice, but its checksum is reported for each vblank that showed it. A frame that has
 * to go to the composer is replaced only after it has gone there. So every vblank has the checksum
 * of the frame that it showed.
 */
#include <linux/dma-fence.h>

#include <drm/drm_atomic.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_color_mgmt.h>
#include <drm/drm_drv.h>
#include <drm/drm_print.h>
#include <drm/drm_vblank.h>

#include "kms/vsplit_kms_internal.h"
#include "debug/vsplit_fault.h"
#include "gpu/vsplit_gpu.h"
#include "vsplit_device.h"

/** VSPLIT_MAX_BEHIND - periods that a timer may be late and still deliver a vblank for each. */
#define VSPLIT_MAX_BEHIND	64
/** VSPLIT_MAX_REFRESH - vblanks per second. */
#define VSPLIT_MAX_REFRESH	360
/**
 * VSPLIT_MIN_REFRESH_FBDEV - vblanks per second, at least, with a framebuffer device. Its client
 * waits for a vblank of whatever mode a DRM master left, and DRM warns if the vblank takes 100 ms.
 * The vblank may be held in addition.
 */
#define VSPLIT_MIN_REFRESH_FBDEV	24
/**
 * VSPLIT_MAX_HELD - ns that a vblank is held at most. With a framebuffer device the limit is
 * VSPLIT_MAX_HELD_FBDEV, for the same warning of DRM.
 */
#define VSPLIT_MAX_HELD		NSEC_PER_SEC
#define VSPLIT_MAX_HELD_FBDEV	(50 * NSEC_PER_MSEC)

/* ---- the composer ---- */

/* Compose the picture of head->composing. */
static void vsplit_head_compose(struct vsplit_head *head)
{
	struct vsplit_snapshot *snapshot = NULL;
	struct vsplit_writeback *writeback;
	const struct vsplit_target *target;
	struct vsplit_frame *frame;
	struct vsplit_shot shot;
	bool paused, done;
	u32 crc = 0;
	int idx;

	spin_lock_irq(&head->lock);
	frame = head->composing.frame;
	writeback = frame->writeback;
	frame->writeback = NULL;
	/* There is one target: while a picture is written back, a snapshot waits for a vblank. */
	if (!writeback)
		snapshot = vsplit_snapshot_begin(head, &frame->picture);
	paused = head->paused;
	spin_unlock_irq(&head->lock);
	/* A commit waits until its job has gone to the composer, not until it is composed. */
	wake_up_all(&head->idle);

	target = writeback ? &writeback->target : snapshot ? &snapshot->target : NULL;
	done = !paused && drm_dev_enter(head->kms->drm, &idx);
	if (done) {
		crc = vsplit_compose(&frame->picture, head->lines, target);
		drm_dev_exit(idx);
	}
	if (writeback)
		drm_writeback_signal_completion(&head->writeback, done ? 0 : -EIO);

	spin_lock_irq(&head->lock);
	shot = head->composing;
	head->composing.frame = NULL;
	head->composed += done;
	head->written += done && writeback;
	if (snapshot)
		snapshot->error = done ? 0 : -EIO;
	spin_unlock_irq(&head->lock);
	wake_up_all(&head->idle);

	vsplit_sync_point("kms.composed");
	/* A frame that was not composed has an entry, too: its reader must not wait for ever. */
	for (; shot.crc && shot.first <= shot.last; shot.first++)
		vsplit_crc_report(head, done, shot.first, crc);
}

/* Move the shot that is due to head->composing. Return: there is one. */
static bool vsplit_head_take(struct vsplit_head *head)
{
	guard(spinlock_irq)(&head->lock);
	head->composing = head->next;
	head->next.frame = NULL;
	return head->composing.frame;
}

static void vsplit_head_work(struct work_struct *work)
{
	struct vsplit_head *head = container_of(work, struct vsplit_head, work);
	bool cookie = dma_fence_begin_signalling();

	/*
	 * Compose one shot only: the work is queued for each. flush_work() would wait for ever for
	 * a work that always finds another shot.
	 */
	if (vsplit_head_take(head))
		vsplit_head_compose(head);
	dma_fence_end_signalling(cookie);
}

/* Extend a shot to a vblank that shows the same frame again, and so is late. */
static bool vsplit_shot_again(struct vsplit_shot *shot, struct vsplit_frame *frame, u64 count)
{
	if (shot->frame != frame)
		return false;
	shot->last = count;
	return true;
}

/* At a vblank: give the frame that it shows to the composer, if anything is wanted of it. */
static void vsplit_head_show(struct vsplit_head *head)
{
	struct vsplit_frame *frame = head->current_frame;
	struct vsplit_shot shot = { .frame = frame, .crc = head->crc };

	lockdep_assert_held(&head->lock);

	if (!frame || (!head->crc && !frame->writeback && !head->snapshot))
		return;
	shot.first = drm_crtc_accurate_vblank_count(&head->crtc);
	shot.last = shot.first;
	if (vsplit_shot_again(&head->next, frame, shot.last) || head->next.frame ||
	    vsplit_shot_again(&head->composing, frame, shot.last)) {
		head->late++;
		return;
	}
	head->next = shot;
	queue_work(head->kms->composers, &head->work);
}

/* ---- the model clock ---- */

static struct vsplit_device *head_to_vdev(const struct vsplit_head *head)
{
	return to_vsplit_device(head->kms->drm);
}

/*
 * A commit is about to wait for fences, all of which are known, and then shows something. @flip,
 * its own fence, is expected until the commit hands over its frame, or ends; at most one commit is
 * expected at a time. A vblank is held only for a commit that changes planes of a single head: such
 * a commit waits for fences and threads alone. Modesets and writebacks wait for other things, such
 * as vblanks, which a held vblank would stop.
 */
void vsplit_head_expect(struct drm_atomic_state *state, struct dma_fence *flip)
{
	struct drm_crtc_state *crtc_state;
	struct drm_connector *connector;
	struct vsplit_head *head = NULL;
	struct drm_connector_state *conn_state;
	struct drm_crtc *crtc;
	int i;

	for_each_new_connector_in_state(state, connector, conn_state, i)
		return;
	for_each_new_crtc_in_state(state, crtc, crtc_state, i) {
		if (head || !crtc_state->active)
			return;
		head = crtc_to_head(crtc);
	}
	if (!head)
		return;
	spin_lock_irq(&head->lock);
	if (!head->expected)
		head->expected = flip;
	spin_unlock_irq(&head->lock);
}

/* Does the expected commit wait for its thread alone? Not while a frame before it is unshown. */
static bool vsplit_head_is_ready(struct vsplit_head *head)
{
	lockdep_assert_held(&head->lock);

	return head->expected && !head->unshown && !vsplit_flip_waits(head->expected);
}

/* Is the vblank that is due held, so that it does not come yet? */
static bool vsplit_head_is_held(struct vsplit_head *head)
{
	const struct vsplit_device *vdev = head_to_vdev(head);
	u64 max = vdev->config.fbdev ? VSPLIT_MAX_HELD_FBDEV : VSPLIT_MAX_HELD;
	u64 due = ktime_to_ns(head->due), now = ktime_get_ns();

	lockdep_assert_held(&head->lock);

	if (vdev->config.clock != VSPLIT_GPU_CLOCK_MODEL)
		return false;
	if (!vsplit_gpu_is_behind(vdev->gpu, due) && !vsplit_head_is_ready(head)) {
		head->held_since = 0;
		return false;
	}
	if (!head->held_since) {
		head->held_since = now;
		head->held++;
	}
	if (now - head->held_since < max)
		return true;
	head->held_since = 0;
	head->missed++;
	return false;
}

/* ---- vblanks ---- */

/* Deliver all vblanks that are due. Of more than VSPLIT_MAX_BEHIND + 1, only the last comes. */
static void vsplit_head_catch_up(struct vsplit_head *head)
{
	struct vsplit_gpu *gpu = head_to_vdev(head)->gpu;
	ktime_t now = ns_to_ktime(vsplit_gpu_now(gpu));
	s64 behind = ktime_divns(ktime_sub(now, head->due), ktime_to_ns(head->period));

	lockdep_assert_held(&head->lock);

	if (behind > VSPLIT_MAX_BEHIND)
		head->due = ktime_add_ns(head->due, behind * ktime_to_ns(head->period));
	while (!ktime_after(head->due, now) && !vsplit_head_is_held(head)) {
		atomic64_set(&head->last_vblank, ktime_to_ns(head->due));
		drm_crtc_handle_vblank(&head->crtc);
		vsplit_head_show(head);
		head->unshown = false;
		head->due = ktime_add(head->due, head->period);
		vsplit_gpu_limit(gpu, head->index, ktime_to_ns(head->due));
	}
}

static enum hrtimer_restart vsplit_head_vblank(struct hrtimer *timer)
{
	struct vsplit_head *head = container_of(timer, struct vsplit_head, timer);
	struct vsplit_gpu *gpu = head_to_vdev(head)->gpu;
	unsigned long flags;

	spin_lock_irqsave(&head->lock, flags);
	vsplit_head_catch_up(head);
	hrtimer_set_expires(timer, ns_to_ktime(vsplit_gpu_real(gpu, ktime_to_ns(head->due))));
	spin_unlock_irqrestore(&head->lock, flags);
	return HRTIMER_RESTART;
}

static int vsplit_crtc_enable_vblank(struct drm_crtc *crtc)
{
	return 0;
}

static bool vsplit_crtc_vblank_timestamp(struct drm_crtc *crtc, int *max_error,
					 ktime_t *vblank_time, bool in_vblank_irq)
{
	*max_error = 0;
	*vblank_time = ns_to_ktime(atomic64_read(&crtc_to_head(crtc)->last_vblank));
	return true;
}

/* ---- commits ---- */

/* Wait until a frame that was replaced is not composed any more. */
void vsplit_head_wait_unused(struct vsplit_head *head, const struct vsplit_frame *frame)
{
	spin_lock_irq(&head->lock);
	wait_event_lock_irq(head->idle,
			    head->composing.frame != frame && head->next.frame != frame,
			    head->lock);
	spin_unlock_irq(&head->lock);
}

/* Has all that has to go to the composer gone there, pictures to be written back included? */
static bool vsplit_head_settled(struct vsplit_head *head)
{
	struct vsplit_frame *frame = head->current_frame;

	lockdep_assert_held(&head->lock);

	return !head->next.frame && (!frame || !frame->writeback);
}

/* Pause the composer, which reads no memory any more when this returns, or let it go on. */
void vsplit_head_set_paused(struct vsplit_head *head, bool paused)
{
	spin_lock_irq(&head->lock);
	head->paused = paused;
	spin_unlock_irq(&head->lock);
	flush_work(&head->work);
}

static enum drm_mode_status vsplit_crtc_mode_valid(struct drm_crtc *crtc,
						   const struct drm_display_mode *mode)
{
	int refresh = drm_mode_vrefresh(mode);

	if (mode->flags & (DRM_MODE_FLAG_INTERLACE | DRM_MODE_FLAG_DBLSCAN | DRM_MODE_FLAG_DBLCLK))
		return MODE_NO_INTERLACE;
	if (mode->vscan > 1)
		return MODE_NO_VSCAN;
	if (mode->hdisplay > VSPLIT_MAX_MODE || mode->htotal > 2 * VSPLIT_MAX_MODE)
		return MODE_BAD_HVALUE;
	if (mode->vdisplay > VSPLIT_MAX_MODE || mode->vtotal > 2 * VSPLIT_MAX_MODE)
		return MODE_BAD_VVALUE;
	if (mode->clock <= 0 || !refresh)
		return MODE_CLOCK_LOW;
	if (head_to_vdev(crtc_to_head(crtc))->config.fbdev && refresh < VSPLIT_MIN_REFRESH_FBDEV)
		return MODE_CLOCK_LOW;
	return refresh > VSPLIT_MAX_REFRESH ? MODE_CLOCK_HIGH : MODE_OK;
}

/*
 * Planes that the CRTC shows and the commit leaves alone are parts of the new frame, too. The
 * primary plane is in every commit: DRM calls vsplit_flip_begin() for planes.
 */
static int vsplit_crtc_add_planes(struct drm_crtc_state *crtc_state,
				  struct drm_atomic_state *state)
{
	u32 mask = crtc_state->plane_mask | drm_plane_mask(crtc_state->crtc->primary);
	struct drm_plane_state *plane_state;
	struct drm_plane *plane;

	drm_for_each_plane_mask(plane, state->dev, mask) {
		if (drm_atomic_get_new_plane_state(state, plane))
			continue;
		plane_state = drm_atomic_get_plane_state(state, plane);
		if (IS_ERR(plane_state))
			return PTR_ERR(plane_state);
		to_vsplit_plane_state(plane_state)->added = true;
	}
	return 0;
}

static bool vsplit_crtc_bad_lut(const struct drm_property_blob *blob)
{
	return blob && blob->length != VSPLIT_LUT_SIZE * sizeof(struct drm_color_lut);
}

static int vsplit_crtc_atomic_check(struct drm_crtc *crtc, struct drm_atomic_state *state)
{
	struct drm_crtc_state *crtc_state = drm_atomic_get_new_crtc_state(state, crtc);

	if (vsplit_crtc_bad_lut(crtc_state->degamma_lut) ||
	    vsplit_crtc_bad_lut(crtc_state->gamma_lut)) {
		drm_dbg_atomic(crtc->dev, "[CRTC:%d:%s] a table of another size than %u\n",
			       crtc->base.id, crtc->name, VSPLIT_LUT_SIZE);
		return -EINVAL;
	}
	return vsplit_crtc_add_planes(crtc_state, state);
}

static void vsplit_picture_colors(struct vsplit_picture *picture,
				  const struct drm_crtc_state *state)
{
	const struct drm_color_ctm *ctm;
	size_t i;

	picture->degamma = state->degamma_lut ? state->degamma_lut->data : NULL;
	picture->gamma = state->gamma_lut ? state->gamma_lut->data : NULL;
	picture->has_ctm = state->ctm;
	if (!state->ctm)
		return;
	ctm = state->ctm->data;
	for (i = 0; i < ARRAY_SIZE(picture->ctm); i++)
		picture->ctm[i] = drm_color_ctm_s31_32_to_qm_n(ctm->matrix[i], 16, 16);
}

static void vsplit_picture_layers(struct vsplit_picture *picture,
				  const struct drm_crtc_state *crtc_state,
				  struct drm_atomic_state *state)
{
	const struct drm_plane_state *by_zpos[VSPLIT_MAX_LAYERS] = {};
	struct drm_plane *plane;
	u32 i;

	drm_for_each_plane_mask(plane, state->dev, crtc_state->plane_mask) {
		const struct drm_plane_state *new = drm_atomic_get_new_plane_state(state, plane);

		if (new && new->visible && new->normalized_zpos < VSPLIT_MAX_LAYERS)
			by_zpos[new->normalized_zpos] = new;
	}
	for (i = 0; i < VSPLIT_MAX_LAYERS; i++)
		if (by_zpos[i])
			vsplit_plane_layer(by_zpos[i], &picture->layers[picture->nr_layers++]);
}

static void vsplit_picture_init(struct vsplit_picture *picture,
				const struct drm_crtc_state *crtc_state,
				struct drm_atomic_state *state)
{
	memset(picture, 0, sizeof(*picture));
	picture->width = crtc_state->mode.hdisplay;
	picture->height = crtc_state->mode.vdisplay;
	vsplit_picture_colors(picture, crtc_state);
	vsplit_picture_layers(picture, crtc_state, state);
}

/* Arm a commit's event for the next vblank; with no vblanks, or for an async flip, send it now. */
static void vsplit_head_event(struct vsplit_head *head, struct drm_crtc_state *state)
{
	struct drm_pending_vblank_event *event = state->event;
	struct drm_crtc *crtc = &head->crtc;

	if (!event)
		return;
	state->event = NULL;
	spin_lock(&crtc->dev->event_lock);
	if (state->active && !state->async_flip && !drm_crtc_vblank_get(crtc))
		drm_crtc_arm_vblank_event(crtc, event);
	else
		drm_crtc_send_vblank_event(crtc, event);
	spin_unlock(&crtc->dev->event_lock);
}

/*
 * Let the next vblank show a frame; the event of the commit comes then. Vblanks that are due
 * already were before this frame, so they are delivered first: no event has a time before its
 * commit. Return: false: the composer first has to take the frame before.
 */
static bool vsplit_head_hand_over(struct vsplit_head *head, struct drm_crtc_state *state)
{
	struct vsplit_crtc_state *vstate = to_vsplit_crtc_state(state);
	bool settled;

	spin_lock_irq(&head->lock);
	vsplit_head_catch_up(head);
	settled = vsplit_head_settled(head);
	if (settled) {
		head->current_frame = &vstate->frame;
		head->unshown = true;
		if (head->expected == rcu_access_pointer(vstate->flip))
			head->expected = NULL;
		if (!state->async_flip)
			vsplit_head_event(head, state);
	}
	spin_unlock_irq(&head->lock);
	return settled;
}

static void vsplit_crtc_atomic_flush(struct drm_crtc *crtc, struct drm_atomic_state *state)
{
	struct drm_crtc_state *old_state = drm_atomic_get_old_crtc_state(state, crtc);
	struct drm_crtc_state *crtc_state = drm_atomic_get_new_crtc_state(state, crtc);
	struct vsplit_frame *frame = &to_vsplit_crtc_state(crtc_state)->frame;
	struct vsplit_head *head = crtc_to_head(crtc);

	if (crtc_state->active) {
		vsplit_picture_init(&frame->picture, crtc_state, state);
		frame->writeback = head->staged;
		head->staged = NULL;
		wait_event(head->idle, vsplit_head_hand_over(head, crtc_state));
		/* As soon as the event comes, the client writes to what was shown before. */
		if (crtc_state->async_flip)
			vsplit_head_wait_unused(head, &to_vsplit_crtc_state(old_state)->frame);
	}
	spin_lock_irq(&head->lock);
	vsplit_head_event(head, crtc_state);
	spin_unlock_irq(&head->lock);
}

static void vsplit_crtc_atomic_enable(struct drm_crtc *crtc, struct drm_atomic_state *state)
{
	struct vsplit_head *head = crtc_to_head(crtc);
	struct vsplit_gpu *gpu = head_to_vdev(head)->gpu;
	ktime_t now = ns_to_ktime(vsplit_gpu_now(gpu));

	head->period = ns_to_ktime(drm_crtc_vblank_crtc(crtc)->framedur_ns);
	head->due = ktime_add(now, head->period);
	head->unshown = false;
	head->held_since = 0;
	atomic64_set(&head->last_vblank, ktime_to_ns(now));
	drm_crtc_vblank_on(crtc);
	vsplit_gpu_limit(gpu, head->index, ktime_to_ns(head->due));
	hrtimer_start(&head->timer, ns_to_ktime(vsplit_gpu_real(gpu, ktime_to_ns(head->due))),
		      HRTIMER_MODE_ABS_SOFT);
}

static void vsplit_crtc_atomic_disable(struct drm_crtc *crtc, struct drm_atomic_state *state)
{
	struct vsplit_head *head = crtc_to_head(crtc);

	/* The timer still runs: a picture that is to be written back gets its vblank. */
	spin_lock_irq(&head->lock);
	wait_event_lock_irq(head->idle, vsplit_head_settled(head), head->lock);
	spin_unlock_irq(&head->lock);
	drm_crtc_vblank_off(crtc);
	hrtimer_cancel(&head->timer);
	vsplit_gpu_limit(head_to_vdev(head)->gpu, head->index, U64_MAX);
	spin_lock_irq(&head->lock);
	head->current_frame = NULL;
	if (head->snapshot)
		head->snapshot->error = -ENODEV;
	head->snapshot = NULL;
	spin_unlock_irq(&head->lock);
	wake_up_all(&head->idle);
	flush_work(&head->work);
}

static const struct drm_crtc_helper_funcs vsplit_crtc_helper_funcs = {
	.mode_valid = vsplit_crtc_mode_valid,
	.atomic_check = vsplit_crtc_atomic_check,
	.atomic_flush = vsplit_crtc_atomic_flush,
	.atomic_enable = vsplit_crtc_atomic_enable,
	.atomic_disable = vsplit_crtc_atomic_disable,
};

/* ---- states ---- */

static struct drm_crtc_state *vsplit_crtc_duplicate_state(struct drm_crtc *crtc)
{
	struct vsplit_crtc_state *state;

	state = vsplit_fault("kms.crtc_state") ? NULL : kzalloc(sizeof(*state), GFP_KERNEL);
	if (!state)
		return NULL;
	__drm_atomic_helper_crtc_duplicate_state(crtc, &state->base);
	return &state->base;
}

static void vsplit_crtc_destroy_state(struct drm_crtc *crtc, struct drm_crtc_state *state)
{
	__drm_atomic_helper_crtc_destroy_state(state);
	kfree(to_vsplit_crtc_state(state));
}

static void vsplit_crtc_reset(struct drm_crtc *crtc)
{
	struct vsplit_crtc_state *state = kzalloc(sizeof(*state), GFP_KERNEL);

	if (crtc->state)
		vsplit_crtc_destroy_state(crtc, crtc->state);
	__drm_atomic_helper_crtc_reset(crtc, state ? &state->base : NULL);
}

static const struct drm_crtc_funcs vsplit_crtc_funcs = {
	.set_config = drm_atomic_helper_set_config,
	.page_flip = drm_atomic_helper_page_flip,
	.late_register = vsplit_snapshot_register,
	.reset = vsplit_crtc_reset,
	.atomic_duplicate_state = vsplit_crtc_duplicate_state,
	.atomic_destroy_state = vsplit_crtc_destroy_state,
	.enable_vblank = vsplit_crtc_enable_vblank,
	.get_vblank_timestamp = vsplit_crtc_vblank_timestamp,
	.get_crc_sources = vsplit_crc_get_sources,
	.verify_crc_source = vsplit_crc_verify,
	.set_crc_source = vsplit_crc_set,
};

/* Make the CRTC of a head whose kms, index and lines are set. */
int vsplit_head_init(struct vsplit_head *head, struct drm_plane *primary,
		     struct drm_plane *cursor)
{
	int ret;

	spin_lock_init(&head->lock);
	init_waitqueue_head(&head->idle);
	INIT_WORK(&head->work, vsplit_head_work);
	INIT_WORK(&head->crc_end, vsplit_crc_end);
	hrtimer_setup(&head->timer, vsplit_head_vblank, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);

	ret = drmm_crtc_init_with_planes(head->kms->drm, &head->crtc, primary, cursor,
					 &vsplit_crtc_funcs, NULL);
	if (ret)
		return ret;
	drm_crtc_helper_add(&head->crtc, &vsplit_crtc_helper_funcs);
	ret = drm_mode_crtc_set_gamma_size(&head->crtc, VSPLIT_LUT_SIZE);
	if (ret)
		return ret;
	drm_crtc_enable_color_mgmt(&head->crtc, VSPLIT_LUT_SIZE, true, VSPLIT_LUT_SIZE);
	return 0;
}
