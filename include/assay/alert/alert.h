/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whom to tell what, and when again. A run says of each host, and of each test over several hosts, what speaks against
 * it; what is new or worse is told at once, what stays is repeated at growing intervals, and that it is over is told once
 * to whom it was told of. One message holds all that is due to one receiver.
 *
 * The rules are pure: "now" is an argument. Nothing counts as told before the receiver has taken it, so that a crash or
 * a receiver that is down costs a repeated message and never a lost one. What could not be measured ends no alert.
 */
#ifndef ASSAY_ALERT_H
#define ASSAY_ALERT_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/text.h"

enum alert_severity { ALERT_INFO, ALERT_WARNING, ALERT_CRITICAL };
const char *alert_severity_name(enum alert_severity severity); /* "warning" */

/* One thing that speaks against a subject. */
struct alert_problem {
    enum alert_severity severity;
    const char *key;  /* the same from run to run while it is the same: "gpu-burn gpu4" */
    const char *text; /* "gpu-burn gpu4: 137 errors; in run 7: pass" */
};
struct alert_problems {
    LIST_OF(struct alert_problem) items;
};

/* What a run says of one subject. */
struct alert_condition {
    const char *subject; /* "node3", "nccl-all-gather-cluster"; UTF-8 */
    bool decided; /* it was measured in full; otherwise earlier problems stand beside those of this run */
    struct alert_problems problems; /* none and decided: all is well */
};
struct alert_news {
    const char *suite, *hostfile; /* the series of runs that this one continues */
    long long run;
    double started; /* Unix time, s */
    bool whole;     /* of all hosts of its hostfile: what it does not speak of is tested no more */
    LIST_OF(struct alert_condition) conditions;
};

/* Who was told of an alert, and when last. */
struct alert_told {
    const char *receiver; /* its name */
    double at;            /* Unix time, s */
    unsigned count;       /* messages about it as it is now */
    unsigned revision;    /* of the alert, that was told */
};
struct alert {
    const char *suite, *hostfile, *subject;
    enum alert_severity severity; /* the worst of its problems */
    bool over;                    /* only that is still to be told */
    const char *note;             /* of one that is over: why */
    double since, ended;          /* Unix time, s */
    long long run;                /* the last one that spoke of it */
    unsigned revision;            /* grows when it gets worse */
    struct alert_problems problems;
    LIST_OF(struct alert_told) told;
};
/* The last run of a series that was taken. */
struct alert_series {
    const char *suite, *hostfile;
    long long run;
    double started;
};
struct alerts {
    struct arena *arena; /* everything lives here */
    LIST_OF(struct alert) items;
    LIST_OF(struct alert_series) series;
};

/* A run's news. Taking the same run again changes nothing; ERROR_USAGE for one that began before the last that was taken:
   what is over by then is not begun again. Strings are copied. */
int alerts_take(struct alerts *alerts, const struct alert_news *news, double now, struct error *err)
    __attribute__((warn_unused_result));
/* An alert for each series whose last run began longer ago than that (s); it is over when one comes. */
void alerts_watch(struct alerts *alerts, double longest, double now);
/* Forgets what is over and was told, and receivers that are no more. */
struct alert_config;
void alerts_tidy(struct alerts *alerts, const struct alert_config *config);

enum alert_kind { ALERT_JSON, ALERT_WECOM, ALERT_DINGTALK, ALERT_SLACK };
struct alert_receiver {
    const char *name;
    enum alert_kind kind;
    const char *url;    /* as curl reads it; a secret: in no message, log or error */
    const char *secret; /* DingTalk signs with it; NULL */
    enum alert_severity least;
    unsigned timeout_s;
};
/* From where on a folder's growth since the earlier run is of a severity, by whichever it meets first. */
struct alert_grade {
    double days_left; /* until its file system is full at that rate: fewer; 0: never */
    double filled;    /* percent of its file system that is used: so much or more; INFINITY: never */
    double grown;     /* MiB since the earlier run: so much or more; INFINITY: never */
};
enum { ALERT_GRADES = ALERT_CRITICAL + 1 };
struct alert_config {
    LIST_OF(struct alert_receiver) receivers;
    double no_run_after;                     /* s; 0: that is not watched */
    struct alert_grade growth[ALERT_GRADES]; /* by severity */
};
/* Of a JSON file that nobody else may read, in the arena; schema: suites/schemas/alert.schema.json. */
struct alert_config *alert_config_load(struct arena *arena, const char *path, struct error *err)
    __attribute__((warn_unused_result));

/* Why an alert is due to a receiver. */
enum alert_due { ALERT_QUIET, ALERT_NEW, ALERT_WORSE, ALERT_REPEATED, ALERT_OVER };
/* Repeated 5, 10, 20, 40 and 80 minutes after the message before, then every 80. */
double alert_interval(unsigned messages); /* s; messages: that were sent of it, from 1 */
enum alert_due alert_due(const struct alert *alert, const struct alert_receiver *receiver, double now);
/* It was delivered. */
void alert_delivered(struct alerts *alerts, struct alert *alert, const struct alert_receiver *receiver,
                     enum alert_due due, double now);

/* All that is due to one receiver, worst first. */
struct alert_row {
    struct alert *alert;
    enum alert_due due;
};
struct alert_rows {
    LIST_OF(struct alert_row) items;
};
void alerts_due(struct arena *arena, const struct alerts *alerts, const struct alert_receiver *receiver,
                double now, struct alert_rows *ret_rows);
/* The request's body in the form of its kind and no longer than that takes; what does not fit is counted: "and 12 more". */
const char *alert_body(struct arena *arena, enum alert_kind kind, const struct alert_rows *rows, double now);
/* The body of a message that only tries the way. */
const char *alert_trial(struct arena *arena, enum alert_kind kind, double now);
/* What DingTalk wants behind the URL of a robot that has a secret: "timestamp=...&sign=..."; now in s. */
const char *alert_sign(struct arena *arena, const char *secret, double now);

/* Posts it by curl(1), and looks at the answer. 0, or -1 with err: why it counts as not delivered, without the URL. */
int alert_send(struct arena *arena, const struct alert_receiver *receiver, const char *body,
               struct error *err) __attribute__((warn_unused_result));
/* NULL: the answer says that it was taken; else why not. */
const char *alert_refusal(struct arena *arena, const struct alert_receiver *receiver, long status,
                          const char *answer);

/* What is kept from call to call, a JSON file. A missing file is the beginning. */
int alerts_load(struct arena *arena, const char *path, struct alerts *ret_alerts, struct error *err)
    __attribute__((warn_unused_result));
int alerts_save(const struct alerts *alerts, const char *path, struct error *err)
    __attribute__((warn_unused_result));

#endif
