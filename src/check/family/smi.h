/* SPDX-License-Identifier: Apache-2.0 */
/* What checks that read nvidia-smi share. */
#ifndef ASSAY_CHECK_SMI_H
#define ASSAY_CHECK_SMI_H

#include "assay/check/check.h"

/*
 * A complaint of nvidia-smi about one thing (a GPU that must be reset, a row that could not be remapped) is
 * judged by the check that owes that thing. In a check that asked nvidia-smi for something else it stays as a
 * warning: one fault is one accusation, and at the right item.
 */
void smi_leave_to_owner(const struct check_context *context, struct reading *out);
/* What the part "nvidia-smi" of an attempt told, with that. False, and the reading is partial: it did not tell all. */
bool smi_merge(const struct check_context *context, const struct attempt *attempt, struct reading *out);
/*
 * A field that nvidia-smi does not show for a GPU was not read: finding FACT.unread. That is not "N/A", by which it says
 * that the GPU has no such thing. Only drivers before release `first` (535 of 535.129.03) have no such field: fact =
 * SMI_NOT_IN_DRIVER.
 */
#define SMI_NOT_IN_DRIVER "not in this driver"
void smi_field_missing(struct reading *out, const char *fact, unsigned first);

#endif
