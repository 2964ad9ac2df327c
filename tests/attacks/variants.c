/* SPDX-License-Identifier: Apache-2.0 */
#include "variants.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutation.h"

enum { BIG = 1 << 28, MOST_MUTATIONS = 3, TRIES = 12 };

const char *const mutation_class_names[CLASSES] = {"schema",  "rows",    "references",
                                                   "digests", "numbers", "bytes"};

size_t chance_below(struct chance *chance, size_t count)
{
    if (chance->bytes.length >= 2) {
        unsigned char high = (unsigned char)chance->bytes.bytes[0],
                      low = (unsigned char)chance->bytes.bytes[1];

        chance->bytes = slice_from(chance->bytes, 2);
        return count > 0 ? ((size_t)high << 8 | low) % count : 0;
    }
    /* splitmix64 */
    uint64_t z = chance->state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return count > 0 ? (z ^ z >> 31) % count : 0;
}

void mutant_say(struct mutant *mutant, const char *format, ...)
{
    size_t length = strlen(mutant->said);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(mutant->said + length, sizeof mutant->said - length, format, arguments);
    va_end(arguments);
}

bool mutant_sql(struct mutant *mutant, const char *format, ...)
{
    int before = sqlite3_total_changes(mutant->db);
    va_list arguments;
    char *sql;
    bool good;

    va_start(arguments, format);
    sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    good = sqlite3_exec(mutant->db, sql, NULL, NULL, NULL) == SQLITE_OK;
    if (good &&
        (strncmp(sql, "UPDATE", 6) == 0 || strncmp(sql, "DELETE", 6) == 0 || strncmp(sql, "INSERT", 6) == 0))
        good = sqlite3_total_changes(mutant->db) > before;
    if (good)
        mutant_say(mutant, " {%.150s}", sql);
    sqlite3_free(sql);
    return good;
}

const char *mutant_text(struct mutant *mutant, sqlite3 *db, const char *sql)
{
    LIST_OF(const char *) found = {0};
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK)
        while (found.count < 500 && sqlite3_step(statement) == SQLITE_ROW)
            if (sqlite3_column_text(statement, 0) != NULL)
                *list_push(mutant->arena, &found) =
                    arena_strdup(mutant->arena, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return found.count > 0 ? found.items[chance_below(mutant->chance, found.count)] : NULL;
}

/* ---- what an attacker makes over again ---- */

static const char *first_text(const struct mutant *mutant, const char *sql, const char *otherwise)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(mutant->db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0) != NULL)
        otherwise = arena_strdup(mutant->arena, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return otherwise;
}

static const struct known_bytes *find_known(const struct parties *parties, const char *sha256)
{
    for (size_t i = 0; i < parties->contents.count; i++)
        if (strcmp(parties->contents.items[i].sha256, sha256) == 0)
            return &parties->contents.items[i];
    return NULL;
}

/* Whatever run.db has a row for and somebody knows the bytes of. */
static void add_evidence(struct mutant *mutant, struct manifest *manifest)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(mutant->db, "SELECT DISTINCT sha256 FROM content", -1, &statement, NULL) ==
        SQLITE_OK)
        while (sqlite3_step(statement) == SQLITE_ROW) {
            const char *sha256 = (const char *)sqlite3_column_text(statement, 0), *name;
            const struct known_bytes *known = sha256 != NULL ? find_known(mutant->parties, sha256) : NULL;

            if (known == NULL)
                continue;
            name = arena_printf(mutant->arena, "capture/%zu", mutant->pieces.count);
            manifest_add(mutant->arena, manifest, name, "", known->sha256);
            *list_push(mutant->arena, &mutant->pieces) = (struct piece){name, known->bytes, -1};
        }
    sqlite3_finalize(statement);
}

static struct slice kept(struct mutant *mutant, const char *bytes, size_t length)
{
    return (struct slice){arena_strndup(mutant->arena, bytes, length), length};
}

/* A bundle is a redacted one where an entry of its manifest says so. run.db is closed by it: what counts now are its bytes. */
static void make_pieces(struct mutant *mutant, struct slice database, bool redacted)
{
    struct manifest manifest = {0};
    struct text text;
    char sha256[SHA256_HEX_SIZE];

    sha256_hex(database.bytes, database.length, sha256);
    manifest_say(mutant->arena, &manifest, "run",
                 first_text(mutant, "SELECT uuid FROM run", "0005f6c4-52f7-4d0e-9a5e-2f6f6c1f7e10"));
    manifest_say(mutant->arena, &manifest, "judgement",
                 first_text(mutant, "SELECT uuid FROM judgement ORDER BY id DESC", "none"));
    manifest_say(mutant->arena, &manifest, "run.db", sha256);
    manifest_say(mutant->arena, &manifest, "run.db bytes",
                 arena_printf(mutant->arena, "%zu", database.length));
    *list_push(mutant->arena, &mutant->pieces) = (struct piece){"manifest", {0}, -1};
    *list_push(mutant->arena, &mutant->pieces) = (struct piece){"report.json", slice_of("{}"), -1};
    *list_push(mutant->arena, &mutant->pieces) = (struct piece){"run.db", database, -1};
    add_evidence(mutant, &manifest);
    sha256_hex("{}", 2, sha256);
    manifest_add(mutant->arena, &manifest, "report/report.json", "", sha256);
    if (redacted)
        memcpy(manifest.entries.items[manifest.entries.count - 1].redacted, sha256, SHA256_HEX_SIZE);
    text_init(&text, BIG);
    manifest_write(&manifest, &text);
    mutant->pieces.items[0].bytes = kept(mutant, text.bytes, text.length);
    text_release(&text);
}

/* ---- the stages ---- */

struct chosen {
    const struct mutation *mutations[MOST_MUTATIONS];
    size_t count;
};

static void apply(struct mutant *mutant, const struct chosen *chosen, enum stage stage)
{
    for (size_t i = 0; i < chosen->count; i++)
        if (chosen->mutations[i]->stage == stage) {
            mutant_say(mutant, "%s%s", mutant->said[0] != '\0' ? "; " : "", chosen->mutations[i]->name);
            for (size_t k = 0; k < TRIES && !chosen->mutations[i]->apply(mutant); k++)
                ;
        }
}

static struct slice database_bytes(struct mutant *mutant, struct slice otherwise)
{
    sqlite3_int64 length = 0;
    unsigned char *bytes;

    sqlite3_exec(mutant->db, "ROLLBACK", NULL, NULL, NULL);
    bytes = sqlite3_serialize(mutant->db, "main", &length, 0);
    if (bytes != NULL)
        otherwise = kept(mutant, (const char *)bytes, (size_t)length);
    sqlite3_free(bytes);
    return otherwise;
}

static struct slice mutate_pages(struct mutant *mutant, const struct chosen *chosen, struct slice database)
{
    struct text bytes;

    text_init(&bytes, BIG);
    text_add(&bytes, database.bytes, database.length);
    mutant->bytes = &bytes;
    apply(mutant, chosen, STAGE_PAGES);
    database = kept(mutant, bytes.bytes, bytes.length);
    text_release(&bytes);
    return database;
}

static void pack(struct mutant *mutant, const struct chosen *chosen, struct text *out)
{
    struct text tar;

    text_init(&tar, BIG);
    for (size_t i = 0; i < mutant->pieces.count; i++)
        pack_piece(&tar, &mutant->pieces.items[i]);
    pack_end(&tar);
    mutant->bytes = &tar;
    apply(mutant, chosen, STAGE_TAR);
    pack_frame((struct slice){tar.bytes, tar.length}, out);
    text_release(&tar);
    mutant->bytes = out;
    apply(mutant, chosen, STAGE_FILE);
    if (!mutant->unsealed)
        pack_seal(out);
}

/* Some mutations make a database that nobody comes to the end of. */
static int is_enough(void *context)
{
    size_t *left = context;

    *left -= *left > 0;
    return *left == 0;
}

static const char unbound[] =
    "PRAGMA foreign_keys=OFF;PRAGMA ignore_check_constraints=ON;PRAGMA writable_schema=ON";

static void make(const struct parties *parties, size_t base, const struct chosen *chosen,
                 struct chance *chance, struct variant *ret_variant)
{
    struct mutant mutant = {.parties = parties, .arena = arena_create(), .chance = chance};
    struct slice database = parties->bases.items[base].database;
    size_t left = 5000; /* thousands of operations */

    mutant_say(&mutant, "%s: ", parties->bases.items[base].name);
    mutant.db = memory_database(database);
    if (mutant.db == NULL)
        abort();
    sqlite3_exec(mutant.db, unbound, NULL, NULL, NULL);
    sqlite3_progress_handler(mutant.db, 1000, is_enough, &left);
    apply(&mutant, chosen, STAGE_SQL);
    database = mutate_pages(&mutant, chosen, database_bytes(&mutant, database));
    make_pieces(&mutant, database, strcmp(parties->bases.items[base].name, "redacted") == 0);
    sqlite3_close(mutant.db);
    apply(&mutant, chosen, STAGE_PIECES);
    text_init(&ret_variant->bundle, BIG);
    pack(&mutant, chosen, &ret_variant->bundle);
    memcpy(ret_variant->said, mutant.said, sizeof ret_variant->said);
    arena_destroy(mutant.arena);
}

void variant_plain(const struct parties *parties, size_t base, struct variant *ret_variant)
{
    *ret_variant = (struct variant){0};
    make(parties, base, &(const struct chosen){0}, &(struct chance){0}, ret_variant);
}

/* Each class as often as any other, and in it each mutation. */
static const struct mutation *choose(struct chance *chance)
{
    enum mutation_class class = (enum mutation_class)chance_below(chance, CLASSES);
    const struct mutation *of_class[256];
    size_t count = 0;

    for (size_t i = 0; i < sql_mutation_count; i++)
        if (sql_mutations[i].class == class)
            of_class[count++] = &sql_mutations[i];
    for (size_t i = 0; i < byte_mutation_count; i++)
        if (byte_mutations[i].class == class)
            of_class[count++] = &byte_mutations[i];
    return of_class[chance_below(chance, count)];
}

void variant_make(const struct parties *parties, struct chance *chance, struct variant *ret_variant)
{
    struct chosen chosen = {0};
    size_t count = 1, base = 0;

    *ret_variant = (struct variant){0};
    if (chance_below(chance, 2) == 0)
        count += 1 + chance_below(chance, MOST_MUTATIONS - 1);
    if (chance_below(chance, 3) == 0)
        base = chance_below(chance, parties->bases.count) / (1 + chance_below(chance, 2));
    while (chosen.count < count)
        chosen.mutations[chosen.count++] = choose(chance);
    ret_variant->class = chosen.mutations[0]->class;
    make(parties, base, &chosen, chance, ret_variant);
}

void variant_release(struct variant *variant)
{
    text_release(&variant->bundle);
}
