/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CHECK_HEAT_H
#define ASSAY_CHECK_HEAT_H

#include "assay/check/check.h"

#define HEAT_SLOWDOWN "window.temperature.slowdown"
#define HEAT_NOT_REACHED "not reached"
#define HEAT_NOT_TOLD "not told"

/* After read_samples and read_windows, of a test on one host: adds how near each GPU came to its own slowdown. */
void read_heat(struct reading *out);

#endif
