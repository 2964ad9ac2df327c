/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/toolset.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/text.h"

#define FIRST_LINE "assay-tools 1"
#define BYTES_MOST ((uint64_t)64 << 30)

enum { FILES_MOST = 10000, PATH_MOST = 1000, DEPTH_MOST = 16, MANIFEST_BYTES = 16 << 20, CHUNK = 1 << 16 };

/* -- Finding the files -- */

static const char *path_fault(const char *path)
{
    if (strlen(path) > PATH_MOST)
        return "is too long";
    for (const char *c = path; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("._-+/=,@:~", *c) == NULL)
            return "has a character that has no place in a path on the hosts";
    if (*path == '/' || *path == '\0' || path[strlen(path) - 1] == '/')
        return "does not stay within the folder";
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strcspn(part, "/") == strspn(part, "."))
            return "does not stay within the folder";
    }
    if (*path == '-' || strstr(path, "/-") != NULL)
        return "has a part that begins with '-'";
    if (strcmp(path, TOOLSET_MANIFEST) == 0)
        return "has the name of the manifest";
    return NULL;
}

static int walk(struct arena *arena, struct toolset *set, const char *below, unsigned depth,
                struct error *err);

static int take_entry(struct arena *arena, struct toolset *set, const char *path, unsigned depth,
                      struct error *err)
{
    const char *whole = arena_printf(arena, "%s/%s", set->folder, path), *fault = path_fault(path);
    struct stat own, status;
    struct toolset_file *file;

    if (fault != NULL)
        return error_set(err, ERROR_USAGE, "%s: %s", whole, fault);
    if (lstat(whole, &own) < 0 || stat(whole, &status) < 0)
        return error_set(err, ERROR_USAGE, "%s: %s", whole, strerror(errno));
    if (S_ISDIR(own.st_mode))
        return walk(arena, set, path, depth + 1, err);
    if (!S_ISREG(status.st_mode))
        return error_set(err, ERROR_USAGE, "%s: neither a file nor a link to one", whole);
    if (set->files.count >= FILES_MOST)
        return error_set(err, ERROR_USAGE, "%s: more than %d files", set->folder, FILES_MOST);
    file = list_push(arena, &set->files);
    *file = (struct toolset_file){.path = path,
                                  .mode = (status.st_mode & S_IXUSR) != 0 ? 0700 : 0600,
                                  .size = (uint64_t)status.st_size};
    set->bytes += file->size;
    if (set->bytes > BYTES_MOST)
        return error_set(err, ERROR_USAGE, "%s: more than 64 GiB", set->folder);
    return 0;
}

static int walk(struct arena *arena, struct toolset *set, const char *below, unsigned depth,
                struct error *err)
{
    const char *folder = arena_printf(arena, "%s/%s", set->folder, below);
    DIR *open = depth <= DEPTH_MOST ? opendir(folder) : NULL;
    int rc = 0;

    if (open == NULL)
        return error_set(err, ERROR_USAGE, "%s: %s", folder,
                         depth <= DEPTH_MOST ? strerror(errno) : "folders too deep");
    for (struct dirent *entry; rc == 0 && (entry = readdir(open)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        rc = take_entry(arena, set,
                        *below == '\0' ? arena_strdup(arena, entry->d_name)
                                       : arena_printf(arena, "%s/%s", below, entry->d_name),
                        depth, err);
    }
    closedir(open);
    return rc;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct toolset_file *)a)->path, ((const struct toolset_file *)b)->path);
}

/* -- Reading them -- */

/* So many bytes from there on; a file that ends before is not what it was. */
static int read_at(const struct toolset *set, const struct toolset_file *file, uint64_t offset, char *bytes,
                   size_t length, struct error *err)
{
    cleanup_free char *path = mem_printf("%s/%s", set->folder, file->path);
    cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return error_set(err, ERROR_USAGE, "%s: %s", path, strerror(errno));
    while (length > 0) {
        ssize_t got = pread(fd, bytes, length, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return error_set(err, ERROR_USAGE, "%s: %s", path,
                             got < 0 ? strerror(errno) : "it has become shorter while it was read");
        bytes += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    return 0;
}

int toolset_read(const struct toolset *toolset, uint64_t offset, void *bytes, size_t length,
                 struct error *err)
{
    char *into = bytes;

    for (size_t i = 0; i < toolset->files.count && length > 0; i++) {
        const struct toolset_file *file = &toolset->files.items[i];
        size_t part;

        if (offset >= file->size) {
            offset -= file->size;
            continue;
        }
        part = file->size - offset < length ? (size_t)(file->size - offset) : length;
        if (read_at(toolset, file, offset, into, part, err) < 0)
            return -1;
        into += part;
        length -= part;
        offset = 0;
    }
    return length == 0 ? 0
                       : error_set(err, ERROR_INTERNAL, "%s: asked for more than there is", toolset->folder);
}

static int hash_file(const struct toolset *set, struct toolset_file *file, struct error *err)
{
    struct sha256 *hash = sha256_create();
    char chunk[CHUNK];
    int rc = 0;

    for (uint64_t at = 0; rc == 0 && at < file->size; at += CHUNK) {
        size_t part = file->size - at < CHUNK ? (size_t)(file->size - at) : CHUNK;

        rc = read_at(set, file, at, chunk, part, err);
        sha256_add(hash, chunk, rc == 0 ? part : 0);
    }
    sha256_finish(hash, file->sha256);
    return rc;
}

static void write_manifest(struct arena *arena, struct toolset *set)
{
    cleanup_text struct text out = {0};

    text_init(&out, MANIFEST_BYTES);
    text_put(&out, FIRST_LINE "\n");
    list_each (file, set->files)
        text_printf(&out, "%o %llu %s %s\n", file->mode, (unsigned long long)file->size, file->sha256,
                    file->path);
    set->manifest = (struct slice){arena_strndup(arena, out.bytes, out.length), out.length};
    sha256_hex(out.bytes, out.length, set->version);
}

const struct toolset *toolset_load(struct arena *arena, const char *folder, struct error *err)
{
    struct toolset *set = arena_new(arena, struct toolset);

    set->folder = arena_strdup(arena, folder);
    if (walk(arena, set, "", 0, err) < 0) {
        if (access(folder, F_OK) != 0)
            (void)error_add(err, ERROR_USAGE,
                            "`scripts/build-tools %s` makes such a folder, on one host with the CUDA toolkit",
                            folder);
        return NULL;
    }
    if (!toolset_has_folder(set, "bin")) {
        error_set(err, ERROR_USAGE,
                  "%s: there is no file under bin/, where the programs of a set of tools belong", folder);
        return NULL;
    }
    qsort(set->files.items, set->files.count, sizeof *set->files.items, by_path);
    for (size_t i = 0; i < set->files.count; i++)
        if (hash_file(set, &set->files.items[i], err) < 0)
            return NULL;
    write_manifest(arena, set);
    return set;
}

/* -- The manifest -- */

static bool is_hash(struct slice word)
{
    for (size_t i = 0; i < word.length; i++)
        if (!isdigit((unsigned char)word.bytes[i]) && (word.bytes[i] < 'a' || word.bytes[i] > 'f'))
            return false;
    return word.length == SHA256_HEX_SIZE - 1;
}

static bool take_line(struct arena *arena, struct toolset *set, struct slice line)
{
    struct slice mode, size, hash, path;
    struct toolset_file file = {0};

    if (!scan_word(&line, &mode) || !scan_word(&line, &size) || !scan_word(&line, &hash) ||
        !scan_word(&line, &path) || line.length != 0)
        return false;
    if ((!slice_equal(mode, "700") && !slice_equal(mode, "600")) || !scan_u64(size, &file.size) ||
        file.size > BYTES_MOST || set->bytes + file.size > BYTES_MOST || !is_hash(hash))
        return false;
    file.mode = slice_equal(mode, "700") ? 0700 : 0600;
    memcpy(file.sha256, hash.bytes, hash.length);
    file.path = arena_strndup(arena, path.bytes, path.length);
    if (path_fault(file.path) != NULL || set->files.count >= FILES_MOST ||
        (set->files.count > 0 && strcmp(set->files.items[set->files.count - 1].path, file.path) >= 0))
        return false;
    set->bytes += file.size;
    *list_push(arena, &set->files) = file;
    return true;
}

const struct toolset *toolset_parse(struct arena *arena, const char *file, struct slice manifest,
                                    struct error *err)
{
    struct toolset *set = arena_new(arena, struct toolset);
    struct slice rest = manifest, line;
    unsigned number = 1;
    bool well = scan_line(&rest, &line) && slice_equal(line, FIRST_LINE);

    for (; well && scan_line(&rest, &line); number++)
        well = take_line(arena, set, line);
    if (!well || rest.length > 0 || set->files.count == 0) {
        error_set(err, ERROR_USAGE, "%s:%u: not a manifest of tools", file, number);
        return NULL;
    }
    set->manifest = (struct slice){arena_strndup(arena, manifest.bytes, manifest.length), manifest.length};
    sha256_hex(manifest.bytes, manifest.length, set->version);
    return set;
}

bool toolset_has_folder(const struct toolset *toolset, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < toolset->files.count; i++)
        if (strncmp(toolset->files.items[i].path, name, length) == 0 &&
            toolset->files.items[i].path[length] == '/')
            return true;
    return false;
}

const struct toolset_file *toolset_program(const struct toolset *toolset, const char *name)
{
    for (size_t i = 0; i < toolset->files.count; i++)
        if (strncmp(toolset->files.items[i].path, "bin/", 4) == 0 &&
            strcmp(toolset->files.items[i].path + 4, name) == 0)
            return &toolset->files.items[i];
    return NULL;
}
