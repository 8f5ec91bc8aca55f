/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Adapters that are PCI devices.
 */
#ifndef _VSPLIT_PCI_H_
#define _VSPLIT_PCI_H_

#if IS_ENABLED(CONFIG_PCI)
int vsplit_pci_init(void);
void vsplit_pci_exit(void);
#else
static inline int vsplit_pci_init(void)
{
	return 0;
}

static inline void vsplit_pci_exit(void)
{
}
#endif

#endif /* _VSPLIT_PCI_H_ */
