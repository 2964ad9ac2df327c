/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "training_run.h"

static const struct training_step *step_of(const struct training_run *run, unsigned step, unsigned gpu)
{
    return &run->results[(size_t)step * run->probe->device_count + gpu];
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint64_t training_digest(const struct training_step *step)
{
    return work_mix(step->gradients + work_mix((uint64_t)bits_of(step->loss) + 1));
}

bool training_agreed(const struct training_run *run, unsigned step, unsigned *ret_gpu)
{
    const unsigned gpus = run->probe->device_count;

    for (unsigned gpu = 0; gpu < gpus; gpu++) {
        unsigned same = 0;

        for (unsigned other = 0; other < gpus; other++)
            same += training_digest(step_of(run, step, other)) == training_digest(step_of(run, step, gpu));
        if (2 * same > gpus) {
            *ret_gpu = gpu;
            return true;
        }
    }
    return false;
}

static void note(struct training_verdict *verdict, unsigned gpu, enum training_wrong what, unsigned step,
                 uint64_t got, uint64_t expected)
{
    struct training_errors *errors = &verdict->errors[gpu][what];

    if (errors->steps++ == 0) {
        errors->first = step;
        errors->got = got;
        errors->expected = expected;
    }
    verdict->wrong = true;
}

/* Who computed otherwise than most. Returns whether somebody did. */
static bool judge_answers(const struct training_run *run, unsigned step, unsigned right,
                          struct training_verdict *verdict)
{
    const struct training_step *expected = step_of(run, step, right);
    bool found = false;

    for (unsigned gpu = 0; gpu < run->probe->device_count; gpu++) {
        const struct training_step *got = step_of(run, step, gpu);
        const bool loss = bits_of(got->loss) != bits_of(expected->loss);

        if (!loss && got->gradients == expected->gradients)
            continue;
        found = true;
        verdict->steps_wrong[gpu]++;
        if (loss)
            note(verdict, gpu, TRAINING_LOSS, step, bits_of(got->loss), bits_of(expected->loss));
        else
            note(verdict, gpu, TRAINING_GRADIENTS, step, got->gradients, expected->gradients);
    }
    return found;
}

/* Where all sent the same, who got something else. */
static void judge_exchange(const struct training_run *run, unsigned step, struct training_verdict *verdict)
{
    for (unsigned gpu = 0; gpu < run->probe->device_count; gpu++) {
        const struct training_step *got = step_of(run, step, gpu);

        if (got->mismatched == 0 || !isfinite(got->loss))
            continue;
        verdict->steps_wrong[gpu]++;
        note(verdict, gpu, TRAINING_EXCHANGE, step, got->mismatched, 0);
    }
}

void training_judge(const struct training_run *run, struct training_verdict *ret_verdict)
{
    unsigned right;

    *ret_verdict = (struct training_verdict){0};
    for (unsigned step = 0; step < run->done; step++) {
        if (training_agreed(run, step, &right)) {
            if (!judge_answers(run, step, right, ret_verdict))
                judge_exchange(run, step, ret_verdict);
        } else if (!ret_verdict->disagreed) {
            ret_verdict->disagreed = true;
            ret_verdict->disagreed_step = step;
        }
    }
}

static double arrival(const struct training_run *run, unsigned step, unsigned bucket, unsigned gpu)
{
    const size_t buckets = training_buckets(&run->shape), gpus = run->probe->device_count;

    return run->arrivals[(step * buckets + bucket) * gpus + gpu];
}

static struct gpu_series *series_new(struct error *err)
{
    struct gpu_series *series = calloc(1, sizeof *series);

    if (series == NULL)
        (void)error_set(err, ERROR_INTERNAL, "no memory");
    return series;
}

/* At all exchanges after the warm-up. */
static void lateness(const struct training_run *run, unsigned gpu, struct gpu_series *series,
                     struct training_pace *pace)
{
    const unsigned gpus = run->probe->device_count;
    unsigned last = 0, all = 0;

    for (unsigned step = TRAINING_WARMUP; step < run->done; step++)
        for (unsigned bucket = 0; bucket < training_buckets(&run->shape); bucket++) {
            const double own = arrival(run, step, bucket, gpu);
            double first = own, latest = own;

            for (unsigned other = 0; other < gpus; other++) {
                first = fmin(first, arrival(run, step, bucket, other));
                latest = fmax(latest, arrival(run, step, bucket, other));
            }
            all++;
            last += gpus > 1 && own >= latest;
            if (series->count < GPU_WINDOWS_MOST)
                series->values[series->count++] =
                    100 * (own - first) / fmax(run->ends[step] - run->begins[step], 1e-9);
        }
    pace->last_percent = all > 0 ? 100.0 * last / all : 0;
    pace->late_percent = gpu_summarise(series).median;
}

int training_pace(const struct training_run *run, unsigned gpu, struct training_pace *ret_pace,
                  struct error *err)
{
    struct gpu_series *series = series_new(err);

    if (series == NULL)
        return -1;
    *ret_pace = (struct training_pace){0};
    for (unsigned step = TRAINING_WARMUP; step < run->done; step++)
        series->values[series->count++] = training_forward_operations(&run->shape) / 1e12 /
                                          fmax(arrival(run, step, 0, gpu) - run->begins[step], 1e-9);
    ret_pace->forward = gpu_summarise(series);
    series->count = 0;
    lateness(run, gpu, series, ret_pace);
    free(series);
    return 0;
}

int training_rates(const struct training_run *run, struct gpu_summary *ret_rates, struct error *err)
{
    struct gpu_series *series = series_new(err);

    if (series == NULL)
        return -1;
    for (unsigned step = TRAINING_WARMUP; step < run->done; step++)
        series->values[series->count++] =
            training_operations(&run->shape) / 1e12 / fmax(run->ends[step] - run->begins[step], 1e-9);
    *ret_rates = gpu_summarise(series);
    free(series);
    return 0;
}
