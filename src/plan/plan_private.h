/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the plan share. */
#ifndef ASSAY_PLAN_PRIVATE_H
#define ASSAY_PLAN_PRIVATE_H

#include "assay/plan/plan_build.h"

/* Indexes of steps of the plan; for list_push. */
struct step_list {
    size_t *items;
    size_t count, capacity;
};

struct builder {
    struct arena *arena;
    struct arena *aside; /* of what goes when the plan is made, */
    struct arena *now;   /* and of what goes with each step of the suite */
    const struct plan_sources *sources;
    const struct plan_options *options;
    struct plan *plan;
    struct plan_notes *notes;
    bool assumed; /* a step was chosen by what nobody has said, and a note tells */
    struct step_list
        *steps_on; /* by suite step and place of the host in the hostfile: where it is a member */
    struct step_list needed_by; /* by step: who was said last to need it */
};

/* Repeats of a variant: fewer show no noise. */
enum { REPEATS_TELLING = 3 };

/* The members of one step of the plan. */
struct member_set {
    const struct host **members;
    size_t count;
    const char *variant;           /* see struct shape */
    const struct reason *left_out; /* why it cannot run; NULL: it can */
};
struct member_sets {
    LIST_OF(struct member_set) sets;
};

/* The hosts of one unit, rack or leaf, "" where they name none, in the order in which they were given. */
struct plan_place {
    const char *name;
    size_t first; /* where its first host stands among all */
    const struct host **hosts;
    size_t count;
};
struct plan_places {
    struct plan_place *items;
    size_t count;
};
/* by: "unit", "rack" or "leaf". In the order of their first hosts: plan_places.c. */
struct plan_places plan_places(struct arena *arena, const struct host *const *hosts, size_t count,
                               const char *by);

/* Over whom a step of the suite runs, of the plan's hosts of one platform: plan_groups.c. */
int plan_member_sets(struct arena *arena, const struct plan_sources *sources, const struct suite_step *step,
                     const struct platform *platform, const struct plan *plan, struct member_sets *ret_sets,
                     struct error *err) __attribute__((warn_unused_result));
/* The same of a step of host scope on one host: itself, or each of its lines. */
void plan_sets_alone(struct arena *arena, const struct suite_step *step, const struct host *host,
                     struct member_sets *ret_sets);

/* plan_substitute.c: who asked for some hosts only does not mean others. */
bool plan_takes_no_spares(struct arena *arena, const struct plan *plan, const struct hostfile *hostfile);

/* Whether the step is for hosts of that platform, and why: plan_applies.c. The choice may be NULL. */
bool plan_applies(struct arena *arena, const struct plan_sources *sources, const struct suite_step *step,
                  const struct platform *platform, struct plan_choice *ret_choice);
/* Hosts of one platform are asked the same: -1 with err set, and the line of the one that says otherwise. */
int check_site(const struct plan_sources *sources, struct error *err) __attribute__((warn_unused_result));

/* Index of the new step; it needs nothing yet. kind: its origin, parent and round, and why it is there. */
size_t push_step(struct plan *plan, const struct shape *shape, const struct member_set *set,
                 struct step kind);
/* The same for a step of the suite. */
size_t plan_add_step(struct plan *plan, const struct plan_sources *sources,
                     const struct suite_step *suite_step, const struct platform *platform,
                     const struct member_set *set, enum step_origin origin);

/* All of them, those of different leaves taking turns; the first one stays the first. */
const struct host **plan_turns(struct arena *arena, const struct host *const *hosts, size_t count);
/* (size_t)-1: there is none. */
size_t suite_step_index(const struct suite *suite, const char *name);
const struct reason *left_out_by_user(const struct builder *builder, const struct suite_step *suite_step);
bool matches_any(const char *const *patterns, size_t count, const char *metric);
bool in_list(const struct hostlist *list, const char *name); /* true where there is no list */
void add_note(struct builder *builder, const struct reason *what);

/* Whether the question is put well: plan_check.c. -1 with err set. */

/* --hosts and --steps: a typo must not test nothing and pass. */
int check_names(const struct builder *builder, struct error *err) __attribute__((warn_unused_result));
/* What a delivery must not leave out: limits that are known of its platforms, and tests that all hosts share. */
int check_delivery(const struct builder *builder, struct error *err) __attribute__((warn_unused_result));
/* One step of the suite, before it is planned. */
int check_step(struct arena *arena, const struct suite *suite, size_t index, struct error *err)
    __attribute__((warn_unused_result));
/* What a check needs to know of a host must stand in the hostfile: told before anything connects. */
int check_hosts(const struct builder *builder, size_t suite_index, struct error *err)
    __attribute__((warn_unused_result));
/* Patterns, sizes, units and, of a delivery suite, the limits of its gates, once every shape is there. */
int check_shapes(struct builder *builder, struct error *err) __attribute__((warn_unused_result));
/* Of limits what is wrong with their figures, and of clauses of the contract what decides nothing here: plan_clauses.c. */
int check_units(const struct builder *builder, const struct slot *slot, const struct slot_limits *of_slot,
                struct error *err) __attribute__((warn_unused_result));
int check_clauses(struct builder *builder, struct error *err) __attribute__((warn_unused_result));
/* Of floors that the platform's links cannot carry. */
void note_floors(struct builder *builder);
/* Tells of what will not run. */
void note_left_out(struct builder *builder);
/* Steps that --steps names and that are for none of the hosts: nobody should wait for them. -1 with err set where it names no other. */
int note_not_for_hosts(struct builder *builder, struct error *err) __attribute__((warn_unused_result));
void note_warnings(struct builder *builder);
/* Counts whose way into the fabric is loaded by tests whose hosts take turns over leaves. */
void note_uplinks(struct builder *builder);

/* The steps of the suite that the run was asked for; *ret_all: no --steps was given. */
void plan_steps_asked(struct arena *arena, const struct plan *plan, const struct suite *suite,
                      struct hostlist *ret_steps, bool *ret_all);

/* Which steps test a host alone, or two hosts together: found by the names, also those that came since it was made. */
struct company;
struct company *company_create(struct arena *arena, const struct plan *plan);
/* The first step that may be one over a, and b unless it is NULL, and the next: its index + 1; 0: there is no other. Chains hold
   others too, so whoever asks compares the members. */
size_t company_first(struct company *company, const struct host *a, const struct host *b);
size_t company_next(const struct company *company, size_t at);

#endif
