/* SPDX-License-Identifier: Apache-2.0 */
/* Names, and the trainings that reports tell. */
#include <math.h>
#include <string.h>

#include "assay/model/part.h"
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

double worth_peak(const char *model, enum worth_type type)
{
    return part_peak(model, (enum part_type)type);
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
