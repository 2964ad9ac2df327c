/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an older file becomes a newer one: PRAGMA user_version counts the rows of store_migrations[] that were applied. A
 * new version is one more row; a row that was ever released is not edited. A new file begins with format 12, whose tables
 * are those of schema_12.sql; before it they had grown piece by piece, and let NULL stand where nobody reads one.
 */
#include "schema_12.h"
#include "store_private.h"

static const char version_1[] =
    "CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;"

    /* Bytes, kept once however often they occur: zstd in blocks of 64 KiB. */
    "CREATE TABLE content(id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, length INTEGER NOT NULL) "
    "STRICT;"
    "CREATE TABLE blob(content INTEGER NOT NULL REFERENCES content, n INTEGER NOT NULL, zstd BLOB NOT NULL,"
    " PRIMARY KEY(content, n)) STRICT;"

    "CREATE TABLE run(id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, state TEXT NOT NULL,"
    " started REAL, ended REAL, suite TEXT, suite_title TEXT, hostfile TEXT, program TEXT,"
    " controller_pid INTEGER NOT NULL, controller_start TEXT NOT NULL, controller_host TEXT NOT NULL) STRICT;"
    "CREATE TABLE document(run INTEGER NOT NULL REFERENCES run, n INTEGER NOT NULL, kind TEXT, name TEXT,"
    " content INTEGER NOT NULL REFERENCES content, PRIMARY KEY(run, n)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE run_host(run INTEGER NOT NULL REFERENCES run, n INTEGER NOT NULL, name TEXT NOT NULL,"
    " address TEXT, mpi_address TEXT, user TEXT, identity TEXT, jump TEXT, known_hosts TEXT, platform TEXT,"
    " unit TEXT, rack TEXT, leaf TEXT, transport TEXT, slots INTEGER NOT NULL, port INTEGER NOT NULL,"
    " role TEXT NOT NULL, become_root INTEGER NOT NULL, timescale REAL, file_line INTEGER NOT NULL,"
    " file_column INTEGER NOT NULL, PRIMARY KEY(run, n), UNIQUE(run, name)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE host_label(run INTEGER NOT NULL, host INTEGER NOT NULL, n INTEGER NOT NULL, key TEXT,"
    " value TEXT, PRIMARY KEY(run, host, n), FOREIGN KEY(run, host) REFERENCES run_host(run, n))"
    " STRICT, WITHOUT ROWID;"

    /* Shapes are shared by runs. sha256 is the plan's name for one; digest is over everything that the rows
       hold, so that a run never gets another run's timeouts or limits back. */
    "CREATE TABLE shape(id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, sha256 TEXT, check_name TEXT,"
    " suite_step TEXT, scope TEXT, platform TEXT, hosts INTEGER NOT NULL, expected_s INTEGER NOT NULL,"
    " timeout_s INTEGER NOT NULL, retries INTEGER NOT NULL, repeat INTEGER NOT NULL, exclusivity TEXT NOT "
    "NULL,"
    " as_root INTEGER NOT NULL, passive INTEGER NOT NULL) STRICT;"
    "CREATE TABLE slot(shape INTEGER NOT NULL REFERENCES shape, n INTEGER NOT NULL, metric INTEGER REFERENCES"
    " word, subject INTEGER REFERENCES word, at INTEGER REFERENCES word, size_bytes REAL, duty TEXT NOT NULL,"
    " duty_note INTEGER REFERENCES word, PRIMARY KEY(shape, n)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE slot_limit(shape INTEGER NOT NULL, slot INTEGER NOT NULL, n INTEGER NOT NULL, metric "
    "INTEGER"
    " REFERENCES word, subject INTEGER REFERENCES word, scope INTEGER REFERENCES word, hosts_min INTEGER NOT"
    " NULL, hosts_max INTEGER NOT NULL, size_min REAL, size_max REAL, rule TEXT NOT NULL, value REAL, text"
    " TEXT, tolerance REAL, unit INTEGER REFERENCES word, source INTEGER REFERENCES word, status TEXT NOT "
    "NULL,"
    " note INTEGER REFERENCES word, inconclusive INTEGER NOT NULL, PRIMARY KEY(shape, slot, n), FOREIGN"
    " KEY(shape, slot) REFERENCES slot(shape, n)) STRICT, WITHOUT ROWID;"

    /* The plan of a run. Steps, hosts and shapes are known by their places in it, as in struct plan. */
    "CREATE TABLE run_shape(run INTEGER NOT NULL REFERENCES run, n INTEGER NOT NULL, shape INTEGER NOT NULL"
    " REFERENCES shape, PRIMARY KEY(run, n)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE step(run INTEGER NOT NULL REFERENCES run, n INTEGER NOT NULL, key TEXT NOT NULL, shape"
    " INTEGER NOT NULL, origin TEXT NOT NULL, origin_note TEXT, PRIMARY KEY(run, n), UNIQUE(run, key),"
    " FOREIGN KEY(run, shape) REFERENCES run_shape(run, n)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE member(run INTEGER NOT NULL, step INTEGER NOT NULL, n INTEGER NOT NULL, host INTEGER NOT"
    " NULL, PRIMARY KEY(run, step, n), FOREIGN KEY(run, step) REFERENCES step(run, n), FOREIGN KEY(run, host)"
    " REFERENCES run_host(run, n)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE need(run INTEGER NOT NULL, step INTEGER NOT NULL, n INTEGER NOT NULL, needs INTEGER NOT "
    "NULL,"
    " PRIMARY KEY(run, step, n), FOREIGN KEY(run, step) REFERENCES step(run, n), FOREIGN KEY(run, needs)"
    " REFERENCES step(run, n)) STRICT, WITHOUT ROWID;"

    /* Committed before anything is sent: the journal of a run, there is no other. */
    "CREATE TABLE attempt(id INTEGER PRIMARY KEY, run INTEGER NOT NULL, step INTEGER NOT NULL, n INTEGER NOT"
    " NULL, uuid TEXT NOT NULL UNIQUE, state TEXT NOT NULL, ending TEXT NOT NULL, rc INTEGER NOT NULL,"
    " text TEXT, sent REAL, began REAL, ended REAL, boot_id TEXT, up_began REAL, up_ended REAL, command "
    "INTEGER"
    " REFERENCES content, transport INTEGER REFERENCES word, connections INTEGER NOT NULL, UNIQUE(run, step,"
    " n), FOREIGN KEY(run, step) REFERENCES step(run, n)) STRICT;"
    "CREATE TABLE capture(attempt INTEGER NOT NULL REFERENCES attempt, stream TEXT NOT NULL, length INTEGER "
    "NOT"
    " NULL, clipped INTEGER NOT NULL, cut INTEGER NOT NULL, content INTEGER REFERENCES content, PRIMARY"
    " KEY(attempt, stream)) STRICT, WITHOUT ROWID;"
    /* Offsets into the captures of the attempt: stdout and stderr. */
    "CREATE TABLE part(attempt INTEGER NOT NULL REFERENCES attempt, n INTEGER NOT NULL, name INTEGER "
    "REFERENCES"
    " word, command INTEGER REFERENCES word, began INTEGER NOT NULL, ended INTEGER NOT NULL, rc INTEGER NOT"
    " NULL, out_offset INTEGER, out_length INTEGER, err_offset INTEGER, err_length INTEGER, PRIMARY"
    " KEY(attempt, n)) STRICT, WITHOUT ROWID;"

    /* part: whose reading it is, NULL for the check's own of the whole attempt. parent: n of the reading that
       this one is a run of. A measurement with a text is a fact. */
    "CREATE TABLE reading(id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL REFERENCES attempt, n INTEGER NOT"
    " NULL, part INTEGER, parent INTEGER, tool TEXT, status TEXT NOT NULL, reason TEXT, UNIQUE(attempt, n))"
    " STRICT;"
    "CREATE TABLE measurement(reading INTEGER NOT NULL REFERENCES reading ON DELETE CASCADE, n INTEGER NOT"
    " NULL, metric INTEGER, subject INTEGER, at INTEGER, value REAL, text TEXT, unit INTEGER, PRIMARY"
    " KEY(reading, n)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE finding(reading INTEGER NOT NULL REFERENCES reading ON DELETE CASCADE, n INTEGER NOT NULL,"
    " code INTEGER REFERENCES word, subject INTEGER REFERENCES word, severity TEXT NOT NULL, text TEXT, "
    "PRIMARY"
    " KEY(reading, n)) STRICT, WITHOUT ROWID;"

    "CREATE TABLE judgement(id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, run INTEGER NOT NULL "
    "REFERENCES"
    " run, baselines TEXT) STRICT;"
    "CREATE INDEX judgement_run ON judgement(run);"
    "CREATE TABLE outcome(judgement INTEGER NOT NULL REFERENCES judgement, step INTEGER NOT NULL, slot "
    "INTEGER"
    " NOT NULL, word TEXT NOT NULL, cause TEXT, remedy INTEGER, measured TEXT, value REAL, limit_text "
    "INTEGER,"
    " gate INTEGER, source INTEGER, status INTEGER, remark INTEGER NOT NULL, PRIMARY KEY(judgement, step,"
    " slot)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE verdict(judgement INTEGER NOT NULL REFERENCES judgement, n INTEGER NOT NULL, scope TEXT, "
    "name"
    " TEXT, word TEXT NOT NULL, pass INTEGER NOT NULL, fail INTEGER NOT NULL, inconclusive INTEGER NOT NULL,"
    " not_run INTEGER NOT NULL, recorded INTEGER NOT NULL, PRIMARY KEY(judgement, n)) STRICT, WITHOUT ROWID;";

static const char version_2[] =
    /* What was read on the members right before and after an attempt: output and what it was. */
    "CREATE TABLE window(attempt INTEGER NOT NULL REFERENCES attempt, n INTEGER NOT NULL, member INTEGER NOT"
    " NULL, role TEXT NOT NULL, ending TEXT NOT NULL, rc INTEGER NOT NULL, text TEXT, boot_id TEXT, began "
    "REAL,"
    " ended REAL, up_began REAL, up_ended REAL, PRIMARY KEY(attempt, n)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE window_capture(attempt INTEGER NOT NULL, window INTEGER NOT NULL, stream TEXT NOT NULL, "
    "length"
    " INTEGER NOT NULL, clipped INTEGER NOT NULL, cut INTEGER NOT NULL, content INTEGER REFERENCES content,"
    " PRIMARY KEY(attempt, window, stream), FOREIGN KEY(attempt, window) REFERENCES window(attempt, n))"
    " STRICT, WITHOUT ROWID;"
    /* window: 0 for the attempt's own captures, else n + 1. */
    "ALTER TABLE part ADD COLUMN aside INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE part ADD COLUMN window INTEGER NOT NULL DEFAULT 0;"
    "UPDATE part SET aside=1 WHERE name IN (SELECT id FROM word WHERE text IN ('kernel-log', 'under-load'));";

static const char version_3[] =
    /* Until now `clipped` was said of an output of which the host kept the head only. Of a clipped one, content
     * is the head, and sha256 is that of all its bytes. */
    "ALTER TABLE capture RENAME COLUMN clipped TO flooded;"
    "ALTER TABLE window_capture RENAME COLUMN clipped TO flooded;"
    "ALTER TABLE capture ADD COLUMN clipped INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE capture ADD COLUMN tail INTEGER REFERENCES content;"
    "ALTER TABLE capture ADD COLUMN sha256 TEXT;";

static const char version_4[] = "ALTER TABLE shape ADD COLUMN variant TEXT NOT NULL DEFAULT '';";

static const char version_5[] =
    /* The parts of slow tests that tell who makes them slow. */
    "ALTER TABLE shape ADD COLUMN arguments TEXT;"
    "ALTER TABLE step ADD COLUMN parent INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE step ADD COLUMN round INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE verdict ADD COLUMN accused INTEGER NOT NULL DEFAULT 0;"
    "CREATE TABLE search(judgement INTEGER NOT NULL REFERENCES judgement, n INTEGER NOT NULL, step INTEGER "
    "NOT"
    " NULL, metric INTEGER REFERENCES word, size_bytes REAL, conclusion TEXT, candidates TEXT, PRIMARY "
    "KEY(judgement, n)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE accusation(judgement INTEGER NOT NULL REFERENCES judgement, n INTEGER NOT NULL, step "
    "INTEGER"
    " NOT NULL, kind TEXT NOT NULL, subject TEXT, place TEXT NOT NULL, intermittent INTEGER NOT NULL,"
    " slow_tests INTEGER NOT NULL, fast_tests INTEGER NOT NULL, doubt REAL, PRIMARY KEY(judgement, n))"
    " STRICT, WITHOUT ROWID;"
    "CREATE TABLE accusation_step(judgement INTEGER NOT NULL, accusation INTEGER NOT NULL, n INTEGER NOT "
    "NULL,"
    " step INTEGER NOT NULL, PRIMARY KEY(judgement, accusation, n), FOREIGN KEY(judgement, accusation)"
    " REFERENCES accusation(judgement, n)) STRICT, WITHOUT ROWID;";

static const char sightings[] =
    /* Which item, by its identity, an attempt saw at which place of which host of the run. Of runs before this
       version nothing is known, and nothing is made up. */
    "CREATE TABLE item(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, identity TEXT NOT NULL, UNIQUE(kind, "
    "identity)) STRICT;"
    "CREATE TABLE sighting(attempt INTEGER NOT NULL REFERENCES attempt, host INTEGER NOT NULL, position "
    "INTEGER "
    "NOT NULL REFERENCES word, item INTEGER NOT NULL REFERENCES item, serial INTEGER REFERENCES word, "
    "PRIMARY "
    "KEY(attempt, host, position, item)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX sighting_item ON sighting(item);";

static const char waivers[] =
    /* Never edited or deleted: who takes one back adds a withdrawal. A judgement names those it rests on, and the
       time that it was made for. */
    "CREATE TABLE waiver(uuid TEXT PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, step_key TEXT NOT NULL, "
    "attempt TEXT NOT NULL REFERENCES attempt(uuid), who TEXT NOT NULL, why TEXT NOT NULL, made REAL NOT "
    "NULL, "
    "until REAL NOT NULL, FOREIGN KEY(run, step_key) REFERENCES step(run, key)) STRICT;"
    "CREATE INDEX waiver_run ON waiver(run);"
    "CREATE TABLE waived_item(waiver TEXT NOT NULL REFERENCES waiver, n INTEGER NOT NULL, metric INTEGER "
    "REFERENCES word, subject INTEGER REFERENCES word, at INTEGER REFERENCES word, hardware TEXT NOT NULL, "
    "PRIMARY KEY(waiver, n)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE withdrawal(uuid TEXT PRIMARY KEY, waiver TEXT NOT NULL UNIQUE REFERENCES waiver, who TEXT "
    "NOT "
    "NULL, why TEXT NOT NULL, made REAL NOT NULL) STRICT;"
    "ALTER TABLE judgement ADD COLUMN now REAL NOT NULL DEFAULT 0;"
    "ALTER TABLE judgement ADD COLUMN inputs TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE verdict ADD COLUMN waived INTEGER NOT NULL DEFAULT 0;"
    "CREATE TABLE outcome_waiver(judgement INTEGER NOT NULL REFERENCES judgement, step INTEGER NOT NULL, "
    "slot "
    "INTEGER NOT NULL, waiver TEXT NOT NULL REFERENCES waiver, PRIMARY KEY(judgement, step, slot)) STRICT, "
    "WITHOUT ROWID;";

static const char pseudonyms[] =
    /* What stands for a name in exports. */
    "CREATE TABLE pseudonym(kind TEXT NOT NULL, name TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY(kind, "
    "name), UNIQUE(kind, n)) STRICT, WITHOUT ROWID;";

static const char retests[] =
    /* Further attempts while an item fails or is doubtful; the ceiling of a range. */
    "ALTER TABLE shape ADD COLUMN retests INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE slot_limit ADD COLUMN most REAL DEFAULT 0;";

static const char acceptances[] =
    /* Runs and events are added, and nothing is edited: how an acceptance stands follows from them. */
    "CREATE TABLE acceptance(id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE, "
    "made "
    "REAL NOT NULL) STRICT;"
    "CREATE TABLE acceptance_document(acceptance INTEGER NOT NULL REFERENCES acceptance, n INTEGER NOT NULL, "
    "kind "
    "TEXT, name TEXT, content INTEGER NOT NULL REFERENCES content, PRIMARY KEY(acceptance, n)) STRICT, "
    "WITHOUT "
    "ROWID;"
    "CREATE TABLE acceptance_run(acceptance INTEGER NOT NULL REFERENCES acceptance, run INTEGER NOT NULL "
    "REFERENCES "
    "run, added REAL NOT NULL, PRIMARY KEY(acceptance, run)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE event(uuid TEXT PRIMARY KEY, acceptance INTEGER NOT NULL REFERENCES acceptance, kind TEXT "
    "NOT "
    "NULL, host TEXT NOT NULL, item TEXT NOT NULL, spare TEXT NOT NULL, note TEXT NOT NULL, at REAL NOT "
    "NULL, made "
    "REAL NOT NULL) STRICT;"
    "CREATE INDEX event_acceptance ON event(acceptance);";

static const char judged_by[] = "CREATE TABLE judgement_document(judgement INTEGER NOT NULL REFERENCES "
                                "judgement, n INTEGER NOT NULL, kind "
                                "TEXT, name TEXT, content INTEGER NOT NULL REFERENCES content, PRIMARY "
                                "KEY(judgement, n)) STRICT, WITHOUT "
                                "ROWID;";

/*
 * Every table anew, with what a row of it must have, under the names of schema_12.sql; a row that has it not ends the
 * migration. word, content and blob are as they were. Numbers of runs that are gone are not given again.
 */
#define ASIDE(table) "ALTER TABLE " #table " RENAME TO old_" #table ";"
#define BACK(table, columns) \
    "INSERT INTO " #table "(" columns ") SELECT " columns " FROM old_" #table ";DROP TABLE old_" #table ";"
#define TABLES(ROW)                                                                                 \
    ROW(run, "id,uuid,state,started,ended,suite,suite_title,hostfile,program,controller_pid,"       \
             "controller_start,controller_host")                                                    \
    ROW(document, "run,n,kind,name,content")                                                        \
    ROW(run_host, "run,n,name,address,mpi_address,user,identity,jump,known_hosts,platform,unit,"    \
                  "rack,leaf,transport,slots,port,role,become_root,timescale,file_line,"            \
                  "file_column")                                                                    \
    ROW(host_label, "run,host,n,key,value")                                                         \
    ROW(shape, "id,digest,sha256,check_name,suite_step,scope,platform,hosts,expected_s,"            \
               "timeout_s,retries,repeat,exclusivity,as_root,passive,variant,arguments,retests")    \
    ROW(slot, "shape,n,metric,subject,at,size_bytes,duty,duty_note")                                \
    ROW(slot_limit, "shape,slot,n,metric,subject,scope,hosts_min,hosts_max,size_min,size_max,rule," \
                    "value,text,tolerance,unit,source,status,note,inconclusive,most")               \
    ROW(run_shape, "run,n,shape")                                                                   \
    ROW(step, "run,n,key,shape,origin,origin_note,parent,round")                                    \
    ROW(member, "run,step,n,host")                                                                  \
    ROW(need, "run,step,n,needs")                                                                   \
    ROW(attempt, "id,run,step,n,uuid,state,ending,rc,text,sent,began,ended,boot_id,up_began,"       \
                 "up_ended,command,transport,connections")                                          \
    ROW(capture, "attempt,stream,length,flooded,cut,content,clipped,tail,sha256")                   \
    ROW(part, "attempt,n,name,command,began,ended,rc,out_offset,out_length,err_offset,"             \
              "err_length,aside,window")                                                            \
    ROW(reading, "id,attempt,n,part,parent,tool,status,reason")                                     \
    ROW(measurement, "reading,n,metric,subject,at,value,text,unit")                                 \
    ROW(finding, "reading,n,code,subject,severity,text")                                            \
    ROW(judgement, "id,uuid,run,baselines,now,inputs")                                              \
    ROW(outcome, "judgement,step,slot,word,cause,remedy,measured,value,limit_text,gate,source,"     \
                 "status,remark")                                                                   \
    ROW(verdict, "judgement,n,scope,name,word,pass,fail,inconclusive,not_run,recorded,accused,"     \
                 "waived")                                                                          \
    ROW(window, "attempt,n,member,role,ending,rc,text,boot_id,began,ended,up_began,up_ended")       \
    ROW(window_capture, "attempt,window,stream,length,flooded,cut,content")                         \
    ROW(search, "judgement,n,step,metric,size_bytes,conclusion,candidates")                         \
    ROW(accusation, "judgement,n,step,kind,subject,place,intermittent,slow_tests,fast_tests,doubt") \
    ROW(accusation_step, "judgement,accusation,n,step")                                             \
    ROW(item, "id,kind,identity")                                                                   \
    ROW(sighting, "attempt,host,position,item,serial")                                              \
    ROW(waiver, "uuid,run,step_key,attempt,who,why,made,until")                                     \
    ROW(waived_item, "waiver,n,metric,subject,at,hardware")                                         \
    ROW(withdrawal, "uuid,waiver,who,why,made")                                                     \
    ROW(outcome_waiver, "judgement,step,slot,waiver")                                               \
    ROW(pseudonym, "kind,name,n")                                                                   \
    ROW(acceptance, "id,uuid,name,made")                                                            \
    ROW(acceptance_document, "acceptance,n,kind,name,content")                                      \
    ROW(acceptance_run, "acceptance,run,added")                                                     \
    ROW(event, "uuid,acceptance,kind,host,item,spare,note,at,made")                                 \
    ROW(judgement_document, "judgement,n,kind,name,content")
#define MOVE_ASIDE(table, columns) ASIDE(table)
#define MOVE_BACK(table, columns) BACK(table, columns)
static const char into_12[] = "DROP INDEX judgement_run;DROP INDEX sighting_item;DROP INDEX waiver_run;DROP "
                              "INDEX event_acceptance;" TABLES(MOVE_ASIDE) TABLES_12
    "DELETE FROM sqlite_sequence WHERE name='run';"
    "UPDATE sqlite_sequence SET name='run' WHERE name='old_run';" TABLES(MOVE_BACK);

static const char redaction_key[] =
    /* What the hashes of originals are keyed with in redacted exports: made at the first of them, and in none. */
    "CREATE TABLE redaction_key(id INTEGER PRIMARY KEY CHECK(id=1), key TEXT NOT NULL) STRICT;";

/* The secret of the marks around an attempt's output; NULL: they have its uuid. */
static const char frames[] = "ALTER TABLE attempt ADD COLUMN frame TEXT;";

/* How long the attempts of a step work in all; 0: they are counted. */
static const char durations[] = "ALTER TABLE shape ADD COLUMN repeat_for_s INTEGER NOT NULL DEFAULT 0;";

/* No table changes. What columns held in English they hold as data from here on (reason.h), and what is there already stays
   the text that it is. An older assay would show the data as it lies there, and compare with it. */
static const char reasons[] = "SELECT 1";

const char store_base[] = WORDS_12 TABLES_12;
const int store_base_version = 12;
const char *const store_migrations[] = {
    version_1, version_2,   version_3, version_4, version_5,     sightings, waivers,   pseudonyms,
    retests,   acceptances, judged_by, into_12,   redaction_key, frames,    durations, reasons};
const int store_version = sizeof store_migrations / sizeof store_migrations[0];
