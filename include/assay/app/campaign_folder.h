/* SPDX-License-Identifier: Apache-2.0 */
/* What an acceptance needs to be run next, as files in a folder that assay run is given. */
#ifndef ASSAY_APP_CAMPAIGN_FOLDER_H
#define ASSAY_APP_CAMPAIGN_FOLDER_H

#include "assay/app/campaign.h"

struct campaign_commands {
    const char *path, *lines; /* the file and its text: a command line a run */
    const char *script;       /* the file that runs them all and adds each run to the acceptance */
    size_t runs;
};

/* Makes the folder if it is not there, and writes its hostfile, suite, contract, manifest of tools, commands and script anew.
   database: where the runs are to be kept, so that they can be added; NULL: where assay keeps them unless told. */
int campaign_folder_write(const struct acceptance *acceptance, const struct campaign_next *next,
                          const char *folder, const char *database, struct campaign_commands *ret_commands,
                          struct error *err) __attribute__((warn_unused_result));

#endif
