/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens, on stderr, one line each. Results go to stdout and never through here.
 * Libraries below src/cli log at debug only; what matters they return.
 */
#ifndef ASSAY_LOG_H
#define ASSAY_LOG_H

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Default: warning. Set once, by src/cli. */
void log_set_level(enum log_level level);

void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
