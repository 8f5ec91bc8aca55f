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

/**
 * struct vsplit_file - What the driver keeps for one open DRM file.
 * @locks: CPU locks that the file holds; has a lock of its own.
 * @exec: contexts of the file; has a lock of its own.
 * @suspended: engines that the file suspended, a bit for each; atomic bit operations.
 * @read_lock: allows one read() at a time.
 */
struct vsplit_file {
	struct vsplit_lock_table locks;
	struct vsplit_exec_file exec;
	unsigned long suspended;
	struct mutex read_lock; /* read() */
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
