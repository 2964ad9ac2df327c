/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "assay/base/nearest.h"
#include "assay/model/limit.h"

static const struct baseline *read_baseline(struct arena *arena, const struct json *document,
                                            struct slice bytes, struct error *err)
{
    struct baseline *baseline = arena_new(arena, struct baseline);
    bool sound = true;

    baseline->name = json_string(document, "name", "");
    baseline->title = json_string(document, "title", "");
    baseline->document = document;
    baseline->bytes = bytes;
    json_each (name, json_get(document, "platforms"))
        *list_push(arena, &baseline->platforms) = name->string;
    json_each (limit, json_get(document, "limits")) {
        *list_push(arena, &baseline->at) = limit;
        sound &= limit_from_json(arena, limit, json_number(document, "derived_tolerance", 0),
                                 list_push(arena, &baseline->limits), err) == 0;
    }
    return sound ? baseline : NULL;
}

static bool names(const struct baseline *baseline, const char *platform)
{
    return word_is_among(platform, baseline->platforms.items, baseline->platforms.count);
}

bool baseline_is_for(const struct baseline *baseline, const struct platform *platform)
{
    return names(baseline, platform->name) || (platform->like != NULL && names(baseline, platform->like));
}

const struct limit *baseline_find(const struct baseline *baseline, const char *metric, const char *subject,
                                  const char *scope, unsigned hosts, unsigned racks, unsigned rack_hosts,
                                  double size_bytes)
{
    for (size_t i = 0; i < baseline->limits.count; i++)
        if (limit_applies(&baseline->limits.items[i], metric, subject, scope, hosts, size_bytes) &&
            limit_is_for_racks(&baseline->limits.items[i], racks, rack_hosts))
            return &baseline->limits.items[i];
    return NULL;
}

const struct baseline *baseline_load(struct arena *arena, const char *name, struct error *err)
{
    struct slice bytes;
    const struct json *document = document_load(arena, "baselines", name, "baseline", &bytes, err);

    return document != NULL ? read_baseline(arena, document, bytes, err) : NULL;
}

const struct baseline *baseline_parse(struct arena *arena, const char *file, struct slice bytes,
                                      struct error *err)
{
    const struct json *document = document_parse(arena, file, bytes, "baseline", err);
    struct slice copy = {arena_strndup(arena, bytes.bytes, bytes.length), bytes.length};

    return document != NULL ? read_baseline(arena, document, copy, err) : NULL;
}

const struct baseline *baseline_for_platform(struct arena *arena, const struct platform *platform)
{
    builtin_each (row, "baselines") {
        const struct baseline *baseline = baseline_load(arena, row->name, NULL);

        if (baseline != NULL && baseline_is_for(baseline, platform))
            return baseline;
    }
    return NULL;
}
