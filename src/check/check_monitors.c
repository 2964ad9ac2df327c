/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that disturb tests of GPUs a little, named before any test: a remark, never a reason to fail. */
#include "monitors.h"

#define RUNNING "monitors.running"

static const struct part_row parts[] = {{.name = "main", .script = script_monitors, .typed = MONITORS_TYPED},
                                        {0}};

static void read_monitors(const struct check_context *context, const struct attempt *attempt,
                          struct reading *out)
{
    const struct part *part = attempt_part(attempt, "main");
    cleanup_text struct text told = {0};
    struct slice rest, line;

    (void)context;
    if (part == NULL || !part->ended || part->rc != 0) {
        reading_set(out, READING_FAILED, "the list of processes was not read");
        return;
    }
    text_init(&told, 4096);
    rest = part->out;
    while (scan_line(&rest, &line))
        if (slice_trim(line).length > 0)
            text_printf(&told, "%s%s", told.length > 0 ? "; " : "", utf8_clean(out->arena, slice_trim(line)));
    reading_fact(out, RUNNING, "",
                 told.length > 0 ? (struct slice){told.bytes, told.length} : slice_of("none"));
    reading_set(out, READING_COMPLETE, "%s", "");
}

static const struct limit rules[] = MONITORS_RULES(RUNNING);

static const struct item items[] = {{RUNNING, PER_TARGET, NULL, DUTY_RECORD, rules}, {0}};

/* What stands in the way of nothing; the limit's note says what to do. */
static const struct remedy remedies[] = {
    {"*", .said = "dcgm-exporter (pid", .problem = "monitor", .on_hosts = true,
     .command = "sudo systemctl stop dcgm-exporter"},
    {"*", .said = "nv-hostengine with", .problem = "monitor", .on_hosts = true,
     .command = "dcgmi profile --pause"},
    {"*", .problem = "monitor", .on_hosts = true},
    {0},
};

const struct check check_monitors = {
    .name = "monitors",
    .title = "Monitors",
    .summary = "names programs that poll GPUs or hold their counters (dcgm-exporter, profiling, loops of "
               "nvidia-smi)",
    .concerns = OF_HOST,
    .scopes = SCOPE_HOST,
    .on = ON_GPUS,
    .passive = true,
    .as_root = true,
    .parts = parts,
    .items = items,
    .remedies = remedies,
    .expected_s = 1,
    .read = read_monitors,
};
