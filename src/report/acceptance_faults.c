/* SPDX-License-Identifier: Apache-2.0 */
/* The fails of an acceptance that stand or are waived, in the words that the report of their run has for them. */
#include <string.h>

#include "acceptance_tables.h"
#include "assay/model/sighting.h"
#include "causes.h"
#include "gates.h"
#include "view.h"

struct telling {
    struct arena *arena;
    enum report_language language;
    const struct acceptance *acceptance;
    struct acceptance_faults *faults;
};

/* One run with what stands of it. */
struct showing {
    const struct view *view;
    const struct report_entry *entries;
    struct sightings sightings;
    const struct standing_fail **fails; /* by outcome of its judgement; NULL: it was mended, or is no fail */
    const struct standing_fail **accused; /* likewise by accusation */
};

static const struct standing_fail *fail_of_entry(const struct showing *showing,
                                                 const struct report_entry *entry)
{
    const struct judgement *judgement = &showing->view->record->judgement;

    if (entry->accusation != NULL)
        return showing->accused[entry->accusation - judgement->accusations];
    for (size_t i = 0; i < entry->items; i++) {
        const struct outcome *outcome = entry->outcomes[i];

        if (outcome >= judgement->outcomes && outcome < judgement->outcomes + judgement->outcome_count &&
            showing->fails[outcome - judgement->outcomes] != NULL)
            return showing->fails[outcome - judgement->outcomes];
    }
    return NULL;
}

/* The first that is not waived; of what is waived as a whole the first. */
static const struct standing_fail *fail_of_cause(const struct showing *showing,
                                                 const struct report_cause *cause,
                                                 const struct report_entry **ret_entry)
{
    const struct standing_fail *found = NULL;

    for (size_t i = 0; cause->word == OUTCOME_FAIL && i < cause->entries.count; i++) {
        const struct report_entry *entry = &showing->entries[cause->entries.items[i]];
        const struct standing_fail *fail = fail_of_entry(showing, entry);

        if (fail == NULL || (found != NULL && (found->waiver == NULL || fail->waiver != NULL)))
            continue;
        found = fail;
        *ret_entry = entry;
    }
    return found;
}

static const struct sighting *sighting_at(const struct showing *showing, size_t host, const char *position)
{
    for (size_t i = 0; i < showing->sightings.items.count; i++) {
        const struct sighting *sighting = &showing->sightings.items.items[i];

        if (sighting->host == host && item_kind_is_hardware(sighting->kind) &&
            strcmp(sighting->position, position) == 0)
            return sighting;
    }
    return NULL;
}

/* "GPU 2: 1653022123456, GPU 5: 1653022123459"; of a part without a number what it is known by. */
static const char *serials_of(struct arena *arena, const struct showing *showing,
                              const struct report_cause *cause)
{
    enum { PARTS_MOST = 2 };
    const char *text = "";

    if (cause->hosts.count != 1 || cause->parts.count > PARTS_MOST)
        return "";
    for (size_t i = 0; i < cause->parts.count; i++) {
        const char *part = cause->parts.items[i], *arrow = strstr(part, "->");
        const struct sighting *sighting;

        if (arrow != NULL) /* the other direction of a pair names the other one */
            part = arena_strndup(arena, part, (size_t)(arrow - part));
        sighting = sighting_at(showing, view_host(showing->view, cause->hosts.items[0]), part);
        if (sighting != NULL)
            text = arena_printf(arena, "%s%s%s: %s", text, *text != '\0' ? ", " : "", part_name(arena, part),
                                sighting->serial != NULL && *sighting->serial != '\0' ? sighting->serial
                                                                                      : sighting->identity);
    }
    return text;
}

static struct said_list remedy_of(const struct telling *telling, const struct showing *showing,
                                  const struct report_cause *cause, const struct standing_fail *fail)
{
    struct said_list pieces = {0};

    if (fail->waiver != NULL)
        reason_pieces(telling->arena, telling->language, acceptance_waiver_text(telling->arena, fail->waiver),
                      &pieces);
    else
        cause_advice(telling->arena, telling->language, showing->view, showing->entries, cause, true,
                     &pieces);
    return pieces;
}

const char *fault_remedy(struct arena *arena, const struct acceptance_fault *fault)
{
    const char *text = "";

    for (size_t i = 0; i < fault->remedy.items.count; i++)
        text = arena_printf(arena, "%s%s", text, fault->remedy.items.items[i].text);
    return text;
}

/* A later run has told the same. What one run tells apart are two faults. */
static bool is_told(const struct acceptance_faults *faults, const struct acceptance_fault *fault)
{
    for (size_t i = 0; i < faults->items.count; i++) {
        const struct acceptance_fault *other = &faults->items.items[i];

        if (other->run != fault->run && strcmp(other->target, fault->target) == 0 &&
            strcmp(other->part, fault->part) == 0 && strcmp(other->step, fault->step) == 0)
            return true;
    }
    return false;
}

static void tell_cause(struct telling *telling, const struct showing *showing,
                       const struct report_cause *cause)
{
    const struct report_entry *entry = NULL;
    const struct standing_fail *fail = fail_of_cause(showing, cause, &entry);
    const struct outcome *first;
    struct acceptance_fault fault;

    if (fail == NULL)
        return;
    first = entry->items > 0 ? entry->outcomes[0] : NULL;
    fault = (struct acceptance_fault){
        .state = fail->waiver != NULL ? REQUIREMENT_WAIVED : REQUIREMENT_FAILED,
        .run = showing->view->record->number,
        .step = entry->check,
        .target = said(telling, cause->target),
        .part = cause_part(telling->arena, telling->language, showing->view, showing->entries, cause),
        .serial = serials_of(telling->arena, showing, cause),
        .problem = cause_problem(telling->arena, telling->language, showing->view, showing->entries, cause),
        .source =
            first != NULL ? limit_origin(telling->arena, first->held->status, first->held->source) : NULL,
        .hands = fail->waiver == NULL
                     ? cause_hands(telling->arena, showing->view, showing->entries, cause, false)
                     : NULL,
        .remedy = remedy_of(telling, showing, cause, fail)};
    cause_marks(telling->arena, telling->language, showing->view, &showing->sightings, cause, &fault.marks);
    if (!is_told(telling->faults, &fault))
        *list_push(telling->arena, &telling->faults->items) = fault;
}

/* false: nothing of it stands. */
static bool mark_standing(const struct telling *telling, size_t run, struct showing *showing)
{
    const struct judgement *judgement = &telling->acceptance->runs.items[run]->judgement;
    bool any = false;

    for (size_t i = 0; i < telling->acceptance->requirements.count; i++) {
        const struct requirement *requirement = &telling->acceptance->requirements.items[i];

        for (size_t k = 0; k < requirement->standing.count; k++) {
            const struct standing_fail *fail = &requirement->standing.items[k];

            if (fail->run != run)
                continue;
            any = true;
            if (fail->outcome != NULL)
                showing->fails[fail->outcome - judgement->outcomes] = fail;
            else
                showing->accused[fail->accusation - judgement->accusations] = fail;
        }
    }
    return any;
}

static void tell_run(struct telling *telling, size_t run)
{
    const struct record *record = telling->acceptance->runs.items[run];
    struct showing showing = {0};
    struct report_causes causes;
    struct report_entry *entries;
    size_t count;

    showing.fails =
        arena_array(telling->arena, const struct standing_fail *, record->judgement.outcome_count + 1);
    showing.accused =
        arena_array(telling->arena, const struct standing_fail *, record->judgement.accusation_count + 1);
    if (!mark_standing(telling, run, &showing))
        return;
    showing.view = view_create(telling->arena, record);
    count = report_entries(telling->arena, record, &entries);
    showing.entries = entries;
    sightings_of_record(telling->arena, record, &showing.sightings);
    report_causes_of(showing.view, entries, count, &causes);
    for (size_t i = 0; i < causes.items.count; i++)
        tell_cause(telling, &showing, &causes.items.items[i]);
}

/* What only several runs together show, such as who is slow beside hosts of another run. */
static void tell_the_rest(struct telling *telling)
{
    const struct acceptance *acceptance = telling->acceptance;

    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        const struct requirement *requirement = &acceptance->requirements.items[i];
        const struct step *step = &acceptance->plan->steps.items[requirement->step];

        if (requirement->state == REQUIREMENT_FAILED && requirement->standing.count == 0)
            *list_push(telling->arena, &telling->faults->items) =
                (struct acceptance_fault){.state = REQUIREMENT_FAILED,
                                          .step = step->shape->suite_step,
                                          .target = said(telling, step_target_said(telling->arena, step)),
                                          .part = "",
                                          .serial = "",
                                          .problem = said(telling, requirement->why)};
    }
}

void acceptance_faults_of(struct arena *arena, enum report_language language,
                          const struct acceptance *acceptance, struct acceptance_faults *ret_faults)
{
    struct acceptance_faults all = {0};
    struct telling telling = {arena, language, acceptance, &all};

    *ret_faults = (struct acceptance_faults){0};
    for (size_t run = acceptance->runs.count; run-- > 0;)
        tell_run(&telling, run);
    tell_the_rest(&telling);
    for (int state = REQUIREMENT_FAILED; state >= REQUIREMENT_WAIVED; state--)
        for (size_t i = 0; i < all.items.count; i++)
            if ((int)all.items.items[i].state == state)
                *list_push(arena, &ret_faults->items) = all.items.items[i];
}
