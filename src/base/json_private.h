/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_JSON_PRIVATE_H
#define ASSAY_JSON_PRIVATE_H

#include <stdbool.h>

#include "assay/base/scan.h"

enum { JSON_NUMBER_LIMIT = 63 }; /* bytes; cJSON and scan_double read no longer ones */

/* The grammar of a JSON number, which is narrower than strtod's. */
bool json_number_valid(struct slice word);
/* Whether the double, printed with as many digits as were written, is what was written. */
bool json_number_exact(struct slice word, double value);

#endif
