/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clean lines out of a captured stream: what every parser reads first.
 *
 * A line is whole only if CR, LF or both ended it; what follows the last end is `tail` and is never read as a
 * line, because a number at a cut would be a shorter number. Each CR-ended progress update is a line of its
 * own. Terminal escapes (CSI, OSC, two-byte) are removed, and the blank of web pages (U+00A0) is a blank. In
 * front of a line these are removed, also several after one another:
 *
 *   mpirun tags    [1,0]<stdout>:   [host,0]<stderr>:   [prterun-host-7@1,0]<stdout>:   [1,0][host:9]<stdout>:
 *   log times      2024-07-19T08:41:10.123Z   [2024-07-19 08:41:10]   [08:41:10]   Mar 01 12:00:00 host unit[9]:
 *                  2024-07-19T08:41:10+0000 host unit[9]:
 *   Kubernetes     2024-07-19T08:41:10.123456789Z stdout F      (CRI; P parts are joined up to their F)
 *   sudo           [sudo] password for ops:
 *   rank labels    0:   [0]     as srun -l and Hydra -l write them; may be a tool's own text, see below
 *   quotation      "> "         where each of the first three lines that are not blank has it
 *   host labels    node01:      as pdsh and clush write them, where each of these three has the same; not with
 *                               LINES_KEEP_TIME, for the kernel writes "NVRM: " and the like
 *
 * Lines that are only the fence of a web page (```) are left out, and so is a tail that is only a prompt. A tail that
 * is only a rule of a table ("+-----+") is a line: no number is cut there.
 *
 * Open MPI also tags in the middle of a line, where one rank's text came between another's: what each rank
 * wrote is put together again, so that a line ends where that rank ended it.
 *
 * Every decision about a line depends on that line and earlier ones only, so that the lines of a cut output
 * are always the first lines of the whole one.
 */
#ifndef ASSAY_LINES_H
#define ASSAY_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/arena.h"
#include "assay/base/scan.h"
#include "assay/base/source.h"
#include "assay/base/text.h"

enum {
    LINES_KEEP_TIME =
        1 << 0,           /* log times are content here (kernel logs): leave them, and what precedes them */
    LINES_RANKS = 1 << 1, /* none of the tool's own lines begins with "0: " or "[0] ": remove the label
                             wherever it stands. Without this flag it is removed only when each of the
                             first three lines that are not blank has one. */
    LINES_KEEP_LABEL = 1 << 2, /* kernel logs: "nvidia-nvswitch0: " is no host */
};

enum { RANK_NONE = -1 };

/* What stands before every line. */
enum line_mark_kind { MARK_NONE, MARK_QUOTE, MARK_RANK, MARK_HOST };

struct line {
    struct slice text; /* without its end and without blanks at its end; blanks at its start are kept */
    int rank;          /* of the rank or mpirun tag that was removed, else RANK_NONE */
    bool is_stderr;    /* the tag said so */
};

/*
 * Lines of an output of any length, one after the other, in bounded memory: nothing here grows with what has
 * been read. A line longer than LINE_BYTES, also one that is put together of pieces, is left out with all of
 * its bytes, the source is then marked lossy, and parser_run_source lets no such reading be complete.
 */
enum { LINE_BYTES = 1 << 20 };

/* Offset of the next such byte in all that was read; not found: how far there is none. */
struct line_mark {
    uint64_t at;
    bool found;
};

struct line_piece {
    int rank;
    bool is_stderr, is_lost;
    struct text text;
};

/* Whether the line, which stands as it is in the output but for what stands before it, has been dealt with: it is not
 * given then. The same line may be offered twice, with what stands before it and without. */
typedef bool line_skip_cb(void *context, struct slice text);

struct line_reader {
    struct source *source;
    line_skip_cb *skip; /* NULL, or for a parser that knows most lines at sight: set after lines_open. Such a
                           line must begin with what is no prefix. What was put together of pieces is not offered. */
    void *skip_context;
    const char *skip_never; /* lines that hold this are not even offered; NULL: all are */
    unsigned flags;
    size_t limit;
    uint64_t taken;
    /* LF and CR; ESC; first byte of U+00A0; '<'; first byte of skip_never */
    struct line_mark ends[2], escape, no_break, angle, never;
    bool began, after_cr, in_long_line;
    bool is_offered; /* the line may be given to skip when what stands before it is gone */
    bool has_rest;   /* of a line with tags inside */
    struct line rest;
    struct text clean;   /* the line without its escapes */
    struct text part[2]; /* of stdout and stderr: P parts that wait for their F */
    bool part_is_over[2], part_is_lost[2];
    LIST_OF(struct line_piece) pieces; /* what ranks wrote before another one came between; on the heap */
    size_t held_bytes;
    struct text given;     /* of the pieces of the last line */
    struct text head_text; /* the lines on which labels depend, while that is open */
    struct line *head;
    size_t head_count, head_given;
    bool head_is_read;
    enum line_mark_kind mark_kind;
    struct text host; /* of MARK_HOST */
};

void lines_open(struct line_reader *reader, struct source *source, unsigned flags);
/* The line is good until the next call. False at the end. */
bool lines_next(struct line_reader *reader, struct line *ret_line);
/* After the end: what follows the last whole line, without what stands before lines. Good until lines_close. */
struct slice lines_tail(struct line_reader *reader);
void lines_close(struct line_reader *reader);
#define cleanup_lines __attribute__((cleanup(lines_close)))

/* Whether the line is a rule, "-----": nothing but these marks, and so many at least. */
bool line_is_rule(struct slice line, const char *marks, size_t least);

struct lines {
    struct line *items; /* blank lines included */
    size_t count;
    struct slice tail; /* what follows the last whole line, without what stands before lines; length 0 when
                          the text ended with an end of line */
};

/*
 * All lines of a document. The slices point into bytes, or into the arena where something inside a line had
 * to go.
 */
void lines_read(struct arena *arena, struct slice bytes, unsigned flags, struct lines *ret_lines);

/* The first that is not blank, else what follows the last one, trimmed; "empty" when there is neither. What a reading that
 * recognised nothing shows. */
struct slice lines_first(const struct lines *lines);

#endif
