/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's command line as hosts compare it: the words that are wanted, each once, in ascending order, for their
 * order means nothing; "none" where there is none of them. In the arena.
 */
#ifndef ASSAY_CHECK_BOOT_OPTIONS_H
#define ASSAY_CHECK_BOOT_OPTIONS_H

#include <stdbool.h>

#include "assay/base/arena.h"
#include "assay/base/scan.h"

const char *boot_options(struct arena *arena, struct slice command_line, bool (*wanted)(struct slice word));
/* Not what names a host's own disks, addresses or files: root=UUID=..., BOOT_IMAGE=..., ip=... */
bool boot_option_is_shared(struct slice word);
/* What decides whether devices reach each other past the CPU: IOMMU, ACS and other settings of PCI. */
bool boot_option_is_of_pci(struct slice word);

#endif
