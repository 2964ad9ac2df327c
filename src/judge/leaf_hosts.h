/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether one host makes a leaf slow in tests between leaves. It does where isolation names it, or where all of its pairs in a test
 * between two hosts are slow, two at least, while each of its partners is fast with somebody else. The uplinks of a leaf make pairs
 * slow that leave it, which are of different hosts.
 */
#ifndef ASSAY_JUDGE_LEAF_HOSTS_H
#define ASSAY_JUDGE_LEAF_HOSTS_H

#include "assay/model/record.h"

/* "node9", or with the adapter that its slow pairs are about "node9 mlx5_2"; NULL: there is none, or more than one. */
const char *leaf_slow_host(struct arena *arena, const struct record *record,
                           const struct judgement *judgement, const char *leaf);

#endif
