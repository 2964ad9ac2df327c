/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's software RAID: arrays of drives that the kernel's md driver keeps. A mirror that has lost a drive works, and
 * so nothing else tells of it before the second one goes. Arrays of a controller's own are not seen here: its BMC tells
 * of those (check redfish).
 */
#include <stdlib.h>
#include <string.h>

#include "assay/base/text.h"
#include "assay/reasons/check.h"
#include "rules.h"
#include "script.h"

#define MDSTAT "md(4); the kernel's /proc/mdstat"

/* "raid0 of 6, 2 x raid1 of 2": names and numbers of arrays differ from host to host for no reason; what they are made of
   does not. */
static const char *layout_of(struct arena *arena, const struct reading *md)
{
    LIST_OF(const char *) arrays = {0};
    const char *text = "";

    for (size_t i = 0; i < md->facts.count; i++) {
        const struct fact *fact = &md->facts.items[i];
        const char *level;

        if (strcmp(fact->name, "md.members") != 0)
            continue;
        level = reading_get_fact(md, "md.level", fact->subject);
        *list_push(arena, &arrays) =
            arena_printf(arena, "%s of %s", level != NULL ? level : "?", fact->value);
    }
    if (arrays.count == 0)
        return "none";
    qsort(arrays.items, arrays.count, sizeof *arrays.items, text_compare);
    for (size_t i = 0, same; i < arrays.count; i += same) {
        const char *times = "";

        for (same = 1; i + same < arrays.count && strcmp(arrays.items[i], arrays.items[i + same]) == 0;)
            same++;
        if (same > 1)
            times = arena_printf(arena, "%zu x ", same);
        text = arena_printf(arena, "%s%s%s%s", text, i > 0 ? ", " : "", times, arrays.items[i]);
    }
    return text;
}

static void tell_faults(struct reading *out, const char *item, const char *code)
{
    const struct reason *faults = NULL;

    list_each (finding, out->findings)
        if (strcmp(finding->code, code) == 0)
            faults = reason_also(out->arena, faults, finding->what);
    if (faults != NULL)
        reading_fact_said(out, item, "", faults);
    else
        reading_fact(out, item, "", slice_of("none"));
}

/* What keeps drives busy, and of a mirror is not over before it protects; a scrub (check) is neither. */
static void tell_syncing(struct reading *out)
{
    const char *text = "";

    for (size_t i = 0; i < out->facts.count; i++) {
        const struct fact *fact = &out->facts.items[i];
        struct slice value = slice_of(fact->value);

        if (strcmp(fact->name, "md.sync") == 0 && !slice_starts(value, "check") &&
            !slice_ends(value, "PENDING"))
            text = arena_printf(out->arena, "%s%s%s %s", text, *text != '\0' ? ", " : "", fact->subject,
                                fact->value);
    }
    reading_fact(out, "md.syncing", "", slice_of(*text != '\0' ? text : "none"));
}

static void read_md_raid(const struct check_context *context, const struct attempt *attempt,
                         struct reading *out)
{
    const struct part *driver = attempt_part(attempt, "driver");
    const char *has_md = driver != NULL ? reading_get_fact(&driver->reading, "md.driver", "") : NULL;

    if (has_md != NULL && strcmp(has_md, "none") == 0) {
        reading_merge(out, &driver->reading);
        reading_set(out, driver->reading.status, driver->reading.reason);
    } else {
        read_parts(context, attempt, out);
    }
    if (out->status != READING_COMPLETE || has_md == NULL)
        return;
    tell_faults(out, "md.degraded", "md.array_degraded");
    tell_faults(out, "md.failed_members", "md.member_failed");
    tell_faults(out, "md.not_active", "md.array_not_active");
    tell_syncing(out);
    reading_fact(out, "md.layout", "", slice_of(layout_of(out->arena, out)));
    /* The gates tell them; `sound` shall not tell them a second time. */
    for (size_t i = 0; i < out->findings.count; i++)
        if (out->findings.items[i].severity == SEVERITY_FAULT)
            out->findings.items[i].severity = SEVERITY_WARNING;
}

const struct check check_md_raid = {
    .name = "md-raid",
    .title = "Software RAID",
    .summary = "no array of the host's drives (md) is degraded or stopped; all hosts have the same arrays",
    .concerns = OF_HOST,
    .passive = true,
    .arguments = ARGUMENTS(ALLOWED_ARGUMENT_ROW("{\"md.layout\": \"none|raid1 of 2\"}")),
    .arguments_fault = rules_allowed_fault,
    .parts =
        PARTS({"driver", "key-value", .script = script_md_raid, .typed = "ls /proc/mdstat"},
              {"mdstat", "mdstat",
               .script = "[ ! -e \"$ASSAY_LAB_ROOT\"/proc/mdstat ] || cat \"$ASSAY_LAB_ROOT\"/proc/mdstat",
               .typed = "cat /proc/mdstat"}),
    .items = ITEMS(
        {"md.degraded", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_EQUAL("md.degraded", "none", MDSTAT)},
        {"md.failed_members", PER_TARGET, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("md.failed_members", "none", MDSTAT)},
        {"md.not_active", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_EQUAL("md.not_active", "none", MDSTAT)},
        {"md.layout", PER_TARGET, NULL, DUTY_GATE,
         LIMITS RULES_SAME("md.layout", "assay: hosts of one platform are set up alike")},
        {"md.syncing", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_EQUAL("md.syncing", "none", MDSTAT)}),
    .remedies = REMEDIES({"md.degraded", REASON(replace_member_of_array)},
                         {"md.failed_members", REASON(replace_member_of_array)},
                         {"md.not_active", REASON(assemble_array)}, {"md.layout", REASON(make_arrays_alike)},
                         {"md.syncing", REASON(wait_for_resync)}),
    .plain = PLAIN_WORDS({"md.degraded", PLAIN(array_lost_drive, PLAIN_MEASURED)},
                         {"md.failed_members", PLAIN(array_lost_drive, PLAIN_MEASURED)},
                         {"md.not_active", PLAIN(array_does_not_work, PLAIN_MEASURED)}),
    .expected_s = 1,
    .read = read_md_raid,
};
