/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/meter.h"

#include <string.h>
#include <sys/statvfs.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/model/suite.h"

/* A run stops below the first: SQLite's log and the judgement of a large run still fit. */
enum { STOP_BELOW = 16 << 20, WARN_BELOW = 1 << 30 };

struct meter {
    const struct record *record;
    struct evidence_limits limits;
    uint64_t bytes;
    const struct host_places *places;
    LIST_OF(uint64_t) shares; /* of each host, by its place */
    const char *database;
};

/* A spare takes a place while the run goes on. */
static void find_places(struct meter *meter)
{
    const struct plan *plan = meter->record->plan;

    meter->places = host_places_create(meter->record->arena, plan);
    while (meter->shares.count < plan->hosts.count)
        *list_push(meter->record->arena, &meter->shares) = 0;
}

static uint64_t *share_of(struct meter *meter, const struct host *host)
{
    if (host_place(meter->places, host) == (size_t)-1)
        find_places(meter);
    return &meter->shares.items[host_place(meter->places, host)];
}

static void add(struct meter *meter, const struct host *host, uint64_t bytes)
{
    *share_of(meter, host) += bytes;
    meter->bytes += bytes;
}

struct meter *meter_create(const struct record *record, const char *database)
{
    struct meter *meter = arena_new(record->arena, struct meter);

    meter->record = record;
    meter->database = database;
    find_places(meter);
    if (!evidence_limits_of(record, &meter->limits))
        evidence_limits_set(&meter->limits, 0, record->plan->hosts.count);
    list_each (attempt, record->attempts) {
        const struct step *step = &record->plan->steps.items[attempt->step];

        add(meter, step->members[0], evidence_bytes(attempt->captures));
        for (size_t k = 0; k < attempt->windows.count; k++)
            add(meter, step->members[attempt->windows.items[k].member],
                evidence_bytes(attempt->windows.items[k].captures));
    }
    return meter;
}

bool meter_takes(struct meter *meter, const struct host *host, const struct capture captures[2])
{
    uint64_t bytes = evidence_bytes(captures);

    if (meter->bytes + bytes > meter->limits.run_bytes ||
        *share_of(meter, host) + bytes > meter->limits.host_bytes)
        return false;
    add(meter, host, bytes);
    return true;
}

/* Of the folder where the file does not exist yet. False: nobody can tell. */
static bool free_bytes(const char *path, uint64_t *ret_bytes)
{
    cleanup_free char *folder = mem_strdup(path);
    char *slash = strrchr(folder, '/');
    struct statvfs status;

    if (slash != NULL)
        slash[slash == folder ? 1 : 0] = '\0';
    if (statvfs(path, &status) < 0 && statvfs(slash != NULL ? folder : ".", &status) < 0)
        return false;
    *ret_bytes = (uint64_t)status.f_bavail * status.f_frsize;
    return true;
}

int meter_check_disk(const struct meter *meter, struct error *err)
{
    uint64_t bytes;

    if (!free_bytes(meter->database, &bytes) || bytes >= STOP_BELOW)
        return 0;
    return error_set(err, ERROR_INTERNAL,
                     "%s: only %llu KiB are left on its disk, and a run stops below %d MiB; make room",
                     meter->database, (unsigned long long)(bytes >> 10), STOP_BELOW >> 20);
}

int meter_check_before(struct arena *arena, const char *database, const char **ret_note, struct error *err)
{
    uint64_t bytes;

    *ret_note = NULL;
    if (!free_bytes(database, &bytes))
        return 0;
    if (bytes < STOP_BELOW)
        return error_set(err, ERROR_USAGE,
                         "%s: only %llu KiB are free on its disk, but a run needs %d MiB to start; free some "
                         "space, or name "
                         "a database elsewhere with --db",
                         database, (unsigned long long)(bytes >> 10), STOP_BELOW >> 20);
    if (bytes < WARN_BELOW)
        *ret_note = arena_printf(arena, "only %llu MiB are left on the disk of %s",
                                 (unsigned long long)(bytes >> 20), database);
    return 0;
}
