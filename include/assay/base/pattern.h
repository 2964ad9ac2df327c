/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns that people write in suites: PCRE2, UTF-8, with named groups, (?<name>...). PCRE2 does the work and
 * is seen nowhere else but in the schemas' own "pattern".
 *
 * No pattern can hang: what a search does is counted, over all searches with one pattern, and beyond a fixed
 * number of steps it ends as PATTERN_EXHAUSTED. The count depends on pattern and text alone, not on the
 * machine's speed, so a reading stays what it is.
 */
#ifndef ASSAY_PATTERN_H
#define ASSAY_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/scan.h"

struct pattern;

/* Free with pattern_destroy. NULL with err set: what is wrong, and at which character (from 1), which
 * *ret_offset has too (from 0, in bytes). */
struct pattern *pattern_create(const char *text, size_t *ret_offset, struct error *err)
    __attribute__((warn_unused_result));
/* Accepts NULL; returns NULL. */
struct pattern *pattern_destroy(struct pattern *pattern);

/* The names of the groups in the order of their numbers; good as long as the pattern is. */
size_t pattern_group_count(const struct pattern *pattern);
const char *pattern_group(const struct pattern *pattern, size_t index);

enum pattern_result { PATTERN_FOUND, PATTERN_NOT_FOUND, PATTERN_EXHAUSTED };

/* The next match in line at *offset or behind it; moves *offset to where the one after it is looked for. */
enum pattern_result pattern_next(struct pattern *pattern, struct slice line, size_t *offset);
/* What the named group took in the last match; false when it took no part in it. */
bool pattern_take(const struct pattern *pattern, struct slice line, size_t index, struct slice *ret_text);

#endif
