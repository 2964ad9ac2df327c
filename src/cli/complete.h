/* SPDX-License-Identifier: Apache-2.0 */
/* What a shell's completion offers. It is made of what the commands themselves say, so that no shell knows another assay. */
#ifndef ASSAY_CLI_COMPLETE_H
#define ASSAY_CLI_COMPLETE_H

#include "cli.h"

/*
 * `assay complete WORD...`: argv[1..] are the words behind `assay`, the last of them as far as it is typed. Prints what
 * fits, one a line, "WORD\tWHAT IT IS"; at the end ":files" or ":folders" where a path fits too. Asks the database and
 * the files that the words name, changes nothing, and complains of nothing.
 */
int complete(const struct command *commands, size_t count, int argc, char **argv);

#endif
