/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <stdarg.h>
#include <stdio.h>

static unsigned cases, failures;

void tap_case(bool passed, const char *message, const char *format, ...)
{
    va_list arguments;

    failures += !passed;
    printf("%sok %u - ", passed ? "" : "not ", ++cases);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    if (!passed && message != NULL)
        printf("# %s\n", message);
    fflush(stdout);
}

void tap_skip(const char *reason, const char *format, ...)
{
    va_list arguments;

    printf("ok %u - ", ++cases);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf(" # SKIP %s\n", reason);
    fflush(stdout);
}

int tap_finish(void)
{
    if (cases == 0) {
        printf("1..1\nnot ok 1 - there are cases to run\n");
        return 1;
    }
    printf("1..%u\n", cases);
    return failures > 0;
}
