/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/error.h"

#include <stdio.h>
#include <string.h>

int error_set(struct error *err, enum error_code code, const char *format, ...)
{
    va_list arguments;

    if (err == NULL)
        return -1;
    err->code = code;
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    return -1;
}

int error_wrap(struct error *err, const char *format, ...)
{
    char before[sizeof err->text];
    va_list arguments;
    size_t used;

    if (err == NULL)
        return -1;
    memcpy(before, err->text, sizeof before);
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);
    used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", before);
    return -1;
}
