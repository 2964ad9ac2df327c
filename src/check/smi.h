/* SPDX-License-Identifier: Apache-2.0 */
/* What checks that read nvidia-smi share. */
#ifndef ASSAY_CHECK_SMI_H
#define ASSAY_CHECK_SMI_H

#include "assay/check.h"

/*
 * A complaint of nvidia-smi about one thing (a GPU that must be reset, a row that could not be remapped) is
 * judged by the check that owes that thing. In a check that asked nvidia-smi for something else it stays as a
 * warning: one fault is one accusation, and at the right item.
 */
void smi_leave_to_owner(const struct check_context *context, struct reading *out);
/* fact = "N/A" for each GPU that nvidia-smi tells of without this field, which its driver then does not have.
 */
void smi_field_or_none(struct reading *out, const char *fact);

#endif
