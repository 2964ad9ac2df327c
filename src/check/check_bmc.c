/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The management controller's memory of the host: failures in its event log (SEL), and power supplies and
 * fans as they are now; and its own firmware, one on all hosts. ipmitool and a BMC are not everywhere: then bmc.available says why not, and what is
 * gated is undecided.
 *
 * Which events are of this run? Neither our clock nor the host's is the BMC's, so events are as old as the
 * BMC's own clock says: those younger than the argument since_s count, and all others are only written down.
 */
#include <string.h>
#include <time.h>

#include "assay/reasons/check.h"

#include "rules.h"
#include "script.h"

static void command_ipmitool(const struct check_context *context, struct text *out)
{
    script_begin(out, "ipmitool sel elist; ipmitool sdr");
    script_set(out, "ipmitool", check_tool(context, "ipmitool")->path);
    script_tool(context, out, "ipmitool", "ipmitool");
    text_put(out, script_bmc);
}

static const struct part_row parts[] = {{"ipmitool", "ipmitool", command_ipmitool, NULL}, {0}};

/* "2026-09-28T14:00:00" in seconds of that clock, whatever its zone. */
static bool seconds_of(const char *text, double *ret_seconds)
{
    struct slice rest = slice_of(text);
    uint64_t piece[6];
    struct tm time = {0};

    for (size_t i = 0; i < 6; i++) {
        if (!scan_digits(&rest, &piece[i]) || piece[i] > 9999)
            return false;
        if (rest.length > 0)
            rest = slice_from(rest, 1);
    }
    time.tm_year = (int)piece[0] - 1900;
    time.tm_mon = (int)piece[1] - 1;
    time.tm_mday = (int)piece[2];
    time.tm_hour = (int)piece[3];
    time.tm_min = (int)piece[4];
    time.tm_sec = (int)piece[5];
    *ret_seconds = (double)timegm(&time);
    return true;
}

/* An event without a time came before the BMC knew it: after the last power cut, whenever that was. */
static bool is_young(const struct reading *bmc, const char *record, double since_s)
{
    const char *now = reading_get_fact(bmc, "ipmi.sel.clock", "");
    const char *then = reading_get_fact(bmc, "ipmi.sel.time", record);
    double now_s, then_s;

    return then == NULL || now == NULL || !seconds_of(now, &now_s) || !seconds_of(then, &then_s) ||
           now_s - then_s <= since_s;
}

static void tell_firmware(const struct reading *bmc, struct reading *out)
{
    const char *firmware = reading_get_fact(bmc, "ipmi.firmware", ""),
               *further = reading_get_fact(bmc, "ipmi.firmware_further", "");

    if (firmware != NULL)
        reading_fact(
            out, "bmc.firmware", "",
            slice_of(further != NULL ? arena_printf(out->arena, "%s (%s)", firmware, further) : firmware));
}

/* faults: NULL where there are none. */
static void tell_faults(struct reading *out, const char *fact, const struct reason *faults)
{
    if (faults != NULL)
        reading_fact_said(out, fact, "", faults);
    else
        reading_fact(out, fact, "", slice_of("none"));
}

static void read_bmc(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    const struct reading *bmc = &attempt->parts.items[0].reading;
    double since_s = check_number(context, "since_s");
    const struct reason *events = NULL, *sensors = NULL;
    bool any_sensor = false;

    if (bmc->status == READING_FAILED) {
        reading_fact_said(out, "bmc.available", "", reason(out->arena, no_because, bmc->reason));
        reading_finding(out, SEVERITY_INFO, "bmc.sel_faults.unread", "", bmc->reason);
        reading_finding(out, SEVERITY_INFO, "bmc.sensor_faults.unread", "", bmc->reason);
        reading_finding(out, SEVERITY_INFO, "bmc.firmware.unread", "", bmc->reason);
        reading_set(out, READING_COMPLETE, NULL);
        return;
    }
    reading_fact(out, "bmc.available", "", slice_of("yes"));
    tell_firmware(bmc, out);
    for (size_t i = 0; i < bmc->facts.count; i++) {
        any_sensor |= strcmp(bmc->facts.items[i].name, "ipmi.sensor") == 0;
        reading_fact(out, bmc->facts.items[i].name, bmc->facts.items[i].subject,
                     slice_of(bmc->facts.items[i].value));
    }
    for (size_t i = 0; i < bmc->findings.count; i++) {
        struct finding finding = bmc->findings.items[i];
        const struct reason *what =
            finding.what != NULL ? finding.what : reason_text(out->arena, finding.code);
        bool event = strcmp(finding.code, "ipmi.sel.event") == 0;

        if (event && !is_young(bmc, finding.subject, since_s))
            finding.severity = SEVERITY_INFO;
        if (finding.severity == SEVERITY_FAULT && event)
            events = reason_also(out->arena, events, what);
        if (finding.severity == SEVERITY_FAULT && !event)
            sensors = reason_also(out->arena, sensors, what);
        /* The two gates tell it; the finding shall not tell it a second time. */
        if (finding.severity == SEVERITY_FAULT)
            finding.severity = SEVERITY_WARNING;
        *list_push(out->arena, &out->findings) = finding;
    }
    reading_set(out, bmc->status, bmc->reason);
    if (bmc->status != READING_COMPLETE)
        return;
    /* Without the count and the clock nobody knows whether the log is whole, and which events are young. */
    if (reading_get_fact(bmc, "ipmi.sel.entries", "") != NULL &&
        reading_get_fact(bmc, "ipmi.sel.clock", "") != NULL)
        tell_faults(out, "bmc.sel_faults", events);
    if (any_sensor)
        tell_faults(out, "bmc.sensor_faults", sensors);
}

static const struct item items[] = {
    {"bmc.sel_faults", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_EQUAL("bmc.sel_faults", "none", "BMC")},
    {"bmc.sensor_faults", PER_TARGET, NULL, DUTY_GATE,
     LIMITS RULES_EQUAL("bmc.sensor_faults", "none", "BMC")},
    {"bmc.firmware", PER_TARGET, NULL, DUTY_GATE,
     LIMITS RULES_SAME("bmc.firmware", "assay: hosts of one platform are built alike")},
    {"bmc.available", PER_TARGET, NULL, DUTY_RECORD, NULL},
    {"ipmi.sel.entries", PER_TARGET, NULL, DUTY_RECORD, NULL},
    {"ipmi.sel.clock", PER_TARGET, NULL, DUTY_RECORD, NULL},
    {0},
};

static const struct argument arguments[] = {
    {"since_s", ARGUMENT_COUNT, "86400", "seconds back from the BMC's own time: older events are not judged",
     MORE_IS_MORE},
    ALLOWED_ARGUMENT_ROW("{\"bmc.firmware\": \"1.15|1.16\"}"),
    {0},
};

static const struct remedy remedies[] = {
    {"bmc.*", REASON(let_ipmitool_read), .about = &sentence_value_not_read},
    {"bmc.sel_faults", REASON(look_up_bmc_event)},
    {"bmc.firmware", REASON(flash_one_bmc_firmware)},
    {"bmc.sensor_faults", REASON(replace_power_supply_or_fan)},
    {0},
};

const struct check check_bmc = {
    .name = "bmc",
    .title = "BMC event log",
    .summary = "no failure in the BMC's event log of the last day; power supplies and fans are well",
    .concerns = OF_HOST,
    .scopes = SCOPE_HOST,
    .passive = true,
    .as_root = true,
    .arguments = arguments,
    .arguments_fault = rules_allowed_fault,
    .parts = parts,
    .items = items,
    .remedies = remedies,
    .expected_s = 30,
    .read = read_bmc,
};
