/* SPDX-License-Identifier: Apache-2.0 */
/* What a run is called by people: the cluster, whose it is and where it stands. Kept with the run as a document. */
#ifndef ASSAY_REPORT_NAMES_H
#define ASSAY_REPORT_NAMES_H

#include "assay/model/acceptance.h"
#include "language.h"

struct report_names {
    bool titled;       /* somebody gave it a title */
    const char *title; /* of the cluster; where nobody gave one, the name of the hostfile */
    const char *customer, *site, *contract; /* "" where nobody said */
};

/* In the arena. The last word on each counts: a report can be given others than its run was. */
void report_names_of(struct arena *arena, const struct record *record, struct report_names *ret_names);
/* The file's own name: where it lies on the machine that drove the tests tells a reader nothing. */
const char *names_file(const char *path);
/* "customer Acme - site Oslo - contract A-17 - ", as far as somebody said: what goes before the rest of a subtitle. */
const char *names_said(struct arena *arena, enum report_language language, const struct report_names *names);
/* "Iron - customer Acme - ", as the last run of an acceptance calls the cluster: what is signed must say what it is about.
 * "" where there is no run. */
const char *acceptance_cluster(struct arena *arena, enum report_language language,
                               const struct acceptance *acceptance);
/* What a document is called; of a CHANGE_DOCUMENT its name says what was changed. */
const struct reason *document_said(struct arena *arena, const struct document *document);

#endif
