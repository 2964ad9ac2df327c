/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All runs of other controllers' databases, and of bundles, into one database. Each run comes over as an import does, as a whole or
 * not at all, and stays theirs (importing.h). So it can be done again at any time, after whatever ended it, and in any order.
 */
#ifndef ASSAY_APP_MERGING_H
#define ASSAY_APP_MERGING_H

#include <stddef.h>

#include "assay/app/findings.h"
#include "assay/base/error.h"

struct merging {
    const char *database; /* made if it is not there */
    const char *const *sources;
    size_t count;
    const char *
        signers; /* NULL: runs are taken whoever has made them; else those alone that one of these has signed (vouching.h) */
    struct findings findings; /* a line a run */
};

/* Runs, but for refused, which is runs and sources. */
struct merge_tally {
    size_t taken;
    size_t there; /* nothing of them is new */
    size_t
        changed; /* another run has their UUID here, or a copy that was changed, or of which other is said by others: nothing
                       of them is taken */
    size_t not_signed; /* with signers: by none of them */
    size_t later;      /* they have not ended where they come from */
    size_t refused;    /* what is not as assay writes it, or cannot be read */
};

/* Goes on behind what it refuses. -1 where the database cannot be written, where a source is no file or is the database itself:
   what was taken before stays. */
int merge_all(const struct merging *merging, struct merge_tally *ret_tally, struct error *err)
    __attribute__((warn_unused_result));

#endif
