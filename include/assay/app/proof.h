/* SPDX-License-Identifier: Apache-2.0 */
/* What report --sign, verify, export and import share. */
#ifndef ASSAY_APP_PROOF_H
#define ASSAY_APP_PROOF_H

#include "assay/app/findings.h"
#include "assay/model/record.h"
#include "assay/store/bundle.h"
#include "assay/store/store.h"

/* Says in its head what the run is, for whoever reads it before signing. */
void proof_describe(struct arena *arena, struct manifest *manifest, const struct record *record);
/* A new folder for what is put together; directory_remove it. What killed ones left is removed first. NULL with err set. */
const char *proof_folder(struct arena *arena, struct error *err);
/* Writes the report, the manifest beside it (which the report joins), and a signature over that; refuses where a piece
   could not be read, or where other bytes are signed already. *ret_files says where. */
struct proof_files {
    const char *report, *manifest, *signature; /* signature NULL: by this key there was one already */
};
int proof_write_signed(struct arena *arena, struct manifest *manifest, const char *path,
                       const struct text *report, const char *key, struct proof_files *ret_files,
                       struct error *err) __attribute__((warn_unused_result));
/* Words of another party as one line that cannot be taken for several: line breaks and runs of blanks are one blank. */
const char *proof_line(struct arena *arena, const char *words);
/* Lines as one, with that between them. */
const char *proof_joined(struct arena *arena, const char *lines, const char *between);
/* What is wrong with a file of theirs among others is told, and speaks against that one alone. -1: it is of ours. */
int proof_pass_over(struct arena *arena, const char *path, const struct findings *findings, struct error *err)
    __attribute__((warn_unused_result));
/* Tells each piece of `kept` that is not so in `found`, and returns how many there are. */
int proof_tell_differences(struct arena *arena, const struct manifest *kept, const struct manifest *found,
                           bool redacted, const struct findings *findings);
/*
 * What a redacted bundle says of the originals that is not what was signed. key: of the database that it was exported from,
 * "" when there is none; *ret_unknown: pieces of which the bundle has a keyed hash that nothing was compared with.
 */
size_t proof_compare_claims(struct arena *arena, const struct manifest *signed_one,
                            const struct manifest *bundle, const char *key,
                            struct manifest_difference **ret_differences, size_t *ret_unknown);
/* Tells each piece of the run in store that is not as `kept` has it; the number of these, or -1. */
int proof_compare(struct arena *arena, struct store *store, long long number, const struct manifest *kept,
                  bool redacted, const struct findings *findings, struct error *err);

#endif
