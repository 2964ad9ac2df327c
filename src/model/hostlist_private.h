/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_HOSTLIST_PRIVATE_H
#define ASSAY_HOSTLIST_PRIVATE_H

#include "assay/model/hostfile.h"

/*
 * Adds what one word stands for: "gpu[1-4]-ib" is four names, a word without brackets itself. Commas outside
 * brackets are ordinary here. On failure *ret_offset is the byte of the word where it went wrong; the message
 * says what, and the caller says in which text.
 */
int hostlist_expand_word(struct arena *arena, struct slice word, struct hostlist *list, size_t *ret_offset,
                         struct error *err) __attribute__((warn_unused_result));

/* The column, counted in characters from 1, of a byte of the text. */
unsigned hostlist_column(struct slice text, size_t offset);

#endif
