/* SPDX-License-Identifier: Apache-2.0 */
/* What changes an acceptance in the database. Each only adds; a slip in a word that people gave is ERROR_USAGE, and adds nothing. */
#ifndef ASSAY_APP_CAMPAIGN_CHANGE_H
#define ASSAY_APP_CAMPAIGN_CHANGE_H

#include "assay/app/campaign.h"
#include "assay/app/question.h"

/* What an acceptance will ask: everything that the question requires of its hosts must be shown. The question is made here; name and
   argv are kept. It needs no database, so a slip leaves none behind; NULL with err set. */
struct acceptance *campaign_draft(struct arena *arena, struct question *question, const char *name, int argc,
                                  char **argv, struct error *err) __attribute__((warn_unused_result));
/* Begins it. */
int campaign_create(struct store *store, struct acceptance *draft, struct error *err)
    __attribute__((warn_unused_result));
/* Adds a run, by its number or UUID. who and why: who adopts it, if another party made it; NULL and "": nobody. */
int campaign_add(struct store *store, const struct campaign *campaign, const char *run, const char *who,
                 const char *why, struct error *err) __attribute__((warn_unused_result));
/* Records for each host an event like that one, with a UUID of its own; in the arena. All of them or none. */
int campaign_record(struct store *store, const struct campaign *campaign, const struct hostlist *hosts,
                    const struct acceptance_event *like, const struct acceptance_event **ret_events,
                    struct error *err) __attribute__((warn_unused_result));
/* The event of that UUID no longer counts, and says so from now on in campaign too. */
int campaign_withdraw(struct store *store, const struct campaign *campaign, const char *uuid, const char *why,
                      struct acceptance_event *ret_withdrawal, struct error *err)
    __attribute__((warn_unused_result));

#endif
