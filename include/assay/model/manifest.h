/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manifests: what a run consists of, each piece named with its SHA-256. This text is what vendor and buyer sign.
 *
 *   assay manifest 1
 *   run: 7d0b...                       keys and values, up to an empty line
 *
 *   SHA256  report/assay-report-1.html
 *   SHA256  document/1  hostfile cluster
 *   SHA256  judgement/UUID/0  baseline site
 *   SHA256  capture/UUID/stdout  node1, gpu-burn, attempt 1
 *   SHA256  table/outcome  judgement,step,slot,...
 *   hmac:HMAC SHA256  capture/UUID/stderr  ...         redacted: the second is of the bytes as they are in the bundle;
 *                                                      the first is the HMAC-SHA256 of the original's 64 hex digits,
 *                                                      by a key that its owner's database keeps (redact.h)
 *   SHA256 SHA256  capture/UUID/stderr  ...            redacted, and the bytes are the original's
 *
 * Of an acceptance the head says "acceptance" (its UUID) and for each run "run/UUID" (the judgement); the entries of its
 * runs begin with run/UUID/, and beside them stand document/N and event/UUID of its own.
 *
 * Two blanks separate; a control character or backslash is written \xNN. One entry a line, so that `diff` and
 * `grep` show what differs.
 */
#ifndef ASSAY_MANIFEST_H
#define ASSAY_MANIFEST_H

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/scan.h"
#include "assay/base/sha256.h"
#include "assay/base/text.h"

struct manifest_entry {
    const char *path;               /* names the piece; no blanks */
    const char *note;               /* for people, "" when there is nothing to say; of a table its columns */
    char sha256[SHA256_HEX_SIZE];   /* of the original; where keyed, the HMAC of that */
    char redacted[SHA256_HEX_SIZE]; /* "" unless it was redacted */
    bool keyed;                     /* only with redacted */
    const char *damage; /* NULL, or why its bytes could not be read; only of what was found, never written */
};

struct manifest_line {
    const char *key, *value;
};

struct manifest {
    LIST_OF(struct manifest_line)
    head; /* "run" (its UUID) and "judgement", or "acceptance", are among them */
    LIST_OF(struct manifest_entry) entries;
};

/* Everything given to these is copied into the arena. */
void manifest_say(struct arena *arena, struct manifest *manifest, const char *key, const char *value);
struct manifest_entry *manifest_add(struct arena *arena, struct manifest *manifest, const char *path,
                                    const char *note, const char *sha256);
/* NULL: it is not there, or there is no manifest (NULL). */
const struct manifest_entry *manifest_find(const struct manifest *manifest, const char *path);
/* "" when it is not said. */
const char *manifest_said(const struct manifest *manifest, const char *key);
/* Of a path: whether it is of a table's rows ("table/outcome"), in a run or an acceptance. */
bool manifest_is_table(const char *path);
/* Whether one of its entries was redacted. */
bool manifest_redacted(const struct manifest *manifest);
/* Whether what it is of was: here, or before it came to who wrote it, of which no entry tells. */
#define MANIFEST_REDACTED_BEFORE "redacted before"
bool manifest_ever_redacted(const struct manifest *manifest);

void manifest_write(const struct manifest *manifest, struct text *out);
/* Refuses whatever manifest_write would not write: ERROR_USAGE with file and line. */
int manifest_parse(struct arena *arena, const char *file, struct slice bytes, struct manifest *ret_manifest,
                   struct error *err) __attribute__((warn_unused_result));
/* The same of its head alone, however much of the rest there is. */
#define MANIFEST_HEAD_END "\n\n"
int manifest_parse_head(struct arena *arena, const char *file, struct slice bytes,
                        struct manifest *ret_manifest, struct error *err) __attribute__((warn_unused_result));

/* One piece that is not as it was. */
struct manifest_difference {
    const char *path, *note;
    const char *what; /* "it has SHA-256 ... and should have ..." */
};
/*
 * What of `kept`'s entries is not so in `found`, and what found has beside them; entries whose path begins with
 * "report/" and tables that only found has (they came with a later format) are left out. redacted: found is what
 * is left after redaction, and is compared with the second hash where there is one.
 */
size_t manifest_compare(struct arena *arena, const struct manifest *kept, const struct manifest *found,
                        bool redacted, struct manifest_difference **ret_differences);

#endif
