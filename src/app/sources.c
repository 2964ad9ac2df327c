/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/sources.h"

#include <string.h>

#include "assay/app/allocation.h"

int sources_take_contract(struct arena *arena, const char *file, struct plan_sources *sources,
                          struct error *err)
{
    if (file == NULL)
        return 0;
    sources->limits.contract = contract_load(arena, file, err);
    return sources->limits.contract != NULL ? 0 : -1;
}

/* A document of the run's own is not kept twice. */
static void add_judged_by(struct arena *arena, struct record *record, const char *kind, const char *name,
                          struct slice bytes)
{
    char sha256[SHA256_HEX_SIZE];

    sha256_hex(bytes.bytes, bytes.length, sha256);
    for (size_t i = 0; i < record->documents.count; i++)
        if (strcmp(record->documents.items[i].kind, kind) == 0 &&
            strcmp(record->documents.items[i].sha256, sha256) == 0)
            return;
    document_add(arena, &record->judgement.documents, kind, name, bytes);
}

void sources_judged_by(struct record *record, const struct plan_sources *sources)
{
    const struct run_limits *limits = &sources->limits;

    for (size_t i = 0; i < limits->baselines.count; i++)
        if (limits->baselines.items[i].baseline != NULL)
            add_judged_by(record->arena, record, "baseline", limits->baselines.items[i].platform->name,
                          limits->baselines.items[i].baseline->bytes);
    if (limits->contract != NULL)
        add_judged_by(record->arena, record, "contract", limits->contract->name, limits->contract->bytes);
}

static int take_document(struct arena *arena, const struct document *document, const struct suite **suite,
                         struct plan_sources *sources, struct error *err)
{
    if (strcmp(document->kind, "suite") == 0) {
        *suite = suite_parse(arena, document->name, document->bytes, err);
        return *suite != NULL ? 0 : -1;
    }
    if (strcmp(document->kind, "hostfile") == 0) {
        sources->hostfile = hostfile_parse(arena, document->name, document->bytes, err);
        return sources->hostfile != NULL ? 0 : -1;
    }
    if (strcmp(document->kind, "platform") == 0) {
        const struct platform *platform = platform_parse(arena, document->name, document->bytes, err);

        if (platform == NULL)
            return -1;
        *list_push(arena, &sources->platforms) = platform;
    }
    if (strcmp(document->kind, "advisories") == 0) {
        const struct advisories *table = advisories_parse(arena, document->name, document->bytes, err);

        if (table == NULL)
            return -1;
        *list_push(arena, &sources->advisories.items) = table;
    }
    if (strcmp(document->kind, "tools") == 0) {
        struct staged *staged = arena_new(arena, struct staged);

        staged->root = strcmp(document->name, TOOLS_STAGED) != 0 ? document->name : NULL;
        staged->toolset = toolset_parse(arena, document->name, document->bytes, err);
        sources->staged = staged;
        return staged->toolset != NULL ? 0 : -1;
    }
    if (strcmp(document->kind, "contract") == 0) {
        sources->limits.contract = contract_parse(arena, document->name, document->bytes, err);
        return sources->limits.contract != NULL ? 0 : -1;
    }
    return 0;
}

static int take_baseline(struct arena *arena, const struct document *document, struct plan_sources *sources,
                         struct error *err)
{
    const struct baseline *baseline;

    if (strcmp(document->kind, "baseline") != 0)
        return 0;
    baseline = baseline_parse(arena, document->name, document->bytes, err);
    if (baseline == NULL)
        return -1;
    for (size_t i = 0; i < sources->limits.baselines.count; i++)
        if (strcmp(sources->limits.baselines.items[i].platform->name, document->name) == 0)
            sources->limits.baselines.items[i] =
                platform_baseline(arena, sources->limits.baselines.items[i].platform, baseline);
    return 0;
}

int sources_of_record(struct arena *arena, const struct record *record, const char *baseline,
                      struct plan_sources *ret_sources, struct error *err)
{
    const struct suite *suite = NULL;
    const struct baseline *other = NULL;

    *ret_sources = (struct plan_sources){0};
    for (size_t i = 0; i < record->documents.count; i++)
        if (take_document(arena, &record->documents.items[i], &suite, ret_sources, err) < 0)
            return error_wrap(err, "a document of run %lld", record->number);
    if (suite == NULL || ret_sources->hostfile == NULL)
        return error_set(err, ERROR_INTERNAL, "run %lld has lost its suite or hostfile", record->number);
    if (record->plan != NULL)
        allocation_keep(ret_sources->hostfile, record->plan);
    ret_sources->suite = ret_sources->limits.suite = suite;
    for (size_t i = 0; i < ret_sources->platforms.count; i++)
        *list_push(arena, &ret_sources->limits.baselines) =
            platform_baseline(arena, ret_sources->platforms.items[i], NULL);
    for (size_t i = 0; i < record->documents.count; i++)
        if (take_baseline(arena, &record->documents.items[i], ret_sources, err) < 0)
            return error_wrap(err, "a document of run %lld", record->number);
    if (baseline == NULL)
        return 0;
    other = baseline_load(arena, baseline, err);
    return other != NULL ? run_limits_take(arena, &ret_sources->limits, other, err) : -1;
}

int sources_as_judged(struct arena *arena, const struct record *record, struct plan_sources *sources,
                      struct error *err)
{
    const struct documents *documents = &record->judgement.documents;
    const struct suite *suite; /* there is none among them */

    for (size_t i = 0; i < documents->count; i++)
        if (take_document(arena, &documents->items[i], &suite, sources, err) < 0 ||
            take_baseline(arena, &documents->items[i], sources, err) < 0)
            return error_wrap(err, "a document of judgement %s", record->judgement.uuid);
    return 0;
}
