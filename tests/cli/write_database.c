/* SPDX-License-Identifier: Apache-2.0 */
/* write_database DATABASE HOSTFILE OUTPUT [HOSTS]: a run of 8 hosts, whose first attempt printed OUTPUT, so that what is
   done with stored runs is tried without a cluster. With HOSTS, of so many, and with other UUIDs each time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../report/sample_record.h"
#include "assay/base/files.h"
#include "assay/store/store.h"

static struct slice contents(struct arena *arena, const char *path)
{
    struct text text = {0};
    struct error err = {0};
    struct slice bytes;

    text_init(&text, 64 << 20);
    if (file_read(path, &text, &err) < 0)
        fprintf(stderr, "%s\n", err.text);
    bytes = (struct slice){arena_strndup(arena, text.bytes, text.length), text.length};
    text_release(&text);
    return bytes;
}

static void fill(struct capture *capture, const char *stream, struct slice bytes)
{
    *capture = (struct capture){.stream = stream, .length = bytes.length, .bytes = bytes};
    sha256_hex(bytes.bytes, bytes.length, capture->sha256);
}

/* The first attempt's output has three parts, and a window that says the same. */
static void fill_first(struct record *record, struct slice output)
{
    struct attempt *attempt = &record->attempts.items[0];
    struct window *window = list_push(record->arena, &attempt->windows);
    size_t third = output.length / 3;

    fill(&attempt->captures[0], "stdout", output);
    *window = (struct window){.role = WINDOW_AFTER, .boot_id = attempt->boot_id};
    fill(&window->captures[0], "stdout", output);
    fill(&window->captures[1], "stderr", (struct slice){"", 0});
    attempt->parts.count = 0;
    for (size_t i = 0; i < 3; i++) {
        struct part *part = list_push(record->arena, &attempt->parts);

        *part = (struct part){.name = "main", .command = "cat", .began = true, .ended = true};
        part->out = (struct slice){output.bytes + i * third, i < 2 ? third : output.length - 2 * third};
        reading_init(&part->reading, record->arena, "");
    }
}

static void fill_others(struct record *record)
{
    for (size_t i = 1; i < record->attempts.count; i++) {
        struct attempt *attempt = &record->attempts.items[i];
        const char *text = arena_printf(record->arena, "output of attempt %zu\n", i);

        fill(&attempt->captures[0], "stdout", slice_of(text));
        fill(&attempt->captures[1], "stderr", (struct slice){"", 0});
        attempt->windows.count = 0;
        for (size_t k = 0; k < attempt->parts.count; k++)
            attempt->parts.items[k].out = attempt->parts.items[k].err = (struct slice){0};
    }
}

static const char *new_uuid(struct arena *arena)
{
    char uuid[UUID_SIZE];

    uuid_create(uuid);
    return arena_strdup(arena, uuid);
}

/* Waivers name attempts, so they go. */
static void make_another(struct record *record)
{
    record->uuid = record->plan->run_uuid = new_uuid(record->arena);
    record->judgement.uuid = new_uuid(record->arena);
    record->waivers.count = 0;
    for (size_t i = 0; i < record->attempts.count; i++)
        record->attempts.items[i].uuid = new_uuid(record->arena);
}

static int keep(struct store *store, struct record *record, struct error *err)
{
    double ended = record->ended;

    if (store_begin_run(store, record, err) < 0)
        return -1;
    for (size_t i = 0; i < record->attempts.count; i++) {
        struct attempt *attempt = &record->attempts.items[i];

        if (store_begin_attempt(store, record, attempt, err) < 0 ||
            store_put_windows(store, record, attempt, 0, err) < 0 ||
            store_end_attempt(store, record, attempt, err) < 0 ||
            store_put_readings(store, record, attempt, err) < 0)
            return -1;
    }
    if (store_put_judgement(store, record, err) < 0)
        return -1;
    return store_end_run(store, record, RUN_ENDED, ended, err);
}

int main(int argc, char **argv)
{
    struct arena *arena = arena_create();
    unsigned hosts = argc == 5 ? (unsigned)strtoul(argv[4], NULL, 10) : 8;
    struct record *record = sample_record(
        arena, &(struct sample){.hosts = hosts, .units = hosts > 64 ? hosts / 32 : 2, .faults = true});
    struct error err = {0};
    struct store *store = argc == 4 || argc == 5 ? store_open(argv[1], false, &err) : NULL;
    int result = -1;

    if (argc == 5)
        make_another(record);
    if (store != NULL) {
        for (size_t i = 0; i < record->documents.count; i++) {
            struct document *document = &record->documents.items[i];

            if (strcmp(document->kind, "hostfile") == 0)
                document->bytes = contents(arena, argv[2]);
            sha256_hex(document->bytes.bytes, document->bytes.length, document->sha256);
        }
        fill_first(record, contents(arena, argv[3]));
        fill_others(record);
        result = keep(store, record, &err);
    }
    if (result < 0)
        fprintf(stderr, "write_database DATABASE HOSTFILE OUTPUT [HOSTS]: %s\n", err.text);
    store_close(store);
    arena_destroy(arena);
    return result < 0 ? 64 : 0;
}
