/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "assay/base/arena.h"
#include "assay/model/part.h"

/*
 * TFLOP/s, dense. The first name that the part's begins with counts, so longer ones stand before. NVIDIA's sheets tell
 * tensor rates with sparsity, which are halved here; of HGX and NVL72 by the number of GPUs. Where two sheets differ, the
 * higher: FP32 and FP64 of B200 and GB200 are those of the Blackwell architecture's brief. FP64 is that of the tensor cores,
 * where the part has such. 0: the part has no such units, or no sheet tells it.
 */
static const struct {
    const char *name;
    double peaks[PART_TYPES]; /* bf16, fp16, fp8, tf32, fp32, fp64 */
} parts[] = {
    {"NVIDIA GB300", {2500, 2500, 5000, 1250, 0, 0}},
    {"NVIDIA GB200", {2500, 2500, 5000, 1250, 90, 45}},
    {"NVIDIA B300", {2250, 2250, 4500, 1125, 75, 1.25}},
    {"NVIDIA B200", {2250, 2250, 4500, 1125, 80, 40}},
    {"NVIDIA H200 NVL", {835.5, 835.5, 1670.5, 417.5, 60, 60}},
    {"NVIDIA H200", {989.4, 989.4, 1978.9, 494.7, 67, 67}},
    {"NVIDIA H100 PCIe", {756.4, 756.4, 1512.9, 378.2, 51.2, 51.2}},
    {"NVIDIA H100 NVL", {835.5, 835.5, 1670.5, 417.5, 60, 60}},
    {"NVIDIA H100", {989.4, 989.4, 1978.9, 494.7, 67, 67}},
    {"NVIDIA H800", {989.4, 989.4, 1978.9, 494.7, 67, 1}},
    {"NVIDIA H20", {148, 148, 296, 74, 44, 1}},
    {"NVIDIA A100", {312, 312, 0, 156, 19.5, 19.5}},
    {"NVIDIA A800", {312, 312, 0, 156, 19.5, 19.5}},
    {"Tesla V100-SXM2", {0, 125, 0, 0, 15.7, 7.8}},
};

double part_peak(const char *name, enum part_type type)
{
    for (size_t i = 0; name != NULL && i < ARRAY_SIZE(parts); i++)
        if (strncmp(name, parts[i].name, strlen(parts[i].name)) == 0)
            return parts[i].peaks[type] > 0 ? parts[i].peaks[type] : (double)NAN;
    return NAN;
}
