/* SPDX-License-Identifier: Apache-2.0 */
/* The attempts of a step, looked at once for all of its items. */
#include "judge_private.h"

static struct tried look_at(struct arena *arena, const struct attempt *attempt)
{
    return (struct tried){.attempt = attempt,
                          .bearing = attempt_bearing(arena, attempt),
                          .doubt = reading_get_said(&attempt->reading, OUTPUT_DOUBTED, ""),
                          .values = value_index_make(arena, &attempt->reading)};
}

struct step_attempts attempts_tried(struct arena *arena, const struct step_attempts *attempts)
{
    struct step_attempts looked_at = *attempts;
    struct tried *tried = arena_array(arena, struct tried, attempts->count);

    for (size_t i = 0; i < attempts->count; i++)
        tried[i] = look_at(arena, attempts->items[i]);
    looked_at.tried = tried;
    return looked_at;
}

struct attempt_bearing bearing_of(struct arena *arena, const struct step_attempts *attempts, size_t index)
{
    return attempts->tried != NULL ? attempts->tried[index].bearing
                                   : attempt_bearing(arena, attempts->items[index]);
}
