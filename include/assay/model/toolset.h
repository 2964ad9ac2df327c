/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of tools that is brought to the hosts: a folder with bin/ (which commands find
 * first) and, where programs need it, lib/ (for LD_LIBRARY_PATH).
 *
 * What it is, its manifest says: a first line "assay-tools 1", then one line for each file, by the bytes of their paths,
 *
 *     MODE SIZE SHA256 PATH
 *
 * where MODE is 700 for what its owner may execute and 600 for all else: on the hosts it is private to the login user.
 * The version is the SHA-256 of the manifest, so that whoever has the version knows every byte of the tools.
 *
 * A path has letters, digits and ". _ - + / = , @ : ~" only, and no part of it begins with '-'. A link to a file counts
 * as that file; links to folders, and what is neither file nor folder, are refused. Empty folders are not part of it.
 */
#ifndef ASSAY_TOOLSET_H
#define ASSAY_TOOLSET_H

#include <stdbool.h>
#include <stdint.h>

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/scan.h"
#include "assay/base/sha256.h"

/* The manifest's own name in the folder of a version on a host; no file of a set may have it. */
#define TOOLSET_MANIFEST ".assay-manifest"
enum { TOOLSET_SHORT = 12 }; /* so many digits of a version are shown, and enough to name it */

struct toolset_file {
    const char *path; /* from the folder: "bin/gpu_burn" */
    unsigned mode;    /* 0700 or 0600 */
    uint64_t size;
    char sha256[SHA256_HEX_SIZE];
};

struct toolset {
    const char *folder;                 /* NULL: only the manifest is known */
    LIST_OF(struct toolset_file) files; /* in the manifest's order */
    struct slice manifest;
    char version[SHA256_HEX_SIZE];
    uint64_t bytes; /* of all files */
};

/*
 * Reads every file of the folder. In the arena; NULL with err set: a folder that cannot be read, has no file under bin/,
 * more than 10,000 files or 64 GiB, or something that has no place in a set.
 */
const struct toolset *toolset_load(struct arena *arena, const char *folder, struct error *err)
    __attribute__((warn_unused_result));
/* From its manifest, as it was kept with a run. `file` is for messages. */
const struct toolset *toolset_parse(struct arena *arena, const char *file, struct slice manifest,
                                    struct error *err) __attribute__((warn_unused_result));
/* bin/NAME; NULL: there is none. */
const struct toolset_file *toolset_program(const struct toolset *toolset, const char *name);
/* Is there something under that folder: "lib". */
bool toolset_has_folder(const struct toolset *toolset, const char *name);

/*
 * The files one behind the other, in the manifest's order: what goes over the line, and what is resumed at any byte.
 * Reads length bytes from offset, which must lie within; -1 with err set when a file is not as it was.
 */
int toolset_read(const struct toolset *toolset, uint64_t offset, void *bytes, size_t length,
                 struct error *err) __attribute__((warn_unused_result));

#endif
