/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The display: what its files share among themselves.
 */
#ifndef _VSPLIT_KMS_INTERNAL_H_
#define _VSPLIT_KMS_INTERNAL_H_

#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <drm/drm_connector.h>
#include <drm/drm_crtc.h>
#include <drm/drm_encoder.h>
#include <drm/drm_fourcc.h>
#include <drm/drm_plane.h>
#include <drm/drm_writeback.h>

#include "kms/vsplit_kms.h"
#include "mm/vsplit_scanout.h"
#include "vsplit_compat.h"
#include "vsplit_params.h"

struct vsplit_device;
struct drm_atomic_state;
struct dma_fence;

/** VSPLIT_MAX_MODE - pixels of a picture, across and down. */
#define VSPLIT_MAX_MODE		4096u
/** VSPLIT_MAX_FB - pixels of a framebuffer, across and down. */
#define VSPLIT_MAX_FB		8192u
/** VSPLIT_MAX_CURSOR - pixels of a cursor of DRM's older calls, across and down. */
#define VSPLIT_MAX_CURSOR	512u
/** VSPLIT_MAX_PLANES - planes of all heads together; DRM's limit. */
#define VSPLIT_MAX_PLANES	32u
/** VSPLIT_MAX_FB_GEMS - allocations of a framebuffer: luma and chroma. */
#define VSPLIT_MAX_FB_GEMS	2u
/** VSPLIT_MAX_LAYERS - planes of a head: primary, overlays, cursor. */
#define VSPLIT_MAX_LAYERS	4u
/** VSPLIT_LUT_SIZE - entries of a lookup table. */
#define VSPLIT_LUT_SIZE		256u

/* ---- pixels (vsplit_pixel.c): no DRM object, no lock ---- */

/** struct vsplit_pixel - A pixel as the composer has it: 16 bits for each component. */
struct vsplit_pixel {
	u16 a, r, g, b;
};

/**
 * struct vsplit_yuv - Factors that make R'G'B' of Y'CbCr, in 1/65536.
 * @y0: Y' of black, in 1.
 * @y: gain of Y'.
 * @c: gain of Cb and Cr, so that they are in -32768 to 32767.
 * @rv: share of Cr in red.
 * @gu: share of Cb in green.
 * @gv: share of Cr in green.
 * @bu: share of Cb in blue.
 */
struct vsplit_yuv {
	s32 y0, y, c;
	s32 rv, gu, gv, bu;
};

/**
 * struct vsplit_texture - Pixels in memory, and the step from one to the next.
 * @data: first byte of each plane of the format.
 * @pitch: bytes per row of each plane.
 * @tiled: the first plane has the tiled layout, and is the only plane.
 * @ux: step in x here for one pixel to the right on the head, in 1/65536.
 * @vx: the same in y.
 * @yuv: conversion, for formats of Y'CbCr.
 */
struct vsplit_texture {
	u8 *data[VSPLIT_MAX_FB_GEMS];
	u32 pitch[VSPLIT_MAX_FB_GEMS];
	bool tiled;
	s32 ux, vx;
	struct vsplit_yuv yuv;
};

/**
 * struct vsplit_format - How pixels of a format are read and written.
 * @fourcc: DRM's name.
 * @alpha: the format has an alpha component.
 * @read: reads @n pixels, from (@u, @v) on in 1/65536; the caller knows that all of them are
 *	inside; NULL: no plane shows this format.
 * @write: writes @n pixels to @to; NULL: no picture is written in this format.
 */
struct vsplit_format {
	u32 fourcc;
	bool alpha;
	void (*read)(const struct vsplit_texture *from, s32 u, s32 v, struct vsplit_pixel *to,
		     u32 n);
	void (*write)(void *to, const struct vsplit_pixel *from, u32 n);
};

/* Planes show all of these formats. Pictures are written back in all but the last, Y'CbCr. */
#define VSPLIT_NR_RGB	10
extern const u32 vsplit_fourccs[VSPLIT_NR_RGB + 1];

const struct vsplit_format *vsplit_format_find(u32 fourcc);
void vsplit_yuv_init(struct vsplit_yuv *yuv, enum drm_color_encoding encoding,
		     enum drm_color_range range);

/* ---- pictures (vsplit_compose.c) ---- */

/**
 * struct vsplit_layer - A plane in a picture.
 * @format: format of its pixels.
 * @from: its pixels.
 * @u: x in @from of the middle of the first pixel of @to, in 1/65536.
 * @v: the same in y.
 * @uy: step in x there for one pixel down on the head.
 * @vy: the same in y.
 * @to: rectangle on the head, clipped; not empty.
 * @alpha: alpha of the plane.
 * @blend: DRM_MODE_BLEND_*.
 */
struct vsplit_layer {
	const struct vsplit_format *format;
	struct vsplit_texture from;
	s32 u, v;
	s32 uy, vy;
	struct drm_rect to;
	u16 alpha;
	u16 blend;
};

/* Where a picture is written back to. */
struct vsplit_target {
	const struct vsplit_format *format;
	u8 *data;
	u32 pitch; /* bytes per row */
};

/**
 * struct vsplit_picture - All that the composer needs to know; it reads this without any lock.
 * @width: pixels.
 * @height: pixels.
 * @nr_layers: entries of @layers.
 * @layers: layers, from the lowest on.
 * @degamma: VSPLIT_LUT_SIZE entries, or NULL.
 * @gamma: the same.
 * @has_ctm: @ctm is to be applied between @degamma and @gamma.
 * @ctm: rows of the color matrix, in 1/65536.
 *
 * Constant once a head has the picture.
 */
struct vsplit_picture {
	u32 width, height;
	u32 nr_layers;
	struct vsplit_layer layers[VSPLIT_MAX_LAYERS];
	const struct drm_color_lut *degamma;
	const struct drm_color_lut *gamma;
	bool has_ctm;
	s64 ctm[9];
};

/**
 * struct vsplit_lines - Room for the line that is being composed.
 * @sum: the line as far as it is composed.
 * @layer: the line of one layer.
 * @cable: the line as it leaves the head: 8 bits for each component, blue first, the fourth 0.
 *
 * Each has room for VSPLIT_MAX_MODE pixels. One composer uses them.
 */
struct vsplit_lines {
	struct vsplit_pixel sum[VSPLIT_MAX_MODE];
	struct vsplit_pixel layer[VSPLIT_MAX_MODE];
	__le32 cable[VSPLIT_MAX_MODE];
};

u32 vsplit_compose(const struct vsplit_picture *picture, struct vsplit_lines *lines,
		   const struct vsplit_target *target);

/* ---- heads (vsplit_head.c) ---- */

/**
 * struct vsplit_writeback - A job of the writeback connector.
 * @scanout: pin of the target.
 * @target: the target, as the composer needs it.
 * @before: fence of all that used the target when the commit was made; reference, or NULL.
 *
 * Belongs to the job from prepare to cleanup; constant.
 */
struct vsplit_writeback {
	struct vsplit_scanout scanout;
	struct vsplit_target target;
	struct dma_fence *before;
};

/**
 * struct vsplit_frame - What a head shows from some vblank on; in its CRTC's state.
 * @picture: picture of the planes; constant once the head has it.
 * @writeback: job that writes the picture back at the first vblank that shows it; NULL: none, or
 *	the composer has the job; under the head's lock.
 */
struct vsplit_frame {
	struct vsplit_picture picture;
	struct vsplit_writeback *writeback;
};

/**
 * struct vsplit_snapshot - A picture of the next vblank for a file; on the stack of its opener.
 * @width: pixels; constant.
 * @height: pixels; constant.
 * @target: where the picture goes; constant. Only the composer uses its bytes until the end.
 * @error: -EINPROGRESS until the snapshot ends; then 0, -EIO, -EAGAIN: the mode has changed, or
 *	-ENODEV: the head has gone dark. Under the head's lock.
 */
struct vsplit_snapshot {
	u32 width, height;
	struct vsplit_target target;
	int error;
};

/**
 * struct vsplit_crtc_state - State of a head.
 * @base: DRM's.
 * @frame: set when the state is committed.
 * @flip: fence of the commit that sets this state, a reference; NULL before the fence is published,
 *	once the commit has taken it (vsplit_flip_take()), and if another CRTC of the commit has it.
 */
struct vsplit_crtc_state {
	struct drm_crtc_state base;
	struct vsplit_frame frame;
	struct dma_fence __rcu *flip;
};

/* A frame on its way through the composer, with the counts of the vblanks that showed it. */
struct vsplit_shot {
	struct vsplit_frame *frame; /* NULL: none */
	u64 first;
	u64 last;
	bool crc; /* its checksum is wanted */
};

/**
 * struct vsplit_head - A head: CRTC, encoder, connector, writeback connector.
 * @crtc: DRM's.
 * @encoder: DRM's.
 * @connector: DRM's.
 * @writeback: DRM's.
 * @kms: owner; constant.
 * @index: constant.
 * @timer: expires at each vblank, while the CRTC is active.
 * @period: time between two vblanks; constant while @timer runs.
 * @due: time of the next vblank; under @lock while the timer runs.
 * @last_vblank: time of the last vblank, in ns; atomic.
 * @lock: protects the members below, unless they say otherwise; taken outside the locks of DRM's
 *	vblanks and events.
 * @current_frame: what the next vblank shows; NULL: nothing.
 * @unshown: no vblank has shown @current_frame yet; locking as for @due.
 * @expected: model clock: fence of a commit that has not handed over its frame yet; NULL: none is
 *	expected.
 * @held_since: CLOCK_MONOTONIC, in ns, from which on the due vblank is held; 0: it is not held;
 *	locking as for @due.
 * @staged: writeback job of the next frame; only the commit that has the CRTC uses it.
 * @blocks: the commit that is being made blocks; only the commit that has the CRTC uses it.
 * @flip: fence of the last commit that does not block; NULL: the commit has taken effect. At most
 *	this one waits for fences of clients. @expected and @flip are no references: a fence's end
 *	resets them.
 * @composing: the shot that @work composes.
 * @next: the shot that is composed after that.
 * @crc: checksums are read.
 * @snapshot: a snapshot that is due and that the composer does not have yet; NULL: none.
 * @crc_files: references to the adapter, and to the module, that are held for the checksums' file.
 * @paused: the composer may not read memory.
 * @idle: woken when @composing, @next, @snapshot or the writeback job of @current_frame has
 *	changed, and when a snapshot has ended.
 * @work: the composer.
 * @crc_end: gives references of @crc_files back.
 * @lines: room of the composer; constant.
 * @composed: pictures that were composed; under @lock.
 * @late: vblanks that came before the picture of the last one was ready; under @lock.
 * @written: pictures written back; under @lock.
 * @held: vblanks that were held; under @lock.
 * @missed: of these, vblanks that came before what they were held for; under @lock.
 * @no_monitor: 1: the monitor is pulled out; atomic.
 */
struct vsplit_head {
	struct drm_crtc crtc;
	struct drm_encoder encoder;
	struct drm_connector connector;
	struct drm_writeback_connector writeback;
	struct vsplit_kms *kms;
	u32 index;
	struct hrtimer timer;
	ktime_t period;
	ktime_t due;
	atomic64_t last_vblank;
	spinlock_t lock; /* what follows */
	struct vsplit_frame *current_frame;
	bool unshown;
	struct dma_fence *expected;
	u64 held_since;
	struct vsplit_writeback *staged;
	bool blocks;
	struct dma_fence *flip;
	struct vsplit_shot composing;
	struct vsplit_shot next;
	bool crc;
	struct vsplit_snapshot *snapshot;
	u32 crc_files;
	bool paused;
	wait_queue_head_t idle;
	struct work_struct work;
	struct work_struct crc_end;
	struct vsplit_lines *lines;
	u64 composed;
	u64 late;
	u64 written;
	u64 held;
	u64 missed;
	u32 no_monitor;
};

/**
 * struct vsplit_kms - The display of an adapter.
 * @drm: the adapter.
 * @composers: workqueue of composers; constant. It has a rescuer, as fences wait for composers.
 * @nr_heads: constant.
 * @heads: @nr_heads of them; own locking.
 */
struct vsplit_kms {
	struct drm_device *drm;
	struct workqueue_struct *composers;
	u32 nr_heads;
	struct vsplit_head heads[] __counted_by(nr_heads);
};

static inline struct vsplit_head *crtc_to_head(struct drm_crtc *crtc)
{
	return container_of(crtc, struct vsplit_head, crtc);
}

static inline struct vsplit_crtc_state *to_vsplit_crtc_state(struct drm_crtc_state *state)
{
	return container_of(state, struct vsplit_crtc_state, base);
}

int vsplit_fb_check(struct drm_framebuffer *fb);
int vsplit_plane_wait_cleaned_up(struct drm_plane *plane);
bool vsplit_plane_keeps_pins(struct drm_plane *plane, const struct drm_framebuffer *fb);
int vsplit_head_init(struct vsplit_head *head, struct drm_plane *primary,
		     struct drm_plane *cursor);
void vsplit_head_wait_unused(struct vsplit_head *head, const struct vsplit_frame *frame);
void vsplit_head_set_paused(struct vsplit_head *head, bool paused);
void vsplit_head_expect(struct drm_atomic_state *state, struct dma_fence *flip);

/* ---- checksums (vsplit_crc.c): functions of struct drm_crtc_funcs ---- */

void vsplit_crc_end(struct work_struct *work);
const char *const *vsplit_crc_get_sources(struct drm_crtc *crtc, size_t *count);
int vsplit_crc_verify(struct drm_crtc *crtc, const char *source, size_t *count);
int vsplit_crc_set(struct drm_crtc *crtc, const char *source);
void vsplit_crc_report(struct vsplit_head *head, bool done, u64 frame, u32 crc);

/* ---- snapshots (vsplit_snapshot.c) ---- */

struct vsplit_snapshot *vsplit_snapshot_begin(struct vsplit_head *head,
					      const struct vsplit_picture *picture);
int vsplit_snapshot_register(struct drm_crtc *crtc);

/* ---- planes (vsplit_plane.c) ---- */

/* Pins of the @nr objects of a framebuffer; belongs to the plane states that name it. */
struct vsplit_shown {
	struct kref ref; /* references of those states */
	struct drm_framebuffer *fb; /* a reference */
	struct vsplit_scanout scanouts[VSPLIT_MAX_FB_GEMS];
	u32 nr;
};

/**
 * struct vsplit_plane_state - State of a plane.
 * @base: DRM's.
 * @shown: pins of the framebuffer, from prepare to cleanup; a reference.
 * @added: the commit does not change the plane, but shows a frame that the plane is in.
 */
struct vsplit_plane_state {
	struct drm_plane_state base;
	struct vsplit_shown *shown;
	bool added;
};

static inline struct vsplit_plane_state *to_vsplit_plane_state(struct drm_plane_state *state)
{
	return container_of(state, struct vsplit_plane_state, base);
}

struct drm_plane *vsplit_plane_create(struct vsplit_kms *kms, enum drm_plane_type type,
				      u32 head, u32 zpos, u32 max_zpos);
void vsplit_plane_layer(const struct drm_plane_state *state, struct vsplit_layer *layer);

/* ---- pending flips (vsplit_flip.c) ---- */

/** VSPLIT_FLIP_PATIENCE - jiffies that a commit waits, with locks, for work of its own process. */
#define VSPLIT_FLIP_PATIENCE	(5 * HZ)

/* Limit of the wait of a commit that blocks: @work makes overdue what the commit waits for. */
struct vsplit_flip_patience {
	struct delayed_work work;
	struct drm_atomic_state *state;
};

int vsplit_flip_add_head(struct vsplit_head *head);
int vsplit_flip_begin(struct drm_plane *plane, struct drm_plane_state *new);
void vsplit_flip_bear(struct vsplit_flip_patience *patience, struct drm_atomic_state *state);
void vsplit_flip_borne(struct vsplit_flip_patience *patience);
bool vsplit_flip_waits(struct dma_fence *flip);
bool vsplit_flip_is_behind(struct drm_atomic_state *state);
struct dma_fence *vsplit_flip_take(struct drm_atomic_state *state);
void vsplit_flip_end(struct dma_fence *flip);

/* ---- writeback connectors (vsplit_writeback.c) ---- */

int vsplit_writeback_init(struct vsplit_head *head);
void vsplit_writeback_wait(struct drm_atomic_state *state);

/* ---- EDID (vsplit_edid.c) ---- */

int vsplit_edid_read_block(void *context, u8 *to, unsigned int block, size_t len);

#endif /* _VSPLIT_KMS_INTERNAL_H_ */
