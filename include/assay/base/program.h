/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of this machine that a command asks: their words and answers, without a shell between. */
#ifndef ASSAY_PROGRAM_H
#define ASSAY_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/scan.h"

struct program {
    pid_t pid; /* 0: none runs */
    int out, complaint;
};

/*
 * What a program reads, as bytes and never by a name: nobody can put other ones there between our reading and its.
 * The first is its standard input, the next are the files PROGRAM_INPUT_1, PROGRAM_INPUT_2, for its words.
 */
enum { PROGRAM_INPUTS = 3 };
#define PROGRAM_INPUT_1 "/proc/self/fd/3"
#define PROGRAM_INPUT_2 "/proc/self/fd/4"
struct program_inputs {
    struct slice bytes[PROGRAM_INPUTS];
};

/* Waits for the end of a child. Returns its exit status, `otherwise` where it has none: a signal ended it. */
int program_wait(pid_t child, int otherwise);
/* words end with NULL, the first is looked for in PATH. inputs: NULL for nothing. */
int program_start(const char *const *words, const struct program_inputs *inputs, struct program *ret_program,
                  struct error *err) __attribute__((warn_unused_result));
/* Whether it has ended. Does not wait. Afterwards program_end is called all the same. */
bool program_has_ended(struct program *program);
/*
 * Waits for its end. Returns its exit status, 255 where it was ended by a signal. ret_out, ret_complaint: what it
 * wrote to stdout and stderr, up to 4 MiB of each, in the arena.
 */
int program_end(struct arena *arena, struct program *program, const char **ret_out,
                const char **ret_complaint);
/* All three. -1 with err set where it cannot be started. */
int program_run(struct arena *arena, const char *const *words, const struct program_inputs *inputs,
                const char **ret_out, const char **ret_complaint, struct error *err)
    __attribute__((warn_unused_result));

#endif
