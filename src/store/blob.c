/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence: bytes kept once, by their SHA-256, as zstd blocks of 64 KiB. Blocks of that size let one
 * context of a few hundred KiB serve every capture, however long; a stream context would cost 1.3 MiB.
 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "store_private.h"

enum { BLOCK_BYTES = 64 * 1024, LEVEL = 3 };

struct blob_codec {
    ZSTD_CCtx *compress;
    ZSTD_DCtx *decompress;
    size_t room;
    char *packed;
};

struct blob_codec *blob_codec_create(void)
{
    struct blob_codec *codec = mem_alloc(sizeof *codec);

    codec->room = ZSTD_compressBound(BLOCK_BYTES);
    codec->packed = mem_alloc(codec->room);
    return codec;
}

void blob_codec_destroy(struct blob_codec *codec)
{
    if (codec == NULL)
        return;
    ZSTD_freeCCtx(codec->compress);
    ZSTD_freeDCtx(codec->decompress);
    free(codec->packed);
    free(codec);
}

static int put_blocks(struct store *store, int64_t id, struct slice bytes, struct error *err)
{
    struct blob_codec *codec = store->codec;

    if (codec->compress == NULL)
        codec->compress = ZSTD_createCCtx();
    if (codec->compress == NULL)
        return error_set(err, ERROR_INTERNAL, "%s: no memory to compress a capture", store->path);
    for (size_t offset = 0, n = 0; offset < bytes.length; offset += BLOCK_BYTES, n++) {
        size_t left = bytes.length - offset;
        size_t packed = ZSTD_compressCCtx(codec->compress, codec->packed, codec->room, bytes.bytes + offset,
                                          left < BLOCK_BYTES ? left : BLOCK_BYTES, LEVEL);

        if (ZSTD_isError(packed))
            return error_set(err, ERROR_INTERNAL, "%s: compressing a capture: %s", store->path,
                             ZSTD_getErrorName(packed));
        if (store_exec(store, INSERT_BLOB, err, INTEGER(id), INTEGER(n),
                       BYTES(((struct slice){codec->packed, packed}))) < 0)
            return -1;
    }
    return 0;
}

int content_put(struct store *store, struct slice bytes, const char *expected_sha256, int64_t *ret_id,
                struct error *err)
{
    char sha256[SHA256_HEX_SIZE];
    int found;

    sha256_hex(bytes.bytes, bytes.length, sha256);
    if (expected_sha256[0] != '\0' && strcmp(expected_sha256, sha256) != 0)
        return error_set(err, ERROR_INTERNAL, "%s: bytes with SHA-256 %s arrived instead of %s", store->path,
                         sha256, expected_sha256);
    found = store_ask(store, FIND_CONTENT, ret_id, err, TEXT(sha256));
    if (found != 0)
        return found < 0 ? -1 : 0;
    if (store_exec(store, INSERT_CONTENT, err, TEXT(sha256), INTEGER(bytes.length)) < 0)
        return -1;
    *ret_id = sqlite3_last_insert_rowid(store->db);
    return put_blocks(store, *ret_id, bytes, err);
}

int content_fill(struct store *store, struct slice bytes, struct error *err)
{
    char sha256[SHA256_HEX_SIZE];
    int64_t id, blocks;
    int found;

    sha256_hex(bytes.bytes, bytes.length, sha256);
    found = store_ask(store, FIND_CONTENT, &id, err, TEXT(sha256));
    if (found > 0)
        found = store_ask(store, COUNT_BLOBS, &blocks, err, INTEGER(id));
    return found > 0 && blocks == 0 ? put_blocks(store, id, bytes, err) : found < 0 ? -1 : 0;
}

/* Its row, and the length confirmed by the number of blocks before anybody allocates it. */
static int find_content(struct store *store, int64_t id, const char *what, size_t *ret_length,
                        char ret_sha256[SHA256_HEX_SIZE], struct error *err)
{
    struct arena *arena = arena_create();
    struct rows rows;
    int result = rows_open(store, &rows, SELECT_CONTENT, arena, NULL, err, INTEGER(id));

    if (result == 0)
        result = rows_next(&rows, err);
    if (result > 0) {
        const char *sha256 = take_text(&rows);
        int64_t length = take_integer(&rows), blocks = take_integer(&rows);

        rows_close(&rows);
        result = 0;
        if (sha256 == NULL || strlen(sha256) != SHA256_HEX_SIZE - 1 || length < 0 ||
            (length + BLOCK_BYTES - 1) / BLOCK_BYTES != blocks)
            result = store_damage(store, err, "%s: its bytes are not all there", what);
        else
            memcpy(ret_sha256, sha256, SHA256_HEX_SIZE);
        *ret_length = (size_t)length;
    } else if (result == 0) {
        result = store_damage(store, err, "%s: its bytes are not there", what);
    }
    arena_destroy(arena);
    return result;
}

int content_sha256(struct store *store, int64_t id, const char *what, char ret_sha256[SHA256_HEX_SIZE],
                   struct error *err)
{
    size_t length;

    return find_content(store, id, what, &length, ret_sha256, err);
}

/* One block into its place; false when it is not exactly that block. */
static bool unpack(struct blob_codec *codec, struct rows *rows, char *bytes, size_t length, size_t *offset,
                   size_t n)
{
    size_t left = length - *offset, wanted = left < BLOCK_BYTES ? left : BLOCK_BYTES, got;

    if (take_integer(rows) != (int64_t)n || wanted == 0)
        return false;
    got = ZSTD_decompressDCtx(codec->decompress, bytes + *offset, wanted,
                              sqlite3_column_blob(rows->statement, rows->column),
                              (size_t)sqlite3_column_bytes(rows->statement, rows->column));
    *offset += wanted;
    return !ZSTD_isError(got) && got == wanted;
}

static int get_blocks(struct store *store, int64_t id, const char *what, char *bytes, size_t length,
                      struct error *err)
{
    struct rows rows;
    size_t offset = 0;
    int got;

    if (store->codec->decompress == NULL)
        store->codec->decompress = ZSTD_createDCtx();
    if (store->codec->decompress == NULL)
        return error_set(err, ERROR_INTERNAL, "%s: no memory to decompress a capture", store->path);
    if (rows_open(store, &rows, SELECT_BLOBS, NULL, NULL, err, INTEGER(id)) < 0)
        return -1;
    for (size_t n = 0; (got = rows_next(&rows, err)) > 0; n++)
        if (!unpack(store->codec, &rows, bytes, length, &offset, n)) {
            rows_close(&rows);
            return store_damage(store, err, "%s: block %zu of its bytes cannot be unpacked", what, n);
        }
    return got;
}

int content_get(struct store *store, struct arena *arena, int64_t id, const char *what,
                struct slice *ret_bytes, char ret_sha256[SHA256_HEX_SIZE], struct error *err)
{
    char found[SHA256_HEX_SIZE];
    size_t length = 0;
    char *bytes;

    if (find_content(store, id, what, &length, ret_sha256, err) < 0)
        return -1;
    bytes = arena_alloc(arena, length + 1);
    if (get_blocks(store, id, what, bytes, length, err) < 0)
        return -1;
    sha256_hex(bytes, length, found);
    if (strcmp(found, ret_sha256) != 0)
        return store_damage(store, err, "%s: its bytes have SHA-256 %s and should have %s", what, found,
                            ret_sha256);
    *ret_bytes = (struct slice){bytes, length};
    return 0;
}
