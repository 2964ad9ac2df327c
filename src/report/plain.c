/* SPDX-License-Identifier: Apache-2.0 */
/* Causes in the words of somebody who has never seen assay, as the checks have them for their metrics (struct plain_words). */
#include <math.h>
#include <string.h>

#include "assay/check/check.h"
#include "assay/check/repair.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"
#include "assay/reasons/report.h"

#include "causes.h"
#include "gates.h"
#include "marks.h"
#include "searches.h"

const char *part_name(struct arena *arena, const char *subject)
{
    const char *out = "", *at;

    while ((at = strstr(subject, "->")) != NULL) {
        out = arena_printf(arena, "%s%.*s -> ", out, (int)(at - subject), subject);
        subject = at + 2;
    }
    subject = arena_printf(arena, "%s%s", out, subject);
    out = "";
    while ((at = strstr(subject, "gpu")) != NULL && at[3] >= '0' && at[3] <= '9') {
        out = arena_printf(arena, "%s%.*sGPU ", out, (int)(at - subject), subject);
        subject = at + 3;
    }
    return arena_printf(arena, "%s%s", out, subject);
}

/* "≥ 345 GB/s": what counts, without how it came about. NULL: no limit that can be said so shortly. */
static const char *required_text(struct arena *arena, enum report_language language,
                                 const struct reason *gate)
{
    const struct reason *of = gate_bound(arena, gate);
    const struct limit_bound bound = limit_bound_of(of);
    const char *first = reason_argument_text(of, 1), *second = reason_argument_text(of, 2);

    if (bound.floor && bound.ceiling)
        return language_say(arena, language, TEXT_P_BETWEEN, first, second);
    if (isfinite(bound.least) || isfinite(bound.most))
        return language_say(arena, language, bound.floor ? TEXT_P_AT_LEAST : TEXT_P_AT_MOST, first, second);
    if (bound.floor)
        return reason_said(arena, language, of);
    return bound.exactly != NULL ? reason_said(arena, language, reason_word(arena, bound.exactly)) : NULL;
}

/* What makes the number a fault of one part, or that it is below its peers too, by so much that it fails by that alone; NULL: it is
   not, or that is all there is to say. */
static const struct reason *told_beside(struct arena *arena, const struct outcome *outcome)
{
    const struct reason *second =
        reason_is(outcome->cause, also) ? reason_argument(arena, outcome->cause, 2) : NULL;

    return reason_is(second, fail_from) || reason_is(second, gpu_lost_at) ||
                   reason_is(second, gpu_lost_at_module)
               ? second
               : NULL;
}

/* "GPU 2: 319050 GFLOP/s; the median of its 39 peers is 371595"; NULL: an older record, or something else is wrong too. */
static const char *beside_peers(struct arena *arena, enum report_language language,
                                const struct outcome *outcome)
{
    const struct reason *below =
        reason_is(outcome->cause, fail_from) ? reason_argument(arena, outcome->cause, 1) : NULL;
    const char *who, *peers, *median;

    if (!reason_is(below, below_peers) || !reason_is(outcome->held->gate, peers_bound_eased) ||
        outcome->measured == NULL)
        return NULL;
    who = reason_said(arena, language, reason_argument(arena, below, 1));
    peers = reason_argument_text(below, 4);
    median = reason_argument_text(outcome->held->gate, 2);
    if (peers == NULL || median == NULL)
        return NULL;
    return language_say(arena, language, TEXT_P_BESIDE_PEERS, part_name(arena, who),
                        reason_said(arena, language, outcome->measured), peers, median);
}

/* A line of the BMC's log has its columns: "DATE | Power Supply PSU2 Status | Power Supply AC lost | Asserted". */
static const char *measured_text(struct arena *arena, enum report_language language,
                                 const struct outcome *outcome)
{
    const char *text = reason_said(arena, language, outcome->measured), *bar;

    while ((bar = strstr(text, " | ")) != NULL)
        text = arena_printf(arena, "%.*s, %s", (int)(bar - text), text, bar + 3);
    return text;
}

static const struct plain_words *words_of(const struct view *view, const struct outcome *outcome,
                                          size_t *ret_rank)
{
    const struct shape *shape = view->steps[outcome->step].step->shape;

    return check_plain(check_find(shape->check), view_slot(view, outcome)->metric, ret_rank);
}

/* The metric by its name, where its check has no words for it. */
static const char *by_name(struct arena *arena, enum report_language language, const struct slot *slot,
                           const char *measured, const char *required)
{
    return language_say(arena, language, *slot->subject != '\0' ? TEXT_P_OTHER_OF : TEXT_P_OTHER,
                        part_name(arena, slot->subject), measured, required, slot->metric);
}

static const char *in_plain_words(struct arena *arena, enum report_language language, const struct view *view,
                                  const struct outcome *outcome, const char *required)
{
    const struct slot *slot = view_slot(view, outcome);
    const char *const values[] = {
        [PLAIN_PART] = part_name(arena, slot->subject),
        [PLAIN_MEASURED] = measured_text(arena, language, outcome),
        [PLAIN_REQUIRED] = required,
        [PLAIN_METRIC] = slot->metric,
        [PLAIN_TEST] = view->steps[outcome->step].step->shape->suite_step,
    };
    struct reason_value said[PLAIN_VALUES];
    size_t rank, count = 0;
    const struct plain_words *plain = words_of(view, outcome, &rank);

    if (plain == NULL)
        return by_name(arena, language, slot, values[PLAIN_MEASURED], required);
    for (; plain->values[count] != PLAIN_NOTHING; count++)
        said[count] = (struct reason_value){VALUE_OF_TEXT, {.text = values[plain->values[count]]}};
    return reason_said(arena, language, reason_make(arena, plain->words, said, count));
}

static const char *outcome_problem(struct arena *arena, enum report_language language,
                                   const struct view *view, const struct outcome *outcome)
{
    const struct slot *slot = view_slot(view, outcome);
    const char *required = required_text(arena, language, outcome->held->gate), *text;
    const struct reason *beside = told_beside(arena, outcome);

    if (reason_is(outcome->cause, no_value_in_whole_output))
        return language_say(arena, language, TEXT_P_NO_VALUE, slot->metric);
    /* What is far from its peers may be so in another value than the one whose item tells it. */
    if (strcmp(outcome->held->status, "peers") == 0 && outcome->cause != NULL) {
        text = beside_peers(arena, language, outcome);
        return text != NULL ? text : reason_said(arena, language, outcome->cause);
    }
    if (required == NULL || outcome->measured == NULL || reason_is(outcome->held->gate, gate_of_metric))
        return outcome->cause != NULL ? reason_said(arena, language, outcome->cause) : slot->metric;
    text = in_plain_words(arena, language, view, outcome, required);
    return beside == NULL ? text : arena_printf(arena, "%s; %s", text, reason_said(arena, language, beside));
}

/* The outcome that speaks for the entry: the one of the earliest row, and of equal ones the first. */
static const struct outcome *lead_of(const struct view *view, const struct report_entry *entry)
{
    const struct outcome *lead = NULL;
    size_t best = PLAIN_RANK_LAST + 1;

    for (size_t i = 0; i < entry->items; i++) {
        size_t rank;

        (void)words_of(view, entry->outcomes[i], &rank);
        if (rank < best) {
            best = rank;
            lead = entry->outcomes[i];
        }
    }
    return lead;
}

struct said_words {
    LIST_OF(const char *) items;
};

static void add_word(struct arena *arena, struct said_words *words, const char *word)
{
    for (size_t i = 0; i < words->items.count; i++)
        if (strcmp(words->items.items[i], word) == 0)
            return;
    if (*word != '\0')
        *list_push(arena, &words->items) = word;
}

static const char *join_words(struct arena *arena, enum report_language language,
                              const struct said_words *words, const char *between, size_t most)
{
    const char *text = "";

    between = language_between(language, between);

    for (size_t i = 0; i < words->items.count && i < most; i++)
        text = arena_printf(arena, "%s%s%s", text, i > 0 ? between : "", words->items.items[i]);
    if (words->items.count > most)
        text =
            language_say(arena, language, TEXT_PART_MORE, text, count_text(arena, words->items.count - most));
    return text;
}

/* By how many of the tests that isolation made with it, and how sure that is. */
static const char *with_doubt(struct arena *arena, enum report_language language, const char *text,
                              const struct accusation *accusation)
{
    const char *slow = arena_printf(arena, "%u", accusation->slow_tests),
               *fast = arena_printf(arena, "%u", accusation->fast_tests);

    if (isnan(accusation->doubt))
        return language_say(arena, language, TEXT_P_NAMED, text, slow, fast);
    return language_say(arena, language, TEXT_P_NAMED_SURELY, text, slow, fast,
                        reason_said(arena, language, doubt_text(arena, accusation->doubt)));
}

/* Whom isolation names: what is slow by it, and how slow. */
static const char *accused_problem(struct arena *arena, enum report_language language,
                                   const struct view *view, const struct report_entry *entries,
                                   const struct report_cause *cause)
{
    enum { TESTS_NAMED = 3 };
    const struct outcome *slow = NULL;
    struct said_words tests = {0};
    const char *text, *required;

    for (size_t i = 1; i < cause->entries.count; i++) {
        const struct report_entry *entry = &entries[cause->entries.items[i]];
        const struct outcome *lead = lead_of(view, entry);

        add_word(arena, &tests, entry->check);
        if (slow == NULL && lead != NULL && lead->measured != NULL)
            slow = lead;
    }
    if (tests.items.count == 0)
        add_word(arena, &tests, view->steps[cause->accusation->step].step->shape->suite_step);
    text =
        language_say(arena, language, TEXT_P_ACCUSED, join_words(arena, language, &tests, ", ", TESTS_NAMED));
    required = slow != NULL ? required_text(arena, language, slow->held->gate) : NULL;
    if (required != NULL)
        text = language_say(arena, language, TEXT_P_ACCUSED_MEASURED, text,
                            view->steps[slow->step].step->shape->suite_step,
                            reason_said(arena, language, slow->measured), required);
    return with_doubt(arena, language, text, cause->accusation);
}

/* The one host of several pairs: who its partners are is what shows that it is the one. What is wrong there in all pairs is
   said once, with the first number; what other tests found of the same part comes after it. */
static const char *shared_problem(struct arena *arena, enum report_language language, const struct view *view,
                                  const struct report_entry *entries, const struct report_cause *cause)
{
    enum { PROBLEMS_SAID = 2 };
    const char **names = arena_array(arena, const char *, cause->partners.count), *slow = NULL;
    struct said_words others = {0};
    size_t measurements = 0;

    for (size_t i = 0; i < cause->partners.count; i++)
        names[i] = cause->partners.items[i]->name;
    for (size_t i = 0; i < cause->entries.count; i++) {
        const struct report_entry *entry = &entries[cause->entries.items[i]];
        const struct outcome *lead = lead_of(view, entry);
        const char *said = lead != NULL ? outcome_problem(arena, language, view, lead)
                                        : reason_said(arena, language, entry->cause);

        if (view->steps[entry->outcomes[0]->step].step->member_count == 1)
            add_word(arena, &others, said);
        else
            measurements += entry->items;
        if (view->steps[entry->outcomes[0]->step].step->member_count > 1 && slow == NULL)
            slow = said;
    }
    slow = language_say(arena, language, TEXT_P_SLOW_WITH_ALL, slow != NULL ? slow : "",
                        hostlist_fold(arena, names, cause->partners.count),
                        arena_printf(arena, "%zu", measurements));
    if (others.items.count == 0)
        return slow;
    return arena_printf(arena, "%s%s%s", slow, language_between(language, "; "),
                        join_words(arena, language, &others, "; ", PROBLEMS_SAID));
}

/* The same of several hosts, and nothing was measured: the entry says it without the name of one. */
static bool is_of_several(const struct report_entry *entry, const struct outcome *lead)
{
    return lead->measured == NULL && lead->word == OUTCOME_INCONCLUSIVE &&
           !reason_is(lead->cause, no_value_in_whole_output) &&
           entry->outcomes[0]->step != entry->outcomes[entry->items - 1]->step;
}

const char *cause_problem(struct arena *arena, enum report_language language, const struct view *view,
                          const struct report_entry *entries, const struct report_cause *cause)
{
    enum { PROBLEMS_SAID = 2 };
    struct said_words problems = {0};
    size_t own = cause->entries.count - cause->followers;

    if (cause->resume != NULL)
        return language_text(language, TEXT_P_STOPPED);
    if (cause->partners.count > 0)
        return shared_problem(arena, language, view, entries, cause);
    if (cause->accusation != NULL)
        return accused_problem(arena, language, view, entries, cause);
    for (size_t i = 0; i < own; i++) {
        const struct report_entry *entry = &entries[cause->entries.items[i]];
        const struct outcome *lead = lead_of(view, entry);

        if (lead == NULL || cause->word == OUTCOME_NOT_RUN || entry->extent != EXTENT_PARTS ||
            is_of_several(entry, lead))
            add_word(arena, &problems, reason_said(arena, language, entry->cause));
        else
            add_word(arena, &problems, outcome_problem(arena, language, view, lead));
    }
    /* What is wrong with an output is wrong with that of a test. */
    if (cause->word == OUTCOME_INCONCLUSIVE && own == 1 && problems.items.count == 1)
        return language_say(arena, language, TEXT_L_LINE, entries[cause->entries.items[0]].check,
                            problems.items.items[0]);
    return join_words(arena, language, &problems, "; ", PROBLEMS_SAID);
}

/* What all parts of a host share is to be checked once, however many limits they miss. */
static const struct reason *remedy_of(struct arena *arena, const struct report_entry *entry, bool first)
{
    if (entry->extent != EXTENT_HOST || first)
        return entry->remedy;
    return reason_is(entry->remedy, also) ? reason_argument(arena, entry->remedy, 2) : NULL;
}

/* Each advice once. */
static const struct reason *cause_remedy(struct arena *arena, const struct report_entry *entries,
                                         const struct report_cause *cause)
{
    enum { REMEDIES_SAID = 3 };
    const struct reason *remedies = NULL;
    size_t said = 0;

    if (cause->resume != NULL)
        return cause->resume;
    if (cause->parts_suspected && cause->parts.count == 1)
        return reason(arena, check_the_part, cause->parts.items[0]);
    for (size_t i = 0; i < cause->entries.count - cause->followers && (i == 0 || cause->accusation == NULL);
         i++) {
        const struct reason *remedy = remedy_of(arena, &entries[cause->entries.items[i]], i == 0);
        bool known = remedy == NULL;

        for (size_t k = 0; k < i && !known; k++)
            known = reason_equal(remedy_of(arena, &entries[cause->entries.items[k]], k == 0), remedy);
        if (!known && said++ < REMEDIES_SAID)
            remedies = reason_also(arena, remedies, remedy);
    }
    return said > REMEDIES_SAID ? reason(arena, and_so_many_more, remedies, said - REMEDIES_SAID) : remedies;
}

/* The first page of repair that is about what failed; NULL: there is none. */
static const char *page_of(const struct view *view, const struct report_entry *entry)
{
    const char *page = entry->accusation != NULL ? REPAIR_OF_ISOLATION : NULL;

    for (size_t i = 0; i < entry->items && page == NULL && entry->word == OUTCOME_FAIL; i++)
        page = repair_class(view->steps[entry->outcomes[i]->step].step->shape->check,
                            view_slot(view, entry->outcomes[i])->metric, entry->outcomes[i]->cause);
    return page;
}

enum { PAGES_SAID = 2 };

/* The first pages that are about what is folded into the cause, each once. */
static size_t pages_of(const struct view *view, const struct report_entry *entries,
                       const struct report_cause *cause, const char *ret_pages[PAGES_SAID])
{
    size_t count = 0;

    for (size_t i = 0; i < cause->entries.count && count < PAGES_SAID && cause->resume == NULL; i++) {
        const char *page = page_of(view, &entries[cause->entries.items[i]]);

        for (size_t k = 0; page != NULL && k < count; k++)
            page = strcmp(ret_pages[k], page) == 0 ? NULL : page;
        if (page != NULL)
            ret_pages[count++] = page;
    }
    return count;
}

const struct reason *cause_hands(struct arena *arena, const struct view *view,
                                 const struct report_entry *entries, const struct report_cause *cause,
                                 bool brief)
{
    const char *pages[PAGES_SAID], *rail = REPAIR_OF_RAIL;

    if (cause->waived)
        return NULL;
    /* Where its one HCA is named, that is what the page of slow hosts goes on with. */
    return cause->parts_suspected ? repair_hands(arena, &rail, 1, brief)
                                  : repair_hands(arena, pages, pages_of(view, entries, cause, pages), brief);
}

/* The advice, and with it the pages that have the procedure. */
static const struct reason *with_pages(struct arena *arena, const struct view *view,
                                       const struct report_entry *entries, const struct report_cause *cause,
                                       const struct reason *advice)
{
    const char *pages[PAGES_SAID], *text = "";
    size_t count = pages_of(view, entries, cause, pages);

    for (size_t i = 0; i < count; i++)
        text = arena_printf(arena, "%s%s`assay repair %s`", text, i > 0 ? ", " : "", pages[i]);
    return count == 0 ? advice : reason_also(arena, advice, reason(arena, repair_page, text));
}

/* "3" of "gpu3" and "npu3": the index by which tools take it; NULL: the cause is about another part, or several. */
static const char *index_of_only_part(const struct report_cause *cause)
{
    const char *part = cause->parts.count == 1 && !cause->parts_suspected ? cause->parts.items[0] : "";
    const char *index = strncmp(part, "gpu", 3) == 0 || strncmp(part, "npu", 3) == 0 ? part + 3 : "";

    return *index != '\0' && index[strspn(index, "0123456789")] == '\0' ? index : NULL;
}

/* "assay logs 7 node3 gpu-burn": the output that the advice says to read; NULL: there are several, or none. */
static const char *output_to_read(struct arena *arena, const struct view *view,
                                  const struct report_entry *entries, const struct report_cause *cause)
{
    const struct step *step = NULL;

    for (size_t i = 0; i < cause->entries.count; i++) {
        const struct report_entry *entry = &entries[cause->entries.items[i]];

        for (size_t k = 0; k < entry->items && reason_has(entry->remedy, read_output_test_again); k++) {
            const struct step *its = view->steps[entry->outcomes[k]->step].step;

            if ((step != NULL && its != step) || its->member_count != 1)
                return NULL;
            step = its;
        }
    }
    return step == NULL ? NULL
                        : arena_printf(arena, "assay logs %lld %s %s", view->record->number,
                                       step->members[0]->name, step->shape->suite_step);
}

static const char *filled_in(struct arena *arena, const char *text, const char *blank, const char *with)
{
    const char *at = with != NULL ? strstr(text, blank) : NULL;

    return at == NULL ? text
                      : arena_printf(arena, "%.*s%s%s", (int)(at - text), text, with, at + strlen(blank));
}

void cause_advice(struct arena *arena, enum report_language language, const struct view *view,
                  const struct report_entry *entries, const struct report_cause *cause, bool pages,
                  struct said_list *ret_pieces)
{
    const struct reason *advice = cause_remedy(arena, entries, cause);
    const char *index = index_of_only_part(cause), *device = NULL;
    const char *output = output_to_read(arena, view, entries, cause);

    if (index != NULL)
        device = arena_printf(arena, "-i %s", index);
    reason_pieces(arena, language, pages ? with_pages(arena, view, entries, cause, advice) : advice,
                  ret_pieces);
    for (size_t i = 0; i < ret_pieces->items.count; i++) {
        struct said *piece = &ret_pieces->items.items[i];

        piece->text = filled_in(arena, piece->text, "-i N", device);
        piece->text = filled_in(arena, piece->text, "assay logs RUN HOST STEP", output);
    }
}

/* How many of its kind the test looked at on one host. */
static size_t planned_alike(const struct view *view, const struct outcome *outcome)
{
    const struct shape *shape = view->steps[outcome->step].step->shape;
    size_t planned = 0;

    for (size_t i = 0; i < shape->slot_count; i++)
        planned += strcmp(shape->slots[i].metric, view_slot(view, outcome)->metric) == 0;
    return planned;
}

/* "gpu2->gpu5, gpu5->gpu2" are the two directions of one pair. */
static bool is_one_pair(struct arena *arena, const struct report_cause *cause)
{
    const char *first = cause->parts.items[0], *arrow = strstr(first, "->");

    return cause->parts.count == 2 && arrow != NULL &&
           strcmp(cause->parts.items[1],
                  arena_printf(arena, "%s->%.*s", arrow + 2, (int)(arrow - first), first)) == 0;
}

const char *cause_part(struct arena *arena, enum report_language language, const struct view *view,
                       const struct report_entry *entries, const struct report_cause *cause)
{
    enum { PARTS_NAMED = 4 };
    struct said_words parts = {0};
    const char *first = cause->parts.count > 0 ? cause->parts.items[0] : "", *text;
    const struct outcome *lead =
        cause->entries.count > 0 ? lead_of(view, &entries[cause->entries.items[0]]) : NULL;

    if (cause->resume != NULL || cause->extent != EXTENT_PARTS)
        return "";
    if (cause->parts.count >= 4 && lead != NULL && cause->parts.count >= planned_alike(view, lead) &&
        strstr(first, "->") == NULL) {
        if (strncmp(first, "gpu", 3) == 0)
            return language_text(language, TEXT_PART_ALL_GPUS);
        if (strncmp(first, "mlx", 3) == 0)
            return language_text(language, TEXT_PART_ALL_HCAS);
    }
    for (size_t i = 0; i < cause->parts.count && (i == 0 || !is_one_pair(arena, cause)); i++)
        add_word(arena, &parts, part_name(arena, cause->parts.items[i]));
    text = join_words(arena, language, &parts, ", ", PARTS_NAMED);
    return cause->parts_suspected ? language_say(arena, language, TEXT_PART_SUSPECTED, text) : text;
}

/* "All 22 tests asked for passed on node[1-4]."; NULL: it is no such part, or something of it did not pass. */
static const char *asked_headline(struct arena *arena, enum report_language language, const struct view *view)
{
    size_t tests = standing_asked_passed(view->record);
    const struct plan *plan = view->record->plan;
    const char **names = arena_array(arena, const char *, plan->hosts.count + 1);

    for (size_t i = 0; i < plan->hosts.count; i++)
        names[i] = plan->hosts.items[i]->name;
    return tests == 0 ? NULL
                      : language_say(arena, language, TEXT_H_ASKED_PASSED, count_text(arena, tests),
                                     hostlist_fold(arena, names, plan->hosts.count));
}

const char *causes_headline(struct arena *arena, enum report_language language, const struct view *view,
                            const struct report_causes *causes)
{
    const char *fit = count_text(arena, causes->fit), *hosts = count_text(arena, causes->hosts);
    const char *fix = count_text(arena, causes->to_fix), *open = count_text(arena, causes->to_decide);
    bool acceptance = standing_is_acceptance(&view->record->standing), all = causes->fit == causes->hosts;
    bool good = view->verdict == VERDICT_ACCEPT || view->verdict == VERDICT_ACCEPT_WITH_EXCEPTIONS;
    const char *text = asked_headline(arena, language, view), *blank = language_of(language)->blank;

    if (text != NULL)
        return text;
    if (causes->hosts == 0 && causes->to_fix + causes->to_decide == 0)
        return "";
    if (view->record->state == RUN_CANCELLED)
        text = language_text(language, TEXT_H_CANCELLED);
    else if (all && !good && causes->to_fix > 0 && causes->hosts > 1)
        text = language_say(arena, language, TEXT_H_ALONE, hosts);
    else if (causes->hosts == 1)
        text = language_text(language, causes->excused > 0 ? TEXT_H_ONE_WAIVED
                                       : !all              ? TEXT_H_ONE_NOT
                                       : acceptance        ? TEXT_H_ONE_FIT
                                                           : TEXT_H_ONE_PASSED);
    else if (all)
        text = language_say(arena, language, acceptance ? TEXT_H_ALL_FIT : TEXT_H_ALL_PASSED, hosts);
    else
        text = language_say(arena, language, acceptance ? TEXT_H_FIT : TEXT_H_PASSED, fit, hosts);
    if (causes->to_fix > 0 && causes->to_decide > 0)
        text = arena_printf(arena, "%s%s%s", text, blank,
                            language_say(arena, language, TEXT_H_FIX_DECIDE, fix, open));
    else if (causes->to_fix > 0)
        text = arena_printf(arena, "%s%s%s", text, blank, language_say(arena, language, TEXT_H_FIX, fix));
    else if (causes->to_decide > 0)
        text = arena_printf(arena, "%s%s%s", text, blank, language_say(arena, language, TEXT_H_DECIDE, open));
    if (causes->excused > 0 && causes->hosts > 1)
        text = arena_printf(
            arena, "%s%s%s", text, blank,
            language_say(arena, language, TEXT_H_HOSTS_WAIVED, count_text(arena, causes->excused)));
    else if (causes->waived > 0)
        text = arena_printf(arena, "%s%s%s", text, blank,
                            language_say(arena, language, TEXT_H_WAIVED, count_text(arena, causes->waived)));
    return text;
}

const char *said_joined(struct arena *arena, const struct said_list *pieces)
{
    const char *text = "";

    for (size_t i = 0; i < pieces->items.count; i++)
        text = arena_printf(arena, "%s%s", text, pieces->items.items[i].text);
    return text;
}

size_t report_answer(struct arena *arena, const struct record *record, enum report_language language,
                     struct report_line **ret_lines, const char **ret_headline)
{
    const struct view *view = view_create(arena, record);
    struct report_entry *entries;
    size_t count = report_entries(arena, record, &entries);
    struct report_causes causes;
    struct sightings sightings;

    report_causes_of(view, entries, count, &causes);
    sightings_of_record(arena, record, &sightings);
    *ret_headline =
        record->judgement.verdict_count > 0 ? causes_headline(arena, language, view, &causes) : "";
    *ret_lines = arena_array(arena, struct report_line, causes.items.count);
    for (size_t i = 0; i < causes.items.count; i++) {
        const struct report_cause *cause = &causes.items.items[i];
        struct said_list advice;
        struct mark_list marks;

        cause_marks(arena, language, view, &sightings, cause, &marks);
        if (cause->waived)
            reason_pieces(arena, language, entries[cause->entries.items[0]].waiver, &advice);
        else
            cause_advice(arena, language, view, entries, cause, true, &advice);
        (*ret_lines)[i] = (struct report_line){
            .word = cause->word,
            .waived = cause->waived,
            .extent = cause->extent,
            .target = reason_said(arena, language, cause->target),
            .part = cause_part(arena, language, view, entries, cause),
            .marks = marks_joined(arena, language, &marks),
            .problem = cause_problem(arena, language, view, entries, cause),
            .hands = cause_hands(arena, view, entries, cause, false),
            .remedy = said_joined(arena, &advice),
            .blocked = cause->blocked,
            .not_asked = cause->not_asked,
            .stopped = cause->resume != NULL,
        };
    }
    return causes.items.count;
}
