/* SPDX-License-Identifier: Apache-2.0 */
/* What a hostfile says of a host, word by word: for whoever asks what two hostfiles say differently. */
#ifndef ASSAY_HOST_FIELDS_H
#define ASSAY_HOST_FIELDS_H

#include "assay/model/hostfile.h"

enum host_field_kind {
    FIELD_QUESTION, /* what each test asks of it */
    FIELD_PLACE,    /* which tests there are for it, and among which hosts */
    FIELD_MACHINE,  /* which machine it is */
    FIELD_WAY,      /* the way to it */
};
struct host_field {
    const char *name;
    enum host_field_kind kind;
    const char *text; /* "none" where it says nothing */
};
enum { HOST_FIELDS = 25 };

void host_fields(struct arena *arena, const struct host *host, struct host_field ret_fields[HOST_FIELDS]);

#endif
