/* SPDX-License-Identifier: Apache-2.0 */
#include "parties.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../report/sample_record.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/report/report.h"
#include "pack.h"
#include "store_private.h"

enum { WRITE_VERSION = 18, READ_VERSION = 19 }; /* in the header of a database */
enum { BIG = 1 << 28, SALT_FUTURE = 9, SALT_THEIRS = 5, SALT_EARLIER = 4, OLD_FORMATS = 2, MOST_SLOTS = 4 };
static const int old_formats[OLD_FORMATS] = {11, 7};

/* ---- records ---- */

static const struct limit limits[] = {
    {.metric = "*",
     .rule = RULE_FLOOR,
     .value = 345.25,
     .tolerance = 0.02,
     .unit = "GB/s",
     .status = LIMIT_FIELD},
    {.metric = "*",
     .subject = "",
     .rule = RULE_EQUAL,
     .text = "yes",
     .source = "check",
     .status = LIMIT_TOOL},
};

/* Shapes of a sample have no limits of their own: these are copies with them. */
static void give_limits(struct record *record, size_t which, const struct limit *own, size_t count)
{
    struct plan *plan = record->plan;
    const struct shape *old = plan->shapes.items[which];
    struct shape *shape = arena_new(record->arena, struct shape);

    *shape = *old;
    shape->slots = arena_array(record->arena, struct slot, old->slot_count);
    memcpy(shape->slots, old->slots, old->slot_count * sizeof *shape->slots);
    for (size_t i = 0; i < old->slot_count && i < 2; i++) {
        shape->slots[i].own = own;
        shape->slots[i].own_count = count;
    }
    plan->shapes.items[which] = shape;
    for (size_t i = 0; i < plan->steps.count; i++)
        if (plan->steps.items[i].shape == old)
            plan->steps.items[i].shape = shape;
}

/* What is tried does not depend on how much there is, and how long it takes does. */
static void trim(struct record *record)
{
    struct judgement *judgement = &record->judgement;
    size_t kept = 0;

    for (size_t i = 0; i < record->plan->shapes.count; i++) {
        struct shape *shape = (struct shape *)(uintptr_t)record->plan->shapes.items[i];

        if (shape->slot_count > MOST_SLOTS)
            shape->slot_count = MOST_SLOTS;
    }
    for (size_t i = 0; i < judgement->outcome_count; i++)
        if (judgement->outcomes[i].slot < MOST_SLOTS)
            judgement->outcomes[kept++] = judgement->outcomes[i];
    judgement->outcome_count = kept;
    for (size_t i = 0; i < record->attempts.count; i++) {
        struct reading *whole = &record->attempts.items[i].reading,
                       *part = &record->attempts.items[i].parts.items[0].reading;

        if (whole->measurements.count > MOST_SLOTS)
            whole->measurements.count = part->measurements.count = MOST_SLOTS;
    }
}

static void fill(struct capture *capture, const char *stream, const char *text)
{
    *capture = (struct capture){.stream = stream, .length = strlen(text), .bytes = slice_of(text)};
    sha256_hex(text, strlen(text), capture->sha256);
}

static const char *salted(struct arena *arena, const char *text, unsigned salt)
{
    return arena_printf(arena, "%04x%s", salt, text + 4);
}

static void fill_attempts(struct record *record, unsigned salt)
{
    for (size_t i = 0; i < record->attempts.count; i++) {
        struct attempt *attempt = &record->attempts.items[i];

        attempt->uuid = salted(record->arena, attempt->uuid, salt);
        fill(&attempt->captures[0], "stdout",
             arena_printf(record->arena, "node1 says %zu%s\n", i, i % 2 == 0 ? " of run" : ""));
        fill(&attempt->captures[1], "stderr", i % 3 == 0 ? "warning: user ops\n" : "");
        attempt->parts.items[0].out = attempt->captures[0].bytes;
    }
}

static void add_window(struct record *record, struct attempt *attempt)
{
    struct window *window = list_push(record->arena, &attempt->windows);

    *window = (struct window){.role = WINDOW_BEFORE, .boot_id = attempt->boot_id};
    fill(&window->captures[0], "stdout", "gpu0 idle\n");
    fill(&window->captures[1], "stderr", "");
}

/* Of the first gate that is not one of several hosts: it fails, and everything that a waiver needs is there. */
static void add_waivers(struct record *record, unsigned salt)
{
    struct outcome *outcome = &record->judgement.outcomes[0];
    const struct step *step = &record->plan->steps.items[outcome->step];
    const struct slot *slot = &step->shape->slots[outcome->slot];

    outcome->word = OUTCOME_FAIL;
    outcome->cause = reason_text(record->arena, "no is not yes");
    record->judgement.verdicts[0].word = VERDICT_REJECT;
    record->judgement.verdicts[0].fail++;
    for (unsigned i = 0; i < 2; i++) {
        struct waiver *waiver = list_push(record->arena, &record->waivers);
        struct waived_item *item;

        *waiver =
            (struct waiver){.uuid = arena_printf(record->arena, "%04x0000-aaaa-4aaa-8aaa-%012x", salt, i),
                            .step_key = step->key,
                            .attempt = record->attempts.items[0].uuid,
                            .who = i == 0 ? "site <ops@example.org>" : "somebody",
                            .why = "spare is on its way",
                            .made = record->ended + 60 + i,
                            .until = record->ended + 86400};
        item = list_push(record->arena, &waiver->items);
        *item = (struct waived_item){slot->metric, slot->subject, slot->at, ""};
    }
}

/* What a sample has none of. */
static void add_the_rest(struct record *record)
{
    struct host *host = arena_new(record->arena, struct host);
    struct step *step = &record->plan->steps.items[2];
    struct document *document = list_push(record->arena, &record->judgement.documents);

    *host = *record->plan->hosts.items[1];
    *list_push(record->arena, &host->labels) = (struct host_label){"row", "A"};
    record->plan->hosts.items[1] = host;
    for (size_t i = 0; i < record->plan->steps.count; i++)
        for (size_t k = 0; k < record->plan->steps.items[i].member_count; k++)
            if (strcmp(record->plan->steps.items[i].members[k]->name, host->name) == 0)
                record->plan->steps.items[i].members[k] = host;
    step->need_count = 1;
    step->needs = arena_array(record->arena, size_t, 1);
    reading_finding(&record->attempts.items[0].reading, SEVERITY_WARNING, "xid.63", "gpu1",
                    reason_text(record->arena, "a row was remapped"));
    *document =
        (struct document){.kind = "baseline", .name = "site", .bytes = slice_of("{\"limits\": []}\n")};
    sha256_hex(document->bytes.bytes, document->bytes.length, document->sha256);
}

struct record *parties_record(struct arena *arena, unsigned salt)
{
    struct record *record = sample_record(arena, &(struct sample){.hosts = 2, .units = 1, .faults = true});

    trim(record);
    record->uuid = record->plan->run_uuid = salted(arena, record->uuid, salt);
    record->judgement.uuid = salted(arena, record->judgement.uuid, salt);
    record->judgement.now = record->ended + 10;
    record->started += 1000.0 * salt;
    for (size_t i = 0; i < record->plan->steps.count; i++)
        record->plan->steps.items[i].key = salted(arena, record->plan->steps.items[i].key, salt);
    for (size_t i = 0; i < record->plan->shapes.count; i += 2)
        give_limits(record, i, limits, ARRAY_SIZE(limits));
    fill_attempts(record, salt);
    add_window(record, &record->attempts.items[0]);
    add_waivers(record, salt);
    add_the_rest(record);
    return record;
}

static int keep_attempts(struct store *store, struct record *record, struct error *err)
{
    for (size_t i = 0; i < record->attempts.count; i++) {
        struct attempt *attempt = &record->attempts.items[i];

        if (store_begin_attempt(store, record, attempt, err) < 0 ||
            store_put_windows(store, record, attempt, 0, err) < 0 ||
            store_end_attempt(store, record, attempt, err) < 0 ||
            store_put_readings(store, record, attempt, err) < 0)
            return -1;
    }
    return 0;
}

/* Judged, waived, judged again with the waivers, and the second of them taken back. */
int parties_keep(struct store *store, struct record *record, struct error *err)
{
    const char *uuid =
        arena_printf(record->arena, "%.4sbbbb%s", record->uuid, record->waivers.items[1].uuid + 8);
    struct withdrawal withdrawal = {uuid, "somebody", "by mistake", record->ended + 90};
    double ended = record->ended;

    if (store_begin_run(store, record, err) < 0 || keep_attempts(store, record, err) < 0 ||
        store_put_judgement(store, record, err) < 0 ||
        store_put_waiver(store, record, &record->waivers.items[0], err) < 0 ||
        store_put_waiver(store, record, &record->waivers.items[1], err) < 0 ||
        store_withdraw_waiver(store, &record->waivers.items[1], &withdrawal, err) < 0)
        return -1;
    record->judgement.outcomes[0].waiver = &record->waivers.items[0];
    record->judgement.uuid =
        arena_printf(record->arena, "%.4scccc%s", record->uuid, record->judgement.uuid + 8);
    record->judgement.now += 100;
    if (store_put_judgement(store, record, err) < 0)
        return -1;
    return store_end_run(store, record, RUN_ENDED, ended, err);
}

/* ---- files ---- */

static const char *beside(const struct parties *parties, const char *name)
{
    return arena_printf(parties->arena, "%s/%s", parties->folder, name);
}

static int read_bytes(struct arena *arena, const char *path, struct slice *ret_bytes, struct error *err)
{
    cleanup_text struct text text = {0};

    text_init(&text, BIG);
    if (file_read(path, &text, err) < 0)
        return -1;
    *ret_bytes = (struct slice){arena_strndup(arena, text.bytes, text.length), text.length};
    return 0;
}

/* Without syncing anything: it is for us alone. */
static int write_bytes(const char *path, struct slice bytes, struct error *err)
{
    cleanup_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0)
        return error_set(err, ERROR_INTERNAL, "%s cannot be written", path);
    return file_put(fd, bytes.bytes, bytes.length, path, err);
}

static int run_sql(const char *path, const char *sql, struct error *err)
{
    sqlite3 *db = NULL;
    int result = 0;

    if (sqlite3_open(path, &db) != SQLITE_OK || sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        result = error_set(err, ERROR_INTERNAL, "%s: %s", path, sqlite3_errmsg(db));
    sqlite3_close(db);
    return result;
}

sqlite3 *memory_database(struct slice bytes)
{
    unsigned char *copy = sqlite3_malloc64(bytes.length);
    sqlite3 *db = NULL;

    if (copy == NULL)
        return NULL;
    memcpy(copy, bytes.bytes, bytes.length);
    copy[WRITE_VERSION] = copy[READ_VERSION] = 1; /* no WAL, which needs a file */
    if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_deserialize(db, "main", copy, (sqlite3_int64)bytes.length, (sqlite3_int64)bytes.length,
                            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK)
        return db;
    sqlite3_close(db);
    return NULL;
}

/* ---- the other party ---- */

static void add_known(struct parties *parties, struct slice bytes)
{
    struct known_bytes *known = list_push(parties->arena, &parties->contents);

    known->bytes = (struct slice){arena_strndup(parties->arena, bytes.bytes, bytes.length), bytes.length};
    sha256_hex(bytes.bytes, bytes.length, known->sha256);
}

static int know_contents(struct parties *parties, struct store *store, struct error *err)
{
    sqlite3_stmt *statement = NULL;
    int result = 0;

    if (sqlite3_prepare_v2(store->db, "SELECT id FROM content", -1, &statement, NULL) != SQLITE_OK)
        return error_set(err, ERROR_INTERNAL, "%s", sqlite3_errmsg(store->db));
    while (result == 0 && sqlite3_step(statement) == SQLITE_ROW) {
        struct arena *arena = arena_create();
        char sha256[SHA256_HEX_SIZE];
        struct slice bytes;

        result =
            content_get(store, arena, sqlite3_column_int64(statement, 0), "content", &bytes, sha256, err);
        if (result == 0)
            add_known(parties, bytes);
        arena_destroy(arena);
    }
    sqlite3_finalize(statement);
    return result;
}

/* As assay export does it. */
static int export_run(struct parties *parties, struct store *from, long long number, bool redacted,
                      struct slice *ret_database, struct error *err)
{
    struct arena *arena = parties->arena;
    struct redactor *redactor = redacted ? redactor_create(arena, NULL, NULL) : NULL;
    const char *path = beside(parties, "export.db");
    struct store *store = store_open(path, false, err);
    struct manifest manifest;
    struct slice bundle;
    char sha256[SHA256_HEX_SIZE];
    int result = -1;

    if (redacted)
        redactor_know_host(redactor, "node1"), redactor_know_host(redactor, "node2");
    sha256_hex("{}", 2, sha256);
    if (store != NULL && store_copy_run(from, number, store, redactor, &number, err) == 0 &&
        sqlite3_exec(
            store->db,
            "UPDATE run SET controller_pid=4242,controller_start='boot 1',controller_host='login7';"
            "UPDATE shape SET digest=printf('%08x-1111-4111-8111-111111111111',id) WHERE length(digest)=36",
            NULL, NULL, NULL) == SQLITE_OK &&
        store_manifest(store, arena, number, NULL, &manifest, err) == 0) {
        manifest_add(arena, &manifest, "report/report.json", "", sha256);
        result = bundle_write(parties->bundle, store, parties->folder, arena, &manifest, slice_of("{}"), err);
    }
    if (result == 0)
        result = know_contents(parties, store, err);
    store_close(store);
    unlink(path);
    if (result == 0)
        result = read_bytes(arena, parties->bundle, &bundle, err);
    if (result == 0 && !unpack_piece(arena, bundle, "run.db", ret_database))
        result = error_set(err, ERROR_INTERNAL, "there is no run.db in a bundle");
    return result;
}

static void add_base(struct parties *parties, const char *name, struct slice database)
{
    *list_push(parties->arena, &parties->bases) = (struct base){name, database};
}

/* The columns that a table has in both. */
static const char *common_columns(sqlite3 *db, struct arena *arena, const char *table)
{
    sqlite3_stmt *statement = NULL;
    const char *all = "";
    char *sql =
        sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q,'main') WHERE name IN (SELECT name FROM "
                        "pragma_table_info(%Q,'their'))",
                        table, table);

    sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    while (sqlite3_step(statement) == SQLITE_ROW)
        all = arena_printf(arena, "%s%s%s", all, *all != '\0' ? "," : "", sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_free(sql);
    return all;
}

static int fill_tables(sqlite3 *db, struct arena *arena, struct error *err)
{
    sqlite3_stmt *tables = NULL;
    int result = 0;

    sqlite3_prepare_v2(
        db,
        "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%' AND name "
        "IN (SELECT name FROM their.sqlite_schema)",
        -1, &tables, NULL);
    while (result == 0 && sqlite3_step(tables) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(tables, 0),
                   *columns = common_columns(db, arena, name);

        if (sqlite3_exec(db,
                         arena_printf(arena, "INSERT INTO main.%s(%s) SELECT %s FROM their.%s", name, columns,
                                      columns, name),
                         NULL, NULL, NULL) != SQLITE_OK)
            result = error_set(err, ERROR_INTERNAL, "%s: %s", name, sqlite3_errmsg(db));
    }
    sqlite3_finalize(tables);
    return result;
}

/* The same run as an earlier assay would have written it. */
static int add_old(struct parties *parties, int format, struct error *err)
{
    const struct store_opening opening = {.migrations = store_migrations, .version = format, .network = ""};
    const char *path = beside(parties, "old.db"), *their = beside(parties, "their.db");
    struct store *store = store_open_as(path, &opening, err);
    struct slice bytes;
    int result = -1;

    if (store != NULL && write_bytes(their, parties->bases.items[0].database, err) == 0) {
        sqlite3_exec(store->db,
                     arena_printf(parties->arena, "PRAGMA foreign_keys=OFF;ATTACH '%s' AS their", their),
                     NULL, NULL, NULL);
        result = fill_tables(store->db, parties->arena, err);
        sqlite3_exec(store->db, "DETACH their", NULL, NULL, NULL);
    }
    store_close(store);
    if (result == 0 && run_sql(path, "PRAGMA journal_mode=DELETE;VACUUM", err) == 0)
        result = read_bytes(parties->arena, path, &bytes, err);
    if (result == 0)
        add_base(parties, arena_printf(parties->arena, "format %d", format), bytes);
    unlink(path);
    unlink(their);
    return result;
}

static int make_bases(struct parties *parties, struct error *err)
{
    const char *path = beside(parties, "theirs.db");
    struct store *store = store_open(path, false, err);
    struct record *record = parties_record(parties->arena, SALT_THEIRS);
    struct slice plain, redacted;
    int result = -1;

    /* One shape is theirs alone. */
    give_limits(record, 1, &limits[1], 1);
    if (store != NULL && parties_keep(store, record, err) == 0 &&
        export_run(parties, store, 1, false, &plain, err) == 0 &&
        export_run(parties, store, 1, true, &redacted, err) == 0) {
        add_base(parties, "plain", plain);
        add_base(parties, "redacted", redacted);
        result = 0;
    }
    store_close(store);
    for (size_t i = 0; result == 0 && i < OLD_FORMATS; i++)
        result = add_old(parties, old_formats[i], err);
    return result;
}

/* ---- the importer ---- */

static int add_acceptance(struct store *store, struct parties *parties, struct error *err)
{
    struct acceptance *acceptance = arena_new(parties->arena, struct acceptance);
    struct acceptance_event event = {.uuid = "dddd0000-1111-4111-8111-111111111111",
                                     .kind = EVENT_SWAP,
                                     .host = "node2",
                                     .item = "gpu3",
                                     .spare = "",
                                     .note = "swapped",
                                     .at = 1772366400,
                                     .made = 1772366401};
    struct document *document = list_push(parties->arena, &acceptance->documents);

    *document = (struct document){
        .kind = "suite", .name = "delivery", .bytes = slice_of("{\"name\": \"delivery\"}\n")};
    sha256_hex(document->bytes.bytes, document->bytes.length, document->sha256);
    acceptance->uuid = "eeee0000-1111-4111-8111-111111111111";
    acceptance->name = "hall 7";
    acceptance->made = 1772366000;
    if (store_put_acceptance(store, acceptance, err) < 0 ||
        store_add_acceptance_run(store, acceptance, 1, 1772370000, NULL, err) < 0)
        return -1;
    return store_put_event(store, acceptance, &event, err);
}

static int add_pseudonyms(struct store *store, struct parties *parties, struct error *err)
{
    char key[REDACTION_KEY_SIZE];
    struct pseudonyms all = {0};

    if (store_redaction_key(store, key, err) < 0)
        return -1;
    *list_push(parties->arena, &all.list) = (struct pseudonym){"host", "node1", 1};
    *list_push(parties->arena, &all.list) = (struct pseudonym){"user", "ops", 1};
    return store_put_pseudonyms(store, &all, 0, err);
}

/* Another party's run, redacted, and with a waiver that was adopted here: also that stays as it is. */
static int add_earlier(struct store *store, struct parties *parties, struct error *err)
{
    const char *path = beside(parties, "earlier.db"), *copied = beside(parties, "copied.db");
    struct run_origin origin = {
        .imported = 1772380000, .bundle = "first.tar.zst", .redacted = true, .signers = ""};
    struct redactor *redactor = redactor_create(parties->arena, NULL, NULL);
    struct record *record = parties_record(parties->arena, SALT_EARLIER);
    struct store *theirs = store_open(path, false, err), *copy = store_open(copied, false, err);
    long long number = 0;
    int result = -1;

    sha256_hex("first", 5, origin.sha256);
    redactor_know_host(redactor, "node1");
    if (theirs != NULL && copy != NULL && parties_keep(theirs, record, err) == 0 &&
        store_copy_run(theirs, 1, copy, redactor, &number, err) == 0 &&
        sqlite3_exec(copy->db, "UPDATE shape SET digest=printf('%08x-2222-4222-8222-222222222222',id)", NULL,
                     NULL, NULL) == SQLITE_OK)
        result = store_import_run(copy, number, store, &origin, &number, err);
    store_close(theirs);
    store_close(copy);
    unlink(path);
    unlink(copied);
    record = result == 0 ? store_load_run(store, parties->arena, number, false, err) : NULL;
    if (record == NULL || record->waivers.count == 0)
        return -1;
    return store_adopt_waiver(store, &record->waivers.items[0],
                              &(const struct adoption){"me", "they are right", 1772380100}, err);
}

static int fill_own(struct store *store, struct parties *parties, struct error *err)
{
    for (unsigned i = 1; i <= OWN_RUNS; i++)
        if (parties_keep(store, parties_record(parties->arena, i), err) < 0)
            return -1;
    if (add_acceptance(store, parties, err) < 0 || add_pseudonyms(store, parties, err) < 0 ||
        add_earlier(store, parties, err) < 0)
        return -1;
    return know_contents(parties, store, err);
}

static int make_own(struct parties *parties, struct error *err)
{
    struct store *store = store_open(parties->own, false, err);
    int result = store != NULL ? fill_own(store, parties, err) : -1;

    store_close(store);
    if (result < 0 ||
        run_sql(parties->own,
                "UPDATE run SET controller_pid=77,controller_start='boot 2',controller_host='login1'",
                err) < 0 ||
        read_bytes(parties->arena, parties->own, &parties->pristine, err) < 0)
        return -1;
    parties->rows = memory_database(parties->pristine);
    return 0;
}

/* A run whose last shape nobody has yet. */
static void make_future(struct parties *parties)
{
    static const struct limit own[] = {{.metric = "*", .rule = RULE_FLOOR, .value = 999, .unit = "GB/s"}};
    char digest[SHA256_HEX_SIZE];

    parties->future = parties_record(parties->arena, SALT_FUTURE);
    give_limits(parties->future, parties->future->plan->shapes.count - 1, own, 1);
    shape_digest(parties->future->plan->shapes.items[parties->future->plan->shapes.count - 1], digest);
    parties->future_digest = arena_strdup(parties->arena, digest);
}

int parties_restore(struct parties *parties, struct error *err)
{
    unlink(arena_printf(parties->arena, "%s-wal", parties->own));
    unlink(arena_printf(parties->arena, "%s-shm", parties->own));
    return write_bytes(parties->own, parties->pristine, err);
}

static int make_parties(struct parties *parties, struct error *err)
{
    static const char *const forged[] = {"", "forged\n", "{\"limits\": []}", "{\"name\": \"another\"}\n"};

    parties->own = beside(parties, "own.db");
    parties->bundle = beside(parties, "bundle.tar.zst");
    for (size_t i = 0; i < ARRAY_SIZE(forged); i++)
        add_known(parties, slice_of(forged[i]));
    if (make_own(parties, err) < 0 || make_bases(parties, err) < 0)
        return -1;
    make_future(parties);
    return expect_unchanged(parties, err);
}

struct parties *parties_create(struct error *err)
{
    struct arena *arena = arena_create();
    struct parties *parties = arena_new(arena, struct parties);

    parties->arena = arena;
    snprintf(parties->folder, sizeof parties->folder, "%s/assay-mutate-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(parties->folder) == NULL) {
        error_set(err, ERROR_INTERNAL, "no folder %s can be made", parties->folder);
        parties->folder[0] = '\0';
    } else if (setenv("TMPDIR", parties->folder, 1) == 0 && make_parties(parties, err) == 0) {
        return parties;
    }
    parties_destroy(parties);
    return NULL;
}

void parties_destroy(struct parties *parties)
{
    if (parties == NULL)
        return;
    if (parties->folder[0] != '\0' && directory_remove(parties->folder, NULL) < 0)
        fprintf(stderr, "%s stays behind\n", parties->folder);
    sqlite3_close(parties->rows);
    expected_destroy(parties->expected);
    arena_destroy(parties->arena);
}

/* ---- the import ---- */

/* NULL, or what a report has in it that steers the reader's terminal. */
static const char *show(struct record *record)
{
    size_t count;
    const struct report_format *formats = report_format_list(&count);
    const char *wrong = NULL;

    for (size_t i = 0; i < count; i++) {
        cleanup_text struct text text = {0};

        text_init(&text, BIG);
        formats[i].write(record, i % 2 == 0 ? LANGUAGE_EN : LANGUAGE_ZH, &text);
        for (size_t k = 0; k < text.length; k++)
            if ((unsigned char)text.bytes[k] < 0x20 && strchr("\n\t\r", text.bytes[k]) == NULL)
                wrong = formats[i].name;
    }
    return wrong;
}

/* NULL, or what of the imported run is not what stood in the bundle. */
static const char *came_as_it_was(const struct bundle *bundle, struct store *own, long long number,
                                  bool thorough, struct arena *arena)
{
    struct manifest theirs, ours;
    struct manifest_difference *differences;
    struct record *record;
    struct error err = {0};
    const char *steered;

    record = store_load_run(own, arena, number, true, &err);
    if (record == NULL)
        return arena_printf(arena, "the imported run cannot be read: %s", err.text);
    steered = thorough ? show(record) : NULL;
    if (steered != NULL)
        return arena_printf(arena, "its report as %s has a control character in it", steered);
    if (store_manifest(bundle->store, arena, bundle->number, NULL, &theirs, &err) < 0)
        return NULL;
    if (store_manifest(own, arena, number, NULL, &ours, &err) < 0)
        return arena_printf(arena, "the imported run has no manifest: %s", err.text);
    if (manifest_compare(arena, &theirs, &ours, false, &differences) > 0)
        return arena_printf(arena, "the imported run is not the bundle's: %s: %s", differences[0].path,
                            differences[0].what);
    return NULL;
}

/* 0 and its number; else it is refused. */
static int take(const struct parties *parties, const struct bundle *bundle, struct store *own,
                struct arena *arena, long long *ret_number, struct error *err)
{
    struct run_origin origin = {.imported = 1772390000, .bundle = file_name(parties->bundle), .signers = ""};
    const char *uuid = manifest_said(&bundle->manifest, "run");
    struct manifest found;
    struct error none = {0};

    memcpy(origin.sha256, bundle->sha256, SHA256_HEX_SIZE);
    if (store_manifest(bundle->store, arena, bundle->number, &bundle->manifest, &found, err) < 0 ||
        store_load_judged(bundle->store, arena, bundle->number, err) == NULL)
        return -1;
    if (store_find_run(own, uuid, &none) > 0)
        return error_set(err, ERROR_USAGE, "run %s is there already", uuid);
    if (store_load_run(bundle->store, arena, bundle->number, false, err) == NULL)
        return -1;
    return store_import_run(bundle->store, bundle->number, own, &origin, ret_number, err);
}

static size_t count_files(const struct parties *parties)
{
    DIR *folder = opendir(parties->folder);
    size_t count = 0;

    while (folder != NULL && readdir(folder) != NULL)
        count++;
    if (folder != NULL)
        closedir(folder);
    return count;
}

static enum fate import(struct parties *parties, struct arena *arena, bool thorough, const char **ret_said,
                        struct error *err)
{
    struct bundle bundle;
    struct store *own = NULL;
    const char *otherwise = NULL, *change = NULL;
    enum fate fate = FATE_REFUSED;
    long long number = 0;

    if (bundle_open(parties->bundle, arena, &bundle, err) == 0 &&
        (own = store_open(parties->own, false, err)) != NULL &&
        take(parties, &bundle, own, arena, &number, err) == 0) {
        otherwise = came_as_it_was(&bundle, own, number, thorough, arena);
        fate = FATE_TAKEN;
    }
    store_close(own);
    store_close(bundle.store);
    if (!is_unchanged(parties, fate == FATE_TAKEN, &change))
        otherwise = change;
    *ret_said = otherwise != NULL ? arena_strdup(arena, otherwise) : err->text;
    return otherwise != NULL ? FATE_CHANGED : fate;
}

enum fate parties_import(struct parties *parties, struct slice bundle, bool thorough, char *said, size_t room)
{
    struct arena *arena = arena_create();
    struct error err = {0};
    const char *why = "";
    size_t before;
    enum fate fate;

    if (write_bytes(parties->bundle, bundle, &err) < 0)
        fprintf(stderr, "%s\n", err.text), abort();
    before = count_files(parties);
    fate = import(parties, arena, thorough, &why, &err);
    if (fate == FATE_REFUSED && *why == '\0')
        why = "it was refused without a word", fate = FATE_CHANGED;
    snprintf(said, room, "%s%s", err.code == ERROR_INTERNAL ? "(our own failure) " : "", why);
    if (fate != FATE_REFUSED && parties_restore(parties, &err) < 0)
        fprintf(stderr, "%s\n", err.text), abort();
    if (fate != FATE_CHANGED && count_files(parties) != before) {
        snprintf(said, room, "it left a file behind");
        fate = FATE_CHANGED;
    }
    arena_destroy(arena);
    return fate;
}
