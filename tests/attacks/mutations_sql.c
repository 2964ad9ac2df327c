/* SPDX-License-Identifier: Apache-2.0 */
/* Mutations of what run.db holds: its schema, rows, references, digests and numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mutation.h"
#include "store_private.h"

#define PRINTF(...) arena_printf(mutant->arena, __VA_ARGS__)

static size_t below(struct mutant *mutant, size_t count)
{
    return chance_below(mutant->chance, count);
}

static const char *one_of(struct mutant *mutant, const char *const *words, size_t count)
{
    return words[below(mutant, count)];
}
#define ONE_OF(...)                                    \
    one_of(mutant, (const char *const[]){__VA_ARGS__}, \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static const char *any_table(struct mutant *mutant)
{
    return mutant_text(mutant, mutant->db,
                       "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'");
}

static const char *any_column(struct mutant *mutant, const char *table)
{
    return mutant_text(mutant, mutant->db, PRINTF("SELECT name FROM pragma_table_info('%s')", table));
}

/* SQL that is one row of the table, by what tells it from others. */
static const char *any_row(struct mutant *mutant, const char *table)
{
    const char *keys = mutant_text(
        mutant, mutant->db,
        PRINTF(
            "SELECT iif((SELECT wr FROM pragma_table_list WHERE name='%s'),(SELECT group_concat(name) FROM "
            "pragma_table_info('%s') WHERE pk>0),'rowid')",
            table, table));
    const char *count = mutant_text(mutant, mutant->db, PRINTF("SELECT count(*) FROM %s", table));
    size_t rows = count != NULL ? strtoul(count, NULL, 10) : 0;

    if (rows == 0 || keys == NULL)
        return NULL;
    return PRINTF("(%s)=(SELECT %s FROM %s LIMIT 1 OFFSET %zu)", keys, keys, table, below(mutant, rows));
}

/* ---- values ---- */

static const char *number(struct mutant *mutant)
{
    return ONE_OF("0", "1", "2", "3", "-1", "7", "12", "255", "4242", "65536", "2147483647", "2147483648",
                  "4294967295", "4294967296", "9223372036854775807", "-9223372036854775808", "0.0", "0.5",
                  "-0.0", "1e308", "-1e308", "9e999", "-9e999", "1e-320", "1772366400.0", "99999999999999.0",
                  "268435456");
}

static const char *strange_text(struct mutant *mutant)
{
    return ONE_OF("''", "'x'", "CAST(x'610062' AS TEXT)", "CAST(x'00' AS TEXT)", "CAST(x'fffe80c0' AS TEXT)",
                  "CAST(x'1b5d303b6576696c07' AS TEXT)", "'../../etc/passwd'",
                  "'a'||char(10)||'verdict: accept'", "'<script>alert(1)</script>'", "char(8238)||'tpecca'",
                  "'%s%n%s'", "x'00ff'", "zeroblob(40)", "printf('%.1048576c','x')", "printf('%.70000c','9')",
                  "'NaN'", "'-1'", "'1'", "'null'", "'{}'", "'[1,'", "'{\"a\":'", "'rail:'", "'scheduler:'",
                  "'sqlite_schema'");
}

static const char *word(struct mutant *mutant)
{
    return ONE_OF("'pass'", "'fail'", "'inconclusive'", "'not run'", "'recorded'", "'accept'",
                  "'accept with exceptions'", "'reject'", "'incomplete'", "'passed'", "'failed'", "'run'",
                  "'host'", "'unit'", "'ended'", "'running'", "'interrupted'", "'cancelled'", "'sent'",
                  "'ran'", "'gate'", "'record'", "'floor'", "'equal'", "'contract'", "'guess'", "'stdout'",
                  "'stderr'", "'before'", "'complete'", "'suite'", "'isolate'", "'hostfile'", "'gpu'",
                  "'swap'", "'hall 7'");
}

/* A value of the importer's, as a literal. */
static const char *own_value(struct mutant *mutant, const char *table, const char *column)
{
    const char *value =
        mutant_text(mutant, mutant->parties->rows, PRINTF("SELECT quote(%s) FROM %s", column, table));

    return value != NULL ? value : "NULL";
}

static const char *own_uuid(struct mutant *mutant)
{
    return mutant_text(
        mutant, mutant->parties->rows,
        "SELECT quote(uuid) FROM (SELECT uuid FROM run UNION ALL SELECT uuid FROM judgement UNION ALL "
        "SELECT uuid FROM attempt UNION ALL SELECT uuid FROM waiver UNION ALL SELECT uuid FROM "
        "withdrawal UNION ALL SELECT uuid FROM acceptance UNION ALL SELECT uuid FROM event)");
}

static const char *any_value(struct mutant *mutant, const char *table, const char *column)
{
    switch (below(mutant, 8)) {
    case 0:
        return "NULL";
    case 1:
    case 2:
        return number(mutant);
    case 3:
        return strange_text(mutant);
    case 4:
        return word(mutant);
    case 5:
        return own_value(mutant, table, column);
    case 6:
        return own_uuid(mutant);
    default:
        return PRINTF("(SELECT %s FROM %s LIMIT 1 OFFSET %zu)", column, table, below(mutant, 20));
    }
}

/* ---- tables without their constraints, whose text is put back behind the row ---- */

/* All occurrences. */
static const char *without(struct mutant *mutant, const char *text, const char *what)
{
    const char *found;

    while ((found = strstr(text, what)) != NULL)
        text = PRINTF("%.*s%s", (int)(found - text), text, found + strlen(what));
    return text;
}

static void set_text_quietly(struct mutant *mutant, const char *table, const char *text)
{
    char *sql =
        sqlite3_mprintf("UPDATE sqlite_schema SET sql=%Q WHERE type='table' AND name=%Q", text, table);

    sqlite3_exec(mutant->db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
}

static bool set_text(struct mutant *mutant, const char *table, const char *text)
{
    char *sql =
        sqlite3_mprintf("UPDATE sqlite_schema SET sql=%Q WHERE type='table' AND name=%Q", text, table);
    bool done = mutant_sql(mutant, "%s", sql);

    sqlite3_free(sql);
    return done;
}

static bool relax(struct mutant *mutant, const char *table, bool unique)
{
    const char *sql = mutant_text(
        mutant, mutant->db, PRINTF("SELECT sql FROM sqlite_schema WHERE type='table' AND name='%s'", table));
    bool rowid = sql != NULL && strstr(sql, "WITHOUT ROWID") == NULL;

    if (sql == NULL)
        return false;
    sqlite3_exec(mutant->db, "CREATE TEMP TABLE kept AS SELECT rowid AS r,* FROM main.sqlite_schema", NULL,
                 NULL, NULL);
    sql = without(mutant, sql, " NOT NULL");
    sql = without(mutant, sql, rowid ? "STRICT" : "STRICT, ");
    if (unique && rowid) {
        sql = without(mutant, sql, " UNIQUE");
        sql = without(mutant, sql, "TEXT PRIMARY KEY") == sql ? sql : without(mutant, sql, " PRIMARY KEY");
        sqlite3_exec(
            mutant->db,
            PRINTF("DELETE FROM sqlite_schema WHERE type='index' AND sql IS NULL AND tbl_name='%s'", table),
            NULL, NULL, NULL);
    }
    set_text_quietly(mutant, table, sql);
    sqlite3_exec(mutant->db, "PRAGMA writable_schema=RESET;PRAGMA writable_schema=ON", NULL, NULL, NULL);
    return true;
}

static void restore(struct mutant *mutant)
{
    sqlite3_exec(mutant->db,
                 "DELETE FROM main.sqlite_schema;INSERT INTO "
                 "main.sqlite_schema(rowid,type,name,tbl_name,rootpage,sql) "
                 "SELECT r,type,name,tbl_name,rootpage,sql FROM temp.kept;DROP TABLE temp.kept;PRAGMA "
                 "writable_schema=RESET;PRAGMA writable_schema=ON",
                 NULL, NULL, NULL);
}

/* ---- rows ---- */

static bool update_in(struct mutant *mutant, const char *table)
{
    const char *column = table != NULL ? any_column(mutant, table) : NULL,
               *row = column != NULL ? any_row(mutant, table) : NULL;

    return row != NULL && mutant_sql(mutant, "UPDATE %s SET %s=%s WHERE %s", table, column,
                                     any_value(mutant, table, column), row);
}

static bool update_row(struct mutant *mutant)
{
    return update_in(mutant, any_table(mutant));
}

static bool update_unbound(struct mutant *mutant)
{
    const char *table = any_table(mutant);
    bool done = table != NULL && relax(mutant, table, below(mutant, 2) == 0);

    if (!done)
        return false;
    done = update_in(mutant, table);
    restore(mutant);
    return done;
}

static bool update_column(struct mutant *mutant)
{
    const char *table = any_table(mutant), *column = table != NULL ? any_column(mutant, table) : NULL;

    return column != NULL && mutant_sql(mutant, "UPDATE OR IGNORE %s SET %s=%s", table, column,
                                        any_value(mutant, table, column));
}

static bool delete_row(struct mutant *mutant)
{
    const char *table = any_table(mutant), *row = table != NULL ? any_row(mutant, table) : NULL;

    return row != NULL && mutant_sql(mutant, "DELETE FROM %s WHERE %s", table, row);
}

static bool delete_rows(struct mutant *mutant)
{
    const char *table = any_table(mutant);

    return table != NULL && mutant_sql(mutant, "DELETE FROM %s", table);
}

/* One row more, like another but for one column or two. */
static bool insert_in(struct mutant *mutant, const char *table)
{
    const char *row = table != NULL ? any_row(mutant, table) : NULL, *columns, *values = "", *first, *second,
               *name;

    if (row == NULL)
        return false;
    first = any_column(mutant, table);
    second = any_column(mutant, table);
    columns = mutant_text(mutant, mutant->db,
                          PRINTF("SELECT group_concat(name) FROM pragma_table_info('%s')", table));
    for (const char *at = columns; *at != '\0'; at += *at == ',') {
        size_t length = strcspn(at, ",");

        name = arena_strndup(mutant->arena, at, length);
        at += length;
        if (strcmp(name, first) == 0 || strcmp(name, second) == 0)
            name = any_value(mutant, table, name);
        values = PRINTF("%s%s%s", values, *values != '\0' ? "," : "", name);
    }
    return mutant_sql(mutant, "INSERT INTO %s(%s) SELECT %s FROM %s WHERE %s", table, columns, values, table,
                      row);
}

static bool insert_row(struct mutant *mutant)
{
    return insert_in(mutant, any_table(mutant));
}

static bool insert_unbound(struct mutant *mutant)
{
    const char *table = any_table(mutant);
    bool done;

    if (table == NULL || !relax(mutant, table, true))
        return false;
    done = insert_in(mutant, table);
    restore(mutant);
    return done;
}

/* The same row twice, in a table whose text says that it cannot be. */
static bool duplicate_row(struct mutant *mutant)
{
    const char *table = any_table(mutant), *row;
    bool done = false;

    if (table == NULL || !relax(mutant, table, true))
        return false;
    row = any_row(mutant, table);
    if (row != NULL)
        done = mutant_sql(mutant, "INSERT INTO %s SELECT * FROM %s WHERE %s", table, table, row) ||
               mutant_sql(mutant, "UPDATE OR IGNORE %s SET n=n+1 WHERE %s", table, row);
    restore(mutant);
    return done;
}

/* Rows as the importer has them, his runs' numbers and all. */
static bool insert_own(struct mutant *mutant, const char *table)
{
    const char *columns = mutant_text(mutant, mutant->db,
                                      PRINTF("SELECT group_concat('quote('||name||')',\"||','||\") FROM "
                                             "pragma_table_info('%s')",
                                             table)),
               *values;

    columns = columns != NULL ? without(mutant, columns, "\"") : NULL;
    values = columns != NULL
                 ? mutant_text(mutant, mutant->parties->rows, PRINTF("SELECT %s FROM %s", columns, table))
                 : NULL;
    return values != NULL && mutant_sql(mutant, "INSERT INTO %s VALUES(%s)", table, values);
}

static bool insert_own_row(struct mutant *mutant)
{
    const char *table = any_table(mutant);

    return table != NULL && insert_own(mutant, table);
}

static bool insert_what_is_of_no_run(struct mutant *mutant)
{
    return insert_own(mutant, ONE_OF("acceptance", "acceptance_document", "acceptance_run", "event",
                                     "pseudonym", "origin", "adoption", "blob", "content", "word", "item"));
}

static bool long_text(struct mutant *mutant)
{
    const char *table = any_table(mutant), *column = table != NULL ? any_column(mutant, table) : NULL,
               *row = column != NULL ? any_row(mutant, table) : NULL;

    return row != NULL &&
           mutant_sql(mutant, "UPDATE %s SET %s=%s WHERE %s", table, column, strange_text(mutant), row);
}

static bool words(struct mutant *mutant)
{
    static const struct {
        const char *table, *column;
    } of[] = {
        {"run", "state"},         {"attempt", "state"},     {"attempt", "ending"},   {"verdict", "word"},
        {"verdict", "scope"},     {"outcome", "word"},      {"slot", "duty"},        {"slot_limit", "rule"},
        {"slot_limit", "status"}, {"shape", "exclusivity"}, {"shape", "scope"},      {"step", "origin"},
        {"run_host", "role"},     {"window", "role"},       {"reading", "status"},   {"finding", "severity"},
        {"item", "kind"},         {"capture", "stream"},    {"accusation", "kind"},  {"accusation", "place"},
        {"document", "kind"},     {"reading", "tool"},      {"shape", "check_name"}, {"word", "text"}};
    size_t which = below(mutant, ARRAY_SIZE(of));
    const char *row = any_row(mutant, of[which].table);

    return row != NULL &&
           mutant_sql(mutant, "UPDATE %s SET %s=%s WHERE %s", of[which].table, of[which].column,
                      below(mutant, 2) == 0 ? word(mutant)
                                            : own_value(mutant, of[which].table, of[which].column),
                      row);
}

/* An index that says something else than its table. */
static bool stale_index(struct mutant *mutant)
{
    const char *table = ONE_OF("word", "content", "run", "shape", "item", "attempt", "judgement", "waiver");
    bool done;

    if (!relax(mutant, table, true))
        return false;
    done = update_in(mutant, table);
    restore(mutant);
    return done;
}

/* ---- references ---- */

static const struct reference {
    const char *table, *column, *to, *key;
} references[] = {
    {"waiver", "attempt", "attempt", "uuid"},
    {"waiver", "step_key", "step", "key"},
    {"waiver", "run", "run", "id"},
    {"withdrawal", "waiver", "waiver", "uuid"},
    {"adoption", "waiver", "waiver", "uuid"},
    {"outcome_waiver", "waiver", "waiver", "uuid"},
    {"waived_item", "waiver", "waiver", "uuid"},
    {"judgement", "run", "run", "id"},
    {"attempt", "run", "run", "id"},
    {"attempt", "step", "step", "n"},
    {"attempt", "command", "content", "id"},
    {"capture", "attempt", "attempt", "id"},
    {"capture", "content", "content", "id"},
    {"capture", "tail", "content", "id"},
    {"window_capture", "content", "content", "id"},
    {"window_capture", "window", "window", "n"},
    {"document", "run", "run", "id"},
    {"document", "content", "content", "id"},
    {"judgement_document", "content", "content", "id"},
    {"outcome", "judgement", "judgement", "id"},
    {"outcome", "step", "step", "n"},
    {"outcome", "slot", "slot", "n"},
    {"outcome", "remedy", "word", "id"},
    {"outcome", "gate", "word", "id"},
    {"verdict", "judgement", "judgement", "id"},
    {"search", "judgement", "judgement", "id"},
    {"search", "step", "step", "n"},
    {"search", "metric", "word", "id"},
    {"accusation", "step", "step", "n"},
    {"accusation_step", "step", "step", "n"},
    {"accusation_step", "accusation", "accusation", "n"},
    {"reading", "attempt", "attempt", "id"},
    {"reading", "part", "part", "n"},
    {"reading", "parent", "reading", "n"},
    {"measurement", "reading", "reading", "id"},
    {"measurement", "metric", "word", "id"},
    {"measurement", "at", "word", "id"},
    {"measurement", "unit", "word", "id"},
    {"finding", "reading", "reading", "id"},
    {"finding", "code", "word", "id"},
    {"part", "attempt", "attempt", "id"},
    {"part", "window", "window", "n"},
    {"part", "name", "word", "id"},
    {"sighting", "item", "item", "id"},
    {"sighting", "host", "run_host", "n"},
    {"sighting", "position", "word", "id"},
    {"slot", "shape", "shape", "id"},
    {"slot", "metric", "word", "id"},
    {"slot_limit", "slot", "slot", "n"},
    {"slot_limit", "unit", "word", "id"},
    {"run_shape", "shape", "shape", "id"},
    {"run_shape", "run", "run", "id"},
    {"step", "shape", "run_shape", "n"},
    {"step", "parent", "step", "n"},
    {"member", "host", "run_host", "n"},
    {"member", "step", "step", "n"},
    {"need", "needs", "step", "n"},
    {"need", "step", "step", "n"},
    {"host_label", "host", "run_host", "n"},
    {"blob", "content", "content", "id"},
    {"origin", "run", "run", "id"},
    {"acceptance_run", "run", "run", "id"},
};

static const char *target(struct mutant *mutant, const struct reference *reference)
{
    switch (below(mutant, 5)) {
    case 0:
        return PRINTF("(SELECT %s FROM %s LIMIT 1 OFFSET %zu)", reference->key, reference->to,
                      below(mutant, 50));
    case 1:
        return own_value(mutant, reference->to, reference->key);
    case 2:
        return own_value(mutant, reference->table, reference->column);
    case 3:
        return PRINTF("(SELECT max(%s)+1 FROM %s)", reference->key, reference->to);
    default:
        return number(mutant);
    }
}

static bool point_elsewhere(struct mutant *mutant)
{
    const struct reference *reference = &references[below(mutant, ARRAY_SIZE(references))];
    const char *row = any_row(mutant, reference->table);

    return row != NULL && mutant_sql(mutant, "UPDATE %s SET %s=%s WHERE %s", reference->table,
                                     reference->column, target(mutant, reference), row);
}

/* A row that says of something of the importer's what the attacker wants. */
static bool add_pointing(struct mutant *mutant)
{
    const struct reference *reference = &references[below(mutant, ARRAY_SIZE(references))];
    const char *table = reference->table;
    bool done = insert_in(mutant, table) || insert_own(mutant, table);
    const char *row = done ? any_row(mutant, table) : NULL;

    if (row != NULL)
        mutant_sql(mutant, "UPDATE %s SET %s=%s WHERE %s", table, reference->column,
                   target(mutant, reference), row);
    return done;
}

/* What is theirs has the name of something of the importer's, and all that refers to it goes along. */
static bool take_own_name(struct mutant *mutant)
{
    static const struct {
        const char *table, *column, *followers[6];
    } names[] = {
        {"run", "uuid", {NULL}},
        {"judgement", "uuid", {NULL}},
        {"attempt", "uuid", {"waiver", "attempt", NULL}},
        {"step", "key", {"waiver", "step_key", NULL}},
        {"withdrawal", "uuid", {NULL}},
        {"waiver", "uuid", {"withdrawal", "waiver", "outcome_waiver", "waiver", "waived_item", "waiver"}}};
    size_t which = below(mutant, ARRAY_SIZE(names));
    const char *table = names[which].table, *column = names[which].column, *row = any_row(mutant, table),
               *own = own_value(mutant, table, column), *old;

    old = row != NULL ? mutant_text(mutant, mutant->db,
                                    PRINTF("SELECT quote(%s) FROM %s WHERE %s", column, table, row))
                      : NULL;
    if (old == NULL || !mutant_sql(mutant, "UPDATE %s SET %s=%s WHERE %s", table, column, own, row))
        return false;
    for (size_t i = 0; i < 6 && names[which].followers[i] != NULL; i += 2)
        mutant_sql(mutant, "UPDATE %s SET %s=%s WHERE %s=%s", names[which].followers[i],
                   names[which].followers[i + 1], own, names[which].followers[i + 1], old);
    return true;
}

/* Decisions of theirs about what is the importer's. */
static bool decide_for_him(struct mutant *mutant)
{
    static const struct {
        const char *table, *column, *own, *own_column;
    } of[] = {{"waiver", "attempt", "attempt", "uuid"},
              {"waiver", "step_key", "step", "key"},
              {"withdrawal", "waiver", "waiver", "uuid"},
              {"waived_item", "waiver", "waiver", "uuid"},
              {"outcome_waiver", "waiver", "waiver", "uuid"}};
    size_t which = below(mutant, ARRAY_SIZE(of));
    const char *row = any_row(mutant, of[which].table);

    return row != NULL &&
           mutant_sql(mutant, "UPDATE %s SET %s=%s WHERE %s", of[which].table, of[which].column,
                      own_value(mutant, of[which].own, of[which].own_column), row);
}

/* The run has another number there, and everything of it says so; or only some of it. */
static bool renumber(struct mutant *mutant)
{
    const char *to = ONE_OF("2", "3", "4", "0", "-1", "9223372036854775807", "1000000"),
               *tables = PRINTF("%s", "");
    bool all = below(mutant, 2) == 0, done = false;

    tables =
        mutant_text(mutant, mutant->db,
                    "SELECT group_concat(m.name) FROM sqlite_schema m, pragma_table_info(m.name) c WHERE "
                    "m.type='table' AND c.name='run'");
    for (const char *at = tables; at != NULL && *at != '\0'; at += *at == ',') {
        size_t length = strcspn(at, ",");
        const char *table = arena_strndup(mutant->arena, at, length);

        at += length;
        if (all || below(mutant, 4) == 0)
            done |= mutant_sql(mutant, "UPDATE %s SET run=%s", table, to);
    }
    if (all || !done)
        done |= mutant_sql(mutant, "UPDATE run SET id=%s", to);
    return done;
}

static bool second_run(struct mutant *mutant)
{
    const char *id = ONE_OF("2", "3", "5", "-5");

    if (!mutant_sql(mutant,
                    "INSERT INTO run SELECT %s,%s,state,started,ended,suite,suite_title,hostfile,program,"
                    "controller_pid,controller_start,controller_host FROM run LIMIT 1",
                    id, own_value(mutant, "run", "uuid")))
        return false;
    mutant_sql(mutant, "UPDATE %s SET run=%s", ONE_OF("judgement", "waiver", "attempt", "document", "step"),
               id);
    return true;
}

static bool cycle(struct mutant *mutant)
{
    const char *row = any_row(mutant, "reading");

    switch (below(mutant, 5)) {
    case 0:
        return row != NULL && mutant_sql(mutant, "UPDATE reading SET parent=n WHERE %s", row);
    case 1:
        return mutant_sql(mutant, "UPDATE reading SET parent=n-1 WHERE n>0");
    case 2:
        return mutant_sql(mutant, "UPDATE reading SET parent=n+1");
    case 3:
        return mutant_sql(mutant, "UPDATE step SET parent=n");
    default:
        return mutant_sql(mutant, "UPDATE need SET needs=step");
    }
}

/* ---- digests ---- */

static bool change_limit(struct mutant *mutant)
{
    static const char *const changes[] = {
        "UPDATE slot_limit SET value=1.0 WHERE (shape,slot,n)=(SELECT shape,slot,n FROM slot_limit LIMIT 1 "
        "OFFSET %zu)",
        "UPDATE slot_limit SET value=value*0.5,tolerance=0.9 WHERE shape=(SELECT shape FROM slot_limit LIMIT "
        "1 OFFSET "
        "%zu)",
        "DELETE FROM slot_limit WHERE shape=(SELECT shape FROM slot_limit LIMIT 1 OFFSET %zu)",
        "UPDATE slot SET duty='record' WHERE shape=(SELECT shape FROM slot LIMIT 1 OFFSET %zu)",
        "UPDATE shape SET timeout_s=1,retries=99 WHERE id=(SELECT id FROM shape LIMIT 1 OFFSET %zu)",
        "UPDATE shape SET arguments='{\"begin\": \"1\"}' WHERE id=(SELECT id FROM shape LIMIT 1 OFFSET %zu)",
        "DELETE FROM slot WHERE n>0 AND shape=(SELECT shape FROM slot LIMIT 1 OFFSET %zu)",
        "UPDATE slot_limit SET status='guess' WHERE shape=(SELECT shape FROM slot_limit LIMIT 1 OFFSET %zu)",
    };
    char sql[300];

    sqlite3_snprintf((int)sizeof sql, sql, "%s", changes[below(mutant, ARRAY_SIZE(changes))]);
    *strstr(sql, "%zu") = '\0';
    return mutant_sql(mutant, "%s%d)", sql, (int)below(mutant, 30));
}

/* What a plan owes, with other limits, under the name of what the importer's runs owe, or one of his next will. */
static bool take_own_digest(struct mutant *mutant)
{
    const char *digest = below(mutant, 4) == 0 ? PRINTF("'%s'", mutant->parties->future_digest)
                                               : own_value(mutant, "shape", "digest");
    const char *row = any_row(mutant, "shape");

    if (below(mutant, 3) > 0)
        change_limit(mutant);
    return row != NULL && mutant_sql(mutant, "UPDATE shape SET digest=%s WHERE %s", digest, row);
}

static bool other_digest(struct mutant *mutant)
{
    const char *row = any_row(mutant, "shape");

    return row != NULL &&
           mutant_sql(mutant, "UPDATE shape SET digest=%s WHERE %s",
                      ONE_OF("'11111111-1111-4111-8111-111111111111'",
                             "'------------------------------------'", "''", "upper(digest)", "digest||' '",
                             "sha256", "substr(digest,1,63)", "'00000001-2222-4222-8222-222222222222'",
                             "'00000002-2222-4222-8222-222222222222'"),
                      row);
}

/* As a foolish or an honest party would: other limits, and the hash that they have. */
static bool honest_digest(struct mutant *mutant)
{
    const char *path = PRINTF("%s/digest.db", mutant->parties->folder);
    struct store *store = NULL;
    struct record *record = NULL;
    struct error err = {0};
    sqlite3_int64 length = 0;
    unsigned char *bytes;
    FILE *file = change_limit(mutant) ? fopen(path, "w") : NULL;

    bytes = file != NULL ? sqlite3_serialize(mutant->db, "main", &length, 0) : NULL;
    if (bytes != NULL && fwrite(bytes, 1, (size_t)length, file) == (size_t)length && fflush(file) == 0)
        store = store_open(path, true, &err);
    if (store != NULL)
        record = store_load_judged(store, mutant->arena, 0, &err);
    store_close(store);
    for (size_t i = 0; record != NULL && i < record->plan->shapes.count; i++) {
        char digest[SHA256_HEX_SIZE];

        shape_digest(record->plan->shapes.items[i], digest);
        mutant_sql(mutant, "UPDATE shape SET digest='%s' WHERE id=(SELECT shape FROM run_shape WHERE n=%d)",
                   digest, (int)i);
    }
    sqlite3_free(bytes);
    if (file != NULL)
        fclose(file);
    unlink(path);
    return record != NULL;
}

static bool other_content(struct mutant *mutant)
{
    const struct known_bytes *known =
        &mutant->parties->contents.items[below(mutant, mutant->parties->contents.count)];
    const char *row = any_row(mutant, "content"), *sha256 = PRINTF("'%s'", known->sha256);

    if (row == NULL)
        return false;
    switch (below(mutant, 5)) {
    case 0:
        return mutant_sql(mutant, "UPDATE content SET sha256=%s WHERE %s", sha256, row);
    case 1:
        return mutant_sql(mutant, "UPDATE content SET sha256=%s,length=%d WHERE %s", sha256,
                          (int)known->bytes.length, row);
    case 2:
        return mutant_sql(mutant, "UPDATE content SET sha256=%s WHERE %s",
                          ONE_OF("upper(sha256)", "''", "substr(sha256,2)", "sha256||'0'", "NULL"), row);
    case 3:
        return mutant_sql(mutant, "UPDATE content SET length=%s WHERE %s",
                          ONE_OF("0", "-1", "length+1", "9223372036854775807", "65536", "length-1"), row);
    default:
        return mutant_sql(mutant, "INSERT INTO content(sha256,length) VALUES(%s,%d)", sha256,
                          (int)known->bytes.length);
    }
}

static bool own_blob(struct mutant *mutant)
{
    return mutant_sql(mutant, "INSERT INTO blob SELECT id,0,%s FROM content LIMIT 1 OFFSET %d",
                      ONE_OF("x'28b52ffd0300'", "zeroblob(100)", "x''", "x'28b52ffd2000010000'"),
                      (int)below(mutant, 20));
}

static bool other_key(struct mutant *mutant)
{
    switch (below(mutant, 4)) {
    case 0:
        return mutant_sql(mutant, "UPDATE shape SET sha256=%s WHERE id=%d",
                          own_value(mutant, "shape", "sha256"), 1 + (int)below(mutant, 10));
    case 1:
        return mutant_sql(mutant, "UPDATE judgement SET inputs=%s", own_value(mutant, "judgement", "inputs"));
    case 2:
        return mutant_sql(mutant, "UPDATE capture SET sha256=%s,clipped=1,tail=content,length=%s",
                          own_value(mutant, "content", "sha256"), number(mutant));
    default:
        return mutant_sql(mutant, "UPDATE capture SET sha256=%s", word(mutant));
    }
}

/* ---- numbers ---- */

static bool other_number(struct mutant *mutant)
{
    const char *table = any_table(mutant), *column, *row;

    column = table != NULL
                 ? mutant_text(mutant, mutant->db,
                               PRINTF("SELECT name FROM pragma_table_info('%s') WHERE type<>'TEXT'", table))
                 : NULL;
    row = column != NULL ? any_row(mutant, table) : NULL;
    return row != NULL &&
           mutant_sql(mutant, "UPDATE %s SET %s=%s WHERE %s", table, column, number(mutant), row);
}

static bool other_verdict(struct mutant *mutant)
{
    switch (below(mutant, 6)) {
    case 0:
        return mutant_sql(mutant, "UPDATE verdict SET word=%s", word(mutant));
    case 1:
        return mutant_sql(mutant, "UPDATE verdict SET fail=0,inconclusive=0,not_run=0,word='accept'");
    case 2:
        return mutant_sql(mutant, "UPDATE outcome SET word='pass',value=%s", number(mutant));
    case 3:
        return mutant_sql(mutant, "UPDATE verdict SET pass=%s,waived=%s", number(mutant), number(mutant));
    case 4:
        return mutant_sql(mutant, "DELETE FROM verdict WHERE n=%d", (int)below(mutant, 3));
    default:
        return mutant_sql(mutant, "UPDATE verdict SET n=n+%d,name=%s", 1 + (int)below(mutant, 9),
                          strange_text(mutant));
    }
}

static bool other_time(struct mutant *mutant)
{
    static const struct {
        const char *table, *column;
    } of[] = {{"run", "started"},        {"run", "ended"},         {"judgement", "now"},
              {"waiver", "made"},        {"waiver", "until"},      {"withdrawal", "made"},
              {"attempt", "sent"},       {"attempt", "began"},     {"attempt", "ended"},
              {"attempt", "up_began"},   {"window", "began"},      {"window", "up_ended"},
              {"run_host", "timescale"}, {"measurement", "value"}, {"outcome", "value"},
              {"slot", "size_bytes"},    {"slot_limit", "value"},  {"slot_limit", "size_max"},
              {"accusation", "doubt"},   {"search", "size_bytes"}};
    size_t which = below(mutant, ARRAY_SIZE(of));
    const char *value = ONE_OF("0.0", "-1.0", "1e308", "-1e308", "9e999", "-9e999", "1e-320",
                               "253402300800.0", "1.5", "-62135596801.0", "NULL");

    return mutant_sql(mutant, "UPDATE %s SET %s=%s", of[which].table, of[which].column, value);
}

static bool other_order(struct mutant *mutant)
{
    const char *table =
        ONE_OF("document", "run_host", "run_shape", "step", "member", "slot", "slot_limit", "window", "part",
               "reading", "measurement", "finding", "verdict", "search", "accusation", "accusation_step",
               "waived_item", "judgement_document", "attempt", "need", "host_label");

    return mutant_sql(
        mutant, "UPDATE OR IGNORE %s SET n=%s", table,
        ONE_OF("n+1", "n+1000", "n*2", "-n", "n+9223372036854775000", "n-1", "1000-n", "n+4294967296"));
}

static bool other_size(struct mutant *mutant)
{
    static const struct {
        const char *table, *column;
    } of[] = {{"capture", "length"},
              {"part", "out_offset"},
              {"part", "out_length"},
              {"shape", "hosts"},
              {"shape", "timeout_s"},
              {"shape", "repeat"},
              {"shape", "retries"},
              {"run_host", "slots"},
              {"run_host", "port"},
              {"step", "round"},
              {"attempt", "n"},
              {"attempt", "connections"},
              {"attempt", "rc"},
              {"part", "rc"},
              {"window", "rc"},
              {"accusation", "slow_tests"},
              {"run", "controller_pid"},
              {"window", "member"},
              {"capture", "clipped"},
              {"part", "aside"},
              {"slot_limit", "hosts_max"},
              {"run_host", "file_line"},
              {"shape", "retests"},
              {"part", "window"}};
    size_t which = below(mutant, ARRAY_SIZE(of));

    return mutant_sql(mutant, "UPDATE OR IGNORE %s SET %s=%s", of[which].table, of[which].column,
                      number(mutant));
}

/* ---- the schema ---- */

static const char *table_text(struct mutant *mutant, const char **ret_table)
{
    *ret_table = any_table(mutant);
    return *ret_table != NULL
               ? mutant_text(
                     mutant, mutant->db,
                     PRINTF("SELECT sql FROM sqlite_schema WHERE type='table' AND name='%s'", *ret_table))
               : NULL;
}

/* One of the occurrences of `from`, with what follows it up to (not with) one of `ends`, is `to` instead. */
static bool replace_in(struct mutant *mutant, const char *from, const char *ends, const char *to)
{
    const char *table, *text = table_text(mutant, &table), *at, *end;
    size_t count = 0, which;

    for (at = text; at != NULL && (at = strstr(at, from)) != NULL; at++)
        count++;
    if (count == 0)
        return false;
    which = below(mutant, count);
    for (at = strstr(text, from); which > 0; which--)
        at = strstr(at + 1, from);
    end = at + strlen(from);
    end += *ends != '\0' ? strcspn(end, ends) : 0;
    mutant_say(mutant, " (%s: %.*s)", table, (int)(end - at), at);
    return set_text(mutant, table, PRINTF("%.*s%s%s", (int)(at - text), text, to, end));
}

static bool drop_references(struct mutant *mutant)
{
    return replace_in(mutant, " REFERENCES ", ",) ", "");
}

static bool drop_constraint(struct mutant *mutant)
{
    switch (below(mutant, 6)) {
    case 0:
        return replace_in(mutant, " NOT NULL", "", "");
    case 1:
        return replace_in(mutant, " CHECK(", ",", "");
    case 2:
        return replace_in(mutant, " STRICT", "", "");
    case 3:
        return replace_in(mutant, ", WITHOUT ROWID", "", "");
    case 4:
        return replace_in(mutant, " ON DELETE CASCADE", "", " ON DELETE SET NULL");
    default:
        return replace_in(mutant, " AUTOINCREMENT", "", "");
    }
}

static bool drop_unique(struct mutant *mutant)
{
    const char *table =
                   ONE_OF("word", "content", "run", "shape", "attempt", "judgement", "withdrawal", "item"),
               *text = mutant_text(
                   mutant, mutant->db,
                   PRINTF("SELECT sql FROM sqlite_schema WHERE type='table' AND name='%s'", table)),
               *at = text != NULL ? strstr(text, " UNIQUE") : NULL;

    if (at == NULL)
        return false;
    if (at[strlen(" UNIQUE")] == '(')
        return false;
    return mutant_sql(mutant,
                      "DELETE FROM sqlite_schema WHERE type='index' AND tbl_name='%s' AND sql IS NULL",
                      table) &&
           set_text(mutant, table, PRINTF("%.*s%s", (int)(at - text), text, at + strlen(" UNIQUE")));
}

static bool other_type(struct mutant *mutant)
{
    return replace_in(mutant, ONE_OF(" INTEGER", " TEXT", " REAL"), "",
                      ONE_OF(" BLOB", " ANY", " TEXT", " REAL", " INTEGER", " INT", "",
                             " TEXT COLLATE NOCASE", " INTEGER DEFAULT 1", " TEXT HIDDEN"));
}

static bool other_words(struct mutant *mutant)
{
    return replace_in(mutant, ONE_OF(", ", "TABLE ", "INTEGER", "NOT NULL", "PRIMARY KEY", ")"), "",
                      ONE_OF(",", " /* */ ", "\n", " , ", "TABLE main.", "integer", "not null",
                             "PRIMARY KEY ", "))", ") --", "", "TABLE IF NOT EXISTS ", "TEMP TABLE "));
}

static bool swap_columns(struct mutant *mutant)
{
    const char *table, *text = table_text(mutant, &table), *first = text != NULL ? strchr(text, ',') : NULL,
                       *second = first != NULL ? strchr(first + 1, ',') : NULL,
                       *third = second != NULL ? strchr(second + 1, ',') : NULL;

    if (third == NULL)
        return false;
    mutant_say(mutant, " (%s)", table);
    return set_text(mutant, table,
                    PRINTF("%.*s%.*s%.*s%s", (int)(first - text), text, (int)(third - second), second,
                           (int)(second - first), first, third));
}

static bool alter(struct mutant *mutant)
{
    const char *table = any_table(mutant), *column = table != NULL ? any_column(mutant, table) : NULL;

    if (column == NULL)
        return false;
    switch (below(mutant, 7)) {
    case 0:
        return mutant_sql(mutant, "ALTER TABLE %s ADD COLUMN mood %s", table,
                          ONE_OF("TEXT", "INTEGER DEFAULT 7", "TEXT GENERATED ALWAYS AS ('x') VIRTUAL",
                                 "INTEGER REFERENCES run"));
    case 1:
        return mutant_sql(mutant, "ALTER TABLE %s DROP COLUMN %s", table, column);
    case 2:
        return mutant_sql(mutant, "ALTER TABLE %s RENAME COLUMN %s TO other", table, column);
    case 3:
        return mutant_sql(mutant, "ALTER TABLE %s RENAME TO other", table);
    case 4:
        return mutant_sql(mutant, "DROP TABLE %s", table);
    case 5:
        return mutant_sql(mutant, "CREATE TABLE %s AS SELECT * FROM %s",
                          ONE_OF("extra", "zzz", "aaa", "sqlitex"), table);
    default:
        return mutant_sql(mutant, "ANALYZE");
    }
}

static bool other_index(struct mutant *mutant)
{
    const char *table = any_table(mutant), *column = table != NULL ? any_column(mutant, table) : NULL;

    if (column == NULL)
        return false;
    switch (below(mutant, 5)) {
    case 0:
        return mutant_sql(mutant, "DROP INDEX %s",
                          ONE_OF("sighting_item", "judgement_run", "waiver_run", "event_acceptance"));
    case 1:
        return mutant_sql(mutant, "CREATE INDEX extra ON %s(%s)", table, column);
    case 2:
        return mutant_sql(mutant, "CREATE INDEX extra ON %s(%s) WHERE %s>1", table, column, column);
    case 3:
        return mutant_sql(mutant, "CREATE INDEX extra ON %s(lower(%s)||'x')", table, column);
    default:
        return mutant_sql(mutant, "CREATE UNIQUE INDEX extra ON %s(%s COLLATE NOCASE DESC)", table, column);
    }
}

static bool add_program(struct mutant *mutant)
{
    const char *table = any_table(mutant);

    if (table == NULL)
        return false;
    switch (below(mutant, 6)) {
    case 0:
        return mutant_sql(mutant, "CREATE TRIGGER evil AFTER INSERT ON %s BEGIN DELETE FROM verdict; END",
                          table);
    case 1:
        return mutant_sql(
            mutant,
            "CREATE TRIGGER evil BEFORE UPDATE ON %s BEGIN INSERT INTO verdict SELECT * FROM verdict; END",
            table);
    case 2:
        return mutant_sql(mutant, "CREATE VIEW evil AS SELECT * FROM %s", table);
    case 3: /* a view where a table was */
        return mutant_sql(mutant, "DROP TABLE %s", table) &&
               mutant_sql(mutant,
                          "CREATE VIEW %s AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) "
                          "SELECT x FROM c",
                          table);
    case 4:
        return mutant_sql(mutant, "CREATE VIRTUAL TABLE evil USING %s",
                          ONE_OF("fts5(x)", "rtree(i,a,b)", "fts4(x)", "fts3(x)", "dbstat", "geopoly(a)"));
    default:
        return mutant_sql(mutant,
                          "UPDATE sqlite_schema SET type='view',rootpage=0,sql='CREATE VIEW %s AS SELECT "
                          "random() AS id' WHERE name='%s' AND type='table'",
                          table, table);
    }
}

static bool other_roots(struct mutant *mutant)
{
    const char *table = any_table(mutant), *other = any_table(mutant);

    if (table == NULL || other == NULL)
        return false;
    switch (below(mutant, 4)) {
    case 0:
        return mutant_sql(
            mutant,
            "UPDATE sqlite_schema SET rootpage=(SELECT rootpage FROM sqlite_schema WHERE name='%s') WHERE "
            "name='%s'",
            table, other);
    case 1:
        return mutant_sql(mutant, "UPDATE sqlite_schema SET rootpage=%s WHERE name='%s'",
                          ONE_OF("0", "1", "-1", "2", "1000000", "NULL", "'x'", "4294967297"), table);
    case 2:
        return mutant_sql(
            mutant,
            "UPDATE sqlite_schema SET rootpage=(SELECT rootpage FROM sqlite_schema WHERE name='%s') WHERE "
            "type='index' AND tbl_name='%s'",
            table, other);
    default:
        return mutant_sql(
            mutant,
            "UPDATE sqlite_schema SET rootpage=CASE name WHEN 'slot' THEN (SELECT rootpage FROM "
            "sqlite_schema WHERE name='%s') ELSE (SELECT rootpage FROM sqlite_schema WHERE name='slot') "
            "END WHERE name IN ('slot','%s')",
            table, table);
    }
}

static bool other_entry(struct mutant *mutant)
{
    const char *table = any_table(mutant);

    if (table == NULL)
        return false;
    switch (below(mutant, 6)) {
    case 0:
        return mutant_sql(mutant, "INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name='%s'",
                          table);
    case 1:
        return mutant_sql(mutant, "DELETE FROM sqlite_schema WHERE name='%s'", table);
    case 2:
        return mutant_sql(mutant, "UPDATE sqlite_schema SET %s=%s WHERE name='%s'",
                          ONE_OF("type", "name", "tbl_name", "sql"), strange_text(mutant), table);
    case 3:
        return mutant_sql(
            mutant, "UPDATE sqlite_schema SET name=upper(name),tbl_name=upper(tbl_name) WHERE name='%s'",
            table);
    case 4:
        return mutant_sql(mutant, "DELETE FROM sqlite_schema WHERE type='index' AND tbl_name='%s'", table);
    default:
        return mutant_sql(
            mutant, "INSERT INTO sqlite_schema VALUES('table','sqlite_evil','sqlite_evil',2,'CREATE TABLE "
                    "sqlite_evil(a)')");
    }
}

static bool other_head(struct mutant *mutant)
{
    switch (below(mutant, 4)) {
    case 0:
    case 1:
        return mutant_sql(mutant, "PRAGMA user_version=%s",
                          ONE_OF("0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13",
                                 "2147483647", "-1"));
    case 2:
        return mutant_sql(mutant, "PRAGMA application_id=%s", ONE_OF("0", "1", "-1", "1634956665"));
    default:
        return mutant_sql(mutant, "UPDATE sqlite_sequence SET seq=%s",
                          ONE_OF("0", "-1", "9223372036854775807", "'x'", "NULL", "2"));
    }
}

const struct mutation sql_mutations[] = {
    {CLASS_SCHEMA, STAGE_SQL, "drop a REFERENCES", drop_references},
    {CLASS_SCHEMA, STAGE_SQL, "drop a constraint", drop_constraint},
    {CLASS_SCHEMA, STAGE_SQL, "drop a UNIQUE", drop_unique},
    {CLASS_SCHEMA, STAGE_SQL, "another type", other_type},
    {CLASS_SCHEMA, STAGE_SQL, "other words of the same", other_words},
    {CLASS_SCHEMA, STAGE_SQL, "columns swapped", swap_columns},
    {CLASS_SCHEMA, STAGE_SQL, "tables and columns altered", alter},
    {CLASS_SCHEMA, STAGE_SQL, "another index", other_index},
    {CLASS_SCHEMA, STAGE_SQL, "a trigger, view or virtual table", add_program},
    {CLASS_SCHEMA, STAGE_SQL, "other root pages", other_roots},
    {CLASS_SCHEMA, STAGE_SQL, "another entry of the schema", other_entry},
    {CLASS_SCHEMA, STAGE_SQL, "another head", other_head},
    {CLASS_ROWS, STAGE_SQL, "a row updated", update_row},
    {CLASS_ROWS, STAGE_SQL, "a row updated beyond its constraints", update_unbound},
    {CLASS_ROWS, STAGE_SQL, "a column updated", update_column},
    {CLASS_ROWS, STAGE_SQL, "a row deleted", delete_row},
    {CLASS_ROWS, STAGE_SQL, "all rows deleted", delete_rows},
    {CLASS_ROWS, STAGE_SQL, "a row inserted", insert_row},
    {CLASS_ROWS, STAGE_SQL, "a row inserted beyond its constraints", insert_unbound},
    {CLASS_ROWS, STAGE_SQL, "a row twice", duplicate_row},
    {CLASS_ROWS, STAGE_SQL, "a row of the importer's", insert_own_row},
    {CLASS_ROWS, STAGE_SQL, "a row that is of no run", insert_what_is_of_no_run},
    {CLASS_ROWS, STAGE_SQL, "a strange text", long_text},
    {CLASS_ROWS, STAGE_SQL, "other words", words},
    {CLASS_ROWS, STAGE_SQL, "an index that lies", stale_index},
    {CLASS_REFERENCES, STAGE_SQL, "a reference elsewhere", point_elsewhere},
    {CLASS_REFERENCES, STAGE_SQL, "another row that refers", add_pointing},
    {CLASS_REFERENCES, STAGE_SQL, "a name of the importer's", take_own_name},
    {CLASS_REFERENCES, STAGE_SQL, "a decision about the importer's", decide_for_him},
    {CLASS_REFERENCES, STAGE_SQL, "another number of the run", renumber},
    {CLASS_REFERENCES, STAGE_SQL, "a second run", second_run},
    {CLASS_REFERENCES, STAGE_SQL, "a cycle", cycle},
    {CLASS_DIGESTS, STAGE_SQL, "limits changed", change_limit},
    {CLASS_DIGESTS, STAGE_SQL, "a digest of the importer's", take_own_digest},
    {CLASS_DIGESTS, STAGE_SQL, "another digest", other_digest},
    {CLASS_DIGESTS, STAGE_SQL, "limits changed and their digests made again", honest_digest},
    {CLASS_DIGESTS, STAGE_SQL, "another content", other_content},
    {CLASS_DIGESTS, STAGE_SQL, "bytes in the database", own_blob},
    {CLASS_DIGESTS, STAGE_SQL, "another key", other_key},
    {CLASS_NUMBERS, STAGE_SQL, "another number", other_number},
    {CLASS_NUMBERS, STAGE_SQL, "another verdict", other_verdict},
    {CLASS_NUMBERS, STAGE_SQL, "another time or value", other_time},
    {CLASS_NUMBERS, STAGE_SQL, "another order", other_order},
    {CLASS_NUMBERS, STAGE_SQL, "another size", other_size},
};
const size_t sql_mutation_count = ARRAY_SIZE(sql_mutations);
