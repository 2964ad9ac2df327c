/* SPDX-License-Identifier: Apache-2.0 */
/* A run's report as a file. */
#ifndef ASSAY_APP_REPORT_FILE_H
#define ASSAY_APP_REPORT_FILE_H

#include "assay/report/report.h"
#include "assay/store/store.h"

/* Where a report goes by default: what is no acceptance, or was cancelled, says so by its name, and where that file is of another run (of another
   database, for numbers begin with 1 in each) it has a piece of the UUID in it. From the heap. */
char *report_file_name(const struct standing *standing, enum run_state state, long long number,
                       const char *uuid, const char *extension);
/* The run as a report of this form shows it: with what it is compared with (against: earlier_attach), and its preflight. */
struct record *report_file_load(struct store *store, struct arena *arena, long long number,
                                const char *format, const char *against, struct error *err)
    __attribute__((warn_unused_result));
/* Its name ends in ".zst": it is written as one zstd frame. */
bool report_file_is_packed(const char *path);
/* Into the file, or to standard output ("-"), while it is made. */
int report_file_write(const struct record *record, const char *format, enum report_language language,
                      const char *path, struct error *err) __attribute__((warn_unused_result));

#endif
