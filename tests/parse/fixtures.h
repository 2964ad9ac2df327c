/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Real outputs of the real tools with facts that a right reading gives (index.tsv). They are not part of the
 * source; tests/parse/test_fixtures.c finds them in $ASSAY_FIXTURES or beside the source in shared/fixtures.
 *
 * A tool joins with a row in fixtures.def and a file fixture_facts_NAME.c that compares each key of its
 * facts.
 */
#ifndef ASSAY_TEST_FIXTURES_H
#define ASSAY_TEST_FIXTURES_H

#include <stdbool.h>

#include "assay/base/text.h"
#include "assay/parse/parser.h"

/*
 * Compares the reading with the facts and adds a line to ret_wrong for each that does not hold, and for each
 * key that it does not know: no fact goes unchecked in silence. path is for parsers that serve several
 * formats.
 */
typedef void fixture_check(const char *path, const struct json *facts, const struct reading *reading,
                           struct text *ret_wrong);

#define FIXTURES(folder, parser, name) fixture_check check_##name;
#include "fixtures.def"
#undef FIXTURES

/* One wrong fact: "KEY: expected ..., found ...". */
void fact_wrong(struct text *wrong, const struct json *fact, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The fact is this number (to a ten-thousandth of it). */
void fact_number(struct text *wrong, const struct json *fact, double found);
void fact_string(struct text *wrong, const struct json *fact, const char *found);
void fact_true(struct text *wrong, const struct json *fact, bool holds, const char *found);

/* The first measurement of that metric and subject, any place when at is NULL; NULL when there is none. */
const struct measurement *find_measurement(const struct reading *reading, const char *metric,
                                           const char *subject);
/* Whether a finding has this code (any when NULL) and, unless NULL, this text somewhere in its own. */
size_t count_findings(const struct reading *reading, const char *code, const char *text);

#endif
