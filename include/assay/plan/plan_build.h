/* SPDX-License-Identifier: Apache-2.0 */
/* From hostfile and suite to a plan. Connects to nothing; the same input gives the same plan. */
#ifndef ASSAY_PLAN_BUILD_H
#define ASSAY_PLAN_BUILD_H

#include "assay/base/error.h"
#include "assay/check/check.h"
#include "assay/model/plan.h"
#include "assay/model/run_limits.h"

/* What a plan is made from, and what its steps' commands are computed from later. */
struct plan_sources {
    const struct hostfile *hostfile;
    const struct suite *suite;
    LIST_OF(const struct platform *)
    platforms;                         /* filled by plan_sources_load: those that the hosts declare */
    struct run_limits limits;          /* likewise; its suite too */
    struct advisory_tables advisories; /* likewise: those that the suite names, where a step goes by them */
    const struct check_run *run;       /* who tests; NULL: nobody does */
    const struct staged *staged;       /* NULL: the hosts' own tools */
};

/* The one that the hostfile or the suite declares of the host; NULL: none that is known. */
const struct platform *host_platform(const struct plan_sources *sources, const struct host *host);
/*
 * Loads the platforms of the hosts (hostfile's platform=, else the suite's) and their baselines: `baseline`
 * by name or file for the platforms that it names (of which there must be one), or NULL: the built-in one of each platform. A host without a platform is an error
 * with its line.
 */
int plan_sources_load(struct arena *arena, const struct hostfile *hostfile, const struct suite *suite,
                      const char *baseline, struct plan_sources *ret_sources, struct error *err)
    __attribute__((warn_unused_result));

struct plan_options {
    const char *run_uuid;
    const struct hostlist *hosts; /* only these; NULL: all */
    const struct hostlist *
        steps; /* only these steps of the suite, without what they need; the others are left out. NULL: all */
};

struct plan_note {
    const struct reason *what; /* a warning for people */
};
/* Of a step that is not for everybody: whether it was taken in on the hosts of that platform, and why. */
struct plan_choice {
    const char *step, *check, *platform;
    bool taken;
    const struct reason
        *assumed; /* what it rests on that nobody has said: the run itself tells; NULL: nothing */
    const struct reason *why;
};
struct plan_notes {
    LIST_OF(struct plan_note) notes;
    LIST_OF(struct plan_choice) choices;
};

/*
 * NULL with err set: an unknown check, scope, need, argument or metric pattern (with the suite's line and
 * column); a suite with purpose delivery that gates an item without an enforceable limit.
 */
struct plan *plan_build(struct arena *arena, const struct plan_sources *sources,
                        const struct plan_options *options, struct plan_notes *ret_notes, struct error *err)
    __attribute__((warn_unused_result));

/* What all attempts take that the step requires, if each takes the expected time; of one that lasts for a time its windows are
 * no work. The members' timescale applied. */
double plan_step_s(const struct step *step);

/* What another hostfile says of a host, for a run that is resumed. */
enum host_change {
    HOST_ADDED, /* no host of the run had that name */
    HOST_SWAPPED, /* the same name, another address, or the way by which another host of the run was reached: another machine,
                     for all that anybody knows */
    HOST_REACHED, /* the same address by another way: user, key, jump host, ... */
};
struct hostfile_change {
    enum host_change kind;
    const struct host *host;   /* of the new hostfile */
    const struct reason *what; /* "node3 was swapped: address 10.0.0.3 -> 10.0.0.9" */
};
struct hostfile_changes {
    LIST_OF(struct hostfile_change) items;
};

/*
 * Compares it with the one that the plan was made from (in sources). What would remove or change a requirement is
 * ERROR_USAGE with its line: a host of the run that is not in it; another platform, unit, rack, leaf, role, number of
 * slots or cabling; a new host of a platform that the run has not. Where the run was asked for some hosts only, new
 * ones are none of its business.
 */
int hostfile_compare(struct arena *arena, const struct plan *plan, const struct plan_sources *sources,
                     const struct hostfile *hostfile, struct hostfile_changes *ret_changes, struct error *err)
    __attribute__((warn_unused_result));
/*
 * Takes it with its changes, in sources too. The plan only grows: by the steps of hosts that were added, with the groups
 * that the suite now makes of all; and, of machines that were swapped, by the steps that were tried before or could not
 * be. `states`: of each step STEP_WAITING (not tried, or cancelled), STEP_FAILED, or any other.
 */
int plan_take_hostfile(struct plan *plan, struct plan_sources *sources, const struct hostfile *hostfile,
                       const struct hostfile_changes *changes, const enum step_state *states,
                       struct error *err) __attribute__((warn_unused_result));
/* Whether a host of the step is another machine by these changes. */
bool step_has_swapped(const struct step *step, const struct hostfile_changes *changes);

/*
 * Adds a step of the same suite step on other members, because not all of its own are fit, with a note of who they
 * are, in the plan's arena. It carries slots of its own: it can tell something about its members and never stands for
 * the whole. Returns its index. The same one is not added twice: a resumed run has it already.
 */
size_t plan_add_substitute(struct plan *plan, const struct plan_sources *sources, size_t step,
                           const struct host *const *members, size_t member_count, const struct reason *note);

/* Whom a failed step over several hosts, which others need, has named. */
struct plan_culprit {
    size_t step;
    const struct host *host;
};
/* How far a run has come. */
struct plan_progress {
    const enum step_state *states; /* of each step */
    const bool *lost;              /* of each host: nothing more is begun there; NULL: of none */
    LIST_OF(struct plan_culprit) culprits;
};

/*
 * For every step over several hosts that did not run because some of them are not fit, or that others need and that failed by
 * hosts which it named: adds what must run next. That is a substitute over those that are fit, spares in the places of the
 * others, which needs the substitutes of what the step needs; or, for spares that have not been tried, their own steps, after
 * which this is called again. Where the run was asked for some hosts of the hostfile only, spares stay out of it.
 */
void plan_add_substitutes(struct plan *plan, const struct plan_sources *sources,
                          const struct plan_progress *progress);

/*
 * Adds a part of the step `parent`: the same on some of its members, to find out who makes it slow. Of the message
 * sizes it measures only this one, and all its items are recorded. One member: at host scope. Returns its index.
 */
size_t plan_add_isolation(struct plan *plan, const struct plan_sources *sources, size_t parent,
                          unsigned round, const struct host *const *members, size_t member_count,
                          double size_bytes);

/* The steps of one shape, in the plan's order. */
struct shape_steps {
    const struct step **items;
    size_t count;
};
/* Of each of the plan's shapes, in their order. */
struct shape_steps *plan_steps_by_shape(struct arena *arena, const struct plan *plan);

/* How many steps of the shape come one after the other, because they claim the same host, leaf or fabric: the most of those that
 * claim something together with one of them, itself included. arena: for what it needs meanwhile. */
size_t plan_longest_queue(struct arena *arena, const struct shape *shape, const struct shape_steps *steps);

/* What the check's functions need for a step of this plan. */
void plan_context(struct arena *arena, const struct plan_sources *sources, const struct step *step,
                  struct check_context *ret_context);

#endif
