/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/clock.h"

#include <time.h>

double clock_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
