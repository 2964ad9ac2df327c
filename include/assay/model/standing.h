/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run may be shown as. Only a delivery that was over all hosts of its hostfile (spares aside) and all steps of its
 * suite is an acceptance: it alone is accepted or rejected, and it alone has lines to sign. Any other run passed or
 * failed. It is found in what the run keeps (suite, hostfile, plan) and nowhere else, so that nobody can set it.
 */
#ifndef ASSAY_STANDING_H
#define ASSAY_STANDING_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/arena.h"
#include "assay/model/outcome.h"
#include "assay/model/reason.h"

/* In the order of less to more: what nobody could make out is a trial. */
enum run_kind {
    RUN_TRIAL,
    RUN_TUNING,
    RUN_PERIODIC,
    RUN_SOAK,
    RUN_PREFLIGHT,
    RUN_PART, /* of a delivery: of some hosts or steps only, or of a hostfile that cannot be read */
    RUN_ACCEPTANCE,
};

/* Of the hosts that the hostfile has of a unit, those in the run. */
struct unit_share {
    const char *unit;
    size_t hosts, hosts_owed;
};

struct standing {
    enum run_kind kind;
    size_t hosts,
        hosts_owed; /* of the hosts of the hostfile, those in the run; 0 required: there is no hostfile to read */
    size_t steps,
        steps_owed; /* of the steps of the suite that the plan has, those that --steps did not leave out */
    const struct unit_share *units; /* in the order of the hostfile; in the record's arena */
    size_t unit_count;
};

struct record;
struct standing standing_of(const struct record *record);
bool standing_is_acceptance(const struct standing *standing);
/* Or a part of one: who left out the test that fails was told what it shows all the same. */
bool standing_is_delivery(const struct standing *standing);

/* "acceptance", "part", "trial", ...: for file names and programs. */
const char *run_kind_name(enum run_kind kind);
/* "part of a delivery": the same for people, behind "a". */
const char *run_kind_title(enum run_kind kind);
/* How many tests with a gate a part of a delivery was asked for; 0: it is none, or not all of these passed. */
size_t standing_asked_passed(const struct record *record);

/* "accept", of an acceptance; "passed", of any other run: of the run, its units and its hosts. */
const char *standing_verdict(const struct standing *standing, enum verdict_word word);
/* The same of the run's judgement: "passed with exceptions: 2 waivers". */
const struct reason *standing_verdict_text(struct arena *arena, const struct standing *standing,
                                           const struct judgement *judgement);
/* "2 of 8 hosts, 3 of 12 steps"; NULL when it is over all of them. */
const struct reason *standing_share(struct arena *arena, const struct standing *standing);
/* "2 of 8 hosts", of the unit; NULL when all of its hosts are in the run, or none is known. */
const struct reason *standing_unit_share(struct arena *arena, const struct standing *standing,
                                         const char *unit);
/* "This run is a trial and not an acceptance: 2 of 8 hosts."; NULL of an acceptance. */
const struct reason *standing_sentence(struct arena *arena, const struct standing *standing);
/* "trial: nothing found, 2 of 8 hosts; not an acceptance"; NULL of an acceptance. */
const struct reason *standing_line(struct arena *arena, const struct standing *standing,
                                   enum verdict_word word);

#endif
