/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the module calls of drv/debug/: debugfs, fdinfo and test hooks. */
#ifndef _VSPLIT_DEBUG_H_
#define _VSPLIT_DEBUG_H_

struct drm_device;
struct drm_file;
struct drm_printer;
struct vsplit_device;
struct vsplit_file;

void vsplit_debugfs_add(struct vsplit_device *vdev);
void vsplit_debugfs_init(void);
void vsplit_debugfs_exit(void);
int vsplit_escape_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
void vsplit_escape_close(struct vsplit_device *vdev, struct vsplit_file *vfile);
void vsplit_fdinfo_show(struct drm_printer *p, struct drm_file *file);

#endif /* _VSPLIT_DEBUG_H_ */
