/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/merging.h"

#include <string.h>
#include <sys/stat.h>

#include "assay/app/foreign_run.h"
#include "assay/app/importing.h"
#include "assay/app/proof.h"
#include "assay/app/vouching.h"
#include "assay/base/clock.h"
#include "assay/base/files.h"
#include "assay/report/report.h"
#include "assay/store/source.h"

struct merge {
    const struct merging *merging;
    struct merge_tally *tally;
    struct arena *arena; /* of one source */
    struct store *store;
    const char *folder;
    bool
        imported; /* taken are the runs that their source has imported itself, and not those that were made there */
    bool has_imported; /* the source has such */
};

/* One run of a source. */
struct arrival {
    const struct source *source;
    const char *path;
    const struct run_summary *run;
    struct vouching *vouching; /* of the source; NULL: nobody need have signed */
};

static void tell(const struct merge *merge, const struct arrival *arrival, const char *what)
{
    findings_tell(&merge->merging->findings, "%s, run %lld: %s", proof_line(merge->arena, arrival->path),
                  arrival->run->number, what);
}

/* What is wrong with theirs is told, and the others are taken; what is wrong with ours ends it. */
static int refuse(const struct merge *merge, const struct error *err)
{
    if (err->code != ERROR_USAGE)
        return -1;
    findings_tell(&merge->merging->findings, "REFUSED: %s", proof_line(merge->arena, err->text));
    merge->tally->refused++;
    return 0;
}

/* -- A run ------------------------------------------------------------------------------------------------------- */

static struct run_origin origin_of(const struct arrival *arrival, const struct record *record,
                                   const char *signers)
{
    struct run_origin origin = {.imported = clock_now(),
                                .bundle = file_name(arrival->path),
                                .redacted = record->origin != NULL && record->origin->redacted,
                                .signers = signers};

    memcpy(origin.sha256, arrival->source->sha256, SHA256_HEX_SIZE);
    return origin;
}

/* 1: it may be taken, and *ret_signers are whose word it is; 0: it may not, which was told. */
static int is_vouched(const struct merge *merge, const struct arrival *arrival, struct arena *arena,
                      const char **ret_signers, struct error *err)
{
    const struct record *record;
    enum vouch vouch;

    *ret_signers = "";
    if (arrival->vouching == NULL)
        return 1;
    record = store_load_judged(arrival->source->store, arena, arrival->run->number, err);
    if (record == NULL || vouching_of_run(arrival->vouching, arrival->source->store, record,
                                          &merge->merging->findings, &vouch, ret_signers, err) < 0)
        return -1;
    if (vouch == VOUCH_GOOD)
        return 1;
    tell(
        merge, arrival,
        vouch == VOUCH_NONE
            ? arena_printf(
                  arena,
                  "NOT SIGNED, not taken: nobody whom %s names has signed a report of it that lies beside its source",
                  merge->merging->signers)
            : "CHANGED, not taken: it is not what was signed");
    merge->tally->not_signed += vouch == VOUCH_NONE;
    merge->tally->changed += vouch == VOUCH_CHANGED;
    return 0;
}

/* ", signed by A and by B", or "". */
static const char *signed_by(struct arena *arena, const char *signers)
{
    return *signers != '\0' ? arena_printf(arena, ", signed by %s", proof_joined(arena, signers, " and by "))
                            : "";
}

static int take_new(const struct merge *merge, const struct arrival *arrival, struct arena *arena,
                    struct error *err)
{
    struct store *source = arrival->source->store;
    long long number = arrival->run->number, taken;
    const struct record *record;
    struct run_origin origin;
    const char *note, *signers;
    int vouched;

    if (source_check_run(arrival->source, number, err) < 0)
        return -1;
    record = store_load_run(source, arena, number, false, err);
    if (record == NULL)
        return -1;
    vouched = is_vouched(merge, arrival, arena, &signers, err);
    if (vouched <= 0)
        return vouched;
    origin = origin_of(arrival, record, signers);
    if (store_import_run(source, number, merge->store, &origin, &taken, err) < 0)
        return -1;
    tell(merge, arrival, arena_printf(arena, "taken, as number %lld%s", taken, signed_by(arena, signers)));
    note = foreign_run_note(arena, record);
    if (note != NULL)
        tell(merge, arrival, arena_printf(arena, "NOTE: %s", proof_line(arena, note)));
    merge->tally->taken++;
    return 0;
}

static void tell_changed(const struct merge *merge, const struct arrival *arrival, struct arena *arena,
                         const struct record *here, const char *tables)
{
    tell(
        merge, arrival,
        arena_printf(
            arena,
            "CHANGED: nothing of it is taken: run %lld here (%s) has its UUID, %s, and is not the same in %s",
            here->number,
            here->origin != NULL ? proof_line(arena, run_origin_text(arena, here->origin)) : "made here",
            arrival->run->uuid, tables));
    merge->tally->changed++;
}

static const char *verdict_of(const struct record *record)
{
    return record->judgement.verdict_count > 0 ? verdict_name(record->judgement.verdicts[0].word)
                                               : "not judged";
}

/* Nothing proves who says something of a run: any file can hold a copy of somebody's run, and more that is said of it. Of a run
   that we made or judged our own word holds; of another's, who is to be believed is for people to say. */
static void tell_said_otherwise(const struct merge *merge, const struct arrival *arrival, struct arena *arena,
                                const struct record *here, const char *tables)
{
    const char *there = arrival->run->judged ? verdict_name(arrival->run->verdict) : "not judged";

    if (here->origin == NULL || here->origin->judged_here) {
        tell(
            merge, arrival,
            arena_printf(
                arena,
                "there already, as number %lld, %s, and judged here: %s. NOTE: other is said of it there (%s): %s",
                here->number, here->origin == NULL ? "made here" : "imported", verdict_of(here), tables,
                there));
        merge->tally->there++;
        return;
    }
    tell(
        merge, arrival,
        arena_printf(
            arena,
            "CHANGED: nothing of it is taken: of run %lld here (%s), which is the same, other is said (%s): here %s, there "
            "%s; to have what is said there, merge into a database of its own, --db FILE",
            here->number, proof_line(arena, run_origin_text(arena, here->origin)), tables, verdict_of(here),
            there));
    merge->tally->changed++;
}

static void tell_nobody(void *context, const char *line)
{
    (void)context;
    (void)line;
}

/* It is the same as here: who signed it may not be known yet. */
static int tell_there(const struct merge *merge, const struct arrival *arrival, struct arena *arena,
                      const struct record *here, struct error *err)
{
    const char *signers = "";
    struct findings nobody = {.tell = tell_nobody};
    const struct record *record;
    enum vouch vouch = VOUCH_NONE;
    bool last = false, more = false;

    if (arrival->vouching != NULL && here->origin != NULL) {
        record = store_load_judged(arrival->source->store, arena, arrival->run->number, err);
        if (record == NULL ||
            vouching_of_run(arrival->vouching, arrival->source->store, record, &nobody, &vouch, &signers,
                            err) < 0 ||
            store_is_last_of_origin(merge->store, here->number, record->judgement.uuid, &last, err) < 0 ||
            source_has_more(arrival->source, arrival->run->number, record->judgement.uuid, &more, err) < 0)
            return -1;
        /* It came as it is, with what nobody has signed. */
        last &= !more || *here->origin->signers != '\0';
    }
    if (!last)
        signers = "";
    if (*signers != '\0' && store_add_signers(merge->store, here->number, signers, err) < 0)
        return -1;
    tell(merge, arrival,
         arena_printf(arena, "there already, as number %lld%s", here->number, signed_by(arena, signers)));
    merge->tally->there++;
    return 0;
}

/* The file from which it came is as it was then. */
static bool is_of_this_file(const struct arrival *arrival, const struct record *here)
{
    return here->origin != NULL && strcmp(here->origin->sha256, arrival->source->sha256) == 0;
}

/* Of a run that came as it was signed, what else its source says of it did not come. */
static int compare(const struct merge *merge, const struct arrival *arrival, struct arena *arena,
                   const struct record *here, enum run_likeness *ret_likeness, const char **ret_tables,
                   struct error *err)
{
    struct store *source = arrival->source->store;
    long long number = arrival->run->number;
    const struct record *there;

    if (source_compare(source, number, merge->store, here->number, NULL, arena, ret_likeness, ret_tables,
                       err) < 0)
        return -1;
    if (*ret_likeness != RUN_SAID_OTHERWISE || here->origin == NULL || *here->origin->signers == '\0')
        return 0;
    there = store_load_judged(source, arena, number, err);
    if (there == NULL)
        return -1;
    return source_compare(source, number, merge->store, here->number, there->judgement.uuid, arena,
                          ret_likeness, ret_tables, err);
}

static int know_again(const struct merge *merge, const struct arrival *arrival, struct arena *arena,
                      long long number, struct error *err)
{
    const struct record *here = store_load_judged(merge->store, arena, number, err);
    enum run_likeness likeness = RUN_SAME;
    const char *tables = "";

    if (here == NULL)
        return -1;
    if (!is_of_this_file(arrival, here) && compare(merge, arrival, arena, here, &likeness, &tables, err) < 0)
        return -1;
    switch (likeness) {
    case RUN_SAID_OTHERWISE:
        tell_said_otherwise(merge, arrival, arena, here, tables);
        return 0;
    case RUN_OTHER:
        tell_changed(merge, arrival, arena, here, tables);
        return 0;
    case RUN_SAME:
    default:
        return tell_there(merge, arrival, arena, here, err);
    }
}

static bool has_ended(const struct merge *merge, const struct arrival *arrival)
{
    if (arrival->run->state != RUN_RUNNING && arrival->run->state != RUN_INTERRUPTED)
        return true;
    tell(
        merge, arrival,
        arrival->run->state == RUN_RUNNING
            ? "not taken yet: it is going on; merge again when it has ended"
            : "not taken yet: it was interrupted; merge again when `assay run --resume` or `assay cancel` has ended it");
    merge->tally->later++;
    return false;
}

static int merge_run(const struct merge *merge, const struct arrival *arrival, struct error *err)
{
    struct arena *arena = arena_create();
    struct error none = {0};
    long long number;
    int result = arrival->run->damage == NULL
                     ? 0
                     : error_set(err, ERROR_USAGE, "%s, run %lld: it cannot be read: %s", arrival->path,
                                 arrival->run->number, arrival->run->damage);

    if (result == 0 && has_ended(merge, arrival)) {
        number = store_find_run(merge->store, arrival->run->uuid, &none);
        result = number > 0 ? know_again(merge, arrival, arena, number, err)
                            : take_new(merge, arrival, arena, err);
    }
    arena_destroy(arena);
    return result < 0 ? refuse(merge, err) : 0;
}

/* -- A source ---------------------------------------------------------------------------------------------------- */

/* An acceptance is what one party says of many runs, and how it stands follows from all of them: it stays where it is kept. */
static int tell_acceptances(const struct merge *merge, const struct source *source, const char *path,
                            struct error *err)
{
    struct acceptance_names names = {0};

    if (store_list_acceptances(source->store, merge->arena, &names, err) < 0)
        return -1;
    for (size_t i = 0; i < names.items.count; i++)
        findings_tell(&merge->merging->findings, "%s: NOTE: its acceptance '%s' stays there",
                      proof_line(merge->arena, path), proof_line(merge->arena, names.items.items[i]));
    return 0;
}

/* The oldest first. */
static int merge_runs(struct merge *merge, const struct source *source, const char *path, struct error *err)
{
    struct vouching *vouching = NULL;
    struct run_summary *runs;
    size_t count;

    if (merge->merging->signers != NULL) {
        vouching = vouching_find(merge->arena, path, merge->merging->signers, &merge->merging->findings, err);
        if (vouching == NULL)
            return refuse(merge, err);
    }
    if (store_list_runs(source->store, merge->arena, 0, &runs, &count, err) < 0 ||
        (!merge->imported && tell_acceptances(merge, source, path, err) < 0))
        return refuse(merge, err);
    for (size_t i = count; i-- > 0;) {
        merge->has_imported |= runs[i].imported;
        if (runs[i].imported == merge->imported &&
            merge_run(merge, &(struct arrival){source, path, &runs[i], vouching}, err) < 0)
            return -1;
    }
    return 0;
}

static int merge_database(struct merge *merge, const char *path, struct error *err)
{
    struct source source;
    int result;

    if (source_open(path, merge->folder, &source, err) < 0)
        return refuse(merge, err);
    result = merge_runs(merge, &source, path, err);
    store_close(source.store);
    return result;
}

static int import_one(const struct merge *merge, const char *path, const char *report,
                      enum import_end *ret_end, struct error *err)
{
    struct importing importing = {.database = merge->merging->database,
                                  .only_signed = merge->merging->signers != NULL,
                                  .verification = {.arena = merge->arena,
                                                   .report = report,
                                                   .signers = merge->merging->signers,
                                                   .findings = merge->merging->findings}};

    return import_bundle(&importing, path, ret_end, err);
}

/* The reports that say that they are of the bundle's run, one after the other until one of them holds. */
static int import_signed(const struct merge *merge, const char *path, enum import_end *ret_end,
                         struct error *err)
{
    struct vouching *vouching =
        vouching_find(merge->arena, path, merge->merging->signers, &merge->merging->findings, err);
    struct vouching_reports reports;
    struct bundle bundle;

    *ret_end = IMPORT_UNKNOWN;
    if (vouching == NULL || bundle_open(path, merge->arena, &bundle, err) < 0)
        return -1;
    store_close(bundle.store);
    vouching_reports_of(vouching, manifest_said(&bundle.manifest, "run"), &reports);
    for (size_t i = 0; i < reports.items.count; i++) {
        enum import_end end;

        if (import_one(merge, path, reports.items.items[i], &end, err) < 0)
            return -1;
        if (end != IMPORT_UNKNOWN)
            *ret_end = end;
        if (end == IMPORT_TAKEN || end == IMPORT_THERE)
            break;
    }
    if (*ret_end == IMPORT_UNKNOWN)
        findings_tell(
            &merge->merging->findings,
            "%s: NOT SIGNED, not taken: nobody whom %s names has signed a report of it that lies beside it",
            proof_line(merge->arena, path), merge->merging->signers);
    return 0;
}

static int merge_bundle(const struct merge *merge, const char *path, struct error *err)
{
    bool only_signed = merge->merging->signers != NULL;
    enum import_end end;

    findings_tell(&merge->merging->findings, "%s:", proof_line(merge->arena, path));
    if ((only_signed ? import_signed(merge, path, &end, err) : import_one(merge, path, NULL, &end, err)) < 0)
        return refuse(merge, err);
    merge->tally->taken += end == IMPORT_TAKEN;
    merge->tally->there += end == IMPORT_THERE;
    merge->tally->not_signed += only_signed && end == IMPORT_UNKNOWN;
    merge->tally->changed += end == IMPORT_CHANGED || (!only_signed && end == IMPORT_UNKNOWN);
    return 0;
}

static int merge_source(struct merge *merge, const char *path, struct error *err)
{
    bool is_database = false;
    int result;

    merge->arena = arena_create();
    merge->has_imported = false;
    result = source_is_database(path, &is_database, err);
    if (result == 0)
        result = is_database ? merge_database(merge, path, err) : merge_bundle(merge, path, err);
    arena_destroy(merge->arena);
    return result;
}

/* Who made a run knows best what is said of it: so runs that a source has imported itself come behind all that were made where
   they come from, and the order of the sources is no matter. */
static int merge_sources(struct merge *merge, struct arena *arena, struct error *err)
{
    const struct merging *merging = merge->merging;
    bool *again = arena_array(arena, bool, merging->count);

    for (size_t i = 0; i < merging->count; i++) {
        if (merge_source(merge, merging->sources[i], err) < 0)
            return -1;
        again[i] = merge->has_imported;
    }
    merge->imported = true;
    for (size_t i = 0; i < merging->count; i++)
        if (again[i] && merge_source(merge, merging->sources[i], err) < 0)
            return -1;
    return 0;
}

/* -- All of them ------------------------------------------------------------------------------------------------- */

/* Before anything is written: that each can be read, and none is where they go. */
static int check_sources(const struct merging *merging, struct error *err)
{
    struct stat here, there;
    bool known = stat(merging->database, &here) == 0, is_database;

    if (merging->signers != NULL && !file_exists(merging->signers))
        return error_set(
            err, ERROR_USAGE,
            "the file of allowed signers %s does not exist; it has a line for each signer: NAME KEYTYPE KEY",
            merging->signers);
    for (size_t i = 0; i < merging->count; i++) {
        const char *path = merging->sources[i];

        if (source_is_database(path, &is_database, err) < 0)
            return -1;
        if (known && stat(path, &there) == 0 && here.st_dev == there.st_dev && here.st_ino == there.st_ino)
            return error_set(err, ERROR_USAGE, "%s is the database that the runs go to; name others", path);
    }
    return 0;
}

int merge_all(const struct merging *merging, struct merge_tally *ret_tally, struct error *err)
{
    cleanup_arena struct arena *arena = arena_create();
    struct merge merge = {.merging = merging, .tally = ret_tally};
    struct error ignored = {0};
    int result = check_sources(merging, err);

    *ret_tally = (struct merge_tally){0};
    if (result == 0 && ((merge.folder = proof_folder(arena, err)) == NULL ||
                        (merge.store = store_open(merging->database, false, err)) == NULL))
        result = -1;
    if (result == 0)
        result = merge_sources(&merge, arena, err);
    store_close(merge.store);
    if (merge.folder != NULL && directory_remove(merge.folder, result == 0 ? err : &ignored) < 0)
        result = -1;
    return result;
}
