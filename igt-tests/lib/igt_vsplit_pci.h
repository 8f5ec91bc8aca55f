/* SPDX-License-Identifier: MIT */
/* What the tests of PCI devices share: the devices, and the operations of the bus on them. */
#ifndef IGT_VSPLIT_PCI_H
#define IGT_VSPLIT_PCI_H

#include <stdbool.h>
#include <stdint.h>

#include "igt_vsplit.h"

#pragma GCC visibility push(hidden)

#define PCI_BUS		"/sys/bus/pci"
#define PCI_DRIVER	PCI_BUS "/drivers/vsplit"
#define MAX_PCI_DEVICES	8

/**
 * struct pci_function - A device for the driver, bound or not.
 * @name: of the device.
 * @bar: address of BAR 2, from the device's file "resource".
 * @bar_size: in bytes.
 * @render: minor of its render node, once it is used; here and below.
 * @primary: minor of its primary node.
 * @fd: a file on its render node.
 * @ctx: a context of @fd.
 * @segment: the memory segment in the BAR.
 */
struct pci_function {
	char name[16];
	uint64_t bar;
	uint64_t bar_size;
	int render;
	int primary;
	int fd;
	uint32_t ctx;
	struct drm_vsplit_segment_info segment;
};

extern struct pci_function pci_devices[MAX_PCI_DEVICES];
extern unsigned int nr_pci_devices;

/* Fills the array; skips if there is none. */
void pci_find_devices(void);
/* Binds the device if it is not bound, and opens it. */
void pci_use(struct pci_function *dev);

/* The path of a file of the device @name. */
void pci_attribute(char *path, size_t size, const char *name, const char *file);
int __pci_write(const struct pci_function *dev, const char *file, const char *value);
void pci_write(const struct pci_function *dev, const char *file, const char *value);

bool pci_is_present(const struct pci_function *dev);
bool pci_is_bound(const struct pci_function *dev);
/* Is there a BAR? Notes its address and size. */
bool pci_read_bar(struct pci_function *dev);
/* Binds the device, which the driver may refuse. */
void pci_try_bind(const struct pci_function *dev);
void pci_bind(const struct pci_function *dev);
void pci_unbind(const struct pci_function *dev);
bool pci_has_reset(const struct pci_function *dev);
/* Skips if the function has no reset. */
void pci_require_reset(const struct pci_function *dev);
/* A thread function that resets the function @dev; returns -errno. */
void *pci_reset_thread(void *dev);

#pragma GCC visibility pop

#endif /* IGT_VSPLIT_PCI_H */
