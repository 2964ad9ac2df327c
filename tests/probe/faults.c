/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include <stdlib.h>

enum { GPUS = 2, SMS = 3, ROUNDS = 6 * WORK_UNITS, DEPTH = 2 };

static void open_host(struct gpu_probe *probe, unsigned gpus, unsigned depth)
{
    struct error err = {0};

    *probe = (struct gpu_probe){.backend = &gpu_backend_host};
    probe->options = (struct gpu_options){.depth = depth, .host_gpus = gpus, .host_sms = SMS};
    for (unsigned unit = 0; unit < WORK_UNITS; unit++)
        probe->options.units[unit] = true;
    if (probe->backend->open(probe, &err) < 0)
        abort();
}

static struct injection random_fault(uint64_t seed)
{
    uint64_t random[9];
    struct injection fault = {.any = true};

    for (unsigned i = 0; i < 9; i++)
        random[i] = work_mix(seed * 16 + i + 1);
    fault.gpu = (unsigned)(random[0] % GPUS);
    fault.sm = (unsigned)(random[1] % SMS);
    fault.unit = random[2] % 4 == 0 ? -1 : (int)(random[2] / 4 % WORK_UNITS);
    fault.lane = random[3] % 4 == 0 ? -1 : (int)(random[3] / 4 % (WORK_WARPS * WORK_LANES));
    for (uint64_t bits = 1 + random[4] % 32, i = 0; i < bits; i++)
        fault.bits |= 1u << (work_mix(random[5] + i) % 32);
    fault.from = random[6] % 2 == 0 ? 0 : random[6] / 2 % ROUNDS;
    fault.period = 1 + (random[7] % 2 == 0 ? 0 : random[7] / 2 % 20);
    fault.one_in = random[8] % 8 == 0 ? 1000000 : random[8] % 8 == 1 ? 5 : 1;
    return fault;
}

/* The first round in which it turned bits over; ROUNDS: in none. Units take turns. */
static uint64_t first_strike(const struct injection *fault)
{
    for (uint64_t round = 0; round < ROUNDS; round++)
        for (unsigned lane = 0; lane < WORK_WARPS * WORK_LANES; lane++)
            if (injection_bits(fault, fault->gpu, fault->sm, (enum work_unit)(round % WORK_UNITS), lane,
                               round) != 0)
                return round;
    return ROUNDS;
}

/* What is copied is no SM's: there the GPU is named, and of a peer both. */
static bool is_there(const struct sdc_error *error, const struct injection *fault)
{
    const bool has_peer = error->peer != GPU_MOST;

    if (error->gpu != fault->gpu || has_peer != (error->unit == WORK_PEER) ||
        (has_peer && error->peer == error->gpu))
        return false;
    return error->sm == (work_is_of_sm(error->unit) ? fault->sm : GPU_NO_SM);
}

static bool is_named(const struct sdc *sdc, const struct injection *fault, uint64_t first)
{
    uint64_t said = ROUNDS;
    uint32_t bits = 0;

    for (size_t i = 0; i < sdc->error_count; i++) {
        if (!is_there(&sdc->errors[i], fault))
            continue;
        said = sdc->errors[i].first_round < said ? sdc->errors[i].first_round : said;
        bits |= sdc->errors[i].bits;
    }
    return said == first && bits == fault->bits;
}

void faults_try(unsigned long count, uint64_t seed, struct fault_counts *ret_counts)
{
    static struct gpu_probe probe;
    struct error err = {0};

    *ret_counts = (struct fault_counts){0};
    open_host(&probe, GPUS, DEPTH);
    for (unsigned long i = 0; i < count; i++) {
        struct sdc *sdc = sdc_create(&probe);
        const struct injection fault = random_fault(seed + i);
        uint64_t first = first_strike(&fault);

        probe.options.injection = fault;
        for (unsigned round = 0; round < ROUNDS; round++)
            if (sdc_round(sdc, &err) < 0)
                abort();
        ret_counts->tried++;
        ret_counts->struck += first < ROUNDS;
        ret_counts->named += first < ROUNDS && is_named(sdc, &fault, first);
        for (size_t k = 0; k < sdc->error_count; k++)
            ret_counts->others += !is_there(&sdc->errors[k], &fault) || first == ROUNDS;
        ret_counts->others += sdc->disagreed > 0;
        sdc_free(sdc);
    }
    probe.backend->close(&probe);
}

unsigned long healthy_rounds(unsigned long rounds)
{
    static struct gpu_probe probe;
    struct error err = {0};
    unsigned long named;
    struct sdc *sdc;

    open_host(&probe, 1, 1);
    sdc = sdc_create(&probe);
    for (unsigned long i = 0; i < rounds; i++)
        if (sdc_round(sdc, &err) < 0)
            abort();
    named = sdc->error_count + sdc->disagreed;
    sdc_free(sdc);
    probe.backend->close(&probe);
    return named;
}
