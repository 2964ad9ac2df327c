/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/plausible.h"

#include <fnmatch.h>
#include <string.h>

#include "assay/reasons/model.h"

struct bounds_row {
    const char *unit, *metrics; /* of names like these; the first row that fits counts */
    double least, most;
};

/* Beside each what comes nearest of all that is sold or announced. */
static const struct bounds_row rows[] = {
    {"C", "*", -60, 250},          /* sensors end at -55 and 150 */
    {"W", "power.sum.*", 0, 1e12}, /* of all hosts of a cluster: 1e9 is one that was announced */
    {"W/s", "*", 0, 1e12},         /* the same in a second */
    {"W", "*", 0, 200e3},          /* a rack of 72 GPUs: 132 kW */
    {"%", "beside.*", 0, 1e6},     /* of what others take: no share of a whole */
    {"%", "*", 0, 200},            /* nvidia-smi: a fan may turn faster than its 100 % */
    {"MHz", "*", 0, 20e3},         /* a GPU's memory: 14,000 */
    {"MiB", "*", 0, 1e12},         /* free space of a file system; 1 EiB */
    {"GiB", "*", 0, 1e9},          /* the same */
    {"B", "*", 0, 1e18},           /* the same */
    {"GB/s", "*.sum", 0, 10e6},    /* over all pairs of 72 GPUs: 4,600,000 */
    {"GB/s", "*", 0, 100e3},       /* HBM4 of one package: 32,000 */
    {"Gb/s", "*", 0, 10e3},        /* a port: 1,600 */
    {"GT/s", "*", 0, 256},         /* PCIe 7: 128 */
    {"GFLOP/s", "*", 0, 200e6},    /* one GPU in FP4: 50,000,000 */
    {"TFLOP/s", "*", 0, 200e3},    /* the same */
    {"tokens/s", "*", 0, 1e9},     /* a host that trains a model of 8e9 parameters: 300,000 */
    {"1/s", "*", 0, 10e9},         /* messages of a port: 700,000,000 */
    {"Mpps", "*", 0, 10e3},        /* the same */
    {"ns", "*", 0, 1e12},          /* a word of memory, however far away; 17 minutes */
    {"us", "*", -1e12, 1e12},      /* apart from others: either way; 12 days */
    {"ms", "*", -1e10, 1e10},      /* 116 days */
    {"s", "*", -5e9, 5e9},         /* 158 years: clocks of hosts that begin at 1970 or end at 2106 */
    {"dBm", "*", -100, 40},        /* no light is told as -40 */
    {"", "*", -9.3e18,
     18446744073709551615.0}, /* counts of 64 bits, signed and not, also when they are full */
};

bool plausible_bounds(const char *metric, const char *unit, double *ret_least, double *ret_most)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (rows[i].unit[0] != unit[0] || strcmp(rows[i].unit, unit) != 0 ||
            fnmatch(rows[i].metrics, metric, 0) != 0)
            continue;
        *ret_least = rows[i].least;
        *ret_most = rows[i].most;
        return true;
    }
    return false;
}

/* True for what stays. */
static bool stays(struct reading *reading, const struct measurement *one)
{
    double least, most;
    char value[32];

    if (!plausible_bounds(one->metric, one->unit, &least, &most) ||
        (one->value >= least && one->value <= most))
        return true;
    reading_finding(reading, SEVERITY_WARNING, arena_printf(reading->arena, "%s.unread", one->metric),
                    one->subject,
                    reason(reading->arena, not_plausible, number_text(one->value, value, sizeof value),
                           one->unit, least, most));
    return false;
}

void reading_drop_implausible(struct reading *reading)
{
    size_t kept = 0;

    for (size_t i = 0; i < reading->measurements.count; i++)
        if (stays(reading, &reading->measurements.items[i]))
            reading->measurements.items[kept++] = reading->measurements.items[i];
    reading->measurements.count = kept;
}
