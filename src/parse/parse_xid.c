/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Xid and SXid lines in a kernel log: dmesg (plain, -T, --decode, iso), journal, syslog, raw /dev/kmsg,
 * pstore.
 *
 *   NVRM: Xid (PCI:0000:9b:00): 79, pid=1234, name=python, GPU has fallen off the bus.
 *   NVRM: Xid (0000:02:00): 13, 0003 ...                                     drivers before 304
 *   nvidia-nvswitch0: SXid (PCI:0000:86:00.0): 12028, Non-fatal, Link 61 ...
 *
 * finding  xid.N, sxid.N  subject: PCI address "0000:9b:00"   one for each line: the line, meaning, action
 *          xid.unread     a line that is an Xid without a number that can be read
 * fact     xid.count, sxid.count   how many such lines there are ("0": a log that was read and has none)
 *
 * A kernel log has no closing of its own: whether the output was cut short is known to its capture only. That
 * is why the number of lines is a fact and no measurement (of a log cut between two lines it would be another
 * one), and why a last line that is not ended is taken as it is, unless it may hide an Xid. An empty log is
 * never clean: it may just as well be one that could not be read.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "assay/reasons/parse.h"

#include "frame.h"
#include "pci_address.h"
#include "xid_catalog.h"

enum { QUOTED_BYTES = 140, SUBJECT_BYTES = 64 };

struct log {
    struct frame frame;
    unsigned xids, sxids;
    bool kernel_log; /* a line of one was seen */
    bool unread;     /* an Xid line has no number that can be read */
};

/* The address in one form; what is none as it stands, without bytes that are not printable ASCII. */
static void put_subject(struct slice address, char *subject, size_t size)
{
    if (pci_address_put(subject, size, address))
        return;
    address = slice_trim(address);
    snprintf(subject, size, "%.*s", slice_print(address));
    for (char *byte = subject; *byte != '\0'; byte++)
        if (*byte < ' ' || *byte > '~')
            *byte = '?';
}

/* "79, pid=..." or, at the end of a line, "79": a number that something follows is whole. */
static bool take_number(struct slice *rest, bool ended, uint64_t *ret_number)
{
    struct slice after = *rest;

    if (!scan_digits(&after, ret_number) || *ret_number > 999999)
        return false;
    if (after.length == 0 ? !ended : after.bytes[0] != ',' && after.bytes[0] != ' ' && after.bytes[0] != '.')
        return false;
    *rest = after;
    return true;
}

static void add_finding(struct reading *reading, const char *kind, uint64_t number, const char *subject,
                        const struct xid_meaning *row, struct slice line)
{
    char code[32];

    if (line.length > QUOTED_BYTES)
        line.length = QUOTED_BYTES;
    snprintf(code, sizeof code, "%s.%u", kind, (unsigned)number);
    reading_finding(
        reading, row->severity, code, subject,
        reason(reading->arena, xid_line_explained, line, row->meaning, xid_action_said(row->action)));
}

/* message begins behind the mark: "PCI:0000:9b:00): 79, pid=...". False when it is an Xid that has no number.
 */
static bool read_message(struct log *log, bool is_switch, struct slice message, struct slice line, bool ended)
{
    size_t close = slice_find(message, "): ");
    struct slice rest;
    char subject[SUBJECT_BYTES];
    uint64_t number;

    if (close == (size_t)-1)
        return false;
    rest = slice_from(message, close + strlen("): "));
    if (!take_number(&rest, ended, &number))
        return false;
    put_subject((struct slice){message.bytes, close}, subject, sizeof subject);
    if (is_switch) {
        bool fatal = slice_starts(rest, ", Fatal") || slice_starts(rest, ", fatal");

        log->sxids++;
        add_finding(log->frame.reading, "sxid", number, subject, sxid_find((unsigned)number, fatal), line);
    } else {
        log->xids++;
        add_finding(log->frame.reading, "xid", number, subject, xid_find((unsigned)number), line);
    }
    return true;
}

/* True when the line is an Xid or SXid line, readable or not. */
static bool read_xid(struct log *log, struct slice line, bool ended)
{
    static const struct {
        const char *mark;
        bool is_switch;
    } marks[] = {{"NVRM: Xid (", false}, {": SXid (", true}, {" SXid (PCI:", true}};

    for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
        size_t at = slice_find(line, marks[i].mark);
        size_t open;

        if (at == (size_t)-1)
            continue;
        open = at + slice_find(slice_from(line, at), "(") + 1;
        if (!read_message(log, marks[i].is_switch, slice_from(line, open), slice_trim(line), ended))
            log->unread = true;
        return true;
    }
    return false;
}

static bool starts_with_month(struct slice line)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

    if (line.length < 16 || line.bytes[3] != ' ')
        return false;
    for (size_t i = 0; i < 12; i++)
        if (memcmp(line.bytes, months + 3 * i, 3) == 0)
            return line.bytes[9] == ':' || line.bytes[8] == ':';
    return false;
}

static bool starts_with_date(struct slice line)
{
    return line.length > 19 && line.bytes[4] == '-' && line.bytes[7] == '-' &&
           isdigit((unsigned char)line.bytes[0]) && (line.bytes[10] == 'T' || line.bytes[10] == ' ');
}

/* "6,3964,206764307,-;text" */
static bool is_kmsg_record(struct slice line)
{
    uint64_t number;

    for (int i = 0; i < 3; i++)
        if (!scan_digits(&line, &number) || !scan_text(&line, ","))
            return false;
    return slice_contains(line, ";");
}

/* "[  123.456789] ", "[Sun Feb 23 16:24:18 2025] ", "<6>[ 1.2] ", "[2025-01-21T04:41:44,283302+00:00] " */
static bool starts_with_stamp(struct slice line)
{
    size_t close;

    if (scan_text(&line, "<")) {
        uint64_t level;

        if (!scan_digits(&line, &level) || !scan_text(&line, ">"))
            return false;
    }
    if (!scan_text(&line, "["))
        return false;
    close = slice_find(line, "]");
    line.length = close == (size_t)-1 ? 0 : close;
    line = slice_trim(line);
    return line.length > 6 && isdigit((unsigned char)line.bytes[line.length - 1]) &&
           (slice_contains(line, ".") || slice_contains(line, ":"));
}

static bool is_kernel_line(struct slice line)
{
    return starts_with_stamp(line) || is_kmsg_record(line) || starts_with_month(line) ||
           starts_with_date(line) || slice_starts(line, "kern ") || slice_starts(line, "NVRM:") ||
           slice_contains(line, "kernel: ") || slice_starts(line, "nvidia-nvswitch");
}

/* The reader's own failure: "dmesg: read kernel buffer failed: Operation not permitted". */
static bool is_reader_failure(struct slice line)
{
    static const char *const readers[] = {"dmesg:", "journalctl:", "cat:", "sudo:", "ls:", "tail:", "zcat:"};
    static const char *const others[] = {"No journal files were", "Failed to open journal",
                                         "Failed to search journal", "Failed to determine timestamp",
                                         "Failed to get journal"};

    for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
        if (slice_starts(line, readers[i]))
            return true;
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        if (slice_starts(line, others[i]))
            return true;
    return false;
}

/* Whether text could go on to be word: word is not over when text ends. */
static bool ends_within(struct slice text, const char *word)
{
    size_t most = strlen(word) - 1;

    for (size_t kept = most < text.length ? most : text.length; kept > 0; kept--) {
        struct slice end = slice_from(text, text.length - kept);
        char before = kept < text.length ? end.bytes[-1] : ' ';

        if (memcmp(end.bytes, word, kept) == 0 && strchr(" ;]:", before) != NULL)
            return true;
    }
    return false;
}

/* An unfinished last line may hide an Xid as long as its message has not begun with something else. */
static bool tail_may_hide(struct slice tail)
{
    struct slice word = tail, stamp;
    size_t length = tail.length;

    while (length > 0 && strchr(" \t;", tail.bytes[length - 1]) == NULL)
        length--;
    word = slice_from(tail, length);
    stamp = word;
    while (stamp.length > 0 && strchr("0123456789:-,+.TZ[]<>", stamp.bytes[0]) != NULL)
        stamp = slice_from(stamp, 1);
    return stamp.length == 0 || slice_contains(tail, "NVRM:") || slice_contains(tail, "nvidia-nvswitch") ||
           ends_within(tail, "NVRM: Xid (") || ends_within(tail, "nvidia-nvswitch");
}

static void read_line(void *state, struct slice line)
{
    struct log *log = state;

    log->kernel_log = log->kernel_log || is_kernel_line(line);
    if (!read_xid(log, line, true) && is_reader_failure(line))
        frame_fail(&log->frame, line);
}

/* A fault must not be lost with the end of its line: its number is taken when something follows it. */
static bool tail_lacks(struct log *log, struct slice tail)
{
    struct slice line = slice_trim(tail);

    if (line.length == 0)
        return false;
    log->kernel_log = log->kernel_log || is_kernel_line(line);
    if (is_reader_failure(line))
        frame_fail(&log->frame, line);
    return read_xid(log, line, false) || tail_may_hide(tail);
}

static void end(void *state)
{
    struct log *log = state;
    struct reading *reading = log->frame.reading;
    bool is_cut = tail_lacks(log, log->frame.tail), known = log->kernel_log || log->xids + log->sxids > 0;
    struct slice first = log->frame.first, failure = log->frame.failure;

    log->frame.failure.length = 0; /* told here, with what it means */
    if (failure.length > 0 && !known)
        reading_failed(reading, reason(reading->arena, kernel_log_unreadable, failure));
    else if (failure.length > 0)
        reading_lacks(reading, reason(reading->arena, kernel_log_read_in_part, failure));
    if (first.length == 0 || slice_starts(first, "-- No entries --"))
        reading_lacks(reading, REASON(log_empty_or_unreadable));
    else if (!known && !log->unread)
        reading_strange(reading, reason(reading->arena, no_kernel_log, first));
    if (log->unread)
        reading_finding(reading, SEVERITY_WARNING, "xid.unread", "", REASON(xid_without_number));
    if (log->unread)
        reading_lacks(reading, REASON(xid_without_number));
    if (is_cut)
        reading_lacks(reading, REASON(last_line_not_ended));
    if (reading->status == READING_COMPLETE) {
        reading_count(reading, "xid.count", log->xids);
        reading_count(reading, "sxid.count", log->sxids);
    }
}

const struct parser parse_xid = {
    .name = "xid",
    .version = 1,
    .summary = "Xid and SXid lines of a kernel log: dmesg, journal, syslog, kmsg, pstore",
    .grammar =
        GRAMMAR(.state_bytes = sizeof(struct log), .flags = FRAME_STREAM | LINES_KEEP_TIME | LINES_KEEP_LABEL,
                .line = read_line, .end = end),
};
