/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu training: steps of a transformer on all GPUs of a host together. Each GPU must have the losses and gradients
 * that its siblings have, to the last bit, and each host those of all others. How fast a GPU is until it waits for others is
 * compared with all GPUs of the run; whole steps with those of the other hosts. No public figure is a limit here: they
 * are of other software, shapes and types.
 */
#include "assay/reasons/check.h"
#include "assay/reasons/parse.h"

#include "probe_gpu.h"
#include "rules.h"

static void command(const struct check_context *context, struct text *out)
{
    probe_gpu_command(context, out, "training");
    text_printf(out, " --steps %.0f", check_number(context, "steps"));
}

static unsigned expected_s(const struct check_context *context)
{
    enum {
        STEP_S = 3 /* of 32 layers on the slowest of these GPUs */,
        MAKING_S = 20 /* of weights and tokens */
    };

    return PROBE_GPU_OPENING_S + MAKING_S + STEP_S * (unsigned)check_number(context, "steps");
}

const struct check check_training_step = {
    .name = "training-step",
    .title = "Training step",
    .summary =
        "assay-probe-gpu: steps of a transformer on all GPUs of a host together: losses to the last bit, "
        "speed, who comes late",
    PROBE_GPU_OF_HOST,
    .loads = LOAD_GPUS | LOAD_NVLINKS,
    .arguments = ARGUMENTS(
        {"steps", ARGUMENT_COUNT, "30", "steps of the training, of which the first three are a warm-up"},
        PROBE_GPU_BACKEND_ROW),
    .arguments_valid = probe_gpu_steps_valid,
    .parts = PARTS({"main", "assay-probe-gpu", command, NULL}),
    .items = ITEMS({"training.answers", PER_GPU, NULL, DUTY_GATE,
                    LIMITS RULES_EQUAL("training.answers", "right", PROBE_GPU_SAME_WORK)},
                   {"training.losses", PER_TARGET, NULL, DUTY_GATE,
                    LIMITS RULES_EQUAL("training.losses", "all are numbers", PROBE_GPU_SAME_WORK)},
                   {"training.digest", PER_TARGET, NULL, DUTY_GATE,
                    LIMITS RULES_SAME("training.digest", PROBE_GPU_SAME_WORK)},
                   {"training.forward", PER_GPU, NULL, DUTY_GATE, PROBE_GPU_MEASURED("training.forward")},
                   {"training.tflops", PER_TARGET, NULL, DUTY_GATE, PROBE_GPU_MEASURED("training.tflops")},
                   PROBE_GPU_TRAINING_RATES, {"training.forward.p1", PER_GPU, NULL, DUTY_RECORD, NULL},
                   {"training.late", PER_GPU, NULL, DUTY_RECORD, NULL},
                   {"training.last", PER_GPU, NULL, DUTY_RECORD, NULL},
                   {"training.uuid", PER_GPU, NULL, DUTY_RECORD, NULL}, PROBE_GPU_TRAINING_KIND),
    .more_slots = probe_gpu_slots,
    .remedies = REMEDIES(
        {"training.digest", REASON(host_trains_otherwise)},
        {"training.answers", REASON(gpu_given_other_sums), .about = &sentence_training_sums},
        {"training.answers", REASON(gpu_computes_wrong)}, {"training.losses", REASON(training_goes_astray)},
        {"training.forward", REASON(gpu_computes_slowly)}, {"training.tflops", REASON(host_trains_slowly)},
        {"sound", REASON(gpu_given_other_sums), .about = &sentence_training_sums_wrong},
        {"sound", REASON(gpu_computes_wrong), .about = &sentence_training_answers_wrong},
        {"sound", REASON(see_training_starts)}),
    .plain = PLAIN_WORDS(
        {"training.answers*", PLAIN(gpu_trains_to_other_bits, PLAIN_PART, PLAIN_MEASURED)},
        {"training.forward*", PLAIN(gpu_trains_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)}),
    .expected = expected_s,
    .read = read_parts,
};
