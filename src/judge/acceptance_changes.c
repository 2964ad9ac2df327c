/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the hardware and its versions from run to run, as the sightings tell it. */
#include <string.h>

#include "acceptance_private.h"
#include "assay/reasons/judge.h"

/* What is known of one kind on one host. */
struct known {
    const char *position, *identity;
    bool seen; /* in the run that is looked at */
};
struct known_items {
    LIST_OF(struct known) items;
    size_t run; /* the last one that saw any */
};

struct looking {
    struct acceptance *acceptance;
    struct sightings *of_runs;
    const char *host;
    enum item_kind kind;
    struct known_items known;
};

/* The sightings of this kind on the host of that name in a run, which stand together. */
static const struct sighting *find_first(const struct looking *looking, size_t run, size_t *ret_count)
{
    const struct record *record = looking->acceptance->runs.items[run];
    const struct sightings *sightings = &looking->of_runs[run];
    const struct sighting *first = NULL;

    *ret_count = 0;
    for (size_t i = 0; i < sightings->items.count; i++) {
        const struct sighting *one = &sightings->items.items[i];

        if (one->kind != looking->kind ||
            strcmp(record->plan->hosts.items[one->host]->name, looking->host) != 0)
            continue;
        if (first == NULL)
            first = one;
        (*ret_count)++;
    }
    return first;
}

static struct known *find_identity(struct known_items *known, const char *identity)
{
    for (size_t i = 0; i < known->items.count; i++)
        if (strcmp(known->items.items[i].identity, identity) == 0)
            return &known->items.items[i];
    return NULL;
}

static struct known *find_position(struct known_items *known, const char *position)
{
    for (size_t i = 0; i < known->items.count; i++)
        if (!known->items.items[i].seen && strcmp(known->items.items[i].position, position) == 0)
            return &known->items.items[i];
    return NULL;
}

/* A repair or swap of this, or of the whole host, between the last run that saw the old and the first that saw the
   new. */
static bool is_recorded(const struct looking *looking, const char *position, size_t run)
{
    const struct acceptance *acceptance = looking->acceptance;

    for (size_t i = 0; i < acceptance->events.count; i++) {
        const struct acceptance_event *event = &acceptance->events.items[i];

        if (event_is_work(event) && event_records(event, looking->kind) &&
            strcmp(event->host, looking->host) == 0 &&
            (*event->item == '\0' || strcmp(event->item, position) == 0) &&
            event->at > acceptance->runs.items[looking->known.run]->started &&
            event->at <= acceptance->runs.items[run]->started)
            return true;
    }
    return false;
}

static void add_change(struct looking *looking, const struct sighting *sighting, const struct reason *was,
                       size_t run)
{
    struct acceptance *acceptance = looking->acceptance;

    *list_push(acceptance->arena, &acceptance->changes) =
        (struct change){.host = looking->host,
                        .position = sighting->position,
                        .kind = looking->kind,
                        .was = was,
                        .is = sighting->identity,
                        .before = looking->known.run,
                        .since = run,
                        .recorded = is_recorded(looking, sighting->position, run)};
}

/*
 * GPUs and HCAs are known by themselves: where one is lost, those behind it are counted up by one, and no item has
 * changed. An identity that the host did not have is a change; and so is one at another place, where all are there.
 * Of a version or a chassis its place is all that is known of it.
 */
static void compare_run(struct looking *looking, size_t run, const struct sighting *first, size_t count)
{
    struct arena *arena = looking->acceptance->arena;
    bool mobile = looking->kind == ITEM_GPU || looking->kind == ITEM_HCA;
    bool all_there = count == looking->known.items.count;

    for (size_t i = 0; i < looking->known.items.count; i++)
        looking->known.items.items[i].seen = false;
    for (size_t i = 0; mobile && i < count; i++) {
        struct known *same = find_identity(&looking->known, first[i].identity);

        if (same == NULL)
            continue;
        same->seen = true;
        if (all_there && strcmp(same->position, first[i].position) != 0) {
            add_change(looking, &first[i], REASON(another_item), run);
            same->position = first[i].position;
        }
    }
    for (size_t i = 0; i < count; i++) {
        struct known *was;

        if (mobile && find_identity(&looking->known, first[i].identity) != NULL)
            continue;
        was = find_position(&looking->known, first[i].position);
        if (was != NULL && strcmp(was->identity, first[i].identity) == 0)
            continue;
        add_change(looking, &first[i], was != NULL ? reason_text(arena, was->identity) : NULL, run);
        if (was == NULL)
            was = list_push(arena, &looking->known.items);
        *was = (struct known){first[i].position, first[i].identity, true};
    }
}

static void look_at(struct looking *looking)
{
    const struct acceptance *acceptance = looking->acceptance;

    looking->known = (struct known_items){0};
    for (size_t run = 0; run < acceptance->runs.count; run++) {
        size_t count;
        const struct sighting *first = find_first(looking, run, &count);

        if (count == 0)
            continue;
        if (looking->known.items.count > 0)
            compare_run(looking, run, first, count);
        else
            for (size_t i = 0; i < count; i++)
                *list_push(acceptance->arena, &looking->known.items) =
                    (struct known){first[i].position, first[i].identity, true};
        looking->known.run = run;
    }
}

static void find_conflicts(struct acceptance *acceptance, const struct sightings *of_runs)
{
    for (size_t run = 0; run < acceptance->runs.count; run++) {
        const struct record *record = acceptance->runs.items[run];
        struct sighting_conflicts conflicts;

        sightings_check(acceptance->arena, record->plan, &of_runs[run], &conflicts);
        for (size_t i = 0; i < conflicts.items.count; i++)
            *list_push(acceptance->arena, &acceptance->conflicts) =
                (struct run_conflict){run, record->plan->hosts.items[conflicts.items.items[i].host]->name,
                                      conflicts.items.items[i].text, false};
    }
}

/* -- What contradicts a swap ------------------------------------------------------------------------------------- */

/* Of a whole host its chassis tells, of an item that is no GPU or HCA nothing. */
static bool kind_of_swap(const struct acceptance_event *event, enum item_kind *ret_kind)
{
    *ret_kind = event_item_kind(event);
    return event->kind == EVENT_SWAP && event_is_work(event) &&
           (*event->item == '\0' || *ret_kind != ITEM_CHASSIS);
}

/* The identity at that place when the run ended. */
static const struct sighting *sighting_at(const struct sighting *first, size_t count, const char *position)
{
    const struct sighting *found = NULL;

    for (size_t i = 0; i < count; i++)
        if (strcmp(first[i].position, position) == 0)
            found = &first[i];
    return found;
}

static bool has_identity(const struct sighting *first, size_t count, const char *identity)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(first[i].identity, identity) == 0)
            return true;
    return false;
}

/* The last run before it that saw what was there, and the first since that saw any of its kind. */
static void contradict(struct looking *looking, struct acceptance_event *event)
{
    struct acceptance *acceptance = looking->acceptance;
    const struct sighting *was = NULL;

    looking->host = event->host;
    for (size_t run = 0; run < acceptance->runs.count; run++) {
        const struct record *record = acceptance->runs.items[run];
        size_t count;
        const struct sighting *first = find_first(looking, run, &count), *here;

        if (count == 0 || (record->started < event->at && record->ended > event->at))
            continue;
        if (record->started < event->at) {
            here = sighting_at(first, count, event->item);
            was = here != NULL ? here : was;
            continue;
        }
        if (was != NULL && has_identity(first, count, was->identity))
            event->contradicted = reason(acceptance->arena, same_part_since,
                                         event_text(acceptance->arena, event), was->identity, record->number);
        return;
    }
}

static void find_contradictions(struct looking *looking)
{
    struct acceptance *acceptance = looking->acceptance;

    for (size_t i = 0; i < acceptance->events.count; i++) {
        acceptance->events.items[i].contradicted = NULL;
        acceptance->events.items[i].late = false;
        if (kind_of_swap(&acceptance->events.items[i], &looking->kind))
            contradict(looking, &acceptance->events.items[i]);
    }
}

static bool is_in_run_before(const struct host_names *const *runs, size_t run, const char *host)
{
    for (size_t i = 0; i < run; i++)
        if (host_by_name(runs[i], host) != NULL)
            return true;
    return false;
}

void find_changes(struct acceptance *acceptance)
{
    struct looking looking = {.acceptance = acceptance};
    const struct host_names **names =
        arena_array(acceptance->arena, const struct host_names *, acceptance->runs.count);

    looking.of_runs = arena_array(acceptance->arena, struct sightings, acceptance->runs.count);
    for (size_t run = 0; run < acceptance->runs.count; run++)
        sightings_of_record(acceptance->arena, acceptance->runs.items[run], &looking.of_runs[run]);
    find_conflicts(acceptance, looking.of_runs);
    find_contradictions(&looking);
    for (size_t run = 0; run < acceptance->runs.count; run++) {
        const struct plan *plan = acceptance->runs.items[run]->plan;

        names[run] = host_names_of_plan(acceptance->arena, plan);
        for (size_t i = 0; i < plan->hosts.count; i++) {
            looking.host = plan->hosts.items[i]->name;
            if (is_in_run_before(names, run, looking.host))
                continue;
            for (looking.kind = 0; looking.kind < ITEM_KINDS; looking.kind++)
                look_at(&looking);
        }
    }
}

const struct reason *conflict_of(const struct acceptance *acceptance, size_t run, const struct host *host)
{
    for (size_t i = 0; i < acceptance->conflicts.count; i++)
        if (acceptance->conflicts.items[i].run == run &&
            strcmp(acceptance->conflicts.items[i].host, host->name) == 0)
            return acceptance->conflicts.items[i].over_runs ? acceptance->conflicts.items[i].text
                                                            : REASON(hardware_changed_during_run);
    return NULL;
}
