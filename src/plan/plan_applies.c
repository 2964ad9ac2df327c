/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which steps of a suite are for which hosts. A platform has no NVSwitches; a site has no plan of its cables: what
 * such a step would ask there is nothing, and the plan says so by name instead of being silent. It is decided by the
 * documents alone (suite, hostfile, platform), so that the same ones make the same plan when a run is resumed or an
 * acceptance is counted.
 *
 * What nobody has said is not taken for absent. Of the fabric's kind it is assumed, and the run finds out: ib-port is
 * inconclusive where the ports are of the other kind. A BMC is there unless the hostfile denies it, and asked by IPMI unless the
 * hostfile says where it answers over Redfish.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/text.h"
#include "assay/reasons/any.h"
#include "assay/reasons/plan.h"

#include "plan_private.h"

/* What the documents say of the hosts of one platform. */
struct site {
    struct arena *arena;
    const struct platform *platform;
    const char *fabric, *mounts, *object_store, *uplinks, *probe; /* NULL: not declared */
    const char *bmc;                                              /* "ipmi", "redfish", "none" */
    bool cabling, lines;
    unsigned hosts;  /* of the hostfile, spares aside, of all platforms */
    unsigned leaves; /* that hosts of the platform hang on; 0: of some it is not declared */
};

struct answer {
    bool holds, assumed;
    const struct reason *why;
};

static struct answer fabric_is(const struct site *site, const struct json *wanted)
{
    const char *fabric = site->fabric != NULL ? site->fabric : "infiniband";
    bool holds = strcmp(fabric, wanted->string) == 0;

    if (site->fabric == NULL)
        return (struct answer){holds, true, REASON(fabric_assumed)};
    return (struct answer){holds, false, reason(site->arena, fabric_declared, site->fabric)};
}

static struct answer cables_are_declared(const struct site *site, const struct json *wanted)
{
    (void)wanted;
    return (struct answer){site->cabling, false,
                           site->cabling ? REASON(cables_declared) : REASON(cables_not_declared)};
}

static struct answer mounts_are_declared(const struct site *site, const struct json *wanted)
{
    (void)wanted;
    if (site->mounts == NULL)
        return (struct answer){false, false, REASON(mounts_not_declared)};
    return (struct answer){true, false, reason(site->arena, mounts_declared, site->mounts)};
}

static struct answer lines_are_declared(const struct site *site, const struct json *wanted)
{
    (void)wanted;
    return (struct answer){site->lines, false,
                           site->lines ? REASON(lines_declared) : REASON(lines_not_declared)};
}

static struct answer store_is_declared(const struct site *site, const struct json *wanted)
{
    (void)wanted;
    if (site->object_store == NULL)
        return (struct answer){false, false, REASON(object_store_not_declared)};
    return (struct answer){true, false, reason(site->arena, object_store_declared, site->object_store)};
}

static struct answer uplinks_are_declared(const struct site *site, const struct json *wanted)
{
    (void)wanted;
    if (site->uplinks == NULL)
        return (struct answer){false, false, REASON(uplinks_not_declared)};
    return (struct answer){true, false, reason(site->arena, uplinks_declared, site->uplinks)};
}

static struct answer probe_is_declared(const struct site *site, const struct json *wanted)
{
    if (site->probe == NULL || strcmp(site->probe, wanted->string) != 0)
        return (struct answer){false, false, reason(site->arena, probe_not_declared, wanted->string)};
    return (struct answer){true, false, reason(site->arena, probe_declared, site->probe)};
}

/* true: whichever way. */
static struct answer hosts_have_a_bmc(const struct site *site, const struct json *wanted)
{
    bool redfish = strcmp(site->bmc, "redfish") == 0;

    if (strcmp(site->bmc, "none") == 0)
        return (struct answer){false, false, REASON(bmc_denied)};
    if (wanted->type == JSON_STRING)
        return (struct answer){strcmp(site->bmc, wanted->string) == 0, false,
                               redfish ? REASON(bmc_by_redfish) : REASON(bmc_without_address)};
    return (struct answer){true, false, REASON(bmc_not_denied)};
}

static struct answer gpus_have_rails(const struct site *site, const struct json *wanted)
{
    const struct platform *platform = site->platform;

    (void)wanted;
    return (struct answer){
        platform->gpu_count > 0 && platform->hcas.count == platform->gpu_count, false,
        reason(site->arena, hcas_for_gpus, platform->name, platform->hcas.count, platform->gpu_count)};
}

static const char *wanted_number(const struct site *site, const struct json *wanted)
{
    return arena_printf(site->arena, "%.0f", wanted->number);
}

static struct answer hosts_are_enough(const struct site *site, const struct json *wanted)
{
    return (struct answer){site->hosts >= wanted->number, false,
                           reason(site->arena, takes_hosts, wanted_number(site, wanted), site->hosts)};
}

static struct answer hosts_are_few(const struct site *site, const struct json *wanted)
{
    return (struct answer){
        site->hosts <= wanted->number, false,
        reason(site->arena, takes_no_more_hosts, wanted_number(site, wanted), site->hosts)};
}

static struct answer leaves_are_enough(const struct site *site, const struct json *wanted)
{
    if (site->leaves == 0)
        return (struct answer){false, false, REASON(leaves_not_declared)};
    return (struct answer){site->leaves >= wanted->number, false,
                           reason(site->arena, takes_leaves, wanted_number(site, wanted), site->leaves)};
}

/* In the order in which they are told; the keys of "when" in the schema. */
static const struct condition {
    const char *key;
    struct answer (*ask)(const struct site *site, const struct json *wanted);
} conditions[] = {
    {"hosts_min", hosts_are_enough},     {"hosts_max", hosts_are_few},      {"leaves_min", leaves_are_enough},
    {"cabling", cables_are_declared},    {"mounts", mounts_are_declared},   {"bmc", hosts_have_a_bmc},
    {"object_store", store_is_declared}, {"rails", gpus_have_rails},        {"fabric", fabric_is},
    {"probe", probe_is_declared},        {"uplinks", uplinks_are_declared}, {"lines", lines_are_declared},
};

enum { CONDITIONS = ARRAY_SIZE(conditions) };

/* Of one platform; 0 where one of its hosts declares none. */
static unsigned leaves_of(struct arena *arena, const struct plan_sources *sources,
                          const struct platform *platform)
{
    const struct hostfile *hostfile = sources->hostfile;
    LIST_OF(const char *) leaves = {0};
    unsigned count = 0;

    list_each (host, hostfile->hosts) {
        if (host->role == ROLE_SPARE || host_platform(sources, host) != platform)
            continue;
        if (*host->leaf == '\0')
            return 0;
        if (leaves.count == 0 || strcmp(leaves.items[leaves.count - 1], host->leaf) != 0)
            *list_push(arena, &leaves) = host->leaf;
    }
    if (leaves.count > 0)
        qsort(leaves.items, leaves.count, sizeof *leaves.items, text_compare);
    for (size_t i = 0; i < leaves.count; i++)
        count += i == 0 || strcmp(leaves.items[i], leaves.items[i - 1]) != 0;
    return count;
}

static struct site site_of(struct arena *arena, const struct plan_sources *sources,
                           const struct platform *platform)
{
    struct site site = {
        .arena = arena, .platform = platform, .bmc = "ipmi", .leaves = leaves_of(arena, sources, platform)};

    list_each (host, sources->hostfile->hosts) {
        if (host->role == ROLE_SPARE)
            continue;
        site.hosts++;
        if (host_platform(sources, host) != platform)
            continue;
        site.fabric = host->fabric;
        site.mounts = host->mounts;
        site.object_store = host->object_store;
        site.uplinks = host->uplinks;
        site.probe = host->probe;
        site.bmc = host_bmc_kind(host);
        site.cabling |= host->rails.count > 0;
        site.lines |= host->lines.count > 0;
    }
    return site;
}

/* What a platform does not have. */
static const struct reason *why_not_there(struct arena *arena, const struct check *check,
                                          const struct platform *platform)
{
    if (check->on == ON_GPUS && platform->gpu_count == 0)
        return reason(arena, platform_without_gpus, platform->name);
    if (check->on == ON_HCAS && platform->hcas.count == 0)
        return reason(arena, platform_without_hcas, platform->name);
    return reason(arena, platform_without_such, platform->name);
}

bool plan_applies(struct arena *arena, const struct plan_sources *sources, const struct suite_step *step,
                  const struct platform *platform, struct plan_choice *ret_choice)
{
    const struct check *check = check_find(step->check);
    struct plan_choice choice = {step->name, step->check, platform->name, true, NULL, NULL};
    struct site site = {.arena = arena};

    if (!check_applies(check, step, platform)) {
        choice.taken = false;
        choice.why = why_not_there(arena, check, platform);
    } else if (step->when != NULL) {
        site = site_of(arena, sources, platform);
    }
    for (size_t i = 0; choice.taken && i < CONDITIONS; i++) {
        const struct json *wanted = json_get(step->when, conditions[i].key);
        struct answer answer;

        if (wanted == NULL)
            continue;
        answer = conditions[i].ask(&site, wanted);
        choice.taken = answer.holds;
        if (answer.assumed)
            choice.assumed = answer.why;
        choice.why = answer.holds ? reason_also(arena, choice.why, answer.why) : answer.why;
    }
    if (ret_choice != NULL)
        *ret_choice = choice;
    return choice.taken;
}

/* A key that says where a host stands: of all hosts of the platform or of none. */
struct place {
    const char *key;
    size_t offset;
};

static const char *place_of(const struct host *host, const struct place *place)
{
    return *(const char *const *)((const char *)host + place->offset);
}

static int check_place(const struct plan_sources *sources, const struct platform *platform,
                       const struct place *place, struct error *err)
{
    const struct hostfile *hostfile = sources->hostfile;
    const struct host *with = NULL, *without = NULL;

    list_each (host, hostfile->hosts) {
        if (host->role == ROLE_SPARE || host_platform(sources, host) != platform)
            continue;
        if (*place_of(host, place) != '\0')
            with = with != NULL ? with : host;
        else
            without = without != NULL ? without : host;
    }
    if (with == NULL || without == NULL)
        return 0;
    return error_set(err, ERROR_USAGE,
                     "%s:%u:%u: host '%s' has no %s=, and '%s' on line %u has %s=%s; expected it of all "
                     "hosts of platform %s or of none",
                     hostfile->path, without->line, without->column, without->name, place->key, with->name,
                     with->line, place->key, place_of(with, place), platform->name);
}

/*
 * A host without a leaf among others that have one would take the tests between leaves from all of them. Where NVLinks
 * join the hosts of a rack, one without a rack would count as a rack more, and less be asked of all.
 */
static int check_places(const struct plan_sources *sources, const struct platform *platform,
                        struct error *err)
{
    static const struct place leaf = {"leaf", offsetof(struct host, leaf)},
                              rack = {"rack", offsetof(struct host, rack)};

    if (check_place(sources, platform, &leaf, err) < 0)
        return -1;
    return platform->nvlink_domain_hosts > 1 ? check_place(sources, platform, &rack, err) : 0;
}

static const char *said(const char *word)
{
    return word != NULL ? word : "nothing";
}

int check_site(const struct plan_sources *sources, struct error *err)
{
    const struct hostfile *hostfile = sources->hostfile;

    for (size_t p = 0; p < sources->platforms.count; p++) {
        const struct host *first = NULL;

        list_each (host, hostfile->hosts) {
            const struct {
                const char *key, *was, *is;
            } rows[] = {
                {"fabric", said(first != NULL ? first->fabric : host->fabric), said(host->fabric)},
                {"mounts", said(first != NULL ? first->mounts : host->mounts), said(host->mounts)},
                {"object_store", said(first != NULL ? first->object_store : host->object_store),
                 said(host->object_store)},
                {"uplinks", said(first != NULL ? first->uplinks : host->uplinks), said(host->uplinks)},
                {"switch_counters", said(first != NULL ? first->switch_counters : host->switch_counters),
                 said(host->switch_counters)},
                {"probe", said(first != NULL ? first->probe : host->probe), said(host->probe)},
                {"bmc", host_bmc_kind(first != NULL ? first : host), host_bmc_kind(host)}};

            if (host_platform(sources, host) != sources->platforms.items[p])
                continue;
            for (size_t k = 0; k < ARRAY_SIZE(rows); k++)
                if (strcmp(rows[k].was, rows[k].is) != 0)
                    return error_set(
                        err, ERROR_USAGE,
                        "%s:%u:%u: %s of host '%s' is %s, and of '%s' on line %u %s; expected the "
                        "same of all hosts of platform %s",
                        hostfile->path, host->line, host->column, rows[k].key, host->name, rows[k].is,
                        first->name, first->line, rows[k].was, sources->platforms.items[p]->name);
            if (first == NULL)
                first = host;
        }
        if (check_places(sources, sources->platforms.items[p], err) < 0)
            return -1;
    }
    return 0;
}
