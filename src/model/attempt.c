/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/attempt.h"

#include <string.h>

static bool is_one_boot(const char *a, const char *b)
{
    return a != NULL && b != NULL && *a != '\0' && strcmp(a, b) == 0;
}

/* By the host's uptime, which nobody sets; 0: it was not told. */
static double apart_s(double from, double to, double up_from, double up_to, bool one_boot)
{
    return one_boot && up_from > 0 && up_to >= up_from ? up_to - up_from : to - from;
}

double attempts_apart_s(const struct attempt *before, const struct attempt *now)
{
    return apart_s(before->began, now->began, before->up_began, now->up_began,
                   is_one_boot(before->boot_id, now->boot_id));
}

double windows_apart_s(const struct window *before, const struct window *after)
{
    return apart_s(before->ended, after->began, before->up_ended, after->up_began,
                   is_one_boot(before->boot_id, after->boot_id));
}
