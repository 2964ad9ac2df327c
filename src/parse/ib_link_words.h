/* SPDX-License-Identifier: Apache-2.0 */
/* Words that all files of links have in common. */
#ifndef ASSAY_IB_LINK_WORDS_H
#define ASSAY_IB_LINK_WORDS_H

#include <stdbool.h>

#include "assay/base/arena.h"
#include "assay/base/scan.h"

/* "ACT", "INI", "ARM", "DWN" as "Active" and so on. False: it is none of them. */
bool ib_link_state(struct slice text, struct slice *ret_state);
/* "4x" is "4X", as iblinkinfo writes it; "": it is no width. */
struct slice ib_link_width(struct arena *arena, struct slice text);

#endif
