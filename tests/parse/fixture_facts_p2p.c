/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixtures.h"

static const struct range_fact {
    const char *key, *metric, *op;
} ranges[] = {
    {"uni_disabled", "p2p.unidirectional.disabled", NULL},
    {"uni_enabled", "p2p.unidirectional.enabled", NULL},
    {"uni_enabled_writes", "p2p.unidirectional.enabled", "write"},
    {"uni_enabled_reads", "p2p.unidirectional.enabled", "read"},
    {"bid_disabled", "p2p.bidirectional.disabled", NULL},
    {"bid_enabled", "p2p.bidirectional.enabled", NULL},
    {"lat_disabled", "p2p.latency.gpu.disabled", NULL},
    {"lat_enabled_writes", "p2p.latency.gpu.enabled", "write"},
    {"lat_enabled_reads", "p2p.latency.gpu.enabled", "read"},
};

static bool op_is(const struct measurement *measurement, const char *op)
{
    return measurement->at.count == 0 ? op == NULL
                                      : op != NULL && strcmp(measurement->at.items[0].text, op) == 0;
}

static bool is_diagonal(const char *subject)
{
    struct slice rest = slice_of(subject);
    uint64_t from, to;

    return scan_text(&rest, "gpu") && scan_digits(&rest, &from) && scan_text(&rest, "->gpu") &&
           scan_digits(&rest, &to) && from == to;
}

/* Smallest or largest cell between two GPUs. */
static double extreme(const struct reading *reading, const struct range_fact *range, bool smallest)
{
    double found = NAN;

    for (size_t i = 0; i < reading->measurements.count; i++) {
        const struct measurement *cell = &reading->measurements.items[i];

        if (strcmp(cell->metric, range->metric) == 0 && op_is(cell, range->op) &&
            !is_diagonal(cell->subject) &&
            (isnan(found) || (smallest ? cell->value < found : cell->value > found)))
            found = cell->value;
    }
    return found;
}

static bool check_range(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    char key[64];

    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
        snprintf(key, sizeof key, "%s_min", ranges[i].key);
        if (strcmp(fact->key, key) == 0)
            return fact_number(wrong, fact, extreme(reading, &ranges[i], true)), true;
        snprintf(key, sizeof key, "%s_max", ranges[i].key);
        if (strncmp(fact->key, key, strlen(key)) == 0)
            return fact_number(wrong, fact, extreme(reading, &ranges[i], false)), true;
    }
    return false;
}

static size_t count_access(const struct reading *reading, double value)
{
    size_t count = 0;

    for (size_t i = 0; i < reading->measurements.count; i++)
        count += strcmp(reading->measurements.items[i].metric, "p2p.access") == 0 &&
                 reading->measurements.items[i].value == value &&
                 !is_diagonal(reading->measurements.items[i].subject);
    return count;
}

/* Mean of a GPU's cells with its peers, both ways. */
static double mean_of_gpu(const struct reading *reading, const char *gpu)
{
    char from[32], to[32];
    double sum = 0;
    size_t count = 0;

    snprintf(from, sizeof from, "gpu%s->", gpu);
    snprintf(to, sizeof to, "->gpu%s", gpu);
    for (size_t i = 0; i < reading->measurements.count; i++) {
        const struct measurement *cell = &reading->measurements.items[i];
        struct slice subject = slice_of(cell->subject);

        if (strcmp(cell->metric, "p2p.bidirectional.enabled") != 0 || is_diagonal(cell->subject) ||
            (!slice_starts(subject, from) && !slice_ends(subject, to)))
            continue;
        sum += cell->value;
        count++;
    }
    return count > 0 ? sum / (double)count : NAN;
}

static void check_means(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    json_each (item, fact)
        if (!(fabs(mean_of_gpu(reading, item->key) - item->number) < 1.5))
            fact_wrong(wrong, item, "expected %g, found %g", item->number, mean_of_gpu(reading, item->key));
}

static void check_slow_gpu(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    char gpu[8];
    double slowest = INFINITY;
    int found = -1;

    for (int i = 0; i < 16; i++) {
        snprintf(gpu, sizeof gpu, "%d", i);
        if (mean_of_gpu(reading, gpu) < slowest) {
            slowest = mean_of_gpu(reading, gpu);
            found = i;
        }
    }
    fact_number(wrong, fact, found);
}

static void check_nvlink_pairs(struct text *wrong, const struct json *fact, const struct reading *reading)
{
    json_each (pair, fact) {
        char subject[64];
        const struct measurement *cell;

        snprintf(subject, sizeof subject, "gpu%.0f->gpu%.0f", pair->items->number, pair->items->next->number);
        cell = find_measurement(reading, "p2p.unidirectional.enabled", subject);
        if (cell == NULL || cell->value < 200)
            fact_wrong(wrong, fact, "%s is not at NVLink speed", subject);
    }
}

void check_p2p(const char *path, const struct json *facts, const struct reading *reading, struct text *wrong)
{
    (void)path;
    json_each (fact, facts) {
        const char *gpus = reading_get_fact(reading, "p2p.gpus", "");
        double number;

        if (strcmp(fact->key, "gpus") == 0)
            fact_number(wrong, fact, gpus != NULL && scan_double(slice_of(gpus), &number) ? number : -1);
        else if (strcmp(fact->key, "model") == 0)
            fact_string(wrong, fact, reading_get_fact(reading, "gpu.name", "gpu0"));
        else if (strcmp(fact->key, "can_access_pairs") == 0)
            fact_number(wrong, fact, (double)count_access(reading, 1));
        else if (strcmp(fact->key, "cannot_access_pairs") == 0)
            fact_number(wrong, fact, (double)count_access(reading, 0));
        else if (strcmp(fact->key, "bi_enabled_mean_of_gpu") == 0)
            check_means(wrong, fact, reading);
        else if (strcmp(fact->key, "slow_gpu_in_bi_enabled") == 0)
            check_slow_gpu(wrong, fact, reading);
        else if (strcmp(fact->key, "nvlink_pairs") == 0)
            check_nvlink_pairs(wrong, fact, reading);
        else if (strcmp(fact->key, "cuda_error") == 0) {
            if (count_findings(reading, "p2p.cuda_failure", fact->string) == 0 ||
                reading->status != READING_FAILED)
                fact_wrong(wrong, fact, "no such finding in a failed reading");
        } else if (!check_range(wrong, fact, reading))
            fact_wrong(wrong, fact, "is not compared");
    }
}
