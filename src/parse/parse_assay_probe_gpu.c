/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own probe of GPUs, assay-probe-gpu: a line of JSON each for what was tested, the units, the GPUs, each SM that answered
 * wrong, and the end. The head says how many units and GPUs will come, and the end that all was done.
 *
 * facts    probe.program .backend .architecture .cuda .driver   sdc.digest (unit): what was right, the same on every like host
 *          sdc.uuid (gpu0)   sdc.answers (gpu0) = right | SM 17: tensor-bf16 from round 450 on in 31 rounds, bits 0x00001000
 * metrics  sdc.rounds (unit)   sdc.sms_wrong, sdc.sms_unreached (gpu0)
 * findings sdc.wrong (gpu0): which SM and unit, since when, which bits
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"

enum { MAX_GPUS = 64, MAX_UNITS = 64 };

struct probe_gpu {
    struct frame frame;
    double gpus, units; /* as announced */
    unsigned gpus_seen, units_seen;
    bool gpu_seen[MAX_GPUS];
    const struct reason *answers[MAX_GPUS]; /* the first that were wrong; NULL: none */
    unsigned wrong_of[MAX_GPUS];            /* lines of SMs of the GPU that were wrong */
    double wrong_told, wrong_lines;         /* SMs by their GPUs' lines; lines of SMs that were wrong */
    const struct reason *damage;            /* why the text cannot be whole */
    bool seen, began, ended, ended_wrong;
};

/* A whole number that must be there. */
static bool take_count(struct probe_gpu *probe, const struct json *line, const char *key, double most,
                       double *ret_number)
{
    const struct json *value = json_get(line, key);

    if (value == NULL || value->type != JSON_NUMBER || value->number < 0 || value->number > most ||
        value->number != floor(value->number)) {
        probe->damage = reason(probe->frame.reading->arena, number_cannot_be_true, key);
        return false;
    }
    *ret_number = value->number;
    return true;
}

static void take_head(struct probe_gpu *probe, const struct json *head)
{
    static const char *const facts[] = {"program", "backend", "architecture", "cuda", "driver", "test"};
    struct reading *reading = probe->frame.reading;
    double version;

    if (probe->began)
        probe->damage = REASON(more_than_one_run);
    probe->began = true;
    if (!take_count(probe, head, "assay_probe_gpu", 1e9, &version) ||
        !take_count(probe, head, "gpus", MAX_GPUS, &probe->gpus) ||
        !take_count(probe, head, "units", MAX_UNITS, &probe->units))
        return;
    if (version != 1 || strcmp(json_string(head, "test", ""), "sdc") != 0)
        probe->damage = REASON(other_probe_version_or_test);
    for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
        if (json_string(head, facts[i], NULL) != NULL)
            reading_fact(reading, arena_printf(reading->arena, "probe.%s", facts[i]), "",
                         slice_of(json_string(head, facts[i], "")));
    if (json_boolean(head, "injected", false))
        reading_finding(reading, SEVERITY_WARNING, "sdc.injected", "", REASON(answers_wrong_on_purpose));
}

static void take_unit(struct probe_gpu *probe, const struct json *line)
{
    const char *unit = json_string(line, "unit", ""), *digest = json_string(line, "digest", NULL);
    double rounds;

    if (!take_count(probe, line, "rounds", 1e18, &rounds))
        return;
    probe->units_seen++;
    reading_measure(probe->frame.reading, "sdc.rounds", unit, rounds, "");
    if (digest != NULL)
        reading_fact(probe->frame.reading, "sdc.digest", unit, slice_of(digest));
}

static void take_gpu(struct probe_gpu *probe, const struct json *line)
{
    struct reading *reading = probe->frame.reading;
    const char *uuid = json_string(line, "uuid", NULL), *subject;
    double gpu, sms, reached, wrong;

    if (!take_count(probe, line, "gpu", MAX_GPUS - 1, &gpu) || !take_count(probe, line, "sms", 1e6, &sms) ||
        !take_count(probe, line, "sms_reached", 1e6, &reached) ||
        !take_count(probe, line, "sms_wrong", 1e6, &wrong))
        return;
    if (probe->gpu_seen[(size_t)gpu] || gpu >= probe->gpus || sms < 1) {
        probe->damage = REASON(gpu_not_expected);
        return;
    }
    probe->gpu_seen[(size_t)gpu] = true;
    probe->gpus_seen++;
    probe->wrong_told += wrong;
    subject = arena_printf(reading->arena, "gpu%.0f", gpu);
    reading_measure(reading, "sdc.sms_wrong", subject, wrong, "");
    reading_measure(reading, "sdc.sms_unreached", subject, fmax(sms - reached, 0), "");
    if (uuid != NULL)
        reading_fact(reading, "sdc.uuid", subject, slice_of(uuid));
}

static void take_wrong(struct probe_gpu *probe, const struct json *line)
{
    struct reading *reading = probe->frame.reading;
    double gpu, sm, first, rounds;

    if (!take_count(probe, line, "wrong_gpu", MAX_GPUS - 1, &gpu) ||
        !take_count(probe, line, "sm", 1e6, &sm) || !take_count(probe, line, "first_round", 1e18, &first) ||
        !take_count(probe, line, "rounds", 1e18, &rounds))
        return;
    probe->wrong_lines++;
    if (probe->wrong_of[(size_t)gpu]++ == 0)
        probe->answers[(size_t)gpu] =
            reason(reading->arena, sm_wrong_from_round, arena_printf(reading->arena, "%.0f", sm),
                   json_string(line, "unit", "?"), arena_printf(reading->arena, "%.0f", first),
                   arena_printf(reading->arena, "%.0f", rounds), json_string(line, "bits", "?"));
    reading_finding(reading, SEVERITY_FAULT, "sdc.wrong", arena_printf(reading->arena, "gpu%.0f", gpu),
                    reason(reading->arena, sm_answers_wrong, arena_printf(reading->arena, "%.0f", sm),
                           json_string(line, "unit", "?"), arena_printf(reading->arena, "%.0f", first),
                           arena_printf(reading->arena, "%.0f", rounds), json_string(line, "got", "?"),
                           json_string(line, "expected", "?"), json_string(line, "bits", "?")));
}

static void take_end(struct probe_gpu *probe, const struct json *line)
{
    const char *how = json_string(line, "end", ""), *reason = json_string(line, "reason", NULL);

    probe->ended = true;
    probe->ended_wrong = strcmp(how, "wrong") == 0;
    if (probe->ended_wrong && reason != NULL)
        reading_finding(probe->frame.reading, SEVERITY_FAULT, "sdc.disagree", "",
                        reason(probe->frame.reading->arena, text, reason));
    else if (strcmp(how, "stopped") == 0)
        reading_lacks(probe->frame.reading,
                      reason(probe->frame.reading->arena, text, reason != NULL ? reason : how));
    else if (!probe->ended_wrong && strcmp(how, "ok") != 0 && strcmp(how, "incomplete") != 0)
        frame_fail(&probe->frame, slice_of(reason != NULL ? reason : how));
}

static const struct {
    const char *key;
    void (*take)(struct probe_gpu *probe, const struct json *line);
} kinds[] = {{"assay_probe_gpu", take_head},
             {"unit", take_unit},
             {"gpu", take_gpu},
             {"wrong_gpu", take_wrong},
             {"end", take_end}};

static void take_line(struct probe_gpu *probe, struct slice text, size_t kind)
{
    struct error err = {0};
    const struct json *line = json_parse(probe->frame.reading->arena, "line", text.bytes, text.length, &err);

    probe->seen = true;
    if (line == NULL)
        probe->damage = reason(probe->frame.reading->arena, text, err.text);
    else if (probe->ended)
        probe->damage = REASON(more_after_the_end);
    else if (!probe->began && kinds[kind].take != take_head && kinds[kind].take != take_end)
        probe->damage = REASON(beginning_missing);
    else
        kinds[kind].take(probe, line);
}

/* By the first key of a line. */
static void read_line(void *state, struct slice line)
{
    struct slice rest = line;

    if (!scan_text(&rest, "{\""))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        size_t length = strlen(kinds[i].key);

        if (slice_starts(rest, kinds[i].key) && slice_starts(slice_from(rest, length), "\": ")) {
            take_line(state, line, i);
            return;
        }
    }
}

static void tell_answers(const struct probe_gpu *probe)
{
    struct reading *reading = probe->frame.reading;

    for (unsigned gpu = 0; gpu < MAX_GPUS; gpu++) {
        const struct reason *answers = probe->answers[gpu];

        if (!probe->gpu_seen[gpu])
            continue;
        if (probe->wrong_of[gpu] > 1)
            answers = reason(reading->arena, and_more, answers, probe->wrong_of[gpu] - 1);
        reading_fact_said(reading, "sdc.answers", arena_printf(reading->arena, "gpu%u", gpu),
                          answers != NULL ? answers : REASON(answers_right));
    }
}

static void end(void *state)
{
    struct probe_gpu *probe = state;
    struct reading *reading = probe->frame.reading;

    /* Of what is cut nobody knows whether more was wrong. */
    if (probe->ended)
        tell_answers(probe);
    if (!probe->seen)
        reading_strange(reading, REASON(no_probe_gpu_output));
    if (probe->damage != NULL)
        reading_lacks(reading, probe->damage);
    if (!probe->ended)
        reading_lacks(reading, REASON(probe_end_missing));
    if (!probe->began || probe->gpus_seen != probe->gpus || probe->units_seen != probe->units)
        reading_lacks(reading, reason(reading->arena, gpus_or_units_missing, probe->gpus_seen,
                                      arena_printf(reading->arena, "%.0f", probe->gpus), probe->units_seen,
                                      arena_printf(reading->arena, "%.0f", probe->units)));
    if ((probe->wrong_told > 0) != (probe->wrong_lines > 0) ||
        (probe->wrong_lines > 0 && !probe->ended_wrong))
        reading_lacks(reading, REASON(end_and_gpus_differ));
}

static const struct metric metrics[] = {
    {"sdc.sms_wrong", "", BETTER_LOWER, "SMs of the GPU that gave a wrong answer"},
    {"sdc.sms_unreached", "", BETTER_LOWER, "SMs of the GPU that no work ran on"},
    {"sdc.rounds", "", BETTER_NEITHER, "rounds that were compared"},
    {NULL},
};

const struct parser parse_assay_probe_gpu = {
    .name = "assay-probe-gpu",
    .version = 1,
    .summary = "assay-probe-gpu: whether every SM of every GPU gives the same, right answer",
    .metrics = metrics,
    .grammar =
        &(const struct grammar){.state_bytes = sizeof(struct probe_gpu), .line = read_line, .end = end},
};
