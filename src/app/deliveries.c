/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever wants a sick cluster accepted tries until it passes. Under other names, with a host more or less, or broken off
 * as soon as something fails, it is the same cluster.
 */
#include "assay/app/deliveries.h"

#include <stdlib.h>
#include <string.h>

#include "assay/app/sources.h"
#include "assay/judge/judge.h"

/* -- The hosts that are asked about ------------------------------------------------------------------------------ */

/* By what a host is found: its name, or a part of it. */
enum { KEY_NAME = -1 }; /* else an item_kind */
struct key {
    int kind;
    const char *text;
    size_t host; /* index into the question's hosts */
};

struct hosts {
    struct arena *arena;      /* of what goes when the question is answered */
    LIST_OF(struct key) keys; /* sorted */
    bool *known;              /* by host: some part of it was seen */
    bool *accepted;           /* by host: in a later run than the one that is looked at */
    size_t count;
};

/* What a run has of them, by host. */
struct common {
    bool *named, *seen; /* a host of this name; a part of it */
    bool *parts;        /* the host of this name has parts that were seen */
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *left = a, *right = b;

    return left->kind != right->kind ? (left->kind < right->kind ? -1 : 1) : strcmp(left->text, right->text);
}

/* NULL: it is none of them. */
static const struct key *find_key(const struct hosts *hosts, int kind, const char *text)
{
    const struct key key = {kind, text, 0};

    return hosts->keys.count > 0
               ? bsearch(&key, hosts->keys.items, hosts->keys.count, sizeof key, compare_keys)
               : NULL;
}

static void sort_keys(struct hosts *hosts)
{
    if (hosts->keys.count > 0)
        qsort(hosts->keys.items, hosts->keys.count, sizeof(struct key), compare_keys);
}

/* Their parts, as these runs saw them. */
static int take_parts(struct store *store, struct arena *arena, const struct deliveries_question *question,
                      struct hosts *hosts, struct error *err)
{
    LIST_OF(struct key) parts = {0};

    for (size_t i = 0; i < question->runs.count; i++) {
        struct item_sightings seen;

        if (store_run_items(store, arena, question->runs.items[i], &seen, err) < 0)
            return -1;
        list_each (item, seen.items) {
            const struct key *name = find_key(hosts, KEY_NAME, item->host);

            if (name == NULL || !item_kind_is_hardware(item->kind))
                continue;
            hosts->known[name->host] = true;
            *list_push(arena, &parts) = (struct key){(int)item->kind, item->identity, name->host};
        }
    }
    for (size_t i = 0; i < parts.count; i++)
        *list_push(arena, &hosts->keys) = parts.items[i];
    sort_keys(hosts);
    return 0;
}

static int take_hosts(struct store *store, struct arena *arena, const struct deliveries_question *question,
                      struct hosts *ret_hosts, struct error *err)
{
    size_t count = question->hosts.names.count;

    *ret_hosts = (struct hosts){.arena = arena,
                                .known = arena_array(arena, bool, count + 1),
                                .accepted = arena_array(arena, bool, count + 1),
                                .count = count};
    for (size_t i = 0; i < count; i++)
        *list_push(arena, &ret_hosts->keys) = (struct key){KEY_NAME, question->hosts.names.items[i], i};
    sort_keys(ret_hosts);
    return take_parts(store, arena, question, ret_hosts, err);
}

/* -- What a run has in common with them -------------------------------------------------------------------------- */

static void look_at_parts(struct store *store, struct arena *arena, long long run, const struct hosts *hosts,
                          struct common *common)
{
    struct item_sightings seen;
    struct error damaged;

    if (store_run_items(store, arena, run, &seen, &damaged) < 0)
        return;
    for (size_t i = 0; i < seen.items.count; i++) {
        const struct item_sighting *item = &seen.items.items[i];
        const struct key *name = find_key(hosts, KEY_NAME, item->host), *part;

        if (!item_kind_is_hardware(item->kind))
            continue;
        part = find_key(hosts, (int)item->kind, item->identity);
        if (name != NULL)
            common->parts[name->host] = true;
        if (part != NULL)
            common->seen[part->host] = true;
    }
}

static struct common common_of(struct store *store, struct arena *arena, long long run,
                               const struct hostlist *names, const struct hosts *hosts)
{
    struct common common = {arena_array(arena, bool, hosts->count + 1),
                            arena_array(arena, bool, hosts->count + 1),
                            arena_array(arena, bool, hosts->count + 1)};

    for (size_t i = 0; i < names->names.count; i++) {
        const struct key *name = find_key(hosts, KEY_NAME, names->names.items[i]);

        if (name != NULL)
            common.named[name->host] = true;
    }
    look_at_parts(store, arena, run, hosts, &common);
    return common;
}

static bool has_common_host(const struct hosts *hosts, const struct common *common, bool *ret_settled)
{
    bool has = false;

    *ret_settled = true;
    for (size_t i = 0; i < hosts->count; i++) {
        if (!common->named[i] && !common->seen[i])
            continue;
        has = true;
        *ret_settled &= hosts->accepted[i];
    }
    return has;
}

/* Other hardware under the same name was accepted for itself alone. */
static void take_accepted(struct hosts *hosts, const struct common *common)
{
    for (size_t i = 0; i < hosts->count; i++)
        if (common->seen[i] || (common->named[i] && !(hosts->known[i] && common->parts[i])))
            hosts->accepted[i] = true;
}

static bool all_are_accepted(const struct hosts *hosts)
{
    for (size_t i = 0; i < hosts->count; i++)
        if (!hosts->accepted[i])
            return false;
    return true;
}

/* -- The runs ---------------------------------------------------------------------------------------------------- */

bool deliveries_run_failed(struct store *store, long long run)
{
    cleanup_arena struct arena *arena = arena_create();
    struct record *record;
    struct plan_sources sources;
    struct error damaged;
    bool failed = false;

    record = store_load_lean(store, arena, run, sighting_rests_on, &damaged);
    if (record != NULL && sources_of_record(arena, record, NULL, &sources, &damaged) == 0) {
        judge_run(record, &sources.limits, record->uuid);
        for (size_t i = 0; i < record->judgement.outcome_count; i++)
            failed |= record->judgement.outcomes[i].word == OUTCOME_FAIL;
    }
    return failed;
}

/* What was judged before it was taken up again and broken off says nothing of what it showed since. Whether a controller
   that lives goes on, or was stopped as soon as something failed, nobody can tell: both count as running. */
static enum delivery_end end_of(struct store *store, const struct run_summary *run)
{
    if (run->state == RUN_RUNNING && deliveries_run_failed(store, run->number))
        return DELIVERY_RUNNING;
    if (run->judged && run->worst == VERDICT_REJECT)
        return DELIVERY_REJECTED;
    if (run->state == RUN_INTERRUPTED)
        return deliveries_run_failed(store, run->number) ? DELIVERY_BROKEN_OFF : DELIVERY_OF_NO_ACCOUNT;
    return run->judged && run->worst == VERDICT_ACCEPT_WITH_EXCEPTIONS ? DELIVERY_WAIVED
                                                                       : DELIVERY_OF_NO_ACCOUNT;
}

/* Clocks may be set; numbers are given once, one after the other, to whatever is made here. */
static bool is_before(const struct deliveries_question *question, const struct run_summary *run)
{
    return question->before_number > 0 ? run->number < question->before_number
                                       : run->started < question->before;
}

static bool is_other(struct store *store, const struct deliveries_question *question,
                     const struct run_summary *run, struct standing *ret_standing)
{
    for (size_t i = 0; i < question->runs.count; i++)
        if (question->runs.items[i] == run->number)
            return false;
    if (run->imported || run->damage != NULL || !is_before(question, run))
        return false;
    *ret_standing = store_run_standing(store, run->number);
    return standing_is_delivery(ret_standing);
}

static struct other_delivery other_of(struct store *store, const struct run_summary *run, enum run_kind kind)
{
    return (struct other_delivery){.number = run->number,
                                   .ended = run->ended > 0 ? run->ended : run->started,
                                   .hosts = "",
                                   .kind = kind,
                                   .end = end_of(store, run),
                                   .judged = run->judged,
                                   .again = run->judged && run->worst != run->verdict,
                                   .verdict = run->verdict};
}

static void add_shared(struct arena *arena, const struct deliveries_question *question,
                       const struct common *common, struct other_delivery *other)
{
    for (size_t i = 0; i < question->hosts.names.count; i++)
        if (common->named[i] || common->seen[i])
            *list_push(arena, &other->shared) = question->hosts.names.items[i];
}

/* Whether it is to be told; ret_other says what. */
static bool look_at_run(struct store *store, struct arena *arena, const struct deliveries_question *question,
                        const struct run_summary *run, struct hosts *hosts, struct other_delivery *ret_other)
{
    struct hostlist names;
    struct common common;
    struct standing standing;
    struct error damaged;
    bool settled, all;

    if (!is_other(store, question, run, &standing))
        return false;
    all = question->all && standing_is_acceptance(&standing);
    if (store_run_hosts(store, hosts->arena, run->number, &names, &damaged) < 0) {
        /* They may be the same: what failed is told rather than lost, and nothing else is concluded. */
        *ret_other = other_of(store, run, standing.kind);
        return ret_other->end == DELIVERY_REJECTED || ret_other->end == DELIVERY_RUNNING;
    }
    common = common_of(store, hosts->arena, run->number, &names, hosts);
    if (!has_common_host(hosts, &common, &settled) || (settled && !all))
        return false;
    *ret_other = other_of(store, run, standing.kind);
    add_shared(arena, question, &common, ret_other);
    ret_other->hosts = arena_strdup(arena, hostlist_fold(hosts->arena, names.names.items, names.names.count));
    ret_other->settled = settled && ret_other->end != DELIVERY_RUNNING;
    if (ret_other->end == DELIVERY_OF_NO_ACCOUNT && run->judged && run->worst == VERDICT_ACCEPT &&
        standing_is_acceptance(&standing))
        take_accepted(hosts, &common);
    return all || ret_other->end != DELIVERY_OF_NO_ACCOUNT;
}

int deliveries_find(struct store *store, struct arena *arena, const struct deliveries_question *question,
                    struct other_deliveries *ret_others, struct error *err)
{
    cleanup_arena struct arena *scratch = arena_create();
    LIST_OF(struct other_delivery) newest_first = {0};
    struct run_summary *runs;
    struct hosts hosts;
    size_t count;

    *ret_others = (struct other_deliveries){0};
    if (store_list_runs(store, scratch, 0, &runs, &count, err) < 0 ||
        take_hosts(store, scratch, question, &hosts, err) < 0)
        return -1;
    for (size_t i = 0; i < count && (question->all || !all_are_accepted(&hosts)); i++) {
        struct other_delivery other;

        if (look_at_run(store, arena, question, &runs[i], &hosts, &other))
            *list_push(scratch, &newest_first) = other;
    }
    for (size_t i = newest_first.count; i > 0; i--)
        *list_push(arena, &ret_others->items) = newest_first.items[i - 1];
    return 0;
}
