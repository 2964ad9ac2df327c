/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a healthy system reaches at least, computed from the platform's links: a floor (LIMIT_COMPUTED) for where nobody
 * has published or agreed on a figure. It gives way to any that can be enforced (slot_limits_find).
 */
#ifndef ASSAY_CHECK_COMPUTED_H
#define ASSAY_CHECK_COMPUTED_H

#include "assay/check/check.h"

/*
 * The own limits of a collective's bandwidth over the context's members at this size: its ceiling (ceiling.h) and what
 * is computed, as far as there are any, and one with a NULL metric behind them; NULL where there are none.
 */
const struct limit *computed_of_collective(const struct check_context *context, const char *collective,
                                           unsigned gpus_per_host, double size);

#endif
