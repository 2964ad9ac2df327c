/* SPDX-License-Identifier: Apache-2.0 */
#include "sample_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/judge.h"
#include "assay/reasons/model.h"
#include "assay/reasons/parse.h"

enum { GPUS = 8 };
static const double gib = 1073741824.0;
static const double run_start = 1772366400.0; /* 2026-03-01 12:00:00 UTC */

static const char hostile[] =
    "<script>alert(1)</script>\x1b]0;evil\x07\"'&\xc2\x9b"
    "31m\xe2\x80\xae\xff"
    "averyveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryverylongword"
    "thatgoesonandonandonandonandonandonandonandonandonandonandonandonandonandonandonandon";

struct maker {
    struct arena *arena;
    struct record *record;
    const struct sample *sample;
    LIST_OF(struct outcome) outcomes;
    unsigned long long noise;
    const char *host_names; /* of the run, for targets */
    bool *unfit;            /* by host: a gate of the host did not pass */
};

/* The text, or the attack in its place. */
static const char *given(const struct maker *maker, const char *text)
{
    return maker->sample->hostile ? hostile : text;
}

/* The same as a reason that nobody translates. */
static const struct reason *told(const struct maker *maker, const char *text)
{
    return reason_text(maker->arena, given(maker, text));
}

/* -1 .. 1, the same row in every run. */
static double noise(struct maker *maker)
{
    maker->noise = maker->noise * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(maker->noise >> 33) / 4294967296.0 * 4 - 1;
}

/* -- What the steps owe -----------------------------------------------------------------------------------
 */

enum item_kind { ITEM_ONCE, ITEM_GPU, ITEM_PAIR, ITEM_SIZES };

/* One row: items, their limit, and what a good host shows. */
struct item_row {
    const char *step, *metric;
    enum item_kind kind;
    enum duty duty;
    const char *gate, *limit, *status, *source, *unit;
    double typical, spread;
    const char *text; /* what is measured, where it is a text */
};

static const struct item_row rows[] = {
    {"reachable", "host.reachable", ITEM_ONCE, DUTY_GATE, "= yes", "equal yes", "tool", "check reachable", "",
     NAN, 0, "yes"},
    {"privilege", "host.root", ITEM_ONCE, DUTY_GATE, "= yes", "equal yes", "tool", "check privilege", "", NAN,
     0, "yes"},
    {"gpu-inventory", "gpu.count", ITEM_ONCE, DUTY_GATE, "= 8", "equal 8", "datasheet", "platform hgx-h100",
     "", 8, 0, NULL},
    {"gpu-inventory", "gpu.name", ITEM_GPU, DUTY_GATE, "one of NVIDIA H100 80GB HBM3",
     "one_of NVIDIA H100 80GB HBM3", "datasheet", "platform hgx-h100", "", NAN, 0, "NVIDIA H100 80GB HBM3"},
    {"driver", "driver.version", ITEM_ONCE, DUTY_GATE, ">= version 525.60.13", "min_version 525.60.13",
     "vendor", "CUDA minor version compatibility", "", NAN, 0, "535.129.03"},
    {"gpu-settings", "ecc.mode", ITEM_GPU, DUTY_GATE, "= Enabled", "equal Enabled", "vendor", "DCGM diag", "",
     NAN, 0, "Enabled"},
    {"gpu-settings", "gpu.power_limit", ITEM_GPU, DUTY_RECORD, "= 700 W", "equal 700 W", "guess", "platform",
     "W", 700, 0, NULL},
    {"fabric-manager", "fabric_manager.state", ITEM_ONCE, DUTY_GATE, "= active", "equal active", "tool",
     "check fabric-manager", "", NAN, 0, "active"},
    {"fabric-manager", "fabric_manager.matches_driver", ITEM_ONCE, DUTY_GATE, "= yes", "equal yes", "tool",
     "NVIDIA Fabric Manager", "", NAN, 0, "yes"},
    {"p2p-bandwidth", "p2p.unidirectional.enabled", ITEM_PAIR, DUTY_GATE, ">= 345 GB/s",
     "floor 345 GB/s, tolerance 0%", "field", "nccl#1264", "GB/s", 379, 9, NULL},
    {"p2p-bandwidth", "p2p.bidirectional.enabled", ITEM_PAIR, DUTY_GATE, ">= 700 GB/s",
     "floor 700 GB/s, tolerance 0%", "field", "nccl#1264", "GB/s", 752, 14, NULL},
    {"p2p-bandwidth", "p2p.latency.gpu.enabled", ITEM_PAIR, DUTY_RECORD, "<= 4 us", "ceiling 4 us", "guess",
     "own estimate", "us", 2.7, 0.4, NULL},
    {"nccl-all-reduce", "nccl.all_reduce.busbw", ITEM_SIZES, DUTY_GATE, ">= 460 GB/s",
     "floor 460 GB/s, tolerance 0%", "vendor", "Azure NDv5 acceptance", "GB/s", 478, 5, NULL},
    {"nccl-all-reduce", "nccl.all_reduce.wrong", ITEM_ONCE, DUTY_GATE, "= 0", "equal 0", "tool", "nccl-tests",
     "", 0, 0, NULL},
    {"dcgm-diag", "dcgm.memory", ITEM_GPU, DUTY_GATE, "= pass", "equal pass", "tool", "dcgmi diag -r 3", "",
     NAN, 0, "pass"},
    {"dcgm-diag", "dcgm.pcie", ITEM_GPU, DUTY_GATE, "= pass", "equal pass", "tool", "dcgmi diag -r 3", "",
     NAN, 0, "pass"},
    {"dcgm-diag", "dcgm.targeted_stress", ITEM_GPU, DUTY_GATE, "= pass", "equal pass", "tool",
     "dcgmi diag -r 3", "", NAN, 0, "pass"},
    {"gpu-burn", "gpu_burn.verdict", ITEM_GPU, DUTY_GATE, "= ok", "equal ok", "tool", "gpu_burn", "", NAN, 0,
     "ok"},
    {"gpu-burn", "gpu_burn.errors", ITEM_GPU, DUTY_GATE, "= 0", "equal 0", "tool", "gpu_burn", "", 0, 0,
     NULL},
    {"gpu-burn", "gpu_burn.gflops", ITEM_GPU, DUTY_GATE, ">= 38000 GFLOP/s (40000 GFLOP/s with 5% tolerance)",
     "floor 40000 GFLOP/s, tolerance 5%", "provisional", "three runs of this platform", "GFLOP/s", 42900, 700,
     NULL},
    {"gpu-burn", "gpu_burn.temperature", ITEM_GPU, DUTY_RECORD, "", "", "", "", "C", 66, 6, NULL},
    {"nccl-all-reduce-cluster", "nccl.all_reduce.busbw", ITEM_SIZES, DUTY_GATE, ">= 350 GB/s",
     "floor 350 GB/s, tolerance 0%", "contract", "clause 7.2", "GB/s", 372, 3, NULL},
    {"nccl-all-reduce-cluster", "nccl.all_reduce.wrong", ITEM_ONCE, DUTY_GATE, "= 0", "equal 0", "tool",
     "nccl-tests", "", 0, 0, NULL},
    {"nccl-all-gather-cluster", "nccl.all_gather.busbw", ITEM_SIZES, DUTY_GATE, ">= 340 GB/s",
     "floor 340 GB/s, tolerance 0%", "contract", "clause 7.2", "GB/s", 363, 3, NULL},
    {"nccl-all-gather-cluster", "nccl.all_gather.wrong", ITEM_ONCE, DUTY_GATE, "= 0", "equal 0", "tool",
     "nccl-tests", "", 0, 0, NULL},
};
enum { ROW_COUNT = ARRAY_SIZE(rows) };

struct step_row {
    const char *name, *check, *needs, *command;
    bool cluster, root;
    unsigned seconds;
};

static const struct step_row steps[] = {
    {"reachable", "reachable", NULL, "true", false, false, 1},
    {"privilege", "privilege", "reachable", "sudo -n true", false, true, 1},
    {"gpu-inventory", "gpu-inventory", "reachable", "nvidia-smi -q -x", false, false, 4},
    {"driver", "driver", "gpu-inventory", "nvidia-smi --query-gpu=driver_version --format=csv", false, false,
     2},
    {"gpu-settings", "gpu-settings", "gpu-inventory", "nvidia-smi -q -x", false, false, 4},
    {"fabric-manager", "fabric-manager", "driver",
     "systemctl is-active nvidia-fabricmanager\nnv-fabricmanager --version", false, false, 1},
    {"p2p-bandwidth", "p2p-bandwidth", "fabric-manager",
     "CUDA_DEVICE_ORDER=PCI_BUS_ID p2pBandwidthLatencyTest", false, false, 48},
    {"nccl-all-reduce", "nccl-all-reduce", "p2p-bandwidth",
     "all_reduce_perf -b 8 -e 16G -f 2 -g 8 -n 20 -w 5 -c 1", false, false, 95},
    {"dcgm-diag", "dcgm-diag", "fabric-manager", "dcgmi diag -r 3 -j", false, true, 780},
    {"gpu-burn", "gpu-burn", "fabric-manager", "gpu_burn -tc 1800", false, false, 1812},
    {"nccl-all-reduce-cluster", "nccl-all-reduce", "gpu-burn",
     "mpirun --hostfile hosts -np 64 all_reduce_perf -b 8 -e 16G -f 2 -g 1 -n 20 -c 1", true, false, 130},
    {"nccl-all-gather-cluster", "nccl-all-gather", "gpu-burn",
     "mpirun --hostfile hosts -np 64 all_gather_perf -b 8 -e 16G -f 2 -g 1 -n 20 -c 1", true, false, 130},
};
enum { STEP_COUNT = ARRAY_SIZE(steps) };

struct slot_list {
    LIST_OF(struct slot) items;
    LIST_OF(const struct item_row *) rows;
};

static void add_slot(const struct maker *maker, struct slot_list *list, const struct item_row *row,
                     const char *subject, double size)
{
    struct slot *slot = list_push(maker->arena, &list->items);

    *list_push(maker->arena, &list->rows) = row;
    *slot = (struct slot){.metric = given(maker, row->metric), .subject = subject, .at = ""};
    slot->duty = row->duty;
    if (row->duty == DUTY_RECORD)
        slot->duty_note = reason_text(maker->arena, "the baseline has only a guess");
    if (size > 0) {
        slot->at = arena_printf(maker->arena, "size_bytes=%.0f place=out", size);
        slot->size_bytes = size;
    }
}

static void add_items(const struct maker *maker, struct slot_list *list, const struct item_row *row)
{
    for (unsigned a = 0; row->kind == ITEM_GPU && a < GPUS; a++)
        add_slot(maker, list, row, given(maker, arena_printf(maker->arena, "gpu%u", a)), 0);
    for (unsigned a = 0; row->kind == ITEM_PAIR && a < GPUS; a++)
        for (unsigned b = 0; b < GPUS; b++)
            if (a != b)
                add_slot(maker, list, row, given(maker, arena_printf(maker->arena, "gpu%u->gpu%u", a, b)), 0);
    if (row->kind == ITEM_ONCE)
        add_slot(maker, list, row, "", 0);
    if (row->kind == ITEM_SIZES) {
        add_slot(maker, list, row, "", 8 * gib);
        add_slot(maker, list, row, "", 16 * gib);
    }
}

static struct shape *make_shape(const struct maker *maker, const struct step_row *step, unsigned hosts,
                                struct slot_list *list)
{
    struct shape *shape = arena_new(maker->arena, struct shape);
    char hash[SHA256_HEX_SIZE];

    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strcmp(rows[i].step, step->name) == 0)
            add_items(maker, list, &rows[i]);
    sha256_hex(step->name, strlen(step->name), hash);
    *shape = (struct shape){.sha256 = arena_strdup(maker->arena, hash),
                            .check = step->check,
                            .suite_step = given(maker, step->name),
                            .scope = step->cluster ? "cluster" : "host",
                            .variant = "",
                            .platform = "hgx-h100",
                            .hosts = hosts,
                            .slots = list->items.items,
                            .slot_count = list->items.count,
                            .expected_s = step->seconds,
                            .timeout_s = step->seconds * 3,
                            .retries = 1,
                            .repeat = 1,
                            .as_root = step->root};
    *list_push(maker->arena, &maker->record->plan->shapes) = shape;
    return shape;
}

/* -- Faults -----------------------------------------------------------------------------------------------
 */

static const struct held_to *held_to(const struct maker *maker, const struct item_row *row)
{
    struct held_to *held = arena_new(maker->arena, struct held_to);

    *held = (struct held_to){.limit = told(maker, row->limit),
                             .gate = limit_gate_of_record(maker->arena, told(maker, row->gate)),
                             .source = told(maker, row->source),
                             .status = row->status};
    return held;
}

/* Of the usual bandwidth, on node7. */
static const double slow_part = 0.76;

static bool is_bad_pair(const struct item_row *row, const char *subject)
{
    return row->kind == ITEM_PAIR && row->duty == DUTY_GATE &&
           (strcmp(subject, "gpu2->gpu5") == 0 || strcmp(subject, "gpu5->gpu2") == 0);
}

static void measure(const struct maker *maker, struct outcome *outcome)
{
    outcome->measured = told(maker, arena_printf(maker->arena, "%.1f GB/s", outcome->value));
}

/* "12.1 GB/s, expected >= 345 GB/s" */
static const struct reason *below_gate(const struct maker *maker, const struct outcome *outcome,
                                       const struct item_row *row)
{
    return reason(maker->arena, expected, outcome->measured, reason_word(maker->arena, row->gate));
}

/* The 1-based host's fault in this item: the outcome is then not a pass. */
static bool apply_fault(struct maker *maker, unsigned host, const struct item_row *row, const char *subject,
                        struct outcome *outcome)
{
    if (host == 3 && strcmp(row->step, "p2p-bandwidth") == 0 && is_bad_pair(row, subject)) {
        outcome->word = OUTCOME_FAIL;
        outcome->value = row->typical > 500 ? 24.1 : 12.1 + noise(maker) * 0.2;
        measure(maker, outcome);
        outcome->cause = reason(maker->arena, about, subject, below_gate(maker, outcome, row));
        outcome->remedy = REASON(see_nvlinks_then_replace);
        return true;
    }
    if (host == 5 && strcmp(row->metric, "fabric_manager.matches_driver") == 0) {
        *outcome = (struct outcome){
            .word = OUTCOME_FAIL,
            .value = NAN,
            .measured = reason(maker->arena, fabric_manager_not_of_driver, "535.104.05", "535.129.03"),
            .held = held_to(maker, row),
            .cause = reason(maker->arena, fabric_manager_not_of_driver, "535.104.05", "535.129.03"),
            .remedy = REASON(install_matching_fabric_manager)};
        return true;
    }
    if (host == 6 && strcmp(subject, "gpu4") == 0 && strcmp(row->metric, "gpu_burn.verdict") == 0) {
        outcome->word = OUTCOME_FAIL;
        outcome->measured = told(maker, "faulty");
        outcome->cause = reason(maker->arena, about, subject, REASON(gpu_burn_says_faulty));
        outcome->remedy = REASON(burn_gpu_alone);
        return true;
    }
    if (host == 6 && strcmp(subject, "gpu4") == 0 && strcmp(row->metric, "gpu_burn.errors") == 0) {
        outcome->word = OUTCOME_FAIL;
        outcome->value = 1734;
        outcome->measured = told(maker, "1734");
        outcome->cause = reason(maker->arena, wrong_results, "1734");
        outcome->remedy = REASON(burn_gpu_alone);
        return true;
    }
    if (host == 7 && strcmp(row->step, "nccl-all-reduce") == 0 && row->kind == ITEM_SIZES) {
        outcome->word = OUTCOME_FAIL;
        outcome->value = row->typical * slow_part + noise(maker);
        measure(maker, outcome);
        outcome->cause = below_gate(maker, outcome, row);
        outcome->remedy = REASON(run_again_with_nccl_debug);
        return true;
    }
    if (host == 8 && strcmp(subject, "gpu1") == 0 && strcmp(row->metric, "dcgm.memory") == 0) {
        outcome->word = OUTCOME_FAIL;
        outcome->measured = told(maker, "fail");
        outcome->cause =
            reason(maker->arena, about, subject, reason_text(maker->arena, "uncorrectable ECC error"));
        outcome->remedy = REASON(reset_gpu_diagnose_again);
        return true;
    }
    if (host == 2 && strcmp(row->step, "dcgm-diag") == 0) {
        outcome->word = OUTCOME_INCONCLUSIVE;
        outcome->value = NAN;
        outcome->measured = NULL;
        outcome->cause = reason(maker->arena, output_not_whole, REASON(dcgm_document_cut));
        outcome->remedy = REASON(read_output_test_again);
        return true;
    }
    return false;
}

/* The earlier step of this host that failed and keeps this one from running; NULL: none. */
static const char *blocked_by(const struct maker *maker, unsigned host, const struct step_row *step)
{
    size_t index = (size_t)(step - steps);

    if (!maker->sample->faults)
        return NULL;
    if (host == 3 && strcmp(step->name, "nccl-all-reduce") == 0)
        return "p2p-bandwidth";
    if (host == 5 && index > 5)
        return "fabric-manager";
    return NULL;
}

/* -- Outcomes ---------------------------------------------------------------------------------------------
 */

static struct outcome good_outcome(struct maker *maker, const struct item_row *row)
{
    struct outcome outcome = {.word = row->duty == DUTY_GATE ? OUTCOME_PASS : OUTCOME_RECORDED,
                              .cause = told(maker, ""),
                              .remedy = told(maker, ""),
                              .value = row->typical + noise(maker) * row->spread,
                              .held = held_to(maker, row)};

    if (row->text != NULL)
        outcome.measured = told(maker, row->text);
    else
        outcome.measured = told(maker, arena_printf(maker->arena, "%.1f%s%s", outcome.value,
                                                    *row->unit != '\0' ? " " : "", row->unit));
    return outcome;
}

static void not_run(struct maker *maker, struct outcome *outcome, const struct item_row *row,
                    const char *cause)
{
    outcome->word = row->duty == DUTY_GATE ? OUTCOME_NOT_RUN : OUTCOME_RECORDED;
    outcome->value = NAN;
    outcome->measured = NULL;
    outcome->held = &held_to_nothing;
    outcome->cause = told(maker, cause);
    outcome->remedy = told(maker, "mend that first, then run the step again");
}

/* Hostile: every third item fails, every third is undecided. */
static void make_hostile(struct arena *arena, struct outcome *outcome, size_t slot)
{
    static const enum outcome_word words[] = {OUTCOME_FAIL, OUTCOME_INCONCLUSIVE, OUTCOME_NOT_RUN,
                                              OUTCOME_PASS};

    if (outcome->word == OUTCOME_PASS)
        outcome->word = words[slot % 4];
    outcome->remark = slot % 5 == 0;
    outcome_held_own(arena, outcome)->status = hostile;
}

static void judge_step(struct maker *maker, size_t index, const struct slot_list *list, unsigned host,
                       const char *cause_not_run)
{
    for (size_t i = 0; i < list->items.count; i++) {
        const struct item_row *row = list->rows.items[i];
        struct outcome *outcome = list_push(maker->arena, &maker->outcomes);

        *outcome = good_outcome(maker, row);
        if (cause_not_run != NULL)
            not_run(maker, outcome, row, cause_not_run);
        else if (maker->sample->faults)
            apply_fault(maker, host, row, list->items.items[i].subject, outcome);
        if (strcmp(row->metric, "p2p.latency.gpu.enabled") == 0 && outcome->value > 3.09) {
            outcome->remark = true;
            outcome->cause = reason_text(
                maker->arena, arena_printf(maker->arena, "%.2f us is near the guessed 4 us", outcome->value));
        }
        if (maker->sample->hostile)
            make_hostile(maker->arena, outcome, i);
        outcome->step = index;
        outcome->slot = i;
        if (host > 0 && outcome->word >= OUTCOME_NOT_RUN)
            maker->unfit[host - 1] = true;
    }
}

/* -- Attempts ---------------------------------------------------------------------------------------------
 */

static void read_curve(struct maker *maker, struct reading *reading, const struct item_row *row,
                       double typical)
{
    for (double size = 1048576; size <= 16 * gib; size *= 2) {
        double part = size / (size + 40e6), value = typical * part * (1 + 0.006 * noise(maker));
        struct measurement *measurement =
            reading_measure(reading, given(maker, row->metric), "", value, "GB/s");

        reading_at_number(reading, measurement, "size_bytes", size);
        reading_at_text(reading, measurement, "place", slice_of("out"));
    }
    reading_fact(reading, "nccl.version", "", slice_of(given(maker, "2.18.5")));
}

static void read_facts(struct maker *maker, struct reading *reading, const char *step, unsigned host)
{
    if (strcmp(step, "gpu-inventory") == 0)
        for (unsigned gpu = 0; gpu < GPUS; gpu++) {
            const char *subject = arena_printf(maker->arena, "gpu%u", gpu);

            reading_fact(reading, "gpu.name", subject, slice_of(given(maker, "NVIDIA H100 80GB HBM3")));
            reading_fact(reading, "gpu.uuid", subject,
                         slice_of(given(maker, arena_printf(maker->arena, "GPU-%08x-1a2b-4c3d-8e4f-%012x",
                                                            host * 7919 + gpu, host * 1009 + gpu))));
            reading_fact(reading, "gpu.serial", subject,
                         slice_of(given(maker, arena_printf(maker->arena, "16529230%05u", host * 8 + gpu))));
            reading_fact(
                reading, "gpu.pci", subject,
                slice_of(given(maker, arena_printf(maker->arena, "00000000:%02X:00.0", 0x19 + gpu * 16))));
        }
    if (strcmp(step, "driver") == 0) {
        reading_fact(reading, "driver.version", "", slice_of(given(maker, "535.129.03")));
        reading_fact(reading, "cuda.version", "", slice_of(given(maker, "12.2")));
    }
    if (strcmp(step, "fabric-manager") == 0) {
        reading_fact(reading, "fabric_manager.state", "", slice_of(given(maker, "active")));
        reading_fact(
            reading, "fabric_manager.version", "",
            slice_of(given(maker, maker->sample->faults && host == 5 ? "535.104.05" : "535.129.03")));
    }
    for (unsigned gpu = 0; gpu < GPUS && strcmp(step, "gpu-burn") == 0; gpu++) {
        const char *subject = arena_printf(maker->arena, "gpu%u", gpu);
        /* GPU 6 becomes hotter than the others, and its clock gives way. */
        const char *hot = arena_printf(maker->arena, "every 60 s: 45 71 74 %u - 75", gpu == 6 ? 86 : 75);
        const char *clock =
            arena_printf(maker->arena, "every 60 s: 1980 1980 %u 1980 1980 1980", 1965 - gpu % 7 * 30);

        reading_fact(reading, "window.course.temperature", subject, slice_of(given(maker, hot)));
        reading_fact(reading, "window.course.clock", subject, slice_of(given(maker, clock)));
    }
    if (strcmp(step, "dcgm-diag") == 0)
        reading_fact(reading, "dcgm.version", "", slice_of(given(maker, "3.1.8")));
}

static void read_step(struct maker *maker, struct attempt *attempt, const struct slot_list *list,
                      const char *step, unsigned host)
{
    reading_init(&attempt->reading, maker->arena, step);
    reading_set(&attempt->reading, READING_COMPLETE, NULL);
    if (maker->sample->faults && host == 2 && strcmp(step, "dcgm-diag") == 0)
        reading_set(&attempt->reading, READING_PARTIAL,
                    reason_text(maker->arena, "the JSON ends inside \"tests\" (line 212)"));
    if (maker->sample->faults && host == 6 && strcmp(step, "gpu-burn") == 0)
        reading_finding(&attempt->reading, SEVERITY_FAULT, "gpu_burn.faulty", "gpu4",
                        reason_text(maker->arena, "GPU 4: FAULTY"));
    if (maker->sample->faults && host == 8 && strcmp(step, "dcgm-diag") == 0)
        reading_finding(&attempt->reading, SEVERITY_FAULT, "dcgm.memory", "gpu1",
                        reason_text(maker->arena, "GPU 1: uncorrectable ECC error"));
    if (maker->sample->hostile) {
        reading_set(&attempt->reading, READING_FAILED, reason_text(maker->arena, hostile));
        reading_finding(&attempt->reading, SEVERITY_FAULT, hostile, hostile,
                        reason_text(maker->arena, hostile));
    }
    read_facts(maker, &attempt->reading, step, host);
    for (size_t i = 0; i < list->rows.count; i++)
        if (list->rows.items[i]->kind == ITEM_SIZES &&
            (i == 0 || list->rows.items[i - 1] != list->rows.items[i]))
            read_curve(maker, &attempt->reading, list->rows.items[i],
                       list->rows.items[i]->typical * (maker->sample->faults && host == 7 ? slow_part : 1));
}

static void fill_captures(struct maker *maker, struct attempt *attempt, unsigned host)
{
    static const char *const streams[] = {"stdout", "stderr"};

    for (size_t i = 0; i < 2; i++) {
        const char *bytes = arena_printf(maker->arena, "%s of %s", streams[i], attempt->uuid);

        attempt->captures[i] =
            (struct capture){.stream = streams[i], .length = i == 0 ? 1500 + host * 37 : 0};
        attempt->captures[i].cut = attempt->reading.status == READING_PARTIAL && i == 0;
        attempt->captures[i].clipped = maker->sample->hostile;
        sha256_hex(bytes, i == 0 ? strlen(bytes) : 0, attempt->captures[i].sha256);
    }
}

static void add_attempt(struct maker *maker, size_t index, const struct step_row *step,
                        const struct slot_list *list, unsigned host, unsigned n, double start)
{
    struct attempt *attempt = list_push(maker->arena, &maker->record->attempts);
    struct part *part;

    *attempt = (struct attempt){.step = index, .n = n, .state = ATTEMPT_ENDED, .end = ATTEMPT_RAN};
    attempt->uuid =
        arena_printf(maker->arena, "7c0e%04zx-%04x-4a11-9d00-00000000%04x", index & 0xffff, n, host);
    attempt->what = told(maker, "");
    attempt->sent = start;
    attempt->began = start + 0.04;
    attempt->ended = attempt->began + step->seconds * (1 + 0.01 * noise(maker));
    attempt->boot_id =
        given(maker, arena_printf(maker->arena, "5b1f%04x-77aa-4c10-b1d2-0a0b0c0d%04x", host, host));
    attempt->command = given(maker, step->command);
    attempt->transport = told(maker, "ssh (libssh2 1.10.0)");
    attempt->connections = 1;
    read_step(maker, attempt, list, step->name, host);
    attempt->rc = attempt->reading.status == READING_COMPLETE && attempt->reading.findings.count == 0 ? 0 : 1;
    part = list_push(maker->arena, &attempt->parts);
    *part = (struct part){.name = "main", .command = attempt->command, .began = true, .ended = true};
    part->reading = attempt->reading;
    if (strcmp(step->name, "gpu-inventory") == 0)
        part->reading.tool = "nvidia-smi";
    if (step->seconds >= 60) {
        part = list_push(maker->arena, &attempt->parts);
        *part = (struct part){
            .name = "kernel-log", .command = given(maker, "dmesg --since -30min"), .began = true};
        part->ended = attempt->reading.status == READING_COMPLETE;
        reading_init(&part->reading, maker->arena, "xid");
    }
    fill_captures(maker, attempt, host);
}

/* -- Plan -------------------------------------------------------------------------------------------------
 */

static void add_step(struct maker *maker, const struct step_row *row, const struct shape *shape,
                     const struct host **members, size_t count)
{
    struct step *step = list_push(maker->arena, &maker->record->plan->steps);
    char key[SHA256_HEX_SIZE];
    const char *text = arena_printf(maker->arena, "%s %s %zu", row->name, members[0]->name, count);

    sha256_hex(text, strlen(text), key);
    *step = (struct step){
        .key = arena_strdup(maker->arena, key), .shape = shape, .members = members, .member_count = count};
}

static void add_host_steps(struct maker *maker, const struct step_row *row)
{
    struct slot_list list = {0};
    const struct shape *shape = make_shape(maker, row, 1, &list);
    size_t offset = (size_t)(row - steps);

    for (unsigned host = 1; host <= maker->sample->hosts; host++) {
        const struct host **members = arena_array(maker->arena, const struct host *, 1);
        const char *blocker = blocked_by(maker, host, row);
        size_t index = maker->record->plan->steps.count;
        double start = run_start + (double)offset * 400 + host * 0.2;

        members[0] = maker->record->plan->hosts.items[host - 1];
        add_step(maker, row, shape, members, 1);
        judge_step(maker, index, &list, host,
                   blocker != NULL ? arena_printf(maker->arena, "%s did not pass on this host", blocker)
                                   : NULL);
        if (blocker != NULL)
            continue;
        add_attempt(maker, index, row, &list, host, 1, start);
        if (maker->sample->faults && host == 2 && strcmp(row->name, "dcgm-diag") == 0)
            add_attempt(maker, index, row, &list, host, 2, start + 900);
    }
}

static void add_cluster_step(struct maker *maker, const struct step_row *row, bool substitute)
{
    struct slot_list list = {0};
    const struct host **members = arena_array(maker->arena, const struct host *, maker->sample->hosts);
    size_t index = maker->record->plan->steps.count, count = 0, fit = 0;
    const char *cause = NULL;

    for (unsigned i = 0; i < maker->sample->hosts; i++) {
        fit += !maker->unfit[i];
        if (!substitute || !maker->unfit[i])
            members[count++] = maker->record->plan->hosts.items[i];
    }
    if (!substitute && fit < maker->sample->hosts && !maker->sample->hostile)
        cause = arena_printf(maker->arena, "%zu of %u hosts did not pass what this step needs",
                             maker->sample->hosts - fit, maker->sample->hosts);
    add_step(maker, row, make_shape(maker, row, (unsigned)count, &list), members, count);
    if (substitute) {
        maker->record->plan->steps.items[index].origin = ORIGIN_SUBSTITUTE;
        maker->record->plan->steps.items[index].origin_note = reason_text(
            maker->arena, arena_printf(maker->arena, "%zu of %u hosts are fit", fit, maker->sample->hosts));
    }
    judge_step(maker, index, &list, 0, cause);
    if (cause == NULL)
        add_attempt(maker, index, row, &list, 0, 1, run_start + 6000);
    else if (fit > 1)
        add_cluster_step(maker, row, true);
}

static void add_hosts(struct maker *maker)
{
    unsigned per_unit = (maker->sample->hosts + maker->sample->units - 1) / maker->sample->units;

    for (unsigned i = 0; i < maker->sample->hosts; i++) {
        struct host *host = arena_new(maker->arena, struct host);

        *host = (struct host){.transport = "auto", .slots = GPUS, .timescale = 1, .jump = NULL};
        host->name = maker->sample->hostile ? arena_printf(maker->arena, "%s%u", hostile, i + 1)
                                            : arena_printf(maker->arena, "node%u", i + 1);
        host->address = given(maker, arena_printf(maker->arena, "10.0.%u.%u", i / 250, i % 250 + 1));
        host->platform = "hgx-h100";
        host->unit = given(maker, arena_printf(maker->arena, "su%u", i / per_unit + 1));
        host->rack = given(maker, arena_printf(maker->arena, "r%u", i / 4 + 1));
        host->leaf = given(maker, arena_printf(maker->arena, "l%u", i / 8 + 1));
        *list_push(maker->arena, &maker->record->plan->hosts) = host;
    }
}

static void add_documents(struct maker *maker)
{
    static const struct {
        const char *kind, *name, *text;
    } documents[] = {
        {"hostfile", "hostfiles/iron.hosts", "node[1-8] slots=8 unit=su1\n"},
        {"suite", "delivery", "{\"name\": \"delivery\", \"purpose\": \"delivery\"}\n"},
        {"platform", "hgx-h100", "{\"name\": \"hgx-h100\"}\n"},
        {"baseline", "hgx-h100", "{\"limits\": []}\n"},
        {"argv", "argv", "assay run -H hostfiles/iron.hosts -s delivery\n"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(documents); i++) {
        struct document *document = list_push(maker->arena, &maker->record->documents);

        document->kind = given(maker, documents[i].kind);
        document->name = given(maker, documents[i].name);
        document->bytes = slice_of(documents[i].text);
        sha256_hex(document->bytes.bytes, document->bytes.length, document->sha256);
    }
}

/* -- Verdicts ---------------------------------------------------------------------------------------------
 */

static void count_outcome(struct verdict *verdict, const struct outcome *outcome)
{
    verdict->pass += outcome->word == OUTCOME_PASS;
    verdict->fail += outcome->word == OUTCOME_FAIL;
    verdict->inconclusive += outcome->word == OUTCOME_INCONCLUSIVE;
    verdict->not_run += outcome->word == OUTCOME_NOT_RUN;
    verdict->recorded += outcome->word == OUTCOME_RECORDED;
    verdict->word = verdict->fail > 0                              ? VERDICT_REJECT
                    : verdict->inconclusive + verdict->not_run > 0 ? VERDICT_INCOMPLETE
                                                                   : VERDICT_ACCEPT;
}

/* One pass over the outcomes: each counts for the run, and those of one host for its unit and itself. */
static void add_verdicts(struct maker *maker)
{
    const struct plan *plan = maker->record->plan;
    struct verdict *verdicts = arena_array(maker->arena, struct verdict, 1 + 2 * plan->hosts.count);
    size_t *unit_of = arena_array(maker->arena, size_t, plan->hosts.count), units = 0;

    verdicts[0] = (struct verdict){.scope = "run", .name = ""};
    for (size_t i = 0; i < plan->hosts.count; i++) {
        if (i == 0 || strcmp(plan->hosts.items[i]->unit, plan->hosts.items[i - 1]->unit) != 0)
            verdicts[++units] = (struct verdict){.scope = "unit", .name = plan->hosts.items[i]->unit};
        unit_of[i] = units;
    }
    for (size_t i = 0; i < plan->hosts.count; i++)
        verdicts[1 + units + i] = (struct verdict){.scope = "host", .name = plan->hosts.items[i]->name};
    for (size_t i = 0; i < maker->outcomes.count; i++) {
        const struct outcome *outcome = &maker->outcomes.items[i];
        const struct step *step = &plan->steps.items[outcome->step];
        size_t host = 0;

        count_outcome(&verdicts[0], outcome);
        if (step->member_count > 1)
            continue;
        while (plan->hosts.items[host] != step->members[0])
            host++;
        count_outcome(&verdicts[unit_of[host]], outcome);
        count_outcome(&verdicts[1 + units + host], outcome);
    }
    maker->record->judgement.verdicts = verdicts;
    maker->record->judgement.verdict_count = 1 + units + plan->hosts.count;
}

/* -- Isolation --------------------------------------------------------------------------------------------
 */

/* As if the last step, which is one across hosts, had been slow: one host is accused, and two others may be to blame. */
static void add_search(struct maker *maker)
{
    struct judgement *judgement = &maker->record->judgement;
    size_t last = maker->record->plan->steps.count - 1;

    judgement->searches = arena_array(maker->arena, struct search, 1);
    judgement->searches[judgement->search_count++] = (struct search){
        .step = last,
        .metric = given(maker, "nccl.all_gather.busbw"),
        .size_bytes = 8 * gib,
        .conclusion = maker->sample->hostile ? told(maker, "") : REASON(nobody_alone_explains_it),
        .candidates =
            maker->sample->hostile ? told(maker, "") : reason(maker->arena, hosts_of_step, 2, "node[1-2]")};
    judgement->accusations = arena_array(maker->arena, struct accusation, 1);
    judgement->accusations[judgement->accusation_count++] =
        (struct accusation){.step = last,
                            .kind = ACCUSED_LINK,
                            .subject = given(maker, "node3 - node4"),
                            .slow_tests = 3,
                            .doubt = 2e-5,
                            .steps = &judgement->accusations[0].step,
                            .step_count = 1};
}

struct record *sample_record(struct arena *arena, const struct sample *sample)
{
    struct record *record = arena_new(arena, struct record);
    struct maker maker = {.arena = arena, .record = record, .sample = sample, .noise = 20260301};

    maker.unfit = arena_array(arena, bool, sample->hosts);
    *record = (struct record){.arena = arena,
                              .number = 12,
                              .uuid = "0d6cf6c4-52f7-4d0e-9a5e-2f6f6c1f7e10",
                              .state = RUN_ENDED,
                              .started = run_start,
                              .ended = run_start + 6200,
                              .suite = given(&maker, "delivery"),
                              .suite_title = given(&maker, "Handover of 8-GPU hosts"),
                              .hostfile = given(&maker, "iron.hosts"),
                              .program = "assay 0.1.0",
                              .controller = "login1"};
    record->plan = arena_new(arena, struct plan);
    record->plan->arena = arena;
    record->plan->run_uuid = record->uuid;
    add_hosts(&maker);
    for (size_t i = 0; i < STEP_COUNT; i++)
        if (steps[i].cluster)
            add_cluster_step(&maker, &steps[i], false);
        else
            add_host_steps(&maker, &steps[i]);
    add_documents(&maker);
    record->judgement.uuid = "91e2c1de-0b7d-4f7c-8f7b-6f0a8a3b5c21";
    record->judgement.baselines = told(&maker, "baseline hgx-h100 (sha256 3f5c9a1e)");
    record->judgement.outcomes = maker.outcomes.items;
    record->judgement.outcome_count = maker.outcomes.count;
    add_verdicts(&maker);
    /* It is over all hosts and steps, whatever their names are. */
    maker.record->standing = (struct standing){RUN_ACCEPTANCE, sample->hosts, sample->hosts, 1, 1, NULL, 0};
    if (maker.sample->faults || maker.sample->hostile)
        add_search(&maker);
    return record;
}
