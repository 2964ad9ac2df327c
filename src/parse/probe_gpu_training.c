/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu training: steps of a transformer on all GPUs of a host together, or of several hosts.
 *
 * facts    training.scale = 8 layers of 4096, sequences of 2048, 4 at once   training.exchange = NCCL 2.27.3
 *          training.digest: of all losses and gradients, and what multiplied; the same on every like host
 *          training.losses = all are numbers | not a number in step 7
 *          training.answers (gpu0) = right | gradients from step 5 on in 3 steps
 * metrics  training.tflops, .tflops.p1 .least .best, .tokens, .mfu (where the part's peak is known), .step .step.p99
 *          .step.worst, .spread, .loss.first .loss.last   training.forward (gpu0), .forward.p1 .least .best, .late, .last
 * findings training.wrong (gpu0): what differs from its siblings, since when
 */
#include <math.h>
#include <string.h>

#include "assay/model/part.h"
#include "assay/reasons/parse.h"
#include "probe_gpu.h"

static const struct probe_gpu_metric whole[] = {
    {"tflops", "training.tflops", "TFLOP/s"},        {"p1", "training.tflops.p1", "TFLOP/s"},
    {"least", "training.tflops.least", "TFLOP/s"},   {"best", "training.tflops.best", "TFLOP/s"},
    {"tokens_per_s", "training.tokens", "tokens/s"}, {"step_ms", "training.step", "s", 1e3},
    {"p99_ms", "training.step.p99", "s", 1e3},       {"worst_ms", "training.step.worst", "s", 1e3},
    {"spread_percent", "training.spread", "%"},      {0},
};

static const struct probe_gpu_metric of_gpu[] = {
    {"tflops", "training.forward", "TFLOP/s"},
    {"p1", "training.forward.p1", "TFLOP/s"},
    {"least", "training.forward.least", "TFLOP/s"},
    {"best", "training.forward.best", "TFLOP/s"},
    {"late_percent", "training.late", "%"},
    {"last_percent", "training.last", "%"},
    {0},
};

static void take_head(struct probe_gpu *probe, const struct json *line)
{
    static const char *const keys[] = {"layers", "hidden", "sequence", "batch"};
    struct reading *reading = probe->frame.reading;
    const char *exchange = json_string(line, "exchange", NULL), *text[ARRAY_SIZE(keys)];
    double number;

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        if (!probe_gpu_count(probe, line, keys[i], 1e9, &number))
            return;
        text[i] = arena_printf(reading->arena, "%.0f", number);
    }
    reading_fact_said(reading, "training.scale", "",
                      reason(reading->arena, training_scale, text[0], text[1], text[2], text[3]));
    if (exchange != NULL)
        reading_fact(reading, "training.exchange", "", slice_of(exchange));
    probe->library = json_string(line, "library", "");
}

static void take_step(struct probe_gpu *probe, const struct json *line)
{
    const struct json *loss = json_get(line, "loss");
    double step;

    if (!probe_gpu_count(probe, line, "step", PROBE_ROWS_MOST, &step) || loss == NULL)
        return;
    if (loss->type != JSON_NUMBER && loss->type != JSON_NULL) {
        probe->damage = reason(probe->frame.reading->arena, number_cannot_be_true, "loss");
        return;
    }
    probe->rows_seen++;
    if (loss->type == JSON_NULL) {
        if (probe->not_a_number++ == 0)
            probe->first_not_a_number = step;
        return;
    }
    if (probe->losses++ == 0)
        probe->first_loss = loss->number;
    probe->last_loss = loss->number;
}

static void take_whole(struct probe_gpu *probe, const struct json *line)
{
    struct reading *reading = probe->frame.reading;
    const char *digest = json_string(line, "digest", NULL);

    probe->rows_seen++;
    probe_gpu_measure(probe, line, whole, "");
    probe->tflops = json_number(line, "tflops", 0);
    if (digest != NULL && probe->library != NULL)
        reading_fact(reading, "training.digest", "",
                     slice_of(*probe->library == '\0'
                                  ? digest
                                  : arena_printf(reading->arena, "%s (%s)", digest, probe->library)));
}

static void take_gpu(struct probe_gpu *probe, const struct json *line, unsigned gpu, const char *subject)
{
    double wrong;

    (void)gpu;
    if (!probe_gpu_count(probe, line, "steps_wrong", 1e9, &wrong))
        return;
    probe->wrong_told += wrong;
    probe_gpu_measure(probe, line, of_gpu, subject);
    if (probe->part == NULL)
        probe->part = json_string(line, "name", NULL);
}

static void take_wrong(struct probe_gpu *probe, const struct json *line)
{
    static const char *const kinds[] = {"loss", "gradients", "exchange", NULL};
    struct arena *arena = probe->frame.reading->arena;
    const char *what = probe_gpu_one_of(probe, line, "what", kinds), *from, *in;
    const char *got = json_string(line, "got", "?"), *expected = json_string(line, "expected", "?");
    const struct reason *name;
    double first, steps;
    unsigned gpu;

    if (what == NULL || probe_gpu_subject(probe, line, "wrong_gpu", &gpu) == NULL ||
        !probe_gpu_count(probe, line, "first_step", 1e9, &first) ||
        !probe_gpu_count(probe, line, "steps", 1e9, &steps))
        return;
    from = arena_printf(arena, "%.0f", first);
    in = arena_printf(arena, "%.0f", steps);
    name = what == kinds[0]   ? REASON(training_loss)
           : what == kinds[1] ? REASON(training_gradients)
                              : REASON(training_sums);
    probe_gpu_wrong(probe, gpu, reason(arena, training_wrong_from_step, name, from, in), "training.wrong",
                    what == kinds[2] ? reason(arena, training_sums_wrong, from, in, got)
                                     : reason(arena, training_answers_wrong, name, from, in, got, expected));
}

/* Model FLOP utilisation: of what the datasheet says that the part could. */
static void tell_utilisation(struct probe_gpu *probe)
{
    const double peak = part_peak(probe->part, PART_BF16);

    if (!(probe->tflops > 0) || isnan(peak))
        return;
    if (probe->tflops > peak)
        probe->damage = reason(probe->frame.reading->arena, number_cannot_be_true, "tflops");
    else
        reading_measure(probe->frame.reading, "training.mfu", "", 100 * probe->tflops / peak, "%");
}

static void tell(struct probe_gpu *probe)
{
    struct reading *reading = probe->frame.reading;

    probe_gpu_tell_wrong(probe, "training.answers", REASON(answers_right));
    tell_utilisation(probe);
    if (probe->not_a_number > 0)
        reading_fact_said(reading, "training.losses", "",
                          reason(reading->arena, training_loss_no_number,
                                 arena_printf(reading->arena, "%.0f", probe->first_not_a_number)));
    else if (probe->losses > 0)
        reading_fact_said(reading, "training.losses", "", REASON(training_losses_numbers));
    if (probe->losses > 0 && probe->not_a_number == 0) {
        reading_measure(reading, "training.loss.first", "", probe->first_loss, "");
        reading_measure(reading, "training.loss.last", "", probe->last_loss, "");
    }
}

static const struct probe_gpu_kind kinds[] = {
    {"step", take_step}, {"training", take_whole}, {"wrong_gpu", take_wrong}, {0}};

const struct probe_gpu_test probe_gpu_training = {.name = "training",
                                                  .prefix = "training",
                                                  .announced = "rows",
                                                  .kinds = kinds,
                                                  .head = take_head,
                                                  .gpu = take_gpu,
                                                  .tell = tell};
