/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"

/* until NULL: all of it. */
static int read_all(int fd, const char *path, const char *until, struct text *text, struct error *err)
{
    char buffer[64 * 1024];
    ssize_t got;

    while ((got = read(fd, buffer, sizeof buffer)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(err, ERROR_USAGE, "%s: %s", path, strerror(errno));
        text_add(text, buffer, (size_t)got);
        if (text->clipped)
            return error_set(err, ERROR_USAGE, "%s: larger than %zu bytes, the most that is read here", path,
                             text->limit);
        if (until != NULL && memmem(text->bytes, text->length, until, strlen(until)) != NULL)
            return 0;
    }
    return 0;
}

int file_read(const char *path, struct text *text, struct error *err)
{
    bool from_stdin = strcmp(path, "-") == 0;
    cleanup_fd int opened = from_stdin ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    int fd = from_stdin ? STDIN_FILENO : opened;

    if (fd < 0)
        return error_set(err, ERROR_USAGE, "%s: %s", path, strerror(errno));
    return read_all(fd, path, NULL, text, err);
}

int file_read_regular(const char *path, struct text *text, struct error *err)
{
    return file_read_until(path, NULL, text, err);
}

int file_read_until(const char *path, const char *until, struct text *text, struct error *err)
{
    cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) < 0)
        return error_set(err, ERROR_USAGE, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(err, ERROR_USAGE, "%s: it is not a regular file", path);
    return read_all(fd, path, until, text, err);
}

const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

int directory_create(const char *path, unsigned mode, struct error *err)
{
    cleanup_free char *copy = mem_strdup(path);

    for (char *slash = copy + 1;; slash++) {
        char kept = *slash;

        if (kept != '/' && kept != '\0')
            continue;
        *slash = '\0';
        if (mkdir(copy, (mode_t)mode) < 0 && errno != EEXIST)
            return error_set(err, ERROR_INTERNAL, "%s: %s", copy, strerror(errno));
        *slash = kept;
        if (kept == '\0')
            return 0;
    }
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

int directory_remove(const char *path, struct error *err)
{
    if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) < 0 && errno != ENOENT)
        return error_set(err, ERROR_INTERNAL, "%s: %s", path, strerror(errno));
    return 0;
}

char *program_path(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

    if (length < 0)
        return NULL;
    path[length] = '\0';
    return mem_strdup(path);
}
