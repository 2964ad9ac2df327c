/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether one machine is in two runs: then they are no two hosts, and its numbers would count twice. A machine is known by
 * its GPUs, or where one of the runs saw none of them by its HCAs: one that shares most of them with another is the
 * same, and one that shares few has exchanged parts with it, which the judge tells. One with the name and the chassis of
 * another is the same too; hosts of one name of which nothing was seen in both runs may be.
 */
#include <stdlib.h>
#include <string.h>

#include "assay/judge/judge.h"
#include "assay/model/sighting.h"

/* GPUs and HCAs: those that only one machine can have. Hosts of one chassis may share its serial number. */
enum { PART_KINDS = ITEM_HCA + 1 };

struct machine {
    const struct record *record;
    const struct host *host;
    size_t known[PART_KINDS]; /* parts of it that were seen */
    const char *chassis;      /* its serial number; NULL: it was not seen */
};

struct known_part {
    enum item_kind kind;
    const char *identity;
    size_t machine;
};

/* Machines of two runs that share a part. */
struct pair {
    size_t machines[2];
    enum item_kind kind;
};

struct meeting {
    struct arena *arena;
    LIST_OF(struct machine) machines; /* in the order of the runs */
    LIST_OF(struct known_part) parts;
    LIST_OF(struct pair) pairs;
};

static void add_run(struct meeting *meeting, const struct record *record)
{
    const struct plan *plan = record->plan;
    size_t first = meeting->machines.count;
    struct sightings seen;

    for (size_t i = 0; i < plan->hosts.count; i++)
        *list_push(meeting->arena, &meeting->machines) =
            (struct machine){.record = record, .host = plan->hosts.items[i]};
    sightings_of_record(meeting->arena, record, &seen);
    list_each (one, seen.items) {
        struct machine *machine = &meeting->machines.items[first + one->host];

        if (one->kind == ITEM_CHASSIS)
            machine->chassis = one->identity;
        if (one->kind != ITEM_GPU && one->kind != ITEM_HCA)
            continue;
        *list_push(meeting->arena, &meeting->parts) =
            (struct known_part){one->kind, one->identity, first + one->host};
    }
}

static int compare_parts(const void *one, const void *other)
{
    const struct known_part *a = one, *b = other;
    int order = (int)a->kind - (int)b->kind;

    if (order == 0)
        order = strcmp(a->identity, b->identity);
    return order != 0 ? order : a->machine < b->machine ? -1 : a->machine > b->machine;
}

static int compare_pairs(const void *one, const void *other)
{
    const struct pair *a = one, *b = other;

    for (size_t i = 0; i < 2; i++)
        if (a->machines[i] != b->machines[i])
            return a->machines[i] < b->machines[i] ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

/* A part that was seen at two places of its machine, as where its GPUs changed their numbers, is one part. */
static void count_parts(struct meeting *meeting)
{
    struct known_part *parts = meeting->parts.items;
    size_t kept = 0;

    if (meeting->parts.count > 0)
        qsort(parts, meeting->parts.count, sizeof *parts, compare_parts);
    for (size_t i = 0; i < meeting->parts.count; i++) {
        if (kept > 0 && compare_parts(&parts[kept - 1], &parts[i]) == 0)
            continue;
        parts[kept++] = parts[i];
        meeting->machines.items[parts[i].machine].known[parts[i].kind]++;
    }
    meeting->parts.count = kept;
}

/* Each machine with the next that has the same part: one that is in three runs meets itself twice. */
static void find_pairs(struct meeting *meeting)
{
    const struct known_part *parts = meeting->parts.items;

    for (size_t i = 1; i < meeting->parts.count; i++) {
        size_t a = parts[i - 1].machine, b = parts[i].machine;

        if (parts[i].kind == parts[i - 1].kind && strcmp(parts[i].identity, parts[i - 1].identity) == 0 &&
            meeting->machines.items[a].record != meeting->machines.items[b].record)
            *list_push(meeting->arena, &meeting->pairs) = (struct pair){{a, b}, parts[i].kind};
    }
    if (meeting->pairs.count > 0)
        qsort(meeting->pairs.items, meeting->pairs.count, sizeof(struct pair), compare_pairs);
}

/* By which parts both are known; PART_KINDS: by none. */
static size_t known_by(const struct machine *a, const struct machine *b)
{
    size_t kind = ITEM_GPU;

    while (kind < PART_KINDS && (a->known[kind] == 0 || b->known[kind] == 0))
        kind++;
    return kind;
}

static int refuse(const struct machine *a, const struct machine *b, const char *why, struct error *err)
{
    const struct machine *later = a->record->started > b->record->started ? a : b;

    return error_set(
        err, ERROR_USAGE,
        "%s of run %lld and %s of run %lld %s; a machine counts once: give only the later run, %lld",
        a->host->name, a->record->number, b->host->name, b->record->number, why, later->record->number);
}

static int check_pair(const struct machine *a, const struct machine *b, enum item_kind kind, size_t shared,
                      struct error *err)
{
    size_t fewer = a->known[kind] < b->known[kind] ? a->known[kind] : b->known[kind];

    if ((size_t)kind != known_by(a, b) || 2 * shared <= fewer)
        return 0;
    return refuse(a, b, kind == ITEM_GPU ? "are one machine, by its GPUs" : "are one machine, by its HCAs",
                  err);
}

/* The first of a pair is one of `ones`, the second of `others`. */
static int check_shared(const struct meeting *meeting, const struct machine *ones,
                        const struct machine *others, struct error *err)
{
    const struct pair *pairs = meeting->pairs.items;

    for (size_t i = 0, end; i < meeting->pairs.count; i = end) {
        for (end = i + 1; end < meeting->pairs.count && compare_pairs(&pairs[end], &pairs[i]) == 0; end++)
            ;
        if (check_pair(&ones[pairs[i].machines[0]], &others[pairs[i].machines[1]], pairs[i].kind, end - i,
                       err) < 0)
            return -1;
    }
    return 0;
}

static int compare_names(const void *one, const void *other)
{
    const struct machine *a = one, *b = other;

    return strcmp(a->host->name, b->host->name);
}

/* Two hosts of one name: with one chassis they are one, whatever was exchanged in it. */
static int check_namesakes(const struct machine *a, const struct machine *b, struct error *err)
{
    if (a->chassis != NULL && b->chassis != NULL)
        return strcmp(a->chassis, b->chassis) == 0
                   ? refuse(a, b, "are one machine, by its name and chassis", err)
                   : 0;
    if (known_by(a, b) < PART_KINDS)
        return 0;
    return refuse(a, b, "may be one machine: no GPU, HCA or chassis that both runs saw tells them apart",
                  err);
}

/* Behind the others: it loses their order. */
static int check_names(struct meeting *meeting, struct error *err)
{
    const struct machine *machines = meeting->machines.items;
    size_t count = meeting->machines.count;

    if (count > 0)
        qsort(meeting->machines.items, count, sizeof *machines, compare_names);
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && compare_names(&machines[i], &machines[k]) == 0; k++)
            if (check_namesakes(&machines[i], &machines[k], err) < 0)
                return -1;
    return 0;
}

int judge_same_machine(const struct judged_run *runs, size_t count, struct error *err)
{
    struct meeting meeting = {.arena = arena_create()};
    int result;

    for (size_t i = 0; i < count; i++)
        add_run(&meeting, runs[i].record);
    count_parts(&meeting);
    find_pairs(&meeting);
    result = check_shared(&meeting, meeting.machines.items, meeting.machines.items, err);
    if (result == 0)
        result = check_names(&meeting, err);
    arena_destroy(meeting.arena);
    return result;
}

/* -- Those of some runs, with many others ------------------------------------------------------------------------- */

struct machines {
    struct meeting meeting;       /* its machines and parts; no pairs */
    const struct machine **named; /* by their names */
};

static int compare_named(const void *one, const void *other)
{
    return compare_names(*(const struct machine *const *)one, *(const struct machine *const *)other);
}

struct machines *judge_machines(struct arena *arena, const struct record *const *records, size_t count)
{
    struct machines *machines = arena_new(arena, struct machines);
    struct meeting *meeting = &machines->meeting;

    meeting->arena = arena;
    for (size_t i = 0; i < count; i++)
        add_run(meeting, records[i]);
    count_parts(meeting);
    machines->named = arena_array(arena, const struct machine *, meeting->machines.count + 1);
    for (size_t i = 0; i < meeting->machines.count; i++)
        machines->named[i] = &meeting->machines.items[i];
    if (meeting->machines.count > 0)
        qsort(machines->named, meeting->machines.count, sizeof(struct machine *), compare_named);
    return machines;
}

static int compare_identities(const struct known_part *a, const struct known_part *b)
{
    return a->kind != b->kind ? (int)a->kind - (int)b->kind : strcmp(a->identity, b->identity);
}

static const struct record *record_of(const struct meeting *meeting, const struct known_part *part)
{
    return meeting->machines.items[part->machine].record;
}

/* As find_pairs, of each run here with the other: of several machines of one run that have a part the last, of the other run's
   the first. */
static void find_pairs_with(const struct meeting *ours, struct meeting *theirs)
{
    const struct known_part *parts = ours->parts.items;

    for (size_t i = 0, k = 0; i < ours->parts.count; i++) {
        if (i + 1 < ours->parts.count && compare_identities(&parts[i + 1], &parts[i]) == 0 &&
            record_of(ours, &parts[i + 1]) == record_of(ours, &parts[i]))
            continue;
        while (k < theirs->parts.count && compare_identities(&theirs->parts.items[k], &parts[i]) < 0)
            k++;
        if (k < theirs->parts.count && compare_identities(&theirs->parts.items[k], &parts[i]) == 0)
            *list_push(theirs->arena, &theirs->pairs) =
                (struct pair){{parts[i].machine, theirs->parts.items[k].machine}, parts[i].kind};
    }
    if (theirs->pairs.count > 0)
        qsort(theirs->pairs.items, theirs->pairs.count, sizeof(struct pair), compare_pairs);
}

static bool share_names(const struct machines *ours, const struct machines *theirs)
{
    size_t count = ours->meeting.machines.count, other_count = theirs->meeting.machines.count;
    struct error why = {0};

    for (size_t i = 0, k = 0; i < count; i++) {
        while (k < other_count && compare_names(theirs->named[k], ours->named[i]) < 0)
            k++;
        if (k < other_count && compare_names(theirs->named[k], ours->named[i]) == 0 &&
            check_namesakes(ours->named[i], theirs->named[k], &why) < 0)
            return true;
    }
    return false;
}

bool judge_has_machine_of(const struct machines *machines, const struct record *record)
{
    cleanup_arena struct arena *arena = arena_create();
    struct machines *theirs = judge_machines(arena, &record, 1);
    struct error why = {0};

    find_pairs_with(&machines->meeting, &theirs->meeting);
    return check_shared(&theirs->meeting, machines->meeting.machines.items, theirs->meeting.machines.items,
                        &why) < 0 ||
           share_names(machines, theirs);
}
