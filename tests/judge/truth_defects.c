/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defects that are not a matter of degree, each at a random place of a host in a fleet whose other hosts are healthy.
 * A host is accepted when every item that it owes passes, so it is enough to judge the step that meets the defect; what
 * the others owe could only add to it.
 *
 * Real: the plan, the items, their limits and rules, the judge and, of what grows in a window, the code that weighs it
 * (src/check/frame/window_growth.h). Made up: what a parser would have read. That outputs are read right is what the samples in
 * tests/golden and the faults of the lab are for.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dice.h"
#include "truth_fleet.h"
#include "window_growth.h"

enum { FLEET = 8, SICK_MOST = 3, WORDS_MOST = 4 };

enum how {
    SAYS,        /* the item has one of the words */
    COUNTS,      /* or a number between low and high, as often small as large */
    GONE,        /* the output has nothing for it */
    SHARES,      /* it has what another host has */
    GROWS_GPU,   /* a counter of a GPU grows by that in the window; */
    TURNS_GPU,   /* a fact of one becomes a word */
    GROWS_PORT,  /* a counter of a port */
    GROWS_HOST,  /* a counter of the kernel */
    GROWS_DRIVE, /* a number of an NVMe drive */
    LOSES_DRIVE, /* a drive that was there before is not after */
    LOGS,        /* the kernel writes a line */
    COMPLAINS,   /* the tool says that something is broken */
    ENDS,        /* the attempt ends otherwise */
    CUT          /* its output ends early */
};

struct defect {
    const char *name, *step, *metric; /* metric: of the item; of what grows the counter or fact */
    enum how how;
    const char *words[WORDS_MOST];
    double low, high;
    enum attempt_end end;
};

/* The lines of window_growth.c: beyond what is allowed, of an hour's window. */
static const struct defect defects[] = {
    {"gpu-count", "gpu-inventory", "gpu.count", SAYS, {"7", "6", "0"}},
    {"gpu-off-the-bus", "gpu-inventory", "pci.gpu.count", SAYS, {"7", "9"}},
    {"gpu-uuid-twice", "gpu-inventory", "gpu.uuid", SHARES},
    {"gpu-serial-twice", "gpu-inventory", "gpu.board", SHARES},
    {"gpu-uuid-missing", "gpu-inventory", "gpu.uuid", GONE},
    {"gpu-model", "gpu-inventory", "gpu.models", SAYS, {"NVIDIA H100 PCIe", "NVIDIA H200", "NVIDIA H800"}},
    {"gpu-vbios", "gpu-inventory", "gpu.vbios", SAYS, {"96.00.89.00.01", "96.00.30.00.01"}},
    {"gpu-inforom", "gpu-inventory", "gpu.inforom", SAYS, {"corrupt"}},
    {"gpu-memory-size", "gpu-inventory", "gpu.memory_total", SAYS, {"80559 MiB", "40960 MiB"}},
    {"gpu-width-max", "gpu-inventory", "pcie.width.max", SAYS, {"8", "4"}},
    {"machine-twice", "reachable", "host.machine", SHARES},
    {"os-kernel", "os", "os.kernel", SAYS, {"5.15.0-91-generic"}},
    {"bios-version", "os", "bios.version", SAYS, {"1.0", "2.7.1"}},
    {"clock-off", "os", "os.clock_offset", SAYS, {"9.8 to 9.9 s", "-3601 to -3600 s"}},
    {"dimm-missing", "bom", "dimm.kinds", SAYS, {"31 x 64 GB", "24 x 64 GB"}},
    {"cpu-cores", "bom", "cpu.logical", SAYS, {"96", "223"}},
    {"nvme-missing", "bom", "nvme.kinds", SAYS, {"7 x 3.84 TB"}},
    {"nvme-warning-at-rest", "bom", "nvme.warning", COMPLAINS, {"nvme0n1"}},
    {"bmc-sel", "bmc", "bmc.sel_faults", SAYS, {"Power Supply #0x51: Failure detected"}},
    {"bmc-sensor", "bmc", "bmc.sensor_faults", SAYS, {"FAN3 nr"}},
    {"ecc-off", "gpu-settings", "ecc.mode", SAYS, {"Disabled"}},
    {"mig-on", "gpu-settings", "gpu.mig", SAYS, {"Enabled"}},
    {"power-limit", "gpu-settings", "gpu.power_limit_is_default", SAYS, {"no"}},
    {"clocks-locked", "gpu-settings", "gpu.clocks_unlocked", SAYS, {"no"}},
    {"gpu-in-use", "gpu-settings", "gpu.compute_processes", COUNTS, {NULL}, 1, 8},
    {"fabric-manager-off", "fabric-manager", "fabric_manager.state", SAYS, {"inactive", "failed"}},
    {"nvlink-fabric", "fabric-manager", "fabric.state", SAYS, {"In Progress", "Not Started"}},
    {"reset-required", "health", "gpu.reset_required", SAYS, {"Yes"}},
    {"drain-recommended", "health", "gpu.drain_recommended", SAYS, {"Yes"}},
    {"hw-slowdown", "health", "gpu.throttle.hw_slowdown", SAYS, {"Active"}},
    {"hw-thermal-slowdown", "health", "gpu.throttle.hw_thermal_slowdown", SAYS, {"Active"}},
    {"ecc-uncorrected", "ecc", "ecc.volatile.uncorrected", COUNTS, {NULL}, 1, 1e6},
    {"remap-pending", "ecc", "remapped_rows.pending", SAYS, {"Yes"}},
    {"remap-failure", "ecc", "remapped_rows.failure", SAYS, {"Yes"}},
    {"remap-banks-used-up", "ecc", "remapped_rows.banks_none", COUNTS, {NULL}, 1, 640},
    {"sram-threshold", "ecc", "ecc.sram_threshold_exceeded", SAYS, {"Yes"}},
    {"nvlink-missing", "nvlink", "nvlink.link.speed", GONE},
    {"nvlink-down", "nvlink", "nvlink.link.speed", COUNTS, {NULL}, 0, 0},
    {"topology-link", "topology", "topo.link", SAYS, {"NV17", "SYS", "PHB"}},
    {"topology-nearest", "topology", "topo.nearest", SAYS, {"SYS", "NODE", "PHB"}},
    {"acs-on", "topology", "pci.acs", SAYS, {"on 12 bridges"}},
    {"xid", "xid", "xid.failing", SAYS, {"79 GPU has fallen off the bus", "48", "95", "119"}},
    {"ib-missing", "ib-port", "ib.present", SAYS, {"no"}},
    {"ib-down", "ib-port", "ib.state", SAYS, {"Down", "Initialize", "Armed"}},
    {"ib-polling", "ib-port", "ib.physical_state", SAYS, {"Polling", "Disabled"}},
    {"ib-rate", "ib-port", "ib.rate", SAYS, {"200", "100"}},
    {"ib-firmware", "ib-port", "ib.firmware", SAYS, {"28.35.1012"}},
    {"p2p-off", "p2p-bandwidth", "p2p.access", COUNTS, {NULL}, 0, 0},
    {"pcie-width", "pcie-link", "pcie.width", SAYS, {"8", "4", "1"}},
    {"pcie-generation", "pcie-link", "pcie.generation", SAYS, {"4", "1"}},
    {"pcie-below-slot", "pcie-link", "pcie.at_maximum", SAYS, {"no"}},
    {"nccl-wrong-data", "nccl-all-reduce", "nccl.all_reduce.wrong", COUNTS, {NULL}, 1, 1e9},
    {"nccl-out-of-bounds", "nccl-all-reduce", "nccl.out_of_bounds", COUNTS, {NULL}, 1, 100},
    {"nccl-ranks", "nccl-all-reduce", "nccl.ranks", SAYS, {"7", "1"}},
    {"nccl-rounds", "nccl-all-reduce", "nccl.rounds", COUNTS, {NULL}, 1, 19},
    {"nccl-size-missing", "nccl-all-reduce", "nccl.all_reduce.busbw", GONE},
    {"dcgm-memory", "dcgm-diag", "dcgm.gpu_memory", SAYS, {"fail"}},
    {"dcgm-not-run", "dcgm-diag", "dcgm.targeted_stress", SAYS, {"skip", "warn"}},
    {"dcgm-complaint", "dcgm-diag", "dcgm.fault", COMPLAINS},
    {"burn-faulty", "gpu-burn", "gpu_burn.verdict", SAYS, {"FAULTY"}},
    {"burn-errors", "gpu-burn", "gpu_burn.errors", COUNTS, {NULL}, 1, 1e9},
    {"burn-too-short", "gpu-burn", "gpu_burn.lasted", COUNTS, {NULL}, 1, 1799},
    {"burn-clocks-held-down",
     "gpu-burn",
     "window.clock.held_down",
     SAYS,
     {"at 1200 of 1980 MHz, no reason given"}},
    {"burn-throttled", "gpu-burn", "window.throttle.hw_slowdown", SAYS, {"Active"}},
    {"burn-too-hot",
     "gpu-burn",
     "window.temperature.slowdown",
     SAYS,
     {"T.Limit of -4 C reached, slowdown at -2 C"}},
    {"burn-dead-gpu", "gpu-burn", "gpu_burn.float.gflops", COUNTS, {NULL}, 0, 0},
    {"burn-dead-tensor-cores", "gpu-burn-tensor", "gpu_burn.gflops", COUNTS, {NULL}, 0, 0},
    {"burn-uncorrected", "gpu-burn", "window.ecc.uncorrected", SAYS, {"gpu3: 1", "gpu0: 17"}},
    {"burn-nvlink", "gpu-burn", "window.nvlink", SAYS, {"gpu3.link4: 1 recoveries"}},
    {"burn-link-downed", "gpu-burn", "window.links", SAYS, {"mlx5_3/1 went down 1 times"}},
    {"burn-somebody-else",
     "gpu-burn",
     "window.processes",
     SAYS,
     {"python (pid 4711) on gpu2 after the test"}},
    {"burn-log-unread", "gpu-burn", "kernel.log", SAYS, {"not read"}},
    {"burn-window-unread", "gpu-burn", "window.read", SAYS, {"no"}},
    {"window-gpu-uncorrected", "gpu-burn", "ecc.aggregate.uncorrected", GROWS_GPU, {NULL}, 1, 1e4},
    {"window-gpu-rows", "gpu-burn", "remapped_rows.uncorrectable", GROWS_GPU, {NULL}, 1, 100},
    {"window-gpu-sram", "gpu-burn", "ecc.volatile.sram_corrected", GROWS_GPU, {NULL}, 10001, 1e7},
    {"window-gpu-replays", "gpu-burn", "pcie.replays", GROWS_GPU, {NULL}, 161, 1e6},
    {"window-gpu-remap-pending", "gpu-burn", "remapped_rows.pending", TURNS_GPU, {"Yes"}},
    {"window-gpu-drain", "gpu-burn", "gpu.drain_recommended", TURNS_GPU, {"Yes"}},
    {"window-port-integrity", "gpu-burn", "local_link_integrity_errors", GROWS_PORT, {NULL}, 1, 1e5},
    {"window-port-overruns", "gpu-burn", "excessive_buffer_overrun_errors", GROWS_PORT, {NULL}, 1, 1e5},
    {"window-port-symbols", "gpu-burn", "symbol_error", GROWS_PORT, {NULL}, 121, 1e6},
    {"window-aer-fatal", "gpu-burn", "aer.fatal", GROWS_HOST, {NULL}, 1, 100},
    {"window-aer-nonfatal", "gpu-burn", "aer.nonfatal", GROWS_HOST, {NULL}, 1, 100},
    {"window-edac-ue", "gpu-burn", "edac.ue", GROWS_HOST, {NULL}, 1, 100},
    {"window-drive-media", "gpu-burn", "nvme.media_errors", GROWS_DRIVE, {NULL}, 1, 1000},
    {"window-drive-warning", "gpu-burn", "nvme.warning", GROWS_DRIVE, {NULL}, 1, 63},
    {"window-drive-gone", "gpu-burn", "nvme.warning", LOSES_DRIVE},
    {"window-machine-check",
     "gpu-burn",
     "kernel.log",
     LOGS,
     {"mce: [Hardware Error]: CPU 3: Machine Check Exception: 5 Bank 4: b200000000070f0f",
      "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#1_Chan#0_DIMM#0",
      "pcieport 0000:16:01.0: AER: Uncorrectable (Fatal) error message received"}},
    {"tool-complaint", "gpu-burn", "gpu_burn.faulty", COMPLAINS},
    {"reboot", "gpu-burn", NULL, ENDS, {NULL}, 0, 0, ATTEMPT_REBOOTED},
    {"hang", "gpu-burn", NULL, ENDS, {NULL}, 0, 0, ATTEMPT_DEADLINE},
    {"killed", "gpu-burn", NULL, ENDS, {NULL}, 0, 0, ATTEMPT_KILLED},
    {"unreachable", "reachable", NULL, ENDS, {NULL}, 0, 0, ATTEMPT_UNREACHABLE},
    {"output-cut", "gpu-burn", NULL, CUT},
};

/* A fleet with the one step; sick hosts get attempts of their own for a trial. */
struct ward {
    struct arena *arena; /* of the trial */
    struct big_run run;
    const struct defect *defect;
    const struct check_context *context;
    uint64_t random;
};

static size_t below(struct ward *ward, size_t count)
{
    return (size_t)(dice_next(&ward->random) % count);
}

/* Each order of magnitude as likely as the next. */
static double amount(struct ward *ward)
{
    double low = ward->defect->low, high = ward->defect->high;

    return low <= 0 ? low : floor(low * pow((high + 1) / low, dice_uniform(&ward->random)));
}

static const char *word(struct ward *ward)
{
    size_t count = 0;

    while (count < WORDS_MOST && ward->defect->words[count] != NULL)
        count++;
    return ward->defect->words[below(ward, count)];
}

static const char *any_of(struct ward *ward)
{
    return ward->defect->words[0] != NULL ? word(ward) : arena_printf(ward->arena, "gpu%zu", below(ward, 8));
}

/* One item of the metric, or NULL. A gate where there is one: what is only written down is no defect by itself. */
static const struct slot *any_slot(struct ward *ward, const struct shape *shape)
{
    const struct slot *slots[2] = {NULL, NULL};
    size_t counts[2] = {0, 0};

    for (size_t i = 0; i < shape->slot_count; i++) {
        const struct slot *slot = &shape->slots[i];
        bool gate = slot->duty == DUTY_GATE;

        if (strcmp(slot->metric, ward->defect->metric) == 0 && below(ward, ++counts[gate]) == 0)
            slots[gate] = slot;
    }
    return slots[1] != NULL ? slots[1] : slots[0];
}

/* All that the reading says of it goes. */
static void forget(struct reading *reading, const char *metric, const char *subject, const char *at)
{
    size_t kept = 0;

    for (size_t i = 0; i < reading->facts.count; i++)
        if (strcmp(reading->facts.items[i].name, metric) != 0 ||
            strcmp(reading->facts.items[i].subject, subject) != 0)
            reading->facts.items[kept++] = reading->facts.items[i];
    reading->facts.count = kept;
    kept = 0;
    for (size_t i = 0; i < reading->measurements.count; i++) {
        const struct measurement *measurement = &reading->measurements.items[i];

        if (strcmp(measurement->metric, metric) != 0 || strcmp(measurement->subject, subject) != 0 ||
            strcmp(at_text(reading->arena, measurement), at) != 0)
            reading->measurements.items[kept++] = *measurement;
    }
    reading->measurements.count = kept;
}

static void change_item(struct ward *ward, const struct shape *shape, struct reading *reading,
                        const struct reading *other)
{
    const struct slot *slot = any_slot(ward, shape);
    const struct metric *metric = metric_find(slot->metric);
    const char *text = ward->defect->how == SAYS     ? word(ward)
                       : ward->defect->how == SHARES ? reading_get_fact(other, slot->metric, slot->subject)
                                                     : NULL;

    forget(reading, slot->metric, slot->subject, slot->at);
    if (text != NULL) {
        reading_fact(reading, slot->metric, slot->subject, slice_of(text));
    } else if (ward->defect->how == COUNTS) {
        struct measurement *measurement = reading_measure(reading, slot->metric, slot->subject, amount(ward),
                                                          metric != NULL ? metric->unit : "");
        struct slice rest = slice_of(slot->at), field;

        while (scan_word(&rest, &field)) {
            size_t equals = slice_find(field, "=");

            reading_at_text(reading, measurement, arena_strndup(reading->arena, field.bytes, equals),
                            slice_from(field, equals + 1));
        }
    }
}

/* An NVMe drive, of which one number grows, or nothing is told any more. */
static void grow_drive(struct ward *ward, const char *more, struct reading *before, struct reading *after)
{
    static const char *const facts[] = {"nvme.warning", "nvme.media_errors"};

    for (size_t i = 0; i < 2; i++) {
        bool grows = strcmp(facts[i], ward->defect->metric) == 0;

        reading_fact(before, facts[i], "nvme0", slice_of("0"));
        if (ward->defect->how == GROWS_DRIVE)
            reading_fact(after, facts[i], "nvme0", slice_of(grows ? more : "0"));
    }
}

/* What was read before and after, and how the window's own code weighs it. */
static void grow(struct ward *ward, struct reading *before, struct reading *after, struct growth *growth)
{
    const struct defect *defect = ward->defect;
    const char *gpu = arena_printf(ward->arena, "gpu%zu", below(ward, 8));
    const char *port = arena_printf(ward->arena, "mlx5_%zu/1", below(ward, 8));
    const char *counter = arena_printf(ward->arena, "ib.counter.%s", defect->metric);
    const char *text = defect->words[0] != NULL ? word(ward) : "";
    double was = (double)below(ward, 1000), more = amount(ward);
    const char *number = arena_printf(ward->arena, "%.0f", more);

    if (defect->how == GROWS_GPU) {
        reading_measure(before, defect->metric, gpu, was, "");
        reading_measure(after, defect->metric, gpu, was + more, "");
        growth_gpu(growth, gpu, before, gpu, after, gpu);
    } else if (defect->how == TURNS_GPU) {
        reading_fact(before, defect->metric, gpu, slice_of("No"));
        reading_fact(after, defect->metric, gpu, slice_of(text));
        growth_gpu(growth, gpu, before, gpu, after, gpu);
    } else if (defect->how == GROWS_PORT) {
        reading_measure(before, counter, port, was, "");
        reading_measure(after, counter, port, was + more, "");
        growth_port(growth, port, before, after, port);
    } else if (defect->how == GROWS_HOST) {
        reading_fact(after, defect->metric, "0000:16:00.0", slice_of(number));
        growth_kernel(growth, "", before, after);
    } else if (defect->how == LOGS) {
        const char *line = arena_printf(ward->arena, "[ 9000.1] %s\n", text);

        growth_log(growth, "", slice_of(line));
    } else {
        grow_drive(ward, number, before, after);
        growth_drives(growth, "", before, after, NULL);
    }
}

/* What only that code tells: where it does not, nobody does. */
static const char *const of_growth[] = {"window.gpu", "window.hardware", "window.drives", "window.ports",
                                        "window.corrected"};

static void change_window(struct ward *ward, struct reading *reading)
{
    struct reading before, after, told;
    struct growth growth;

    reading_init(&before, ward->arena, "window");
    reading_init(&after, ward->arena, "window");
    reading_init(&told, ward->arena, "window");
    growth_begin(&growth, ward->context, &told);
    growth.seconds = 1800;
    grow(ward, &before, &after, &growth);
    growth_conclude(&growth);
    for (size_t i = 0; i < ARRAY_SIZE(of_growth); i++)
        forget(reading, of_growth[i], "", "");
    for (size_t i = 0; i < told.measurements.count; i++)
        forget(reading, told.measurements.items[i].metric, "", "");
    reading_merge(reading, &told);
}

static struct reading copy_of(struct arena *arena, const struct reading *reading)
{
    struct reading copy;

    reading_init(&copy, arena, reading->tool);
    reading_merge(&copy, reading);
    copy.status = reading->status;
    return copy;
}

static void fall_ill(struct ward *ward, struct attempt *attempt, const struct attempt *other)
{
    const struct shape *shape = ward->run.record.plan->steps.items[attempt->step].shape;

    attempt->reading = copy_of(ward->arena, &attempt->reading);
    switch (ward->defect->how) {
    case ENDS:
        attempt->end = ward->defect->end;
        attempt->what = reason_text(ward->arena, "ended by the simulation");
        break;
    case CUT:
        attempt->captures[0].cut = true;
        break;
    case COMPLAINS:
        reading_finding(&attempt->reading, SEVERITY_FAULT, ward->defect->metric, any_of(ward),
                        reason_text(ward->arena, "the tool says it is broken"));
        break;
    case SAYS:
    case COUNTS:
    case GONE:
    case SHARES:
        change_item(ward, shape, &attempt->reading, &other->reading);
        break;
    case GROWS_GPU:
    case TURNS_GPU:
    case GROWS_PORT:
    case GROWS_HOST:
    case GROWS_DRIVE:
    case LOSES_DRIVE:
    case LOGS:
    default:
        change_window(ward, &attempt->reading);
        break;
    }
}

struct result {
    size_t sick, accepted, failed; /* the others of the sick are incomplete */
    size_t well, wronged;          /* healthy ones that were failed */
};

static void tally(const struct record *record, const bool *sick, bool shares, struct result *result)
{
    const struct judgement *judgement = &record->judgement;

    for (size_t i = 0; i < judgement->verdict_count; i++) {
        const struct verdict *verdict = &judgement->verdicts[i];
        size_t host = 0;

        if (strcmp(verdict->scope, "host") != 0)
            continue;
        while (strcmp(record->plan->hosts.items[host]->name, verdict->name) != 0)
            host++;
        result->sick += sick[host];
        result->accepted += sick[host] && verdict->word == VERDICT_ACCEPT;
        result->failed += sick[host] && verdict->word == VERDICT_REJECT;
        /* Of two that have one number nobody knows whose it is. */
        result->well += !sick[host] && !shares;
        result->wronged += !sick[host] && !shares && verdict->word != VERDICT_ACCEPT;
    }
}

/* The last host stays well, and those who are well stay the most. */
static void try_once(struct ward *ward, size_t sick_hosts, struct result *result)
{
    struct record record = ward->run.record;
    bool sick[FLEET] = {false};
    struct attempt healthy[FLEET];

    ward->arena = arena_create();
    memcpy(healthy, record.attempts.items, sizeof healthy);
    for (size_t i = 0; i < sick_hosts; i++) {
        size_t host = below(ward, FLEET - 1);

        while (sick[host])
            host = below(ward, FLEET - 1);
        sick[host] = true;
        fall_ill(ward, &record.attempts.items[host], &healthy[FLEET - 1]);
    }
    record.arena = ward->arena;
    judge_run(&record, &ward->run.sources.limits, "22222222-2222-4222-8222-222222222222");
    tally(&record, sick, ward->defect->how == SHARES, result);
    memcpy(record.attempts.items, healthy, sizeof healthy);
    arena_destroy(ward->arena);
}

static void make_ward(struct arena *arena, const struct defect *defect, struct ward *ret_ward)
{
    const char *hosts = arena_printf(arena, "n[1-%d] platform=hgx-h100 slots=8 fabric=infiniband\n", FLEET);
    const char *const steps[] = {defect->step, NULL};
    struct check_context *context = arena_new(arena, struct check_context);

    *ret_ward = (struct ward){.defect = defect, .random = 1, .context = context};
    big_run_plan(arena, hosts, "delivery", steps, &ret_ward->run);
    for (size_t i = 0; i < ret_ward->run.record.plan->steps.count; i++)
        big_run_try(&ret_ward->run, i, true);
    plan_context(arena, &ret_ward->run.sources, &ret_ward->run.record.plan->steps.items[0], context);
}

static void try_defect(const struct defect *defect, size_t hosts, struct result *all)
{
    struct arena *arena = arena_create();
    struct ward ward;
    struct result result = {0}, none = {0};
    const char *name = arena_printf(arena, "defect-%s", defect->name);

    make_ward(arena, defect, &ward);
    try_once(&ward, 0, &none);
    while (result.sick < hosts)
        try_once(&ward, 1 + below(&ward, SICK_MOST), &result);
    truth_figure(name, "accepted", (double)result.accepted, "hosts", AIM_MOST, 0);
    truth_figure(name, "failed", (double)result.failed / (double)result.sick, "of_hosts", AIM_NONE, 0);
    all->sick += result.sick;
    all->well += result.well + none.well;
    all->wronged += result.wronged + none.wronged;
    all->accepted += result.accepted;
    arena_destroy(arena);
}

void truth_defects(size_t hosts, const char *only)
{
    struct result all = {0};

    for (size_t i = 0; i < ARRAY_SIZE(defects); i++)
        if (only == NULL || strstr(defects[i].name, only) != NULL || strcmp(only, "defect") == 0)
            try_defect(&defects[i], hosts, &all);
    if (all.sick == 0)
        return;
    truth_figure("defects", "tried", (double)hosts, "hosts_of_each", AIM_NONE, 0);
    /* Of what was not seen in n tries the share is below 3/n, by 95% (Hanley and Lippman-Hand, JAMA 249, 1983). */
    truth_figure("defects", "accepted_bound", 3 / (double)hosts, "of_hosts", AIM_NONE, 0);
    truth_figure("defects", "healthy_not_accepted", (double)all.wronged / (double)all.well, "of_hosts",
                 AIM_MOST, 1e-4);
}
