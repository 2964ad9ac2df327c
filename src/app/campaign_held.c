/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that an acceptance waits for, or tells of, though nobody added them. */
#include "assay/app/campaign.h"

static void hold(struct arena *arena, long long number, const char *name, struct held_runs *held)
{
    *list_push(arena, &held->items) = (struct held_run){number, arena_strdup(arena, name)};
}

static void hold_all(struct arena *arena, const struct campaign *campaign, struct held_runs *held)
{
    const char *name = campaign->kept->name;

    list_each (record, campaign->left_out)
        hold(arena, (*record)->number, name, held);
    list_each (record, campaign->earlier)
        hold(arena, (*record)->number, name, held);
    list_each (other, campaign->running)
        hold(arena, other->number, name, held);
}

int campaign_held(struct arena *arena, struct store *store, struct held_runs *ret_held, struct error *err)
{
    struct acceptance_names names = {0};

    *ret_held = (struct held_runs){0};
    if (store_list_acceptances(store, arena, &names, err) < 0)
        return -1;
    list_each (name, names.items) {
        cleanup_arena struct arena *scratch = arena_create();
        struct campaign campaign;
        struct error unread = {0};

        if (campaign_load(scratch, store, *name, &campaign, &unread) == 0)
            hold_all(arena, &campaign, ret_held);
        else if (ret_held->unread == NULL)
            ret_held->unread = *name;
    }
    return 0;
}

const char *campaign_holding(const struct held_runs *held, long long number)
{
    list_each (run, held->items)
        if (run->number == number)
            return run->acceptance;
    return NULL;
}
