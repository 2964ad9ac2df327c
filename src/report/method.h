/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How what was measured was measured, from the record alone: what each step ran and by what kind of limit it was judged,
 * how far healthy values scatter, and what was done around the tests. What did not take place has no sentence.
 */
#ifndef ASSAY_REPORT_METHOD_H
#define ASSAY_REPORT_METHOD_H

#include "language.h"
#include "view.h"

/* Fewer values tell nothing about their scatter. */
enum { NOISE_LEAST = 5 };

/* Of each rate of a step one number: the median, over its series, of the robust standard deviation as a fraction of the
   median. Here the least and the most of them. */
struct method_noise {
    size_t rates, values; /* rates 0: there were too few values */
    double low, high;
};

/* Gates that one kind of limit judged, and what it only looked at: a record that it may remark on. */
struct method_kind {
    const char *status; /* "vendor"; "": no limit spoke of them */
    size_t gates, not_passed, recorded;
};
struct method_kinds {
    LIST_OF(struct method_kind) items;
};

/* All steps of one name in the suite. */
struct method_step {
    const char *suite_step;
    size_t steps, attempts;         /* that were to run; that were made */
    size_t hosts_least, hosts_most; /* of a test */
    const char *command; /* of the first attempt, in short: its parts' first lines; "": there was none */
    struct method_kinds kinds;
    size_t recorded; /* items that are only written down, those that a limit looks at among them */
    struct method_noise
        hosts; /* of the same place on different hosts; of all places where they do not matter */
    struct method_noise itself; /* of repeats on the same hosts */
    bool prominent;             /* it loads hosts or measures a rate: paper shows it */
};

/* A sentence with its title. */
struct method_point {
    enum text_key title;
    const char *text;
};

struct method {
    LIST_OF(struct method_step) steps; /* in plan order */
    struct method_kinds kinds;         /* of the run; highest authority first, those without a limit last */
    LIST_OF(struct method_point) points;
};

void method_of_run(const struct view *view, enum report_language language, struct method *ret_method);
/* method_noise.c: of all steps of that name that passed. */
struct method_noise method_noise_between_hosts(const struct view *view, const char *suite_step);
struct method_noise method_noise_of_repeats(const struct view *view, const char *suite_step);
/* method_points.c */
void method_points_of_run(const struct view *view, enum report_language language, struct method *method);

/* What a kind of limit is: "what the manufacturer publishes". */
enum text_key method_kind_text(const char *status);
/* "208 tests of 1 host, 209 attempts" */
const char *method_targets(struct arena *arena, enum report_language language,
                           const struct method_step *step);
/* "0.4% to 1.9%"; "": too few values. */
const char *method_noise_text(struct arena *arena, enum report_language language,
                              const struct method_noise *noise);
/* "vendor 448, tool 16, recorded 300" */
const char *method_kinds_text(struct arena *arena, enum report_language language,
                              const struct method_step *step);

#endif
