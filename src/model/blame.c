/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/blame.h"

#include <stdlib.h>
#include <string.h>

#include "assay/model/hostfile.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"

/* What the functions below share about one outcome. */
struct naming {
    struct arena *arena;
    const struct step *step;
    struct blamed_list *list;
    size_t *sorted;  /* members by name; NULL: nobody asked yet */
    bool *listed;    /* by member: whether the list has it */
    bool unreadable; /* somebody is named whom nobody can tell */
};

/* A host without a part is there already by any of its own. */
static void add(struct naming *naming, const struct host *host, const char *part)
{
    const struct blamed_list *list = naming->list;

    for (size_t i = 0; i < list->items.count; i++)
        if (list->items.items[i].host == host &&
            (*part == '\0' || strcmp(list->items.items[i].part, part) == 0))
            return;
    *list_push(naming->arena, &naming->list->items) = (struct blamed){host, part, false};
}

static bool is_called(const struct step *step, size_t member, const char *name, size_t length)
{
    return strncmp(step->members[member]->name, name, length) == 0 &&
           step->members[member]->name[length] == '\0';
}

/* Looks around `near` first: items of members come in the members' order. Their number: there is none of that name. */
static size_t find_member(const struct step *step, const char *name, size_t length, size_t near)
{
    size_t count = step->member_count;

    for (size_t apart = 0; length > 0 && (apart <= near || near + apart < count); apart++) {
        if (near + apart < count && is_called(step, near + apart, name, length))
            return near + apart;
        if (apart <= near && is_called(step, near - apart, name, length))
            return near - apart;
    }
    return count;
}

/* "node3", and what is on it: "node3 mlx5_0" */
static void add_if_member(struct naming *naming, const char *subject, size_t near)
{
    const struct step *step = naming->step;
    const size_t length = strcspn(subject, " "), member = find_member(step, subject, length, near);

    if (member < step->member_count)
        add(naming, step->members[member],
            subject[length] == '\0' ? "" : arena_strdup(naming->arena, subject + length + 1));
}

/* -- Many at once ---------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b, void *context)
{
    const struct step *step = context;

    return strcmp(step->members[*(const size_t *)a]->name, step->members[*(const size_t *)b]->name);
}

/* Its place among the sorted; NULL: no member is called so. */
static const size_t *find_sorted(const struct naming *naming, const char *name)
{
    size_t low = 0, high = naming->step->member_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(naming->step->members[naming->sorted[middle]]->name, name);

        if (order == 0)
            return &naming->sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static void sort_members(struct naming *naming)
{
    size_t count = naming->step->member_count;

    if (naming->sorted == NULL) {
        naming->sorted = mem_alloc(count * sizeof *naming->sorted);
        naming->listed = mem_alloc(count * sizeof *naming->listed);
        for (size_t i = 0; i < count; i++)
            naming->sorted[i] = i;
        qsort_r(naming->sorted, count, sizeof *naming->sorted, by_name, (void *)naming->step);
    }
    memset(naming->listed, 0, count * sizeof *naming->listed);
    for (size_t i = 0; i < naming->list->items.count; i++)
        naming->listed[*find_sorted(naming, naming->list->items.items[i].host->name)] = true;
}

static void add_unlisted(struct naming *naming, size_t member, bool perhaps)
{
    if (!naming->listed[member])
        *list_push(naming->arena, &naming->list->items) =
            (struct blamed){naming->step->members[member], "", perhaps};
    naming->listed[member] = true;
}

static void add_others(struct naming *naming)
{
    sort_members(naming);
    for (size_t i = 0; i < naming->step->member_count; i++)
        add_unlisted(naming, i, true);
}

/* "node[3,5-7]": those of them that are members. perhaps: it is not known of them. */
static void add_listed(struct naming *naming, const char *names, bool perhaps)
{
    struct hostlist hosts = {0};
    struct error err = {0};

    /* Whom a text is about that cannot be read may be anybody. */
    if (hostlist_expand(naming->arena, names, &hosts, &err) < 0) {
        naming->unreadable = true;
        return;
    }
    sort_members(naming);
    for (size_t i = 0; i < hosts.names.count; i++) {
        const size_t *member = find_sorted(naming, hosts.names.items[i]);

        if (member != NULL)
            add_unlisted(naming, *member, perhaps);
    }
}

/* -- What is said ---------------------------------------------------------------------------------------------- */

/* What is said about somebody names him first. A sentence that quotes what a tool printed names nobody, whatever stands in it. */
static void add_said(struct naming *naming, const struct reason *reason)
{
    if (reason_is(reason, about) && reason->arguments[0].text != NULL)
        add_if_member(naming, reason->arguments[0].text, 0);
    if (reason_is(reason, more_left_out_of) && reason->arguments[0].text != NULL)
        add_listed(naming, reason->arguments[0].text, false);
    for (size_t i = 0; reason != NULL && i < reason->count; i++)
        add_said(naming, reason->arguments[i].reason);
}

/* Behind all who are named. */
static void add_unread(struct naming *naming, const struct reason *reason)
{
    if (reason_is(reason, not_known_of) && reason->arguments[0].text != NULL)
        add_listed(naming, reason->arguments[0].text, true);
    for (size_t i = 0; reason != NULL && i < reason->count; i++)
        add_unread(naming, reason->arguments[i].reason);
}

static bool is_said_of_hosts(const struct slot *slot, const struct outcome *outcome)
{
    return outcome->word == OUTCOME_FAIL &&
           (strncmp(slot->metric, "window.", strlen("window.")) == 0 || strcmp(slot->metric, "sound") == 0);
}

static void add_all_said(struct naming *naming, const struct reason *cause)
{
    add_said(naming, cause);
    add_unread(naming, cause);
    if (naming->unreadable || reason_has(cause, more_left_out))
        add_others(naming);
}

/* Whom what it reached puts far below its peers: "node6", or of a pair "node7's mlx5_3". Two of them together are nobody. */
static void add_below_peers(struct naming *naming, const struct reason *reason)
{
    static const char of[] = "'s ";
    const struct reason *below = reason_is(reason, fail_from) ? reason->arguments[0].reason : NULL;

    if (reason_is(below, below_peers) && below->arguments[0].text != NULL) {
        const char *who = below->arguments[0].text, *part = strstr(who, of);

        add_if_member(naming,
                      part == NULL
                          ? who
                          : arena_printf(naming->arena, "%.*s %s", (int)(part - who), who, part + strlen(of)),
                      0);
    }
    for (size_t i = 0; reason != NULL && i < reason->count; i++)
        add_below_peers(naming, reason->arguments[i].reason);
}

void blame_find(struct arena *arena, const struct step *step, const struct outcome *outcome,
                struct blamed_list *list)
{
    const struct shape *shape = step->shape;
    const struct slot *slot = &shape->slots[outcome->slot];
    struct naming naming = {.arena = arena, .step = step, .list = list};

    if (step->member_count < 2)
        return;
    add_if_member(&naming, slot->subject, outcome->slot * step->member_count / shape->slot_count);
    if (is_said_of_hosts(slot, outcome))
        add_all_said(&naming, outcome->cause);
    if (outcome->word == OUTCOME_FAIL && blame_by_pairs(outcome->cause) != NULL)
        add_if_member(&naming, blame_by_pairs(outcome->cause), 0);
    else if (outcome->word == OUTCOME_FAIL)
        add_below_peers(&naming, outcome->cause);
    free(naming.sorted);
    free(naming.listed);
}

bool blame_is_speed(const char *metric)
{
    static const char *const words[] = {"busbw", "bandwidth", "asymptotic", "latency"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strstr(metric, words[i]) != NULL)
            return true;
    return false;
}

const char *blame_by_pairs(const struct reason *cause)
{
    return reason_is(cause, slow_in_all_pairs) || reason_is(cause, slow_by_member)
               ? reason_argument_text(cause, 2)
               : NULL;
}

size_t blame_count(const struct blamed_list *list)
{
    size_t count = 0;

    for (size_t i = 0; i < list->items.count; i++)
        count += !list->items.items[i].perhaps;
    return count;
}
