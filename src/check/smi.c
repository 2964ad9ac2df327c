/* SPDX-License-Identifier: Apache-2.0 */
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
        for (size_t k = 0; k < sizeof owners / sizeof owners[0]; k++)
            if (strcmp(out->findings.items[i].code, owners[k].code) == 0 &&
                !owes(context->check, owners[k].metric))
                out->findings.items[i].severity = SEVERITY_WARNING;
}

void smi_field_or_none(struct reading *out, const char *fact)
{
    size_t count = out->facts.count;

    for (size_t i = 0; i < count; i++)
        if (strcmp(out->facts.items[i].name, "gpu.uuid") == 0 &&
            reading_get_fact(out, fact, out->facts.items[i].subject) == NULL)
            reading_fact(out, fact, out->facts.items[i].subject, slice_of("N/A"));
}
