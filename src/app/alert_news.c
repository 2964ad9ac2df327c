/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run says against each host, and against each test over several hosts. A failure is critical. What could not be
 * decided is a warning where the last accepted run had decided it, else it is told for information; so is a rate that is
 * lower, or a gate that is lost, than in that run. A folder that grew is graded by the configuration. A run that decided
 * nothing of any host is a warning itself: nobody would hear of it otherwise.
 */
#include "assay/app/alert_news.h"

#include <string.h>

#include "assay/model/compare.h"
#include "assay/report/report.h"

static const char WHOLE_RUN[] = "the run";

struct teller {
    struct arena *arena;
    const struct record *record;
    const struct alert_config *config;
    struct alert_news *news;
    size_t near; /* the condition that was asked for last: questions come in order */
};

static struct alert_condition *condition_of(struct teller *teller, const char *subject)
{
    struct alert_news *news = teller->news;

    for (size_t i = 0; i < news->conditions.count; i++) {
        size_t place = (teller->near + i) % news->conditions.count;

        if (strcmp(news->conditions.items[place].subject, subject) == 0) {
            teller->near = place;
            return &news->conditions.items[place];
        }
    }
    *list_push(teller->arena, &news->conditions) =
        (struct alert_condition){.subject = subject, .decided = true};
    return &news->conditions.items[teller->near = news->conditions.count - 1];
}

static bool has_problem(struct teller *teller, const char *subject, const char *key)
{
    const struct alert_condition *condition = condition_of(teller, subject);

    for (size_t i = 0; i < condition->problems.items.count; i++)
        if (strcmp(condition->problems.items.items[i].key, key) == 0)
            return true;
    return false;
}

static void add_problem(struct teller *teller, const char *subject, enum alert_severity severity,
                        const char *key, const char *text)
{
    if (!has_problem(teller, subject, key))
        *list_push(teller->arena, &condition_of(teller, subject)->problems.items) =
            (struct alert_problem){severity, key, text};
}

/* A host; what several hosts do together is the test's. */
static const char *subject_of(const struct step *step)
{
    return step->member_count == 1 ? step->members[0]->name : step->shape->suite_step;
}

static const struct item_change *change_of(const struct teller *teller, const struct outcome *outcome)
{
    const struct comparison *comparison = &teller->record->earlier->comparison;

    for (size_t i = 0; i < comparison->worse.count; i++)
        if (comparison->worse.items[i].after == outcome)
            return &comparison->worse.items[i];
    return NULL;
}

static const char *problem_text(const struct teller *teller, const struct report_entry *entry,
                                const struct step *step, const struct item_change *change)
{
    struct arena *arena = teller->arena;
    const char *text = arena_printf(
        arena, "%s%s%s%s%s: %s%s%s", entry->check, entry->subjects != NULL ? " " : "",
        reason_english(arena, entry->subjects), step->member_count > 1 ? ", " : "",
        step->member_count > 1 ? reason_english(arena, entry->target) : "", outcome_name(entry->word),
        entry->cause != NULL ? ", " : "", reason_english(arena, entry->cause));

    if (change == NULL)
        return text;
    return arena_printf(arena, "%s; in run %lld: %s%s%s", text, teller->record->earlier->number,
                        outcome_name(change->before->word), change->before->measured != NULL ? ", " : "",
                        reason_english(arena, change->before->measured));
}

/* One problem for each host, or test over several, that the entry speaks of. */
static void tell_entry(struct teller *teller, const struct report_entry *entry)
{
    const char *key =
        arena_printf(teller->arena, "%s %s", entry->check, reason_english(teller->arena, entry->subjects));

    if (entry->word == OUTCOME_FAIL && entry->waiver != NULL)
        return;
    for (size_t i = 0; i < entry->items; i++) {
        const struct outcome *outcome = entry->outcomes[i];
        const struct step *step = &teller->record->plan->steps.items[outcome->step];
        const struct item_change *change;
        enum alert_severity severity = ALERT_CRITICAL;

        if (has_problem(teller, subject_of(step), key))
            continue;
        change = change_of(teller, outcome);
        if (entry->word != OUTCOME_FAIL)
            severity = change != NULL ? ALERT_WARNING : ALERT_INFO;
        add_problem(teller, subject_of(step), severity, key, problem_text(teller, entry, step, change));
    }
}

/* "node5 gpu3" is of node5. */
static const char *host_of_place(const struct teller *teller, const char *place)
{
    const struct plan *plan = teller->record->plan;

    for (size_t i = 0; i < plan->hosts.count; i++) {
        size_t length = strlen(plan->hosts.items[i]->name);

        if (strncmp(place, plan->hosts.items[i]->name, length) == 0 &&
            (place[length] == ' ' || place[length] == '\0'))
            return plan->hosts.items[i]->name;
    }
    return NULL;
}

/* The worst grade that it meets; false: none. */
static bool grade_growth(const struct alert_config *config, const struct history_growth *growth,
                         enum alert_severity *ret_severity)
{
    bool found = false;

    for (enum alert_severity severity = ALERT_INFO; severity <= ALERT_CRITICAL; severity++) {
        const struct alert_grade *grade = &config->growth[severity];

        if (history_days_left(growth) < grade->days_left || growth->filled >= grade->filled ||
            growth->size - growth->size_before >= grade->grown) {
            *ret_severity = severity;
            found = true;
        }
    }
    return found;
}

static void tell_growth(struct teller *teller, const struct earlier *earlier,
                        const struct history_growth *growth)
{
    enum alert_severity severity;

    if (grade_growth(teller->config, growth, &severity))
        add_problem(teller, growth->target, severity, arena_printf(teller->arena, "grows %s", growth->folder),
                    history_growth_text(teller->arena, earlier->history, growth));
}

static void tell_earlier(struct teller *teller)
{
    const struct earlier *earlier = teller->record->earlier;
    const struct history_findings *found = earlier->findings;

    for (size_t i = 0; earlier->number != 0 && i < found->findings.count; i++) {
        const struct history_finding *drop = &found->findings.items[i];
        const char *place = found->subjects.items[drop->subject].place, *text;
        const char *host = host_of_place(teller, place);

        if (drop->kind != HISTORY_DROP)
            continue;
        text = arena_printf(teller->arena, "%s, %s", place,
                            history_finding_text(teller->arena, earlier->history, found, drop));
        add_problem(teller, host != NULL ? host : found->series.items[drop->series].suite_step, ALERT_WARNING,
                    arena_printf(teller->arena, "lower %s %s %s", place,
                                 found->series.items[drop->series].suite_step,
                                 found->series.items[drop->series].metric),
                    text);
    }
    for (size_t i = 0; earlier->number != 0 && i < found->growths.count; i++)
        tell_growth(teller, earlier, &found->growths.items[i]);
    list_each (change, earlier->comparison.worse)
        if (change->after->word == OUTCOME_RECORDED)
            add_problem(teller, subject_of(&teller->record->plan->steps.items[change->after->step]),
                        ALERT_WARNING, arena_printf(teller->arena, "lost %s", change->suite_step),
                        arena_printf(teller->arena, "%s: %s is no longer judged; in run %lld: %s",
                                     change->suite_step, change->slot->metric, earlier->number,
                                     outcome_name(change->before->word)));
}

/* Of the test, too: as long as that is not run again nobody has shown that it is mended. */
static void tell_accusations(struct teller *teller)
{
    const struct judgement *judgement = &teller->record->judgement;

    array_each (accused, judgement->accusations, judgement->accusation_count) {
        const char *test = teller->record->plan->steps.items[accused->step].shape->suite_step;
        const char *key = arena_printf(teller->arena, "accused of %s: %s", test, accused->subject);
        const char *text = arena_printf(
            teller->arena, "%s: %s", reason_english(teller->arena, accused_text(teller->arena, accused)),
            reason_english(teller->arena, accusation_text(teller->arena, teller->record, accused)));

        add_problem(teller, test, ALERT_CRITICAL, key, text);
        if (accused->kind == ACCUSED_HOST)
            add_problem(teller, accused->subject, ALERT_CRITICAL, key, text);
    }
}

static bool is_critical(const struct alert_condition *condition)
{
    for (size_t i = 0; i < condition->problems.items.count; i++)
        if (condition->problems.items.items[i].severity == ALERT_CRITICAL)
            return true;
    return false;
}

/* The verdict has the last word: a host that is not accepted has something against it, and one that is not decided ends no
   alert. */
static void close_hosts(struct teller *teller)
{
    const struct judgement *judgement = &teller->record->judgement;
    size_t hosts = 0, decided = 0;

    array_each (verdict, judgement->verdicts, judgement->verdict_count) {
        struct alert_condition *condition;

        if (strcmp(verdict->scope, "host") != 0)
            continue;
        condition = condition_of(teller, verdict->name);
        condition->decided = verdict->word != VERDICT_INCOMPLETE;
        hosts++;
        decided += condition->decided;
        if (verdict->word == VERDICT_REJECT && !is_critical(condition))
            add_problem(teller, verdict->name, ALERT_CRITICAL, "verdict",
                        arena_printf(teller->arena, "the verdict is %s",
                                     standing_verdict(&teller->record->standing, verdict->word)));
        else if (verdict->word == VERDICT_INCOMPLETE && condition->problems.items.count == 0)
            add_problem(teller, verdict->name, ALERT_INFO, "verdict", "the verdict is incomplete");
    }
    condition_of(teller, WHOLE_RUN);
    if (decided == 0)
        add_problem(teller, WHOLE_RUN, ALERT_WARNING, "nothing decided",
                    arena_printf(teller->arena, "of %zu hosts none could be judged", hosts));
}

/* A test over several hosts is well when all of its gates passed on all hosts of the hostfile. */
static void close_tests(struct teller *teller)
{
    const struct record *record = teller->record;

    array_each (outcome, record->judgement.outcomes, record->judgement.outcome_count) {
        const struct step *step = &record->plan->steps.items[outcome->step];
        bool undecided = outcome->word == OUTCOME_NOT_RUN || outcome->word == OUTCOME_INCONCLUSIVE;

        if (step->member_count < 2 || step->shape->slots[outcome->slot].duty != DUTY_GATE)
            continue;
        if (undecided || !teller->news->whole)
            condition_of(teller, step->shape->suite_step)->decided = false;
        else
            condition_of(teller, step->shape->suite_step);
    }
}

/* Whether each host of the hostfile is in the run; spares are not tested unless they are needed. */
static int find_whole(struct teller *teller, struct error *err)
{
    const struct record *record = teller->record;
    const struct hostfile *hostfile = NULL;

    for (size_t i = 0; i < record->documents.count; i++) /* the last one counts */
        if (strcmp(record->documents.items[i].kind, "hostfile") == 0) {
            hostfile = hostfile_parse(teller->arena, record->documents.items[i].name,
                                      record->documents.items[i].bytes, err);
            if (hostfile == NULL)
                return error_wrap(err, "the hostfile of run %lld", record->number);
        }
    teller->news->whole = hostfile != NULL;
    for (size_t i = 0; hostfile != NULL && i < hostfile->hosts.count; i++)
        if (hostfile->hosts.items[i].role != ROLE_SPARE &&
            host_of_place(teller, hostfile->hosts.items[i].name) == NULL)
            teller->news->whole = false;
    return 0;
}

int alert_news_of(struct arena *arena, const struct record *record, const struct alert_config *config,
                  struct alert_news *ret_news, struct error *err)
{
    struct teller teller = {arena, record, config, ret_news, 0};
    struct report_entry *entries;
    size_t count;

    *ret_news = (struct alert_news){.suite = record->suite,
                                    .hostfile = record->hostfile,
                                    .run = record->number,
                                    .started = record->started};
    /* It tells nothing of any host. */
    if (record->state != RUN_ENDED || record->judgement.verdict_count == 0) {
        add_problem(&teller, WHOLE_RUN, ALERT_WARNING, "not ended",
                    arena_printf(arena, "run %lld is %s, and was not judged to its end", record->number,
                                 run_state_name(record->state)));
        return 0;
    }
    if (find_whole(&teller, err) < 0)
        return -1;
    count = report_entries(arena, record, &entries);
    for (size_t i = 0; i < count; i++)
        tell_entry(&teller, &entries[i]);
    tell_accusations(&teller);
    tell_earlier(&teller);
    close_hosts(&teller);
    close_tests(&teller);
    return 0;
}
