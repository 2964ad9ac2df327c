/* SPDX-License-Identifier: Apache-2.0 */
/* TAP for tests whose cases are files. */
#ifndef ASSAY_TEST_TAP_H
#define ASSAY_TEST_TAP_H

#include <stdbool.h>

/* Prints "ok N - NAME" or "not ok N - NAME" with the message, which may be NULL, as a comment. */
void tap_case(bool passed, const char *message, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tap_skip(const char *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints the plan; the program's exit status: 1 when a case failed or none was run. */
int tap_finish(void);

#endif
