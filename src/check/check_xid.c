/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel's log has of the GPUs and their switches since the host was booted, outside any test. An Xid
 * of the failing kind speaks against the GPU whoever provoked it; what programs cause is only written down. A
 * suite that takes over hosts with a past may list xid.failing under "record".
 *
 * dmesg shows a ring that turns over; where it has, the log is that of the journal, if that has the boot's beginning.
 */
#include <string.h>

#include "assay/reasons/check.h"

#include "rules.h"
#include "script.h"
#include "smi.h"

/* "gpu3" for the address of a kernel line, which has no function; "" for what is no GPU of nvidia-smi's. */
static const char *gpu_at(const struct reading *smi, const char *address)
{
    for (size_t i = 0; i < smi->facts.count; i++)
        if (*address != '\0' && strcmp(smi->facts.items[i].name, "gpu.pci_address") == 0 &&
            slice_starts(slice_of(smi->facts.items[i].value), address))
            return smi->facts.items[i].subject;
    return "";
}

/* What the log has of this subject: the first failing line with the number of all such, and all codes. That it has
   none says something only of a log that reaches back to the boot. */
static void add_facts(struct reading *out, const struct reading *log, const char *subject, bool since_boot)
{
    const struct reason *first = NULL;
    const char *seen = "";
    unsigned failing = 0;

    for (size_t i = 0; i < log->findings.count; i++) {
        const struct finding *finding = &log->findings.items[i];

        if (strcmp(finding->subject, subject) != 0)
            continue;
        seen = arena_printf(out->arena, "%s%s%s", seen, *seen != '\0' ? " " : "", finding->code);
        if (finding->severity != SEVERITY_FAULT)
            continue;
        failing++;
        if (first == NULL)
            first = finding->what;
    }
    reading_fact(out, "xid.seen", subject, slice_of(*seen != '\0' ? seen : "none"));
    if (failing > 1)
        first = reason(out->arena, several_lines_first, failing, first);
    if (failing > 0)
        reading_fact_said(out, "xid.failing", subject, first);
    else if (since_boot)
        reading_fact(out, "xid.failing", subject, slice_of("none"));
    else
        reading_unread(out, "xid.failing", subject, REASON(log_begins_after_boot));
}

/* The stamp of the oldest line that is kept: of a log that turned round, what came before is not known. Whether that
   line is one of the boot's first second, or the kernel's first. */
static bool add_beginning(struct reading *out, struct slice log)
{
    struct slice line, stamp;
    size_t close;
    double seconds;

    while (scan_line(&log, &line)) {
        close = slice_find(line, "]");
        if (!slice_starts(line, "[") || close == (size_t)-1)
            continue;
        stamp = slice_trim((struct slice){line.bytes + 1, close - 1});
        if (scan_double(stamp, &seconds)) {
            reading_measure(out, "xid.log_begins", "", seconds, "s");
            return seconds < 1 || slice_contains(line, "Linux version ");
        }
    }
    return false;
}

static void read_log(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    const struct part *log = attempt_part(attempt, "since-boot");
    struct reading named;
    bool since_boot;

    read_parts(context, attempt, out);
    smi_leave_to_owner(context, out);
    if (out->status != READING_COMPLETE || log == NULL)
        return;
    reading_init(&named, out->arena, "xid");
    for (size_t i = 0; i < log->reading.findings.count; i++) {
        struct finding *finding = list_push(out->arena, &named.findings);

        *finding = log->reading.findings.items[i];
        finding->subject = gpu_at(out, finding->subject);
    }
    /* The items say which of them fail; as complaints of their own they would say so twice. */
    for (size_t i = 0; i < out->findings.count; i++)
        if (strncmp(out->findings.items[i].code, "xid.", 4) == 0 ||
            strncmp(out->findings.items[i].code, "sxid.", 5) == 0)
            out->findings.items[i].severity = SEVERITY_WARNING;
    since_boot = add_beginning(out, log->out);
    for (unsigned i = 0; i < context->platform->gpu_count; i++)
        add_facts(out, &named, arena_printf(out->arena, "gpu%u", i), since_boot);
    add_facts(out, &named, "", since_boot);
}

static const struct limit none_rules[] = RULES_EQUAL(
    "xid.failing", "none", "docs.nvidia.com/deploy/xid-errors: what a restart of the program does not fix");

const struct check check_xid = {
    .name = "xid",
    .title = "Xid errors since boot",
    .summary = "the kernel's log since boot has no Xid of the failing kind and no fatal SXid",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .passive = true,
    .loads = LOAD_GPUS | LOAD_NVLINKS,
    .as_root = true,
    .parts = PARTS({.name = "since-boot",
                    .parser = "xid",
                    .script = script_xid_log,
                    .typed = "dmesg, or journalctl -k -b"},
                   {"nvidia-smi", "nvidia-smi", command_nvidia_smi_query, NULL}),
    .items = ITEMS({"xid.failing", PER_GPU, NULL, DUTY_GATE, none_rules},
                   {"xid.failing", PER_TARGET, NULL, DUTY_GATE, none_rules},
                   {"xid.seen", PER_GPU, NULL, DUTY_RECORD, NULL},
                   {"xid.seen", PER_TARGET, NULL, DUTY_RECORD, NULL},
                   {"xid.log_begins", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .remedies =
        REMEDIES({"xid.failing", REASON(do_xid_action)}, {"sound", REASON(let_login_read_kernel_log)}),
    .expected_s = 5,
    .read = read_log,
};
