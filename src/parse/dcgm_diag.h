/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of one `dcgmi diag`, gathered from its text or its JSON and then told to the reading. */
#ifndef ASSAY_DCGM_DIAG_H
#define ASSAY_DCGM_DIAG_H

#include "assay/model/reading.h"
#include "lines.h"

/* The graver, the greater: a test is as good as the worst that is said of it. */
enum diag_result { DIAG_UNREAD, DIAG_PASS, DIAG_SKIP, DIAG_WARN, DIAG_FAIL };

struct diag_entity {
    const char *subject; /* "gpu3", "cpu0" */
    enum diag_result result;
};

struct diag_test {
    const char *name, *slug;
    enum diag_result whole; /* said of the test as a whole; DIAG_UNREAD when it was not */
    LIST_OF(struct diag_entity) entities;
    bool closed; /* nothing more can be said of it */
};

struct diag {
    struct reading *reading;
    LIST_OF(struct diag_test) tests;
    unsigned unread; /* results in words that we do not know */
};

/* The test of this name, new or known: a second table is one more word about the same test. */
struct diag_test *diag_test(struct diag *diag, struct slice name);
/* DIAG_UNREAD when it is none of pass, fail, warn, skip. */
enum diag_result diag_result_of(struct slice word);
/* subject NULL: of the test as a whole. The worst that was said stays. */
void diag_say(struct diag *diag, struct diag_test *test, const char *subject, enum diag_result result);
/* A note of the tool; test may be NULL. kind is "warning", "info" or "error". */
void diag_note(struct diag *diag, const struct diag_test *test, const char *kind, const char *subject,
               struct slice text);
/* What the tool printed, as a reason; NULL where it is empty. */
const struct reason *diag_words(struct arena *arena, struct slice text);
/* Facts and findings of all tests; of a test that is not closed only what cannot get worse. */
void diag_report(struct diag *diag);

/* Each begins a run for each diagnosis that it finds, at least one, and sets its status. */
void dcgm_read_text(struct reading *reading, const struct lines *lines);
void dcgm_read_json(struct reading *reading, struct slice bytes);

#endif
