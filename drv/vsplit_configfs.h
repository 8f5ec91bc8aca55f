/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef _VSPLIT_CONFIGFS_H_
#define _VSPLIT_CONFIGFS_H_

int vsplit_configfs_init(void);
void vsplit_configfs_exit(void);

#endif /* _VSPLIT_CONFIGFS_H_ */
