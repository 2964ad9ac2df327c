/* SPDX-License-Identifier: Apache-2.0 */
/* What stands beside the verdict of what may be accepted, for whoever reads no further. */
#include "caveat.h"

#include <string.h>

#include "assay/base/clock.h"
#include "assay/base/nearest.h"
#include "assay/model/compare.h"
#include "assay/model/platform.h"
#include "assay/model/spells.h"
#include "assay/model/toolset.h"
#include "assay/reasons/any.h"
#include "assay/reasons/report.h"
#include "assay/reasons/words.h"
#include "assay/report/report.h"
#include "turns.h"
#include "unread.h"
#include "view.h"

static const struct reason *then(struct arena *arena, const struct reason *first, const struct reason *second)
{
    return first == NULL    ? second
           : second == NULL ? first
                            : reason(arena, one_after_the_other, first, second);
}

static const struct reason *of_suite(struct arena *arena, const struct concessions *found)
{
    if (found->absent > 0 && found->changed > 0)
        return reason(arena, suite_leaves_out_and_changes, found->absent, found->tests, found->changed);
    if (found->absent > 0)
        return reason(arena, suite_leaves_out, found->absent, found->tests);
    return found->changed > 0 ? reason(arena, suite_changes, found->changed, found->tests) : NULL;
}

/* A list of names, of which more than a few would hide the rest of the screen. */
struct names {
    const char *text; /* the first of them; NULL: there is none */
    size_t shown;     /* in text */
    LIST_OF(const char *) items;
};

static void add_another(struct arena *arena, struct names *names, const char *name)
{
    enum { NAMES_MOST = 4 };

    *list_push(arena, &names->items) = name;
    if (names->items.count <= NAMES_MOST)
        names->text = names->text != NULL ? arena_printf(arena, "%s, %s", names->text, name)
                                          : arena_strdup(arena, name);
    names->shown = names->items.count < NAMES_MOST ? names->items.count : NAMES_MOST;
}

static void add_name(struct arena *arena, struct names *names, const char *name)
{
    for (size_t i = 0; i < names->items.count; i++)
        if (strcmp(names->items.items[i], name) == 0)
            return;
    add_another(arena, names, name);
}

static const struct reason *names_said(struct arena *arena, const struct names *names)
{
    return names->items.count > names->shown
               ? reason(arena, and_more, names->text, names->items.count - names->shown)
               : reason_text(arena, names->text);
}

static const struct reason *of_programs(struct arena *arena, const struct concessions *found)
{
    struct names names = {0};

    for (size_t i = 0; i < found->programs.count; i++)
        add_name(arena, &names, found->programs.items[i]);
    return names.items.count > 0 ? reason(arena, suite_names_programs, names_said(arena, &names)) : NULL;
}

static void add_files(struct arena *arena, const struct toolset *kit, const char *folder, struct names *names)
{
    for (size_t i = 0; i < kit->files.count; i++)
        if (strncmp(kit->files.items[i].path, folder, strlen(folder)) == 0)
            add_another(arena, names, kit->files.items[i].path + strlen(folder));
}

/* Of a kit nobody knows more than its hashes: what it prints is judged, whoever built it. */
static const struct reason *of_kit(struct arena *arena, const struct document *document)
{
    struct error err = {0};
    const struct toolset *kit = toolset_parse(arena, document->name, document->bytes, &err);
    struct names names = {0};

    if (kit == NULL)
        return reason(arena, kit_of_unknown_programs, document->name);
    add_files(arena, kit, "bin/", &names);
    if (toolset_has_folder(kit, "lib"))
        add_another(arena, &names, "lib/");
    return reason(arena, kit_of_programs, arena_printf(arena, "%.*s", (int)TOOLSET_SHORT, kit->version),
                  names_said(arena, &names));
}

/* Each kit once. */
static const struct reason *of_kits(struct arena *arena, const struct record *const *records, size_t count)
{
    LIST_OF(const struct document *) told = {0};
    const struct reason *said = NULL;

    for (size_t i = 0; i < count; i++) {
        const struct document *kit = document_find(&records[i]->documents, "tools");
        bool known = kit == NULL;

        for (size_t k = 0; k < told.count && !known; k++)
            known = strcmp(told.items[k]->sha256, kit->sha256) == 0;
        if (known)
            continue;
        *list_push(arena, &told) = kit;
        said = then(arena, said, of_kit(arena, kit));
    }
    return said;
}

static const struct reason *of_leaves(struct arena *arena, const struct concessions *found)
{
    struct names names = {0};

    list_each (leaf, found->odd_leaves)
        add_name(arena, &names, *leaf);
    return names.items.count > 0 ? reason(arena, leaves_declared_unlike, names_said(arena, &names)) : NULL;
}

static const struct reason *of_rails(struct arena *arena, const struct concessions *found)
{
    struct names names = {0};

    for (size_t i = 0; i < found->odd_rails.count; i++)
        add_name(arena, &names, found->odd_rails.items[i]);
    return names.items.count > 0 ? reason(arena, rails_declared_unlike, names_said(arena, &names)) : NULL;
}

const struct reason *caveat_of_concessions(struct arena *arena, const struct concessions *found)
{
    const struct reason *caveat = then(arena, of_suite(arena, found), of_programs(arena, found));

    if (found->weaker > 0)
        caveat = then(arena, caveat, reason(arena, limits_are_weaker, found->weaker));
    if (found->platforms > 0)
        caveat = then(arena, caveat, REASON(platform_declares_less));
    if (found->undeclared != NULL)
        caveat = then(arena, caveat, reason(arena, hostfile_leaves_out, found->undeclared));
    caveat = then(arena, caveat, of_leaves(arena, found));
    caveat = then(arena, caveat, of_rails(arena, found));
    if (found->spares > 0)
        caveat = then(arena, caveat, reason(arena, spares_not_tested, found->spares, found->spare_names));
    return found->alone ? then(arena, caveat, REASON(nothing_between_hosts)) : caveat;
}

/* Metrics that the suite would judge, and nobody has a figure for. */
static const struct reason *of_missing_limits(struct arena *arena, const struct plan *plan)
{
    const bool *of_suite = shapes_of_suite(arena, plan);
    struct names names = {0};

    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct shape *shape = plan->shapes.items[i];
        size_t slots = of_suite[i] ? shape->slot_count : 0;

        for (size_t k = 0; k < slots; k++) {
            const struct reason *note =
                shape->slots[k].duty == DUTY_RECORD ? shape->slots[k].duty_note : NULL;

            if (note != NULL && reason_is(note, recorded_without_limit))
                add_name(arena, &names, shape->slots[k].metric);
        }
    }
    return names.items.count > 0 ? reason(arena, recorded_for_want_of_a_limit, names_said(arena, &names))
                                 : NULL;
}

/* File systems in which nothing is kept: the kernel's own, and memory. */
static bool keeps_nothing(const char *type)
{
    static const char *const types[] = {
        "proc",     "sysfs",     "devtmpfs", "devpts",   "tmpfs",      "ramfs",  "cgroup",
        "cgroup2",  "debugfs",   "tracefs",  "configfs", "securityfs", "mqueue", "pstore",
        "efivarfs", "hugetlbfs", "bpf",      "fusectl",  "rpc_pipefs", "nsfs",   "binfmt_misc"};

    return word_is_among(type, types, ARRAY_SIZE(types));
}

/* Whoever declares such mounts, whatever their paths, has the storage tested that every host has. */
static const struct reason *of_storage(struct arena *arena, const struct record *record)
{
    struct names names = {0};

    list_each (attempt, record->attempts) {
        const char *nothing = NULL;
        bool keeps = false;

        list_each (fact, attempt->reading.facts) {
            if (strcmp(fact->name, "storage.type") != 0)
                continue;
            if (keeps_nothing(fact->value))
                nothing = arena_printf(arena, "%s (%s)", fact->subject, fact->value);
            else
                keeps = true;
        }
        if (nothing != NULL && !keeps)
            add_name(arena, &names, nothing);
    }
    return names.items.count > 0 ? reason(arena, storage_keeps_nothing, names_said(arena, &names)) : NULL;
}

/* Of the runs, what none of their hosts could be asked. */
static const struct reason *of_unread(struct arena *arena, const struct record *const *records, size_t count)
{
    const struct reason *names = unread_names(arena, records, count);

    return names != NULL ? reason(arena, not_read_for_want_of_a_tool, names) : NULL;
}

/* Only hosts on this machine may have one, and behind a tunnel any host is. */
const struct reason *simulated_sentence(struct arena *arena, double timescale)
{
    return timescale > 1 ? reason(arena, simulated, timescale) : NULL;
}

static const struct reason *of_timescale(struct arena *arena, const struct plan *plan)
{
    return plan_timescale(plan) > 1 ? reason(arena, tests_were_hastened, plan_timescale(plan)) : NULL;
}

static const char *step_name(struct arena *arena, const struct step *step)
{
    const char **hosts = arena_array(arena, const char *, step->member_count);

    for (size_t i = 0; i < step->member_count; i++)
        hosts[i] = step->members[i]->name;
    return arena_printf(arena, "%s %s", step->shape->suite_step,
                        hostlist_fold(arena, hosts, step->member_count));
}

/* When the operator cancelled the only attempts of the step that did not pass; 0: something else stopped one, or none. */
static double cancelled_at(const struct record *record, size_t step)
{
    size_t others = 0;
    double at = 0;

    list_each (attempt, record->attempts) {
        if (attempt->step != step)
            continue;
        if (attempt->end == ATTEMPT_CANCELLED)
            at = attempt->ended > at ? attempt->ended : at;
        else
            others++;
    }
    return others == 1 ? at : 0;
}

/* Tests that were made again. */
struct broken {
    struct names crashed, cancelled;
    double at; /* when the last of the cancelled was */
};

/* Each test once, as often as it was made. Outcomes stand in the order of the plan. */
static void add_broken(struct arena *arena, const struct record *record, struct broken *broken)
{
    size_t last = (size_t)-1;
    double at;

    array_each (outcome, record->judgement.outcomes, record->judgement.outcome_count) {
        const struct step *step = &record->plan->steps.items[outcome->step];

        if (outcome->step == last || outcome->word != OUTCOME_PASS || outcome->cause == NULL ||
            !reason_has(outcome->cause, passed_after_broken_attempts))
            continue;
        last = outcome->step;
        at = cancelled_at(record, outcome->step);
        add_another(arena, at > 0 ? &broken->cancelled : &broken->crashed, step_name(arena, step));
        broken->at = at > broken->at ? at : broken->at;
    }
}

/* A GPU that makes a program crash now and then is sick, however often it passes when it is tried again. */
static const struct reason *of_broken(struct arena *arena, const struct broken *broken)
{
    const struct names *crashed = &broken->crashed, *cancelled = &broken->cancelled;
    const struct reason *said =
        crashed->items.count > 0
            ? reason(arena, passed_when_tried_again, crashed->items.count, names_said(arena, crashed))
            : NULL;

    if (cancelled->items.count == 0)
        return said;
    return then(arena, said,
                reason(arena, passed_after_cancelled, cancelled->items.count, names_said(arena, cancelled),
                       time_text(arena, broken->at)));
}

/* Of a run of another party that was judged here, in all: attempts, and those of which its word is believed. */
static void count_unread(const struct record *record, size_t *attempts, size_t *unread)
{
    list_each (attempt, record->attempts) {
        ++*attempts;
        *unread += attempt->state == ATTEMPT_ENDED && attempt_is_clipped(attempt);
    }
}

/* records: those that were made elsewhere count. */
static const struct reason *of_unread_again(struct arena *arena, const struct record *const *records,
                                            size_t count)
{
    size_t attempts = 0, unread = 0;

    for (size_t i = 0; i < count; i++)
        if (records[i]->origin != NULL)
            count_unread(records[i], &attempts, &unread);
    return unread > 0 ? reason(arena, not_read_again, unread, attempts) : NULL;
}

/* Whoever judges a run again may do so by documents that the other party has not seen. */
static const struct reason *of_documents(struct arena *arena, const struct documents *judged_by)
{
    struct names names = {0};

    for (size_t i = 0; i < judged_by->count; i++)
        add_name(arena, &names,
                 arena_printf(arena, "%s %s", judged_by->items[i].kind, judged_by->items[i].name));
    return names.items.count > 0 ? reason(arena, judged_by_others, names_said(arena, &names)) : NULL;
}

/* A slow host is none among slower ones: whoever chooses the other run chooses what this one is compared with. */
static const struct reason *of_company(struct arena *arena, const struct judgement *judgement)
{
    const struct reason *alone = judgement->alone != NULL
                                     ? reason_word(arena, verdict_name(*judgement->alone))
                                     : REASON(word_not_judged);

    return reason_is(judgement->baselines, judged_as_one_with)
               ? reason(arena, judged_in_company, reason_argument(arena, judgement->baselines, 2), alone)
               : NULL;
}

static const struct reason *of_judgement(struct arena *arena, const struct judgement *judgement)
{
    return then(arena, of_documents(arena, &judgement->documents), of_company(arena, judgement));
}

/* A part is neither rejected nor accepted: it failed, whatever was waived of it. */
static bool is_failed_part(const struct other_delivery *other)
{
    return other->kind == RUN_PART && (other->end == DELIVERY_REJECTED || other->end == DELIVERY_WAIVED);
}

static void names_of_others(struct arena *arena, const struct other_deliveries *others, enum delivery_end end,
                            struct names *ret_names)
{
    *ret_names = (struct names){0};
    list_each (other, others->items)
        if (other->end == end && !other->settled && !is_failed_part(other))
            add_another(arena, ret_names, arena_printf(arena, "%lld", other->number));
}

static const struct reason *of_failed_parts(struct arena *arena, const struct other_deliveries *others)
{
    struct names names = {0};

    list_each (other, others->items)
        if (is_failed_part(other) && !other->settled)
            add_another(arena, &names, arena_printf(arena, "%lld", other->number));
    return names.items.count > 0
               ? reason(arena, parts_failed_before, names.items.count, names_said(arena, &names))
               : NULL;
}

/* Whose verdict is another by now, by other documents: of those that are told. */
static const struct reason *of_judged_again(struct arena *arena, const struct other_deliveries *others)
{
    const struct reason *all = NULL;

    list_each (other, others->items) {
        const struct standing standing = {.kind = other->kind};
        const struct reason *one = reason(arena, run_with_verdict, other->number,
                                          reason_word(arena, standing_verdict(&standing, other->verdict)));

        if (other->again && !other->settled &&
            (other->end == DELIVERY_REJECTED || other->end == DELIVERY_WAIVED))
            all = all == NULL ? one : reason(arena, also, all, one);
    }
    return all != NULL ? reason(arena, judged_again_since, all) : NULL;
}

static const struct reason *of_others(struct arena *arena, const struct other_deliveries *others)
{
    const struct reason *said = NULL;
    struct names names;

    names_of_others(arena, others, DELIVERY_REJECTED, &names);
    if (names.items.count > 0)
        said = reason(arena, rejected_before, names.items.count, names_said(arena, &names));
    names_of_others(arena, others, DELIVERY_WAIVED, &names);
    if (names.items.count > 0)
        said = then(arena, said, reason(arena, waived_before, names.items.count, names_said(arena, &names)));
    said = then(arena, said, of_failed_parts(arena, others));
    said = then(arena, said, of_judged_again(arena, others));
    names_of_others(arena, others, DELIVERY_BROKEN_OFF, &names);
    if (names.items.count > 0)
        said =
            then(arena, said, reason(arena, broken_off_before, names.items.count, names_said(arena, &names)));
    names_of_others(arena, others, DELIVERY_RUNNING, &names);
    return names.items.count > 0
               ? then(arena, said,
                      reason(arena, not_ended_before, names.items.count, names_said(arena, &names)))
               : said;
}

/* Of the built-in soak, of its slices together; 0: it has none. */
static double built_in_load_s(struct arena *arena)
{
    const struct builtin *builtin = builtin_find("suites", "soak");
    struct error err = {0};
    const struct suite *suite =
        builtin != NULL ? suite_parse(arena, builtin->name, builtin->bytes, &err) : NULL;
    unsigned least = 0;

    for (size_t i = 0; suite != NULL && i < suite->steps.count; i++) {
        unsigned seconds = suite->steps.items[i].repeat_for_s;

        if (seconds > 0 && (least == 0 || seconds < least))
            least = seconds;
    }
    return least;
}

/* What the slices of the step have worked that came to their end. */
static double worked_s(const struct record *record, size_t step)
{
    double sum = 0;

    list_each (attempt, record->attempts)
        if (attempt->step == step && attempt->state == ATTEMPT_ENDED && attempt->end == ATTEMPT_RAN)
            sum += slice_work_s(attempt);
    return sum;
}

/* The title of the suite says a day, however long it was made to last, and whatever became of it. Before anything is run,
   what is asked for. */
static const struct reason *of_soak(struct arena *arena, const struct record *record)
{
    const struct plan *plan = record->plan;
    double whole = built_in_load_s(arena), least = whole;
    bool ran = record->attempts.count > 0;

    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];
        double seconds;

        if (step->shape->repeat_for_s == 0 || step->origin != ORIGIN_SUITE)
            continue;
        seconds = ran ? worked_s(record, i) : step_repeat_for_s(step);
        least = seconds < least ? seconds : least;
    }
    if (least >= whole)
        return NULL;
    return ran ? reason(arena, soak_was_shorter, duration_text(arena, least), duration_text(arena, whole))
               : reason(arena, soak_is_shorter, duration_text(arena, least), duration_text(arena, whole));
}

const struct reason *caveat_of_documents(struct arena *arena, const struct plan *plan,
                                         const struct documents *documents, const struct documents *judged_by)
{
    struct concessions found;

    concessions_find(arena, plan, documents, judged_by, &found);
    return caveat_of_concessions(arena, &found);
}

static const struct reason *caveat_of_kind(struct arena *arena, const struct record *record)
{
    const struct documents *judged_by = &record->judgement.documents;
    const struct reason *caveat;
    struct broken broken = {.at = 0};

    if (record->standing.kind == RUN_SOAK)
        return then(arena, then(arena, of_soak(arena, record), of_unread(arena, &record, 1)),
                    then(arena, of_timescale(arena, record->plan), turns_of_run(arena, record)));
    if (!standing_is_acceptance(&record->standing))
        return NULL;
    caveat = then(arena, of_judgement(arena, &record->judgement),
                  caveat_of_documents(arena, record->plan, &record->documents, judged_by));
    caveat = then(arena, caveat, of_kits(arena, &record, 1));
    caveat = then(arena, caveat, of_missing_limits(arena, record->plan));
    caveat = then(arena, caveat, of_storage(arena, record));
    caveat = then(arena, caveat, of_unread(arena, &record, 1));
    caveat = then(arena, caveat, of_timescale(arena, record->plan));
    caveat = then(arena, caveat, turns_of_run(arena, record));
    add_broken(arena, record, &broken);
    caveat = then(arena, caveat, of_broken(arena, &broken));
    return record->earlier != NULL ? then(arena, caveat, of_others(arena, &record->earlier->others)) : caveat;
}

/* The verdict is that of the day on which it was judged. */
static const struct reason *of_ended_waivers(struct arena *arena, const struct record *record)
{
    const struct waiver *ended = judgement_ended_waiver(&record->judgement, clock_now());

    return ended != NULL
               ? reason(arena, waiver_is_over, ended->who, time_text(arena, ended->until), record->number)
               : NULL;
}

/* Until it is judged here its verdict is that of who made it, and is told so. A word that was replaced may be the one by which
   a fault is known. */
const struct reason *caveat_of_run(struct arena *arena, const struct record *record)
{
    const struct run_origin *origin = record->origin;
    const struct reason *redacted = origin != NULL && origin->redacted ? REASON(words_were_replaced) : NULL,
                        *unread =
                            origin != NULL && origin->judged_here ? of_unread_again(arena, &record, 1) : NULL;

    return then(arena, of_ended_waivers(arena, record),
                then(arena, redacted, then(arena, unread, caveat_of_kind(arena, record))));
}

/* Work that came into the books when it was known how the tests behind it would end. */
static const struct reason *of_late_events(struct arena *arena, const struct acceptance *acceptance)
{
    struct names names = {0};

    for (size_t i = 0; i < acceptance->events.count; i++) {
        const struct acceptance_event *event = &acceptance->events.items[i];

        if (event->late)
            add_another(arena, &names,
                        *event->item != '\0' ? arena_printf(arena, "%s %s", event->host, event->item)
                                             : event->host);
    }
    return names.items.count > 0
               ? reason(arena, recorded_after_its_tests, names.items.count, names_said(arena, &names))
               : NULL;
}

static void names_of_ahead(struct arena *arena, const struct acceptance *acceptance,
                           const struct record *const *records, size_t count, struct names *names)
{
    for (size_t i = 0; i < count; i++)
        if (acceptance_was_ahead(acceptance, records[i]))
            add_another(arena, names, arena_printf(arena, "%lld", records[i]->number));
}

/* Times are told as the controller's clock had them, and may have been set. */
static const struct reason *of_clocks(struct arena *arena, const struct acceptance *acceptance)
{
    struct names names = {0};

    names_of_ahead(arena, acceptance, acceptance->runs.items, acceptance->runs.count, &names);
    names_of_ahead(arena, acceptance, acceptance->left_out.items, acceptance->left_out.count, &names);
    return names.items.count > 0
               ? reason(arena, clock_was_ahead, names.items.count, names_said(arena, &names))
               : NULL;
}

const struct reason *caveat_of_acceptance(struct arena *arena, const struct acceptance *acceptance)
{
    const struct reason *caveat =
        then(arena, caveat_of_documents(arena, acceptance->plan, &acceptance->documents, NULL),
             of_missing_limits(arena, acceptance->plan));
    struct broken broken = {.at = 0};
    struct names running;

    caveat = then(arena, caveat, of_kits(arena, acceptance->runs.items, acceptance->runs.count));
    for (size_t i = 0; i < acceptance->runs.count; i++)
        add_broken(arena, acceptance->runs.items[i], &broken);
    caveat = then(arena, caveat, of_unread(arena, acceptance->runs.items, acceptance->runs.count));
    caveat = then(arena, caveat, of_timescale(arena, acceptance->plan));
    caveat = then(arena, caveat, turns_of_acceptance(arena, acceptance));
    caveat = then(arena, caveat, of_broken(arena, &broken));
    caveat = then(arena, caveat, of_unread_again(arena, acceptance->runs.items, acceptance->runs.count));
    caveat = then(arena, caveat, of_late_events(arena, acceptance));
    caveat = then(arena, caveat, of_clocks(arena, acceptance));
    caveat = then(arena, caveat, of_others(arena, &acceptance->others));
    names_of_others(arena, &acceptance->others, DELIVERY_RUNNING, &running);
    return running.items.count > 0 ? then(arena, caveat, REASON(waits_for_running)) : caveat;
}
