/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error counters of the compute HCAs' ports, as they stand. They count since the driver was loaded or
 * somebody cleared them, so no absolute value is a fault by itself: a cable that was plugged in has counted a
 * link_downed. They are written down; what counts is how they grow while a test runs.
 *
 * For that they must be able to grow: the classic counters of InfiniBand have 4, 8 or 16 bits and stop at
 * their largest value. One that stands there would show no error in any window, so it leaves the host
 * undecided until it is cleared.
 */
#include <string.h>

#include "assay/check.h"

#define PORTS "sys/class/infiniband/*/ports/*/"

static void command_sysfs(const struct check_context *context, struct text *out)
{
    (void)context;
    text_put(out, "cd \"$ASSAY_LAB_ROOT/\" && grep -H . " PORTS "counters/* " PORTS "hw_counters/*");
}

static const struct part_row parts[] = {{"sysfs", "ib-sysfs", command_sysfs, NULL}, {0}};

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

/* "yes", or why not. */
static const char *can_count(const struct reading *reading, const char *port)
{
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++)
        if (!is_measured(reading, watched[i], port))
            return arena_printf(reading->arena, "no: %s is not there", watched[i]);
    for (size_t i = 0; i < reading->findings.count; i++)
        if (strcmp(reading->findings.items[i].code, "ib.counter_saturated") == 0 &&
            strcmp(reading->findings.items[i].subject, port) == 0)
            return arena_printf(reading->arena, "no: %s", reading->findings.items[i].text);
    return "yes";
}

static void read_counters(const struct check_context *context, const struct attempt *attempt,
                          struct reading *out)
{
    const char *hca;

    read_parts(context, attempt, out);
    for (size_t i = 0; out->status == READING_COMPLETE && (hca = check_hca(context, i)) != NULL; i++) {
        const char *port = arena_printf(out->arena, "%s/1", hca);

        reading_fact(out, "ib.counters_count", port, slice_of(can_count(out, port)));
    }
}

static const struct limit count_rules[] = {{.metric = "ib.counters_count",
                                            .rule = RULE_EQUAL,
                                            .text = "yes",
                                            .source = "InfiniBand's PortCounters stop at their largest value",
                                            .status = LIMIT_TOOL,
                                            .inconclusive = true},
                                           {0}};

static const struct item items[] = {
    {"ib.counters_count", PER_HCA_PORT, NULL, DUTY_GATE, count_rules},
    {"ib.counter.symbol_error", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
    {"ib.counter.link_downed", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
    {"ib.counter.link_error_recovery", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
    {"ib.counter.local_link_integrity_errors", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
    {"ib.counter.excessive_buffer_overrun_errors", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
    {"ib.counter.port_rcv_errors", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
    {"ib.counter.port_rcv_remote_physical_errors", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
    {"ib.counter.port_xmit_discards", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
    {"ib.counter.port_xmit_wait", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
    {"ib.counter.out_of_sequence", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
    {"ib.counter.packet_seq_err", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
    {"ib.counter.local_ack_timeout_err", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
    {"ib.counter.rnr_nak_retry_err", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
    {"ib.counter.out_of_buffer", PER_HCA_PORT, NULL, DUTY_RECORD, NULL},
    {0},
};

static const struct argument arguments[] = {
    {HCAS_ARGUMENT, ARGUMENT_LIST, NULL, "the compute HCAs in rail order; default: the platform's"},
    {0},
};

static const struct remedy remedies[] = {
    {"ib.counters_count", "as root: perfquery -R -C DEVICE (or reload the driver) clears the counters; then "
                          "look at whether they grow"},
    {"ib.counter.*",
     "clear the counters (perfquery -R), run traffic, and look at which ones grow: symbol and link "
     "errors mean cable or transceiver, out_of_sequence and time-outs a congested or lossy fabric"},
    {"sound",
     "is the driver loaded (`lsmod | grep mlx5_ib`)? do /sys/class/infiniband/*/ports/*/counters exist?"},
    {0},
};

static bool applies(const struct platform *platform)
{
    return platform->hcas.count > 0;
}

static unsigned expected_s(const struct check_context *context)
{
    (void)context;
    return 5;
}

const struct check check_fabric_counters = {
    .name = "fabric-counters",
    .title = "Fabric counters",
    .summary = "the error counters of every compute HCA's port are read, written down, and able to count on",
    .scopes = SCOPE_HOST,
    .passive = true,
    .applies = applies,
    .arguments = arguments,
    .arguments_fault = check_hcas_fault,
    .parts = parts,
    .items = items,
    .remedies = remedies,
    .expected_s = expected_s,
    .read = read_counters,
};
