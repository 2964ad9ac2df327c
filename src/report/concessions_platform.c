/* SPDX-License-Identifier: Apache-2.0 */
/* A platform of the site's own beside the built-in one whose hosts it describes. */
#include <stddef.h>
#include <string.h>

#include "assay/reasons/report.h"
#include "concessions.h"

static const struct figure {
    const char *key; /* as in the file */
    size_t at;
    bool whole; /* an unsigned; else a double */
} figures[] = {
    {"gpus.count", offsetof(struct platform, gpu_count), true},
    {"gpus.memory_gib", offsetof(struct platform, gpu_memory_gib), false},
    {"gpus.power_limit_w", offsetof(struct platform, power_limit_w), false},
    {"npus.count", offsetof(struct platform, npu_count), true},
    {"nvlink.links", offsetof(struct platform, nvlink_links), true},
    {"nvlink.link_gbs", offsetof(struct platform, nvlink_gbs), false},
    {"nvlink.ceiling_gbs", offsetof(struct platform, nvlink_ceiling_gbs), false},
    {"nvlink.domain_hosts", offsetof(struct platform, nvlink_domain_hosts), true},
    {"pcie.generation", offsetof(struct platform, pcie_generation), true},
    {"pcie.lanes", offsetof(struct platform, pcie_lanes), true},
    {"hcas.count", offsetof(struct platform, hca_count), true},
    {"hcas.gbits", offsetof(struct platform, hca_gbits), false},
};

static double figure_of(const struct platform *platform, const struct figure *figure)
{
    const char *at = (const char *)platform + figure->at;

    return figure->whole ? *(const unsigned *)(const void *)at : *(const double *)(const void *)at;
}

static bool names_model(const struct platform *platform, const char *model)
{
    for (size_t i = 0; i < platform->gpu_models.count; i++)
        if (strcmp(platform->gpu_models.items[i], model) == 0)
            return true;
    return false;
}

static bool shares_model(const struct platform *a, const struct platform *b)
{
    for (size_t i = 0; i < a->gpu_models.count; i++)
        if (names_model(b, a->gpu_models.items[i]))
            return true;
    return false;
}

/* What the site's own is to be compared with; NULL: nothing, for its hardware is unknown here. */
static const struct platform *counterpart(struct arena *arena, const struct platform *platform)
{
    const struct builtin *all, *named = builtin_find("platforms", platform->name);
    size_t count;

    if (platform->like != NULL)
        return platform_load(arena, platform->like, NULL);
    if (named != NULL)
        return platform_load(arena, named->name, NULL);
    all = builtin_list(&count);
    for (size_t i = 0; i < count; i++) {
        const struct platform *other =
            strcmp(all[i].kind, "platforms") == 0 ? platform_load(arena, all[i].name, NULL) : NULL;

        if (other != NULL && shares_model(platform, other))
            return other;
    }
    return NULL;
}

static void add(struct arena *arena, const struct platform *platform, const struct reason *detail,
                struct concessions *concessions)
{
    *list_push(arena, &concessions->items) =
        (struct concession){CONCESSION_PLATFORM, "", platform->name, "", detail};
}

static void compare_models(struct arena *arena, const struct platform *platform, const struct platform *other,
                           struct concessions *concessions)
{
    for (size_t i = 0; i < platform->gpu_models.count; i++)
        if (!names_model(other, platform->gpu_models.items[i]))
            add(arena, platform,
                reason(arena, platform_also_takes, platform->gpu_models.items[i], other->name), concessions);
}

/* Piece by piece, as drivers are numbered. */
static bool is_older(const char *version, const char *other)
{
    struct slice a = slice_of(version), b = slice_of(other);
    uint64_t ours, theirs;

    while (scan_digits(&b, &theirs)) {
        if (!scan_digits(&a, &ours) || ours < theirs)
            return true;
        if (ours > theirs)
            return false;
        scan_text(&a, ".");
        scan_text(&b, ".");
    }
    return false;
}

static bool takes_older_drivers(const struct platform *platform, const struct platform *other)
{
    return other->driver_minimum != NULL &&
           (platform->driver_minimum == NULL || is_older(platform->driver_minimum, other->driver_minimum));
}

void concessions_of_platform(struct arena *arena, const struct platform *platform,
                             struct concessions *concessions)
{
    const struct platform *other = counterpart(arena, platform);
    size_t before = concessions->items.count;

    if (other == NULL)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
        double own = figure_of(platform, &figures[i]), built_in = figure_of(other, &figures[i]);

        if (own < built_in)
            add(arena, platform,
                reason(arena, platform_figure_beside, figures[i].key, own, other->name, built_in),
                concessions);
    }
    if (platform->hcas.count < other->hcas.count && platform->hca_count >= other->hca_count)
        add(arena, platform,
            reason(arena, platform_figure_beside, "hcas.names", platform->hcas.count, other->name,
                   other->hcas.count),
            concessions);
    if (!platform->nvswitch && other->nvswitch)
        add(arena, platform, reason(arena, platform_figure_beside, "nvswitch", "false", other->name, "true"),
            concessions);
    if (!platform->fabric_state && other->fabric_state)
        add(arena, platform,
            reason(arena, platform_figure_beside, "fabric_state", "false", other->name, "true"), concessions);
    if (takes_older_drivers(platform, other))
        add(arena, platform,
            reason(arena, platform_figure_beside, "driver_minimum",
                   platform->driver_minimum != NULL ? platform->driver_minimum : "-", other->name,
                   other->driver_minimum),
            concessions);
    compare_models(arena, platform, other, concessions);
    concessions->platforms += concessions->items.count > before;
}
