/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of what hosts print is kept, so that no host fills the controller's disk: of each stream on the host itself
 * (the flood limits, remote.h), of each host in a run, and of the whole run. The limits in force are a document of the
 * run. What is printed beyond them is told, never taken for a whole output.
 */
#ifndef ASSAY_EVIDENCE_H
#define ASSAY_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/model/record.h"

#define EVIDENCE_DOCUMENT "limits" /* its kind */

struct evidence_limits {
    uint64_t run_bytes;     /* of all that the run keeps of captures, before compression */
    uint64_t host_bytes;    /* of that, what is kept of one host */
    uint64_t stream_bytes;  /* of one stream, on the host */
    uint64_t looking_bytes; /* likewise, of a command that only looks */
};

/* run_bytes as asked for; 0: 64 MiB a host, and at least 1 GiB. A host has its equal share of it, at least 64 MiB: so one
   that prints without end takes nothing from others. */
void evidence_limits_set(struct evidence_limits *limits, uint64_t run_bytes, size_t hosts);
/* So many slices more than one (shape->repeat_for_s): room for what each of them prints, and is read before and after it
   on each of the hosts. */
void evidence_limits_add(struct evidence_limits *limits, size_t hosts, size_t slices);
/* The document, in the arena. */
const char *evidence_limits_text(struct arena *arena, const struct evidence_limits *limits);
/* False where the run has none: it is of an earlier assay. */
bool evidence_limits_of(const struct record *record, struct evidence_limits *ret_limits);

/* What the captures take in the store, before compression. */
uint64_t evidence_bytes(const struct capture captures[2]);
/* In place of what does not fit: captures without bytes that are `cut`, and why. */
void evidence_drop(struct capture captures[2], const struct reason **what);
bool evidence_dropped(const struct reason *what);

/* What a report tells of a run. */
struct evidence_sum {
    uint64_t kept_bytes;
    size_t flooded,
        dropped; /* attempts, and readings before and after tests, of which the host or the run kept not all */
};
void evidence_count(const struct record *record, struct evidence_sum *ret_sum);

#endif
