/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu sdc: silent data corruption. Every SM of every GPU does the same work, through each kind of unit, and all
 * answers are compared: with what the host computes where it can, else with each other, and of what it cannot compute the
 * hosts of a platform are compared too, so that a GPU that is wrong in all its SMs is found.
 */
#include <math.h>
#include <string.h>

#include "assay/model/part.h"
#include "assay/reasons/check.h"
#include "assay/reasons/parse.h"

#include "probe_gpu.h"
#include "rules.h"

static void command(const struct check_context *context, struct text *out)
{
    probe_gpu_command(context, out, "sdc");
    text_printf(out, " --seconds %.0f --depth %.0f", probe_gpu_seconds(context, "seconds"),
                check_number(context, "depth"));
    if (check_number(context, "swing") > 0)
        text_printf(out, " --swing %.0f", probe_gpu_seconds(context, "swing"));
}

/* Nobody but the GPUs themselves can say what these last bits are. Where all of a site agree, and differ from those that others of
   their architecture gave, either all are wrong alike or the probe was compiled otherwise: a remark. */
#define AS_OTHERS "as others of its architecture"
static const struct limit golden_advice[] =
    RULES_ONE_OF("advised.sdc_digest", AS_OTHERS "|not known",
                 "assay-probe-gpu built by CUDA 13.0, on one H100 and five H200");
static const struct {
    const char *architecture, *digest;
    double depth; /* with the probe's own 16 seeds */
} goldens[] = {{"sm_90", "0x19efc5af1c81889c", 4096}};

static void read_answers(const struct check_context *context, const struct attempt *attempt,
                         struct reading *out)
{
    const char *digest, *architecture, *said = "not known";

    read_parts(context, attempt, out);
    digest = reading_get_fact(out, "sdc.digest", "special");
    architecture = reading_get_fact(out, "probe.architecture", "");
    if (digest == NULL || architecture == NULL)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(goldens); i++)
        if (strcmp(architecture, goldens[i].architecture) == 0 &&
            check_number(context, "depth") == goldens[i].depth)
            said = strcmp(digest, goldens[i].digest) == 0 ? AS_OTHERS : digest;
    reading_fact(out, "advised.sdc_digest", "", slice_of(said));
}

/* Of a platform whose GPUs have it, as far as their sheets tell: of others the probe may not try it. */
static bool has_fp8(const struct platform *platform)
{
    list_each (model, platform->gpu_models)
        if (isnan(part_peak(*model, PART_FP8)))
            return false;
    return platform->gpu_models.count > 0;
}

/* What the host cannot compute has the last bits of its architecture: on all hosts the same ones. Of the others no GPU has shown yet
   that it gives what the host computes. */
static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    static const char *const units[] = {"special", "tensor-tf32", "tensor-fp64", "reduce",
                                        "atomic",  "hbm",         "tensor-fp8"};
    const size_t count = ARRAY_SIZE(units) - !has_fp8(context->platform);

    for (size_t i = 0; i < count; i++)
        slot_add(context, slots, "sdc.digest", units[i], NULL, DUTY_GATE,
                 rules_new(context, LIMITS RULES_SAME("sdc.digest", PROBE_GPU_SAME_WORK)));
    rules_advise(context, slots, "sdc.digest", golden_advice);
    probe_gpu_slots(context, slots);
}

static unsigned expected_s(const struct check_context *context)
{
    return (unsigned)check_number(context, "seconds") + PROBE_GPU_OPENING_S;
}

const struct check check_gpu_sdc = {
    .name = "gpu-sdc",
    .title = "Silent data corruption",
    .summary =
        "assay-probe-gpu: every SM of every GPU gives the same, right answer, through each kind of unit",
    PROBE_GPU_OF_HOST,
    .loads = LOAD_GPUS,
    .arguments = ARGUMENTS(
        {"seconds", ARGUMENT_COUNT, "60", "how long the work is done", MORE_IS_MORE},
        {"depth", ARGUMENT_COUNT, "4096", "steps of each chain of operations", MORE_IS_MORE},
        {"swing", ARGUMENT_COUNT, "0",
         "work and rest so many seconds in turn, so that power and heat go up and down", MORE_IS_MORE},
        PROBE_GPU_BACKEND_ROW),
    .arguments_valid = probe_gpu_valid,
    .parts = PARTS({"main", "assay-probe-gpu", command, NULL}),
    .items = ITEMS(
        {"sdc.answers", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES_EQUAL("sdc.answers", "right", PROBE_GPU_SAME_WORK)},
        {"sdc.sms_wrong", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES_MOST("sdc.sms_wrong", 0, PROBE_GPU_SAME_WORK)},
        {"sdc.sms_unreached", PER_GPU, NULL, DUTY_GATE,
         LIMITS RULES_MOST("sdc.sms_unreached", 0, "assay: an SM that did no work has shown nothing",
                           .inconclusive = true)},
        {"sdc.uuid", PER_GPU, NULL, DUTY_RECORD, NULL}, {"sdc.serial", PER_GPU, NULL, DUTY_RECORD, NULL},
        {"probe.program", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .more_slots = more_slots,
    .remedies = REMEDIES(
        {"sdc.sms_unreached", REASON(end_what_shares_gpu)}, {"sdc.digest", REASON(host_computes_otherwise)},
        {"advised.sdc_digest", REASON(host_computes_otherwise)}, {"sdc.*", REASON(gpu_computes_wrong)},
        {"sound", REASON(gpu_computes_wrong), .about = &sentence_sm_answers_wrong},
        {"sound", REASON(gpu_computes_wrong), .about = &sentence_copy_brings_wrong_words},
        {"sound", REASON(see_probe_gpu_starts)}),
    .expected = expected_s,
    .read = read_answers,
};
