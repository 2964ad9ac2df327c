/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of security advisories: from which version on a product is fixed, for each of its branches; and of support dates:
 * until when a branch is supported. A version is of the branch that its first numbers are: 580.95.05 is of 580.
 * suites/advisories/NAME.json, schema suites/schemas/advisories.schema.json.
 */
#ifndef ASSAY_ADVISORY_H
#define ASSAY_ADVISORY_H

#include <stdbool.h>

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/scan.h"

struct advisory_fix {
    const char *branch, *version; /* the first one that has the fix */
};

struct advisory {
    const char *ids;     /* "CVE-2024-0132, CVE-2024-0133" */
    const char *product; /* "nvidia-driver" */
    const char *severity, *published, *status, *source;
    LIST_OF(struct advisory_fix) fixes;
};

struct advisory_branch {
    const char *product, *branch;
};

/* Until when a branch is supported. Days and months, "2027-06-01" and "2028-06". */
struct support {
    const char *product; /* "nvidia-driver", "os", "kernel" */
    const char *branch;  /* "580", "ubuntu-22.04", "ubuntu-22.04-generic-6.5" */
    const char *ends;    /* the last one; NULL: it is only known that it has ended */
    const char *ended_by;
    const char *status, *source;
};

struct advisories {
    const char *name, *title;
    const char *reviewed;                     /* "2026-09-30": up to this day the sources were read */
    LIST_OF(struct advisory_branch) branches; /* for which the rows are complete up to that day */
    LIST_OF(struct advisory) rows;
    LIST_OF(struct support) support;
    struct slice bytes;
};

/* Those of a run. */
struct advisory_tables {
    LIST_OF(const struct advisories *) items;
};

/* name: a built-in table or a file. NULL with err set. */
const struct advisories *advisories_load(struct arena *arena, const char *name, struct error *err)
    __attribute__((warn_unused_result));
/* From a stored document. */
const struct advisories *advisories_parse(struct arena *arena, const char *file, struct slice bytes,
                                          struct error *err) __attribute__((warn_unused_result));

bool version_is_of_branch(const char *version, const char *branch);
/* The version that fixes this one, which is older; NULL: it is not concerned, or has the fix. */
const char *advisory_fix_for(const struct advisory *advisory, const char *version);
/* The table is complete for the branch of that version. */
bool advisories_cover(const struct advisories *table, const char *product, const char *version);
/* Of tables that speak of one branch the last one counts. NULL: none does. */
const struct support *support_of(const struct advisory_tables *tables, const char *product,
                                 const char *version);

#endif
