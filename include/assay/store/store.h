/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store: one SQLite file that outlives every run. WAL (a rollback journal where the file system cannot do
 * WAL, said by store_note), STRICT tables, migrations by user_version. One writer a run; readers any time.
 *
 * What is required is written before anything is sent, an attempt before its command goes out, raw bytes before
 * anybody parses them. A killed controller leaves a database that opens, shows its run as interrupted, and
 * has every step that had ended.
 */
#ifndef ASSAY_STORE_H
#define ASSAY_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/error.h"
#include "assay/model/acceptance.h"
#include "assay/model/manifest.h"
#include "assay/model/record.h"
#include "assay/model/redact.h"
#include "assay/model/sighting.h"

struct store;

/* A handle is for one thread, and does not go through fork(): a child that lives on opens its own, and only
   when its parent held none at the fork. */
/* Opens or creates path and migrates it. read_only refuses to create; a file of an earlier format is brought up to date even so, where
 * it can be written, as there is no other way to read it. A file that is no database, is damaged,
   or is of a later version: ERROR_USAGE with the remedy; nothing is changed in it. */
struct store *store_open(const char *path, bool read_only, struct error *err)
    __attribute__((warn_unused_result));
/* Accepts NULL. */
void store_close(struct store *store);
static inline void store_close_pointed(struct store **store)
{
    store_close(*store);
}
/* struct store *, closed at the end of its scope. */
#define cleanup_store __attribute__((cleanup(store_close_pointed)))
/* What a user should know about this file ("on NFS: no WAL, slower"); "" when nothing. */
const char *store_note(const struct store *store);

/*
 * Writing a run. record needs uuid, started, names, documents and plan. The controller's process id, its
 * start time and host name are kept with the run, so that a dead controller's run shows as interrupted.
 */
int store_begin_run(struct store *store, struct record *record /* number is set */, struct error *err)
    __attribute__((warn_unused_result));
/* Takes over a run that no living controller holds, by the clock of that (clock_go_on): state running again, ours; and documents that the record has beyond those that
   are kept. ERROR_USAGE names the holder if one lives, or if it was on another machine and that cannot be told, unless that
   machine is named as lost (else NULL): a controller that comes back there writes no more of the run. */
int store_resume_run(struct store *store, const struct record *record, const char *lost, struct error *err)
    __attribute__((warn_unused_result));
/* Shapes and steps from first_step on, that the plan grew by. */
int store_add_steps(struct store *store, const struct record *record, size_t first_step, struct error *err)
    __attribute__((warn_unused_result));
/* A hostfile that a resumed run took: the documents that the record has beyond those that are kept, how its hosts are
   reached, and hosts, shapes and steps from first_step on. */
int store_take_hostfile(struct store *store, const struct record *record, size_t first_step,
                        struct error *err) __attribute__((warn_unused_result));
/* Before it is sent. Committed at once. */
int store_begin_attempt(struct store *store, const struct record *record, const struct attempt *attempt,
                        struct error *err) __attribute__((warn_unused_result));
/* Its windows from `first` on, in place of those that were kept there. Committed at once: what was read before
   the test is kept before the test is sent. */
int store_put_windows(struct store *store, const struct record *record, const struct attempt *attempt,
                      size_t first, struct error *err) __attribute__((warn_unused_result));
/* Its end and its captures (whole, or of a clipped one head and tail; zstd, SHA-256). Committed at once: only then may the host forget it.
   A capture that names its SHA-256 must have these bytes; one without bytes and SHA-256 is kept as none. */
int store_end_attempt(struct store *store, const struct record *record, const struct attempt *attempt,
                      struct error *err) __attribute__((warn_unused_result));
/* The parts, readings and what they saw of the hardware, after parsing; replaces earlier ones of this attempt. The slices of parts must lie
   in the captures of the attempt or of their window (out in stdout, err in stderr): they are kept as ranges. */
int store_put_readings(struct store *store, const struct record *record, const struct attempt *attempt,
                       struct error *err) __attribute__((warn_unused_result));
/* The final judgement (another one, with a uuid of its own, is added by judging again; the last one is shown)
   and the run's end. */
int store_put_judgement(struct store *store, const struct record *record, struct error *err)
    __attribute__((warn_unused_result));
/* The same of runs that were judged as one: all of them or none. */
int store_put_judgements(struct store *store, const struct record *const *records, size_t count,
                         struct error *err) __attribute__((warn_unused_result));
/* A waiver of the record's run; its judgement is another, put behind it. */
int store_put_waiver(struct store *store, const struct record *record, const struct waiver *waiver,
                     struct error *err) __attribute__((warn_unused_result));
/* Takes back a waiver, which stays. ERROR_USAGE when it is taken back already. */
int store_withdraw_waiver(struct store *store, const struct waiver *waiver,
                          const struct withdrawal *withdrawal, struct error *err)
    __attribute__((warn_unused_result));
/* Lets another party's waiver count, by name. ERROR_USAGE when it counts already. */
int store_adopt_waiver(struct store *store, const struct waiver *waiver, const struct adoption *adoption,
                       struct error *err) __attribute__((warn_unused_result));
int store_end_run(struct store *store, const struct record *record, enum run_state state, double ended,
                  struct error *err) __attribute__((warn_unused_result));

/* Where and when an item (a GPU by its UUID, an HCA by its GUID, or what has a serial number) was seen. */
struct item_sighting {
    long long run;
    const char *host, *position, *identity;
    const char *serial; /* NULL when it was not told */
    enum item_kind kind;
    const char *attempt; /* its UUID */
    double at;           /* when that attempt began, Unix time; NAN when it never did */
};
struct item_sightings {
    LIST_OF(struct item_sighting) items;
};
/* Of everything that the run saw, in the order of attempts; none is no error. In the arena. */
int store_run_items(struct store *store, struct arena *arena, long long number,
                    struct item_sightings *ret_sightings, struct error *err)
    __attribute__((warn_unused_result));

/* Acceptances: made with their documents, then only added to. ERROR_USAGE for a name that is taken, and for a run that
   is part of it already. told: an event that is written with the run or not at all; NULL for none. */
int store_put_acceptance(struct store *store, struct acceptance *acceptance /* id is set */,
                         struct error *err) __attribute__((warn_unused_result));
int store_add_acceptance_run(struct store *store, const struct acceptance *acceptance, long long run,
                             double added, const struct acceptance_event *told, struct error *err)
    __attribute__((warn_unused_result));
/* All of them or none. */
int store_put_events(struct store *store, const struct acceptance *acceptance,
                     const struct acceptance_event *events, size_t count, struct error *err)
    __attribute__((warn_unused_result));
int store_put_event(struct store *store, const struct acceptance *acceptance,
                    const struct acceptance_event *event, struct error *err)
    __attribute__((warn_unused_result));
/* By name or UUID: its documents, the numbers of its runs, and its events by time. In the arena. */
struct acceptance *store_load_acceptance(struct store *store, struct arena *arena, const char *name,
                                         struct error *err) __attribute__((warn_unused_result));
struct acceptance_names {
    LIST_OF(const char *) items;
};
int store_list_acceptances(struct store *store, struct arena *arena, struct acceptance_names *ret_names,
                           struct error *err) __attribute__((warn_unused_result));

/*
 * Reading. number 0: the last run that was made here (one that only looked, a preflight or `assay collect`, where there is no
 * other), or the last imported one where there is none. The bytes of documents always, of captures (and so of parts) only if
 * evidence is asked for, and of the windows of open attempts, which --resume goes on with; bytes that do not have their SHA-256 are an error that names the attempt. A word or
 * place that cannot be is an error, never a default. An attempt that nobody has read has a reading of tool
 * "". A run left as running by a controller that is dead on this machine is shown as interrupted, and written
 * so unless the store is read_only.
 */
struct record *store_load_run(struct store *store, struct arena *arena, long long number, bool evidence,
                              struct error *err) __attribute__((warn_unused_result));
/* The same without evidence, and of the readings of parts, which are most of a large run and which no report shows,
   only the facts that are wanted: no measurements, no runs. The attempts' own readings are whole. */
typedef bool store_part_fact(const char *tool, const char *fact);
struct record *store_load_lean(struct store *store, struct arena *arena, long long number,
                               store_part_fact *wanted, struct error *err)
    __attribute__((warn_unused_result));
/* The same without documents and attempts: plan and last judgement, for what looks at many runs. */
struct record *store_load_judged(struct store *store, struct arena *arena, long long number,
                                 struct error *err) __attribute__((warn_unused_result));
/* The same without attempts and judgement, and with documents: for who follows a run while another process drives it. */
struct record *store_load_question(struct store *store, struct arena *arena, long long number,
                                   struct error *err) __attribute__((warn_unused_result));
/* The bytes of the captures of one attempt of a record that was loaded without them, windows included, in an arena
   that may go before the record's: for what reads them again, one attempt after the other. */
int store_load_evidence(struct store *store, struct arena *arena, const struct record *record,
                        struct attempt *attempt, struct error *err) __attribute__((warn_unused_result));
/* Of the run as a whole, by the judgement with that UUID; ERROR_USAGE when there is none. */
int store_find_verdict(struct store *store, long long number, const char *judgement,
                       enum verdict_word *ret_verdict, struct error *err) __attribute__((warn_unused_result));
/* Number of the run with this UUID, or number as text ("12"); 0 with err set when there is none. */
long long store_find_run(struct store *store, const char *word, struct error *err)
    __attribute__((warn_unused_result));

/* Whether that is an attempt of a run that was made here and has ended; 0, 1 or -1. */
int store_attempt_is_over(struct store *store, const char *uuid, struct error *err)
    __attribute__((warn_unused_result));
/* Whether there are other runs that were made here; 0, 1 or -1. */
int store_has_others(struct store *store, long long number, struct error *err)
    __attribute__((warn_unused_result));
/* Names of its hosts, in the order of its plan; in the arena. */
int store_run_hosts(struct store *store, struct arena *arena, long long number, struct hostlist *ret_hosts,
                    struct error *err) __attribute__((warn_unused_result));

/* Who drives a run, and how far it is: for another process than the one that does. */
struct run_driver {
    enum run_state state; /* as it is shown */
    long long pid;        /* on this machine, of a controller that lives; else 0 */
    const char *host;     /* where the controller is, or was */
};
int store_run_driver(struct store *store, struct arena *arena, long long number,
                     struct run_driver *ret_driver, struct error *err) __attribute__((warn_unused_result));
/* An attempt that ended, by the place of its step in the plan. */
struct ended_attempt {
    size_t step;
    unsigned n;
    enum attempt_end end;
    double began, ended; /* Unix time, s */
    long long id;        /* greater than 0 */
};
struct ended_attempts {
    LIST_OF(struct ended_attempt) items;
};
/* Those that ended after `last`, or with it and have a greater id ({0}: all), in that order. */
int store_ended_attempts(struct store *store, struct arena *arena, long long number,
                         const struct ended_attempt *last, struct ended_attempts *ret_ended,
                         struct error *err) __attribute__((warn_unused_result));

/* One that was begun, ended or not. */
struct begun_attempt {
    size_t step;
    unsigned n;
    double sent; /* Unix time, s */
    long long id;
};
struct begun_attempts {
    LIST_OF(struct begun_attempt) items;
};
/* Those with an id greater than that, in their order. */
int store_begun_attempts(struct store *store, struct arena *arena, long long number, long long after,
                         struct begun_attempts *ret_begun, struct error *err)
    __attribute__((warn_unused_result));
/* One attempt of the record's plan, as store_load_lean loads all of them; in an arena that may go before the record's. */
int store_load_attempt(struct store *store, struct arena *arena, struct record *record, long long id,
                       store_part_fact *wanted, struct attempt *ret_attempt, struct error *err)
    __attribute__((warn_unused_result));

struct run_summary {
    long long number;
    const char *uuid, *suite, *hostfile;
    enum run_state state;
    double started, ended;
    size_t hosts, steps, attempts;
    bool judged;
    enum verdict_word verdict; /* the last */
    /* Of a judged one, of the last judgements by its own documents and by each others, alone and as one with other runs: a reject,
       or else exceptions, or else incomplete. Softer documents take nothing back, and nor do peers that are worse. */
    enum verdict_word worst;
    bool accepted; /* by any of its judgements, with or without exceptions */
    bool waived;   /* somebody recorded a decision about it, in force or not */
    bool in_acceptance;
    bool imported;          /* another party's: own runs are compared with none of them */
    const char *origin;     /* of an imported one: the file that it came in; else "" */
    const char *controller; /* name of the machine that drove it */
    const char *damage;     /* what of it cannot be read: then it counts as not judged; NULL: it is whole */
};
/* Newest first, at most limit (0: all), in the arena. One that is damaged says so and keeps none of the others back. */
int store_list_runs(struct store *store, struct arena *arena, size_t limit, struct run_summary **ret_runs,
                    size_t *ret_count, struct error *err) __attribute__((warn_unused_result));
/* An error where the run is damaged: for who must not leave it out. */
int run_summary_check(const struct run_summary *run, struct error *err) __attribute__((warn_unused_result));

/* What a run may be shown as, without the rest of it; where that cannot be read, a trial. */
struct standing store_run_standing(struct store *store, long long number);

/* Takes the runs with these numbers out, with their evidence, and whatever no other run refers to: all of them, or on an
   error none. Which may go is the caller's to know; one that is part of an acceptance is refused. Numbers are not given
   again. What is freed is used again by later runs; store_shrink gives it back to the file system, for which it writes
   the whole file again, in place of itself, and needs as much room as that. */
int store_forget_runs(struct store *store, const long long *numbers, size_t count, struct error *err)
    __attribute__((warn_unused_result));
int store_shrink(struct store *store, struct error *err) __attribute__((warn_unused_result));
int store_size(struct store *store, uint64_t *ret_bytes, struct error *err)
    __attribute__((warn_unused_result));
/* Another number after each change that another process committed. */
int store_data_version(struct store *store, long long *ret_version, struct error *err)
    __attribute__((warn_unused_result));

/*
 * Proof and privacy.
 */
/* What a run consists of: documents, commands and captures, whose bytes are hashed again, and the tables with its
   rows. Bytes that are damaged are named in their entry and end nothing. cited: for comparison with an earlier
   manifest: its judgement and the columns that there were then; NULL: the last judgement. head: run, judgement. */
int store_manifest(struct store *store, struct arena *arena, long long number, const struct manifest *cited,
                   struct manifest *ret_manifest, struct error *err) __attribute__((warn_unused_result));
/* Whether the file as a whole is sound, indexes and all; reads all of it. */
int store_check(struct store *store, struct error *err) __attribute__((warn_unused_result));

/* Copies run `number` of from, with its last judgement and the waivers that were there then, into to, where it gets a number of its own. redactor
   NULL: as it is; else every text and every byte of evidence goes through it. ERROR_USAGE when it is there already. */
int store_copy_run(struct store *from, long long number, struct store *to, struct redactor *redactor,
                   long long *ret_number, struct error *err) __attribute__((warn_unused_result));

/* The next run that is written there gets this number; greater than those that are there. */
int store_number_next(struct store *store, long long number, struct error *err)
    __attribute__((warn_unused_result));

/* The same of another party's run, out of a bundle that was opened (bundle.h): with where it came from beside it, by which
   it is told from own runs for ever. It shares with them only what is equal byte by byte. Of one that somebody has signed only what
   he signed comes: its last judgement, and what that rests on. */
int store_import_run(struct store *from, long long number, struct store *to, const struct run_origin *origin,
                     long long *ret_number, struct error *err) __attribute__((warn_unused_result));

/* The outcomes of the last judgement that came with an imported run; none where it came without one. In the record's arena. */
int store_load_as_came(struct store *store, struct record *record, struct judgement *ret_judgement,
                       struct error *err) __attribute__((warn_unused_result));

/* Whether that judgement is the last that came with an imported run: what another party says of it in the end. */
int store_is_last_of_origin(struct store *store, long long number, const char *judgement, bool *ret_is,
                            struct error *err) __attribute__((warn_unused_result));
/* Whose signatures on an imported run were found good later, a line each: good for its last judgement of theirs. Who is known
   to have signed it stays. */
int store_add_signers(struct store *store, long long number, const char *signers, struct error *err)
    __attribute__((warn_unused_result));

/* Pseudonyms are kept, so that a name has the same one in every export of this database. */
int store_load_pseudonyms(struct store *store, struct arena *arena, struct pseudonyms *ret_pseudonyms,
                          struct error *err) __attribute__((warn_unused_result));
int store_put_pseudonyms(struct store *store, const struct pseudonyms *pseudonyms, size_t first,
                         struct error *err) __attribute__((warn_unused_result));
/* What hashes of originals are keyed with in redacted exports (redact.h). It is made at the first, and never leaves this
   database: who has it can tell of what an export is, and nobody else can try guesses. */
int store_redaction_key(struct store *store, char ret_key[REDACTION_KEY_SIZE], struct error *err)
    __attribute__((warn_unused_result));
/* "" when nothing was exported redacted. */
int store_find_redaction_key(struct store *store, char ret_key[REDACTION_KEY_SIZE], struct error *err)
    __attribute__((warn_unused_result));
/* Host name of the controller that made the run, in the arena. */
const char *store_controller_host(struct store *store, struct arena *arena, long long number,
                                  struct error *err) __attribute__((warn_unused_result));

#endif
