/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/store/pack.h"

#include <stdlib.h>
#include <zstd.h>

#include "assay/base/arena.h"

enum { PACKED_BYTES = 64 * 1024, LEVEL = 3 };

struct packer {
    pack_take *take;
    void *context;
    ZSTD_CCtx *zstd;
    char packed[PACKED_BYTES];
};

struct packer *packer_create(pack_take *take, void *context)
{
    struct packer *packer = mem_alloc(sizeof *packer);

    packer->take = take;
    packer->context = context;
    packer->zstd = ZSTD_createCCtx();
    if (packer->zstd == NULL) {
        free(packer);
        return NULL;
    }
    ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_checksumFlag, 1);
    return packer;
}

static bool put(struct packer *packer, const char *bytes, size_t length, ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = {bytes, length, 0};
    size_t left;

    do {
        ZSTD_outBuffer out = {packer->packed, sizeof packer->packed, 0};

        left = ZSTD_compressStream2(packer->zstd, &out, &in, end);
        if (ZSTD_isError(left) || (out.pos > 0 && !packer->take(packer->context, packer->packed, out.pos)))
            return false;
    } while (end == ZSTD_e_end ? left > 0 : in.pos < in.size);
    return true;
}

bool packer_add(struct packer *packer, const char *bytes, size_t length)
{
    return put(packer, bytes, length, ZSTD_e_continue);
}

bool packer_finish(struct packer *packer)
{
    return put(packer, "", 0, ZSTD_e_end);
}

void packer_destroy(struct packer *packer)
{
    if (packer == NULL)
        return;
    ZSTD_freeCCtx(packer->zstd);
    free(packer);
}
