/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/arena.h"
#include "assay/cleanup.h"

static int read_all(int fd, const char *path, struct text *text, struct error *err)
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
    return read_all(fd, path, text, err);
}

int file_read_regular(const char *path, struct text *text, struct error *err)
{
    cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) < 0)
        return error_set(err, ERROR_USAGE, "%s: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(err, ERROR_USAGE, "%s: it is no regular file", path);
    return read_all(fd, path, text, err);
}

static int write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t wrote = write(fd, bytes, length);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return -1;
        bytes += wrote;
        length -= (size_t)wrote;
    }
    return 0;
}

/* A device or a pipe: a file that took its name would take its place. */
static bool is_special(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

int file_begin(struct file_writing *writing, const char *path, unsigned mode, struct error *err)
{
    *writing = (struct file_writing){.path = path, .mode = mode, .fd = STDOUT_FILENO};
    if (strcmp(path, "-") == 0) {
        writing->path = "standard output";
        return 0;
    }
    if (is_special(path)) {
        writing->fd = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        writing->temporary = mem_printf("%s.XXXXXX", path);
        writing->fd = mkostemp(writing->temporary, O_CLOEXEC);
    }
    if (writing->fd >= 0)
        return 0;
    free(writing->temporary);
    writing->temporary = NULL;
    return error_set(err, ERROR_INTERNAL, "%s: %s", path, strerror(errno));
}

int file_add(struct file_writing *writing, const void *bytes, size_t length, struct error *err)
{
    return write_all(writing->fd, bytes, length) == 0
               ? 0
               : error_set(err, ERROR_INTERNAL, "%s: %s", writing->path, strerror(errno));
}

int file_finish(struct file_writing *writing, struct error *err)
{
    if (writing->temporary != NULL) {
        if (fchmod(writing->fd, (mode_t)writing->mode) < 0 || fsync(writing->fd) < 0 ||
            rename(writing->temporary, writing->path) < 0)
            return error_set(err, ERROR_INTERNAL, "%s: %s", writing->path, strerror(errno));
        free(writing->temporary);
        writing->temporary = NULL;
    }
    file_abandon(writing);
    return 0;
}

void file_abandon(struct file_writing *writing)
{
    if (writing->temporary != NULL)
        unlink(writing->temporary);
    free(writing->temporary);
    writing->temporary = NULL;
    if (writing->fd > STDERR_FILENO)
        close(writing->fd);
    writing->fd = -1;
}

int file_write(const char *path, const void *bytes, size_t length, unsigned mode, struct error *err)
{
    struct file_writing writing;
    int result;

    if (file_begin(&writing, path, mode, err) < 0)
        return -1;
    result = file_add(&writing, bytes, length, err) == 0 ? file_finish(&writing, err) : -1;
    file_abandon(&writing);
    return result;
}

int file_open_nameless(struct error *err)
{
    const char *place = getenv("TMPDIR");
    cleanup_free char *path = mem_printf("%s/assay-XXXXXX", place != NULL && *place != '\0' ? place : "/tmp");
    int fd = open(place != NULL && *place != '\0' ? place : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0)
        return fd;
    /* Some file systems cannot: then it has a name for a moment. */
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0 && unlink(path) == 0)
        return fd;
    error_set(err, ERROR_INTERNAL, "cannot make a temporary file %s: %s; TMPDIR names another place", path,
              strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

int file_put(int fd, const void *bytes, size_t length, const char *what, struct error *err)
{
    return write_all(fd, bytes, length) == 0
               ? 0
               : error_set(err, ERROR_INTERNAL, "%s: %s", what, strerror(errno));
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
