/* SPDX-License-Identifier: Apache-2.0 */
/* A run that outlives the terminal it was begun from. */
#ifndef ASSAY_APP_DETACH_H
#define ASSAY_APP_DETACH_H

#include <stdbool.h>

#include "assay/base/error.h"

struct detaching {
    int told;      /* where the number of the run is written, for who waits for it */
    long long run; /* in the parent, once the child goes on by itself; 0: it ended before */
    char *log;     /* then its output, from the heap */
};

/*
 * Goes on in a child, which still has the terminal, so that it can ask for passwords and complain. true: this is the
 * parent, and *ret_status is its exit status: 0 once the child goes on by itself, else the child's own, which has said why.
 * err is set when there could be no child.
 */
bool detach_begin(struct detaching *detaching, int *ret_status, struct error *err);
/* The child lets the terminal go: its output is added to assay-run-NUMBER.log in the working folder from here on. */
int detach_go(struct detaching *detaching, long long run, struct error *err)
    __attribute__((warn_unused_result));

#endif
