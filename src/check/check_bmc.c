/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The management controller's memory of the host: failures in its event log (SEL), and power supplies and
 * fans as they are now; and its own firmware, one on all hosts. ipmitool and a BMC are not everywhere: then bmc.available says why not, and what is
 * gated is undecided.
 *
 * Which events are of this run? Neither our clock nor the host's is the BMC's, so events are as old as the
 * BMC's own clock says, and the host's where that is behind it: a BMC's clock that was set ahead makes young events old.
 * Those younger than the argument since_s count, and all others are only written down. A BMC may tell the time of its zone,
 * so of one ahead of UTC older events may count too.
 *
 * A log that is full has no place for the next event: one that has lost some already says nothing of the last day.
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

enum { ZONE_MOST_S = 14 * 3600, AHEAD_MOST_S = 3600 };

/* Of the BMC, and of the host; false: it was not told. */
static bool clock_of(const struct reading *bmc, const char *fact, double *ret_now)
{
    const char *now = reading_get_fact(bmc, fact, "");

    return now != NULL && seconds_of(now, ret_now);
}

/* An event without a time came before the BMC knew it: after the last power cut, whenever that was. */
static bool is_young(const struct reading *bmc, const char *record, double since_s)
{
    const char *then = reading_get_fact(bmc, "ipmi.sel.time", record);
    double now_s, host_s, then_s;

    if (then == NULL || !clock_of(bmc, "ipmi.sel.clock", &now_s) || !seconds_of(then, &then_s))
        return true;
    if (clock_of(bmc, "ipmi.host_clock", &host_s) && host_s < now_s)
        now_s = host_s;
    return now_s - then_s <= since_s;
}

/* Both by the host's clock, which the check `os` judges. */
static void tell_clock(const struct reading *bmc, struct reading *out)
{
    double now_s, host_s;

    if (!clock_of(bmc, "ipmi.sel.clock", &now_s) || !clock_of(bmc, "ipmi.host_clock", &host_s))
        return;
    if (now_s - host_s > ZONE_MOST_S + AHEAD_MOST_S)
        reading_fact_said(out, "bmc.clock", "",
                          reason(out->arena, hours_ahead_of_host,
                                 arena_printf(out->arena, "%.0f", (now_s - host_s) / 3600)));
    else
        reading_fact(out, "bmc.clock", "", slice_of("not ahead"));
}

/* Whether the log has lost events. Of one that is full the next is lost. */
static bool tell_room(const struct reading *bmc, struct reading *out)
{
    const char *overflow = reading_get_fact(bmc, "ipmi.sel.overflow", ""),
               *left = reading_get_fact(bmc, "ipmi.sel.free", "");
    bool lost = overflow != NULL && strcmp(overflow, "true") == 0;

    if (lost)
        reading_fact_said(out, "bmc.sel_room", "", REASON(event_log_has_lost_events));
    else if (left != NULL && strcmp(left, "0") == 0)
        reading_fact_said(out, "bmc.sel_room", "", REASON(event_log_is_full));
    else if (overflow != NULL || left != NULL)
        reading_fact(out, "bmc.sel_room", "", slice_of("left"));
    return lost;
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

/* Whether a sensor that is at fault now is the event's: then the event is how that began, and one fault with it. */
static bool lasts(const struct reading *bmc, const struct finding *event)
{
    list_each (sensor, bmc->findings)
        if (sensor->severity == SEVERITY_FAULT && strcmp(sensor->code, "ipmi.sel.event") != 0 &&
            *sensor->subject != '\0' && event->what != NULL && reason_mentions(event->what, sensor->subject))
            return true;
    return false;
}

static void read_bmc(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    const struct reading *bmc = &attempt->parts.items[0].reading;
    double since_s = check_number(context, "since_s");
    const struct reason *events = NULL, *sensors = NULL;
    bool any_sensor = false, all_last = true, lost;

    if (bmc->status == READING_FAILED) {
        reading_fact_said(out, "bmc.available", "", reason(out->arena, no_because, bmc->reason));
        reading_unread(out, "bmc.sel_faults", "", bmc->reason);
        reading_unread(out, "bmc.sensor_faults", "", bmc->reason);
        reading_unread(out, "bmc.firmware", "", bmc->reason);
        reading_set(out, READING_COMPLETE, NULL);
        return;
    }
    reading_fact(out, "bmc.available", "", slice_of("yes"));
    tell_firmware(bmc, out);
    tell_clock(bmc, out);
    lost = tell_room(bmc, out);
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
        if (finding.severity == SEVERITY_FAULT && event) {
            events = reason_also(out->arena, events, what);
            all_last = all_last && lasts(bmc, &finding);
        }
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
    if (lost && events == NULL)
        reading_unread(out, "bmc.sel_faults", "", REASON(event_log_has_lost_events));
    else if (reading_get_fact(bmc, "ipmi.sel.entries", "") != NULL &&
             reading_get_fact(bmc, "ipmi.sel.clock", "") != NULL)
        tell_faults(out, "bmc.sel_faults",
                    events != NULL && all_last ? reason(out->arena, event_lasts, events) : events);
    if (any_sensor)
        tell_faults(out, "bmc.sensor_faults", sensors);
}

const struct check check_bmc = {
    .name = "bmc",
    .title = "BMC event log",
    .summary = "no failure in the BMC's event log of the last day; power supplies and fans are well",
    .concerns = OF_HOST,
    .passive = true,
    .as_root = true,
    .arguments =
        ARGUMENTS({"since_s", ARGUMENT_COUNT, "86400",
                   "seconds back from the BMC's own time: older events are not judged", MORE_IS_MORE},
                  ALLOWED_ARGUMENT_ROW("{\"bmc.firmware\": \"1.15|1.16\"}")),
    .arguments_fault = rules_allowed_fault,
    .parts = PARTS({"ipmitool", "ipmitool", command_ipmitool, NULL}),
    .items = ITEMS(
        {"bmc.sel_faults", PER_TARGET, NULL, DUTY_GATE, LIMITS RULES_EQUAL("bmc.sel_faults", "none", "BMC")},
        {"bmc.sensor_faults", PER_TARGET, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("bmc.sensor_faults", "none", "BMC")},
        {"bmc.firmware", PER_TARGET, NULL, DUTY_GATE,
         LIMITS RULES_SAME("bmc.firmware", "assay: hosts of one platform are built alike")},
        {"bmc.available", PER_TARGET, NULL, DUTY_RECORD, NULL},
        {"bmc.clock", PER_TARGET, NULL, DUTY_RECORD,
         LIMITS RULES_EQUAL("bmc.clock", "not ahead",
                            "assay: times of events are right only where the BMC's clock is not ahead")},
        {"bmc.sel_room", PER_TARGET, NULL, DUTY_RECORD, LIMITS RULES_EQUAL("bmc.sel_room", "left", "BMC")},
        {"ipmi.sel.entries", PER_TARGET, NULL, DUTY_RECORD, NULL},
        {"ipmi.sel.clock", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES(
        {"bmc.*", REASON(clear_event_log), .about = &sentence_event_log_has_lost_events},
        {"bmc.sel_room", REASON(clear_event_log)}, {"bmc.clock", REASON(set_bmc_clock)},
        {"bmc.*", REASON(let_ipmitool_read), .about = &sentence_value_not_read},
        {"bmc.sel_faults", REASON(replace_power_supply_or_fan), .about = &sentence_event_lasts},
        {"bmc.sel_faults", REASON(look_up_bmc_event)}, {"bmc.firmware", REASON(flash_one_bmc_firmware)},
        {"bmc.sensor_faults", REASON(replace_power_supply_or_fan)}),
    .plain = PLAIN_WORDS({"bmc.sel_faults*", PLAIN(bmc_log_reports, PLAIN_MEASURED)},
                         {"bmc.sensor_faults*", PLAIN(bmc_sensors_report, PLAIN_MEASURED)}),
    .expected_s = 30,
    .read = read_bmc,
};
