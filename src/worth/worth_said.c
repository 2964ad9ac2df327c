/* SPDX-License-Identifier: Apache-2.0 */
/* The answer in sentences: what it is, and where each number is from. */
#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/worth.h"
#include "assay/worth/worth.h"

/* Three digits: more would be noise. */
static const char *figure(struct arena *arena, double value)
{
    double unit = fabs(value) >= 1000 ? pow(10, floor(log10(fabs(value))) - 2) : 1;

    return unit > 1 ? arena_printf(arena, "%.0f", round(value / unit) * unit)
                    : arena_printf(arena, "%.3g", value);
}

static const char *percent(struct arena *arena, double share)
{
    return arena_printf(arena, "%.1f", 100 * share);
}

static const char *whole(struct arena *arena, double value)
{
    return arena_printf(arena, "%.0f", value);
}

static void add(struct arena *arena, struct worth_lines *lines, const struct reason *name,
                const struct reason *value, const struct reason *origin)
{
    *list_push(arena, &lines->items) = (struct worth_line){name, value, origin};
}

/* -- Inputs ----------------------------------------------------------------------------------------------- */

static const struct reason *input_name(struct arena *arena, enum worth_quantity quantity,
                                       enum worth_type type)
{
    switch (quantity) {
    case WORTH_GEMM:
        return reason(arena, worth_gemm, worth_type_name(type));
    case WORTH_HBM:
        return REASON(worth_hbm);
    case WORTH_REDUCE_SCATTER:
        return REASON(worth_reduce_scatter);
    case WORTH_ALL_GATHER:
        return REASON(worth_all_gather);
    case WORTH_POWER:
        return REASON(worth_power);
    case WORTH_MEMORY:
    case WORTH_QUANTITIES:
    default:
        return REASON(worth_memory);
    }
}

static const char *size_word(struct arena *arena, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t unit = 0;

    for (; bytes >= 1024 && unit + 1 < ARRAY_SIZE(units); unit++)
        bytes /= 1024;
    return arena_printf(arena, "%.4g %s", bytes, units[unit]);
}

static const struct reason *measured_said(struct arena *arena, enum worth_quantity quantity,
                                          const struct worth_input *input, unsigned gpus)
{
    const struct reason *said =
        input->size_bytes > 0
            ? reason(arena, worth_from_test, input->metric, whole(arena, (double)input->gpus),
                     size_word(arena, input->size_bytes))
            : reason(arena, worth_from_gpus, input->metric, whole(arena, (double)input->gpus),
                     arena_printf(arena, "%.4g", input->median));

    if (input->size_bytes <= 0 && input->gpus < gpus)
        said = reason_also(
            arena, said,
            reason(arena, worth_some_gpus, whole(arena, (double)input->gpus), whole(arena, gpus)));
    if (quantity == WORTH_POWER && strcmp(input->metric, "window.power.max") == 0)
        said = reason_also(arena, said, REASON(worth_largest_sample));
    return reason_also(arena, said, input->caution);
}

static const struct reason *input_origin(struct arena *arena, enum worth_quantity quantity,
                                         const struct worth_input *input, unsigned gpus)
{
    switch (input->origin) {
    case WORTH_MEASURED:
        return measured_said(arena, quantity, input, gpus);
    case WORTH_GIVEN:
        return REASON(worth_given);
    case WORTH_DECLARED:
        return REASON(worth_declared);
    case WORTH_NOT_MEASURED:
        return input->caution;
    case WORTH_PUBLISHED:
    case WORTH_ASSUMED:
    default:
        return NULL;
    }
}

void worth_say_inputs(struct arena *arena, const struct worth_measured *measured,
                      const struct worth_input inputs[WORTH_QUANTITIES], enum worth_type type,
                      struct worth_lines *ret_lines)
{
    *ret_lines = (struct worth_lines){0};
    for (size_t i = 0; i < WORTH_QUANTITIES; i++) {
        enum worth_quantity quantity = (enum worth_quantity)i;
        const struct worth_input *input = &inputs[i], *of_run = &measured->inputs[i];
        const struct reason *value;

        if (input->origin != WORTH_NOT_MEASURED)
            value = reason(arena, worth_quantity, arena_printf(arena, "%.4g", input->value),
                           worth_quantity_unit(quantity));
        else if (quantity != WORTH_GEMM && of_run->origin == WORTH_MEASURED)
            value = reason(arena, worth_not_measured_at_scale, worth_quantity_remedy(quantity));
        else
            value = reason(arena, worth_not_measured, worth_quantity_remedy(quantity));
        add(arena, ret_lines, input_name(arena, quantity, type), value,
            input_origin(arena, quantity, input, measured->gpus));
    }
}

/* -- The answer ------------------------------------------------------------------------------------------- */

static const struct reason *origin_said(enum worth_origin origin)
{
    return origin == WORTH_GIVEN ? REASON(worth_given) : REASON(worth_assumed);
}

const struct reason *worth_days_said(struct arena *arena, const struct worth_answer *answer)
{
    return reason(arena, worth_days, figure(arena, answer->days.low), figure(arena, answer->days.high),
                  whole(arena, answer->gpus.value));
}

static const struct reason *efficiency_said(struct arena *arena, const struct worth_answer *answer)
{
    const struct reason *from = answer->efficiency_from == WORTH_GIVEN ? REASON(worth_given)
                                : answer->mixture                      ? REASON(worth_efficiency_mixture)
                                                                       : REASON(worth_efficiency_dense);

    return reason(arena, worth_efficiency, arena_printf(arena, "%.3g", answer->efficiency.low),
                  arena_printf(arena, "%.3g", answer->efficiency.high), from);
}

static const struct reason *needed_said(struct arena *arena, const struct worth_answer *answer)
{
    if (isnan(answer->gpus_needed.low))
        return REASON(worth_none_does);
    if (isnan(answer->gpus_needed.high))
        return reason(arena, worth_at_least, whole(arena, answer->gpus_needed.low));
    return reason(arena, worth_from_to, whole(arena, answer->gpus_needed.low),
                  whole(arena, answer->gpus_needed.high));
}

static const struct reason *achieved_said(struct arena *arena, const struct worth_answer *answer)
{
    const char *low = figure(arena, answer->achieved_tflops.low),
               *high = figure(arena, answer->achieved_tflops.high);

    return isnan(answer->mfu.low) ? reason(arena, worth_tflops, low, high)
                                  : reason(arena, worth_tflops_and_mfu, low, high,
                                           percent(arena, answer->mfu.low), percent(arena, answer->mfu.high));
}

const struct reason *worth_energy_said(struct arena *arena, const struct worth_answer *answer)
{
    return isnan(answer->energy_mwh.low) ? NULL
                                         : reason(arena, worth_mwh, figure(arena, answer->energy_mwh.low),
                                                  figure(arena, answer->energy_mwh.high));
}

const struct reason *worth_refusal_said(struct arena *arena, const struct reason *refusal)
{
    return reason(arena, worth_impossible, refusal);
}

static void say_energy(struct arena *arena, const struct worth_answer *answer, struct worth_lines *lines)
{
    const struct reason *hosts =
        answer->host_watts.origin == WORTH_GIVEN
            ? reason(arena, worth_with_hosts, figure(arena, answer->host_watts.value))
            : REASON(worth_gpus_alone);
    const struct reason *pue = answer->pue.origin == WORTH_GIVEN
                                   ? reason(arena, worth_with_pue, figure(arena, answer->pue.value))
                                   : REASON(worth_without_pue);

    if (worth_energy_said(arena, answer) == NULL)
        add(arena, lines, REASON(worth_energy),
            reason(arena, worth_not_measured, worth_quantity_remedy(WORTH_POWER)), NULL);
    else
        add(arena, lines, REASON(worth_energy), worth_energy_said(arena, answer),
            reason(arena, worth_energy_parts, hosts, pue));
}

static void say_interruptions(struct arena *arena, const struct worth_answer *answer,
                              struct worth_lines *lines)
{
    const char *mtbf = whole(arena, answer->gpu_mtbf_h.value);

    add(arena, lines, REASON(worth_interruptions),
        reason(arena, worth_a_month, figure(arena, answer->interruptions_month),
               figure(arena, answer->job_mtbf_h)),
        answer->gpu_mtbf_h.origin == WORTH_GIVEN ? reason(arena, worth_mtbf_given, mtbf)
                                                 : reason(arena, worth_mtbf_published, mtbf));
    add(arena, lines, REASON(worth_useful),
        reason(arena, worth_goodput, percent(arena, answer->goodput),
               figure(arena, answer->checkpoint_every_s / 60)),
        reason(arena, worth_young_daly, figure(arena, answer->checkpoint_s.value),
               origin_said(answer->checkpoint_s.origin), figure(arena, answer->restart_s.value),
               origin_said(answer->restart_s.origin)));
}

void worth_say_answer(struct arena *arena, const struct worth_answer *answer, struct worth_lines *ret_lines)
{
    *ret_lines = (struct worth_lines){0};
    add(arena, ret_lines, REASON(worth_time), worth_days_said(arena, answer), efficiency_said(arena, answer));
    if (answer->question->days > 0)
        add(arena, ret_lines, reason(arena, worth_needed, figure(arena, answer->question->days)),
            needed_said(arena, answer), NULL);
    add(arena, ret_lines, REASON(worth_gpu_hours),
        reason(arena, worth_from_to, worth_amount(arena, answer->gpu_hours.low),
               worth_amount(arena, answer->gpu_hours.high)),
        NULL);
    add(arena, ret_lines, REASON(worth_achieved), achieved_said(arena, answer),
        isnan(answer->mfu.low) ? REASON(worth_no_peak) : NULL);
    if (!isnan(answer->slowest_costs))
        add(arena, ret_lines, REASON(worth_slowest),
            reason(arena, worth_slowest_costs, percent(arena, answer->slowest_costs)), REASON(worth_pace));
    say_energy(arena, answer, ret_lines);
    say_interruptions(arena, answer, ret_lines);
}

/* -- One step, and the ceiling ------------------------------------------------------------------------------ */

static const struct reason *split_origin(const struct worth_answer *answer)
{
    if (answer->model_parallel.origin == WORTH_GIVEN)
        return REASON(worth_given);
    return answer->inputs[WORTH_MEMORY].origin == WORTH_NOT_MEASURED ? REASON(worth_split_unknown)
                                                                     : REASON(worth_split_by_memory);
}

static void say_times(struct arena *arena, const struct worth_answer *answer, struct worth_lines *lines)
{
    const struct reason *beyond = reason(arena, worth_beyond_test, whole(arena, answer->gpus.value));

    add(arena, lines, REASON(worth_compute), reason(arena, worth_seconds, figure(arena, answer->compute_s)),
        NULL);
    add(arena, lines, REASON(worth_exchange),
        isnan(answer->exchange_s) ? REASON(worth_not_in_ceiling)
                                  : reason(arena, worth_hidden, figure(arena, answer->exchange_s),
                                           figure(arena, answer->exposed_s)),
        !isnan(answer->exchange_s) && answer->beyond_measured ? beyond : NULL);
    add(arena, lines, REASON(worth_optimizer),
        isnan(answer->optimizer_s) ? REASON(worth_not_in_ceiling)
                                   : reason(arena, worth_seconds, figure(arena, answer->optimizer_s)),
        NULL);
}

void worth_say_step(struct arena *arena, const struct worth_answer *answer, struct worth_lines *ret_lines)
{
    const char *ceiling = figure(arena, answer->ceiling_tflops), *peak = figure(arena, answer->peak.value);

    *ret_lines = (struct worth_lines){0};
    add(arena, ret_lines, REASON(worth_work),
        reason(arena, worth_flop, arena_printf(arena, "%.3g", answer->flop_total),
               arena_printf(arena, "%.3g", answer->flop_token)),
        answer->question->layers > 0 ? REASON(worth_six_and_attention) : REASON(worth_six));
    add(arena, ret_lines, REASON(worth_batch),
        reason(arena, worth_steps, worth_amount(arena, answer->batch_tokens.value),
               whole(arena, answer->steps)),
        origin_said(answer->batch_tokens.origin));
    add(arena, ret_lines, REASON(worth_split),
        reason(arena, worth_split_gpus, whole(arena, answer->model_parallel.value)), split_origin(answer));
    say_times(arena, answer, ret_lines);
    add(arena, ret_lines, REASON(worth_ceiling),
        isnan(answer->mfu_ceiling)
            ? reason(arena, worth_ceiling_plain, ceiling)
            : reason(arena, worth_ceiling_mfu, ceiling, percent(arena, answer->mfu_ceiling)),
        isnan(answer->mfu_ceiling)           ? REASON(worth_no_peak)
        : answer->peak.origin == WORTH_GIVEN ? reason(arena, worth_peak_given, peak)
                                             : reason(arena, worth_peak_known, peak));
}
