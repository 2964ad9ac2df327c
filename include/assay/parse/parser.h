/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsers: one row and one file for each tool whose output is read. A parser is pure: bytes in, reading out;
 * no clock, no files, no globals. It never fails: what it cannot read it says in the reading.
 *
 * The law of every parser: an output cut at any byte may give fewer measurements or a lesser status, never
 * another number. So only whole, newline-ended lines are read.
 */
#ifndef ASSAY_PARSER_H
#define ASSAY_PARSER_H

#include <stddef.h>

#include "assay/base/error.h"
#include "assay/base/source.h"
#include "assay/model/reading.h"

enum better { BETTER_NEITHER, BETTER_HIGHER, BETTER_LOWER };

struct metric {
    const char *name; /* "nccl.all_reduce.busbw"; '*' stands for one or more characters */
    const char *unit; /* as in measurement.unit; "" for counts */
    enum better better;
    const char *help;
    bool peers; /* how fast something is: the same of other hosts can be compared with it (peers.h) */
    bool
        anywhere; /* and it is the same wherever in a host the thing sits: what it computes, not what it is joined to */
    bool
        members; /* the subject is a member of the step, and the same of the others in it can be compared with it */
};

/* What a parser measures, with the row of zeros that ends it. */
#define METRICS(...) ((const struct metric[]){__VA_ARGS__, {0}})

struct grammar;

struct parser {
    const char *name;             /* the TOOL of `assay parse` */
    unsigned version;             /* raised when the same bytes may be read differently */
    const char *summary;          /* one line for --help */
    const struct metric *metrics; /* METRICS(...); NULL: it gives none */
    /* One of the three. grammar says what the lines mean, and the frame of all parsers reads them (src/parse/frame.h).
       parse reads a document, which is in memory as a whole; of a longer one it gets the first
       PARSER_DOCUMENT_BYTES, and the reading is not complete. stream reads an output of any length, in memory
       that is bounded by what it reports. */
    const struct grammar *grammar;
    void (*parse)(struct slice bytes, struct reading *reading);
    void (*stream)(struct source *source, struct reading *reading);
};

/* What stands beside a parser's name in parsers.def. */
struct parser_samples {
    const char *versions; /* of the tool whose outputs were read; "" where its outputs do not tell any */
    unsigned goldens;     /* samples in tests/golden */
};

enum { PARSER_DOCUMENT_BYTES = 8 << 20 };

/* NULL when there is no such parser. */
const struct parser *parser_find(const char *name);
/* All rows, in the order of parsers.def. */
const struct parser *const *parser_list(size_t *ret_count);
/* Of a parser of that list: what it was tried on. */
const struct parser_samples *parser_samples(const struct parser *parser);
/* The metric's row in any parser's table, or NULL. */
const struct metric *metric_find(const char *name);

/* Runs the parser over the bytes; the reading lives in the arena. */
void parser_run(const struct parser *parser, struct slice bytes, struct arena *arena,
                struct reading *ret_reading);
/* The same of bytes that are pulled; -1 when they could not be read to their end. */
int parser_run_source(const struct parser *parser, struct source *source, struct arena *arena,
                      struct reading *ret_reading, struct error *err) __attribute__((warn_unused_result));

/* For a parser that finds a document where it streams: all of it as .parse would get it, valid as long as
   the source. */
struct slice parser_document(struct source *source);

#endif
