/* SPDX-License-Identifier: Apache-2.0 */
/* Names, peaks of parts, and the trainings that reports tell. */
#include <math.h>
#include <string.h>

#include "assay/worth/worth.h"

static const char *const type_names[WORTH_TYPES] = {"bf16", "fp16", "fp8", "tf32"};

const char *worth_type_name(enum worth_type type)
{
    return type_names[type];
}

bool worth_type_find(const char *name, enum worth_type *ret_type)
{
    for (size_t i = 0; i < WORTH_TYPES; i++)
        if (strcmp(type_names[i], name) == 0) {
            *ret_type = (enum worth_type)i;
            return true;
        }
    return false;
}

const char *worth_origin_name(enum worth_origin origin)
{
    static const char *const names[] = {"not measured", "measured",  "given",
                                        "declared",     "published", "assumed"};

    return names[origin];
}

static const struct {
    const char *key, *unit, *remedy;
} quantities[WORTH_QUANTITIES] = {
    [WORTH_GEMM] = {"gemm", "TFLOP/s", "gpu-compute"},
    [WORTH_HBM] = {"hbm", "GB/s", "gpu-memory"},
    [WORTH_REDUCE_SCATTER] = {"reduce_scatter", "GB/s", "nccl-reduce-scatter"},
    [WORTH_ALL_GATHER] = {"all_gather", "GB/s", "nccl-all-gather"},
    [WORTH_POWER] = {"power", "W", "gpu-burn"},
    [WORTH_MEMORY] = {"memory", "GiB", "gpu-inventory"},
};

const char *worth_quantity_key(enum worth_quantity quantity)
{
    return quantities[quantity].key;
}

const char *worth_quantity_unit(enum worth_quantity quantity)
{
    return quantities[quantity].unit;
}

const char *worth_quantity_remedy(enum worth_quantity quantity)
{
    return quantities[quantity].remedy;
}

/*
 * TFLOP/s, dense. The first name that the part's begins with counts, so longer ones stand before. NVIDIA's sheets tell
 * tensor rates with sparsity, which are halved here; of HGX and NVL72 by the number of GPUs. 0: the part has no such units.
 */
static const struct {
    const char *model;
    double peaks[WORTH_TYPES]; /* bf16, fp16, fp8, tf32 */
} parts[] = {
    {"NVIDIA GB300", {2500, 2500, 5000, 1250}},
    {"NVIDIA GB200", {2500, 2500, 5000, 1250}},
    {"NVIDIA B300", {2250, 2250, 4500, 1125}},
    {"NVIDIA B200", {2250, 2250, 4500, 1125}},
    {"NVIDIA H200 NVL", {835.5, 835.5, 1670.5, 417.5}},
    {"NVIDIA H200", {989.4, 989.4, 1978.9, 494.7}},
    {"NVIDIA H100 PCIe", {756.4, 756.4, 1512.9, 378.2}},
    {"NVIDIA H100 NVL", {835.5, 835.5, 1670.5, 417.5}},
    {"NVIDIA H100", {989.4, 989.4, 1978.9, 494.7}},
    {"NVIDIA H800", {989.4, 989.4, 1978.9, 494.7}},
    {"NVIDIA H20", {148, 148, 296, 74}},
    {"NVIDIA A100", {312, 312, 0, 156}},
    {"NVIDIA A800", {312, 312, 0, 156}},
    {"Tesla V100-SXM2", {0, 125, 0, 0}},
};

double worth_peak(const char *model, enum worth_type type)
{
    for (size_t i = 0; model != NULL && i < ARRAY_SIZE(parts); i++)
        if (strncmp(model, parts[i].model, strlen(parts[i].model)) == 0)
            return parts[i].peaks[type] > 0 ? parts[i].peaks[type] : (double)NAN;
    return NAN;
}

static const struct worth_example examples[] = {
    {"8B, 15T tokens", {.parameters = 8e9, .tokens = 15e12}},
    {"70B, 15T tokens", {.parameters = 70e9, .tokens = 15e12}},
    {"405B, 15.6T tokens", {.parameters = 405e9, .tokens = 15.6e12, .batch_tokens = 16e6}},
};

const struct worth_example *worth_examples(size_t *ret_count)
{
    *ret_count = ARRAY_SIZE(examples);
    return examples;
}
