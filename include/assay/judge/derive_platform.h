/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A platform file from what one good host said of itself in a run. Pure: a record in, a document out.
 *
 * What is taken, each from the last attempt that told it:
 *   gpus       how many nvidia-smi lists; their names; PCI ids of what lspci has as GPUs; the least memory of one, whole
 *              GiB; the default power limit
 *   nvlink     links of one GPU and the speed of one, as `nvidia-smi nvlink -s` shows them
 *   pcie       the highest generation and width that GPU and slot can do
 *   nvswitch   lspci lists NVIDIA bridges, or nvidia-smi knows a fabric state
 *   hcas       all but those that `without` names, in the order of their numbers, and their rate
 * What no host says stays out, and is told: the oldest driver that will do, what NVLink carries by datasheet, a domain of
 * NVLink beyond the host.
 *
 * Where GPUs of the host differ in what a platform has one figure for, an NVLink is down, an HCA is not active or slower than others, or
 * something is not told, nothing is derived: a host that is odd in itself is no measure for others.
 */
#ifndef ASSAY_DERIVE_PLATFORM_H
#define ASSAY_DERIVE_PLATFORM_H

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/text.h"
#include "assay/model/record.h"

struct platform_notes {
    LIST_OF(const char *) items; /* what was left out, and what somebody has to look at; for people */
};

/*
 * Writes the document. host: its name in the plan. without: HCAs that are no compute HCAs, with ',' between; "". -1 with err set (ERROR_USAGE) where the run does not have the host,
 * or not what is needed of it; the text says which check tells it.
 */
int platform_derive(struct arena *arena, const struct record *record, const char *host, const char *without,
                    const char *name, struct text *out, struct platform_notes *ret_notes, struct error *err)
    __attribute__((warn_unused_result));

#endif
