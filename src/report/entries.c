/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One fault, one entry. Whom isolation names comes first: what failed by it is no fault of its own. Then three passes:
 * the bad items of each step fold by a key that says what they accuse; entries of one target that were not run for one
 * cause fold over steps; entries that are equal but for the host's name and its number fold over hosts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/model/blame.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"
#include "assay/reasons/report.h"
#include "assay/report/report.h"
#include "extents.h"
#include "follows.h"
#include "gates.h"
#include "view.h"

enum {
    FAILURES_PER_HOST = 3, /* up to this many hosts, a failure stays an entry of each host */
    TEXTS_SHOWN = 3,       /* different causes or gates named in one entry */
    SUBJECTS_SHOWN = 8,
};

struct group {
    enum outcome_word word;
    enum report_extent extent;
    const char *key; /* what folds: equal keys are one entry */
    size_t order;    /* of its first item */
    bool whole;      /* all gates of its steps */
    LIST_OF(const struct outcome *) items;
};

struct groups {
    struct arena *arena;
    const struct view *view;
    struct report_extents extents;
    LIST_OF(struct group *) list;
    struct joining *joining;
};

/* Of the hosts of many steps each is taken once. */
struct joining {
    size_t *taken; /* by index in plan->hosts: in which joining it was */
    size_t count;  /* of joinings so far */
};

struct pair {
    struct slice from, to;
};

/* "gpu2->gpu5" */
static bool pair_of(const char *subject, struct pair *ret_pair)
{
    const char *arrow = strstr(subject, "->");

    if (arrow == NULL)
        return false;
    *ret_pair = (struct pair){{subject, (size_t)(arrow - subject)}, slice_of(arrow + 2)};
    return true;
}

static bool slice_same(struct slice a, struct slice b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

static const struct slot *slot_of(const struct groups *groups, const struct outcome *outcome)
{
    return view_slot(groups->view, outcome);
}

/* The bad items of one word in one step, with the keys under which they fold. */
struct bad {
    const struct outcome *outcome;
    const char *key;
};
struct bad_list {
    struct bad *items;
    size_t count, capacity;
};

/* Different GPUs to or from which this one has a pair that is still without a key. */
static size_t count_peers(const struct groups *groups, const struct bad_list *bad, struct slice gpu)
{
    LIST_OF(struct slice) peers = {0};

    for (size_t i = 0; i < bad->count; i++) {
        struct slice peer;
        struct pair pair;
        size_t known = 0;

        if (bad->items[i].key != NULL || !pair_of(slot_of(groups, bad->items[i].outcome)->subject, &pair))
            continue;
        if (!slice_same(pair.from, gpu) && !slice_same(pair.to, gpu))
            continue;
        peer = slice_same(pair.from, gpu) ? pair.to : pair.from;
        while (known < peers.count && !slice_same(peers.items[known], peer))
            known++;
        if (known == peers.count)
            *list_push(groups->arena, &peers) = peer;
    }
    return peers.count;
}

/* The GPU with the most slow peers; the first one of equals. */
static size_t worst_gpu(const struct groups *groups, const struct bad_list *bad, struct slice *ret_gpu)
{
    size_t most = 0;

    for (size_t i = 0; i < bad->count; i++) {
        struct pair pair;

        if (bad->items[i].key != NULL || !pair_of(slot_of(groups, bad->items[i].outcome)->subject, &pair))
            continue;
        for (size_t side = 0; side < 2; side++) {
            struct slice gpu = side == 0 ? pair.from : pair.to;
            size_t peers = count_peers(groups, bad, gpu);

            if (peers > most) {
                most = peers;
                *ret_gpu = gpu;
            }
        }
    }
    return most;
}

static size_t count_pairs(const struct slot *slots, size_t count)
{
    struct pair pair;
    size_t pairs = 0;

    for (size_t i = 0; i < count; i++)
        pairs += slots[i].duty == DUTY_GATE && pair_of(slots[i].subject, &pair);
    return pairs;
}

static size_t count_bad_pairs(const struct groups *groups, const struct bad_list *bad)
{
    struct pair pair;
    size_t pairs = 0;

    for (size_t i = 0; i < bad->count; i++)
        pairs += pair_of(slot_of(groups, bad->items[i].outcome)->subject, &pair);
    return pairs;
}

static void key_pairs_of(const struct groups *groups, struct bad_list *bad, struct slice gpu, const char *key)
{
    for (size_t i = 0; i < bad->count; i++) {
        struct pair pair;

        if (bad->items[i].key != NULL || !pair_of(slot_of(groups, bad->items[i].outcome)->subject, &pair))
            continue;
        if (gpu.length == 0 || slice_same(pair.from, gpu) || slice_same(pair.to, gpu))
            bad->items[i].key = key;
    }
}

/*
 * Pairs: when at least half of all pairs fail it is the fabric; else a GPU that is slow towards two or more
 * others is one fault; else each pair is, in both directions.
 */
static void key_pairs(const struct groups *groups, struct bad_list *bad, const struct shape *shape)
{
    size_t failing = count_bad_pairs(groups, bad);
    struct slice gpu = {"", 0};

    if (failing >= 8 && 2 * failing >= count_pairs(shape->slots, shape->slot_count)) {
        key_pairs_of(groups, bad, (struct slice){"", 0}, "pairs");
        return;
    }
    while (worst_gpu(groups, bad, &gpu) > 0)
        key_pairs_of(groups, bad, gpu, arena_printf(groups->arena, "pairs of %.*s", slice_print(gpu)));
}

static bool same_complaint(const struct groups *groups, const struct outcome *a, const struct outcome *b)
{
    return strcmp(slot_of(groups, a)->metric, slot_of(groups, b)->metric) == 0 &&
           reason_equal(a->cause, b->cause);
}

/* One metric that fails with the same words on three or more subjects and at least half of those planned. */
static bool is_common(const struct groups *groups, const struct bad_list *bad, const struct outcome *outcome,
                      const struct shape *shape)
{
    size_t alike = 0, planned = 0;

    for (size_t i = 0; i < bad->count; i++)
        alike += same_complaint(groups, bad->items[i].outcome, outcome);
    for (size_t i = 0; i < shape->slot_count; i++)
        planned += strcmp(shape->slots[i].metric, slot_of(groups, outcome)->metric) == 0;
    return alike >= 3 && 2 * alike >= planned;
}

/* What all parts miss: one for each metric and gate, whatever its sizes. */
static void key_extents(const struct groups *groups, struct bad_list *bad)
{
    for (size_t i = 0; i < bad->count; i++) {
        const struct outcome *outcome = bad->items[i].outcome;
        enum report_extent extent = extent_of(&groups->extents, outcome);

        if (extent == EXTENT_RUN)
            bad->items[i].key = arena_printf(groups->arena, "all %s %s", slot_of(groups, outcome)->metric,
                                             reason_encode(groups->arena, outcome->held->gate));
        else if (extent == EXTENT_HOST)
            bad->items[i].key =
                arena_printf(groups->arena, "all of host %s %s", slot_of(groups, outcome)->metric,
                             strcmp(outcome->held->status, "peers") == 0
                                 ? ""
                                 : reason_encode(groups->arena, outcome->held->gate));
    }
}

static void key_failures(const struct groups *groups, struct bad_list *bad, const struct shape *shape)
{
    key_extents(groups, bad);
    key_pairs(groups, bad, shape);
    for (size_t i = 0; i < bad->count; i++) {
        const struct outcome *outcome = bad->items[i].outcome;
        const struct slot *slot = slot_of(groups, outcome);

        if (bad->items[i].key != NULL)
            continue;
        if (*slot->subject == '\0' || is_common(groups, bad, outcome, shape))
            bad->items[i].key = arena_printf(groups->arena, "metric %s", slot->metric);
        else
            bad->items[i].key = arena_printf(groups->arena, "subject %s", slot->subject);
    }
}

static struct group *group_find(struct groups *groups, size_t first, const char *key)
{
    for (size_t i = first; i < groups->list.count; i++)
        if (strcmp(groups->list.items[i]->key, key) == 0)
            return groups->list.items[i];
    return NULL;
}

static struct group *group_add(struct groups *groups, enum outcome_word word, enum report_extent extent,
                               const char *key)
{
    struct group *group = arena_new(groups->arena, struct group);

    *group = (struct group){.word = word, .extent = extent, .key = key, .order = groups->list.count};
    *list_push(groups->arena, &groups->list) = group;
    return group;
}

/* The items of one step that have this word, each in a group of its own key. */
static void group_step(struct groups *groups, size_t index, enum outcome_word word)
{
    const struct step_view *step = &groups->view->steps[index];
    const struct shape *shape = step->step->shape;
    struct bad_list bad = {0};
    size_t first = groups->list.count;

    for (size_t i = 0; i < shape->slot_count; i++)
        if (shape->slots[i].duty == DUTY_GATE && step->items[i]->word == word)
            list_push(groups->arena, &bad)->outcome = step->items[i];
    if (word == OUTCOME_FAIL)
        key_failures(groups, &bad, shape);
    for (size_t i = 0; i < bad.count; i++) {
        const struct outcome *outcome = bad.items[i].outcome;
        const char *key = bad.items[i].key;
        struct group *group;

        if (key == NULL && follows_from(groups->view, outcome) != NULL)
            key = arena_printf(groups->arena, "follows\x1f%u", follows_from(groups->view, outcome)->slot);
        if (key == NULL)
            key = arena_printf(groups->arena, "%s\x1f%s", reason_encode(groups->arena, outcome->cause),
                               reason_encode(groups->arena, outcome->remedy));
        if (outcome->waiver != NULL)
            key = arena_printf(groups->arena, "%s\x1fwaived %s", key, outcome->waiver->uuid);
        group = group_find(groups, first, key);
        if (group == NULL)
            group = group_add(groups, word, extent_of(&groups->extents, outcome), key);
        *list_push(groups->arena, &group->items) = outcome;
    }
    for (size_t i = first; i < groups->list.count; i++)
        groups->list.items[i]->whole = groups->list.items[i]->items.count == step->coverage.gates;
}

/* -- Texts ------------------------------------------------------------------------------------------------
 */

struct words {
    LIST_OF(const char *) items;
};

static void words_add(struct arena *arena, struct words *words, const char *word)
{
    if (*word == '\0')
        return;
    for (size_t i = 0; i < words->items.count; i++)
        if (strcmp(words->items.items[i], word) == 0)
            return;
    *list_push(arena, &words->items) = word;
}

/* "a, b, c (and 4 more)" */
static const struct reason *words_join(struct arena *arena, const struct words *words, size_t shown)
{
    size_t count = words->items.count;
    const char *text = "";

    for (size_t i = 0; i < count && i < shown; i++)
        text = arena_printf(arena, "%s%s%s", text, i > 0 ? ", " : "", words->items.items[i]);
    return count > shown ? reason(arena, and_more, text, count - shown) : reason_text(arena, text);
}

struct said_of {
    LIST_OF(const struct reason *) items; /* each once, and none that says nothing */
};

static void said_add(struct arena *arena, struct said_of *said, const struct reason *reason)
{
    if (reason == NULL)
        return;
    for (size_t i = 0; i < said->items.count; i++)
        if (reason_equal(said->items.items[i], reason))
            return;
    *list_push(arena, &said->items) = reason;
}

/* "a; b; c (and 4 more)" */
static const struct reason *said_join(struct arena *arena, const struct said_of *said, size_t shown)
{
    size_t count = said->items.count;
    const struct reason *all = NULL;

    for (size_t i = 0; i < count && i < shown; i++)
        all = reason_also(arena, all, said->items.items[i]);
    return count > shown ? reason(arena, and_more, all, count - shown) : all;
}

typedef const struct reason *field_cb(struct arena *arena, const struct outcome *outcome);

static const struct reason *join_field(const struct groups *groups, const struct group *group,
                                       field_cb *field, size_t shown)
{
    struct said_of said = {0};

    for (size_t i = 0; i < group->items.count; i++)
        said_add(groups->arena, &said, field(groups->arena, group->items.items[i]));
    return said_join(groups->arena, &said, shown);
}

static const struct reason *field_remedy(struct arena *arena, const struct outcome *outcome)
{
    (void)arena;
    return outcome->remedy;
}

static const struct reason *field_gate(struct arena *arena, const struct outcome *outcome)
{
    (void)arena;
    return outcome->held->gate;
}

static const struct reason *field_waiver(struct arena *arena, const struct outcome *outcome)
{
    const struct waiver *waiver = outcome->waiver;

    if (waiver == NULL)
        return NULL;
    return reason(arena, waived_by, waiver->who, time_text(arena, waiver->until), waiver->why, waiver->uuid);
}

static const struct reason *field_source(struct arena *arena, const struct outcome *outcome)
{
    return limit_origin(arena, outcome->held->status, outcome->held->source);
}

static const struct reason *subjects_text(const struct groups *groups, const struct group *group)
{
    struct words words = {0};

    if (group->whole && group->word != OUTCOME_FAIL)
        return NULL;
    for (size_t i = 0; i < group->items.count; i++)
        words_add(groups->arena, &words, slot_of(groups, group->items.items[i])->subject);
    return words_join(groups->arena, &words, SUBJECTS_SHOWN);
}

/* Whether it is the first time that this joining meets the host. */
static bool is_new(const struct groups *groups, const struct host *host)
{
    struct joining *joining = groups->joining;
    size_t place = view_host(groups->view, host);
    bool is_new = place == (size_t)-1 || joining->taken[place] != joining->count;

    if (place != (size_t)-1)
        joining->taken[place] = joining->count;
    return is_new;
}

/* All hosts of the group's steps, each once. */
static struct step joined_members(const struct groups *groups, const struct group *group)
{
    LIST_OF(const struct host *) hosts = {0};
    size_t last = (size_t)-1;

    groups->joining->count++;
    for (size_t i = 0; i < group->items.count; i++) {
        const struct step *step = groups->view->steps[group->items.items[i]->step].step;

        if (group->items.items[i]->step == last)
            continue;
        last = group->items.items[i]->step;
        for (size_t k = 0; k < step->member_count; k++)
            if (is_new(groups, step->members[k]))
                *list_push(groups->arena, &hosts) = step->members[k];
    }
    return (struct step){.members = hosts.items, .member_count = hosts.count};
}

/* "not asked for: 46 steps on 2 hosts, left out by --steps" */
static const struct reason *not_asked_cause(const struct groups *groups, const struct group *group)
{
    struct words steps = {0};

    for (size_t i = 0; i < group->items.count; i++)
        words_add(groups->arena, &steps,
                  groups->view->steps[group->items.items[i]->step].step->shape->suite_step);
    return reason(groups->arena, steps_not_asked, steps.items.count,
                  joined_members(groups, group).member_count);
}

static const char *checks_text(const struct groups *groups, const struct group *group)
{
    struct words words = {0};

    for (size_t i = 0; i < group->items.count; i++)
        words_add(groups->arena, &words,
                  groups->view->steps[group->items.items[i]->step].step->shape->suite_step);
    return reason_english(groups->arena, words_join(groups->arena, &words, words.items.count));
}

/* All hosts of the group's steps as one target; of one step its own. */
static const struct reason *target_text(const struct groups *groups, const struct group *group)
{
    const struct step joined = joined_members(groups, group);

    return step_target_said(groups->arena, &joined);
}

/* -- Folding over steps and hosts --------------------------------------------------------------------------
 */

static int compare_keys(const void *left, const void *right)
{
    const struct group *const *a = left, *const *b = right;
    int order = strcmp((*a)->key, (*b)->key);

    if (order != 0)
        return order;
    return (*a)->order < (*b)->order ? -1 : (*a)->order > (*b)->order;
}

static int compare_order(const void *left, const void *right)
{
    const struct group *const *a = left, *const *b = right;

    if ((*a)->word != (*b)->word)
        return (*a)->word > (*b)->word ? -1 : 1;
    return (*a)->order < (*b)->order ? -1 : (*a)->order > (*b)->order;
}

static void group_take(struct groups *groups, struct group *into, struct group *from)
{
    for (size_t i = 0; i < from->items.count; i++)
        *list_push(groups->arena, &into->items) = from->items.items[i];
    into->whole = into->whole && from->whole;
}

/* Groups of equal keys become one where there are more than `apart` of them. */
static void fold(struct groups *groups, size_t (*apart)(const struct group *group))
{
    struct group **list = groups->list.items;
    size_t count = groups->list.count, kept = 0, end;

    if (count == 0)
        return;
    qsort(list, count, sizeof *list, compare_keys);
    for (size_t i = 0; i < count; i = end) {
        for (end = i + 1; end < count && strcmp(list[end]->key, list[i]->key) == 0; end++)
            ;
        if (end - i <= apart(list[i])) {
            for (size_t k = i; k < end; k++)
                list[kept++] = list[k];
            continue;
        }
        for (size_t k = i + 1; k < end; k++)
            group_take(groups, list[i], list[k]);
        list[kept++] = list[i];
    }
    groups->list.count = kept;
    qsort(list, kept, sizeof *list, compare_order);
}

static size_t apart_never(const struct group *group)
{
    (void)group;
    return 1;
}

static size_t apart_hosts(const struct group *group)
{
    return group->word == OUTCOME_FAIL && group->extent != EXTENT_RUN ? FAILURES_PER_HOST : 1;
}

/* What was left out on purpose: a group has one cause. */
static bool is_not_asked(const struct group *group)
{
    return group->word == OUTCOME_NOT_RUN && reason_is(group->items.items[0]->cause, left_out_by_steps);
}

/* One target that was not run for one cause: over its steps. What was not asked for is one. All others keep keys that nobody shares. */
static void key_by_target(struct groups *groups)
{
    for (size_t i = 0; i < groups->list.count; i++) {
        struct group *group = groups->list.items[i];

        if (is_not_asked(group))
            group->key = "\x1fnot asked";
        else if (group->word == OUTCOME_NOT_RUN)
            group->key = arena_printf(groups->arena, "%s\x1f%s",
                                      reason_encode(groups->arena, target_text(groups, group)), group->key);
        else
            group->key = arena_printf(groups->arena, "\x1f%zu", group->order);
    }
}

/* The text with a mark in the place of each of these words. */
static const char *without(struct arena *arena, const char *text, const char *word, const char *mark)
{
    const char *out = "", *at;

    if (*word == '\0')
        return text;
    while ((at = strstr(text, word)) != NULL) {
        out = arena_printf(arena, "%s%.*s%s", out, (int)(at - text), text, mark);
        text = at + strlen(word);
    }
    return arena_printf(arena, "%s%s", out, text);
}

struct blanked {
    struct arena *arena;
    const char *measured, *host; /* "": there is none */
    const char *address;         /* of a host that refused us; "" else */
};

/* Each number of the text alike: ports, and how long was waited. */
static const char *without_numbers(struct arena *arena, const char *text)
{
    char *out = arena_strdup(arena, text);
    size_t length = 0;

    for (const char *at = out; *at != '\0'; length++) {
        out[length] = *at >= '0' && *at <= '9' ? '#' : *at;
        for (at++; out[length] == '#' && *at >= '0' && *at <= '9'; at++)
            ;
    }
    out[length] = '\0';
    return out;
}

static const char *blank_out(void *context, const char *text)
{
    const struct blanked *blanked = context;

    text = without(blanked->arena, text, blanked->measured, "#");
    if (*blanked->address == '\0')
        return without(blanked->arena, text, blanked->host, "HOST");
    text = without(blanked->arena, text, blanked->address, "HOST");
    return without_numbers(blanked->arena, without(blanked->arena, text, blanked->host, "HOST"));
}

/* What is wrong, as it would be of any host: without its name, and without the number that each has of its own. */
static const struct reason *common_causes(const struct groups *groups, const struct group *group)
{
    struct said_of said = {0};

    for (size_t i = 0; i < group->items.count; i++) {
        const struct outcome *outcome = group->items.items[i];
        const struct step_view *view = &groups->view->steps[outcome->step];
        const struct host *host = view->step->member_count == 1 ? view->step->members[0] : NULL;
        struct blanked blanked = {
            groups->arena, isnan(outcome->value) ? "" : reason_english(groups->arena, outcome->measured),
            host != NULL ? host->name : "", host != NULL && view_refusal(view) != NULL ? host->address : ""};

        said_add(groups->arena, &said, reason_map(groups->arena, outcome->cause, blank_out, &blanked));
    }
    return said_join(groups->arena, &said, group->items.count);
}

/* Of slow pairs those of one host are one entry, and those of another are another. */
static const char *shared_name(const struct group *group)
{
    const char *named = blame_by_pairs(group->items.items[0]->cause);

    return named != NULL ? named : "";
}

static void key_by_content(struct groups *groups)
{
    for (size_t i = 0; i < groups->list.count; i++) {
        struct group *group = groups->list.items[i];
        bool all = group->extent == EXTENT_RUN;
        const char *metric = slot_of(groups, group->items.items[0])->metric;
        const struct reason *parts[] = {
            all ? reason_text(groups->arena, metric) : subjects_text(groups, group),
            all ? NULL : common_causes(groups, group),
            all ? NULL : join_field(groups, group, field_remedy, group->items.count),
            join_field(groups, group, field_gate, group->items.count),
            join_field(groups, group, field_source, group->items.count),
            join_field(groups, group, field_waiver, group->items.count)};

        group->key = arena_printf(groups->arena, "%d\x1f%d\x1f%s\x1f%s", (int)group->word, (int)group->extent,
                                  checks_text(groups, group), shared_name(group));
        for (size_t k = 0; k < ARRAY_SIZE(parts); k++)
            group->key =
                arena_printf(groups->arena, "%s\x1f%s", group->key, reason_encode(groups->arena, parts[k]));
    }
}

/* -- Whom isolation names ---------------------------------------------------------------------------------- */

static const struct reason *accusation_remedy(const struct accusation *accusation)
{
    switch (accusation->kind) {
    case ACCUSED_LEAF:
        return REASON(check_the_leaf);
    case ACCUSED_LINK:
        return REASON(check_the_path);
    case ACCUSED_HOST:
    default:
        return accusation->place == PLACE_INSIDE ? REASON(fix_inside_the_host)
                                                 : REASON(fix_the_hosts_adapters);
    }
}

static struct report_entry entry_of_accusation(const struct groups *groups,
                                               const struct accusation *accusation)
{
    return (struct report_entry){.word = OUTCOME_FAIL,
                                 .step = accusation->step,
                                 .target = accused_text(groups->arena, accusation),
                                 .check = "isolation",
                                 .cause = accusation_text(groups->arena, groups->view->record, accusation),
                                 .remedy = accusation_remedy(accusation),
                                 .accusation = accusation};
}

/* Whether the search behind the step ended without anybody, by what was found before among the same hosts. */
static bool is_explained(const struct groups *groups, size_t step)
{
    const struct judgement *judgement = &groups->view->record->judgement;
    bool searched = false;

    for (size_t i = 0; i < judgement->search_count; i++)
        searched |= judgement->searches[i].step == step && judgement->searches[i].candidates == NULL;
    for (size_t i = 0; i < judgement->accusation_count; i++)
        searched &= judgement->accusations[i].step != step;
    return searched;
}

/* "node5 makes it slow": for a test across hosts that failed, or broke off, by whom isolation names. */
static const struct reason *pointer_text(const struct groups *groups, const struct group *group)
{
    const struct judgement *judgement = &groups->view->record->judgement;
    size_t index = group->items.items[0]->step;
    const struct step *step = groups->view->steps[index].step;
    bool explained = is_explained(groups, index);
    struct said_of names = {0};
    const struct reason *all = NULL;

    for (size_t i = 0; group->word != OUTCOME_NOT_RUN && i < judgement->accusation_count; i++) {
        const struct accusation *accusation = &judgement->accusations[i];

        if (accusation->step == index ||
            (explained && steps_have_same_hosts(step, groups->view->steps[accusation->step].step)))
            said_add(groups->arena, &names, accused_text(groups->arena, accusation));
    }
    for (size_t i = 0; i < names.items.count && i < SUBJECTS_SHOWN; i++)
        all = all == NULL ? names.items.items[i] : reason(groups->arena, clause, all, names.items.items[i]);
    if (names.items.count > SUBJECTS_SHOWN)
        all = reason(groups->arena, and_more, all, names.items.count - SUBJECTS_SHOWN);
    return all == NULL ? NULL : reason(groups->arena, slow_by, all);
}

/* "6 more items are not known because of launch.login"; NULL: they are a point of their own. */
static const struct reason *follows_text(const struct groups *groups, const struct group *group)
{
    const struct outcome *fail = follows_from(groups->view, group->items.items[0]);

    return fail != NULL ? reason(groups->arena, not_known_since_failed, group->items.count,
                                 slot_of(groups, fail)->metric)
                        : NULL;
}

/* Each cause once; of several hosts alone, whose names the target has, without their names before it. */
static const struct reason *own_causes(const struct groups *groups, const struct group *group)
{
    bool several = group->items.items[0]->step != group->items.items[group->items.count - 1]->step;
    struct said_of said = {0};

    for (size_t i = 0; i < group->items.count; i++) {
        const struct outcome *outcome = group->items.items[i];
        const struct step *step = groups->view->steps[outcome->step].step;
        const struct reason *cause = outcome->cause;
        const char *named = reason_is(cause, about) ? reason_argument_text(cause, 1) : NULL;

        if (several && step->member_count == 1 && named != NULL && strcmp(named, step->members[0]->name) == 0)
            cause = reason_argument(groups->arena, cause, 2);
        said_add(groups->arena, &said, cause);
    }
    return said_join(groups->arena, &said, TEXTS_SHOWN);
}

static const struct reason *cause_of(const struct groups *groups, const struct group *group)
{
    const struct reason *pointer = pointer_text(groups, group);

    if (follows_text(groups, group) != NULL)
        return follows_text(groups, group);

    if (is_not_asked(group))
        return not_asked_cause(groups, group);
    if (group->extent != EXTENT_PARTS)
        return extent_cause(groups->view, group->extent, group->items.items, group->items.count);
    return reason_also(groups->arena, own_causes(groups, group), pointer);
}

static const struct reason *remedy_of(const struct groups *groups, const struct group *group)
{
    const struct reason *remedy = join_field(groups, group, field_remedy, TEXTS_SHOWN);

    if (follows_text(groups, group) != NULL)
        return NULL;
    if (is_not_asked(group))
        return groups->view->record->standing.kind == RUN_PART
                   ? reason(groups->arena, add_part_to_acceptance, groups->view->record->number)
                   : NULL;
    return group->extent != EXTENT_PARTS
               ? extent_remedy(groups->arena, group->extent, group->items.items[0], remedy)
               : remedy;
}

static struct report_entry entry_of(const struct groups *groups, const struct group *group)
{
    return (struct report_entry){
        .word = group->word,
        .extent = group->extent,
        .not_asked = is_not_asked(group),
        .step = group->items.items[0]->step,
        .target = target_text(groups, group),
        .check = checks_text(groups, group),
        .subjects = subjects_text(groups, group),
        .cause = cause_of(groups, group),
        .remedy = remedy_of(groups, group),
        .gate = join_field(groups, group, field_gate, TEXTS_SHOWN),
        .source = join_field(groups, group, field_source, TEXTS_SHOWN),
        .waiver = join_field(groups, group, field_waiver, group->items.count),
        .items = group->items.count,
        .outcomes = group->items.items,
    };
}

size_t entries_of_view(const struct view *view, struct report_entry **ret_entries)
{
    struct arena *arena = view->arena;
    struct joining joining = {.taken = arena_array(arena, size_t, view->record->plan->hosts.count + 1)};
    struct groups groups = {.arena = arena, .view = view, .joining = &joining};
    const struct judgement *judgement = &view->record->judgement;
    size_t named = judgement->accusation_count;

    report_extents_of(groups.view, &groups.extents);
    for (enum outcome_word word = OUTCOME_FAIL; word >= OUTCOME_NOT_RUN; word--)
        for (size_t i = 0; i < groups.view->step_count; i++)
            if (groups.view->steps[i].coverage.gates > groups.view->steps[i].coverage.pass)
                group_step(&groups, i, word);
    key_by_target(&groups);
    fold(&groups, apart_never);
    key_by_content(&groups);
    fold(&groups, apart_hosts);
    *ret_entries = arena_array(arena, struct report_entry, named + groups.list.count);
    for (size_t i = 0; i < named; i++)
        (*ret_entries)[i] = entry_of_accusation(&groups, &judgement->accusations[i]);
    for (size_t i = 0; i < groups.list.count; i++)
        (*ret_entries)[named + i] = entry_of(&groups, groups.list.items[i]);
    return named + groups.list.count;
}

size_t report_entries(struct arena *arena, const struct record *record, struct report_entry **ret_entries)
{
    return entries_of_view(view_create(arena, record), ret_entries);
}
