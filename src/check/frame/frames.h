/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The marks around what each part of a command file prints, of attempts and of windows alike, on both streams:
 *
 *     (newline) @assay-part WORD begin NAME
 *     ... exactly what the command printed ...
 *     (newline) @assay-part WORD end NAME RC
 *
 * The newlines before the marks are ours and are taken off again, so a part's bytes are the command's own. All beginnings
 * have one word and each end has another, which is made of the attempt's secret and comes to the command file by its
 * stdin, into a variable of its shell: no environment, argument or file has it before that end. The spool shows a part the
 * words of the marks before it; of these none makes an end that was not there, and each that comes again is found.
 */
#ifndef ASSAY_FRAMES_H
#define ASSAY_FRAMES_H

#include "assay/check/check.h"

/* What one part printed, as far as it is marked. */
struct frame {
    struct slice name;
    struct slice bytes[2]; /* stdout, stderr */
    bool began[2], ended[2];
    int rc[2];
};

struct frames {
    LIST_OF(struct frame) frames;
    struct slice outside[2]; /* the first bytes of each stream that belong to no part, but for blanks */
    uint64_t outside_length[2];
    const struct reason *fault; /* somebody else wrote marks: what shows it, in the arena; NULL */
};

/* The words for so many ends, as the command file takes them: the first line of its stdin. In the arena. */
const char *frames_words(struct arena *arena, const char *secret, size_t ends);

/* Shell: takes the words from stdin, and says how marks are made. Before anything else of a command file. */
void frames_put_words(struct text *out);
void frames_put_begin(struct text *out, const char *name);
void frames_put_end(struct text *out, const char *name); /* its exit status is in $rc */
/* First in the subshell of what is run: it cannot name the words. */
#define FRAMES_FORGET "unset assay_begin assay_ends; "

/* rows: the parts in the order of the command file, up to the one without a name; they need not all be there. secret: one
   with a dash is the uuid of an attempt of an earlier version, which marked all with it. */
void frames_read(struct arena *arena, const struct capture captures[2], const char *secret,
                 const struct part_row *rows, struct frames *ret_frames);
/* NULL: it never began. */
const struct frame *frames_find(const struct frames *frames, const char *name);

#endif
