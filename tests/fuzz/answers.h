/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a host answers, from the bytes of its channels to the report: rows of fuzz.c. Each holds what must be true of any
 * bytes whatever, and ends the program where it is not.
 */
#ifndef ASSAY_TESTS_ANSWERS_H
#define ASSAY_TESTS_ANSWERS_H

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/scan.h"

/*
 * The guard's answer as a channel brings it. Input: a line "VERB" (ensure, read, cancel, list), stdout, the byte 0x1e,
 * stderr; a byte 0x01 stands for 5,000 times the byte behind it, so that short inputs are long answers. The attempt's
 * uuid is ANSWERS_UUID. Read in pieces of any size it is the same answer; cut anywhere it is the same, or none, or says
 * that it is cut.
 */
bool reads_guard(struct arena *arena, struct slice bytes, struct error *err);

/*
 * An attempt of a check, with its default arguments, on one host of eight GPUs: its check reads it, the judge judges it,
 * and it is reported. Input: a line "CHECK END RC HOW" ("ran", "deadline", ... as the store has them; exit status;
 * whole, cut or flooded), then stdout, stderr, and stdout of what was read before and after the test,
 * with 0x1e between them. Nothing passes of what did not run to its end and arrive whole; each other outcome has a
 * cause; the report is valid and has no control characters.
 */
bool reads_attempt(struct arena *arena, struct slice bytes, struct error *err);

/* Of all forms: what hosts print steers no terminal and closes no quotes. */
struct record;
void check_reports(struct record *record);
/* Whatever is refused is refused with words. */
void hold_words(const struct error *err, const char *of);

#define ANSWERS_UUID "11111111-1111-4111-8111-111111111111"

#endif
