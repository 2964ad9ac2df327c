/* SPDX-License-Identifier: Apache-2.0 */
/* What time it is. */
#ifndef ASSAY_CLOCK_H
#define ASSAY_CLOCK_H

/* Unix time, s. */
double clock_now(void);

#endif
