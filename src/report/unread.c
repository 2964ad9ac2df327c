/* SPDX-License-Identifier: Apache-2.0 */
#include "unread.h"

#include <string.h>

#include "assay/model/hostfile.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"
#include "assay/reasons/report.h"

/* What has one name; the hosts in the order of the plan. */
struct unread {
    const struct reason *name;
    LIST_OF(const char *) hosts;
};
struct unread_list {
    LIST_OF(struct unread) items;
};

const struct reason *unread_cause(const struct outcome *outcome)
{
    bool settled = outcome->word == OUTCOME_PASS || outcome->word == OUTCOME_RECORDED;

    return settled && reason_is(outcome->cause, read_on_no_host) ? outcome->cause : NULL;
}

static struct unread *unread_of(struct arena *arena, struct unread_list *list, const struct reason *name)
{
    for (size_t i = 0; i < list->items.count; i++)
        if (reason_equal(list->items.items[i].name, name))
            return &list->items.items[i];
    *list_push(arena, &list->items) = (struct unread){.name = name};
    return &list->items.items[list->items.count - 1];
}

/* Items of a host come together; another step, or another run, may have it once more. */
static void add_host(struct arena *arena, struct unread *unread, const char *host)
{
    for (size_t i = unread->hosts.count; i > 0; i--)
        if (strcmp(unread->hosts.items[i - 1], host) == 0)
            return;
    *list_push(arena, &unread->hosts) = host;
}

static void add_run(struct arena *arena, const struct record *record, struct unread_list *list)
{
    array_each (outcome, record->judgement.outcomes, record->judgement.outcome_count) {
        const struct reason *cause = unread_cause(outcome);
        const struct step *step = &record->plan->steps.items[outcome->step];

        for (size_t k = 0; cause != NULL && k < step->member_count; k++)
            add_host(arena, unread_of(arena, list, reason_argument(arena, cause, 1)), step->members[k]->name);
    }
}

const struct reason *unread_names(struct arena *arena, const struct record *const *records, size_t count)
{
    struct unread_list list = {0};
    const struct reason *names = NULL;

    for (size_t i = 0; i < count; i++)
        add_run(arena, records[i], &list);
    list_each (unread, list.items) {
        const struct reason *one = reason(arena, unread_on_hosts, unread->name,
                                          hostlist_fold(arena, unread->hosts.items, unread->hosts.count));

        names = names == NULL ? one : reason(arena, clause, names, one);
    }
    return names;
}
