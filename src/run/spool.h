/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of an output that come in one after the other and are looked at when all are there. Few stay in
 * memory; more go to a temporary file without a name, in $TMPDIR, /var/tmp or /tmp, which is mapped for
 * reading: so the output of a burn of days costs disk for a while, not memory.
 */
#ifndef ASSAY_RUN_SPOOL_H
#define ASSAY_RUN_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "assay/base/scan.h"

enum { SPOOL_MEMORY_BYTES = 1 << 20 };

struct spool;

/* Keeps at most limit bytes. */
struct spool *spool_create(uint64_t limit);
/* One holder more; each releases it once. NULL is fine. */
struct spool *spool_hold(struct spool *spool);
void spool_release(struct spool *spool);

void spool_add(struct spool *spool, const char *bytes, uint64_t length);
uint64_t spool_offered(const struct spool *spool); /* bytes that came, kept or not */
bool spool_overflowed(const struct spool *spool);  /* more than limit came */
/* errno of a temporary file that could not be made or written; 0: none. What came from then on is not kept. */
int spool_failure(const struct spool *spool);
/* What was kept, with a NUL behind it; valid until more is added or the last holder releases it. */
struct slice spool_bytes(struct spool *spool);

/* A file without a name where spools have theirs; -1 with errno set. */
int spool_open_unnamed(void);

#endif
