/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts of one name at several sites. Names of hosts are unique where one controller tests them, and nowhere else: so two hosts
 * that two controllers call node1 are the same only where both saw a part of the same identity in it, as a GPU. Those that
 * are not the same get other names, for whoever shows runs of several controllers side by side.
 */
#ifndef ASSAY_APP_NAMESAKES_H
#define ASSAY_APP_NAMESAKES_H

#include "assay/store/store.h"

struct namesakes;

struct namesakes *namesakes_create(struct arena *arena);
/* The hosts of a run, and what it saw in them. Of a run that cannot be read nothing is known, and no error. */
void namesakes_add(struct namesakes *namesakes, struct store *store, const struct run_summary *run);
/* When all runs are added. */
void namesakes_settle(struct namesakes *namesakes);
/* The host's name in that run, or "CONTROLLER/NAME" where another one has it too (FILE/NAME where those have one name too; of runs
   that were made here always the name). As long as the arena lives. */
const char *namesakes_name(const struct namesakes *namesakes, const struct run_summary *run,
                           const char *host);

#endif
