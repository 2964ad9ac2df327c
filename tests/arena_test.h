/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka, and tests whose state is an arena. */
#ifndef ASSAY_ARENA_TEST_H
#define ASSAY_ARENA_TEST_H

#include "assay/base/arena.h"
#include "unit_test.h"

static inline int arena_begin(void **state)
{
    *state = arena_create();
    return 0;
}

static inline int arena_end(void **state)
{
    arena_destroy(*state);
    return 0;
}

/* With an arena of its own. */
#define ARENA_TEST(name) cmocka_unit_test_setup_teardown(name, arena_begin, arena_end)

#endif
