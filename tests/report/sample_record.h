/* SPDX-License-Identifier: Apache-2.0 */
/* Records as a run leaves them, made up here: what the reports are tested and looked at with. */
#ifndef ASSAY_TESTS_SAMPLE_RECORD_H
#define ASSAY_TESTS_SAMPLE_RECORD_H

#include "assay/model/record.h"

struct sample {
    unsigned hosts, units;
    bool faults;  /* a slow pair on node3, a wrong fabric manager on node5, a faulty GPU on node6, a slow
                     all-reduce on node7, a cut dcgmi on node2 and a failed one on node8, and what follows from
                     them */
    bool hostile; /* every string that a host, a file or a person gave is an attack */
};

/* The same sample gives the same record. */
struct record *sample_record(struct arena *arena, const struct sample *sample);

#endif
