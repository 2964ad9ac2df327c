/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ibdiagnet: the summary of its stages, of version 2 and of version 1, and the warnings and errors before it (also
 * ibdiagnet2.log); or the links in its files ibdiagnet2.lst and ibdiagnet2.net_dump, see ibdiagnet_links.h; or the ports in
 * ibdiagnet2.net_dump_ext and in section CABLE_INFO of ibdiagnet2.db_csv, see ibdiagnet_ports.h.
 *
 * subject  the stage, "Port Counters"
 * facts    ibdiagnet.comment  what the summary remarks on the stage
 * metrics  ibdiagnet.warnings, ibdiagnet.errors  counts, of each stage
 * findings ibdiagnet.error    fault: a line that begins with -E-, and a stage with errors
 *          ibdiagnet.warning  warning: a line that begins with -W-, and a stage with warnings; the first 500 of each
 *
 * Its own closing is the line behind the summary that tells where the log is. Without a summary the errors before it are
 * why it failed. The files of links have no closing: of one cut between two lines all that stands there is true.
 */

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "ibdiagnet_links.h"
#include "ibdiagnet_ports.h"
#include "shell_words.h"

enum { MAX_FINDINGS = 500 };

struct log {
    struct frame frame;
    bool summary, closed; /* the summary was begun; the line behind it was seen */
    bool errors_first;    /* version 1 has them before the warnings */
    bool marked;          /* rows begin with -I- */
    bool own;             /* something that only this tool writes was seen */
    unsigned stages, errors, warnings;
    struct ibdiagnet_links links;
    struct ibdiagnet_ports ports;
};

/* "-I- Stage   Warnings   Errors   Comment", "    STAGE         Errors Warnings" */
static bool read_header(struct log *log, struct slice line)
{
    struct slice rest = line;
    bool marked = scan_text(&rest, "-I- ");
    size_t warnings = slice_find(rest, "Warnings"), errors = slice_find(rest, "Errors");

    if ((!slice_starts(rest, "Stage ") && !slice_starts(rest, "STAGE ")) || warnings == (size_t)-1 ||
        errors == (size_t)-1)
        return false;
    log->summary = true;
    log->marked = marked;
    log->errors_first = errors < warnings;
    return true;
}

static void judge_stage(struct log *log, const char *stage, uint64_t warnings, uint64_t errors)
{
    if (errors > 0)
        reading_finding(log->frame.reading, SEVERITY_FAULT, "ibdiagnet.error", stage,
                        reason(log->frame.reading->arena, stage_errors, (unsigned)errors));
    if (warnings > 0)
        reading_finding(log->frame.reading, SEVERITY_WARNING, "ibdiagnet.warning", stage,
                        reason(log->frame.reading->arena, stage_warnings, (unsigned)warnings));
}

/* "-I- Speed / Width checks                0          15" */
static bool read_stage(struct log *log, struct slice line)
{
    struct slice rest = line, name, first, second;
    uint64_t left, right;
    const char *stage;
    size_t gap;

    if (!log->summary || log->closed || (log->marked && !scan_text(&rest, "-I- ")))
        return false;
    gap = slice_find(rest, "  ");
    if (gap == (size_t)-1)
        return false;
    name = slice_trim((struct slice){rest.bytes, gap});
    rest = slice_from(rest, gap);
    if (name.length == 0 || !scan_word(&rest, &first) || !scan_word(&rest, &second) ||
        !scan_u64(first, &left) || !scan_u64(second, &right))
        return false;
    stage = utf8_clean(log->frame.reading->arena, name);
    reading_measure(log->frame.reading, "ibdiagnet.warnings", stage,
                    (double)(log->errors_first ? right : left), "");
    reading_measure(log->frame.reading, "ibdiagnet.errors", stage, (double)(log->errors_first ? left : right),
                    "");
    if (slice_trim(rest).length > 0)
        reading_fact(log->frame.reading, "ibdiagnet.comment", stage, slice_trim(rest));
    judge_stage(log, stage, log->errors_first ? right : left, log->errors_first ? left : right);
    log->stages++;
    return true;
}

static bool read_complaint(struct log *log, struct slice line)
{
    bool error = slice_starts(line, "-E- ") || slice_starts(line, "-F- ");

    if (!error && !slice_starts(line, "-W- "))
        return false;
    log->own = true;
    if (error)
        frame_fail(&log->frame, line);
    if ((*(error ? &log->errors : &log->warnings))++ < MAX_FINDINGS)
        reading_finding(log->frame.reading, error ? SEVERITY_FAULT : SEVERITY_WARNING,
                        error ? "ibdiagnet.error" : "ibdiagnet.warning", "",
                        reason(log->frame.reading->arena, text, line));
    return true;
}

static void read_line(void *state, struct slice line)
{
    struct log *log = state;

    if (ibdiagnet_read_port(&log->ports, line, log->frame.reading) ||
        ibdiagnet_read_link(&log->links, line, log->frame.reading) || read_complaint(log, line) ||
        read_header(log, line) || read_stage(log, line))
        return;
    if (log->summary && log->stages > 0 &&
        (slice_contains(line, "You can find detailed") || slice_contains(line, "database file") ||
         slice_starts(line, "Please see ")))
        log->closed = true;
    else if (slice_starts(line, "-I- ") || slice_contains(line, "Running version:") ||
             slice_equal(line, "Discovery"))
        log->own = log->own || slice_starts(line, "-I- ");
    else if (is_shell_trouble(line))
        frame_fail(&log->frame, line);
}

static void end(void *state)
{
    struct log *log = state;
    bool only_links = log->links.count + log->ports.count > 0 && !log->own && !log->summary;
    struct slice unread = log->links.unread.length > 0 ? log->links.unread : log->ports.unread;

    if (unread.length > 0 || only_links || log->stages > 0)
        log->frame.failure.length = 0; /* errors of the fabric, not of the tool */
    if (unread.length > 0)
        reading_lacks(log->frame.reading, reason(log->frame.reading->arena, line_not_understood, unread));
    else if (log->ports.table.cables)
        reading_lacks(log->frame.reading, reason(log->frame.reading->arena, section_not_ended, "CABLE_INFO"));
    else if (only_links)
        frame_lacks_end(&log->frame);
    else if (log->stages > 0 && (!log->closed || log->frame.tail.length > 0))
        reading_lacks(log->frame.reading, REASON(line_after_summary_missing));
    else if (log->stages == 0 && (log->own || log->summary))
        reading_lacks(log->frame.reading, REASON(no_summary));
    else if (log->stages == 0)
        frame_strange(&log->frame);
}

const struct parser parse_ibdiagnet = {
    .name = "ibdiagnet",
    .version = 3,
    .summary =
        "ibdiagnet: the summary of its stages, warnings and errors of the fabric; links (.lst, .net_dump); ports (.net_dump_ext, "
        "CABLE_INFO of .db_csv)",
    .metrics = METRICS({"ibdiagnet.warnings", "", BETTER_LOWER, "warnings of a stage"},
                       {"ibdiagnet.errors", "", BETTER_LOWER, "errors of a stage"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct log), .line = read_line, .end = end),
};
