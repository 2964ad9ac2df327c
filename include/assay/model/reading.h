/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a parser made of one output: measurements, facts, findings, and how far the output can be trusted.
 *
 * All strings and arrays live in the reading's arena. Strings are valid UTF-8 (bad bytes become U+FFFD).
 * Units are the ones of the metric tables whatever the tool printed: GB/s = 1e9 B/s, Gb/s = 1e9 bit/s,
 * MiB, us, C, W. A number that is cut, not finite or in an unknown unit is not a measurement.
 *
 * Subjects: "" the output as a whole, "host", "gpu3" (the tool's own index), "gpu0->gpu1", "mlx5_0/1".
 */
#ifndef ASSAY_READING_H
#define ASSAY_READING_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/arena.h"
#include "assay/base/json.h"
#include "assay/base/scan.h"
#include "assay/model/reason.h"

enum reading_status {
    READING_UNRECOGNISED, /* not this tool's format; reason holds the first line that made it so */
    READING_FAILED,       /* the tool itself failed: crash, CUDA or NCCL error, launch failure */
    READING_PARTIAL,      /* began well, but its own end was not seen or rows are missing or damaged */
    READING_COMPLETE,     /* whole, and the tool's own closing was seen */
};

enum severity {
    SEVERITY_INFO,
    SEVERITY_WARNING,
    SEVERITY_FAULT, /* the tool did its work and says that something is broken */
};

/* Where a number was taken: {"size_bytes": 8589934592}, {"place": "out"}. */
struct at_field {
    const char *key;
    const char *text; /* of a number: its decimal form, so that equal places compare equal as text */
    bool is_number;
};

struct measurement {
    const char *metric, *subject;
    LIST_OF(struct at_field) at;
    double value;
    const char *unit;
};

struct fact {
    const char *name, *subject, *value;
    const struct reason
        *said; /* of a value in words of ours: what it says, and value is that in English; NULL */
};

struct finding {
    const char *code; /* "gpu_burn.faulty" */
    const char *subject;
    enum severity severity;
    const struct reason *what;
};

/* How many findings of one code about one subject there were. */
struct finding_tally {
    const char *code, *subject;
    size_t count, more; /* more: where the finding is that counts those left out; 0 while none is */
};

/*
 * A flood must not exhaust memory, nor hide anything: past so many findings alike, and past so many in all
 * (then of the code "findings.more"), one last finding says how many more there were, once reading_settle was called. It has the
 * severity of the worst of them.
 */
enum { FINDINGS_ALIKE = 1000, FINDINGS_MOST = 4000 };

struct reading {
    struct arena *arena; /* not owned */
    const char *tool;
    enum reading_status status;
    const struct reason *reason; /* why it is not complete; NULL when complete */
    LIST_OF(struct fact) facts;
    LIST_OF(struct measurement) measurements;
    LIST_OF(struct finding) findings;
    LIST_OF(struct finding_tally) tallies; /* of the findings */
    /* When the text holds several runs of the tool: each. The last one's content is also at top level, with
       the findings of all, and the status of the worst (complete only when every run is). */
    LIST_OF(struct reading) runs;
};

void reading_init(struct reading *reading, struct arena *arena, const char *tool);
/* When all was added, for whoever looks at it: takes out what no part can show (plausible.h), and says how many findings were
 * left out. parser_run and check_read do it. */
void reading_settle(struct reading *reading);

/* The reason with each of its texts cut at REASON_QUOTED: in a reading they are what a tool printed. */
const struct reason *reading_quoted(const struct reading *reading, const struct reason *reason);
/* Sets status and reason (quoted); of READING_COMPLETE there is none. */
void reading_set(struct reading *reading, enum reading_status status, const struct reason *reason);

void reading_fact(struct reading *reading, const char *name, const char *subject, struct slice value);
/* Of a value in words of ours. */
void reading_fact_said(struct reading *reading, const char *name, const char *subject,
                       const struct reason *value);
/* Like printf for names and subjects that are computed: arena_printf(reading->arena, ...) is the usual
 * argument. */
struct measurement *reading_measure(struct reading *reading, const char *metric, const char *subject,
                                    double value, const char *unit);
void reading_at_text(struct reading *reading, struct measurement *measurement, const char *key,
                     struct slice text);
void reading_at_number(struct reading *reading, struct measurement *measurement, const char *key,
                       double number);
/* Of a value that is of a part of the test's time: since 1970 by the host's clock, and how long; both in seconds. */
#define AT_BEGAN "began"
#define AT_LASTS "lasts_s"
/* Of a value of one of several that shared something which was full: who has less of it than others need not be slow. Any number. */
#define AT_SHARE "share"
/* The number of that place; false: the measurement has none. */
bool measurement_at(const struct measurement *measurement, const char *key, double *ret_number);
/* what is looked at only where the finding is kept, so that a flood of them takes no memory. */
#define reading_finding(reading, severity, code, subject, what_)                               \
    do {                                                                                       \
        struct finding *kept_ = reading_finding_add((reading), (severity), (code), (subject)); \
        if (kept_ != NULL)                                                                     \
            kept_->what = reading_quoted((reading), (what_));                                  \
    } while (0)
/* What it is is the caller's to say; NULL: there are so many alike that this one is only counted. */
struct finding *reading_finding_add(struct reading *reading, enum severity severity, const char *code,
                                    const char *subject);

/* The value of the fact, or NULL. */
const char *reading_get_fact(const struct reading *reading, const char *name, const char *subject);
/* The same as a reason: in words of ours what it says, else the text. In the reading's arena; NULL: there is none. */
const struct reason *reading_get_said(const struct reading *reading, const char *name, const char *subject);

/* The finding METRIC.unread: the metric has no value of the subject, and why. */
void reading_unread(struct reading *reading, const char *metric, const char *subject,
                    const struct reason *why);
/* That says so; NULL: nothing does. */
const struct reason *reading_why_unread(const struct reading *reading, const char *metric,
                                        const char *subject);
/* Whether one says so, of whatever subject. */
bool reading_is_unread(const struct reading *reading, const char *metric);

/* The first finding of that code and subject (NULL: of any), or NULL. */
struct finding *reading_get_finding(const struct reading *reading, const char *code, const char *subject);

/* The first measurement of that metric and subject, or NULL. */
const struct measurement *reading_get(const struct reading *reading, const char *metric, const char *subject);

/* "size_bytes=8589934592 place=out type=float": the at fields in their order; "" when there are none. */
const char *at_text(struct arena *arena, const struct measurement *measurement);

const char *reading_status_name(enum reading_status status); /* "complete" */
const char *severity_name(enum severity severity);           /* "fault" */

/* The `assay parse` form, schema 1 (see the manual of `assay parse`). */
void reading_write(const struct reading *reading, struct json_writer *writer);
/* The same with the codes and arguments of its reasons beside them (reason_json.h), made in the arena. */
void reading_write_coded(struct arena *arena, const struct reading *reading, struct json_writer *writer);

/* bytes as a valid UTF-8 string in the arena: bad bytes become U+FFFD, NUL too. */
const char *utf8_clean(struct arena *arena, struct slice bytes);

#endif
