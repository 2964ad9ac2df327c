/* SPDX-License-Identifier: Apache-2.0 */
#include "pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "assay/base/cleanup.h"
#include "assay/base/sha256.h"

enum { NAME = 0, NAME_BYTES = 100, SIZE = 124, CHECKSUM = 148, TYPE = 156, MAGIC = 257, LEVEL = 1 };

void pack_checksum(unsigned char *header)
{
    unsigned sum = 0;
    char digits[8];

    memset(header + CHECKSUM, ' ', 8);
    for (size_t i = 0; i < TAR_BLOCK; i++)
        sum += header[i];
    snprintf(digits, sizeof digits, "%06o", sum);
    memcpy(header + CHECKSUM, digits, 7);
}

void pack_piece(struct text *tar, const struct piece *piece)
{
    static const char zeros[TAR_BLOCK];
    unsigned char header[TAR_BLOCK] = {0};
    char size[24];

    memcpy(header + NAME, piece->name, strnlen(piece->name, NAME_BYTES));
    memcpy(header + 100, "0000644\0000000000\0000000000", 24);
    snprintf(size, sizeof size, "%011llo", piece->said >= 0 ? piece->said : (long long)piece->bytes.length);
    memcpy(header + SIZE, size, 12);
    memcpy(header + 136, "00000000000", 12);
    header[TYPE] = '0';
    memcpy(header + MAGIC, "ustar\00000", 8);
    pack_checksum(header);
    text_add(tar, header, TAR_BLOCK);
    text_add(tar, piece->bytes.bytes, piece->bytes.length);
    text_add(tar, zeros, (TAR_BLOCK - piece->bytes.length % TAR_BLOCK) % TAR_BLOCK);
}

void pack_end(struct text *tar)
{
    static const char zeros[2 * TAR_BLOCK];

    text_add(tar, zeros, sizeof zeros);
}

void pack_frame(struct slice tar, struct text *out)
{
    size_t room = ZSTD_compressBound(tar.length);
    cleanup_free char *packed = malloc(room);
    size_t length = packed != NULL ? ZSTD_compress(packed, room, tar.bytes, tar.length, LEVEL) : 0;

    if (length == 0 || ZSTD_isError(length))
        abort();
    text_add(out, packed, length);
}

void pack_seal(struct text *file)
{
    static const unsigned char head[8] = {0x50, 0x2a, 0x4d, 0x18, SHA256_HEX_SIZE - 1, 0, 0, 0};
    char sha256[SHA256_HEX_SIZE];

    sha256_hex(file->bytes, file->length, sha256);
    text_add(file, head, sizeof head);
    text_add(file, sha256, SHA256_HEX_SIZE - 1);
}

bool unpack_piece(struct arena *arena, struct slice bundle, const char *name, struct slice *ret_bytes)
{
    enum { MOST = 64 << 20, SEAL = 8 + SHA256_HEX_SIZE - 1 };
    cleanup_free char *tar = malloc(MOST);
    ZSTD_DCtx *zstd = ZSTD_createDCtx();
    ZSTD_outBuffer out = {tar, MOST, 0};
    ZSTD_inBuffer in = {bundle.bytes, bundle.length - SEAL, 0};
    bool found = false;

    while (in.pos < in.size && !ZSTD_isError(ZSTD_decompressStream(zstd, &out, &in)))
        ;
    ZSTD_freeDCtx(zstd);
    for (size_t at = 0; at + TAR_BLOCK <= out.pos && tar[at] != '\0' && !found;) {
        size_t length = strtoul(tar + at + SIZE, NULL, 8);

        found = strcmp(tar + at, name) == 0;
        if (found)
            *ret_bytes = (struct slice){arena_strndup(arena, tar + at + TAR_BLOCK, length), length};
        at += TAR_BLOCK + (length + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    }
    return found;
}
