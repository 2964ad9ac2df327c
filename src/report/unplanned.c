/* SPDX-License-Identifier: Apache-2.0 */
#include "unplanned.h"

#include <stdlib.h>
#include <string.h>

#include "assay/base/text.h"
#include "assay/reasons/any.h"

struct unplanned_hosts {
    struct arena *arena;
    const struct host *host; /* one of them, who all say the same; NULL: there is none */
    unsigned hosts;          /* of all platforms, spares aside */
    unsigned leaves;         /* 0: one of them declares none */
    bool cables;
};

static const char *wanted_number(const struct unplanned_hosts *said, const struct json *wanted)
{
    return arena_printf(said->arena, "%.0f", wanted->number);
}

static const struct reason *too_few_hosts(const struct unplanned_hosts *said, const struct json *wanted)
{
    return said->hosts >= wanted->number
               ? NULL
               : reason(said->arena, takes_hosts, wanted_number(said, wanted), said->hosts);
}

static const struct reason *too_many_hosts(const struct unplanned_hosts *said, const struct json *wanted)
{
    return said->hosts <= wanted->number
               ? NULL
               : reason(said->arena, takes_no_more_hosts, wanted_number(said, wanted), said->hosts);
}

static const struct reason *too_few_leaves(const struct unplanned_hosts *said, const struct json *wanted)
{
    if (said->leaves == 0)
        return REASON(leaves_not_declared);
    return said->leaves >= wanted->number
               ? NULL
               : reason(said->arena, takes_leaves, wanted_number(said, wanted), said->leaves);
}

static const struct reason *no_cables(const struct unplanned_hosts *said, const struct json *wanted)
{
    (void)wanted;
    return said->cables ? NULL : REASON(cables_not_declared);
}

static const struct reason *no_mounts(const struct unplanned_hosts *said, const struct json *wanted)
{
    (void)wanted;
    return said->host->mounts != NULL ? NULL : REASON(mounts_not_declared);
}

static const struct reason *no_object_store(const struct unplanned_hosts *said, const struct json *wanted)
{
    (void)wanted;
    return said->host->object_store != NULL ? NULL : REASON(object_store_not_declared);
}

static const struct reason *no_uplinks(const struct unplanned_hosts *said, const struct json *wanted)
{
    (void)wanted;
    return said->host->uplinks != NULL ? NULL : REASON(uplinks_not_declared);
}

static const struct reason *no_lines(const struct unplanned_hosts *said, const struct json *wanted)
{
    (void)wanted;
    return said->host->lines.count > 0 ? NULL : REASON(lines_not_declared);
}

static const struct reason *no_probe(const struct unplanned_hosts *said, const struct json *wanted)
{
    const char *probe = said->host->probe;

    return probe != NULL && strcmp(probe, wanted->string) == 0
               ? NULL
               : reason(said->arena, probe_not_declared, wanted->string);
}

static const struct reason *other_bmc(const struct unplanned_hosts *said, const struct json *wanted)
{
    const char *kind = host_bmc_kind(said->host);

    if (strcmp(kind, "none") == 0)
        return REASON(bmc_denied);
    if (wanted->type != JSON_STRING || strcmp(kind, wanted->string) == 0)
        return NULL;
    return strcmp(kind, "redfish") == 0 ? REASON(bmc_by_redfish) : REASON(bmc_without_address);
}

static const struct reason *other_fabric(const struct unplanned_hosts *said, const struct json *wanted)
{
    const char *fabric = said->host->fabric;

    if (strcmp(fabric != NULL ? fabric : "infiniband", wanted->string) == 0)
        return NULL;
    return fabric == NULL ? REASON(fabric_assumed) : reason(said->arena, fabric_declared, fabric);
}

/* The keys of "when", but for what a platform alone decides. */
static const struct {
    const char *key;
    const struct reason *(*why)(const struct unplanned_hosts *said, const struct json *wanted);
} conditions[] = {
    {"hosts_min", too_few_hosts}, {"hosts_max", too_many_hosts}, {"leaves_min", too_few_leaves},
    {"cabling", no_cables},       {"mounts", no_mounts},         {"bmc", other_bmc},
    {"fabric", other_fabric},     {"probe", no_probe},           {"object_store", no_object_store},
    {"uplinks", no_uplinks},      {"lines", no_lines},
};

/* What the hostfile calls a platform, a name or a file, and its name in the plan. */
struct platform_word {
    const char *word, *name;
};
struct platform_words {
    LIST_OF(struct platform_word) items;
};

/* NULL: no step is over this host alone. */
static const char *planned_platform(const struct plan *plan, const char *host)
{
    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];

        if (step->member_count == 1 && strcmp(step->members[0]->name, host) == 0)
            return step->shape->platform;
    }
    return NULL;
}

/* The plan is asked once for each word: it has many steps. */
static const char *platform_name(struct arena *arena, struct platform_words *words, const struct plan *plan,
                                 const struct host *host, const char *usual)
{
    const char *word = host->platform != NULL ? host->platform : usual, *name;

    if (word == NULL)
        return "";
    list_each (known, words->items)
        if (strcmp(known->word, word) == 0)
            return known->name;
    name = planned_platform(plan, host->name);
    if (name == NULL)
        return word;
    *list_push(arena, &words->items) = (struct platform_word){word, name};
    return name;
}

/* Sorts them. 0: one is not declared. */
static unsigned count_leaves(const char **leaves, size_t count)
{
    unsigned different = 0;

    qsort(leaves, count, sizeof *leaves, text_compare);
    if (count > 0 && *leaves[0] == '\0')
        return 0;
    for (size_t i = 0; i < count; i++)
        different += i == 0 || strcmp(leaves[i - 1], leaves[i]) != 0;
    return different;
}

const struct unplanned_hosts *unplanned_hosts_of(struct arena *arena, const struct hostfile *hostfile,
                                                 const struct plan *plan, const char *usual,
                                                 const char *platform)
{
    struct platform_words words = {0};
    struct unplanned_hosts *said = arena_new(arena, struct unplanned_hosts);
    const char **leaves = arena_array(arena, const char *, hostfile->hosts.count + 1);
    size_t count = 0;

    said->arena = arena;
    array_each (host, hostfile->hosts.items, hostfile->hosts.count) {
        said->hosts += host->role != ROLE_SPARE;
        if (host->role == ROLE_SPARE ||
            strcmp(platform_name(arena, &words, plan, host, usual), platform) != 0)
            continue;
        said->host = host;
        said->cables |= host->rails.count > 0;
        leaves[count++] = host->leaf;
    }
    said->leaves = count_leaves(leaves, count);
    return said;
}

const struct reason *unplanned_why(const struct unplanned_hosts *said, const struct json *when)
{
    const struct reason *all = NULL;

    for (size_t i = 0; said->host != NULL && i < ARRAY_SIZE(conditions); i++) {
        const struct json *wanted = json_get(when, conditions[i].key);

        if (wanted != NULL)
            all = reason_also(said->arena, all, conditions[i].why(said, wanted));
    }
    return all;
}
