/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu sdc: the same work on every SM, the same words through every copy engine.
 *
 * facts    sdc.digest (unit): what was right, the same on every like host
 *          sdc.answers (gpu0) = right | SM 17: tensor-bf16 from round 450 on in 31 rounds, bits 0x00001000
 *          sdc.not_tried (unit): why; of a unit that the GPUs do not have
 * metrics  sdc.rounds (unit)   sdc.sms_wrong, sdc.sms_unreached (gpu0)
 * findings sdc.wrong (gpu0): which SM and unit, since when, which bits; of copies no SM, but to which GPU
 */
#include <math.h>

#include "assay/reasons/parse.h"
#include "probe_gpu.h"

static void take_unit(struct probe_gpu *probe, const struct json *line)
{
    const char *unit = json_string(line, "unit", ""), *digest = json_string(line, "digest", NULL);
    const char *not_tried = json_string(line, "not_tried", NULL);
    double rounds;

    if (not_tried == NULL && !probe_gpu_count(probe, line, "rounds", 1e18, &rounds))
        return;
    probe->rows_seen++;
    if (not_tried != NULL) {
        reading_fact(probe->frame.reading, "sdc.not_tried", unit, slice_of(not_tried));
        return;
    }
    reading_measure(probe->frame.reading, "sdc.rounds", unit, rounds, "");
    if (digest != NULL)
        reading_fact(probe->frame.reading, "sdc.digest", unit, slice_of(digest));
}

static void take_gpu(struct probe_gpu *probe, const struct json *line, unsigned gpu, const char *subject)
{
    struct reading *reading = probe->frame.reading;
    double sms, reached, wrong, copies = 0;

    (void)gpu;
    if (!probe_gpu_count(probe, line, "sms", 1e6, &sms) ||
        !probe_gpu_count(probe, line, "sms_reached", 1e6, &reached) ||
        !probe_gpu_count(probe, line, "sms_wrong", 1e6, &wrong) ||
        (json_get(line, "copies_wrong") != NULL &&
         !probe_gpu_count(probe, line, "copies_wrong", 1e6, &copies)))
        return;
    if (sms < 1) {
        probe->damage = REASON(gpu_not_expected);
        return;
    }
    probe->wrong_told += wrong + copies;
    reading_measure(reading, "sdc.sms_wrong", subject, wrong, "");
    reading_measure(reading, "sdc.sms_unreached", subject, fmax(sms - reached, 0), "");
}

/* What is said of a wrong answer, whoever gave it. */
struct wrong {
    const char *from, *in, *got, *expected, *bits;
};

static void tell_sm(struct probe_gpu *probe, unsigned gpu, double sm, const char *unit,
                    const struct wrong *wrong)
{
    struct arena *arena = probe->frame.reading->arena;
    const char *which = arena_printf(arena, "%.0f", sm);

    probe_gpu_wrong(probe, gpu,
                    reason(arena, sm_wrong_from_round, which, unit, wrong->from, wrong->in, wrong->bits),
                    "sdc.wrong",
                    reason(arena, sm_answers_wrong, which, unit, wrong->from, wrong->in, wrong->got,
                           wrong->expected, wrong->bits));
}

static void tell_copy(struct probe_gpu *probe, unsigned gpu, const char *what, const struct wrong *wrong)
{
    struct arena *arena = probe->frame.reading->arena;

    probe_gpu_wrong(probe, gpu,
                    reason(arena, copy_wrong_from_round, what, wrong->from, wrong->in, wrong->bits),
                    "sdc.wrong",
                    reason(arena, copy_brings_wrong_words, what, wrong->from, wrong->in, wrong->got,
                           wrong->expected, wrong->bits));
}

/* "peer gpu1->gpu5", else the unit's name; NULL where the other is no GPU. */
static const char *copy_of(struct probe_gpu *probe, const struct json *line, const char *from,
                           const char *unit)
{
    const char *to;
    unsigned peer;

    if (json_get(line, "peer") == NULL)
        return unit;
    to = probe_gpu_subject(probe, line, "peer", &peer);
    return to != NULL ? arena_printf(probe->frame.reading->arena, "%s %s->%s", unit, from, to) : NULL;
}

static void take_wrong(struct probe_gpu *probe, const struct json *line)
{
    struct arena *arena = probe->frame.reading->arena;
    const char *unit = json_string(line, "unit", "?"), *from, *what;
    struct wrong wrong = {.got = json_string(line, "got", "?"),
                          .expected = json_string(line, "expected", "?"),
                          .bits = json_string(line, "bits", "?")};
    double sm = 0, first, rounds;
    unsigned gpu;

    from = probe_gpu_subject(probe, line, "wrong_gpu", &gpu);
    if (from == NULL || !probe_gpu_count(probe, line, "first_round", 1e18, &first) ||
        !probe_gpu_count(probe, line, "rounds", 1e18, &rounds) ||
        (json_get(line, "sm") != NULL && !probe_gpu_count(probe, line, "sm", 1e6, &sm)))
        return;
    what = copy_of(probe, line, from, unit);
    wrong.from = arena_printf(arena, "%.0f", first);
    wrong.in = arena_printf(arena, "%.0f", rounds);
    if (json_get(line, "sm") != NULL)
        tell_sm(probe, gpu, sm, unit, &wrong);
    else if (what != NULL)
        tell_copy(probe, gpu, what, &wrong);
}

static void tell(struct probe_gpu *probe)
{
    probe_gpu_tell_wrong(probe, "sdc.answers", REASON(answers_right));
}

static const struct probe_gpu_kind kinds[] = {{"unit", take_unit}, {"wrong_gpu", take_wrong}, {0}};

const struct probe_gpu_test probe_gpu_sdc = {
    .name = "sdc", .prefix = "sdc", .announced = "units", .kinds = kinds, .gpu = take_gpu, .tell = tell};
