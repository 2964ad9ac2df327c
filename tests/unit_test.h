/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka, with the headers that it wants before its own. */
#ifndef ASSAY_UNIT_TEST_H
#define ASSAY_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
