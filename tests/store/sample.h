/* SPDX-License-Identifier: Apache-2.0 */
/* Records to keep, and their comparison field by field. */
#ifndef ASSAY_TESTS_SAMPLE_H
#define ASSAY_TESTS_SAMPLE_H

#include "assay/store/store.h"

/* A record with everything in it: two platforms, a cluster step, a substitute, a fact, NAN, binary captures,
   empty strings, NULL strings, text that is not ASCII and text that is not even UTF-8. */
struct record *sample_record(struct arena *arena);
/* A step, its shape and a host that the plan grows by. */
void sample_grow(struct record *record);
/* hosts x steps of one slot count, all passive checks of one host; no attempts. */
struct record *sample_large(struct arena *arena, size_t hosts, size_t steps, size_t slots);
/* An attempt with two parts, readings and captures that differ by seed; pushed to the record. */
struct attempt *sample_attempt(struct record *record, size_t step, unsigned n, unsigned seed);
enum { SAMPLE_FACTS = 11 }; /* of its reading */
/* The whole way of a record into the store. */
void sample_store(struct store *store, struct record *record);

/* Fails the test at the first difference, naming the field. evidence: the captures' bytes too. */
void expect_equal_records(const struct record *left, const struct record *right, bool evidence);

#endif
