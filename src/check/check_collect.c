/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a vendor asks for before a part is exchanged, as the host tells it: `assay collect` keeps it with the run. Nothing of it
 * is judged but that the host gave it at all. One step a kind, so that one that hangs takes nothing from the others.
 */
#include <string.h>

#include "assay/reasons/check.h"

#include "rules.h"
#include "script.h"

/* By the name in sh/collect.sh: what a person would type, how long a healthy host takes, how many commands share that. */
static const struct kind {
    const char *name, *typed;
    unsigned expected_s, commands;
} kinds[] = {
    {"nvidia-bug-report", "nvidia-bug-report.sh", 180, 2},
    {"nvidia-smi", "nvidia-smi -q", 15, 4},
    {"kernel-log", "dmesg", 10, 2},
    {"system", "dmidecode", 10, 5},
    {"pci", "lspci -vvv", 10, 1},
    {"bmc", "ipmitool sel elist", 90, 4},
    {"dcgm", "dcgmi discovery -l", 15, 3},
    {"fabric-manager", "systemctl status nvidia-fabricmanager", 10, 3},
    {"fabric", "ibstat", 60, 3},
};

static const struct argument arguments[] = {
    {"what", ARGUMENT_TEXT, NULL,
     "nvidia-bug-report, nvidia-smi, kernel-log, system, pci, bmc, dcgm, fabric-manager or fabric; required"},
    {0},
};

static const struct kind *kind_of(const struct check_context *context)
{
    const char *what = check_text(context, "what");

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (strcmp(kinds[i].name, what) == 0)
            return &kinds[i];
    return NULL;
}

static const char *arguments_fault(const struct check_context *context)
{
    if (kind_of(context) != NULL)
        return NULL;
    return arena_printf(context->arena, "what: '%s'; expected %s", check_text(context, "what"),
                        arguments[0].help);
}

static void command(const struct check_context *context, struct text *out)
{
    const struct kind *kind = kind_of(context);

    script_begin(out, kind->typed);
    /* One that hangs leaves time for the others. */
    script_set_number(out, "most_s", context->deadline_s * 0.9 / kind->commands, 1);
    text_put(out, "set --");
    script_word(out, kind->name);
    text_put(out, "\n");
    text_put(out, script_collect);
}

static unsigned expected(const struct check_context *context)
{
    const struct kind *kind = kind_of(context);

    return kind != NULL ? kind->expected_s : 60;
}

static void read_collected(const struct check_context *context, const struct attempt *attempt,
                           struct reading *out)
{
    const struct part *part = attempt_part(attempt, "main");

    (void)context;
    if (part == NULL || !part->ended) {
        reading_set(out, READING_PARTIAL, REASON(command_not_ended));
        return;
    }
    reading_set(out, part->rc == 0 ? READING_COMPLETE : READING_FAILED,
                part->rc == 0 ? NULL : REASON(nothing_to_collect));
    reading_measure(out, "collect.size", "", (double)part->out.length / (1 << 20), "MiB");
}

const struct check check_collect = {
    .name = "collect",
    .title = "What a vendor asks for",
    .summary =
        "logs and states of the host that a vendor asks for before a part is exchanged; nothing is judged",
    .concerns = OF_ALL,
    .passive = true,
    .as_root = true,
    .arguments = arguments,
    .arguments_fault = arguments_fault,
    .parts = PARTS({"main", NULL, command, NULL}),
    .items = ITEMS({"collect.size", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES({"*", REASON(collect_by_hand)}),
    .expected = expected,
    .read = read_collected,
};
