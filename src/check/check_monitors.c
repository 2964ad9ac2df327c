/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that disturb tests of GPUs a little, named before any test: a remark, never a reason to fail. */
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "monitors.h"

#define RUNNING "monitors.running"

static void read_monitors(const struct check_context *context, const struct attempt *attempt,
                          struct reading *out)
{
    const struct part *part = attempt_part(attempt, "main");
    enum { MONITORS_MOST = 64 }; /* no host has as many; a flood of lines is not to take our memory */
    const struct reason *told = NULL, *monitor;
    struct slice rest;
    size_t count = 0;

    (void)context;
    if (part == NULL || !part->ended || part->rc != 0) {
        reading_set(out, READING_FAILED, REASON(process_list_not_read));
        return;
    }
    rest = part->out;
    while ((monitor = monitors_next(out->arena, &rest)) != NULL)
        if (count++ < MONITORS_MOST)
            told = reason_also(out->arena, told, monitor);
    if (count > MONITORS_MOST)
        told = reason(out->arena, and_more, told, count - MONITORS_MOST);
    if (told != NULL)
        reading_fact_said(out, RUNNING, "", told);
    else
        reading_fact(out, RUNNING, "", slice_of("none"));
    reading_set(out, READING_COMPLETE, NULL);
}

static const struct limit rules[] = MONITORS_RULES(RUNNING);

const struct check check_monitors = {
    .name = "monitors",
    .title = "Monitors",
    .summary = "names programs that poll GPUs or hold their counters (dcgm-exporter, profiling, loops of "
               "nvidia-smi)",
    .concerns = OF_HOST,
    .on = ON_GPUS,
    .passive = true,
    .as_root = true,
    .parts = PARTS({.name = "main", .script = script_monitors, .typed = MONITORS_TYPED}),
    .items = ITEMS({RUNNING, PER_TARGET, NULL, DUTY_RECORD, rules}),
    /* What stands in the way of nothing; the limit's note says what to do. */
    .remedies = REMEDIES({"*", .about = &sentence_dcgm_exporter_runs, .problem = "monitor", .on_hosts = true,
                          .command = "sudo systemctl stop dcgm-exporter"},
                         {"*", .about = &sentence_hostengine_profiles, .problem = "monitor", .on_hosts = true,
                          .command = "dcgmi profile --pause"},
                         {"*", .problem = "monitor", .on_hosts = true}),
    .expected_s = 1,
    .read = read_monitors,
};
