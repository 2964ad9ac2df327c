/* SPDX-License-Identifier: Apache-2.0 */
/* A suite beside the built-in delivery, step by step. */
#include <stddef.h>
#include <string.h>

#include "assay/base/json.h"
#include "assay/base/nearest.h"
#include "assay/base/options.h"
#include "assay/check/check.h"
#include "assay/reasons/any.h"
#include "assay/reasons/report.h"
#include "concessions.h"

enum { VALUE_BYTES = 4096 };

struct pair {
    struct arena *arena;
    const struct suite_step *own, *whole;
    struct concessions *found;
    /* Of how it is carried out; else NULL. stands_for: by the delivery's steps, the step of own_suite. */
    const struct suite *own_suite, *whole_suite;
    const struct suite_step *const *stands_for;
};

static void concede(struct pair *pair, const char *metric, const struct reason *detail)
{
    *list_push(pair->arena, &pair->found->items) =
        (struct concession){CONCESSION_CHANGED, pair->whole->name, "", metric, detail};
}

/* -- Arguments -- */

static double number_of(const char *text)
{
    double number = 0;

    if (!size_parse(text, &number))
        scan_double(slice_of(text), &number);
    return number;
}

/* Each word of the one is in the other; of no words all is meant, which no list holds. */
static bool has_words(const char *list, const char *words)
{
    if (*words == '\0')
        return *list == '\0';
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        const char *at = list;

        while (*at != '\0' && (strcspn(at, " ") != length || strncmp(at, words, length) != 0)) {
            at += strcspn(at, " ");
            at += strspn(at, " ");
        }
        if (*at == '\0')
            return false;
        words += length + strspn(words + length, " ");
    }
    return true;
}

static bool asks_for_as_much(const struct argument *argument, const char *own, const char *whole)
{
    if (strcmp(own, whole) == 0)
        return true;
    switch (argument->weight) {
    case MORE_IS_MORE:
        return number_of(own) >= number_of(whole);
    case LESS_IS_MORE:
        return number_of(own) <= number_of(whole);
    case GIVEN_IS_MORE:
        return *whole == '\0';
    case WORDS_ARE_MORE:
        return has_words(own, whole);
    case ANY_IS_OTHER:
    default:
        return false;
    }
}

/* As it stands in the step, or what the check takes without it. */
static const char *argument_text(struct arena *arena, const struct suite_step *step,
                                 const struct argument *argument)
{
    const struct json *value = json_get(step->arguments, argument->name);

    if (value == NULL)
        return argument->fallback != NULL ? argument->fallback : "";
    if (value->type == JSON_STRING)
        return value->string;
    if (value->type == JSON_BOOL && !value->boolean)
        return "";
    return json_text(arena, value, VALUE_BYTES);
}

static void compare_arguments(struct pair *pair)
{
    const struct check *check = check_find(pair->whole->check);

    for (const struct argument *row = check != NULL ? check->arguments : NULL;
         row != NULL && row->name != NULL; row++) {
        const char *own = argument_text(pair->arena, pair->own, row);
        const char *whole = argument_text(pair->arena, pair->whole, row);

        if (!asks_for_as_much(row, own, whole))
            concede(pair, "",
                    *own == '\0'     ? reason(pair->arena, argument_missing_beside, row->name, whole)
                    : *whole == '\0' ? reason(pair->arena, argument_added_beside, row->name, own)
                                     : reason(pair->arena, argument_beside, row->name, own, whole));
    }
}

/* -- The rest of a step -- */

static const char *scope_text(struct arena *arena, const struct suite_step *step)
{
    return step->by_size > 0  ? arena_printf(arena, "%s (%u)", step->scope, step->by_size)
           : step->by != NULL ? arena_printf(arena, "%s (%s)", step->scope, step->by)
                              : step->scope;
}

static bool has_same_scope(const struct suite_step *a, const struct suite_step *b)
{
    return is_same_word(a->scope, b->scope) && is_same_word(a->by, b->by) && a->by_size == b->by_size;
}

/* Each condition that the delivery has not leaves hosts out that it tests. */
static void compare_conditions(struct pair *pair)
{
    json_each (condition, pair->own->when) {
        const struct json *other = json_get(pair->whole->when, condition->key);
        const char *own = json_text(pair->arena, condition, VALUE_BYTES);

        if (strcmp(own, json_text(pair->arena, other, VALUE_BYTES)) != 0)
            concede(pair, "", reason(pair->arena, asked_only_where, condition->key, own));
    }
}

static double size_argument(struct pair *pair, const char *name)
{
    const struct check *check = check_find(pair->own->check);
    double size = 0;

    for (const struct argument *row = check != NULL ? check->arguments : NULL;
         row != NULL && row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            (void)size_parse(argument_text(pair->arena, pair->own, row), &size);
    return size;
}

/* A step that names no sizes has those of the check judged, the same that a delivery names, as far as it measures them. */
static bool judges_size(struct pair *pair, const char *word)
{
    const struct suite_step *own = pair->own;
    double size = 0, factor = size_argument(pair, "factor"), end = size_argument(pair, "end");

    if (own->sizes_judged.count > 0)
        return word_is_among(word, own->sizes_judged.items, own->sizes_judged.count);
    if (!size_parse(word, &size) || factor <= 1)
        return false;
    for (double measured = size_argument(pair, "begin"); measured > 0 && measured <= end; measured *= factor)
        if (measured == size)
            return true;
    return false;
}

static void compare_judged(struct pair *pair)
{
    const struct suite_step *own = pair->own, *whole = pair->whole;

    for (size_t i = 0; i < whole->gate.count; i++)
        if (!word_is_among(whole->gate.items[i], own->gate.items, own->gate.count))
            concede(pair, whole->gate.items[i], REASON(gate_there_not_here));
    for (size_t i = 0; i < own->record.count; i++)
        if (!word_is_among(own->record.items[i], whole->record.items, whole->record.count))
            concede(pair, own->record.items[i], REASON(gate_there_not_here));
    for (size_t i = 0; i < whole->sizes_judged.count; i++)
        if (!judges_size(pair, whole->sizes_judged.items[i]))
            concede(pair, "", reason(pair->arena, size_judged_there, whole->sizes_judged.items[i]));
}

/* The measure of such a rule is the run itself, so that every delivery can have it. */
static void compare_own_measure(struct pair *pair)
{
    for (size_t i = 0; i < pair->whole->limits.count; i++) {
        const struct limit *limit = &pair->whole->limits.items[i];
        bool found = limit->rule != RULE_GROUPS;

        list_each (other, pair->own->limits)
            found |= other->rule == limit->rule && is_same_word(other->metric, limit->metric) &&
                     other->value >= limit->value && other->hosts_min <= limit->hosts_min &&
                     other->hosts_max == 0 && other->subject == NULL;
        if (!found)
            concede(pair, limit->metric,
                    reason(pair->arena, limit_missing_beside, limit_text(pair->arena, limit)));
    }
}

static const char *percent(struct arena *arena, double fraction)
{
    return arena_printf(arena, "%g%%", fraction * 100);
}

static void compare_peers(struct pair *pair)
{
    const struct suite_peers *own = &pair->own->peers, *whole = &pair->whole->peers;

    if (own->off && !whole->off)
        concede(pair, "", REASON(peers_compared_there));
    else if (!whole->off && own->fail > whole->fail)
        concede(pair, "",
                reason(pair->arena, peers_fail_beside, percent(pair->arena, own->fail),
                       percent(pair->arena, whole->fail)));
}

static void compare_steps(struct pair *pair)
{
    if (!has_same_scope(pair->own, pair->whole))
        concede(pair, "",
                reason(pair->arena, scope_beside, scope_text(pair->arena, pair->own),
                       scope_text(pair->arena, pair->whole)));
    compare_conditions(pair);
    compare_arguments(pair);
    compare_judged(pair);
    compare_own_measure(pair);
    compare_peers(pair);
    if (pair->whole->last && !pair->own->last)
        concede(pair, "", REASON(last_there_not_here));
    else if (pair->own->last && !pair->whole->last)
        concede(pair, "", REASON(last_here_not_there));
}

/* -- How a step is carried out: it tells no test from another, and may let a sick host pass all the same -- */

/* A crash, a hang or a doubt that is tried away is none; a test that may take longer hangs unseen. */
static const struct conduct {
    const char *key;
    size_t at;
    bool more_is_more;
} conducts[] = {
    {"repeat", offsetof(struct suite_step, repeat), true},
    {"retries", offsetof(struct suite_step, retries), false},
    {"retests", offsetof(struct suite_step, retests), false},
    {"timeout_s", offsetof(struct suite_step, timeout_s), false},
    {"expected_s", offsetof(struct suite_step, expected_s), false},
};

static unsigned conduct_of(const struct suite_step *step, const struct conduct *row)
{
    return *(const unsigned *)(const void *)((const char *)step + row->at);
}

/* Without either of them the time is the platform's or the check's own, which nobody has stretched. */
static bool is_left_to_the_check(const struct conduct *row, unsigned value)
{
    return value == 0 && (row->at == offsetof(struct suite_step, timeout_s) ||
                          row->at == offsetof(struct suite_step, expected_s));
}

static void compare_conduct(struct pair *pair)
{
    for (size_t i = 0; i < ARRAY_SIZE(conducts); i++) {
        unsigned own = conduct_of(pair->own, &conducts[i]), whole = conduct_of(pair->whole, &conducts[i]);

        if (conducts[i].more_is_more ? own >= whole : own <= whole)
            continue;
        concede(pair, "",
                is_left_to_the_check(&conducts[i], whole)
                    ? reason(pair->arena, argument_added_beside, conducts[i].key,
                             arena_printf(pair->arena, "%u", own))
                    : reason(pair->arena, argument_beside, conducts[i].key, own, whole));
    }
}

/* As the plan has it (exclusivity_of in plan.c), where nobody knows the leaves. */
static enum exclusivity exclusivity_of(const struct suite_step *step)
{
    const struct check *check = check_find(step->check);
    enum exclusivity exclusive = EXCLUSIVE_FABRIC;

    if (step->exclusive != NULL && exclusivity_parse(step->exclusive, &exclusive))
        return exclusive;
    return check != NULL && (strcmp(step->scope, "host") == 0 || check->exclusive == EXCLUSIVE_NONE)
               ? check->exclusive
               : EXCLUSIVE_FABRIC;
}

/* What runs alone loads neither what others share with it nor what cools and feeds them. */
static void compare_company(struct pair *pair)
{
    enum exclusivity own = exclusivity_of(pair->own), whole = exclusivity_of(pair->whole);

    if (own > whole)
        concede(pair, "",
                reason(pair->arena, argument_beside, "exclusive", exclusivity_name(own),
                       exclusivity_name(whole)));
}

/* Of each step of the suite whether this one begins after it. Needs are of earlier steps, so one way back finds all. */
static const bool *steps_before(struct arena *arena, const struct suite *suite, const struct suite_step *step)
{
    bool *before = arena_array(arena, bool, suite->steps.count + 1);
    size_t at = (size_t)(step - suite->steps.items);

    for (size_t i = at + 1; i-- > 0;) {
        const struct suite_step *later = &suite->steps.items[i];

        for (size_t k = 0; (i == at || before[i]) && k < later->needs.count; k++)
            before[suite_step_find(suite, later->needs.items[k]) - suite->steps.items] = true;
    }
    return before;
}

static bool comes_after(struct pair *pair, const bool *before, const char *check)
{
    for (size_t i = 0; i < pair->own_suite->steps.count; i++)
        if (before[i] && strcmp(pair->own_suite->steps.items[i].check, check) == 0)
            return true;
    return pair->own->last;
}

/* What a step needs fails by itself where it fails; but a host that has not been loaded yet is another than one that has. */
static void compare_order(struct pair *pair)
{
    const bool *before = steps_before(pair->arena, pair->own_suite, pair->own);

    for (size_t i = 0; i < pair->whole->needs.count; i++) {
        const struct suite_step *need = suite_step_find(pair->whole_suite, pair->whole->needs.items[i]);
        const struct check *check = check_find(need->check);

        /* Of a test that is not there at all that is said. */
        if (pair->stands_for[need - pair->whole_suite->steps.items] != NULL && check != NULL &&
            check->window && !comes_after(pair, before, need->check))
            concede(pair, "", reason(pair->arena, after_there_not_here, need->name));
    }
}

/* The last of the tests before it that load the hosts; NULL: it is looked at before any of them. */
static const struct suite_step *load_before(struct arena *arena, const struct suite *suite,
                                            const struct suite_step *step)
{
    const bool *before = steps_before(arena, suite, step);

    for (size_t i = suite->steps.count; i-- > 0;) {
        const struct check *check = check_find(suite->steps.items[i].check);

        if (before[i] && check != NULL && check->window)
            return &suite->steps.items[i];
    }
    return NULL;
}

/* What a load leaves behind is seen as growth since the first look: a first look after it has that in its baseline. */
static void compare_first_look(struct pair *pair)
{
    const struct check *check = check_find(pair->whole->check);
    const struct suite_step *load;

    if (check == NULL || check->window || pair->own->last || pair->whole->last ||
        load_before(pair->arena, pair->whole_suite, pair->whole) != NULL)
        return;
    load = load_before(pair->arena, pair->own_suite, pair->own);
    if (load != NULL)
        concede(pair, "", reason(pair->arena, after_here_not_there, load->name));
}

static void compare_warmth(struct pair *pair)
{
    const struct suite *own = pair->own_suite, *whole = pair->whole_suite;
    const struct check *check = check_find(pair->whole->check);

    if (check == NULL || !check->window)
        return;
    if (own->cool_below_c > whole->cool_below_c)
        concede(pair, "",
                reason(pair->arena, argument_beside, "cool_down.below_c", own->cool_below_c,
                       whole->cool_below_c));
    if (own->cool_within_s > whole->cool_within_s)
        concede(pair, "",
                reason(pair->arena, argument_beside, "cool_down.within_s", own->cool_within_s,
                       whole->cool_within_s));
}

static void compare_carrying_out(struct pair *pair)
{
    compare_conduct(pair);
    compare_company(pair);
    compare_order(pair);
    compare_first_look(pair);
    compare_warmth(pair);
}

/* -- Which step stands for which -- */

/* In this order: what is the same in all is found first, so that no other step takes its place. */
enum likeness { SAME_TEST, SAME_NAME, SAME_SCOPE, SAME_CHECK, LIKENESSES };

static bool is_like(struct arena *arena, const struct suite_step *own, const struct suite_step *whole,
                    enum likeness likeness)
{
    struct concessions found = {0};

    /* Variants are compared with each other, and judge nothing. */
    if (strcmp(own->check, whole->check) != 0 || own->variants.count > 0)
        return false;
    switch (likeness) {
    case SAME_TEST:
        compare_steps(&(struct pair){arena, own, whole, &found, NULL, NULL, NULL});
        return found.items.count == 0;
    case SAME_NAME:
        return strcmp(own->name, whole->name) == 0 && has_same_scope(own, whole);
    case SAME_SCOPE:
        return has_same_scope(own, whole) && own->last == whole->last;
    case SAME_CHECK:
    case LIKENESSES:
    default:
        return true;
    }
}

static size_t find_match(struct arena *arena, const struct suite *suite, const struct suite_step *whole,
                         enum likeness likeness, const struct suite_step *const *matches)
{
    for (size_t i = 0; i < suite->steps.count; i++)
        if (matches[i] == NULL && is_like(arena, &suite->steps.items[i], whole, likeness))
            return i;
    return (size_t)-1;
}

void concessions_of_suite(struct arena *arena, const struct suite *suite, const struct suite *whole,
                          const struct suite_step **ret_matches, struct concessions *concessions)
{
    const struct suite_step **stands_for =
        arena_array(arena, const struct suite_step *, whole->steps.count + 1);

    concessions->tests = whole->steps.count;
    for (int likeness = SAME_TEST; likeness < LIKENESSES; likeness++)
        for (size_t i = 0; i < whole->steps.count; i++) {
            size_t match = stands_for[i] == NULL ? find_match(arena, suite, &whole->steps.items[i],
                                                              (enum likeness)likeness, ret_matches)
                                                 : (size_t)-1;

            if (match == (size_t)-1)
                continue;
            stands_for[i] = &suite->steps.items[match];
            ret_matches[match] = &whole->steps.items[i];
        }
    for (size_t i = 0; i < whole->steps.count; i++) {
        size_t before = concessions->items.count;
        struct pair pair = {arena, stands_for[i], &whole->steps.items[i], concessions, suite,
                            whole, stands_for};

        if (stands_for[i] == NULL) {
            concessions->absent++;
            *list_push(arena, &concessions->items) =
                (struct concession){CONCESSION_ABSENT, whole->steps.items[i].name, "", "", NULL};
            continue;
        }
        compare_steps(&pair);
        compare_carrying_out(&pair);
        concessions->changed += concessions->items.count > before;
    }
}
