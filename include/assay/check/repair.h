/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of repair: a written procedure for each class of failure, docs/guide/repair/CLASS.md, which are built in
 * (builtin_find("repair", CLASS), platform.h). They are printed; nothing in them is run.
 */
#ifndef ASSAY_REPAIR_H
#define ASSAY_REPAIR_H

#include "assay/model/reason.h"

/* The class of what fails this check by this metric, for this cause: "gpu-memory"; NULL: no page is about it. */
const char *repair_class(const char *check, const char *metric, const struct reason *cause);
/* All pages about a check, each once, in the arena; none where no page is about it. */
struct repair_pages {
    LIST_OF(const char *) items;
};
void repair_pages_of(struct arena *arena, const char *check, struct repair_pages *ret_pages);
/* Whose work these pages ask for, first who acts first: "the administrator (reset, power cycle); if it stays, the vendor
   (replacement, support)". Each page says it below its title. brief: "administrator, then vendor". NULL: of no page. */
const struct reason *repair_hands(struct arena *arena, const char *const *pages, size_t count, bool brief);
/* Of whom isolation names. */
#define REPAIR_OF_ISOLATION "slow-host"
/* And of whose HCA it names. */
#define REPAIR_OF_RAIL "port"

#endif
