/* SPDX-License-Identifier: Apache-2.0 */
/* fio in its three forms (JSON, text, terse): what they share. */
#ifndef ASSAY_PARSE_FIO_H
#define ASSAY_PARSE_FIO_H

#include "frame.h"

/* Where the numbers of one direction ("read") of one job or group were taken. */
struct fio_place {
    const char *job; /* NULL: the group as a whole */
    uint64_t group;
    const char *direction;
};

/* One fio run. */
struct fio_run {
    struct reading *reading;
    unsigned jobs, moved;         /* jobs told of, and directions in which something was read or written */
    const struct reason *trouble; /* why what was measured does not count: an error of fio's own, a signal */
    LIST_OF(struct fio_place) owed, closed; /* text: what jobs did, and what "Run status" closed */
};

/* metric is the word behind the direction: "bandwidth"; stat and of may be NULL. */
void fio_measure(struct fio_run *run, const struct fio_place *place, const char *metric, const char *stat,
                 const char *of, double value, const char *unit);
/* "99.000000" -> "p99"; NULL when it is no percentile. */
const char *fio_percentile(struct arena *arena, struct slice text);
/* error is the errno that fio shows for the job; text may be "". */
void fio_job(struct fio_run *run, const char *job, int64_t error, const char *text);
void fio_version(struct fio_run *run, struct slice version); /* "fio-3.16" */
void fio_finish(struct fio_run *run);

/* bytes hold one closed object; false when it is no fio document. */
bool fio_json(struct slice bytes, struct reading *reading);
/* Text for people, and terse lines. */
void fio_text(const struct lines *lines, struct reading *reading);

#endif
