/* SPDX-License-Identifier: Apache-2.0 */
/* Rows into the attempts of a record: captures, parts and readings. */
#include <stdio.h>
#include <string.h>

#include "store_private.h"

/* The runs of a reading have none of their own. */
enum { DEEPEST_RUNS = 8 };

/* A row of `reading` before it is put where it belongs. */
struct reading_row {
    int64_t id, n, part, parent; /* -1: NULL */
    struct reading reading;
};

struct reading_rows {
    LIST_OF(struct reading_row) rows;
};

/* Lists are gathered in the scratch arena: in the record they are no longer than they must be. */
static int load_findings(struct load *load, int64_t id, struct reading *reading, struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_FINDINGS, load->arena, load->names, err, INTEGER(id)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        struct finding *finding = list_push(load->scratch, &reading->findings);

        finding->code = take_word(&rows);
        finding->subject = take_word(&rows);
        finding->severity = (enum severity)take_enum(&rows, &vocabulary_severity);
        finding->what = take_reason(&rows);
    }
    list_settle(load->arena, &reading->findings);
    return got;
}

static void add_fact(struct load *load, struct reading *reading, const char *name, const char *subject,
                     const char *text)
{
    struct fact *fact = list_push(load->scratch, &reading->facts);

    *fact = (struct fact){.name = name, .subject = subject};
    fact_decode(load->arena, text, fact);
}

static void take_measurement(struct load *load, struct rows *rows, struct reading *reading)
{
    const char *metric = take_word(rows), *subject = take_word(rows);
    double value = take_real(rows);
    const char *text = take_null(rows) ? NULL : take_repeated_text(rows), *unit = take_optional_word(rows);

    if (text != NULL) {
        add_fact(load, reading, metric, subject, text);
    } else {
        struct measurement *measurement = list_push(load->scratch, &reading->measurements);

        *measurement =
            (struct measurement){.metric = metric, .subject = subject, .value = value, .unit = unit};
        if (unit == NULL)
            rows_damage(rows, "a measurement of %.80s has no unit", metric);
        take_place(rows, measurement);
    }
}

static int load_values(struct load *load, int64_t id, struct reading *reading, struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_MEASUREMENTS, load->arena, load->names, err, INTEGER(id)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0)
        take_measurement(load, &rows, reading);
    list_settle(load->arena, &reading->facts);
    list_settle(load->arena, &reading->measurements);
    return got;
}

static int load_wanted_facts(struct load *load, int64_t id, struct reading *reading, struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_FACTS, load->arena, load->names, err, INTEGER(id)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        const char *name = take_word(&rows), *subject;

        if (!load->wanted(reading->tool, name))
            continue;
        subject = take_word(&rows);
        add_fact(load, reading, name, subject, take_repeated_text(&rows));
    }
    list_settle(load->arena, &reading->facts);
    return got;
}

static bool is_lean(const struct load *load, const struct reading_row *row)
{
    return load->wanted != NULL && row->part >= 0;
}

static int load_reading(struct load *load, struct reading_row *row, struct error *err)
{
    struct reading *reading = &row->reading;

    if ((is_lean(load, row) ? load_wanted_facts(load, row->id, reading, err)
                            : load_values(load, row->id, reading, err)) < 0)
        return -1;
    return load_findings(load, row->id, reading, err);
}

/* A reading's runs come after it; each is filled before it is copied into its parent. */
static int gather_runs(struct load *load, struct reading_rows *all, size_t at, unsigned depth,
                       struct error *err)
{
    struct reading_row *row = &all->rows.items[at];

    if (depth == DEEPEST_RUNS)
        return store_damage(load->store, err, "runs within runs, %u deep", depth);
    if (load_reading(load, row, err) < 0)
        return -1;
    for (size_t i = at + 1; i < all->rows.count && !is_lean(load, row); i++)
        if (all->rows.items[i].parent == row->n) {
            if (gather_runs(load, all, i, depth + 1, err) < 0)
                return -1;
            *list_push(load->scratch, &row->reading.runs) = all->rows.items[i].reading;
        }
    list_settle(load->arena, &row->reading.runs);
    return 0;
}

static int64_t take_nullable(struct rows *rows)
{
    return take_null(rows) ? -1 : take_integer(rows);
}

static int load_reading_rows(struct load *load, int64_t attempt, struct reading_rows *all, struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_READINGS, load->arena, load->names, err, INTEGER(attempt)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        struct reading_row *row = list_push(load->scratch, &all->rows);

        row->id = take_integer(&rows);
        row->n = take_integer(&rows);
        row->part = take_nullable(&rows);
        row->parent = take_nullable(&rows);
        row->reading.arena = load->arena;
        row->reading.tool = take_repeated_text(&rows);
        row->reading.status = (enum reading_status)take_enum(&rows, &vocabulary_reading);
        row->reading.reason = take_optional_reason(&rows);
    }
    return got;
}

static int load_readings(struct load *load, int64_t id, struct attempt *attempt, struct error *err)
{
    struct reading_rows all = {0};

    if (load_reading_rows(load, id, &all, err) < 0)
        return -1;
    for (size_t i = 0; i < all.rows.count; i++) {
        const struct reading_row *row = &all.rows.items[i];

        if (row->parent >= 0)
            continue;
        if (row->part >= (int64_t)attempt->parts.count)
            return store_damage(load->store, err, "attempt %s has no part %lld", attempt->uuid,
                                (long long)row->part);
        if (gather_runs(load, &all, i, 0, err) < 0)
            return -1;
        if (row->part >= 0)
            attempt->parts.items[row->part].reading = row->reading;
        else
            attempt->reading = row->reading;
    }
    return 0;
}

/* A range of the capture; without evidence there are no bytes to point into, and of a clipped capture only
 * those of its head or, where the range begins in it, its tail. */
static struct slice cut_range(struct load *load, struct rows *rows, const struct capture *capture,
                              int64_t offset, int64_t length)
{
    uint64_t whole = capture->clipped ? capture->length : capture->bytes.length, start = (uint64_t)offset;
    struct slice bytes = capture->bytes;

    if (offset < 0 || length < 0 || !load->evidence)
        return (struct slice){0};
    if (start > whole || (uint64_t)length > whole - start) {
        rows_damage(rows, "a part reaches beyond the capture");
        return (struct slice){0};
    }
    if (capture->clipped && start >= whole - capture->tail.length) {
        bytes = capture->tail;
        start -= whole - capture->tail.length;
    }
    bytes = slice_from(bytes, (size_t)start);
    if ((uint64_t)length < bytes.length)
        bytes.length = (size_t)length;
    return bytes;
}

static int load_parts(struct load *load, int64_t id, struct attempt *attempt, struct error *err)
{
    const struct capture *captures;
    int64_t range[4]; /* offset and length of out, and of err */
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_PARTS, load->arena, load->names, err, INTEGER(id)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        struct part *part = list_push(load->scratch, &attempt->parts);

        part->name = take_word(&rows);
        part->command = take_word(&rows);
        part->began = take_bool(&rows);
        part->ended = take_bool(&rows);
        part->rc = (int)take_integer(&rows);
        for (size_t i = 0; i < 4; i++)
            range[i] = take_nullable(&rows);
        part->aside = take_bool(&rows);
        part->window = take_index(&rows, attempt->windows.count + 1, "window");
        captures = part->window == 0 || rows.damage[0] != '\0'
                       ? attempt->captures
                       : attempt->windows.items[part->window - 1].captures;
        part->out = cut_range(load, &rows, &captures[0], range[0], range[1]);
        part->err = cut_range(load, &rows, &captures[1], range[2], range[3]);
        reading_init(&part->reading, load->arena, "");
    }
    list_settle(load->arena, &attempt->parts);
    return got;
}

static int load_content(struct load *load, const char *what, bool bytes, int64_t content,
                        struct capture *capture, struct error *err)
{
    if (!bytes)
        return content_sha256(load->store, content, what, capture->sha256, err);
    return content_get(load->store, load->arena, content, what, &capture->bytes, capture->sha256, err);
}

/* Head and tail; their own hashes are not those of the capture. */
static int load_ends(struct load *load, const char *what, int64_t head, int64_t tail, struct capture *capture,
                     struct error *err)
{
    char sha256[SHA256_HEX_SIZE];

    if (head < 0 || tail < 0)
        return store_damage(load->store, err, "%s: it is clipped and has no head or no tail", what);
    if (content_get(load->store, load->arena, head, what, &capture->bytes, sha256, err) < 0 ||
        content_get(load->store, load->arena, tail, what, &capture->tail, sha256, err) < 0)
        return -1;
    if (capture->bytes.length > capture->length || capture->tail.length > capture->length)
        return store_damage(load->store, err, "%s: it is shorter than its head or its tail", what);
    return 0;
}

/* The columns of a capture; of a pair of captures the one that the row names. */
static int take_capture(struct load *load, struct rows *rows, const struct attempt *attempt,
                        struct capture *captures, bool bytes, struct error *err)
{
    const char *stream = take_text(rows), *sha256;
    struct capture *capture = &captures[strcmp(stream, "stderr") == 0];
    int64_t content, tail;
    char what[160];

    if (strcmp(stream, "stdout") != 0 && strcmp(stream, "stderr") != 0)
        rows_damage(rows, "'%.40s' is not a stream", stream);
    capture->length = take_count(rows);
    capture->flooded = take_bool(rows);
    capture->cut = take_bool(rows);
    content = take_nullable(rows);
    capture->clipped = take_bool(rows);
    tail = take_nullable(rows);
    sha256 = take_optional_text(rows);
    snprintf(what, sizeof what, "attempt %s, %s", attempt->uuid, capture->stream);
    if (!capture->clipped)
        return content >= 0 ? load_content(load, what, bytes, content, capture, err) : 0;
    if (sha256 == NULL || strlen(sha256) != SHA256_HEX_SIZE - 1)
        return store_damage(load->store, err, "%s: it is clipped and has no SHA-256", what);
    memcpy(capture->sha256, sha256, SHA256_HEX_SIZE);
    return bytes ? load_ends(load, what, content, tail, capture, err) : 0;
}

static int load_window_captures(struct load *load, int64_t id, struct attempt *attempt, struct error *err)
{
    bool bytes = load->evidence || attempt->state == ATTEMPT_SENT;
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_WINDOW_CAPTURES, load->arena, NULL, err, INTEGER(id)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        size_t n = take_index(&rows, attempt->windows.count, "window");

        if (rows.damage[0] == '\0' &&
            take_capture(load, &rows, attempt, attempt->windows.items[n].captures, bytes, err) < 0) {
            rows_close(&rows);
            return -1;
        }
    }
    return got;
}

static int load_windows(struct load *load, int64_t id, struct attempt *attempt, struct error *err)
{
    size_t members = load->record->plan->steps.items[attempt->step].member_count;
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_WINDOWS, load->arena, NULL, err, INTEGER(id)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        struct window *window = list_push(load->scratch, &attempt->windows);

        window->member = take_index(&rows, members, "member");
        window->role = (enum window_role)take_enum(&rows, &vocabulary_window);
        window->end = (enum attempt_end)take_enum(&rows, &vocabulary_ending);
        window->rc = (int)take_integer(&rows);
        window->what = take_reason(&rows);
        window->boot_id = take_optional_text(&rows);
        window->began = take_real(&rows);
        window->ended = take_real(&rows);
        window->up_began = take_real(&rows);
        window->up_ended = take_real(&rows);
        window->captures[0].stream = "stdout";
        window->captures[1].stream = "stderr";
    }
    list_settle(load->arena, &attempt->windows);
    return got < 0 ? -1 : load_window_captures(load, id, attempt, err);
}

static int load_captures(struct load *load, int64_t id, struct attempt *attempt, struct error *err)
{
    struct rows rows;
    int got;

    attempt->captures[0].stream = "stdout";
    attempt->captures[1].stream = "stderr";
    if (rows_open(load->store, &rows, SELECT_CAPTURES, load->arena, NULL, err, INTEGER(id)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0)
        if (take_capture(load, &rows, attempt, attempt->captures, load->evidence, err) < 0) {
            rows_close(&rows);
            return -1;
        }
    return got;
}

/* The id of the row. */
static int64_t take_attempt(struct rows *rows, size_t steps, struct attempt *attempt, int64_t *ret_command)
{
    int64_t id = take_integer(rows);

    attempt->step = take_index(rows, steps, "step");
    attempt->n = take_unsigned(rows);
    attempt->uuid = take_text(rows);
    attempt->command = "";
    attempt->state = (enum attempt_state)take_enum(rows, &vocabulary_attempt);
    attempt->end = (enum attempt_end)take_enum(rows, &vocabulary_ending);
    attempt->rc = (int)take_integer(rows);
    attempt->what = take_reason(rows);
    attempt->sent = take_real(rows);
    attempt->began = take_real(rows);
    attempt->ended = take_real(rows);
    attempt->boot_id = take_optional_text(rows);
    attempt->up_began = take_real(rows);
    attempt->up_ended = take_real(rows);
    *ret_command = take_nullable(rows);
    attempt->transport = take_optional_reason_word(rows);
    attempt->connections = take_unsigned(rows);
    attempt->frame = take_optional_text(rows);
    return id;
}

static int load_command(struct load *load, int64_t content, struct attempt *attempt, struct error *err)
{
    char what[160], sha256[SHA256_HEX_SIZE];
    struct slice bytes;

    for (size_t i = load->commands.items.count; i > 0; i--)
        if (load->commands.items.items[i - 1].content == content) {
            attempt->command = load->commands.items.items[i - 1].text;
            return 0;
        }
    snprintf(what, sizeof what, "attempt %s, its command", attempt->uuid);
    if (content_get(load->store, load->arena, content, what, &bytes, sha256, err) < 0)
        return -1;
    attempt->command = bytes.bytes;
    *list_push(load->arena, &load->commands.items) = (struct command){content, bytes.bytes};
    return 0;
}

static int load_pieces(struct load *load, int64_t id, int64_t command, struct attempt *attempt,
                       struct error *err)
{
    int result = -1;

    arena_clear(load->scratch);
    reading_init(&attempt->reading, load->arena, "");
    if ((command < 0 || load_command(load, command, attempt, err) == 0) &&
        load_captures(load, id, attempt, err) == 0 && load_windows(load, id, attempt, err) == 0 &&
        load_parts(load, id, attempt, err) == 0)
        result = load_readings(load, id, attempt, err);
    return result;
}

/* A step's first attempt is its number 1, and no later one is: who looks for all of them looks from the last to that. */
static void check_number(struct rows *rows, const struct attempt *attempt, bool *begun)
{
    if (rows->damage[0] == '\0' && (attempt->n == 1) == begun[attempt->step])
        rows_damage(rows, "attempt %s is number %u of its step, and not in its place", attempt->uuid,
                    attempt->n);
    if (rows->damage[0] == '\0')
        begun[attempt->step] = true;
}

int load_attempts(struct load *load, struct error *err)
{
    cleanup_arena struct arena *scratch = arena_create(), *own = arena_create();
    bool *begun = arena_array(own, bool, load->record->plan->steps.count + 1);
    struct record *record = load->record;
    int64_t count = 0;
    struct rows rows;
    int got;

    load->scratch = scratch;
    if (store_ask(load->store, COUNT_ATTEMPTS, &count, err, INTEGER(record->number)) < 0 ||
        rows_open(load->store, &rows, SELECT_ATTEMPTS, load->arena, load->names, err,
                  INTEGER(record->number)) < 0)
        return -1;
    list_reserve(load->arena, &record->attempts, (size_t)count);
    while ((got = rows_next(&rows, err)) > 0) {
        struct attempt *attempt = list_push(load->arena, &record->attempts);
        int64_t command, id = take_attempt(&rows, record->plan->steps.count, attempt, &command);

        check_number(&rows, attempt, begun);
        if (rows.damage[0] == '\0' && load_pieces(load, id, command, attempt, err) < 0) {
            rows_close(&rows);
            return -1;
        }
    }
    return got;
}

static int take_one(struct load *load, long long id, struct attempt *attempt, struct error *err)
{
    cleanup_arena struct arena *scratch = arena_create();
    struct record *record = load->record;
    struct rows rows;
    int64_t command;
    int got;

    load->scratch = scratch;
    if (rows_open(load->store, &rows, SELECT_ATTEMPT, load->arena, load->names, err, INTEGER(record->number),
                  INTEGER(id)) < 0)
        return -1;
    got = rows_next(&rows, err);
    if (got == 0)
        return store_damage(load->store, err, "run %lld has no attempt %lld", record->number, id);
    if (got < 0)
        return -1;
    take_attempt(&rows, record->plan->steps.count, attempt, &command);
    if (rows.damage[0] == '\0' && load_pieces(load, id, command, attempt, err) < 0) {
        rows_close(&rows);
        return -1;
    }
    return rows_next(&rows, err);
}

int store_load_attempt(struct store *store, struct arena *arena, struct record *record, long long id,
                       store_part_fact *wanted, struct attempt *ret_attempt, struct error *err)
{
    struct load load = {.store = store, .arena = arena, .record = record, .wanted = wanted};

    *ret_attempt = (struct attempt){0};
    load.names = names_create(store, arena);
    if (store_begin_read(store, err) < 0)
        return -1;
    return store_finish(store, take_one(&load, id, ret_attempt, err), err);
}

static int load_bytes(struct load *load, long long number, struct attempt *attempt, struct error *err)
{
    int64_t id;
    int found = store_ask(load->store, FIND_ATTEMPT, &id, err, TEXT(attempt->uuid), INTEGER(number));

    if (found == 0)
        return store_damage(load->store, err, "run %lld has no attempt %s", number, attempt->uuid);
    if (found < 0 || load_captures(load, id, attempt, err) < 0)
        return -1;
    return load_window_captures(load, id, attempt, err);
}

int store_load_evidence(struct store *store, struct arena *arena, const struct record *record,
                        struct attempt *attempt, struct error *err)
{
    struct load load = {.store = store, .arena = arena, .evidence = true};

    if (store_begin_read(store, err) < 0)
        return -1;
    return store_finish(store, load_bytes(&load, record->number, attempt, err), err);
}
