/* SPDX-License-Identifier: Apache-2.0 */
/* Who has which value of a metric, over all runs: who else has what may exist once (RULE_DISTINCT), whose machine a name is
   (RULE_MACHINE), and on whom it could be read (RULE_READ). */
#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/text.h"
#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"

#include "owners.h"

/* One for each step of the suite and metric that was asked for. */
struct whole_owners {
    LIST_OF(struct owners) items;
    LIST_OF(struct owner) machines; /* who has which machine, by part and host */
    bool machines_known;
    bool *superseded; /* by step; NULL: nobody asked yet */
};

/* Whether the step was repeated because its host got another machine, or to look once more: what it showed is of what was there
   before, which may stand under another name by now. */
static bool is_superseded(struct whole_run *run, size_t index)
{
    struct whole_owners *owners = run->owners;

    if (owners->superseded == NULL) {
        owners->superseded = arena_array(run->arena, bool, run->together.plan->steps.count);
        for (size_t i = 0; i < run->together.plan->steps.count; i++) {
            const struct step *step = &run->together.plan->steps.items[i];
            const struct judged_part *part = together_part(&run->together, i);

            if (step->round > 0 && step->origin != ORIGIN_ISOLATE && step->parent < part->step_count)
                owners->superseded[part->first_step + step->parent] = true;
        }
    }
    return owners->superseded[index];
}

static int compare_owners(const void *a, const void *b)
{
    const struct owner *left = a, *right = b;
    int order = strcmp(left->value, right->value);

    if (order == 0)
        order = (left->step > right->step) - (left->step < right->step);
    return order != 0 ? order : (left->slot > right->slot) - (left->slot < right->slot);
}

/* Of one step what each of its items of that metric has. */
static void add_owners(struct whole_run *run, size_t index, const char *metric, struct owners *owners)
{
    const struct step *step = &run->together.plan->steps.items[index];
    cleanup_arena struct arena *aside = arena_create();

    for (size_t i = 0; i < step->shape->slot_count; i++) {
        const struct slot *slot = &step->shape->slots[i];
        const char *value = strcmp(slot->metric, metric) == 0 ? whole_value(aside, run, index, slot) : NULL;

        if (value != NULL)
            *list_push(run->arena, &owners->items) = (struct owner){arena_strdup(run->arena, value),
                                                                    step->shape->platform,
                                                                    step->members[0]->name,
                                                                    step->members[0]->rack,
                                                                    slot->subject,
                                                                    together_part(&run->together, index),
                                                                    index,
                                                                    i};
    }
}

struct owners *owners_of(struct whole_run *run, const char *suite_step, const struct slot *slot)
{
    const struct plan *plan = run->together.plan;
    struct owners *owners;

    if (run->owners == NULL)
        run->owners = arena_new(run->arena, struct whole_owners);
    for (size_t i = 0; i < run->owners->items.count; i++) {
        owners = &run->owners->items.items[i];
        if (strcmp(owners->suite_step, suite_step) == 0 && strcmp(owners->metric, slot->metric) == 0)
            return owners;
    }
    owners = list_push(run->arena, &run->owners->items);
    *owners = (struct owners){.suite_step = suite_step, .metric = slot->metric};
    for (size_t i = 0; i < plan->steps.count; i++)
        if (strcmp(plan->steps.items[i].shape->suite_step, suite_step) == 0 && !is_superseded(run, i))
            add_owners(run, i, slot->metric, owners);
    if (owners->items.count > 0)
        qsort(owners->items.items, owners->items.count, sizeof *owners->items.items, compare_owners);
    return owners;
}

/* How many come before those that have the value from this step on. */
static size_t owners_before(const struct owners *owners, const char *value, size_t step)
{
    const struct owner wanted = {.value = value, .step = step};
    size_t low = 0, high = owners->items.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare_owners(&owners->items.items[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct owner *owners_with(const struct owners *owners, const char *value, size_t *ret_count)
{
    size_t first = owners_before(owners, value, 0);

    *ret_count = owners_before(owners, value, SIZE_MAX) - first;
    return *ret_count > 0 ? &owners->items.items[first] : NULL;
}

/* Of how many others of its own run it is told that they have the value too: each that has it says so of the others. */
enum { OWNERS_TOLD = 16 };

/* "node[2-3]"; of what is in hosts "node2 gpu3, node4 gpu1", the own host's without its name. */
static const char *say_names(struct arena *arena, const char *const *names, size_t count, const char *subject)
{
    cleanup_text struct text text = {0};

    if (*subject == '\0')
        return hostlist_fold(arena, names, count);
    text_init(&text, 64 * 1024);
    for (size_t i = 0; i < count; i++)
        text_printf(&text, "%s%s", i > 0 ? ", " : "", names[i]);
    return arena_strndup(arena, text.bytes, text.length);
}

/* Of `count` of its own run those but the item itself, which is one of them where `among` says so; NULL: there are none. */
static const struct reason *say_own(struct arena *arena, const struct owner *first, size_t count,
                                    const struct owner *self, bool among)
{
    const char *names[OWNERS_TOLD];
    const struct reason *said;
    size_t others = 0;

    for (size_t i = 0; i < count && others < OWNERS_TOLD; i++) {
        bool own = strcmp(first[i].host, self->host) == 0;

        if (own && strcmp(first[i].subject, self->subject) == 0)
            continue;
        names[others++] = *first[i].subject == '\0' ? first[i].host
                          : own                     ? first[i].subject
                                : arena_printf(arena, "%s %s", first[i].host, first[i].subject);
    }
    if (others == 0)
        return NULL;
    said = reason_text(arena, say_names(arena, names, others, self->subject));
    count -= among ? 1 : 0;
    return others == OWNERS_TOLD && count > others ? reason(arena, and_more, said, count - others) : said;
}

/* "gpu1 on node4 of run 5" */
static const struct reason *say_foreign(struct arena *arena, const struct owner *owner)
{
    const struct reason *host = reason(arena, host_of_run, owner->host, owner->part->record->number);

    return *owner->subject == '\0' ? host : reason(arena, part_on_target, owner->subject, host);
}

/* A few of those that have the value in other runs, behind what is said of its own: NULL, where nobody has it there. */
static const struct reason *say_owners(struct arena *arena, const struct owners *owners,
                                       const struct owner *self, const struct reason *own)
{
    const struct judged_part *part = self->part;
    size_t first = owners_before(owners, self->value, 0), end = owners_before(owners, self->value, SIZE_MAX),
           from = owners_before(owners, self->value, part->first_step),
           to = owners_before(owners, self->value, part->first_step + part->step_count),
           foreign = (from - first) + (end - to);
    const struct reason *said = own;

    for (size_t i = 0; i < foreign && i < KINDS_TOLD; i++) {
        size_t place = first + i < from ? first + i : to + (i - (from - first));
        const struct reason *one = say_foreign(arena, &owners->items.items[place]);

        said = said == NULL ? one : reason(arena, clause, said, one);
    }
    return foreign > KINDS_TOLD ? reason(arena, and_more, said, foreign - KINDS_TOLD) : said;
}

const struct reason *whole_others_with(struct arena *arena, struct whole_run *run, size_t index,
                                       const struct slot *slot, const char *value)
{
    const struct step *step = &run->together.plan->steps.items[index];
    const struct owners *owners = owners_of(run, step->shape->suite_step, slot);
    const struct judged_part *part = together_part(&run->together, index);
    const struct owner self = {.value = value,
                               .host = step->members[0]->name,
                               .subject = slot->subject,
                               .part = part,
                               .step = index,
                               .slot = (size_t)(slot - step->shape->slots)};
    size_t from = owners_before(owners, value, part->first_step),
           to = owners_before(owners, value, part->first_step + part->step_count);
    const struct owner *first = from < to ? &owners->items.items[from] : NULL;
    bool among = first != NULL && bsearch(&self, first, to - from, sizeof *first, compare_owners) != NULL;

    return is_superseded(run, index)
               ? NULL
               : say_owners(arena, owners, &self, say_own(arena, first, to - from, &self, among));
}

static int compare_hosts(const void *a, const void *b)
{
    const struct owner *left = a, *right = b;
    int order = (left->part > right->part) - (left->part < right->part);

    return order != 0 ? order : strcmp(left->host, right->host);
}

/* What the logins read, of whichever step of the suite logs in. */
static void find_machines(struct whole_run *run)
{
    static const struct slot machine = {.metric = "host.machine", .subject = "", .at = ""};
    const struct plan *plan = run->together.plan;
    const struct owners *owners = NULL;

    for (size_t i = 0; i < plan->steps.count && owners == NULL; i++)
        if (strcmp(plan->steps.items[i].shape->check, "reachable") == 0)
            owners = owners_of(run, plan->steps.items[i].shape->suite_step, &machine);
    for (size_t i = 0; owners != NULL && i < owners->items.count; i++)
        *list_push(run->arena, &run->owners->machines) = owners->items.items[i];
    if (owners != NULL && owners->items.count > 0)
        qsort(run->owners->machines.items, run->owners->machines.count, sizeof(struct owner), compare_hosts);
    run->owners->machines_known = true;
}

const char *whole_machine_of(struct whole_run *run, size_t index, const char *host)
{
    const struct owner wanted = {.part = together_part(&run->together, index), .host = host}, *found = NULL;

    if (run->owners == NULL)
        run->owners = arena_new(run->arena, struct whole_owners);
    if (is_superseded(run, index))
        return NULL;
    if (!run->owners->machines_known)
        find_machines(run);
    if (run->owners->machines.count > 0)
        found = bsearch(&wanted, run->owners->machines.items, run->owners->machines.count, sizeof wanted,
                        compare_hosts);
    return found != NULL ? found->value : NULL;
}

/* The first of them by the text: one is enough to show that it can be read. Of a GPU only one of its platform shows it: what a GPU
   tells goes by its kind, and which tools a host has does not. */
const struct reason *whole_read_on(struct arena *arena, struct whole_run *run, size_t index,
                                   const struct slot *slot, const char *texts)
{
    const struct step *step = &run->together.plan->steps.items[index];
    const char *read = arena_strndup(arena, texts, strcspn(texts, "|"));
    size_t count, i = 0;
    const struct owner *found = owners_with(owners_of(run, step->shape->suite_step, slot), read, &count);

    while (i < count && is_gpu(slot->subject) && strcmp(found[i].platform, step->shape->platform) != 0)
        i++;
    if (found == NULL || i == count)
        return NULL;
    found += i;
    if (found->part != together_part(&run->together, index))
        return say_foreign(arena, found);
    /* A test across hosts has it of each of them by name. */
    return reason_text(arena, run->together.plan->steps.items[found->step].member_count > 1 ? found->subject
                                                                                            : found->host);
}
