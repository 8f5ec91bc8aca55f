/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _VSPLIT_ESCAPE_H_
#define _VSPLIT_ESCAPE_H_

struct drm_device;
struct drm_file;
struct vsplit_device;
struct vsplit_file;

int vsplit_escape_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
void vsplit_escape_close(struct vsplit_device *vdev, struct vsplit_file *vfile);

#endif /* _VSPLIT_ESCAPE_H_ */
