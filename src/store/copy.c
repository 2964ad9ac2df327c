/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run from one database into another, row by row, with the ids of the other. What its texts and bytes say can be
 * rewritten on the way; then the places of parts in their captures are moved with the bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "run_tables.h"

enum { LARGEST_REWRITTEN = 1 << 30 };

/* Ids there and here, in the order in which they came. */
struct id_pair {
    int64_t from, to;
    bool was_there; /* what it stands for was there already */
    struct redact_edits edits;
};
struct id_map {
    LIST_OF(struct id_pair) list;
    size_t *slots; /* of a hash table: index + 1; 0: empty */
    size_t capacity;
};

struct copy {
    struct store *from, *to;
    struct arena *arena;
    struct redactor *redactor;
    const char *judgement;         /* the one that goes along, with what it rests on; NULL: all of them */
    struct id_map contents, *maps; /* maps: one for each of run_tables */
    struct id_map words[2];        /* 1: of columns that hold reasons */
};

static size_t find_slot(const struct id_map *map, int64_t from)
{
    size_t slot = (size_t)((uint64_t)from * 0x9e3779b97f4a7c15) & (map->capacity - 1);

    while (map->slots[slot] != 0 && map->list.items[map->slots[slot] - 1].from != from)
        slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

static struct id_pair *map_find(const struct id_map *map, int64_t from)
{
    size_t slot = map->capacity > 0 ? map->slots[find_slot(map, from)] : 0;

    return slot > 0 ? &map->list.items[slot - 1] : NULL;
}

static struct id_pair *map_add(struct arena *arena, struct id_map *map, int64_t from, int64_t to)
{
    struct id_pair *pair;

    if ((map->list.count + 1) * 2 > map->capacity) {
        map->capacity = map->capacity > 0 ? map->capacity * 2 : 64;
        map->slots = arena_array(arena, size_t, map->capacity);
        for (size_t i = 0; i < map->list.count; i++)
            map->slots[find_slot(map, map->list.items[i].from)] = i + 1;
    }
    pair = list_push(arena, &map->list);
    pair->from = from;
    pair->to = to;
    map->slots[find_slot(map, from)] = map->list.count;
    return pair;
}

/* Texts that are names of our own: hashes, random numbers, words of vocabularies. */
static bool is_own_word(const char *table, const char *column)
{
    static const char columns[] =
        " uuid digest frame state ending stream role exclusivity duty rule severity origin word place "
        "boot_id controller_start document.kind judgement_document.kind item.kind accusation.kind "
        "slot_limit.status "
        "reading.status shape.scope "
        "verdict.scope shape.check_name ";
    char plain[80], full[80];

    snprintf(plain, sizeof plain, " %s ", column);
    snprintf(full, sizeof full, " %s.%s ", table, column);
    return strstr(columns, plain) != NULL || strstr(columns, full) != NULL;
}

/* Hashes over what may have been rewritten: of all bytes of an output, of a shape and its arguments, of a step and its
   hosts, of what a judgement rests on. */
static bool is_hash(const char *table, const char *column)
{
    static const char columns[] = " capture.sha256 shape.sha256 step.key waiver.step_key judgement.inputs ";
    char full[80];

    snprintf(full, sizeof full, " %s.%s ", table, column);
    return strstr(columns, full) != NULL;
}

/* What may be kept as a form (reason.h). */
static bool holds_reasons(const char *table, const char *column)
{
    static const char columns[] =
        " attempt.text attempt.transport document.name window.text reading.reason measurement.text "
        "finding.text "
        "judgement.baselines outcome.cause outcome.remedy outcome.measured outcome.limit_text outcome.gate "
        "outcome.source search.conclusion search.candidates slot.duty_note slot_limit.note slot_limit.source "
        "step.origin_note ";
    char full[80];

    snprintf(full, sizeof full, " %s.%s ", table, column);
    return strstr(columns, full) != NULL;
}

static void rewritten(struct copy *copy, struct slice bytes, struct text *out, struct redact_edits *edits)
{
    text_init(out, LARGEST_REWRITTEN);
    if (copy->redactor != NULL)
        redact(copy->redactor, bytes, out, copy->arena, edits);
    else
        text_add(out, bytes.bytes, bytes.length);
}

static const char *rewritten_text(struct copy *copy, struct arena *arena, const char *words)
{
    cleanup_text struct text text = {0};

    rewritten(copy, slice_of(words), &text, NULL);
    return arena_strndup(arena, text.bytes, text.length);
}

struct rewriting {
    struct copy *copy;
    struct arena *arena;
};

static const char *rewritten_argument(void *context, const char *text)
{
    struct rewriting *rewriting = context;

    return rewritten_text(rewriting->copy, rewriting->arena, text);
}

/* A name may be known by the words around it only, and may be a word of ours too. So what a form says is rewritten as a
   whole, and it stays a form where its arguments, each for itself, come to the same. Without any nobody is named. */
static const struct reason *rewritten_reason(struct copy *copy, struct arena *arena,
                                             const struct reason *reason)
{
    const struct reason *pieces;
    const char *whole;

    if (reason->count == 0)
        return reason;
    whole = rewritten_text(copy, arena, reason_english(arena, reason));
    pieces = reason_map(arena, reason, rewritten_argument, &(struct rewriting){copy, arena});
    return strcmp(reason_english(arena, pieces), whole) == 0 ? pieces : reason_text(arena, whole);
}

static void rewritten_form(struct copy *copy, const char *form, struct text *out)
{
    struct arena *arena = arena_create();
    const struct reason *reason = reason_decode(arena, form);

    if (strcmp(reason_english(arena, reason), form) == 0) {
        rewritten(copy, slice_of(form), out, NULL); /* it is none that we know */
    } else {
        text_init(out, LARGEST_REWRITTEN);
        text_put(out, reason_encode(arena, rewritten_reason(copy, arena, reason)));
    }
    arena_destroy(arena);
}

static int copy_content(struct copy *copy, int64_t from, int64_t *ret_to, struct error *err)
{
    const struct id_pair *known = map_find(&copy->contents, from);
    struct arena *arena = known == NULL ? arena_create() : NULL;
    cleanup_text struct text text = {0};
    struct redact_edits edits = {0};
    char sha256[SHA256_HEX_SIZE];
    struct slice bytes;
    int result = 0;

    if (known == NULL) {
        result = content_get(copy->from, arena, from, "a capture or document", &bytes, sha256, err);
        if (result == 0 && copy->redactor != NULL) {
            rewritten(copy, bytes, &text, &edits);
            if (edits.list.count > 0)
                redactor_know_hash(copy->redactor, sha256);
            bytes = (struct slice){text.bytes, text.length};
        }
        if (result == 0)
            result = content_put(copy->to, bytes, copy->redactor == NULL ? sha256 : "", ret_to, err);
        if (result == 0)
            map_add(copy->arena, &copy->contents, from, *ret_to)->edits = edits;
    } else {
        *ret_to = known->to;
    }
    arena_destroy(arena);
    return result;
}

static int bind_text(struct copy *copy, const struct run_table *table, const struct run_column *column,
                     sqlite3_stmt *insert, int at, struct slice bytes)
{
    cleanup_text struct text text = {0};
    char uuid[UUID_SIZE], keyed[SHA256_HEX_SIZE];

    /* The row that it comes from stays until it is written here. */
    if (copy->redactor == NULL)
        return sqlite3_bind_text64(insert, at, bytes.bytes, bytes.length, SQLITE_STATIC, SQLITE_UTF8);
    if (bytes.length > 0 && is_hash(table->name, column->name)) {
        redactor_keyed(copy->redactor, bytes.bytes, keyed);
        text_init(&text, sizeof keyed), text_put(&text, keyed);
    } else if (is_own_word(table->name, column->name))
        text_init(&text, LARGEST_REWRITTEN), text_add(&text, bytes.bytes, bytes.length);
    else if (holds_reasons(table->name, column->name) && may_be_form(bytes.bytes))
        rewritten_form(copy, bytes.bytes, &text);
    else
        rewritten(copy, bytes, &text, NULL);
    /* A rewritten shape is not the one that other runs may have under this name. */
    if (strcmp(column->name, "digest") == 0) {
        uuid_create(uuid);
        text_reset(&text);
        text_put(&text, uuid);
    }
    return sqlite3_bind_text64(insert, at, text.bytes, text.length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static int copy_word(struct copy *copy, bool reasons, int64_t word, int64_t *ret_id, struct error *err)
{
    sqlite3_stmt *select = run_query(copy->from, "SELECT text FROM word WHERE id=?1", word, NULL, err);
    cleanup_text struct text text = {0};
    int got = select != NULL ? run_query_next(copy->from, select, err) : -1;

    if (got > 0) {
        struct slice bytes = {(const char *)sqlite3_column_text(select, 0),
                              (size_t)sqlite3_column_bytes(select, 0)};

        if (reasons && may_be_form(bytes.bytes))
            rewritten_form(copy, bytes.bytes, &text);
        else
            rewritten(copy, bytes, &text, NULL);
        got = intern_id(copy->to, text.bytes, ret_id, err);
    } else if (got == 0) {
        got = store_damage(copy->from, err, "word %lld does not exist", (long long)word);
    }
    sqlite3_finalize(select);
    return got;
}

static int bind_word(struct copy *copy, bool reasons, sqlite3_stmt *insert, int at, int64_t word,
                     struct error *err)
{
    const struct id_pair *known = map_find(&copy->words[reasons], word);
    int64_t id;

    if (known != NULL)
        return sqlite3_bind_int64(insert, at, known->to);
    if (copy_word(copy, reasons, word, &id, err) < 0)
        return -1;
    map_add(copy->arena, &copy->words[reasons], word, id);
    return sqlite3_bind_int64(insert, at, id);
}

/* One value; 0, or not. */
static int bind_column(struct copy *copy, const struct run_table *table, const struct run_column *column,
                       sqlite3_stmt *select, int from, sqlite3_stmt *insert, int at, struct error *err)
{
    /* Asked for once: each question to a column of a row costs as much as the rest of this. */
    sqlite3_value *value = sqlite3_column_value(select, from);
    int type = sqlite3_value_type(value);
    const struct id_pair *pair;
    int64_t id;

    if (type == SQLITE_NULL)
        return sqlite3_bind_null(insert, at);
    switch (column->kind) {
    case COLUMN_WORD:
        return bind_word(copy, copy->redactor != NULL && holds_reasons(table->name, column->name), insert, at,
                         sqlite3_value_int64(value), err);
    case COLUMN_CONTENT:
        if (copy_content(copy, sqlite3_value_int64(value), &id, err) < 0)
            return -1;
        return sqlite3_bind_int64(insert, at, id);
    case COLUMN_REFERENCE:
        pair = map_find(&copy->maps[column->target], sqlite3_value_int64(value));
        if (pair == NULL)
            return store_damage(copy->from, err, "table %s: a row of nobody", table->name);
        return sqlite3_bind_int64(insert, at, pair->to);
    case COLUMN_PLAIN:
    case COLUMN_OWN_ID:
    default:
        if (type == SQLITE_INTEGER)
            return sqlite3_bind_int64(insert, at, sqlite3_value_int64(value));
        if (type != SQLITE_TEXT)
            return sqlite3_bind_value(insert, at, value);
        return bind_text(
            copy, table, column, insert, at,
            (struct slice){(const char *)sqlite3_value_text(value), (size_t)sqlite3_value_bytes(value)});
    }
}

/* Finds a row that other runs share, by what would be written; NULL: the table has none. */
static int prepare_find(struct copy *copy, const struct run_table *table, sqlite3_stmt **ret_find,
                        struct error *err)
{
    *ret_find = NULL;
    if (table->shared == NULL)
        return 0;
    *ret_find = run_query(copy->to,
                          arena_printf(copy->arena, "SELECT id FROM %s WHERE (%s)=(%s)", table->name,
                                       table->shared, strchr(table->shared, ',') != NULL ? "?,?" : "?"),
                          0, NULL, err);
    return *ret_find != NULL ? 0 : -1;
}

/* Whether the column is one of those, "kind,identity". */
static bool is_among(const char *columns, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = columns; (at = strstr(at, name)) != NULL; at++)
        if ((at == columns || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* A row that other runs share: 1 with its id here, 0 when it is not here yet. */
static int find_shared(struct copy *copy, const struct run_table *table, const struct run_columns *columns,
                       sqlite3_stmt *select, sqlite3_stmt *find, int64_t *ret_id, struct error *err)
{
    int got = 0, at = 0;

    sqlite3_reset(find);
    for (size_t i = 0; i < columns->list.count && got == 0; i++)
        if (is_among(table->shared, columns->list.items[i].name))
            got = bind_column(copy, table, &columns->list.items[i], select, (int)i, find, ++at, err);
    if (got > 0)
        got = database_error(copy->to, "reading", err);
    if (got == 0)
        got = run_query_next(copy->to, find, err);
    if (got > 0)
        *ret_id = sqlite3_column_int64(find, 0);
    sqlite3_reset(find);
    return got;
}

/* Of a shape that is there already its slots are too. */
static bool belongs_to_known_shape(struct copy *copy, sqlite3_stmt *select, const struct run_columns *columns)
{
    for (size_t i = 0; i < columns->list.count; i++) {
        const struct run_column *column = &columns->list.items[i];

        if (column->kind == COLUMN_REFERENCE && strcmp(run_tables[column->target].name, "shape") == 0) {
            const struct id_pair *pair =
                map_find(&copy->maps[column->target], sqlite3_column_int64(select, (int)i));

            return pair != NULL && pair->was_there;
        }
    }
    return false;
}

/* A name that is a hash of the row is that of the same row. One that was drawn, as a redacted shape has, is one run's alone:
   whoever comes with it again says something else. */
static int check_name(struct copy *copy, const struct run_columns *columns, sqlite3_stmt *select,
                      struct error *err)
{
    for (size_t i = 0; i < columns->list.count; i++) {
        const char *digest = (const char *)sqlite3_column_text(select, (int)i);

        if (strcmp(columns->list.items[i].name, "digest") == 0 && digest != NULL &&
            strlen(digest) != SHA256_HEX_SIZE - 1)
            return error_set(err, ERROR_USAGE,
                             "%s: another run there has used the name %s for the items of a step",
                             copy->to->path, digest);
    }
    return 0;
}

static int insert_row(struct copy *copy, size_t table, const struct run_columns *columns,
                      sqlite3_stmt *select, sqlite3_stmt *insert, struct error *err)
{
    int64_t own = 0;
    int at = 0;

    sqlite3_reset(insert);
    for (size_t i = 0; i < columns->list.count; i++) {
        const struct run_column *column = &columns->list.items[i];
        int result = 0;

        if (column->kind == COLUMN_OWN_ID)
            own = sqlite3_column_int64(select, (int)i);
        else
            result = bind_column(copy, &run_tables[table], column, select, (int)i, insert, ++at, err);
        if (result > 0)
            database_error(copy->to, "writing", err);
        if (result != 0)
            return -1;
    }
    if (sqlite3_step(insert) != SQLITE_DONE)
        return (sqlite3_errcode(copy->to->db) & 0xff) == SQLITE_CONSTRAINT
                   ? error_set(err, ERROR_USAGE, "%s: no room for a row of the run: %s", copy->to->path,
                               sqlite3_errmsg(copy->to->db))
                   : database_error(copy->to, run_tables[table].name, err);
    if (run_tables[table].identity != NULL)
        map_add(copy->arena, &copy->maps[table], own, sqlite3_last_insert_rowid(copy->to->db));
    return 0;
}

static int copy_row(struct copy *copy, size_t table, const struct run_columns *columns, sqlite3_stmt *select,
                    sqlite3_stmt *find, sqlite3_stmt *insert, struct error *err)
{
    const char *name = run_tables[table].name;
    int64_t id, own = 0;
    int found = 0;

    if (strcmp(name, "slot") == 0 || strcmp(name, "slot_limit") == 0) {
        if (belongs_to_known_shape(copy, select, columns))
            return 0;
    } else if (find != NULL) {
        found = find_shared(copy, &run_tables[table], columns, select, find, &id, err);
    }
    if (found < 0 || (found > 0 && check_name(copy, columns, select, err) < 0))
        return -1;
    if (found == 0)
        return insert_row(copy, table, columns, select, insert, err);
    for (size_t i = 0; i < columns->list.count; i++)
        if (columns->list.items[i].kind == COLUMN_OWN_ID)
            own = sqlite3_column_int64(select, (int)i);
    map_add(copy->arena, &copy->maps[table], own, id)->was_there = true;
    return 0;
}

static void put_names(struct text *sql, const struct run_columns *columns, bool with_id, const char *value)
{
    bool first = true;

    for (size_t i = 0; i < columns->list.count; i++) {
        if (columns->list.items[i].kind == COLUMN_OWN_ID && !with_id)
            continue;
        text_printf(sql, "%s%s", first ? "" : ",", value != NULL ? value : columns->list.items[i].name);
        first = false;
    }
}

static int copy_table(struct copy *copy, size_t table, long long number, struct error *err)
{
    const struct run_table *row = &run_tables[table];
    cleanup_text struct text select_sql = {0}, insert_sql = {0};
    sqlite3_stmt *select = NULL, *find = NULL, *insert = NULL;
    struct run_columns columns;
    int got = -1;

    text_init(&select_sql, 1 << 16);
    text_init(&insert_sql, 1 << 16);
    if (run_columns_find(copy->to, copy->arena, row, &columns, err) < 0 ||
        prepare_find(copy, row, &find, err) < 0)
        return -1;
    text_put(&select_sql, "SELECT ");
    put_names(&select_sql, &columns, true, NULL);
    text_printf(&select_sql, " FROM %s WHERE %s", row->name, row->rows);
    /* Only ids follow the order in which rows are written: to sort all others would be for nothing. */
    if (row->identity != NULL)
        text_printf(&select_sql, " ORDER BY %s", row->order);
    text_printf(&insert_sql, "INSERT INTO %s(", row->name);
    put_names(&insert_sql, &columns, false, NULL);
    text_put(&insert_sql, ") VALUES(");
    put_names(&insert_sql, &columns, false, "?");
    text_put(&insert_sql, ")");
    select = run_query(copy->from, select_sql.bytes, number, copy->judgement, err);
    if (select != NULL && sqlite3_prepare_v2(copy->to->db, insert_sql.bytes, -1, &insert, NULL) != SQLITE_OK)
        database_error(copy->to, insert_sql.bytes, err);
    while (insert != NULL && (got = run_query_next(copy->from, select, err)) > 0)
        if (copy_row(copy, table, &columns, select, find, insert, err) < 0) {
            got = -1;
            break;
        }
    sqlite3_finalize(select);
    sqlite3_finalize(find);
    sqlite3_finalize(insert);
    return got;
}

/* Where the byte at `offset` lies now; inside of what was replaced: at its beginning. */
static int64_t moved(const struct redact_edits *edits, int64_t offset)
{
    int64_t shift = 0;

    for (size_t i = 0; i < edits->list.count; i++) {
        const struct redact_edit *edit = &edits->list.items[i];

        if ((int64_t)edit->at >= offset)
            break;
        if ((int64_t)(edit->at + edit->taken) > offset)
            return (int64_t)edit->at + shift;
        shift += (int64_t)edit->given - (int64_t)edit->taken;
    }
    return offset + shift;
}

static int64_t growth(const struct redact_edits *edits)
{
    int64_t shift = 0;

    for (size_t i = 0; i < edits->list.count; i++)
        shift += (int64_t)edits->list.items[i].given - (int64_t)edits->list.items[i].taken;
    return shift;
}

/* Of a clipped capture, what lies in its tail counts from its end. columns: content, length, clipped, tail. */
static int64_t moved_in(struct copy *copy, sqlite3_stmt *row, int first, int64_t offset)
{
    static const struct redact_edits nothing = {0};
    const struct id_pair *head = map_find(&copy->contents, sqlite3_column_int64(row, first));
    const struct id_pair *tail = map_find(&copy->contents, sqlite3_column_int64(row, first + 3));
    int64_t length = sqlite3_column_int64(row, first + 1), tail_at;

    if (sqlite3_column_int64(row, first + 2) == 0 || tail == NULL)
        return moved(head != NULL ? &head->edits : &nothing, offset);
    if (offset <= CAPTURE_END_BYTES)
        return moved(head != NULL ? &head->edits : &nothing, offset);
    tail_at = length - CAPTURE_END_BYTES;
    if (offset < tail_at)
        return offset;
    return tail_at - growth(&tail->edits) + moved(&tail->edits, offset - tail_at);
}

#define CAPTURE_OF_PART(name) \
    "(SELECT " name " FROM capture WHERE capture.attempt=part.attempt AND stream=?2 AND window=0),"
#define WINDOW_CAPTURE_OF_PART                                                    \
    "window_capture WHERE window_capture.attempt=part.attempt AND stream=?2 AND " \
    "window_capture.window=part.window-1)"

static int move_stream(struct copy *copy, long long number, const char *stream, const char *prefix,
                       size_t attempts, struct error *err)
{
    const char *sql = arena_printf(
        copy->arena,
        "SELECT attempt,n,%s_offset,%s_length,"
        "coalesce(" CAPTURE_OF_PART(
            "content") "(SELECT content FROM " WINDOW_CAPTURE_OF_PART "),"
                       "coalesce(" CAPTURE_OF_PART("length") "0),coalesce(" CAPTURE_OF_PART(
                           "clipped") "0)," CAPTURE_OF_PART("tail") "0 FROM part WHERE %s_offset IS NOT NULL "
                                                                    "AND attempt IN (SELECT id FROM attempt "
                                                                    "WHERE run=?1)",
        prefix, prefix, prefix);
    const char *update_sql = arena_printf(
        copy->arena, "UPDATE part SET %s_offset=?,%s_length=? WHERE attempt=? AND n=?", prefix, prefix);
    sqlite3_stmt *select = run_query(copy->from, sql, number, stream, err), *update = NULL;
    int got = -1;

    if (select != NULL && sqlite3_prepare_v2(copy->to->db, update_sql, -1, &update, NULL) != SQLITE_OK)
        database_error(copy->to, update_sql, err);
    while (update != NULL && (got = run_query_next(copy->from, select, err)) > 0) {
        int64_t offset = sqlite3_column_int64(select, 2), length = sqlite3_column_int64(select, 3);
        const struct id_pair *attempt = map_find(&copy->maps[attempts], sqlite3_column_int64(select, 0));
        int64_t begin = moved_in(copy, select, 4, offset), end = moved_in(copy, select, 4, offset + length);

        sqlite3_reset(update);
        sqlite3_bind_int64(update, 1, begin);
        sqlite3_bind_int64(update, 2, end > begin ? end - begin : 0);
        sqlite3_bind_int64(update, 3, attempt != NULL ? attempt->to : 0);
        sqlite3_bind_int64(update, 4, sqlite3_column_int64(select, 1));
        if (sqlite3_step(update) != SQLITE_DONE) {
            got = database_error(copy->to, "moving parts", err);
            break;
        }
    }
    sqlite3_finalize(select);
    sqlite3_finalize(update);
    return got;
}

static int move_parts(struct copy *copy, long long number, struct error *err)
{
    size_t attempts = 0;

    while (strcmp(run_tables[attempts].name, "attempt") != 0)
        attempts++;
    if (move_stream(copy, number, "stdout", "out", attempts, err) < 0)
        return -1;
    return move_stream(copy, number, "stderr", "err", attempts, err);
}

static int refuse_twice(struct copy *copy, long long number, struct error *err)
{
    sqlite3_stmt *statement = run_query(copy->from, "SELECT uuid FROM run WHERE id=?1", number, NULL, err);
    int got = statement != NULL ? run_query_next(copy->from, statement, err) : -1;
    int64_t there;

    if (got == 0)
        got = error_set(err, ERROR_USAGE, "%s: run %lld does not exist", copy->from->path, number);
    if (got > 0) {
        const char *uuid = (const char *)sqlite3_column_text(statement, 0);

        got = store_ask(copy->to, FIND_RUN, &there, err, TEXT(uuid));
        if (got > 0)
            got = error_set(err, ERROR_USAGE, "%s: run %s is already there, as number %lld", copy->to->path,
                            uuid, (long long)there);
    }
    sqlite3_finalize(statement);
    return got;
}

static int copy_tables(struct copy *copy, long long number, struct error *err)
{
    if (refuse_twice(copy, number, err) < 0)
        return -1;
    for (size_t i = 0; i < run_table_count; i++)
        if (!run_tables[i].local && copy_table(copy, i, number, err) < 0)
            return error_wrap(err, "copying table %s", run_tables[i].name);
    return copy->redactor != NULL ? move_parts(copy, number, err) : 0;
}

/* What was said before it, and after, nobody signs: it stays here. Of a judgement without a time, from before judgements had
   one, it is not known which waivers came before it. */
static int choose_judgement(struct copy *copy, long long number, struct error *err)
{
    sqlite3_stmt *statement = run_query(
        copy->from,
        "SELECT uuid, EXISTS(SELECT 1 FROM outcome_waiver JOIN waiver ON waiver.uuid=outcome_waiver.waiver "
        "WHERE outcome_waiver.judgement=judgement.id AND made>now) FROM judgement WHERE run=?1 ORDER BY id "
        "DESC LIMIT 1",
        number, NULL, err);
    int got = statement != NULL ? run_query_next(copy->from, statement, err) : -1;

    if (got > 0 && sqlite3_column_int(statement, 1) != 0)
        got =
            error_set(err, ERROR_USAGE,
                      "run %lld has waivers and was judged by an earlier assay: judge it again first: assay "
                      "judge %lld",
                      number, number);

    copy->judgement = "";
    if (got > 0)
        copy->judgement = arena_strdup(copy->arena, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return got < 0 ? -1 : 0;
}

static int copy_from(struct copy *copy, long long number, bool whole, struct error *err)
{
    int result;

    if (store_begin_read(copy->from, err) < 0)
        return -1;
    result = whole ? 0 : choose_judgement(copy, number, err);
    if (result == 0)
        result = copy_tables(copy, number, err);
    return store_finish(copy->from, result, err);
}

static int put_origin(struct store *store, long long number, const struct run_origin *origin,
                      struct error *err)
{
    return store_exec(store, INSERT_ORIGIN, err, INTEGER(number), REAL(origin->imported),
                      TEXT(origin->bundle), TEXT(origin->sha256), INTEGER(origin->redacted),
                      TEXT(origin->signers));
}

static int copy_run(struct copy *copy, long long number, const struct run_origin *origin,
                    long long *ret_number, struct error *err)
{
    if (copy_from(copy, number, origin != NULL && *origin->signers == '\0', err) < 0)
        return -1;
    *ret_number = copy->maps[0].list.items[0].to;
    return origin != NULL ? put_origin(copy->to, *ret_number, origin, err) : 0;
}

static int copy_whole(struct copy *copy, long long number, const struct run_origin *origin,
                      long long *ret_number, struct error *err)
{
    int result = -1;

    copy->arena = arena_create();
    copy->maps = arena_array(copy->arena, struct id_map, run_table_count);
    if (store_begin(copy->to, err) == 0)
        result = store_finish(copy->to, copy_run(copy, number, origin, ret_number, err), err);
    arena_destroy(copy->arena);
    return result;
}

int store_number_next(struct store *store, long long number, struct error *err)
{
    int result = store_begin(store, err);

    if (result < 0)
        return -1;
    result = store_exec_values(store, FORGET_LAST_NUMBER, NULL, 0, err);
    if (result == 0)
        result = store_exec(store, INSERT_LAST_NUMBER, err, INTEGER(number - 1));
    return store_finish(store, result, err);
}

int store_copy_run(struct store *from, long long number, struct store *to, struct redactor *redactor,
                   long long *ret_number, struct error *err)
{
    struct copy copy = {.from = from, .to = to, .redactor = redactor};

    return copy_whole(&copy, number, NULL, ret_number, err);
}

int store_import_run(struct store *from, long long number, struct store *to, const struct run_origin *origin,
                     long long *ret_number, struct error *err)
{
    struct copy copy = {.from = from, .to = to};

    return copy_whole(&copy, number, origin, ret_number, err);
}

int store_is_last_of_origin(struct store *store, long long number, const char *judgement, bool *ret_is,
                            struct error *err)
{
    int64_t count = 0;

    if (store_ask(store, COUNT_LAST_OF_ORIGIN, &count, err, INTEGER(number), TEXT(judgement)) < 0)
        return -1;
    *ret_is = count > 0;
    return 0;
}

int store_add_signers(struct store *store, long long number, const char *signers, struct error *err)
{
    while (*signers != '\0') {
        size_t length = strcspn(signers, "\n");
        cleanup_free char *signer = mem_printf("%.*s", (int)length, signers);

        if (store_exec(store, ADD_SIGNER, err, INTEGER(number), TEXT(signer)) < 0)
            return -1;
        signers += length + (signers[length] == '\n');
    }
    return 0;
}
