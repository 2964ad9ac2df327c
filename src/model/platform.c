/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/platform.h"

#include <string.h>

#include "assay/json.h"

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

const struct platform *platform_load(struct arena *arena, const char *name, struct error *err)
{
    struct slice bytes;
    const struct json *document = document_load(arena, "platforms", name, "platform", &bytes, err);

    return document != NULL ? platform_of(arena, document, bytes) : NULL;
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
