/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/site_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/json.h"
#include "assay/base/text.h"

enum { SCHEMA = 1, COPIED = 64 * 1024 };
static const char MARK[] = "assay-site.json";

/* -- Ways in the folder ------------------------------------------------------------------------------------------- */

/* Small letters, digits and "-_.=" between slashes, no part of it begins with a dot: what we give files as names. */
static bool is_our_path(const char *path)
{
    bool begins = true;

    if (*path == '\0' || strlen(path) >= PATH_MAX)
        return false;
    for (const char *at = path; *at != '\0'; at++) {
        bool plain = (*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9');

        if (begins ? !plain : !plain && strchr("-_.=/", *at) == NULL)
            return false;
        begins = *at == '/';
    }
    return !begins;
}

static int refuse_way(const struct site_folder *folder, const char *path, size_t length, struct error *err)
{
    if (errno == ELOOP || errno == ENOTDIR)
        return error_set(err, ERROR_USAGE,
                         "%s/%.*s is not a folder of the site: remove it, or name another folder",
                         folder->root, (int)length, path);
    return error_set(err, ERROR_INTERNAL, "%s/%.*s: %s", folder->root, (int)length, path, strerror(errno));
}

/* The folder that the last part of path lies in: each on the way is a folder and no link. -1 with errno and err. */
static int open_parent(const struct site_folder *folder, const char *path, bool make, struct error *err)
{
    int fd = open(folder->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *slash, *at = path;

    if (fd < 0)
        return error_set(err, ERROR_INTERNAL, "%s: %s", folder->root, strerror(errno));
    for (; (slash = strchr(at, '/')) != NULL; at = slash + 1) {
        cleanup_free char *part = mem_printf("%.*s", (int)(slash - at), at);
        int next, above = fd;

        if (make && mkdirat(above, part, 0755) < 0 && errno != EEXIST)
            refuse_way(folder, path, (size_t)(slash - path), err);
        next = openat(above, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0)
            refuse_way(folder, path, (size_t)(slash - path), err);
        fd = next;
        close(above);
        if (fd < 0)
            return -1;
    }
    return fd;
}

bool site_folder_has(const struct site_folder *folder, const char *path)
{
    struct error ignored = {0};
    cleanup_fd int parent = open_parent(folder, path, false, &ignored);
    struct stat status;

    return parent >= 0 && fstatat(parent, file_name(path), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(status.st_mode) && status.st_size > 0;
}

/* -- A file ------------------------------------------------------------------------------------------------------- */

static int copy_same(struct site_file *file)
{
    cleanup_free char *buffer = mem_alloc(COPIED);

    for (uint64_t at = 0; at < file->same;) {
        size_t wanted = file->same - at < COPIED ? (size_t)(file->same - at) : COPIED;
        ssize_t got = pread(file->old, buffer, wanted, (off_t)at);

        if (got <= 0)
            return error_set(file->err, ERROR_INTERNAL, "%s changed while it was read", file->place);
        if (file_add(&file->writing, buffer, (size_t)got, file->err) < 0)
            return -1;
        at += (uint64_t)got;
    }
    return 0;
}

static int begin_writing(struct site_file *file)
{
    if (file_begin(&file->writing, file->place, 0644, file->err) < 0)
        return -1;
    file->writes = true;
    file->writing.lasts_later = !file->lasts_now;
    return copy_same(file);
}

static bool is_same(const struct site_file *file, const char *bytes, size_t length)
{
    cleanup_free char *there = NULL;

    if (file->old < 0)
        return false;
    there = mem_alloc(length + 1);
    return pread(file->old, there, length, (off_t)file->same) == (ssize_t)length &&
           memcmp(there, bytes, length) == 0;
}

static bool take(void *context, const char *bytes, size_t length)
{
    struct site_file *file = context;

    if (!file->writes && is_same(file, bytes, length)) {
        file->same += length;
        return true;
    }
    return (file->writes || begin_writing(file) == 0) &&
           file_add(&file->writing, bytes, length, file->err) == 0;
}

int site_file_begin(struct site_file *file, struct site_folder *folder, const char *path, struct error *err)
{
    cleanup_fd int parent = open_parent(folder, path, true, err);
    struct stat status;

    *file = (struct site_file){.folder = folder, .path = path, .old = -1, .err = err};
    if (parent < 0)
        return -1;
    file->old = openat(parent, file_name(path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if ((file->old < 0 && errno != ENOENT) ||
        (file->old >= 0 && (fstat(file->old, &status) < 0 || !S_ISREG(status.st_mode)))) {
        if (file->old >= 0)
            close(file->old);
        return error_set(err, ERROR_USAGE,
                         "%s/%s is not a file that can be rewritten: remove it, or name another folder",
                         folder->root, path);
    }
    file->place = mem_printf("%s/%s", folder->root, path);
    text_init_draining(&file->text, take, file);
    return 0;
}

static int finish(struct site_file *file)
{
    struct stat status;

    text_drain(&file->text);
    if (file->text.clipped)
        return -1;
    if (!file->writes && file->old >= 0 && fstat(file->old, &status) == 0 &&
        (uint64_t)status.st_size == file->same) {
        file->folder->same++;
        return 0;
    }
    if (!file->writes && begin_writing(file) < 0)
        return -1;
    file->folder->written++;
    return file_finish(&file->writing, file->err);
}

void site_file_abandon(struct site_file *file)
{
    if (file->writes)
        file_abandon(&file->writing);
    if (file->old >= 0)
        close(file->old);
    text_release(&file->text);
    free(file->place);
}

int site_file_end(struct site_file *file)
{
    int result = finish(file);

    site_file_abandon(file);
    return result;
}

/* -- Marks -------------------------------------------------------------------------------------------------------- */

void site_mark_sort(struct site_mark *mark)
{
    if (mark->files.count > 0)
        qsort(mark->files.items, mark->files.count, sizeof *mark->files.items, text_compare);
}

bool site_mark_names(const struct site_mark *mark, const char *file)
{
    return mark->files.count > 0 && bsearch(&file, mark->files.items, mark->files.count,
                                            sizeof *mark->files.items, text_compare) != NULL;
}

/* Of a file that others may have written to, only what could be ours is believed. */
static void read_mark(struct arena *arena, const struct json *json, struct site_mark *ret_mark)
{
    ret_mark->tool = json_string(json, "tool", "");
    ret_mark->uuid = json_string(json, "uuid", "");
    ret_mark->redacted = json_boolean(json, "redacted", false);
    json_each (run, json_get(json, "runs")) {
        double number = json_number(run, "number", 0);

        if (number >= 1 && number < 1e15)
            *list_push(arena, &ret_mark->runs) = (struct site_known){
                (long long)number, json_string(run, "uuid", ""), json_boolean(run, "imported", false)};
    }
    json_each (file, json_get(json, "files"))
        if (file->type == JSON_STRING && is_our_path(file->string))
            *list_push(arena, &ret_mark->files) = file->string;
    site_mark_sort(ret_mark);
}

static const struct json *load_mark(const struct site_folder *folder, struct arena *arena, const char *path,
                                    struct error *err)
{
    if (!site_folder_has(folder, path)) {
        error_set(err, ERROR_USAGE, "%s/%s is not there", folder->root, path);
        return NULL;
    }
    return json_load(arena, arena_printf(arena, "%s/%s", folder->root, path), err);
}

void site_mark_of_run(const struct site_folder *folder, struct arena *arena, const char *prefix,
                      struct site_mark *ret_mark)
{
    struct error ignored = {0};
    const struct json *json = load_mark(folder, arena, arena_printf(arena, "%s%s", prefix, MARK), &ignored);

    *ret_mark = (struct site_mark){.tool = "", .uuid = ""};
    if (json != NULL && json_number(json, "schema", 0) == SCHEMA)
        read_mark(arena, json, ret_mark);
}

static void put_runs(struct json_writer *json, const struct site_mark *mark)
{
    json_member_array(json, "runs");
    for (size_t i = 0; i < mark->runs.count; i++) {
        json_open_object(json);
        json_member_integer(json, "number", mark->runs.items[i].number);
        json_member(json, "uuid", mark->runs.items[i].uuid);
        if (mark->runs.items[i].imported)
            json_member_boolean(json, "imported", true);
        json_close_object(json);
    }
    json_close_array(json);
}

/* Each file by itself would take 5 ms of the disk, and there are ten or more a host: so all at once, before a mark says that they
   are there. */
static int make_lasting(const struct site_folder *folder, struct error *err)
{
    cleanup_fd int fd = open(folder->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || syncfs(fd) < 0)
        return error_set(err, ERROR_INTERNAL, "%s: %s", folder->root, strerror(errno));
    return 0;
}

int site_mark_write(struct site_folder *folder, const char *prefix, struct site_mark *mark, struct error *err)
{
    cleanup_free char *path = mem_printf("%s%s", prefix, MARK);
    struct site_file file;
    struct json_writer json;

    site_mark_sort(mark);
    if (make_lasting(folder, err) < 0 || site_file_begin(&file, folder, path, err) < 0)
        return -1;
    file.lasts_now = true;
    json_open_document(&json, &file.text, SCHEMA);
    json_member(&json, "tool", mark->tool);
    if (*mark->uuid != '\0')
        json_member(&json, "uuid", mark->uuid);
    else
        put_runs(&json, mark);
    if (mark->redacted) {
        json_member_boolean(&json, "redacted", true);
    }
    json_member_array(&json, "files");
    for (size_t i = 0; i < mark->files.count; i++)
        json_put_string(&json, mark->files.items[i]);
    json_close_array(&json);
    json_close_object(&json);
    text_put(&file.text, "\n");
    return site_file_end(&file);
}

/* -- The folder --------------------------------------------------------------------------------------------------- */

static int is_empty(const char *path, bool *ret_empty, struct error *err)
{
    DIR *entries = opendir(path);
    const struct dirent *entry;

    *ret_empty = true;
    if (entries == NULL)
        return error_set(err, ERROR_USAGE, "%s: %s", path, strerror(errno));
    while ((entry = readdir(entries)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            *ret_empty = false;
    closedir(entries);
    return 0;
}

static int open_site(struct site_folder *folder, struct arena *arena, bool redacted, struct error *err)
{
    struct error why = {0};
    const struct json *json = load_mark(folder, arena, MARK, &why);

    if (json == NULL)
        return error_set(
            err, ERROR_USAGE,
            "%s is not empty, and no site that assay made (%s): name a folder that is empty, or not there",
            folder->root, why.text);
    if (json_number(json, "schema", 0) != SCHEMA)
        return error_set(err, ERROR_USAGE,
                         "%s/%s has schema %g, and this assay knows %d: name another folder", folder->root,
                         MARK, json_number(json, "schema", 0), SCHEMA);
    read_mark(arena, json, &folder->was);
    if (folder->was.redacted != redacted)
        return error_set(
            err, ERROR_USAGE,
            redacted ? "%s is a site that names hosts and people: name another folder for a redacted one"
                     : "%s is a redacted site: name another folder for one with names",
            folder->root);
    return 0;
}

int site_folder_open(struct site_folder *folder, struct arena *arena, const char *root, bool redacted,
                     struct error *err)
{
    struct site_mark none = {.tool = "assay " ASSAY_VERSION, .uuid = "", .redacted = redacted};
    bool empty;

    *folder = (struct site_folder){.root = root, .was = {.tool = "", .uuid = ""}};
    if (directory_create(root, 0755, err) < 0 || is_empty(root, &empty, err) < 0)
        return -1;
    /* The mark comes first, so that a site which was not made to its end can be made again. */
    return empty ? site_mark_write(folder, "", &none, err) : open_site(folder, arena, redacted, err);
}

/* -- Removing ----------------------------------------------------------------------------------------------------- */

static void remove_empty_folders(const struct site_folder *folder, const char *path)
{
    cleanup_free char *above = mem_strdup(path);
    struct error ignored = {0};
    char *slash;

    while ((slash = strrchr(above, '/')) != NULL) {
        cleanup_fd int parent = -1;

        *slash = '\0';
        parent = open_parent(folder, above, false, &ignored);
        if (parent < 0 || unlinkat(parent, file_name(above), AT_REMOVEDIR) < 0)
            return;
    }
}

int site_folder_remove(struct site_folder *folder, const char *prefix, const char *file, struct error *err)
{
    cleanup_free char *path = mem_printf("%s%s", prefix, file);
    struct error ignored = {0};
    cleanup_fd int parent = open_parent(folder, path, false, &ignored);

    if (parent < 0)
        return 0;
    if (unlinkat(parent, file_name(path), 0) == 0)
        folder->removed++;
    else if (errno != ENOENT)
        return error_set(err, ERROR_INTERNAL, "%s/%s: %s", folder->root, path, strerror(errno));
    remove_empty_folders(folder, path);
    return 0;
}

int site_folder_remove_run(struct site_folder *folder, long long number, struct error *err)
{
    cleanup_arena struct arena *arena = arena_create();
    const char *prefix = arena_printf(arena, "runs/%lld/", number);
    struct site_mark mark;
    int result = 0;

    site_mark_of_run(folder, arena, prefix, &mark);
    for (size_t i = 0; result == 0 && i < mark.files.count; i++)
        result = site_folder_remove(folder, prefix, mark.files.items[i], err);
    if (result == 0 && *mark.tool != '\0')
        result = site_folder_remove(folder, prefix, MARK, err);
    return result;
}
