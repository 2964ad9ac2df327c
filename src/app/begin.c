/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/begin.h"

#include <string.h>

#include "assay/app/meter.h"
#include "assay/app/production.h"
#include "assay/app/read_again.h"
#include "assay/app/resuming.h"
#include "assay/app/sources.h"
#include "assay/app/turns.h"
#include "assay/base/files.h"
#include "assay/judge/judge.h"
#include "assay/model/sighting.h"
#include "assay/reasons/app.h"

static void tell_note(const struct findings *notes, const char *note)
{
    if (note != NULL)
        findings_tell(notes, "note: %s", note);
}

void begin_tell_release(const struct running *running, const struct findings *notes)
{
    if (running->not_released != NULL)
        findings_tell(notes, "%s", running->not_released);
}

/* -- A run that is taken up -- */

static bool is_unread(const struct attempt *attempt)
{
    return attempt->state == ATTEMPT_ENDED && *attempt->reading.tool == '\0' && !attempt_is_clipped(attempt);
}

/* A controller that died after it kept an attempt's bytes, and before it kept what it read in them, left the
 * attempt unread: it is read now, from the evidence. Of a clipped output there is too little for that, and its
 * attempt stays undecided. */
static int read_unread(const struct running *running, struct error *err)
{
    struct record *record = running->record;

    for (size_t i = 0; i < record->attempts.count; i++)
        if (is_unread(&record->attempts.items[i]) &&
            read_again(running->store, running->sources, record, &record->attempts.items[i], true, err) < 0)
            return -1;
    return 0;
}

static int check_question(struct arena *arena, const struct running *running, const struct question *question,
                          const struct begin_options *options, struct resuming *ret_resuming,
                          struct error *err)
{
    int result = resuming_check(arena, question, running->record, running->sources, ret_resuming, err);

    for (size_t i = 0; i < ret_resuming->differences.names.count; i++)
        findings_tell(&options->notes, "%s", ret_resuming->differences.names.items[i]);
    return result;
}

/* Its name is what was done (document_said), and its bytes are that in English. */
static void keep_loss(struct record *record, const struct begin_options *options)
{
    struct arena *arena = record->arena;
    const struct reason *what = reason(arena, given_up_for_lost, options->lost, options->who, options->why);

    document_add(arena, &record->documents, CHANGE_DOCUMENT, reason_encode(arena, what),
                 slice_of(reason_english(arena, what)));
}

static int take_up(struct arena *arena, struct running *running, struct question *question,
                   const struct begin_options *options, struct error *err)
{
    long long number = store_find_run(running->store, options->resume, err);
    struct resuming resuming;
    const char *note;

    if (options->exclusive.via != NULL)
        return error_set(err, ERROR_USAGE,
                         "--resume uses what the run requested from Slurm; do not give --exclusive-via");
    running->record =
        number > 0 ? store_load_lean(running->store, arena, number, sighting_rests_on, err) : NULL;
    if (running->record == NULL)
        return -1;
    if (running->record->state == RUN_ENDED)
        return error_set(err, ERROR_USAGE, "run %lld has ended; see `assay show %lld`", number, number);
    running->sources = &question->sources;
    if (sources_of_record(arena, running->record, NULL, running->sources, err) < 0 ||
        check_question(arena, running, question, options, &resuming, err) < 0)
        return -1;
    if (options->lost != NULL)
        keep_loss(running->record, options);
    turns_keep(running->record, options->hosts_at_once);
    if (store_resume_run(running->store, running->record, options->lost, err) < 0 ||
        read_unread(running, err) < 0 ||
        resuming_take(running, &resuming, options->allow_active, &note, err) < 0)
        return -1;
    tell_note(&options->notes, note);
    return 0;
}

/* Another number holds from here on. */
static int take_turns(const struct running *running, struct begin_options *options, struct error *err)
{
    unsigned *most = &options->hosts_at_once;

    if (*most > 0)
        return 0;
    if (turns_of(running->record, most, err) < 0)
        return -1;
    if (*most > 0)
        findings_tell(&options->notes, "note: as when the run was started, %u host%s at work at a time",
                      *most, *most == 1 ? " is" : "s are");
    return 0;
}

static int resume(struct arena *arena, struct running *running, struct question *question,
                  struct begin_options *options, struct error *err)
{
    /* Opened for reading only, a missing file is an error with its own words; and else it would be made. */
    running->store = store_open(running->database, !file_exists(running->database), err);
    if (running->store == NULL || take_up(arena, running, question, options, err) < 0)
        return -1;
    if (!options->cancel && take_turns(running, options, err) < 0)
        return -1;
    tell_note(&options->notes, options->cancel ? NULL : exclusive_steps_note(running->record));
    return exclusive_begin(running->record, running->sources, options->hosts_at_once,
                           options->cancel ? EXCLUSIVE_TAKE_UP_ONLY : EXCLUSIVE_TAKE_UP, &running->exclusive,
                           err);
}

/* -- A new one -- */

static int keep_run(struct running *running, struct error *err)
{
    running->store = store_open(running->database, false, err);
    return running->store != NULL ? store_begin_run(running->store, running->record, err) : -1;
}

/* After it is kept: of a controller that is killed meanwhile --resume knows the jobs. */
static int ask_slurm(struct running *running, unsigned hosts_at_once, struct error *err)
{
    struct error ignored = {0};
    const long long number = running->record->number;

    if (exclusive_begin(running->record, running->sources, hosts_at_once, EXCLUSIVE_ASK, &running->exclusive,
                        err) == 0)
        return 0;
    return store_forget_runs(running->store, &number, 1, &ignored) < 0 ? error_join(err, &ignored) : -1;
}

static void keep_isolate_minutes(struct record *record, unsigned minutes)
{
    if (minutes > 0)
        document_add(record->arena, &record->documents, SEARCH_MINUTES_DOCUMENT, "minutes",
                     slice_of(arena_printf(record->arena, "%u\n", minutes)));
}

int begin_planned(struct arena *arena, struct running *running, struct question *question,
                  const struct begin_options *options, int argc, char **argv, struct error *err)
{
    const char *note;

    if (exclusive_for_steps(arena, question->plan, options->exclusive.minutes, &question->exclusive, err) < 0)
        return -1;
    running->record = running_new_record(arena, question, argc, argv);
    running->sources = &question->sources;
    turns_keep(running->record, options->hosts_at_once);
    keep_isolate_minutes(running->record, options->isolate_minutes);
    if (question_evidence_limits(arena, question, running->record, err) < 0 ||
        meter_check_before(arena, running->database, &note, err) < 0)
        return -1;
    tell_note(&options->notes, note);
    tell_note(&options->notes, exclusive_steps_note(running->record));
    return keep_run(running, err) < 0 ? -1 : ask_slurm(running, options->hosts_at_once, err);
}

int begin_run(struct arena *arena, struct running *running, struct question *question,
              struct begin_options *options, int argc, char **argv, struct error *err)
{
    char uuid[UUID_SIZE];

    if (options->resume != NULL && options->isolate_minutes > 0)
        return error_set(
            err, ERROR_USAGE,
            "--isolate-minutes is what a run was begun with, and stays so: leave it out with --resume");
    if (options->resume != NULL)
        return resume(arena, running, question, options, err);
    if (options->exclusive.via != NULL) {
        question->exclusive = exclusive_document(arena, &options->exclusive, err);
        if (question->exclusive == NULL)
            return -1;
    }
    uuid_create(uuid);
    if (question_make(arena, question, uuid, err) < 0 ||
        (!options->allow_active && production_check(arena, question->plan, err) < 0))
        return -1;
    for (size_t i = 0; i < question->notes.notes.count; i++)
        tell_note(&options->notes, reason_english(arena, question->notes.notes.items[i].what));
    return begin_planned(arena, running, question, options, argc, argv, err);
}
