/* SPDX-License-Identifier: Apache-2.0 */
/* Which folders take more than in the run before, and when their file systems will be full at that rate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "history_private.h"

static const double seconds_of_day = 86400;

/* What it takes, what its file system has free, and how much of that is used. */
enum room_kind { ROOM_SIZE, ROOM_LEFT, ROOM_FILLED, ROOM_KINDS };
static const char *const room_metrics[ROOM_KINDS] = {"space.size", "space.left", "space.filled"};

/* One number of one folder of one host. */
struct room {
    size_t target, run;
    const char *folder;
    enum room_kind kind;
    double value; /* MiB; of ROOM_FILLED % */
};

static bool same_folder(const struct room *a, const struct room *b)
{
    return a->target == b->target && strcmp(a->folder, b->folder) == 0;
}

/* The sizes of a folder come first, and the last run's last. */
static int compare_rooms(const void *a, const void *b)
{
    const struct room *left = a, *right = b;
    int order = compare_sizes(left->target, right->target);

    if (order == 0)
        order = strcmp(left->folder, right->folder);
    if (order == 0)
        order = (int)left->kind - (int)right->kind;
    return order != 0 ? order : compare_sizes(left->run, right->run);
}

static struct room *rooms_of(struct work *work, size_t *ret_count)
{
    const struct history *history = work->history;
    struct room *rooms = arena_array(work->arena, struct room, history->values.count + 1);

    *ret_count = 0;
    for (size_t i = 0; i < history->values.count; i++) {
        const struct history_value *value = &history->values.items[i];
        const struct history_position *position = &history->positions.items[value->position];

        for (size_t kind = 0; kind < ROOM_KINDS; kind++)
            if (strcmp(position->metric, room_metrics[kind]) == 0)
                rooms[(*ret_count)++] = (struct room){value->target, value->run, position->subject,
                                                      (enum room_kind)kind, value->value};
    }
    qsort(rooms, *ret_count, sizeof *rooms, compare_rooms);
    return rooms;
}

/* rooms: all of one folder. What that run has of that kind, the last of several; NAN: nothing. */
static double room_in_run(const struct room *rooms, size_t count, enum room_kind kind, size_t run)
{
    while (count-- > 0)
        if (rooms[count].kind == kind && rooms[count].run == run)
            return rooms[count].value;
    return NAN;
}

/* Likewise. */
static void find_growth(struct work *work, const struct room *rooms, size_t count)
{
    const struct history *history = work->history;
    struct history_growth growth = {
        .target = history->targets.items[rooms->target], .folder = rooms->folder, .per_day = NAN};
    size_t sizes = 0, before;

    while (sizes < count && rooms[sizes].kind == ROOM_SIZE)
        sizes++;
    /* Several steps of a run may have looked. */
    for (before = sizes; before > 0 && rooms[before - 1].run == history->runs.count - 1;)
        before--;
    if (before == 0 || before == sizes)
        return;
    growth.run = rooms[sizes - 1].run;
    growth.before = rooms[before - 1].run;
    growth.size = rooms[sizes - 1].value;
    growth.size_before = rooms[before - 1].value;
    growth.left = room_in_run(rooms, count, ROOM_LEFT, growth.run);
    growth.filled = room_in_run(rooms, count, ROOM_FILLED, growth.run);
    growth.days = (history->runs.items[growth.run].started - history->runs.items[growth.before].started) /
                  seconds_of_day;
    if (growth.days >= HISTORY_GROWTH_LEAST_DAYS)
        growth.per_day = (growth.size - growth.size_before) / growth.days;
    if (growth.size - growth.size_before >= HISTORY_GROWTH_LEAST_MIB ||
        (growth.per_day > 0 && history_days_left(&growth) < HISTORY_DAYS_LEFT_FEW))
        *list_push(work->arena, &work->found->growths) = growth;
}

/* The one that is full first, then the one that grew most. */
static int compare_growths(const void *a, const void *b)
{
    const struct history_growth *left = a, *right = b;
    double days[2] = {history_days_left(left), history_days_left(right)};
    double grown[2] = {left->size - left->size_before, right->size - right->size_before};

    if (days[0] != days[1])
        return days[0] < days[1] ? -1 : 1;
    return (grown[0] < grown[1]) - (grown[0] > grown[1]);
}

void history_growths(struct work *work)
{
    size_t count;
    const struct room *rooms = rooms_of(work, &count);

    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && same_folder(&rooms[next], &rooms[i]);)
            next++;
        find_growth(work, rooms + i, next - i);
    }
    if (work->found->growths.count > 1)
        qsort(work->found->growths.items, work->found->growths.count, sizeof *work->found->growths.items,
              compare_growths);
}
