/* SPDX-License-Identifier: Apache-2.0 */
/* Who sat where in each run: a GPU by its UUID, where the run has read it; else the place itself. */
#include <stdlib.h>
#include <string.h>

#include "history_private.h"

static int place_named(struct work *work, struct seats *seats, struct slice name)
{
    for (size_t i = 0; i < seats->places.count; i++)
        if (slice_equal(name, seats->places.items[i]))
            return (int)i;
    *list_push(work->arena, &seats->places) = arena_strndup(work->arena, name.bytes, name.length);
    return (int)seats->places.count - 1;
}

/* "gpu2->gpu5": gpu2 and gpu5; "gpu3.link4", "mlx5_0/1": gpu3, mlx5_0. */
static void places_of_subject(struct work *work, struct seats *seats, const char *subject, int *ret_places)
{
    const char *arrow = strstr(subject, "->");
    const char *ends[PLACES_OF_POSITION] = {subject, arrow != NULL ? arrow + 2 : NULL};

    for (size_t i = 0; i < PLACES_OF_POSITION; i++)
        ret_places[i] =
            ends[i] == NULL
                ? NOBODY
                : place_named(work, seats,
                              (struct slice){ends[i], i == 0 && arrow != NULL ? strcspn(ends[i], "./-")
                                                                              : strcspn(ends[i], "./")});
    if (ret_places[1] == ret_places[0])
        ret_places[1] = NOBODY;
}

struct seat *seat_at(const struct work *work, const struct seats *seats, size_t run, size_t target,
                     size_t place)
{
    return &seats->items[(run * work->history->targets.count + target) * seats->places.count + place];
}

static const char *place_text(const struct work *work, const struct seats *seats, const struct seat *seat)
{
    const char *target = work->history->targets.items[seat->target],
               *place = seats->places.items[seat->place];

    if (seats->is_target[seat->place])
        return place;
    return *place != '\0' ? arena_printf(work->arena, "%s %s", target, place) : target;
}

static int compare_seats(const void *a, const void *b)
{
    const struct seat *left = *(const struct seat *const *)a, *right = *(const struct seat *const *)b;
    int order = strcmp(left->name, right->name);

    return order != 0 ? order : (left->run > right->run) - (left->run < right->run);
}

/* Of each subject the seat of its last run is where it is. */
static void name_subjects(struct work *work, const struct seats *seats, struct seat **used, size_t count)
{
    struct history_subject *subject = NULL;

    qsort(used, count, sizeof *used, compare_seats);
    for (size_t i = 0; i < count; i++) {
        const char *place = place_text(work, seats, used[i]);

        if (i == 0 || strcmp(used[i]->name, used[i - 1]->name) != 0) {
            subject = list_push(work->arena, &work->found->subjects);
            *subject = (struct history_subject){.name = used[i]->name};
        }
        subject->places += subject->place == NULL || strcmp(subject->place, place) != 0;
        subject->place = place;
        used[i]->subject = work->found->subjects.count - 1;
    }
}

static void use_seats(struct work *work, const struct seats *seats, size_t run, size_t target,
                      size_t position)
{
    for (size_t i = 0; i < PLACES_OF_POSITION; i++)
        if (seats->of_position[position][i] != NOBODY)
            seat_at(work, seats, run, target, (size_t)seats->of_position[position][i])->used = true;
}

static void find_places(struct work *work, struct seats *seats)
{
    const struct history *history = work->history;

    place_named(work, seats, (struct slice){"", 0}); /* place 0: the target as a whole */
    seats->of_position = arena_alloc(work->arena, sizeof *seats->of_position * history->positions.count);
    for (size_t i = 0; i < history->positions.count; i++)
        places_of_subject(work, seats, history->positions.items[i].subject, seats->of_position[i]);
    seats->is_target = arena_array(work->arena, bool, seats->places.count);
    for (size_t i = 0; i < seats->places.count; i++)
        for (size_t k = 0; k < history->targets.count && !seats->is_target[i]; k++)
            seats->is_target[i] = strcmp(seats->places.items[i], history->targets.items[k]) == 0;
}

static void take_sightings(struct work *work, struct seats *seats)
{
    const struct history *history = work->history;

    list_each (sighting, history->sightings)
        for (size_t k = 0; k < seats->places.count; k++)
            if (strcmp(seats->places.items[k], sighting->place) == 0)
                seat_at(work, seats, sighting->run, sighting->target, k)->identity = sighting->identity;
}

/* What was there in the nearest run on one side that knows it; NULL: none does. */
static const char *known_beside(const struct work *work, const struct seats *seats, const struct seat *seat,
                                int step)
{
    for (size_t run = seat->run + (size_t)step; run < work->history->runs.count; run += (size_t)step) {
        const struct seat *other = seat_at(work, seats, run, seat->target, seat->place);

        if (other->identity != NULL)
            return other->identity;
    }
    return NULL;
}

static const char *name_of_seat(struct work *work, const struct seats *seats, const struct seat *seat)
{
    const char *before, *after;

    if (seat->identity != NULL)
        return seat->identity;
    before = known_beside(work, seats, seat, -1);
    after = known_beside(work, seats, seat, 1);
    if (before != NULL && (after == NULL || strcmp(before, after) == 0))
        return before;
    return before == NULL && after != NULL ? after : place_text(work, seats, seat);
}

void history_seat(struct work *work, struct seats *seats)
{
    const struct history *history = work->history;
    size_t count, used_count = 0;
    struct seat **used;

    find_places(work, seats);
    count = history->runs.count * history->targets.count * seats->places.count;
    seats->items = arena_array(work->arena, struct seat, count);
    used = arena_array(work->arena, struct seat *, count);
    for (size_t i = 0; i < work->numbers.count; i++)
        use_seats(work, seats, work->numbers.items[i].run, work->numbers.items[i].target,
                  work->numbers.items[i].position);
    list_each (failure, history->failures) {
        use_seats(work, seats, failure->run, failure->target, failure->position);
        seat_at(work, seats, failure->run, failure->target, 0)->used = true; /* it may be the host's */
    }
    take_sightings(work, seats);
    for (size_t i = 0; i < count; i++) {
        struct seat *seat = &seats->items[i];

        if (!seat->used)
            continue;
        seat->place = i % seats->places.count;
        seat->target = i / seats->places.count % history->targets.count;
        seat->run = i / seats->places.count / history->targets.count;
        seat->name = name_of_seat(work, seats, seat);
        used[used_count++] = seat;
    }
    name_subjects(work, seats, used, used_count);
}
