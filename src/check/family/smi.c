/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "smi.h"

#include <string.h>

static const struct owner {
    const char *code, *metric;
} owners[] = {
    {"gpu.reset_required", "gpu.reset_required"},
    {"gpu.recovery_action", "gpu.recovery_action"},
    {"gpu.remap_failure", "remapped_rows.failure"},
    {"gpu.sram_threshold", "ecc.sram_threshold_exceeded"},
    {"gpu.unrepairable_memory", "ecc.unrepairable_memory"},
};

static bool owes(const struct check *check, const char *metric)
{
    for (const struct item *item = check->items; item != NULL && item->metric != NULL; item++)
        if (strcmp(item->metric, metric) == 0)
            return true;
    return false;
}

void smi_leave_to_owner(const struct check_context *context, struct reading *out)
{
    for (size_t i = 0; i < out->findings.count; i++)
        for (size_t k = 0; k < ARRAY_SIZE(owners); k++)
            if (strcmp(out->findings.items[i].code, owners[k].code) == 0 &&
                !owes(context->check, owners[k].metric))
                out->findings.items[i].severity = SEVERITY_WARNING;
}

bool smi_merge(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    const struct part *smi = attempt_part(attempt, "nvidia-smi");

    if (smi == NULL || smi->reading.status != READING_COMPLETE) {
        reading_set(out, READING_PARTIAL,
                    reason(out->arena, about, "nvidia-smi",
                           smi != NULL ? smi->reading.reason : REASON(part_did_not_run)));
        return false;
    }
    reading_merge(out, &smi->reading);
    smi_leave_to_owner(context, out);
    return true;
}

/* The first number of "535.129.03"; 0: not told. */
static uint64_t driver_release(const struct reading *reading)
{
    const char *version = reading_get_fact(reading, "driver.version", "");
    struct slice rest = slice_of(version != NULL ? version : "");
    uint64_t release;

    return scan_digits(&rest, &release) ? release : 0;
}

void smi_field_missing(struct reading *out, const char *fact, unsigned first)
{
    uint64_t release = driver_release(out);
    size_t count = out->facts.count;

    for (size_t i = 0; i < count; i++) {
        const char *gpu = out->facts.items[i].subject;

        if (strcmp(out->facts.items[i].name, "gpu.uuid") != 0 || reading_get_fact(out, fact, gpu) != NULL)
            continue;
        if (release > 0 && release < first)
            reading_fact_said(out, fact, gpu, REASON(not_in_this_driver));
        else
            reading_unread(out, fact, gpu, REASON(not_shown_by_nvidia_smi));
    }
}
