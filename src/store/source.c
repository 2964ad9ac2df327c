/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a database comes over that somebody may be writing: its bytes and those of its WAL are copied, until that was done
 * without a change between. SQLite joins the two in our copy, where there is no index of theirs (-shm) that it would
 * believe. What comes out is a file as a bundle has it, and is read as one.
 */
#include "assay/store/source.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/clock.h"
#include "assay/base/files.h"
#include "foreign.h"

enum {
    PIECE = 1 << 20,
    MARGIN = 64 << 20 /* of the disk, for who writes there meanwhile */,
    TRIES = 10,
    PAUSE_MS = 100
};
static const char magic[16] = "SQLite format 3";

/* At once, also where somebody has put a pipe there. */
static int open_regular(const char *path, int *ret_fd, struct stat *ret_status, struct error *err)
{
    *ret_fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*ret_fd < 0)
        return errno == ENOENT ? 0 : error_set(err, ERROR_USAGE, "%s: %s", path, strerror(errno));
    if (fstat(*ret_fd, ret_status) == 0 && S_ISREG(ret_status->st_mode))
        return 1;
    close(*ret_fd);
    *ret_fd = -1;
    return error_set(err, ERROR_USAGE, "%s is no regular file", path);
}

int source_is_database(const char *path, bool *ret_is, struct error *err)
{
    char bytes[sizeof magic] = "";
    struct stat status;
    cleanup_fd int fd = -1;
    int got = open_regular(path, &fd, &status, err);

    if (got <= 0)
        return got < 0 ? -1 : error_set(err, ERROR_USAGE, "%s: %s", path, strerror(ENOENT));
    *ret_is = pread(fd, bytes, sizeof bytes, 0) == sizeof bytes && memcmp(bytes, magic, sizeof magic) == 0;
    return 0;
}

/* -- Copies that nobody else has ------------------------------------------------------------------------------------- */

/* A file that grows while it is read is taken as far as it was. */
static int copy_bytes(int from, off_t length, const char *path, const char *to, struct error *err)
{
    cleanup_fd int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    cleanup_free char *bytes = mem_alloc(PIECE);
    struct statvfs room;
    ssize_t got = 1;

    if (fd < 0 || fstatvfs(fd, &room) < 0)
        return error_set(err, ERROR_INTERNAL, "%s: %s", to, strerror(errno));
    if ((double)room.f_bavail * (double)room.f_frsize < (double)length + MARGIN)
        return error_set(err, ERROR_USAGE,
                         "%s: there is no room for a copy of it at %s; TMPDIR names another place", path, to);
    while (length > 0 && (got = read(from, bytes, length < PIECE ? (size_t)length : PIECE)) > 0) {
        if (file_put(fd, bytes, (size_t)got, to, err) < 0)
            return -1;
        length -= got;
    }
    return got >= 0 ? 0 : error_set(err, ERROR_USAGE, "%s: %s", path, strerror(errno));
}

/* 1; 0: there is no such file. */
static int copy_file(const char *path, const char *to, struct stat *ret_status, struct error *err)
{
    cleanup_fd int fd = -1;
    int got = open_regular(path, &fd, ret_status, err);

    unlink(to);
    if (got > 0 && copy_bytes(fd, ret_status->st_size, path, to, err) < 0)
        return -1;
    return got;
}

/* The kernel's clock of files stands still for some milliseconds: what was written just before may be written again under the
   same time. */
static bool is_as_it_was(const char *path, const struct stat *before)
{
    const double tick_s = 0.05;
    double written = (double)before->st_mtim.tv_sec + (double)before->st_mtim.tv_nsec / 1e9;
    struct stat now;

    return fabs(clock_now() - written) > tick_s && stat(path, &now) == 0 && now.st_ino == before->st_ino &&
           now.st_size == before->st_size && now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

/* What a writer without a WAL has half done, its journal undoes, and that is for whoever may write there. */
static int check_journal(struct arena *arena, const char *path, struct error *err)
{
    const char *journal = arena_printf(arena, "%s-journal", path);
    char first = '\0';
    cleanup_fd int fd = open(journal, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0 || pread(fd, &first, 1, 0) != 1 || first == '\0')
        return 0;
    return error_set(
        err, ERROR_USAGE,
        "%s: its writer has not finished; when it has ended, `assay list --db %s` puts the file in order",
        path, path);
}

/*
 * A commit goes into the WAL, and only a checkpoint writes to the database itself. So a database that stayed as it was from
 * before its own copy until after that of the WAL belongs to that WAL: whatever was added to it meanwhile is there as a whole
 * or, by its checksums, not at all.
 */
static int copy_both(struct arena *arena, const char *path, const char *to, struct error *err)
{
    const char *wal = arena_printf(arena, "%s-wal", path), *wal_to = arena_printf(arena, "%s-wal", to);
    struct stat status, of_wal;

    for (int i = 0; i < TRIES; i++) {
        int got = copy_file(path, to, &status, err);

        if (got == 0)
            error_set(err, ERROR_USAGE, "%s: %s", path, strerror(ENOENT));
        if (got <= 0 || copy_file(wal, wal_to, &of_wal, err) < 0 || check_journal(arena, path, err) < 0)
            return -1;
        if (is_as_it_was(path, &status))
            return 0;
        sqlite3_sleep(PAUSE_MS);
    }
    return error_set(err, ERROR_USAGE,
                     "%s: another process is writing to it all the time; merge it when its run has ended",
                     path);
}

/* -- One file of both -------------------------------------------------------------------------------------------- */

static int authorize(void *context, int action, const char *a, const char *b, const char *database,
                     const char *trigger)
{
    (void)context;
    (void)b;
    (void)database;
    (void)trigger;
    return action == SQLITE_PRAGMA && strcmp(a, "journal_mode") == 0 ? SQLITE_OK : SQLITE_DENY;
}

static void tie_down(sqlite3 *db)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_set_authorizer(db, authorize, NULL);
}

/* What is wrong with what it wrote shows when it is read. */
static int join(const char *copy, const char *label, struct error *err)
{
    sqlite3 *db = NULL;
    int result = sqlite3_open_v2(copy, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL);

    if (result == SQLITE_OK) {
        tie_down(db);
        result = sqlite3_exec(db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
    }
    if (result == SQLITE_FULL || result == SQLITE_IOERR)
        error_set(err, ERROR_INTERNAL, "a temporary file for %s: %s", label, sqlite3_errmsg(db));
    else if (result != SQLITE_OK)
        error_set(err, ERROR_USAGE, "%s is refused: %s", label, sqlite3_errmsg(db));
    sqlite3_close(db);
    return result == SQLITE_OK ? 0 : -1;
}

static int hash_file(int fd, char ret_sha256[SHA256_HEX_SIZE], struct error *err)
{
    cleanup_free char *bytes = mem_alloc(PIECE);
    struct sha256 *hash = sha256_create();
    off_t at = 0;
    ssize_t got;

    while ((got = pread(fd, bytes, PIECE, at)) > 0) {
        sha256_add(hash, bytes, (size_t)got);
        at += got;
    }
    sha256_finish(hash, ret_sha256);
    return got == 0 ? 0 : error_set(err, ERROR_INTERNAL, "a temporary file: %s", strerror(errno));
}

static int open_copy(struct arena *arena, const char *path, const char *copy, struct source *source,
                     struct error *err)
{
    cleanup_fd int fd = -1;

    if (copy_both(arena, path, copy, err) < 0 || join(copy, path, err) < 0)
        return -1;
    fd = open(copy, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(err, ERROR_INTERNAL, "%s: %s", copy, strerror(errno));
    if (hash_file(fd, source->sha256, err) < 0)
        return -1;
    source->store = foreign_copy_all(fd, path, err);
    return source->store != NULL ? 0 : -1;
}

int source_open(const char *path, const char *folder, struct source *ret_source, struct error *err)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    struct arena *arena = arena_create();
    const char *copy = arena_printf(arena, "%s/source.db", folder);
    int result;

    *ret_source = (struct source){0};
    result = open_copy(arena, path, copy, ret_source, err);
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
        unlink(arena_printf(arena, "%s%s", copy, ends[i]));
    arena_destroy(arena);
    return result;
}

int source_check_run(const struct source *source, long long number, struct error *err)
{
    return foreign_check_run(source->store, number, source->store->path, err);
}
