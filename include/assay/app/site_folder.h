/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder that a site lies in. A file is written only where it is not what it should be, and whole or not at all. Which
 * files are ours is kept in assay-site.json, one of the site and one of each run: only what these name is ever removed. No
 * link in the folder is followed, for others may be able to write there.
 */
#ifndef ASSAY_APP_SITE_FOLDER_H
#define ASSAY_APP_SITE_FOLDER_H

#include <stdint.h>

#include "assay/base/arena.h"
#include "assay/base/files.h"
#include "assay/base/text.h"

/* A run that the site has pages of. */
struct site_known {
    long long number;
    const char *uuid;
    bool imported;
};
/* What a mark names. */
struct site_mark {
    const char *tool, *uuid; /* "assay 0.1.0"; of the run; "" where it has none */
    bool redacted;           /* of the site: no page of it has been written with names in it */
    LIST_OF(struct site_known) runs;
    LIST_OF(const char *) files; /* below the folder of the mark, sorted */
};

struct site_folder {
    const char *root;
    struct site_mark was; /* the site's, when it was opened */
    size_t written, same, removed;
};
/* Makes it where it is not there. ERROR_USAGE for a folder that holds anything and is no site, and for a site that is
   redacted where this one is not, or the other way round: what is left of the one must not be in the other. In the arena. */
int site_folder_open(struct site_folder *folder, struct arena *arena, const char *root, bool redacted,
                     struct error *err) __attribute__((warn_unused_result));

/* A file while it is made: put into text, then ended. `path` is below the root, and must outlive it. */
struct site_file {
    struct site_folder *folder;
    const char *path;
    char *place; /* root and path */
    int old;     /* what is there, read as far as it is the same; -1: nothing */
    uint64_t same;
    bool writes, lasts_now; /* lasts_now: on the disk when it is ended, not with the others */
    struct file_writing writing;
    struct text text;
    struct error *err;
};
int site_file_begin(struct site_file *file, struct site_folder *folder, const char *path, struct error *err)
    __attribute__((warn_unused_result));
int site_file_end(struct site_file *file) __attribute__((warn_unused_result));
/* What is there stays. */
void site_file_abandon(struct site_file *file);
/* Whether it is there, and not empty: none of ours is, but what power was lost over may be. */
bool site_folder_has(const struct site_folder *folder, const char *path);

/* The mark of a run, in "runs/6/"; empty where there is none that can be read. In the arena. */
void site_mark_of_run(const struct site_folder *folder, struct arena *arena, const char *prefix,
                      struct site_mark *ret_mark);
/* Of files that are sorted. */
void site_mark_sort(struct site_mark *mark);
bool site_mark_names(const struct site_mark *mark, const char *file);
/* Sorts its files and writes it, once all that was written before is on the disk. */
int site_mark_write(struct site_folder *folder, const char *prefix, struct site_mark *mark, struct error *err)
    __attribute__((warn_unused_result));

/* Removes it, and the folders that are empty then. That it is not there is fine. */
int site_folder_remove(struct site_folder *folder, const char *prefix, const char *file, struct error *err)
    __attribute__((warn_unused_result));
/* All that the run's mark names, and the mark. */
int site_folder_remove_run(struct site_folder *folder, long long number, struct error *err)
    __attribute__((warn_unused_result));

#endif
