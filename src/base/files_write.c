/* SPDX-License-Identifier: Apache-2.0 */
/* The one way in which a file that a user named is written. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"

enum { MOST_LINKS = 40, MOST_NAMES = 100, PERMISSIONS = 0777, OF_OWNER = 0700 };

int file_write_all(int fd, const void *bytes, size_t length)
{
    const char *rest = bytes;

    while (length > 0) {
        ssize_t wrote = write(fd, rest, length);

        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return errno;
        rest += wrote;
        length -= (size_t)wrote;
    }
    return 0;
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        return mem_strdup(".");
    return slash == path ? mem_strdup("/") : mem_printf("%.*s", (int)(slash - path), path);
}

/* "/dev/stdout", "/dev/fd/3": open already, and at a place in its file that another opening would not have. -1: no. */
static int own_descriptor(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    cleanup_free char *folder = folder_of(path);
    cleanup_free char *real = realpath(folder, NULL);
    cleanup_free char *own = mem_printf("/proc/%ld/fd", (long)getpid());

    if (real == NULL || strcmp(real, own) != 0 || *name == '\0' ||
        strspn(name, "0123456789") != strlen(name) || strlen(name) > 9)
        return -1;
    return (int)strtol(name, NULL, 10);
}

/* What /tmp is protected from: a name that somebody else has taken there first. */
static int refuse_planted(const char *path, const struct stat *status, struct error *err)
{
    cleanup_free char *folder = folder_of(path);
    struct stat place;

    if (stat(folder, &place) < 0 || (place.st_mode & (S_ISVTX | S_IWOTH)) != (S_ISVTX | S_IWOTH) ||
        status->st_uid == geteuid() || status->st_uid == place.st_uid)
        return 0;
    return error_set(err, ERROR_USAGE,
                     "%s is another user's, in a folder that all may write to: it is neither followed nor "
                     "replaced; give another name",
                     path);
}

/* What a path leads to. */
struct target {
    char *path;         /* no link; free() it */
    bool there;         /* something has this name */
    struct stat status; /* of what does */
    int own;            /* a descriptor of ours that is meant; -1: none */
};

static char *read_link(const char *path)
{
    char to[PATH_MAX];
    ssize_t length = readlink(path, to, sizeof to - 1);
    cleanup_free char *folder = folder_of(path);

    if (length <= 0)
        return NULL;
    to[length] = '\0';
    return to[0] == '/' ? mem_strdup(to) : mem_printf("%s/%s", folder, to);
}

/* 1: it is a link, and the target is what it names; 0: it is the end; -1. */
static int step(const char *path, struct target *target, struct error *err)
{
    char *to;

    target->own = own_descriptor(target->path);
    target->there = target->own < 0 && lstat(target->path, &target->status) == 0;
    if (target->own >= 0 || (!target->there && errno == ENOENT))
        return 0;
    if (!target->there)
        return error_set(err, ERROR_USAGE, "%s: %s", path, strerror(errno));
    if (refuse_planted(target->path, &target->status, err) < 0)
        return -1;
    if (!S_ISLNK(target->status.st_mode))
        return 0;
    to = read_link(target->path);
    if (to == NULL)
        return error_set(err, ERROR_USAGE, "%s: %s", path, strerror(errno));
    free(target->path);
    target->path = to;
    return 1;
}

static int find_target(const char *path, struct target *target, struct error *err)
{
    int links = 0, got = 1;

    *target = (struct target){.path = mem_strdup(path), .own = -1};
    while (got > 0 && links <= MOST_LINKS)
        links += got = step(path, target, err);
    if (got > 0)
        return error_set(err, ERROR_USAGE, "%s: %s", path, strerror(ELOOP));
    if (got == 0 && links > 0 && !target->there && target->own < 0)
        return error_set(err, ERROR_USAGE,
                         "%s is a link to %s, which is not there: remove the link, or make the file", path,
                         target->path);
    return got;
}

/* Another file in its place would be another file for whoever knows it by its other name. */
static int refuse_kind(const char *path, const struct target *target, struct error *err)
{
    if (!target->there)
        return 0;
    if (S_ISDIR(target->status.st_mode))
        return error_set(err, ERROR_USAGE, "%s is a folder: name a file in it", path);
    if (S_ISSOCK(target->status.st_mode))
        return error_set(err, ERROR_USAGE, "%s is a socket, which is not written to as a file", path);
    if (S_ISREG(target->status.st_mode) && target->status.st_nlink > 1)
        return error_set(err, ERROR_USAGE, "%s has %lu names (hard links): give another, or remove this one",
                         path, (unsigned long)target->status.st_nlink);
    return 0;
}

/* A new file beside it. */
static int make_temporary(struct file_writing *writing, mode_t mode)
{
    int fd = -1;

    for (unsigned i = 0; fd < 0 && i < MOST_NAMES; i++) {
        unsigned random = 0;

        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            return -1;
        writing->temporary = mem_printf("%s.%06x", writing->target, random & 0xffffff);
        fd = open(writing->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd >= 0)
            break;
        free(steal_pointer(writing->temporary));
        if (errno != EEXIST)
            return -1;
    }
    return fd;
}

/* Who replaces a file keeps who may read it; what is the owner's alone stays so. */
static int keep_mode(struct file_writing *writing, const struct stat *status)
{
    mode_t mode = status->st_mode & PERMISSIONS & ((writing->mode & ~OF_OWNER) != 0 ? PERMISSIONS : OF_OWNER);

    if ((status->st_uid != geteuid() || status->st_gid != getegid()) &&
        fchown(writing->fd, status->st_uid, status->st_gid) < 0 && errno != EPERM)
        return -1;
    return fchmod(writing->fd, mode);
}

static int open_target(struct file_writing *writing, const struct target *target)
{
    if (target->own >= 0)
        return writing->fd = fcntl(target->own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (target->there && !S_ISREG(target->status.st_mode))
        return writing->fd = open(target->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
    writing->fd = make_temporary(writing, (mode_t)writing->mode);
    if (writing->fd >= 0 && target->there && keep_mode(writing, &target->status) < 0)
        return -1;
    return writing->fd;
}

/* Of a path that nothing can be written to it is the path that is wrong; of all else, as a full disk, it is we that failed. */
static enum error_code code_of_opening(int number)
{
    switch (number) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
    case ENAMETOOLONG:
        return ERROR_USAGE;
    default:
        return ERROR_INTERNAL;
    }
}

int file_begin(struct file_writing *writing, const char *path, unsigned mode, struct error *err)
{
    struct target target;
    int result;

    *writing = (struct file_writing){.path = path, .mode = mode, .fd = STDOUT_FILENO};
    if (strcmp(path, "-") == 0) {
        writing->path = "standard output";
        return 0;
    }
    writing->fd = -1;
    result = find_target(path, &target, err);
    writing->target = target.path;
    if (result == 0)
        result = refuse_kind(path, &target, err);
    if (result == 0 && open_target(writing, &target) < 0)
        result = error_set(err, code_of_opening(errno), "%s: %s", path, strerror(errno));
    if (result < 0)
        file_abandon(writing);
    return result;
}

int file_add(struct file_writing *writing, const void *bytes, size_t length, struct error *err)
{
    int failure = file_write_all(writing->fd, bytes, length);

    if (failure == 0)
        return 0;
    /* Who reads standard output and went away has what it wanted, as of `assay show | head`. */
    return writing->fd == STDOUT_FILENO && failure == EPIPE
               ? 0
               : error_set(err, ERROR_INTERNAL, "%s: %s", writing->path, strerror(failure));
}

int file_finish(struct file_writing *writing, struct error *err)
{
    if (writing->temporary != NULL) {
        if ((!writing->lasts_later && fsync(writing->fd) < 0) ||
            rename(writing->temporary, writing->target) < 0)
            return error_set(err, ERROR_INTERNAL, "%s: %s", writing->path, strerror(errno));
        free(steal_pointer(writing->temporary));
    }
    file_abandon(writing);
    return 0;
}

void file_abandon(struct file_writing *writing)
{
    if (writing->temporary != NULL)
        unlink(writing->temporary);
    free(steal_pointer(writing->temporary));
    free(steal_pointer(writing->target));
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

bool file_is_special(const char *path)
{
    struct stat status;

    return strcmp(path, "-") == 0 ||
           (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

bool file_is_stdout(const char *path)
{
    struct stat named, out;

    if (strcmp(path, "-") == 0)
        return true;
    return stat(path, &named) == 0 && fstat(STDOUT_FILENO, &out) == 0 && named.st_dev == out.st_dev &&
           named.st_ino == out.st_ino && named.st_rdev == out.st_rdev;
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
    int failure = file_write_all(fd, bytes, length);

    return failure == 0 ? 0 : error_set(err, ERROR_INTERNAL, "%s: %s", what, strerror(failure));
}
