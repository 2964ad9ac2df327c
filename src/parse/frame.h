/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parser's frame: what every parser does beside its grammar. It takes the output apart into lines, keeps the runs of
 * the tool apart, knows how the text ends, and decides how far the reading can be trusted. What is left to a parser is
 * which line means what, and what must be there for a reading to be whole.
 *
 *   struct listing {
 *       struct frame frame;    first, so that a state is a frame too
 *       unsigned rows;
 *   };
 *
 *   static void read_line(void *state, struct slice line);    which line means what
 *   static void end(void *state);                             what is missing
 *
 *   const struct parser parse_NAME = {
 *       .name = "name", .version = 1, .summary = "...", .metrics = METRICS({...}),
 *       .grammar = GRAMMAR(.state_bytes = sizeof(struct listing), .line = read_line, .end = end),
 *   };
 *
 * What a line says is put down with reading_fact, reading_measure and reading_finding (reading.h), and taken apart by
 * scan.h. A fact needs no row in metrics, and a parser without measurements has none. Why a shell could not run the
 * tool is known by is_shell_trouble (shell_words.h), and goes to frame_fail.
 */
#ifndef ASSAY_FRAME_H
#define ASSAY_FRAME_H

#include "assay/model/reading.h"
#include "assay/parse/parser.h"
#include "lines.h"
#include "runs.h"

/* ---- how far a reading can be trusted ---- */

/*
 * A reading is complete (reading_whole) until one of these says otherwise. What weighs most stands, whenever it is said: the tool
 * failed; then, nothing of the tool was seen; then, something is missing or damaged. Of the same weight, what is said
 * first.
 */
#define reading_failed(reading, reason) reading_lower((reading), READING_FAILED, (reason))
#define reading_strange(reading, reason) reading_lower((reading), READING_UNRECOGNISED, (reason))
#define reading_lacks(reading, reason) reading_lower((reading), READING_PARTIAL, (reason))
/* The reason is looked at only where it stands, so that one for each line of a flood takes no memory. */
#define reading_lower(reading_, status, reason_)        \
    do {                                                \
        struct reading *lowered_ = (reading_);          \
        if (reading_weighs_more(lowered_, (status)))    \
            reading_set(lowered_, (status), (reason_)); \
    } while (0)
bool reading_weighs_more(const struct reading *reading, enum reading_status status);

/* ---- what many have to say ---- */

/* A fact of the output as a whole, of which the first value stands; nothing when it is empty. */
void reading_fact_once(struct reading *reading, const char *name, struct slice value);
/* How many there are, as a fact: of what no closing of the tool proves to be all. */
void reading_count(struct reading *reading, const char *name, uint64_t count);

/* ---- outputs of lines ---- */

/* Together with the flags of lines_read, LINES_... */
enum {
    FRAME_RAW = 1 << 8,  /* lines as they are, also blank ones; else trimmed, and none is blank */
    FRAME_RUNS = 1 << 9, /* the state is that of one run, and the text begins with one: see frame_next_run */
    FRAME_STREAM =
        1 << 10 /* of any length: a line is good until the next one, and so is the line of read_line.
                              Without it the lines of a document, all good as long as the reading */
};

struct frame {
    struct reading *all;     /* the output */
    struct reading *reading; /* the run that is being read, or the output where none has begun */
    struct slice first;      /* the first line that is not blank */
    struct slice tail;       /* at the end: the line that nothing ends, unless it is blank */
    struct slice failure;    /* see frame_fail; end may take it back */
    struct lines lines;      /* of a document */
    size_t next;             /* the one that is read next */
    const struct grammar *grammar;
};

struct grammar {
    size_t state_bytes; /* of the state, which begins with a frame and is zero else */
    unsigned flags;
    /* For a state that is not all zero at its beginning. */
    void (*begin)(void *state);
    /* For a tool that has a form without lines too: reads it and returns true, else its lines are read. */
    bool (*document)(void *state, struct slice bytes);
    void (*line)(void *state, struct slice line);
    /* Whether the last line cannot be the beginning of another one, so that it is read although nothing ends it. */
    bool (*is_whole)(void *state, struct slice tail);
    /* When the text or the run is over: what can be told only now, and what is missing. */
    void (*end)(void *state);
};
#define GRAMMAR(...) (&(const struct grammar){__VA_ARGS__})

/* Why the tool says that it failed: the first such line is the reason, whatever else was read in the last run. */
void frame_fail(struct frame *frame, struct slice line);
/* Nothing of the tool was seen; the first line is the reason. */
void frame_strange(struct frame *frame);
/* The last line is not ended, and nothing after it would tell that it was whole: for a tool that closes nothing. */
void frame_lacks_end(struct frame *frame);
/* The end of a list that has a run for each of what it lists: none was seen, or the last line is not ended. */
void frame_ends_list(struct frame *frame);
bool frame_is_complete(const struct frame *frame);

/* What was read begins another run; the state stays, and end is not asked. For tools whose lists are runs only where
 * they say the same again. */
void frame_begin_run(struct frame *frame);
static inline bool frame_has_run(const struct frame *frame)
{
    return frame->reading != frame->all;
}
/* Whether the run has a fact of that subject. */
bool frame_knows(const struct frame *frame, const char *subject);
/* With FRAME_RUNS: ends the run, and begins the next one with a new state. */
void frame_next_run(void *state);

/* Reads all of source with the parser's grammar. */
void frame_read(const struct grammar *grammar, struct source *source, struct reading *reading);

#endif
