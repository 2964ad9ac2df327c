/* SPDX-License-Identifier: Apache-2.0 */
/* PCI addresses in one form, so that what different tools say of one device can be joined. */
#ifndef ASSAY_PCI_ADDRESS_H
#define ASSAY_PCI_ADDRESS_H

#include "assay/base/arena.h"
#include "assay/base/scan.h"

/*
 * "00000000:9B:00.0", "9b:00.0", "PCI:0000:9b:00" -> "0000:9b:00.0", "0000:9b:00.0", "0000:9b:00": lower
 * case, a domain of four digits (more only where they are not zero), the function only if it was there. NULL
 * when the text is no PCI address. Lives in the arena.
 */
const char *pci_address(struct arena *arena, struct slice text);
/* The same into bytes, of at least PCI_ADDRESS_BYTES; false, and nothing written, when it is none. */
enum { PCI_ADDRESS_BYTES = 24 };
bool pci_address_put(char *bytes, size_t size, struct slice text);

#endif
