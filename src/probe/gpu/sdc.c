/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Silent data corruption: each SM is given the same work, and each has to give the same answer; copy engines are given the same
 * words, and have to bring them.
 *
 * What a block must answer is computed by the host where its arithmetic is the device's. Elsewhere it is what more than
 * half of all SMs of the host answered when those inputs came for the first time; an answer that changes later is wrong
 * too. So a GPU that is alone in a host and wrong on every SM, from the first round on, in nothing but its special
 * functions, is found only when the digests of hosts are compared, which is what they are printed for.
 */
#include <stdlib.h>
#include <time.h>

#include "sdc.h"

struct sdc *sdc_create(struct gpu_probe *probe)
{
    struct sdc *sdc = calloc(1, sizeof *sdc);

    if (sdc == NULL)
        return NULL;
    sdc->probe = probe;
    for (unsigned unit = 0; unit < WORK_UNITS; unit++)
        sdc->units[unit] =
            probe->options.units[unit] && probe->backend->lacks(probe, (enum work_unit)unit) == NULL;
    return sdc;
}

void sdc_free(struct sdc *sdc)
{
    if (sdc != NULL)
        free(sdc->errors);
    free(sdc);
}

/* Boyer and Moore's vote, and a count of whether who is left has more than half. */
static bool majority(const struct sdc *sdc, uint64_t *ret_digest)
{
    const struct gpu_probe *probe = sdc->probe;
    uint64_t digest = 0;
    size_t votes = 0, total = 0, agree = 0;

    for (unsigned gpu = 0; gpu < probe->device_count; gpu++)
        for (unsigned block = 0; block < sdc->answers.blocks[gpu]; block++, total++) {
            if (votes == 0)
                digest = sdc->answers.digests[gpu][block];
            votes = sdc->answers.digests[gpu][block] == digest ? votes + 1 : votes - 1;
        }
    for (unsigned gpu = 0; gpu < probe->device_count; gpu++)
        for (unsigned block = 0; block < sdc->answers.blocks[gpu]; block++)
            agree += sdc->answers.digests[gpu][block] == digest;
    *ret_digest = digest;
    return agree * 2 > total;
}

static bool find_reference(struct sdc *sdc, enum work_unit unit, uint64_t seed, uint64_t *ret_digest)
{
    struct sdc_reference *reference = &sdc->references[unit][seed];
    uint32_t words[WORK_WORDS];

    if (!reference->set && sdc->probe->backend->is_known(unit)) {
        work_block(unit, seed, sdc->probe->options.depth, words);
        *reference = (struct sdc_reference){work_digest(words), true};
    } else if (!reference->set) {
        reference->set = majority(sdc, &reference->digest);
    }
    *ret_digest = reference->digest;
    return reference->set;
}

/* The words of a block that answered as it should. */
static int right_words(struct sdc *sdc, enum work_unit unit, uint64_t seed, uint64_t digest,
                       uint32_t ret_words[WORK_WORDS], bool *ret_found, struct error *err)
{
    const struct gpu_probe *probe = sdc->probe;

    *ret_found = true;
    if (probe->backend->is_known(unit)) {
        work_block(unit, seed, probe->options.depth, ret_words);
        return 0;
    }
    for (unsigned gpu = 0; gpu < probe->device_count; gpu++)
        for (unsigned block = 0; block < sdc->answers.blocks[gpu]; block++)
            if (sdc->answers.digests[gpu][block] == digest)
                return probe->backend->words(sdc->probe, gpu, block, ret_words, err);
    *ret_found = false;
    return 0;
}

static struct sdc_error *error_of(struct sdc *sdc, unsigned gpu, unsigned sm, enum work_unit unit)
{
    const unsigned peer = sdc->answers.peers[gpu];
    struct sdc_error *grown;

    for (size_t i = 0; i < sdc->error_count; i++)
        if (sdc->errors[i].gpu == gpu && sdc->errors[i].sm == sm && sdc->errors[i].unit == unit &&
            sdc->errors[i].peer == peer)
            return &sdc->errors[i];
    if (sdc->error_count == sdc->error_capacity) {
        sdc->error_capacity = sdc->error_capacity > 0 ? sdc->error_capacity * 2 : 64;
        grown = realloc(sdc->errors, sdc->error_capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        sdc->errors = grown;
    }
    sdc->errors[sdc->error_count] = (struct sdc_error){.gpu = gpu, .sm = sm, .peer = peer, .unit = unit};
    return &sdc->errors[sdc->error_count++];
}

static int take_wrong(struct sdc *sdc, unsigned gpu, unsigned block, enum work_unit unit, uint64_t seed,
                      uint64_t digest, struct error *err)
{
    struct sdc_error *error = error_of(sdc, gpu, sdc->answers.sms[gpu][block], unit);
    uint32_t right[WORK_WORDS], wrong[WORK_WORDS];
    bool found;

    if (error == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory for what was wrong");
    if (right_words(sdc, unit, seed, digest, right, &found, err) < 0 ||
        sdc->probe->backend->words(sdc->probe, gpu, block, wrong, err) < 0)
        return -1;
    for (unsigned place = 0; found && place < WORK_WORDS; place++) {
        if (wrong[place] == right[place])
            continue;
        if (error->bits == 0) {
            error->word = place;
            error->got = wrong[place];
            error->expected = right[place];
        }
        error->bits |= wrong[place] ^ right[place];
    }
    if (error->rounds == 0)
        error->first_round = sdc->rounds;
    /* Several blocks of a round may run on one SM. */
    error->rounds += error->rounds == 0 || error->last_round != sdc->rounds;
    error->last_round = sdc->rounds;
    return 0;
}

/* What blocks leave begins as nothing, whose digest is 0. If one of many stays so, it is as wrong as any other answer; if all do, the
   work was not done, which says nothing of SMs. */
static int note_reached(struct sdc *sdc, enum work_unit unit, unsigned gpu, struct error *err)
{
    const struct gpu_answers *answers = &sdc->answers;
    unsigned answered = 0;

    for (unsigned block = 0; block < answers->blocks[gpu]; block++) {
        const unsigned sm = answers->sms[gpu][block];

        if (work_is_of_sm(unit) && sm >= GPU_SMS_MOST)
            return error_set(err, ERROR_INTERNAL, "GPU %u: of %s a block does not say on which SM it ran",
                             gpu, work_names[unit]);
        if (work_is_of_sm(unit))
            sdc->reached[gpu][sm] |= 1u << unit;
        answered += answers->digests[gpu][block] != 0;
    }
    return answered > 0 ? 0
                        : error_set(err, ERROR_INTERNAL, "GPU %u: no block left an answer of %s", gpu,
                                    work_names[unit]);
}

static int compare(struct sdc *sdc, enum work_unit unit, uint64_t seed, struct error *err)
{
    const struct gpu_probe *probe = sdc->probe;
    uint64_t digest;

    for (unsigned gpu = 0; gpu < probe->device_count; gpu++)
        if (note_reached(sdc, unit, gpu, err) < 0)
            return -1;
    if (!find_reference(sdc, unit, seed, &digest)) {
        if (sdc->disagreed++ == 0)
            sdc->disagreed_unit = unit;
        return 0;
    }
    for (unsigned gpu = 0; gpu < probe->device_count; gpu++)
        for (unsigned block = 0; block < sdc->answers.blocks[gpu]; block++)
            if (sdc->answers.digests[gpu][block] != digest &&
                take_wrong(sdc, gpu, block, unit, seed, digest, err) < 0)
                return -1;
    return 0;
}

/* Units take turns; each has its own count of inputs. */
static enum work_unit unit_of_round(const struct sdc *sdc)
{
    const bool *units = sdc->units;
    unsigned count = 0, wanted;

    for (unsigned unit = 0; unit < WORK_UNITS; unit++)
        count += units[unit];
    wanted = (unsigned)(sdc->rounds % count);
    for (unsigned unit = 0; unit < WORK_UNITS; unit++)
        if (units[unit] && wanted-- == 0)
            return (enum work_unit)unit;
    return WORK_INTEGER;
}

int sdc_round(struct sdc *sdc, struct error *err)
{
    struct gpu_probe *probe = sdc->probe;
    enum work_unit unit = unit_of_round(sdc);
    uint64_t seed = sdc->unit_rounds[unit] % SDC_SEEDS;

    if (probe->backend->work(probe, unit, seed, sdc->rounds, &sdc->answers, err) < 0 ||
        compare(sdc, unit, seed, err) < 0)
        return -1;
    sdc->unit_rounds[unit]++;
    sdc->rounds++;
    return 0;
}

/* However short the time: a digest is of all inputs, and is what hosts are compared by. */
static uint64_t rounds_owed(const struct sdc *sdc)
{
    uint64_t units = 0;

    for (unsigned unit = 0; unit < WORK_UNITS; unit++)
        units += sdc->units[unit];
    return units * SDC_SEEDS;
}

/* All GPUs are idle: between two rounds none has work. */
static void rest_until(double end)
{
    while (!gpu_stop_asked() && gpu_now_s() < end)
        (void)nanosleep(&(struct timespec){0, 10000000}, NULL);
}

int sdc_run(struct sdc *sdc, struct error *err)
{
    const struct gpu_options *options = &sdc->probe->options;
    uint64_t owed = rounds_owed(sdc);
    double began = gpu_now_s(), end = began + options->seconds, rest = began + options->swing;

    if (owed == 0)
        return error_set(err, ERROR_INTERNAL, "none of these units can be tried here");
    while (!gpu_stop_asked() &&
           (options->rounds > 0 ? sdc->rounds < options->rounds : sdc->rounds < owed || gpu_now_s() < end)) {
        if (sdc_round(sdc, err) < 0)
            return -1;
        if (options->swing > 0 && gpu_now_s() >= rest) {
            rest_until(rest + options->swing);
            rest = gpu_now_s() + options->swing;
        }
    }
    return 0;
}

uint64_t sdc_unit_digest(const struct sdc *sdc, enum work_unit unit)
{
    uint64_t digest = 0;

    for (unsigned seed = 0; seed < SDC_SEEDS; seed++)
        digest = work_mix(digest ^ sdc->references[unit][seed].digest);
    return digest;
}

unsigned sdc_reached(const struct sdc *sdc, unsigned gpu)
{
    unsigned count = 0;
    uint32_t all = 0;

    for (unsigned unit = 0; unit < WORK_UNITS; unit++)
        if (work_is_of_sm((enum work_unit)unit) && sdc->unit_rounds[unit] > 0)
            all |= 1u << unit;
    for (unsigned sm = 0; all != 0 && sm < GPU_SMS_MOST; sm++)
        count += sdc->reached[gpu][sm] == all;
    return count;
}
