/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error counters of the compute HCAs' ports, as they stand. They count since the driver was loaded or
 * somebody cleared them, so no absolute value is a fault by itself: a cable that was plugged in has counted a
 * link_downed. They are written down, and a link that went down often is remarked; what counts is how they grow: while a
 * test runs, and from the run's first look to its last one, which has also what comes with nothing under load.
 *
 * For that they must be able to grow: the classic counters of InfiniBand have 4, 8 or 16 bits and stop at
 * their largest value. One that stands there would show no error in any window, so it leaves the host
 * undecided until it is cleared.
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "rules.h"
#include "script.h"
#include "window_growth.h"

static void command_ethtool(const struct check_context *context, struct text *out)
{
    script_begin(out, "ethtool -S DEVICE of each HCA");
    script_set_hcas(context, out);
    script_tool(context, out, "ethtool", "ethtool");
    text_put(out, script_fabric_counters_ethtool);
}

/* Without these nobody can say what a link did while a test ran. */
static const char *const watched[] = {"symbol_error", "link_downed", "link_error_recovery", "port_rcv_errors",
                                      "local_link_integrity_errors"};

static bool is_measured(const struct reading *reading, const char *counter, const char *port)
{
    for (size_t i = 0; i < reading->measurements.count; i++) {
        const struct measurement *measurement = &reading->measurements.items[i];
        struct slice name = slice_of(measurement->metric);

        if (scan_text(&name, "ib.counter.") && slice_equal(name, counter) &&
            strcmp(measurement->subject, port) == 0)
            return true;
    }
    return false;
}

/* Why its counters show no error; NULL: they do. */
static const struct reason *why_uncounted(const struct reading *reading, const char *port)
{
    for (size_t i = 0; i < ARRAY_SIZE(watched); i++)
        if (!is_measured(reading, watched[i], port))
            return reason(reading->arena, counter_not_there, watched[i]);
    for (size_t i = 0; i < reading->findings.count; i++)
        if (strcmp(reading->findings.items[i].code, "ib.counter_saturated") == 0 &&
            strcmp(reading->findings.items[i].subject, port) == 0)
            return reading->findings.items[i].what;
    return NULL;
}

/* Headings name the HCA; a counter is its port's, as sysfs has it. On InfiniBand there is nothing to read. */
static void read_ethtool(const struct part *part, struct reading *out)
{
    if (part != NULL && part->ended && part->rc == 0 && slice_trim(part->out).length == 0)
        return;
    if (part == NULL || part->reading.status != READING_COMPLETE) {
        reading_set(out, READING_PARTIAL,
                    reason(out->arena, about, "ethtool",
                           part != NULL ? part->reading.reason : REASON(part_did_not_run)));
        return;
    }
    reading_merge(out, &part->reading);
    for (size_t i = 0; i < out->measurements.count; i++) {
        struct measurement *measurement = &out->measurements.items[i];

        if (strncmp(measurement->metric, "eth.", 4) == 0 && strchr(measurement->subject, '/') == NULL)
            measurement->subject = arena_printf(out->arena, "%s/1", measurement->subject);
    }
}

static void read_counters(const struct check_context *context, const struct attempt *attempt,
                          struct reading *out)
{
    const struct part *sysfs = attempt_part(attempt, "sysfs");
    const char *hca;

    if (sysfs == NULL) {
        reading_set(out, READING_PARTIAL, REASON(command_not_ended));
        return;
    }
    reading_merge(out, &sysfs->reading);
    reading_set(out, sysfs->reading.status, sysfs->reading.reason);
    if (out->status == READING_COMPLETE)
        read_ethtool(attempt_part(attempt, "ethtool"), out);
    for (size_t i = 0; out->status == READING_COMPLETE && (hca = check_hca(context, i)) != NULL; i++) {
        const char *port = arena_printf(out->arena, "%s/1", hca);
        const struct reason *why = why_uncounted(out, port);
        const struct measurement *downed = reading_get(out, "ib.counter.link_downed", port);

        if (downed != NULL)
            reading_measure(out, "advised.link_downed", port, downed->value, "");

        if (why == NULL)
            reading_fact(out, "ib.counters_count", port, slice_of("yes"));
        else
            reading_fact_said(out, "ib.counters_count", port, reason(out->arena, no_because, why));
    }
}

static const struct limit count_rules[] =
    RULES_EQUAL("ib.counters_count", "yes", "InfiniBand's PortCounters stop at their largest value",
                .inconclusive = true);

/* Beyond it a remark: who plugs cables and reboots counts some as well. */
static const struct limit downed_rules[] =
    RULES_MOST("advised.link_downed", 10, "infiniband-diags, ibcheckerrs: LinkDowned=10",
               .note = REASON(link_went_down_often));

static const char *arguments_fault(const struct check_context *context)
{
    const char *priority = check_text(context, "priority");

    if (priority != NULL && (*priority < '0' || *priority > '7' || priority[1] != '\0'))
        return "priority is a digit from 0 to 7";
    return check_hcas_fault(context);
}

/* The watched ones: every port has them. A first look has nothing to compare with. */
static void slots_of_growth(const struct check_context *context, struct slot_list *slots)
{
    bool another = rules_look_again(context);
    const char *hca;

    for (size_t c = 0; c < ARRAY_SIZE(watched); c++) {
        const char *metric = arena_printf(context->arena, "ib.counter.%s", watched[c]);
        const struct limit *limit = another ? growth_since_begin(context, metric) : NULL;

        for (size_t i = 0; (hca = check_hca(context, i)) != NULL; i++)
            slot_add(context, slots, metric, arena_printf(context->arena, "%s/1", hca), NULL,
                     another ? DUTY_GATE : DUTY_RECORD, limit);
    }
}

#define LINK_DOWNS "eth.counter.link_down_events_phy"

/* On Ethernet the port of an mlx5 counts here what goes wrong with its link; other drivers have no such counters. */
static bool is_told_on_ethernet(const struct check_context *context, const char *hca)
{
    const char *fabric = context->members[0]->fabric;

    return fabric != NULL && strcmp(fabric, "ethernet") == 0 && strncmp(hca, "mlx5", strlen("mlx5")) == 0;
}

static void slots_of_device(const struct check_context *context, struct slot_list *slots, const char *metric)
{
    bool another = rules_look_again(context);
    const struct limit *limit = another ? growth_since_begin(context, metric) : NULL;
    const char *hca;

    for (size_t i = 0; (hca = check_hca(context, i)) != NULL; i++)
        if (is_told_on_ethernet(context, hca))
            slot_add(context, slots, metric, arena_printf(context->arena, "%s/1", hca), NULL,
                     another ? DUTY_GATE : DUTY_RECORD, limit);
}

static void slots_of_devices(const struct check_context *context, struct slot_list *slots)
{
    const char *metric;

    slots_of_device(context, slots, LINK_DOWNS);
    for (size_t i = 0; (metric = growth_device_counter(i)) != NULL; i++)
        slots_of_device(context, slots, metric);
}

static bool is_of_devices(const char *metric)
{
    const char *counter;

    for (size_t i = 0; (counter = growth_device_counter(i)) != NULL; i++)
        if (strcmp(counter, metric) == 0)
            return true;
    return strcmp(metric, LINK_DOWNS) == 0;
}

/* A step that names the priority is one on Ethernet, and owes what only a network device tells. */
static void slots_of_ethernet(const struct check_context *context, struct slot_list *slots)
{
    static const char *const counters[] = {"rx_prio%_pause",    "tx_prio%_pause",      "rx_discards_phy",
                                           "tx_discards_phy",   "rx_out_of_buffer",    "rx_crc_errors_phy",
                                           "rx_symbol_err_phy", "link_down_events_phy"};
    const char *priority = check_text(context, "priority"), *hca;

    for (size_t c = 0; priority != NULL && c < ARRAY_SIZE(counters); c++) {
        size_t sign = strcspn(counters[c], "%");
        bool of_priority = counters[c][sign] != '\0';
        const char *metric =
            arena_printf(context->arena, "eth.counter.%.*s%s%s", (int)sign, counters[c],
                         of_priority ? priority : "", of_priority ? counters[c] + sign + 1 : "");

        for (size_t i = 0; (hca = check_hca(context, i)) != NULL; i++)
            if (!is_of_devices(metric) || !is_told_on_ethernet(context, hca))
                slot_add(context, slots, metric, arena_printf(context->arena, "%s/1", hca), NULL, DUTY_RECORD,
                         NULL);
    }
}

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    slots_of_growth(context, slots);
    slots_of_devices(context, slots);
    slots_of_ethernet(context, slots);
}

const struct check check_fabric_counters = {
    .name = "fabric-counters",
    .title = "Fabric counters",
    .summary =
        "the error counters of every compute HCA's port are read, able to count on, and have not grown beyond limits since the run's first look",
    .on = ON_HCAS,
    .concerns = OF_NETWORK,
    .passive = true,
    .loads = LOAD_PORTS,
    .arguments =
        ARGUMENTS(HCAS_ARGUMENT_ROW,
                  {"priority", ARGUMENT_TEXT, NULL,
                   "on Ethernet: the priority of RDMA, whose pauses are written down", GIVEN_IS_MORE}),
    .arguments_fault = arguments_fault,
    .parts = PARTS({.name = "sysfs",
                    .parser = "ib-sysfs",
                    .script = script_fabric_counters,
                    .typed = "grep of counters below /sys/class/infiniband"},
                   {"ethtool", "ethtool", command_ethtool, NULL}),
    .items = ITEMS({"ib.counters_count", PER_HCA_PORT, NULL, DUTY_GATE, count_rules},
                   {"advised.link_downed", PER_HCA_PORT, NULL, DUTY_RECORD, downed_rules},
                   {"ib.counter.excessive_buffer_overrun_errors", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
                   {"ib.counter.port_rcv_remote_physical_errors", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
                   {"ib.counter.port_xmit_discards", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
                   {"ib.counter.port_xmit_wait", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
                   {"ib.counter.out_of_sequence", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
                   {"ib.counter.packet_seq_err", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
                   {"ib.counter.local_ack_timeout_err", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
                   {"ib.counter.rnr_nak_retry_err", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
                   {"ib.counter.out_of_buffer", PER_HCA_PORT, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES({"ib.counters_count", REASON(clear_counters_and_watch)},
                         {"advised.link_downed", REASON(see_link_that_goes_down)},
                         {"ib.counter.link_downed", REASON(see_link_that_went_down_in_run)},
                         {LINK_DOWNS, REASON(see_link_that_went_down_in_run)},
                         {"ib.counter.*", REASON(run_traffic_and_watch_counters)},
                         {"eth.counter.*_discards_phy", REASON(set_pfc)},
                         {"eth.counter.*", REASON(run_traffic_and_watch_counters)},
                         {"sound", REASON(are_port_counters_there)}),
    .more_slots = more_slots,
    .expected_s = 5,
    .read = read_counters,
};
