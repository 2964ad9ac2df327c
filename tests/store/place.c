/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"
#include "../unit_test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/files.h"

int place_set_up(void **state)
{
    struct place *place = mem_alloc(sizeof *place);
    struct error err;

    strcpy(place->folder, "/tmp/assay-store-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->path, sizeof place->path, "%s/assay.db", place->folder);
    place->arena = arena_create();
    place->store = store_open(place->path, false, &err);
    assert_non_null(place->store);
    *state = place;
    return 0;
}

int place_tear_down(void **state)
{
    struct place *place = *state;

    store_close(place->store);
    arena_destroy(place->arena);
    assert_int_equal(directory_remove(place->folder, NULL), 0);
    free(place);
    return 0;
}

void place_reopen(struct place *place, bool read_only)
{
    struct error err = {0};

    store_close(place->store);
    place->store = store_open(place->path, read_only, &err);
    if (place->store == NULL)
        fail_msg("%s", err.text);
}

void place_sql(const struct place *place, const char *sql)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}
