/* SPDX-License-Identifier: Apache-2.0 */
/* How each host fared, at the end of a run: hosts with the same result are one line. */
#ifndef ASSAY_RECAP_H
#define ASSAY_RECAP_H

#include "assay/model/reason.h"
#include "assay/model/record.h"

/* To standard output, of a judged record: "node[1-7,9]  accept  ok 24". Steps over several hosts are a line of their own. */
void recap_print(const struct record *record, enum report_language language);
/* Steps that were to be run and of which nothing was: as many as its lines say. */
size_t recap_not_run(const struct record *record);
/* The first line of all that is said of a cancelled run: "cancelled after 97 of 163 tests". */
void recap_print_headline(const struct record *record);
/* Of a cancelled run, which is no finding: how far it came, and how it goes on. db: as given; NULL: the default. */
void recap_print_cancelled(const struct record *record, const char *db, bool by_keyboard);

#endif
