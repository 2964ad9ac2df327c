/* SPDX-License-Identifier: Apache-2.0 */
/* A platform of the site's own beside the built-in one whose hosts it describes. */
#include <stddef.h>
#include <string.h>

#include "assay/base/nearest.h"
#include "assay/reasons/any.h"
#include "assay/reasons/report.h"
#include "concessions.h"

/* What of a figure asks for less. */
enum easier {
    LESS,    /* fewer parts, slower ones */
    ANOTHER, /* less: limits that are a share of it; more: what is not believed any more lies higher */
};

static const struct figure {
    const char *key; /* as in the file */
    size_t at;
    bool whole; /* an unsigned; else a double */
    enum easier easier;
} figures[] = {
    {"gpus.count", offsetof(struct platform, gpu_count), true, LESS},
    {"gpus.memory_gib", offsetof(struct platform, gpu_memory_gib), false, LESS},
    {"gpus.power_limit_w", offsetof(struct platform, power_limit_w), false, LESS},
    {"npus.count", offsetof(struct platform, npu_count), true, LESS},
    {"nvlink.links", offsetof(struct platform, nvlink_links), true, LESS},
    {"nvlink.link_gbs", offsetof(struct platform, nvlink_gbs), false, LESS},
    {"nvlink.ceiling_gbs", offsetof(struct platform, nvlink_ceiling_gbs), false, ANOTHER},
    {"nvlink.domain_hosts", offsetof(struct platform, nvlink_domain_hosts), true, ANOTHER},
    {"pcie.generation", offsetof(struct platform, pcie_generation), true, ANOTHER},
    {"pcie.lanes", offsetof(struct platform, pcie_lanes), true, ANOTHER},
    {"hcas.count", offsetof(struct platform, hca_count), true, LESS},
    {"hcas.gbits", offsetof(struct platform, hca_gbits), false, LESS},
};

static const struct flag {
    const char *key;
    size_t at;
    bool either; /* without it something else is judged in its place */
} flags[] = {
    {"nvswitch", offsetof(struct platform, nvswitch), false},
    {"fabric_state", offsetof(struct platform, fabric_state), false},
    {"gpus.row_remapper", offsetof(struct platform, row_remapper), true},
};

static double figure_of(const struct platform *platform, const struct figure *figure)
{
    const char *at = (const char *)platform + figure->at;

    return figure->whole ? *(const unsigned *)(const void *)at : *(const double *)(const void *)at;
}

static bool is_easier(const struct figure *figure, double own, double built_in)
{
    switch (figure->easier) {
    case ANOTHER:
        return own < built_in || own > built_in;
    case LESS:
    default:
        return own < built_in;
    }
}

static bool flag_of(const struct platform *platform, const struct flag *flag)
{
    return *(const bool *)(const void *)((const char *)platform + flag->at);
}

static bool names_model(const struct platform *platform, const char *model)
{
    return word_is_among(model, platform->gpu_models.items, platform->gpu_models.count);
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
    const struct builtin *named = builtin_find("platforms", platform->name);

    if (platform->like != NULL)
        return platform_load(arena, platform->like, NULL);
    if (named != NULL)
        return platform_load(arena, named->name, NULL);
    builtin_each (row, "platforms") {
        const struct platform *other = platform_load(arena, row->name, NULL);

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

/* Names of which any is right. */
struct taken {
    const char *const *items;
    size_t count;
};

static bool takes(const struct taken *taken, const char *name)
{
    return word_is_among(name, taken->items, taken->count);
}

static void compare_taken(struct arena *arena, const struct platform *platform, const struct taken *own,
                          const struct platform *other, const struct taken *built_in,
                          struct concessions *concessions)
{
    for (size_t i = 0; i < own->count; i++)
        if (!takes(built_in, own->items[i]))
            add(arena, platform, reason(arena, platform_also_takes, own->items[i], other->name), concessions);
}

static void compare_parts(struct arena *arena, const struct platform *platform, const struct platform *other,
                          struct concessions *concessions)
{
    compare_taken(arena, platform, &(struct taken){platform->gpu_models.items, platform->gpu_models.count},
                  other, &(struct taken){other->gpu_models.items, other->gpu_models.count}, concessions);
    compare_taken(arena, platform, &(struct taken){platform->gpu_pci_ids.items, platform->gpu_pci_ids.count},
                  other, &(struct taken){other->gpu_pci_ids.items, other->gpu_pci_ids.count}, concessions);
    compare_taken(arena, platform, &(struct taken){platform->npu_models.items, platform->npu_models.count},
                  other, &(struct taken){other->npu_models.items, other->npu_models.count}, concessions);
}

/* Deadlines follow from it. What a check expects by itself follows from its arguments, and nobody has stretched it. */
static void compare_times(struct arena *arena, const struct platform *platform, const struct platform *other,
                          struct concessions *concessions)
{
    list_each (time, platform->times) {
        unsigned built_in = platform_time(other, time->check);

        if (built_in > 0 && time->seconds <= built_in)
            continue;
        add(arena, platform,
            reason(arena, platform_stretches_time, time->check, time->seconds, other->name,
                   built_in > 0 ? reason(arena, text, built_in) : REASON(what_the_check_expects)),
            concessions);
    }
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

static void compare_figures(struct arena *arena, const struct platform *platform,
                            const struct platform *other, struct concessions *concessions)
{
    for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
        double own = figure_of(platform, &figures[i]), built_in = figure_of(other, &figures[i]);

        if (is_easier(&figures[i], own, built_in))
            add(arena, platform,
                reason(arena, platform_figure_beside, figures[i].key, own, other->name, built_in),
                concessions);
    }
    for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
        bool own = flag_of(platform, &flags[i]), built_in = flag_of(other, &flags[i]);

        if (own != built_in && (built_in || flags[i].either))
            add(arena, platform,
                reason(arena, platform_figure_beside, flags[i].key, own ? "true" : "false", other->name,
                       built_in ? "true" : "false"),
                concessions);
    }
}

void concessions_of_platform(struct arena *arena, const struct platform *platform,
                             struct concessions *concessions)
{
    const struct platform *other = counterpart(arena, platform);
    size_t before = concessions->items.count;

    if (other == NULL)
        return;
    compare_figures(arena, platform, other, concessions);
    if (platform->hcas.count < other->hcas.count && platform->hca_count >= other->hca_count)
        add(arena, platform,
            reason(arena, platform_figure_beside, "hcas.names", platform->hcas.count, other->name,
                   other->hcas.count),
            concessions);
    if (takes_older_drivers(platform, other))
        add(arena, platform,
            reason(arena, platform_figure_beside, "driver_minimum",
                   platform->driver_minimum != NULL ? platform->driver_minimum : "-", other->name,
                   other->driver_minimum),
            concessions);
    compare_parts(arena, platform, other, concessions);
    compare_times(arena, platform, other, concessions);
    concessions->platforms += concessions->items.count > before;
}
