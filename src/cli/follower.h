/* SPDX-License-Identifier: Apache-2.0 */
/* The board of a run that another process drives, from what that keeps in the database. */
#ifndef ASSAY_FOLLOWER_H
#define ASSAY_FOLLOWER_H

#include "assay/store.h"

struct follower;

/* NULL with err set. The store must outlive it. */
struct follower *follower_create(struct store *store, long long number, struct error *err)
    __attribute__((warn_unused_result));
/* Takes the board away. Accepts NULL; returns NULL. */
struct follower *follower_destroy(struct follower *follower);
/* Takes in what is new, and draws. */
int follower_look(struct follower *follower, struct error *err) __attribute__((warn_unused_result));

#endif
