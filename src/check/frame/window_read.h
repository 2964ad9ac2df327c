/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CHECK_WINDOW_READ_H
#define ASSAY_CHECK_WINDOW_READ_H

#include "assay/check/check.h"

/* Slots of every check with a window, and the reading of an attempt's windows. */
void window_slots(const struct check_context *context, struct slot_list *slots);
void read_windows(const struct check_context *context, struct attempt *attempt, struct reading *out);

extern const struct remedy window_remedies[];

#endif
