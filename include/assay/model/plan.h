/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan: everything that is required, known before anything connects.
 *
 * A step is (shape, ordered members): a host is a group of one. What a step requires are its shape's slots, which
 * exist once a shape and never once a host. Nothing in a plan is removed or edited; it only grows, and what
 * is added carries slots of its own.
 *
 * Plain data; it lives in the arena that it was made in. plan_build (in plan_build.h) makes it.
 */
#ifndef ASSAY_PLAN_H
#define ASSAY_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/arena.h"
#include "assay/model/hostfile.h"
#include "assay/model/limit.h"
#include "assay/model/reason.h"

enum duty { DUTY_RECORD, DUTY_GATE };
enum exclusivity { EXCLUSIVE_NONE, EXCLUSIVE_HOST, EXCLUSIVE_LEAF, EXCLUSIVE_FABRIC };
enum step_origin {
    ORIGIN_SUITE,
    ORIGIN_SUBSTITUTE,
    ORIGIN_LEFT_OUT, /* the suite requires it but this run leaves it out; its items are `not run` */
    ORIGIN_ISOLATE,  /* a part of a step that was slow: it only tells who made it slow */
};

/* Before the names in the variant of a group over two leaves: "leaves l1 and l2". */
#define LEAVES_VARIANT "leaves "

/* One planned item. */
struct slot {
    const char *metric;
    const char *subject; /* "gpu2->gpu5", "" */
    const char *at;      /* "size_bytes=8589934592 place=out": each must be in the measurement's at; "" any */
    double size_bytes;   /* of at; 0: none */
    enum duty duty;
    const struct reason
        *duty_note; /* why it is recorded though the check gates it: "the baseline has only a guess"; NULL */
    const struct limit
        *own; /* the check's own rules for this item, own_count of them: what the tool's word means */
    size_t own_count;
};

/* Check + arguments + platform + sizes. */
struct shape {
    const char *sha256;     /* identity: over check, arguments, platform, slots */
    const char *check;      /* name of the row in checks.def */
    const char *suite_step; /* its name in the suite, and in every table and report */
    const char *scope;
    const char
        *variant; /* which of several ways of one suite step: "mlx5_3" over that rail, or the name of one of
                            the step's variants; "" */
    const char *platform;
    const char *arguments; /* a JSON object: these instead of the suite's of the same names; NULL: none */
    unsigned hosts;        /* members of a step of this shape */
    unsigned
        racks; /* that they stand in (host_racks), where NVLinks join the hosts of a rack and the check goes over
                       them; else 0, or without meaning */
    unsigned rack_hosts; /* that stand in the rack with the fewest of them, likewise */
    struct slot *slots;
    size_t slot_count;
    unsigned expected_s, timeout_s; /* of one attempt, timescale 1 */
    unsigned retries, repeat, retests;
    unsigned
        repeat_for_s; /* attempts ("slices") until they have worked that long, timescale 1; 0: repeat says it */
    enum exclusivity exclusive;
    bool as_root, passive;
};

struct step {
    const char *key; /* hash of (run uuid, shape, members, origin, parent, round): the same again on resume */
    const struct shape *shape;
    enum step_origin origin;
    const struct reason
        *origin_note; /* NULL or why it was added or left out: "6 of 8 hosts are fit"; of a variant that is
                                neither: "with NCCL_ALGO=Ring" */
    size_t
        parent; /* of ORIGIN_ISOLATE: index of the slow step that it is a part of; of another with a round: of the
                         step that it asks again, of a machine that was swapped meanwhile; else 0 */
    unsigned
        round; /* of ORIGIN_ISOLATE, from 1: steps of one round run at the same time; 1: see parent; else 0 */
    const struct host **members; /* the first is the head, where the command runs */
    size_t member_count;
    size_t *needs; /* indexes of earlier steps, all of which must have passed */
    size_t need_count;
};

/* What has become of a step while a run goes on. */
enum step_state {
    STEP_WAITING,
    STEP_RUNNING,
    STEP_AGAIN, /* another attempt is due: a crash or a hang with retries left, repeats that are required, retests */
    STEP_PASSED,  /* every gate passed: steps that need it may start */
    STEP_FAILED,  /* it ended, and they may not */
    STEP_SKIPPED, /* a need was not met, or its host is gone: it will not run */
};

struct plan {
    struct arena *arena;
    const char *run_uuid;
    LIST_OF(const struct host *) hosts; /* all of the run, in hostfile order */
    LIST_OF(const struct shape *) shapes;
    LIST_OF(struct step) steps;
    size_t gate_count, record_count; /* items over all steps */
};

const char *duty_name(enum duty duty);
const char *exclusivity_name(enum exclusivity exclusive);
const char *origin_name(enum step_origin origin);
/* false when the word is none of them. */
bool exclusivity_parse(const char *word, enum exclusivity *ret_exclusive);
/* "node3", or "8 hosts: node[1-8]" for several members, with the shape's variant behind: ", mlx5_3". */
const struct reason *step_target_said(struct arena *arena, const struct step *step);
/* The same in English. */
const char *step_target(struct arena *arena, const struct step *step);
/* The same without the variant. */
const char *step_hosts(struct arena *arena, const struct step *step);
/* Whether the host is one of its members. */
bool step_has_host(const struct step *step, const struct host *host);
bool step_has_host_named(const struct step *step, const char *name);
/* The same ones in the same order. */
bool steps_have_same_hosts(const struct step *a, const struct step *b);
/* Whether a subject speaks of an item: "gpu3->gpu5" of gpu3 and gpu5, "gpu30" of neither. */
bool subject_names(const char *subject, const char *item);
/* NULL where the plan has no host of that name. */
const struct host *plan_find_host(const struct plan *plan, const char *name);
/* The same for who asks for many: the hosts of a plan or a hostfile, as they are now, by their names. In the arena. */
struct host_names;
const struct host_names *host_names_of_plan(struct arena *arena, const struct plan *plan);
const struct host_names *host_names_of_file(struct arena *arena, const struct hostfile *hostfile);
/* The first of that name; NULL: none is called so. */
const struct host *host_by_name(const struct host_names *names, const char *name);
/* Where each host stands in plan->hosts, for who asks of every step: no host is looked for among all. In the arena. */
struct host_places;
const struct host_places *host_places_create(struct arena *arena, const struct plan *plan);
/* (size_t)-1: it is none of the plan's own. */
size_t host_place(const struct host_places *places, const struct host *host);
/* One of the variants of a step of the suite: it is recorded to be compared with the others, and has no gate. */
bool step_advises(const struct step *step);
/* Whether both claim the fabric, or a leaf that is the same, and so never run at the same time. */
bool steps_share_fabric(const struct step *a, const struct step *b);
bool steps_share_host(const struct step *a, const struct step *b);
/* Deadline and expected time of one attempt, the members' timescale applied; a deadline is at least 10 s, of
   simulated hosts 30 s. */
unsigned step_deadline_s(const struct step *step);
double step_expected_s(const struct step *step);
/* Fewer slices (shape->repeat_for_s) than this are too few to notice what was slow for a while. */
enum { SLICES_LEAST = 8 };
/* How long its attempts have to work in all, likewise; 0: they are counted, see shape->repeat. */
double step_repeat_for_s(const struct step *step);
/* How many times as fast the fastest of its hosts, a simulated one, lets time run (timescale); 1: as it does. */
double plan_timescale(const struct plan *plan);

#endif
