/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks that run assay-probe-gpu have in common. */
#ifndef ASSAY_CHECK_PROBE_GPU_H
#define ASSAY_CHECK_PROBE_GPU_H

#include "assay/check/check.h"

/* What those have alike that load the GPUs of one host. */
#define PROBE_GPU_OF_HOST .on = ON_GPUS, .concerns = OF_GPU, .exclusive = EXCLUSIVE_HOST, .window = true

#define PROBE_GPU_BACKEND_ROW                                                                     \
    {                                                                                             \
        "backend", ARGUMENT_TEXT, "cuda", "cuda, or host: CPU threads, which say nothing of GPUs" \
    }

/* "assay-probe-gpu TEST --backend cuda --deadline ..": the probe's own deadline is a little before the attempt's, so that it
   can tell what it has found. Options of the test follow. */
void probe_gpu_command(const struct check_context *context, struct text *out, const char *test);
/* So many seconds on the host, a whole number; for an option. */
double probe_gpu_seconds(const struct check_context *context, const char *argument);
/* A gate that it ran on what was asked for. */
void probe_gpu_slots(const struct check_context *context, struct slot_list *slots);
/* For arguments_valid. */
int probe_gpu_valid(const struct check_context *context, struct error *err)
    __attribute__((warn_unused_result));

/* Likewise, of a training: how many steps. */
int probe_gpu_steps_valid(const struct check_context *context, struct error *err)
    __attribute__((warn_unused_result));

#define PROBE_GPU_SAME_WORK "assay-probe-gpu: the same work has one answer"
/* What was not measured is missing, and no work takes no time. */
#define PROBE_GPU_NOT_MEASURED "assay: what was not measured has shown nothing"
#define PROBE_GPU_AT_LEAST(metric_, least_, unit_)                                            \
    LIMITS RULES(.metric = (metric_), .rule = RULE_FLOOR, .value = (least_), .unit = (unit_), \
                 .status = LIMIT_TOOL, .source = PROBE_GPU_NOT_MEASURED)
#define PROBE_GPU_MEASURED(metric_) PROBE_GPU_AT_LEAST(metric_, 1e-6, "TFLOP/s")
/* Also where a suite asks for the CPU's threads: what these compute decides nothing about GPUs. */
#define PROBE_GPU_ON_CUDA                                                                                   \
    LIMITS RULES_EQUAL("probe.backend", "cuda",                                                             \
                       "assay: a GPU test counts only where it ran on the GPUs (CUDA), not on CPU threads", \
                       .inconclusive = true)

/* Items that a training records: of all its steps; and what was trained, by what. */
#define PROBE_GPU_RECORDED(metric_)                  \
    {                                                \
        metric_, PER_TARGET, NULL, DUTY_RECORD, NULL \
    }
#define PROBE_GPU_TRAINING_RATES                                                          \
    PROBE_GPU_RECORDED("training.tokens"), PROBE_GPU_RECORDED("training.mfu"),            \
        PROBE_GPU_RECORDED("training.step"), PROBE_GPU_RECORDED("training.step.p99"),     \
        PROBE_GPU_RECORDED("training.step.worst"), PROBE_GPU_RECORDED("training.spread"), \
        PROBE_GPU_RECORDED("training.loss.first"), PROBE_GPU_RECORDED("training.loss.last")
#define PROBE_GPU_TRAINING_KIND                                                    \
    PROBE_GPU_RECORDED("training.scale"), PROBE_GPU_RECORDED("training.exchange"), \
        PROBE_GPU_RECORDED("probe.library"), PROBE_GPU_RECORDED("probe.program")

enum { PROBE_GPU_OPENING_S = 15 };

#endif
