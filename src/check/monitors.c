/* SPDX-License-Identifier: Apache-2.0 */
#include "monitors.h"

#include "script.h"

void monitors_command(const struct check_context *context, struct text *out)
{
    (void)context;
    script_begin(out, "grep of /proc/[0-9]*/comm");
    text_put(out, script_monitors);
}
