/* SPDX-License-Identifier: Apache-2.0 */
#include "databases.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../attacks/variants.h"
#include "answers.h"
#include "assay/base/cleanup.h"
#include "foreign.h"

/* A file without a name. */
static int file_of(struct slice bytes)
{
    int fd = memfd_create("input", MFD_CLOEXEC);

    if (fd < 0 || write(fd, bytes.bytes, bytes.length) != (ssize_t)bytes.length) {
        fprintf(stderr, "fuzz: no memory for a file\n");
        abort();
    }
    return fd;
}

/* Each way in which somebody reads a run; what cannot be read is said. */
static void read_run(struct store *store, long long number)
{
    struct arena *arena = arena_create();
    struct error err = {0};
    struct item_sightings seen;
    struct manifest manifest;
    struct record *record;

    if (store_run_items(store, arena, number, &seen, &err) < 0)
        hold_words(&err, "what was seen");
    err = (struct error){0};
    if (store_manifest(store, arena, number, NULL, &manifest, &err) < 0)
        hold_words(&err, "a manifest");
    err = (struct error){0};
    record = store_load_run(store, arena, number, true, &err);
    if (record != NULL)
        check_reports(record);
    else
        hold_words(&err, "a run");
    arena_destroy(arena);
}

static void read_runs(struct store *store, struct arena *arena)
{
    enum { MOST = 3 };
    struct run_summary *runs;
    struct acceptance_names names;
    struct error err = {0};
    size_t count = 0;

    if (store_list_runs(store, arena, MOST, &runs, &count, &err) < 0)
        hold_words(&err, "a list of runs");
    for (size_t i = 0; *err.text == '\0' && i < count; i++)
        read_run(store, runs[i].number);
    err = (struct error){0};
    if (store_list_acceptances(store, arena, &names, &err) == 0)
        for (size_t i = 0; i < names.items.count && i < MOST; i++)
            if (store_load_acceptance(store, arena, names.items.items[i], &err) == NULL)
                hold_words(&err, "an acceptance");
}

/* The bytes of a run.db stand beside it. */
static void read_without_bytes(struct store *store, struct arena *arena)
{
    struct error err = {0};
    struct record *record = store_load_judged(store, arena, 0, &err);

    read_runs(store, arena);
    if (record != NULL)
        check_reports(record);
    else
        hold_words(&err, "a run");
}

bool reads_bundle(struct arena *arena, struct slice bytes, struct error *err)
{
    cleanup_fd int fd = file_of(bytes);
    struct bundle bundle;
    bool opened = bundle_open(arena_printf(arena, "/proc/self/fd/%d", fd), arena, &bundle, err) == 0;

    if (opened)
        read_run(bundle.store, bundle.number);
    store_close(bundle.store);
    return opened;
}

bool reads_foreign(struct arena *arena, struct slice bytes, struct error *err)
{
    cleanup_fd int fd = file_of(bytes);
    struct store *store = foreign_copy(fd, "input", false, err);

    if (store != NULL)
        read_without_bytes(store, arena);
    store_close(store);
    return store != NULL;
}

static char path[64];

/* With what SQLite may have laid beside it. */
static void remove_file(void)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    char name[80];

    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        unlink(name);
    }
}

/* SQLite wants a name. */
static const char *named_file(struct slice bytes)
{
    cleanup_fd int fd = -1;

    if (path[0] == '\0') {
        snprintf(path, sizeof path, "%s/assay-fuzz-%ld.db",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
        atexit(remove_file);
    }
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, bytes.bytes, bytes.length) != (ssize_t)bytes.length) {
        fprintf(stderr, "fuzz: %s cannot be written\n", path);
        abort();
    }
    return path;
}

bool reads_database(struct arena *arena, struct slice bytes, struct error *err)
{
    struct store *store = store_open(named_file(bytes), true, err);

    if (store != NULL)
        read_runs(store, arena);
    store_close(store);
    remove_file();
    return store != NULL;
}

static struct parties *parties;

static void destroy_parties(void)
{
    parties_destroy(parties);
}

bool reads_import(struct arena *arena, struct slice bytes, struct error *err)
{
    struct chance chance = {0};
    struct variant variant;
    char said[1200];

    (void)arena;
    if (!scan_text(&bytes, "variant ")) {
        error_set(err, ERROR_USAGE, "it does not begin with 'variant '");
        return false;
    }
    if (parties == NULL) {
        parties = parties_create(err);
        if (parties == NULL)
            abort();
        atexit(destroy_parties);
    }
    chance.bytes = bytes;
    variant_make(parties, &chance, &variant);
    if (parties_import(parties, (struct slice){variant.bundle.bytes, variant.bundle.length}, true, said,
                       sizeof said) == FATE_CHANGED) {
        fprintf(stderr, "fuzz: %s: %s\n", variant.said, said);
        abort();
    }
    variant_release(&variant);
    return true;
}
