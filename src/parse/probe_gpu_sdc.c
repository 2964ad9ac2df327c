/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu sdc: the same work on every SM.
 *
 * facts    sdc.digest (unit): what was right, the same on every like host
 *          sdc.answers (gpu0) = right | SM 17: tensor-bf16 from round 450 on in 31 rounds, bits 0x00001000
 * metrics  sdc.rounds (unit)   sdc.sms_wrong, sdc.sms_unreached (gpu0)
 * findings sdc.wrong (gpu0): which SM and unit, since when, which bits
 */
#include <math.h>

#include "assay/reasons/parse.h"
#include "probe_gpu.h"

static void take_unit(struct probe_gpu *probe, const struct json *line)
{
    const char *unit = json_string(line, "unit", ""), *digest = json_string(line, "digest", NULL);
    double rounds;

    if (!probe_gpu_count(probe, line, "rounds", 1e18, &rounds))
        return;
    probe->rows_seen++;
    reading_measure(probe->frame.reading, "sdc.rounds", unit, rounds, "");
    if (digest != NULL)
        reading_fact(probe->frame.reading, "sdc.digest", unit, slice_of(digest));
}

static void take_gpu(struct probe_gpu *probe, const struct json *line, unsigned gpu, const char *subject)
{
    struct reading *reading = probe->frame.reading;
    double sms, reached, wrong;

    (void)gpu;
    if (!probe_gpu_count(probe, line, "sms", 1e6, &sms) ||
        !probe_gpu_count(probe, line, "sms_reached", 1e6, &reached) ||
        !probe_gpu_count(probe, line, "sms_wrong", 1e6, &wrong))
        return;
    if (sms < 1) {
        probe->damage = REASON(gpu_not_expected);
        return;
    }
    probe->wrong_told += wrong;
    reading_measure(reading, "sdc.sms_wrong", subject, wrong, "");
    reading_measure(reading, "sdc.sms_unreached", subject, fmax(sms - reached, 0), "");
}

static void take_wrong(struct probe_gpu *probe, const struct json *line)
{
    struct arena *arena = probe->frame.reading->arena;
    const char *unit = json_string(line, "unit", "?"), *bits = json_string(line, "bits", "?");
    const char *from, *in, *which;
    double sm, first, rounds;
    unsigned gpu;

    if (probe_gpu_subject(probe, line, "wrong_gpu", &gpu) == NULL ||
        !probe_gpu_count(probe, line, "sm", 1e6, &sm) ||
        !probe_gpu_count(probe, line, "first_round", 1e18, &first) ||
        !probe_gpu_count(probe, line, "rounds", 1e18, &rounds))
        return;
    which = arena_printf(arena, "%.0f", sm);
    from = arena_printf(arena, "%.0f", first);
    in = arena_printf(arena, "%.0f", rounds);
    probe_gpu_wrong(probe, gpu, reason(arena, sm_wrong_from_round, which, unit, from, in, bits), "sdc.wrong",
                    reason(arena, sm_answers_wrong, which, unit, from, in, json_string(line, "got", "?"),
                           json_string(line, "expected", "?"), bits));
}

static void tell(struct probe_gpu *probe)
{
    probe_gpu_tell_wrong(probe, "sdc.answers", REASON(answers_right));
}

static const struct probe_gpu_kind kinds[] = {{"unit", take_unit}, {"wrong_gpu", take_wrong}, {0}};

const struct probe_gpu_test probe_gpu_sdc = {
    .name = "sdc", .prefix = "sdc", .announced = "units", .kinds = kinds, .gpu = take_gpu, .tell = tell};
