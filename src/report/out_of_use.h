/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What takes a host that failed out of use, as lines to be pasted into a shell: the command of its scheduler (the
 * hostfile's scheduler=), and the hardware that is to be claimed as a comment. assay never runs them. Every line is
 * whole by itself, quoted for POSIX sh, and holds no control byte.
 */
#ifndef ASSAY_REPORT_OUT_OF_USE_H
#define ASSAY_REPORT_OUT_OF_USE_H

#include "assay/model/sighting.h"
#include "assay/report/report.h"
#include "view.h"

struct out_of_use {
    LIST_OF(const char *) lines;
};

/* Of hosts with a scheduler that have a fail which no waiver covers, or are accused; in hostfile order. */
void out_of_use(const struct view *view, const struct report_entry *entries, size_t entry_count,
                struct out_of_use *ret_lines);

#endif
