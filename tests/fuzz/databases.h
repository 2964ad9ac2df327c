/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What another party may hand us as a file: rows of fuzz.c. Whatever its bytes are, it is refused with words or read, and
 * then every report of it is valid and steers no terminal.
 */
#ifndef ASSAY_TESTS_DATABASES_H
#define ASSAY_TESTS_DATABASES_H

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/scan.h"

/* A bundle, as `assay import` opens it. */
bool reads_bundle(struct arena *arena, struct slice bytes, struct error *err);
/* The run.db of a bundle. */
bool reads_foreign(struct arena *arena, struct slice bytes, struct error *err);
/* A database that the user names by --db although somebody else wrote it: listed, loaded with all bytes, reported. */
bool reads_database(struct arena *arena, struct slice bytes, struct error *err);
/* "variant " and bytes that choose the mutations of a good bundle (tests/attacks): nothing of the importer's is changed. */
bool reads_import(struct arena *arena, struct slice bytes, struct error *err);

#endif
