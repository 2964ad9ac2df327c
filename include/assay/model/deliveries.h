/* SPDX-License-Identifier: Apache-2.0 */
/* What other deliveries over the same hosts a database has, beside a run or an acceptance. Plain data. */
#ifndef ASSAY_DELIVERIES_H
#define ASSAY_DELIVERIES_H

#include "assay/model/record.h"

/* What has to be told of it to whoever reads the verdict of a later one. */
enum delivery_end {
    DELIVERY_OF_NO_ACCOUNT, /* accepted, incomplete, or broken off before anything had failed */
    DELIVERY_REJECTED,
    DELIVERY_WAIVED,     /* accepted with exceptions */
    DELIVERY_BROKEN_OFF, /* it was never carried to its end, and tests had failed */
    DELIVERY_RUNNING, /* likewise, but it still counts as running: whoever stops its controller does not end it */
};

struct other_delivery {
    long long number;
    double ended;                 /* Unix time, s; of one that has no end when it began */
    const char *hosts;            /* "node[1-8]"; "" where they cannot be read */
    LIST_OF(const char *) shared; /* the hosts that it has in common, by the names that were asked for */
    enum run_kind kind; /* an acceptance, or a part: of it only what failed is told, and it settles nothing */
    enum delivery_end end;
    bool judged;
    enum verdict_word verdict; /* of a judged one, the last */
    bool again;                /* likewise: by other documents it is another one; end is by the worst */
    bool
        settled; /* each host that it has in common with this one was accepted since; never of a running one */
};
struct other_deliveries {
    LIST_OF(struct other_delivery) items; /* the first one first */
};

#endif
