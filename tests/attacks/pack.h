/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles as anybody can write them, with pieces in any order and headers of any kind. */
#ifndef ASSAY_TESTS_PACK_H
#define ASSAY_TESTS_PACK_H

#include "assay/base/arena.h"
#include "assay/base/scan.h"
#include "assay/base/text.h"

enum { TAR_BLOCK = 512 };

struct piece {
    const char *name;
    struct slice bytes;
    long long said; /* how long its header says that it is; -1: as it is */
};

void pack_piece(struct text *tar, const struct piece *piece);
/* The header's sum over again. */
void pack_checksum(unsigned char *header);
void pack_end(struct text *tar);
/* The tar as zstd, without its seal. */
void pack_frame(struct slice tar, struct text *out);
void pack_seal(struct text *file);
/* Of a bundle as assay writes it; false: there is none of that name. */
bool unpack_piece(struct arena *arena, struct slice bundle, const char *name, struct slice *ret_bytes);

#endif
