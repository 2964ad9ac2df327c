/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run has of the numbers that a training rests on: a table of quantities and of the metrics that stand for each, the
 * best first. Of two, the first that was measured counts, and the answer names it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/robust.h"
#include "assay/model/platform.h"
#include "assay/model/routes.h"
#include "assay/reasons/worth.h"
#include "assay/worth/worth.h"

enum { METRICS_MOST = 7 };

struct source {
    const char *metrics[METRICS_MOST]; /* NULL: no more */
    const struct reason *cautions[METRICS_MOST];
};

/* First the size at which the rates behind the efficiency of worth.h were taken. gpu_burn -tc calls cuBLAS for fp32 numbers on
   tensor cores, which is tf32 from the A100 on, and fp16 before (distrust_old_burns). It is no rate of bf16. */
static const struct source gemm_sources[WORTH_TYPES] = {
    [WORTH_BF16] = {{"gpu_compute.bf16.8192.random.warm", "gpu_compute.bf16.16384.random.warm"}, {NULL}},
    [WORTH_FP16] = {{"gpu_compute.fp16.8192.random.warm", "gpu_compute.fp16.16384.random.warm"}, {NULL}},
    [WORTH_FP8] = {{"gpu_compute.fp8.16384.random.warm", "gpu_compute.fp8.8192.random.warm"}, {NULL}},
    [WORTH_TF32] = {{"gpu_compute.tf32.8192.random.warm", "gpu_compute.tf32.16384.random.warm",
                     "gpu_burn.tensor.gflops"},
                    {NULL, NULL, REASON(worth_burn_is_tf32)}},
};
static const struct source hbm_source = {{"gpu_memory.triad", "gpu_memory.copy"}, {NULL}};
/* A reduce-scatter is an all-gather the other way round. An all-reduce is both in a row, but trees and switches do it too. */
static const struct source reduce_scatter_source = {
    {"nccl.reduce_scatter.busbw", "nccl.all_gather.busbw", "nccl.all_reduce.busbw"},
    {NULL, REASON(worth_other_way), REASON(worth_all_reduce_stands_in)}};
static const struct source all_gather_source = {
    {"nccl.all_gather.busbw", "nccl.reduce_scatter.busbw", "nccl.all_reduce.busbw"},
    {NULL, REASON(worth_other_way), REASON(worth_all_reduce_stands_in)}};

/* First what was read within the products themselves, in the types that a training computes in. A window may also be of a test that
   leaves the GPUs cold, and the largest of all is of the hottest one. */
static const struct source power_source = {{"gpu_compute.bf16.8192.power", "gpu_compute.bf16.16384.power",
                                            "gpu_compute.fp16.8192.power", "gpu_compute.fp8.16384.power",
                                            "gpu_compute.fp8.8192.power", "gpu_compute.tf32.8192.power",
                                            "window.power.max"},
                                           {NULL}};
/* Of its limit, between rest and load: an H200 of 700 W drew 80 W at rest and 691 W in products in bf16, and gpu_burn without
   tensor cores takes an H100 to 580 W and more. */
#define POWER_AT_WORK 0.5

static const struct worth_input nothing = {.value = NAN, .median = NAN};

struct measuring {
    struct arena *arena;
    const struct record *record;
    const struct platform **platforms;       /* by index in the plan's hosts; NULL: it is not known */
    LIST_OF(const struct outcome *) counted; /* of the metrics of all sources, in plan order */
};

static const struct step *step_of(const struct measuring *measuring, const struct outcome *outcome)
{
    return &measuring->record->plan->steps.items[outcome->step];
}

static const struct slot *slot_of(const struct measuring *measuring, const struct outcome *outcome)
{
    return &step_of(measuring, outcome)->shape->slots[outcome->slot];
}

static bool is_called_for(const struct source *source, const char *metric)
{
    for (size_t k = 0; k < METRICS_MOST && source->metrics[k] != NULL; k++)
        if (strcmp(source->metrics[k], metric) == 0)
            return true;
    return false;
}

/* Whether a source calls for the slot: of the millions of outcomes of a large run few are looked at. */
static size_t is_of_any_source(void *context, const struct shape *shape, const struct slot *slot)
{
    const char *metric = slot->metric;

    (void)context;
    (void)shape;
    for (size_t i = 0; i < WORTH_TYPES; i++)
        if (is_called_for(&gemm_sources[i], metric))
            return true;
    return is_called_for(&hbm_source, metric) || is_called_for(&reduce_scatter_source, metric) ||
           is_called_for(&all_gather_source, metric);
}

/* What only tells who is slow, or compares ways, is no number of the cluster as it works. */
static bool is_of_cluster(const struct step *step)
{
    return step->origin != ORIGIN_ISOLATE && !step_advises(step) && step->shape->variant[0] == '\0';
}

/* Nor is what nobody vouches for. */
static bool is_vouched_for(const struct outcome *outcome)
{
    return isfinite(outcome->value) && outcome->value > 0 && outcome->word != OUTCOME_INCONCLUSIVE &&
           outcome->word != OUTCOME_NOT_RUN;
}

static void take_counted(struct measuring *measuring)
{
    const struct judgement *judgement = &measuring->record->judgement;
    struct routes routes = {.arena = measuring->arena, .place_of = is_of_any_source};

    array_each (outcome, judgement->outcomes, judgement->outcome_count) {
        const struct step *step = step_of(measuring, outcome);

        if (is_vouched_for(outcome) && is_of_cluster(step) &&
            routes_of(&routes, step->shape)[outcome->slot] > 0)
            *list_push(measuring->arena, &measuring->counted) = outcome;
    }
}

static bool counts(const struct measuring *measuring, const struct outcome *outcome, const char *metric)
{
    return strcmp(slot_of(measuring, outcome)->metric, metric) == 0;
}

/* One value a GPU. */
struct gpu_value {
    const struct host *host;
    const char *subject;
    double value;
};
struct gpu_values {
    LIST_OF(struct gpu_value) items;
};

static void keep(struct arena *arena, struct gpu_values *values, const struct host *host, const char *subject,
                 double value)
{
    *list_push(arena, &values->items) = (struct gpu_value){host, subject, value};
}

static int by_gpu(const void *left, const void *right)
{
    const struct gpu_value *a = left, *b = right;
    int order = strcmp(a->host->name, b->host->name);

    return order != 0 ? order : strcmp(a->subject, b->subject);
}

/* One value for each GPU, the least of its own, or the largest; how many there are. */
static size_t fold(const struct gpu_values *values, bool least, double factor, double *folded)
{
    struct gpu_value *items = values->items.items;
    size_t count = 0;

    qsort(items, values->items.count, sizeof *items, by_gpu);
    for (size_t i = 0; i < values->items.count; i++) {
        double value = items[i].value * factor;

        if (i == 0 || by_gpu(&items[i - 1], &items[i]) != 0)
            folded[count++] = value;
        else if (least ? value < folded[count - 1] : value > folded[count - 1])
            folded[count - 1] = value;
    }
    return count;
}

/* mean: over GPUs of the largest of each, else the least of the least. There is at least one. */
static void summarise(struct arena *arena, const struct gpu_values *values, double factor, bool mean,
                      struct worth_input *input)
{
    double *folded = arena_array(arena, double, values->items.count), sum = 0;

    input->gpus = fold(values, !mean, factor, folded);
    input->value = INFINITY;
    for (size_t i = 0; i < input->gpus; i++) {
        sum += folded[i];
        input->value = fmin(input->value, folded[i]);
    }
    if (mean)
        input->value = sum / (double)input->gpus;
    input->median = robust_median(folded, input->gpus);
    input->origin = WORTH_MEASURED;
}

static struct worth_input of_gpus(const struct measuring *measuring, const struct source *source)
{
    struct worth_input input = nothing;

    for (size_t k = 0; k < METRICS_MOST && source->metrics[k] != NULL; k++) {
        struct gpu_values values = {0};

        for (size_t i = 0; i < measuring->counted.count; i++) {
            const struct outcome *outcome = measuring->counted.items[i];

            if (counts(measuring, outcome, source->metrics[k]))
                keep(measuring->arena, &values, step_of(measuring, outcome)->members[0],
                     slot_of(measuring, outcome)->subject, outcome->value);
        }
        if (values.items.count == 0)
            continue;
        input.metric = source->metrics[k];
        input.caution = source->cautions[k];
        summarise(measuring->arena, &values, strstr(input.metric, "gflops") != NULL ? 1e-3 : 1, false,
                  &input);
        return input;
    }
    return input;
}

static size_t gpus_of(const struct measuring *measuring, const struct step *step)
{
    const struct plan *plan = measuring->record->plan;
    size_t gpus = 0, hosts = plan->hosts.count,
           next = 0; /* members nearly always stand in the plan's order */

    for (size_t i = 0; i < step->member_count; i++) {
        size_t passed = 0, at = next;

        while (passed < hosts && plan->hosts.items[at % hosts] != step->members[i]) {
            passed++;
            at++;
        }
        if (passed == hosts)
            continue;
        next = at % hosts + 1;
        gpus += measuring->platforms[at % hosts] != NULL ? measuring->platforms[at % hosts]->gpu_count : 0;
    }
    return gpus;
}

/* The slowest test over as many hosts as any has, at its largest message. */
static struct worth_input of_collective(const struct measuring *measuring, const struct source *source)
{
    struct worth_input input = nothing;
    const struct step *widest = NULL;

    for (size_t k = 0; widest == NULL && k < METRICS_MOST && source->metrics[k] != NULL; k++)
        for (size_t i = 0; i < measuring->counted.count; i++) {
            const struct outcome *outcome = measuring->counted.items[i];
            const struct step *step = step_of(measuring, outcome);
            double size = slot_of(measuring, outcome)->size_bytes;

            if (!counts(measuring, outcome, source->metrics[k]) ||
                (widest != NULL && (step->member_count < widest->member_count ||
                                    (step->member_count == widest->member_count && size < input.size_bytes))))
                continue;
            if (widest == NULL || step->member_count > widest->member_count || size > input.size_bytes ||
                outcome->value < input.value)
                input = (struct worth_input){.origin = WORTH_MEASURED,
                                             .value = outcome->value,
                                             .median = outcome->value,
                                             .metric = source->metrics[k],
                                             .gpus = gpus_of(measuring, step),
                                             .size_bytes = size,
                                             .caution = source->cautions[k]};
            widest = step;
        }
    return input;
}

/* Of what attempts saw beside what they tested. */
static struct worth_input of_attempts(const struct measuring *measuring, const char *metric, double factor,
                                      bool mean)
{
    struct worth_input input = nothing;
    const struct record *record = measuring->record;
    struct gpu_values values = {0};

    list_each (attempt, record->attempts) {
        const struct step *step = &record->plan->steps.items[attempt->step];

        for (size_t k = 0; step->member_count == 1 && k < attempt->reading.measurements.count; k++) {
            const struct measurement *measurement = &attempt->reading.measurements.items[k];

            if (strcmp(measurement->metric, metric) == 0 && measurement->value > 0)
                keep(measuring->arena, &values, step->members[0], measurement->subject, measurement->value);
        }
    }
    if (values.items.count == 0)
        return input;
    input.metric = metric;
    summarise(measuring->arena, &values, factor, mean, &input);
    return input;
}

/* Whether a platform's document is what a hostfile calls so: by its name, or by the path of its file. */
static bool is_called(const char *name, const char *word)
{
    const char *file = strrchr(word, '/') != NULL ? strrchr(word, '/') + 1 : word;
    size_t length = strlen(name);

    return strcmp(name, word) == 0 ||
           (strncmp(name, file, length) == 0 && strcmp(file + length, ".json") == 0);
}

/* Where the hostfile calls none it is the suite's, and the only one. NULL: it is not known. */
static const struct platform *find_platform(struct arena *arena, const struct record *record,
                                            const char *word)
{
    list_each (document, record->documents) {
        struct error err = {0};

        if (strcmp(document->kind, "platform") == 0 && (word == NULL || is_called(document->name, word)))
            return platform_parse(arena, document->name, document->bytes, &err);
    }
    return NULL;
}

static bool same_word(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static void take_platforms(struct measuring *measuring, struct worth_measured *measured)
{
    const struct plan *plan = measuring->record->plan;
    double memory = INFINITY;
    bool one_kind = plan->hosts.count > 0;

    measuring->platforms = arena_array(measuring->arena, const struct platform *, plan->hosts.count + 1);
    for (size_t i = 0; i < plan->hosts.count; i++) {
        const char *name = plan->hosts.items[i]->platform;
        const struct platform *platform = i > 0 && same_word(plan->hosts.items[i - 1]->platform, name)
                                              ? measuring->platforms[i - 1]
                                              : find_platform(measuring->arena, measuring->record, name);

        measuring->platforms[i] = platform;
        one_kind &= platform == measuring->platforms[0];
        measured->gpus += platform != NULL ? platform->gpu_count : 0;
        memory = platform != NULL && platform->gpu_memory_gib > 0 ? fmin(memory, platform->gpu_memory_gib)
                                                                  : memory;
    }
    measured->hosts = (unsigned)plan->hosts.count;
    if (one_kind && measuring->platforms[0] != NULL && measuring->platforms[0]->gpu_models.count > 0)
        measured->model = measuring->platforms[0]->gpu_models.items[0];
    if (isfinite(memory))
        measured->inputs[WORTH_MEMORY] =
            (struct worth_input){.origin = WORTH_DECLARED, .value = memory, .median = memory};
}

/* The first that was measured under load. What is near rest is none: a bill by it would be far too low, and says so. */
static struct worth_input power_of(const struct measuring *measuring)
{
    const struct worth_input limit = of_attempts(measuring, "gpu.power_limit", 1, true);
    struct worth_input idle = nothing;

    for (size_t k = 0; k < METRICS_MOST; k++) {
        struct worth_input power = of_attempts(measuring, power_source.metrics[k], 1, true);

        if (power.origin != WORTH_MEASURED)
            continue;
        if (limit.origin != WORTH_MEASURED || power.value >= POWER_AT_WORK * limit.value)
            return power;
        idle.caution = reason(measuring->arena, worth_power_at_rest, power.metric,
                              arena_printf(measuring->arena, "%.4g", power.value),
                              arena_printf(measuring->arena, "%.4g", limit.value));
    }
    return idle;
}

/* A part that is not known, or has no tf32, burns in something else. */
static void distrust_old_burns(struct worth_measured *measured)
{
    struct worth_input *tf32 = &measured->gemm[WORTH_TF32];

    if (tf32->caution != NULL && isnan(worth_peak(measured->model, WORTH_TF32)))
        *tf32 = nothing;
}

void worth_measure(struct arena *arena, const struct record *record, struct worth_measured *ret_measured)
{
    struct measuring measuring = {.arena = arena, .record = record};
    struct worth_input memory;

    *ret_measured = (struct worth_measured){0};
    for (size_t i = 0; i < WORTH_QUANTITIES; i++)
        ret_measured->inputs[i] = nothing;
    take_platforms(&measuring, ret_measured);
    take_counted(&measuring);
    for (size_t i = 0; i < WORTH_TYPES; i++)
        ret_measured->gemm[i] = of_gpus(&measuring, &gemm_sources[i]);
    distrust_old_burns(ret_measured);
    ret_measured->inputs[WORTH_HBM] = of_gpus(&measuring, &hbm_source);
    ret_measured->inputs[WORTH_REDUCE_SCATTER] = of_collective(&measuring, &reduce_scatter_source);
    ret_measured->inputs[WORTH_ALL_GATHER] = of_collective(&measuring, &all_gather_source);
    ret_measured->inputs[WORTH_POWER] = power_of(&measuring);
    memory = of_attempts(&measuring, "gpu.memory_total", 1 / 1024.0, false);
    if (memory.origin == WORTH_MEASURED)
        ret_measured->inputs[WORTH_MEMORY] = memory;
    for (size_t i = 0; i < WORTH_TYPES; i++)
        if (ret_measured->gpus < ret_measured->gemm[i].gpus)
            ret_measured->gpus = (unsigned)ret_measured->gemm[i].gpus;
}

bool worth_type_measured(const struct worth_measured *measured, enum worth_type *ret_type)
{
    for (size_t i = 0; i < WORTH_TF32; i++)
        if (measured->gemm[i].origin == WORTH_MEASURED) {
            *ret_type = (enum worth_type)i;
            return true;
        }
    return false;
}
