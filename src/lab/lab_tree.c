/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hosts' own /sys, /proc and /etc.
 *
 * A lab of 1,250 hosts would have half a million files if each host had its own, so the tree of a healthy host
 * is written once, and only a host whose faults change it gets another. Which those are is not declared
 * anywhere: the tree of every host with a fault is made in memory and compared.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "lab_private.h"

static tree_writer *const writers[] = {tree_gpu,     tree_infiniband, tree_system,
                                       tree_network, tree_storage,    tree_accounts};

struct tree_entry {
    const char *path, *text;
    bool link, secret;
};

struct tree {
    struct arena *arena;
    LIST_OF(struct tree_entry) entries;
    bool own;
};

__attribute__((format(printf, 2, 0))) static const char *format_text(struct arena *arena, const char *format,
                                                                     va_list arguments)
{
    cleanup_text struct text text = {0};

    text_init(&text, 1 << 20);
    text_vprintf(&text, format, arguments);
    return arena_strdup(arena, text.bytes);
}

void tree_file(struct tree *tree, const char *path, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    *list_push(tree->arena, &tree->entries) = (struct tree_entry){
        arena_strdup(tree->arena, path), format_text(tree->arena, format, arguments), false, false};
    va_end(arguments);
}

void tree_secret(struct tree *tree, const char *path, const char *text)
{
    *list_push(tree->arena, &tree->entries) = (struct tree_entry){.path = path, .text = text, .secret = true};
}

void tree_link(struct tree *tree, const char *path, const char *target)
{
    *list_push(tree->arena, &tree->entries) =
        (struct tree_entry){arena_strdup(tree->arena, path), arena_strdup(tree->arena, target), true, false};
}

void tree_private(struct tree *tree)
{
    tree->own = true;
}

const char *tree_path(struct tree *tree, const char *format, ...)
{
    const char *path;
    va_list arguments;

    va_start(arguments, format);
    path = format_text(tree->arena, format, arguments);
    va_end(arguments);
    return path;
}

static struct tree *tree_of(struct arena *arena, const struct lab *lab, unsigned number)
{
    struct tree *tree = arena_new(arena, struct tree);
    struct lab_host host;

    tree->arena = arena;
    lab_host_init(&host, lab, number);
    for (size_t i = 0; i < ARRAY_SIZE(writers); i++)
        writers[i](tree, &host);
    return tree;
}

static bool same(const struct tree *a, const struct tree *b)
{
    if (a->own || b->own || a->entries.count != b->entries.count)
        return false;
    for (size_t i = 0; i < a->entries.count; i++) {
        const struct tree_entry *one = &a->entries.items[i], *two = &b->entries.items[i];

        if (one->link != two->link || strcmp(one->path, two->path) != 0 || strcmp(one->text, two->text) != 0)
            return false;
    }
    return true;
}

static int write_entry(const char *path, const struct tree_entry *entry, struct error *err)
{
    cleanup_fd int fd = -1;
    size_t length = strlen(entry->text);

    if (entry->link) {
        if (symlink(entry->text, path) == 0)
            return 0;
    } else {
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, entry->secret ? 0600 : 0644);
        if (fd >= 0 && write(fd, entry->text, length) == (ssize_t)length)
            return 0;
    }
    return error_set(err, ERROR_INTERNAL, "%s: %s", path, strerror(errno));
}

static int write_tree(const struct tree *tree, const char *root, struct error *err)
{
    const char *made = "", *locks = arena_printf(tree->arena, "%s/var/tmp", root);

    /* Every user's locks lie in the latter. */
    if (directory_create(root, 0755, err) < 0 || directory_create(locks, 0755, err) < 0)
        return -1;
    if (chmod(locks, 01777) < 0)
        return error_set(err, ERROR_INTERNAL, "%s: %s", locks, strerror(errno));
    list_each (entry, tree->entries) {
        const char *path = arena_printf(tree->arena, "%s/%s", root, entry->path);
        const char *folder = arena_strndup(tree->arena, path, (size_t)(strrchr(path, '/') - path));

        if (strcmp(folder, made) != 0 && directory_create(folder, 0755, err) < 0)
            return -1;
        made = folder;
        if (write_entry(path, entry, err) < 0)
            return -1;
    }
    return 0;
}

static bool has_fault(const struct lab *lab, unsigned host)
{
    for (size_t i = 0; i < lab->fault_count; i++)
        if (lab->faults[i].host == host)
            return true;
    return false;
}

/* The host's own tree where it differs from the healthy one, else a link to that. */
static int make_root(const struct lab *lab, unsigned host, const struct tree *healthy, struct error *err)
{
    struct arena *arena = arena_create();
    const char *root = lab_host_file(arena, lab, host, "root");
    const struct tree *tree = has_fault(lab, host) ? tree_of(arena, lab, host) : healthy;
    int rc = 0;

    if (tree != healthy && !same(tree, healthy))
        rc = write_tree(tree, root, err);
    else if (symlink("../../root", root) < 0)
        rc = error_set(err, ERROR_INTERNAL, "%s: %s", root, strerror(errno));
    arena_destroy(arena);
    return rc;
}

/* Written under another name first: whoever does this may be killed in the middle, and two may do it at once. */
static int make_own(struct arena *arena, const struct lab *lab, unsigned host, const char *own,
                    struct error *err)
{
    const char *made = arena_printf(arena, "%s.%ld", own, (long)getpid());

    if (directory_remove(made, err) < 0 || write_tree(tree_of(arena, lab, host), made, err) < 0)
        return -1;
    if (rename(made, own) == 0)
        return 0;
    if (errno != EEXIST && errno != ENOTEMPTY)
        return error_set(err, ERROR_INTERNAL, "%s: %s", own, strerror(errno));
    return directory_remove(made, err);
}

static int lead_to_own(struct arena *arena, const char *root, struct error *err)
{
    const char *link = arena_printf(arena, "%s.%ld", root, (long)getpid());

    (void)unlink(link);
    if (symlink("own", link) < 0 || rename(link, root) < 0)
        return error_set(err, ERROR_INTERNAL, "%s: %s", link, strerror(errno));
    return 0;
}

int lab_tree_own(const struct lab *lab, unsigned host, struct error *err)
{
    struct arena *arena = arena_create();
    const char *root = lab_host_file(arena, lab, host, "root"), *own = lab_host_file(arena, lab, host, "own");
    char to[8] = "";
    int rc = 0;

    /* A link: to the shared tree, or to its own by then. */
    if (readlink(root, to, sizeof to - 1) > 0 && strcmp(to, "own") != 0)
        rc = (access(own, F_OK) == 0 || make_own(arena, lab, host, own, err) == 0) &&
                     lead_to_own(arena, root, err) == 0
                 ? 0
                 : -1;
    arena_destroy(arena);
    return rc;
}

int lab_tree_renew(const struct lab *lab, unsigned host, struct error *err)
{
    struct arena *arena = arena_create();
    struct lab without_faults = *lab;
    const char *root = lab_host_file(arena, lab, host, "root");
    int rc = -1;

    without_faults.fault_count = 0;
    if ((unlink(root) == 0 || directory_remove(root, err) == 0) &&
        directory_remove(lab_host_file(arena, lab, host, "own"), err) == 0)
        rc = make_root(lab, host, tree_of(arena, &without_faults, 1), err);
    arena_destroy(arena);
    return rc;
}

int lab_trees(struct arena *arena, const struct lab *lab, struct error *err)
{
    struct lab without_faults = *lab;
    const char *shared = arena_printf(arena, "%s/root", lab->directory);
    const char *data = arena_printf(arena, "%s/data", lab->directory); /* what they all have mounted there */
    const struct tree *healthy;

    without_faults.fault_count = 0;
    healthy = tree_of(arena, &without_faults, 1);
    if (directory_remove(shared, err) < 0 || write_tree(healthy, shared, err) < 0 ||
        directory_remove(data, err) < 0 || directory_create(data, 0755, err) < 0)
        return -1;
    for (unsigned i = 1; i <= lab->hosts; i++)
        if (make_root(lab, i, healthy, err) < 0)
            return -1;
    return 0;
}
