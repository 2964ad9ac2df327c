/* SPDX-License-Identifier: Apache-2.0 */
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/files.h"
#include "assay/base/text.h"

struct spool {
    unsigned holders;
    uint64_t limit, offered, kept;
    struct text memory; /* all that is kept, as long as there is no file */
    int fd;             /* -1: no file */
    int failure;
    char *map; /* of kept + 1 bytes; NULL: not mapped */
};

struct spool *spool_create(uint64_t limit)
{
    struct spool *spool = mem_alloc(sizeof *spool);

    *spool = (struct spool){.holders = 1, .limit = limit, .fd = -1};
    text_init(&spool->memory, SPOOL_MEMORY_BYTES);
    return spool;
}

struct spool *spool_hold(struct spool *spool)
{
    if (spool != NULL)
        spool->holders++;
    return spool;
}

static void unmap(struct spool *spool)
{
    if (spool->map != NULL)
        munmap(spool->map, (size_t)spool->kept + 1);
    spool->map = NULL;
}

void spool_release(struct spool *spool)
{
    if (spool == NULL || --spool->holders > 0)
        return;
    unmap(spool);
    if (spool->fd >= 0)
        close(spool->fd);
    text_release(&spool->memory);
    free(spool);
}

int spool_open_unnamed(void)
{
    const char *folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    char path[4096];
    int fd = -1;

    for (size_t i = 0; i < ARRAY_SIZE(folders) && fd < 0; i++) {
        if (folders[i] == NULL || *folders[i] == '\0' ||
            snprintf(path, sizeof path, "%s/assay-output-XXXXXX", folders[i]) >= (int)sizeof path)
            continue;
        fd = mkostemp(path, O_CLOEXEC);
        if (fd >= 0)
            unlink(path);
    }
    return fd;
}

/* What is in memory goes to a file. Returns 0 or an errno. */
static int move_to_file(struct spool *spool)
{
    spool->fd = spool_open_unnamed();
    if (spool->fd < 0)
        return errno;
    if (file_write_all(spool->fd, spool->memory.bytes, spool->memory.length) != 0)
        return errno;
    text_release(&spool->memory);
    return 0;
}

void spool_add(struct spool *spool, const char *bytes, uint64_t length)
{
    uint64_t room = spool->limit - spool->kept;

    spool->offered += length;
    if (length > room)
        length = room;
    if (spool->failure != 0 || length == 0)
        return;
    unmap(spool);
    if (spool->fd < 0 && length <= SPOOL_MEMORY_BYTES - spool->kept) {
        text_add(&spool->memory, bytes, (size_t)length);
        spool->kept += length;
        return;
    }
    if (spool->fd < 0)
        spool->failure = move_to_file(spool);
    if (spool->failure == 0)
        spool->failure = file_write_all(spool->fd, bytes, (size_t)length);
    if (spool->failure == 0)
        spool->kept += length;
}

uint64_t spool_offered(const struct spool *spool)
{
    return spool->offered;
}

bool spool_overflowed(const struct spool *spool)
{
    return spool->offered > spool->limit;
}

int spool_failure(const struct spool *spool)
{
    return spool->failure;
}

/* The file is made one byte longer than what is in it, so that the mapping ends with a NUL. */
static void map_file(struct spool *spool)
{
    void *map = MAP_FAILED;

    if (ftruncate(spool->fd, (off_t)spool->kept) == 0 && ftruncate(spool->fd, (off_t)spool->kept + 1) == 0)
        map = mmap(NULL, (size_t)spool->kept + 1, PROT_READ, MAP_SHARED, spool->fd, 0);
    if (map == MAP_FAILED)
        spool->failure = errno;
    else
        spool->map = map;
}

struct slice spool_bytes(struct spool *spool)
{
    /* With a file that failed from its first byte, memory still holds what was kept. */
    if (spool->kept <= spool->memory.length)
        return (struct slice){spool->memory.bytes, (size_t)spool->kept};
    if (spool->map == NULL)
        map_file(spool);
    return spool->map != NULL ? (struct slice){spool->map, (size_t)spool->kept} : (struct slice){"", 0};
}
