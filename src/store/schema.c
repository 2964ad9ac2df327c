/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an older file becomes a newer one: PRAGMA user_version counts the migrations that were applied, which are the files of
 * migrations/. A new version is one more file there; one that was ever released is not edited. A new file begins with
 * format 12, whose tables are those of schema_12.sql; before it they had grown piece by piece, and let NULL stand where
 * nobody reads one.
 */
#include "migrations.h"
#include "store_private.h"

const char store_base[] = WORDS_12 TABLES_12;
const int store_base_version = 12;
const char *const store_migrations[] = {MIGRATIONS};
const int store_version = ARRAY_SIZE(store_migrations);
