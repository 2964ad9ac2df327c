/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/parse.h"

#include "window_growth.h"

#include <math.h>
#include <string.h>

#include "rules.h"

enum { LINE_BYTES = 140 };
#define PORT_COUNTER "ib.counter."
#define HOUR_S 3600.0
#define BITS_A_WORD 32 /* port_rcv_data and port_xmit_data count units of 4 bytes */

/* What a GPU says of itself; one that said otherwise before the test has come to it in the test. What nvidia-smi's own
   complaints tell already (a reset that is required, a remap that failed) stands there. */
static const struct {
    const char *fact;
    const struct reason *says;
} states[] = {
    {"remapped_rows.pending", REASON(row_remap_waits_for_reset)},
    {"retired_pages.pending", REASON(page_retirement_waits_for_reset)},
    {"gpu.drain_recommended", REASON(drain_and_reset_recommended)},
    {"ecc.channel_repair_pending", REASON(memory_repair_waits_for_reset)},
    {"ecc.tpc_repair_pending", REASON(processor_repair_waits_for_reset)},
};

/* More than `most`, or than `hourly` in the time of the window where that is more, fails; what is less is a remark. */
struct grown {
    const char *counter, *metric;
    const struct sentence *counted; /* of the number; NULL: it is no error */
    double most, hourly;            /* INFINITY: nobody has said how many are too many */
    const char
        *within[2]; /* counters whose errors it counts too: only what it has beyond them is told of it */
    bool of_link;   /* no reset mends that, but its riser or cable may */
};

/* Azure/azurehpc-health-checks: 1e4 of SRAM, 2e7 of DRAM. NVIDIA/DCGM nvvs: 160 replays in a test under load;
   in longer ones as many an hour. */
static const struct grown gpu_counters[] = {
    {"remapped_rows.uncorrectable", "window.remapped_rows.uncorrectable",
     &sentence_rows_remapped_uncorrectable, 0, 0},
    {"retired_pages.double_bit", "window.retired_pages.double_bit", &sentence_pages_retired_uncorrectable, 0,
     0},
    {"ecc.aggregate.uncorrected",
     "window.ecc.aggregate.uncorrected",
     &sentence_gpu_memory_errors_uncorrectable,
     0,
     0,
     {"ecc.volatile.uncorrected"}},
    {"ecc.volatile.sram_corrected", "window.ecc.sram_corrected", &sentence_corrected_sram_errors, 1e4, 0},
    {"ecc.volatile.dram_corrected", "window.ecc.dram_corrected", &sentence_corrected_dram_errors, 2e7, 0},
    /* The driver was loaded anew meanwhile, and the volatile ones began again. */
    {"ecc.aggregate.sram_corrected",
     "window.ecc.aggregate.sram_corrected",
     &sentence_corrected_sram_errors,
     1e4,
     0,
     {"ecc.volatile.sram_corrected"}},
    {"ecc.aggregate.dram_corrected",
     "window.ecc.aggregate.dram_corrected",
     &sentence_corrected_dram_errors,
     2e7,
     0,
     {"ecc.volatile.dram_corrected"}},
    /* All there is before Ampere, where most of it is DRAM. */
    {"ecc.volatile.corrected",
     "window.ecc.corrected",
     &sentence_corrected_memory_errors,
     2e7,
     0,
     {"ecc.volatile.sram_corrected", "ecc.volatile.dram_corrected"}},
    {"remapped_rows.correctable", "window.remapped_rows.correctable", &sentence_rows_remapped_correctable,
     INFINITY, 0},
    {"retired_pages.single_bit", "window.retired_pages.single_bit", &sentence_pages_retired_correctable,
     INFINITY, 0},
    {"pcie.replays", "window.pcie.replays", &sentence_pcie_replays, 160, 160, .of_link = true},
};

/*
 * NVSentinel's NIC health monitor: any integrity error or overrun is fatal, as packets are lost; beyond 5 recoveries a
 * minute, 10 receive errors, 100 discards or 1 timeout a second the link is degraded. Symbol errors: 120 an hour is the
 * bit error rate of 10^-12 that InfiniBand allows (Oracle, after IBTA). A few tell no rate: 10, the example of
 * infiniband-diags' error_thresholds. Of hw_counters the others count congestion and retries as a healthy fabric has
 * them: rnr_nak_retry_err counts NAKs that were received, not retries that were exhausted (NVIDIA, mlx5 counters).
 */
static const struct grown port_counters[] = {
    {"symbol_error", "window.ib.symbol_error", &sentence_symbol_errors, 10, 120},
    {"link_error_recovery", "window.ib.link_error_recovery", &sentence_link_recoveries, 10, 5 * 60},
    {"port_rcv_errors", "window.ib.port_rcv_errors", &sentence_receive_errors, 10, 10 * HOUR_S},
    {"local_link_integrity_errors", "window.ib.local_link_integrity_errors", &sentence_link_integrity_errors,
     0, 0},
    {"excessive_buffer_overrun_errors", "window.ib.excessive_buffer_overrun_errors",
     &sentence_buffer_overruns, 0, 0},
    {"port_xmit_discards", "window.ib.port_xmit_discards", &sentence_discarded_packets, 10, 100 * HOUR_S},
    {"local_ack_timeout_err", "window.ib.local_ack_timeout_err", &sentence_acknowledgement_timeouts, 10,
     HOUR_S},
    {"packet_seq_err", "window.ib.packet_seq_err", &sentence_sequence_errors, INFINITY, 0},
    {"out_of_sequence", "window.ib.out_of_sequence", &sentence_packets_out_of_sequence, INFINITY, 0},
    {"rnr_nak_retry_err", "window.ib.rnr_nak_retry_err", &sentence_rnr_naks, INFINITY, 0},
    {"implied_nak_seq_err", "window.ib.implied_nak_seq_err", &sentence_implied_naks, INFINITY, 0},
    {"roce_adp_retrans", "window.ib.roce_adp_retrans", &sentence_adaptive_retransmissions, INFINITY, 0},
    {"roce_slow_restart", "window.ib.roce_slow_restart", &sentence_slow_restarts, 10, 10 * HOUR_S},
    {"req_transport_retries_exceeded", "window.ib.req_transport_retries_exceeded",
     &sentence_transports_gave_up, INFINITY, 0},
    {"duplicate_request", "window.ib.duplicate_request", NULL, INFINITY, 0},
    {"np_ecn_marked_roce_packets", "window.ib.np_ecn_marked_roce_packets", NULL, INFINITY, 0},
    {"np_cnp_sent", "window.ib.np_cnp_sent", NULL, INFINITY, 0}, /* congestion is told, and is no error */
    {"rp_cnp_handled", "window.ib.rp_cnp_handled", NULL, INFINITY, 0},
};

/*
 * On Ethernet the files of InfiniBand's counters stay at zero, and the network device tells of its port (Documentation/networking/
 * device_drivers/ethernet/mellanox/mlx5/counters.rst of the kernel). By the limits of what they are on InfiniBand: frames with a
 * wrong checksum (NVSentinel has FCS and CRC as one), symbols that could not be corrected (IEEE 802.3 asks for 10^-12 too), and
 * packets for which there was no room.
 */
static const struct {
    const char *counter, *as;
} device_counters[] = {
    {"eth.counter.rx_crc_errors_phy", "port_rcv_errors"},
    {"eth.counter.rx_symbol_err_phy", "symbol_error"},
    {"eth.counter.rx_discards_phy", "port_xmit_discards"},
    {"eth.counter.tx_discards_phy", "port_xmit_discards"},
};

const char *growth_device_counter(size_t number)
{
    return number < ARRAY_SIZE(device_counters) ? device_counters[number].counter : NULL;
}

static const char *name_in_table(const char *metric)
{
    for (size_t i = 0; i < ARRAY_SIZE(device_counters); i++)
        if (strcmp(metric, device_counters[i].counter) == 0)
            return device_counters[i].as;
    return strncmp(metric, PORT_COUNTER, strlen(PORT_COUNTER)) == 0 ? metric + strlen(PORT_COUNTER) : metric;
}

/*
 * Of these the rate of each bit is told too: of what came in, or of what went out where it is that which was lost, refused or
 * sent again. How often a link went down or trained again goes by time.
 */
#define RATE_IN(name)                                    \
    {                                                    \
        name, "window.ib." name ".rate", "port_rcv_data" \
    }
#define RATE_OUT(name)                                    \
    {                                                     \
        name, "window.ib." name ".rate", "port_xmit_data" \
    }
static const struct {
    const char *counter, *metric, *carried;
} rates[] = {
    RATE_IN("symbol_error"),
    RATE_IN("port_rcv_errors"),
    RATE_IN("local_link_integrity_errors"),
    RATE_IN("excessive_buffer_overrun_errors"),
    RATE_OUT("port_xmit_discards"),
    RATE_OUT("local_ack_timeout_err"),
    RATE_OUT("packet_seq_err"),
    RATE_IN("out_of_sequence"),
    RATE_OUT("rnr_nak_retry_err"),
    RATE_OUT("implied_nak_seq_err"),
    RATE_OUT("roce_adp_retrans"),
    RATE_OUT("roce_slow_restart"),
    RATE_OUT("req_transport_retries_exceeded"),
    RATE_IN("duplicate_request"),
    RATE_IN("np_ecn_marked_roce_packets"),
    RATE_IN("np_cnp_sent"),
    RATE_OUT("rp_cnp_handled"),
};

/*
 * NVIDIA/DCGM nvvs: 480 correctable errors of a PCIe link in a test; of longer ones as many an hour.
 *
 * Corrected errors of memory: makers of boards keep their thresholds to themselves, and what Linux's tools act upon (10 of a
 * module, 50 of a page, 100 of a socket in 24 hours: mcelog.conf, rasdaemon) has them log a line or retire a page, and not a
 * module replaced. So only what is beyond all doubt fails: 15 a second, which the kernel calls a storm and stops to listen to
 * (CMCI_STORM_THRESHOLD, arch/x86/kernel/cpu/mce), and never fewer than a socket may have in a day.
 */
static const struct grown kernel_counters[] = {
    {"aer.correctable", "window.aer.correctable", &sentence_pcie_errors_corrected, 480, 480},
    {"aer.nonfatal", "window.aer.nonfatal", &sentence_pcie_errors_uncorrectable, 0, 0},
    {"aer.fatal", "window.aer.fatal", &sentence_pcie_errors_fatal, 0, 0},
    {"edac.ce", "window.edac.ce", &sentence_edac_errors_corrected, 100, 15 * HOUR_S},
    {"edac.ue", "window.edac.ue", &sentence_edac_errors_uncorrectable, 0, 0},
};

/* Of each: how many have such a counter. Where none has, the kernel's log is all there is. */
static const char *const kernel_devices[] = {"aer.devices", "aer.devices", "aer.devices", "edac.controllers",
                                             "edac.controllers"};
_Static_assert(ARRAY_SIZE(kernel_devices) == ARRAY_SIZE(kernel_counters), "each counter has its devices");

static const struct grown *find_row(const struct grown *rows, size_t count, const char *counter)
{
    array_each (row, rows, count)
        if (strcmp(row->counter, counter) == 0)
            return row;
    return NULL;
}

static const struct limit *since_begin(const struct check_context *context, const char *metric, double most,
                                       double hourly)
{
    return rules_new(context,
                     LIMITS RULES(.metric = metric, .rule = RULE_GROWN, .value = most, .most = hourly,
                                  .text = GROWN_OF_BOOT, .unit = "", .status = LIMIT_TOOL,
                                  .source = "assay: as much as may be added during one test"));
}

/* What is in no table is none that may grow at all: a link that goes down. */
const struct limit *growth_since_begin(const struct check_context *context, const char *metric)
{
    const char *name = name_in_table(metric);
    const struct grown *row = find_row(port_counters, ARRAY_SIZE(port_counters), name);

    if (row == NULL)
        row = find_row(gpu_counters, ARRAY_SIZE(gpu_counters), name);
    if (row == NULL)
        row = find_row(kernel_counters, ARRAY_SIZE(kernel_counters), name);
    return since_begin(context, metric, row != NULL ? row->most : 0, row != NULL ? row->hourly : 0);
}

/* Those that count: more of them are welcome, and what fewer of them had counted is not known. */
static const char *const counting[] = {"aer.devices", "edac.controllers"};
#define COUNTING_MOST 1e6

void growth_kernel_slots(const struct check_context *context, struct slot_list *slots)
{
    bool again = rules_look_again(context);

    for (size_t i = 0; i < ARRAY_SIZE(counting); i++)
        slot_add(context, slots, counting[i], "", NULL, again ? DUTY_GATE : DUTY_RECORD,
                 again ? since_begin(context, counting[i], COUNTING_MOST, 0) : NULL);
    for (size_t i = 0; i < ARRAY_SIZE(kernel_counters); i++)
        slot_add(context, slots, kernel_counters[i].counter, "", NULL, again ? DUTY_GATE : DUTY_RECORD,
                 again ? growth_since_begin(context, kernel_counters[i].counter) : NULL);
}

/* What is no number is not known, and then neither is the largest. */
static void tell_largest(const struct reading *part, const char *counter, struct reading *out)
{
    double largest = 0, number;
    bool known = true;

    list_each (fact, part->facts) {
        if (strcmp(fact->name, counter) != 0)
            continue;
        if (scan_double(slice_of(fact->value), &number))
            largest = fmax(largest, number);
        else
            known = false;
        reading_fact(out, fact->name, fact->subject, slice_of(fact->value));
    }
    if (known)
        reading_measure(out, counter, "", largest, "");
}

void growth_kernel_largest(const struct reading *part, struct reading *out)
{
    for (size_t i = 0; i < ARRAY_SIZE(kernel_counters); i++)
        tell_largest(part, kernel_counters[i].counter, out);
    for (size_t i = 0; i < ARRAY_SIZE(counting); i++) {
        const char *told = reading_get_fact(part, counting[i], "");
        double number;

        if (told != NULL && scan_double(slice_of(told), &number))
            reading_measure(out, counting[i], "", number, "");
    }
}

/* NVM Express, SMART log: errors that the drive could not recover from. */
static const struct grown media_errors = {"nvme.media_errors", "window.nvme.media_errors",
                                          &sentence_drive_media_errors, 0, 0};
/* The bits of its critical warning. */
static const struct reason *const drive_warnings[] = {
    REASON(drive_spare_blocks_used_up), REASON(drive_too_hot_or_cold),
    REASON(drive_no_longer_reliable),   REASON(drive_read_only),
    REASON(drive_memory_backup_failed), REASON(drive_persistent_memory_read_only)};

/* Lines of the kernel's log, by what all of `has` says. The first row that fits counts. */
static const struct {
    const char *has[2];
    bool corrected;
} lines[] = {
    {{"PCIe Bus Error: severity=Correct", NULL}, true},
    {{"PCIe Bus Error: severity=Uncorrect", NULL}, false},
    {{"AER: ", "Correct"}, true},
    {{"AER: ", "Uncorrect"}, false},
    {{"DPC: containment event", NULL}, false},
    {{"EDAC MC", " UE "}, false},
    {{"EDAC MC", " CE "}, true},
    {{"[Hardware Error]", "event severity: corrected"}, true},
    {{"[Hardware Error]", "event severity: info"}, true},
    {{"[Hardware Error]", "event severity: "}, false},
    {{"[Hardware Error]", "Machine Check Exception"}, false},
    {{"mce: Uncorrected hardware memory error", NULL}, false},
    {{"Memory failure: 0x", "recovery action for"}, false},
    {{"[Hardware Error]", "Machine check events logged"}, true},
    {{"critical medium error", "dev sr"}, true}, /* a CD, mostly the BMC's */
    {{"critical medium error", NULL}, false},
    {{"mlx5_core", "device's health compromised"}, false},
};

/*
 * What fails when it comes in a test, though in a log of long ago it may have been mended since: a row or page that was
 * remapped or retired waits for a reset of the GPU, and until then a delivery is refused (NVIDIA, GPU memory error
 * management: 63, 64, 94, 95, 156 to 158); what else the driver wants a reset or the maker's support for (NVIDIA, Xid
 * catalog); and what Azure/azurehpc-health-checks takes a host out of service for (56 to 58, 65, 68, 69, 73, 80, 81, 92).
 */
static const unsigned failing_in_test[] = {56, 57,  58,  63,  65,  68,  69,  73,  80,  81,  92,
                                           94, 122, 123, 124, 125, 136, 155, 156, 157, 158, 161};

enum severity growth_xid(const struct finding *finding)
{
    struct slice code = slice_of(finding->code);
    uint64_t number;

    if (!scan_text(&code, "xid.") || !scan_u64(code, &number))
        return finding->severity;
    for (size_t i = 0; i < ARRAY_SIZE(failing_in_test); i++)
        if (failing_in_test[i] == number)
            return SEVERITY_FAULT;
    return finding->severity;
}

static const struct limit rule_gpu[] =
    RULES_EQUAL("window.gpu", "none",
                "docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt; corrected errors: "
                "Azure/azurehpc-health-checks",
                .note = REASON(gpu_went_bad_during_test));
static const struct limit rule_hardware[] =
    RULES_EQUAL("window.hardware", "none",
                "the kernel's own severities; corrected AER and PCIe replays: NVIDIA/DCGM nvvs, 480 and 160",
                .note = REASON(hardware_errors_during_test));
static const struct limit rule_drives[] =
    RULES_SAME("window.drives", "NVM Express, SMART log; if most hosts let their drives be read, all must");
static const struct limit rule_ports[] = RULES_EQUAL(
    "window.ports", "none", "NVIDIA/NVSentinel NIC health monitor; symbol errors: IBTA, 120 an hour",
    .note = REASON(ports_counted_errors_during_test));
static const struct limit rule_corrected[] =
    RULES_EQUAL("window.corrected", "none", "assay", .note = REASON(errors_corrected_during_test));

static void add_metrics(const struct check_context *context, struct slot_list *slots,
                        const struct grown *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        slot_add(context, slots, rows[i].metric, "", NULL, DUTY_RECORD, NULL);
}

void growth_slots(const struct check_context *context, struct slot_list *slots)
{
    if (context->platform->gpu_count > 0) {
        slot_add(context, slots, "window.gpu", "", NULL, DUTY_GATE, rule_gpu);
        add_metrics(context, slots, gpu_counters, ARRAY_SIZE(gpu_counters));
    }
    slot_add(context, slots, "window.hardware", "", NULL, DUTY_GATE, rule_hardware);
    add_metrics(context, slots, kernel_counters, ARRAY_SIZE(kernel_counters));
    if (context->check->window_drives) {
        slot_add(context, slots, "window.drives", "", NULL, DUTY_RECORD, rule_drives);
        add_metrics(context, slots, &media_errors, 1);
    }
    if (context->platform->hcas.count > 0) {
        slot_add(context, slots, "window.ports", "", NULL, DUTY_GATE, rule_ports);
        add_metrics(context, slots, port_counters, ARRAY_SIZE(port_counters));
        for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
            slot_add(context, slots, rates[i].metric, "", NULL, DUTY_RECORD, NULL);
    }
    slot_add(context, slots, "window.corrected", "", NULL, DUTY_RECORD, rule_corrected);
}

void growth_begin(struct growth *growth, const struct check_context *context, struct reading *out)
{
    *growth = (struct growth){
        .context = context, .out = out, .over_fabric = strcmp(context->step->scope, "host") != 0};
}

void growth_most(struct growth *growth, const char *metric, double more)
{
    if (isnan(more))
        return;
    for (size_t i = 0; i < growth->most.count; i++)
        if (growth->most.items[i].metric == metric) {
            growth->most.items[i].most = fmax(growth->most.items[i].most, more);
            return;
        }
    *list_push(growth->out->arena, &growth->most) = (struct grown_most){metric, more};
}

/* A clock that was set back leaves no time to excuse them by. */
static double allowed(const struct growth *growth, const struct grown *row)
{
    return fmax(row->most, row->hourly * fmax(growth->seconds, 0) / HOUR_S);
}

/* "node2 gpu3: WHAT" */
static void say_of(struct growth *growth, struct against *against, const char *of, const struct reason *what)
{
    window_say(growth->out, against, reason(growth->out->arena, about, of, what));
}

static void weigh(struct growth *growth, const struct grown *row, const char *of, double more,
                  struct against *against)
{
    struct arena *arena = growth->out->arena;
    double hourly = more * HOUR_S / fmax(growth->seconds, 1);
    const struct reason *count;

    if (!(more > 0) || row->counted == NULL)
        return;
    count = window_count(arena, row->counted, more);
    if (more > allowed(growth, row))
        say_of(growth, against, of, count);
    else
        say_of(growth, &growth->corrected, of,
               reason(arena, an_hour, count, arena_printf(arena, "%.3g", hourly)));
}

/* NAN: not told, or it went back. */
static double added(const struct reading *before, const char *first, const struct reading *after,
                    const char *last, const char *metric)
{
    const struct measurement *from = reading_get(before, metric, first);
    const struct measurement *to = reading_get(after, metric, last);

    return from != NULL && to != NULL && to->value >= from->value ? to->value - from->value : NAN;
}

static double known(double number)
{
    return isnan(number) ? 0 : number;
}

static bool is_well(const char *word)
{
    return strcmp(word, "No") == 0 || strcmp(word, "N/A") == 0 || strcmp(word, "None") == 0;
}

void growth_gpu(struct growth *growth, const char *of, const struct reading *before, const char *gpu,
                const struct reading *after, const char *later)
{
    for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
        const char *was = reading_get_fact(before, states[i].fact, gpu);
        const char *is = reading_get_fact(after, states[i].fact, later);

        if (is != NULL && !is_well(is) && (was == NULL || is_well(was)))
            say_of(growth, &growth->gpu, of, states[i].says);
        growth->gpu_unknown |= was != NULL && is == NULL;
    }
    array_each (row, gpu_counters, ARRAY_SIZE(gpu_counters)) {
        double more = added(before, gpu, after, later, row->counter);

        growth->gpu_unknown |=
            reading_get(before, row->counter, gpu) != NULL && isnan(more) && row->most <= 0;
        growth_most(growth, row->metric, more);
        for (size_t k = 0; k < ARRAY_SIZE(row->within); k++)
            more -= row->within[k] != NULL ? known(added(before, gpu, after, later, row->within[k])) : 0;
        weigh(growth, row, of, more, row->of_link ? &growth->hardware : &growth->gpu);
    }
}

static double added_at_port(const struct reading *before, const struct reading *after, const char *port,
                            const char *counter)
{
    return added(before, port, after, port, arena_printf(before->arena, "ib.counter.%s", counter));
}

static bool has_counter(const struct reading *reading, const char *port, const char *counter)
{
    return reading_get(reading, arena_printf(reading->arena, "ib.counter.%s", counter), port) != NULL;
}

/* One that stands where it can count no further shows no error that comes: "symbol_error is 65535, the ...". NULL: it
   does not. */
static const struct reason *stuck(const struct reading *reading, const char *port, const char *counter)
{
    list_each (finding, reading->findings) {
        const char *of =
            reason_is(finding->what, counter_saturated) ? reason_argument_text(finding->what, 1) : NULL;

        if (of != NULL && strcmp(of, counter) == 0 && strcmp(finding->subject, port) == 0)
            return finding->what;
    }
    return NULL;
}

/* Where it stood there before the test, nobody knows what the test brought. */
static void port_counter(struct growth *growth, const struct grown *row, const char *of,
                         const struct reading *before, const struct reading *after, const char *port)
{
    const struct reason *stood = stuck(before, port, row->counter),
                        *stands = stuck(after, port, row->counter);
    double more = added_at_port(before, after, port, row->counter);

    if (stood != NULL && stands != NULL) {
        if (isfinite(row->most))
            say_of(growth, &growth->stuck, of, stood);
        return;
    }
    /* It was cleared meanwhile, or is gone. */
    growth->ports_unknown |= isnan(more) && isfinite(row->most) && has_counter(before, port, row->counter);
    growth_most(growth, row->metric, more);
    weigh(growth, row, of, more, &growth->ports);
    if (stands != NULL)
        say_of(growth, &growth->ports, of, stands);
}

void growth_port(struct growth *growth, const char *of, const struct reading *before,
                 const struct reading *after, const char *port)
{
    for (size_t i = 0; i < ARRAY_SIZE(port_counters); i++)
        port_counter(growth, &port_counters[i], of, before, after, port);
    for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
        double more = added_at_port(before, after, port, rates[i].counter);
        double bits = BITS_A_WORD * added_at_port(before, after, port, rates[i].carried);

        if (bits > 0 && stuck(after, port, rates[i].counter) == NULL)
            growth_most(growth, rates[i].metric, isnan(more) ? NAN : fmax(more, 1) / bits);
    }
}

/* 0: it is not there, as what has never counted; NAN: it is no number. */
static double told(const struct reading *reading, const char *name, const char *subject)
{
    const char *text = reading_get_fact(reading, name, subject);
    double number;

    if (text == NULL)
        return 0;
    return scan_double(slice_of(text), &number) ? number : NAN;
}

/* What is not zero has a row: one that is gone went back, as a device does that left the bus meanwhile or was reset. */
static bool went_back(const struct reading *before, const struct reading *after, const char *counter)
{
    list_each (fact, before->facts)
        if (strcmp(fact->name, counter) == 0 &&
            told(after, counter, fact->subject) < told(before, counter, fact->subject))
            return true;
    return false;
}

void growth_kernel(struct growth *growth, const char *label, const struct reading *before,
                   const struct reading *after)
{
    for (size_t i = 0; i < ARRAY_SIZE(kernel_counters); i++) {
        const struct grown *row = &kernel_counters[i];

        if (told(after, kernel_devices[i], "") > 0)
            growth_most(growth, row->metric, 0);
        growth->hardware_unknown |=
            went_back(before, after, row->counter) || went_back(before, after, kernel_devices[i]);
        for (size_t k = 0; k < after->facts.count; k++) {
            const char *device = after->facts.items[k].subject;
            double more;

            if (strcmp(after->facts.items[k].name, row->counter) != 0)
                continue;
            more = told(after, row->counter, device) - told(before, row->counter, device);
            growth->hardware_unknown |= isnan(more);
            growth_most(growth, row->metric, more);
            weigh(growth, row,
                  arena_printf(growth->out->arena, "%s%s%s", label, *label != '\0' ? " " : "", device), more,
                  &growth->hardware);
        }
    }
}

/* Warnings that it did not give before. */
static void drive_warned(struct growth *growth, const char *of, double was, double is)
{
    struct arena *arena = growth->out->arena;
    unsigned bits = (unsigned)is & ~(unsigned)was;

    for (size_t i = 0; i < ARRAY_SIZE(drive_warnings); i++)
        if (bits & 1u << i)
            say_of(growth, &growth->hardware, of, reason(arena, the_drive_warns, drive_warnings[i]));
    if (bits >> ARRAY_SIZE(drive_warnings) != 0)
        say_of(growth, &growth->hardware, of,
               reason(arena, the_drive_warns, arena_printf(arena, "%#x", bits)));
}

static void grown_drive(struct growth *growth, const char *of, const struct reading *before,
                        const struct reading *after, const char *drive)
{
    const struct reason *unread = reading_why_unread(after, "nvme.warning", drive);
    double more = told(after, media_errors.counter, drive) - told(before, media_errors.counter, drive);

    if (reading_get_fact(after, "nvme.warning", drive) != NULL) {
        drive_warned(growth, of, told(before, "nvme.warning", drive), told(after, "nvme.warning", drive));
        growth->hardware_unknown |= !(more >= 0);
        growth_most(growth, media_errors.metric, more);
        weigh(growth, &media_errors, of, more, &growth->hardware);
    } else if (unread != NULL) {
        say_of(growth, &growth->drives, of, unread);
    } else {
        say_of(growth, &growth->hardware, of, REASON(drive_gone));
    }
}

void growth_drives(struct growth *growth, const char *label, const struct reading *before,
                   const struct reading *after, const struct reason *why)
{
    struct arena *arena = growth->out->arena;

    if (before == NULL || after == NULL) {
        window_say(growth->out, &growth->drives, window_of(arena, label, why));
        return;
    }
    for (size_t i = 0; i < before->facts.count; i++) {
        const char *drive = before->facts.items[i].subject;

        if (strcmp(before->facts.items[i].name, "nvme.warning") == 0)
            grown_drive(growth, arena_printf(arena, "%s%s%s", label, *label != '\0' ? " " : "", drive),
                        before, after, drive);
    }
    for (size_t i = 0; i < before->findings.count; i++)
        if (strcmp(before->findings.items[i].code, "nvme.warning.unread") == 0)
            say_of(growth, &growth->drives,
                   arena_printf(arena, "%s%s%s", label, *label != '\0' ? " " : "",
                                before->findings.items[i].subject),
                   before->findings.items[i].what);
}

/* -1: the line tells of nothing that is looked for here. */
static int row_of(struct slice line)
{
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        if (slice_contains(line, lines[i].has[0]) &&
            (lines[i].has[1] == NULL || slice_contains(line, lines[i].has[1])))
            return (int)i;
    return -1;
}

void growth_log(struct growth *growth, const char *label, struct slice log)
{
    struct arena *arena = growth->out->arena;
    struct slice line;
    unsigned corrected = 0;

    while (scan_line(&log, &line)) {
        int row = row_of(line);

        corrected += row >= 0 && lines[row].corrected;
        if (row < 0 || lines[row].corrected)
            continue;
        line.length = line.length < LINE_BYTES ? line.length : LINE_BYTES;
        window_say(growth->out, &growth->hardware,
                   window_of(arena, label, reason_quote(arena, slice_trim(line))));
    }
    if (corrected > 0)
        window_say(growth->out, &growth->corrected,
                   window_of(arena, label, reason(arena, corrected_lines, corrected)));
}

void growth_conclude(struct growth *growth)
{
    struct reading *out = growth->out;

    window_conclude(out, "window.gpu", &growth->gpu, growth->gpu_unknown);
    window_conclude(out, "window.hardware", &growth->hardware, growth->hardware_unknown);
    growth->ports_unknown |= growth->over_fabric && growth->stuck.said != NULL;
    window_conclude(out, "window.ports", &growth->ports, growth->ports_unknown);
    if (growth->over_fabric && growth->stuck.said != NULL)
        reading_unread(out, "window.ports", "", growth->stuck.said);
    window_conclude(out, "window.corrected", &growth->corrected, false);
    if (growth->context->check->window_drives && growth->drives.said != NULL)
        reading_fact_said(out, "window.drives", "", reason(out->arena, not_read, growth->drives.said));
    else if (growth->context->check->window_drives)
        reading_fact(out, "window.drives", "", slice_of("read"));
    for (size_t i = 0; i < growth->most.count; i++)
        reading_measure(out, growth->most.items[i].metric, "", growth->most.items[i].most, "");
}
