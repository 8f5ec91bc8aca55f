// SPDX-License-Identifier: GPL-2.0 OR MIT
/**
 * DOC: the PCI device
 *
 * QEMU's ``ivshmem-plain`` (1af4:1110) is a PCI device that has nothing but memory, behind
 * BAR 2. The driver makes it an adapter whose first memory segment is that memory. The CPU then
 * sees the segment through a real PCI aperture (SEG-2). The GPU is the same software, and works
 * on the memory of the BAR.
 *
 * The device has other uses, so the driver has no table of ids. It takes a device only if it is
 * told to::
 *
 *	echo vsplit > /sys/bus/pci/devices/0000:01:00.0/driver_override
 *	echo 0000:01:00.0 > /sys/bus/pci/drivers_probe
 *
 * or, for all such devices, ``echo 1af4 1110 > /sys/bus/pci/drivers/vsplit/new_id``. The driver
 * refuses any other device, because the BAR 2 of that is no video memory.
 *
 * The module parameters configure the adapter; vsplit_params_bar_config() fits the sizes to the
 * BAR. The adapter has the name of the device.
 *
 * The kernel maps the memory cached, since it is RAM; the CPU mappings of clients then are cached,
 * too (the page attribute table sees to it). Clients do not see what earlier users left in it: the
 * GPU fills each allocation that it pages in for the first time.
 *
 * Unbinding the driver, removing the device and unloading the module all call
 * vsplit_pci_remove(), which does the same as for the platform device.
 *
 * A reset of the function (``echo 1 > reset``) loses no contents. Before the reset all allocations
 * in the BAR are paged out, pinned ones too. After the reset the pinned ones return to their
 * places, and the reset ends when their bytes are there. Meanwhile submissions wait, and CPU
 * mappings show system memory. Submitted work that uses the BAR has the adapter's timeout to end.
 * Then, or when the task that resets gets a signal, all work is cancelled (-ECANCELED) at the next
 * packet, and paging completes. If work waits for another driver for one more timeout, or host
 * memory is too short, the adapter is unplugged: its users see -ENODEV, and binding the driver
 * again makes a new adapter. The return of pinned allocations has the same limits of time.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/pci.h>

#include "debug/vsplit_fault.h"
#include "kms/vsplit_kms.h"
#include "vsplit_drv.h"
#include "vsplit_params.h"

#define VSPLIT_PCI_VENDOR	0x1af4
#define VSPLIT_PCI_DEVICE	0x1110
#define VSPLIT_PCI_BAR		2

static int vsplit_pci_check(struct pci_dev *pdev)
{
	u64 size = pci_resource_len(pdev, VSPLIT_PCI_BAR);

	if (pdev->vendor != VSPLIT_PCI_VENDOR || pdev->device != VSPLIT_PCI_DEVICE) {
		pci_err(pdev, "not a device whose BAR %d is free to use\n", VSPLIT_PCI_BAR);
		return -ENODEV;
	}
	if (!(pci_resource_flags(pdev, VSPLIT_PCI_BAR) & IORESOURCE_MEM) || !size) {
		pci_err(pdev, "BAR %d is no memory\n", VSPLIT_PCI_BAR);
		return -ENODEV;
	}
	if (!PAGE_ALIGNED(pci_resource_start(pdev, VSPLIT_PCI_BAR)) || !PAGE_ALIGNED(size)) {
		pci_err(pdev, "BAR %d of %llu bytes is smaller than a page\n", VSPLIT_PCI_BAR,
			size);
		return -EINVAL;
	}
	return 0;
}

/* The driver core gives everything here back when probing fails, or after remove. */
static int vsplit_pci_map(struct pci_dev *pdev, struct vsplit_bar *bar)
{
	int ret;

	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;
	ret = pcim_request_region(pdev, VSPLIT_PCI_BAR, "vsplit");
	if (ret)
		return ret;
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		return ret;

	if (vsplit_fault("pci.map"))
		return -ENOMEM;
	bar->address = pci_resource_start(pdev, VSPLIT_PCI_BAR);
	bar->memory = devm_memremap(&pdev->dev, bar->address,
				    pci_resource_len(pdev, VSPLIT_PCI_BAR), MEMREMAP_WB);
	return PTR_ERR_OR_ZERO(bar->memory);
}

static int vsplit_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct vsplit_adapter_config *config __free(kfree) = NULL;
	struct vsplit_bar bar = {};
	int ret;

	ret = vsplit_pci_check(pdev);
	if (ret)
		return ret;
	ret = vsplit_pci_map(pdev, &bar);
	if (ret) {
		pci_err(pdev, "BAR %d cannot be used: error %d\n", VSPLIT_PCI_BAR, ret);
		return ret;
	}

	config = kzalloc(sizeof(*config), GFP_KERNEL);
	if (!config)
		return -ENOMEM;
	ret = vsplit_params_bar_config(config, pci_resource_len(pdev, VSPLIT_PCI_BAR));
	strscpy(config->name, pci_name(pdev), sizeof(config->name));
	return ret ?: PTR_ERR_OR_ZERO(vsplit_device_create(&pdev->dev, config, &bar));
}

static void vsplit_pci_remove(struct pci_dev *pdev)
{
	vsplit_device_unplug(pci_get_drvdata(pdev));
}

static void vsplit_pci_reset_failed(struct pci_dev *pdev, int error)
{
	struct vsplit_device *vdev = pci_get_drvdata(pdev);

	pci_warn(pdev, "contents cannot be kept over a reset (error %d): the adapter is unplugged\n",
		 error);
	vsplit_device_unplug(vdev);
}

/* The device's lock is held from here to vsplit_pci_reset_done(). */
static void vsplit_pci_reset_prepare(struct pci_dev *pdev)
{
	struct vsplit_device *vdev = pci_get_drvdata(pdev);
	int ret;

	if (drm_dev_is_unplugged(&vdev->drm))
		return;
	vsplit_kms_set_paused(vdev, true);
	ret = vsplit_mm_leave_bar(&vdev->mm);
	if (ret)
		vsplit_pci_reset_failed(pdev, ret);
}

static void vsplit_pci_reset_done(struct pci_dev *pdev)
{
	struct vsplit_device *vdev = pci_get_drvdata(pdev);
	int ret;

	if (drm_dev_is_unplugged(&vdev->drm))
		return;
	ret = vsplit_mm_return_to_bar(&vdev->mm);
	if (ret)
		vsplit_pci_reset_failed(pdev, ret);
	else
		vsplit_kms_set_paused(vdev, false);
}

static const struct pci_error_handlers vsplit_pci_errors = {
	.reset_prepare = vsplit_pci_reset_prepare,
	.reset_done = vsplit_pci_reset_done,
};

struct pci_driver vsplit_pci_driver = {
	.name = "vsplit",
	/* There is no id_table: driver_override or new_id name the devices. */
	.probe = vsplit_pci_probe,
	.remove = vsplit_pci_remove,
	.err_handler = &vsplit_pci_errors,
	.driver.pm = pm_ptr(&vsplit_pm_ops),
};
