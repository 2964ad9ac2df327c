/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/log.h"

#include <stdarg.h>
#include <stdio.h>

static enum log_level log_limit = LOG_LEVEL_WARNING;

void log_set_level(enum log_level level)
{
    log_limit = level;
}

__attribute__((format(printf, 2, 0))) static void write_line(enum log_level level, const char *format,
                                                             va_list arguments)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    char line[2048];

    if (level > log_limit)
        return;
    vsnprintf(line, sizeof line, format, arguments);
    /* One write a line, so that lines of two processes do not mix. */
    fprintf(stderr, "assay: %s: %s\n", names[level], line);
}

#define LOG_FUNCTION(name, level)             \
    void name(const char *format, ...)        \
    {                                         \
        va_list arguments;                    \
                                              \
        va_start(arguments, format);          \
        write_line(level, format, arguments); \
        va_end(arguments);                    \
    }

LOG_FUNCTION(log_error, LOG_LEVEL_ERROR)
LOG_FUNCTION(log_warning, LOG_LEVEL_WARNING)
LOG_FUNCTION(log_info, LOG_LEVEL_INFO)
LOG_FUNCTION(log_debug, LOG_LEVEL_DEBUG)
