/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The marks around what each part of a command file prints, of attempts and of windows alike, on both streams:
 *
 *     (newline) @assay-part SECRET begin NAME
 *     ... exactly what the command printed ...
 *     (newline) @assay-part SECRET end NAME RC
 *
 * The newlines before the marks are ours and are taken off again, so a part's bytes are the command's own. The secret comes
 * to the command file by its stdin and goes into a variable of its shell: no environment, argument or file has it while a
 * part runs. So who writes a mark all the same does not know it, and is found.
 */
#ifndef ASSAY_FRAMES_H
#define ASSAY_FRAMES_H

#include "assay/check.h"

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
    const char *fault; /* somebody else wrote marks: what shows it, in the arena; NULL */
};

/* Shell: takes the secret from stdin, and says how marks are made. Before anything else of a command file. */
void frames_put_begin(struct text *out);
void frames_put_mark(struct text *out, const char *word, const char *name, const char *rc);
/* First in the subshell of what is run: it cannot name the secret. */
#define FRAMES_FORGET "unset assay_frame; "

/* rows: the parts in the order of the command file, up to the one without a name; they need not all be there. */
void frames_read(struct arena *arena, const struct capture captures[2], const char *secret,
                 const struct part_row *rows, struct frames *ret_frames);
/* NULL: it never began. */
const struct frame *frames_find(const struct frames *frames, const char *name);

#endif
