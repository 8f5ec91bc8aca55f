// SPDX-License-Identifier: MIT
/*
 * What the tests of PCI devices share: see the header.
 */
#include "igt.h"
#include "igt_vsplit_pci.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct pci_function pci_devices[MAX_PCI_DEVICES];
unsigned int nr_pci_devices;

void pci_attribute(char *path, size_t size, const char *name, const char *file)
{
	snprintf(path, size, PCI_BUS "/devices/%s/%s", name, file);
}

int __pci_write(const struct pci_function *dev, const char *file, const char *value)
{
	char path[96];

	pci_attribute(path, sizeof(path), dev->name, file);
	return __vsplit_write_file(path, value);
}

void pci_write(const struct pci_function *dev, const char *file, const char *value)
{
	int ret = __pci_write(dev, file, value);

	igt_assert_f(!ret, "writing to %s of %s: %s\n", file, dev->name, strerror(-ret));
}

bool pci_is_bound(const struct pci_function *dev)
{
	char path[64];

	snprintf(path, sizeof(path), PCI_DRIVER "/%s", dev->name);
	return access(path, F_OK) == 0;
}

bool pci_is_present(const struct pci_function *dev)
{
	char path[96];

	pci_attribute(path, sizeof(path), dev->name, "resource");
	return access(path, F_OK) == 0;
}

/* The file may belong to a device that is gone: empty lines are no BAR. */
bool pci_read_bar(struct pci_function *dev)
{
	unsigned long long start, end, flags;
	char path[96];
	bool found;
	FILE *f;

	pci_attribute(path, sizeof(path), dev->name, "resource");
	f = fopen(path, "r");
	igt_assert(f);
	found = fscanf(f, "%*s %*s %*s %*s %*s %*s %llx %llx %llx", &start, &end, &flags) == 3;
	fclose(f);
	dev->bar = start;
	dev->bar_size = end - start + 1;
	return found && start && (flags & 0x200);
}

static bool id_is(const char *name, const char *file, const char *id)
{
	char path[320], value[16];

	snprintf(path, sizeof(path), PCI_BUS "/devices/%s/%s", name, file);
	return !__vsplit_read_file(path, value, sizeof(value)) && !strcmp(value, id);
}

/* Finds ivshmem devices that are bound to this driver, or to no driver. */
void pci_find_devices(void)
{
	char path[320];
	struct dirent *e;
	DIR *d;

	igt_require_f(access(PCI_DRIVER, F_OK) == 0,
		      "the module is not loaded, or has no PCI driver\n");
	d = opendir(PCI_BUS "/devices");
	igt_assert(d);
	while ((e = readdir(d)) && nr_pci_devices < MAX_PCI_DEVICES) {
		struct pci_function *dev = &pci_devices[nr_pci_devices];

		if (!id_is(e->d_name, "vendor", "0x1af4") || !id_is(e->d_name, "device", "0x1110"))
			continue;
		snprintf(dev->name, sizeof(dev->name), "%.15s", e->d_name);
		snprintf(path, sizeof(path), PCI_BUS "/devices/%s/driver", e->d_name);
		if (access(path, F_OK) == 0 && !pci_is_bound(dev))
			continue;
		if (pci_read_bar(dev))
			nr_pci_devices++;
	}
	closedir(d);
	igt_require_f(nr_pci_devices, "there is no ivshmem device: see vm/run --pci\n");
}

void pci_try_bind(const struct pci_function *dev)
{
	if (pci_is_bound(dev))
		return;
	pci_write(dev, "driver_override", "vsplit\n");
	igt_assert_eq(__vsplit_write_file(PCI_BUS "/drivers_probe", dev->name), 0);
}

void pci_unbind(const struct pci_function *dev)
{
	igt_assert_eq(__vsplit_write_file(PCI_DRIVER "/unbind", dev->name), 0);
	igt_assert(!pci_is_bound(dev));
}

void pci_bind(const struct pci_function *dev)
{
	pci_try_bind(dev);
	igt_assert_f(pci_is_bound(dev), "the driver did not take %s\n", dev->name);
}

void pci_use(struct pci_function *dev)
{
	struct drm_vsplit_segment_info segs[VSPLIT_MAX_SEGMENTS];
	char path[320];
	struct dirent *e;
	DIR *d;

	pci_bind(dev);
	dev->render = -1;
	dev->primary = -1;
	pci_attribute(path, sizeof(path), dev->name, "drm");
	d = opendir(path);
	igt_assert(d);
	while ((e = readdir(d))) {
		sscanf(e->d_name, "renderD%d", &dev->render);
		sscanf(e->d_name, "card%d", &dev->primary);
	}
	closedir(d);
	igt_assert_lte(128, dev->render);
	igt_assert_lte(0, dev->primary);
	dev->fd = vsplit_open_render(dev->render);
	dev->ctx = vsplit_ctx(dev->fd, 0);
	for (unsigned int i = vsplit_query_segments(dev->fd, segs); i-- > 0;)
		if (!(segs[i].flags & VSPLIT_SEGMENT_APERTURE))
			dev->segment = segs[i];
}

bool pci_has_reset(const struct pci_function *dev)
{
	char path[96];

	pci_attribute(path, sizeof(path), dev->name, "reset");
	return access(path, W_OK) == 0;
}

void pci_require_reset(const struct pci_function *dev)
{
	igt_require_f(pci_has_reset(dev), "%s has no reset\n", dev->name);
}

void *pci_reset_thread(void *dev)
{
	return (void *)(intptr_t)__pci_write(dev, "reset", "1");
}
