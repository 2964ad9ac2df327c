/* SPDX-License-Identifier: Apache-2.0 */
/* The model of worth.h, in its order and its letters. */
#include "assay/worth/worth.h"

#include <math.h>

#include "assay/reasons/worth.h"

static const double DAY_S = 86400, HOUR_S = 3600, GIB = 1073741824.0;
static const double GRADIENT_BYTES = 4, PARAMETER_BYTES = 2, OPTIMIZER_BYTES = 12, ADAM_BYTES = 30;
static const double STATE_BYTES = 18; /* the sum of the first three: all of the state, wherever it lies */
static const double ROOM_FOR_STATE = 0.5;
static const double DENSE_LOW = 0.35, MIXTURE_LOW = 0.25, PUBLIC_HIGH = 0.59;
static const double PUBLIC_GPU_HOURS = 16384.0 * 54 * 24, PUBLIC_INTERRUPTIONS = 419;
static const double CHECKPOINT_S = 10, RESTART_S = 600, BATCH_TOKENS = 4e6;
static const double GPUS_MOST = 1e7; /* nobody has more */

static struct worth_value value_or(double given, enum worth_origin otherwise, double value)
{
    return given > 0 ? (struct worth_value){WORTH_GIVEN, given} : (struct worth_value){otherwise, value};
}

static bool is_known(const struct worth_answer *answer, enum worth_quantity quantity)
{
    return answer->inputs[quantity].origin != WORTH_NOT_MEASURED;
}

/* -- What is asked, and with what it is answered -------------------------------------------------------- */

static void take_inputs(const struct worth_measured *measured, const struct worth_question *question,
                        struct worth_answer *answer)
{
    for (size_t i = 0; i < WORTH_QUANTITIES; i++) {
        answer->inputs[i] = i == WORTH_GEMM ? measured->gemm[question->type] : measured->inputs[i];
        if (question->given[i] > 0)
            answer->inputs[i] = (struct worth_input){
                .origin = WORTH_GIVEN, .value = question->given[i], .median = question->given[i]};
    }
}

/* Over one host NVLinks carry what adapters carry between hosts: a test of one host says nothing of several. */
static void distrust_short_tests(struct worth_answer *answer)
{
    for (size_t i = WORTH_REDUCE_SCATTER; i <= WORTH_ALL_GATHER; i++) {
        struct worth_input *input = &answer->inputs[i];

        if (input->origin != WORTH_MEASURED || (double)input->gpus >= answer->gpus.value)
            continue;
        answer->beyond_measured = true;
        if ((double)input->gpus <= answer->host_gpus)
            *input = (struct worth_input){.value = NAN, .median = NAN};
    }
}

static void take_values(const struct worth_measured *measured, const struct worth_question *question,
                        struct worth_answer *answer)
{
    double peak = worth_peak(measured->model, question->type);

    answer->question = question;
    answer->mixture = question->activated > 0 && question->activated < question->parameters;
    answer->batch_tokens = value_or(question->batch_tokens, WORTH_ASSUMED, BATCH_TOKENS);
    answer->gpus = value_or(question->gpus, WORTH_MEASURED, measured->gpus);
    answer->host_gpus_known = measured->hosts > 0 && measured->gpus >= measured->hosts;
    answer->host_gpus = answer->host_gpus_known ? (double)measured->gpus / measured->hosts : 1;
    answer->gpu_mtbf_h =
        value_or(question->gpu_mtbf_h, WORTH_PUBLISHED, PUBLIC_GPU_HOURS / PUBLIC_INTERRUPTIONS);
    answer->checkpoint_s = value_or(question->checkpoint_s, WORTH_ASSUMED, CHECKPOINT_S);
    answer->restart_s = value_or(question->restart_s, WORTH_ASSUMED, RESTART_S);
    answer->pue = value_or(question->pue, WORTH_ASSUMED, 1);
    answer->host_watts = value_or(question->host_watts, WORTH_ASSUMED, 0);
    answer->peak = value_or(question->peak_tflops, isnan(peak) ? WORTH_NOT_MEASURED : WORTH_PUBLISHED, peak);
    answer->efficiency_from = question->efficiency_low > 0 ? WORTH_GIVEN : WORTH_PUBLISHED;
    answer->efficiency = question->efficiency_low > 0
                             ? (struct worth_range){question->efficiency_low, question->efficiency_high}
                             : (struct worth_range){answer->mixture ? MIXTURE_LOW : DENSE_LOW, PUBLIC_HIGH};
    take_inputs(measured, question, answer);
    distrust_short_tests(answer);
}

/* m of worth.h; 0: no number of them does. */
static double split_of(const struct worth_answer *answer, double gpus)
{
    double parameters = answer->question->parameters,
           room = answer->inputs[WORTH_MEMORY].value * GIB * ROOM_FOR_STATE;

    for (double split = 1; split <= gpus; split *= 2)
        if ((GRADIENT_BYTES + PARAMETER_BYTES) * parameters / split + OPTIMIZER_BYTES * parameters / gpus <=
            room)
            return split;
    return 0;
}

/* -- What cannot be: NULL, or why ---------------------------------------------------------------------- */

static bool is_whole(double number)
{
    return number == floor(number);
}

static const char *whole(struct arena *arena, double value)
{
    return arena_printf(arena, "%.0f", value);
}

static const struct reason *check_model(struct arena *arena, const struct worth_question *question)
{
    bool some = question->layers > 0 || question->hidden > 0 || question->sequence > 0;
    bool all = question->layers > 0 && question->hidden > 0 && question->sequence > 0;

    if (!(question->parameters >= 1) || !isfinite(question->parameters))
        return reason(arena, worth_no_model, worth_amount(arena, question->parameters));
    if (!(question->tokens >= 1) || !isfinite(question->tokens))
        return reason(arena, worth_no_training, worth_amount(arena, question->tokens));
    if (question->activated > question->parameters)
        return reason(arena, worth_too_many_active, worth_amount(arena, question->parameters),
                      worth_amount(arena, question->activated));
    return some && !all ? REASON(worth_half_a_shape) : NULL;
}

static const struct reason *check_batch(struct arena *arena, const struct worth_answer *answer)
{
    const struct worth_question *question = answer->question;
    double batch = answer->batch_tokens.value, replicas = answer->gpus.value / answer->model_parallel.value;

    if (question->tokens < batch)
        return reason(arena, worth_less_than_a_batch, worth_amount(arena, question->tokens),
                      worth_amount(arena, batch));
    if (question->sequence > batch)
        return reason(arena, worth_no_sequence, worth_amount(arena, batch),
                      worth_amount(arena, question->sequence));
    if (question->sequence > 0 && batch / question->sequence < floor(replicas))
        return reason(arena, worth_too_few_sequences, worth_amount(arena, batch),
                      whole(arena, floor(batch / question->sequence)), whole(arena, floor(replicas)));
    return NULL;
}

/* And over how many GPUs the model is split. */
static const struct reason *check_memory(struct arena *arena, struct worth_answer *answer)
{
    double state = STATE_BYTES * answer->question->parameters, gpus = answer->gpus.value,
           memory = answer->inputs[WORTH_MEMORY].value * GIB, split;

    if (is_known(answer, WORTH_MEMORY) && state > gpus * memory)
        return reason(arena, worth_state_too_large, worth_amount(arena, answer->question->parameters),
                      whole(arena, state / GIB), whole(arena, gpus), whole(arena, gpus * memory / GIB));
    split = is_known(answer, WORTH_MEMORY) ? split_of(answer, gpus) : 1;
    if (split < 1)
        split = exp2(floor(log2(gpus)));
    answer->model_parallel = value_or(answer->question->model_parallel, WORTH_ASSUMED, split);
    if (answer->model_parallel.value > gpus || answer->model_parallel.value < 1)
        return reason(arena, worth_split_too_large, worth_amount(arena, answer->model_parallel.value),
                      whole(arena, gpus));
    return NULL;
}

static const struct reason *check_machine(struct arena *arena, const struct worth_answer *answer)
{
    const struct worth_input *gemm = &answer->inputs[WORTH_GEMM];
    const char *type = worth_type_name(answer->question->type);

    if (!is_known(answer, WORTH_GEMM))
        return reason(arena, worth_no_gemm, type);
    if (!(answer->gpus.value >= 1) || answer->gpus.value > GPUS_MOST || !is_whole(answer->gpus.value))
        return reason(arena, worth_no_gpus, arena_printf(arena, "%.6g", answer->gpus.value),
                      whole(arena, GPUS_MOST));
    if (gemm->value > answer->peak.value)
        return reason(arena, worth_above_peak, arena_printf(arena, "%.4g", gemm->value), type,
                      arena_printf(arena, "%.4g", answer->peak.value));
    if (answer->host_watts.value > 0 && !answer->host_gpus_known)
        return REASON(worth_host_watts_of_what);
    if (answer->pue.value < 1)
        return reason(arena, worth_no_pue, answer->pue.value);
    return NULL;
}

/* -- The model -------------------------------------------------------------------------------------------- */

/* Of the numbers of GPUs that the answer stands for; what they would need together fits, or was refused. */
static void reckon_step(struct worth_answer *answer, double gpus, double split)
{
    const struct worth_question *question = answer->question;
    double replicas = gpus / split, work = answer->flop_token * answer->batch_tokens.value / gpus;
    double sharers = gpus > answer->host_gpus ? fmin(split, answer->host_gpus) : 1;
    double exchanged = question->parameters / split * sharers * fmax(0, 1 - 1 / replicas);

    answer->compute_s = work / (answer->inputs[WORTH_GEMM].value * 1e12);
    answer->exchange_s = exchanged / 1e9 *
                         (GRADIENT_BYTES / answer->inputs[WORTH_REDUCE_SCATTER].value +
                          PARAMETER_BYTES / answer->inputs[WORTH_ALL_GATHER].value);
    if (replicas <= 1)
        answer->exchange_s = 0;
    answer->exposed_s =
        isnan(answer->exchange_s) ? (double)NAN : fmax(0, answer->exchange_s - answer->compute_s);
    answer->optimizer_s = ADAM_BYTES * question->parameters / gpus / (answer->inputs[WORTH_HBM].value * 1e9);
    answer->ceiling_tflops = work / 1e12 /
                             (answer->compute_s + (isnan(answer->exposed_s) ? 0 : answer->exposed_s) +
                              (isnan(answer->optimizer_s) ? 0 : answer->optimizer_s));
}

static void reckon_interruptions(struct worth_answer *answer, double gpus)
{
    double between_s, every;

    answer->job_mtbf_h = answer->gpu_mtbf_h.value / gpus;
    between_s = answer->job_mtbf_h * HOUR_S;
    every = sqrt(2 * answer->checkpoint_s.value * between_s);
    answer->interruptions_month = 30 * 24 / answer->job_mtbf_h;
    answer->checkpoint_every_s = every;
    answer->goodput =
        1 - (answer->checkpoint_s.value / every + (every / 2 + answer->restart_s.value) / between_s);
}

static struct worth_range range_of(double a, double b)
{
    return (struct worth_range){fmin(a, b), fmax(a, b)};
}

static double days_at(const struct worth_answer *answer, double gpus, double efficiency)
{
    return answer->flop_total / (gpus * efficiency * answer->ceiling_tflops * 1e12) / answer->goodput / DAY_S;
}

static void reckon(struct worth_answer *answer, double gpus, double split)
{
    const struct worth_input *gemm = &answer->inputs[WORTH_GEMM];

    reckon_step(answer, gpus, split);
    reckon_interruptions(answer, gpus);
    answer->mfu_ceiling = answer->ceiling_tflops / answer->peak.value;
    answer->slowest_costs = gemm->origin == WORTH_MEASURED ? 1 - gemm->value / gemm->median : (double)NAN;
    answer->achieved_tflops = (struct worth_range){answer->efficiency.low * answer->ceiling_tflops,
                                                   answer->efficiency.high * answer->ceiling_tflops};
    answer->mfu = (struct worth_range){answer->achieved_tflops.low / answer->peak.value,
                                       answer->achieved_tflops.high / answer->peak.value};
    answer->days = range_of(days_at(answer, gpus, answer->efficiency.high),
                            days_at(answer, gpus, answer->efficiency.low));
    answer->gpu_hours = (struct worth_range){answer->days.low * 24 * gpus, answer->days.high * 24 * gpus};
}

static void reckon_energy(struct worth_answer *answer)
{
    double gpus = answer->gpus.value, hosts = ceil(gpus / answer->host_gpus);
    double watts = gpus * answer->inputs[WORTH_POWER].value + hosts * answer->host_watts.value;
    double mw = watts * answer->pue.value / 1e6;

    answer->energy_mwh = (struct worth_range){mw * answer->days.low * 24, mw * answer->days.high * 24};
}

/* The fewest whole hosts that make it in the days that are asked for. More GPUs share one batch, exchange more of the time
   and are interrupted more often, so that there may be none. */
static double gpus_for(const struct worth_answer *answer, double efficiency)
{
    double a_host = answer->host_gpus;
    double state = STATE_BYTES * answer->question->parameters,
           memory = answer->inputs[WORTH_MEMORY].value * GIB;
    struct worth_answer trial = *answer;

    for (double hosts = 1; hosts * a_host <= GPUS_MOST; hosts = fmax(hosts + 1, floor(hosts * 1.001))) {
        double gpus = hosts * a_host, split = answer->model_parallel.value;

        if (answer->model_parallel.origin != WORTH_GIVEN && is_known(answer, WORTH_MEMORY))
            split = split_of(answer, gpus);
        if (split < 1 || split > gpus || (is_known(answer, WORTH_MEMORY) && state > gpus * memory))
            continue;
        reckon_step(&trial, gpus, split);
        reckon_interruptions(&trial, gpus);
        if (trial.goodput > 0 && days_at(&trial, gpus, efficiency) <= answer->question->days)
            return gpus;
    }
    return NAN;
}

static const struct reason *check(struct arena *arena, struct worth_answer *answer)
{
    const struct reason *refusal = check_model(arena, answer->question);

    if (refusal == NULL)
        refusal = check_machine(arena, answer);
    if (refusal == NULL)
        refusal = check_memory(arena, answer);
    return refusal != NULL ? refusal : check_batch(arena, answer);
}

const struct reason *worth_answer(struct arena *arena, const struct worth_measured *measured,
                                  const struct worth_question *question, struct worth_answer *ret_answer)
{
    struct worth_answer answer = {.gpus_needed = {NAN, NAN}};
    const struct reason *refusal;

    take_values(measured, question, &answer);
    refusal = check(arena, &answer);
    if (refusal != NULL)
        return refusal;
    answer.flop_token = 6 * (answer.mixture ? question->activated : question->parameters) +
                        12 * question->layers * question->hidden * question->sequence;
    answer.flop_total = answer.flop_token * question->tokens;
    answer.steps = ceil(question->tokens / answer.batch_tokens.value);
    reckon(&answer, answer.gpus.value, answer.model_parallel.value);
    if (!(answer.goodput > 0))
        return reason(arena, worth_never_ends, whole(arena, answer.gpus.value),
                      arena_printf(arena, "%.3g", answer.job_mtbf_h));
    reckon_energy(&answer);
    if (question->days > 0)
        answer.gpus_needed = (struct worth_range){gpus_for(&answer, answer.efficiency.high),
                                                  gpus_for(&answer, answer.efficiency.low)};
    *ret_answer = answer;
    return NULL;
}
