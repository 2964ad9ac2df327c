/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/blame.h"

#include <string.h>

#include "assay/model/hostfile.h"
#include "assay/reasons/any.h"

/* A host without a part is there already by any of its own. */
static void add(struct arena *arena, struct blamed_list *list, const struct host *host, const char *part,
                bool perhaps)
{
    for (size_t i = 0; i < list->items.count; i++)
        if (list->items.items[i].host == host &&
            (*part == '\0' || strcmp(list->items.items[i].part, part) == 0))
            return;
    *list_push(arena, &list->items) = (struct blamed){host, part, perhaps};
}

/* "node3", and what is on it: "node3 mlx5_0" */
static void add_if_member(struct arena *arena, const struct step *step, const char *subject,
                          struct blamed_list *list)
{
    const size_t length = strcspn(subject, " ");

    for (size_t i = 0; i < step->member_count; i++)
        if (strncmp(step->members[i]->name, subject, length) == 0 && step->members[i]->name[length] == '\0') {
            add(arena, list, step->members[i],
                subject[length] == '\0' ? "" : arena_strdup(arena, subject + length + 1), false);
            return;
        }
}

/* "node[3,5-7]": those of them that are members. perhaps: it is not known of them. */
static void add_listed(struct arena *arena, const struct step *step, const char *names, bool perhaps,
                       struct blamed_list *list)
{
    struct hostlist hosts = {0};
    struct error err = {0};

    if (hostlist_expand(arena, names, &hosts, &err) < 0)
        return;
    for (size_t i = 0; i < hosts.names.count; i++)
        for (size_t k = 0; k < step->member_count; k++)
            if (strcmp(step->members[k]->name, hosts.names.items[i]) == 0)
                add(arena, list, step->members[k], "", perhaps);
}

/* What is said about somebody names him first. A sentence that quotes what a tool printed names nobody, whatever stands in it. */
static void add_said(struct arena *arena, const struct step *step, const struct reason *reason,
                     struct blamed_list *list)
{
    if (reason_is(reason, about) && reason->arguments[0].text != NULL)
        add_if_member(arena, step, reason->arguments[0].text, list);
    if (reason_is(reason, more_left_out_of) && reason->arguments[0].text != NULL)
        add_listed(arena, step, reason->arguments[0].text, false, list);
    for (size_t i = 0; reason != NULL && i < reason->count; i++)
        add_said(arena, step, reason->arguments[i].reason, list);
}

/* Behind all who are named. */
static void add_unread(struct arena *arena, const struct step *step, const struct reason *reason,
                       struct blamed_list *list)
{
    if (reason_is(reason, not_known_of) && reason->arguments[0].text != NULL)
        add_listed(arena, step, reason->arguments[0].text, true, list);
    for (size_t i = 0; reason != NULL && i < reason->count; i++)
        add_unread(arena, step, reason->arguments[i].reason, list);
}

static void add_others(struct arena *arena, const struct step *step, struct blamed_list *list)
{
    const size_t named = list->items.count;

    for (size_t i = 0; i < step->member_count; i++) {
        size_t k = 0;

        while (k < named && list->items.items[k].host != step->members[i])
            k++;
        if (k == named)
            *list_push(arena, &list->items) = (struct blamed){step->members[i], "", true};
    }
}

static bool is_said_of_hosts(const struct slot *slot, const struct outcome *outcome)
{
    return outcome->word == OUTCOME_FAIL &&
           (strncmp(slot->metric, "window.", strlen("window.")) == 0 || strcmp(slot->metric, "sound") == 0);
}

void blame_find(struct arena *arena, const struct step *step, const struct outcome *outcome,
                struct blamed_list *list)
{
    const struct slot *slot = &step->shape->slots[outcome->slot];

    if (step->member_count < 2)
        return;
    add_if_member(arena, step, slot->subject, list);
    if (!is_said_of_hosts(slot, outcome))
        return;
    add_said(arena, step, outcome->cause, list);
    add_unread(arena, step, outcome->cause, list);
    if (reason_has(outcome->cause, more_left_out))
        add_others(arena, step, list);
}
