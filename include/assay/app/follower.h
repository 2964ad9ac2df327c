/* SPDX-License-Identifier: Apache-2.0 */
/* What happens in a run that another process drives, from what that keeps in the database. */
#ifndef ASSAY_APP_FOLLOWER_H
#define ASSAY_APP_FOLLOWER_H

#include "assay/app/watcher.h"
#include "assay/store/store.h"

struct follower;

/* NULL with err set. The store must outlive it. */
struct follower *follower_create(struct store *store, long long number, struct error *err)
    __attribute__((warn_unused_result));
/* The run, with its plan, which grows; hosts_at_once: as it was begun; 0: all. Both are the follower's. */
const struct record *follower_record(const struct follower *follower);
unsigned follower_hosts_at_once(const struct follower *follower);
/* Who is told from here on; before follower_look. */
void follower_watch(struct follower *follower, struct watcher watcher);
/* Accepts NULL; returns NULL. */
struct follower *follower_destroy(struct follower *follower);
/* Takes in what is new, tells it, and then EVENT_TICK. */
int follower_look(struct follower *follower, struct error *err) __attribute__((warn_unused_result));

#endif
