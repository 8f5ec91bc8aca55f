/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _VSPLIT_FDINFO_H_
#define _VSPLIT_FDINFO_H_

struct drm_file;
struct drm_printer;

void vsplit_fdinfo_show(struct drm_printer *p, struct drm_file *file);

#endif /* _VSPLIT_FDINFO_H_ */
