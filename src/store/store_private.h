/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the store share: the handle, statements, values in and rows out. */
#ifndef ASSAY_STORE_PRIVATE_H
#define ASSAY_STORE_PRIVATE_H

#include <sqlite3.h>
#include <stdint.h>

#include "assay/store/store.h"

#define RAIL_LABEL "rail:"           /* a rail among the rows of labels */
#define LINE_LABEL "line:"           /* likewise a line */
#define SCHEDULER_LABEL "scheduler:" /* the scheduler among them */
#define FABRIC_LABEL "fabric:"       /* likewise */
#define MOUNTS_LABEL "mounts:"
#define OBJECT_STORE_LABEL "object_store:"
#define UPLINKS_LABEL "uplinks:"
#define SWITCH_COUNTERS_LABEL "switch_counters:"
#define PROBE_LABEL "probe:"

enum statement {
#define STATEMENT(name, sql) name,
#include "statements.def"
#undef STATEMENT
    STATEMENT_COUNT
};

struct intern;
struct blob_codec;

struct store {
    sqlite3 *db;
    char *path;
    char note[256];
    bool read_only;
    bool earlier; /* its file is of an earlier format, and was only to be read */
    bool foreign; /* what it holds came from another party: what is wrong with it is no damage of ours */
    sqlite3_stmt *statements[STATEMENT_COUNT];
    struct intern *words; /* text -> id, of words that are known to be committed or in this transaction */
    struct blob_codec *codec;
    long long driven; /* the run that this process drives; 0: none */
    long long driven_by;
    char *driven_from; /* and as which process of which machine it took it */
};

/* schema.c: from format n to n + 1 by store_migrations[n]; a new file begins with the tables of store_base. */
extern const char store_base[];
extern const int store_base_version;
extern const char *const store_migrations[];
extern const int store_version;

/* store.c: open with another table of migrations or on a given file system (NULL: ask the kernel); for
 * tests. */
struct store_opening {
    bool read_only;
    const char *const *migrations;
    int version;
    const char *network; /* name of the network file system, "" for a local one, NULL: ask */
};
struct store *store_open_as(const char *path, const struct store_opening *opening, struct error *err);
/* A database of the format of that number in a file that has no name, and is gone when it is closed; for what another party
   wrote. label: whose it is, for messages. */
struct store *store_open_nameless(const char *label, int version, struct error *err);
/* To the newest format. */
int store_bring_up_to_date(struct store *store, struct error *err) __attribute__((warn_unused_result));
enum { STORE_APPLICATION_ID = 0x61736179 /* "asay" */ };
/* "NFS", or NULL for a file system whose locks and shared memory can be relied on. */
const char *network_file_system(unsigned long magic);

/* vocabulary.c: the words of enums as they stand in the database. They are a file format: display names may
   change, these may only grow. */
struct vocabulary {
    const char *what;
    const char *const *words;
    size_t count;
};
extern const struct vocabulary vocabulary_run, vocabulary_role, vocabulary_exclusivity, vocabulary_duty,
    vocabulary_rule, vocabulary_limit, vocabulary_origin, vocabulary_attempt, vocabulary_ending,
    vocabulary_window, vocabulary_reading, vocabulary_severity, vocabulary_outcome, vocabulary_verdict,
    vocabulary_item, vocabulary_event, vocabulary_accused, vocabulary_place;
/* NULL when there is no such value; a NOT NULL column then refuses the row. */
const char *vocabulary_word(const struct vocabulary *vocabulary, unsigned value);

/* Values to bind. NULL strings and NAN become NULL. */
enum value_kind { VALUE_NULL, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT, VALUE_WORD, VALUE_BYTES };
struct value {
    enum value_kind kind;
    int64_t integer;
    double real;
    struct slice bytes;
};
struct value value_integer(int64_t integer);
struct value value_real(double real);
struct value value_text(const char *text);
struct value value_word(const char *text); /* interned */
struct value value_bytes(struct slice bytes);
#define INTEGER(x) value_integer((int64_t)(x))
#define REAL(x) value_real(x)
#define TEXT(x) value_text(x)
#define WORD(x) value_word(x)
#define BYTES(x) value_bytes(x)
#define ENUM(vocabulary, x) value_text(vocabulary_word(&(vocabulary), (unsigned)(x)))
#define NOTHING ((struct value){.kind = VALUE_NULL})
/* A reason as it is kept (reason_encode), in the arena; "" for NULL. */
#define FORM(arena, reason) value_text(reason_encode((arena), (reason)))
#define FORM_WORD(arena, reason) value_word(reason_encode((arena), (reason)))

/* database.c */
int database_error(struct store *store, const char *doing, struct error *err);
int store_exec_values(struct store *store, enum statement which, const struct value *values, size_t count,
                      struct error *err) __attribute__((warn_unused_result));
#define store_exec(store, which, err, ...)                         \
    store_exec_values(store, which, (struct value[]){__VA_ARGS__}, \
                      sizeof((struct value[]){__VA_ARGS__}) / sizeof(struct value), err)
/* The first column of the first row as a number: 1 when there is a row, 0 when there is none, -1. */
int store_ask_values(struct store *store, enum statement which, int64_t *ret_answer,
                     const struct value *values, size_t count, struct error *err)
    __attribute__((warn_unused_result));
#define store_ask(store, which, ret_answer, err, ...)                         \
    store_ask_values(store, which, ret_answer, (struct value[]){__VA_ARGS__}, \
                     sizeof((struct value[]){__VA_ARGS__}) / sizeof(struct value), err)
/* One transaction: `return store_begin(..) < 0 ? -1 : store_finish(store, write(..), err)`. */
int store_begin(struct store *store, struct error *err) __attribute__((warn_unused_result));
/* Commits when result is 0, else rolls back; returns -1 unless it is committed. */
int store_finish(struct store *store, int result, struct error *err) __attribute__((warn_unused_result));
/* A consistent view for several queries, until store_finish. */
int store_begin_read(struct store *store, struct error *err) __attribute__((warn_unused_result));

/* Rows: columns are taken from left to right. A value that cannot be (an unknown word, a NULL number) marks
   the cursor, and the next rows_next says so: nothing is ever read as a default. */
struct rows {
    struct store *store;
    sqlite3_stmt *statement;
    struct arena *arena;
    struct names *names; /* of words; NULL: no word column */
    int column;
    char damage[160];
};
struct names; /* texts of words by id, each once in the arena */
struct names *names_create(struct store *store, struct arena *arena);
int rows_open_values(struct store *store, struct rows *rows, enum statement which, struct arena *arena,
                     struct names *names, const struct value *values, size_t count, struct error *err)
    __attribute__((warn_unused_result));
#define rows_open(store, rows, which, arena, names, err, ...)                         \
    rows_open_values(store, rows, which, arena, names, (struct value[]){__VA_ARGS__}, \
                     sizeof((struct value[]){__VA_ARGS__}) / sizeof(struct value), err)
/* 1 with a row, 0 at the end, -1. */
int rows_next(struct rows *rows, struct error *err) __attribute__((warn_unused_result));
/* For a caller that stops before the end. */
void rows_close(struct rows *rows);
int64_t take_integer(struct rows *rows);
/* Refuses what is not in 0..count-1. */
size_t take_index(struct rows *rows, size_t count, const char *what);
size_t take_count(struct rows *rows);
unsigned take_unsigned(struct rows *rows);
bool take_bool(struct rows *rows);
bool take_null(struct rows *rows); /* true, and the column is passed over, when it is NULL */
double take_real(struct rows *rows);
/* Never NULL: where the column is, the row is damaged. */
const char *take_text(struct rows *rows);
/* The same of a column in which many rows say the same; the rows have names. */
const char *take_repeated_text(struct rows *rows);
const char *take_word(struct rows *rows);
/* NULL for a NULL: only of what may be NULL in the record. */
const char *take_optional_text(struct rows *rows);
const char *take_optional_word(struct rows *rows);
/* What FORM and FORM_WORD wrote, and texts of before; NULL for "". Where the column is NULL, the row is damaged. */
/* The column as it is; good until the next row. NULL: it is none, and the rows are damaged. */
const char *take_raw_text(struct rows *rows);
const struct reason *take_reason(struct rows *rows);
/* Of a column in which many rows say the same; the rows have names. */
const struct reason *take_repeated_reason(struct rows *rows);
const struct reason *take_reason_word(struct rows *rows);
/* Four columns of words: limit, gate, source and status. */
const struct held_to *take_held_to(struct rows *rows);
/* NULL for a NULL too. */
const struct reason *take_optional_reason(struct rows *rows);
const struct reason *take_optional_reason_word(struct rows *rows);
/* A word as the place of a measurement. */
void take_place(struct rows *rows, struct measurement *measurement);
void take_sha256(struct rows *rows, char ret_sha256[SHA256_HEX_SIZE]);
unsigned take_enum(struct rows *rows, const struct vocabulary *vocabulary);
void rows_damage(struct rows *rows, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Damage found when no cursor is open. */
int store_damage(struct store *store, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* intern.c */
struct intern *intern_create(void);
void intern_destroy(struct intern *intern);
void intern_forget(struct intern *intern);
int intern_id(struct store *store, const char *text, int64_t *ret_id, struct error *err)
    __attribute__((warn_unused_result));

/* blob.c */
struct blob_codec *blob_codec_create(void);
void blob_codec_destroy(struct blob_codec *codec);
/* Inside a transaction. expected_sha256: "" or what the bytes must have. */
int content_put(struct store *store, struct slice bytes, const char *expected_sha256, int64_t *ret_id,
                struct error *err) __attribute__((warn_unused_result));
/* Bytes in the arena, NUL-ended, checked against their SHA-256; what names them in an error. */
int content_get(struct store *store, struct arena *arena, int64_t id, const char *what,
                struct slice *ret_bytes, char ret_sha256[SHA256_HEX_SIZE], struct error *err)
    __attribute__((warn_unused_result));
/* The bytes of a content whose row is there without them; bytes that no row has the SHA-256 of are left out.
 * Inside a transaction. */
int content_fill(struct store *store, struct slice bytes, struct error *err)
    __attribute__((warn_unused_result));
/* Only its SHA-256. */
int content_sha256(struct store *store, int64_t id, const char *what, char ret_sha256[SHA256_HEX_SIZE],
                   struct error *err) __attribute__((warn_unused_result));

/* controller.c: the process that drives a run. */
struct controller {
    int64_t pid;
    const char *start; /* boot id and ticks: a process id alone may have been given to another since; clock */
    const char *host;
};
struct controller controller_self(struct arena *arena);
/* Its clock_base; NAN: this machine was booted since, or nobody wrote it. */
double controller_clock(const struct controller *controller);
/* write_run.c: -1 when the run that this process drives was given up for lost, and is driven from elsewhere: whoever comes back
   writes no more of it. Inside a transaction. */
int check_still_ours(struct store *store, long long run, struct error *err)
    __attribute__((warn_unused_result));
enum controller_life { CONTROLLER_LIVES, CONTROLLER_DEAD, CONTROLLER_ELSEWHERE };
enum controller_life controller_life(const struct controller *controller);

/* at.c: the place of a measurement as one word, reversible. */
const char *at_encode(struct arena *arena, const struct measurement *measurement);
bool at_decode(struct arena *arena, const char *text, struct measurement *ret_measurement);

/* fact.c: whether it begins as a form (reason.h) and is one line, as each is. Most texts are none, and many. */
bool may_be_form(const char *text);
/* The value of a fact as it is kept; of anything else that is a text, or a reason and what that is in English, likewise. */
const char *fact_encode(struct arena *arena, const struct fact *fact);
void fact_decode(struct arena *arena, const char *text, struct fact *fact);

/* write_plan.c: hosts, shapes and steps that the database does not have yet. */
int write_plan(struct store *store, const struct record *record, size_t first_step, struct error *err)
    __attribute__((warn_unused_result));

/* The name by which a shape is shared: over everything that its rows hold. */
void shape_digest(const struct shape *shape, char ret_hex[SHA256_HEX_SIZE]);
/* The same of one that was loaded as it is kept (struct load). */
void shape_digest_kept(const struct shape *shape, char ret_hex[SHA256_HEX_SIZE]);

/* sightings.c: in place of those that were kept of the attempt. */
int write_sightings(struct store *store, const struct record *record, const struct attempt *attempt,
                    int64_t id, struct error *err) __attribute__((warn_unused_result));

/* load_plan.c, load_attempts.c, load_judgement.c: each fills its piece of the record. */
/* documents.c: inside a transaction; owner is the run, judgement or acceptance that the statement is about. Those from
   `first` on. */
int write_documents(struct store *store, enum statement insert, int64_t owner,
                    const struct documents *documents, size_t first, struct error *err)
    __attribute__((warn_unused_result));
int load_documents(struct store *store, struct arena *arena, enum statement select, int64_t owner,
                   struct documents *documents, struct error *err) __attribute__((warn_unused_result));

/* A command file, which many attempts have in common. */
struct command {
    int64_t content;
    const char *text;
};
struct load {
    struct store *store;
    struct arena *arena;
    struct names *names;
    struct record *record;
    bool evidence;
    bool as_kept; /* what slots and limits say in words of ours are texts: the forms that are kept of them */
    store_part_fact *wanted; /* NULL: readings of parts as they are */
    struct arena *scratch;   /* of the attempt that is being read */
    struct {
        LIST_OF(struct command) items;
    } commands;
    LIST_OF(struct shape *) shapes; /* those of the plan */
};
int load_plan(struct load *load, struct error *err) __attribute__((warn_unused_result));
int load_attempts(struct load *load, struct error *err) __attribute__((warn_unused_result));
int load_waivers(struct load *load, struct error *err) __attribute__((warn_unused_result)); /* waivers.c */
int load_judgement(struct load *load, struct error *err) __attribute__((warn_unused_result));

#endif
