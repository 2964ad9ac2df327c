/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/clock.h"

#include <math.h>
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

static double base;

double clock_base(void)
{
    if (base == 0)
        base = clock_of(CLOCK_REALTIME) - clock_of(CLOCK_BOOTTIME);
    return base;
}

double clock_steady(void)
{
    return clock_base() + clock_of(CLOCK_BOOTTIME);
}

void clock_go_on(double other, double last)
{
    base = isnan(other) ? clock_of(CLOCK_REALTIME) - clock_of(CLOCK_BOOTTIME) : other;
    base = fmax(base, last - clock_of(CLOCK_BOOTTIME));
}
