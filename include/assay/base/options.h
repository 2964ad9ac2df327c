/* SPDX-License-Identifier: Apache-2.0 */
/* Command-line options as rows over getopt_long; --help is printed from the same rows. */
#ifndef ASSAY_OPTIONS_H
#define ASSAY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/error.h"
#include "assay/base/nearest.h"
#include "assay/base/text.h"

enum option_type {
    OPTION_FLAG,   /* bool */
    OPTION_STRING, /* const char *, points into argv */
    OPTION_LIST,   /* struct option_list: may be given several times */
    OPTION_COUNT,  /* unsigned, decimal, 1 or more */
    OPTION_TITLE,  /* no option: name is what --help writes above the rows that follow */
};

struct option_list {
    const char **items; /* the array is free()d by the caller */
    size_t count;
};

struct option_row {
    const char *name; /* long name without dashes */
    char letter;      /* short name or 0 */
    enum option_type type;
    const char *argument; /* what --help shows: "FILE"; NULL for flags */
    void *target;
    const char *help;
};

#define OPTION_HEADING(title)                    \
    {                                            \
        title, 0, OPTION_TITLE, NULL, NULL, NULL \
    }
#define OPTION_END                             \
    {                                          \
        NULL, 0, OPTION_FLAG, NULL, NULL, NULL \
    }

/*
 * Reads argv[1..] into the targets. Returns the index of the first operand (operands and options may be
 * mixed; "--" ends options), or -1 with a message that names the wrong word and, for a long option near to
 * one that exists, that one. Sets *ret_help and returns 0 when --help or -h was given. Of an option that is given twice the
 * last one counts, so that a script around the program can have the last word.
 */
int options_parse(const struct option_row *rows, int argc, char **argv, bool *ret_help, struct error *err)
    __attribute__((warn_unused_result));

/* The same for people: a value that would be dropped without a word is refused, also of two options with one target. */
int options_parse_once(const struct option_row *rows, int argc, char **argv, bool *ret_help,
                       struct error *err) __attribute__((warn_unused_result));

/* Words in lines of 80 columns that begin at column `indent`, where the text stands already, and a line break. */
void options_wrap(struct text *out, const char *words, size_t indent);
/* In 80 columns. */
void options_help(const struct option_row *rows, struct text *out);

#endif
