/* SPDX-License-Identifier: Apache-2.0 */
/* A history in the language of its reader: what is found in it as a sentence, and its course as a plot. */
#ifndef ASSAY_REPORT_HISTORY_SHOWN_H
#define ASSAY_REPORT_HISTORY_SHOWN_H

#include "assay/report/report.h"

/* In the arena. */
const char *history_finding_said(struct arena *arena, enum report_language language,
                                 const struct history *history, const struct history_findings *findings,
                                 const struct history_finding *finding);

/* As history_growth_text. */
const char *history_growth_said(struct arena *arena, enum report_language language,
                                const struct history *history, const struct history_growth *growth);

/* As many series as can be told apart. */
enum { HISTORY_LINES = 8 };
/* An <svg> of these series, by their index in the findings, under this title; `more` says what is not drawn: "" nothing. */
struct history_plot {
    const char *title, *more;
    bool one_subject; /* whose name stands over it, and not at each line */
    const struct history *history;
    const struct history_findings *findings;
    size_t series[HISTORY_LINES], count;
};
void history_plot(const struct history_plot *plot, struct text *out);

#endif
