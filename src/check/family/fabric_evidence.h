/* SPDX-License-Identifier: Apache-2.0 */
/* What checks of a fabric's links have in common: files of a sweep, the members' own ports, and links told by name. */
#ifndef ASSAY_CHECK_FABRIC_EVIDENCE_H
#define ASSAY_CHECK_FABRIC_EVIDENCE_H

#include "assay/check/check.h"
#include "assay/fabric/fabric.h"

/* The part's output; false with the reading's reason set: it is not there. */
bool fabric_take(const struct attempt *attempt, const char *name, struct reading *out,
                 struct slice *ret_text);
/* Whether the part "sweep" came to its end: where it did not, that is why there are no files. */
bool fabric_take_sweep(const struct attempt *attempt, struct reading *out);

/* The ports of all members' adapters, as check_member_hca has them; FABRIC_NONE: the sweep does not show it. */
uint32_t *fabric_find_members(const struct check_context *context, const struct fabric *fabric,
                              struct arena *arena, size_t *ret_count);

/* Several things of one kind, of which the first are said. */
struct fabric_list {
    const struct reason *said;
    size_t count;
};
void fabric_list_name(struct arena *arena, struct fabric_list *list, const struct reason *what);
/* And each is a finding about the link. */
void fabric_list_add(struct reading *out, const struct fabric *fabric, struct fabric_list *list,
                     const char *code, uint32_t link, const struct reason *what);
const struct reason *fabric_list_said(struct arena *arena, const struct fabric_list *list);

/* The fact is what is wrong, or the word for nothing. */
void fabric_tell(struct reading *out, const char *metric, const struct reason *what, const char *good);

#endif
