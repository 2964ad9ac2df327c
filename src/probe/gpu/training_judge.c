/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "training_run.h"

static const struct training_step *step_of(const struct training_run *run, unsigned step, unsigned gpu)
{
    return &run->results[(size_t)step * run->gpus + gpu];
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

/* Who is left when different ones are struck out in pairs: if one has the majority, it is that one (Boyer and Moore). */
static unsigned candidate(const struct training_run *run, unsigned step)
{
    unsigned gpu = 0, ahead = 0;

    for (unsigned other = 0; other < run->gpus; other++) {
        if (ahead == 0)
            gpu = other;
        if (training_digest(step_of(run, step, other)) == training_digest(step_of(run, step, gpu)))
            ahead++;
        else
            ahead--;
    }
    return gpu;
}

bool training_agreed(const struct training_run *run, unsigned step, unsigned *ret_gpu)
{
    const unsigned gpu = candidate(run, step);
    unsigned same = 0;

    for (unsigned other = 0; other < run->gpus; other++)
        same += training_digest(step_of(run, step, other)) == training_digest(step_of(run, step, gpu));
    *ret_gpu = gpu;
    return 2 * same > run->gpus;
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

    for (unsigned gpu = 0; gpu < run->gpus; gpu++) {
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
    for (unsigned gpu = 0; gpu < run->gpus; gpu++) {
        const struct training_step *got = step_of(run, step, gpu);

        if (got->mismatched == 0 || !isfinite(got->loss))
            continue;
        verdict->steps_wrong[gpu]++;
        note(verdict, gpu, TRAINING_EXCHANGE, step, got->mismatched, 0);
    }
}

void training_verdict_free(struct training_verdict *verdict)
{
    free(verdict->errors);
    free(verdict->steps_wrong);
}

int training_judge(const struct training_run *run, struct training_verdict *ret_verdict, struct error *err)
{
    unsigned right;

    *ret_verdict = (struct training_verdict){
        .errors = calloc(run->gpus, sizeof *ret_verdict->errors),
        .steps_wrong = calloc(run->gpus, sizeof *ret_verdict->steps_wrong),
    };
    if (ret_verdict->errors == NULL || ret_verdict->steps_wrong == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory");
    for (unsigned step = 0; step < run->done; step++) {
        if (training_agreed(run, step, &right)) {
            if (!judge_answers(run, step, right, ret_verdict))
                judge_exchange(run, step, ret_verdict);
        } else if (!ret_verdict->disagreed) {
            ret_verdict->disagreed = true;
            ret_verdict->disagreed_step = step;
        }
    }
    return 0;
}

static double arrival(const struct training_run *run, unsigned step, unsigned bucket, unsigned gpu)
{
    const size_t buckets = training_buckets(&run->shape), gpus = run->gpus;

    return run->arrivals[(step * buckets + bucket) * gpus + gpu];
}

static struct gpu_series *series_new(struct error *err)
{
    struct gpu_series *series = calloc(1, sizeof *series);

    if (series == NULL)
        (void)error_set(err, ERROR_INTERNAL, "no memory");
    return series;
}

/* When the first and the last GPU came to an exchange. */
struct meeting {
    double first, last;
};

static struct meeting meeting_at(const struct training_run *run, unsigned step, unsigned bucket)
{
    struct meeting meeting = {HUGE_VAL, 0};

    for (unsigned gpu = 0; gpu < run->gpus; gpu++) {
        meeting.first = fmin(meeting.first, arrival(run, step, bucket, gpu));
        meeting.last = fmax(meeting.last, arrival(run, step, bucket, gpu));
    }
    return meeting;
}

/* At all exchanges after the warm-up; meetings: of these. */
static void lateness(const struct training_run *run, unsigned gpu, const struct meeting *meetings,
                     struct gpu_series *series, struct training_pace *pace)
{
    unsigned last = 0, all = 0;

    series->count = 0;
    for (unsigned step = TRAINING_WARMUP; step < run->done; step++)
        for (unsigned bucket = 0; bucket < training_buckets(&run->shape); bucket++) {
            const struct meeting *meeting = &meetings[all++];
            const double own = arrival(run, step, bucket, gpu);

            last += run->gpus > 1 && own >= meeting->last;
            if (series->count < GPU_WINDOWS_MOST)
                series->values[series->count++] = 100 * (own - meeting->first) / fmax(run->took[step], 1e-9);
        }
    pace->last_percent = all > 0 ? 100.0 * last / all : 0;
    pace->late_percent = gpu_summarise(series).median;
}

static void forward(const struct training_run *run, unsigned gpu, struct gpu_series *series,
                    struct training_pace *pace)
{
    series->count = 0;
    for (unsigned step = TRAINING_WARMUP; step < run->done; step++)
        series->values[series->count++] =
            training_forward_operations(&run->shape) / 1e12 / fmax(arrival(run, step, 0, gpu), 1e-9);
    pace->forward = gpu_summarise(series);
}

int training_paces(const struct training_run *run, struct training_pace *ret_paces, struct error *err)
{
    struct gpu_series *series = series_new(err);
    struct meeting *meetings = calloc((size_t)run->steps * training_buckets(&run->shape), sizeof *meetings);
    size_t count = 0;
    int status = -1;

    if (meetings == NULL)
        (void)error_set(err, ERROR_INTERNAL, "no memory");
    if (series != NULL && meetings != NULL) {
        for (unsigned step = TRAINING_WARMUP; step < run->done; step++)
            for (unsigned bucket = 0; bucket < training_buckets(&run->shape); bucket++)
                meetings[count++] = meeting_at(run, step, bucket);
        for (unsigned gpu = 0; gpu < run->gpus; gpu++) {
            forward(run, gpu, series, &ret_paces[gpu]);
            lateness(run, gpu, meetings, series, &ret_paces[gpu]);
        }
        status = 0;
    }
    free(series);
    free(meetings);
    return status;
}

int training_rates(const struct training_run *run, struct gpu_summary *ret_rates, struct error *err)
{
    struct gpu_series *series = series_new(err);

    if (series == NULL)
        return -1;
    for (unsigned step = TRAINING_WARMUP; step < run->done; step++)
        series->values[series->count++] =
            training_operations(&run->shape) / 1e12 / fmax(run->took[step], 1e-9);
    *ret_rates = gpu_summarise(series);
    free(series);
    return 0;
}
