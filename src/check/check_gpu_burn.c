/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Burn-in. gpu_burn exits 0 with faulty GPUs and calls a GPU OK that did no work, so its exit status decides
 * nothing: each GPU needs its own verdict, no errors at any time, and work done. The sampler beside it shows
 * what the load does to clocks and temperature.
 *
 * How long it burned is known twice: by its own word, and by the host's clock around it, on which start-up and the end
 * of the test are too. Of gpu_burn.lasted the less counts, so neither a build that takes its seconds from elsewhere nor
 * one that was done at once is taken for the work that was asked for.
 *
 * A rate is one of its arithmetic, and so is a floor: gpu_burn.float.gflops, gpu_burn.tensor.gflops (-tc),
 * gpu_burn.double.gflops (-d). The tool says what it computes in; where that is not what was asked for, the rate that
 * is owed has no value.
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/check.h"

#include "heat.h"
#include "rules.h"

static void command(const struct check_context *context, struct text *out)
{
    command_gpu_burn(context, out, check_text(context, "flags"));
}

/* s of the test's own time on the host; NAN: its clock was not read, or the host has booted in between. */
static double by_host_clock(const struct check_context *context, const struct attempt *attempt)
{
    double real = attempt->up_ended - attempt->up_began;

    return attempt->up_began > 0 && real > 0 ? real * context->timescale : NAN;
}

/* By the flags; as the parser names it. */
static const char *arithmetic_of(const struct check_context *context)
{
    struct slice rest = slice_of(check_text(context, "flags")), word;
    bool doubles = false, tensor = false;

    while (scan_word(&rest, &word)) {
        doubles |= slice_equal(word, "-d");
        tensor |= slice_equal(word, "-tc");
    }
    return tensor ? (doubles ? "double-tensor" : "tensor") : doubles ? "double" : "float";
}

static void tell_rates(struct reading *out)
{
    const char *arithmetic = reading_get_fact(out, "gpu_burn.arithmetic", "");
    size_t count = out->measurements.count;

    for (size_t i = 0; arithmetic != NULL && i < count; i++) {
        const struct measurement rate = out->measurements.items[i];

        if (strcmp(rate.metric, "gpu_burn.gflops") == 0)
            reading_measure(out, arena_printf(out->arena, "gpu_burn.%s.gflops", arithmetic), rate.subject,
                            rate.value, rate.unit);
    }
}

/* A build that does not know a flag takes it for a number, or for nothing: -tc is there since March 2020
   (wilicc/gpu-burn#18). */
static bool computed_as_asked(const struct check_context *context, struct reading *out)
{
    const char *asked = arithmetic_of(context), *done = reading_get_fact(out, "gpu_burn.arithmetic", "");

    if (done == NULL || strcmp(done, asked) == 0)
        return true;
    if (out->status == READING_COMPLETE)
        reading_set(out, READING_UNRECOGNISED, reason(out->arena, gpu_burn_computed_otherwise, done, asked));
    return false;
}

static void read_burn(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    const char *said;
    double by_word = NAN, clock = by_host_clock(context, attempt), lasted;

    read_parts(context, attempt, out);
    tell_rates(out);
    if (!computed_as_asked(context, out))
        return;
    said = reading_get_fact(out, "gpu_burn.seconds", "");
    if (said != NULL && !scan_double(slice_of(said), &by_word))
        by_word = NAN;
    /* Its own word alone proves nothing; where it has none, the clock does. */
    lasted = isnan(clock) ? NAN : fmin(by_word, clock);
    /* A burn that broke off, or was never there, says so itself: its time is no second accusation. */
    if (out->status == READING_COMPLETE && !isnan(lasted))
        reading_measure(out, "gpu_burn.lasted", "", floor(lasted), "s");
}

static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    const struct limit *asked = rules_new(
        context, LIMITS RULES(.metric = "gpu_burn.lasted", .rule = RULE_FLOOR,
                              .value = check_number(context, "seconds"), .unit = "s", .status = LIMIT_TOOL,
                              .source = "assay: as long as the suite asks for"));

    slot_add(context, slots, "gpu_burn.lasted", "", NULL, DUTY_GATE, asked);
    for (unsigned i = 0; i < context->platform->gpu_count; i++)
        slot_add(context, slots, arena_printf(context->arena, "gpu_burn.%s.gflops", arithmetic_of(context)),
                 arena_printf(context->arena, "gpu%u", i), NULL, DUTY_RECORD, NULL);
}

/* Of a GPU that does not say where it slows down, the others of its platform answer: a driver that tells it of one tells it of
   all. Where none does, what the platform declares is left (window.temperature.max). */
static const struct limit rules_slowdown[] = {{.metric = HEAT_SLOWDOWN,
                                               .rule = RULE_ONE_OF,
                                               .text = HEAT_NOT_REACHED "|" HEAT_NOT_TOLD,
                                               .status = LIMIT_TOOL,
                                               .source = "the GPU's own figure, as nvidia-smi reports it"},
                                              {.metric = HEAT_SLOWDOWN,
                                               .rule = RULE_READ,
                                               .text = HEAT_NOT_REACHED,
                                               .status = LIMIT_TOOL,
                                               .inconclusive = true,
                                               .note = REASON(slowdown_temperature_of_gpus),
                                               .source = "the GPU's own figure, as nvidia-smi reports it"},
                                              {0}};

static unsigned expected_s(const struct check_context *context)
{
    return (unsigned)check_number(context, "seconds") + 30; /* start-up and the final comparison */
}

/* What the sampler saw of the power stands beside what the test itself says. */
static const struct gpu_numbers gpu_table = {.items = "gpu_burn.*",
                                             .value = "gpu_burn.gflops",
                                             .temperature = "gpu_burn.temperature",
                                             .power = "window.power.max"};

const struct check check_gpu_burn = {
    .name = "gpu-burn",
    .title = "GPU burn-in",
    .summary = "gpu_burn on all GPUs, as long as asked: no errors, work done by each, clocks free, no "
               "thermal slowdown, no Xid",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .as_root = true,
    .exclusive = EXCLUSIVE_HOST,
    .window = true,
    .loads = LOAD_GPUS,
    .window_drives = true,
    .arguments = ARGUMENTS(
        {"seconds", ARGUMENT_COUNT, "1800", "how long to burn; 30 minutes or more for a delivery",
         MORE_IS_MORE},
        {"flags", ARGUMENT_TEXT, "", "further flags of gpu_burn: \"-tc\" uses tensor cores, \"-d\" doubles"}),
    .parts = PARTS({"main", "gpu-burn", command, NULL}),
    .items = ITEMS(
        {"gpu_burn.verdict", PER_GPU, NULL, DUTY_GATE, LIMITS RULES_EQUAL("gpu_burn.verdict", "ok", "assay")},
        {"gpu_burn.errors", PER_GPU, NULL, DUTY_GATE, LIMITS RULES_MOST("gpu_burn.errors", 0, "assay")},
        {"gpu_burn.temperature", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"gpu_burn.gflops", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"window.throttle.hw_slowdown", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("window.throttle.hw_slowdown", "Not Active", "assay")},
        {"window.throttle.hw_thermal_slowdown", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("window.throttle.hw_thermal_slowdown", "Not Active", "assay")},
        {"window.throttle.sw_thermal_slowdown", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("window.throttle.sw_thermal_slowdown", "Not Active", "assay")},
        {"window.clock.held_down", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("window.clock.held_down", "no",
                            "NVML: clocks are as high as possible unless there is a reason")},
        {"window.power.max", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"window.power.limit", PER_GPU, NULL, DUTY_RECORD, NULL},
        /* Recorded: healthy GPUs of one host differ by less, and one that stays so far below is remarked on. */
        {"window.power.of_others", PER_GPU, NULL, DUTY_RECORD,
         LIMITS RULES(.metric = "window.power.of_others", .rule = RULE_FLOOR, .value = 85, .unit = "%",
                      .status = LIMIT_TOOL, .source = "assay: GPUs of one host do the same work")},
        {"window.temperature.max", PER_GPU, NULL, DUTY_RECORD, NULL},
        {HEAT_SLOWDOWN, PER_GPU, NULL, DUTY_GATE, rules_slowdown},
        {"window.temperature.to_slowdown", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"window.temperature.before", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"window.memory_temperature.max", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"window.pcie.generation.min", PER_GPU, NULL, DUTY_RECORD, NULL},
        /* Recorded: GPUs in the warm air behind others are 10 C and more above those in front, and so at most half of that from
       the median; one that lies so far above it is cooled badly, though below the figure that slows it down. */
        {"window.temperature.above_others", PER_GPU, NULL, DUTY_RECORD,
         LIMITS RULES(.metric = "window.temperature.above_others", .rule = RULE_CEILING, .value = 18,
                      .unit = "C", .status = LIMIT_TOOL,
                      .source = "assay: GPUs of one host do the same work")},
        {"window.clock.min", PER_GPU, NULL, DUTY_RECORD, NULL}),
    .remedies =
        REMEDIES({"*", REASON(bring_newer_gpu_burn), .about = &sentence_gpu_burn_computed_otherwise},
                 {"gpu_burn.lasted", REASON(see_which_gpu_burn_runs)}, {"gpu_burn.*", REASON(burn_gpu_alone)},
                 {"window.temperature.*", REASON(check_cooling_burn_again)},
                 {"window.clock.held_down", REASON(unlock_clocks)},
                 {"window.throttle.*", REASON(check_cooling_burn_again)},
                 {"sound", REASON(see_evidence_and_xid_lines)}),
    .more_slots = more_slots,
    .plain = PLAIN_WORDS(
        {"gpu_burn.errors*", PLAIN(gpu_burn_counts_errors, PLAIN_PART, PLAIN_MEASURED)},
        {"gpu_burn.verdict*", PLAIN(gpu_burn_finds_faulty, PLAIN_PART, PLAIN_MEASURED)},
        {"gpu_burn.float.gflops*", PLAIN(gpu_burns_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"gpu_burn.tensor.gflops*", PLAIN(gpu_burns_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"gpu_burn.gflops*", PLAIN(gpu_burns_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"gpu_burn.temperature*", PLAIN(part_is_hot, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)}),
    .gpu_table = &gpu_table,
    .expected = expected_s,
    .read = read_burn,
};
