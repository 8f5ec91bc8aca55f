// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: planes
 *
 * A plane shows a framebuffer where the framebuffer is in memory. vsplit_plane_prepare_fb() pins
 * its allocations, and only then asks for the fences that the commit waits for, because pinning may
 * page the allocations in. Once its planes are prepared, only a signal makes a commit fail. Before
 * that, vsplit_atomic_check() has refused a commit that by sizes alone has no room.
 *
 * Successive states of a plane that name the same framebuffer share its pins (struct vsplit_shown).
 * So a commit that does not change a plane, or only moves it, needs no memory for it and cannot
 * fail because of it.
 */
#include <linux/slab.h>

#include <drm/drm_atomic.h>
#include <drm/drm_atomic_helper.h>
#include <drm/drm_blend.h>
#include <drm/drm_damage_helper.h>
#include <drm/drm_fourcc.h>
#include <drm/drm_framebuffer.h>
#include <drm/drm_gem_atomic_helper.h>
#include <drm/drm_gem_framebuffer_helper.h>
#include <drm/drm_print.h>
#include <drm/drm_rect.h>

#include <drm/vsplit_drm.h>

#include "kms/vsplit_kms_internal.h"
#include "debug/vsplit_fault.h"

/* The largest factor by which a plane may be scaled, up or down. */
#define VSPLIT_MAX_SCALE	8

#define VSPLIT_ROTATIONS	(DRM_MODE_ROTATE_MASK | DRM_MODE_REFLECT_MASK)
#define VSPLIT_BLENDS		(BIT(DRM_MODE_BLEND_PIXEL_NONE) | BIT(DRM_MODE_BLEND_PREMULTI) | \
				 BIT(DRM_MODE_BLEND_COVERAGE))

static const u32 vsplit_cursor_formats[] = {
	DRM_FORMAT_ARGB8888,
	DRM_FORMAT_XRGB8888,
};

static const u64 vsplit_modifiers[] = {
	DRM_FORMAT_MOD_VSPLIT_TILED,
	DRM_FORMAT_MOD_LINEAR,
	DRM_FORMAT_MOD_INVALID
};

/* ---- pins ---- */

static void vsplit_shown_release(struct kref *ref)
{
	struct vsplit_shown *shown = container_of(ref, struct vsplit_shown, ref);

	while (shown->nr--)
		vsplit_scanout_unpin(drm_gem_fb_get_obj(shown->fb, shown->nr),
				     &shown->scanouts[shown->nr]);
	drm_framebuffer_put(shown->fb);
	kfree(shown);
}

static struct vsplit_shown *vsplit_shown_create(struct drm_framebuffer *fb)
{
	struct vsplit_shown *shown;
	int ret;

	shown = vsplit_fault("kms.shown") ? NULL : kzalloc(sizeof(*shown), GFP_KERNEL);
	if (!shown)
		return ERR_PTR(-ENOMEM);
	kref_init(&shown->ref);
	drm_framebuffer_get(fb);
	shown->fb = fb;
	for (; shown->nr < fb->format->num_planes; shown->nr++) {
		ret = vsplit_scanout_pin(drm_gem_fb_get_obj(fb, shown->nr), false,
					 &shown->scanouts[shown->nr]);
		if (ret) {
			kref_put(&shown->ref, vsplit_shown_release);
			return ERR_PTR(ret);
		}
	}
	return shown;
}

/*
 * Wait until the commit before, whose plane this is, has given up its pins; the plane is locked.
 * That commit may still pin what it replaced, even after its event came. So there is no room only
 * if there is none after this wait. That commit waits for nothing that the caller holds.
 * Return: 0 or -ERESTARTSYS.
 */
int vsplit_plane_wait_cleaned_up(struct drm_plane *plane)
{
	struct drm_crtc_commit *before = plane->state->commit;

	if (!before)
		return 0;
	return vsplit_interrupted("kms.cleanup_done") ? -ERESTARTSYS :
	       wait_for_completion_interruptible(&before->cleanup_done);
}

/* Is the framebuffer that a plane is to show next pinned for it already? */
bool vsplit_plane_keeps_pins(struct drm_plane *plane, const struct drm_framebuffer *fb)
{
	const struct vsplit_shown *shown = to_vsplit_plane_state(plane->state)->shown;

	return shown && shown->fb == fb;
}

/* Share the pins of the state before, if it has the same framebuffer; else pin anew. */
static struct vsplit_shown *vsplit_shown_get(struct drm_plane *plane, struct drm_framebuffer *fb)
{
	struct vsplit_shown *shown = to_vsplit_plane_state(plane->state)->shown;
	int ret;

	if (vsplit_plane_keeps_pins(plane, fb)) {
		kref_get(&shown->ref);
		return shown;
	}
	shown = vsplit_shown_create(fb);
	if (shown != ERR_PTR(-ENOSPC) || !plane->state->commit)
		return shown;
	ret = vsplit_plane_wait_cleaned_up(plane);
	return ret ? ERR_PTR(ret) : vsplit_shown_create(fb);
}

static void vsplit_plane_cleanup_fb(struct drm_plane *plane, struct drm_plane_state *state)
{
	struct vsplit_plane_state *vstate = to_vsplit_plane_state(state);

	if (vstate->shown)
		kref_put(&vstate->shown->ref, vsplit_shown_release);
	vstate->shown = NULL;
}

static int vsplit_plane_prepare_fb(struct drm_plane *plane, struct drm_plane_state *state)
{
	struct vsplit_plane_state *vstate = to_vsplit_plane_state(state);
	struct vsplit_shown *shown;
	int ret;

	if (!state->fb)
		return 0;
	shown = vsplit_shown_get(plane, state->fb);
	if (IS_ERR(shown))
		return PTR_ERR(shown);
	vstate->shown = shown;
	/* The commit does not wait for fences of planes that it does not change. */
	if (vstate->added)
		return 0;
	ret = drm_gem_plane_helper_prepare_fb(plane, state);
	if (ret)
		vsplit_plane_cleanup_fb(plane, state);
	return ret;
}

/* ---- what it shows ---- */

static int vsplit_plane_atomic_check(struct drm_plane *plane, struct drm_atomic_state *state)
{
	struct drm_plane_state *new = drm_atomic_get_new_plane_state(state, plane);
	struct drm_crtc_state *crtc_state;
	bool cursor = plane->type == DRM_PLANE_TYPE_CURSOR;
	int scale = cursor ? 1 : VSPLIT_MAX_SCALE;

	if (new->fb && vsplit_fb_check(new->fb))
		return -EINVAL;
	/* DRM would wait for the fence all the same, and warn that there is nothing to show. */
	if (!new->fb && new->fence) {
		drm_dbg_atomic(plane->dev, "[PLANE:%d:%s] a fence, and no framebuffer\n",
			       plane->base.id, plane->name);
		return -EINVAL;
	}
	if (!new->crtc)
		return 0;
	crtc_state = drm_atomic_get_crtc_state(state, new->crtc);
	if (IS_ERR(crtc_state))
		return PTR_ERR(crtc_state);
	return drm_atomic_helper_check_plane_state(new, crtc_state,
						   DRM_PLANE_NO_SCALING / scale,
						   DRM_PLANE_NO_SCALING * scale, true, true);
}

/* Nothing to do: the CRTC's atomic_flush() makes the frame of all planes at once. */
static void vsplit_plane_atomic_update(struct drm_plane *plane, struct drm_atomic_state *state)
{
}

static const struct drm_plane_helper_funcs vsplit_plane_helper_funcs = {
	.prepare_fb = vsplit_plane_prepare_fb,
	.cleanup_fb = vsplit_plane_cleanup_fb,
	.begin_fb_access = vsplit_flip_begin,
	.atomic_check = vsplit_plane_atomic_check,
	.atomic_update = vsplit_plane_atomic_update,
};

/*
 * Go through @size from @from on, backwards if @back, in a step for each of @n pixels of the head.
 * @start: the middle of the first pixel.
 */
static void vsplit_axis(s32 from, s32 size, s32 n, bool back, s32 *start, s32 *step)
{
	*step = size / n;
	*start = from + *step / 2;
	if (back) {
		*start = from + size - 1 - *step / 2;
		*step = -*step;
	}
}

/*
 * Find the way from the head to the framebuffer. DRM goes the other way: it reflects, then turns
 * counter-clockwise. So this turns clockwise, then reflects.
 */
static void vsplit_layer_walk(const struct drm_plane_state *state, struct vsplit_layer *layer)
{
	u32 turn = state->rotation & DRM_MODE_ROTATE_MASK;
	bool across = turn & (DRM_MODE_ROTATE_90 | DRM_MODE_ROTATE_270);
	bool x_back = turn & (DRM_MODE_ROTATE_90 | DRM_MODE_ROTATE_180);
	bool y_back = turn & (DRM_MODE_ROTATE_180 | DRM_MODE_ROTATE_270);
	s32 width = drm_rect_width(&layer->to), height = drm_rect_height(&layer->to);
	const struct drm_rect *src = &state->src;
	s32 x, y;

	x_back ^= !!(state->rotation & DRM_MODE_REFLECT_X);
	y_back ^= !!(state->rotation & DRM_MODE_REFLECT_Y);
	vsplit_axis(src->x1, drm_rect_width(src), across ? height : width, x_back, &layer->u, &x);
	vsplit_axis(src->y1, drm_rect_height(src), across ? width : height, y_back, &layer->v,
		    &y);
	layer->from.ux = across ? 0 : x;
	layer->uy = across ? x : 0;
	layer->from.vx = across ? y : 0;
	layer->vy = across ? 0 : y;
}

/*
 * Describe a plane, which is visible and prepared, as a layer of a picture. @layer is valid as long
 * as @state is.
 */
void vsplit_plane_layer(const struct drm_plane_state *state, struct vsplit_layer *layer)
{
	const struct vsplit_shown *shown =
		container_of(state, struct vsplit_plane_state, base)->shown;
	const struct drm_framebuffer *fb = state->fb;
	u32 i;

	layer->format = vsplit_format_find(fb->format->format);
	for (i = 0; i < fb->format->num_planes; i++) {
		layer->from.data[i] = shown->scanouts[i].bytes + fb->offsets[i];
		layer->from.pitch[i] = fb->pitches[i];
	}
	layer->from.tiled = fb->modifier == DRM_FORMAT_MOD_VSPLIT_TILED;
	if (fb->format->is_yuv)
		vsplit_yuv_init(&layer->from.yuv, state->color_encoding, state->color_range);
	layer->to = state->dst;
	layer->alpha = state->alpha;
	layer->blend = state->pixel_blend_mode;
	vsplit_layer_walk(state, layer);
}

/* ---- states ---- */

static struct drm_plane_state *vsplit_plane_duplicate_state(struct drm_plane *plane)
{
	struct vsplit_plane_state *state;

	state = vsplit_fault("kms.plane_state") ? NULL : kzalloc(sizeof(*state), GFP_KERNEL);
	if (!state)
		return NULL;
	__drm_atomic_helper_plane_duplicate_state(plane, &state->base);
	return &state->base;
}

static void vsplit_plane_destroy_state(struct drm_plane *plane, struct drm_plane_state *state)
{
	__drm_atomic_helper_plane_destroy_state(state);
	kfree(to_vsplit_plane_state(state));
}

static void vsplit_plane_reset(struct drm_plane *plane)
{
	struct vsplit_plane_state *state = kzalloc(sizeof(*state), GFP_KERNEL);

	if (plane->state)
		vsplit_plane_destroy_state(plane, plane->state);
	__drm_atomic_helper_plane_reset(plane, state ? &state->base : NULL);
}

static bool vsplit_plane_format_mod_supported(struct drm_plane *plane, u32 format, u64 modifier)
{
	return modifier == DRM_FORMAT_MOD_LINEAR ||
	       (modifier == DRM_FORMAT_MOD_VSPLIT_TILED &&
		plane->type != DRM_PLANE_TYPE_CURSOR && format != DRM_FORMAT_NV12);
}

static const struct drm_plane_funcs vsplit_plane_funcs = {
	.update_plane = drm_atomic_helper_update_plane,
	.disable_plane = drm_atomic_helper_disable_plane,
	.reset = vsplit_plane_reset,
	.atomic_duplicate_state = vsplit_plane_duplicate_state,
	.atomic_destroy_state = vsplit_plane_destroy_state,
	.format_mod_supported = vsplit_plane_format_mod_supported,
};

static int vsplit_plane_properties(struct drm_plane *plane, u32 zpos, u32 max_zpos)
{
	int ret;

	ret = drm_plane_create_rotation_property(plane, DRM_MODE_ROTATE_0, VSPLIT_ROTATIONS);
	if (!ret)
		ret = drm_plane_create_alpha_property(plane);
	if (!ret)
		ret = drm_plane_create_blend_mode_property(plane, VSPLIT_BLENDS);
	if (!ret && plane->type == DRM_PLANE_TYPE_CURSOR)
		return drm_plane_create_zpos_immutable_property(plane, zpos);
	if (!ret)
		ret = drm_plane_create_zpos_property(plane, zpos, 0, max_zpos);
	if (!ret)
		ret = drm_plane_create_color_properties(plane,
							BIT(DRM_COLOR_YCBCR_BT601) |
							BIT(DRM_COLOR_YCBCR_BT709) |
							BIT(DRM_COLOR_YCBCR_BT2020),
							BIT(DRM_COLOR_YCBCR_LIMITED_RANGE) |
							BIT(DRM_COLOR_YCBCR_FULL_RANGE),
							DRM_COLOR_YCBCR_BT709,
							DRM_COLOR_YCBCR_LIMITED_RANGE);
	return ret;
}

/*
 * Make a plane of a head. @zpos: its position at first; that of a cursor never changes. @max_zpos:
 * highest position of a plane that is no cursor.
 */
struct drm_plane *vsplit_plane_create(struct vsplit_kms *kms, enum drm_plane_type type,
				      u32 head, u32 zpos, u32 max_zpos)
{
	bool cursor = type == DRM_PLANE_TYPE_CURSOR;
	struct drm_plane *plane;
	int ret;

	plane = __drmm_universal_plane_alloc(kms->drm, sizeof(*plane), 0, BIT(head),
					     &vsplit_plane_funcs,
					     cursor ? vsplit_cursor_formats : vsplit_fourccs,
					     cursor ? ARRAY_SIZE(vsplit_cursor_formats) :
						      ARRAY_SIZE(vsplit_fourccs),
					     vsplit_modifiers, type, NULL);
	if (IS_ERR(plane))
		return plane;
	drm_plane_helper_add(plane, &vsplit_plane_helper_funcs);
	drm_plane_enable_fb_damage_clips(plane);
	ret = vsplit_plane_properties(plane, zpos, max_zpos);
	return ret ? ERR_PTR(ret) : plane;
}
