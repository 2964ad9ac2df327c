/* SPDX-License-Identifier: Apache-2.0 */
#include "acceptance_next.h"

#include <stdio.h>
#include <string.h>

#include "assay/model/blame.h"
#include "cli.h"

enum { EVENTS_MOST = 4 };

/* What has to be mended: a host, and the part of it that failed; "" where no part is named. */
struct mending {
    const char *host, *item;
};
struct mendings {
    LIST_OF(struct mending) items;
};

static const char *database_words(const struct acceptance_hint *hint)
{
    return cli_database_words(hint->acceptance->arena, hint->db);
}

/* Only GPUs and HCAs are items of an event. */
static const char *first_item(struct arena *arena, const char *subject)
{
    size_t letters = strcspn(subject, "0123456789"), length = letters;

    if (strncmp(subject, "gpu", 3) != 0 && strncmp(subject, "mlx", 3) != 0)
        return "";
    if (subject[0] == 'm') /* mlx5_0 */
        length = strcspn(subject, "_") + (strchr(subject, '_') != NULL);
    length += strspn(subject + length, "0123456789");
    return arena_strndup(arena, subject, length);
}

/* "gpu2" of "gpu2->gpu5" and of "gpu5->gpu2": the event of either part is of both directions. */
static const char *item_of(struct arena *arena, const char *subject)
{
    const char *arrow = strstr(subject, "->"), *one = first_item(arena, subject);
    const char *other = arrow != NULL ? first_item(arena, arrow + 2) : "";

    return *other != '\0' && strcmp(other, one) < 0 ? other : one;
}

/* Of a test across hosts only isolation, its pairs, or an item that is called by a host, says whose it is. */
static const char *host_of(struct arena *arena, const struct step *step, const struct standing_fail *fail,
                           const char *subject)
{
    struct blamed_list blamed = {0};

    if (fail->accusation != NULL)
        return fail->accusation->kind == ACCUSED_HOST ? fail->accusation->subject : NULL;
    if (blame_by_pairs(fail->outcome->cause) != NULL) {
        blame_find(arena, step, fail->outcome, &blamed);
        return blamed.items.count > 0 ? blamed.items.items[0].host->name : NULL;
    }
    for (size_t i = 0; i < step->member_count; i++)
        if (step->member_count == 1 || strcmp(step->members[i]->name, subject) == 0)
            return step->members[i]->name;
    return NULL;
}

static void add_mending(struct arena *arena, struct mendings *mendings, const char *host, const char *item)
{
    for (size_t i = 0; i < mendings->items.count; i++)
        if (strcmp(mendings->items.items[i].host, host) == 0 &&
            strcmp(mendings->items.items[i].item, item) == 0)
            return;
    *list_push(arena, &mendings->items) = (struct mending){host, item};
}

static void find_mendings(const struct acceptance *acceptance, const struct requirement *requirement,
                          struct mendings *mendings)
{
    for (size_t i = 0; i < requirement->standing.count; i++) {
        const struct standing_fail *fail = &requirement->standing.items[i];
        const struct plan *plan = acceptance->runs.items[fail->run]->plan;
        const struct step *step =
            &plan->steps.items[fail->outcome != NULL ? fail->outcome->step : fail->accusation->step];
        const char *subject = fail->outcome != NULL ? step->shape->slots[fail->outcome->slot].subject : "";
        const char *host = host_of(acceptance->arena, step, fail, subject);

        if (fail->waiver == NULL && host != NULL)
            add_mending(acceptance->arena, mendings, host,
                        step->member_count == 1 ? item_of(acceptance->arena, subject) : "");
    }
}

static void print_mendings(const struct acceptance_hint *hint)
{
    const struct acceptance *acceptance = hint->acceptance;
    struct mendings mendings = {0};

    for (size_t i = 0; i < acceptance->requirements.count; i++)
        if (acceptance->requirements.items[i].state == REQUIREMENT_FAILED)
            find_mendings(acceptance, &acceptance->requirements.items[i], &mendings);
    for (size_t i = 0; i < mendings.items.count && i < EVENTS_MOST; i++) {
        const struct mending *mending = &mendings.items.items[i];
        bool named = *mending->item != '\0';

        cli_print(
            "next: when %s is fixed: assay acceptance event %s repair %s%s%s --note TEXT%s    # a part was "
            "replaced: swap, not repair\n",
            mending->host, acceptance->name, mending->host, named ? " --item " : "", mending->item,
            database_words(hint));
    }
    if (mendings.items.count > EVENTS_MOST)
        cli_print("next: and so for %zu more hosts or parts; one event can name several: node[1-4]\n",
                  mendings.items.count - EVENTS_MOST);
}

void acceptance_next_print(const struct acceptance_hint *hint)
{
    const struct acceptance_verdict *whole = &hint->acceptance->verdicts.items[0];
    const char *name = hint->acceptance->name;

    if (hint->acceptance->left_out.count == 0)
        print_mendings(hint);
    if (hint->commands != NULL)
        cli_print(
            "next: sh %s    # %zu run%s of what is still required and what it cannot be judged without, each "
            "added when it is over\n",
            hint->commands->script, hint->commands->runs, hint->commands->runs == 1 ? "" : "s");
    else if (hint->nothing_to_run)
        cli_print("next: nothing is to be run now\n");
    else if (whole->missing + whole->retest > 0 && hint->acceptance->runs.count > 0)
        cli_print("next: assay acceptance status %s --next todo%s    # writes todo/run, which runs what is "
                  "still required and adds it\n",
                  name, database_words(hint));
    else if (whole->word == VERDICT_ACCEPT || whole->word == VERDICT_ACCEPT_WITH_EXCEPTIONS)
        cli_print("next: assay acceptance report %s -o %s.html%s\n", name, name, database_words(hint));
}
