/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/clock.h"

#include <time.h>

static double clock_of(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double clock_now(void)
{
    return clock_of(CLOCK_REALTIME);
}

double clock_steady(void)
{
    static double offset;

    if (offset == 0)
        offset = clock_of(CLOCK_REALTIME) - clock_of(CLOCK_BOOTTIME);
    return offset + clock_of(CLOCK_BOOTTIME);
}
