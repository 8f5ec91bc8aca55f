/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _VSPLIT_DEBUGFS_H_
#define _VSPLIT_DEBUGFS_H_

struct vsplit_device;

void vsplit_debugfs_add(struct vsplit_device *vdev);
void vsplit_debugfs_init(void);
void vsplit_debugfs_exit(void);

#endif /* _VSPLIT_DEBUGFS_H_ */
