/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/check/check.h"
#include "assay/model/blame.h"
#include "assay/reasons/any.h"
#include "assay/reasons/report.h"

#include "causes.h"
#include "follows.h"

#include <math.h>
#include <string.h>

/* Of a step, where its not-run gates lead: to one cause by its number, to several, or nowhere. */
static const unsigned root_none = 0, root_several = (unsigned)-1;

struct folding {
    struct arena *arena;
    const struct view *view;
    const struct report_entry *entries;
    size_t entry_count;
    struct report_causes *causes;
    LIST_OF(const char *) keys; /* by cause: equal keys fold over hosts */
    size_t *of_entry;
    unsigned *root; /* by step */
    size_t near;    /* where the last host was found */
};

static const struct step *step_of(const struct folding *folding, const struct outcome *outcome)
{
    return folding->view->steps[outcome->step].step;
}

static const char *subject_of(const struct folding *folding, const struct outcome *outcome)
{
    return view_slot(folding->view, outcome)->subject;
}

/* -- Hosts and parts -------------------------------------------------------------------------------------- */

/* Hosts come in the order of the hostfile again and again: the next one is mostly behind the last. */
static void add_host(struct folding *folding, struct report_cause *cause, const struct host *host)
{
    size_t count = cause->hosts.count;

    for (size_t i = 0; i < count; i++, folding->near++)
        if (cause->hosts.items[folding->near % count] == host)
            return;
    *list_push(folding->arena, &cause->hosts) = host;
}

static bool has_host(const struct report_cause *cause, const struct host *host)
{
    for (size_t i = 0; i < cause->hosts.count; i++)
        if (cause->hosts.items[i] == host)
            return true;
    return false;
}

/* What of the host the subject is: "mlx5_0/1" is of mlx5_0, "cpu0->gpu3" of gpu3. */
static const char *part_of(struct arena *arena, const char *subject)
{
    size_t length = strcspn(subject, "/");

    if (strncmp(subject, "cpu", 3) == 0 && strstr(subject, "gpu") != NULL)
        return strstr(subject, "gpu");
    return subject[length] == '\0' ? subject : arena_strndup(arena, subject, length);
}

static void add_part(struct folding *folding, struct report_cause *cause, const char *subject)
{
    const char *part = part_of(folding->arena, subject);

    if (*part == '\0')
        return;
    for (size_t i = 0; i < cause->parts.count; i++)
        if (strcmp(cause->parts.items[i], part) == 0)
            return;
    *list_push(folding->arena, &cause->parts) = part;
}

static bool same_parts(const struct report_cause *a, const struct report_cause *b)
{
    if (a->parts.count != b->parts.count)
        return false;
    for (size_t i = 0; i < a->parts.count; i++) {
        size_t k = 0;

        while (k < b->parts.count && strcmp(a->parts.items[i], b->parts.items[k]) != 0)
            k++;
        if (k == b->parts.count)
            return false;
    }
    return true;
}

static bool same_hosts(const struct report_cause *a, const struct report_cause *b)
{
    if (a->hosts.count != b->hosts.count)
        return false;
    for (size_t i = 0; i < a->hosts.count; i++)
        if (!has_host(b, a->hosts.items[i]))
            return false;
    return true;
}

/* -- What equal means ------------------------------------------------------------------------------------- */

struct host_left_out {
    struct arena *arena;
    const char *name;
};

static const char *without_host(void *context, const char *text)
{
    const struct host_left_out *left_out = context;
    const char *name = left_out->name, *out = "", *at;

    while (*name != '\0' && (at = strstr(text, name)) != NULL) {
        out = arena_printf(left_out->arena, "%s%.*s", out, (int)(at - text), text);
        text = at + strlen(name);
    }
    return arena_printf(left_out->arena, "%s%s", out, text);
}

/* What was measured; where nothing was, why, without the name of the one host. */
static const struct reason *what_is_alike(struct folding *folding, const struct outcome *outcome)
{
    const struct step *step = step_of(folding, outcome);
    struct host_left_out left_out = {folding->arena, step->members[0]->name};

    if (outcome->measured != NULL)
        return outcome->measured;
    return step->member_count == 1 ? reason_map(folding->arena, outcome->cause, without_host, &left_out)
                                   : outcome->cause;
}

struct host_unnamed {
    struct arena *arena;
    const struct host *host;
};

/* Addresses, ports and times that a way in names are each host's own. */
static const char *without_way_in(void *context, const char *text)
{
    const struct host_unnamed *unnamed = context;
    struct host_left_out address = {unnamed->arena, unnamed->host->address},
                         name = {unnamed->arena, unnamed->host->name};
    char *out = arena_strdup(unnamed->arena, without_host(&name, without_host(&address, text)));
    size_t length = 0;

    for (const char *at = out; *at != '\0'; at++)
        if (*at < '0' || *at > '9')
            out[length++] = *at;
    out[length] = '\0';
    return out;
}

/* How all its hosts refused us, or were out of reach, and in which words, whichever step was to run there; NULL: they did not,
   or not all alike. */
static const char *refused_key(struct folding *folding, const struct report_entry *entry)
{
    const char *key = NULL;

    for (size_t i = 0; i < entry->items; i++) {
        const struct step_view *step = &folding->view->steps[entry->outcomes[i]->step];
        const char *refusal = view_refusal(step), *own;
        struct host_unnamed unnamed = {folding->arena, step->step->members[0]};

        if (refusal == NULL || step->step->member_count > 1 || entry->outcomes[i]->measured != NULL)
            return NULL;
        own = arena_printf(folding->arena, "\x1frefused\x1f%d\x1f%s\x1f%s\x1f%s", (int)entry->word, refusal,
                           reason_encode(folding->arena, entry->waiver),
                           reason_encode(folding->arena, reason_map(folding->arena, entry->outcomes[i]->cause,
                                                                    without_way_in, &unnamed)));
        if (key != NULL && strcmp(key, own) != 0)
            return NULL;
        key = own;
    }
    return key;
}

/*
 * Settings, versions and states fold over hosts. A number does not: two GPUs with memory errors are two GPUs to swap.
 * Entries that stand for many hosts already are one fault of them all.
 */
static const char *key_of(struct folding *folding, const struct report_entry *entry, size_t number)
{
    const char *key = arena_printf(folding->arena, "%d\x1f%s\x1f%s\x1f%s", (int)entry->word, entry->check,
                                   reason_encode(folding->arena, entry->remedy),
                                   reason_encode(folding->arena, entry->waiver));

    if (entry->extent == EXTENT_RUN)
        return arena_printf(folding->arena, "\x1f%s\x1fin all", entry->check);
    if (refused_key(folding, entry) != NULL)
        return refused_key(folding, entry);
    for (size_t i = 0; i < entry->items && entry->outcomes[i]->step == entry->outcomes[0]->step; i++) {
        const struct outcome *outcome = entry->outcomes[i];

        if (isfinite(outcome->value) || step_of(folding, outcome)->member_count > 1)
            return arena_printf(folding->arena, "\x1f%zu", number);
        key = arena_printf(folding->arena, "%s\x1f%s\x1f%s\x1f%s", key,
                           view_slot(folding->view, outcome)->metric, subject_of(folding, outcome),
                           reason_encode(folding->arena, what_is_alike(folding, outcome)));
    }
    return key;
}

/* -- Whom isolation names --------------------------------------------------------------------------------- */

static void take_accused(struct folding *folding, struct report_cause *cause)
{
    const struct accusation *accusation = cause->accusation;
    const struct plan *plan = folding->view->record->plan;
    const char *apart = strstr(accusation->subject, " - ");

    for (size_t i = 0; i < plan->hosts.count; i++) {
        const struct host *host = plan->hosts.items[i];
        size_t length = strlen(host->name);
        bool is = false;

        if (accusation->kind == ACCUSED_LEAF)
            is = strcmp(host->leaf, accusation->subject) == 0;
        else if (accusation->kind == ACCUSED_LINK && apart != NULL)
            is = (strncmp(accusation->subject, host->name, length) == 0 &&
                  accusation->subject + length == apart) ||
                 strcmp(apart + 3, host->name) == 0;
        else
            is = strcmp(accusation->subject, host->name) == 0;
        if (is)
            *list_push(folding->arena, &cause->hosts) = host;
    }
}

static bool explains(const struct folding *folding, const struct report_cause *cause,
                     const struct report_entry *entry)
{
    for (size_t i = 0; i < entry->items; i++) {
        const struct step *step = step_of(folding, entry->outcomes[i]);
        size_t members = 0;

        for (size_t k = 0; k < cause->hosts.count; k++)
            members += step_has_host(step, cause->hosts.items[k]);
        if (step->member_count < 2 || !blame_is_speed(view_slot(folding->view, entry->outcomes[i])->metric) ||
            members < (cause->accusation->kind == ACCUSED_LINK ? 2 : 1))
            return false;
    }
    return entry->items > 0;
}

static struct report_cause *explained_by(struct folding *folding, const struct report_entry *entry)
{
    for (size_t i = 0; i < folding->causes->items.count; i++) {
        struct report_cause *cause = &folding->causes->items.items[i];

        if (cause->accusation != NULL && explains(folding, cause, entry))
            return cause;
    }
    return NULL;
}

/* -- A run that was stopped -------------------------------------------------------------------------------- */

static const char stopped_key[] = "\x1fstopped";

/* And can go on here: another party's run goes on where it was made, and a preflight is made again. */
static bool is_stopped(const struct folding *folding)
{
    const struct record *record = folding->view->record;

    return (record->state == RUN_CANCELLED || record->state == RUN_INTERRUPTED) && record->origin == NULL &&
           record->standing.kind != RUN_PREFLIGHT;
}

/* The attempt was ended with the run, and neither host nor test is to blame. */
static bool was_cut_off(const struct folding *folding, const struct report_entry *entry)
{
    for (size_t i = 0; i < entry->items; i++) {
        const struct step_view *step = &folding->view->steps[entry->outcomes[i]->step];

        if (step->attempts.count == 0 ||
            step->attempts.items[step->attempts.count - 1]->end != ATTEMPT_CANCELLED)
            return false;
    }
    return is_stopped(folding);
}

/* -- Taking entries --------------------------------------------------------------------------------------- */

static void count_gates(struct report_cause *cause, const struct report_entry *entry)
{
    cause->fail += entry->word == OUTCOME_FAIL ? entry->items : 0;
    cause->inconclusive += entry->word == OUTCOME_INCONCLUSIVE ? entry->items : 0;
    cause->not_run += entry->word == OUTCOME_NOT_RUN ? entry->items : 0;
}

static void take_entry(struct folding *folding, size_t cause, size_t index)
{
    struct report_cause *into = &folding->causes->items.items[cause];

    *list_push(folding->arena, &into->entries) = index;
    folding->of_entry[index] = cause + 1;
    count_gates(into, &folding->entries[index]);
}

/* All of it under the hosts that it is about: "node7" of mpi-launch. */
static void take_hosts(struct folding *folding, struct report_cause *cause, const struct report_entry *entry)
{
    for (size_t i = 0; i < entry->items; i++) {
        const struct step *step = step_of(folding, entry->outcomes[i]);
        struct blamed_list blamed = {0};

        blame_find(folding->arena, step, entry->outcomes[i], &blamed);
        for (size_t k = 0; k < blamed.items.count && !blamed.items.items[k].perhaps; k++) {
            add_host(folding, cause, blamed.items.items[k].host);
            add_part(folding, cause, blamed.items.items[k].part);
        }
        if (blame_count(&blamed) > 0)
            continue;
        for (size_t k = 0; k < step->member_count; k++)
            add_host(folding, cause, step->members[k]);
        add_part(folding, cause, subject_of(folding, entry->outcomes[i]));
    }
}

static bool blames_hosts(const struct folding *folding, const struct report_entry *entry)
{
    for (size_t i = 0; i < entry->items; i++) {
        const struct step *step = step_of(folding, entry->outcomes[i]);
        struct blamed_list blamed = {0};

        blame_find(folding->arena, step, entry->outcomes[i], &blamed);
        if (step->member_count > 1 && blame_count(&blamed) == 0)
            return false;
    }
    return true;
}

static size_t add_cause(struct folding *folding, const char *key, const struct report_cause *cause)
{
    *list_push(folding->arena, &folding->causes->items) = *cause;
    *list_push(folding->arena, &folding->keys) = key;
    return folding->causes->items.count - 1;
}

/* By the same number: what grows while hosts are tested is counted around each test. */
static bool is_counted_alike(const struct folding *folding, const struct report_entry *a,
                             const struct report_entry *b)
{
    const char *metric;

    if (a->items == 0 || b->items == 0)
        return false;
    metric = view_slot(folding->view, a->outcomes[0])->metric;
    return strcmp(metric, SOUND_METRIC) != 0 &&
           strcmp(metric, view_slot(folding->view, b->outcomes[0])->metric) == 0;
}

/* What is missing is the same, whichever test found it missing: counters that a driver does not tell are missing around each. */
static bool lacks_the_same(const struct folding *folding, const struct report_entry *a,
                           const struct report_entry *b)
{
    return a->word == OUTCOME_INCONCLUSIVE && reason_equal(a->cause, b->cause) &&
           is_counted_alike(folding, a, b);
}

/* The same fault as that cause: seen alike on other hosts; or seen on the same part of the same hosts by another test. */
static bool is_same(const struct folding *folding, size_t cause, const struct report_cause *fresh,
                    const char *key, const struct report_entry *entry)
{
    enum { PARTS_OF_ONE = 2 }; /* what is wrong with more of them is no fault of one part */
    const struct report_cause *known = &folding->causes->items.items[cause];
    const struct report_entry *first;

    if (known->accusation != NULL || known->word != fresh->word || known->waived != fresh->waived ||
        known->extent != fresh->extent)
        return false;
    if (strcmp(folding->keys.items[cause], key) == 0)
        return true;
    if (fresh->extent != EXTENT_PARTS)
        return fresh->extent == EXTENT_HOST && same_hosts(known, fresh);
    first = &folding->entries[known->entries.items[0]];
    if (!same_hosts(known, fresh) || !same_parts(known, fresh))
        return false;
    if (fresh->shared > 0 && known->partners.count > 0)
        return true;
    if (fresh->parts.count > PARTS_OF_ONE)
        return is_counted_alike(folding, first, entry) && reason_equal(first->remedy, entry->remedy);
    return fresh->parts.count > 0 ||
           ((strcmp(first->check, entry->check) == 0 || lacks_the_same(folding, first, entry)) &&
            reason_equal(first->remedy, entry->remedy));
}

/* What is open because the run was stopped is one cause, whoever waits for whom in it. */
static size_t stopped_cause(struct folding *folding)
{
    const struct report_cause fresh = {
        .word = OUTCOME_NOT_RUN,
        .resume = reason(folding->arena, go_on_with_resume, folding->view->record->number)};

    for (size_t i = 0; i < folding->causes->items.count; i++)
        if (folding->causes->items.items[i].resume != NULL)
            return i;
    return add_cause(folding, stopped_key, &fresh);
}

static void place_stopped(struct folding *folding, size_t index, size_t gates)
{
    size_t cause = stopped_cause(folding);
    struct report_cause *into = &folding->causes->items.items[cause];

    take_hosts(folding, into, &folding->entries[index]);
    *list_push(folding->arena, &into->entries) = index;
    folding->of_entry[index] = cause + 1;
    if (folding->entries[index].word == OUTCOME_NOT_RUN)
        into->not_run += gates;
    else
        into->inconclusive += gates;
}

/* It did not run for that reason alone, whatever else is wrong with its hosts. */
static bool was_stopped(const struct folding *folding, const struct step_view *step)
{
    for (size_t i = 0; is_stopped(folding) && i < step->step->shape->slot_count; i++)
        if (step->items[i]->word == OUTCOME_NOT_RUN &&
            (reason_is(step->items[i]->cause, cancelled_before_it) ||
             reason_is(step->items[i]->cause, cancelled)))
            return true;
    return false;
}

/* "node2 mlx5_3": whom pairs show behind each of its items. shown: by pairs that this item itself has. NULL: nobody, or not
   the same one. */
static const char *named_by_pairs(const struct report_entry *entry, bool shown)
{
    const char *named = NULL;

    for (size_t i = 0; i < entry->items; i++) {
        const struct reason *cause = entry->outcomes[i]->cause;
        const char *own = shown && !reason_is(cause, slow_in_all_pairs) ? NULL : blame_by_pairs(cause);

        if (own == NULL || (named != NULL && strcmp(named, own) != 0))
            return NULL;
        named = own;
    }
    return named;
}

static void take_shared(struct folding *folding, struct report_cause *cause, const struct report_entry *entry)
{
    take_hosts(folding, cause, entry);
    cause->blames = true;
    cause->parts_suspected = cause->parts.count > 0;
    cause->shared = 1;
}

static void add_partners(struct folding *folding, struct report_cause *cause,
                         const struct report_entry *entry)
{
    for (size_t i = 0; i < entry->items; i++) {
        const struct step *step = step_of(folding, entry->outcomes[i]);

        for (size_t k = 0; k < step->member_count; k++) {
            const struct host *host = step->members[k];
            size_t known = 0;

            while (known < cause->partners.count && cause->partners.items[known] != host)
                known++;
            if (known == cause->partners.count && !has_host(cause, host))
                *list_push(folding->arena, &cause->partners) = host;
        }
    }
}

/* That tests between leaves name; NULL: none, or not all of them the same. */
static const char *leaf_of(const struct report_entry *entry)
{
    const char *leaf = NULL;

    for (size_t i = 0; i < entry->items; i++) {
        const struct reason *cause = entry->outcomes[i]->cause;
        const char *named = reason_is(cause, leaf_slow_with_both) ? reason_argument_text(cause, 2) : NULL;

        if (named == NULL || (leaf != NULL && strcmp(named, leaf) != 0))
            return NULL;
        leaf = named;
    }
    return leaf;
}

/* The host on that leaf that its pairs show to be slow already; its number, from 1. 0: there is none. */
static size_t slow_host_on(const struct folding *folding, const char *leaf)
{
    for (size_t i = 0; i < folding->causes->items.count; i++) {
        const struct report_cause *cause = &folding->causes->items.items[i];

        if (cause->partners.count > 0 && !cause->waived && strcmp(cause->hosts.items[0]->leaf, leaf) == 0)
            return i + 1;
    }
    return 0;
}

/* Whom tests between leaves name in place of the leaf; NULL: none, or not all of them the same. */
static const struct host *host_of_leaf(const struct folding *folding, const struct report_entry *entry)
{
    const struct plan *plan = folding->view->record->plan;
    const char *named = NULL;

    for (size_t i = 0; i < entry->items; i++) {
        const struct reason *cause = entry->outcomes[i]->cause;
        const char *subject = reason_is(cause, leaf_slow_by_host) ? reason_argument_text(cause, 3) : NULL;

        if (subject == NULL || (named != NULL && strcmp(named, subject) != 0))
            return NULL;
        named = subject;
    }
    for (size_t i = 0; named != NULL && i < plan->hosts.count; i++)
        if (strlen(plan->hosts.items[i]->name) == strcspn(named, " ") &&
            strncmp(plan->hosts.items[i]->name, named, strcspn(named, " ")) == 0)
            return plan->hosts.items[i];
    return NULL;
}

/* The cause that is about that host's speed with others already; its number, from 1. 0: there is none. */
static size_t slow_host(const struct folding *folding, const struct host *host)
{
    for (size_t i = 0; i < folding->causes->items.count; i++) {
        const struct report_cause *cause = &folding->causes->items.items[i];

        if ((cause->partners.count > 0 || cause->accusation != NULL) && !cause->waived &&
            cause->hosts.count == 1 && cause->hosts.items[0] == host)
            return i + 1;
    }
    return 0;
}

/* Of a slow leaf the cause that it is folded into: its number, from 1. 0: it is a cause of its own, or no leaf. */
static size_t cause_of_leaf(const struct folding *folding, const struct report_cause *fresh,
                            const struct host *named)
{
    if (fresh->waived)
        return 0;
    if (named != NULL)
        return slow_host(folding, named);
    return fresh->leaf != NULL ? slow_host_on(folding, fresh->leaf) : 0;
}

static void take_leaf(struct folding *folding, struct report_cause *cause)
{
    const struct plan *plan = folding->view->record->plan;

    for (size_t i = 0; i < plan->hosts.count; i++)
        if (strcmp(plan->hosts.items[i]->leaf, cause->leaf) == 0)
            add_host(folding, cause, plan->hosts.items[i]);
}

/* What leaves it open; NULL: it is a point of its own. */
static const struct outcome *explanation(const struct folding *folding, const struct report_entry *entry)
{
    const struct outcome *known = NULL;

    if (entry->word == OUTCOME_INCONCLUSIVE && entry->items > 0) {
        known = follows_from(folding->view, entry->outcomes[0]);
        known = known != NULL ? known : follows_from_host(folding->view, entry->outcomes[0]);
    }
    return known;
}

/* The cause that has what leaves it open; 0: the entry is a point of its own, or that of several. */
static size_t cause_followed(const struct folding *folding, const struct report_entry *entry)
{
    const struct outcome *known = explanation(folding, entry);

    for (size_t i = 0; known != NULL && i < folding->entry_count; i++)
        for (size_t k = 0; folding->of_entry[i] > 0 && k < folding->entries[i].items; k++)
            if (folding->entries[i].outcomes[k] == known)
                return folding->of_entry[i];
    return 0;
}

static void place_entry(struct folding *folding, size_t index)
{
    const struct report_entry *entry = &folding->entries[index];
    struct report_cause fresh = {.word = entry->word,
                                 .extent = entry->extent,
                                 .blames = blames_hosts(folding, entry),
                                 .leaf = leaf_of(entry),
                                 .waived = entry->word == OUTCOME_FAIL && entry->waiver != NULL};
    struct report_cause *accused = fresh.waived ? NULL : explained_by(folding, entry);
    const char *shown = fresh.waived ? NULL : named_by_pairs(entry, true);
    const char *key = fresh.leaf != NULL ? arena_printf(folding->arena, "\x1fleaf %s", fresh.leaf)
                                         : key_of(folding, entry, index);
    const struct host *named = host_of_leaf(folding, entry);
    size_t cause = 0;

    if (was_cut_off(folding, entry)) {
        place_stopped(folding, index, entry->items);
        return;
    }
    if (cause_followed(folding, entry) > 0) {
        folding->causes->items.items[cause_followed(folding, entry) - 1].followers++;
        take_entry(folding, cause_followed(folding, entry) - 1, index);
        return;
    }
    if (accused == NULL && cause_of_leaf(folding, &fresh, named) > 0)
        accused = &folding->causes->items.items[cause_of_leaf(folding, &fresh, named) - 1];
    if (accused != NULL) {
        accused->shared++;
        take_entry(folding, (size_t)(accused - folding->causes->items.items), index);
        return;
    }
    if (fresh.leaf != NULL)
        take_leaf(folding, &fresh);
    else if (named != NULL)
        add_host(folding, &fresh, named);
    else if (!fresh.waived && named_by_pairs(entry, false) != NULL)
        take_shared(folding, &fresh, entry);
    else
        take_hosts(folding, &fresh, entry);
    while (cause < folding->causes->items.count && !is_same(folding, cause, &fresh, key, entry))
        cause++;
    if (cause == folding->causes->items.count)
        cause = add_cause(folding, key, &fresh);
    else {
        folding->causes->items.items[cause].shared += fresh.shared;
        /* A test of the host alone that finds the same part has shown it. */
        folding->causes->items.items[cause].parts_suspected &= fresh.shared > 0;
    }
    for (size_t i = 0; i < fresh.hosts.count; i++)
        add_host(folding, &folding->causes->items.items[cause], fresh.hosts.items[i]);
    if (shown != NULL)
        add_partners(folding, &folding->causes->items.items[cause], entry);
    take_entry(folding, cause, index);
}

/* Of host and adapter: the part on which all its slow tests across hosts agree. */
static void suspect_part(struct folding *folding, struct report_cause *cause)
{
    struct report_cause parts = {0};

    for (size_t i = 0; i < cause->entries.count; i++) {
        const struct report_entry *entry = &folding->entries[cause->entries.items[i]];

        for (size_t k = 0; k < entry->items; k++)
            add_part(folding, &parts, subject_of(folding, entry->outcomes[k]));
    }
    if (parts.parts.count != 1 || cause->accusation->kind != ACCUSED_HOST)
        return;
    cause->parts_suspected = true;
    *list_push(folding->arena, &cause->parts) = parts.parts.items[0];
}

/* -- What was not run --------------------------------------------------------------------------------------- */

static unsigned join_roots(unsigned a, unsigned b)
{
    if (a == root_none || a == b)
        return b;
    return b == root_none ? a : root_several;
}

/* Where nothing is known of what the step needs: whoever is at fault among its members. */
static unsigned root_by_members(const struct folding *folding, const struct step *step)
{
    unsigned root = root_none;

    for (size_t i = 0; i < folding->causes->items.count; i++)
        for (size_t k = 0; folding->causes->items.items[i].blames && k < step->member_count; k++)
            if (has_host(&folding->causes->items.items[i], step->members[k])) {
                root =
                    step->member_count == 1 && root != root_none ? root : join_roots(root, (unsigned)i + 1);
                break;
            }
    return root;
}

/* Needs come before the steps that have them. alone: those of one host, which say more of it than a test of many does. */
static unsigned root_by_needs(const struct folding *folding, size_t index, bool alone)
{
    const struct step *step = folding->view->steps[index].step;
    unsigned root = root_none;

    for (size_t i = 0; i < step->need_count; i++)
        if (step->needs[i] < index &&
            (!alone || folding->view->steps[step->needs[i]].step->member_count == 1))
            root = join_roots(root, folding->root[step->needs[i]]);
    return root;
}

/* A step that was left out waits for nobody. */
static void find_roots(struct folding *folding)
{
    for (size_t i = 0; i < folding->view->step_count; i++) {
        const struct step *step = folding->view->steps[i].step;

        if (folding->root[i] != root_none || folding->view->steps[i].coverage.not_run == 0 ||
            step->origin == ORIGIN_LEFT_OUT)
            continue;
        if (was_stopped(folding, &folding->view->steps[i]))
            folding->root[i] = (unsigned)stopped_cause(folding) + 1;
        if (folding->root[i] == root_none)
            folding->root[i] = root_by_needs(folding, i, true);
        if (folding->root[i] == root_none)
            folding->root[i] = root_by_needs(folding, i, false);
        if (folding->root[i] == root_none)
            folding->root[i] = root_by_members(folding, step);
    }
}

static void mark_roots(struct folding *folding, size_t index)
{
    const struct report_entry *entry = &folding->entries[index];

    for (size_t i = 0; i < entry->items; i++)
        folding->root[entry->outcomes[i]->step] =
            join_roots(folding->root[entry->outcomes[i]->step], (unsigned)folding->of_entry[index]);
}

/* Not run, and nothing else is open because of which: one reason is one point, however many steps and parts it left open. */
static void place_unrun(struct folding *folding, size_t index, size_t gates)
{
    const struct report_entry *entry = &folding->entries[index];
    const char *key =
        arena_printf(folding->arena, "\x1fnot run\x1f%s", reason_encode(folding->arena, entry->cause));
    struct report_cause *into;
    size_t cause = 0;

    while (cause < folding->causes->items.count && strcmp(folding->keys.items[cause], key) != 0)
        cause++;
    if (cause == folding->causes->items.count)
        cause = add_cause(folding, key, &(struct report_cause){.word = OUTCOME_NOT_RUN});
    into = &folding->causes->items.items[cause];
    take_hosts(folding, into, entry);
    *list_push(folding->arena, &into->entries) = index;
    if (into->entries.count > 1 || entry->not_asked)
        into->parts.count = 0;
    into->not_asked = entry->not_asked;
    into->not_run += gates;
    folding->of_entry[index] = cause + 1;
}

static void place_not_run(struct folding *folding, size_t index)
{
    const struct report_entry *entry = &folding->entries[index];
    size_t nowhere = 0;

    for (size_t i = 0; i < entry->items; i++) {
        unsigned root = folding->root[entry->outcomes[i]->step];

        if (root == root_none ||
            (root != root_several && folding->causes->items.items[root - 1].resume != NULL))
            nowhere++;
        else if (root == root_several) {
            folding->causes->blocked_together++;
            folding->causes->blocked_across += step_of(folding, entry->outcomes[i])->member_count > 1;
        } else
            folding->causes->items.items[root - 1].blocked++;
    }
    if (nowhere > 0 && is_stopped(folding) && !entry->not_asked)
        place_stopped(folding, index, nowhere);
    else if (nowhere > 0)
        place_unrun(folding, index, nowhere);
}

/* -- In order ------------------------------------------------------------------------------------------------ */

static int place_of(const struct report_cause *cause)
{
    return cause->waived ? OUTCOME_FAIL + 1 : OUTCOME_FAIL - (int)cause->word;
}

/* Fails, then what is undecided, then what was not run; what is waived comes last. */
static void sort_causes(struct folding *folding)
{
    size_t count = folding->causes->items.count, next = 0;
    struct report_cause *sorted = arena_array(folding->arena, struct report_cause, count);
    size_t *moved = arena_array(folding->arena, size_t, count);

    for (int place = 0; place <= OUTCOME_FAIL + 1; place++)
        for (size_t i = 0; i < count; i++)
            if (place_of(&folding->causes->items.items[i]) == place) {
                moved[i] = next;
                sorted[next++] = folding->causes->items.items[i];
            }
    for (size_t i = 0; i < count; i++) {
        folding->causes->items.items[i] = sorted[i];
        if (sorted[i].waived)
            folding->causes->waived++;
        else if (sorted[i].word == OUTCOME_FAIL)
            folding->causes->to_fix++;
        else
            folding->causes->to_decide++;
    }
    for (size_t i = 0; i < folding->entry_count; i++)
        if (folding->of_entry[i] > 0)
            folding->of_entry[i] = moved[folding->of_entry[i] - 1] + 1;
    for (size_t i = 0; i < folding->view->step_count; i++)
        if (folding->root[i] != root_none && folding->root[i] != root_several)
            folding->root[i] = (unsigned)moved[folding->root[i] - 1] + 1;
}

static const struct reason *target_of(struct folding *folding, const struct report_cause *cause)
{
    const char **names = arena_array(folding->arena, const char *, cause->hosts.count);

    if (cause->accusation != NULL)
        return accused_text(folding->arena, cause->accusation);
    if (cause->leaf != NULL)
        return reason(folding->arena, accused_leaf, cause->leaf);
    for (size_t i = 0; i < cause->hosts.count; i++)
        names[i] = cause->hosts.items[i]->name;
    return reason_text(folding->arena, hostlist_fold(folding->arena, names, cause->hosts.count));
}

/* By what it owes and its verdict alone; the causes have the last word. */
static enum host_state state_of(const struct verdict *verdict, bool owes)
{
    if (!owes)
        return HOST_UNTESTED;
    if (verdict == NULL)
        return HOST_OPEN;
    if (verdict->fail + verdict->accused > 0)
        return HOST_TO_FIX;
    if (verdict->pass > 0 && verdict->word == VERDICT_ACCEPT)
        return HOST_FIT;
    return verdict->pass > 0 && verdict->word == VERDICT_ACCEPT_WITH_EXCEPTIONS ? HOST_WAIVED : HOST_OPEN;
}

static void settle_hosts(struct folding *folding)
{
    const struct view *view = folding->view;
    size_t count = view->record->plan->hosts.count, host;
    bool *owes = arena_array(folding->arena, bool, count);
    enum host_state *states = arena_array(folding->arena, enum host_state, count);
    size_t *of_host = arena_array(folding->arena, size_t, count);

    for (size_t i = 0; i < view->step_count; i++) {
        const struct step *step = view->steps[i].step;

        host = step->member_count == 1 ? view_host(view, step->members[0]) : (size_t)-1;
        if (host != (size_t)-1)
            owes[host] |= view->steps[i].coverage.gates > 0;
    }
    for (size_t i = 0; i < count; i++)
        states[i] = state_of(view->host_verdicts[i], owes[i]);
    for (size_t i = 0; i < folding->causes->items.count; i++) {
        const struct report_cause *cause = &folding->causes->items.items[i];
        enum host_state state = cause->waived                 ? HOST_WAIVED
                                : cause->word == OUTCOME_FAIL ? HOST_TO_FIX
                                                              : HOST_OPEN;

        for (size_t k = 0; cause->blames && k < cause->hosts.count; k++) {
            host = view_host(view, cause->hosts.items[k]);
            of_host[host] = of_host[host] > 0 ? of_host[host] : i + 1;
            if (state > states[host])
                states[host] = state;
        }
    }
    for (size_t i = 0; i < count; i++) {
        folding->causes->hosts += states[i] != HOST_UNTESTED;
        folding->causes->fit += states[i] == HOST_FIT;
        folding->causes->excused += states[i] == HOST_WAIVED;
    }
    folding->causes->states = states;
    folding->causes->of_host = of_host;
}

size_t cause_of_unrun(const struct report_causes *causes, size_t entry, const struct outcome *outcome)
{
    unsigned root = causes->roots[outcome->step];

    if (root == root_none)
        return causes->of_entry[entry];
    return root == root_several ? 0 : root;
}

void report_causes_of(const struct view *view, const struct report_entry *entries, size_t count,
                      struct report_causes *ret_causes)
{
    struct folding folding = {.arena = view->arena,
                              .view = view,
                              .entries = entries,
                              .entry_count = count,
                              .causes = ret_causes,
                              .of_entry = arena_array(view->arena, size_t, count),
                              .root = arena_array(view->arena, unsigned, view->step_count)};

    *ret_causes = (struct report_causes){.of_entry = folding.of_entry, .roots = folding.root};
    for (size_t i = 0; i < count; i++)
        if (entries[i].accusation != NULL) {
            size_t cause =
                add_cause(&folding, arena_printf(view->arena, "\x1f%zu", i),
                          &(struct report_cause){.word = OUTCOME_FAIL,
                                                 .accusation = entries[i].accusation,
                                                 .blames = entries[i].accusation->kind == ACCUSED_HOST});

            take_accused(&folding, &ret_causes->items.items[cause]);
            take_entry(&folding, cause, i);
        }
    for (size_t i = 0; i < count; i++)
        if (entries[i].accusation == NULL && entries[i].word == OUTCOME_FAIL &&
            named_by_pairs(&entries[i], true) != NULL)
            place_entry(&folding, i);
    for (size_t i = 0; i < count; i++)
        if (folding.of_entry[i] == 0 && entries[i].accusation == NULL &&
            entries[i].word >= OUTCOME_INCONCLUSIVE && explanation(&folding, &entries[i]) == NULL)
            place_entry(&folding, i);
    for (size_t i = 0; i < count; i++)
        if (folding.of_entry[i] == 0 && explanation(&folding, &entries[i]) != NULL)
            place_entry(&folding, i);
    for (size_t i = 0; i < count; i++)
        if (entries[i].accusation == NULL && entries[i].word >= OUTCOME_INCONCLUSIVE)
            mark_roots(&folding, i);
    for (size_t i = 0; i < ret_causes->items.count; i++)
        if (ret_causes->items.items[i].accusation != NULL)
            suspect_part(&folding, &ret_causes->items.items[i]);
    find_roots(&folding);
    for (size_t i = 0; i < count; i++)
        if (entries[i].word == OUTCOME_NOT_RUN)
            place_not_run(&folding, i);
    sort_causes(&folding);
    for (size_t i = 0; i < ret_causes->items.count; i++)
        ret_causes->items.items[i].target = target_of(&folding, &ret_causes->items.items[i]);
    settle_hosts(&folding);
}
