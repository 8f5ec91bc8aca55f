// SPDX-License-Identifier: MIT
/*
 * The display: lights heads, shows allocations on them, and notes when.
 *
 * DRM takes the next commit of a head only after the previous one took effect. So the player has a
 * queue of flips, and the event of a flip lets it commit the next one. Events of heads, like trims,
 * come through the files of their devices; only take_events() reads them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>
#include <drm_fourcc.h>

#include "head_picture.h"
#include "parse.h"
#include "run.h"

#define REFRESH		60	/* Hz, for modes that the player makes */
#define FB_SIDE		16u	/* pixels; side of a framebuffer that fits any allocation */

/* Properties that a commit of a head sets; those of its plane come first. */
enum head_prop {
	PLANE_FB_ID, PLANE_CRTC_ID, PLANE_SRC_X, PLANE_SRC_Y, PLANE_SRC_W, PLANE_SRC_H,
	PLANE_CRTC_X, PLANE_CRTC_Y, PLANE_CRTC_W, PLANE_CRTC_H, PLANE_IN_FENCE_FD,
	CONNECTOR_CRTC_ID, CRTC_MODE_ID, CRTC_ACTIVE, NUM_HEAD_PROPS
};

/*
 * A head of the run.
 * @lit: it has a mode.
 * @crtc, @connector, @plane: ids of the objects; @props: ids of their properties.
 * @fbs: framebuffers by allocation; 0: none yet.
 * @queue: index of the first flip that may be queued.
 * @pending: index of the flip that has not taken effect, or NO_INDEX.
 * @shown: allocation of the last flip that has taken effect, or NO_INDEX.
 * @frames: number of flips that have taken effect.
 * @error: error of the head statement.
 * @width, @height: size of the framebuffer that was flipped last.
 */
struct lit_head {
	bool lit;
	uint32_t crtc;
	uint32_t connector;
	uint32_t plane;
	uint32_t props[NUM_HEAD_PROPS];
	uint32_t *fbs;
	uint32_t queue;
	uint32_t pending;
	uint32_t shown;
	uint64_t frames;
	int error;
	uint64_t width;
	uint64_t height;
};

struct lit_head *heads_new(const struct scenario *s)
{
	struct lit_head *heads = calloc(s->num_heads + 1, sizeof(*heads));
	uint32_t i;

	for (i = 0; heads && i < s->num_heads; i++) {
		heads[i].pending = NO_INDEX;
		heads[i].shown = NO_INDEX;
		heads[i].fbs = calloc(s->num_allocs + 1, sizeof(*heads[i].fbs));
		if (!heads[i].fbs)
			heads = NULL;
	}
	if (!heads) {
		complain("%s", strerror(ENOMEM));
		exit(EXIT_NOT_RUN);
	}
	return heads;
}

void heads_free(const struct scenario *s, struct lit_head *heads)
{
	uint32_t i;

	for (i = 0; i < s->num_heads; i++)
		free(heads[i].fbs);
	free(heads);
}

static int head_fd(const struct player *p, uint32_t head)
{
	return vsplit_device_fd(p->devices[p->s->heads[head].device]);
}

/* ---- objects ----------------------------------------------------------- */

/* Find the ids of an object's properties from @first to @end - 1. */
static int find_props(int fd, uint32_t object, uint32_t props[NUM_HEAD_PROPS],
		      enum head_prop first, enum head_prop end)
{
	static const char *const names[] = {
		"FB_ID", "CRTC_ID", "SRC_X", "SRC_Y", "SRC_W", "SRC_H", "CRTC_X", "CRTC_Y",
		"CRTC_W", "CRTC_H", "IN_FENCE_FD", "CRTC_ID", "MODE_ID", "ACTIVE",
	};
	drmModeObjectPropertiesPtr list = drmModeObjectGetProperties(fd, object,
								     DRM_MODE_OBJECT_ANY);
	uint32_t i, j;

	if (!list)
		return -errno;
	for (i = 0; i < list->count_props; i++) {
		drmModePropertyPtr prop = drmModeGetProperty(fd, list->props[i]);

		for (j = first; prop && j < (uint32_t)end; j++) {
			if (!strcmp(prop->name, names[j]))
				props[j] = prop->prop_id;
		}
		drmModeFreeProperty(prop);
	}
	drmModeFreeObjectProperties(list);
	for (j = first; j < (uint32_t)end; j++) {
		if (!props[j])
			return -EOPNOTSUPP;
	}
	return 0;
}

/* Find the head's connector, and the mode that the monitor prefers. */
static int find_connector(int fd, uint32_t pipe, const drmModeRes *res, struct lit_head *head,
			  drmModeModeInfo *mode)
{
	int i;

	for (i = 0; i < res->count_connectors && !head->connector; i++) {
		drmModeConnectorPtr c = drmModeGetConnector(fd, res->connectors[i]);
		drmModeEncoderPtr e = c && c->count_encoders ?
				      drmModeGetEncoder(fd, c->encoders[0]) : NULL;

		if (e && e->possible_crtcs & 1u << pipe && c->count_modes &&
		    c->connection == DRM_MODE_CONNECTED) {
			head->connector = c->connector_id;
			*mode = c->modes[0];
		}
		drmModeFreeEncoder(e);
		drmModeFreeConnector(c);
	}
	return head->connector ? 0 : -ENODEV;
}

static int find_plane(int fd, uint32_t pipe, struct lit_head *head)
{
	drmModePlaneResPtr res = drmModeGetPlaneResources(fd);
	uint32_t i;

	/* The first one of the head's planes is the lowest one. */
	for (i = 0; res && i < res->count_planes && !head->plane; i++) {
		drmModePlanePtr plane = drmModeGetPlane(fd, res->planes[i]);

		if (plane && plane->possible_crtcs & 1u << pipe)
			head->plane = plane->plane_id;
		drmModeFreePlane(plane);
	}
	drmModeFreePlaneResources(res);
	return head->plane ? 0 : -ENODEV;
}

static int find_objects(int fd, uint32_t pipe, struct lit_head *head, drmModeModeInfo *mode)
{
	drmModeResPtr res = drmModeGetResources(fd);
	int ret;

	if (!res)
		return -errno;
	ret = pipe < (uint32_t)res->count_crtcs ? find_connector(fd, pipe, res, head, mode) : -ENODEV;
	if (!ret)
		head->crtc = res->crtcs[pipe];
	drmModeFreeResources(res);
	if (!ret)
		ret = find_plane(fd, pipe, head);
	if (!ret)
		ret = find_props(fd, head->plane, head->props, PLANE_FB_ID, CONNECTOR_CRTC_ID);
	if (!ret)
		ret = find_props(fd, head->connector, head->props, CONNECTOR_CRTC_ID, CRTC_MODE_ID);
	if (!ret)
		ret = find_props(fd, head->crtc, head->props, CRTC_MODE_ID, NUM_HEAD_PROPS);
	return ret;
}

/* ---- commits ----------------------------------------------------------- */

struct setting {
	enum head_prop prop;
	uint64_t value;
};

/* @count: number of settings. @user: user data of the event. */
static int commit(int fd, const struct lit_head *head, const struct setting *settings,
		  uint32_t count, uint32_t flags, uint64_t user)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	int ret = req ? 0 : -ENOMEM;
	uint32_t i;

	for (i = 0; i < count && !ret; i++) {
		enum head_prop prop = settings[i].prop;
		uint32_t object = prop < CONNECTOR_CRTC_ID ? head->plane :
				  prop < CRTC_MODE_ID ? head->connector : head->crtc;

		if (drmModeAtomicAddProperty(req, object, head->props[prop],
					     settings[i].value) < 0)
			ret = -ENOMEM;
	}
	if (!ret)
		ret = drmModeAtomicCommit(fd, req, flags, (void *)(uintptr_t)user);
	drmModeAtomicFree(req);
	return ret;
}

static void make_mode(drmModeModeInfo *mode, uint32_t width, uint32_t height)
{
	uint32_t htotal = width + 32, vtotal = height + 8;

	*mode = (drmModeModeInfo){
		.clock = (htotal * vtotal * REFRESH + 999) / 1000, .vrefresh = REFRESH,
		.hdisplay = (uint16_t)width, .hsync_start = (uint16_t)(width + 8),
		.hsync_end = (uint16_t)(width + 16), .htotal = (uint16_t)htotal,
		.vdisplay = (uint16_t)height, .vsync_start = (uint16_t)(height + 2),
		.vsync_end = (uint16_t)(height + 4), .vtotal = (uint16_t)vtotal,
	};
	snprintf(mode->name, sizeof(mode->name), "%ux%u", width, height);
}

static int light(int fd, struct lit_head *head, const drmModeModeInfo *mode)
{
	uint32_t blob;
	int ret;

	if (drmModeCreatePropertyBlob(fd, mode, sizeof(*mode), &blob))
		return -errno;
	ret = commit(fd, head, (struct setting[]){
			     { CONNECTOR_CRTC_ID, head->crtc }, { CRTC_MODE_ID, blob },
			     { CRTC_ACTIVE, 1 },
		     }, 3, DRM_MODE_ATOMIC_ALLOW_MODESET, 0);
	drmModeDestroyPropertyBlob(fd, blob);
	return ret;
}

static int start_head(struct player *p, uint32_t index)
{
	const struct head_def *h = &p->s->heads[index];
	struct lit_head *head = &p->heads[index];
	int fd = head_fd(p, index), ret;
	drmModeModeInfo mode;

	if (!drmIsMaster(fd) && drmSetMaster(fd))
		return -errno;
	if (drmSetClientCap(fd, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1) ||
	    drmSetClientCap(fd, DRM_CLIENT_CAP_ATOMIC, 1))
		return -errno;
	ret = find_objects(fd, h->pipe, head, &mode);
	if (ret)
		return ret;
	if (h->width)
		make_mode(&mode, h->width, h->height);
	return light(fd, head, &mode);
}

int run_head(struct player *p, const struct stmt *stmt)
{
	struct lit_head *head = &p->heads[stmt->index];

	head->error = start_head(p, stmt->index);
	head->lit = !head->error;
	return p->s->heads[stmt->index].error_expected ? 0 : head->error;
}

/* ---- the queue --------------------------------------------------------- */

/* The first flip of a head that was not committed yet, or NULL. */
static struct flip *next_queued(const struct player *p, uint32_t index)
{
	struct lit_head *head = &p->heads[index];

	for (; head->queue < p->r->num_flips; head->queue++) {
		struct flip *flip = &p->r->flips[head->queue];

		if (flip->head == index && flip->queued)
			return flip;
	}
	return NULL;
}

static void unqueue(struct flip *flip)
{
	flip->queued = false;
	if (flip->fence >= 0)
		close(flip->fence);
	flip->fence = -1;
}

static int commit_flip(struct player *p, const struct flip *flip)
{
	const struct alloc_def *a = &p->s->allocs[flip->alloc];
	struct lit_head *head = &p->heads[flip->head];
	uint32_t flags = DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT;
	int ret;

	/* An asynchronous flip may change only the framebuffer of a plane that is already on. */
	if (flip->async && head->width == a->width && head->height == a->height)
		flags |= DRM_MODE_PAGE_FLIP_ASYNC;
	ret = commit(head_fd(p, flip->head), head, (struct setting[]){
			     { PLANE_FB_ID, head->fbs[flip->alloc] },
			     { PLANE_CRTC_ID, head->crtc },
			     { PLANE_SRC_X, 0 }, { PLANE_SRC_Y, 0 },
			     { PLANE_SRC_W, a->width << 16 }, { PLANE_SRC_H, a->height << 16 },
			     { PLANE_CRTC_X, 0 }, { PLANE_CRTC_Y, 0 },
			     { PLANE_CRTC_W, a->width }, { PLANE_CRTC_H, a->height },
			     { PLANE_IN_FENCE_FD, (uint64_t)(int64_t)flip->fence },
		     }, 11, flags, (uint64_t)(flip - p->r->flips));
	if (!ret) {
		head->width = a->width;
		head->height = a->height;
	}
	return ret;
}

/* Report a flip that was refused when it was committed: its statement is already over. */
static void refused_later(struct player *p, const struct flip *flip)
{
	if (p->s->heads[flip->head].error_expected)
		return;
	*result_add_failure(p->r) = (struct failure){ flip->line, "flip", flip->error };
	result_log(p->r, LOG_FAILURE, p->r->num_failures - 1, 0);
	say(p->s, flip->line, "flip failed: %s (%s)", strerror(-flip->error),
	    errno_name(flip->error));
	p->not_run = true;
}

/* Is the submission that the flip has to follow unfinished? Does not wait. */
static bool is_behind(struct player *p, struct flip *flip)
{
	struct submission *sub;
	uint32_t ctx;

	if (flip->behind == NO_INDEX)
		return false;
	sub = &p->r->submissions[flip->behind];
	ctx = p->s->dmas[sub->dma].context;
	if (!sub->record && p->contexts[ctx] &&
	    (is_parked(p, sub) || (p->hwqs[ctx] ? hw_collect(p, sub, 0) :
						  vsplit_wait(p->contexts[ctx], sub->id, 0, NULL))))
		return true;
	flip->behind = NO_INDEX;
	return false;
}

/*
 * If no flip of the head is pending, commit the next one. @now: the statement of the flip is being
 * executed.
 */
static void commit_next(struct player *p, uint32_t index, bool now)
{
	struct lit_head *head = &p->heads[index];
	struct flip *flip;

	while (head->pending == NO_INDEX && (flip = next_queued(p, index)) && !is_behind(p, flip)) {
		flip->error = commit_flip(p, flip);
		unqueue(flip);
		if (!flip->error) {
			head->pending = (uint32_t)(flip - p->r->flips);
			continue;
		}
		result_log(p->r, LOG_FLIP, (uint32_t)(flip - p->r->flips), 0);
		if (!now)
			refused_later(p, flip);
	}
}

/* ---- what has taken effect --------------------------------------------- */

static void flip_done(struct player *p, struct flip *flip, uint64_t t1_ns)
{
	struct lit_head *head = &p->heads[flip->head];
	struct drm_vsplit_gem_info info;

	flip->done = true;
	flip->t1_ns = t1_ns;
	/*
	 * An asynchronous flip waits for no vblank, so its event has the time of the vblank before.
	 * The event of another flip can be earlier than @t0_ns only if heads have slowed down a
	 * model's clock; then its time is that of other steps.
	 */
	if (t1_ns < flip->t0_ns && flip->async)
		flip->t1_ns = flip->t0_ns;
	else if (t1_ns < flip->t0_ns)
		flip->t0_ns = t1_ns;
	if (p->bos[flip->alloc] && !vsplit_bo_info(p->bos[flip->alloc], &info)) {
		flip->segment = info.segment;
		flip->at = info.offset;
	}
	head->pending = NO_INDEX;
	head->shown = flip->alloc;
	head->frames++;
	result_log(p->r, LOG_FLIP, (uint32_t)(flip - p->r->flips), 0);
}

static void take_event(struct player *p, uint32_t device, const struct drm_event *event)
{
	const struct drm_event_vblank *e = (const void *)event;

	if (event->type == DRM_VSPLIT_EVENT_TRIM) {
		trim_arrived(p, device, (const void *)event);
	} else if (event->type == DRM_EVENT_FLIP_COMPLETE && e->user_data < p->r->num_flips) {
		struct flip *flip = &p->r->flips[e->user_data];

		flip_done(p, flip, e->tv_sec * 1000000000ull + e->tv_usec * 1000ull);
		commit_next(p, flip->head, false);
	}
}

/*
 * Read the events of a device once. @wait: until there is one. Returns 1 if there were any, or 0.
 */
static int take_events(struct player *p, uint32_t device, bool wait)
{
	struct pollfd poll_fd = { .fd = vsplit_device_fd(p->devices[device]), .events = POLLIN };
	_Alignas(8) char buffer[4096];
	ssize_t n, at = 0;
	int ret;

	do {
		ret = poll(&poll_fd, 1, wait ? -1 : 0);
	} while (ret < 0 && errno == EINTR);
	if (ret <= 0)
		return ret ? -errno : 0;
	if (!(poll_fd.revents & POLLIN))
		return -EIO;
	n = read(poll_fd.fd, buffer, sizeof(buffer));
	if (n <= 0)
		return n ? -errno : 0;
	while (n - at >= (ssize_t)sizeof(struct drm_event)) {
		const struct drm_event *event = (const void *)(buffer + at);

		if (event->length < sizeof(*event))
			return -EIO;
		at += (ssize_t)event->length;
		take_event(p, device, event);
	}
	return 1;
}

void take_all_events(struct player *p)
{
	uint32_t i;

	/* Without contexts of WDDM 2 and heads there are no events. */
	if (!p->s->adapter.modes && !p->s->num_heads)
		return;
	for (i = 0; i < p->s->num_devices; i++) {
		while (p->devices[i] && take_events(p, i, false) > 0)
			;
	}
}

/* Does the flip wait for a suspended engine, directly or through the allocation that it shows? */
static bool is_held(const struct player *p, const struct flip *flip)
{
	uint32_t i, j;

	for (i = 0; p->suspended && i < p->r->num_submissions; i++) {
		const struct submission *sub = &p->r->submissions[i];
		const struct dma_def *dma = &p->s->dmas[sub->dma];

		if (sub->error || sub->record ||
		    !(p->suspended >> p->s->contexts[dma->context].engine & 1))
			continue;
		if (sub->dma == flip->after)
			return true;
		for (j = 0; j < dma->num_ops; j++) {
			if (dma->ops[j].type == OP_BIND && dma->ops[j].alloc == flip->alloc)
				return true;
		}
	}
	return false;
}

/*
 * Wait for the submission that the next flip has to follow, and commit the flip. Returns -EDEADLK
 * if the submission is parked.
 */
static int settle_behind(struct player *p, uint32_t index, const struct flip *flip)
{
	struct submission *sub;
	int ret = 0;

	if (flip->behind != NO_INDEX) {
		sub = &p->r->submissions[flip->behind];
		ret = is_parked(p, sub) ? -EDEADLK : collect(p, sub);
	}
	if (!ret)
		commit_next(p, index, false);
	return ret;
}

/*
 * Wait until the last flip of a head has taken effect. Returns -EDEADLK without a message if one
 * cannot.
 */
static int settle(struct player *p, uint32_t index)
{
	const struct lit_head *head = &p->heads[index];
	const struct flip *flip;
	int ret = 0;

	while (ret >= 0) {
		if (head->pending == NO_INDEX) {
			flip = next_queued(p, index);
			if (!flip)
				return 0;
			ret = settle_behind(p, index, flip);
		} else if (is_held(p, &p->r->flips[head->pending])) {
			return -EDEADLK;
		} else {
			ret = take_events(p, p->s->heads[index].device, true);
		}
	}
	return ret;
}

void heads_go_on(struct player *p)
{
	uint32_t i;

	for (i = 0; i < p->s->num_heads; i++) {
		if (p->heads[i].lit)
			commit_next(p, i, false);
	}
}

/* The device of the head is closed: flips that have not taken effect are dropped. */
static void put_out(struct player *p, uint32_t index)
{
	struct flip *flip;

	p->heads[index].lit = false;
	p->heads[index].pending = NO_INDEX;
	while ((flip = next_queued(p, index)))
		unqueue(flip);
}

int heads_settle(struct player *p, uint32_t device)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < p->s->num_heads; i++) {
		if (device != NO_INDEX && p->s->heads[i].device != device)
			continue;
		ret = settle(p, i);
		if (device != NO_INDEX)
			put_out(p, i);
		if (ret && ret != -EDEADLK)
			return ret;
	}
	return 0;
}

static int tell_held(struct player *p, const struct stmt *stmt, int ret)
{
	if (ret == -EDEADLK)
		say(p->s, stmt->line, "%s would be waited for without end: an engine is suspended, or nothing raises a fence",
		    p->s->heads[stmt->index].name);
	return ret;
}

int run_wait_head(struct player *p, const struct stmt *stmt)
{
	return tell_held(p, stmt, settle(p, stmt->index));
}

/* ---- flip -------------------------------------------------------------- */

/* Get a handle of the allocation in the head's file. */
static int handle_of(struct player *p, uint32_t index, uint32_t alloc, uint32_t *handle)
{
	int dmabuf, ret;

	*handle = vsplit_bo_handle(p->bos[alloc]);
	if (p->s->allocs[alloc].device == p->s->heads[index].device)
		return 0;
	ret = vsplit_bo_export(p->bos[alloc], &dmabuf);
	if (ret)
		return ret;
	/*
	 * The handle is not closed: it may be shared with another allocation. It goes with the
	 * file.
	 */
	if (drmPrimeFDToHandle(head_fd(p, index), dmabuf, handle))
		ret = -errno;
	close(dmabuf);
	return ret;
}

static int need_fb(struct player *p, uint32_t index, uint32_t alloc)
{
	const struct alloc_def *a = &p->s->allocs[alloc];
	uint32_t *fb = &p->heads[index].fbs[alloc];
	const uint32_t pitches[4] = { (uint32_t)p->r->allocs[alloc].fb_pitch };
	uint32_t handles[4] = { 0 }, offsets[4] = { 0 };
	int ret;

	if (*fb)
		return 0;
	if (a->bpp != 32 && a->bpp != 16)
		return -EINVAL;
	ret = handle_of(p, index, alloc, &handles[0]);
	if (!ret && drmModeAddFB2(head_fd(p, index), (uint32_t)a->width, (uint32_t)a->height,
				  a->bpp == 32 ? DRM_FORMAT_XRGB8888 : DRM_FORMAT_RGB565, handles,
				  pitches, offsets, fb, 0))
		ret = -errno;
	return ret;
}

/*
 * A framebuffer makes an allocation a primary before any flip. If no head can show the allocation,
 * any framebuffer that fits will do.
 */
int need_primary(struct player *p, uint32_t alloc)
{
	const struct alloc_def *a = &p->s->allocs[alloc];
	int fd = vsplit_device_fd(p->devices[a->device]);
	const uint32_t handles[4] = { vsplit_bo_handle(p->bos[alloc]) };
	const uint32_t pitches[4] = { FB_SIDE * 4 }, offsets[4] = { 0 };
	uint32_t i, fb;

	for (i = 0; a->width && i < p->s->num_heads; i++) {
		if (p->heads[i].lit && p->s->heads[i].device == a->device)
			return need_fb(p, i, alloc);
	}
	/*
	 * The driver refuses swizzled allocations, and those that heads cannot reach: they are no
	 * primaries.
	 */
	if (!drmModeAddFB2(fd, FB_SIDE, FB_SIDE, DRM_FORMAT_XRGB8888, handles, pitches, offsets,
			   &fb, 0))
		drmModeRmFB(fd, fb);
	return 0;
}

/* Get the fence that a flip waits for, if there is one. */
static int after_fence(struct player *p, const struct stmt *stmt, struct flip *flip)
{
	const struct submission *sub = stmt->num_after ? last_submission(p, stmt->after[0]) : NULL;
	uint32_t ctx;
	int ret;

	/* A refused submission never runs, so there is nothing to wait for. */
	if (!sub || sub->error)
		return 0;
	ctx = p->s->dmas[sub->dma].context;
	/* A hardware queue has no fence, so wait here. */
	if (p->hwqs[ctx] && !is_parked(p, sub))
		return collect(p, last_submission(p, stmt->after[0]));
	ret = p->hwqs[ctx] ? -EINVAL : vsplit_fence_export(p->contexts[ctx], sub->id, &flip->fence);
	/* A submission that waits for a value has no fence before it is released. */
	if (ret == -EINVAL) {
		flip->behind = (uint32_t)(sub - p->r->submissions);
		ret = 0;
	}
	return ret;
}

/* Prepare a flip. Returns 0 or -errno. The queue takes care of the order. */
static int need_flip(struct player *p, const struct stmt *stmt, struct flip *flip)
{
	int ret;

	if (!p->heads[stmt->index].lit)
		return -ENODEV;
	if (!need_bo(p, stmt, stmt->alloc))
		return -ENOENT;
	ret = need_fb(p, stmt->index, stmt->alloc);
	return ret ? ret : after_fence(p, stmt, flip);
}

int run_flip(struct player *p, const struct stmt *stmt)
{
	struct flip *flip = result_add_flip(p->r);
	uint32_t index = p->r->num_flips - 1;

	*flip = (struct flip){
		.head = stmt->index, .alloc = stmt->alloc, .line = stmt->line, .fence = -1, .behind = NO_INDEX,
		.after = stmt->num_after ? stmt->after[0] : NO_INDEX, .async = stmt->async,
		.t0_ns = play_now_ns(),
	};
	flip->error = need_flip(p, stmt, flip);
	flip->queued = !flip->error;
	if (flip->error)
		result_log(p->r, LOG_FLIP, index, 0);
	else
		commit_next(p, stmt->index, true);
	return p->s->heads[stmt->index].error_expected ? 0 : flip->error;
}

/* ---- expect ------------------------------------------------------------ */

static int check_pixel(struct player *p, const struct stmt *stmt, const struct check *check,
		       char *got, size_t size, bool *failed)
{
	struct head_picture picture;
	const uint8_t *rgb;
	uint32_t colour;
	int ret;

	ret = head_picture_take(head_fd(p, stmt->index), p->s->heads[stmt->index].pipe, &picture);
	if (ret)
		return ret;
	if (check->x >= picture.width || check->y >= picture.height) {
		snprintf(got, size, "a picture of %ux%u", picture.width, picture.height);
		*failed = true;
	} else {
		rgb = picture.rgb + 3 * ((size_t)check->y * picture.width + check->x);
		colour = (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
		snprintf(got, size, "0x%06x", colour);
		*failed = colour != check->number;
	}
	head_picture_free(&picture);
	return 0;
}

/* The error of the last flip of a head or, without a flip, of the head itself. */
static int head_error(const struct player *p, uint32_t index)
{
	uint32_t i;

	for (i = p->r->num_flips; i-- > 0;) {
		if (p->r->flips[i].head == index)
			return p->r->flips[i].error;
	}
	return p->heads[index].error;
}

int check_head_of(struct player *p, const struct stmt *stmt, const struct check *check, char *got,
		  size_t size, bool *failed)
{
	const struct lit_head *head = &p->heads[stmt->index];
	int ret = settle(p, stmt->index), error = head_error(p, stmt->index);

	if (ret && ret != -EDEADLK)
		return ret;
	switch (check->type) {
	case CHECK_SHOWS:
		snprintf(got, size, "%s", head->shown == NO_INDEX ? "nothing" :
					  p->s->allocs[head->shown].name);
		*failed = head->shown != check->number;
		return 0;
	case CHECK_FRAMES:
		snprintf(got, size, "%" PRIu64, head->frames);
		*failed = !check_holds(check, head->frames);
		return 0;
	case CHECK_PIXEL:
		return check_pixel(p, stmt, check, got, size, failed);
	case CHECK_ERROR:
		*failed = check->number != (uint64_t)-error;
		break;
	default:
		*failed = error;
		break;
	}
	snprintf(got, size, "%s", error ? errno_name(error) : "no error");
	return 0;
}

static uint64_t first_command(const struct submission *sub)
{
	uint32_t i;

	for (i = 0; sub->record && i < sub->record->head.num_events; i++) {
		const struct drm_vsplit_event *e = &sub->record->events[i];

		if (e->type == VSPLIT_EVENT_PORTION && !e->portion)
			return e->t0_ns;
	}
	return 0;
}

int check_after_flip(struct player *p, const struct submission *sub, uint32_t head, char *got,
		     size_t size, bool *failed)
{
	const struct flip *flip = NULL;
	uint64_t began = first_command(sub);
	uint32_t i;
	int ret;

	for (i = sub->flips; i-- > 0 && !flip;) {
		if (p->r->flips[i].head == head && !p->r->flips[i].error)
			flip = &p->r->flips[i];
	}
	ret = flip && !flip->done ? settle(p, head) : 0;
	if (ret && ret != -EDEADLK)
		return ret;
	*failed = true;
	if (!flip)
		snprintf(got, size, "no flip before it");
	else if (!began)
		snprintf(got, size, "%s did not run", p->s->dmas[sub->dma].name);
	else if (!flip->done)
		snprintf(got, size, "the flip has not taken effect");
	else if (began < flip->t1_ns)
		snprintf(got, size, "it began %" PRIu64 " ns before", flip->t1_ns - began);
	else
		*failed = false;
	return 0;
}
