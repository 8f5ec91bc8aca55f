// SPDX-License-Identifier: MIT
/*
 * Draws a picture with one DMA buffer. Target, depths and vertices are bound once. Each draw first
 * binds its texture, which is a split point. So if video memory is short, the buffer is split
 * between two draws, and the allocations that are bound once stay in their places.
 */
#define _GNU_SOURCE
#include <drm_fourcc.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include "scene.h"

#define SLOT_TARGET	0
#define SLOT_DEPTH	1
#define SLOT_VERTICES	2
#define SLOT_TEXTURE	3
#define NUM_SLOTS	4

#define TARGETS		2	/* one is shown while the other one is drawn */
#define ALIGN_PITCH	64u
#define REFRESH		60	/* Hz */

/*
 * @targets: the pictures, drawn in turn; @current: the one that was drawn last.
 * @fbs: framebuffers of the targets; 0: none yet.
 * @crtc: the head that is lit, or 0.
 */
struct scene_renderer {
	struct vsplit_device *dev;
	struct vsplit_context *ctx;
	struct vsplit_stream *stream;
	struct scene_size size;
	uint32_t pitch;
	uint8_t segment;
	uint64_t memory;
	struct vsplit_bo *textures[SCENE_TEXTURES];
	struct vsplit_bo *targets[TARGETS];
	struct vsplit_bo *depth;
	struct vsplit_bo *vertices;
	uint32_t fbs[TARGETS];
	uint32_t *pixels;
	uint32_t current;
	uint32_t crtc;
};

static int failed(const char *what, int error)
{
	complain("%s: %s (%s)", what, strerror(-error), errno_name(error));
	return error;
}

static uint32_t pitch_of(const struct scene_size *size)
{
	return (size->width * 4 + ALIGN_PITCH - 1) / ALIGN_PITCH * ALIGN_PITCH;
}

uint64_t scene_texture_bytes(const struct scene_size *size)
{
	return (uint64_t)size->side * size->side * 4 * SCENE_TEXTURES;
}

uint64_t scene_other_bytes(const struct scene_size *size)
{
	return (uint64_t)pitch_of(size) * size->height * (TARGETS + 1) +
	       SCENE_MAX_VERTICES * sizeof(struct vsplit_vertex);
}

static int find_segment(struct scene_renderer *r)
{
	struct drm_vsplit_segment_info info[VSPLIT_MAX_SEGMENTS];
	uint32_t count = VSPLIT_MAX_SEGMENTS, i;
	int ret = vsplit_device_segments(r->dev, info, &count);

	if (ret)
		return failed("cannot query the segments", ret);
	for (i = 0; i < count; i++) {
		if (info[i].flags & VSPLIT_SEGMENT_APERTURE || info[i].commit_limit <= r->memory)
			continue;
		r->memory = info[i].commit_limit;
		r->segment = (uint8_t)info[i].id;
	}
	return r->memory ? 0 : failed("the adapter has no memory segment", -ENOSPC);
}

/* A draw needs the picture, its depths, its vertices and a texture at once. */
static int check_memory(const struct scene_renderer *r)
{
	const uint64_t bytes[] = {
		(uint64_t)r->pitch * r->size.height, (uint64_t)r->pitch * r->size.height,
		SCENE_MAX_VERTICES * sizeof(struct vsplit_vertex),
		(uint64_t)r->size.side * r->size.side * 4,
	};
	const uint64_t page = vsplit_device_adapter(r->dev)->page_size;
	char has[SIZE_TEXT], needs[SIZE_TEXT];
	uint64_t need = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bytes); i++)
		need += (bytes[i] + page - 1) / page * page;
	if (need <= r->memory)
		return 0;
	complain("%s of video memory is too little: a draw needs %s at once",
		 format_size(has, r->memory), format_size(needs, need));
	return -ENOSPC;
}

static int make(struct scene_renderer *r, uint64_t bytes, struct vsplit_bo **bo, void **ptr)
{
	struct drm_vsplit_gem_create params = {
		.size = bytes,
		.flags = VSPLIT_GEM_CPU_ACCESS,
		.num_segments = 1,
		.segments = { r->segment },
	};
	int ret = vsplit_bo_create_from(r->dev, &params, bo);

	return ret ? ret : vsplit_bo_map(*bo, ptr);
}

static int make_all(struct scene_renderer *r)
{
	const uint64_t side = r->size.side, bytes = (uint64_t)r->pitch * r->size.height;
	void *ptr;
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i < SCENE_TEXTURES; i++) {
		ret = make(r, side * side * 4, &r->textures[i], &ptr);
		if (!ret)
			scene_texture(i, r->size.side, ptr);
	}
	for (i = 0; !ret && i < TARGETS; i++)
		ret = make(r, bytes, &r->targets[i], &ptr);
	if (!ret)
		ret = make(r, bytes, &r->depth, &ptr);
	if (!ret)
		ret = make(r, SCENE_MAX_VERTICES * sizeof(struct vsplit_vertex), &r->vertices, &ptr);
	r->pixels = malloc((size_t)r->size.width * r->size.height * 4);
	if (!ret && !r->pixels)
		ret = -ENOMEM;
	return ret ? failed("cannot create an allocation", ret) : 0;
}

int scene_renderer_new(struct vsplit_device *dev, const struct scene_size *size,
		       struct scene_renderer **out)
{
	struct scene_renderer *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return failed("cannot begin", -ENOMEM);
	r->dev = dev;
	r->size = *size;
	r->pitch = pitch_of(size);
	ret = find_segment(r);
	if (!ret)
		ret = check_memory(r);
	if (!ret && vsplit_device_adapter(dev)->num_slots < NUM_SLOTS)
		ret = failed("the adapter has too few slots", -ENOSPC);
	if (!ret) {
		ret = vsplit_context_create(dev, 0, VSPLIT_CTX_PRIORITY_NORMAL, 0, &r->ctx);
		if (!ret)
			ret = vsplit_stream_create(&r->stream);
		if (ret)
			failed("cannot create a context", ret);
	}
	if (!ret)
		ret = make_all(r);
	if (ret) {
		scene_renderer_free(r);
		return ret;
	}
	*out = r;
	return 0;
}

void scene_renderer_free(struct scene_renderer *r)
{
	uint32_t i;

	if (!r)
		return;
	for (i = 0; i < TARGETS; i++) {
		if (r->fbs[i])
			drmModeRmFB(vsplit_device_fd(r->dev), r->fbs[i]);
		vsplit_bo_destroy(r->targets[i]);
	}
	for (i = 0; i < SCENE_TEXTURES; i++)
		vsplit_bo_destroy(r->textures[i]);
	vsplit_bo_destroy(r->depth);
	vsplit_bo_destroy(r->vertices);
	vsplit_stream_destroy(r->stream);
	vsplit_context_destroy(r->ctx);
	free(r->pixels);
	free(r);
}

/* ---- a picture --------------------------------------------------------- */

static void emit(struct scene_renderer *r, const struct scene_draw *d)
{
	const struct vsplit_surface depth = { .slot = SLOT_DEPTH, .pitch = r->pitch };
	const struct vsplit_image texture = {
		.surface = { .slot = SLOT_TEXTURE, .pitch = r->size.side * 4 },
		.width = (uint16_t)r->size.side, .height = (uint16_t)r->size.side,
	};
	const struct vsplit_draw draw = {
		.target = { .surface = { .slot = SLOT_TARGET, .pitch = r->pitch },
			    .width = (uint16_t)r->size.width, .height = (uint16_t)r->size.height },
		.depth = d->flags & VSPLIT_DRAW_DEPTH_TEST ? &depth : NULL,
		.texture = d->texture < SCENE_TEXTURES ? &texture : NULL,
		.vertices_slot = SLOT_VERTICES,
		.vertices_offset = d->first * sizeof(struct vsplit_vertex),
		.triangles = d->triangles,
		.flags = d->flags,
		.blend = d->blend,
		.right = (uint16_t)r->size.width,
		.bottom = (uint16_t)r->size.height,
	};

	if (draw.texture)
		vsplit_stream_bind(r->stream, SLOT_TEXTURE, r->textures[d->texture], 0, 0);
	vsplit_stream_draw(r->stream, &draw);
}

static void build(struct scene_renderer *r, const struct scene_frame *frame)
{
	struct vsplit_stream *s = r->stream;
	uint32_t i;

	vsplit_stream_reset(s);
	vsplit_stream_group_begin(s);
	vsplit_stream_bind(s, SLOT_TARGET, r->targets[r->current], 0, VSPLIT_ALLOC_WRITE);
	vsplit_stream_bind(s, SLOT_DEPTH, r->depth, 0, VSPLIT_ALLOC_WRITE);
	vsplit_stream_bind(s, SLOT_VERTICES, r->vertices, 0, 0);
	vsplit_stream_group_end(s);
	vsplit_stream_fill(s, SLOT_DEPTH, 0, (uint64_t)r->pitch * r->size.height, 0xffffffff);
	for (i = 0; i < frame->num_draws; i++)
		emit(r, &frame->draws[i]);
}

static void sum_up(struct scene_report *report, const struct vsplit_record *record)
{
	uint32_t i;

	report->pictures++;
	report->portions += record->head.num_portions;
	for (i = 0; i < record->head.num_events; i++) {
		const struct drm_vsplit_event *e = &record->events[i];

		if (e->type == VSPLIT_EVENT_PAGE_IN)
			report->paged_in += e->bytes;
		else if (e->type == VSPLIT_EVENT_EVICT)
			report->evicted += e->bytes;
	}
}

static int put_vertices(struct scene_renderer *r, const struct scene_frame *frame)
{
	void *ptr;
	int ret = vsplit_bo_lock(r->vertices, 0);

	if (ret)
		return ret;
	ret = vsplit_bo_map(r->vertices, &ptr);
	if (!ret)
		memcpy(ptr, frame->vertices, frame->num_vertices * sizeof(frame->vertices[0]));
	vsplit_bo_unlock(r->vertices);
	return ret;
}

static int get_pixels(struct scene_renderer *r)
{
	struct vsplit_bo *bo = r->targets[r->current];
	uint32_t y, row = r->size.width;
	void *ptr;
	int ret = vsplit_bo_lock(bo, VSPLIT_LOCK_READ_ONLY), gone;

	if (ret)
		return ret;
	ret = vsplit_bo_map(bo, &ptr);
	for (y = 0; !ret && y < r->size.height; y++)
		memcpy(r->pixels + (size_t)y * row, (char *)ptr + (size_t)y * r->pitch, row * 4);
	/* If the adapter is gone, the mapping has shown zeros. */
	gone = vsplit_bo_unlock(bo);
	return ret ? ret : gone;
}

int scene_render(struct scene_renderer *r, const struct scene_frame *frame,
		 struct scene_report *report, const uint32_t **pixels)
{
	struct vsplit_submission submission;
	struct vsplit_record *record;
	int ret;

	r->current = (r->current + 1) % TARGETS;
	report->memory = r->memory;
	ret = put_vertices(r, frame);
	if (!ret) {
		build(r, frame);
		ret = vsplit_submit(r->ctx, r->stream, 0, NULL, 0, &submission);
	}
	if (ret) {
		failed("cannot submit", ret);
		return EXIT_NOT_RUN;
	}
	ret = vsplit_wait(r->ctx, submission.id, -1, NULL);
	if (!ret)
		ret = vsplit_record_read(r->ctx, submission.id, &record);
	if (!ret) {
		sum_up(report, record);
		ret = -(int)record->head.error;
		vsplit_record_free(record);
	}
	if (!ret)
		ret = get_pixels(r);
	*pixels = r->pixels;
	return ret ? failed("the GPU failed", ret), EXIT_NOT_HELD : EXIT_HELD;
}

struct vsplit_bo *scene_target(const struct scene_renderer *r, uint32_t *pitch)
{
	*pitch = r->pitch;
	return r->targets[r->current];
}

/* ---- a head ------------------------------------------------------------ */

static uint32_t find_connector(int fd, const drmModeRes *res, uint32_t head)
{
	uint32_t found = 0;
	int i;

	for (i = 0; i < res->count_connectors && !found; i++) {
		drmModeConnectorPtr c = drmModeGetConnector(fd, res->connectors[i]);
		drmModeEncoderPtr e = c && c->count_encoders ?
				      drmModeGetEncoder(fd, c->encoders[0]) : NULL;

		if (e && e->possible_crtcs & 1u << head && c->connection == DRM_MODE_CONNECTED)
			found = c->connector_id;
		drmModeFreeEncoder(e);
		drmModeFreeConnector(c);
	}
	return found;
}

/* A mode of the picture's size. */
static drmModeModeInfo mode_of(const struct scene_size *size)
{
	uint32_t htotal = size->width + 32, vtotal = size->height + 8;

	return (drmModeModeInfo){
		.clock = (htotal * vtotal * REFRESH + 999) / 1000, .vrefresh = REFRESH,
		.hdisplay = (uint16_t)size->width, .hsync_start = (uint16_t)(size->width + 8),
		.hsync_end = (uint16_t)(size->width + 16), .htotal = (uint16_t)htotal,
		.vdisplay = (uint16_t)size->height, .vsync_start = (uint16_t)(size->height + 2),
		.vsync_end = (uint16_t)(size->height + 4), .vtotal = (uint16_t)vtotal,
		.name = "scene",
	};
}

static int light(struct scene_renderer *r, int fd, uint32_t head)
{
	drmModeResPtr res = drmModeGetResources(fd);
	drmModeModeInfo mode = mode_of(&r->size);
	uint32_t connector;
	int ret = -ENODEV;

	if (res && head < (uint32_t)res->count_crtcs) {
		connector = find_connector(fd, res, head);
		if (connector)
			ret = drmModeSetCrtc(fd, res->crtcs[head], r->fbs[r->current], 0, 0,
					     &connector, 1, &mode);
		if (!ret)
			r->crtc = res->crtcs[head];
	}
	drmModeFreeResources(res);
	return ret;
}

int scene_show(struct scene_renderer *r, uint32_t head)
{
	const uint32_t handles[4] = { vsplit_bo_handle(r->targets[r->current]) };
	const uint32_t pitches[4] = { r->pitch }, offsets[4] = { 0 };
	uint32_t *fb = &r->fbs[r->current];
	int fd = vsplit_device_fd(r->dev), ret = 0;

	if (!*fb && drmModeAddFB2(fd, r->size.width, r->size.height, DRM_FORMAT_XRGB8888, handles,
				  pitches, offsets, fb, 0))
		ret = -errno;
	if (!ret && !r->crtc)
		ret = light(r, fd, head);
	else if (!ret)
		ret = drmModePageFlip(fd, r->crtc, *fb, 0, NULL);
	/* The previous flip has not taken effect yet; it takes effect at the next vblank. */
	while (ret == -EBUSY) {
		drmVBlank vblank = { .request = { .type = DRM_VBLANK_RELATIVE, .sequence = 1 } };

		vblank.request.type |= head << DRM_VBLANK_HIGH_CRTC_SHIFT;
		ret = drmWaitVBlank(fd, &vblank) ? -errno :
		      drmModePageFlip(fd, r->crtc, *fb, 0, NULL);
	}
	return ret ? failed("cannot show the picture", ret) : 0;
}
