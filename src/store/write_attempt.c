/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt: before it is sent, when it has ended, and what was read in it. Each is one transaction. */
#include <string.h>

#include "store_private.h"

static struct value nullable_id(bool there, int64_t id)
{
    return there ? INTEGER(id) : NOTHING;
}

/* The command file is the same for many hosts: kept as content. */
static int put_command(struct store *store, const struct attempt *attempt, struct value *ret_value,
                       struct error *err)
{
    int64_t id = 0;

    if (attempt->command != NULL && content_put(store, slice_of(attempt->command), "", &id, err) < 0)
        return -1;
    *ret_value = nullable_id(attempt->command != NULL, id);
    return 0;
}

static int insert_attempt(struct store *store, const struct record *record, const struct attempt *attempt,
                          struct error *err)
{
    struct arena *arena;
    struct value command;
    int result;

    if (put_command(store, attempt, &command, err) < 0)
        return -1;
    arena = arena_create();
    result = store_exec(
        store, INSERT_ATTEMPT, err, INTEGER(record->number), INTEGER(attempt->step), INTEGER(attempt->n),
        TEXT(attempt->uuid), ENUM(vocabulary_attempt, attempt->state), ENUM(vocabulary_ending, attempt->end),
        INTEGER(attempt->rc), FORM(arena, attempt->what), REAL(attempt->sent), REAL(attempt->began),
        REAL(attempt->ended), TEXT(attempt->boot_id), REAL(attempt->up_began), REAL(attempt->up_ended),
        command, FORM_WORD(arena, attempt->transport), INTEGER(attempt->connections), TEXT(attempt->frame));
    arena_destroy(arena);
    return result;
}

int store_begin_attempt(struct store *store, const struct record *record, const struct attempt *attempt,
                        struct error *err)
{
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(
        store,
        check_still_ours(store, record->number, err) < 0 ? -1 : insert_attempt(store, record, attempt, err),
        err);
}

static int find_attempt(struct store *store, const struct record *record, const struct attempt *attempt,
                        int64_t *ret_id, struct error *err)
{
    int found = store_ask(store, FIND_ATTEMPT, ret_id, err, TEXT(attempt->uuid), INTEGER(record->number));

    if (found == 0)
        return error_set(err, ERROR_INTERNAL, "%s: attempt %s of run %lld was never started", store->path,
                         attempt->uuid, record->number);
    return found < 0 ? -1 : 0;
}

/* Of an output that is too long to be stored: its head and its tail. Its SHA-256 is believed. */
static int put_ends(struct store *store, const struct capture *capture, int64_t *ret_head, int64_t *ret_tail,
                    struct error *err)
{
    struct slice whole = capture->bytes;

    if (whole.length != capture->length || whole.length < 2 * CAPTURE_END_BYTES || capture->sha256[0] == '\0')
        return error_set(err, ERROR_INTERNAL, "%s: an output came to be clipped and was not whole",
                         store->path);
    if (content_put(store, (struct slice){whole.bytes, CAPTURE_END_BYTES}, "", ret_head, err) < 0)
        return -1;
    return content_put(store, slice_from(whole, whole.length - CAPTURE_END_BYTES), "", ret_tail, err);
}

static int put_capture(struct store *store, int64_t attempt, const struct capture *capture,
                       const char *stream, struct error *err)
{
    bool there = capture->bytes.bytes != NULL || capture->sha256[0] != '\0', clipped = capture->clipped;
    int64_t content = 0, tail = 0;

    if (clipped && put_ends(store, capture, &content, &tail, err) < 0)
        return error_wrap(err, "%s", stream);
    if (!clipped && there && content_put(store, capture->bytes, capture->sha256, &content, err) < 0)
        return error_wrap(err, "%s", stream);
    return store_exec(store, PUT_CAPTURE, err, INTEGER(attempt), TEXT(stream), INTEGER(capture->length),
                      INTEGER(capture->flooded), INTEGER(capture->cut), nullable_id(there, content),
                      INTEGER(clipped), nullable_id(clipped, tail), TEXT(clipped ? capture->sha256 : NULL));
}

static int update_attempt(struct store *store, int64_t id, const struct attempt *attempt, struct error *err)
{
    struct arena *arena;
    struct value command;
    int result;

    if (put_command(store, attempt, &command, err) < 0)
        return -1;
    arena = arena_create();
    result =
        store_exec(store, UPDATE_ATTEMPT, err, ENUM(vocabulary_attempt, attempt->state),
                   ENUM(vocabulary_ending, attempt->end), INTEGER(attempt->rc), FORM(arena, attempt->what),
                   REAL(attempt->sent), REAL(attempt->began), REAL(attempt->ended), TEXT(attempt->boot_id),
                   REAL(attempt->up_began), REAL(attempt->up_ended), command,
                   FORM_WORD(arena, attempt->transport), INTEGER(attempt->connections), INTEGER(id));
    arena_destroy(arena);
    return result;
}

static int write_end(struct store *store, const struct record *record, const struct attempt *attempt,
                     struct error *err)
{
    int64_t id;

    if (find_attempt(store, record, attempt, &id, err) < 0 || update_attempt(store, id, attempt, err) < 0)
        return -1;
    if (put_capture(store, id, &attempt->captures[0], "stdout", err) < 0 ||
        put_capture(store, id, &attempt->captures[1], "stderr", err) < 0)
        return error_wrap(err, "attempt %s", attempt->uuid);
    return 0;
}

static int write_window_capture(struct store *store, int64_t attempt, size_t n, const struct capture *capture,
                                const char *stream, struct error *err)
{
    int64_t content = 0;

    if (content_put(store, capture->bytes, capture->sha256, &content, err) < 0)
        return error_wrap(err, "%s", stream);
    return store_exec(store, INSERT_WINDOW_CAPTURE, err, INTEGER(attempt), INTEGER(n), TEXT(stream),
                      INTEGER(capture->length), INTEGER(capture->flooded), INTEGER(capture->cut),
                      INTEGER(content));
}

static int write_window(struct store *store, int64_t attempt, size_t n, const struct window *window,
                        struct error *err)
{
    struct arena *arena = arena_create();
    int result =
        store_exec(store, INSERT_WINDOW, err, INTEGER(attempt), INTEGER(n), INTEGER(window->member),
                   ENUM(vocabulary_window, window->role), ENUM(vocabulary_ending, window->end),
                   INTEGER(window->rc), FORM(arena, window->what), TEXT(window->boot_id), REAL(window->began),
                   REAL(window->ended), REAL(window->up_began), REAL(window->up_ended));

    arena_destroy(arena);
    if (result < 0 || write_window_capture(store, attempt, n, &window->captures[0], "stdout", err) < 0)
        return -1;
    return write_window_capture(store, attempt, n, &window->captures[1], "stderr", err);
}

static int write_windows(struct store *store, const struct record *record, const struct attempt *attempt,
                         size_t first, struct error *err)
{
    int64_t id;

    if (find_attempt(store, record, attempt, &id, err) < 0 ||
        store_exec(store, DELETE_WINDOW_CAPTURES, err, INTEGER(id), INTEGER(first)) < 0 ||
        store_exec(store, DELETE_WINDOWS, err, INTEGER(id), INTEGER(first)) < 0)
        return -1;
    for (size_t i = first; i < attempt->windows.count; i++) {
        const struct window *window = &attempt->windows.items[i];

        if (write_window(store, id, i, window, err) < 0)
            return error_wrap(err, "attempt %s, window of member %zu", attempt->uuid, window->member);
    }
    return 0;
}

int store_put_windows(struct store *store, const struct record *record, const struct attempt *attempt,
                      size_t first, struct error *err)
{
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(store, write_windows(store, record, attempt, first, err), err);
}

int store_end_attempt(struct store *store, const struct record *record, const struct attempt *attempt,
                      struct error *err)
{
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(
        store, check_still_ours(store, record->number, err) < 0 ? -1 : write_end(store, record, attempt, err),
        err);
}

/* Where a part's slice lies in its capture; a slice of other bytes could not be found again. */
static int find_range(const struct capture *capture, struct slice slice, struct value range[2],
                      struct error *err)
{
    size_t length = capture->bytes.length, offset;

    range[0] = range[1] = NOTHING;
    if (slice.length == 0)
        return 0;
    offset = (size_t)((uintptr_t)slice.bytes - (uintptr_t)capture->bytes.bytes);
    if (capture->bytes.bytes == NULL || offset > length || slice.length > length - offset)
        return error_set(err, ERROR_INTERNAL, "a part's bytes do not lie in the capture that it is part of");
    range[0] = INTEGER(offset);
    range[1] = INTEGER(slice.length);
    return 0;
}

/* A record loaded without its evidence has no byte ranges to write: they must not be lost by that. */
static bool without_bytes(const struct capture *capture)
{
    return capture->length > 0 && capture->sha256[0] != '\0' && capture->bytes.bytes == NULL;
}

static bool lacks_bytes(const struct attempt *attempt)
{
    bool lacks = without_bytes(&attempt->captures[0]) || without_bytes(&attempt->captures[1]);

    for (size_t i = 0; i < attempt->windows.count; i++)
        lacks |= without_bytes(&attempt->windows.items[i].captures[0]) ||
                 without_bytes(&attempt->windows.items[i].captures[1]);
    return lacks;
}

static int write_part(struct store *store, int64_t id, const struct attempt *attempt, size_t n,
                      struct error *err)
{
    const struct part *part = &attempt->parts.items[n];
    const struct capture *captures =
        part->window == 0 ? attempt->captures : attempt->windows.items[part->window - 1].captures;
    struct value out[2], errors[2];

    if (find_range(&captures[0], part->out, out, err) < 0 ||
        find_range(&captures[1], part->err, errors, err) < 0)
        return error_wrap(err, "%s: attempt %s, part %s", store->path, attempt->uuid, part->name);
    return store_exec(store, INSERT_PART, err, INTEGER(id), INTEGER(n), WORD(part->name), WORD(part->command),
                      INTEGER(part->began), INTEGER(part->ended), INTEGER(part->rc), out[0], out[1],
                      errors[0], errors[1], INTEGER(part->aside), INTEGER(part->window));
}

/* The readings of one attempt are numbered through; a run of a reading names it as its parent. */
struct reading_writer {
    struct store *store;
    struct arena *arena;
    int64_t attempt, next;
    struct value part;
};

static int write_measurements(struct reading_writer *writer, int64_t id, const struct reading *reading,
                              struct error *err)
{
    size_t n = 0;

    for (size_t i = 0; i < reading->facts.count; i++, n++) {
        const struct fact *fact = &reading->facts.items[i];

        if (fact->value == NULL)
            return error_set(err, ERROR_INTERNAL, "fact %s has no value", fact->name);
        if (store_exec(writer->store, INSERT_MEASUREMENT, err, INTEGER(id), INTEGER(n), WORD(fact->name),
                       WORD(fact->subject), NOTHING, NOTHING, TEXT(fact_encode(writer->arena, fact)),
                       NOTHING) < 0)
            return -1;
    }
    for (size_t i = 0; i < reading->measurements.count; i++, n++) {
        const struct measurement *measurement = &reading->measurements.items[i];

        if (store_exec(writer->store, INSERT_MEASUREMENT, err, INTEGER(id), INTEGER(n),
                       WORD(measurement->metric), WORD(measurement->subject),
                       WORD(at_encode(writer->arena, measurement)), REAL(measurement->value), NOTHING,
                       WORD(measurement->unit)) < 0)
            return -1;
    }
    return 0;
}

static int write_findings(struct reading_writer *writer, int64_t id, const struct reading *reading,
                          struct error *err)
{
    for (size_t i = 0; i < reading->findings.count; i++) {
        const struct finding *finding = &reading->findings.items[i];

        if (store_exec(writer->store, INSERT_FINDING, err, INTEGER(id), INTEGER(i), WORD(finding->code),
                       WORD(finding->subject), ENUM(vocabulary_severity, finding->severity),
                       FORM(writer->arena, finding->what)) < 0)
            return -1;
    }
    return 0;
}

static int write_reading(struct reading_writer *writer, const struct reading *reading, struct value parent,
                         struct error *err)
{
    int64_t n = writer->next++, id;

    if (store_exec(writer->store, INSERT_READING, err, INTEGER(writer->attempt), INTEGER(n), writer->part,
                   parent, TEXT(reading->tool), ENUM(vocabulary_reading, reading->status),
                   reading->reason != NULL ? FORM(writer->arena, reading->reason) : NOTHING) < 0)
        return -1;
    id = sqlite3_last_insert_rowid(writer->store->db);
    if (write_measurements(writer, id, reading, err) < 0 || write_findings(writer, id, reading, err) < 0)
        return -1;
    for (size_t i = 0; i < reading->runs.count; i++)
        if (write_reading(writer, &reading->runs.items[i], INTEGER(n), err) < 0)
            return -1;
    return 0;
}

static int write_readings(struct reading_writer *writer, const struct attempt *attempt, struct error *err)
{
    writer->part = NOTHING;
    if (write_reading(writer, &attempt->reading, NOTHING, err) < 0)
        return -1;
    for (size_t i = 0; i < attempt->parts.count; i++) {
        writer->part = INTEGER(i);
        if (write_part(writer->store, writer->attempt, attempt, i, err) < 0 ||
            write_reading(writer, &attempt->parts.items[i].reading, NOTHING, err) < 0)
            return -1;
    }
    return 0;
}

static int replace_readings(struct store *store, const struct record *record, const struct attempt *attempt,
                            struct error *err)
{
    struct reading_writer writer = {.store = store};
    int result;

    if (lacks_bytes(attempt))
        return error_set(err, ERROR_INTERNAL, "%s: attempt %s was loaded without its captures", store->path,
                         attempt->uuid);
    if (find_attempt(store, record, attempt, &writer.attempt, err) < 0 ||
        store_exec(store, DELETE_PARTS, err, INTEGER(writer.attempt)) < 0 ||
        store_exec(store, DELETE_READINGS, err, INTEGER(writer.attempt)) < 0)
        return -1;
    writer.arena = arena_create();
    result = write_readings(&writer, attempt, err);
    if (result == 0)
        result = write_sightings(store, record, attempt, writer.attempt, err);
    arena_destroy(writer.arena);
    return result;
}

int store_put_readings(struct store *store, const struct record *record, const struct attempt *attempt,
                       struct error *err)
{
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(store, replace_readings(store, record, attempt, err), err);
}
