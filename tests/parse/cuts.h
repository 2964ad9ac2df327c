/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The law of every parser, as a check: an output cut at any byte may give fewer measurements or a lesser
 * status, never another number, never another fact (but see is_open_count), and never a complete reading of an output whose whole is
 * not.
 */
#ifndef ASSAY_TEST_CUTS_H
#define ASSAY_TEST_CUTS_H

#include "assay/base/text.h"
#include "assay/parse/parser.h"

/* Where to cut: at every step-th byte; before and behind the newline of every lines-th line, 0: of none; at each of the last bytes. */
struct cut_places {
    size_t step, lines, last;
};

/*
 * Cuts the bytes at these places and compares each reading with that of the whole. Returns 0, or -1
 * with the first breach described. late_failure: the tool's failure stands after a closing that is whole in
 * itself, so that a cut between the two reads as complete; that is for the capture to know.
 */
int check_cuts(const struct parser *parser, struct slice bytes, struct cut_places places, bool late_failure,
               struct text *ret_breach);

/* One line for each measurement and each fact of the reading and its runs, sorted: what two readings are
 * compared by. */
const char **reading_statements(const struct reading *reading, size_t *ret_count);

#endif
