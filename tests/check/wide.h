/* SPDX-License-Identifier: Apache-2.0 */
/* A step of nccl-all-reduce across hosts of two GPUs each, for the tests of what goes across hosts. */
#ifndef ASSAY_TEST_WIDE_H
#define ASSAY_TEST_WIDE_H

#include "assay/check/check.h"

#define WIDE_HCAS ", \"hcas\": {\"names\": [\"mlx5_0\", \"mlx5_1\"], \"gbits\": 400}"

/* Of the first `count` of the hosts n1, n2 and n3, with these members of "launcher", and hcas: WIDE_HCAS or "". */
void wide_context(struct arena *arena, const char *launcher, const char *hcas, size_t count,
                  struct check_context *ret_context);

#endif
