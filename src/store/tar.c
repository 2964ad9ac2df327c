/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/store/tar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/sha256.h"
#include "assay/base/text.h"

enum {
    BLOCK = 512,
    NAME_BYTES = 100,
    CHUNK = 1 << 17,
    LEVEL = 6,
    WINDOW_LOG = 24, /* outputs of many hosts are alike, and lie far apart */
    SEAL_BYTES = 8 + SHA256_HEX_SIZE - 1,
};
static const unsigned char seal_head[8] = {0x50, 0x2a, 0x4d, 0x18, SHA256_HEX_SIZE - 1, 0, 0, 0};
static const size_t largest_entry = (size_t)8 << 30;

/* Of a ustar header, what is not text: offsets. */
enum { MODE = 100, UID = 108, GID = 116, SIZE = 124, MTIME = 136, CHECKSUM = 148, TYPE = 156, MAGIC = 257 };

struct tar_writer {
    char *path;
    struct file_writing file;
    ZSTD_CCtx *zstd;
    struct sha256 *hash;
    char packed[CHUNK];
};

static int writing_error(const struct tar_writer *tar, const char *what, struct error *err)
{
    return error_set(err, ERROR_INTERNAL, "writing %s: %s", tar->path, what);
}

struct tar_writer *tar_create(const char *path, struct error *err)
{
    struct tar_writer *tar = mem_alloc(sizeof *tar);

    tar->path = mem_strdup(path);
    tar->hash = sha256_create();
    tar->zstd = ZSTD_createCCtx();
    tar->file.fd = -1;
    if (tar->zstd == NULL)
        writing_error(tar, "no memory", err);
    if (tar->zstd == NULL || file_begin(&tar->file, tar->path, 0600, err) < 0) {
        tar_abandon(tar);
        return NULL;
    }
    ZSTD_CCtx_setParameter(tar->zstd, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(tar->zstd, ZSTD_c_windowLog, WINDOW_LOG);
    ZSTD_CCtx_setParameter(tar->zstd, ZSTD_c_enableLongDistanceMatching, 1);
    return tar;
}

static int put_packed(struct tar_writer *tar, const void *bytes, size_t length, struct error *err)
{
    sha256_add(tar->hash, bytes, length);
    return file_add(&tar->file, bytes, length, err);
}

static int put(struct tar_writer *tar, const void *bytes, size_t length, ZSTD_EndDirective end,
               struct error *err)
{
    ZSTD_inBuffer in = {bytes, length, 0};
    size_t left;

    do {
        ZSTD_outBuffer out = {tar->packed, sizeof tar->packed, 0};

        left = ZSTD_compressStream2(tar->zstd, &out, &in, end);
        if (ZSTD_isError(left))
            return writing_error(tar, ZSTD_getErrorName(left), err);
        if (put_packed(tar, out.dst, out.pos, err) < 0)
            return -1;
    } while (end == ZSTD_e_end ? left > 0 : in.pos < in.size);
    return 0;
}

static unsigned checksum_of(const unsigned char *header)
{
    unsigned sum = 0;

    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= CHECKSUM && i < CHECKSUM + 8 ? ' ' : header[i];
    return sum;
}

/* Times and owners are nobody's: the same run gives the same header. */
static void make_header(const char *name, size_t length, unsigned char *header)
{
    char number[16];

    memset(header, 0, BLOCK);
    memcpy(header, name, strlen(name));
    memcpy(header + MODE, "0000644", 8);
    memcpy(header + UID, "0000000", 8);
    memcpy(header + GID, "0000000", 8);
    snprintf(number, sizeof number, "%011zo", length);
    memcpy(header + SIZE, number, 12);
    memcpy(header + MTIME, "00000000000", 12);
    header[TYPE] = '0';
    memcpy(header + MAGIC, "ustar\00000", 8);
    snprintf(number, sizeof number, "%06o", checksum_of(header));
    memcpy(header + CHECKSUM, number, 7);
    header[CHECKSUM + 7] = ' ';
}

int tar_add(struct tar_writer *tar, const char *name, struct slice bytes, struct error *err)
{
    static const char zeros[BLOCK];
    unsigned char header[BLOCK];

    if (strlen(name) > NAME_BYTES || bytes.length >= largest_entry)
        return writing_error(tar, "a piece is too long, or its name", err);
    make_header(name, bytes.length, header);
    if (put(tar, header, BLOCK, ZSTD_e_continue, err) < 0 ||
        put(tar, bytes.bytes, bytes.length, ZSTD_e_continue, err) < 0)
        return -1;
    return put(tar, zeros, (BLOCK - bytes.length % BLOCK) % BLOCK, ZSTD_e_continue, err);
}

static int put_seal(struct tar_writer *tar, struct error *err)
{
    char sha256[SHA256_HEX_SIZE];

    sha256_finish(tar->hash, sha256);
    tar->hash = NULL;
    return file_add(&tar->file, seal_head, sizeof seal_head, err) < 0
               ? -1
               : file_add(&tar->file, sha256, SHA256_HEX_SIZE - 1, err);
}

int tar_finish(struct tar_writer *tar, struct error *err)
{
    static const char zeros[2 * BLOCK];
    int result = put(tar, zeros, sizeof zeros, ZSTD_e_end, err);

    if (result == 0)
        result = put_seal(tar, err);
    if (result == 0)
        result = file_finish(&tar->file, err);
    tar_abandon(tar);
    return result;
}

void tar_abandon(struct tar_writer *tar)
{
    char ignored[SHA256_HEX_SIZE];

    if (tar == NULL)
        return;
    if (tar->hash != NULL)
        sha256_finish(tar->hash, ignored);
    file_abandon(&tar->file);
    ZSTD_freeCCtx(tar->zstd);
    free(tar->path);
    free(tar);
}

struct unpacking {
    const char *path, *name; /* of the piece at hand */
    int fd;
    uint64_t unread; /* bytes of the file before its seal */
    struct sha256 *file, *sealed;
    ZSTD_DCtx *zstd;
    ZSTD_inBuffer in;
    bool ended;      /* the frame */
    uint64_t budget; /* bytes that may still be unpacked */
    char packed[CHUNK];
};

static int broken(const struct unpacking *unpacking, const char *how, struct error *err)
{
    return error_set(err, ERROR_USAGE, "%s is damaged%s%s: %s", unpacking->path,
                     unpacking->name[0] != '\0' ? " at or before " : "", unpacking->name, how);
}

/* Each byte of the file is read once, by whoever may be writing it: what is hashed is what is unpacked. */
static int feed(struct unpacking *unpacking, struct error *err)
{
    size_t wanted = unpacking->unread < CHUNK ? (size_t)unpacking->unread : CHUNK;
    ssize_t got;

    if (unpacking->in.pos < unpacking->in.size || wanted == 0)
        return 0;
    do
        got = read(unpacking->fd, unpacking->packed, wanted);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return broken(unpacking, strerror(errno), err);
    if (got == 0)
        return broken(unpacking, "it became shorter while it was read", err);
    sha256_add(unpacking->file, unpacking->packed, (size_t)got);
    sha256_add(unpacking->sealed, unpacking->packed, (size_t)got);
    unpacking->unread -= (uint64_t)got;
    unpacking->in = (ZSTD_inBuffer){unpacking->packed, (size_t)got, 0};
    return 0;
}

/* What of the frame there is room for. */
static int unpack(struct unpacking *unpacking, ZSTD_outBuffer *out, struct error *err)
{
    size_t before, left;

    if (feed(unpacking, err) < 0)
        return -1;
    before = out->pos + unpacking->in.pos;
    left = ZSTD_decompressStream(unpacking->zstd, out, &unpacking->in);
    if (ZSTD_getErrorCode(left) == ZSTD_error_prefix_unknown && unpacking->name[0] == '\0')
        return error_set(err, ERROR_USAGE, "%s is not an evidence bundle", unpacking->path);
    if (ZSTD_isError(left))
        return broken(unpacking, ZSTD_getErrorName(left), err);
    unpacking->ended = left == 0;
    if (left > 0 && out->pos + unpacking->in.pos == before)
        return broken(unpacking, "the archive is cut", err);
    return 0;
}

static int take(struct unpacking *unpacking, void *bytes, size_t length, struct error *err)
{
    ZSTD_outBuffer out = {bytes, length, 0};

    if (length > unpacking->budget)
        return broken(unpacking, "it unpacks to more than any run of assay's would", err);
    unpacking->budget -= length;
    while (out.pos < out.size) {
        if (unpacking->ended)
            return broken(unpacking, "the archive is cut", err);
        if (unpack(unpacking, &out, err) < 0)
            return -1;
    }
    return 0;
}

static bool take_octal(const unsigned char *digits, size_t count, size_t *ret_value)
{
    *ret_value = 0;
    for (size_t i = 0; i < count; i++) {
        if (digits[i] < '0' || digits[i] > '7')
            return false;
        *ret_value = *ret_value * 8 + (size_t)(digits[i] - '0');
    }
    return true;
}

/* Only headers as make_header makes them. */
static bool is_ours(const unsigned char *header, char name[NAME_BYTES + 1], size_t *ret_length)
{
    unsigned char made[BLOCK];

    memcpy(name, header, NAME_BYTES);
    name[NAME_BYTES] = '\0';
    if (name[0] == '\0' || !take_octal(header + SIZE, 11, ret_length) || *ret_length >= largest_entry)
        return false;
    make_header(name, *ret_length, made);
    return memcmp(made, header, BLOCK) == 0;
}

static bool all_zero(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Bytes and what fills their last block, piece by piece: a size that is not true costs nothing. */
static int take_bytes(struct unpacking *unpacking, size_t length, const struct tar_reader *reader,
                      struct error *err)
{
    char chunk[BLOCK * 128];
    size_t padded = (length + BLOCK - 1) / BLOCK * BLOCK;

    while (padded > 0) {
        size_t now = padded < sizeof chunk ? padded : sizeof chunk, useful = now < length ? now : length;

        if (take(unpacking, chunk, now, err) < 0)
            return -1;
        if (!all_zero(chunk + useful, now - useful))
            return broken(unpacking, "there is something between the pieces", err);
        if (useful > 0 && reader->add(reader->context, (struct slice){chunk, useful}, err) < 0)
            return -1;
        length -= useful;
        padded -= now;
    }
    return 0;
}

static int check_end(struct unpacking *unpacking, struct error *err)
{
    char block[BLOCK];
    ZSTD_outBuffer out = {block, BLOCK, 0};

    unpacking->name = "";
    if (take(unpacking, block, BLOCK, err) < 0)
        return -1;
    if (!all_zero(block, BLOCK))
        return broken(unpacking, "its end is not one", err);
    while (!unpacking->ended && out.pos == 0)
        if (unpack(unpacking, &out, err) < 0)
            return -1;
    if (out.pos > 0 || unpacking->in.pos < unpacking->in.size || unpacking->unread > 0)
        return broken(unpacking, "there is something behind its end", err);
    return 0;
}

static int read_entries(struct unpacking *unpacking, const struct tar_reader *reader, struct error *err)
{
    char name[NAME_BYTES + 1] = "", header[BLOCK];
    size_t length;

    unpacking->name = name;
    for (;;) {
        if (take(unpacking, header, BLOCK, err) < 0)
            return -1;
        if (all_zero(header, BLOCK))
            break;
        if (!is_ours((const unsigned char *)header, name, &length))
            return broken(unpacking, "no header of a piece", err);
        if (reader->begin(reader->context, name, length, err) < 0 ||
            take_bytes(unpacking, length, reader, err) < 0 || reader->end(reader->context, err) < 0)
            return -1;
    }
    return check_end(unpacking, err);
}

/* The end of the file, behind the archive: the hash of all before it. One byte more is not read, or it is not sealed. */
static bool take_seal(struct unpacking *unpacking)
{
    char seal[SEAL_BYTES + 1], sha256[SHA256_HEX_SIZE];
    ssize_t got = 0, now;

    while (got <= SEAL_BYTES && (now = read(unpacking->fd, seal + got, sizeof seal - (size_t)got)) > 0)
        got += now;
    sha256_add(unpacking->file, seal, (size_t)got);
    sha256_finish(steal_pointer(unpacking->sealed), sha256);
    return got == SEAL_BYTES && memcmp(seal, seal_head, sizeof seal_head) == 0 &&
           memcmp(seal + sizeof seal_head, sha256, SHA256_HEX_SIZE - 1) == 0;
}

static int read_archive(struct unpacking *unpacking, const struct tar_reader *reader, bool *ret_sealed,
                        char ret_sha256[SHA256_HEX_SIZE], struct error *err)
{
    char ignored[SHA256_HEX_SIZE];
    int result;

    *ret_sealed = false;
    unpacking->file = sha256_create();
    unpacking->sealed = sha256_create();
    unpacking->zstd = ZSTD_createDCtx();
    result = unpacking->zstd != NULL
                 ? read_entries(unpacking, reader, err)
                 : error_set(err, ERROR_INTERNAL, "no memory to unpack %s", unpacking->path);
    if (result == 0)
        *ret_sealed = take_seal(unpacking);
    sha256_finish(unpacking->file, ret_sha256);
    if (unpacking->sealed != NULL)
        sha256_finish(unpacking->sealed, ignored);
    ZSTD_freeDCtx(unpacking->zstd);
    return result;
}

int tar_read(const char *path, const struct tar_reader *reader, bool *ret_sealed,
             char ret_sha256[SHA256_HEX_SIZE], struct error *err)
{
    static const uint64_t most_times = 1000, always = (uint64_t)64 << 20;
    cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct unpacking *unpacking;
    struct stat status;
    int result;

    if (fd < 0 || fstat(fd, &status) < 0)
        return error_set(err, ERROR_USAGE, "cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode) || status.st_size <= SEAL_BYTES)
        return error_set(err, ERROR_USAGE, "%s is not an evidence bundle", path);
    unpacking = mem_alloc(sizeof *unpacking);
    *unpacking = (struct unpacking){.path = path,
                                    .name = "",
                                    .fd = fd,
                                    .unread = (uint64_t)status.st_size - SEAL_BYTES,
                                    .budget = always + (uint64_t)status.st_size * most_times};
    result = read_archive(unpacking, reader, ret_sealed, ret_sha256, err);
    free(unpacking);
    return result;
}
