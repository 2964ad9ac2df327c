/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an attempt's windows say, over all members: subjects are "gpu3" of one host, "node2 gpu3" of several.
 *
 * facts    window.read = yes | no: WHY              both readings of every member are whole
 *          kernel.log = read | not read: WHY
 *          window.ecc.uncorrected, window.nvlink, window.links = none | who and how many
 *          window.processes = none | WHO (pid N) on gpuN before|after the test, or a job whose host it is |
 *                             not known: WHY nobody could say whose it is
 *          window.owned = WHO     of a check without the rest: the job whose host it is, where there is one
 *          window.unanswered = WHY    likewise: nobody could say whose the host is
 *          window.monitors = none | PROGRAM (pid N)     what disturbs tests of GPUs, before the test: recorded
 *          Of what is not known on every member there is no fact, unless it is bad already.
 *          output.doubted         of a test across hosts: members whose HCAs carried less than its table needs
 * metrics  window.ib.bytes B      what the HCAs of a member carried in the window, in and out; "": each of several at least
 *          window.ecc.uncorrected, .corrected, window.remapped_rows.uncorrectable, .correctable,
 *          window.pcie.replays, window.nvlink.COUNTER (gpu3.link5), window.ib.COUNTER   what was added in the
 *          window, where anything was
 *          window.nvlink.ber.effective, .symbol   the largest of all links after the test
 *          window.temperature.before, .slows_at, .slows_at_margin C     of one host; the latter two as its GPUs have them
 * findings xid.N, sxid.N of the kernel's lines; window.rebooted, window.gpu_lost, and what nvidia-smi complains of
 *          after the test and not before it: faults. window.nvlink_errors, warning: what a link corrected by itself
 */
#include <math.h>
#include <string.h>

#include "assay/model/evidence.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "monitors.h"
#include "owners.h"
#include "part_file.h"
#include "rules.h"
#include "window.h"
#include "window_growth.h"
#include "window_read.h"
#include "window_rows.h"
#include "window_tell.h"

static const struct limit rule_read[] =
    RULES_EQUAL("window.read", "yes", "assay: counters before and after are part of a test's evidence",
                .inconclusive = true);
static const struct limit rule_kernel_log[] = RULES_EQUAL(
    "kernel.log", "read", "assay: the kernel's log is part of a test's evidence", .inconclusive = true);
static const struct limit rule_processes[] =
    RULES_EQUAL("window.processes", "none", "assay", .note = REASON(others_leave_numbers_undecided),
                .inconclusive = true);
static const struct limit rule_ecc[] =
    RULES_EQUAL("window.ecc.uncorrected", "none", "assay", .note = REASON(memory_errors_during_test));
static const struct limit rule_nvlink[] = RULES_EQUAL(
    "window.nvlink", "none",
    "docs.nvidia.com/health-validation/reference/checks/nvlink; CRC: NVIDIA/DCGM nvvs, 100 a second",
    .note = REASON(nvlinks_recovered_during_test));
static const struct limit rule_links[] =
    RULES_EQUAL("window.links", "none", "assay", .note = REASON(links_went_down_during_test));

static const struct limit rule_monitors[] = MONITORS_RULES("window.monitors");

static const struct item items[] = {
    {"window.read", PER_TARGET, NULL, DUTY_GATE, rule_read},
    {"kernel.log", PER_TARGET, NULL, DUTY_GATE, rule_kernel_log},
    {"window.processes", PER_TARGET, NULL, DUTY_GATE, rule_processes},
    {"window.ecc.uncorrected", PER_TARGET, NULL, DUTY_GATE, rule_ecc},
    {"window.monitors", PER_TARGET, NULL, DUTY_RECORD, rule_monitors},
    {0},
};

const struct remedy window_remedies[] = {
    {"window.read", REASON(try_nvidia_smi_by_hand)},
    {"kernel.log", REASON(let_login_read_kernel_log)},
    {"window.processes", REASON(have_gpu_and_host_freed)},
    {"window.ecc.uncorrected", REASON(reset_gpu_run_dcgmi)},
    {"window.nvlink", REASON(reset_all_gpus_if_again_replace)},
    {"window.gpu", REASON(reset_gpu_number_run_dcgmi)},
    {"window.hardware", REASON(reseat_device_test_again)},
    {"window.drives", REASON(install_nvme_cli)},
    {"window.ports", REASON(clean_port_cable_counter_first)},
    {"window.links", REASON(see_port_counters_of_hca)},
    {0},
};

/* A host's GPU tests may not depend on adapters that are somewhere else than declared; a test over the fabric
 * does. */
static bool needs_fabric(const struct check_context *context)
{
    return strcmp(context->step->scope, "host") != 0;
}

struct finder {
    const struct check_context *context;
    const struct attempt *attempt;
    struct reading *out;
    struct against read, log, processes, ecc, nvlink, links, monitors, unanswered;
    double
        table_bytes; /* what each member must have carried at least by the test's own table; 0: nothing is known */
    struct against idle; /* members that carried less */
    struct growth growth;
    bool processes_unknown, ecc_unknown, nvlink_unknown, links_unknown, monitors_unknown;
};

/* One member and what was read on it. */
struct member {
    const char *label;                 /* "node2"; "" where there is one only */
    const struct part *before, *after; /* nvidia-smi; NULL: not whole */
};

/* In the reading's arena, for what it is made of may be gone before. */
static const char *subject(const struct finder *finder, const struct member *member, const char *of)
{
    bool both = *member->label != '\0' && *of != '\0';

    return arena_printf(finder->out->arena, "%s%s%s", member->label, both ? " " : "", of);
}

static const struct part *find_part(const struct attempt *attempt, const struct window *window,
                                    const char *name)
{
    for (size_t i = 0; window != NULL && i < attempt->parts.count; i++)
        if (attempt->parts.items[i].window == (size_t)(window - attempt->windows.items) + 1 &&
            strcmp(attempt->parts.items[i].name, name) == 0)
            return &attempt->parts.items[i];
    return NULL;
}

/* "node2 before the test: WHY" */
static const struct reason *why_at(struct arena *arena, const char *label, enum window_role role,
                                   const struct reason *why)
{
    if (*label == '\0')
        return role == WINDOW_BEFORE ? reason(arena, before_test, why) : reason(arena, after_test, why);
    return role == WINDOW_BEFORE ? reason(arena, member_before_test, label, why)
                                 : reason(arena, member_after_test, label, why);
}

/* nvidia-smi's answer where it is whole. */
static const struct part *whole_gpus(struct finder *finder, const char *label, const struct window *window,
                                     enum window_role role)
{
    struct arena *arena = finder->out->arena;
    const struct part *part = find_part(finder->attempt, window, WINDOW_GPUS);
    const struct reason *why = window_unread(arena, window, part);

    if (why == NULL && part->reading.status == READING_COMPLETE)
        return part;
    if (why == NULL)
        why = part->reading.reason;
    window_say(finder->out, &finder->read, why_at(arena, label, role, why));
    return NULL;
}

/* What nvidia-smi calls the same GPU after the test: one that is lost gives its number away. NULL: it is gone. */
static const char *same_gpu(const struct member *member, const char *gpu)
{
    const struct reading *after = &member->after->reading;
    const char *uuid = reading_get_fact(&member->before->reading, "gpu.uuid", gpu);

    for (size_t i = 0; uuid != NULL && i < after->facts.count; i++)
        if (strcmp(after->facts.items[i].name, "gpu.uuid") == 0 &&
            strcmp(after->facts.items[i].value, uuid) == 0)
            return after->facts.items[i].subject;
    return uuid != NULL ? NULL : gpu;
}

static double difference(const struct measurement *first, const struct measurement *last)
{
    return first != NULL && last != NULL && last->value >= first->value ? last->value - first->value : NAN;
}

/* What was added; NAN where it is not known, or the counter went back (a reset in the window). */
static double added(const struct reading *before, const struct reading *after, const char *metric,
                    const char *of, const char *of_after)
{
    return difference(reading_get(before, metric, of), reading_get(after, metric, of_after));
}

/* The same of the measurement with that number: where nothing has changed it has the same number afterwards. */
static double added_to(const struct reading *before, const struct reading *after, size_t number,
                       const char *of_after)
{
    const struct measurement *first = &before->measurements.items[number];
    const struct measurement *same =
        number < after->measurements.count ? &after->measurements.items[number] : NULL;

    if (same == NULL || strcmp(same->subject, of_after) != 0 || strcmp(same->metric, first->metric) != 0)
        same = reading_get(after, first->metric, of_after);
    return difference(first, same);
}

static const struct {
    const char *counter, *metric;
} counters[] = {
    {"ecc.volatile.corrected", "window.ecc.corrected"},
    {"remapped_rows.uncorrectable", "window.remapped_rows.uncorrectable"},
    {"remapped_rows.correctable", "window.remapped_rows.correctable"},
    {"pcie.replays", "window.pcie.replays"},
};

/* "node2 gpu3: 4" */
static void say_number(struct finder *finder, struct against *against, const char *of, double number)
{
    struct arena *arena = finder->out->arena;

    window_say(finder->out, against, reason(arena, about, of, arena_printf(arena, "%.0f", number)));
}

/* Of one host: how warm it was, and what its GPUs say of where they slow down (heat.c). */
static void keep_temperatures(struct reading *out, const struct reading *before, const char *gpu)
{
    static const char *const kept[][2] = {
        {"gpu.temperature", "window.temperature.before"},
        {"gpu.temperature_slowdown", "window.temperature.slows_at"},
        {"gpu.temperature_slowdown_margin", "window.temperature.slows_at_margin"}};

    for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
        const struct measurement *found = reading_get(before, kept[i][0], gpu);

        if (found != NULL)
            reading_measure(out, kept[i][1], gpu, found->value, "C");
    }
}

static void read_counters(struct finder *finder, const struct member *member, const char *gpu,
                          const char *later)
{
    const struct reading *before = &member->before->reading, *after = &member->after->reading;
    double errors = added(before, after, "ecc.volatile.uncorrected", gpu, later);
    const char *of = subject(finder, member, gpu);

    if (isnan(errors))
        finder->ecc_unknown = true;
    else if (errors > 0)
        say_number(finder, &finder->ecc, of, errors);
    if (errors > 0)
        reading_measure(finder->out, "window.ecc.uncorrected", of, errors, "");
    if (*member->label == '\0')
        keep_temperatures(finder->out, before, gpu);
    for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
        double more = added(before, after, counters[i].counter, gpu, later);

        if (more > 0)
            reading_measure(finder->out, counters[i].metric, of, more, "");
    }
    growth_gpu(&finder->growth, of, before, gpu, after, later);
}

/* When somebody else was seen on a host or its GPUs: right before the test or after it, or it has not begun. */
enum seen { SEEN_BEFORE, SEEN_AFTER, SEEN_NOW };

static const struct reason *seen(struct arena *arena, enum seen when, const struct reason *what)
{
    switch (when) {
    case SEEN_BEFORE:
        return reason(arena, seen_before_test, what);
    case SEEN_AFTER:
        return reason(arena, seen_after_test, what);
    case SEEN_NOW:
    default:
        return what;
    }
}

static void add_processes(struct finder *finder, struct against *against, const char *of,
                          const struct reading *reading, const char *gpu, enum seen when)
{
    static const char prefix[] = "gpu.process.";
    struct arena *arena = finder->out->arena;

    for (size_t i = 0; i < reading->facts.count; i++)
        if (strcmp(reading->facts.items[i].subject, gpu) == 0 &&
            strncmp(reading->facts.items[i].name, prefix, strlen(prefix)) == 0)
            window_say(finder->out, against,
                       seen(arena, when,
                            reason(arena, process_on_gpu, reading->facts.items[i].value,
                                   reading->facts.items[i].name + strlen(prefix), of)));
}

/* Who computes on the GPUs; false where nobody knows. */
static bool processes_of(struct against *against, struct finder *finder, const struct member *member,
                         const struct reading *reading, enum seen when)
{
    const struct measurement *gpus = reading_get(reading, "gpu.count", "");
    struct arena *arena = finder->out->arena;
    size_t known = 0;

    list_each (count, reading->measurements) {
        const char *of;
        size_t bytes = against->bytes;

        if (strcmp(count->metric, "gpu.compute_processes") != 0)
            continue;
        known++;
        if (count->value <= 0)
            continue;
        of = subject(finder, member, count->subject);
        add_processes(finder, against, of, reading, count->subject, when);
        if (against->bytes == bytes)
            window_say(finder->out, against,
                       seen(arena, when,
                            reason(arena, processes_on_gpu, arena_printf(arena, "%.0f", count->value), of)));
    }
    return gpus != NULL && gpus->value == (double)known;
}

struct owners_to {
    struct finder *finder;
    struct against *against;
    const char *label;
    enum seen when;
};

static void say_owner(void *context, const struct reason *owner)
{
    const struct owners_to *to = context;
    struct arena *arena = to->finder->out->arena;

    window_say(to->finder->out, to->against, seen(arena, to->when, window_of(arena, to->label, owner)));
}

/* Whose host it was in that window. */
static void owners_of(struct against *against, struct finder *finder, const struct member *member,
                      const struct window *window, enum seen when)
{
    struct owners_to to = {finder, against, member->label, when};

    owners_say(find_part(finder->attempt, window, WINDOW_OWNERS), finder->out->arena, say_owner, &to);
}

/* Why nobody knows whose it was. */
static void unanswered_of(struct against *against, struct finder *finder, const struct member *member,
                          const struct window *window, enum seen when)
{
    struct arena *arena = finder->out->arena;
    const struct reason *why =
        owners_unanswered(finder->context, window, find_part(finder->attempt, window, WINDOW_OWNERS));

    if (why == NULL)
        return;
    why = window_of(arena, member->label, why);
    if (when != SEEN_NOW)
        why = when == SEEN_BEFORE ? reason(arena, unanswered_before_test, why)
                                  : reason(arena, unanswered_after_test, why);
    window_say(finder->out, against, why);
}

static void read_monitors(struct finder *finder, const struct member *member, const struct window *before)
{
    const struct part *part = find_part(finder->attempt, before, WINDOW_MONITORS);
    struct slice rest = part != NULL && part->ended ? part->out : (struct slice){"", 0};
    const struct reason *monitor;

    finder->monitors_unknown |= part == NULL || !part->ended || part->rc != 0;
    while ((monitor = monitors_next(finder->out->arena, &rest)) != NULL)
        window_say(finder->out, &finder->monitors, window_of(finder->out->arena, member->label, monitor));
}

/* What is wrong now and was not before; also where the later answer is not whole. */
static void new_faults(struct finder *finder, const struct member *member, const struct part *before,
                       const struct part *after)
{
    for (size_t i = 0; before != NULL && after != NULL && i < after->reading.findings.count; i++) {
        const struct finding *finding = &after->reading.findings.items[i];

        if (finding->severity == SEVERITY_FAULT &&
            reading_get_finding(&before->reading, finding->code, finding->subject) == NULL)
            reading_finding(
                finder->out, SEVERITY_FAULT, finding->code, subject(finder, member, finding->subject),
                reason(finder->out->arena, after_test, reason_copy(finder->out->arena, finding->what)));
    }
}

static void read_gpus(struct finder *finder, const struct member *member)
{
    const struct reading *before = &member->before->reading;

    finder->processes_unknown |= !processes_of(&finder->processes, finder, member, before, SEEN_BEFORE);
    finder->processes_unknown |=
        !processes_of(&finder->processes, finder, member, &member->after->reading, SEEN_AFTER);
    for (unsigned i = 0; i < finder->context->platform->gpu_count; i++) {
        const char *gpu = arena_printf(finder->out->arena, "gpu%u", i);
        const char *later = same_gpu(member, gpu);

        if (later == NULL)
            reading_finding(
                finder->out, SEVERITY_FAULT, "window.gpu_lost", subject(finder, member, gpu),
                reason(finder->out->arena, gpu_gone_after_test, reading_get_fact(before, "gpu.uuid", gpu)));
        if (later != NULL)
            read_counters(finder, member, gpu, later);
        else
            finder->ecc_unknown = finder->growth.gpu_unknown = true;
    }
}

/*
 * What a link counts. One that recovers was down for a moment, and of NVLink 5 any error beyond what its FEC corrects fails
 * NVIDIA/DCGM's own watch of it; what older links correct costs time and no more. Of nvidia-smi's `FEC Errors - N` the
 * first counts what was right, and a few of the others are every link's. Discards follow from congestion too.
 */
enum { CRC_A_SECOND = 100 };
#define NVLINK_COUNTER(name, counted, weight)                    \
    {                                                            \
        name, "window.nvlink." name, &sentence_##counted, weight \
    }
static const struct {
    const char *counter, *metric;
    const struct sentence *counted;
    enum { NVLINK_FAULT, NVLINK_RATE, NVLINK_NOTE } weight;
} nvlink_counters[] = {
    /* to NVLink 4 */
    NVLINK_COUNTER("recovery", recoveries, NVLINK_FAULT),
    NVLINK_COUNTER("crc", crc_errors, NVLINK_RATE),
    NVLINK_COUNTER("replay", replays, NVLINK_NOTE),
    /* from NVLink 5 on */
    NVLINK_COUNTER("link_recovery_successful_events", recoveries, NVLINK_FAULT),
    NVLINK_COUNTER("link_recovery_failed_events", failed_recoveries, NVLINK_FAULT),
    NVLINK_COUNTER("malformed_packet", malformed_packets, NVLINK_FAULT),
    NVLINK_COUNTER("buffer_overrun", buffer_overruns, NVLINK_FAULT),
    NVLINK_COUNTER("rx", receive_errors, NVLINK_FAULT),
    NVLINK_COUNTER("rx_remote", receive_errors_of_other_end, NVLINK_FAULT),
    NVLINK_COUNTER("rx_general", general_receive_errors, NVLINK_FAULT),
    NVLINK_COUNTER("local_link_integrity", link_integrity_errors, NVLINK_FAULT),
    NVLINK_COUNTER("effective", errors_after_correction, NVLINK_FAULT),
    NVLINK_COUNTER("symbol", symbol_errors, NVLINK_FAULT),
    NVLINK_COUNTER("tx_discards", discarded_packets, NVLINK_NOTE),
};

/* The largest of the links' own bit error rates after the test, which they reckon since they came up: for contracts. What
   no error was seen for stands at 15e-255. */
static const struct {
    const char *rate, *metric;
} nvlink_rates[] = {
    {"nvlink.link.ber.effective", "window.nvlink.ber.effective"},
    {"nvlink.link.ber.symbol", "window.nvlink.ber.symbol"},
};

static const char link_downs[] = "window.ib.link_downed", carried[] = "window.ib.bytes";

void window_slots(const struct check_context *context, struct slot_list *slots)
{
    for (const struct item *item = items; item->metric != NULL; item++)
        slot_add(context, slots, item->metric, "", NULL, item->duty, item->rules);
    if (context->platform->nvlink_links > 0) {
        slot_add(context, slots, "window.nvlink", "", NULL, DUTY_GATE, rule_nvlink);
        for (size_t i = 0; i < ARRAY_SIZE(nvlink_counters); i++)
            slot_add(context, slots, nvlink_counters[i].metric, "", NULL, DUTY_RECORD, NULL);
        for (size_t i = 0; i < ARRAY_SIZE(nvlink_rates); i++)
            slot_add(context, slots, nvlink_rates[i].metric, "", NULL, DUTY_RECORD, NULL);
    }
    if (context->platform->hcas.count > 0) {
        slot_add(context, slots, "window.links", "", NULL, DUTY_GATE, rule_links);
        slot_add(context, slots, link_downs, "", NULL, DUTY_RECORD, NULL);
        if (needs_fabric(context))
            slot_add(context, slots, carried, "", NULL, DUTY_RECORD, NULL);
    }
    growth_slots(context, slots);
}

static void tell_nvlink(struct finder *finder, size_t kind, const char *of, double more, double seconds)
{
    struct arena *arena = finder->out->arena;
    /* A clock that was set back leaves no rate to excuse them by. */
    double rate = more / fmax(seconds, 1);
    bool flood = nvlink_counters[kind].weight == NVLINK_RATE && rate > CRC_A_SECOND;
    const struct reason *count = window_count(arena, nvlink_counters[kind].counted, more);

    reading_measure(finder->out, nvlink_counters[kind].metric, of, more, "");
    if (flood)
        count = reason(arena, a_second, count, arena_printf(arena, "%.0f", rate));
    if (flood || nvlink_counters[kind].weight == NVLINK_FAULT)
        window_say(finder->out, &finder->nvlink, reason(arena, about, of, count));
    else
        reading_finding(finder->out, SEVERITY_WARNING, "window.nvlink_errors", of,
                        reason(arena, during_test, count));
}

/* The links of one GPU, of which each that could be watched before must be there after. False: none could be. */
static bool read_links_of(struct finder *finder, const struct member *member, const struct reading *before,
                          const struct reading *after, const char *gpu, double seconds)
{
    static const char prefix[] = "nvlink.link.errors.";
    const char *later = same_gpu(member, gpu);
    size_t length = strlen(gpu), watched = 0;
    bool moved = later != NULL && strcmp(later, gpu) != 0;

    for (size_t i = 0; later != NULL && i < before->measurements.count; i++) {
        const struct measurement *counter = &before->measurements.items[i];
        struct slice name = slice_of(counter->metric);
        double more;

        if (strncmp(counter->subject, gpu, length) != 0 || counter->subject[length] != '.' ||
            !scan_text(&name, prefix))
            continue;
        more = added_to(before, after, i,
                        moved ? arena_printf(before->arena, "%s%s", later, counter->subject + length)
                              : counter->subject);
        for (size_t k = 0; k < ARRAY_SIZE(nvlink_counters); k++) {
            if (!slice_equal(name, nvlink_counters[k].counter))
                continue;
            watched += nvlink_counters[k].weight == NVLINK_FAULT;
            finder->nvlink_unknown |= isnan(more);
            growth_most(&finder->growth, nvlink_counters[k].metric, more);
            if (more > 0)
                tell_nvlink(finder, k, subject(finder, member, counter->subject), more, seconds);
        }
    }
    return watched > 0;
}

static void read_rates_of_links(struct finder *finder, const struct reading *after)
{
    for (size_t i = 0; i < after->measurements.count; i++)
        for (size_t k = 0; k < ARRAY_SIZE(nvlink_rates); k++)
            if (strcmp(after->measurements.items[i].metric, nvlink_rates[k].rate) == 0)
                growth_most(&finder->growth, nvlink_rates[k].metric, after->measurements.items[i].value);
}

static bool is_whole(const struct part *part)
{
    return part != NULL && part->ended && part->rc == 0 && part->reading.status == READING_COMPLETE;
}

static void read_nvlink(struct finder *finder, const struct member *member, const struct window *before,
                        const struct window *after)
{
    const struct platform *platform = finder->context->platform;
    const struct part *first = find_part(finder->attempt, before, WINDOW_NVLINK);
    const struct part *last = find_part(finder->attempt, after, WINDOW_NVLINK);

    if (platform->nvlink_links == 0)
        return;
    if (member->before == NULL || member->after == NULL || !is_whole(first) || !is_whole(last)) {
        finder->nvlink_unknown = true;
        return;
    }
    for (unsigned i = 0; i < platform->gpu_count; i++)
        if (!read_links_of(finder, member, &first->reading, &last->reading,
                           arena_printf(finder->out->arena, "gpu%u", i), windows_apart_s(before, after)))
            finder->nvlink_unknown = true;
    read_rates_of_links(finder, &last->reading);
}

/* "mlx5_3/1" is a port of "mlx5_3". */
static bool is_port_of(const char *port, const char *hca)
{
    size_t length = strlen(hca);

    return strncmp(port, hca, length) == 0 && port[length] == '/';
}

static bool is_compute(const struct platform *platform, const char *port)
{
    for (size_t i = 0; i < platform->hcas.count; i++)
        if (is_port_of(port, platform->hcas.items[i]))
            return true;
    return false;
}

static bool has_links(const struct reading *reading, const char *hca)
{
    for (size_t i = 0; i < reading->measurements.count; i++)
        if (strcmp(reading->measurements.items[i].metric, "ib.counter.link_downed") == 0 &&
            is_port_of(reading->measurements.items[i].subject, hca))
            return true;
    return false;
}

/* Bytes that all HCAs of a member sent and received in the window; NAN where they do not tell: none has such counters, one
   went back or stands where old ones stop, or none has ever counted (some virtual functions). */
static double bytes_carried(const struct reading *first, const struct reading *last)
{
    static const char *const metrics[] = {"ib.counter.port_xmit_data", "ib.counter.port_rcv_data"};
    enum { OCTETS = 4 }; /* the counters' unit */
    double words = 0;
    bool counts = false;

    list_each (counter, last->measurements) {
        if (strcmp(counter->metric, metrics[0]) != 0 && strcmp(counter->metric, metrics[1]) != 0)
            continue;
        if (counter->value == UINT32_MAX)
            return NAN;
        counts |= counter->value > 0;
        words += difference(reading_get(first, counter->metric, counter->subject), counter);
    }
    return counts ? words * OCTETS : NAN;
}

/* A table is rank 0's word. What the members' own HCAs count is not, and a test that moved so much shows there. */
static void read_carried(struct finder *finder, const struct member *member, const struct reading *first,
                         const struct reading *last)
{
    double bytes = finder->table_bytes > 0 ? bytes_carried(first, last) : NAN;

    if (isnan(bytes))
        return;
    reading_measure(finder->out, carried, subject(finder, member, ""), bytes, "B");
    if (bytes < finder->table_bytes)
        window_say(finder->out, &finder->idle,
                   reason(finder->out->arena, about, member->label,
                          arena_printf(finder->out->arena, "%.3g GB", bytes / 1e9)));
}

static bool is_traffic(const char *metric)
{
    return strcmp(metric, "ib.counter.port_xmit_data") == 0 ||
           strcmp(metric, "ib.counter.port_rcv_data") == 0;
}

/* A port of an adapter that the test went over is looked at where this counter was. */
static bool counts_symbols(const struct reading *reading, const char *hca)
{
    list_each (counter, reading->measurements) {
        struct slice port = slice_of(counter->subject);

        if (strcmp(counter->metric, "ib.counter.symbol_error") == 0 && scan_text(&port, hca) &&
            (port.length == 0 || port.bytes[0] == '/'))
            return true;
    }
    return false;
}

static void read_ports(struct finder *finder, const struct member *member, const struct reading *first,
                       const struct reading *last)
{
    for (size_t i = 0; i < first->measurements.count; i++) {
        const char *port = first->measurements.items[i].subject;

        if (strcmp(first->measurements.items[i].metric, "ib.counter.symbol_error") == 0 &&
            is_compute(finder->context->platform, port))
            growth_port(&finder->growth, subject(finder, member, port), first, last, port);
    }
}

static void read_fabric(struct finder *finder, const struct member *member, const struct window *before,
                        const struct window *after)
{
    static const char prefix[] = "ib.counter.";
    const struct platform *platform = finder->context->platform;
    const struct part *first = find_part(finder->attempt, before, WINDOW_FABRIC);
    const struct part *last = find_part(finder->attempt, after, WINDOW_FABRIC);
    bool any = false;

    if (first == NULL || last == NULL || !first->ended || !last->ended) {
        finder->links_unknown = finder->growth.ports_unknown = true;
        return;
    }
    read_ports(finder, member, &first->reading, &last->reading);
    read_carried(finder, member, &first->reading, &last->reading);
    for (size_t i = 0; i < platform->hcas.count; i++)
        if (needs_fabric(finder->context) && (!has_links(&first->reading, platform->hcas.items[i]) ||
                                              !has_links(&last->reading, platform->hcas.items[i])))
            finder->links_unknown = true;
    for (size_t i = 0; needs_fabric(finder->context) && i < platform->hcas.count; i++)
        finder->growth.ports_unknown |= !counts_symbols(&first->reading, platform->hcas.items[i]);
    list_each (counter, first->reading.measurements) {
        double more =
            added(&first->reading, &last->reading, counter->metric, counter->subject, counter->subject);
        const char *of = subject(finder, member, counter->subject);

        if (strncmp(counter->metric, prefix, strlen(prefix)) != 0 || is_traffic(counter->metric) ||
            !is_compute(platform, counter->subject))
            continue;
        any = true;
        if (isnan(more) && strcmp(counter->metric, "ib.counter.link_downed") == 0)
            finder->links_unknown = true;
        if (strcmp(counter->metric, "ib.counter.link_downed") == 0)
            growth_most(&finder->growth, link_downs, more);
        if (!(more > 0))
            continue;
        reading_measure(finder->out,
                        arena_printf(finder->out->arena, "window.ib.%s", counter->metric + strlen(prefix)),
                        of, more, "");
        if (strcmp(counter->metric, "ib.counter.link_downed") == 0)
            say_number(finder, &finder->links, of, more);
    }
    /* Where no counter was read, none has shown that a link stayed up. */
    finder->links_unknown |= platform->hcas.count > 0 && !any;
    finder->growth.ports_unknown |= finder->links_unknown;
}

/* The kernel's own counters of PCIe and memory. */
static void read_hardware(struct finder *finder, const struct member *member, const struct window *before,
                          const struct window *after)
{
    const struct part *first = find_part(finder->attempt, before, WINDOW_HARDWARE);
    const struct part *last = find_part(finder->attempt, after, WINDOW_HARDWARE);

    if (is_whole(first) && is_whole(last))
        growth_kernel(&finder->growth, member->label, &first->reading, &last->reading);
    else
        finder->growth.hardware_unknown = true;
}

static void read_drives(struct finder *finder, const struct member *member, const struct window *before,
                        const struct window *after)
{
    const struct part *first = find_part(finder->attempt, before, WINDOW_DRIVES);
    const struct part *last = find_part(finder->attempt, after, WINDOW_DRIVES);
    const struct reason *why = window_unread(finder->out->arena, before, first);

    if (why == NULL)
        why = window_unread(finder->out->arena, after, last);
    growth_drives(&finder->growth, member->label, is_whole(first) ? &first->reading : NULL,
                  is_whole(last) ? &last->reading : NULL, why != NULL ? why : REASON(answer_not_whole));
}

/* Kernel lines name GPUs by "0000:9b:00"; where the addresses are known, gpuN is what people look for. */
static const char *gpu_at(const struct part *gpus, const char *address)
{
    for (size_t i = 0; gpus != NULL && i < gpus->reading.facts.count; i++)
        if (*address != '\0' && strcmp(gpus->reading.facts.items[i].name, "gpu.pci_address") == 0 &&
            slice_starts(slice_of(gpus->reading.facts.items[i].value), address))
            return gpus->reading.facts.items[i].subject;
    return address;
}

static void read_log(struct finder *finder, const struct member *member, const struct window *before,
                     const struct window *after)
{
    struct arena *arena = finder->out->arena;
    const struct part *part = find_part(finder->attempt, after, WINDOW_LOG);
    const struct part *start = find_part(finder->attempt, before, WINDOW_LOG_START);
    const struct part *gpus = find_part(finder->attempt, before, WINDOW_GPUS);
    const struct reason *why = window_unread(arena, before, start);

    if (why == NULL)
        why = window_unread(arena, after, part);
    if (reason_is(why, exit_status))
        why = REASON(no_log_of_test);
    if (why != NULL)
        window_say(finder->out, &finder->log, window_of(arena, member->label, why));
    if (part != NULL)
        growth_log(&finder->growth, member->label, part->out);
    finder->growth.hardware_unknown |= why != NULL;
    for (size_t i = 0; part != NULL && i < part->reading.findings.count; i++) {
        const struct finding *line = &part->reading.findings.items[i];

        reading_finding(finder->out, growth_xid(line), arena_strdup(arena, line->code),
                        subject(finder, member, gpu_at(gpus, line->subject)), reason_copy(arena, line->what));
    }
}

static bool rebooted(const struct window *before, const struct window *after)
{
    if (before != NULL && before->end == ATTEMPT_REBOOTED)
        return true;
    if (after == NULL)
        return false;
    return after->end == ATTEMPT_REBOOTED ||
           (before != NULL && *before->boot_id != '\0' && *after->boot_id != '\0' &&
            strcmp(before->boot_id, after->boot_id) != 0);
}

static void read_member(struct finder *finder, size_t index)
{
    const struct check_context *context = finder->context;
    struct member member = {.label = context->member_count > 1 ? context->members[index]->name : ""};
    const struct window *before = window_find(finder->attempt, index, WINDOW_BEFORE);
    const struct window *after = window_find(finder->attempt, index, WINDOW_AFTER);

    owners_of(&finder->processes, finder, &member, before, SEEN_BEFORE);
    owners_of(&finder->processes, finder, &member, after, SEEN_AFTER);
    unanswered_of(&finder->unanswered, finder, &member, before, SEEN_BEFORE);
    unanswered_of(&finder->unanswered, finder, &member, after, SEEN_AFTER);
    if (!context->check->window)
        return;
    if (rebooted(before, after))
        reading_finding(finder->out, SEVERITY_FAULT, "window.rebooted", subject(finder, &member, ""),
                        REASON(host_rebooted_around_test));
    finder->growth.seconds = before != NULL && after != NULL ? windows_apart_s(before, after) : 0;
    member.before = whole_gpus(finder, member.label, before, WINDOW_BEFORE);
    member.after = whole_gpus(finder, member.label, after, WINDOW_AFTER);
    new_faults(finder, &member, find_part(finder->attempt, before, WINDOW_GPUS),
               find_part(finder->attempt, after, WINDOW_GPUS));
    if (member.before != NULL && member.after != NULL)
        read_gpus(finder, &member);
    else
        finder->processes_unknown = finder->ecc_unknown = finder->growth.gpu_unknown = true;
    read_hardware(finder, &member, before, after);
    if (finder->context->check->window_drives)
        read_drives(finder, &member, before, after);
    read_nvlink(finder, &member, before, after);
    read_fabric(finder, &member, before, after);
    read_monitors(finder, &member, before);
    read_log(finder, &member, before, after);
}

/* badly: NULL where nothing is said against it. */
static void conclude_read(struct reading *out, const char *fact, const char *well, const struct reason *badly)
{
    if (badly != NULL)
        reading_fact_said(out, fact, "", badly);
    else
        reading_fact(out, fact, "", slice_of(well));
}

/* The windows of one member, read: hundreds of values, of which a few differences are kept, so they have an arena
   of their own. */
static void read_parts_of(const struct check_context *context, size_t member, struct attempt *attempt,
                          struct reading *out)
{
    const char *label = context->member_count > 1 ? context->members[member]->name : "";

    for (size_t i = 0; i < attempt->windows.count; i++) {
        const struct window *window = &attempt->windows.items[i];
        struct frames frames;

        if (window->member != member)
            continue;
        read_window_frames(context->arena, attempt, window, &frames);
        tell_frames(&frames, window, label, out);
        for (const struct part_row *row = window_parts(window->role); row->name != NULL; row++)
            if (window_part_applies(context, row))
                (void)read_part(context, row, &frames, i + 1, attempt);
    }
}

/* How the commands of a member's windows ended, and where their outputs lie. All members are asked the same. */
static void keep_parts(struct arena *arena, const struct attempt *from, bool with_commands,
                       struct attempt *attempt)
{
    for (size_t i = 0; i < from->parts.count; i++) {
        struct part *part = list_push(arena, &attempt->parts);
        const struct reading *reading = &from->parts.items[i].reading;

        *part = from->parts.items[i];
        part->command = with_commands ? arena_strdup(arena, part->command) : "";
        reading_init(&part->reading, arena, arena_strdup(arena, reading->tool));
        reading_set(&part->reading, reading->status, reason_copy(arena, reading->reason));
    }
}

static void member_done(struct finder *finder, const char *label)
{
    struct growth *growth = &finder->growth;
    struct {
        struct against *against;
        bool *unknown;
    } rows[] = {
        {&finder->processes, &finder->processes_unknown}, {&finder->ecc, &finder->ecc_unknown},
        {&finder->nvlink, &finder->nvlink_unknown},       {&finder->links, &finder->links_unknown},
        {&finder->monitors, &finder->monitors_unknown},   {&growth->gpu, &growth->gpu_unknown},
        {&growth->hardware, &growth->hardware_unknown},   {&growth->ports, &growth->ports_unknown},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        window_member_done(finder->out, rows[i].against, label, rows[i].unknown);
}

static void read_one(struct finder *finder, size_t member, struct attempt *attempt)
{
    cleanup_arena struct arena *arena = arena_create();
    struct check_context context = *finder->context;
    struct attempt scratch = {.uuid = attempt->uuid, .frame = attempt->frame, .windows = attempt->windows};

    context.arena = arena;
    finder->attempt = &scratch;
    read_parts_of(&context, member, &scratch, finder->out);
    read_member(finder, member);
    member_done(finder, context.member_count > 1 ? context.members[member]->name : "");
    keep_parts(finder->out->arena, &scratch, member == 0, attempt);
}

/*
 * What a member of a collective over the HCAs carries at least, in and out together: the largest message of the table,
 * once. Each collective moves more, whatever the algorithm (with all switches can do, all_gather of S over N hosts brings
 * a host S(N-1)/N and takes S/N), and each size is run more than once.
 */
static double least_carried(const struct check_context *context, const struct reading *reading)
{
    const char *transport = reading_get_fact(reading, "nccl.net_transport", "");
    double most = 0, size;

    if (context->member_count < 2 || transport == NULL || strcmp(transport, "NET/IB") != 0)
        return 0;
    list_each (measurement, reading->measurements)
        for (size_t k = 0; k < measurement->at.count; k++)
            if (strcmp(measurement->at.items[k].key, "size_bytes") == 0 &&
                scan_double(slice_of(measurement->at.items[k].text), &size))
                most = fmax(most, size);
    return most;
}

/* Of several members what each carried at least, where all tell it: for a contract. */
static void conclude_carried(struct finder *finder)
{
    struct reading *out = finder->out;
    double least = INFINITY;
    size_t told = 0;

    for (size_t i = 0; i < out->measurements.count; i++)
        if (strcmp(out->measurements.items[i].metric, carried) == 0) {
            least = fmin(least, out->measurements.items[i].value);
            told++;
        }
    if (told > 1 && told == finder->context->member_count)
        reading_measure(out, carried, "", least, "B");
}

static void conclude_members(struct finder *finder)
{
    struct reading *out = finder->out;
    struct arena *arena = out->arena;

    conclude_read(out, "window.read", "yes",
                  finder->read.said != NULL ? reason(arena, no_because, finder->read.said) : NULL);
    conclude_read(out, "kernel.log", "read",
                  finder->log.said != NULL ? reason(arena, not_read, finder->log.said) : NULL);
    if (finder->unanswered.said != NULL)
        window_say(out, &finder->processes, reason(arena, not_known_because, finder->unanswered.said));
    window_conclude(out, "window.processes", &finder->processes, finder->processes_unknown);
    window_conclude(out, "window.ecc.uncorrected", &finder->ecc, finder->ecc_unknown);
    if (finder->context->platform->nvlink_links > 0)
        window_conclude(out, "window.nvlink", &finder->nvlink, finder->nvlink_unknown);
    window_conclude(out, "window.links", &finder->links, finder->links_unknown);
    window_conclude(out, "window.monitors", &finder->monitors, finder->monitors_unknown);
    growth_conclude(&finder->growth);
    conclude_carried(finder);
    if (finder->idle.said != NULL)
        reading_doubt(out, reason(arena, hcas_carried_less_than_table,
                                  arena_printf(arena, "%.3g", finder->table_bytes / 1e9), finder->idle.said));
}

void read_windows(const struct check_context *context, struct attempt *attempt, struct reading *out)
{
    struct finder finder = {.context = context, .out = out, .table_bytes = least_carried(context, out)};

    growth_begin(&finder.growth, context, out);
    for (size_t i = 0; i < context->member_count; i++)
        read_one(&finder, i, attempt);
    if (context->check->window) {
        conclude_members(&finder);
        return;
    }
    window_conclude(out, WINDOW_OWNED, &finder.processes, true);
    window_conclude(out, WINDOW_UNANSWERED, &finder.unanswered, true);
}

static void too_hot(struct against *against, struct finder *finder, const struct member *member,
                    const struct reading *reading)
{
    const struct suite *suite = finder->context->suite;
    struct arena *arena = finder->out->arena;

    list_each (measurement, reading->measurements)
        if (strcmp(measurement->metric, "gpu.temperature") == 0 && measurement->value > suite->cool_below_c)
            window_say(finder->out, against,
                       reason(arena, gpu_did_not_cool_down, subject(finder, member, measurement->subject),
                              arena_printf(arena, "%.0f", measurement->value), suite->cool_below_c,
                              suite->cool_within_s));
}

/* The owner speaks for the whole test: nobody looks further. */
static void member_in_use(struct finder *finder, size_t index, const struct window *before,
                          struct against *against)
{
    const struct check_context *context = finder->context;
    struct member member = {.label = context->member_count > 1 ? context->members[index]->name : ""};

    owners_of(against, finder, &member, before, SEEN_NOW);
}

static void member_not_ready(struct finder *finder, size_t index, const struct window *before,
                             struct against *against)
{
    const struct part *gpus = find_part(finder->attempt, before, WINDOW_GPUS);
    const struct check_context *context = finder->context;
    struct member member = {.label = context->member_count > 1 ? context->members[index]->name : ""};
    const struct reason *said = against->said;

    if (!context->check->window || gpus == NULL || gpus->reading.status != READING_COMPLETE)
        return;
    (void)processes_of(against, finder, &member, &gpus->reading, SEEN_NOW);
    if (against->said == said)
        too_hot(against, finder, &member, &gpus->reading);
}

/* Why a test must not begin: of each kind what all members have to say. */
struct obstacles {
    struct against owners, unanswered, not_ready;
    enum attempt_end out_of_reach; /* ATTEMPT_RAN: no member is */
    const struct reason *reach;
};

/* Of several members the test is not begun either, but it is no fault of the one that it would be started on. */
static void member_out_of_reach(struct finder *finder, const struct window *before, struct obstacles *against)
{
    const struct reason *what = window_what(finder->out->arena, before);

    if (finder->context->member_count > 1 && !evidence_dropped(before->what) &&
        before->end != ATTEMPT_REBOOTED) {
        window_say(finder->out, &against->not_ready, what);
        return;
    }
    against->out_of_reach = evidence_dropped(before->what) ? ATTEMPT_NOT_READY : before->end;
    against->reach = reason_copy(finder->out->arena, what);
}

/* Of what could not be read whose the host is, is not known. A head that has rebooted says so for the test itself, which
   its guard does not begin. */
static void member_unanswered(struct finder *finder, size_t index, const struct window *before,
                              struct obstacles *against)
{
    const struct check_context *context = finder->context;
    struct member member = {.label = context->member_count > 1 ? context->members[index]->name : ""};
    const struct part *part = find_part(finder->attempt, before, WINDOW_OWNERS);
    bool away = before->end >= ATTEMPT_UNREACHABLE || before->end == ATTEMPT_REBOOTED;

    if (index == 0 && before->end == ATTEMPT_REBOOTED)
        return;
    if (owners_unanswered(context, before, part) == NULL)
        away &= context->member_count > 1 && context->check->window && before->end != ATTEMPT_SUDO_REFUSED;
    else if (!away)
        unanswered_of(&against->unanswered, finder, &member, before, SEEN_NOW);
    if (away)
        member_out_of_reach(finder, before, against);
}

static void member_obstacles(const struct check_context *context, const struct attempt *attempt, size_t index,
                             struct obstacles *against)
{
    struct attempt scratch = {.uuid = attempt->uuid, .frame = attempt->frame, .windows = attempt->windows};
    struct check_context of_member = *context;
    const struct window *before = window_find(&scratch, index, WINDOW_BEFORE);
    struct reading out;
    struct finder finder = {.context = &of_member, .attempt = &scratch, .out = &out};

    /* What is said against it outlives what was read. */
    reading_init(&out, context->arena, "");
    if (before == NULL) {
        window_say(&out, &against->unanswered,
                   reason(out.arena, about, context->members[index]->name, REASON(not_asked)));
        return;
    }
    of_member.arena = arena_create();
    read_parts_of(&of_member, index, &scratch, &out);
    member_in_use(&finder, index, before, &against->owners);
    member_unanswered(&finder, index, before, against);
    member_not_ready(&finder, index, before, &against->not_ready);
    arena_destroy(of_member.arena);
}

static enum attempt_end worst_obstacle(struct arena *arena, const struct obstacles *against,
                                       const struct reason **ret_why)
{
    *ret_why = NULL;
    if (against->owners.said != NULL) {
        *ret_why = reason(arena, in_use, against->owners.said);
        return ATTEMPT_IN_USE;
    }
    if (against->out_of_reach != ATTEMPT_RAN) {
        *ret_why = against->reach;
        return against->out_of_reach;
    }
    if (against->unanswered.said != NULL) {
        *ret_why = reason(arena, whose_host_not_known, against->unanswered.said);
        return ATTEMPT_UNANSWERED;
    }
    *ret_why = against->not_ready.said;
    return against->not_ready.said != NULL ? ATTEMPT_NOT_READY : ATTEMPT_RAN;
}

enum attempt_end check_not_ready(const struct check_context *context, const struct attempt *attempt,
                                 const struct reason **ret_why)
{
    struct obstacles against = {.out_of_reach = ATTEMPT_RAN};

    for (size_t i = 0; i < context->member_count; i++)
        member_obstacles(context, attempt, i, &against);
    return worst_obstacle(context->arena, &against, ret_why);
}
