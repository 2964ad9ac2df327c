/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed on the parts that a cause is about, and where they are plugged in: who walks to the rack must not have to look. */
#ifndef ASSAY_REPORT_MARKS_H
#define ASSAY_REPORT_MARKS_H

#include "assay/model/sighting.h"
#include "causes.h"

struct mark_list {
    LIST_OF(const char *) items;
};

/* A line each: "serial 1654476904161", of several parts "GPU 2: serial 1654476904161"; "transceiver MMA4Z00-NS400, its serial
   MT23000403FT, switch port l1r3:4". A part without a serial number has what it is known by. None of several hosts, or of more
   than two parts. In the arena. */
void cause_marks(struct arena *arena, enum report_language language, const struct view *view,
                 const struct sightings *sightings, const struct report_cause *cause,
                 struct mark_list *ret_marks);
/* "GPU 2: serial 1654476904161; GPU 5: serial 1656474621286"; "" of none. */
const char *marks_joined(struct arena *arena, enum report_language language, const struct mark_list *marks);

#endif
