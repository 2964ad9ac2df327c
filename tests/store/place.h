/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of its own for each test, with an open database in it. */
#ifndef ASSAY_TESTS_PLACE_H
#define ASSAY_TESTS_PLACE_H

#include "assay/store/store.h"

struct place {
    char folder[32];
    char path[64];
    struct arena *arena;
    struct store *store;
};

/* For cmocka_unit_test_setup_teardown: *state is a struct place. */
int place_set_up(void **state);
int place_tear_down(void **state);
/* Closes the store and opens it again. */
void place_reopen(struct place *place, bool read_only);
/* Runs SQL on the file behind the store's back. */
void place_sql(const struct place *place, const char *sql);

#endif
