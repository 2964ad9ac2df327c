/* SPDX-License-Identifier: Apache-2.0 */
#include "concessions.h"

#include <string.h>

#include "assay/model/platform.h"
#include "view.h"

static void take_platforms(struct arena *arena, const struct documents *documents, struct run_limits *limits)
{
    struct error err = {0};

    array_each (document, documents->items, documents->count) {
        const struct platform *platform = strcmp(document->kind, "platform") == 0
                                              ? platform_parse(arena, document->name, document->bytes, &err)
                                              : NULL;

        if (platform != NULL)
            *list_push(arena, &limits->baselines) = platform_baseline(arena, platform, NULL);
    }
}

/* A baseline's document has the name of the platform that it is for. */
static void take_limits(struct arena *arena, const struct documents *documents, struct run_limits *limits)
{
    struct error err = {0};

    for (size_t i = 0; documents != NULL && i < documents->count; i++) {
        const struct document *document = &documents->items[i];
        const struct baseline *baseline = strcmp(document->kind, "baseline") == 0
                                              ? baseline_parse(arena, document->name, document->bytes, &err)
                                              : NULL;

        if (strcmp(document->kind, "contract") == 0)
            limits->contract = contract_parse(arena, document->name, document->bytes, &err);
        for (size_t k = 0; baseline != NULL && k < limits->baselines.count; k++)
            if (strcmp(limits->baselines.items[k].platform->name, document->name) == 0)
                limits->baselines.items[k] =
                    platform_baseline(arena, limits->baselines.items[k].platform, baseline);
    }
}

void concessions_find(struct arena *arena, const struct plan *plan, const struct documents *documents,
                      const struct documents *judged_by, struct concessions *ret_concessions)
{
    const struct builtin *builtin = builtin_find("suites", "delivery");
    struct run_limits limits = {.suite = documents_suite(arena, documents)};
    const struct suite_step **matches;
    const struct hostfile *hostfile;
    const struct suite *whole;
    struct error err = {0};

    *ret_concessions = (struct concessions){0};
    if (limits.suite == NULL || !limits.suite->delivery || builtin == NULL)
        return;
    ret_concessions->alone = plan->hosts.count == 1;
    whole = suite_parse(arena, builtin->name, builtin->bytes, &err);
    if (whole == NULL)
        return;
    take_platforms(arena, documents, &limits);
    take_limits(arena, documents, &limits);
    take_limits(arena, judged_by, &limits);
    matches = arena_array(arena, const struct suite_step *, limits.suite->steps.count + 1);
    concessions_of_suite(arena, limits.suite, whole, matches, ret_concessions);
    concessions_of_programs(arena, limits.suite, whole, ret_concessions);
    concessions_of_limits(arena, plan, &limits, matches, ret_concessions);
    hostfile = documents_hostfile(arena, documents);
    if (hostfile != NULL) {
        concessions_of_hostfile(arena, plan, hostfile, limits.suite, ret_concessions);
        concessions_of_rails(arena, hostfile, ret_concessions);
    }
    for (size_t i = 0; i < limits.baselines.count; i++)
        concessions_of_platform(arena, limits.baselines.items[i].platform, ret_concessions);
}
