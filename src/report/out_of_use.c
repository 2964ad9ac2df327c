/* SPDX-License-Identifier: Apache-2.0 */
#include "out_of_use.h"

#include <string.h>

enum { CHECKS_NAMED = 3 };

/* What one host failed: names of steps, each once. */
struct failed {
    const char *checks; /* "gpu-burn, dcgm-diag"; "" where it did not fail */
    unsigned count;
};

static const char *one_line(struct arena *arena, const char *text)
{
    char *line = arena_strdup(arena, text);

    for (char *at = line; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || (unsigned char)*at >= 0x7f)
            *at = '?';
    return line;
}

static void add_check(struct arena *arena, struct failed *failed, const char *check)
{
    const char *checks = arena_add_word_once(arena, failed->checks, check);

    if (checks != failed->checks && failed->count++ < CHECKS_NAMED)
        failed->checks = checks;
}

/* Above host scope a fail accuses nobody: there isolation does. */
static void take_entry(const struct view *view, const struct report_entry *entry, struct failed *failed)
{
    for (size_t i = 0; i < entry->items; i++) {
        const struct step *step = view->steps[entry->outcomes[i]->step].step;

        if (step->member_count == 1)
            add_check(view->arena, &failed[view_host(view, step->members[0])], entry->check);
    }
}

static void take_accusations(const struct view *view, struct failed *failed)
{
    const struct judgement *judgement = &view->record->judgement;

    for (size_t i = 0; i < judgement->accusation_count; i++)
        for (size_t k = 0; k < view->record->plan->hosts.count; k++)
            if (judgement->accusations[i].kind == ACCUSED_HOST &&
                strcmp(judgement->accusations[i].subject, view->record->plan->hosts.items[k]->name) == 0)
                add_check(view->arena, &failed[k], "slow");
}

static const char *quoted(struct arena *arena, const char *word)
{
    cleanup_text struct text out = {0};

    text_init(&out, 64 * 1024);
    text_shell_quote(&out, one_line(arena, word));
    return arena_strdup(arena, out.bytes);
}

static const char *command_of(const struct view *view, const struct host *host, const struct failed *failed)
{
    struct arena *arena = view->arena;

    if (host->scheduler == SCHEDULER_KUBERNETES)
        return arena_printf(arena, "kubectl cordon %s", quoted(arena, host->name));
    return arena_printf(
        arena, "scontrol update nodename=%s state=drain reason=%s", quoted(arena, host->name),
        quoted(arena, arena_printf(arena, "assay run %lld: %s", view->record->number, failed->checks)));
}

/* "gpu3" of "gpu3->gpu5", and not of "gpu31". */
static bool speaks_of(const char *subject, const char *position)
{
    size_t length = strlen(position);

    for (const char *at = subject; length > 0 && (at = strstr(at, position)) != NULL; at += length)
        if ((at == subject || at[-1] == ' ' || at[-1] == '>' || at[-1] == '-') &&
            (at[length] < '0' || at[length] > '9'))
            return true;
    return false;
}

/* The check by which this piece of hardware failed, or NULL. */
static const char *fails_by(const struct view *view, const struct report_entry *entries, size_t entry_count,
                            const struct sighting *sighting)
{
    for (size_t i = 0; i < entry_count; i++)
        for (size_t k = 0;
             k < entries[i].items && entries[i].word == OUTCOME_FAIL && entries[i].waiver == NULL; k++) {
            const struct step *step = view->steps[entries[i].outcomes[k]->step].step;

            if (step->member_count == 1 && view_host(view, step->members[0]) == sighting->host &&
                speaks_of(view_slot(view, entries[i].outcomes[k])->subject, sighting->position))
                return entries[i].check;
        }
    return NULL;
}

static void add_hardware(const struct view *view, const struct report_entry *entries, size_t entry_count,
                         const struct sightings *seen, size_t host, struct out_of_use *ret_lines)
{
    struct arena *arena = view->arena;

    list_each (one, seen->items) {
        const char *check = one->host == host && *one->position != '\0' && item_kind_is_hardware(one->kind)
                                ? fails_by(view, entries, entry_count, one)
                                : NULL;

        if (check != NULL)
            *list_push(arena, &ret_lines->lines) =
                one_line(arena, arena_printf(arena, "# RMA: %s %s, serial %s, %s: failed %s in run %lld",
                                             view->record->plan->hosts.items[host]->name, one->position,
                                             *one->serial != '\0' ? one->serial : "not told", one->identity,
                                             check, view->record->number));
    }
}

void out_of_use(const struct view *view, const struct report_entry *entries, size_t entry_count,
                struct out_of_use *ret_lines)
{
    const struct plan *plan = view->record->plan;
    struct failed *failed = arena_array(view->arena, struct failed, plan->hosts.count);
    struct sightings seen = {0};

    *ret_lines = (struct out_of_use){0};
    for (size_t i = 0; i < plan->hosts.count; i++)
        failed[i].checks = "";
    for (size_t i = 0; i < entry_count; i++)
        if (entries[i].word == OUTCOME_FAIL && entries[i].waiver == NULL)
            take_entry(view, &entries[i], failed);
    take_accusations(view, failed);
    sightings_of_record(view->arena, view->record, &seen);
    for (size_t i = 0; i < plan->hosts.count; i++) {
        const struct host *host = plan->hosts.items[i];

        if (failed[i].count == 0 || host->scheduler == SCHEDULER_NONE)
            continue;
        *list_push(view->arena, &ret_lines->lines) = command_of(view, host, &failed[i]);
        add_hardware(view, entries, entry_count, &seen, i, ret_lines);
    }
}
