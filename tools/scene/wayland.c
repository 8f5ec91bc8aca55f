// SPDX-License-Identifier: MIT
/*
 * A fullscreen window of a Wayland compositor. The compositor gets the allocations that the GPU has
 * drawn as dma-bufs (zwp_linux_dmabuf_v1), so nothing is copied here. The kernel tells whether the
 * compositor copies: if an allocation that was not created pinned is pinned, a head reads it.
 */
#define _GNU_SOURCE
#include <drm_fourcc.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <wayland-client.h>

#include "linux-dmabuf.h"
#include "presentation-time.h"
#include "scene.h"
#include "xdg-shell.h"

#define BUFFERS		2	/* number of buffers: as many as a renderer has targets */
#define DMABUF_VERSION	3	/* the first version with modifiers */

/* @held: true until the compositor releases the buffer. */
struct handed_over {
	struct vsplit_bo *bo;
	struct wl_buffer *buffer;
	bool held;
};

/*
 * @signals: signalfd for the signals that end the program.
 * @takes: the compositor takes XRGB8888 that is linear or has an implicit layout.
 * @configured: the compositor has configured the window.
 * @closed: the compositor wants the window closed.
 * @pending: feedback of the picture that was committed last.
 */
struct scene_window {
	struct scene_size size;
	struct wl_display *display;
	struct wl_registry *registry;
	struct wl_compositor *compositor;
	struct xdg_wm_base *base;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	struct wp_presentation *presentation;
	struct wl_surface *surface;
	struct xdg_surface *role;
	struct xdg_toplevel *toplevel;
	struct handed_over buffers[BUFFERS];
	int signals;
	bool takes;
	bool configured;
	bool closed;
	struct wp_presentation_feedback *pending;
	bool presented;
};

static int failed(const char *what, int error)
{
	complain("%s: %s (%s)", what, strerror(-error), errno_name(error));
	return error;
}

/* ---- events ------------------------------------------------------------ */

static void nothing_new(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format)
{
	(void)data;
	(void)dmabuf;
	(void)format;
}

static void on_modifier(void *data, struct zwp_linux_dmabuf_v1 *dmabuf, uint32_t format,
			uint32_t high, uint32_t low)
{
	const uint64_t modifier = (uint64_t)high << 32 | low;
	struct scene_window *w = data;

	(void)dmabuf;
	if (format != DRM_FORMAT_XRGB8888)
		return;
	w->takes |= modifier == DRM_FORMAT_MOD_LINEAR || modifier == DRM_FORMAT_MOD_INVALID;
}

static const struct zwp_linux_dmabuf_v1_listener dmabuf_listener = {
	.format = nothing_new,
	.modifier = on_modifier,
};

static void on_ping(void *data, struct xdg_wm_base *base, uint32_t serial)
{
	(void)data;
	xdg_wm_base_pong(base, serial);
}

static const struct xdg_wm_base_listener base_listener = { .ping = on_ping };

static void on_global(void *data, struct wl_registry *registry, uint32_t name,
		      const char *interface, uint32_t version)
{
	struct scene_window *w = data;

	if (!strcmp(interface, wl_compositor_interface.name))
		w->compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 1);
	else if (!strcmp(interface, xdg_wm_base_interface.name))
		w->base = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
	else if (!strcmp(interface, wp_presentation_interface.name))
		w->presentation = wl_registry_bind(registry, name, &wp_presentation_interface, 1);
	else if (!strcmp(interface, zwp_linux_dmabuf_v1_interface.name) &&
		 version >= DMABUF_VERSION)
		w->dmabuf = wl_registry_bind(registry, name, &zwp_linux_dmabuf_v1_interface,
					     DMABUF_VERSION);
}

static void on_global_gone(void *data, struct wl_registry *registry, uint32_t name)
{
	(void)data;
	(void)registry;
	(void)name;
}

static const struct wl_registry_listener registry_listener = {
	.global = on_global,
	.global_remove = on_global_gone,
};

static void on_role(void *data, struct xdg_surface *role, uint32_t serial)
{
	struct scene_window *w = data;

	xdg_surface_ack_configure(role, serial);
	w->configured = true;
}

static const struct xdg_surface_listener role_listener = { .configure = on_role };

/* The size is ignored: the picture has a size of its own. */
static void on_size(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height,
		    struct wl_array *states)
{
	(void)data;
	(void)toplevel;
	(void)width;
	(void)height;
	(void)states;
}

static void on_close(void *data, struct xdg_toplevel *toplevel)
{
	struct scene_window *w = data;

	(void)toplevel;
	w->closed = true;
}

static const struct xdg_toplevel_listener toplevel_listener = {
	.configure = on_size,
	.close = on_close,
};

static void on_release(void *data, struct wl_buffer *buffer)
{
	struct handed_over *b = data;

	(void)buffer;
	b->held = false;
}

static const struct wl_buffer_listener buffer_listener = { .release = on_release };

static void on_output(void *data, struct wp_presentation_feedback *feedback,
		      struct wl_output *output)
{
	(void)data;
	(void)feedback;
	(void)output;
}

static void end_feedback(struct scene_window *w, bool presented)
{
	w->presented = presented;
	wp_presentation_feedback_destroy(w->pending);
	w->pending = NULL;
}

static void on_presented(void *data, struct wp_presentation_feedback *feedback, uint32_t sec_high,
			 uint32_t sec_low, uint32_t nsec, uint32_t refresh, uint32_t seq_high,
			 uint32_t seq_low, uint32_t flags)
{
	(void)feedback;
	(void)sec_high;
	(void)sec_low;
	(void)nsec;
	(void)refresh;
	(void)seq_high;
	(void)seq_low;
	(void)flags;
	end_feedback(data, true);
}

static void on_discarded(void *data, struct wp_presentation_feedback *feedback)
{
	(void)feedback;
	end_feedback(data, false);
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = on_output,
	.presented = on_presented,
	.discarded = on_discarded,
};

static int lost(struct scene_window *w)
{
	const struct wl_interface *interface = NULL;
	int error = wl_display_get_error(w->display);
	uint32_t code;

	if (error != EPROTO)
		return failed("the compositor is gone", -error);
	code = wl_display_get_protocol_error(w->display, &interface, NULL);
	complain("the compositor found error %" PRIu32 " of %s", code,
		 interface ? interface->name : "an object");
	return -EPROTO;
}

/* Handle some events. Returns -ECANCELED after a signal, or if the window is to be closed. */
static int dispatch(struct scene_window *w)
{
	struct pollfd fds[] = {
		{ .fd = wl_display_get_fd(w->display), .events = POLLIN },
		{ .fd = w->signals, .events = POLLIN },
	};

	if (wl_display_prepare_read(w->display))
		return wl_display_dispatch_pending(w->display) < 0 ? lost(w) :
		       w->closed ? -ECANCELED : 0;
	wl_display_flush(w->display);
	if (poll(fds, ARRAY_SIZE(fds), -1) < 0 || fds[1].revents) {
		wl_display_cancel_read(w->display);
		return -ECANCELED;
	}
	if (wl_display_read_events(w->display) || wl_display_dispatch_pending(w->display) < 0)
		return lost(w);
	return w->closed ? -ECANCELED : 0;
}

/* ---- the window -------------------------------------------------------- */

/* The first commit asks for a configuration; wait for the compositor's answer. */
static int open_surface(struct scene_window *w)
{
	int ret = 0;

	w->surface = wl_compositor_create_surface(w->compositor);
	w->role = xdg_wm_base_get_xdg_surface(w->base, w->surface);
	xdg_surface_add_listener(w->role, &role_listener, w);
	w->toplevel = xdg_surface_get_toplevel(w->role);
	xdg_toplevel_add_listener(w->toplevel, &toplevel_listener, w);
	xdg_toplevel_set_title(w->toplevel, "vsplit-scene");
	xdg_toplevel_set_app_id(w->toplevel, "vsplit-scene");
	xdg_toplevel_set_fullscreen(w->toplevel, NULL);
	wl_surface_commit(w->surface);
	while (!ret && !w->configured)
		ret = dispatch(w);
	return ret;
}

static int find_globals(struct scene_window *w)
{
	w->registry = wl_display_get_registry(w->display);
	wl_registry_add_listener(w->registry, &registry_listener, w);
	if (wl_display_roundtrip(w->display) < 0)
		return lost(w);
	if (!w->dmabuf) {
		complain("the compositor takes no dma-bufs (zwp_linux_dmabuf_v1, version %d)",
			 DMABUF_VERSION);
		return -EOPNOTSUPP;
	}
	if (!w->compositor || !w->base || !w->presentation) {
		complain("the compositor lacks %s", !w->compositor ? wl_compositor_interface.name :
			 !w->base ? xdg_wm_base_interface.name : wp_presentation_interface.name);
		return -EOPNOTSUPP;
	}
	xdg_wm_base_add_listener(w->base, &base_listener, w);
	zwp_linux_dmabuf_v1_add_listener(w->dmabuf, &dmabuf_listener, w);
	if (wl_display_roundtrip(w->display) < 0)
		return lost(w);
	if (!w->takes) {
		complain("the compositor takes no dma-bufs that are linear XRGB8888");
		return -EOPNOTSUPP;
	}
	return 0;
}

int scene_window_open(const struct scene_size *size, struct scene_window **out)
{
	struct scene_window *w = calloc(1, sizeof(*w));
	sigset_t set;
	int ret;

	if (!w)
		return failed("cannot begin", -ENOMEM);
	w->size = *size;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	w->signals = signalfd(-1, &set, SFD_CLOEXEC);
	w->display = wl_display_connect(NULL);
	if (!w->display)
		ret = failed("no Wayland compositor", errno ? -errno : -ENOENT);
	else if (w->signals < 0)
		ret = failed("cannot take signals", -errno);
	else
		ret = find_globals(w);
	if (!ret)
		ret = open_surface(w);
	if (ret) {
		scene_window_close(w);
		return ret;
	}
	*out = w;
	return 0;
}

void scene_window_close(struct scene_window *w)
{
	uint32_t i;

	if (!w)
		return;
	for (i = 0; i < BUFFERS; i++) {
		if (w->buffers[i].buffer)
			wl_buffer_destroy(w->buffers[i].buffer);
	}
	if (w->pending)
		wp_presentation_feedback_destroy(w->pending);
	if (w->toplevel)
		xdg_toplevel_destroy(w->toplevel);
	if (w->role)
		xdg_surface_destroy(w->role);
	if (w->surface)
		wl_surface_destroy(w->surface);
	if (w->presentation)
		wp_presentation_destroy(w->presentation);
	if (w->dmabuf)
		zwp_linux_dmabuf_v1_destroy(w->dmabuf);
	if (w->base)
		xdg_wm_base_destroy(w->base);
	if (w->compositor)
		wl_compositor_destroy(w->compositor);
	if (w->registry)
		wl_registry_destroy(w->registry);
	if (w->display) {
		wl_display_flush(w->display);
		wl_display_disconnect(w->display);
	}
	if (w->signals >= 0)
		close(w->signals);
	free(w);
}

/* ---- pictures ---------------------------------------------------------- */

/* @done: the compositor has answered. @buffer: the result, or NULL. */
struct import {
	struct wl_buffer *buffer;
	bool done;
};

static void on_created(void *data, struct zwp_linux_buffer_params_v1 *params,
		       struct wl_buffer *buffer)
{
	struct import *import = data;

	(void)params;
	import->buffer = buffer;
	import->done = true;
}

static void on_failed(void *data, struct zwp_linux_buffer_params_v1 *params)
{
	struct import *import = data;

	(void)params;
	import->done = true;
}

static const struct zwp_linux_buffer_params_v1_listener params_listener = {
	.created = on_created,
	.failed = on_failed,
};

static int hand_over(struct scene_window *w, struct vsplit_bo *bo, uint32_t pitch,
		     struct handed_over *b)
{
	struct zwp_linux_buffer_params_v1 *params;
	struct import import = { 0 };
	int fd, ret = vsplit_bo_export(bo, &fd);

	if (ret)
		return failed("cannot export an allocation", ret);
	params = zwp_linux_dmabuf_v1_create_params(w->dmabuf);
	zwp_linux_buffer_params_v1_add_listener(params, &params_listener, &import);
	/*
	 * Pass the modifier even if a compositor on software GL advertises none: without a
	 * modifier, Weston would not put the buffer on a plane.
	 */
	zwp_linux_buffer_params_v1_add(params, fd, 0, 0, pitch, DRM_FORMAT_MOD_LINEAR >> 32,
				       (uint32_t)DRM_FORMAT_MOD_LINEAR);
	zwp_linux_buffer_params_v1_create(params, (int32_t)w->size.width, (int32_t)w->size.height,
					  DRM_FORMAT_XRGB8888, 0);
	while (!ret && !import.done)
		ret = dispatch(w);
	zwp_linux_buffer_params_v1_destroy(params);
	close(fd);
	if (ret)
		return ret;
	if (!import.buffer) {
		complain("the compositor refuses the dma-buf");
		return -EOPNOTSUPP;
	}
	b->bo = bo;
	b->buffer = import.buffer;
	wl_buffer_add_listener(b->buffer, &buffer_listener, b);
	return 0;
}

static struct handed_over *find_buffer(struct scene_window *w, const struct vsplit_bo *bo)
{
	uint32_t i;

	for (i = 0; i < BUFFERS - 1 && w->buffers[i].bo && w->buffers[i].bo != bo; i++)
		;
	return &w->buffers[i];
}

static bool others_are_held(const struct scene_window *w, const struct handed_over *b)
{
	uint32_t i;

	for (i = 0; i < BUFFERS; i++) {
		if (w->buffers[i].held && &w->buffers[i] != b)
			return true;
	}
	return false;
}

int scene_window_show(struct scene_window *w, struct vsplit_bo *bo, uint32_t pitch,
		      struct scene_report *report)
{
	struct handed_over *b = find_buffer(w, bo);
	struct drm_vsplit_gem_info info;
	int ret = b->buffer ? 0 : hand_over(w, bo, pitch, b);

	if (ret)
		return ret;
	w->pending = wp_presentation_feedback(w->presentation, w->surface);
	wp_presentation_feedback_add_listener(w->pending, &feedback_listener, w);
	wl_surface_attach(w->surface, b->buffer, 0, 0);
	wl_surface_damage(w->surface, 0, 0, INT32_MAX, INT32_MAX);
	wl_surface_commit(w->surface);
	b->held = true;
	while (!ret && w->pending)
		ret = dispatch(w);
	if (!ret && w->presented) {
		ret = vsplit_bo_info(bo, &info);
		report->shown++;
		report->in_place += !ret && info.flags & VSPLIT_GEM_INFO_PINNED;
	}
	while (!ret && others_are_held(w, b))
		ret = dispatch(w);
	return ret;
}

int scene_window_wait(struct scene_window *w)
{
	int ret;

	do
		ret = dispatch(w);
	while (!ret);
	return ret == -ECANCELED ? 0 : ret;
}
