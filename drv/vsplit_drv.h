/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * How adapters are made and removed.
 */
#ifndef _VSPLIT_DRV_H_
#define _VSPLIT_DRV_H_

#include <linux/pm.h>
#include <linux/types.h>

#include "vsplit_device.h"
#include "exec/vsplit_exec.h"

struct device;
struct platform_device;

/* What the driver keeps for an open DRM file. Members have locks of their own, or are atomic. */
struct vsplit_file {
	struct vsplit_lock_table locks;
	struct vsplit_exec_file exec;
	unsigned long suspended; /* engines that the file suspended, a bit for each */
	struct mutex read_lock; /* one read() at a time */
};

struct vsplit_device *vsplit_device_create(struct device *parent,
					   const struct vsplit_adapter_config *config,
					   const struct vsplit_bar *bar);
void vsplit_device_unplug(struct vsplit_device *vdev);

struct platform_device *vsplit_adapter_create(const struct vsplit_adapter_config *config);
void vsplit_adapter_destroy(struct platform_device *pdev);
int vsplit_adapter_minor(struct platform_device *pdev, bool render);

/** vsplit_pm_ops - Suspend and resume of the platform device and the PCI device. */
extern const struct dev_pm_ops vsplit_pm_ops;

int vsplit_configfs_init(void);
void vsplit_configfs_exit(void);

extern struct pci_driver vsplit_pci_driver;

#endif /* _VSPLIT_DRV_H_ */
