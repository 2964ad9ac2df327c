/* SPDX-License-Identifier: Apache-2.0 */
/* What each host saw of a test by our own probe, compared with what rank 0 printed; see witness.c. */
#ifndef ASSAY_CHECK_WITNESS_H
#define ASSAY_CHECK_WITNESS_H

#include "assay/check/check.h"

/* The tool's option. */
void witness_put_option(const struct check_context *context, struct text *out);
/* Doubts the reading of the table where a host does not bear it out. */
void witness_read(const struct check_context *context, const struct attempt *attempt, struct reading *out);

#endif
