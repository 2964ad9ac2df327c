/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu memory: how fast each GPU's own memory is, and whether every byte of it that is free keeps what is written
 * to it. ECC corrects single bits without a word here; what it cannot correct ends the probe with an Xid, which the window
 * sees. What this finds is wrong in spite of ECC, or there is none.
 */
#include "assay/reasons/check.h"
#include "assay/reasons/parse.h"

#include "probe_gpu.h"
#include "rules.h"

static void command(const struct check_context *context, struct text *out)
{
    probe_gpu_command(context, out, "memory");
    text_printf(out, " --passes %.0f --windows %.0f", check_number(context, "passes"),
                check_number(context, "windows"));
}

#define KEEPS "assay-probe-gpu: memory keeps what is written to it"

static unsigned expected_s(const struct check_context *context)
{
    /* All memory is written or read some 24 times in a pass, at half of the rate of the slowest. */
    enum { PASS_S = 4, STREAMS_S = 5 };

    return PROBE_GPU_OPENING_S + STREAMS_S + PASS_S * (unsigned)check_number(context, "passes");
}

const struct check check_gpu_memory = {
    .name = "gpu-memory",
    .title = "GPU memory",
    .summary = "assay-probe-gpu: every free byte of each GPU's memory keeps what is written to it, and how "
               "fast it is",
    PROBE_GPU_OF_HOST,
    .loads = LOAD_GPUS,
    .arguments = ARGUMENTS(
        {"passes", ARGUMENT_COUNT, "10", "how often all patterns are written and compared", MORE_IS_MORE},
        {"windows", ARGUMENT_COUNT, "20", "windows of time in which each stream is measured", MORE_IS_MORE},
        PROBE_GPU_BACKEND_ROW),
    .arguments_valid = probe_gpu_valid,
    .parts = PARTS({"main", "assay-probe-gpu", command, NULL}),
    .items = ITEMS(
        {"gpu_memory.contents", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("gpu_memory.contents", "right", KEEPS)},
        {"gpu_memory.wrong_words", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES_MOST("gpu_memory.wrong_words", 0, KEEPS)},
        {"gpu_memory.covered", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES(.metric = "gpu_memory.covered", .rule = RULE_FLOOR, .value = 95, .unit = "%",
                      .status = LIMIT_TOOL, .source = "assay: memory that was not written has shown nothing",
                      .inconclusive = true)},
        {"gpu_memory.copy", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"gpu_memory.read", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"gpu_memory.write", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"gpu_memory.triad", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"gpu_memory.triad.least", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"gpu_memory.uuid", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"gpu_memory.serial", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"probe.program", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .more_slots = probe_gpu_slots,
    .remedies = REMEDIES({"gpu_memory.covered", REASON(end_what_shares_gpu)},
                         {"gpu_memory.contents", REASON(gpu_memory_forgets)},
                         {"gpu_memory.wrong_words", REASON(gpu_memory_forgets)},
                         {"sound", REASON(gpu_memory_forgets), .about = &sentence_word_not_kept},
                         {"sound", REASON(see_probe_gpu_starts)}, {"gpu_memory.*", REASON(gpu_memory_slow)}),
    .plain = PLAIN_WORDS(
        {"gpu_memory.contents*", PLAIN(gpu_memory_is_not_kept, PLAIN_PART, PLAIN_MEASURED)},
        {"gpu_memory.copy*", PLAIN(gpu_memory_runs_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"gpu_memory.read*", PLAIN(gpu_memory_runs_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"gpu_memory.write*", PLAIN(gpu_memory_runs_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"gpu_memory.triad*", PLAIN(gpu_memory_runs_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)}),
    .expected = expected_s,
    .read = read_parts,
};
