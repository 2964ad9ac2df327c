/* SPDX-License-Identifier: Apache-2.0 */
/* An acceptance out of the database, judged. */
#ifndef ASSAY_APP_CAMPAIGN_H
#define ASSAY_APP_CAMPAIGN_H

#include "assay/app/proof.h"
#include "assay/model/acceptance.h"
#include "assay/model/manifest.h"
#include "assay/plan/plan_build.h"
#include "assay/store/store.h"

/* Kind of a document of an acceptance: its name is the number of the newest run that there was when it was made; 0: none. */
#define CAMPAIGN_NEWEST_DOCUMENT "newest run"

struct campaign {
    struct acceptance *kept;                 /* as the database has it: documents, events, runs */
    struct plan_sources sources;             /* of its documents; the hostfile is the one it was made with */
    LIST_OF(const struct record *) left_out; /* runs that answer its question, but were not added */
    LIST_OF(const struct record *)
    earlier; /* likewise, from before its beginning: they are told, and do not count */
    LIST_OF(struct other_delivery)
    running; /* likewise, whenever they began: not ended, and tests have failed; in others too */
    struct other_deliveries others; /* over its hosts, of any question, and none of its runs nor left out */
};

/* Only a delivery is accepted: not a trial, a tuning or a look at hosts in production. */
int campaign_check_suite(const struct suite *suite, struct error *err) __attribute__((warn_unused_result));

/* Its runs are loaded and judged by its own limits, whatever they were judged by when they ran. */
int campaign_load(struct arena *arena, struct store *store, const char *name, struct campaign *ret_campaign,
                  struct error *err) __attribute__((warn_unused_result));
/* How it stands, by all runs and events, also by those that a wrong clock dated later than now; waivers are in force as of now. NULL with
   err set. */
struct acceptance *campaign_now(const struct campaign *campaign, double now, struct error *err)
    __attribute__((warn_unused_result));
/* What happened, and how the units stood after it, into acceptance->story. */
int campaign_story(const struct campaign *campaign, struct acceptance *acceptance, struct error *err)
    __attribute__((warn_unused_result));

/* Why a run is of another question than the acceptance: another suite, other limits, no host of it. */
int campaign_check_run(const struct campaign *campaign, const struct record *record, struct error *err)
    __attribute__((warn_unused_result));

/* What it rests on: all of its runs as store_manifest has them, documents and events. cited: only the runs and events
   that this earlier manifest names, by the judgements that it names; what came later is no change of it. */
int acceptance_manifest(struct arena *arena, struct store *store, const struct acceptance *kept,
                        const struct manifest *cited, struct manifest *ret_manifest, struct error *err)
    __attribute__((warn_unused_result));

/* What that manifest says of one run, as the run's own manifest would: NULL where there is no manifest (NULL). In the arena. */
const struct manifest *acceptance_manifest_of_run(struct arena *arena, const struct manifest *cited,
                                                  const char *uuid);

/* Runs that answer the question of an acceptance and are none of its runs: it waits for them, or tells of them. */
struct held_run {
    long long number;
    const char *acceptance;
};
struct held_runs {
    LIST_OF(struct held_run) items;
    const char *unread; /* the first acceptance that cannot be read: what it waits for is not here; NULL */
};
int campaign_held(struct arena *arena, struct store *store, struct held_runs *ret_held, struct error *err)
    __attribute__((warn_unused_result));
/* The acceptance; NULL: none. */
const char *campaign_holding(const struct held_runs *held, long long number);

/* The only acceptance in the database with the run's suite; NULL: there is none, or there are several. In the arena. */
const char *campaign_of_suite(struct arena *arena, struct store *store, const struct record *record);

/* Writes its report to that path and signs what it rests on, with its name, verdict and time, as proof_write_signed does. */
int acceptance_sign(struct store *store, const struct campaign *campaign, const struct acceptance *acceptance,
                    const char *path, const struct text *report, const char *key,
                    struct proof_files *ret_files, struct error *err) __attribute__((warn_unused_result));

/* What is to be run next: missing and to be retested; not what must be fixed first. */
/* One run: these steps are all that these hosts owe, with those without which they would decide nothing. */
struct campaign_block {
    struct hostlist hosts, steps;
    unsigned times; /* so often, for three of three */
};
struct campaign_next {
    LIST_OF(struct campaign_block) blocks; /* in the order of the suite; none: nothing is to be run now */
    const char *hostfile;                  /* the text */
};
int campaign_next(const struct campaign *campaign, const struct acceptance *acceptance,
                  struct campaign_next *ret_next, struct error *err) __attribute__((warn_unused_result));

#endif
