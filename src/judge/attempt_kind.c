/* SPDX-License-Identifier: Apache-2.0 */
/* How an attempt ended, as the table of outcomes distinguishes it: whole, crash, hang, fault, undecided. */
#include <string.h>

#include "assay/model/evidence.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/judge.h"
#include "assay/reasons/model.h"
#include "judge_private.h"

/* Above 128 the shell tells a signal, of which there are 64; dcgmi's own statuses lie higher. */
enum { SHELL_NOT_EXECUTABLE = 126, SHELL_NOT_FOUND = 127, SHELL_SIGNAL = 128, SIGNALS = 64 };

static struct attempt_bearing bearing(enum attempt_kind kind, const struct reason *cause)
{
    return (struct attempt_bearing){.kind = kind, .cause = cause};
}

static struct attempt_bearing bearing_with(enum attempt_kind kind, const struct reason *cause,
                                           const struct reason *remedy)
{
    return (struct attempt_bearing){.kind = kind, .cause = cause, .remedy = remedy, .advised = true};
}

/* The program of "cd /opt/x && A=b ./gpu_burn 60", or what a script says of itself: for messages only. */
static const char *command_of(struct arena *arena, const struct part *part)
{
    enum { LONGEST = 80 };
    struct slice rest = slice_of(part->command), first = rest;

    if (scan_text(&rest, "# "))
        (void)scan_line(&rest, &first);
    return first.length <= LONGEST ? arena_strndup(arena, first.bytes, first.length)
                                   : arena_printf(arena, "%.*s...", LONGEST, first.bytes);
}

/* With what the part has said on stderr, where it has. */
static const struct reason *with_complaint(struct arena *arena, const struct reason *cause,
                                           const struct part *part)
{
    const struct reason *reason = part->reading.status != READING_COMPLETE ? part->reading.reason : NULL;

    return reason_is(reason, with_stderr)
               ? reason(arena, with_stderr, cause, reason_argument(arena, reason, 2))
               : cause;
}

/* The file of which the loader says that there is none; NULL: it says something else, or nothing. */
static const char *library_in(struct arena *arena, struct slice said)
{
    static const char words[] = "error while loading shared libraries: ",
                      absent[] = ": cannot open shared object file: No such file";
    struct slice rest = slice_from(said, slice_find(said, words));
    size_t length;

    if (!scan_text(&rest, words))
        return NULL;
    length = slice_find(rest, ":");
    return slice_starts(slice_from(rest, length), absent) ? arena_strndup(arena, rest.bytes, length) : NULL;
}

/* The library that the loader did not find before it ended with the status of a missing program; NULL: there is none. Of a
   stored attempt only the reading has what stderr said. */
static const char *missing_library(struct arena *arena, const struct part *part)
{
    const char *library = library_in(arena, part->err);

    if (library == NULL && part->reading.status != READING_COMPLETE && part->reading.reason != NULL)
        library = library_in(arena, slice_of(reason_english(arena, part->reading.reason)));
    return library;
}

static bool has_fault(const struct reading *reading)
{
    for (size_t i = 0; i < reading->findings.count; i++)
        if (reading->findings.items[i].severity == SEVERITY_FAULT)
            return true;
    return false;
}

static struct attempt_bearing part_bearing(struct arena *arena, const struct part *part)
{
    const char *command = command_of(arena, part), *library;

    if (!part->began)
        return bearing(KIND_CRASH, reason(arena, command_not_started, command));
    if (!part->ended)
        return bearing(KIND_CRASH, reason(arena, output_ends_early, command));
    /* A tool that found a fault and said so to the end may exit as it likes. */
    if (part->reading.status == READING_COMPLETE && has_fault(&part->reading))
        return bearing(KIND_WHOLE, NULL);
    library = part->rc == SHELL_NOT_FOUND ? missing_library(arena, part) : NULL;
    if (library != NULL)
        return bearing_with(KIND_UNDECIDED, reason(arena, library_missing, command, library),
                            REASON(bring_the_library));
    if (part->rc == SHELL_NOT_FOUND)
        return bearing_with(KIND_UNDECIDED, with_complaint(arena, reason(arena, tool_missing, command), part),
                            REASON(bring_the_tool));
    if (part->rc == SHELL_NOT_EXECUTABLE)
        return bearing_with(KIND_UNDECIDED,
                            with_complaint(arena, reason(arena, cannot_be_executed, command), part),
                            REASON(let_it_be_executed));
    if (part->rc > SHELL_SIGNAL && part->rc <= SHELL_SIGNAL + SIGNALS)
        return bearing(KIND_CRASH, reason(arena, died_of_signal, command, part->rc - SHELL_SIGNAL,
                                          strsignal(part->rc - SHELL_SIGNAL)));
    if (part->rc != 0 && part->reading.status == READING_COMPLETE)
        return bearing(KIND_CRASH, reason(arena, failed_though_output_whole, command, part->rc));
    return bearing(KIND_WHOLE, NULL);
}

/* What an undecided attempt's output lacks; NULL when all of it was read. */
static const struct reason *lack_of_output(struct arena *arena, const struct attempt *attempt)
{
    array_each (capture, attempt->captures, 2) {
        if (capture->flooded && attempt->what != NULL)
            return reason(arena, kept_only_some_bytes, capture->length, capture->stream, attempt->what);
        if (capture->flooded)
            return reason(arena, flood_limit_reached, capture->stream, capture->length);
        if (capture->cut)
            return attempt->what != NULL
                       ? reason(arena, about,
                                reason(arena, did_not_arrive_whole, capture->stream, capture->length),
                                attempt->what)
                       : reason(arena, did_not_arrive_whole, capture->stream, capture->length);
    }
    if (attempt_is_clipped(attempt) && *attempt->reading.tool == '\0')
        return REASON(stored_unread);
    return NULL;
}

static bool ended_well(const struct attempt *attempt)
{
    for (size_t i = 0; i < attempt->parts.count; i++)
        if (!attempt->parts.items[i].aside && attempt->parts.items[i].rc != 0)
            return false;
    return true;
}

static struct attempt_bearing ran_bearing(struct arena *arena, const struct attempt *attempt)
{
    const struct reading *reading = &attempt->reading;
    const struct reason *lack = lack_of_output(arena, attempt);
    const struct reason *owner = reading_get_said(reading, WINDOW_OWNED, "");
    const struct reason *forged = reading_get_said(reading, OUTPUT_FORGED, "");
    const struct reason *unanswered = reading_get_said(reading, WINDOW_UNANSWERED, "");

    if (evidence_dropped(attempt->what))
        return bearing_with(KIND_UNDECIDED, attempt->what, REASON(keep_more_evidence));
    if (forged != NULL)
        return bearing_with(KIND_UNDECIDED, reason(arena, output_forged, forged), REASON(find_who_forged));
    if (lack != NULL)
        return attempt->what != NULL ? bearing_with(KIND_UNDECIDED, lack, REASON(make_room_for_spool))
                                     : bearing(KIND_UNDECIDED, lack);
    for (size_t i = 0; i < attempt->parts.count; i++)
        if (!attempt->parts.items[i].aside) {
            struct attempt_bearing one = part_bearing(arena, &attempt->parts.items[i]);

            if (one.kind != KIND_WHOLE)
                return one;
        }
    if (owner != NULL)
        return bearing_with(KIND_UNDECIDED, reason(arena, host_was_in_use, owner),
                            REASON(leave_it_to_its_owner));
    if (unanswered != NULL)
        return bearing_with(KIND_UNDECIDED, reason(arena, owner_not_known, unanswered),
                            REASON(let_it_answer));
    switch (reading->status) {
    case READING_COMPLETE:
        return bearing(KIND_WHOLE, NULL);
    case READING_UNRECOGNISED:
        return bearing(KIND_UNDECIDED, reason(arena, unknown_output_format, reading->reason));
    case READING_FAILED:
        return bearing(KIND_CRASH, reason(arena, tool_failed, reading->reason));
    case READING_PARTIAL:
    default: {
        struct attempt_bearing part = bearing(KIND_CRASH, reason(arena, output_not_whole, reading->reason));

        part.lacks = ended_well(attempt);
        return part;
    }
    }
}

struct attempt_bearing attempt_bearing(struct arena *arena, const struct attempt *attempt)
{
    if (attempt->state != ATTEMPT_ENDED)
        return bearing(KIND_NOT_RUN, REASON(not_ended_when_interrupted));
    switch (attempt->end) {
    case ATTEMPT_RAN:
        return ran_bearing(arena, attempt);
    case ATTEMPT_DEADLINE:
        return bearing(KIND_HANG, reason(arena, hang,
                                         arena_printf(arena, "%.0f", attempt->up_ended - attempt->up_began)));
    case ATTEMPT_REBOOTED:
        return bearing_with(KIND_FAULT, REASON(host_rebooted), REASON(see_why_it_rebooted));
    case ATTEMPT_KILLED:
        return bearing_with(KIND_CRASH,
                            attempt->what != NULL && !evidence_dropped(attempt->what)
                                ? attempt->what
                                : reason(arena, ended_by_signal, attempt->rc, strsignal(attempt->rc)),
                            REASON(look_who_ended_it));
    case ATTEMPT_LOST:
        return bearing_with(KIND_CRASH, attempt->what, REASON(look_who_ended_it));
    case ATTEMPT_CANCELLED:
        return bearing(KIND_NOT_RUN, REASON(cancelled));
    case ATTEMPT_NOT_READY:
        return bearing_with(KIND_UNDECIDED, attempt->what,
                            evidence_dropped(attempt->what) ? REASON(keep_more_evidence)
                                                            : REASON(free_and_cool_the_gpus));
    case ATTEMPT_IN_USE:
        return bearing_with(KIND_NOT_RUN, attempt->what, REASON(leave_it_to_its_owner));
    case ATTEMPT_UNANSWERED:
        return bearing_with(KIND_NOT_RUN, attempt->what, REASON(let_it_answer));
    case ATTEMPT_UNREACHABLE:
        /* Never reached, or reached and lost. */
        return bearing_with(attempt->connections == 0 ? KIND_UNDECIDED : KIND_CUT_OFF, attempt->what,
                            reason_has(attempt->what, address_not_known) ? REASON(let_its_name_resolve)
                                                                         : REASON(see_to_the_hosts_network));
    case ATTEMPT_NO_SPOOL:
        return bearing_with(KIND_UNDECIDED, attempt->what, REASON(make_room_for_spool));
    case ATTEMPT_NO_ANSWER:
        return bearing_with(KIND_UNDECIDED, attempt->what, REASON(log_in_by_hand));
    case ATTEMPT_AUTH_REFUSED:
    case ATTEMPT_HOST_KEY_UNKNOWN:
    case ATTEMPT_HOST_KEY_CHANGED:
    case ATTEMPT_SUDO_REFUSED:
    case ATTEMPT_JUMP_FAILED:
    default:
        return bearing_with(KIND_UNDECIDED, attempt->what, NULL);
    }
}
