// SPDX-License-Identifier: MIT
/* Replaces wayland.c if the libraries and protocols of Wayland were missing during the build. */
#include <errno.h>

#include "scene.h"

int scene_window_open(const struct scene_size *size, struct scene_window **out)
{
	(void)size;
	(void)out;
	complain("--wayland: built without libwayland-dev and wayland-protocols");
	return -EOPNOTSUPP;
}

void scene_window_close(struct scene_window *w)
{
	(void)w;
}

int scene_window_show(struct scene_window *w, struct vsplit_bo *bo, uint32_t pitch,
		      struct scene_report *report)
{
	(void)w;
	(void)bo;
	(void)pitch;
	(void)report;
	return -EOPNOTSUPP;
}

int scene_window_wait(struct scene_window *w)
{
	(void)w;
	return -EOPNOTSUPP;
}
