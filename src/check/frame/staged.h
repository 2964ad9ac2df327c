/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CHECK_STAGED_H
#define ASSAY_CHECK_STAGED_H

#include "assay/check/check.h"

/* What a command begins with, and what each part does, to run the tools that were staged and no others. */
void put_staged_path(const struct check_context *context, struct text *out);
void put_staged_guard(const struct check_context *context, const struct part_row *row, struct text *out);

#endif
