/* SPDX-License-Identifier: Apache-2.0 */
/* How many hosts are at work at a time: what a run was begun with holds, whoever drives it, until it is taken up with another number. */
#ifndef ASSAY_APP_TURNS_H
#define ASSAY_APP_TURNS_H

#include "assay/base/error.h"
#include "assay/model/record.h"

/* Keeps it as a document of the run; 0, for all and for what it was, leaves none. */
void turns_keep(struct record *record, unsigned hosts_at_once);
/* As it was kept: a run that cannot say so (-1 with err set) does not go on with all hosts. */
int turns_of(const struct record *record, unsigned *ret_hosts_at_once, struct error *err)
    __attribute__((warn_unused_result));

#endif
