/* SPDX-License-Identifier: Apache-2.0 */
/* How an attempt ended, as the table of outcomes distinguishes it: whole, crash, hang, fault, undecided. */
#include <string.h>

#include "assay/evidence.h"
#include "judge_private.h"

/* Above 128 the shell tells a signal, of which there are 64; dcgmi's own statuses lie higher. */
enum { SHELL_NOT_EXECUTABLE = 126, SHELL_NOT_FOUND = 127, SHELL_SIGNAL = 128, SIGNALS = 64 };

static struct attempt_bearing bearing(enum attempt_kind kind, const char *cause)
{
    return (struct attempt_bearing){.kind = kind, .cause = cause};
}

/* What the transport says of an end has its remedy in it. */
static struct attempt_bearing bearing_with(enum attempt_kind kind, const char *cause, const char *remedy)
{
    return (struct attempt_bearing){kind, cause, remedy};
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

#define LEAVE_IT                                                                                        \
    "leave it to its owner: test it when the job has ended (assay run --hosts NAME), or have the host " \
    "drained first"

#define LET_IT_ANSWER                                                                                        \
    "mend what is named there, or have its user take it away; assay needs a folder of its own for locks in " \
    "/var/tmp, /tmp or /dev/shm, and an answer of Slurm and Kubernetes where they run; then test again"

static const char keep_more[] = "see what prints so much there, or let the next run keep more: assay run "
                                "--max-evidence SIZE";
static const char who_ended_it[] =
    "look for who ended it: the kernel's out-of-memory killer (dmesg), a clean-up job, somebody's kill; "
    "then test again";
static const char make_room[] =
    "make room in /var/tmp, /tmp or /dev/shm of the host (df, df -i), or let the login user write there "
    "(mode 1777); then test again";

/* "; stderr: ..." where the part has said something there. */
static const char *complaint_of(const struct part *part)
{
    const char *reason = part->reading.status != READING_COMPLETE ? part->reading.reason : NULL;
    const char *complaint = reason != NULL ? strstr(reason, "; stderr: ") : NULL;

    return complaint != NULL ? complaint : "";
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
    const char *command = command_of(arena, part);

    if (!part->began)
        return bearing(KIND_CRASH, arena_printf(arena, "`%s` was not started", command));
    if (!part->ended)
        return bearing(KIND_CRASH, arena_printf(arena, "the output of `%s` ends early", command));
    /* A tool that found a fault and said so to the end may exit as it likes. */
    if (part->reading.status == READING_COMPLETE && has_fault(&part->reading))
        return bearing(KIND_WHOLE, "");
    if (part->rc == SHELL_NOT_FOUND)
        return bearing_with(
            KIND_UNDECIDED,
            arena_printf(arena, "tool missing: `%s` is not found on the host%s", command, complaint_of(part)),
            "bring it with `assay stage` (then --tools DIR), install it on the host, or say where it is: "
            "\"search_path\" or \"tools\" in the suite");
    if (part->rc == SHELL_NOT_EXECUTABLE)
        return bearing_with(
            KIND_UNDECIDED,
            arena_printf(arena, "`%s` cannot be executed on the host%s", command, complaint_of(part)),
            "let the login user read and execute it, or name another one: \"tools\" in the suite");
    if (part->rc > SHELL_SIGNAL && part->rc <= SHELL_SIGNAL + SIGNALS)
        return bearing(KIND_CRASH, arena_printf(arena, "`%s` died of signal %d (%s)", command,
                                                part->rc - SHELL_SIGNAL, strsignal(part->rc - SHELL_SIGNAL)));
    if (part->rc != 0 && part->reading.status == READING_COMPLETE)
        return bearing(KIND_CRASH,
                       arena_printf(arena, "`%s` ended with exit status %d although its output looks whole",
                                    command, part->rc));
    return bearing(KIND_WHOLE, "");
}

/* What an undecided attempt's output lacks; NULL when all of it was read. */
static const char *lack_of_output(struct arena *arena, const struct attempt *attempt)
{
    for (size_t i = 0; i < 2; i++) {
        const struct capture *capture = &attempt->captures[i];

        if (capture->flooded && *attempt->text != '\0')
            return arena_printf(arena, "only %llu bytes of %s were kept on the host: %s",
                                (unsigned long long)capture->length, capture->stream, attempt->text);
        if (capture->flooded)
            return arena_printf(
                arena, "more was written to %s than is kept on the host (%llu bytes, the flood limit)",
                capture->stream, (unsigned long long)capture->length);
        if (capture->cut)
            return arena_printf(arena, "%s did not arrive whole (%llu bytes did)%s%s", capture->stream,
                                (unsigned long long)capture->length, *attempt->text != '\0' ? ": " : "",
                                attempt->text);
    }
    if (attempt_is_clipped(attempt) && *attempt->reading.tool == '\0')
        return "its output was stored as head and tail, and the controller ended before it was read";
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
    const char *lack = lack_of_output(arena, attempt);
    const char *owner = reading_get_fact(reading, WINDOW_OWNED, "");
    const char *forged = reading_get_fact(reading, OUTPUT_FORGED, "");
    const char *unanswered = reading_get_fact(reading, WINDOW_UNANSWERED, "");

    if (evidence_dropped(attempt->text))
        return bearing_with(KIND_UNDECIDED, attempt->text, keep_more);
    if (forged != NULL)
        return bearing_with(
            KIND_UNDECIDED, arena_printf(arena, "its output is forged: %s", forged),
            "a tool, or a process beside it, wrote what only assay writes: find out which and "
            "whose it is before you believe this host; then test again");
    if (lack != NULL)
        return bearing_with(KIND_UNDECIDED, lack, *attempt->text != '\0' ? make_room : NULL);
    for (size_t i = 0; i < attempt->parts.count; i++)
        if (!attempt->parts.items[i].aside) {
            struct attempt_bearing one = part_bearing(arena, &attempt->parts.items[i]);

            if (one.kind != KIND_WHOLE)
                return one;
        }
    if (owner != NULL)
        return bearing_with(KIND_UNDECIDED, arena_printf(arena, "the host was in use: %s", owner), LEAVE_IT);
    if (unanswered != NULL)
        return bearing_with(KIND_UNDECIDED,
                            arena_printf(arena, "whose the host was is not known: %s", unanswered),
                            LET_IT_ANSWER);
    switch (reading->status) {
    case READING_COMPLETE:
        return bearing(KIND_WHOLE, "");
    case READING_UNRECOGNISED:
        return bearing(KIND_UNDECIDED, arena_printf(arena, "unknown output format: %s", reading->reason));
    case READING_FAILED:
        return bearing(KIND_CRASH, arena_printf(arena, "the tool failed: %s", reading->reason));
    case READING_PARTIAL:
    default: {
        struct attempt_bearing part =
            bearing(KIND_CRASH, arena_printf(arena, "the output is not whole: %s", reading->reason));

        part.lacks = ended_well(attempt);
        return part;
    }
    }
}

struct attempt_bearing attempt_bearing(struct arena *arena, const struct attempt *attempt)
{
    if (attempt->state != ATTEMPT_ENDED)
        return bearing(KIND_NOT_RUN, "it had not ended when the run was interrupted");
    switch (attempt->end) {
    case ATTEMPT_RAN:
        return ran_bearing(arena, attempt);
    case ATTEMPT_DEADLINE:
        return bearing(KIND_HANG, arena_printf(arena, "hang: it was ended by its deadline after %.0f s",
                                               attempt->up_ended - attempt->up_began));
    case ATTEMPT_REBOOTED:
        return bearing(KIND_FAULT, "the host rebooted during the test (its boot id changed)");
    case ATTEMPT_KILLED:
        return bearing_with(KIND_CRASH,
                            *attempt->text != '\0' && !evidence_dropped(attempt->text)
                                ? attempt->text
                                : arena_printf(arena, "it was ended by signal %d (%s), and not by assay",
                                               attempt->rc, strsignal(attempt->rc)),
                            who_ended_it);
    case ATTEMPT_LOST:
        return bearing_with(KIND_CRASH, attempt->text, who_ended_it);
    case ATTEMPT_CANCELLED:
        return bearing(KIND_NOT_RUN, "cancelled");
    case ATTEMPT_NOT_READY:
        if (evidence_dropped(attempt->text))
            return bearing_with(KIND_UNDECIDED, attempt->text, keep_more);
        return bearing_with(KIND_UNDECIDED, attempt->text,
                            "see to it that nobody else uses the GPUs and that they cool down at rest (fans, "
                            "air, coolant); then test again");
    case ATTEMPT_IN_USE:
        return bearing_with(KIND_NOT_RUN, attempt->text, LEAVE_IT);
    case ATTEMPT_UNANSWERED:
        return bearing_with(KIND_NOT_RUN, attempt->text, LET_IT_ANSWER);
    case ATTEMPT_UNREACHABLE:
        /* Never reached, or reached and lost. */
        return bearing_with(attempt->connections == 0 ? KIND_UNDECIDED : KIND_CUT_OFF, attempt->text,
                            "see to its power, cable and address, that sshd answers there, and that no "
                            "firewall is in between (`ssh -v` shows how far it comes; where that is "
                            "authentication, the host waits for a home folder or a directory service)");
    case ATTEMPT_NO_SPOOL:
        return bearing_with(KIND_UNDECIDED, attempt->text, make_room);
    case ATTEMPT_NO_ANSWER:
        return bearing_with(
            KIND_UNDECIDED, attempt->text,
            "log in there by hand (`ssh HOST true`): what the account's shell, profile or home "
            "folder waits for, or says, is what stands in the way");
    case ATTEMPT_AUTH_REFUSED:
    case ATTEMPT_HOST_KEY_UNKNOWN:
    case ATTEMPT_HOST_KEY_CHANGED:
    case ATTEMPT_SUDO_REFUSED:
    case ATTEMPT_JUMP_FAILED:
    default:
        return bearing_with(KIND_UNDECIDED, attempt->text, "");
    }
}
