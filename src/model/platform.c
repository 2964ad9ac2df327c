/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/platform.h"

#include <string.h>

#include "assay/base/json.h"

static void read_gpus(struct arena *arena, const struct json *gpus, struct platform *platform)
{
    platform->gpu_count = (unsigned)json_number(gpus, "count", 0);
    platform->gpu_memory_gib = json_number(gpus, "memory_gib", 0);
    platform->row_remapper = json_boolean(gpus, "row_remapper", true);
    platform->power_limit_w = json_number(gpus, "power_limit_w", 0);
    json_each (model, json_get(gpus, "models"))
        *list_push(arena, &platform->gpu_models) = model->string;
    json_each (id, json_get(gpus, "pci_ids"))
        *list_push(arena, &platform->gpu_pci_ids) = id->string;
}

static void read_npus(struct arena *arena, const struct json *npus, struct platform *platform)
{
    platform->npu_count = (unsigned)json_number(npus, "count", 0);
    json_each (model, json_get(npus, "models"))
        *list_push(arena, &platform->npu_models) = model->string;
}

static void read_times(struct arena *arena, const struct json *times, struct platform *platform)
{
    json_each (time, times) {
        struct platform_time *row = list_push(arena, &platform->times);

        row->check = time->key;
        row->seconds = (unsigned)time->number;
    }
}

static const struct platform *platform_of(struct arena *arena, const struct json *document,
                                          struct slice bytes)
{
    const struct json *nvlink = json_get(document, "nvlink"), *hcas = json_get(document, "hcas");
    struct platform *platform = arena_new(arena, struct platform);

    *platform = (struct platform){
        .name = json_string(document, "name", ""),
        .title = json_string(document, "title", ""),
        .source = json_string(document, "source", ""),
        .like = json_string(document, "like", NULL),
        .nvlink_links = (unsigned)json_number(nvlink, "links", 0),
        .nvlink_gbs = json_number(nvlink, "link_gbs", 0),
        .nvlink_ceiling_gbs = json_number(nvlink, "ceiling_gbs", 0),
        .nvlink_domain_hosts = (unsigned)json_number(nvlink, "domain_hosts", 0),
        .pcie_generation = (unsigned)json_number(json_get(document, "pcie"), "generation", 0),
        .pcie_lanes = (unsigned)json_number(json_get(document, "pcie"), "lanes", 0),
        .nvswitch = json_boolean(document, "nvswitch", false),
        .fabric_state = json_boolean(document, "fabric_state", false),
        .driver_minimum = json_string(document, "driver_minimum", NULL),
        .hca_gbits = json_number(hcas, "gbits", 0),
        .bytes = bytes,
    };
    read_gpus(arena, json_get(document, "gpus"), platform);
    read_npus(arena, json_get(document, "npus"), platform);
    read_times(arena, json_get(document, "times_s"), platform);
    json_each (hca, json_get(hcas, "names"))
        *list_push(arena, &platform->hcas) = hca->string;
    platform->hca_count =
        platform->hcas.count > 0 ? (unsigned)platform->hcas.count : (unsigned)json_number(hcas, "count", 0);
    return platform;
}

/* Each rank holds what it sends, what it gets and, to check that, what it should have got. A tenth of the memory is left
   to CUDA, NCCL and the driver. */
double platform_message_room(const struct platform *platform)
{
    static const double copies = 3, usable = 0.9, gib = 1024.0 * 1024 * 1024;

    return platform->gpu_memory_gib * gib * usable / copies;
}

static const struct platform *load(struct arena *arena, const char *name, struct error *err,
                                   const struct json **ret_document)
{
    struct slice bytes;

    *ret_document = document_load(arena, "platforms", name, "platform", &bytes, err);
    return *ret_document != NULL ? platform_of(arena, *ret_document, bytes) : NULL;
}

struct words {
    const char *const *items;
    size_t count;
};

/* Models are told by any of several names. */
static bool have_one_in_common(struct words a, struct words b)
{
    for (size_t i = 0; i < a.count; i++)
        for (size_t k = 0; k < b.count; k++)
            if (strcmp(a.items[i], b.items[k]) == 0)
                return true;
    return a.count == 0 && b.count == 0;
}

static bool have_the_same_parts(const struct platform *a, const struct platform *b)
{
    return a->gpu_count == b->gpu_count && a->npu_count == b->npu_count &&
           a->nvlink_links == b->nvlink_links && a->nvswitch == b->nvswitch &&
           have_one_in_common((struct words){a->gpu_models.items, a->gpu_models.count},
                              (struct words){b->gpu_models.items, b->gpu_models.count}) &&
           have_one_in_common((struct words){a->npu_models.items, a->npu_models.count},
                              (struct words){b->npu_models.items, b->npu_models.count});
}

const struct platform *platform_twin(struct arena *arena, const struct platform *platform)
{
    const struct json *document;

    if (builtin_find("platforms", platform->name) != NULL)
        return NULL;
    builtin_each (row, "platforms") {
        const struct platform *other = load(arena, row->name, NULL, &document);

        if (other != NULL && have_the_same_parts(platform, other))
            return other;
    }
    return NULL;
}

const struct platform *platform_load(struct arena *arena, const char *name, struct error *err)
{
    const struct json *document, *ignored;
    const struct platform *platform = load(arena, name, err, &document), *other;

    if (platform == NULL || platform->like == NULL)
        return platform;
    other =
        builtin_find("platforms", platform->like) != NULL ? load(arena, platform->like, err, &ignored) : NULL;
    if (other != NULL && have_the_same_parts(platform, other))
        return platform;
    (void)json_error(err, json_get(document, "like"),
                     other != NULL
                         ? "platform %s has other GPUs, NVLinks or NVSwitches than '%s'; expected a "
                           "built-in platform with the same, or no \"like\""
                         : "platform %s is like '%s', which is not built in; `assay platform list` "
                           "shows those that are",
                     platform->name, platform->like);
    return NULL;
}

const struct platform *platform_parse(struct arena *arena, const char *file, struct slice bytes,
                                      struct error *err)
{
    const struct json *document = document_parse(arena, file, bytes, "platform", err);

    return document != NULL ? platform_of(arena, document, bytes) : NULL;
}

unsigned platform_time(const struct platform *platform, const char *check)
{
    for (size_t i = 0; i < platform->times.count; i++)
        if (strcmp(platform->times.items[i].check, check) == 0)
            return platform->times.items[i].seconds;
    return 0;
}
