/* SPDX-License-Identifier: Apache-2.0 */
/* What to type next of an acceptance: the last thing on the screen but its verdict. */
#ifndef ASSAY_CLI_ACCEPTANCE_NEXT_H
#define ASSAY_CLI_ACCEPTANCE_NEXT_H

#include "assay/app/campaign_folder.h"

struct acceptance_hint {
    const struct acceptance *acceptance;
    const char *db;                           /* as it was given; NULL */
    const struct campaign_commands *commands; /* that were written; NULL: none */
    bool nothing_to_run;                      /* that was asked for, and there is nothing */
};
void acceptance_next_print(const struct acceptance_hint *hint);

#endif
