/* SPDX-License-Identifier: Apache-2.0 */
/* What a GPU's arithmetic could reach by its datasheet: for model FLOP utilisation, which is defined by it, and for what no
   measurement can exceed (check_capacity). No floor rests on it. */
#ifndef ASSAY_PART_H
#define ASSAY_PART_H

enum part_type { PART_BF16, PART_FP16, PART_FP8, PART_TF32, PART_FP32, PART_FP64, PART_TYPES };

/* Dense, in TFLOP/s, of the part of that name ("NVIDIA H100 80GB HBM3"), which may be NULL; NAN: the part or the type is not
   known. By datasheets of NVIDIA, halved where these count sparsity. */
double part_peak(const char *name, enum part_type type);

#endif
